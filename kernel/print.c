/* Prints call structs by their rows. */
#define _GNU_SOURCE
#include "kernel/call.h"
#include "kernel/rm.h"
#include "base/bits.h"
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SHOW_IDS = 16, SHOW_RECORDS = 8, SHOW_TEXT = 64, SHOW_VALUES = 32, RECORD_MAX = 512 };

struct printer {
    FILE *out;
    const uint8_t *data, *before;
    unsigned bytes, branch;
    int count;
    char prefix[96]; /* "in.fence." */
};

static uint64_t integer_at(const uint8_t *p, const struct call_field *f)
{
    uint64_t v = 0;
    memcpy(&v, p, f->size);
    return f->is_signed ? (uint64_t)sext(v, f->size * 8) : v;
}

/* The value of another field of the same struct; 0 when it lies beyond the valid bytes. */
static uint64_t sibling(const struct printer *p, const struct call_struct *s, unsigned base, const char *name)
{
    const struct call_field *f = call_field_named(s, p->branch, name);
    return f && base + f->offset + f->size <= p->bytes ? integer_at(p->data + base + f->offset, f) : 0;
}

/* A read of this process's own memory that fails instead of faulting. */
static int peek(void *to, uint64_t from, size_t n)
{
    struct iovec l = {to, n}, r = {(void *)(uintptr_t)from, n};
    return process_vm_readv(getpid(), &l, 1, &r, 1, 0) == (ssize_t)n ? 0 : -1;
}

static void print_value(FILE *out, const struct call_field *f, uint64_t v)
{
    const char *name;
    switch (f->format) {
    case CALL_OF:
        name = call_value_name(f->names, (uint32_t)v);
        if (name)
            fputs(name, out);
        else /* classes and commands are known by their hexadecimal numbers */
            fprintf(out, v > 255 ? "0x%llx" : "%llu", (unsigned long long)v);
        return;
    case CALL_SET: {
        const char *sep = "";
        for (const struct call_value *e = f->names; e->name; e++)
            if (e->value & v) {
                fprintf(out, "%s%s", sep, e->name);
                sep = "|";
                v &= ~(uint64_t)e->value;
            }
        if (v || !*sep)
            fprintf(out, "%s0x%llx", sep, (unsigned long long)v);
        return;
    }
    case CALL_DEC:
        if (f->is_signed)
            fprintf(out, "%lld", (long long)v);
        else
            fprintf(out, "%llu", (unsigned long long)v);
        return;
    default:
        fprintf(out, "0x%llx", (unsigned long long)v);
    }
}

static void print_text(FILE *out, uint64_t va, uint64_t n)
{
    char text[SHOW_TEXT];
    unsigned show = n < sizeof text ? (unsigned)n : sizeof text;
    if (peek(text, va, show)) {
        fprintf(out, "0x%llx(unreadable)", (unsigned long long)va);
        return;
    }
    fputc('"', out);
    for (unsigned i = 0; i < show && text[i]; i++)
        fputc(text[i] >= ' ' && text[i] < 127 ? text[i] : '?', out);
    fputs(show < n ? "\"..." : "\"", out);
}

static void print_pointed(const struct printer *p, const struct call_field *f, uint64_t va, uint64_t n)
{
    FILE *out = p->out;
    unsigned size = f->format == CALL_IDS ? 4 : f->strct->size;
    unsigned most = f->format == CALL_IDS ? SHOW_IDS : SHOW_RECORDS;
    uint8_t record[RECORD_MAX];
    fputc('[', out);
    for (uint64_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        if (i == most) {
            fputs("...", out);
            break;
        }
        if (size > sizeof record || peek(record, va + i * size, size)) {
            fprintf(out, "0x%llx(unreadable)", (unsigned long long)(va + i * size));
            break;
        }
        if (f->format == CALL_IDS) {
            fprintf(out, "0x%x", load32(record));
        } else {
            fputc('{', out);
            call_print_in(out, p->branch, f->strct, record, size, NULL);
            fputc('}', out);
        }
    }
    fputc(']', out);
}

static int is_zero(const uint8_t *p, unsigned n)
{
    while (n && !*p)
        p++, n--;
    return !n;
}

static void print_struct(struct printer *p, const struct call_struct *s, unsigned base);

static void print_nested(struct printer *p, const struct call_field *f, unsigned at, unsigned index)
{
    size_t mark = strlen(p->prefix);
    unsigned have = p->bytes > at ? p->bytes - at : 0;
    if (have > f->strct->size)
        have = f->strct->size;
    if (is_zero(p->data + at, have) && (!p->before || is_zero(p->before + at, have)))
        return;
    if (f->count > 1 || f->format == CALL_TAIL)
        snprintf(p->prefix + mark, sizeof p->prefix - mark, "%s[%u].", f->name, index);
    else
        snprintf(p->prefix + mark, sizeof p->prefix - mark, "%s.", f->name);
    print_struct(p, f->strct, at);
    p->prefix[mark] = 0;
}

static int shown(const struct printer *p, const struct call_struct *s, unsigned base,
                 const struct call_field *f)
{
    uint64_t arm = f->arm ? sibling(p, s, base, f->arm) : 0;
    switch (f->when) {
    case CALL_INPUT:
        return !p->before;
    case CALL_OUTPUT:
        return !!p->before;
    case CALL_ARM:
        return arm == f->arm_value;
    case CALL_BELOW:
        return arm < f->arm_value;
    case CALL_FROM:
        return arm >= f->arm_value;
    default:
        return 1;
    }
}

/* The parameters that a class or command takes, behind a pointer. A size other than the branch's is what the
 * driver refuses first, so it is said. */
static void print_params(const struct printer *p, const struct call_field *f, uint64_t va, uint32_t which,
                         uint64_t bytes)
{
    const struct call_struct *s = f->params(which);
    unsigned expected = s ? call_struct_size(s, p->branch) : 0;
    uint8_t *copy = NULL;
    fprintf(p->out, "0x%llx", (unsigned long long)va);
    if (bytes && expected != bytes)
        fprintf(p->out, expected ? "(%llu bytes, %s has %u)" : "(%llu bytes)", (unsigned long long)bytes,
                rm_branch_name(p->branch), expected);
    if (!va || !expected || (bytes && bytes < expected))
        return;
    copy = malloc(expected);
    if (!copy || peek(copy, va, expected)) {
        fputs("(unreadable)", p->out);
    } else {
        fputc('{', p->out);
        call_print_in(p->out, p->branch, s, copy, expected, NULL);
        fputc('}', p->out);
    }
    free(copy);
}

static void print_chars(FILE *out, const uint8_t *c, unsigned n)
{
    fputc('"', out);
    for (unsigned i = 0; i < n && c[i]; i++)
        fputc(c[i] >= ' ' && c[i] < 127 ? c[i] : '?', out);
    fputc('"', out);
}

/* Trailing zeros are left out. */
static void print_bytes(FILE *out, const uint8_t *b, unsigned n)
{
    while (n && !b[n - 1])
        n--;
    for (unsigned i = 0; i < n; i++)
        fprintf(out, "%02x", b[i]);
    if (!n)
        fputc('0', out);
}

static void print_integer(struct printer *p, const struct call_struct *s, unsigned base,
                          const struct call_field *f)
{
    unsigned at = base + f->offset;
    uint64_t n = f->counter ? sibling(p, s, base, f->counter) : 0;
    int pointer =
        f->format == CALL_LIST || f->format == CALL_IDS || f->format == CALL_TEXT || f->format == CALL_PARAMS;
    unsigned count = f->count; /* an array may be cut short by what the caller has */
    if (at + f->size * count > p->bytes)
        count = (p->bytes - at) / f->size;
    uint64_t v = integer_at(p->data + at, f);
    if (p->before) {
        /* the memory behind a pointer may have changed though the pointer has not; ids are inputs only */
        int answer = pointer && f->format != CALL_IDS && v && (n || f->format == CALL_PARAMS);
        if (!answer && !memcmp(p->data + at, p->before + at, (size_t)f->size * count))
            return;
    } else if (!strncmp(f->name, "pad", 3) || !strncmp(f->name, "_pad", 4) ||
               !strncmp(f->name, "reserved", 8)) {
        if (!v)
            return;
    }
    fprintf(p->out, "%s%s%s=", p->count++ ? " " : "", p->prefix, f->name);
    if (f->format == CALL_PARAMS) {
        print_params(p, f, v, (uint32_t)sibling(p, s, base, f->selector), n);
    } else if (f->format == CALL_CHARS) {
        print_chars(p->out, p->data + at, count);
    } else if (f->format == CALL_BYTES) {
        print_bytes(p->out, p->data + at, count);
    } else if (pointer && v && n) {
        if (f->format == CALL_TEXT)
            print_text(p->out, v, n);
        else
            print_pointed(p, f, v, n);
    } else if (f->count > 1) {
        for (unsigned i = 0; i < count; i++) {
            fputs(i ? "," : "[", p->out);
            if (i == SHOW_VALUES) {
                fputs("...", p->out);
                break;
            }
            print_value(p->out, f, integer_at(p->data + at + i * f->size, f));
        }
        fputc(']', p->out);
    } else {
        print_value(p->out, f, v);
    }
}

static void print_struct(struct printer *p, const struct call_struct *s, unsigned base)
{
    for (const struct call_field *f = s->fields; f->name; f++) {
        unsigned at = base + f->offset;
        if (!shown(p, s, base, f) || (f->in && !(f->in >> p->branch & 1)))
            continue;
        if (f->format == CALL_NEST) {
            for (unsigned i = 0; i < f->count && at + i * f->strct->size < p->bytes; i++)
                print_nested(p, f, at + i * f->strct->size, i);
        } else if (f->format == CALL_TAIL) {
            uint64_t n = sibling(p, s, base, f->counter);
            for (unsigned i = 0; i < n && at + (i + 1) * f->strct->size <= p->bytes; i++)
                print_nested(p, f, at + i * f->strct->size, i);
        } else if (at + f->size <= p->bytes) {
            print_integer(p, s, base, f);
        }
    }
}

int call_print_in(FILE *out, unsigned branch, const struct call_struct *s, const void *data, unsigned bytes,
                  const void *before)
{
    struct printer p = {.out = out, .data = data, .before = before, .bytes = bytes, .branch = branch};
    print_struct(&p, s, 0);
    return p.count;
}

int call_print(FILE *out, const struct call_struct *s, const void *data, unsigned bytes, const void *before)
{
    return call_print_in(out, RM_BRANCHES - 1, s, data, bytes, before);
}
