#include "engine/ops/fma16.h"
#include "engine/ops/fp8.h"
#include "engine/ops/minmax.h"

/* vop_begin for packed operands: plain means every op_sel as usual (low halves to the low result, high to the
 * high). */
INLINE int pk_begin(struct wave *w, const struct lane_insn *in, struct vop *o, unsigned n, unsigned np,
                    unsigned caps)
{
    unsigned odd = in->flags & (LF_CLAMP | LF_OMOD | LF_DPP16 | LF_DPP8);
    for (unsigned k = 0; k < n; k++)
        odd |= k < np ? in->s[k].mods ^ LM_HI_HI : in->s[k].mods | in->s[k].sel;
    if (odd)
        return VSYM(vop_prep)(w, in, o, n, caps);
    o->exec = wave_exec(w);
    for (unsigned k = 0; k < n; k++)
        if (vop_src(w, in, o, k))
            return WAVE_FAULT;
    return 0;
}
INLINE void pk_put(struct wave *w, const struct lane_insn *in, const struct vop *o, unsigned at, void *r)
{
    if (in->flags & LF_CLAMP)
        VSYM(vop_put_mods)(w, in, o, at, r, NULL);
    else
        vop_write(w->v + (size_t)in->d.reg * w->width + at, r, (uint32_t)(o->exec >> at));
}

/* A chunk of packed dwords is an array of 2 * CHUNK halves. */
#define HALVES    (2 * CHUNK)
#define SRC16(k)  ((const uint16_t *)(const void *)(o.lo[k] + at))
#define EACH_HALF for (unsigned i = 0; i < HALVES; i++)
#define PK_FN(name, n, caps, ...)                                                                            \
    static int f_##name(struct wave *w, const struct lane_insn *in)                                          \
    {                                                                                                        \
        struct vop o;                                                                                        \
        if (pk_begin(w, in, &o, n, n, caps))                                                                 \
            return WAVE_FAULT;                                                                               \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                  \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
        return 0;                                                                                            \
    }
#define PK_KERNEL(k, T, e)                                                                                   \
    INLINE void k(uint16_t *restrict r_, const uint16_t *restrict a_, const uint16_t *restrict b_,           \
                  const uint16_t *restrict c_, uint32_t mode)                                                \
    {                                                                                                        \
        (void)mode;                                                                                          \
        EACH_HALF                                                                                            \
        {                                                                                                    \
            const C_##T a = (C_##T)a_[i], b = (C_##T)b_[i], c = (C_##T)c_[i];                                \
            (void)c;                                                                                         \
            r_[i] = (uint16_t)(e);                                                                           \
        }                                                                                                    \
    }
#define PK_INT(name, n, T, e, wide)                                                                          \
    PK_KERNEL(k_##name, T, e)                                                                                \
    PK_KERNEL(s_##name, T, sat64(wide, MIN_##T, MAX_##T))                                                    \
    PK_FN(name, n, CAP_CLAMP, uint16_t r[HALVES]; const uint16_t *a = SRC16(0), *b = SRC16(1);               \
          const uint16_t *c = n == 3 ? SRC16(n - 1) : a;                                                     \
          if (LIKELY(!(in->flags & LF_CLAMP))) k_##name(r, a, b, c, w->mode);                                \
          else s_##name(r, a, b, c, w->mode); pk_put(w, in, &o, at, r);)
#define FN_PI2(name, T, e, wide) PK_INT(name, 2, T, e, wide)
#define FN_PI3(name, T, e, wide) PK_INT(name, 3, T, e, wide)
#define FN_PB2(name, e)                                                                                      \
    PK_KERNEL(k_##name, F16B, e)                                                                             \
    PK_FN(name, 2, 0, uint16_t r[HALVES]; k_##name(r, SRC16(0), SRC16(1), SRC16(0), w->mode);                \
          pk_put(w, in, &o, at, r);)

/* The even and odd halves apart, as chunks of floats. */
static void load_halves(float *r, const uint32_t *p, uint32_t mode)
{
    uint32_t hi[CHUNK];
    for (unsigned i = 0; i < CHUNK; i++)
        hi[i] = p[i] >> 16;
    VSYM(vop_load_f16)(r, p, mode);
    VSYM(vop_load_f16)(r + CHUNK, hi, mode);
}
static void store_halves(uint32_t *r, const float *v, uint32_t mode)
{
    uint32_t hi[CHUNK];
    VSYM(vop_store_f16)(r, v, mode);
    VSYM(vop_store_f16)(hi, v + CHUNK, mode);
    for (unsigned i = 0; i < CHUNK; i++)
        r[i] |= hi[i] << 16;
}
#define PK_HALF(name, n, e)                                                                                  \
    INLINE void k_##name(float *restrict r_, const float *restrict a_, const float *restrict b_,             \
                         const float *restrict c_)                                                           \
    {                                                                                                        \
        EACH_HALF                                                                                            \
        {                                                                                                    \
            const float a = a_[i], b = b_[i], c = c_[i];                                                     \
            (void)c;                                                                                         \
            r_[i] = (e);                                                                                     \
        }                                                                                                    \
    }                                                                                                        \
    PK_FN(name, n, 0, float r[HALVES]; float t[n][HALVES]; uint32_t p[CHUNK];                                \
          for (unsigned k = 0; k < n; k++) load_halves(t[k], o.lo[k] + at, w->mode);                         \
          k_##name(r, t[0], t[1], t[n - 1]); for (unsigned h = 0; h < HALVES; h += CHUNK)                    \
              VSYM(vop_nan32)(r + h, t[0] + h, t[1] + h, n == 3 ? t[n - 1] + h : NULL);                      \
          store_halves(p, r, w->mode); pk_put(w, in, &o, at, p);)
#define FN_PH2(name, e) PK_HALF(name, 2, e)
#define FN_PH3(name, e) PK_HALF(name, 3, e)

/* Two singles in two registers: op_sel picks the register of a source each result reads. */
static int f_pk_f32(struct wave *w, const struct lane_insn *in)
{
    struct vop o;
    unsigned n = in->op == OP_v_pk_fma_f32 ? 3 : 2;
    if (in->flags & (LF_CLAMP | LF_OMOD | LF_DPP16 | LF_DPP8))
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, wave_pc_of(w, in), wave_exec(w),
                          "%s is not defined with these modifiers", lane_ops[in->op].name);
    o.exec = wave_exec(w);
    for (unsigned k = 0; k < n; k++)
        if (vop_src(w, in, &o, k))
            return WAVE_FAULT;
    float r[2][LANES];
    for (unsigned h = 0; h < 2; h++)
        for (unsigned i = 0; i < w->width; i++) {
            float x[3] = {0};
            for (unsigned k = 0; k < n; k++) {
                unsigned m = in->s[k].mods, high = m & (h ? LM_HI_HI : LM_LO_HI);
                if (in->op == OP_v_pk_mov_b32) /* low result from s[0], high from s[1], each by its op_sel */
                    high = in->s[k].mods & LM_LO_HI;
                x[k] = f32_of((high ? o.hi[k][i] : o.lo[k][i]) ^
                              (m & (h ? LM_NEG_HI : LM_NEG) ? 0x80000000u : 0));
            }
            if (in->op == OP_v_pk_mov_b32)
                r[h][i] = x[h];
            else
                r[h][i] = nan_rule(in->op == OP_v_pk_add_f32   ? x[0] + x[1]
                                   : in->op == OP_v_pk_mul_f32 ? x[0] * x[1]
                                                               : fmaf(x[0], x[1], x[2]),
                                   x[0], x[1], x[2]);
        }
    for (unsigned h = 0; h < 2; h++)
        for (unsigned at = 0; at < w->width; at += CHUNK)
            vop_write(w->v + (size_t)(in->d.reg + h) * w->width + at, (uint32_t *)(void *)(r[h] + at),
                      (uint32_t)(o.exec >> at));
    return 0;
}

/* A dot product: body computes r[i] from lane l of the sources. */
#define DOT(name, T, bits, np, caps, ...)                                                                    \
    static int f_##name(struct wave *w, const struct lane_insn *in)                                          \
    {                                                                                                        \
        struct vop o;                                                                                        \
        if (pk_begin(w, in, &o, 3, np, caps))                                                                \
            return WAVE_FAULT;                                                                               \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                  \
            T r[CHUNK];                                                                                      \
            LANE_LOOP                                                                                        \
            {                                                                                                \
                uint32_t a = o.lo[0][at + i], b = o.lo[1][at + i], c = o.lo[2][at + i];                      \
                __VA_ARGS__                                                                                  \
            }                                                                                                \
            vop_put(w, in, &o, at, bits, (uint32_t *)(void *)r, NULL);                                       \
        }                                                                                                    \
        return 0;                                                                                            \
    }
INLINE float half_or_bf(uint32_t h, int bf)
{
    return bf ? f32_of_bf16(h & 0xffff) : f32_of_f16(h & 0xffff);
}
INLINE float dot2(uint32_t a, uint32_t b, float c, int bf)
{
    c = fma32(half_or_bf(a, bf), half_or_bf(b, bf), c);
    return fma32(half_or_bf(a >> 16, bf), half_or_bf(b >> 16, bf), c);
}
DOT(dot2_f32, float, 32, 2, 0, r[i] = dot2(a, b, f32_of(c), in->op == OP_v_dot2_f32_bf16);)
DOT(dot2_f16, uint32_t, 16, 2, 0, r[i] = f16_of_f32(dot2(a, b, f32_of_f16(c & 0xffff), 0));)
DOT(dot2_bf16, uint32_t, 16, 2, 0, r[i] = bf16_of_f32(dot2(a, b, f32_of_bf16(c & 0xffff), 1));)

/* Sum of the products of n-bit parts; sa, sb: the parts' sign bits, or 0 for unsigned ones. Exact in 64 bits; the
 * sum of 8-bit and smaller parts in 32. */
#define PART(v, k, n, s) ((((v) >> (k) & ((1u << n) - 1)) ^ (s)) - (s))
#define DOT_SUM(T, n, sa, sb)                                                                                \
    T s = 0;                                                                                                 \
    for (unsigned k = 0; k < 32; k += n)                                                                     \
        s += (T)(int32_t)PART(a, k, n, sa) * (T)(int32_t)PART(b, k, n, sb);
#define DOT_INT(name, n, sa, sb, caps, S, least, most)                                                       \
    INLINE void k_##name(uint32_t *restrict r, const uint32_t *restrict a_, const uint32_t *restrict b_,     \
                         const uint32_t *restrict c_, uint32_t x, uint32_t y)                                \
    {                                                                                                        \
        (void)x, (void)y;                                                                                    \
        LANE_LOOP                                                                                            \
        {                                                                                                    \
            uint32_t a = a_[i], b = b_[i];                                                                   \
            DOT_SUM(uint32_t, n, sa, sb)                                                                     \
            r[i] = c_[i] + s;                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static int f_##name(struct wave *w, const struct lane_insn *in)                                          \
    {                                                                                                        \
        struct vop o;                                                                                        \
        uint32_t x = SIGNED(0) ? 1u << (n - 1) : 0, y = SIGNED(1) ? 1u << (n - 1) : 0;                       \
        if (pk_begin(w, in, &o, 3, 2, caps))                                                                 \
            return WAVE_FAULT;                                                                               \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                  \
            uint32_t r[CHUNK];                                                                               \
            const uint32_t *a_ = o.lo[0] + at, *b_ = o.lo[1] + at, *c_ = o.lo[2] + at;                       \
            if (in->flags & LF_CLAMP)                                                                        \
                LANE_LOOP                                                                                    \
                {                                                                                            \
                    uint32_t a = a_[i], b = b_[i];                                                           \
                    DOT_SUM(int64_t, n, sa, sb)                                                              \
                    r[i] = (uint32_t)sat64(s + (S)c_[i], least, most);                                       \
                }                                                                                            \
            else                                                                                             \
                k_##name(r, a_, b_, c_, x, y);                                                               \
            (void)x, (void)y;                                                                                \
            vop_put(w, in, &o, at, 32, r, NULL);                                                             \
        }                                                                                                    \
        return 0;                                                                                            \
    }
#define SIGNED(k) (in->s[k].mods & LM_NEG)
DOT_INT(dot4_iu8, 8, x, y, CAP_CLAMP | CAP_OWN, int32_t, MIN_I32, MAX_I32)
DOT_INT(dot8_iu4, 4, x, y, CAP_CLAMP | CAP_OWN, int32_t, MIN_I32, MAX_I32)
DOT_INT(dot4_u8, 8, 0u, 0u, CAP_CLAMP | CAP_OWN, uint32_t, MIN_U32, MAX_U32)
DOT_INT(dot8_u4, 4, 0u, 0u, CAP_CLAMP | CAP_OWN, uint32_t, MIN_U32, MAX_U32)
DOT_INT(dot4_i8, 8, 0x80u, 0x80u, CAP_CLAMP | CAP_OWN, int32_t, MIN_I32, MAX_I32)
DOT_INT(dot8_i4, 4, 0x8u, 0x8u, CAP_CLAMP | CAP_OWN, int32_t, MIN_I32, MAX_I32)
DOT_INT(dot2_i16, 16, 0x8000u, 0x8000u, CAP_CLAMP, int32_t, MIN_I32, MAX_I32)
DOT_INT(dot2_u16, 16, 0u, 0u, CAP_CLAMP, uint32_t, MIN_U32, MAX_U32)
DOT(dot4_f8, float, 32, 2, CAP_OWN, float s = f32_of(c ^ (in->s[2].mods & LM_NEG ? 0x80000000u : 0));
    int ba = in->op == OP_v_dot4_f32_bf8_fp8 || in->op == OP_v_dot4_f32_bf8_bf8;
    int bb = in->op == OP_v_dot4_f32_fp8_bf8 || in->op == OP_v_dot4_f32_bf8_bf8;
    for (unsigned k = 0; k < 32; k += 8)
        s = fma32(f32_of_f8(a >> k & 255, ba, 0), f32_of_f8(b >> k & 255, bb, 0), s);
    r[i] = s;)

/* A source of the mixed precision operations as singles. */
static void mix_src(float *r, const uint32_t *p, unsigned mods, uint32_t mode)
{
    uint32_t h[CHUNK], keep = mods & (LM_ABS | LM_NEG_HI) ? 0x7fffffffu : ~0u,
                       flip = mods & LM_NEG ? 0x80000000u : 0;
    if (mods & LM_HI_HI) {
        LANE_LOOP h[i] = mods & LM_LO_HI ? p[i] >> 16 : p[i];
        VSYM(vop_load_f16)(r, h, mode);
    } else {
        LANE_LOOP r[i] = f32_of(p[i]);
    }
    LANE_LOOP r[i] = f32_of((bits32(r[i]) & keep) ^ flip);
}
static int mix(struct wave *w, const struct lane_insn *in, unsigned half)
{
    struct vop o;
    if (VSYM(vop_prep)(w, in, &o, 3, CAP_OWN))
        return WAVE_FAULT;
    for (unsigned at = 0; at < w->width; at += CHUNK) {
        float r[CHUNK];
        uint32_t h[CHUNK], *d = w->v + (size_t)in->d.reg * w->width + at;
        float t[3][CHUNK];
        for (unsigned k = 0; k < 3; k++)
            mix_src(t[k], o.lo[k] + at, in->s[k].mods, w->mode);
        LANE_LOOP r[i] = fmaf(t[0][i], t[1][i], t[2][i]);
        VSYM(vop_nan32)(r, t[0], t[1], t[2]);
        if (!half) {
            PUT_F32(r);
            continue;
        }
        if (in->flags & LF_CLAMP)
            LANE_LOOP r[i] = r[i] != r[i] ? (w->mode & MODE_DX10 ? 0 : r[i])
                             : r[i] > 1   ? 1
                             : r[i] > 0   ? r[i]
                                          : 0;
        VSYM(vop_store_f16)(h, r, w->mode);
        LANE_LOOP h[i] = half == 1 ? (d[i] & 0xffff0000u) | h[i] : (d[i] & 0xffff) | h[i] << 16;
        vop_write(d, h, (uint32_t)(o.exec >> at));
    }
    return 0;
}
static int f_fma_mix(struct wave *w, const struct lane_insn *in)
{
    return mix(w, in, 0);
}
static int f_fma_mixlo(struct wave *w, const struct lane_insn *in)
{
    return mix(w, in, 1);
}
static int f_fma_mixhi(struct wave *w, const struct lane_insn *in)
{
    return mix(w, in, 2);
}

#define PI2 FN_PI2
#define PI3 FN_PI3
#define PH2 FN_PH2
#define PH3 FN_PH3
#define PB2 FN_PB2
#define VX(name, cls, d, d2, s0, s1, s2, s3, exact, fn)
#include "engine/ops/pk.def"
#undef PI2
#undef PI3
#undef PH2
#undef PH3
#undef PB2
#undef VX
#define PI2(name, T, e, wide)                           {OP_##name, f_##name, f_##name},
#define PI3(name, T, e, wide)                           {OP_##name, f_##name, f_##name},
#define PH2(name, e)                                    {OP_##name, f_##name, f_##name},
#define PH3(name, e)                                    {OP_##name, f_##name, f_##name},
#define PB2(name, e)                                    {OP_##name, f_##name, f_##name},
#define VX(name, cls, d, d2, s0, s1, s2, s3, exact, fn) {OP_##name, f_##fn, f_##fn},
const struct lane_op_row OPS_TABLE(valu_pk)[] = {
#include "engine/ops/pk.def"
    {0, NULL, NULL}};
