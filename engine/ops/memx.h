/* Shared by the memory operations: conversions between registers and memory, the shape of a wave's addresses
 * (contiguous, all equal, or mixed), and the host address of a span. Everything is inlined with a constant
 * width and kind. The vector paths handle what they can prove to be inside one range; the rest goes lane by
 * lane through engine/access.h.
 */
#ifndef NX_ENGINE_OPS_MEMX_H
#define NX_ENGINE_OPS_MEMX_H
#include "engine/access.h"
#include "engine/ops.h"
#include "engine/ops/copy.h"
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define ROW    16 /* lanes looked at together when the whole wave is mixed: 16-wide workgroups are common */

/* How an element in memory becomes register contents. */
enum conv {
    CV_U8,
    CV_I8,
    CV_U16,
    CV_I16,
    CV_B32,
    CV_B64,
    CV_B96,
    CV_B128,
    CV_D16_U8,
    CV_D16_I8,
    CV_D16_B16,
    CV_HI_U8,
    CV_HI_I8,
    CV_HI_B16
};

INLINE unsigned cv_bytes(enum conv c)
{
    switch (c) {
    case CV_U8:
    case CV_I8:
    case CV_D16_U8:
    case CV_D16_I8:
    case CV_HI_U8:
    case CV_HI_I8:
        return 1;
    case CV_U16:
    case CV_I16:
    case CV_D16_B16:
    case CV_HI_B16:
        return 2;
    case CV_B64:
        return 8;
    case CV_B96:
        return 12;
    case CV_B128:
        return 16;
    default:
        return 4;
    }
}
INLINE unsigned cv_dwords(enum conv c)
{
    return cv_bytes(c) < 4 ? 1 : cv_bytes(c) / 4;
}

INLINE uint32_t get8(const uint8_t *p)
{
    return *p;
}
INLINE uint32_t get16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}
INLINE uint32_t get32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
/* Dword k of the register contents for the element at p; old: what the register holds. */
INLINE uint32_t cv_get(enum conv c, const uint8_t *p, unsigned k, uint32_t old)
{
    switch (c) {
    case CV_U8:
        return get8(p);
    case CV_I8:
        return (uint32_t)(int8_t)get8(p);
    case CV_U16:
        return get16(p);
    case CV_I16:
        return (uint32_t)(int16_t)get16(p);
    case CV_D16_U8:
        return (old & 0xffff0000) | get8(p);
    case CV_D16_I8:
        return (old & 0xffff0000) | (uint16_t)(int8_t)get8(p);
    case CV_D16_B16:
        return (old & 0xffff0000) | get16(p);
    case CV_HI_U8:
        return (old & 0xffff) | get8(p) << 16;
    case CV_HI_I8:
        return (old & 0xffff) | (uint32_t)(uint16_t)(int8_t)get8(p) << 16;
    case CV_HI_B16:
        return (old & 0xffff) | get16(p) << 16;
    default:
        return get32(p + 4 * k);
    }
}
/* The element from register dword k to memory. */
INLINE void cv_put(enum conv c, uint8_t *p, unsigned k, uint32_t v)
{
    if (c == CV_HI_U8 || c == CV_HI_B16)
        v >>= 16;
    switch (cv_bytes(c)) {
    case 1:
        *p = (uint8_t)v;
        break;
    case 2: {
        uint16_t h = (uint16_t)v;
        memcpy(p, &h, 2);
        break;
    }
    default:
        memcpy(p + 4 * k, &v, 4);
    }
}

/* One bit a lane becomes all ones or zero a lane. */
INLINE void mask_lanes(uint32_t *m, uint64_t exec, unsigned n)
{
    for (unsigned i = 0; i < n; i += 32) {
        uint32_t half = (uint32_t)(exec >> i);
        for (unsigned j = 0; j < 32 && i + j < n; j++)
            m[i + j] = -(half >> j & 1);
    }
}

enum shape { MIXED, ALL_SAME, CONTIGUOUS };

/* Shape of n lane addresses lo (hi: upper halves or NULL) for elements of `step` bytes. m: NULL when every
 * lane counts, else the mask of those that do, the first being `first`. An address sequence that crosses 4
 * GiB counts as mixed. */
INLINE enum shape shape_of(const uint32_t *lo, const uint32_t *hi, unsigned n, unsigned step,
                           const uint32_t *m, unsigned first)
{
    uint32_t start = lo[first] - first * step, bad = 0, differ = 0;
    for (unsigned i = 0; i < n; i++) {
        uint32_t x = lo[i] - start - i * step;
        if (hi)
            x |= hi[i] ^ hi[first];
        bad |= m ? x & m[i] : x;
    }
    if (!bad)
        return lo[first] < first * step || start > UINT32_MAX - n * step ? MIXED : CONTIGUOUS;
    for (unsigned i = 0; i < n; i++) {
        uint32_t x = lo[i] ^ lo[first];
        if (hi)
            x |= hi[i] ^ hi[first];
        differ |= m ? x & m[i] : x;
    }
    return differ ? MIXED : ALL_SAME;
}

/* Host address of [va, va + n) when it lies in one range with prot. */
INLINE uint8_t *span_at(struct wave *w, const struct lane_insn *in, uint64_t va, uint64_t n, uint32_t prot)
{
    const struct mem_hot *h = mem_hot_of(w, in);
    uint64_t o = va - h->va;
    if (__builtin_expect(!(o < h->size && h->size - o >= n && (h->prot & prot) == prot), 0)) {
        h = access_range(w, in, va, n, prot);
        if (!h)
            return NULL;
        o = va - h->va;
    }
    return h->host + o;
}

/* Elements of n lanes, `step` bytes apart (0: the same one for all), into registers; m as in shape_of. */
INLINE void span_get(uint32_t *restrict d, unsigned W, unsigned n, enum conv c, const uint8_t *restrict p,
                     unsigned step, const uint32_t *m)
{
    if (c == CV_B32 && step == 4 && !m) {
        lanes_copy(d, p, n);
        return;
    }
    for (unsigned k = 0; k < cv_dwords(c); k++)
        for (unsigned i = 0; i < n; i++) {
            uint32_t old = d[k * W + i], x = cv_get(c, p + (size_t)i * step, k, old);
            d[k * W + i] = m ? (x & m[i]) | (old & ~m[i]) : x;
        }
}
INLINE void span_put(uint8_t *restrict p, const uint32_t *restrict s, unsigned W, unsigned n, enum conv c,
                     unsigned step)
{
    if (c == CV_B32 && step == 4) {
        lanes_copy(p, s, n);
        return;
    }
    for (unsigned k = 0; k < cv_dwords(c); k++)
        for (unsigned i = 0; i < n; i++)
            cv_put(c, p + (size_t)i * step, k, s[k * W + i]);
}
/* Only the lanes of `lanes`. */
INLINE void span_put_some(uint8_t *p, const uint32_t *s, unsigned W, uint64_t lanes, enum conv c,
                          unsigned step)
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        for (unsigned k = 0; k < cv_dwords(c); k++)
            cv_put(c, p + (size_t)i * step, k, s[k * W + i]);
    }
}

INLINE int is_full(uint64_t exec, unsigned W)
{
    return exec == (W == 64 ? ~0ull : 0xffffffffull);
}
INLINE void put_span(uint8_t *p, const uint32_t *s, unsigned W, uint64_t exec, enum conv c, unsigned step)
{
    if (is_full(exec, W))
        span_put(p, s, W, W, c, step);
    else
        span_put_some(p, s, W, exec, c, step);
}

/* LDS at lo[lane] + imm into registers d, and from registers s. The lanes whose access passes the end are left and
 * returned. */
INLINE uint64_t lds_read(const struct wave *w, unsigned W, enum conv c, uint64_t exec, const uint32_t *lo,
                         uint32_t imm, uint32_t *d)
{
    uint32_t size = w->group->lds_size, m[LANES];
    const uint8_t *lds = w->group->lds;
    unsigned first = (unsigned)__builtin_ctzll(exec), n = cv_bytes(c), full = is_full(exec, W);
    uint64_t at = (uint64_t)(uint32_t)(lo[first] + imm), miss = 0;
    if (size < n)
        return exec;
    if (!full)
        mask_lanes(m, exec, W);
    enum shape s = full ? shape_of(lo, NULL, W, n, NULL, 0) : shape_of(lo, NULL, W, n, m, first);
    if (s == CONTIGUOUS && at >= first * n && at - first * n + W * n <= size) {
        if (full)
            span_get(d, W, W, c, lds + at, n, NULL);
        else
            span_get(d, W, W, c, lds + at - first * n, n, m);
        return 0;
    }
    if (s == ALL_SAME && at + n <= size) {
        if (full)
            span_get(d, W, W, c, lds + at, 0, NULL);
        else
            span_get(d, W, W, c, lds + at, 0, m);
        return 0;
    }
    uint64_t row = (1ull << ROW) - 1;
    for (unsigned l0 = 0; full && l0 < W; l0 += ROW) {
        s = shape_of(lo + l0, NULL, ROW, n, NULL, 0);
        at = (uint64_t)(uint32_t)(lo[l0] + imm);
        if (s == MIXED || at + (s == CONTIGUOUS ? ROW * n : n) > size)
            continue;
        if (s == CONTIGUOUS)
            span_get(d + l0, W, ROW, c, lds + at, n, NULL);
        else
            span_get(d + l0, W, ROW, c, lds + at, 0, NULL);
        exec &= ~(row << l0);
    }
    for (; exec; exec &= exec - 1) {
        unsigned i = (unsigned)__builtin_ctzll(exec);
        uint32_t o = lo[i] + imm;
        if (__builtin_expect(o > size - n, 0)) {
            miss |= 1ull << i;
            continue;
        }
        for (unsigned k = 0; k < cv_dwords(c); k++)
            d[k * W + i] = cv_get(c, lds + o, k, d[k * W + i]);
    }
    return miss;
}
INLINE uint64_t lds_write(struct wave *w, unsigned W, enum conv c, uint64_t exec, const uint32_t *lo,
                          uint32_t imm, const uint32_t *s)
{
    uint32_t size = w->group->lds_size;
    uint8_t *lds = w->group->lds;
    unsigned n = cv_bytes(c);
    uint64_t miss = 0;
    if (size < n)
        return exec;
    if (is_full(exec, W) && shape_of(lo, NULL, W, n, NULL, 0) == CONTIGUOUS) {
        uint64_t at = (uint64_t)(uint32_t)(lo[0] + imm);
        if (at + W * n <= size) {
            span_put(lds + at, s, W, W, c, n);
            return 0;
        }
    }
    for (; exec; exec &= exec - 1) {
        unsigned i = (unsigned)__builtin_ctzll(exec);
        uint32_t o = lo[i] + imm;
        if (__builtin_expect(o > size - n, 0)) {
            miss |= 1ull << i;
            continue;
        }
        for (unsigned k = 0; k < cv_dwords(c); k++)
            cv_put(c, lds + o, k, s[k * W + i]);
    }
    return miss;
}

/* Where a wave's lane addresses lie. lo, hi (NULL: 32-bit offsets) are lane arrays; base is added. */
struct lanes {
    const uint32_t *lo, *hi;
    uint64_t base;
};
/* Address of element 0 of a contiguous run whose lane `first` is known. */
INLINE uint64_t lanes_va(const struct lanes *a, unsigned lane)
{
    return a->base + a->lo[lane] + (a->hi ? (uint64_t)a->hi[lane] << 32 : 0);
}

/* Global, and flat when no lane that is on points into an aperture. 0: not for the vector paths. */
INLINE int lanes_of(const struct wave *w, const struct lane_insn *in, unsigned W, uint64_t exec,
                    struct lanes *a)
{
    if (in->s[0].kind != LK_VREG)
        return 0;
    a->lo = w->v + in->s[0].reg * W;
    a->hi = NULL;
    a->base = (uint64_t)(int64_t)in->imm;
    if (in->addr == LA_GLOBAL && in->s[2].kind) {
        a->base += opnd_s64(w, &in->s[2]);
        return 1;
    }
    a->hi = a->lo + W;
    if (in->addr == LA_GLOBAL)
        return 1;
    if (in->addr != LA_FLAT)
        return 0;
    uint32_t hit = 0, shared = (uint32_t)(w->shared_base >> 32), priv = (uint32_t)(w->private_base >> 32);
    for (unsigned i = 0; i < W; i++)
        hit |= (uint32_t)(a->hi[i] == shared) | (uint32_t)(a->hi[i] == priv);
    (void)exec; /* an off lane's address in an aperture only costs speed */
    return !hit;
}
/* A scratch access whose offset is the same in all lanes and dword aligned (stack slots): *offset. */
INLINE int scratch_slot(const struct wave *w, const struct lane_insn *in, unsigned W, uint64_t exec,
                        unsigned n, uint32_t *offset)
{
    uint32_t o = opnd_s32(w, &in->s[2]) + (uint32_t)in->imm;
    if (in->s[0].kind == LK_VREG) {
        uint32_t m[LANES];
        unsigned first = (unsigned)__builtin_ctzll(exec);
        const uint32_t *lo = w->v + in->s[0].reg * W;
        mask_lanes(m, exec, W);
        uint32_t differ = 0;
        for (unsigned i = 0; i < W; i++)
            differ |= (lo[i] ^ lo[first]) & m[i];
        if (differ)
            return 0;
        o += lo[first];
    } else if (in->s[0].kind) {
        return 0;
    }
    *offset = o;
    return (n < 4 ? o % 4 + n <= 4 : o % 4 == 0) && (uint64_t)o + n <= w->scratch_lane_bytes;
}
#endif
