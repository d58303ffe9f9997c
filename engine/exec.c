/* The interpreter loop: one wave until it stops or its slice is used up. */
#include "base/err.h"
#include "engine/dispatch.h"
#include "engine/ops.h"
#include <fenv.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { FP_BITS = 0xff, FP_DEFAULT = 0xf0 }; /* MODE 7:0: round to nearest even, denormals kept */

#if defined(__x86_64__)
enum { CSR_DEFAULT = 0x1f80, CSR_DAZ = 1 << 6, CSR_FTZ = 1 << 15, CSR_ROUND = 13 };

unsigned eng_fp_save(void)
{
    unsigned saved = _mm_getcsr();
    _mm_setcsr(CSR_DEFAULT);
    return saved;
}
void eng_fp_restore(unsigned saved)
{
    _mm_setcsr(saved);
}
/* round: 0 nearest, 1 up, 2 down, 3 zero (x86: nearest, down, up, zero). denorm: bit 0 keeps those read, bit
 * 1 keeps those made. */
static void fp_set(unsigned round, unsigned denorm)
{
    static const uint8_t x86[4] = {0, 2, 1, 3};
    _mm_setcsr(CSR_DEFAULT | (unsigned)x86[round] << CSR_ROUND | (denorm & 1 ? 0 : CSR_DAZ) |
               (denorm & 2 ? 0 : CSR_FTZ));
}
#else /* rounding only: denormals are always kept */
unsigned eng_fp_save(void)
{
    unsigned saved = (unsigned)fegetround();
    fesetround(FE_TONEAREST);
    return saved;
}
void eng_fp_restore(unsigned saved)
{
    fesetround((int)saved);
}
static void fp_set(unsigned round, unsigned denorm)
{
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    fesetround(modes[round]);
    (void)denorm;
}
#endif

/* Which MODE fields an operation obeys: 0 none, 1 those of f32, 2 those of f64 and f16. A comparison's result
 * is a mask: its sources tell. */
static unsigned fp_class(unsigned op)
{
    const struct lane_op_info *o = &lane_ops[op];
    unsigned t = o->d == LT_F32 || o->d == LT_F64 || o->d == LT_F16 || o->d == LT_PKF16 || o->d == LT_PKF32
                     ? o->d
                     : o->s[0];
    if (o->cls == LC_MEM || o->cls == LC_CTRL)
        return 0;
    if (t == LT_F32 || t == LT_PKF32 || t == LT_BF16 || t == LT_PKBF16)
        return 1;
    return t == LT_F64 || t == LT_F16 || t == LT_PKF16 ? 2 : 0;
}

/* The usual loop. Within a block nothing is done but fetch and call; wave.ip is written at block ends and
 * stops only. */
static int loop_plain(struct wave *w, uint64_t limit)
{
    const struct lane_insn *in = w->ip, *start = in;
    for (;;) {
        int r;
        while (!(in->flags & LF_BLOCK_END)) {
            r = in->fn(w, in);
            if (__builtin_expect(r, 0)) {
                w->insns += (uint64_t)(in + 1 - start);
                w->ip = in + 1;
                return r;
            }
            in++;
        }
        w->insns += (uint64_t)(in + 1 - start);
        w->ip = in + 1;
        r = in->fn(w, in);
        if (__builtin_expect(r, 0))
            return r;
        if (__builtin_expect(w->insns >= limit || (w->mode & FP_BITS) != FP_DEFAULT, 0))
            return WAVE_GO;
        in = start = w->ip;
    }
}

/* While MODE asks for other rounding or for flushed denormals: sets the host's mode by the operation's type
 * before each. */
static int loop_fp(struct wave *w, uint64_t limit)
{
    uint32_t mode = w->mode & FP_BITS;
    unsigned now = 0; /* 0: unknown */
    int r = WAVE_GO;
    do {
        const struct lane_insn *in = w->ip++;
        unsigned cls = fp_class(in->op);
        if (cls && cls != now) {
            unsigned at = cls == 1 ? 0 : 2;
            fp_set(mode >> at & 3, mode >> (4 + at) & 3);
            now = cls;
        }
        w->insns++;
        r = in->fn(w, in);
    } while (!r && w->insns < limit && (w->mode & FP_BITS) == mode);
    fp_set(0, 3);
    return r;
}

/* wave.pc's instruction becomes the next one; the branch that led here learns its target. */
static int lookup(struct eng_dispatch *d, struct wave *w)
{
    struct lane_prog *p = NULL;
    int i = eng_cache_lookup(d->l.cache, d->l.isa, d->l.width, d->l.nvregs, w->pc, 0, d->prog, &p);
    if (i < 0) {
        enum eng_fault_kind kind = i == -EFAULT ? FAULT_NO_EXEC : i == -EINVAL ? FAULT_ILLEGAL : FAULT_LAUNCH;
        return wave_fault(w, NULL, kind, ACCESS_EXEC, w->pc, wave_exec(w), "%s", fail_text());
    }
    if (p != d->prog)
        d->many_progs = 1;
    struct lane_insn *branch = (struct lane_insn *)&w->ip[-1];
    if (w->code == p->insns && branch->target == -1)
        __atomic_store_n(&branch->target, i, __ATOMIC_RELAXED);
    w->code = p->insns;
    w->pool = p->pool;
    w->code_va = p->base;
    w->ip = p->insns + i;
    return WAVE_GO;
}

int eng_wave_run(struct eng_dispatch *d, struct wave *w, uint64_t limit)
{
    for (;;) {
        int r = (w->mode & FP_BITS) == FP_DEFAULT ? loop_plain(w, limit) : loop_fp(w, limit);
        if (r == WAVE_LOOKUP)
            r = lookup(d, w);
        if (r || w->insns >= limit)
            return r;
    }
}
