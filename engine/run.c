/* Dispatches: workgroups and waves in turn, barriers, budget, faults. */
#include "engine/access.h"
#include "engine/dispatch.h"
#include "base/bits.h"
#include "base/err.h"
#include <stdlib.h>
#include <string.h>

static int check_launch(const struct eng_launch *l)
{
    uint64_t items = 1, groups = 1;
    if (!l->isa || !l->mem || !l->cache || !l->init_wave)
        return fail(-EINVAL, "launch without instruction set, memory, cache or init_wave");
    if (l->width != 32 && l->width != 64)
        return fail(-EINVAL, "wave width %u: 32 or 64 expected", l->width);
    if (l->nvregs < 1 || l->nvregs > 512)
        return fail(-EINVAL, "%u vector registers: 1 to 512 expected", l->nvregs);
    for (int i = 0; i < 3; i++) {
        if (!l->group_size[i] || l->group_size[i] > 1024)
            return fail(-EINVAL, "workgroup size %u in dimension %d: 1 to 1024 expected", l->group_size[i],
                        i);
        if (!l->tail[i] || l->tail[i] > l->group_size[i])
            return fail(-EINVAL, "last workgroup's size %u in dimension %d: 1 to %u expected", l->tail[i], i,
                        l->group_size[i]);
        items *= l->group_size[i];
        if (__builtin_mul_overflow(groups, l->groups[i], &groups))
            return fail(-EINVAL, "%u x %u x %u workgroups are too many", l->groups[0], l->groups[1],
                        l->groups[2]);
    }
    if (items > 1024)
        return fail(-EINVAL, "workgroup of %llu work-items: 1 to 1024 expected", (unsigned long long)items);
    if (l->lds_bytes > 1 << 20)
        return fail(-EINVAL, "%u bytes of LDS: at most 1 MiB expected", l->lds_bytes);
    if (l->scratch_slots && l->scratch_slots < (items + l->width - 1) / l->width)
        return fail(-EINVAL, "scratch for %u waves, but a workgroup has %llu", l->scratch_slots,
                    (unsigned long long)((items + l->width - 1) / l->width));
    if (l->scratch_slots && (uint64_t)l->scratch_lane_bytes * l->width > l->scratch_wave_bytes)
        return fail(-EINVAL, "scratch of %u bytes a lane does not fit %u bytes a wave", l->scratch_lane_bytes,
                    l->scratch_wave_bytes);
    return 0;
}

static uint64_t group_items(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

int eng_dispatch_start(const struct eng_launch *l, struct eng_dispatch **out)
{
    int r = check_launch(l);
    if (r)
        return r;
    struct eng_dispatch *d = calloc(1, sizeof *d);
    if (!d)
        return fail(-ENOMEM, "no memory for a dispatch");
    d->l = *l;
    d->total = (uint64_t)l->groups[0] * l->groups[1] * l->groups[2];
    d->waves_max = (unsigned)((group_items(l->group_size) + l->width - 1) / l->width);
    d->resident_max = l->max_groups ? l->max_groups : 1;
    if (l->scratch_slots && l->scratch_slots / d->waves_max < d->resident_max)
        d->resident_max = l->scratch_slots / d->waves_max;
    d->fault.kind = FAULT_NONE;
    eng_cache_use(l->cache);
    *out = d;
    return 0;
}

/* Memory for a workgroup: from the idle list, or new (zeroed). Never more than resident_max are made. */
static struct group *group_memory(struct eng_dispatch *d)
{
    struct group *g = d->idle;
    if (g) {
        d->idle = g->next;
        return g;
    }
    if (d->nactive == d->room) {
        unsigned room = d->room ? d->room * 2 : 8;
        struct group **p = realloc(d->active, room * sizeof *p);
        if (!p)
            return NULL;
        d->active = p;
        d->room = room;
    }
    size_t waves_at = align_up(sizeof *g, 64), lds_at = waves_at + d->waves_max * sizeof(struct wave);
    size_t vregs_at = lds_at + align_up(d->l.lds_bytes, 64) + 64;
    size_t per_wave = (size_t)d->l.nvregs * d->l.width * 4;
    size_t n = vregs_at + d->waves_max * per_wave;
    uint8_t *p = aligned_alloc(64, align_up(n, 64));
    if (!p)
        return NULL;
    memset(p, 0, vregs_at);
    g = (struct group *)p;
    g->waves = (struct wave *)(p + waves_at);
    g->wg.lds = p + lds_at;
    g->slot = d->slots++;
    g->dirty_vregs = d->l.nvregs;
    for (unsigned i = 0; i < d->waves_max; i++)
        g->waves[i].v = (uint32_t *)(p + vregs_at + i * per_wave);
    return g;
}

static void wave_start(struct eng_dispatch *d, struct group *g, unsigned i, const uint32_t size[3])
{
    struct wave *w = &g->waves[i];
    const struct eng_launch *l = &d->l;
    uint64_t left = group_items(size) - (uint64_t)i * l->width;
    uint64_t exec = left >= 64 ? ~0ull : (1ull << left) - 1;
    memset(w->s, 0, sizeof w->s);
    memset(w->v, 0, (size_t)g->dirty_vregs * l->width * 4);
    w->code = d->prog->insns;
    w->pool = d->prog->pool;
    w->code_va = d->prog->base;
    w->ip = w->code + d->entry;
    w->pc = l->pc;
    w->scc = 0;
    w->mode = l->mode;
    w->width = (uint8_t)l->width;
    w->state = WAVE_GO;
    w->index = (uint8_t)i;
    w->gen = l->isa->gen;
    w->nvregs = l->nvregs;
    w->group = &g->wg;
    w->mem = l->mem;
    w->hot = d->hot;
    w->shared_base = l->shared_base;
    w->private_base = l->private_base;
    w->scratch_va = l->scratch_va + ((uint64_t)g->slot * d->waves_max + i) * l->scratch_wave_bytes;
    w->scratch_lane_bytes = l->scratch_slots ? l->scratch_lane_bytes : 0;
    w->insns = 0;
    w->s[SREG_EXEC] = (uint32_t)exec;
    if (l->width == 64)
        w->s[SREG_EXEC + 1] = (uint32_t)(exec >> 32);
    l->init_wave(l->ctx, w, size);
}

static struct group *group_start(struct eng_dispatch *d)
{
    struct group *g = group_memory(d);
    if (!g)
        return NULL;
    uint64_t n = d->next++;
    uint32_t size[3];
    for (int i = 0; i < 3; i++) {
        uint32_t id = (uint32_t)(n % d->l.groups[i]);
        n /= d->l.groups[i];
        g->wg.id[i] = d->l.group_start[i] + id;
        size[i] = id == d->l.groups[i] - 1 ? d->l.tail[i] : d->l.group_size[i];
    }
    g->wg.dispatch = d;
    g->wg.lds_size = d->l.lds_bytes;
    g->wg.fault = &d->fault;
    g->wg.waves = (uint32_t)((group_items(size) + d->l.width - 1) / d->l.width);
    g->wg.waves_live = g->wg.waves;
    g->wg.waves_at_barrier = 0;
    memset(g->wg.lds, 0, d->l.lds_bytes);
    g->at = 0;
    g->slice = 0;
    for (unsigned i = 0; i < g->wg.waves; i++)
        wave_start(d, g, i, size);
    d->active[d->nactive++] = g;
    return g;
}

static void group_end(struct eng_dispatch *d, struct group *g)
{
    unsigned i = 0;
    while (d->active[i] != g)
        i++;
    d->active[i] = d->active[--d->nactive];
    unsigned used = __atomic_load_n(&d->prog->vregs_used, __ATOMIC_RELAXED);
    used = d->many_progs || used > d->l.nvregs ? d->l.nvregs : used;
    if (used < 4) /* init_wave's */
        used = d->l.nvregs < 4 ? d->l.nvregs : 4;
    g->dirty_vregs = used;
    g->next = d->idle;
    d->idle = g;
    d->stats.groups++;
    d->stats.waves += g->wg.waves;
}

/* A wave stopped for good or arrived: when all that live have arrived, all go on. */
static void barrier_check(struct group *g)
{
    if (!g->wg.waves_at_barrier || g->wg.waves_at_barrier < g->wg.waves_live)
        return;
    for (unsigned i = 0; i < g->wg.waves; i++)
        if (g->waves[i].state == WAVE_BARRIER)
            g->waves[i].state = WAVE_GO;
    g->wg.waves_at_barrier = 0;
}

/* Gives the wave at g->at a turn. */
static int wave_turn(struct eng_dispatch *d, struct group *g)
{
    struct wave *w = &g->waves[g->at];
    uint64_t before = w->insns;
    d->wave = w;
    uint64_t slice = d->budget < WAVE_SLICE ? (uint64_t)d->budget : WAVE_SLICE;
    int r = eng_wave_run(d, w, before + slice);
    uint64_t ran = w->insns - before;
    g->slice += ran;
    if (!d->old_turn)
        d->since_turn += ran;
    d->budget -= (int64_t)ran;
    d->stats.insns += ran;
    w->state = (uint8_t)r;
    if (r == WAVE_END)
        g->wg.waves_live--;
    else if (r == WAVE_BARRIER)
        g->wg.waves_at_barrier++;
    if (r == WAVE_END || r == WAVE_BARRIER)
        barrier_check(g);
    return r;
}

enum { GROUP_MORE, GROUP_END, GROUP_FAULT };

/* One turn of a workgroup: until it ends, its slice or the budget is used up, or all its waves only wait
 * (s_sleep in a polling loop). */
static int group_turn(struct eng_dispatch *d, struct group *g)
{
    unsigned waited = 0; /* waves in a row that did nothing but yield */
    for (;;) {
        struct wave *w = &g->waves[g->at];
        if (w->state != WAVE_END && w->state != WAVE_BARRIER) {
            int r = wave_turn(d, g);
            if (r == WAVE_FAULT)
                return GROUP_FAULT;
            waited = r == WAVE_YIELD ? waited + 1 : 0;
            if (!g->wg.waves_live)
                return GROUP_END;
        }
        g->at = g->at + 1 == g->wg.waves ? 0 : g->at + 1;
        if (d->budget <= 0 || g->slice >= GROUP_SLICE ||
            (waited && waited >= g->wg.waves_live - g->wg.waves_at_barrier))
            return GROUP_MORE;
    }
}

/* The workgroup to run now. New ones start while the chip has room; those that did not finish in their turn
 * get another one after a slice of other work at the latest. NULL with d->fault unset: all are done. */
static struct group *choose(struct eng_dispatch *d)
{
    if (d->cur)
        return d->cur;
    int fresh = d->next < d->total && d->nactive < d->resident_max;
    if (fresh && (!d->nactive || d->since_turn < GROUP_SLICE))
        return d->old_turn = 0, d->cur = group_start(d);
    if (!d->nactive)
        return NULL;
    d->old_turn = 1;
    d->since_turn = 0;
    d->turn = d->turn + 1 < d->nactive ? d->turn + 1 : 0;
    d->cur = d->active[d->turn];
    d->cur->slice = 0;
    return d->cur;
}

static int launch_fault(struct eng_dispatch *d, int err)
{
    d->fault.kind = err == -EFAULT ? FAULT_NO_EXEC : err == -EINVAL ? FAULT_ILLEGAL : FAULT_LAUNCH;
    d->fault.access = ACCESS_EXEC;
    d->fault.va = d->fault.pc = d->l.pc;
    strncpy(d->fault.what, fail_text(), sizeof d->fault.what - 1);
    return -EFAULT;
}

static int run(void *arg)
{
    struct eng_dispatch *d = arg;
    if (!d->prog && d->total) {
        d->entry =
            eng_cache_lookup(d->l.cache, d->l.isa, d->l.width, d->l.nvregs, d->l.pc, 1, NULL, &d->prog);
        if (d->entry < 0)
            return launch_fault(d, d->entry);
    }
    while (d->budget > 0) {
        struct group *g = choose(d);
        if (!g && d->next < d->total)
            return launch_fault(d, fail(-ENOMEM, "no memory for a workgroup of %u waves", d->waves_max));
        if (!g)
            return ENG_DONE;
        switch (group_turn(d, g)) {
        case GROUP_FAULT:
            return -EFAULT;
        case GROUP_END:
            group_end(d, g);
            d->cur = NULL;
            break;
        default:
            if (g->slice >= GROUP_SLICE || d->budget > 0)
                d->cur = NULL;
        }
    }
    return d->next == d->total && !d->nactive ? ENG_DONE : ENG_MORE;
}

/* A host fault inside an operation: the address belongs to a mapping whose host page is gone or read-only. */
static void host_fault(struct eng_dispatch *d, uintptr_t bad)
{
    struct wave *w = d->wave;
    const struct mem_range *r = mem_find_host(d->l.mem, (void *)bad);
    if (!w) {
        launch_fault(d, fail(-ENOMEM, "host fault at 0x%llx while starting", (unsigned long long)bad));
        return;
    }
    if (!r) {
        wave_fault(w, &w->ip[-1], FAULT_LAUNCH, ACCESS_NONE, 0, wave_exec(w),
                   "engine fault: host address 0x%llx is no GPU memory", (unsigned long long)bad);
        return;
    }
    uint8_t byte;
    uint64_t va = r->va + (bad - (uintptr_t)r->host), at;
    int readable = !mem_read(d->l.mem, va, &byte, 1, &at);
    const struct lane_insn *in = &w->ip[-1];
    unsigned dwords = in->d.dwords > in->s[1].dwords ? in->d.dwords : in->s[1].dwords;
    uint64_t lanes =
        in->addr == LA_NONE || in->addr == LA_SCALAR ? wave_exec(w) : access_lanes_at(w, in, dwords * 4, va);
    wave_fault(w, in, readable ? FAULT_READ_ONLY : FAULT_UNMAPPED, readable ? ACCESS_WRITE : ACCESS_READ, va,
               lanes, "the host page behind it is %s", readable ? "not writable" : "gone");
}

static void fill_text(struct eng_dispatch *d)
{
    uint8_t bytes[32];
    uint64_t bad;
    size_t n = sizeof bytes;
    while (n && mem_read(d->l.mem, d->fault.pc, bytes, n, &bad))
        n -= 4;
    if (n && d->l.isa->text)
        d->l.isa->text(d->l.isa, bytes, n, d->fault.pc, d->l.width, d->fault.insn, sizeof d->fault.insn);
}

int eng_dispatch_run(struct eng_dispatch *d, uint64_t budget)
{
    if (d->fault.kind != FAULT_NONE)
        return fail(-EFAULT, "the dispatch has faulted");
    uintptr_t bad = 0;
    d->budget = budget > INT64_MAX ? INT64_MAX : (int64_t)budget;
    if (d->hot_generation != mem_generation(d->l.mem)) {
        memset(d->hot, 0, sizeof d->hot);
        d->hot_generation = mem_generation(d->l.mem);
    }
    unsigned fp = eng_fp_save();
    int r = guard_run(run, d, &bad);
    eng_fp_restore(fp);
    if (r != -EFAULT)
        return r;
    if (d->fault.kind == FAULT_NONE)
        host_fault(d, bad);
    char text[600];
    fill_text(d);
    return fail(-EFAULT, "%s", eng_fault_text(&d->fault, text, sizeof text));
}

const struct eng_fault *eng_dispatch_fault(const struct eng_dispatch *d)
{
    return &d->fault;
}

void eng_dispatch_stats(const struct eng_dispatch *d, struct eng_stats *out)
{
    *out = d->stats;
}

static void free_group(struct group *g)
{
    free(g);
}

void eng_dispatch_free(struct eng_dispatch *d)
{
    if (!d)
        return;
    for (unsigned i = 0; i < d->nactive; i++)
        free_group(d->active[i]);
    while (d->idle) {
        struct group *g = d->idle;
        d->idle = g->next;
        free_group(g);
    }
    eng_cache_release(d->l.cache);
    free(d->active);
    free(d);
}
