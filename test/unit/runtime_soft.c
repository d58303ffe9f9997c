/* The runtime on the software GPU, memory, copies, fills, signals between queues, time
 * stamps, and every way a trip can be cut short. Two halves that share only hw/ and kernel/ witness each
 * other here.
 */
#include "amd/amd.h"
#include "base/mem.h"
#include "test/test.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MUST(e)                                                                                              \
    do {                                                                                                     \
        int rc_ = (e);                                                                                       \
        if (rc_)                                                                                             \
            printf("  %s:%d: %s: %d, %s\n", __FILE__, __LINE__, #e, rc_, nx_error()), test_bad++;            \
    } while (0)

static nx_device *dev;
static nx_queue *queue;

static int begin(void)
{
    dev = NULL, queue = NULL;
    MUST(nx_device_open("soft:gfx1100", &dev));
    if (dev)
        MUST(nx_queue_create(dev, &queue));
    return queue != NULL;
}

static void end(void)
{
    nx_queue_free(queue);
    nx_device_close(dev);
}

TEST(write_fill_copy_read)
{
    enum { N = 100000 };
    static uint8_t in[N], out[N];
    nx_buffer *a = NULL, *b = NULL;
    if (begin()) {
        for (int i = 0; i < N; i++)
            in[i] = (uint8_t)(i * 7 + i / 256);
        MUST(nx_alloc(dev, N, NX_DEVICE, &a));
        MUST(nx_alloc(dev, N, NX_HOST, &b));
        MUST(nx_write(a, 0, in, N));
        MUST(nx_fill(queue, a, 1000, 0xdeadbeef, 4000));
        MUST(nx_copy(queue, b, 5, a, 3, N - 5));
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
        MUST(nx_read(b, 0, out, N));
        for (int i = 0; i < 4000; i++)
            in[1000 + i] = (uint8_t)(0xdeadbeef >> i % 4 * 8);
        CHECK(!memcmp(out + 5, in + 3, N - 5));
    }
    nx_free(a);
    nx_free(b);
    end();
}

TEST(copies_longer_than_a_packet_holds)
{
    const uint64_t size = 2ull * COPY_MAX + 12;
    nx_buffer *a = NULL, *b = NULL;
    if (begin()) {
        uint32_t last[3];
        MUST(nx_alloc(dev, size, NX_DEVICE, &a));
        MUST(nx_alloc(dev, size, NX_DEVICE, &b));
        MUST(nx_fill(queue, a, 0, 0x11111111, size));
        MUST(nx_fill(queue, a, size - 4, 0x22222222, 4));
        MUST(nx_fill(queue, a, COPY_MAX - 4, 0x33333333, 8));
        MUST(nx_copy(queue, b, 0, a, 0, size));
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
        MUST(nx_read(b, size - 8, last, 8));
        CHECK_EQ(last[0], 0x11111111);
        CHECK_EQ(last[1], 0x22222222);
        MUST(nx_read(b, COPY_MAX - 4, last, 12));
        CHECK_EQ(last[0], 0x33333333);
        CHECK_EQ(last[1], 0x33333333);
        CHECK_EQ(last[2], 0x11111111);
    }
    nx_free(a);
    nx_free(b);
    end();
}

TEST(memory_the_host_cannot_map_goes_through_staging)
{
    enum { N = 3000000 };
    nx_buffer *b = NULL;
    uint8_t *in = malloc(N), *out = malloc(N);
    if (begin()) {
        for (int i = 0; i < N; i++)
            in[i] = (uint8_t)(i >> 3);
        ((struct amd_device *)dev)->large_bar = 0; /* as on a card with a small BAR */
        MUST(nx_alloc(dev, N, NX_DEVICE, &b));
        void *p;
        CHECK_EQ(nx_buffer_map(b, &p), (unsigned long long)-EACCES);
        nx_buffer *v;
        CHECK_EQ(nx_alloc(dev, 1, NX_VISIBLE, &v), (unsigned long long)-ENOTSUP);
        MUST(nx_write(b, 0, in, N));
        MUST(nx_read(b, 0, out, N));
        CHECK(!memcmp(in, out, N));
    }
    nx_free(b);
    free(in);
    free(out);
    end();
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

TEST(queues_wait_for_each_other_and_for_the_host)
{
    nx_queue *other = NULL;
    nx_signal *s = NULL, *host = NULL;
    nx_buffer *b = NULL;
    uint32_t word = 0;
    if (begin()) {
        MUST(nx_queue_create(dev, &other));
        MUST(nx_signal_create(dev, 0, &s));
        MUST(nx_signal_create(dev, 1ull << 40, &host)); /* beyond 32 bits */
        MUST(nx_alloc(dev, 64, NX_HOST, &b));
        MUST(nx_fill(queue, b, 0, 1, 64));
        MUST(nx_queue_wait(other, s, 7));
        MUST(nx_queue_wait(other, host, (1ull << 40) + 1));
        MUST(nx_fill(other, b, 0, 2, 64));
        int64_t before = now();
        CHECK_EQ(nx_queue_wait_idle(other, 3000000), (unsigned long long)-ETIMEDOUT);
        int64_t took = now() - before;
        CHECK(took >= 3000000);
        MUST(nx_queue_signal(queue, s, 7));
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
        CHECK_EQ(nx_signal_value(s), 7);
        CHECK_EQ(nx_queue_wait_idle(other, 1000000), (unsigned long long)-ETIMEDOUT);
        MUST(nx_read(b, 0, &word, 4));
        CHECK_EQ(word, 1);
        nx_signal_set(host, (1ull << 40) + 1);
        MUST(nx_queue_wait_idle(other, NX_FOREVER));
        MUST(nx_read(b, 0, &word, 4));
        CHECK_EQ(word, 2);
        CHECK_EQ(nx_signal_wait(s, 8, 1000000), (unsigned long long)-ETIMEDOUT);
        CHECK_STR(nx_error(), "signal is 7, waited 1.000 ms for 8");
    }
    nx_queue_free(other);
    nx_signal_free(s);
    nx_signal_free(host);
    nx_free(b);
    end();
}

TEST(time_stamps_grow)
{
    nx_buffer *b = NULL;
    uint64_t t[3];
    if (begin()) {
        MUST(nx_alloc(dev, sizeof t, NX_HOST, &b));
        for (int i = 0; i < 3; i++) {
            struct timespec ms = {0, 1000000};
            MUST(nx_timestamp(queue, b, 8u * (unsigned)i));
            MUST(nx_queue_wait_idle(queue, NX_FOREVER));
            nanosleep(&ms, NULL);
        }
        MUST(nx_read(b, 0, t, sizeof t));
        CHECK(t[1] > t[0] && t[2] > t[1]);
        struct nx_device_info i = {.size = sizeof i};
        MUST(nx_device_describe(dev, &i));
        CHECK(t[2] - t[0] >= 2 * i.timer_hz / 1000); /* two pauses of a millisecond lie between */
    }
    nx_free(b);
    end();
}

TEST(queues_come_and_go)
{
    nx_signal *s = NULL;
    if (begin()) {
        MUST(nx_signal_create(dev, 0, &s));
        for (uint64_t i = 1; i <= 50 && !test_bad; i++) {
            nx_queue *q = NULL;
            MUST(nx_queue_create(dev, &q));
            if (!q)
                break;
            MUST(nx_queue_signal(q, s, i));
            MUST(nx_signal_wait(s, i, NX_FOREVER));
            nx_queue_free(q);
        }
        CHECK_EQ(nx_signal_value(s), 50);
    }
    nx_signal_free(s);
    end();
}

TEST(many_signals)
{
    static nx_signal *s[200];
    if (begin()) {
        for (unsigned i = 0; i < 200; i++)
            MUST(nx_signal_create(dev, i, &s[i]));
        for (unsigned i = 0; i < 200; i++)
            CHECK_EQ(nx_signal_value(s[i]), i);
        for (unsigned i = 0; i < 200; i += 2)
            MUST(nx_queue_signal(queue, s[i], 1000 + i));
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
        for (unsigned i = 0; i < 200; i++)
            CHECK_EQ(nx_signal_value(s[i]), i % 2 ? i : 1000 + i);
        for (unsigned i = 0; i < 200; i++)
            nx_signal_free(s[i]);
    }
    end();
}

/* A queue word that touches an unmapped address: the fault is told, sticks, and closing works. */
TEST(a_fault_loses_the_device)
{
    nx_buffer *b = NULL;
    nx_signal *s = NULL;
    if (begin()) {
        MUST(nx_alloc(dev, 4096, NX_HOST, &b));
        MUST(nx_signal_create(dev, 0, &s));
        MUST(dev->ops->copy(queue, nx_buffer_va(b), 0x123456000, 64));
        CHECK_EQ(nx_queue_signal(queue, s, 1), 0);
        CHECK_EQ(nx_signal_wait(s, 1, 5000000000), (unsigned long long)-EIO);
        CHECK(strstr(nx_error(), "memory fault at GPU address 0x123456000: page not mapped") != NULL);
        if (!strstr(nx_error(), "0x123456000"))
            printf("  %s\n", nx_error());
        CHECK_EQ(nx_signal_value(s), 0);
        char first[1024];
        snprintf(first, sizeof first, "%s", nx_error());
        CHECK_EQ(nx_device_status(dev), (unsigned long long)-EIO);
        CHECK_STR(nx_error(), first);
        CHECK_EQ(nx_fill(queue, b, 0, 0, 4), (unsigned long long)-EIO);
        CHECK_EQ(nx_alloc(dev, 1, 0, &(nx_buffer *){0}), (unsigned long long)-EIO);
        CHECK_EQ(nx_queue_wait_idle(queue, 0), (unsigned long long)-EIO);
    }
    nx_signal_free(s);
    nx_free(b);
    end();
}

/* Many launches without a wait, more than the ring and the argument memory hold: each sees what the one before wrote. */
TEST(launches_in_order)
{
    enum { LAUNCHES = 3000 };
    nx_buffer *b = NULL;
    nx_program *p = NULL;
    nx_kernel *k = NULL;
    uint32_t n = 100;
    float words[100];
    if (begin()) {
        MUST(nx_alloc(dev, 8192, NX_DEVICE, &b));
        MUST(nx_program_load_file(dev, "kernels/vector_add.gfx1100.hsaco", &p));
        MUST(nx_program_kernel(p, NULL, &k));
        uint64_t one = nx_buffer_va(b), sum = one + 4096;
        const void *args[] = {&one, &sum, &sum, &n};
        struct nx_launch l = {
            .size = sizeof l, .items = {n, 1, 1}, .block = {64, 1, 1}, .args = args, .arg_count = 4};
        MUST(nx_fill(queue, b, 0, 0x3f800000, 4096));
        MUST(nx_fill(queue, b, 4096, 0, 4096));
        for (int i = 0; k && i < LAUNCHES && !test_bad; i++) {
            MUST(nx_launch(queue, k, &l));
            if (i == LAUNCHES / 2) /* a copy between them */
                MUST(nx_copy(queue, b, 4096, b, 0, 400));
        }
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
        MUST(nx_read(b, 4096, words, sizeof words));
        for (int i = 0; i < 100; i++)
            CHECK_EQ((int)words[i], LAUNCHES - LAUNCHES / 2);
    }
    nx_queue_free(queue);
    nx_program_free(p);
    nx_free(b);
    nx_device_close(dev);
}

/* A child may not use its parent's device, and may open its own; the parent's goes on. */
TEST(fork_after_opening)
{
    nx_buffer *b = NULL;
    uint32_t word = 0;
    if (begin()) {
        MUST(nx_alloc(dev, 64, NX_HOST, &b));
        pid_t child = fork();
        if (!child) {
            int bad = nx_fill(queue, b, 0, 1, 4) != -ENODEV || !strstr(nx_error(), "before fork()");
            bad |= nx_queue_wait_idle(queue, 0) != -ENODEV;
            nx_device *own;
            nx_queue *q;
            nx_buffer *c;
            bad |= nx_device_open("soft:gfx1100", &own) || nx_queue_create(own, &q) ||
                   nx_alloc(own, 64, NX_HOST, &c) || nx_fill(q, c, 0, 5, 64) ||
                   nx_queue_wait_idle(q, NX_FOREVER) || nx_read(c, 60, &word, 4) || word != 5;
            _exit(bad);
        }
        int status = 0;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK_EQ(status, 0);
        MUST(nx_fill(queue, b, 0, 7, 64));
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
        MUST(nx_read(b, 60, &word, 4));
        CHECK_EQ(word, 7);
    }
    nx_free(b);
    end();
}

/* A kernel that never ends: waiting times out, another queue goes on, freeing does not wait. */
TEST(an_endless_kernel)
{
    nx_buffer *b = NULL;
    nx_program *p = NULL;
    nx_kernel *k = NULL;
    nx_queue *other = NULL;
    uint64_t va;
    uint32_t size = 8, limit = UINT32_MAX, word = 0;
    float zero = 0;
    const void *args[] = {&va, &size, &size, &zero, &zero, &zero, &limit};
    struct nx_launch l = {
        .size = sizeof l, .items = {8, 8, 1}, .block = {8, 8, 1}, .args = args, .arg_count = 7};
    if (begin()) {
        MUST(nx_alloc(dev, 4096, NX_HOST, &b));
        va = nx_buffer_va(b);
        MUST(nx_program_load_file(dev, "kernels/mandelbrot.gfx1100.hsaco", &p));
        MUST(nx_program_kernel(p, NULL, &k));
        MUST(nx_queue_create(dev, &other));
        if (k)
            MUST(nx_launch(queue, k, &l));
        int64_t before = now();
        CHECK_EQ(nx_queue_wait_idle(queue, 20000000), (unsigned long long)-ETIMEDOUT);
        CHECK(now() - before >= 20000000);
        MUST(nx_fill(other, b, 2048, 77, 64));
        MUST(nx_queue_wait_idle(other, 20000000000));
        MUST(nx_read(b, 2048, &word, 4));
        CHECK_EQ(word, 77);
        CHECK_EQ(nx_queue_wait_idle(queue, 0), (unsigned long long)-ETIMEDOUT);
    }
    nx_queue_free(other);
    nx_queue_free(queue);
    nx_program_free(p);
    nx_free(b);
    nx_device_close(dev);
}

/* ---- cut short ---- */

/* From opening to a checked result of a real program. */
static int trip(const struct port *port)
{
    nx_device *d;
    nx_queue *q = NULL;
    nx_buffer *b = NULL;
    nx_program *p = NULL;
    nx_kernel *k;
    float words[64];
    uint32_t n = 64;
    uint64_t va;
    const void *args[] = {&va, &va, &va, &n};
    struct nx_launch l = {
        .size = sizeof l, .grid = {1, 1, 1}, .block = {64, 1, 1}, .args = args, .arg_count = 4};
    int rc = amd_open_port(port, 0, "soft:gfx1100", 1, &d);
    if (rc)
        return rc;
    if (!(rc = nx_queue_create(d, &q)) && !(rc = nx_alloc(d, 4096, NX_DEVICE, &b)) &&
        !(rc = nx_program_load_file(d, "kernels/vector_add.gfx1100.hsaco", &p)) &&
        !(rc = nx_program_kernel(p, NULL, &k))) {
        va = nx_buffer_va(b);
        if (!(rc = nx_fill(q, b, 0, 0x3fc00000, 4096)) && !(rc = nx_launch(q, k, &l)) &&
            !(rc = nx_queue_wait_idle(q, 20000000000)) && !(rc = nx_read(b, 0, words, sizeof words)))
            rc = words[0] == 3.0f && words[63] == 3.0f ? 0 : -EPROTO; /* 1.5 + 1.5 */
    }
    nx_queue_free(q);
    nx_free(b);
    nx_program_free(p);
    nx_device_close(d);
    return rc;
}

TEST(every_failing_port_call)
{
    unsigned failed = 0, n = 1;
    for (; n < 500; n++) {
        struct port *soft;
        MUST(port_soft("gfx1100", &soft));
        struct port *fault = port_fault(soft, PORT_ANY, n, EIO);
        int rc = trip(fault);
        failed += rc != 0;
        if (rc == -EPROTO || (rc && !*nx_error()))
            printf("  call %u: %d \"%s\"\n", n, rc, nx_error()), test_bad++;
        if (!rc && n > 150)
            break;
    }
    CHECK(failed > 25);
}

TEST(every_failing_allocation)
{
    for (unsigned n = 1, asked = n; asked >= n; n++) {
        struct port *soft;
        MUST(port_soft("gfx1100", &soft));
        mem_fail_at(n);
        int rc = trip(soft);
        asked = mem_fail_at(0);
        CHECK_EQ(rc, asked >= n ? (unsigned long long)-ENOMEM : 0);
    }
}

/* ---- threads ---- */

static void *worker(void *arg)
{
    nx_queue *q = NULL;
    nx_buffer *b = NULL;
    uint32_t id = (uint32_t)(uintptr_t)arg, word;
    uintptr_t bad = 0;
    if (nx_queue_create(dev, &q) || nx_alloc(dev, 65536, NX_HOST, &b))
        return (void *)1;
    for (uint32_t i = 0; i < 50; i++) {
        bad |= nx_fill(q, b, 0, id << 16 | i, 65536) || nx_queue_wait_idle(q, NX_FOREVER) ||
               nx_read(b, 4u * (i * 31 % 16384), &word, 4) || word != (id << 16 | i);
    }
    nx_queue_free(q);
    nx_free(b);
    return (void *)bad;
}

TEST(queues_of_many_threads)
{
    pthread_t t[4];
    if (begin()) {
        for (uintptr_t i = 0; i < 4; i++)
            CHECK_EQ(pthread_create(&t[i], NULL, worker, (void *)(i + 1)), 0);
        for (int i = 0; i < 4; i++) {
            void *bad;
            pthread_join(t[i], &bad);
            CHECK(!bad);
        }
    }
    end();
}

int main(void)
{
    RUN(write_fill_copy_read);
    RUN(copies_longer_than_a_packet_holds);
    RUN(memory_the_host_cannot_map_goes_through_staging);
    RUN(queues_wait_for_each_other_and_for_the_host);
    RUN(time_stamps_grow);
    RUN(queues_come_and_go);
    RUN(many_signals);
    RUN(a_fault_loses_the_device);
    RUN(launches_in_order);
    RUN(fork_after_opening);
    RUN(an_endless_kernel);
    RUN(every_failing_port_call);
    RUN(every_failing_allocation);
    RUN(queues_of_many_threads);
    return test_done();
}
