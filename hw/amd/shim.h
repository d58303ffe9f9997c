/* The first words this project ever spoke to a GPU, as its lowest layer: dwords into a ring, a dispatch out
 * of register writes and one packet, a doorbell. No memory is allocated, no driver is called, nothing is
 * kept. Opening the device files is kernel/device.h; text to packets is stream_asm (stream.h). doc/shim.md
 * says what was wrong in the original. Not here: caches, signals, scratch, partial work-groups (amd/words.c
 * has them).
 */
#ifndef NX_HW_AMD_SHIM_H
#define NX_HW_AMD_SHIM_H
#include "base/bits.h"
#include "hw/amd/gen.h"
#include <stdint.h>

/* Copies n dwords to place `put` of a PM4 ring of `size` dwords (a power of two; n <= size) and returns the
 * new put. put counts dwords and only grows; packets may wrap around the ring's end. That the device has read
 * what is overwritten is the caller's care: pm4_ring_room. One writer. */
static inline uint64_t pm4_ring_put(uint32_t *ring, uint32_t size, uint64_t put, const uint32_t *dw,
                                    uint32_t n)
{
    uint32_t at = (uint32_t)put & (size - 1), first = n < size - at ? n : size - at;
    memcpy(ring + at, dw, first * 4ul);
    memcpy(ring, dw + first, (n - first) * 4ul);
    return put + n;
}

/* Dwords that may be written when the device has read up to get. */
static inline uint32_t pm4_ring_room(uint32_t size, uint64_t put, uint64_t get)
{
    return size - (uint32_t)(put - get);
}

/* Makes everything up to put visible to the device: packets before the write pointer, the write pointer
 * before the doorbell. For PM4 put counts dwords, for SDMA bytes; both cells get the same value. */
static inline void kfd_doorbell_ring(uint64_t *wptr, uint64_t *doorbell, uint64_t put)
{
    __atomic_store_n(wptr, put, __ATOMIC_RELEASE); /* packets first */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);       /* the doorbell is other, uncached memory */
    __atomic_store_n(doorbell, put, __ATOMIC_RELEASE);
}

struct pm4_dispatch {
    uint64_t code_va;             /* of the first instruction, 256-byte aligned */
    uint32_t rsrc1, rsrc2, rsrc3; /* as the kernel descriptor has them (LDS size filled in) */
    const uint32_t *user_data;    /* the scalar registers a wave starts with */
    uint32_t user_data_count;     /* at most 16 */
    uint32_t block[3];            /* work-items of a work-group, each >= 1 */
    uint32_t groups[3];           /* work-groups, each >= 1 */
    int wave32;                   /* gfx10 on */
};
enum { PM4_DISPATCH_DWORDS = 4 + 4 + 3 + 8 + 2 + 16 + 5 }; /* at most */

/* Writes the registers and DISPATCH_DIRECT to dw[0..room). Returns how many dwords, or -EINVAL / -ENOSPC with
 * text. */
int pm4_compose_dispatch(uint32_t *dw, uint32_t room, enum amd_gen gen, const struct pm4_dispatch *d);
#endif
