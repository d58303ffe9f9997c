#include "hw/amd/shim.h"
#include "base/err.h"
#include "hw/amd/pm4.h"
#include "hw/amd/regs.h"
#include <inttypes.h>

/* n registers from offset on; returns the end of the packet */
static uint32_t *set_sh(uint32_t *dw, uint32_t offset, const uint32_t *values, uint32_t n)
{
    pm4_set_sh_reg_pack(dw, &(struct pm4_set_sh_reg){.offset = offset, .tail = n});
    memcpy(dw + PM4_set_sh_reg_DWORDS, values, n * 4ul);
    return dw + PM4_set_sh_reg_DWORDS + n;
}

static int check(uint32_t room, enum amd_gen gen, const struct pm4_dispatch *d)
{
    if (room < PM4_DISPATCH_DWORDS)
        return fail(-ENOSPC, "room for %u dwords, a dispatch may need %d", room, PM4_DISPATCH_DWORDS);
    if (d->code_va & 255 || d->code_va >> 48)
        return fail(-EINVAL, "code address 0x%" PRIx64 ": expected a multiple of 256 below 2^48", d->code_va);
    if (d->user_data_count > AMD_USER_DATA_COUNT)
        return fail(-EINVAL, "%u dwords of user data, at most %u", d->user_data_count, AMD_USER_DATA_COUNT);
    for (int i = 0; i < 3; i++)
        if (!d->block[i] || d->block[i] > 1024 || !d->groups[i])
            return fail(-EINVAL, "dimension %d: block %u, groups %u: expected 1 to 1024 and at least 1", i,
                        d->block[i], d->groups[i]);
    if (d->wave32 && gen < AMD_GEN_10_3)
        return fail(-EINVAL, "wave32 on %s, which has wave64 only", amd_gen_name(gen));
    return 0;
}

int pm4_compose_dispatch(uint32_t *dw, uint32_t room, enum amd_gen gen, const struct pm4_dispatch *d)
{
    int err = check(room, gen, d);
    if (err)
        return err;
    uint32_t *w = dw, rsrc3 = reg_COMPUTE_PGM_RSRC3_offset(gen), threads[3];
    for (int i = 0; i < 3; i++)
        threads[i] = reg_COMPUTE_NUM_THREAD_X_pack(
            gen, &(struct reg_COMPUTE_NUM_THREAD_X){.num_thread_full = d->block[i]});
    w = set_sh(w, reg_COMPUTE_PGM_LO_offset(gen), (uint32_t[]){lo32(d->code_va >> 8), hi32(d->code_va >> 8)},
               2);
    w = set_sh(w, reg_COMPUTE_PGM_RSRC1_offset(gen), (uint32_t[]){d->rsrc1, d->rsrc2}, 2);
    if (rsrc3 != REG_NONE)
        w = set_sh(w, rsrc3, &d->rsrc3, 1);
    w = set_sh(w, reg_COMPUTE_START_X_offset(gen), (uint32_t[]){0, 0, 0, threads[0], threads[1], threads[2]},
               6);
    if (d->user_data_count)
        w = set_sh(w, AMD_USER_DATA, d->user_data, d->user_data_count);
    struct reg_COMPUTE_DISPATCH_INITIATOR start = {
        .compute_shader_en = 1, .force_start_at_000 = 1, .cs_w32_en = d->wave32 != 0};
    pm4_dispatch_direct_pack(
        w, &(struct pm4_dispatch_direct){.dim_x = d->groups[0],
                                         .dim_y = d->groups[1],
                                         .dim_z = d->groups[2],
                                         .initiator = reg_COMPUTE_DISPATCH_INITIATOR_pack(gen, &start)});
    return (int)(w + PM4_dispatch_direct_DWORDS - dw);
}
