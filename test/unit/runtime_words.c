/* The packets the runtime writes, on every generation, and its ring and argument memory under load.
 * Witness: the packets of an independent runtime for the same launch (facts/traces/tinygrad-*.txt, re-typed
 * below; a '*' is an address, a program's own register value, or a size that depends on the card). Ours
 * differ from them on purpose in the completion value: 64 bits, theirs 32.
 */
#include "amd/amd.h"
#include "test/facts.h"
#include "test/fake_cp.h"
#include "test/test.h"

static struct fake_cp cp;
static nx_device *dev;
static nx_program *prog;
static nx_kernel *kernel;
static nx_queue *queue;

#define MUST(e)                                                                                              \
    do {                                                                                                     \
        int rc_ = (e);                                                                                       \
        if (rc_)                                                                                             \
            printf("  %s:%d: %s: %d, %s\n", __FILE__, __LINE__, #e, rc_, nx_error()), test_bad++;            \
    } while (0)

/* The committed gfx1100 object with another machine number and size of private memory: the words do not depend on the
 * code. The kernel descriptor is at 0x840, in its file as in memory. */
static void load_as(uint8_t mach, uint32_t private_bytes)
{
    static uint8_t image[1 << 16];
    FILE *f = fopen("kernels/vector_add.gfx1100.hsaco", "rb");
    size_t n = f ? fread(image, 1, sizeof image, f) : 0;
    if (f)
        fclose(f);
    CHECK(n > 64);
    image[offsetof(Elf64_Ehdr, e_flags)] = mach;
    store32(image + 0x840 + 4, private_bytes);
    MUST(nx_program_load(dev, image, n, &prog));
    if (prog)
        MUST(nx_program_kernel(prog, NULL, &kernel));
}

static int open_private(const char *chip, uint8_t mach, uint32_t private_bytes)
{
    prog = NULL, kernel = NULL, queue = NULL, dev = NULL;
    MUST(fake_cp_open(&cp, chip));
    if (test_bad)
        return 0;
    MUST(amd_open_port(&cp.port, 0, chip, 1, &dev));
    if (dev) {
        load_as(mach, private_bytes);
        MUST(nx_queue_create(dev, &queue));
    }
    return kernel && queue;
}

static int open_all(const char *chip, uint8_t mach)
{
    return open_private(chip, mach, 0);
}

static void close_all(void)
{
    nx_queue_free(queue);
    nx_program_free(prog);
    nx_device_close(dev);
}

/* In the form of the recorded trace. */
static void print_packet(const uint32_t *dw, char *to, size_t size)
{
    uint32_t op = pm4_opcode(dw[0]), n = pm4_dwords(dw[0]);
    size_t at = 0;
    if (op == PM4_release_mem) {
        snprintf(to, size, "RELEASE_MEM ev %x sel %x addr %08x%08x data %x ctx %x", dw[1], dw[2], dw[4],
                 dw[3], dw[5], dw[7]);
        return;
    }
    at += (size_t)snprintf(to, size, "op %x:", op);
    for (uint32_t i = 1; i < n && at < size; i++)
        at += (size_t)snprintf(to + at, size - at, " %x", dw[i]);
}

/* Word by word; '*' in the pattern stands for any word. */
static int matches(const char *pattern, const char *line)
{
    for (;;) {
        while (*pattern == ' ')
            pattern++;
        while (*line == ' ')
            line++;
        size_t p = strcspn(pattern, " \n"), l = strcspn(line, " \n");
        if (!p || !l)
            return p == l;
        if (!(p == 1 && *pattern == '*') && (p != l || memcmp(pattern, line, p)))
            return 0;
        pattern += p, line += l;
    }
}

static const struct generation {
    const char *chip, *trace;
    uint8_t mach;
    const char *packets[15]; /* the last one stays NULL */
} generations[] = {
    {"gfx1100",
     "traces/tinygrad-gfx1100.txt",
     0x41,
     {"op 58: 0 ffffffff ffffffff 0 0 0 c3f1", "op 76: 20c * *", "op 76: 212 * *", "op 76: 228 *",
      "op 76: 218 *", "op 76: 210 * *", "op 76: 21b 0 0 0", "op 76: 240 * *", "op 76: 215 0",
      "op 76: 204 0 0 0 2 1 1 0 0", "op 15: 7d 1 1 8005", "op 46: 407",
      "RELEASE_MEM ev 70f514 sel * addr * data * ctx 0",
      "RELEASE_MEM ev 514 sel 22000000 addr * data 2 ctx 2"}},
    {"gfx1201",
     "traces/tinygrad-gfx1201.txt",
     0x4e,
     {"op 58: 0 ffffffff ffffffff 0 0 0 c3f1", "op 76: 20c * *", "op 76: 212 * *", "op 76: 228 *",
      "op 76: 218 *", "op 76: 210 * *", "op 76: 21b 0 0 0", "op 76: 240 * *", "op 76: 215 0",
      "op 76: 204 0 0 0 2 1 1 0 0", "op 15: 7d 1 1 8005", "op 46: 407",
      "RELEASE_MEM ev 70f514 sel * addr * data * ctx 0",
      "RELEASE_MEM ev 514 sel 22000000 addr * data 2 ctx 2"}},
    {"gfx942",
     "traces/tinygrad-gfx942.txt",
     0x4c,
     {"op 58: 28c40000 ffffffff ffffffff 0 0 a", "op 76: 20c * *", "op 76: 212 * *", "op 76: 22d *",
      "op 76: 218 *", "op 76: 210 * *", "op 76: 21b 0 0 0", "op 76: 240 * *", "op 76: 215 0",
      "op 76: 204 0 0 0 2 1 1 0 0", "op 15: 7d 1 1 5", "op 46: 407",
      "RELEASE_MEM ev 88514 sel * addr * data * ctx 0",
      "RELEASE_MEM ev 514 sel 22000000 addr * data 2 ctx 0"}},
    {"gfx1030",
     NULL,
     0x36, /* no trace: registers and events as on gfx11 */
     {"op 58: 0 ffffffff ffffffff 0 0 0 c3f1", "op 76: 20c * *", "op 76: 212 * *", "op 76: 228 *",
      "op 76: 218 *", "op 76: 210 * *", "op 76: 21b 0 0 0", "op 76: 240 * *", "op 76: 215 0",
      "op 76: 204 0 0 0 2 1 1 0 0", "op 15: 7d 1 1 8005", "op 46: 407",
      "RELEASE_MEM ev 70f514 sel * addr * data * ctx 0",
      "RELEASE_MEM ev 514 sel 22000000 addr * data 2 ctx 2"}},
    {"gfx906",
     NULL,
     0x2f, /* no trace: as gfx942 without RSRC3 */
     {"op 58: 28c40000 ffffffff ffffffff 0 0 a", "op 76: 20c * *", "op 76: 212 * *", "op 76: 218 *",
      "op 76: 210 * *", "op 76: 21b 0 0 0", "op 76: 240 * *", "op 76: 215 0", "op 76: 204 0 0 0 2 1 1 0 0",
      "op 15: 7d 1 1 5", "op 46: 407", "RELEASE_MEM ev 88514 sel * addr * data * ctx 0",
      "RELEASE_MEM ev 514 sel 22000000 addr * data 2 ctx 0"}},
};

static struct nx_launch launch_of(const void *const *args, uint32_t groups, uint32_t block)
{
    return (struct nx_launch){.size = sizeof(struct nx_launch),
                              .grid = {groups, 1, 1},
                              .block = {block, 1, 1},
                              .args = args,
                              .arg_count = 4};
}

static void check_generation(const struct generation *g)
{
    static const uint64_t a = 0x10000;
    static const uint32_t n = 5;
    const void *args[] = {&a, &a, &a, &n};
    struct nx_launch l = launch_of(args, 125, 2);
    if (open_all(g->chip, g->mach)) {
        MUST(nx_launch(queue, kernel, &l));
        nx_signal *s;
        MUST(nx_signal_create(dev, 0, &s));
        MUST(nx_queue_signal(queue, s, 3));
        const struct amd_queue *q = (const struct amd_queue *)queue;
        const uint32_t *ring = q->ring->base.host;
        uint64_t at = 0;
        for (unsigned i = 0; i < ARRAY_LEN(g->packets) && g->packets[i]; i++) {
            char line[256] = "nothing";
            if (at < q->put)
                print_packet(ring + at, line, sizeof line);
            if (!matches(g->packets[i], line))
                printf("  %s packet %u: %s, expected %s\n", g->chip, i, line, g->packets[i]), test_bad++;
            at += pm4_dwords(ring[at]);
        }
        CHECK_EQ(at, q->put);
        CHECK_EQ(fake_load(cp.queue.write_pointer_address), q->put);
        CHECK_EQ(*q->doorbell, q->put);
        CHECK_EQ((uintptr_t)q->doorbell & 0xfff, FAKE_DOORBELL_OFFSET);
        MUST(nx_signal_wait(s, 3, 1000000000));
        nx_signal_free(s);
    }
    close_all();
}

TEST(packets_of_a_launch_on_every_generation)
{
    for (size_t i = 0; i < ARRAY_LEN(generations); i++)
        check_generation(&generations[i]);
}

/* The re-typed packets are those of the trace, in its order. */
TEST(golden_packets_are_those_of_the_trace)
{
    unsigned checked = 0;
    for (size_t i = 0; i < ARRAY_LEN(generations); i++) {
        const struct generation *g = &generations[i];
        FILE *f = g->trace ? facts_open(g->trace) : NULL;
        char line[512];
        unsigned next = 0;
        if (!f)
            continue;
        while (fgets(line, sizeof line, f))
            if (!strncmp(line, "[pm4] ", 6) && g->packets[next] && matches(g->packets[next], line + 6))
                next++;
        fclose(f);
        if (g->packets[next])
            printf("  %s: not in the trace: %s\n", g->chip, g->packets[next]), test_bad++;
        checked++;
    }
    if (!checked)
        SKIP("no traces here (NXGPU_FACTS)");
}

TEST(privileged_bit_on_gfx11_only)
{
    static const struct {
        const char *chip;
        uint8_t mach, priv;
    } cases[] = {{"gfx1100", 0x41, 1}, {"gfx1201", 0x4e, 0}, {"gfx1030", 0x36, 0}};
    static const uint64_t a = 0x10000;
    static const uint32_t n = 5;
    const void *args[] = {&a, &a, &a, &n};
    struct nx_launch l = launch_of(args, 1, 64);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        if (open_all(cases[i].chip, cases[i].mach)) {
            MUST(nx_launch(queue, kernel, &l));
            const struct amd_queue *q = (const struct amd_queue *)queue;
            const uint32_t *dw = q->ring->base.host;
            for (uint64_t at = 0; at < q->put; at += pm4_dwords(dw[at]))
                if (pm4_opcode(dw[at]) == PM4_set_sh_reg && dw[at + 1] == 0x212)
                    CHECK_EQ(bits(dw[at + 2], 20, 20), cases[i].priv);
        }
        close_all();
    }
}

TEST(partial_groups)
{
    static const uint64_t a = 0x10000;
    static const uint32_t n = 5;
    const void *args[] = {&a, &a, &a, &n};
    struct nx_launch l = {
        .size = sizeof l, .items = {1000, 6, 1}, .block = {64, 2, 1}, .args = args, .arg_count = 4};
    static const char *const want[] = {"op 76: 204 0 0 0 280040 20002 10001 0 0", "op 15: 10 3 1 8007"};
    unsigned found = 0;
    if (open_all("gfx1100", 0x41)) {
        MUST(nx_launch(queue, kernel, &l));
        const struct amd_queue *q = (const struct amd_queue *)queue;
        const uint32_t *dw = q->ring->base.host;
        for (uint64_t at = 0; at < q->put && found < 2; at += pm4_dwords(dw[at])) {
            char line[256];
            print_packet(dw + at, line, sizeof line);
            found += (unsigned)matches(want[found], line);
        }
        CHECK_EQ(found, 2);
        /* hidden arguments: whole groups 15 3 1, group 64 2 1, remainder 40 0 0, 2 dimensions */
        const uint8_t *k = ((const struct amd_queue *)queue)->kernarg->base.host;
        const struct amd_kernel *ak = (const struct amd_kernel *)kernel;
        for (unsigned i = 0; i < ak->hidden_count; i++) {
            const struct hidden_arg *h = &ak->hidden[i];
            uint64_t v = 0;
            memcpy(&v, k + (ak->kd.sgpr_dispatch_ptr ? 64 : 0) + h->offset, h->bytes);
            static const uint64_t values[] = {15, 3, 1, 64, 2, 1, 40, 0, 0, 0, 0, 0, 2};
            if (h->kind < ARRAY_LEN(values))
                CHECK_EQ(v, values[h->kind]);
        }
        CHECK(ak->hidden_count >= 10);
    }
    close_all();
}

/* TMPRING_SIZE of the last launch in the ring. */
static uint32_t last_tmpring(void)
{
    const struct amd_queue *q = (const struct amd_queue *)queue;
    const uint32_t *dw = q->ring->base.host;
    uint32_t v = 0;
    for (uint64_t at = 0; at < q->put; at += pm4_dwords(dw[at]))
        if (pm4_opcode(dw[at]) == PM4_set_sh_reg && dw[at + 1] == 0x218)
            v = dw[at + 2];
    return v;
}

/* Per generation: unit of a wave's size 1 KiB or 256 bytes, waves of the card or of one shader engine. */
TEST(private_memory_is_sized_for_all_waves)
{
    static const struct {
        const char *chip;
        uint8_t mach;
        uint32_t bytes, tmpring; /* 0: refused */
    } cases[] = {
        {"gfx1100", 0x41, 128, 16 << 12 | 96 * 32 / 6},
        {"gfx1100", 0x41, 100, 13 << 12 | 96 * 32 / 6}, /* 3200 bytes round up */
        {"gfx1100", 0x41, 262136, 32767 << 12 | 256},   /* 24 GiB: half of the waves fit */
        {"gfx1100", 0x41, 262140, 0},
        {"gfx1201", 0x4e, 128, 16 << 12 | 64 * 32 / 4},
        {"gfx906", 0x2f, 128, 8 << 12 | 60 * 32},
        {"gfx906", 0x2f, 131073, 0},
    };
    static const uint64_t a = 0x10000;
    static const uint32_t n = 5;
    const void *args[] = {&a, &a, &a, &n};
    struct nx_launch l = launch_of(args, 1, 64);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        if (open_private(cases[i].chip, cases[i].mach, cases[i].bytes)) {
            int rc = nx_launch(queue, kernel, &l);
            CHECK_EQ(rc, (unsigned long long)(cases[i].tmpring ? 0 : -EINVAL));
            if (!rc)
                CHECK_EQ(last_tmpring(), cases[i].tmpring);
            else
                CHECK(strstr(nx_error(), "bytes of private memory a work-item, at most ") != NULL);
        }
        close_all();
    }
}

TEST(private_memory_grows_and_stays)
{
    static const uint64_t a = 0x10000;
    static const uint32_t n = 5;
    const void *args[] = {&a, &a, &a, &n};
    struct nx_launch l = launch_of(args, 1, 64);
    if (open_private("gfx1100", 0x41, 128)) {
        nx_program *small = prog, *large = NULL;
        nx_kernel *small_kernel = kernel;
        MUST(nx_launch(queue, kernel, &l));
        load_as(0x41, 1024);
        large = prog;
        MUST(nx_launch(queue, kernel, &l));
        CHECK_EQ(last_tmpring() >> 12, 128);
        uint64_t va = ((const struct amd_queue *)queue)->scratch->base.va;
        MUST(nx_launch(queue, small_kernel, &l));
        CHECK_EQ(last_tmpring() >> 12, 128); /* all waves in one layout */
        CHECK_EQ(((const struct amd_queue *)queue)->scratch->base.va, va);
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
        CHECK_EQ(cp.dispatches, 3);
        nx_program_free(small);
        prog = large;
    }
    close_all();
}

/* ---- load: more launches than ring and argument memory hold ---- */

static void check_args(struct fake_cp *c, const uint32_t *packet)
{
    uint64_t kernarg = c->user_data[0] | (uint64_t)c->user_data[1] << 32;
    uint32_t n;
    memcpy(&n, (const char *)(uintptr_t)kernarg + 24, 4);
    if (n != c->dispatches || packet[1] != 1 + n % 7)
        c->bad = 1;
}

TEST(every_dispatch_sees_its_own_arguments)
{
    enum { LAUNCHES = 20000 };
    static const uint64_t a = 0x10000;
    if (open_all("gfx1100", 0x41)) {
        CHECK(!((const struct amd_kernel *)kernel)->kd.sgpr_dispatch_ptr);
        cp.on_dispatch = check_args;
        for (uint32_t i = 1; i <= LAUNCHES && !test_bad; i++) {
            const void *args[] = {&a, &a, &a, &i};
            struct nx_launch l = launch_of(args, 1 + i % 7, 64);
            MUST(nx_launch(queue, kernel, &l));
            if (i % 1000 == 999)
                MUST(nx_submit(queue));
        }
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
        CHECK_EQ(cp.dispatches, LAUNCHES);
        CHECK(!cp.bad);
    }
    close_all();
}

TEST(a_stopped_device_times_out_exactly_and_says_where)
{
    static const uint64_t a = 0x10000;
    static const uint32_t n = 1;
    const void *args[] = {&a, &a, &a, &n};
    struct nx_launch l = launch_of(args, 1, 64);
    if (open_all("gfx1100", 0x41)) {
        cp.stopped = 1;
        MUST(nx_launch(queue, kernel, &l));
        CHECK_EQ(nx_queue_wait_idle(queue, 2000000), -ETIMEDOUT);
        CHECK(strstr(nx_error(), "the device has read 0 of ") && strstr(nx_error(), "next is acquire_mem"));
        CHECK_EQ(nx_queue_wait_idle(queue, 0), -ETIMEDOUT);
        cp.stopped = 0;
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
    }
    close_all();
}

/* Waiting for idle puts a signal in: there is always room for it, so a full ring does not keep its time-out. */
TEST(a_full_ring_still_times_out)
{
    nx_buffer *b = NULL;
    if (open_all("gfx1100", 0x41)) {
        const struct amd_queue *q = (const struct amd_queue *)queue;
        cp.stopped = 1;
        MUST(nx_alloc(dev, 8, NX_HOST, &b));
        while (q->put + PM4_release_mem_DWORDS + RING_KEEP <= RING_DWORDS - 1)
            MUST(nx_timestamp(queue, b, 0));
        CHECK_EQ(nx_queue_wait_idle(queue, 1000000), (unsigned long long)-ETIMEDOUT);
        CHECK(q->put > RING_DWORDS - 1 - PM4_release_mem_DWORDS); /* no other word fits now */
        cp.stopped = 0;
        MUST(nx_timestamp(queue, b, 0)); /* waits for room */
        MUST(nx_queue_wait_idle(queue, NX_FOREVER));
    }
    nx_free(b);
    close_all();
}

int main(void)
{
    RUN(packets_of_a_launch_on_every_generation);
    RUN(golden_packets_are_those_of_the_trace);
    RUN(privileged_bit_on_gfx11_only);
    RUN(partial_groups);
    RUN(private_memory_is_sized_for_all_waves);
    RUN(private_memory_grows_and_stays);
    RUN(every_dispatch_sees_its_own_arguments);
    RUN(a_stopped_device_times_out_exactly_and_says_where);
    RUN(a_full_ring_still_times_out);
    return test_done();
}
