/* The ioctls of a render node that libdrm_amdgpu and compute runtimes make. Rules: drm_ioctl.c and
 * amdgpu_kms.c. */
#include "kernel/drm.h"
#include "base/bits.h"
#include "base/err.h"
#include "soft/gpu.h"
#include <string.h>
#include <unistd.h>

enum { GB_ADDR_CONFIG = 0x263e, ARG_MAX_BYTES = 16384 };

/* Copies a string out as DRM does: at most *len bytes, and the true length back. */
static int put_text(uint64_t user, row_u64 *len, const char *text)
{
    size_t n = strlen(text), room = *len < n ? *len : n;
    *len = n;
    return user && room ? user_write((void *)user, text, room) : 0;
}

static int version(struct file *f, void *arg)
{
    struct drm_version_args *a = arg;
    (void)f;
    a->version_major = 3;
    a->version_minor = 61;
    a->version_patchlevel = 0;
    int err = put_text(a->name, &a->name_len, "amdgpu");
    if (!err)
        err = put_text(a->date, &a->date_len, "0");
    return err ? err : put_text(a->desc, &a->desc_len, "AMD GPU");
}

static void device_info(const struct gpu *g, struct amdgpu_info_device *d)
{
    const struct chip *c = g->chip;
    uint32_t engines = c->arrays / c->arrays_per_engine;
    *d = (struct amdgpu_info_device){
        .device_id = c->device_id,
        .chip_rev = 1,
        .external_rev = 1,
        .pci_rev = c->revision,
        .family = c->family,
        .num_shader_engines = engines,
        .num_shader_arrays_per_engine = c->arrays_per_engine,
        .gpu_counter_freq = 100000,
        .max_engine_clock = c->clock_mhz * 1000,
        .max_memory_clock = c->memory_mhz * 1000,
        .cu_active_number = c->cu,
        .virtual_address_offset = 0x10000,
        .virtual_address_max = 1ull << 47,
        .virtual_address_alignment = PAGE,
        .pte_fragment_size = 2 << 20,
        .gart_page_size = PAGE,
        .vram_bit_width = c->memory_bits,
        .wave_front_size = c->wave_size,
        .num_cu_per_sh = c->cu_per_array,
    };
    for (uint32_t a = 0, left = c->cu; a < c->arrays; a++) {
        uint32_t share = left / (c->arrays - a), se = a / c->arrays_per_engine, sa = a % c->arrays_per_engine;
        d->cu_bitmap[(se % 4) * 4 + (sa + se / 4 * 2) % 4] = (1u << share) - 1;
        left -= share;
    }
}

static int info(struct file *f, void *arg)
{
    const struct amdgpu_info *a = arg;
    const struct gpu *g = f->gpu;
    union {
        uint32_t word;
        uint64_t qword;
        struct amdgpu_info_device device;
        struct amdgpu_info_hw_ip ip;
        struct amdgpu_memory_info memory;
        struct amdgpu_info_vram_gtt vram_gtt;
        struct amdgpu_info_firmware firmware;
    } out;
    size_t size = 4;
    uint64_t gtt = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    memset(&out, 0, sizeof out);
    if (!a->return_size || !a->return_pointer)
        return fail(-EINVAL, "INFO without a place for the answer");
    switch (a->query) {
    case AMDGPU_QUERY_ACCEL_WORKING:
        out.word = 1;
        break;
    case AMDGPU_QUERY_HW_IP_COUNT: /* no rings for direct submission */
        break;
    case AMDGPU_QUERY_HW_IP_INFO:
        size = sizeof out.ip;
        break;
    case AMDGPU_QUERY_TIMESTAMP:
        out.qword = soft_gpu_clock();
        size = 8;
        break;
    case AMDGPU_QUERY_FW_VERSION:
        out.firmware.ver = g->chip->fw;
        size = sizeof out.firmware;
        break;
    case AMDGPU_QUERY_VRAM_USAGE:
    case AMDGPU_QUERY_VIS_VRAM_USAGE:
        out.qword = g->vram_used;
        size = 8;
        break;
    case AMDGPU_QUERY_GTT_USAGE:
        out.qword = g->gtt_used;
        size = 8;
        break;
    case AMDGPU_QUERY_VRAM_GTT:
        out.vram_gtt = (struct amdgpu_info_vram_gtt){g->chip->vram, g->chip->vram, gtt};
        size = sizeof out.vram_gtt;
        break;
    case AMDGPU_QUERY_MEMORY:
        out.memory.vram =
            (struct amdgpu_heap_info){g->chip->vram, g->chip->vram, g->vram_used, g->chip->vram / 4 * 3};
        out.memory.cpu_accessible_vram = out.memory.vram;
        out.memory.gtt = (struct amdgpu_heap_info){gtt, gtt, g->gtt_used, gtt / 4 * 3};
        size = sizeof out.memory;
        break;
    case AMDGPU_QUERY_VRAM_LOST_COUNTER:
        break;
    case AMDGPU_QUERY_READ_MMR_REG:
        if (a->read_mmr_reg.dword_offset != GB_ADDR_CONFIG || a->read_mmr_reg.count != 1)
            return fail(-EINVAL, "register 0x%x (%u of them) is not readable", a->read_mmr_reg.dword_offset,
                        a->read_mmr_reg.count);
        out.word = 0x444;
        break;
    case AMDGPU_QUERY_DEV_INFO:
        device_info(g, &out.device);
        size = sizeof out.device;
        break;
    default:
        return fail(-EINVAL, "INFO query 0x%x is not modelled", a->query);
    }
    return user_write((void *)a->return_pointer, &out, size < a->return_size ? size : a->return_size);
}

static int gem_close(struct file *f, void *arg)
{
    (void)f; /* KFD buffers have no GEM handles in this file */
    return fail(-EINVAL, "GEM handle %u does not exist", ((struct drm_gem_close_args *)arg)->handle);
}
static int get_cap(struct file *f, void *arg)
{
    struct drm_get_cap_args *a = arg;
    (void)f;
    a->value = 0;
    return a->capability <= 0x15
               ? 0
               : fail(-EINVAL, "capability 0x%llx is unknown", (unsigned long long)a->capability);
}

static const struct {
    uint32_t nr;
    int (*fn)(struct file *, void *);
} handlers[] = {
    {DRM_NR_VERSION, version},
    {DRM_NR_GEM_CLOSE, gem_close},
    {DRM_NR_GET_CAP, get_cap},
    {AMDGPU_NR_INFO, info},
};

int drm_ioctl(struct soft *s, struct file *f, uint32_t request, void *arg)
{
    _Alignas(8) uint8_t own[ARG_MAX_BYTES];
    unsigned nr = call_nr(request), size = call_size(request), in = size, out = size;
    const struct call *c = drm_call_lookup(CALL_WORD(0, 'd', nr, 0));
    (void)s;
    if (!c)
        return fail(-EINVAL, "DRM call 0x%02x does not exist (command word 0x%08x)", nr, request);
    for (unsigned i = 0; i < ARRAY_LEN(handlers); i++) {
        if (handlers[i].nr != nr)
            continue;
        unsigned dir = call_dir(request) & c->dir,
                 bytes = c->args && c->args->size > size ? c->args->size : size;
        in = dir & CALL_W ? in : 0;
        out = dir & CALL_R ? out : 0;
        memset(own, 0, bytes);
        int err = user_read(own, arg, in);
        if (!err)
            err = handlers[i].fn(f, own);
        if (out && user_write(arg, own, out))
            err = -EFAULT;
        return err;
    }
    if (nr < 0x40)
        return fail(-EACCES, "%s: not for render nodes", c->name);
    return fail(-EOPNOTSUPP, "%s: the software GPU takes work through KFD only", c->name);
}
