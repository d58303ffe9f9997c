/* Rows: classes from RM's per-chip lists (open kernel modules 595), bank 0 offsets from code that CUDA 13.0
 * compiles. */
#include "hw/nv/gen.h"
#include "base/bits.h"
#include "base/err.h"
#include "hw/nv/qmd.h"
#include <stdlib.h>
#include <string.h>

#define NONE NV_C0_NONE
#define V(v) (1 << QMD_##v)
static const struct nv_arch archs[] = {
    [NV_TURING] = {"Turing",
                   0xc46f,
                   0xc5c0,
                   0xc5b5,
                   0xa140,
                   0xc461,
                   0x705,
                   QMD_V02_03,
                   V(V02_03),
                   256,
                   0,
                   {0x00, 0x0c, 0x18, 0x20, 0x28, 0x2c, 0x30, 0x8c, NONE, NONE, 0x160}},
    [NV_AMPERE_A] = {"Ampere GA100",
                     0xc56f,
                     0xc6c0,
                     0xc6b5,
                     0xa140,
                     0xc561,
                     0x802,
                     QMD_V03_00_A,
                     V(V02_03) | V(V02_04) | V(V03_00_A),
                     256,
                     0,
                     {0x00, 0x0c, 0x18, 0x20, 0x28, 0x2c, 0x30, 0x8c, 0x114, 0x118, 0x160}},
    [NV_AMPERE] = {"Ampere",
                   0xc56f,
                   0xc7c0,
                   0xc7b5,
                   0xa140,
                   0xc561,
                   0x806,
                   QMD_V03_00,
                   V(V02_03) | V(V02_04) | V(V03_00),
                   256,
                   0,
                   {0x00, 0x0c, 0x18, 0x20, 0x28, 0x2c, 0x30, 0x8c, 0x114, 0x118, 0x160}},
    [NV_ADA] = {"Ada",
                0xc56f,
                0xc9c0,
                0xc7b5,
                0xa140,
                0xc561,
                0x809,
                QMD_V03_00,
                V(V02_04) | V(V03_00),
                256,
                0,
                {0x00, 0x0c, 0x18, 0x20, 0x28, 0x2c, 0x30, 0x8c, 0x114, 0x118, 0x160}},
    [NV_HOPPER] = {"Hopper",
                   0xc86f,
                   0xcbc0,
                   0xc8b5,
                   0xa140,
                   0xc661,
                   0x900,
                   QMD_V04_00,
                   V(V03_00) | V(V04_00),
                   384,
                   0x400,
                   {0x00, 0x0c, NONE, 0x20, 0x28, 0x2c, 0x30, 0x44, 0x114, 0x208, 0x210}},
    [NV_BLACKWELL_A] = {"Blackwell GB10x",
                        0xc96f,
                        0xcdc0,
                        0xc9b5,
                        0xcd40,
                        0xc661,
                        0xa00,
                        QMD_V05_00,
                        V(V04_01) | V(V05_00) | V(V05_01),
                        384,
                        0x400,
                        {0x360, 0x370, NONE, 0x2f8, 0x37c, 0x2ac, 0x140, 0x254, 0x16c, 0x358, 0x380}},
    [NV_BLACKWELL_B] = {"Blackwell GB20x",
                        0xca6f,
                        0xcec0,
                        0xcab5,
                        0xcd40,
                        0xc761,
                        0xa04,
                        QMD_V05_00,
                        V(V04_01) | V(V05_00) | V(V05_01),
                        384,
                        0x400,
                        {0x360, 0x370, NONE, 0x2f8, 0x37c, 0x2ac, 0x140, 0x254, 0x16c, 0x358, 0x380}},
};
_Static_assert(ARRAY_LEN(archs) == NV_GEN_COUNT, "a row a generation");

static const struct {
    uint8_t sm, gen;
} targets[] = {{75, NV_TURING},       {80, NV_AMPERE_A},    {86, NV_AMPERE},       {87, NV_AMPERE},
               {89, NV_ADA},          {90, NV_HOPPER},      {100, NV_BLACKWELL_A}, {103, NV_BLACKWELL_A},
               {120, NV_BLACKWELL_B}, {121, NV_BLACKWELL_B}};

const struct nv_arch *nv_arch(enum nv_gen gen)
{
    return &archs[gen];
}

const char *nv_gen_name(enum nv_gen gen)
{
    return gen < NV_GEN_COUNT ? archs[gen].name : "?";
}

int nv_gen_of(const char *target)
{
    char *end = NULL;
    unsigned long sm = strncmp(target, "sm_", 3) ? 0 : strtoul(target + 3, &end, 10);
    if (sm && (!*end || ((*end == 'a' || *end == 'f') && !end[1])))
        for (unsigned i = 0; i < ARRAY_LEN(targets); i++)
            if (targets[i].sm == sm)
                return targets[i].gen;
    return fail(-EINVAL, "target \"%s\": expected sm_75, 80, 86, 87, 89, 90, 100, 103, 120 or 121", target);
}

int nv_gen_of_class(uint32_t c)
{
    for (int g = 0; g < NV_GEN_COUNT; g++)
        if (c && (c == archs[g].gpfifo || c == archs[g].compute || c == archs[g].copy))
            return g;
    return -1;
}

enum nv_unit nv_unit_of_class(uint32_t c)
{
    for (int g = 0; g < NV_GEN_COUNT; g++) {
        const struct nv_arch *a = &archs[g];
        if (c == a->gpfifo)
            return NV_UNIT_HOST;
        if (c == a->compute)
            return NV_UNIT_COMPUTE;
        if (c == a->copy)
            return NV_UNIT_COPY;
        if (c == a->inline_copy)
            return NV_UNIT_INLINE;
    }
    return NV_UNIT_NONE;
}
