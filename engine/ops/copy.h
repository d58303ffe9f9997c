/* Copies of whole lane arrays as straight-line vector moves: compilers turn a loop or memcpy of this size into
 * a call or `rep movs`, which costs more than the rest of an operation.
 */
#ifndef NX_ENGINE_OPS_COPY_H
#define NX_ENGINE_OPS_COPY_H
#include <stdint.h>

typedef uint32_t lanes8 __attribute__((vector_size(32), aligned(1), may_alias));

/* n lanes (a constant multiple of 16); the arrays do not overlap, or are the same. */
static inline __attribute__((always_inline)) void lanes_copy(void *to, const void *from, unsigned n)
{
    lanes8 *d = to;
    const lanes8 *s = from;
    for (unsigned i = 0; i < n / 8; i += 2) {
        lanes8 a = s[i], b = s[i + 1];
        d[i] = a;
        d[i + 1] = b;
    }
}
#endif
