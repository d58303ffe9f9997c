/* The device side of the preload library: descriptors that the kernel can map, driver calls, fork.
 *
 * A descriptor is a real one, of the sparse file behind the node, so that mmap needs no interposing (some clients
 * call it through a handle that no preload can catch) and dup, F_DUPFD and passing keep working: it is known by
 * its file's identity, never by its number. */
#define _GNU_SOURCE
#include "base/err.h"
#include "soft/emu.h"
#include "soft/gpu.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { KFD_MAJOR = 240, DRM_MAJOR = 226, FIRST_MINOR = 128, MAX_STALE = 64 };

struct identity {
    dev_t dev;
    ino_t ino;
};
struct machine {
    struct port *port;
    struct soft *soft;
    unsigned ngpus;
    struct emu_report *report;
    /* [0] /dev/kfd, [1 + g] GPU g's render node: */
    struct identity id[1 + MAX_GPUS];
    int fd[1 + MAX_GPUS]; /* the port's descriptor, -1: not opened yet */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct machine *machine; /* NULL until a device is opened; read with acquire */
/* A forked child must not run on its parent's rings: what it inherited answers EBADF, as the driver does. */
static struct {
    struct identity id;
    unsigned node;
} stale[MAX_STALE];
static unsigned nstale;

static struct machine *current(void)
{
    return __atomic_load_n(&machine, __ATOMIC_ACQUIRE);
}

/* fstat without our own interposed one. */
static int identity_of(int fd, struct identity *id)
{
    struct stat st;
    if (syscall(SYS_fstat, fd, &st))
        return -errno;
    *id = (struct identity){st.st_dev, st.st_ino};
    return 0;
}
static int same(const struct identity *a, const struct identity *b)
{
    return a->ino == b->ino && a->dev == b->dev;
}

enum emu_node emu_device(const char *path, unsigned *gpu)
{
    static const char render[] = "/dev/dri/renderD";
    *gpu = 0;
    if (!strcmp(path, "/dev/kfd"))
        return EMU_KFD;
    if (strncmp(path, render, sizeof render - 1))
        return EMU_NONE;
    char *end;
    unsigned long minor = strtoul(path + sizeof render - 1, &end, 10);
    if (*end || minor < FIRST_MINOR || minor >= FIRST_MINOR + MAX_GPUS)
        return EMU_NONE;
    *gpu = (unsigned)minor - FIRST_MINOR;
    return EMU_RENDER;
}

dev_t emu_rdev(enum emu_node node, unsigned gpu)
{
    return node == EMU_KFD ? makedev(KFD_MAJOR, 0) : makedev(DRM_MAJOR, FIRST_MINOR + gpu);
}

static void in_child(void)
{
    struct machine *m = machine;
    pthread_mutex_init(&lock, NULL);
    if (!m)
        return;
    for (unsigned i = 0; i <= m->ngpus && nstale < MAX_STALE; i++) {
        stale[nstale].id = m->id[i];
        stale[nstale++].node = i;
    }
    machine =
        NULL; /* its threads and locks stayed in the parent; a new one is made when a device is opened */
}

_Static_assert(offsetof(struct emu_report, fault) - offsetof(struct emu_report, faults) ==
                   offsetof(struct soft_faults, last),
               "the report holds a struct soft_faults");

static void report_start(struct machine *m)
{
    char path[512];
    snprintf(path, sizeof path, "%s/" EMU_REPORTS "/%d", emu_root(), (int)getpid());
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (!ftruncate(fd, sizeof *m->report)) {
        void *p = mmap(NULL, sizeof *m->report, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (p != MAP_FAILED) {
            m->report = p;
            m->report->pid = (uint32_t)getpid();
            m->report->gpus = m->ngpus;
            m->soft->faults = (void *)&m->report->faults;
            snprintf(m->report->program, sizeof m->report->program, "%s", program_invocation_short_name);
        }
    }
    close(fd);
}

/* With the lock held. 0 or -errno. */
static int machine_start(void)
{
    static int hooked;
    if (machine)
        return 0;
    struct machine *m = calloc(1, sizeof *m);
    const char *spec = getenv(EMU_ENV_SPEC);
    if (!m)
        return fail(-ENOMEM, "no memory for a software GPU");
    int err = port_soft(spec && *spec ? spec : "gfx1100", &m->port);
    if (err) {
        free(m);
        return err;
    }
    m->soft = m->port->ctx;
    m->ngpus = m->soft->ngpus;
    for (unsigned i = 0; i <= m->ngpus; i++) {
        int *fd = i ? &m->soft->gpu[i - 1].memfd : &m->soft->kfd_memfd;
        int high = fcntl(*fd, F_DUPFD_CLOEXEC, 700); /* out of the way of programs that count descriptors */
        if (high >= 0) {
            close(*fd);
            *fd = high;
        }
        m->fd[i] = -1;
        if ((err = identity_of(*fd, &m->id[i]))) {
            port_destroy(m->port);
            free(m);
            return err;
        }
    }
    report_start(m);
    if (!hooked++)
        pthread_atfork(NULL, NULL, in_child);
    __atomic_store_n(&machine, m, __ATOMIC_RELEASE);
    return 0;
}

/* The port's own descriptor of a node. With the lock held. */
static int port_fd(struct machine *m, unsigned node)
{
    char path[64];
    if (m->fd[node] >= 0)
        return m->fd[node];
    if (node)
        snprintf(path, sizeof path, "/dev/dri/renderD%u", FIRST_MINOR + node - 1);
    else
        snprintf(path, sizeof path, "/dev/kfd");
    return m->fd[node] = port_open(m->port, path, O_RDWR);
}

int emu_open(enum emu_node node, unsigned gpu, int flags)
{
    char path[64];
    pthread_mutex_lock(&lock);
    int fd, err = machine_start();
    if (!err && node == EMU_RENDER && gpu >= machine->ngpus)
        err = -ENOENT;
    if (!err && node == EMU_KFD)
        err = soft_thread(machine->soft);
    if (!err) {
        unsigned i = node == EMU_KFD ? 0 : 1 + gpu;
        int own = i ? machine->soft->gpu[gpu].memfd : machine->soft->kfd_memfd;
        fd = port_fd(machine, i);
        /* a new open file, so that access mode and offset are the caller's */
        snprintf(path, sizeof path, "/proc/self/fd/%d", own);
        err = fd < 0 ? fd
                     : (int)syscall(SYS_openat, AT_FDCWD, path, flags & (O_ACCMODE | O_CLOEXEC | O_NONBLOCK));
        if (fd >= 0 && err < 0)
            err = -errno;
    }
    pthread_mutex_unlock(&lock);
    if (err < 0)
        debug("emu", "open of device node %d: %s", (int)node, err == -ENOENT ? "no such GPU" : fail_text());
    return err;
}

/* Index into id[], or -1. *inherited: it came through fork. */
static int node_of(const struct identity *id, int *inherited)
{
    const struct machine *m = current();
    *inherited = 0;
    for (unsigned i = 0; m && i <= m->ngpus; i++)
        if (same(id, &m->id[i]))
            return (int)i;
    *inherited = 1;
    for (unsigned i = 0; i < nstale; i++)
        if (same(id, &stale[i].id))
            return (int)stale[i].node;
    return -1;
}

enum emu_node emu_identify(dev_t dev, ino_t ino, dev_t *rdev)
{
    int inherited, i = node_of(&(struct identity){dev, ino}, &inherited);
    if (i < 0)
        return EMU_NONE;
    enum emu_node node = i ? EMU_RENDER : EMU_KFD;
    *rdev = emu_rdev(node, i ? (unsigned)i - 1 : 0);
    return node;
}

/* ACQUIRE_VM names a descriptor of the client: it becomes the port's. */
static int acquire_vm(struct machine *m, int fd, uint32_t request, void *arg)
{
    struct kfd_acquire_vm a = {0};
    struct identity id;
    int inherited, node = -1, err;
    if (call_size(request) < sizeof a)
        return fail(-EINVAL, "ACQUIRE_VM of %u bytes", call_size(request));
    if ((err = user_read(&a, arg, sizeof a)))
        return err;
    if (!identity_of((int)a.drm_fd, &id))
        node = node_of(&id, &inherited);
    if (node <= 0 || inherited)
        return fail(-EINVAL, "ACQUIRE_VM: descriptor %u is no render node of this process", a.drm_fd);
    pthread_mutex_lock(&lock);
    int r = port_fd(m, (unsigned)node);
    pthread_mutex_unlock(&lock);
    if (r < 0)
        return r;
    a.drm_fd = (uint32_t)r;
    return port_ioctl(m->port, fd, request, &a);
}

int emu_ioctl(int fd, unsigned long request, void *arg, int *result)
{
    struct identity id;
    int inherited, node;
    struct machine *m = current();
    if ((!m && !nstale) || identity_of(fd, &id) || (node = node_of(&id, &inherited)) < 0)
        return 0;
    unsigned type = request >> 8 & 0xff, nr = request & 0xff;
    if (type == 'T') /* terminal and descriptor calls are the file's own */
        return 0;
    if (inherited) {
        debug("emu",
              "descriptor %d was opened before fork: /dev/kfd must be opened in the process that uses it",
              fd);
        *result = -EBADF;
        return 1;
    }
    pthread_mutex_lock(&lock);
    int own = port_fd(m, (unsigned)node);
    pthread_mutex_unlock(&lock);
    int r = own < 0                            ? own
            : !node && nr == KFD_NR_ACQUIRE_VM ? acquire_vm(m, own, (uint32_t)request, arg)
                                               : port_ioctl(m->port, own, (uint32_t)request, arg);
    struct emu_report *rep = m->report;
    if (rep) {
        struct emu_count *c = &rep->call[node != 0][nr];
        __atomic_fetch_add(&c->calls, 1, __ATOMIC_RELAXED);
        if (r < 0) {
            __atomic_fetch_add(&c->failed, 1, __ATOMIC_RELAXED);
            c->error = r;
        }
    }
    if (r < 0)
        debug("emu", "%s call 0x%02x: %s", node ? "render node" : "/dev/kfd", nr, fail_text());
    *result = r;
    return 1;
}
