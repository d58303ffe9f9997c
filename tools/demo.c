/* nxgpu demo: three programs compiled for a real GPU, run and checked against the host. */
#include "base/err.h"
#include "base/mem.h"
#include "include/nxgpu.h"
#include "tools/png.h"
#include "tools/tools.h"
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: nxgpu demo [--device SEL] [--picture PATH]\n"
    "Runs vector addition, a tiled matrix product and a Mandelbrot picture, each checked against\n"
    "the host. Exit: 0 all right, 1 failed, 2 usage, 77 no such device.\n";

static const char try_next[] =
    "\nTry next:\n"
    "  o/rel/nxgpu info                                                   the devices there are\n"
    "  o/rel/nxgpu run --items 1000 --block 64 --time \\\n"
    "      kernels/vector_add.gfx1100.hsaco rand:f32:1000:1 rand:f32:1000:2 out:4000:sum.bin u32:1000\n"
    "  o/rel/nxgpu disasm kernels/matmul.gfx1100.hsaco                    the machine code\n"
    "  NXGPU_TRACE=- o/rel/examples/vector_add                            every driver call it makes\n"
    "  ./run check                                                        all tests\n";

struct demo {
    nx_device *dev;
    nx_queue *queue;
    nx_buffer *stamps;
    struct nx_device_info info;
    const char *picture;
    double ms; /* of the last launch */
};

/* ---- a few words over nxgpu.h ---- */

static void release(nx_buffer **b, int n)
{
    while (n--)
        nx_free(b[n]);
}

/* kernels/NAME.TARGET.hsaco here, or beside the build folder this program is in. */
static int load(struct demo *d, const char *name, nx_program **prog, nx_kernel **kernel)
{
    char path[PATH_MAX + 128], exe[PATH_MAX];
    snprintf(path, sizeof path, "kernels/%s.%s.hsaco", name, d->info.target);
    ssize_t n = access(path, R_OK) ? readlink("/proc/self/exe", exe, sizeof exe - 1) : -1;
    if (n > 0) {
        exe[n] = 0;
        for (int up = 0; up < 3 && strrchr(exe, '/'); up++)
            *strrchr(exe, '/') = 0;
        snprintf(path, sizeof path, "%s/kernels/%s.%s.hsaco", exe, name, d->info.target);
    }
    int rc = nx_program_load_file(d->dev, path, prog);
    return rc ? rc : nx_program_kernel(*prog, name, kernel);
}

/* Launches and waits; says on stderr that it is still at it after each second. */
static int launch(struct demo *d, nx_kernel *k, const char *what, const uint32_t items[3],
                  const uint32_t block[3], const void *const *args, uint32_t n)
{
    uint64_t t[2];
    struct nx_launch l = {.size = sizeof l, .args = args, .arg_count = n};
    memcpy(l.items, items, sizeof l.items);
    memcpy(l.block, block, sizeof l.block);
    int rc;
    if ((rc = nx_timestamp(d->queue, d->stamps, 0)) || (rc = nx_launch(d->queue, k, &l)) ||
        (rc = nx_timestamp(d->queue, d->stamps, 8)))
        return rc;
    for (int s = 1; (rc = nx_queue_wait_idle(d->queue, 1000000000)) == -ETIMEDOUT; s++)
        fprintf(stderr, "  %s: running, %d s\n", what, s);
    if (!rc)
        rc = nx_read(d->stamps, 0, t, sizeof t);
    d->ms = (double)(t[1] - t[0]) * 1e3 / (double)d->info.timer_hz;
    return rc;
}

static int upload(struct demo *d, const void *data, size_t size, nx_buffer **b, uint64_t *va)
{
    int rc = nx_alloc(d->dev, size, NX_DEVICE, b);
    if (rc)
        return rc;
    *va = nx_buffer_va(*b);
    return data ? nx_write(*b, 0, data, size) : 0;
}

static float noise(uint32_t *state) /* -1 to 1, multiples of 2^-15 */
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(int32_t)(*state >> 16) * 0x1p-15f - 1.0f;
}

/* ---- the three ---- */

static int vector_add(struct demo *d, nx_kernel *k)
{
    uint32_t n = 4000003, seed = 1, block[3] = {256, 1, 1},
             items[3] = {n, 1, 1}; /* the last group is partial */
    float *h = mem_array(3ul * n, sizeof *h), *a = h, *b = h + n, *c = h + 2ul * n;
    nx_buffer *buf[3] = {0};
    uint64_t va[3];
    const void *args[] = {&va[0], &va[1], &va[2], &n};
    int rc = h ? 0 : -ENOMEM;
    for (uint32_t i = 0; !rc && i < 2 * n; i++)
        h[i] = noise(&seed);
    for (int i = 0; !rc && i < 3; i++)
        rc = upload(d, h + (size_t)i * n, 4ul * n, &buf[i], &va[i]);
    if (!rc && !(rc = launch(d, k, "vector add", items, block, args, 4)) &&
        !(rc = nx_read(buf[2], 0, c, 4ul * n))) {
        for (uint32_t i = 0; !rc && i < n; i++)
            if (c[i] != a[i] + b[i])
                rc = fail(-EPROTO, "vector add: c[%u] is %a, expected %a", i, (double)c[i],
                          (double)(a[i] + b[i]));
        if (!rc)
            printf("  vector add   %u floats         %9.3f ms  %8.2f GB/s    all equal to the host's\n", n,
                   d->ms, 12.0 * n / d->ms / 1e6);
    }
    release(buf, 3);
    mem_free(h);
    return rc;
}

static int matmul(struct demo *d, nx_kernel *k)
{
    uint32_t n = 256, seed = 2, block[3] = {16, 16, 1}, items[3] = {n, n, 1};
    size_t size = (size_t)n * n;
    float *h = mem_array(3 * size, sizeof *h), *a = h, *b = h + size, *c = h + 2 * size;
    nx_buffer *buf[3] = {0};
    uint64_t va[3];
    const void *args[] = {&va[0], &va[1], &va[2], &n};
    int rc = h ? 0 : -ENOMEM;
    for (size_t i = 0; !rc && i < 2 * size; i++)
        h[i] = noise(&seed);
    for (int i = 0; !rc && i < 3; i++)
        rc = upload(d, h + (size_t)i * size, 4 * size, &buf[i], &va[i]);
    if (!rc && !(rc = launch(d, k, "matrix product", items, block, args, 4)) &&
        !(rc = nx_read(buf[2], 0, c, 4 * size))) {
        for (size_t i = 0; !rc && i < size; i++) {
            float sum = 0;
            for (uint32_t j = 0; j < n; j++)
                sum = fmaf(a[i / n * n + j], b[j * n + i % n], sum);
            if (c[i] != sum)
                rc = fail(-EPROTO, "matrix product: c[%zu][%zu] is %a, expected %a", i / n, i % n,
                          (double)c[i], (double)sum);
        }
        if (!rc)
            printf("  matrix       %ux%u, tiled       %9.3f ms  %8.2f GFLOP/s all equal to the host's\n", n,
                   n, d->ms, 2.0 * n * n * n / d->ms / 1e6);
    }
    release(buf, 3);
    mem_free(h);
    return rc;
}

static uint32_t escape_time(float cx, float cy, uint32_t limit)
{
    float x = 0, y = 0;
    uint32_t n = 0;
    while (n < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = fmaf(2.0f * x, y, cy);
        x = xx - yy + cx;
        n++;
    }
    return n;
}

static int save_picture(const struct demo *d, const uint32_t *count, uint32_t w, uint32_t h, uint32_t limit)
{
    uint8_t palette[768], *pixels = mem_alloc((size_t)w * h);
    if (!pixels)
        return -ENOMEM;
    for (int i = 0; i < 256; i++) {
        double t = sqrt(i / 255.0), turn = 6.283185307179586;
        for (int c = 0; c < 3; c++)
            palette[3 * i + c] = i == 255 ? 0 : (uint8_t)(127.5 - 127.5 * cos(turn * t * (1.0 + 0.5 * c)));
    }
    for (size_t i = 0; i < (size_t)w * h; i++)
        pixels[i] = (uint8_t)(count[i] >= limit ? 255 : count[i] * 254ul / limit);
    int rc = png_write(d->picture, pixels, w, h, palette);
    mem_free(pixels);
    return rc;
}

static int mandelbrot(struct demo *d, nx_kernel *k)
{
    uint32_t w = 800, h = 600, limit = 255, block[3] = {16, 16, 1}, items[3] = {w, h, 1};
    float x0 = -2.2f, y0 = -1.2f, step = 0.004f;
    size_t n = (size_t)w * h;
    uint32_t *count = mem_array(n, sizeof *count);
    uint64_t va, iterations = 0;
    nx_buffer *buf = NULL;
    const void *args[] = {&va, &w, &h, &x0, &y0, &step, &limit};
    int rc = count ? upload(d, NULL, 4 * n, &buf, &va) : -ENOMEM;
    if (!rc && !(rc = launch(d, k, "Mandelbrot set", items, block, args, 7)) &&
        !(rc = nx_read(buf, 0, count, 4 * n))) {
        for (size_t i = 0; !rc && i < n; i++) {
            uint32_t want =
                escape_time(fmaf((float)(i % w), step, x0), fmaf((float)(i / w), step, y0), limit);
            iterations += want;
            if (count[i] != want)
                rc = fail(-EPROTO, "Mandelbrot set: pixel %zu,%zu is %u, expected %u", i % w, i / w, count[i],
                          want);
        }
        if (!rc)
            rc = save_picture(d, count, w, h, limit);
        if (!rc)
            printf("  Mandelbrot   %ux%u              %9.3f ms  %8.2f Miter/s all equal to the host's\n"
                   "               picture: %s\n",
                   w, h, d->ms, (double)iterations / d->ms / 1e3, d->picture);
    }
    release(&buf, 1);
    mem_free(count);
    return rc;
}

static const struct {
    const char *kernel;
    int (*run)(struct demo *, nx_kernel *);
} demos[] = {{"vector_add", vector_add}, {"matmul", matmul}, {"mandelbrot", mandelbrot}};

static int run_all(struct demo *d)
{
    int rc;
    if ((rc = nx_device_describe(d->dev, &d->info)) || (rc = nx_queue_create(d->dev, &d->queue)) ||
        (rc = nx_alloc(d->dev, 16, NX_HOST, &d->stamps)))
        return rc;
    printf("nxgpu %s on %s: %s, %u compute units, %s%s\n", nx_version(), d->info.selector, d->info.target,
           d->info.compute_units, d->info.driver, d->info.software ? ", the software GPU" : "");
    for (size_t i = 0; !rc && i < sizeof demos / sizeof *demos; i++) {
        nx_program *p = NULL;
        nx_kernel *k;
        fflush(stdout);
        rc = load(d, demos[i].kernel, &p, &k);
        if (!rc)
            rc = demos[i].run(d, k);
        nx_program_free(p);
    }
    return rc;
}

int tool_demo(int argc, char **argv)
{
    static const struct option options[] = {{"device", 1, 0, 'd'}, {"picture", 1, 0, 'p'}, {0, 0, 0, 0}};
    struct demo d = {.picture = "mandelbrot.png", .info = {.size = sizeof d.info}};
    const char *selector = NULL;
    int c;
    optind = 1;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'd')
            selector = optarg;
        else if (c == 'p')
            d.picture = optarg;
        else
            return fputs(usage, stderr), 2;
    }
    if (optind < argc)
        return fputs(usage, stderr), 2;
    int rc = nx_device_open(selector, &d.dev);
    int none = rc == -ENODEV;
    if (!rc && !(rc = run_all(&d)))
        fputs(try_next, stdout);
    if (rc)
        fprintf(stderr, "nxgpu demo: %s\n", nx_error());
    nx_queue_free(d.queue);
    nx_free(d.stamps);
    nx_device_close(d.dev);
    return none ? 77 : rc != 0;
}
