/* Prints call structs by their rows. */
#define _GNU_SOURCE
#include "kernel/call.h"
#include "base/bits.h"
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SHOW_IDS = 16, SHOW_RECORDS = 8, SHOW_TEXT = 64, RECORD_MAX = 512 };

struct printer {
    FILE *out;
    const uint8_t *data, *before;
    unsigned bytes;
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
static uint64_t sibling(const struct call_struct *s, const uint8_t *data, unsigned bytes, const char *name)
{
    for (const struct call_field *f = s->fields; f->name; f++)
        if (!strcmp(f->name, name) && f->offset + f->size <= bytes)
            return integer_at(data + f->offset, f);
    return 0;
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
        else
            fprintf(out, "%llu", (unsigned long long)v);
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

static void print_pointed(FILE *out, const struct call_field *f, uint64_t va, uint64_t n)
{
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
            call_print(out, f->strct, record, size, NULL);
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
    uint64_t arm = f->arm ? sibling(s, p->data + base, p->bytes - base, f->arm) : 0;
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

static void print_integer(struct printer *p, const struct call_struct *s, unsigned base,
                          const struct call_field *f)
{
    unsigned at = base + f->offset;
    uint64_t n = f->counter ? sibling(s, p->data + base, p->bytes - base, f->counter) : 0;
    int pointer = f->format == CALL_LIST || f->format == CALL_IDS || f->format == CALL_TEXT;
    uint64_t v = integer_at(p->data + at, f);
    if (p->before) {
        /* the memory behind a pointer may have changed though the pointer has not; ids are inputs only */
        int answer = pointer && f->format != CALL_IDS && v && n;
        if (!answer && !memcmp(p->data + at, p->before + at, (size_t)f->size * f->count))
            return;
    } else if (!strncmp(f->name, "pad", 3) || !strncmp(f->name, "_pad", 4) ||
               !strncmp(f->name, "reserved", 8)) {
        if (!v)
            return;
    }
    fprintf(p->out, "%s%s%s=", p->count++ ? " " : "", p->prefix, f->name);
    if (pointer && v && n) {
        if (f->format == CALL_TEXT)
            print_text(p->out, v, n);
        else
            print_pointed(p->out, f, v, n);
    } else if (f->count > 1) {
        for (unsigned i = 0; i < f->count; i++) {
            fputs(i ? "," : "[", p->out);
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
        if (!shown(p, s, base, f))
            continue;
        if (f->format == CALL_NEST) {
            for (unsigned i = 0; i < f->count && at + i * f->strct->size < p->bytes; i++)
                print_nested(p, f, at + i * f->strct->size, i);
        } else if (f->format == CALL_TAIL) {
            uint64_t n = sibling(s, p->data + base, p->bytes - base, f->counter);
            for (unsigned i = 0; i < n && at + (i + 1) * f->strct->size <= p->bytes; i++)
                print_nested(p, f, at + i * f->strct->size, i);
        } else if (at + f->size * f->count <= p->bytes) {
            print_integer(p, s, base, f);
        }
    }
}

int call_print(FILE *out, const struct call_struct *s, const void *data, unsigned bytes, const void *before)
{
    struct printer p = {.out = out, .data = data, .before = before, .bytes = bytes};
    print_struct(&p, s, 0);
    return p.count;
}
