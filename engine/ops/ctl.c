/* The engine's own control operation. */
#include "engine/ops.h"
#include "engine/wave.h"

/* Goes on at this instruction's own address (it has size 0): ends a block whose successor is elsewhere. It is
 * no instruction of the program, so it is not counted. */
static int eng_goto(struct wave *w, const struct lane_insn *in)
{
    w->insns--;
    if (in->target >= 0) {
        w->ip = w->code + in->target;
        return WAVE_GO;
    }
    w->pc = wave_pc_of(w, in);
    return WAVE_LOOKUP;
}

extern const struct lane_op_row OPS_TABLE(ctl)[];
const struct lane_op_row OPS_TABLE(ctl)[] = {
    {OP_eng_goto, eng_goto, eng_goto},
    {0, 0, 0},
};
