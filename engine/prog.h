/* Translated programs and the cache that holds them (private to the engine; the translator's side is in
 * engine.h). A program covers one mapping of code; its instructions, constants and address index are reserved
 * at their largest size, so that nothing moves while waves run in it and readers need no lock: an index entry
 * is published after the instructions it names.
 */
#ifndef NX_ENGINE_PROG_H
#define NX_ENGINE_PROG_H
#include "engine/engine.h"
#include <pthread.h>

enum {
    PROG_MAX_INSNS = 1 << 20,
    PROG_MAX_CONSTS = 1 << 16,
    PROG_MAX_BYTES = 64 << 20,
};

struct code_piece {
    uint32_t at, bytes;
};

struct code_alias {
    uint32_t pc;
    int insn;
};

struct lane_prog {
    struct lane_prog *next;
    const struct eng_isa *isa;
    unsigned width, nvregs;
    unsigned vregs_used; /* registers named by the instructions so far */
    uint64_t base, size; /* code bytes covered */
    struct lane_insn *insns;
    uint32_t *pool; /* entry k, lane i: pool[k * LANES + i] */
    int32_t *index; /* by (pc - base) / 4: instruction + 1; 0: not translated yet */
    int count, consts;
    uint16_t *const_chain, const_head[256]; /* entry + 1 of the same hash */
    uint8_t *code;                          /* copy of the translated bytes, by pc - base */
    struct code_piece *pieces;
    unsigned npieces, pieces_room;
    struct code_alias *aliases; /* waiting to be published */
    unsigned naliases, aliases_room;
    uint64_t epoch, generation; /* when the copy was last compared with memory */
};

struct eng_cache {
    struct mem_map *mem;
    pthread_mutex_t lock;
    struct lane_prog *progs, *retired; /* retired: kept while a dispatch may run in it */
    uint64_t epoch;
    unsigned users; /* dispatches */
};

/* A dispatch registers as a user, so that code it runs in is kept. */
void eng_cache_use(struct eng_cache *c);
void eng_cache_release(struct eng_cache *c);

/* The program and instruction at pc, translated now when needed: index >= 0 with *out set; -EFAULT: pc is not
 * mapped executable memory; -EINVAL: misaligned; -ENOMEM, -E2BIG: no room (texts say). Thread-safe. `hint`:
 * a program to try first, or NULL. check: compare the program with memory when the cache was invalidated. */
int eng_cache_lookup(struct eng_cache *c, const struct eng_isa *isa, unsigned width, unsigned nvregs,
                     uint64_t pc, int check, struct lane_prog *hint, struct lane_prog **out);
#endif
