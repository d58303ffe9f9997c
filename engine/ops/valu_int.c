#include "engine/ops/valu.h"

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))

INLINE int64_t i24(uint32_t v)
{
    return (int32_t)(v << 8) >> 8;
}
INLINE int64_t sat_mul_u32(uint32_t a, uint32_t b)
{
    uint64_t p = (uint64_t)a * b;
    return (int64_t)MIN(p, 0xffffffffull);
}
INLINE uint32_t bit_reverse(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}
/* Ones. Not __builtin_popcount: without the instruction it is a library call a lane. */
INLINE uint32_t bit_count(uint32_t v)
{
    v -= v >> 1 & 0x55555555;
    v = (v & 0x33333333) + (v >> 2 & 0x33333333);
    return ((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
}
/* Zeros above the highest one; all ones for 0. */
INLINE uint32_t first_high(uint32_t v)
{
    return v ? (uint32_t)__builtin_clz(v) : ~0u;
}
INLINE uint32_t sat_u8(int32_t v)
{
    return (uint32_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}
INLINE int32_t bfe_i32(int32_t a, unsigned at, unsigned n)
{
    uint32_t m = (1u << n) - 1, x = (uint32_t)(a >> at) & m, sign = n ? 1u << ((n - 1) & 31) : 0;
    return (int32_t)((x ^ sign) - sign);
}
INLINE uint32_t byte_of(uint64_t v, unsigned k)
{
    return (uint32_t)(v >> (8 * k)) & 0xff;
}
/* v_perm_b32: result byte k by selector byte k of c: 0-3 bytes of b, 4-7 of a, 8-11 a sign spread, 12 zero,
 * more 0xff. */
INLINE uint32_t perm_byte(uint32_t a, uint32_t b, uint32_t s)
{
    uint32_t x = (s & 4 ? a : b) >> (8 * (s & 3)) & 0xff;
    uint32_t sign = (s & 2 ? a : b) >> (s & 1 ? 31 : 15) & 1 ? 0xff : 0;
    uint32_t fixed = s == 12 ? 0 : 0xff;
    fixed = s < 12 ? sign : fixed;
    return s < 8 ? x : fixed;
}
INLINE uint32_t perm(uint32_t a, uint32_t b, uint32_t c)
{
    return perm_byte(a, b, c & 0xff) | perm_byte(a, b, c >> 8 & 0xff) << 8 |
           perm_byte(a, b, c >> 16 & 0xff) << 16 | perm_byte(a, b, c >> 24) << 24;
}
INLINE uint32_t lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 32; k += 8)
        r |= (((a >> k & 0xff) + (b >> k & 0xff) + (c >> k & 1)) >> 1) << k;
    return r;
}
INLINE uint32_t diff(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}
INLINE uint32_t sad_u8(uint32_t a, uint32_t b)
{
    return diff(a & 0xff, b & 0xff) + diff(a >> 8 & 0xff, b >> 8 & 0xff) +
           diff(a >> 16 & 0xff, b >> 16 & 0xff) + diff(a >> 24, b >> 24);
}
INLINE uint32_t sad_u16(uint32_t a, uint32_t b)
{
    return diff(a & 0xffff, b & 0xffff) + diff(a >> 16, b >> 16);
}
/* Bytes of the reference b that are 0 do not count. */
INLINE uint32_t msad_u8(uint32_t a, uint32_t b)
{
    uint32_t r = 0;
    for (unsigned k = 0; k < 4; k++)
        r += byte_of(b, k) ? diff(byte_of(a, k), byte_of(b, k)) : 0;
    return r;
}

/* Four (masked) sums over the bytes k..k+3 of the 64-bit source, each added to a 16-bit field of c. */
static int f_qsad(struct wave *w, const struct lane_insn *in)
{
    struct vop o;
    int masked = in->op == OP_v_mqsad_pk_u16_u8, clamp = in->flags & LF_CLAMP;
    if (vop_begin(w, in, &o, 3, CAP_CLAMP))
        return WAVE_FAULT;
    for (unsigned at = 0; at < w->width; at += CHUNK) {
        uint32_t r[2][CHUNK];
        for (unsigned i = 0; i < CHUNK; i++) {
            unsigned l = at + i;
            uint64_t a = o.lo[0][l] | (uint64_t)o.hi[0][l] << 32, c = o.lo[2][l] | (uint64_t)o.hi[2][l] << 32,
                     d = 0;
            for (unsigned k = 0; k < 4; k++) {
                uint32_t x = (uint32_t)(a >> 8 * k), b = o.lo[1][l];
                uint32_t s = (masked ? msad_u8(x, b) : sad_u8(x, b)) + (uint32_t)(c >> 16 * k & 0xffff);
                d |= (uint64_t)((clamp && s > 0xffff ? 0xffff : s) & 0xffff) << 16 * k;
            }
            r[0][i] = (uint32_t)d;
            r[1][i] = (uint32_t)(d >> 32);
        }
        vop_put(w, in, &o, at, 64, r[0], r[1]);
    }
    return 0;
}
/* The same with 32-bit sums, four registers wide. */
static int f_mqsad32(struct wave *w, const struct lane_insn *in)
{
    struct vop o;
    if (vop_begin(w, in, &o, 3, CAP_CLAMP))
        return WAVE_FAULT;
    unsigned step = in->s[2].kind == LK_VREG ? w->width : 0; /* a scalar source 2 is one value a register */
    for (unsigned at = 0; at < w->width; at += CHUNK) {
        uint32_t r[4][CHUNK];
        for (unsigned i = 0; i < CHUNK; i++) {
            unsigned l = at + i;
            uint64_t a = o.lo[0][l] | (uint64_t)o.hi[0][l] << 32;
            for (unsigned k = 0; k < 4; k++) {
                uint32_t c = step                       ? o.lo[2][k * step + l]
                             : in->s[2].kind == LK_SREG ? w->s[in->s[2].reg + k]
                                                        : 0;
                uint64_t s = (uint64_t)msad_u8((uint32_t)(a >> 8 * k), o.lo[1][l]) + c;
                r[k][i] = (in->flags & LF_CLAMP) && s >> 32 ? ~0u : (uint32_t)s;
            }
        }
        for (unsigned k = 0; k < 4; k++)
            vop_write(w->v + (size_t)(in->d.reg + k) * w->width + at, r[k], (uint32_t)(o.exec >> at));
    }
    return 0;
}

/* Carry operations: r = value, k = carry or borrow, by sources a, b and carry-in ci; with clamp the result
 * saturates. */
#define CARRY(name, n, value, carry, saturated)                                                              \
    INLINE uint32_t k_##name(uint32_t *restrict r_, const uint32_t *restrict a_,                             \
                             const uint32_t *restrict b_, uint32_t cin, int clamp)                           \
    {                                                                                                        \
        uint32_t out = 0;                                                                                    \
        LANE_LOOP                                                                                            \
        {                                                                                                    \
            uint32_t a = a_[i], b = b_[i], ci = cin >> i & 1, r = value;                                     \
            (void)ci;                                                                                        \
            uint32_t k = (carry) ? 1u : 0u;                                                                  \
            r_[i] = clamp && k ? saturated : r;                                                              \
            out |= k << i;                                                                                   \
        }                                                                                                    \
        return out;                                                                                          \
    }                                                                                                        \
    static int f_##name(struct wave *w, const struct lane_insn *in)                                          \
    {                                                                                                        \
        struct vop o;                                                                                        \
        if (vop_begin(w, in, &o, 2, CAP_CLAMP))                                                              \
            return WAVE_FAULT;                                                                               \
        uint64_t cin = n == 3 ? vop_mask(w, &in->s[2]) : 0, out = 0;                                         \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                  \
            uint32_t r[CHUNK], c = (uint32_t)(cin >> at);                                                    \
            const uint32_t *a = o.lo[0] + at, *b = o.lo[1] + at;                                             \
            if (LIKELY(!(in->flags & LF_CLAMP)))                                                             \
                out |= (uint64_t)k_##name(r, a, b, c, 0) << at;                                              \
            else                                                                                             \
                out |= (uint64_t)k_##name(r, a, b, c, 1) << at;                                              \
            vop_put(w, in, &o, at, 32, r, NULL);                                                             \
        }                                                                                                    \
        if (in->d2.kind == LK_SREG)                                                                          \
            wave_set_mask(w, in->d2.reg, out &o.exec);                                                       \
        return 0;                                                                                            \
    }
CARRY(add_co, 2, a + b, r < a, ~0u)
CARRY(sub_co, 2, a - b, a < b, 0)
CARRY(subrev_co, 2, b - a, b < a, 0)
CARRY(add_co_ci, 3, a + b + ci, (r < a) | (ci & (r == a)), ~0u)
CARRY(sub_co_ci, 3, a - b - ci, (a < b) | (ci & (a == b)), 0)
CARRY(subrev_co_ci, 3, b - a - ci, (b < a) | (ci & (a == b)), 0)

/* 64-bit multiply-add; d2 takes the carry out of bit 63 (signed: the 65th bit of the exact sum). */
#define MAD64(name, T, W, is_signed)                                                                         \
    static int f_##name(struct wave *w, const struct lane_insn *in)                                          \
    {                                                                                                        \
        struct vop o;                                                                                        \
        uint64_t out = 0;                                                                                    \
        if (vop_begin(w, in, &o, 3, 0))                                                                      \
            return WAVE_FAULT;                                                                               \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                  \
            uint64_t r[CHUNK], tc[CHUNK], k[CHUNK];                                                          \
            const uint64_t *c = LD_QW(tc, 2);                                                                \
            LANE_LOOP                                                                                        \
            {                                                                                                \
                uint64_t p = (uint64_t)((W)(T)o.lo[0][at + i] * (T)o.lo[1][at + i]);                         \
                r[i] = p + c[i];                                                                             \
                uint64_t sp = is_signed ? p >> 63 : 0, sc = is_signed ? c[i] >> 63 : 0;                      \
                k[i] = (r[i] < p) ^ sp ^ sc;                                                                 \
            }                                                                                                \
            LANE_LOOP out |= k[i] << (at + i);                                                               \
            PUT_QW(r);                                                                                       \
        }                                                                                                    \
        if (in->d2.kind == LK_SREG)                                                                          \
            wave_set_mask(w, in->d2.reg, out &o.exec);                                                       \
        return 0;                                                                                            \
    }
MAD64(mad_u64, uint32_t, uint64_t, 0)
MAD64(mad_i64, int32_t, int64_t, 1)

#define CNDMASK(name, bits, keep)                                                                            \
    static int f_##name(struct wave *w, const struct lane_insn *in)                                          \
    {                                                                                                        \
        struct vop o;                                                                                        \
        if (vop_begin(w, in, &o, 2, 0))                                                                      \
            return WAVE_FAULT;                                                                               \
        uint64_t mask = vop_mask(w, &in->s[2]);                                                              \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                  \
            uint32_t r[CHUNK], m = (uint32_t)(mask >> at);                                                   \
            const uint32_t *a = o.lo[0] + at, *b = o.lo[1] + at;                                             \
            LANE_LOOP r[i] = (m >> i & 1 ? b[i] : a[i]) & keep;                                              \
            vop_put(w, in, &o, at, bits, r, NULL);                                                           \
        }                                                                                                    \
        return 0;                                                                                            \
    }
CNDMASK(cndmask32, 32, ~0u)
CNDMASK(cndmask16, 16, 0xffffu)

/* As a row of its own form, because compilers make a call of a loop that only copies. */
FN(mov32, 1, 0, uint32_t r[CHUNK]; lanes_copy(r, o.lo[0] + at, CHUNK); PUT_U32(r);)

static int f_nop(struct wave *w, const struct lane_insn *in)
{
    (void)w, (void)in;
    return 0;
}

#define ROWS  "engine/ops/int.def"
#define TABLE OPS_TABLE(valu_int)
#include "engine/ops/rows.h"
