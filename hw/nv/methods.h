/* Methods: one dword of data sent to an address of a unit. Rows in host.def, compute.def, copy.def; for each
 * method X of the compute class NV_COMPUTE_X is its byte address, struct nv_compute_X its fields,
 * nv_compute_X_pack gives the data word and so on, as expand.h describes; nv_host_X and nv_copy_X likewise.
 * Not here: the headers that carry methods (push.h).
 */
#ifndef NX_HW_NV_METHODS_H
#define NX_HW_NV_METHODS_H
#include "hw/field.h"
#include "hw/nv/gen.h"

#define HW_SET           nv_host
#define HW_UP            NV_HOST
#define HW_ROWS          "hw/nv/host.def"
#define HW_HEADER(op, n) 0
#define HW_KNOWN(op)     0u
#define HW_LENGTH(dw)    1
#define HW_COMMON
#include "hw/expand.h"

#define HW_SET           nv_compute
#define HW_UP            NV_COMPUTE
#define HW_ROWS          "hw/nv/compute.def"
#define HW_HEADER(op, n) 0
#define HW_KNOWN(op)     0u
#define HW_LENGTH(dw)    1
#define HW_COMMON
#include "hw/expand.h"

#define HW_SET           nv_copy
#define HW_UP            NV_COPY
#define HW_ROWS          "hw/nv/copy.def"
#define HW_HEADER(op, n) 0
#define HW_KNOWN(op)     0u
#define HW_LENGTH(dw)    1
#define HW_COMMON
#include "hw/expand.h"

#define NV_HOST_METHODS 0x100 /* below: the host unit's, on any subchannel */

/* The row of the method at a byte address of a unit on a generation, and which element of a repeated one;
 * NULL: none known. */
const struct hw_record *nv_method(enum nv_unit unit, enum nv_gen gen, uint32_t address, unsigned *element);
const char *nv_unit_name(enum nv_unit unit); /* "host", "compute", "copy", "inline", "unbound" */
#endif
