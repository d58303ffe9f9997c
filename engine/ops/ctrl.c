/* Control operations: branches, calls, barriers, traps, hardware registers, clocks, dual issue. */
#include "base/bits.h"
#include "engine/ops/scalar.h"
#include <time.h>

static uint64_t next_pc(const struct wave *w, const struct lane_insn *in)
{
    return wave_pc_of(w, in) + in->size;
}

/* Goes to `pc` by the scheduler's look-up table. */
static int go(struct wave *w, uint64_t pc)
{
    w->pc = pc;
    return WAVE_LOOKUP;
}

static int branch(struct wave *w, const struct lane_insn *in, int taken)
{
    if (!taken)
        return 0;
    if (in->target >= 0) {
        w->ip = w->code + in->target;
        return 0;
    }
    return go(w, next_pc(w, in) + (uint64_t)(int64_t)in->imm);
}
#define BRANCH(name, cond)                                                                                   \
    static int op_##name(struct wave *w, const struct lane_insn *in)                                         \
    {                                                                                                        \
        return branch(w, in, cond);                                                                          \
    }
BRANCH(s_branch, 1)
BRANCH(s_cbranch_scc0, !w->scc)
BRANCH(s_cbranch_scc1, w->scc)
BRANCH(s_cbranch_vccz, !wave_mask(w, SREG_VCC))
BRANCH(s_cbranch_vccnz, wave_mask(w, SREG_VCC) != 0)
BRANCH(s_cbranch_execz, !wave_exec(w))
BRANCH(s_cbranch_execnz, wave_exec(w) != 0)
/* No debugger is ever attached, so the conditional-debug flags read 0. */
BRANCH(s_cbranch_cdbgsys, 0)

static int op_s_getpc_b64(struct wave *w, const struct lane_insn *in)
{
    scalar_set_uint64(w, &in->d, next_pc(w, in));
    return 0;
}
static int op_s_setpc_b64(struct wave *w, const struct lane_insn *in)
{
    return go(w, scalar_uint64(w, &in->s[0]));
}
static int op_s_swappc_b64(struct wave *w, const struct lane_insn *in)
{
    uint64_t to = scalar_uint64(w, &in->s[0]); /* may be the destination register */
    scalar_set_uint64(w, &in->d, next_pc(w, in));
    return go(w, to);
}
static int op_s_call_b64(struct wave *w, const struct lane_insn *in)
{
    scalar_set_uint64(w, &in->d, next_pc(w, in));
    return branch(w, in, 1);
}

static int op_s_nop(struct wave *w, const struct lane_insn *in)
{
    (void)w, (void)in;
    return 0;
}
static int op_s_endpgm(struct wave *w, const struct lane_insn *in)
{
    (void)w, (void)in;
    return WAVE_END;
}
static int op_s_barrier(struct wave *w, const struct lane_insn *in)
{
    (void)w, (void)in;
    return WAVE_BARRIER;
}
static int op_s_sleep(struct wave *w, const struct lane_insn *in)
{
    (void)w, (void)in;
    return WAVE_YIELD;
}
static int op_s_illegal(struct wave *w, const struct lane_insn *in)
{
    return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_EXEC, 0, wave_exec(w),
                      "illegal or unsupported instruction");
}
/* Without a trap handler hardware goes on after s_trap; runtimes install one, for which 2 means abort (what
 * llvm.trap emits) and 3 debugger break (LLVM AMDGPUUsage, trap handler ABI). */
static int op_s_trap(struct wave *w, const struct lane_insn *in)
{
    if ((in->imm & 0xff) == 3)
        return 0;
    return wave_fault(w, in, FAULT_TRAP, ACCESS_EXEC, 0, wave_exec(w), "trap %d", in->imm & 0xff);
}

/* Two instructions issued together read their sources before either writes: the next two are run so that the
 * second sees the registers as they were. */
static int op_s_vopd(struct wave *w, const struct lane_insn *in)
{
    const struct lane_insn *x = in + 1, *y = in + 2;
    uint32_t *d = w->v + x->d.reg * w->width;
    size_t n = w->width * sizeof *d;
    uint32_t old[LANES], new[LANES];
    memcpy(old, d, n);
    int stop = x->fn(w, x);
    if (stop)
        return stop;
    memcpy(new, d, n);
    memcpy(d, old, n);
    stop = y->fn(w, y);
    memcpy(d, new, n);
    w->ip = in + 3;
    return stop;
}

/* Messages: 3 (gfx11+) gives registers back early; others ask for things this engine does not model. */
static int op_s_sendmsg(struct wave *w, const struct lane_insn *in)
{
    if ((in->imm & 0xff) == 3)
        return 0;
    return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_NONE, 0, wave_exec(w), "message %d is not modelled",
                      in->imm & 0xff);
}

static uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}
/* The constant-rate counter: 100 MHz, the rate the driver reports. */
static int op_s_memrealtime(struct wave *w, const struct lane_insn *in)
{
    scalar_set_uint64(w, &in->d, clock_ns() / 10);
    return 0;
}
static int op_s_memtime(struct wave *w, const struct lane_insn *in)
{
    scalar_set_uint64(w, &in->d, clock_ns());
    return 0;
}
static int sendmsg_rtn(struct wave *w, const struct lane_insn *in, uint64_t *v)
{
    switch (in->imm & 0xff) {
    case 131: /* MSG_RTN_GET_REALTIME */
        *v = clock_ns() / 10;
        return 0;
    case 130: /* GET_TMA, GET_TBA: no trap handler is installed */
    case 133:
        *v = 0;
        return 0;
    default:
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_NONE, 0, wave_exec(w),
                          "message %d with return is not modelled", in->imm & 0xff);
    }
}
static int op_s_sendmsg_rtn_b32(struct wave *w, const struct lane_insn *in)
{
    uint64_t v = 0;
    int stop = sendmsg_rtn(w, in, &v);
    if (!stop)
        scalar_set_uint32(w, &in->d, (uint32_t)v);
    return stop;
}
static int op_s_sendmsg_rtn_b64(struct wave *w, const struct lane_insn *in)
{
    uint64_t v = 0;
    int stop = sendmsg_rtn(w, in, &v);
    if (!stop)
        scalar_set_uint64(w, &in->d, v);
    return stop;
}

/* s_getreg/s_setreg immediate: | 15:11 size - 1 | 10:6 offset | 5:0 register |. */
enum {
    HW_MODE = 1,
    HW_STATUS = 2,
    HW_TRAPSTS = 3,
    HW_ID = 4,
    HW_LDS_ALLOC = 6,
    HW_IB_STS = 7,
    HW_SH_MEM_BASES = 15,
    HW_FLAT_SCR_LO = 20,
    HW_FLAT_SCR_HI = 21,
    HW_HW_ID1 = 23,
    HW_HW_ID2 = 24,
    HW_SHADER_CYCLES = 29
};

static int hwreg_read(struct wave *w, const struct lane_insn *in, uint32_t *v)
{
    static const uint8_t simd[4] = {0, 2, 1, 3}; /* order seen on an RX 6800 */
    switch (in->imm & 63) {
    case HW_MODE:
        *v = w->mode;
        return 0;
    case HW_STATUS: /* SCC 0, EXECZ 9, VCCZ 10, IN_TG 11 */
        *v = w->scc | (uint32_t)!wave_exec(w) << 9 | (uint32_t)!wave_mask(w, SREG_VCC) << 10 |
             (uint32_t)(w->group->waves > 1) << 11;
        return 0;
    case HW_TRAPSTS: /* no exception is ever recorded: they fault instead */
    case HW_IB_STS:  /* nothing is outstanding */
        *v = 0;
        return 0;
    case HW_ID:
        *v = w->index / 4u | (uint32_t)simd[w->index & 3] << 4;
        return 0;
    case HW_HW_ID1:
        *v = w->index / 4u | (uint32_t)simd[w->index & 3] << 8;
        return 0;
    case HW_HW_ID2:
        *v = 0;
        return 0;
    case HW_LDS_ALLOC: /* LDS_SIZE 20:12 in 512-byte units */
        *v = w->group->lds_size / 512 << 12;
        return 0;
    case HW_SH_MEM_BASES: /* high 16 bits of the apertures: private 15:0, shared 31:16 */
        *v = (uint32_t)(w->private_base >> 48) | (uint32_t)(w->shared_base >> 48) << 16;
        return 0;
    case HW_FLAT_SCR_LO:
    case HW_FLAT_SCR_HI:
        *v = w->s[SREG_FLAT_SCRATCH + ((in->imm & 63) - HW_FLAT_SCR_LO)];
        return 0;
    case HW_SHADER_CYCLES:
        *v = (uint32_t)clock_ns() & 0xfffff;
        return 0;
    default:
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_NONE, 0, wave_exec(w),
                          "hardware register %d is not modelled", in->imm & 63);
    }
}
static int op_s_getreg_b32(struct wave *w, const struct lane_insn *in)
{
    uint32_t v = 0;
    int stop = hwreg_read(w, in, &v);
    if (!stop)
        scalar_set_uint32(w, &in->d, (uint32_t)bfe(v, in->imm >> 6 & 31, (in->imm >> 11 & 31) + 1, 32));
    return stop;
}
static int op_s_setreg_b32(struct wave *w, const struct lane_insn *in)
{
    uint32_t lo = in->imm >> 6 & 31, n = (in->imm >> 11 & 31) + 1, v = scalar_uint32(w, &in->s[0]);
    unsigned id = in->imm & 63;
    uint32_t *reg = &w->mode;
    if (id == HW_FLAT_SCR_LO || id == HW_FLAT_SCR_HI) /* gfx10 sets its scratch base so */
        reg = &w->s[SREG_FLAT_SCRATCH + (id - HW_FLAT_SCR_LO)];
    else if (id != HW_MODE)
        return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_NONE, 0, wave_exec(w),
                          "writing hardware register %u is not modelled", id);
    uint32_t mask = (uint32_t)bfe(~0u, 0, n, 32) << lo;
    *reg = (*reg & ~mask) | (v << lo & mask);
    return 0;
}
static int op_s_round_mode(struct wave *w, const struct lane_insn *in)
{
    w->mode = (w->mode & ~0xfu) | (in->imm & 0xf);
    return 0;
}
static int op_s_denorm_mode(struct wave *w, const struct lane_insn *in)
{
    w->mode = (w->mode & ~0xf0u) | (in->imm & 0xf) << 4;
    return 0;
}

#define ROWF(name, fn) {OP_##name, op_##fn, op_##fn},
#define ROW(name)      ROWF(name, name)
const struct lane_op_row OPS_TABLE(ctrl)[] = {
    ROW(s_branch) ROW(s_cbranch_scc0) ROW(s_cbranch_scc1) ROW(s_cbranch_vccz) ROW(s_cbranch_vccnz)
        ROW(s_cbranch_execz) ROW(s_cbranch_execnz) ROW(s_cbranch_cdbgsys)
            ROWF(s_cbranch_cdbguser, s_cbranch_cdbgsys) ROWF(s_cbranch_cdbgsys_or_user, s_cbranch_cdbgsys)
                ROWF(s_cbranch_cdbgsys_and_user, s_cbranch_cdbgsys) ROW(s_getpc_b64) ROW(s_setpc_b64)
                    ROW(s_swappc_b64) ROW(s_call_b64) ROW(s_nop) ROW(s_endpgm) ROW(s_barrier)
                        ROWF(s_barrier_wait, s_barrier) ROWF(s_barrier_signal, s_nop) ROW(s_sleep)
                            ROWF(s_sleep_var, s_sleep) ROW(s_illegal) ROW(s_trap) ROW(s_vopd) ROW(s_sendmsg)
                                ROW(s_sendmsg_rtn_b32) ROW(s_sendmsg_rtn_b64) ROW(s_memtime)
                                    ROW(s_memrealtime) ROW(s_getreg_b32) ROW(s_setreg_b32)
                                        ROWF(s_setreg_imm32_b32, s_setreg_b32) ROW(s_round_mode)
                                            ROW(s_denorm_mode){0, 0, 0}};
