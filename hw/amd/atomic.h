/* Atomic operation codes shared by PM4 ATOMIC_MEM (bits 6:0) and SDMA ATOMIC (bits 31:25).
 * ATOMIC_<op>_32 / _64 as constants and amd_atomic_names[] as data. Codes below 64 return the old value. */
#ifndef NX_HW_AMD_ATOMIC_H
#define NX_HW_AMD_ATOMIC_H
#include "hw/field.h"

#define ATOMIC(name, v) AMD_ATOMIC_##name = v,
enum amd_atomic {
#include "hw/amd/atomic.def"
};
#undef ATOMIC
extern const struct hw_value amd_atomic_names[];
#endif
