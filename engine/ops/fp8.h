/* The 8-bit float formats, one value each: fp8 (4 exponent, 3 significand bits) and bf8 (5, 2), as OCP
 * defines them (gfx12) or in the FNUZ form (gfx942: bias one more, no infinity, no -0; 0x80 is the NaN).
 */
#ifndef NX_ENGINE_OPS_FP8_H
#define NX_ENGINE_OPS_FP8_H
#include "engine/ops/half.h"
#include <math.h>

static inline float f32_of_f8(uint32_t v, int bf, int fnuz)
{
    int m = bf ? 2 : 3, bias = (bf ? 15 : 7) + fnuz;
    uint32_t s = v >> 7 & 1, e = (v & 127) >> m, f = v & ((1u << m) - 1), top = bf ? 31 : 15;
    float sign = s ? -1.0f : 1.0f;
    if (fnuz && v == 0x80)
        return f32_of(0x7fc00000);
    if (!fnuz && bf && e == top)
        return f ? f32_of(0x7fc00000 | s << 31) : sign * HUGE_VALF;
    if (!fnuz && !bf && (v & 127) == 127)
        return f32_of(0x7fc00000 | s << 31);
    float x = e ? (float)(f | 1u << m) : (float)f; /* an integer of m + 1 bits, then its weight */
    int k = (int)(e ? e : 1) - bias - m;
    return sign * x * f32_of((uint32_t)(k + 127) << 23);
}
/* To nearest even (or with the random bits r at the places that are dropped, stochastic: r != NULL).
 * Overflow: largest finite value when sat, else infinity, or NaN in formats without one. */
static inline uint32_t f8_of_f32(float v, int bf, int fnuz, int sat, const uint32_t *random)
{
    uint32_t u = bits32(v), s = u >> 31, a = u & 0x7fffffffu;
    int m = bf ? 2 : 3, bias = (bf ? 15 : 7) + fnuz;
    uint32_t nan = fnuz ? 0x80 : s << 7 | 0x7f, most = fnuz ? 0x7f : bf ? 0x7b : 0x7e;
    uint32_t over = sat ? s << 7 | most : fnuz ? 0x80 : bf ? s << 7 | 0x7c : nan;
    if (a > 0x7f800000u)
        return nan;
    if (a == 0x7f800000u)
        return over;
    int e = (int)(a >> 23) - 127, drop = 23 - m;
    uint32_t sig = a >> 23 ? (a & 0x7fffffu) | 0x800000u : 0;
    if (e < 1 - bias)
        drop += 1 - bias - e, e = 1 - bias;
    uint64_t x = sig, add = random ? *random >> (32 - (drop > 31 ? 31 : drop)) : 0;
    if (drop > 40)
        x = 0, drop = 40;
    if (!random)
        add = ((1ull << (drop - 1)) - 1) + (x >> drop & 1);
    uint64_t q = (x + add) >> drop;
    if (!q)
        return fnuz ? 0 : s << 7;
    uint32_t r = (uint32_t)q + (uint32_t)((e + bias - 1) << m);
    return r > most ? over : s << 7 | r;
}
#endif
