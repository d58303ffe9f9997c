/* Reads MessagePack held in memory, one value after another, without building anything. Every length is
 * checked against what is left, so hostile input is refused, never over-read; nesting needs no stack. Not
 * for: writing. Fact source: the MessagePack specification (msgpack.org).
 *
 * A cursor stands before a value. Of an array or a map msgpack_next() takes only the head: its `count`
 * elements (a map: count keys and values in turn) follow.
 */
#ifndef NX_BASE_MSGPACK_H
#define NX_BASE_MSGPACK_H
#include <stddef.h>
#include <stdint.h>

struct msgpack {
    const uint8_t *at, *end;
};
enum msgpack_type { MP_NIL, MP_BOOL, MP_INT, MP_UINT, MP_FLOAT, MP_STR, MP_BIN, MP_ARRAY, MP_MAP, MP_EXT };
struct msgpack_value {
    enum msgpack_type type;
    uint32_t count;      /* MP_ARRAY elements, MP_MAP pairs, MP_STR MP_BIN MP_EXT bytes at data */
    const uint8_t *data; /* not NUL-terminated */
    union {
        uint64_t u; /* MP_UINT, MP_BOOL */
        int64_t i;  /* MP_INT: negative ones only */
        double f;
    };
};

static inline struct msgpack msgpack_open(const void *data, size_t size)
{
    return (struct msgpack){data, (const uint8_t *)data + size};
}
/* Takes one value (or head). -EINVAL: malformed or cut short. */
int msgpack_next(struct msgpack *m, struct msgpack_value *v);
/* Steps over one value with all that is in it. */
int msgpack_skip(struct msgpack *m);

/* The cursor stands before a map (not moved): sets *value before the value of a key. -ENOENT: no such key, or
 * not a map; -EINVAL: malformed. */
int msgpack_find(const struct msgpack *map, const char *key, struct msgpack *value);

/* Value of a map's key as an unsigned integer or text. -ENOENT, -EINVAL as above, -EINVAL also for another
 * type. */
int msgpack_find_uint(const struct msgpack *map, const char *key, uint64_t *out);
int msgpack_find_text(const struct msgpack *map, const char *key, const char **text, uint32_t *size);
/* Value of a map's key as an array: its count, and the cursor before its first element. */
int msgpack_find_array(const struct msgpack *map, const char *key, struct msgpack *first, uint32_t *count);
#endif
