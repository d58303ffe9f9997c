/* base/elf.h on a hand-made image; every truncation and every byte set to 0xff must be refused or read
 * inside. */
#include "base/elf.h"
#include "base/err.h"
#include "test/test.h"
#include <stdlib.h>

static const char strings[] = "\0.text\0.strtab\0.dynsym\0.note\0entry";
struct image {
    Elf64_Ehdr h;
    Elf64_Phdr ph[2];
    Elf64_Shdr sh[5];
    uint32_t text[2];
    Elf64_Sym sym[2];
    struct {
        Elf64_Nhdr h;
        char name[8];
        char desc[4];
    } note;
    char str[sizeof strings];
};

static void build(struct image *m)
{
    memset(m, 0, sizeof *m);
    memcpy(m->h.e_ident, ELFMAG, SELFMAG);
    m->h.e_ident[EI_CLASS] = ELFCLASS64, m->h.e_ident[EI_DATA] = ELFDATA2LSB;
    m->h.e_shoff = offsetof(struct image, sh), m->h.e_shnum = 5, m->h.e_shentsize = sizeof(Elf64_Shdr);
    m->h.e_phoff = offsetof(struct image, ph), m->h.e_phnum = 2, m->h.e_phentsize = sizeof(Elf64_Phdr);
    m->h.e_shstrndx = 2;
    memcpy(m->str, strings, sizeof strings);
    m->text[0] = 0xbfb00000;
#define SECTION(i, t, o, n, s, l)                                                                            \
    m->sh[i] = (Elf64_Shdr){                                                                                 \
        .sh_name = n, .sh_type = t, .sh_offset = offsetof(struct image, o), .sh_size = s, .sh_link = l}
    SECTION(1, SHT_PROGBITS, text, 1, 8, 0);
    SECTION(2, SHT_STRTAB, str, 7, sizeof strings, 0);
    SECTION(3, SHT_DYNSYM, sym, 15, sizeof m->sym, 2);
    SECTION(4, SHT_NOTE, note, 23, sizeof m->note, 0);
    m->sym[1] = (Elf64_Sym){.st_name = 29, .st_shndx = 1, .st_value = 0x1000, .st_size = 8};
    m->note.h = (Elf64_Nhdr){.n_namesz = 7, .n_descsz = 4, .n_type = 32};
    memcpy(m->note.name, "AMDGPU", 7);
    memcpy(m->note.desc, "\x80\1\2\3", 4);
    m->ph[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                            .p_offset = offsetof(struct image, text),
                            .p_vaddr = 0x1000,
                            .p_filesz = 8,
                            .p_memsz = 8};
    m->ph[1] =
        (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = offsetof(struct image, note), .p_filesz = sizeof m->note};
}

TEST(elf_reads)
{
    struct image m;
    struct elf e;
    struct elf_section s;
    struct elf_symbol y;
    struct elf_note n;
    build(&m);
    CHECK_EQ(elf_open(&e, &m, sizeof m), 0);
    CHECK_EQ(elf_section_named(&e, ".text", &s), 0);
    CHECK_EQ(s.header.sh_size, 8);
    CHECK(s.data == (uint8_t *)m.text);
    CHECK_EQ(elf_section_named(&e, ".rodata", &s), -ENOENT);
    CHECK_EQ(elf_symbol_named(&e, "entry", &y), 0);
    CHECK_EQ(y.sym.st_value, 0x1000);
    CHECK_EQ(elf_symbol_named(&e, "exit", &y), -ENOENT);
    CHECK_EQ(elf_note(&e, "AMDGPU", 32, &n), 0);
    CHECK(n.desc == (uint8_t *)m.note.desc && n.desc_size == 4);
    CHECK_EQ(elf_note(&e, "AMDGPU", 33, &n), -ENOENT);
    CHECK(elf_at(&e, 0x1004, 4) == (uint8_t *)&m.text[1]);
    CHECK(!elf_at(&e, 0x1004, 5) && !elf_at(&e, 0xfff, 1) && !elf_at(&e, 0x1004, ~0ull));
}

static unsigned touch(const uint8_t *p, size_t n)
{
    unsigned sum = 0;
    while (p && n--)
        sum += *p++;
    return sum;
}
/* Reads all there is; under MODE=asan an over-read of the exactly sized copy stops the test. */
static unsigned walk(const void *data, size_t size)
{
    struct elf e;
    struct elf_section s;
    struct elf_segment g;
    struct elf_symbol y;
    struct elf_note n;
    unsigned sum = 0;
    if (elf_open(&e, data, size))
        return 0;
    for (unsigned i = 0; i < e.header.e_shnum; i++) {
        if (elf_section(&e, i, &s))
            continue;
        sum += touch(s.data, s.data ? s.header.sh_size : 0) + (unsigned)strlen(s.name);
        for (unsigned k = 0; !elf_symbol(&e, &s, k, &y); k++)
            sum += (unsigned)strlen(y.name);
    }
    for (unsigned i = 0; i < e.header.e_phnum; i++)
        if (!elf_segment(&e, i, &g))
            sum += touch(g.data, g.header.p_filesz);
    elf_symbol_named(&e, "no such", &y);
    if (!elf_note(&e, "AMDGPU", 32, &n))
        sum += touch(n.desc, n.desc_size);
    return sum;
}

TEST(elf_hostile)
{
    struct image m;
    build(&m);
    for (size_t n = 0; n < sizeof m; n++) {
        uint8_t *cut = malloc(n + 1), *bent = malloc(sizeof m);
        if (!cut || !bent)
            SKIP("no memory");
        memcpy(cut, &m, n);
        memcpy(bent, &m, sizeof m);
        uint8_t *exact = realloc(cut, n ? n : 1);
        bent[n] = 0xff;
        CHECK(walk(exact, n) < 1u << 30);
        CHECK(walk(bent, sizeof m) < 1u << 30);
        free(exact);
        free(bent);
    }
    struct elf e;
    CHECK_EQ(elf_open(&e, "\177ELF", 4), -EINVAL);
}

int main(void)
{
    RUN(elf_reads);
    RUN(elf_hostile);
    return test_done();
}
