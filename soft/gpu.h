/* Inside the software GPU: the machine (one KFD process and its GPUs), shared by all files of soft/.
 * Everything here is guarded by one lock, soft.lock: ioctls, command processors and running dispatches take
 * turns. A command processor runs in slices and lets others in between (soft_breathe).
 */
#ifndef NX_SOFT_GPU_H
#define NX_SOFT_GPU_H
#include "engine/engine.h"
#include "engine/mem.h"
#include "kernel/kfd.h"
#include "kernel/port.h"
#include "soft/chip.h"
#include "soft/soft.h"
#include <pthread.h>
#include <stdbool.h>

#ifdef NX_STRESS
enum { SLICE_INSNS = 64, SLICE_PACKETS = 2, SLICE_BYTES = 256 };
#else
enum { SLICE_INSNS = 1 << 16, SLICE_PACKETS = 256, SLICE_BYTES = 4 << 20 };
#endif
enum { PAGE = 4096, MAX_GPUS = 32, MAX_QUEUES = 1024 };

struct soft;
struct gpu;
struct queue;

/* A buffer object: memory of a GPU (a piece of its memfd), user memory, or a doorbell or register page. */
struct bo {
    uint32_t gpu, flags; /* owner's index; KFD_MEM_* */
    uint64_t va, size;   /* as mapped on GPUs; size in whole pages */
    uint64_t offset;     /* in the memfd; USERPTR: the CPU address */
    uint8_t *host;       /* our own mapping, NULL while nobody has needed it */
    uint32_t mapped;     /* bit g: in GPU g's address space */
    uint32_t queue_refs; /* queues that hold it: unmapping is refused */
};

struct gpu {
    struct soft *soft;
    const struct chip *chip;
    uint32_t index, id, minor; /* gpu_id; render node number */
    int memfd;                 /* VRAM and GTT, sparse; offsets are never used again */
    uint64_t next_offset, vram_used, gtt_used;
    /* what the KFD process has on this GPU */
    const struct file *vm_file; /* render node given to ACQUIRE_VM */
    struct mem_map *map;
    struct eng_cache *cache;
    uint8_t *doorbells; /* our mapping of the doorbell slice */
    struct bo **bos;    /* by handle index; [0] unused */
    uint32_t nbos;
    uint64_t doorbell_used[16]; /* bit set: 1024 doorbells */
    uint64_t sdma_used[2];      /* bit set: SDMA queues of all engines */
    bool evicted; /* a fault stopped this process's queues here; ends when the last one is destroyed */
};

/* An open file. Kinds differ only in what ioctl and mmap mean. */
enum file_kind { FILE_FREE, FILE_KFD, FILE_RENDER };
struct file {
    enum file_kind kind;
    int flags; /* O_* of open */
    struct gpu *gpu;
};

struct map_entry { /* a mapping made through the port; sorted by address */
    uintptr_t addr;
    size_t length;
};

struct soft {
    struct port port;
    char name[64];
    pthread_mutex_t lock;
    pthread_cond_t changed; /* broadcast when a waiter may see something new */
    unsigned wanters;       /* threads that want the lock (atomic) */
    struct gpu gpu[MAX_GPUS];
    unsigned ngpus;
    struct file *files[64];
    struct map_entry *maps;
    unsigned nmaps, maps_room;
    int kfd_memfd;
    /* the KFD process */
    struct queue *queues[MAX_QUEUES];
    unsigned nqueues;
    struct events *events;
    bool runtime_enabled;
    uint64_t visible; /* counts memory writes and events a waiter may look for */
    char *fault;      /* SOFT_FAULT_FILE, or NULL */
    struct soft_faults {
        uint64_t count;
        char last[512]; /* its first line */
    } * faults;         /* the preload library's, or NULL */
    /* NXGPU_SOFT=thread */
    bool threaded, stop;
    pthread_t thread;
    pthread_cond_t kick; /* wakes the serving thread early */
};

/* Lock and unlock, with a note for whoever holds it that someone waits. */
void soft_lock(struct soft *s);
void soft_unlock(struct soft *s);
/* With the lock held: gives it up for a moment when another thread wants it. */
void soft_breathe(struct soft *s);
/* With the lock held: a waiter may see something new. */
void soft_visible(struct soft *s);
/* With the lock held: runs every queue one slice. Bits of enum queue_step. */
int soft_serve(struct soft *s);
/* Starts the thread that serves queues, once (NXGPU_SOFT=thread; the preload library). */
int soft_thread(struct soft *s);
/* With the lock held: sleeps until something is visible or ns have passed, without the lock. */
void soft_sleep(struct soft *s, uint64_t ns);
struct gpu *soft_gpu(struct soft *s, uint32_t gpu_id); /* by gpu_id, or NULL with no error text */
uint64_t soft_now(void);                               /* CLOCK_MONOTONIC, ns */
static inline uint64_t soft_gpu_clock(void)            /* the GPU's clock: 100 MHz */
{
    return soft_now() / 10;
}

/* node.c: descriptors */
struct file *soft_file(struct soft *s, int fd);

/* Offsets in the KFD file's memfd. The low 32 bits are zero: every client's way of masking finds the page. */
static inline uint64_t kfd_doorbell_page(const struct gpu *g)
{
    return (2ull * g->index + 2) << 32;
}
static inline uint64_t kfd_mmio_page(const struct gpu *g)
{
    return (2ull * g->index + 3) << 32;
}
#define KFD_EVENTS_PAGE (1ull << 32)

/* user memory of the client: -EFAULT where it is not there; never a crash */
int user_read(void *dst, const void *user, size_t n);
int user_write(void *user, const void *src, size_t n);

/* sysfs.c */
/* Node 0: the CPU; 1 + g: GPU g. */
struct kfd_node;
void sysfs_node(const struct soft *s, unsigned index, struct kfd_node *n);
int sysfs_read(struct soft *s, const char *path, void *buf, size_t cap);
int sysfs_list(struct soft *s, const char *path, char *buf, size_t cap);

/* kfd.c, drm.c: with the lock held */
int kfd_ioctl(struct soft *s, uint32_t request, void *arg);
int drm_ioctl(struct soft *s, struct file *f, uint32_t request, void *arg);

/* vm.c: buffer objects and the GPU's address space; with the lock held */
int vm_acquire(struct gpu *g, const struct file *f);
void vm_release(struct gpu *g); /* everything the process has there */
int vm_alloc(struct gpu *g, struct kfd_alloc_memory_of_gpu *a);
int vm_free(struct soft *s, uint64_t handle);
int vm_map(struct gpu *g, struct bo *b);
int vm_unmap(struct gpu *g, struct bo *b);
struct bo *vm_bo(struct soft *s, uint64_t handle); /* or NULL */
uint8_t *vm_host(struct soft *s, struct bo *b);    /* our mapping of it, NULL: out of address space */
/* The object mapped on g whose mapping starts at va and is `size` bytes (0: any), or NULL with text. */
struct bo *vm_bo_at(struct gpu *g, uint64_t va, uint64_t size, const char *what);
uint64_t vm_available(const struct gpu *g);

/* events.c: with the lock held */
int events_create(struct soft *s, struct kfd_create_event *a);
int events_destroy(struct soft *s, uint32_t id);
int events_set(struct soft *s, uint32_t id);
int events_reset(struct soft *s, uint32_t id);
int events_wait(struct soft *s, struct kfd_wait_events *a);
bool events_hold(const struct soft *s, const struct bo *b); /* b is the event page */
void events_free(struct soft *s);
/* An engine's interrupt with a context id; bits: its width. */
void events_interrupt(struct soft *s, uint32_t context, unsigned bits);
void events_memory(struct soft *s, const struct kfd_memory_exception *d);
void events_reset_gpu(struct soft *s, const struct kfd_hw_exception *d);

/* queues.c: with the lock held */
int queues_create(struct soft *s, struct kfd_create_queue *a);
int queues_destroy(struct soft *s, uint32_t id);
int queues_update(struct soft *s, const struct kfd_update_queue *a);
struct queue *queues_get(struct soft *s, uint32_t id); /* or NULL */
void queues_free(struct soft *s);
#endif
