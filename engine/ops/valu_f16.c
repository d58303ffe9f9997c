#include "engine/ops/div.h"
#include "engine/ops/fma16.h"
#include "engine/ops/frexp.h"
#include "engine/ops/minmax.h"

INLINE float fract16(float a)
{
    float r = a - floorf(a), most = 0x1.ffcp-1f; /* the largest half below 1 */
    return r > most ? most : r;
}
INLINE float ldexp16(float a, int32_t b)
{
    b = b < -60 ? -60 : b > 60 ? 60 : b;
    return a * f32_of((uint32_t)(b + 127) << 23); /* exact in single precision */
}
INLINE uint16_t div_fixup16(uint16_t q, uint16_t d, uint16_t n)
{
    uint16_t sign = (d ^ n) & 0x8000, ad = d & 0x7fff, an = n & 0x7fff, aq = q & 0x7fff;
    uint16_t r = sign | (aq > 0x7c00 ? 0x7c00 : aq);
    r = ad == 0x7c00 || an == 0 ? sign : r;
    r = ad == 0 || an == 0x7c00 ? sign | 0x7c00 : r;
    r = (ad == 0 && an == 0) || (ad == 0x7c00 && an == 0x7c00) ? 0xfe00 : r;
    r = ad > 0x7c00 ? d | 0x200 : r;
    return an > 0x7c00 ? n | 0x200 : r;
}

#define ROWS  "engine/ops/f16.def"
#define TABLE OPS_TABLE(valu_f16)
#include "engine/ops/rows.h"
