#include "amd/code.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/msgpack.h"
#include <inttypes.h>

enum {
    EM_AMDGPU_ = 224,
    OSABI_HSA = 64,
    NOTE_METADATA = 32,
    IMAGE_MAX = 256 << 20,
    KERNARG_MAX = 1 << 20,
    NAME_MAX_ = 4096
};

/* ---- metadata ---- */

/* Text of a key copied to *out; a missing key leaves NULL. */
static int copy_text(const struct msgpack *map, const char *key, char **out)
{
    const char *text;
    uint32_t size;
    int rc = msgpack_find_text(map, key, &text, &size);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    *out = mem_text(text, size < NAME_MAX_ ? size : NAME_MAX_);
    return *out ? 0 : -ENOMEM;
}

/* Number of a key that must fit in 32 bits; a missing key gives `missing`. */
static int get_u32(const struct msgpack *map, const char *key, uint32_t missing, uint32_t *out)
{
    uint64_t v = missing;
    int rc = msgpack_find_uint(map, key, &v);
    if (rc && rc != -ENOENT)
        return rc;
    if (v > UINT32_MAX)
        return fail(-ENOEXEC, "metadata: %s is %" PRIu64 ", expected 32 bits", key, v);
    *out = (uint32_t)v;
    return 0;
}

static const struct {
    const char *name;
    uint16_t bytes;
} hidden_names[] = {
#define HIDDEN_NAME(name, bytes) {"hidden_" #name, bytes},
    HIDDEN_ARGS(HIDDEN_NAME)
#undef HIDDEN_NAME
};

static int read_hidden(struct amd_kernel *k, const char *kind, uint32_t offset, uint32_t bytes)
{
    for (unsigned i = 0; i < ARRAY_LEN(hidden_names); i++) {
        if (strcmp(kind, hidden_names[i].name))
            continue;
        if (i == HIDDEN_none)
            return 0;
        if (bytes != hidden_names[i].bytes)
            return fail(-ENOEXEC, "kernel %s: %s has %u bytes, expected %u", k->name, kind, bytes,
                        hidden_names[i].bytes);
        k->hidden[k->hidden_count++] = (struct hidden_arg){offset, (uint16_t)bytes, (uint8_t)i};
        return 0;
    }
    return fail(-ENOTSUP, "kernel %s wants the hidden argument %s, which is not known here", k->name, kind);
}

static enum nx_arg_kind kind_of(const char *value_kind)
{
    return !strcmp(value_kind, "by_value")                 ? NX_ARG_VALUE
           : !strcmp(value_kind, "global_buffer")          ? NX_ARG_BUFFER
           : !strcmp(value_kind, "dynamic_shared_pointer") ? NX_ARG_LOCAL
                                                           : NX_ARG_OTHER;
}

static int read_arg(struct amd_kernel *k, const struct msgpack *m)
{
    struct kernel_arg *a =
        &k->base.args[k->base.info.arg_count]; /* counted first, so that a failure frees its texts */
    k->base.info.arg_count++;
    int rc;
    if ((rc = copy_text(m, ".value_kind", &a->value_kind)) || (rc = get_u32(m, ".offset", 0, &a->offset)) ||
        (rc = get_u32(m, ".size", 0, &a->bytes)) || (rc = get_u32(m, ".pointee_align", 1, &a->align)))
        return rc;
    if (!a->value_kind)
        return fail(-ENOEXEC, "kernel %s: argument %u has no value kind", k->name,
                    k->base.info.arg_count - 1);
    if (a->bytes > k->kernarg_segment || a->offset > k->kernarg_segment - a->bytes)
        return fail(-ENOEXEC,
                    "kernel %s: argument %u, %u bytes at %u, lies outside the %u bytes of arguments", k->name,
                    k->base.info.arg_count - 1, a->bytes, a->offset, k->kernarg_segment);
    if (!strncmp(a->value_kind, "hidden_", 7)) {
        rc = read_hidden(k, a->value_kind, a->offset, a->bytes);
        mem_free(a->value_kind);
        a->value_kind = NULL;
        k->base.info.arg_count--;
        return rc;
    }
    a->kind = kind_of(a->value_kind);
    if (a->kind == NX_ARG_BUFFER ? a->bytes != 8 : a->kind == NX_ARG_LOCAL && a->bytes < 4)
        return fail(-ENOEXEC, "kernel %s: argument %u is a %s of %u bytes", k->name,
                    k->base.info.arg_count - 1, a->value_kind, a->bytes);
    if (!is_pow2(a->align) || a->align > 65536)
        a->align = 1;
    if (k->base.info.kernarg_bytes < a->offset + a->bytes)
        k->base.info.kernarg_bytes = a->offset + a->bytes;
    if ((rc = copy_text(m, ".name", &a->name)) || (rc = copy_text(m, ".type_name", &a->type_name)))
        return rc;
    return copy_text(m, ".address_space", &a->address_space);
}

static int read_args(struct amd_kernel *k, const struct msgpack *map)
{
    struct msgpack at;
    uint32_t count = 0;
    int rc = msgpack_find_array(map, ".args", &at, &count);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    if (count > (size_t)(at.end - at.at))
        return fail(-ENOEXEC, "metadata: %u arguments announced in %zu bytes", count,
                    (size_t)(at.end - at.at));
    k->base.args = mem_array(count, sizeof *k->base.args);
    k->hidden = mem_array(count, sizeof *k->hidden);
    if (!k->base.args || !k->hidden)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        if ((rc = read_arg(k, &at)) || (rc = msgpack_skip(&at)))
            return rc;
    return 0;
}

static int read_block(struct amd_kernel *k, const struct msgpack *map)
{
    struct msgpack at;
    struct msgpack_value v;
    uint32_t count;
    int rc = msgpack_find_array(map, ".reqd_workgroup_size", &at, &count);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    for (uint32_t i = 0; i < 3 && i < count; i++) {
        if ((rc = msgpack_next(&at, &v)))
            return rc;
        if (v.type != MP_UINT || v.u > 1024)
            return fail(-ENOEXEC, "kernel %s: the required work-group size is not three numbers up to 1024",
                        k->name);
        k->base.info.block[i] = (uint32_t)v.u;
    }
    return 0;
}

/* The descriptor behind SYMBOL, and where its code begins. */
static int read_descriptor(struct code *c, struct amd_kernel *k, const char *symbol)
{
    struct elf_symbol s;
    uint32_t words[KD_BYTES / 4];
    int rc = elf_symbol_named(&c->elf, symbol, &s);
    if (rc)
        return fail(-ENOEXEC, "kernel %s: no symbol %s in the code object", k->name, symbol);
    const uint8_t *p = elf_at(&c->elf, s.sym.st_value, KD_BYTES);
    if (!p || (s.sym.st_value & 63))
        return fail(-ENOEXEC,
                    "kernel %s: descriptor at 0x%" PRIx64 " is outside the object or not at a multiple of 64",
                    k->name, s.sym.st_value);
    memcpy(words, p, sizeof words);
    kd_desc_unpack(words, &k->kd);
    k->kd_va = s.sym.st_value;
    k->entry_va = k->kd_va + k->kd.entry;
    if ((k->entry_va & 255) || k->entry_va >= c->size || !elf_at(&c->elf, k->entry_va, 4))
        return fail(-ENOEXEC,
                    "kernel %s: entry 0x%" PRIx64 " is outside the code or not at a multiple of 256", k->name,
                    k->entry_va);
    return 0;
}

static int read_kernel(struct code *c, struct amd_kernel *k, const struct msgpack *m)
{
    char *symbol = NULL;
    uint32_t kernarg;
    struct nx_kernel_info *i = &k->base.info;
    int rc;
    if ((rc = copy_text(m, ".name", &k->name)) || (rc = copy_text(m, ".symbol", &symbol)) ||
        (rc = get_u32(m, ".kernarg_segment_size", 0, &k->kernarg_segment)) ||
        (rc = get_u32(m, ".group_segment_fixed_size", 0, &i->lds_bytes)) ||
        (rc = get_u32(m, ".private_segment_fixed_size", 0, &i->private_bytes)) ||
        (rc = get_u32(m, ".wavefront_size", 64, &i->wave_size)) ||
        (rc = get_u32(m, ".vgpr_count", 0, &i->vgprs)) || (rc = get_u32(m, ".sgpr_count", 0, &i->sgprs)) ||
        (rc = get_u32(m, ".max_flat_workgroup_size", 0, &i->max_block)))
        goto out;
    if (!k->name || !symbol) {
        rc = fail(-ENOEXEC, "metadata: a kernel without name or symbol");
        goto out;
    }
    i->name = k->name;
    kernarg = k->kernarg_segment;
    if (kernarg > KERNARG_MAX)
        rc = fail(-ENOEXEC, "kernel %s: %u bytes of arguments, at most %d", k->name, kernarg, KERNARG_MAX);
    if (!rc)
        rc = read_args(k, m);
    if (!rc)
        rc = read_block(k, m);
    if (!rc)
        rc = read_descriptor(c, k, symbol);
out:
    mem_free(symbol);
    return rc;
}

static int read_metadata(struct code *c)
{
    struct elf_note note;
    struct msgpack at, doc;
    uint32_t count;
    int rc = elf_note(&c->elf, "AMDGPU", NOTE_METADATA, &note);
    if (rc)
        return fail(-ENOEXEC, "code object has no AMDGPU metadata note");
    doc = msgpack_open(note.desc, note.desc_size);
    if ((rc = msgpack_find_array(&doc, "amdhsa.kernels", &at, &count)))
        return fail_in(-ENOEXEC, "code object metadata");
    if (count > note.desc_size)
        return fail(-ENOEXEC, "metadata: %u kernels announced in %u bytes", count, note.desc_size);
    if (!(c->kernels = mem_array(count, sizeof *c->kernels)))
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        c->kernel_count = i + 1; /* so that a failure frees its parts */
        if ((rc = read_kernel(c, &c->kernels[i], &at)) || (rc = msgpack_skip(&at)))
            return rc == -EINVAL ? fail_in(-ENOEXEC, "code object metadata") : rc;
    }
    return 0;
}

/* ---- the object ---- */

static int check_header(struct code *c)
{
    const Elf64_Ehdr *h = &c->elf.header;
    if (h->e_machine != EM_AMDGPU_)
        return fail(-ENOEXEC, "ELF for machine %u, expected 224, AMD GPU", h->e_machine);
    if (h->e_ident[EI_OSABI] != OSABI_HSA || h->e_ident[EI_ABIVERSION] < 1 || h->e_ident[EI_ABIVERSION] > 4)
        return fail(
            -ENOEXEC,
            "code object with OS ABI %u version %u: expected 64 and 1 to 4 (code object version 3 to 6)",
            h->e_ident[EI_OSABI], h->e_ident[EI_ABIVERSION]);
    if (h->e_type != ET_DYN)
        return fail(-ENOEXEC, "ELF type %u, expected 3, a linked code object", h->e_type);
    c->version = h->e_ident[EI_ABIVERSION] + 2u;
    return amd_target_of_flags(h->e_flags, c->version, &c->target);
}

/* Size and alignment of the memory image, all segments within it. */
static int measure(struct code *c)
{
    c->align = 4096;
    for (unsigned i = 0; i < c->elf.header.e_phnum; i++) {
        struct elf_segment s;
        int rc = elf_segment(&c->elf, i, &s);
        if (rc)
            return fail_in(-ENOEXEC, "code object");
        if (s.header.p_type != PT_LOAD)
            continue;
        uint64_t end, size = s.header.p_memsz;
        if (__builtin_add_overflow(s.header.p_vaddr, size, &end) || end > IMAGE_MAX ||
            s.header.p_filesz > size)
            return fail(-ENOEXEC,
                        "code object segment %u: %" PRIu64 " bytes at 0x%" PRIx64 ", at most %d in all", i,
                        size, s.header.p_vaddr, IMAGE_MAX);
        if (end > c->size)
            c->size = end;
        if (is_pow2(s.header.p_align) && s.header.p_align > c->align && s.header.p_align <= 2 << 20)
            c->align = s.header.p_align;
    }
    return c->size ? 0 : fail(-ENOEXEC, "code object has nothing to load");
}

int code_open(struct code *c, const void *image, size_t size)
{
    *c = (struct code){0};
    int rc = elf_open(&c->elf, image, size);
    if (rc)
        return fail_in(-ENOEXEC, "not a code object");
    if ((rc = check_header(c)) || (rc = measure(c)))
        return rc;
    if ((rc = read_metadata(c)))
        code_close(c);
    return rc;
}

void code_free_kernels(struct amd_kernel *kernels, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct amd_kernel *k = &kernels[i];
        for (unsigned a = 0; k->base.args && a < k->base.info.arg_count; a++) {
            mem_free(k->base.args[a].name);
            mem_free(k->base.args[a].type_name);
            mem_free(k->base.args[a].value_kind);
            mem_free(k->base.args[a].address_space);
        }
        mem_free(k->base.args);
        mem_free(k->hidden);
        mem_free(k->name);
    }
    mem_free(kernels);
}

void code_close(struct code *c)
{
    code_free_kernels(c->kernels, c->kernel_count);
    c->kernels = NULL;
    c->kernel_count = 0;
}

/* ---- the memory image ---- */

enum reloc {
    REL_NONE,
    REL_ABS32_LO,
    REL_ABS32_HI,
    REL_ABS64,
    REL_REL32,
    REL_REL64,
    REL_ABS32,
    REL_REL32_LO = 10,
    REL_REL32_HI,
    REL_RELATIVE64 = 13
};

struct tables {
    uint64_t rela, rela_size, symtab, strtab, strtab_size;
};

static int read_dynamic(const struct code *c, struct tables *t)
{
    *t = (struct tables){0};
    for (unsigned i = 0; i < c->elf.header.e_phnum; i++) {
        struct elf_segment s;
        int rc = elf_segment(&c->elf, i, &s);
        if (rc)
            return rc;
        if (s.header.p_type != PT_DYNAMIC)
            continue;
        for (uint64_t at = 0; at + 16 <= s.header.p_filesz; at += 16) {
            uint64_t tag = load64(s.data + at), value = load64(s.data + at + 8);
            switch (tag) {
            case DT_NULL:
                return 0;
            case DT_RELA:
                t->rela = value;
                break;
            case DT_RELASZ:
                t->rela_size = value;
                break;
            case DT_SYMTAB:
                t->symtab = value;
                break;
            case DT_STRTAB:
                t->strtab = value;
                break;
            case DT_STRSZ:
                t->strtab_size = value;
                break;
            case DT_REL:
            case DT_JMPREL:
                return fail(-ENOEXEC, "code object has a relocation table of a kind no linker here makes");
            default:
                break;
            }
        }
    }
    return 0;
}

static int symbol_value(const struct code *c, const struct tables *t, uint32_t index, uint64_t base,
                        uint64_t *value)
{
    Elf64_Sym sym;
    const uint8_t *p = elf_at(&c->elf, t->symtab + (uint64_t)index * sizeof sym, sizeof sym);
    *value = 0;
    if (!index)
        return 0;
    if (!p)
        return fail(-ENOEXEC, "code object: relocation with symbol %u, which is outside the table", index);
    memcpy(&sym, p, sizeof sym);
    if (sym.st_shndx == SHN_UNDEF) {
        const uint8_t *name = elf_at(&c->elf, t->strtab + sym.st_name, 1);
        size_t room = name ? (size_t)(c->elf.data + c->elf.size - name) : 0;
        return fail(-ENOEXEC, "code object needs the symbol \"%.*s\", which nothing here defines",
                    (int)(room < 200 ? room : 200), name ? (const char *)name : "");
    }
    *value = sym.st_value + (sym.st_shndx == SHN_ABS ? 0 : base);
    return 0;
}

static int relocate(const struct code *c, const struct tables *t, const Elf64_Rela *r, uint64_t base,
                    uint8_t *out)
{
    uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
    unsigned bytes = type == REL_ABS64 || type == REL_REL64 || type == REL_RELATIVE64 ? 8 : 4;
    uint64_t s;
    if (type == REL_NONE)
        return 0;
    if (r->r_offset > c->size || c->size - r->r_offset < bytes)
        return fail(-ENOEXEC, "code object: relocation at 0x%" PRIx64 ", outside its %" PRIu64 " bytes",
                    r->r_offset, c->size);
    int rc = symbol_value(c, t, (uint32_t)ELF64_R_SYM(r->r_info), base, &s);
    if (rc)
        return rc;
    uint64_t v = s + (uint64_t)r->r_addend, pc = base + r->r_offset;
    uint8_t *at = out + r->r_offset;
    switch (type) {
    case REL_ABS32:
    case REL_ABS32_LO:
        store32(at, lo32(v));
        return 0;
    case REL_ABS32_HI:
        store32(at, hi32(v));
        return 0;
    case REL_ABS64:
        store64(at, v);
        return 0;
    case REL_REL32:
    case REL_REL32_LO:
        store32(at, lo32(v - pc));
        return 0;
    case REL_REL32_HI:
        store32(at, hi32(v - pc));
        return 0;
    case REL_REL64:
        store64(at, v - pc);
        return 0;
    case REL_RELATIVE64:
        store64(at, base + (uint64_t)r->r_addend);
        return 0;
    default:
        return fail(-ENOEXEC, "code object: relocation type %u is not known here", type);
    }
}

int code_image(const struct code *c, uint64_t base, uint8_t *out)
{
    struct tables t;
    int rc;
    memset(out, 0, c->size);
    for (unsigned i = 0; i < c->elf.header.e_phnum; i++) {
        struct elf_segment s;
        if ((rc = elf_segment(&c->elf, i, &s)))
            return fail_in(-ENOEXEC, "code object");
        if (s.header.p_type == PT_LOAD && s.header.p_filesz)
            memcpy(out + s.header.p_vaddr, s.data, s.header.p_filesz);
    }
    if ((rc = read_dynamic(c, &t)))
        return rc;
    const uint8_t *rela = t.rela_size ? elf_at(&c->elf, t.rela, t.rela_size) : NULL;
    if (t.rela_size && !rela)
        return fail(-ENOEXEC, "code object: relocation table is outside the object");
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= t.rela_size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela r;
        memcpy(&r, rela + at, sizeof r);
        if ((rc = relocate(c, &t, &r, base, out)))
            return rc;
    }
    return 0;
}
