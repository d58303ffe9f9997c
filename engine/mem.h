/* A GPU address space as the engine sees it: a sorted table of mapped ranges, each backed by host memory. The
 * emulated driver (soft/) adds and removes ranges; the engine, the copy engines and the command processors
 * resolve addresses here. Nothing is ever read or written outside a range. Threads: look-ups may come from
 * several threads; a change must not run beside look-ups of the same map (the driver waits for, or stops, the
 * queues first).
 */
#ifndef NX_ENGINE_MEM_H
#define NX_ENGINE_MEM_H
#include <stddef.h>
#include <stdint.h>

enum { MEM_READ = 1, MEM_WRITE = 2, MEM_EXEC = 4 };

struct mem_range {
    uint64_t va, size; /* bytes, page aligned */
    uint8_t *host;     /* host address of va */
    uint32_t prot;     /* MEM_* */
    uint32_t tag;      /* the driver's own (buffer index) */
};

struct mem_map;
struct mem_map *mem_map_new(void); /* NULL: out of memory */
void mem_map_free(struct mem_map *m);
/* -EEXIST when it overlaps a mapped range (the text names both), -ENOMEM. */
int mem_map_add(struct mem_map *m, const struct mem_range *r);
/* Removes the range that starts at va; -ENOENT. */
int mem_map_remove(struct mem_map *m, uint64_t va);
/* The range that holds va, or NULL. Valid until the map changes. */
const struct mem_range *mem_find(const struct mem_map *m, uint64_t va);
/* The range whose host memory holds `host`, or NULL (slow: for faults). */
const struct mem_range *mem_find_host(const struct mem_map *m, const void *host);
/* Changes with every add and remove (for caches of look-ups). */
uint64_t mem_generation(const struct mem_map *m);

/* Host address of [va, va + n) when all of it is mapped with `prot` in one range; else NULL. */
uint8_t *mem_at(const struct mem_map *m, uint64_t va, uint64_t n, uint32_t prot);
/* Copies that may span several adjacent ranges. 0, or -EFAULT with *bad = first bad address (bytes before it
 * may have been written). Host faults (a user page that is gone or read-only) are caught too. */
int mem_read(const struct mem_map *m, uint64_t va, void *dst, uint64_t n, uint64_t *bad);
int mem_write(const struct mem_map *m, uint64_t va, const void *src, uint64_t n, uint64_t *bad);
int mem_copy(const struct mem_map *m, uint64_t dst, uint64_t src, uint64_t n, uint64_t *bad);
/* Fills n bytes with the low `unit` (1, 2 or 4) bytes of value. */
int mem_fill(const struct mem_map *m, uint64_t va, uint32_t value, unsigned unit, uint64_t n, uint64_t *bad);

/* Runs fn(arg); a host memory fault (SIGSEGV, SIGBUS) inside it makes guard_run return -EFAULT with *bad =
 * the host address instead of killing the process; other threads' and foreign faults go to the handler that
 * was there. */
int guard_run(int (*fn)(void *arg), void *arg, uintptr_t *bad);
#endif
