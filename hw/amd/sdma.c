#include "hw/amd/pm4.h" /* first: its tables live in pm4.c */
#define HW_TABLES
#include "hw/amd/sdma.h"

enum sdma_gen sdma_gen_of(enum amd_gen gen)
{
    static const uint8_t of[AMD_GEN_COUNT] = {SDMA_4_0, SDMA_4_4, SDMA_4_4, SDMA_5_2, SDMA_6_0, SDMA_7_0};
    return of[gen];
}

enum sdma_gen sdma_gen_of_target(const char *target)
{
    if (!strncmp(target, "gfx101", 6))
        return SDMA_5_0;
    if (!strncmp(target, "gfx125", 6))
        return SDMA_7_1;
    int gen = amd_gen_of(target);
    return sdma_gen_of(gen < 0 ? AMD_GEN_11 : (enum amd_gen)gen);
}

const char *sdma_gen_name(enum sdma_gen gen)
{
    static const char *const names[] = {"4.0", "4.4", "5.0", "5.2", "6.0", "7.0", "7.1"};
    return gen < SDMA_GEN_COUNT ? names[gen] : "?";
}

static const struct hw_record *record_of(uint32_t header, enum sdma_gen gen)
{
    for (unsigned i = 0; i < sdma_nrecords; i++) {
        const struct hw_record *r = &sdma_records[i];
        if (r->op == sdma_opcode(header) && hw_in_gen(r->gens, gen) &&
            (header & r->match_mask) == r->match_value)
            return r;
    }
    return NULL;
}

uint32_t sdma_dwords(const uint32_t *dw, uint32_t left, enum sdma_gen gen, uint32_t *need)
{
    const struct hw_record *r = record_of(dw[0], gen);
    *need = 0;
    if (!r)
        return 0;
    if (r->tail != HW_TAIL_FIELD)
        return r->dwords;
    if (left <= r->tail_field.dw) {
        *need = r->tail_field.dw + 1u;
        return 0;
    }
    return r->dwords + (uint32_t)hw_get_field(&r->tail_field, dw) + (uint32_t)r->tail_bias;
}

uint32_t sdma_next(const uint32_t *dw, uint32_t left, enum sdma_gen gen, struct sdma_packet *out)
{
    uint32_t need, n = sdma_dwords(dw, left, gen, &need);
    *out = (struct sdma_packet){.rec = record_of(dw[0], gen), .dwords = 1};
    if (!out->rec)
        out->status = SDMA_UNKNOWN_OP;
    else if (need || n > left) {
        out->status = SDMA_TRUNCATED;
        out->dwords = left;
    } else
        out->dwords = n;
    return out->dwords;
}
