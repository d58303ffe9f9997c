/* Driver calls as data: one row a call, one a struct, one a field, made from kfd.def, drm.def, rm*.def and
 * uvm*.def. Users: the software GPU's dispatch, tracing, tests. Not here: the C structs and constants (kfd.h,
 * drm.h, rm.h), or making a call (port.h).
 *
 *   command word   31:30 direction   29:16 size   15:8 magic   7:0 number        (Linux asm-generic/ioctl.h)
 */
#ifndef NX_KERNEL_CALL_H
#define NX_KERNEL_CALL_H
#include <stdint.h>
#include <stdio.h>

typedef uint8_t row_u8;
typedef uint16_t row_u16;
typedef int16_t row_s16;
typedef uint32_t row_u32;
typedef uint64_t row_u64;
typedef int32_t row_s32;

/* Direction as the caller sees it: W the kernel reads the struct, R it fills it. */
enum call_dir { CALL_N = 0, CALL_W = 1, CALL_R = 2, CALL_WR = 3 };
#define CALL_WORD(dir, magic, nr, size) ((uint32_t)(dir) << 30 | (uint32_t)(size) << 16 | (magic) << 8 | (nr))
static inline unsigned call_nr(uint32_t request)
{
    return request & 0xff;
}
static inline unsigned call_magic(uint32_t request)
{
    return request >> 8 & 0xff;
}
static inline unsigned call_size(uint32_t request)
{
    return request >> 16 & 0x3fff;
}
static inline unsigned call_dir(uint32_t request)
{
    return request >> 30;
}

struct call_value {
    const char *name; /* without its prefix; NULL ends a list */
    uint32_t value;
};
enum call_format {
    CALL_DEC,
    CALL_HEX,
    CALL_OF,
    CALL_SET,
    CALL_IDS,
    CALL_LIST,
    CALL_TEXT,
    CALL_CHARS,
    CALL_BYTES,
    CALL_PARAMS,
    CALL_NEST,
    CALL_TAIL
};
enum call_when { CALL_ALWAYS, CALL_INPUT, CALL_OUTPUT, CALL_ARM, CALL_BELOW, CALL_FROM };
/* Where layouts differ between driver branches (enum rm_branch), rows carry a mask of branches, 0 meaning
 * all, and a name may have several rows. */
struct call_field {
    const char *name;
    uint16_t offset, count; /* count: elements, 1 for a plain field */
    uint8_t in;             /* branches */
    uint8_t size;           /* of one element of an integer field */
    uint8_t is_signed, format, when;
    const struct call_value *names;  /* CALL_OF, CALL_SET */
    const struct call_struct *strct; /* CALL_NEST, CALL_TAIL, and what CALL_LIST points to */
    const char
        *counter; /* field that counts: CALL_IDS CALL_LIST CALL_TEXT CALL_TAIL; CALL_PARAMS: its bytes */
    const char *selector;                                /* CALL_PARAMS: field with the class or command */
    const struct call_struct *(*params)(uint32_t which); /* CALL_PARAMS */
    const char *arm; /* CALL_ARM BELOW FROM: shown when this field is equal, below, not below */
    uint32_t arm_value;
};
struct call_struct {
    const char *name, *sys;          /* ours, and Linux's name */
    unsigned size;                   /* of the newest header known, without a flexible tail */
    const struct call_field *fields; /* ends with a NULL name */
    const struct call_size *sizes;   /* ends with 0 bytes; empty: size, on every branch */
    unsigned host_size; /* of our C struct, and where its fields[i] lies: as here, unless branches differ */
    unsigned (*host)(unsigned i);
};
struct call_size {
    uint8_t in;
    uint16_t bytes;
};
struct call {
    const char *name;   /* "CREATE_QUEUE" */
    uint8_t magic, dir; /* magic 0: the request is the bare number (UVM) */
    uint32_t nr;
    const struct call_struct *args; /* NULL: not described (CALL_OPAQUE) */
    const char *sys;                /* "AMDKFD_IOC_CREATE_QUEUE" */
};

/* The row of a KFD call (magic 'K'). The kernel dispatches on the number alone and takes the size from the
 * word, so an older client's shorter struct is the same call. NULL: magic is not 'K' or no such number. */
const struct call *kfd_call_lookup(uint32_t request);
/* The same for a render node: magic 'd', generic DRM and amdgpu (0x40..0x9f) numbers. */
const struct call *drm_call_lookup(uint32_t request);
/* Any, by the word's magic; of two rows with one number, the one whose size the word has. */
const struct call *call_lookup(uint32_t request);

/* What the kernel does around a handler: copies min(word size, own_size) bytes of the caller's struct in and
 * clears the rest of own[own_size]; afterwards copies the same number of bytes back. Which copies happen: KFD
 * goes by its own row's direction, DRM needs the bit in the row and in the caller's word. For SVM's tail
 * own_size must be call_size(request). */
void call_copy_in(const struct call *c, uint32_t request, void *own, unsigned own_size, const void *arg);
void call_copy_out(const struct call *c, uint32_t request, void *arg, const void *own, unsigned own_size);

/* Walks the tables: i from 0, NULL at the end. */
const struct call *call_at(unsigned i);
const struct call_struct *call_struct_at(unsigned i);

/* Name of a value in an enum's list, or NULL. */
const char *call_value_name(const struct call_value *list, uint32_t value);

/* Prints the fields of one struct as "name=value name=value" without a newline. `bytes` is how many bytes are
 * valid (fields beyond are not printed). `before` NULL: the inputs; else what `before`, the struct before the
 * call, has not: the kernel's answer. Zero padding and nested structs of zeros are left out. Lists behind
 * pointers are read from this process without trusting the address. Returns the number of fields printed. */
int call_print(FILE *out, const struct call_struct *s, const void *data, unsigned bytes, const void *before);
/* The same for the layout of one driver branch (enum rm_branch); call_print takes the newest. */
int call_print_in(FILE *out, unsigned branch, const struct call_struct *s, const void *data, unsigned bytes,
                  const void *before);

/* Bytes of the struct on a branch; 0 where the branch has none. */
unsigned call_struct_size(const struct call_struct *s, unsigned branch);
/* The row of that name on a branch, or NULL. */
const struct call_field *call_field_named(const struct call_struct *s, unsigned branch, const char *name);
/* Bytes that a request reads and writes at its argument: what the word says, for bare numbers the struct's.
 */
unsigned call_bytes(const struct call *c, uint32_t request, unsigned branch);

/* Between our C struct and the branch's layout: pack clears out[size on the branch] and fills in the fields
 * that the branch has; unpack clears the C struct and reads them; both return that size, 0 when the branch
 * has no such struct. Of alternatives (arm) only the chosen one is copied. `bytes` valid bytes at in: fields
 * beyond are 0. */
unsigned call_pack(const struct call_struct *s, unsigned branch, void *out, const void *host);
unsigned call_unpack(const struct call_struct *s, unsigned branch, void *host, const void *in,
                     unsigned bytes);
#endif
