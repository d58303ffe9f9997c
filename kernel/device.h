/* The lowest layer of both vendors' paths: opening the device files, and one checked driver call. Errors name
 * the node and what a person can do about it. Not here: what to ask them (amd/, nv/).
 */
#ifndef NX_KERNEL_DEVICE_H
#define NX_KERNEL_DEVICE_H
#include "kernel/port.h"

/* Opens /dev/kfd, or the render node of the card with that minor (128..255), O_RDWR | O_CLOEXEC: doorbells
 * are mapped shared and writable, which a read-only descriptor refuses. Returns the descriptor, close with
 * port_close(). */
int kfd_open(const struct port *p);
int kfd_open_render(const struct port *p, unsigned minor);

/* port_ioctl with the error text "CREATE_QUEUE: Invalid argument" filled in from the call's row. */
int kfd_call(const struct port *p, int fd, uint32_t request, void *arg);

/* Opens /dev/nvidiactl, /dev/nvidiaN (which initialises the GPU) or /dev/nvidia-uvm; O_RDWR | O_CLOEXEC,
 * because rings and doorbells are mapped shared and writable through these descriptors. Every CPU mapping
 * wants a descriptor of its own: of the device node for video memory and the doorbell, of nvidiactl for
 * system memory (source: the open kernel modules). Calls on them: rm_call (rm.h). */
int nv_open_ctl(const struct port *p);
int nv_open_dev(const struct port *p, unsigned minor);
int nv_open_uvm(const struct port *p);

/* The version text of the driver ("580.95.05") into text[cap]: asked on nvidiactl (ctl_fd), else from sysfs,
 * else from /proc/driver/nvidia/version. 0, or -errno with error text. For rm_branch_of(). */
int nv_driver_version(const struct port *p, int ctl_fd, char *text, size_t cap);
#endif
