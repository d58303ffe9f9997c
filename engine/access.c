#include "engine/access.h"
#include "base/bits.h"
#include <string.h>

/* A lane's access, resolved to a space. */
enum space { IN_MEMORY, IN_LDS, IN_SCRATCH, IN_BUFFER };
struct place {
    enum space space;
    uint64_t at;     /* address in the space (buffer: offset that is checked and swizzled) */
    uint64_t base;   /* buffer: base + soffset */
    uint64_t index;  /* buffer */
    uint32_t extra;  /* buffer: what soffset adds in the range check of raw buffers */
    uint32_t srd[4]; /* buffer descriptor */
};

uint32_t opnd_lane32(const struct wave *w, const struct lane_opnd *o, unsigned lane)
{
    return o->kind == LK_VREG ? w->v[o->reg * w->width + lane] : opnd_s32(w, o);
}

static uint64_t opnd_lane64(const struct wave *w, const struct lane_opnd *o, unsigned lane)
{
    if (o->kind == LK_VREG)
        return w->v[o->reg * w->width + lane] | (uint64_t)w->v[(o->reg + 1) * w->width + lane] << 32;
    return opnd_s64(w, o);
}

/* Buffer descriptor V#, dwords 0 to 3: base 47:0, stride 61:48, swizzle 63:62 (gfx11: element 4, 8, 16 bytes;
 * before: bit 63, 4 bytes), num_records 95:64, then in dword 3: index_stride 22:21, add_tid 23, oob_select
 * 29:28 (gfx10 and later). The element_size of gfx8 at 20:19 is gone in gfx9 (Vega ISA document; LLVM sets it up
 * to gfx8 only; ROCr's scratch descriptor of gfx906 has 0 there). */
static uint64_t srd_base(const struct place *p)
{
    return p->srd[0] | (uint64_t)(p->srd[1] & 0xffff) << 32;
}
static uint32_t srd_stride(const struct place *p)
{
    return p->srd[1] >> 16 & 0x3fff;
}
static uint32_t srd_element(const struct wave *w, const struct place *p) /* bytes; 0: linear */
{
    unsigned s = p->srd[1] >> 30;
    if (w->gen >= 11)
        return s ? 2u << s : 0;
    return s & 2 ? 4 : 0;
}

static void buffer_place(const struct wave *w, const struct lane_insn *in, int32_t imm, unsigned lane,
                         struct place *p)
{
    for (unsigned k = 0; k < 4; k++)
        p->srd[k] = in->s[2].kind == LK_SREG ? w->s[in->s[2].reg + k] : 0;
    unsigned index_regs = in->aux & LB_IDXEN ? 1 : 0;
    struct lane_opnd o = in->s[0];
    p->index = index_regs ? opnd_lane32(w, &o, lane) : 0;
    o.reg = (uint16_t)(o.reg + index_regs);
    p->at = (in->aux & LB_OFFEN ? (uint64_t)opnd_lane32(w, &o, lane) : 0) + (uint32_t)imm;
    if (p->srd[3] >> 23 & 1)
        p->index += lane;
    p->extra = opnd_s32(w, &in->s[3]);
    p->base = srd_base(p) + p->extra;
    p->space = IN_BUFFER;
}

/* Is the byte range at offset o within the buffer? gfx10+: OOB_SELECT 0 structured (index and offset), 1
 * index only, 2 only an empty buffer is out, 3 raw. gfx9: by the stride. A raw buffer's check counts soffset.
 */
static int buffer_inside(const struct wave *w, const struct place *p, uint64_t o, unsigned n)
{
    uint64_t records = p->srd[2], stride = srd_stride(p);
    unsigned select = p->srd[3] >> 28 & 3;
    if (w->gen < 10)
        select = stride ? (srd_element(w, p) ? 0 : 1) : 3;
    switch (select) {
    case 0:
        return p->index < records && (!stride || o + n <= stride);
    case 1:
        return p->index < records;
    case 2:
        return records != 0;
    default:
        return o + p->extra + p->index * stride + n <= records;
    }
}

static uint64_t buffer_va(const struct wave *w, const struct place *p, uint64_t o)
{
    uint64_t stride = srd_stride(p), element = srd_element(w, p);
    if (!element)
        return (p->base + p->index * stride + o) & 0xffffffffffff;
    uint64_t index_stride = 8u << (p->srd[3] >> 21 & 3);
    uint64_t row = (p->index / index_stride * stride + o / element * element) * index_stride;
    return (p->base + row + p->index % index_stride * element + o % element) & 0xffffffffffff;
}

static void place_of(const struct wave *w, const struct lane_insn *in, int32_t imm, unsigned lane,
                     struct place *p)
{
    memset(p, 0, sizeof *p);
    uint64_t offset = (uint64_t)(int64_t)imm;
    switch (in->addr) {
    case LA_BUFFER:
        buffer_place(w, in, imm, lane, p);
        return;
    case LA_LDS:
        p->space = IN_LDS;
        p->at = (uint32_t)(opnd_lane32(w, &in->s[0], lane) + (uint32_t)imm);
        return;
    case LA_SCRATCH:
        p->space = IN_SCRATCH;
        p->at = (uint32_t)(opnd_lane32(w, &in->s[0], lane) + opnd_s32(w, &in->s[2]) + (uint32_t)imm);
        return;
    case LA_FLAT:
        p->at = opnd_lane64(w, &in->s[0], lane) + offset;
        if (hi32(p->at) == hi32(w->shared_base) && w->shared_base)
            p->space = IN_LDS;
        else if (hi32(p->at) == hi32(w->private_base) && w->private_base)
            p->space = IN_SCRATCH;
        if (p->space != IN_MEMORY)
            p->at = lo32(p->at);
        return;
    default: /* LA_GLOBAL */
        p->at = in->s[2].kind ? opnd_s64(w, &in->s[2]) + opnd_lane32(w, &in->s[0], lane) + offset
                              : opnd_lane64(w, &in->s[0], lane) + offset;
    }
}

/* Scratch interleaves dwords over the lanes. */
static uint64_t scratch_va(const struct wave *w, uint64_t o, unsigned lane)
{
    return w->scratch_va + (o / 4 * w->width + lane) * 4 + o % 4;
}

const struct mem_hot *access_range(struct wave *w, const struct lane_insn *in, uint64_t va, uint64_t n,
                                   uint32_t prot)
{
    struct mem_hot *h = mem_hot_of(w, in);
    if (va - h->va < h->size && h->size - (va - h->va) >= n && (h->prot & prot) == prot)
        return h;
    const struct mem_range *r = mem_find(w->mem, va);
    if (!r || r->size - (va - r->va) < n || (r->prot & prot) != prot)
        return NULL;
    *h = (struct mem_hot){r->va, r->size, r->host, r->prot};
    return h;
}

struct failure {
    enum eng_fault_kind kind;
    uint64_t va, lanes;
};

static int fail_lane(struct failure *f, enum eng_fault_kind kind, uint64_t va, unsigned lane)
{
    if (!f->lanes) {
        f->kind = kind;
        f->va = va;
    }
    f->lanes |= 1ull << lane;
    return -1;
}

/* Host address of one byte, or NULL with the lane noted as failed. */
static uint8_t *byte_at(struct wave *w, const struct lane_insn *in, uint64_t va, uint32_t prot, unsigned lane,
                        struct failure *f)
{
    const struct mem_hot *h = access_range(w, in, va, 1, prot);
    if (h)
        return h->host + (va - h->va);
    fail_lane(f, mem_find(w->mem, va) ? FAULT_READ_ONLY : FAULT_UNMAPPED, va, lane);
    return NULL;
}

/* Host addresses of the n bytes of a lane's access: at[k], NULL where nothing is accessed (out of range). -1:
 * the lane failed. */
static int bytes_of(struct wave *w, const struct lane_insn *in, int32_t imm, unsigned n, unsigned lane,
                    uint32_t prot, uint8_t **at, struct failure *f)
{
    struct place p;
    place_of(w, in, imm, lane, &p);
    unsigned step = n < 4 ? n : 4;
    if (p.space == IN_SCRATCH && p.at + n > w->scratch_lane_bytes)
        return fail_lane(f, FAULT_SCRATCH, p.at, lane);
    for (unsigned k = 0; k < n; k++) {
        uint64_t o = p.at + k, va = o;
        at[k] = NULL;
        if (p.space == IN_LDS) {
            int all = p.at + n <= w->group->lds_size;
            if (all || (prot == MEM_WRITE && o < w->group->lds_size))
                at[k] = w->group->lds + o;
            continue;
        }
        if (p.space == IN_BUFFER) {
            if (!buffer_inside(w, &p, p.at + k / step * step, step))
                continue;
            va = buffer_va(w, &p, o);
        } else if (p.space == IN_SCRATCH) {
            va = scratch_va(w, o, lane);
        }
        at[k] = byte_at(w, in, va, prot, lane, f);
        if (!at[k])
            return -1;
    }
    return 0;
}

static int report(struct wave *w, const struct lane_insn *in, enum eng_access access, const struct failure *f)
{
    if (!f->lanes)
        return 0;
    const char *why =
        f->kind == FAULT_SCRATCH ? "private memory ends before it"
        : f->kind == FAULT_READ_ONLY
            ? access == ACCESS_READ ? "the mapping does not allow reads" : "the mapping does not allow writes"
            : "nothing is mapped there";
    return wave_fault(w, in, f->kind, access, f->va, f->lanes, "%s", why);
}

int access_load(struct wave *w, const struct lane_insn *in, int32_t imm, unsigned n, uint64_t lanes,
                uint8_t (*buf)[16])
{
    struct failure f = {0};
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        uint8_t *at[16];
        if (bytes_of(w, in, imm, n, i, MEM_READ, at, &f))
            continue;
        for (unsigned k = 0; k < n; k++)
            buf[i][k] = at[k] ? *at[k] : 0;
    }
    return report(w, in, ACCESS_READ, &f);
}

int access_store(struct wave *w, const struct lane_insn *in, int32_t imm, unsigned n, uint64_t lanes,
                 uint8_t (*buf)[16])
{
    struct failure f = {0};
    for (; lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        uint8_t *at[16];
        if (bytes_of(w, in, imm, n, i, MEM_WRITE, at, &f))
            continue;
        for (unsigned k = 0; k < n; k++)
            if (at[k])
                *at[k] = buf[i][k];
    }
    return report(w, in, ACCESS_WRITE, &f);
}

void *access_atomic(struct wave *w, const struct lane_insn *in, int32_t imm, unsigned n, unsigned lane,
                    int *drop, int *lds)
{
    struct failure f = {0};
    struct place p;
    uint8_t *at[16];
    place_of(w, in, imm, lane, &p);
    *drop = 0;
    *lds = p.space == IN_LDS || p.space == IN_SCRATCH;
    if (p.space == IN_SCRATCH && n > 4) {
        wave_fault(w, in, FAULT_SCRATCH, ACCESS_ATOMIC, p.at, 1ull << lane,
                   "64-bit atomic in private memory, whose dwords are interleaved");
        return NULL;
    }
    if (p.space == IN_LDS && p.at + n > w->group->lds_size) {
        *drop = 1;
        return NULL;
    }
    if (bytes_of(w, in, imm, n, lane, MEM_READ | MEM_WRITE, at, &f)) {
        report(w, in, ACCESS_ATOMIC, &f);
        return NULL;
    }
    if (!at[0] || !at[n - 1]) {
        *drop = 1;
        return NULL;
    }
    if ((uintptr_t)at[0] & (n - 1)) {
        wave_fault(w, in, FAULT_MISALIGNED, ACCESS_ATOMIC, p.at, 1ull << lane,
                   "atomic operand is not %u-byte aligned", n);
        return NULL;
    }
    return at[0];
}

uint64_t access_lanes_at(struct wave *w, const struct lane_insn *in, unsigned n, uint64_t va)
{
    uint64_t page = va & ~4095ull, hit = 0;
    for (uint64_t lanes = wave_exec(w) & wave_all(w); lanes; lanes &= lanes - 1) {
        unsigned i = (unsigned)__builtin_ctzll(lanes);
        struct place p;
        place_of(w, in, in->imm, i, &p);
        uint64_t first = p.space == IN_SCRATCH  ? scratch_va(w, p.at, i)
                         : p.space == IN_BUFFER ? buffer_va(w, &p, p.at)
                                                : p.at;
        if (p.space != IN_LDS && first < page + 4096 && first + n > page)
            hit |= 1ull << i;
    }
    return hit ? hit : wave_exec(w);
}
