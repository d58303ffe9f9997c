/* AQL: 64-byte packets of an HSA queue, and the user-memory objects that the command processor reads and
 * writes beside them. Rows in aql.def; struct aql_X, aql_X_pack, _unpack, _unknown as expand.h describes. A
 * producer writes the body first, then dword 0 with release order; a consumer reads dword 0 with acquire
 * order.
 */
#ifndef NX_HW_AMD_AQL_H
#define NX_HW_AMD_AQL_H
#include "hw/field.h"

#define AQL_DWORDS  16
#define AQL_INVALID 1u /* dword 0 of an empty slot */

static inline uint32_t aql_type(uint32_t header)
{
    return header & 0xff;
}
/* What aql_X rows call op: the type, and for vendor packets AMD's format in bits 23:16. */
static inline uint32_t aql_op(uint32_t header)
{
    return aql_type(header) ? aql_type(header) : header & 0xff0000;
}

#define HW_SET           aql
#define HW_UP            AQL
#define HW_ROWS          "hw/amd/aql.def"
#define HW_HEADER(op, n) (op)
#define HW_KNOWN(op)     ((op) > 0xff ? 0xff00ffu : 0xffu)
#define HW_LENGTH(dw)    AQL_DWORDS
#define HW_COMMON                                                                                            \
    FIELD(barrier, 0, 8, 8, dec)                                                                             \
    FIELD(acquire, 0, 10, 9, of(scope))                                                                      \
    FIELD(release, 0, 12, 11, of(scope))
#include "hw/expand.h"

/* The row of the packet with this dword 0, or NULL: invalid (type 1) and unknown types or formats. */
const struct hw_record *aql_record(uint32_t header);

/* amd_queue_t, 256 bytes: byte offsets. Its address is the rptr address given to CREATE_QUEUE - 128. */
enum amd_queue_offset {
    AMD_QUEUE_TYPE = 0, /* hsa_queue_t: u32 type, u32 features, u64 base, doorbell signal, u32 size, u64 id */
    AMD_QUEUE_FEATURES = 4,
    AMD_QUEUE_BASE = 8,
    AMD_QUEUE_DOORBELL_SIGNAL = 16,
    AMD_QUEUE_PACKETS = 24,
    AMD_QUEUE_ID = 32,
    AMD_QUEUE_WRITE_DISPATCH_ID = 56,
    AMD_QUEUE_GROUP_APERTURE_HI = 64,
    AMD_QUEUE_PRIVATE_APERTURE_HI = 68,
    AMD_QUEUE_MAX_CU_ID = 72,
    AMD_QUEUE_MAX_WAVE_ID = 76,
    AMD_QUEUE_READ_DISPATCH_ID = 128,
    AMD_QUEUE_READ_ID_FIELD_OFFSET = 136,
    AMD_QUEUE_COMPUTE_TMPRING_SIZE = 140,
    AMD_QUEUE_SCRATCH_SRD = 144, /* 4 dwords */
    AMD_QUEUE_SCRATCH_BACKING = 160,
    AMD_QUEUE_SCRATCH_BYTES = 168,
    AMD_QUEUE_SCRATCH_WAVE64_LANE_BYTES = 176,
    AMD_QUEUE_PROPERTIES = 180,
    AMD_QUEUE_INACTIVE_SIGNAL = 192,
    AMD_QUEUE_BYTES = 256
};
/* amd_signal_t, 64 bytes: byte offsets and kinds. */
enum amd_signal_offset {
    AMD_SIGNAL_KIND = 0,  /* i64 */
    AMD_SIGNAL_VALUE = 8, /* i64; doorbell pointer for the doorbell kinds */
    AMD_SIGNAL_MAILBOX = 16,
    AMD_SIGNAL_EVENT_ID = 24,
    AMD_SIGNAL_START_TS = 32,
    AMD_SIGNAL_END_TS = 40,
    AMD_SIGNAL_QUEUE = 48,
    AMD_SIGNAL_BYTES = 64
};
enum amd_signal_kind { AMD_SIGNAL_USER = 1, AMD_SIGNAL_DOORBELL = -1, AMD_SIGNAL_LEGACY_DOORBELL = -2 };

/* Values the command processor stores in queue_inactive_signal before it stops the queue. */
enum amd_queue_error {
    AMD_QUEUE_ERROR_SCRATCH_WAVE64 = 1,
    AMD_QUEUE_ERROR_DIMS = 2,
    AMD_QUEUE_ERROR_GROUP_MEMORY = 4,
    AMD_QUEUE_ERROR_CODE = 8,
    AMD_QUEUE_ERROR_PACKET = 0x20,
    AMD_QUEUE_ERROR_WORKGROUP = 0x40,
    AMD_QUEUE_ERROR_REGISTERS = 0x80,
    AMD_QUEUE_ERROR_VENDOR_PACKET = 0x100,
    AMD_QUEUE_ERROR_SCRATCH_RECLAIM = 0x200,
    AMD_QUEUE_ERROR_SCRATCH_WAVE32 = 0x400,
    AMD_QUEUE_ERROR_APERTURE = 0x20000000,
    AMD_QUEUE_ERROR_ILLEGAL_INSTRUCTION = 0x40000000,
    AMD_QUEUE_ERROR_TRAP = (int)0x80000000
};
#endif
