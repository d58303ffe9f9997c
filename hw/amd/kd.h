/* The kernel descriptor of AMD code objects: struct kd_desc, kd_desc_pack, kd_desc_unpack, kd_desc_unknown
 * (non-negative when a reserved bit is set). rsrc1..3 are whole register words: see regs.h.
 */
#ifndef NX_HW_AMD_KD_H
#define NX_HW_AMD_KD_H
#include "hw/field.h"

#define KD_BYTES         64

#define HW_SET           kd
#define HW_UP            KD
#define HW_ROWS          "hw/amd/kd.def"
#define HW_HEADER(op, n) 0
#define HW_KNOWN(op)     0u
#define HW_LENGTH(dw)    16
#define HW_COMMON
#include "hw/expand.h"
#endif
