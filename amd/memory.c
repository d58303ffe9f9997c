#include "amd/amd.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "kernel/device.h"
#include <inttypes.h>
#include <sys/mman.h>

enum { PAGE = 4096, HUGE_PAGE = 2 << 20 };

/* Addresses are reserved as host addresses, so that they are free on both sides; NORESERVE: nothing is
 * committed. */
static int reserve(struct amd_device *d, uint64_t span, uint64_t align, void **out)
{
    uint64_t slack = align > PAGE ? align : 0;
    void *p;
    int rc = port_mmap(d->port, &p, NULL, span + slack, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (rc)
        return fail(rc, "no address range of %" PRIu64 " bytes is free", span + slack);
    uint64_t at = (uint64_t)(uintptr_t)p, want = align_up(at, align);
    if (slack && want > at)
        port_munmap(d->port, p, want - at);
    if (slack && at + slack > want)
        port_munmap(d->port, (void *)(uintptr_t)(want + span), at + slack - want);
    *out = (void *)(uintptr_t)want;
    return 0;
}

static int map_to_gpu(struct amd_device *d, uint64_t handle)
{
    struct kfd_map_memory_to_gpu m = {
        .handle = handle, .device_ids_array_ptr = (uint64_t)(uintptr_t)&d->gpu_id, .n_devices = 1};
    int rc = kfd_call(d->port, d->kfd, KFD_MAP_MEMORY_TO_GPU, &m);
    if (!rc && m.n_success != 1)
        rc = fail(-EIO, "MAP_MEMORY_TO_GPU: mapped for %u of 1 devices", m.n_success);
    return rc;
}

static void free_handle(struct amd_device *d, uint64_t handle)
{
    struct kfd_free_memory_of_gpu f = {.handle = handle};
    port_ioctl(d->port, d->kfd, KFD_FREE_MEMORY_OF_GPU, &f);
}

/* The driver's part: the object, and its mapping at va. */
static int make_object(struct amd_device *d, struct amd_buffer *b, uint32_t flags, uint64_t *mmap_offset)
{
    struct kfd_alloc_memory_of_gpu a = {.va_addr = b->base.va,
                                        .size = b->span,
                                        .mmap_offset = *mmap_offset,
                                        .gpu_id = d->gpu_id,
                                        .flags = flags};
    int rc = kfd_call(d->port, d->kfd, KFD_ALLOC_MEMORY_OF_GPU, &a);
    if (rc)
        return fail_in(rc, "%" PRIu64 " bytes of %s memory", b->span,
                       flags & KFD_MEM_VRAM ? "device" : "host");
    b->handle = a.handle;
    *mmap_offset = a.mmap_offset;
    return 0;
}

int amd_bo(struct amd_device *d, uint64_t size, uint64_t align, uint32_t flags, int host,
           struct amd_buffer **out)
{
    struct amd_buffer *b = mem_alloc(sizeof *b);
    uint64_t offset = 0;
    void *p;
    if (!b)
        return -ENOMEM;
    b->base = (nx_buffer){.device = &d->base, .size = size};
    b->span = align_up(size, PAGE);
    int rc = reserve(d, b->span, align, &b->mapping);
    if (rc)
        goto undo_alloc;
    b->base.va = (uint64_t)(uintptr_t)b->mapping;
    if (b->base.va < d->apertures.gpuvm_base || b->base.va + b->span - 1 > d->apertures.gpuvm_limit) {
        rc = fail(-ENOMEM,
                  "address 0x%" PRIx64 " is outside what the GPU reaches (0x%" PRIx64 " to 0x%" PRIx64 ")",
                  b->base.va, d->apertures.gpuvm_base, d->apertures.gpuvm_limit);
        goto undo_reserve;
    }
    if ((rc = make_object(d, b, flags, &offset)))
        goto undo_reserve;
    int fd = flags & KFD_MEM_MMIO_REMAP ? d->kfd : d->drm;
    if (host && (rc = port_mmap(d->port, &p, b->mapping, b->span, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_FIXED, fd, offset))) {
        rc = fail(rc, "mapping %" PRIu64 " bytes of GPU memory for the host fails", b->span);
        goto undo_object;
    }
    if ((rc = map_to_gpu(d, b->handle)))
        goto undo_object;
    b->base.host = host ? b->mapping : NULL;
    *out = b;
    return 0;
undo_object:
    free_handle(d, b->handle);
undo_reserve:
    port_munmap(d->port, b->mapping, b->span);
undo_alloc:
    mem_free(b);
    return rc;
}

int amd_alloc(nx_device *dev, uint64_t size, unsigned flags, nx_buffer **out)
{
    struct amd_device *d = (struct amd_device *)dev;
    struct amd_buffer *b;
    uint32_t kfd = flags & NX_HOST ? AMD_HOST_MEMORY : AMD_DEVICE_MEMORY;
    int host = flags & NX_HOST || d->large_bar;
    if (flags & NX_VISIBLE && !host)
        return fail(-ENOTSUP, "%s: the host reaches only part of the device memory (no large BAR)",
                    dev->info.selector);
    if (host)
        kfd |= KFD_MEM_PUBLIC;
    int rc = amd_bo(d, size, size >= HUGE_PAGE ? HUGE_PAGE : PAGE, kfd, host, &b);
    if (rc)
        return rc;
    b->base.flags = flags;
    if (host && !(flags & NX_HOST))
        atomic_store(&d->host_writes, 1);
    *out = &b->base;
    return 0;
}

int amd_adopt(nx_device *dev, void *memory, uint64_t size, nx_buffer **out)
{
    struct amd_device *d = (struct amd_device *)dev;
    struct amd_buffer *b = mem_alloc(sizeof *b);
    if (!b)
        return -ENOMEM;
    uint64_t first = (uint64_t)(uintptr_t)memory & ~(uint64_t)(PAGE - 1), offset = first;
    uint64_t skip = (uint64_t)(uintptr_t)memory - first;
    b->base = (nx_buffer){.device = dev, .size = size, .va = first, .flags = NX_HOST};
    b->span = align_up(skip + size, PAGE);
    int rc = make_object(d, b, (AMD_HOST_MEMORY & ~KFD_MEM_GTT) | KFD_MEM_USERPTR, &offset);
    if (rc == -EFAULT)
        rc = fail(rc, "register: memory at %p is not backed by pages (a device mapping?)", memory);
    if (rc)
        goto undo_alloc;
    if ((rc = map_to_gpu(d, b->handle)))
        goto undo_object;
    b->base.va = first + skip;
    b->base.host = memory;
    *out = &b->base;
    return 0;
undo_object:
    free_handle(d, b->handle);
undo_alloc:
    mem_free(b);
    return rc;
}

void amd_free(nx_buffer *buffer)
{
    struct amd_buffer *b = (struct amd_buffer *)buffer;
    struct amd_device *d = (struct amd_device *)buffer->device;
    struct kfd_unmap_memory_from_gpu u = {
        .handle = b->handle, .device_ids_array_ptr = (uint64_t)(uintptr_t)&d->gpu_id, .n_devices = 1};
    port_ioctl(d->port, d->kfd, KFD_UNMAP_MEMORY_FROM_GPU, &u);
    if (b->mapping)
        port_munmap(d->port, b->mapping, b->span);
    free_handle(d, b->handle);
    mem_free(b);
}

void amd_flush_host(nx_device *dev)
{
    struct amd_device *d = (struct amd_device *)dev;
    /* the writes first, then the flush: both go over the same bus, so they arrive in this order */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (d->remap)
        *(volatile uint32_t *)((char *)d->remap->base.host + KFD_HDP_MEM_FLUSH) = 1;
}
