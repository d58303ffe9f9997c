#include "soft/chip.h"
#include <string.h>

/* doorbell type 2, 4 watch points: what every client needs; SVM, trap-debug and debug-firmware bits stay
 * clear, which keeps clients off interfaces that are not modelled. */
#define CAPS (2u << 12 | 0x80 | 2u << 8)
#define GIB  (1ull << 30)

/* clang-format off */
static const struct chip chips[] = {
    {"gfx906", "Radeon VII / MI50", "vega20", AMD_GEN_9_0, AMD_GFX906, 90006, 0x66a1, 0x0834, 1,
     /* cu */ 60, 4, 10, 32, 64, /* arrays */ 4, 1, 16, /* sdma */ 2, 8, 24, 1725, 1000, 4096,
     141, CAPS, 472, 145, 16 * GIB, {16, 4096, 0}, {{11, 9, 4, 0}, {42, 4, 2, 0}, {108, 7, 4, 0}}},
    {"gfx90a", "MI210", "aldebaran", AMD_GEN_9_0A, AMD_GFX90A, 90010, 0x740f, 0x0c34, 2,
     104, 4, 8, 32, 64, 8, 1, 14, 5, 8, 24, 1700, 1600, 4096,
     141, CAPS, 78, 8, 64 * GIB, {16, 8192, 0}, {{11, 9, 4, 2}, {42, 4, 4, 0}, {108, 7, 4, 4}}},
    {"gfx942", "MI300X, one compute die of the CPX partition", "ip discovery", AMD_GEN_9_4_2, AMD_GFX942, 90402, 0x74a1,
     0x74a1, 0, 38, 4, 8, 32, 64, 4, 1, 10, 2, 8, 24, 2100, 1300, 8192,
     141, CAPS, 165, 19, 24 * GIB, {32, 4096, 262144}, {{11, 9, 4, 3}, {42, 4, 4, 2}, {108, 7, 9, 0}}},
    {"gfx1030", "Radeon RX 6800", "sienna_cichlid", AMD_GEN_10_3, AMD_GFX1030, 100300, 0x73bf, 0x0e3a, 0xc3,
     60, 2, 16, 32, 32, 8, 2, 10, 4, 8, 8, 2475, 1000, 256,
     143, CAPS, 116, 83, 17163091968ull, {16, 4096, 131072}, {{11, 10, 3, 0}, {42, 5, 2, 0}, {108, 3, 3, 0}}},
    {"gfx1100", "Radeon RX 7900 XTX", "ip discovery", AMD_GEN_11, AMD_GFX1100, 110000, 0x744c, 0x0e3b, 0xc8,
     96, 2, 16, 32, 32, 12, 2, 8, 2, 8, 8, 2526, 1249, 384,
     145, CAPS, 550, 21, 24 * GIB, {32, 6144, 98304}, {{11, 11, 0, 0}, {42, 6, 0, 0}, {108, 4, 3, 0}}},
    {"gfx1201", "Radeon RX 9070 XT", "ip discovery", AMD_GEN_12, AMD_GFX1201, 120001, 0x7550, 0x0e4e, 0xc0,
     64, 2, 16, 32, 32, 8, 2, 8, 2, 8, 8, 2970, 1258, 256,
     152, CAPS, 108, 11, 16 * GIB, {32, 8192, 65536}, {{11, 12, 0, 1}, {42, 7, 0, 1}, {108, 6, 3, 1}}},
};
/* clang-format on */

const struct chip *chip_find(const char *name)
{
    for (unsigned i = 0; i < sizeof chips / sizeof *chips; i++)
        if (!strcmp(chips[i].name, name))
            return &chips[i];
    return NULL;
}

const struct chip *chip_at(unsigned i)
{
    return i < sizeof chips / sizeof *chips ? &chips[i] : NULL;
}
