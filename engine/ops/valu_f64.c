#include "engine/ops/div.h"
#include "engine/ops/minmax.h"

/* To the nearest integer, ties to even, whatever the host's rounding mode. */
INLINE double even64(double a)
{
    double f = floor(a), d = a - f, h = f * 0.5;
    double r = d > 0.5 || (d == 0.5 && h != floor(h)) ? f + 1 : f;
    return f64_of((bits64(r) & ~(1ull << 63)) | (bits64(a) & 1ull << 63));
}
INLINE double fract64(double a)
{
    double r = a - floor(a);
    return r >= 1 ? f64_of(0x3fefffffffffffffull) : r;
}
/* Significand in [0.5, 1) and exponent of a = m 2^e; zeros, infinities and NaN: a and 0. */
INLINE int split(double a)
{
    return a != 0 && a - a == 0;
}
INLINE double frexp_mant64(double a)
{
    int e;
    return split(a) ? frexp(a, &e) : a;
}
INLINE int32_t frexp_exp64(double a)
{
    int e = 0;
    if (split(a))
        frexp(a, &e);
    return e;
}

/* Binary digits of 2/pi after the point. */
static const uint64_t two_over_pi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
};
/* 53 digits of 2/pi from 53 b on, further by the exponent of a large a, as a double of their weight (scaled
 * by 2^128 for huge a). RDNA3 ISA, V_TRIG_PREOP_F64. */
static double trig_preop(uint64_t a, uint32_t b)
{
    unsigned e = (unsigned)(a >> 52) & 2047, at = (b & 31) * 53 + (e > 1077 ? e - 1077 : 0);
    int scale = -53 - (int)at + (e >= 1968 ? 128 : 0);
    if (at + 53 > 1201)
        return 0;
    unsigned k = at / 64, s = at % 64;
    uint64_t x = two_over_pi[k] << s | (s ? two_over_pi[k + 1] >> (64 - s) : 0);
    return ldexp((double)(x >> 11), scale);
}

DIV(64, double, uint64_t, 52, 128, 768, 53, 1075, ldexp)

#define ROWS  "engine/ops/f64.def"
#define TABLE OPS_TABLE(valu_f64)
#include "engine/ops/rows.h"
