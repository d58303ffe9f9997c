/* The ioctls of /dev/kfd: dispatch, and every call that is not about queues or events. Rules: amdkfd
 * kfd_chardev.c. */
#define _GNU_SOURCE
#include "base/bits.h"
#include "isa/amd/amd.h"
#include "base/err.h"
#include "soft/gpu.h"
#include "soft/queue.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NR_END = 0x27, ARG_MAX_BYTES = 16384 }; /* 1.17 ends before CREATE_PROCESS */

static struct gpu *need_gpu(struct soft *s, uint32_t id, int *err)
{
    struct gpu *g = soft_gpu(s, id);
    if (!g)
        *err = fail(-EINVAL, "gpu_id %u does not exist", id);
    return g;
}
/* A GPU that the process may use: ACQUIRE_VM has been called. */
static struct gpu *need_bound(struct soft *s, uint32_t id, int *err)
{
    struct gpu *g = need_gpu(s, id, err);
    if (g && !g->vm_file) {
        *err = fail(-ENODEV, "GPU %u has no address space yet: ACQUIRE_VM first", id);
        return NULL;
    }
    return g;
}

static int get_version(struct soft *s, void *arg)
{
    struct kfd_get_version *a = arg;
    (void)s;
    a->major_version = 1;
    a->minor_version = SOFT_KFD_MINOR;
    return 0;
}
static int create_queue(struct soft *s, void *arg)
{
    return queues_create(s, arg);
}
static int destroy_queue(struct soft *s, void *arg)
{
    return queues_destroy(s, ((struct kfd_destroy_queue *)arg)->queue_id);
}
static int update_queue(struct soft *s, void *arg)
{
    return queues_update(s, arg);
}

static int set_memory_policy(struct soft *s, void *arg)
{
    const struct kfd_set_memory_policy *a = arg;
    int err = 0;
    if (a->default_policy > KFD_CACHE_NONCOHERENT || a->alternate_policy > KFD_CACHE_NONCOHERENT)
        return fail(-EINVAL, "cache policy %u, %u: 0 or 1 expected", a->default_policy, a->alternate_policy);
    need_bound(s, a->gpu_id, &err);
    return err;
}

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static int get_clock_counters(struct soft *s, void *arg)
{
    struct kfd_get_clock_counters *a = arg;
    a->gpu_clock_counter = soft_gpu(s, a->gpu_id) ? soft_gpu_clock() : 0; /* an unknown id is no error */
    a->cpu_clock_counter = clock_ns(CLOCK_MONOTONIC_RAW);
    a->system_clock_counter = clock_ns(CLOCK_BOOTTIME);
    a->system_clock_freq = 1000000000;
    return 0;
}

static void apertures(const struct gpu *g, struct kfd_apertures *out)
{
    *out = (struct kfd_apertures){.lds_base = AMD_SHARED_BASE,
                                  .lds_limit = AMD_SHARED_BASE | 0xffffffff,
                                  .scratch_base = AMD_PRIVATE_BASE,
                                  .scratch_limit = AMD_PRIVATE_BASE | 0xffffffff,
                                  .gpuvm_base = 0x4000,
                                  .gpuvm_limit = (1ull << 47) - 1,
                                  .gpu_id = g->id};
}
static int get_process_apertures(struct soft *s, void *arg)
{
    struct kfd_get_process_apertures *a = arg;
    a->num_of_nodes = 0;
    for (unsigned i = 0; i < s->ngpus && i < ARRAY_LEN(a->process_apertures); i++)
        apertures(&s->gpu[i], &a->process_apertures[a->num_of_nodes++]);
    return 0;
}
static int get_process_apertures_new(struct soft *s, void *arg)
{
    struct kfd_get_process_apertures_new *a = arg;
    struct kfd_apertures *user = (void *)a->kfd_process_device_apertures_ptr;
    if (!a->num_of_nodes) { /* asks how many there are */
        a->num_of_nodes = s->ngpus;
        return 0;
    }
    uint32_t n = a->num_of_nodes < s->ngpus ? a->num_of_nodes : s->ngpus;
    for (uint32_t i = 0; i < n; i++) {
        struct kfd_apertures out;
        apertures(&s->gpu[i], &out);
        int err = user_write(&user[i], &out, sizeof out);
        if (err)
            return err;
    }
    a->num_of_nodes = n;
    return 0;
}

static int create_event(struct soft *s, void *arg)
{
    return events_create(s, arg);
}
static int destroy_event(struct soft *s, void *arg)
{
    return events_destroy(s, ((struct kfd_destroy_event *)arg)->event_id);
}
static int set_event(struct soft *s, void *arg)
{
    return events_set(s, ((struct kfd_set_event *)arg)->event_id);
}
static int reset_event(struct soft *s, void *arg)
{
    return events_reset(s, ((struct kfd_reset_event *)arg)->event_id);
}
static int wait_events(struct soft *s, void *arg)
{
    return events_wait(s, arg);
}

static int set_scratch_backing_va(struct soft *s, void *arg)
{
    int err = 0; /* gfx9 and later take scratch from the queue or registers; the address is noted nowhere */
    need_bound(s, ((struct kfd_set_scratch_backing_va *)arg)->gpu_id, &err);
    return err;
}
static int get_tile_config(struct soft *s, void *arg)
{
    struct kfd_get_tile_config *a = arg;
    int err = 0;
    if (!need_gpu(s, a->gpu_id, &err))
        return err;
    a->num_tile_configs = a->num_macro_tile_configs = 0; /* gfx9 and later have none */
    a->gb_addr_config = 0x444;
    a->num_banks = a->num_ranks = 0;
    return 0;
}
static int set_trap_handler(struct soft *s, void *arg)
{
    int err = 0;
    need_bound(s, ((struct kfd_set_trap_handler *)arg)->gpu_id, &err);
    return err;
}

static int acquire_vm(struct soft *s, void *arg)
{
    const struct kfd_acquire_vm *a = arg;
    int err = 0;
    struct file *f = soft_file(s, (int)a->drm_fd);
    if (!f)
        return fail(-EINVAL, "ACQUIRE_VM: descriptor %u is not open", a->drm_fd);
    struct gpu *g = need_gpu(s, a->gpu_id, &err);
    return g ? vm_acquire(g, f) : err;
}

static int alloc_memory(struct soft *s, void *arg)
{
    struct kfd_alloc_memory_of_gpu *a = arg;
    int err = 0;
    struct gpu *g = need_gpu(s, a->gpu_id, &err);
    return g ? vm_alloc(g, a) : err;
}
static int free_memory(struct soft *s, void *arg)
{
    return vm_free(s, ((struct kfd_free_memory_of_gpu *)arg)->handle);
}

/* MAP and UNMAP: one buffer, an array of GPUs; n_success counts how far it got and where a repeated call goes
 * on. */
static int map_or_unmap(struct soft *s, struct kfd_map_memory_to_gpu *a, int no_buffer,
                        int (*fn)(struct gpu *, struct bo *))
{
    if (!a->n_devices || a->n_success > a->n_devices)
        return fail(-EINVAL, "%u devices, %u already done", a->n_devices, a->n_success);
    if (a->n_devices > 1 << 16)
        return fail(-ENOMEM, "%u devices", a->n_devices);
    if (!soft_gpu(s, kfd_handle_gpu(a->handle)))
        return fail(-EINVAL, "handle 0x%llx names no GPU", (unsigned long long)a->handle);
    struct bo *b = vm_bo(s, a->handle);
    if (!b)
        return fail(no_buffer, "handle 0x%llx is no buffer", (unsigned long long)a->handle);
    const uint32_t *ids = (const uint32_t *)a->device_ids_array_ptr;
    for (uint32_t i = a->n_success; i < a->n_devices; i++) {
        uint32_t id;
        int err = user_read(&id, &ids[i], sizeof id);
        struct gpu *g = err ? NULL : need_bound(s, id, &err);
        if (g)
            err = fn(g, b);
        if (err)
            return err;
        a->n_success = i + 1;
    }
    return 0;
}
static int map_memory(struct soft *s, void *arg)
{
    return map_or_unmap(s, arg, -ENOMEM, vm_map);
}
static int unmap_memory(struct soft *s, void *arg)
{
    _Static_assert(sizeof(struct kfd_unmap_memory_from_gpu) == sizeof(struct kfd_map_memory_to_gpu),
                   "same layout");
    return map_or_unmap(s, arg, -ENODEV, vm_unmap);
}

static int set_cu_mask(struct soft *s, void *arg)
{
    const struct kfd_set_cu_mask *a = arg;
    if (!a->num_cu_mask || a->num_cu_mask % 32)
        return fail(-EINVAL, "CU mask of %u bits: a multiple of 32 expected", a->num_cu_mask);
    const uint32_t *user = (const uint32_t *)a->cu_mask_ptr;
    uint32_t words = (a->num_cu_mask > 1024 ? 1024 : a->num_cu_mask) / 32, mask[32];
    int err = user_read(mask, user, words * 4);
    if (err)
        return err;
    if (!queues_get(s, a->queue_id))
        return fail(-EFAULT, "queue %u does not exist", a->queue_id);
    return 0; /* which CUs run a wave is not modelled */
}
static int get_queue_wave_state(struct soft *s, void *arg)
{
    const struct kfd_get_queue_wave_state *a = arg;
    if (!queues_get(s, a->queue_id))
        return fail(-EINVAL, "queue %u does not exist", a->queue_id);
    return fail(-EINVAL, "queue %u: its waves are not saved", a->queue_id);
}
static int get_dmabuf_info(struct soft *s, void *arg)
{
    (void)s;
    return fail(-EINVAL, "descriptor %u is no dma-buf of this driver",
                ((struct kfd_get_dmabuf_info *)arg)->dmabuf_fd);
}
static int import_dmabuf(struct soft *s, void *arg)
{
    int err = 0;
    const struct kfd_import_dmabuf *a = arg;
    return need_gpu(s, a->gpu_id, &err)
               ? fail(-EINVAL, "descriptor %u is no dma-buf of this driver", a->dmabuf_fd)
               : err;
}
static int export_dmabuf(struct soft *s, void *arg)
{
    const struct kfd_export_dmabuf *a = arg;
    if (!vm_bo(s, a->handle))
        return fail(-EINVAL, "handle 0x%llx is no buffer", (unsigned long long)a->handle);
    return fail(-EOPNOTSUPP, "dma-buf export is not modelled");
}
static int alloc_queue_gws(struct soft *s, void *arg)
{
    struct kfd_alloc_queue_gws *a = arg;
    if (!queues_get(s, a->queue_id))
        return fail(-EINVAL, "queue %u does not exist", a->queue_id);
    a->first_gws = 0;
    return 0;
}
static int smi_events(struct soft *s, void *arg)
{
    int err = 0;
    return need_gpu(s, ((struct kfd_smi_events *)arg)->gpuid, &err)
               ? fail(-EOPNOTSUPP, "SMI events are not modelled")
               : err;
}
static int svm(struct soft *s, void *arg)
{
    (void)s, (void)arg;
    return fail(-EPERM, "shared virtual memory is off on this GPU (capability bit 27)");
}
static int set_xnack_mode(struct soft *s, void *arg)
{
    struct kfd_set_xnack_mode *a = arg;
    if (a->xnack_enabled > 0)
        return fail(-EPERM, "XNACK cannot be enabled on this GPU");
    if (!a->xnack_enabled && s->nqueues)
        return fail(-EBUSY, "XNACK mode cannot change while queues exist");
    a->xnack_enabled = 0;
    return 0;
}
static int criu_op(struct soft *s, void *arg)
{
    (void)s, (void)arg;
    return fail(-EACCES, "checkpointing needs a capability that clients of the software GPU do not have");
}
static int available_memory(struct soft *s, void *arg)
{
    struct kfd_get_available_memory *a = arg;
    int err = 0;
    struct gpu *g = need_gpu(s, a->gpu_id, &err);
    if (g)
        a->available = vm_available(g);
    return err;
}
static int runtime_enable(struct soft *s, void *arg)
{
    struct kfd_runtime_enable *a = arg;
    a->capabilities_mask = 0;
    if (!(a->mode_mask & KFD_MODE_ENABLE)) {
        s->runtime_enabled = false;
        return 0;
    }
    if (s->runtime_enabled)
        return fail(-EBUSY, "the runtime is enabled already");
    if (s->nqueues)
        return fail(-EEXIST, "%u queues exist already", s->nqueues);
    s->runtime_enabled = true;
    return 0;
}
static int dbg_trap(struct soft *s, void *arg)
{
    const struct kfd_dbg_trap *a = arg;
    (void)s;
    if (a->pid != (uint32_t)getpid())
        return fail(-ESRCH, "process %u has no KFD process here", a->pid);
    if (a->op > 14)
        return fail(-EINVAL, "debug operation %u does not exist", a->op);
    if (a->op)
        return fail(-EINVAL, "debugging of process %u was not enabled", a->pid);
    return fail(-ENODEV, "this GPU has no debugger support (capability bits 15 and 29)");
}

static int deprecated(struct soft *s, void *arg)
{
    (void)s, (void)arg;
    return fail(-EPERM, "this debugger call was withdrawn");
}

static int (*const handlers[NR_END])(struct soft *, void *) = {
    [KFD_NR_GET_VERSION] = get_version,
    [KFD_NR_CREATE_QUEUE] = create_queue,
    [KFD_NR_DESTROY_QUEUE] = destroy_queue,
    [KFD_NR_SET_MEMORY_POLICY] = set_memory_policy,
    [KFD_NR_GET_CLOCK_COUNTERS] = get_clock_counters,
    [KFD_NR_GET_PROCESS_APERTURES] = get_process_apertures,
    [KFD_NR_UPDATE_QUEUE] = update_queue,
    [KFD_NR_CREATE_EVENT] = create_event,
    [KFD_NR_DESTROY_EVENT] = destroy_event,
    [KFD_NR_SET_EVENT] = set_event,
    [KFD_NR_RESET_EVENT] = reset_event,
    [KFD_NR_WAIT_EVENTS] = wait_events,
    [KFD_NR_DBG_REGISTER_DEPRECATED] = deprecated,
    [KFD_NR_DBG_UNREGISTER_DEPRECATED] = deprecated,
    [KFD_NR_DBG_ADDRESS_WATCH_DEPRECATED] = deprecated,
    [KFD_NR_DBG_WAVE_CONTROL_DEPRECATED] = deprecated,
    [KFD_NR_SET_SCRATCH_BACKING_VA] = set_scratch_backing_va,
    [KFD_NR_GET_TILE_CONFIG] = get_tile_config,
    [KFD_NR_SET_TRAP_HANDLER] = set_trap_handler,
    [KFD_NR_GET_PROCESS_APERTURES_NEW] = get_process_apertures_new,
    [KFD_NR_ACQUIRE_VM] = acquire_vm,
    [KFD_NR_ALLOC_MEMORY_OF_GPU] = alloc_memory,
    [KFD_NR_FREE_MEMORY_OF_GPU] = free_memory,
    [KFD_NR_MAP_MEMORY_TO_GPU] = map_memory,
    [KFD_NR_UNMAP_MEMORY_FROM_GPU] = unmap_memory,
    [KFD_NR_SET_CU_MASK] = set_cu_mask,
    [KFD_NR_GET_QUEUE_WAVE_STATE] = get_queue_wave_state,
    [KFD_NR_GET_DMABUF_INFO] = get_dmabuf_info,
    [KFD_NR_IMPORT_DMABUF] = import_dmabuf,
    [KFD_NR_ALLOC_QUEUE_GWS] = alloc_queue_gws,
    [KFD_NR_SMI_EVENTS] = smi_events,
    [KFD_NR_SVM] = svm,
    [KFD_NR_SET_XNACK_MODE] = set_xnack_mode,
    [KFD_NR_CRIU_OP] = criu_op,
    [KFD_NR_AVAILABLE_MEMORY] = available_memory,
    [KFD_NR_EXPORT_DMABUF] = export_dmabuf,
    [KFD_NR_RUNTIME_ENABLE] = runtime_enable,
    [KFD_NR_DBG_TRAP] = dbg_trap,
};

/* As the driver does it: the number alone chooses the call, the word's size says how many bytes of the
 * caller's struct are copied in (the rest reads 0) and back. */
int kfd_ioctl(struct soft *s, uint32_t request, void *arg)
{
    _Alignas(8) uint8_t own[ARG_MAX_BYTES];
    unsigned nr = call_nr(request), size = call_size(request);
    if (!nr || nr >= NR_END)
        return fail(-ENOTTY, "KFD call 0x%02x does not exist (command word 0x%08x)", nr, request);
    if (!handlers[nr])
        return fail(-EINVAL, "KFD call 0x%02x has no handler", nr);
    const struct call *c = kfd_call_lookup(CALL_WORD(0, 'K', nr, 0));
    unsigned bytes = c->args->size > size ? c->args->size : size;
    memset(own, 0, bytes);
    int err = c->dir & CALL_W ? user_read(own, arg, size) : 0;
    if (err)
        return err;
    err = handlers[nr](s, own);
    if (c->dir & CALL_R && user_write(arg, own, size))
        err = -EFAULT;
    if (err)
        debug("kfd", "%s: %s", c->name, fail_text());
    return err;
}
