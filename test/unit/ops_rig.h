/* A wave by itself, to run single operations: registers v0.. hold operands, the result goes to v16. For the
 * ops_* tests only.
 */
#ifndef NX_TEST_OPS_RIG_H
#define NX_TEST_OPS_RIG_H
#include "engine/ops.h"
#include "engine/wave.h"
#include "test/test.h"
#include <stdlib.h>

enum { RIG_VREGS = 64, RIG_DST = 32 };
#define TABLE(name) extern const struct lane_op_row OPS_TABLE_(name, base)[];
#include "engine/ops_tables.def"
#undef TABLE
#if defined(__x86_64__)
#define TABLE(name) extern const struct lane_op_row OPS_TABLE_(name, v3)[];
#include "engine/ops_tables.def"
#undef TABLE
#endif
static const struct lane_op_row *const rig_tables[2][32] = {{
#define TABLE(name) OPS_TABLE_(name, base),
#include "engine/ops_tables.def"
#undef TABLE
                                                            },
                                                            {
#if defined(__x86_64__)
#define TABLE(name) OPS_TABLE_(name, v3),
#include "engine/ops_tables.def"
#undef TABLE
#endif
                                                            }};

struct rig {
    struct wave w;
    struct workgroup group;
    struct eng_fault fault;
    _Alignas(64) uint32_t v[RIG_VREGS * LANES], pool[8 * LANES];
    struct lane_insn in;
};

static uint64_t rig_seed = 1;
static inline uint64_t rig_random(void)
{
    uint64_t z = rig_seed += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}
/* The variants this CPU can run: 1 or 2. */
static inline int rig_variants(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")
               ? 2
               : 1;
#else
    return 1;
#endif
}
static inline lane_fn *rig_fn(int variant, unsigned op, unsigned width)
{
    for (int t = 0; t < 32 && rig_tables[variant][t]; t++)
        for (const struct lane_op_row *r = rig_tables[variant][t]; r->fn32; r++)
            if (r->op == op)
                return width == 64 ? r->fn64 : r->fn32;
    return NULL;
}
static inline unsigned rig_dwords(unsigned type)
{
    switch (type) {
    case LT_NONE:
        return 0;
    case LT_U64:
    case LT_I64:
    case LT_F64:
    case LT_B64:
    case LT_PKF32:
        return 2;
    case LT_B96:
        return 3;
    case LT_B128:
        return 4;
    case LT_B256:
        return 8;
    case LT_B512:
        return 16;
    default:
        return 1;
    }
}
/* A wave of `width` lanes, all on, running `op` with plain vector operands: source k at v[8 * k], masks in
 * s[20], s[22], ... (source k: s[20 + 2 * k]), results in v[RIG_DST], s[10], d2 in s[12]. */
static inline void rig_init(struct rig *r, unsigned op, unsigned width)
{
    memset(r, 0, sizeof *r);
    r->w.v = r->v;
    r->w.pool = r->pool;
    r->w.width = (uint8_t)width;
    r->w.nvregs = RIG_VREGS;
    r->w.group = &r->group;
    r->group.fault = &r->fault;
    r->group.waves = r->group.waves_live = 1;
    r->w.mode = 0x3f0; /* denormals kept, DX10_CLAMP, IEEE */
    r->w.s[SREG_EXEC] = ~0u;
    r->w.s[SREG_EXEC + 1] = width == 64 ? ~0u : 0;
    const struct lane_op_info *info = &lane_ops[op];
    r->in.op = (uint16_t)op;
    r->in.flags = LF_SIMPLE;
    if (info->d == LT_MASK)
        r->in.d = (struct lane_opnd){.kind = LK_SREG, .dwords = 2, .reg = 10};
    else if (info->d)
        r->in.d = (struct lane_opnd){.kind = LK_VREG, .dwords = (uint8_t)rig_dwords(info->d), .reg = RIG_DST};
    if (info->d2)
        r->in.d2 = (struct lane_opnd){.kind = LK_SREG, .dwords = 2, .reg = 12};
    for (unsigned k = 0; k < 4; k++) {
        if (info->s[k] == LT_MASK)
            r->in.s[k] = (struct lane_opnd){.kind = LK_SREG, .dwords = 2, .reg = (uint16_t)(20 + 2 * k)};
        else if (info->s[k])
            r->in.s[k] = (struct lane_opnd){
                .kind = LK_VREG, .dwords = (uint8_t)rig_dwords(info->s[k]), .reg = (uint16_t)(8 * k)};
        if (info->s[k] >= LT_PKU16 && info->s[k] <= LT_PKBF16)
            r->in.s[k].mods = LM_HI_HI;
    }
}
static inline uint32_t *rig_v(struct rig *r, unsigned reg)
{
    return r->v + (size_t)reg * r->w.width;
}
static inline uint64_t rig_get(struct rig *r, unsigned reg, unsigned dwords, unsigned lane)
{
    return rig_v(r, reg)[lane] | (dwords > 1 ? (uint64_t)rig_v(r, reg + 1)[lane] << 32 : 0);
}
static inline void rig_set(struct rig *r, unsigned reg, unsigned dwords, unsigned lane, uint64_t v)
{
    rig_v(r, reg)[lane] = (uint32_t)v;
    if (dwords > 1)
        rig_v(r, reg + 1)[lane] = (uint32_t)(v >> 32);
}

/* A value of an operand type: edges half of the time. */
static inline uint64_t rig_value(unsigned type)
{
    static const uint32_t e32[] = {
        0,          1,          2,          0x7f,       0x80,       0xff,       0x7fff,     0x8000,
        0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
        0x7fc00000, 0x7f800001, 0xffa00000, 0x00800000, 0x007fffff, 0x80000001, 0x7f7fffff, 0x3f000000,
        0x4b000001, 0x4f000000, 0xcf000000, 0x33000000, 0x477ff000, 0x40490fdb, 0x3fc00000, 0xc0200000};
    static const uint16_t e16[] = {0,      1,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00,
                                   0x7c01, 0xfd00, 0x0400, 0x03ff, 0x8001, 0x7bff, 0xfbff, 0x3800,
                                   0xffff, 0x7fff, 0x4248, 0x3e00, 0xc100, 0x6400};
    static const uint64_t e64[] = {0,
                                   1,
                                   ~0ull,
                                   1ull << 63,
                                   ~(1ull << 63),
                                   0x3ff0000000000000,
                                   0xbff0000000000000,
                                   0x7ff0000000000000,
                                   0xfff0000000000000,
                                   0x7ff8000000000000,
                                   0x7ff0000000000001,
                                   0xfff4000000000000,
                                   0x0010000000000000,
                                   0x000fffffffffffff,
                                   0x7fefffffffffffff,
                                   0x3fe0000000000000,
                                   0x4340000000000001,
                                   0x41dfffffffe00000,
                                   0xc1e0000000000000,
                                   0x3690000000000000,
                                   0x47efffffffffffff,
                                   0xffffffff,
                                   0x100000000,
                                   0x4004000000000000};
    uint64_t x = rig_random(), n = x >> 8;
    if (rig_dwords(type) >= 2) {
        if (!(x & 1))
            return e64[n % (sizeof e64 / sizeof *e64)];
        if ((x & 2) && type == LT_F64) /* of moderate size */
            return (rig_random() & 0x800fffffffffffffull) | (1000 + n % 64) << 52;
        return rig_random();
    }
    uint32_t lo16 = x & 2 ? e16[n % (sizeof e16 / sizeof *e16)] : (uint16_t)n;
    if (type == LT_U16 || type == LT_I16 || type == LT_F16 || type == LT_BF16 ||
        (type >= LT_PKU16 && type <= LT_PKBF16))
        return lo16 | (uint32_t)(x & 4 ? e16[n / 64 % (sizeof e16 / sizeof *e16)] : (uint16_t)(n >> 20))
                          << 16;
    if (!(x & 1))
        return e32[n % (sizeof e32 / sizeof *e32)];
    if ((x & 6) == 2)
        return (uint32_t)n & 63;
    if ((x & 6) == 4 && type == LT_F32)
        return ((uint32_t)rig_random() & 0x807fffffu) | (uint32_t)(112 + n % 32) << 23;
    return (uint32_t)rig_random();
}
static inline void rig_fill(struct rig *r)
{
    const struct lane_op_info *info = &lane_ops[r->in.op];
    for (unsigned i = 0; i < RIG_VREGS * LANES; i++)
        r->v[i] = (uint32_t)rig_random();
    for (unsigned i = 0; i < SREG_VCC; i++)
        r->w.s[i] = (uint32_t)rig_random();
    for (unsigned k = 0; k < 4; k++)
        for (unsigned l = 0; l < r->w.width && info->s[k] && info->s[k] != LT_MASK; l++)
            for (unsigned d = 0; d < rig_dwords(info->s[k]); d += 2)
                rig_set(r, 8 * k + d, rig_dwords(info->s[k]), l, rig_value(info->s[k]));
}
#endif
