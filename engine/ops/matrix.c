/* Matrix operations of RDNA. All lanes take part, whatever EXEC says. Layouts (RDNA3 and RDNA4 ISA documents,
 * WMMA; lane l, group g = l / 16, G = width / 16 groups, element e of a lane's registers in order): gfx11  A:
 * row l % 16, k = e, the groups repeat one another; B: column l % 16, k = e C, D: register i is row G i + g,
 * column l % 16; 16-bit ones in the half that op_sel[2] names gfx12  A, B: k = (K / G) g + e; C, D: element e
 * is row (16 / G) g + e; 16-bit ones packed
 */
#include "engine/ops/fp8.h"
#include "engine/ops/valu.h"

enum elem { EL_F16, EL_BF16, EL_IU8, EL_IU4, EL_FP8FP8, EL_FP8BF8, EL_BF8FP8, EL_BF8BF8 };
struct wmma {
    uint16_t op;
    uint8_t elem, k, acc; /* enum elem, K, LT_* of C and D */
};
static const struct wmma kinds[] = {
#define WMMA(name, el, k, acc) {OP_##name, EL_##el, k, LT_##acc},
#include "engine/ops/matrix.def"
#undef WMMA
};
enum { KMAX = 32 };
union mat { /* k by 16 */
    float f[KMAX][16];
    int32_t i[KMAX][16];
};

static unsigned elem_bits(unsigned el)
{
    return el <= EL_BF16 ? 16 : el == EL_IU4 ? 4 : 8;
}
static float elem_float(unsigned el, int is_b, uint32_t x)
{
    int bf = is_b ? el == EL_FP8BF8 || el == EL_BF8BF8 : el == EL_BF8FP8 || el == EL_BF8BF8;
    return el == EL_F16 ? f32_of_f16(x) : el == EL_BF16 ? f32_of_bf16(x) : f32_of_f8(x, bf, 0);
}

/* Source 0 (A, transposed) or 1 (B) as m[k][row or column]; 16 lanes are 16 rows or columns. */
static void load_ab(struct wave *w, const struct lane_insn *in, const struct wmma *t, unsigned s,
                    union mat *m)
{
    unsigned bits = elem_bits(t->elem), mods = in->s[s].mods, groups = w->gen >= 12 ? w->width / 16u : 1;
    if (bits * t->k / groups < 32) /* less than a register a lane: lanes from 32 on are not used */
        groups = bits * t->k / 32;
    unsigned per = t->k / groups;
    for (unsigned k = 0; k < t->k; k++) {
        unsigned at = k % per * bits, g = k / per;
        const uint32_t *v = w->v + (size_t)(in->s[s].reg + at / 32) * w->width + 16 * g;
        uint32_t x[16], mask = (uint32_t)((1ull << bits) - 1), top = mods & LM_NEG ? 1u << (bits - 1) : 0;
        uint32_t flip = bits == 16 && (mods & (k & 1 ? LM_NEG_HI : LM_NEG)) ? 0x80000000u : 0;
        for (unsigned l = 0; l < 16; l++)
            x[l] = v[l] >> at % 32 & mask;
        if (t->elem == EL_IU8 || t->elem == EL_IU4)
            for (unsigned l = 0; l < 16; l++)
                m->i[k][l] = (int32_t)((x[l] ^ top) - top);
        else if (t->elem == EL_F16)
            for (unsigned l = 0; l < 16; l++)
                m->f[k][l] = f32_of(bits32(f32_of_f16(x[l])) ^ flip);
        else
            for (unsigned l = 0; l < 16; l++)
                m->f[k][l] = f32_of(bits32(elem_float(t->elem, s == 1, x[l])) ^ flip);
    }
}

/* Where a row of C or D lies: dword of column 0 from the operand's first register (its 16 columns follow), and the
 * shift of its elements. */
struct place {
    unsigned dword, shift;
};
static struct place place(const struct wave *w, int half, unsigned row, unsigned high)
{
    unsigned groups = w->width / 16u;
    if (w->gen < 12)
        return (struct place){row / groups * w->width + row % groups * 16, half && high ? 16 : 0};
    unsigned per = 16 / groups, e = row % per, lane = row / per * 16;
    return half ? (struct place){e / 2 * w->width + lane, 16 * (e & 1)}
                : (struct place){e * w->width + lane, 0};
}

static void load_c(struct wave *w, const struct lane_insn *in, struct place p, uint32_t *c)
{
    const struct lane_opnd *s = &in->s[2];
    uint32_t same = s->kind == LK_CONST  ? w->pool[(size_t)s->reg * LANES]
                    : s->kind == LK_SREG ? w->s[s->reg]
                                         : 0;
    const uint32_t *v = w->v + (size_t)s->reg * w->width + p.dword;
    for (unsigned l = 0; l < 16; l++)
        c[l] = s->kind == LK_VREG ? v[l] >> p.shift : same;
}

/* Row `row` of D, as bits, from the bits of C in d. */
static void float_row(struct wave *w, const struct lane_insn *in, const struct wmma *t, const union mat *a,
                      const union mat *b, unsigned row, uint32_t *d)
{
    unsigned mods = in->s[2].mods;
    float acc[16];
    for (unsigned l = 0; l < 16; l++) {
        float f = t->acc == LT_F32   ? f32_of(d[l])
                  : t->acc == LT_F16 ? f32_of_f16(d[l] & 0xffff)
                                     : f32_of_bf16(d[l] & 0xffff);
        f = mods & LM_NEG_HI ? fabsf(f) : f;
        acc[l] = mods & LM_NEG ? -f : f;
    }
    if (t->elem == EL_BF16) {
        for (unsigned k = 0; k < t->k; k++)
            for (unsigned l = 0; l < 16; l++)
                acc[l] = fmaf(a->f[k][row], b->f[k][l], acc[l]);
    } else { /* such products are exact: no fused operation is needed */
        for (unsigned k = 0; k < t->k; k++)
            for (unsigned l = 0; l < 16; l++)
                acc[l] += a->f[k][row] * b->f[k][l];
    }
    for (unsigned l = 0; l < 16; l++)
        acc[l] = acc[l] != acc[l] ? f32_of(0x7fc00000) : acc[l];
    for (unsigned l = 0; l < 16; l++)
        d[l] = t->acc == LT_F32   ? bits32(acc[l])
               : t->acc == LT_F16 ? f16_round(acc[l], w->mode >> 2 & 3, w->mode >> 23 & 1)
                                  : bf16_of_f32(acc[l]);
}
static void int_row(const struct lane_insn *in, const struct wmma *t, const union mat *a, const union mat *b,
                    unsigned row, uint32_t *d)
{
    int32_t sum[16] = {0}; /* at most 32 * 255 * 255 */
    for (unsigned k = 0; k < t->k; k++)
        for (unsigned l = 0; l < 16; l++)
            sum[l] += a->i[k][row] * b->i[k][l];
    for (unsigned l = 0; l < 16; l++)
        d[l] = in->flags & LF_CLAMP ? (uint32_t)sat64((int64_t)sum[l] + (int32_t)d[l], MIN_I32, MAX_I32)
                                    : d[l] + (uint32_t)sum[l];
}

static int f_wmma(struct wave *w, const struct lane_insn *in)
{
    const struct wmma *t = kinds;
    union mat a, b;
    uint32_t d[16][16];
    while (t->op != in->op)
        t++;
    int half = t->acc == LT_F16 || t->acc == LT_BF16;
    unsigned high = (in->s[2].mods & LM_LO_HI) || in->d.sel == LS_WORD1;
    if (in->s[0].kind != LK_VREG || in->s[1].kind != LK_VREG || in->d.kind != LK_VREG ||
        in->s[2].kind == LK_NONE)
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, wave_pc_of(w, in), wave_exec(w),
                          "%s: vector registers are expected", lane_ops[in->op].name);
    load_ab(w, in, t, 0, &a);
    load_ab(w, in, t, 1, &b);
    for (unsigned row = 0; row < 16; row++) {
        load_c(w, in, place(w, half, row, high), d[row]);
        if (t->acc == LT_I32)
            int_row(in, t, &a, &b, row, d[row]);
        else
            float_row(w, in, t, &a, &b, row, d[row]);
    }
    for (unsigned row = 0; row < 16; row++) {
        struct place p = place(w, half, row, high);
        uint32_t *x = w->v + (size_t)in->d.reg * w->width + p.dword;
        for (unsigned l = 0; l < 16; l++)
            x[l] = half ? (x[l] & ~(0xffffu << p.shift)) | d[row][l] << p.shift : d[row][l];
    }
    return 0;
}

const struct lane_op_row OPS_TABLE(matrix)[] = {
#define WMMA(name, el, k, acc) {OP_##name, f_wmma, f_wmma},
#include "engine/ops/matrix.def"
#undef WMMA
    {0, NULL, NULL}};
