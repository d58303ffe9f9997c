/* Integer, bit and compare operations against formulas written for this test (scalar C, 64-bit integers and
 * __int128; no code shared with the engine), on random and edge operands, plain and with clamp. */
#include "test/unit/ops_rig.h"

typedef uint64_t ref_fn(uint64_t a, uint64_t b, uint64_t c);
static int64_t s32(uint64_t v)
{
    return (int32_t)v;
}
static int64_t s16(uint64_t v)
{
    return (int16_t)v;
}
static int64_t s24(uint64_t v)
{
    int64_t x = (int64_t)(v & 0xffffff);
    return x >= 0x800000 ? x - 0x1000000 : x;
}
#define REF(name, e)                                                                                         \
    static uint64_t ref_##name(uint64_t a, uint64_t b, uint64_t c)                                           \
    {                                                                                                        \
        (void)a, (void)b, (void)c;                                                                           \
        return (uint64_t)(e);                                                                                \
    }
#define LIST(R)                                                                                              \
    R(v_mov_b32, a)                                                                                          \
    R(v_mov_b64, a)                                                                                          \
    R(v_not_b32, a ^ 0xffffffff)                                                                             \
    R(v_bfrev_b32, reverse(a))                                                                               \
    R(v_clz_i32_u32, high(a))                                                                                \
    R(v_ctz_i32_b32, low(a))                                                                                 \
    R(v_cls_i32, s32(a) < 0 ? high(~a & 0xffffffff) : high(a))                                               \
    R(v_add3_u32, a + b + c)                                                                                 \
    R(v_lshl_add_u32, a *(1ull << b % 32) + c)                                                               \
    R(v_add_lshl_u32, (a + b) * (1ull << c % 32))                                                            \
    R(v_xad_u32, ((a | b) & ~(a & b)) + c)                                                                   \
    R(v_lshl_add_u64, a *(1ull << b % 8) + c)                                                                \
    R(v_mul_hi_u32, a *b / 4294967296u)                                                                      \
    R(v_mul_hi_i32, (s32(a) * s32(b)) >> 32)                                                                 \
    R(v_mul_lo_u16, (a & 0xffff) * (b & 0xffff))                                                             \
    R(v_mul_hi_u32_u24, (a % 16777216) * (b % 16777216) / 4294967296u)                                       \
    R(v_mul_hi_i32_i24, (s24(a) * s24(b)) >> 32)                                                             \
    R(v_min_u32, a <= b ? a : b)                                                                             \
    R(v_max_u32, a >= b ? a : b)                                                                             \
    R(v_min_i32, s32(a) <= s32(b) ? a : b)                                                                   \
    R(v_max_i32, s32(a) >= s32(b) ? a : b)                                                                   \
    R(v_min_i16, s16(a) <= s16(b) ? a : b)                                                                   \
    R(v_max_u16, (a & 0xffff) >= (b & 0xffff) ? a : b)                                                       \
    R(v_med3_i32, middle(s32(a), s32(b), s32(c)))                                                            \
    R(v_med3_u32, middle((int64_t)a, (int64_t)b, (int64_t)c))                                                \
    R(v_med3_i16, middle(s16(a), s16(b), s16(c)))                                                            \
    R(v_minmax_i32, least(-least(s32(a), s32(b)), -s32(c)) * -1)                                             \
    R(v_maxmin_u32, least(-least(-(int64_t)a, -(int64_t)b), (int64_t)c))                                     \
    R(v_and_or_b32, (a & b) | c)                                                                             \
    R(v_xnor_b32, ~(a ^ b))                                                                                  \
    R(v_xor3_b32, a ^ b ^ c)                                                                                 \
    R(v_lshl_or_b32, (a << b % 32) | c)                                                                      \
    R(v_lshlrev_b32, b << a % 32)                                                                            \
    R(v_lshrrev_b32, b >> a % 32)                                                                            \
    R(v_ashrrev_i32, s32(b) >> a % 32)                                                                       \
    R(v_lshlrev_b16, b << a % 16)                                                                            \
    R(v_lshrrev_b16, (b & 0xffff) >> a % 16)                                                                 \
    R(v_ashrrev_i16, s16(b) >> a % 16)                                                                       \
    R(v_lshlrev_b64, b << a % 64)                                                                            \
    R(v_lshrrev_b64, b >> a % 64)                                                                            \
    R(v_ashrrev_i64, (int64_t)b >> a % 64)                                                                   \
    R(v_bfe_u32, (a >> b % 32) % (1ull << c % 32))                                                           \
    R(v_bfe_i32, c % 32 ? (int64_t)((uint64_t)(s32(a) >> b % 32) << (64 - c % 32)) >> (64 - c % 32) : 0)     \
    R(v_bfi_b32, (b & a) + (c & ~a & 0xffffffff))                                                            \
    R(v_bfm_b32, ((1ull << a % 32) - 1) << b % 32)                                                           \
    R(v_bcnt_u32_b32, ones(a) + b)                                                                           \
    R(v_alignbit_b32, ((a << 32) + b) >> c % 32)                                                             \
    R(v_alignbyte_b32, ((a << 32) + b) >> c % 4 * 8)                                                         \
    R(v_perm_b32, permute(a, b, c))                                                                          \
    R(v_lerp_u8, lerp(a, b, c))                                                                              \
    R(v_pack_b32_f16, (a & 0xffff) | b << 16)                                                                \
    R(v_cvt_pk_u16_u32, least((int64_t)a, 65535) | (uint64_t)least((int64_t)b, 65535) << 16)                 \
    R(v_cvt_pk_i16_i32, (clampi(s32(a), -32768, 32767) & 0xffff) | (uint64_t)clampi(s32(b), -32768, 32767)   \
                                                                       << 16)                                \
    R(v_cvt_i32_i16, s16(a))                                                                                 \
    R(v_cvt_u32_u16, a & 0xffff)
/* with clamp: the exact value, then cut to the result's type */
#define EXACT_LIST(R)                                                                                        \
    R(v_add_nc_u32, (int64_t)(a + b))                                                                        \
    R(v_sub_nc_u32, (int64_t)a - (int64_t)b)                                                                 \
    R(v_subrev_nc_u32, (int64_t)b - (int64_t)a)                                                              \
    R(v_add_nc_i32, s32(a) + s32(b))                                                                         \
    R(v_sub_nc_i32, s32(a) - s32(b))                                                                         \
    R(v_add_nc_u16, (int64_t)((a & 0xffff) + (b & 0xffff)))                                                  \
    R(v_sub_nc_u16, (int64_t)(a & 0xffff) - (int64_t)(b & 0xffff))                                           \
    R(v_add_nc_i16, s16(a) + s16(b))                                                                         \
    R(v_sub_nc_i16, s16(a) - s16(b))                                                                         \
    R(v_mul_u32_u24, (int64_t)((a % 16777216) * (b % 16777216)))                                             \
    R(v_mul_i32_i24, s24(a) * s24(b))                                                                        \
    R(v_mad_u32_u24, (int64_t)((a % 16777216) * (b % 16777216) + c))                                         \
    R(v_mad_i32_i24, s24(a) * s24(b) + s32(c))                                                               \
    R(v_mad_u32_u16, (int64_t)((a & 0xffff) * (b & 0xffff) + c))                                             \
    R(v_mad_i32_i16, s16(a) * s16(b) + s32(c))                                                               \
    R(v_mad_u16, (int64_t)((a & 0xffff) * (b & 0xffff) + (c & 0xffff)))                                      \
    R(v_mad_i16, s16(a) * s16(b) + s16(c))                                                                   \
    R(v_sad_u8, (int64_t)(sad(a, b, 8, 0) + c))                                                              \
    R(v_sad_hi_u8, (int64_t)(sad(a, b, 8, 0) * 65536 + c))                                                   \
    R(v_sad_u16, (int64_t)(sad(a, b, 16, 0) + c))                                                            \
    R(v_sad_u32, (int64_t)(sad(a, b, 32, 0) + c))                                                            \
    R(v_msad_u8, (int64_t)(sad(a, b, 8, 1) + c))                                                             \
    R(v_dot4_u32_u8, (int64_t)(dot(a, b, 8, 0) + (int64_t)c))                                                \
    R(v_dot8_u32_u4, (int64_t)(dot(a, b, 4, 0) + (int64_t)c))                                                \
    R(v_dot4_i32_i8, dot(a, b, 8, 1) + s32(c))                                                               \
    R(v_dot8_i32_i4, dot(a, b, 4, 1) + s32(c))                                                               \
    R(v_dot2_i32_i16, dot(a, b, 16, 1) + s32(c))                                                             \
    R(v_dot2_u32_u16, dot(a, b, 16, 0) + (int64_t)c)

static uint64_t reverse(uint64_t a)
{
    uint64_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (a >> i & 1) << (31 - i);
    return r;
}
static uint64_t high(uint64_t a)
{
    for (uint64_t n = 0; n < 32; n++)
        if (a >> (31 - n) & 1)
            return n;
    return 0xffffffff;
}
static uint64_t low(uint64_t a)
{
    return high(reverse(a));
}
static uint64_t ones(uint64_t a)
{
    uint64_t n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}
static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static int64_t clampi(int64_t v, int64_t lo, int64_t hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}
static int64_t middle(int64_t a, int64_t b, int64_t c)
{
    if ((a <= b && b <= c) || (c <= b && b <= a))
        return b;
    return (b <= a && a <= c) || (c <= a && a <= b) ? a : c;
}
static uint64_t permute(uint64_t a, uint64_t b, uint64_t c)
{
    uint8_t v[8], r[4];
    uint32_t lo = (uint32_t)b, hi = (uint32_t)a, out;
    memcpy(v, &lo, 4);
    memcpy(v + 4, &hi, 4);
    for (int k = 0; k < 4; k++) {
        unsigned s = (unsigned)(c >> 8 * k) & 255;
        r[k] = s <= 7 ? v[s] : s <= 11 ? (v[2 * (s - 8) + 1] & 0x80 ? 0xff : 0) : s == 12 ? 0 : 0xff;
    }
    memcpy(&out, r, 4);
    return out;
}
static uint64_t lerp(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t r = 0;
    for (int k = 0; k < 4; k++)
        r |= ((a >> 8 * k) % 256 + (b >> 8 * k) % 256 + (c >> 8 * k) % 2) / 2 << 8 * k;
    return r;
}
static uint64_t sad(uint64_t a, uint64_t b, int n, int masked)
{
    uint64_t s = 0, m = (1ull << n) - 1;
    for (int k = 0; k < 32; k += n) {
        int64_t x = (int64_t)(a >> k & m), y = (int64_t)(b >> k & m);
        s += masked && !y ? 0 : (uint64_t)(x < y ? y - x : x - y);
    }
    return s;
}
static int64_t dot(uint64_t a, uint64_t b, int n, int sign)
{
    int64_t s = 0;
    for (int k = 0; k < 32; k += n) {
        int64_t x = (int64_t)(a >> k & ((1ull << n) - 1)), y = (int64_t)(b >> k & ((1ull << n) - 1));
        int64_t top = 1ll << (n - 1);
        s += sign ? ((x ^ top) - top) * ((y ^ top) - top) : x * y;
    }
    return s;
}
LIST(REF)
EXACT_LIST(REF)

static const struct {
    const char *name;
    ref_fn *ref;
    int exact;
} refs[] = {
#define R(name, e) {#name, ref_##name, 0},
#define X(name, e) {#name, ref_##name, 1},
    LIST(R) EXACT_LIST(X)};

static uint64_t operand(struct rig *r, unsigned k, unsigned lane)
{
    unsigned t = lane_ops[r->in.op].s[k];
    uint64_t v = t ? rig_get(r, 8 * k, rig_dwords(t), lane) : 0;
    return t == LT_U16 || t == LT_I16 || t == LT_F16 ? v & 0xffff : v;
}
static uint64_t expect(struct rig *r, unsigned n, unsigned lane)
{
    uint64_t v = refs[n].ref(operand(r, 0, lane), operand(r, 1, lane), operand(r, 2, lane));
    unsigned t = lane_ops[r->in.op].d;
    int64_t lo = t == LT_I32 ? INT32_MIN : t == LT_I16 ? INT16_MIN : 0;
    int64_t hi = t == LT_I32 ? INT32_MAX : t == LT_I16 ? INT16_MAX : t == LT_U16 ? 65535 : 0xffffffffll;
    if (r->in.flags & LF_CLAMP)
        v = (uint64_t)clampi((int64_t)v, lo, hi);
    return t == LT_U16 || t == LT_I16 ? v & 0xffff : rig_dwords(t) == 2 ? v : v & 0xffffffff;
}

static void check_all(int clamp)
{
    static struct rig r;
    for (unsigned n = 0; n < sizeof refs / sizeof *refs; n++) {
        int op = lane_op_find(refs[n].name);
        CHECK(op >= 0);
        if (op < 0 || (clamp && !refs[n].exact))
            continue;
        rig_seed = n;
        for (int v = 0; v < rig_variants(); v++)
            for (int round = 0, bad = 0; round < 40 && !bad; round++) {
                rig_init(&r, (unsigned)op, round & 1 ? 64 : 32);
                rig_fill(&r);
                r.w.s[SREG_EXEC] = ~0u, r.w.s[SREG_EXEC + 1] = ~0u;
                if (clamp)
                    r.in.flags = LF_CLAMP;
                struct rig in = r;
                in.w.v = in.v;
                CHECK_EQ(rig_fn(v, (unsigned)op, r.w.width)(&r.w, &r.in), 0);
                for (unsigned l = 0; l < r.w.width && !bad; l++) {
                    uint64_t got = rig_get(&r, RIG_DST, rig_dwords(lane_ops[op].d), l),
                             want = expect(&in, n, l);
                    if (got == want)
                        continue;
                    printf("  %s%s(0x%llx, 0x%llx, 0x%llx) is 0x%llx, expected 0x%llx\n", refs[n].name,
                           clamp ? " clamp" : "", (unsigned long long)operand(&in, 0, l),
                           (unsigned long long)operand(&in, 1, l), (unsigned long long)operand(&in, 2, l),
                           (unsigned long long)got, (unsigned long long)want);
                    test_bad++, bad = 1;
                }
            }
    }
}
TEST(integer_operations)
{
    check_all(0);
}
TEST(integer_clamp)
{
    check_all(1);
}

/* Carry chains against 64-bit sums; masks in and out. */
TEST(carry)
{
    static const struct {
        const char *name;
        int sub, rev, ci;
    } t[] = {{"v_add_co_u32", 0, 0, 0},    {"v_sub_co_u32", 1, 0, 0},    {"v_subrev_co_u32", 1, 1, 0},
             {"v_add_co_ci_u32", 0, 0, 1}, {"v_sub_co_ci_u32", 1, 0, 1}, {"v_subrev_co_ci_u32", 1, 1, 1}};
    static struct rig r;
    for (unsigned n = 0; n < sizeof t / sizeof *t; n++)
        for (int round = 0; round < 40; round++) {
            unsigned op = (unsigned)lane_op_find(t[n].name), width = round & 1 ? 64 : 32, v = round / 2 % 2;
            rig_init(&r, op, width);
            rig_fill(&r);
            uint64_t exec = round & 4 ? rig_random() : ~0ull, cin = r.w.s[24] | (uint64_t)r.w.s[25] << 32,
                     out = 0;
            wave_set_mask(&r.w, SREG_EXEC, exec);
            r.in.flags = round & 8 ? LF_CLAMP : LF_SIMPLE;
            uint32_t after = r.w.s[13];
            struct rig in = r;
            in.w.v = in.v;
            CHECK_EQ(rig_fn(v < (unsigned)rig_variants() ? (int)v : 0, op, width)(&r.w, &r.in), 0);
            for (unsigned l = 0; l < width; l++) {
                int64_t a = (int64_t)rig_get(&in, t[n].rev ? 8 : 0, 1, l),
                        b = (int64_t)rig_get(&in, t[n].rev ? 0 : 8, 1, l);
                int64_t c = t[n].ci ? (int64_t)(cin >> l & 1) : 0, sum = t[n].sub ? a - b - c : a + b + c;
                int over = sum < 0 || sum > 0xffffffffll, on = exec >> l & 1;
                out |= (uint64_t)(over && on) << l;
                uint32_t want = over && (round & 8) ? (sum < 0 ? 0 : ~0u) : (uint32_t)sum;
                CHECK_EQ(rig_get(&r, RIG_DST, 1, l), on ? want : rig_get(&in, RIG_DST, 1, l));
            }
            CHECK_EQ(r.w.s[12], (uint32_t)out);
            CHECK_EQ(r.w.s[13], width == 64 ? (uint32_t)(out >> 32) : after);
        }
}
TEST(multiply_add_64)
{
    static struct rig r;
    for (int round = 0; round < 40; round++) {
        int sign = round & 1;
        unsigned op = (unsigned)lane_op_find(sign ? "v_mad_i64_i32" : "v_mad_u64_u32");
        rig_init(&r, op, 64);
        rig_fill(&r);
        wave_set_mask(&r.w, SREG_EXEC, ~0ull);
        struct rig in = r;
        in.w.v = in.v;
        CHECK_EQ(rig_fn(round / 2 % rig_variants(), op, 64)(&r.w, &r.in), 0);
        for (unsigned l = 0; l < 64; l++) {
            uint64_t a = rig_get(&in, 0, 1, l), b = rig_get(&in, 8, 1, l), c = rig_get(&in, 16, 2, l);
            __int128 x = sign ? (__int128)s32(a) * s32(b) + (int64_t)c : (__int128)a * b + (__int128)c;
            CHECK_EQ(rig_get(&r, RIG_DST, 2, l), (uint64_t)x);
            CHECK_EQ(wave_s64(&r.w, 12) >> l & 1, (uint64_t)(x >> 64) & 1);
        }
    }
}

/* Every integer compare from its name; v_cmpx writes EXEC only. */
static void compares(const char *type, int bits, int sign)
{
    static const char *const preds[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
    static struct rig r;
    char name[40];
    for (unsigned p = 0; p < 16; p++) {
        snprintf(name, sizeof name, "v_cmp%s_%s_%s", p >= 8 ? "x" : "", preds[p % 8], type);
        int op = lane_op_find(name);
        CHECK(op >= 0);
        for (int round = 0; round < 8 && op >= 0; round++) {
            unsigned width = round & 1 ? 64 : 32;
            rig_init(&r, (unsigned)op, width);
            rig_fill(&r);
            uint64_t exec = rig_random(), want = 0;
            wave_set_mask(&r.w, SREG_EXEC, exec);
            exec = wave_exec(&r.w);
            if (p >= 8)
                r.in.d.kind = LK_NONE;
            for (unsigned l = 0; l < width; l++) {
                uint64_t a = rig_get(&r, 0, bits == 64 ? 2 : 1, l), b = rig_get(&r, 8, bits == 64 ? 2 : 1, l);
                if (l % 3 == 0)
                    rig_set(&r, 8, bits == 64 ? 2 : 1, l, b = a);
                a <<= 64 - bits, b <<= 64 - bits;
                int c = sign ? ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b) : (a > b) - (a < b);
                int t[] = {0, c<0, c == 0, c <= 0, c> 0, c != 0, c >= 0, 1};
                want |= (uint64_t)t[p % 8] << l & exec;
            }
            struct rig before = r;
            CHECK_EQ(rig_fn(round / 2 % rig_variants(), (unsigned)op, width)(&r.w, &r.in), 0);
            CHECK_EQ(wave_mask(&r.w, p >= 8 ? SREG_EXEC : 10), want);
            CHECK_EQ(wave_mask(&r.w, p >= 8 ? 10 : SREG_EXEC), wave_mask(&before.w, p >= 8 ? 10 : SREG_EXEC));
        }
    }
}
TEST(integer_compares)
{
    compares("i16", 16, 1);
    compares("u16", 16, 0);
    compares("i32", 32, 1);
    compares("u32", 32, 0);
    compares("i64", 64, 1);
    compares("u64", 64, 0);
}

int main(void)
{
    RUN(integer_operations);
    RUN(integer_clamp);
    RUN(carry);
    RUN(multiply_add_64);
    RUN(integer_compares);
    return test_done();
}
