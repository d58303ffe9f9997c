/* The software GPU's SDMA queues through the driver's door. Outside witnesses: hw/amd's rows (Linux
 * *_sdma_pkt_open.h); packet sequences as ROCr and tinygrad emit them (facts/amd-kernel.md 1, 2.7). cases.md:
 * T09, T22, R20. */
#include "hw/amd/sdma.h"
#include "test/soft_client.h"
#include <stdbool.h>

static struct client c;
static struct ring q;
static struct buffer mem;
static volatile uint32_t *w;
#define VA(i) (mem.va + (i)*4ull)

static void setup_on(const char *chip, uint64_t bytes)
{
    CHECK_EQ(client_open(&c, chip), 0);
    CHECK_EQ(ring_open(&c, &q, KFD_QUEUE_SDMA, 4096), 0);
    CHECK_EQ(buffer_alloc(&c, &mem, bytes, (uint32_t)GTT_FLAGS, 1), 0);
    w = mem.host;
}
static void setup(void)
{
    setup_on("gfx1100", 1 << 20);
}
static void teardown(void)
{
    CHECK_EQ(ring_close(&c, &q), 0);
    client_close(&c);
}
#define EMIT(row, ...)                                                                                       \
    do {                                                                                                     \
        uint32_t dw_[SDMA_##row##_DWORDS];                                                                   \
        struct sdma_##row p_ = {__VA_ARGS__};                                                                \
        sdma_##row##_pack(dw_, &p_);                                                                         \
        ring_put(&q, dw_, SDMA_##row##_DWORDS);                                                              \
    } while (0)

static void done(uint32_t value)
{
    EMIT(fence, .mtype = 3, .addr = VA(0), .data = value);
    ring_submit(&q);
    CHECK_EQ(wait_value(&c, &w[0], value), 0);
    settle(&c);
    CHECK_EQ(*q.rptr, q.put); /* bytes */
}

TEST(packets)
{
    setup();
    static const uint32_t nops[] = {0, 0, 0x00020000, 0xdead, 0xbeef};
    ring_put(&q, nops, 5);
    for (unsigned i = 0; i < 64; i++)
        w[100 + i] = i + 1;
    /* odd byte counts and addresses */
    EMIT(copy_linear, .count = 13 - 1, .src_addr = mem.va + 401, .dst_addr = mem.va + 803);
    EMIT(copy_broadcast, .count = 256 - 1, .src_addr = VA(100), .dst1_addr = VA(300), .dst2_addr = VA(400));
    static const uint32_t data[] = {7, 8, 9};
    EMIT(write, .dst_addr = VA(10), .tail = 3);
    ring_put(&q, data, 3);
    EMIT(const_fill, .fillsize = SDMA_FILLSIZE_DWORD, .dst_addr = VA(500), .src_data = 0x01020304,
         .count = 64 - 4);
    EMIT(const_fill, .fillsize = SDMA_FILLSIZE_BYTE, .dst_addr = mem.va + 2401, .src_data = 0xab, .count = 2);
    EMIT(timestamp_get_global, .write_addr = VA(20));
    w[24] = 41;
    EMIT(atomic, .atomic_op = AMD_ATOMIC_ADD_64, .addr = VA(24), .src_data = ~0ull);
    EMIT(gcr_req, .gcr_control = 0x7fff);
    w[30] = 3;
    EMIT(cond_exe, .addr = VA(30), .reference = 4, .exec_count = 4);
    EMIT(fence, .addr = VA(31), .data = 1);
    EMIT(cond_exe, .addr = VA(30), .reference = 3, .exec_count = 4);
    EMIT(fence, .addr = VA(32), .data = 1);
    /* HDP flush as ROCr writes it */
    static const uint32_t hdp[] = {8, 0, 0x80000000, 0, 0, 0};
    ring_put(&q, hdp, 6);
    done(1);
    CHECK(!memcmp((const char *)mem.host + 401, (const char *)mem.host + 803, 13));
    CHECK_EQ(((uint8_t *)mem.host)[816], 0);
    CHECK(w[300] == 1 && w[363] == 64 && w[364] == 0 && w[400] == 1 && w[463] == 64);
    CHECK(w[10] == 7 && w[12] == 9 && w[13] == 0);
    CHECK(w[500] == 0x01020304 && w[515] == 0x01020304 && w[516] == 0); /* 61 bytes, rounded up */
    CHECK(w[600] == 0xababab00 && w[601] == 0);
    CHECK(*(volatile uint64_t *)&w[20] != 0);
    CHECK(w[24] == 40 && w[25] == 0);
    CHECK(!w[31] && w[32]);
    teardown();
}

TEST(poll_fence_trap)
{
    setup();
    struct kfd_create_event e = {.event_type = KFD_EVENT_SIGNAL, .auto_reset = 1};
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &e), 0);
    EMIT(poll_regmem, .func = PM4_FUNC_GE, .mem_poll = 1, .addr = VA(4), .value = 5, .mask = ~0u,
         .interval = 4, .retry_count = 0xfff);
    EMIT(copy_linear, .count = 3, .src_addr = VA(4), .dst_addr = VA(5));
    EMIT(fence, .mtype = 3, .addr = VA(0), .data = 1);
    EMIT(fence, .mtype = 3, .addr = (uintptr_t)c.mailbox + 8 * e.event_id, .data = e.event_id);
    EMIT(trap, .int_context = e.event_id);
    ring_submit(&q);
    settle(&c);
    CHECK_EQ(w[0], 0);
    CHECK(*q.rptr < q.put);
    w[4] = 6;
    struct kfd_event data = {.event_id = e.event_id};
    struct kfd_wait_events wait = {.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 2000};
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &wait), 0);
    CHECK_EQ(wait.wait_result, KFD_WAIT_COMPLETE);
    CHECK(w[0] == 1 && w[5] == 6);
    /* a bounded poll gives up */
    EMIT(poll_regmem, .func = PM4_FUNC_EQ, .mem_poll = 1, .addr = VA(4), .value = 1, .mask = ~0u,
         .retry_count = 3);
    EMIT(fence, .addr = VA(0), .data = 2);
    ring_submit(&q);
    CHECK_EQ(wait_value(&c, &w[0], 2), 0);
    teardown();
}

TEST(rectangles)
{
    setup();
    uint8_t *b = mem.host;
    for (unsigned i = 0; i < 64 * 64; i++)
        b[0x10000 + i] = (uint8_t)(i * 7 + i / 64);
    /* 5 x 4 x 2 of 2-byte elements; pitches 32 and 40, slices of 8 rows */
    EMIT(copy_linear_subwin, .elementsize = 1, .src_addr = mem.va + 0x10000, .src_x = 3, .src_y = 2,
         .src_z = 1, .src_pitch = 31, .src_slice_pitch = 32 * 8 - 1, .dst_addr = mem.va + 0x20000, .dst_x = 1,
         .dst_y = 1, .dst_z = 0, .dst_pitch = 39, .dst_slice_pitch = 40 * 8 - 1, .rect_x = 4, .rect_y = 3,
         .rect_z = 1);
    done(1);
    unsigned bad = 0;
    for (unsigned z = 0; z < 2; z++)
        for (unsigned y = 0; y < 8; y++)
            for (unsigned x = 0; x < 40; x++)
                for (unsigned k = 0; k < 2; k++) {
                    bool in = x >= 1 && x < 6 && y >= 1 && y < 5;
                    uint8_t want = in ? b[0x10000 + 2 * ((x + 2) + (y + 1) * 32 + (z + 1) * 256) + k] : 0;
                    bad += b[0x20000 + 2 * (x + y * 40 + z * 320) + k] != want;
                }
    CHECK_EQ(bad, 0);
    teardown();
}

/* Copies past a slice; sparse memory, so that gigabytes cost nothing. T21, T22. */
TEST(long_copies)
{
    setup_on("gfx1100", 1 << 20);
    struct buffer big;
    uint64_t n = (1ull << 30) + 4097;
    CHECK_EQ(buffer_alloc(&c, &big, n + (8 << 20), (uint32_t)VRAM_FLAGS, 1), 0);
    char *p = big.host;
    p[0] = 1;
    p[(9 << 20) - 1] = 2;
    EMIT(copy_linear, .count = (9 << 20) - 1, .src_addr = big.va, .dst_addr = big.va + (9 << 20));
    done(1);
    CHECK(p[9 << 20] == 1 && p[(18 << 20) - 1] == 2 && p[18 << 20] == 0);
    /* the widest count the field holds is legal: it reaches past the buffer, so it faults there and not
     * before */
    CHECK_EQ(ring_close(&c, &q), 0);
    client_close(&c);
}

TEST(indirect)
{
    setup();
    uint32_t *ib = (uint32_t *)mem.host + 1024, n = 0;
    struct sdma_fence f = {.addr = VA(40), .data = 5};
    sdma_fence_pack(ib, &f);
    n += SDMA_fence_DWORDS;
    struct sdma_copy_linear k = {.count = 3, .src_addr = VA(40), .dst_addr = VA(41)};
    sdma_copy_linear_pack(ib + n, &k);
    n += SDMA_copy_linear_DWORDS;
    static const uint32_t nops[2] = {0, 0};
    ring_put(&q, nops, 2);
    EMIT(indirect, .ib_base = VA(1024), .ib_size = n);
    done(1);
    CHECK(w[40] == 5 && w[41] == 5);
    teardown();
}

/* Hundreds of rounds through the ring, tail filled with zeros as tinygrad does, or wrapping. */
TEST(ring_wraps)
{
    setup();
    for (uint32_t i = 0; i < 600; i++) {
        uint64_t left = 4096 - q.put % 4096;
        static const uint32_t zeros[16];
        if (i % 2 && left < 44)
            ring_put(&q, zeros, (unsigned)(left / 4));
        w[4] = i + 1;
        EMIT(copy_linear, .count = 3, .src_addr = VA(4), .dst_addr = VA(5));
        EMIT(fence, .addr = VA(0), .data = i + 1);
        ring_submit(&q);
        CHECK_EQ(wait_value(&c, &w[0], i + 1), 0);
        CHECK_EQ(w[5], i + 1);
    }
    CHECK_STR(fault_text(&c), "");
    teardown();
}

static void expect_fault(const char *text, uint32_t type, uint64_t va)
{
    struct kfd_create_event e = {.event_type = type};
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &e), 0);
    struct kfd_event data = {.event_id = e.event_id};
    struct kfd_wait_events wait = {.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 2000};
    EMIT(fence, .addr = VA(0), .data = 99);
    ring_submit(&q);
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &wait), 0);
    CHECK_EQ(wait.wait_result, KFD_WAIT_COMPLETE);
    if (type == KFD_EVENT_MEMORY)
        CHECK_EQ(data.memory_exception_data.va, va & ~4095ull);
    CHECK_EQ(w[0], 0); /* no false completion */
    if (!strstr(fault_text(&c), text)) {
        printf("  fault text without \"%s\": %s\n", text, fault_text(&c));
        test_bad++;
    }
    teardown();
}

TEST(faults)
{
    struct buffer ro;
    setup(); /* T09: SDMA to a read-only page */
    CHECK_EQ(buffer_alloc(&c, &ro, 4096, KFD_MEM_GTT, 1), 0);
    EMIT(copy_linear, .count = 99, .src_addr = VA(4), .dst_addr = ro.va);
    expect_fault("read-only", KFD_EVENT_MEMORY, ro.va);
    setup(); /* R20: straddles the end of a mapping */
    EMIT(copy_linear, .count = 99, .src_addr = mem.va + mem.size - 50, .dst_addr = VA(4));
    expect_fault("read", KFD_EVENT_MEMORY, mem.va + mem.size);
    setup();
    EMIT(const_fill, .fillsize = SDMA_FILLSIZE_DWORD, .dst_addr = mem.va + mem.size - 8, .count = 60);
    expect_fault("write", KFD_EVENT_MEMORY, mem.va + mem.size);
    setup();
    EMIT(fence, .addr = 0x77770000, .data = 1);
    expect_fault("fence", KFD_EVENT_MEMORY, 0x77770000);
    setup();
    EMIT(fence, .addr = VA(4) + 2, .data = 1);
    expect_fault("not aligned", KFD_EVENT_HW_EXCEPTION, 0);
    static const struct {
        uint32_t dw[8];
        unsigned n;
        const char *text;
    } bad[] = {
        {{0xff}, 1, "op 255"},
        {{0x0100, 0, 0, 0}, 4, "op 0, sub-op 1"},
        {{0x80000005, 0, 0, 0}, 4, "bits 0x80000000"},
        {{1, 0xc0000000, 0, 0, 0, 0, 0}, 7, "bits 0xc0000000"},
        {{12 | 1 << 8, 0, 0, 0, 0, 0, 0, 0}, 8, "not modelled"},
        {{8 | 7u << 28 | 1u << 31, 0, 0, 0, 0, 0}, 6, "poll_regmem"},
        {{8 | 3u << 28, 0x1234, 0, 0, 0, 0}, 6, "register 0x1234"},
        {{4, 8, 0, 16, 0, 0}, 6, "32-byte aligned"},
        {{4, 32, 0, 16, 0, 0}, 6, "8-dword boundary"},
        {{2, 0, 0, 5000, 0}, 5, "does not fit the ring"},
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        setup();
        ring_put(&q, bad[i].dw, bad[i].n);
        struct kfd_create_event e = {.event_type = KFD_EVENT_MEMORY};
        (void)e;
        expect_fault(bad[i].text, i == 5 ? KFD_EVENT_MEMORY : KFD_EVENT_HW_EXCEPTION, 0);
    }
    setup();
    q.put = 4096 + 8;
    q.put -= 16;
    ring_submit(&q);
    q.put = 8192;
    expect_fault("write pointer", KFD_EVENT_HW_EXCEPTION, 0);
    /* narrow counts: 22 bits on SDMA 4.0, bits above are not defined */
    setup_on("gfx906", 1 << 20);
    static const uint32_t wide[] = {1, 1 << 22, 0, 0, 0, 0, 0};
    ring_put(&q, wide, 7);
    expect_fault("bits 0x400000", KFD_EVENT_HW_EXCEPTION, 0);
}

int main(void)
{
    RUN(packets);
    RUN(poll_fence_trap);
    RUN(rectangles);
    RUN(long_copies);
    RUN(indirect);
    RUN(ring_wraps);
    RUN(faults);
    return test_done();
}
