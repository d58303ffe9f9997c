#include "base/elf.h"
#include "base/err.h"
#include <string.h>

static int inside(const struct elf *e, uint64_t off, uint64_t len)
{
    return off <= e->size && len <= e->size - off;
}

int elf_open(struct elf *e, const void *data, size_t size)
{
    *e = (struct elf){.data = data, .size = size};
    if (size < sizeof e->header)
        return fail(-EINVAL, "ELF image of %zu bytes: shorter than its header", size);
    memcpy(&e->header, data, sizeof e->header);
    const Elf64_Ehdr *h = &e->header;
    if (memcmp(h->e_ident, ELFMAG, SELFMAG))
        return fail(-EINVAL, "ELF magic %02x%02x%02x%02x, expected 7f454c46", h->e_ident[0], h->e_ident[1],
                    h->e_ident[2], h->e_ident[3]);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
        return fail(-EINVAL, "ELF class %u data %u, expected 64-bit little-endian", h->e_ident[EI_CLASS],
                    h->e_ident[EI_DATA]);
    if (h->e_shnum && (h->e_shentsize != sizeof(Elf64_Shdr) ||
                       !inside(e, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr))))
        return fail(-EINVAL, "ELF section headers (%u of %u bytes at 0x%llx) do not fit the image",
                    h->e_shnum, h->e_shentsize, (unsigned long long)h->e_shoff);
    if (h->e_phnum && (h->e_phentsize != sizeof(Elf64_Phdr) ||
                       !inside(e, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr))))
        return fail(-EINVAL, "ELF program headers (%u of %u bytes at 0x%llx) do not fit the image",
                    h->e_phnum, h->e_phentsize, (unsigned long long)h->e_phoff);
    return 0;
}

/* The string at off of a string table, or NULL when it is not terminated inside the table. */
static const char *string(const struct elf *e, const Elf64_Shdr *table, uint64_t off)
{
    if (table->sh_type == SHT_NOBITS || !inside(e, table->sh_offset, table->sh_size) || off >= table->sh_size)
        return NULL;
    const char *s = (const char *)e->data + table->sh_offset + off;
    return memchr(s, 0, table->sh_size - off) ? s : NULL;
}

static int section_header(const struct elf *e, unsigned i, Elf64_Shdr *out)
{
    if (i >= e->header.e_shnum)
        return fail(-ENOENT, "ELF section %u, the image has %u", i, e->header.e_shnum);
    memcpy(out, e->data + e->header.e_shoff + (uint64_t)i * sizeof *out, sizeof *out);
    return 0;
}

int elf_section(const struct elf *e, unsigned i, struct elf_section *out)
{
    *out = (struct elf_section){.name = ""};
    Elf64_Shdr names;
    int r = section_header(e, i, &out->header);
    if (r)
        return r;
    if (out->header.sh_type != SHT_NOBITS) {
        if (!inside(e, out->header.sh_offset, out->header.sh_size))
            return fail(
                -EINVAL, "ELF section %u (0x%llx bytes at 0x%llx) is outside the image of 0x%zx bytes", i,
                (unsigned long long)out->header.sh_size, (unsigned long long)out->header.sh_offset, e->size);
        out->data = e->data + out->header.sh_offset;
    }
    if (e->header.e_shstrndx != SHN_UNDEF) {
        if ((r = section_header(e, e->header.e_shstrndx, &names)))
            return r;
        if (!(out->name = string(e, &names, out->header.sh_name)))
            return fail(-EINVAL, "ELF section %u: name at 0x%x is outside the string table", i,
                        out->header.sh_name);
    }
    return 0;
}

int elf_segment(const struct elf *e, unsigned i, struct elf_segment *out)
{
    *out = (struct elf_segment){0};
    if (i >= e->header.e_phnum)
        return fail(-ENOENT, "ELF segment %u, the image has %u", i, e->header.e_phnum);
    memcpy(&out->header, e->data + e->header.e_phoff + (uint64_t)i * sizeof out->header, sizeof out->header);
    if (!inside(e, out->header.p_offset, out->header.p_filesz))
        return fail(-EINVAL, "ELF segment %u (0x%llx bytes at 0x%llx) is outside the image of 0x%zx bytes", i,
                    (unsigned long long)out->header.p_filesz, (unsigned long long)out->header.p_offset,
                    e->size);
    out->data = e->data + out->header.p_offset;
    return 0;
}

int elf_section_named(const struct elf *e, const char *name, struct elf_section *out)
{
    for (unsigned i = 0; i < e->header.e_shnum; i++) {
        int r = elf_section(e, i, out);
        if (r)
            return r;
        if (!strcmp(out->name, name))
            return 0;
    }
    return fail(-ENOENT, "ELF section \"%s\" is not in the image", name);
}

int elf_symbol(const struct elf *e, const struct elf_section *table, unsigned i, struct elf_symbol *out)
{
    *out = (struct elf_symbol){.name = ""};
    if (!table->data || i >= table->header.sh_size / sizeof out->sym)
        return fail(-ENOENT, "ELF symbol %u is past the end of \"%s\"", i, table->name);
    memcpy(&out->sym, table->data + (uint64_t)i * sizeof out->sym, sizeof out->sym);
    Elf64_Shdr names;
    int r = section_header(e, table->header.sh_link, &names);
    if (r)
        return r;
    if (!(out->name = string(e, &names, out->sym.st_name)))
        return fail(-EINVAL, "ELF symbol %u: name at 0x%x is outside the string table", i, out->sym.st_name);
    return 0;
}

int elf_symbol_named(const struct elf *e, const char *name, struct elf_symbol *out)
{
    static const uint32_t type[] = {SHT_DYNSYM, SHT_SYMTAB};
    for (int t = 0; t < 2; t++)
        for (unsigned i = 0; i < e->header.e_shnum; i++) {
            struct elf_section s;
            int r = elf_section(e, i, &s);
            if (r)
                return r;
            if (s.header.sh_type != type[t])
                continue;
            for (unsigned k = 0; (r = elf_symbol(e, &s, k, out)) != -ENOENT; k++) {
                if (r)
                    return r;
                if (out->sym.st_shndx != SHN_UNDEF && !strcmp(out->name, name))
                    return 0;
            }
        }
    return fail(-ENOENT, "ELF symbol \"%s\" is not defined in the image", name);
}

/* Notes are {namesz, descsz, type, name padded to 4, desc padded to 4}. */
static int note_in(const uint8_t *p, uint64_t n, const char *name, uint32_t type, struct elf_note *out)
{
    while (n >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr h;
        memcpy(&h, p, sizeof h);
        uint64_t desc = sizeof h + (((uint64_t)h.n_namesz + 3) & ~3ull);
        uint64_t next = desc + (((uint64_t)h.n_descsz + 3) & ~3ull);
        if (desc > n || h.n_descsz > n - desc)
            return fail(-EINVAL, "ELF note (name %u, description %u bytes) does not fit its %llu bytes",
                        h.n_namesz, h.n_descsz, (unsigned long long)n);
        const char *owner = (const char *)p + sizeof h;
        if (h.n_type == type && h.n_namesz == strlen(name) + 1 && !memcmp(owner, name, h.n_namesz)) {
            *out = (struct elf_note){owner, p + desc, h.n_type, h.n_descsz};
            return 0;
        }
        if (next >= n)
            break;
        p += next;
        n -= next;
    }
    return -ENOENT;
}

int elf_note(const struct elf *e, const char *name, uint32_t type, struct elf_note *out)
{
    for (unsigned i = 0; i < e->header.e_phnum; i++) {
        struct elf_segment s;
        int r = elf_segment(e, i, &s);
        if (!r && s.header.p_type == PT_NOTE)
            r = note_in(s.data, s.header.p_filesz, name, type, out);
        else if (!r)
            continue;
        if (r != -ENOENT)
            return r;
    }
    for (unsigned i = 0; i < e->header.e_shnum; i++) {
        struct elf_section s;
        int r = elf_section(e, i, &s);
        if (!r && s.header.sh_type == SHT_NOTE)
            r = note_in(s.data, s.header.sh_size, name, type, out);
        else if (!r)
            continue;
        if (r != -ENOENT)
            return r;
    }
    return fail(-ENOENT, "ELF note \"%s\" type %u is not in the image", name, type);
}

const uint8_t *elf_at(const struct elf *e, uint64_t va, uint64_t size)
{
    for (unsigned i = 0; i < e->header.e_phnum; i++) {
        struct elf_segment s;
        if (elf_segment(e, i, &s) || s.header.p_type != PT_LOAD || va < s.header.p_vaddr)
            continue;
        uint64_t off = va - s.header.p_vaddr;
        if (off <= s.header.p_filesz && size <= s.header.p_filesz - off)
            return s.data + off;
    }
    return NULL;
}
