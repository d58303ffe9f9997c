/* AMD GPU machine code as programs for the engine. Not for: launch state (soft/dispatch.c) or packets. */
#ifndef NX_ISA_AMD_AMD_H
#define NX_ISA_AMD_AMD_H
#include "engine/engine.h"
#include "isa/amd/inst.h"

/* Apertures in a flat address (gfx9 to gfx12.0): what src_shared_base and src_private_base read, and what the
 * driver reports (struct kfd_process_device_apertures). */
#define AMD_SHARED_BASE  (1ull << 48)
#define AMD_PRIVATE_BASE (2ull << 48)

/* wave.gen */
enum { ISA_GFX9 = 9, ISA_GFX10 = 10, ISA_GFX11 = 11, ISA_GFX12 = 12 };

/* The instruction set of a target; static, thread-safe. */
const struct eng_isa *amd_isa(enum amd_gpu gpu);

/* How a mnemonic without encoding suffix (inst.h: index into amd_base) executes. */
struct amd_map {
    int16_t op;    /* enum lane_op, or -1: the engine does not execute it */
    uint16_t unit; /* LDS two-address forms: bytes per offset unit, else 0 */
    uint8_t nop;   /* no effect here: waits, hints, cache controls that a coherent memory does not need */
    uint8_t swap;  /* LDS compare and store of gfx9 and gfx10: data0 is the value compared */
    uint8_t known; /* private */
    uint8_t pad;
};
/* For amd_row.base (or base_y). Thread-safe. */
struct amd_map amd_map_of(unsigned base);
#endif
