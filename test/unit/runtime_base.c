/* base/mem and base/msgpack. Witness for msgpack: the byte values printed in the MessagePack specification.
 */
#include "base/err.h"
#include "base/mem.h"
#include "base/msgpack.h"
#include "test/test.h"

TEST(the_chosen_allocation_fails_once)
{
    mem_fail_at(2);
    void *a = mem_alloc(8), *b = mem_alloc(8), *c = mem_alloc(8);
    CHECK(a && !b && c);
    CHECK_STR(fail_text(), "out of memory: 8 bytes");
    CHECK_EQ(mem_fail_at(0), 3);
    mem_free(a), mem_free(c);
    CHECK(!mem_array(1ull << 40, 1ull << 40));
    mem_fail_at(0);
}

static struct msgpack_value one(const char *bytes, size_t size, int want)
{
    struct msgpack m = msgpack_open(bytes, size);
    struct msgpack_value v = {0};
    CHECK_EQ(msgpack_next(&m, &v), want);
    return v;
}
#define ONE(s)    one(s, sizeof(s) - 1, 0)
#define REFUSE(s) one(s, sizeof(s) - 1, -EINVAL)

TEST(every_msgpack_tag)
{
    CHECK_EQ(ONE("\x7f").u, 127);
    CHECK_EQ(ONE("\xff").i, -1);
    CHECK_EQ(ONE("\xc3").u, 1);
    CHECK_EQ(ONE("\xc0").type, MP_NIL);
    CHECK_EQ(ONE("\xcd\x01\x02").u, 0x102);
    CHECK_EQ(ONE("\xcf\x01\x02\x03\x04\x05\x06\x07\x08").u, 0x102030405060708ull);
    CHECK_EQ(ONE("\xd1\xff\xfe").i, -2);
    CHECK_EQ(ONE("\xd0\x05").type, MP_UINT);
    CHECK(ONE("\xca\x3f\x80\0\0").f == 1.0);
    CHECK(ONE("\xcb\x40\0\0\0\0\0\0\0").f == 2.0);
    CHECK_EQ(ONE("\xa3xyz").count, 3);
    CHECK_EQ(ONE("\xda\0\3xyz").data[2], 'z');
    CHECK_EQ(ONE("\xc4\2ab").type, MP_BIN);
    CHECK_EQ(ONE("\xd5\1ab").count, 3);
    CHECK_EQ(ONE("\xc7\2\1ab").count, 3);
    CHECK_EQ(ONE("\xdd\0\1\0\0").count, 65536);
    CHECK_EQ(ONE("\x83").type, MP_MAP);
    REFUSE("");
    REFUSE("\xc1");
    REFUSE("\xcd\x01");
    REFUSE("\xa3xy");
    REFUSE("\xdb\xff\xff\xff\xff");
}

TEST(find_in_maps)
{
    /* {"a": [1, {"x": 2}], 7: nil, "name": "gfx", "n": 300} */
    static const char doc[] = "\x84\xa1"
                              "a\x92\x01\x81\xa1x\x02\x07\xc0\xa4name\xa3gfx\xa1n\xcd\x01\x2c";
    struct msgpack m = msgpack_open(doc, sizeof doc - 1), at, item;
    uint64_t u;
    const char *text;
    uint32_t size;
    CHECK_EQ(msgpack_find_uint(&m, "n", &u), 0);
    CHECK_EQ(u, 300);
    CHECK_EQ(msgpack_find_text(&m, "name", &text, &size), 0);
    CHECK(size == 3 && !memcmp(text, "gfx", 3));
    CHECK_EQ(msgpack_find_array(&m, "a", &item, &size), 0);
    CHECK_EQ(size, 2);
    CHECK_EQ(msgpack_skip(&item), 0);
    CHECK_EQ(msgpack_find_uint(&item, "x", &u), 0);
    CHECK_EQ(u, 2);
    CHECK_EQ(msgpack_find(&m, "x", &at), -ENOENT);
    CHECK_EQ(msgpack_find_uint(&m, "name", &u), -EINVAL);
    for (size_t n = 0; n < sizeof doc - 1; n++) { /* every cut is refused */
        struct msgpack cut = msgpack_open(doc, n);
        CHECK_EQ(msgpack_skip(&cut), -EINVAL);
    }
    CHECK_EQ(msgpack_skip(&m), 0);
    CHECK(m.at == m.end);
}

int main(void)
{
    RUN(the_chosen_allocation_fails_once);
    RUN(every_msgpack_tag);
    RUN(find_in_maps);
    return test_done();
}
