#include "isa/amd/inst.h"
#include "base/bits.h"
#include "base/err.h"
#include "isa/amd/table.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *const amd_base[] = {
    "",
#define N(name) #name,
#include "isa/amd/names.def"
#undef N
};
const unsigned amd_base_count = ARRAY_LEN(amd_base);

struct piece {
    uint8_t field, low, width, at; /* field bits low.. lie at instruction bits at.. */
};
#define LAYOUT(id, ...)      static const struct piece layout_##id[] = {__VA_ARGS__{AF_COUNT, 0, 0, 0}};
#define P(f, low, width, at) {AF_##f, low, width, at},
#include "isa/amd/layouts.def"
#undef LAYOUT
#undef P
static const struct piece *const layouts[] = {
#define LAYOUT(id, ...) layout_##id,
#include "isa/amd/layouts.def"
#undef LAYOUT
};

/* Operand kinds are written once (K) and used by number in the forms. */
enum {
#define K(id, kind, dwords, type, allow)                                                                     \
    K_##id##_kind = AMD_OP_##kind, K_##id##_dwords = dwords, K_##id##_type = AMD_T_##type,                   \
    K_##id##_allow = allow,
#define FORM(id, text, ...)
#include "isa/amd/forms.def"
#undef K
#undef FORM
};
#define K(id, kind, dwords, type, allow)
#define O(f, k) {AF_##f, K_##k##_kind, K_##k##_dwords, K_##k##_type, K_##k##_allow},
#define FORM(id, text, ...)                                                                                  \
    {text, sizeof((struct amd_operand[]){__VA_ARGS__{0}}) / sizeof(struct amd_operand) - 1, {__VA_ARGS__}},
const struct amd_form amd_form[] = {
#include "isa/amd/forms.def"
};
#undef K
#undef O
#undef FORM

/* rows.def in order: each C opens a class of rows with one mask, layout and form; R and D rows follow it. */
struct entry {
    uint64_t bits;     /* class: mask; row: value */
    uint16_t a, b;     /* class: layout, form; row: base names */
    uint16_t flags;    /* class */
    uint8_t gpus, enc; /* class: bit per enum amd_gpu; row: 0 */
    uint8_t bytes, rank, suffix;
};
enum {
    G906 = 1 << AMD_GFX906,
    G90a = 1 << AMD_GFX90A,
    G942 = 1 << AMD_GFX942,
    G1030 = 1 << AMD_GFX1030,
    G1100 = 1 << AMD_GFX1100,
    G1201 = 1 << AMD_GFX1201
};
enum { S, S_e32, S_e64, S_dpp, S_e64_dpp, S_sdwa };
static const char *const suffixes[] = {"", "_e32", "_e64", "_dpp", "_e64_dpp", "_sdwa"};
enum {
    OFFEN = AMD_OFFEN,
    IDXEN = AMD_IDXEN,
    TFE = AMD_TFE,
    LDS = AMD_LDS,
    RTN = AMD_RTN,
    W32 = AMD_W32,
    W64 = AMD_W64,
    DPP16 = AMD_DPP16,
    DPP8 = AMD_DPP8,
    SDWA = AMD_SDWA
};
#define C(gpus, enc, bytes, rank, suffix, flags, mask, layout, form)                                         \
    {mask, layout, form, flags, gpus, AMD_ENC_##enc, bytes, rank, suffix},
#define R(name, value) {value, AMD_N_##name, 0, 0, 0, 0, 0, 0, 0},
#define D(x, y, value) {value, AMD_N_##x, AMD_N_##y, 0, 0, 0, 0, 0, 0},
static const struct entry entries[] = {
#include "isa/amd/rows.def"
};
#undef C
#undef R
#undef D

/* Rows that share size, rank and mask. LLVM tries its decoder tables by size, then by rank; inside one table
 * the row with the most fixed bits wins. Groups are in that order. */
struct group {
    uint64_t mask;
    uint8_t bytes, rank;
    unsigned first, count; /* rows, sorted by value */
};
enum { MAX_GROUPS = 512, BUCKET_LOW = 25, BUCKETS = 1 << (32 - BUCKET_LOW) };
struct index {
    struct amd_row *row;
    unsigned rows;
    struct group group[MAX_GROUPS];
    uint16_t groups;
    uint16_t *of[BUCKETS]; /* groups that have a row with these bits 31:25; ends with MAX_GROUPS */
};
static struct index *indices[AMD_GPU_COUNT];
static pthread_once_t once[AMD_GPU_COUNT] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT,
                                             PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};

struct sort {
    struct amd_row row;
    uint8_t rank, fixed; /* fixed: bits in row.mask */
};
static int by_group(const void *pa, const void *pb)
{
    const struct sort *a = pa, *b = pb;
    int n = b->fixed - a->fixed;
    if (a->row.bytes != b->row.bytes)
        return b->row.bytes - a->row.bytes;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (n)
        return n;
    if (a->row.mask != b->row.mask)
        return a->row.mask < b->row.mask ? -1 : 1;
    return a->row.value < b->row.value ? -1 : a->row.value > b->row.value;
}

/* The rows of one target, sorted into groups. */
static unsigned collect(enum amd_gpu gpu, struct sort *out)
{
    unsigned n = 0;
    const struct entry *c = NULL;
    for (const struct entry *e = entries; e < entries + ARRAY_LEN(entries); e++) {
        if (e->gpus)
            c = e;
        else if (c->gpus >> gpu & 1) {
            if (out)
                out[n] = (struct sort){{.name = suffixes[c->suffix],
                                        .mask = c->bits,
                                        .value = e->bits,
                                        .base = e->a,
                                        .base_y = e->b,
                                        .flags = c->flags | (c->suffix == S_e32 ? AMD_E32 : 0) |
                                                 (c->suffix == S_e64 || c->suffix == S_e64_dpp ? AMD_E64 : 0),
                                        .enc = c->enc,
                                        .bytes = c->bytes,
                                        .layout = c->a,
                                        .form = c->b},
                                       c->rank,
                                       (uint8_t)__builtin_popcountll(c->bits)};
            n++;
        }
    }
    return n;
}

static struct index *build(enum amd_gpu gpu)
{
    unsigned n = collect(gpu, NULL);
    struct sort *sorted = calloc(n, sizeof *sorted);
    struct index *x = calloc(1, sizeof *x);
    uint8_t(*has)[MAX_GROUPS] = calloc(BUCKETS, sizeof *has);
    char *names = NULL;
    if (!sorted || !x || !has || !(x->row = calloc(n, sizeof *x->row)))
        goto undo;
    x->rows = collect(gpu, sorted);
    qsort(sorted, n, sizeof *sorted, by_group);
    size_t text = 0;
    for (unsigned i = 0; i < n; i++)
        text += strlen(amd_base[sorted[i].row.base]) + strlen(sorted[i].row.name) + 1;
    if (!(names = malloc(text)))
        goto undo;
    char *p = names;
    for (unsigned i = 0; i < n; i++) {
        struct amd_row *r = &x->row[i];
        *r = sorted[i].row;
        r->name = strcpy(p, amd_base[r->base]);
        p = stpcpy(p + strlen(p), sorted[i].row.name) + 1;
        struct group *g = x->groups ? &x->group[x->groups - 1] : NULL;
        if (!g || g->mask != r->mask || g->bytes != r->bytes || g->rank != sorted[i].rank) {
            if (x->groups == MAX_GROUPS)
                goto undo;
            x->group[x->groups++] = (struct group){r->mask, r->bytes, sorted[i].rank, i, 1};
        } else
            g->count++;
    }
    for (unsigned g = 0; g < x->groups; g++)
        for (unsigned i = 0; i < x->group[g].count;
             i++) { /* every bucket whose bits the row's fixed ones allow */
            const struct amd_row *r = &x->row[x->group[g].first + i];
            unsigned value = r->value >> BUCKET_LOW & (BUCKETS - 1),
                     open = ~(r->mask >> BUCKET_LOW) & (BUCKETS - 1);
            for (unsigned s = open;; s = (s - 1) & open) {
                has[value | s][g] = 1;
                if (!s)
                    break;
            }
        }
    for (unsigned b = 0; b < BUCKETS; b++) {
        uint16_t list[MAX_GROUPS + 1], k = 0;
        for (unsigned g = 0; g < x->groups; g++)
            if (has[b][g])
                list[k++] = g;
        list[k++] = MAX_GROUPS;
        if (!(x->of[b] = malloc(k * sizeof *list)))
            goto undo;
        memcpy(x->of[b], list, k * sizeof *list);
    }
    free(has);
    free(sorted);
    if (!n)
        free(names); /* no row points into it */
    return x;
undo:
    free(has);
    for (unsigned b = 0; x && b < BUCKETS; b++)
        free(x->of[b]);
    free(names);
    free(sorted);
    free(x ? x->row : NULL);
    free(x);
    return NULL;
}
#define BUILD(g)                                                                                             \
    static void build_##g(void)                                                                              \
    {                                                                                                        \
        indices[AMD_##g] = build(AMD_##g);                                                                   \
    }
BUILD(GFX906)
BUILD(GFX90A)
BUILD(GFX942)
BUILD(GFX1030) BUILD(GFX1100) BUILD(GFX1201) static const struct index *index_of(enum amd_gpu gpu)
{
    static void (*const init[])(void) = {build_GFX906,  build_GFX90A,  build_GFX942,
                                         build_GFX1030, build_GFX1100, build_GFX1201};
    pthread_once(&once[gpu], init[gpu]);
    return indices[gpu];
}

/* Scalar code c, n registers: legal, and rounded down to the tuple's alignment in *c as the hardware does. */
static bool scalar_ok(enum amd_gpu gpu, unsigned allow, unsigned n, uint32_t *c)
{
    unsigned align = n >= 3 ? 4 : n, m0 = gpu >= AMD_GFX1100 ? 125 : 124,
             null = gpu >= AMD_GFX1100 ? 124 : 125;
    uint32_t v = *c, down = v & ~(align - 1);
    if (v == m0 && n == 1)
        return allow & A_M0;
    if (v == null)
        return allow & A_NULL && !amd_gfx9(gpu); /* reserved on gfx9; LLVM prints null */
    if (v <= 105) {
        *c = down;
        return (allow & A_SGPR) && down + n <= 106 && !(amd_gfx9(gpu) && v >= 102 && (n > 2 || v != down));
    }
    if (v >= 108 && v <= 123) {
        *c = down;
        return (allow & A_TTMP) && down + n <= 124;
    }
    if (v == 106 || v == 107)
        return (allow & A_VCC) && n <= 2 && (n == 1 || v == 106);
    return n <= 2 && ((v == 126 && allow & A_EXEC) || (v == 127 && n == 1 && allow & A_EXEC_HI));
}

static bool constant_ok(unsigned allow, uint32_t c)
{
    return (c >= 128 && c <= 208)   ? allow & A_INT
           : (c >= 235 && c <= 239) ? allow & A_APERTURE
           : (c >= 240 && c <= 247) ? allow & A_FLOAT
           : c == 248               ? allow & A_INV2PI
           : c == 251 || c == 252   ? allow & A_VCCZ
           : c == 253               ? allow & A_SCC
           : c == 254               ? allow & A_LDS
           : c == 255               ? allow & A_LITERAL
                                    : false;
}

bool amd_high_half(const struct amd_operand *o, uint32_t f)
{
    return (o->type == AMD_T_T16 || o->allow & A_VGPR_HALF) && (o->kind == AMD_OP_SRC ? f >= 256 : true) &&
           f & 128;
}

/* Is f a legal value of this operand? Rounds scalar tuples down. */
static bool operand_ok(enum amd_gpu gpu, bool wave64, const struct amd_operand *op, uint32_t *f)
{
    unsigned n = amd_dwords(op, wave64);
    switch (op->kind) {
    case AMD_OP_VGPR:
    case AMD_OP_AGPR:
        return (op->allow & (*f >> 9 ? A_AGPR : A_VGPR | A_VGPR_HALF)) && (*f & 255) + n <= 256;
    case AMD_OP_SGPR:
        return scalar_ok(gpu, op->allow, n, f);
    case AMD_OP_SRC:
        if (*f >= 256)
            return (op->allow & (*f >> 9 ? A_AGPR : A_VGPR | A_VGPR_HALF)) && (*f & 255) + n <= 256;
        return *f < 128 ? scalar_ok(gpu, op->allow, n, f) : constant_ok(op->allow, *f);
    default:
        return true;
    }
}

/* dpp_ctrl values that exist. gfx9: wave shifts and row_bcast, gfx90a+: row_newbcast; gfx10+: row_share,
 * row_xmask. */
static bool dpp_ok(enum amd_gpu gpu, uint32_t c)
{
    if (c <= 0xff || (c > 0x100 && c < 0x130 && (c & 15)) || c == 0x140 || c == 0x141)
        return true;
    if (amd_gfx9(gpu) && (c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c || c == 0x142 || c == 0x143))
        return true;
    return (c >= 0x150 && c < 0x160 && gpu != AMD_GFX906) || (c >= 0x160 && c < 0x170 && !amd_gfx9(gpu));
}

/* s_delay_alu: instid0 3:0 and instid1 10:7 have 12 values, instskip 6:4 has 6. */
static bool delay_ok(uint32_t v)
{
    return (v & 15) < 12 && (v >> 4 & 7) < 6 && (v >> 7 & 15) < 12;
}

static bool modifiers_ok(struct amd_inst *i)
{
    if (i->row->flags & AMD_DPP8) { /* fi sits in the source field: 0xe9 off, 0xea on */
        if (i->f[AF_fi] != 0xe9 && i->f[AF_fi] != 0xea)
            return false;
        i->f[AF_fi] -= 0xe9;
    }
    if (i->row->base == AMD_N_s_delay_alu && !delay_ok(i->f[AF_simm16]))
        return false;
    return !(i->row->flags & AMD_SDWA) || (i->f[AF_src0_sel] < 7 && i->f[AF_src1_sel] < 7 &&
                                           i->f[AF_dst_sel] < 7 && i->f[AF_dst_unused] < 3);
}

/* Takes the fields out and checks them. 0, -EILSEQ, -EINVAL (and no other row may be tried) or -ENODATA (literal past
 * the end), without text. */
static int fill(enum amd_gpu gpu, bool wave64, const uint32_t w[5], size_t avail, struct amd_inst *i)
{
    const struct amd_row *r = i->row;
    i->fields = 0;
    memset(i->f, 0, sizeof i->f);
    for (const struct piece *p = layouts[r->layout]; p->field != AF_COUNT; p++) {
        uint64_t v = (uint64_t)w[p->at / 32] | (uint64_t)w[p->at / 32 + 1] << 32;
        i->f[p->field] |= (uint32_t)(v >> p->at % 32 & (~0ull >> (64 - p->width))) << p->low;
        i->fields |= 1ull << p->field;
    }
    i->gpu = gpu;
    i->size = r->bytes;
    i->has_literal = false;
    i->literal = 0;
    if (r->flags & AMD_SDWA) /* bit 8 set means scalar: as elsewhere, 256 is v0 */
        i->f[AF_src0] ^= 256, i->f[AF_src1] ^= 256;
    if (r->flags & AMD_SDWA && i->fields >> AF_sdst & 1) /* SDWA compare: bit 7 clear means vcc */
        i->f[AF_sdst] = i->f[AF_sdst] & 128 ? i->f[AF_sdst] & 127 : 106;
    if (r->enc == AMD_ENC_VOPD) /* the halves write registers of different parity */
        i->f[AF_vdstY] |= ~i->f[AF_vdstX] & 1;
    if (r->flags & AMD_RTN && r->enc != AMD_ENC_DS)
        i->f[AF_cpol] |= 1; /* fixed in the row: glc, sc0 or th bit 0 */
    if (!modifiers_ok(i))
        return -EILSEQ;
    if (amd_has(i, AF_dpp_ctrl) && !dpp_ok(gpu, i->f[AF_dpp_ctrl]))
        return -EINVAL; /* v_nop's 32-bit form would take the word */
    const struct amd_form *form = &amd_form[r->form];
    bool k = i->fields >> AF_imm & 1;
    for (unsigned o = 0; o < form->count; o++) {
        const struct amd_operand *op = &form->op[o];
        if (op->kind == AMD_OP_SRC &&
            !(i->f[op->field] & 256)) /* the accumulation bit of a scalar says nothing */
            i->f[op->field] &= 255;
        if (op->kind == AMD_OP_VGPR && gpu == AMD_GFX906) /* no accumulation registers: bit 9 is ignored */
            i->f[op->field] &= 255;
        if (!operand_ok(gpu, wave64, op, &i->f[op->field]))
            return -EILSEQ;
        if (op->kind == AMD_OP_K || (op->kind == AMD_OP_SRC && i->f[op->field] == 255))
            i->has_literal = true;
    }
    static const enum amd_field data[] = {AF_vdst, AF_vdata, AF_data0, AF_data1};
    if (r->enc >= AMD_ENC_DS && r->enc <= AMD_ENC_SCRATCH &&
        (i->f[AF_vdst] | i->f[AF_vdata] | i->f[AF_data0]) & 512)
        for (unsigned d = 0; d < ARRAY_LEN(data);
             d++) /* one bit for all data registers: accumulation or not */
            i->f[data[d]] |= amd_has(i, data[d]) ? 512 : 0;
    if (r->enc == AMD_ENC_VOP3P && (i->f[AF_vdst] & 512 || form->op[0].kind == AMD_OP_AGPR) &&
        i->f[AF_src2] & 256)
        i->f[AF_src2] |= 512; /* matrix operations: one bit for C and D */
    if (r->base == AMD_N_v_accvgpr_read_b32 || r->base == AMD_N_v_accvgpr_mov_b32)
        i->f[AF_src0] |= i->f[AF_src0] & 256 ? 512 : 0;
    if (i->has_literal && k)
        i->literal = i->f[AF_imm];
    else if (i->has_literal) {
        i->size += 4;
        if (i->size > avail)
            return -ENODATA;
        i->literal = w[r->bytes / 4];
    }
    return 0;
}

/* Decodes from words (zero past avail); rows longer than avail are left out. */
static int match(enum amd_gpu gpu, const struct index *x, bool wave64, const uint32_t w[5], size_t avail,
                 struct amd_inst *out)
{
    uint64_t word = w[0] | (uint64_t)w[1] << 32;
    const struct group *refused =
        NULL; /* a row that matched but has a bad operand hides the rest of its table */
    for (const uint16_t *l = x->of[w[0] >> BUCKET_LOW]; *l != MAX_GROUPS; l++) {
        const struct group *g = &x->group[*l];
        uint64_t key = word & g->mask;
        unsigned lo = 0, hi = g->count;
        if (g->bytes > avail || (refused && refused->bytes == g->bytes && refused->rank == g->rank))
            continue;
        while (lo < hi) {
            unsigned mid = (lo + hi) / 2;
            if (x->row[g->first + mid].value < key)
                lo = mid + 1;
            else
                hi = mid;
        }
        for (; lo < g->count && x->row[g->first + lo].value == key; lo++) {
            out->row = &x->row[g->first + lo];
            if (out->row->flags & (wave64 ? AMD_W32 : AMD_W64))
                continue;
            int r = fill(gpu, wave64, w, avail, out);
            if (r != -EILSEQ)
                return r == -EINVAL ? -EILSEQ : r;
            refused = g;
        }
    }
    return -EILSEQ;
}

int amd_decode(enum amd_gpu gpu, bool wave64, const void *bytes, size_t avail, struct amd_inst *out)
{
    const struct index *x = index_of(gpu);
    uint32_t w[5] = {0};
    if (!x)
        return fail(-ENOMEM, "instruction tables for %s: no memory", amd_gpu_name(gpu));
    memcpy(w, bytes, avail < 16 ? avail : 16);
    wave64 |= amd_gfx9(gpu);
    if (gpu >= AMD_GFX1100 &&
        w[0] >> 26 == 0x32) { /* VOPD: a mov half does not read vsrc1, whatever is there */
        w[0] &= (w[0] >> 22 & 15) == 8 ? ~(0xffu << 9) : ~0u;
        w[1] &= (w[0] >> 17 & 31) == 8 ? ~(0xffu << 9) : ~0u;
    }
    int r = avail < 4 ? -ENODATA : match(gpu, x, wave64, w, avail, out);
    if (!r)
        return out->size;
    if (r == -ENODATA || (avail < 16 && !match(gpu, x, wave64, w, 16, out)))
        return fail(-ENODATA, "instruction of %s at word 0x%08x is cut off: %zu bytes left",
                    amd_gpu_name(gpu), w[0], avail);
    return fail(-EILSEQ, "words 0x%08x 0x%08x 0x%08x are no %s instruction", w[0], w[1], w[2],
                amd_gpu_name(gpu));
}

const struct amd_row *amd_rows(enum amd_gpu gpu, unsigned *count)
{
    const struct index *x = index_of(gpu);
    *count = x ? x->rows : 0;
    return x ? x->row : NULL;
}

bool amd_insert(const struct amd_row *row, void *bytes, enum amd_field f, uint32_t v)
{
    bool found = false;
    for (const struct piece *p = layouts[row->layout]; p->field != AF_COUNT; p++) {
        if (p->field != f)
            continue;
        for (unsigned b = 0; b < p->width; b++) {
            uint8_t *at = (uint8_t *)bytes + (p->at + b) / 8, bit = 1 << (p->at + b) % 8;
            *at = v >> (p->low + b) & 1 ? *at | bit : *at & ~bit;
        }
        found = true;
    }
    return found;
}

static const struct {
    const char *name;
    uint32_t mach; /* EF_AMDGPU_MACH_*, ELF e_flags bits 7:0 (LLVM's AMDGPUUsage) */
} gpus[] = {
    [AMD_GFX906] = {"gfx906", 0x2f},   [AMD_GFX90A] = {"gfx90a", 0x3f},   [AMD_GFX942] = {"gfx942", 0x4c},
    [AMD_GFX1030] = {"gfx1030", 0x36}, [AMD_GFX1100] = {"gfx1100", 0x41}, [AMD_GFX1201] = {"gfx1201", 0x4e},
};

const char *amd_gpu_name(enum amd_gpu gpu)
{
    return gpus[gpu].name;
}
int amd_gpu_of_name(const char *name)
{
    for (int i = 0; i < AMD_GPU_COUNT; i++)
        if (!strcmp(gpus[i].name, name))
            return i;
    return -1;
}
int amd_gpu_of_eflags(uint32_t e_flags)
{
    for (int i = 0; i < AMD_GPU_COUNT; i++)
        if (gpus[i].mach == (e_flags & 0xff))
            return i;
    return -1;
}

const struct amd_operand *amd_operand(const struct amd_inst *i, enum amd_field f)
{
    const struct amd_form *form = &amd_form[i->row->form];
    for (unsigned o = 0; o < form->count; o++)
        if (form->op[o].field == f)
            return &form->op[o];
    return NULL;
}

/* Signed where the encoding is: FLAT family (12 bits on gfx10, 13 on gfx9 and gfx11, 24 on gfx12), SMEM (21,
 * 24), gfx12 buffers (24). FLAT proper is unsigned before gfx12, one bit less; DS and MUBUF are unsigned. */
int32_t amd_offset(const struct amd_inst *i)
{
    enum amd_gpu gpu = i->gpu;
    uint32_t v = i->f[AF_offset];
    unsigned flat = gpu >= AMD_GFX1201 ? 24 : gpu == AMD_GFX1030 ? 12 : 13;
    switch (i->row->enc) {
    case AMD_ENC_SMEM:
        return (int32_t)sext(v, gpu >= AMD_GFX1201 ? 24 : 21);
    case AMD_ENC_BUFFER:
        return gpu >= AMD_GFX1201 ? (int32_t)sext(v, 24) : (int32_t)v;
    case AMD_ENC_GLOBAL:
    case AMD_ENC_SCRATCH:
        return (int32_t)sext(v, flat);
    case AMD_ENC_FLAT:
        return gpu >= AMD_GFX1201 ? (int32_t)sext(v, flat) : (int32_t)(v & ((1u << (flat - 1)) - 1));
    default:
        return (int32_t)v;
    }
}

uint64_t amd_branch_target(const struct amd_inst *i, uint64_t pc)
{
    return pc + 4 + (uint64_t)(sext(i->f[AF_simm16], 16) * 4);
}
