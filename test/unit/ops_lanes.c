/* Modifiers (neg, abs, op_sel, SDWA, DPP, clamp, omod), cross-lane operations, mixed precision and matrices. The
 * expected lanes follow the prose of AMD's ISA documents, lane by lane; nothing is shared with the engine. */
#include "test/unit/ops_rig.h"

static struct rig r, was;
static unsigned variant;
static void begin(const char *name, unsigned width)
{
    int op = lane_op_find(name);
    CHECK(op >= 0);
    rig_init(&r, op < 0 ? 0 : (unsigned)op, width);
    rig_fill(&r);
    wave_set_mask(&r.w, SREG_EXEC, ~0ull);
    r.in.flags = 0;
}
static int go(void)
{
    was = r;
    was.w.v = was.v;
    variant = (variant + 1) % (unsigned)rig_variants();
    return rig_fn((int)variant, r.in.op, r.w.width)(&r.w, &r.in);
}
static uint32_t d(unsigned lane)
{
    return rig_v(&r, RIG_DST)[lane];
}
static uint32_t old(unsigned reg, unsigned lane)
{
    return rig_v(&was, reg)[lane];
}

TEST(source_modifiers)
{
    begin("v_add_f32", 32);
    r.in.s[0].mods = LM_NEG | LM_ABS;
    r.in.s[1].mods = LM_NEG;
    rig_set(&r, 0, 1, 3, 0x40000000); /* -|2| + -3 = -5 */
    rig_set(&r, 8, 1, 3, 0x40400000);
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(3), 0xc0a00000);
    begin("v_add_f64", 64);
    r.in.s[0].mods = LM_NEG;
    rig_set(&r, 0, 2, 40, 0x4000000000000000);
    rig_set(&r, 8, 2, 40, 0x4008000000000000);
    CHECK_EQ(go(), 0);
    CHECK_EQ(rig_get(&r, RIG_DST, 2, 40), 0x3ff0000000000000);
    begin("v_add_nc_u32", 32); /* an integer has no sign to flip */
    r.in.s[0].mods = LM_NEG;
    CHECK_EQ(go(), WAVE_FAULT);
    CHECK_EQ(r.fault.kind, FAULT_ILLEGAL);
    begin("v_bfrev_b32", 32);
    r.in.flags = LF_CLAMP;
    CHECK_EQ(go(), WAVE_FAULT);
}
TEST(halves)
{
    begin("v_add_f16", 32);
    r.in.flags = LF_DST_PRESERVE;
    r.in.s[0].sel = LS_WORD1;
    r.in.d.sel = LS_WORD1;
    rig_set(&r, 0, 1, 0, 0x4000beef); /* high half 2 */
    rig_set(&r, 8, 1, 0, 0xdead3c00); /* low half 1 */
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(0), 0x42000000 | (old(RIG_DST, 0) & 0xffff));
    r.in.flags = LF_SIMPLE | LF_DST_PRESERVE;
    r.in.s[0].sel = r.in.d.sel = LS_DWORD;
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(7) >> 16, old(RIG_DST, 7) >> 16);
    begin("v_cndmask_b16", 32);
    r.in.flags = LF_DST_PRESERVE;
    r.in.s[0].sel = r.in.s[1].sel = r.in.d.sel = LS_WORD1;
    r.w.s[24] = 0x2;
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(0), (old(0, 0) & 0xffff0000) | (old(RIG_DST, 0) & 0xffff));
    CHECK_EQ(d(1), (old(8, 1) & 0xffff0000) | (old(RIG_DST, 1) & 0xffff));
}
TEST(sdwa)
{
    begin("v_add_nc_u32", 64); /* gfx9: byte 2, sign-extended, plus word 1 into byte 1 */
    r.in.s[0].sel = LS_BYTE2, r.in.s[0].mods = LM_SEXT;
    r.in.s[1].sel = LS_WORD1;
    r.in.d.sel = LS_BYTE1;
    for (int k = 0; k < 3; k++) {
        r.in.flags = k == 0 ? 0 : k == 1 ? LF_DST_PRESERVE : LF_DST_SEXT;
        CHECK_EQ(go(), 0);
        for (unsigned l = 0; l < 64; l++) {
            uint32_t sum = (uint32_t)((int8_t)(old(0, l) >> 16) + (int)(old(8, l) >> 16)) & 0xff;
            uint32_t want = sum << 8;
            if (k == 1)
                want |= old(RIG_DST, l) & 0xffff00ff;
            if (k == 2 && (sum & 0x80))
                want |= 0xffff0000;
            CHECK_EQ(d(l), want);
        }
    }
}
TEST(output_modifiers)
{
    const uint32_t in[] = {0x40000000, 0xbf800000, 0x80000000, 0x7fc00000, 0x3f000000}; /* 2 -1 -0 NaN 0.5 */
    const uint32_t clamped[] = {0x3f800000, 0, 0, 0, 0x3f000000};
    begin("v_add_f32", 32);
    for (unsigned l = 0; l < 5; l++)
        rig_set(&r, 0, 1, l, in[l]), rig_set(&r, 8, 1, l, 0x80000000);
    r.in.flags = LF_CLAMP;
    CHECK_EQ(go(), 0);
    for (unsigned l = 0; l < 5; l++)
        CHECK_EQ(d(l), clamped[l]);
    r.w.mode &= ~0x100u; /* without DX10_CLAMP NaN stays */
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(3), 0x7fc00000);
    r.in.flags = LF_OMOD_MUL4;
    r.w.mode = 0xc0; /* no IEEE mode, denormals flushed: it acts */
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(0), 0x41000000);
    CHECK_EQ(d(2), 0);
    r.w.mode = 0x3f0; /* it does not */
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(0), 0x40000000);
}

/* Source lane of DPP16 by the names of the control; -1: none. */
static int dpp_from(unsigned ctrl, int l, int width)
{
    int row = l / 16 * 16, i = l % 16, n = (int)ctrl % 16;
    if (ctrl < 0x100)
        return l / 4 * 4 + (int)(ctrl / (1u << 2 * (l % 4)) % 4);
    switch (ctrl / 16) {
    case 0x10:
        return i + n > 15 ? -1 : l + n;
    case 0x11:
        return i - n < 0 ? -1 : l - n;
    case 0x12:
        return row + (i + 16 - n) % 16;
    case 0x15:
        return row + n;
    case 0x16:
        return row + (i ^ n);
    }
    switch (ctrl) {
    case 0x130:
        return l + 1 < width ? l + 1 : -1;
    case 0x134:
        return (l + 1) % width;
    case 0x138:
        return l - 1;
    case 0x13c:
        return (l + width - 1) % width;
    case 0x140:
        return row + 15 - i;
    case 0x141:
        return l / 8 * 8 + 7 - l % 8;
    case 0x142:
        return l < 16 ? -1 : row - 1;
    default:
        return l < 32 ? -1 : 31;
    }
}
TEST(dpp16)
{
    static const unsigned ctrls[] = {0x1b,  0xe4,  0x00,  0x101, 0x10f, 0x111, 0x118,
                                     0x121, 0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140,
                                     0x141, 0x142, 0x143, 0x150, 0x157, 0x161, 0x16f};
    for (unsigned c = 0; c < sizeof ctrls / sizeof *ctrls; c++)
        for (unsigned k = 0; k < 32; k++) {
            unsigned width = k & 1 ? 64 : 32;
            begin("v_sub_nc_u32", width);
            uint64_t exec = k & 2 ? rig_random() : ~0ull;
            wave_set_mask(&r.w, SREG_EXEC, exec);
            r.in.flags = (uint16_t)(LF_DPP16 | (k & 4 ? LF_BOUND_CTRL : 0) | (k & 8 ? LF_FI : 0));
            r.in.dpp_ctrl = ctrls[c];
            r.in.row_mask = k & 16 ? 0x5 : 0xf;
            r.in.bank_mask = k & 16 ? 0xe : 0xf;
            CHECK_EQ(go(), 0);
            for (unsigned l = 0; l < width; l++) {
                int j = dpp_from(ctrls[c], (int)l, (int)width), keep = !(exec >> l & 1);
                int ok = j >= 0 && ((k & 8) || (exec >> j & 1));
                if ((k & 16) && (l / 16 % 2 || l % 16 < 4))
                    keep = 1;
                if (!ok && !(k & 4))
                    keep = 1;
                CHECK_EQ(d(l), keep ? old(RIG_DST, l) : (ok ? old(0, (unsigned)j) : 0) - old(8, l));
            }
        }
    begin("v_cmp_lt_u32", 32); /* lanes that DPP turns off give 0 */
    r.in.flags = LF_DPP16;
    r.in.dpp_ctrl = 0x111;
    r.in.row_mask = 1, r.in.bank_mask = 0xf;
    for (unsigned l = 0; l < 32; l++)
        rig_set(&r, 0, 1, l, 1), rig_set(&r, 8, 1, l, 2);
    CHECK_EQ(go(), 0);
    CHECK_EQ(r.w.s[10], 0xfffe);
}
TEST(dpp8)
{
    begin("v_mov_b32", 64);
    r.in.flags = LF_DPP8;
    r.in.dpp_ctrl = 07654321 | 0 << 21; /* lane 0 reads 1, 1 reads 2, ... 7 reads 0 */
    uint64_t exec = 0xfffffffffffffff5; /* 1 and 3 are off */
    wave_set_mask(&r.w, SREG_EXEC, exec);
    CHECK_EQ(go(), 0);
    for (unsigned l = 0; l < 64; l++) {
        unsigned j = l / 8 * 8 + (l + 1) % 8;
        CHECK_EQ(d(l), exec >> l & 1 ? (exec >> j & 1 ? old(0, j) : 0) : old(RIG_DST, l));
    }
}

TEST(lane_access)
{
    for (unsigned width = 32; width <= 64; width += 32) {
        begin("v_readlane_b32", width);
        r.in.d = (struct lane_opnd){.kind = LK_SREG, .dwords = 1, .reg = 40};
        r.in.s[1] = (struct lane_opnd){.kind = LK_SREG, .dwords = 1, .reg = 41};
        r.w.s[41] = 64 + 37; /* lane 37; in wave32 lane 5 */
        wave_set_mask(&r.w, SREG_EXEC, 0);
        CHECK_EQ(go(), 0);
        CHECK_EQ(r.w.s[40], old(0, 37 % width));
        begin("v_readfirstlane_b32", width);
        r.in.d = (struct lane_opnd){.kind = LK_SREG, .dwords = 1, .reg = 40};
        wave_set_mask(&r.w, SREG_EXEC, 0xf0);
        CHECK_EQ(go(), 0);
        CHECK_EQ(r.w.s[40], old(0, 4));
        wave_set_mask(&r.w, SREG_EXEC, 0);
        CHECK_EQ(go(), 0);
        CHECK_EQ(r.w.s[40], old(0, 0));
        begin("v_writelane_b32", width);
        r.in.s[0] = (struct lane_opnd){.kind = LK_SREG, .dwords = 1, .reg = 40};
        r.in.s[1] = (struct lane_opnd){.kind = LK_SREG, .dwords = 1, .reg = 41};
        r.w.s[41] = 9;
        wave_set_mask(&r.w, SREG_EXEC, 0);
        CHECK_EQ(go(), 0);
        for (unsigned l = 0; l < width; l++)
            CHECK_EQ(d(l), l == 9 ? r.w.s[40] : old(RIG_DST, l));
        for (int hi = 0; hi < 2; hi++) {
            begin(hi ? "v_mbcnt_hi_u32_b32" : "v_mbcnt_lo_u32_b32", width);
            CHECK_EQ(go(), 0);
            for (unsigned l = 0; l < width; l++) {
                uint32_t n = old(8, l);
                for (unsigned b = 0; b < 32; b++)
                    n += (hi ? b + 32 : b) < l && (old(0, l) >> b & 1);
                CHECK_EQ(d(l), n);
            }
        }
    }
}
TEST(permlanes)
{
    for (int k = 0; k < 16; k++) {
        unsigned width = k & 1 ? 64 : 32;
        int x = k & 2, fi = k & 4, bound = k & 8;
        begin(x ? "v_permlanex16_b32" : "v_permlane16_b32", width);
        r.in.s[1] = (struct lane_opnd){.kind = LK_SREG, .dwords = 1, .reg = 40};
        r.in.s[2] = (struct lane_opnd){.kind = LK_SREG, .dwords = 1, .reg = 41};
        r.in.flags = (uint16_t)((fi ? LF_FI : 0) | (bound ? LF_BOUND_CTRL : 0));
        uint64_t exec = rig_random(), sel = r.w.s[40] | (uint64_t)r.w.s[41] << 32;
        wave_set_mask(&r.w, SREG_EXEC, exec);
        CHECK_EQ(go(), 0);
        for (unsigned l = 0; l < width; l++) {
            unsigned j = (l / 16 * 16 + (unsigned)(sel >> 4 * (l % 16)) % 16) ^ (x ? 16 : 0);
            uint32_t want = fi || (exec >> j & 1) ? old(0, j) : bound ? 0 : old(RIG_DST, l);
            CHECK_EQ(d(l), exec >> l & 1 ? want : old(RIG_DST, l));
        }
    }
    begin("v_permlane64_b32", 64);
    wave_set_mask(&r.w, SREG_EXEC, 0xffff0000ffff0000);
    CHECK_EQ(go(), 0);
    for (unsigned l = 0; l < 64; l++)
        CHECK_EQ(d(l), l % 32 >= 16 ? old(0, (l + 32) % 64) : old(RIG_DST, l));
    begin("v_swap_b32", 32);
    wave_set_mask(&r.w, SREG_EXEC, 0x0f);
    CHECK_EQ(go(), 0);
    for (unsigned l = 0; l < 32; l++) {
        CHECK_EQ(d(l), l < 4 ? old(0, l) : old(RIG_DST, l));
        CHECK_EQ(rig_v(&r, 0)[l], l < 4 ? old(RIG_DST, l) : old(0, l));
    }
}
TEST(relative_moves)
{
    begin("v_movrels_b32", 32);
    r.w.s[SREG_M0] = 5;
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(11), old(5, 11));
    r.w.s[SREG_M0] = 0xffffff00; /* out of range: v0 */
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(11), old(0, 11));
    begin("v_movreld_b32", 64);
    r.w.s[SREG_M0] = 3;
    CHECK_EQ(go(), 0);
    CHECK_EQ(rig_v(&r, RIG_DST + 3)[50], old(0, 50));
    r.w.s[SREG_M0] = 1000; /* dropped */
    CHECK_EQ(go(), 0);
    CHECK(!memcmp(r.v, was.v, sizeof r.v));
    begin("v_movrelsd_2_b32", 32);
    r.w.s[SREG_M0] = 7 << 16 | 2;
    CHECK_EQ(go(), 0);
    CHECK_EQ(rig_v(&r, RIG_DST + 7)[1], old(2, 1));
}

TEST(packed_selects)
{
    for (unsigned k = 0; k < 16; k++) {
        begin("v_pk_sub_u16", 32);
        r.in.s[0].mods = (uint8_t)((k & 1 ? LM_LO_HI : 0) | (k & 2 ? LM_HI_HI : 0));
        r.in.s[1].mods = (uint8_t)((k & 4 ? LM_LO_HI : 0) | (k & 8 ? LM_HI_HI : 0));
        CHECK_EQ(go(), 0);
        for (unsigned l = 0; l < 32; l++) {
            uint16_t a[2] = {(uint16_t)old(0, l), (uint16_t)(old(0, l) >> 16)};
            uint16_t b[2] = {(uint16_t)old(8, l), (uint16_t)(old(8, l) >> 16)};
            uint16_t lo = (uint16_t)(a[k & 1] - b[k >> 2 & 1]),
                     hi = (uint16_t)(a[k >> 1 & 1] - b[k >> 3 & 1]);
            CHECK_EQ(d(l), lo | (uint32_t)hi << 16);
        }
    }
    begin("v_pk_add_i16", 32);
    r.in.flags = LF_CLAMP;
    rig_set(&r, 0, 1, 2, 0x80007fff);
    rig_set(&r, 8, 1, 2, 0xffff0001);
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(2), 0x80007fff);
    begin("v_pk_mul_f16", 32);
    r.in.s[0].mods = LM_HI_HI | LM_NEG;
    r.in.s[1].mods = LM_HI_HI | LM_NEG_HI;
    rig_set(&r, 0, 1, 2, 0x40003c00); /* (1, 2) x (3, 1): (-3, -2) */
    rig_set(&r, 8, 1, 2, 0x3c004200);
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(2), 0xc000c200);
    begin("v_dot4_i32_iu8", 32);
    r.in.s[0].mods = LM_HI_HI | LM_NEG; /* a signed, b unsigned */
    rig_set(&r, 0, 1, 2, 0xff01ff01);
    rig_set(&r, 8, 1, 2, 0xff0201ff);
    rig_set(&r, 16, 1, 2, 1000);
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(2), 1000 + 255 - 1 + 2 - 255);
}
TEST(mixed_precision)
{
    begin("v_fma_mix_f32", 32); /* |high half| x single + -(low half) */
    r.in.s[0].mods = LM_HI_HI | LM_LO_HI | LM_NEG_HI;
    r.in.s[2].mods = LM_HI_HI | LM_NEG;
    rig_set(&r, 0, 1, 4, 0xc000ffff);
    rig_set(&r, 8, 1, 4, 0x40400000);
    rig_set(&r, 16, 1, 4, 0x3c00);
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(4), 0x40a00000);
    r.in.op = (uint16_t)lane_op_find("v_fma_mixhi_f16");
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(4), 0x45000000 | (old(RIG_DST, 4) & 0xffff));
    r.in.op = (uint16_t)lane_op_find("v_fma_mixlo_f16");
    CHECK_EQ(go(), 0);
    CHECK_EQ(d(4), 0x4500 | (old(RIG_DST, 4) & 0xffff0000));
}

/* Small integers, exact in every format. */
static int small(unsigned row, unsigned k)
{
    return (int)(row * 7 + k * 3) % 5 - 2;
}
static uint32_t f16_small(int v) /* -2..2 */
{
    static const uint16_t h[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000};
    return h[v + 2];
}
static float as_float(uint32_t v)
{
    float f;
    memcpy(&f, &v, 4);
    return f;
}
TEST(matrix_layouts)
{
    for (unsigned k = 0; k < 4; k++) {
        unsigned width = k & 1 ? 64 : 32, gen = k & 2 ? 12 : 11, groups = width / 16;
        for (int ints = 0; ints < 2; ints++) {
            unsigned bits = ints ? 8 : 16, share = gen == 12 ? groups : 1;
            begin(ints ? "v_wmma_i32_16x16x16_iu8" : "v_wmma_f32_16x16x16_f16", width);
            r.w.gen = (uint8_t)gen;
            r.in.s[0].mods = r.in.s[1].mods = ints ? LM_NEG | LM_HI_HI : LM_HI_HI;
            memset(r.v, 0, (size_t)RIG_VREGS * width * 4);
            for (unsigned l = 0; l < width; l++)
                for (unsigned e = 0; e < 16 / share; e++) {
                    unsigned kk = share == 1 ? e : l / 16 * (16 / share) + e;
                    int a = small(l % 16, kk), b = small(kk, l % 16 + 3);
                    uint32_t xa = ints ? (uint8_t)a : f16_small(a), xb = ints ? (uint8_t)b : f16_small(b);
                    rig_v(&r, e * bits / 32)[l] |= xa << e * bits % 32;
                    rig_v(&r, 8 + e * bits / 32)[l] |= xb << e * bits % 32;
                }
            for (unsigned i = 0; i < 256 / width; i++)
                for (unsigned l = 0; l < width; l++) /* C: 100 i + l */
                    rig_v(&r, 16 + i)[l] = ints ? 100 * i + l : 0;
            CHECK_EQ(go(), 0);
            for (unsigned i = 0; i < 256 / width; i++)
                for (unsigned l = 0; l < width; l++) {
                    unsigned row = gen == 12 ? i + l / 16 * (16 / groups) : i * groups + l / 16, col = l % 16;
                    int sum = ints ? (int)(100 * i + l) : 0;
                    for (unsigned kk = 0; kk < 16; kk++)
                        sum += small(row, kk) * small(kk, col + 3);
                    uint32_t got = rig_v(&r, RIG_DST + i)[l];
                    CHECK_EQ(ints ? (int)got : (int)as_float(got), sum);
                }
        }
    }
}

int main(void)
{
    RUN(source_modifiers);
    RUN(halves);
    RUN(sdwa);
    RUN(output_modifiers);
    RUN(dpp16);
    RUN(dpp8);
    RUN(lane_access);
    RUN(permlanes);
    RUN(relative_moves);
    RUN(packed_selects);
    RUN(mixed_precision);
    RUN(matrix_layouts);
    return test_done();
}
