/* Fields of a record as text and as JSON, from the tables: what the decoders of all formats share. Unknown
 * bits are shown, as `unknown[dword]=bits`. Not here: which record a word belongs to.
 */
#ifndef NX_HW_TEXT_H
#define NX_HW_TEXT_H
#include <stdio.h>
#include "base/json.h"
#include "hw/field.h"

/* " name=value ..." of the fields of generation gen, then unknown bits. Fields of value 0 in dwords below
 * `quiet` are left out. */
void hw_text_fields(FILE *f, const struct hw_record *r, unsigned gen, const uint32_t *dw, unsigned quiet);
/* "name": value, ... inside the open object. */
void hw_json_fields(struct json *j, const struct hw_record *r, unsigned gen, const uint32_t *dw);
/* "0x1 0x2 ..." */
void hw_text_words(FILE *f, const uint32_t *dw, uint32_t n);
#endif
