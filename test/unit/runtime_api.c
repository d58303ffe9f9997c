/* The application interface: wrong arguments, and every way in which opening, loading, launching and closing
 * can be cut short. The queue is a fake one (test/fake_cp.h), the driver side is the software GPU's.
 */
#include "amd/amd.h"
#include "base/mem.h"
#include "test/fake_cp.h"
#include "test/test.h"

static struct fake_cp cp;

#define REFUSED(e, rc, message)                                                                              \
    do {                                                                                                     \
        int rc_ = (e);                                                                                       \
        CHECK_EQ(rc_, (unsigned long long)(rc));                                                             \
        CHECK_STR(nx_error(), message);                                                                      \
    } while (0)

struct trip {
    nx_device *dev;
    nx_program *prog;
    nx_kernel *kernel;
    nx_queue *queue;
    nx_buffer *buf, *host, *lent;
    nx_signal *signal;
};
static char lent_memory[8192] __attribute__((aligned(4096)));

static void end_trip(struct trip *t)
{
    nx_queue_free(t->queue);
    nx_signal_free(t->signal);
    nx_free(t->lent);
    nx_free(t->host);
    nx_free(t->buf);
    nx_program_free(t->prog);
    nx_device_close(t->dev);
    memset(t, 0, sizeof *t);
}

/* From nothing to a finished launch. The port is the device's whatever happens. */
static int make_trip(struct trip *t, const struct port *port)
{
    uint64_t va, zero = 0;
    uint32_t n = 1, word = 0;
    int rc;
    memset(t, 0, sizeof *t);
    if ((rc = amd_open_port(port, 0, "test", 1, &t->dev)) ||
        (rc = nx_program_load_file(t->dev, "kernels/vector_add.gfx1100.hsaco", &t->prog)) ||
        (rc = nx_program_kernel(t->prog, "vector_add", &t->kernel)) ||
        (rc = nx_queue_create(t->dev, &t->queue)) || (rc = nx_alloc(t->dev, 10000, NX_DEVICE, &t->buf)) ||
        (rc = nx_alloc(t->dev, 100, NX_HOST, &t->host)) ||
        (rc = nx_register(t->dev, lent_memory + 100, 5000, &t->lent)) ||
        (rc = nx_signal_create(t->dev, 0, &t->signal)) || (rc = nx_write(t->buf, 9996, &word, 4)))
        return rc;
    va = nx_buffer_va(t->buf);
    const void *args[] = {&va, &zero, &va, &n};
    struct nx_launch l = {
        .size = sizeof l, .items = {100, 1, 1}, .block = {64, 1, 1}, .args = args, .arg_count = 4};
    if ((rc = nx_launch(t->queue, t->kernel, &l)) || (rc = nx_fill(t->queue, t->buf, 0, 7, 100)) ||
        (rc = nx_copy(t->queue, t->host, 0, t->lent, 0, 100)) || (rc = nx_timestamp(t->queue, t->host, 0)) ||
        (rc = nx_queue_wait(t->queue, t->signal, 0)) || (rc = nx_queue_signal(t->queue, t->signal, 5)) ||
        (rc = nx_signal_wait(t->signal, 5, 1000000000)) || (rc = nx_queue_wait_idle(t->queue, 1000000000)))
        return rc;
    return nx_signal_value(t->signal) == 5 && cp.dispatches ? 0 : -EPROTO;
}

static struct trip good_trip(void)
{
    struct trip t;
    CHECK_EQ(fake_cp_open(&cp, "gfx1100"), 0);
    if (make_trip(&t, &cp.port))
        printf("  %s\n", nx_error()), test_bad++;
    return t;
}

TEST(whole_trip)
{
    struct trip t = good_trip();
    end_trip(&t);
}

TEST(every_failing_port_call_is_unwound)
{
    unsigned failed = 0, n = 1;
    for (;; n++) {
        struct trip t;
        if (fake_cp_open(&cp, "gfx1100"))
            break;
        struct port *fault = port_fault(&cp.port, PORT_ANY, n, EIO);
        CHECK(fault != NULL);
        if (!fault)
            break;
        int rc = make_trip(&t, fault), hit = t.dev ? port_fault_hit(fault) : 1;
        if (rc) {
            failed++;
            if (rc > 0 || !*nx_error())
                printf("  call %u: %d \"%s\"\n", n, rc, nx_error()), test_bad++;
        }
        end_trip(&t);
        if (!hit)
            break; /* fewer calls than n */
    }
    CHECK(n > 40 && failed > 30);
}

TEST(every_failing_allocation_is_unwound)
{
    unsigned n = 1, asked;
    for (;; n++) {
        struct trip t;
        CHECK_EQ(fake_cp_open(&cp, "gfx1100"), 0);
        mem_fail_at(n);
        int rc = make_trip(&t, &cp.port);
        asked = mem_fail_at(0);
        if (rc && (rc != -ENOMEM || !strstr(nx_error(), "out of memory")))
            printf("  allocation %u: %d \"%s\"\n", n, rc, nx_error()), test_bad++;
        end_trip(&t);
        if (asked < n) {
            CHECK_EQ(rc, 0);
            break;
        }
        CHECK_EQ(rc, (unsigned long long)-ENOMEM);
    }
    CHECK(n > 15);
}

TEST(launches_beyond_the_limits)
{
    struct trip t = good_trip();
    uint64_t va = 0;
    uint32_t n = 0;
    const void *args[] = {&va, &va, &va, &n}, *holes[] = {&va, NULL, &va, &n};
    char packed[28] = {0};
    const struct nx_launch ok = {
        .size = sizeof ok, .grid = {1, 1, 1}, .block = {64, 1, 1}, .args = args, .arg_count = 4};
    struct nx_launch l;
#define BAD(change, message)                                                                                 \
    l = ok;                                                                                                  \
    change;                                                                                                  \
    REFUSED(nx_launch(t.queue, t.kernel, &l), -EINVAL, message)
    if (t.kernel) {
        BAD(l.size = 4, "nx_launch: size is 4, expected 80");
        BAD(l.grid[1] = 0, "vector_add: grid 1x0x1: every dimension must be at least 1");
        BAD(memset(l.grid, 0, sizeof l.grid), "vector_add: grid 0x0x0: every dimension must be at least 1");
        BAD(l.items[0] = 1, "vector_add: grid and items are both given, expected one of them");
        BAD(l.block[2] = 0, "vector_add: block 64x1x0: every dimension must be at least 1");
        BAD(l.block[0] = 2000,
            "vector_add: block 2000x1x1 has more than 1024 work-items, the limit of the device");
        BAD((l.block[0] = 1024, l.block[1] = 1024, l.block[2] = 1024),
            "vector_add: block 1024x1024x1024 has more than 1024 work-items, the limit of the device");
        BAD((l.block[0] = 512),
            "vector_add: block 512x1x1 has 512 work-items, the kernel was compiled for at most 256");
        BAD(l.grid[0] = 1u << 31, "vector_add: 137438953472 work-items in dimension 0, at most 2^32-1");
        BAD(l.shared = 65537, "vector_add: 65537 bytes of local memory (0 static), at most 65536");
        BAD(l.shared = UINT32_MAX, "vector_add: 4294967295 bytes of local memory (0 static), at most 65536");
        BAD(l.arg_count = 3, "vector_add: 3 arguments given, the kernel takes 4");
        BAD((l.args = NULL, l.arg_count = 0), "vector_add: 0 arguments given, the kernel takes 4");
        BAD(l.args = holes, "vector_add: argument 1 is a null pointer, expected the address of its value");
        BAD(l.kernarg = packed, "vector_add: args and kernarg are both given, expected one of them");
        BAD((l.args = NULL, l.arg_count = 0, l.kernarg = packed, l.kernarg_bytes = 20),
            "vector_add: 20 bytes of packed arguments, the kernel takes 28");
    }
    end_trip(&t);
}

TEST(memory_out_of_range)
{
    struct trip t = good_trip();
    nx_buffer *b;
    char byte = 0;
    if (t.signal) {
        REFUSED(nx_write(t.buf, 10000, &byte, 1), -EINVAL,
                "1 bytes at offset 10000 of a buffer of 10000 bytes");
        REFUSED(nx_read(t.buf, UINT64_MAX, &byte, 2), -EINVAL,
                "2 bytes at offset 18446744073709551615 of a buffer of 10000 bytes");
        REFUSED(nx_fill(t.queue, t.buf, 2, 0, 4), -EINVAL,
                "fill of 4 bytes at offset 2: expected multiples of 4");
        REFUSED(nx_copy(t.queue, t.buf, 0, t.buf, 50, 100), -EINVAL,
                "copy of 100 bytes from offset 50 to 0 overlaps itself");
        REFUSED(nx_timestamp(t.queue, t.host, 96), -EINVAL, "8 bytes at offset 96 of a buffer of 100 bytes");
        REFUSED(nx_alloc(t.dev, 0, 0, &b), -EINVAL, "buffer size 0: expected 1 to 2^47");
        REFUSED(nx_alloc(t.dev, 1, 64, &b), -EINVAL,
                "buffer flags 0x40: expected NX_DEVICE, NX_HOST or NX_VISIBLE");
        CHECK(nx_alloc(t.dev, 1ull << 46, 0, &b) < 0 && !b);
        CHECK_EQ(nx_buffer_va(t.lent) & 4095, 100);
        void *p;
        CHECK_EQ(nx_buffer_map(t.lent, &p), 0);
        CHECK(p == lent_memory + 100);
        nx_kernel *k;
        REFUSED(nx_program_kernel(t.prog, "nope", &k), -ENOENT,
                "no kernel \"nope\" in the program, there is: vector_add");
        REFUSED(nx_program_load(t.dev, "junk", 4, &(nx_program *){0}), -ENOEXEC,
                "not a code object: ELF image of 4 bytes: shorter than its header");
        REFUSED(nx_program_load_file(t.dev, "no/such/file", &(nx_program *){0}), -ENOENT,
                "no/such/file: No such file or directory");
    }
    end_trip(&t);
}

TEST(selectors)
{
    nx_device *d;
    REFUSED(nx_device_open("cuda:0", &d), -EINVAL,
            "device selector \"cuda:0\": expected amd:NUMBER or soft:TARGET (nxgpu info lists them)");
    REFUSED(nx_device_open("amd:x", &d), -EINVAL,
            "device selector \"amd:x\": expected a number after the colon");
    CHECK_EQ(nx_device_open("amd:200", &d), (unsigned long long)-ENODEV);
    CHECK_EQ(nx_device_open("soft:gfx9999", &d), (unsigned long long)-ENODEV);
    struct nx_device_info i = {.size = 8};
    REFUSED(nx_device_list(0, &i), -EINVAL, "nx_device_info: size is 8, expected 240");
    i.size = sizeof i;
    unsigned n = 0, soft = 0;
    for (; nx_device_list(n, &i) == 0; n++)
        soft += i.software;
    CHECK(soft >= 1);
    CHECK_EQ(nx_device_list(n, &i), (unsigned long long)-ENOENT);
}

TEST(other_majors_are_not_overridden)
{
    nx_device *d;
    struct nx_device_info i = {.size = sizeof i};
    setenv("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 1);
    REFUSED(nx_device_open("soft:gfx1100", &d), -EINVAL,
            "soft:gfx1100: HSA_OVERRIDE_GFX_VERSION=10.3.0: the device is gfx1100, another major version");
    setenv("HSA_OVERRIDE_GFX_VERSION", "11.0.1", 1);
    CHECK_EQ(nx_device_open("soft:gfx1100", &d), 0);
    CHECK_EQ(nx_device_describe(d, &i), 0);
    CHECK_STR(i.target, "gfx1101");
    nx_device_close(d);
    setenv("HSA_OVERRIDE_GFX_VERSION", "", 1);
    CHECK_EQ(nx_device_open("soft:gfx1100", &d), 0);
    nx_device_close(d);
}

int main(void)
{
    RUN(whole_trip);
    RUN(every_failing_port_call_is_unwound);
    RUN(every_failing_allocation_is_unwound);
    RUN(launches_beyond_the_limits);
    RUN(memory_out_of_range);
    RUN(selectors);
    RUN(other_majors_are_not_overridden);
    return test_done();
}
