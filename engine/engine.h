/* The engine: runs a grid of workgroups of a GPU program on this CPU. It knows no packets, drivers or
 * encodings: an instruction set is a struct eng_isa (isa/), the launch state comes from the caller's
 * init_wave (soft/). A dispatch is a resumable state machine, so that one thread can serve several queues and
 * honour time-outs.
 */
#ifndef NX_ENGINE_ENGINE_H
#define NX_ENGINE_ENGINE_H
#include "engine/fault.h"
#include "engine/mem.h"
#include "engine/wave.h"
#include <stddef.h>

/* A translated program: instructions in blocks, found by address. Grows as new code is reached. */
struct lane_prog;
/* Appends one instruction (copied); in->pc is set by the caller to pc - lane_prog_base(p). A machine
 * instruction that becomes several has the same pc in all of them. Index or -ENOMEM. */
int lane_prog_add(struct lane_prog *p, const struct lane_insn *in);
/* The next instruction appended is the one to enter at `pc` too: for instructions without effect (waits,
 * hints), which are not appended, so that loops do not pay for them and jumps to them work. -ENOMEM. */
int lane_prog_alias(struct lane_prog *p, uint64_t pc);
uint64_t lane_prog_base(const struct lane_prog *p);
/* Pool index of a constant spread over all lanes; a 64-bit one (dwords = 2) takes two entries, low first.
 * Deduplicated. -ENOMEM. */
int lane_prog_const(struct lane_prog *p, uint64_t value, unsigned dwords);

struct eng_isa {
    const char *name; /* "gfx1100" */
    uint8_t gen;      /* goes to wave.gen */
    /* Translates the code at pc: bytes[0..avail) is the mapped code from pc on. Appends instructions, through
     * conditional branches (their fall-through is the next one appended), up to and including the first that
     * never falls through (LF_BLOCK_END | LF_NO_FALL). Every one that may set wave.ip is LF_BLOCK_END (set by
     * lane_prog_add for class CTRL). Several appended instructions may carry one pc (dual issue): the first
     * is the one to enter. A taken branch stops with WAVE_LOOKUP until the scheduler has filled in its
     * lane_insn.target. An undecodable instruction becomes one whose fn reports FAULT_ILLEGAL when it is
     * reached. avail may end before the mapping does: it is called again with more when what it consumed
     * comes within 64 bytes of the end. It is called with a lock held and must not touch GPU memory. width:
     * lanes; nvregs: vector registers allocated (one out of range is illegal). Returns bytes consumed or
     * -errno. */
    int (*translate)(const struct eng_isa *isa, struct lane_prog *p, uint64_t pc, const uint8_t *bytes,
                     size_t avail, unsigned width, unsigned nvregs);
    /* Text of the instruction at bytes, for faults and traces. */
    void (*text)(const struct eng_isa *isa, const uint8_t *bytes, size_t avail, uint64_t pc, unsigned width,
                 char *buf, size_t n);
};

/* Translated code of one address space, shared by its dispatches; checked against memory again after
 * eng_cache_invalidate (an instruction-cache invalidate packet), so that changed code is noticed. */
struct eng_cache;
struct eng_cache *eng_cache_new(struct mem_map *mem);
void eng_cache_free(struct eng_cache *c);
void eng_cache_invalidate(struct eng_cache *c);

struct eng_launch {
    const struct eng_isa *isa;
    struct mem_map *mem;
    struct eng_cache *cache;
    uint64_t pc;             /* first instruction */
    unsigned width;          /* 32 or 64 */
    unsigned nvregs;         /* vector registers per wave */
    uint32_t groups[3];      /* workgroups to run */
    uint32_t group_start[3]; /* id of the first workgroup */
    uint32_t group_size[3];  /* work-items of a full workgroup */
    uint32_t tail[3]; /* work-items of the last workgroup per dimension (= group_size when not partial) */
    uint32_t lds_bytes;
    uint32_t mode; /* initial MODE */
    uint64_t shared_base, private_base;
    uint64_t scratch_va; /* private memory: slot k at scratch_va + k * scratch_wave_bytes */
    uint32_t scratch_wave_bytes,
        scratch_slots; /* 0 slots: no scratch; at most scratch_slots waves run at once */
    uint32_t scratch_lane_bytes;
    uint32_t max_groups; /* workgroups the modelled chip holds at once (>= 1) */
    /* Fills scalar and vector registers of a new wave (zeroed; v, width, exec, mode, index, group already
     * set). size: this workgroup's real size (tail applied). */
    void (*init_wave)(void *ctx, struct wave *w, const uint32_t size[3]);
    void *ctx;
};

struct eng_stats {
    uint64_t insns, waves, groups; /* executed */
};

struct eng_dispatch;
/* -EINVAL with text for impossible launches; -ENOMEM. The launch is copied. */
int eng_dispatch_start(const struct eng_launch *l, struct eng_dispatch **out);
enum { ENG_MORE = 0, ENG_DONE = 1 };
/* Runs about `budget` wave-instructions at most. ENG_DONE, ENG_MORE, or -EFAULT (see eng_dispatch_fault).
 * Workgroups start in order; all that fit max_groups make progress, so that one may wait for another. */
int eng_dispatch_run(struct eng_dispatch *d, uint64_t budget);
const struct eng_fault *eng_dispatch_fault(const struct eng_dispatch *d);
void eng_dispatch_stats(const struct eng_dispatch *d, struct eng_stats *out);
void eng_dispatch_free(struct eng_dispatch *d); /* at any time; NULL is allowed */
#endif
