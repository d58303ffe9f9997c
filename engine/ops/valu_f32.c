#include "engine/ops/div.h"
#include "engine/ops/frexp.h"
#include "engine/ops/minmax.h"
#include "engine/ops/trans.h"

INLINE float mullit(float a, float b, float c)
{
    int bad = b != b || b <= -3.402823466e38f || c != c || c <= 0;
    return bad ? -3.402823466e38f : a == 0 || b == 0 ? 0 : a * b;
}
/* Cube map face, coordinates and twice the major axis: part 0 id, 1 sc, 2 tc, 3 ma. */
INLINE float cube(float x, float y, float z, int part)
{
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    if (az >= ax && az >= ay)
        return part == 0 ? (z < 0 ? 5 : 4) : part == 1 ? (z < 0 ? -x : x) : part == 2 ? -y : 2 * z;
    if (ay >= ax)
        return part == 0 ? (y < 0 ? 3 : 2) : part == 1 ? x : part == 2 ? (y < 0 ? -z : z) : 2 * y;
    return part == 0 ? (x < 0 ? 1 : 0) : part == 1 ? (x < 0 ? z : -z) : part == 2 ? -y : 2 * x;
}

DIV(32, float, uint32_t, 23, 64, 96, 23, 150, ldexp32)

#define ROWS  "engine/ops/f32.def"
#define TABLE OPS_TABLE(valu_f32)
#include "engine/ops/rows.h"
