// The three demo kernels on nxgpu and, in the same run, from the same sources on an OpenCL CPU device (PoCL),
// loaded by dlopen: medians of the time from launch to finished, and their ratio.   demos [RUNS] [SELECTOR]
// Both results are compared first: a wrong result has no time.
#include <nxgpu.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RUNS = 101, VECTOR = 1 << 20, MATRIX = 256, WIDTH = 512, HEIGHT = 384, LIMIT = 256 };
union value {
    uint32_t u;
    float f;
};
struct demo {
    const char *name;
    uint32_t items[3], block[3];
    uint32_t in_bytes, out_bytes; // inputs a and b, in_bytes each (0: none), then the output
    unsigned values;
    union value value[6];
    float *result[2];
};
static struct demo demos[] = {
    {"vector_add", {VECTOR, 1, 1}, {256, 1, 1}, VECTOR * 4, VECTOR * 4, 1, {{.u = VECTOR}}, {0}},
    {"matmul",
     {MATRIX, MATRIX, 1},
     {16, 16, 1},
     MATRIX *MATRIX * 4,
     MATRIX *MATRIX * 4,
     1,
     {{.u = MATRIX}},
     {0}},
    {"mandelbrot",
     {WIDTH, HEIGHT, 1},
     {16, 16, 1},
     0,
     WIDTH *HEIGHT * 4,
     6,
     {{.u = WIDTH}, {.u = HEIGHT}, {.f = -2.2f}, {.f = -1.2f}, {.f = 0.00625f}, {.u = LIMIT}},
     {0}},
};
static float *input[2];
static unsigned runs = 11;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *t)
{
    qsort(t, runs, sizeof *t, by_value);
    return t[runs / 2];
}
static int report(const char *what)
{
    printf("%s: %s\n", what, nx_error());
    return -1;
}

// Median in ms, or -1 with the reason printed.
static double run_nxgpu(nx_device *dev, nx_queue *queue, struct demo *d)
{
    char path[64];
    nx_program *program;
    nx_kernel *kernel;
    nx_buffer *buf[3] = {0};
    uint64_t va[3];
    const void *args[9];
    double t[MAX_RUNS];
    unsigned n = 0, out = d->in_bytes ? 2 : 0;
    snprintf(path, sizeof path, "kernels/%s.gfx1100.hsaco", d->name);
    if (nx_program_load_file(dev, path, &program) || nx_program_kernel(program, d->name, &kernel))
        return report(path);
    for (unsigned k = 0; k <= out; k++) {
        uint32_t bytes = k < out ? d->in_bytes : d->out_bytes;
        if (nx_alloc(dev, bytes, NX_DEVICE, &buf[k]) || (k < out && nx_write(buf[k], 0, input[k], bytes)))
            return report(d->name);
        va[k] = nx_buffer_va(buf[k]);
        args[n++] = &va[k];
    }
    for (unsigned k = 0; k < d->values; k++)
        args[n++] = &d->value[k];
    struct nx_launch l = {.size = sizeof l, .args = args, .arg_count = n};
    memcpy(l.items, d->items, sizeof l.items);
    memcpy(l.block, d->block, sizeof l.block);
    for (unsigned r = 0; r <= runs; r++) { // the first run translates
        double t0 = now_ms();
        if (nx_launch(queue, kernel, &l) || nx_queue_wait_idle(queue, NX_FOREVER))
            return report(d->name);
        t[r ? r - 1 : 0] = now_ms() - t0;
    }
    if (nx_read(buf[out], 0, d->result[0], d->out_bytes))
        return report(d->name);
    for (unsigned k = 0; k <= out; k++)
        nx_free(buf[k]);
    nx_program_free(program);
    return median(t);
}

// The few OpenCL calls used, with its types as the ABI has them (opaque pointers, 32-bit results).
static struct {
    int32_t (*get_platforms)(uint32_t, void **, uint32_t *);
    int32_t (*get_devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
    void *(*create_context)(const void *, uint32_t, void **, void *, void *, int32_t *);
    void *(*create_queue)(void *, void *, uint64_t, int32_t *);
    void *(*create_program)(void *, uint32_t, const char **, const size_t *, int32_t *);
    int32_t (*build)(void *, uint32_t, void **, const char *, void *, void *);
    void *(*create_kernel)(void *, const char *, int32_t *);
    void *(*create_buffer)(void *, uint64_t, size_t, void *, int32_t *);
    int32_t (*set_arg)(void *, uint32_t, size_t, const void *);
    int32_t (*launch)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,
                      void *, void *);
    int32_t (*read)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, void *, void *);
    int32_t (*finish)(void *);
    int32_t (*release_buffer)(void *);
} cl;
static void *cl_device, *cl_context, *cl_queue;
static const char *opencl_open(void)
{
    void *lib = dlopen("libOpenCL.so.1", RTLD_NOW), *platform;
    if (!lib)
        return "no libOpenCL.so.1";
    static const char *const name[] = {
        "clGetPlatformIDs",
        "clGetDeviceIDs",
        "clCreateContext",
        "clCreateCommandQueue",
        "clCreateProgramWithSource",
        "clBuildProgram",
        "clCreateKernel",
        "clCreateBuffer",
        "clSetKernelArg",
        "clEnqueueNDRangeKernel",
        "clEnqueueReadBuffer",
        "clFinish",
        "clReleaseMemObject",
    };
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
        if (!(((void **)&cl)[i] = dlsym(lib, name[i])))
            return "libOpenCL.so.1 lacks a call";
    int32_t e;
    if (cl.get_platforms(1, &platform, NULL) || cl.get_devices(platform, 2 /* CPU */, 1, &cl_device, NULL))
        return "OpenCL has no CPU device";
    cl_context = cl.create_context(NULL, 1, &cl_device, NULL, NULL, &e);
    cl_queue = cl_context ? cl.create_queue(cl_context, cl_device, 0, &e) : NULL;
    return cl_queue ? NULL : "OpenCL gives no queue";
}
static double run_opencl(struct demo *d)
{
    static char text[1 << 16];
    char path[64];
    const char *source = text;
    int32_t e = 0;
    double t[MAX_RUNS];
    unsigned n = 0, out = d->in_bytes ? 2 : 0;
    snprintf(path, sizeof path, "kernels/%s.cl", d->name);
    FILE *f = fopen(path, "r");
    size_t size = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    void *program = cl.create_program(cl_context, 1, &source, &size, &e), *kernel, *buf[3];
    if (e || cl.build(program, 1, &cl_device, "-cl-std=CL1.2", NULL, NULL) ||
        !(kernel = cl.create_kernel(program, d->name, &e)))
        return -1;
    for (unsigned k = 0; k <= out; k++) {
        buf[k] = k < out ? cl.create_buffer(cl_context, 1 << 5 /* copy */, d->in_bytes, input[k], &e)
                         : cl.create_buffer(cl_context, 1, d->out_bytes, NULL, &e);
        if (e || cl.set_arg(kernel, n++, sizeof buf[k], &buf[k]))
            return -1;
    }
    for (unsigned k = 0; k < d->values; k++)
        if (cl.set_arg(kernel, n++, 4, &d->value[k]))
            return -1;
    size_t items[3], block[3];
    for (int k = 0; k < 3; k++)
        items[k] = d->items[k], block[k] = d->block[k];
    for (unsigned r = 0; r <= runs; r++) { // the first run compiles
        double t0 = now_ms();
        if (cl.launch(cl_queue, kernel, 3, NULL, items, block, 0, NULL, NULL) || cl.finish(cl_queue))
            return -1;
        t[r ? r - 1 : 0] = now_ms() - t0;
    }
    if (cl.read(cl_queue, buf[out], 1, 0, d->out_bytes, d->result[1], 0, NULL, NULL))
        return -1;
    for (unsigned k = 0; k <= out; k++)
        cl.release_buffer(buf[k]);
    return median(t);
}

int main(int argc, char **argv)
{
    nx_device *dev;
    nx_queue *queue;
    if (argc > 1)
        runs = (unsigned)atoi(argv[1]);
    if (runs < 1 || runs > MAX_RUNS)
        return printf("usage: demos [RUNS 1..%d] [SELECTOR]\n", MAX_RUNS), 2;
    if (nx_device_open(argc > 2 ? argv[2] : "soft:gfx1100", &dev) || nx_queue_create(dev, &queue))
        return printf("%s\n", nx_error()), 77;
    const char *absent = opencl_open();
    if (absent)
        printf("OpenCL left out: %s\n", absent);
    for (int k = 0; k < 2; k++) {
        input[k] = malloc(VECTOR * 4);
        for (uint32_t i = 0; i < VECTOR; i++)
            input[k][i] = (float)((i * 2654435761u >> (8 + k)) % 1000) / 1000 - 0.5f;
    }
    int bad = 0;
    printf("%-12s %10s %10s %8s   median of %u\n", "kernel", "nxgpu ms", "PoCL ms", "ratio", runs);
    for (unsigned i = 0; i < sizeof demos / sizeof *demos; i++) {
        struct demo *d = &demos[i];
        for (int k = 0; k < 2; k++)
            d->result[k] = calloc(1, d->out_bytes);
        double ours = run_nxgpu(dev, queue, d), theirs = absent ? -1 : run_opencl(d);
        uint32_t differ = 0;
        for (uint32_t e = 0; theirs >= 0 && e < d->out_bytes / 4; e++)
            differ += memcmp(&d->result[0][e], &d->result[1][e], 4) != 0;
        if (ours < 0 || differ) {
            printf("%-12s %s (%u results differ)\n", d->name, ours < 0 ? "failed" : "wrong", differ);
            bad = 1;
        } else if (theirs < 0) {
            printf("%-12s %10.3f %10s\n", d->name, ours, "-");
        } else {
            printf("%-12s %10.3f %10.3f %8.2f\n", d->name, ours, theirs, theirs / ours);
        }
        free(d->result[0]);
        free(d->result[1]);
    }
    free(input[0]);
    free(input[1]);
    nx_queue_free(queue);
    nx_device_close(dev);
    return bad;
}
