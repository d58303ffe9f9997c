#include "base/bits.h"
#include "base/err.h"
#include "test/test.h"

TEST(fail_returns_value_and_text)
{
    CHECK_EQ(fail(-EINVAL, "queue size %u is not a power of two", 3u), -EINVAL);
    CHECK_STR(fail_text(), "queue size 3 is not a power of two");
    fail_in(-EINVAL, "device %s", "soft:gfx1100");
    CHECK_STR(fail_text(), "device soft:gfx1100: queue size 3 is not a power of two");
}
TEST(bit_helpers)
{
    CHECK_EQ(bits(0xf0, 7, 4), 15);
    CHECK_EQ(bits(~0ull, 63, 0), ~0ull);
    CHECK_EQ(sext(0xfff, 12), -1);
    CHECK_EQ(align_up(4097, 4096), 8192);
    uint32_t one = 1;
    CHECK_EQ(*(unsigned char *)&one, 1); /* little-endian host */
}
int main(void)
{
    RUN(fail_returns_value_and_text);
    RUN(bit_helpers);
    return test_done();
}
