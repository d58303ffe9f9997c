/* Floating point operations against libm, exact integer arithmetic and rules written for this test (IEEE 754;
 * AMD's ISA documents for NaN, zero and saturation), on random and edge operands. NaN results are compared as
 * NaN. */
#include "test/unit/ops_rig.h"
#include <math.h>

static float f32(uint64_t v)
{
    uint32_t u = (uint32_t)v;
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static double f64(uint64_t v)
{
    double f;
    memcpy(&f, &v, 8);
    return f;
}
static uint64_t u32(double v)
{
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
static uint64_t u64(double v)
{
    uint64_t u;
    memcpy(&u, &v, 8);
    return u;
}
/* A half is an integer times 2^-24. */
static double f16(uint64_t h)
{
    int e = (int)(h >> 10 & 31), f = (int)(h & 1023);
    double m = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(1024 + f, e - 25) : ldexp(f, -24);
    return h & 0x8000 ? -m : m;
}
/* n / 2^48 to the nearest half, ties to even; zero takes the sign `neg`. */
static uint64_t round16(__int128 n, int neg)
{
    uint64_t s = n < 0 || (n == 0 && neg) ? 0x8000 : 0;
    unsigned __int128 m = n < 0 ? (unsigned __int128)-n : (unsigned __int128)n;
    int top = 0;
    while (top < 127 && m >> (top + 1))
        top++;
    int drop = top - 10 < 24 ? 24 : top - 10; /* the last bit's place: 2^-24 at least */
    unsigned __int128 q = m >> drop, rest = m & (((unsigned __int128)1 << drop) - 1),
                      half = (unsigned __int128)1 << (drop - 1);
    q += rest > half || (rest == half && (q & 1));
    uint64_t r = (uint64_t)q + ((uint64_t)(drop - 24) << 10);
    return s | (r > 0x7c00 ? 0x7c00 : r);
}
static __int128 fixed(double v) /* times 2^48; v a half or a product of two */
{
    return (__int128)ldexp(v, 48);
}
static uint64_t fma16(uint64_t a, uint64_t b, uint64_t c)
{
    double x = f16(a), y = f16(b), z = f16(c), sum = x * y + z;
    if (!isfinite(sum))
        return isnan(sum) ? 0x7e00 : sum < 0 ? 0xfc00 : 0x7c00;
    return round16(fixed(x * y) + fixed(z), signbit(x * y) && signbit(z));
}
static uint64_t to16(double v) /* v exact in double */
{
    if (!isfinite(v) || fabs(v) > 1e6)
        return isnan(v) ? 0x7e00 : v < 0 ? 0xfc00 : 0x7c00;
    double scaled = ldexp(v, 48), whole = trunc(scaled);
    __int128 n = (__int128)whole * 4 + (scaled != whole ? (v < 0 ? -1 : 1) : 0);
    __int128 q = n / 4, rest = n % 4; /* a sticky part below 2^-48 never makes a tie: keep it as one unit */
    return round16(q + (rest && q % 2 == 0 ? (v < 0 ? -1 : 1) : 0), signbit(v));
}
static double cut(double v, double lo, double hi)
{
    return isnan(v) ? 0 : v < lo ? lo : v > hi ? hi : trunc(v);
}
static double even(double v)
{
    return isnan(v) ? 0 : nearbyint(v);
}
static double unit(double v, double lo)
{
    return isnan(v) ? 0 : v < lo ? lo : v > 1 ? 1 : v;
}
static double fraction(double x, double most)
{
    double r = x - floor(x);
    return r > most ? most : r;
}
static double mant(double v)
{
    int e;
    return isfinite(v) ? frexp(v, &e) : v;
}
static int expo(double v)
{
    int e = 0;
    if (isfinite(v) && v != 0)
        frexp(v, &e);
    return e;
}
static uint64_t rtz16(double v)
{
    for (uint64_t h = to16(fabs(v)), s = signbit(v) ? 0x8000 : 0;; h--)
        if (isnan(v) || isinf(v) || (f16(h) <= fabs(v) && h < 0x7c00))
            return isnan(v) ? 0x7e00 : h | s;
}
#define REF(name, e)                                                                                         \
    static uint64_t ref_##name(uint64_t a, uint64_t b, uint64_t c)                                           \
    {                                                                                                        \
        (void)a, (void)b, (void)c;                                                                           \
        return (uint64_t)(e);                                                                                \
    }
#define A f32(a)
#define B f32(b)
#define C f32(c)
#define LIST(R)                                                                                              \
    R(v_add_f32, u32((double)A + B))                                                                         \
    R(v_subrev_f32, u32((double)B - A))                                                                      \
    R(v_mul_f32, u32((double)A *B))                                                                          \
    R(v_fma_f32, u32(fmaf(A, B, C)))                                                                         \
    R(v_mad_f32, u32((double)f32(u32((double)A *B)) + C))                                                    \
    R(v_mul_dx9_zero_f32, A == 0 || B == 0 ? 0 : u32((double)A * B))                                         \
    R(v_floor_f32, u32(floor(A)))                                                                            \
    R(v_ceil_f32, u32(ceil(A)))                                                                              \
    R(v_trunc_f32, u32(trunc(A)))                                                                            \
    R(v_rndne_f32, u32(nearbyint(A)))                                                                        \
    R(v_fract_f32, u32(fraction(A, 0x1.fffffep-1)))                                                          \
    R(v_frexp_mant_f32, u32(mant(A)))                                                                        \
    R(v_frexp_exp_i32_f32, expo(A))                                                                          \
    R(v_ldexp_f32, u32(ldexpf(A, (int32_t)b)))                                                               \
    R(v_add_f64, u64(f64(a) + f64(b)))                                                                       \
    R(v_mul_f64, u64(f64(a) * f64(b)))                                                                       \
    R(v_fma_f64, u64(fma(f64(a), f64(b), f64(c))))                                                           \
    R(v_floor_f64, u64(floor(f64(a))))                                                                       \
    R(v_rndne_f64, u64(nearbyint(f64(a))))                                                                   \
    R(v_fract_f64, u64(fraction(f64(a), 0x1.fffffffffffffp-1)))                                              \
    R(v_frexp_mant_f64, u64(mant(f64(a))))                                                                   \
    R(v_frexp_exp_i32_f64, expo(f64(a)))                                                                     \
    R(v_ldexp_f64, u64(ldexp(f64(a), (int32_t)b)))                                                           \
    R(v_sqrt_f64, u64(sqrt(f64(a))))                                                                         \
    R(v_add_f16, fma16(a, 0x3c00, b))                                                                        \
    R(v_sub_f16, fma16(b, 0xbc00, a))                                                                        \
    R(v_mul_f16, to16(f16(a) * f16(b)))                                                                      \
    R(v_fma_f16, fma16(a, b, c))                                                                             \
    R(v_fmac_f16, fma16(a, b, c))                                                                            \
    R(v_floor_f16, to16(floor(f16(a))))                                                                      \
    R(v_rndne_f16, to16(nearbyint(f16(a))))                                                                  \
    R(v_fract_f16, to16(fraction(f16(a), 0x1.ffcp-1)))                                                       \
    R(v_frexp_mant_f16, to16(mant(f16(a))))                                                                  \
    R(v_frexp_exp_i16_f16, expo(f16(a)))                                                                     \
    R(v_ldexp_f16, to16(ldexp(f16(a), (int16_t)b)))                                                          \
    R(v_cvt_f32_i32, u32((double)(int32_t)a))                                                                \
    R(v_cvt_f32_u32, u32((double)(uint32_t)a))                                                               \
    R(v_cvt_f64_i32, u64((double)(int32_t)a))                                                                \
    R(v_cvt_f64_u32, u64((double)(uint32_t)a))                                                               \
    R(v_cvt_f64_f32, u64((double)A))                                                                         \
    R(v_cvt_f32_f64, u32(f64(a)))                                                                            \
    R(v_cvt_f32_f16, u32(f16(a)))                                                                            \
    R(v_cvt_f16_f32, to16(A))                                                                                \
    R(v_cvt_f16_u16, to16((double)(uint16_t)a))                                                              \
    R(v_cvt_f16_i16, to16((double)(int16_t)a))                                                               \
    R(v_cvt_f32_ubyte0, u32((double)(a & 255)))                                                              \
    R(v_cvt_f32_ubyte3, u32((double)(a >> 24)))                                                              \
    R(v_cvt_off_f32_i4, u32((double)((int)(a & 15) - (a & 8 ? 16 : 0)) / 16))                                \
    R(v_cvt_i32_f32, (int64_t)cut(A, -2147483648.0, 2147483647.0))                                           \
    R(v_cvt_u32_f32, cut(A, 0, 4294967295.0))                                                                \
    R(v_cvt_i32_f64, (int64_t)cut(f64(a), -2147483648.0, 2147483647.0))                                      \
    R(v_cvt_u32_f64, cut(f64(a), 0, 4294967295.0))                                                           \
    R(v_cvt_floor_i32_f32, (int64_t)cut(floor(A), -2147483648.0, 2147483647.0))                              \
    R(v_cvt_i16_f16, (int64_t)cut(f16(a), -32768, 32767))                                                    \
    R(v_cvt_u16_f16, cut(f16(a), 0, 65535))                                                                  \
    R(v_cvt_pk_norm_i16_f32,                                                                                 \
      ((int64_t)even(unit(A, -1) * 32767) & 0xffff) | (uint64_t)(int64_t)even(unit(B, -1) * 32767) << 16)    \
    R(v_cvt_pk_norm_u16_f32, (int64_t)even(unit(A, 0) * 65535) | (uint64_t)even(unit(B, 0) * 65535) << 16)   \
    R(v_cvt_pk_i16_f32, ((int64_t)cut(A, -32768, 32767) & 0xffff) | (uint64_t)(int64_t)cut(B, -32768, 32767) \
                                                                        << 16)                               \
    R(v_cvt_pk_rtz_f16_f32, rtz16(A) | rtz16(B) << 16)                                                       \
    R(v_cvt_pk_u8_f32, (c & ~(255ull << b % 4 * 8)) | (uint64_t)cut(A, 0, 255) << b % 4 * 8)                 \
    R(v_pk_fma_f16, fma16(a & 0xffff, b & 0xffff, c & 0xffff) | fma16(a >> 16, b >> 16, c >> 16) << 16)      \
    R(v_pk_add_f16, fma16(a & 0xffff, 0x3c00, b & 0xffff) | fma16(a >> 16, 0x3c00, b >> 16) << 16)           \
    R(v_dot2_f32_f16, u32(f32(u32(f16(a & 0xffff) * f16(b & 0xffff) + C)) + f16(a >> 16) * f16(b >> 16)))
LIST(REF)
static const struct {
    const char *name;
    uint64_t (*ref)(uint64_t a, uint64_t b, uint64_t c);
} refs[] = {
#define R(name, e) {#name, ref_##name},
    LIST(R)};

static int equal(unsigned type, uint64_t x, uint64_t y)
{
    switch (type) {
    case LT_F32:
        return (isnan(f32(x)) && isnan(f32(y)) && (x & 0x400000)) || x == y;
    case LT_F64:
        return (isnan(f64(x)) && isnan(f64(y)) && (x >> 51 & 1)) || x == y;
    case LT_PKF16:
        return equal(LT_F16, x & 0xffff, y & 0xffff) && equal(LT_F16, x >> 16, y >> 16);
    case LT_F16:
        return (isnan(f16(x)) && isnan(f16(y)) && (x & 0x200)) || x == y;
    default:
        return x == y;
    }
}
static uint64_t operand(struct rig *r, unsigned k, unsigned lane)
{
    unsigned t = lane_ops[r->in.op].s[k];
    uint64_t v = t ? rig_get(r, 8 * k, rig_dwords(t), lane) : 0;
    return t == LT_U16 || t == LT_I16 || t == LT_F16 ? v & 0xffff : v;
}
TEST(float_operations)
{
    static struct rig r;
    for (unsigned n = 0; n < sizeof refs / sizeof *refs; n++) {
        int op = lane_op_find(refs[n].name);
        CHECK(op >= 0);
        if (op < 0)
            continue;
        unsigned t = lane_ops[op].d, dw = rig_dwords(t);
        uint64_t mask = dw == 2 ? ~0ull : t == LT_F16 || t == LT_I16 || t == LT_U16 ? 0xffff : 0xffffffff;
        rig_seed = n;
        for (int v = 0; v < rig_variants(); v++)
            for (int round = 0, bad = 0; round < 60 && !bad; round++) {
                rig_init(&r, (unsigned)op, round & 1 ? 64 : 32);
                rig_fill(&r);
                wave_set_mask(&r.w, SREG_EXEC, ~0ull);
                struct rig in = r;
                in.w.v = in.v;
                CHECK_EQ(rig_fn(v, (unsigned)op, r.w.width)(&r.w, &r.in), 0);
                for (unsigned l = 0; l < r.w.width && !bad; l++) {
                    uint64_t a = operand(&in, 0, l), b = operand(&in, 1, l), c = operand(&in, 2, l);
                    uint64_t got = rig_get(&r, RIG_DST, dw, l), want = refs[n].ref(a, b, c) & mask;
                    if (equal(t, got, want))
                        continue;
                    printf("  %s(0x%llx, 0x%llx, 0x%llx) is 0x%llx, expected 0x%llx\n", refs[n].name,
                           (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
                           (unsigned long long)got, (unsigned long long)want);
                    test_bad++, bad = 1;
                }
            }
    }
}

/* One lane of one operation, results and mask. */
struct one {
    uint64_t r, mask;
};
static struct one run1(int variant, const char *name, uint32_t mode, uint64_t a, uint64_t b, uint64_t c,
                       uint64_t mask)
{
    static struct rig r;
    unsigned op = (unsigned)lane_op_find(name);
    uint64_t s[3] = {a, b, c};
    rig_init(&r, op, 32);
    r.w.mode = mode;
    for (unsigned k = 0; k < 3; k++)
        if (lane_ops[op].s[k] && lane_ops[op].s[k] != LT_MASK)
            rig_set(&r, 8 * k, rig_dwords(lane_ops[op].s[k]), 5, s[k]);
    for (unsigned k = 20; k < 30; k += 2)
        r.w.s[k] = mask ? 1 << 5 : 0;
    CHECK_EQ(rig_fn(variant, op, 32)(&r.w, &r.in), 0);
    return (struct one){rig_get(&r, RIG_DST, rig_dwords(lane_ops[op].d), 5),
                        (r.w.s[12] | r.w.s[10]) >> 5 & 1};
}
#define RUN1(name, a, b, c) run1(v, name, 0x3f0, a, b, c, 0).r

/* clang's expansion of a correctly rounded quotient. */
static uint64_t divide32(int v, uint64_t n, uint64_t d)
{
    struct one ds = run1(v, "v_div_scale_f32", 0x3f0, d, d, n, 0),
               ns = run1(v, "v_div_scale_f32", 0x3f0, n, d, n, 0);
    uint64_t one = u32(1), rcp = RUN1("v_rcp_f32", ds.r, 0, 0), neg = ds.r ^ 0x80000000;
    uint64_t e = RUN1("v_fma_f32", neg, rcp, one), r = RUN1("v_fma_f32", e, rcp, rcp),
             q = RUN1("v_mul_f32", ns.r, r, 0);
    e = RUN1("v_fma_f32", neg, q, ns.r), q = RUN1("v_fma_f32", e, r, q), e = RUN1("v_fma_f32", neg, q, ns.r);
    q = run1(v, "v_div_fmas_f32", 0x3f0, e, r, q, ns.mask).r;
    return RUN1("v_div_fixup_f32", q, d, n);
}
static uint64_t divide64(int v, uint64_t n, uint64_t d)
{
    struct one ds = run1(v, "v_div_scale_f64", 0x3f0, d, d, n, 0),
               ns = run1(v, "v_div_scale_f64", 0x3f0, n, d, n, 0);
    uint64_t one = u64(1), x = RUN1("v_rcp_f64", ds.r, 0, 0), neg = ds.r ^ 1ull << 63;
    for (int k = 0; k < 2; k++)
        x = RUN1("v_fma_f64", x, RUN1("v_fma_f64", neg, x, one), x);
    uint64_t q = RUN1("v_mul_f64", ns.r, x, 0), e = RUN1("v_fma_f64", neg, q, ns.r);
    return RUN1("v_div_fixup_f64", run1(v, "v_div_fmas_f64", 0x3f0, e, x, q, ns.mask).r, d, n);
}
TEST(division_is_correctly_rounded)
{
    for (int k = 0; k < 3000; k++) {
        int v = k % rig_variants();
        uint64_t n = rig_value(LT_F32), d = rig_value(LT_F32);
        if (k % 4 == 0) /* extreme quotients: tiny, huge, denormal */
            n = rig_random() & 0xffffffff, d = rig_random() & 0xffffffff;
        uint64_t got = divide32(v, n, d), want = u32((double)f32(n) / f32(d));
        if (fabsf(f32(n) / f32(d)) <
            0x1p-125f) /* a double quotient may round twice: ask the host's divider */
            want = u32(f32(n) / f32(d));
        if (!equal(LT_F32, got, want) && test_bad < 5) {
            printf("  %a / %a is %a, expected %a\n", f32(n), f32(d), f32(got), f32(want));
            test_bad++;
        }
        n = rig_value(LT_F64), d = rig_value(LT_F64);
        if (k % 4 == 0)
            n = rig_random(), d = rig_random();
        got = divide64(v, n, d), want = u64(f64(n) / f64(d));
        if (!equal(LT_F64, got, want) && test_bad < 10) {
            printf("  %a / %a is %a, expected %a\n", f64(n), f64(d), f64(got), f64(want));
            test_bad++;
        }
    }
}

/* Minimum and maximum: NaN, signalling NaN in and out of IEEE mode, signed zeros. */
TEST(minimum_and_maximum)
{
    const uint64_t nan = 0x7fc00001, snan = 0x7f800001, quiet = 0x7fc00001, p0 = 0, n0 = 0x80000000,
                   one = 0x3f800000;
    const uint64_t two = 0x40000000;
    static const char *const names[] = {"v_min_f32", "v_max_f32"};
    for (int v = 0; v < rig_variants(); v++)
        for (int k = 0; k < 2; k++) {
            CHECK_EQ(RUN1(names[k], p0, n0, 0), k ? p0 : n0);
            CHECK_EQ(RUN1(names[k], n0, p0, 0), k ? p0 : n0);
            CHECK_EQ(RUN1(names[k], one, two, 0), k ? two : one);
            CHECK_EQ(RUN1(names[k], 0xbf800000, two, 0), k ? two : 0xbf800000);
            CHECK_EQ(RUN1(names[k], nan, one, 0), one);
            CHECK_EQ(RUN1(names[k], one, nan, 0), one);
            CHECK_EQ(RUN1(names[k], snan, one, 0), quiet);
            CHECK_EQ(RUN1(names[k], one, snan, 0), quiet);
            CHECK_EQ(run1(v, names[k], 0x1f0, snan, one, 0, 0).r, one);
            CHECK_EQ(RUN1(names[k], nan, nan, 0), nan);
            CHECK_EQ(RUN1(k ? "v_maximum_f32" : "v_minimum_f32", nan, one, 0), nan);
            CHECK_EQ(RUN1(k ? "v_maximum_f32" : "v_minimum_f32", one, snan, 0), quiet);
            CHECK_EQ(RUN1(k ? "v_max_f16" : "v_min_f16", 0x8000, 0, 0), k ? 0 : 0x8000u);
            CHECK_EQ(RUN1(k ? "v_max_f16" : "v_min_f16", 0x7e00, 0x3c00, 0), 0x3c00);
            CHECK_EQ(RUN1(k ? "v_max_f16" : "v_min_f16", 0xc000, 0x3c00, 0), k ? 0x3c00u : 0xc000u);
            CHECK_EQ(RUN1(k ? "v_max_f64" : "v_min_f64", 1ull << 63, 0, 0), k ? 0 : 1ull << 63);
            CHECK_EQ(RUN1(k ? "v_max_f64" : "v_min_f64", u64(-3), u64(2), 0), k ? u64(2) : u64(-3));
            CHECK_EQ(RUN1("v_med3_f32", one, two, 0xbf800000), one);
            CHECK_EQ(RUN1("v_med3_f32", two, n0, p0), p0);
            CHECK_EQ(RUN1("v_med3_f32", two, nan, one), one); /* with a NaN: the least */
            CHECK_EQ(RUN1("v_max3_f32", one, nan, two), two);
            CHECK_EQ(RUN1("v_minmax_f32", one, two, 0x40400000), 0x40400000);
            CHECK_EQ(RUN1("v_maxmin_f32", one, two, 0xbf800000), 0xbf800000);
        }
}

static void near(const char *name, int v, double ulps, uint64_t a, double want)
{
    double got = f32(RUN1(name, a, 0, 0)),
           ulp = !(fabs(want) >= 0x1p-126 && isfinite(want)) ? 0x1p-149 : ldexp(1, ilogb(want) - 23);
    if ((isnan(got) && isnan(want)) || got == want || fabs(got - want) <= ulps * ulp || test_bad > 5)
        return;
    printf("  %s(%a) is %a, expected %a\n", name, f32(a), got, want);
    test_bad++;
}
TEST(transcendental_accuracy)
{
    for (int k = 0; k < 1500; k++) {
        int v = k % rig_variants();
        uint64_t a =
            k % 2 ? rig_value(LT_F32) : u32(ldexp((double)(int64_t)rig_random(), -58)); /* |a| < 32 */
        double x = f32(a), tiny = 0x1p-126;
        if (fabs(x) < tiny)
            x = copysign(0, x); /* denormals are zeros */
        near("v_rcp_f32", v, 1, a, fabs(1 / x) < tiny ? copysign(0, x) : 1 / x);
        near("v_sqrt_f32", v, 1, a, sqrt(x));
        near("v_rsq_f32", v, 1, a, 1 / sqrt(x));
        near("v_exp_f32", v, 1, a, exp2(x) < tiny ? 0 : exp2(x) > 0x1.fffffep127 ? INFINITY : exp2(x));
        near("v_log_f32", v, 1, a, log2(x));
        double turns = f32(a) - nearbyint(f32(a)), pi2 = 6.283185307179586477;
        near("v_sin_f32", v, 8, a, fabs(turns) == 0.5 ? 0 : sin(pi2 * turns));
        near("v_cos_f32", v, 8, a, fabs(turns) == 0.25 ? 0 : cos(pi2 * turns));
    }
}

TEST(float_compares)
{
    static const char *const preds[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                        "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "t"};
    static const char *const types[] = {"f16", "f32", "f64"};
    for (int k = 0; k < 3; k++)
        for (unsigned p = 0; p < 16; p++)
            for (int round = 0; round < 60; round++) {
                char name[40];
                unsigned t = k == 0 ? LT_F16 : k == 1 ? LT_F32 : LT_F64;
                uint64_t a = rig_value(t), b = round % 3 ? rig_value(t) : a;
                double x = k == 0   ? f16(a)
                           : k == 1 ? f32(a)
                                    : f64(a),
                       y = k == 0   ? f16(b)
                           : k == 1 ? f32(b)
                                    : f64(b);
                int lt = x<y, gt = x> y, eq = x == y, un = isnan(x) || isnan(y);
                int want[] = {
                    0,  lt,       eq,       lt || eq,       gt,       lt || gt,       gt || eq,       !un,
                    un, lt || un, eq || un, lt || eq || un, gt || un, lt || gt || un, gt || eq || un, 1};
                snprintf(name, sizeof name, "v_cmp_%s_%s", preds[p], types[k]);
                CHECK_EQ(run1(round % rig_variants(), name, 0x3f0, a, b, 0, 0).mask, want[p]);
            }
}
TEST(classes)
{
    static const struct {
        uint32_t v32, v16;
        int bit;
    } t[] = {{0x7f800001, 0x7c01, 0},
             {0xffc00000, 0xfe00, 1},
             {0xff800000, 0xfc00, 2},
             {0xbf800000, 0xbc00, 3},
             {0x80000001, 0x8001, 4},
             {0x80000000, 0x8000, 5},
             {0, 0, 6},
             {0x007fffff, 0x03ff, 7},
             {0x00800000, 0x0400, 8},
             {0x7f800000, 0x7c00, 9}};
    for (unsigned k = 0; k < 10; k++)
        for (unsigned bit = 0; bit < 10; bit++) {
            CHECK_EQ(run1(0, "v_cmp_class_f32", 0x3f0, t[k].v32, 1u << bit, 0, 0).mask, t[k].bit == (int)bit);
            CHECK_EQ(run1(0, "v_cmp_class_f16", 0x3f0, t[k].v16, 1u << bit, 0, 0).mask, t[k].bit == (int)bit);
            uint64_t v64 = k == 0   ? 0x7ff0000000000001
                           : k == 4 ? 0x8000000000000001
                           : k == 7 ? 1
                           : k == 8 ? 1ull << 52
                                    : u64(f32(t[k].v32));
            CHECK_EQ(run1(0, "v_cmp_class_f64", 0x3f0, v64, 1u << bit, 0, 0).mask, t[k].bit == (int)bit);
        }
}
/* 2/pi in pieces of 53 bits adds up to a multiple of 1/x's period: the product with x is near x * 2/pi. */
TEST(trig_preop)
{
    double hi = f64(run1(0, "v_trig_preop_f64", 0x3f0, u64(1.0), 0, 0, 0).r),
           mid = f64(run1(0, "v_trig_preop_f64", 0x3f0, u64(1.0), 1, 0, 0).r);
    CHECK_EQ(u64(hi), 0x3fe45f306dc9c882);
    CHECK_EQ(u64(hi + mid), u64(M_2_PI)); /* the first 53 bits are cut, not rounded */
    CHECK(mid > 0 && mid < 0x1p-53);
}

int main(void)
{
    RUN(float_operations);
    RUN(division_is_correctly_rounded);
    RUN(minimum_and_maximum);
    RUN(transcendental_accuracy);
    RUN(float_compares);
    RUN(classes);
    RUN(trig_preop);
    return test_done();
}
