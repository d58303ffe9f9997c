/* A KFD client for tests of the software GPU: speaks to a port ioctl by ioctl, as an unmodified runtime does
 * (call order of tinygrad: facts/amd-kernel.md section 1). No part of the runtime is used, so that the two
 * test each other. */
#ifndef NX_TEST_SOFT_CLIENT_H
#define NX_TEST_SOFT_CLIENT_H
#include "base/err.h"
#include "kernel/cwsr.h"
#include "kernel/kfd.h"
#include "kernel/port.h"
#include "kernel/topology.h"
#include "test/test.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

struct client {
    struct port *port;
    int kfd, render;
    struct kfd_node node;
    struct kfd_cwsr cwsr;
    uint32_t gpu_id;
    uint64_t event_page; /* handle */
    uint64_t *mailbox;
};
struct buffer {
    uint64_t va, size, handle;
    void *host;
};
struct ring {
    struct buffer ring, pointers, eop, ctx;
    uint32_t id, type;
    uint64_t put; /* dwords (PM4), bytes (SDMA), packets (AQL) */
    volatile uint64_t *wptr, *rptr, *doorbell;
    void *doorbell_page;
};

static inline int call_kfd(struct client *c, uint32_t word, void *arg)
{
    return port_ioctl(c->port, c->kfd, word, arg);
}

static inline int client_open_files(struct client *c, const char *spec)
{
    memset(c, 0, sizeof *c);
    c->kfd = c->render = -1;
    int err = port_soft(spec, &c->port);
    if (err)
        return err;
    struct kfd_topology t;
    if ((err = kfd_topology_read(c->port, &t)))
        return err;
    char path[64];
    c->node = t.nodes[1];
    c->node.banks = NULL;
    c->node.links = NULL;
    c->gpu_id = c->node.gpu_id;
    kfd_topology_free(&t);
    snprintf(path, sizeof path, "%s%u", KFD_RENDER_PATH, (unsigned)c->node.drm_render_minor);
    c->kfd = port_open(c->port, KFD_PATH, O_RDWR);
    c->render = port_open(c->port, path, O_RDWR);
    return c->kfd < 0 ? c->kfd : c->render < 0 ? c->render : kfd_cwsr_sizes(&c->node, &c->cwsr);
}

/* Reserve, allocate, map for the host (host != 0), map on the GPU. */
static inline int buffer_alloc(struct client *c, struct buffer *b, uint64_t size, uint32_t flags, int host)
{
    void *va;
    uint64_t bytes = (size + 4095) & ~4095ull;
    *b = (struct buffer){.size = size};
    int err =
        port_mmap(c->port, &va, NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (err)
        return err;
    struct kfd_alloc_memory_of_gpu a = {
        .va_addr = (uintptr_t)va, .size = size, .gpu_id = c->gpu_id, .flags = flags};
    if ((err = call_kfd(c, KFD_ALLOC_MEMORY_OF_GPU, &a)))
        return err;
    b->va = (uintptr_t)va;
    b->handle = a.handle;
    if (host && (err = port_mmap(c->port, &b->host, va, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                                 c->render, a.mmap_offset)))
        return err;
    struct kfd_map_memory_to_gpu m = {
        .handle = a.handle, .device_ids_array_ptr = (uintptr_t)&c->gpu_id, .n_devices = 1};
    err = call_kfd(c, KFD_MAP_MEMORY_TO_GPU, &m);
    return err ? err : m.n_success == 1 ? 0 : -EIO;
}
static inline int buffer_free(struct client *c, struct buffer *b)
{
    struct kfd_unmap_memory_from_gpu u = {
        .handle = b->handle, .device_ids_array_ptr = (uintptr_t)&c->gpu_id, .n_devices = 1};
    int err = call_kfd(c, KFD_UNMAP_MEMORY_FROM_GPU, &u);
    if (err)
        return err;
    port_munmap(c->port, (void *)b->va, (b->size + 4095) & ~4095ull);
    struct kfd_free_memory_of_gpu f = {.handle = b->handle};
    return call_kfd(c, KFD_FREE_MEMORY_OF_GPU, &f);
}
enum {
    GTT_FLAGS =
        (int)(KFD_MEM_GTT | KFD_MEM_WRITABLE | KFD_MEM_EXECUTABLE | KFD_MEM_NO_SUBSTITUTE | KFD_MEM_COHERENT),
    VRAM_FLAGS =
        (int)(KFD_MEM_VRAM | KFD_MEM_WRITABLE | KFD_MEM_EXECUTABLE | KFD_MEM_NO_SUBSTITUTE | KFD_MEM_PUBLIC),
};

/* Open, acquire the VM, event page with its first event. */
static inline int client_open(struct client *c, const char *spec)
{
    int err = client_open_files(c, spec);
    if (err)
        return err;
    struct kfd_acquire_vm v = {.drm_fd = (uint32_t)c->render, .gpu_id = c->gpu_id};
    if ((err = call_kfd(c, KFD_ACQUIRE_VM, &v)))
        return err;
    struct buffer page;
    if ((err = buffer_alloc(c, &page, KFD_EVENT_PAGE, (uint32_t)GTT_FLAGS, 1)))
        return err;
    struct kfd_create_event e = {.event_page_offset = page.handle, .event_type = KFD_EVENT_SIGNAL};
    c->event_page = page.handle;
    c->mailbox = page.host;
    return call_kfd(c, KFD_CREATE_EVENT, &e);
}
static inline void client_close(struct client *c)
{
    port_destroy(c->port);
    c->port = NULL;
}

static inline int ring_open(struct client *c, struct ring *r, uint32_t type, uint32_t bytes)
{
    memset(r, 0, sizeof *r);
    r->type = type;
    int err = buffer_alloc(c, &r->ring, bytes, (uint32_t)GTT_FLAGS, 1);
    if (!err)
        err = buffer_alloc(c, &r->pointers, 0x100, (uint32_t)GTT_FLAGS, 1);
    if (err)
        return err;
    r->wptr = (uint64_t *)((char *)r->pointers.host + 56);
    r->rptr = (uint64_t *)((char *)r->pointers.host + 128);
    struct kfd_create_queue q = {.ring_base_address = r->ring.va,
                                 .write_pointer_address = r->pointers.va + 56,
                                 .read_pointer_address = r->pointers.va + 128,
                                 .ring_size = bytes,
                                 .gpu_id = c->gpu_id,
                                 .queue_type = type,
                                 .queue_percentage = 100,
                                 .queue_priority = 7};
    if (type != KFD_QUEUE_SDMA) {
        if ((err = buffer_alloc(c, &r->eop, KFD_EOP_SIZE, (uint32_t)VRAM_FLAGS, 0)) ||
            (err = buffer_alloc(c, &r->ctx, c->cwsr.buffer_size, (uint32_t)VRAM_FLAGS, 0)))
            return err;
        q.eop_buffer_address = r->eop.va;
        q.eop_buffer_size = KFD_EOP_SIZE;
        q.ctx_save_restore_address = r->ctx.va;
        q.ctx_save_restore_size = c->cwsr.ctx_size;
        q.ctl_stack_size = c->cwsr.ctl_stack_size;
    }
    if ((err = call_kfd(c, KFD_CREATE_QUEUE, &q)))
        return err;
    r->id = q.queue_id;
    if ((err = port_mmap(c->port, &r->doorbell_page, NULL, KFD_DOORBELL_SLICE, PROT_READ | PROT_WRITE,
                         MAP_SHARED, c->kfd, q.doorbell_offset & ~0x1fffull)))
        return err;
    r->doorbell = (uint64_t *)((char *)r->doorbell_page + (q.doorbell_offset & 0x1fff));
    return 0;
}
static inline int ring_close(struct client *c, struct ring *r)
{
    struct kfd_destroy_queue d = {.queue_id = r->id};
    int err = call_kfd(c, KFD_DESTROY_QUEUE, &d);
    port_munmap(c->port, r->doorbell_page, KFD_DOORBELL_SLICE);
    buffer_free(c, &r->ring);
    buffer_free(c, &r->pointers);
    if (r->eop.handle) {
        buffer_free(c, &r->eop);
        buffer_free(c, &r->ctx);
    }
    return err;
}
/* Dwords into a PM4 or SDMA ring, wrapping at its end; not yet told to the GPU. */
static inline void ring_put(struct ring *r, const uint32_t *dw, unsigned n)
{
    uint64_t unit = r->type == KFD_QUEUE_SDMA ? 4 : 1, mask = r->ring.size / 4 - 1;
    for (unsigned i = 0; i < n; i++, r->put += unit)
        ((uint32_t *)r->ring.host)[(r->put / unit) & mask] = dw[i];
}
static inline void ring_submit(struct ring *r)
{
    __atomic_store_n(r->wptr, r->put, __ATOMIC_RELEASE);
    __atomic_store_n(r->doorbell, r->put, __ATOMIC_RELEASE);
}
static inline uint64_t test_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
/* Runs the GPU until *p (32 bits) is `value`, or two seconds have passed, or nothing moves any more (-ETIME).
 */
static inline int wait_value(struct client *c, const volatile void *p, uint32_t value)
{
    uint64_t until = test_now_ms() + 2000;
    for (unsigned quiet = 0; quiet < 2000 && test_now_ms() < until;) {
        if (__atomic_load_n((const volatile uint32_t *)p, __ATOMIC_ACQUIRE) == value)
            return 0;
        quiet = port_idle(c->port, 1000000) > 0 ? 0 : quiet + 1;
    }
    return -ETIME;
}
/* Lets the GPU run until it has nothing to do (embedded mode). */
static inline void settle(struct client *c)
{
    while (port_idle(c->port, 0) > 0)
        ;
}
/* The first line of the fault file, "" when there was none. */
static inline const char *fault_text(struct client *c)
{
    static char text[4096];
    int n = port_read_file(c->port, "/sys/kernel/debug/nxgpu/fault", text, sizeof text);
    if (n < 0)
        return "(unreadable)";
    return text;
}
#endif
