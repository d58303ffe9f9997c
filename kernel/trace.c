/* The trace port: one line a call, decoded by the rows.
 *     port_trace(p, stderr)
 *     [12] ioctl 3 CREATE_QUEUE ring_base_address=0x... gpu_id=4660 -> 0 queue_id=1 doorbell_offset=0x...
 */
#define _GNU_SOURCE
#include "kernel/port.h"
#include "kernel/call.h"
#include "kernel/rm.h"
#include "base/err.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct trace {
    struct port port; /* first: a port_trace value is one of these */
    const struct port *inner;
    FILE *out;
    int owns_out;
    atomic_uint branch; /* NVIDIA driver's, learned from its answers; 580 until then */
    atomic_uint serial;
};

/* A line under construction, so that lines of several threads do not mix. */
struct line {
    char *text;
    size_t size;
    FILE *f;
};

static FILE *begin(struct trace *t, struct line *l)
{
    *l = (struct line){0};
    l->f = open_memstream(&l->text, &l->size);
    if (l->f)
        fprintf(l->f, "[%u] ", ++t->serial);
    return l->f;
}

/* Ends the line with the call's result; `answer`, printed in front of the newline, may be empty. */
static void end(struct trace *t, struct line *l)
{
    if (!l->f)
        return;
    if (fclose(l->f) == 0) {
        fprintf(t->out, "%s\n", l->text);
        fflush(t->out);
    }
    free(l->text);
}

static void result(FILE *f, int r)
{
    const char *name = r < 0 ? strerrorname_np(-r) : NULL;
    if (name)
        fprintf(f, " -> -%s", name);
    else
        fprintf(f, " -> %d", r);
}

/* The fields with a blank in front, if any is printed. */
static void fields(FILE *f, unsigned branch, const struct call_struct *s, const void *data, unsigned bytes,
                   const void *before)
{
    long mark = ftell(f);
    fputc(' ', f);
    if (!call_print_in(f, branch, s, data, bytes, before))
        fseek(f, mark, SEEK_SET);
}

static int trace_open(void *ctx, const char *path, int flags)
{
    struct trace *t = ctx;
    struct line l;
    int r = port_open(t->inner, path, flags);
    if (begin(t, &l)) {
        static const char *const modes[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
        fprintf(l.f, "open %s %s%s", path, modes[flags & O_ACCMODE], flags & O_CLOEXEC ? "|O_CLOEXEC" : "");
        if (flags & ~(O_ACCMODE | O_CLOEXEC))
            fprintf(l.f, "|0x%x", flags & ~(O_ACCMODE | O_CLOEXEC));
        result(l.f, r);
    }
    end(t, &l);
    return r;
}

static int trace_close(void *ctx, int fd)
{
    struct trace *t = ctx;
    struct line l;
    int r = port_close(t->inner, fd);
    if (begin(t, &l)) {
        fprintf(l.f, "close %d", fd);
        result(l.f, r);
    }
    end(t, &l);
    return r;
}

/* NVIDIA's structs depend on the driver's version, which clients ask first in one of two ways. */
static void learn_branch(struct trace *t, const struct call *c, const void *arg)
{
    char text[65] = {0}, warning[1];
    if (c->args == &nv_ioctl_rm_api_version_layout) {
        struct nv_ioctl_rm_api_version v;
        call_unpack(c->args, t->branch, &v, arg, c->args->size);
        memcpy(text, v.versionString, sizeof v.versionString);
    } else if (c->args == &nvos54_layout) {
        struct nvos54 control;
        call_unpack(c->args, t->branch, &control, arg, c->args->size);
        if (control.cmd != RM_CTRL_SYSTEM_GET_BUILD_VERSION_V2 || control.status || control.paramsSize < 64)
            return;
        memcpy(text, (const void *)(uintptr_t)control.params, 64); /* the driver has just written there */
    } else {
        return;
    }
    int branch = rm_branch_of(text, warning, sizeof warning);
    if (branch >= 0)
        t->branch = (unsigned)branch;
}

static int trace_ioctl(void *ctx, int fd, uint32_t request, void *arg)
{
    struct trace *t = ctx;
    struct line l;
    const struct call *c = call_lookup(request);
    unsigned branch = t->branch, size = arg ? call_bytes(c, request, branch) : 0;
    uint8_t *before = size ? malloc(size) : NULL;
    if (before)
        memcpy(before, arg, size);
    if (begin(t, &l)) {
        if (c)
            fprintf(l.f, "ioctl %d %s", fd, c->name);
        else
            fprintf(l.f, "ioctl %d 0x%08x", fd, request);
        /* another size than the newest header's: an older or newer client */
        if (c && c->args && size != call_struct_size(c->args, branch))
            fprintf(l.f, "(%u bytes)", size);
        if (c && c->args && before && (c->dir & CALL_W))
            fields(l.f, branch, c->args, before, size, NULL);
    }
    int r = port_ioctl(t->inner, fd, request, arg);
    if (l.f) {
        result(l.f, r);
        if (c && c->args && before && (c->dir & CALL_R))
            fields(l.f, branch, c->args, arg, size, before);
    }
    end(t, &l);
    if (r >= 0 && c && c->args && before)
        learn_branch(t, c, arg);
    free(before);
    return r;
}

static int trace_mmap(void *ctx, void **out, void *addr, size_t length, int prot, int flags, int fd,
                      uint64_t offset)
{
    struct trace *t = ctx;
    struct line l;
    int r = port_mmap(t->inner, out, addr, length, prot, flags, fd, offset);
    if (begin(t, &l)) {
        fprintf(l.f, "mmap addr=%p length=0x%zx prot=%s%s%s%s flags=%s%s%s", addr, length, prot ? "" : "none",
                prot & PROT_READ ? "r" : "", prot & PROT_WRITE ? "w" : "", prot & PROT_EXEC ? "x" : "",
                (flags & MAP_TYPE) == MAP_SHARED ? "shared" : "private",
                flags & MAP_ANONYMOUS ? "|anonymous" : "", flags & MAP_FIXED ? "|fixed" : "");
        if (!(flags & MAP_ANONYMOUS))
            fprintf(l.f, " fd=%d offset=0x%llx", fd, (unsigned long long)offset);
        result(l.f, r);
        if (r >= 0)
            fprintf(l.f, " %p", *out);
    }
    end(t, &l);
    return r;
}

static int trace_munmap(void *ctx, void *addr, size_t length)
{
    struct trace *t = ctx;
    struct line l;
    int r = port_munmap(t->inner, addr, length);
    if (begin(t, &l)) {
        fprintf(l.f, "munmap %p 0x%zx", addr, length);
        result(l.f, r);
    }
    end(t, &l);
    return r;
}

static int trace_path(struct trace *t, const char *what, const char *path, int r)
{
    struct line l;
    if (begin(t, &l)) {
        fprintf(l.f, "%s %s", what, path);
        result(l.f, r);
    }
    end(t, &l);
    return r;
}

static int trace_read_file(void *ctx, const char *path, void *buf, size_t cap)
{
    struct trace *t = ctx;
    return trace_path(t, "read_file", path, port_read_file(t->inner, path, buf, cap));
}

static int trace_list_dir(void *ctx, const char *path, char *buf, size_t cap)
{
    struct trace *t = ctx;
    return trace_path(t, "list_dir", path, port_list_dir(t->inner, path, buf, cap));
}

static int trace_idle(void *ctx, uint64_t timeout_ns)
{
    struct trace *t = ctx;
    struct line l;
    int r = port_idle(t->inner, timeout_ns);
    /* a waiter's rounds in which nothing happened are not worth a line each */
    if (r && begin(t, &l)) {
        fprintf(l.f, "idle %llu", (unsigned long long)timeout_ns);
        result(l.f, r);
        end(t, &l);
    }
    return r;
}

static void trace_destroy(void *ctx)
{
    struct trace *t = ctx;
    port_destroy(t->inner);
    if (t->owns_out)
        fclose(t->out);
    free(t);
}

struct port *port_trace(const struct port *inner, FILE *out)
{
    struct trace *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->port = (struct port){
        .name = inner->name,
        .ctx = t,
        .open = trace_open,
        .close = trace_close,
        .ioctl = trace_ioctl,
        .mmap = trace_mmap,
        .munmap = trace_munmap,
        .read_file = trace_read_file,
        .list_dir = trace_list_dir,
        .idle = trace_idle,
        .destroy = trace_destroy,
    };
    t->inner = inner;
    t->out = out;
    t->branch = RM_580;
    return &t->port;
}

const struct port *port_trace_env(const struct port *inner)
{
    const char *path = getenv("NXGPU_TRACE");
    if (!path || !*path)
        return inner;
    int own = strcmp(path, "-") != 0;
    FILE *out = own ? fopen(path, "ae") : stderr;
    if (!out) {
        fail(-errno, "NXGPU_TRACE=%s: cannot write: %s", path, strerror(errno));
        return NULL;
    }
    struct port *p = port_trace(inner, out);
    if (!p) {
        fail(-ENOMEM, "trace: out of memory");
        if (own)
            fclose(out);
        return NULL;
    }
    ((struct trace *)p->ctx)->owns_out = own;
    return p;
}
