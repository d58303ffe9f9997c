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
    {"v_dot2c_f32_f16", "v_dot2acc_f32_f16"},
    {"v_ffbh_u32", "v_clz_i32_u32"},
    {"v_ffbl_b32", "v_ctz_i32_b32"},
    {"v_ffbh_i32", "v_cls_i32"},
    {"v_add_u16", "v_add_nc_u16"},
    {"v_sub_u16", "v_sub_nc_u16"},
    {"v_add_i16", "v_add_nc_i16"},
    {"v_sub_i16", "v_sub_nc_i16"},
    {"v_add_i32", "v_add_nc_i32"},
    {"v_sub_i32", "v_sub_nc_i32"},
    {"v_cvt_rpi_i32_f32", "v_cvt_nearest_i32_f32"},
    {"v_cvt_flr_i32_f32", "v_cvt_floor_i32_f32"},
    {"v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32"},
    {"v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32"},
    {"v_cvt_pknorm_i16_f16", "v_cvt_pk_norm_i16_f16"},
    {"v_cvt_pknorm_u16_f16", "v_cvt_pk_norm_u16_f16"},
    {"v_cmp_tru_f16", "v_cmp_t_f16"},
    {"v_cmp_tru_f32", "v_cmp_t_f32"},
    {"v_cmp_tru_f64", "v_cmp_t_f64"},
    {"v_cmpx_tru_f16", "v_cmpx_t_f16"},
    {"v_cmpx_tru_f32", "v_cmpx_t_f32"},
    {"v_cmpx_tru_f64", "v_cmpx_t_f64"},
    {"v_fmac_legacy_f32", "v_fmac_dx9_zero_f32"},
    {"v_fma_legacy_f32", "v_fma_dx9_zero_f32"},
    {"v_mad_co_u64_u32", "v_mad_u64_u32"},
    {"v_mad_co_i64_i32", "v_mad_i64_i32"},
    {"v_min_num_f16", "v_min_f16"},
    {"v_max_num_f16", "v_max_f16"},
    {"v_min_num_f32", "v_min_f32"},
    {"v_max_num_f32", "v_max_f32"},
    {"v_min_num_f64", "v_min_f64"},
    {"v_max_num_f64", "v_max_f64"},
    {"v_min3_num_f32", "v_min3_f32"},
    {"v_max3_num_f32", "v_max3_f32"},
    {"v_min3_num_f16", "v_min3_f16"},
    {"v_max3_num_f16", "v_max3_f16"},
    {"v_med3_num_f32", "v_med3_f32"},
    {"v_med3_num_f16", "v_med3_f16"},
    {"v_minmax_num_f32", "v_minmax_f32"},
    {"v_maxmin_num_f32", "v_maxmin_f32"},
    {"v_minmax_num_f16", "v_minmax_f16"},
    {"v_maxmin_num_f16", "v_maxmin_f16"},
    {"v_pk_min_num_f16", "v_pk_min_f16"},
    {"v_pk_max_num_f16", "v_pk_max_f16"},
};

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

/* Parts of memory mnemonics of gfx9, gfx10 and gfx12, and of DS, as the operations spell them; a whole
 * remainder after `from` only. First match counts. */
static const struct {
    const char *from, *to;
} mem_words[] = {
    {"load_ubyte_d16_hi", "load_d16_hi_u8"},
    {"load_ubyte_d16", "load_d16_u8"},
    {"load_sbyte_d16_hi", "load_d16_hi_i8"},
    {"load_sbyte_d16", "load_d16_i8"},
    {"load_short_d16_hi", "load_d16_hi_b16"},
    {"load_short_d16", "load_d16_b16"},
    {"load_ubyte", "load_u8"},
    {"load_sbyte", "load_i8"},
    {"load_ushort", "load_u16"},
    {"load_sshort", "load_i16"},
    {"load_dwordx4", "load_b128"},
    {"load_dwordx3", "load_b96"},
    {"load_dwordx2", "load_b64"},
    {"load_dword", "load_b32"},
    {"store_byte_d16_hi", "store_d16_hi_b8"},
    {"store_short_d16_hi", "store_d16_hi_b16"},
    {"store_byte", "store_b8"},
    {"store_short", "store_b16"},
    {"store_dwordx4", "store_b128"},
    {"store_dwordx3", "store_b96"},
    {"store_dwordx2", "store_b64"},
    {"store_dword", "store_b32"},
    {"load_u8_d16_hi", "load_d16_hi_u8"},
    {"load_u8_d16", "load_d16_u8"},
    {"load_i8_d16_hi", "load_d16_hi_i8"},
    {"load_i8_d16", "load_d16_i8"},
    {"load_u16_d16_hi", "load_d16_hi_b16"},
    {"load_u16_d16", "load_d16_b16"},
    {"store_b8_d16_hi", "store_d16_hi_b8"},
    {"store_b16_d16_hi", "store_d16_hi_b16"},
};
static const struct {
    const char *from, *to;
    int typed; /* `to` needs u32/b32/f32 -> 64-bit with suffix _x2 */
} atomic_words[] = {
    {"add", "add_u32", 1},          {"sub", "sub_u32", 1},         {"smin", "min_i32", 1},
    {"umin", "min_u32", 1},         {"smax", "max_i32", 1},        {"umax", "max_u32", 1},
    {"and", "and_b32", 1},          {"or", "or_b32", 1},           {"xor", "xor_b32", 1},
    {"swap", "swap_b32", 1},        {"cmpswap", "cmpswap_b32", 1}, {"inc", "inc_u32", 1},
    {"dec", "dec_u32", 1},          {"fmin", "min_f32", 1},        {"fmax", "max_f32", 1},
    {"fcmpswap", "cmpswap_f32", 1}, {"csub", "sub_clamp_u32", 0},  {"csub_u32", "sub_clamp_u32", 0},
    {"min_num_f32", "min_f32", 0},  {"max_num_f32", "max_f32", 0}, {"min_num_f64", "min_f64", 0},
    {"max_num_f64", "max_f64", 0},
};

/* s: a mnemonic without prefix; rewritten in place (room n) to the operation's name. */
static void canonical_atomic(char *s, size_t n)
{
    char *rest = s + strlen("atomic_"), typed[32];
    size_t len = strlen(rest);
    int wide = len > 3 && !strcmp(rest + len - 3, "_x2");
    if (wide)
        rest[len - 3] = 0;
    for (unsigned i = 0; i < ARRAY_LEN(atomic_words); i++)
        if (!strcmp(rest, atomic_words[i].from)) {
            snprintf(typed, sizeof typed, "%s", atomic_words[i].to);
            if (wide)
                memcpy(strrchr(typed, '3'), "64", 2);
            snprintf(s, n, "atomic_%s", typed);
            return;
        }
}

static void replace(char *s, size_t n, const char *from, const char *to)
{
    char *at = strstr(s, from), tail[64];
    if (!at)
        return;
    snprintf(tail, sizeof tail, "%s", at + strlen(from));
    snprintf(at, n - (size_t)(at - s), "%s%s", to, tail);
}

/* DS spellings: read/write of gfx9 and gfx10, arithmetic without `atomic_`, exchange and compare. */
static void canonical_ds(char *s, size_t n)
{
    static const char *const plain[] = {"load",     "store",   "append", "consume", "swizzle",
                                        "bpermute", "permute", "nop",    "gws",     "ordered"};
    replace(s, n, "_rtn", "");
    replace(s, n, "read2st64", "load_2addr");
    replace(s, n, "write2st64", "store_2addr");
    replace(s, n, "wrxchg2st64", "swap_2addr");
    replace(s, n, "storexchg_2addr_stride64", "swap_2addr");
    replace(s, n, "storexchg_2addr", "swap_2addr");
    replace(s, n, "_2addr_stride64", "_2addr");
    replace(s, n, "read2_", "load_2addr_");
    replace(s, n, "write2_", "store_2addr_");
    replace(s, n, "wrxchg2_", "swap_2addr_");
    replace(s, n, "read_", "load_");
    replace(s, n, "write_", "store_");
    replace(s, n, "storexchg_", "swap_");
    replace(s, n, "wrxchg_", "swap_");
    replace(s, n, "cmpstore_", "cmpswap_");
    replace(s, n, "cmpst_", "cmpswap_");
    for (unsigned i = 0; i < ARRAY_LEN(plain); i++)
        if (!strncmp(s, plain[i], strlen(plain[i])))
            return;
    if (strstr(s, "2addr"))
        return;
    char tail[64];
    snprintf(tail, sizeof tail, "%s", s);
    snprintf(s, n, "atomic_%s", tail);
}

static int find_memory(const char *name, size_t prefix, int ds)
{
    char s[96];
    snprintf(s, sizeof s, "%s", name + prefix);
    if (ds)
        canonical_ds(s, sizeof s);
    for (unsigned i = 0; i < ARRAY_LEN(mem_words); i++)
        if (!strcmp(s, mem_words[i].from)) {
            snprintf(s, sizeof s, "%s", mem_words[i].to);
            break;
        }
    if (!strncmp(s, "atomic_", 7))
        canonical_atomic(s, sizeof s);
    int op = lane_op_find(s);
    return op >= 0 && lane_ops[op].cls == LC_MEM ? op : -1;
}

static void map_one(struct amd_map *m, const char *name)
{
    static const char *const prefixes[] = {"global_", "flat_", "scratch_", "buffer_", "ds_"};
    char dual[64];
    m->nop = (uint8_t)is_nop(name);
    if (!strncmp(name, "v_dual_", 7)) {
        snprintf(dual, sizeof dual, "v_%s", name + 7);
        name = dual;
    }
    int op = -1, ds = !strncmp(name, "ds_", 3);
    for (unsigned i = 0; i < ARRAY_LEN(prefixes); i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            op = find_memory(name, strlen(prefixes[i]), ds);
    if (op < 0)
        op = lane_op_find(rename_of(name));
    m->op = (int16_t)op;
    m->swap = ds && strstr(name, "cmpst_") != NULL;
    if (ds &&
        (strstr(name, "2addr") || strstr(name, "read2") || strstr(name, "write2") || strstr(name, "xchg2")))
        m->unit = (uint16_t)((strstr(name, "b64") ? 8 : 4) *
                             (strstr(name, "st64") || strstr(name, "stride64") ? 64 : 1));
}

static uint64_t
    *maps; /* struct amd_map by base, made at first use: a word each, so that it is stored at once */
static void init(void)
{
    maps = calloc(amd_base_count, sizeof *maps);
}

struct amd_map amd_map_of(unsigned base)
{
    struct amd_map m = {.op = -1};
    _Static_assert(sizeof m == sizeof *maps, "one word");
    pthread_once(&once, init);
    if (!maps || base >= amd_base_count)
        return m;
    uint64_t word = __atomic_load_n(&maps[base], __ATOMIC_RELAXED);
    memcpy(&m, &word, sizeof m);
    if (!m.known) {
        m = (struct amd_map){.known = 1};
        map_one(&m, amd_base[base]);
        memcpy(&word, &m, sizeof m);
        __atomic_store_n(&maps[base], word, __ATOMIC_RELAXED);
    }
    return m;
}
