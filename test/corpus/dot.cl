// Dot products of packed bytes, nibbles and halves: one GPU instruction each, spelled out for PoCL.
#include "corpus.clh"
#ifdef GPU
// The sat flag clamps the sum to 32 bits.
#define SD8(a, b, c, sat) __builtin_amdgcn_sudot8(1, a, 1, b, c, sat)
#define UD4(a, b, c, sat) __builtin_amdgcn_udot4(a, b, c, sat)
#define UD8(a, b, c, sat) __builtin_amdgcn_udot8(a, b, c, sat)
#define SD4(a, b, c, sat) __builtin_amdgcn_sudot4(1, a, 1, b, c, sat)
#define SU4(a, b, c, sat) __builtin_amdgcn_sudot4(1, a, 0, b, c, sat)
#define US4(a, b, c, sat) __builtin_amdgcn_sudot4(0, a, 1, b, c, sat)
#else
static long field(int v, int sgn, int w, int k)
{
    int f = v >> (w * k) & ((1 << w) - 1);
    return sgn && f >> (w - 1) ? f - (1 << w) : f;
}
static int dotn(int sa, int a, int sb, int b, int c, int w, int anysigned, int sat)
{
    long s = anysigned ? (long)c : (long)(uint)c;
    for (int k = 0; k < 32 / w; k++)
        s += field(a, sa, w, k) * field(b, sb, w, k);
    if (sat)
        s = anysigned ? clamp(s, (long)INT_MIN, (long)INT_MAX) : min(s, (long)UINT_MAX);
    return s;
}
#define SD8(a, b, c, sat) dotn(1, a, 1, b, c, 4, 1, sat)
#define UD4(a, b, c, sat) dotn(0, a, 0, b, c, 8, 0, sat)
#define UD8(a, b, c, sat) dotn(0, a, 0, b, c, 4, 0, sat)
#define SD4(a, b, c, sat) dotn(1, a, 1, b, c, 8, 1, sat)
#define SU4(a, b, c, sat) dotn(1, a, 0, b, c, 8, 1, sat)
#define US4(a, b, c, sat) dotn(0, a, 1, b, c, 8, 1, sat)
#endif
kernel void dot_int(global const int *pa, global const int *pb, global const int *pc, global int *out, uint n)
{
    uint i = GID, row = 0;
    int a = pa[i], b = pb[i], c = pc[i];
    PUT(UD4(a, b, c, 0));
    PUT(UD4(a, b, c, 1));
    PUT(UD8(a, b, c, 0));
    PUT(UD8(a, b, c, 1));
    PUT(SD4(a, b, c, 0));
    PUT(SD4(a, b, c, 1));
    PUT(SU4(a, b, c, 0));
    PUT(US4(a, b, c, 1));
    PUT(SD8(a, b, c, 0));
    PUT(SD8(a, b, c, 1));
}
// v_dot2_f32_f16: inexact only in the additions; inputs are small integers here, so every order agrees.
kernel void dot_half(global const half *pa, global const half *pb, global float *out)
{
    uint i = GID;
    float s = 0.5f;
    for (uint k = 0; k < 4; k++) {
#ifdef GPU
        s = __builtin_amdgcn_fdot2(vload2(4 * i + k, pa), vload2(4 * i + k, pb), s, false);
#else
        float2 a = vload_half2(4 * i + k, pa), b = vload_half2(4 * i + k, pb);
        s = a.x * b.x + a.y * b.y + s;
#endif
    }
    out[i] = s;
}
