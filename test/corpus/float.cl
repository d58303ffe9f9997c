// Float operations whose results IEEE 754 fixes exactly, in every type and in vectors, and the comparisons.
#include "corpus.clh"
#define FLT(T, I)                                                                                            \
    kernel void exact_##T(global const T *pa, global const T *pb, global const T *pc, global T *out, uint n) \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T a = pa[i], b = pb[i], c = pc[i];                                                                   \
        PUT(a + b);                                                                                          \
        PUT(a - b);                                                                                          \
        PUT(a * b);                                                                                          \
        PUT(fma(a, b, c));                                                                                   \
        PUT(fma(-a, b, -c));                                                                                 \
        PUT(-a);                                                                                             \
        PUT(fabs(a));                                                                                        \
        PUT(copysign(a, b));                                                                                 \
        PUT(floor(a));                                                                                       \
        PUT(ceil(a));                                                                                        \
        PUT(trunc(a));                                                                                       \
        PUT(rint(a));                                                                                        \
        PUT(round(a));                                                                                       \
        PUT(fmin(a, b));                                                                                     \
        PUT(fmax(a, b));                                                                                     \
        PUT(a < b ? a : c);                                                                                  \
        PUT(isnan(a) ? b : fmax(fmin(a, (T)4), (T)-4));                                                      \
        PUT(fdim(a, b));                                                                                     \
        PUT(maxmag(a, b));                                                                                   \
        PUT(minmag(a, b));                                                                                   \
        PUT(nextafter(a, b));                                                                                \
        PUT(sign(a));                                                                                        \
        PUT(step(a, b));                                                                                     \
        PUT((a + b) * (T)2 - c);                                                                             \
        PUT(logb(a));                                                                                        \
        PUT(ldexp(a, (int)i % 40 - 20));                                                                     \
        T whole;                                                                                             \
        PUT(modf(a, &whole));                                                                                \
        PUT(whole);                                                                                          \
        int e;                                                                                               \
        PUT(frexp(a, &e));                                                                                   \
        PUT(isfinite(a) && a != 0 ? (T)e : (T)0);                                                            \
    }                                                                                                        \
    kernel void cmp_##T(global const T *pa, global const T *pb, global int *out, uint n)                     \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T a = pa[i], b = pb[i];                                                                              \
        PUT((a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5);           \
        PUT(!(a < b) | !(a <= b) << 1 | !(a > b) << 2 | !(a >= b) << 3 | !(a == b) << 4);                    \
        PUT(isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | isnormal(a) << 3 | signbit(a) << 4);               \
        PUT(isordered(a, b) | isunordered(a, b) << 1 | islessgreater(a, b) << 2);                            \
        PUT(ilogb(a));                                                                                       \
        PUT((int)(as_##I(a) >> 3));                                                                          \
    }
FLT(float, int)
FLT(double, long)

// fmod and remainder are exact by definition.
#define REM(T)                                                                                               \
    kernel void rem_##T(global const T *pa, global const T *pb, global T *out, uint n)                       \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T a = pa[i], b = pb[i];                                                                              \
        int q;                                                                                               \
        PUT(fmod(a, b));                                                                                     \
        PUT(remainder(a, b));                                                                                \
        T r = remquo(a, b, &q);                                                                              \
        PUT(r);                                                                                              \
        PUT(isfinite(a) && isfinite(b) && b != 0 ? (T)(q & 7) : (T)0);                                       \
    }
REM(float)
REM(double)

#define FVEC(T, N)                                                                                           \
    kernel void vec_##T##N(global const T *pa, global const T *pb, global T *po)                             \
    {                                                                                                        \
        uint i = GID;                                                                                        \
        T##N a = vload##N(i, pa), b = vload##N(i, pb);                                                       \
        T##N c = fma(a, b, a) - b * (T)3;                                                                    \
        c = select(c, a, isgreater(a, b));                                                                   \
        c.s0 += a.s1;                                                                                        \
        c = fmin(fmax(c, (T##N)(-100)), (T##N)(100));                                                        \
        vstore##N(c, i, po);                                                                                 \
    }
FVEC(float, 2)
FVEC(float, 3)
FVEC(float, 4)
FVEC(float, 16)
FVEC(double, 2)
FVEC(double, 4)

// Half: one rounding of the exact result. On PoCL computed in double (fma) or float and rounded once.
#ifdef GPU
#define HLD(p) (p)[i]
#define HPUT(v) (out[n * row++ + i] = (v))
typedef half H;
#else
#define HLD(p) (double)vload_half(i, p)
#define HPUT(v) vstore_half_rte((v), n * row++ + i, out)
typedef double H;
#endif
kernel void exact_half(global const half *pa, global const half *pb, global const half *pc, global half *out, uint n)
{
    uint i = GID, row = 0;
    H a = HLD(pa), b = HLD(pb), c = HLD(pc);
    HPUT(a + b);
    HPUT(a - b);
    HPUT(a * b);
    HPUT(fma(a, b, c));
    HPUT(-a);
    HPUT(fabs(a));
    HPUT(copysign(a, b));
    HPUT(floor(a));
    HPUT(ceil(a));
    HPUT(trunc(a));
    HPUT(rint(a));
    HPUT(round(a));
    HPUT(fmin(a, b));
    HPUT(fmax(a, b));
    HPUT(a < b ? a : c);
    HPUT(isnan(a) ? b : fmax(fmin(a, (H)4), (H)-4));
    HPUT(sign(a));
    HPUT(ldexp(a, (int)i % 10 - 5));
    int e;
    HPUT(frexp(a, &e));
    HPUT(isfinite(a) && a != 0 ? (H)e : (H)0);
    HPUT((H)(isnan(a) | isinf(a) << 1 | (a < b) << 2 | (a == b) << 3 | (a >= c) << 4 | (a != c) << 5));
}
// Packed halves: v_pk_* on the GPU.
kernel void vec_half2(global const half *pa, global const half *pb, global half *po)
{
    uint i = GID;
#ifdef GPU
    half2 a = vload2(i, pa), b = vload2(i, pb);
    half2 c = fma(a, b, a), d = a + b, e = fmax(a, b) - fmin(a, b.yx);
    vstore2(c, 3 * i, po);
    vstore2(d, 3 * i + 1, po);
    vstore2(e, 3 * i + 2, po);
#else
    double2 a = convert_double2(vload_half2(i, pa)), b = convert_double2(vload_half2(i, pb));
    double2 c = fma(a, b, a), d = a + b, e = fmax(a, b) - fmin(a, b.yx);
    vstore_half2_rte(c, 3 * i, po);
    vstore_half2_rte(d, 3 * i + 1, po);
    vstore_half2_rte(e, 3 * i + 2, po);
#endif
}
