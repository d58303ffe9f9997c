/* Code objects, targets and bundles: what is read, and that hostile input is refused.
 * Witness: the committed objects are clang-19's; their argument lists are those of the OpenCL sources beside
 * them.
 */
#include "amd/bundle.h"
#include "amd/code.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "test/test.h"
#include <stdlib.h>

static uint8_t image[1 << 16];
static size_t image_size;

static void load(const char *path)
{
    FILE *f = fopen(path, "rb");
    image_size = f ? fread(image, 1, sizeof image, f) : 0;
    if (f)
        fclose(f);
    CHECK(image_size > 64);
}

TEST(kernels_and_arguments)
{
    struct code c;
    load("kernels/vector_add.gfx1100.hsaco");
    CHECK_EQ(code_open(&c, image, image_size), 0);
    CHECK_EQ(c.version, 5);
    CHECK_STR(c.target.name, "gfx1100");
    CHECK_EQ(c.kernel_count, 1);
    if (c.kernel_count != 1)
        return;
    const struct amd_kernel *k = &c.kernels[0];
    CHECK_STR(k->name, "vector_add");
    CHECK_EQ(k->base.info.arg_count, 4);
    CHECK_EQ(k->base.info.kernarg_bytes, 28);
    CHECK_EQ(k->base.args[0].kind, NX_ARG_BUFFER);
    CHECK_STR(k->base.args[0].address_space, "global");
    CHECK_EQ(k->base.args[3].kind, NX_ARG_VALUE);
    CHECK_EQ(k->base.args[3].offset, 24);
    CHECK_STR(k->base.args[3].type_name, "uint");
    CHECK_EQ(k->kd.wave32, 1);
    CHECK_EQ(k->kd.sgpr_kernarg_ptr, 1);
    CHECK_EQ(k->base.info.wave_size, 32);
    CHECK_EQ(k->entry_va & 255, 0);
    code_close(&c);
    load("kernels/matmul.gfx1100.hsaco");
    CHECK_EQ(code_open(&c, image, image_size), 0);
    CHECK_EQ(c.kernels[0].base.info.block[0], 16);
    CHECK_EQ(c.kernels[0].base.info.block[2], 1);
    CHECK_EQ(c.kernels[0].base.info.lds_bytes, 2048);
    code_close(&c);
}

TEST(wrong_objects_are_named)
{
    struct code c;
    static const struct {
        size_t at;
        uint8_t value;
        const char *text;
    } cases[] = {
        {0, 'x', "not a code object: ELF magic 78454c46, expected 7f454c46"},
        {offsetof(Elf64_Ehdr, e_machine), 62, "ELF for machine 62, expected 224, AMD GPU"},
        {EI_ABIVERSION, 0,
         "code object with OS ABI 64 version 0: expected 64 and 1 to 4 (code object version 3 to 6)"},
        {offsetof(Elf64_Ehdr, e_type), ET_REL, "ELF type 1, expected 3, a linked code object"},
        {offsetof(Elf64_Ehdr, e_flags), 0xee,
         "code object for machine number 0xee, which is no target known here"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        load("kernels/vector_add.gfx1100.hsaco");
        image[cases[i].at] = cases[i].value;
        CHECK_EQ(code_open(&c, image, image_size), -ENOEXEC);
        CHECK_STR(fail_text(), cases[i].text);
    }
    CHECK_EQ(code_open(&c, "hello", 5), -ENOEXEC);
}

/* Opened and, if it opens, laid out: under the sanitizers any over-read ends the test. */
static void survive(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1); /* exact, so that the sanitizer sees its end */
    memcpy(copy, data, size);
    struct code c;
    int rc = code_open(&c, copy, size);
    if (!rc) {
        if (c.size <= 1 << 20) {
            uint8_t *out = malloc(c.size);
            code_image(&c, 0x7f0000000000, out);
            free(out);
        }
        code_close(&c);
    } else if (rc != -ENOEXEC && rc != -ENOTSUP && rc != -EINVAL) {
        printf("  %zu bytes: %d %s\n", size, rc, fail_text());
        test_bad++;
    }
    free(copy);
}

TEST(every_truncation_is_refused)
{
    struct code c;
    load("kernels/vector_add.gfx1100.hsaco");
    for (size_t n = 0; n < image_size; n += n < 3000 ? 13 : 1) {
        survive(image, n);
        if (n < image_size - 1100) /* what ends before the section headers cannot be whole */
            CHECK_EQ(code_open(&c, image, n), -ENOEXEC);
    }
}

static uint32_t seed;
static uint32_t rnd(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

TEST(damaged_objects_are_survived)
{
    static uint8_t copy[sizeof image];
    for (unsigned round = 0; round < 20000; round++) {
        seed = round;
        if (!(round % 10000))
            load(round ? "kernels/matmul.gfx1100.hsaco" : "kernels/vector_add.gfx1100.hsaco");
        memcpy(copy, image, image_size);
        for (uint32_t n = 1 + rnd() % 4; n; n--)
            copy[rnd() % (rnd() & 1 ? 2200 : image_size)] = (uint8_t)(rnd() & 1 ? rnd() : rnd() % 2 * 255);
        survive(copy, image_size);
    }
}

/* ---- relocation ---- */

/* An object of one segment with a dynamic section, a symbol table and relocations at known places. */
static void make_relocations(uint8_t *e, const Elf64_Rela *r, unsigned n)
{
    load("kernels/vector_add.gfx1100.hsaco");
    memcpy(e, image, image_size);
    Elf64_Ehdr h;
    memcpy(&h, e, sizeof h);
    /* the dynamic segment is moved behind the image's end, into a segment of its own */
    for (unsigned i = 0; i < h.e_phnum; i++) {
        Elf64_Phdr p;
        uint8_t *at = e + h.e_phoff + i * sizeof p;
        memcpy(&p, at, sizeof p);
        if (p.p_type == PT_DYNAMIC) {
            p.p_offset = 0x8000, p.p_filesz = 96;
        } else if (p.p_type == PT_LOAD && p.p_vaddr > 0x2000) {
            p.p_offset = 0x8000, p.p_vaddr = 0x3000, p.p_filesz = 0x1000, p.p_memsz = 0x1000;
        }
        memcpy(at, &p, sizeof p);
    }
    Elf64_Dyn d[6] = {{DT_RELA, {0x3100}},  {DT_RELASZ, {n * sizeof *r}},
                      {DT_SYMTAB, {0x790}}, {DT_STRTAB, {0x81c}},
                      {DT_STRSZ, {26}},     {DT_NULL, {0}}};
    memset(e + 0x8000, 0, 0x1000);
    memcpy(e + 0x8000, d, sizeof d);
    memcpy(e + 0x8100, r, n * sizeof *r);
}

TEST(relocations)
{
    static uint8_t e[1 << 16], out[0x4000];
    const uint64_t base = 0x7f1234560000, symbol = 0x1900; /* vector_add, index 1 */
    struct code c;
    Elf64_Rela r[] = {
        {0x3800, ELF64_R_INFO(1ull, 3), 8},     {0x3808, ELF64_R_INFO(1ull, 4), 0},
        {0x380c, ELF64_R_INFO(1ull, 10), 4},    {0x3810, ELF64_R_INFO(1ull, 11), 4},
        {0x3818, ELF64_R_INFO(0ull, 13), 0x40}, {0x3820, ELF64_R_INFO(1ull, 5), 0},
        {0x3828, ELF64_R_INFO(1ull, 1), 0},     {0x382c, ELF64_R_INFO(1ull, 2), 0},
        {0x3830, ELF64_R_INFO(1ull, 0), 0},
    };
    make_relocations(e, r, ARRAY_LEN(r));
    CHECK_EQ(code_open(&c, e, 0x9000), 0);
    CHECK_EQ(c.size, 0x4000);
    CHECK_EQ(code_image(&c, base, out), 0);
    CHECK_EQ(load64(out + 0x3800), base + symbol + 8);
    CHECK_EQ(load32(out + 0x3808), (uint32_t)(symbol - 0x3808));
    CHECK_EQ(load32(out + 0x380c), (uint32_t)(symbol + 4 - 0x380c));
    CHECK_EQ(load32(out + 0x3810), 0xffffffff); /* the place is above the symbol */
    CHECK_EQ(load64(out + 0x3818), base + 0x40);
    CHECK_EQ(load64(out + 0x3820), symbol - 0x3820);
    CHECK_EQ(load32(out + 0x3828), (uint32_t)(base + symbol));
    CHECK_EQ(load32(out + 0x382c), (uint32_t)((base + symbol) >> 32));
    CHECK_EQ(load32(out + 0x3830), 0);
    code_close(&c);
    static const struct {
        Elf64_Rela r;
        const char *text;
    } bad[] = {
        {{0x3fff, ELF64_R_INFO(1ull, 3), 0}, "code object: relocation at 0x3fff, outside its 16384 bytes"},
        {{0x3800, ELF64_R_INFO(1ull, 77), 0}, "code object: relocation type 77 is not known here"},
        {{0x3800, ELF64_R_INFO(1ull << 20, 3), 0},
         "code object: relocation with symbol 1048576, which is outside the table"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        make_relocations(e, &bad[i].r, 1);
        CHECK_EQ(code_open(&c, e, 0x9000), 0);
        CHECK_EQ(code_image(&c, base, out), -ENOEXEC);
        CHECK_STR(fail_text(), bad[i].text);
        code_close(&c);
    }
}

/* ---- targets and bundles ---- */

static struct amd_target target(const char *name)
{
    struct amd_target t;
    CHECK_EQ(amd_target_of_name(name, strlen(name), &t), 0);
    return t;
}

TEST(which_code_runs_where)
{
    static const struct {
        const char *code, *device;
        int fit;
    } cases[] = {
        {"gfx1100", "gfx1100", 2},
        {"gfx11-generic", "gfx1100", 1},
        {"gfx1101", "gfx1100", 0},
        {"gfx10-3-generic", "gfx1036", 1},
        {"gfx9-generic", "gfx906:sramecc-:xnack-", 1},
        {"gfx9-generic", "gfx908:sramecc-:xnack-", 0},
        {"gfx90a:xnack+", "gfx90a:sramecc+:xnack-", 0},
        {"gfx90a:sramecc+", "gfx90a:sramecc+:xnack-", 2},
        {"gfx90a:sramecc-", "gfx90a:sramecc+:xnack-", 0},
        {"gfx942", "gfx942:sramecc+:xnack-", 2},
        {"gfx9-4-generic", "gfx942:sramecc+:xnack-", 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct amd_target c = target(cases[i].code), d = target(cases[i].device);
        if (amd_target_fit(&c, &d) != cases[i].fit)
            printf("  %s on %s: %d\n", cases[i].code, cases[i].device, amd_target_fit(&c, &d)), test_bad++;
    }
    char name[32];
    amd_target_of_version(90010, name);
    CHECK_STR(name, "gfx90a");
    amd_target_of_version(110501, name);
    CHECK_STR(name, "gfx1151");
    struct amd_target t;
    CHECK_EQ(amd_target_of_flags(0x03f | 2 << 8 | 3 << 10, 5, &t), 0);
    char text[64];
    amd_target_print(&t, text, sizeof text);
    CHECK_STR(text, "gfx90a:sramecc+:xnack-");
}

/* n entries whose content is their id's last byte */
static size_t make_bundle(uint8_t *b, const char *const *ids, unsigned n)
{
    size_t at = 32, data = 4096;
    memcpy(b, "__CLANG_OFFLOAD_BUNDLE__", 24);
    store64(b + 24, n);
    for (unsigned i = 0; i < n; i++) {
        size_t len = strlen(ids[i]);
        store64(b + at, data + i);
        store64(b + at + 8, 1);
        store64(b + at + 16, len);
        memcpy(b + at + 24, ids[i], len);
        b[data + i] = (uint8_t)i;
        at += 24 + len;
    }
    return data + n;
}

TEST(bundle_entries_exact_before_generic)
{
    static uint8_t b[8192];
    static const char *const ids[] = {"host-x86_64-unknown-linux--", "hipv4-amdgcn-amd-amdhsa--gfx11-generic",
                                      "hipv4-amdgcn-amd-amdhsa--gfx1100",
                                      "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"};
    struct amd_target d = target("gfx1100"), other = target("gfx1103"), none = target("gfx1201");
    const void *p;
    size_t n, size = make_bundle(b, ids, 4);
    void *owned;
    CHECK_EQ(bundle_pick(b, size, &d, &p, &n, &owned), 0);
    CHECK(n == 1 && *(const uint8_t *)p == 2 && !owned);
    CHECK_EQ(bundle_pick(b, size, &other, &p, &n, &owned), 0);
    CHECK_EQ(*(const uint8_t *)p, 1);
    CHECK_EQ(bundle_pick(b, size, &none, &p, &n, &owned), -ENOEXEC);
    CHECK_STR(fail_text(),
              "offload bundle has nothing for gfx1201, it has: hipv4-amdgcn-amd-amdhsa--gfx11-generic, "
              "hipv4-amdgcn-amd-amdhsa--gfx1100, hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+");
    for (size_t cut = 24; cut < size;
         cut += cut < 300 ? 1 : 501) { /* every one says something, none over-reads */
        uint8_t *c = malloc(cut);
        memcpy(c, b, cut);
        CHECK(bundle_pick(c, cut, &d, &p, &n, &owned) < 0);
        free(c);
    }
    for (unsigned round = 0; round < 5000; round++) {
        static uint8_t c[8192];
        seed = round;
        memcpy(c, b, size);
        for (uint32_t i = 1 + rnd() % 4; i; i--)
            c[rnd() % 260] = (uint8_t)rnd();
        if (bundle_kind(c, size))
            bundle_pick(c, size, &d, &p, &n, &owned), mem_free(owned);
    }
}

TEST(damaged_compressed_bundles_are_refused)
{
    static uint8_t b[64] = {'C', 'C', 'O', 'B', 2, 0, 1, 0, 64, 0, 0, 0, 16, 0, 0, 0};
    struct amd_target d = target("gfx1100");
    const void *p;
    size_t n;
    void *owned;
    int rc = bundle_pick(b, sizeof b, &d, &p, &n, &owned);
    CHECK(rc == -ENOEXEC || rc == -ENOTSUP);
    b[4] = 9;
    CHECK_EQ(bundle_pick(b, sizeof b, &d, &p, &n, &owned), -ENOTSUP);
    CHECK_STR(fail_text(), "compressed bundle of version 9: 1 to 3 are known");
    b[4] = 2, b[6] = 5;
    CHECK_EQ(bundle_pick(b, sizeof b, &d, &p, &n, &owned), -ENOTSUP);
    b[6] = 1, b[15] = 0xff;
    CHECK_EQ(bundle_pick(b, sizeof b, &d, &p, &n, &owned), -ENOEXEC);
    CHECK_EQ(bundle_pick(b, 16, &d, &p, &n, &owned), -ENOEXEC);
}

int main(void)
{
    RUN(kernels_and_arguments);
    RUN(wrong_objects_are_named);
    RUN(every_truncation_is_refused);
    RUN(damaged_objects_are_survived);
    RUN(relocations);
    RUN(which_code_runs_where);
    RUN(bundle_entries_exact_before_generic);
    RUN(damaged_compressed_bundles_are_refused);
    return test_done();
}
