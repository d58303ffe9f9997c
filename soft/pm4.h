/* The PM4 command processor of one compute queue; AQL queues use one for their PM4 indirect buffers. */
#ifndef NX_SOFT_PM4_H
#define NX_SOFT_PM4_H
#include "soft/queue.h"

struct pm4;
struct pm4 *pm4_new(struct queue *q); /* NULL: out of memory */
void pm4_free(struct pm4 *p);
/* Starts an indirect buffer on an idle processor (AQL). -EFAULT after queue_fault. */
int pm4_start_ib(struct pm4 *p, uint64_t va, uint32_t dwords);
/* One slice. STEP_*, or -EFAULT after queue_fault. */
int pm4_run(struct pm4 *p);
/* Nothing left of the indirect buffers, nothing running. */
bool pm4_done(const struct pm4 *p);
#endif
