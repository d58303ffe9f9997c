#include "base/msgpack.h"
#include "base/err.h"
#include <string.h>

/* n big-endian bytes, n <= 8; the caller has checked that they are there */
static uint64_t big(const uint8_t *p, unsigned n)
{
    uint64_t v = 0;
    while (n--)
        v = v << 8 | *p++;
    return v;
}

static int body(struct msgpack *m, struct msgpack_value *v, enum msgpack_type type, uint64_t size)
{
    if (size > (uint64_t)(m->end - m->at))
        return fail(-EINVAL, "msgpack: %llu bytes announced, %zu left", (unsigned long long)size,
                    (size_t)(m->end - m->at));
    v->type = type;
    v->data = m->at;
    v->count = (uint32_t)size;
    m->at += size;
    return 0;
}

static void integer(struct msgpack_value *v, int64_t i)
{
    v->type = i < 0 ? MP_INT : MP_UINT;
    v->i = i;
}

/* what the tags 0xc0..0xdf mean: bytes of the number that follows, and of what kind */
static const struct tag {
    uint8_t bytes, kind;
} tags[32] = {
#define T(tag, bytes, kind) [tag - 0xc0] = {bytes, kind}
    T(0xc0, 0, 'n'), T(0xc2, 0, 'b'), T(0xc3, 0, 'b'), T(0xc4, 1, 'B'), T(0xc5, 2, 'B'), T(0xc6, 4, 'B'),
    T(0xc7, 1, 'x'), T(0xc8, 2, 'x'), T(0xc9, 4, 'x'), T(0xca, 4, 'f'), T(0xcb, 8, 'f'), T(0xcc, 1, 'u'),
    T(0xcd, 2, 'u'), T(0xce, 4, 'u'), T(0xcf, 8, 'u'), T(0xd0, 1, 'i'), T(0xd1, 2, 'i'), T(0xd2, 4, 'i'),
    T(0xd3, 8, 'i'), T(0xd4, 0, 'X'), T(0xd5, 0, 'X'), T(0xd6, 0, 'X'), T(0xd7, 0, 'X'), T(0xd8, 0, 'X'),
    T(0xd9, 1, 's'), T(0xda, 2, 's'), T(0xdb, 4, 's'), T(0xdc, 2, 'a'), T(0xdd, 4, 'a'), T(0xde, 2, 'm'),
    T(0xdf, 4, 'm'),
#undef T
};

static int tagged(struct msgpack *m, struct msgpack_value *v, uint8_t t)
{
    const struct tag *tag = &tags[t - 0xc0];
    if (!tag->kind)
        return fail(-EINVAL, "msgpack: tag 0x%02x is reserved", t);
    if (tag->bytes > m->end - m->at)
        return fail(-EINVAL, "msgpack: cut short after tag 0x%02x", t);
    uint64_t n = big(m->at, tag->bytes);
    m->at += tag->bytes;
    unsigned unused = 64 - 8 * tag->bytes;
    switch (tag->kind) {
    case 'n':
        v->type = MP_NIL;
        return 0;
    case 'b':
        v->type = MP_BOOL, v->u = t & 1;
        return 0;
    case 'u':
        v->type = MP_UINT, v->u = n;
        return 0;
    case 'i':
        integer(v, (int64_t)(n << unused) >> unused);
        return 0;
    case 'f':
        v->type = MP_FLOAT;
        if (tag->bytes == 4) {
            float f;
            uint32_t w = (uint32_t)n;
            memcpy(&f, &w, 4);
            v->f = (double)f;
        } else {
            memcpy(&v->f, &n, 8);
        }
        return 0;
    case 's':
        return body(m, v, MP_STR, n);
    case 'B':
        return body(m, v, MP_BIN, n);
    case 'x':
        return body(m, v, MP_EXT, n + 1); /* the first byte is the extension's type */
    case 'X':
        return body(m, v, MP_EXT, (1u << (t - 0xd4)) + 1);
    case 'a':
        v->type = MP_ARRAY, v->count = (uint32_t)n;
        return 0;
    default:
        v->type = MP_MAP, v->count = (uint32_t)n;
        return 0;
    }
}

int msgpack_next(struct msgpack *m, struct msgpack_value *v)
{
    *v = (struct msgpack_value){0};
    if (m->at >= m->end)
        return fail(-EINVAL, "msgpack: cut short");
    uint8_t t = *m->at++;
    if (t < 0x80 || t >= 0xe0) {
        integer(v, (int8_t)t);
        return 0;
    }
    if (t < 0x90) {
        v->type = MP_MAP, v->count = t & 15;
        return 0;
    }
    if (t < 0xa0) {
        v->type = MP_ARRAY, v->count = t & 15;
        return 0;
    }
    if (t < 0xc0)
        return body(m, v, MP_STR, t & 31);
    return tagged(m, v, t);
}

int msgpack_skip(struct msgpack *m)
{
    /* every value takes at least a byte, so this ends however large the counts are */
    for (uint64_t left = 1; left; left--) {
        struct msgpack_value v;
        int rc = msgpack_next(m, &v);
        if (rc)
            return rc;
        if (v.type == MP_ARRAY)
            left += v.count;
        else if (v.type == MP_MAP)
            left += 2ull * v.count;
    }
    return 0;
}

int msgpack_find(const struct msgpack *map, const char *key, struct msgpack *value)
{
    struct msgpack m = *map;
    struct msgpack_value v;
    int rc = msgpack_next(&m, &v);
    if (rc)
        return rc;
    if (v.type != MP_MAP)
        return fail(-ENOENT, "msgpack: no map, so no %s", key);
    for (uint32_t n = v.count; n; n--) {
        struct msgpack_value k;
        struct msgpack at_key = m;
        if ((rc = msgpack_next(&at_key, &k)) || (rc = msgpack_skip(&m)))
            return rc;
        if (k.type == MP_STR && k.count == strlen(key) && !memcmp(k.data, key, k.count)) {
            *value = m;
            return 0;
        }
        if ((rc = msgpack_skip(&m)))
            return rc;
    }
    return fail(-ENOENT, "msgpack: no %s", key);
}

static int find_value(const struct msgpack *map, const char *key, struct msgpack *at, struct msgpack_value *v)
{
    int rc = msgpack_find(map, key, at);
    return rc ? rc : msgpack_next(at, v);
}

int msgpack_find_uint(const struct msgpack *map, const char *key, uint64_t *out)
{
    struct msgpack at;
    struct msgpack_value v;
    int rc = find_value(map, key, &at, &v);
    if (rc)
        return rc;
    if (v.type != MP_UINT && v.type != MP_BOOL)
        return fail(-EINVAL, "msgpack: %s is not an unsigned integer", key);
    *out = v.u;
    return 0;
}

int msgpack_find_text(const struct msgpack *map, const char *key, const char **text, uint32_t *size)
{
    struct msgpack at;
    struct msgpack_value v;
    int rc = find_value(map, key, &at, &v);
    if (rc)
        return rc;
    if (v.type != MP_STR)
        return fail(-EINVAL, "msgpack: %s is not text", key);
    *text = (const char *)v.data;
    *size = v.count;
    return 0;
}

int msgpack_find_array(const struct msgpack *map, const char *key, struct msgpack *first, uint32_t *count)
{
    struct msgpack_value v;
    int rc = find_value(map, key, first, &v);
    if (rc)
        return rc;
    if (v.type != MP_ARRAY)
        return fail(-EINVAL, "msgpack: %s is not an array", key);
    *count = v.count;
    return 0;
}
