/* Heap memory with a switch that makes a chosen allocation fail, so that tests reach every out-of-memory
 * path. Not for: GPU memory. Thread-safe. NULL means out of memory, and the error text then says how much was
 * asked for.
 */
#ifndef NX_BASE_MEM_H
#define NX_BASE_MEM_H
#include <stddef.h>

/* size bytes of zeros; size 0 gives a valid pointer. */
void *mem_alloc(size_t size) __attribute__((malloc, warn_unused_result));
/* count * size bytes of zeros, NULL also when the product overflows. */
void *mem_array(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
/* As realloc: on NULL the old memory is still there. New bytes are not cleared. */
void *mem_resize(void *p, size_t size) __attribute__((warn_unused_result));
/* A copy of size bytes with a NUL behind it. */
char *mem_text(const void *text, size_t size) __attribute__((malloc, warn_unused_result));
void mem_free(void *p);

/* Tests: the n-th allocation from now on fails, once (1 = the next, 0 = none); returns how many were asked
 * for since the last call. The count is of the whole process. */
unsigned mem_fail_at(unsigned n);
#endif
