/* The modelled chips: one row each. Not here: how a chip behaves (the packet processors ask gen), what its
 * driver reports beyond these numbers (sysfs.c). Sources of the numbers: real KFD topologies where published
 * (gfx1030), the kernel's device tables and published board data elsewhere; each row names its board.
 */
#ifndef NX_SOFT_CHIP_H
#define NX_SOFT_CHIP_H
#include "hw/amd/gen.h"
#include "isa/amd/inst.h"
#include <stdint.h>

struct ip_version {
    uint16_t hwid; /* 11 GC, 42 SDMA0, 108 NBIF ... as ip_discovery numbers them */
    uint8_t major, minor, revision;
};
struct chip {
    const char *name;  /* "gfx1100" */
    const char *board; /* what the row was modelled on */
    const char *asic;  /* the kernel's name for it, file nodes/N/name */
    enum amd_gen gen;
    enum amd_gpu isa;
    uint32_t target; /* gfx_target_version: major * 10000 + minor * 100 + step */
    uint32_t device_id, subsystem, revision;
    uint32_t cu, simd_per_cu, waves_per_simd, slots_scratch_cu, wave_size;
    uint32_t arrays, arrays_per_engine, cu_per_array;
    uint32_t sdma_engines, sdma_queues, cp_queues;
    uint32_t clock_mhz, memory_mhz, memory_bits;
    uint32_t family, capability, fw, sdma_fw;
    uint64_t vram;        /* bytes */
    uint32_t cache_kb[3]; /* vector L1 of a compute unit, L2, last level (0: none) */
    struct ip_version ip[3];
};

/* Row by name, or NULL. */
const struct chip *chip_find(const char *name);
/* i-th row, NULL at the end. */
const struct chip *chip_at(unsigned i);
#endif
