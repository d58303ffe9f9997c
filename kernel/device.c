/* Opening the device files, and driver calls that explain their failure. */
#include "kernel/device.h"
#include "kernel/call.h"
#include "kernel/kfd.h"
#include "base/err.h"
#include <fcntl.h>
#include <string.h>

static int open_device(const struct port *p, const char *path)
{
    int fd = port_open(p, path, O_RDWR | O_CLOEXEC);
    if (fd >= 0)
        return fd;
    const char *remedy = "";
    switch (fd) {
    case -ENOENT:
    case -ENXIO:
    case -ENODEV:
        remedy = ": is the amdgpu driver loaded, and the device passed into this container?";
        break;
    case -EACCES:
    case -EPERM:
        remedy = ": add the user to the groups that own it (render, video) and log in again";
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

int kfd_open(const struct port *p)
{
    return open_device(p, KFD_PATH);
}

int kfd_open_render(const struct port *p, unsigned minor)
{
    char path[sizeof KFD_RENDER_PATH + 12];
    if (minor < 128 || minor > 255)
        return fail(-EINVAL, "render node minor %u: expected 128..255", minor);
    snprintf(path, sizeof path, "%s%u", KFD_RENDER_PATH, minor);
    return open_device(p, path);
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
