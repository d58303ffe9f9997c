#include "engine/ops.h"
#include "base/err.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const struct lane_op_info lane_ops[OP_COUNT] = {
#define OP(name, cls, d, d2, s0, s1, s2, s3, exact)                                                          \
    [OP_##name] = {#name, LC_##cls, LT_##d, LT_##d2, {LT_##s0, LT_##s1, LT_##s2, LT_##s3}, exact},
#include "engine/ops.def"
#undef OP
};

#define TABLE(name) extern const struct lane_op_row OPS_TABLE_(name, base)[];
#include "engine/ops_tables.def"
#undef TABLE
static const struct lane_op_row *const tables_base[] = {
#define TABLE(name) OPS_TABLE_(name, base),
#include "engine/ops_tables.def"
#undef TABLE
};
#if defined(__x86_64__)
#define TABLE(name) extern const struct lane_op_row OPS_TABLE_(name, v3)[];
#include "engine/ops_tables.def"
#undef TABLE
static const struct lane_op_row *const tables_v3[] = {
#define TABLE(name) OPS_TABLE_(name, v3),
#include "engine/ops_tables.def"
#undef TABLE
};
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static lane_fn *fns[OP_COUNT][2]; /* width 32, width 64 */
static uint16_t by_name[OP_COUNT];

static int name_order(const void *a, const void *b)
{
    return strcmp(lane_ops[*(const uint16_t *)a].name, lane_ops[*(const uint16_t *)b].name);
}

/* x86-64-v3 or the plain variant; NXGPU_CPU=base|v3 overrides (for tests and comparisons). */
static const struct lane_op_row *const *tables(void)
{
#if defined(__x86_64__)
    const char *want = getenv("NXGPU_CPU");
    int v3 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (v3 && !(want && !strcmp(want, "base")))
        return tables_v3;
    if (want && strcmp(want, "base"))
        debug("engine", "NXGPU_CPU=%s is not available here: using base", want);
#endif
    return tables_base;
}

static void init(void)
{
    const struct lane_op_row *const *t = tables();
    for (unsigned i = 0; i < sizeof tables_base / sizeof *tables_base; i++)
        for (const struct lane_op_row *r = t[i]; r->fn32; r++) {
            fns[r->op][0] = r->fn32;
            fns[r->op][1] = r->fn64;
        }
    for (unsigned i = 0; i < OP_COUNT; i++)
        by_name[i] = (uint16_t)i;
    qsort(by_name, OP_COUNT, sizeof *by_name, name_order);
}

int lane_op_find(const char *name)
{
    pthread_once(&once, init);
    for (unsigned lo = 0, hi = OP_COUNT; lo < hi;) {
        unsigned mid = (lo + hi) / 2;
        int c = strcmp(name, lane_ops[by_name[mid]].name);
        if (!c)
            return by_name[mid];
        if (c < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return -1;
}

lane_fn *lane_op_fn(unsigned op, unsigned width)
{
    pthread_once(&once, init);
    return op < OP_COUNT && (width == 32 || width == 64) ? fns[op][width == 64] : NULL;
}
