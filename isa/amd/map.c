/* Which operation executes a mnemonic. The rule: the mnemonic itself is the operation's name; memory
 * mnemonics lose their address-mode prefix first; what is called differently on some generation stands in
 * `renamed`. */
#include "base/bits.h"
#include "base/err.h"
#include "engine/ops.h"
#include "isa/amd/amd.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A leading part of the mnemonic, or all of it ("=" first). */
static const char *const nops[] = {
    "=s_nop",
    "s_waitcnt",
    "s_wait_",
    "=s_delay_alu",
    "=s_clause",
    "=s_setprio",
    "=s_set_inst_prefetch_distance",
    "=s_inst_prefetch",
    "=s_icache_inv",
    "s_dcache_inv",
    "s_dcache_wb",
    "=s_gl1_inv",
    "=s_incperflevel",
    "=s_decperflevel",
    "s_ttracedata",
    "=s_wakeup",
    "=s_version",
    "=s_singleuse_vdst",
    "s_prefetch_",
    "s_buffer_prefetch",
    "=buffer_gl0_inv",
    "=buffer_gl1_inv",
    "buffer_wbinvl1",
    "=buffer_wbl2",
    "=buffer_inv",
    "=buffer_invl2",
    "=global_inv",
    "=global_wb",
    "=global_wbinv",
    "=v_nop",
    "=v_pipeflush",
    "=ds_nop",

};

/* Old or other names of an operation: gfx9, gfx10 and gfx12 spellings, and aliases that mean the same here.
 */
static const struct {
    const char *name, *op;
} renamed[] = {
    {"s_andn2_b32", "s_and_not1_b32"},
    {"s_andn2_b64", "s_and_not1_b64"},
    {"s_orn2_b32", "s_or_not1_b32"},
    {"s_orn2_b64", "s_or_not1_b64"},
    {"s_andn1_saveexec_b32", "s_and_not0_saveexec_b32"},
    {"s_andn1_saveexec_b64", "s_and_not0_saveexec_b64"},
    {"s_andn2_saveexec_b32", "s_and_not1_saveexec_b32"},
    {"s_andn2_saveexec_b64", "s_and_not1_saveexec_b64"},
    {"s_orn1_saveexec_b32", "s_or_not0_saveexec_b32"},
    {"s_orn1_saveexec_b64", "s_or_not0_saveexec_b64"},
    {"s_orn2_saveexec_b32", "s_or_not1_saveexec_b32"},
    {"s_orn2_saveexec_b64", "s_or_not1_saveexec_b64"},
    {"s_andn1_wrexec_b32", "s_and_not0_wrexec_b32"},
    {"s_andn1_wrexec_b64", "s_and_not0_wrexec_b64"},
    {"s_andn2_wrexec_b32", "s_and_not1_wrexec_b32"},
    {"s_andn2_wrexec_b64", "s_and_not1_wrexec_b64"},
    {"s_ff1_i32_b32", "s_ctz_i32_b32"},
    {"s_ff1_i32_b64", "s_ctz_i32_b64"},
    {"s_flbit_i32_b32", "s_clz_i32_u32"},
    {"s_flbit_i32_b64", "s_clz_i32_u64"},
    {"s_flbit_i32", "s_cls_i32"},
    {"s_flbit_i32_i64", "s_cls_i32_i64"},
    {"s_add_co_u32", "s_add_u32"},
    {"s_sub_co_u32", "s_sub_u32"},
    {"s_add_co_i32", "s_add_i32"},
    {"s_sub_co_i32", "s_sub_i32"},
    {"s_add_co_ci_u32", "s_addc_u32"},
    {"s_sub_co_ci_u32", "s_subb_u32"},
    {"s_addk_co_i32", "s_addk_i32"},
    {"s_endpgm_saved", "s_endpgm"},
    {"s_load_dword", "s_load_b32"},
    {"s_load_dwordx2", "s_load_b64"},
    {"s_load_dwordx4", "s_load_b128"},
    {"s_load_dwordx8", "s_load_b256"},
    {"s_load_dwordx16", "s_load_b512"},
    {"s_buffer_load_dword", "s_buffer_load_b32"},
    {"s_buffer_load_dwordx2", "s_buffer_load_b64"},
    {"s_buffer_load_dwordx4", "s_buffer_load_b128"},
    {"s_buffer_load_dwordx8", "s_buffer_load_b256"},
    {"s_buffer_load_dwordx16", "s_buffer_load_b512"},
    {"v_add_u32", "v_add_nc_u32"},
    {"v_sub_u32", "v_sub_nc_u32"},
    {"v_subrev_u32", "v_subrev_nc_u32"},
    {"v_addc_co_u32", "v_add_co_ci_u32"},
    {"v_subb_co_u32", "v_sub_co_ci_u32"},
    {"v_subbrev_co_u32", "v_subrev_co_ci_u32"},
    {"v_mul_legacy_f32", "v_mul_dx9_zero_f32"},
    {"v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32"},
    {"v_dot2acc_f32_f16", "v_dot2c_f32_f16"},
};

static struct amd_map *maps;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int is_nop(const char *name)
{
    for (unsigned i = 0; i < ARRAY_LEN(nops); i++)
        if (nops[i][0] == '=' ? !strcmp(name, nops[i] + 1) : !strncmp(name, nops[i], strlen(nops[i])))
            return 1;
    return 0;
}

static const char *rename_of(const char *name)
{
    for (unsigned i = 0; i < ARRAY_LEN(renamed); i++)
        if (!strcmp(name, renamed[i].name))
            return renamed[i].op;
    return name;
}

static void map_one(struct amd_map *m, const char *name)
{
    static const char *const prefixes[] = {"global_", "flat_", "scratch_", "buffer_", "ds_"};
    char dual[64];
    m->op = -1;
    m->nop = (uint8_t)is_nop(name);
    if (!strncmp(name, "v_dual_", 7)) {
        snprintf(dual, sizeof dual, "v_%s", name + 7);
        name = dual;
    }
    name = rename_of(name);
    int op = lane_op_find(name);
    for (unsigned i = 0; op < 0 && i < ARRAY_LEN(prefixes); i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            op = lane_op_find(rename_of(name + strlen(prefixes[i])));
    m->op = (int16_t)op;
    if (!strncmp(name, "ds_", 3) &&
        (strstr(name, "2addr") || strstr(name, "2st64") || strstr(name, "read2") || strstr(name, "write2") ||
         strstr(name, "xchg2")))
        m->unit = (uint8_t)((strstr(name, "b64") ? 8 : 4));
}

static void init(void)
{
    maps = calloc(amd_base_count, sizeof *maps);
    for (unsigned i = 0; maps && i < amd_base_count; i++)
        map_one(&maps[i], amd_base[i]);
}

const struct amd_map *amd_map_of(unsigned base)
{
    static const struct amd_map none = {.op = -1};
    pthread_once(&once, init);
    return maps && base < amd_base_count ? &maps[base] : &none;
}
