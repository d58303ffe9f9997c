/* Launch state: registers, or an AQL packet and a kernel descriptor, to what the waves of a real program find. The
 * programs are a few words of gfx1100 machine code, made and checked with llvm-mc 19 (their text stands beside them).
 * Outside witnesses: LLVM's AMDGPU usage document (initial registers), Mesa radv (partial groups, base groups).
 * cases.md: T39, T41, T62, R20. */
#include "hw/amd/aql.h"
#include "hw/amd/kd.h"
#include "hw/amd/pm4.h"
#include "hw/amd/regs.h"
#include "test/soft_client.h"

enum { RECORD, SPIN, BAD_STORE, SCRATCH, AQL, ILLEGAL, TRAP, NOT_HERE, PROGRAMS };
static const uint32_t programs[PROGRAMS][16] = {
    /* every lane: n = atomic_add(out, 1); out[16 + 16 n ..] = {v0, s2, s3, s4} */
    [RECORD] = {0x7e020281, 0x7e040280, /* v_mov_b32 v1, 1; v_mov_b32 v2, 0 */
                0xdcd64000, 0x03000102, /* global_atomic_add_u32 v3, v2, v1, s[0:1] glc */
                0xbf8903f7, 0x30060684, /* s_waitcnt vmcnt(0); v_lshlrev_b32 v3, 4, v3 */
                0x7e080300, 0x7e0a0202, /* v_mov_b32 v4, v0; v_mov_b32 v5, s2 */
                0x7e0c0203, 0x7e0e0204, /* v_mov_b32 v6, s3; v_mov_b32 v7, s4 */
                0xdc760010, 0x00000403,
                0xbfb00000}, /* global_store_b128 v3, v[4:7], s[0:1] offset:16; s_endpgm */
    [SPIN] = {0xbfa0ffff},   /* s_branch to itself */
    [BAD_STORE] = {0x7e000280, 0x7e0202ff, 0x70,        /* v_mov_b32 v0, 0; v_mov_b32 v1, 0x70 */
                   0xdc6a0008, 0x007c0000, 0xbfb00000}, /* global_store_b32 v[0:1], v0, off offset:8 */
    [SCRATCH] = {0x7e020300, 0xdc690004,
                 0x007c0100, /* v_mov_b32 v1, v0; scratch_store_b32 off, v1, off offset:4 */
                 0xbc7c0000, 0xdc510004,
                 0x027c0000,             /* s_waitcnt_vscnt null, 0; scratch_load_b32 v2, off, off offset:4 */
                 0xbf8903f7, 0x30060082, /* s_waitcnt vmcnt(0); v_lshlrev_b32 v3, 2, v0 */
                 0xdc6a0000, 0x00000203, 0xbfb00000}, /* global_store_b32 v3, v2, s[0:1]; s_endpgm */
    [AQL] = {0xf4040101, 0xf8000000,                  /* s_load_b64 s[4:5], s[2:3], 0 */
             0xf4000180, 0xf800000c, 0xbf89fc07,      /* s_load_b32 s6, s[0:1], 12; s_waitcnt lgkmcnt(0) */
             0x7e020281, 0x7e040280,                  /* v_mov_b32 v1, 1; v_mov_b32 v2, 0 */
             0xdcd60000, 0x00040102, 0x7e060206,  /* global_atomic_add_u32 v2, v1, s[4:5]; v_mov_b32 v3, s6 */
             0xdc6a0004, 0x00040302, 0xbfb00000}, /* global_store_b32 v2, v3, s[4:5] offset:4; s_endpgm */
    [ILLEGAL] = {0x7e02fe81, 0xbfb00000},         /* no such VOP1 */
    [TRAP] = {0xbf900002, 0xbfb00000},            /* s_trap 2 */
    [NOT_HERE] = {0xbfa00100},                    /* s_branch to zeros behind */
};

static struct client c;
static struct ring q;
static struct buffer code, out;
static uint32_t *o;

static void setup(void)
{
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    CHECK_EQ(ring_open(&c, &q, KFD_QUEUE_COMPUTE, 65536), 0);
    CHECK_EQ(buffer_alloc(&c, &code, 8192, (uint32_t)VRAM_FLAGS, 1), 0);
    CHECK_EQ(buffer_alloc(&c, &out, 1 << 20, (uint32_t)GTT_FLAGS, 1), 0);
    for (unsigned i = 0; i < PROGRAMS; i++)
        memcpy((char *)code.host + 256 * i, programs[i], sizeof programs[i]);
    o = out.host;
}
static void teardown(void)
{
    CHECK_EQ(ring_close(&c, &q), 0);
    client_close(&c);
}

static void set(uint32_t offset, const uint32_t *v, unsigned n)
{
    uint32_t dw[2];
    struct pm4_set_sh_reg p = {.offset = offset, .tail = n};
    pm4_set_sh_reg_pack(dw, &p);
    ring_put(&q, dw, 2);
    ring_put(&q, v, n);
}
#define SET(offset, ...)                                                                                     \
    set(offset, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

struct grid {
    uint32_t start[3], dims[3], full[3], partial[3];
    int wave64, threads, partial_en;
    uint32_t ids, rsrc2; /* work-item id components - 1 */
};

static void dispatch(unsigned program, const struct grid *g)
{
    uint64_t pc = (code.va + 256 * program) >> 8;
    struct reg_COMPUTE_PGM_RSRC1 r1 = {
        .vgprs = 1, .float_mode = 0xf0, .priv = 1, .dx10_clamp = 1, .ieee_mode = 1, .mem_ordered = 1};
    struct reg_COMPUTE_PGM_RSRC2 r2 = {
        .user_sgpr = 2, .tgid_x_en = 1, .tgid_y_en = 1, .tgid_z_en = 1, .tidig_comp_cnt = g->ids};
    struct reg_COMPUTE_DISPATCH_INITIATOR in = {.compute_shader_en = 1,
                                                .partial_tg_en = (uint32_t)g->partial_en,
                                                .use_thread_dimensions = (uint32_t)g->threads,
                                                .cs_w32_en = !g->wave64};
    SET(0x20c, (uint32_t)pc, (uint32_t)(pc >> 32));
    SET(0x212, reg_COMPUTE_PGM_RSRC1_pack(AMD_GEN_11, &r1),
        reg_COMPUTE_PGM_RSRC2_pack(AMD_GEN_11, &r2) | g->rsrc2);
    SET(AMD_USER_DATA, (uint32_t)out.va, (uint32_t)(out.va >> 32));
    SET(0x204, g->start[0], g->start[1], g->start[2], g->full[0] | g->partial[0] << 16,
        g->full[1] | g->partial[1] << 16, g->full[2] | g->partial[2] << 16);
    uint32_t dw[8];
    struct pm4_dispatch_direct d = {.dim_x = g->dims[0],
                                    .dim_y = g->dims[1],
                                    .dim_z = g->dims[2],
                                    .initiator = reg_COMPUTE_DISPATCH_INITIATOR_pack(AMD_GEN_11, &in)};
    pm4_dispatch_direct_pack(dw, &d);
    ring_put(&q, dw, PM4_dispatch_direct_DWORDS);
    struct pm4_release_mem r = {.event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS,
                                .event_index = 5,
                                .data_sel = PM4_DATA_SEL_LOW32,
                                .addr = out.va + 4,
                                .data = 1};
    pm4_release_mem_pack(dw, &r);
    ring_put(&q, dw, PM4_release_mem_DWORDS);
    ring_submit(&q);
}

/* Every work-item of the grid ran exactly once, with its ids. size: in work-items; first: of the first group. */
static void check_records(const uint32_t first[3], const uint32_t size[3], const uint32_t wg[3],
                          unsigned comps)
{
    uint32_t total = size[0] * size[1] * size[2], bad = 0;
    CHECK_EQ(o[0], total);
    if (o[0] != total || total > 60000)
        return;
    uint8_t *seen = calloc(total, 1);
    for (uint32_t i = 0; i < total; i++) {
        const uint32_t *r = o + 4 + 4 * i;
        uint32_t id[3] = {r[0] & 1023, r[0] >> 10 & 1023, r[0] >> 20}, at[3];
        if (comps < 2 && (r[0] >> (comps ? 20 : 10))) { /* what was not asked for is 0; T39 */
            bad++;
            continue;
        }
        for (int k = 0; k < 3; k++)
            at[k] = (r[1 + k] - first[k]) * wg[k] + id[k];
        if (at[0] >= size[0] || at[1] >= size[1] || at[2] >= size[2]) {
            bad++;
            continue;
        }
        seen[at[0] + size[0] * (at[1] + size[1] * at[2])]++;
    }
    if (comps == 2)
        for (uint32_t i = 0; i < total; i++)
            bad += seen[i] != 1;
    CHECK_EQ(bad, 0);
    free(seen);
}

static void run_grid(const struct grid *g, const uint32_t first[3], const uint32_t size[3])
{
    setup();
    dispatch(RECORD, g);
    CHECK_EQ(wait_value(&c, &o[1], 1), 0);
    CHECK_STR(fault_text(&c), "");
    check_records(first, size, g->full, g->ids);
    teardown();
}

TEST(grids)
{
    static const uint32_t zero[3] = {0, 0, 0};
    for (int w64 = 0; w64 < 2; w64++) {
        run_grid(&(struct grid){.dims = {1, 1, 1}, .full = {1, 1, 1}, .wave64 = w64, .ids = 2}, zero,
                 (uint32_t[]){1, 1, 1});
        run_grid(&(struct grid){.dims = {3, 2, 2}, .full = {5, 4, 3}, .wave64 = w64, .ids = 2}, zero,
                 (uint32_t[]){15, 8, 6});
        run_grid(&(struct grid){.dims = {2, 1, 1}, .full = {1024, 1, 1}, .wave64 = w64, .ids = 2}, zero,
                 (uint32_t[]){2048, 1, 1});
        /* partial last groups in all dimensions, by register and by thread count */
        run_grid(&(struct grid){.dims = {3, 3, 2},
                                .full = {8, 4, 3},
                                .partial = {3, 1, 2},
                                .partial_en = 1,
                                .wave64 = w64,
                                .ids = 2},
                 zero, (uint32_t[]){19, 9, 5});
        run_grid(&(struct grid){.dims = {19, 9, 5}, .full = {8, 4, 3}, .threads = 1, .wave64 = w64, .ids = 2},
                 zero, (uint32_t[]){19, 9, 5});
        /* a base: groups START to DIM - 1 */
        run_grid(
            &(struct grid){.start = {2, 1, 5}, .dims = {4, 3, 6}, .full = {8, 2, 2}, .wave64 = w64, .ids = 2},
            (uint32_t[]){2, 1, 5}, (uint32_t[]){16, 4, 2});
        /* ids that were not asked for */
        run_grid(&(struct grid){.dims = {2, 1, 1}, .full = {4, 4, 4}, .wave64 = w64, .ids = 0}, zero,
                 (uint32_t[]){8, 4, 4});
        run_grid(&(struct grid){.dims = {2, 1, 1}, .full = {4, 4, 4}, .wave64 = w64, .ids = 1}, zero,
                 (uint32_t[]){8, 4, 4});
    }
}

/* Private memory by TMPRING and SCRATCH_BASE: each lane gets back its own. */
TEST(scratch)
{
    setup();
    struct buffer s;
    CHECK_EQ(buffer_alloc(&c, &s, 1 << 20, (uint32_t)VRAM_FLAGS, 1), 0);
    struct reg_COMPUTE_TMPRING_SIZE t = {.waves = 8, .wavesize = 4}; /* 1 KiB a wave; 8 an engine */
    SET(0x210, (uint32_t)(s.va >> 8), (uint32_t)(s.va >> 40));
    SET(0x218, reg_COMPUTE_TMPRING_SIZE_pack(AMD_GEN_11, &t));
    o[1] = 0;
    struct grid g = {.dims = {1, 1, 1}, .full = {256, 1, 1}, .rsrc2 = 1};
    o[1] = 7;
    dispatch(SCRATCH, &g);
    settle(&c);
    CHECK_STR(fault_text(&c), "");
    unsigned bad = 0;
    for (unsigned i = 2; i < 256; i++)
        bad += o[i] != i;
    CHECK_EQ(bad, 0);
    CHECK_EQ(((uint32_t *)s.host)[32 + 5], 5); /* dword 1 of a lane: interleaved by lane */
    teardown();
}

/* One wave too large for its scratch, no scratch though enabled: said, not guessed. */
static void expect_fault(unsigned program, const struct grid *g, const char *text, uint32_t type)
{
    struct kfd_create_event e = {.event_type = type};
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &e), 0);
    struct kfd_event d = {.event_id = e.event_id};
    struct kfd_wait_events w = {.events_ptr = (uintptr_t)&d, .num_events = 1, .timeout = 2000};
    uint64_t t = test_now_ms();
    dispatch(program, g);
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_COMPLETE);
    CHECK(test_now_ms() - t < 1500); /* T62 */
    CHECK_EQ(o[1], 0);
    if (!strstr(fault_text(&c), text)) {
        printf("  fault text without \"%s\": %s\n", text, fault_text(&c));
        test_bad++;
    }
}

TEST(faults)
{
    const struct grid one = {.dims = {1, 1, 1}, .full = {64, 1, 1}};
    struct grid s = one;
    setup();
    expect_fault(BAD_STORE, &one, "0x7000000008", KFD_EVENT_MEMORY);
    CHECK(strstr(fault_text(&c), "global_store_b32 v[0:1], v0, off offset:8") != NULL);
    CHECK(strstr(fault_text(&c), "\naccess write\n") != NULL);
    teardown();
    setup();
    expect_fault(ILLEGAL, &one, "illegal", KFD_EVENT_HW_EXCEPTION);
    teardown();
    setup();
    expect_fault(TRAP, &one, "trap", KFD_EVENT_HW_EXCEPTION);
    teardown();
    setup();
    expect_fault(NOT_HERE, &one, "illegal", KFD_EVENT_HW_EXCEPTION);
    teardown();
    s.rsrc2 = 1;
    setup();
    expect_fault(SCRATCH, &s, "TMPRING_SIZE", KFD_EVENT_HW_EXCEPTION);
    teardown();
    s = one;
    s.partial_en = 1;
    setup();
    expect_fault(RECORD, &s, "NUM_THREAD_PARTIAL", KFD_EVENT_HW_EXCEPTION);
    teardown();
    s = one;
    s.dims[1] = 0; /* T41 */
    setup();
    expect_fault(RECORD, &s, "nothing to run", KFD_EVENT_HW_EXCEPTION);
    teardown();
    /* code that is not there, or in memory that is not executable */
    setup();
    struct buffer data;
    CHECK_EQ(buffer_alloc(&c, &data, 4096, KFD_MEM_GTT | KFD_MEM_WRITABLE, 1), 0);
    code.va = data.va;
    expect_fault(0, &one, "exec", KFD_EVENT_MEMORY);
    teardown();
}

/* A program that never ends: waits time out, others go on, the queue can be destroyed. */
TEST(endless)
{
    setup();
    struct ring other;
    CHECK_EQ(ring_open(&c, &other, KFD_QUEUE_COMPUTE, 4096), 0);
    dispatch(SPIN, &(struct grid){.dims = {4, 1, 1}, .full = {64, 1, 1}});
    struct kfd_event d = {.event_id = 1};
    struct kfd_wait_events w = {.events_ptr = (uintptr_t)&d, .num_events = 1, .timeout = 30};
    uint64_t t = test_now_ms();
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_TIMEOUT);
    CHECK(test_now_ms() - t < 1500);
    struct ring spinning = q;
    q = other;
    dispatch(RECORD, &(struct grid){.dims = {1, 1, 1}, .full = {4, 1, 1}, .ids = 2});
    CHECK_EQ(wait_value(&c, &o[1], 1), 0);
    CHECK_EQ(o[0], 4);
    CHECK_EQ(ring_close(&c, &spinning), 0);
    teardown();
    setup(); /* and a port that is closed with it running */
    dispatch(SPIN, &(struct grid){.dims = {4, 1, 1}, .full = {64, 1, 1}});
    port_idle(c.port, 1000);
    client_close(&c);
}

/* Code that changes is seen after an instruction cache invalidate. */
TEST(changed_code)
{
    setup();
    dispatch(RECORD, &(struct grid){.dims = {1, 1, 1}, .full = {4, 1, 1}, .ids = 2});
    CHECK_EQ(wait_value(&c, &o[1], 1), 0);
    CHECK_EQ(o[0], 4);
    memset(o, 0, 64);
    *(uint32_t *)code.host = 0xbfb00000; /* s_endpgm */
    uint32_t dw[PM4_acquire_mem_DWORDS];
    struct pm4_acquire_mem a = {.size = ~0ull, .gli_inv = 1};
    pm4_acquire_mem_pack(dw, &a);
    ring_put(&q, dw, PM4_acquire_mem_DWORDS);
    dispatch(RECORD, &(struct grid){.dims = {1, 1, 1}, .full = {4, 1, 1}, .ids = 2});
    CHECK_EQ(wait_value(&c, &o[1], 1), 0);
    CHECK_EQ(o[0], 0);
    teardown();
}

/* An AQL dispatch with a kernel descriptor that asks for dispatch and kernarg pointers. */
TEST(aql)
{
    setup();
    struct ring a;
    CHECK_EQ(ring_open(&c, &a, KFD_QUEUE_COMPUTE_AQL, 4096), 0);
    for (unsigned i = 0; i < 64; i++)
        ((uint32_t *)a.ring.host)[i * 16] = AQL_INVALID;
    uint32_t kd[16];
    struct reg_COMPUTE_PGM_RSRC1 r1 = {
        .vgprs = 1, .float_mode = 0xf0, .dx10_clamp = 1, .ieee_mode = 1, .mem_ordered = 1};
    struct reg_COMPUTE_PGM_RSRC2 r2 = {.user_sgpr = 4};
    struct kd_desc k = {.entry = (uint64_t)(256 * AQL - 4096ll), /* the descriptor lies behind the code */
                        .rsrc1 = reg_COMPUTE_PGM_RSRC1_pack(AMD_GEN_11, &r1),
                        .rsrc2 = reg_COMPUTE_PGM_RSRC2_pack(AMD_GEN_11, &r2),
                        .sgpr_dispatch_ptr = 1,
                        .sgpr_kernarg_ptr = 1,
                        .wave32 = 1};
    kd_desc_pack(kd, &k);
    memcpy((char *)code.host + 4096, kd, 64);
    uint64_t *kernarg = (uint64_t *)((char *)out.host + 0x1000);
    int64_t *signal = (int64_t *)((char *)out.host + 0x2000);
    for (uint32_t i = 0; i < 150; i++) {
        kernarg[0] = out.va;
        signal[0] = AMD_SIGNAL_USER;
        signal[1] = 1;
        o[0] = o[1] = 0;
        struct aql_dispatch p = {.dims = 2,
                                 .workgroup_x = 16,
                                 .workgroup_y = 4,
                                 .workgroup_z = 1,
                                 .grid_x = 100 + i,
                                 .grid_y = 7,
                                 .grid_z = 1,
                                 .kernel_object = code.va + 4096,
                                 .private_segment_size = i % 2 ? 64 : 0,
                                 .kernarg_address = out.va + 0x1000,
                                 .completion_signal = out.va + 0x2000};
        uint32_t dw[16], *slot = (uint32_t *)a.ring.host + (a.put % 64) * 16;
        aql_dispatch_pack(dw, &p);
        memcpy(slot + 1, dw + 1, 60);
        a.put++;
        __atomic_store_n(a.wptr, a.put, __ATOMIC_RELEASE);
        __atomic_store_n(slot, dw[0], __ATOMIC_RELEASE);
        __atomic_store_n(a.doorbell, a.put - 1, __ATOMIC_RELEASE);
        CHECK_EQ(wait_value(&c, &signal[1], 0), 0);
        CHECK_EQ(o[0], (100 + i) * 7); /* exactly the grid's work-items */
        CHECK_EQ(o[1], 100 + i);       /* the packet's grid size, read through the dispatch pointer */
    }
    CHECK_STR(fault_text(&c), "");
    CHECK_EQ(ring_close(&c, &a), 0);
    teardown();
}

int main(void)
{
    RUN(grids);
    RUN(scratch);
    RUN(faults);
    RUN(endless);
    RUN(changed_code);
    RUN(aql);
    return test_done();
}
