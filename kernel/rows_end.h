/* Undefines the row macros of rows.h, unless ROWS_KEEP is defined (all.def). Included at the end of the .def
 * files only. */
#ifndef ROWS_KEEP
#undef ENUM
#undef FLAGS
#undef VALUE
#undef ENUM_END
#undef STRUCT
#undef STRUCT_END
#undef FIELD
#undef ARRAY
#undef NEST
#undef NESTS
#undef FIELD_IN
#undef ARRAY_IN
#undef NESTS_IN
#undef ALSO_FIELD
#undef ALSO_ARRAY
#undef ALSO_NESTS
#undef SIZE_IN
#undef CLASS
#undef CONTROL
#undef TAIL
#undef UNION
#undef UNION_END
#undef CALL
#undef CALL_OPAQUE
#endif
