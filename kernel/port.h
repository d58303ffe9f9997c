/* The port: the one door between the runtime and whatever answers the driver calls. Values of it:
 * port_linux() (real system calls), the software GPU (soft/), port_trace() and port_fault() (both wrap
 * another port). Not here: what a call means (kernel/kfd.h, kernel/drm.h) or which calls to make (amd/).
 *
 * Results are >= 0, or -errno; a port never sets errno and need not set the error text. Every function may be
 * called from any thread at any time, also while another thread is inside idle() or a blocking ioctl();
 * only destroy() needs that no other call is in progress. Paths are those of Linux: "/dev/kfd",
 * "/dev/dri/renderD128", "/sys/devices/virtual/kfd/kfd/topology/...".
 */
#ifndef NX_KERNEL_PORT_H
#define NX_KERNEL_PORT_H
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct port {
    const char *name; /* "linux", "soft:gfx1100", ...: for messages */
    void *ctx;
    int (*open)(void *ctx, const char *path, int flags);
    int (*close)(void *ctx, int fd);
    int (*ioctl)(void *ctx, int fd, uint32_t request, void *arg);
    int (*mmap)(void *ctx, void **out, void *addr, size_t length, int prot, int flags, int fd,
                uint64_t offset);
    int (*munmap)(void *ctx, void *addr, size_t length);
    int (*read_file)(void *ctx, const char *path, void *buf, size_t cap);
    int (*list_dir)(void *ctx, const char *path, char *buf, size_t cap);
    int (*idle)(void *ctx, uint64_t timeout_ns);
    void (*destroy)(void *ctx);
};

/* Opens a device file; flags are O_*, O_CLOEXEC is always added. Returns the descriptor. A descriptor belongs
 * to the port that gave it out; the numbers of a soft port need not be descriptors of this process. */
static inline int port_open(const struct port *p, const char *path, int flags)
{
    return p->open(p->ctx, path, flags);
}
static inline int port_close(const struct port *p, int fd)
{
    return p->close(p->ctx, fd);
}
/* One driver call; request is the whole command word. The port reads and writes exactly the bytes the word's
 * size field says. Restarted after a signal (-EINTR is never returned). A blocking call (WAIT_EVENTS) blocks
 * on every port: on a soft port that runs its processors in the caller it runs them meanwhile. */
static inline int port_ioctl(const struct port *p, int fd, uint32_t request, void *arg)
{
    return p->ioctl(p->ctx, fd, request, arg);
}
/* As mmap(2): returns 0 and the address in *out, or -errno and *out untouched. fd -1 with MAP_ANONYMOUS is
 * allowed: reserving addresses (PROT_NONE, MAP_NORESERVE) and host memory for USERPTR go this way too. With
 * MAP_FIXED the range must lie inside a mapping made through this port. */
static inline int port_mmap(const struct port *p, void **out, void *addr, size_t length, int prot, int flags,
                            int fd, uint64_t offset)
{
    return p->mmap(p->ctx, out, addr, length, prot, flags, fd, offset);
}
static inline int port_munmap(const struct port *p, void *addr, size_t length)
{
    return p->munmap(p->ctx, addr, length);
}
/* Reads a whole text file (sysfs) into buf[cap] and adds a NUL; returns the length without the NUL, or
 * -ERANGE when the file and its NUL do not fit (nothing is returned half). */
static inline int port_read_file(const struct port *p, const char *path, void *buf, size_t cap)
{
    return p->read_file(p->ctx, path, buf, cap);
}
/* Names in a directory without "." and "..", as NUL-terminated strings one behind another in buf, sorted:
 * numbers by value, then other names bytewise. Returns their count; -ERANGE when they do not fit. */
static inline int port_list_dir(const struct port *p, const char *path, char *buf, size_t cap)
{
    return p->list_dir(p->ctx, path, buf, cap);
}
/* The caller waits for memory to change and has nothing to do. Returns 1: something ran or may have changed,
 * look again; 0: nothing was runnable, the port has slept a little by itself (at most timeout_ns), so that a
 * loop of "look, idle" never needs a sleep of its own; -errno: the port is broken, stop waiting. It may
 * return early and must not block past timeout_ns (0: only do what is ready now) except to finish a
 * packet it has begun; a soft port bounds that by its own watchdog.
 *   linux: yields or sleeps up to 50 us, returns 0. It does not know events: a waiter that wants to sleep in
 *          the driver issues WAIT_EVENTS with port_ioctl itself after some rounds of idle.
 *   soft:  runs the command processors in the caller's thread until their rings are empty or blocked. Only
 * one thread runs them at a time: a second caller waits for the first, up to timeout_ns. With processor
 * threads (NXGPU_SOFT=thread) it waits until one of them has done something. */
static inline int port_idle(const struct port *p, uint64_t timeout_ns)
{
    return p->idle(p->ctx, timeout_ns);
}
/* Ends the port. Descriptors and mappings still open are closed by a soft port; a wrapping port also destroys
 * the port inside it. The struct port itself is freed, except port_linux()'s, for which this does nothing. */
static inline void port_destroy(const struct port *p)
{
    if (p && p->destroy)
        p->destroy(p->ctx);
}

/* The real thing: raw system calls. One static value, always there; opening fails where there is no driver.
 */
const struct port *port_linux(void);

/* A software GPU in this process (soft/soft.h): spec is a chip, "gfx1100", or a comma list of chips, one GPU each.
 * 0 and *out, or -errno with text: -ENODEV for an unknown chip. The device files exist inside this port only. */
int port_soft(const char *spec, struct port **out);

/* Wraps `inner` (and owns it from then on) and writes one line a call to `out` (not owned, flushed per line):
 * name, decoded arguments, result, changed fields. NULL when out of memory (inner is then untouched). */
struct port *port_trace(const struct port *inner, FILE *out);
/* port_trace() when NXGPU_TRACE names a file ("-": stderr), appended to; `inner` itself when it is unset or
 * empty; NULL with the error text set when the file cannot be written (inner is untouched). */
const struct port *port_trace_env(const struct port *inner);

/* Calls as the fault port counts them. */
enum port_kind {
    PORT_ANY = -1,
    PORT_OPEN,
    PORT_CLOSE,
    PORT_IOCTL,
    PORT_MMAP,
    PORT_MUNMAP,
    PORT_READ_FILE,
    PORT_LIST_DIR,
    PORT_IDLE,
    PORT_KINDS
};

/* Wraps `inner` (owns it). Fails the n-th call from now on (1 = the next; 0 = none) of `kind`, PORT_ANY: of
 * all, with `err` (a positive errno), once; all others go through. A failed call does not reach inner, except
 * close and munmap, which Linux carries out even when they fail. NULL when out of memory. */
struct port *port_fault(const struct port *inner, enum port_kind kind, unsigned n, int err);
/* The same for a fault port that exists: counting starts again at 0. */
void port_fault_arm(struct port *p, enum port_kind kind, unsigned n, int err);
/* Only ioctls with this number count (0..255; -1 = any, the default). */
void port_fault_only_nr(struct port *p, int nr);
/* Calls counted since the last arming, and whether the fault has been delivered. A test of every unwind path
 * loops n = 1, 2, ... until port_fault_hit() stays 0. */
unsigned port_fault_count(const struct port *p);
int port_fault_hit(const struct port *p);
#endif
