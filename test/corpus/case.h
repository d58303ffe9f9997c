/* The corpus table (cases): one line a case, read by test/unit/corpus.c, which runs it on a device and
 * compares, and by expect.c, which runs the same source on PoCL and writes the expected bytes. Here is what
 * both must agree on: the line's grammar, the input generators and the comparison. OBJECT[,OBJECT...]
 * KERNEL[:TAG] ITEMS BLOCK ARG... ARG = in:TYPE:COUNT:GEN | io:TYPE:COUNT:GEN:CMP | out:TYPE:COUNT:CMP |
 * local:BYTES | hex:BYTES | TYPE:VALUE | -DNAME=VALUE (only for PoCL; it then runs one item a group) GEN =
 * letter and seed: r random bits, e edge values in all pairs then random, u uniform -1..1, s small integers,
 * n exponents near 0, m -50..50, p positive, d few digits, a ascending, i 0 1 2 .., z zero CMP =
 * ROW[,ROW...]: the array in that many equal parts, each b (bits equal, any NaN equals any NaN), a number
 *           (ulp of the expected value at most; 0: equal, zeros of either sign alike), =E (absolute error),
 * or q (the elements as a set, order free)
 */
#ifndef CORPUS_CASE_H
#define CORPUS_CASE_H
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE_ARGS = 24, CASE_ROWS = 40 };
enum arg_role { ARG_IN, ARG_IO, ARG_OUT, ARG_LOCAL, ARG_BYTES };
struct case_arg {
    enum arg_role role;
    char type[8];
    uint32_t count, width; /* elements and bytes of one */
    char gen;
    uint64_t seed;
    char cmp[128];
    uint8_t bytes[64]; /* ARG_BYTES: the value */
    uint32_t size;     /* bytes of the value, buffer or local memory */
    uint8_t *data;     /* buffers: input, then (after a run) output */
};
struct corpus_case {
    char objects[128], kernel[64], tag[32], defines[128];
    uint32_t items[3], block[3];
    struct case_arg arg[CASE_ARGS];
    unsigned args;
};

static inline unsigned type_width(const char *t)
{
    return !strcmp(t, "bf16") ? 2 : (unsigned)atoi(t + 1) / 8;
}
static inline uint64_t case_random(uint64_t *s)
{
    uint64_t z = *s += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- floats of every width, as doubles ---- */
static inline double half_to_double(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h >> 15 ? -v : v;
}
static inline uint16_t double_to_half(double v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    v = fabs(v);
    if (isnan(v))
        return 0x7e00;
    if (v >= 65520)
        return sign | 0x7c00;
    int e;
    frexp(v, &e);
    e = v < ldexp(1, -14) ? -14 : e - 1;
    double q = rint(ldexp(v, 10 - e)); /* significand, to nearest even */
    return sign | (uint16_t)(q + (q < 1024 ? 0 : (e + 14) * 1024));
}
static inline void float_put(const char *type, uint8_t *at, double v)
{
    float f = (float)v;
    uint16_t h;
    if (!strcmp(type, "f64"))
        memcpy(at, &v, 8);
    else if (!strcmp(type, "f32"))
        memcpy(at, &f, 4);
    else if (!strcmp(type, "bf16"))
        memcpy(at, (uint8_t *)&f + 2, 2);
    else {
        h = double_to_half(v);
        memcpy(at, &h, 2);
    }
}
static inline double float_get(const char *type, const uint8_t *at)
{
    double v;
    float f = 0;
    uint16_t h;
    if (!strcmp(type, "f64")) {
        memcpy(&v, at, 8);
        return v;
    }
    if (!strcmp(type, "f32"))
        memcpy(&f, at, 4);
    else if (!strcmp(type, "bf16"))
        memcpy((uint8_t *)&f + 2, at, 2);
    else {
        memcpy(&h, at, 2);
        return half_to_double(h);
    }
    return f;
}

/* ---- generators ---- */
static inline double float_edge(const char *type, unsigned k)
{
    int emin = type[1] == '6' ? -1022 : type[1] == '1' ? -14 : -126;
    int emax = -emin + 1, digits = type[1] == '6' ? 53 : type[1] == '1' ? 11 : 24;
    double max = ldexp(2 - ldexp(1, 1 - digits), emax - 1);
    const double list[] = {
        0,    -0.0, 1, -1,  INFINITY, -INFINITY,           NAN,           ldexp(1, emin - digits + 1), 0.5,
        -2.5, 1.5,  3, max, -max,     ldexp(-3, emin - 2), ldexp(1, emin)};
    return list[k % 16];
}
static inline int64_t int_edge(unsigned bits, unsigned k)
{
    int64_t min = (int64_t)(~0ull << (bits - 1));
    const int64_t list[] = {
        0, 1, -1, min, min + 1, (int64_t)(~0ull >> 1), 7, (int64_t)(0x5aa5c33c0ff0f00full)};
    return k % 8 == 5 ? ~min : list[k % 8];
}
/* Element i of n; `seed & 1` picks which side of a pair of edge values this array is. */
static inline void generate_float(const struct case_arg *a, uint32_t i, uint64_t *s, uint8_t *at)
{
    uint64_t r = case_random(s);
    double u = (double)(int64_t)r * 0x1p-63, v = u;
    switch (a->gen) {
    case 'e':
        if (i < 256 && i + 64 < a->count) {
            float_put(a->type, at, float_edge(a->type, a->seed & 1 ? i / 16 : i));
            return;
        }
        if (!strcmp(a->type, "f16") || !strcmp(a->type, "bf16"))
            r &= 0xbbff;
        else if (a->width == 4)
            r &= 0xbf7fffff;
        else
            r &= 0xbfefffffffffffffull;
        memcpy(at, &r, a->width); /* any finite below 2 */
        if (i % 3 == 0)
            float_put(a->type, at, u * 1000);
        return;
    case 'r':
        memcpy(at, &r, a->width);
        return;
    case 'c': /* to convert: halves, quarters and edges of the integer types */
        v = i % 4 == 0   ? ldexp(u < 0 ? -1 : 1, 3 + (int)(r % 62)) + (int)(r >> 8) % 3 - 1
            : i % 4 == 1 ? (double)((int64_t)r >> 52) * 0.25
            : i % 4 == 2 ? u * 300
                         : ldexp(u, (int)(r % 40));
        if (i < 16)
            v = float_edge(a->type, i);
        break;
    case 's':
        v = (double)((int)(r % 9) - 4);
        break;
    case 'n':
        v = ldexp(u < 0 ? u - 1 : u + 1, (int)(r % 13) - 6);
        break;
    case 'm':
        v = i < 16 ? float_edge(a->type, i) : i % 5 == 0 ? u : i % 5 == 1 ? u * 8 : u * 50;
        break;
    case 'p':
        v = i < 16 ? float_edge(a->type, i) : ldexp(fabs(u) + 0.5, (int)(r % 25) - 12);
        break;
    case 'd':
        v = (double)((int64_t)r >> 54) * 0.125;
        break;
    case 'a':
    case 'i':
        v = i;
        break;
    case 'z':
        v = 0;
        break;
    }
    float_put(a->type, at, v);
}
static inline void generate_int(const struct case_arg *a, uint32_t i, uint64_t *s, uint8_t *at)
{
    uint64_t r = case_random(s);
    int64_t v = (int64_t)r;
    switch (a->gen) {
    case 'e':
        v = i < 64 ? int_edge(a->width * 8, a->seed & 1 ? i / 8 : i) : i % 3 ? v : v >> (r & 63);
        break;
    case 'u':
        v = (int64_t)(r % 201) - 100;
        break;
    case 's':
        v = (int64_t)(r % 9) - 4;
        break;
    case 'p':
        v = (int64_t)(r % 9);
        break;
    case 'a':
        v = (int64_t)i * 37 + (int64_t)(r % 37);
        break;
    case 'i':
        v = i;
        break;
    case 'z':
        v = 0;
        break;
    }
    memcpy(at, &v, a->width);
}
/* Fills the arrays of the case; calloc()ed, freed by case_free(). */
static inline int case_generate(struct corpus_case *c)
{
    for (unsigned k = 0; k < c->args; k++) {
        struct case_arg *a = &c->arg[k];
        if (a->role > ARG_OUT)
            continue;
        a->data = (uint8_t *)calloc(a->count, a->width);
        if (!a->data)
            return -ENOMEM;
        uint64_t s = a->seed * 1000003;
        for (uint32_t i = 0; i < a->count && a->role != ARG_OUT; i++) {
            if (strchr("fb", a->type[0]))
                generate_float(a, i, &s, a->data + (size_t)i * a->width);
            else
                generate_int(a, i, &s, a->data + (size_t)i * a->width);
        }
    }
    return 0;
}
static inline void case_free(struct corpus_case *c)
{
    for (unsigned k = 0; k < c->args; k++) {
        free(c->arg[k].data);
        c->arg[k].data = NULL;
    }
}

/* ---- the line ---- */
static inline int parse_xyz(const char *s, uint32_t v[3])
{
    v[0] = v[1] = v[2] = 1;
    return sscanf(s, "%u,%u,%u", &v[0], &v[1], &v[2]) >= 1;
}
static inline int parse_arg(struct case_arg *a, char *s)
{
    char *f[5] = {s};
    unsigned n = 1;
    for (char *p = s; (p = strchr(p, ':')) && n < 5; n++)
        *p++ = 0, f[n] = p;
    int in = !strcmp(f[0], "in") && n == 4, io = !strcmp(f[0], "io") && n == 5,
        out = !strcmp(f[0], "out") && n == 4;
    if (in || io || out) {
        a->role = in ? ARG_IN : io ? ARG_IO : ARG_OUT;
        snprintf(a->type, sizeof a->type, "%s", f[1]);
        a->width = type_width(a->type);
        a->count = (uint32_t)strtoul(f[2], NULL, 0);
        a->size = a->count * a->width;
        if (!out)
            a->gen = f[3][0], a->seed = strtoull(f[3] + 1, NULL, 0);
        if (!in)
            snprintf(a->cmp, sizeof a->cmp, "%s", f[out ? 3 : 4]);
        return a->size && a->width;
    }
    if (n != 2)
        return 0;
    if (!strcmp(f[0], "local")) {
        a->role = ARG_LOCAL;
        a->size = (uint32_t)strtoul(f[1], NULL, 0);
        return a->size > 0;
    }
    a->role = ARG_BYTES;
    if (!strcmp(f[0], "hex")) {
        for (const char *p = f[1]; isxdigit((unsigned char)p[0]) && a->size < sizeof a->bytes; p += 2) {
            unsigned b;
            sscanf(p, "%2x", &b);
            a->bytes[a->size++] = (uint8_t)b;
        }
        return a->size > 0;
    }
    a->size = type_width(f[0]);
    if (f[0][0] == 'f') {
        float_put(f[0], a->bytes, strtod(f[1], NULL));
    } else {
        uint64_t v = f[1][0] == '-' ? (uint64_t)strtoll(f[1], NULL, 0) : strtoull(f[1], NULL, 0);
        memcpy(a->bytes, &v, 8);
    }
    return a->size && a->size <= 8;
}
/* 1: a case, 0: nothing on this line, -1: bad line. */
static inline int case_parse(struct corpus_case *c, char *line)
{
    memset(c, 0, sizeof *c);
    char *word[CASE_ARGS + 4], *save = NULL;
    unsigned n = 0;
    line[strcspn(line, "#\n")] = 0;
    for (char *w = strtok_r(line, " \t", &save); w && n < CASE_ARGS + 4; w = strtok_r(NULL, " \t", &save))
        word[n++] = w;
    if (n == 0)
        return 0;
    if (n < 5 || !parse_xyz(word[2], c->items) || !parse_xyz(word[3], c->block))
        return -1;
    snprintf(c->objects, sizeof c->objects, "%s", word[0]);
    char *colon = strchr(word[1], ':');
    if (colon) {
        *colon = 0;
        snprintf(c->tag, sizeof c->tag, ".%s", colon + 1);
    }
    snprintf(c->kernel, sizeof c->kernel, "%s", word[1]);
    for (unsigned k = 4; k < n; k++) {
        if (!strncmp(word[k], "-D", 2)) {
            strncat(c->defines, " ", sizeof c->defines - strlen(c->defines) - 1);
            strncat(c->defines, word[k], sizeof c->defines - strlen(c->defines) - 1);
        } else if (!parse_arg(&c->arg[c->args++], word[k])) {
            return -1;
        }
    }
    return 1;
}

/* ---- comparison ---- */
/* Distance in units of the last place of `want`'s type at want; an infinity counts as the next power of two.
 */
static inline double ulp_distance(const char *type, double got, double want)
{
    int digits = type[1] == '6' ? 53 : type[1] == '1' ? 11 : type[0] == 'b' ? 8 : 24;
    int emin = type[1] == '6' ? -1022 : type[1] == '1' ? -14 : -126, e;
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (got == want)
        return 0;
    if (isinf(want) && type[1] == '6')
        return INFINITY;
    if (isinf(got))
        got = copysign(ldexp(1, 2 - emin), got);
    if (isinf(want))
        want = copysign(ldexp(1, 2 - emin), want);
    frexp(want, &e);
    if (want == 0 || e - 1 < emin)
        e = emin + 1;
    return fabs(got - want) / ldexp(1, e - digits);
}
static inline int set_order(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    return (x > y) - (x < y);
}
/* -1 when `a->data` agrees with `want`, else the first index that does not; *worst is the greatest ulp
 * distance seen and, at a mismatch, that one's. */
static inline int64_t case_compare(struct case_arg *a, uint8_t *want, double *worst)
{
    const char *rows[CASE_ROWS];
    unsigned n = 0;
    for (const char *p = a->cmp; p && n < CASE_ROWS; p = strchr(p, ','), p = p ? p + 1 : p)
        rows[n++] = p;
    int is_float = strchr("fb", a->type[0]) != NULL;
    if (rows[0][0] == 'q') {
        qsort(a->data, a->count, 4, set_order);
        qsort(want, a->count, 4, set_order);
    }
    *worst = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const char *rule = rows[(uint64_t)i * n / a->count];
        const uint8_t *g = a->data + (size_t)i * a->width, *w = want + (size_t)i * a->width;
        if (!memcmp(g, w, a->width))
            continue;
        if (!is_float)
            return i;
        double gv = float_get(a->type, g), wv = float_get(a->type, w), d = ulp_distance(a->type, gv, wv);
        int ok = isnan(gv) && isnan(wv) ? 1
                 : rule[0] == 'b'       ? 0
                 : rule[0] == '='       ? fabs(gv - wv) <= strtod(rule + 1, NULL)
                                        : d <= strtod(rule, NULL);
        if (d > *worst || !ok)
            *worst = d;
        if (!ok)
            return i;
    }
    return -1;
}
#endif
