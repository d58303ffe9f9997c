/* Records: everything the hardware reads is a row of named fields `hi:lo` in a .def file. expand.h turns the
 * rows into structs and inline pack/unpack (for the two sides that know the packet at compile time); the
 * tables declared here are the same rows as data (for the decoder, the assembler and the tests).
 * Not here: what a packet means. A field numbers bits from its first dword: hi may reach 63 in a WIDE field.
 */
#ifndef NX_HW_FIELD_H
#define NX_HW_FIELD_H
#include <stddef.h>
#include <stdint.h>

enum hw_fmt { HW_HEX, HW_DEC, HW_ENUM, HW_REG };

/* A named value of a field; a list ends with name == NULL. */
struct hw_value {
    const char *name;
    uint32_t value;
};

struct hw_field {
    const char *name;
    uint16_t dw;
    uint8_t hi, lo;
    uint8_t fmt;                  /* enum hw_fmt */
    const struct hw_value *names; /* HW_ENUM */
    const char *reg;              /* HW_REG: the register whose bits this dword carries */
    uint16_t gens;                /* as in hw_record */
};

/* How many dwords follow the fixed part: none, what the header's own count says, or a field plus a bias. */
enum hw_tail { HW_NO_TAIL, HW_TAIL_HEADER, HW_TAIL_FIELD };

struct hw_record {
    const char *name;
    uint32_t op;
    uint16_t dwords; /* fixed part, header included */
    uint16_t gens;   /* bit g: exists on generation g of its set (enum amd_gen, enum sdma_gen); 0 = all */
    uint32_t known;  /* bits of the first dword that the header owns */
    uint16_t repeat, stride;          /* op + k * stride is the same record, k < repeat; 0: only op */
    uint32_t match_mask, match_value; /* also of the first dword: chooses between records of one op */
    uint8_t tail;                     /* enum hw_tail */
    const char *tail_name;
    struct hw_field tail_field; /* HW_TAIL_FIELD */
    int tail_bias;
    const struct hw_field *fields;
    uint16_t nfields;
};

/* One field of a record out of / into its words. hw_set_field leaves the other bits and ignores excess bits
 * of v; hw_field_max is the largest value that fits. */
uint64_t hw_get_field(const struct hw_field *f, const uint32_t *dw);
void hw_set_field(const struct hw_field *f, uint32_t *dw, uint64_t v);
uint64_t hw_field_max(const struct hw_field *f);

/* First dword of the fixed part, from `from` on, that has bits which no field of generation gen names, and
 * those bits; -1 if none. */
int hw_unknown_bits(const struct hw_record *r, unsigned gen, const uint32_t *dw, unsigned from,
                    uint32_t *bits);
static inline int hw_in_gen(uint16_t gens, unsigned gen)
{
    return !gens || (gens >> gen & 1);
}

/* Name of a value or NULL; the value of a name (returns 0 when found). */
const char *hw_value_name(const struct hw_value *list, uint64_t value);
int hw_value_of(const struct hw_value *list, const char *name, uint32_t *value);
/* The field of that name on that generation, or NULL. */
const struct hw_field *hw_field_named(const struct hw_record *r, unsigned gen, const char *name);

/* bits hi:lo set, 0 <= lo <= hi <= 31; the part of field hi:lo (hi <= 63) that lies in its first / second
 * dword */
#define HW_MASK(hi, lo)  ((~0u >> (31 - ((hi) - (lo)))) << (lo))
#define HW_MASK0(hi, lo) ((uint32_t)((~0ull >> (63 - ((hi) - (lo)))) << (lo)))
#define HW_MASK1(hi, lo) ((uint32_t)(((~0ull >> (63 - ((hi) - (lo)))) << (lo)) >> 32))

/* The value as packed. A value too wide for its field is our own bug: it traps in checked builds. */
static inline uint64_t hw_fit(uint64_t v, unsigned hi, unsigned lo)
{
    uint64_t m = ~0ull >> (63 - (hi - lo));
#if defined(__SANITIZE_ADDRESS__) || defined(NX_STRESS) || !defined(__OPTIMIZE__)
    if (v & ~m)
        __builtin_trap();
#endif
    return v & m;
}
#endif
