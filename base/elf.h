/* Reads 64-bit little-endian ELF images that are held in memory: code objects and cubins. Every offset, size
 * and string of the image is checked before it is used, so a hostile image is refused, never over-read.
 * Not for: relocation or loading (the back ends), writing. Views point into the image and live as long as it.
 * Fact source: the ELF gABI as in <elf.h>.
 */
#ifndef NX_BASE_ELF_H
#define NX_BASE_ELF_H
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
    const uint8_t *data;
    size_t size;
    Elf64_Ehdr header;
};
struct elf_section {
    const char *name;
    const uint8_t *data; /* NULL for SHT_NOBITS */
    Elf64_Shdr header;   /* sh_size bytes at data */
};
struct elf_segment {
    const uint8_t *data; /* p_filesz bytes */
    Elf64_Phdr header;
};
struct elf_symbol {
    const char *name;
    Elf64_Sym sym;
};
struct elf_note {
    const char *name; /* NUL-terminated inside the image */
    const uint8_t *desc;
    uint32_t type, desc_size;
};

/* Checks the header and the header tables. -EINVAL with text when the image is not one to read. */
int elf_open(struct elf *e, const void *data, size_t size);

/* The i-th section / program header. -ENOENT: no such index; -EINVAL: it points outside the image. */
int elf_section(const struct elf *e, unsigned i, struct elf_section *out);
int elf_segment(const struct elf *e, unsigned i, struct elf_segment *out);
/* First section called name. -ENOENT when there is none. */
int elf_section_named(const struct elf *e, const char *name, struct elf_section *out);

/* The i-th symbol of a symbol table section (SHT_SYMTAB or SHT_DYNSYM). -ENOENT past the end. */
int elf_symbol(const struct elf *e, const struct elf_section *table, unsigned i, struct elf_symbol *out);
/* The defined symbol called name, from .dynsym, else .symtab. -ENOENT when there is none. */
int elf_symbol_named(const struct elf *e, const char *name, struct elf_symbol *out);

/* The first note with this owner name and type, from the PT_NOTE segments, else from SHT_NOTE sections.
 * -ENOENT when there is none. */
int elf_note(const struct elf *e, const char *name, uint32_t type, struct elf_note *out);

/* The image bytes behind `size` bytes at virtual address va, from the PT_LOAD segments (file part only);
 * NULL when they are not all there. */
const uint8_t *elf_at(const struct elf *e, uint64_t va, uint64_t size);
#endif
