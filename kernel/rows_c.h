/* Row macros that make C declarations of the rows: enums and structs. Included by kfd.h, drm.h and rm.h only.
 */
/* clang-format off */
#define ENUM(name)                           enum name {
#define FLAGS(name)                          enum name {
#define VALUE(prefix, name, value, sys)      prefix##name = value,
#define ENUM_END                             };
#define STRUCT(name, sys)                    struct name {
#define STRUCT_END(name, size)               }; extern const struct call_struct name##_layout;
#define FIELD(type, name, offset, format)    row_##type name;
#define ARRAY(type, name, offset, n, format) row_##type name[n];
#define NEST(strct, name, offset, when)      struct strct name;
#define NESTS(strct, name, offset, n)        struct strct name[n];
#define TAIL(strct, name, offset, counter)   struct strct name[];
#define UNION                                union {
#define UNION_END                            };
/* clang-format on */
