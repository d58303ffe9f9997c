/* Writes the expected results of the corpus: runs each case's source on an OpenCL CPU device (PoCL). By hand,
 * see expect.sh.   expect DIR [NAME...]   DIR is test/corpus; NAME: only those kernels */
#include "test/corpus/case.h"
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { GUARD = 64 << 10 }; /* zeroed bytes after each buffer: a row too many shows */
static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static int check(cl_int e, const char *what)
{
    if (e)
        fprintf(stderr, "%s: OpenCL error %d\n", what, e);
    return e;
}
/* The source and -D options of an object, from the table `objects`. */
static int find_object(const char *dir, const char *name, char *source, char *options, size_t size)
{
    char path[512], line[512], n[64];
    snprintf(path, sizeof path, "%s/objects", dir);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        int at = 0;
        if (line[0] == '#' || sscanf(line, "%63s %63s %n", n, source, &at) != 2 || strcmp(n, name))
            continue;
        options[0] = 0;
        for (char *w = strtok(line + at, " \n"); w; w = strtok(NULL, " \n"))
            if (!strncmp(w, "-D", 2)) {
                strncat(options, w, size - strlen(options) - 2);
                strcat(options, " ");
            }
        fclose(f);
        return 0;
    }
    if (f)
        fclose(f);
    return -ENOENT;
}
static cl_program build(const char *dir, const char *source, const char *options)
{
    static char last[1024];
    static cl_program kept;
    char path[512], all[1024];
    snprintf(path, sizeof path, "%s/%s", dir, source);
    snprintf(all, sizeof all, "-w -cl-std=CL1.2 -I%s %s", dir, options);
    char key[1024];
    snprintf(key, sizeof key, "%.400s %.600s", path, all);
    if (kept && !strcmp(key, last))
        return kept;
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    static char text[1 << 20];
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    const char *p = text;
    cl_int e;
    cl_program prog = clCreateProgramWithSource(context, 1, &p, &n, &e);
    if (e || clBuildProgram(prog, 1, &device, all, NULL, NULL)) {
        clGetProgramBuildInfo(prog, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
        fprintf(stderr, "%s\n", text);
        return NULL;
    }
    if (kept)
        clReleaseProgram(kept);
    kept = prog;
    strcpy(last, key);
    return prog;
}
static int run_case(const char *dir, struct corpus_case *c)
{
    char source[64], options[256], all[512], first[128];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(c->objects, ","), c->objects);
    if (find_object(dir, first, source, options, sizeof options))
        return fprintf(stderr, "no object %s in the table\n", first), -1;
    snprintf(all, sizeof all, "%s%s", options, c->defines);
    cl_program prog = build(dir, source, all);
    cl_int e;
    cl_kernel k = prog ? clCreateKernel(prog, c->kernel, &e) : NULL;
    if (!k)
        return fprintf(stderr, "%s: no kernel\n", c->kernel), -1;
    cl_mem mem[CASE_ARGS] = {0};
    for (unsigned i = 0; i < c->args; i++) {
        struct case_arg *a = &c->arg[i];
        if (a->role <= ARG_OUT) {
            mem[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, a->size + GUARD, NULL, &e);
            e = clEnqueueFillBuffer(queue, mem[i], "", 1, a->size, GUARD, 0, NULL, NULL) ||
                clEnqueueWriteBuffer(queue, mem[i], CL_TRUE, 0, a->size, a->data, 0, NULL, NULL) ||
                clSetKernelArg(k, i, sizeof mem[i], &mem[i]);
        } else {
            e = clSetKernelArg(k, i, a->size, a->role == ARG_LOCAL ? NULL : a->bytes);
        }
        if (check(e, c->kernel))
            return fprintf(stderr, "argument %u\n", i), -1;
    }
    size_t items[3], block[3];
    for (int d = 0; d < 3; d++)
        items[d] = c->items[d], block[d] = c->defines[0] ? 1 : c->block[d];
    if (check(clEnqueueNDRangeKernel(queue, k, 3, NULL, items, block, 0, NULL, NULL), c->kernel) ||
        check(clFinish(queue), c->kernel))
        return -1;
    char path[512];
    snprintf(path, sizeof path, "%s/want/%s%s.bin", dir, c->kernel, c->tag);
    FILE *f = fopen(path, "wb");
    if (!f)
        return perror(path), -1;
    for (unsigned i = 0; i < c->args; i++) {
        struct case_arg *a = &c->arg[i];
        if (a->role == ARG_IO || a->role == ARG_OUT) {
            clEnqueueReadBuffer(queue, mem[i], CL_TRUE, 0, a->size, a->data, 0, NULL, NULL);
            fwrite(a->data, 1, a->size, f);
        }
        if (mem[i]) {
            static uint8_t guard[GUARD];
            clEnqueueReadBuffer(queue, mem[i], CL_TRUE, a->size, GUARD, guard, 0, NULL, NULL);
            for (unsigned g = 0; g < GUARD; g++)
                if (guard[g])
                    return fprintf(stderr, "%s: argument %u: byte %u past its end is written\n", c->kernel, i,
                                   g),
                           -1;
            clReleaseMemObject(mem[i]);
        }
    }
    clReleaseKernel(k);
    return fclose(f);
}
int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_int e;
    char path[512], line[2048];
    if (argc < 2 || clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, NULL))
        return fprintf(stderr, "usage: expect DIR [NAME...]; needs an OpenCL CPU device\n"), 2;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    queue = clCreateCommandQueue(context, device, 0, &e);
    snprintf(path, sizeof path, "%s/cases", argv[1]);
    FILE *f = fopen(path, "r");
    unsigned bad = 0, good = 0, number = 0;
    while (f && fgets(line, sizeof line, f)) {
        static struct corpus_case c;
        number++;
        int r = case_parse(&c, line), wanted = argc == 2;
        if (r == 0)
            continue;
        for (int i = 2; i < argc; i++)
            wanted |= !strcmp(argv[i], c.kernel);
        if (r < 0) {
            fprintf(stderr, "line %u: not a case\n", number);
            bad++;
        } else if (wanted) {
            r = case_generate(&c) || run_case(argv[1], &c);
            case_free(&c);
            bad += r != 0, good += r == 0;
        }
    }
    printf("%u written, %u failed\n", good, bad);
    return bad != 0;
}
