/* Sizes of the context save area that CREATE_QUEUE of a compute queue must name. Newer kernels (about 6.12)
 * refuse any other ctl_stack_size, a smaller context size and a buffer of another size; older ones take
 * anything. Source: amdkfd kfd_queue.c; outside witness: cwsr_size and ctl_stack_size that two real cards
 * report (test/unit/kernel_topology.c).
 *
 *   | control stack | work-group data |  debug  |   (once per XCC, the whole rounded up to a page)
 *   '------ ctx_size (per XCC) -------'
 */
#ifndef NX_KERNEL_CWSR_H
#define NX_KERNEL_CWSR_H
#include "kernel/topology.h"

struct kfd_cwsr {
    uint32_t ctl_stack_size; /* CREATE_QUEUE.ctl_stack_size */
    uint32_t ctx_size;       /* CREATE_QUEUE.ctx_save_restore_size */
    uint32_t debug_size;     /* behind ctx_size, per XCC */
    uint64_t buffer_size;    /* bytes to allocate for all XCCs */
};
/* From simd_count, simd_per_cu, num_xcc, gfx_target_version, array_count, simd_arrays_per_engine,
 * lds_size_in_kb. -EINVAL when these cannot be a GPU's (a zero divisor, a target before gfx9). Pure; any
 * thread. */
int kfd_cwsr_sizes(const struct kfd_node *n, struct kfd_cwsr *out);
#endif
