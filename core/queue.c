#include "core/backend.h"
#include "base/err.h"
#include <inttypes.h>

int nx_queue_create(nx_device *d, nx_queue **out)
{
    *out = NULL;
    int rc = device_check(d);
    if (rc)
        return rc;
    nx_signal *done;
    if ((rc = nx_signal_create(d, 0, &done)))
        return rc;
    if ((rc = d->ops->queue_create(d, out))) {
        nx_signal_free(done);
        return rc;
    }
    (*out)->device = d;
    (*out)->done = done;
    return 0;
}

void nx_queue_free(nx_queue *q)
{
    if (!q)
        return;
    nx_signal *done = q->done; /* the device may write it until the queue is gone */
    q->device->ops->queue_free(q);
    nx_signal_free(done);
}

int queue_mark(nx_queue *q, int wake, uint64_t *value)
{
    if (q->dirty) {
        int rc = q->device->ops->signal(q, q->done->va, q->done_value + 1, wake);
        if (rc)
            return rc;
        q->done_value++;
        q->dirty = 0;
    }
    *value = q->done_value;
    return 0;
}

static int check_signal(const nx_queue *q, const nx_signal *s)
{
    if (q->device != s->device)
        return fail(-EINVAL, "signal and queue belong to different devices");
    return device_check(q->device);
}

int nx_queue_wait(nx_queue *q, nx_signal *s, uint64_t value)
{
    int rc = check_signal(q, s);
    if (rc)
        return rc;
    return queue_dirty(q, q->device->ops->wait(q, s->va, value));
}

int nx_queue_signal(nx_queue *q, nx_signal *s, uint64_t value)
{
    int rc = check_signal(q, s);
    if (rc)
        return rc;
    rc = queue_dirty(q, q->device->ops->signal(q, s->va, value, 1));
    return rc ? rc : q->device->ops->submit(q);
}

int nx_submit(nx_queue *q)
{
    int rc = device_check(q->device);
    return rc ? rc : q->device->ops->submit(q);
}

int nx_queue_wait_idle(nx_queue *q, uint64_t timeout_ns)
{
    uint64_t value;
    int rc = device_check(q->device);
    if (rc || (rc = queue_mark(q, 1, &value)) || (rc = q->device->ops->submit(q)))
        return rc;
    rc = q->device->ops->wait_value(q->device, q->done->value, value, timeout_ns);
    if (rc == -ETIMEDOUT) {
        char what[512];
        q->device->ops->describe_queue(q, what, sizeof what);
        return fail(rc, "%s: queue not idle after %.3f ms: %s", q->device->info.selector,
                    (double)timeout_ns / 1e6, what);
    }
    return rc;
}
