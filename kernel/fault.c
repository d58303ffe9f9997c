/* The fault port: fails the n-th call of a kind, for tests of unwind paths. */
#include "kernel/port.h"
#include "kernel/call.h"
#include <stdatomic.h>
#include <stdlib.h>

struct fault {
    struct port port; /* first: a port_fault value is one of these */
    const struct port *inner;
    _Atomic int kind, err, only_nr, hit;
    _Atomic unsigned n, count;
};

/* Counts a call; the errno to fail with, or 0. */
static int due(struct fault *f, enum port_kind kind, int nr)
{
    if (f->kind != PORT_ANY && f->kind != (int)kind)
        return 0;
    if (f->only_nr >= 0 && f->only_nr != nr)
        return 0;
    if (++f->count != f->n)
        return 0;
    f->hit = 1;
    return f->err;
}

static int fault_open(void *ctx, const char *path, int flags)
{
    struct fault *f = ctx;
    int err = due(f, PORT_OPEN, -1);
    return err ? -err : port_open(f->inner, path, flags);
}

static int fault_close(void *ctx, int fd)
{
    struct fault *f = ctx;
    int err = due(f, PORT_CLOSE, -1), r = port_close(f->inner, fd);
    return err ? -err : r;
}

static int fault_ioctl(void *ctx, int fd, uint32_t request, void *arg)
{
    struct fault *f = ctx;
    int err = due(f, PORT_IOCTL, (int)call_nr(request));
    return err ? -err : port_ioctl(f->inner, fd, request, arg);
}

static int fault_mmap(void *ctx, void **out, void *addr, size_t length, int prot, int flags, int fd,
                      uint64_t offset)
{
    struct fault *f = ctx;
    int err = due(f, PORT_MMAP, -1);
    return err ? -err : port_mmap(f->inner, out, addr, length, prot, flags, fd, offset);
}

static int fault_munmap(void *ctx, void *addr, size_t length)
{
    struct fault *f = ctx;
    int err = due(f, PORT_MUNMAP, -1), r = port_munmap(f->inner, addr, length);
    return err ? -err : r;
}

static int fault_read_file(void *ctx, const char *path, void *buf, size_t cap)
{
    struct fault *f = ctx;
    int err = due(f, PORT_READ_FILE, -1);
    return err ? -err : port_read_file(f->inner, path, buf, cap);
}

static int fault_list_dir(void *ctx, const char *path, char *buf, size_t cap)
{
    struct fault *f = ctx;
    int err = due(f, PORT_LIST_DIR, -1);
    return err ? -err : port_list_dir(f->inner, path, buf, cap);
}

static int fault_idle(void *ctx, uint64_t timeout_ns)
{
    struct fault *f = ctx;
    int err = due(f, PORT_IDLE, -1);
    return err ? -err : port_idle(f->inner, timeout_ns);
}

static void fault_destroy(void *ctx)
{
    struct fault *f = ctx;
    port_destroy(f->inner);
    free(f);
}

struct port *port_fault(const struct port *inner, enum port_kind kind, unsigned n, int err)
{
    struct fault *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->port = (struct port){
        .name = inner->name,
        .ctx = f,
        .open = fault_open,
        .close = fault_close,
        .ioctl = fault_ioctl,
        .mmap = fault_mmap,
        .munmap = fault_munmap,
        .read_file = fault_read_file,
        .list_dir = fault_list_dir,
        .idle = fault_idle,
        .destroy = fault_destroy,
    };
    f->inner = inner;
    f->only_nr = -1;
    port_fault_arm(&f->port, kind, n, err);
    return &f->port;
}

void port_fault_arm(struct port *p, enum port_kind kind, unsigned n, int err)
{
    struct fault *f = p->ctx;
    f->kind = kind;
    f->n = n;
    f->err = err;
    f->count = 0;
    f->hit = 0;
}

void port_fault_only_nr(struct port *p, int nr)
{
    ((struct fault *)p->ctx)->only_nr = nr;
}

unsigned port_fault_count(const struct port *p)
{
    return ((struct fault *)p->ctx)->count;
}

int port_fault_hit(const struct port *p)
{
    return ((struct fault *)p->ctx)->hit;
}
