#include "hw/field.h"
#include <string.h>

uint64_t hw_field_max(const struct hw_field *f)
{
    return ~0ull >> (63 - (f->hi - f->lo));
}

uint64_t hw_get_field(const struct hw_field *f, const uint32_t *dw)
{
    uint64_t v = dw[f->dw];
    if (f->hi > 31)
        v |= (uint64_t)dw[f->dw + 1] << 32;
    return (v >> f->lo) & hw_field_max(f);
}

void hw_set_field(const struct hw_field *f, uint32_t *dw, uint64_t v)
{
    uint64_t m = hw_field_max(f) << f->lo;
    v = (v << f->lo) & m;
    dw[f->dw] = (dw[f->dw] & ~(uint32_t)m) | (uint32_t)v;
    if (f->hi > 31)
        dw[f->dw + 1] = (dw[f->dw + 1] & ~(uint32_t)(m >> 32)) | (uint32_t)(v >> 32);
}

int hw_unknown_bits(const struct hw_record *r, unsigned gen, const uint32_t *dw, unsigned from,
                    uint32_t *bits)
{
    for (unsigned i = from; i < r->dwords; i++) {
        uint32_t known = i ? 0 : r->known | r->match_mask;
        for (unsigned k = 0; k <= r->nfields; k++) {
            const struct hw_field *f = k < r->nfields ? &r->fields[k] : &r->tail_field;
            if (k == r->nfields ? r->tail != HW_TAIL_FIELD : !hw_in_gen(f->gens, gen))
                continue;
            uint64_t m = hw_field_max(f) << f->lo;
            if (f->dw == i)
                known |= (uint32_t)m;
            else if (f->dw + 1u == i)
                known |= (uint32_t)(m >> 32);
        }
        if ((*bits = dw[i] & ~known))
            return (int)i;
    }
    return -1;
}

const char *hw_value_name(const struct hw_value *list, uint64_t value)
{
    for (; list && list->name; list++)
        if (list->value == value)
            return list->name;
    return NULL;
}

int hw_value_of(const struct hw_value *list, const char *name, uint32_t *value)
{
    for (; list && list->name; list++)
        if (!strcmp(list->name, name)) {
            *value = list->value;
            return 0;
        }
    return -1;
}

const struct hw_field *hw_field_named(const struct hw_record *r, unsigned gen, const char *name)
{
    for (unsigned i = 0; i < r->nfields; i++)
        if (hw_in_gen(r->fields[i].gens, gen) && !strcmp(r->fields[i].name, name))
            return &r->fields[i];
    return NULL;
}
