/* Rounding to integers and splitting of single precision values, one value each. Shared by f32 and f16.
 */
#ifndef NX_ENGINE_OPS_FREXP_H
#define NX_ENGINE_OPS_FREXP_H
#include "engine/ops/trans.h"

/* To the nearest integer, ties to even, whatever the host's rounding mode. */
INLINE float even32(float a)
{
    float f = floorf(a), d = a - f, h = f * 0.5f;
    float r = d > 0.5f || (d == 0.5f && h != floorf(h)) ? f + 1 : f;
    return f32_of((bits32(r) & 0x7fffffffu) | (bits32(a) & 0x80000000u));
}
INLINE float fract32(float a)
{
    float r = a - floorf(a);
    return r >= 1 ? f32_of(0x3f7fffff) : r; /* less than 1 for tiny negative numbers, too */
}
/* Significand in [0.5, 1) and exponent of a = m 2^e; zeros, infinities and NaN: a and 0. */
INLINE uint32_t denorm_shift(uint32_t m)
{
    return (bits32((float)(int32_t)m) >> 23) - 127; /* number of the highest one of 1 .. 2^23 - 1 */
}
INLINE int32_t frexp_exp32(uint32_t a)
{
    uint32_t m = a & 0x7fffffffu, e = m >> 23;
    return m == 0 || e == 255 ? 0 : e ? (int32_t)e - 126 : (int32_t)denorm_shift(m) - 148;
}
INLINE uint32_t frexp_mant32(uint32_t a)
{
    uint32_t m = a & 0x7fffffffu, e = m >> 23, s = a & 0x80000000u;
    uint32_t f = e ? m : m << ((23 - denorm_shift(m)) & 31);
    return m == 0 || m == 0x7f800000u ? a : e == 255 ? a | 0x400000u : s | 0x3f000000u | (f & 0x7fffffu);
}
INLINE float ldexp32(float a, int32_t b)
{
    b = b < -400 ? -400 : b > 400 ? 400 : b;
    float r = (float)((double)a * pow2(b)); /* exact but for this one rounding */
    return a != a ? quiet32(a) : r;
}
#endif
