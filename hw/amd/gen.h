/* The hardware generations that the AMD tables tell apart. Adding one: a line here and rows where it differs.
 */
#ifndef NX_HW_AMD_GEN_H
#define NX_HW_AMD_GEN_H

enum amd_gen {
    AMD_GEN_9_0,   /* gfx900..909, 90c */
    AMD_GEN_9_0A,  /* gfx90a */
    AMD_GEN_9_4_2, /* gfx940..942, 950 */
    AMD_GEN_10_3,  /* gfx10xx: the tables were taken from 10.3 */
    AMD_GEN_11,    /* gfx11xx */
    AMD_GEN_12,    /* gfx12xx */
    AMD_GEN_COUNT
};

/* Sets of generations, for GENS() rows. */
#define AMD_9     (1 << AMD_GEN_9_0 | 1 << AMD_GEN_9_0A | 1 << AMD_GEN_9_4_2)
#define AMD_10    (1 << AMD_GEN_10_3)
#define AMD_11    (1 << AMD_GEN_11)
#define AMD_12    (1 << AMD_GEN_12)
#define AMD_10_UP (AMD_10 | AMD_11 | AMD_12)
#define AMD_11_UP (AMD_11 | AMD_12)

/* "gfx1100" -> AMD_GEN_11; -EINVAL with text when the name is no target we have tables for. */
int amd_gen_of(const char *target);
/* "gfx9.0", "gfx90a", "gfx942", "gfx10.3", "gfx11", "gfx12" */
const char *amd_gen_name(enum amd_gen gen);
#endif
