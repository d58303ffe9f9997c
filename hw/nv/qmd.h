/* QMD: the descriptor of one grid that the compute unit reads from memory. Its versions place the same things
 * differently, so fields are reached by name and version (rows in qmd.def), and struct qmd_launch is what all
 * versions share: a back end fills it and packs, the software GPU unpacks it. QMDs are 256-byte aligned; read
 * one when it is launched, clients patch them in memory until then.
 */
#ifndef NX_HW_NV_QMD_H
#define NX_HW_NV_QMD_H
#include <stdint.h>
#include <stdio.h>

enum qmd_version {
    QMD_V02_03,
    QMD_V02_04,
    QMD_V03_00_A, /* 3.0 of GA100 */
    QMD_V03_00,
    QMD_V04_00,
    QMD_V04_01,
    QMD_V05_00,
    QMD_V05_01,
    QMD_VERSIONS
};
enum qmd_field {
#define QMD(name, places) QMD_##name,
#include "hw/nv/qmd.def"
#undef QMD
    QMD_FIELDS
};
enum { QMD_DWORDS_MAX = 96 };
enum qmd_release_size {
    QMD_RELEASE_4_WORDS,
    QMD_RELEASE_1_WORD,
    QMD_RELEASE_2_WORDS
}; /* Turing: only the first two */
enum qmd_action {
    QMD_INCREMENT_PUT,
    QMD_SCHEDULE,
    QMD_INVALIDATE_COPY_SCHEDULE = 3,
    QMD_DECREMENT_DEPENDENCE
};
enum qmd_reduction { QMD_ADD, QMD_MIN, QMD_MAX, QMD_INC, QMD_DEC, QMD_AND, QMD_OR, QMD_XOR };
enum { QMD_TYPE_GRID_CTA = 2 }; /* qmd_type of versions 4 and 5; is_queue = 0 before */

/* Where a field lies, in bits from bit 0 of dword 0. count 0: the version does not have it. */
struct qmd_place {
    uint16_t hi, lo, count, stride;
};
const struct qmd_place *qmd_place(enum qmd_version v, enum qmd_field f);
const char *qmd_field_name(enum qmd_field f);
const char *qmd_version_name(enum qmd_version v); /* "V03_00" */
unsigned qmd_dwords(enum qmd_version v);          /* 64 or 96 */
static inline int qmd_has(enum qmd_version v, enum qmd_field f)
{
    return qmd_place(v, f)->count != 0;
}

/* Element i of a field; 0 where the version does not have it. */
uint64_t qmd_get(enum qmd_version v, const uint32_t *q, enum qmd_field f, unsigned i);
/* -ENOENT: the version has no such field or element; -ERANGE: the value does not fit. q is then untouched. */
int qmd_set(enum qmd_version v, uint32_t *q, enum qmd_field f, unsigned i, uint64_t value);
/* Bits of dword i that no field of the version names. */
uint32_t qmd_unknown(enum qmd_version v, const uint32_t *q, unsigned i);
/* The version that a QMD of at least `dwords` dwords says it is, out of a set (bit v: version v, as
 * nv_arch.qmds); -EINVAL with text that gives the version found and those expected. */
int qmd_version_of(const uint32_t *q, unsigned dwords, uint32_t set);

/* Byte addresses and byte sizes, whatever the version's units. Units and limits are checked by qmd_pack. */
struct qmd_launch {
    uint64_t program;
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* versions 4 and 5; 0 = no clusters */
    uint32_t registers, barriers, sass_version, group;
    uint32_t shared, local_low, local_high;   /* bytes; shared: as the field says, with NV_SHARED_RESERVED */
    uint32_t smem_min, smem_max, smem_target; /* KiB / 4 + 1 */
    uint32_t membar, invalidate; /* invalidate: bits texture header, sampler, texture data, shader data,
                                    instruction, constant cache */
    uint32_t no_call_limit, sampler_index;
    struct {
        uint64_t va;
        uint32_t size; /* bytes, rounded up to 16 */
        uint8_t valid, invalidate;
    } bank[8];
    struct {
        uint64_t va, payload;
        uint8_t enable, size, payload64, membar, reduce, op, format, trap;
    } release[3]; /* Turing has two, with 32-bit payloads */
    struct {
        uint64_t va;
        uint8_t enable, action, prefetch;
    } dependent[2]; /* Turing has one */
};
/* Clears q[qmd_dwords(v)] and fills it, version fields included. -ERANGE with text: something does not fit
 * the version. */
int qmd_pack(enum qmd_version v, uint32_t *q, const struct qmd_launch *l);
void qmd_unpack(enum qmd_version v, const uint32_t *q, struct qmd_launch *l);
#endif
