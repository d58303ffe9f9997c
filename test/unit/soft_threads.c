/* Several threads of a client on one software GPU: queues side by side, driver calls beside running work, waits for events,
 * in both ways of serving. A wait must not miss a wake-up, a call must not wait for ever behind a busy queue. */
#include "hw/amd/pm4.h"
#include "test/soft_client.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 60 };
static struct client c;

static void put_release(struct ring *q, uint64_t va, uint32_t v, uint32_t event)
{
    uint32_t dw[PM4_release_mem_DWORDS];
    struct pm4_release_mem r = {.event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS,
                                .event_index = 5,
                                .data_sel = PM4_DATA_SEL_LOW32,
                                .addr = va,
                                .data = v};
    pm4_release_mem_pack(dw, &r);
    ring_put(q, dw, PM4_release_mem_DWORDS);
    if (!event)
        return;
    r.addr = (uintptr_t)c.mailbox + 8ull * event;
    r.data = r.int_ctxid = event;
    r.int_sel = PM4_INT_SEL_IRQ_AFTER_CONFIRM;
    pm4_release_mem_pack(dw, &r);
    ring_put(q, dw, PM4_release_mem_DWORDS);
}

/* One thread: its own queue; waits by memory and by event in turn; allocates and frees meanwhile. */
static void *worker(void *arg)
{
    struct ring q;
    struct buffer m, b;
    struct kfd_create_event e = {.event_type = KFD_EVENT_SIGNAL, .auto_reset = 1};
    long *bad = arg;
    if (ring_open(&c, &q, KFD_QUEUE_COMPUTE, 4096) || buffer_alloc(&c, &m, 4096, (uint32_t)GTT_FLAGS, 1) ||
        call_kfd(&c, KFD_CREATE_EVENT, &e)) {
        *bad += 1000;
        return NULL;
    }
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        put_release(&q, m.va, i, i % 2 ? e.event_id : 0);
        ring_submit(&q);
        if (i % 5 == 0) {
            *bad += buffer_alloc(&c, &b, 65536, (uint32_t)VRAM_FLAGS, 1) != 0;
            *bad += buffer_free(&c, &b) != 0;
        }
        if (i % 2) {
            struct kfd_event d = {.event_id = e.event_id};
            struct kfd_wait_events w = {.events_ptr = (uintptr_t)&d, .num_events = 1, .timeout = 5000};
            *bad += call_kfd(&c, KFD_WAIT_EVENTS, &w) != 0 || w.wait_result != KFD_WAIT_COMPLETE;
        }
        *bad += wait_value(&c, m.host, i) != 0;
    }
    *bad += ring_close(&c, &q) != 0;
    return NULL;
}

static void run(void)
{
    pthread_t t[THREADS];
    long bad[THREADS] = {0};
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, &bad[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        CHECK_EQ(bad[i], 0);
    }
    CHECK_STR(fault_text(&c), "");
    client_close(&c);
}
TEST(caller_serves)
{
    run();
}
TEST(thread_serves)
{
    setenv("NXGPU_SOFT", "thread", 1);
    run();
    unsetenv("NXGPU_SOFT");
}

/* A wait is woken by another thread's SET_EVENT, every waiter of them. */
static void *waiter(void *arg)
{
    struct kfd_event d = {.event_id = 1};
    struct kfd_wait_events w = {.events_ptr = (uintptr_t)&d, .num_events = 1, .timeout = 5000};
    *(long *)arg = call_kfd(&c, KFD_WAIT_EVENTS, &w) ? 2 : w.wait_result;
    return NULL;
}
TEST(all_waiters)
{
    pthread_t t[THREADS];
    long result[THREADS];
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, waiter, &result[i]);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    struct kfd_set_event s = {.event_id = 1};
    CHECK_EQ(call_kfd(&c, KFD_SET_EVENT, &s), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        CHECK_EQ(result[i], KFD_WAIT_COMPLETE);
    }
    /* an event that goes away under a waiter ends the wait with an error */
    struct kfd_reset_event r = {.event_id = 1};
    CHECK_EQ(call_kfd(&c, KFD_RESET_EVENT, &r), 0);
    pthread_create(&t[0], NULL, waiter, &result[0]);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    struct kfd_destroy_event d = {.event_id = 1};
    CHECK_EQ(call_kfd(&c, KFD_DESTROY_EVENT, &d), 0);
    pthread_join(t[0], NULL);
    CHECK_EQ(result[0], 2);
    client_close(&c);
}

int main(void)
{
    RUN(caller_serves);
    RUN(thread_serves);
    RUN(all_waiters);
    return test_done();
}
