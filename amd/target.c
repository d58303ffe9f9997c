#include "amd/target.h"
#include "base/bits.h"
#include "base/err.h"
#include <stdio.h>

static const struct mach {
    uint8_t number;
    const char *name;
    const char *generic; /* the generic target whose code it runs */
} machs[] = {
    {0x2c, "gfx900", "gfx9-generic"},
    {0x2d, "gfx902", "gfx9-generic"},
    {0x2e, "gfx904", "gfx9-generic"},
    {0x2f, "gfx906", "gfx9-generic"},
    {0x30, "gfx908", 0},
    {0x31, "gfx909", "gfx9-generic"},
    {0x32, "gfx90c", "gfx9-generic"},
    {0x33, "gfx1010", "gfx10-1-generic"},
    {0x34, "gfx1011", "gfx10-1-generic"},
    {0x35, "gfx1012", "gfx10-1-generic"},
    {0x36, "gfx1030", "gfx10-3-generic"},
    {0x37, "gfx1031", "gfx10-3-generic"},
    {0x38, "gfx1032", "gfx10-3-generic"},
    {0x39, "gfx1033", "gfx10-3-generic"},
    {0x3d, "gfx1035", "gfx10-3-generic"},
    {0x3e, "gfx1034", "gfx10-3-generic"},
    {0x3f, "gfx90a", 0},
    {0x40, "gfx940", "gfx9-4-generic"},
    {0x41, "gfx1100", "gfx11-generic"},
    {0x42, "gfx1013", "gfx10-1-generic"},
    {0x43, "gfx1150", "gfx11-generic"},
    {0x44, "gfx1103", "gfx11-generic"},
    {0x45, "gfx1036", "gfx10-3-generic"},
    {0x46, "gfx1101", "gfx11-generic"},
    {0x47, "gfx1102", "gfx11-generic"},
    {0x48, "gfx1200", "gfx12-generic"},
    {0x4a, "gfx1151", "gfx11-generic"},
    {0x4b, "gfx941", "gfx9-4-generic"},
    {0x4c, "gfx942", "gfx9-4-generic"},
    {0x4e, "gfx1201", "gfx12-generic"},
    {0x4f, "gfx950", "gfx9-4-generic"},
    {0x55, "gfx1152", "gfx11-generic"},
    {0x58, "gfx1153", "gfx11-generic"},
    {0x51, "gfx9-generic", 0},
    {0x52, "gfx10-1-generic", 0},
    {0x53, "gfx10-3-generic", 0},
    {0x54, "gfx11-generic", 0},
    {0x59, "gfx12-generic", 0},
    {0x5f, "gfx9-4-generic", 0},
};

static const struct mach *mach_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(machs); i++)
        if (!strcmp(machs[i].name, name))
            return &machs[i];
    return NULL;
}

/* v4 and later: 0 unsupported, 1 any, 2 off, 3 on */
static int8_t feature(uint32_t two_bits)
{
    return two_bits < 2 ? -1 : (int8_t)(two_bits - 2);
}

int amd_target_of_flags(uint32_t e_flags, unsigned version, struct amd_target *out)
{
    uint32_t number = (uint32_t)bits(e_flags, 7, 0);
    for (size_t i = 0; i < ARRAY_LEN(machs); i++) {
        if (machs[i].number != number)
            continue;
        snprintf(out->name, sizeof out->name, "%s", machs[i].name);
        /* version 3 has one bit each; a clear bit does not say "any", but nothing newer runs such code */
        out->xnack = version == 3 ? (int8_t)bits(e_flags, 8, 8) : feature((uint32_t)bits(e_flags, 9, 8));
        out->sramecc = version == 3 ? (int8_t)bits(e_flags, 9, 9) : feature((uint32_t)bits(e_flags, 11, 10));
        return 0;
    }
    return fail(-ENOEXEC, "code object for machine number 0x%02x, which is no target known here", number);
}

int amd_target_of_name(const char *text, size_t size, struct amd_target *out)
{
    *out = (struct amd_target){.xnack = -1, .sramecc = -1};
    size_t n = 0;
    while (n < size && text[n] != ':')
        n++;
    if (!n || n >= sizeof out->name)
        return fail(-EINVAL, "target \"%.*s\": expected a name such as gfx1100", (int)(size > 80 ? 80 : size),
                    text);
    memcpy(out->name, text, n);
    while (n < size) {
        const char *f = text + n + 1;
        size_t len = 0;
        while (n + 1 + len < size && f[len] != ':')
            len++;
        int8_t on = len && f[len - 1] == '+';
        if (len == 6 && !memcmp(f, "xnack", 5))
            out->xnack = on;
        else if (len == 8 && !memcmp(f, "sramecc", 7))
            out->sramecc = on;
        n += 1 + len;
    }
    return 0;
}

void amd_target_of_version(uint32_t version, char name[32])
{
    unsigned step = version % 100, minor = version / 100 % 100, major = version / 10000;
    snprintf(name, 32, "gfx%u%x%x", major, minor & 15, step & 15);
}

static int clash(int8_t code, int8_t device)
{
    /* a device without the feature cannot run code that needs it on */
    return code >= 0 && code != (device < 0 ? 0 : device);
}

int amd_target_fit(const struct amd_target *code, const struct amd_target *device)
{
    const struct mach *m = mach_named(device->name);
    int fit = !strcmp(code->name, device->name)                    ? 2
              : m && m->generic && !strcmp(m->generic, code->name) ? 1
                                                                   : 0;
    return clash(code->xnack, device->xnack) || clash(code->sramecc, device->sramecc) ? 0 : fit;
}

void amd_target_print(const struct amd_target *t, char *text, size_t size)
{
    static const char *const ecc[] = {"", ":sramecc-", ":sramecc+"}, *const xnack[] = {"", ":xnack-",
                                                                                       ":xnack+"};
    snprintf(text, size, "%s%s%s", t->name, ecc[t->sramecc + 1], xnack[t->xnack + 1]);
}
