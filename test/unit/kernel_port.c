/* The ports: what the trace port writes, what the fault port fails, what the Linux port returns and the error
 * texts of device.h. The port underneath is a fake that counts and answers from a script; no driver is
 * needed.
 */
#include "kernel/port.h"
#include "kernel/call.h"
#include "kernel/device.h"
#include "kernel/kfd.h"
#include "base/err.h"
#include "test/test.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Answers every call with `answer` (CREATE_QUEUE and GET_VERSION as a driver would) and counts what reaches
 * it. */
struct fake {
    struct port port;
    int answer, calls[PORT_KINDS], destroyed;
    char path[64];
};

static int fake_open(void *ctx, const char *path, int flags)
{
    struct fake *f = ctx;
    f->calls[PORT_OPEN]++;
    snprintf(f->path, sizeof f->path, "%s %x", path, flags);
    return f->answer;
}
static int fake_close(void *ctx, int fd)
{
    (void)fd;
    return ((struct fake *)ctx)->calls[PORT_CLOSE]++, 0;
}
static int fake_ioctl(void *ctx, int fd, uint32_t request, void *arg)
{
    struct fake *f = ctx;
    (void)fd;
    f->calls[PORT_IOCTL]++;
    if (f->answer >= 0 && request == KFD_GET_VERSION)
        *(struct kfd_get_version *)arg = (struct kfd_get_version){1, 14};
    if (f->answer >= 0 && request == KFD_CREATE_QUEUE) {
        ((struct kfd_create_queue *)arg)->queue_id = 3;
        ((struct kfd_create_queue *)arg)->doorbell_offset = 1ull << 33;
    }
    return f->answer;
}
static int fake_mmap(void *ctx, void **out, void *addr, size_t length, int prot, int flags, int fd,
                     uint64_t offset)
{
    struct fake *f = ctx;
    (void)length, (void)prot, (void)flags, (void)fd, (void)offset;
    f->calls[PORT_MMAP]++;
    if (f->answer >= 0)
        *out = addr;
    return f->answer < 0 ? f->answer : 0;
}
static int fake_munmap(void *ctx, void *addr, size_t length)
{
    (void)addr, (void)length;
    return ((struct fake *)ctx)->calls[PORT_MUNMAP]++, 0;
}
static int fake_read_file(void *ctx, const char *path, void *buf, size_t cap)
{
    struct fake *f = ctx;
    (void)path, (void)buf, (void)cap;
    f->calls[PORT_READ_FILE]++;
    return f->answer;
}
static int fake_list_dir(void *ctx, const char *path, char *buf, size_t cap)
{
    struct fake *f = ctx;
    (void)path, (void)buf, (void)cap;
    f->calls[PORT_LIST_DIR]++;
    return f->answer;
}
static int fake_idle(void *ctx, uint64_t timeout_ns)
{
    (void)timeout_ns;
    return ((struct fake *)ctx)->calls[PORT_IDLE]++, 1;
}
static void fake_destroy(void *ctx)
{
    ((struct fake *)ctx)->destroyed++;
}
static struct fake fake_port(int answer)
{
    return (struct fake){.port = {.name = "fake",
                                  .open = fake_open,
                                  .close = fake_close,
                                  .ioctl = fake_ioctl,
                                  .mmap = fake_mmap,
                                  .munmap = fake_munmap,
                                  .read_file = fake_read_file,
                                  .list_dir = fake_list_dir,
                                  .idle = fake_idle,
                                  .destroy = fake_destroy},
                         .answer = answer};
}

/* One call of each kind through p; results in r. */
static void one_of_each(const struct port *p, int r[PORT_KINDS])
{
    struct kfd_get_version v = {0};
    char buf[64];
    void *out = NULL;
    r[PORT_OPEN] = port_open(p, "/dev/kfd", O_RDWR | O_CLOEXEC);
    r[PORT_CLOSE] = port_close(p, 5);
    r[PORT_IOCTL] = port_ioctl(p, 5, KFD_GET_VERSION, &v);
    r[PORT_MMAP] = port_mmap(p, &out, (void *)0x10000, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                             5, 1ull << 33);
    r[PORT_MUNMAP] = port_munmap(p, (void *)0x10000, 0x2000);
    r[PORT_READ_FILE] = port_read_file(p, "/sys/x", buf, sizeof buf);
    r[PORT_LIST_DIR] = port_list_dir(p, "/sys", buf, sizeof buf);
    r[PORT_IDLE] = port_idle(p, 1000);
}

TEST(trace_writes_one_line_a_call)
{
    struct fake f = fake_port(7);
    f.port.ctx = &f;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct port *p = port_trace(&f.port, out);
    int r[PORT_KINDS];
    one_of_each(p, r);
    CHECK_EQ(r[PORT_OPEN], 7);
    struct kfd_create_queue q = {.ring_base_address = 0x7f0000000000,
                                 .ring_size = 4096,
                                 .gpu_id = 5,
                                 .queue_type = KFD_QUEUE_COMPUTE,
                                 .queue_percentage = 100};
    port_ioctl(p, 5, KFD_CREATE_QUEUE, &q);
    CHECK_EQ(q.queue_id, 3);
    port_ioctl(p, 5, 0xc0084b2a, &q);
    f.answer = -ENOTTY;
    port_ioctl(p, 5, CALL_WORD(CALL_W, 'K', KFD_NR_DESTROY_EVENT, 8),
               &(struct kfd_destroy_event){.event_id = 3});
    port_destroy(p);
    fclose(out);
    CHECK_STR(text,
              "[1] open /dev/kfd O_RDWR|O_CLOEXEC -> 7\n"
              "[2] close 5 -> 0\n"
              "[3] ioctl 5 GET_VERSION -> 7 major_version=1 minor_version=14\n"
              "[4] mmap addr=0x10000 length=0x2000 prot=rw flags=shared|fixed fd=5 offset=0x200000000 -> 0 "
              "0x10000\n"
              "[5] munmap 0x10000 0x2000 -> 0\n"
              "[6] read_file /sys/x -> 7\n"
              "[7] list_dir /sys -> 7\n"
              "[8] idle 1000 -> 1\n"
              "[9] ioctl 5 CREATE_QUEUE ring_base_address=0x7f0000000000 write_pointer_address=0x0 "
              "read_pointer_address=0x0 doorbell_offset=0x0 ring_size=4096 gpu_id=5 queue_type=COMPUTE "
              "queue_percentage=100 queue_priority=0 queue_id=0 eop_buffer_address=0x0 eop_buffer_size=0 "
              "ctx_save_restore_address=0x0 ctx_save_restore_size=0 ctl_stack_size=0 sdma_engine_id=0 "
              "metadata_ring_size=0 -> 7 doorbell_offset=0x200000000 queue_id=3\n"
              "[10] ioctl 5 0xc0084b2a -> 7\n"
              "[11] ioctl 5 DESTROY_EVENT event_id=0x3 -> -ENOTTY\n");
    free(text);
    CHECK_EQ(f.destroyed, 1);
}

TEST(fault_fails_exactly_the_nth)
{
    struct fake f = fake_port(0);
    f.port.ctx = &f;
    struct port *p = port_fault(&f.port, PORT_ANY, 0, ENOMEM);
    int r[PORT_KINDS];
    for (unsigned n = 1; n <= PORT_KINDS; n++) { /* each position in the sequence */
        port_fault_arm(p, PORT_ANY, n, ENOMEM);
        one_of_each(p, r);
        for (unsigned k = 0; k < PORT_KINDS; k++)
            CHECK_EQ(r[k], k + 1 == n ? -ENOMEM : k == PORT_IDLE ? 1 : 0);
        CHECK(port_fault_hit(p));
        CHECK_EQ(port_fault_count(p), PORT_KINDS);
    }
    /* a failed call stays outside, except close and munmap: Linux has done those when it reports an error */
    for (unsigned k = 0; k < PORT_KINDS; k++)
        CHECK_EQ(f.calls[k], k == PORT_CLOSE || k == PORT_MUNMAP ? PORT_KINDS : PORT_KINDS - 1);
    port_fault_arm(p, PORT_ANY, PORT_KINDS + 1, EIO);
    one_of_each(p, r);
    CHECK(!port_fault_hit(p));
    /* of one kind, and of one ioctl number */
    port_fault_arm(p, PORT_MMAP, 2, EIO);
    one_of_each(p, r);
    CHECK_EQ(r[PORT_MMAP], 0);
    one_of_each(p, r);
    CHECK_EQ(r[PORT_MMAP], -EIO);
    one_of_each(p, r);
    CHECK_EQ(r[PORT_MMAP], 0);
    port_fault_only_nr(p, KFD_NR_CREATE_QUEUE);
    port_fault_arm(p, PORT_IOCTL, 1, EBUSY);
    one_of_each(p, r);
    CHECK_EQ(r[PORT_IOCTL], 0);
    struct kfd_create_queue q = {0};
    CHECK_EQ(port_ioctl(p, 5, KFD_CREATE_QUEUE, &q), -EBUSY);
    CHECK_EQ(port_ioctl(p, 5, KFD_CREATE_QUEUE, &q), 0);
    port_destroy(p);
    CHECK_EQ(f.destroyed, 1);
}

TEST(device_nodes_open_read_write_or_say_what_to_do)
{
    struct fake f = fake_port(9);
    f.port.ctx = &f;
    char expected[64];
    CHECK_EQ(kfd_open(&f.port), 9);
    snprintf(expected, sizeof expected, "/dev/kfd %x", O_RDWR | O_CLOEXEC);
    CHECK_STR(f.path, expected);
    CHECK_EQ(kfd_open_render(&f.port, 129), 9);
    snprintf(expected, sizeof expected, "/dev/dri/renderD129 %x", O_RDWR | O_CLOEXEC);
    CHECK_STR(f.path, expected);
    CHECK_EQ(kfd_open_render(&f.port, 0), -EINVAL);
    CHECK_STR(fail_text(), "render node minor 0: expected 128..255");
    f.answer = -ENOENT;
    CHECK_EQ(kfd_open(&f.port), -ENOENT);
    CHECK_STR(fail_text(),
              "/dev/kfd (fake): cannot open: No such file or directory: is the amdgpu driver loaded, "
              "and the device passed into this container?");
    f.answer = -EACCES;
    CHECK_EQ(kfd_open_render(&f.port, 128), -EACCES);
    CHECK_STR(fail_text(),
              "/dev/dri/renderD128 (fake): cannot open: Permission denied: add the user to the groups "
              "that own it (render, video) and log in again");
    f.answer = -ENOMEM;
    CHECK_EQ(kfd_open(&f.port), -ENOMEM);
    CHECK(strstr(fail_text(), "out of memory"));
    f.answer = -EINVAL;
    CHECK_EQ(kfd_call(&f.port, 5, KFD_CREATE_QUEUE, &(struct kfd_create_queue){0}), -EINVAL);
    CHECK_STR(fail_text(), "CREATE_QUEUE (fake): Invalid argument");
    CHECK_EQ(kfd_call(&f.port, 5, 0x4b2a, NULL), -EINVAL);
    CHECK_STR(fail_text(), "driver call 0x00004b2a (fake): Invalid argument");
}

/* A scratch directory for the Linux port's file calls; removed by the caller. */
static void write_file(const char *dir, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    CHECK(f);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

TEST(linux_files_and_memory)
{
    const struct port *p = port_linux();
    char dir[] = "/tmp/nxgpu-port-XXXXXX", path[300], buf[64];
    CHECK(mkdtemp(dir));
    static const char *const names[] = {"10", "9", "b", "100", "a"};
    for (unsigned i = 0; i < 5; i++)
        write_file(dir, names[i], "12\n");
    CHECK_EQ(port_list_dir(p, dir, buf, sizeof buf), 5);
    CHECK(!memcmp(buf, "9\00010\000100\000a\000b", 13));
    CHECK_EQ(port_list_dir(p, dir, buf, 12), -ERANGE);
    CHECK_EQ(port_list_dir(p, dir, buf, 13), 5);
    snprintf(path, sizeof path, "%s/9", dir);
    CHECK_EQ(port_read_file(p, path, buf, sizeof buf), 3);
    CHECK_STR(buf, "12\n");
    CHECK_EQ(port_read_file(p, path, buf, 4), 3);
    CHECK_EQ(port_read_file(p, path, buf, 3), -ERANGE);
    CHECK_EQ(port_read_file(p, dir, buf, sizeof buf), -EISDIR);
    CHECK_EQ(port_list_dir(p, path, buf, sizeof buf), -ENOTDIR);

    int fd = port_open(p, path, O_RDWR);
    CHECK(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
    CHECK_EQ(port_ioctl(p, fd, KFD_GET_VERSION, &(struct kfd_get_version){0}), -ENOTTY);
    CHECK_EQ(port_close(p, fd), 0);
    CHECK_EQ(port_close(p, fd), -EBADF);
    CHECK_EQ(port_open(p, "/dev/nxgpu-none", O_RDWR), -ENOENT);
    for (unsigned i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    rmdir(dir);

    void *m = NULL;
    CHECK_EQ(port_mmap(p, &m, NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
             0);
    CHECK(m);
    CHECK_EQ(
        port_mmap(p, &m, m, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), 0);
    *(volatile char *)m = 1;
    void *same = m;
    CHECK_EQ(port_mmap(p, &same, NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), -EINVAL);
    CHECK(same == m);
    CHECK_EQ(port_munmap(p, m, 1 << 20), 0);
    CHECK_EQ(port_idle(p, 0), 0);
    CHECK_EQ(port_idle(p, 1000), 0);
    port_destroy(p);
}

TEST(trace_by_environment)
{
    char path[] = "/tmp/nxgpu-trace-XXXXXX", line[128] = "";
    struct fake f = fake_port(0);
    f.port.ctx = &f;
    unsetenv("NXGPU_TRACE");
    CHECK(port_trace_env(&f.port) == &f.port);
    setenv("NXGPU_TRACE", "/nonexistent/file", 1);
    CHECK(!port_trace_env(&f.port));
    CHECK_STR(fail_text(), "NXGPU_TRACE=/nonexistent/file: cannot write: No such file or directory");
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    setenv("NXGPU_TRACE", path, 1);
    const struct port *p = port_trace_env(&f.port);
    CHECK(p && p != &f.port);
    if (p) {
        port_close(p, 4);
        port_destroy(p);
    }
    unsetenv("NXGPU_TRACE");
    CHECK(read(fd, line, sizeof line - 1) > 0);
    CHECK_STR(line, "[1] close 4 -> 0\n");
    close(fd);
    unlink(path);
}

int main(void)
{
    RUN(trace_writes_one_line_a_call);
    RUN(fault_fails_exactly_the_nth);
    RUN(device_nodes_open_read_write_or_say_what_to_do);
    RUN(linux_files_and_memory);
    RUN(trace_by_environment);
    return test_done();
}
