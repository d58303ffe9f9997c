/* SDMA: the packets of copy rings. Rows in sdma.def (and sdma_tiled.def); struct sdma_X, sdma_X_pack,
 * _unpack, _unknown as expand.h describes. Packets do not straddle the ring's end: the rest is filled with
 * zeros (NOP).
 */
#ifndef NX_HW_AMD_SDMA_H
#define NX_HW_AMD_SDMA_H
#include "hw/amd/atomic.h"
#include "hw/amd/gen.h"
#include "hw/amd/pm4.h"
#include "hw/field.h"

enum sdma_gen { SDMA_4_0, SDMA_4_4, SDMA_5_0, SDMA_5_2, SDMA_6_0, SDMA_7_0, SDMA_7_1, SDMA_GEN_COUNT };
/* The SDMA version that comes with a graphics generation (gfx10: 5.2, gfx12: 7.0) or with a target known to
 * amd_gen_of (also gfx101x: 5.0, gfx125x: 7.1). */
enum sdma_gen sdma_gen_of(enum amd_gen gen);
enum sdma_gen sdma_gen_of_target(const char *target);
const char *sdma_gen_name(enum sdma_gen gen); /* "4.0" ... */

/* op in bits 7:0, sub-op in 15:8 of the header */
#define SDMA_OP(op, sub) ((op) | (sub) << 8)
static inline uint32_t sdma_opcode(uint32_t header) /* as SDMA_OP */
{
    return header & 0xffff;
}

/* sets of versions for the rows */
#define S4_0              (1 << SDMA_4_0)
#define S4                (1 << SDMA_4_0 | 1 << SDMA_4_4)
#define S5                (1 << SDMA_5_0 | 1 << SDMA_5_2)
#define S6                (1 << SDMA_6_0)
#define S7_0              (1 << SDMA_7_0)
#define S7_1              (1 << SDMA_7_1)
#define S7                (S7_0 | S7_1)
#define S6_UP             (S6 | S7)
#define S5_UP             (S5 | S6_UP)
#define SNARROW           (1 << SDMA_4_0 | 1 << SDMA_5_0) /* 22-bit byte counts */
#define SWIDE             (1 << SDMA_4_4 | 1 << SDMA_5_2 | S6_UP)

#define sdma_atomic_names amd_atomic_names
#define sdma_func_names   pm4_func_names /* the same comparisons, PM4_FUNC_* */
#define HW_SET            sdma
#define HW_UP             SDMA
#define HW_ROWS           "hw/amd/sdma.def"
#define HW_HEADER(op, n)  (op)
#define HW_KNOWN(op)      0xffffu
#define HW_LENGTH(dw)     0
#define HW_COMMON
#include "hw/expand.h"

enum sdma_status { SDMA_OK, SDMA_UNKNOWN_OP, SDMA_TRUNCATED };
struct sdma_packet {
    enum sdma_status status;
    const struct hw_record *rec; /* NULL: SDMA_UNKNOWN_OP, length not known, one dword is taken */
    uint32_t dwords;             /* whole packet, at most what is left */
};
/* As pm4_next: looks at dw[0..left), left > 0, returns the step (>= 1). */
uint32_t sdma_next(const uint32_t *dw, uint32_t left, enum sdma_gen gen, struct sdma_packet *out);
/* Dwords of the whole packet at dw, 0 when the op has no row on gen. *need is set when the length lies in a
 * dword at or beyond left: at least *need dwords must be seen first. */
uint32_t sdma_dwords(const uint32_t *dw, uint32_t left, enum sdma_gen gen, uint32_t *need);
#endif
