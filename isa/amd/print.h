/* Private to isa/amd: what print.c (operands, modifiers) and printimm.c (immediates with names) share. */
#ifndef NX_ISA_AMD_PRINT_H
#define NX_ISA_AMD_PRINT_H
#include "isa/amd/inst.h"

/* Text under construction; len counts on past size, as snprintf does. */
struct amd_text {
    char *buf;
    size_t size, len;
    bool wave64;
    uint64_t pc;
};
void amd_put(struct amd_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

extern const char *const amd_field_name[AF_COUNT];

/* Prints the template word w (length n) when this instruction gives it a text of its own; else false. */
bool amd_print_special(struct amd_text *t, const struct amd_inst *i, const char *w, size_t n);

/* gfx12 cache policy: th and scope. */
void amd_print_th(struct amd_text *t, const struct amd_inst *i);
#endif
