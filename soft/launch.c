#include "soft/launch.h"
#include "base/bits.h"
#include "base/err.h"
#include "hw/amd/aql.h"
#include "hw/amd/kd.h"
#include "hw/amd/regs.h"
#include "isa/amd/amd.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GROUP_ITEMS = 1024, LDS_UNIT = 512, LDS_BYTES = 64 << 10, GROUPS_PER_CU = 32 };
/* Private memory of AQL dispatches is the software GPU's own; it lies where no client can map anything, apart
 * for each queue. */
#define SCRATCH_VA(q)     ((1ull << 47) + ((uint64_t)(q)->id << 38))
#define SCRATCH_MAX_BYTES (1ull << 36)

struct launch {
    struct eng_dispatch *dispatch;
    struct queue *q;
    enum amd_gen gen;
    uint32_t user[32], nuser; /* user SGPRs */
    struct reg_COMPUTE_PGM_RSRC2 r2;
    uint64_t scratch_va;
    void *scratch; /* AQL: its memory */
    uint64_t scratch_bytes;
};

/* Chips whose hardware sets FLAT_SCRATCH itself. */
static bool architected_scratch(enum amd_gen gen)
{
    return gen == AMD_GEN_9_4_2 || gen >= AMD_GEN_11;
}
/* Chips that pack the three work-item ids into v0. */
static bool packed_ids(enum amd_gen gen)
{
    return gen == AMD_GEN_9_0A || gen == AMD_GEN_9_4_2 || gen >= AMD_GEN_11;
}

/* Work-item ids: the linear number in the (possibly shrunken) workgroup, taken apart by its size. */
static void init_ids(const struct launch *l, struct wave *w, const uint32_t size[3])
{
    unsigned comps = l->r2.tidig_comp_cnt;
    for (unsigned i = 0; i < w->width; i++) {
        uint32_t n = w->index * (uint32_t)w->width + i;
        uint32_t x = n % size[0], y = n / size[0] % size[1], z = n / size[0] / size[1];
        y = comps >= 1 ? y : 0;
        z = comps >= 2 ? z : 0;
        if (n >= size[0] * size[1] * size[2]) /* lanes past the end are off; what they hold shows nothing */
            x = y = z = 0;
        if (packed_ids(l->gen)) {
            w->v[i] = x | y << 10 | z << 20;
            continue;
        }
        w->v[i] = x;
        if (comps >= 1 && w->nvregs > 1)
            w->v[w->width + i] = y;
        if (comps >= 2 && w->nvregs > 2)
            w->v[2 * w->width + i] = z;
    }
}

static void init_wave(void *ctx, struct wave *w, const uint32_t size[3])
{
    const struct launch *l = ctx;
    const struct workgroup *g = w->group;
    unsigned n = l->nuser;
    memcpy(w->s, l->user, n * sizeof *l->user);
    if (l->gen >= AMD_GEN_12) { /* workgroup ids are in trap temporaries */
        w->s[SREG_TTMP + 9] = g->id[0];
        w->s[SREG_TTMP + 7] = (g->id[1] & 0xffff) | g->id[2] << 16;
        w->s[SREG_TTMP + 8] = (uint32_t)w->index << 25;
    } else {
        if (l->r2.tgid_x_en)
            w->s[n++] = g->id[0];
        if (l->r2.tgid_y_en)
            w->s[n++] = g->id[1];
        if (l->r2.tgid_z_en)
            w->s[n++] = g->id[2];
        if (l->r2.tg_size_en) /* first wave 31, waves in the group 5:0 */
            w->s[n++] = (w->index ? 0u : 1u << 31) | g->waves;
    }
    if (l->r2.scratch_en && architected_scratch(l->gen))
        wave_set_s64(w, SREG_FLAT_SCRATCH, w->scratch_va);
    else if (l->r2.scratch_en)
        w->s[n++] = (uint32_t)(w->scratch_va - l->scratch_va);
    init_ids(l, w, size);
}

/* Vector registers that RSRC1.VGPRS names. */
static unsigned vector_registers(enum amd_gen gen, uint32_t field, unsigned width)
{
    unsigned unit = gen == AMD_GEN_9_0 ? 4 : gen < AMD_GEN_10_3 ? 8 : width == 32 ? 8 : 4;
    return (field + 1) * unit;
}

/* MODE as RSRC1 starts it: rounding and denormals 7:0, dx10_clamp 8, ieee 9, fp16_ovfl 23. gfx12 has neither
 * of the two bits in between: it clamps NaN to 0 and treats signalling NaNs as IEEE says, always. */
static uint32_t start_mode(enum amd_gen gen, const struct reg_COMPUTE_PGM_RSRC1 *r)
{
    uint32_t fixed = gen >= AMD_GEN_12 ? 3u << 8 : r->dx10_clamp << 8 | r->ieee_mode << 9;
    return r->float_mode | fixed | r->fp16_ovfl << 23;
}

/* How many workgroups the chip holds at once: waves and LDS of its compute units. */
static uint32_t resident_groups(const struct chip *c, unsigned waves, uint32_t lds)
{
    uint32_t per_cu = c->waves_per_simd * c->simd_per_cu / (waves ? waves : 1);
    if (lds && LDS_BYTES / lds < per_cu)
        per_cu = LDS_BYTES / lds;
    if (per_cu > GROUPS_PER_CU)
        per_cu = GROUPS_PER_CU;
    return c->cu * (per_cu ? per_cu : 1);
}

/* What both ways of launching have in common; e is filled but for these. */
static int start(struct launch *l, struct eng_launch *e, uint32_t rsrc1)
{
    const struct gpu *g = l->q->gpu;
    struct reg_COMPUTE_PGM_RSRC1 r1;
    uint64_t items = 1;
    reg_COMPUTE_PGM_RSRC1_unpack(l->gen, rsrc1, &r1);
    for (int i = 0; i < 3; i++) {
        if (!e->groups[i])
            return fail(-EINVAL, "grid %u x %u x %u is empty", e->groups[0], e->groups[1], e->groups[2]);
        if (!e->group_size[i])
            return fail(-EINVAL, "workgroup %u x %u x %u is empty", e->group_size[0], e->group_size[1],
                        e->group_size[2]);
        items *= e->group_size[i];
    }
    if (items > GROUP_ITEMS)
        return fail(-EINVAL, "workgroup %u x %u x %u has more than %d work-items", e->group_size[0],
                    e->group_size[1], e->group_size[2], GROUP_ITEMS);
    if (e->lds_bytes > LDS_BYTES)
        return fail(-EINVAL, "%u bytes of LDS, the chip has %d", e->lds_bytes, LDS_BYTES);
    if (e->pc >> 47)
        return fail(-EINVAL, "program at 0x%llx: an address below 2^47 expected", (unsigned long long)e->pc);
    e->nvregs = vector_registers(l->gen, r1.vgprs, e->width);
    unsigned most = l->gen == AMD_GEN_9_0A || l->gen == AMD_GEN_9_4_2 ? 512 : 256;
    if (e->nvregs > most)
        return fail(-EINVAL, "%u vector registers, a wave has at most %u", e->nvregs, most);
    if (l->gen == AMD_GEN_11 && !r1.priv)
        debug("pm4", "RSRC1.PRIV is not set: on gfx11 a wave that is preempted would not come back right");
    e->isa = amd_isa(g->chip->isa);
    e->mem = g->map;
    e->cache = g->cache;
    e->mode = start_mode(l->gen, &r1);
    e->shared_base = AMD_SHARED_BASE;
    e->private_base = AMD_PRIVATE_BASE;
    e->max_groups = resident_groups(g->chip, (unsigned)((items + e->width - 1) / e->width), e->lds_bytes);
    e->init_wave = init_wave;
    e->ctx = l;
    l->scratch_va = e->scratch_va;
    if (e->groups[0] == 0xffffffff || !e->isa)
        return fail(-EINVAL, "this chip's programs cannot be executed");
    return eng_dispatch_start(e, &l->dispatch);
}

/* Grid and workgroup of the registers: which group ids run, and how many work-items the last one has. */
static int grid(enum amd_gen gen, const uint32_t *sh, const uint32_t dims[3],
                const struct reg_COMPUTE_DISPATCH_INITIATOR *in, struct eng_launch *e)
{
    for (unsigned i = 0; i < 3; i++) {
        struct reg_COMPUTE_NUM_THREAD_X t;
        reg_COMPUTE_NUM_THREAD_X_unpack(gen, sh[reg_COMPUTE_NUM_THREAD_X_offset(gen) + i], &t);
        uint32_t first = in->force_start_at_000 ? 0 : sh[reg_COMPUTE_START_X_offset(gen) + i], end = dims[i];
        uint32_t full = t.num_thread_full, tail = full;
        if (!full)
            return fail(-EINVAL, "NUM_THREAD %u is 0", i);
        if (in->use_thread_dimensions) {
            tail = end % full ? end % full : full;
            end = end / full + (end % full != 0);
        } else if (in->partial_tg_en) {
            tail = t.num_thread_partial;
            if (!tail || tail > full)
                return fail(-EINVAL, "NUM_THREAD_PARTIAL %u in dimension %u: 1 to %u expected", tail, i,
                            full);
        }
        if (end <= first)
            return fail(-EINVAL, "grid dimension %u runs from group %u to %u: nothing to run", i, first, end);
        e->group_start[i] = first;
        e->groups[i] = end - first;
        e->group_size[i] = full;
        e->tail[i] = tail;
    }
    return 0;
}

static int scratch_of_registers(struct launch *l, const uint32_t *sh, struct eng_launch *e)
{
    enum amd_gen gen = l->gen;
    const struct chip *c = l->q->gpu->chip;
    struct reg_COMPUTE_TMPRING_SIZE t;
    reg_COMPUTE_TMPRING_SIZE_unpack(gen, sh[reg_COMPUTE_TMPRING_SIZE_offset(gen)], &t);
    uint64_t bytes = (uint64_t)t.wavesize * (gen >= AMD_GEN_11 ? 256 : 1024);
    uint32_t base = reg_COMPUTE_DISPATCH_SCRATCH_BASE_LO_offset(gen);
    if (!l->r2.scratch_en)
        return 0;
    if (!t.waves || !t.wavesize)
        return fail(-EINVAL, "scratch is enabled, but TMPRING_SIZE gives %u waves of %llu bytes", t.waves,
                    (unsigned long long)bytes);
    e->scratch_va = ((uint64_t)(sh[base + 1] & 0xff) << 32 | sh[base]) << 8;
    e->scratch_wave_bytes = (uint32_t)bytes;
    e->scratch_lane_bytes = (uint32_t)(bytes / e->width);
    e->scratch_slots = t.waves * (gen >= AMD_GEN_11 ? c->arrays / c->arrays_per_engine : 1);
    return 0;
}

int launch_registers(struct queue *q, const uint32_t *sh, const uint32_t dims[3], uint32_t initiator,
                     struct launch **out)
{
    enum amd_gen gen = q->gpu->chip->gen;
    struct reg_COMPUTE_DISPATCH_INITIATOR in;
    struct eng_launch e = {0};
    struct launch *l = calloc(1, sizeof *l);
    if (!l)
        return fail(-ENOMEM, "no memory for a launch");
    *l = (struct launch){.q = q, .gen = gen};
    reg_COMPUTE_DISPATCH_INITIATOR_unpack(gen, initiator, &in);
    reg_COMPUTE_PGM_RSRC2_unpack(gen, sh[reg_COMPUTE_PGM_RSRC2_offset(gen)], &l->r2);
    uint32_t pgm = reg_COMPUTE_PGM_LO_offset(gen);
    e.pc = ((uint64_t)(sh[pgm + 1] & 0xff) << 32 | sh[pgm]) << 8;
    e.width = gen >= AMD_GEN_10_3 && in.cs_w32_en ? 32 : 64;
    e.lds_bytes = l->r2.lds_size * LDS_UNIT;
    l->nuser = l->r2.user_sgpr;
    int err = 0;
    if (!in.compute_shader_en)
        err = fail(-EINVAL, "initiator 0x%x does not enable the shader", initiator);
    else if (in.ordered_append_enbl || in.restore)
        err = fail(-EINVAL, "initiator 0x%x: ordered append and restore are not modelled", initiator);
    else if (l->nuser > AMD_USER_DATA_COUNT || l->r2.skip_usgpr0)
        err = fail(-EINVAL, "RSRC2 0x%x: at most %u user registers, none skipped",
                   sh[reg_COMPUTE_PGM_RSRC2_offset(gen)], AMD_USER_DATA_COUNT);
    if (!err)
        err = grid(gen, sh, dims, &in, &e);
    if (!err)
        err = scratch_of_registers(l, sh, &e);
    if (!err) {
        memcpy(l->user, sh + AMD_USER_DATA, l->nuser * 4);
        err = start(l, &e, sh[reg_COMPUTE_PGM_RSRC1_offset(gen)]);
    }
    if (err) {
        launch_free(l);
        return err;
    }
    *out = l;
    return 0;
}

/* ---- AQL ---- */

/* Last word of the private-segment buffer descriptor, wave64 and wave32: swizzled by lane, no bounds check
 * (what ROCr writes into the queue object for each generation). */
static uint32_t buffer_word3(enum amd_gen gen, unsigned width)
{
    uint32_t w = gen < AMD_GEN_10_3 ? 0x00e24000 : gen == AMD_GEN_10_3 ? 0x21c14000 : 0x20c14000;
    return gen >= AMD_GEN_10_3 && width == 64 ? w | 1u << 21 : w;
}

struct aql {
    const struct aql_dispatch *p;
    const struct kd_desc *kd;
    uint64_t packet_va, queue_va, id;
};

static void user64(struct launch *l, uint32_t wanted, uint64_t v)
{
    if (wanted && l->nuser + 2 <= ARRAY_LEN(l->user)) {
        l->user[l->nuser++] = lo32(v);
        l->user[l->nuser++] = hi32(v);
    }
}

/* The scalar registers a kernel asked for, in the descriptor's order. */
static int user_registers(struct launch *l, const struct aql *a, struct eng_launch *e)
{
    const struct kd_desc *kd = a->kd;
    if (kd->sgpr_private_segment_buffer) {
        user64(l, 1, e->scratch_va | 1ull << 63);
        user64(l, 1, (uint64_t)buffer_word3(l->gen, e->width) << 32 | UINT32_MAX);
    }
    user64(l, kd->sgpr_dispatch_ptr, a->packet_va);
    user64(l, kd->sgpr_queue_ptr, a->queue_va);
    user64(l, kd->sgpr_kernarg_ptr, a->p->kernarg_address);
    user64(l, kd->sgpr_dispatch_id, a->id);
    user64(l, kd->sgpr_flat_scratch_init, e->scratch_va);
    if (kd->preload_length) {
        if (kd->preload_length > ARRAY_LEN(l->user) - l->nuser)
            return fail(-EINVAL, "%u preloaded kernarg dwords do not fit", kd->preload_length);
        int err = queue_read(l->q, "kernarg preload", a->p->kernarg_address + kd->preload_offset * 4ull,
                             l->user + l->nuser, kd->preload_length * 4ull);
        if (err)
            return err;
        l->nuser += kd->preload_length;
        e->pc += 256; /* behind the loads for hardware that does not preload */
    }
    if (kd->sgpr_private_segment_size && l->nuser < ARRAY_LEN(l->user))
        l->user[l->nuser++] = a->p->private_segment_size;
    if (l->r2.user_sgpr < l->nuser)
        return fail(-EINVAL, "RSRC2 names %u user registers, the descriptor fills %u", l->r2.user_sgpr,
                    l->nuser);
    l->nuser = l->r2.user_sgpr;
    return 0;
}

/* The software GPU's own private memory, sparse: never a reason to refuse but a single workgroup that does
 * not fit. */
static int own_scratch(struct launch *l, const struct aql *a, struct eng_launch *e, uint32_t waves)
{
    const struct chip *c = l->q->gpu->chip;
    uint64_t unit = l->gen >= AMD_GEN_11 ? 256 : 1024, lane = a->p->private_segment_size;
    if (!lane)
        return 0;
    uint64_t wave = align_up(lane * e->width, unit), slots = (uint64_t)c->cu * c->slots_scratch_cu;
    if (slots * wave > SCRATCH_MAX_BYTES)
        slots = SCRATCH_MAX_BYTES / wave;
    if (slots < waves || wave > UINT32_MAX)
        return fail(-EINVAL, "%llu bytes of private memory a work-item are too many",
                    (unsigned long long)lane);
    l->scratch_bytes = align_up(slots * wave, PAGE);
    void *p = mmap(NULL, l->scratch_bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return fail(-EINVAL, "no address space for %llu bytes of private memory",
                    (unsigned long long)l->scratch_bytes);
    const struct mem_range r = {SCRATCH_VA(l->q), l->scratch_bytes, p, MEM_READ | MEM_WRITE, 0};
    if (mem_map_add(l->q->gpu->map, &r)) {
        munmap(p, l->scratch_bytes);
        return fail_in(-EINVAL, "private memory");
    }
    l->scratch = p;
    l->scratch_va = e->scratch_va = r.va;
    e->scratch_wave_bytes = (uint32_t)wave;
    e->scratch_lane_bytes = (uint32_t)(wave / e->width);
    e->scratch_slots = (uint32_t)slots;
    l->r2.scratch_en = 1;
    return 0;
}

static int aql_grid(const struct aql_dispatch *p, struct eng_launch *e, uint32_t *error)
{
    const uint32_t grid_[3] = {p->grid_x, p->grid_y, p->grid_z},
                   wg[3] = {p->workgroup_x, p->workgroup_y, p->workgroup_z};
    uint64_t items = 1;
    *error = AMD_QUEUE_ERROR_DIMS;
    if (p->dims < 1 || p->dims > 3)
        return fail(-EINVAL, "%u dimensions", p->dims);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t n = i < p->dims ? grid_[i] : 1, size = i < p->dims ? wg[i] : 1;
        if (!n)
            return fail(-EINVAL, "grid %u x %u x %u is empty", grid_[0], grid_[1], grid_[2]);
        items *= size;
        if (!size || items > GROUP_ITEMS) {
            *error = AMD_QUEUE_ERROR_WORKGROUP;
            return fail(-EINVAL, "workgroup %u x %u x %u: 1 to %d work-items expected", wg[0], wg[1], wg[2],
                        GROUP_ITEMS);
        }
        e->groups[i] = n / size + (n % size != 0);
        e->group_size[i] = size;
        e->tail[i] = n % size ? n % size : size;
    }
    return 0;
}

int launch_aql(struct queue *q, const uint32_t *packet, uint64_t packet_va, uint64_t queue_va,
               uint64_t dispatch_id, uint32_t *error, struct launch **out)
{
    struct aql_dispatch p;
    struct kd_desc kd;
    uint32_t words[KD_BYTES / 4], bits;
    struct eng_launch e = {0};
    const struct aql a = {&p, &kd, packet_va, queue_va, dispatch_id};
    aql_dispatch_unpack(packet, &p);
    *error = AMD_QUEUE_ERROR_CODE;
    if (p.kernel_object % 64)
        return fail(-EINVAL, "kernel object 0x%llx is not 64-byte aligned",
                    (unsigned long long)p.kernel_object);
    int err = queue_read(q, "kernel descriptor", p.kernel_object, words, sizeof words);
    if (err)
        return err;
    kd_desc_unpack(words, &kd);
    if (kd_desc_unknown(words) >= 0)
        return fail(-EINVAL, "kernel descriptor at 0x%llx: reserved bits are set",
                    (unsigned long long)p.kernel_object);
    const struct amd_reg *r1 = amd_reg_named("COMPUTE_PGM_RSRC1");
    if (r1 && (bits = amd_reg_unknown(r1, q->gpu->chip->gen, kd.rsrc1)))
        return fail(-EINVAL, "kernel descriptor: RSRC1 bits 0x%x are not defined", bits);
    struct launch *l = calloc(1, sizeof *l);
    if (!l)
        return fail(-ENOMEM, "no memory for a launch");
    *l = (struct launch){.q = q, .gen = q->gpu->chip->gen};
    reg_COMPUTE_PGM_RSRC2_unpack(l->gen, kd.rsrc2, &l->r2);
    e.width = l->gen >= AMD_GEN_10_3 && kd.wave32 ? 32 : 64;
    e.pc = p.kernel_object + kd.entry;
    e.lds_bytes = p.group_segment_size;
    err = aql_grid(&p, &e, error);
    if (!err) {
        uint32_t items = e.group_size[0] * e.group_size[1] * e.group_size[2];
        *error = e.width == 64 ? AMD_QUEUE_ERROR_SCRATCH_WAVE64 : AMD_QUEUE_ERROR_SCRATCH_WAVE32;
        err = own_scratch(l, &a, &e, (items + e.width - 1) / e.width);
    }
    if (!err) {
        *error = AMD_QUEUE_ERROR_CODE;
        err = user_registers(l, &a, &e);
    }
    if (!err) {
        *error = e.lds_bytes > LDS_BYTES ? AMD_QUEUE_ERROR_GROUP_MEMORY : AMD_QUEUE_ERROR_REGISTERS;
        err = start(l, &e, kd.rsrc1);
    }
    if (err) {
        launch_free(l);
        return err;
    }
    *out = l;
    return 0;
}

/* ---- both ---- */

int launch_run(struct launch *l)
{
    return eng_dispatch_run(l->dispatch, SLICE_INSNS);
}

const struct eng_fault *launch_fault(const struct launch *l)
{
    return eng_dispatch_fault(l->dispatch);
}

void launch_free(struct launch *l)
{
    if (!l)
        return;
    eng_dispatch_free(l->dispatch);
    if (l->scratch) {
        mem_map_remove(l->q->gpu->map, l->scratch_va);
        munmap(l->scratch, l->scratch_bytes);
    }
    free(l);
}
