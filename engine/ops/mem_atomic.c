/* Read-modify-write operations: host atomics on memory other threads may see, plain ones in LDS. Lanes act
 * one after the other, lowest first. Floating-point results are rounded as the host is set (nearest even);
 * minima and maxima take the number when one operand is NaN and order -0 below +0. */
#include "engine/ops/half.h"
#include "engine/ops/memx.h"

enum amo {
    AMO_SWAP,
    AMO_CMPSWAP, /* a: new value, b: compared */
    AMO_ADD,
    AMO_SUB,
    AMO_RSUB,
    AMO_SUB_CLAMP,
    AMO_COND_SUB,
    AMO_SMIN,
    AMO_UMIN,
    AMO_SMAX,
    AMO_UMAX,
    AMO_AND,
    AMO_OR,
    AMO_XOR,
    AMO_INC, /* a: last value before 0 */
    AMO_DEC,
    AMO_FADD,
    AMO_FMIN,
    AMO_FMAX,
    AMO_FCMPSWAP,
    AMO_PK_F16,
    AMO_PK_BF16,
    AMO_MSKOR, /* a: bits cleared, b: bits set */
    AMO_WRAP,  /* a: subtracted when it fits, else b is added */
    AMO_CONDXCHG32
};

INLINE double to_f(uint64_t v, unsigned n)
{
    if (n == 8) {
        double x;
        memcpy(&x, &v, 8);
        return x;
    }
    uint32_t u = (uint32_t)v;
    float x;
    memcpy(&x, &u, 4);
    return (double)x;
}
INLINE uint64_t fadd(uint64_t a, uint64_t b, unsigned n)
{
    if (n == 8) {
        double x = to_f(a, 8) + to_f(b, 8);
        memcpy(&a, &x, 8);
        return a;
    }
    float x = (float)to_f(a, 4) + (float)to_f(b, 4);
    uint32_t u;
    memcpy(&u, &x, 4);
    return u;
}
/* Is a below b? Total on numbers with -0 < +0. */
INLINE int fbelow(uint64_t a, uint64_t b, unsigned n)
{
    double x = to_f(a, n), y = to_f(b, n);
    return x < y || (x == y && __builtin_signbit(x) && !__builtin_signbit(y));
}
INLINE uint64_t fpick(uint64_t old, uint64_t a, unsigned n, int max)
{
    double x = to_f(old, n), y = to_f(a, n);
    if (x != x)
        return a;
    if (y != y)
        return old;
    return (max ? fbelow(old, a, n) : fbelow(a, old, n)) ? a : old;
}
INLINE uint32_t pk_add(uint32_t x, uint32_t y, int bf16)
{
    uint32_t r = 0;
    for (unsigned h = 0; h < 32; h += 16) {
        uint16_t a = (uint16_t)(x >> h), b = (uint16_t)(y >> h);
        r |= (uint32_t)(bf16 ? bf16_of_f32(f32_of_bf16(a) + f32_of_bf16(b))
                             : f16_of_f32(f32_of_f16(a) + f32_of_f16(b)))
             << h;
    }
    return r;
}

/* The new value of an n-byte (4 or 8) operand. */
INLINE uint64_t apply(enum amo op, unsigned n, uint64_t old, uint64_t a, uint64_t b)
{
    int64_t so = n == 8 ? (int64_t)old : (int32_t)old, sa = n == 8 ? (int64_t)a : (int32_t)a;
    switch (op) {
    case AMO_SWAP:
        return a;
    case AMO_CMPSWAP:
        return old == b ? a : old;
    case AMO_ADD:
        return old + a;
    case AMO_SUB:
        return old - a;
    case AMO_RSUB:
        return a - old;
    case AMO_SUB_CLAMP:
        return old < a ? 0 : old - a;
    case AMO_COND_SUB:
        return old < a ? old : old - a;
    case AMO_SMIN:
        return sa < so ? a : old;
    case AMO_UMIN:
        return a < old ? a : old;
    case AMO_SMAX:
        return sa > so ? a : old;
    case AMO_UMAX:
        return a > old ? a : old;
    case AMO_AND:
        return old & a;
    case AMO_OR:
        return old | a;
    case AMO_XOR:
        return old ^ a;
    case AMO_INC:
        return old >= a ? 0 : old + 1;
    case AMO_DEC:
        return !old || old > a ? a : old - 1;
    case AMO_FADD:
        return fadd(old, a, n);
    case AMO_FMIN:
        return fpick(old, a, n, 0);
    case AMO_FMAX:
        return fpick(old, a, n, 1);
    case AMO_FCMPSWAP:
        return to_f(old, n) == to_f(b, n) ? a : old;
    case AMO_PK_F16:
        return pk_add((uint32_t)old, (uint32_t)a, 0);
    case AMO_PK_BF16:
        return pk_add((uint32_t)old, (uint32_t)a, 1);
    case AMO_MSKOR:
        return (old & ~a) | b;
    case AMO_WRAP:
        return old >= a ? old - a : old + b;
    default: /* AMO_CONDXCHG32: each half is replaced when the new half's top bit is set (and stored without
                it) */
    {
        uint64_t lo = a & 0x80000000 ? a & 0x7fffffff : old & 0xffffffff;
        uint64_t hi = a >> 63 ? a >> 32 & 0x7fffffff : old >> 32;
        return lo | hi << 32;
    }
    }
}

/* Returns the old value. */
INLINE uint64_t amo_at(enum amo op, unsigned n, void *p, int lds, uint64_t a, uint64_t b)
{
    if (n == 4) {
        uint32_t *q = p, old = lds ? *q : __atomic_load_n(q, __ATOMIC_RELAXED), new;
        do
            new = (uint32_t)apply(op, 4, old, a, b);
        while (!lds && !__atomic_compare_exchange_n(q, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
        if (lds)
            *q = new;
        return old;
    }
    uint64_t *q = p, old = lds ? *q : __atomic_load_n(q, __ATOMIC_RELAXED), new;
    do
        new = apply(op, 8, old, a, b);
    while (!lds && !__atomic_compare_exchange_n(q, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    if (lds)
        *q = new;
    return old;
}

/* The lane's operand: the usual places quickly, all others by the careful path. */
INLINE void *operand(struct wave *w, const struct lane_insn *in, unsigned W, unsigned n, unsigned i,
                     int vector, const struct lanes *a, int *drop, int *lds)
{
    if (in->addr == LA_LDS && in->s[0].kind == LK_VREG) {
        uint64_t o = (uint32_t)(w->v[in->s[0].reg * W + i] + (uint32_t)in->imm);
        if (o + n <= w->group->lds_size && !(o & (n - 1))) {
            *lds = 1;
            return w->group->lds + o;
        }
    } else if (vector) {
        uint64_t va = lanes_va(a, i);
        uint8_t *p = va & (n - 1) ? NULL : span_at(w, in, va, n, MEM_READ | MEM_WRITE);
        if (p && !((uintptr_t)p & (n - 1)))
            return p;
    }
    return access_atomic(w, in, in->imm, n, i, drop, lds);
}

INLINE int atomic(struct wave *w, const struct lane_insn *in, unsigned W, enum amo op, unsigned n)
{
    uint64_t exec = W == 64 ? wave_s64(w, SREG_EXEC) : w->s[SREG_EXEC];
    unsigned dw = n / 4, two = op == AMO_CMPSWAP || op == AMO_FCMPSWAP || op == AMO_MSKOR || op == AMO_WRAP;
    uint32_t *d = w->v + in->d.reg * W;
    const uint32_t *s = w->v + in->s[1].reg * W, *s2 = s + dw * W;
    struct lanes a = {0};
    w->ip = in + 1; /* a host fault finds the instruction here */
    if (!exec)
        return 0;
    if (in->s[3].kind == LK_VREG)
        s2 = w->v + in->s[3].reg * W;
    int vector = (in->addr == LA_GLOBAL || in->addr == LA_FLAT) && lanes_of(w, in, W, exec, &a);
    for (; exec; exec &= exec - 1) {
        unsigned i = (unsigned)__builtin_ctzll(exec);
        int drop = 0, lds = 0;
        void *p = operand(w, in, W, n, i, vector, &a, &drop, &lds);
        if (!p && !drop)
            return WAVE_FAULT;
        uint64_t x = s[i], y = two ? s2[i] : 0, old = 0;
        if (dw == 2) {
            x |= (uint64_t)s[W + i] << 32;
            y |= two ? (uint64_t)s2[W + i] << 32 : 0;
        }
        if (p)
            old = amo_at(op, n, p, lds, x, y);
        if (in->flags & LF_RETURN) {
            d[i] = (uint32_t)old;
            if (dw == 2)
                d[W + i] = (uint32_t)(old >> 32);
        }
    }
    return 0;
}

#define ATOMICS(A)                                                                                           \
    A(atomic_swap_b32, AMO_SWAP, 4)                                                                          \
    A(atomic_cmpswap_b32, AMO_CMPSWAP, 4)                                                                    \
    A(atomic_add_u32, AMO_ADD, 4)                                                                            \
    A(atomic_sub_u32, AMO_SUB, 4)                                                                            \
    A(atomic_rsub_u32, AMO_RSUB, 4)                                                                          \
    A(atomic_sub_clamp_u32, AMO_SUB_CLAMP, 4)                                                                \
    A(atomic_cond_sub_u32, AMO_COND_SUB, 4)                                                                  \
    A(atomic_min_i32, AMO_SMIN, 4)                                                                           \
    A(atomic_min_u32, AMO_UMIN, 4)                                                                           \
    A(atomic_max_i32, AMO_SMAX, 4)                                                                           \
    A(atomic_max_u32, AMO_UMAX, 4)                                                                           \
    A(atomic_and_b32, AMO_AND, 4)                                                                            \
    A(atomic_or_b32, AMO_OR, 4)                                                                              \
    A(atomic_xor_b32, AMO_XOR, 4)                                                                            \
    A(atomic_inc_u32, AMO_INC, 4)                                                                            \
    A(atomic_dec_u32, AMO_DEC, 4)                                                                            \
    A(atomic_add_f32, AMO_FADD, 4)                                                                           \
    A(atomic_min_f32, AMO_FMIN, 4)                                                                           \
    A(atomic_max_f32, AMO_FMAX, 4)                                                                           \
    A(atomic_cmpswap_f32, AMO_FCMPSWAP, 4)                                                                   \
    A(atomic_pk_add_f16, AMO_PK_F16, 4)                                                                      \
    A(atomic_pk_add_bf16, AMO_PK_BF16, 4)                                                                    \
    A(atomic_mskor_b32, AMO_MSKOR, 4)                                                                        \
    A(atomic_wrap_b32, AMO_WRAP, 4)                                                                          \
    A(atomic_swap_b64, AMO_SWAP, 8)                                                                          \
    A(atomic_cmpswap_b64, AMO_CMPSWAP, 8)                                                                    \
    A(atomic_add_u64, AMO_ADD, 8)                                                                            \
    A(atomic_sub_u64, AMO_SUB, 8)                                                                            \
    A(atomic_rsub_u64, AMO_RSUB, 8)                                                                          \
    A(atomic_min_i64, AMO_SMIN, 8)                                                                           \
    A(atomic_min_u64, AMO_UMIN, 8)                                                                           \
    A(atomic_max_i64, AMO_SMAX, 8)                                                                           \
    A(atomic_max_u64, AMO_UMAX, 8)                                                                           \
    A(atomic_and_b64, AMO_AND, 8)                                                                            \
    A(atomic_or_b64, AMO_OR, 8)                                                                              \
    A(atomic_xor_b64, AMO_XOR, 8)                                                                            \
    A(atomic_inc_u64, AMO_INC, 8)                                                                            \
    A(atomic_dec_u64, AMO_DEC, 8)                                                                            \
    A(atomic_add_f64, AMO_FADD, 8)                                                                           \
    A(atomic_min_f64, AMO_FMIN, 8)                                                                           \
    A(atomic_max_f64, AMO_FMAX, 8)                                                                           \
    A(atomic_cmpswap_f64, AMO_FCMPSWAP, 8)                                                                   \
    A(atomic_mskor_b64, AMO_MSKOR, 8)                                                                        \
    A(atomic_condxchg32_b64, AMO_CONDXCHG32, 8)

/* One body a width for all: the cost is the memory, not the choice, and the code stays small. */
static __attribute__((noinline)) int atomic32(struct wave *w, const struct lane_insn *in, enum amo op,
                                              unsigned n)
{
    return n == 4 ? atomic(w, in, 32, op, 4) : atomic(w, in, 32, op, 8);
}
static __attribute__((noinline)) int atomic64(struct wave *w, const struct lane_insn *in, enum amo op,
                                              unsigned n)
{
    return n == 4 ? atomic(w, in, 64, op, 4) : atomic(w, in, 64, op, 8);
}

#define DEFINE(name, op, n)                                                                                  \
    static int name##_32(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        return atomic32(w, in, op, n);                                                                       \
    }                                                                                                        \
    static int name##_64(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        return atomic64(w, in, op, n);                                                                       \
    }
ATOMICS(DEFINE)

#define ENTRY(name, op, n) {OP_##name, name##_32, name##_64},
extern const struct lane_op_row OPS_TABLE(mem_atomic)[];
const struct lane_op_row OPS_TABLE(mem_atomic)[] = {ATOMICS(ENTRY){0, 0, 0}};
