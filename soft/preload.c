/* The preload library: libc's calls that name or use a device, sent to the software GPU; everything else passes
 * through. Device nodes open as real descriptors (preload_dev.c); paths of amdgpu's and amdkfd's files are
 * rewritten into the launcher's directory. No constructor: a program that never touches a GPU pays a few string
 * comparisons. Calls inside libc do not come by here (fopen's own open, scandir's opendir), so every entry point
 * that takes a path has its own row. */
#define _GNU_SOURCE
#include "soft/emu.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
/* libc's own function of that name */
#define NEXT(name)                                                                                           \
    ({                                                                                                       \
        static __typeof__(&name) next_;                                                                      \
        if (!next_)                                                                                          \
            next_ = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                              \
        next_;                                                                                               \
    })

const char *emu_root(void)
{
    static const char *root;
    if (!root) {
        const char *env = getenv(EMU_ENV_ROOT);
        root = env && *env ? strdup(env) : "";
    }
    return root && *root ? root : NULL;
}

/* The path to use instead, in buf, or path itself. */
static const char *redirect(const char *path, char *buf)
{
    static const struct {
        const char *text;
        int open_end; /* more of the same name may follow */
    } prefix[] = {
        {"/sys/devices/virtual/kfd", 0},
        {"/sys/class/kfd", 0},
        {"/sys/class/drm", 0},
        {"/sys/module/amdgpu", 0},
        {"/sys/dev/char/226:", 1},
        {"/sys/kernel/debug/nxgpu", 0},
        {"/proc/modules", 0},
        {"/dev/kfd", 0},
        {"/dev/dri", 0},
    };
    if (!path || path[0] != '/' || (path[1] != 's' && path[1] != 'd' && path[1] != 'p') || !emu_root())
        return path;
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++) {
        size_t n = strlen(prefix[i].text);
        if (strncmp(path, prefix[i].text, n) || (!prefix[i].open_end && path[n] && path[n] != '/'))
            continue;
        if (snprintf(buf, PATH_MAX, "%s%s", emu_root(), path) < PATH_MAX)
            return buf;
    }
    return path;
}
#define REDIRECT(path) redirect(path, (char[PATH_MAX]){0})

static enum emu_node device_at(const char *path, unsigned *gpu)
{
    return path && emu_root() ? emu_device(path, gpu) : EMU_NONE;
}

/* -1 and errno, or the descriptor; -2: no device. */
static int open_device(const char *path, int flags)
{
    unsigned gpu;
    enum emu_node node = device_at(path, &gpu);
    if (!node)
        return -2;
    int fd = emu_open(node, gpu, flags);
    if (fd >= 0)
        return fd;
    errno = -fd;
    return -1;
}

#define NEEDS_MODE(flags) ((flags)&O_CREAT || ((flags)&O_TMPFILE) == O_TMPFILE)
#define OPEN_BODY(path, flags, call)                                                                         \
    va_list ap;                                                                                              \
    mode_t mode = 0;                                                                                         \
    va_start(ap, flags);                                                                                     \
    if (NEEDS_MODE(flags))                                                                                   \
        mode = va_arg(ap, mode_t);                                                                           \
    va_end(ap);                                                                                              \
    int fd = open_device(path, flags);                                                                       \
    return fd != -2 ? fd : call

EXPORT int open(const char *path, int flags, ...)
{
    OPEN_BODY(path, flags, NEXT(open)(REDIRECT(path), flags, mode));
}
EXPORT int open64(const char *path, int flags, ...)
{
    OPEN_BODY(path, flags, NEXT(open64)(REDIRECT(path), flags, mode));
}
EXPORT int openat(int dir, const char *path, int flags, ...)
{
    OPEN_BODY(path, flags, NEXT(openat)(dir, REDIRECT(path), flags, mode));
}
EXPORT int openat64(int dir, const char *path, int flags, ...)
{
    OPEN_BODY(path, flags, NEXT(openat64)(dir, REDIRECT(path), flags, mode));
}

/* glibc's fortified forms and the stat family of before 2.33: not in its headers */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
ssize_t __readlink_chk(const char *path, char *buf, size_t n, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *buf, size_t n, size_t room);
char *__realpath_chk(const char *path, char *out, size_t room);
int __xstat(int version, const char *path, struct stat *st);
int __xstat64(int version, const char *path, struct stat64 *st);
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat64(int version, const char *path, struct stat64 *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstat64(int version, int fd, struct stat64 *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags);

EXPORT int __open_2(const char *path, int flags)
{
    int fd = open_device(path, flags);
    return fd != -2 ? fd : NEXT(__open_2)(REDIRECT(path), flags);
}
EXPORT int __open64_2(const char *path, int flags)
{
    int fd = open_device(path, flags);
    return fd != -2 ? fd : NEXT(__open64_2)(REDIRECT(path), flags);
}
EXPORT int __openat_2(int dir, const char *path, int flags)
{
    int fd = open_device(path, flags);
    return fd != -2 ? fd : NEXT(__openat_2)(dir, REDIRECT(path), flags);
}
EXPORT int __openat64_2(int dir, const char *path, int flags)
{
    int fd = open_device(path, flags);
    return fd != -2 ? fd : NEXT(__openat64_2)(dir, REDIRECT(path), flags);
}

/* Calls that only need their path changed: result type, name, parameters, arguments with P(path). */
#define P(path) REDIRECT(path)
#define PATH_CALL(type, name, params, args)                                                                  \
    EXPORT type name params                                                                                  \
    {                                                                                                        \
        return NEXT(name) args;                                                                              \
    }
PATH_CALL(FILE *, fopen, (const char *path, const char *mode), (P(path), mode))
PATH_CALL(FILE *, fopen64, (const char *path, const char *mode), (P(path), mode))
PATH_CALL(DIR *, opendir, (const char *path), (P(path)))
PATH_CALL(int, access, (const char *path, int mode), (P(path), mode))
PATH_CALL(int, euidaccess, (const char *path, int mode), (P(path), mode))
PATH_CALL(int, eaccess, (const char *path, int mode), (P(path), mode))
PATH_CALL(int, faccessat, (int dir, const char *path, int mode, int flags), (dir, P(path), mode, flags))
PATH_CALL(ssize_t, readlink, (const char *path, char *buf, size_t n), (P(path), buf, n))
PATH_CALL(ssize_t, readlinkat, (int dir, const char *path, char *buf, size_t n), (dir, P(path), buf, n))
PATH_CALL(ssize_t, __readlink_chk, (const char *path, char *buf, size_t n, size_t room),
          (P(path), buf, n, room))
PATH_CALL(ssize_t, __readlinkat_chk, (int dir, const char *path, char *buf, size_t n, size_t room),
          (dir, P(path), buf, n, room))
PATH_CALL(int, scandir,
          (const char *path, struct dirent ***list, int (*filter)(const struct dirent *),
           int (*order)(const struct dirent **, const struct dirent **)),
          (P(path), list, filter, order))
PATH_CALL(int, scandir64,
          (const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *),
           int (*order)(const struct dirent64 **, const struct dirent64 **)),
          (P(path), list, filter, order))

/* realpath: the directory's own name must not show. */
static char *plain(char *r)
{
    const char *root = emu_root();
    size_t n = root ? strlen(root) : 0;
    if (r && n && !strncmp(r, root, n) && r[n] == '/')
        memmove(r, r + n, strlen(r + n) + 1);
    return r;
}
EXPORT char *realpath(const char *path, char *out)
{
    return plain(NEXT(realpath)(P(path), out));
}
EXPORT char *__realpath_chk(const char *path, char *out, size_t room)
{
    return plain(NEXT(__realpath_chk)(P(path), out, room));
}

/* What a device's stat says instead of the sparse file's. */
static void as_device(struct stat *st, dev_t rdev)
{
    st->st_mode = S_IFCHR | 0666;
    st->st_rdev = rdev;
    st->st_size = 0;
    st->st_blocks = 0;
}
static int fix_fd(int r, void *out)
{
    struct stat *st = out; /* struct stat64 is the same on 64-bit machines */
    dev_t rdev;
    if (!r && S_ISREG(st->st_mode) && emu_identify(st->st_dev, st->st_ino, &rdev))
        as_device(st, rdev);
    return r;
}
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "64-bit");
/* The launcher's directory has an empty file in each node's place. */
static int fix_path(int r, const char *path, void *out)
{
    unsigned gpu;
    enum emu_node node = r ? EMU_NONE : device_at(path, &gpu);
    if (node)
        as_device(out, emu_rdev(node, gpu));
    return r;
}
#define STAT_CALLS(name, type)                                                                               \
    EXPORT int name(const char *path, struct type *st)                                                       \
    {                                                                                                        \
        return fix_path(NEXT(name)(P(path), st), path, st);                                                  \
    }
STAT_CALLS(stat, stat)
STAT_CALLS(stat64, stat64)
STAT_CALLS(lstat, stat)
STAT_CALLS(lstat64, stat64)
#define XSTAT_CALLS(name, type)                                                                              \
    EXPORT int name(int version, const char *path, struct type *st)                                          \
    {                                                                                                        \
        return fix_path(NEXT(name)(version, P(path), st), path, st);                                         \
    }
XSTAT_CALLS(__xstat, stat)
XSTAT_CALLS(__xstat64, stat64)
XSTAT_CALLS(__lxstat, stat)
XSTAT_CALLS(__lxstat64, stat64)

EXPORT int fstat(int fd, struct stat *st)
{
    return fix_fd(NEXT(fstat)(fd, st), st);
}
EXPORT int fstat64(int fd, struct stat64 *st)
{
    return fix_fd(NEXT(fstat64)(fd, st), st);
}
EXPORT int __fxstat(int version, int fd, struct stat *st)
{
    return fix_fd(NEXT(__fxstat)(version, fd, st), st);
}
EXPORT int __fxstat64(int version, int fd, struct stat64 *st)
{
    return fix_fd(NEXT(__fxstat64)(version, fd, st), st);
}
EXPORT int fstatat(int dir, const char *path, struct stat *st, int flags)
{
    return fix_path(fix_fd(NEXT(fstatat)(dir, P(path), st, flags), st), path, st);
}
EXPORT int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
    return fix_path(fix_fd(NEXT(fstatat64)(dir, P(path), st, flags), st), path, st);
}
EXPORT int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags)
{
    return fix_path(fix_fd(NEXT(__fxstatat)(version, dir, P(path), st, flags), st), path, st);
}
EXPORT int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags)
{
    return fix_path(fix_fd(NEXT(__fxstatat64)(version, dir, P(path), st, flags), st), path, st);
}
EXPORT int statx(int dir, const char *restrict path, int flags, unsigned mask, struct statx *restrict st)
{
    unsigned gpu;
    dev_t rdev = 0;
    int r = NEXT(statx)(dir, P(path), flags, mask, st);
    if (r)
        return r;
    enum emu_node node = device_at(path, &gpu);
    if (node)
        rdev = emu_rdev(node, gpu);
    else if (!emu_identify(makedev(st->stx_dev_major, st->stx_dev_minor), st->stx_ino, &rdev))
        return r;
    st->stx_mode = S_IFCHR | 0666;
    st->stx_rdev_major = major(rdev);
    st->stx_rdev_minor = minor(rdev);
    st->stx_size = st->stx_blocks = 0;
    return r;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list ap;
    va_start(ap, request);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    int r;
    if (!emu_ioctl(fd, request, arg, &r))
        return NEXT(ioctl)(fd, request, arg);
    if (r >= 0)
        return r;
    errno = -r;
    return -1;
}
