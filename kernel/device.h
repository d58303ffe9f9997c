/* The lowest layer of the KFD path: opening the two device files, and one checked driver call. Errors name
 * the node and what a person can do about it. Not here: what to ask them (amd/).
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
#endif
