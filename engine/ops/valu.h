/* The frame of the vector ALU operations: rows of a .def file (one line an operation: name, types, the value
 * of one lane as a C expression) become whole-wave functions. A function runs chunks of CHUNK lanes, so that
 * one body serves both wave widths and the loops vectorise. Plain operands are read in place; modifiers (neg,
 * abs, op_sel, SDWA, DPP, clamp, omod) are handled out of line by vop_prep and vop_put_mods (valu.c), for
 * every operation alike. Compiled once per CPU variant; private to engine/ops/.
 *
 * Row forms: V1 V2 V3 (1-3 sources), F1 F2 F3 (all one float type: NaN results follow the operands' order,
 * not the host's), M2 M3 (minimum and maximum: a plain form for chunks
 * without NaN), S2 S3 (integers whose clamp saturates: `wide` is the exact result in int64_t), VX (own
 * function). In an expression: a, b, c are the sources, mode is MODE. Types: see T_* in engine/ops_valu.def.
 */
#ifndef NX_ENGINE_OPS_VALU_H
#define NX_ENGINE_OPS_VALU_H
#include "engine/ops.h"
#include "engine/wave.h"
#include "engine/ops/copy.h"
#include "engine/ops/half.h"
#include <math.h>
#include <string.h>

#define CHUNK        32
#define LIKELY(x)    __builtin_expect(!!(x), 1)
#define INLINE       static inline __attribute__((always_inline))
#define VSYM_(n, v)  n##_##v
#define VSYM_X(n, v) VSYM_(n, v)
#define VSYM(n)      VSYM_X(n, VARIANT)
#define MODE_IEEE    (1u << 9)
#define MODE_DX10    (1u << 8)

/* One instruction's operands: source k's dwords of lane 0 at lo[k] (and hi[k], 64-bit types). */
struct vop {
    const uint32_t *lo[4], *hi[4];
    uint64_t exec;             /* lanes that are written */
    uint32_t tmp[4][2][LANES]; /* spread scalars and prepared sources */
};
enum {                /* what an operation can honour beyond its types: `caps` of vop_begin */
       CAP_CLAMP = 1, /* integer clamp, or clamp without effect */
       CAP_OWN = 2,   /* reads the operands' modifiers itself (after DPP) */
};

/* Spreads source k over the lanes (scalar registers, SCC). Faults when it is absent. */
int VSYM(vop_spread)(struct wave *w, const struct lane_insn *in, struct vop *o, unsigned k);
/* All sources with modifiers, n of them, and the lanes DPP leaves on. WAVE_FAULT for what the operation
 * cannot honour. */
int VSYM(vop_prep)(struct wave *w, const struct lane_insn *in, struct vop *o, unsigned n, unsigned caps);
/* Writes a chunk (lanes at..at+31 as dwords lo, hi) with clamp, omod and partial destinations. hi: NULL, or
 * the high dwords of a 64-bit result. */
void VSYM(vop_put_mods)(struct wave *w, const struct lane_insn *in, const struct vop *o, unsigned at,
                        uint32_t *lo, uint32_t *hi);
/* d[i] = r[i] for the lanes in m. */
void VSYM(vop_blend)(uint32_t *d, const uint32_t *r, uint32_t m);
/* Low halves only, for the lanes in m. */
void VSYM(vop_blend16)(uint32_t *d, const uint32_t *r, uint32_t m);
/* Replaces NaN results by the first NaN operand, quieted, or by the default NaN. b, c may be NULL. */
void VSYM(vop_nan32)(float *r, const float *a, const float *b, const float *c);
void VSYM(vop_nan64)(double *r, const double *a, const double *b, const double *c);
/* Denormals become zeros of their sign; r may be p. */
void VSYM(vop_flush32)(float *r, const float *p);
void VSYM(vop_flush64)(double *r, const double *p);
/* Halves at p (low 16 bits of each lane) to floats and back, by MODE (denormals, rounding, overflow). */
void VSYM(vop_load_f16)(float *r, const uint32_t *p, uint32_t mode);
void VSYM(vop_store_f16)(uint32_t *r, const float *v, uint32_t mode);
void VSYM(vop_store_bf16)(uint32_t *r, const float *v, uint32_t mode);

INLINE int vop_src(struct wave *w, const struct lane_insn *in, struct vop *o, unsigned k)
{
    const struct lane_opnd *s = &in->s[k];
    if (LIKELY(s->kind == LK_VREG)) {
        o->lo[k] = w->v + (size_t)s->reg * w->width;
        o->hi[k] = o->lo[k] + w->width;
    } else if (s->kind == LK_CONST) {
        o->lo[k] = w->pool + (size_t)s->reg * LANES;
        o->hi[k] = o->lo[k] + LANES;
    } else {
        return VSYM(vop_spread)(w, in, o, k);
    }
    return 0;
}
INLINE int vop_begin(struct wave *w, const struct lane_insn *in, struct vop *o, unsigned n, unsigned caps)
{
    if (LIKELY(in->flags & LF_SIMPLE)) {
        o->exec = wave_exec(w);
        for (unsigned k = 0; k < n; k++)
            if (vop_src(w, in, o, k))
                return WAVE_FAULT;
        return 0;
    }
    return VSYM(vop_prep)(w, in, o, n, caps);
}
/* A mask operand's bits (vcc, a scalar pair or register, or a constant). */
INLINE uint64_t vop_mask(const struct wave *w, const struct lane_opnd *s)
{
    if (s->kind == LK_CONST) {
        const uint32_t *p = w->pool + (size_t)s->reg * LANES;
        return *p | (s->dwords > 1 ? (uint64_t)p[LANES] << 32 : (uint64_t)((int64_t)(int32_t)*p >> 32) << 32);
    }
    return wave_mask(w, s->reg);
}
INLINE void vop_copy(uint32_t *restrict d, const uint32_t *restrict r)
{
    lanes_copy(d, r, CHUNK);
}
INLINE void vop_write(uint32_t *d, const uint32_t *r, uint32_t m)
{
    if (LIKELY(m == ~0u))
        vop_copy(d, r);
    else
        VSYM(vop_blend)(d, r, m);
}
INLINE void vop_put(struct wave *w, const struct lane_insn *in, const struct vop *o, unsigned at,
                    unsigned bits, uint32_t *lo, uint32_t *hi)
{
    uint32_t *d = w->v + (size_t)in->d.reg * w->width + at, m = (uint32_t)(o->exec >> at);
    if (LIKELY(in->flags & LF_SIMPLE)) {
        if (bits == 16 && (in->flags & LF_DST_PRESERVE)) {
            VSYM(vop_blend16)(d, lo, m);
        } else {
            vop_write(d, lo, m);
            if (bits == 64)
                vop_write(d + w->width, hi, m);
        }
    } else {
        VSYM(vop_put_mods)(w, in, o, at, lo, bits == 64 ? hi : NULL);
    }
}

/* Type traits. E_: element of a source or result array; C_: type of a source in
 * expressions; D_: type a result is cast to; LD_: the array of source k's
 * chunk (t: room); PUT_: writes a result chunk. Names ending in B are the bits of a float type, in M
 * with MODE's denormal flush. */
#define LD_DW(T, t, k) ((void)(t), (const T *)(const void *)(o.lo[k] + at))
INLINE const void *vop_join(uint64_t *t, const uint32_t *lo, const uint32_t *hi)
{
    for (unsigned i = 0; i < CHUNK; i++)
        t[i] = lo[i] | (uint64_t)hi[i] << 32;
    return t;
}
INLINE const float *vop_half(float *t, const uint32_t *p, uint32_t mode)
{
    VSYM(vop_load_f16)(t, p, mode);
    return t;
}
INLINE const float *vop_bf(float *t, const uint32_t *p)
{
    for (unsigned i = 0; i < CHUNK; i++)
        t[i] = f32_of(p[i] << 16);
    return t;
}
/* MODE's denormal bits: f32 inputs 4, results 5; f64 (and f16) inputs 6, results 7. */
INLINE const float *vop_f32(float *t, const float *p, uint32_t mode)
{
    if (LIKELY(mode & 1u << 4))
        return p;
    VSYM(vop_flush32)(t, p);
    return t;
}
INLINE const double *vop_f64(double *t, const double *p, uint32_t mode)
{
    if (!(mode & 1u << 6))
        VSYM(vop_flush64)(t, p);
    return t;
}
#define LD_QW(t, k)     vop_join((uint64_t *)(void *)(t), o.lo[k] + at, o.hi[k] + at)
#define PUT_DW(bits, r) vop_put(w, in, &o, at, bits, (uint32_t *)(void *)(r), NULL)
#define PUT_QW(r)                                                                                            \
    do {                                                                                                     \
        uint32_t lo_[CHUNK], hi_[CHUNK];                                                                     \
        for (unsigned i = 0; i < CHUNK; i++) {                                                               \
            uint64_t x_;                                                                                     \
            memcpy(&x_, &(r)[i], 8);                                                                         \
            lo_[i] = (uint32_t)x_;                                                                           \
            hi_[i] = (uint32_t)(x_ >> 32);                                                                   \
        }                                                                                                    \
        vop_put(w, in, &o, at, 64, lo_, hi_);                                                                \
    } while (0)
#define PUT_F_(n, r, put)                                                                                    \
    do {                                                                                                     \
        if (!(w->mode >> (n == 32 ? 5 : 7) & 1))                                                             \
            VSYM(vop_flush##n)(r, r);                                                                        \
        put;                                                                                                 \
    } while (0)
#define PUT_F16_(store, r)                                                                                   \
    do {                                                                                                     \
        uint32_t h_[CHUNK];                                                                                  \
        VSYM(store)(h_, r, w->mode);                                                                         \
        vop_put(w, in, &o, at, 16, h_, NULL);                                                                \
    } while (0)

#define E_U32         uint32_t
#define C_U32         uint32_t
#define D_U32         uint32_t
#define LD_U32(t, k)  LD_DW(uint32_t, t, k)
#define PUT_U32(r)    PUT_DW(32, r)
#define E_I32         int32_t
#define C_I32         int32_t
#define D_I32         int32_t
#define LD_I32(t, k)  LD_DW(int32_t, t, k)
#define PUT_I32(r)    PUT_DW(32, r)
#define E_F32         float
#define C_F32         float
#define D_F32         float
#define LD_F32(t, k)  vop_f32(t, LD_DW(float, t, k), w->mode)
#define PUT_F32(r)    PUT_F_(32, r, PUT_DW(32, r))
#define E_F32B        uint32_t
#define C_F32B        uint32_t
#define D_F32B        uint32_t
#define LD_F32B(t, k) LD_DW(uint32_t, t, k)
#define PUT_F32B(r)   PUT_DW(32, r)
#define E_F32M        uint32_t
#define C_F32M        uint32_t
#define D_F32M        uint32_t
#define LD_F32M(t, k)                                                                                        \
    ((const uint32_t *)(const void *)vop_f32((float *)(void *)(t), LD_DW(float, t, k), w->mode))
#define PUT_F32M(r)   PUT_DW(32, r)
#define E_U16         uint32_t
#define C_U16         uint16_t
#define D_U16         uint16_t
#define LD_U16(t, k)  LD_DW(uint32_t, t, k)
#define PUT_U16(r)    PUT_DW(16, r)
#define E_I16         uint32_t
#define C_I16         int16_t
#define D_I16         uint16_t
#define LD_I16(t, k)  LD_DW(uint32_t, t, k)
#define PUT_I16(r)    PUT_DW(16, r)
#define E_F16B        uint32_t
#define C_F16B        uint16_t
#define D_F16B        uint16_t
#define LD_F16B(t, k) LD_DW(uint32_t, t, k)
#define PUT_F16B(r)   PUT_DW(16, r)
#define E_F16         float
#define C_F16         float
#define D_F16         float
#define LD_F16(t, k)  vop_half(t, o.lo[k] + at, w->mode)
#define PUT_F16(r)    PUT_F16_(vop_store_f16, r)
#define E_BF16        float
#define C_BF16        float
#define D_BF16        float
#define LD_BF16(t, k) vop_bf(t, o.lo[k] + at)
#define PUT_BF16(r)   PUT_F16_(vop_store_bf16, r)
#define E_U64         uint64_t
#define C_U64         uint64_t
#define D_U64         uint64_t
#define LD_U64(t, k)  LD_QW(t, k)
#define PUT_U64(r)    PUT_QW(r)
#define E_I64         int64_t
#define C_I64         int64_t
#define D_I64         int64_t
#define LD_I64(t, k)  LD_QW(t, k)
#define PUT_I64(r)    PUT_QW(r)
#define E_F64         double
#define C_F64         double
#define D_F64         double
#define LD_F64(t, k)  vop_f64(t, LD_QW(t, k), w->mode)
#define PUT_F64(r)    PUT_F_(64, r, PUT_QW(r))
#define E_F64B        uint64_t
#define C_F64B        uint64_t
#define D_F64B        uint64_t
#define LD_F64B(t, k) LD_QW(t, k)
#define PUT_F64B(r)   PUT_QW(r)
/* packed halves as one dword */
#define E_PKU16         uint32_t
#define C_PKU16         uint32_t
#define D_PKU16         uint32_t
#define LD_PKU16(t, k)  LD_DW(uint32_t, t, k)
#define PUT_PKU16(r)    PUT_DW(32, r)
#define E_PKI16         uint32_t
#define C_PKI16         uint32_t
#define D_PKI16         uint32_t
#define LD_PKI16(t, k)  LD_DW(uint32_t, t, k)
#define PUT_PKI16(r)    PUT_DW(32, r)
#define E_PKF16         uint32_t
#define C_PKF16         uint32_t
#define D_PKF16         uint32_t
#define LD_PKF16(t, k)  LD_DW(uint32_t, t, k)
#define PUT_PKF16(r)    PUT_DW(32, r)
#define E_PKBF16        uint32_t
#define C_PKBF16        uint32_t
#define D_PKBF16        uint32_t
#define LD_PKBF16(t, k) LD_DW(uint32_t, t, k)
#define PUT_PKBF16(r)   PUT_DW(32, r)

/* NaN fix of a chunk: FIX(type)(r, a, b, c) */
#define FIX_F32   VSYM(vop_nan32)
#define FIX_F16   VSYM(vop_nan32)
#define FIX_F64   VSYM(vop_nan64)

#define LANE_LOOP for (unsigned i = 0; i < CHUNK; i++)
#define KERNEL1(k, D, A, e)                                                                                  \
    INLINE void k(E_##D *restrict r_, const E_##A *restrict a_, uint32_t mode)                               \
    {                                                                                                        \
        (void)mode;                                                                                          \
        LANE_LOOP                                                                                            \
        {                                                                                                    \
            const C_##A a = (C_##A)a_[i];                                                                    \
            r_[i] = (E_##D)(D_##D)(e);                                                                       \
        }                                                                                                    \
    }
#define KERNEL2(k, D, A, B, e)                                                                               \
    INLINE void k(E_##D *restrict r_, const E_##A *restrict a_, const E_##B *restrict b_, uint32_t mode)     \
    {                                                                                                        \
        (void)mode;                                                                                          \
        LANE_LOOP                                                                                            \
        {                                                                                                    \
            const C_##A a = (C_##A)a_[i];                                                                    \
            const C_##B b = (C_##B)b_[i];                                                                    \
            (void)a, (void)b;                                                                                \
            r_[i] = (E_##D)(D_##D)(e);                                                                       \
        }                                                                                                    \
    }
#define KERNEL3(k, D, A, B, C, e)                                                                            \
    INLINE void k(E_##D *restrict r_, const E_##A *restrict a_, const E_##B *restrict b_,                    \
                  const E_##C *restrict c_, uint32_t mode)                                                   \
    {                                                                                                        \
        (void)mode;                                                                                          \
        LANE_LOOP                                                                                            \
        {                                                                                                    \
            const C_##A a = (C_##A)a_[i];                                                                    \
            const C_##B b = (C_##B)b_[i];                                                                    \
            const C_##C c = (C_##C)c_[i];                                                                    \
            r_[i] = (E_##D)(D_##D)(e);                                                                       \
        }                                                                                                    \
    }
#define FN(name, n, caps, ...)                                                                               \
    static int f_##name(struct wave *w, const struct lane_insn *in)                                          \
    {                                                                                                        \
        struct vop o;                                                                                        \
        if (vop_begin(w, in, &o, n, caps))                                                                   \
            return WAVE_FAULT;                                                                               \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                  \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
        return 0;                                                                                            \
    }
/* The same rule for one value: r, or the NaN that operands a, b, c give. */
INLINE float nan_rule(float r, float a, float b, float c)
{
    float n = a != a ? a : b != b ? b : c;
    return r == r ? r : f32_of(n != n ? bits32(n) | 0x400000 : 0xffc00000);
}
INLINE float fma32(float a, float b, float c)
{
    return nan_rule(fmaf(a, b, c), a, b, c);
}
#define ANY_NAN(r)                                                                                           \
    ({                                                                                                       \
        int n_ = 0;                                                                                          \
        LANE_LOOP n_ |= (r)[i] != (r)[i];                                                                    \
        n_;                                                                                                  \
    })

#define FN_V1(name, D, A, e)                                                                                 \
    KERNEL1(k_##name, D, A, e)                                                                               \
    FN(name, 1, 0, E_##D r[CHUNK]; E_##A ta[CHUNK]; k_##name(r, LD_##A(ta, 0), w->mode); PUT_##D(r);)
#define FN_V2(name, D, A, B, e)                                                                              \
    KERNEL2(k_##name, D, A, B, e)                                                                            \
    FN(name, 2, 0, E_##D r[CHUNK]; E_##A ta[CHUNK]; E_##B tb[CHUNK];                                         \
       k_##name(r, LD_##A(ta, 0), LD_##B(tb, 1), w->mode); PUT_##D(r);)
#define FN_V3(name, D, A, B, C, e)                                                                           \
    KERNEL3(k_##name, D, A, B, C, e)                                                                         \
    FN(name, 3, 0, E_##D r[CHUNK]; E_##A ta[CHUNK]; E_##B tb[CHUNK]; E_##C tc[CHUNK];                        \
       k_##name(r, LD_##A(ta, 0), LD_##B(tb, 1), LD_##C(tc, 2), w->mode); PUT_##D(r);)
#define FN_F1(name, T, e)                                                                                    \
    KERNEL1(k_##name, T, T, e)                                                                               \
    FN(name, 1, 0, E_##T r[CHUNK]; E_##T ta[CHUNK]; const E_##T *a = LD_##T(ta, 0); k_##name(r, a, w->mode); \
       if (ANY_NAN(r)) FIX_##T(r, a, NULL, NULL); PUT_##T(r);)
#define FN_F2(name, T, e)                                                                                    \
    KERNEL2(k_##name, T, T, T, e)                                                                            \
    FN(name, 2, 0, E_##T r[CHUNK]; E_##T ta[CHUNK]; E_##T tb[CHUNK]; const E_##T *a = LD_##T(ta, 0);         \
       const E_##T *b = LD_##T(tb, 1); k_##name(r, a, b, w->mode); if (ANY_NAN(r)) FIX_##T(r, a, b, NULL);   \
       PUT_##T(r);)
#define FN_F3(name, T, e)                                                                                    \
    KERNEL3(k_##name, T, T, T, T, e)                                                                         \
    FN(name, 3, 0, E_##T r[CHUNK]; E_##T ta[CHUNK]; E_##T tb[CHUNK]; E_##T tc[CHUNK];                        \
       const E_##T *a = LD_##T(ta, 0); const E_##T *b = LD_##T(tb, 1); const E_##T *c = LD_##T(tc, 2);       \
       k_##name(r, a, b, c, w->mode); if (ANY_NAN(r)) FIX_##T(r, a, b, c); PUT_##T(r);)

/* Minimum and maximum on bits: `plain` when no source of the chunk is NaN, else `full`. */
#define NAN_BITS(x, n) ((uint32_t)(x) << (33 - (n)) > ((n) == 32 ? 0xff000000u : 0xf8000000u))
#define FN_M2(name, T, n, plain, full)                                                                       \
    KERNEL2(k_##name, T, T, T, plain)                                                                        \
    KERNEL2(n_##name, T, T, T, full)                                                                         \
    FN(name, 2, 0, E_##T r[CHUNK]; E_##T ta[CHUNK]; E_##T tb[CHUNK]; const E_##T *a = LD_##T(ta, 0);         \
       const E_##T *b = LD_##T(tb, 1); uint32_t odd = 0;                                                     \
       LANE_LOOP odd |= NAN_BITS(a[i], n) | NAN_BITS(b[i], n); if (LIKELY(!odd)) k_##name(r, a, b, w->mode); \
       else n_##name(r, a, b, w->mode); PUT_##T(r);)
#define FN_M3(name, T, n, plain, full)                                                                       \
    KERNEL3(k_##name, T, T, T, T, plain)                                                                     \
    KERNEL3(n_##name, T, T, T, T, full)                                                                      \
    FN(name, 3, 0, E_##T r[CHUNK]; E_##T ta[CHUNK]; E_##T tb[CHUNK]; E_##T tc[CHUNK];                        \
       const E_##T *a = LD_##T(ta, 0); const E_##T *b = LD_##T(tb, 1); const E_##T *c = LD_##T(tc, 2);       \
       uint32_t odd = 0; LANE_LOOP odd |= NAN_BITS(a[i], n) | NAN_BITS(b[i], n) | NAN_BITS(c[i], n);         \
       if (LIKELY(!odd)) k_##name(r, a, b, c, w->mode); else n_##name(r, a, b, c, w->mode); PUT_##T(r);)

/* integer clamp: the exact result cut to the result's range */
#define MIN_U16 0
#define MAX_U16 65535
#define MIN_I16 (-32768)
#define MAX_I16 32767
#define MIN_U32 0
#define MAX_U32 4294967295ll
#define MIN_I32 (-2147483647ll - 1)
#define MAX_I32 2147483647ll
INLINE int64_t sat64(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}
#define FN_S2(name, D, A, B, e, wide)                                                                        \
    KERNEL2(k_##name, D, A, B, e)                                                                            \
    KERNEL2(s_##name, D, A, B, sat64(wide, MIN_##D, MAX_##D))                                                \
    FN(name, 2, CAP_CLAMP, E_##D r[CHUNK]; E_##A ta[CHUNK]; E_##B tb[CHUNK]; const E_##A *a = LD_##A(ta, 0); \
       const E_##B *b = LD_##B(tb, 1); if (LIKELY(!(in->flags & LF_CLAMP))) k_##name(r, a, b, w->mode);      \
       else s_##name(r, a, b, w->mode); PUT_##D(r);)
#define FN_S3(name, D, A, B, C, e, wide)                                                                     \
    KERNEL3(k_##name, D, A, B, C, e)                                                                         \
    KERNEL3(s_##name, D, A, B, C, sat64(wide, MIN_##D, MAX_##D))                                             \
    FN(name, 3, CAP_CLAMP, E_##D r[CHUNK]; E_##A ta[CHUNK]; E_##B tb[CHUNK]; E_##C tc[CHUNK];                \
       const E_##A *a = LD_##A(ta, 0); const E_##B *b = LD_##B(tb, 1); const E_##C *c = LD_##C(tc, 2);       \
       if (LIKELY(!(in->flags & LF_CLAMP))) k_##name(r, a, b, c, w->mode);                                   \
       else s_##name(r, a, b, c, w->mode); PUT_##D(r);)
#endif
