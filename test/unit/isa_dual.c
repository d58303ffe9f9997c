/* Dual-issue pairs whose halves take the constant K: it belongs to v_fmaak and v_fmamk, in either half or in
 * both. Words: llvm-mc 19 from the text beside them. Found through tinygrad's sine, which used the first pair. */
#include "isa/amd/amd.h"
#include "test/unit/engine_rig.h"

static const uint32_t words[] = {
    0x7e0c0d00, 0x060e0cf2, 0x30020082, /* v6 = lane, v7 = lane + 1, v1 = 4 * lane */
    0xc8420c00, 0x08080e00, 0x40200000, /* fmaak v8, s0, v6, K :: fmaak v9, s0, v7, K */
    0xc8440c00, 0x0a0a0e00, 0x40200000, /* fmaak v10, s0, v6, K :: fmamk v11, s0, K, v7 */
    0xc8820c00, 0x0c0c0e00, 0x40200000, /* fmamk v12, s0, K, v6 :: fmaak v13, s0, v7, K */
    0xc8840c00, 0x0e0e0e00, 0x40200000, /* fmamk v14, s0, K, v6 :: fmamk v15, s0, K, v7 */
    0xc8c40c00, 0x10100f06, 0x40200000, /* mul v16, s0, v6 :: fmamk v17, v6, K, v7 */
    0xc8500f06, 0x12120107, 0x40200000, /* fmaak v18, v6, v7, K :: mov v19, v7 */
    /* v8 ... v19 to data, 128 bytes each */
    0xdc6a0000, 0x00020801, 0xdc6a0080, 0x00020901, 0xdc6a0100, 0x00020a01, 0xdc6a0180, 0x00020b01,
    0xdc6a0200, 0x00020c01, 0xdc6a0280, 0x00020d01, 0xdc6a0300, 0x00020e01, 0xdc6a0380, 0x00020f01,
    0xdc6a0400, 0x00021001, 0xdc6a0480, 0x00021101, 0xdc6a0500, 0x00021201, 0xdc6a0580, 0x00021301,
    0xbfb00000};

static void init(struct wave *w, const uint32_t size[3])
{
    (void)size;
    w->s[0] = 0x3f000000; /* 0.5 */
    w->s[2] = RIG_DATA;
}

TEST(constants_of_dual_pairs)
{
    rig_open(32);
    rig.l.isa = amd_isa(AMD_GFX1100);
    rig.init = init;
    memcpy(rig.code, words, sizeof words);
    struct eng_fault f = {0};
    CHECK_EQ(rig_run(&f, NULL), ENG_DONE);
    CHECK_STR(f.what, "");
    const float k = 2.5f, s = 0.5f, *d = (const float *)rig.data;
    for (unsigned i = 0; i < 32; i++) {
        const float a = (float)i, b = a + 1;
        const float want[] = {s * a + k, s * b + k, s * a + k, s * k + b, s * k + a, s * b + k,
                              s * k + a, s * k + b, s * a,     a * k + b, a * b + k, b};
        for (unsigned r = 0; r < 12; r++)
            if (d[r * 32 + i] != want[r])
                printf("  v%u lane %u\n", 8 + r, i), test_bad++;
    }
    rig_close();
}

int main(void)
{
    RUN(constants_of_dual_pairs);
    return test_done();
}
