/* isa/amd: decode and print. Outside witness: llvm-mc-19; test/e2e/isa.sh compares the cases that
 * `isa cases GPU 32|64 SEED N` prints (one a line: bytes, then every instruction decoded from them) with it.
 */
#include "isa/amd/inst.h"
#include "base/bits.h"
#include "base/err.h"
#include "test/test.h"
#include <stdlib.h>

static uint64_t state;
static uint32_t rnd(void) /* splitmix64 */
{
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)((z ^ z >> 31) >> 32);
}

/* A row's fixed bits, the rest random, leaning to what random bits rarely hit. */
static void make_case(enum amd_gpu gpu, const struct amd_row *row, uint8_t bytes[16])
{
    static const uint32_t source[] = {255, 255, 106, 124, 125, 126, 128, 193, 242, 248, 253};
    uint64_t fixed;
    for (int i = 0; i < 4; i++)
        store32(bytes + 4 * i, rnd());
    if (rnd() % 2) /* a literal that equals an inline constant */
        store32(bytes + row->bytes, (const uint32_t[]){1, 64, 0xfffffff0, 0x3c00, 0x3f800000, 0x3ff00000,
                                                       0x3f80, 0x80000000}[rnd() % 8]);
    for (enum amd_field f = 0; f < AF_COUNT; f++)
        if (f >= AF_src0 && f <= AF_src2 && rnd() % 6 == 0)
            amd_insert(row, bytes, f, source[rnd() % ARRAY_LEN(source)]);
    for (enum amd_field f = AF_saddr; f <= AF_sbase; f++)
        if (f != AF_offset && f != AF_cpol && rnd() % 3 == 0)
            amd_insert(row, bytes, f, (rnd() % 24) * 4);
    if (rnd() % 4)
        amd_insert(row, bytes, AF_dpp_ctrl, rnd() % 0x170);
    if (rnd() % 8)
        amd_insert(row, bytes, AF_offset, rnd() % 3 ? 0 : rnd() & 0xfff);
    if (row->flags & AMD_DPP8 && rnd() % 8)
        amd_insert(row, bytes, AF_fi, 0xe9 + rnd() % 2);
    if (gpu <
        AMD_GFX1100) { /* llvm-mc dies of SDWA selects that do not exist: keep words from being SDWA by chance */
        for (int k = row->bytes == 4 ? 4 : 8; k < 16; k += 4)
            store32(bytes + k, k == row->bytes ? load32(bytes + k) & ~0x04041401u : 0xbf800000);
        for (enum amd_field f = AF_dst_sel; f <= AF_src1_sel && row->flags & AMD_SDWA; f++)
            amd_insert(row, bytes, f, rnd() % (f == AF_dst_unused ? 3 : 7));
    }
    fixed = load64(bytes);
    if (row->bytes == 4)
        store32(bytes, (uint32_t)((fixed & ~row->mask) | row->value));
    else
        store64(bytes, (fixed & ~row->mask) | row->value);
}

/* "bytes TAB text; text; ...": instructions until one is refused or the 16 bytes end. */
static void print_case(enum amd_gpu gpu, bool wave64, const uint8_t bytes[16])
{
    struct amd_inst inst;
    char text[256];
    for (int i = 0; i < 16; i++)
        printf("%s0x%02x", i ? "," : "", bytes[i]);
    printf("\t");
    for (int at = 0, n; at < 16; at += n) {
        n = amd_decode(gpu, wave64, bytes + at, (size_t)(16 - at), &inst);
        if (n < 0)
            break;
        amd_print(&inst, wave64, 0, text, sizeof text);
        printf("%s; ", text);
    }
    printf("\n");
}

static int cases(int argc, char **argv)
{
    unsigned rows;
    int gpu = argc == 6 ? amd_gpu_of_name(argv[2]) : -1;
    const struct amd_row *row = gpu < 0 ? NULL : amd_rows((enum amd_gpu)gpu, &rows);
    if (!row)
        return fprintf(stderr, "usage: isa cases GPU 32|64 SEED N\n"), 2;
    bool wave64 = !strcmp(argv[3], "64");
    state = strtoull(argv[4], NULL, 0);
    for (unsigned long i = 0, n = strtoul(argv[5], NULL, 0); i < n; i++) {
        uint8_t bytes[16];
        make_case((enum amd_gpu)gpu, &row[i < rows ? i : rnd() % rows], bytes);
        print_case((enum amd_gpu)gpu, wave64, bytes);
    }
    return 0;
}

TEST(golden)
{
    char line[400], want[300], got[300];
    int gpu = -1, wave = 0;
    unsigned cases_seen = 0;
    FILE *f = fopen("test/golden/isa.txt", "r");
    if (!f)
        SKIP("test/golden/isa.txt is not in the working directory");
    while (fgets(line, sizeof line, f)) {
        char name[16];
        uint32_t w[4];
        struct amd_inst inst;
        if (sscanf(line, "@ %15s wave%d", name, &wave) == 2)
            gpu = amd_gpu_of_name(name);
        if (gpu < 0 || sscanf(line, "%x %x %x %x %299[^\n]", &w[0], &w[1], &w[2], &w[3], want) != 5)
            continue;
        int n = amd_decode((enum amd_gpu)gpu, wave == 64, w, sizeof w, &inst);
        snprintf(got, sizeof got, "-");
        if (n > 0)
            amd_print(&inst, wave == 64, 0, got, sizeof got);
        else
            CHECK_EQ(n, -EILSEQ);
        CHECK_STR(got, want);
        for (int cut = 0; cut < n;
             cut++) /* no prefix of an instruction is one: it is cut off or another, shorter one */
            CHECK(amd_decode((enum amd_gpu)gpu, wave == 64, w, (size_t)cut, &inst) <= cut);
        cases_seen++;
    }
    fclose(f);
    CHECK(cases_seen >= 400);
}

TEST(fields)
{
    struct amd_inst i;
    static const uint32_t fma[] = {0xd6130005, 0x040e0501}, lit[] = {0x060004ff, 0x40490fdb},
                          dual[] = {0xc8c60501, 0x01040703};
    CHECK_EQ(amd_decode(AMD_GFX1100, false, fma, 8, &i), 8);
    CHECK_STR(amd_base_name(i.row), "v_fma_f32");
    CHECK(i.row->enc == AMD_ENC_VOP3 && i.row->bytes == 8);
    CHECK_EQ(i.f[AF_vdst], 5);
    CHECK_EQ(i.f[AF_src0], 257);
    CHECK_EQ(i.f[AF_src2], 259);
    CHECK_EQ(amd_decode(AMD_GFX1100, false, lit, 8, &i), 8);
    CHECK(i.has_literal && i.literal == 0x40490fdb);
    CHECK_EQ(amd_decode(AMD_GFX1100, false, lit, 4, &i), -ENODATA);
    CHECK_EQ(amd_decode(AMD_GFX1100, false, dual, 8, &i), 8);
    CHECK(i.row->enc == AMD_ENC_VOPD && i.f[AF_vdstX] % 2 != i.f[AF_vdstY] % 2 && i.row->base_y);
    CHECK_EQ(amd_decode(AMD_GFX1100, true, dual, 8, &i), -EILSEQ); /* VOPD exists in wave32 only */
    CHECK_EQ(amd_decode(AMD_GFX1100, false, "\xff\xff\xff\xff", 4, &i), -EILSEQ);
    CHECK(strstr(fail_text(), "0xffffffff"));
}

/* Every row decodes back to itself, or to a row with more fixed bits, for some operand values. */
TEST(rows_reachable)
{
    for (enum amd_gpu g = 0; g < AMD_GPU_COUNT; g++) {
        unsigned n, hit = 0;
        const struct amd_row *row = amd_rows(g, &n);
        for (unsigned r = 0; r < n; r++) {
            bool found = false;
            for (int k = 0; k < 400 && !found; k++) {
                struct amd_inst i;
                uint8_t bytes[16];
                make_case(g, &row[r], bytes);
                found = amd_decode(g, row[r].flags & AMD_W64, bytes, 16, &i) > 0 && i.row == &row[r];
            }
            hit += found;
            if (!found)
                printf("  %s %s is never decoded\n", amd_gpu_name(g), row[r].name);
        }
        CHECK_EQ(hit, n);
    }
}

TEST(targets)
{
    CHECK_EQ(amd_gpu_of_name("gfx1100"), AMD_GFX1100);
    CHECK_EQ(amd_gpu_of_name("gfx11"), -1);
    CHECK_EQ(amd_gpu_of_eflags(0x541), AMD_GFX1100);
    CHECK_EQ(amd_gpu_of_eflags(0), -1);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return cases(argc, argv);
    RUN(golden);
    RUN(fields);
    RUN(rows_reachable);
    RUN(targets);
    return test_done();
}
