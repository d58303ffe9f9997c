/* The NVIDIA generations that the tables tell apart, and what a launch must know about each: classes, QMD
 * version, constant bank 0, address windows. Adding one: a line here, a row in gen.c, and rows where it
 * differs.
 */
#ifndef NX_HW_NV_GEN_H
#define NX_HW_NV_GEN_H
#include <stdint.h>

enum nv_gen {
    NV_TURING,      /* TU10x, TU11x: sm_75 */
    NV_AMPERE_A,    /* GA100: sm_80 */
    NV_AMPERE,      /* GA10x: sm_86, sm_87 */
    NV_ADA,         /* AD10x: sm_89 */
    NV_HOPPER,      /* GH100: sm_90 */
    NV_BLACKWELL_A, /* GB10x: sm_100, sm_103 */
    NV_BLACKWELL_B, /* GB20x: sm_120, sm_121 */
    NV_GEN_COUNT
};
/* A set of generations in rows: from the first to the last. */
#define NVG(first, last) ((uint16_t)((2u << NV_##last) - (1u << NV_##first)))

enum nv_unit { NV_UNIT_NONE, NV_UNIT_HOST, NV_UNIT_COMPUTE, NV_UNIT_COPY, NV_UNIT_INLINE };

/* Byte offsets in constant bank 0 of what compiled code reads there; NV_C0_NONE: not read on that generation.
 */
#define NV_C0_NONE 0xffff
struct nv_bank0 {
    uint16_t block_dim, grid_dim; /* 3 dwords each: threads of a block, blocks of the grid */
    uint16_t shared_window;       /* u64 */
    uint16_t local_window;        /* u64 */
    uint16_t stack_pointer;       /* u32: the first R1 */
    uint16_t dynamic_shared;      /* u32 bytes */
    uint16_t grid_id;             /* u64 */
    uint16_t grid_sync;           /* u64: workspace of cooperative launches */
    uint16_t hidden_shared;       /* u32 that %total_smem_size leaves out */
    uint16_t memory_descriptor;   /* u64 used by LDG and STG; 0 works */
    uint16_t params;              /* where parameters begin unless the cubin's PARAM_CBANK says otherwise */
};
struct nv_arch {
    const char *name;                                      /* "Ada" */
    uint32_t gpfifo, compute, copy, inline_copy, usermode; /* newest classes that RM offers on it */
    uint32_t sm_version;                                   /* GR_GET_INFO's: 0x809 */
    uint8_t qmd, qmds; /* enum qmd_version to build; bit v: version v is accepted by the compute class */
    uint16_t qmd_bytes;
    uint16_t shared_base; /* address of the first static shared byte */
    struct nv_bank0 bank0;
};
const struct nv_arch *nv_arch(enum nv_gen gen); /* gen < NV_GEN_COUNT */

/* "sm_89" -> NV_ADA (also "sm_90a" and the like); -EINVAL with text that lists what is known. */
int nv_gen_of(const char *target);
const char *nv_gen_name(enum nv_gen gen);
/* The oldest generation that has this gpfifo, compute or copy class, and what the class is; -1 and
 * NV_UNIT_NONE: unknown. */
int nv_gen_of_class(uint32_t nvclass);
enum nv_unit nv_unit_of_class(uint32_t nvclass);

enum {
    NV_SHARED_RESERVED = 0x400,       /* QMD's shared size counts this much on top of static and dynamic */
    NV_STACK_TOP = 0x1000000 - 0x240, /* first R1 in a thread's 24-bit local space */
};
/* Windows of generic addresses: shared and local memory appear at window + offset. 4 GiB aligned because
 * sm_90 and later read only the high word. Any place the VA space does not use will do; these are tinygrad's.
 */
#define NV_SHARED_WINDOW 0x729400000000ull
#define NV_LOCAL_WINDOW  0x729300000000ull
#endif
