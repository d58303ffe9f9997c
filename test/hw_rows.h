/* One check a record of a set, for test/unit/hw_tables.c. Included once per set after defining HW_SET and
 * HW_ROWS: random words, cut down to the bits that rows name, must survive unpack and pack; struct members
 * must equal what the table reads; a bit outside must be reported by NAME_unknown.
 */
#include "base/bits.h"
#ifdef HW_ROWS
#define T_CAT_(a, b) a##b
#define T_CAT(a, b)  T_CAT_(a, b)
#define ENUM(name, up)
#define VALUE(up, name, v)
#define ENUM_END
#define GENS(mask)
#define REPEAT(n, step)
#define MATCH(mask, value)
#define NARROW(gens, name, dw, hi, lo, fmt)
#define RECORD(id, op, n)                                                                                    \
    static void T_CAT(HW_SET, _check_##id)(const struct hw_record *r, uint32_t *seed)                        \
    {                                                                                                        \
        uint32_t w[n], back[n];                                                                              \
        struct T_CAT(HW_SET, _##id) p;                                                                       \
        random_record(r, w, seed);                                                                           \
        T_CAT(HW_SET, _##id##_unpack)(w, &p);                                                                \
        T_CAT(HW_SET, _##id##_pack)(back, &p);                                                               \
        check_same(r, w, back);                                                                              \
        check_unknown(r, w, seed, T_CAT(HW_SET, _##id##_unknown));
#define FIELD(name, dw, hi, lo, fmt)          check_member(r, #name, p.name, w);
#define WIDE(name, dw, hi, lo, fmt)           FIELD(name, dw, hi, lo, fmt)
#define FIELD_IN(gens, name, dw, hi, lo, fmt) FIELD(name, dw, hi, lo, fmt)
#define WIDE_IN(gens, name, dw, hi, lo, fmt)  FIELD(name, dw, hi, lo, fmt)
#define TAIL(name)
#define TAIL_FIELD(name, dw, hi, lo, bias) check_tail(r, p.tail, w);
#define RECORD_END                         }
#include HW_ROWS
#undef RECORD
#undef FIELD
#undef WIDE
#undef FIELD_IN
#undef WIDE_IN
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END

#define RECORD(name, op, n) T_CAT(HW_SET, _check_##name)(r++, &seed);
#define FIELD(name, dw, hi, lo, fmt)
#define WIDE(name, dw, hi, lo, fmt)
#define FIELD_IN(gens, name, dw, hi, lo, fmt)
#define WIDE_IN(gens, name, dw, hi, lo, fmt)
#define TAIL(name)
#define TAIL_FIELD(name, dw, hi, lo, bias)
#define RECORD_END
static void T_CAT(HW_SET, _rows)(void)
{
    uint32_t seed = 1;
    for (int round = 0; round < 50; round++) {
        const struct hw_record *r = T_CAT(HW_SET, _records);
#include HW_ROWS
        CHECK_EQ(r - T_CAT(HW_SET, _records), T_CAT(HW_SET, _nrecords));
    }
    check_overlap(T_CAT(HW_SET, _records), T_CAT(HW_SET, _nrecords));
}
#undef RECORD
#undef FIELD
#undef WIDE
#undef FIELD_IN
#undef WIDE_IN
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END
#undef NARROW
#undef MATCH
#undef GENS
#undef REPEAT
#undef ENUM
#undef VALUE
#undef ENUM_END
#undef T_CAT
#undef T_CAT_
#undef HW_SET
#undef HW_ROWS
#endif
