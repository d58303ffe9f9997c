/* The committed rows against tables taken from the drivers' headers (../shared/facts): every register offset
 * and field on every generation, every SDMA packet field on every version, every atomic code. */
#include "hw/amd/atomic.h"
#include "hw/amd/regs.h"
#include "hw/amd/sdma.h"
#include "test/facts.h"
#include "test/test.h"
#include <strings.h>

/* Splits a line at its tabs; returns the columns. */
static unsigned columns(char *line, char **col, unsigned max)
{
    unsigned n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *s = line; s && n < max; n++) {
        col[n] = strsep(&s, "\t");
    }
    return n;
}

static void complain(const char *what, char **col)
{
    printf("  %s: %s %s %s\n", what, col[1], col[2], col[3]);
    test_bad++;
}

static void check_field(const struct amd_reg *r, enum amd_gen gen, char **col)
{
    unsigned hi, lo;
    sscanf(col[4], "%u:%u", &hi, &lo);
    for (unsigned i = 0; r && i < r->nfields; i++) {
        const struct hw_field *f = &r->fields[i];
        if (hw_in_gen(f->gens, gen) && !strcasecmp(f->name, col[2]) && f->hi == hi && f->lo == lo)
            return;
    }
    complain("register field", col);
}

TEST(registers_as_in_the_headers)
{
    static const char *const gens[] = {"gfx9.0", "gfx90a", "gfx942", "gfx10.3", "gfx11", "gfx12"};
    char line[512], *col[8];
    unsigned n = 0;
    FILE *f = facts_open("kfd-compute-regs.tsv");
    if (!f)
        SKIP("no kfd-compute-regs.tsv");
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || columns(line, col, 8) < 5)
            continue;
        const struct amd_reg *r = amd_reg_named(col[1]);
        char *list = col[3];
        for (char *g; (g = strsep(&list, ",")); n++)
            for (enum amd_gen gen = 0; gen < AMD_GEN_COUNT; gen++) {
                if (strcmp(g, gens[gen]))
                    continue;
                if (*col[0] == 'F') {
                    check_field(r, gen, col);
                    continue;
                }
                uint32_t offset = (uint32_t)strtoul(col[4], 0, 16);
                unsigned hits = 0;
                for (unsigned k = 0; r && k < ARRAY_LEN(r->at); k++)
                    hits += r->at[k].offset == offset && (r->at[k].gens >> gen & 1);
                if (hits != 1)
                    complain("register offset", col);
            }
    }
    fclose(f);
    CHECK(n > 1000);
}

/* Bits lo..hi of dword dw belong to some field of a record that starts with this name, on this version. */
static int sdma_covers(const char *packet, enum sdma_gen gen, unsigned dw, unsigned hi, unsigned lo)
{
    for (unsigned i = 0; i < sdma_nrecords; i++) {
        const struct hw_record *r = &sdma_records[i];
        size_t n = strlen(packet);
        if (strncmp(r->name, packet, n) ||
            (r->name[n] && strcmp(r->name + n, "_dcc") && strncmp(r->name + n, "_v", 2)) ||
            !hw_in_gen(r->gens, gen) || dw >= r->dwords)
            continue;
        uint32_t m[32], unknown;
        memset(m, 0, sizeof m);
        m[dw] = HW_MASK(hi, lo);
        if (hw_unknown_bits(r, gen, m, dw, &unknown) < 0)
            return 1;
    }
    return 0;
}

/* The facts' packet and word names are one string: the longest record name that it starts with. */
static int sdma_packet(const char *name, char *packet, size_t size)
{
    static const char *const renamed[][2] = {{"COPY_BROADCAST_LINEAR_", "copy_broadcast"},
                                             {"CONSTANT_FILL_", "const_fill"},
                                             {"WRITE_UNTILED_", "write"}};
    size_t best = 0;
    for (unsigned i = 0; i < ARRAY_LEN(renamed); i++)
        if (!strncmp(name, renamed[i][0], strlen(renamed[i][0])))
            return snprintf(packet, size, "%s", renamed[i][1]), 1;
    for (unsigned i = 0; i < sdma_nrecords; i++) {
        size_t n = strlen(sdma_records[i].name);
        if (n > best && !strncasecmp(name, sdma_records[i].name, n) && name[n] == '_') {
            snprintf(packet, size, "%s", sdma_records[i].name);
            best = n;
        }
    }
    return best != 0;
}

TEST(sdma_fields_as_in_the_headers)
{
    static const struct {
        const char *version;
        enum sdma_gen gen;
    } versions[] = {{"v4", SDMA_4_0}, {"v5", SDMA_5_0}, {"v6", SDMA_6_0}, {"v7.1", SDMA_7_1}};
    char line[512], packet[64], *col[8];
    unsigned n = 0, dw, hi, lo;
    FILE *f = facts_open("kfd-sdma-packets.tsv");
    if (!f)
        SKIP("no kfd-sdma-packets.tsv");
    while (fgets(line, sizeof line, f)) {
        if (line[0] != 'F' || columns(line, col, 8) < 4 || sscanf(col[3], "%u %u:%u", &dw, &hi, &lo) != 3)
            continue;
        size_t k = strlen(col[1]);
        /* data0 is the tail; these two packets' op codes are not known, so they have no row */
        if ((k > 6 && !strcmp(col[1] + k - 6, "_data0")) || !strncmp(col[1], "HEADER_", 7) ||
            !strncmp(col[1], "REGISTER_RMW", 12) || !strncmp(col[1], "MEM_INCR", 8))
            continue;
        char *list = col[2], all[64];
        snprintf(all, sizeof all, "%s", col[2]);
        if (!sdma_packet(col[1], packet, sizeof packet)) {
            printf("  no record for %s\n", col[1]), test_bad++;
            continue;
        }
        for (char *v; (v = strsep(&list, ",")); n++)
            for (unsigned i = 0; i < ARRAY_LEN(versions); i++)
                if (!strcmp(v, versions[i].version) && !sdma_covers(packet, versions[i].gen, dw, hi, lo))
                    printf("  %s (%s) %s on %s is not covered\n", col[1], packet, col[3], v), test_bad++;
    }
    fclose(f);
    CHECK(n > 1500);
}

TEST(atomics_as_in_the_headers)
{
    char line[512], *col[8];
    unsigned n = 0;
    FILE *f = facts_open("kfd-atomic-ops.tsv");
    if (!f)
        SKIP("no kfd-atomic-ops.tsv");
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || columns(line, col, 8) < 2)
            continue;
        const char *name = hw_value_name(amd_atomic_names, strtoul(col[0], 0, 10));
        CHECK_STR(name ? name : "", col[1] + strlen("ATOMIC_"));
        n++;
    }
    fclose(f);
    CHECK(n > 70);
}

int main(void)
{
    RUN(registers_as_in_the_headers);
    RUN(sdma_fields_as_in_the_headers);
    RUN(atomics_as_in_the_headers);
    return test_done();
}
