/* nxgpu disasm: AMD machine code as text, of a code object's executable sections or of raw words. */
#include "base/bits.h"
#include "base/elf.h"
#include "base/err.h"
#include "isa/amd/inst.h"
#include "tools/tools.h"
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: nxgpu disasm [--gpu gfx1100] [--wave64] FILE\n"
    "FILE is an AMD code object (its target is in it) or raw little-endian words; - is standard input.\n"
    "Prints \"address: words  text\". Exit: 0 all understood, 1 something was not (it is shown), 2 usage.\n";

/* Symbols that begin at address, as lines of their own. */
static void labels(const struct elf *e, uint64_t address)
{
    struct elf_section s;
    struct elf_symbol y;
    for (unsigned i = 0; e && i < e->header.e_shnum; i++)
        if (!elf_section(e, i, &s) && s.header.sh_type == SHT_SYMTAB)
            for (unsigned k = 0; !elf_symbol(e, &s, k, &y); k++)
                if (y.sym.st_value == address && ELF64_ST_TYPE(y.sym.st_info) == STT_FUNC)
                    printf("%s:\n", y.name);
}

/* Prints n bytes of code at address; returns how many words were not understood. */
static unsigned listing(const struct elf *e, enum amd_gpu gpu, bool wave64, const uint8_t *code, size_t n,
                        uint64_t address)
{
    unsigned bad = 0;
    for (size_t at = 0; at < n;) {
        struct amd_inst inst;
        char text[256], words[48];
        int size = amd_decode(gpu, wave64, code + at, n - at, &inst), len = 0;
        if (size > 0) {
            amd_print(&inst, wave64, address + at, text, sizeof text);
        } else {
            snprintf(text, sizeof text, ".long  # %s", fail_text());
            size = n - at < 4 ? (int)(n - at) : 4;
            bad++;
        }
        labels(e, address + at);
        for (int i = 0; i + 4 <= size; i += 4)
            len += snprintf(words + len, sizeof words - (size_t)len, "%08x ", load32(code + at + (size_t)i));
        printf("%8llx: %-27s %s\n", (unsigned long long)(address + at), len ? words : "", text);
        at += (size_t)size;
    }
    return bad;
}

static int code_object(const char *path, const char *data, size_t n, bool wave64)
{
    struct elf e;
    struct elf_section s;
    unsigned bad = 0;
    int r = elf_open(&e, data, n), gpu = r ? -1 : amd_gpu_of_eflags(e.header.e_flags);
    if (!r && (e.header.e_machine != EM_AMDGPU || gpu < 0))
        r = fail(-EINVAL, "ELF machine %u flags 0x%x, expected a code object of a known AMD target",
                 e.header.e_machine, e.header.e_flags);
    for (unsigned i = 0; !r && i < e.header.e_shnum; i++) {
        if ((r = elf_section(&e, i, &s)) || !(s.header.sh_flags & SHF_EXECINSTR) || !s.data)
            continue;
        printf("%s: %s, section %s\n", path, amd_gpu_name((enum amd_gpu)gpu), s.name);
        bad += listing(&e, (enum amd_gpu)gpu, wave64, s.data, s.header.sh_size, s.header.sh_addr);
    }
    if (r)
        fprintf(stderr, "%s: %s\n", path, fail_text());
    return r || bad;
}

int tool_disasm(int argc, char **argv)
{
    static const struct option options[] = {
        {"gpu", 1, 0, 'g'}, {"wave64", 0, 0, 'w'}, {"help", 0, 0, 'h'}, {0}};
    int gpu = AMD_GFX1100, c;
    bool wave64 = false;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'g' && (gpu = amd_gpu_of_name(optarg)) < 0)
            return fprintf(stderr, "nxgpu disasm: no target \"%s\"\n", optarg), 2;
        wave64 |= c == 'w';
        if (c == 'h')
            return fputs(usage, stdout), 0;
        if (c == '?')
            return fputs(usage, stderr), 2;
    }
    if (optind + 1 != argc)
        return fputs(usage, stderr), 2;
    size_t n;
    char *data = tool_read(argv[optind], &n);
    if (!data)
        return fprintf(stderr, "nxgpu disasm: %s\n", fail_text()), 1;
    int r = n >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG)
                ? code_object(argv[optind], data, n, wave64)
                : (int)listing(NULL, (enum amd_gpu)gpu, wave64, (uint8_t *)data, n, 0);
    free(data);
    return r != 0;
}
