/* Undefines the row macros of rows.h. Included at the end of the .def files only. */
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
#undef TAIL
#undef UNION
#undef UNION_END
#undef CALL
#undef CALL_OPAQUE
