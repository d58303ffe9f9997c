#include "engine/ops/fp8.h"
#include "engine/ops/frexp.h"

/* double holds every float and every limit exactly */
INLINE int32_t to_i32(double a)
{
    double x = a > -2147483648.0 ? a : -2147483648.0; /* NaN: the least, replaced below */
    x = x < 2147483647.0 ? x : 2147483647.0;
    return a != a ? 0 : (int32_t)x;
}
INLINE uint32_t to_u32(double a)
{
    double x = a > 0 ? a : 0; /* NaN: 0 */
    x = x < 4294967295.0 ? x : 4294967295.0;
    double half = x >= 2147483648.0 ? x - 2147483648.0 : x; /* the host converts to signed only */
    return (uint32_t)(int32_t)half + (x >= 2147483648.0 ? 0x80000000u : 0);
}
INLINE int32_t clamp_int(float a, float lo, float hi)
{
    float x = a > lo ? a : lo;
    x = x < hi ? x : hi;
    return a != a ? 0 : (int32_t)x;
}
/* Normalised integer: a in [lo, 1] times scale, to nearest even. */
INLINE int32_t norm(float a, float lo, float scale)
{
    float x = a > lo ? a : lo;
    x = (x < 1 ? x : 1) * scale;
    return a != a ? 0 : (int32_t)even32(x);
}
INLINE uint32_t pack(int32_t lo, int32_t hi)
{
    return (lo & 0xffff) | (uint32_t)hi << 16;
}
/* To a half, rounded to zero: overflow gives the largest finite value. */
INLINE uint32_t half_to_zero(float f)
{
    uint32_t u = bits32(f), s = u >> 16 & 0x8000, m = u & 0x7fffffffu, e = m >> 23;
    uint32_t sh = e < 102 ? 25 : e > 112 ? 14 : 126 - e;
    uint32_t den = ((m & 0x7fffffu) | 0x800000u) >> sh, norm_ = (m - (112u << 23)) >> 13;
    uint32_t big = m == 0x7f800000u ? 0x7c00 : 0x7bff, nan = 0x7e00 | (m >> 13 & 0x3ff);
    return s | (m > 0x7f800000u ? nan : m >= 0x47800000u ? big : m < 0x38800000u ? den : norm_);
}

INLINE uint64_t pair(float lo, float hi)
{
    return bits32(lo) | (uint64_t)bits32(hi) << 32;
}
#define OVFL  (mode >> 23 & 1) /* MODE.FP16_OVFL: overflow gives the largest finite value */

#define ROWS  "engine/ops/cvt.def"
#define TABLE OPS_TABLE(valu_cvt)
#include "engine/ops/rows.h"
