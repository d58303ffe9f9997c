#include "amd/amd.h"
#include "amd/bundle.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"

static nx_kernel *kernel_at(nx_program *p, unsigned index)
{
    return &((struct amd_program *)p)->kernels[index].base;
}

static int check_target(const struct amd_device *d, const struct code *c)
{
    char code[64], device[64];
    if (amd_target_fit(&c->target, &d->target))
        return 0;
    amd_target_print(&c->target, code, sizeof code);
    amd_target_print(&d->target, device, sizeof device);
    return fail(-ENOEXEC, "code object is for %s, the device is %s", code, device);
}

/* Device memory for the image, and the image in it, relocated for where it is. */
static int upload(struct amd_device *d, const struct code *c, struct amd_buffer **out)
{
    uint32_t flags = AMD_DEVICE_MEMORY | (d->large_bar ? KFD_MEM_PUBLIC : 0);
    uint8_t *image = mem_alloc(c->size);
    if (!image)
        return -ENOMEM;
    int rc = amd_bo(d, c->size, c->align, flags, d->large_bar, out);
    if (rc)
        goto undo_image;
    if ((rc = code_image(c, (*out)->base.va, image)) || (rc = nx_write(&(*out)->base, 0, image, c->size))) {
        amd_free(&(*out)->base);
        *out = NULL;
    }
undo_image:
    mem_free(image);
    return rc;
}

static int load_object(struct amd_device *d, const void *image, size_t size, nx_program **out)
{
    struct code c;
    int rc = code_open(&c, image, size);
    if (rc)
        return rc;
    struct amd_program *p = mem_alloc(sizeof *p);
    if (!p) {
        rc = -ENOMEM;
        goto undo_code;
    }
    if ((rc = check_target(d, &c)) || (rc = upload(d, &c, &p->code)))
        goto undo_program;
    p->base = (nx_program){.device = &d->base, .kernel_count = c.kernel_count, .kernel_at = kernel_at};
    p->kernels = c.kernels;
    static _Atomic uint64_t ids;
    for (unsigned i = 0; i < c.kernel_count; i++) {
        p->kernels[i].id = ++ids;
        p->kernels[i].base.program = &p->base;
        p->kernels[i].kd_va += p->code->base.va;
        p->kernels[i].entry_va += p->code->base.va;
    }
    *out = &p->base;
    return 0;
undo_program:
    mem_free(p);
undo_code:
    code_close(&c);
    return rc;
}

int amd_load(nx_device *dev, const void *image, size_t size, nx_program **out)
{
    struct amd_device *d = (struct amd_device *)dev;
    const void *object;
    size_t object_size;
    void *owned;
    if (!bundle_kind(image, size))
        return load_object(d, image, size, out);
    int rc = bundle_pick(image, size, &d->target, &object, &object_size, &owned);
    if (rc)
        return rc;
    rc = load_object(d, object, object_size, out);
    mem_free(owned);
    return rc;
}

void amd_unload(nx_program *program)
{
    struct amd_program *p = (struct amd_program *)program;
    amd_free(&p->code->base);
    code_free_kernels(p->kernels, p->base.kernel_count);
    mem_free(p);
}
