/* What a vendor supplies, and the objects behind the handles of nxgpu.h. A back end embeds these structs as
 * the first member of its own. Core checks arguments (ranges, geometry, sizes) before it calls a back end,
 * packs explicit arguments, keeps the lost state and the timeline of queues; the back end speaks to the
 * driver and writes packets.
 *
 * Every function returns 0 or -errno with the text set (base/err.h). Locking: queue words of one queue never
 * overlap (the application's rule); all else may be called from any thread at once.
 */
#ifndef NX_CORE_BACKEND_H
#define NX_CORE_BACKEND_H
#include "include/nxgpu.h"
#include <pthread.h>
#include <stdatomic.h>

struct nx_device {
    const struct backend *ops;
    struct nx_device_info info;
    unsigned forks;       /* of the process when it was opened: a child must not touch its parent's rings */
    pthread_mutex_t lock; /* of what follows */
    atomic_int lost;
    char lost_text[1024];
    struct signal_page *signals; /* signal.c */
    nx_queue *copy_queue;        /* memory.c: for memory the host cannot map; under copy_lock */
    nx_buffer *staging;
    pthread_mutex_t copy_lock;
};
struct nx_buffer {
    nx_device *device;
    uint64_t va, size;
    unsigned flags;
    void *host; /* NULL: not mapped by the host */
};
struct nx_signal {
    nx_device *device;
    uint64_t va;
    uint64_t *value; /* written by the device: read with acquire */
    struct signal_page *page;
};
struct nx_queue {
    nx_device *device;
    nx_signal *done;     /* timeline of the queue itself */
    uint64_t done_value; /* last value put in for it */
    int dirty;           /* work was put in behind that */
};
struct kernel_arg {
    char *name, *type_name, *value_kind, *address_space;
    enum nx_arg_kind kind;
    uint32_t offset, bytes, align;
};
struct nx_kernel {
    nx_program *program;
    struct nx_kernel_info info; /* strings owned by the back end's program */
    struct kernel_arg *args;    /* explicit ones, info.arg_count */
};
struct nx_program {
    nx_device *device;
    unsigned kernel_count;
    nx_kernel *(*kernel_at)(nx_program *, unsigned index); /* index < kernel_count */
};

/* A launch that has been checked. */
struct geometry {
    uint32_t groups[3], items[3], block[3], dims;
    uint32_t lds; /* static and dynamic together */
};

struct backend {
    const char *vendor; /* first word of its selectors */
    /* The index-th real device. -ENOENT past the end. */
    int (*list)(unsigned index, struct nx_device_info *info);
    /* The index-th kind of software GPU; -ENOENT past the end. */
    int (*list_soft)(unsigned index, struct nx_device_info *info);
    /* index >= 0: a real device; else soft names the target of a software GPU. -ENODEV: not mine or not
     * there. */
    int (*open)(int index, const char *soft, nx_device **out);
    void (*close)(nx_device *);

    int (*alloc)(nx_device *, uint64_t size, unsigned flags, nx_buffer **out);
    int (*adopt)(nx_device *, void *memory, uint64_t size, nx_buffer **out);
    void (*free)(nx_buffer *);
    /* The host has written mapped device memory: make the device see it. */
    void (*flush_host)(nx_device *);

    int (*load)(nx_device *, const void *image, size_t size, nx_program **out);
    void (*unload)(nx_program *);

    int (*queue_create)(nx_device *, nx_queue **out);
    void (*queue_free)(nx_queue *);
    /* The words of a ring. wake: also interrupt, so that a sleeping host looks. */
    int (*launch)(nx_queue *, nx_kernel *, const struct geometry *, const struct nx_launch *);
    int (*copy)(nx_queue *, uint64_t dst, uint64_t src, uint64_t size);
    int (*fill)(nx_queue *, uint64_t dst, uint32_t pattern, uint64_t size);
    int (*timestamp)(nx_queue *, uint64_t va);
    int (*wait)(nx_queue *, uint64_t va, uint64_t value);
    int (*signal)(nx_queue *, uint64_t va, uint64_t value, int wake);
    int (*submit)(nx_queue *);

    /* Waits until *at >= value. -ETIMEDOUT (core adds what was waited for), -EIO: a fault, device_lose() was
     * called. */
    int (*wait_value)(nx_device *, const uint64_t *at, uint64_t value, uint64_t timeout_ns);
    /* What the queue is doing, for the text of a timeout; at most a line. */
    void (*describe_queue)(nx_queue *, char *text, size_t size);
};
extern const struct backend amd_backend;

/* Marks the device as lost for ever; the first text stays. Returns -EIO with that text. Any thread. */
int device_lose(nx_device *, const char *text);
/* 0, or -EIO with the text of the loss, or -ENODEV in a child of the process that opened the device. */
int device_check(nx_device *);
/* A back end calls device_init() first of all on its new struct; at close device_release() while the device
 * still works (it frees what core made of it), and device_fini() last. */
void device_init(nx_device *, const struct backend *);
void device_release(nx_device *);
void device_fini(nx_device *);

/* Work was put in (rc 0): it is behind the timeline's last value. Returns rc. After the back end's call,
 * which may itself have put in a value. */
static inline int queue_dirty(nx_queue *q, int rc)
{
    if (!rc)
        q->dirty = 1;
    return rc;
}
/* Puts in a value of the timeline behind all work so far and returns it in *value (also when nothing was
 * new). */
int queue_mark(nx_queue *, int wake, uint64_t *value);

/* Checks a launch against the kernel's and the device's limits: -EINVAL with the numbers. */
int launch_check(const nx_kernel *, const struct nx_launch *, struct geometry *);
/* Writes the explicit arguments (info.kernarg_bytes) to dst: those of the launch, local ones replaced by
 * their places. */
void launch_pack(const nx_kernel *, const struct nx_launch *, void *dst);
#endif
