/* Queues as the driver sees them: creation with today's checks, doorbells, faults. Rules: amdkfd
 * kfd_chardev.c, kfd_queue.c, kfd_process_queue_manager.c. The packet processors are pm4.c, sdma.c and aql.c.
 */
#include "soft/queue.h"
#include "base/bits.h"
#include "base/err.h"
#include "kernel/cwsr.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { HELD_RING, HELD_WPTR, HELD_RPTR, HELD_EOP, HELD_CTX, ENOTSUPP_KERNEL = 524 };

static bool is_sdma(uint32_t type)
{
    return type == KFD_QUEUE_SDMA || type == KFD_QUEUE_SDMA_XGMI || type == KFD_QUEUE_SDMA_BY_ENG_ID;
}

struct queue *queues_get(struct soft *s, uint32_t id)
{
    return id < MAX_QUEUES ? s->queues[id] : NULL;
}

static int hold(struct queue *q, unsigned what, uint64_t va, uint64_t size, const char *name)
{
    struct bo *b = vm_bo_at(q->gpu, va, size, name);
    if (!b)
        return fail_in(-EINVAL, "CREATE_QUEUE");
    b->queue_refs++;
    q->held[what] = b;
    return 0;
}

static void let_go(struct queue *q)
{
    for (unsigned i = 0; i < ARRAY_LEN(q->held); i++)
        if (q->held[i])
            q->held[i]->queue_refs--;
    memset(q->held, 0, sizeof q->held);
}

/* The buffers that a queue needs mapped, as kernels from about 6.12 on check them. */
static int hold_buffers(struct queue *q, const struct kfd_create_queue *a)
{
    int err = hold(q, HELD_WPTR, a->write_pointer_address, PAGE, "write pointer");
    if (!err)
        err = hold(q, HELD_RPTR, a->read_pointer_address, PAGE, "read pointer");
    if (!err)
        err = hold(q, HELD_RING, a->ring_base_address, a->ring_size, "ring");
    if (err || is_sdma(a->queue_type))
        return err;
    struct kfd_node n;
    struct kfd_cwsr want;
    sysfs_node(q->gpu->soft, q->gpu->index + 1, &n);
    if ((err = kfd_cwsr_sizes(&n, &want)))
        return err;
    if (a->eop_buffer_address) {
        if (a->eop_buffer_size != KFD_EOP_SIZE)
            return fail(-EINVAL, "CREATE_QUEUE: EOP buffer of %llu bytes, %u expected",
                        (unsigned long long)a->eop_buffer_size, KFD_EOP_SIZE);
        if ((err = hold(q, HELD_EOP, a->eop_buffer_address, KFD_EOP_SIZE, "EOP buffer")))
            return err;
    }
    if (a->ctl_stack_size != want.ctl_stack_size)
        return fail(-EINVAL, "CREATE_QUEUE: control stack of %u bytes, %u expected", a->ctl_stack_size,
                    want.ctl_stack_size);
    if (a->ctx_save_restore_size < want.ctx_size)
        return fail(-EINVAL, "CREATE_QUEUE: context save area of %u bytes, at least %u expected",
                    a->ctx_save_restore_size, want.ctx_size);
    return hold(q, HELD_CTX, a->ctx_save_restore_address, want.buffer_size, "context save area");
}

static bool in_user_range(uint64_t va)
{
    return va < 1ull << 47;
}

static int check_user(const struct kfd_create_queue *a)
{
    if ((a->queue_percentage & 0xff) > KFD_LIMIT_QUEUE_PERCENTAGE)
        return fail(-EINVAL, "CREATE_QUEUE: %u percent", a->queue_percentage & 0xff);
    if (a->queue_priority > KFD_LIMIT_QUEUE_PRIORITY)
        return fail(-EINVAL, "CREATE_QUEUE: priority %u, at most %u expected", a->queue_priority,
                    KFD_LIMIT_QUEUE_PRIORITY);
    if (!in_user_range(a->ring_base_address) || !in_user_range(a->write_pointer_address) ||
        !in_user_range(a->read_pointer_address) || !in_user_range(a->eop_buffer_address) ||
        !in_user_range(a->ctx_save_restore_address))
        return fail(-EFAULT, "CREATE_QUEUE: an address is not a user address");
    if (a->ring_size && !is_pow2(a->ring_size))
        return fail(-EINVAL, "CREATE_QUEUE: ring of %u bytes is not a power of two", a->ring_size);
    if (a->queue_type > KFD_QUEUE_SDMA_BY_ENG_ID)
        return fail(-ENOTSUPP_KERNEL, "CREATE_QUEUE: queue type %u", a->queue_type);
    return 0;
}

static int take_bit(uint64_t *set, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        if (set[i / 64] >> i % 64 & 1)
            continue;
        set[i / 64] |= 1ull << i % 64;
        return (int)i;
    }
    return -1;
}

/* SDMA engines share a pool of queues; a doorbell is one of the process's 1024. */
static int take_numbers(struct queue *q, const struct kfd_create_queue *a)
{
    struct gpu *g = q->gpu;
    unsigned engines = g->chip->sdma_engines, per_engine = g->chip->sdma_queues;
    int n = -1;
    q->sdma = q->doorbell = ~0u;
    if (a->queue_type == KFD_QUEUE_SDMA_XGMI)
        return fail(-ENOMEM, "CREATE_QUEUE: GPU %u has no XGMI SDMA engine", g->id);
    if (a->queue_type == KFD_QUEUE_SDMA_BY_ENG_ID) {
        if (a->sdma_engine_id >= engines)
            return fail(-EINVAL, "CREATE_QUEUE: SDMA engine %u of %u", a->sdma_engine_id, engines);
        for (unsigned i = 0; i < per_engine && n < 0; i++)
            n = take_bit(g->sdma_used, i * engines + a->sdma_engine_id, i * engines + a->sdma_engine_id + 1);
    } else if (is_sdma(a->queue_type)) {
        n = take_bit(g->sdma_used, 0, engines * per_engine);
    }
    if (is_sdma(a->queue_type)) {
        if (n < 0)
            return fail(-ENOMEM, "CREATE_QUEUE: all %u SDMA queues of GPU %u are in use",
                        engines * per_engine, g->id);
        q->sdma = (uint32_t)n;
    }
    n = take_bit(g->doorbell_used, 0, KFD_DOORBELL_SLICE / KFD_DOORBELL_SIZE);
    if (n < 0)
        return fail(-ENOMEM, "CREATE_QUEUE: no doorbell left on GPU %u", g->id);
    q->doorbell = (uint32_t)n;
    return 0;
}

static void queue_free(struct queue *q)
{
    struct gpu *g = q->gpu;
    if (q->state)
        q->processor->stop(q);
    if (q->sdma != ~0u)
        g->sdma_used[q->sdma / 64] &= ~(1ull << q->sdma % 64);
    if (q->doorbell != ~0u)
        g->doorbell_used[q->doorbell / 64] &= ~(1ull << q->doorbell % 64);
    let_go(q);
    free(q);
}

static uint64_t *doorbell(const struct queue *q)
{
    return (uint64_t *)(q->gpu->doorbells + q->doorbell * KFD_DOORBELL_SIZE);
}

int queues_create(struct soft *s, struct kfd_create_queue *a)
{
    int err = check_user(a);
    if (err)
        return err;
    if (a->ring_size < KFD_LIMIT_RING_SIZE_MIN)
        a->ring_size = KFD_LIMIT_RING_SIZE_MIN;
    struct gpu *g = soft_gpu(s, a->gpu_id);
    if (!g)
        return fail(-EINVAL, "CREATE_QUEUE: gpu_id %u does not exist", a->gpu_id);
    if (!g->vm_file)
        return fail(-ENODEV, "CREATE_QUEUE: GPU %u has no address space yet: ACQUIRE_VM first", g->id);
    uint32_t id = 0;
    while (id < MAX_QUEUES && s->queues[id])
        id++;
    struct queue *q = id < MAX_QUEUES ? calloc(1, sizeof *q) : NULL;
    if (!q)
        return fail(-ENOMEM, "CREATE_QUEUE: %u queues exist", s->nqueues);
    *q = (struct queue){.gpu = g,
                        .id = id,
                        .type = a->queue_type,
                        .percentage = a->queue_percentage & 0xff,
                        .priority = a->queue_priority,
                        .ring = a->ring_base_address,
                        .ring_bytes = a->ring_size,
                        .rptr_va = a->read_pointer_address,
                        .wptr_va = a->write_pointer_address,
                        .sdma = ~0u,
                        .doorbell = ~0u,
                        .processor = is_sdma(a->queue_type)                   ? &sdma_processor
                                     : a->queue_type == KFD_QUEUE_COMPUTE_AQL ? &aql_processor
                                                                              : &pm4_processor};
    q->active = q->percentage && q->ring;
    if ((err = hold_buffers(q, a)) || (err = take_numbers(q, a)) || (err = q->processor->start(q))) {
        queue_free(q);
        return err;
    }
    /* A recycled doorbell still holds its last owner's value: set one that cannot be mistaken for a ring.
     * Mapping a queue loads its write pointer from memory. */
    uint64_t wptr = 0;
    const uint8_t *p = mem_at(g->map, q->wptr_va, 8, MEM_READ);
    if (p)
        wptr = __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
    q->last_doorbell = ~0ull;
    __atomic_store_n(doorbell(q), ~0ull, __ATOMIC_RELEASE);
    q->wptr = wptr;
    q->kicked = wptr != 0;
    s->queues[id] = q;
    s->nqueues++;
    a->queue_id = id;
    a->doorbell_offset = kfd_doorbell_page(g) | q->doorbell * KFD_DOORBELL_SIZE;
    soft_visible(s);
    return 0;
}

int queues_destroy(struct soft *s, uint32_t id)
{
    struct queue *q = queues_get(s, id);
    if (!q)
        return fail(-EINVAL, "queue %u does not exist", id);
    struct gpu *g = q->gpu;
    s->queues[id] = NULL;
    s->nqueues--;
    queue_free(q);
    for (unsigned i = 0; i < MAX_QUEUES; i++)
        if (s->queues[i] && s->queues[i]->gpu == g)
            return 0;
    g->evicted = false; /* Linux would keep the process off the GPU for good; a new start is allowed here */
    return 0;
}

int queues_update(struct soft *s, const struct kfd_update_queue *a)
{
    if ((a->queue_percentage & 0xff) > KFD_LIMIT_QUEUE_PERCENTAGE ||
        a->queue_priority > KFD_LIMIT_QUEUE_PRIORITY || (a->ring_size && !is_pow2(a->ring_size)))
        return fail(-EINVAL, "UPDATE_QUEUE: %u percent, priority %u, ring of %u bytes",
                    a->queue_percentage & 0xff, a->queue_priority, a->ring_size);
    if (!in_user_range(a->ring_base_address))
        return fail(-EFAULT, "UPDATE_QUEUE: the ring is not at a user address");
    struct queue *q = queues_get(s, a->queue_id);
    if (!q)
        return fail(-EFAULT, "queue %u does not exist", a->queue_id);
    uint64_t size = a->ring_size < KFD_LIMIT_RING_SIZE_MIN ? KFD_LIMIT_RING_SIZE_MIN : a->ring_size;
    if (a->ring_base_address && a->ring_size && (a->ring_base_address != q->ring || size != q->ring_bytes)) {
        struct bo *b = vm_bo_at(q->gpu, a->ring_base_address, size, "ring");
        if (!b)
            return fail_in(-EFAULT, "UPDATE_QUEUE");
        b->queue_refs++;
        if (q->held[HELD_RING])
            q->held[HELD_RING]->queue_refs--;
        q->held[HELD_RING] = b;
        q->ring = a->ring_base_address;
        q->ring_bytes = size;
    }
    q->percentage = a->queue_percentage & 0xff;
    q->priority = a->queue_priority;
    q->active = q->percentage && a->ring_base_address && a->ring_size; /* a NULL ring disables */
    return 0;
}

void queues_free(struct soft *s)
{
    for (unsigned i = 0; i < MAX_QUEUES; i++) {
        if (s->queues[i])
            queue_free(s->queues[i]);
        s->queues[i] = NULL;
    }
    s->nqueues = 0;
}

void queue_poll(struct queue *q)
{
    uint64_t v = __atomic_load_n(doorbell(q), __ATOMIC_ACQUIRE);
    bool rung = v != q->last_doorbell;
    q->last_doorbell = v;
    if (q->processor != &aql_processor) {
        if (rung)
            q->wptr = v;
        return;
    }
    /* An AQL doorbell only says that something changed: the write index in memory says how far. */
    q->kicked |= rung;
    const uint8_t *p = q->kicked ? mem_at(q->gpu->map, q->wptr_va, 8, MEM_READ) : NULL;
    if (p)
        q->wptr = __atomic_load_n((const uint64_t *)p, __ATOMIC_ACQUIRE);
}

int queue_publish_rptr(struct queue *q)
{
    return queue_store(q, "read pointer", q->rptr_va, 8, q->rptr);
}

const uint8_t *queue_ring(struct queue *q, uint64_t at, uint64_t bytes)
{
    return mem_at(q->gpu->map, q->ring + (at & (q->ring_bytes - 1)), bytes, MEM_READ);
}
