#include "engine/ops/valu.h"

/* The class bit of a float with magnitude m: inf and tiny are the bits of infinity and of the smallest
 * normal, quiet is the number of the quiet bit. */
INLINE uint32_t float_class(uint64_t m, uint64_t neg, uint64_t inf, uint64_t tiny, unsigned quiet)
{
    uint32_t nan = m >> quiet & 1 ? 2 : 1;
    unsigned rank = m == inf ? 0 : m >= tiny ? 1 : m ? 2 : 3; /* inf, normal, denormal, zero */
    return m > inf ? nan : neg ? 1u << (2 + rank) : 1u << (9 - rank);
}

/* The result bits go to d; a v_cmpx (they follow all v_cmp rows) writes EXEC, too. */
static int put_mask(struct wave *w, const struct lane_insn *in, uint64_t bits)
{
    int x = in->op >= OP_v_cmpx_f_f16;
    if (in->d.kind == LK_SREG)
        wave_set_mask(w, in->d.reg, bits);
    else if (!x || in->d.kind != LK_NONE)
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, wave_pc_of(w, in), bits,
                          "%s lacks a result register", lane_ops[in->op].name);
    if (x)
        wave_set_mask(w, SREG_EXEC, bits);
    return 0;
}

#define CMP(p, s, A, B, cond)                                                                                \
    INLINE uint32_t k_##p##_##s(const E_##A *restrict a_, const E_##B *restrict b_)                          \
    {                                                                                                        \
        uint32_t t_[CHUNK], r_ = 0;                                                                          \
        LANE_LOOP                                                                                            \
        {                                                                                                    \
            const C_##A a = (C_##A)a_[i];                                                                    \
            const C_##B b = (C_##B)b_[i];                                                                    \
            (void)a, (void)b;                                                                                \
            t_[i] = (cond) ? 1u << i : 0;                                                                    \
        }                                                                                                    \
        LANE_LOOP r_ |= t_[i];                                                                               \
        return r_;                                                                                           \
    }                                                                                                        \
    static int f_##p##_##s(struct wave *w, const struct lane_insn *in)                                       \
    {                                                                                                        \
        struct vop o;                                                                                        \
        uint64_t r = 0;                                                                                      \
        if (vop_begin(w, in, &o, 2, 0))                                                                      \
            return WAVE_FAULT;                                                                               \
        for (unsigned at = 0; at < w->width; at += CHUNK) {                                                  \
            E_##A ta[CHUNK];                                                                                 \
            E_##B tb[CHUNK];                                                                                 \
            r |= (uint64_t)k_##p##_##s(LD_##A(ta, 0), LD_##B(tb, 1)) << at;                                  \
        }                                                                                                    \
        return put_mask(w, in, r & o.exec);                                                                  \
    }
#include "engine/ops/cmp.def"
#undef CMP

#define CMP(p, s, A, B, cond)                                                                                \
    {OP_v_cmp_##p##_##s, f_##p##_##s, f_##p##_##s}, {OP_v_cmpx_##p##_##s, f_##p##_##s, f_##p##_##s},
const struct lane_op_row OPS_TABLE(valu_cmp)[] = {
#include "engine/ops/cmp.def"
    {0, NULL, NULL}};
