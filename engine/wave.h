/* The state of one wave and of its workgroup, as the operations see it. Owned by the scheduler
 * (engine/run.c); an operation may change registers, ip, LDS and memory. One host thread runs a workgroup at
 * a time.
 */
#ifndef NX_ENGINE_WAVE_H
#define NX_ENGINE_WAVE_H
#include "engine/lane.h"
#include "engine/fault.h"

enum { /* why a lane_fn stopped the wave */
       WAVE_GO = 0,
       WAVE_END = 1, /* s_endpgm */
       WAVE_BARRIER =
           2,           /* waiting for the others of the workgroup; ip is the instruction after the barrier */
       WAVE_YIELD = 3,  /* s_sleep and the like: let others run first */
       WAVE_FAULT = 4,  /* the dispatch's fault is filled in (wave_fault) */
       WAVE_LOOKUP = 5, /* ip is unknown: look up wave.pc (indirect branch or unresolved target) */
};

struct eng_dispatch;
struct mem_map;

/* Ranges of the memory map found before, by instruction address (engine/ops/): emptied when the map changes.
 */
enum { MEM_HOT = 16 };
struct mem_hot {
    uint64_t va, size; /* size 0: empty */
    uint8_t *host;
    uint32_t prot;
};

struct workgroup {
    struct eng_dispatch *dispatch;
    uint8_t *lds;      /* lds_size bytes, zeroed at start, 64-byte aligned */
    uint32_t lds_size; /* allocated by the launch, bytes */
    uint32_t id[3];
    uint32_t waves, waves_live, waves_at_barrier;
    struct eng_fault *fault; /* the dispatch's; the first fault wins */
};

struct wave {
    _Alignas(64) uint32_t s[SREG_COUNT]; /* scalar registers, SREG_* */
    uint32_t *v;                         /* vector register r, lane i: v[r * width + i]; 64-byte aligned */
    const uint32_t *pool;                /* program constants: entry k, lane i: pool[k * LANES + i] */
    const struct lane_insn *ip;          /* next instruction */
    const struct lane_insn *code;        /* instruction 0 of the program */
    uint64_t code_va;                    /* address of lane_insn.pc 0 */
    uint64_t pc;                         /* address to look up after WAVE_LOOKUP; otherwise stale */
    uint32_t scc;                        /* 0 or 1 */
    uint32_t mode;   /* MODE: f32 round 1:0, f64/f16 round 3:2, f32 denorm 5:4, f64/f16 denorm
                      * 7:6, dx10_clamp 8, ieee 9, ... as AMD lays it out */
    uint8_t width;   /* 32 or 64 */
    uint8_t state;   /* WAVE_* of the last stop */
    uint8_t index;   /* wave in the workgroup */
    uint8_t gen;     /* instruction-set generation (eng_isa.gen), for operations that differ */
    uint32_t nvregs; /* vector registers allocated */
    struct workgroup *group;
    struct mem_map *mem;
    struct mem_hot *hot;                /* MEM_HOT entries, the dispatch's */
    uint64_t shared_base, private_base; /* flat apertures: compare the high 32 bits of a flat address */
    uint64_t scratch_va;         /* this wave's private memory, dword-interleaved over lanes: byte o of a
                                  * lane is at scratch_va + (o / 4) * width * 4 + lane * 4 + o % 4 */
    uint32_t scratch_lane_bytes; /* private bytes per lane; an offset past it is a fault */
    uint64_t insns;              /* executed wave-instructions */
};

static inline uint64_t wave_all(const struct wave *w)
{
    return w->width == 64 ? ~0ull : 0xffffffffull;
}
static inline uint64_t wave_s64(const struct wave *w, unsigned r)
{
    return w->s[r] | (uint64_t)w->s[r + 1] << 32;
}
static inline void wave_set_s64(struct wave *w, unsigned r, uint64_t v)
{
    w->s[r] = (uint32_t)v;
    w->s[r + 1] = (uint32_t)(v >> 32);
}
/* A lane mask in scalar registers (vcc, exec or any); in wave32 one register only, the next one is left
 * alone. */
static inline uint64_t wave_mask(const struct wave *w, unsigned r)
{
    return w->width == 64 ? wave_s64(w, r) : w->s[r];
}
static inline void wave_set_mask(struct wave *w, unsigned r, uint64_t m)
{
    w->s[r] = (uint32_t)m;
    if (w->width == 64)
        w->s[r + 1] = (uint32_t)(m >> 32);
}
/* The lanes that are on. */
static inline uint64_t wave_exec(const struct wave *w)
{
    return wave_mask(w, SREG_EXEC);
}
/* Address of an instruction of the running program. */
static inline uint64_t wave_pc_of(const struct wave *w, const struct lane_insn *in)
{
    return w->code_va + in->pc;
}

/* Records a fault of this wave at `in` (the first of a dispatch is kept) and returns WAVE_FAULT. lanes: which
 * lanes took part; va: the offending address, 0 where there is none. */
int wave_fault(struct wave *w, const struct lane_insn *in, enum eng_fault_kind kind, enum eng_access access,
               uint64_t va, uint64_t lanes, const char *fmt, ...) __attribute__((format(printf, 7, 8), cold));
#endif
