/* The tables of call.h, made from the rows, and what reads them. */
#include "kernel/call.h"
#include "kernel/drm.h"
#include "kernel/kfd.h"
#include "kernel/rm.h"
#include "base/bits.h"
#include <stddef.h>
#include <string.h>

/* clang-format off */
/* Pins: each row's offset and size against the compiler's layout. */
#define STRUCT(name, sys)                    static inline void pin_##name(void) { typedef struct name self;
#define PIN(name, offset)                    _Static_assert(offsetof(self, name) == (offset), #name);
#define FIELD(type, name, offset, format)    PIN(name, offset)
#define ARRAY(type, name, offset, n, format) PIN(name, offset)
#define NEST(strct, name, offset, when)      PIN(name, offset)
#define NESTS(strct, name, offset, n)        PIN(name, offset)
#define TAIL(strct, name, offset, counter)   PIN(name, offset)
#define STRUCT_END(name, size)               _Static_assert(sizeof(self) == (size), #name); }
#define ROWS_KEEP
#include "kernel/kfd.def"
#undef ROWS_KEEP
#include "kernel/drm.def" /* RM's and UVM's structs have several layouts: test/unit/rm_words.c pins those */

#define ENUM(name)                           static const struct call_value name##_values[] = {
#define FLAGS(name)                          static const struct call_value name##_values[] = {
#define VALUE(prefix, name, value, sys)      {#name, value},
#define ENUM_END                             {0}};
#include "kernel/all.def"

static const struct call_value rm_class_values[] = {
#define CLASS(name, number, in, kind, strct, need, parents, sys) {#name, number},
#include "kernel/rm.def"
    {0}};
static const struct call_value rm_control_values[] = {
#define CONTROL(name, number, strct, sys) {#name, number},
#include "kernel/rm.def"
    {0}};
static const struct call_struct *class_params(uint32_t number)
{
    const struct rm_class *c = rm_class_of(number);
    return c ? c->params : NULL;
}
static const struct call_struct *control_params(uint32_t command)
{
    const struct rm_control *c = rm_control_of(command);
    return c ? c->params : NULL;
}

/* Offsets in our C structs, a function a struct, since rows do not know whose they are. */
#define STRUCT(name, sys)                     static unsigned name##_host(unsigned i) \
                                              { typedef struct name self; static const uint16_t at[] = {
#define HOST(name)                            offsetof(self, name),
#define FIELD(type, name, offset, format)     HOST(name)
#define ARRAY(type, name, offset, n, format)  HOST(name)
#define NEST(strct, name, offset, when)       HOST(name)
#define NESTS(strct, name, offset, n)         HOST(name)
#define TAIL(strct, name, offset, counter)    HOST(name)
#define ALSO_FIELD(in, type, name, offset, format)    HOST(name)
#define ALSO_ARRAY(in, type, name, offset, n, format) HOST(name)
#define ALSO_NESTS(in, strct, name, offset, n)        HOST(name)
#define STRUCT_END(name, size)                sizeof(self)}; return at[i]; }
#include "kernel/all.def"

#define STRUCT(name, sys)      static const struct call_size name##_sizes[] = {
#define SIZE_IN(mask, n)       {mask, n},
#define STRUCT_END(name, size) {0}};
#include "kernel/all.def"

#define SIGNED_u8  0
#define SIGNED_u16 0
#define SIGNED_u32 0
#define SIGNED_u64 0
#define SIGNED_s16 1
#define SIGNED_s32 1
#define FORMAT_dec                .format = CALL_DEC
#define FORMAT_hex                .format = CALL_HEX
#define FORMAT_of(e)              .format = CALL_OF, .names = e##_values
#define FORMAT_set(e)             .format = CALL_SET, .names = e##_values
#define FORMAT_ids(c)             .format = CALL_IDS, .counter = #c
#define FORMAT_list(s, c)         .format = CALL_LIST, .strct = &s##_layout, .counter = #c
#define FORMAT_text(c)            .format = CALL_TEXT, .counter = #c
#define FORMAT_chars              .format = CALL_CHARS
#define FORMAT_bytes              .format = CALL_BYTES
#define FORMAT_params(t, w, n)    .format = CALL_PARAMS, .params = t##_params, .selector = #w, .counter = #n
#define WHEN_always               .when = CALL_ALWAYS
#define WHEN_input                .when = CALL_INPUT
#define WHEN_output               .when = CALL_OUTPUT
#define WHEN_arm(field, value)    .when = CALL_ARM, .arm = #field, .arm_value = value
#define WHEN_below(field, value)  .when = CALL_BELOW, .arm = #field, .arm_value = value
#define WHEN_from(field, value)   .when = CALL_FROM, .arm = #field, .arm_value = value
#define STRUCT(name, sys)         static const char name##_sys[] = #sys; \
                                  static const struct call_field name##_fields[] = {
#define ARRAY_IN(mask, type, n, off, num, fmt) {.name = #n, .offset = off, .in = mask, .count = num, \
                                       .size = sizeof(row_##type), .is_signed = SIGNED_##type, FORMAT_##fmt},
#define NESTS_IN(mask, s, n, off, num)         {.name = #n, .offset = off, .in = mask, .count = num, \
                                       .format = CALL_NEST, .strct = &s##_layout},
#define FIELD_IN(mask, type, n, off, fmt)        ARRAY_IN(mask, type, n, off, 1, fmt)
#define ALSO_FIELD(mask, type, n, off, fmt)      ARRAY_IN(mask, type, n, off, 1, fmt)
#define ALSO_ARRAY(mask, type, n, off, num, fmt) ARRAY_IN(mask, type, n, off, num, fmt)
#define ALSO_NESTS(mask, s, n, off, num)         NESTS_IN(mask, s, n, off, num)
#define FIELD(type, n, off, fmt)      ARRAY_IN(0, type, n, off, 1, fmt)
#define ARRAY(type, n, off, num, fmt) ARRAY_IN(0, type, n, off, num, fmt)
#define NEST(s, n, off, cond)         {.name = #n, .offset = off, .count = 1, .format = CALL_NEST, \
                                       .strct = &s##_layout, WHEN_##cond},
#define NESTS(s, n, off, num)         NESTS_IN(0, s, n, off, num)
#define TAIL(s, n, off, c)            {.name = #n, .offset = off, .count = 1, .format = CALL_TAIL, \
                                       .strct = &s##_layout, .counter = #c},
#define STRUCT_END(n, bytes)          {0}}; \
    const struct call_struct n##_layout = {#n, n##_sys, bytes, n##_fields, n##_sizes, sizeof(struct n), n##_host};
#include "kernel/all.def"

#define MAGIC_KFD_    'K'
#define MAGIC_DRM_    'd'
#define MAGIC_AMDGPU_ 'd'
#define MAGIC_NV_ESC_ 'F'
#define MAGIC_NV_     0
static const struct call calls[] = {
#define CALL(prefix, n, number, way, strct, sysname) \
    {.name = #n, .magic = MAGIC_##prefix, .nr = number, .dir = CALL_##way, .args = &strct##_layout, .sys = #sysname},
#define CALL_OPAQUE(prefix, n, number) {.name = #n, .magic = MAGIC_##prefix, .nr = number, .dir = CALL_WR, .sys = ""},
#include "kernel/all.def"
};
static const struct call_struct *const structs[] = {
#define STRUCT(name, sys) &name##_layout,
#include "kernel/all.def"
};
/* clang-format on */

const struct call *call_at(unsigned i)
{
    return i < ARRAY_LEN(calls) ? &calls[i] : NULL;
}

const struct call_struct *call_struct_at(unsigned i)
{
    return i < ARRAY_LEN(structs) ? structs[i] : NULL;
}

static int in_branch(unsigned mask, unsigned branch)
{
    return !mask || (mask >> branch & 1);
}

const struct call *call_lookup(uint32_t request)
{
    const struct call *found = NULL;
    for (unsigned i = 0; i < ARRAY_LEN(calls); i++) {
        const struct call *c = &calls[i];
        if (c->magic ? c->nr != call_nr(request) || c->magic != call_magic(request) : c->nr != request)
            continue;
        if (!found || (c->args && c->args->size == call_size(request)))
            found = c;
    }
    return found;
}

unsigned call_struct_size(const struct call_struct *s, unsigned branch)
{
    for (const struct call_size *z = s->sizes; z->bytes; z++)
        if (in_branch(z->in, branch))
            return z->bytes;
    return s->sizes->bytes ? 0 : s->size;
}

const struct call_field *call_field_named(const struct call_struct *s, unsigned branch, const char *name)
{
    for (const struct call_field *f = s->fields; f->name; f++)
        if (in_branch(f->in, branch) && !strcmp(f->name, name))
            return f;
    return NULL;
}

unsigned call_bytes(const struct call *c, uint32_t request, unsigned branch)
{
    return c && !c->magic ? (c->args ? call_struct_size(c->args, branch) : 0) : call_size(request);
}

/* Whether a nested alternative is the one that its selecting field, elsewhere in the same struct, names. */
static int chosen(const struct call_struct *s, unsigned branch, const struct call_field *f,
                  const uint8_t *wire)
{
    if (f->when != CALL_ARM)
        return 1;
    const struct call_field *arm = call_field_named(s, branch, f->arm);
    return load32(wire + arm->offset) == f->arm_value;
}

/* Both directions: from is our C struct (to_wire) or the branch's layout, in which `bytes` bytes are valid.
 */
static void convert(const struct call_struct *s, unsigned branch, uint8_t *to, const uint8_t *from,
                    unsigned bytes, int to_wire)
{
    for (unsigned i = 0; s->fields[i].name; i++) {
        const struct call_field *f = &s->fields[i];
        unsigned host = s->host(i), wire = f->offset, size = f->size;
        if (!in_branch(f->in, branch) || !chosen(s, branch, f, to_wire ? to : from))
            continue;
        for (unsigned k = 0; k < f->count; k++) {
            unsigned step = f->strct ? call_struct_size(f->strct, branch) : size;
            const uint8_t *src = from + (to_wire ? host : wire);
            uint8_t *dst = to + (to_wire ? wire : host);
            if (!to_wire && wire >= bytes)
                break;
            if (f->format == CALL_NEST)
                convert(f->strct, branch, dst, src, bytes - (to_wire ? 0 : wire), to_wire);
            else if (to_wire || wire + size <= bytes)
                memcpy(dst, src, size);
            wire += step;
            host += f->format == CALL_NEST ? f->strct->host_size : size;
        }
    }
}

unsigned call_pack(const struct call_struct *s, unsigned branch, void *out, const void *host)
{
    unsigned size = call_struct_size(s, branch);
    memset(out, 0, size);
    if (size)
        convert(s, branch, out, host, s->host_size, 1);
    return size;
}

unsigned call_unpack(const struct call_struct *s, unsigned branch, void *host, const void *in, unsigned bytes)
{
    unsigned size = call_struct_size(s, branch);
    memset(host, 0, s->host_size);
    if (size)
        convert(s, branch, host, in, bytes < size ? bytes : size, 0);
    return size;
}

const struct call *kfd_call_lookup(uint32_t request)
{
    return call_magic(request) == 'K' ? call_lookup(request) : NULL;
}

const struct call *drm_call_lookup(uint32_t request)
{
    return call_magic(request) == 'd' ? call_lookup(request) : NULL;
}

static unsigned effective_dir(const struct call *c, uint32_t request)
{
    return c->magic == 'K' ? c->dir : c->dir & call_dir(request);
}

void call_copy_in(const struct call *c, uint32_t request, void *own, unsigned own_size, const void *arg)
{
    unsigned n = call_size(request) < own_size ? call_size(request) : own_size;
    if (!(effective_dir(c, request) & CALL_W))
        n = 0;
    if (n)
        memcpy(own, arg, n);
    memset((char *)own + n, 0, own_size - n);
}

void call_copy_out(const struct call *c, uint32_t request, void *arg, const void *own, unsigned own_size)
{
    unsigned n = call_size(request) < own_size ? call_size(request) : own_size;
    if (n && (effective_dir(c, request) & CALL_R))
        memcpy(arg, own, n);
}

const char *call_value_name(const struct call_value *list, uint32_t value)
{
    for (; list->name; list++)
        if (list->value == value)
            return list->name;
    return NULL;
}
