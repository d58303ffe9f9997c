/* Atomics, LDS exchanges, buffers and scalar loads. Expected values are worked out by hand from AMD's ISA
 * documents' definitions; cases named by their number are public reports. */
#include "test/unit/engine_rig.h"
#include <math.h>
#include <pthread.h>

enum { ADDR = 2, DST = 8, A = 16, B = 18 };
static uint32_t dst[2][64];
static void (*setup)(struct wave *w);

static void init(struct wave *w, const uint32_t size[3])
{
    (void)size;
    setup(w);
}
static int keep(struct wave *w, const struct lane_insn *in)
{
    (void)in;
    memcpy(dst[0], w->v + DST * w->width, w->width * 4);
    memcpy(dst[1], w->v + (DST + 1) * w->width, w->width * 4);
    memcpy(rig.data + 32768, w->group->lds, 1024);
    return WAVE_GO;
}
static struct lane_opnd vreg(unsigned r, unsigned dwords)
{
    return (struct lane_opnd){.kind = LK_VREG, .dwords = (uint8_t)dwords, .reg = (uint16_t)r};
}
static struct lane_opnd sreg(unsigned r, unsigned dwords)
{
    return (struct lane_opnd){.kind = LK_SREG, .dwords = (uint8_t)dwords, .reg = (uint16_t)r};
}
static struct lane_insn *op_insn(const char *name, unsigned addr)
{
    int op = lane_op_find(name);
    if (op < 0)
        printf("  no operation %s\n", name);
    CHECK(op >= 0);
    struct lane_insn *in = rig_add(NULL, op < 0 ? 0 : (unsigned)op, LF_RETURN);
    in->addr = (uint8_t)addr;
    in->s[0] = vreg(ADDR, 2);
    in->s[1] = vreg(A, 2);
    in->d = vreg(DST, 2);
    return in;
}
static void finish(void)
{
    rig_add(keep, OP_s_nop, 0);
    rig_end();
    rig.init = init;
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
}

/* --- arithmetic: one lane, one operand --- */
static uint64_t amo_a, amo_b;
static unsigned amo_bytes, amo_mode, amo_separate;
static void one_lane(struct wave *w)
{
    uint64_t va = amo_mode == LA_LDS ? 64 : RIG_DATA + 64;
    unsigned dw = amo_bytes / 4, b = amo_separate ? B : A + dw;
    w->s[SREG_EXEC] = 2;
    w->v[ADDR * 32 + 1] = (uint32_t)va;
    w->v[(ADDR + 1) * 32 + 1] = (uint32_t)(va >> 32);
    for (unsigned k = 0; k < dw; k++) {
        w->v[(A + k) * 32 + 1] = (uint32_t)(amo_a >> 32 * k);
        w->v[(b + k) * 32 + 1] = (uint32_t)(amo_b >> 32 * k);
    }
    memcpy(w->group->lds + 64, rig.data + 64, 8);
}
static void check_amo(const char *name, unsigned bytes, uint64_t old, uint64_t a, uint64_t b, uint64_t want)
{
    for (amo_mode = LA_GLOBAL; amo_mode <= LA_LDS; amo_mode += LA_LDS - LA_GLOBAL) {
        rig_open(32);
        setup = one_lane;
        amo_a = a;
        amo_b = b;
        amo_bytes = bytes;
        amo_separate = amo_mode == LA_LDS;
        memcpy(rig.data + 64, &old, 8);
        struct lane_insn *in = op_insn(name, amo_mode);
        if (amo_separate)
            in->s[3] = vreg(B, 2);
        finish();
        uint64_t got = 0, was = dst[0][1];
        memcpy(&got, rig.data + (amo_mode == LA_LDS ? 32768 + 64 : 64), bytes);
        if (bytes == 8)
            was |= (uint64_t)dst[1][1] << 32;
        if (got != want || was != (bytes == 8 ? old : (uint32_t)old))
            printf("  %s: 0x%llx, 0x%llx, 0x%llx: got 0x%llx, expected 0x%llx\n", name,
                   (unsigned long long)old, (unsigned long long)a, (unsigned long long)b,
                   (unsigned long long)got, (unsigned long long)want);
        CHECK_EQ(got, want);
        CHECK_EQ(was, bytes == 8 ? old : (uint32_t)old);
        rig_close();
    }
}
static uint64_t f32(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static uint64_t f64(double f)
{
    uint64_t u;
    memcpy(&u, &f, 8);
    return u;
}
TEST(integer_atomics)
{
    check_amo("atomic_add_u32", 4, 0xfffffffe, 5, 0, 3);
    check_amo("atomic_sub_u32", 4, 3, 5, 0, 0xfffffffe);
    check_amo("atomic_rsub_u32", 4, 3, 5, 0, 2);
    check_amo("atomic_sub_clamp_u32", 4, 3, 5, 0, 0);
    check_amo("atomic_cond_sub_u32", 4, 3, 5, 0, 3);
    check_amo("atomic_cond_sub_u32", 4, 7, 5, 0, 2);
    check_amo("atomic_min_i32", 4, 1, 0xffffffff, 0, 0xffffffff);
    check_amo("atomic_min_u32", 4, 1, 0xffffffff, 0, 1);
    check_amo("atomic_max_i32", 4, 1, 0xffffffff, 0, 1);
    check_amo("atomic_max_u32", 4, 1, 0xffffffff, 0, 0xffffffff);
    check_amo("atomic_and_b32", 4, 12, 10, 0, 8);
    check_amo("atomic_or_b32", 4, 12, 10, 0, 14);
    check_amo("atomic_xor_b32", 4, 12, 10, 0, 6);
    check_amo("atomic_inc_u32", 4, 4, 5, 0, 5); /* case P08: wraps by the limit */
    check_amo("atomic_inc_u32", 4, 5, 5, 0, 0);
    check_amo("atomic_dec_u32", 4, 0, 5, 0, 5);
    check_amo("atomic_dec_u32", 4, 9, 5, 0, 5);
    check_amo("atomic_dec_u32", 4, 3, 5, 0, 2);
    check_amo("atomic_swap_b32", 4, 3, 5, 0, 5);
    check_amo("atomic_cmpswap_b32", 4, 3, 5, 3, 5);
    check_amo("atomic_cmpswap_b32", 4, 3, 5, 4, 3);
    check_amo("atomic_mskor_b32", 4, 0xff, 0xf0, 0x100, 0x10f);
    check_amo("atomic_wrap_b32", 4, 9, 4, 100, 5);
    check_amo("atomic_wrap_b32", 4, 3, 4, 100, 103);
    check_amo("atomic_add_u64", 8, 0xffffffff, 1, 0, 1ull << 32);
    check_amo("atomic_min_i64", 8, 1, ~0ull, 0, ~0ull);
    check_amo("atomic_max_u64", 8, 1, ~0ull, 0, ~0ull);
    check_amo("atomic_inc_u64", 8, 1ull << 40, 1ull << 40, 0, 0);
    check_amo("atomic_cmpswap_b64", 8, 1ull << 40, 7, 1ull << 40, 7);
    check_amo("atomic_cmpswap_b64", 8, 1ull << 40, 7, 1ull << 41, 1ull << 40);
    check_amo("atomic_swap_b64", 8, 3, 1ull << 50, 0, 1ull << 50);
    check_amo("atomic_condxchg32_b64", 8, 0x1111111122222222, 0x8000000500000006, 0, 0x0000000522222222);
}
TEST(float_atomics)
{
    check_amo("atomic_add_f32", 4, f32(1.5f), f32(2.25f), 0, f32(3.75f));
    check_amo("atomic_min_f32", 4, f32(3), f32(1), 0, f32(1)); /* case P20 */
    check_amo("atomic_max_f32", 4, f32(3), f32(5), 0, f32(5));
    check_amo("atomic_min_f32", 4, f32(0.f), f32(-0.f), 0, f32(-0.f));
    check_amo("atomic_max_f32", 4, f32(NAN), f32(5), 0, f32(5));
    check_amo("atomic_max_f32", 4, f32(5), f32(NAN), 0, f32(5));
    check_amo("atomic_cmpswap_f32", 4, f32(0.f), f32(5), f32(-0.f), f32(5));
    check_amo("atomic_cmpswap_f32", 4, f32(NAN), f32(5), f32(NAN), f32(NAN));
    check_amo("atomic_add_f64", 8, f64(1.5), f64(1e-9), 0, f64(1.5 + 1e-9));
    check_amo("atomic_min_f64", 8, f64(1.5), f64(-2), 0, f64(-2));
    check_amo("atomic_pk_add_f16", 4, 0x3c004000, 0x3c003c00, 0, 0x40004200); /* {2, 1} + {1, 1} */
    check_amo("atomic_pk_add_bf16", 4, 0x3f804000, 0x3f803f80, 0, 0x40004040);
}

/* --- many lanes, many threads --- */
static void same_address(struct wave *w)
{
    uint64_t va = w->s[0] & 1 ? RIG_DATA : RIG_DATA + 4;
    for (unsigned i = 0; i < w->width; i++) {
        w->v[ADDR * w->width + i] = (uint32_t)va;
        w->v[A * w->width + i] = i;
    }
}
static void *run_dispatch(void *arg)
{
    struct eng_dispatch *d = arg;
    while (eng_dispatch_run(d, 1000) == ENG_MORE)
        ;
    return NULL;
}
TEST(atomics_add_up_over_lanes_groups_and_threads)
{
    pthread_t thread[2];
    struct eng_dispatch *d[2];
    rig_open(64);
    setup = same_address;
    rig.init = init;
    op_insn("atomic_add_u32", LA_FLAT)->flags = 0;
    rig_end();
    rig.l.groups[0] = 200;
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(eng_dispatch_start(&rig.l, &d[i]), 0);
        pthread_create(&thread[i], NULL, run_dispatch, d[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        eng_dispatch_free(d[i]);
    }
    uint32_t got[2];
    memcpy(got, rig.data, 8);
    CHECK_EQ(got[0], 2016u * 200);
    CHECK_EQ(got[1], 2016u * 200);
    rig_close();
}
static void two_words(struct wave *w) /* case R15 */
{
    w->s[SREG_EXEC] = 3;
    for (unsigned i = 0; i < 2; i++) {
        w->v[ADDR * 32 + i] = 8 + i * 4;
        w->v[A * 32 + i] = 1;
    }
}
TEST(lds_atomics_of_two_lanes)
{
    rig_open(32);
    setup = two_words;
    op_insn("atomic_add_u32", LA_LDS);
    finish();
    uint32_t got[2];
    memcpy(got, rig.data + 32768 + 8, 8);
    CHECK_EQ(got[0], 1);
    CHECK_EQ(got[1], 1);
    rig_close();
}
static void misaligned(struct wave *w)
{
    same_address(w);
    w->v[ADDR * 32 + 6] += 2;
}
TEST(misaligned_atomic_is_a_fault)
{
    struct eng_fault f = {0};
    rig_open(32);
    setup = misaligned;
    rig.init = init;
    op_insn("atomic_add_u32", LA_GLOBAL);
    rig_end();
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, FAULT_MISALIGNED);
    CHECK_EQ(f.lanes, 1 << 6);
    rig_close();
}

static void check_unsupported(unsigned flags, unsigned aux)
{
    struct eng_fault f = {0};
    rig_open(32);
    setup = same_address;
    rig.init = init;
    struct lane_insn *in = op_insn("load_b32", LA_BUFFER);
    in->flags = (uint16_t)flags;
    in->aux = (uint8_t)aux;
    rig_end();
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, FAULT_ILLEGAL);
    rig_close();
}
TEST(forms_that_are_not_supported_are_faults)
{
    check_unsupported(LF_TFE, 0);
    check_unsupported(LF_GDS, 0);
    check_unsupported(0, LB_LDS);
}

/* --- LDS two-address forms --- */
static void two_addr(struct wave *w)
{
    for (unsigned i = 0; i < 32; i++) {
        w->v[ADDR * 32 + i] = i * 4;
        w->v[A * 32 + i] = 1000 + i;
        w->v[B * 32 + i] = 2000 + i;
    }
}
TEST(two_addresses) /* case T58 */
{
    static const char *const names[] = {"store_2addr_b32", "swap_2addr_b32", "load_2addr_b32"};
    rig_open(32);
    setup = two_addr;
    for (int i = 0; i < 3; i++) {
        struct lane_insn *in = op_insn(names[i], LA_LDS);
        in->s[1] = vreg(i == 0 ? A : B, 1);
        in->s[3] = vreg(i == 0 ? B : A, 1);
        in->imm = 128;
        in->imm2 = 512;
        rig_add(keep, OP_s_nop, 0);
        if (i == 2)
            break;
    }
    rig_end();
    rig.init = init;
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    for (unsigned i = 0; i < 32; i++) { /* swapped, then read */
        CHECK_EQ(dst[0][i], 2000 + i);
        CHECK_EQ(dst[1][i], 1000 + i);
    }
    rig_close();
}

TEST(two_addresses_at_the_end_of_lds)
{
    rig_open(32);
    setup = two_addr;
    rig.l.lds_bytes = 192;
    struct lane_insn *in = op_insn("store_2addr_b64", LA_LDS);
    in->s[1] = vreg(A, 2);
    in->s[3] = vreg(B, 2);
    in->imm = 0;
    in->imm2 = 64;
    in = op_insn("load_2addr_b64", LA_LDS); /* the destination overwrites the address */
    in->d = vreg(ADDR, 4);
    in->imm = 64;
    in->imm2 = 192 - 4;
    struct lane_insn *mov = rig_add(NULL, OP_v_mov_b32, LF_SIMPLE);
    mov->s[0] = vreg(ADDR, 1);
    mov->d = vreg(DST, 1);
    mov = rig_add(NULL, OP_v_mov_b32, LF_SIMPLE);
    mov->s[0] = vreg(ADDR + 2, 1);
    mov->d = vreg(DST + 1, 1);
    finish();
    for (unsigned i = 0; i < 32; i++) { /* lanes write 8 bytes, 4 apart: the low dword of each one stays */
        CHECK_EQ(dst[0][i], i <= 30 ? 2000 + i : 0); /* lane 31 ends past the 192 bytes */
        CHECK_EQ(dst[1][i], 0);
    }
    rig_close();
}

/* --- lane exchange --- */
static uint64_t exchange_exec;
static void exchange(struct wave *w)
{
    unsigned W = w->width;
    for (unsigned i = 0; i < W; i++) {
        w->v[ADDR * W + i] = 4 * (i + 3);
        w->v[A * W + i] = 100 + i;
        w->v[DST * W + i] = 7;
    }
    wave_set_mask(w, SREG_EXEC, exchange_exec);
}
static void check_exchange(const char *name, unsigned width, uint64_t exec, int imm,
                           uint32_t (*want)(unsigned i))
{
    rig_open(width);
    setup = exchange;
    exchange_exec = exec;
    struct lane_insn *in = op_insn(name, LA_LDS);
    in->imm = imm;
    if (!strcmp(name, "swizzle_b32"))
        in->s[0] = vreg(A, 1);
    finish();
    for (unsigned i = 0; i < width; i++)
        CHECK_EQ(dst[0][i], want(i));
    rig_close();
}
static uint32_t from_next3(unsigned i) /* case P01: sources that are off give 0, off targets keep */
{
    unsigned s = (i & 32) | ((i + 3) & 31);
    return !(exchange_exec >> i & 1) ? 7 : exchange_exec >> s & 1 ? 100 + s : 0;
}
static uint32_t to_next3(unsigned i)
{
    unsigned s = (i & 32) | ((i - 3) & 31);
    return !(exchange_exec >> i & 1) ? 7 : exchange_exec >> s & 1 ? 100 + s : 0;
}
static uint32_t quad_1032(unsigned i)
{
    return !(exchange_exec >> i & 1) ? 7 : exchange_exec >> (i ^ 1) & 1 ? 100 + (i ^ 1) : 0;
}
static uint32_t xor_16(unsigned i)
{
    return 100 + (i ^ 16);
}
static uint32_t broadcast_5(unsigned i)
{
    return 100 + (i & 32) + 5;
}
TEST(lane_exchange)
{
    check_exchange("bpermute_b32", 32, 0xffffffff, 0, from_next3);
    check_exchange("bpermute_b32", 64, 0x0123456789abcdef, 0, from_next3);
    check_exchange("permute_b32", 64, 0x0123456789abcdef, 0, to_next3);
    check_exchange("swizzle_b32", 64, 0x0123456789abcdef, 0x8000 | 0xb1, quad_1032);
    check_exchange("swizzle_b32", 32, 0xffffffff, 16 << 10 | 31, xor_16);
    check_exchange("swizzle_b32", 64, ~0ull, 5 << 5, broadcast_5);
}
static void counter(struct wave *w)
{
    w->s[SREG_M0] = 16;
    w->s[SREG_EXEC] = 0xf00f;
    w->group->lds[24] = 9;
}
TEST(append_and_consume)
{
    rig_open(32);
    setup = counter;
    op_insn("append", LA_LDS)->imm = 8;
    op_insn("consume", LA_LDS)->imm = 8;
    finish();
    CHECK_EQ(dst[0][0], 17);
    CHECK_EQ(dst[0][15], 17);
    CHECK_EQ(dst[0][4], 0);
    CHECK_EQ(rig.data[32768 + 24], 9);
    rig_close();
}

/* --- buffers --- */
static uint32_t srd[4], soffset, buf_index[32], buf_offset[32];
static void buffer_wave(struct wave *w)
{
    memcpy(&w->s[8], srd, 16);
    w->s[12] = soffset;
    for (unsigned i = 0; i < 32; i++) {
        w->v[ADDR * 32 + i] = buf_index[i];
        w->v[(ADDR + 1) * 32 + i] = buf_offset[i];
        w->v[A * 32 + i] = 0xa0000 + i;
        w->v[DST * 32 + i] = 7;
    }
}
static void run_buffer(const char *name, unsigned aux, unsigned dwords)
{
    setup = buffer_wave;
    struct lane_insn *in = op_insn(name, LA_BUFFER);
    in->s[0] = vreg(aux & LB_IDXEN ? ADDR : ADDR + 1, 1);
    in->s[1].dwords = in->d.dwords = (uint8_t)dwords;
    in->s[2] = sreg(8, 4);
    in->s[3] = sreg(12, 1);
    in->aux = (uint8_t)aux;
    in->imm = 4;
    finish();
}
static void buffer_rig(uint32_t word1, uint32_t records, uint32_t word3)
{
    rig_open(32);
    for (uint32_t i = 0; i < 4096; i++)
        memcpy(rig.data + i * 4, &i, 4);
    memset(buf_index, 0, sizeof buf_index);
    srd[0] = RIG_DATA;
    srd[1] = word1;
    srd[2] = records;
    srd[3] = word3;
    soffset = 8;
}
TEST(raw_buffers)
{
    buffer_rig(0, 100, 3u << 28);
    for (unsigned i = 0; i < 32; i++)
        buf_offset[i] = i == 30 ? 0xfffffff0 : i * 4; /* case R7: a negative offset stays out */
    run_buffer("load_b64", LB_OFFEN, 2);
    for (unsigned i = 0; i < 32; i++) {
        unsigned at = 12 + i * 4;
        CHECK_EQ(dst[0][i], i != 30 && at + 4 <= 100 ? at / 4 : 0);
        CHECK_EQ(dst[1][i], i != 30 && at + 8 <= 100 ? at / 4 + 1 : 0); /* dword by dword: case R19 */
    }
    rig_close();
    buffer_rig(0, 100, 3u << 28);
    run_buffer("store_b32", LB_OFFEN, 1);
    uint32_t got[32];
    memcpy(got, rig.data, sizeof got);
    CHECK_EQ(got[24], 0xa0000 + 21);
    CHECK_EQ(got[25], 25);
    rig_close();
    buffer_rig(0, 0, 0); /* all-zero descriptor: case R6 */
    srd[0] = 0;
    run_buffer("load_b32", LB_OFFEN, 1);
    for (unsigned i = 0; i < 32; i++)
        CHECK_EQ(dst[0][i], 0);
    rig_close();
}
TEST(structured_buffers)
{
    buffer_rig(16u << 16, 20, 1u << 28); /* stride 16, 20 records, index checked */
    for (unsigned i = 0; i < 32; i++)
        buf_index[i] = i;
    run_buffer("load_b32", LB_IDXEN, 1);
    for (unsigned i = 0; i < 32; i++)
        CHECK_EQ(dst[0][i], i < 20 ? i * 4 + 3 : 0);
    rig_close();
    buffer_rig(16u << 16, 20, 0); /* index and offset checked */
    for (unsigned i = 0; i < 32; i++) {
        buf_index[i] = 2;
        buf_offset[i] = i;
    }
    soffset = 0;
    run_buffer("load_b32", LB_IDXEN | LB_OFFEN, 1);
    CHECK_EQ(dst[0][0], 9);
    CHECK_EQ(dst[0][8], 11);
    CHECK_EQ(dst[0][12], 0);
    rig_close();
    /* swizzled: stride 16, element 4 bytes, index stride 8: dword e of record r at ((r / 8 * 4 + e) * 8 + r %
     * 8) * 4 */
    buffer_rig(1u << 30 | 16u << 16, 64, 1u << 28);
    for (unsigned i = 0; i < 32; i++) {
        buf_index[i] = i;
        buf_offset[i] = 4;
    }
    soffset = 0;
    run_buffer("load_b64", LB_IDXEN | LB_OFFEN, 2);
    for (unsigned i = 0; i < 32; i++) {
        CHECK_EQ(dst[0][i], (i / 8 * 4 + 2) * 8 + i % 8);
        CHECK_EQ(dst[1][i], (i / 8 * 4 + 3) * 8 + i % 8);
    }
    rig_close();
    /* gfx9: bit 63 alone says swizzled, always by dwords, whatever stands where gfx8 had its element size */
    static const struct eng_isa gfx9 = {"rig9", 9, rig_translate, rig_text};
    for (uint32_t old = 0; old < 4; old++) {
        buffer_rig(2u << 30 | 16u << 16, 64, old << 19);
        rig.l.isa = &gfx9;
        soffset = 0;
        for (unsigned i = 0; i < 32; i++) {
            buf_index[i] = i;
            buf_offset[i] = 4;
        }
        run_buffer("load_b64", LB_IDXEN | LB_OFFEN, 2);
        for (unsigned i = 0; i < 32; i++)
            CHECK_EQ(dst[1][i], (i / 8 * 4 + 2 + 1) * 8 + i % 8);
        rig_close();
    }
}

/* --- scalar loads --- */
static uint32_t got_s[16];
static int keep_s(struct wave *w, const struct lane_insn *in)
{
    (void)in;
    memcpy(got_s, &w->s[32], sizeof got_s);
    return WAVE_GO;
}
static void run_scalar(const char *name, int imm)
{
    setup = buffer_wave;
    struct lane_insn *in = op_insn(name, LA_SCALAR);
    in->d = sreg(32, 16);
    in->s[2] = sreg(8, 4);
    in->s[3] = sreg(12, 1);
    in->imm = imm;
    rig_add(keep_s, OP_s_nop, 0);
    finish();
}
TEST(scalar_loads)
{
    buffer_rig(0, 40, 0);
    run_scalar("s_load_b512", 6); /* the low address bits do not count */
    for (unsigned k = 0; k < 16; k++)
        CHECK_EQ(got_s[k], 3 + k);
    rig_close();
    buffer_rig(0, 40, 0);
    run_scalar("s_buffer_load_b128", 24); /* each dword is checked */
    CHECK_EQ(got_s[1], 9);
    CHECK_EQ(got_s[2], 0);
    rig_close();
    buffer_rig(0, 40, 0);
    rig.data[8] = 0x80;
    run_scalar("s_load_i8", 0);
    CHECK_EQ(got_s[0], 0xffffff80);
    rig_close();
    struct eng_fault f = {0};
    buffer_rig(0, 40, 0);
    soffset = 65536 - 8;
    setup = buffer_wave;
    struct lane_insn *in = op_insn("s_load_b128", LA_SCALAR);
    in->d = sreg(32, 4);
    in->s[2] = sreg(8, 2);
    in->s[3] = sreg(12, 1);
    rig_end();
    rig.init = init;
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, FAULT_UNMAPPED);
    CHECK_EQ(f.va, RIG_DATA + 65536);
    rig_close();
}

int main(void)
{
    RUN(integer_atomics);
    RUN(float_atomics);
    RUN(atomics_add_up_over_lanes_groups_and_threads);
    RUN(lds_atomics_of_two_lanes);
    RUN(misaligned_atomic_is_a_fault);
    RUN(forms_that_are_not_supported_are_faults);
    RUN(two_addresses);
    RUN(two_addresses_at_the_end_of_lds);
    RUN(lane_exchange);
    RUN(append_and_consume);
    RUN(raw_buffers);
    RUN(structured_buffers);
    RUN(scalar_loads);
    return test_done();
}
