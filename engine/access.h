/* One lane's memory access, any address mode: the careful path behind the vector paths of engine/ops/mem_*.c,
 * and the place where the range rules are written down. Not for speed.
 *
 * Rules (AMD ISA documents; see each function in access.c): global and flat memory must be mapped with the
 * right permission, byte by byte. LDS: an access that passes the workgroup's allocation reads 0; a store
 * writes the bytes inside. Buffers: each dword is checked; outside reads 0, stores are dropped. Scratch past
 * the lane's size is a fault. Accesses need not be aligned, but atomics must be.
 */
#ifndef NX_ENGINE_ACCESS_H
#define NX_ENGINE_ACCESS_H
#include "engine/mem.h"
#include "engine/wave.h"

/* Reads (writes) n <= 16 bytes of each lane of `lanes` into (from) buf[lane]. imm: the offset to use
 * (in->imm, or imm2 of two-address forms). 0, or WAVE_FAULT: the lanes that could not are in the fault; the
 * others are done. */
int access_load(struct wave *w, const struct lane_insn *in, int32_t imm, unsigned n, uint64_t lanes,
                uint8_t (*buf)[16]);
int access_store(struct wave *w, const struct lane_insn *in, int32_t imm, unsigned n, uint64_t lanes,
                 uint8_t (*buf)[16]);
/* Host address of one lane's aligned n-byte operand (4 or 8), for atomics. NULL with *drop set: out of range,
 * reads 0 and writes nothing. NULL with *drop = 0: fault reported. *lds: no other thread sees it. */
void *access_atomic(struct wave *w, const struct lane_insn *in, int32_t imm, unsigned n, unsigned lane,
                    int *drop, int *lds);
/* The range that holds [va, va + n) with prot, entered in the wave's table for this instruction; NULL when
 * there is none. */
const struct mem_hot *access_range(struct wave *w, const struct lane_insn *in, uint64_t va, uint64_t n,
                                   uint32_t prot);
/* Which lanes' accesses of n bytes touch the page of va (after a host fault). */
uint64_t access_lanes_at(struct wave *w, const struct lane_insn *in, unsigned n, uint64_t va);

/* Operand readers for any kind (absent: 0). */
uint32_t opnd_lane32(const struct wave *w, const struct lane_opnd *o, unsigned lane);
static inline uint32_t opnd_s32(const struct wave *w, const struct lane_opnd *o)
{
    return o->kind == LK_SREG ? w->s[o->reg] : o->kind == LK_CONST ? w->pool[o->reg * LANES] : 0;
}
static inline uint64_t opnd_s64(const struct wave *w, const struct lane_opnd *o)
{
    if (o->kind == LK_SREG)
        return wave_s64(w, o->reg);
    if (o->kind == LK_CONST)
        return w->pool[o->reg * LANES] | (o->dwords > 1 ? (uint64_t)w->pool[(o->reg + 1) * LANES] << 32 : 0);
    return 0;
}
/* The table entry of an instruction. */
static inline struct mem_hot *mem_hot_of(const struct wave *w, const struct lane_insn *in)
{
    return &w->hot[in->pc >> 3 & (MEM_HOT - 1)];
}
#endif
