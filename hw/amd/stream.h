/* Streams of packets, whatever the queue: walk them, print them, and put printed text back into dwords.
 * The text is one line a packet, `name field=value ...`, followed by comment lines (#) with what is derived:
 * registers with their bit fields. Header-dword fields of value 0 are left out. What cannot be read is kept
 * exactly: bits that no row names as `unknown[dword]=bits`, dwords that are no packet as `raw dword...  #
 * why`. So stream_asm is the inverse of stream_text for any input. Not here: executing, rings.
 */
#ifndef NX_HW_AMD_STREAM_H
#define NX_HW_AMD_STREAM_H
#include <stdio.h>
#include "base/json.h"
#include "hw/amd/gen.h"
#include "hw/field.h"

/* STREAM_KD: kernel descriptors, 16 dwords each (symbols NAME.kd of a code object). */
enum stream_format { STREAM_PM4, STREAM_SDMA, STREAM_AQL, STREAM_KD };
extern const char *const stream_format_names[4];

/* What the words belong to. stream_target fills it from names ("pm4", "gfx1100"); -EINVAL with text. */
struct stream_target {
    enum stream_format format;
    enum amd_gen gen;
    unsigned table_gen; /* as the format's records count: enum sdma_gen for SDMA, else gen */
};
int stream_target(struct stream_target *t, const char *format, const char *gpu);

struct stream_item {
    const uint32_t *dw; /* the packet's first dword */
    size_t at;          /* its index in the stream */
    uint32_t dwords;
    const struct hw_record *rec; /* NULL: not a whole packet, see problem */
    char problem[120];           /* "" or what is wrong: unknown opcode, bad count, truncated, unknown bits */
};
/* Reads the item at dw[at..n), at < n; returns the index of the next one. */
size_t stream_next(const struct stream_target *t, const uint32_t *dw, size_t n, size_t at,
                   struct stream_item *out);
/* Calls fn for every item in order; returns how many had a problem. fn may be NULL. */
size_t stream_walk(const struct stream_target *t, const uint32_t *dw, size_t n,
                   void (*fn)(void *ctx, const struct stream_target *t, const struct stream_item *item),
                   void *ctx);

/* One item as text lines or as a JSON object; base is the address of the stream's first dword. */
void stream_text(FILE *f, const struct stream_target *t, const struct stream_item *item, uint64_t base);
void stream_json(struct json *j, const struct stream_target *t, const struct stream_item *item,
                 uint64_t base);

/* Assembles text as above (an address followed by ':' may lead a line; # starts a comment) into a malloc'd
 * array that the caller frees. Fields left out are 0. Returns the number of dwords, or -EINVAL / -ENOMEM with
 * text naming line, packet and field. */
long stream_asm(const struct stream_target *t, const char *text, uint32_t **out);
#endif
