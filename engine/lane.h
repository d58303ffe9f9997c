/* The lane program: what every instruction set is translated to and what the engine executes. One instruction
 * is one canonical whole-wave operation (engine/ops.def) over a wave's state (engine/wave.h). Not for:
 * encodings (isa/), queues or launch packets (soft/).
 *
 * Registers are named by index: vector registers v[0..], scalar registers in the canonical numbering below,
 * which is AMD's operand numbering of gfx11 (isa/ maps older generations to it). A constant operand is an
 * index into the program's pool, where the value is already spread over all lanes, so that it is read like a
 * vector register.
 */
#ifndef NX_ENGINE_LANE_H
#define NX_ENGINE_LANE_H
#include <stdint.h>

#define LANES 64 /* the widest wave */

/* Canonical scalar register numbers. 64-bit values are pairs (n, n+1), low first. */
enum {
    SREG_VCC = 106,  /* vcc_lo, vcc_hi: 32-bit storage each, in wave32 too */
    SREG_TTMP = 108, /* ttmp0..15 */
    SREG_SINK = 124, /* null: writes go here; never read (a null source is the constant 0) */
    SREG_M0 = 125,
    SREG_EXEC = 126,         /* exec_lo, exec_hi */
    SREG_FLAT_SCRATCH = 128, /* lo, hi (gfx9, gfx10; architected on later chips) */
    SREG_XNACK = 130,
    SREG_SINK_WIDE = 136, /* null as a destination of more than one register: writes go here */
    SREG_COUNT = 152
};

/* Operand types, per operation (ops.def). They decide how a constant is spread, how a register pair is read
 * and which modifiers mean what. */
enum lane_type {
    LT_NONE,
    LT_U16,
    LT_I16,
    LT_F16,
    LT_BF16, /* the low half of a dword, or the half that `sel` names */
    LT_U32,
    LT_I32,
    LT_F32,
    LT_U64,
    LT_I64,
    LT_F64, /* register pairs */
    LT_PKU16,
    LT_PKI16,
    LT_PKF16,
    LT_PKBF16, /* two halves; mods: LM_LO_HI, LM_HI_HI, LM_NEG, LM_NEG_HI */
    LT_PKF32,  /* two registers */
    LT_B32,
    LT_B64,
    LT_B96,
    LT_B128,
    LT_B256,
    LT_B512, /* plain dwords: moves, memory, matrices */
    LT_MASK, /* a bit per lane in a scalar register (32 lanes) or pair (64) */
};

enum lane_kind { LK_NONE, LK_VREG, LK_SREG, LK_CONST, LK_SCC };

enum {             /* lane_opnd.mods */
       LM_NEG = 1, /* float: flip the sign after abs; packed: of the low half */
       LM_ABS = 2,
       LM_NEG_HI = 4, /* packed: flip the high half */
       LM_SEXT = 8,   /* SDWA: sign-extend the selected part */
       LM_LO_HI = 16, /* packed (op_sel): the low result reads the high half */
       LM_HI_HI = 32, /* packed (op_sel_hi): the high result reads the high half (the usual case) */
};
enum lane_sel { LS_DWORD, LS_BYTE0, LS_BYTE1, LS_BYTE2, LS_BYTE3, LS_WORD0, LS_WORD1 };

struct lane_opnd {
    uint8_t kind;   /* enum lane_kind */
    uint8_t dwords; /* registers covered, 0 when the operand is absent */
    uint8_t mods;   /* LM_* */
    uint8_t sel;    /* enum lane_sel: 16-bit types: LS_DWORD and LS_WORD0 = low, LS_WORD1 = high; SDWA: any */
    uint16_t reg;   /* register number, or pool index (a 64-bit constant covers two pool entries) */
    uint16_t pad;
};

enum { /* lane_insn.flags */
       LF_CLAMP = 1,
       LF_OMOD_MUL2 = 2,
       LF_OMOD_MUL4 = 4,
       LF_OMOD_DIV2 = 6,
       LF_OMOD = 6,            /* mask */
       LF_DPP16 = 8,           /* s[0] is permuted by dpp_ctrl; row_mask, bank_mask */
       LF_DPP8 = 16,           /* s[0] is permuted by eight 3-bit selectors in dpp_ctrl */
       LF_BOUND_CTRL = 32,     /* DPP: an invalid source lane reads 0 instead of disabling the lane */
       LF_FI = 64,             /* DPP: lanes that are off may be read */
       LF_RETURN = 128,        /* atomics: the old value is written to d */
       LF_SIMPLE = 256,        /* no source modifiers, sel, clamp, omod, DPP or SDWA: the fast path */
       LF_BLOCK_END = 512,     /* the last instruction of a block: it may set wave.ip, or it changes MODE */
       LF_DST_PRESERVE = 1024, /* 16-bit results keep the other half (gfx10+); SDWA dst_unused = preserve */
       LF_DST_SEXT = 2048,     /* SDWA dst_unused = sign-extend */
       LF_TFE = 4096,
       LF_GDS = 8192,
       LF_SKIP_EXECZ = 16384, /* nothing happens when EXEC is 0 (vector memory, VALU without scalar result) */
       LF_NO_FALL = 32768,    /* with LF_BLOCK_END: control never goes on to the next instruction (s_branch,
                                 s_setpc, s_endpgm, illegal): what follows need not be code */
};

enum lane_addr { /* memory operations: how the address is formed */
                 LA_NONE,
                 LA_GLOBAL, /* s[0] = 64-bit lane address, or 32-bit lane offset when s[2] (64-bit base) is
                               present; + imm */
                 LA_FLAT,   /* s[0] = 64-bit lane address; + imm; the apertures decide: global, LDS or scratch
                             */
                 LA_SCRATCH, /* private offset = s[0] (lane, 32-bit, may be absent) + s[2] (scalar, may be
                                absent) + imm */
                 LA_BUFFER,  /* s[2] = 4-dword descriptor, s[3] = soffset, s[0] = index and/or offset by aux
                                LB_*; + imm */
                 LA_LDS,     /* s[0] = 32-bit LDS byte address; + imm; two-address forms: imm, imm2 = offset0,
                                offset1 in bytes */
                 LA_SCALAR, /* s[2] = 64-bit base (or 4-dword buffer descriptor), s[3] = scalar offset (may be
                               absent); + imm */
};
enum { LB_OFFEN = 1, LB_IDXEN = 2, LB_LDS = 4, LB_SWIZZLED = 8 }; /* lane_insn.aux of LA_BUFFER */

/* lane_insn.aux of s_illegal: why. */
enum { LI_UNKNOWN, LI_UNSUPPORTED, LI_OPERAND, LI_VGPR, LI_MODIFIER };

struct wave;
struct lane_insn;
/* Executes one instruction for the whole wave. Returns 0 to go on, or a WAVE_* stop reason (wave.h). Only an
 * LF_BLOCK_END instruction may set wave.ip (it already names the next instruction then); for the others
 * wave.ip is stale, and the engine sets it when they stop the wave. One that changes wave.mode must be
 * LF_BLOCK_END. A branch: `if (in->target >= 0) wave.ip = wave.code + in->target; else { wave.pc = address;
 * return WAVE_LOOKUP; }`; the engine fills target after the look-up when it was -1. */
typedef int lane_fn(struct wave *w, const struct lane_insn *in);

struct lane_insn {
    lane_fn *fn;
    uint16_t op;                  /* enum lane_op */
    uint16_t flags;               /* LF_* */
    uint8_t size;                 /* bytes of machine code */
    uint8_t addr;                 /* enum lane_addr */
    uint8_t aux;                  /* LB_*; else per operation */
    uint8_t cache;                /* glc 1, slc 2, dlc 4; gfx12: th 2:0, scope 4:3 */
    struct lane_opnd d, d2, s[4]; /* d2: the second result (carry-out mask, div_scale's vcc); s: sources */
    int32_t imm, imm2; /* offsets; SOPP/SOPK immediate; branch displacement from the next instruction */
    int32_t target;    /* branches: index of the target instruction, -1 until resolved */
    uint32_t dpp_ctrl; /* DPP16 control (9 bits) or DPP8 selectors (24 bits) */
    uint8_t row_mask, bank_mask;
    uint8_t pad[2];
    uint32_t pc; /* byte offset from the program's base address */
};

/* Where memory operations find data. Load: d. Store: s[1]. Atomic: s[1] = data (cmpswap: data, then compare,
 * twice the registers, when s[3] is absent), d = old value when LF_RETURN. LDS forms with two data operands
 * (two-address store and exchange, cmpswap, mskor, wrap): s[1] = data0, s[3] = data1. */
#endif
