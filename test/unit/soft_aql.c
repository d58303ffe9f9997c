/* The software GPU's AQL queues: barriers, signals, vendor packets, ring rules, refusals. Dispatches need a
 * program: see soft_dispatch.c. Outside witnesses: hw/amd/aql.def's; ROCr's queue object and signal layouts
 * (facts/amd-kernel.md 2.6). cases.md: T03, T24, T25, T29, T34, R3, R4. */
#include "hw/amd/aql.h"
#include "hw/amd/pm4.h"
#include "hw/amd/sdma.h"
#include "test/soft_client.h"

static struct client c;
static struct ring q;
static struct buffer mem; /* signals of 64 bytes from 0 on, data from 0x1000 on */
static uint32_t *data;
static struct kfd_create_event event;
#define DATA(i) (mem.va + 0x1000 + (i)*4ull)

static uint64_t signal_new(unsigned i, int64_t value)
{
    int64_t *s = (int64_t *)((char *)mem.host + 64 * i);
    memset(s, 0, 64);
    s[0] = AMD_SIGNAL_USER;
    s[1] = value;
    return mem.va + 64ull * i;
}
static volatile int64_t *signal_value(unsigned i)
{
    return (volatile int64_t *)((char *)mem.host + 64 * i + AMD_SIGNAL_VALUE);
}
static void set_event(unsigned i)
{
    *(uint64_t *)((char *)mem.host + 64 * i + AMD_SIGNAL_MAILBOX) = (uintptr_t)c.mailbox + 8 * event.event_id;
    *(uint32_t *)((char *)mem.host + 64 * i + AMD_SIGNAL_EVENT_ID) = event.event_id;
}

static void setup_packets(unsigned packets)
{
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    CHECK_EQ(ring_open(&c, &q, KFD_QUEUE_COMPUTE_AQL, packets * 64), 0);
    CHECK_EQ(buffer_alloc(&c, &mem, 1 << 16, (uint32_t)GTT_FLAGS, 1), 0);
    for (unsigned i = 0; i < packets; i++)
        ((uint32_t *)q.ring.host)[i * 16] = AQL_INVALID;
    data = (uint32_t *)((char *)mem.host + 0x1000);
    event = (struct kfd_create_event){.event_type = KFD_EVENT_SIGNAL, .auto_reset = 1};
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &event), 0);
    *(uint64_t *)((char *)q.pointers.host + AMD_QUEUE_INACTIVE_SIGNAL) = signal_new(15, 0);
}
static void setup(void)
{
    setup_packets(64);
}
static void teardown(void)
{
    CHECK_EQ(ring_close(&c, &q), 0);
    client_close(&c);
}

static uint32_t *slot(uint64_t index)
{
    return (uint32_t *)q.ring.host + (index % (q.ring.size / 64)) * 16;
}
/* Body first, then the header with release order, then the doorbell (the last packet's index). */
static void publish(const uint32_t *dw)
{
    uint32_t *s = slot(q.put);
    memcpy(s + 1, dw + 1, 60);
    q.put++;
    __atomic_store_n(q.wptr, q.put, __ATOMIC_RELEASE);
    __atomic_store_n(s, dw[0], __ATOMIC_RELEASE);
    __atomic_store_n(q.doorbell, q.put - 1, __ATOMIC_RELEASE);
}
#define PUBLISH(row, ...)                                                                                    \
    do {                                                                                                     \
        uint32_t dw_[AQL_DWORDS];                                                                            \
        struct aql_##row p_ = {__VA_ARGS__};                                                                 \
        aql_##row##_pack(dw_, &p_);                                                                          \
        publish(dw_);                                                                                        \
    } while (0)

static int wait_signal(unsigned i, int64_t value)
{
    return wait_value(&c, signal_value(i), (uint32_t)value);
}

/* A PM4 buffer that writes one dword. */
static void publish_write(uint64_t va, uint32_t value, uint64_t signal)
{
    uint32_t *ib = (uint32_t *)((char *)mem.host + 0x8000 + (q.put % 64) * 64);
    struct pm4_write_data p = {.dst_sel = PM4_WRITE_DST_MEMORY, .addr = va, .tail = 1};
    pm4_write_data_pack(ib, &p);
    ib[PM4_write_data_DWORDS] = value;
    PUBLISH(pm4_ib, .ib_header = pm4_type3(PM4_indirect_buffer, 2),
            .ib_addr = mem.va + ((char *)ib - (char *)mem.host), .ib_size = PM4_write_data_DWORDS + 1,
            .ib_valid = 1, .dw_remain = 10, .completion_signal = signal);
}

TEST(barriers)
{
    setup();
    uint64_t a = signal_new(0, 1), b = signal_new(1, 1), done = signal_new(2, 1), done2 = signal_new(3, 1);
    PUBLISH(barrier_and, .barrier = 1, .dep0 = a, .dep4 = b, .completion_signal = done);
    settle(&c);
    CHECK_EQ(*q.rptr, 0);
    *signal_value(0) = 0;
    settle(&c);
    CHECK_EQ(*signal_value(2), 1);
    *signal_value(1) = 0;
    CHECK_EQ(wait_signal(2, 0), 0);
    settle(&c);
    CHECK_EQ(*q.rptr, 1);
    CHECK_EQ(slot(0)[0] & 0xff, AQL_INVALID);
    *signal_value(0) = 1;
    *signal_value(1) = 5;
    PUBLISH(barrier_or, .dep1 = a, .dep2 = b, .completion_signal = done2);
    settle(&c);
    CHECK_EQ(*signal_value(3), 1);
    *signal_value(1) = 0;
    CHECK_EQ(wait_signal(3, 0), 0);
    /* none to wait for; value goes on down */
    PUBLISH(barrier_and, .completion_signal = done2);
    PUBLISH(barrier_or, .completion_signal = done2);
    CHECK_EQ(wait_signal(3, -2), 0);
    teardown();
}

TEST(barrier_value)
{
    setup();
    static const struct {
        uint32_t cond;
        int64_t before, after, value, mask;
    } t[] = {{AQL_COND_EQ, 1, 5, 5, -1},
             {AQL_COND_NE, 5, 6, 5, -1},
             {AQL_COND_LT, 5, -1, 5, -1},
             {AQL_COND_GE, 4, 5, 5, -1},
             {AQL_COND_EQ, 0x15, 0x14, 4, 15}};
    for (unsigned i = 0; i < 5; i++) {
        uint64_t s = signal_new(0, t[i].before), done = signal_new(1, 1);
        PUBLISH(barrier_value, .signal = s, .value = (uint64_t)t[i].value, .mask = (uint64_t)t[i].mask,
                .cond = t[i].cond, .completion_signal = done);
        settle(&c);
        CHECK_EQ(*signal_value(1), 1);
        *signal_value(0) = t[i].after;
        CHECK_EQ(wait_signal(1, 0), 0);
    }
    teardown();
}

/* Completion: time stamps when profiling, value, event. */
TEST(signals)
{
    setup();
    *(uint32_t *)((char *)q.pointers.host + AMD_QUEUE_PROPERTIES) = 8;
    uint64_t s = signal_new(0, 1);
    set_event(0);
    publish_write(DATA(0), 42, s);
    struct kfd_event d = {.event_id = event.event_id};
    struct kfd_wait_events w = {.events_ptr = (uintptr_t)&d, .num_events = 1, .timeout = 2000};
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_COMPLETE);
    CHECK_EQ(*signal_value(0), 0);
    CHECK_EQ(data[0], 42);
    const uint64_t *raw = mem.host;
    CHECK(raw[4] && raw[5] >= raw[4]);
    CHECK_EQ(c.mailbox[event.event_id], ~0ull);
    teardown();
}

/* T29 at every start; a burst published with the write index first (T25); 5000 packets through 64 slots. */
TEST(ring)
{
    setup();
    for (unsigned start = 0; start < 64; start++) {
        for (unsigned k = 0; k < 3; k++)
            publish_write(DATA(q.put % 100), (uint32_t)q.put + 1, 0);
        settle(&c);
        CHECK_EQ(*q.rptr, q.put);
        CHECK_EQ(data[(q.put - 1) % 100], q.put);
    }
    for (unsigned round = 0; round < 1500; round++) {
        uint64_t first = q.put;
        uint32_t dw[3][16];
        for (unsigned k = 0; k < 3; k++) {
            struct aql_barrier_and p = {.completion_signal = k == 2 ? signal_new(0, 1) : 0};
            aql_barrier_and_pack(dw[k], &p);
        }
        q.put += 3;
        *q.wptr = q.put;
        *q.doorbell = q.put - 1;
        settle(&c); /* sees three slots that are still INVALID */
        CHECK_EQ(*q.rptr, first);
        for (unsigned k = 3; k-- > 0;) { /* out of order */
            memcpy(slot(first + k) + 1, dw[k] + 1, 60);
            __atomic_store_n(slot(first + k), dw[k][0], __ATOMIC_RELEASE);
            if (k)
                settle(&c);
            CHECK_EQ(*q.rptr, k ? first : first); /* nothing overtakes slot 0 */
        }
        CHECK_EQ(wait_signal(0, 0), 0);
    }
    settle(&c);
    CHECK_EQ(*q.rptr, q.put);
    CHECK_STR(fault_text(&c), "");
    teardown();
}

/* T03, R1: create, one packet with write index 0, destroy; again on the same doorbell. */
TEST(recycled)
{
    setup();
    for (unsigned i = 0; i < 200; i++) {
        CHECK_EQ(ring_close(&c, &q), 0);
        CHECK_EQ(ring_open(&c, &q, KFD_QUEUE_COMPUTE_AQL, 4096), 0);
        for (unsigned k = 0; k < 64; k++)
            ((uint32_t *)q.ring.host)[k * 16] = AQL_INVALID;
        settle(&c);
        data[0] = 0;
        signal_new(0, 1);
        publish_write(DATA(0), i + 1, mem.va);
        CHECK_EQ(wait_signal(0, 0), 0);
        CHECK_EQ(data[0], i + 1);
    }
    teardown();
}

/* R4, T24: an SDMA copy, a barrier-value packet on its signal, then a packet that reads what was copied. */
TEST(copy_then_barrier)
{
    setup();
    struct ring s;
    CHECK_EQ(ring_open(&c, &s, KFD_QUEUE_SDMA, 4096), 0);
    struct buffer src, dst;
    CHECK_EQ(buffer_alloc(&c, &src, 16 << 20, (uint32_t)GTT_FLAGS, 1), 0);
    CHECK_EQ(buffer_alloc(&c, &dst, 16 << 20, (uint32_t)VRAM_FLAGS, 1), 0);
    memset(src.host, 0x5a, src.size);
    uint64_t copied = signal_new(0, 1), all = signal_new(1, 1);
    PUBLISH(barrier_value, .barrier = 1, .signal = copied, .value = 0, .mask = ~0ull, .cond = AQL_COND_EQ);
    uint32_t *ib = (uint32_t *)((char *)mem.host + 0xc000), n = 0;
    struct pm4_copy_data cd = {.src_sel = PM4_COPY_SRC_MEMORY,
                               .dst_sel = PM4_COPY_DST_MEMORY,
                               .src = dst.va + dst.size - 4,
                               .dst = DATA(7)};
    pm4_copy_data_pack(ib, &cd);
    n += PM4_copy_data_DWORDS;
    PUBLISH(pm4_ib, .ib_header = pm4_type3(PM4_indirect_buffer, 2), .ib_addr = mem.va + 0xc000, .ib_size = n,
            .ib_valid = 1, .completion_signal = all);
    settle(&c);
    CHECK_EQ(data[7], 0);
    uint32_t dw[SDMA_atomic_DWORDS];
    struct sdma_copy_linear k = {.count = (uint32_t)src.size - 1, .src_addr = src.va, .dst_addr = dst.va};
    sdma_copy_linear_pack(dw, &k);
    ring_put(&s, dw, SDMA_copy_linear_DWORDS);
    struct sdma_atomic at = {.atomic_op = AMD_ATOMIC_ADD_64, .addr = copied + 8, .src_data = ~0ull};
    sdma_atomic_pack(dw, &at);
    ring_put(&s, dw, SDMA_atomic_DWORDS);
    ring_submit(&s);
    CHECK_EQ(wait_signal(1, 0), 0);
    CHECK_EQ(data[7], 0x5a5a5a5a);
    CHECK_EQ(ring_close(&c, &s), 0);
    teardown();
}

/* R3 and the like: the packet stays, the signals stay, the queue's error signal says why. */
static void refused(uint32_t header, uint32_t code)
{
    setup();
    uint32_t dw[16] = {header};
    uint64_t s = signal_new(0, 1);
    set_event(15);
    memcpy(dw + 14, &s, 8);
    publish(dw);
    publish_write(DATA(0), 1, 0);
    CHECK_EQ(wait_signal(15, code), 0);
    settle(&c);
    CHECK_EQ(*q.rptr, 0);
    CHECK_EQ(slot(0)[0], header);
    CHECK_EQ(*signal_value(0), 1);
    CHECK_EQ(data[0], 0);
    CHECK(strstr(fault_text(&c), "queue error") != NULL);
    struct kfd_event d = {.event_id = event.event_id};
    struct kfd_wait_events w = {.events_ptr = (uintptr_t)&d, .num_events = 1};
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_COMPLETE);
    teardown();
}
TEST(refusals)
{
    refused(7, AMD_QUEUE_ERROR_PACKET); /* unknown type */
    refused(0xff, AMD_QUEUE_ERROR_PACKET);
    refused(0xff0000, AMD_QUEUE_ERROR_VENDOR_PACKET); /* vendor format 0xff */
    refused(0, AMD_QUEUE_ERROR_VENDOR_PACKET);        /* stale zero memory is no packet */
    refused(4, AMD_QUEUE_ERROR_PACKET);               /* agent packets are for CPUs */
    refused(0x10000, AMD_QUEUE_ERROR_VENDOR_PACKET);  /* PM4 buffer without one */
}

/* A dispatch whose numbers are impossible: which error is whose. */
TEST(dispatch_refusals)
{
    static const struct {
        struct aql_dispatch p;
        uint32_t code;
    } t[] = {
        {{.dims = 0, .workgroup_x = 1, .grid_x = 1}, AMD_QUEUE_ERROR_DIMS},
        {{.dims = 1, .workgroup_x = 64, .grid_x = 0}, AMD_QUEUE_ERROR_DIMS},
        {{.dims = 1, .workgroup_x = 0, .grid_x = 1}, AMD_QUEUE_ERROR_WORKGROUP},
        {{.dims = 2, .workgroup_x = 64, .workgroup_y = 17, .grid_x = 64, .grid_y = 17},
         AMD_QUEUE_ERROR_WORKGROUP},
        {{.dims = 1, .workgroup_x = 64, .grid_x = 64, .group_segment_size = 65537},
         AMD_QUEUE_ERROR_GROUP_MEMORY},
        {{.dims = 1, .workgroup_x = 64, .grid_x = 64, .private_segment_size = 1u << 31},
         AMD_QUEUE_ERROR_SCRATCH_WAVE64},
    };
    for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
        setup();
        struct aql_dispatch p = t[i].p;
        uint32_t dw[16];
        p.kernel_object = mem.va + 0x2000; /* all zeros: a wave64 kernel with nothing asked for */
        p.completion_signal = signal_new(0, 1);
        aql_dispatch_pack(dw, &p);
        publish(dw);
        CHECK_EQ(wait_signal(15, t[i].code), 0);
        CHECK_EQ(*signal_value(0), 1);
        teardown();
    }
    setup(); /* a descriptor that is not there is a memory fault */
    PUBLISH(dispatch, .dims = 1, .workgroup_x = 64, .grid_x = 64, .kernel_object = 0x40000);
    settle(&c);
    CHECK(strstr(fault_text(&c), "kernel descriptor") != NULL);
    teardown();
    setup(); /* T34 */
    uint64_t s = signal_new(0, 1);
    *(int64_t *)mem.host = AMD_SIGNAL_DOORBELL;
    PUBLISH(barrier_and, .completion_signal = s);
    settle(&c);
    CHECK(strstr(fault_text(&c), "kind") != NULL);
    CHECK_EQ(*signal_value(0), 1);
    teardown();
}

int main(void)
{
    RUN(barriers);
    RUN(barrier_value);
    RUN(signals);
    RUN(ring);
    RUN(recycled);
    RUN(copy_then_barrier);
    RUN(refusals);
    RUN(dispatch_refusals);
    return test_done();
}
