#include "engine/ops/trans.h"

/* The value of a scalar operand (register, constant, SCC; a vector register: lane 0). */
static int scalar(struct wave *w, const struct lane_insn *in, unsigned k, uint32_t *v)
{
    const struct lane_opnd *s = &in->s[k];
    switch (s->kind) {
    case LK_SREG:
        *v = w->s[s->reg];
        return 0;
    case LK_CONST:
        *v = w->pool[(size_t)s->reg * LANES];
        return 0;
    case LK_SCC:
        *v = w->scc;
        return 0;
    case LK_VREG:
        *v = w->v[(size_t)s->reg * w->width];
        return 0;
    default:
        *v = 0;
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, wave_pc_of(w, in), wave_exec(w),
                          "%s lacks source %u", lane_ops[in->op].name, k);
    }
}
static int illegal(struct wave *w, const struct lane_insn *in, const char *what)
{
    return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, wave_pc_of(w, in), wave_exec(w), "%s: %s",
                      lane_ops[in->op].name, what);
}
static uint32_t *vreg(struct wave *w, unsigned r)
{
    return w->v + (size_t)r * w->width;
}

/* One lane of s[0]; EXEC does not matter. */
static int read_lane(struct wave *w, const struct lane_insn *in, unsigned lane)
{
    uint32_t v;
    if (in->d.kind != LK_SREG)
        return illegal(w, in, "a scalar result register is expected");
    if (in->s[0].kind == LK_VREG)
        v = vreg(w, in->s[0].reg)[lane];
    else if (scalar(w, in, 0, &v))
        return WAVE_FAULT;
    w->s[in->d.reg] = v;
    return 0;
}
static int f_readlane(struct wave *w, const struct lane_insn *in)
{
    uint32_t lane;
    return scalar(w, in, 1, &lane) ? WAVE_FAULT : read_lane(w, in, lane & (w->width - 1u));
}
/* The first lane that is on; lane 0 when none is. */
static int f_readfirstlane(struct wave *w, const struct lane_insn *in)
{
    uint64_t exec = wave_exec(w);
    return read_lane(w, in, exec ? (unsigned)__builtin_ctzll(exec) : 0);
}
static int f_writelane(struct wave *w, const struct lane_insn *in)
{
    uint32_t v, lane;
    if (scalar(w, in, 0, &v) || scalar(w, in, 1, &lane))
        return WAVE_FAULT;
    vreg(w, in->d.reg)[lane & (w->width - 1u)] = v;
    return 0;
}

/* Each lane takes a lane of its row of 16 (x: of the other row of the pair), named by a nibble of s[1] (lanes
 * 0-7) and s[2] (8-15), or by its own s[1] (var). op_sel[0], as LF_FI or s[0]'s high half: lanes that are off
 * may be read; op_sel[1], as LF_BOUND_CTRL or s[1]'s high half: reading them otherwise gives 0 instead of
 * keeping d. */
static int f_permlane(struct wave *w, const struct lane_insn *in)
{
    int var = in->op == OP_v_permlane16_var_b32 || in->op == OP_v_permlanex16_var_b32;
    int x = in->op == OP_v_permlanex16_b32 || in->op == OP_v_permlanex16_var_b32;
    int fi = (in->flags & LF_FI) || in->s[0].sel == LS_WORD1 || (in->s[0].mods & LM_LO_HI);
    int bound = (in->flags & LF_BOUND_CTRL) || in->s[1].sel == LS_WORD1 || (in->s[1].mods & LM_LO_HI);
    uint32_t sel[2], src[LANES], r[LANES];
    if (in->s[0].kind != LK_VREG || (var && in->s[1].kind != LK_VREG))
        return illegal(w, in, "a vector source is expected");
    if (!var && (scalar(w, in, 1, &sel[0]) || scalar(w, in, 2, &sel[1])))
        return WAVE_FAULT;
    uint64_t exec = wave_exec(w), write = exec;
    memcpy(src, vreg(w, in->s[0].reg), w->width * 4u);
    for (unsigned i = 0; i < w->width; i++) {
        unsigned n = var ? vreg(w, in->s[1].reg)[i] & 15 : sel[i >> 3 & 1] >> (4 * (i & 7)) & 15;
        unsigned j = ((i & ~15u) ^ (x ? 16 : 0)) | n;
        int on = fi || (exec >> j & 1);
        r[i] = on ? src[j] : 0;
        if (!on && !bound)
            write &= ~(1ull << i);
    }
    for (unsigned at = 0; at < w->width; at += CHUNK)
        vop_write(vreg(w, in->d.reg) + at, r + at, (uint32_t)(write >> at));
    return 0;
}
/* The halves of a wave64 change places, whichever lanes are on; nothing in wave32. */
static int f_permlane64(struct wave *w, const struct lane_insn *in)
{
    uint32_t r[LANES];
    uint64_t exec = wave_exec(w);
    if (w->width != 64)
        return 0;
    if (in->s[0].kind != LK_VREG)
        return illegal(w, in, "a vector source is expected");
    memcpy(r, vreg(w, in->s[0].reg) + 32, 128);
    memcpy(r + 32, vreg(w, in->s[0].reg), 128);
    vop_write(vreg(w, in->d.reg), r, (uint32_t)exec);
    vop_write(vreg(w, in->d.reg) + 32, r + 32, (uint32_t)(exec >> 32));
    return 0;
}

/* Ones of s[0] below the lane's own number (lo: lanes 0-31 of the mask, hi: 32-63), plus s[1]. */
static int f_mbcnt(struct wave *w, const struct lane_insn *in)
{
    struct vop o;
    int hi = in->op == OP_v_mbcnt_hi_u32_b32;
    if (vop_begin(w, in, &o, 2, 0))
        return WAVE_FAULT;
    for (unsigned at = 0; at < w->width; at += CHUNK) {
        uint32_t r[CHUNK];
        for (unsigned i = 0; i < CHUNK; i++) {
            uint32_t below = (at == 32) == hi ? (1u << i) - 1 : hi ? 0 : ~0u;
            r[i] = (uint32_t)__builtin_popcount(o.lo[0][at + i] & below) + o.lo[1][at + i];
        }
        vop_put(w, in, &o, at, 32, r, NULL);
    }
    return 0;
}

static int swap_regs(struct wave *w, unsigned a, unsigned b, uint32_t part_a, uint32_t part_b)
{
    uint64_t exec = wave_exec(w);
    uint32_t *x = vreg(w, a), *y = vreg(w, b);
    for (unsigned i = 0; i < w->width; i++) {
        if (!(exec >> i & 1))
            continue;
        unsigned sa = part_a ? (unsigned)__builtin_ctz(part_a) : 0,
                 sb = part_b ? (unsigned)__builtin_ctz(part_b) : 0;
        uint32_t va = (x[i] & part_a) >> sa, vb = (y[i] & part_b) >> sb;
        x[i] = (x[i] & ~part_a) | vb << sa;
        y[i] = (y[i] & ~part_b) | va << sb;
    }
    return 0;
}
static int f_swap(struct wave *w, const struct lane_insn *in)
{
    return in->s[0].kind == LK_VREG ? swap_regs(w, in->d.reg, in->s[0].reg, ~0u, ~0u)
                                    : illegal(w, in, "a vector source is expected");
}
static int f_swap16(struct wave *w, const struct lane_insn *in)
{
    uint32_t a = in->d.sel == LS_WORD1 ? 0xffff0000u : 0xffff,
             b = in->s[0].sel == LS_WORD1 ? 0xffff0000u : 0xffff;
    return in->s[0].kind == LK_VREG ? swap_regs(w, in->d.reg, in->s[0].reg, a, b)
                                    : illegal(w, in, "a vector source is expected");
}

/* Out of range: a source reads v0, a result is dropped. */
static int f_movrel(struct wave *w, const struct lane_insn *in)
{
    uint32_t m0 = w->s[SREG_M0], v = 0;
    int two = in->op == OP_v_movrelsd_2_b32 || in->op == OP_v_swaprel_b32;
    uint64_t d = in->d.reg, s = in->s[0].reg, exec = wave_exec(w);
    if (in->op != OP_v_movrels_b32)
        d += two ? m0 >> 16 & 0x3ff : m0;
    if (in->op != OP_v_movreld_b32)
        s += two ? m0 & 0x3ff : m0;
    if (in->s[0].kind != LK_VREG) {
        if (in->op != OP_v_movreld_b32)
            return illegal(w, in, "a vector source is expected");
        if (scalar(w, in, 0, &v))
            return WAVE_FAULT;
    } else if (s >= w->nvregs) {
        s = 0;
    }
    if (d >= w->nvregs)
        return 0;
    if (in->op == OP_v_swaprel_b32)
        return swap_regs(w, (unsigned)d, (unsigned)s, ~0u, ~0u);
    for (unsigned i = 0; i < w->width; i++)
        if (exec >> i & 1)
            vreg(w, (unsigned)d)[i] = in->s[0].kind == LK_VREG ? vreg(w, (unsigned)s)[i] : v;
    return 0;
}

static int f_scalar_trans(struct wave *w, const struct lane_insn *in)
{
    struct vop o;
    if (vop_begin(w, in, &o, 1, 0))
        return WAVE_FAULT;
    if (in->d.kind != LK_SREG || (in->flags & (LF_CLAMP | LF_OMOD)))
        return illegal(w, in, "a scalar result register and no output modifiers are expected");
    uint32_t x = *o.lo[0], h = lane_ops[in->op].d == LT_F16;
    float a = h ? f32_of_f16(x & 0xffff) : f32_of(x), r;
    switch (in->op) {
    case OP_v_s_exp_f32:
    case OP_v_s_exp_f16:
        r = exp2_32(a);
        break;
    case OP_v_s_log_f32:
    case OP_v_s_log_f16:
        r = log2_32(a);
        break;
    case OP_v_s_rcp_f32:
    case OP_v_s_rcp_f16:
        r = flush32(1 / flush32(a));
        break;
    case OP_v_s_rsq_f32:
    case OP_v_s_rsq_f16:
        r = (float)(1 / sqrt((double)flush32(a)));
        break;
    default:
        r = sqrtf(flush32(a));
    }
    w->s[in->d.reg] = h ? f16_of_f32(r) : bits32(r);
    return 0;
}

#define ROWS  "engine/ops/lane.def"
#define TABLE OPS_TABLE(valu_lane)
#include "engine/ops/rows.h"
