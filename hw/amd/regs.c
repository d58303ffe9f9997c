#include "hw/amd/regs.h"

/* fields of each register, closed by an entry without a name */
#define REG(reg) static const struct hw_field reg##_fields[] = {
#define AT(gens, offset)
#define BITS(name, gens, hi, lo) {#name, 0, hi, lo, (hi) - (lo) > 15 ? HW_HEX : HW_DEC, 0, 0, gens},
#define ALSO(name, gens, hi, lo) BITS(name, gens, hi, lo)
#define REG_END                                                                                              \
    {                                                                                                        \
        0, 0, 0, 0, 0, 0, 0, 0                                                                               \
    }                                                                                                        \
    }                                                                                                        \
    ;
#include "hw/amd/regs.def"
#undef REG
#undef AT
#undef BITS
#undef REG_END

#define REG(reg)                                                                                             \
    {                                                                                                        \
#reg, .fields = reg##_fields, .nfields = ARRAY_LEN(reg##_fields) - 1, .at = {
#define AT(gens, offset) {gens, offset},
#define BITS(name, gens, hi, lo)
#define REG_END                                                                                              \
    }                                                                                                        \
    }                                                                                                        \
    ,
const struct amd_reg amd_regs[] = {
#include "hw/amd/regs.def"
};
const unsigned amd_nregs = ARRAY_LEN(amd_regs);

const struct amd_reg *amd_reg_at(enum amd_gen gen, uint32_t offset)
{
    for (unsigned i = 0; i < amd_nregs; i++)
        for (unsigned k = 0; k < ARRAY_LEN(amd_regs[i].at); k++)
            if (amd_regs[i].at[k].offset == offset && (amd_regs[i].at[k].gens >> gen & 1))
                return &amd_regs[i];
    return NULL;
}

const struct amd_reg *amd_reg_named(const char *name)
{
    for (unsigned i = 0; i < amd_nregs; i++)
        if (!strcmp(amd_regs[i].name, name))
            return &amd_regs[i];
    return NULL;
}

uint32_t amd_reg_unknown(const struct amd_reg *r, enum amd_gen gen, uint32_t word)
{
    for (unsigned i = 0; i < r->nfields; i++)
        if (hw_in_gen(r->fields[i].gens, gen))
            word &= ~HW_MASK(r->fields[i].hi, r->fields[i].lo);
    return word;
}
