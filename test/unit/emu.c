/* Device files under `nxgpu emu`, as an unmodified program sees them: this program starts itself again under the
 * launcher and there uses plain libc. Cases of facts/cases.md: T01, T02, T04, T05, T20 and the descriptor rules.
 * Outside witnesses of the whole: rocminfo, ROCr and tinygrad run on the same library (test/clients). */
#define _GNU_SOURCE
#include "kernel/drm.h"
#include "kernel/kfd.h"
#include "test/test.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODES "/sys/devices/virtual/kfd/kfd/topology/nodes"

static int version_of(int fd) /* minor version, or -errno */
{
    struct kfd_get_version v = {0};
    return ioctl(fd, KFD_GET_VERSION, &v) ? -errno : (int)v.minor_version;
}
/* Runs fn in a forked child: its result (0..255), or 256 + signal. */
static int in_child(int (*fn)(int), int arg)
{
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid)
        _exit(fn(arg));
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}
static unsigned gpu_id(void)
{
    unsigned id = 0;
    FILE *f = fopen(NODES "/1/gpu_id", "r");
    CHECK(f && fscanf(f, "%u", &id) == 1);
    if (f)
        fclose(f);
    return id;
}

static int child_opens(int arg)
{
    (void)arg;
    int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    return fd < 0 ? 1 : version_of(fd) < 14 ? 2 : 0;
}
TEST(fork_before_first_use) /* T05; must run first */
{
    CHECK_EQ(in_child(child_opens, 0), 0);
    CHECK_EQ(in_child(child_opens, 0), 0);
}

static int child_uses(int fd)
{
    int r = version_of(fd);
    return r == -EBADF ? child_opens(0) : 100;
}
TEST(fork_after_first_use) /* T05: what was inherited is refused, a new open works */
{
    int fd = open("/dev/kfd", O_RDWR);
    CHECK(version_of(fd) >= 14);
    CHECK_EQ(in_child(child_uses, fd), 0);
    CHECK(version_of(fd) >= 14);
    close(fd);
}

TEST(descriptors)
{
    int fd = open64("/dev/kfd", O_RDWR | O_CLOEXEC), copy = dup(fd), high = fcntl(fd, F_DUPFD_CLOEXEC, 200),
        pair[2];
    int minor = version_of(fd);
    CHECK(minor >= 14);
    CHECK_EQ(version_of(copy), minor);
    CHECK_EQ(version_of(high), minor);
    close(fd);
    CHECK_EQ(version_of(fd), -EBADF);
    CHECK_EQ(version_of(copy), minor);
    /* passed through a socket */
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec io = {&byte, 1};
    struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &copy, sizeof copy);
    CHECK_EQ(sendmsg(pair[0], &m, 0), 1);
    close(copy);
    CHECK_EQ(recvmsg(pair[1], &m, 0), 1);
    memcpy(&copy, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof copy);
    CHECK_EQ(version_of(copy), minor);
    close(copy), close(high), close(pair[0]), close(pair[1]);
    /* a file of the program's own is left alone */
    fd = open("/dev/null", O_RDWR);
    CHECK_EQ(version_of(fd), -ENOTTY);
    close(fd);
}

TEST(refused_calls) /* T01, T02: -1 and errno, as the driver's table says */
{
    int fd = open("/dev/kfd", O_RDWR);
    unsigned char arg[256] = {0};
    CHECK_EQ(ioctl(fd, 0x4b7f, arg), -1);
    CHECK_EQ(errno, ENOTTY);
    errno = 0;
    CHECK_EQ(ioctl(fd, 0xc0284b82, arg), -1);
    CHECK_EQ(errno, ENOTTY);
    CHECK_EQ(ioctl(fd, _IOW('K', 0x0d, uint64_t), arg), -1);
    CHECK_EQ(errno, EPERM);
    CHECK_EQ(ioctl(fd, KFD_GET_VERSION, NULL), -1);
    CHECK_EQ(errno, EFAULT);
    CHECK_EQ(ioctl(fd, KFD_DBG_TRAP, arg), -1); /* T20: process 0 */
    CHECK_EQ(errno, ESRCH);
    close(fd);
    CHECK_EQ(open("/dev/dri/renderD200", O_RDWR), -1);
    CHECK_EQ(errno, ENOENT);
}

TEST(names_and_identity)
{
    struct stat st, other;
    struct statx sx;
    CHECK_EQ(stat("/dev/kfd", &st), 0);
    CHECK(S_ISCHR(st.st_mode));
    int fd = open("/dev/dri/renderD128", O_RDWR);
    CHECK(fd >= 0);
    CHECK_EQ(fstat(fd, &st), 0);
    CHECK_EQ(lstat("/dev/dri/renderD128", &other), 0);
    CHECK(S_ISCHR(st.st_mode) && S_ISCHR(other.st_mode));
    CHECK_EQ(st.st_rdev, makedev(226, 128));
    CHECK_EQ(other.st_rdev, st.st_rdev);
    CHECK_EQ(statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &sx), 0);
    CHECK_EQ(sx.stx_rdev_minor, 128);
    CHECK_EQ(fstatat(fd, "", &st, AT_EMPTY_PATH), 0);
    CHECK_EQ(st.st_rdev, makedev(226, 128));
    close(fd);
    CHECK_EQ(access("/dev/kfd", R_OK | W_OK), 0);
    CHECK_EQ(access(NODES "/1/properties", R_OK), 0);
    CHECK_EQ(access(NODES "/7/properties", R_OK), -1);
    char target[PATH_MAX];
    CHECK(readlink("/sys/class/kfd/kfd", target, sizeof target) > 0);
    CHECK(realpath(NODES "/../nodes/1/name", target) != NULL);
    CHECK_STR(target, NODES "/1/name");
    struct dirent **list;
    int n = scandir(NODES, &list, NULL, alphasort);
    CHECK_EQ(n, 2 + 3);
    for (int i = 0; i < n; i++)
        free(list[i]);
    free(list);
    DIR *d = opendir("/dev/dri");
    CHECK(d != NULL);
    if (d)
        closedir(d);
    int dir = open(NODES "/1", O_RDONLY | O_DIRECTORY); /* relative to it: the kernel's work */
    CHECK(dir >= 0);
    CHECK_EQ(faccessat(dir, "properties", R_OK, 0), 0);
    close(dir);
}

TEST(access_mode_rules)
{
    int fd = open("/dev/kfd", O_RDONLY);
    CHECK(version_of(fd) >= 14);
    CHECK(mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 2ll << 32) == MAP_FAILED);
    CHECK_EQ(errno, EACCES);
    close(fd);
}

/* Memory behind the render node: mapped by a raw system call, which no preload sees; shared by two mappings; gone
 * after FREE; another GPU's VM refused. */
TEST(memory)
{
    int kfd = open("/dev/kfd", O_RDWR), render = open("/dev/dri/renderD128", O_RDWR),
        second = open("/dev/dri/renderD129", O_RDWR);
    unsigned id = gpu_id();
    struct kfd_acquire_vm wrong = {.drm_fd = (uint32_t)second, .gpu_id = id};
    CHECK_EQ(ioctl(kfd, KFD_ACQUIRE_VM, &wrong), -1);
    CHECK_EQ(errno, EINVAL);
    wrong.drm_fd = 1;
    CHECK_EQ(ioctl(kfd, KFD_ACQUIRE_VM, &wrong), -1);
    CHECK_EQ(errno, EINVAL);
    struct kfd_acquire_vm vm = {.drm_fd = (uint32_t)render, .gpu_id = id};
    CHECK_EQ(ioctl(kfd, KFD_ACQUIRE_VM, &vm), 0);
    char *va = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct kfd_alloc_memory_of_gpu a = {.va_addr = (uintptr_t)va,
                                        .size = 1 << 20,
                                        .gpu_id = id,
                                        .flags = KFD_MEM_VRAM | KFD_MEM_WRITABLE | KFD_MEM_PUBLIC};
    CHECK_EQ(ioctl(kfd, KFD_ALLOC_MEMORY_OF_GPU, &a), 0);
    long one =
        syscall(SYS_mmap, va, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, render, a.mmap_offset);
    CHECK(one == (long)va);
    char *two = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, render, (off_t)a.mmap_offset);
    CHECK(two != MAP_FAILED);
    memset(va, 0x5a, 1 << 20);
    CHECK(two != MAP_FAILED && two[(1 << 20) - 1] == 0x5a);
    struct kfd_free_memory_of_gpu f = {a.handle};
    CHECK_EQ(ioctl(kfd, KFD_FREE_MEMORY_OF_GPU, &f), 0);
    CHECK_EQ(ioctl(kfd, KFD_FREE_MEMORY_OF_GPU, &f), -1);
    CHECK(two != MAP_FAILED && two[0] == 0); /* its pages went back */
    munmap(two, 1 << 20), munmap(va, 1 << 20);
    close(kfd), close(render), close(second);
}

static void *sleeper(void *arg)
{
    uint32_t id = *(uint32_t *)arg;
    struct kfd_event e = {.event_id = id};
    int fd = open("/dev/kfd", O_RDWR);
    struct kfd_wait_events w = {.events_ptr = (uintptr_t)&e, .num_events = 1, .timeout = 20000};
    long r = ioctl(fd, KFD_WAIT_EVENTS, &w) ? -errno : (long)w.wait_result;
    close(fd);
    return (void *)r;
}
TEST(every_waiter_is_woken)
{
    int kfd = open("/dev/kfd", O_RDWR);
    struct kfd_create_event e = {.event_type = KFD_EVENT_SIGNAL};
    CHECK_EQ(ioctl(kfd, KFD_CREATE_EVENT, &e), 0);
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, sleeper, &e.event_id);
    usleep(20000);
    struct kfd_set_event s = {.event_id = e.event_id};
    CHECK_EQ(ioctl(kfd, KFD_SET_EVENT, &s), 0);
    for (int i = 0; i < 4; i++) {
        void *r;
        pthread_join(t[i], &r);
        CHECK_EQ((long)r, KFD_WAIT_COMPLETE);
    }
    close(kfd);
}

/* A killed neighbour; exec with a machine running. */
static int child_killed(int arg)
{
    (void)arg;
    child_opens(0);
    raise(SIGKILL);
    return 0;
}
static int child_execs(int arg)
{
    (void)arg;
    if (child_opens(0))
        return 1;
    execl("/bin/true", "true", (char *)NULL);
    return 2;
}
TEST(neighbours)
{
    int fd = open("/dev/kfd", O_RDWR);
    CHECK_EQ(in_child(child_killed, 0), 256 + SIGKILL);
    CHECK_EQ(in_child(child_execs, 0), 0);
    CHECK(version_of(fd) >= 14);
    close(fd);
}

int main(int argc, char **argv)
{
    (void)argc;
    char tool[PATH_MAX], library[PATH_MAX];
    const char *slash = strstr(argv[0], "/test/unit/");
    snprintf(tool, sizeof tool, "%.*s/nxgpu", slash ? (int)(slash - argv[0]) : 1, slash ? argv[0] : ".");
    snprintf(library, sizeof library, "%.*s/libnxgpu-emu.so", slash ? (int)(slash - argv[0]) : 1,
             slash ? argv[0] : ".");
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    printf("skip - emu: a library built with a sanitizer cannot be preloaded\n");
    return 77;
#endif
    if (!getenv("NXGPU_EMU_ROOT")) {
        if (access(library, R_OK)) {
            printf("not ok - %s is missing\n", library);
            return 1;
        }
        execl(tool, tool, "emu", "--gpu", "gfx1100,gfx906", "--", argv[0], (char *)NULL);
        printf("not ok - %s: %s\n", tool, strerror(errno));
        return 1;
    }
    RUN(fork_before_first_use);
    RUN(fork_after_first_use);
    RUN(descriptors);
    RUN(refused_calls);
    RUN(names_and_identity);
    RUN(access_mode_rules);
    RUN(memory);
    RUN(every_waiter_is_woken);
    RUN(neighbours);
    return test_done();
}
