/* Expands one .def file of records into code. No include guard: included once per set, after defining
 *   HW_SET, HW_UP       the set's prefix in lower and upper case (pm4, PM4)
 *   HW_ROWS             the .def file
 *   HW_HEADER(op, n)    first dword of a packet of n dwords in all
 *   HW_KNOWN(op)        the bits of the first dword that HW_HEADER owns
 *   HW_LENGTH(dw)       dwords that the header at dw announces (sets with TAIL rows)
 *   HW_COMMON           FIELD rows that every record has (may be empty)
 * For each RECORD(name, op, n) it gives
 *   enum { PM4_name = op, PM4_name_DWORDS = n };
 *   struct pm4_name { one uint32_t a FIELD, one uint64_t a WIDE, uint32_t tail (dwords that follow) if TAIL
 * }; void pm4_name_pack(uint32_t *dw, const struct pm4_name *p);    n dwords, header included; not the tail
 *   void pm4_name_unpack(const uint32_t *dw, struct pm4_name *p);  n dwords must be readable
 *   int  pm4_name_unknown(const uint32_t *dw);   first dword of the fixed part with bits no row names, or -1
 * and for each ENUM(name, NAME) / VALUE(NAME, X, v): enum { PM4_NAME_X = v }, and pm4_name_names[] as data.
 * With HW_TABLES defined (in one .c file a set) it also gives the tables pm4_records[], pm4_nrecords.
 * Rows: FIELD(name, dw, hi, lo, format), WIDE (hi up to 63, spans dw and dw + 1), FIELD_IN / WIDE_IN (only on
 * some generations), NARROW (a FIELD_IN that is narrower there: tables only), GENS(mask) (the whole record),
 * REPEAT(count, stride) (the op and those that follow in steps),
 * MATCH(mask, value) (bits of dword 0 that tell this record from others of its op), TAIL(name) (the header's
 * count says how many dwords follow), TAIL_FIELD(name, dw, hi, lo, bias) (that field + bias says it).
 * pack and unpack know no generation: a field that a generation lacks is the caller's care; the tables do.
 */
#include "base/bits.h"
#include "hw/field.h"

#ifdef HW_ROWS
#define HW_CAT_(a, b) a##b
#define HW_CAT(a, b)  HW_CAT_(a, b)
#define GENS(mask)
#define REPEAT(n, step)

/* enumerators */
#define ENUM(name, up)     extern const struct hw_value HW_CAT(HW_SET, _##name##_names)[];
#define VALUE(up, name, v) enum { HW_CAT(HW_UP, _##up##_##name) = v };
#define ENUM_END
#define RECORD(name, op, n) enum { HW_CAT(HW_UP, _##name) = op, HW_CAT(HW_UP, _##name##_DWORDS) = n };
#define FIELD(name, dw, hi, lo, fmt)
#define FIELD_IN(gens, name, dw, hi, lo, fmt)
#define WIDE(name, dw, hi, lo, fmt)
#define WIDE_IN(gens, name, dw, hi, lo, fmt)
#define NARROW(gens, name, dw, hi, lo, fmt)
#define MATCH(mask, value)
#define TAIL(name)
#define TAIL_FIELD(name, dw, hi, lo, bias)
#define RECORD_END
#include HW_ROWS
#undef ENUM
#undef VALUE
#undef ENUM_END
#undef RECORD
#undef FIELD
#undef FIELD_IN
#undef WIDE
#undef WIDE_IN
#undef NARROW
#undef MATCH
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END
#define ENUM(name, up)
#define VALUE(up, name, v)
#define ENUM_END
#define FIELD_IN(gens, name, dw, hi, lo, fmt) FIELD(name, dw, hi, lo, fmt)
#define WIDE_IN(gens, name, dw, hi, lo, fmt)  WIDE(name, dw, hi, lo, fmt)
#define NARROW(gens, name, dw, hi, lo, fmt)

/* structs */
#define RECORD(name, op, n)                                                                                  \
    struct HW_CAT(HW_SET, _##name) {                                                                         \
        HW_COMMON
#define FIELD(name, dw, hi, lo, fmt) uint32_t name;
#define WIDE(name, dw, hi, lo, fmt)  uint64_t name;
#define MATCH(mask, value)
#define TAIL(name)                         uint32_t tail;
#define TAIL_FIELD(name, dw, hi, lo, bias) uint32_t tail;
#define RECORD_END                                                                                           \
    }                                                                                                        \
    ;
#include HW_ROWS
#undef RECORD
#undef FIELD
#undef WIDE
#undef MATCH
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END

/* pack: a local array, so that constant fields fold whatever dw and p alias; copied dword by dword, which gcc
 * turns into plain stores where it would copy a memcpy's array through the stack */
#define RECORD(name, op, n)                                                                                  \
    static inline void HW_CAT(HW_SET, _##name##_pack)(uint32_t * dw,                                         \
                                                      const struct HW_CAT(HW_SET, _##name) * p)              \
    {                                                                                                        \
        enum { op_ = op, n_ = n };                                                                           \
        uint32_t w[n_] = {0}, tail_ = 0;                                                                     \
        (void)p, (void)tail_;                                                                                \
        HW_COMMON
#define FIELD(name, dw, hi, lo, fmt) w[dw] |= (uint32_t)hw_fit(p->name, hi, lo) << (lo);
#define WIDE(name, dw, hi, lo, fmt)                                                                          \
    w[dw] |= (uint32_t)(hw_fit(p->name, hi, lo) << (lo));                                                    \
    w[dw + 1] |= (uint32_t)((hw_fit(p->name, hi, lo) << (lo)) >> 32);
#define MATCH(mask, value)                 w[0] |= value;
#define TAIL(name)                         tail_ = p->tail;
#define TAIL_FIELD(name, dw, hi, lo, bias) w[dw] |= (uint32_t)hw_fit(p->tail - (bias), hi, lo) << (lo);
#define RECORD_END                                                                                           \
    w[0] |= HW_HEADER(op_, n_ + tail_);                                                                      \
    _Pragma("GCC unroll 32") for (unsigned i = 0; i < n_; i++) dw[i] = w[i];                                 \
    }
#include HW_ROWS
#undef RECORD
#undef FIELD
#undef WIDE
#undef MATCH
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END

/* unpack */
#define RECORD(name, op, n)                                                                                  \
    static inline void HW_CAT(HW_SET, _##name##_unpack)(const uint32_t *dw,                                  \
                                                        struct HW_CAT(HW_SET, _##name) * p)                  \
    {                                                                                                        \
        enum { n_ = n };                                                                                     \
        (void)dw, (void)p;                                                                                   \
        HW_COMMON
#define FIELD(name, dw_, hi, lo, fmt) p->name = (uint32_t)bits(dw[dw_], hi, lo);
#define WIDE(name, dw_, hi, lo, fmt)  p->name = bits(dw[dw_] | (uint64_t)dw[dw_ + 1] << 32, hi, lo);
#define MATCH(mask, value)
#define TAIL(name)                          p->tail = HW_LENGTH(dw) - n_;
#define TAIL_FIELD(name, dw_, hi, lo, bias) p->tail = (uint32_t)bits(dw[dw_], hi, lo) + (bias);
#define RECORD_END                          }
#include HW_ROWS
#undef RECORD
#undef FIELD
#undef WIDE
#undef MATCH
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END

/* unknown: bits of any generation count as known here; hw_unknown_bits() tells generations apart */
#define RECORD(name, op, n)                                                                                  \
    static inline int HW_CAT(HW_SET, _##name##_unknown)(const uint32_t *dw)                                  \
    {                                                                                                        \
        uint32_t k[n] = {HW_KNOWN(op)};                                                                      \
        HW_COMMON
#define FIELD(name, dw, hi, lo, fmt) k[dw] |= HW_MASK(hi, lo);
#define WIDE(name, dw, hi, lo, fmt)                                                                          \
    k[dw] |= HW_MASK0(hi, lo);                                                                               \
    k[dw + 1] |= HW_MASK1(hi, lo);
#define MATCH(mask, value) k[0] |= mask;
#define TAIL(name)
#define TAIL_FIELD(name, dw, hi, lo, bias) k[dw] |= HW_MASK(hi, lo);
#define RECORD_END                                                                                           \
    for (unsigned i = 0; i < sizeof k / 4; i++)                                                              \
        if (dw[i] & ~k[i])                                                                                   \
            return (int)i;                                                                                   \
    return -1;                                                                                               \
    }
#include HW_ROWS
#undef ENUM
#undef VALUE
#undef ENUM_END
#undef RECORD
#undef FIELD
#undef FIELD_IN
#undef WIDE
#undef WIDE_IN
#undef NARROW
#undef MATCH
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END

extern const struct hw_record HW_CAT(HW_SET, _records)[];
extern const unsigned HW_CAT(HW_SET, _nrecords);

#ifdef HW_TABLES
#define HW_ROW_FMT_hex    HW_HEX, 0, 0
#define HW_ROW_FMT_dec    HW_DEC, 0, 0
#define HW_ROW_FMT_of(e)  HW_ENUM, HW_CAT(HW_SET, _##e##_names), 0
#define HW_ROW_FMT_reg(r) HW_REG, 0, #r

/* one array of fields a record */
#define ENUM(name, up)     const struct hw_value HW_CAT(HW_SET, _##name##_names)[] = {
#define VALUE(up, name, v) {#name, v},
#define ENUM_END                                                                                             \
    {                                                                                                        \
        0, 0                                                                                                 \
    }                                                                                                        \
    }                                                                                                        \
    ;
#define RECORD(name, op, n)                   static const struct hw_field HW_CAT(HW_SET, _##name##_fields)[] = {HW_COMMON
#define FIELD(name, dw, hi, lo, fmt)          {#name, dw, hi, lo, HW_ROW_FMT_##fmt, 0},
#define WIDE(name, dw, hi, lo, fmt)           {#name, dw, hi, lo, HW_ROW_FMT_##fmt, 0},
#define FIELD_IN(gens, name, dw, hi, lo, fmt) {#name, dw, hi, lo, HW_ROW_FMT_##fmt, gens},
#define WIDE_IN(gens, name, dw, hi, lo, fmt)  {#name, dw, hi, lo, HW_ROW_FMT_##fmt, gens},
#define NARROW(gens, name, dw, hi, lo, fmt)   {#name, dw, hi, lo, HW_ROW_FMT_##fmt, gens},
#define MATCH(mask, value)
#define TAIL(name)
#define TAIL_FIELD(name, dw, hi, lo, bias)
#define RECORD_END                                                                                           \
    {                                                                                                        \
        0, 0, 0, 0, 0, 0, 0, 0                                                                               \
    }                                                                                                        \
    }                                                                                                        \
    ;
#include HW_ROWS
#undef ENUM
#undef VALUE
#undef ENUM_END
#undef RECORD
#undef FIELD
#undef FIELD_IN
#undef WIDE
#undef WIDE_IN
#undef NARROW
#undef MATCH
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END
#undef GENS
#undef REPEAT

/* the records */
#define ENUM(name, up)
#define VALUE(up, name, v)
#define ENUM_END
#define RECORD(name_, op_, n)                                                                                \
    {                                                                                                        \
        .name = #name_, .op = op_, .dwords = n, .known = HW_KNOWN(op_),                                      \
        .fields = HW_CAT(HW_SET, _##name_##_fields),                                                         \
        .nfields = ARRAY_LEN(HW_CAT(HW_SET, _##name_##_fields)) - 1,
#define FIELD(name, dw, hi, lo, fmt)
#define WIDE(name, dw, hi, lo, fmt)
#define FIELD_IN(gens, name, dw, hi, lo, fmt)
#define WIDE_IN(gens, name, dw, hi, lo, fmt)
#define NARROW(gens, name, dw, hi, lo, fmt)
#define GENS(mask)         .gens = mask,
#define REPEAT(n, step)    .repeat = n, .stride = step,
#define MATCH(mask, value) .match_mask = mask, .match_value = value,
#define TAIL(name_)        .tail = HW_TAIL_HEADER, .tail_name = #name_,
#define TAIL_FIELD(name_, dw, hi, lo, bias)                                                                  \
    .tail = HW_TAIL_FIELD, .tail_name = #name_, .tail_field = {#name_, dw, hi, lo, 0, 0, 0, 0},              \
    .tail_bias = bias,
#define RECORD_END                                                                                           \
    }                                                                                                        \
    ,
const struct hw_record HW_CAT(HW_SET, _records)[] = {
#include HW_ROWS
};
const unsigned HW_CAT(HW_SET, _nrecords) = ARRAY_LEN(HW_CAT(HW_SET, _records));
#undef ENUM
#undef VALUE
#undef ENUM_END
#undef RECORD
#undef FIELD
#undef FIELD_IN
#undef WIDE
#undef WIDE_IN
#undef NARROW
#undef MATCH
#undef TAIL
#undef TAIL_FIELD
#undef RECORD_END
#undef HW_ROW_FMT_hex
#undef HW_ROW_FMT_dec
#undef HW_ROW_FMT_of
#undef HW_ROW_FMT_reg
#endif /* HW_TABLES */

#undef GENS
#undef REPEAT
#undef HW_SET
#undef HW_UP
#undef HW_ROWS
#undef HW_HEADER
#undef HW_KNOWN
#undef HW_LENGTH
#undef HW_COMMON
#endif /* HW_ROWS */
