/* Buffer objects and the GPU's address space. Rules: amdkfd kfd_chardev.c and amdgpu_amdkfd_gpuvm.c. Memory
 * comes from one sparse file a GPU, so that a client's mapping, ours and another process's are all the same
 * pages; our own mapping of an object is made apart from the client's, which may be absent, protected or
 * short-lived. */
#define _GNU_SOURCE
#include "base/bits.h"
#include "base/err.h"
#include "soft/gpu.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DOMAINS = KFD_MEM_VRAM | KFD_MEM_GTT | KFD_MEM_USERPTR | KFD_MEM_DOORBELL | KFD_MEM_MMIO_REMAP };
#define VA_LIMIT (1ull << 47)

int vm_acquire(struct gpu *g, const struct file *f)
{
    if (!f || f->kind != FILE_RENDER || f->gpu != g)
        return fail(-EINVAL, "ACQUIRE_VM of GPU %u: the descriptor is not its render node", g->id);
    if (g->vm_file)
        return g->vm_file == f
                   ? 0
                   : fail(-EBUSY, "ACQUIRE_VM of GPU %u: another render node file owns it", g->id);
    g->map = mem_map_new();
    g->cache = g->map ? eng_cache_new(g->map) : NULL;
    void *p = mmap(NULL, KFD_DOORBELL_SLICE, PROT_READ | PROT_WRITE, MAP_SHARED, g->soft->kfd_memfd,
                   (off_t)kfd_doorbell_page(g));
    if (!g->cache || p == MAP_FAILED) {
        if (p != MAP_FAILED)
            munmap(p, KFD_DOORBELL_SLICE);
        eng_cache_free(g->cache);
        mem_map_free(g->map);
        g->map = NULL;
        g->cache = NULL;
        return fail(-ENOMEM, "no memory for GPU %u's address space", g->id);
    }
    g->doorbells = p;
    g->vm_file = f;
    return 0;
}

static void bo_free(struct gpu *g, uint32_t index)
{
    struct bo *b = g->bos[index];
    if (b->host && !(b->flags & KFD_MEM_USERPTR))
        munmap(b->host, b->size);
    if (b->flags & (KFD_MEM_VRAM | KFD_MEM_GTT)) {
        fallocate(g->memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)b->offset, (off_t)b->size);
        *(b->flags & KFD_MEM_VRAM ? &g->vram_used : &g->gtt_used) -= b->size;
    }
    free(b);
    g->bos[index] = NULL;
}

void vm_release(struct gpu *g)
{
    for (uint32_t i = 1; i < g->nbos; i++)
        if (g->bos[i])
            bo_free(g, i);
    free(g->bos);
    if (g->doorbells)
        munmap(g->doorbells, KFD_DOORBELL_SLICE);
    eng_cache_free(g->cache);
    mem_map_free(g->map);
    g->bos = NULL;
    g->nbos = 0;
    g->doorbells = NULL;
    g->cache = NULL;
    g->map = NULL;
    g->vm_file = NULL;
    g->evicted = false;
}

uint64_t vm_available(const struct gpu *g)
{
    return (g->chip->vram - g->vram_used) & ~((2ull << 20) - 1);
}

static uint64_t gtt_limit(void)
{
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Where an object's pages are; checks what depends on the domain. */
static int place(struct gpu *g, const struct kfd_alloc_memory_of_gpu *a, struct bo *b)
{
    switch (a->flags & DOMAINS) {
    case KFD_MEM_DOORBELL:
        if (a->size != KFD_DOORBELL_SLICE)
            return fail(-EINVAL, "doorbell object of %llu bytes, %u expected", (unsigned long long)a->size,
                        KFD_DOORBELL_SLICE);
        b->offset = kfd_doorbell_page(g);
        return 0;
    case KFD_MEM_MMIO_REMAP:
        if (a->size != PAGE)
            return fail(-EINVAL, "register object of %llu bytes, 4096 expected", (unsigned long long)a->size);
        b->offset = kfd_mmio_page(g);
        return 0;
    case KFD_MEM_USERPTR:
        if (!a->mmap_offset || a->mmap_offset % PAGE)
            return fail(-EINVAL, "user memory at 0x%llx: a page address expected",
                        (unsigned long long)a->mmap_offset);
        if (msync((void *)a->mmap_offset, b->size, MS_ASYNC))
            return fail(-EFAULT, "user memory 0x%llx + %llu is not mapped",
                        (unsigned long long)a->mmap_offset, (unsigned long long)a->size);
        b->offset = a->mmap_offset;
        return 0;
    case KFD_MEM_VRAM:
        if (b->size > g->chip->vram - g->vram_used)
            return fail(-ENOMEM, "%llu bytes of VRAM wanted, %llu of %llu are free",
                        (unsigned long long)b->size, (unsigned long long)(g->chip->vram - g->vram_used),
                        (unsigned long long)g->chip->vram);
        break;
    case KFD_MEM_GTT:
        if (b->size > gtt_limit() || g->gtt_used > gtt_limit() - b->size)
            return fail(-ENOMEM, "%llu bytes of GTT wanted, %llu are in use", (unsigned long long)b->size,
                        (unsigned long long)g->gtt_used);
        break;
    default:
        return fail(-EINVAL, "memory flags 0x%x name no single domain", a->flags);
    }
    if (g->next_offset + b->size > 1ull << 46)
        return fail(-ENOMEM, "the memory file of GPU %u is used up", g->id);
    b->offset = g->next_offset;
    g->next_offset += align_up(b->size, 2 << 20);
    *(a->flags & KFD_MEM_VRAM ? &g->vram_used : &g->gtt_used) += b->size;
    return 0;
}

int vm_alloc(struct gpu *g, struct kfd_alloc_memory_of_gpu *a)
{
    if (!a->size || a->size > 1ull << 45)
        return fail(a->size ? -ENOMEM : -EINVAL, "buffer of %llu bytes", (unsigned long long)a->size);
    if (!g->vm_file)
        return fail(-ENODEV, "GPU %u has no address space yet: ACQUIRE_VM first", g->id);
    uint32_t i = 1;
    while (i < g->nbos && g->bos[i])
        i++;
    if (i >= g->nbos) {
        uint32_t n = g->nbos ? g->nbos * 2 : 64;
        struct bo **p = realloc(g->bos, n * sizeof *p);
        if (!p)
            return fail(-ENOMEM, "no memory for %u buffers", n);
        for (uint32_t k = g->nbos; k < n; k++)
            p[k] = NULL;
        g->bos = p;
        g->nbos = n;
    }
    struct bo *b = calloc(1, sizeof *b);
    if (!b)
        return fail(-ENOMEM, "no memory for a buffer");
    *b = (struct bo){.gpu = g->index, .flags = a->flags, .va = a->va_addr, .size = align_up(a->size, PAGE)};
    int err = place(g, a, b);
    if (err) {
        free(b);
        return err;
    }
    g->bos[i] = b;
    a->handle = kfd_handle(g->id, i);
    a->mmap_offset = b->offset;
    return 0;
}

struct bo *vm_bo(struct soft *s, uint64_t handle)
{
    struct gpu *g = soft_gpu(s, kfd_handle_gpu(handle));
    uint32_t i = lo32(handle);
    return g && i && i < g->nbos ? g->bos[i] : NULL;
}

int vm_free(struct soft *s, uint64_t handle)
{
    struct bo *b = vm_bo(s, handle);
    if (!b)
        return fail(-EINVAL, "handle 0x%llx is no buffer", (unsigned long long)handle);
    if (events_hold(s, b))
        return fail(-EPERM, "handle 0x%llx is the event page", (unsigned long long)handle);
    if (b->mapped)
        return fail(-EBUSY, "handle 0x%llx is still mapped on a GPU", (unsigned long long)handle);
    bo_free(&s->gpu[b->gpu], lo32(handle));
    return 0;
}

uint8_t *vm_host(struct soft *s, struct bo *b)
{
    if (b->host)
        return b->host;
    if (b->flags & KFD_MEM_USERPTR)
        return b->host = (uint8_t *)b->offset;
    int fd = b->flags & (KFD_MEM_VRAM | KFD_MEM_GTT) ? s->gpu[b->gpu].memfd : s->kfd_memfd;
    void *p = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)b->offset);
    if (p == MAP_FAILED)
        return NULL;
    return b->host = p;
}

int vm_map(struct gpu *g, struct bo *b)
{
    if (!g->vm_file)
        return fail(-ENODEV, "GPU %u has no address space yet: ACQUIRE_VM first", g->id);
    if (b->mapped >> g->index & 1)
        return 0;
    if (b->va % PAGE || b->va < PAGE || b->size > VA_LIMIT || b->va > VA_LIMIT - b->size)
        return fail(-EINVAL, "buffer at 0x%llx + 0x%llx: page addresses below 2^47 expected",
                    (unsigned long long)b->va, (unsigned long long)b->size);
    struct mem_range r = {
        .va = b->va,
        .size = b->size,
        .host = vm_host(g->soft, b),
        .prot = MEM_READ | (b->flags & KFD_MEM_EXECUTABLE ? MEM_EXEC : 0u) |
                (b->flags & (KFD_MEM_WRITABLE | KFD_MEM_DOORBELL | KFD_MEM_MMIO_REMAP) ? MEM_WRITE : 0u)};
    if (!r.host)
        return fail(-ENOMEM, "no address space to map a buffer of %llu bytes", (unsigned long long)b->size);
    int err = mem_map_add(g->map, &r);
    if (err)
        return err == -EEXIST ? fail_in(-EINVAL, "map on GPU %u", g->id) : err;
    b->mapped |= 1u << g->index;
    return 0;
}

int vm_unmap(struct gpu *g, struct bo *b)
{
    if (!(b->mapped >> g->index & 1))
        return fail(-EINVAL, "buffer at 0x%llx is not mapped on GPU %u", (unsigned long long)b->va, g->id);
    if (b->queue_refs)
        return fail(-EBUSY, "buffer at 0x%llx belongs to a queue", (unsigned long long)b->va);
    mem_map_remove(g->map, b->va);
    if (b->flags & KFD_MEM_EXECUTABLE) /* other code may come to these addresses */
        eng_cache_invalidate(g->cache);
    b->mapped &= ~(1u << g->index);
    return 0;
}

struct bo *vm_bo_at(struct gpu *g, uint64_t va, uint64_t size, const char *what)
{
    uint64_t page = va & ~(uint64_t)(PAGE - 1);
    for (unsigned k = 0; k < g->soft->ngpus; k++) {
        const struct gpu *owner = &g->soft->gpu[k];
        for (uint32_t i = 1; i < owner->nbos; i++) {
            struct bo *b = owner->bos[i];
            if (!b || !(b->mapped >> g->index & 1) || page < b->va || page - b->va >= b->size)
                continue;
            if (page == b->va && (!size || b->size == size))
                return b;
            fail(-EINVAL, "%s at 0x%llx: needs a mapping of its own of %llu bytes, it lies in 0x%llx + %llu",
                 what, (unsigned long long)va, (unsigned long long)size, (unsigned long long)b->va,
                 (unsigned long long)b->size);
            return NULL;
        }
    }
    fail(-EINVAL, "%s at 0x%llx is not mapped on GPU %u", what, (unsigned long long)va, g->id);
    return NULL;
}
