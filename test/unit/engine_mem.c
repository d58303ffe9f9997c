/* Memory operations against a model of their own (one lane at a time, straight from the ISA documents'
 * words): every load and store, address mode, width and address pattern, with random EXEC masks; then the
 * rules at the edges. */
#include "test/unit/engine_rig.h"

enum { ADDR = 2, DST = 8, SRC = 16, DATA_BYTES = 65536 };
static uint32_t seed = 1;
static uint32_t rnd(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8 ^ seed << 16;
}

static struct {
    uint64_t addr[64]; /* byte offset in the space */
    uint64_t exec;
    uint32_t before[4][64], after[4][64], src[4][64];
    int mode, saddr;
} t;

static void load_wave(struct wave *w, const uint32_t size[3])
{
    (void)size;
    unsigned W = w->width;
    for (unsigned i = 0; i < W; i++) {
        uint64_t a = t.addr[i];
        if (t.mode == LA_GLOBAL && !t.saddr)
            a += RIG_DATA;
        if (t.mode == LA_FLAT)
            a += RIG_DATA;
        w->v[ADDR * W + i] = (uint32_t)a;
        w->v[(ADDR + 1) * W + i] = (uint32_t)(a >> 32);
        for (unsigned k = 0; k < 4; k++) {
            w->v[(DST + k) * W + i] = t.before[k][i];
            w->v[(SRC + k) * W + i] = t.src[k][i];
        }
    }
    if (t.mode == LA_LDS)
        memcpy(w->group->lds, rig.data, w->group->lds_size);
    wave_set_s64(w, 10, RIG_DATA);
    w->s[10] -= 4; /* the instruction's offset gives it back */
    wave_set_mask(w, SREG_EXEC, t.exec);
}
static int keep_wave(struct wave *w, const struct lane_insn *in)
{
    (void)in;
    for (unsigned k = 0; k < 4; k++)
        memcpy(t.after[k], w->v + (DST + k) * w->width, w->width * 4);
    if (t.mode == LA_LDS)
        memcpy(rig.data, w->group->lds, w->group->lds_size);
    return WAVE_GO;
}

struct kind {
    const char *load, *store;
    unsigned bytes, dwords;
    int sext, half, hi; /* half: keeps the rest of the register */
};
static const struct kind kinds[] = {
    {"load_u8", "store_b8", 1, 1, 0, 0, 0},    {"load_i8", NULL, 1, 1, 1, 0, 0},
    {"load_u16", "store_b16", 2, 1, 0, 0, 0},  {"load_i16", NULL, 2, 1, 1, 0, 0},
    {"load_b32", "store_b32", 4, 1, 0, 0, 0},  {"load_b64", "store_b64", 8, 2, 0, 0, 0},
    {"load_b96", "store_b96", 12, 3, 0, 0, 0}, {"load_b128", "store_b128", 16, 4, 0, 0, 0},
    {"load_d16_u8", NULL, 1, 1, 0, 1, 0},      {"load_d16_i8", NULL, 1, 1, 1, 1, 0},
    {"load_d16_b16", NULL, 2, 1, 0, 1, 0},     {"load_d16_hi_u8", "store_d16_hi_b8", 1, 1, 0, 1, 1},
    {"load_d16_hi_i8", NULL, 1, 1, 1, 1, 1},   {"load_d16_hi_b16", "store_d16_hi_b16", 2, 1, 0, 1, 1},
};

static struct lane_insn *access_insn(const char *name, unsigned dwords, int is_store)
{
    int op = lane_op_find(name);
    CHECK(op >= 0);
    struct lane_insn *in = rig_add(NULL, (unsigned)op, 0);
    in->addr = (uint8_t)t.mode;
    in->s[0] = (struct lane_opnd){.kind = LK_VREG, .dwords = 2, .reg = ADDR};
    if (is_store)
        in->s[1] = (struct lane_opnd){.kind = LK_VREG, .dwords = (uint8_t)dwords, .reg = SRC};
    else
        in->d = (struct lane_opnd){.kind = LK_VREG, .dwords = (uint8_t)dwords, .reg = DST};
    if (t.mode == LA_GLOBAL && t.saddr) {
        in->s[2] = (struct lane_opnd){.kind = LK_SREG, .dwords = 2, .reg = 10};
        in->imm = 4;
    }
    return in;
}

enum pattern { CONTIGUOUS, UNIFORM, ROWS, STRIDED, RANDOM, REVERSED, PATTERNS };
static uint64_t pattern_addr(enum pattern p, unsigned i, unsigned bytes, uint64_t start, uint64_t space)
{
    switch (p) {
    case CONTIGUOUS:
        return start + i * bytes;
    case UNIFORM:
        return start;
    case ROWS:
        return i % 32 < 16 ? start + i * bytes : start;
    case STRIDED:
        return start + i * (bytes + 4);
    case REVERSED:
        return start + (63 - i) * bytes;
    default:
        return rnd() % (space - 16);
    }
}

static uint32_t model_value(const struct kind *k, const uint8_t *p, unsigned dw, uint32_t before)
{
    uint32_t v = 0;
    if (k->bytes >= 4) {
        memcpy(&v, p + dw * 4, 4);
        return v;
    }
    memcpy(&v, p, k->bytes);
    if (k->sext)
        v = k->bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
    if (!k->half)
        return v;
    v &= 0xffff;
    return k->hi ? (before & 0xffff) | v << 16 : (before & 0xffff0000) | v;
}

static void fill(unsigned width, uint64_t space, unsigned bytes, enum pattern p, int trial)
{
    uint64_t start = rnd() % (space - 64 * 20 - 16), all = width == 64 ? ~0ull : 0xffffffff;
    for (unsigned i = 0; i < width; i++)
        t.addr[i] = pattern_addr(p, i, bytes, start, space);
    t.exec = trial == 0 ? all : trial == 1 ? all >> 11 : ((uint64_t)rnd() << 32 | rnd()) & all;
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < 64; i++) {
            t.before[k][i] = rnd();
            t.src[k][i] = rnd();
        }
    for (unsigned i = 0; i < DATA_BYTES; i += 4) {
        uint32_t v = rnd();
        memcpy(rig.data + i, &v, 4);
    }
}

/* One trial; the number of wrong lanes. */
static unsigned try_load(const struct kind *k, unsigned width)
{
    unsigned wrong = 0;
    access_insn(k->load, k->dwords, 0);
    rig_add(keep_wave, OP_s_nop, 0);
    rig_end();
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    for (unsigned i = 0; i < width; i++)
        for (unsigned dw = 0; dw < k->dwords; dw++) {
            uint32_t b = t.before[dw][i];
            uint32_t want = t.exec >> i & 1 ? model_value(k, rig.data + t.addr[i], dw, b) : b;
            wrong += t.after[dw][i] != want;
        }
    return wrong;
}
static unsigned try_store(const struct kind *k, unsigned width)
{
    static uint8_t want[DATA_BYTES];
    memcpy(want, rig.data, sizeof want);
    for (unsigned i = 0; i < width; i++)
        for (unsigned b = 0; b < k->bytes && (t.exec >> i & 1); b++)
            want[t.addr[i] + b] = (uint8_t)(t.src[b / 4][i] >> (8 * (b % 4) + (k->hi ? 16 : 0)));
    access_insn(k->store, k->dwords, 1);
    rig_add(keep_wave, OP_s_nop, 0);
    rig_end();
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    return memcmp(want, rig.data, sizeof want) != 0;
}

static void check_mode(int mode, int saddr)
{
    for (unsigned width = 32; width <= 64; width *= 2)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int p = 0; p < PATTERNS; p++)
                for (int trial = 0; trial < 3; trial++)
                    for (int is_store = 0; is_store <= (kinds[k].store != NULL); is_store++) {
                        rig_open(width);
                        rig.init = load_wave;
                        rig.l.lds_bytes = 4096;
                        t.mode = mode;
                        t.saddr = saddr;
                        fill(width, mode == LA_LDS ? 4096 : DATA_BYTES, kinds[k].bytes, p, trial);
                        unsigned wrong = is_store ? try_store(&kinds[k], width) : try_load(&kinds[k], width);
                        if (wrong) {
                            printf("  %s width %u pattern %d trial %d: %u wrong\n",
                                   is_store ? kinds[k].store : kinds[k].load, width, p, trial, wrong);
                            test_bad++;
                        }
                        rig_close();
                    }
}
TEST(global_loads_and_stores)
{
    check_mode(LA_GLOBAL, 0);
    check_mode(LA_GLOBAL, 1);
}
TEST(flat_loads_and_stores)
{
    check_mode(LA_FLAT, 0);
}
TEST(lds_loads_and_stores)
{
    check_mode(LA_LDS, 0);
}

/* --- faults --- */
static void check_fault(const char *name, int is_store, uint64_t (*addr)(unsigned i),
                        enum eng_fault_kind kind, uint64_t va, uint64_t lanes)
{
    struct eng_fault f = {0};
    rig_open(32);
    rig.init = load_wave;
    struct mem_range ro = {0x300000, 4096, rig.data + 8192, MEM_READ, 3};
    CHECK_EQ(mem_map_add(rig.mem, &ro), 0);
    t.mode = LA_GLOBAL;
    t.saddr = 0;
    fill(32, DATA_BYTES, 4, CONTIGUOUS, 0);
    for (unsigned i = 0; i < 32; i++)
        t.addr[i] = addr(i) - RIG_DATA;
    access_insn(name, 4, is_store);
    rig_end();
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, kind);
    CHECK_EQ(f.va, va);
    CHECK_EQ(f.lanes, lanes);
    CHECK_EQ(f.access, is_store ? ACCESS_WRITE : ACCESS_READ);
    CHECK_STR(f.insn, "template 0");
    if (is_store) /* the others are done */
        CHECK_EQ(*(uint32_t *)(rig.data + 16), t.src[0][4]);
    rig_close();
}
static uint64_t past_end(unsigned i)
{
    return RIG_DATA + (i < 29 ? i * 4 : 65536 + (i - 29) * 4);
}
static uint64_t straddle(unsigned i)
{
    return RIG_DATA + (i == 7 ? 65536 - 2 : i * 4);
}
static uint64_t nowhere(unsigned i)
{
    return 0x7000000000 + i * 4;
}
static uint64_t read_only(unsigned i)
{
    return i == 9 || i == 30 ? 0x300000 + i * 4 : RIG_DATA + i * 4;
}
TEST(faults_name_lanes_and_address) /* case R20 */
{
    check_fault("load_b32", 0, past_end, FAULT_UNMAPPED, RIG_DATA + 65536, 7u << 29);
    check_fault("store_b32", 1, past_end, FAULT_UNMAPPED, RIG_DATA + 65536, 7u << 29);
    check_fault("load_b32", 0, straddle, FAULT_UNMAPPED, RIG_DATA + 65536, 1 << 7);
    check_fault("load_b64", 0, nowhere, FAULT_UNMAPPED, 0x7000000000, 0xffffffff);
    check_fault("store_b32", 1, read_only, FAULT_READ_ONLY, 0x300000 + 36, 1 << 9 | 1 << 30);
}
TEST(lanes_that_are_off_do_not_fault)
{
    rig_open(32);
    rig.init = load_wave;
    t.mode = LA_GLOBAL;
    fill(32, DATA_BYTES, 4, CONTIGUOUS, 0);
    for (unsigned i = 0; i < 32; i++)
        t.addr[i] = DATA_BYTES - 16 + i * 4;
    t.exec = 0xf;
    CHECK_EQ(try_load(&kinds[4], 4), 0);
    rig_close();
}

/* --- LDS range (case R15 and the audit's range rules) --- */
TEST(lds_range)
{
    rig_open(32);
    rig.init = load_wave;
    rig.l.lds_bytes = 128;
    t.mode = LA_LDS;
    fill(32, 4096, 8, CONTIGUOUS, 0);
    for (unsigned i = 0; i < 32; i++)
        t.addr[i] = i == 3 ? 124 : i == 4 ? 4000 : i == 5 ? 0xfffffffc : 0;
    uint32_t tail;
    memcpy(&tail, rig.data + 124, 4);
    access_insn("load_b64", 2, 0);
    rig_add(keep_wave, OP_s_nop, 0);
    rig_end();
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    for (unsigned i = 3; i <= 5; i++)
        CHECK_EQ(t.after[0][i] | t.after[1][i], 0);
    CHECK_EQ(t.after[0][2], *(uint32_t *)rig.data);
    rig_close();
    rig_open(32);
    rig.init = load_wave;
    rig.l.lds_bytes = 128;
    t.exec = 1 << 3 | 1 << 4;
    access_insn("store_b64", 2, 1);
    rig_add(keep_wave, OP_s_nop, 0);
    rig_end();
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    CHECK_EQ(*(uint32_t *)(rig.data + 124), t.src[0][3]); /* the part inside */
    rig_close();
}

/* --- scratch --- */
static uint32_t scratch_offset;
static void scratch_wave(struct wave *w, const uint32_t size[3])
{
    load_wave(w, size);
    for (unsigned i = 0; i < w->width; i++)
        w->v[ADDR * w->width + i] = scratch_offset + (uint32_t)t.addr[i];
    w->s[20] = 8;
}
static void scratch_rig(int mode)
{
    rig_open(32);
    rig.init = scratch_wave;
    rig.l.scratch_va = RIG_DATA;
    rig.l.scratch_slots = 8;
    rig.l.scratch_lane_bytes = 64;
    rig.l.scratch_wave_bytes = 2048;
    t.mode = mode;
    fill(32, 1400, 16, UNIFORM, 0);
    memset(t.addr, 0, sizeof t.addr);
}
static struct lane_insn *scratch_insn(const char *name, unsigned dwords, int is_store)
{
    struct lane_insn *in = access_insn(name, dwords, is_store);
    in->s[2] = (struct lane_opnd){.kind = LK_SREG, .dwords = 1, .reg = 20};
    in->imm = 4;
    return in;
}
static uint32_t *scratch_word(unsigned offset, unsigned lane)
{
    return (uint32_t *)(rig.data + offset / 4 * 128 + lane * 4);
}
static void check_scratch(unsigned offset, int divergent)
{
    scratch_rig(LA_SCRATCH);
    scratch_offset = offset;
    if (divergent)
        t.addr[5] = 4;
    scratch_insn("store_b128", 4, 1);
    scratch_insn("load_b128", 4, 0);
    rig_add(keep_wave, OP_s_nop, 0);
    rig_end();
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    for (unsigned i = 0; i < 32; i++)
        for (unsigned k = 0; k < 4; k++) {
            CHECK_EQ(t.after[k][i], t.src[k][i]);
            if (offset % 4 == 0)
                CHECK_EQ(*scratch_word(offset + 12 + k * 4 + (divergent && i == 5 ? 4 : 0), i), t.src[k][i]);
        }
    rig_close();
}
TEST(scratch_is_interleaved_over_lanes)
{
    check_scratch(0, 0);
    check_scratch(16, 0);
    check_scratch(16, 1);
    check_scratch(6, 0); /* unaligned */
    scratch_rig(LA_SCRATCH);
    struct eng_fault f = {0};
    scratch_offset = 40;
    scratch_insn("store_b128", 4, 1);
    rig_end();
    CHECK_EQ(rig_run(&f, NULL), -EFAULT);
    CHECK_EQ(f.kind, FAULT_SCRATCH);
    CHECK_EQ(f.va, 52);
    rig_close();
}

/* Lanes in different apertures: case R24. */
static void mixed_wave(struct wave *w, const uint32_t size[3])
{
    load_wave(w, size);
    for (unsigned i = 0; i < 32; i++) {
        uint64_t a = i % 3 == 0   ? RIG_DATA + 32768 + i * 8
                     : i % 3 == 1 ? w->private_base + 16
                                  : w->shared_base + i * 8;
        w->v[ADDR * 32 + i] = (uint32_t)a;
        w->v[(ADDR + 1) * 32 + i] = (uint32_t)(a >> 32);
    }
}
static int check_mixed(struct wave *w, const struct lane_insn *in)
{
    for (unsigned i = 0; i < 32; i++) {
        uint32_t lo, hi;
        uint8_t *p = i % 3 == 0 ? rig.data + 32768 + i * 8 : w->group->lds + i * 8;
        memcpy(&lo, i % 3 == 1 ? (void *)scratch_word(16, i) : p, 4);
        memcpy(&hi, i % 3 == 1 ? (void *)scratch_word(20, i) : p + 4, 4);
        CHECK_EQ(lo, t.src[0][i]);
        CHECK_EQ(hi, t.src[1][i]);
    }
    return keep_wave(w, in);
}
TEST(flat_apertures_mix_in_a_wave)
{
    scratch_rig(LA_FLAT);
    rig.init = mixed_wave;
    access_insn("store_b64", 2, 1);
    access_insn("load_b64", 2, 0);
    rig_add(check_mixed, OP_s_nop, 0);
    rig_end();
    CHECK_EQ(rig_run(NULL, NULL), ENG_DONE);
    for (unsigned i = 0; i < 32; i++)
        CHECK_EQ(t.after[1][i], t.src[1][i]);
    rig_close();
}

int main(void)
{
    RUN(global_loads_and_stores);
    RUN(flat_loads_and_stores);
    RUN(lds_loads_and_stores);
    RUN(faults_name_lanes_and_address);
    RUN(lanes_that_are_off_do_not_fault);
    RUN(lds_range);
    RUN(scratch_is_interleaved_over_lanes);
    RUN(flat_apertures_mix_in_a_wave);
    return test_done();
}
