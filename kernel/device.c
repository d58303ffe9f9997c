/* Opening the device files, and driver calls that explain their failure. */
#include "kernel/device.h"
#include "kernel/call.h"
#include "kernel/kfd.h"
#include "kernel/rm.h"
#include "base/err.h"
#include <fcntl.h>
#include <string.h>

static int open_device(const struct port *p, const char *path, const char *missing, const char *forbidden)
{
    int fd = port_open(p, path, O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    const char *remedy = "";
    switch (fd) {
    case -ENOENT:
    case -ENXIO:
    case -ENODEV:
        remedy = missing;
        break;
    case -EACCES:
    case -EPERM:
        remedy = forbidden;
        break;
    case -ENOMEM:
        remedy = ": the kernel is out of memory for another GPU process";
        break;
    case -EMFILE:
    case -ENFILE:
        remedy = ": too many open files (ulimit -n)";
        break;
    }
    return fail(fd, "%s (%s): cannot open: %s%s", path, p->name, strerror(-fd), remedy);
}

static int open_amd(const struct port *p, const char *path)
{
    return open_device(p, path, ": is the amdgpu driver loaded, and the device passed into this container?",
                       ": add the user to the groups that own it (render, video) and log in again");
}

int kfd_open(const struct port *p)
{
    return open_amd(p, KFD_PATH);
}

int kfd_open_render(const struct port *p, unsigned minor)
{
    char path[sizeof KFD_RENDER_PATH + 12];
    if (minor < 128 || minor > 255)
        return fail(-EINVAL, "render node minor %u: expected 128..255", minor);
    snprintf(path, sizeof path, "%s%u", KFD_RENDER_PATH, minor);
    return open_amd(p, path);
}

int kfd_call(const struct port *p, int fd, uint32_t request, void *arg)
{
    int r = port_ioctl(p, fd, request, arg);
    if (r >= 0)
        return r;
    const struct call *c = call_lookup(request);
    if (!c)
        return fail(r, "driver call 0x%08x (%s): %s", request, p->name, strerror(-r));
    return fail(r, "%s (%s): %s", c->name, p->name, strerror(-r));
}

static int open_nvidia(const struct port *p, const char *path, const char *missing)
{
    return open_device(
        p, path, missing,
        ": the user may not use it; check the node's owner and mode (NVreg_DeviceFile* options), or "
        "the container's device rules");
}

int nv_open_ctl(const struct port *p)
{
    return open_nvidia(
        p, "/dev/nvidiactl",
        ": is the nvidia module loaded (modprobe nvidia; nvidia-modprobe makes the nodes), and are the "
        "devices passed into this container?");
}

int nv_open_dev(const struct port *p, unsigned minor)
{
    char path[24];
    if (minor > 247)
        return fail(-EINVAL, "nvidia device minor %u: expected 0..247", minor);
    snprintf(path, sizeof path, "/dev/nvidia%u", minor);
    return open_nvidia(
        p, path,
        ": is a GPU with this minor number there and not lost (nvidia-smi), and is the node passed into "
        "this container (nvidia-modprobe -c MINOR makes it)?");
}

int nv_open_uvm(const struct port *p)
{
    return open_nvidia(
        p, "/dev/nvidia-uvm",
        ": load the module and make its node with nvidia-modprobe -u -c 0 (or modprobe nvidia-uvm as "
        "root), and pass it into this container");
}

int nv_driver_version(const struct port *p, int ctl_fd, char *text, size_t cap)
{
    static const char *const files[] = {"/sys/module/nvidia/version", "/proc/driver/nvidia/version"};
    char buf[1024], found[RM_VERSION_ROOM];
    uint32_t order;
    /* command '2' asks without comparing; this struct is the same on every branch */
    struct nv_ioctl_rm_api_version v = {.cmd = '2'};
    int r = port_ioctl(p, ctl_fd, rm_word(RM_580, NV_ESC_NR_CHECK_VERSION_STR), &v);
    v.versionString[sizeof v.versionString - 1] = 0;
    if (r >= 0 && v.reply == 1 && !rm_version_in((const char *)v.versionString, found, &order)) {
        snprintf(text, cap, "%s", found);
        return 0;
    }
    for (unsigned i = 0; i < 2; i++)
        if (port_read_file(p, files[i], buf, sizeof buf) > 0 && !rm_version_in(buf, found, &order)) {
            snprintf(text, cap, "%s", found);
            return 0;
        }
    return fail(r < 0 ? r : -ENODEV, "nvidia driver version (%s): neither nvidiactl nor %s nor %s tells it",
                p->name, files[0], files[1]);
}
