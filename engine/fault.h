/* What went wrong in a GPU program, as data: delivered to the waiter by the emulated driver and printed for
 * people.
 */
#ifndef NX_ENGINE_FAULT_H
#define NX_ENGINE_FAULT_H
#include <stdint.h>

enum eng_fault_kind {
    FAULT_NONE,
    FAULT_UNMAPPED,   /* no memory mapped at the address */
    FAULT_READ_ONLY,  /* write to memory mapped read-only, or to a host page that is not writable */
    FAULT_NO_EXEC,    /* instruction fetch from unmapped or non-executable memory */
    FAULT_MISALIGNED, /* access that this mode or operation requires aligned */
    FAULT_LDS,        /* LDS access past what the launch allocated, where the hardware traps */
    FAULT_SCRATCH,    /* private access past the lane's scratch */
    FAULT_ILLEGAL,    /* unknown, unsupported or malformed instruction; register out of range */
    FAULT_TRAP,       /* s_trap */
    FAULT_LAUNCH,     /* impossible launch state (descriptor, limits) */
};
enum eng_access { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC, ACCESS_EXEC };

struct eng_fault {
    enum eng_fault_kind kind;
    enum eng_access access;
    uint64_t va;       /* the offending address, 0 where there is none */
    uint64_t pc;       /* address of the instruction */
    uint32_t group[3]; /* workgroup */
    uint32_t wave;     /* in the workgroup */
    uint64_t lanes;    /* which lanes */
    char insn[128];    /* instruction text, as the disassembler prints it */
    char what[256];    /* one sentence */
};

/* "unmapped", "read-only", ... */
const char *eng_fault_name(enum eng_fault_kind kind);
/* One line for people: kind, access, address, PC, instruction, workgroup, wave, lanes, sentence. Returns buf.
 */
char *eng_fault_text(const struct eng_fault *f, char *buf, unsigned n);
#endif
