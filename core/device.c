#include "core/backend.h"
#include "base/err.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct backend *const backends[] = {&amd_backend};
#define NBACKENDS (sizeof backends / sizeof *backends)

const char *nx_error(void)
{
    return fail_text();
}

const char *nx_version(void)
{
    return "0.1.0";
}

/* Copies a described struct out, as many bytes as the caller's size says. */
static int give_info(struct nx_device_info *to, const struct nx_device_info *from)
{
    if (to->size != sizeof *to)
        return fail(-EINVAL, "nx_device_info: size is %zu, expected %zu", to->size, sizeof *to);
    size_t size = to->size;
    *to = *from;
    to->size = size;
    return 0;
}

int nx_device_list(unsigned index, struct nx_device_info *info)
{
    struct nx_device_info found = {0};
    for (int soft = 0; soft < 2; soft++)
        for (size_t b = 0; b < NBACKENDS; b++)
            for (unsigned i = 0;; i++) {
                int rc = soft ? backends[b]->list_soft(i, &found) : backends[b]->list(i, &found);
                if (rc == -ENOENT)
                    break;
                if (rc)
                    return rc;
                if (!index--)
                    return give_info(info, &found);
            }
    return fail(-ENOENT, "no more devices");
}

static int open_real(const struct backend *b, const char *number, nx_device **out)
{
    char *end;
    unsigned long n = strtoul(number, &end, 10);
    if (!*number || *end || n > 255 || *number < '0' || *number > '9')
        return fail(-EINVAL, "device selector \"%s:%s\": expected a number after the colon", b->vendor,
                    number);
    return b->open((int)n, NULL, out);
}

static int open_soft(const char *target, nx_device **out)
{
    int rc = -ENODEV;
    for (size_t b = 0; b < NBACKENDS; b++)
        if ((rc = backends[b]->open(-1, target, out)) != -ENODEV)
            return rc;
    return rc;
}

static int open_default(nx_device **out)
{
    struct nx_device_info info = {0};
    for (size_t b = 0; b < NBACKENDS; b++)
        if (backends[b]->list(0, &info) == 0)
            return backends[b]->open(0, NULL, out);
    for (size_t b = 0; b < NBACKENDS; b++)
        if (backends[b]->list_soft(0, &info) == 0) {
            static atomic_flag said = ATOMIC_FLAG_INIT;
            if (!atomic_flag_test_and_set(&said))
                fprintf(stderr, "nxgpu: no GPU here, using the software GPU %s (NXGPU_DEVICE chooses)\n",
                        info.selector);
            return open_soft(strchr(info.selector, ':') + 1, out);
        }
    return fail(-ENODEV, "no GPU, and no software GPU in this build");
}

int nx_device_open(const char *selector, nx_device **out)
{
    const char *env = getenv("NXGPU_DEVICE");
    *out = NULL;
    if (!selector && env && *env)
        selector = env;
    if (!selector)
        return open_default(out);
    if (!strncmp(selector, "soft:", 5))
        return open_soft(selector + 5, out);
    for (size_t b = 0; b < NBACKENDS; b++) {
        size_t n = strlen(backends[b]->vendor);
        if (!strncmp(selector, backends[b]->vendor, n) && selector[n] == ':')
            return open_real(backends[b], selector + n + 1, out);
    }
    return fail(-EINVAL, "device selector \"%s\": expected amd:NUMBER or soft:TARGET (nxgpu info lists them)",
                selector);
}

void nx_device_close(nx_device *d)
{
    if (d)
        d->ops->close(d);
}

int nx_device_describe(nx_device *d, struct nx_device_info *info)
{
    return give_info(info, &d->info);
}

int nx_device_status(nx_device *d)
{
    return device_check(d);
}

static atomic_uint forks;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, count_fork);
}

void device_init(nx_device *d, const struct backend *ops)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    d->forks = atomic_load(&forks);
    d->ops = ops;
    pthread_mutex_init(&d->lock, NULL);
    pthread_mutex_init(&d->copy_lock, NULL);
}

void device_fini(nx_device *d)
{
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->copy_lock);
}

int device_lose(nx_device *d, const char *text)
{
    pthread_mutex_lock(&d->lock);
    if (!d->lost) {
        snprintf(d->lost_text, sizeof d->lost_text, "%s", text);
        atomic_store(&d->lost, 1);
    }
    pthread_mutex_unlock(&d->lock);
    return device_check(d);
}

int device_check(nx_device *d)
{
    if (d->forks != atomic_load_explicit(&forks, memory_order_relaxed))
        return fail(-ENODEV, "%s was opened before fork(): a child process must open its own",
                    d->info.selector);
    return atomic_load(&d->lost) ? fail(-EIO, "%s: %s", d->info.selector, d->lost_text) : 0;
}
