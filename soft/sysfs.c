/* The files that amdgpu and amdkfd show: one row a file, made when it is read. Directory listings come from
 * the same rows. Facts: amdkfd kfd_topology.c; two captured cards; what rocminfo, ROCr and tinygrad were seen
 * to read. */
#include "base/bits.h"
#include "base/err.h"
#include "kernel/cwsr.h"
#include "kernel/topology.h"
#include "soft/gpu.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_VARS = 3 };
struct where {
    struct soft *soft;
    uint32_t var[MAX_VARS]; /* the numbers in the path, in order */
};
typedef int text_fn(const struct where *w, char *buf, size_t cap); /* as snprintf */

/* Node 0 is the CPU, node 1 + g is GPU g. */
static const struct gpu *node_gpu(const struct where *w)
{
    return w->var[0] ? &w->soft->gpu[w->var[0] - 1] : NULL;
}
static const struct gpu *minor_gpu(const struct where *w)
{
    for (unsigned i = 0; i < w->soft->ngpus; i++)
        if (w->soft->gpu[i].minor == w->var[0])
            return &w->soft->gpu[i];
    return NULL;
}

static unsigned caches(const struct chip *c)
{
    unsigned n = 0;
    while (n < ARRAY_LEN(c->cache_kb) && c->cache_kb[n])
        n++;
    return n;
}

void sysfs_node(const struct soft *s, unsigned index, struct kfd_node *n)
{
    *n = (struct kfd_node){.index = index, .mem_banks_count = 1, .num_xcc = 1};
    if (!index) {
        n->cpu_cores_count = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
        n->caches_count = 1;
        n->io_links_count = s->ngpus;
        n->max_engine_clk_ccompute = 3000;
        return;
    }
    const struct gpu *g = &s->gpu[index - 1];
    const struct chip *c = g->chip;
    n->gpu_id = g->id;
    n->simd_count = c->cu * c->simd_per_cu;
    n->io_links_count = 1;
    n->caches_count = caches(c);
    n->simd_id_base = 0x80001000u + 0x50 * g->index;
    n->max_waves_per_simd = c->waves_per_simd;
    n->lds_size_in_kb = 64;
    n->num_gws = 64;
    n->wave_front_size = c->wave_size;
    n->array_count = c->arrays;
    n->simd_arrays_per_engine = c->arrays_per_engine;
    n->cu_per_simd_array = c->cu_per_array;
    n->simd_per_cu = c->simd_per_cu;
    n->max_slots_scratch_cu = c->slots_scratch_cu;
    n->gfx_target_version = c->target;
    n->vendor_id = 0x1002;
    n->device_id = c->device_id;
    n->location_id = (3 + g->index) << 8;
    n->drm_render_minor = g->minor;
    n->num_sdma_engines = c->sdma_engines;
    n->num_sdma_queues_per_engine = c->sdma_queues;
    n->num_cp_queues = c->cp_queues;
    n->max_engine_clk_fcompute = c->clock_mhz;
    n->fw_version = c->fw;
    n->capability = c->capability;
    n->debug_prop = 0;
    n->sdma_fw_version = c->sdma_fw;
    n->max_engine_clk_ccompute = 3000;
    struct kfd_cwsr sizes;
    if (!kfd_cwsr_sizes(n, &sizes)) {
        n->cwsr_size = sizes.ctx_size;
        n->ctl_stack_size = sizes.ctl_stack_size;
    }
}

static int text_node(const struct where *w, char *buf, size_t cap)
{
    struct kfd_node n;
    sysfs_node(w->soft, w->var[0], &n);
    return kfd_print_node(&n, buf, cap);
}
static int text_gpu_id(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "%u\n", w->var[0] ? node_gpu(w)->id : 0);
}
static int text_node_name(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "%s\n", w->var[0] ? node_gpu(w)->chip->asic : "");
}
static int text_bank(const struct where *w, char *buf, size_t cap)
{
    const struct gpu *g = node_gpu(w);
    struct kfd_bank b = {.heap_type = g ? KFD_HEAP_FB_PUBLIC : KFD_HEAP_SYSTEM,
                         .size_in_bytes =
                             g ? g->chip->vram
                               : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
                         .width = g ? g->chip->memory_bits : 64,
                         .mem_clk_max = g ? g->chip->memory_mhz : 2400};
    return kfd_print_bank(&b, buf, cap);
}
/* CPU node: its last level; GPU: one cache of each level (the driver lists every compute unit's). type: 1 data,
 * 4 CPU, 8 GPU. */
static int text_cache(const struct where *w, char *buf, size_t cap)
{
    const struct gpu *g = node_gpu(w);
    return snprintf(buf, cap,
                    "processor_id_low %u\nlevel %u\nsize %u\ncache_line_size %u\ncache_lines_per_tag 1\n"
                    "association 16\nlatency 0\ntype %u\nsibling_map 1\n",
                    g ? 0x80001000u + 0x50 * g->index : 0, g ? w->var[1] + 1 : 3,
                    g ? g->chip->cache_kb[w->var[1]] : 32768, g && w->var[1] ? 128 : 64, g ? 9 : 5);
}
static int text_link(const struct where *w, char *buf, size_t cap)
{
    struct kfd_link l = {.type = KFD_LINK_PCIE,
                         .node_from = w->var[0],
                         .node_to = w->var[0] ? 0 : w->var[1] + 1,
                         .weight = 20,
                         .max_bandwidth = 32000,
                         .flags = KFD_LINK_ENABLED};
    return kfd_print_link(&l, buf, cap);
}
static int text_generation(const struct where *w, char *buf, size_t cap)
{
    (void)w;
    return snprintf(buf, cap, "1\n");
}
static int text_system(const struct where *w, char *buf, size_t cap)
{
    (void)w;
    return snprintf(buf, cap, "platform_oem 0\nplatform_id 0\nplatform_rev 0\n");
}
static int text_live(const struct where *w, char *buf, size_t cap)
{
    (void)w;
    return snprintf(buf, cap, "live\n");
}
static int text_version(const struct where *w, char *buf, size_t cap)
{
    (void)w;
    return snprintf(buf, cap, "6.12.0\n");
}
static int text_modules(const struct where *w, char *buf, size_t cap)
{
    (void)w;
    return snprintf(buf, cap, "amdgpu 16384000 0 - Live 0x0000000000000000\n");
}
static int text_fault(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "%s", w->soft->fault ? w->soft->fault : "");
}
static const struct ip_version *ip_of(const struct where *w)
{
    const struct chip *c = minor_gpu(w)->chip;
    for (unsigned i = 0; i < ARRAY_LEN(c->ip); i++)
        if (c->ip[i].hwid == w->var[1])
            return &c->ip[i];
    return NULL;
}
static int text_ip_major(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "%u\n", ip_of(w)->major);
}
static int text_ip_minor(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "%u\n", ip_of(w)->minor);
}
static int text_ip_revision(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "%u\n", ip_of(w)->revision);
}
static int text_vendor(const struct where *w, char *buf, size_t cap)
{
    (void)w;
    return snprintf(buf, cap, "0x1002\n");
}
static int text_device(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "0x%04x\n", minor_gpu(w)->chip->device_id);
}
static int text_subdevice(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "0x%04x\n", minor_gpu(w)->chip->subsystem);
}
static int text_revision(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "0x%02x\n", minor_gpu(w)->chip->revision);
}
static int text_vram_total(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "%llu\n", (unsigned long long)minor_gpu(w)->chip->vram);
}
static int text_vram_used(const struct where *w, char *buf, size_t cap)
{
    return snprintf(buf, cap, "%llu\n", (unsigned long long)minor_gpu(w)->vram_used);
}
static int text_performance(const struct where *w, char *buf, size_t cap)
{
    (void)w;
    return snprintf(buf, cap, "profile_standard\n");
}

/* Numbers in paths: # in a pattern, whose kind follows it. i-th legal value given the earlier ones, or -1. */
static int64_t var_value(const struct where *w, char kind, unsigned i)
{
    switch (kind) {
    case 'n': /* node */
        return i <= w->soft->ngpus ? (int64_t)i : -1;
    case 'b': /* memory bank; instance of an IP block */
        return i < 1 ? 0 : -1;
    case 'c': /* cache */
        return i < (w->var[0] ? caches(node_gpu(w)->chip) : 1) ? (int64_t)i : -1;
    case 'l': /* io_link */
        return i < (w->var[0] ? 1 : w->soft->ngpus) ? (int64_t)i : -1;
    case 'm': /* render minor */
        return i < w->soft->ngpus ? (int64_t)w->soft->gpu[i].minor : -1;
    case 'i': /* IP block */
        return minor_gpu(w) && i < ARRAY_LEN(minor_gpu(w)->chip->ip) ? minor_gpu(w)->chip->ip[i].hwid : -1;
    }
    return -1;
}

#define TOPOLOGY "sys/devices/virtual/kfd/kfd/topology/"
#define RENDER   "sys/class/drm/renderD#m/device/"
#define CHARDEV  "sys/dev/char/226:#m/device/"
static const struct sysfs_row {
    const char *pattern;
    text_fn *text; /* NULL: an empty directory */
} rows[] = {
    {TOPOLOGY "generation_id", text_generation},
    {TOPOLOGY "system_properties", text_system},
    {TOPOLOGY "nodes/#n/gpu_id", text_gpu_id},
    {TOPOLOGY "nodes/#n/name", text_node_name},
    {TOPOLOGY "nodes/#n/properties", text_node},
    {TOPOLOGY "nodes/#n/mem_banks/#b/properties", text_bank},
    {TOPOLOGY "nodes/#n/caches/#c/properties", text_cache},
    {TOPOLOGY "nodes/#n/caches", NULL},
    {TOPOLOGY "nodes/#n/io_links/#l/properties", text_link},
    {TOPOLOGY "nodes/#n/p2p_links", NULL},
    {RENDER "ip_discovery/die/0/#i/#b/major", text_ip_major},
    {RENDER "ip_discovery/die/0/#i/#b/minor", text_ip_minor},
    {RENDER "ip_discovery/die/0/#i/#b/revision", text_ip_revision},
    {RENDER "vendor", text_vendor},
    {RENDER "device", text_device},
    {RENDER "subsystem_vendor", text_vendor},
    {RENDER "subsystem_device", text_subdevice},
    {RENDER "revision", text_revision},
    {RENDER "mem_info_vram_total", text_vram_total},
    {RENDER "mem_info_vis_vram_total", text_vram_total},
    {RENDER "mem_info_vram_used", text_vram_used},
    {RENDER "power_dpm_force_performance_level", text_performance},
    {CHARDEV "drm/renderD#m", NULL},
    {CHARDEV "vendor", text_vendor},
    {CHARDEV "device", text_device},
    {CHARDEV "subsystem_vendor", text_vendor},
    {CHARDEV "subsystem_device", text_subdevice},
    {CHARDEV "revision", text_revision},
    {"sys/module/amdgpu/initstate", text_live},
    {"sys/module/amdgpu/holders", NULL},
    {"sys/module/amdgpu/version", text_version},
    {"proc/modules", text_modules},
    {&SOFT_FAULT_FILE[1], text_fault},
};

static size_t component(const char *p)
{
    return strcspn(p, "/");
}

/* Does the path's component (n bytes) match the pattern's (m bytes)? Fills the variable a number stands for.
 */
static bool match_component(struct where *w, unsigned *nvars, const char *pat, size_t m, const char *path,
                            size_t n)
{
    const char *hash = memchr(pat, '#', m);
    size_t fixed = hash ? (size_t)(hash - pat) : m;
    if (n < fixed || memcmp(pat, path, fixed) || (!hash && n != m))
        return false;
    if (!hash)
        return true;
    if (n == fixed || n - fixed > 6 || (path[fixed] == '0' && n > fixed + 1))
        return false;
    uint32_t v = 0;
    for (size_t i = fixed; i < n; i++) {
        if (!isdigit((unsigned char)path[i]))
            return false;
        v = v * 10 + (uint32_t)(path[i] - '0');
    }
    for (unsigned i = 0;; i++) {
        int64_t have = var_value(w, hash[1], i);
        if (have < 0)
            return false;
        if ((uint64_t)have == v)
            break;
    }
    if (*nvars < MAX_VARS)
        w->var[(*nvars)++] = v;
    return true;
}

/* Follows path down pattern. Returns what is left of the pattern ("" when the path is the whole of it), NULL:
 * no match. */
static const char *match(struct where *w, unsigned *nvars, const char *pattern, const char *path)
{
    *nvars = 0;
    memset(w->var, 0, sizeof w->var);
    for (;;) {
        while (*path == '/')
            path++;
        while (*pattern == '/')
            pattern++;
        if (!*path || !*pattern)
            return *path ? NULL : pattern;
        size_t n = component(path), m = component(pattern);
        if (!match_component(w, nvars, pattern, m, path, n))
            return NULL;
        path += n;
        pattern += m;
    }
}

/* Links of the real tree: their targets hold the rows. */
static const char *resolve(const char *path, char *buf, size_t cap)
{
    static const char *const links[][2] = {
        {"/sys/class/kfd/kfd/", "/sys/devices/virtual/kfd/kfd/"},
    };
    for (unsigned i = 0; i < ARRAY_LEN(links); i++) {
        size_t n = strlen(links[i][0]);
        if (!strncmp(path, links[i][0], n)) {
            snprintf(buf, cap, "%s%s", links[i][1], path + n);
            return buf;
        }
    }
    return path;
}

int sysfs_read(struct soft *s, const char *path, void *buf, size_t cap)
{
    char resolved[512];
    path = resolve(path, resolved, sizeof resolved);
    struct where w = {.soft = s};
    unsigned nvars;
    int err = -ENOENT;
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
        const char *rest = match(&w, &nvars, rows[i].pattern, path);
        if (!rest)
            continue;
        if (*rest || !rows[i].text) {
            err = -EISDIR;
            continue;
        }
        char text[8192];
        int n = rows[i].text(&w, text, sizeof text);
        if (n < 0 || (size_t)n >= sizeof text || (size_t)n >= cap)
            return fail(-ERANGE, "%s has %d bytes, the buffer %zu", path, n, cap);
        memcpy(buf, text, (size_t)n + 1);
        return n;
    }
    return fail(err, "%s: %s", path, err == -EISDIR ? "is a directory" : "no such file in the software GPU");
}

struct names {
    char **name;
    unsigned count, room;
};
static int names_add(struct names *l, const char *name, size_t n)
{
    for (unsigned i = 0; i < l->count; i++)
        if (strlen(l->name[i]) == n && !memcmp(l->name[i], name, n))
            return 0;
    if (l->count == l->room) {
        unsigned room = l->room ? l->room * 2 : 16;
        char **p = realloc(l->name, room * sizeof *p);
        if (!p)
            return -ENOMEM;
        l->name = p;
        l->room = room;
    }
    char *copy = strndup(name, n);
    if (!copy)
        return -ENOMEM;
    l->name[l->count++] = copy;
    return 0;
}
/* Numbers by value, then other names bytewise. */
static int names_order(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    bool dx = isdigit((unsigned char)*x), dy = isdigit((unsigned char)*y);
    if (dx != dy)
        return dx ? -1 : 1;
    if (dx && atoi(x) != atoi(y))
        return atoi(x) < atoi(y) ? -1 : 1;
    return strcmp(x, y);
}
/* The names that pattern component `rest` stands for. */
static int names_expand(struct names *l, struct where *w, const char *rest)
{
    size_t n = component(rest);
    const char *hash = memchr(rest, '#', n);
    if (!hash)
        return names_add(l, rest, n);
    for (unsigned i = 0;; i++) {
        int64_t v = var_value(w, hash[1], i);
        char name[64];
        if (v < 0)
            return 0;
        int k = snprintf(name, sizeof name, "%.*s%lld", (int)(hash - rest), rest, (long long)v);
        if (names_add(l, name, (size_t)k))
            return -ENOMEM;
    }
}

int sysfs_list(struct soft *s, const char *path, char *buf, size_t cap)
{
    char resolved[512];
    path = resolve(path, resolved, sizeof resolved);
    struct where w = {.soft = s};
    struct names l = {0};
    unsigned nvars;
    int err = -ENOENT;
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++) {
        const char *rest = match(&w, &nvars, rows[i].pattern, path);
        if (!rest)
            continue;
        if (!*rest && rows[i].text) {
            err = -ENOTDIR;
            continue;
        }
        err = 0;
        if (*rest && (err = names_expand(&l, &w, rest)))
            break;
    }
    if (!err && l.count)
        qsort(l.name, l.count, sizeof *l.name, names_order);
    size_t used = 0;
    for (unsigned i = 0; i < l.count; i++) {
        size_t n = strlen(l.name[i]) + 1;
        if (!err && n > cap - used)
            err = -ERANGE;
        if (!err) {
            memcpy(buf + used, l.name[i], n);
            used += n;
        }
        free(l.name[i]);
    }
    free(l.name);
    if (err)
        return fail(err, "%s: %s", path, strerror(-err));
    return (int)l.count;
}
