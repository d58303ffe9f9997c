/* Vector loads: global, flat, scratch, buffer and LDS. */
#include "engine/ops/memx.h"

/* Lane by lane, with every rule. */
static __attribute__((noinline)) int load_slow(struct wave *w, const struct lane_insn *in, unsigned n,
                                               uint64_t lanes, uint8_t (*buf)[16])
{
    return access_load(w, in, in->imm, n, lanes, buf);
}

INLINE int load_rest(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t lanes)
{
    uint8_t buf[LANES][16];
    uint32_t *d = w->v + in->d.reg * W;
    int r = load_slow(w, in, cv_bytes(c), lanes, buf);
    if (r)
        lanes &= ~w->group->fault->lanes;
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        for (unsigned k = 0; k < cv_dwords(c); k++)
            d[k * W + i] = cv_get(c, buf[i], k, d[k * W + i]);
    }
    return r;
}

/* Each lane on its own, all in one range; the lanes that are not are returned. */
INLINE uint64_t gather(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t lanes,
                       const struct lanes *a)
{
    uint32_t *d = w->v + in->d.reg * W;
    uint64_t miss = 0;
    if (!span_at(w, in, lanes_va(a, (unsigned)__builtin_ctzll(lanes)), cv_bytes(c), MEM_READ))
        return lanes;
    struct mem_hot h = *mem_hot_of(w, in);
    uint64_t last = h.size - cv_bytes(c);
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        uint64_t o = lanes_va(a, i) - h.va;
        if (__builtin_expect(o > last, 0)) {
            miss |= 1ull << i;
            continue;
        }
        for (unsigned k = 0; k < cv_dwords(c); k++)
            d[k * W + i] = cv_get(c, h.host + o, k, d[k * W + i]);
    }
    return miss;
}

/* n lanes from l0 on when they are contiguous or all the same; the address registers may be the destination:
 * they are read before it is written. */
INLINE int load_span(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, unsigned l0,
                     unsigned n, uint64_t exec, const uint32_t *m, const struct lanes *a)
{
    unsigned first = (unsigned)__builtin_ctzll(exec >> l0), bytes = cv_bytes(c);
    enum shape s = shape_of(a->lo + l0, a->hi ? a->hi + l0 : NULL, n, bytes, m, first);
    if (s == MIXED)
        return 0;
    uint64_t va = lanes_va(a, l0 + first);
    uint32_t *d = w->v + in->d.reg * W + l0;
    if (s == CONTIGUOUS) {
        const uint8_t *p = span_at(w, in, va - (uint64_t)first * bytes, (uint64_t)n * bytes, MEM_READ);
        if (p)
            span_get(d, W, n, c, p, bytes, m);
        return p != NULL;
    }
    const uint8_t *p = span_at(w, in, va, bytes, MEM_READ);
    if (p)
        span_get(d, W, n, c, p, 0, m);
    return p != NULL;
}

INLINE int load_global(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t exec)
{
    struct lanes a;
    uint32_t m[LANES];
    if (!lanes_of(w, in, W, exec, &a))
        return load_rest(w, in, W, c, exec);
    if (is_full(exec, W)) {
        if (load_span(w, in, W, c, 0, W, exec, NULL, &a))
            return 0;
    } else {
        mask_lanes(m, exec, W);
        if (load_span(w, in, W, c, 0, W, exec, m, &a))
            return 0;
    }
    uint64_t rest = exec, row = (1ull << ROW) - 1;
    for (unsigned l0 = 0; l0 < W; l0 += ROW)
        if ((exec >> l0 & row) == row && load_span(w, in, W, c, l0, ROW, exec, NULL, &a))
            rest &= ~(row << l0);
    if (rest)
        rest = gather(w, in, W, c, rest, &a);
    return rest ? load_rest(w, in, W, c, rest) : 0;
}

INLINE int load_lds(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t exec)
{
    if (in->s[0].kind != LK_VREG)
        return load_rest(w, in, W, c, exec);
    uint64_t miss = lds_read(w, W, c, exec, w->v + in->s[0].reg * W, (uint32_t)in->imm, w->v + in->d.reg * W);
    return miss ? load_rest(w, in, W, c, miss) : 0;
}

INLINE int load_scratch(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t exec)
{
    uint32_t o, m[LANES];
    uint32_t *d = w->v + in->d.reg * W;
    unsigned n = cv_bytes(c);
    const uint8_t *p;
    if (!scratch_slot(w, in, W, exec, n, &o) ||
        !(p = span_at(w, in, w->scratch_va + (uint64_t)(o / 4) * W * 4, (uint64_t)cv_dwords(c) * W * 4,
                      MEM_READ)))
        return load_rest(w, in, W, c, exec);
    mask_lanes(m, exec, W);
    if (n < 4)
        span_get(d, W, W, c, p + o % 4, 4, m);
    else
        for (unsigned k = 0; k < cv_dwords(c); k++)
            span_get(d + k * W, W, W, CV_B32, p + (size_t)k * W * 4, 4, m);
    return 0;
}

INLINE int load(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c)
{
    uint64_t exec = W == 64 ? wave_s64(w, SREG_EXEC) : w->s[SREG_EXEC];
    w->ip = in + 1; /* a host fault finds the instruction here */
    if (!exec)
        return 0;
    switch (in->addr) {
    case LA_LDS:
        return load_lds(w, in, W, c, exec);
    case LA_SCRATCH:
        return load_scratch(w, in, W, c, exec);
    case LA_BUFFER:
        return load_rest(w, in, W, c, exec);
    default:
        return load_global(w, in, W, c, exec);
    }
}

#define LOADS(L)                                                                                             \
    L(load_u8, CV_U8)                                                                                        \
    L(load_i8, CV_I8)                                                                                        \
    L(load_u16, CV_U16)                                                                                      \
    L(load_i16, CV_I16)                                                                                      \
    L(load_b32, CV_B32)                                                                                      \
    L(load_b64, CV_B64)                                                                                      \
    L(load_b96, CV_B96)                                                                                      \
    L(load_b128, CV_B128)                                                                                    \
    L(load_d16_u8, CV_D16_U8)                                                                                \
    L(load_d16_i8, CV_D16_I8)                                                                                \
    L(load_d16_b16, CV_D16_B16)                                                                              \
    L(load_d16_hi_u8, CV_HI_U8)                                                                              \
    L(load_d16_hi_i8, CV_HI_I8)                                                                              \
    L(load_d16_hi_b16, CV_HI_B16)

#define DEFINE(name, c)                                                                                      \
    static int name##_32(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        return load(w, in, 32, c);                                                                           \
    }                                                                                                        \
    static int name##_64(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        return load(w, in, 64, c);                                                                           \
    }
LOADS(DEFINE)

#define ENTRY(name, c) {OP_##name, name##_32, name##_64},
extern const struct lane_op_row OPS_TABLE(mem_load)[];
const struct lane_op_row OPS_TABLE(mem_load)[] = {LOADS(ENTRY){0, 0, 0}};
