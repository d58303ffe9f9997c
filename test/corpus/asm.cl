// Instructions a compiler seldom chooses, through builtins and inline assembly; PoCL's branch says the same with
// local memory, one "wave" every 32 work-items.
#include "corpus.clh"
#ifndef GPU
// What lane `l` of this wave has in v.
static int lane(local int *t, int v, uint l)
{
    SYNC();
    t[LID] = v;
    SYNC();
    return t[(LID & ~31) | (l & 31)];
}
#endif
#define L (LID & 31)
// DPP: CTRL, row mask, bank mask, bound_ctrl. Rows of 16 lanes, banks of 4.
#ifdef GPU
#define DPP(v, ctrl, rm, bm, bc) __builtin_amdgcn_update_dpp(-7, v, ctrl, rm, bm, bc)
#else
static int dpp(local int *t, int v, int ctrl, int rm, int bm, int bc)
{
    int r = L / 16, p = L % 16, from = -1;
    if (ctrl < 0x100)
        from = (L & ~3) + (ctrl >> 2 * (L & 3) & 3);
    else if (ctrl < 0x110)
        from = p + (ctrl & 15) < 16 ? r * 16 + p + (ctrl & 15) : -1; // row_shl
    else if (ctrl < 0x120)
        from = p - (ctrl & 15) >= 0 ? r * 16 + p - (ctrl & 15) : -1; // row_shr
    else if (ctrl < 0x130)
        from = r * 16 + ((p - (ctrl & 15)) & 15); // row_ror
    else if (ctrl == 0x140)
        from = r * 16 + 15 - p; // row_mirror
    else if (ctrl == 0x141)
        from = (L & ~7) + 7 - (L & 7); // row_half_mirror
    else if (ctrl >= 0x160)
        from = r * 16 + ((p ^ ctrl) & 15); // row_xmask
    else
        from = r * 16 + (ctrl & 15); // row_share
    int got = lane(t, v, from < 0 ? 0 : from);
    bool on = rm >> r & 1 && bm >> (p / 4) & 1;
    return !on ? -7 : from >= 0 ? got : bc ? 0 : -7;
}
#define DPP(v, ctrl, rm, bm, bc) dpp(t, v, ctrl, rm, bm, bc)
#endif
kernel void dpp_moves(global const int *in, global int *out, uint n)
{
    uint i = GID, row = 0;
    local int t[64];
    t[LID] = 0;
    int v = in[i];
    PUT(DPP(v, 0x1b, 15, 15, 0));  // quad_perm 3,2,1,0
    PUT(DPP(v, 0x39, 15, 15, 1));  // quad_perm 1,2,3,0
    PUT(DPP(v, 0x101, 15, 15, 0)); // row_shl:1
    PUT(DPP(v, 0x105, 15, 15, 1));
    PUT(DPP(v, 0x111, 15, 15, 0)); // row_shr:1
    PUT(DPP(v, 0x11f, 15, 15, 1));
    PUT(DPP(v, 0x123, 15, 15, 0)); // row_ror:3
    PUT(DPP(v, 0x140, 15, 15, 0)); // row_mirror
    PUT(DPP(v, 0x141, 15, 15, 0)); // row_half_mirror
    PUT(DPP(v, 0x157, 15, 15, 0)); // row_share:7
    PUT(DPP(v, 0x16a, 15, 15, 0)); // row_xmask:10
    PUT(DPP(v, 0x111, 1, 15, 0));
    PUT(DPP(v, 0x111, 15, 5, 1));
    PUT(DPP(v, 0x140, 2, 10, 0));
}
// DPP and DPP8 folded into arithmetic and comparisons, written in assembly.
kernel void dpp_alu(global const int *in, global int *out, uint n)
{
    uint i = GID, row = 0;
    local int t[64];
    t[LID] = 0;
    int v = in[i], r, s;
#ifdef GPU
    __asm volatile("v_add_nc_u32_dpp %0, %1, %1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1" : "=v"(r) : "v"(v));
    PUT(r);
    __asm volatile("v_mov_b32_dpp %0, %1 dpp8:[7,6,5,4,3,2,1,0]" : "=v"(r) : "v"(v));
    PUT(r);
    __asm volatile("v_xor_b32_dpp %0, %1, %2 dpp8:[1,0,3,2,5,4,7,6]" : "=v"(r) : "v"(v), "v"(i));
    PUT(r);
    r = 5;
    __asm volatile("v_sub_nc_u32_dpp %0, %1, %2 row_shl:4 row_mask:0xf bank_mask:0xf" : "+v"(r) : "v"(v), "v"(i));
    PUT(r);
    __asm volatile("v_max_i32_dpp %0, %1, %1 row_ror:8 row_mask:0xf bank_mask:0xf" : "=v"(r) : "v"(v));
    PUT(r);
    __asm volatile("v_permlane16_b32 %0, %1, %2, %3" : "=v"(r) : "v"(v), "s"(0x76543210), "s"(0x89abcdef));
    PUT(r);
    __asm volatile("v_permlanex16_b32 %0, %1, %2, %3" : "=v"(r) : "v"(v), "s"(0x01234567), "s"(0xfedcba98));
    PUT(r);
    __asm volatile("v_permlane64_b32 %0, %1" : "=v"(r) : "v"(v)); // does nothing in wave32
    PUT(0);
#else
    PUT((r = lane(t, v, L - 1), L % 16 ? r + v : v));
    PUT(lane(t, v, L ^ 7));
    PUT(lane(t, v, L ^ 1) ^ i);
    PUT((r = lane(t, v, L + 4), L % 16 < 12 ? r - (int)i : 5));
    PUT((r = lane(t, v, L ^ 8), max(r, v)));
    PUT(lane(t, v, (L & 16) + (L & 8 ? 7 - (L & 7) + 8 : L & 7)));
    PUT(lane(t, v, (16 - (L & 16)) + (L & 8 ? (L & 7) + 8 : 7 - (L & 7))));
    PUT(0);
#endif
}
kernel void lanes(global const int *in, global int *out, uint n)
{
    uint i = GID, row = 0;
    local int t[64];
    t[LID] = 0;
    int v = in[i];
#ifdef GPU
    PUT(__builtin_amdgcn_ds_bpermute((L * 5 + 3) * 4, v));
    PUT(__builtin_amdgcn_ds_permute((L * 5 + 3) * 4, v));
    PUT(__builtin_amdgcn_ds_swizzle(v, 0x041f)); // bit mode: xor 1
    PUT(__builtin_amdgcn_ds_swizzle(v, 0x8000 | 0xb1)); // quad mode 1,0,3,2
    PUT(__builtin_amdgcn_ds_swizzle(v, 0x0018 | 5 << 5)); // and 0x18, or 5
    PUT(__builtin_amdgcn_readfirstlane(v));
    PUT(__builtin_amdgcn_readlane(v, 13));
    uint w;
    __asm("v_mov_b32 %0, %1\n v_writelane_b32 %0, %2, 9" : "=&v"(w) : "v"(v), "s"(0x1234567));
    PUT(w);
    PUT(__builtin_amdgcn_mbcnt_lo(__builtin_amdgcn_ballot_w32(v & 1), 0));
    PUT(__builtin_amdgcn_ballot_w32(v > 0));
    PUT(__builtin_amdgcn_mov_dpp8(v, 0x688fac)); // lanes of 8, three bits each
    int r = 0;
    if (v & 2)
        r = __builtin_amdgcn_readfirstlane(v); // first of the lanes that are on
    PUT(r);
    if (v & 4)
        r = __builtin_amdgcn_ds_bpermute((L ^ 1) * 4, v); // from a lane that is off: 0
    PUT(r);
#else
    PUT(lane(t, v, L * 5 + 3));
    PUT(lane(t, v, (L - 3) * 13)); // 5 * 13 = 65 = 1 mod 32
    PUT(lane(t, v, L ^ 1));
    PUT(lane(t, v, L ^ 1));
    PUT(lane(t, v, (L & 0x18) | 5));
    PUT(lane(t, v, 0));
    PUT(lane(t, v, 13));
    PUT(L == 9 ? 0x1234567 : v);
    uint odd = 0, pos = 0, two = 32;
    for (uint l = 0; l < 32; l++) {
        int x = lane(t, v, l);
        odd |= (x & 1) << l, pos |= (uint)(x > 0) << l;
        if (two == 32 && x & 2)
            two = l;
    }
    PUT(popcount(odd & ((1u << L) - 1)));
    PUT(pos);
    PUT(lane(t, v, (L & 24) | (0x688fac >> 3 * (L & 7) & 7)));
    int r = lane(t, v, two), x = lane(t, v, L ^ 1);
    r = v & 2 ? r : 0;
    PUT(r);
    PUT(v & 4 ? x & 4 ? x : 0 : r);
#endif
}
// Buffer instructions with a range: out of it loads give 0 and stores are dropped. Raw (stride 0) descriptor.
kernel void buffers(global int *in, global int *out, uint bytes)
{
    int i = GID;
#ifdef GPU
    __amdgpu_buffer_rsrc_t s = __builtin_amdgcn_make_buffer_rsrc(in, 0, bytes, 0x31014000);
    __amdgpu_buffer_rsrc_t d = __builtin_amdgcn_make_buffer_rsrc(out, 0, bytes * 4, 0x31014000);
    int a = __builtin_amdgcn_raw_buffer_load_b32(s, i * 4, 0, 0);
    uint4 q = __builtin_amdgcn_raw_buffer_load_b128(s, i * 4, 16, 0);
    uint2 p = __builtin_amdgcn_raw_buffer_load_b64(s, i * 4 + 8, 0, 0);
    uint3 r = __builtin_amdgcn_raw_buffer_load_b96(s, i * 4, 4, 0);
    int b = __builtin_amdgcn_raw_buffer_load_b8(s, i * 4 + 1, 0, 0) & 255;
    int h = __builtin_amdgcn_raw_buffer_load_b16(s, i * 4 + 2, 0, 0) & 65535;
    int x = a + q.x + q.w * 3 + p.y * 5 + r.z * 7 + b * 11 + h;
    __builtin_amdgcn_raw_buffer_store_b32(x, d, i * 16, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b64((uint2)(p.x, x), d, i * 16 + 4, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b16((short)x, d, i * 16 + 12, 0, 0);
    __builtin_amdgcn_raw_buffer_store_b8((char)i, d, i * 16, 14, 0);
#else
#define AT(off) ((uint)(off) + 4 <= bytes ? in[(off) / 4] : 0)
    int a = AT(i * 4), qx = AT(i * 4 + 16), qw = AT(i * 4 + 28), px = AT(i * 4 + 8), py = AT(i * 4 + 12),
        rz = AT(i * 4 + 12), b = a >> 8 & 255, h = (uint)a >> 16;
    int x = a + qx + qw * 3 + py * 5 + rz * 7 + b * 11 + h;
    if (i * 16 + 16 <= bytes * 4) {
        out[i * 4] = x, out[i * 4 + 1] = px, out[i * 4 + 2] = x;
        out[i * 4 + 3] = (x & 65535) | (i & 255) << 16 | (out[i * 4 + 3] & 0xff000000);
    }
#endif
}
// Global memory in every width and sign, into halves of registers, with scalar base and offset.
kernel void global_widths(global const uchar *in, global uint *out, uint n)
{
    uint i = GID, row = 0, r;
#ifdef GPU
#define GL(op) __asm volatile(op " %0, %1, %2 offset:5\n s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(i * 4), "s"(in) : "memory"); PUT(r);
#define GD(op) r = 0xaaaabbbb; __asm volatile(op " %0, %1, %2 offset:6\n s_waitcnt vmcnt(0)" : "+v"(r) : "v"(i * 4), "s"(in) : "memory"); PUT(r);
    GL("global_load_u8")
    GL("global_load_i8")
    GL("global_load_u16")
    GL("global_load_i16")
    GL("global_load_b32")
    GD("global_load_d16_u8")
    GD("global_load_d16_i8")
    GD("global_load_d16_b16")
    GD("global_load_d16_hi_u8")
    GD("global_load_d16_hi_i8")
    GD("global_load_d16_hi_b16")
    global const uchar *p = in + i * 4 + 16;
    __asm volatile("global_load_b32 %0, %1, off offset:-8\n s_waitcnt vmcnt(0)" : "=&v"(r) : "v"(p) : "memory");
    PUT(r);
    uint3 w3;
    __asm volatile("global_load_b96 %0, %1, off\n s_waitcnt vmcnt(0)" : "=&v"(w3) : "v"(p) : "memory");
    PUT(w3.x ^ w3.y * 3 ^ w3.z * 5);
    global uint *o = out + n * row + i;
    *o = 0;
    __asm volatile("s_waitcnt_vscnt null, 0x0\n global_store_b8 %0, %1, off\n global_store_d16_hi_b8 %0, %1, off offset:1\n"
                 "global_store_d16_hi_b16 %0, %1, off offset:2\n s_waitcnt_vscnt null, 0x0" :: "v"(o), "v"(w3.x) : "memory");
#else
#define B(k) ((uint)in[i * 4 + (k)])
#define W(k) (B(k) | B(k + 1) << 8 | B(k + 2) << 16 | B(k + 3) << 24)
    PUT(B(5));
    PUT((char)B(5));
    PUT(B(5) | B(6) << 8);
    PUT((short)(B(5) | B(6) << 8));
    PUT(W(5));
    PUT(0xaaaa0000 | B(6));
    PUT(0xaaaa0000 | (ushort)(char)B(6));
    PUT(0xaaaa0000 | B(6) | B(7) << 8);
    PUT(0xbbbb | B(6) << 16);
    PUT(0xbbbb | (uint)(ushort)(char)B(6) << 16);
    PUT(0xbbbb | B(6) << 16 | B(7) << 24);
    PUT(W(8));
    PUT(W(16) ^ W(20) * 3 ^ W(24) * 5);
    PUT(B(16) | B(18) << 8 | B(18) << 16 | B(19) << 24);
#endif
}
// Local memory in every width, pairs with strides, and exchanges.
kernel void local_widths(global const uint *in, global uint *out, uint n)
{
    uint i = GID, row = 0, r, l = LID;
    local uint t[1024];
    for (uint k = 0; k < 16; k++)
        t[l * 16 + k] = in[i] * (k + 1) + k;
    SYNC();
#ifdef GPU
    uint base = (uint)(uintptr_t)(local char *)(t + l * 16);
#define DS(op) __asm volatile(op "\n s_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(base) : "memory"); PUT(r);
#define DH(op) r = 0xaaaabbbb; __asm volatile(op "\n s_waitcnt lgkmcnt(0)" : "+v"(r) : "v"(base) : "memory"); PUT(r);
    DS("ds_load_u8 %0, %1 offset:5")
    DS("ds_load_i8 %0, %1 offset:6")
    DS("ds_load_u16 %0, %1 offset:10")
    DS("ds_load_i16 %0, %1 offset:14")
    DH("ds_load_u8_d16 %0, %1 offset:9")
    DH("ds_load_i8_d16_hi %0, %1 offset:13")
    DH("ds_load_u16_d16 %0, %1 offset:16")
    DH("ds_load_u16_d16_hi %0, %1 offset:22")
    uint2 p;
    __asm volatile("ds_load_2addr_stride64_b32 %0, %1 offset0:0 offset1:1\n s_waitcnt lgkmcnt(0)"
                 : "=&v"(p) : "v"((uint)(uintptr_t)(local char *)(t + (l & 31))) : "memory");
    PUT(p.x ^ p.y * 3);
    ulong2 q;
    __asm volatile("ds_load_2addr_b64 %0, %1 offset0:1 offset1:5\n s_waitcnt lgkmcnt(0)" : "=&v"(q) : "v"(base) : "memory");
    PUT((uint)(q.x >> 32) ^ (uint)q.y * 3);
    uint3 w;
    __asm volatile("ds_load_b96 %0, %1 offset:16\n s_waitcnt lgkmcnt(0)" : "=&v"(w) : "v"(base) : "memory");
    PUT(w.x ^ w.y * 3 ^ w.z * 5);
    uint4 u;
    __asm volatile("ds_load_b128 %0, %1 offset:48\n s_waitcnt lgkmcnt(0)" : "=&v"(u) : "v"(base) : "memory");
    PUT(u.x ^ u.y * 3 ^ u.z * 5 ^ u.w * 7);
    SYNC(); // the stores below are to what other waves have just read
    uint v = w.x;
    __asm volatile("ds_store_b8 %1, %2 offset:1\n ds_store_b8_d16_hi %1, %2 offset:2\n ds_store_b16 %1, %2 offset:4\n"
                 "ds_store_b16_d16_hi %1, %2 offset:6\n ds_store_2addr_b32 %1, %2, %3 offset0:2 offset1:5\n"
                 "ds_storexchg_rtn_b32 %0, %1, %3 offset:32\n s_waitcnt lgkmcnt(0)"
                 : "=&v"(r) : "v"(base), "v"(v), "v"(i) : "memory");
    PUT(r);
    __asm volatile("ds_add_rtn_u32 %0, %1, %2 offset:36\n s_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(base), "v"(v) : "memory");
    PUT(r);
    __asm volatile("ds_inc_rtn_u32 %0, %1, %2 offset:40\n s_waitcnt lgkmcnt(0)" : "=&v"(r) : "v"(base), "v"(3) : "memory");
    PUT(r);
    __asm volatile("ds_rsub_u32 %0, %1 offset:44\n s_waitcnt lgkmcnt(0)" :: "v"(base), "v"(v) : "memory");
    __asm volatile("ds_mskor_b32 %0, %1, %2 offset:52\n s_waitcnt lgkmcnt(0)" :: "v"(base), "v"(0xff00), "v"(i) : "memory");
#else
#define M(k) t[l * 16 + (k)]
    PUT(M(1) >> 8 & 255);
    PUT((char)(M(1) >> 16));
    PUT(M(2) >> 16);
    PUT((short)(M(3) >> 16));
    PUT(0xaaaa0000 | (M(2) >> 8 & 255));
    PUT(0xbbbb | (uint)(ushort)(char)(M(3) >> 8) << 16);
    PUT(0xaaaa0000 | (M(4) & 65535));
    PUT(0xbbbb | M(5) >> 16 << 16);
    PUT(t[l & 31] ^ t[(l & 31) + 64] * 3);
    PUT(M(3) ^ M(10) * 3);
    PUT(M(4) ^ M(5) * 3 ^ M(6) * 5);
    PUT(M(12) ^ M(13) * 3 ^ M(14) * 5 ^ M(15) * 7);
    SYNC();
    uint v = M(4);
    M(0) = (M(0) & 0xff0000ff) | (v & 255) << 8 | (v >> 16 & 255) << 16;
    M(1) = (v & 65535) | v >> 16 << 16;
    M(2) = v, M(5) = i;
    PUT(M(8)), M(8) = i;
    PUT(M(9)), M(9) += v;
    PUT(M(10)), M(10) = M(10) >= 3 ? 0 : M(10) + 1;
    M(11) = v - M(11);
    M(13) = (M(13) & ~0xff00u) | i;
#endif
    SYNC();
    for (uint k = 0; k < 16; k++)
        PUT(t[l * 16 + k]);
}
// Comparisons that write EXEC, and the lane mask by hand.
kernel void exec_masks(global const int *in, global int *out, uint n)
{
    uint i = GID, row = 0;
    int v = in[i], r;
#ifdef GPU
    uint save;
    __asm volatile("v_mov_b32 %0, 1\n s_mov_b32 %1, exec_lo\n v_cmpx_gt_i32_e32 100, %2\n v_mov_b32 %0, 2\n"
                 "v_cmpx_class_f32 %2, 3\n v_mov_b32 %0, 3\n s_mov_b32 exec_lo, %1"
                 : "=&v"(r), "=&s"(save) : "v"(v));
    PUT(r);
    __asm volatile("v_mov_b32 %0, 1\n v_cmp_lt_u32 vcc_lo, 50, %2\n s_and_saveexec_b32 %1, vcc_lo\n v_mov_b32 %0, 2\n"
                 "s_and_not1_wrexec_b32 %1, %1\n v_mov_b32 %0, 3\n s_mov_b32 exec_lo, -1"
                 : "=&v"(r), "=&s"(save) : "v"(v) : "vcc", "scc");
    PUT(r);
#else
    bool lt = 100 > v, nan = (v & 0x7f800000) == 0x7f800000 && v & 0x7fffff;
    PUT(!lt ? 1 : nan ? 3 : 2);
    PUT(50u < (uint)v ? 2 : 3);
#endif
}
// Scalar instructions: each lane stores what its wave computed from a uniform input.
kernel void scalars(uint a, uint b, ulong c, ulong d, global uint *out)
{
    uint n = get_global_size(0), i = GID, row = 0;
#ifdef GPU
    uint r, carry;
    ulong q;
#define S2(op) __asm volatile(op " %0, %2, %3\n s_cselect_b32 %1, 1, 0" : "=&s"(r), "=&s"(carry) : "s"(a), "s"(b) : "scc"); PUT(r + carry * 0x9e3779b9u);
#define S1(op) __asm volatile(op " %0, %1" : "=&s"(r) : "s"(a) : "scc"); PUT(r);
#define QS(op) __asm volatile(op " %0, %1, %2" : "=&s"(q) : "s"(c), "s"((uint)d) : "scc"); PUT((uint)q ^ (uint)(q >> 32));
#define Q2(op) __asm volatile(op " %0, %1, %2" : "=&s"(q) : "s"(c), "s"(d) : "scc"); PUT((uint)q ^ (uint)(q >> 32));
    S2("s_add_u32") S2("s_sub_u32") S2("s_add_i32") S2("s_sub_i32") S2("s_min_i32") S2("s_max_u32")
    S2("s_absdiff_i32") S2("s_bfe_u32") S2("s_bfe_i32") S2("s_lshl1_add_u32") S2("s_lshl4_add_u32")
    S2("s_nand_b32") S2("s_nor_b32") S2("s_xnor_b32") S2("s_and_not1_b32") S2("s_or_not1_b32")
    __asm volatile("s_bfm_b32 %0, %1, %2" : "=s"(r) : "s"(a), "s"(b)); PUT(r);
    __asm volatile("s_mul_hi_i32 %0, %1, %2" : "=s"(r) : "s"(a), "s"(b)); PUT(r);
    __asm volatile("s_pack_ll_b32_b16 %0, %1, %2" : "=s"(r) : "s"(a), "s"(b)); PUT(r);
    __asm volatile("s_pack_hl_b32_b16 %0, %1, %2" : "=s"(r) : "s"(a), "s"(b)); PUT(r);
    S1("s_brev_b32") S1("s_clz_i32_u32") S1("s_cls_i32") S1("s_ctz_i32_b32") S1("s_bcnt1_i32_b32") S1("s_sext_i32_i8")
    S1("s_sext_i32_i16") S1("s_abs_i32") S1("s_quadmask_b32") S1("s_wqm_b32") S1("s_not_b32")
    QS("s_lshl_b64") QS("s_lshr_b64") QS("s_ashr_i64") Q2("s_xnor_b64")
    r = a;
    __asm volatile("s_bitset1_b32 %0, %1\n s_bitset0_b32 %0, 3\n s_addk_i32 %0, 0x123\n s_mulk_i32 %0, -5" : "+s"(r) : "s"(b & 31) : "scc");
    PUT(r);
    __asm volatile("s_bitcmp1_b32 %1, %2\n s_cselect_b32 %0, 11, 22" : "=s"(r) : "s"(a), "s"(b & 31) : "scc"); PUT(r);
    __asm volatile("s_cmpk_gt_i32 %1, 0x1000\n s_cselect_b32 %0, 11, 22" : "=s"(r) : "s"(a) : "scc"); PUT(r);
    __asm volatile("s_cmp_lg_u64 %1, %2\n s_cselect_b32 %0, 11, 22" : "=s"(r) : "s"(c), "s"(d) : "scc"); PUT(r);
#else
#define F(v, scc) PUT((uint)(v) + ((scc) ? 0x9e3779b9u : 0));
#define U(v) PUT((uint)(v));
#define X(v) { ulong x = (v); PUT((uint)x ^ (uint)(x >> 32)); }
    int sa = a, sb = b;
    uint off = b & 31, w = b >> 16 & 127, r;
    F(a + b, a + b < a) F(a - b, a < b) F(a + b, ((a ^ (a + b)) & (b ^ (a + b))) >> 31) F(a - b, ((a ^ b) & (a ^ (a - b))) >> 31)
    F(min(sa, sb), sa < sb) F(max(a, b), a >= b) F(abs((int)(a - b)), a != b)
    uint f = w == 0 ? 0 : w >= 32 ? a >> off : a >> off & ((1u << w) - 1);
    F(f, f)
    int g = w == 0 ? 0 : off + w >= 32 ? sa >> off : (int)(a << (32 - off - w)) >> (32 - w);
    F(g, g)
    ulong s = ((ulong)a << 1) + b;
    F(s, s >> 32)
    s = ((ulong)a << 4) + b;
    F(s, s >> 32)
    F(~(a & b), ~(a & b)) F(~(a | b), ~(a | b)) F(~(a ^ b), ~(a ^ b)) F(a & ~b, a & ~b) F(a | ~b, a | ~b)
    U(((1u << (a & 31)) - 1) << (b & 31)) U(mul_hi(sa, sb)) U((a & 65535) | b << 16) U(a >> 16 | b << 16)
    uint rev = 0, quad = 0, wqm = 0;
    for (uint k = 0; k < 32; k++)
        rev |= (a >> k & 1) << (31 - k);
    for (uint k = 0; k < 8; k++)
        if (a >> 4 * k & 15)
            quad |= 1u << k, wqm |= 15u << 4 * k;
    U(rev) U(a ? clz(a) : -1) U(a == 0 || a == ~0u ? -1 : (int)clz(sa < 0 ? ~a : a)) U(a ? 31 - clz(a & -a) : -1) U(popcount(a))
    U((char)a) U((short)a) U(abs(sa)) U(quad) U(wqm) U(~a)
    X(c << (d & 63)) X(c >> (d & 63)) X((ulong)((long)c >> (d & 63))) X(~(c ^ d))
    r = (((a | 1u << (b & 31)) & ~8u) + 0x123) * -5;
    U(r) U(a >> (b & 31) & 1 ? 11 : 22) U(sa > 0x1000 ? 11 : 22) U(c != d ? 11 : 22)
#endif
}
// Clock, sleep, wave identity, priority: only what must hold is stored.
kernel void clocks(global uint *out)
{
    uint ok = 31;
#ifdef GPU
    ulong a = __builtin_readcyclecounter(), t, u;
    __builtin_amdgcn_s_sleep(2);
    __builtin_amdgcn_s_setprio(1);
    ulong b = __builtin_readcyclecounter();
    __asm volatile("s_sendmsg_rtn_b64 %0, sendmsg(MSG_RTN_GET_REALTIME)\n s_waitcnt lgkmcnt(0)\n s_sleep 1\n"
                 "s_sendmsg_rtn_b64 %1, sendmsg(MSG_RTN_GET_REALTIME)\n s_waitcnt lgkmcnt(0)" : "=&s"(t), "=&s"(u));
    ok = (b >= a) | (u >= t) << 1 | (t != 0) << 2;
    uint x, y;
    __asm volatile("s_mov_b32 m0, 7\n s_mov_b32 %0, m0\n s_getpc_b64 vcc\n s_mov_b32 %1, vcc_lo" : "=&s"(x), "=s"(y) :: "vcc");
    ok |= (x == 7) << 3 | (y != 0) << 4;
#endif
    out[GID] = ok;
}
// Rounding and denormal modes changed within a kernel.
kernel void modes(global const float *pa, global const float *pb, global float *out, uint n)
{
    uint i = GID, row = 0;
    float a = pa[i], b = pb[i];
#ifdef GPU
    float r;
#define MODE_ADD(m) __asm volatile("s_round_mode " m "\n s_nop 0\n v_add_f32 %0, %1, %2\n s_round_mode 0" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    MODE_ADD("0") MODE_ADD("1") MODE_ADD("2") MODE_ADD("3")
    __asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n v_mul_f32 %0, %1, %2\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0"
                 : "=v"(r) : "v"(a), "v"(b));
    PUT(r);
#else
    // Sums by the double that holds them exactly (the generator keeps exponents near), then the conversions.
    double s = (double)a + (double)b;
    PUT(convert_float_rte(s));
    PUT(convert_float_rtp(s));
    PUT(convert_float_rtn(s));
    PUT(convert_float_rtz(s));
    PUT(convert_float_rtp((double)a * (double)b));
#endif
}
// Bytes and words: permutes, packs, sums of differences, bit counts, in vector form.
kernel void vector_bytes(global const uint *pa, global const uint *pb, global const uint *pc, global uint *out, uint n)
{
    uint i = GID, row = 0, a = pa[i], b = pb[i], c = pc[i], r;
#ifdef GPU
#define V3(op) __asm volatile(op " %0, %1, %2, %3" : "=v"(r) : "v"(a), "v"(b), "v"(c)); PUT(r);
#define V2(op) __asm volatile(op " %0, %1, %2" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    PUT(__builtin_amdgcn_perm(a, b, 0x07050301));
    PUT(__builtin_amdgcn_perm(a, b, 0x0c0d080b));
    V3("v_alignbit_b32") V3("v_alignbyte_b32") V3("v_bfi_b32") V3("v_bfe_u32") V3("v_bfe_i32") V3("v_lerp_u8") V3("v_sad_u8")
    V3("v_sad_u16") V3("v_sad_u32") V3("v_msad_u8") V3("v_min3_i32") V3("v_med3_i32") V3("v_max3_u32") V3("v_med3_u32")
    V3("v_xor3_b32") V3("v_add3_u32") V3("v_lshl_add_u32") V3("v_add_lshl_u32") V3("v_and_or_b32") V3("v_or3_b32") V3("v_xad_u32")
    V3("v_mad_u32_u16") V3("v_mad_u32_u24") V3("v_mad_i32_i24")
    V2("v_mul_hi_u32") V2("v_mul_hi_i32") V2("v_mul_u32_u24") V2("v_mul_hi_u32_u24") V2("v_mul_i32_i24") V2("v_bcnt_u32_b32")
    V2("v_bfm_b32") V2("v_pk_add_u16") V2("v_pk_sub_i16") V2("v_pk_mul_lo_u16") V2("v_pk_min_i16") V2("v_pk_max_u16")
    V2("v_pk_lshlrev_b16") V2("v_pk_ashrrev_i16") V2("v_pack_b32_f16")
    __asm volatile("v_pk_add_u16 %0, %1, %2 op_sel:[1,0] op_sel_hi:[0,1]" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    __asm volatile("v_pk_add_i16 %0, %1, %2 clamp" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    __asm volatile("v_add_nc_u32 %0, %1, %2 clamp" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    __asm volatile("v_sub_nc_i32 %0, %1, %2 clamp" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    __asm volatile("v_bfrev_b32 %0, %1" : "=v"(r) : "v"(a)); PUT(r);
    __asm volatile("v_clz_i32_u32 %0, %1" : "=v"(r) : "v"(a)); PUT(r);
    __asm volatile("v_ctz_i32_b32 %0, %1" : "=v"(r) : "v"(a)); PUT(r);
    __asm volatile("v_cls_i32 %0, %1" : "=v"(r) : "v"(a)); PUT(r);
    __asm volatile("v_cvt_f32_ubyte2 %0, %1" : "=v"(r) : "v"(a)); PUT(r);
    __asm volatile("v_cvt_pk_u16_u32 %0, %1, %2" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
    __asm volatile("v_cvt_pk_i16_i32 %0, %1, %2" : "=v"(r) : "v"(a), "v"(b)); PUT(r);
#else
#define BY(x, k) ((x) >> 8 * (k) & 255)
#define LO(x) ((x) & 65535)
#define HI(x) ((x) >> 16)
#define PK(l, h) (((uint)(l) & 65535) | (uint)(h) << 16)
#define SL(x) ((int)(short)(x))
#define SH(x) ((int)(x) >> 16)
    ulong ab = (ulong)a << 32 | b;
    int sa = a, sb = b, sc = c;
    PUT(BY(b, 1) | BY(b, 3) << 8 | BY(a, 1) << 16 | BY(a, 3) << 24);
    PUT((a >> 31 ? 255u : 0) | (b >> 15 & 1 ? 0xff00u : 0) | 0xff0000u);
    PUT((uint)(ab >> (c & 31)));
    PUT((uint)(ab >> 8 * (c & 3)));
    PUT((a & b) | (~a & c));
    uint o = b & 31, w = c & 31;
    PUT(a >> o & ((1u << w) - 1));
    PUT(w == 0 ? 0 : o + w >= 32 ? sa >> o : (int)(a << (32 - o - w)) >> (32 - w));
    r = 0;
    for (uint k = 0; k < 4; k++)
        r |= ((BY(a, k) + BY(b, k) + (BY(c, k) & 1)) >> 1) << 8 * k;
    PUT(r);
    r = c;
    for (uint k = 0; k < 4; k++)
        r += abs_diff(BY(a, k), BY(b, k));
    PUT(r);
    PUT(c + abs_diff(LO(a), LO(b)) + abs_diff(HI(a), HI(b)));
    PUT(c + abs_diff(a, b));
    r = c;
    for (uint k = 0; k < 4; k++)
        r += BY(b, k) ? abs_diff(BY(a, k), BY(b, k)) : 0;
    PUT(r);
    PUT(min(min(sa, sb), sc));
    PUT(max(min(sa, sb), min(max(sa, sb), sc)));
    PUT(max(max(a, b), c));
    PUT(max(min(a, b), min(max(a, b), c)));
    PUT(a ^ b ^ c);
    PUT(a + b + c);
    PUT((a << (b & 31)) + c);
    PUT((a + b) << (c & 31));
    PUT((a & b) | c);
    PUT(a | b | c);
    PUT((a ^ b) + c);
    PUT(LO(a) * LO(b) + c);
    PUT((a & 0xffffff) * (b & 0xffffff) + c);
    int a24 = (int)(a << 8) >> 8, b24 = (int)(b << 8) >> 8;
    PUT((uint)((long)a24 * b24) + c);
    PUT(mul_hi(a, b));
    PUT(mul_hi(sa, sb));
    PUT((a & 0xffffff) * (b & 0xffffff));
    PUT((uint)((ulong)(a & 0xffffff) * (b & 0xffffff) >> 32));
    PUT((uint)((long)a24 * b24));
    PUT(popcount(a) + b);
    PUT(((1u << (a & 31)) - 1) << (b & 31));
    PUT(PK(LO(a) + LO(b), HI(a) + HI(b)));
    PUT(PK(LO(a) - LO(b), HI(a) - HI(b)));
    PUT(PK(LO(a) * LO(b), HI(a) * HI(b)));
    PUT(PK(min(SL(a), SL(b)), min(SH(a), SH(b))));
    PUT(PK(max(LO(a), LO(b)), max(HI(a), HI(b))));
    PUT(PK(LO(b) << (a & 15), HI(b) << (HI(a) & 15)));
    PUT(PK(SL(b) >> (a & 15), SH(b) >> (HI(a) & 15)));
    PUT(PK(a, b));
    PUT(PK(HI(a) + LO(b), LO(a) + HI(b)));
    PUT(PK(clamp(SL(a) + SL(b), -32768, 32767), clamp(SH(a) + SH(b), -32768, 32767)));
    PUT(add_sat(a, b));
    PUT(sub_sat(sa, sb));
    r = 0;
    for (uint k = 0; k < 32; k++)
        r |= (a >> k & 1) << (31 - k);
    PUT(r);
    PUT(a ? clz(a) : -1);
    PUT(a ? 31 - clz(a & -a) : -1);
    PUT(a == 0 || a == ~0u ? -1 : (int)clz(sa < 0 ? ~a : a));
    PUT(as_uint((float)BY(a, 2)));
    PUT(PK(min(a, 65535u), min(b, 65535u)));
    PUT(PK(clamp(sa, -32768, 32767), clamp(sb, -32768, 32767)));
#endif
}
// Float instructions with modifiers: neg, abs, clamp, omod, op_sel, mixed precision, med3, classes, ldexp, fract.
kernel void vector_floats(global const float *pa, global const float *pb, global const float *pc, global float *out, uint n)
{
    uint i = GID, row = 0;
    float a = pa[i], b = pb[i], c = pc[i], r;
#ifdef GPU
#define A3(text) __asm volatile(text : "=v"(r) : "v"(a), "v"(b), "v"(c)); PUT(r);
    A3("v_add_f32 %0, |%1|, -%2")
    A3("v_mul_f32 %0, %1, %2 clamp")
    A3("v_fma_f32 %0, -%1, |%2|, %3 clamp")
    A3("v_med3_f32 %0, %1, %2, %3")
    A3("v_min3_f32 %0, %1, %2, %3")
    A3("v_max3_f32 %0, %1, %2, %3")
    A3("v_minmax_f32 %0, %1, %2, %3")
    A3("v_maxmin_f32 %0, %1, -%2, %3")
    A3("v_fmamk_f32 %0, %1, 0x3fc00000, %2")
    A3("v_fmaak_f32 %0, %1, %2, 0x3e800000")
    __asm volatile("v_cndmask_b32 %0, %1, %2, %4\n v_add_f32 %0, %0, %3" : "=&v"(r) : "v"(a), "v"(b), "v"(c), "s"(0x0f0f0f0f)); PUT(r);
    uint k;
    __asm volatile("v_cmp_class_f32 vcc_lo, %1, 0x3ff\n v_cndmask_b32 %0, 0, 1, vcc_lo" : "=v"(k) : "v"(a) : "vcc"); PUT((float)k);
    __asm volatile("v_cvt_pk_rtz_f16_f32 %0, %1, %2" : "=v"(k) : "v"(a), "v"(b)); PUT((float)(k & 0x7fff) + (float)(k >> 16));
    __asm volatile("v_fma_mix_f32 %0, %1, %2, %3 op_sel_hi:[0,0,0]" : "=v"(r) : "v"(a), "v"(b), "v"(c)); PUT(r);
    __asm volatile("v_mul_legacy_f32 %0, %1, %2" : "=v"(r) : "v"(i & 1 ? 0.0f : a), "v"(b)); PUT(r);
    __asm volatile("v_mul_f32 %0, %1, %2 mul:2" : "=v"(r) : "v"(a), "v"(b)); PUT(r * 0); // omod is off with denormals on
#else
    // IEEE minimum and maximum of numbers, clamp to 0..1.
#define SAT(x) fmin(fmax((x), 0.0f), 1.0f)
    PUT(fabs(a) - b);
    PUT(SAT(a * b));
    PUT(SAT(fma(-a, fabs(b), c)));
    PUT(fmax(fmin(a, b), fmin(fmax(a, b), c)));
    PUT(fmin(fmin(a, b), c));
    PUT(fmax(fmax(a, b), c));
    PUT(fmax(fmin(a, b), c));
    PUT(fmin(fmax(a, -b), c));
    PUT(fma(a, 1.5f, b));
    PUT(fma(a, b, 0.25f));
    PUT((0x0f0f0f0f >> L & 1 ? b : a) + c);
    PUT(1.0f);
    private ushort h[2];
    vstore_half_rtz(a, 0, (private half *)h);
    vstore_half_rtz(b, 1, (private half *)h);
    PUT((float)(h[0] & 0x7fff) + (float)h[1]);
    PUT(fma(a, b, c));
    PUT(i & 1 ? 0.0f : a * b);
    PUT((a * b) * 0);
#endif
}
