/* Immediates that LLVM prints with names of their own: wait counts, messages, hardware registers, swizzles.
 */
#include "base/bits.h"
#include "isa/amd/print.h"
#include "isa/amd/table.h"
#include <string.h>

/* ---- gfx12 cache policy ---- */

void amd_print_th(struct amd_text *t, const struct amd_inst *i)
{
    static const char *const load[] = {0, "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", 0};
    static const char *const store[] = {0, "NT", "HT", "RT_WB", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
    unsigned th = i->f[AF_cpol] & 7, scope = i->f[AF_cpol] >> 3 & 3;
    bool is_store = strstr(amd_base_name(i->row), "_store");
    if (th && strstr(amd_base_name(i->row), "_atomic")) {
        if (th & 4 && scope < 2)
            amd_put(t, " th:TH_ATOMIC_0x%x", th);
        else if (th & 4)
            amd_put(t, " th:TH_ATOMIC_CASCADE_%s", th & 2 ? "NT" : "RT");
        else if (th & 2)
            amd_put(t, " th:TH_ATOMIC_NT%s", th & 1 ? "_RETURN" : "");
        else
            amd_put(t, " th:TH_ATOMIC_RETURN");
    } else if (th == 7 && !is_store)
        amd_put(t, " th:0x7");
    else if (th)
        amd_put(t, " th:TH_%s_%s", is_store ? "STORE" : "LOAD",
                th == 3 && scope == 3 ? "BYPASS" : (is_store ? store : load)[th]);
    if (scope)
        amd_put(t, " scope:SCOPE_%s", (const char *[]){"", "SE", "DEV", "SYS"}[scope]);
}

/* ---- s_waitcnt, s_waitcnt_depctr, s_delay_alu ---- */

static void waitcnt(struct amd_text *t, enum amd_gpu gpu, uint32_t v)
{
    unsigned vm, exp, lgkm, vm_max = 63, lgkm_max = amd_gfx9(gpu) ? 15 : 63;
    if (gpu >= AMD_GFX1100) {
        exp = v & 7, lgkm = v >> 4 & 63, vm = v >> 10;
    } else {
        vm = (v & 15) | (v >> 14) << 4, exp = v >> 4 & 7, lgkm = v >> 8 & lgkm_max;
    }
    bool all = vm == vm_max && exp == 7 && lgkm == lgkm_max;
    const char *gap = "";
    if (vm != vm_max || all)
        amd_put(t, "vmcnt(%u)", vm), gap = " ";
    if (exp != 7 || all)
        amd_put(t, "%sexpcnt(%u)", gap, exp), gap = " ";
    if (lgkm != lgkm_max || all)
        amd_put(t, "%slgkmcnt(%u)", gap, lgkm);
}

static void depctr(struct amd_text *t, enum amd_gpu gpu, uint32_t v)
{
    static const struct {
        const char *name;
        uint8_t at, max; /* the default is max: no wait */
    } c[] = {{"hold_cnt", 7, 1}, {"sa_sdst", 0, 1}, {"va_vdst", 12, 15}, {"va_sdst", 9, 7},
             {"va_ssrc", 8, 1},  {"va_vcc", 1, 1},  {"vm_vsrc", 2, 7}};
    uint32_t used = 0;
    bool any = false;
    const char *gap = "";
    unsigned first = gpu < AMD_GFX1030;
    for (unsigned k = first; k < ARRAY_LEN(c); k++) {
        used |= (uint32_t)c[k].max << c[k].at;
        any |= (v >> c[k].at & c[k].max) != c[k].max;
    }
    if (v & ~used) {
        amd_put(t, "0x%x", v);
        return;
    }
    for (unsigned k = first; k < ARRAY_LEN(c); k++) {
        unsigned x = v >> c[k].at & c[k].max;
        if (x != c[k].max || !any)
            amd_put(t, "%sdepctr_%s(%u)", gap, c[k].name, x), gap = " ";
    }
}

static void delay_alu(struct amd_text *t, uint32_t v)
{
    static const char *const id[] = {"NO_DEP",        "VALU_DEP_1",    "VALU_DEP_2",
                                     "VALU_DEP_3",    "VALU_DEP_4",    "TRANS32_DEP_1",
                                     "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1",
                                     "SALU_CYCLE_1",  "SALU_CYCLE_2",  "SALU_CYCLE_3"};
    static const char *const skip[] = {"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
    unsigned id0 = v & 15, sk = v >> 4 & 7, id1 = v >> 7 & 15;
    const char *gap = "";
    if (id0)
        amd_put(t, "instid0(%s)", id0 < 12 ? id[id0] : "?"), gap = " | ";
    if (sk)
        amd_put(t, "%sinstskip(%s)", gap, sk < 6 ? skip[sk] : "?"), gap = " | ";
    if (id1)
        amd_put(t, "%sinstid1(%s)", gap, id1 < 12 ? id[id1] : "?"), gap = " | ";
    if (!*gap)
        amd_put(t, "0");
}

/* ---- hardware registers and messages ---- */

enum { G9 = 1, G942 = 2, G10 = 4, G11 = 8, G12 = 16, G9A = G9 | G942, GOLD = G9A | G10, GALL = 31 };
static unsigned generation(enum amd_gpu gpu)
{
    return gpu == AMD_GFX942 ? G942 : amd_gfx9(gpu) ? G9 : 1u << (gpu - AMD_GFX1030 + 2);
}
struct named {
    uint8_t code, on; /* on: generations that know it */
    const char *name;
};
static const struct named hwregs[] = {
    {1, GALL, "MODE"},
    {2, GALL, "STATUS"},
    {3, GALL & ~G12, "TRAPSTS"},
    {4, G9A, "HW_ID"},
    {4, G12, "STATE_PRIV"},
    {5, GALL, "GPR_ALLOC"},
    {6, GALL, "LDS_ALLOC"},
    {7, GALL, "IB_STS"},
    {10, G12, "PERF_SNAPSHOT_DATA"},
    {11, G12, "PERF_SNAPSHOT_PC_LO"},
    {12, G12, "PERF_SNAPSHOT_PC_HI"},
    {15, G12, "PERF_SNAPSHOT_DATA1"},
    {15, GALL & ~G12, "SH_MEM_BASES"},
    {16, G12, "PERF_SNAPSHOT_DATA2"},
    {16, GOLD, "TBA_LO"},
    {17, G12, "EXCP_FLAG_PRIV"},
    {17, GOLD, "TBA_HI"},
    {18, G11, "PERF_SNAPSHOT_PC_LO"},
    {18, G12, "EXCP_FLAG_USER"},
    {18, GOLD, "TMA_LO"},
    {19, G11, "PERF_SNAPSHOT_PC_HI"},
    {19, G12, "TRAP_CTRL"},
    {19, GOLD, "TMA_HI"},
    {20, G942, "XCC_ID"},
    {20, G10 | G11, "FLAT_SCR_LO"},
    {20, G12, "SCRATCH_BASE_LO"},
    {21, G942, "SQ_PERF_SNAPSHOT_DATA"},
    {21, G10 | G11, "FLAT_SCR_HI"},
    {21, G12, "SCRATCH_BASE_HI"},
    {22, G942, "SQ_PERF_SNAPSHOT_DATA1"},
    {23, G942, "SQ_PERF_SNAPSHOT_PC_LO"},
    {23, G10 | G11 | G12, "HW_ID1"},
    {24, G942, "SQ_PERF_SNAPSHOT_PC_HI"},
    {24, G10 | G11 | G12, "HW_ID2"},
    {25, G10, "POPS_PACKER"},
    {27, G11, "PERF_SNAPSHOT_DATA"},
    {29, G10 | G11, "SHADER_CYCLES"},
    {29, G12, "SHADER_CYCLES_LO"},
    {30, G12, "SHADER_CYCLES_HI"},
    {31, G12, "DVGPR_ALLOC_LO"},
    {32, G12, "DVGPR_ALLOC_HI"},
};
static const struct named messages[] = {
    {1, GALL, "INTERRUPT"},
    {2, GOLD, "GS"},
    {2, G11 | G12, "HS_TESSFACTOR"},
    {3, GOLD, "GS_DONE"},
    {3, G11 | G12, "DEALLOC_VGPRS"},
    {4, GOLD, "SAVEWAVE"},
    {5, GALL & ~G12, "STALL_WAVE_GEN"},
    {6, GALL & ~G12, "HALT_WAVES"},
    {7, GOLD, "ORDERED_PS_DONE"},
    {8, G9A, "EARLY_PRIM_DEALLOC"},
    {8, G10, "EARLY_PRIM_DEALLOC"},
    {9, GALL, "GS_ALLOC_REQ"},
    {10, GOLD, "GET_DOORBELL"},
    {11, G10, "GET_DDID"},
    {15, GOLD, "SYSMSG"},
    {128, G11 | G12, "RTN_GET_DOORBELL"},
    {129, G11 | G12, "RTN_GET_DDID"},
    {130, G11 | G12, "RTN_GET_TMA"},
    {131, G11 | G12, "RTN_GET_REALTIME"},
    {132, G11 | G12, "RTN_SAVE_WAVE"},
    {133, G11 | G12, "RTN_GET_TBA"},
    {134, G11 | G12, "RTN_GET_TBA_TO_PC"},
    {135, G12, "RTN_GET_SE_AID_ID"},
};
static const char *named(const struct named *list, size_t n, enum amd_gpu gpu, uint32_t code)
{
    for (size_t k = 0; k < n; k++)
        if (list[k].code == code && list[k].on & generation(gpu))
            return list[k].name;
    return NULL;
}

static void hwreg(struct amd_text *t, enum amd_gpu gpu, uint32_t v)
{
    unsigned id = v & 63, at = v >> 6 & 31, width = (v >> 11) + 1;
    const char *name = named(hwregs, ARRAY_LEN(hwregs), gpu, id);
    if (name)
        amd_put(t, "hwreg(HW_REG_%s", name);
    else
        amd_put(t, "hwreg(%u", id);
    if (at || width != 32)
        amd_put(t, ", %u, %u", at, width);
    amd_put(t, ")");
}

/* Before gfx11: message 3:0, operation 6:4, stream 9:8; gfx11+: message 7:0. */
static void message(struct amd_text *t, enum amd_gpu gpu, uint32_t v)
{
    static const char *const gs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
    static const char *const sys[] = {0, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", 0,
                                      "SYSMSG_OP_TTRACE_PC"};
    bool narrow = gpu < AMD_GFX1100;
    uint32_t id = narrow ? v & 15 : v & 255, op = narrow ? v >> 4 & 7 : 0, stream = narrow ? v >> 8 & 3 : 0;
    const char *name = named(messages, ARRAY_LEN(messages), gpu, id), *ops = NULL;
    if (name && narrow && (id == 2 || id == 3)) {
        if (op > 3 || (op == 0 && (id == 2 || stream)))
            name = NULL;
        else
            ops = gs[op];
    } else if (name && narrow && id == 15) {
        if (op > 4 || !sys[op] || stream)
            name = NULL;
        else
            ops = sys[op];
    } else if (op || stream)
        name = NULL;
    if (name) {
        amd_put(t, "sendmsg(MSG_%s", name);
        if (ops)
            amd_put(t, ", %s", ops);
        if (ops && id != 15 && op)
            amd_put(t, ", %u", stream);
        amd_put(t, ")");
    } else if ((id | op << 4 | stream << 8) == v)
        amd_put(t, "sendmsg(%u, %u, %u)", id, op, stream);
    else
        amd_put(t, "%u", v);
}

/* s_version: microcode version 7:0, flags; any other bit: a number. */
static void version(struct amd_text *t, uint32_t v)
{
    static const char *const flag[] = {"W64", "W32", "MDP"};
    const char *name = v % 256 == 0   ? "GFX7"
                       : v % 256 == 4 ? "GFX10"
                       : v % 256 == 6 ? "GFX11"
                       : v % 256 == 9 ? "GFX12"
                                      : NULL;
    bool open = false;
    if (v & 0x1f00) {
        amd_put(t, "0x%x", v);
        return;
    }
    amd_put(t, "%s", (const char *[]){"", "", "(", "(("}[__builtin_popcount(v >> 13)]);
    if (name)
        amd_put(t, "UC_VERSION_%s", name);
    else
        amd_put(t, "%u", v % 256);
    for (unsigned k = 0; k < 3; k++)
        if (v >> (13 + k) & 1) {
            amd_put(t, "%s|UC_VERSION_%s_BIT", open ? ")" : "", flag[k]);
            open = true;
        }
}

static void gpr_idx(struct amd_text *t, uint32_t v)
{
    static const char *const name[] = {"SRC0", "SRC1", "SRC2", "DST"};
    if (v > 15) {
        amd_put(t, "0x%x", v);
        return;
    }
    amd_put(t, "gpr_idx(");
    for (unsigned k = 0; k < 4; k++)
        if (v >> k & 1)
            amd_put(t, "%s%s", v & ((1u << k) - 1) ? "," : "", name[k]);
    amd_put(t, ")");
}

/* ---- ds_swizzle_b32 ---- */

static void swizzle(struct amd_text *t, uint32_t v)
{
    unsigned and = v & 31, or = v >> 5 & 31, xor = v >> 10 & 31, group = 32 - and;
    if (!v)
        return;
    amd_put(t, " offset:");
    if ((v & 0xff00) == 0x8000)
        amd_put(t, "swizzle(QUAD_PERM,%u,%u,%u,%u)", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
    else if (v & 0x8000)
        amd_put(t, "%u", v);
    else if (and == 31 && ! or &&is_pow2(xor))
        amd_put(t, "swizzle(SWAP,%u)", xor);
    else if (and == 31 && ! or &&xor&&is_pow2(xor+1))
        amd_put(t, "swizzle(REVERSE,%u)", xor+1);
    else if (group > 1 && is_pow2(group) && or < group && !xor)
        amd_put(t, "swizzle(BROADCAST,%u,%u)", group, or);
    else {
        unsigned zero = or ^xor, one = (and | or) ^ xor;
        amd_put(t, "swizzle(BITMASK_PERM,\"");
        for (unsigned m = 16; m; m >>= 1)
            amd_put(t, "%c", (zero & m) == (one & m) ? zero & m ? '1' : '0' : zero & m ? 'i' : 'p');
        amd_put(t, "\")");
    }
}

/* ---- which immediate is which ---- */

static void simm16(struct amd_text *t, const struct amd_inst *i)
{
    uint32_t v = i->f[AF_simm16];
    switch (i->row->base) {
    case AMD_N_s_waitcnt:
        waitcnt(t, i->gpu, v);
        break;
    case AMD_N_s_waitcnt_depctr:
    case AMD_N_s_wait_alu:
        depctr(t, i->gpu, v);
        break;
    case AMD_N_s_delay_alu:
        delay_alu(t, v);
        break;
    case AMD_N_s_sendmsg:
    case AMD_N_s_sendmsghalt:
        message(t, i->gpu, v);
        break;
    case AMD_N_s_getreg_b32:
    case AMD_N_s_setreg_b32:
    case AMD_N_s_setreg_imm32_b32:
        hwreg(t, i->gpu, v);
        break;
    case AMD_N_s_endpgm:
        if (v)
            amd_put(t, "%u", v);
        break;
    case AMD_N_s_version:
        version(t, v);
        break;
    default:
        if (!strncmp(i->row->name, "s_branch", 8) || !strncmp(i->row->name, "s_cbranch", 9) ||
            !strncmp(i->row->name, "s_call", 6) || !strncmp(i->row->name, "s_subvector", 11))
            amd_put(t, "%u", v);
        else
            amd_put(t, v <= 64 ? "%u" : "0x%x", v);
    }
}

bool amd_print_special(struct amd_text *t, const struct amd_inst *i, const char *w, size_t n)
{
    unsigned base = i->row->base;
    if (n == 6 && !memcmp(w, "simm16", 6))
        simm16(t, i);
    else if (n == 10 && !memcmp(w, "simm16_hex", 10))
        amd_put(t, "0x%x", i->f[AF_simm16]);
    else if (n == 4 && !memcmp(w, "src0", 4) &&
             (base == AMD_N_s_sendmsg_rtn_b32 || base == AMD_N_s_sendmsg_rtn_b64))
        message(t, i->gpu, i->f[AF_src0]);
    else if (n == 4 && !memcmp(w, "src1", 4) && base == AMD_N_s_set_gpr_idx_on)
        gpr_idx(t, i->f[AF_src1]);
    else if (n == 6 && !memcmp(w, "offset", 6) && base == AMD_N_ds_swizzle_b32)
        swizzle(t, i->f[AF_offset]);
    else
        return false;
    return true;
}
