/* AQL: the packets of HSA queues, and signals. Rules: HSA runtime specification; amd_queue_t and amd_signal_t
 * as ROCr lays them out. Packets run one after the other, so that a barrier bit is always satisfied. */
#include "hw/amd/aql.h"
#include "base/bits.h"
#include "base/err.h"
#include "hw/amd/atomic.h"
#include "hw/amd/pm4.h"
#include "soft/launch.h"
#include "soft/pm4.h"
#include <stdlib.h>
#include <string.h>

enum { PACKET_BYTES = AQL_DWORDS * 4, PROFILING = 8, DEPS = 5 };

struct aql {
    struct queue *q;
    struct pm4 *pm4;       /* for PM4 indirect buffers */
    struct launch *launch; /* running */
    bool in_ib;
    uint64_t signal, started; /* of what runs */
};

/* amd_queue_t lies around the read index; 0 when the index was put elsewhere. */
static uint64_t queue_object(const struct queue *q)
{
    return q->rptr_va % PAGE >= AMD_QUEUE_READ_DISPATCH_ID ? q->rptr_va - AMD_QUEUE_READ_DISPATCH_ID : 0;
}

/* Tells the signal's waiters: its event's mailbox, then the interrupt. */
static int notify(struct queue *q, uint64_t signal)
{
    uint64_t mailbox, id;
    int err = queue_load(q, "signal", signal + AMD_SIGNAL_MAILBOX, 8, &mailbox);
    if (err || !mailbox)
        return err;
    if ((err = queue_load(q, "signal", signal + AMD_SIGNAL_EVENT_ID, 4, &id)) ||
        (err = queue_store(q, "signal mailbox", mailbox, 8, id)))
        return err;
    events_interrupt(q->gpu->soft, (uint32_t)id, 32);
    return 0;
}

/* A packet is done: time stamps, value - 1, event. */
static int complete(struct queue *q, uint64_t signal, uint64_t started)
{
    uint64_t v, object = queue_object(q);
    bool swapped;
    int err;
    if (!signal)
        return 0;
    if ((err = queue_load(q, "completion signal", signal + AMD_SIGNAL_KIND, 8, &v)))
        return err;
    if ((int64_t)v != AMD_SIGNAL_USER)
        return queue_fault_packet(q, "completion signal", "0x%llx is of kind %lld: %d expected",
                                  (unsigned long long)signal, (long long)v, AMD_SIGNAL_USER);
    if (object && !queue_load(q, "queue object", object + AMD_QUEUE_PROPERTIES, 4, &v) && v & PROFILING &&
        ((err = queue_store(q, "signal", signal + AMD_SIGNAL_START_TS, 8, started)) ||
         (err = queue_store(q, "signal", signal + AMD_SIGNAL_END_TS, 8, soft_gpu_clock()))))
        return err;
    err = queue_atomic(q, "completion signal", AMD_ATOMIC_ADD_64, signal + AMD_SIGNAL_VALUE, ~0ull, 0, &v,
                       &swapped);
    return err ? err : notify(q, signal);
}

/* The queue's own way to report: the code goes to the signal in the queue object, the packet stays where it
 * is. */
static int refuse(struct queue *q, uint32_t code, const char *at, const char *text)
{
    uint64_t object = queue_object(q), signal = 0;
    if (!object || queue_load(q, "queue object", object + AMD_QUEUE_INACTIVE_SIGNAL, 8, &signal) || !signal)
        return queue_fault_packet(q, at, "%s (queue error 0x%x)", text, code);
    if (!queue_store(q, "queue inactive signal", signal + AMD_SIGNAL_VALUE, 8, code))
        notify(q, signal);
    return q->faulted ? -EFAULT : queue_stop(q, at, "%s (queue error 0x%x)", text, code);
}

static int program_fault(struct queue *q, const struct eng_fault *f)
{
    char text[640];
    switch (f->kind) {
    case FAULT_ILLEGAL:
        return refuse(q, AMD_QUEUE_ERROR_ILLEGAL_INSTRUCTION, "dispatch",
                      eng_fault_text(f, text, sizeof text));
    case FAULT_TRAP:
        return refuse(q, (uint32_t)AMD_QUEUE_ERROR_TRAP, "dispatch", eng_fault_text(f, text, sizeof text));
    default:
        return queue_fault_program(q, f);
    }
}

/* Does the signal's value pass? A null handle always does. */
static int passes(struct queue *q, uint64_t signal, uint64_t mask, uint32_t cond, uint64_t value, bool *yes)
{
    uint64_t v;
    *yes = true;
    int err = signal ? queue_load(q, "signal", signal + AMD_SIGNAL_VALUE, 8, &v) : 0;
    if (err || !signal)
        return err;
    int64_t have = (int64_t)(v & mask), want = (int64_t)value;
    switch (cond) {
    case AQL_COND_EQ:
        *yes = have == want;
        return 0;
    case AQL_COND_NE:
        *yes = have != want;
        return 0;
    case AQL_COND_LT:
        *yes = have < want;
        return 0;
    case AQL_COND_GE:
        *yes = have >= want;
        return 0;
    }
    return refuse(q, AMD_QUEUE_ERROR_VENDOR_PACKET, "barrier_value", "unknown condition");
}

static int barrier(struct queue *q, const uint64_t dep[DEPS], bool any, bool *yes)
{
    unsigned given = 0, done = 0;
    for (unsigned i = 0; i < DEPS; i++) {
        bool ok;
        int err = passes(q, dep[i], ~0ull, AQL_COND_EQ, 0, &ok);
        if (err)
            return err;
        given += dep[i] != 0;
        done += dep[i] && ok;
    }
    *yes = any ? done || !given : done == given;
    return 0;
}

/* Gives the slot back: the header becomes INVALID, then the read index moves. */
static int consume(struct queue *q, uint64_t at)
{
    const uint16_t invalid = AQL_INVALID;
    int err = queue_write(q, "ring", q->ring + (at & (q->ring_bytes - 1)), &invalid, sizeof invalid);
    q->rptr++;
    return err ? err : queue_publish_rptr(q);
}

enum { WAITING, TAKEN };

static int take_dispatch(struct aql *a, const uint32_t *dw, uint64_t va)
{
    uint32_t error;
    int err = launch_aql(a->q, dw, va, queue_object(a->q), a->q->rptr, &error, &a->launch);
    if (err == -EFAULT)
        return err;
    return err ? refuse(a->q, error, "dispatch", fail_text()) : TAKEN;
}

static int take_ib(struct aql *a, const uint32_t *dw)
{
    struct aql_pm4_ib k;
    aql_pm4_ib_unpack(dw, &k);
    if (k.ib_header != pm4_type3(PM4_indirect_buffer, 2) || !k.ib_valid)
        return refuse(a->q, AMD_QUEUE_ERROR_VENDOR_PACKET, "pm4_ib",
                      "no valid INDIRECT_BUFFER packet inside");
    int err = pm4_start_ib(a->pm4, k.ib_addr, k.ib_size);
    a->in_ib = !err;
    return err ? err : TAKEN;
}

/* Starts what the packet says. *signal: its completion signal. WAITING, TAKEN or -EFAULT. */
static int take(struct aql *a, const struct hw_record *rec, const uint32_t *dw, uint64_t va)
{
    struct queue *q = a->q;
    bool yes = false;
    int err;
    struct aql_barrier_and b;
    struct aql_barrier_value v;
    a->signal = dw[14] | (uint64_t)dw[15] << 32; /* every packet has it there */
    a->started = soft_gpu_clock();
    switch (rec->op) {
    case AQL_dispatch:
        return take_dispatch(a, dw, va);
    case AQL_pm4_ib:
        return take_ib(a, dw);
    case AQL_barrier_and:
    case AQL_barrier_or:
        aql_barrier_and_unpack(dw, &b); /* both have the same fields */
        err = barrier(q, (uint64_t[DEPS]){b.dep0, b.dep1, b.dep2, b.dep3, b.dep4}, rec->op == AQL_barrier_or,
                      &yes);
        return err ? err : yes ? TAKEN : WAITING;
    case AQL_barrier_value:
        aql_barrier_value_unpack(dw, &v);
        err = passes(q, v.signal, v.mask, v.cond, v.value, &yes);
        return err ? err : yes ? TAKEN : WAITING;
    }
    return refuse(q, AMD_QUEUE_ERROR_PACKET, rec->name, "a GPU queue does not take such packets");
}

/* What was started: one slice of it. WAITING while it goes on. */
static int go_on(struct aql *a)
{
    int r;
    if (a->launch) {
        r = launch_run(a->launch);
        if (r == ENG_MORE)
            return WAITING;
        const struct eng_fault f = r < 0 ? *launch_fault(a->launch) : (struct eng_fault){0};
        launch_free(a->launch);
        a->launch = NULL;
        if (r < 0)
            return f.kind ? program_fault(a->q, &f)
                          : refuse(a->q, AMD_QUEUE_ERROR_CODE, "dispatch", fail_text());
    } else if (a->in_ib) {
        if ((r = pm4_run(a->pm4)) < 0)
            return r;
        if (!pm4_done(a->pm4))
            return r & STEP_PROGRESS ? TAKEN : WAITING;
        a->in_ib = false;
    }
    r = complete(a->q, a->signal, a->started);
    return r ? r : TAKEN;
}

/* The next packet, if there is one. WAITING: nothing can be done now. */
static int next(struct aql *a)
{
    struct queue *q = a->q;
    uint64_t at = q->rptr * PACKET_BYTES, va = q->ring + (at & (q->ring_bytes - 1)), header;
    uint32_t dw[AQL_DWORDS];
    int err = queue_load(q, "ring", va, 4, &header); /* acquire: the body was written before */
    if (err)
        return err;
    if (aql_type((uint32_t)header) == AQL_TYPE_INVALID)
        return WAITING;
    if ((err = queue_read(q, "ring", va, dw, sizeof dw)))
        return err;
    dw[0] = (uint32_t)header;
    const struct hw_record *rec = aql_record(dw[0]);
    char text[96];
    if (!rec) {
        snprintf(text, sizeof text, "header 0x%08x: no such packet", dw[0]);
        return refuse(q, aql_type(dw[0]) ? AMD_QUEUE_ERROR_PACKET : AMD_QUEUE_ERROR_VENDOR_PACKET, "fetch",
                      text);
    }
    int r = take(a, rec, dw, va);
    if (r != TAKEN)
        return r;
    if ((err = consume(q, at)))
        return err;
    return a->launch || a->in_ib ? TAKEN : (err = complete(q, a->signal, a->started)) ? err : TAKEN;
}

static int aql_step(struct queue *q)
{
    struct aql *a = q->state;
    int did = STEP_NOTHING;
    if (q->wptr - q->rptr > q->ring_bytes / PACKET_BYTES && q->wptr != q->rptr)
        return refuse(q, AMD_QUEUE_ERROR_PACKET, "ring",
                      "the write index is more than a ring ahead of the read index");
    for (int i = 0; i < SLICE_PACKETS; i++) {
        bool busy = a->launch || a->in_ib;
        if (!busy && q->rptr == q->wptr) {
            q->kicked = false; /* until the doorbell rings again */
            break;
        }
        int r = busy ? go_on(a) : next(a);
        if (r < 0)
            return r;
        if (r == WAITING)
            return busy && a->launch ? STEP_PROGRESS : did;
        did = STEP_PROGRESS;
    }
    return did;
}

static void aql_stop(struct queue *q)
{
    struct aql *a = q->state;
    if (a) {
        launch_free(a->launch);
        pm4_free(a->pm4);
    }
    free(a);
    q->state = NULL;
}

static int aql_start(struct queue *q)
{
    struct aql *a = calloc(1, sizeof *a);
    q->state = a;
    if (!a || !(a->pm4 = pm4_new(q))) {
        aql_stop(q);
        return fail(-ENOMEM, "no memory for an AQL queue");
    }
    a->q = q;
    return 0;
}

const struct processor aql_processor = {"aql", aql_start, aql_step, aql_stop, PACKET_BYTES};
