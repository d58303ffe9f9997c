/* A rig for engine tests: hand-built lane programs. The "machine code" is one dword an instruction, the
 * number of a template in rig.insns; operations are the engine's own or the test's.
 */
#ifndef NX_ENGINE_RIG_H
#define NX_ENGINE_RIG_H
#include "base/err.h"
#include "engine/engine.h"
#include "engine/ops.h"
#include "test/test.h"
#include <stdlib.h>
#include <sys/mman.h>

enum { RIG_CODE = 0x10000, RIG_DATA = 0x200000, RIG_MAX = 64 };
static struct {
    struct mem_map *mem;
    struct eng_cache *cache;
    uint32_t *code; /* 4 KiB at RIG_CODE */
    uint8_t *data;  /* 64 KiB at RIG_DATA */
    struct lane_insn insns[RIG_MAX];
    unsigned count, translated;
    struct eng_launch l;
    void (*init)(struct wave *w, const uint32_t size[3]);
} rig;

static int rig_translate(const struct eng_isa *isa, struct lane_prog *p, uint64_t pc, const uint8_t *bytes,
                         size_t avail, unsigned width, unsigned nvregs)
{
    (void)isa, (void)nvregs;
    for (size_t at = 0; at < avail; at += 4) {
        uint32_t n;
        memcpy(&n, bytes + at, 4);
        if (n >= rig.count)
            return fail(-EINVAL, "no template %u", n);
        struct lane_insn in = rig.insns[n];
        in.pc = (uint32_t)(pc + at - lane_prog_base(p));
        in.size = 4;
        if (!in.fn)
            in.fn = lane_op_fn(in.op, width);
        rig.translated++;
        int r = lane_prog_add(p, &in);
        if (r < 0)
            return r;
        if (in.flags & LF_NO_FALL)
            return (int)at + 4;
    }
    return (int)avail;
}
static void rig_text(const struct eng_isa *isa, const uint8_t *bytes, size_t avail, uint64_t pc,
                     unsigned width, char *buf, size_t n)
{
    (void)isa, (void)avail, (void)pc, (void)width;
    snprintf(buf, n, "template %u", bytes[0]);
}
static const struct eng_isa rig_isa = {"rig", 11, rig_translate, rig_text};

static void rig_init_wave(void *ctx, struct wave *w, const uint32_t size[3])
{
    (void)ctx;
    for (unsigned i = 0; i < w->width; i++)
        w->v[i] = w->index * w->width + i;
    w->s[0] = w->group->id[0];
    if (rig.init)
        rig.init(w, size);
}

/* Appends an instruction to the code. */
static inline struct lane_insn *rig_add(lane_fn *fn, unsigned op, unsigned flags)
{
    struct lane_insn *in = &rig.insns[rig.count];
    memset(in, 0, sizeof *in);
    in->fn = fn;
    in->op = (uint16_t)op;
    in->flags = (uint16_t)flags;
    in->target = -1;
    rig.code[rig.count] = rig.count;
    rig.count++;
    return in;
}

static int rig_end_fn(struct wave *w, const struct lane_insn *in)
{
    (void)w, (void)in;
    return WAVE_END;
}
static int rig_barrier_fn(struct wave *w, const struct lane_insn *in)
{
    (void)w, (void)in;
    return WAVE_BARRIER;
}
/* Branches back by imm instructions while s1 counts down to 0. */
static int rig_loop_fn(struct wave *w, const struct lane_insn *in)
{
    if (!--w->s[1])
        return WAVE_GO;
    if (in->target >= 0) {
        w->ip = w->code + in->target;
        return WAVE_GO;
    }
    w->pc = wave_pc_of(w, in) + 4 + (uint64_t)((int64_t)in->imm * 4);
    return WAVE_LOOKUP;
}
static inline void rig_end(void)
{
    rig_add(rig_end_fn, OP_s_nop, LF_BLOCK_END | LF_NO_FALL);
}
static inline void rig_loop(int imm)
{
    rig_add(rig_loop_fn, OP_s_nop, LF_BLOCK_END)->imm = imm;
}
static inline void rig_barrier(void)
{
    rig_add(rig_barrier_fn, OP_s_nop, 0);
}

static inline void *rig_pages(size_t n)
{
    return mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
static inline void rig_open(unsigned width)
{
    memset(&rig, 0, sizeof rig);
    rig.mem = mem_map_new();
    rig.cache = eng_cache_new(rig.mem);
    rig.code = rig_pages(4096);
    rig.data = rig_pages(65536);
    struct mem_range code = {RIG_CODE, 4096, (uint8_t *)rig.code, MEM_READ | MEM_EXEC, 1};
    struct mem_range data = {RIG_DATA, 65536, rig.data, MEM_READ | MEM_WRITE, 2};
    CHECK_EQ(mem_map_add(rig.mem, &code), 0);
    CHECK_EQ(mem_map_add(rig.mem, &data), 0);
    rig.l = (struct eng_launch){.isa = &rig_isa,
                                .mem = rig.mem,
                                .cache = rig.cache,
                                .pc = RIG_CODE,
                                .width = width,
                                .nvregs = 32,
                                .groups = {1, 1, 1},
                                .group_size = {width, 1, 1},
                                .tail = {width, 1, 1},
                                .lds_bytes = 1024,
                                .mode = 0xf0,
                                .shared_base = 0x1000000000000,
                                .private_base = 0x2000000000000,
                                .max_groups = 4,
                                .init_wave = rig_init_wave};
}
static inline void rig_close(void)
{
    eng_cache_free(rig.cache);
    mem_map_free(rig.mem);
    munmap(rig.code, 4096);
    munmap(rig.data, 65536);
}
static inline void rig_size(unsigned items)
{
    rig.l.group_size[0] = rig.l.tail[0] = items;
}
/* Runs the launch to its end: ENG_DONE or -errno; *f and *s (may be NULL) are filled. */
static inline int rig_run(struct eng_fault *f, struct eng_stats *s)
{
    struct eng_dispatch *d;
    int r = eng_dispatch_start(&rig.l, &d);
    if (r)
        return r;
    for (int i = 0; i < 1000000 && (r = eng_dispatch_run(d, 100000)) == ENG_MORE; i++)
        ;
    if (f)
        *f = *eng_dispatch_fault(d);
    if (s)
        eng_dispatch_stats(d, s);
    eng_dispatch_free(d);
    return r;
}
#endif
