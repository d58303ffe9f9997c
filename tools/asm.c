/* nxgpu asm: text as decode prints it, back to dwords. */
#include "base/err.h"
#include "hw/amd/stream.h"
#include "tools/tools.h"
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: nxgpu asm --format pm4|sdma|aql|kd [--gpu gfx1100] [--hex] [-o OUT] FILE\n"
    "FILE is text as nxgpu decode prints it; little-endian dwords (or --hex words, one a\n"
    "line) go to OUT or standard output.\n";

int tool_asm(int argc, char **argv)
{
    static const struct option options[] = {{"format", 1, 0, 'f'}, {"gpu", 1, 0, 'g'},  {"hex", 0, 0, 'x'},
                                            {"output", 1, 0, 'o'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0}};
    const char *format = NULL, *gpu = "gfx1100", *path = NULL;
    struct stream_target t;
    uint32_t *dw = NULL;
    int hex = 0, rc = 1;
    size_t size;
    for (int c; (c = getopt_long(argc, argv, "o:", options, NULL)) != -1;)
        switch (c) {
        case 'f':
            format = optarg;
            break;
        case 'g':
            gpu = optarg;
            break;
        case 'x':
            hex = 1;
            break;
        case 'o':
            path = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return 0;
        default:
            fputs(usage, stderr);
            return 2;
        }
    if (!format || optind + 1 != argc) {
        fputs(usage, stderr);
        return 2;
    }
    if (stream_target(&t, format, gpu)) {
        fprintf(stderr, "nxgpu asm: %s\n", fail_text());
        return 2;
    }
    char *text = tool_read(argv[optind], &size);
    long n = text ? stream_asm(&t, text, &dw) : -1;
    FILE *out = n < 0 ? NULL : path ? fopen(path, "wb") : stdout;
    if (n < 0) {
        fprintf(stderr, "nxgpu asm: %s: %s\n", argv[optind], fail_text());
        goto done;
    }
    if (!out) {
        fprintf(stderr, "nxgpu asm: %s: %s\n", path, strerror(errno));
        goto done;
    }
    for (long i = 0; i < n; i++)
        if (hex)
            fprintf(out, "%08x\n", dw[i]);
        else
            fwrite(&dw[i], 4, 1, out);
    rc = fflush(out) || ferror(out);
    if (path)
        rc |= fclose(out) != 0;
    if (rc)
        fprintf(stderr, "nxgpu asm: %s: %s\n", path ? path : "standard output", strerror(errno));
done:
    free(dw);
    free(text);
    return rc;
}
