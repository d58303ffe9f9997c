/* Every vector operation of every table: the variants of this CPU give the same bits; lanes that are off keep
 * their registers; wave64 computes what two wave32 do. */
#include "test/unit/ops_rig.h"

static int per_lane(unsigned op)
{
    return lane_ops[op].cls == LC_VALU || lane_ops[op].cls == LC_VCMP;
}

static int same(const struct rig *a, const struct rig *b, unsigned op, const char *what)
{
    if (!memcmp(a->v, b->v, sizeof a->v) && !memcmp(a->w.s, b->w.s, sizeof a->w.s))
        return 1;
    for (unsigned i = 0; i < RIG_VREGS * LANES; i++)
        if (a->v[i] != b->v[i]) {
            printf("  %s: %s: v%u lane %u: 0x%x or 0x%x\n", lane_ops[op].name, what, i / a->w.width,
                   i % a->w.width, a->v[i], b->v[i]);
            break;
        }
    test_bad++;
    return 0;
}

static void one(unsigned op, unsigned width, uint64_t exec)
{
    static struct rig base, got, half;
    unsigned dd = rig_dwords(lane_ops[op].d);
    rig_init(&base, op, width);
    rig_fill(&base);
    wave_set_mask(&base.w, SREG_EXEC, exec);
    got = base;
    got.w.v = got.v, got.w.pool = got.pool, got.w.group = &got.group, got.group.fault = &got.fault;
    struct rig before = base;
    int r0 = rig_fn(0, op, width)(&base.w, &base.in);
    if (rig_variants() == 2) {
        int r1 = rig_fn(1, op, width)(&got.w, &got.in);
        CHECK_EQ(r0, r1);
        same(&base, &got, op, "variants differ");
    }
    if (!per_lane(op))
        return;
    for (unsigned i = 0; i < RIG_VREGS * width; i++) {
        unsigned reg = i / width, lane = i % width;
        if ((reg < RIG_DST || reg >= RIG_DST + dd || !(exec >> lane & 1)) && base.v[i] != before.v[i]) {
            printf("  %s: v%u lane %u was changed\n", lane_ops[op].name, reg, lane);
            test_bad++;
            return;
        }
    }
    if (width == 32)
        return;
    for (unsigned h = 0; h < 64; h += 32) { /* each half as a wave32 */
        rig_init(&half, op, 32);
        memcpy(half.w.s, before.w.s, sizeof half.w.s);
        for (unsigned reg = 0; reg < RIG_VREGS; reg++)
            memcpy(rig_v(&half, reg), before.v + reg * 64 + h, 128);
        if (h)
            for (unsigned s = 0; s < SREG_COUNT; s += 2)
                half.w.s[s] = before.w.s[s + 1];
        rig_fn(0, op, 32)(&half.w, &half.in);
        for (unsigned reg = 0; reg < RIG_VREGS; reg++)
            if (memcmp(rig_v(&half, reg), base.v + reg * 64 + h, 128)) {
                printf("  %s: wave64 lanes %u.. of v%u are not those of a wave32\n", lane_ops[op].name, h,
                       reg);
                test_bad++;
                return;
            }
        if (lane_ops[op].d == LT_MASK)
            CHECK_EQ(half.w.s[10], base.w.s[10 + h / 32]);
        if (lane_ops[op].d2 == LT_MASK)
            CHECK_EQ(half.w.s[12], base.w.s[12 + h / 32]);
        CHECK_EQ(half.w.s[SREG_EXEC], base.w.s[SREG_EXEC + h / 32]);
    }
}

TEST(variants_and_widths_agree)
{
    unsigned seen = 0;
    for (unsigned op = 0; op < OP_COUNT; op++) {
        unsigned c = lane_ops[op].cls;
        if ((c != LC_VALU && c != LC_VCMP && c != LC_LANE && c != LC_MATRIX) || !rig_fn(0, op, 32))
            continue;
        seen++;
        rig_seed = op;
        for (int k = 0; k < 3; k++) {
            uint64_t exec = k ? rig_random() : ~0ull;
            if (rig_fn(0, op, 32))
                one(op, 32, (uint32_t)exec);
            if (rig_fn(0, op, 64))
                one(op, 64, exec);
        }
    }
    CHECK(seen > 100);
    printf("  %u operations\n", seen);
}

/* No vector row without a function, none twice. */
TEST(every_row_has_a_function)
{
    for (unsigned op = 0; op < OP_COUNT; op++) {
        unsigned c = lane_ops[op].cls;
        if ((c == LC_VALU || c == LC_VCMP || c == LC_LANE || c == LC_MATRIX) && !rig_fn(0, op, 32) &&
            !rig_fn(0, op, 64)) {
            printf("  %s has no function\n", lane_ops[op].name);
            test_bad++;
        }
    }
}

int main(void)
{
    RUN(variants_and_widths_agree);
    RUN(every_row_has_a_function);
    return test_done();
}
