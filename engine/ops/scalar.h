/* Scalar operands and bit tricks shared by the scalar operations (ops/salu.c, ops/ctrl.c, ops/sfloat.c). */
#ifndef NX_ENGINE_OPS_SCALAR_H
#define NX_ENGINE_OPS_SCALAR_H
#include "engine/ops.h"
#include "engine/wave.h"
#include <string.h>

/* An absent operand reads 0. */
static inline uint32_t scalar_uint32(const struct wave *w, const struct lane_opnd *o)
{
    return o->kind == LK_SREG    ? w->s[o->reg]
           : o->kind == LK_CONST ? w->pool[o->reg * LANES]
           : o->kind == LK_SCC   ? w->scc
                                 : 0;
}
static inline uint64_t scalar_uint64(const struct wave *w, const struct lane_opnd *o)
{
    if (o->kind == LK_SREG)
        return o->dwords == 1 ? w->s[o->reg] : wave_s64(w, o->reg);
    if (o->kind == LK_CONST)
        return w->pool[o->reg * LANES] | (o->dwords == 1 ? 0 : (uint64_t)w->pool[(o->reg + 1) * LANES] << 32);
    return o->kind == LK_SCC ? w->scc : 0;
}
/* An absent destination is left alone. */
static inline void scalar_set_uint32(struct wave *w, const struct lane_opnd *o, uint32_t v)
{
    if (o->kind == LK_SREG)
        w->s[o->reg] = v;
}
static inline void scalar_set_uint64(struct wave *w, const struct lane_opnd *o, uint64_t v)
{
    if (o->kind == LK_SREG)
        wave_set_s64(w, o->reg, v);
}

static inline uint32_t brev32(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}
/* n bits of v from bit lo on; n may exceed what is left. */
static inline uint64_t bfe(uint64_t v, unsigned lo, unsigned n, unsigned width)
{
    v >>= lo;
    return n == 0 ? 0 : n >= width ? v : v & ((1ull << n) - 1);
}
static inline int64_t bfe_sext(uint64_t v, unsigned lo, unsigned n, unsigned width)
{
    v = bfe(v, lo, n, width);
    unsigned top = n > width ? width : n;
    if (top > width - lo) /* the sign comes from the top bit of the source */
        top = width - lo;
    return top == 0 ? 0 : (int64_t)(v << (64 - top)) >> (64 - top);
}
/* One bit per four: set when any of the four is. */
static inline uint64_t quadmask(uint64_t v)
{
    uint64_t d = 0;
    for (int i = 0; i < 16; i++)
        d |= (uint64_t)((v >> (4 * i) & 15) != 0) << i;
    return d;
}
/* Four bits set for every four of which any is. */
static inline uint64_t wqm(uint64_t v)
{
    v |= v >> 1 & 0x7777777777777777ull;
    v |= v >> 2 & 0x3333333333333333ull;
    return (v & 0x1111111111111111ull) * 15;
}
#endif
