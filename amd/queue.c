#include "amd/amd.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "hw/amd/aql.h"
#include "hw/amd/pm4.h"
#include "hw/amd/shim.h"
#include "kernel/device.h"
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

enum {
    LINE = 64,
    PRIORITY = 7,
    PERCENT = 100,
    WAVES_MAX = 4095 /* a 12-bit field, of each engine from gfx11 on */
};

/* ---- create and free ---- */

static int make_buffers(struct amd_device *d, struct amd_queue *q)
{
    int rc;
    uint32_t host = AMD_HOST_MEMORY, dev = AMD_DEVICE_MEMORY;
    if ((rc = amd_bo(d, RING_BYTES, 4096, host, 1, &q->ring)) ||
        (rc = amd_bo(d, 4096, 4096, host, 1, &q->control)) ||
        (rc = amd_bo(d, KERNARG_BYTES, 4096, host, 1, &q->kernarg)) ||
        (rc = amd_bo(d, d->cwsr.buffer_size, 4096, dev, 0, &q->cwsr)))
        return rc;
    return amd_bo(d, KFD_EOP_SIZE, 4096, dev, 0, &q->eop);
}

/* The control page is laid out as the queue object that kernels may ask for (queue pointer): counters,
 * apertures. */
static void lay_out_control(struct amd_device *d, struct amd_queue *q)
{
    char *c = q->control->base.host;
    memset(c, 0, AMD_QUEUE_BYTES);
    store64(c + AMD_QUEUE_BASE, q->ring->base.va);
    store32(c + AMD_QUEUE_GROUP_APERTURE_HI, hi32(d->apertures.lds_base));
    store32(c + AMD_QUEUE_PRIVATE_APERTURE_HI, hi32(d->apertures.scratch_base));
    store32(c + AMD_QUEUE_READ_ID_FIELD_OFFSET, AMD_QUEUE_READ_DISPATCH_ID);
    q->wptr = (uint64_t *)(c + AMD_QUEUE_WRITE_DISPATCH_ID);
    q->rptr = (uint64_t *)(c + AMD_QUEUE_READ_DISPATCH_ID);
}

static void destroy_queue(struct amd_device *d, struct amd_queue *q)
{
    struct kfd_destroy_queue k = {.queue_id = q->id};
    port_ioctl(d->port, d->kfd, KFD_DESTROY_QUEUE, &k);
}

/* The returned offset names the process's doorbell slice and, below its size, the place of this queue in it.
 */
static int map_doorbell(struct amd_device *d, struct amd_queue *q, uint64_t offset)
{
    uint64_t in_slice = offset & (KFD_DOORBELL_SLICE - 1);
    int rc = port_mmap(d->port, &q->doorbells, NULL, KFD_DOORBELL_SLICE, PROT_READ | PROT_WRITE, MAP_SHARED,
                       d->kfd, offset - in_slice);
    if (rc)
        return fail(rc, "mapping the doorbells at 0x%" PRIx64 " fails", offset - in_slice);
    q->doorbell = (uint64_t *)((char *)q->doorbells + in_slice);
    return 0;
}

static int create_queue(struct amd_device *d, struct amd_queue *q)
{
    struct kfd_create_queue k = {
        .ring_base_address = q->ring->base.va,
        .write_pointer_address = q->control->base.va + AMD_QUEUE_WRITE_DISPATCH_ID,
        .read_pointer_address = q->control->base.va + AMD_QUEUE_READ_DISPATCH_ID,
        .ring_size = RING_BYTES,
        .gpu_id = d->gpu_id,
        .queue_type = KFD_QUEUE_COMPUTE,
        .queue_percentage = PERCENT,
        .queue_priority = PRIORITY,
        .eop_buffer_address = q->eop->base.va,
        .eop_buffer_size = KFD_EOP_SIZE,
        .ctx_save_restore_address = q->cwsr->base.va,
        .ctx_save_restore_size = d->cwsr.ctx_size,
        .ctl_stack_size = d->cwsr.ctl_stack_size,
    };
    int rc = kfd_call(d->port, d->kfd, KFD_CREATE_QUEUE, &k);
    if (rc)
        return rc;
    q->id = k.queue_id;
    if ((rc = map_doorbell(d, q, k.doorbell_offset)))
        destroy_queue(d, q);
    return rc;
}

static void free_buffers(struct amd_queue *q)
{
    struct amd_buffer *all[] = {q->scratch, q->eop, q->cwsr, q->kernarg, q->control, q->ring};
    for (unsigned i = 0; i < ARRAY_LEN(all); i++)
        if (all[i])
            amd_free(&all[i]->base);
    mem_free(q);
}

int amd_queue_create(nx_device *dev, nx_queue **out)
{
    struct amd_device *d = (struct amd_device *)dev;
    struct amd_queue *q = mem_alloc(sizeof *q);
    if (!q)
        return -ENOMEM;
    q->base.device = dev;
    q->fresh = 1;
    int rc = make_buffers(d, q);
    if (!rc) {
        lay_out_control(d, q);
        rc = create_queue(d, q);
    }
    if (rc) {
        free_buffers(q);
        return fail_in(rc, "queue");
    }
    *out = &q->base;
    return 0;
}

void amd_queue_free(nx_queue *queue)
{
    struct amd_queue *q = (struct amd_queue *)queue;
    struct amd_device *d = (struct amd_device *)queue->device;
    destroy_queue(d, q); /* first: a running kernel is stopped before its memory goes */
    port_munmap(d->port, q->doorbells, KFD_DOORBELL_SLICE);
    free_buffers(q);
}

/* ---- the ring ---- */

/* Dwords that can be written without touching what the device has yet to read. Counted modulo the ring,
 * because a device may report its position so; one dword stays free, so that full and empty differ. */
static unsigned ring_room(const struct amd_queue *q)
{
    uint32_t rptr = (uint32_t)__atomic_load_n(q->rptr, __ATOMIC_ACQUIRE);
    return RING_DWORDS - 1 - (((uint32_t)q->put - rptr) & (RING_DWORDS - 1));
}

struct room {
    const struct amd_queue *q;
    unsigned n;
};

static int has_room(const void *arg)
{
    const struct room *r = arg;
    return ring_room(r->q) >= r->n;
}

int ring_put(struct amd_queue *q, const uint32_t *dw, unsigned n, unsigned keep)
{
    struct room room = {q, n + keep};
    if (!has_room(&room)) {
        int rc = amd_submit(&q->base);
        if (!rc)
            rc = amd_wait((struct amd_device *)q->base.device, has_room, &room, NX_FOREVER);
        if (rc)
            return rc;
    }
    q->put = pm4_ring_put(q->ring->base.host, RING_DWORDS, q->put, dw, n);
    return 0;
}

int amd_submit(nx_queue *queue)
{
    struct amd_queue *q = (struct amd_queue *)queue;
    struct amd_device *d = (struct amd_device *)queue->device;
    if (q->put == q->published)
        return 0;
    if (atomic_load(&d->host_writes))
        amd_flush_host(&d->base);
    kfd_doorbell_ring(q->wptr, q->doorbell, q->put);
    q->published = q->put;
    q->fresh = 1;
    return 0;
}

void amd_describe_queue(nx_queue *queue, char *text, size_t size)
{
    const struct amd_queue *q = (const struct amd_queue *)queue;
    uint64_t rptr = __atomic_load_n(q->rptr, __ATOMIC_ACQUIRE);
    uint32_t header = ((const uint32_t *)q->ring->base.host)[rptr & (RING_DWORDS - 1)];
    const char *op = q->published == rptr    ? "nothing, all packets are read"
                     : pm4_type(header) == 3 ? pm4_op_name(pm4_opcode(header))
                                             : NULL;
    snprintf(text, size,
             "the device has read %" PRIu64 " of %" PRIu64 " dwords, next is %s; timeline at %" PRIu64
             " of %" PRIu64,
             rptr, q->published, op ? op : "an unknown packet", nx_signal_value(queue->done),
             queue->done_value);
}

/* ---- kernel arguments: a ring of bytes, freed when the timeline passes a mark ---- */

static int oldest_mark(struct amd_queue *q, uint64_t timeout_ns)
{
    struct amd_device *d = (struct amd_device *)q->base.device;
    int rc = amd_wait_value(&d->base, q->base.done->value, q->marks[q->mark_first].done, timeout_ns);
    if (rc)
        return rc;
    q->kernarg_free = q->marks[q->mark_first].put;
    q->mark_first = (q->mark_first + 1) % MARKS;
    q->mark_count--;
    return 0;
}

static int add_mark(struct amd_queue *q)
{
    uint64_t done;
    int rc = queue_mark(&q->base, 0, &done);
    if (rc)
        return rc;
    unsigned last = (q->mark_first + q->mark_count++) % MARKS;
    q->marks[last].done = done;
    q->marks[last].put = q->kernarg_put;
    return 0;
}

int kernarg_take(struct amd_queue *q, uint32_t bytes, uint64_t *va, void **host)
{
    uint64_t size = align_up(bytes, LINE), at;
    int rc;
    if (size > KERNARG_BYTES / 2)
        return fail(-EINVAL, "%u bytes of kernel arguments, at most %d", bytes, KERNARG_BYTES / 2);
    /* a block does not wrap: skip the end of the ring when it is too short */
    at = q->kernarg_put % KERNARG_BYTES;
    uint64_t skip = at + size > KERNARG_BYTES ? KERNARG_BYTES - at : 0;
    while (q->kernarg_put + skip + size - q->kernarg_free > KERNARG_BYTES) {
        if (!q->mark_count && ((rc = add_mark(q)) || (rc = amd_submit(&q->base))))
            return rc;
        if ((rc = oldest_mark(q, NX_FOREVER)))
            return rc;
    }
    /* a mark each quarter, so that a full ring waits for a part of it only */
    enum { QUARTER = KERNARG_BYTES / 4 };
    if (q->mark_count < MARKS && q->kernarg_put / QUARTER != (q->kernarg_put + skip + size) / QUARTER &&
        q->kernarg_put) {
        if ((rc = add_mark(q)) || (rc = amd_submit(&q->base)))
            return rc;
    }
    q->kernarg_put += skip;
    at = q->kernarg_put % KERNARG_BYTES;
    q->kernarg_put += size;
    *va = q->kernarg->base.va + at;
    *host = (char *)q->kernarg->base.host + at;
    return 0;
}

/* ---- scratch ---- */

static uint64_t slots(const struct amd_device *d)
{
    uint64_t cu = d->base.info.compute_units, per_cu = d->node.max_slots_scratch_cu;
    return cu * (per_cu ? per_cu : 32);
}

int scratch_reserve(struct amd_queue *q, uint64_t wave_bytes)
{
    struct amd_device *d = (struct amd_device *)q->base.device;
    uint64_t engines = d->base.info.shader_engines ? d->base.info.shader_engines : 1, value;
    if (q->scratch && wave_bytes <= q->scratch_wave_bytes)
        return 0;
    if (q->scratch) { /* nothing may still run in the old one */
        int rc;
        if ((rc = queue_mark(&q->base, 0, &value)) || (rc = amd_submit(&q->base)) ||
            (rc = amd_wait_value(&d->base, q->base.done->value, value, NX_FOREVER)))
            return rc;
        amd_free(&q->scratch->base);
        q->scratch = NULL;
    }
    /* fewer waves at once when memory is short, down to one in each shader engine */
    int rc = -ENOMEM;
    uint64_t most = WAVES_MAX / (d->gen >= AMD_GEN_11 ? 1 : engines), waves = slots(d) / engines;
    for (waves = waves < most ? waves : most; waves && rc == -ENOMEM; waves /= 2) {
        rc = amd_bo(d, waves * engines * wave_bytes, 4096, AMD_DEVICE_MEMORY, 0, &q->scratch);
        q->scratch_waves = waves * engines;
    }
    if (rc)
        return fail_in(rc, "private memory, %" PRIu64 " bytes a wave", wave_bytes);
    q->scratch_wave_bytes = wave_bytes;
    return 0;
}
