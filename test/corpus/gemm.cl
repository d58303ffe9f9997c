// Matrix products: n x n, row-major, n a multiple of the tile, in several element types and blockings.
#include "corpus.clh"
#define TILED(NAME, T, ACC, LD, ST)                                                                          \
    kernel __attribute__((reqd_work_group_size(8, 8, 1)))                                                    \
    void NAME(global const T *a, global const T *b, global ST *c, uint n)                                    \
    {                                                                                                        \
        local ACC ta[8][8], tb[8][8];                                                                        \
        uint lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);     \
        ACC sum = 0;                                                                                         \
        for (uint k = 0; k < n; k += 8) {                                                                    \
            ta[ly][lx] = LD(a, row * n + k + lx);                                                            \
            tb[ly][lx] = LD(b, (k + ly) * n + col);                                                          \
            SYNC();                                                                                          \
            for (uint j = 0; j < 8; j++)                                                                     \
                sum += ta[ly][j] * tb[j][lx];                                                                \
            SYNC();                                                                                          \
        }                                                                                                    \
        c[row * n + col] = sum;                                                                              \
    }
#define AT(p, i) (p)[i]
#define HALF_AT(p, i) vload_half(i, p)
TILED(gemm_f32, float, float, AT, float)
TILED(gemm_f64, double, double, AT, double)
TILED(gemm_f16_f32, half, float, HALF_AT, float)
TILED(gemm_i8, char, int, AT, int)
TILED(gemm_u16, ushort, uint, AT, uint)
TILED(gemm_i64, long, long, AT, long)

// 32x32 of C a group of 64 work-items, 4x4 a work-item in registers.
kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void gemm_blocked(global const float *a, global const float *b, global float *c, uint n)
{
    local float ta[8][32], tb[8][32];
    uint lx = get_local_id(0), ly = get_local_id(1), l = ly * 8 + lx;
    uint r0 = get_group_id(1) * 32, c0 = get_group_id(0) * 32;
    float acc[4][4] = {{0}};
    for (uint k = 0; k < n; k += 8) {
        for (uint s = l; s < 256; s += 64) {
            ta[s & 7][s >> 3] = a[(r0 + (s >> 3)) * n + k + (s & 7)];
            tb[s >> 5][s & 31] = b[(k + (s >> 5)) * n + c0 + (s & 31)];
        }
        SYNC();
        for (uint j = 0; j < 8; j++) {
            float4 va = vload4(ly, ta[j]), vb = vload4(lx, tb[j]);
            float x[4] = {va.x, va.y, va.z, va.w}, y[4] = {vb.x, vb.y, vb.z, vb.w};
            for (uint p = 0; p < 4; p++)
                for (uint q = 0; q < 4; q++)
                    acc[p][q] = fma(x[p], y[q], acc[p][q]);
        }
        SYNC();
    }
    for (uint p = 0; p < 4; p++)
        vstore4((float4)(acc[p][0], acc[p][1], acc[p][2], acc[p][3]), 0, c + (r0 + ly * 4 + p) * n + c0 + lx * 4);
}
// Arithmetic in half: every step is rounded to half, so a plain double step rounded once says the same.
kernel void gemv_f16(global const half *a, global const half *x, global half *y, uint n)
{
    uint i = GID;
#ifdef GPU
    half s = 0;
    for (uint j = 0; j < n; j++)
        s = fma(a[i * n + j], x[j], s);
    y[i] = s;
#else
    ushort u = 0;
    for (uint j = 0; j < n; j++)
        vstore_half_rte(fma((double)vload_half(i * n + j, a), (double)vload_half(j, x),
                            (double)vload_half(0, (private half *)&u)), 0, (private half *)&u);
    ((global ushort *)y)[i] = u;
#endif
}
