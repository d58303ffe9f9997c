/* Errors: a negative errno as the value, one line of text per thread as the explanation.
 * Not for: our own bugs (assert), or process exit (the library never exits).
 */
#ifndef NX_BASE_ERR_H
#define NX_BASE_ERR_H
#include <errno.h>
#include <stddef.h>

/* Stores the text (object, value, what was expected) for this thread and returns err (negative errno),
 * so that `return fail(-EINVAL, "queue size %u is not a power of two", n);` is one expression. */
int fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* Prepends "text: " to this thread's error, for a caller that knows more; returns err. */
int fail_in(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* This thread's last error text; "" when there was none. Valid until the thread's next fail(). */
const char *fail_text(void);

/* Debug channels: NXGPU_DEBUG=all or a comma list (kfd,pm4,...). debug() prints "nxgpu CHANNEL: ..." on
 * stderr when the channel is on. Thread-safe. */
int debug_on(const char *channel);
void debug(const char *channel, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
