/* Signals live in pages of host memory that the device reaches, a cache line each. */
#include "core/backend.h"
#include "base/err.h"
#include "base/mem.h"
#include <inttypes.h>

enum { LINE = 64, PAGE = 4096, SLOTS = PAGE / LINE };

struct signal_page {
    struct signal_page *next;
    nx_buffer *memory;
    uint64_t used; /* bit a slot */
};

/* device->lock is held */
static struct signal_page *page_with_room(nx_device *d)
{
    struct signal_page *p = d->signals;
    while (p && p->used == UINT64_MAX)
        p = p->next;
    return p;
}

static int add_page(nx_device *d)
{
    struct signal_page *p = mem_alloc(sizeof *p);
    if (!p)
        return -ENOMEM;
    int rc = d->ops->alloc(d, PAGE, NX_HOST, &p->memory);
    if (rc) {
        mem_free(p);
        return rc;
    }
    pthread_mutex_lock(&d->lock);
    p->next = d->signals;
    d->signals = p;
    pthread_mutex_unlock(&d->lock);
    return 0;
}

static int take_slot(nx_device *d, nx_signal *s)
{
    _Static_assert(SLOTS == 64, "one bit a slot");
    pthread_mutex_lock(&d->lock);
    struct signal_page *p = page_with_room(d);
    if (p) {
        unsigned slot = (unsigned)__builtin_ctzll(~p->used);
        p->used |= 1ull << slot;
        s->page = p;
        s->va = p->memory->va + slot * LINE;
        s->value = (uint64_t *)((char *)p->memory->host + slot * LINE);
    }
    pthread_mutex_unlock(&d->lock);
    return p != NULL;
}

int nx_signal_create(nx_device *d, uint64_t value, nx_signal **out)
{
    *out = NULL;
    int rc = device_check(d);
    if (rc)
        return rc;
    nx_signal *s = mem_alloc(sizeof *s);
    if (!s)
        return -ENOMEM;
    s->device = d;
    while (!take_slot(d, s))
        if ((rc = add_page(d))) {
            mem_free(s);
            return rc;
        }
    nx_signal_set(s, value);
    *out = s;
    return 0;
}

void nx_signal_free(nx_signal *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->device->lock);
    s->page->used &= ~(1ull << ((s->va - s->page->memory->va) / LINE));
    pthread_mutex_unlock(&s->device->lock);
    mem_free(s);
}

uint64_t nx_signal_value(const nx_signal *s)
{
    return __atomic_load_n(s->value, __ATOMIC_ACQUIRE);
}

void nx_signal_set(nx_signal *s, uint64_t value)
{
    __atomic_store_n(s->value, value, __ATOMIC_RELEASE);
}

int nx_signal_wait(nx_signal *s, uint64_t value, uint64_t timeout_ns)
{
    int rc = s->device->ops->wait_value(s->device, s->value, value, timeout_ns);
    if (rc == -ETIMEDOUT)
        return fail(rc, "signal is %" PRIu64 ", waited %.3f ms for %" PRIu64, nx_signal_value(s),
                    (double)timeout_ns / 1e6, value);
    return rc;
}

void device_release(nx_device *d)
{
    nx_queue_free(d->copy_queue);
    nx_free(d->staging);
    while (d->signals) {
        struct signal_page *p = d->signals;
        d->signals = p->next;
        nx_free(p->memory);
        mem_free(p);
    }
}
