#define _GNU_SOURCE /* memmem */
#include "amd/bundle.h"
#include "base/bits.h"
#include "base/err.h"
#include "base/mem.h"
#include <dlfcn.h>
#include <stdio.h>

#define MAGIC      "__CLANG_OFFLOAD_BUNDLE__"
#define COMPRESSED "CCOB"
enum { MAGIC_SIZE = sizeof MAGIC - 1, UNPACKED_MAX = 1 << 30 };

int bundle_kind(const void *image, size_t size)
{
    if (size >= MAGIC_SIZE && !memcmp(image, MAGIC, MAGIC_SIZE))
        return 1;
    return size >= 8 && !memcmp(image, COMPRESSED, 4) ? 2 : 0;
}

/* ---- compressed ---- */

static int unpack_zlib(void *lib, void *to, size_t to_size, const void *from, size_t from_size)
{
    int (*uncompress)(void *, unsigned long *, const void *, unsigned long) = dlsym(lib, "uncompress");
    unsigned long n = to_size;
    return uncompress && uncompress(to, &n, from, from_size) == 0 && n == to_size;
}

static int unpack_zstd(void *lib, void *to, size_t to_size, const void *from, size_t from_size)
{
    size_t (*decompress)(void *, size_t, const void *, size_t) = dlsym(lib, "ZSTD_decompress");
    return decompress && decompress(to, to_size, from, from_size) == to_size;
}

static const struct method {
    const char *name, *library;
    int (*unpack)(void *lib, void *to, size_t to_size, const void *from, size_t from_size);
} methods[] = {{"zlib", "libz.so.1", unpack_zlib}, {"zstd", "libzstd.so.1", unpack_zstd}};

static int unpack(const uint8_t *image, size_t size, void **out, size_t *out_size)
{
    static const struct header {
        unsigned size, unpacked_at, wide;
    } headers[] = {{20, 8, 0}, {24, 12, 0}, {32, 16, 1}};
    unsigned version = load16(image + 4), method = load16(image + 6);
    if (!version || version > ARRAY_LEN(headers))
        return fail(-ENOTSUP, "compressed bundle of version %u: 1 to 3 are known", version);
    if (method >= ARRAY_LEN(methods))
        return fail(-ENOTSUP, "compressed bundle uses method %u: 0 zlib and 1 zstd are known", method);
    const struct header *h = &headers[version - 1];
    if (size < h->size)
        return fail(-ENOEXEC, "compressed bundle is cut short: %zu bytes", size);
    uint64_t n = h->wide ? load64(image + h->unpacked_at) : load32(image + h->unpacked_at);
    if (!n || n > UNPACKED_MAX)
        return fail(-ENOEXEC, "compressed bundle claims %llu bytes unpacked, at most %d",
                    (unsigned long long)n, UNPACKED_MAX);
    const struct method *m = &methods[method];
    void *lib = dlopen(m->library, RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return fail(-ENOTSUP,
                    "bundle is compressed with %s and %s is not installed: install it, or unpack the bundle "
                    "(clang-offload-bundler --unbundle)",
                    m->name, m->library);
    int rc = 0;
    *out = mem_alloc(n);
    if (!*out) {
        rc = -ENOMEM;
    } else if (!m->unpack(lib, *out, n, image + h->size, size - h->size)) {
        mem_free(*out);
        *out = NULL;
        rc = fail(-ENOEXEC, "compressed bundle: %s finds the data damaged", m->name);
    }
    dlclose(lib);
    *out_size = n;
    return rc;
}

/* ---- plain ---- */

struct entry {
    const char *id;
    size_t id_size;
    uint64_t offset, size;
};

/* Reads the entry at *at and steps over it. */
static int next_entry(const uint8_t *image, size_t size, uint64_t *at, struct entry *e)
{
    if (size - *at < 24)
        return fail(-ENOEXEC, "offload bundle is cut short in its table");
    e->offset = load64(image + *at);
    e->size = load64(image + *at + 8);
    e->id_size = load64(image + *at + 16);
    *at += 24;
    if (e->id_size > size - *at)
        return fail(-ENOEXEC, "offload bundle is cut short in its table");
    e->id = (const char *)image + *at;
    *at += e->id_size;
    if (e->offset > size || e->size > size - e->offset)
        return fail(-ENOEXEC, "offload bundle: entry of %llu bytes at %llu lies outside its %zu bytes",
                    (unsigned long long)e->size, (unsigned long long)e->offset, size);
    return 0;
}

/* "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-" -> target; 0 when the entry is for something else */
static int entry_target(const struct entry *e, struct amd_target *t)
{
    static const char triple[] = "amdgcn-amd-amdhsa";
    const char *p = memmem(e->id, e->id_size, triple, sizeof triple - 1);
    if (!p)
        return 0;
    p += sizeof triple - 1;
    const char *end = e->id + e->id_size;
    while (p < end && *p == '-')
        p++;
    return p < end && amd_target_of_name(p, (size_t)(end - p), t) == 0;
}

static int pick(const uint8_t *image, size_t size, const struct amd_target *device, struct entry *best)
{
    char have[400] = "", text[64];
    size_t n = 0;
    int fit = 0;
    uint64_t at = MAGIC_SIZE + 8;
    if (size < at)
        return fail(-ENOEXEC, "offload bundle is cut short: %zu bytes", size);
    for (uint64_t left = load64(image + MAGIC_SIZE); left; left--) {
        struct entry e;
        struct amd_target t;
        int rc = next_entry(image, size, &at, &e), f;
        if (rc)
            return rc;
        if (!entry_target(&e, &t))
            continue;
        if (n < sizeof have)
            n += (size_t)snprintf(have + n, sizeof have - n, "%s%.*s", n ? ", " : "",
                                  (int)(e.id_size < 64 ? e.id_size : 64), e.id);
        if ((f = amd_target_fit(&t, device)) > fit)
            fit = f, *best = e;
    }
    if (fit)
        return 0;
    amd_target_print(device, text, sizeof text);
    return fail(-ENOEXEC, "offload bundle has nothing for %s, it has: %s", text,
                *have ? have : "no AMD code");
}

int bundle_pick(const void *image, size_t size, const struct amd_target *device, const void **object,
                size_t *object_size, void **owned)
{
    int rc;
    struct entry e = {0};
    *owned = NULL;
    if (bundle_kind(image, size) == 2) {
        size_t unpacked = 0;
        if ((rc = unpack(image, size, owned, &unpacked)))
            return rc;
        image = *owned;
        size = unpacked;
        rc = bundle_kind(image, size) == 1 ? 0 : fail(-ENOEXEC, "compressed bundle does not hold a bundle");
    } else {
        rc = bundle_kind(image, size) == 1 ? 0 : fail(-EINVAL, "not an offload bundle");
    }
    if (!rc)
        rc = pick(image, size, device, &e);
    if (rc) {
        mem_free(*owned);
        *owned = NULL;
        return rc;
    }
    *object = (const uint8_t *)image + e.offset;
    *object_size = e.size;
    return 0;
}
