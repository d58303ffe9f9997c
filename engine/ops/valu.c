#include "engine/ops/valu.h"
#if defined(__F16C__)
#include <immintrin.h>
#endif

int VSYM(vop_spread)(struct wave *w, const struct lane_insn *in, struct vop *o, unsigned k)
{
    const struct lane_opnd *s = &in->s[k];
    if (s->kind != LK_SREG && s->kind != LK_SCC)
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, wave_pc_of(w, in), wave_exec(w),
                          "%s lacks source %u", lane_ops[in->op].name, k);
    uint32_t lo = s->kind == LK_SCC ? w->scc : w->s[s->reg];
    uint32_t hi = s->kind == LK_SCC || s->dwords < 2 ? 0 : w->s[s->reg + 1];
    for (unsigned i = 0; i < LANES; i++)
        o->tmp[k][0][i] = lo;
    if (s->dwords > 1)
        for (unsigned i = 0; i < LANES; i++)
            o->tmp[k][1][i] = hi;
    o->lo[k] = o->tmp[k][0];
    o->hi[k] = o->tmp[k][1];
    return 0;
}

void VSYM(vop_blend)(uint32_t *d, const uint32_t *r, uint32_t m)
{
    for (unsigned i = 0; i < CHUNK; i++) {
        uint32_t on = 0u - (m >> i & 1);
        d[i] = (r[i] & on) | (d[i] & ~on);
    }
}
void VSYM(vop_blend16)(uint32_t *d, const uint32_t *r, uint32_t m)
{
    for (unsigned i = 0; i < CHUNK; i++) {
        uint32_t on = (0u - (m >> i & 1)) & 0xffff;
        d[i] = (r[i] & on) | (d[i] & ~on);
    }
}

void VSYM(vop_nan32)(float *r, const float *a, const float *b, const float *c)
{
    for (unsigned i = 0; i < CHUNK; i++)
        if (r[i] != r[i]) {
            const float *n = a[i] != a[i] ? a : b && b[i] != b[i] ? b : c && c[i] != c[i] ? c : NULL;
            r[i] = f32_of(n ? bits32(n[i]) | 0x400000 : 0xffc00000);
        }
}
void VSYM(vop_nan64)(double *r, const double *a, const double *b, const double *c)
{
    for (unsigned i = 0; i < CHUNK; i++)
        if (r[i] != r[i]) {
            const double *n = a[i] != a[i] ? a : b && b[i] != b[i] ? b : c && c[i] != c[i] ? c : NULL;
            r[i] = f64_of(n ? bits64(n[i]) | 0x8000000000000ull : 0xfff8000000000000ull);
        }
}

void VSYM(vop_load_f16)(float *r, const uint32_t *p, uint32_t mode)
{
#if defined(__F16C__)
    const __m256i low = _mm256_set1_epi32(0xffff);
    for (unsigned i = 0; i < CHUNK; i += 8) {
        __m256i x = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)(p + i)), low);
        __m256i h = _mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0x08);
        _mm256_storeu_ps(r + i, _mm256_cvtph_ps(_mm256_castsi256_si128(h)));
    }
#else
    for (unsigned i = 0; i < CHUNK; i++)
        r[i] = f32_of_f16(p[i] & 0xffff);
#endif
    if (!(mode & 1u << 6)) /* inputs' denormals are flushed */
        for (unsigned i = 0; i < CHUNK; i++)
            r[i] = (p[i] & 0x7c00) ? r[i] : f32_of((p[i] & 0x8000) << 16);
}

void VSYM(vop_store_f16)(uint32_t *r, const float *v, uint32_t mode)
{
    if (mode & (3u << 2 | 1u << 23)) {
        for (unsigned i = 0; i < CHUNK; i++)
            r[i] = f16_round(v[i], mode >> 2 & 3, mode >> 23 & 1);
    } else {
#if defined(__F16C__)
        for (unsigned i = 0; i < CHUNK; i += 8) {
            __m128i h = _mm256_cvtps_ph(_mm256_loadu_ps(v + i), _MM_FROUND_TO_NEAREST_INT);
            _mm256_storeu_si256((__m256i *)(void *)(r + i), _mm256_cvtepu16_epi32(h));
        }
#else
        for (unsigned i = 0; i < CHUNK; i++)
            r[i] = f16_of_f32(v[i]);
#endif
    }
    if (!(mode & 1u << 7))
        for (unsigned i = 0; i < CHUNK; i++)
            r[i] = (r[i] & 0x7c00) ? r[i] : r[i] & 0x8000;
}

void VSYM(vop_store_bf16)(uint32_t *r, const float *v, uint32_t mode)
{
    (void)mode;
    for (unsigned i = 0; i < CHUNK; i++)
        r[i] = bf16_of_f32(v[i]);
}

void VSYM(vop_flush32)(float *r, const float *p)
{
    for (unsigned i = 0; i < CHUNK; i++) {
        uint32_t u = bits32(p[i]);
        r[i] = f32_of(u & 0x7f800000u ? u : u & 0x80000000u);
    }
}
void VSYM(vop_flush64)(double *r, const double *p)
{
    for (unsigned i = 0; i < CHUNK; i++) {
        uint64_t u = bits64(p[i]);
        r[i] = f64_of(u & 0x7ffull << 52 ? u : u & 1ull << 63);
    }
}

/* ---- modifiers ---- */

static int is_float(unsigned t)
{
    return t == LT_F16 || t == LT_BF16 || t == LT_F32 || t == LT_F64;
}
static int is_packed(unsigned t)
{
    return t >= LT_PKU16 && t <= LT_PKBF16;
}
static unsigned type_bits(unsigned t)
{
    return t == LT_F64 || t == LT_U64 || t == LT_I64 || t == LT_B64    ? 64
           : t == LT_F16 || t == LT_BF16 || t == LT_U16 || t == LT_I16 ? 16
                                                                       : 32;
}
static int refuse(struct wave *w, const struct lane_insn *in, const char *what)
{
    return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, wave_pc_of(w, in), wave_exec(w),
                      "%s is not defined with %s", lane_ops[in->op].name, what);
}

/* DPP: the lane that lane i of a w-lane wave reads, or -1. */
static int dpp16_lane(uint32_t ctrl, int i, int width)
{
    int row = i & ~15, n = (int)(ctrl & 15), j;
    switch (ctrl >> 4) {
    case 0x10: /* row_shl */
        return (i & 15) + n < 16 ? i + n : -1;
    case 0x11: /* row_shr */
        return (i & 15) >= n ? i - n : -1;
    case 0x12: /* row_ror */
        return row | ((i - n) & 15);
    case 0x13: /* wave_shl:1, wave_rol:1, wave_shr:1, wave_ror:1 (gfx9) */
        j = ctrl == 0x130 || ctrl == 0x134 ? i + 1 : i - 1;
        if (ctrl == 0x134 || ctrl == 0x13c)
            return j & (width - 1);
        return j >= 0 && j < width ? j : -1;
    case 0x14:
        if (ctrl == 0x140)
            return row | (15 - (i & 15));
        if (ctrl == 0x141)
            return (i & ~7) | (7 - (i & 7));
        if (ctrl == 0x142) /* row_bcast:15 */
            return row ? row - 1 : -1;
        return i >= 32 ? 31 : -1; /* row_bcast:31 */
    case 0x15:                    /* row_share, row_newbcast */
        return row | n;
    case 0x16: /* row_xmask */
        return row | ((i & 15) ^ n);
    default: /* quad_perm */
        return (i & ~3) | (int)(ctrl >> (2 * (i & 3)) & 3);
    }
}
static int dpp16_known(uint32_t c)
{
    return c < 0x100 || (c >= 0x101 && c <= 0x12f && (c & 15)) || c == 0x130 || c == 0x134 || c == 0x138 ||
           c == 0x13c || (c >= 0x140 && c <= 0x143) || (c >= 0x150 && c <= 0x16f);
}

/* Permutes source 0 into o->tmp and takes lanes that must not be written out of o->exec. */
static int permute(struct wave *w, const struct lane_insn *in, struct vop *o)
{
    int width = w->width, dpp8 = in->flags & LF_DPP8;
    if (in->s[0].kind != LK_VREG || (!dpp8 && !dpp16_known(in->dpp_ctrl)))
        return refuse(w, in, "this DPP control or source");
    uint64_t exec = o->exec;
    int zero = dpp8 || (in->flags & LF_BOUND_CTRL);
    for (int i = 0; i < width; i++) {
        int j =
            dpp8 ? (i & ~7) | (int)(in->dpp_ctrl >> (3 * (i & 7)) & 7) : dpp16_lane(in->dpp_ctrl, i, width);
        int valid = j >= 0 && ((in->flags & LF_FI) || (exec >> j & 1));
        o->tmp[0][0][i] = valid ? o->lo[0][j] : 0;
        if (in->s[0].dwords > 1)
            o->tmp[0][1][i] = valid ? o->hi[0][j] : 0;
        int masked = !dpp8 && (!(in->row_mask >> (i >> 4) & 1) || !(in->bank_mask >> (i >> 2 & 3) & 1));
        if (masked || (!valid && !zero))
            o->exec &= ~(1ull << i);
    }
    o->lo[0] = o->tmp[0][0];
    o->hi[0] = o->tmp[0][1];
    return 0;
}

/* The part of x that sel names, then sign extension. */
static uint32_t select_part(uint32_t x, unsigned sel, int sign)
{
    unsigned b = sel >= LS_BYTE0 && sel <= LS_BYTE3 ? 8 : sel >= LS_WORD0 ? 16 : 32;
    unsigned at = b == 8 ? 8 * (sel - LS_BYTE0) : b == 16 ? 16 * (sel - LS_WORD0) : 0;
    x >>= at;
    if (b < 32)
        x &= (1u << b) - 1;
    if (sign && b < 32 && (x >> (b - 1) & 1))
        x |= ~0u << b;
    return x;
}
static uint32_t packed_part(uint32_t x, unsigned mods, int flt)
{
    uint32_t l = (mods & LM_LO_HI ? x >> 16 : x) & 0xffff, h = (mods & LM_HI_HI ? x >> 16 : x) & 0xffff;
    if (flt) {
        if (mods & LM_ABS)
            l &= 0x7fff, h &= 0x7fff;
        l ^= mods & LM_NEG ? 0x8000 : 0;
        h ^= mods & LM_NEG_HI ? 0x8000 : 0;
    }
    return l | h << 16;
}

static int modify(struct wave *w, const struct lane_insn *in, struct vop *o, unsigned k)
{
    const struct lane_opnd *s = &in->s[k];
    unsigned t = lane_ops[in->op].s[k], mods = s->mods;
    int flt = is_float(t), packed = is_packed(t);
    if (!mods && s->sel == LS_DWORD && !packed)
        return 0;
    if (!packed && (mods & ~(flt ? LM_NEG | LM_ABS | LM_SEXT : LM_SEXT)))
        return refuse(w, in, "these source modifiers");
    if (packed && (s->sel != LS_DWORD || (mods & LM_SEXT) ||
                   (t != LT_PKF16 && t != LT_PKBF16 && (mods & (LM_NEG | LM_NEG_HI | LM_ABS)))))
        return refuse(w, in, "these source modifiers");
    uint32_t sign = type_bits(t) == 16 ? 0x8000u : 0x80000000u;
    uint32_t keep = mods & LM_ABS ? ~sign : ~0u, flip = mods & LM_NEG ? sign : 0;
    const uint32_t *lo = o->lo[k], *hi = o->hi[k];
    uint32_t *tl = o->tmp[k][0], *th = o->tmp[k][1];
    for (unsigned i = 0; i < w->width; i++) {
        uint32_t x = lo[i];
        if (packed) {
            x = packed_part(x, mods, t == LT_PKF16 || t == LT_PKBF16);
        } else if (type_bits(t) == 64) {
            th[i] = flt ? (hi[i] & keep) ^ flip : hi[i];
        } else {
            x = select_part(x, s->sel, mods & LM_SEXT);
            x = flt ? (x & keep) ^ flip : x;
        }
        tl[i] = x;
    }
    o->lo[k] = tl;
    o->hi[k] = th;
    return 0;
}

int VSYM(vop_prep)(struct wave *w, const struct lane_insn *in, struct vop *o, unsigned n, unsigned caps)
{
    const struct lane_op_info *info = &lane_ops[in->op];
    o->exec = wave_exec(w);
    for (unsigned k = 0; k < n; k++)
        if (vop_src(w, in, o, k))
            return WAVE_FAULT;
    if ((in->flags & (LF_DPP16 | LF_DPP8)) && permute(w, in, o))
        return WAVE_FAULT;
    int fd = is_float(info->d) || info->d == LT_PKF16 || info->d == LT_PKBF16;
    if ((in->flags & LF_CLAMP) && !fd && info->d != LT_MASK && info->cls != LC_VCMP && !(caps & CAP_CLAMP))
        return refuse(w, in, "clamp");
    if ((in->flags & LF_OMOD) && !is_float(info->d))
        return refuse(w, in, "an output multiplier");
    if (caps & CAP_OWN)
        return 0;
    for (unsigned k = 0; k < n; k++)
        if (modify(w, in, o, k))
            return WAVE_FAULT;
    return 0;
}

/* omod (where MODE lets it act) and clamp of one float, NaN to 0 with DX10_CLAMP. */
static double out_mods(double v, unsigned flags, uint32_t mode, int omod)
{
    if (omod) {
        v *= (flags & LF_OMOD) == LF_OMOD_MUL2 ? 2 : (flags & LF_OMOD) == LF_OMOD_MUL4 ? 4 : 0.5;
        v = v == 0 ? 0 : v;
    }
    if (flags & LF_CLAMP)
        v = v != v ? (mode & MODE_DX10 ? 0 : v) : v > 1 ? 1 : v > 0 ? v : 0;
    return v;
}
static void modify_result(struct wave *w, const struct lane_insn *in, uint32_t *lo, uint32_t *hi)
{
    unsigned t = lane_ops[in->op].d, f = in->flags;
    if (t == LT_PKF16 || t == LT_PKBF16) { /* clamp only */
        for (unsigned i = 0; i < CHUNK; i++) {
            uint32_t r = 0;
            for (unsigned h = 0; h < 32; h += 16) {
                uint32_t x = lo[i] >> h & 0xffff;
                float v = t == LT_PKF16 ? f32_of_f16(x) : f32_of_bf16(x);
                v = (float)out_mods(v, f, w->mode, 0);
                r |= (t == LT_PKF16 ? f16_of_f32(v) : bf16_of_f32(v)) << h;
            }
            lo[i] = r;
        }
        return;
    }
    /* An output multiplier acts only when IEEE mode is off and the result's denormals are flushed. */
    unsigned den = t == LT_F32 ? 5 : 7;
    int omod = (f & LF_OMOD) && !(w->mode & MODE_IEEE) && !(w->mode >> den & 1);
    if (!omod && !(f & LF_CLAMP))
        return;
    for (unsigned i = 0; i < CHUNK; i++) {
        if (t == LT_F32) {
            lo[i] = bits32((float)out_mods(f32_of(lo[i]), f, w->mode, omod));
        } else if (t == LT_F64) {
            uint64_t u = bits64(out_mods(f64_of(lo[i] | (uint64_t)hi[i] << 32), f, w->mode, omod));
            lo[i] = (uint32_t)u;
            hi[i] = (uint32_t)(u >> 32);
        } else {
            float v = t == LT_F16 ? f32_of_f16(lo[i]) : f32_of_bf16(lo[i]);
            v = (float)out_mods(v, f, w->mode, omod);
            lo[i] = t == LT_F16 ? f16_of_f32(v) : bf16_of_f32(v);
        }
    }
}

void VSYM(vop_put_mods)(struct wave *w, const struct lane_insn *in, const struct vop *o, unsigned at,
                        uint32_t *lo, uint32_t *hi)
{
    unsigned t = lane_ops[in->op].d, sel = in->d.sel;
    uint32_t *d = w->v + (size_t)in->d.reg * w->width + at, m = (uint32_t)(o->exec >> at);
    if ((in->flags & (LF_CLAMP | LF_OMOD)) && (is_float(t) || t == LT_PKF16 || t == LT_PKBF16))
        modify_result(w, in, lo, hi);
    if (type_bits(t) == 16 && sel == LS_DWORD && (in->flags & LF_DST_PRESERVE))
        sel = LS_WORD0;
    if (sel != LS_DWORD) { /* SDWA dst_sel, or the half op_sel names */
        unsigned b = sel >= LS_WORD0 ? 16 : 8, s = b == 16 ? 16 * (sel - LS_WORD0) : 8 * (sel - LS_BYTE0);
        uint32_t part = ((1u << b) - 1) << s;
        for (unsigned i = 0; i < CHUNK; i++) {
            uint32_t x = lo[i] << s & part, up = b + s < 32 && (lo[i] >> (b - 1) & 1) ? ~0u << (b + s) : 0;
            lo[i] = in->flags & LF_DST_PRESERVE ? x | (d[i] & ~part) : in->flags & LF_DST_SEXT ? x | up : x;
        }
    }
    vop_write(d, lo, m);
    if (hi)
        vop_write(d + w->width, hi, m);
}
