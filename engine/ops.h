/* The canonical operations: their names, types and exactness, and the functions that execute them. Rows are
 * in engine/ops*.def; the names are AMD's gfx11 mnemonics (gfx12's where new) without encoding suffix; other
 * generations and instruction sets map theirs to these (isa/). Memory operations have no address-mode prefix:
 * global_load_b32 and ds_load_b32 are both load_b32 with another lane_insn.addr.
 */
#ifndef NX_ENGINE_OPS_H
#define NX_ENGINE_OPS_H
#include "engine/lane.h"

/* OP(name, class, d, d2, s0, s1, s2, s3, exactness): lane types without LT_, class without LC_. One file an
 * area. */
enum lane_op {
#define OP(name, cls, d, d2, s0, s1, s2, s3, exact) OP_##name,
#include "engine/ops.def"
#undef OP
    OP_COUNT
};
enum lane_class { LC_VALU, LC_VCMP, LC_SALU, LC_MEM, LC_CTRL, LC_LANE, LC_MATRIX };
enum { EXACT = 0, APPROX = 255 }; /* in between: units in the last place */

struct lane_op_info {
    const char *name;
    uint8_t cls, d, d2, s[4]; /* enum lane_class, enum lane_type */
    uint8_t exact;
};
extern const struct lane_op_info lane_ops[OP_COUNT];

/* Operation by canonical name, or -1. Thread-safe. */
int lane_op_find(const char *name);
/* The function of an operation at a wave width (32 or 64) for this CPU; NULL when none is written.
 * Thread-safe. */
lane_fn *lane_op_fn(unsigned op, unsigned width);

/* Each file in engine/ops/ is compiled once per CPU variant (VARIANT = base, v3, ...) and exports one table,
 * ended by a row with fn32 = NULL: const struct lane_op_row OPS_TABLE(valu_int)[] = {{OP_v_add_nc_u32, f32,
 * f64}, ...}; */
struct lane_op_row {
    uint16_t op;
    lane_fn *fn32, *fn64;
};
#define OPS_TABLE_(name, variant)  ops_##name##_##variant
#define OPS_TABLE_X(name, variant) OPS_TABLE_(name, variant)
#define OPS_TABLE(name)            OPS_TABLE_X(name, VARIANT)
#endif
