#include "hw/nv/qmd.h"
#include "base/bits.h"
#include "base/err.h"

static const struct {
    const char *name;
    struct qmd_place at[QMD_VERSIONS];
} fields[QMD_FIELDS] = {
#define EACH(first, last, hi, lo, n, step) [QMD_##first... QMD_##last] = {hi, lo, n, step},
#define AT(first, last, hi, lo)            EACH(first, last, hi, lo, 1, 0)
#define QMD(name, places)                  [QMD_##name] = {#name, {places}},
#include "hw/nv/qmd.def"
};

const struct qmd_place *qmd_place(enum qmd_version v, enum qmd_field f)
{
    return &fields[f].at[v];
}

const char *qmd_field_name(enum qmd_field f)
{
    return fields[f].name;
}

const char *qmd_version_name(enum qmd_version v)
{
    static const char *const names[] = {"V02_03", "V02_04", "V03_00 (GA100)", "V03_00",
                                        "V04_00", "V04_01", "V05_00",         "V05_01"};
    return names[v];
}

unsigned qmd_dwords(enum qmd_version v)
{
    return v < QMD_V04_00 ? 64 : 96;
}

/* Fields are at most 64 bits and may cross a dword. */
uint64_t qmd_get(enum qmd_version v, const uint32_t *q, enum qmd_field f, unsigned i)
{
    const struct qmd_place *p = qmd_place(v, f);
    unsigned lo = p->lo + i * p->stride, dw = lo / 32;
    if (i >= p->count)
        return 0;
    uint64_t pair = q[dw] | (uint64_t)(dw + 1 < qmd_dwords(v) ? q[dw + 1] : 0) << 32;
    return bits(pair, lo % 32 + (p->hi - p->lo), lo % 32);
}

int qmd_set(enum qmd_version v, uint32_t *q, enum qmd_field f, unsigned i, uint64_t value)
{
    const struct qmd_place *p = qmd_place(v, f);
    unsigned lo = p->lo + i * p->stride, dw = lo / 32;
    uint64_t mask = ~0ull >> (63 - (p->hi - p->lo));
    if (i >= p->count)
        return fail(-ENOENT, "QMD %s has no %s[%u]", qmd_version_name(v), fields[f].name, i);
    if (value & ~mask)
        return fail(-ERANGE, "QMD %s: %s[%u] = 0x%llx is over the field's largest, 0x%llx",
                    qmd_version_name(v), fields[f].name, i, (unsigned long long)value,
                    (unsigned long long)mask);
    q[dw] = (q[dw] & ~(uint32_t)(mask << lo % 32)) | (uint32_t)(value << lo % 32);
    if (mask << lo % 32 >> 32)
        q[dw + 1] = (q[dw + 1] & ~(uint32_t)(mask << lo % 32 >> 32)) | (uint32_t)(value << lo % 32 >> 32);
    return 0;
}

uint32_t qmd_unknown(enum qmd_version v, const uint32_t *q, unsigned i)
{
    uint32_t known = 0;
    for (unsigned f = 0; f < QMD_FIELDS; f++) {
        const struct qmd_place *p = qmd_place(v, f);
        for (unsigned k = 0; k < p->count; k++) {
            unsigned lo = p->lo + k * p->stride, hi = p->hi + k * p->stride;
            for (unsigned b = lo; b <= hi && hi / 32 >= i && lo / 32 <= i; b++)
                known |= b / 32 == i ? 1u << b % 32 : 0;
        }
    }
    return q[i] & ~known;
}

/* The version stands at 583:576 until 4 and at 471:464 from 5 on, minor below major. */
int qmd_version_of(const uint32_t *q, unsigned dwords, uint32_t set)
{
    static const uint8_t numbers[QMD_VERSIONS] = {0x23, 0x24, 0x30, 0x30, 0x40, 0x41, 0x50, 0x51};
    char expected[64] = "";
    size_t n = 0;
    for (int v = QMD_VERSIONS - 1; v >= 0; v--) {
        if (!(set >> v & 1))
            continue;
        uint32_t says = v < QMD_V05_00 ? q[18] & 0xff : q[14] >> 16 & 0xff;
        if (dwords >= qmd_dwords(v) && says == numbers[v])
            return v;
        n += (size_t)snprintf(expected + n, sizeof expected - n, "%s%u.%u", n ? ", " : "", numbers[v] >> 4,
                              numbers[v] & 15);
    }
    return fail(-EINVAL,
                "QMD of %u dwords says version %u.%u (or, where version 5 keeps it, %u.%u): expected %s",
                dwords, q[18] >> 4 & 15, q[18] & 15, q[14] >> 20 & 15, q[14] >> 16 & 15, expected);
}

/* ---- struct qmd_launch ---- */

/* A number under the names that versions give it: in units of 1 << shift, in one field or (up >= 0) two of
 * which the lower has 32 bits. */
struct name {
    int low, up;
    unsigned shift;
};
#define ONE(f)                                                                                               \
    {                                                                                                        \
        {                                                                                                    \
            QMD_##f, -1, 0                                                                                   \
        }                                                                                                    \
    }
#define NAMES 3
typedef struct name names[NAMES]; /* the first that a version has counts; unused ones are all 0 */

static const names program = {{QMD_program_address_lower, QMD_program_address_upper, 0},
                              {QMD_program_address_lower_shifted4, QMD_program_address_upper_shifted4, 4}};
static const names grid[3] = {{{QMD_cta_raster_width, -1, 0}, {QMD_grid_width, -1, 0}},
                              {{QMD_cta_raster_height, -1, 0}, {QMD_grid_height, -1, 0}},
                              {{QMD_cta_raster_depth, -1, 0}, {QMD_grid_depth, -1, 0}}};
static const names block[3] = {ONE(cta_thread_dimension0), ONE(cta_thread_dimension1),
                               ONE(cta_thread_dimension2)};
static const names cluster[3] = {ONE(gpc_cga_width), ONE(gpc_cga_height), ONE(gpc_cga_depth)};
/* Turing has register_count too, of 8 bits; the 9-bit field is the one that counts */
static const names registers = {{QMD_register_count_v, -1, 0}, {QMD_register_count, -1, 0}};
static const names shared = {{QMD_shared_memory_size, -1, 0}, {QMD_shared_memory_size_shifted7, -1, 7}};
static const names local_low = {{QMD_shader_local_memory_low_size, -1, 0},
                                {QMD_shader_local_memory_low_size_shifted4, -1, 4}};
static const names local_high = {{QMD_shader_local_memory_high_size, -1, 0},
                                 {QMD_shader_local_memory_high_size_shifted4, -1, 4}};
static const names bank_va = {
    {QMD_constant_buffer_addr_lower, QMD_constant_buffer_addr_upper, 0},
    {QMD_constant_buffer_addr_lower_shifted6, QMD_constant_buffer_addr_upper_shifted6, 6}};
static const names bank_size = {{QMD_constant_buffer_size_shifted4, -1, 4}};
#define RELEASE(n)                                                                                           \
    {                                                                                                        \
        .va = {{QMD_release##n##_address_lower, QMD_release##n##_address_upper, 0},                          \
               {QMD_release_semaphore##n##_addr_lower, QMD_release_semaphore##n##_addr_upper, 0}},           \
        .payload = {{QMD_release##n##_payload_lower, QMD_release##n##_payload_upper, 0},                     \
                    {QMD_release_semaphore##n##_payload_lower, QMD_release_semaphore##n##_payload_upper, 0}, \
                    OLD_PAYLOAD##n},                                                                         \
        .flags = {                                                                                           \
            {QMD_release##n##_enable, QMD_release_enable, OLD_ENABLE##n},                                    \
            {QMD_release##n##_structure_size, QMD_release_structure_size, -1},                               \
            {QMD_release##n##_payload64b, QMD_release_payload64b, -1},                                       \
            {QMD_release##n##_membar_type, QMD_release_membar_type, -1},                                     \
            {QMD_release##n##_reduction_enable, QMD_release_reduction_enable, -1},                           \
            {QMD_release##n##_reduction_op, QMD_release_reduction_op, -1},                                   \
            {QMD_release##n##_reduction_format, QMD_release_reduction_format, -1},                           \
            {QMD_release##n##_trap_type, QMD_release_trap_type, QMD_release##n##_non_blocking_intr_type}},   \
    }
#define OLD_PAYLOAD0                                                                                         \
    {                                                                                                        \
        QMD_release0_payload, -1, 0                                                                          \
    }
#define OLD_PAYLOAD1                                                                                         \
    {                                                                                                        \
        QMD_release1_payload, -1, 0                                                                          \
    }
#define OLD_PAYLOAD2                                                                                         \
    {                                                                                                        \
        0, 0, 0                                                                                              \
    }
#define OLD_ENABLE0 QMD_semaphore_release_enable0
#define OLD_ENABLE1 QMD_semaphore_release_enable1
#define OLD_ENABLE2 -1
enum { RELEASE_FLAGS = 8 };
static const struct {
    names va, payload;
    int flags[RELEASE_FLAGS]
             [3]; /* in the order of struct qmd_launch; the second name is an array over releases */
} releases[3] = {RELEASE(0), RELEASE(1), RELEASE(2)};
static const struct {
    int pointer[2], enable[3], action[3], prefetch[2];
} dependents[2] = {{{QMD_dependent_qmd0_pointer, QMD_dependent_qmd_pointer},
                    {QMD_dependent_qmd0_enable, QMD_dependent_qmd_enable, QMD_dependent_qmd_schedule_enable},
                    {QMD_dependent_qmd0_action, QMD_dependent_qmd_action, -1},
                    {QMD_dependent_qmd0_prefetch, QMD_dependent_qmd_prefetch}},
                   {{QMD_dependent_qmd1_pointer, -1},
                    {QMD_dependent_qmd1_enable, QMD_dependent_qmd_enable, -1},
                    {QMD_dependent_qmd1_action, QMD_dependent_qmd_action, -1},
                    {QMD_dependent_qmd1_prefetch, QMD_dependent_qmd_prefetch}}};
static const enum qmd_field caches[6] = {
    QMD_invalidate_texture_header_cache, QMD_invalidate_texture_sampler_cache,
    QMD_invalidate_texture_data_cache,   QMD_invalidate_shader_data_cache,
    QMD_invalidate_instruction_cache,    QMD_invalidate_shader_constant_cache};

/* A pass over the struct in one direction; the first failure sticks. */
struct pass {
    enum qmd_version v;
    uint32_t *q;
    int packing, err;
};

static void single(struct pass *p, enum qmd_field f, unsigned i, uint64_t *value)
{
    if (!p->packing)
        *value = qmd_get(p->v, p->q, f, i);
    else if (!p->err && (*value || qmd_has(p->v, f)))
        p->err = qmd_set(p->v, p->q, f, i, *value);
}

static void number(struct pass *p, const names *all, unsigned i, uint64_t *value)
{
    const struct name *n = *all;
    for (unsigned k = 0; k + 1 < NAMES && !qmd_has(p->v, n->low) && (n[1].low || n[1].up); k++)
        n++;
    uint64_t unit = 1ull << n->shift, units = *value >> n->shift, low = lo32(units), up = units >> 32;
    if (p->packing && !p->err && *value % unit)
        p->err = fail(-ERANGE, "QMD %s: %s of 0x%llx: expected a multiple of %llu", qmd_version_name(p->v),
                      fields[n->low].name, (unsigned long long)*value, (unsigned long long)unit);
    if (n->up < 0) {
        single(p, n->low, i, &units);
    } else {
        single(p, n->low, i, &low);
        single(p, n->up, i, &up);
        units = low | up << 32;
    }
    if (!p->packing)
        *value = units << n->shift;
}

static void number32(struct pass *p, const names *all, unsigned i, uint32_t *value)
{
    uint64_t wide = *value;
    number(p, all, i, &wide);
    *value = (uint32_t)wide;
}

static void field32(struct pass *p, enum qmd_field f, uint32_t *value)
{
    uint64_t wide = *value;
    single(p, f, 0, &wide);
    *value = (uint32_t)wide;
}

/* One of several names; an array (count > 1) is indexed by i, anything else by 0. None there: only 0 may be
 * packed. */
static void flag(struct pass *p, const int *choice, unsigned n, unsigned i, uint8_t *value)
{
    uint64_t wide = *value;
    unsigned k = 0;
    while (k + 1 < n && choice[k + 1] >= 0 && !qmd_has(p->v, choice[k]))
        k++;
    if (p->packing && k == 1 && i && qmd_place(p->v, choice[k])->count == 1)
        return; /* version 2 has one membar_type for both releases: the first one's */
    single(p, choice[k], qmd_place(p->v, choice[k])->count > 1 ? i : 0, &wide);
    *value = (uint8_t)wide;
}

static void launch(struct pass *p, struct qmd_launch *l)
{
    number(p, &program, 0, &l->program);
    for (unsigned i = 0; i < 3; i++) {
        number32(p, &grid[i], 0, &l->grid[i]);
        number32(p, &block[i], 0, &l->block[i]);
        number32(p, &cluster[i], 0, &l->cluster[i]);
    }
    number32(p, &registers, 0, &l->registers);
    number32(p, &shared, 0, &l->shared);
    number32(p, &local_low, 0, &l->local_low);
    number32(p, &local_high, 0, &l->local_high);
    field32(p, QMD_barrier_count, &l->barriers);
    field32(p, QMD_sass_version, &l->sass_version);
    field32(p, QMD_qmd_group_id, &l->group);
    field32(p, QMD_min_sm_config_shared_mem_size, &l->smem_min);
    field32(p, QMD_max_sm_config_shared_mem_size, &l->smem_max);
    field32(p, QMD_target_sm_config_shared_mem_size, &l->smem_target);
    field32(p, QMD_cwd_membar_type, &l->membar);
    field32(p, QMD_api_visible_call_limit, &l->no_call_limit);
    field32(p, QMD_sampler_index, &l->sampler_index);
    for (unsigned i = 0; i < ARRAY_LEN(caches); i++) {
        uint32_t bit = l->invalidate >> i & 1;
        field32(p, caches[i], &bit);
        l->invalidate = (l->invalidate & ~(1u << i)) | bit << i;
    }
    for (unsigned i = 0; i < 8; i++) {
        static const int valid[] = {QMD_constant_buffer_valid},
                         invalidate[] = {QMD_constant_buffer_invalidate};
        if (p->v == QMD_V05_01) /* sub-tasks have banks of their own */
            break;
        uint32_t size = (l->bank[i].size + 15) & ~15u;
        number(p, &bank_va, i, &l->bank[i].va);
        number32(p, &bank_size, i, &size);
        flag(p, valid, 1, i, &l->bank[i].valid);
        flag(p, invalidate, 1, i, &l->bank[i].invalidate);
        if (!p->packing)
            l->bank[i].size = size;
    }
    for (unsigned i = 0; i < 3; i++) {
        uint8_t *flags[RELEASE_FLAGS] = {
            &l->release[i].enable, &l->release[i].size, &l->release[i].payload64, &l->release[i].membar,
            &l->release[i].reduce, &l->release[i].op,   &l->release[i].format,    &l->release[i].trap};
        number(p, &releases[i].va, 0, &l->release[i].va);
        number(p, &releases[i].payload, 0, &l->release[i].payload);
        for (unsigned k = 0; k < RELEASE_FLAGS; k++)
            flag(p, releases[i].flags[k], 3, i, flags[k]);
    }
    for (unsigned i = 0; i < 2; i++) {
        uint64_t pointer = l->dependent[i].va >> 8;
        int turing = !qmd_has(p->v, dependents[i].pointer[0]) && dependents[i].pointer[1] >= 0;
        if (p->packing && !p->err && l->dependent[i].va & 0xff)
            p->err = fail(-ERANGE, "QMD: dependent QMD at 0x%llx: expected a multiple of 256",
                          (unsigned long long)l->dependent[i].va);
        single(p, dependents[i].pointer[turing], 0, &pointer);
        flag(p, dependents[i].enable, 3, i, &l->dependent[i].enable);
        flag(p, dependents[i].action, 3, i, &l->dependent[i].action);
        flag(p, dependents[i].prefetch, 2, i, &l->dependent[i].prefetch);
        if (!p->packing)
            l->dependent[i].va = pointer << 8;
    }
}

int qmd_pack(enum qmd_version v, uint32_t *q, const struct qmd_launch *in)
{
    static const uint8_t minors[QMD_VERSIONS] = {3, 4, 0, 0, 0, 1, 0, 1};
    struct qmd_launch l = *in;
    struct pass p = {v, q, 1, 0};
    if (v == QMD_V05_01)
        return fail(-ENOENT, "QMD V05_01 describes sub-tasks: build V05_00 for a single grid");
    memset(q, 0, qmd_dwords(v) * 4);
    qmd_set(v, q, qmd_has(v, QMD_qmd_version) ? QMD_qmd_version : QMD_qmd_minor_version, 0, minors[v]);
    qmd_set(v, q, QMD_qmd_major_version, 0,
            v < QMD_V03_00_A ? 2
            : v < QMD_V04_00 ? 3
            : v < QMD_V05_00 ? 4
                             : 5);
    if (qmd_has(v, QMD_qmd_type))
        qmd_set(v, q, QMD_qmd_type, 0, QMD_TYPE_GRID_CTA);
    launch(&p, &l);
    return p.err;
}

void qmd_unpack(enum qmd_version v, const uint32_t *q, struct qmd_launch *l)
{
    struct pass p = {v, (uint32_t *)q, 0, 0}; /* read only: packing is 0 */
    memset(l, 0, sizeof *l);
    launch(&p, l);
}
