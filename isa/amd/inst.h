/* AMD GPU machine code: decode one instruction to named fields, and print it. Six targets from one set of
 * tables (the .def rows, made by gen.py from LLVM 19.1.7's TableGen records and checked against llvm-mc).
 * Not for: what an instruction does (translate.c) nor code objects (base/elf.h). Everything here is
 * thread-safe; decode and print allocate nothing after the first call for a target.
 */
#ifndef NX_ISA_AMD_INST_H
#define NX_ISA_AMD_INST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum amd_gpu { AMD_GFX906, AMD_GFX90A, AMD_GFX942, AMD_GFX1030, AMD_GFX1100, AMD_GFX1201, AMD_GPU_COUNT };

/* "gfx1100" and back; amd_gpu_of_name and amd_gpu_of_eflags (ELF e_flags, machine in bits 7:0) give -1
 * for an unknown one. */
const char *amd_gpu_name(enum amd_gpu gpu);
int amd_gpu_of_name(const char *name);
int amd_gpu_of_eflags(uint32_t e_flags);

/* Fields, named as in the encoding facts. Values are raw and zero-extended, split fields are put together:
 * sbase and srsrc are SGPR numbers (low zero bits included); vdstY is the full register number.
 * cpol: bit 0 glc/sc0, bit 1 slc/nt, bit 2 dlc, bit 4 scc/sc1; gfx12: th in 2:0, scope in 4:3. */
#define AMD_FIELDS(F)                                                                                        \
    F(vdst)                                                                                                  \
    F(sdst)                                                                                                  \
    F(src0)                                                                                                  \
    F(src1)                                                                                                  \
    F(src2)                                                                                                  \
    F(src3)                                                                                                  \
    F(src0_modifiers)                                                                                        \
    F(src1_modifiers)                                                                                        \
    F(src2_modifiers)                                                                                        \
    F(clamp)                                                                                                 \
    F(omod)                                                                                                  \
    F(vdata)                                                                                                 \
    F(vaddr)                                                                                                 \
    F(saddr)                                                                                                 \
    F(srsrc)                                                                                                 \
    F(soffset)                                                                                               \
    F(offset)                                                                                                \
    F(cpol)                                                                                                  \
    F(sdata)                                                                                                 \
    F(sbase)                                                                                                 \
    F(addr)                                                                                                  \
    F(data0)                                                                                                 \
    F(data1)                                                                                                 \
    F(offset0)                                                                                               \
    F(offset1)                                                                                               \
    F(gds)                                                                                                   \
    F(simm16)                                                                                                \
    F(imm)                                                                                                   \
    F(dpp_ctrl)                                                                                              \
    F(dpp8)                                                                                                  \
    F(row_mask)                                                                                              \
    F(bank_mask)                                                                                             \
    F(bound_ctrl)                                                                                            \
    F(fi)                                                                                                    \
    F(dst_sel)                                                                                               \
    F(dst_unused)                                                                                            \
    F(src0_sel)                                                                                              \
    F(src1_sel)                                                                                              \
    F(vdstX)                                                                                                 \
    F(vdstY)                                                                                                 \
    F(src0X)                                                                                                 \
    F(src0Y)                                                                                                 \
    F(vsrc1X)                                                                                                \
    F(vsrc1Y)                                                                                                \
    F(cbsz)                                                                                                  \
    F(abid)                                                                                                  \
    F(blgp)                                                                                                  \
    F(idx)                                                                                                   \
    F(index_key_8bit)                                                                                        \
    F(index_key_16bit)                                                                                       \
    F(byte_sel)                                                                                              \
    F(waitvdst)                                                                                              \
    F(waitvsrc)                                                                                              \
    F(attr)                                                                                                  \
    F(attrchan)                                                                                              \
    F(tgt)                                                                                                   \
    F(en)
enum amd_field {
#define F(name) AF_##name,
    AMD_FIELDS(F)
#undef F
        AF_COUNT
};

enum amd_enc {
    AMD_ENC_SOP1,
    AMD_ENC_SOP2,
    AMD_ENC_SOPC,
    AMD_ENC_SOPK,
    AMD_ENC_SOPP,
    AMD_ENC_SMEM,
    AMD_ENC_VOP1,
    AMD_ENC_VOP2,
    AMD_ENC_VOPC,
    AMD_ENC_VOP3, /* also VOP3B: AF_sdst present beside AF_vdst */
    AMD_ENC_VOP3P,
    AMD_ENC_VOPD,
    AMD_ENC_DS,
    AMD_ENC_BUFFER, /* MUBUF, MTBUF, VBUFFER */
    AMD_ENC_FLAT,
    AMD_ENC_GLOBAL,
    AMD_ENC_SCRATCH,
    AMD_ENC_OTHER, /* export, LDS parameter loads */
};
/* Row flags. VOP1/VOP2/VOPC rows are the 32-bit forms; their VOP3 forms have AMD_ENC_VOP3. */
enum {
    AMD_E64 = 1 << 0,   /* printed with _e64 */
    AMD_E32 = 1 << 1,   /* printed with _e32 */
    AMD_DPP16 = 1 << 2, /* dpp_ctrl row_mask bank_mask bound_ctrl [fi] */
    AMD_DPP8 = 1 << 3,
    AMD_SDWA = 1 << 4,
    AMD_OFFEN = 1 << 5, /* BUFFER: vaddr holds an offset */
    AMD_IDXEN = 1 << 6, /* BUFFER: vaddr holds an index; with OFFEN: v[n] index, v[n+1] offset */
    AMD_TFE = 1 << 7,
    AMD_LDS = 1 << 8,  /* BUFFER/GLOBAL load to LDS */
    AMD_RTN = 1 << 9,  /* atomic that returns the old value (vdata is also the result in BUFFER) */
    AMD_W32 = 1 << 10, /* row exists in wave32 only */
    AMD_W64 = 1 << 11  /* row exists in wave64 only */
};

/* How an operand's field value is to be read. */
enum amd_opkind {
    AMD_OP_NONE,
    AMD_OP_VGPR, /* f = VGPR number (gfx90a/gfx942: bit 9 of vdata/vdst/data0: accumulation register) */
    AMD_OP_AGPR, /* f = accumulation register number */
    AMD_OP_SGPR, /* f = scalar operand code: 0-101/105 s0.., 106 vcc_lo, 107 vcc_hi, 124/125 m0 null, 126
                    exec_lo.. */
    AMD_OP_SRC,  /* f = source code: scalar operand, 128-208 inline int, 240-248 inline float, 255 literal,
                    256+ VGPR */
    AMD_OP_IMM,  /* f = immediate */
    AMD_OP_K     /* the literal dword held in AF_imm (v_madmk, v_fmaak, s_fmaak) */
};
/* How the constants of an AMD_OP_SRC read, and two register shapes. */
enum amd_type {
    AMD_T_B32,   /* bits; inline floats are f32. Also packed 16-bit integers: a constant is the whole dword */
    AMD_T_I64,   /* a literal is sign-extended */
    AMD_T_F64,   /* a literal is the high dword */
    AMD_T_I16,   /* inline floats are f16, literals the low half */
    AMD_T_F16,   /* as AMD_T_I16 */
    AMD_T_BF16,  /* inline floats are bf16 */
    AMD_T_V2I16, /* inline floats are f16 in the low half */
    AMD_T_V2F16, /* as AMD_T_V2I16 */
    AMD_T_V2BF16, /* inline floats are bf16 in the low half */
    AMD_T_MASK,   /* lane mask: one scalar register in wave32, two in wave64; dwords is 0 */
    AMD_T_T16     /* half of a VGPR: f bit 7 (AMD_OP_VGPR) set: the high half of VGPR f & 127 */
};

struct amd_operand {
    uint8_t field;  /* enum amd_field; the operand's modifiers, when any, are AF_srcN_modifiers */
    uint8_t kind;   /* enum amd_opkind */
    uint8_t dwords; /* registers named: v[0:1] is 2; 0 for immediates and lane masks */
    uint8_t type;   /* enum amd_type */
    uint32_t allow; /* codes the operand takes (private) */
};
enum { AMD_MAX_OPERANDS = 8 };

struct amd_row {
    const char *name;     /* mnemonic as LLVM prints it: "v_add_f32_e32", "v_dual_mul_f32" (VOPD: X half) */
    uint64_t mask, value; /* fixed bits, all within the first two dwords */
    uint16_t base,
        base_y;      /* indices into amd_base[]: mnemonic without suffix; base_y: VOPD's Y half, else 0 */
    uint16_t flags;  /* AMD_E64 ... */
    uint8_t enc;     /* enum amd_enc */
    uint8_t bytes;   /* 4, 8 or 12, without a literal */
    uint16_t layout; /* fields' positions (private) */
    uint16_t form;   /* operands and template: amd_form[] */
};

/* One operand list with its print template; shared by many rows. */
struct amd_form {
    const char *text; /* template: $field, $modifier (print.c), words as they are */
    uint8_t count;
    struct amd_operand op[AMD_MAX_OPERANDS]; /* in printed order */
};
extern const struct amd_form amd_form[];

/* Every mnemonic of every target without encoding suffix, sorted; [0] is "". The translator maps on the
 * index. */
extern const char *const amd_base[];
extern const unsigned amd_base_count;

struct amd_inst {
    const struct amd_row *row;
    uint64_t fields; /* bit AF_x set: the row has field x */
    uint32_t literal;
    bool has_literal; /* a source code is 255 (or K constant): literal is that dword */
    uint8_t size;     /* bytes, literal included: 4, 8, 12 or 16 */
    uint8_t gpu;      /* enum amd_gpu it was decoded for */
    uint32_t f[AF_COUNT];
};

static inline bool amd_has(const struct amd_inst *i, enum amd_field f)
{
    return i->fields >> f & 1;
}
/* "v_add_f32" for v_add_f32_e32, _e64, _dpp, _sdwa; for VOPD the X half ("v_dual_mul_f32") and the Y half. */
static inline const char *amd_base_name(const struct amd_row *row)
{
    return amd_base[row->base];
}
static inline const char *amd_base_name_y(const struct amd_row *row)
{
    return amd_base[row->base_y];
}
/* The operand read from field f, or NULL. */
const struct amd_operand *amd_operand(const struct amd_inst *i, enum amd_field f);
/* Does operand value f name the high half of VGPR f & 127? (16-bit operands of the gfx11 and gfx12 32-bit encodings.
 * LLVM 19 prints and accepts these with +real-true16 only.) */
bool amd_high_half(const struct amd_operand *o, uint32_t f);
/* Immediate byte offset of a memory instruction, sign-extended as this target's encoding says. */
int32_t amd_offset(const struct amd_inst *i);
/* Branch target of a SOPP branch (or s_call_b64, s_cbranch_i_fork...) at byte address pc. */
uint64_t amd_branch_target(const struct amd_inst *i, uint64_t pc);

/* Decodes the instruction at bytes (avail bytes readable) and returns its size. wave64 selects the rows
 * that exist in one wave size only. Refuses what LLVM's disassembler refuses. -EILSEQ: no such instruction
 * (the text names the words); -ENODATA: truncated. */
int amd_decode(enum amd_gpu gpu, bool wave64, const void *bytes, size_t avail, struct amd_inst *out);

/* All rows of a target, in the order they are tried; for listings and tests. NULL without memory. */
const struct amd_row *amd_rows(enum amd_gpu gpu, unsigned *count);
/* Writes v into the field's bits of an instruction of this row (12 writable bytes); false: no such field. */
bool amd_insert(const struct amd_row *row, void *bytes, enum amd_field f, uint32_t v);

/* Prints as llvm-objdump does ("v_add_f32_e32 v0, s1, v2"); branch targets as the signed 16-bit number
 * llvm-mc prints. Returns the length (as snprintf). */
int amd_print(const struct amd_inst *i, bool wave64, uint64_t pc, char *buf, size_t n);
#endif
