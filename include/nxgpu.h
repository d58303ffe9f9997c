/* nxgpu: GPU compute straight on the kernel drivers, or on the software GPU inside this library.
 *
 *   results   0 or a negative errno; nx_error() then explains it (object, value, what was expected).
 *             -EINVAL wrong argument  -ENOMEM  -ENODEV no such device  -ENOENT no such kernel or index
 *             -ENOEXEC not a program for this device  -ETIMEDOUT  -EIO the device has faulted and is lost
 *   objects   Opaque. What was made from an object is freed before it (NULL is always fine to free). Freeing
 * works on a lost device too, and with a kernel still running: the queue is destroyed first, nothing is
 * waited for. threads   Everything may be called from any thread. Calls on ONE queue, and freeing, must not
 * overlap with other calls on the same object; different queues, buffers and programs are independent.
 *   fork      A child process cannot use its parent's objects (-ENODEV); it may open the device itself.
 *   structs   Those with a first member `size` are set to sizeof by the caller, so that they may grow. All
 * else in a struct given to the library that is unused is 0. units     bytes, nanoseconds (of the host) and
 * work-groups unless a name says otherwise.
 */
#ifndef NXGPU_H
#define NXGPU_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define NX_API     __attribute__((visibility("default")))
#define NX_FOREVER UINT64_MAX

typedef struct nx_device nx_device;
typedef struct nx_buffer nx_buffer;
typedef struct nx_program nx_program;
typedef struct nx_kernel nx_kernel;
typedef struct nx_queue nx_queue;
typedef struct nx_signal nx_signal;

/* This thread's last error, "" if there was none; valid until the thread's next failing call. */
NX_API const char *nx_error(void);
/* "0.1.0" */
NX_API const char *nx_version(void);

/* ---- devices ----------------------------------------------------------------------------------------------
 */

struct nx_device_info {
    size_t size;
    char selector[32]; /* nx_device_open() with this opens it again: "amd:0", "soft:gfx1100" */
    char name[64];     /* as the driver reports it */
    char target[32];   /* instruction set: "gfx1100" */
    char driver[32];   /* "KFD 1.14" */
    uint32_t software; /* 1: the software GPU */
    uint32_t vendor_id, device_id;
    uint32_t compute_units, simds, max_waves_per_simd, wave_size, shader_engines, xccs;
    uint32_t max_block; /* work-items of a work-group */
    uint32_t lds_bytes; /* local memory of a work-group at most */
    uint32_t max_clock_mhz;
    uint32_t host_visible; /* 1: all device memory can be mapped by the host */
    uint64_t memory_bytes; /* of its own */
    uint64_t timer_hz;     /* of nx_timestamp() */
};

/* Describes the index-th device without opening it: real ones first, then the software GPUs. -ENOENT past the
 * end. */
NX_API int nx_device_list(unsigned index, struct nx_device_info *info);

/* selector: "amd:N" (N-th real device), "soft:TARGET", or NULL: $NXGPU_DEVICE, else the first real device,
 * else the software GPU, which is said once on stderr. */
NX_API int nx_device_open(const char *selector, nx_device **out);
NX_API void nx_device_close(nx_device *);
NX_API int nx_device_describe(nx_device *, struct nx_device_info *info);
/* 0, or -EIO with the text of the fault that lost the device; it stays lost until it is closed. */
NX_API int nx_device_status(nx_device *);

/* ---- memory -----------------------------------------------------------------------------------------------
 */

enum nx_memory {
    NX_DEVICE =
        0, /* the device's own memory; the host reaches it by nx_write/nx_read, or mapped where it can */
    NX_HOST = 1 << 0,    /* host memory that the device reaches; always mapped */
    NX_VISIBLE = 1 << 1, /* device memory that must be mappable by the host, or the call fails */
};
/* Contents are undefined. size > 0; it is rounded up inside, nx_buffer_size() is as given. */
NX_API int nx_alloc(nx_device *, uint64_t size, unsigned flags, nx_buffer **out);
/* Lends host memory to the device; it must stay valid until nx_free(). Page-backed memory only. The device
 * sees it at nx_buffer_va(), which need not equal `memory`. */
NX_API int nx_register(nx_device *, void *memory, uint64_t size, nx_buffer **out);
/* No queued work may still use it. */
NX_API void nx_free(nx_buffer *);
/* The address kernels use. */
NX_API uint64_t nx_buffer_va(const nx_buffer *);
NX_API uint64_t nx_buffer_size(const nx_buffer *);
/* Host address of the buffer, valid until nx_free(). -EACCES: this memory cannot be mapped. */
NX_API int nx_buffer_map(nx_buffer *, void **out);
/* Copy between host and buffer before returning. Not ordered with queued work: wait for that first. */
NX_API int nx_write(nx_buffer *, uint64_t offset, const void *src, uint64_t size);
NX_API int nx_read(nx_buffer *, uint64_t offset, void *dst, uint64_t size);

/* ---- programs ---------------------------------------------------------------------------------------------
 */

/* Loads a code object (ELF, versions 3 to 6) or the entry of a clang offload bundle, plain or compressed,
 * that fits the device best. The image is not kept. */
NX_API int nx_program_load(nx_device *, const void *image, size_t size, nx_program **out);
NX_API int nx_program_load_file(nx_device *, const char *path, nx_program **out);
NX_API void nx_program_free(nx_program *);

struct nx_kernel_info {
    size_t size;
    const char *name;       /* lives as long as the program, as all strings here */
    uint32_t arg_count;     /* explicit ones */
    uint32_t kernarg_bytes; /* of the packed explicit arguments */
    uint32_t lds_bytes;     /* static local memory */
    uint32_t private_bytes; /* of a work-item */
    uint32_t max_block;     /* work-items of a work-group */
    uint32_t block[3];      /* required work-group size, 0 0 0: any */
    uint32_t wave_size, vgprs, sgprs;
};
enum nx_arg_kind {
    NX_ARG_VALUE,  /* by value */
    NX_ARG_BUFFER, /* 8-byte device address */
    NX_ARG_LOCAL,  /* dynamic local memory: the value given is its size in bytes (uint32_t) */
    NX_ARG_OTHER,  /* image, sampler, queue, pipe: not supported, its bytes are passed on as they are */
};
struct nx_arg_info {
    size_t size;
    const char *name, *type_name;           /* "" when the program does not say */
    const char *value_kind, *address_space; /* in the program's own words */
    uint32_t kind;                          /* enum nx_arg_kind */
    uint32_t offset, bytes;                 /* place in the packed block */
};
/* Kernel of this name; NULL: the only one of the program. Owned by the program. */
NX_API int nx_program_kernel(nx_program *, const char *name, nx_kernel **out);
/* The index-th kernel / explicit argument. -ENOENT past the end. */
NX_API int nx_program_kernel_at(nx_program *, unsigned index, nx_kernel **out);
NX_API int nx_kernel_describe(nx_kernel *, struct nx_kernel_info *info);
NX_API int nx_kernel_arg(nx_kernel *, unsigned index, struct nx_arg_info *info);

/* ---- queues: work runs in the order it was put in ---------------------------------------------------------
 */

NX_API int nx_queue_create(nx_device *, nx_queue **out);
NX_API void nx_queue_free(nx_queue *);

struct nx_launch {
    size_t size;
    uint32_t grid[3];  /* work-groups, or */
    uint32_t items[3]; /* work-items (the last group of a dimension may be partial); exactly one of both is
                          non-zero */
    uint32_t block[3]; /* work-items of a work-group */
    uint32_t shared;   /* bytes of dynamic local memory besides NX_ARG_LOCAL arguments */
    /* The arguments: packed as nx_kernel_arg() says, or an array of pointers to the values (for a buffer: to
     * a uint64_t with its address), or neither when there are none. They are copied; hidden arguments are
     * filled in. */
    const void *kernarg;
    size_t kernarg_bytes;
    const void *const *args;
    uint32_t arg_count;
};
/* These put work into the queue; it is handed to the device by nx_submit(), nx_queue_signal(),
 * nx_queue_wait_idle(), or when the queue is full (then they block until there is room). */
NX_API int nx_launch(nx_queue *, nx_kernel *, const struct nx_launch *);
NX_API int nx_copy(nx_queue *, nx_buffer *dst, uint64_t dst_offset, nx_buffer *src, uint64_t src_offset,
                   uint64_t size);
/* Repeats the 32-bit pattern; offset and size are multiples of 4. */
NX_API int nx_fill(nx_queue *, nx_buffer *dst, uint64_t offset, uint32_t pattern, uint64_t size);
/* Stores the device's 64-bit timer (timer_hz) when everything before has finished; offset is a multiple of 8.
 */
NX_API int nx_timestamp(nx_queue *, nx_buffer *dst, uint64_t offset);
/* Holds later work of this queue until the signal is at least value. */
NX_API int nx_queue_wait(nx_queue *, nx_signal *, uint64_t value);
/* Sets the signal to value when everything before has finished, and submits. */
NX_API int nx_queue_signal(nx_queue *, nx_signal *, uint64_t value);
NX_API int nx_submit(nx_queue *);
/* Submits and waits until the queue is empty. -ETIMEDOUT: it is not yet (the work goes on). timeout_ns 0:
 * just look. */
NX_API int nx_queue_wait_idle(nx_queue *, uint64_t timeout_ns);

/* ---- signals: 64-bit values that only grow, set by a queue or the host ------------------------------------
 */

NX_API int nx_signal_create(nx_device *, uint64_t value, nx_signal **out);
NX_API void nx_signal_free(nx_signal *);
NX_API uint64_t nx_signal_value(const nx_signal *);
NX_API void nx_signal_set(nx_signal *, uint64_t value);
/* Waits until the signal is at least value. */
NX_API int nx_signal_wait(nx_signal *, uint64_t value, uint64_t timeout_ns);

#ifdef __cplusplus
}
#endif
#endif
