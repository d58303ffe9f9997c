/* The words of NVIDIA's kernel modules: nvidiactl and nvidiaN (RM) and nvidia-uvm (UVM), for the driver
 * branches 535 to 595, which differ in struct layouts. Our C structs (rm_structs.def, uvm_structs.def) hold
 * every field of any branch; call_pack and call_unpack (call.h) move them to and from the layout of the
 * branch that runs: struct nvos46 m = {.hClient = c, ...}; n = call_pack(&nvos46_layout, branch, buf, &m);
 * port_ioctl(p, fd, rm_word(branch, NV_ESC_NR_RM_MAP_MEMORY_DMA), buf) rm_get and rm_set reach single fields.
 * NV_ESC_x and NV_UVM_x are the calls. Not here: opening nodes (device.h), which calls to make (nv/), what
 * the hardware reads (hw/nv/).
 *
 * Rules that hold on every branch (facts of the open kernel modules): RM_ALLOC ignores the size the client
 * passes and copies the class's own size, so parameter blocks have RM_PARAMS_ROOM zeroed bytes; RM_CONTROL
 * wants the exact size; a call that reached the driver returns 0 and says the rest in its status field; each
 * CPU mapping takes a fresh descriptor.
 */
#ifndef NX_KERNEL_RM_H
#define NX_KERNEL_RM_H
#include "kernel/call.h"
#include "kernel/port.h"

/* Layout tables. RM_535_54 is 535 up to 535.54.03, before the channel parameters grew. */
enum rm_branch { RM_535_54, RM_535, RM_550, RM_570, RM_580, RM_590, RM_595, RM_BRANCHES };
#define SPAN(first, last) ((uint8_t)((2u << RM_##last) - (1u << RM_##first)))

#include "kernel/rows_c.h"
#include "kernel/rm_status.def"
#include "kernel/rows_c.h"
#include "kernel/rm_structs.def"
#include "kernel/rows_c.h"
#include "kernel/uvm_structs.def"

enum rm_class_number {
#define CLASS(name, number, in, kind, strct, need, parents, sys) RM_CLASS_##name = number,
#include "kernel/rm.def"
};
enum rm_control_number {
#define CONTROL(name, number, strct, sys) RM_CTRL_##name = number,
#include "kernel/rm.def"
};
enum rm_nr {
#define CALL(prefix, name, nr, dir, strct, sys) prefix##NR_##name = nr,
#include "kernel/rm.def"
};
enum uvm_request { /* the whole request */
#define CALL(prefix, name, nr, dir, strct, sys) prefix##name = nr,
#define CALL_OPAQUE(prefix, name, nr)           prefix##name = nr,
#include "kernel/uvm.def"
};

enum rm_kind {
    RM_KIND_ROOT,
    RM_KIND_DEVICE,
    RM_KIND_SUBDEVICE,
    RM_KIND_USERMODE,
    RM_KIND_VASPACE,
    RM_KIND_VIRTUAL,
    RM_KIND_MEMORY,
    RM_KIND_OS_DESCRIPTOR,
    RM_KIND_GROUP,
    RM_KIND_CONTEXT_SHARE,
    RM_KIND_GPFIFO,
    RM_KIND_COMPUTE,
    RM_KIND_COPY,
    RM_KIND_INLINE,
    RM_KIND_DEBUGGER,
    RM_KIND_EVENT,
    RM_KIND_OTHER
};
enum rm_need { RM_NEED_NO, RM_NEED_MAY, RM_NEED_MUST };
struct rm_class {
    const char *name, *sys; /* "AMPERE_COMPUTE_B", NVIDIA's */
    uint32_t number;
    uint8_t in, kind, need;           /* in: branches, 0 = all; enum rm_kind; enum rm_need */
    uint32_t parents;                 /* bit k: an object of kind k may be the parent; 0: it has none */
    const struct call_struct *params; /* &rm_none_layout: none; &rm_opaque_layout: not described */
};
struct rm_control {
    const char *name, *sys;
    uint32_t number;
    const struct call_struct *params; /* &rm_opaque_layout: not described */
};
/* NULL: no row. The second also wants the class to exist on that branch. */
const struct rm_class *rm_class_of(uint32_t number);
const struct rm_class *rm_class_in(enum rm_branch branch, uint32_t number);
const struct rm_control *rm_control_of(uint32_t command);
/* Walk the tables: i from 0, NULL at the end. */
const struct rm_class *rm_class_at(unsigned i);
const struct rm_control *rm_control_at(unsigned i);

/* The table for a driver whose version text is or contains "580.95.05". Returns enum rm_branch, or -EINVAL
 * with error text when there is no such number in it. warning[cap] becomes "" when the version lies between
 * two releases of that branch that were measured, else a sentence that names the driver and the table used in
 * its place. */
int rm_branch_of(const char *version, char *warning, size_t cap);
/* Finds the first dotted number in a text ("NVRM version: ... 580.95.05 ..."), and a number that orders
 * versions. */
#define RM_VERSION_ROOM 24
int rm_version_in(const char *text, char found[RM_VERSION_ROOM], uint32_t *order);
const char *rm_branch_name(enum rm_branch branch); /* "580" */

/* The command word of an escape on a branch; 0 where the branch does not have it. For CARD_INFO and ATTACH_GPUS_TO_FD, which take
 * any number of elements, the word for 64 and 32 of them; for RM_ALLOC the form with nvos21 (NVOS64's is 0xc030462b everywhere). */
uint32_t rm_word(enum rm_branch branch, enum rm_nr nr);

/* One integer field of a struct in the layout of a branch (element 0 of an array). A field that the branch
 * does not have reads as 0; setting it returns -ENOENT without touching anything. */
uint64_t rm_get(enum rm_branch branch, const struct call_struct *s, const void *data, const char *field);
int rm_set(enum rm_branch branch, const struct call_struct *s, void *data, const char *field, uint64_t value);

#define RM_PARAMS_ROOM 512 /* more than any allocation parameters of any branch */

/* "INVALID_CLASS", or NULL. The -errno that explains a status best (0 for OK and for warnings). */
const char *rm_status_name(uint32_t status);
int rm_status_errno(uint32_t status);

/* One call: the C struct args goes out in the branch's layout, the answer comes back into it. `request` is a
 * word of rm_word or one of enum uvm_request. 0, or the errno of the call or of its status with error text:
 * call, class or command, status by name. args of RM_ALLOC and RM_CONTROL point at parameters already in the
 * branch's layout. */
int rm_call(const struct port *p, int fd, enum rm_branch branch, uint32_t request, void *args);

/* RM_ALLOC and RM_CONTROL with the parameters as our C struct of the class or command (NULL: none), packed for the branch before
 * and unpacked after. *object: the wanted handle, 0 for any; afterwards the object's (0xC1D0xxxx for clients, 0xCAFxxxxx otherwise).
 * client is 0 and parent is 0 for a root client. Classes and commands without a row, or not on the branch: -EOPNOTSUPP with text.
 * fd: nvidiactl. */
int rm_alloc(const struct port *p, int fd, enum rm_branch branch, uint32_t client, uint32_t parent,
             uint32_t *object, uint32_t nvclass, void *params);
int rm_control(const struct port *p, int fd, enum rm_branch branch, uint32_t client, uint32_t object,
               uint32_t command, void *params);
#endif
