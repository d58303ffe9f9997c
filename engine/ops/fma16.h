/* a * b + c of halves in single precision, rounded so that the later rounding to a half is the only one.
 */
#ifndef NX_ENGINE_OPS_FMA16_H
#define NX_ENGINE_OPS_FMA16_H
#include "engine/ops/valu.h"

/* The product of two halves is exact in single precision. The sum is rounded to odd: the error of the rounded
 * sum is known exactly (Knuth's two-sum), and an inexact sum gets its last bit set, towards the exact value,
 * so that no tie is invented. Round-to-nearest host mode. */
INLINE float fma_odd(float a, float b, float c)
{
    float p = a * b, s = p + c, t = s - p, err = (p - (s - t)) + (c - t);
    uint32_t u = bits32(s);
    uint32_t below = (err < 0) != (s < 0) ? 1 : 0; /* the exact sum is nearer to zero than s */
    uint32_t odd = (u - below) | 1;
    return f32_of(((err < 0) | (err > 0)) ? odd : u);
}
#endif
