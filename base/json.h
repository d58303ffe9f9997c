/* A small JSON writer on a FILE: commas, nesting and escapes are taken care of; nothing is kept in memory.
 *     struct json j = json_begin(stdout);
 *     json_object(&j, NULL); json_str(&j, "device", name); json_array(&j, "runs"); json_u64(&j, NULL, 3);
 *     json_close(&j); json_close(&j); json_end(&j);
 * key is NULL inside an array and at the top. Strings are taken as bytes: control characters and bytes that
 * are not UTF-8 come out as \u escapes. Not here: a reader. Not thread-safe on one struct.
 */
#ifndef NX_BASE_JSON_H
#define NX_BASE_JSON_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *f;
    uint64_t array; /* bit d: depth d is an array */
    unsigned depth; /* at most 63 */
    bool comma;
};

static inline struct json json_begin(FILE *f)
{
    return (struct json){.f = f};
}
void json_object(struct json *j, const char *key);
void json_array(struct json *j, const char *key);
void json_close(struct json *j); /* the innermost object or array */
void json_end(struct json *j);   /* closes whatever is open and ends the line */

void json_str(struct json *j, const char *key, const char *s); /* s == NULL: null */
void json_strf(struct json *j, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_hex(struct json *j, const char *key, uint64_t v); /* "0x1f" */
void json_f64(struct json *j, const char *key, double v);   /* null when not finite */
void json_bool(struct json *j, const char *key, bool v);
#endif
