/* The AMD back end's own structs: what hides behind the handles. Not for: other rooms (they see
 * core/backend.h).
 *
 *   session   one /dev/kfd with its event page. Linux ties these, and a render node's address space, to the
 * process for its whole life, so the session of real devices is one for all, and is never ended. device one
 * GPU: render node, address space, events queue     one PM4 compute ring with its context save area, kernel
 * arguments and scratch
 */
#ifndef NX_AMD_AMD_H
#define NX_AMD_AMD_H
#include "amd/code.h"
#include "core/backend.h"
#include "hw/amd/gen.h"
#include "kernel/cwsr.h"
#include "kernel/kfd.h"
#include "kernel/port.h"

struct amd_buffer {
    nx_buffer base;
    uint64_t handle, span; /* bytes of addresses, whole pages */
    void *mapping; /* of span bytes: the reservation, or the host's view; NULL for host memory lent to us */
};

struct amd_device {
    nx_device base;
    struct amd_session *session;
    const struct port *port;
    int owns_port; /* destroys it in the end */
    int kfd, drm;
    uint32_t gpu_id;
    enum amd_gen gen;
    struct amd_target target;
    struct kfd_node node; /* without its banks and links */
    struct kfd_cwsr cwsr;
    struct kfd_apertures apertures;
    int large_bar;
    uint32_t event_id, event_slot; /* wakes sleeping waiters */
    uint32_t memory_event, exception_event;
    struct amd_buffer
        *remap;             /* register page with the flush of host writes; NULL where the driver has none */
    atomic_int host_writes; /* the host has mapped device memory, or written it */
};

#ifdef NX_STRESS
enum { RING_BYTES = 4096, KERNARG_BYTES = 8192, COPY_MAX = 4096 };
#else
enum { RING_BYTES = 256 << 10, KERNARG_BYTES = 256 << 10, COPY_MAX = 32 << 20 };
#endif
enum { RING_DWORDS = RING_BYTES / 4, MARKS = 8 };

/* Dwords on their way into the ring. */
struct words {
    uint32_t dw[192];
    unsigned n;
};

enum { TEMPLATE_BYTES = 512 };
/* The last launch of a queue: one of the same kernel and shape differs from it in a few words only. */
struct launch_template {
    uint64_t kernel_id; /* 0: none yet */
    struct geometry geometry;
    uint64_t scratch_va;
    uint32_t tmpring;
    struct words body;                       /* all but the leading ACQUIRE_MEM */
    unsigned kernarg_at, dispatch_at, id_at; /* dwords of body to patch, 0: not there */
    uint8_t kernarg[TEMPLATE_BYTES];         /* with the hidden arguments */
};

struct amd_queue {
    nx_queue base;
    uint32_t id;
    struct amd_buffer *ring, *control, *eop, *cwsr, *kernarg, *scratch;
    uint64_t put; /* dwords ever written; published by submit */
    uint64_t published;
    uint64_t *wptr, *rptr; /* in control */
    uint64_t *doorbell;
    void *doorbells;
    uint64_t kernarg_put, kernarg_free; /* bytes ever used / known to be free again */
    struct {
        uint64_t done, put;
    } marks[MARKS]; /* when the queue's timeline is at done, kernarg up to put is free */
    unsigned mark_first, mark_count;
    uint64_t scratch_waves, scratch_wave_bytes;
    uint64_t dispatch_id;
    int fresh; /* the next launch must also see what the host wrote */
    struct launch_template last;
};

struct amd_program {
    nx_program base;
    struct amd_kernel *kernels;
    struct amd_buffer *code;
};

/* device.c: a device behind a port. Owns the port from then on (also when it fails); soft: one that runs in
 * this process. */
int amd_open_port(const struct port *port, unsigned index, const char *selector, int soft, nx_device **out);

/* session.c */
int session_get(const struct port *port, int shared, struct amd_session **out);
void session_put(struct amd_session *);
/* "KFD 1.14" */
void session_driver(const struct amd_session *, char *text, size_t size);
int session_kfd(const struct amd_session *);
/* The render node of a GPU, its address space acquired; opened once a session. */
int session_render(struct amd_session *, const struct kfd_node *, int *drm);
/* The event page, made with the first device, mapped for each: its address. */
int session_event_page(struct amd_session *, struct amd_device *, uint64_t *va);
uint64_t session_event_va(const struct amd_session *);

/* memory.c */
/* size bytes with KFD_MEM_* flags at an address that is a multiple of align (power of two). */
int amd_bo(struct amd_device *, uint64_t size, uint64_t align, uint32_t flags, int host,
           struct amd_buffer **out);
int amd_alloc(nx_device *, uint64_t size, unsigned flags, nx_buffer **out);
int amd_adopt(nx_device *, void *memory, uint64_t size, nx_buffer **out);
void amd_free(nx_buffer *);
void amd_flush_host(nx_device *);
/* KFD_MEM_* of host memory that both sides see at once, and of device memory. */
#define AMD_HOST_MEMORY                                                                                      \
    (KFD_MEM_GTT | KFD_MEM_WRITABLE | KFD_MEM_EXECUTABLE | KFD_MEM_PUBLIC | KFD_MEM_NO_SUBSTITUTE |          \
     KFD_MEM_COHERENT | KFD_MEM_UNCACHED)
#define AMD_DEVICE_MEMORY (KFD_MEM_VRAM | KFD_MEM_WRITABLE | KFD_MEM_EXECUTABLE | KFD_MEM_NO_SUBSTITUTE)

/* wait.c: until done(arg). -ETIMEDOUT without text, -EIO with. */
int amd_wait(struct amd_device *, int (*done)(const void *), const void *arg, uint64_t timeout_ns);
int amd_wait_value(nx_device *, const uint64_t *at, uint64_t value, uint64_t timeout_ns);

/* queue.c */
int amd_queue_create(nx_device *, nx_queue **out);
void amd_queue_free(nx_queue *);
int amd_submit(nx_queue *);
void amd_describe_queue(nx_queue *, char *text, size_t size);
/* Puts n dwords into the ring when `keep` more are free beside them; waits for room. All but the timeline's own signal keep
 * room for that one, so that waiting for idle never waits for room, however stuck the device is. */
int ring_put(struct amd_queue *, const uint32_t *dw, unsigned n, unsigned keep);
enum { RING_KEEP = 16 /* dwords of a signal with its interrupt */ };
/* bytes (a multiple of 64 is taken) of kernel-argument memory that stay until the work put in next has
 * finished. */
int kernarg_take(struct amd_queue *, uint32_t bytes, uint64_t *va, void **host);
/* Scratch for waves of wave_bytes each; at least the granule. */
int scratch_reserve(struct amd_queue *, uint64_t wave_bytes);

/* words.c: the words of the ring */
int amd_launch(nx_queue *, nx_kernel *, const struct geometry *, const struct nx_launch *);
int amd_copy(nx_queue *, uint64_t dst, uint64_t src, uint64_t size);
int amd_fill(nx_queue *, uint64_t dst, uint32_t pattern, uint64_t size);
int amd_timestamp(nx_queue *, uint64_t va);
int amd_queue_wait(nx_queue *, uint64_t va, uint64_t value);
int amd_queue_signal(nx_queue *, uint64_t va, uint64_t value, int wake);

/* program.c */
int amd_load(nx_device *, const void *image, size_t size, nx_program **out);
void amd_unload(nx_program *);
#endif
