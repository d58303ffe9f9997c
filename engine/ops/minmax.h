/* Minimum, maximum and median on the bits of floats, one value each: -0 is less than +0; the plain forms
 * return the number when one operand is NaN, except that in IEEE mode (mode bit 9) a signalling NaN wins,
 * quieted; minimum and maximum (gfx12) return NaN when any operand is; less and more
 * are for numbers only. Meaning: V_MIN_F32, V_MED3_F32,
 * V_MINIMUM_F32 of the ISA documents.
 */
#ifndef NX_ENGINE_OPS_MINMAX_H
#define NX_ENGINE_OPS_MINMAX_H
#include "engine/ops/valu.h"

#define MINMAX(n, U, S, inf, quiet)                                                                          \
    INLINE int nan##n(U x)                                                                                   \
    {                                                                                                        \
        return (U)(x << 1) > (U)((U)(inf) << 1);                                                             \
    }                                                                                                        \
    INLINE S order##n(U x)                                                                                   \
    {                                                                                                        \
        return (S)(x ^ ((U)((S)x >> (n - 1)) >> 1));                                                         \
    }                                                                                                        \
    INLINE U less##n(U a, U b)                                                                               \
    {                                                                                                        \
        return order##n(a) < order##n(b) ? a : b;                                                            \
    }                                                                                                        \
    INLINE U more##n(U a, U b)                                                                               \
    {                                                                                                        \
        return order##n(a) > order##n(b) ? a : b;                                                            \
    }                                                                                                        \
    INLINE U pick##n(U r, U a, U b, uint32_t mode)                                                           \
    {                                                                                                        \
        r = nan##n(b) ? a : r;                                                                               \
        r = nan##n(a) ? b : r;                                                                               \
        r = (mode & MODE_IEEE) && nan##n(b) && !(b & (quiet)) ? b : r;                                       \
        r = (mode & MODE_IEEE) && nan##n(a) && !(a & (quiet)) ? a : r;                                       \
        return nan##n(r) ? r | (quiet) : r;                                                                  \
    }                                                                                                        \
    INLINE U min##n(U a, U b, uint32_t mode)                                                                 \
    {                                                                                                        \
        return pick##n(order##n(a) < order##n(b) ? a : b, a, b, mode);                                       \
    }                                                                                                        \
    INLINE U max##n(U a, U b, uint32_t mode)                                                                 \
    {                                                                                                        \
        return pick##n(order##n(a) > order##n(b) ? a : b, a, b, mode);                                       \
    }                                                                                                        \
    INLINE U med##n(U a, U b, U c, uint32_t mode)                                                            \
    {                                                                                                        \
        S x = order##n(a), y = order##n(b), z = order##n(c), lo = x < y ? x : y, hi = x < y ? y : x;         \
        S m = hi < z ? hi : z;                                                                               \
        U r = (U)(m > lo ? m : lo);                                                                          \
        r ^= (U)((S)r >> (n - 1)) >> 1;                                                                      \
        return nan##n(a) || nan##n(b) || nan##n(c) ? min##n(min##n(a, b, mode), c, mode) : r;                \
    }                                                                                                        \
    INLINE U minimum##n(U a, U b)                                                                            \
    {                                                                                                        \
        U r = order##n(a) < order##n(b) ? a : b;                                                             \
        r = nan##n(b) ? b | (quiet) : r;                                                                     \
        return nan##n(a) ? a | (quiet) : r;                                                                  \
    }                                                                                                        \
    INLINE U maximum##n(U a, U b)                                                                            \
    {                                                                                                        \
        U r = order##n(a) > order##n(b) ? a : b;                                                             \
        r = nan##n(b) ? b | (quiet) : r;                                                                     \
        return nan##n(a) ? a | (quiet) : r;                                                                  \
    }
MINMAX(16, uint16_t, int16_t, 0x7c00, 0x200)
MINMAX(32, uint32_t, int32_t, 0x7f800000u, 0x400000u)
MINMAX(64, uint64_t, int64_t, 0x7ff0000000000000ull, 0x8000000000000ull)
#undef MINMAX
#endif
