#include "base/err.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __thread char text[1024];

int fail(int err, const char *fmt, ...)
{
    char tmp[sizeof text]; /* the arguments may point into text */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(tmp, sizeof tmp, fmt, ap);
    va_end(ap);
    memcpy(text, tmp, sizeof text);
    return err;
}

int fail_in(int err, const char *fmt, ...)
{
    char tmp[sizeof text];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(tmp, sizeof tmp, fmt, ap);
    va_end(ap);
    if (n >= 0 && (size_t)n < sizeof tmp)
        snprintf(tmp + n, sizeof tmp - (size_t)n, ": %s", text);
    memcpy(text, tmp, sizeof text);
    return err;
}

const char *fail_text(void)
{
    return text;
}

int debug_on(const char *channel)
{
    const char *list = getenv("NXGPU_DEBUG");
    size_t n = strlen(channel);
    while (list && *list) {
        size_t len = strcspn(list, ",");
        if ((len == n && !memcmp(list, channel, n)) || (len == 3 && !memcmp(list, "all", 3)))
            return 1;
        list += len + (list[len] == ',');
    }
    return 0;
}

void debug(const char *channel, const char *fmt, ...)
{
    if (!debug_on(channel))
        return;
    char line[1200];
    int n = snprintf(line, sizeof line, "nxgpu %s: ", channel);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line + n, sizeof line - (size_t)n, fmt, ap);
    va_end(ap);
    fprintf(stderr, "%s\n", line);
}
