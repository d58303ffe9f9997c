#include "hw/amd/stream.h"
#include "base/err.h"
#include "hw/amd/aql.h"
#include "hw/amd/kd.h"
#include "hw/amd/pm4.h"
#include "hw/amd/regs.h"
#include "hw/amd/sdma.h"
#include "hw/text.h"
#include <inttypes.h>
#include <string.h>

const char *const stream_format_names[4] = {"pm4", "sdma", "aql", "kd"};

int stream_target(struct stream_target *t, const char *format, const char *gpu)
{
    int gen = amd_gen_of(gpu);
    if (gen < 0)
        return gen;
    for (unsigned i = 0; i < ARRAY_LEN(stream_format_names); i++)
        if (!strcmp(format, stream_format_names[i])) {
            *t = (struct stream_target){(enum stream_format)i, (enum amd_gen)gen, (unsigned)gen};
            if (i == STREAM_SDMA)
                t->table_gen = sdma_gen_of_target(gpu);
            return 0;
        }
    return fail(-EINVAL, "format \"%s\": expected pm4, sdma, aql or kd", format);
}

static void pm4_item(const struct stream_target *t, size_t left, struct stream_item *it)
{
    struct pm4_packet p;
    uint32_t h = it->dw[0], n = pm4_dwords(h);
    it->dwords = pm4_next(it->dw, left > UINT32_MAX ? UINT32_MAX : (uint32_t)left, t->gen, &p);
    const char *name = pm4_op_name(pm4_opcode(h));
    char *why = it->problem;
    switch (p.status) {
    case PM4_OK:
        it->rec = p.rec;
        break;
    case PM4_FILLER:
        snprintf(why, sizeof it->problem, h == PM4_TYPE2 ? "type 2 filler" : "type 2 filler with bits set");
        break;
    case PM4_BAD_TYPE:
        snprintf(why, sizeof it->problem, "type %u header: expected type 3 or 2", pm4_type(h));
        break;
    case PM4_UNKNOWN_OP:
        snprintf(why, sizeof it->problem, "unknown opcode 0x%x%s%s%s on %s, %u dwords", pm4_opcode(h),
                 name ? " (" : "", name ? name : "", name ? ")" : "", amd_gen_name(t->gen), n);
        break;
    case PM4_BAD_COUNT:
        snprintf(why, sizeof it->problem, "%s of %u dwords (COUNT %u): expected %s%u", name, n, pm4_count(h),
                 p.rec->tail ? "at least " : "", p.rec->dwords);
        break;
    case PM4_TRUNCATED:
        snprintf(why, sizeof it->problem, "truncated %s: %u dwords announced, %zu left",
                 name ? name : "unknown opcode", n, left);
        break;
    }
}

static void sdma_item(const struct stream_target *t, size_t left, struct stream_item *it)
{
    struct sdma_packet p;
    uint32_t l = left > UINT32_MAX ? UINT32_MAX : (uint32_t)left, need;
    it->dwords = sdma_next(it->dw, l, t->table_gen, &p);
    uint32_t n = sdma_dwords(it->dw, l, t->table_gen, &need), op = sdma_opcode(it->dw[0]);
    if (p.status == SDMA_OK)
        it->rec = p.rec;
    else if (p.status == SDMA_UNKNOWN_OP)
        snprintf(it->problem, sizeof it->problem, "unknown op %u sub-op %u on SDMA %s", op & 0xff, op >> 8,
                 sdma_gen_name(t->table_gen));
    else
        snprintf(it->problem, sizeof it->problem, "truncated %s: %s%u dwords expected, %zu left", p.rec->name,
                 need ? "at least " : "", need ? need : n, left);
}

static void aql_item(size_t left, struct stream_item *it)
{
    uint32_t h = it->dw[0];
    const struct hw_record *r = aql_record(h);
    it->dwords = left < AQL_DWORDS ? (uint32_t)left : AQL_DWORDS;
    if (left < AQL_DWORDS)
        snprintf(it->problem, sizeof it->problem, "truncated packet: %d dwords expected, %zu left",
                 AQL_DWORDS, left);
    else if (r)
        it->rec = r;
    else if (aql_type(h) == AQL_TYPE_INVALID)
        snprintf(it->problem, sizeof it->problem, "type 1 (invalid): an empty slot");
    else if (aql_type(h) == AQL_TYPE_VENDOR)
        snprintf(it->problem, sizeof it->problem, "unknown vendor format %u", aql_op(h) >> 16);
    else
        snprintf(it->problem, sizeof it->problem, "unknown packet type %u", aql_type(h));
}

/* The register that value k of a SET_*_REG packet goes to; its absolute dword number in *number. */
static const struct amd_reg *set_reg(const struct stream_target *t, const struct stream_item *it, uint32_t k,
                                     uint32_t *number)
{
    const struct hw_field *f = hw_field_named(it->rec, t->table_gen, "offset");
    uint32_t offset = (uint32_t)hw_get_field(f, it->dw) + k;
    int sh = it->rec->op != PM4_set_uconfig_reg;
    *number = (sh ? AMD_SH_BASE : AMD_UCONFIG_BASE) + offset;
    return sh ? amd_reg_at(t->gen, offset) : NULL;
}
static int sets_registers(const struct stream_target *t, const struct stream_item *it)
{
    return t->format == STREAM_PM4 && it->rec->tail &&
           (it->rec->op == PM4_set_sh_reg || it->rec->op == PM4_set_uconfig_reg ||
            it->rec->op == PM4_set_sh_reg_index);
}

/* Register words are looked into as well: the first with bits that its generation's rows do not name. */
static void check_registers(const struct stream_target *t, struct stream_item *it)
{
    for (uint32_t k = 0; sets_registers(t, it) && k < it->dwords - it->rec->dwords; k++) {
        uint32_t number, w = it->dw[it->rec->dwords + k];
        const struct amd_reg *reg = set_reg(t, it, k, &number);
        uint32_t unknown = reg ? amd_reg_unknown(reg, t->gen, w) : 0;
        if (unknown) {
            snprintf(it->problem, sizeof it->problem, "%s: unknown bits 0x%x", reg->name, unknown);
            return;
        }
    }
}

static void kd_item(size_t left, struct stream_item *it)
{
    it->dwords = left < KD_desc_DWORDS ? (uint32_t)left : KD_desc_DWORDS;
    if (left < KD_desc_DWORDS)
        snprintf(it->problem, sizeof it->problem, "truncated descriptor: %d dwords expected, %zu left",
                 KD_desc_DWORDS, left);
    else
        it->rec = &kd_records[0];
}

size_t stream_next(const struct stream_target *t, const uint32_t *dw, size_t n, size_t at,
                   struct stream_item *it)
{
    uint32_t unknown;
    *it = (struct stream_item){.dw = dw + at, .at = at};
    if (t->format == STREAM_PM4)
        pm4_item(t, n - at, it);
    else if (t->format == STREAM_SDMA)
        sdma_item(t, n - at, it);
    else if (t->format == STREAM_AQL)
        aql_item(n - at, it);
    else
        kd_item(n - at, it);
    int d = it->rec ? hw_unknown_bits(it->rec, t->table_gen, it->dw, 0, &unknown) : -1;
    if (d >= 0)
        snprintf(it->problem, sizeof it->problem, "%s: unknown bits 0x%x in dword %d", it->rec->name, unknown,
                 d);
    else if (it->rec)
        check_registers(t, it);
    return at + it->dwords;
}

/* Fillers and empty slots are shown but are nothing wrong. */
static int is_problem(const struct stream_target *t, const struct stream_item *it)
{
    if (!it->problem[0] || it->rec)
        return it->problem[0] != 0;
    return !(t->format == STREAM_PM4 && it->dw[0] == PM4_TYPE2) &&
           !(t->format == STREAM_AQL && it->dwords == AQL_DWORDS && aql_type(it->dw[0]) == AQL_TYPE_INVALID);
}

size_t stream_walk(const struct stream_target *t, const uint32_t *dw, size_t n,
                   void (*fn)(void *, const struct stream_target *, const struct stream_item *), void *ctx)
{
    size_t bad = 0;
    struct stream_item it;
    for (size_t at = 0; at < n;) {
        at = stream_next(t, dw, n, at, &it);
        bad += is_problem(t, &it);
        if (fn)
            fn(ctx, t, &it);
    }
    return bad;
}

/* ---- registers ---- */

static void reg_text(FILE *f, enum amd_gen gen, const struct amd_reg *r, uint32_t w)
{
    fprintf(f, "          # %s = 0x%x:", r->name, w);
    for (unsigned i = 0; i < r->nfields; i++)
        if (hw_in_gen(r->fields[i].gens, gen))
            fprintf(f, r->fields[i].fmt == HW_HEX ? " %s=0x%" PRIx64 : " %s=%" PRIu64, r->fields[i].name,
                    hw_get_field(&r->fields[i], &w));
    if (amd_reg_unknown(r, gen, w))
        fprintf(f, " unknown=0x%x", amd_reg_unknown(r, gen, w));
    putc('\n', f);
}

static void reg_json(struct json *j, enum amd_gen gen, const struct amd_reg *r, uint32_t number, uint32_t w)
{
    json_object(j, NULL);
    if (r)
        json_str(j, "name", r->name);
    json_hex(j, "number", number);
    json_hex(j, "value", w);
    if (r) {
        json_object(j, "fields");
        for (unsigned i = 0; i < r->nfields; i++)
            if (hw_in_gen(r->fields[i].gens, gen))
                json_u64(j, r->fields[i].name, hw_get_field(&r->fields[i], &w));
        if (amd_reg_unknown(r, gen, w))
            json_hex(j, "unknown", amd_reg_unknown(r, gen, w));
        json_close(j);
    }
    json_close(j);
}

/* ---- text ---- */

void stream_text(FILE *f, const struct stream_target *t, const struct stream_item *it, uint64_t base)
{
    const struct hw_record *r = it->rec;
    fprintf(f, "%08" PRIx64 ": ", base + 4 * it->at);
    if (!r) {
        fprintf(f, "raw ");
        hw_text_words(f, it->dw, it->dwords);
        fprintf(f, "  # %s\n", it->problem);
        return;
    }
    fputs(r->name, f);
    hw_text_fields(f, r, t->table_gen, it->dw, 1);
    if (r->tail) {
        fprintf(f, " %s=[", r->tail_name);
        hw_text_words(f, it->dw + r->dwords, it->dwords - r->dwords);
        putc(']', f);
    }
    putc('\n', f);
    for (unsigned i = 0; i < r->nfields; i++)
        if (r->fields[i].fmt == HW_REG)
            reg_text(f, t->gen, amd_reg_named(r->fields[i].reg),
                     (uint32_t)hw_get_field(&r->fields[i], it->dw));
    for (uint32_t k = 0; sets_registers(t, it) && k < it->dwords - r->dwords; k++) {
        uint32_t number;
        const struct amd_reg *reg = set_reg(t, it, k, &number);
        if (reg)
            reg_text(f, t->gen, reg, it->dw[r->dwords + k]);
        else
            fprintf(f, "          # register 0x%x = 0x%x\n", number, it->dw[r->dwords + k]);
    }
}

/* ---- JSON ---- */

void stream_json(struct json *j, const struct stream_target *t, const struct stream_item *it, uint64_t base)
{
    const struct hw_record *r = it->rec;
    json_object(j, NULL);
    json_hex(j, "address", base + 4 * it->at);
    json_str(j, "packet", r ? r->name : NULL);
    json_array(j, "words");
    for (uint32_t i = 0; i < it->dwords; i++)
        json_hex(j, NULL, it->dw[i]);
    json_close(j);
    if (it->problem[0])
        json_str(j, is_problem(t, it) ? "problem" : "note", it->problem);
    if (!r) {
        json_close(j);
        return;
    }
    json_object(j, "fields");
    hw_json_fields(j, r, t->table_gen, it->dw);
    if (r->tail) {
        json_array(j, r->tail_name);
        for (uint32_t i = r->dwords; i < it->dwords; i++)
            json_hex(j, NULL, it->dw[i]);
        json_close(j);
    }
    json_close(j);
    json_array(j, "registers");
    for (unsigned i = 0; i < r->nfields; i++)
        if (r->fields[i].fmt == HW_REG) {
            const struct amd_reg *reg = amd_reg_named(r->fields[i].reg);
            uint32_t number = AMD_SH_BASE;
            for (unsigned k = 0; k < ARRAY_LEN(reg->at); k++)
                if (reg->at[k].gens >> t->gen & 1)
                    number = AMD_SH_BASE + reg->at[k].offset;
            reg_json(j, t->gen, reg, number, (uint32_t)hw_get_field(&r->fields[i], it->dw));
        }
    for (uint32_t k = 0; sets_registers(t, it) && k < it->dwords - r->dwords; k++) {
        uint32_t number;
        const struct amd_reg *reg = set_reg(t, it, k, &number);
        reg_json(j, t->gen, reg, number, it->dw[r->dwords + k]);
    }
    json_close(j);
    json_close(j);
}
