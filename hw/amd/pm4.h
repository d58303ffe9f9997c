/* PM4: the packets of compute rings and indirect buffers. Rows in pm4.def; struct pm4_X, pm4_X_pack,
 * pm4_X_unpack, pm4_X_unknown as expand.h describes. A packet in a ring may wrap around its end: copy
 * pm4_dwords(header) dwords out before unpacking.
 */
#ifndef NX_HW_AMD_PM4_H
#define NX_HW_AMD_PM4_H
#include "hw/amd/atomic.h"
#include "hw/amd/gen.h"
#include "hw/field.h"

#define PM4_TYPE2 0x80000000u /* one-dword filler */

/* Header of a type-3 packet; count is the COUNT field, body dwords - 1. */
static inline uint32_t pm4_type3(uint32_t op, uint32_t count)
{
    return 3u << 30 | (count & 0x3fff) << 16 | op << 8;
}
static inline uint32_t pm4_type(uint32_t header)
{
    return header >> 30;
}
static inline uint32_t pm4_opcode(uint32_t header)
{
    return header >> 8 & 0xff;
}
static inline uint32_t pm4_count(uint32_t header)
{
    return header >> 16 & 0x3fff;
}
/* Dwords of the whole packet, header included: 1 for type 2 and for a NOP with COUNT 0x3fff; 0 for types 0
 * and 1, which no queue here accepts. */
static inline uint32_t pm4_dwords(uint32_t header)
{
    if (pm4_type(header) == 2 ||
        (pm4_type(header) == 3 && pm4_opcode(header) == 0x10 && pm4_count(header) == 0x3fff))
        return 1;
    return pm4_type(header) == 3 ? pm4_count(header) + 2 : 0;
}

#define pm4_atomic_names amd_atomic_names
#define HW_SET           pm4
#define HW_UP            PM4
#define HW_ROWS          "hw/amd/pm4.def"
#define HW_HEADER(op, n) pm4_type3(op, (n)-2)
#define HW_KNOWN(op)     0xffffff00u
#define HW_LENGTH(dw)    pm4_dwords((dw)[0])
#define HW_COMMON        FIELD(predicate, 0, 0, 0, dec) FIELD(shader_type, 0, 1, 1, dec)
#include "hw/expand.h"

enum pm4_status {
    PM4_OK,
    PM4_FILLER,     /* type 2 */
    PM4_BAD_TYPE,   /* type 0 or 1: no length is known, one dword is taken */
    PM4_UNKNOWN_OP, /* no row for this opcode on this generation */
    PM4_BAD_COUNT,  /* the opcode has rows, none of this length */
    PM4_TRUNCATED   /* the packet is longer than what is left */
};
struct pm4_packet {
    enum pm4_status status;
    const struct hw_record *rec; /* PM4_OK; PM4_BAD_COUNT: the nearest row; else NULL */
    uint32_t dwords;             /* whole packet, at most what is left */
};
/* Looks at the packet at dw[0..left), left > 0, and returns how many dwords to step (>= 1). Never reads
 * beyond left. */
uint32_t pm4_next(const uint32_t *dw, uint32_t left, enum amd_gen gen, struct pm4_packet *out);

/* "RELEASE_MEM"-style name of an opcode, also for opcodes without a row, or NULL. */
const char *pm4_op_name(uint32_t op);
#endif
