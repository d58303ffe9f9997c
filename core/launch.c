/* Checks a launch and packs its arguments; the back end does the rest. */
#include "core/backend.h"
#include "base/bits.h"
#include "base/err.h"

static int zero3(const uint32_t v[3])
{
    return !(v[0] | v[1] | v[2]);
}

static int check_grid(const nx_kernel *k, const struct nx_launch *l, struct geometry *g)
{
    const char *name = k->info.name;
    int by_items = !zero3(l->items);
    if (by_items && !zero3(l->grid))
        return fail(-EINVAL, "%s: grid and items are both given, expected one of them", name);
    const uint32_t *n = by_items ? l->items : l->grid;
    if (!n[0] || !n[1] || !n[2])
        return fail(-EINVAL, "%s: %s %ux%ux%u: every dimension must be at least 1", name,
                    by_items ? "items" : "grid", n[0], n[1], n[2]);
    for (int i = 0; i < 3; i++) {
        uint64_t items = by_items ? n[i] : (uint64_t)n[i] * l->block[i];
        if (items > UINT32_MAX)
            return fail(-EINVAL, "%s: %llu work-items in dimension %d, at most 2^32-1", name,
                        (unsigned long long)items, i);
        g->block[i] = l->block[i];
        g->items[i] = (uint32_t)items;
        g->groups[i] = by_items ? (n[i] - 1) / l->block[i] + 1 : n[i];
        if (items > 1)
            g->dims = (uint32_t)i + 1;
    }
    return 0;
}

static int check_block(const nx_kernel *k, const struct nx_launch *l)
{
    const uint32_t *b = l->block, *want = k->info.block;
    const char *name = k->info.name;
    uint32_t max = k->program->device->info.max_block;
    if (!b[0] || !b[1] || !b[2])
        return fail(-EINVAL, "%s: block %ux%ux%u: every dimension must be at least 1", name, b[0], b[1],
                    b[2]);
    uint64_t n = (uint64_t)b[0] * b[1];
    if (b[0] > max || b[1] > max || b[2] > max || n * b[2] > max)
        return fail(-EINVAL, "%s: block %ux%ux%u has more than %u work-items, the limit of the device", name,
                    b[0], b[1], b[2], max);
    if (k->info.max_block && n * b[2] > k->info.max_block)
        return fail(-EINVAL, "%s: block %ux%ux%u has %u work-items, the kernel was compiled for at most %u",
                    name, b[0], b[1], b[2], (uint32_t)(n * b[2]), k->info.max_block);
    if (!zero3(want) && (b[0] != want[0] || b[1] != want[1] || b[2] != want[2]))
        return fail(-EINVAL, "%s: block %ux%ux%u, the kernel was compiled for exactly %ux%ux%u", name, b[0],
                    b[1], b[2], want[0], want[1], want[2]);
    return 0;
}

/* The value of a local argument: how many bytes it asks for. */
static uint32_t local_bytes(const struct kernel_arg *a, const struct nx_launch *l, unsigned i)
{
    return load32(l->args ? l->args[i] : (const char *)l->kernarg + a->offset);
}

static uint64_t local_place(const struct kernel_arg *a, uint64_t at)
{
    return align_up(at, a->align > 16 ? a->align : 16);
}

static int check_lds(const nx_kernel *k, const struct nx_launch *l, struct geometry *g)
{
    uint64_t total = (uint64_t)k->info.lds_bytes + l->shared;
    uint32_t max = k->program->device->info.lds_bytes;
    for (unsigned i = 0; i < k->info.arg_count; i++)
        if (k->args[i].kind == NX_ARG_LOCAL)
            total = local_place(&k->args[i], total) + local_bytes(&k->args[i], l, i);
    if (total > max)
        return fail(-EINVAL, "%s: %llu bytes of local memory (%u static), at most %u", k->info.name,
                    (unsigned long long)total, k->info.lds_bytes, max);
    g->lds = (uint32_t)total;
    return 0;
}

static int check_args(const nx_kernel *k, const struct nx_launch *l)
{
    const char *name = k->info.name;
    if (l->args && l->kernarg)
        return fail(-EINVAL, "%s: args and kernarg are both given, expected one of them", name);
    if (l->args || l->arg_count || !l->kernarg) {
        if (l->arg_count != k->info.arg_count || (l->arg_count && !l->args))
            return fail(-EINVAL, "%s: %u arguments given, the kernel takes %u", name,
                        l->args ? l->arg_count : 0, k->info.arg_count);
        for (unsigned i = 0; i < l->arg_count; i++)
            if (!l->args[i])
                return fail(-EINVAL, "%s: argument %u is a null pointer, expected the address of its value",
                            name, i);
    } else if (l->kernarg_bytes != k->info.kernarg_bytes) {
        return fail(-EINVAL, "%s: %zu bytes of packed arguments, the kernel takes %u", name, l->kernarg_bytes,
                    k->info.kernarg_bytes);
    }
    return 0;
}

int launch_check(const nx_kernel *k, const struct nx_launch *l, struct geometry *g)
{
    *g = (struct geometry){.dims = 1};
    int rc;
    if (l->size != sizeof *l)
        return fail(-EINVAL, "nx_launch: size is %zu, expected %zu", l->size, sizeof *l);
    if ((rc = check_block(k, l)) || (rc = check_grid(k, l, g)) || (rc = check_args(k, l)))
        return rc;
    return check_lds(k, l, g);
}

void launch_pack(const nx_kernel *k, const struct nx_launch *l, void *dst)
{
    uint64_t at = (uint64_t)k->info.lds_bytes + l->shared;
    if (l->kernarg)
        memcpy(dst, l->kernarg, k->info.kernarg_bytes);
    for (unsigned i = 0; i < k->info.arg_count; i++) {
        const struct kernel_arg *a = &k->args[i];
        char *to = (char *)dst + a->offset;
        if (a->kind == NX_ARG_LOCAL) {
            at = local_place(a, at);
            store32(to, (uint32_t)at);
            at += local_bytes(a, l, i);
        } else if (l->args) {
            memcpy(to, l->args[i], a->bytes);
        }
    }
}

int nx_launch(nx_queue *q, nx_kernel *k, const struct nx_launch *l)
{
    struct geometry g;
    int rc = device_check(q->device);
    if (!rc && k->program->device != q->device)
        rc = fail(-EINVAL, "%s: kernel and queue belong to different devices", k->info.name);
    if (rc || (rc = launch_check(k, l, &g)))
        return rc;
    return queue_dirty(q, q->device->ops->launch(q, k, &g, l));
}
