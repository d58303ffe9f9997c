#include "hw/amd/gen.h"
#include "base/err.h"
#include <stdlib.h>
#include <string.h>

/* Longest prefix first. */
static const struct {
    const char *prefix;
    enum amd_gen gen;
} targets[] = {
    {"gfx90a", AMD_GEN_9_0A}, {"gfx90", AMD_GEN_9_0}, {"gfx94", AMD_GEN_9_4_2}, {"gfx95", AMD_GEN_9_4_2},
    {"gfx10", AMD_GEN_10_3},  {"gfx11", AMD_GEN_11},  {"gfx12", AMD_GEN_12},
};

int amd_gen_of(const char *target)
{
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!strncmp(target, targets[i].prefix, strlen(targets[i].prefix)))
            return targets[i].gen;
    return fail(-EINVAL,
                "target \"%s\": expected gfx90x, gfx90a, gfx94x, gfx950, gfx10xx, gfx11xx or gfx12xx",
                target);
}

const char *amd_gen_name(enum amd_gen gen)
{
    static const char *const names[] = {"gfx9.0", "gfx90a", "gfx942", "gfx10.3", "gfx11", "gfx12"};
    return gen < AMD_GEN_COUNT ? names[gen] : "?";
}
