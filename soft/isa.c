#include "soft/isa.h"
#include "isa/amd/amd.h"

extern const struct eng_isa *amd_isa(enum amd_gpu gpu) __attribute__((weak));

const struct eng_isa *soft_isa(enum amd_gpu gpu)
{
    return amd_isa ? amd_isa(gpu) : NULL;
}
