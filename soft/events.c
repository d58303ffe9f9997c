/* KFD events: the mailbox page, waiting and raising. Rules: amdkfd kfd_events.c. */
#include "base/err.h"
#include "soft/gpu.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define UNSIGNALED (~0ull)
enum { FIRST_SLOT = 1, OTHER_EVENTS = 4096 }; /* slot 0 is never used: context id 0 means "none" */

struct event {
    uint32_t id, type;
    bool auto_reset, signaled;
    uint64_t age;
    union {
        struct kfd_memory_exception memory;
        struct kfd_hw_exception hw;
    };
};
struct waiter { /* one call of WAIT_EVENTS, on the caller's stack */
    struct wait_item {
        struct event *event; /* NULL: destroyed meanwhile */
        bool activated, with_age;
    } * items;
    unsigned count;
    struct waiter *next;
};
struct events {
    struct event *slot[KFD_LIMIT_SIGNAL_EVENTS];
    struct event **other; /* id KFD_EVENT_NOSLOT + i */
    unsigned nother, nslots;
    struct bo *page_bo; /* the client's event page, or NULL: ours */
    uint64_t *page;
    struct waiter *waiters;
};

static struct events *get(struct soft *s)
{
    if (!s->events && !(s->events = calloc(1, sizeof *s->events)))
        fail(-ENOMEM, "no memory for events");
    return s->events;
}

static struct event **find(const struct soft *s, uint32_t id)
{
    struct events *e = s->events;
    if (!e)
        return NULL;
    if (id < KFD_LIMIT_SIGNAL_EVENTS)
        return e->slot[id] ? &e->slot[id] : NULL;
    id -= KFD_EVENT_NOSLOT;
    return id < e->nother && e->other[id] ? &e->other[id] : NULL;
}

bool events_hold(const struct soft *s, const struct bo *b)
{
    return s->events && s->events->page_bo == b;
}

static int set_page(struct soft *s, struct events *e, uint64_t handle)
{
    struct bo *b = vm_bo(s, handle);
    if (e->page)
        return fail(-EINVAL, "the event page is already set");
    if (!b || !(b->flags & (KFD_MEM_GTT | KFD_MEM_VRAM)) || b->size < KFD_EVENT_PAGE)
        return fail(-EINVAL, "event page handle 0x%llx: a buffer of at least %u bytes expected",
                    (unsigned long long)handle, KFD_EVENT_PAGE);
    if (!(e->page = (uint64_t *)vm_host(s, b)))
        return fail(-ENOMEM, "no address space for the event page");
    e->page_bo = b;
    memset(e->page, 0xff, KFD_EVENT_PAGE);
    return 0;
}

/* The oldest clients map the page from /dev/kfd instead of giving one. */
static int own_page(struct soft *s, struct events *e)
{
    void *out;
    struct bo *b = calloc(1, sizeof *b);
    if (!b)
        return fail(-ENOMEM, "no memory for the event page");
    *b = (struct bo){.flags = 0, .size = KFD_EVENT_PAGE, .offset = KFD_EVENTS_PAGE};
    if (!(out = vm_host(s, b))) {
        free(b);
        return fail(-ENOMEM, "no address space for the event page");
    }
    e->page_bo = b;
    e->page = out;
    memset(e->page, 0xff, KFD_EVENT_PAGE);
    return 0;
}

int events_create(struct soft *s, struct kfd_create_event *a)
{
    struct events *e = get(s);
    bool slotted = a->event_type == KFD_EVENT_SIGNAL || a->event_type == KFD_EVENT_DEBUG_EVENT;
    int err;
    if (!e)
        return -ENOMEM;
    if (a->event_page_offset && (err = set_page(s, e, a->event_page_offset)))
        return err;
    if (slotted && !e->page && (err = own_page(s, e)))
        return err;
    struct event *ev = calloc(1, sizeof *ev), **where = NULL;
    if (!ev)
        return fail(-ENOMEM, "no memory for an event");
    *ev = (struct event){.type = a->event_type, .auto_reset = a->auto_reset, .age = 1};
    if (slotted) {
        for (uint32_t i = FIRST_SLOT; i < KFD_LIMIT_SIGNAL_EVENTS && !where; i++)
            if (!e->slot[i])
                where = &e->slot[ev->id = i];
    } else {
        uint32_t i = 0;
        while (i < e->nother && e->other[i])
            i++;
        if (i == e->nother && i < OTHER_EVENTS) {
            struct event **p = realloc(e->other, (i + 16) * sizeof *p);
            if (p) {
                memset(p + i, 0, 16 * sizeof *p);
                e->other = p;
                e->nother = i + 16;
            }
        }
        ev->id = KFD_EVENT_NOSLOT + i;
        where = i < e->nother ? &e->other[i] : NULL;
    }
    if (!where) {
        free(ev);
        return fail(slotted ? -ENOSPC : -ENOMEM, "no event id left: %d signal events are the limit",
                    KFD_LIMIT_SIGNAL_EVENTS - FIRST_SLOT);
    }
    *where = ev;
    if (slotted) {
        e->nslots++;
        e->page[ev->id] = UNSIGNALED;
        a->event_page_offset = KFD_EVENTS_PAGE; /* never 0: a client takes that for "no mailbox" */
        a->event_slot_index = ev->id;
    }
    a->event_id = a->event_trigger_data = ev->id;
    return 0;
}

int events_destroy(struct soft *s, uint32_t id)
{
    struct event **p = find(s, id);
    if (!p)
        return fail(-EINVAL, "event 0x%x does not exist", id);
    for (struct waiter *w = s->events->waiters; w; w = w->next)
        for (unsigned i = 0; i < w->count; i++)
            if (w->items[i].event == *p)
                w->items[i].event = NULL;
    if (id < KFD_LIMIT_SIGNAL_EVENTS)
        s->events->nslots--;
    free(*p);
    *p = NULL;
    soft_visible(s);
    return 0;
}

static void raise_event(struct soft *s, struct event *ev)
{
    bool waited = false;
    if (!++ev->age)
        ev->age = 2; /* 0 and 1 have a meaning of their own */
    for (struct waiter *w = s->events->waiters; w; w = w->next) {
        for (unsigned i = 0; i < w->count; i++) {
            if (w->items[i].event != ev || w->items[i].activated)
                continue;
            waited = true;
            w->items[i].activated = true;
        }
    }
    ev->signaled = !ev->auto_reset || !waited;
    soft_visible(s);
}

int events_set(struct soft *s, uint32_t id)
{
    struct event **p = find(s, id);
    if (!p || (*p)->type != KFD_EVENT_SIGNAL)
        return fail(-EINVAL, "event 0x%x is no signal event", id);
    raise_event(s, *p);
    return 0;
}

int events_reset(struct soft *s, uint32_t id)
{
    struct event **p = find(s, id);
    if (!p || (*p)->type != KFD_EVENT_SIGNAL)
        return fail(-EINVAL, "event 0x%x is no signal event", id);
    (*p)->signaled = false;
    return 0;
}

/* An interrupt says which slot it thinks was written; the slot's content decides. */
static bool take_slot(struct soft *s, uint32_t id)
{
    struct events *e = s->events;
    if (!e->slot[id] || __atomic_load_n(&e->page[id], __ATOMIC_ACQUIRE) == UNSIGNALED)
        return false;
    __atomic_store_n(&e->page[id], UNSIGNALED, __ATOMIC_RELEASE);
    raise_event(s, e->slot[id]);
    return true;
}

void events_interrupt(struct soft *s, uint32_t context, unsigned width)
{
    struct events *e = s->events;
    soft_visible(s);
    if (!e || !e->page)
        return;
    uint32_t id = width < 32 ? context & ((1u << width) - 1) : context;
    if (id && id < KFD_LIMIT_SIGNAL_EVENTS && take_slot(s, id))
        return;
    for (uint32_t i = FIRST_SLOT; i < KFD_LIMIT_SIGNAL_EVENTS; i++)
        take_slot(s, i);
}

void events_memory(struct soft *s, const struct kfd_memory_exception *d)
{
    for (unsigned i = 0; s->events && i < s->events->nother; i++) {
        struct event *ev = s->events->other[i];
        if (ev && ev->type == KFD_EVENT_MEMORY) {
            ev->memory = *d;
            raise_event(s, ev);
        }
    }
}

void events_reset_gpu(struct soft *s, const struct kfd_hw_exception *d)
{
    const struct kfd_memory_exception m = {
        .gpu_id = d->gpu_id, .ErrorType = KFD_ERROR_GPU_HANG, .failure.imprecise = 1};
    for (unsigned i = 0; s->events && i < s->events->nother; i++) {
        struct event *ev = s->events->other[i];
        if (!ev || (ev->type != KFD_EVENT_HW_EXCEPTION && ev->type != KFD_EVENT_MEMORY))
            continue;
        if (ev->type == KFD_EVENT_MEMORY)
            ev->memory = m;
        else
            ev->hw = *d;
        raise_event(s, ev);
    }
}

static uint32_t test(const struct waiter *w, bool all)
{
    unsigned done = 0;
    for (unsigned i = 0; i < w->count; i++) {
        if (!w->items[i].event)
            return KFD_WAIT_FAIL;
        if (w->items[i].activated && !all)
            return KFD_WAIT_COMPLETE;
        done += w->items[i].activated;
    }
    return done == w->count ? KFD_WAIT_COMPLETE : KFD_WAIT_TIMEOUT;
}

/* Tells the caller about satisfied events; the others' records stay as they were. */
static int report(const struct waiter *w, struct kfd_event *user)
{
    int err = 0;
    for (unsigned i = 0; i < w->count && !err; i++) {
        const struct event *ev = w->items[i].event;
        if (!ev)
            return fail(-EINVAL, "an event was destroyed while it was waited for");
        if (!w->items[i].activated)
            continue;
        if (ev->type == KFD_EVENT_MEMORY)
            err = user_write(&user[i].memory_exception_data, &ev->memory, sizeof ev->memory);
        else if (ev->type == KFD_EVENT_HW_EXCEPTION)
            err = user_write(&user[i].hw_exception_data, &ev->hw, sizeof ev->hw);
        else if (ev->type == KFD_EVENT_SIGNAL && w->items[i].with_age)
            err = user_write(&user[i].signal_event_data, &ev->age, sizeof ev->age);
    }
    return err;
}

static int wait_init(struct soft *s, struct waiter *w, const struct kfd_event *user, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct kfd_event d;
        int err = user_read(&d, &user[i], sizeof d);
        if (err)
            return err;
        struct event **p = find(s, d.event_id);
        if (!p)
            return fail(-EINVAL, "event 0x%x does not exist", d.event_id);
        struct wait_item *it = &w->items[i];
        it->event = *p;
        it->activated = (*p)->signaled;
        (*p)->signaled &= !(*p)->auto_reset;
        if ((*p)->type == KFD_EVENT_SIGNAL && d.signal_event_data.last_event_age) {
            it->with_age = true;
            it->activated |= (*p)->age != d.signal_event_data.last_event_age;
        }
        w->count = i + 1;
    }
    return 0;
}

int events_wait(struct soft *s, struct kfd_wait_events *a)
{
    struct events *e = get(s);
    struct waiter w = {0};
    struct kfd_event *user = (struct kfd_event *)a->events_ptr;
    a->wait_result = KFD_WAIT_FAIL;
    if (!e || a->num_events > 1u << 20 || !(w.items = calloc(a->num_events + 1, sizeof *w.items)))
        return fail(-ENOMEM, "no memory to wait for %u events", a->num_events);
    int err = wait_init(s, &w, user, a->num_events);
    if (!err) {
        uint64_t until =
            a->timeout == KFD_WAIT_FOREVER_MS ? UINT64_MAX : soft_now() + a->timeout * 1000000ull;
        w.next = e->waiters;
        e->waiters = &w;
        while ((a->wait_result = test(&w, a->wait_for_all)) == KFD_WAIT_TIMEOUT) {
            uint64_t now = soft_now(), left = now < until ? until - now : 0;
            if (!a->timeout || !left)
                break;
            if (s->threaded || !soft_serve(s)) /* the caller's thread is what runs the queues */
                soft_sleep(s, left < 50000 || s->threaded ? left : 50000);
        }
        struct waiter **p = &e->waiters;
        while (*p != &w)
            p = &(*p)->next;
        *p = w.next;
        if (a->wait_result == KFD_WAIT_COMPLETE)
            err = report(&w, user);
        else if (a->wait_result == KFD_WAIT_FAIL)
            err = fail(-EIO, "an event was destroyed while it was waited for");
    }
    if (err)
        a->wait_result = KFD_WAIT_FAIL;
    free(w.items);
    return err;
}

void events_free(struct soft *s)
{
    struct events *e = s->events;
    if (!e)
        return;
    for (struct waiter *w = e->waiters; w; w = w->next)
        for (unsigned i = 0; i < w->count; i++)
            w->items[i].event = NULL;
    for (unsigned i = 0; i < KFD_LIMIT_SIGNAL_EVENTS; i++)
        free(e->slot[i]);
    for (unsigned i = 0; i < e->nother; i++)
        free(e->other[i]);
    free(e->other);
    if (e->page_bo && !e->page_bo->flags) { /* own_page's */
        munmap(e->page, KFD_EVENT_PAGE);
        free(e->page_bo);
    }
    struct waiter *waiters = e->waiters;
    memset(e, 0, sizeof *e);
    e->waiters = waiters;
    if (!waiters) {
        free(e);
        s->events = NULL;
    }
    pthread_cond_broadcast(&s->changed);
}
