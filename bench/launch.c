/* What a launch costs, on the device NXGPU_DEVICE names (soft:gfx1100 by default):
 *   open to first result   from nx_device_open() to a checked word written by a kernel; resident memory then
 *   encode one dispatch    nx_launch() alone, packets and arguments written, nothing submitted
 *   empty launch and wait  nx_launch() and nx_queue_wait_idle() of one work-group that does nothing
 *     launch [FILE.hsaco]  with the kernel vector_add
 */
#include "include/nxgpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TRY(e) ((e) == 0 ? (void)0 : (fprintf(stderr, "launch: %s\n", nx_error()), exit(1)))

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, double *v, int n, const char *unit)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    printf("%-24s %9.3f %s (min %.3f, 99%% %.3f)\n", what, v[n / 2], unit, v[0], v[n * 99 / 100]);
}

static long resident_kib(const char *field)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, field, strlen(field)))
            kib = atol(line + strlen(field) + 1);
    if (f)
        fclose(f);
    return kib;
}

int main(int argc, char **argv)
{
    enum { BATCH = 400, ROUNDS = 50, LAUNCHES = 2000 };
    const char *file = argc > 1 ? argv[1] : "kernels/vector_add.gfx1100.hsaco";
    const char *selector = getenv("NXGPU_DEVICE");
    static double v[LAUNCHES];
    nx_device *dev;
    nx_program *prog;
    nx_kernel *kernel;
    nx_queue *queue;
    nx_buffer *buf;
    uint64_t va;
    uint32_t n = 1;
    float word = 2.5f;
    const void *args[] = {&va, &va, &va, &n};
    struct nx_launch l = {
        .size = sizeof l, .grid = {1, 1, 1}, .block = {32, 1, 1}, .args = args, .arg_count = 4};
    long before = resident_kib("VmRSS");

    double start = now_us();
    TRY(nx_device_open(selector && *selector ? selector : "soft:gfx1100", &dev));
    TRY(nx_program_load_file(dev, file, &prog));
    TRY(nx_program_kernel(prog, "vector_add", &kernel));
    TRY(nx_queue_create(dev, &queue));
    TRY(nx_alloc(dev, 4096, NX_DEVICE, &buf));
    TRY(nx_write(buf, 0, &word, 4));
    va = nx_buffer_va(buf);
    TRY(nx_launch(queue, kernel, &l));
    TRY(nx_queue_wait_idle(queue, NX_FOREVER));
    TRY(nx_read(buf, 0, &word, 4));
    if (word != 5.0f)
        return fprintf(stderr, "launch: got %g, expected 5\n", (double)word), 1;
    printf("%-24s %9.3f ms, %ld KiB resident (%ld before)\n", "open to first result",
           (now_us() - start) / 1e3, resident_kib("VmRSS"), before);

    n = 0;
    for (int r = 0; r < ROUNDS; r++) {
        start = now_us();
        for (int i = 0; i < BATCH; i++)
            TRY(nx_launch(queue, kernel, &l));
        v[r] = (now_us() - start) * 1e3 / BATCH;
        TRY(nx_queue_wait_idle(queue, NX_FOREVER));
    }
    report("encode one dispatch", v, ROUNDS, "ns");
    for (int i = 0; i < LAUNCHES; i++) {
        start = now_us();
        TRY(nx_launch(queue, kernel, &l));
        TRY(nx_queue_wait_idle(queue, NX_FOREVER));
        v[i] = now_us() - start;
    }
    report("empty launch and wait", v, LAUNCHES, "us");
    printf("%-24s %9ld KiB\n", "most resident memory", resident_kib("VmHWM"));
    nx_free(buf);
    nx_queue_free(queue);
    nx_program_free(prog);
    nx_device_close(dev);
    return 0;
}
