/* stream_asm: the inverse of stream_text. */
#include "base/err.h"
#include "hw/amd/aql.h"
#include "hw/amd/kd.h"
#include "hw/amd/pm4.h"
#include "hw/amd/sdma.h"
#include "hw/amd/stream.h"
#include <stdlib.h>
#include <string.h>

struct assembler {
    const struct stream_target *t;
    const char *s; /* cursor, never beyond the end of the text */
    unsigned line;
    uint32_t *dw;
    size_t n, room;
};

/* A name is cut to 63 characters: none of ours is longer. */
static void name_token(struct assembler *a, char name[64])
{
    size_t n = 0;
    while (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *a->s) && *a->s) {
        if (n < 63)
            name[n++] = *a->s;
        a->s++;
    }
    name[n] = 0;
}

static void blanks(struct assembler *a)
{
    while (*a->s == ' ' || *a->s == '\t' || *a->s == '\r')
        a->s++;
}

static int at_end(struct assembler *a)
{
    blanks(a);
    return *a->s == 0 || *a->s == '\n' || *a->s == '#';
}

static int number(struct assembler *a, uint64_t max, uint64_t *v)
{
    char *end;
    if (*a->s < '0' || *a->s > '9')
        return fail(-EINVAL, "line %u: expected a number at \"%.16s\"", a->line, a->s);
    errno = 0;
    *v = strtoull(a->s, &end, 0);
    if (errno || strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", *end ? *end : '-'))
        return fail(-EINVAL, "line %u: \"%.24s\" is not a number of at most 64 bits", a->line, a->s);
    if (*v > max)
        return fail(-EINVAL, "line %u: value %#llx is over the field's largest, %#llx", a->line,
                    (unsigned long long)*v, (unsigned long long)max);
    a->s = end;
    return 0;
}

static int put(struct assembler *a, uint32_t w)
{
    if (a->n == a->room) {
        size_t room = a->room ? 2 * a->room : 256;
        uint32_t *dw = realloc(a->dw, room * 4);
        if (!dw)
            return fail(-ENOMEM, "no memory for %zu dwords of packets", room);
        a->dw = dw, a->room = room;
    }
    a->dw[a->n++] = w;
    return 0;
}

static const struct hw_record *record_named(const struct stream_target *t, const char *name)
{
    const struct hw_record *const all[] = {pm4_records, sdma_records, aql_records, kd_records};
    const unsigned counts[] = {pm4_nrecords, sdma_nrecords, aql_nrecords, kd_nrecords};
    const struct hw_record *r = all[t->format];
    unsigned n = counts[t->format];
    for (unsigned i = 0; i < n; i++)
        if (hw_in_gen(r[i].gens, t->table_gen) && !strcmp(r[i].name, name))
            return &r[i];
    return NULL;
}

/* numbers until `end`, appended */
static int word_list(struct assembler *a, char end)
{
    uint64_t v;
    for (;;) {
        blanks(a);
        if (*a->s == end || (end == '\n' && at_end(a)))
            return 0;
        int err = number(a, UINT32_MAX, &v);
        if (!err)
            err = put(a, (uint32_t)v);
        if (err)
            return err;
    }
}

static int field_value(struct assembler *a, const struct hw_record *r, const struct hw_field *f, size_t at)
{
    uint64_t v;
    if (f->fmt == HW_ENUM && (*a->s < '0' || *a->s > '9')) {
        char name[64];
        uint32_t e;
        name_token(a, name);
        if (hw_value_of(f->names, name, &e))
            return fail(-EINVAL, "line %u: %s.%s has no value \"%s\"", a->line, r->name, f->name, name);
        v = e;
    } else {
        int err = number(a, hw_field_max(f), &v);
        if (err)
            return fail_in(err, "%s.%s", r->name, f->name);
    }
    hw_set_field(f, a->dw + at, v);
    return 0;
}

/* name=value, unknown[d]=bits or tail=[words]; the packet's fixed part is at a->dw[at] */
static int assignment(struct assembler *a, const struct hw_record *r, size_t at, uint32_t *unknown)
{
    char name[64];
    uint64_t d, v;
    int err;
    name_token(a, name);
    if (!strcmp(name, "unknown") && *a->s == '[') {
        a->s++;
        if ((err = number(a, r->dwords - 1u, &d)))
            return fail_in(err, "%s: dword of unknown[]", r->name);
        if (*a->s++ != ']' || *a->s++ != '=')
            return fail(-EINVAL, "line %u: expected unknown[dword]=bits", a->line);
        if ((err = number(a, UINT32_MAX, &v)))
            return err;
        unknown[d] |= (uint32_t)v;
        return 0;
    }
    if (!name[0] || *a->s != '=')
        return fail(-EINVAL, "line %u: expected field=value in %s at \"%.16s\"", a->line, r->name, a->s);
    a->s++;
    if (r->tail && !strcmp(name, r->tail_name)) {
        if (*a->s != '[')
            return fail(-EINVAL, "line %u: expected %s=[word ...]", a->line, name);
        a->s++;
        if ((err = word_list(a, ']')))
            return err;
        a->s++;
        return 0;
    }
    const struct hw_field *f = hw_field_named(r, a->t->table_gen, name);
    if (!f)
        return fail(-EINVAL, "line %u: %s has no field \"%s\"", a->line, r->name, name);
    return field_value(a, r, f, at);
}

/* Lengths and op: what the header (or the tail's count field) says about the words now in place. */
static int finish(struct assembler *a, const struct hw_record *r, size_t at, const uint32_t *unknown)
{
    uint32_t *w = a->dw + at, n = (uint32_t)(a->n - at), tail = n - r->dwords;
    if (r->tail == HW_TAIL_FIELD) {
        if (tail - (uint32_t)r->tail_bias > hw_field_max(&r->tail_field))
            return fail(-EINVAL, "line %u: %s with %u dwords of %s: at least %d, at most %llu fit", a->line,
                        r->name, tail, r->tail_name, r->tail_bias,
                        (unsigned long long)hw_field_max(&r->tail_field) + (unsigned)r->tail_bias);
        hw_set_field(&r->tail_field, w, tail - (uint32_t)r->tail_bias);
    }
    if (a->t->format == STREAM_PM4) {
        if (n != 1 && n - 2 > 0x3fff - (r->op == PM4_nop))
            return fail(-EINVAL, "line %u: %s of %u dwords does not fit COUNT", a->line, r->name, n);
        if (r->tail && n == 1 && r->op != PM4_nop)
            return fail(-EINVAL, "line %u: %s needs at least one body dword", a->line, r->name);
        w[0] |= pm4_type3(r->op, n - 2);
    } else
        w[0] |= r->op;
    w[0] |= r->match_value;
    for (unsigned i = 0; i < r->dwords; i++)
        w[i] |= unknown[i];
    return 0;
}

static int packet(struct assembler *a, const char *name)
{
    uint32_t unknown[32] = {0};
    size_t at = a->n;
    int err = 0;
    if (!strcmp(name, "raw"))
        return word_list(a, '\n');
    const struct hw_record *r = record_named(a->t, name);
    if (!r)
        return fail(-EINVAL, "line %u: no packet \"%s\" on %s", a->line, name, amd_gen_name(a->t->gen));
    for (unsigned i = 0; i < r->dwords && !err; i++)
        err = put(a, 0);
    while (!err && !at_end(a))
        err = assignment(a, r, at, unknown);
    return err ? err : finish(a, r, at, unknown);
}

/* "[address:] name ..." */
static int statement(struct assembler *a)
{
    char name[64];
    if (at_end(a))
        return 0;
    name_token(a, name);
    if (*a->s == ':') {
        a->s++;
        blanks(a);
        name_token(a, name);
    }
    if (!name[0])
        return fail(-EINVAL, "line %u: expected a packet name at \"%.16s\"", a->line, a->s);
    return packet(a, name);
}

long stream_asm(const struct stream_target *t, const char *text, uint32_t **out)
{
    struct assembler a = {.t = t, .s = text, .line = 1};
    int err = 0;
    for (; *a.s; a.line++) {
        err = statement(&a);
        if (err)
            goto undo;
        a.s += strcspn(a.s, "\n");
        a.s += *a.s == '\n';
    }
    *out = a.dw;
    return (long)a.n;
undo:
    free(a.dw);
    return err;
}
