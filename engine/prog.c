#include "engine/prog.h"
#include "base/err.h"
#include "engine/ops.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Address space that becomes memory when touched. */
static void *reserve(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void unreserve(void *p, size_t n)
{
    if (p)
        munmap(p, n);
}

#define INSNS_BYTES    ((size_t)PROG_MAX_INSNS * sizeof(struct lane_insn))
#define POOL_BYTES     ((size_t)PROG_MAX_CONSTS * LANES * 4)
#define CHAIN_BYTES    ((size_t)PROG_MAX_CONSTS * 2)
#define INDEX_BYTES(p) ((p)->size + 4)

static void prog_free(struct lane_prog *p)
{
    if (!p)
        return;
    unreserve(p->insns, INSNS_BYTES);
    unreserve(p->pool, POOL_BYTES);
    unreserve(p->const_chain, CHAIN_BYTES);
    unreserve(p->index, INDEX_BYTES(p));
    unreserve(p->code, p->size);
    free(p->pieces);
    free(p->aliases);
    free(p);
}

static struct lane_prog *prog_new(const struct eng_isa *isa, unsigned width, unsigned nvregs, uint64_t base,
                                  uint64_t size)
{
    struct lane_prog *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->isa = isa;
    p->width = width;
    p->nvregs = nvregs;
    p->base = base;
    p->size = size;
    p->insns = reserve(INSNS_BYTES);
    p->pool = reserve(POOL_BYTES);
    p->const_chain = reserve(CHAIN_BYTES);
    p->index = reserve(INDEX_BYTES(p));
    p->code = reserve(size);
    if (p->insns && p->pool && p->const_chain && p->index && p->code)
        return p;
    prog_free(p);
    return NULL;
}

uint64_t lane_prog_base(const struct lane_prog *p)
{
    return p->base;
}

static void note_vregs(struct lane_prog *p, const struct lane_opnd *o)
{
    unsigned end = o->reg + (o->dwords ? o->dwords : 1u);
    if (o->kind == LK_VREG && end > p->vregs_used)
        __atomic_store_n(&p->vregs_used, end, __ATOMIC_RELAXED);
}

/* Forms of memory operations that no operation carries out: reported when reached, never ignored. */
static int unsupported_form(struct wave *w, const struct lane_insn *in)
{
    return wave_fault(w, in, FAULT_ILLEGAL, ACCESS_NONE, 0, wave_exec(w), "%s is not supported",
                      in->flags & LF_TFE   ? "texture-fail status (tfe)"
                      : in->flags & LF_GDS ? "global data share (gds)"
                                           : "a buffer load to LDS");
}

int lane_prog_add(struct lane_prog *p, const struct lane_insn *in)
{
    if (p->count == PROG_MAX_INSNS)
        return fail(-ENOMEM, "program at 0x%llx has more than %d instructions", (unsigned long long)p->base,
                    PROG_MAX_INSNS);
    p->insns[p->count] = *in;
    if (lane_ops[in->op].cls == LC_MEM &&
        ((in->flags & (LF_TFE | LF_GDS)) || (in->addr == LA_BUFFER && (in->aux & LB_LDS))))
        p->insns[p->count].fn = unsupported_form;
    if (lane_ops[in->op].cls == LC_CTRL)
        p->insns[p->count].flags |= LF_BLOCK_END;
    note_vregs(p, &in->d);
    note_vregs(p, &in->d2);
    for (int i = 0; i < 4; i++)
        note_vregs(p, &in->s[i]);
    if (strstr(lane_ops[in->op].name, "movrel") || strstr(lane_ops[in->op].name, "swaprel"))
        __atomic_store_n(&p->vregs_used, p->nvregs, __ATOMIC_RELAXED); /* indexed at run time */
    return p->count++;
}

int lane_prog_alias(struct lane_prog *p, uint64_t pc)
{
    if (p->naliases == p->aliases_room) {
        unsigned room = p->aliases_room ? p->aliases_room * 2 : 64;
        struct code_alias *q = realloc(p->aliases, room * sizeof *q);
        if (!q)
            return fail(-ENOMEM, "no memory for a translated program");
        p->aliases = q;
        p->aliases_room = room;
    }
    p->aliases[p->naliases++] = (struct code_alias){(uint32_t)(pc - p->base), p->count};
    return 0;
}

static void set_const(struct lane_prog *p, int k, uint32_t value)
{
    unsigned h = (value * 0x9e3779b1u) >> 24;
    for (int i = 0; i < LANES; i++)
        p->pool[k * LANES + i] = value;
    p->const_chain[k] = p->const_head[h];
    p->const_head[h] = (uint16_t)(k + 1);
}

int lane_prog_const(struct lane_prog *p, uint64_t value, unsigned dwords)
{
    uint32_t lo = (uint32_t)value, hi = (uint32_t)(value >> 32);
    for (int k = p->const_head[(lo * 0x9e3779b1u) >> 24]; k; k = p->const_chain[k - 1])
        if (p->pool[(k - 1) * LANES] == lo && (dwords < 2 || (k < p->consts && p->pool[k * LANES] == hi)))
            return k - 1;
    if (p->consts + (int)dwords >= PROG_MAX_CONSTS)
        return fail(-ENOMEM, "program at 0x%llx has too many constants", (unsigned long long)p->base);
    int first = p->consts;
    set_const(p, p->consts++, lo);
    if (dwords == 2)
        set_const(p, p->consts++, hi);
    return first;
}

static int is_translated(const struct lane_prog *p, uint64_t pc)
{
    return pc - p->base < p->size && p->index[(pc - p->base) / 4];
}

/* Ends what was translated: go on at pc, elsewhere. */
static int add_goto(struct lane_prog *p, uint64_t pc)
{
    struct lane_insn in = {.fn = lane_op_fn(OP_eng_goto, 32),
                           .op = OP_eng_goto,
                           .flags = LF_BLOCK_END,
                           .target = -1,
                           .pc = (uint32_t)(pc - p->base)};
    if (is_translated(p, pc))
        in.target = p->index[(pc - p->base) / 4] - 1;
    return lane_prog_add(p, &in);
}

static int add_piece(struct lane_prog *p, uint64_t pc, const uint8_t *bytes, uint32_t n)
{
    if (p->npieces == p->pieces_room) {
        unsigned room = p->pieces_room ? p->pieces_room * 2 : 16;
        struct code_piece *q = realloc(p->pieces, room * sizeof *q);
        if (!q)
            return fail(-ENOMEM, "no memory for translated code");
        p->pieces = q;
        p->pieces_room = room;
    }
    p->pieces[p->npieces++] = (struct code_piece){(uint32_t)(pc - p->base), n};
    memcpy(p->code + (pc - p->base), bytes, n);
    return 0;
}

/* Translates one block at pc; the bytes are copied first, so that a host fault cannot happen while the
 * translator runs. Returns bytes consumed or -errno. */
static int translate_block(struct eng_cache *c, struct lane_prog *p, uint64_t pc)
{
    uint64_t left = p->base + p->size - pc, bad;
    for (uint64_t n = 4096;; n *= 16) {
        if (n > left)
            n = left;
        uint8_t *bytes = malloc(n);
        if (!bytes)
            return fail(-ENOMEM, "no memory for code");
        int r = mem_read(c->mem, pc, bytes, n, &bad), count = p->count;
        unsigned aliases = p->naliases;
        if (!r)
            r = p->isa->translate(p->isa, p, pc, bytes, n, p->width, p->nvregs);
        if (!r)
            r = fail(-EINVAL, "no instruction at 0x%llx (%llu bytes are mapped)", (unsigned long long)pc,
                     (unsigned long long)left);
        int again = r > 0 && n < left && (uint64_t)r + 64 > n;
        if (r > 0 && !again)
            r = add_piece(p, pc, bytes, (uint32_t)r) ? -ENOMEM : r;
        free(bytes);
        if (again || r < 0) {
            p->count = count;
            p->naliases = aliases;
        }
        if (!again)
            return r;
    }
}

static void publish_one(struct lane_prog *p, uint32_t pc, int insn)
{
    if (!p->index[pc / 4])
        __atomic_store_n(&p->index[pc / 4], insn + 1, __ATOMIC_RELEASE);
}

/* Publishes the instructions from `first` on in the index: the first one of each address. */
static void publish(struct lane_prog *p, int first)
{
    for (unsigned i = 0; i < p->naliases; i++)
        publish_one(p, p->aliases[i].pc, p->aliases[i].insn);
    p->naliases = 0;
    for (int i = first; i < p->count; i++)
        if (p->insns[i].op != OP_eng_goto)
            publish_one(p, p->insns[i].pc, i);
}

/* Translates from pc on, run after run as control may fall from one to the next. */
static int translate(struct eng_cache *c, struct lane_prog *p, uint64_t pc)
{
    int start = p->count, falls = 1;
    uint64_t at = pc;
    do {
        int first = p->count, n = translate_block(c, p, at);
        if (n < 0 && at == pc)
            return n;
        if (n < 0) /* reported when control gets there */
            break;
        at += (unsigned)n;
        if (p->count > first)
            falls =
                (p->insns[p->count - 1].flags & (LF_BLOCK_END | LF_NO_FALL)) != (LF_BLOCK_END | LF_NO_FALL);
    } while (falls && at - p->base < p->size && !is_translated(p, at) && at - pc < (1 << 20));
    if (falls) {
        int r = add_goto(p, at);
        if (r < 0)
            return r;
    }
    publish(p, start);
    return p->index[(pc - p->base) / 4] - 1;
}

struct eng_cache *eng_cache_new(struct mem_map *mem)
{
    struct eng_cache *c = calloc(1, sizeof *c);
    if (c) {
        c->mem = mem;
        pthread_mutex_init(&c->lock, NULL);
    }
    return c;
}

static void free_list(struct lane_prog **list)
{
    while (*list) {
        struct lane_prog *p = *list;
        *list = p->next;
        prog_free(p);
    }
}

void eng_cache_free(struct eng_cache *c)
{
    if (!c)
        return;
    free_list(&c->progs);
    free_list(&c->retired);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

void eng_cache_invalidate(struct eng_cache *c)
{
    pthread_mutex_lock(&c->lock);
    c->epoch++;
    pthread_mutex_unlock(&c->lock);
}

void eng_cache_use(struct eng_cache *c)
{
    pthread_mutex_lock(&c->lock);
    c->users++;
    pthread_mutex_unlock(&c->lock);
}

void eng_cache_release(struct eng_cache *c)
{
    pthread_mutex_lock(&c->lock);
    if (!--c->users)
        free_list(&c->retired);
    pthread_mutex_unlock(&c->lock);
}

/* Is memory still what was translated? Compared once after an invalidation or a change of the mappings. */
static int still_valid(struct eng_cache *c, struct lane_prog *p)
{
    uint64_t generation = mem_generation(c->mem), bad;
    if (p->epoch == c->epoch && p->generation == generation)
        return 1;
    uint8_t *now = NULL;
    size_t room = 0;
    int same = 1;
    for (unsigned i = 0; i < p->npieces && same; i++) {
        const struct code_piece *k = &p->pieces[i];
        if (k->bytes > room) {
            free(now);
            now = malloc(room = k->bytes);
        }
        same = now && !mem_read(c->mem, p->base + k->at, now, k->bytes, &bad) &&
               !memcmp(now, p->code + k->at, k->bytes);
    }
    free(now);
    const struct mem_range *r = mem_find(c->mem, p->base);
    if (!r || !(r->prot & MEM_EXEC) || p->base + p->size > r->va + r->size)
        same = 0;
    p->epoch = c->epoch;
    p->generation = generation;
    return same;
}

static struct lane_prog *find_prog(struct eng_cache *c, const struct eng_isa *isa, unsigned width,
                                   unsigned nvregs, uint64_t pc, int check)
{
    for (struct lane_prog **at = &c->progs; *at; at = &(*at)->next) {
        struct lane_prog *p = *at;
        if (pc - p->base >= p->size || p->isa != isa || p->width != width || p->nvregs != nvregs)
            continue;
        if (!check || still_valid(c, p))
            return p;
        *at = p->next;
        p->next = c->retired;
        c->retired = p;
        break;
    }
    const struct mem_range *r = mem_find(c->mem, pc);
    if (!r || !(r->prot & MEM_EXEC)) {
        fail(-EFAULT, "instruction fetch at 0x%llx: %s", (unsigned long long)pc,
             r ? "the memory is not executable" : "nothing is mapped there");
        return NULL;
    }
    uint64_t base = r->va + (pc - r->va) / PROG_MAX_BYTES * PROG_MAX_BYTES, left = r->va + r->size - base;
    struct lane_prog *p = prog_new(isa, width, nvregs, base, left < PROG_MAX_BYTES ? left : PROG_MAX_BYTES);
    if (!p) {
        fail(-ENOMEM, "no memory for a translated program");
        return NULL;
    }
    p->epoch = c->epoch;
    p->generation = mem_generation(c->mem);
    p->next = c->progs;
    c->progs = p;
    return p;
}

int eng_cache_lookup(struct eng_cache *c, const struct eng_isa *isa, unsigned width, unsigned nvregs,
                     uint64_t pc, int check, struct lane_prog *hint, struct lane_prog **out)
{
    if (pc & 3)
        return fail(-EINVAL, "instruction address 0x%llx is not a multiple of 4", (unsigned long long)pc);
    if (!check && hint && pc - hint->base < hint->size) {
        int i = __atomic_load_n(&hint->index[(pc - hint->base) / 4], __ATOMIC_ACQUIRE);
        if (i) {
            *out = hint;
            return i - 1;
        }
    }
    pthread_mutex_lock(&c->lock);
    int r = -EFAULT;
    struct lane_prog *p =
        !check && hint && pc - hint->base < hint->size ? hint : find_prog(c, isa, width, nvregs, pc, check);
    if (p) {
        int i = p->index[(pc - p->base) / 4];
        r = i ? i - 1 : translate(c, p, pc);
        *out = p;
    }
    pthread_mutex_unlock(&c->lock);
    return r;
}
