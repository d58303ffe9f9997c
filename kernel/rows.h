/* Every row macro of kfd.def and drm.def, empty unless the includer has defined it. Included by the .def
 * files only. An includer defines the rows it wants and includes the .def, which undefines them all again
 * (rows_end.h).
 *
 *   ENUM(name) VALUE(prefix, name, value, name in Linux's header or NONE) ... ENUM_END
 *       FLAGS(name) instead of ENUM: the values are bits.
 *   STRUCT(name, name in Linux's header) ... STRUCT_END(name, size)
 *       FIELD(type, name, offset, format)          type: u8 u16 u32 u64 s32
 *       ARRAY(type, name, offset, count, format)
 *       NEST(struct, name, offset, when)           when: always, input, output, arm(field, value),
 *                                                  below(field, value), from(field, value)
 *       NESTS(struct, name, offset, count)
 *       TAIL(struct, name, offset, counting field) a flexible array
 *       UNION ... UNION_END                        the rows between share memory
 *     format: dec, hex, of(enum), set(flags), ids(counting field), list(struct, counting field), text(length
 * field) CALL(prefix, name, number, direction, struct, name in Linux's header)   direction: N R W WR
 *   CALL_OPAQUE(prefix, name, number)              a number whose struct is not described
 * Order matters: a struct stands before those that contain or point to it.
 */
#ifndef ENUM
#define ENUM(name)
#endif
#ifndef FLAGS
#define FLAGS(name)
#endif
#ifndef VALUE
#define VALUE(prefix, name, value, sys)
#endif
#ifndef ENUM_END
#define ENUM_END
#endif
#ifndef STRUCT
#define STRUCT(name, sys)
#endif
#ifndef STRUCT_END
#define STRUCT_END(name, size)
#endif
#ifndef FIELD
#define FIELD(type, name, offset, format)
#endif
#ifndef ARRAY
#define ARRAY(type, name, offset, count, format)
#endif
#ifndef NEST
#define NEST(strct, name, offset, when)
#endif
#ifndef NESTS
#define NESTS(strct, name, offset, count)
#endif
#ifndef TAIL
#define TAIL(strct, name, offset, counter)
#endif
#ifndef UNION
#define UNION
#endif
#ifndef UNION_END
#define UNION_END
#endif
#ifndef CALL_OPAQUE
#define CALL_OPAQUE(prefix, name, nr)
#endif
#ifndef CALL
#define CALL(prefix, name, nr, dir, strct, sys)
#endif
