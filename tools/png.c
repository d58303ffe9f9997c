#include "tools/png.h"
#include "base/err.h"
#include <stdio.h>
#include <string.h>

struct png {
    FILE *f;
    uint32_t crc;
};

static void put(struct png *p, const void *data, size_t size)
{
    const uint8_t *b = data;
    for (size_t i = 0; i < size; i++) {
        p->crc ^= b[i];
        for (int bit = 0; bit < 8; bit++)
            p->crc = p->crc >> 1 ^ (p->crc & 1 ? 0xedb88320u : 0);
    }
    fwrite(data, 1, size, p->f);
}

static void put32(struct png *p, uint32_t v) /* big-endian */
{
    put(p, (uint8_t[]){(uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v}, 4);
}

static void chunk(struct png *p, const char *type, uint32_t size)
{
    put32(p, size);
    p->crc = ~0u;
    put(p, type, 4);
}

static void chunk_end(struct png *p)
{
    put32(p, ~p->crc);
}

/* One stored block a row: final flag, length, its complement, filter byte 0, pixels. */
static void put_pixels(struct png *p, const uint8_t *pixels, uint32_t width, uint32_t height)
{
    uint32_t a = 1, b = 0, n = width + 1;
    chunk(p, "IDAT", 2 + height * (5 + n) + 4);
    put(p, "\x78\x01", 2);
    for (uint32_t y = 0; y < height; y++, pixels += width) {
        uint8_t head[6] = {y + 1 == height, (uint8_t)n,         (uint8_t)(n >> 8),
                           (uint8_t)~n,     (uint8_t)(~n >> 8), 0};
        put(p, head, sizeof head);
        put(p, pixels, width);
        b = (b + a) % 65521; /* the filter byte adds nothing to a */
        for (uint32_t x = 0; x < width; x++)
            a = (a + pixels[x]) % 65521, b = (b + a) % 65521;
    }
    put32(p, b << 16 | a);
    chunk_end(p);
}

int png_write(const char *path, const uint8_t *pixels, uint32_t width, uint32_t height,
              const uint8_t palette[768])
{
    if (!width || width > 65534 || !height)
        return fail(-EINVAL, "%s: a picture of %ux%u pixels", path, width, height);
    struct png p = {.f = fopen(path, "wb")};
    if (!p.f)
        return fail(-errno, "%s: %s", path, strerror(errno));
    fwrite("\x89PNG\r\n\x1a\n", 1, 8, p.f);
    chunk(&p, "IHDR", 13);
    put32(&p, width);
    put32(&p, height);
    put(&p, "\x08\x03\0\0\0", 5); /* 8 bits, palette */
    chunk_end(&p);
    chunk(&p, "PLTE", 768);
    put(&p, palette, 768);
    chunk_end(&p);
    put_pixels(&p, pixels, width, height);
    chunk(&p, "IEND", 0);
    chunk_end(&p);
    int bad = ferror(p.f);
    return fclose(p.f) || bad ? fail(-EIO, "%s: %s", path, strerror(errno)) : 0;
}
