// Matrix-multiply instructions, 16x16x16, one wave a tile. The lane layout for PoCL is that of AMD's RDNA3 manual:
// lane l holds row (A) or column (B) l % 16, all 16 values of K; C and D hold element [2v + l/16][l % 16] in
// register v (wave32), [4v + l/16][l % 16] (wave64). Inputs are small integers, so that every order of additions
// gives the same float.
#include "corpus.clh"
#ifdef WAVE64
#define W 64
#define BI(name) __builtin_amdgcn_wmma_##name##_w64
#define SYM(name) name##_w64
#else
#define W 32
#define BI(name) __builtin_amdgcn_wmma_##name##_w32
#define SYM(name) name##_w32
#endif
#define R (256 / W)
#define RC2(n) RC3(n)
#define RC3(n) n
#ifdef GPU
typedef half half16v __attribute__((ext_vector_type(16)));
typedef short short16v __attribute__((ext_vector_type(16)));
#if W == 32
typedef float8 fcd;
typedef int8 icd;
typedef half hcd __attribute__((ext_vector_type(16)));
typedef short scd __attribute__((ext_vector_type(16)));
#else
typedef float4 fcd;
typedef int4 icd;
typedef half hcd __attribute__((ext_vector_type(8)));
typedef short scd __attribute__((ext_vector_type(8)));
#endif
#define ROW(v) ((v) * (W / 16) + LID / 16)
#endif
static float bf16(ushort b)
{
    return as_float((uint)b << 16);
}
// Truncation is enough: all results are exact in bf16's 8 bits only when small; the generator keeps them so.
static ushort to_bf16(float f)
{
    return as_uint(f) >> 16;
}
kernel void SYM(wmma_f32_f16)(global const half *a, global const half *b, global float *c)
{
#ifdef GPU
    uint l = LID % 16;
    half16v va, vb;
    fcd acc;
    for (uint k = 0; k < 16; k++)
        va[k] = a[l * 16 + k], vb[k] = b[k * 16 + l];
    for (uint v = 0; v < R; v++)
        acc[v] = c[ROW(v) * 16 + l];
    acc = BI(f32_16x16x16_f16)(va, vb, acc);
    for (uint v = 0; v < R; v++)
        c[ROW(v) * 16 + l] = acc[v];
#else
    for (uint e = LID; e < 256; e += W)
        for (uint k = 0; k < 16; k++)
            c[e] += vload_half(e / 16 * 16 + k, a) * vload_half(k * 16 + e % 16, b);
#endif
}
kernel void SYM(wmma_f32_bf16)(global const ushort *a, global const ushort *b, global float *c)
{
#ifdef GPU
    uint l = LID % 16;
    short16v va, vb;
    fcd acc;
    for (uint k = 0; k < 16; k++)
        va[k] = a[l * 16 + k], vb[k] = b[k * 16 + l];
    for (uint v = 0; v < R; v++)
        acc[v] = c[ROW(v) * 16 + l];
    acc = BI(f32_16x16x16_bf16)(va, vb, acc);
    for (uint v = 0; v < R; v++)
        c[ROW(v) * 16 + l] = acc[v];
#else
    for (uint e = LID; e < 256; e += W)
        for (uint k = 0; k < 16; k++)
            c[e] += bf16(a[e / 16 * 16 + k]) * bf16(b[k * 16 + e % 16]);
#endif
}
// Half results sit in the low (opsel false) or high (true) half of each register; the other half is kept.
kernel void SYM(wmma_f16_f16)(global const half *a, global const half *b, global half *c)
{
#ifdef GPU
    uint l = LID % 16;
    half16v va, vb;
    hcd acc;
    for (uint k = 0; k < 16; k++)
        va[k] = a[l * 16 + k], vb[k] = b[k * 16 + l];
    for (uint v = 0; v < R; v++)
        acc[2 * v] = acc[2 * v + 1] = c[ROW(v) * 16 + l];
    acc = BI(f16_16x16x16_f16)(va, vb, acc, false);
    acc = BI(f16_16x16x16_f16)(va, vb, acc, true);
    for (uint v = 0; v < R; v++)
        c[ROW(v) * 16 + l] = acc[2 * v] + acc[2 * v + 1];
#else
    for (uint e = LID; e < 256; e += W) {
        float s = vload_half(e, c);
        for (uint k = 0; k < 16; k++)
            s += vload_half(e / 16 * 16 + k, a) * vload_half(k * 16 + e % 16, b);
        vstore_half(s + s, e, c);
    }
#endif
}
kernel void SYM(wmma_bf16_bf16)(global const ushort *a, global const ushort *b, global ushort *c)
{
#ifdef GPU
    uint l = LID % 16;
    short16v va, vb;
    scd acc;
    for (uint k = 0; k < 16; k++)
        va[k] = a[l * 16 + k], vb[k] = b[k * 16 + l];
    for (uint v = 0; v < R; v++)
        acc[2 * v] = acc[2 * v + 1] = c[ROW(v) * 16 + l];
    acc = BI(bf16_16x16x16_bf16)(va, vb, acc, false);
    acc = BI(bf16_16x16x16_bf16)(va, vb, acc, true);
    for (uint v = 0; v < R; v++)
        c[ROW(v) * 16 + l] = acc[2 * v] ^ (ushort)acc[2 * v + 1] << 1;
#else
    for (uint e = LID; e < 256; e += W) {
        float s = bf16(c[e]);
        for (uint k = 0; k < 16; k++)
            s += bf16(a[e / 16 * 16 + k]) * bf16(b[k * 16 + e % 16]);
        c[e] = to_bf16(s) ^ to_bf16(s) << 1;
    }
#endif
}
// Signedness of each side and clamp are flags of the instruction: four combinations.
#define IU8(NAME, SA, SB, CL)                                                                                \
    kernel void SYM(NAME)(global const uchar *a, global const uchar *b, global int *c)                       \
    {                                                                                                        \
        IU8_BODY(SA, SB, CL)                                                                                 \
    }
#define IU4(NAME, SA, SB, CL)                                                                                \
    kernel void SYM(NAME)(global const uchar *a, global const uchar *b, global int *c)                       \
    {                                                                                                        \
        IU4_BODY(SA, SB, CL)                                                                                 \
    }
#ifdef GPU
#define IU8_BODY(SA, SB, CL)                                                                                 \
    uint l = LID % 16;                                                                                       \
    int4 va = vload4(l, (global const int *)a), vb = 0;                                                      \
    icd acc;                                                                                                 \
    for (uint k = 0; k < 16; k++)                                                                            \
        vb[k / 4] |= (int)b[k * 16 + l] << 8 * (k & 3);                                                      \
    for (uint v = 0; v < R; v++)                                                                             \
        acc[v] = c[ROW(v) * 16 + l];                                                                         \
    acc = BI(i32_16x16x16_iu8)(SA, va, SB, vb, acc, CL);                                                     \
    for (uint v = 0; v < R; v++)                                                                             \
        c[ROW(v) * 16 + l] = acc[v];
#define IU4_BODY(SA, SB, CL)                                                                                 \
    uint l = LID % 16;                                                                                       \
    int2 va = 0, vb = 0;                                                                                     \
    icd acc;                                                                                                 \
    for (uint k = 0; k < 16; k++) {                                                                          \
        va[k / 8] |= (a[l * 16 + k] & 15) << 4 * (k & 7);                                                    \
        vb[k / 8] |= (b[k * 16 + l] & 15) << 4 * (k & 7);                                                    \
    }                                                                                                        \
    for (uint v = 0; v < R; v++)                                                                             \
        acc[v] = c[ROW(v) * 16 + l];                                                                         \
    acc = BI(i32_16x16x16_iu4)(SA, va, SB, vb, acc, CL);                                                     \
    for (uint v = 0; v < R; v++)                                                                             \
        c[ROW(v) * 16 + l] = acc[v];
#else
#define IU(SA, SB, CL, M, H)                                                                                 \
    for (uint e = LID; e < 256; e += W) {                                                                    \
        long s = c[e];                                                                                       \
        for (uint k = 0; k < 16; k++) {                                                                      \
            int x = a[e / 16 * 16 + k] & M, y = b[k * 16 + e % 16] & M;                                      \
            s += (long)(SA && x & H ? x - M - 1 : x) * (SB && y & H ? y - M - 1 : y);                        \
        }                                                                                                    \
        c[e] = CL ? clamp(s, (long)INT_MIN, (long)INT_MAX) : s;                                              \
    }
#define IU8_BODY(SA, SB, CL) IU(SA, SB, CL, 255, 128)
#define IU4_BODY(SA, SB, CL) IU(SA, SB, CL, 15, 8)
#endif
IU8(wmma_iu8_ss, 1, 1, 0)
IU8(wmma_iu8_uu, 0, 0, 0)
IU8(wmma_iu8_su_clamp, 1, 0, 1)
IU4(wmma_iu4_ss, 1, 1, 0)
IU4(wmma_iu4_uu_clamp, 0, 0, 1)
IU4(wmma_iu4_us, 0, 1, 0)
