/* The helper operations of correctly rounded division, by float width: v_div_scale, v_div_fmas, v_div_fixup.
 * Operand order: scale (x, denominator, numerator), x being one of the two; fixup (quotient, denominator,
 * numerator). Meaning: GCN3 ISA, V_DIV_SCALE_F32 and following; where quotient and reciprocal are both
 * denormal the denominator goes down, as the scaling back of v_div_fmas requires. Quotient and reciprocal are judged by exponents
 * alone (which also takes in the least normal), and a zero sets vcc, as the reference sequences have it (an emulator's own tests).
 */
#ifndef NX_ENGINE_OPS_DIV_H
#define NX_ENGINE_OPS_DIV_H
#include "engine/ops/valu.h"

/* n bits of U, float type F, m significand bits, k: scaling exponent, far/tiny/under: exponent limits. */
#define DIV(n, F, U, m, k, far, tiny, under, ldexp_)                                                           \
    INLINE int exponent##n(F v)                                                                                \
    {                                                                                                          \
        return (int)((U)(bits##n(v) << 1) >> (m + 1));                                                         \
    }                                                                                                          \
    static F div_scale_one##n(F x, F den, F num, int *vcc)                                                     \
    {                                                                                                          \
        int d = exponent##n(den), e = exponent##n(num), by = 0;                                                \
        int small_q = e - d <= 2 - (1 << (n - 2 - m)), small_r = d >= (1 << (n - 1 - m)) - 3;                  \
        *vcc = 1;                                                                                              \
        if (den == 0 || num == 0)                                                                              \
            return f##n##_of((U)(~(U)0 << (m - 1)) & (U) ~((U)1 << (n - 1)));                                  \
        if (e - d >= far)                                                                                      \
            by = x == den ? k : 0;                                                                             \
        else if (d != 0 && small_r && small_q)                                                                 \
            by = x == den ? -k : 0;                                                                            \
        else if (d != 0 && !small_r && small_q)                                                                \
            by = x == num ? k : 0;                                                                             \
        else                                                                                                   \
            *vcc = 0, by = d == 0 ? k : small_r ? -k : e <= tiny ? k : 0;                                      \
        return by ? ldexp_(x, by) : x;                                                                         \
    }                                                                                                          \
    static int f_div_scale##n(struct wave *w, const struct lane_insn *in)                                      \
    {                                                                                                          \
        struct vop o;                                                                                          \
        uint64_t out = 0;                                                                                      \
        if (vop_begin(w, in, &o, 3, 0))                                                                        \
            return WAVE_FAULT;                                                                                 \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                    \
            F r[CHUNK], ta[CHUNK], tb[CHUNK], tc[CHUNK];                                                       \
            const F *a = LD_F##n(ta, 0), *b = LD_F##n(tb, 1), *c = LD_F##n(tc, 2);                             \
            LANE_LOOP                                                                                          \
            {                                                                                                  \
                int vcc;                                                                                       \
                r[i] = div_scale_one##n(a[i], b[i], c[i], &vcc);                                               \
                out |= (uint64_t)vcc << (at + i);                                                              \
            }                                                                                                  \
            PUT_F##n(r);                                                                                       \
        }                                                                                                      \
        if (in->d2.kind == LK_SREG)                                                                            \
            wave_set_mask(w, in->d2.reg, out &o.exec);                                                         \
        return 0;                                                                                              \
    }                                                                                                          \
    INLINE F fma_##n(F a, F b, F c)                                                                            \
    {                                                                                                          \
        return n == 32 ? (F)fmaf((float)a, (float)b, (float)c) : (F)fma(a, b, c);                              \
    }                                                                                                          \
    /* (a b + c) / up rounded once. A second rounding, to a denormal, goes wrong only at a tie d: the sign   \
     * of the first one's exact error decides it. */ \
    INLINE F fma_down##n(F a, F b, F c, F up)                                                                  \
    {                                                                                                          \
        F p = a * b, e = fma_##n(a, b, -p), s = p + c, v = s - p, t = (p - (s - v)) + (c - v);                 \
        F r = fma_##n(a, b, c), err = ((s - r) + t) + e, q = r / up, d = r - q * up, least = f##n##_of(1);     \
        int tie = (d < 0 ? -d : d) == least * (up / 2);                                                        \
        return tie && err != 0 && (err < 0) == (d < 0) ? q + (d < 0 ? -least : least) : q;                     \
    }                                                                                                          \
    /* s[3]: the vcc of v_div_scale */                                                                         \
    static int f_div_fmas##n(struct wave *w, const struct lane_insn *in)                                       \
    {                                                                                                          \
        struct vop o;                                                                                          \
        if (vop_begin(w, in, &o, 3, 0))                                                                        \
            return WAVE_FAULT;                                                                                 \
        uint64_t scale = vop_mask(w, &in->s[3]);                                                               \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                    \
            F r[CHUNK], ta[CHUNK], tb[CHUNK], tc[CHUNK];                                                       \
            const F *a = LD_F##n(ta, 0), *b = LD_F##n(tb, 1), *c = LD_F##n(tc, 2);                             \
            LANE_LOOP                                                                                          \
            {                                                                                                  \
                F up = (F)(n == 32 ? 0x1p64 : 0x1p128);                                                        \
                int grow = exponent##n(c[i]) >> (n == 32 ? 7 : 10);                                            \
                r[i] = fma_##n(a[i], b[i], c[i]);                                                              \
                if (scale >> (at + i) & 1)                                                                     \
                    r[i] = grow ? r[i] * up : fma_down##n(a[i], b[i], c[i], up);                               \
            }                                                                                                  \
            if (ANY_NAN(r))                                                                                    \
                FIX_F##n(r, a, b, c);                                                                          \
            PUT_F##n(r);                                                                                       \
        }                                                                                                      \
        return 0;                                                                                              \
    }                                                                                                          \
    INLINE U div_fixup##n(U q, U d, U num)                                                                     \
    {                                                                                                          \
        const U top = (U)1 << (n - 1), inf = (U)(~(U)0 << m) & (U)~top;                                        \
        U sign = (d ^ num) & top, ad = d & (U)~top, an = num & (U)~top, aq = q & (U)~top;                      \
        U r = sign | (aq > inf ? inf : aq); /* the steps of an overflow end in NaN */                          \
        r = (int)(an >> m) - (int)(ad >> m) < -under ? sign : r;                                               \
        r = ad == inf || an == 0 ? sign : r;                                                                   \
        r = ad == 0 || an == inf ? sign | inf : r;                                                             \
        r = (ad == 0 && an == 0) || (ad == inf && an == inf) ? (U)(~(U)0 << (m - 1)) : r;                      \
        r = ad > inf ? d | (U)1 << (m - 1) : r;                                                                \
        return an > inf ? num | (U)1 << (m - 1) : r;                                                           \
    }
#endif
