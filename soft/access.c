/* Memory as the command processors see it, and what happens when they, or a program, fault. */
#define _GNU_SOURCE
#include "base/bits.h"
#include "base/err.h"
#include "hw/amd/atomic.h"
#include "hw/amd/pm4.h"
#include "soft/queue.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const access_names[] = {"none", "read", "write", "atomic", "execute"};

/* Keeps the story for SOFT_FAULT_FILE; the first fault of a port stays until its file is closed and a new one
 * begins. */
static void tell(struct queue *q, const char *at, const struct eng_fault *f, const char *kind)
{
    struct soft *s = q->gpu->soft;
    char line[768], *text;
    if (f->pc)
        eng_fault_text(f, line, sizeof line);
    else
        snprintf(line, sizeof line, "%s", f->what); /* no program: the packet says it all */
    debug("fault", "GPU %u queue %u (%s): %s", q->gpu->id, q->id, q->processor->name, line);
    if (s->faults) {
        s->faults->count++;
        snprintf(s->faults->last, sizeof s->faults->last, "queue %u (%s): %s", q->id, q->processor->name,
                 line);
    }
    if (asprintf(&text,
                 "queue %u (%s) of %s: %s\nkind %s\naccess %s\nva 0x%llx\npc 0x%llx\ngpu_id %u\nqueue_id "
                 "%u\npacket %s\n"
                 "insn %s\ngroup %u,%u,%u\nwave %u\nlanes 0x%llx\nwhat %s\n",
                 q->id, q->processor->name, q->gpu->chip->name, line, kind, access_names[f->access],
                 (unsigned long long)f->va, (unsigned long long)f->pc, q->gpu->id, q->id, at, f->insn,
                 f->group[0], f->group[1], f->group[2], f->wave, (unsigned long long)f->lanes, f->what) < 0)
        text = NULL;
    free(s->fault);
    s->fault = text;
}

static void stop_gpu(struct queue *q)
{
    q->faulted = true;
    q->gpu->evicted = true;
}

static int memory_exception(struct queue *q, const struct eng_fault *f)
{
    const struct kfd_memory_exception d = {.failure.NotPresent =
                                               f->kind == FAULT_UNMAPPED || f->kind == FAULT_SCRATCH,
                                           .failure.ReadOnly = f->kind == FAULT_READ_ONLY,
                                           .failure.NoExecute = f->kind == FAULT_NO_EXEC,
                                           .va = f->va & ~(uint64_t)(PAGE - 1),
                                           .gpu_id = q->gpu->id};
    stop_gpu(q);
    events_memory(q->gpu->soft, &d);
    soft_visible(q->gpu->soft);
    return fail(-EFAULT, "GPU %u queue %u: %s", q->gpu->id, q->id, f->what);
}

static int hang(struct queue *q, const char *what)
{
    const struct kfd_hw_exception d = {
        .reset_type = KFD_RESET_PER_ENGINE, .reset_cause = KFD_CAUSE_GPU_HANG, .gpu_id = q->gpu->id};
    stop_gpu(q);
    events_reset_gpu(q->gpu->soft, &d);
    soft_visible(q->gpu->soft);
    return fail(-EFAULT, "GPU %u queue %u: %s", q->gpu->id, q->id, what);
}

int queue_fault_memory(struct queue *q, const char *at, enum eng_access access, uint64_t va)
{
    const struct mem_range *r = mem_find(q->gpu->map, va);
    struct eng_fault f = {.access = access, .va = va};
    f.kind = !r                                                  ? FAULT_UNMAPPED
             : access == ACCESS_WRITE && !(r->prot & MEM_WRITE)  ? FAULT_READ_ONLY
             : access == ACCESS_ATOMIC && !(r->prot & MEM_WRITE) ? FAULT_READ_ONLY
                                                                 : FAULT_UNMAPPED;
    snprintf(f.what, sizeof f.what, "%s: %s fault, %s of 0x%llx: %s", at, eng_fault_name(f.kind),
             access_names[access], (unsigned long long)va,
             f.kind == FAULT_READ_ONLY ? "mapped read-only"
             : r                       ? "the user memory behind it is gone or protected"
                                       : "no buffer is mapped there");
    tell(q, at, &f, eng_fault_name(f.kind));
    return memory_exception(q, &f);
}

static void packet_fault(struct queue *q, const char *at, const char *fmt, va_list ap)
{
    struct eng_fault f = {.kind = FAULT_LAUNCH};
    int n = snprintf(f.what, sizeof f.what, "%s: ", at);
    vsnprintf(f.what + n, sizeof f.what - (size_t)n, fmt, ap);
    tell(q, at, &f, "packet");
}

int queue_fault_packet(struct queue *q, const char *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    packet_fault(q, at, fmt, ap);
    va_end(ap);
    return hang(q, q->gpu->soft->fault ? q->gpu->soft->fault : at);
}

int queue_stop(struct queue *q, const char *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    packet_fault(q, at, fmt, ap);
    va_end(ap);
    q->faulted = true;
    soft_visible(q->gpu->soft);
    return -EFAULT;
}

int queue_fault_program(struct queue *q, const struct eng_fault *f)
{
    tell(q, "dispatch", f, eng_fault_name(f->kind));
    switch (f->kind) {
    case FAULT_UNMAPPED:
    case FAULT_READ_ONLY:
    case FAULT_NO_EXEC:
    case FAULT_SCRATCH:
        return memory_exception(q, f);
    default:
        return hang(q, f->what);
    }
}

int queue_read(struct queue *q, const char *at, uint64_t va, void *dst, uint64_t n)
{
    uint64_t bad;
    return mem_read(q->gpu->map, va, dst, n, &bad) ? queue_fault_memory(q, at, ACCESS_READ, bad) : 0;
}
int queue_write(struct queue *q, const char *at, uint64_t va, const void *src, uint64_t n)
{
    uint64_t bad;
    if (mem_write(q->gpu->map, va, src, n, &bad))
        return queue_fault_memory(q, at, ACCESS_WRITE, bad);
    soft_visible(q->gpu->soft);
    return 0;
}

struct cell { /* one access, run under the guard */
    void *p;
    unsigned n;
    enum { CELL_LOAD, CELL_STORE, CELL_ATOMIC } what;
    uint32_t op;
    uint64_t value, cmp, old;
    bool swapped;
};

/* The new value of an atomic, size in bits. -1: not one that is modelled. */
static int atomic_value(uint32_t op, unsigned size, uint64_t old, uint64_t src, uint64_t cmp, uint64_t *out)
{
    int64_t so = sext(old, size), ss = sext(src, size);
    switch (op) {
    case AMD_ATOMIC_SWAP_RTN_32:
        *out = src;
        return 0;
    case AMD_ATOMIC_CMPSWAP_RTN_32:
        *out = old == cmp ? src : old;
        return 0;
    case AMD_ATOMIC_ADD_RTN_32:
        *out = old + src;
        return 0;
    case AMD_ATOMIC_SUB_RTN_32:
        *out = old - src;
        return 0;
    case AMD_ATOMIC_SMIN_RTN_32:
        *out = so < ss ? old : src;
        return 0;
    case AMD_ATOMIC_UMIN_RTN_32:
        *out = old < src ? old : src;
        return 0;
    case AMD_ATOMIC_SMAX_RTN_32:
        *out = so > ss ? old : src;
        return 0;
    case AMD_ATOMIC_UMAX_RTN_32:
        *out = old > src ? old : src;
        return 0;
    case AMD_ATOMIC_AND_RTN_32:
        *out = old & src;
        return 0;
    case AMD_ATOMIC_OR_RTN_32:
        *out = old | src;
        return 0;
    case AMD_ATOMIC_XOR_RTN_32:
        *out = old ^ src;
        return 0;
    case AMD_ATOMIC_INC_RTN_32:
        *out = old >= src ? 0 : old + 1;
        return 0;
    case AMD_ATOMIC_DEC_RTN_32:
        *out = !old || old > src ? src : old - 1;
        return 0;
    case AMD_ATOMIC_CLAMP_SUB_RTN_32:
        *out = old < src ? 0 : old - src;
        return 0;
    }
    return -1;
}

static int touch(void *arg)
{
    struct cell *c = arg;
    uint32_t *w = c->p;
    uint64_t *d = c->p, next = 0;
    switch (c->what) {
    case CELL_LOAD:
        c->old = c->n == 4 ? __atomic_load_n(w, __ATOMIC_ACQUIRE) : __atomic_load_n(d, __ATOMIC_ACQUIRE);
        return 0;
    case CELL_STORE:
        if (c->n == 4)
            __atomic_store_n(w, (uint32_t)c->value, __ATOMIC_RELEASE);
        else
            __atomic_store_n(d, c->value, __ATOMIC_RELEASE);
        return 0;
    case CELL_ATOMIC:
        break;
    }
    for (bool done = false; !done;) {
        uint32_t old32 = c->n == 4 ? __atomic_load_n(w, __ATOMIC_ACQUIRE) : 0;
        uint64_t old64 = c->n == 8 ? __atomic_load_n(d, __ATOMIC_ACQUIRE) : 0;
        c->old = c->n == 4 ? old32 : old64;
        if (atomic_value(c->op, c->n * 8, c->old, c->value, c->cmp, &next))
            return -EOPNOTSUPP;
        done = c->n == 4
                   ? __atomic_compare_exchange_n(w, &old32, (uint32_t)next, false, __ATOMIC_ACQ_REL,
                                                 __ATOMIC_RELAXED)
                   : __atomic_compare_exchange_n(d, &old64, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
    c->swapped = c->op != AMD_ATOMIC_CMPSWAP_RTN_32 || c->old == c->cmp;
    return 0;
}

static int cell_run(struct queue *q, const char *at, uint64_t va, struct cell *c)
{
    enum eng_access access = c->what == CELL_LOAD    ? ACCESS_READ
                             : c->what == CELL_STORE ? ACCESS_WRITE
                                                     : ACCESS_ATOMIC;
    uint32_t prot = c->what == CELL_LOAD ? MEM_READ : MEM_READ | MEM_WRITE;
    uintptr_t bad;
    if (va % c->n)
        return queue_fault_packet(q, at, "address 0x%llx is not aligned to %u bytes", (unsigned long long)va,
                                  c->n);
    c->p = mem_at(q->gpu->map, va, c->n, prot);
    int err = c->p ? guard_run(touch, c, &bad) : -EFAULT;
    if (err == -EFAULT)
        return queue_fault_memory(q, at, access, va);
    if (!err && c->what != CELL_LOAD)
        soft_visible(q->gpu->soft);
    return err;
}

int queue_load(struct queue *q, const char *at, uint64_t va, unsigned n, uint64_t *out)
{
    struct cell c = {.n = n, .what = CELL_LOAD};
    int err = cell_run(q, at, va, &c);
    *out = c.old;
    return err;
}
int queue_store(struct queue *q, const char *at, uint64_t va, unsigned n, uint64_t value)
{
    struct cell c = {.n = n, .what = CELL_STORE, .value = value};
    return cell_run(q, at, va, &c);
}
int queue_atomic(struct queue *q, const char *at, uint32_t op, uint64_t va, uint64_t src, uint64_t cmp,
                 uint64_t *old, bool *swapped)
{
    bool wide = op & 32;
    uint32_t base = op & 31; /* 64: the form without return */
    struct cell c = {.n = wide ? 8 : 4,
                     .what = CELL_ATOMIC,
                     .op = base,
                     .value = wide ? src : lo32(src),
                     .cmp = wide ? cmp : lo32(cmp)};
    uint64_t unused;
    const char *name = hw_value_name(amd_atomic_names, op);
    if (!name || op == AMD_ATOMIC_UMIN_8 || op == AMD_ATOMIC_UMAX_8 ||
        atomic_value(base, 32, 0, 0, 0, &unused))
        return queue_fault_packet(q, at, "atomic operation %u (%s) is not modelled", op,
                                  name ? name : "unknown");
    int err = cell_run(q, at, va, &c);
    *old = c.old;
    *swapped = c.swapped;
    return err;
}

int poll_test(unsigned func, uint64_t v, uint64_t ref)
{
    switch (func) {
    case PM4_FUNC_ALWAYS:
        return 1;
    case PM4_FUNC_LT:
        return v < ref;
    case PM4_FUNC_LE:
        return v <= ref;
    case PM4_FUNC_EQ:
        return v == ref;
    case PM4_FUNC_NE:
        return v != ref;
    case PM4_FUNC_GE:
        return v >= ref;
    case PM4_FUNC_GT:
        return v > ref;
    }
    return -1;
}
