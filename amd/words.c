/* The words of a PM4 compute ring: what each call of the back end writes. Fields not named are 0.
 * Outside witness: the packets an independent runtime emits (test/unit/runtime_words.c).
 */
#include "amd/amd.h"
#include "base/bits.h"
#include "base/err.h"
#include "hw/amd/aql.h"
#include "hw/amd/pm4.h"
#include "hw/amd/regs.h"
#include <inttypes.h>

#define PUT(w, packet, ...)                                                                                  \
    do {                                                                                                     \
        struct pm4_##packet p_ = {__VA_ARGS__};                                                              \
        pm4_##packet##_pack((w)->dw + (w)->n, &p_);                                                          \
        (w)->n += PM4_##packet##_DWORDS;                                                                     \
    } while (0)

static void put_sh(struct words *w, uint32_t offset, const uint32_t *values, unsigned n)
{
    PUT(w, set_sh_reg, .offset = offset, .tail = n);
    memcpy(w->dw + w->n, values, n * 4ul);
    w->n += n;
}
#define PUT_SH(w, offset, ...)                                                                               \
    do {                                                                                                     \
        const uint32_t v_[] = {__VA_ARGS__};                                                                 \
        put_sh(w, offset, v_, ARRAY_LEN(v_));                                                                \
    } while (0)

#define EVERYTHING UINT64_MAX /* size of an ACQUIRE_MEM: all of memory */

/* Before a kernel reads: drop what its caches may hold of older data. fresh: also instructions and the
 * second-level cache, for what the host has written. */
static void put_acquire(struct words *w, enum amd_gen gen, int fresh)
{
    if (gen >= AMD_GEN_10_3) {
        uint32_t f = fresh ? 1 : 0;
        PUT(w, acquire_mem, .size = EVERYTHING, .gli_inv = f, .glm_wb = 1, .glm_inv = 1, .glk_wb = 1,
            .glk_inv = 1, .glv_inv = 1, .gl1_inv = 1, .gl2_inv = f, .gl2_wb = f);
    } else {
        uint32_t f = fresh ? 1 : 0;
        PUT(w, acquire_mem_gfx9, .size = EVERYTHING, .poll_interval = 10, .tcl1_action = 1,
            .sh_kcache_action = 1, .tc_wb_action = f, .tc_action = f, .sh_icache_action = f);
    }
}

enum { RELEASE_FLUSH = 1 };

/* At the end of all earlier work: data to addr, then perhaps an interrupt. flush: what was written becomes
 * visible. */
static void put_release(struct words *w, enum amd_gen gen, int flush, uint32_t data_sel, uint64_t addr,
                        uint64_t data, uint32_t int_sel, uint32_t ctxid)
{
    uint32_t f = flush ? 1 : 0;
    if (gen >= AMD_GEN_10_3)
        PUT(w, release_mem, .event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS,
            .event_index = PM4_EVENT_INDEX_END_OF_PIPE, .glm_wb = f, .glm_inv = f, .glv_inv = f, .gl1_inv = f,
            .gl2_inv = f, .gl2_wb = f, .seq = f, .int_sel = int_sel, .data_sel = data_sel, .addr = addr,
            .data = data, .int_ctxid = ctxid);
    else
        PUT(w, release_mem_gfx9, .event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS,
            .event_index = PM4_EVENT_INDEX_END_OF_PIPE, .tc_wb_action = f, .tc_nc_action = f,
            .int_sel = int_sel, .data_sel = data_sel, .addr = addr, .data = data, .int_ctxid = ctxid);
}

/* ---- launch ---- */

/* LDS_SIZE counts these; gfx950 has larger ones. */
static uint32_t lds_granules(const struct amd_device *d, uint32_t bytes)
{
    uint32_t granule = !strcmp(d->target.name, "gfx950") ? 1280 : 512;
    return (bytes + granule - 1) / granule;
}

/* Units and width of TMPRING_SIZE.WAVESIZE: per generation. */
static const struct {
    uint32_t unit, max;
} wave_size[AMD_GEN_COUNT] = {
    [AMD_GEN_9_0] = {1024, (1 << 13) - 1},   [AMD_GEN_9_0A] = {1024, (1 << 13) - 1},
    [AMD_GEN_9_4_2] = {1024, (1 << 13) - 1}, [AMD_GEN_10_3] = {1024, (1 << 13) - 1},
    [AMD_GEN_11] = {256, (1 << 15) - 1},     [AMD_GEN_12] = {256, (1 << 18) - 1},
};

/* Last word of the private-segment buffer descriptor: swizzled by lane, 32-bit elements, no bounds check;
 * wave32 first. gfx9: DATA_FORMAT 32, NUM_FORMAT uint, INDEX_STRIDE 64, ADD_TID. gfx10 on: FORMAT 32_UINT,
 * INDEX_STRIDE 32 or 64, ADD_TID, OOB_SELECT 2; gfx10: RESOURCE_LEVEL. Source: LLVM's AMDGPU usage and the
 * RDNA ISA documents; gfx11's word for wave32 is the one the witness above emits. */
static const uint32_t buffer_word3[AMD_GEN_COUNT][2] = {
    [AMD_GEN_9_0] = {0x00e24000, 0x00e24000},   [AMD_GEN_9_0A] = {0x00e24000, 0x00e24000},
    [AMD_GEN_9_4_2] = {0x00e24000, 0x00e24000}, [AMD_GEN_10_3] = {0x21c14000, 0x21e14000},
    [AMD_GEN_11] = {0x20c14000, 0x20e14000},    [AMD_GEN_12] = {0x20c14000, 0x20e14000},
};
enum { SWIZZLE_ENABLE = (int)0x80000000 }; /* in word 1 of that descriptor */

/* Bytes of private memory that a kernel asks for when its calls are not known at compile time. */
enum { DYNAMIC_STACK = 4096 };

/* gfx9 has wave64 only, whatever a descriptor says. */
static uint32_t wave32(const struct amd_device *d, const struct amd_kernel *k)
{
    return d->gen >= AMD_GEN_10_3 && k->kd.wave32;
}

struct scratch {
    uint64_t va;
    uint32_t lane_bytes, tmpring;
};

static int get_scratch(struct amd_queue *q, const struct amd_kernel *k, struct scratch *s)
{
    struct amd_device *d = (struct amd_device *)q->base.device;
    uint64_t unit = wave_size[d->gen].unit, lane = k->kd.private_segment_size, wave,
             lanes = wave32(d, k) ? 32 : 64;
    *s = (struct scratch){0};
    if (k->kd.dynamic_stack)
        lane += DYNAMIC_STACK;
    if (!lane)
        return 0;
    wave = align_up(lane * lanes, unit);
    if (wave / unit > wave_size[d->gen].max)
        return fail(-EINVAL, "%s: %" PRIu64 " bytes of private memory a work-item, at most %" PRIu64 " on %s",
                    k->name, lane, wave_size[d->gen].max * unit / lanes, d->target.name);
    int rc = scratch_reserve(q, wave);
    if (rc)
        return rc;
    uint64_t engines = d->base.info.shader_engines ? d->base.info.shader_engines : 1;
    struct reg_COMPUTE_TMPRING_SIZE r = {
        .waves = (uint32_t)(d->gen >= AMD_GEN_11 ? q->scratch_waves / engines : q->scratch_waves),
        .wavesize = (uint32_t)(q->scratch_wave_bytes / unit),
    };
    s->tmpring = reg_COMPUTE_TMPRING_SIZE_pack(d->gen, &r);
    s->va = q->scratch->base.va;
    s->lane_bytes = (uint32_t)lane;
    return 0;
}

/* What the compiler's hidden arguments say, by kind (the order of HIDDEN_ARGS). */
static uint64_t hidden_value(const struct amd_queue *q, const struct geometry *g, uint32_t dynamic_lds,
                             unsigned kind)
{
    const struct amd_device *d = (const struct amd_device *)q->base.device;
    unsigned i;
    switch (kind) {
    case HIDDEN_block_count_x:
    case HIDDEN_block_count_y:
    case HIDDEN_block_count_z: /* whole ones only */
        i = kind - HIDDEN_block_count_x;
        return g->items[i] / g->block[i];
    case HIDDEN_group_size_x:
    case HIDDEN_group_size_y:
    case HIDDEN_group_size_z:
        return g->block[kind - HIDDEN_group_size_x];
    case HIDDEN_remainder_x:
    case HIDDEN_remainder_y:
    case HIDDEN_remainder_z:
        i = kind - HIDDEN_remainder_x;
        return g->items[i] % g->block[i];
    case HIDDEN_grid_dims:
        return g->dims;
    case HIDDEN_dynamic_lds_size:
        return dynamic_lds;
    case HIDDEN_private_base:
        return hi32(d->apertures.scratch_base);
    case HIDDEN_shared_base:
        return hi32(d->apertures.lds_base);
    case HIDDEN_queue_ptr:
        return q->control->base.va;
    default:
        return 0; /* global offsets, and services that are not there: printf, hostcall, heap, device queues */
    }
}

/* The argument block without the explicit ones. */
static void write_hidden(const struct amd_queue *q, const struct amd_kernel *k, const struct geometry *g,
                         char *to)
{
    memset(to, 0, k->kernarg_segment);
    for (unsigned i = 0; i < k->hidden_count; i++) {
        const struct hidden_arg *h = &k->hidden[i];
        uint64_t v = hidden_value(q, g, g->lds - k->base.info.lds_bytes, h->kind);
        memcpy(to + h->offset, &v, h->bytes);
    }
}

/* The packet that a kernel finds behind its dispatch pointer: as an HSA queue would hold it. */
static void write_dispatch(const struct amd_kernel *k, const struct geometry *g, const struct scratch *s,
                           uint64_t kernarg_va, void *to)
{
    uint32_t dw[AQL_DWORDS];
    struct aql_dispatch p = {
        .barrier = 1,
        .acquire = AQL_SCOPE_SYSTEM,
        .release = AQL_SCOPE_SYSTEM,
        .dims = g->dims,
        .workgroup_x = g->block[0],
        .workgroup_y = g->block[1],
        .workgroup_z = g->block[2],
        .grid_x = g->items[0],
        .grid_y = g->items[1],
        .grid_z = g->items[2],
        .private_segment_size = s->lane_bytes,
        .group_segment_size = g->lds,
        .kernel_object = k->kd_va,
        .kernarg_address = kernarg_va,
    };
    aql_dispatch_pack(dw, &p);
    memcpy(to, dw, sizeof dw);
}

struct user_data {
    uint32_t dw[AMD_USER_DATA_COUNT + 4];
    unsigned n;
};

static void user64(struct user_data *u, uint32_t wanted, uint64_t v)
{
    if (wanted) {
        u->dw[u->n++] = lo32(v);
        u->dw[u->n++] = hi32(v);
    }
}

/* The scalar registers a wave starts with, in the descriptor's order; those that differ with every launch are noted in t. */
static void put_user_data(struct launch_template *t, const struct amd_queue *q, const struct amd_kernel *k,
                          const struct scratch *s)
{
    const struct amd_device *d = (const struct amd_device *)q->base.device;
    struct user_data u = {.n = 0};
    unsigned first = t->body.n + PM4_set_sh_reg_DWORDS;
    if (k->kd.sgpr_private_segment_buffer) {
        user64(&u, 1, s->va);
        u.dw[1] |= (uint32_t)SWIZZLE_ENABLE;
        user64(&u, 1, (uint64_t)buffer_word3[d->gen][!wave32(d, k)] << 32 | UINT32_MAX);
    }
    t->dispatch_at = k->kd.sgpr_dispatch_ptr ? first + u.n : 0;
    user64(&u, k->kd.sgpr_dispatch_ptr, 0);
    user64(&u, k->kd.sgpr_queue_ptr, q->control->base.va);
    t->kernarg_at = k->kd.sgpr_kernarg_ptr ? first + u.n : 0;
    user64(&u, k->kd.sgpr_kernarg_ptr, 0);
    t->id_at = k->kd.sgpr_dispatch_id ? first + u.n : 0;
    user64(&u, k->kd.sgpr_dispatch_id, 0);
    user64(&u, k->kd.sgpr_flat_scratch_init, s->va);
    u.n += k->kd.preload_length; /* left as they are: the code's entry loads them itself */
    if (k->kd.sgpr_private_segment_size && u.n < AMD_USER_DATA_COUNT)
        u.dw[u.n++] = s->lane_bytes;
    if (u.n > AMD_USER_DATA_COUNT)
        u.n = AMD_USER_DATA_COUNT;
    if (u.n)
        put_sh(&t->body, AMD_USER_DATA, u.dw, u.n);
}

static void put_program(struct words *w, const struct amd_queue *q, const struct amd_kernel *k,
                        const struct geometry *g, const struct scratch *s)
{
    const struct amd_device *d = (const struct amd_device *)q->base.device;
    enum amd_gen gen = d->gen;
    struct reg_COMPUTE_PGM_RSRC1 r1;
    struct reg_COMPUTE_PGM_RSRC2 r2;
    reg_COMPUTE_PGM_RSRC1_unpack(gen, k->kd.rsrc1, &r1);
    reg_COMPUTE_PGM_RSRC2_unpack(gen, k->kd.rsrc2, &r2);
    if (gen == AMD_GEN_11)
        r1.priv = 1; /* else a wave that has been saved to memory by the trap handler is not restored right */
    if (s->lane_bytes)
        r2.scratch_en = 1;
    r2.lds_size = lds_granules(d, g->lds);
    PUT_SH(w, reg_COMPUTE_PGM_LO_offset(gen), lo32(k->entry_va >> 8), hi32(k->entry_va >> 8));
    PUT_SH(w, reg_COMPUTE_PGM_RSRC1_offset(gen), reg_COMPUTE_PGM_RSRC1_pack(gen, &r1),
           reg_COMPUTE_PGM_RSRC2_pack(gen, &r2));
    if (reg_COMPUTE_PGM_RSRC3_offset(gen) != REG_NONE)
        PUT_SH(w, reg_COMPUTE_PGM_RSRC3_offset(gen), k->kd.rsrc3);
    PUT_SH(w, reg_COMPUTE_TMPRING_SIZE_offset(gen), s->tmpring);
    PUT_SH(w, reg_COMPUTE_DISPATCH_SCRATCH_BASE_LO_offset(gen), lo32(s->va >> 8), hi32(s->va >> 8));
    PUT_SH(w, reg_COMPUTE_RESTART_X_offset(gen), 0, 0, 0);
}

static void put_grid(struct words *w, const struct amd_device *d, const struct amd_kernel *k,
                     const struct geometry *g)
{
    enum amd_gen gen = d->gen;
    uint32_t threads[3], any_partial = 0;
    for (int i = 0; i < 3; i++) {
        uint32_t partial = g->items[i] % g->block[i];
        struct reg_COMPUTE_NUM_THREAD_X r = {.num_thread_full = g->block[i]};
        any_partial |= partial;
        r.num_thread_partial = partial ? partial : g->block[i]; /* of the last group */
        threads[i] = reg_COMPUTE_NUM_THREAD_X_pack(gen, &r);
    }
    if (!any_partial)
        for (int i = 0; i < 3; i++)
            threads[i] = g->block[i];
    struct reg_COMPUTE_DISPATCH_INITIATOR r = {.compute_shader_en = 1,
                                               .partial_tg_en = any_partial != 0,
                                               .force_start_at_000 = 1,
                                               .cs_w32_en = wave32(d, k)};
    PUT_SH(w, reg_COMPUTE_RESOURCE_LIMITS_offset(gen), 0);
    PUT_SH(w, reg_COMPUTE_START_X_offset(gen), 0, 0, 0, threads[0], threads[1], threads[2], 0, 0);
    PUT(w, dispatch_direct, .dim_x = g->groups[0], .dim_y = g->groups[1], .dim_z = g->groups[2],
        .initiator = reg_COMPUTE_DISPATCH_INITIATOR_pack(gen, &r));
    PUT(w, event_write, .event_type = PM4_EVENT_CS_PARTIAL_FLUSH,
        .event_index = PM4_EVENT_INDEX_PARTIAL_FLUSH);
}

/* Makes the template what this launch needs, unless the last one was of the same kind. */
static struct launch_template *get_template(struct amd_queue *q, const struct amd_kernel *k,
                                            const struct geometry *g, const struct scratch *s)
{
    struct launch_template *t = &q->last;
    if (t->kernel_id == k->id && t->scratch_va == s->va && t->tmpring == s->tmpring &&
        !memcmp(&t->geometry, g, sizeof *g))
        return t;
    t->kernel_id = k->id;
    t->geometry = *g;
    t->scratch_va = s->va;
    t->tmpring = s->tmpring;
    t->body.n = 0;
    put_program(&t->body, q, k, g, s);
    put_user_data(t, q, k, s);
    put_grid(&t->body, (const struct amd_device *)q->base.device, k, g);
    if (k->kernarg_segment <= TEMPLATE_BYTES)
        write_hidden(q, k, g, (char *)t->kernarg);
    return t;
}

static void patch64(struct words *w, unsigned at, uint64_t v)
{
    if (at)
        store64(w->dw + at, v);
}

int amd_launch(nx_queue *queue, nx_kernel *kernel, const struct geometry *g, const struct nx_launch *l)
{
    struct amd_queue *q = (struct amd_queue *)queue;
    const struct amd_device *d = (const struct amd_device *)queue->device;
    const struct amd_kernel *k = (const struct amd_kernel *)kernel;
    struct words w;
    struct scratch s;
    uint64_t va;
    char *host;
    int rc = get_scratch(q, k, &s);
    if (rc)
        return rc;
    uint32_t before = k->kd.sgpr_dispatch_ptr ? AQL_DWORDS * 4 : 0; /* the packet, then the arguments */
    if ((rc = kernarg_take(q, before + k->kernarg_segment, &va, (void **)&host)))
        return rc;
    struct launch_template *t = get_template(q, k, g, &s);
    if (before)
        write_dispatch(k, g, &s, va + before, host);
    if (k->kernarg_segment <= TEMPLATE_BYTES)
        memcpy(host + before, t->kernarg, k->kernarg_segment);
    else
        write_hidden(q, k, g, host + before);
    launch_pack(kernel, l, host + before);
    w.n = 0;
    put_acquire(&w, d->gen, q->fresh);
    q->fresh = 0; /* until the next submit, which may be within ring_put */
    patch64(&t->body, t->dispatch_at, va);
    patch64(&t->body, t->kernarg_at, va + before);
    patch64(&t->body, t->id_at, q->dispatch_id);
    if ((rc = ring_put(q, w.dw, w.n, RING_KEEP)) || (rc = ring_put(q, t->body.dw, t->body.n, RING_KEEP)))
        return rc;
    q->dispatch_id++;
    return 0;
}

/* ---- the other words ---- */

/* In pieces the packet's byte count holds; each waits for the piece before, so that work behind sees all of
 * them. */
static int dma(nx_queue *queue, uint64_t dst, uint64_t src, uint32_t src_sel, uint64_t size)
{
    for (uint64_t n; size; size -= n, dst += n) {
        struct words w = {.n = 0};
        n = size < COPY_MAX ? size : COPY_MAX;
        PUT(&w, dma_data, .src_sel = src_sel, .dst_sel = PM4_DMA_DST_ADDRESS_L2, .cp_sync = 1, .src = src,
            .dst = dst, .byte_count = (uint32_t)n);
        if (src_sel != PM4_DMA_SRC_DATA)
            src += n;
        int rc = ring_put((struct amd_queue *)queue, w.dw, w.n, RING_KEEP);
        if (rc)
            return rc;
    }
    return 0;
}

int amd_copy(nx_queue *queue, uint64_t dst, uint64_t src, uint64_t size)
{
    return dma(queue, dst, src, PM4_DMA_SRC_ADDRESS_L2, size);
}

int amd_fill(nx_queue *queue, uint64_t dst, uint32_t pattern, uint64_t size)
{
    return dma(queue, dst, pattern, PM4_DMA_SRC_DATA, size);
}

int amd_timestamp(nx_queue *queue, uint64_t va)
{
    struct words w = {.n = 0};
    put_release(&w, ((struct amd_device *)queue->device)->gen, 0, PM4_DATA_SEL_GPU_CLOCK, va, 0,
                PM4_INT_SEL_NONE, 0);
    return ring_put((struct amd_queue *)queue, w.dw, w.n, RING_KEEP);
}

int amd_queue_wait(nx_queue *queue, uint64_t va, uint64_t value)
{
    struct words w = {.n = 0};
    PUT(&w, wait_reg_mem64, .function = PM4_FUNC_GE, .mem_space = PM4_SPACE_MEMORY, .addr = va,
        .reference = value, .mask = UINT64_MAX, .poll_interval = 4);
    int rc = ring_put((struct amd_queue *)queue, w.dw, w.n, RING_KEEP);
    if (!rc)
        ((struct amd_queue *)queue)->fresh = 1; /* the waiting was for somebody's data */
    return rc;
}

int amd_queue_signal(nx_queue *queue, uint64_t va, uint64_t value, int wake)
{
    const struct amd_device *d = (const struct amd_device *)queue->device;
    struct words w = {.n = 0};
    put_release(&w, d->gen, RELEASE_FLUSH, PM4_DATA_SEL_DATA64, va, value, PM4_INT_SEL_NONE, 0);
    if (wake) /* gfx9's interrupt carries no id: the driver looks through all slots */
        put_release(&w, d->gen, 0, PM4_DATA_SEL_LOW32, session_event_va(d->session) + 8ull * d->event_slot,
                    d->event_id, PM4_INT_SEL_IRQ_AFTER_CONFIRM, d->gen >= AMD_GEN_10_3 ? d->event_id : 0);
    return ring_put((struct amd_queue *)queue, w.dw, w.n, va == queue->done->va ? 0 : RING_KEEP);
}
