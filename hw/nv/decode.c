#include "hw/nv/decode.h"
#include "base/bits.h"
#include "base/err.h"
#include "hw/nv/gpfifo.h"
#include "hw/nv/push.h"
#include "hw/nv/qmd.h"
#include "hw/text.h"
#include <inttypes.h>
#include <stdlib.h>

const char *const nv_format_names[NV_FORMATS] = {"gpfifo", "push", "qmd"};

int nv_format_of(const char *name)
{
    for (int i = 0; i < NV_FORMATS; i++)
        if (!strcmp(name, nv_format_names[i]))
            return i;
    return -1;
}

struct decode {
    enum nv_gen gen;
    FILE *text;
    struct json *json;
    uint64_t base;
    size_t problems;
};

/* An item begins: its address and words. */
static void begin(struct decode *d, size_t at, const uint32_t *dw, uint32_t n, const char *name)
{
    if (d->text) {
        fprintf(d->text, "%08" PRIx64 ": %s", d->base + 4 * at, name);
        return;
    }
    json_object(d->json, NULL);
    json_hex(d->json, "address", d->base + 4 * at);
    json_str(d->json, "name", name);
    json_array(d->json, "words");
    for (uint32_t i = 0; i < n; i++)
        json_hex(d->json, NULL, dw[i]);
    json_close(d->json);
}

static void value(struct decode *d, const char *name, uint64_t v, int hex)
{
    if (d->text)
        fprintf(d->text, hex ? " %s=0x%" PRIx64 : " %s=%" PRIu64, name, v);
    else if (hex)
        json_hex(d->json, name, v);
    else
        json_u64(d->json, name, v);
}

static void record(struct decode *d, const struct hw_record *r, enum nv_gen gen, const uint32_t *dw)
{
    uint32_t bits;
    if (d->text)
        hw_text_fields(d->text, r, gen, dw, 0);
    else
        hw_json_fields(d->json, r, gen, dw);
    d->problems += hw_unknown_bits(r, gen, dw, 0, &bits) >= 0;
}

/* It ends: a problem (counted) or a note, "" for neither. */
static void finish(struct decode *d, int problem, const char *what)
{
    d->problems += problem && what[0];
    if (d->text)
        fprintf(d->text, what[0] ? "  # %s\n" : "\n", what);
    if (d->json) {
        if (what[0])
            json_str(d->json, problem ? "problem" : "note", what);
        json_close(d->json);
    }
}

/* Words that are no item. */
static void raw(struct decode *d, size_t at, const uint32_t *dw, uint32_t n, const char *why)
{
    begin(d, at, dw, n, "raw");
    if (d->text) {
        putc(' ', d->text);
        hw_text_words(d->text, dw, n);
    }
    finish(d, 1, why);
}

/* ---- ring entries ---- */

static void gpfifo(struct decode *d, const uint32_t *dw, size_t n)
{
    for (size_t i = 0; i < n; i += 2) {
        struct nv_gp_entry e;
        char what[96] = "";
        if (n - i < 2) {
            raw(d, i, dw + i, 1, "half an entry");
            return;
        }
        nv_gp_entry_unpack(dw + i, &e);
        const struct hw_record *r = &nv_gp_records[e.length ? 0 : 1];
        begin(d, i, dw + i, 2, r->name);
        if (e.length)
            value(d, "va", e.addr_shifted2 << 2, 1);
        record(d, r, d->gen, dw + i);
        if (!e.length && (dw[i + 1] & 0xff) == NV_GP_OPCODE_SET_PB_SEGMENT_EXTENDED_BASE &&
            d->gen < NV_HOPPER)
            snprintf(what, sizeof what, "opcode 4 on %s: only Hopper and later have it", nv_gen_name(d->gen));
        else if (!e.length && !hw_value_name(nv_gp_opcode_names, dw[i + 1] & 0xff))
            snprintf(what, sizeof what, "unknown opcode %u", dw[i + 1] & 0xff);
        finish(d, 1, what);
    }
}

/* ---- pushbuffers ---- */

static const char *const op_names[] = {"inc",       "inc",      "non_inc",  "non_inc",
                                       "immediate", "inc_once", "reserved", "end"};

static void push_method(struct decode *d, struct nv_push *s, const struct nv_push_item *it, size_t at)
{
    unsigned element = 0;
    enum nv_gen gen;
    char name[80], what[96] = "";
    const struct hw_record *r = nv_push_record(s, it, &element, &gen);
    const char *unit = nv_unit_name(it->unit);
    if (!r)
        snprintf(name, sizeof name, "%s.0x%x", unit, it->address);
    else if (r->repeat)
        snprintf(name, sizeof name, "%s.%s[%u]", unit, r->name, element);
    else
        snprintf(name, sizeof name, "%s.%s", unit, r->name);
    begin(d, at, &it->word, 1, name);
    value(d, "subch", it->subch, 0);
    if (r)
        record(d, r, gen, &it->data);
    else
        value(d, "data", it->data, 1);
    if (!r && it->cls)
        snprintf(what, sizeof what, "unknown method 0x%x of class 0x%x", it->address, it->cls);
    else if (!r && it->unit == NV_UNIT_HOST)
        snprintf(what, sizeof what, "unknown host method 0x%x", it->address);
    else if (!r)
        snprintf(what, sizeof what, "method 0x%x on subchannel %u, to which no class is bound", it->address,
                 it->subch);
    else if (it->unit == NV_UNIT_HOST && it->address == NV_HOST_set_object && !nv_unit_of_class(it->cls))
        snprintf(what, sizeof what, "class 0x%x has no tables here", it->cls);
    finish(d, 1, what);
}

static void push_item(struct decode *d, struct nv_push *s, const struct nv_push_item *it, size_t at)
{
    char what[80];
    switch (it->kind) {
    case NV_PUSH_METHOD:
        push_method(d, s, it, at);
        return;
    case NV_PUSH_HEADER:
        begin(d, at, &it->word, 1, op_names[it->op]);
        value(d, "subch", it->subch, 0);
        value(d, "address", it->address, 1);
        value(d, "count", it->count, 0);
        finish(d, 0, it->op == NV_OP_TERT || it->op == NV_OP_OLD ? "old form" : "");
        return;
    case NV_PUSH_NOP:
        begin(d, at, &it->word, 1, "nop");
        finish(d, 0, "");
        return;
    case NV_PUSH_SUBDEVICE:
        begin(d, at, &it->word, 1, "subdevice_mask");
        value(d, "op", bits(it->word, 17, 16), 0);
        value(d, "mask", bits(it->word, 15, 4), 1);
        finish(d, 0, "");
        return;
    case NV_PUSH_END:
        begin(d, at, &it->word, 1, "end");
        finish(d, 0, "");
        return;
    case NV_PUSH_SKIPPED:
        begin(d, at, &it->word, 1, "skipped");
        value(d, "word", it->word, 1);
        finish(d, 0, "behind the end of the segment");
        return;
    default:
        snprintf(what, sizeof what, "no header: op %u with bits 0x%x", it->op, it->word & 0x1fffffff);
        raw(d, at, &it->word, 1, what);
    }
}

static void push(struct decode *d, const uint32_t *dw, size_t n)
{
    struct nv_push s;
    char what[64];
    nv_push_begin(&s, d->gen);
    s.cls[1] = nv_arch(d->gen)->compute;
    s.cls[4] = nv_arch(d->gen)->copy;
    for (size_t i = 0; i < n; i++) {
        struct nv_push_item it;
        nv_push_word(&s, dw[i], &it);
        push_item(d, &s, &it, i);
    }
    if (s.left) {
        snprintf(what, sizeof what, "%u more dwords were announced", s.left);
        raw(d, n, dw, 0, what);
    }
}

/* ---- QMDs ---- */

static void qmd_fields(struct decode *d, enum qmd_version v, const uint32_t *q)
{
    for (unsigned f = 0; f < QMD_FIELDS; f++)
        for (unsigned k = 0; k < qmd_place(v, f)->count; k++) {
            uint64_t x = qmd_get(v, q, f, k);
            char name[96];
            if (!x)
                continue;
            snprintf(name, sizeof name, qmd_place(v, f)->count > 1 ? "%s[%u]" : "%s", qmd_field_name(f), k);
            if (d->text)
                fputs("\n   ", d->text);
            value(d, name, x, qmd_place(v, f)->hi - qmd_place(v, f)->lo >= 16);
        }
    for (unsigned i = 0; i < qmd_dwords(v); i++) {
        uint32_t unknown = qmd_unknown(v, q, i);
        char name[32];
        if (!unknown)
            continue;
        snprintf(name, sizeof name, "unknown[%u]", i);
        if (d->text)
            fputs("\n   ", d->text);
        value(d, name, unknown, 1);
        d->problems++;
    }
}

static void qmd(struct decode *d, const uint32_t *dw, size_t n)
{
    const struct nv_arch *a = nv_arch(d->gen);
    for (size_t i = 0; i < n;) {
        unsigned left = n - i < QMD_DWORDS_MAX ? (unsigned)(n - i) : QMD_DWORDS_MAX;
        int v = left < 19 ? -1 : qmd_version_of(dw + i, left, a->qmds);
        char name[32];
        if (left < 64) {
            raw(d, i, dw + i, left, "less than a QMD's 64 dwords");
            return;
        }
        if (v < 0) {
            raw(d, i, dw + i, left < a->qmd_bytes / 4u ? left : a->qmd_bytes / 4u, fail_text());
            i += left < a->qmd_bytes / 4u ? left : a->qmd_bytes / 4u;
            continue;
        }
        snprintf(name, sizeof name, "qmd %s", qmd_version_name((enum qmd_version)v));
        begin(d, i, dw + i, qmd_dwords((enum qmd_version)v), name);
        qmd_fields(d, (enum qmd_version)v, dw + i);
        finish(d, 0, "");
        i += qmd_dwords((enum qmd_version)v);
    }
}

size_t nv_decode(enum nv_format format, enum nv_gen gen, const uint32_t *dw, size_t n, uint64_t base,
                 FILE *text, struct json *json)
{
    struct decode d = {gen, text, json, base, 0};
    if (format == NV_FORMAT_GPFIFO)
        gpfifo(&d, dw, n);
    else if (format == NV_FORMAT_PUSH)
        push(&d, dw, n);
    else
        qmd(&d, dw, n);
    return d.problems;
}
