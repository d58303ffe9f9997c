#include "amd/amd.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "kernel/device.h"
#include "kernel/topology.h"
#include <stdio.h>
#include <stdlib.h>

enum { VENDOR_AMD = 0x1002, APERTURES_MAX = 128, CAP_SRAM_EDC = 1 << 26 };

/* What the software GPU can be; the port takes the same names. */
static const char *const soft_targets[] = {"gfx1100"};

/* ---- what the topology says ---- */

/* The index-th GPU node: its place in t->nodes, or -ENOENT. */
static int gpu_node(const struct kfd_topology *t, unsigned index)
{
    for (unsigned i = 0; i < t->node_count; i++)
        if (t->nodes[i].gpu_id && !index--)
            return (int)i;
    return fail(-ENOENT, "no more GPUs");
}

static void memory_of(const struct kfd_node *n, uint64_t *bytes, int *large_bar)
{
    *bytes = 0;
    *large_bar = 0;
    for (unsigned i = 0; i < n->bank_count; i++) {
        const struct kfd_bank *b = &n->banks[i];
        if (b->heap_type == KFD_HEAP_FB_PUBLIC || b->heap_type == KFD_HEAP_FB_PRIVATE)
            *bytes += b->size_in_bytes;
        if (b->heap_type == KFD_HEAP_FB_PUBLIC)
            *large_bar = 1;
    }
}

static uint64_t per(uint64_t n, uint64_t divisor)
{
    return divisor ? n / divisor : 0;
}

static void describe(const struct kfd_node *n, const char *selector, int soft, struct nx_device_info *i)
{
    int large_bar;
    *i = (struct nx_device_info){
        .size = sizeof *i,
        .software = (uint32_t)soft,
        .vendor_id = (uint32_t)n->vendor_id,
        .device_id = (uint32_t)n->device_id,
        .compute_units = (uint32_t)per(n->simd_count, n->simd_per_cu),
        .simds = (uint32_t)n->simd_count,
        .max_waves_per_simd = (uint32_t)n->max_waves_per_simd,
        .wave_size = (uint32_t)n->wave_front_size,
        .shader_engines = (uint32_t)per(n->array_count, n->simd_arrays_per_engine),
        .xccs = (uint32_t)n->num_xcc,
        .max_block = 1024,
        .lds_bytes = (uint32_t)n->lds_size_in_kb << 10,
        .max_clock_mhz = (uint32_t)n->max_engine_clk_fcompute,
        .timer_hz = 100000000,
    };
    memory_of(n, &i->memory_bytes, &large_bar);
    i->host_visible = (uint32_t)large_bar;
    amd_target_of_version((uint32_t)n->gfx_target_version, i->target);
    snprintf(i->selector, sizeof i->selector, "%s", selector);
    /* newer kernels call every chip the same here */
    snprintf(i->name, sizeof i->name, "%s",
             n->name[0] && strcmp(n->name, "ip discovery") ? n->name : i->target);
    if (i->lds_bytes > 65536) /* what one work-group may have */
        i->lds_bytes = !strcmp(i->target, "gfx950") ? 160 << 10 : 65536;
}

static int list_port(const struct port *port, unsigned index, const char *selector, int soft,
                     struct nx_device_info *info)
{
    struct kfd_topology t;
    int rc = kfd_topology_read(port, &t);
    if (rc)
        return rc == -ENODEV || rc == -ENOENT ? fail(-ENOENT, "no AMD GPU here") : rc;
    int node = rc = gpu_node(&t, index);
    if (node >= 0) {
        describe(&t.nodes[node], selector, soft, info);
        snprintf(info->driver, sizeof info->driver, "KFD");
        rc = 0;
    }
    kfd_topology_free(&t);
    return rc;
}

/* The real driver, traced when NXGPU_TRACE says so; one for the process's life, as its session is. NULL: cannot trace. */
static const struct port *real_port(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const struct port *port;
    pthread_mutex_lock(&lock);
    if (!port)
        port = port_trace_env(port_linux());
    pthread_mutex_unlock(&lock);
    return port;
}

static int amd_list(unsigned index, struct nx_device_info *info)
{
    char selector[32];
    snprintf(selector, sizeof selector, "amd:%u", index);
    return list_port(port_linux(), index, selector, 0, info);
}

static int amd_list_soft(unsigned index, struct nx_device_info *info)
{
    char selector[32];
    struct port *port;
    if (index >= ARRAY_LEN(soft_targets))
        return fail(-ENOENT, "no more software GPUs");
    snprintf(selector, sizeof selector, "soft:%s", soft_targets[index]);
    int rc = port_soft(soft_targets[index], &port);
    if (rc)
        return rc;
    rc = list_port(port, 0, selector, 1, info);
    port_destroy(port);
    return rc;
}

/* ---- open ---- */

static int read_apertures(struct amd_device *d)
{
    struct kfd_apertures *a = mem_array(APERTURES_MAX, sizeof *a);
    if (!a)
        return -ENOMEM;
    struct kfd_get_process_apertures_new q = {.kfd_process_device_apertures_ptr = (uint64_t)(uintptr_t)a,
                                              .num_of_nodes = APERTURES_MAX};
    int rc = kfd_call(d->port, d->kfd, KFD_GET_PROCESS_APERTURES_NEW, &q);
    if (!rc) {
        rc = fail(-ENODEV, "the driver names no address ranges for GPU %u", d->gpu_id);
        for (uint32_t i = 0; i < q.num_of_nodes && i < APERTURES_MAX; i++)
            if (a[i].gpu_id == d->gpu_id) {
                d->apertures = a[i];
                rc = 0;
            }
    }
    mem_free(a);
    return rc;
}

static int make_event(struct amd_device *d, uint32_t type, uint32_t auto_reset, uint32_t *id, uint32_t *slot)
{
    struct kfd_create_event e = {.event_type = type, .auto_reset = auto_reset};
    int rc = kfd_call(d->port, d->kfd, KFD_CREATE_EVENT, &e);
    *id = rc ? 0 : e.event_id;
    if (slot)
        *slot = e.event_slot_index;
    return rc;
}

static void drop_event(struct amd_device *d, uint32_t id)
{
    struct kfd_destroy_event e = {.event_id = id};
    if (id)
        port_ioctl(d->port, d->kfd, KFD_DESTROY_EVENT, &e);
}

/* ids start at 1: a zero id is an event not made yet */
static int make_events(struct amd_device *d)
{
    uint64_t page;
    int rc = session_event_page(d->session, d, &page);
    if (rc || (rc = make_event(d, KFD_EVENT_SIGNAL, 1, &d->event_id, &d->event_slot)) ||
        (rc = make_event(d, KFD_EVENT_MEMORY, 0, &d->memory_event, NULL)) ||
        (rc = make_event(d, KFD_EVENT_HW_EXCEPTION, 0, &d->exception_event, NULL)))
        return fail_in(rc, "events");
    return 0;
}

/* The page with the register that flushes host writes: optional, older drivers and virtual machines have
 * none. */
static void map_remap(struct amd_device *d)
{
    uint32_t flags = KFD_MEM_MMIO_REMAP | KFD_MEM_WRITABLE | KFD_MEM_COHERENT;
    if (!d->base.info.software && amd_bo(d, 4096, 4096, flags, 1, &d->remap))
        d->remap = NULL;
}

/* Takes from the environment what a user may override; empty is unset. Only within a major version: anything
 * else is code for another machine. */
static int override_target(struct amd_device *d)
{
    const char *env = getenv("HSA_OVERRIDE_GFX_VERSION");
    unsigned major, minor, step;
    char name[32];
    if (!env || !*env)
        return 0;
    if (sscanf(env, "%u.%u.%u", &major, &minor, &step) != 3 || minor > 15 || step > 15)
        return fail(-EINVAL, "HSA_OVERRIDE_GFX_VERSION=%s: expected MAJOR.MINOR.STEP", env);
    if (major != d->node.gfx_target_version / 10000)
        return fail(-EINVAL, "HSA_OVERRIDE_GFX_VERSION=%s: the device is %s, another major version", env,
                    d->base.info.target);
    amd_target_of_version(major * 10000 + minor * 100 + step, name);
    memcpy(d->base.info.target, name, sizeof name);
    return 0;
}

static int choose_target(struct amd_device *d)
{
    int rc = override_target(d), gen;
    if (rc || (rc = gen = amd_gen_of(d->base.info.target)) < 0)
        return rc;
    d->gen = (enum amd_gen)gen;
    if (d->node.num_xcc > 1)
        return fail(-ENOTSUP,
                    "%s has %u XCCs in one partition: only single-XCC partitions (CPX mode) are supported",
                    d->base.info.target, d->base.info.xccs);
    int8_t has_ecc = d->gen == AMD_GEN_9_0A || d->gen == AMD_GEN_9_4_2 ||
                     !strcmp(d->base.info.target, "gfx908") || !strcmp(d->base.info.target, "gfx906");
    d->target.xnack = d->gen <= AMD_GEN_9_4_2 ? 0 : -1; /* retry is never switched on here */
    d->target.sramecc = has_ecc ? (d->node.capability & CAP_SRAM_EDC) != 0 : -1;
    memcpy(d->target.name, d->base.info.target, sizeof d->target.name);
    return kfd_cwsr_sizes(&d->node, &d->cwsr);
}

static int find_device(struct amd_device *d, unsigned index, const char *selector, int soft)
{
    struct kfd_topology t;
    int rc = kfd_topology_read(d->port, &t);
    if (rc)
        return rc;
    rc = gpu_node(&t, index);
    if (rc >= 0) {
        d->node = t.nodes[rc];
        describe(&d->node, selector, soft, &d->base.info);
        uint64_t bytes;
        memory_of(&d->node, &bytes, &d->large_bar);
        d->node.banks = NULL;
        d->node.links = NULL;
        d->gpu_id = d->node.gpu_id;
        rc = 0;
    } else {
        rc = fail(-ENODEV, "%s: no such device", selector);
    }
    kfd_topology_free(&t);
    return rc;
}

static void close_parts(struct amd_device *d)
{
    const struct port *port = d->owns_port ? d->port : NULL;
    if (d->remap)
        amd_free(&d->remap->base);
    drop_event(d, d->exception_event);
    drop_event(d, d->memory_event);
    drop_event(d, d->event_id);
    session_put(d->session);
    device_fini(&d->base);
    mem_free(d);
    port_destroy(port);
}

static void amd_close(nx_device *dev)
{
    device_release(dev);
    close_parts((struct amd_device *)dev);
}

int amd_open_port(const struct port *port, unsigned index, const char *selector, int soft, nx_device **out)
{
    struct amd_device *d = mem_alloc(sizeof *d);
    int rc;
    *out = NULL;
    if (!d) {
        if (soft)
            port_destroy(port);
        return -ENOMEM;
    }
    device_init(&d->base, &amd_backend);
    d->port = port;
    d->owns_port = soft;
    if ((rc = find_device(d, index, selector, soft)) || (rc = choose_target(d)) ||
        (rc = session_get(port, !soft, &d->session)))
        goto undo;
    d->kfd = session_kfd(d->session);
    if ((rc = session_render(d->session, &d->node, &d->drm)) || (rc = read_apertures(d)) ||
        (rc = make_events(d)))
        goto undo;
    session_driver(d->session, d->base.info.driver, sizeof d->base.info.driver);
    map_remap(d);
    *out = &d->base;
    return 0;
undo:
    close_parts(d);
    return fail_in(rc, "%s", selector);
}

static int amd_open(int index, const char *soft, nx_device **out)
{
    char selector[64];
    struct port *port;
    if (!soft) {
        snprintf(selector, sizeof selector, "amd:%d", index);
        const struct port *real = real_port();
        return real ? amd_open_port(real, (unsigned)index, selector, 0, out) : -EIO;
    }
    snprintf(selector, sizeof selector, "soft:%.48s", soft);
    int rc = port_soft(soft, &port);
    if (rc)
        return rc;
    const struct port *traced = port_trace_env(port);
    if (!traced) {
        port_destroy(port);
        return -EIO;
    }
    return amd_open_port(traced, 0, selector, 1, out);
}

const struct backend amd_backend = {
    .vendor = "amd",
    .list = amd_list,
    .list_soft = amd_list_soft,
    .open = amd_open,
    .close = amd_close,
    .alloc = amd_alloc,
    .adopt = amd_adopt,
    .free = amd_free,
    .flush_host = amd_flush_host,
    .load = amd_load,
    .unload = amd_unload,
    .queue_create = amd_queue_create,
    .queue_free = amd_queue_free,
    .launch = amd_launch,
    .copy = amd_copy,
    .fill = amd_fill,
    .timestamp = amd_timestamp,
    .wait = amd_queue_wait,
    .signal = amd_queue_signal,
    .submit = amd_submit,
    .wait_value = amd_wait_value,
    .describe_queue = amd_describe_queue,
};
