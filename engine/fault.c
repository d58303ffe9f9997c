#include "engine/fault.h"
#include "engine/wave.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {
    [FAULT_NONE] = "none",       [FAULT_UNMAPPED] = "unmapped",     [FAULT_READ_ONLY] = "read-only",
    [FAULT_NO_EXEC] = "no-exec", [FAULT_MISALIGNED] = "misaligned", [FAULT_LDS] = "lds",
    [FAULT_SCRATCH] = "scratch", [FAULT_ILLEGAL] = "illegal",       [FAULT_TRAP] = "trap",
    [FAULT_LAUNCH] = "launch",
};
static const char *const accesses[] = {
    [ACCESS_NONE] = "none",     [ACCESS_READ] = "read", [ACCESS_WRITE] = "write",
    [ACCESS_ATOMIC] = "atomic", [ACCESS_EXEC] = "exec",
};

const char *eng_fault_name(enum eng_fault_kind kind)
{
    return (unsigned)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "unknown";
}

char *eng_fault_text(const struct eng_fault *f, char *buf, unsigned n)
{
    snprintf(buf, n, "%s fault (%s) at 0x%llx: pc 0x%llx \"%s\" workgroup %u,%u,%u wave %u lanes 0x%llx: %s",
             eng_fault_name(f->kind), accesses[f->access], (unsigned long long)f->va,
             (unsigned long long)f->pc, f->insn, f->group[0], f->group[1], f->group[2], f->wave,
             (unsigned long long)f->lanes, f->what);
    return buf;
}

/* The instruction's text is filled in by the scheduler (run.c), which knows the instruction set. */
int wave_fault(struct wave *w, const struct lane_insn *in, enum eng_fault_kind kind, enum eng_access access,
               uint64_t va, uint64_t lanes, const char *fmt, ...)
{
    struct eng_fault *f = w->group->fault;
    if (f->kind != FAULT_NONE)
        return WAVE_FAULT;
    *f = (struct eng_fault){.kind = kind,
                            .access = access,
                            .va = va,
                            .pc = in ? wave_pc_of(w, in) : w->pc,
                            .wave = w->index,
                            .lanes = lanes};
    memcpy(f->group, w->group->id, sizeof f->group);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->what, sizeof f->what, fmt, ap);
    va_end(ap);
    return WAVE_FAULT;
}
