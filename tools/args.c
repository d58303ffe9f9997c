#include "tools/args.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "tools/tools.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char args_usage[] =
    "One ARG a kernel parameter, in order:\n"
    "  i8|u8|i16|u16|i32|u32|i64|u64|f16|f32|f64:VALUE   scalar\n"
    "  hex:BYTES             by-value struct, two digits a byte\n"
    "  in:PATH               buffer with a file's content\n"
    "  out:SIZE:PATH         zeroed buffer, written to PATH afterwards\n"
    "  inout:PATH:PATH2      buffer with the content of PATH, written to PATH2 afterwards\n"
    "  zero:SIZE             zeroed buffer\n"
    "  rand:TYPE:COUNT:SEED  buffer of random values, floats from 0 to 1\n"
    "  local:SIZE            dynamic local memory\n"
    "SIZE may end in K, M or G.\n";

static const struct type {
    const char *name;
    uint8_t bytes;
    char kind; /* 'i' 'u' 'f' */
} types[] = {
    {"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'}, {"i32", 4, 'i'}, {"u32", 4, 'u'},
    {"i64", 8, 'i'}, {"u64", 8, 'u'}, {"f16", 2, 'f'}, {"f32", 4, 'f'}, {"f64", 8, 'f'},
};

static const struct type *find_type(const char *name, size_t n)
{
    for (size_t i = 0; i < ARRAY_LEN(types); i++)
        if (strlen(types[i].name) == n && !memcmp(types[i].name, name, n))
            return &types[i];
    return NULL;
}

int parse_size(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 0);
    static const char units[] = "KMG";
    unsigned shift = 0;
    if (end != text && *end && strchr(units, toupper(*end)))
        shift = 10 * (unsigned)(strchr(units, toupper(*end++)) - units + 1);
    if (errno || !isdigit((unsigned char)*text) || *end || v > UINT64_MAX >> 24 >> shift)
        return fail(-EINVAL, "\"%s\" is not a size", text);
    *out = v << shift;
    return 0;
}

/* IEEE binary16 of a float, to nearest even. */
static uint16_t to_half(float f)
{
    uint32_t w, sign;
    memcpy(&w, &f, 4);
    sign = (uint32_t)bits(w, 31, 31) * 0x8000u;
    float a = fabsf(f);
    if (a != a)
        return (uint16_t)(sign | 0x7e00);
    if (a >= 65520.0f)
        return (uint16_t)(sign | 0x7c00);
    if (a < 0x1p-14f) /* subnormal: units of 2^-24 */
        return (uint16_t)(sign | (uint32_t)lrintf(a * 0x1p24f));
    int e;
    float m = frexpf(
        a, &e); /* a = m 2^e, 0.5 <= m < 1; a carry of the rounding runs into the exponent as it should */
    return (uint16_t)(sign | ((uint32_t)(e + 13) * 1024u + (uint32_t)lrintf(m * 2048.0f)));
}

static void store_float(const struct type *t, double v, uint8_t *to)
{
    float f = (float)v;
    uint16_t h = to_half(f);
    memcpy(to, t->bytes == 8 ? (const void *)&v : t->bytes == 4 ? (const void *)&f : &h, t->bytes);
}

static int parse_scalar(const struct type *t, const char *text, struct arg *a)
{
    char *end;
    if (!(a->value = mem_alloc(8)))
        return -ENOMEM;
    a->value_size = t->bytes;
    a->kind = t->kind == 'f' ? 'f' : 'i';
    errno = 0;
    if (t->kind == 'f') {
        double v = strtod(text, &end);
        store_float(t, v, a->value);
    } else if (t->kind == 'i') {
        long long v = strtoll(text, &end, 0), max = INT64_MAX >> (64 - 8 * t->bytes);
        if (v > max || v < -max - 1)
            errno = ERANGE;
        memcpy(a->value, &v, 8);
    } else {
        unsigned long long v = strtoull(text, &end, 0);
        if (v > UINT64_MAX >> (64 - 8 * t->bytes) || *text == '-')
            errno = ERANGE;
        memcpy(a->value, &v, 8);
    }
    if (end == text || *end || (errno == ERANGE && t->kind != 'f'))
        return fail(-EINVAL, "argument %s: \"%s\" is not a value of type %s", a->word, text, t->name);
    return 0;
}

static int parse_hex_bytes(const char *text, struct arg *a)
{
    size_t n = strlen(text);
    a->kind = 'h';
    a->value_size = n / 2;
    if (!n || n % 2 || strspn(text, "0123456789abcdefABCDEF") != n)
        return fail(-EINVAL, "argument %s: expected two hexadecimal digits a byte", a->word);
    if (!(a->value = mem_alloc(n / 2)))
        return -ENOMEM;
    for (size_t i = 0; i < n / 2; i++) {
        char two[3] = {text[2 * i], text[2 * i + 1], 0};
        a->value[i] = (uint8_t)strtoul(two, NULL, 16);
    }
    return 0;
}

static int read_content(const char *path, struct arg *a)
{
    size_t size;
    a->content = (uint8_t *)tool_read(path, &size);
    if (!a->content)
        return fail_in(-ENOENT, "argument %s", a->word);
    a->bytes = size;
    return size ? 0 : fail(-EINVAL, "argument %s: the file is empty", a->word);
}

static uint64_t random64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* TYPE:COUNT:SEED in a->own */
static int parse_random(struct arg *a)
{
    char *type = a->own, *count = strchr(type, ':'), *seed = count ? strchr(count + 1, ':') : NULL;
    uint64_t n, state;
    const struct type *t = count ? find_type(type, (size_t)(count - type)) : NULL;
    if (!t || !seed)
        return fail(-EINVAL, "argument %s: expected rand:TYPE:COUNT:SEED", a->word);
    *seed++ = 0;
    if (parse_size(count + 1, &n) || parse_size(seed, &state) || !n || n > UINT64_MAX / 8)
        return fail_in(-EINVAL, "argument %s", a->word);
    a->bytes = n * t->bytes;
    if (!(a->content = mem_alloc(a->bytes)))
        return -ENOMEM;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t r = random64(&state);
        if (t->kind == 'f')
            store_float(t, (double)(r >> 40) * 0x1p-24, a->content + i * t->bytes);
        else
            memcpy(a->content + i * t->bytes, &r, t->bytes);
    }
    return 0;
}

/* A form that makes a buffer or local memory; rest is what follows its colon. */
static int parse_memory(const char *form, size_t n, struct arg *a)
{
    char *rest = a->own, *colon = strchr(rest, ':');
    a->kind = 'b';
    if (n == 2 && !memcmp(form, "in", 2))
        return read_content(rest, a);
    if (n == 4 && !memcmp(form, "rand", 4))
        return parse_random(a);
    if (n == 5 && !memcmp(form, "inout", 5)) {
        if (!colon || !colon[1])
            return fail(-EINVAL, "argument %s: expected inout:PATH:PATH2", a->word);
        *colon = 0;
        a->save = colon + 1;
        return read_content(rest, a);
    }
    if (n == 3 && !memcmp(form, "out", 3)) {
        if (!colon || !colon[1])
            return fail(-EINVAL, "argument %s: expected out:SIZE:PATH", a->word);
        *colon = 0;
        a->save = colon + 1;
    } else if (n == 5 && !memcmp(form, "local", 5)) {
        a->kind = 'l';
    } else if (n != 4 || memcmp(form, "zero", 4)) {
        return fail(-EINVAL, "argument %s: \"%.*s\" is no form of argument", a->word, (int)n, form);
    }
    if (parse_size(rest, &a->bytes) || !a->bytes)
        return fail(-EINVAL, "argument %s: \"%s\" is not a size", a->word, rest);
    return 0;
}

int arg_parse(const char *word, struct arg *a)
{
    const char *colon = strchr(word, ':');
    *a = (struct arg){.word = word};
    if (!colon)
        return fail(-EINVAL, "argument %s: expected FORM:...", word);
    size_t n = (size_t)(colon - word);
    const struct type *t = find_type(word, n);
    if (t)
        return parse_scalar(t, colon + 1, a);
    if (n == 3 && !memcmp(word, "hex", 3))
        return parse_hex_bytes(colon + 1, a);
    if (!(a->own = mem_text(colon + 1, strlen(colon + 1))))
        return -ENOMEM;
    int rc = parse_memory(word, n, a);
    if (rc)
        return rc;
    a->value_size = a->kind == 'l' ? 4 : 8;
    if (!(a->value = mem_alloc(8)))
        return -ENOMEM;
    if (a->kind == 'l') {
        if (a->bytes > UINT32_MAX)
            return fail(-EINVAL, "argument %s: more than 4 GiB of local memory", word);
        memcpy(a->value, &(uint32_t){(uint32_t)a->bytes}, 4);
    }
    return 0;
}

/* 'f', 'i', or 0: what the program's own name for a type says */
static char kind_of_type(const char *type_name)
{
    static const char *const floats[] = {"float", "double", "half"};
    static const char *const ints[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong"};
    for (size_t i = 0; i < ARRAY_LEN(floats); i++)
        if (!strcmp(type_name, floats[i]))
            return 'f';
    for (size_t i = 0; i < ARRAY_LEN(ints); i++)
        if (!strcmp(type_name, ints[i]))
            return 'i';
    return 0;
}

int arg_check(const struct arg *a, unsigned index, const struct nx_arg_info *p)
{
    char want[160];
    snprintf(want, sizeof want, "argument %u%s%s%s is %s%s%s of %u bytes", index + 1, *p->name ? " (" : "",
             p->name, *p->name ? ")" : "", p->value_kind, *p->type_name ? ", " : "", p->type_name, p->bytes);
    if (p->kind == NX_ARG_OTHER)
        return fail(-EINVAL, "%s, which nxgpu run cannot give", want);
    if ((a->kind == 'b') != (p->kind == NX_ARG_BUFFER) &&
        !(p->kind == NX_ARG_BUFFER && a->value_size == 8 && a->kind != 'l'))
        return fail(-EINVAL, "%s, given %s", want, a->word);
    if ((a->kind == 'l') != (p->kind == NX_ARG_LOCAL))
        return fail(-EINVAL, "%s, given %s", want, a->word);
    if (p->kind == NX_ARG_VALUE) {
        char type = kind_of_type(p->type_name);
        if (a->value_size != p->bytes)
            return fail(-EINVAL, "%s, given %s of %zu bytes", want, a->word, a->value_size);
        if (type && a->kind != 'h' && type != a->kind)
            return fail(-EINVAL, "%s, given %s", want, a->word);
    }
    return 0;
}

int arg_upload(nx_device *d, struct arg *a)
{
    int rc = 0;
    if (a->kind != 'b')
        return 0;
    if (!a->buffer && (rc = nx_alloc(d, a->bytes, NX_DEVICE, &a->buffer)))
        return fail_in(rc, "argument %s", a->word);
    uint64_t va = nx_buffer_va(a->buffer);
    memcpy(a->value, &va, 8);
    if (a->content)
        return nx_write(a->buffer, 0, a->content, a->bytes);
    static const uint8_t zeros[65536];
    for (uint64_t at = 0; !rc && at < a->bytes; at += sizeof zeros)
        rc = nx_write(a->buffer, at, zeros, a->bytes - at < sizeof zeros ? a->bytes - at : sizeof zeros);
    return rc;
}

int arg_save(struct arg *a)
{
    uint8_t part[65536];
    if (!a->save)
        return 0;
    FILE *f = fopen(a->save, "wb");
    if (!f)
        return fail(-errno, "%s: %s", a->save, strerror(errno));
    int rc = 0;
    for (uint64_t at = 0; !rc && at < a->bytes; at += sizeof part) {
        size_t n = a->bytes - at < sizeof part ? (size_t)(a->bytes - at) : sizeof part;
        rc = nx_read(a->buffer, at, part, n);
        if (!rc && fwrite(part, 1, n, f) != n)
            rc = fail(-EIO, "%s: %s", a->save, strerror(errno));
    }
    if (fclose(f) && !rc)
        rc = fail(-EIO, "%s: %s", a->save, strerror(errno));
    return rc;
}

void args_free(struct arg *a, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        nx_free(a[i].buffer);
        mem_free(a[i].value);
        mem_free(a[i].content);
        mem_free(a[i].own);
    }
}
