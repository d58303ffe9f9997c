/* Dumps of NVIDIA words as text or JSON: ring entries, pushbuffer segments, QMDs. Every dword is shown; what
 * no table knows is shown as what it is and counted as a problem. Works on any words (fuzzed), also on a dump
 * that begins in the middle of a channel's life: subchannels are then bound as tinygrad and CUDA bind them (1
 * compute, 4 copy) until a SET_OBJECT says otherwise.
 */
#ifndef NX_HW_NV_DECODE_H
#define NX_HW_NV_DECODE_H
#include <stddef.h>
#include <stdio.h>
#include "base/json.h"
#include "hw/nv/gen.h"

enum nv_format { NV_FORMAT_GPFIFO, NV_FORMAT_PUSH, NV_FORMAT_QMD, NV_FORMATS };
extern const char *const nv_format_names[NV_FORMATS]; /* "gpfifo", "push", "qmd" */
/* The format of that name, or -1. */
int nv_format_of(const char *name);

/* Prints dw[0..n) to `text`, or as objects into the open array of `json`; exactly one of them is not NULL.
 * base is the address of the first dword. Returns how many problems there were. */
size_t nv_decode(enum nv_format format, enum nv_gen gen, const uint32_t *dw, size_t n, uint64_t base,
                 FILE *text, struct json *json);
#endif
