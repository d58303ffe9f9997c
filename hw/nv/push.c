#include "hw/nv/push.h"
#include "base/bits.h"
#include <string.h>

void nv_push_begin(struct nv_push *s, enum nv_gen gen)
{
    *s = (struct nv_push){.gen = gen};
}

void nv_push_segment(struct nv_push *s)
{
    s->ended = 0;
}

static void method(struct nv_push *s, struct nv_push_item *it, uint32_t address, uint32_t data)
{
    it->kind = NV_PUSH_METHOD;
    it->address = address;
    it->data = data;
    /* SET_OBJECT also goes to the engine, but the host's part of it is what counts here */
    if (address == NV_HOST_set_object)
        s->cls[it->subch] = data & 0xffff;
    it->cls = s->cls[it->subch];
    it->unit = (uint8_t)(address < NV_HOST_METHODS ? NV_UNIT_HOST : nv_unit_of_class(it->cls));
}

static void sequence(struct nv_push *s, struct nv_push_item *it, enum nv_push_op op, uint32_t address,
                     uint32_t count)
{
    it->kind = NV_PUSH_HEADER;
    it->address = address;
    it->count = (uint16_t)count;
    it->cls = s->cls[it->subch];
    s->op = (uint8_t)op;
    s->subch = it->subch;
    s->address = address;
    s->left = count;
    s->first = 1;
}

/* Header forms from before Fermi: count in 28:18, byte address in 12:2. */
static void old_sequence(struct nv_push *s, struct nv_push_item *it, enum nv_push_op op)
{
    sequence(s, it, op, it->word & 0x1ffc, (uint32_t)bits(it->word, 28, 18));
}

static void header(struct nv_push *s, struct nv_push_item *it)
{
    uint32_t w = it->word, address = (uint32_t)bits(w, 11, 0) * 4, count = (uint32_t)bits(w, 28, 16);
    it->op = (uint8_t)bits(w, 31, 29);
    it->subch = (uint8_t)bits(w, 15, 13);
    switch (it->op) {
    case NV_OP_INC:
    case NV_OP_NON_INC:
    case NV_OP_INC_ONCE:
        if (w & 1 << 12)
            it->kind = NV_PUSH_BAD;
        else
            sequence(s, it, it->op, address, count);
        return;
    case NV_OP_IMMEDIATE:
        if (w & 1 << 12)
            it->kind = NV_PUSH_BAD;
        else
            method(s, it, address, count);
        return;
    case NV_OP_END:
        it->kind = w & 0x1fffffff ? NV_PUSH_BAD : NV_PUSH_END;
        s->ended = it->kind == NV_PUSH_END;
        return;
    case NV_OP_TERT:
        if (!w)
            it->kind = NV_PUSH_NOP;
        else if (bits(w, 17, 16))
            it->kind = bits(w, 28, 18) || bits(w, 3, 0) ? NV_PUSH_BAD : NV_PUSH_SUBDEVICE;
        else if (w & 3)
            it->kind = NV_PUSH_BAD;
        else
            old_sequence(s, it, NV_OP_INC);
        return;
    case NV_OP_OLD:
        if (bits(w, 17, 16) || w & 3)
            it->kind = NV_PUSH_BAD;
        else
            old_sequence(s, it, NV_OP_NON_INC);
        return;
    default:
        it->kind = NV_PUSH_BAD;
    }
}

void nv_push_word(struct nv_push *s, uint32_t word, struct nv_push_item *it)
{
    *it = (struct nv_push_item){.word = word};
    if (s->ended) {
        it->kind = NV_PUSH_SKIPPED;
    } else if (!s->left) {
        header(s, it);
    } else {
        it->subch = s->subch;
        it->op = s->op;
        method(s, it, s->address, word);
        if (s->op == NV_OP_INC || (s->op == NV_OP_INC_ONCE && s->first))
            s->address = (s->address + 4) & 0x3ffc;
        s->first = 0;
        s->left--;
    }
}

int nv_push_walk(struct nv_push *s, const uint32_t *dw, size_t n,
                 int (*fn)(void *, const struct nv_push_item *), void *ctx, size_t *at)
{
    int r = 0;
    size_t i = 0;
    nv_push_segment(s);
    for (; i < n && !r; i++) {
        struct nv_push_item it;
        nv_push_word(s, dw[i], &it);
        r = fn(ctx, &it);
    }
    if (at)
        *at = r ? i - 1 : n;
    return r;
}

const struct hw_record *nv_push_record(const struct nv_push *s, const struct nv_push_item *it,
                                       unsigned *element, enum nv_gen *gen)
{
    int g = it->unit == NV_UNIT_HOST ? -1 : nv_gen_of_class(it->cls);
    *gen = g < 0 ? s->gen : (enum nv_gen)g;
    return nv_method(it->unit, *gen, it->address, element);
}
