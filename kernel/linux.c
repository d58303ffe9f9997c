/* The port to the real drivers. The only file that makes device system calls. */
#define _GNU_SOURCE
#include "kernel/port.h"
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { NAP_NS = 50000 };

static int linux_open(void *ctx, const char *path, int flags)
{
    (void)ctx;
    int fd = open(path, flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static int linux_close(void *ctx, int fd)
{
    (void)ctx;
    return close(fd) ? -errno : 0;
}

static int linux_ioctl(void *ctx, int fd, uint32_t request, void *arg)
{
    (void)ctx;
    int r;
    /* KFD answers EINTR for any signal, DRM also EAGAIN after a lock it could not take: both mean "again" */
    do
        r = ioctl(fd, (unsigned long)request, arg);
    while (r < 0 && (errno == EINTR || (errno == EAGAIN && (request >> 8 & 0xff) == 'd')));
    return r < 0 ? -errno : r;
}

static int linux_mmap(void *ctx, void **out, void *addr, size_t length, int prot, int flags, int fd,
                      uint64_t offset)
{
    (void)ctx;
    /* KFD's doorbell offsets have bit 63 set: off_t is only a carrier of 64 bits here */
    void *p = mmap(addr, length, prot, flags, fd, (off_t)offset);
    if (p == MAP_FAILED)
        return -errno;
    *out = p;
    return 0;
}

static int linux_munmap(void *ctx, void *addr, size_t length)
{
    (void)ctx;
    return munmap(addr, length) ? -errno : 0;
}

static int linux_read_file(void *ctx, const char *path, void *buf, size_t cap)
{
    (void)ctx;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    size_t n = 0;
    ssize_t r = 1;
    while (n < cap && (r = read(fd, (char *)buf + n, cap - n)) != 0) {
        if (r > 0)
            n += (size_t)r;
        else if (errno != EINTR)
            break;
    }
    int err = r < 0 ? -errno : n >= cap ? -ERANGE : (int)n;
    close(fd);
    if (err >= 0)
        ((char *)buf)[n] = 0;
    return err;
}

static int by_number_then_name(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    int nx = strspn(x, "0123456789") == strlen(x), ny = strspn(y, "0123456789") == strlen(y);
    if (nx != ny)
        return ny - nx;
    if (nx && strlen(x) != strlen(y))
        return strlen(x) < strlen(y) ? -1 : 1;
    return strcmp(x, y);
}

/* Sorts `count` strings lying one behind another in buf[used]; 0 or -ENOMEM. */
static int sort_names(char *buf, size_t used, int count)
{
    if (count < 2)
        return 0;
    char **names = malloc((size_t)count * sizeof *names + used);
    if (!names)
        return -ENOMEM;
    char *copy = (char *)(names + count), *p = copy;
    memcpy(copy, buf, used);
    for (int i = 0; i < count; i++, p += strlen(p) + 1)
        names[i] = p;
    qsort(names, (size_t)count, sizeof *names, by_number_then_name);
    for (int i = 0; i < count; i++)
        buf = stpcpy(buf, names[i]) + 1;
    free(names);
    return 0;
}

static int linux_list_dir(void *ctx, const char *path, char *buf, size_t cap)
{
    (void)ctx;
    DIR *d = opendir(path);
    if (!d)
        return -errno;
    size_t used = 0;
    int count = 0, err = 0;
    for (struct dirent *e; !err && (errno = 0, e = readdir(d));) {
        size_t n = strlen(e->d_name) + 1;
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        if (n > cap - used) {
            err = -ERANGE;
            break;
        }
        memcpy(buf + used, e->d_name, n);
        used += n;
        count++;
    }
    if (!err)
        err = -errno;
    closedir(d);
    if (!err)
        err = sort_names(buf, used, count);
    return err ? err : count;
}

static int linux_idle(void *ctx, uint64_t timeout_ns)
{
    (void)ctx;
    if (!timeout_ns)
        sched_yield();
    else
        nanosleep(&(struct timespec){0, timeout_ns < NAP_NS ? (long)timeout_ns : NAP_NS}, NULL);
    return 0;
}

const struct port *port_linux(void)
{
    static const struct port linux_port = {
        .name = "linux",
        .open = linux_open,
        .close = linux_close,
        .ioctl = linux_ioctl,
        .mmap = linux_mmap,
        .munmap = linux_munmap,
        .read_file = linux_read_file,
        .list_dir = linux_list_dir,
        .idle = linux_idle,
    };
    return &linux_port;
}
