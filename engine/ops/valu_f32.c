#include "engine/ops/minmax.h"
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
INLINE float mullit(float a, float b, float c)
{
    int bad = b != b || b <= -3.402823466e38f || c != c || c <= 0;
    return bad ? -3.402823466e38f : a == 0 || b == 0 ? 0 : a * b;
}
/* Cube map face, coordinates and twice the major axis: part 0 id, 1 sc, 2 tc, 3 ma. */
INLINE float cube(float x, float y, float z, int part)
{
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    if (az >= ax && az >= ay)
        return part == 0 ? (z < 0 ? 5 : 4) : part == 1 ? (z < 0 ? -x : x) : part == 2 ? -y : 2 * z;
    if (ay >= ax)
        return part == 0 ? (y < 0 ? 3 : 2) : part == 1 ? x : part == 2 ? (y < 0 ? -z : z) : 2 * y;
    return part == 0 ? (x < 0 ? 1 : 0) : part == 1 ? (x < 0 ? z : -z) : part == 2 ? -y : 2 * x;
}

/* The special cases of a division b/c... in the order s0 = quotient, s1 = denominator, s2 = numerator. */
INLINE uint32_t div_fixup32(uint32_t q, uint32_t d, uint32_t n)
{
    const uint32_t inf = 0x7f800000u;
    uint32_t sign = (d ^ n) & 0x80000000u, ad = d & ~0x80000000u, an = n & ~0x80000000u;
    uint32_t r = sign | (q & ~0x80000000u);
    r = (int32_t)(an >> 23) - (int32_t)(ad >> 23) < -150 ? sign : r;
    r = ad == inf || an == 0 ? sign : r;
    r = ad == 0 || an == inf ? sign | inf : r;
    r = (ad == 0 && an == 0) || (ad == inf && an == inf) ? 0xffc00000u : r;
    r = nan32(d) ? d | 0x400000u : r;
    return nan32(n) ? n | 0x400000u : r;
}

/* v_div_scale: scales s0 (which is the denominator s1 or the numerator s2) so that the division steps neither
 * overflow nor lose bits; *vcc: v_div_fmas must scale the result back. GCN3 ISA, V_DIV_SCALE_F32; where
 * quotient and reciprocal are both denormal the denominator goes down, as the scaling back by 2^-64 requires.
 */
static float div_scale(float s0, float den, float num, int *vcc)
{
    uint32_t d = bits32(den) & 0x7fffffffu, n = bits32(num) & 0x7fffffffu;
    int ed = (int)(d >> 23), en = (int)(n >> 23);
    double q = fabs((double)num / (double)den), rcp = fabs(1.0 / (double)den);
    int small_q = q < 0x1p-126 && q > 0x1p-150, small_r = rcp < 0x1p-126 && rcp > 0x1p-150;
    *vcc = 0;
    if (d == 0 || n == 0)
        return f32_of(0xffc00000u);
    if (en - ed >= 96) {
        *vcc = 1;
        return s0 == den ? ldexp32(s0, 64) : s0;
    }
    if (ed == 0)
        return ldexp32(s0, 64);
    if (small_r && small_q) {
        *vcc = 1;
        return s0 == den ? ldexp32(s0, -64) : s0;
    }
    if (small_r)
        return ldexp32(s0, -64);
    if (small_q) {
        *vcc = 1;
        return s0 == num ? ldexp32(s0, 64) : s0;
    }
    return en <= 23 ? ldexp32(s0, 64) : s0;
}
static int f_div_scale32(struct wave *w, const struct lane_insn *in)
{
    struct vop o;
    uint64_t out = 0;
    if (vop_begin(w, in, &o, 3, 0))
        return WAVE_FAULT;
    for (unsigned at = 0; at < w->width; at += CHUNK) {
        float r[CHUNK];
        for (unsigned i = 0; i < CHUNK; i++) {
            int vcc;
            r[i] = div_scale(f32_of(o.lo[0][at + i]), f32_of(o.lo[1][at + i]), f32_of(o.lo[2][at + i]), &vcc);
            out |= (uint64_t)vcc << (at + i);
        }
        PUT_F32(r);
    }
    if (in->d2.kind == LK_SREG)
        wave_set_mask(w, in->d2.reg, out & o.exec);
    return 0;
}
/* s[3]: the vcc of v_div_scale */
static int f_div_fmas32(struct wave *w, const struct lane_insn *in)
{
    struct vop o;
    if (vop_begin(w, in, &o, 3, 0))
        return WAVE_FAULT;
    uint64_t scale = vop_mask(w, &in->s[3]);
    for (unsigned at = 0; at < w->width; at += CHUNK) {
        float r[CHUNK];
        const float *a = LD_F32(r, 0), *b = LD_F32(r, 1), *c = LD_F32(r, 2);
        uint32_t m = (uint32_t)(scale >> at);
        LANE_LOOP
        {
            float x = fmaf(a[i], b[i], c[i]), k = (bits32(c[i]) >> 23 & 255) > 127 ? 0x1p64f : 0x1p-64f;
            r[i] = m >> i & 1 ? x * k : x;
        }
        if (ANY_NAN(r))
            VSYM(vop_nan32)(r, a, b, c);
        PUT_F32(r);
    }
    return 0;
}

#define ROWS  "engine/ops/f32.def"
#define TABLE OPS_TABLE(valu_f32)
#include "engine/ops/rows.h"
