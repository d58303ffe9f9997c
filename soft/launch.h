/* Launches: registers, or an AQL packet and a kernel descriptor, become a running dispatch of the engine with
 * the launch state that the hardware would give its waves. */
#ifndef NX_SOFT_LAUNCH_H
#define NX_SOFT_LAUNCH_H
#include "soft/queue.h"

struct launch;

/* Compute registers as SET_SH_REG left them: sh[offset], offset from the SH space's base, 0x200 and up. dims
 * and initiator as the packet has them. -EINVAL with text: what the hardware could not launch; -ENOMEM. */
int launch_registers(struct queue *q, const uint32_t *sh, const uint32_t dims[3], uint32_t initiator,
                     struct launch **out);

/* An AQL dispatch packet (16 dwords) at packet_va. queue_va: the amd_queue_t. *error: AMD_QUEUE_ERROR_* when
 * it returns -EINVAL. -EFAULT: a fault was delivered (descriptor not readable). */
int launch_aql(struct queue *q, const uint32_t *packet, uint64_t packet_va, uint64_t queue_va,
               uint64_t dispatch_id, uint32_t *error, struct launch **out);

/* One slice: ENG_MORE, ENG_DONE, -EFAULT with the engine's fault in launch_fault (not yet delivered). */
int launch_run(struct launch *l);
const struct eng_fault *launch_fault(const struct launch *l);
void launch_free(struct launch *l); /* at any time; NULL is allowed */
#endif
