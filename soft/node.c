/* The port's functions: device files, descriptors, mappings, and who runs the command processors when. */
#define _GNU_SOURCE
#include "base/bits.h"
#include "base/err.h"
#include "kernel/topology.h"
#include "soft/queue.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Descriptors start here so that they are not mistaken for this process's own. */
enum { FD_BASE = 0x4000, FIRST_MINOR = 128 };

uint64_t soft_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void soft_lock(struct soft *s)
{
    __atomic_fetch_add(&s->wanters, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&s->lock);
    __atomic_fetch_sub(&s->wanters, 1, __ATOMIC_RELAXED);
}

void soft_unlock(struct soft *s)
{
    pthread_mutex_unlock(&s->lock);
}

void soft_breathe(struct soft *s)
{
    if (!__atomic_load_n(&s->wanters, __ATOMIC_RELAXED))
        return;
    /* The mutex is not fair: stay away until one of them has had it. */
    pthread_mutex_unlock(&s->lock);
    sched_yield();
    for (int i = 0; i < 50 && __atomic_load_n(&s->wanters, __ATOMIC_RELAXED); i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    pthread_mutex_lock(&s->lock);
}

void soft_visible(struct soft *s)
{
    s->visible++;
    pthread_cond_broadcast(&s->changed);
}

static struct timespec after(uint64_t ns)
{
    uint64_t t = soft_now() + (ns > 3600000000000ull ? 3600000000000ull : ns);
    return (struct timespec){.tv_sec = (time_t)(t / 1000000000u), .tv_nsec = (long)(t % 1000000000u)};
}

void soft_sleep(struct soft *s, uint64_t ns)
{
    struct timespec t = after(ns);
    pthread_cond_timedwait(&s->changed, &s->lock, &t);
}

int soft_serve(struct soft *s)
{
    int did = STEP_NOTHING;
    for (unsigned i = 0, seen = 0; i < MAX_QUEUES && seen < s->nqueues; i++) {
        struct queue *q = s->queues[i];
        if (!q)
            continue;
        seen++;
        if (!q->active || q->faulted || q->gpu->evicted)
            continue;
        queue_poll(q);
        int r = q->processor->step(q);
        if (r < 0 || r & STEP_PROGRESS)
            did |= STEP_PROGRESS;
        /* a queue may be gone after this */
        soft_breathe(s);
    }
    return did;
}

struct gpu *soft_gpu(struct soft *s, uint32_t gpu_id)
{
    for (unsigned i = 0; i < s->ngpus; i++)
        if (s->gpu[i].id == gpu_id)
            return &s->gpu[i];
    return NULL;
}

struct file *soft_file(struct soft *s, int fd)
{
    return fd >= FD_BASE && fd < FD_BASE + (int)ARRAY_LEN(s->files) ? s->files[fd - FD_BASE] : NULL;
}

struct user_copy {
    volatile uint8_t *dst;
    const volatile uint8_t *src;
    size_t n;
};
/* Byte by byte: the address may be anything, and no checker may look at it before the access itself does. */
__attribute__((no_sanitize("address", "undefined"))) static int user_copy(void *arg)
{
    struct user_copy *c = arg;
    for (size_t i = 0; i < c->n; i++)
        c->dst[i] = c->src[i];
    return 0;
}
int user_read(void *dst, const void *user, size_t n)
{
    uintptr_t bad;
    struct user_copy c = {dst, user, n};
    return n && (!user || guard_run(user_copy, &c, &bad))
               ? fail(-EFAULT, "user memory at %p is not readable", user)
               : 0;
}
int user_write(void *user, const void *src, size_t n)
{
    uintptr_t bad;
    struct user_copy c = {user, src, n};
    return n && (!user || guard_run(user_copy, &c, &bad))
               ? fail(-EFAULT, "user memory at %p is not writable", user)
               : 0;
}

static int node_open(void *ctx, const char *path, int flags)
{
    struct soft *s = ctx;
    struct file f = {.flags = flags};
    if (!strcmp(path, KFD_PATH)) {
        f.kind = FILE_KFD;
    } else if (!strncmp(path, KFD_RENDER_PATH, strlen(KFD_RENDER_PATH))) {
        char *end;
        unsigned long minor = strtoul(path + strlen(KFD_RENDER_PATH), &end, 10);
        f.kind = FILE_RENDER;
        f.gpu = !*end && minor >= FIRST_MINOR && minor < FIRST_MINOR + s->ngpus ? &s->gpu[minor - FIRST_MINOR]
                                                                                : NULL;
    }
    if (!f.kind || (f.kind == FILE_RENDER && !f.gpu))
        return fail(-ENOENT, "%s: the software GPU has %s and %s%d..%d", path, KFD_PATH, KFD_RENDER_PATH,
                    FIRST_MINOR, FIRST_MINOR + (int)s->ngpus - 1);
    soft_lock(s);
    int fd = -EMFILE;
    for (unsigned i = 0; i < ARRAY_LEN(s->files) && fd < 0; i++) {
        if (s->files[i])
            continue;
        s->files[i] = malloc(sizeof f);
        fd = s->files[i] ? FD_BASE + (int)i : -ENOMEM;
        if (s->files[i])
            *s->files[i] = f;
        break;
    }
    soft_unlock(s);
    return fd < 0 ? fail(fd, "%s: no descriptor left (%zu are open)", path, ARRAY_LEN(s->files)) : fd;
}

static int node_close(void *ctx, int fd)
{
    struct soft *s = ctx;
    soft_lock(s);
    struct file *f = soft_file(s, fd);
    if (!f) {
        soft_unlock(s);
        return fail(-EBADF, "descriptor %d is not open", fd);
    }
    s->files[fd - FD_BASE] = NULL;
    bool in_use = false; /* the VM's owner holds the render node: the driver keeps a reference */
    for (unsigned i = 0; i < s->ngpus; i++)
        in_use |= s->gpu[i].vm_file == f;
    if (f->kind == FILE_KFD) {
        bool last = true;
        for (unsigned i = 0; i < ARRAY_LEN(s->files); i++)
            last &= !s->files[i] || s->files[i]->kind != FILE_KFD;
        if (last) { /* the process's resources go with its last KFD file */
            queues_free(s);
            events_free(s);
            for (unsigned i = 0; i < s->ngpus; i++) {
                const struct file *vm = s->gpu[i].vm_file;
                bool open = false;
                for (unsigned k = 0; k < ARRAY_LEN(s->files); k++)
                    open |= s->files[k] == vm;
                vm_release(&s->gpu[i]);
                if (!open && vm != f)
                    free((void *)vm);
            }
            s->runtime_enabled = false;
        }
    }
    if (!in_use)
        free(f);
    soft_unlock(s);
    return 0;
}

static int node_ioctl(void *ctx, int fd, uint32_t request, void *arg)
{
    struct soft *s = ctx;
    soft_lock(s);
    pthread_cond_signal(&s->kick);
    struct file *f = soft_file(s, fd);
    int r = !f                    ? fail(-EBADF, "descriptor %d is not open", fd)
            : f->kind == FILE_KFD ? kfd_ioctl(s, request, arg)
                                  : drm_ioctl(s, f, request, arg);
    soft_unlock(s);
    return r;
}

/* Is [a, a + n) inside what was mapped through the port (several neighbours may cover it)? */
static bool maps_cover(const struct soft *s, uintptr_t a, size_t n)
{
    uintptr_t at = a;
    for (unsigned i = 0; i < s->nmaps && at < a + n; i++)
        if (s->maps[i].addr <= at && at < s->maps[i].addr + s->maps[i].length)
            at = s->maps[i].addr + s->maps[i].length;
    return at >= a + n;
}
static int maps_insert(struct soft *s, unsigned i, struct map_entry e)
{
    if (s->nmaps == s->maps_room) {
        unsigned room = s->maps_room ? s->maps_room * 2 : 16;
        struct map_entry *p = realloc(s->maps, room * sizeof *p);
        if (!p)
            return -ENOMEM;
        s->maps = p;
        s->maps_room = room;
    }
    memmove(s->maps + i + 1, s->maps + i, (s->nmaps - i) * sizeof e);
    s->maps[i] = e;
    s->nmaps++;
    return 0;
}
static int maps_remove(struct soft *s, uintptr_t a, size_t n)
{
    for (unsigned i = 0; i < s->nmaps;) {
        struct map_entry *e = &s->maps[i];
        uintptr_t end = e->addr + e->length;
        if (end <= a || e->addr >= a + n) {
            i++;
        } else if (e->addr < a && end > a + n) {
            if (maps_insert(s, i + 1, (struct map_entry){a + n, end - (a + n)}))
                return -ENOMEM;
            s->maps[i].length = a - s->maps[i].addr;
            return 0;
        } else if (e->addr < a) {
            e->length = a - e->addr;
            i++;
        } else if (end > a + n) {
            e->length = end - (a + n);
            e->addr = a + n;
            i++;
        } else {
            memmove(e, e + 1, (s->nmaps - i - 1) * sizeof *e);
            s->nmaps--;
        }
    }
    return 0;
}
static int maps_add(struct soft *s, uintptr_t a, size_t n)
{
    int err = maps_remove(s, a, n);
    unsigned i = 0;
    while (i < s->nmaps && s->maps[i].addr < a)
        i++;
    return err ? err : maps_insert(s, i, (struct map_entry){a, n});
}

/* What Linux's kfd_mmap and the render node's GEM mmap accept. *memfd: where the pages come from. */
static int node_mappable(struct soft *s, const struct file *f, size_t length, int prot, int flags,
                         uint64_t offset, int *memfd)
{
    if ((f->flags & O_ACCMODE) == O_WRONLY ||
        ((f->flags & O_ACCMODE) == O_RDONLY && prot & PROT_WRITE && (flags & MAP_TYPE) != MAP_PRIVATE))
        return fail(-EACCES, "the file was opened without O_RDWR: a shared writable mapping is refused");
    if (f->kind == FILE_KFD) {
        *memfd = s->kfd_memfd;
        if (offset == KFD_EVENTS_PAGE)
            return length == KFD_EVENT_PAGE
                       ? 0
                       : fail(-EINVAL, "event page: %zu bytes, %u expected", length, KFD_EVENT_PAGE);
        for (unsigned i = 0; i < s->ngpus; i++) {
            if (offset == kfd_doorbell_page(&s->gpu[i]))
                return length == KFD_DOORBELL_SLICE
                           ? 0
                           : fail(-EINVAL, "doorbells: %zu bytes, %u expected", length, KFD_DOORBELL_SLICE);
            if (offset == kfd_mmio_page(&s->gpu[i]))
                return length == PAGE ? 0 : fail(-EINVAL, "register page: %zu bytes, 4096 expected", length);
        }
        return fail(-EFAULT, "/dev/kfd offset 0x%llx is nothing that was handed out",
                    (unsigned long long)offset);
    }
    *memfd = f->gpu->memfd;
    for (uint32_t i = 1; i < f->gpu->nbos; i++) {
        const struct bo *b = f->gpu->bos[i];
        if (b && b->flags & (KFD_MEM_VRAM | KFD_MEM_GTT) && offset >= b->offset &&
            offset - b->offset < b->size)
            return length <= b->size - (offset - b->offset)
                       ? 0
                       : fail(-EINVAL, "mapping of %zu bytes reaches past the buffer's %llu", length,
                              (unsigned long long)b->size);
    }
    return fail(-EINVAL, "render node offset 0x%llx is no buffer's", (unsigned long long)offset);
}

static int node_mmap(void *ctx, void **out, void *addr, size_t length, int prot, int flags, int fd,
                     uint64_t offset)
{
    struct soft *s = ctx;
    int memfd = -1, err = 0;
    soft_lock(s);
    if (!(flags & MAP_ANONYMOUS)) {
        const struct file *f = soft_file(s, fd);
        err = f ? node_mappable(s, f, align_up(length, PAGE), prot, flags, offset, &memfd)
                : fail(-EBADF, "descriptor %d is not open", fd);
    }
    if (!err && (flags & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE && flags & MAP_FIXED &&
        !maps_cover(s, (uintptr_t)addr, length))
        err = fail(-EINVAL, "MAP_FIXED at %p + %zu: not a range that was mapped through this port", addr,
                   length);
    if (!err) {
        void *p = mmap(addr, length, prot, flags, memfd, memfd < 0 ? 0 : (off_t)offset);
        if (p == MAP_FAILED) {
            err = fail(-errno, "mmap of %zu bytes at %p", length, addr);
        } else if ((err = maps_add(s, (uintptr_t)p, align_up(length, PAGE)))) {
            munmap(p, length);
            err = fail(err, "no memory to note a mapping");
        } else {
            *out = p;
        }
    }
    soft_unlock(s);
    return err;
}

static int node_munmap(void *ctx, void *addr, size_t length)
{
    struct soft *s = ctx;
    if (!length || (uintptr_t)addr % PAGE || (uintptr_t)addr + length < (uintptr_t)addr)
        return fail(-EINVAL, "munmap of %zu bytes at %p", length, addr);
    soft_lock(s);
    int err = maps_cover(s, (uintptr_t)addr, length)
                  ? 0
                  : fail(-EINVAL, "munmap at %p: not mapped through this port", addr);
    if (!err && munmap(addr, length))
        err = fail(-errno, "munmap of %zu bytes at %p", length, addr);
    if (!err)
        err = maps_remove(s, (uintptr_t)addr, align_up(length, PAGE));
    soft_unlock(s);
    return err;
}

static int node_read_file(void *ctx, const char *path, void *buf, size_t cap)
{
    struct soft *s = ctx;
    soft_lock(s);
    int r = sysfs_read(s, path, buf, cap);
    soft_unlock(s);
    return r;
}
static int node_list_dir(void *ctx, const char *path, char *buf, size_t cap)
{
    struct soft *s = ctx;
    soft_lock(s);
    int r = sysfs_list(s, path, buf, cap);
    soft_unlock(s);
    return r;
}

/* By the wall clock: the race checker does not know the other kind. */
static int lock_within(struct soft *s, uint64_t ns)
{
    if (!pthread_mutex_trylock(&s->lock))
        return 0;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    ns += (uint64_t)t.tv_nsec;
    t.tv_sec += (time_t)(ns / 1000000000u);
    t.tv_nsec = (long)(ns % 1000000000u);
    return pthread_mutex_timedlock(&s->lock, &t);
}

static int node_idle(void *ctx, uint64_t timeout_ns)
{
    struct soft *s = ctx;
    uint64_t start = soft_now();
    /* as a wanter, so that the thread that serves makes room */
    __atomic_fetch_add(&s->wanters, 1, __ATOMIC_RELAXED);
    if (timeout_ns > 3600000000000ull)
        timeout_ns = 3600000000000ull;
    int busy = lock_within(s, timeout_ns);
    __atomic_fetch_sub(&s->wanters, 1, __ATOMIC_RELAXED);
    if (busy)
        return 1;
    uint64_t seen = s->visible;
    int did = 0;
    if (s->threaded) {
        if (timeout_ns)
            soft_sleep(s, timeout_ns < 1000000 ? timeout_ns : 1000000);
        did = s->visible != seen;
    } else {
        for (;;) {
            int r = soft_serve(s);
            did |= r;
            if (s->visible != seen || !r || soft_now() - start >= timeout_ns)
                break;
        }
        if (!did && timeout_ns && s->visible == seen) /* another thread may be about to write */
            soft_sleep(s, timeout_ns < 20000 ? timeout_ns : 20000);
    }
    soft_unlock(s);
    return did ? 1 : 0;
}

/* NXGPU_SOFT=thread: spins while there is work, then sleeps longer and longer: a doorbell is a plain store
 * that nothing tells us of. A driver call wakes it (one that waits for a signal often follows a doorbell). */
enum { LONGEST_NAP = 4000000 };
static void *serve_thread(void *ctx)
{
    struct soft *s = ctx;
    uint64_t busy = soft_now();
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        soft_breathe(s);
        if (soft_serve(s)) {
            busy = soft_now();
            continue;
        }
        uint64_t quiet = soft_now() - busy;
        if (quiet > 200000 || !s->nqueues) {
            struct timespec t = after(!s->nqueues               ? 100000000
                                      : quiet / 8 < LONGEST_NAP ? quiet / 8
                                                                : LONGEST_NAP);
            pthread_cond_timedwait(&s->kick, &s->lock, &t);
        } else {
            pthread_mutex_unlock(&s->lock);
            sched_yield();
            pthread_mutex_lock(&s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int soft_thread(struct soft *s)
{
    sigset_t all, old;
    if (s->threaded)
        return 0;
    s->threaded = true;
    sigfillset(
        &all); /* the program's signals are for its own threads; faults are ours and cannot be blocked */
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int err = pthread_create(&s->thread, NULL, serve_thread, s);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!err)
        return 0;
    s->threaded = false;
    return fail(-EAGAIN, "no thread for the command processors");
}

static void node_destroy(void *ctx)
{
    struct soft *s = ctx;
    if (s->threaded) {
        soft_lock(s);
        s->stop = true;
        pthread_cond_signal(&s->kick);
        soft_unlock(s);
        pthread_join(s->thread, NULL);
    }
    for (unsigned i = 0; i < ARRAY_LEN(s->files); i++)
        if (s->files[i])
            node_close(s, FD_BASE + (int)i);
    for (unsigned i = 0; i < s->nmaps; i++)
        munmap((void *)s->maps[i].addr, s->maps[i].length);
    for (unsigned i = 0; i < s->ngpus; i++)
        if (s->gpu[i].memfd >= 0)
            close(s->gpu[i].memfd);
    if (s->kfd_memfd >= 0)
        close(s->kfd_memfd);
    free(s->maps);
    free(s->fault);
    pthread_cond_destroy(&s->changed);
    pthread_cond_destroy(&s->kick);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static int sparse_file(const char *name, uint64_t bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0)
        return fail(-errno, "memfd for %s", name);
    if (ftruncate(fd, (off_t)bytes)) {
        int err = fail(-errno, "sparse file of %llu bytes for %s", (unsigned long long)bytes, name);
        close(fd);
        return err;
    }
    return fd;
}

static int add_gpu(struct soft *s, const char *name, size_t n)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), name);
    const struct chip *c = chip_find(word);
    if (!c)
        return fail(-ENODEV, "\"%s\" is no modelled chip: gfx906, gfx90a, gfx942, gfx1030, gfx1100, gfx1201",
                    word);
    if (s->ngpus == MAX_GPUS)
        return fail(-EINVAL, "more than %d GPUs", MAX_GPUS);
    struct gpu *g = &s->gpu[s->ngpus];
    *g = (struct gpu){.soft = s, .chip = c, .index = s->ngpus, .minor = FIRST_MINOR + s->ngpus};
    g->next_offset =
        1ull << 32; /* like GEM's fake offsets: past any number a client may mistake for another */
    g->memfd = sparse_file("nxgpu-vram", 1ull << 46);
    if (g->memfd < 0)
        return g->memfd;
    s->ngpus++;
    struct kfd_node node;
    sysfs_node(s, s->ngpus, &node);
    g->id = kfd_gpu_id(&node, 0x1002 | c->subsystem << 16, c->vram, 0);
    while (!g->id || soft_gpu(s, g->id) != g) /* the driver too avoids 0 and doubles */
        g->id = (g->id + 1) & 0xffff;
    return 0;
}

int port_soft(const char *spec, struct port **out)
{
    struct soft *s = calloc(1, sizeof *s);
    if (!s)
        return fail(-ENOMEM, "no memory for a software GPU");
    s->kfd_memfd = -1;
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attr);
    pthread_cond_init(&s->kick, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_init(&s->lock, NULL);
    snprintf(s->name, sizeof s->name, "soft:%s", spec);
    s->port = (struct port){.name = s->name,
                            .ctx = s,
                            .open = node_open,
                            .close = node_close,
                            .ioctl = node_ioctl,
                            .mmap = node_mmap,
                            .munmap = node_munmap,
                            .read_file = node_read_file,
                            .list_dir = node_list_dir,
                            .idle = node_idle,
                            .destroy = node_destroy};
    int err = 0;
    for (const char *p = spec; !err;) {
        size_t n = strcspn(p, ",");
        err = add_gpu(s, p, n);
        if (!p[n])
            break;
        p += n + 1;
    }
    if (!err && (s->kfd_memfd = sparse_file("nxgpu-kfd", 1ull << 46)) < 0)
        err = s->kfd_memfd;
    const char *mode = getenv("NXGPU_SOFT");
    if (!err && mode && !strcmp(mode, "thread"))
        err = soft_thread(s);
    if (err) {
        node_destroy(s);
        return err;
    }
    *out = &s->port;
    return 0;
}
