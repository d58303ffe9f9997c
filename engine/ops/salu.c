/* Scalar operations: integer, logic, EXEC handling, compares, moves. SCC and the result are computed by the
 * one expression of each row; b32 and b64 forms differ in type only. */
#include "base/bits.h"
#include "engine/ops.h"
#include "engine/wave.h"
#include "engine/ops/scalar.h"

/* d = expr of a, b (and the old d where s[1] is absent); `scc` may be assigned. */
#define S(name, T, ...)                                                                                      \
    static int op_##name(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        T##_t a = scalar_##T(w, &in->s[0]), b = scalar_##T(w, &in->s[1]), d = 0;                             \
        (void)a;                                                                                             \
        uint32_t scc = w->scc;                                                                               \
        (void)b;                                                                                             \
        __VA_ARGS__;                                                                                         \
        scalar_set_##T(w, &in->d, d);                                                                        \
        w->scc = scc;                                                                                        \
        return 0;                                                                                            \
    }
/* Result of another width than the source. */
#define SX(name, D, T, ...)                                                                                  \
    static int op_##name(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        T##_t a = scalar_##T(w, &in->s[0]);                                                                  \
        D##_t d;                                                                                             \
        uint32_t scc = w->scc;                                                                               \
        __VA_ARGS__;                                                                                         \
        scalar_set_##D(w, &in->d, d);                                                                        \
        w->scc = scc;                                                                                        \
        return 0;                                                                                            \
    }
#define CMP(name, T, cond)                                                                                   \
    static int op_##name(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        T##_t a = (T##_t)scalar_uint64(w, &in->s[0]), b = (T##_t)scalar_uint64(w, &in->s[1]);                \
        (void)b;                                                                                             \
        w->scc = (cond);                                                                                     \
        return 0;                                                                                            \
    }

S(s_add_u32, uint32, d = a + b; scc = d < a)
S(s_sub_u32, uint32, d = a - b; scc = b > a)
S(s_addc_u32, uint32, uint64_t t = (uint64_t)a + b + scc; d = (uint32_t)t; scc = (uint32_t)(t >> 32))
S(s_subb_u32, uint32, uint64_t t = (uint64_t)b + scc; d = (uint32_t)(a - t); scc = t > a)
S(s_add_i32, uint32, d = a + b; scc = (~(a ^ b) & (a ^ d)) >> 31)
S(s_sub_i32, uint32, d = a - b; scc = ((a ^ b) & (a ^ d)) >> 31)
S(s_min_u32, uint32, scc = a < b; d = scc ? a : b)
S(s_max_u32, uint32, scc = a >= b; d = scc ? a : b)
S(s_min_i32, uint32, scc = (int32_t)a < (int32_t)b; d = scc ? a : b)
S(s_max_i32, uint32, scc = (int32_t)a >= (int32_t)b; d = scc ? a : b)
S(s_mul_i32, uint32, d = a * b)
S(s_mul_hi_u32, uint32, d = (uint32_t)((uint64_t)a * b >> 32))
S(s_mul_hi_i32, uint32, d = (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32))
#define LSHL_ADD(n)                                                                                          \
    S(s_lshl##n##_add_u32, uint32, uint64_t t = ((uint64_t)a << n) + b; d = (uint32_t)t; scc = t >> 32 != 0)
LSHL_ADD(1)
LSHL_ADD(2)
LSHL_ADD(3)
LSHL_ADD(4)
S(s_absdiff_i32, uint32, d = a - b; if ((int32_t)d < 0) d = -d; scc = d != 0)
S(s_lshl_b32, uint32, d = a << (b & 31); scc = d != 0)
S(s_lshr_b32, uint32, d = a >> (b & 31); scc = d != 0)
S(s_ashr_i32, uint32, d = (uint32_t)((int32_t)a >> (b & 31)); scc = d != 0)
S(s_bfm_b32, uint32, d = ((1u << (a & 31)) - 1) << (b & 31))
S(s_bfe_u32, uint32, d = (uint32_t)bfe(a, b & 31, b >> 16 & 127, 32); scc = d != 0)
S(s_bfe_i32, uint32, unsigned n = b >> 16 & 127; d = (uint32_t)bfe_sext(a, b & 31, n, 32); scc = d != 0)
S(s_pack_ll_b32_b16, uint32, d = (a & 0xffff) | b << 16)
S(s_pack_lh_b32_b16, uint32, d = (a & 0xffff) | (b & 0xffff0000u))
S(s_pack_hh_b32_b16, uint32, d = a >> 16 | (b & 0xffff0000u))
S(s_pack_hl_b32_b16, uint32, d = a >> 16 | b << 16)

#define LOGIC(op, expr)                                                                                      \
    S(s_##op##_b32, uint32, d = (expr); scc = d != 0)                                                        \
    S(s_##op##_b64, uint64, d = (expr); scc = d != 0)
LOGIC(and, a &b)
LOGIC(or, a | b)
LOGIC(xor, a ^ b)
LOGIC(nand, ~(a &b))
LOGIC(nor, ~(a | b))
LOGIC(xnor, ~(a ^ b))
LOGIC(and_not1, a & ~b)
LOGIC(or_not1, a | ~b)
LOGIC(not, ~a)
S(s_cselect_b32, uint32, d = scc ? a : b)
S(s_cselect_b64, uint64, d = scc ? a : b)

S(s_add_nc_u64, uint64, d = a + b)
S(s_sub_nc_u64, uint64, d = a - b)
S(s_mul_u64, uint64, d = a * b)
S(s_lshl_b64, uint64, d = a << (b & 63); scc = d != 0)
S(s_lshr_b64, uint64, d = a >> (b & 63); scc = d != 0)
S(s_ashr_i64, uint64, d = (uint64_t)((int64_t)a >> (b & 63)); scc = d != 0)
S(s_bfm_b64, uint64, d = ((1ull << (a & 63)) - 1) << (b & 63))
S(s_bfe_u64, uint64, d = bfe(a, b & 63, b >> 16 & 127, 64); scc = d != 0)
S(s_bfe_i64, uint64, unsigned n = b >> 16 & 127; d = (uint64_t)bfe_sext(a, b & 63, n, 64); scc = d != 0)

S(s_mov_b32, uint32, d = a)
S(s_mov_b64, uint64, d = a)
S(s_brev_b32, uint32, d = brev32(a))
S(s_brev_b64, uint64, d = (uint64_t)brev32((uint32_t)a) << 32 | brev32((uint32_t)(a >> 32)))
S(s_bcnt0_i32_b32, uint32, d = 32 - (uint32_t)__builtin_popcount(a); scc = d != 0)
S(s_bcnt1_i32_b32, uint32, d = (uint32_t)__builtin_popcount(a); scc = d != 0)
SX(s_bcnt0_i32_b64, uint32, uint64, d = 64 - (uint32_t)__builtin_popcountll(a); scc = d != 0)
SX(s_bcnt1_i32_b64, uint32, uint64, d = (uint32_t)__builtin_popcountll(a); scc = d != 0)
S(s_ctz_i32_b32, uint32, d = a ? (uint32_t)__builtin_ctz(a) : ~0u)
SX(s_ctz_i32_b64, uint32, uint64, d = a ? (uint32_t)__builtin_ctzll(a) : ~0u)
S(s_ff0_i32_b32, uint32, d = ~a ? (uint32_t)__builtin_ctz(~a) : ~0u)
SX(s_ff0_i32_b64, uint32, uint64, d = ~a ? (uint32_t)__builtin_ctzll(~a) : ~0u)
S(s_clz_i32_u32, uint32, d = a ? (uint32_t)__builtin_clz(a) : ~0u)
SX(s_clz_i32_u64, uint32, uint64, d = a ? (uint32_t)__builtin_clzll(a) : ~0u)
/* Leading bits equal to the sign bit; all equal: -1. */
S(s_cls_i32, uint32, uint32_t x = (int32_t)a < 0 ? ~a : a; d = x ? (uint32_t)__builtin_clz(x) : ~0u)
SX(s_cls_i32_i64, uint32, uint64, uint64_t x = (int64_t)a < 0 ? ~a : a;
   d = x ? (uint32_t)__builtin_clzll(x) : ~0u)
S(s_sext_i32_i8, uint32, d = (uint32_t)(int8_t)a)
S(s_sext_i32_i16, uint32, d = (uint32_t)(int16_t)a)
S(s_abs_i32, uint32, d = (int32_t)a < 0 ? -a : a; scc = d != 0)
SX(s_quadmask_b32, uint32, uint32, d = (uint32_t)quadmask(a); scc = d != 0)
SX(s_quadmask_b64, uint64, uint64, d = quadmask(a); scc = d != 0)
S(s_wqm_b32, uint32, d = (uint32_t)wqm(a); scc = d != 0)
S(s_wqm_b64, uint64, d = wqm(a); scc = d != 0)
SX(s_bitreplicate_b64_b32, uint64, uint32, d = 0;
   for (int i = 0; i < 32; i++) d |= (a >> i & 1ull) * 3 << (2 * i))
S(s_bitset0_b32, uint32, d = scalar_uint32(w, &in->d) & ~(1u << (a & 31)))
S(s_bitset1_b32, uint32, d = scalar_uint32(w, &in->d) | 1u << (a & 31))
S(s_bitset0_b64, uint64, d = scalar_uint64(w, &in->d) & ~(1ull << (a & 63)))
S(s_bitset1_b64, uint64, d = scalar_uint64(w, &in->d) | 1ull << (a & 63))
S(s_cmov_b32, uint32, d = scc ? a : scalar_uint32(w, &in->d))
S(s_cmov_b64, uint64, d = scc ? a : scalar_uint64(w, &in->d))

/* EXEC = f(a, EXEC); the saveexec forms return the old EXEC, the wrexec forms the new one. */
#define SAVEEXEC(op, bits, result, f)                                                                        \
    S(s_##op##_b##bits, uint##bits, struct lane_opnd e = {.reg = SREG_EXEC, .kind = LK_SREG};                \
      b = scalar_uint##bits(w, &e); uint##bits##_t x = (f); scalar_set_uint##bits(w, &e, x); d = (result);   \
      scc = x != 0)
#define SAVEEXEC2(op, result, f) SAVEEXEC(op, 32, result, f) SAVEEXEC(op, 64, result, f)
SAVEEXEC2(and_saveexec, b, a &b)
SAVEEXEC2(or_saveexec, b, a | b)
SAVEEXEC2(xor_saveexec, b, a ^ b)
SAVEEXEC2(nand_saveexec, b, ~(a &b))
SAVEEXEC2(nor_saveexec, b, ~(a | b))
SAVEEXEC2(xnor_saveexec, b, ~(a ^ b))
SAVEEXEC2(and_not0_saveexec, b, ~a &b)
SAVEEXEC2(and_not1_saveexec, b, a & ~b)
SAVEEXEC2(or_not0_saveexec, b, ~a | b)
SAVEEXEC2(or_not1_saveexec, b, a | ~b)
SAVEEXEC2(and_not0_wrexec, x, ~a &b)
SAVEEXEC2(and_not1_wrexec, x, a & ~b)

#define CMP32(op, c)                                                                                         \
    CMP(s_cmp_##op##_i32, int32, a c b)                                                                      \
    CMP(s_cmp_##op##_u32, uint32, a c b)
CMP32(eq, ==)
CMP32(lg, !=)
CMP32(gt, >)
CMP32(ge, >=)
CMP32(lt, <)
CMP32(le, <=)
CMP(s_cmp_eq_u64, uint64, a == b)
CMP(s_cmp_lg_u64, uint64, a != b)
CMP(s_bitcmp0_b32, uint32, !(a >> (b & 31) & 1))
CMP(s_bitcmp1_b32, uint32, a >> (b & 31) & 1)
CMP(s_bitcmp0_b64, uint64, !(a >> (b & 63) & 1))
CMP(s_bitcmp1_b64, uint64, a >> (b & 63) & 1)

/* SOPK: the constant is imm; the unsigned compares take its low 16 bits. */
#define K32 (uint32_t) in->imm
S(s_movk_i32, uint32, d = K32)
S(s_cmovk_i32, uint32, d = scc ? K32 : a)
S(s_addk_i32, uint32, d = a + K32; scc = (~(a ^ K32) & (a ^ d)) >> 31)
S(s_mulk_i32, uint32, d = a * K32)
#define CMPK(op, c)                                                                                          \
    CMP(s_cmpk_##op##_i32, int32, a c in->imm)                                                               \
    CMP(s_cmpk_##op##_u32, uint32, a c(K32 & 0xffff))
CMPK(eq, ==)
CMPK(lg, !=)
CMPK(gt, >)
CMPK(ge, >=)
CMPK(lt, <)
CMPK(le, <=)

/* Indexed moves: M0 is added to a register number; outside the register file it is an illegal instruction. */
static int movrel(struct wave *w, const struct lane_insn *in, uint32_t src_off, uint32_t dst_off,
                  unsigned dwords)
{
    uint32_t s = in->s[0].reg + src_off, d = in->d.reg + dst_off;
    if (s + dwords > SREG_VCC + 2 || d + dwords > SREG_VCC + 2)
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_NONE, 0, wave_exec(w),
                          "indexed scalar move reaches s%u and s%u, past the register file", s, d);
    uint32_t t[2] = {w->s[s], w->s[s + dwords - 1]};
    memcpy(&w->s[d], t, 4 * dwords);
    return 0;
}
#define MOVREL(name, so, dof, n)                                                                             \
    static int op_##name(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        uint32_t m0 = w->s[SREG_M0];                                                                         \
        (void)m0;                                                                                            \
        return movrel(w, in, so, dof, n);                                                                    \
    }
MOVREL(s_movrels_b32, m0, 0, 1)
MOVREL(s_movrels_b64, m0, 0, 2)
MOVREL(s_movreld_b32, 0, m0, 1)
MOVREL(s_movreld_b64, 0, m0, 2)
MOVREL(s_movrelsd_2_b32, m0 & 0x3ff, m0 >> 16 & 0x3ff, 1)

#define ROW(name)  {OP_##name, op_##name, op_##name},
#define ROW2(name) ROW(name##_b32) ROW(name##_b64)
#define ROWS6(pre, suf)                                                                                      \
    ROW(pre##eq##suf)                                                                                        \
    ROW(pre##lg##suf) ROW(pre##gt##suf) ROW(pre##ge##suf) ROW(pre##lt##suf) ROW(pre##le##suf)
const struct lane_op_row OPS_TABLE(salu)[] = {
    ROW(s_add_u32) ROW(s_sub_u32) ROW(s_addc_u32) ROW(s_subb_u32) ROW(s_add_i32) ROW(s_sub_i32) ROW(s_min_u32)
        ROW(s_max_u32) ROW(s_min_i32) ROW(s_max_i32) ROW(s_mul_i32) ROW(s_mul_hi_u32) ROW(s_mul_hi_i32)
            ROW(s_lshl1_add_u32) ROW(s_lshl2_add_u32) ROW(s_lshl3_add_u32) ROW(s_lshl4_add_u32)
                ROW(s_absdiff_i32) ROW2(s_lshl) ROW2(s_lshr) ROW(s_ashr_i32) ROW(s_ashr_i64) ROW2(s_bfm)
                    ROW(s_bfe_u32) ROW(s_bfe_i32) ROW(s_bfe_u64) ROW(s_bfe_i64) ROW(s_pack_ll_b32_b16)
                        ROW(s_pack_lh_b32_b16) ROW(s_pack_hh_b32_b16) ROW(s_pack_hl_b32_b16) ROW2(s_and)
                            ROW2(s_or) ROW2(s_xor) ROW2(s_nand) ROW2(s_nor) ROW2(s_xnor) ROW2(s_and_not1)
                                ROW2(s_or_not1) ROW2(s_not) ROW2(s_cselect) ROW(s_add_nc_u64) ROW(
                                    s_sub_nc_u64) ROW(s_mul_u64) ROW2(s_mov) ROW2(s_brev) ROW2(s_bcnt0_i32)
                                    ROW2(s_bcnt1_i32) ROW2(s_ctz_i32) ROW2(s_ff0_i32) ROW(s_clz_i32_u32) ROW(
                                        s_clz_i32_u64) ROW(s_cls_i32) ROW(s_cls_i32_i64) ROW(s_sext_i32_i8)
                                        ROW(s_sext_i32_i16)
                                            ROW(s_abs_i32) ROW2(s_quadmask) ROW2(s_wqm) ROW(
                                                s_bitreplicate_b64_b32) ROW2(s_bitset0) ROW2(s_bitset1)
                                                ROW2(s_cmov) ROW2(s_and_saveexec) ROW2(s_or_saveexec) ROW2(
                                                    s_xor_saveexec) ROW2(s_nand_saveexec) ROW2(s_nor_saveexec)
                                                    ROW2(s_xnor_saveexec) ROW2(s_and_not0_saveexec) ROW2(
                                                        s_and_not1_saveexec) ROW2(s_or_not0_saveexec)
                                                        ROW2(s_or_not1_saveexec) ROW2(s_and_not0_wrexec) ROW2(
                                                            s_and_not1_wrexec) ROWS6(s_cmp_,
                                                                                     _i32) ROWS6(s_cmp_, _u32)
                                                            ROW(s_cmp_eq_u64) ROW(
                                                                s_cmp_lg_u64) ROW2(s_bitcmp0) ROW2(s_bitcmp1)
                                                                ROW(s_movk_i32)
                                                                    ROW(s_cmovk_i32) ROW(s_addk_i32) ROW(
                                                                        s_mulk_i32) ROWS6(s_cmpk_, _i32)
                                                                        ROWS6(s_cmpk_, _u32) ROW2(s_movrels)
                                                                            ROW2(s_movreld)
                                                                                ROW(s_movrelsd_2_b32){0, 0,
                                                                                                      0}};
