/* AMD machine code to lane programs: one decoded instruction becomes one operation (dual issue: two).
 * Everything is driven by the tables: operand kinds and types by the instruction's row (inst.h), operand
 * roles by the operation's row (engine/ops.h). Operands the encoding leaves out are filled in from the
 * operation: a missing mask is VCC, a missing last source is the accumulator in the destination. */
#include "base/bits.h"
#include "base/err.h"
#include "engine/ops.h"
#include "isa/amd/amd.h"
#include <stdio.h>
#include <string.h>

struct tr {
    const struct amd_inst *i;
    struct lane_prog *p;
    const struct lane_op_info *op;
    struct lane_insn in;
    unsigned width, nvregs;
    uint32_t word; /* first dword of the encoding */
    unsigned type; /* of the operand at hand, by the operation's row */
    int bad;       /* LI_* + 1, or a negative errno */
};

static void refuse(struct tr *t, int why)
{
    if (!t->bad)
        t->bad = why + 1;
}

/* Values of inline constants 240..248 by format: +-0.5 1 2 4, 1/(2 pi). */
static const uint32_t inline_f32[9] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                       0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static const uint16_t inline_f16[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                       0xc000, 0x4400, 0xc400, 0x3118};
static const uint64_t inline_f64[9] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                       0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                       0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

static uint64_t inline_float(unsigned k, const struct amd_operand *o)
{
    switch (o->type) {
    case AMD_T_I16:
    case AMD_T_F16:
    case AMD_T_V2I16:
    case AMD_T_V2F16:
        return inline_f16[k];
    case AMD_T_BF16:
    case AMD_T_V2BF16:
        return inline_f32[k] >> 16;
    default:
        return o->dwords == 2 ? inline_f64[k] : inline_f32[k];
    }
}

/* A literal in a 64-bit operand: the high half of a double; sign-extended for signed integers; else
 * zero-extended. */
static uint64_t wide_literal(uint32_t v, const struct amd_operand *o, unsigned type)
{
    if (o->type == AMD_T_F64)
        return (uint64_t)v << 32;
    return type == LT_I64 ? (uint64_t)(int64_t)(int32_t)v : v;
}

static void set_const(struct tr *t, struct lane_opnd *out, uint64_t v, unsigned dwords)
{
    dwords = dwords == 2 ? 2 : 1;
    int k = lane_prog_const(t->p, v, dwords);
    if (k < 0)
        t->bad = k;
    *out = (struct lane_opnd){.kind = LK_CONST, .dwords = (uint8_t)dwords, .reg = (uint16_t)k};
}

static void set_vreg(struct tr *t, struct lane_opnd *out, unsigned reg, unsigned dwords)
{
    if (reg + dwords > t->nvregs)
        refuse(t, LI_VGPR);
    *out = (struct lane_opnd){.kind = LK_VREG, .dwords = (uint8_t)dwords, .reg = (uint16_t)reg};
}

/* Scalar operand codes to canonical registers. gfx9: 102 flat_scratch, 104 xnack_mask, 124 m0. gfx10: 124 m0,
 * 125 null. gfx11 on: 124 null, 125 m0, as canonical. */
static int canonical_sreg(const struct tr *t, unsigned code)
{
    int gfx9 = t->i->gpu <= AMD_GFX942;
    if (gfx9 && code >= 102 && code <= 105)
        return (int)(SREG_FLAT_SCRATCH + code - 102);
    if (t->i->gpu <= AMD_GFX1030 && (code == 124 || code == 125))
        return code == 124 ? SREG_M0 : gfx9 ? -1 : SREG_SINK;
    return code < 128 ? (int)code : -1;
}

static void set_sreg(struct tr *t, struct lane_opnd *out, unsigned code, unsigned dwords, int is_dst)
{
    int r = canonical_sreg(t, code);
    if (r == SREG_SINK && !is_dst) {
        set_const(t, out, 0, dwords);
        return;
    }
    if (r == SREG_SINK && dwords > 1)
        r = SREG_SINK_WIDE;
    unsigned end = r < SREG_VCC    ? SREG_VCC + 2u
                   : r < SREG_SINK ? SREG_SINK
                   : r < SREG_EXEC ? (unsigned)r + 1
                                   : SREG_COUNT;
    if (r < 0 || r + dwords > end)
        refuse(t, LI_OPERAND);
    *out = (struct lane_opnd){.kind = LK_SREG, .dwords = (uint8_t)dwords, .reg = (uint16_t)(r < 0 ? 0 : r)};
}

/* Registers an operand covers; a lane mask is one scalar register in wave32 and two in wave64. */
static unsigned dwords_of(const struct tr *t, const struct amd_operand *o)
{
    return o->type == AMD_T_MASK ? t->width / 32 : o->dwords;
}

static void set_src(struct tr *t, struct lane_opnd *out, unsigned code, const struct amd_operand *o)
{
    unsigned n = dwords_of(t, o);
    if (code >= 256)
        set_vreg(t, out, code - 256, n);
    else if (code < 128)
        set_sreg(t, out, code, n, 0);
    else if (code <= 208)
        set_const(t, out, (uint64_t)(int64_t)(code <= 192 ? (int)code - 128 : 192 - (int)code), n);
    else if (code >= 240 && code <= 248)
        set_const(t, out, inline_float(code - 240, o), n);
    else if (code == 255)
        set_const(t, out, n == 2 ? wide_literal(t->i->literal, o, t->type) : t->i->literal, n);
    else if (code == 253)
        *out = (struct lane_opnd){.kind = LK_SCC, .dwords = 1};
    else if ((code == 235 || code == 237) && n == 2)
        set_const(t, out, code == 235 ? AMD_SHARED_BASE : AMD_PRIVATE_BASE, 2);
    else if ((code == 236 || code == 238) && n == 2)
        set_const(t, out, (code == 236 ? AMD_SHARED_BASE : AMD_PRIVATE_BASE) | 0xffffffff, 2);
    else
        refuse(t, LI_OPERAND);
}

/* One operand of the row to `out`. */
static void set_operand(struct tr *t, struct lane_opnd *out, const struct amd_operand *o, int is_dst)
{
    unsigned v = t->i->f[o->field], high = amd_high_half(o, v);
    if (high)
        v &= ~128u;
    switch (o->kind) {
    case AMD_OP_VGPR:
        /* gfx90a and gfx942 put accumulation registers behind bit 9 of vdata and the like */
        set_vreg(t, out, v & 0x200 ? 256 + (v & 255) : v, o->dwords);
        break;
    case AMD_OP_AGPR:
        set_vreg(t, out, 256 + (v & 255), o->dwords);
        break;
    case AMD_OP_SGPR:
        set_sreg(t, out, v, dwords_of(t, o), is_dst);
        break;
    case AMD_OP_SRC:
        set_src(t, out, v, o);
        break;
    case AMD_OP_K:
        set_const(t, out, t->i->literal, 1);
        break;
    default:
        refuse(t, LI_OPERAND);
    }
    if (high)
        out->sel = LS_WORD1;
}

static void set_vcc(struct tr *t, struct lane_opnd *out)
{
    *out = (struct lane_opnd){.kind = LK_SREG, .dwords = (uint8_t)(t->width / 32), .reg = SREG_VCC};
}

static int is_half(unsigned type)
{
    return type >= LT_U16 && type <= LT_BF16;
}
static int is_packed(unsigned type)
{
    return type >= LT_PKU16 && type <= LT_PKF32;
}
static int is_float(unsigned type)
{
    return type == LT_F16 || type == LT_BF16 || type == LT_F32 || type == LT_F64;
}

/* Source modifier bits as LLVM lays them out: 1 neg (SDWA integer: sext), 2 abs (packed: neg_hi), 4 op_sel, 8
 * op_sel_hi (packed) or destination op_sel (VOP3, first source only). */
static void set_mods(struct tr *t, struct lane_opnd *o, unsigned raw, unsigned type, int k)
{
    int vop3p = t->i->row->enc == AMD_ENC_VOP3P, mix = strstr(t->op->name, "mix") != NULL;
    if (raw & 1)
        o->mods |= (t->i->row->flags & AMD_SDWA) && !is_float(type) ? LM_SEXT : LM_NEG;
    if (raw & 2)
        o->mods |= vop3p && !mix ? LM_NEG_HI : LM_ABS; /* mixed precision: abs there */
    if (vop3p && type == LT_F32 && !mix)               /* an accumulator has no halves */
        return;
    if (vop3p) {
        o->mods |= (raw & 4 ? LM_LO_HI : 0) | (raw & 8 ? LM_HI_HI : 0);
        return;
    }
    if (raw & 4)
        o->sel = LS_WORD1;
    if (raw & 8) {
        if (k == 0)
            t->in.d.sel = LS_WORD1;
        else
            refuse(t, LI_MODIFIER);
    }
    /* the permlanes take their two controls there */
    if ((raw & 4) && !is_half(type) && !is_packed(type) && t->op->cls != LC_LANE)
        refuse(t, LI_MODIFIER);
}

static const uint8_t sdwa_sel[8] = {LS_BYTE0, LS_BYTE1, LS_BYTE2, LS_BYTE3,
                                    LS_WORD0, LS_WORD1, LS_DWORD, LS_DWORD};

static void set_vector_controls(struct tr *t)
{
    const struct amd_inst *i = t->i;
    struct lane_insn *in = &t->in;
    if (i->f[AF_clamp])
        in->flags |= LF_CLAMP;
    in->flags |= (uint16_t)(i->f[AF_omod] * LF_OMOD_MUL2);
    if (i->row->flags & AMD_DPP16) {
        in->flags |= LF_DPP16 | (i->f[AF_bound_ctrl] ? LF_BOUND_CTRL : 0) | (i->f[AF_fi] ? LF_FI : 0);
        in->dpp_ctrl = i->f[AF_dpp_ctrl];
        in->row_mask = (uint8_t)i->f[AF_row_mask];
        in->bank_mask = (uint8_t)i->f[AF_bank_mask];
    }
    if (i->row->flags & AMD_DPP8) {
        in->flags |= LF_DPP8 | (i->f[AF_fi] ? LF_FI : 0);
        in->dpp_ctrl = i->f[AF_dpp8];
    }
    if (i->row->flags & AMD_SDWA) {
        if (amd_has(i, AF_src0_sel))
            in->s[0].sel = sdwa_sel[i->f[AF_src0_sel] & 7];
        if (amd_has(i, AF_src1_sel))
            in->s[1].sel = sdwa_sel[i->f[AF_src1_sel] & 7];
        if (amd_has(i, AF_dst_sel))
            in->d.sel = sdwa_sel[i->f[AF_dst_sel] & 7];
        if (i->f[AF_dst_unused])
            in->flags |= i->f[AF_dst_unused] == 2 ? LF_DST_PRESERVE : LF_DST_SEXT;
    } else if (i->gpu >= AMD_GFX1030 && is_half(t->op->d))
        in->flags |= LF_DST_PRESERVE;
}

/* The first operand fields that are results; `s_cmpk`, `s_setreg` and stores name a source there. */
static int is_result(const struct tr *t, unsigned field)
{
    if (field == AF_vdst || field == AF_vdstX || field == AF_vdstY)
        return 1;
    return field == AF_sdst && (t->op->d != LT_NONE || t->op->d2 != LT_NONE);
}

/* Does an operand field belong to this half of a dual-issue pair (0: no pair, 'X', 'Y')? */
static int in_half(unsigned field, int half)
{
    switch (field) {
    case AF_vdstX:
    case AF_src0X:
    case AF_vsrc1X:
        return half == 'X';
    case AF_vdstY:
    case AF_src0Y:
    case AF_vsrc1Y:
        return half == 'Y';
    default:
        return 1;
    }
}

static void set_alu_operands(struct tr *t, int half)
{
    static const uint8_t mod_field[3] = {AF_src0_modifiers, AF_src1_modifiers, AF_src2_modifiers};
    const struct amd_form *form = &amd_form[t->i->row->form];
    struct lane_insn *in = &t->in;
    const struct amd_operand *konst = NULL;
    int results = 0, k = 0;
    for (int n = 0; n < form->count; n++) {
        const struct amd_operand *o = &form->op[n];
        if (o->kind == AMD_OP_IMM || !in_half(o->field, half))
            continue;
        if (o->kind == AMD_OP_K && half) { /* one entry, wherever it stands, for either half or both */
            konst = o;
            continue;
        }
        if (is_result(t, o->field) && results < 2) {
            set_operand(t, results++ ? &in->d2 : &in->d, o, 1);
            continue;
        }
        if (k == 4)
            break;
        t->type = t->op->s[k];
        set_operand(t, &in->s[k], o, 0);
        if (is_packed(t->type) && t->i->row->enc != AMD_ENC_VOP3P) /* no op_sel: both halves in place */
            in->s[k].mods |= LM_HI_HI;
        for (int m = 0; m < 3; m++)
            if (amd_has(t->i, (enum amd_field)mod_field[m]) && o->field == AF_src0 + m)
                set_mods(t, &in->s[k], t->i->f[mod_field[m]], t->op->s[k], k);
        k++;
    }
    int middle = konst && !strcmp(t->op->name, "v_fmamk_f32");
    if (middle)
        in->s[2] = in->s[1];
    if (middle || (konst && !strcmp(t->op->name, "v_fmaak_f32"))) {
        t->type = t->op->s[2 - middle];
        set_operand(t, &in->s[2 - middle], konst, 0);
    }
}

/* Operands that the encoding leaves out. */
static void set_implicit_operands(struct tr *t)
{
    struct lane_insn *in = &t->in;
    int exec_only = t->i->gpu > AMD_GFX942 && !strncmp(t->op->name, "v_cmpx", 6); /* gfx10 on */
    if (t->op->d == LT_MASK && !in->d.kind && !exec_only)
        set_vcc(t, &in->d);
    if (t->op->d2 == LT_MASK && !in->d2.kind)
        set_vcc(t, &in->d2);
    for (int k = 0; k < 4; k++) {
        if (t->op->s[k] == LT_NONE || in->s[k].kind)
            continue;
        if (t->op->s[k] == LT_MASK)
            set_vcc(t, &in->s[k]);
        else if (in->d.kind) {
            in->s[k] = in->d;
        }
    }
}

/* VOP3's op_sel bits 14:11 choose halves of every 16-bit operand from gfx11 on; LLVM's rows for them as whole registers
 * leave the bits out. */
static void set_halves(struct tr *t)
{
    if (t->i->row->enc != AMD_ENC_VOP3 || t->i->gpu < AMD_GFX1100)
        return;
    for (int k = 0; k < 3; k++)
        if (t->word >> (11 + k) & 1 && is_half(t->op->s[k]))
            t->in.s[k].sel = LS_WORD1;
    if (t->word >> 14 & 1 && is_half(t->op->d))
        t->in.d.sel = LS_WORD1;
}

static void set_memory(struct tr *t, const struct amd_map *map)
{
    static const struct {
        uint8_t field, role; /* role: 0..3 s[role] */
    } src[] = {{AF_vaddr, 0}, {AF_addr, 0},  {AF_data0, 1},   {AF_saddr, 2},
               {AF_srsrc, 2}, {AF_sbase, 2}, {AF_soffset, 3}, {AF_data1, 3}};
    const struct amd_inst *i = t->i;
    struct lane_insn *in = &t->in;
    const struct amd_operand *o;
    static const uint8_t addr[] = {
        [AMD_ENC_DS] = LA_LDS,        [AMD_ENC_BUFFER] = LA_BUFFER,   [AMD_ENC_FLAT] = LA_FLAT,
        [AMD_ENC_GLOBAL] = LA_GLOBAL, [AMD_ENC_SCRATCH] = LA_SCRATCH, [AMD_ENC_SMEM] = LA_SCALAR};
    in->addr = addr[i->row->enc];
    for (unsigned n = 0; n < ARRAY_LEN(src); n++)
        if ((o = amd_operand(i, (enum amd_field)src[n].field)) && o->kind != AMD_OP_IMM)
            set_operand(t, &in->s[src[n].role], o, 0);
    if ((o = amd_operand(i, AF_vdst)) || (o = amd_operand(i, AF_sdst)))
        set_operand(t, &in->d, o, 1);
    if ((o = amd_operand(i, AF_vdata))) {
        int load = t->op->d != LT_NONE && t->op->s[1] == LT_NONE; /* buffer loads name their result so */
        if (load || (in->addr == LA_BUFFER && (i->row->flags & AMD_RTN)))
            set_operand(t, &in->d, o, 1);
        if (!load)
            set_operand(t, &in->s[1], o, 0);
    }
    if (in->addr == LA_SCRATCH && in->s[2].kind == LK_CONST)
        in->s[2] = (struct lane_opnd){0};
    in->flags |= (i->row->flags & AMD_TFE ? LF_TFE : 0) | (i->f[AF_gds] ? LF_GDS : 0);
    if (in->d.kind && t->op->s[1] != LT_NONE)
        in->flags |= LF_RETURN;
    if (map->swap) {
        struct lane_opnd data = in->s[1];
        in->s[1] = in->s[3];
        in->s[3] = data;
    }
    in->aux = (uint8_t)((i->row->flags & AMD_OFFEN ? LB_OFFEN : 0) |
                        (i->row->flags & AMD_IDXEN ? LB_IDXEN : 0) | (i->row->flags & AMD_LDS ? LB_LDS : 0));
    in->cache = (uint8_t)i->f[AF_cpol];
    if (map->unit) {
        in->imm = (int32_t)i->f[AF_offset0] * map->unit;
        in->imm2 = (int32_t)i->f[AF_offset1] * map->unit;
    } else
        in->imm = amd_offset(i);
}

static void set_scalar(struct tr *t)
{
    const struct amd_inst *i = t->i;
    struct lane_insn *in = &t->in;
    set_alu_operands(t, 0);
    if (i->row->enc == AMD_ENC_SOPK || i->row->enc == AMD_ENC_SOPP)
        in->imm = (int16_t)i->f[AF_simm16];
    if (in->op == OP_s_branch || (in->op >= OP_s_cbranch_scc0 && in->op <= OP_s_cbranch_cdbgsys_and_user) ||
        in->op == OP_s_call_b64)
        in->imm *= 4;
    if (i->row->enc == AMD_ENC_SOP1 && (in->op == OP_s_sendmsg_rtn_b32 || in->op == OP_s_sendmsg_rtn_b64))
        in->imm = (int32_t)i->f[AF_src0];
    if (in->op == OP_s_setreg_imm32_b32) {
        in->imm = (int16_t)i->f[AF_simm16];
        set_const(t, &in->s[0], i->has_literal ? i->literal : i->f[AF_imm], 1);
    }
}

static int is_simple(const struct lane_insn *in)
{
    if (in->flags & (LF_CLAMP | LF_OMOD | LF_DPP16 | LF_DPP8 | LF_DST_SEXT) || in->d.sel)
        return 0;
    for (int k = 0; k < 4; k++)
        if (in->s[k].mods || in->s[k].sel)
            return 0;
    return 1;
}

static int never_falls(unsigned op)
{
    return op == OP_s_branch || op == OP_s_setpc_b64 || op == OP_s_swappc_b64 || op == OP_s_call_b64 ||
           op == OP_s_endpgm || op == OP_s_illegal;
}

/* Appends one operation; half: 'X' or 'Y' of a dual-issue pair, else 0. */
static int add(struct tr *t, const struct amd_map *map, uint64_t pc, int half)
{
    t->bad = 0;
    t->in = (struct lane_insn){.op = (uint16_t)(map->op < 0 ? OP_s_illegal : map->op),
                               .size = t->i->size,
                               .target = -1,
                               .pc = (uint32_t)(pc - lane_prog_base(t->p))};
    t->op = &lane_ops[t->in.op];
    t->in.fn = lane_op_fn(t->in.op, t->width);
    if (map->op < 0 || !t->in.fn)
        refuse(t, LI_UNSUPPORTED);
    else if (t->op->cls == LC_MEM && t->i->row->enc >= AMD_ENC_SMEM && !half)
        set_memory(t, map);
    else if (t->i->row->enc <= AMD_ENC_SOPP || t->i->row->enc == AMD_ENC_SMEM)
        set_scalar(t);
    else {
        set_alu_operands(t, half);
        set_halves(t);
        set_implicit_operands(t);
        if (!half)
            set_vector_controls(t);
        if (is_simple(&t->in))
            t->in.flags |= LF_SIMPLE;
    }
    if (t->op->cls == LC_SALU)
        set_implicit_operands(t);
    if (t->bad < 0)
        return t->bad;
    if (t->bad) {
        t->in = (struct lane_insn){.op = OP_s_illegal,
                                   .size = t->i->size,
                                   .target = -1,
                                   .pc = t->in.pc,
                                   .aux = (uint8_t)(t->bad - 1)};
        t->in.fn = lane_op_fn(OP_s_illegal, t->width);
    }
    if (never_falls(t->in.op))
        t->in.flags |= LF_BLOCK_END | LF_NO_FALL;
    return lane_prog_add(t->p, &t->in);
}

/* Both halves read before either writes: order them so that this holds, or have s_vopd do it. */
static int add_pair(struct tr *t, uint64_t pc)
{
    const struct amd_row *row = t->i->row;
    struct amd_map mx = amd_map_of(row->base), my = amd_map_of(row->base_y);
    const uint32_t *f = t->i->f;
    unsigned dx = f[AF_vdstX], dy = f[AF_vdstY];
    int y_reads_x = f[AF_src0Y] == 256 + dx || f[AF_vsrc1Y] == dx;
    int x_reads_y = f[AF_src0X] == 256 + dy || f[AF_vsrc1X] == dy;
    if (y_reads_x && x_reads_y) {
        struct lane_insn both = {.op = OP_s_vopd,
                                 .fn = lane_op_fn(OP_s_vopd, t->width),
                                 .size = t->i->size,
                                 .target = -1,
                                 .pc = (uint32_t)(pc - lane_prog_base(t->p))};
        int r = lane_prog_add(t->p, &both);
        if (r < 0)
            return r;
    }
    int first_y = y_reads_x && !x_reads_y;
    int r = add(t, first_y ? &my : &mx, pc, first_y ? 'Y' : 'X');
    if (r >= 0)
        r = add(t, first_y ? &mx : &my, pc, first_y ? 'X' : 'Y');
    return r;
}

/* Appends what one decoded instruction does. Index of the last operation appended, or -errno. */
static int add_inst(struct tr *t, uint64_t pc, int *no_fall)
{
    struct amd_map map = amd_map_of(t->i->row->base);
    if (map.nop)
        return lane_prog_alias(t->p, pc);
    if (t->i->row->enc == AMD_ENC_VOPD)
        return add_pair(t, pc);
    int r = add(t, &map, pc, 0);
    *no_fall = never_falls(t->in.op);
    return r;
}

static int translate(const struct eng_isa *isa, struct lane_prog *p, uint64_t pc, const uint8_t *bytes,
                     size_t avail, unsigned width, unsigned nvregs)
{
    enum amd_gpu gpu = (enum amd_gpu)amd_gpu_of_name(isa->name);
    struct amd_inst inst;
    struct tr t = {.i = &inst, .p = p, .width = width, .nvregs = nvregs};
    size_t at = 0;
    for (int no_fall = 0; !no_fall && at < avail;) {
        int n = amd_decode(gpu, width == 64, bytes + at, avail - at, &inst), r;
        if (n == -ENODATA && at)
            break;
        if (n < 0) {
            struct lane_insn bad = {.op = OP_s_illegal,
                                    .fn = lane_op_fn(OP_s_illegal, width),
                                    .size = 4,
                                    .flags = LF_BLOCK_END | LF_NO_FALL,
                                    .target = -1,
                                    .aux = LI_UNKNOWN,
                                    .pc = (uint32_t)(pc + at - lane_prog_base(p))};
            r = lane_prog_add(p, &bad);
            no_fall = 1;
            n = 4;
        } else {
            t.word = load32(bytes + at);
            r = add_inst(&t, pc + at, &no_fall);
        }
        if (r < 0)
            return r;
        at += (size_t)n;
    }
    return (int)(at < avail ? at : avail);
}

static void text(const struct eng_isa *isa, const uint8_t *bytes, size_t avail, uint64_t pc, unsigned width,
                 char *buf, size_t n)
{
    struct amd_inst inst;
    if (amd_decode((enum amd_gpu)amd_gpu_of_name(isa->name), width == 64, bytes, avail, &inst) > 0)
        amd_print(&inst, width == 64, pc, buf, n);
    else if (avail >= 8)
        snprintf(buf, n, ".long 0x%08x, 0x%08x", load32(bytes), load32(bytes + 4));
    else
        snprintf(buf, n, avail >= 4 ? ".long 0x%08x" : "(%u bytes)",
                 avail >= 4 ? load32(bytes) : (unsigned)avail);
}

const struct eng_isa *amd_isa(enum amd_gpu gpu)
{
    static const struct eng_isa isas[AMD_GPU_COUNT] = {
        [AMD_GFX906] = {"gfx906", ISA_GFX9, translate, text},
        [AMD_GFX90A] = {"gfx90a", ISA_GFX9, translate, text},
        [AMD_GFX942] = {"gfx942", ISA_GFX9, translate, text},
        [AMD_GFX1030] = {"gfx1030", ISA_GFX10, translate, text},
        [AMD_GFX1100] = {"gfx1100", ISA_GFX11, translate, text},
        [AMD_GFX1201] = {"gfx1201", ISA_GFX12, translate, text},
    };
    return &isas[gpu];
}
