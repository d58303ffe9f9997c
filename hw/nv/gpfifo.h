/* What a channel's user side writes: GPFIFO entries, USERD, the doorbell. struct nv_gp_entry,
 * nv_gp_entry_pack and so on as expand.h describes. Submitting: write entries, write GPPut, then
 * nv_doorbell_ring. Not here: the methods in a segment (push.h).
 */
#ifndef NX_HW_NV_GPFIFO_H
#define NX_HW_NV_GPFIFO_H
#include "base/err.h"
#include "hw/field.h"
#include "hw/nv/gen.h"

#define HW_SET           nv_gp
#define HW_UP            NV_GP
#define HW_ROWS          "hw/nv/gpfifo.def"
#define HW_HEADER(op, n) 0
#define HW_KNOWN(op)     0u
#define HW_LENGTH(dw)    2
#define HW_COMMON
#include "hw/expand.h"

#define NV_GP_VA_BITS    40
#define NV_GP_LENGTH_MAX 0x1fffffu

/* USERD, 512 bytes: byte offsets of dwords. GPPut is an index, and a full ring keeps one slot free. GPGet is
 * written back lazily on Ampere and later: completion is a semaphore's business. Source: the channel class
 * headers. */
enum nv_userd {
    NV_USERD_PUT = 0x40,
    NV_USERD_GET = 0x44,
    NV_USERD_REFERENCE = 0x48,
    NV_USERD_PUT_HI = 0x4c,
    NV_USERD_TOP_LEVEL_GET = 0x58,
    NV_USERD_TOP_LEVEL_GET_HI = 0x5c,
    NV_USERD_GET_HI = 0x60,
    NV_USERD_GP_GET = 0x88,
    NV_USERD_GP_PUT = 0x8c,
    NV_USERD_BYTES = 512
};
/* The usermode object's mapping: byte offsets of dwords. TIME is nanoseconds, low word in bits 31:5, high in
 * 28:0. */
enum nv_usermode {
    NV_USERMODE_TIME_0 = 0x80,
    NV_USERMODE_TIME_1 = 0x84,
    NV_USERMODE_DOORBELL = 0x90,
    NV_USERMODE_BYTES = 0x10000
};

/* The ring entry for a segment of `dwords` dwords at va, as the first shim made it: subroutine level, so that
 * TOP_LEVEL_GET stands still. An address that is not a multiple of 4 or does not fit in 40 bits, or a length
 * that is 0 or over 0x1fffff, gives 0 and error text: 0 is a control entry that does nothing, never a
 * segment. */
static inline uint64_t nv_gpfifo_entry(uint64_t va, uint32_t dwords)
{
    uint32_t w[2];
    if (va >> NV_GP_VA_BITS || va & 3)
        return (void)fail(-EINVAL, "GPFIFO entry: address 0x%llx: expected a multiple of 4 below 2^40",
                          (unsigned long long)va),
               0;
    if (!dwords || dwords > NV_GP_LENGTH_MAX)
        return (void)fail(-EINVAL, "GPFIFO entry: %u dwords: expected 1..%u", dwords, NV_GP_LENGTH_MAX), 0;
    nv_gp_entry_pack(w, &(struct nv_gp_entry){
                            .addr_shifted2 = va >> 2, .length = dwords, .level = NV_GP_LEVEL_SUBROUTINE});
    return w[0] | (uint64_t)w[1] << 32;
}

/* Tells the GPU that GPPut of the channel with this token (control GET_WORK_SUBMIT_TOKEN) has moved.
 * `usermode` is the mapping of the usermode object. The fence makes ring, pushbuffers and GPPut, which may
 * lie in write-combined memory, visible before the store that makes the GPU read them. */
static inline void nv_doorbell_ring(volatile void *usermode, uint32_t token)
{
    __sync_synchronize();
    *(volatile uint32_t *)((volatile char *)usermode + NV_USERMODE_DOORBELL) = token;
}
#endif
