#include "core/backend.h"
#include "base/err.h"
#include <inttypes.h>
#include <string.h>

#ifdef NX_STRESS
enum { STAGING = 4096 };
#else
enum { STAGING = 1 << 20 };
#endif

int nx_alloc(nx_device *d, uint64_t size, unsigned flags, nx_buffer **out)
{
    *out = NULL;
    if (!size || size > 1ull << 47)
        return fail(-EINVAL, "buffer size %" PRIu64 ": expected 1 to 2^47", size);
    if (flags & ~(unsigned)(NX_HOST | NX_VISIBLE))
        return fail(-EINVAL, "buffer flags 0x%x: expected NX_DEVICE, NX_HOST or NX_VISIBLE", flags);
    int rc = device_check(d);
    return rc ? rc : d->ops->alloc(d, size, flags, out);
}

int nx_register(nx_device *d, void *memory, uint64_t size, nx_buffer **out)
{
    *out = NULL;
    if (!memory || !size || (uintptr_t)memory + size < (uintptr_t)memory)
        return fail(-EINVAL, "register: %" PRIu64 " bytes at %p", size, memory);
    int rc = device_check(d);
    return rc ? rc : d->ops->adopt(d, memory, size, out);
}

void nx_free(nx_buffer *b)
{
    if (b)
        b->device->ops->free(b);
}

uint64_t nx_buffer_va(const nx_buffer *b)
{
    return b->va;
}

uint64_t nx_buffer_size(const nx_buffer *b)
{
    return b->size;
}

int nx_buffer_map(nx_buffer *b, void **out)
{
    *out = b->host;
    return b->host
               ? 0
               : fail(-EACCES, "this device memory cannot be mapped by the host: use nx_read and nx_write");
}

static int check_range(const nx_buffer *b, uint64_t offset, uint64_t size)
{
    if (offset > b->size || size > b->size - offset)
        return fail(-EINVAL, "%" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64 " bytes", size,
                    offset, b->size);
    return 0;
}

/* The queue and the buffer that carry bytes to memory the host cannot map; made at first use. */
static int staging(nx_device *d)
{
    int rc = 0;
    if (!d->staging)
        rc = d->ops->alloc(d, STAGING, NX_HOST, &d->staging);
    if (!rc && !d->copy_queue)
        rc = nx_queue_create(d, &d->copy_queue);
    return rc;
}

static int staged(nx_buffer *b, uint64_t offset, uint8_t *to, const uint8_t *from, uint64_t size)
{
    nx_device *d = b->device;
    pthread_mutex_lock(&d->copy_lock);
    int rc = staging(d);
    while (!rc && size) {
        uint64_t n = size < STAGING ? size : STAGING, va = b->va + offset, stage;
        stage = d->staging->va;
        if (from)
            memcpy(d->staging->host, from, n);
        rc = d->ops->copy(d->copy_queue, from ? va : stage, from ? stage : va, n);
        if (!queue_dirty(d->copy_queue, rc))
            rc = nx_queue_wait_idle(d->copy_queue, NX_FOREVER);
        if (!rc && to)
            memcpy(to, d->staging->host, n), to += n;
        if (from)
            from += n;
        offset += n, size -= n;
    }
    pthread_mutex_unlock(&d->copy_lock);
    return rc;
}

int nx_write(nx_buffer *b, uint64_t offset, const void *src, uint64_t size)
{
    int rc = device_check(b->device);
    if (rc || (rc = check_range(b, offset, size)) || !size)
        return rc;
    if (!b->host)
        return staged(b, offset, NULL, src, size);
    memcpy((uint8_t *)b->host + offset, src, size);
    if (!(b->flags & NX_HOST))
        b->device->ops->flush_host(b->device);
    return 0;
}

int nx_read(nx_buffer *b, uint64_t offset, void *dst, uint64_t size)
{
    int rc = device_check(b->device);
    if (rc || (rc = check_range(b, offset, size)) || !size)
        return rc;
    if (!b->host)
        return staged(b, offset, dst, NULL, size);
    memcpy(dst, (uint8_t *)b->host + offset, size);
    return 0;
}

/* ---- in queue order ---- */

static int queue_word(nx_queue *q, const nx_buffer *b, uint64_t offset, uint64_t size)
{
    int rc = device_check(q->device);
    if (!rc && b->device != q->device)
        rc = fail(-EINVAL, "buffer and queue belong to different devices");
    return rc ? rc : check_range(b, offset, size);
}

int nx_copy(nx_queue *q, nx_buffer *dst, uint64_t dst_offset, nx_buffer *src, uint64_t src_offset,
            uint64_t size)
{
    int rc = queue_word(q, dst, dst_offset, size);
    if (rc || (rc = queue_word(q, src, src_offset, size)) || !size)
        return rc;
    if (dst == src && dst_offset < src_offset + size && src_offset < dst_offset + size)
        return fail(-EINVAL,
                    "copy of %" PRIu64 " bytes from offset %" PRIu64 " to %" PRIu64 " overlaps itself", size,
                    src_offset, dst_offset);
    return queue_dirty(q, q->device->ops->copy(q, dst->va + dst_offset, src->va + src_offset, size));
}

int nx_fill(nx_queue *q, nx_buffer *dst, uint64_t offset, uint32_t pattern, uint64_t size)
{
    int rc = queue_word(q, dst, offset, size);
    if (rc || !size)
        return rc;
    if ((offset | size) & 3)
        return fail(-EINVAL, "fill of %" PRIu64 " bytes at offset %" PRIu64 ": expected multiples of 4", size,
                    offset);
    return queue_dirty(q, q->device->ops->fill(q, dst->va + offset, pattern, size));
}

int nx_timestamp(nx_queue *q, nx_buffer *dst, uint64_t offset)
{
    int rc = queue_word(q, dst, offset, 8);
    if (rc)
        return rc;
    if (offset & 7)
        return fail(-EINVAL, "timestamp at offset %" PRIu64 ": expected a multiple of 8", offset);
    return queue_dirty(q, q->device->ops->timestamp(q, dst->va + offset));
}
