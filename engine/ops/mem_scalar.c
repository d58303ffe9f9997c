/* Scalar loads. Dword loads ignore the two low address bits. s_buffer_load: each dword past num_records
 * (times the stride, when there is one) reads 0. */
#include "engine/ops/memx.h"

INLINE uint32_t widen(const uint8_t *p, enum conv c)
{
    return cv_get(c, p, 0, 0);
}

static int missing(struct wave *w, const struct lane_insn *in, uint64_t va)
{
    return wave_fault(w, in, mem_find(w->mem, va) ? FAULT_READ_ONLY : FAULT_UNMAPPED, ACCESS_READ, va,
                      wave_exec(w), "scalar load: %s",
                      mem_find(w->mem, va) ? "the mapping does not allow reads" : "nothing is mapped there");
}

/* n dwords (or one sub-dword element) at va into scalar registers; those a range does not hold at once are
 * read dword by dword. */
INLINE int s_load(struct wave *w, const struct lane_insn *in, enum conv c, unsigned n)
{
    uint64_t va = opnd_s64(w, &in->s[2]) + opnd_s32(w, &in->s[3]) + (uint64_t)(int64_t)in->imm;
    unsigned bytes = c == CV_B32 ? n * 4 : cv_bytes(c);
    uint32_t *d = &w->s[in->d.reg], x[16];
    w->ip = in + 1; /* a host fault finds the instruction here */
    if (c == CV_B32)
        va &= ~3ull;
    const uint8_t *p = span_at(w, in, va, bytes, MEM_READ);
    if (c != CV_B32) {
        if (!p)
            return missing(w, in, va);
        *d = widen(p, c);
        return 0;
    }
    if (__builtin_expect(p != NULL, 1)) {
        memcpy(d, p, bytes);
        return 0;
    }
    for (unsigned k = 0; k < n; k++) {
        p = span_at(w, in, va + k * 4, 4, MEM_READ);
        if (!p)
            return missing(w, in, va + k * 4);
        x[k] = get32(p);
    }
    memcpy(d, x, bytes);
    return 0;
}

INLINE int s_buffer_load(struct wave *w, const struct lane_insn *in, enum conv c, unsigned n)
{
    const uint32_t *srd = &w->s[in->s[2].reg];
    uint64_t base = srd[0] | (uint64_t)(srd[1] & 0xffff) << 32, stride = srd[1] >> 16 & 0x3fff;
    uint64_t end = (uint64_t)srd[2] * (stride ? stride : 1);
    uint64_t o = (uint64_t)opnd_s32(w, &in->s[3]) + (uint32_t)in->imm;
    uint32_t x[16];
    unsigned bytes = cv_bytes(c);
    w->ip = in + 1;
    if (c == CV_B32)
        o &= ~3ull;
    for (unsigned k = 0; k < n; k++, o += 4) {
        x[k] = 0;
        if (o + bytes > end)
            continue;
        const uint8_t *p = span_at(w, in, base + o, bytes, MEM_READ);
        if (!p)
            return missing(w, in, base + o);
        x[k] = widen(p, c);
    }
    memcpy(&w->s[in->d.reg], x, n * 4u);
    return 0;
}

#define SCALARS(S, how)                                                                                      \
    S(how##_i8, how, CV_I8, 1)                                                                               \
    S(how##_u8, how, CV_U8, 1)                                                                               \
    S(how##_i16, how, CV_I16, 1)                                                                             \
    S(how##_u16, how, CV_U16, 1)                                                                             \
    S(how##_b32, how, CV_B32, 1)                                                                             \
    S(how##_b64, how, CV_B32, 2)                                                                             \
    S(how##_b96, how, CV_B32, 3)                                                                             \
    S(how##_b128, how, CV_B32, 4)                                                                            \
    S(how##_b256, how, CV_B32, 8)                                                                            \
    S(how##_b512, how, CV_B32, 16)

#define DEFINE(name, how, c, n)                                                                              \
    static int op_##name(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        return how(w, in, c, n);                                                                             \
    }
SCALARS(DEFINE, s_load)
SCALARS(DEFINE, s_buffer_load)

#define ENTRY(name, how, c, n) {OP_##name, op_##name, op_##name},
extern const struct lane_op_row OPS_TABLE(mem_scalar)[];
const struct lane_op_row OPS_TABLE(mem_scalar)[] = {SCALARS(ENTRY, s_load)
                                                        SCALARS(ENTRY, s_buffer_load){0, 0, 0}};
