/* The lowest layer, word by word. Expected words: tinygrad's register writes and dispatch as recorded on
 * gfx1100 and gfx942 (test/golden/pm4-tinygrad-*.hex), registers that this layer sets in its own order. */
#include "base/err.h"
#include "hw/amd/shim.h"
#include "hw/amd/pm4.h"
#include "hw/amd/stream.h"
#include "test/test.h"
#include <pthread.h>
#include <stdlib.h>

static const uint32_t gfx11_words[] = {0xc0027600, 0x20c, 0x29de93b0, 0x7f, /* code address >> 8 */
                                       0xc0027600, 0x212, 0x40bf0080, 0x9e, /* RSRC1, RSRC2 */
                                       0xc0017600, 0x228, 0,                /* RSRC3 */
                                       0xc0067600, 0x204, 0,          0,      0,
                                       2,          1,     1,                  /* start, threads */
                                       0xc0027600, 0x240, 0xd4c00000, 0x7f19, /* user data: kernarg */
                                       0xc0031500, 0x7d,  1,          1,      0x8005};
static const uint32_t kernarg[2] = {0xd4c00000, 0x7f19};
static const struct pm4_dispatch gfx11 = {.code_va = 0x7f29de93b000,
                                          .rsrc1 = 0x40bf0080,
                                          .rsrc2 = 0x9e,
                                          .user_data = kernarg,
                                          .user_data_count = 2,
                                          .block = {2, 1, 1},
                                          .groups = {125, 1, 1},
                                          .wave32 = 1};

TEST(dispatch_words)
{
    uint32_t dw[PM4_DISPATCH_DWORDS];
    int n = pm4_compose_dispatch(dw, PM4_DISPATCH_DWORDS, AMD_GEN_11, &gfx11);
    CHECK_EQ(n, sizeof gfx11_words / 4);
    CHECK(!memcmp(dw, gfx11_words, sizeof gfx11_words));
    /* gfx942: RSRC3 is elsewhere, no wave32; gfx900 has no RSRC3 at all */
    struct pm4_dispatch d = gfx11;
    d.wave32 = 0, d.rsrc3 = 1, d.rsrc1 = 0x00af0040, d.rsrc2 = 0x84;
    CHECK_EQ(pm4_compose_dispatch(dw, PM4_DISPATCH_DWORDS, AMD_GEN_9_4_2, &d), n);
    CHECK_EQ(dw[9], 0x22d);
    CHECK_EQ(dw[10], 1);
    CHECK_EQ(dw[n - 1], 5);
    CHECK_EQ(pm4_compose_dispatch(dw, PM4_DISPATCH_DWORDS, AMD_GEN_9_0, &d), n - 3);
    /* every packet's count is right: the walker finds the next header each time */
    struct stream_target t;
    CHECK_EQ(stream_target(&t, "pm4", "gfx900"), 0);
    CHECK_EQ(stream_walk(&t, dw, (size_t)n - 3, NULL, NULL), 0);
}

TEST(dispatch_refusals)
{
    uint32_t dw[PM4_DISPATCH_DWORDS];
    struct pm4_dispatch d = gfx11;
    CHECK_EQ(pm4_compose_dispatch(dw, 10, AMD_GEN_11, &d), -ENOSPC);
    CHECK_EQ(pm4_compose_dispatch(dw, PM4_DISPATCH_DWORDS, AMD_GEN_9_0, &d), -EINVAL);
    d.code_va += 4;
    CHECK_EQ(pm4_compose_dispatch(dw, PM4_DISPATCH_DWORDS, AMD_GEN_11, &d), -EINVAL);
    CHECK(strstr(fail_text(), "multiple of 256"));
    d = gfx11, d.groups[1] = 0;
    CHECK_EQ(pm4_compose_dispatch(dw, PM4_DISPATCH_DWORDS, AMD_GEN_11, &d), -EINVAL);
    d = gfx11, d.user_data_count = 17;
    CHECK_EQ(pm4_compose_dispatch(dw, PM4_DISPATCH_DWORDS, AMD_GEN_11, &d), -EINVAL);
}

TEST(ring_wraps)
{
    uint32_t ring[16] = {0}, dw[16];
    uint64_t put = 0;
    for (uint32_t i = 0; i < 16; i++)
        dw[i] = 0x100 + i;
    CHECK_EQ(pm4_ring_room(16, put, 0), 16);
    put = pm4_ring_put(ring, 16, put, dw, 13);
    CHECK_EQ(pm4_ring_room(16, put, 0), 3);
    put = pm4_ring_put(ring, 16, put, dw, 5); /* three before the end, two at the start */
    CHECK_EQ(put, 18);
    CHECK_EQ(ring[13], 0x100);
    CHECK_EQ(ring[15], 0x102);
    CHECK_EQ(ring[0], 0x103);
    CHECK_EQ(ring[1], 0x104);
    CHECK_EQ(ring[2], 0x102);
    CHECK_EQ(pm4_ring_room(16, put, 13), 11);
    put = (1ull << 32) - 2; /* the count goes on past 32 bits */
    CHECK_EQ(pm4_ring_put(ring, 16, put, dw, 4), (1ull << 32) + 2);
    CHECK_EQ(ring[14], 0x100);
    CHECK_EQ(ring[1], 0x103);
}

/* A reader that sees the doorbell must see the write pointer and the packets: run under MODE=tsan this also
 * proves the ordering is stated, not lucky. */
static uint32_t shared_ring[64];
static uint64_t shared_wptr, shared_bell;
static void *writer(void *arg)
{
    uint64_t put = 0;
    for (uint32_t i = 1; i <= 2000; i++) {
        while (put - __atomic_load_n((uint64_t *)arg, __ATOMIC_ACQUIRE) > 60)
            ;
        put = pm4_ring_put(shared_ring, 64, put, (uint32_t[]){i, ~i}, 2);
        kfd_doorbell_ring(&shared_wptr, &shared_bell, put);
    }
    return NULL;
}
TEST(doorbell_order)
{
    static uint64_t get;
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, writer, &get), 0);
    for (uint64_t at = 0; at < 4000;) {
        uint64_t bell = __atomic_load_n(&shared_bell, __ATOMIC_ACQUIRE);
        if (at == bell)
            continue;
        CHECK(__atomic_load_n(&shared_wptr, __ATOMIC_ACQUIRE) >= bell);
        for (; at < bell; at += 2) {
            CHECK_EQ(shared_ring[at % 64], at / 2 + 1);
            CHECK_EQ(shared_ring[at % 64 + 1], (uint32_t) ~(at / 2 + 1));
        }
        __atomic_store_n(&get, at, __ATOMIC_RELEASE);
    }
    pthread_join(thread, NULL);
}

TEST(assembled_words)
{
    static const char text[] = "# the dispatch above, as text\n"
                               "set_sh_reg offset=0x20c values=[0x29de93b0 0x7f]\n"
                               "set_sh_reg offset=0x212 values=[0x40bf0080 0x9e]\n"
                               "set_sh_reg offset=0x228 values=[0]\n"
                               "set_sh_reg offset=0x204 values=[0 0 0 2 1 1]\n"
                               "set_sh_reg offset=0x240 values=[0xd4c00000 0x7f19]\n"
                               "dispatch_direct dim_x=125 dim_y=1 dim_z=1 initiator=0x8005\n";
    struct stream_target t;
    uint32_t *dw = NULL;
    CHECK_EQ(stream_target(&t, "pm4", "gfx1100"), 0);
    CHECK_EQ(stream_asm(&t, text, &dw), sizeof gfx11_words / 4);
    CHECK(dw && !memcmp(dw, gfx11_words, sizeof gfx11_words));
    free(dw);
}

int main(void)
{
    RUN(dispatch_words);
    RUN(dispatch_refusals);
    RUN(ring_wraps);
    RUN(doorbell_order);
    RUN(assembled_words);
    return test_done();
}
