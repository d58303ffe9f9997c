/* Vector stores: global, flat, scratch, buffer and LDS. Lanes that fault write nothing; of lanes that write
 * the same byte the highest wins. */
#include "engine/ops/memx.h"

INLINE int store_rest(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t lanes)
{
    uint8_t buf[LANES][16];
    const uint32_t *s = w->v + in->s[1].reg * W;
    for (uint64_t l = lanes; l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctzll(l);
        for (unsigned k = 0; k < cv_dwords(c); k++)
            cv_put(c, buf[i], k, s[k * W + i]);
    }
    return access_store(w, in, in->imm, cv_bytes(c), lanes, buf);
}

INLINE uint64_t scatter(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t lanes,
                        const struct lanes *a)
{
    const uint32_t *s = w->v + in->s[1].reg * W;
    uint64_t miss = 0;
    if (!span_at(w, in, lanes_va(a, (unsigned)__builtin_ctzll(lanes)), cv_bytes(c), MEM_WRITE))
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
            cv_put(c, h.host + o, k, s[k * W + i]);
    }
    return miss;
}

/* Contiguous lanes; only those that are on must be mapped. */
INLINE int store_span(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t exec,
                      const uint32_t *m, const struct lanes *a)
{
    unsigned first = (unsigned)__builtin_ctzll(exec), bytes = cv_bytes(c);
    if (shape_of(a->lo, a->hi, W, bytes, m, first) != CONTIGUOUS)
        return 0;
    unsigned n = 64 - (unsigned)__builtin_clzll(exec) - first;
    uint8_t *p = span_at(w, in, lanes_va(a, first), (uint64_t)n * bytes, MEM_WRITE);
    if (!p)
        return 0;
    put_span(p - (size_t)first * bytes, w->v + in->s[1].reg * W, W, exec, c, bytes);
    return 1;
}

INLINE int store_global(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t exec)
{
    struct lanes a;
    uint32_t m[LANES];
    if (!lanes_of(w, in, W, exec, &a))
        return store_rest(w, in, W, c, exec);
    if (is_full(exec, W)) {
        if (store_span(w, in, W, c, exec, NULL, &a))
            return 0;
    } else {
        mask_lanes(m, exec, W);
        if (store_span(w, in, W, c, exec, m, &a))
            return 0;
    }
    uint64_t rest = scatter(w, in, W, c, exec, &a);
    return rest ? store_rest(w, in, W, c, rest) : 0;
}

INLINE int store_lds(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t exec)
{
    if (in->s[0].kind != LK_VREG)
        return store_rest(w, in, W, c, exec);
    uint64_t miss =
        lds_write(w, W, c, exec, w->v + in->s[0].reg * W, (uint32_t)in->imm, w->v + in->s[1].reg * W);
    return miss ? store_rest(w, in, W, c, miss) : 0;
}

INLINE int store_scratch(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c, uint64_t exec)
{
    uint32_t o;
    const uint32_t *s = w->v + in->s[1].reg * W;
    unsigned n = cv_bytes(c);
    uint8_t *p;
    if (!scratch_slot(w, in, W, exec, n, &o) ||
        !(p = span_at(w, in, w->scratch_va + (uint64_t)(o / 4) * W * 4, (uint64_t)cv_dwords(c) * W * 4,
                      MEM_WRITE)))
        return store_rest(w, in, W, c, exec);
    if (n < 4)
        put_span(p + o % 4, s, W, exec, c, 4);
    else
        for (unsigned k = 0; k < cv_dwords(c); k++)
            put_span(p + (size_t)k * W * 4, s + k * W, W, exec, CV_B32, 4);
    return 0;
}

INLINE int store(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c)
{
    uint64_t exec = W == 64 ? wave_s64(w, SREG_EXEC) : w->s[SREG_EXEC];
    w->ip = in + 1; /* a host fault finds the instruction here */
    if (!exec)
        return 0;
    switch (in->addr) {
    case LA_LDS:
        return store_lds(w, in, W, c, exec);
    case LA_SCRATCH:
        return store_scratch(w, in, W, c, exec);
    case LA_BUFFER:
        return store_rest(w, in, W, c, exec);
    default:
        return store_global(w, in, W, c, exec);
    }
}

#define STORES(S)                                                                                            \
    S(store_b8, CV_U8)                                                                                       \
    S(store_b16, CV_U16)                                                                                     \
    S(store_b32, CV_B32)                                                                                     \
    S(store_b64, CV_B64)                                                                                     \
    S(store_b96, CV_B96)                                                                                     \
    S(store_b128, CV_B128)                                                                                   \
    S(store_d16_hi_b8, CV_HI_U8)                                                                             \
    S(store_d16_hi_b16, CV_HI_B16)

#define DEFINE(name, c)                                                                                      \
    static int name##_32(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        return store(w, in, 32, c);                                                                          \
    }                                                                                                        \
    static int name##_64(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        return store(w, in, 64, c);                                                                          \
    }
STORES(DEFINE)

#define ENTRY(name, c) {OP_##name, name##_32, name##_64},
extern const struct lane_op_row OPS_TABLE(mem_store)[];
const struct lane_op_row OPS_TABLE(mem_store)[] = {STORES(ENTRY){0, 0, 0}};
