/* Pushbuffers: the segments that GPFIFO entries point to. A segment is headers, each followed by the data of
 * the methods it announces; a sequence may go on in the next segment.
 *
 *    31 29 28          16 15   13 12 11              0
 *   | op  |    count     | subch | r | address / 4    |      op 4 (immediate): the data stands in place of
 * the count
 *
 * Writers use nv_push_header; readers (command processor, decoder) feed dwords to nv_push_word or whole
 * segments to nv_push_walk.
 */
#ifndef NX_HW_NV_PUSH_H
#define NX_HW_NV_PUSH_H
#include <stddef.h>
#include "hw/nv/methods.h"

enum nv_push_op {
    NV_OP_TERT =
        0, /* word 0: NOP; else bits 17:16: 0 old incrementing, 1 set, 2 store, 3 use sub-device mask */
    NV_OP_INC = 1,       /* the address grows by 4 a dword */
    NV_OP_OLD = 2,       /* old non-incrementing */
    NV_OP_NON_INC = 3,   /* all data to one address */
    NV_OP_IMMEDIATE = 4, /* 13 bits of data in the header */
    NV_OP_INC_ONCE = 5,  /* the first dword to the address, all others to address + 4 */
    NV_OP_RESERVED = 6,
    NV_OP_END = 7 /* the rest of the segment is skipped */
};
#define NV_PUSH_COUNT_MAX 0x1fffu
/* A header; method is a byte address below 0x4000, count up to NV_PUSH_COUNT_MAX (data for an immediate). */
static inline uint32_t nv_push_header(enum nv_push_op op, unsigned subch, uint32_t method, uint32_t count)
{
    return (uint32_t)op << 29 | (count & 0x1fff) << 16 | (subch & 7) << 13 | (method >> 2 & 0xfff);
}

enum nv_push_kind {
    NV_PUSH_METHOD,    /* address and data of one method */
    NV_PUSH_HEADER,    /* its data follows */
    NV_PUSH_NOP,       /* a zero word */
    NV_PUSH_SUBDEVICE, /* a sub-device mask operation: of no meaning with one GPU a channel */
    NV_PUSH_END,       /* end of segment */
    NV_PUSH_SKIPPED,   /* behind the end of segment */
    NV_PUSH_BAD        /* no header: see problem */
};
/* The reader's state. cls: classes that SET_OBJECT bound. */
struct nv_push {
    enum nv_gen gen;
    uint32_t cls[8];
    uint32_t address, left; /* of the sequence in progress */
    uint8_t op, subch, first, ended;
};
struct nv_push_item {
    uint32_t word;
    uint8_t kind, op, subch; /* enum nv_push_kind, nv_push_op */
    uint8_t unit;            /* enum nv_unit that executes the method */
    uint16_t count;          /* NV_PUSH_HEADER */
    uint32_t address, data;  /* NV_PUSH_METHOD: byte address. A header has its address too */
    uint32_t cls;            /* bound to the subchannel, 0: none */
};
/* Begins a channel: nothing bound, no sequence. */
void nv_push_begin(struct nv_push *s, enum nv_gen gen);
/* Begins the next segment; a sequence in progress goes on. */
void nv_push_segment(struct nv_push *s);
/* Takes one dword. A SET_OBJECT binds its class to the subchannel by itself. */
void nv_push_word(struct nv_push *s, uint32_t word, struct nv_push_item *out);
/* Takes a segment and calls fn for each item until it returns non-zero, which is then returned; else 0. *at
 * (may be NULL) becomes the index of the dword where it stopped, n at the end. Afterwards s->left dwords of
 * data are still missing. */
int nv_push_walk(struct nv_push *s, const uint32_t *dw, size_t n,
                 int (*fn)(void *ctx, const struct nv_push_item *item), void *ctx, size_t *at);
/* The row of a method item: by the class's generation where it is known, else the channel's; NULL: none. */
const struct hw_record *nv_push_record(const struct nv_push *s, const struct nv_push_item *it,
                                       unsigned *element, enum nv_gen *gen);
#endif
