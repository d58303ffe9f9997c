// More instructions a compiler seldom chooses: all comparisons, rarer scalar, memory and conversion instructions.
#include "corpus.clh"
#ifdef GPU
// Row 1: a bit a predicate, by v_cmp; row 2: the same by v_cmpx, which writes EXEC.
#define CMP(p, t)                                                                                            \
    __asm volatile("v_cmp_" p "_" t " vcc_lo, %1, %2\n v_cndmask_b32 %0, 0, 1, vcc_lo" : "=v"(k) : "v"(a), "v"(b) : "vcc"); \
    r = r << 1 | k;                                                                                          \
    __asm volatile("v_mov_b32 %0, 0\n v_cmpx_" p "_" t " %1, %2\n v_mov_b32 %0, 1\n s_mov_b32 exec_lo, -1" : "=&v"(k) : "v"(a), "v"(b)); \
    s = s << 1 | k;
#define FLOATS(t) CMP("f", t) CMP("lt", t) CMP("eq", t) CMP("le", t) CMP("gt", t) CMP("lg", t) CMP("ge", t) CMP("o", t) CMP("u", t) CMP("nge", t) CMP("nlg", t) CMP("ngt", t) CMP("nle", t) CMP("neq", t) CMP("nlt", t) CMP("t", t)
#define INTS(t) CMP("f", t) CMP("lt", t) CMP("eq", t) CMP("le", t) CMP("gt", t) CMP("ne", t) CMP("ge", t) CMP("t", t)
#define INTS16(t) CMP("lt", t) CMP("eq", t) CMP("le", t) CMP("gt", t) CMP("ne", t) CMP("ge", t)
#else
#define P(x) r = r << 1 | (x), s = r;
#define FLOATS(t) P(0) P(a < b) P(a == b) P(a <= b) P(a > b) P(a < b || a > b) P(a >= b) P(!isnan(a) && !isnan(b)) P(isnan(a) || isnan(b)) P(!(a >= b)) P(!(a < b || a > b)) P(!(a > b)) P(!(a <= b)) P(a != b) P(!(a < b)) P(1)
#define INTS(t) P(0) INTS16(t) P(1)
#define INTS16(t) P(a < b) P(a == b) P(a <= b) P(a > b) P(a != b) P(a >= b)
#endif
#define COMPARE(NAME, T, WHICH, t)                                                                           \
    kernel void compare_##NAME(global const T *pa, global const T *pb, global uint *out, uint n)             \
    {                                                                                                        \
        uint i = GID, row = 0, r = 0, s = 0, k;                                                              \
        T a = pa[i], b = pb[i];                                                                              \
        WHICH(t)                                                                                             \
        PUT(r);                                                                                              \
        PUT(s);                                                                                              \
    }
COMPARE(f32, float, FLOATS, "f32")
COMPARE(f64, double, FLOATS, "f64")
COMPARE(i32, int, INTS, "i32")
COMPARE(u32, uint, INTS, "u32")
COMPARE(i64, long, INTS, "i64")
COMPARE(u64, ulong, INTS, "u64")
COMPARE(i16, short, INTS16, "i16")
COMPARE(u16, ushort, INTS16, "u16")
kernel void compare_f16(global const half *pa, global const half *pb, global uint *out, uint n)
{
    uint i = GID, row = 0, r = 0, s = 0, k;
#ifdef GPU
    half a = pa[i], b = pb[i];
#else
    float a = vload_half(i, pa), b = vload_half(i, pb);
#endif
    FLOATS("f16")
    PUT(r);
    PUT(s);
}
// Atomics that return, every lane at its own cell: what comes back and what stays are both fixed.
#ifdef GPU
#define AT_GL(op, T) __asm volatile("global_atomic_" op " %0, %1, %2, off glc\n s_waitcnt vmcnt(0)" : "=&v"(was) : "v"(g), "v"(b) : "memory"); PUT(was);
#define AT_DS(op, T) __asm volatile("ds_" op " %0, %1, %2\n s_waitcnt lgkmcnt(0)" : "=&v"(was) : "v"(l), "v"(b) : "memory"); PUT(was);
#define STEP(gop, dop, T, e) { AT_GL(gop, T) AT_DS(dop, T) }
#else
#define STEP(gop, dop, T, e) { was = x; x = (e); PUT(was); PUT(was); }
#endif
#define RETURNS(T, U, SFX)                                                                                   \
    kernel void atomic_returns_##T(global const T *pa, global const T *pb, global T *cell, global T *out, uint n) \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T x = pa[i], b = pb[i], was;                                                                         \
        local T t[64];                                                                                       \
        t[LID] = x;                                                                                          \
        cell[i] = x;                                                                                         \
        FENCE(T)                                                                                             \
        STEP("add_u" SFX, "add_rtn_u" SFX, T, x + b)                                                         \
        STEP("sub_u" SFX, "sub_rtn_u" SFX, T, x - b)                                                         \
        STEP("add_u" SFX, "add_rtn_u" SFX, T, x + b)                                                         \
        STEP("min_i" SFX, "min_rtn_i" SFX, T, min(x, b))                                                     \
        STEP("xor_b" SFX, "xor_rtn_b" SFX, T, x ^ b)                                                         \
        STEP("max_i" SFX, "max_rtn_i" SFX, T, max(x, b))                                                     \
        STEP("add_u" SFX, "add_rtn_u" SFX, T, x + b)                                                         \
        STEP("min_u" SFX, "min_rtn_u" SFX, T, (U)x < (U)b ? x : b)                                           \
        STEP("xor_b" SFX, "xor_rtn_b" SFX, T, x ^ b)                                                         \
        STEP("max_u" SFX, "max_rtn_u" SFX, T, (U)x > (U)b ? x : b)                                           \
        STEP("sub_u" SFX, "sub_rtn_u" SFX, T, x - b)                                                         \
        STEP("or_b" SFX, "or_rtn_b" SFX, T, x | b)                                                           \
        STEP("inc_u" SFX, "inc_rtn_u" SFX, T, (U)x >= (U)b ? 0 : x + 1)                                      \
        STEP("dec_u" SFX, "dec_rtn_u" SFX, T, x == 0 || (U)x > (U)b ? b : x - 1)                             \
        STEP("and_b" SFX, "and_rtn_b" SFX, T, x & b)                                                         \
        STEP("swap_b" SFX, "storexchg_rtn_b" SFX, T, b)                                                      \
        PUT(LAST(cell[i]));                                                                                  \
        PUT(LAST(t[LID]));                                                                                   \
    }
#ifdef GPU
#define FENCE(T)                                                                                             \
    global T *g = cell + i;                                                                                  \
    uint l = (uint)(uintptr_t)(local char *)(t + LID);                                                       \
    __asm volatile("s_waitcnt_vscnt null, 0\n s_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory");
#define LAST(v) (v)
#else
#define FENCE(T)
#define LAST(v) x
#endif
RETURNS(int, uint, "32")
RETURNS(long, ulong, "64")

// Compare-and-store, float minimum and maximum in memory, two-address exchange, unsigned clamped subtraction.
kernel void atomic_rare(global const uint *pa, global const uint *pb, global uint *cell, global uint *out, uint n)
{
    uint i = GID, row = 0, a = pa[i], b = pb[i], was;
    local uint t[128];
    t[LID] = a;
    t[LID + 64] = b;
    cell[i] = a;
#ifdef GPU
    global uint *g = cell + i;
    uint l = (uint)(uintptr_t)(local char *)(t + LID);
    __asm volatile("s_waitcnt_vscnt null, 0\n s_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory");
    ulong pair = (ulong)a << 32 | (i & 1 ? b : a ^ 5); // low: the new value, high: the value expected
    __asm volatile("global_atomic_cmpswap_b32 %0, %1, %2, off glc\n s_waitcnt vmcnt(0)" : "=&v"(was) : "v"(g), "v"(pair) : "memory");
    PUT(was);
    pair = (ulong)b << 32 | 77; // not the value there, unless by chance
    __asm volatile("global_atomic_cmpswap_b32 %0, %1, %2, off glc\n s_waitcnt vmcnt(0)" : "=&v"(was) : "v"(g), "v"(pair) : "memory");
    PUT(was);
    __asm volatile("ds_cmpstore_rtn_b32 %0, %1, %2, %3\n s_waitcnt lgkmcnt(0)" : "=&v"(was) : "v"(l), "v"(i), "v"(a) : "memory");
    PUT(was);
    __asm volatile("ds_cmpstore_rtn_b32 %0, %1, %2, %3\n s_waitcnt lgkmcnt(0)" : "=&v"(was) : "v"(l), "v"(a), "v"(~i) : "memory");
    PUT(was);
    ulong two;
    __asm volatile("ds_storexchg_2addr_rtn_b32 %0, %1, %2, %3 offset0:0 offset1:64\n s_waitcnt lgkmcnt(0)" : "=&v"(two) : "v"(l), "v"(i * 3), "v"(i * 5) : "memory");
    PUT((uint)two ^ (uint)(two >> 32) * 3);
    PUT(t[LID] ^ t[LID + 64] * 7);
    PUT(*g);
#else
    uint now = i & 1 ? b : a ^ 5;
    PUT(a);
    PUT(now);
    if (now == b)
        now = 77;
    cell[i] = now;
    PUT(a);
    PUT(i); // stored, since it was a
    PUT(i ^ b * 3);
    PUT((i * 3) ^ (i * 5) * 7);
    PUT(now);
#endif
}
// Buffer instructions with a structured descriptor: index, stride and offset; atomics; out of range.
kernel void buffers_structured(global uint *in, global uint *out, uint records)
{
    uint i = GID;
#ifdef GPU
    // Strides 12 and 16, num_records in strides; out of range by index.
    uint4 rs = {(uint)(ulong)in, (uint)((ulong)in >> 32) | 12 << 16, records, 0x01014000};
    uint4 ro = {(uint)(ulong)out, (uint)((ulong)out >> 32) | 16 << 16, records, 0x01014000};
    rs.x = __builtin_amdgcn_readfirstlane(rs.x), rs.y = __builtin_amdgcn_readfirstlane(rs.y), rs.z = __builtin_amdgcn_readfirstlane(rs.z);
    ro.x = __builtin_amdgcn_readfirstlane(ro.x), ro.y = __builtin_amdgcn_readfirstlane(ro.y), ro.z = __builtin_amdgcn_readfirstlane(ro.z);
    uint a, b;
    uint2 c, at = {i ^ 3, 4};
    __asm volatile("buffer_load_b32 %0, %3, %4, 0 idxen\n buffer_load_b32 %1, %5, %4, 0 idxen offen offset:4\n"
                   "buffer_load_b64 %2, %3, %4, 0 idxen offset:4\n s_waitcnt vmcnt(0)"
                   : "=&v"(a), "=&v"(b), "=&v"(c) : "v"(i), "s"(rs), "v"(at) : "memory");
    uint x = a + b * 3 + c.x * 5 + c.y * 7;
    __asm volatile("buffer_store_b32 %0, %1, %2, 0 idxen\n buffer_store_b64 %3, %1, %2, 0 idxen offset:4\n"
                   "s_waitcnt_vscnt null, 0\n buffer_atomic_add_u32 %0, %1, %2, 0 idxen offset:12 glc\n s_waitcnt vmcnt(0)"
                   : "+v"(x) : "v"(i), "s"(ro), "v"(c) : "memory");
#else
    uint r = records;
    uint a = i < r ? in[i * 3] : 0, b = (i ^ 3) < r ? in[(i ^ 3) * 3 + 2] : 0, c = i < r ? in[i * 3 + 1] : 0, d = i < r ? in[i * 3 + 2] : 0;
    uint x = a + b * 3 + c * 5 + d * 7;
    if (i < r)
        out[i * 4] = x, out[i * 4 + 1] = c, out[i * 4 + 2] = d, out[i * 4 + 3] += x;
#endif
}
// Scalar loads of every size, and scalar buffer loads.
kernel void scalar_loads(global const uint *in, global uint *out)
{
    uint n = get_global_size(0), i = GID, row = 0;
#ifdef GPU
    uint a, o = 20;
    ulong b;
    uint4 c;
    uint8 d;
    uint16 e;
    uint4 rs = {(uint)(ulong)in, (uint)((ulong)in >> 32), 64, 0x31014000};
    __asm volatile("s_load_b32 %0, %1, 0x8\n s_waitcnt lgkmcnt(0)" : "=&s"(a) : "s"(in)); PUT(a);
    __asm volatile("s_load_b32 %0, %1, %2 offset:4\n s_waitcnt lgkmcnt(0)" : "=&s"(a) : "s"(in), "s"(o)); PUT(a);
    __asm volatile("s_load_b64 %0, %1, 0x4\n s_waitcnt lgkmcnt(0)" : "=&s"(b) : "s"(in)); PUT((uint)b ^ (uint)(b >> 32) * 3);
    __asm volatile("s_load_b128 %0, %1, 0x10\n s_waitcnt lgkmcnt(0)" : "=&s"(c) : "s"(in)); PUT(c.x ^ c.y * 3 ^ c.z * 5 ^ c.w * 7);
    __asm volatile("s_load_b256 %0, %1, 0x20\n s_waitcnt lgkmcnt(0)" : "=&s"(d) : "s"(in)); PUT(d.s0 ^ d.s3 * 3 ^ d.s7 * 5);
    __asm volatile("s_load_b512 %0, %1, 0x40\n s_waitcnt lgkmcnt(0)" : "=&s"(e) : "s"(in)); PUT(e.s0 ^ e.s9 * 3 ^ e.sf * 5);
    __asm volatile("s_buffer_load_b32 %0, %1, 0xc\n s_waitcnt lgkmcnt(0)" : "=&s"(a) : "s"(rs)); PUT(a);
    __asm volatile("s_buffer_load_b64 %0, %1, %2\n s_waitcnt lgkmcnt(0)" : "=&s"(b) : "s"(rs), "s"(o)); PUT((uint)b ^ (uint)(b >> 32) * 3);
    __asm volatile("s_buffer_load_b128 %0, %1, 0x38\n s_waitcnt lgkmcnt(0)" : "=&s"(c) : "s"(rs)); PUT(c.x ^ c.y * 3 ^ c.z * 5 ^ c.w * 7); // its last two words are out of range: 0
#else
    PUT(in[2]);
    PUT(in[6]);
    PUT(in[1] ^ in[2] * 3);
    PUT(in[4] ^ in[5] * 3 ^ in[6] * 5 ^ in[7] * 7);
    PUT(in[8] ^ in[11] * 3 ^ in[15] * 5);
    PUT(in[16] ^ in[25] * 3 ^ in[31] * 5);
    PUT(in[3]);
    PUT(in[5] ^ in[6] * 3);
    PUT(in[14] ^ in[15] * 3);
#endif
}
// Scalar control by hand: loops, calls and jumps through registers, branches on EXEC and VCC, 64-bit scalar forms, M0.
kernel void scalar_control(uint a, uint b, ulong c, ulong d, global uint *out)
{
    uint n = get_global_size(0), i = GID, row = 0;
#ifdef GPU
    uint r, s;
    ulong q;
    __asm volatile("s_mov_b32 %0, 0\n s_mov_b32 %1, 5\n 1: s_add_i32 %0, %0, %1\n s_sub_i32 %1, %1, 1\n s_cmp_gt_i32 %1, 0\n"
                   "s_cbranch_scc1 1b" : "=&s"(r), "=&s"(s) :: "scc");
    PUT(r);
    __asm volatile("s_mov_b32 %0, 7\n s_call_b64 %1, 2f\n s_add_i32 %0, %0, 100\n s_branch 3f\n"
                   "2: s_mul_i32 %0, %0, 3\n s_setpc_b64 %1\n 3: s_nop 0" : "=&s"(r), "=&s"(q) :: "scc");
    PUT(r);
    __asm volatile("s_mov_b32 %0, 1\n s_mov_b64 vcc, 0\n s_cbranch_vccz 4f\n s_mov_b32 %0, 2\n 4: s_mov_b32 vcc_lo, 9\n"
                   "s_cbranch_vccnz 5f\n s_add_i32 %0, %0, 10\n 5: s_cbranch_execz 6f\n s_add_i32 %0, %0, 100\n 6: s_nop 0"
                   : "=&s"(r) :: "vcc", "scc");
    PUT(r);
#define B2(op) __asm volatile(op " %0, %2, %3\n s_cselect_b32 %1, 1, 0" : "=&s"(q), "=&s"(s) : "s"(c), "s"(d) : "scc"); PUT((uint)q ^ (uint)(q >> 32) * 3 ^ s);
#define B1(op) __asm volatile(op " %0, %2\n s_cselect_b32 %1, 1, 0" : "=&s"(q), "=&s"(s) : "s"(c) : "scc"); PUT((uint)q ^ (uint)(q >> 32) * 3);
#define R1(op) __asm volatile(op " %0, %1" : "=&s"(r) : "s"(c) : "scc"); PUT(r);
    B2("s_and_b64") B2("s_or_b64") B2("s_xor_b64") B2("s_nand_b64") B2("s_nor_b64") B2("s_and_not1_b64") B2("s_or_not1_b64")
    B1("s_not_b64") B1("s_brev_b64") B1("s_wqm_b64") B1("s_mov_b64")
    R1("s_bcnt0_i32_b64") R1("s_bcnt1_i32_b64") R1("s_ctz_i32_b64") R1("s_clz_i32_u64") R1("s_cls_i32_i64")
    __asm volatile("s_bitreplicate_b64_b32 %0, %1" : "=s"(q) : "s"(a)); PUT((uint)q ^ (uint)(q >> 32) * 3);
    __asm volatile("s_bfe_u64 %0, %1, %2" : "=&s"(q) : "s"(c), "s"(20 | 24 << 16) : "scc"); PUT((uint)q ^ (uint)(q >> 32) * 3);
    __asm volatile("s_bfe_i64 %0, %1, %2" : "=&s"(q) : "s"(c), "s"(12 | 40 << 16) : "scc"); PUT((uint)q ^ (uint)(q >> 32) * 3);
    __asm volatile("s_bfm_b64 %0, 33, 7" : "=s"(q)); PUT((uint)q ^ (uint)(q >> 32) * 3);
    __asm volatile("s_mul_hi_u32 %0, %1, %2" : "=s"(r) : "s"(a), "s"(b)); PUT(r);
    __asm volatile("s_add_u32 %0, %2, %2\n s_addc_u32 %1, %3, %3" : "=&s"(r), "=&s"(s) : "s"(a), "s"(b) : "scc"); PUT(r ^ s * 3);
    __asm volatile("s_sub_u32 %0, %2, %3\n s_subb_u32 %1, %3, %2" : "=&s"(r), "=&s"(s) : "s"(a), "s"(b) : "scc"); PUT(r ^ s * 3);
    __asm volatile("s_cmp_lg_u32 %2, %3\n s_cmov_b32 %0, %2\n s_cmovk_i32 %1, -77" : "=&s"(r), "=&s"(s) : "s"(a), "s"(b), "0"(b), "1"(b) : "scc"); PUT(r ^ s * 3);
    __asm volatile("s_mov_b32 m0, 2\n s_mov_b32 s36, 11\n s_mov_b32 s37, 22\n s_mov_b32 s38, 33\n s_movrels_b32 %0, s36\n"
                   "s_mov_b32 m0, 1\n s_movreld_b32 s36, %0\n s_add_i32 %0, %0, s37" : "=&s"(r) :: "s36", "s37", "s38", "scc");
    PUT(r);
    __asm volatile("s_mov_b32 m0, 1\n v_mov_b32 v40, 5\n v_mov_b32 v41, %1\n v_movrels_b32 %0, v40\n v_movreld_b32 v40, 9\n v_add_nc_u32 %0, %0, v41"
                   : "=&v"(r) : "v"(i) : "v40", "v41");
    PUT(r);
    __asm volatile("v_mov_b32 v40, 5\n v_mov_b32 v41, %1\n v_swap_b32 v40, v41\n v_lshl_add_u32 %0, v40, 8, v41" : "=&v"(r) : "v"(i) : "v40", "v41");
    PUT(r);
    __asm volatile("s_getreg_b32 %0, hwreg(HW_REG_MODE, 4, 4)" : "=s"(r)); PUT(r); // all denormals on
    __asm volatile("s_version 0x2006\n s_inst_prefetch 1\n s_icache_inv\n s_dcache_inv\n s_clause 0\n s_nop 3\n s_wait_idle\n"
                   "s_waitcnt_depctr 0xfff\n s_waitcnt_lgkmcnt null, 0\n s_waitcnt_expcnt null, 0");
#else
#define Q(v) { ulong x = (v); PUT((uint)x ^ (uint)(x >> 32) * 3 ^ (x != 0)); }
#define U(v) { ulong x = (v); PUT((uint)x ^ (uint)(x >> 32) * 3); }
    PUT(15);
    PUT(121);
    PUT(101);
    Q(c & d) Q(c | d) Q(c ^ d) Q(~(c & d)) Q(~(c | d)) Q(c & ~d) Q(c | ~d)
    ulong rev = 0, wqm = 0, rep = 0;
    for (uint k = 0; k < 64; k++)
        rev |= (c >> k & 1) << (63 - k);
    for (uint k = 0; k < 16; k++)
        if (c >> 4 * k & 15)
            wqm |= 15ul << 4 * k;
    for (uint k = 0; k < 32; k++)
        rep |= (ulong)(a >> k & 1) * 3 << 2 * k;
    U(~c) U(rev) U(wqm) U(c)
    PUT(64 - popcount(c));
    PUT(popcount(c));
    PUT(c ? 63 - clz(c & -c) : -1);
    PUT(c ? clz(c) : -1);
    PUT(c == 0 || c == ~0ul ? -1 : (int)clz((long)c < 0 ? ~c : c));
    U(rep) U(c >> 20 & 0xffffff) U((ulong)((long)(c << 12) >> 24)) U(((1ul << 33) - 1) << 7)
    PUT(mul_hi(a, b));
    PUT((a + a) ^ (b + b + (a >> 31)) * 3);
    PUT((a - b) ^ (b - a - (a < b)) * 3);
    PUT(a != b ? a ^ (uint)-77 * 3 : b ^ b * 3);
    PUT(66);
    PUT(i + 9);
    PUT((i << 8) + 5);
    PUT(15);
#endif
}
// Conversions and float helpers that have no OpenCL name.
kernel void convert_rare(global const float *pa, global const float *pb, global const uint *pu, global float *out, uint n)
{
    uint i = GID, row = 0, u = pu[i], k;
    float a = pa[i], b = pb[i], r;
#ifdef GPU
#define C1(op, x) __asm volatile(op " %0, %1" : "=v"(r) : "v"(x)); PUT(r);
#define I1(op, x) __asm volatile(op " %0, %1" : "=v"(k) : "v"(x)); PUT((float)(int)k);
#define I2(op) __asm volatile(op " %0, %1, %2" : "=v"(k) : "v"(a), "v"(b)); PUT((float)(short)k); PUT((float)(short)(k >> 16));
    C1("v_cvt_f32_ubyte0", u) C1("v_cvt_f32_ubyte1", u) C1("v_cvt_f32_ubyte3", u) C1("v_cvt_off_f32_i4", u)
    I1("v_cvt_floor_i32_f32", a) I1("v_cvt_nearest_i32_f32", a) I1("v_frexp_exp_i32_f32", a)
    C1("v_frexp_mant_f32", a) C1("v_fract_f32", a) C1("v_rndne_f32", a) C1("v_trunc_f32", a) C1("v_ceil_f32", a)
    I2("v_cvt_pk_norm_i16_f32") I2("v_cvt_pk_norm_u16_f32") I2("v_cvt_pk_i16_f32") I2("v_cvt_pk_u16_f32")
    __asm volatile("v_cvt_pk_u8_f32 %0, %1, 2, %2" : "=v"(k) : "v"(trunc(a)), "v"(u)); PUT((float)(k >> 8 & 0xffff)); PUT((float)(k & 255));
    __asm volatile("v_ldexp_f32 %0, %1, %2" : "=v"(r) : "v"(a), "v"((int)(u % 21) - 10)); PUT(r);
    __asm volatile("v_cvt_f16_f32 %0, %1\n v_cvt_f32_f16 %0, %0" : "=&v"(r) : "v"(a)); PUT(r);
    __asm volatile("v_cvt_f32_i32 %0, %1" : "=v"(r) : "v"(u)); PUT(r);
    __asm volatile("v_cvt_f32_u32 %0, %1" : "=v"(r) : "v"(u)); PUT(r);
    __asm volatile("v_cubeid_f32 %0, %1, %2, 0.5" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    __asm volatile("v_cubema_f32 %0, %1, %2, 0.5" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    __asm volatile("v_dot2acc_f32_f16 %0, %1, %2" : "=v"(r) : "v"(0x3c004000), "v"(0x40003c00), "0"(1.0f)); PUT(r);
#else
    PUT((float)(u & 255));
    PUT((float)(u >> 8 & 255));
    PUT((float)(u >> 24));
    PUT((float)((int)(u << 28) >> 28) / 16);
    PUT(floor(a));
    PUT(floor(a + 0.5f));
    int e;
    float m = frexp(a, &e);
    PUT(a == 0 ? 0 : e);
    PUT(m);
    PUT(fmin(a - floor(a), 0x1.fffffep-1f));
    PUT(rint(a));
    PUT(trunc(a));
    PUT(ceil(a));
    PUT(rint(clamp(a, -1.0f, 1.0f) * 32767));
    PUT(rint(clamp(b, -1.0f, 1.0f) * 32767));
    PUT((float)(short)(int)rint(clamp(a, 0.0f, 1.0f) * 65535));
    PUT((float)(short)(int)rint(clamp(b, 0.0f, 1.0f) * 65535));
    PUT((float)convert_short_sat_rtz(a));
    PUT((float)convert_short_sat_rtz(b));
    PUT((float)(short)convert_ushort_sat_rtz(a));
    PUT((float)(short)convert_ushort_sat_rtz(b));
    PUT((float)((u >> 8 & 255) | (uint)convert_uchar_sat(trunc(a)) << 8));
    PUT((float)(u & 255));
    PUT(ldexp(a, (int)(u % 21) - 10));
    private ushort h;
    vstore_half_rte(a, 0, (private half *)&h);
    PUT(vload_half(0, (private half *)&h));
    PUT((float)(int)u);
    PUT((float)u);
    float c = 0.5f;
    PUT(fabs(c) >= fabs(a) && fabs(c) >= fabs(b) ? 4.0f : fabs(b) >= fabs(a) ? (b < 0 ? 3.0f : 2.0f) : a < 0 ? 1.0f : 0.0f);
    PUT(2 * (fabs(c) >= fabs(a) && fabs(c) >= fabs(b) ? c : fabs(b) >= fabs(a) ? b : a));
    PUT(5.0f);
#endif
}
// Wide integers in vector registers: carries, 64-bit multiply-add, sums of absolute differences.
kernel void vector_wide(global const uint *pa, global const uint *pb, global const ulong *pc, global ulong *out, uint n)
{
    uint i = GID, row = 0, a = pa[i], b = pb[i], few = b & 0x0fff0fff;
    ulong c = pc[i], r;
#ifdef GPU
    uint lo, hi;
    __asm volatile("v_add_co_u32 %0, vcc_lo, %2, %3\n v_add_co_ci_u32 %1, vcc_lo, %2, %3, vcc_lo" : "=&v"(lo), "=&v"(hi) : "v"(a), "v"(b) : "vcc");
    PUT((ulong)hi << 32 | lo);
    __asm volatile("v_sub_co_u32 %0, vcc_lo, %2, %3\n v_sub_co_ci_u32 %1, vcc_lo, %2, %3, vcc_lo" : "=&v"(lo), "=&v"(hi) : "v"(a), "v"(b) : "vcc");
    PUT((ulong)hi << 32 | lo);
    __asm volatile("v_subrev_co_u32 %0, vcc_lo, %2, %3\n v_subrev_co_ci_u32 %1, vcc_lo, %2, %3, vcc_lo" : "=&v"(lo), "=&v"(hi) : "v"(a), "v"(b) : "vcc");
    PUT((ulong)hi << 32 | lo);
    __asm volatile("v_mad_u64_u32 %0, vcc_lo, %2, %3, %4\n v_cndmask_b32 %1, 0, 1, vcc_lo" : "=&v"(r), "=&v"(lo) : "v"(a), "v"(b), "v"(c) : "vcc");
    PUT(r);
    PUT(lo);
    __asm volatile("v_mad_i64_i32 %0, vcc_lo, %1, %2, %3" : "=&v"(r) : "v"(a), "v"(b), "v"(c) : "vcc");
    PUT(r);
    __asm volatile("v_lshrrev_b64 %0, %1, %2" : "=v"(r) : "v"(a), "v"(c)); PUT(r);
    __asm volatile("v_ashrrev_i64 %0, %1, %2" : "=v"(r) : "v"(a), "v"(c)); PUT(r);
    __asm volatile("v_lshlrev_b64 %0, %1, %2" : "=v"(r) : "v"(a), "v"(c)); PUT(r);
    __asm volatile("v_qsad_pk_u16_u8 %0, %1, %2, %3" : "=&v"(r) : "v"(c), "v"(a), "v"((ulong)few)); PUT(r);
    __asm volatile("v_mqsad_pk_u16_u8 %0, %1, %2, %3" : "=&v"(r) : "v"(c), "v"(a), "v"((ulong)few)); PUT(r);
#else
    ulong s = (ulong)a + b, d = (ulong)a - b;
    PUT((s + (s >> 32)) << 32 | (uint)s);
    PUT((ulong)(uint)(a - b - (a < b)) << 32 | (uint)d);
    PUT((ulong)(uint)(b - a - (b < a)) << 32 | (uint)(b - a));
    r = (ulong)a * b + c;
    PUT(r);
    PUT(r < c);
    PUT((ulong)((long)(int)a * (int)b) + c);
    PUT(c >> (a & 63));
    PUT((ulong)((long)c >> (a & 63)));
    PUT(c << (a & 63));
    for (uint masked = 0; masked < 2; masked++) {
        r = 0;
        for (uint w = 0; w < 4; w++) {
            uint t = w < 2 ? few >> 16 * w & 65535 : 0;
            for (uint k = 0; k < 4; k++) {
                uint x = c >> 8 * (w + k) & 255, y = a >> 8 * k & 255;
                if (!masked || y)
                    t += abs_diff(x, y);
            }
            r |= (ulong)t << 16 * w;
        }
        PUT(r);
    }
#endif
}
