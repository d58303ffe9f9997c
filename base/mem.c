#include "base/mem.h"
#include "base/err.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_uint asked, fail_on;

unsigned mem_fail_at(unsigned n)
{
    atomic_store(&fail_on, n);
    return atomic_exchange(&asked, 0);
}

static void *result(void *p, size_t size)
{
    if (!p)
        fail(-ENOMEM, "out of memory: %zu bytes", size);
    return p;
}

static int refused(void)
{
    unsigned n = atomic_fetch_add(&asked, 1) + 1;
    return n == atomic_load(&fail_on);
}

void *mem_alloc(size_t size)
{
    return result(refused() ? NULL : calloc(1, size ? size : 1), size);
}

void *mem_array(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return result(NULL, SIZE_MAX);
    return mem_alloc(total);
}

void *mem_resize(void *p, size_t size)
{
    return result(refused() ? NULL : realloc(p, size ? size : 1), size);
}

char *mem_text(const void *text, size_t size)
{
    char *p = mem_alloc(size + 1);
    if (p && size)
        memcpy(p, text, size);
    return p;
}

void mem_free(void *p)
{
    free(p);
}
