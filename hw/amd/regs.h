/* Compute registers of gfx9.0 to gfx12. Rows in regs.def. For each register NAME:
 *   struct reg_NAME { one uint32_t a field of any generation };
 *   uint32_t reg_NAME_offset(gen)     dwords from AMD_SH_BASE as SET_SH_REG counts, REG_NONE where it is
 * absent uint32_t reg_NAME_pack(gen, &r)   fields that gen lacks must be 0 (traps in checked builds) void
 * reg_NAME_unpack(gen, word, &r) Not here: other register blocks; UCONFIG registers are known by number only.
 */
#ifndef NX_HW_AMD_REGS_H
#define NX_HW_AMD_REGS_H
#include "base/bits.h"
#include "hw/amd/gen.h"
#include "hw/field.h"

/* Register spaces: absolute dword numbers that the SET_* packets count from, and the ends (exclusive). */
#define AMD_SH_BASE      0x2c00u
#define AMD_SH_END       0x3000u
#define AMD_UCONFIG_BASE 0xc000u
#define AMD_UCONFIG_END  0x10000u
/* Start of user data and how many: SET_SH_REG offset of COMPUTE_USER_DATA_0. */
#define AMD_USER_DATA       0x240u
#define AMD_USER_DATA_COUNT 16u
#define REG_NONE            (~0u)

#define R9_0                (1 << AMD_GEN_9_0)
#define R9_0A               (1 << AMD_GEN_9_0A)
#define R9_42               (1 << AMD_GEN_9_4_2)
#define R9                  AMD_9
#define R10                 AMD_10
#define R11                 AMD_11
#define R12                 AMD_12
#define R10_UP              AMD_10_UP
#define R11_UP              AMD_11_UP
#define RALL                (AMD_9 | AMD_10_UP)

/* structs */
#define REG(reg) struct reg_##reg {
#define AT(gens, offset)
#define BITS(name, gens, hi, lo) uint32_t name;
#define ALSO(name, gens, hi, lo)
#define REG_END                                                                                              \
    }                                                                                                        \
    ;
#include "hw/amd/regs.def"
#undef REG
#undef AT
#undef BITS
#undef REG_END

#define REG(reg)                                                                                             \
    static inline uint32_t reg_##reg##_offset(enum amd_gen gen)                                              \
    {
#define AT(gens, offset)                                                                                     \
    if ((gens) >> gen & 1)                                                                                   \
        return offset;
#define BITS(name, gens, hi, lo)
#define REG_END                                                                                              \
    return REG_NONE;                                                                                         \
    }
#include "hw/amd/regs.def"
#undef REG
#undef AT
#undef BITS
#undef ALSO
#undef REG_END

#define REG(reg)                                                                                             \
    static inline void reg_##reg##_unpack(enum amd_gen gen, uint32_t w, struct reg_##reg *r)                 \
    {                                                                                                        \
        memset(r, 0, sizeof *r);
#define AT(gens, offset)
#define BITS(name, gens, hi, lo)                                                                             \
    if ((gens) >> gen & 1)                                                                                   \
        r->name = (uint32_t)bits(w, hi, lo);
#define ALSO(name, gens, hi, lo) BITS(name, gens, hi, lo)
#define REG_END                  }
#include "hw/amd/regs.def"
#undef REG
#undef BITS
#undef REG_END

#if defined(__SANITIZE_ADDRESS__) || defined(NX_STRESS) || !defined(__OPTIMIZE__)
#define REG_CHECK 1
#else
#define REG_CHECK 0
#endif
#define BITS(name, gens, hi, lo)                                                                             \
    if ((gens) >> gen & 1)                                                                                   \
        w |= (r->name & (uint32_t)bits(~0ull, (hi) - (lo), 0)) << (lo);
#define REG(reg)                                                                                             \
    static inline uint32_t reg_##reg##_pack(enum amd_gen gen, const struct reg_##reg *r)                     \
    {                                                                                                        \
        void (*const unpack)(enum amd_gen, uint32_t, struct reg_##reg *) = reg_##reg##_unpack;               \
        struct reg_##reg back;                                                                               \
        uint32_t w = 0;
#define REG_END                                                                                              \
    if (REG_CHECK && (unpack(gen, w, &back), memcmp(&back, r, sizeof back)))                                 \
        __builtin_trap();                                                                                    \
    return w;                                                                                                \
    }
#include "hw/amd/regs.def"
#undef REG
#undef AT
#undef BITS
#undef ALSO
#undef REG_END

/* The same rows as data. */
struct amd_reg {
    const char *name; /* "COMPUTE_PGM_RSRC1" */
    struct {
        uint16_t gens, offset;
    } at[3];
    const struct hw_field *fields; /* dw 0; gens says where each exists */
    uint16_t nfields;
};
extern const struct amd_reg amd_regs[];
extern const unsigned amd_nregs;
/* By SET_SH_REG offset or by name; NULL when the generation has none there. */
const struct amd_reg *amd_reg_at(enum amd_gen gen, uint32_t offset);
const struct amd_reg *amd_reg_named(const char *name);
/* Bits of the word that no field of this generation names. */
uint32_t amd_reg_unknown(const struct amd_reg *r, enum amd_gen gen, uint32_t word);
#endif
