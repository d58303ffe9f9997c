/* Waiting for the GPU, and learning of its faults. */
#include "amd/amd.h"
#include "base/err.h"
#include "kernel/device.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    SPIN_NS = 20000,   /* a short kernel ends within this: looking is cheaper than sleeping */
    QUIET_ROUNDS = 20, /* idle() calls of at most 50 us before sleeping in the driver */
    SLICE_MS = 10,     /* a wake-up meant for us may go to another thread: look again by then */
    EVENTS_EVERY = 64,
    MS = 1000000,
};
#define FAULT_FILE "/sys/kernel/debug/nxgpu/fault" /* the software GPU's own words on its last fault */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* What the device says of its fault, "" where it says nothing. */
static void fault_detail(struct amd_device *d, char *text, int size)
{
    int n = port_read_file(d->port, FAULT_FILE, text, (size_t)size);
    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0; /* the first line is for people */
}

static int memory_fault(struct amd_device *d, const struct kfd_memory_exception *m)
{
    char text[1024], detail[4096];
    const char *why = m->failure.NotPresent  ? "page not mapped"
                      : m->failure.ReadOnly  ? "write to a read-only page"
                      : m->failure.NoExecute ? "page not executable"
                                             : NULL;
    fault_detail(d, detail, sizeof detail);
    if (why || !*detail)
        snprintf(text, sizeof text, "memory fault at GPU address 0x%" PRIx64 ": %s%s%s%s", m->va,
                 why ? why : "cause not reported", m->failure.imprecise ? " (address is imprecise)" : "",
                 *detail ? "; " : "", detail);
    else /* the driver's record has no kind for it, only its own text tells */
        snprintf(text, sizeof text, "GPU fault: %s", detail);
    return device_lose(&d->base, text);
}

static int exception(struct amd_device *d, const struct kfd_hw_exception *e)
{
    char text[1024], detail[4096];
    fault_detail(d, detail, sizeof detail);
    snprintf(text, sizeof text, "GPU exception: %s%s%s%s",
             e->reset_cause == KFD_CAUSE_ECC ? "uncorrectable memory error" : "hang or illegal operation",
             e->memory_lost ? ", device memory is lost" : "", *detail ? "; " : "", detail);
    return device_lose(&d->base, text);
}

/* Sleeps in the driver until an event or the time is over. 0: look again; -EIO: a fault. */
static int wait_events(struct amd_device *d, uint32_t ms)
{
    struct kfd_event e[3] = {
        {.event_id = d->memory_event}, {.event_id = d->exception_event}, {.event_id = d->event_id}};
    struct kfd_wait_events w = {
        .events_ptr = (uint64_t)(uintptr_t)e, .num_events = ms ? 3 : 2, .timeout = ms};
    int rc = kfd_call(d->port, d->kfd, KFD_WAIT_EVENTS, &w);
    if (rc)
        return device_lose(&d->base, fail_text());
    /* a fault has the GPU's id in its data; an event that did not happen leaves zeros */
    if (e[0].memory_exception_data.gpu_id)
        return memory_fault(d, &e[0].memory_exception_data);
    if (e[1].hw_exception_data.gpu_id)
        return exception(d, &e[1].hw_exception_data);
    return 0;
}

int amd_wait(struct amd_device *d, int (*done)(const void *), const void *arg, uint64_t timeout_ns)
{
    if (done(arg))
        return 0;
    uint64_t start = now_ns(), end = start + timeout_ns < start ? UINT64_MAX : start + timeout_ns,
             now = start;
    unsigned quiet = 0, quiet_max = d->base.info.software ? 1 : QUIET_ROUNDS;
    int rc;
    for (unsigned round = 1;; round++) {
        if ((rc = device_check(&d->base)))
            return rc;
        uint64_t left = end > now ? end - now : 0;
        if (!d->base.info.software && now - start < SPIN_NS && left) {
            relax();
        } else if (quiet < quiet_max || left < MS) {
            rc = port_idle(d->port, left < 100 * MS ? left : 100 * MS);
            if (rc < 0) {
                fail(rc, "%s: waiting fails: %s", d->port->name, strerror(-rc));
                return device_lose(&d->base, fail_text());
            }
            quiet = rc ? 0 : quiet + 1;
        } else {
            uint64_t ms = left / MS;
            if ((rc = wait_events(d, ms < SLICE_MS ? (uint32_t)ms : SLICE_MS)))
                return rc;
            quiet = 0;
        }
        if (done(arg))
            return 0;
        now = now_ns();
        if ((now >= end || !(round % EVENTS_EVERY)) && (rc = wait_events(d, 0)))
            return rc;
        if (now >= end)
            return -ETIMEDOUT;
    }
}

struct value {
    const uint64_t *at;
    uint64_t value;
};

static int reached(const void *arg)
{
    const struct value *v = arg;
    return __atomic_load_n(v->at, __ATOMIC_ACQUIRE) >= v->value;
}

int amd_wait_value(nx_device *dev, const uint64_t *at, uint64_t value, uint64_t timeout_ns)
{
    struct value v = {at, value};
    return amd_wait((struct amd_device *)dev, reached, &v, timeout_ns);
}
