/* LDS operations with a form of their own: two addresses, lane exchange, append and consume, and loads and
 * stores addressed by lane number. */
#include "engine/ops/memx.h"

INLINE uint64_t exec_of(const struct wave *w, unsigned W)
{
    return W == 64 ? wave_s64(w, SREG_EXEC) : w->s[SREG_EXEC];
}

/* Bytes [o, o + n) of LDS to p; 0 when they pass its end. */
INLINE void lds_get(const struct wave *w, uint32_t o, void *p, unsigned n)
{
    if ((uint64_t)o + n <= w->group->lds_size)
        memcpy(p, w->group->lds + o, n);
    else
        memset(p, 0, n);
}
/* The part inside is written. */
INLINE void lds_put(struct wave *w, uint32_t o, const void *p, unsigned n)
{
    uint32_t size = w->group->lds_size;
    if (o < size)
        memcpy(w->group->lds + o, p, size - o < n ? size - o : n);
}

/* The lanes' addresses, in a copy when the destination overwrites them in between. */
INLINE const uint32_t *addresses(const struct wave *w, const struct lane_insn *in, unsigned W, uint32_t *copy)
{
    const uint32_t *lo = w->v + in->s[0].reg * W;
    unsigned at = in->s[0].reg - in->d.reg;
    if (in->s[0].kind == LK_VREG && at >= in->d.dwords)
        return lo;
    for (unsigned i = 0; i < W; i++)
        copy[i] = opnd_lane32(w, &in->s[0], i);
    return copy;
}
/* One element; lanes past the end read 0 and write what is inside. */
INLINE void get_at(struct wave *w, unsigned W, enum conv c, uint64_t exec, const uint32_t *lo, uint32_t imm,
                   uint32_t *d)
{
    uint64_t miss = lds_read(w, W, c, exec, lo, imm, d);
    for (; miss; miss &= miss - 1)
        for (unsigned k = 0; k < cv_dwords(c); k++)
            d[k * W + (unsigned)__builtin_ctzll(miss)] = 0;
}
INLINE void put_at(struct wave *w, unsigned W, enum conv c, uint64_t exec, const uint32_t *lo, uint32_t imm,
                   const uint32_t *s)
{
    uint64_t miss = lds_write(w, W, c, exec, lo, imm, s);
    for (; miss; miss &= miss - 1) {
        unsigned i = (unsigned)__builtin_ctzll(miss);
        uint32_t x[2] = {s[i], c == CV_B64 ? s[W + i] : 0};
        lds_put(w, lo[i] + imm, x, cv_bytes(c));
    }
}

INLINE int load_2addr(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c)
{
    uint32_t *d = w->v + in->d.reg * W, copy[LANES];
    uint64_t exec = exec_of(w, W);
    if (!exec)
        return 0;
    const uint32_t *lo = addresses(w, in, W, copy);
    get_at(w, W, c, exec, lo, (uint32_t)in->imm, d);
    get_at(w, W, c, exec, lo, (uint32_t)in->imm2, d + cv_dwords(c) * W);
    return 0;
}
INLINE int store_2addr(struct wave *w, const struct lane_insn *in, unsigned W, enum conv c)
{
    uint32_t copy[LANES];
    uint64_t exec = exec_of(w, W);
    if (!exec)
        return 0;
    const uint32_t *lo = addresses(w, in, W, copy);
    put_at(w, W, c, exec, lo, (uint32_t)in->imm, w->v + in->s[1].reg * W);
    put_at(w, W, c, exec, lo, (uint32_t)in->imm2, w->v + in->s[3].reg * W);
    return 0;
}
INLINE int swap_2addr(struct wave *w, const struct lane_insn *in, unsigned W, unsigned dw)
{
    uint32_t *d = w->v + in->d.reg * W;
    const uint32_t *s0 = w->v + in->s[1].reg * W, *s1 = w->v + in->s[3].reg * W;
    for (uint64_t l = exec_of(w, W); l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctzll(l);
        uint32_t at = opnd_lane32(w, &in->s[0], i), x[4], old[4];
        for (unsigned k = 0; k < dw; k++) {
            x[k] = s0[k * W + i];
            x[dw + k] = s1[k * W + i];
        }
        lds_get(w, at + (uint32_t)in->imm, old, dw * 4);
        lds_put(w, at + (uint32_t)in->imm, x, dw * 4);
        lds_get(w, at + (uint32_t)in->imm2, old + dw, dw * 4);
        lds_put(w, at + (uint32_t)in->imm2, x + dw, dw * 4);
        for (unsigned k = 0; k < 2 * dw; k++)
            d[k * W + i] = old[k];
    }
    return 0;
}

/* The lane that lane i reads under a swizzle pattern, within its 32 lanes: bit 15 set: quad permutation by
 * 7:0, but bits 15:13 = 6: rotation by 9:5 (bit 10: down) of the bits not in 4:0, 7: fft; else and 4:0, or
 * 9:5, xor 14:10 of the lane number. */
INLINE unsigned swizzle_lane(unsigned pattern, unsigned i)
{
    unsigned lane = i & 31;
    if ((pattern >> 13) == 6) {
        unsigned mask = pattern & 31, by = pattern >> 5 & 31;
        by = pattern >> 10 & 1 ? 32 - by : by;
        lane = (lane & mask) | ((lane + by) & ~mask & 31);
    } else if (pattern & 0x8000) {
        lane = (lane & ~3u) | (pattern >> 2 * (lane & 3) & 3);
    } else {
        lane = ((lane & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    }
    return (i & ~31u) | lane;
}
INLINE int swizzle(struct wave *w, const struct lane_insn *in, unsigned W)
{
    uint64_t exec = exec_of(w, W);
    uint32_t *d = w->v + in->d.reg * W, src[LANES];
    unsigned pattern = (uint32_t)in->imm & 0xffff;
    if (pattern >> 13 == 7)
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_NONE, 0, exec,
                          "ds_swizzle in fft mode is not supported");
    for (unsigned i = 0; i < W; i++)
        src[i] = exec >> i & 1 ? opnd_lane32(w, &in->s[0], i) : 0; /* lanes that are off give 0 */
    for (uint64_t l = exec; l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctzll(l);
        d[i] = src[swizzle_lane(pattern, i)];
    }
    return 0;
}

/* gfx10 and gfx11 exchange within 32 lanes, the others over the whole wave. */
INLINE unsigned other_lane(const struct wave *w, unsigned W, unsigned i, uint32_t at)
{
    unsigned half = w->gen == 10 || w->gen == 11 ? 32 : W;
    return (i & ~(half - 1)) | ((at >> 2) & (half - 1));
}
INLINE int bpermute(struct wave *w, const struct lane_insn *in, unsigned W)
{
    uint64_t exec = exec_of(w, W);
    uint32_t *d = w->v + in->d.reg * W, src[LANES], from[LANES];
    for (unsigned i = 0; i < W; i++) {
        src[i] = exec >> i & 1 ? opnd_lane32(w, &in->s[1], i) : 0;
        from[i] = other_lane(w, W, i, opnd_lane32(w, &in->s[0], i) + (uint32_t)in->imm);
    }
    for (uint64_t l = exec; l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctzll(l);
        d[i] = src[from[i]];
    }
    return 0;
}
/* Lanes that are on and receive nothing get 0; the highest sender wins. */
INLINE int permute(struct wave *w, const struct lane_insn *in, unsigned W)
{
    uint64_t exec = exec_of(w, W);
    uint32_t *d = w->v + in->d.reg * W, got[LANES] = {0};
    for (uint64_t l = exec; l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctzll(l);
        got[other_lane(w, W, i, opnd_lane32(w, &in->s[0], i) + (uint32_t)in->imm)] =
            opnd_lane32(w, &in->s[1], i);
    }
    for (uint64_t l = exec; l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctzll(l);
        d[i] = got[i];
    }
    return 0;
}

/* The counter at M0 15:0 + offset changes by the number of lanes that are on; each gets the old value. */
INLINE int count(struct wave *w, const struct lane_insn *in, unsigned W, int sign)
{
    uint64_t exec = exec_of(w, W);
    uint32_t at = (w->s[SREG_M0] & 0xffff) + (uint32_t)in->imm, old, new;
    if (!exec)
        return 0;
    lds_get(w, at, &old, 4);
    new = old + (uint32_t)(sign * __builtin_popcountll(exec));
    lds_put(w, at, &new, 4);
    for (; exec; exec &= exec - 1)
        w->v[in->d.reg * W + (unsigned)__builtin_ctzll(exec)] = old;
    return 0;
}

/* Address: LDS M0 15:0 + offset + lane * 4, or memory s[2] + offset + lane * 4. */
INLINE int addtid(struct wave *w, const struct lane_insn *in, unsigned W, int is_store)
{
    uint64_t exec = exec_of(w, W), va = opnd_s64(w, &in->s[2]) + (uint64_t)(int64_t)in->imm, bad = 0,
             first = 0;
    uint32_t *v = w->v + (is_store ? in->s[1].reg : in->d.reg) * W;
    w->ip = in + 1;
    for (uint64_t l = exec; l; l &= l - 1) {
        unsigned i = (unsigned)__builtin_ctzll(l);
        if (in->addr == LA_LDS) {
            uint32_t at = (w->s[SREG_M0] & 0xffff) + (uint32_t)in->imm + i * 4;
            if (is_store)
                lds_put(w, at, &v[i], 4);
            else
                lds_get(w, at, &v[i], 4);
            continue;
        }
        uint8_t *p = span_at(w, in, va + i * 4, 4, is_store ? MEM_WRITE : MEM_READ);
        if (!p) {
            first = bad ? first : va + i * 4;
            bad |= 1ull << i;
        } else {
            memcpy(is_store ? p : (uint8_t *)&v[i], is_store ? (uint8_t *)&v[i] : p, 4);
        }
    }
    if (!bad)
        return 0;
    return wave_fault(w, in, mem_find(w->mem, first) ? FAULT_READ_ONLY : FAULT_UNMAPPED,
                      is_store ? ACCESS_WRITE : ACCESS_READ, first, bad, "not mapped for that");
}

#define FORMS(F)                                                                                             \
    F(load_2addr_b32, load_2addr(w, in, W, CV_B32))                                                          \
    F(load_2addr_b64, load_2addr(w, in, W, CV_B64))                                                          \
    F(store_2addr_b32, store_2addr(w, in, W, CV_B32))                                                        \
    F(store_2addr_b64, store_2addr(w, in, W, CV_B64))                                                        \
    F(swap_2addr_b32, swap_2addr(w, in, W, 1))                                                               \
    F(swap_2addr_b64, swap_2addr(w, in, W, 2))                                                               \
    F(append, count(w, in, W, 1))                                                                            \
    F(consume, count(w, in, W, -1))                                                                          \
    F(swizzle_b32, swizzle(w, in, W))                                                                        \
    F(permute_b32, permute(w, in, W))                                                                        \
    F(bpermute_b32, bpermute(w, in, W))                                                                      \
    F(load_addtid_b32, addtid(w, in, W, 0))                                                                  \
    F(store_addtid_b32, addtid(w, in, W, 1))

#define DEFINE(name, expr)                                                                                   \
    static int name##_32(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        enum { W = 32 };                                                                                     \
        return expr;                                                                                         \
    }                                                                                                        \
    static int name##_64(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        enum { W = 64 };                                                                                     \
        return expr;                                                                                         \
    }
FORMS(DEFINE)

#define ENTRY(name, expr) {OP_##name, name##_32, name##_64},
extern const struct lane_op_row OPS_TABLE(mem_lds)[];
const struct lane_op_row OPS_TABLE(mem_lds)[] = {FORMS(ENTRY){0, 0, 0}};
