/* Expected texts written by hand after RFC 8259. */
#include "base/json.h"
#include "test/test.h"
#include <math.h>
#include <stdlib.h>

TEST(json_writer)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    struct json j = json_begin(f);
    json_object(&j, NULL);
    json_str(&j, "a\"b", "x\\y\n\x01 \xc3\xa9 \xff \xed\xa0\x80");
    json_array(&j, "list");
    json_u64(&j, NULL, ~0ull);
    json_i64(&j, NULL, -5);
    json_object(&j, NULL);
    json_close(&j);
    json_array(&j, NULL);
    json_close(&j);
    json_hex(&j, NULL, 0x1f);
    json_close(&j);
    json_bool(&j, "t", true);
    json_f64(&j, "f", 0.5);
    json_f64(&j, "inf", INFINITY);
    json_str(&j, "none", NULL);
    json_strf(&j, "s", "%d-%s", 3, "x");
    json_end(&j);
    fclose(f);
    CHECK_STR(text, "{\"a\\\"b\": \"x\\\\y\\n\\u0001 \xc3\xa9 \\u00ff \\u00ed\\u00a0\\u0080\", "
                    "\"list\": [18446744073709551615, -5, {}, [], \"0x1f\"], \"t\": true, \"f\": 0.5, "
                    "\"inf\": null, \"none\": null, \"s\": \"3-x\"}\n");
    free(text);
}

int main(void)
{
    RUN(json_writer);
    return test_done();
}
