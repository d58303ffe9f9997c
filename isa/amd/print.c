/* Prints an instruction from its row's template. Facts: the text LLVM 19's llvm-mc and llvm-objdump give. */
#include "isa/amd/inst.h"
#include "base/bits.h"
#include "isa/amd/print.h"
#include "isa/amd/table.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void amd_put(struct amd_text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    size_t left = t->len < t->size ? t->size - t->len : 0;
    int n = vsnprintf(left ? t->buf + t->len : NULL, left, fmt, ap);
    va_end(ap);
    t->len += n > 0 ? (size_t)n : 0;
}

/* ---- registers and constants ---- */

static void registers(struct amd_text *t, const char *bank, unsigned first, unsigned n)
{
    if (n > 1)
        amd_put(t, "%s[%u:%u]", bank, first, first + n - 1);
    else
        amd_put(t, "%s%u", bank, first);
}

static void scalar(struct amd_text *t, enum amd_gpu gpu, unsigned c, unsigned n)
{
    /* named pairs: code, name; the halves add _lo and _hi */
    static const char *const pair[] = {
        [102] = "flat_scratch", [104] = "xnack_mask", [106] = "vcc", [126] = "exec"};
    unsigned m0 = gpu >= AMD_GFX1100 ? 125 : 124;
    if (c == m0)
        amd_put(t, "m0");
    else if (c == 124 || c == 125)
        amd_put(t, "null");
    else if (c >= 126 || c == 106 || c == 107 || (c >= 102 && c <= 105 && amd_gfx9(gpu)))
        amd_put(t, "%s%s", pair[c & ~1u], n == 2 ? "" : c & 1 ? "_hi" : "_lo");
    else if (c >= 108)
        registers(t, "ttmp", c - 108, n);
    else
        registers(t, "s", c, n);
}

/* One inline float: its text and its bits in each type. */
static const struct {
    const char *text;
    uint64_t f64;
    uint32_t f32;
    uint16_t f16, bf16;
} floats[] = {
    {"0.5", 0x3fe0000000000000, 0x3f000000, 0x3800, 0x3f00},
    {"-0.5", 0xbfe0000000000000, 0xbf000000, 0xb800, 0xbf00},
    {"1.0", 0x3ff0000000000000, 0x3f800000, 0x3c00, 0x3f80},
    {"-1.0", 0xbff0000000000000, 0xbf800000, 0xbc00, 0xbf80},
    {"2.0", 0x4000000000000000, 0x40000000, 0x4000, 0x4000},
    {"-2.0", 0xc000000000000000, 0xc0000000, 0xc000, 0xc000},
    {"4.0", 0x4010000000000000, 0x40800000, 0x4400, 0x4080},
    {"-4.0", 0xc010000000000000, 0xc0800000, 0xc400, 0xc080},
    {NULL, 0x3fc45f306dc9c882, 0x3e22f983, 0x3118, 0x3e22},
};

/* A literal as its operand reads it, printed as LLVM prints that value. */
static void literal(struct amd_text *t, enum amd_type type, uint32_t dword)
{
    bool wide = type == AMD_T_I64 || type == AMD_T_F64, half = type == AMD_T_F16 || type == AMD_T_BF16;
    uint64_t v = type == AMD_T_F64 ? (uint64_t)dword << 32 : half ? dword & 0xffff : dword;
    int64_t s = wide ? (int64_t)v : half ? (int16_t)v : (int32_t)v;
    if (s >= -16 && s <= 64) {
        amd_put(t, "%d", (int)s);
        return;
    }
    for (unsigned i = 0; i < ARRAY_LEN(floats); i++) {
        uint64_t bits = wide                                         ? floats[i].f64
                        : type == AMD_T_F16 || type == AMD_T_V2F16   ? floats[i].f16
                        : type == AMD_T_BF16 || type == AMD_T_V2BF16 ? floats[i].bf16
                                                                     : floats[i].f32;
        if (v == bits) {
            amd_put(t, "%s", i < 8 ? floats[i].text : wide ? "0.15915494309189532" : "0.15915494");
            return;
        }
    }
    amd_put(t, "0x%x", type == AMD_T_I16 || type == AMD_T_F16 || type == AMD_T_T16 ? dword & 0xffff : dword);
}

static void inline_float(struct amd_text *t, enum amd_type type, unsigned k)
{
    if (type == AMD_T_I16 || type == AMD_T_V2I16 || type == AMD_T_T16)
        amd_put(t, "0x%x", floats[k].f16);
    else if (k < 8)
        amd_put(t, "%s", floats[k].text);
    else
        amd_put(t, type == AMD_T_I64 || type == AMD_T_F64 ? "0.15915494309189532" : "0.15915494");
}

static void source(struct amd_text *t, const struct amd_inst *i, const struct amd_operand *op, uint32_t c,
                   unsigned n)
{
    static const char *const aperture[] = {"src_shared_base", "src_shared_limit", "src_private_base",
                                           "src_private_limit", "src_pops_exiting_wave_id"};
    static const char *const flag[] = {"src_vccz", "src_execz", "src_scc", "src_lds_direct"};
    if (c >= 256 && (op->type == AMD_T_T16 || amd_high_half(op, c)))
        amd_put(t, "v%u.%c", c & 127, c & 128 ? 'h' : 'l');
    else if (c >= 256)
        registers(t, c >> 9 ? "a" : "v", c & 255, n);
    else if (c < 128)
        scalar(t, i->gpu, c, n);
    else if (c <= 208)
        amd_put(t, "%d", c <= 192 ? (int)c - 128 : 192 - (int)c);
    else if (c <= 239)
        amd_put(t, "%s", aperture[c - 235]);
    else if (c <= 248)
        inline_float(t, op->type, c - 240);
    else if (c == 255)
        literal(t, op->type, i->literal);
    else
        amd_put(t, "%s", flag[c - 251]);
}

static void operand(struct amd_text *t, const struct amd_inst *i, const struct amd_operand *op)
{
    uint32_t f = i->f[op->field];
    unsigned n = amd_dwords(op, t->wave64);
    switch (op->kind) {
    case AMD_OP_VGPR:
    case AMD_OP_AGPR:
        if (op->type == AMD_T_T16 || amd_high_half(op, f))
            amd_put(t, "v%u.%c", f & 127, f & 128 ? 'h' : 'l');
        else
            registers(t, f >> 9 || op->kind == AMD_OP_AGPR ? "a" : "v", f & 255, n);
        break;
    case AMD_OP_SGPR:
        if (op->field == AF_saddr && !amd_gfx9(i->gpu) && f == (i->gpu >= AMD_GFX1100 ? 124u : 125u))
            amd_put(t, "off");
        else
            scalar(t, i->gpu, f, n);
        break;
    case AMD_OP_SRC:
        source(t, i, op, f, n);
        break;
    case AMD_OP_IMM:
        literal(t, op->type, f);
        break;
    default:
        amd_put(t, "0x%x", i->literal);
    }
}

/* ---- modifiers ---- */

static const enum amd_field source_of[3] = {AF_src0, AF_src1, AF_src2};
static const enum amd_field modifiers_of[3] = {AF_src0_modifiers, AF_src1_modifiers, AF_src2_modifiers};

/* -x |x|; neg(1) where -1 would read as another constant; sext(x). */
static void modified(struct amd_text *t, const struct amd_inst *i, unsigned src, bool integer)
{
    const struct amd_operand *op = amd_operand(i, source_of[src]);
    uint32_t m = i->f[modifiers_of[src]], c = i->f[source_of[src]];
    if (!op)
        return;
    if (integer) {
        amd_put(t, m & 1 ? "sext(" : "");
        operand(t, i, op);
        amd_put(t, m & 1 ? ")" : "");
        return;
    }
    bool constant_neg = (m & 3) == 1 && op->kind == AMD_OP_SRC &&
                        ((c >= 128 && c <= 208) || (c >= 240 && c <= 248) || c == 255);
    amd_put(t, "%s%s", !(m & 1) ? "" : constant_neg ? "neg(" : "-", m & 2 ? "|" : "");
    operand(t, i, op);
    amd_put(t, "%s%s", m & 2 ? "|" : "", constant_neg ? ")" : "");
}

/* op_sel, op_sel_hi, neg_lo, neg_hi: one bit of each source's modifiers; nothing when all have the usual
 * value. spec, from the template: how many values; d: the last is the destination's; p: 1 is usual. */
static void packed(struct amd_text *t, const struct amd_inst *i, const char *name, unsigned bit,
                   const char *spec)
{
    unsigned n = (unsigned)(*spec - '0'), v[4] = {0}, usual = spec[1] == 'p', all = 1;
    for (unsigned s = 0; s < n; s++) {
        if (spec[1] == 'd' && s == n - 1)
            v[s] = i->f[AF_src0_modifiers] >> 3 & 1;
        else if (s < 3)
            v[s] = amd_has(i, modifiers_of[s]) ? !!(i->f[modifiers_of[s]] & bit) : usual;
        all &= v[s] == usual;
    }
    if (all)
        return;
    amd_put(t, " %s:[", name);
    for (unsigned s = 0; s < n; s++)
        amd_put(t, "%s%u", s ? "," : "", v[s]);
    amd_put(t, "]");
}

static void dpp_ctrl(struct amd_text *t, const struct amd_inst *i)
{
    static const char *const shift[] = {"row_shl", "row_shr", "row_ror"};
    static const struct {
        uint16_t code;
        const char *text;
    } fixed[] = {{0x130, "wave_shl:1"},   {0x134, "wave_rol:1"},  {0x138, "wave_shr:1"},
                 {0x13c, "wave_ror:1"},   {0x140, "row_mirror"},  {0x141, "row_half_mirror"},
                 {0x142, "row_bcast:15"}, {0x143, "row_bcast:31"}};
    uint32_t c = i->f[AF_dpp_ctrl];
    if (c <= 0xff)
        amd_put(t, "quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6);
    else if (c < 0x130)
        amd_put(t, "%s:%u", shift[(c >> 4) - 0x10], c & 15);
    else if (c >= 0x150)
        amd_put(t, "%s:%u",
                c >= 0x160         ? "row_xmask"
                : amd_gfx9(i->gpu) ? "row_newbcast"
                                   : "row_share",
                c & 15);
    else
        for (unsigned k = 0; k < ARRAY_LEN(fixed); k++)
            if (fixed[k].code == c)
                amd_put(t, "%s", fixed[k].text);
}

static void cache_policy(struct amd_text *t, const struct amd_inst *i)
{
    uint32_t c = i->f[AF_cpol];
    bool g942 = i->gpu == AMD_GFX942;
    if (i->gpu >= AMD_GFX1201) {
        amd_print_th(t, i);
        return;
    }
    if (c & 1)
        amd_put(t, g942 && i->row->enc != AMD_ENC_SMEM ? " sc0" : " glc");
    if (c & 2)
        amd_put(t, g942 ? " nt" : " slc");
    if (c & 4)
        amd_put(t, " dlc");
    if (c & 16 && i->gpu != AMD_GFX906)
        amd_put(t, g942 ? " sc1" : " scc");
}

/* ---- the template ---- */

static void sdwa_sel(struct amd_text *t, const char *name, uint32_t v)
{
    static const char *const sel[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
    amd_put(t, "%s:%s", name, sel[v]);
}

static void offset(struct amd_text *t, const struct amd_inst *i, bool alone)
{
    int32_t v =
        i->row->enc == AMD_ENC_FLAT && i->gpu < AMD_GFX1201 ? (int32_t)i->f[AF_offset] : amd_offset(i);
    uint32_t u = v < 0 ? 0u - (uint32_t)v : (uint32_t)v;
    if (i->row->enc == AMD_ENC_SMEM)
        amd_put(t, "%s%s0x%x", alone ? "" : " offset:", v < 0 ? "-" : "", u);
    else if (v)
        amd_put(t, " offset:%d", v);
}

static void number(struct amd_text *t, const char *name, uint32_t v)
{
    if (v)
        amd_put(t, " %s:%u", name, v);
}

/* One $word of the template. start: nothing but the mnemonic or a comma comes before it. */
static void word(struct amd_text *t, const struct amd_inst *i, const char *w, size_t n, bool start)
{
    const uint32_t *f = i->f;
#define IS(text)     (n == sizeof(text) - 1 && !memcmp(w, text, sizeof(text) - 1))
#define STARTS(text) (n >= sizeof(text) - 1 && !memcmp(w, text, sizeof(text) - 1))
    if (amd_print_special(t, i, w, n))
        return;
    if (n == 14 && !memcmp(w + 4, "_modifiers", 10))
        modified(t, i, (unsigned)(w[3] - '0'), false);
    else if (n == 9 && !memcmp(w + 4, "_sext", 5))
        modified(t, i, (unsigned)(w[3] - '0'), true);
    else if (IS("offset"))
        offset(t, i, start);
    else if (IS("offset0"))
        number(t, "offset0", f[AF_offset0]);
    else if (IS("offset1"))
        number(t, "offset1", f[AF_offset1]);
    else if (IS("cpol"))
        cache_policy(t, i);
    else if (IS("gds"))
        amd_put(t, f[AF_gds] && i->gpu != AMD_GFX90A && i->gpu != AMD_GFX942 ? " gds" : "");
    else if (IS("clamp"))
        amd_put(t, f[AF_clamp] ? " clamp" : "");
    else if (IS("omod"))
        amd_put(t, "%s", (const char *[]){"", " mul:2", " mul:4", " div:2"}[f[AF_omod]]);
    else if (STARTS("op_sel_hi"))
        packed(t, i, "op_sel_hi", 8, w + 9);
    else if (STARTS("op_sel"))
        packed(t, i, "op_sel", 4, w + 6);
    else if (STARTS("neg_lo"))
        packed(t, i, "neg_lo", 1, w + 6);
    else if (STARTS("neg_hi"))
        packed(t, i, "neg_hi", 2, w + 6);
    else if (IS("dpp_ctrl"))
        dpp_ctrl(t, i);
    else if (IS("row_mask"))
        amd_put(t, " row_mask:0x%x", f[AF_row_mask]);
    else if (IS("bank_mask"))
        amd_put(t, " bank_mask:0x%x", f[AF_bank_mask]);
    else if (IS("bound_ctrl"))
        amd_put(t, f[AF_bound_ctrl] ? " bound_ctrl:1" : "");
    else if (IS("fi"))
        amd_put(t, f[AF_fi] ? " fi:1" : "");
    else if (IS("dpp8")) {
        for (unsigned k = 0; k < 8; k++)
            amd_put(t, "%s%u", k ? "," : "dpp8:[", f[AF_dpp8] >> (3 * k) & 7);
        amd_put(t, "]");
    } else if (IS("dst_sel"))
        sdwa_sel(t, "dst_sel", f[AF_dst_sel]);
    else if (IS("src0_sel"))
        sdwa_sel(t, "src0_sel", f[AF_src0_sel]);
    else if (IS("src1_sel"))
        sdwa_sel(t, "src1_sel", f[AF_src1_sel]);
    else if (IS("dst_unused"))
        amd_put(t, "dst_unused:%s",
                (const char *[]){"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"}[f[AF_dst_unused]]);
    else if (IS("byte_sel"))
        number(t, "byte_sel", f[AF_byte_sel]);
    else if (IS("index_key_8bit"))
        number(t, "index_key", f[AF_index_key_8bit]);
    else if (IS("index_key_16bit"))
        number(t, "index_key", f[AF_index_key_16bit]);
    else if (IS("cbsz"))
        number(t, "cbsz", f[AF_cbsz]);
    else if (IS("abid"))
        number(t, "abid", f[AF_abid]);
    else if (IS("blgp") && i->gpu == AMD_GFX942 && strstr(i->row->name, "_f64")) {
        if (f[AF_blgp])
            amd_put(t, " neg:[%u,%u,%u]", f[AF_blgp] & 1, f[AF_blgp] >> 1 & 1, f[AF_blgp] >> 2);
    } else if (IS("blgp"))
        number(t, "blgp", f[AF_blgp]);
    else
        for (enum amd_field k = 0; k < AF_COUNT; k++)
            if (strlen(amd_field_name[k]) == n && !memcmp(amd_field_name[k], w, n)) {
                const struct amd_operand *op = amd_operand(i, k);
                if (op)
                    operand(t, i, op);
                else
                    amd_put(t, "%u", f[k]);
            }
#undef IS
#undef STARTS
}

const char *const amd_field_name[AF_COUNT] = {
#define F(name) #name,
    AMD_FIELDS(F)
#undef F
};

int amd_print(const struct amd_inst *i, bool wave64, uint64_t pc, char *buf, size_t n)
{
    struct amd_text t = {.buf = buf, .size = n, .wave64 = wave64 || amd_gfx9(i->gpu), .pc = pc};
    const char *p = amd_form[i->row->form].text;
    if (n)
        *buf = 0;
    amd_put(&t, "%s%s", i->row->name,
            *p && *p != ' ' && strncmp(p, "$offset gds", 11) && strncmp(p, "$cpol", 5) ? " " : "");
    bool start = true;
    while (*p) {
        size_t k = 1;
        if (*p == '$') {
            while (p[k] == '_' || (p[k] >= '0' && p[k] <= '9') || (p[k] >= 'a' && p[k] <= 'z') ||
                   (p[k] >= 'A' && p[k] <= 'Z'))
                k++;
            word(&t, i, p + 1, k - 1, start);
            start = false;
        } else if (!strncmp(p, "vcc", 3)) {
            scalar(&t, i->gpu, 106, t.wave64 ? 2 : 1);
            k = 3;
            start = false;
        } else if (!strncmp(p, "::", 2)) {
            amd_put(&t, ":: %s", amd_base[i->row->base_y]);
            k = 2;
            start = true;
        } else {
            amd_put(&t, "%c", *p);
            start = *p == ' ' && p > amd_form[i->row->form].text && p[-1] == ',';
        }
        p += k;
    }
    if (t.len && t.len <= n && buf[t.len - 1] == ' ') /* s_endpgm 0 */
        buf[--t.len] = 0;
    return (int)t.len;
}
