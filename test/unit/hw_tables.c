/* Every row of every table of hw/: pack, unpack and the data tables agree, fields of one generation do not
 * overlap. This proves the tables consistent, not right: test/unit/hw_words.c and test/golden/ bring the
 * outside words.
 */
#include "hw/amd/aql.h"
#include "hw/amd/kd.h"
#include "hw/amd/pm4.h"
#include "hw/amd/regs.h"
#include "hw/amd/sdma.h"
#include "hw/nv/gpfifo.h"
#include "hw/nv/methods.h"
#include "test/test.h"

static uint32_t rnd(uint32_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
    return *seed;
}

/* Functions and not CHECKs in each row: there are a thousand rows. */
__attribute__((noinline)) static void check_member(const struct hw_record *r, const char *name, uint64_t v,
                                                   const uint32_t *w)
{
    for (unsigned i = 0; i < r->nfields; i++)
        if (!strcmp(r->fields[i].name, name)) {
            CHECK_EQ(v, hw_get_field(&r->fields[i], w));
            return;
        }
    CHECK(!"a field without a table entry");
}

__attribute__((noinline)) static void check_tail(const struct hw_record *r, uint32_t tail, const uint32_t *w)
{
    CHECK_EQ(tail - (uint32_t)r->tail_bias, hw_get_field(&r->tail_field, w));
}

__attribute__((noinline)) static void check_same(const struct hw_record *r, const uint32_t *w,
                                                 const uint32_t *back)
{
    for (unsigned i = 0; i < r->dwords; i++)
        if (w[i] != back[i]) {
            printf("  %s: dword %u\n", r->name, i);
            CHECK_EQ(w[i], back[i]);
        }
}

static void record_mask(const struct hw_record *r, uint32_t *m)
{
    memset(m, 0, 4 * r->dwords);
    m[0] = r->known | r->match_mask;
    for (unsigned i = 0; i < r->nfields; i++)
        hw_set_field(&r->fields[i], m, ~0ull);
    if (r->tail == HW_TAIL_FIELD)
        hw_set_field(&r->tail_field, m, ~0ull);
}

/* Random words with only bits that rows name, and the header that belongs to the record. */
__attribute__((noinline)) static void random_record(const struct hw_record *r, uint32_t *w, uint32_t *seed)
{
    record_mask(r, w);
    for (unsigned i = 0; i < r->dwords; i++)
        w[i] &= rnd(seed);
    w[0] = (w[0] & ~r->match_mask) | r->match_value;
    if (r->known == 0xffffff00) { /* PM4 */
        uint32_t count = r->tail ? rnd(seed) & 0x3fff : r->dwords - 2u;
        w[0] = (w[0] & ~r->known) | pm4_type3(r->op, count < r->dwords - 2u ? r->dwords : count);
    } else
        w[0] = (w[0] & ~r->known) | (r->known & r->op); /* a method's op is its address, not data */
}

__attribute__((noinline)) static void check_unknown(const struct hw_record *r, uint32_t *w, uint32_t *seed,
                                                    int (*unknown)(const uint32_t *))
{
    uint32_t m[32], bits;
    record_mask(r, m);
    CHECK_EQ(unknown(w), -1);
    for (unsigned i = 0; i < r->dwords; i++) {
        uint32_t bad = ~m[i] & rnd(seed);
        w[i] ^= bad;
        CHECK_EQ(unknown(w), bad ? (int)i : -1);
        if (bad) { /* some generations know fewer bits, none knows more */
            int at = hw_unknown_bits(r, r->gens ? (unsigned)__builtin_ctz(r->gens) : 0, w, 0, &bits);
            CHECK(at >= 0 && (unsigned)at <= i);
        }
        w[i] ^= bad;
    }
}

static void check_overlap(const struct hw_record *records, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        for (unsigned gen = 0; gen < 8; gen++) {
            const struct hw_record *r = &records[k];
            uint32_t m[32] = {r->known | r->match_mask}, zero[32] = {0};
            CHECK(r->dwords <= 32);
            if (!hw_in_gen(r->gens, gen))
                continue;
            if (r->tail == HW_TAIL_FIELD)
                hw_set_field(&r->tail_field, m, ~0ull);
            for (unsigned i = 0; i < r->nfields; i++) {
                const struct hw_field *f = &r->fields[i];
                CHECK(f->dw + (f->hi > 31) < r->dwords && f->lo <= f->hi && f->hi < 64);
                if (!hw_in_gen(f->gens, gen))
                    continue;
                if (hw_get_field(f, m)) {
                    printf("  %s.%s overlaps\n", r->name, f->name);
                    test_bad++;
                }
                hw_set_field(f, m, ~0ull);
                hw_set_field(f, zero, ~0ull);
                CHECK_EQ(hw_get_field(f, zero), hw_field_max(f));
            }
        }
}

#define HW_SET  pm4
#define HW_ROWS "hw/amd/pm4.def"
#include "test/hw_rows.h"
#define HW_SET  sdma
#define HW_ROWS "hw/amd/sdma.def"
#include "test/hw_rows.h"
#define HW_SET  aql
#define HW_ROWS "hw/amd/aql.def"
#include "test/hw_rows.h"
#define HW_SET  kd
#define HW_ROWS "hw/amd/kd.def"
#include "test/hw_rows.h"

#define HW_SET  nv_gp
#define HW_ROWS "hw/nv/gpfifo.def"
#include "test/hw_rows.h"
#define HW_SET  nv_host
#define HW_ROWS "hw/nv/host.def"
#include "test/hw_rows.h"
#define HW_SET  nv_compute
#define HW_ROWS "hw/nv/compute.def"
#include "test/hw_rows.h"
#define HW_SET  nv_copy
#define HW_ROWS "hw/nv/copy.def"
#include "test/hw_rows.h"

__attribute__((noinline)) static void check_reg(const struct amd_reg *r, enum amd_gen gen, uint32_t offset,
                                                uint32_t w, uint32_t back)
{
    CHECK_EQ(w, back);
    uint32_t seen = 0;
    for (unsigned i = 0; i < r->nfields; i++)
        if (hw_in_gen(r->fields[i].gens, gen)) {
            uint32_t m = HW_MASK(r->fields[i].hi, r->fields[i].lo);
            CHECK(!(seen & m));
            seen |= m;
        }
    if (offset == REG_NONE)
        return;
    const struct amd_reg *at = amd_reg_at(gen, offset);
    CHECK(at && offset >= 0x200 && offset < 0x280);
    /* gfx10+ gives four addresses a second name */
    if (at != r)
        CHECK(strstr(r->name, "DESTINATION_EN") && strstr(at->name, "STATIC_THREAD_MGMT"));
}

/* registers: the same, for each generation */
#define REG(reg)                                                                                             \
    __attribute__((noinline)) static void reg_check_##reg(enum amd_gen gen, uint32_t w)                      \
    {                                                                                                        \
        const struct amd_reg *r = amd_reg_named(#reg);                                                       \
        struct reg_##reg v;                                                                                  \
        w &= ~amd_reg_unknown(r, gen, w);                                                                    \
        reg_##reg##_unpack(gen, w, &v);                                                                      \
        check_reg(r, gen, reg_##reg##_offset(gen), w, reg_##reg##_pack(gen, &v));                            \
    }
#define AT(gens, offset)
#define BITS(name, gens, hi, lo)
#define ALSO(name, gens, hi, lo)
#define REG_END
#include "hw/amd/regs.def"
#undef REG
#define REG(reg)                                                                                             \
    for (enum amd_gen gen = 0; gen < AMD_GEN_COUNT; gen++)                                                   \
        reg_check_##reg(gen, rnd(&seed));
TEST(register_rows)
{
    uint32_t seed = 7;
    for (int round = 0; round < 20; round++) {
#include "hw/amd/regs.def"
    }
}

int main(void)
{
    test_run("pm4_rows", pm4_rows);
    test_run("sdma_rows", sdma_rows);
    test_run("aql_rows", aql_rows);
    test_run("kd_rows", kd_rows);
    test_run("nv_gp_rows", nv_gp_rows);
    test_run("nv_host_rows", nv_host_rows);
    test_run("nv_compute_rows", nv_compute_rows);
    test_run("nv_copy_rows", nv_copy_rows);
    RUN(register_rows);
    return test_done();
}
