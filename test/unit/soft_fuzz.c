/* Random driver calls and random words in rings: never a crash, a hang or a leak (run it in MODE=asan too). Bounded and
 * seeded: round r uses seed + r; NXGPU_FUZZ_SEED and NXGPU_FUZZ_ROUNDS change both, so that one round can be run alone. */
#include "hw/amd/aql.h"
#include "hw/amd/pm4.h"
#include "hw/amd/sdma.h"
#include "kernel/drm.h"
#include "test/soft_client.h"

static uint64_t state;
static uint32_t rnd(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(state >> 32);
}
static uint32_t pick(uint32_t n)
{
    return rnd() % n;
}
static unsigned env(const char *name, unsigned otherwise)
{
    const char *v = getenv(name);
    return v ? (unsigned)strtoul(v, NULL, 0) : otherwise;
}

static struct client c;
static struct buffer mem;

/* A value that a call may find interesting: small, an id, a handle, an address, a size, anything. */
static uint64_t value(void)
{
    static const uint64_t some[] = {0,    1,    2,      7,       15,    16,         100,
                                    4096, 8192, 0x8000, 1 << 20, ~0ull, 1ull << 47, 1ull << 63};
    switch (pick(8)) {
    case 0:
        return some[pick(14)];
    case 1:
        return c.gpu_id;
    case 2:
        return kfd_handle(c.gpu_id, pick(8));
    case 3:
        return mem.va + pick(4) * 4096;
    case 4:
        return (uint64_t)c.render;
    case 5:
        return pick(2) ? KFD_EVENT_NOSLOT + pick(4) : pick(20);
    case 6:
        return (uintptr_t)mem.host + pick(1 << 16);
    default:
        return rnd() | (uint64_t)rnd() << 32;
    }
}

static void open_all(const char *chip)
{
    CHECK_EQ(client_open(&c, chip), 0);
    CHECK_EQ(buffer_alloc(&c, &mem, 1 << 20, (uint32_t)GTT_FLAGS, 1), 0);
    uint32_t *p = mem.host;
    for (unsigned i = 0; i < 1 << 18; i += 1 + pick(64))
        p[i] = rnd();
}

static void some_call(void)
{
    _Alignas(8) uint8_t arg[512] = {0};
    static const uint32_t sizes[] = {0, 4, 8, 16, 24, 32, 40, 48, 64, 88, 96, 200};
    const struct call *k = call_at(pick(70));
    uint32_t nr = k && pick(8) ? k->nr : pick(256);
    uint32_t size = k && k->args && pick(8) ? k->args->size : sizes[pick(12)];
    if (size > sizeof arg)
        size = sizeof arg;
    for (uint32_t i = 0; i < size; i += 4) {
        uint64_t v = value();
        if (i % 8 == 0 && i + 8 <= size && pick(2))
            memcpy(arg + i, &v, 8), i += 4;
        else
            memcpy(arg + i, &v, 4);
    }
    if (nr == KFD_NR_WAIT_EVENTS) { /* do not sleep for long */
        struct kfd_wait_events *w = (void *)arg;
        w->timeout = pick(2);
        w->num_events %= 50;
    }
    if (pick(20))
        port_ioctl(c.port, pick(6) ? c.kfd : c.render, CALL_WORD(3, pick(10) ? 'K' : 'd', nr, size), arg);
    else
        port_ioctl(c.port, c.kfd, CALL_WORD(3, 'K', nr, size), (void *)(uintptr_t)(value() & 0xfff));
}

static void some_mapping(void)
{
    void *p;
    uint64_t offset = pick(2) ? (uint64_t)pick(8) << 32 : value() & ~4095ull;
    if (!port_mmap(c.port, &p, NULL, 4096u << pick(4), pick(4), MAP_SHARED, pick(2) ? c.kfd : c.render,
                   offset) &&
        pick(2))
        port_munmap(c.port, p, 4096);
}

TEST(calls)
{
    unsigned rounds = env("NXGPU_FUZZ_ROUNDS", 20), seed = env("NXGPU_FUZZ_SEED", 1);
    for (unsigned r = 0; r < rounds; r++) {
        state = seed + r;
        open_all(r % 3 ? "gfx1100" : "gfx1100,gfx906");
        for (unsigned i = 0; i < 400; i++) {
            char buf[256];
            if (pick(16))
                some_call();
            else
                some_mapping();
            if (!pick(64))
                port_list_dir(c.port, "/sys/class/kfd/kfd/topology/nodes/1", buf, pick(256));
            if (!pick(32))
                port_idle(c.port, 0);
        }
        client_close(&c);
    }
}

/* A word for a ring: mostly packets of the set with plausible fields. */
static unsigned packet(const struct hw_record *set, unsigned n,
                       uint32_t (*header)(const struct hw_record *, unsigned), uint32_t *dw, unsigned room)
{
    const struct hw_record *r = &set[pick(n)];
    unsigned tail = r->tail ? pick(6) : 0, all = r->dwords + tail;
    if (all > room)
        return 0;
    for (unsigned i = 0; i < all; i++)
        dw[i] = pick(3) ? 0 : rnd();
    for (unsigned i = 0; i < r->nfields; i++) {
        const struct hw_field *f = &r->fields[i];
        uint64_t v = pick(4) ? pick(6) : value();
        if (f->hi == 63)
            v = pick(16) ? mem.va + pick(1 << 16) * 8 : value();
        if (pick(8))
            hw_set_field(f, dw, v);
    }
    uint32_t first = header(r, all);
    dw[0] = pick(32) ? (dw[0] & ~0xffffu) | first : rnd();
    return all;
}
static uint32_t pm4_header(const struct hw_record *r, unsigned n)
{
    return pm4_type3(r->op, n - 2);
}
static uint32_t sdma_header(const struct hw_record *r, unsigned n)
{
    (void)n;
    return r->op | r->match_value;
}
static uint32_t aql_header(const struct hw_record *r, unsigned n)
{
    (void)n;
    return r->op & 0xffff;
}

static void fuzz_queue(uint32_t type, const struct hw_record *set, unsigned n,
                       uint32_t (*header)(const struct hw_record *, unsigned))
{
    static const char *const chips[] = {"gfx1100", "gfx906", "gfx942", "gfx1201"};
    unsigned rounds = env("NXGPU_FUZZ_ROUNDS", 60), seed = env("NXGPU_FUZZ_SEED", 1);
    for (unsigned r = 0; r < rounds; r++) {
        struct ring q;
        state = seed * 7919 + r + type * 1000003ull;
        open_all(chips[pick(8) < 5 ? 0 : pick(4)]);
        CHECK_EQ(ring_open(&c, &q, type, 4096), 0);
        for (unsigned i = 0; i < 40; i++) {
            uint32_t dw[64] = {0};
            unsigned k = packet(set, n, header, dw, 64);
            if (type == KFD_QUEUE_COMPUTE_AQL) {
                memcpy((char *)q.ring.host + (q.put % 64) * 64, dw, 64);
                q.put++;
            } else {
                if (type == KFD_QUEUE_COMPUTE)
                    dw[0] = (dw[0] & 0xffff00ff) | (dw[0] & 0xff00);
                ring_put(&q, dw, k);
            }
            if (pick(3))
                continue;
            __atomic_store_n(q.wptr, pick(50) ? q.put : value(), __ATOMIC_RELEASE);
            __atomic_store_n(q.doorbell, pick(50) ? q.put : value(), __ATOMIC_RELEASE);
            for (unsigned t = 0; t < 4; t++)
                port_idle(c.port, 0);
            if (strlen(fault_text(&c)) && pick(4)) { /* go on with a new queue */
                ring_close(&c, &q);
                CHECK_EQ(ring_open(&c, &q, type, 4096), 0);
            }
        }
        CHECK_EQ(ring_close(&c, &q), 0);
        client_close(&c);
    }
}
TEST(pm4_words)
{
    fuzz_queue(KFD_QUEUE_COMPUTE, pm4_records, pm4_nrecords, pm4_header);
}
TEST(sdma_words)
{
    fuzz_queue(KFD_QUEUE_SDMA, sdma_records, sdma_nrecords, sdma_header);
}
TEST(aql_words)
{
    fuzz_queue(KFD_QUEUE_COMPUTE_AQL, aql_records, aql_nrecords, aql_header);
}

int main(void)
{
    RUN(calls);
    RUN(pm4_words);
    RUN(sdma_words);
    RUN(aql_words);
    return test_done();
}
