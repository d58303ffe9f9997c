/* Context save area sizes: what amdkfd itself computes, per target. */
#include "kernel/cwsr.h"
#include "base/bits.h"
#include "base/err.h"

enum { PAGE = 4096, HEADER = 40, CTL_STACK_MAX_GFX10 = 0x7000 };

/* Bytes of vector registers of one compute unit. */
static uint32_t vgpr_size(uint64_t target)
{
    switch (target) {
    case 90008: /* gfx908, gfx90a, gfx940..942, gfx950: accumulation registers too */
    case 90010:
    case 90400:
    case 90401:
    case 90402:
    case 90500:
        return 0x80000;
    case 110000: /* gfx1100, gfx1101, gfx1151, gfx1200, gfx1201: half as many again as their family */
    case 110001:
    case 110501:
    case 120000:
    case 120001:
        return 0x60000;
    default:
        return 0x40000;
    }
}

int kfd_cwsr_sizes(const struct kfd_node *n, struct kfd_cwsr *out)
{
    uint64_t target = n->gfx_target_version, xcc = n->num_xcc ? n->num_xcc : 1;
    enum { SGPR = 0x4000, HW_REGS = 0x1000, LDS = 0x10000 };
    if (target < 90000)
        return fail(-EINVAL, "gfx_target_version %llu: no context save before gfx9",
                    (unsigned long long)target);
    if (!n->simd_per_cu || n->simd_count / n->simd_per_cu / xcc - 1 >= 1024)
        return fail(-EINVAL, "simd_count %llu, simd_per_cu %llu, num_xcc %llu: not a GPU's",
                    (unsigned long long)n->simd_count, (unsigned long long)n->simd_per_cu,
                    (unsigned long long)xcc);
    uint64_t cu = n->simd_count / n->simd_per_cu / xcc, waves = cu * 32, per_wave = 12;
    if (target < 100100) {
        if (!n->simd_arrays_per_engine)
            return fail(-EINVAL, "simd_arrays_per_engine 0: not a GPU's");
        uint64_t most = n->array_count / n->simd_arrays_per_engine * 512;
        waves = cu * 40 < most ? cu * 40 : most;
        per_wave = 8;
    }
    uint64_t ctl = align_up(waves * per_wave + 8 + HEADER, PAGE);
    if (target / 10000 == 10 && ctl > CTL_STACK_MAX_GFX10)
        ctl = CTL_STACK_MAX_GFX10;
    uint64_t lds = target == 90500 ? n->lds_size_in_kb << 10 : LDS;
    uint64_t data = align_up(cu * (vgpr_size(target) + SGPR + lds + HW_REGS), PAGE);
    uint64_t debug_size = align_up(waves * 32, 64);
    out->ctl_stack_size = lo32(ctl);
    out->ctx_size = lo32(ctl + data);
    out->debug_size = lo32(debug_size);
    out->buffer_size = align_up((ctl + data + debug_size) * xcc, PAGE);
    return 0;
}
