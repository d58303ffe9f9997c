// The OpenCL math functions. Compiled once a type: R is the type stored (float, double, half). The expected results
// come from the same source with the functions computed in double and rounded once to R.
#include "corpus.clh"
#ifndef GPU
#define WIDE double
#else
#define WIDE R
#endif
#define CAT2(a, b) a##_##b
#define CAT(a, b) CAT2(a, b)
#ifdef IS_HALF
#define R half
#define SYM(name) CAT(name, half)
#ifdef GPU
#define LD(p) p[i]
#define OUT(v) (out[n * row++ + i] = (v))
#else
#define LD(p) ((double)vload_half(i, p))
#define OUT(v) vstore_half_rte((double)(v), n * row++ + i, out)
#endif
#elif defined(IS_DOUBLE)
#define R double
#define SYM(name) CAT(name, double)
#define LD(p) p[i]
#define OUT(v) (out[n * row++ + i] = (v))
#else
#define R float
#define SYM(name) CAT(name, float)
#define LD(p) ((WIDE)p[i])
#define OUT(v) (out[n * row++ + i] = (R)(v))
#endif
typedef WIDE T;
#define KERNEL1(NAME, ...)                                                                                   \
    kernel void SYM(NAME)(global const R *pa, global R *out, uint n)                                         \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T a = LD(pa);                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define KERNEL2(NAME, ...)                                                                                   \
    kernel void SYM(NAME)(global const R *pa, global const R *pb, global R *out, uint n)                     \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T a = LD(pa), b = LD(pb);                                                                            \
        __VA_ARGS__                                                                                          \
    }
// sin(half) of rocm-device-libs 5.2.3 is NaN for all that is finite, its native_tan scales twice, and the compiler makes
// rootn(x, -2) rsqrt(x), which is wrong at -0: these are left out.
#ifdef IS_HALF
#define SIN(a) (T)cos(a)
#else
#define SIN(a) sin(a)
#endif
KERNEL1(trig, OUT(SIN(a)); OUT(cos(a)); OUT(tan(a)); T c; T s = sincos(a, &c); OUT(s); OUT(c);)
KERNEL1(arc, OUT(asin(a)); OUT(acos(a)); OUT(atan(a)); OUT(asinpi(a)); OUT(acospi(a)); OUT(atanpi(a));)
KERNEL1(trigpi, OUT(sinpi(a)); OUT(cospi(a)); OUT(tanpi(a));)
KERNEL1(exps, OUT(exp(a)); OUT(exp2(a)); OUT(exp10(a)); OUT(expm1(a));)
KERNEL1(logs, OUT(log(a)); OUT(log2(a)); OUT(log10(a)); OUT(log1p(a));)
KERNEL1(roots, OUT(sqrt(a)); OUT(rsqrt(a)); OUT(cbrt(a)); OUT(rootn(a, 3)); OUT(rootn(a, 4)); OUT(rootn(a, -3));)
KERNEL1(hyper, OUT(sinh(a)); OUT(cosh(a)); OUT(tanh(a));)
KERNEL1(archyper, OUT(asinh(a)); OUT(acosh(a)); OUT(atanh(a));)
KERNEL1(gammas, OUT(tgamma(fabs(a))); OUT(lgamma(fabs(a)));)
KERNEL1(errors, OUT(erf(a)); OUT(erfc(a));)
KERNEL2(powers, OUT(pow(a, b)); OUT(powr(fabs(a), b)); OUT(pown(a, (int)(i % 17) - 8)); OUT(hypot(a, b));)
KERNEL2(atan2s, OUT(atan2(a, b)); OUT(atan2pi(a, b));)
KERNEL2(divides, OUT(a / b); OUT(1 / a); OUT(mad(a, (T)1, b)); OUT(degrees(a)); OUT(radians(a)); OUT(mix(a, b, (T)0.25)); OUT(smoothstep((T)0, (T)2, a));)
// Geometry: vectors of four.
kernel void SYM(geometry)(global const R *pa, global const R *pb, global R *out, uint n)
{
    uint i = GID, row = 0;
#if defined(IS_HALF) && !defined(GPU)
    double4 a = convert_double4(vload_half4(i, pa)), b = convert_double4(vload_half4(i, pb));
#elif defined(GPU) && defined(IS_HALF)
    half4 a = vload4(i, pa), b = vload4(i, pb);
#elif defined(GPU) && !defined(IS_DOUBLE)
    float4 a = vload4(i, pa), b = vload4(i, pb);
#else
    double4 a = convert_double4(vload4(i, pa)), b = convert_double4(vload4(i, pb));
#endif
    OUT(dot(a, b));
    OUT(length(a));
    OUT(distance(a, b));
    OUT(normalize(a).y);
    OUT(cross(a, b).z);
}
#if !defined(IS_HALF) && !defined(IS_DOUBLE)
// The native_ and half_ forms promise little: wide tolerances, small arguments.
KERNEL1(natives, OUT(native_sin(a)); OUT(native_cos(a)); OUT(native_exp(a)); OUT(native_exp2(a)); OUT(native_exp10(a));
        OUT(native_log(fabs(a))); OUT(native_log2(fabs(a))); OUT(native_sqrt(fabs(a))); OUT(native_rsqrt(fabs(a)));
        OUT(native_recip(a)); OUT(native_divide((T)3, a));)
KERNEL1(halfs, OUT(half_sin(a)); OUT(half_cos(a)); OUT(half_exp(a)); OUT(half_log2(fabs(a))); OUT(half_sqrt(fabs(a)));
        OUT(half_rsqrt(fabs(a))); OUT(half_recip(a)); OUT(half_powr(fabs(a), (T)1.5)); OUT(half_tan(a));)
#endif
