#include "base/json.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

/* Length of the valid UTF-8 sequence at s (1..4), 0 if there is none. */
static int utf8(const unsigned char *s)
{
    int n = s[0] < 0x80                   ? 1
            : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
            : (s[0] & 0xf0) == 0xe0       ? 3
            : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void quoted(FILE *f, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    putc('"', f);
    while (*s) {
        int n = utf8(s);
        if (*s == '"' || *s == '\\')
            fprintf(f, "\\%c", *s++);
        else if (*s == '\n')
            fputs("\\n", f), s++;
        else if (*s < 0x20 || *s == 0x7f || !n)
            fprintf(f, "\\u%04x", *s++);
        else
            s += fwrite(s, 1, (size_t)n, f);
    }
    putc('"', f);
}

static void lead(struct json *j, const char *key)
{
    if (j->comma)
        fputs(", ", j->f);
    j->comma = true;
    if (key) {
        quoted(j->f, key);
        fputs(": ", j->f);
    }
}

static void nest(struct json *j, const char *key, bool array)
{
    lead(j, key);
    putc(array ? '[' : '{', j->f);
    j->depth++;
    j->array = (j->array & ~(1ull << j->depth)) | (uint64_t)array << j->depth;
    j->comma = false;
}

void json_object(struct json *j, const char *key)
{
    nest(j, key, false);
}

void json_array(struct json *j, const char *key)
{
    nest(j, key, true);
}

void json_close(struct json *j)
{
    putc(j->array >> j->depth & 1 ? ']' : '}', j->f);
    j->depth--;
    j->comma = true;
}

void json_end(struct json *j)
{
    while (j->depth)
        json_close(j);
    putc('\n', j->f);
}

void json_str(struct json *j, const char *key, const char *s)
{
    lead(j, key);
    if (s)
        quoted(j->f, s);
    else
        fputs("null", j->f);
}

void json_strf(struct json *j, const char *key, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    json_str(j, key, text);
}

void json_u64(struct json *j, const char *key, uint64_t v)
{
    lead(j, key);
    fprintf(j->f, "%" PRIu64, v);
}

void json_i64(struct json *j, const char *key, int64_t v)
{
    lead(j, key);
    fprintf(j->f, "%" PRId64, v);
}

void json_hex(struct json *j, const char *key, uint64_t v)
{
    lead(j, key);
    fprintf(j->f, "\"0x%" PRIx64 "\"", v);
}

void json_f64(struct json *j, const char *key, double v)
{
    lead(j, key);
    if (isfinite(v))
        fprintf(j->f, "%.17g", v);
    else
        fputs("null", j->f);
}

void json_bool(struct json *j, const char *key, bool v)
{
    lead(j, key);
    fputs(v ? "true" : "false", j->f);
}
