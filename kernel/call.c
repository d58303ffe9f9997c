/* The tables of call.h, made from the rows, and what reads them. */
#include "kernel/call.h"
#include "kernel/drm.h"
#include "kernel/kfd.h"
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
#include "kernel/all.def"

#define ENUM(name)                           static const struct call_value name##_values[] = {
#define FLAGS(name)                          static const struct call_value name##_values[] = {
#define VALUE(prefix, name, value, sys)      {#name, value},
#define ENUM_END                             {0}};
#include "kernel/all.def"

#define SIGNED_u8  0
#define SIGNED_u16 0
#define SIGNED_u32 0
#define SIGNED_u64 0
#define SIGNED_s32 1
#define FORMAT_dec                .format = CALL_DEC
#define FORMAT_hex                .format = CALL_HEX
#define FORMAT_of(e)              .format = CALL_OF, .names = e##_values
#define FORMAT_set(e)             .format = CALL_SET, .names = e##_values
#define FORMAT_ids(c)             .format = CALL_IDS, .counter = #c
#define FORMAT_list(s, c)         .format = CALL_LIST, .strct = &s##_layout, .counter = #c
#define FORMAT_text(c)            .format = CALL_TEXT, .counter = #c
#define WHEN_always               .when = CALL_ALWAYS
#define WHEN_input                .when = CALL_INPUT
#define WHEN_output               .when = CALL_OUTPUT
#define WHEN_arm(field, value)    .when = CALL_ARM, .arm = #field, .arm_value = value
#define WHEN_below(field, value)  .when = CALL_BELOW, .arm = #field, .arm_value = value
#define WHEN_from(field, value)   .when = CALL_FROM, .arm = #field, .arm_value = value
#define STRUCT(name, sys)         static const char name##_sys[] = #sys; \
                                  static const struct call_field name##_fields[] = {
#define FIELD(type, n, off, fmt)      {.name = #n, .offset = off, .count = 1, .size = sizeof(row_##type), \
                                       .is_signed = SIGNED_##type, FORMAT_##fmt},
#define ARRAY(type, n, off, num, fmt) {.name = #n, .offset = off, .count = num, .size = sizeof(row_##type), \
                                       .is_signed = SIGNED_##type, FORMAT_##fmt},
#define NEST(s, n, off, cond)         {.name = #n, .offset = off, .count = 1, .format = CALL_NEST, \
                                       .strct = &s##_layout, WHEN_##cond},
#define NESTS(s, n, off, num)         {.name = #n, .offset = off, .count = num, .format = CALL_NEST, \
                                       .strct = &s##_layout},
#define TAIL(s, n, off, c)            {.name = #n, .offset = off, .count = 1, .format = CALL_TAIL, \
                                       .strct = &s##_layout, .counter = #c},
#define STRUCT_END(n, bytes)          {0}}; \
                                  static const struct call_struct n##_layout = {#n, n##_sys, bytes, n##_fields};
#include "kernel/all.def"

#define MAGIC_KFD_    'K'
#define MAGIC_DRM_    'd'
#define MAGIC_AMDGPU_ 'd'
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

const struct call *call_lookup(uint32_t request)
{
    for (unsigned i = 0; i < ARRAY_LEN(calls); i++)
        if (calls[i].nr == call_nr(request) && calls[i].magic == call_magic(request))
            return &calls[i];
    return NULL;
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
