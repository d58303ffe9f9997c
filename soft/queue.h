/* Queues: what the driver knows of each and what its command processor (pm4.c, sdma.c, aql.c) keeps. */
#ifndef NX_SOFT_QUEUE_H
#define NX_SOFT_QUEUE_H
#include "soft/gpu.h"

/* What a slice did. */
enum queue_step {
    STEP_NOTHING = 0,  /* empty, or blocked on memory that has not changed */
    STEP_PROGRESS = 1, /* something was executed; there may be more */
};

/* One command processor's entry points. */
struct processor {
    const char *name;
    int (*start)(struct queue *q); /* allocates q->state; -errno */
    int (*step)(struct queue *q);  /* one slice: enum queue_step, or -EFAULT after queue_fault */
    void (*stop)(struct queue *q); /* frees q->state, at any time */
    unsigned bytes_per_unit;       /* unit of rptr and wptr: 4 dwords, 1 bytes, 64 packets */
};
extern const struct processor pm4_processor, sdma_processor, aql_processor;

struct queue {
    struct gpu *gpu;
    uint32_t id, type, percentage, priority, doorbell, sdma;
    uint64_t ring, ring_bytes, rptr_va, wptr_va;
    struct bo *held[5]; /* ring, wptr, rptr, eop, ctx */
    bool active;        /* has a ring and a share of time */
    bool faulted;
    bool kicked;            /* AQL: a doorbell not yet answered */
    uint64_t last_doorbell; /* value seen last */
    uint64_t rptr, wptr;    /* in the processor's unit, counted from 0 */
    const struct processor *processor;
    void *state;
};

/* Reads the doorbell (and what it implies) into q->wptr. */
void queue_poll(struct queue *q);
/* Publishes q->rptr. -EFAULT after queue_fault. */
int queue_publish_rptr(struct queue *q);
/* Where a ring unit lies in our memory: `bytes` bytes at byte position `at` of the ring, not past its end.
 * NULL when the ring is not mapped any more. */
const uint8_t *queue_ring(struct queue *q, uint64_t at, uint64_t bytes);

/* Faults: they end the queue, inform the process's waiters and return -EFAULT. `at`: what was being executed,
 * e.g. the packet's name. */
int queue_fault_memory(struct queue *q, const char *at, enum eng_access access, uint64_t va);
int queue_fault_packet(struct queue *q, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, but only this queue stops and no event is set (AQL: the error goes to a signal in the queue). */
int queue_stop(struct queue *q, const char *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int queue_fault_program(struct queue *q, const struct eng_fault *f);

/* Memory as a command processor sees it; va in q's address space. 0, or -EFAULT after queue_fault_memory. */
int queue_read(struct queue *q, const char *at, uint64_t va, void *dst, uint64_t n);
int queue_write(struct queue *q, const char *at, uint64_t va, const void *src, uint64_t n);
/* One aligned 32- or 64-bit access (n 4 or 8): atomic towards other threads, a write is a release, a read an
 * acquire. */
int queue_load(struct queue *q, const char *at, uint64_t va, unsigned n, uint64_t *out);
int queue_store(struct queue *q, const char *at, uint64_t va, unsigned n, uint64_t value);
/* An AMD atomic operation code (hw/amd/atomic.h) on memory. *old: the value before. */
int queue_atomic(struct queue *q, const char *at, uint32_t op, uint64_t va, uint64_t src, uint64_t cmp,
                 uint64_t *old, bool *swapped);

/* (value & mask) func ref, func as PM4 and SDMA encode it (PM4_FUNC_*); -1: not a function. */
int poll_test(unsigned func, uint64_t value, uint64_t ref);
#endif
