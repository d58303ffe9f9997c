/* The transcendental functions, one value each, by polynomials in double: the same bits on every CPU, within
 * 0.51 units in the last place of single precision. Plain arithmetic only, so that loops over them vectorise.
 */
#ifndef NX_ENGINE_OPS_TRANS_H
#define NX_ENGINE_OPS_TRANS_H
#include "engine/ops/valu.h"

/* A denormal becomes a zero of its sign. */
INLINE float flush32(float a)
{
    uint32_t u = bits32(a);
    return f32_of(u & 0x7f800000u ? u : u & 0x80000000u);
}
INLINE float quiet32(float a)
{
    return f32_of(bits32(a) | 0x400000u);
}
/* 2^k, k in -1022..1023 */
INLINE double pow2(int64_t k)
{
    return f64_of((uint64_t)(k + 1023) << 52);
}
/* 2^x for |x| < 1000: x = n + f, |f| <= 1/2, Taylor in f ln 2. Adding 1.5 * 2^52 leaves n in the low bits. */
INLINE double exp2_core(double x)
{
    double big = x + 0x1.8p52, n = big - 0x1.8p52;
    double t = (x - n) * 0.69314718055994530942, two_n = f64_of((bits64(big) + 1023) << 52);
    double p = 1 + t * (1.0 / 10);
    p = 1 + t * (1.0 / 9) * p;
    p = 1 + t * (1.0 / 8) * p;
    p = 1 + t * (1.0 / 7) * p;
    p = 1 + t * (1.0 / 6) * p;
    p = 1 + t * (1.0 / 5) * p;
    p = 1 + t * (1.0 / 4) * p;
    p = 1 + t * (1.0 / 3) * p;
    p = 1 + t * (1.0 / 2) * p;
    p = 1 + t * p;
    return p * two_n;
}
INLINE float exp2_32(float a)
{
    double x = a;
    x = x > 130 ? 130 : x > -130 ? x : -130; /* NaN: -130, replaced below */
    float r = flush32((float)exp2_core(x));
    return a != a ? quiet32(a) : r;
}
/* log2 of a positive normal double: m in [0.75, 1.5), series of atanh((m - 1) / (m + 1)) */
INLINE double log2_core(double x)
{
    uint64_t u = bits64(x), top = (u >> 51 & 1); /* m >= 1.5: halve it */
    int64_t e = (int64_t)(u >> 52) - 1023 + (int64_t)top;
    double m = f64_of((u & 0xfffffffffffffull) | (1023 - top) << 52);
    double s = (m - 1) / (m + 1), q = s * s;
    double p = 1.0 / 17;
    p = p * q + 1.0 / 15;
    p = p * q + 1.0 / 13;
    p = p * q + 1.0 / 11;
    p = p * q + 1.0 / 9;
    p = p * q + 1.0 / 7;
    p = p * q + 1.0 / 5;
    p = p * q + 1.0 / 3;
    p = p * q + 1;
    return (double)(int32_t)e + 2.88539008177792681472 * s * p; /* 2 / ln 2 */
}
INLINE float log2_32(float a)
{
    float x = flush32(a);
    float ok = x > 0 && x < HUGE_VALF ? x : 1;
    float r = (float)log2_core((double)ok);
    r = x == 0 ? -HUGE_VALF : x < 0 ? f32_of(0x7fc00000u) : x == HUGE_VALF ? x : r;
    return a != a ? quiet32(a) : r;
}
/* sin(2 pi f) for |f| <= 1/4 */
INLINE double sin_core(double f)
{
    double t = f * 6.28318530717958647693, q = t * t;
    double p = 1 - q * (1.0 / (18 * 19));
    p = 1 - q * (1.0 / (16 * 17)) * p;
    p = 1 - q * (1.0 / (14 * 15)) * p;
    p = 1 - q * (1.0 / (12 * 13)) * p;
    p = 1 - q * (1.0 / (10 * 11)) * p;
    p = 1 - q * (1.0 / (8 * 9)) * p;
    p = 1 - q * (1.0 / (6 * 7)) * p;
    p = 1 - q * (1.0 / (4 * 5)) * p;
    p = 1 - q * (1.0 / (2 * 3)) * p;
    return t * p;
}
/* a in turns; the whole range is reduced exactly */
INLINE float sin_turns(float a)
{
    double f = (double)a - floor((double)a + 0.5); /* [-1/2, 1/2]; infinity gives NaN */
    f = f > 0.25 ? 0.5 - f : f < -0.25 ? -0.5 - f : f;
    float r = (float)sin_core(f);
    return a != a ? quiet32(a) : r != r ? f32_of(0x7fc00000u) : a == 0 ? a : r;
}
INLINE float cos_turns(float a)
{
    double f = (double)a - floor((double)a + 0.5);
    float r = (float)sin_core(0.25 - fabs(f));
    return a != a ? quiet32(a) : r != r ? f32_of(0x7fc00000u) : r;
}
#endif
