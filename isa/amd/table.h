/* Private to isa/amd: the codes an operand may take (from forms.def) and the committed rows, shared by
 * inst.c (decode) and print.c. */
#ifndef NX_ISA_AMD_TABLE_H
#define NX_ISA_AMD_TABLE_H
#include "isa/amd/inst.h"

/* Bits of amd_operand.allow, each a range of source codes. */
enum amd_allow {
    A_SGPR = 1 << 0,       /* 0-105; gfx9: 0-101, then flat_scratch and xnack_mask */
    A_VCC = 1 << 1,        /* 106, 107 */
    A_TTMP = 1 << 2,       /* 108-123 */
    A_M0 = 1 << 3,         /* gfx11+: 125, before: 124 */
    A_NULL = 1 << 4,       /* gfx10: 125, gfx11+: 124 */
    A_EXEC = 1 << 5,       /* 126 */
    A_EXEC_HI = 1 << 17,   /* 127 */
    A_INT = 1 << 6,        /* 128-208 */
    A_APERTURE = 1 << 7,   /* 235-239 */
    A_FLOAT = 1 << 8,      /* 240-247 */
    A_INV2PI = 1 << 9,     /* 248 */
    A_VCCZ = 1 << 10,      /* 251, 252: vccz, execz */
    A_SCC = 1 << 11,       /* 253 */
    A_LDS = 1 << 12,       /* 254 */
    A_LITERAL = 1 << 13,   /* 255 */
    A_VGPR = 1 << 14,      /* 256-511, in 8-bit VGPR fields 0-255 */
    A_VGPR_HALF = 1 << 15, /* as VGPR but only 128 of them (16-bit halves) */
    A_AGPR = 1 << 16       /* 768-1023, in VGPR fields 512-767 */
};

/* Indices into amd_base[] for mnemonics that decode or print by name. */
enum amd_name {
    AMD_N_none,
#define N(name) AMD_N_##name,
#include "isa/amd/names.def"
#undef N
    AMD_N_COUNT
};

static inline bool amd_gfx9(enum amd_gpu gpu)
{
    return gpu <= AMD_GFX942;
}
/* Registers an operand names in this wave size. */
static inline unsigned amd_dwords(const struct amd_operand *op, bool wave64)
{
    return op->type == AMD_T_MASK ? 1u + wave64 : op->dwords;
}
#endif
