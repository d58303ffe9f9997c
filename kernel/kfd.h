/* The words of /dev/kfd: our own declarations of its structs, constants and calls, made from kfd.def.
 *     struct kfd_create_queue q = {...};  port_ioctl(p, fd, KFD_CREATE_QUEUE, &q);
 * KFD_x is the newest command word, KFD_NR_x its number (dispatch on the number: see kfd_call_lookup). Sizes
 * and offsets are pinned in call.c; test/unit/kernel_words.c compares them with <linux/kfd_ioctl.h>.
 */
#ifndef NX_KERNEL_KFD_H
#define NX_KERNEL_KFD_H
#include "kernel/call.h"

#include "kernel/rows_c.h"
#include "kernel/kfd.def"

enum kfd_nr {
#define CALL(prefix, name, nr, dir, strct, sys) prefix##NR_##name = nr,
#define CALL_OPAQUE(prefix, name, nr)           prefix##NR_##name = nr,
#include "kernel/kfd.def"
};
enum kfd_word {
#define CALL(prefix, name, nr, dir, strct, sys)                                                              \
    prefix##name = CALL_WORD(CALL_##dir, 'K', nr, sizeof(struct strct)),
#include "kernel/kfd.def"
};

/* mmap offset on /dev/kfd: 63:62 type, 61:46 gpu_id, 45:0 offset (a multiple of the page). Clients use what
 * the calls return; only the driver's side builds these. Source: Linux amdkfd kfd_priv.h. */
enum kfd_mmap_type { KFD_MMAP_MMIO, KFD_MMAP_RESERVED, KFD_MMAP_EVENTS, KFD_MMAP_DOORBELL };
static inline uint64_t kfd_mmap_offset(enum kfd_mmap_type type, uint32_t gpu_id, uint64_t offset)
{
    return (uint64_t)type << 62 | (uint64_t)(gpu_id & 0xffff) << 46 | (offset & ((1ull << 46) - 1));
}
/* A BO handle: 63:32 gpu_id, 31:0 index (amdkfd kfd_priv.h). Opaque to clients. */
static inline uint64_t kfd_handle(uint32_t gpu_id, uint32_t index)
{
    return (uint64_t)gpu_id << 32 | index;
}
static inline uint32_t kfd_handle_gpu(uint64_t handle)
{
    return handle >> 32;
}

enum {
    KFD_DOORBELL_SIZE = 8,         /* gfx9 and later */
    KFD_DOORBELL_SLICE = 8192,     /* one process's doorbells on one GPU; the whole slice is mapped at once */
    KFD_EVENT_PAGE = 0x8000,       /* KFD_LIMIT_SIGNAL_EVENTS slots of 8 bytes; all ones = not signalled */
    KFD_EVENT_NOSLOT = 0x40000000, /* first id of events without a slot (all but SIGNAL and DEBUG_EVENT) */
    KFD_EOP_SIZE = 4096,           /* what newer kernels demand of a PM4 or AQL queue */
    KFD_HDP_MEM_FLUSH = 0,         /* byte offsets in the MMIO_REMAP page */
    KFD_HDP_REG_FLUSH = 4,
};
#define KFD_WAIT_FOREVER_MS 0xffffffffu
#define KFD_PATH            "/dev/kfd"
#define KFD_RENDER_PATH     "/dev/dri/renderD" /* + drm_render_minor, 128..255 */
#define KFD_TOPOLOGY        "/sys/devices/virtual/kfd/kfd/topology"
#endif
