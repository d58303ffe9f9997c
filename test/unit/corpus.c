// The kernel corpus on the device NXGPU_DEVICE, else soft:gfx1100: every line of test/corpus/cases, each with
// every code object it names, compared with test/corpus/want. Outside witness: the expected results are those
// of PoCL (CPU) for the same sources. CORPUS=SUBSTRING runs only cases whose "KERNEL OBJECT" contains it;
// CORPUS_VERBOSE=1 also prints the worst distance of each float result.
#include "test/corpus/case.h"
#include <nxgpu.h>
#include <time.h>
#include <unistd.h>

#define DIR_ "test/corpus/"
enum { PROGRAMS = 64, GUARD = 256 };
static nx_device *dev;
static nx_queue *queue;
static struct {
    char name[64];
    nx_program *program;
    char refused[256]; // why it does not load
} loaded[PROGRAMS];
static unsigned loaded_count, failed;

static void device_close(void)
{
    for (unsigned i = 0; i < loaded_count; i++)
        nx_program_free(loaded[i].program);
    loaded_count = 0;
    nx_queue_free(queue);
    nx_device_close(dev);
    queue = NULL;
    dev = NULL;
}
static int device_open(void)
{
    const char *sel = getenv("NXGPU_DEVICE");
    int r = nx_device_open(sel ? sel : "soft:gfx1100", &dev);
    if (!r)
        r = nx_queue_create(dev, &queue);
    return r;
}
static nx_program *program(const char *object, const char **refused)
{
    unsigned i = 0;
    while (i < loaded_count && strcmp(loaded[i].name, object))
        i++;
    if (i == PROGRAMS)
        return NULL;
    if (i == loaded_count) {
        char path[256];
        snprintf(path, sizeof path, DIR_ "obj/%s.hsaco", object);
        snprintf(loaded[i].name, sizeof loaded[i].name, "%s", object);
        loaded[i].program = NULL;
        loaded[i].refused[0] = 0;
        if (nx_program_load_file(dev, path, &loaded[i].program))
            snprintf(loaded[i].refused, sizeof loaded[i].refused, "%s", nx_error());
        loaded_count++;
    }
    *refused = loaded[i].refused;
    return loaded[i].program;
}

// Expected arrays of the case, one after the other; NULL when the file is missing or of the wrong size.
static uint8_t *read_want(const struct corpus_case *c)
{
    char path[256];
    size_t size = 0;
    for (unsigned k = 0; k < c->args; k++)
        if (c->arg[k].role == ARG_IO || c->arg[k].role == ARG_OUT)
            size += c->arg[k].size;
    snprintf(path, sizeof path, DIR_ "want/%s%s.bin", c->kernel, c->tag);
    FILE *f = fopen(path, "rb");
    uint8_t *w = malloc(size + 1);
    if (f && w && fread(w, 1, size + 1, f) == size) {
        fclose(f);
        return w;
    }
    if (f)
        fclose(f);
    free(w);
    return NULL;
}
static void print_element(const char *type, const uint8_t *at)
{
    uint64_t v = 0;
    memcpy(&v, at, type_width(type));
    if (strchr("fb", type[0]))
        printf("%.9g (0x%llx)", float_get(type, at), (unsigned long long)v);
    else
        printf("0x%llx", (unsigned long long)v);
}
static int compare_all(struct corpus_case *c, uint8_t *want)
{
    for (unsigned k = 0; k < c->args; k++) {
        struct case_arg *a = &c->arg[k];
        double worst;
        if (a->role != ARG_IO && a->role != ARG_OUT)
            continue;
        int64_t at = case_compare(a, want, &worst);
        if (getenv("CORPUS_VERBOSE") && worst > 0)
            printf("  %s argument %u: worst distance %.3g ulp\n", c->kernel, k, worst);
        if (at >= 0) {
            unsigned rows = 1, bad = 0;
            for (const char *p = a->cmp; *p; p++)
                rows += *p == ',';
            for (uint32_t i = 0; i < a->count; i++)
                bad += memcmp(a->data + (size_t)i * a->width, want + (size_t)i * a->width, a->width) != 0;
            printf("  argument %u, element %lld of %u (row %lld of rule %s): got ", k, (long long)at,
                   a->count, (long long)(at * rows / a->count), a->cmp);
            print_element(a->type, a->data + (size_t)at * a->width);
            printf(", expected ");
            print_element(a->type, want + (size_t)at * a->width);
            printf(", %.3g ulp; %u elements differ in some bit\n", worst, bad);
            return -EBADMSG;
        }
        want += a->size;
    }
    return 0;
}
// Buffers, launch, wait, results back into the case's arrays. 0 or a negative errno with nx_error() set.
static int launch(struct corpus_case *c, nx_kernel *kernel)
{
    nx_buffer *buf[CASE_ARGS] = {0};
    uint64_t va[CASE_ARGS];
    const void *args[CASE_ARGS] = {0};
    static const uint8_t guard[GUARD];
    uint8_t after[GUARD];
    int r = 0, stray = 0;
    for (unsigned k = 0; k < c->args && !r; k++) {
        struct case_arg *a = &c->arg[k];
        args[k] = a->role == ARG_LOCAL ? (void *)&a->size : a->bytes;
        if (a->role <= ARG_OUT) {
            r = nx_alloc(dev, a->size + GUARD, NX_DEVICE, &buf[k]);
            if (!r)
                r = nx_write(buf[k], 0, a->data, a->size);
            if (!r)
                r = nx_write(buf[k], a->size, guard, GUARD);
            va[k] = r ? 0 : nx_buffer_va(buf[k]);
            args[k] = &va[k];
        }
    }
    struct nx_launch l = {.size = sizeof l, .args = args, .arg_count = c->args};
    memcpy(l.items, c->items, sizeof l.items);
    memcpy(l.block, c->block, sizeof l.block);
    if (!r)
        r = nx_launch(queue, kernel, &l);
    if (!r)
        r = nx_queue_wait_idle(queue, 20ull * 1000000000);
    for (unsigned k = 0; k < c->args; k++) {
        struct case_arg *a = &c->arg[k];
        if (!r && (a->role == ARG_IO || a->role == ARG_OUT))
            r = nx_read(buf[k], 0, a->data, a->size);
        if (!r && a->role <= ARG_OUT)
            r = nx_read(buf[k], a->size, after, GUARD);
        if (!r && a->role <= ARG_OUT && memcmp(after, guard, GUARD)) {
            printf("  argument %u: bytes past its end are written\n", k);
            stray = -EFAULT;
        }
    }
    if (r) // text first: freeing may fail as well
        printf("  %s\n", nx_error());
    for (unsigned k = 0; k < c->args; k++)
        nx_free(buf[k]);
    if (r) // a faulted or hanging device is of no more use: the next case opens a fresh one
        device_close();
    return r ? r : stray;
}
static void run_one(struct corpus_case *c, const char *object)
{
    const char *refused = "";
    nx_kernel *kernel;
    struct timespec t0, t1;
    uint8_t *want = read_want(c);
    int r = want ? 0 : -ENOENT;
    if (!want)
        printf("  " DIR_ "want/%s%s.bin: missing or of the wrong size\n", c->kernel, c->tag);
    if (!r && !dev && (r = device_open()))
        printf("  %s\n", nx_error());
    nx_program *p = r ? NULL : program(object, &refused);
    if (!r && !p) {
        int compressed = strstr(object, "ccob") != NULL;
        printf("%s - corpus %s%s %s: %s\n", compressed ? "skip" : "not ok", c->kernel, c->tag, object,
               refused);
        failed += !compressed;
        free(want);
        return;
    }
    if (!r && (r = nx_program_kernel(p, c->kernel, &kernel)))
        printf("  %s\n", nx_error());
    if (!r && (r = case_generate(c)))
        printf("  out of memory\n");
    clock_gettime(CLOCK_MONOTONIC, &t0);
    if (!r)
        r = launch(c, kernel);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    if (!r)
        r = compare_all(c, want);
    printf("%s - corpus %s%s %s\n", r ? "not ok" : "ok", c->kernel, c->tag, object);
    if (getenv("CORPUS_VERBOSE"))
        printf("  %.2f ms\n", (t1.tv_sec - t0.tv_sec) * 1e3 + (t1.tv_nsec - t0.tv_nsec) / 1e6);
    fflush(stdout);
    failed += r != 0;
    case_free(c);
    free(want);
}
int main(void)
{
    static char line[4096];
    static struct corpus_case c;
    const char *only = getenv("CORPUS");
    if (device_open()) {
        printf("skip - corpus: %s\n", nx_error());
        return 77;
    }
    FILE *f = fopen(DIR_ "cases", "r");
    if (!f) {
        printf("not ok - corpus: cannot open " DIR_ "cases (run from the repository)\n");
        return 1;
    }
    for (unsigned number = 1; fgets(line, sizeof line, f); number++) {
        int r = case_parse(&c, line);
        if (r < 0) {
            printf("not ok - corpus cases:%u: not a case\n", number);
            failed++;
        }
        char *save = NULL;
        for (char *o = r > 0 ? strtok_r(c.objects, ",", &save) : NULL; o; o = strtok_r(NULL, ",", &save)) {
            char id[256];
            snprintf(id, sizeof id, "%s%s %s", c.kernel, c.tag, o);
            if (!only || strstr(id, only))
                run_one(&c, o);
        }
    }
    fclose(f);
    device_close();
    return failed != 0;
}
