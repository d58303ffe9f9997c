/* Words re-typed from outside: a recorded tinygrad stream on gfx1100 and gfx942, packed and unpacked here. */
#include "hw/amd/pm4.h"
#include "test/test.h"

TEST(pm4_golden_gfx11)
{
    uint32_t w[8];
    pm4_release_mem_pack(w, &(struct pm4_release_mem){.event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS,
                                                      .event_index = PM4_EVENT_INDEX_END_OF_PIPE,
                                                      .glm_wb = 1,
                                                      .glm_inv = 1,
                                                      .glv_inv = 1,
                                                      .gl1_inv = 1,
                                                      .gl2_inv = 1,
                                                      .gl2_wb = 1,
                                                      .seq = 1,
                                                      .data_sel = PM4_DATA_SEL_LOW32,
                                                      .addr = 0x7f29e03baff0,
                                                      .data = 3});
    static const uint32_t release[8] = {0xc0064900, 0x70f514, 0x20000000, 0xe03baff0, 0x7f29, 3, 0, 0};
    CHECK(!memcmp(w, release, sizeof w));
    pm4_wait_reg_mem_pack(w, &(struct pm4_wait_reg_mem){.function = PM4_FUNC_GE,
                                                        .mem_space = PM4_SPACE_MEMORY,
                                                        .addr = 0x7f29e03baff0,
                                                        .reference = 2,
                                                        .mask = ~0u,
                                                        .poll_interval = 4});
    static const uint32_t wait[7] = {0xc0053c00, 0x15, 0xe03baff0, 0x7f29, 2, ~0u, 4};
    CHECK(!memcmp(w, wait, sizeof wait));
    pm4_set_sh_reg_pack(w, &(struct pm4_set_sh_reg){.offset = 0x20c, .tail = 2});
    CHECK_EQ(w[0], 0xc0027600);
    CHECK_EQ(w[1], 0x20c);
    struct pm4_set_sh_reg set;
    pm4_set_sh_reg_unpack(w, &set);
    CHECK_EQ(set.tail, 2);
    pm4_nop_pack(w, &(struct pm4_nop){0});
    CHECK_EQ(w[0], 0xffff1000); /* the kernel's pad word */
    CHECK_EQ(pm4_dwords(w[0]), 1);
    static const uint32_t acquire[8] = {0xc0065800, 0, ~0u, ~0u, 0, 0, 0, 0xc3f1};
    struct pm4_acquire_mem a;
    pm4_acquire_mem_unpack(acquire, &a);
    CHECK_EQ(a.gli_inv, 1);
    CHECK_EQ(a.gl2_wb, 1);
    CHECK_EQ(pm4_acquire_mem_unknown(acquire), -1);
    CHECK_EQ(pm4_acquire_mem_unknown((uint32_t[8]){0xc0065800, 1}), 1);
}

TEST(pm4_walk)
{
    static const uint32_t w[] = {0xc0065800, 0,          ~0u,        ~0u, 0,          0, 0,         0xc3f1,
                                 0xffff1000, 0x80000000, 0xc0001500, 0,   0xc000ff00, 0, 0xc0031500};
    static const uint8_t status[] = {PM4_OK,        PM4_OK,         PM4_FILLER,
                                     PM4_BAD_COUNT, PM4_UNKNOWN_OP, PM4_TRUNCATED};
    unsigned at = 0, i = 0;
    for (struct pm4_packet p; at < sizeof w / 4 && i < sizeof status; i++) {
        at += pm4_next(w + at, sizeof w / 4 - at, AMD_GEN_11, &p);
        CHECK_EQ(p.status, status[i]);
    }
    CHECK_EQ(i, sizeof status);
    CHECK_EQ(at, sizeof w / 4);
}

int main(void)
{
    RUN(pm4_golden_gfx11);
    RUN(pm4_walk);
    return test_done();
}
