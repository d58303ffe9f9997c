// Double precision: n-body, FFT, polynomial, Kahan sum, bisection.
#include "corpus.clh"
kernel void nbody(global const double4 *pos, global double4 *acc, uint n)
{
    double4 p = pos[GID], a = 0;
    for (uint j = 0; j < n; j++) {
        double4 q = pos[j];
        double dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        double r2 = fma(dx, dx, fma(dy, dy, fma(dz, dz, 1e-3)));
        double s = q.w / (r2 * sqrt(r2));
        a.x = fma(dx, s, a.x);
        a.y = fma(dy, s, a.y);
        a.z = fma(dz, s, a.z);
    }
    acc[GID] = a;
}
kernel void nbody_f32(global const float4 *pos, global float4 *acc, uint n)
{
    float4 p = pos[GID], a = 0;
    for (uint j = 0; j < n; j++) {
        float4 q = pos[j], d = q - p;
        float inv = rsqrt(fma(d.x, d.x, fma(d.y, d.y, fma(d.z, d.z, 1e-2f))));
        a.xyz += d.xyz * (q.w * inv * inv * inv);
    }
    acc[GID] = a;
}
// 64-point complex FFT a group (radix 2, decimation in time), twiddles from a table.
#define FFT(T)                                                                                               \
    kernel void fft_##T(global const T##2 *in, global T##2 *out, global const T##2 *tw)                      \
    {                                                                                                        \
        local T##2 t[64];                                                                                    \
        uint l = LID, r = 0;                                                                                 \
        for (uint b = 0; b < 6; b++)                                                                         \
            r |= (l >> b & 1) << (5 - b);                                                                    \
        t[r] = in[GID];                                                                                      \
        for (uint half_n = 1; half_n < 64; half_n *= 2) {                                                    \
            SYNC();                                                                                          \
            if (l < 32) {                                                                                    \
                uint k = l & (half_n - 1), i = (l / half_n) * 2 * half_n + k;                                \
                T##2 w = tw[k * (32 / half_n)], a = t[i], b = t[i + half_n];                                 \
                T##2 x = (T##2)(fma(b.x, w.x, -(b.y * w.y)), fma(b.x, w.y, b.y * w.x));                      \
                t[i] = a + x;                                                                                \
                t[i + half_n] = a - x;                                                                       \
            }                                                                                                \
        }                                                                                                    \
        SYNC();                                                                                              \
        out[GID] = t[l];                                                                                     \
    }
FFT(double)
FFT(float)
kernel void kahan(global const double *in, global double *out, uint n)
{
    double s = 0, c = 0;
    for (uint i = 0; i < n; i++) {
        double y = in[GID * n + i] - c, t = s + y;
        c = (t - s) - y;
        s = t;
    }
    out[GID] = s;
}
kernel void bisect(global const double *in, global double *out)
{
    double a = in[GID], lo = -4, hi = 4;
    for (int k = 0; k < 60; k++) {
        double m = (lo + hi) * 0.5;
        if (fma(m, m * m, m) < a)
            lo = m;
        else
            hi = m;
    }
    out[GID] = lo;
}
kernel void jacobi(global const double *in, global double *out, uint steps)
{
    local double t[2][66];
    uint l = LID;
    t[0][l + 1] = in[GID];
    if (l < 2)
        t[0][l * 65] = t[1][l * 65] = l;
    for (uint s = 0; s < steps; s++) {
        SYNC();
        t[~s & 1][l + 1] = (t[s & 1][l] + t[s & 1][l + 2]) * 0.5;
    }
    SYNC();
    out[GID] = t[steps & 1][l + 1];
}
kernel void div_sqrt_f64(global const double *pa, global const double *pb, global double *out, uint n)
{
    uint i = GID, row = 0;
    PUT(pa[i] / pb[i]);
    PUT(sqrt(pa[i]));
    PUT(1.0 / pa[i]);
}
