/* The state of a dispatch (private to the engine: run.c schedules, wave.c executes one wave). */
#ifndef NX_ENGINE_DISPATCH_H
#define NX_ENGINE_DISPATCH_H
#include "engine/engine.h"
#include "engine/prog.h"

#ifdef NX_STRESS
enum { WAVE_SLICE = 16, GROUP_SLICE = 64 };
#else
enum { WAVE_SLICE = 16384, GROUP_SLICE = 65536 }; /* wave-instructions before others get a turn */
#endif

/* A workgroup with its waves; its memory (waves, LDS, vector registers) is one allocation, used again for
 * later workgroups. */
struct group {
    struct workgroup wg;
    struct wave *waves;
    unsigned slot;        /* which of the resident places: gives the scratch slots */
    unsigned at;          /* the wave whose turn it is */
    unsigned dirty_vregs; /* registers that may be other than zero in this memory */
    uint64_t slice;       /* instructions of this turn */
    struct group *next;   /* in the idle list */
};

struct eng_dispatch {
    struct eng_launch l;
    struct eng_fault fault;
    struct eng_stats stats;
    int64_t budget;         /* instructions left of this run */
    struct lane_prog *prog; /* holds the entry */
    int entry;              /* first instruction */
    int many_progs;         /* control has left prog */
    uint64_t next, total;   /* workgroups by linear number: next to start, all */
    struct group **active;  /* resident and not finished */
    unsigned nactive, turn, room, resident_max, slots;
    struct group *cur, *idle; /* whose turn it is (NULL: choose); memory to use again */
    unsigned waves_max;       /* of a full workgroup */
    uint64_t since_turn;      /* instructions run in new workgroups since an unfinished one last had a turn */
    int old_turn;             /* cur is not in its first turn */
    struct mem_hot hot[MEM_HOT]; /* valid for map generation hot_generation */
    uint64_t hot_generation;
    struct wave *wave; /* running (for host faults) */
};

/* Runs a wave until it has executed at least `limit` instructions in all (wave.insns) or stops. Returns
 * WAVE_GO (limit reached), WAVE_END, WAVE_BARRIER, WAVE_YIELD or WAVE_FAULT. */
int eng_wave_run(struct eng_dispatch *d, struct wave *w, uint64_t limit);

/* Floating-point control of this host thread. save: returns the caller's and sets the default (round to
 * nearest, denormals kept, no traps); restore puts it back. */
unsigned eng_fp_save(void);
void eng_fp_restore(unsigned saved);
#endif
