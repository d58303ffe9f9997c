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

/* Source 0 (A, transposed) or 1 (B) as m[k][row or column]. */
static void load_ab(struct wave *w, const struct lane_insn *in, const struct wmma *t, unsigned s,
                    union mat *m)
{
    unsigned bits = elem_bits(t->elem), mods = in->s[s].mods, groups = w->gen >= 12 ? w->width / 16u : 1;
    if (bits * t->k / groups < 32) /* less than a register a lane: lanes from 32 on are not used */
        groups = bits * t->k / 32;
    unsigned per = t->k / groups;
    const uint32_t *v = w->v + (size_t)in->s[s].reg * w->width;
    for (unsigned l = 0; l < 16 * groups; l++)
        for (unsigned e = 0; e < per; e++) {
            unsigned k = l / 16 * per + e, at = e * bits;
            uint32_t x = v[at / 32 * w->width + l] >> at % 32 & (uint32_t)((1ull << bits) - 1);
            if (t->elem == EL_IU8 || t->elem == EL_IU4) {
                m->i[k][l % 16] = mods & LM_NEG ? (int32_t)(x << (32 - bits)) >> (32 - bits) : (int32_t)x;
            } else {
                float f = elem_float(t->elem, s == 1, x);
                m->f[k][l % 16] = bits == 16 && (mods & (e & 1 ? LM_NEG_HI : LM_NEG)) ? -f : f;
            }
        }
}

/* Where element (row, column) of C or D lies: dword index from the operand's first register, and its shift.
 */
struct place {
    unsigned dword, shift;
};
static struct place place(const struct wave *w, const struct wmma *t, unsigned row, unsigned col,
                          unsigned high)
{
    unsigned groups = w->width / 16u, half = t->acc == LT_F16 || t->acc == LT_BF16;
    if (w->gen < 12)
        return (struct place){row / groups * w->width + row % groups * 16 + col, half && high ? 16 : 0};
    unsigned per = 16 / groups, e = row % per, lane = row / per * 16 + col;
    return half ? (struct place){e / 2 * w->width + lane, 16 * (e & 1)}
                : (struct place){e * w->width + lane, 0};
}

static uint32_t finish_float(float v, const struct wave *w, unsigned acc)
{
    v = v != v ? f32_of(0x7fc00000) : v;
    return acc == LT_F32   ? bits32(v)
           : acc == LT_F16 ? f16_round(v, w->mode >> 2 & 3, w->mode >> 23 & 1)
                           : bf16_of_f32(v);
}

static int f_wmma(struct wave *w, const struct lane_insn *in)
{
    const struct wmma *t = kinds;
    union mat a, b;
    uint32_t d[16][16];
    while (t->op != in->op)
        t++;
    int ints = t->acc == LT_I32, half = t->acc == LT_F16 || t->acc == LT_BF16;
    const struct lane_opnd *sc = &in->s[2];
    unsigned high = (sc->mods & LM_LO_HI) || in->d.sel == LS_WORD1;
    if (in->s[0].kind != LK_VREG || in->s[1].kind != LK_VREG || in->d.kind != LK_VREG || sc->kind == LK_NONE)
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, wave_pc_of(w, in), wave_exec(w),
                          "%s: vector registers are expected", lane_ops[in->op].name);
    load_ab(w, in, t, 0, &a);
    load_ab(w, in, t, 1, &b);
    for (unsigned row = 0; row < 16; row++) {
        float acc[16] = {0};
        int64_t sum[16] = {0};
        for (unsigned col = 0; col < 16; col++) {
            struct place p = place(w, t, row, col, high);
            uint32_t c = sc->kind == LK_VREG    ? w->v[(size_t)sc->reg * w->width + p.dword] >> p.shift
                         : sc->kind == LK_CONST ? w->pool[(size_t)sc->reg * LANES]
                                                : w->s[sc->reg];
            if (ints) {
                sum[col] = (int32_t)c;
                continue;
            }
            float f = !half ? f32_of(c) : t->acc == LT_F16 ? f32_of_f16(c & 0xffff) : f32_of_bf16(c & 0xffff);
            f = sc->mods & LM_NEG_HI ? fabsf(f) : f;
            acc[col] = sc->mods & LM_NEG ? -f : f;
        }
        for (unsigned k = 0; k < t->k; k++)
            for (unsigned col = 0; col < 16; col++)
                if (ints)
                    sum[col] += (int64_t)a.i[k][row] * b.i[k][col];
                else
                    acc[col] = fmaf(a.f[k][row], b.f[k][col], acc[col]);
        for (unsigned col = 0; col < 16; col++)
            d[row][col] = !ints                  ? finish_float(acc[col], w, t->acc)
                          : in->flags & LF_CLAMP ? (uint32_t)sat64(sum[col], MIN_I32, MAX_I32)
                                                 : (uint32_t)sum[col];
    }
    for (unsigned row = 0; row < 16; row++)
        for (unsigned col = 0; col < 16; col++) {
            struct place p = place(w, t, row, col, high);
            uint32_t *x = &w->v[(size_t)in->d.reg * w->width + p.dword];
            *x = half ? (*x & ~(0xffffu << p.shift)) | d[row][col] << p.shift : d[row][col];
        }
    return 0;
}

const struct lane_op_row OPS_TABLE(matrix)[] = {
#define WMMA(name, el, k, acc) {OP_##name, f_wmma, f_wmma},
#include "engine/ops/matrix.def"
#undef WMMA
    {0, NULL, NULL}};
