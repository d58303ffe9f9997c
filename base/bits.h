/* Bit and byte helpers shared by every room. No state. */
#ifndef NX_BASE_BITS_H
#define NX_BASE_BITS_H
#include <stdint.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Bits hi..lo (both included, hi - lo < 64) of v. */
static inline uint64_t bits(uint64_t v, unsigned hi, unsigned lo)
{
    return (v >> lo) & (~0ull >> (63 - (hi - lo)));
}
/* Sign-extends the low `width` bits (1..64). */
static inline int64_t sext(uint64_t v, unsigned width)
{
    return (int64_t)(v << (64 - width)) >> (64 - width);
}
static inline uint64_t align_up(uint64_t v, uint64_t a) /* a: power of two */
{
    return (v + a - 1) & ~(a - 1);
}
static inline int is_pow2(uint64_t v)
{
    return v && !(v & (v - 1));
}
static inline uint32_t lo32(uint64_t v)
{
    return (uint32_t)v;
}
static inline uint32_t hi32(uint64_t v)
{
    return (uint32_t)(v >> 32);
}
/* Unaligned little-endian loads; every host we build on is little-endian (asserted in err.c's unit test). */
static inline uint16_t load16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}
static inline uint32_t load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}
static inline uint64_t load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}
static inline void store32(void *p, uint32_t v)
{
    memcpy(p, &v, 4);
}
static inline void store64(void *p, uint64_t v)
{
    memcpy(p, &v, 8);
}
#endif
