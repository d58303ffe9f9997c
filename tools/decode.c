/* nxgpu decode: packets of a dump, every field and register, nothing dropped. */
#include "base/err.h"
#include "base/json.h"
#include "hw/amd/stream.h"
#include "hw/nv/decode.h"
#include "tools/tools.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: nxgpu decode --format pm4|sdma|aql|kd [--gpu gfx1100] [--json] [--base ADDR] [--hex|--bin] FILE\n"
    "       nxgpu decode --format gpfifo|push|qmd [--gpu sm_89] ...   (push: one segment of a pushbuffer)\n"
    "FILE holds little-endian dwords, or hexadecimal words as text (# comments); - is standard input.\n"
    "Exit: 0 all understood, 1 something was not (it is shown), 2 usage.\n";

struct out {
    struct json json;
    int use_json;
    uint64_t base;
};

static void emit(void *ctx, const struct stream_target *t, const struct stream_item *it)
{
    struct out *o = ctx;
    if (o->use_json) {
        stream_json(&o->json, t, it, o->base);
    } else {
        stream_text(stdout, t, it, o->base);
        if (it->rec && it->problem[0])
            printf("          # %s\n", it->problem);
    }
}

/* What the words belong to: an AMD stream, or NVIDIA words. */
struct target {
    const char *format, *gpu;
    int nv; /* enum nv_format, or -1: amd holds */
    enum nv_gen nv_gen;
    struct stream_target amd;
};

static int find_target(struct target *t)
{
    t->nv = nv_format_of(t->format);
    if (!t->gpu)
        t->gpu = t->nv < 0 ? "gfx1100" : "sm_89";
    if (t->nv < 0)
        return stream_target(&t->amd, t->format, t->gpu);
    int gen = nv_gen_of(t->gpu);
    t->nv_gen = (enum nv_gen)gen;
    return gen < 0 ? gen : 0;
}

/* Hex words as text, in place: returns how many, or -EINVAL naming the line. */
static long parse_hex(char *text, uint32_t *dw)
{
    long n = 0;
    unsigned line = 1;
    for (char *s = text; *s;) {
        char *end;
        if (*s == '#') {
            s += strcspn(s, "\n");
        } else if (strchr(" \t\r\n,", *s)) {
            line += *s++ == '\n';
        } else {
            errno = 0;
            unsigned long long v = *s == '-' || *s == '+' ? ~0ull : strtoull(s, &end, 16);
            if (v > UINT32_MAX || end == s || (*end && !strchr(" \t\r\n,#", *end)))
                return fail(-EINVAL, "line %u: \"%.16s\" is not a hexadecimal word of at most 32 bits", line,
                            s);
            dw[n++] = (uint32_t)v;
            s = end;
        }
    }
    return n;
}

static int looks_hex(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strchr("0123456789abcdefABCDEFxX, \t\r\n", s[i]) || !s[i]) {
            if (s[i] != '#')
                return 0;
            for (; i < n && s[i] != '\n'; i++)
                if ((unsigned char)s[i] < 9)
                    return 0;
        }
    return 1;
}

static int decode(const char *path, const struct target *t, struct out *o, int form)
{
    size_t size;
    long n;
    char *file = tool_read(path, &size);
    uint32_t *dw = file ? malloc(size * 4 + 4) : NULL;
    int rc = 1;
    if (!dw)
        goto undo;
    if (form == 'x' || (form == 0 && looks_hex(file, size))) {
        if ((n = parse_hex(file, dw)) < 0)
            goto undo;
        size = 4 * (size_t)n;
    } else {
        memcpy(dw, file, size);
    }
    if (o->use_json) {
        json_object(&o->json, NULL);
        json_str(&o->json, "format", t->format);
        json_str(&o->json, "gpu", t->gpu);
        json_array(&o->json, "packets");
    }
    size_t bad = t->nv < 0 ? stream_walk(&t->amd, dw, size / 4, emit, o)
                           : nv_decode((enum nv_format)t->nv, t->nv_gen, dw, size / 4, o->base,
                                       o->use_json ? NULL : stdout, o->use_json ? &o->json : NULL);
    bad += size % 4 != 0;
    if (size % 4)
        fprintf(stderr, "%s: %zu bytes after the last whole dword\n", path, size % 4);
    if (o->use_json) {
        json_close(&o->json);
        json_u64(&o->json, "dwords", size / 4);
        json_u64(&o->json, "trailing_bytes", size % 4);
        json_u64(&o->json, "problems", bad);
        json_end(&o->json);
    }
    if (bad)
        fprintf(stderr, "%s: %zu problem%s\n", path, bad, bad == 1 ? "" : "s");
    free(dw);
    free(file);
    return bad ? 1 : 0;
undo:
    fprintf(stderr, "nxgpu decode: %s\n", file && !dw ? "no memory" : fail_text());
    free(dw);
    free(file);
    return rc;
}

int tool_decode(int argc, char **argv)
{
    static const struct option options[] = {{"format", 1, 0, 'f'}, {"gpu", 1, 0, 'g'}, {"json", 0, 0, 'j'},
                                            {"base", 1, 0, 'b'},   {"hex", 0, 0, 'x'}, {"bin", 0, 0, 'n'},
                                            {"help", 0, 0, 'h'},   {0, 0, 0, 0}};
    struct out o = {.json = json_begin(stdout)};
    struct target t = {0};
    int form = 0;
    char *end = NULL;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 'f':
            t.format = optarg;
            break;
        case 'g':
            t.gpu = optarg;
            break;
        case 'j':
            o.use_json = 1;
            break;
        case 'b':
            o.base = strtoull(optarg, &end, 0);
            if (end == optarg || *end) {
                fprintf(stderr, "nxgpu decode: --base \"%s\" is not an address\n", optarg);
                return 2;
            }
            break;
        case 'x':
        case 'n':
            form = c;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    if (!t.format || optind + 1 != argc) {
        fputs(usage, stderr);
        return 2;
    }
    if (find_target(&t)) {
        fprintf(stderr, "nxgpu decode: %s\n", fail_text());
        return 2;
    }
    return decode(argv[optind], &t, &o, form);
}
