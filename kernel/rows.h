/* Every row macro of the .def files, empty unless the includer has defined it. Included by the .def
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
 *       FIELD_IN(branches, ...), ARRAY_IN, NESTS_IN: only on those driver branches, SPAN(first, last) of rm.h
 *       ALSO_FIELD(branches, ...), ALSO_ARRAY, ALSO_NESTS: the same name elsewhere on other branches
 *       SIZE_IN(branches, bytes)                   the struct's size there; not described elsewhere
 *     format: dec, hex, of(enum), set(flags), ids(counting field), list(struct, counting field), text(length
 * field), chars (a string in place), bytes, params(table, field that selects, field with the size or NONE)
 *   CLASS, CONTROL: see rm.def
 *   CALL(prefix, name, number, direction, struct, name in Linux's header)   direction: N R W WR
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
#ifndef FIELD_IN
#define FIELD_IN(in, type, name, offset, format) FIELD(type, name, offset, format)
#endif
#ifndef ARRAY_IN
#define ARRAY_IN(in, type, name, offset, count, format) ARRAY(type, name, offset, count, format)
#endif
#ifndef NESTS_IN
#define NESTS_IN(in, strct, name, offset, count) NESTS(strct, name, offset, count)
#endif
#ifndef ALSO_FIELD
#define ALSO_FIELD(in, type, name, offset, format)
#endif
#ifndef ALSO_ARRAY
#define ALSO_ARRAY(in, type, name, offset, count, format)
#endif
#ifndef ALSO_NESTS
#define ALSO_NESTS(in, strct, name, offset, count)
#endif
#ifndef SIZE_IN
#define SIZE_IN(in, bytes)
#endif
#ifndef CLASS
#define CLASS(name, number, in, kind, strct, need, parents, sys)
#endif
#ifndef CONTROL
#define CONTROL(name, number, strct, sys)
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
