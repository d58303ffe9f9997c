/* NVIDIA's hardware words: rows against themselves, QMD fields against the published headers' numbers (facts
 * file and re-typed), words that tinygrad 0.14.0's queues and QMD class make, the first shim's ring entry and
 * doorbell, random words through the readers.
 */
#include "base/bits.h"
#include "base/err.h"
#include "base/json.h"
#include "hw/nv/decode.h"
#include "hw/nv/gpfifo.h"
#include "hw/nv/push.h"
#include "hw/nv/qmd.h"
#include "kernel/rm.h"
#include "test/facts.h"
#include "test/test.h"
#include <stdlib.h>

static uint32_t rnd(uint32_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
    return *seed;
}

/* ---- ring, USERD, doorbell: the first shim ---- */

TEST(ring_entry_and_doorbell_of_the_first_shim)
{
    /* (va >> 2 << 2) | length << 42 | 1 << 41 */
    CHECK_EQ(nv_gpfifo_entry(0x2000200040, 43), 0x0000ae2000200040); /* tinygrad 0.14.0 writes this one */
    CHECK_EQ(nv_gpfifo_entry(0x1000, 1), 0x0000060000001000);
    CHECK_EQ(nv_gpfifo_entry(0xfffffffffc, 0x1fffff), 0x7ffffefffffffffc);
    CHECK_EQ(nv_gpfifo_entry(0x10000000000, 1), 0); /* 2^40 would have set the level bit */
    CHECK(strstr(fail_text(), "2^40"));
    CHECK_EQ(nv_gpfifo_entry(0x7f0012345000, 16), 0);
    CHECK_EQ(nv_gpfifo_entry(0x1002, 1), 0);
    CHECK_EQ(nv_gpfifo_entry(0x1000, 0), 0);
    CHECK(strstr(fail_text(), "1..2097151"));
    CHECK_EQ(nv_gpfifo_entry(0x1000, 0x200000), 0);
    static uint32_t page[NV_USERMODE_BYTES / 4];
    nv_doorbell_ring(page, 0x20003);
    for (unsigned i = 0; i < ARRAY_LEN(page); i++)
        CHECK_EQ(page[i], i == 0x90 / 4 ? 0x20003 : 0);
    CHECK_EQ(NV_USERD_GP_PUT, 0x8c);
    CHECK_EQ(NV_USERD_GP_GET, 0x88);
    struct nv_gp_entry e;
    nv_gp_entry_unpack((const uint32_t[]){0x00200041, 0x8000ac20}, &e);
    CHECK_EQ(e.addr_shifted2 << 2, 0x2000200040);
    CHECK(e.length == 43 && e.conditional && e.sync_wait && e.level == NV_GP_LEVEL_MAIN);
    uint32_t w[2];
    nv_gp_control_pack(
        w, &(struct nv_gp_control){.operand = 0x1200, .opcode = NV_GP_OPCODE_SET_PB_SEGMENT_EXTENDED_BASE});
    CHECK(w[0] == 0x1200 && w[1] == 4);
}

/* ---- generations ---- */

TEST(generations)
{
    static const struct {
        const char *target;
        int gen;
    } cases[] = {{"sm_75", NV_TURING},       {"sm_80", NV_AMPERE_A},
                 {"sm_86", NV_AMPERE},       {"sm_89", NV_ADA},
                 {"sm_90", NV_HOPPER},       {"sm_90a", NV_HOPPER},
                 {"sm_100", NV_BLACKWELL_A}, {"sm_103a", NV_BLACKWELL_A},
                 {"sm_120", NV_BLACKWELL_B}, {"sm_120f", NV_BLACKWELL_B},
                 {"sm_70", -EINVAL},         {"sm_", -EINVAL},
                 {"gfx1100", -EINVAL},       {"sm_89x", -EINVAL},
                 {"sm_331", -EINVAL},        {"", -EINVAL}};
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
        CHECK_EQ(nv_gen_of(cases[i].target), cases[i].gen);
    CHECK(strstr(fail_text(), "sm_75"));
    /* class ids, QMD version, parameter base as in the facts' architecture table */
    static const struct {
        uint32_t gpfifo, compute, copy, usermode, params, qmd_bytes;
    } pins[NV_GEN_COUNT] = {
        {0xc46f, 0xc5c0, 0xc5b5, 0xc461, 0x160, 256}, {0xc56f, 0xc6c0, 0xc6b5, 0xc561, 0x160, 256},
        {0xc56f, 0xc7c0, 0xc7b5, 0xc561, 0x160, 256}, {0xc56f, 0xc9c0, 0xc7b5, 0xc561, 0x160, 256},
        {0xc86f, 0xcbc0, 0xc8b5, 0xc661, 0x210, 384}, {0xc96f, 0xcdc0, 0xc9b5, 0xc661, 0x380, 384},
        {0xca6f, 0xcec0, 0xcab5, 0xc761, 0x380, 384}};
    for (int g = 0; g < NV_GEN_COUNT; g++) {
        const struct nv_arch *a = nv_arch((enum nv_gen)g);
        CHECK(a->gpfifo == pins[g].gpfifo && a->compute == pins[g].compute && a->copy == pins[g].copy);
        CHECK(a->usermode == pins[g].usermode && a->bank0.params == pins[g].params &&
              a->qmd_bytes == pins[g].qmd_bytes);
        CHECK(a->qmds >> a->qmd & 1);
        CHECK_EQ(qmd_dwords((enum qmd_version)a->qmd) * 4, a->qmd_bytes);
        /* the same ids in the kernel's table, in the right role */
        CHECK(rm_class_of(a->gpfifo)->kind == RM_KIND_GPFIFO &&
              rm_class_of(a->compute)->kind == RM_KIND_COMPUTE);
        CHECK(rm_class_of(a->copy)->kind == RM_KIND_COPY &&
              rm_class_of(a->usermode)->kind == RM_KIND_USERMODE);
        CHECK(rm_class_of(a->inline_copy)->kind == RM_KIND_INLINE);
        CHECK_EQ(nv_unit_of_class(a->compute), NV_UNIT_COMPUTE);
        CHECK_EQ(nv_unit_of_class(a->copy), NV_UNIT_COPY);
        CHECK_EQ(nv_gen_of_class(a->compute), g);
    }
    CHECK_EQ(nv_gen_of_class(0), -1);
    CHECK_EQ(nv_unit_of_class(0xc9b0), NV_UNIT_NONE);
    CHECK_EQ(nv_arch(NV_BLACKWELL_B)->bank0.stack_pointer, 0x37c);
    CHECK_EQ(nv_arch(NV_ADA)->bank0.grid_dim, 0x0c);
    CHECK_EQ(NV_STACK_TOP, 0xfffdc0);
}

/* ---- methods and pushbuffers ---- */

TEST(method_words)
{
    uint32_t w;
    /* flag words of tinygrad's queues */
    nv_host_sem_execute_pack(
        &w, &(struct nv_host_sem_execute){.operation = NV_HOST_SEM_ACQ_CIRC_GEQ, .payload_64bit = 1});
    CHECK_EQ(w, 0x01000003);
    nv_host_sem_execute_pack(&w, &(struct nv_host_sem_execute){.operation = NV_HOST_SEM_RELEASE,
                                                               .release_wfi = 1,
                                                               .payload_64bit = 1,
                                                               .release_timestamp = 1});
    CHECK_EQ(w, 0x03100001);
    nv_copy_launch_dma_pack(&w, &(struct nv_copy_launch_dma){
                                    .data_transfer_type = NV_COPY_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED,
                                    .src_memory_layout = NV_COPY_LAUNCH_DMA_SRC_MEMORY_LAYOUT_PITCH,
                                    .dst_memory_layout = NV_COPY_LAUNCH_DMA_SRC_MEMORY_LAYOUT_PITCH});
    CHECK_EQ(w, 0x182);
    nv_copy_launch_dma_pack(
        &w, &(struct nv_copy_launch_dma){.flush_enable = 1,
                                         .semaphore_type =
                                             NV_COPY_LAUNCH_DMA_SEMAPHORE_TYPE_RELEASE_FOUR_WORD_SEMAPHORE});
    CHECK_EQ(w, 0x14);
    nv_compute_invalidate_shader_caches_no_wfi_pack(&w,
                                                    &(struct nv_compute_invalidate_shader_caches_no_wfi){
                                                        .instruction = 1, .global_data = 1, .constant = 1});
    CHECK_EQ(w, 0x1011);
    nv_compute_send_signaling_pcas2_b_pack(
        &w, &(struct nv_compute_send_signaling_pcas2_b){
                .pcas_action = NV_COMPUTE_SEND_SIGNALING_PCAS2_B_PCAS_ACTION_PREFETCH_SCHEDULE});
    CHECK_EQ(w, 9);
    /* addresses re-typed from the facts */
    CHECK_EQ(NV_COMPUTE_send_pcas_a, 0x2b4);
    CHECK_EQ(NV_COMPUTE_send_signaling_pcas_b, 0x2bc);
    CHECK_EQ(NV_COMPUTE_send_signaling_pcas2_b, 0x2c0);
    CHECK_EQ(NV_COMPUTE_invalidate_shader_caches, 0x21c);
    CHECK_EQ(NV_COMPUTE_set_shader_shared_memory_window_a, 0x2a0);
    CHECK_EQ(NV_COMPUTE_set_shader_local_memory_window_a, 0x7b0);
    CHECK_EQ(NV_COMPUTE_set_shader_local_memory_a, 0x790);
    CHECK_EQ(NV_COMPUTE_set_shader_local_memory_non_throttled_a, 0x2e4);
    CHECK_EQ(NV_COMPUTE_set_inline_qmd_address_a, 0x318);
    CHECK_EQ(NV_COMPUTE_load_inline_qmd_data, 0x320);
    CHECK_EQ(NV_COMPUTE_set_report_semaphore_a, 0x1b00);
    CHECK_EQ(NV_COMPUTE_launch_dma, 0x1b0);
    CHECK_EQ(NV_COMPUTE_load_inline_data, 0x1b4);
    CHECK_EQ(NV_COPY_offset_in_upper, 0x400);
    CHECK_EQ(NV_COPY_line_length_in, 0x418);
    CHECK_EQ(NV_COPY_set_semaphore_a, 0x240);
    CHECK_EQ(NV_COPY_set_remap_const_a, 0x700);
    CHECK_EQ(NV_HOST_sem_addr_lo, 0x5c);
    CHECK_EQ(NV_HOST_sem_execute, 0x6c);
    CHECK_EQ(NV_HOST_wfi, 0x78);
    /* which generation has what */
    unsigned k;
    CHECK(!nv_method(NV_UNIT_COMPUTE, NV_TURING, 0x2c0, &k)); /* PCAS2 came with Ampere */
    CHECK(nv_method(NV_UNIT_COMPUTE, NV_AMPERE, 0x2c0, &k));
    CHECK(nv_method(NV_UNIT_COMPUTE, NV_BLACKWELL_A, 0x320 + 4 * 95, &k) && k == 95);
    CHECK(!nv_method(NV_UNIT_COMPUTE, NV_BLACKWELL_A, 0x322, &k));
    CHECK(!nv_method(NV_UNIT_HOST, NV_HOPPER, 0x1c, &k) && nv_method(NV_UNIT_HOST, NV_ADA, 0x1c, &k));
    CHECK(nv_method(NV_UNIT_INLINE, NV_ADA, 0x1b4, &k) && !nv_method(NV_UNIT_INLINE, NV_ADA, 0x2b4, &k));
    CHECK(!nv_method(NV_UNIT_NONE, NV_ADA, 0x100, &k));
}

struct seen {
    struct nv_push_item item[16];
    unsigned n, stop;
};
static int see(void *ctx, const struct nv_push_item *it)
{
    struct seen *s = ctx;
    if (it->kind == NV_PUSH_METHOD && s->n < 16)
        s->item[s->n++] = *it;
    return s->stop && s->n == s->stop ? -7 : 0;
}

TEST(pushbuffers)
{
    CHECK_EQ(nv_push_header(NV_OP_INC, 1, 0, 1), 0x20012000);
    CHECK_EQ(nv_push_header(NV_OP_INC, 4, NV_COPY_offset_in_upper, 4), 0x20048100);
    CHECK_EQ(nv_push_header(NV_OP_NON_INC, 1, 0x1b4, 3), 0x6003206d);
    CHECK_EQ(nv_push_header(NV_OP_IMMEDIATE, 0, 0x78, 1), 0x8001001e);
    struct nv_push p;
    struct seen s = {0};
    size_t at;
    nv_push_begin(&p, NV_ADA);
    /* a sequence that goes on in the next segment; an end that hides a word; once-incrementing and immediate
     * forms */
    static const uint32_t first[] = {0x20012000, 0xc9c0, 0, 0, 0x200320ad, 1};
    static const uint32_t second[] = {2, 3, 0x8005201e, 0xa003206c, 10, 11, 12, 0xe0000000, 0x20010000};
    CHECK_EQ(nv_push_walk(&p, first, 6, see, &s, &at), 0);
    CHECK(at == 6 && p.left == 2 && p.cls[1] == 0xc9c0);
    CHECK_EQ(nv_push_walk(&p, second, 9, see, &s, NULL), 0);
    CHECK_EQ(p.left, 0);
    static const struct {
        uint32_t address, data;
        int unit;
    } want[] = {{0, 0xc9c0, NV_UNIT_HOST},    {0x2b4, 1, NV_UNIT_COMPUTE}, {0x2b8, 2, NV_UNIT_COMPUTE},
                {0x2bc, 3, NV_UNIT_COMPUTE},  {0x78, 5, NV_UNIT_HOST},     {0x1b0, 10, NV_UNIT_COMPUTE},
                {0x1b4, 11, NV_UNIT_COMPUTE}, {0x1b4, 12, NV_UNIT_COMPUTE}};
    CHECK_EQ(s.n, ARRAY_LEN(want));
    for (unsigned i = 0; i < ARRAY_LEN(want) && i < s.n; i++) {
        CHECK_EQ(s.item[i].address, want[i].address);
        CHECK_EQ(s.item[i].data, want[i].data);
        CHECK_EQ(s.item[i].unit, want[i].unit);
    }
    /* the callback stops the walk at its dword */
    s = (struct seen){.stop = 2};
    nv_push_begin(&p, NV_ADA);
    CHECK_EQ(nv_push_walk(&p, (const uint32_t[]){0x200320ad, 1, 2, 3}, 4, see, &s, &at), -7);
    CHECK_EQ(at, 2);
    CHECK_EQ(s.item[0].unit, NV_UNIT_NONE); /* nothing bound */
}

/* ---- QMD ---- */

TEST(qmd_fields_of_the_published_headers)
{
    FILE *f = facts_open("nv-qmd-fields.tsv");
    if (!f)
        SKIP("facts file nv-qmd-fields.tsv is not here");
    static const char *const names[QMD_VERSIONS] = {"V02_03", "V02_04", "",       "V03_00",
                                                    "V04_00", "V04_01", "V05_00", "V05_01"};
    char line[256], version[16], header[32], name[96], low[96];
    char hi[32], lo[32];
    unsigned checked = 0;
    while (fgets(line, sizeof line, f)) {
        if (*line == '#' || sscanf(line, "%15s %31s %95s %31s %31s", version, header, name, hi, lo) != 5)
            continue;
        int v = !strcmp(header, "clc6c0qmd") && !strcmp(version, "V03_00") ? QMD_V03_00_A : -1;
        for (int i = 0; i < QMD_VERSIONS && v < 0; i++)
            v = !strcmp(names[i], version) ? i : -1;
        unsigned n = 0;
        for (; name[n] && name[n] != '('; n++)
            low[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] + 32 : name[n]);
        low[n] = 0;
        if (v >= QMD_V05_00 &&
            !strncmp(name, "DEPENDENT_QMD_", 14)) /* a second name of dependent_qmd0_x and qmd1_x */
            continue;
        int found = 0;
        for (unsigned k = 0; k < QMD_FIELDS; k++)
            if (!strcmp(qmd_field_name(k), low)) {
                const struct qmd_place *p = qmd_place((enum qmd_version)v, k);
                const char *step = strchr(hi, '*');
                CHECK_EQ(p->hi, strtoul(hi, NULL, 10));
                CHECK_EQ(p->lo, strtoul(lo, NULL, 10));
                CHECK_EQ(p->stride, step ? strtoul(step + 1, NULL, 10) : 0);
                CHECK_EQ(p->count > 1, step != NULL);
                found = 1;
            }
        if (!found)
            printf("  no field %s\n", name);
        CHECK(found);
        checked++;
    }
    fclose(f);
    CHECK_EQ(checked, 1010);
}

/* Bits re-typed from the table that a launcher needs: Turing, Ampere and Ada, Hopper, Blackwell. */
TEST(qmd_fields_of_a_launch)
{
    static const enum qmd_version v[4] = {QMD_V02_03, QMD_V03_00, QMD_V04_00, QMD_V05_00};
    static const struct {
        enum qmd_field f[4];
        int bits[4][2];
    } rows[] = {
#define SAME(x) {x, x, x, x}
        {SAME(QMD_qmd_major_version), {{583, 580}, {583, 580}, {583, 580}, {471, 468}}},
        {SAME(QMD_qmd_group_id), {{133, 128}, {133, 128}, {21, 16}, {149, 144}}},
        {{QMD_cta_raster_width, QMD_cta_raster_width, QMD_grid_width, QMD_grid_width},
         {{415, 384}, {415, 384}, {1055, 1024}, {1279, 1248}}},
        {{QMD_cta_raster_depth, QMD_cta_raster_depth, QMD_grid_depth, QMD_grid_depth},
         {{463, 448}, {463, 448}, {1103, 1088}, {1327, 1312}}},
        {SAME(QMD_cta_thread_dimension0), {{607, 592}, {607, 592}, {1167, 1152}, {1103, 1088}}},
        {SAME(QMD_cta_thread_dimension2), {{639, 624}, {639, 624}, {1199, 1184}, {1127, 1120}}},
        {{QMD_register_count_v, QMD_register_count_v, QMD_register_count, QMD_register_count},
         {{656, 648}, {656, 648}, {1208, 1200}, {1136, 1128}}},
        {SAME(QMD_barrier_count), {{959, 955}, {767, 763}, {1215, 1211}, {1141, 1137}}},
        {{QMD_shared_memory_size, QMD_shared_memory_size, QMD_shared_memory_size,
          QMD_shared_memory_size_shifted7},
         {{561, 544}, {561, 544}, {601, 584}, {1162, 1152}}},
        {SAME(QMD_min_sm_config_shared_mem_size), {{568, 562}, {567, 562}, {613, 608}, {1168, 1163}}},
        {SAME(QMD_constant_buffer_valid), {{640, 640}, {640, 640}, {416, 416}, {1856, 1856}}},
        {SAME(QMD_constant_buffer_size_shifted4), {{1087, 1075}, {1087, 1075}, {1599, 1587}, {1407, 1395}}},
        {SAME(QMD_invalidate_shader_constant_cache), {{191, 191}, {191, 191}, {607, 607}, {477, 477}}},
        {SAME(QMD_cwd_membar_type), {{369, 368}, {369, 368}, {1137, 1136}, {625, 624}}},
        {SAME(QMD_sass_version), {{1023, 1016}, {1663, 1656}, {543, 536}, {455, 448}}},
    };
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        for (unsigned k = 0; k < 4; k++) {
            CHECK_EQ(qmd_place(v[k], rows[i].f[k])->hi, rows[i].bits[k][0]);
            CHECK_EQ(qmd_place(v[k], rows[i].f[k])->lo, rows[i].bits[k][1]);
        }
}

/* The QMDs that tinygrad 0.14.0 builds of the same launch, sm_89 and sm_120 (also test/golden/nv-qmd-*). Its
 * size field counts bytes where the unit is 16. */
static const uint32_t tinygrad_qmd3[64] = {0,
                                           0,
                                           0,
                                           0,
                                           0x7f,
                                           0x3c000000,
                                           0,
                                           0,
                                           0x20003456,
                                           0,
                                           0,
                                           0x44010000,
                                           7,
                                           5,
                                           3,
                                           0x20009999,
                                           0x13,
                                           0x34240400,
                                           0x400030,
                                           0x10002,
                                           0x120a09,
                                           0,
                                           0,
                                           0x08000000,
                                           0x12345610,
                                           0x800020,
                                           9,
                                           1,
                                           0,
                                           0,
                                           0,
                                           0,
                                           0x777740,
                                           0x0b040020,
                                           0,
                                           0,
                                           0,
                                           0,
                                           0x888800,
                                           0x02000020,
                                           [48] = 0x345600,
                                           0x20,
                                           0x640,
                                           0x89000800};
static const uint32_t tinygrad_qmd5[96] = {[4] = 0x13f0000,
                                           [9] = 1,
                                           0x130000,
                                           0,
                                           0x20009999,
                                           0,
                                           0x0f5003a4,
                                           0x12345610,
                                           0x20,
                                           9,
                                           1,
                                           0x10000,
                                           [32] = 0x34560,
                                           0x800002,
                                           0x20040,
                                           0x20a01,
                                           0x04b44808,
                                           0x640000,
                                           0,
                                           7,
                                           5,
                                           3,
                                           0x8001dddd,
                                           0x0b000000,
                                           0,
                                           0,
                                           0,
                                           0,
                                           0x80022220,
                                           0x02000000,
                                           [58] = 0x1009,
                                           0x20003456};

TEST(qmd_of_tinygrad)
{
    struct qmd_launch l = {.program = 0x2000345600,
                           .grid = {7, 5, 3},
                           .block = {64, 2, 1},
                           .registers = 10,
                           .barriers = 1,
                           .sass_version = 0x89,
                           .group = 0x3f,
                           .shared = 0x400,
                           .local_high = 0x640,
                           .smem_min = 9,
                           .smem_max = 0x1a,
                           .smem_target = 9,
                           .membar = 1,
                           .invalidate = 15,
                           .no_call_limit = 1,
                           .sampler_index = 1};
    l.bank[0].va = 0x2000777740, l.bank[0].size = 0x1600, l.bank[0].valid = l.bank[0].invalidate = 1;
    l.bank[3].va = 0x2000888800, l.bank[3].size = 0x400, l.bank[3].valid = 1;
    l.release[0].enable = 1, l.release[0].va = 0x2012345610, l.release[0].payload = 0x100000009;
    l.dependent[0].enable = l.dependent[0].action = l.dependent[0].prefetch = 1,
    l.dependent[0].va = 0x2000999900;
    uint32_t q[QMD_DWORDS_MAX];
    for (int blackwell = 0; blackwell < 2; blackwell++) {
        enum qmd_version v = blackwell ? QMD_V05_00 : QMD_V03_00;
        l.sass_version = blackwell ? 0xa4 : 0x89;
        CHECK_EQ(qmd_pack(v, q, &l), 0);
        /* what tinygrad sets besides */
        if (!blackwell)
            qmd_set(v, q, QMD_sm_global_caching_enable, 0, 1);
        qmd_set(v, q, QMD_program_prefetch_addr_lower_shifted, 0, 0x20003456);
        qmd_set(v, q, QMD_program_prefetch_size, 0, 4);
        const uint32_t *want = blackwell ? tinygrad_qmd5 : tinygrad_qmd3;
        for (unsigned i = 0; i < qmd_dwords(v); i++)
            CHECK_EQ(q[i], want[i]);
        struct qmd_launch back;
        qmd_unpack(v, want, &back);
        CHECK(!memcmp(&back, &l, sizeof l));
        CHECK_EQ(qmd_version_of(want, qmd_dwords(v), nv_arch(blackwell ? NV_BLACKWELL_B : NV_ADA)->qmds), v);
    }
    CHECK_EQ(qmd_version_of(tinygrad_qmd5, 96, nv_arch(NV_HOPPER)->qmds), -EINVAL);
    CHECK(strstr(fail_text(), "4.0, 3.0"));
}

TEST(qmd_of_every_version)
{
    uint32_t seed = 11;
    for (int version = 0; version < QMD_VERSIONS; version++) {
        enum qmd_version v = (enum qmd_version)version;
        uint32_t q[QMD_DWORDS_MAX] = {0}, known[QMD_DWORDS_MAX] = {0};
        /* no two fields share a bit, none lies outside, each reads what was set and nothing else */
        for (unsigned f = 0; f < QMD_FIELDS; f++)
            for (unsigned i = 0; i < qmd_place(v, f)->count; i++) {
                const struct qmd_place *p = qmd_place(v, f);
                uint64_t most = ~0ull >> (63 - (p->hi - p->lo)),
                         x = (rnd(&seed) | (uint64_t)rnd(&seed) << 32) & most;
                CHECK((p->hi + i * p->stride) / 32 < qmd_dwords(v));
                CHECK_EQ(qmd_get(v, known, f, i), 0);
                CHECK_EQ(qmd_set(v, known, f, i, most), 0);
                CHECK_EQ(qmd_set(v, q, f, i, x), 0);
                CHECK_EQ(qmd_get(v, q, f, i), x);
                if (most != ~0ull)
                    CHECK_EQ(qmd_set(v, q, f, i, most + 1), -ERANGE);
            }
        for (unsigned i = 0; i < qmd_dwords(v); i++) {
            uint32_t all[QMD_DWORDS_MAX];
            memset(all, 0xff, sizeof all);
            CHECK_EQ(qmd_unknown(v, all, i), ~known[i]);
            CHECK_EQ(qmd_unknown(v, q, i), 0);
        }
        /* struct -> words -> struct */
        struct qmd_launch l = {.program = 0x123456780,
                               .grid = {100, 20, 3},
                               .block = {32, 4, 2},
                               .registers = 40,
                               .barriers = 2,
                               .shared = 0x2400,
                               .local_low = 0x100,
                               .local_high = 0x640,
                               .smem_min = 3,
                               .smem_max = 0x1a,
                               .smem_target = 5,
                               .invalidate = 0x2a,
                               .membar = 2,
                               .group = 5,
                               .sass_version = 0x90};
        for (unsigned i = 0; i < 8; i++)
            l.bank[i].va = 0x10000 * (i + 1), l.bank[i].size = 64 * (i + 1), l.bank[i].valid = 1,
            l.bank[i].invalidate = i & 1;
        unsigned releases = v < QMD_V03_00_A ? 2 : 3, dependents = v == QMD_V02_03  ? 1
                                                                   : v < QMD_V04_00 ? 1
                                                                                    : 2;
        for (unsigned i = 0; i < releases; i++) {
            l.release[i].va = 0x1234567890 + 16 * i,
            l.release[i].payload = v < QMD_V03_00_A ? 7 + i : 0x700000000 + i;
            l.release[i].enable = l.release[i].reduce = 1, l.release[i].op = QMD_MAX,
            l.release[i].size = i & 1;
        }
        for (unsigned i = 0; i < dependents; i++)
            l.dependent[i].va = 0x100 * (i + 9), l.dependent[i].enable = 1,
            l.dependent[i].action = v == QMD_V02_03 ? 0 : QMD_DECREMENT_DEPENDENCE;
        if (v == QMD_V05_01) {
            CHECK_EQ(qmd_pack(v, q, &l), -ENOENT);
            qmd_unpack(v, q, &l); /* what the versions share still reads */
            continue;
        }
        struct qmd_launch back;
        CHECK_EQ(qmd_pack(v, q, &l), 0);
        qmd_unpack(v, q, &back);
        CHECK(!memcmp(&back, &l, sizeof l));
        CHECK_EQ(qmd_version_of(q, qmd_dwords(v), 1u << v), v);
        /* what does not fit is said */
        l.block[2] = 0x10000;
        CHECK_EQ(qmd_pack(v, q, &l), -ERANGE);
        CHECK(strstr(fail_text(), "cta_thread_dimension2"));
        l.block[2] = 1;
        l.dependent[0].va = 0x180;
        CHECK_EQ(qmd_pack(v, q, &l), -ERANGE);
        l.dependent[0].va = 0;
        l.bank[1].va = 0x20;
        CHECK_EQ(qmd_pack(v, q, &l), v < QMD_V04_00 ? 0 : -ERANGE);
        l.bank[1].va = 0;
        l.cluster[0] = 2;
        CHECK_EQ(qmd_pack(v, q, &l), v < QMD_V04_00 ? -ENOENT : 0);
    }
}

/* ---- random words ---- */

static unsigned lines(const char *s)
{
    unsigned n = 0;
    for (; *s; s++)
        n += *s == '\n';
    return n;
}

TEST(random_words_are_shown_never_dropped)
{
    uint32_t seed = 77;
    for (int round = 0; round < 600; round++) {
        enum nv_gen gen = (enum nv_gen)(rnd(&seed) % NV_GEN_COUNT);
        enum nv_format format = (enum nv_format)(round % NV_FORMATS);
        unsigned n = rnd(&seed) % 200;
        uint32_t *dw = malloc(4 * n + 1); /* its own block: a sanitizer sees a read beyond */
        for (unsigned i = 0; i < n; i++) {
            uint32_t r = rnd(&seed);
            /* plausible headers among noise, so that sequences of all kinds occur */
            dw[i] = r % 3 ? r : nv_push_header(r >> 8 & 7, r >> 11 & 7, r >> 14 & 0x7fc, r >> 23 & 7);
            if (r % 7 == 1)
                dw[i] = nv_arch(gen)->compute;
        }
        if (format == NV_FORMAT_QMD && n > 18 && round % 2)
            dw[18] = 0x30, dw[14] = 0x500000;
        char *text = NULL, *json_text = NULL;
        size_t size, json_size;
        FILE *f = open_memstream(&text, &size), *g = open_memstream(&json_text, &json_size);
        struct json j = json_begin(g);
        size_t bad = nv_decode(format, gen, dw, n, 0x1000, f, NULL);
        json_array(&j, NULL);
        CHECK_EQ(nv_decode(format, gen, dw, n, 0x1000, NULL, &j), bad);
        json_close(&j);
        fclose(f), fclose(g);
        unsigned shown = lines(text), missing = strstr(text, "more dwords were announced") != NULL;
        if (format == NV_FORMAT_PUSH)
            CHECK_EQ(shown, n + missing);
        if (format == NV_FORMAT_GPFIFO)
            CHECK_EQ(shown, (n + 1) / 2);
        /* every dword stands in the JSON's words */
        unsigned words = 0;
        for (char *w = strstr(json_text, "\"words\": ["); w; w = strstr(w + 1, "\"words\": [")) {
            const char *end = strchr(w, ']');
            for (const char *c = w; c < end; c++)
                words += *c == 'x';
        }
        CHECK_EQ(words, n);
        free(text), free(json_text), free(dw);
    }
}

int main(void)
{
    RUN(ring_entry_and_doorbell_of_the_first_shim);
    RUN(generations);
    RUN(method_words);
    RUN(pushbuffers);
    RUN(qmd_fields_of_the_published_headers);
    RUN(qmd_fields_of_a_launch);
    RUN(qmd_of_tinygrad);
    RUN(qmd_of_every_version);
    RUN(random_words_are_shown_never_dropped);
    return test_done();
}
