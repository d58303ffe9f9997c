#include "hw/text.h"
#include <inttypes.h>

void hw_text_words(FILE *f, const uint32_t *dw, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(f, "%s0x%x", i ? " " : "", dw[i]);
}

void hw_text_fields(FILE *f, const struct hw_record *r, unsigned gen, const uint32_t *dw, unsigned quiet)
{
    uint32_t bits;
    for (const struct hw_field *d = r->fields; d < r->fields + r->nfields; d++) {
        uint64_t v = hw_get_field(d, dw);
        const char *name = d->fmt == HW_ENUM ? hw_value_name(d->names, v) : NULL;
        if (!hw_in_gen(d->gens, gen) || (!v && d->dw < quiet))
            continue;
        if (name)
            fprintf(f, " %s=%s", d->name, name);
        else
            fprintf(f, d->fmt == HW_HEX || d->fmt == HW_REG ? " %s=0x%" PRIx64 : " %s=%" PRIu64, d->name, v);
    }
    for (int d = -1; (d = hw_unknown_bits(r, gen, dw, (unsigned)(d + 1), &bits)) >= 0;)
        fprintf(f, " unknown[%d]=0x%x", d, bits);
}

void hw_json_fields(struct json *j, const struct hw_record *r, unsigned gen, const uint32_t *dw)
{
    uint32_t bits;
    for (const struct hw_field *d = r->fields; d < r->fields + r->nfields; d++) {
        uint64_t v = hw_get_field(d, dw);
        const char *name = d->fmt == HW_ENUM ? hw_value_name(d->names, v) : NULL;
        if (!hw_in_gen(d->gens, gen))
            continue;
        if (name)
            json_str(j, d->name, name);
        else if (d->fmt == HW_HEX || d->fmt == HW_REG)
            json_hex(j, d->name, v);
        else
            json_u64(j, d->name, v);
    }
    for (int d = -1; (d = hw_unknown_bits(r, gen, dw, (unsigned)(d + 1), &bits)) >= 0;) {
        char key[32];
        snprintf(key, sizeof key, "unknown[%d]", d);
        json_hex(j, key, bits);
    }
}
