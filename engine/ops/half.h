/* Exact conversions between float formats, one value each, as integer code the compiler can vectorise: f16,
 * bf16, and the 8-bit formats. No host rounding mode or denormal setting matters here.
 */
#ifndef NX_ENGINE_OPS_HALF_H
#define NX_ENGINE_OPS_HALF_H
#include <stdint.h>
#include <string.h>

static inline float f32_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline uint32_t bits32(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static inline double f64_of(uint64_t u)
{
    double f;
    memcpy(&f, &u, 8);
    return f;
}
static inline uint64_t bits64(double f)
{
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}

/* f16 bits to f32; signalling NaNs become quiet. */
static inline float f32_of_f16(uint32_t h)
{
    uint32_t s = (h & 0x8000) << 16, m = (h & 0x7fff) << 13;
    uint32_t norm = m + (112u << 23);
    uint32_t den = bits32(f32_of(m + (113u << 23)) - f32_of(113u << 23)); /* exact: an integer times 2^-24 */
    uint32_t special = (m | 0x7f800000u) | ((m & 0x7fe000u) ? 0x400000u : 0);
    return f32_of(s | (m >= 0x0f800000u ? special : m < 0x00800000u ? den : norm));
}
/* f32 to f16 bits, to nearest even; overflow gives infinity. */
static inline uint32_t f16_of_f32(float f)
{
    uint32_t u = bits32(f), s = u >> 16 & 0x8000, m = u & 0x7fffffffu;
    /* normal: add half an ulp less one plus the odd bit, then shift */
    uint32_t norm = (m - (112u << 23) + 0xfff + (m >> 13 & 1)) >> 13;
    /* denormal: shift the significand right by 126 - e, rounding the same way */
    uint32_t e = m >> 23, sh = e < 102 ? 25 : e > 112 ? 14 : 126 - e;
    uint32_t sig = (m & 0x7fffffu) | 0x800000u;
    uint32_t den = (sig + (1u << (sh - 1)) - 1 + (sig >> sh & 1)) >> sh;
    den = e < 102 ? 0 : den;
    uint32_t nan = 0x7e00 | (m >> 13 & 0x3ff);
    return s | (m > 0x7f800000u ? nan : m >= 0x477ff000u ? 0x7c00 : m < 0x38800000u ? den : norm);
}
/* f32 to bf16 bits, to nearest even. */
static inline uint32_t bf16_of_f32(float f)
{
    uint32_t u = bits32(f);
    uint32_t r = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40 : r;
}
static inline float f32_of_bf16(uint32_t h)
{
    return f32_of(h << 16);
}
/* Rounds v to f16 by MODE's rounding (0 even, 1 up, 2 down, 3 to zero); ovfl: cut to the largest finite value
 * instead of infinity. */
static inline uint32_t f16_round(double v, unsigned rounding, int ovfl)
{
    uint64_t u = bits64(v), m = u & 0x7fffffffffffffffull;
    uint32_t s = (uint32_t)(u >> 48) & 0x8000;
    if (m > 0x7ff0000000000000ull)
        return s | 0x7e00 | ((uint32_t)(m >> 42) & 0x3ff);
    if (m == 0x7ff0000000000000ull)
        return s | (ovfl ? 0x7bff : 0x7c00);
    int e = (int)(m >> 52) - 1023;
    if (e < -26) /* below half the smallest denormal: any such value rounds alike */
        m = m ? (uint64_t)(1023 - 26) << 52 : 0, e = -26;
    if (!m)
        return s;
    unsigned sh = e < -14 ? (unsigned)(42 + (-14 - e)) : 42;
    uint64_t sig = (m & 0xfffffffffffffull) | 1ull << 52, rest = sig & ((1ull << sh) - 1),
             half = 1ull << (sh - 1);
    uint32_t q = (uint32_t)(sig >> sh);
    int up = rounding == 0   ? rest > half || (rest == half && (q & 1))
             : rounding == 1 ? rest && !s
             : rounding == 2 ? rest && s
                             : 0;
    q += (uint32_t)up;
    uint32_t r = e < -14 ? q : q + ((uint32_t)(e + 14) << 10);
    if (e > 15 || r >= 0x7c00) {
        int away = rounding == 0 || (rounding == 1 && !s) || (rounding == 2 && s);
        r = away && !ovfl ? 0x7c00 : 0x7bff;
    }
    return s | r;
}
#endif
