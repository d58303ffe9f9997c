/* The instruction set of a modelled chip (a door of its own: isa/amd/amd.h and hw/amd/gen.h share names). */
#ifndef NX_SOFT_ISA_H
#define NX_SOFT_ISA_H
#include "isa/amd/inst.h"
struct eng_isa;
const struct eng_isa *soft_isa(enum amd_gpu gpu);
#endif
