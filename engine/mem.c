#include "engine/mem.h"
#include "base/err.h"
#include <stdlib.h>
#include <string.h>

struct mem_map {
    struct mem_range *r; /* sorted by va */
    unsigned count, room;
    uint64_t generation;
};

struct mem_map *mem_map_new(void)
{
    return calloc(1, sizeof(struct mem_map));
}

void mem_map_free(struct mem_map *m)
{
    if (m)
        free(m->r);
    free(m);
}

/* Index of the first range that ends after va. */
static unsigned first_after(const struct mem_map *m, uint64_t va)
{
    unsigned lo = 0, hi = m->count;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (m->r[mid].va + (m->r[mid].size - 1) < va)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int mem_map_add(struct mem_map *m, const struct mem_range *r)
{
    if (!r->size || r->va + (r->size - 1) < r->va)
        return fail(-EINVAL, "range 0x%llx + 0x%llx is empty or wraps around", (unsigned long long)r->va,
                    (unsigned long long)r->size);
    unsigned i = first_after(m, r->va);
    if (i < m->count && m->r[i].va <= r->va + (r->size - 1))
        return fail(-EEXIST, "range 0x%llx + 0x%llx overlaps the mapped 0x%llx + 0x%llx",
                    (unsigned long long)r->va, (unsigned long long)r->size, (unsigned long long)m->r[i].va,
                    (unsigned long long)m->r[i].size);
    if (m->count == m->room) {
        unsigned room = m->room ? m->room * 2 : 16;
        struct mem_range *p = realloc(m->r, room * sizeof *p);
        if (!p)
            return fail(-ENOMEM, "no memory for %u ranges", room);
        m->r = p;
        m->room = room;
    }
    memmove(m->r + i + 1, m->r + i, (m->count - i) * sizeof *m->r);
    m->r[i] = *r;
    m->count++;
    m->generation++;
    return 0;
}

int mem_map_remove(struct mem_map *m, uint64_t va)
{
    unsigned i = first_after(m, va);
    if (i == m->count || m->r[i].va != va)
        return fail(-ENOENT, "no range starts at 0x%llx", (unsigned long long)va);
    m->count--;
    memmove(m->r + i, m->r + i + 1, (m->count - i) * sizeof *m->r);
    m->generation++;
    return 0;
}

const struct mem_range *mem_find(const struct mem_map *m, uint64_t va)
{
    unsigned i = first_after(m, va);
    return i < m->count && m->r[i].va <= va ? &m->r[i] : NULL;
}

const struct mem_range *mem_find_host(const struct mem_map *m, const void *host)
{
    for (unsigned i = 0; i < m->count; i++)
        if ((uintptr_t)host - (uintptr_t)m->r[i].host < m->r[i].size)
            return &m->r[i];
    return NULL;
}

uint64_t mem_generation(const struct mem_map *m)
{
    return m->generation;
}

uint8_t *mem_at(const struct mem_map *m, uint64_t va, uint64_t n, uint32_t prot)
{
    const struct mem_range *r = mem_find(m, va);
    if (!r || (r->prot & prot) != prot || n > r->size - (va - r->va))
        return NULL;
    return r->host + (va - r->va);
}

/* One piece of a copy or fill, run under the guard. */
struct piece {
    uint8_t *dst;
    const uint8_t *src; /* NULL: fill */
    uint64_t n;
    uint32_t value;
    unsigned unit;
};

static int do_piece(void *arg)
{
    struct piece *p = arg;
    if (p->src)
        memmove(p->dst, p->src, p->n);
    else if (p->unit == 1)
        memset(p->dst, (int)p->value, p->n);
    else
        for (uint64_t i = 0; i < p->n; i += p->unit)
            memcpy(p->dst + i, &p->value, p->unit < p->n - i ? p->unit : p->n - i);
    return 0;
}

/* Bytes from va to the end of its range, at most n; 0 when not mapped with prot. *host = its address. */
static uint64_t span(const struct mem_map *m, uint64_t va, uint64_t n, uint32_t prot, uint8_t **host)
{
    const struct mem_range *r = mem_find(m, va);
    if (!r || (r->prot & prot) != prot)
        return 0;
    *host = r->host + (va - r->va);
    uint64_t left = r->size - (va - r->va);
    return n < left ? n : left;
}

static int bad_at(uint64_t va, const char *what, uint64_t *bad)
{
    *bad = va;
    return fail(-EFAULT, "%s at 0x%llx: not mapped for that", what, (unsigned long long)va);
}

int mem_read(const struct mem_map *m, uint64_t va, void *dst, uint64_t n, uint64_t *bad)
{
    for (uint64_t done = 0; done < n;) {
        uint8_t *host = NULL;
        uintptr_t at;
        uint64_t k = span(m, va + done, n - done, MEM_READ, &host);
        struct piece p = {(uint8_t *)dst + done, host, k, 0, 0};
        if (!k)
            return bad_at(va + done, "read", bad);
        if (guard_run(do_piece, &p, &at))
            return bad_at(va + done + (at - (uintptr_t)host < k ? at - (uintptr_t)host : 0), "read", bad);
        done += k;
    }
    return 0;
}

int mem_write(const struct mem_map *m, uint64_t va, const void *src, uint64_t n, uint64_t *bad)
{
    for (uint64_t done = 0; done < n;) {
        uint8_t *host = NULL;
        uintptr_t at;
        uint64_t k = span(m, va + done, n - done, MEM_WRITE, &host);
        struct piece p = {host, (const uint8_t *)src + done, k, 0, 0};
        if (!k)
            return bad_at(va + done, "write", bad);
        if (guard_run(do_piece, &p, &at))
            return bad_at(va + done + (at - (uintptr_t)host < k ? at - (uintptr_t)host : 0), "write", bad);
        done += k;
    }
    return 0;
}

int mem_copy(const struct mem_map *m, uint64_t dst, uint64_t src, uint64_t n, uint64_t *bad)
{
    for (uint64_t done = 0; done < n;) {
        uint8_t *from = NULL, *to = NULL;
        uintptr_t at;
        uint64_t k = span(m, src + done, n - done, MEM_READ, &from);
        if (!k)
            return bad_at(src + done, "read", bad);
        k = span(m, dst + done, k, MEM_WRITE, &to);
        if (!k)
            return bad_at(dst + done, "write", bad);
        struct piece p = {to, from, k, 0, 0};
        if (guard_run(do_piece, &p, &at)) {
            if (at - (uintptr_t)from < k)
                return bad_at(src + done + (at - (uintptr_t)from), "read", bad);
            return bad_at(dst + done + (at - (uintptr_t)to < k ? at - (uintptr_t)to : 0), "write", bad);
        }
        done += k;
    }
    return 0;
}

int mem_fill(const struct mem_map *m, uint64_t va, uint32_t value, unsigned unit, uint64_t n, uint64_t *bad)
{
    for (uint64_t done = 0; done < n;) {
        uint8_t *host = NULL;
        uintptr_t at;
        uint64_t k = span(m, va + done, n - done, MEM_WRITE, &host);
        struct piece p = {host, NULL, k, value, unit};
        if (!k)
            return bad_at(va + done, "write", bad);
        if (guard_run(do_piece, &p, &at))
            return bad_at(va + done + (at - (uintptr_t)host < k ? at - (uintptr_t)host : 0), "write", bad);
        done += k;
    }
    return 0;
}
