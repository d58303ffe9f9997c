/* A port between the runtime and the software GPU's driver side that keeps the queue for itself: CREATE_QUEUE
 * and the doorbell are answered here, and the ring is walked in idle() by a few lines that know just enough
 * packets (signals, and the registers of a dispatch), so that tests see every word the runtime puts in, on
 * every generation. Not for: running kernels.
 */
#ifndef NX_TEST_FAKE_CP_H
#define NX_TEST_FAKE_CP_H
#include "base/bits.h"
#include "hw/amd/pm4.h"
#include "hw/amd/regs.h"
#include "kernel/kfd.h"
#include "kernel/port.h"
#include <stdlib.h>
#include <sys/mman.h>

enum { FAKE_DOORBELL_OFFSET = 0x18 };
#define FAKE_DOORBELL_PAGE (7ull << 33)

struct fake_cp {
    struct port port;
    struct port *inner;
    struct kfd_create_queue queue;
    void *doorbells;
    uint64_t rptr;
    uint32_t user_data[AMD_USER_DATA_COUNT];
    int stopped, bad; /* stopped: reads nothing */
    unsigned dispatches;
    void (*on_dispatch)(struct fake_cp *, const uint32_t *packet);
    void *arg;
};

static inline uint64_t fake_load(uint64_t va)
{
    return __atomic_load_n((uint64_t *)(uintptr_t)va, __ATOMIC_ACQUIRE);
}

static inline void fake_packet(struct fake_cp *c, const uint32_t *dw)
{
    if (pm4_opcode(dw[0]) == PM4_release_mem) {
        struct pm4_release_mem r;
        pm4_release_mem_unpack(dw, &r);
        void *to = (void *)(uintptr_t)r.addr;
        if (r.data_sel == PM4_DATA_SEL_DATA64)
            __atomic_store_n((uint64_t *)to, r.data, __ATOMIC_RELEASE);
        else if (r.data_sel == PM4_DATA_SEL_LOW32)
            *(uint32_t *)to = (uint32_t)r.data;
    } else if (pm4_opcode(dw[0]) == PM4_set_sh_reg) {
        for (uint32_t i = 0; i + 2 < pm4_dwords(dw[0]); i++)
            if (dw[1] + i >= AMD_USER_DATA && dw[1] + i < AMD_USER_DATA + AMD_USER_DATA_COUNT)
                c->user_data[dw[1] + i - AMD_USER_DATA] = dw[2 + i];
    } else if (pm4_opcode(dw[0]) == PM4_dispatch_direct) {
        c->dispatches++;
        if (c->on_dispatch)
            c->on_dispatch(c, dw);
    }
}

/* Reads one packet; 0: there is none. */
static inline int fake_step(struct fake_cp *c)
{
    uint32_t dw[256], mask = c->queue.ring_size / 4 - 1;
    const uint32_t *ring = (const uint32_t *)(uintptr_t)c->queue.ring_base_address;
    uint64_t wptr = c->queue.ring_size ? fake_load(c->queue.write_pointer_address) : 0;
    if (c->stopped || !wptr || c->rptr >= wptr)
        return 0;
    uint32_t n = pm4_dwords(ring[c->rptr & mask]);
    if (!n || n > ARRAY_LEN(dw) || n > wptr - c->rptr) {
        c->bad = 1;
        return 0;
    }
    for (uint32_t i = 0; i < n; i++)
        dw[i] = ring[(c->rptr + i) & mask];
    c->rptr += n;
    fake_packet(c, dw);
    __atomic_store_n((uint64_t *)(uintptr_t)c->queue.read_pointer_address, c->rptr, __ATOMIC_RELEASE);
    return 1;
}

static inline int fake_idle(void *ctx, uint64_t ns)
{
    (void)ns;
    int n = 0;
    while (n < 3 && fake_step(ctx)) /* a few only: the runtime must cope with a slow device */
        n++;
    return n != 0;
}
static inline int fake_ioctl(void *ctx, int fd, uint32_t request, void *arg)
{
    struct fake_cp *c = ctx;
    if (call_magic(request) == 'K' && call_nr(request) == KFD_NR_CREATE_QUEUE) {
        struct kfd_create_queue *q = arg;
        q->queue_id = 1;
        q->doorbell_offset = FAKE_DOORBELL_PAGE + FAKE_DOORBELL_OFFSET;
        c->queue = *q;
        c->rptr = 0;
        return 0;
    }
    if (call_magic(request) == 'K' && call_nr(request) == KFD_NR_DESTROY_QUEUE) {
        c->queue.ring_size = 0;
        return 0;
    }
    return port_ioctl(c->inner, fd, request, arg);
}
static inline int fake_mmap(void *ctx, void **out, void *addr, size_t length, int prot, int flags, int fd,
                            uint64_t off)
{
    struct fake_cp *c = ctx;
    if (off == FAKE_DOORBELL_PAGE && length == KFD_DOORBELL_SLICE && fd >= 0)
        return port_mmap(c->inner, out, addr, length, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return port_mmap(c->inner, out, addr, length, prot, flags, fd, off);
}
static inline int fake_open(void *ctx, const char *path, int flags)
{
    return port_open(((struct fake_cp *)ctx)->inner, path, flags);
}
static inline int fake_close(void *ctx, int fd)
{
    return port_close(((struct fake_cp *)ctx)->inner, fd);
}
static inline int fake_munmap(void *ctx, void *addr, size_t length)
{
    return port_munmap(((struct fake_cp *)ctx)->inner, addr, length);
}
static inline int fake_read_file(void *ctx, const char *path, void *buf, size_t cap)
{
    return port_read_file(((struct fake_cp *)ctx)->inner, path, buf, cap);
}
static inline int fake_list_dir(void *ctx, const char *path, char *buf, size_t cap)
{
    return port_list_dir(((struct fake_cp *)ctx)->inner, path, buf, cap);
}
static inline void fake_destroy(void *ctx)
{
    port_destroy(((struct fake_cp *)ctx)->inner);
}

/* 0 or -errno of the software GPU's port. The struct must stay until the port is destroyed. */
static inline int fake_cp_open(struct fake_cp *c, const char *chip)
{
    memset(c, 0, sizeof *c);
    c->port = (struct port){.name = "fake",
                            .ctx = c,
                            .open = fake_open,
                            .close = fake_close,
                            .ioctl = fake_ioctl,
                            .mmap = fake_mmap,
                            .munmap = fake_munmap,
                            .read_file = fake_read_file,
                            .list_dir = fake_list_dir,
                            .idle = fake_idle,
                            .destroy = fake_destroy};
    return port_soft(chip, &c->inner);
}
#endif
