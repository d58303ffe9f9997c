/* nxgpu run: one kernel of a code object, its arguments from the command line. */
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "tools/args.h"
#include "tools/tools.h"
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: nxgpu run [--device SEL] [--kernel NAME] (--grid X[,Y[,Z]] | --items X[,Y[,Z]]) --block "
    "X[,Y[,Z]]\n"
    "                 [--shared BYTES] [--repeat N] [--time] [--timeout SECONDS] [--json] FILE [ARG ...]\n"
    "grid counts work-groups, items work-items (the last work-group of a dimension may be partial).\n";
static const char exits[] = "Exit: 0, 1 failed, 2 usage, 77 no such device.\n";

struct run {
    const char *device, *kernel_name, *file;
    struct nx_launch launch;
    uint64_t repeat, timeout_ns;
    int time, json;
    struct arg *args;
    unsigned arg_count;
    double *ms; /* of each run */
};

/* ---- the command line ---- */

static int parse3(const char *option, const char *text, uint32_t out[3])
{
    const char *at = text;
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long long v = strtoull(at, &end, 0);
        if (end == at || *at == '-' || v > UINT32_MAX || errno)
            break;
        out[i] = (uint32_t)v;
        at = end + 1;
        if (!*end) {
            while (++i < 3)
                out[i] = 1;
            return 0;
        }
        if (*end != ',')
            break;
    }
    return fail(-EINVAL, "--%s %s: expected X, X,Y or X,Y,Z", option, text);
}

static int parse_option(struct run *r, int c, const char *text)
{
    uint64_t v;
    char *end;
    switch (c) {
    case 'd':
        r->device = text;
        return 0;
    case 'k':
        r->kernel_name = text;
        return 0;
    case 'g':
        return parse3("grid", text, r->launch.grid);
    case 'i':
        return parse3("items", text, r->launch.items);
    case 'b':
        return parse3("block", text, r->launch.block);
    case 's':
        if (parse_size(text, &v) || v > UINT32_MAX)
            return fail(-EINVAL, "--shared %s: expected bytes", text);
        r->launch.shared = (uint32_t)v;
        return 0;
    case 'r':
        if (parse_size(text, &r->repeat) || !r->repeat || r->repeat > 1000000)
            return fail(-EINVAL, "--repeat %s: expected 1 to 1000000", text);
        return 0;
    case 't':
        r->time = 1;
        return 0;
    case 'o': {
        double s = strtod(text, &end);
        if (end == text || *end || !(s >= 0) || s > 1e9)
            return fail(-EINVAL, "--timeout %s: expected seconds", text);
        r->timeout_ns = (uint64_t)(s * 1e9);
        return 0;
    }
    case 'j':
        r->json = 1;
        return 0;
    default:
        return fail(-EINVAL, "see above");
    }
}

/* 0, -EINVAL: usage. What the kernel itself refuses (a zero grid) is left to it. */
static int parse(struct run *r, int argc, char **argv)
{
    static const struct option options[] = {
        {"device", 1, 0, 'd'},  {"kernel", 1, 0, 'k'}, {"grid", 1, 0, 'g'},   {"items", 1, 0, 'i'},
        {"block", 1, 0, 'b'},   {"shared", 1, 0, 's'}, {"repeat", 1, 0, 'r'}, {"time", 0, 0, 't'},
        {"timeout", 1, 0, 'o'}, {"json", 0, 0, 'j'},   {0, 0, 0, 0},
    };
    int c, rc, grids = 0, blocks = 0;
    *r = (struct run){.launch.size = sizeof r->launch, .repeat = 1, .timeout_ns = NX_FOREVER};
    optind = 1;
    while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
        grids += c == 'g' || c == 'i';
        blocks += c == 'b';
        if ((rc = parse_option(r, c, optarg)))
            return rc;
    }
    if (grids != 1 || blocks != 1)
        return fail(-EINVAL, "expected one of --grid and --items, and --block");
    if (optind >= argc)
        return fail(-EINVAL, "expected a FILE");
    r->file = argv[optind++];
    r->arg_count = (unsigned)(argc - optind);
    if (!(r->args = mem_array(r->arg_count, sizeof *r->args)) ||
        !(r->ms = mem_array(r->repeat, sizeof *r->ms)))
        return -ENOMEM;
    for (unsigned i = 0; i < r->arg_count; i++)
        if ((rc = arg_parse(argv[optind + (int)i], &r->args[i])))
            return rc;
    return 0;
}

/* ---- the run ---- */

static int check_args(struct run *r, nx_kernel *k, const struct nx_kernel_info *info)
{
    struct nx_arg_info p = {.size = sizeof p};
    int rc;
    if (r->arg_count != info->arg_count)
        return fail(-EINVAL, "%s takes %u arguments, %u given", info->name, info->arg_count, r->arg_count);
    for (unsigned i = 0; i < r->arg_count; i++)
        if ((rc = nx_kernel_arg(k, i, &p)) || (rc = arg_check(&r->args[i], i, &p)))
            return rc;
    return 0;
}

/* Waits in steps of a second and says so on stderr after each. */
static int wait_with_progress(const struct run *r, nx_queue *q, const char *name, uint64_t run)
{
    enum { SECOND = 1000000000 };
    uint64_t left = r->timeout_ns;
    for (unsigned seconds = 1;; seconds++) {
        uint64_t step = left < SECOND ? left : SECOND;
        int rc = nx_queue_wait_idle(q, step);
        if (rc != -ETIMEDOUT)
            return rc;
        if (left != NX_FOREVER && !(left -= step))
            return fail_in(rc, "%s has not ended within %.3f s", name, (double)r->timeout_ns / 1e9);
        fprintf(stderr, "nxgpu: %s is running, run %" PRIu64 " of %" PRIu64 ", %u s\n", name, run + 1,
                r->repeat, seconds);
    }
}

static int one_run(struct run *r, nx_queue *q, nx_kernel *k, const char *name, nx_buffer *stamps,
                   double timer_hz, uint64_t run)
{
    uint64_t t[2];
    int rc;
    if ((rc = nx_timestamp(q, stamps, 0)) || (rc = nx_launch(q, k, &r->launch)) ||
        (rc = nx_timestamp(q, stamps, 8)) || (rc = wait_with_progress(r, q, name, run)) ||
        (rc = nx_read(stamps, 0, t, sizeof t)))
        return rc;
    r->ms[run] = (double)(t[1] - t[0]) / timer_hz * 1e3;
    return 0;
}

static int run_all(struct run *r, nx_device *d, nx_kernel *k, const char *name)
{
    struct nx_device_info info = {.size = sizeof info};
    nx_queue *q = NULL;
    nx_buffer *stamps = NULL;
    const void **values = mem_array(r->arg_count, sizeof *values);
    int rc = values ? 0 : -ENOMEM;
    for (unsigned i = 0; !rc && i < r->arg_count; i++) {
        rc = arg_upload(d, &r->args[i]);
        values[i] = r->args[i].value;
    }
    r->launch.args = values;
    r->launch.arg_count = r->arg_count;
    if (rc || (rc = nx_device_describe(d, &info)) || (rc = nx_queue_create(d, &q)) ||
        (rc = nx_alloc(d, 16, NX_HOST, &stamps)))
        goto out;
    for (uint64_t i = 0; !rc && i < r->repeat; i++)
        rc = one_run(r, q, k, name, stamps, (double)info.timer_hz, i);
    for (unsigned i = 0; !rc && i < r->arg_count; i++)
        rc = arg_save(&r->args[i]);
out:
    nx_queue_free(q);
    nx_free(stamps);
    mem_free(values);
    return rc;
}

/* ---- what it says ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void json3(struct json *j, const char *key, const uint32_t v[3])
{
    json_array(j, key);
    for (int i = 0; i < 3; i++)
        json_u64(j, NULL, v[i]);
    json_close(j);
}

static void report(struct run *r, nx_device *d, const struct nx_kernel_info *k)
{
    struct nx_device_info info = {.size = sizeof info};
    const struct nx_launch *l = &r->launch;
    nx_device_describe(d, &info);
    qsort(r->ms, r->repeat, sizeof *r->ms, by_value);
    double min = r->ms[0], median = r->ms[r->repeat / 2], max = r->ms[r->repeat - 1];
    if (!r->json) {
        if (r->time)
            printf("%s on %s: %.6f ms median of %" PRIu64 " (min %.6f, max %.6f)\n", k->name, info.selector,
                   median, r->repeat, min, max);
        return;
    }
    uint32_t grid[3];
    for (int i = 0; i < 3; i++)
        grid[i] = l->grid[i] ? l->grid[i] : (l->items[i] - 1) / l->block[i] + 1;
    struct json j = json_begin(stdout);
    json_object(&j, NULL);
    json_u64(&j, "version", 1);
    json_str(&j, "device", info.selector);
    json_str(&j, "target", info.target);
    json_str(&j, "file", r->file);
    json_str(&j, "kernel", k->name);
    json3(&j, "grid", grid);
    if (l->items[0])
        json3(&j, "items", l->items);
    json3(&j, "block", l->block);
    json_object(&j, "kernel_ms");
    json_f64(&j, "min", min);
    json_f64(&j, "median", median);
    json_f64(&j, "max", max);
    json_u64(&j, "runs", r->repeat);
    json_close(&j);
    json_array(&j, "outputs");
    for (unsigned i = 0; i < r->arg_count; i++)
        if (r->args[i].save) {
            json_object(&j, NULL);
            json_str(&j, "path", r->args[i].save);
            json_u64(&j, "bytes", r->args[i].bytes);
            json_close(&j);
        }
    json_end(&j);
}

static int execute(struct run *r)
{
    nx_device *d = NULL;
    nx_program *p = NULL;
    nx_kernel *k;
    struct nx_kernel_info info = {.size = sizeof info};
    int rc = nx_device_open(r->device, &d);
    if (rc == -ENODEV) {
        fprintf(stderr, "nxgpu run: %s\n", nx_error());
        return 77;
    }
    if (!rc && !(rc = nx_program_load_file(d, r->file, &p)) &&
        !(rc = nx_program_kernel(p, r->kernel_name, &k)) && !(rc = nx_kernel_describe(k, &info)) &&
        !(rc = check_args(r, k, &info)) && !(rc = run_all(r, d, k, info.name)))
        report(r, d, &info);
    if (rc)
        fprintf(stderr, "nxgpu run: %s\n", nx_error());
    for (unsigned i = 0; i < r->arg_count; i++) {
        nx_free(r->args[i].buffer);
        r->args[i].buffer = NULL;
    }
    nx_program_free(p);
    nx_device_close(d);
    return rc != 0;
}

int tool_run(int argc, char **argv)
{
    struct run r;
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        printf("%s%s%s", usage, args_usage, exits);
        return 0;
    }
    int rc = parse(&r, argc, argv), status;
    if (rc) {
        fprintf(stderr, "nxgpu run: %s\n", fail_text());
        if (rc == -EINVAL)
            fprintf(stderr, "%s%s%s", usage, args_usage, exits);
        status = rc == -EINVAL ? 2 : 1;
    } else {
        status = execute(&r);
    }
    if (r.args)
        args_free(r.args, r.arg_count);
    mem_free(r.args);
    mem_free(r.ms);
    return status;
}
