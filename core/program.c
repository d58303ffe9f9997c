#include "core/backend.h"
#include "base/err.h"
#include "base/mem.h"
#include <stdio.h>
#include <string.h>

int nx_program_load(nx_device *d, const void *image, size_t size, nx_program **out)
{
    *out = NULL;
    int rc = device_check(d);
    return rc ? rc : d->ops->load(d, image, size, out);
}

static int read_all(FILE *f, const char *path, void **data, size_t *size)
{
    size_t cap = 0, n = 0;
    char *buf = NULL;
    for (;;) {
        if (n == cap) {
            char *more = mem_resize(buf, cap = cap ? cap * 2 : 16384);
            if (!more) {
                mem_free(buf);
                return -ENOMEM;
            }
            buf = more;
        }
        size_t got = fread(buf + n, 1, cap - n, f);
        n += got;
        if (!got)
            break;
    }
    if (ferror(f)) {
        mem_free(buf);
        return fail(-EIO, "%s: %s", path, strerror(errno));
    }
    *data = buf;
    *size = n;
    return 0;
}

int nx_program_load_file(nx_device *d, const char *path, nx_program **out)
{
    *out = NULL;
    FILE *f = fopen(path, "rb");
    if (!f)
        return fail(-errno, "%s: %s", path, strerror(errno));
    void *data = NULL;
    size_t size = 0;
    int rc = read_all(f, path, &data, &size);
    fclose(f);
    if (rc)
        return rc;
    rc = nx_program_load(d, data, size, out);
    mem_free(data);
    return rc ? fail_in(rc, "%s", path) : 0;
}

void nx_program_free(nx_program *p)
{
    if (p)
        p->device->ops->unload(p);
}

int nx_program_kernel_at(nx_program *p, unsigned index, nx_kernel **out)
{
    *out = NULL;
    if (index >= p->kernel_count)
        return fail(-ENOENT, "program has %u kernels, no number %u", p->kernel_count, index);
    *out = p->kernel_at(p, index);
    return 0;
}

/* "a, b, c": the names there are, for the text of an error */
static void list_kernels(nx_program *p, char *text, size_t size)
{
    size_t n = 0;
    *text = 0;
    for (unsigned i = 0; i < p->kernel_count && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? ", " : "", p->kernel_at(p, i)->info.name);
}

int nx_program_kernel(nx_program *p, const char *name, nx_kernel **out)
{
    char names[400];
    *out = NULL;
    if (!name && p->kernel_count == 1)
        return nx_program_kernel_at(p, 0, out);
    for (unsigned i = 0; name && i < p->kernel_count; i++)
        if (!strcmp(p->kernel_at(p, i)->info.name, name))
            return nx_program_kernel_at(p, i, out);
    list_kernels(p, names, sizeof names);
    if (!name)
        return fail(-ENOENT, "program has %u kernels, name one: %s", p->kernel_count, names);
    return fail(-ENOENT, "no kernel \"%s\" in the program, there is: %s", name, *names ? names : "none");
}

int nx_kernel_describe(nx_kernel *k, struct nx_kernel_info *info)
{
    if (info->size != sizeof *info)
        return fail(-EINVAL, "nx_kernel_info: size is %zu, expected %zu", info->size, sizeof *info);
    *info = k->info;
    info->size = sizeof *info;
    return 0;
}

int nx_kernel_arg(nx_kernel *k, unsigned index, struct nx_arg_info *info)
{
    if (info->size != sizeof *info)
        return fail(-EINVAL, "nx_arg_info: size is %zu, expected %zu", info->size, sizeof *info);
    if (index >= k->info.arg_count)
        return fail(-ENOENT, "kernel %s has %u arguments, no number %u", k->info.name, k->info.arg_count,
                    index);
    const struct kernel_arg *a = &k->args[index];
    *info = (struct nx_arg_info){.size = sizeof *info,
                                 .name = a->name ? a->name : "",
                                 .type_name = a->type_name ? a->type_name : "",
                                 .value_kind = a->value_kind ? a->value_kind : "",
                                 .address_space = a->address_space ? a->address_space : "",
                                 .kind = a->kind,
                                 .offset = a->offset,
                                 .bytes = a->bytes};
    return 0;
}
