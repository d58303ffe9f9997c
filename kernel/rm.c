/* What rm.h declares beyond the tables' layouts (call.c): classes, commands, branches, one checked call. */
#include "kernel/rm.h"
#include "base/bits.h"
#include "base/err.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define P_NONE      0
#define P_ROOT      (1u << RM_KIND_ROOT)
#define P_DEVICE    (1u << RM_KIND_DEVICE)
#define P_SUBDEVICE (1u << RM_KIND_SUBDEVICE)
#define P_GROUP     (1u << RM_KIND_GROUP)
#define P_GPFIFO    (1u << RM_KIND_GPFIFO)
#define P_ANY       (~0u)
static const struct rm_class classes[] = {
#define CLASS(n, num, mask, role, strct, want, up, sysname) \
    {#n, #sysname, num, mask, RM_KIND_##role, RM_NEED_##want, up, &strct##_layout},
#include "kernel/rm.def"
};
static const struct rm_control controls[] = {
#define CONTROL(n, num, strct, sysname) {#n, #sysname, num, &strct##_layout},
#include "kernel/rm.def"
};
/* clang-format on */

const struct rm_class *rm_class_at(unsigned i)
{
    return i < ARRAY_LEN(classes) ? &classes[i] : NULL;
}

const struct rm_control *rm_control_at(unsigned i)
{
    return i < ARRAY_LEN(controls) ? &controls[i] : NULL;
}

const struct rm_class *rm_class_of(uint32_t number)
{
    for (unsigned i = 0; i < ARRAY_LEN(classes); i++)
        if (classes[i].number == number)
            return &classes[i];
    return NULL;
}

const struct rm_class *rm_class_in(enum rm_branch branch, uint32_t number)
{
    const struct rm_class *c = rm_class_of(number);
    return c && (!c->in || (c->in >> branch & 1)) ? c : NULL;
}

const struct rm_control *rm_control_of(uint32_t command)
{
    for (unsigned i = 0; i < ARRAY_LEN(controls); i++)
        if (controls[i].number == command)
            return &controls[i];
    return NULL;
}

/* Releases between which every struct here was seen to be the same, by branch; a driver in between has that
 * table. */
#define V(major, minor, patch) ((major)*1000000u + (minor)*1000u + (patch))
static const struct {
    const char *name, *oldest, *newest;
    uint32_t first, last;
} branches[RM_BRANCHES] = {
    [RM_535_54] = {"535.54", "535.54.03", "535.54.03", V(535, 54, 3), V(535, 54, 3)},
    [RM_535] = {"535", "535.86.05", "535.288.01", V(535, 86, 5), V(535, 288, 1)},
    [RM_550] = {"550", "550.54.14", "550.163.01", V(550, 54, 14), V(550, 163, 1)},
    [RM_570] = {"570", "570.86.15", "570.211.01", V(570, 86, 15), V(570, 211, 1)},
    [RM_580] = {"580", "580.65.06", "580.142", V(580, 65, 6), V(580, 142, 0)},
    [RM_590] = {"590", "590.44.01", "590.48.01", V(590, 44, 1), V(590, 48, 1)},
    [RM_595] = {"595", "595.44.02", "595.45.04", V(595, 44, 2), V(595, 45, 4)},
};

const char *rm_branch_name(enum rm_branch branch)
{
    return branch < RM_BRANCHES ? branches[branch].name : "?";
}

int rm_version_in(const char *text, char found[RM_VERSION_ROOM], uint32_t *order)
{
    for (const char *s = text; *s; s++) {
        unsigned part[3] = {0}, n = 0;
        const char *e = s;
        if (!isdigit((unsigned char)*s) ||
            (s > text && (isalnum((unsigned char)s[-1]) || strchr("._", s[-1]))))
            continue;
        for (;; e++) {
            for (; isdigit((unsigned char)*e); e++)
                part[n] = part[n] < 100000 ? part[n] * 10 + (unsigned)(*e - '0') : part[n];
            if (++n == 3 || *e != '.' || !isdigit((unsigned char)e[1]))
                break;
        }
        if (n < 2 || part[0] > 4000 || part[1] > 999 || part[2] > 999)
            continue;
        snprintf(found, RM_VERSION_ROOM, "%.*s", (int)(e - s), s);
        *order = V(part[0], part[1], part[2]);
        return 0;
    }
    return fail(-EINVAL, "NVIDIA driver version \"%.40s\": expected a number like 580.95.05", text);
}

int rm_branch_of(const char *version, char *warning, size_t cap)
{
    char found[RM_VERSION_ROOM];
    uint32_t v;
    int best = -1, err = rm_version_in(version, found, &v);
    if (err)
        return err;
    uint32_t major = v / 1000000;
    /* of the branches nearest by major number, the newest that is not newer than the driver, else the oldest
     * of them */
    for (int i = 0; i < RM_BRANCHES; i++) {
        uint32_t m = branches[i].first / 1000000, b = best < 0 ? 0 : branches[best].first / 1000000;
        uint32_t far = m > major ? m - major : major - m, near = b > major ? b - major : major - b;
        if (best < 0 || far < near || (far == near && (m != b || branches[i].first <= v)))
            best = i;
    }
    if (major > 535 && major < 550) /* measured: 545 has 535's UVM structs still */
        best = RM_535;
    int exact = v >= branches[best].first && v <= branches[best].last;
    if (cap)
        warning[0] = 0;
    if (!exact)
        snprintf(warning, cap,
                 "NVIDIA driver %s is not among the measured ones; using the tables of %s (%s to %s)", found,
                 branches[best].name, branches[best].oldest, branches[best].newest);
    return best;
}

uint32_t rm_word(enum rm_branch branch, enum rm_nr nr)
{
    const struct call *c;
    for (unsigned i = 0; (c = call_at(i)); i++)
        if (c->magic == 'F' && c->nr == (uint32_t)nr) {
            unsigned size = call_struct_size(c->args, branch);
            return size ? CALL_WORD(c->dir, c->magic, c->nr, size) : 0;
        }
    return 0;
}

uint64_t rm_get(enum rm_branch branch, const struct call_struct *s, const void *data, const char *field)
{
    const struct call_field *f = call_field_named(s, branch, field);
    uint64_t v = 0;
    if (f)
        memcpy(&v, (const uint8_t *)data + f->offset, f->size);
    return f && f->is_signed ? (uint64_t)sext(v, f->size * 8) : v;
}

int rm_set(enum rm_branch branch, const struct call_struct *s, void *data, const char *field, uint64_t value)
{
    const struct call_field *f = call_field_named(s, branch, field);
    if (!f)
        return fail(-ENOENT, "%s: no field %s on branch %s", s->name, field, rm_branch_name(branch));
    memcpy((uint8_t *)data + f->offset, &value, f->size);
    return 0;
}

const char *rm_status_name(uint32_t status)
{
    return call_value_name(call_field_named(&nvos00_layout, RM_595, "status")->names, status);
}

int rm_status_errno(uint32_t status)
{
    switch (status) {
    case RM_ERR_INSUFFICIENT_PERMISSIONS:
        return -EPERM;
    case RM_ERR_NO_MEMORY:
    case RM_ERR_INSUFFICIENT_RESOURCES:
        return -ENOMEM;
    case RM_ERR_NOT_SUPPORTED:
    case RM_ERR_INVALID_CLASS:
    case RM_ERR_INVALID_COMMAND:
        return -EOPNOTSUPP;
    case RM_ERR_OBJECT_NOT_FOUND:
    case RM_ERR_INVALID_OBJECT_HANDLE:
    case RM_ERR_GPU_UUID_NOT_FOUND:
        return -ENOENT;
    case RM_ERR_IN_USE:
    case RM_ERR_STATE_IN_USE:
    case RM_ERR_BUSY_RETRY:
        return -EBUSY;
    case RM_ERR_UVM_ADDRESS_IN_USE:
    case RM_ERR_INSERT_DUPLICATE_NAME:
        return -EEXIST;
    case RM_ERR_INVALID_ADDRESS:
        return -EFAULT;
    case RM_ERR_TIMEOUT:
        return -ETIMEDOUT;
    case RM_ERR_GPU_IS_LOST:
    case RM_ERR_CARD_NOT_PRESENT:
        return -ENODEV;
    case RM_OK:
        return 0;
    default: /* warnings (65542 = nothing to do, ...) have bit 16 */
        return status & 0x10000 ? 0 : -EINVAL;
    }
}

/* "RM_CONTROL GET_WORK_SUBMIT_TOKEN", "RM_ALLOC class 0xc46f": what the call was about. */
static void describe(char *out, size_t cap, const struct call *c, enum rm_branch branch, const void *wire)
{
    const struct call_field *f = call_field_named(c->args, branch, "cmd");
    int control = f && f->names;
    if (!control)
        f = call_field_named(c->args, branch, "hClass");
    uint32_t v = f ? load32((const uint8_t *)wire + f->offset) : 0;
    const char *name = f ? call_value_name(f->names, v) : NULL;
    if (!f)
        snprintf(out, cap, "%s", c->name);
    else if (name)
        snprintf(out, cap, "%s %s", c->name, name);
    else
        snprintf(out, cap, "%s %s 0x%x", c->name, control ? "command" : "class", v);
}

int rm_call(const struct port *p, int fd, enum rm_branch branch, uint32_t request, void *args)
{
    const struct call *c = call_lookup(request);
    char what[96];
    if (!c || !c->args || (c->magic && c->magic != 'F'))
        return fail(-EINVAL, "driver call 0x%08x: not a described call of NVIDIA's modules", request);
    unsigned size = call_struct_size(c->args, branch);
    if (!size || (c->magic && size != call_size(request)))
        return fail(-EINVAL, "%s: word 0x%08x has %u bytes, branch %s has %u", c->name, request,
                    call_size(request), rm_branch_name(branch), size);
    uint8_t *wire = malloc(size);
    if (!wire)
        return fail(-ENOMEM, "%s: no memory for %u bytes", c->name, size);
    call_pack(c->args, branch, wire, args);
    describe(what, sizeof what, c, branch, wire);
    int r = port_ioctl(p, fd, request, wire);
    if (r < 0) {
        r = fail(r, "%s (%s): %s", what, p->name, strerror(-r));
    } else {
        const char *field = call_field_named(c->args, branch, "rmStatus") ? "rmStatus" : "status";
        uint32_t status = (uint32_t)rm_get(branch, c->args, wire, field);
        const char *name = rm_status_name(status);
        call_unpack(c->args, branch, args, wire, size);
        r = rm_status_errno(status);
        if (r)
            fail(r, "%s (%s): status 0x%x %s", what, p->name, status, name ? name : "(unknown)");
    }
    free(wire);
    return r;
}

int rm_alloc(const struct port *p, int fd, enum rm_branch branch, uint32_t client, uint32_t parent,
             uint32_t *object, uint32_t nvclass, void *params)
{
    /* RM copies its own size of the class from here and back, whatever the client's idea of it */
    uint64_t block[RM_PARAMS_ROOM / 8] = {0};
    const struct rm_class *c = rm_class_in(branch, nvclass);
    if (!c || (params && c->params == &rm_opaque_layout))
        return fail(-EOPNOTSUPP, "RM_ALLOC class 0x%x (%s): %s on branch %s", nvclass, p->name,
                    c ? "its parameters are not described" : "no row for it", rm_branch_name(branch));
    if (c->need == RM_NEED_MUST && !params)
        return fail(-EINVAL, "RM_ALLOC %s: expected parameters (%s)", c->name, c->params->name);
    struct nvos21 a = {.hRoot = client, .hObjectParent = parent, .hObjectNew = *object, .hClass = nvclass};
    if (params) {
        a.paramsSize = call_pack(c->params, branch, block, params);
        a.pAllocParms = (uintptr_t)block;
    }
    int r = rm_call(p, fd, branch, rm_word(branch, NV_ESC_NR_RM_ALLOC), &a);
    if (r)
        return r;
    if (params)
        call_unpack(c->params, branch, params, block, sizeof block);
    *object = a.hObjectNew;
    return 0;
}

int rm_control(const struct port *p, int fd, enum rm_branch branch, uint32_t client, uint32_t object,
               uint32_t command, void *params)
{
    const struct rm_control *c = rm_control_of(command);
    unsigned size = c ? call_struct_size(c->params, branch) : 0;
    if (!c || (params && !size))
        return fail(-EOPNOTSUPP, "RM_CONTROL command 0x%x (%s): %s on branch %s", command, p->name,
                    c ? "its parameters are not described" : "no row for it", rm_branch_name(branch));
    struct nvos54 a = {.hClient = client, .hObject = object, .cmd = command};
    void *wire = params ? calloc(1, size) : NULL;
    if (params && !wire)
        return fail(-ENOMEM, "RM_CONTROL %s: no memory for %u bytes", c->name, size);
    if (params) {
        a.paramsSize = call_pack(c->params, branch, wire, params);
        a.params = (uintptr_t)wire;
    }
    int r = rm_call(p, fd, branch, rm_word(branch, NV_ESC_NR_RM_CONTROL), &a);
    if (!r && params)
        call_unpack(c->params, branch, params, wire, size);
    free(wire);
    return r;
}
