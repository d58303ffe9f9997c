#include "amd/amd.h"
#include "base/err.h"
#include "base/mem.h"
#include "kernel/device.h"
#include <stdio.h>
#include <unistd.h>

enum { RENDER_MAX = 64 };

struct amd_session {
    const struct port *port;
    int kfd, shared;
    unsigned minor; /* of the driver's interface */
    pid_t pid;
    struct amd_buffer *page;
    uint32_t page_gpu; /* whose address space the page was made in */
    unsigned render_count;
    struct {
        uint32_t gpu_id;
        int fd;
    } render[RENDER_MAX];
};

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct amd_session *shared_session;

static int session_new(const struct port *port, int shared, struct amd_session **out)
{
    struct kfd_get_version v = {0};
    struct amd_session *s = mem_alloc(sizeof *s);
    if (!s)
        return -ENOMEM;
    int rc = s->kfd = kfd_open(port);
    if (rc < 0)
        goto undo_alloc;
    if ((rc = kfd_call(port, s->kfd, KFD_GET_VERSION, &v)))
        goto undo_open;
    if (v.major_version != 1) {
        rc = fail(-ENODEV, "%s: KFD interface %u.%u, expected 1.x", KFD_PATH, v.major_version,
                  v.minor_version);
        goto undo_open;
    }
    s->port = port;
    s->shared = shared;
    s->minor = v.minor_version;
    s->pid = getpid();
    *out = s;
    return 0;
undo_open:
    port_close(port, s->kfd);
undo_alloc:
    mem_free(s);
    return rc;
}

int session_get(const struct port *port, int shared, struct amd_session **out)
{
    int rc = 0;
    if (!shared)
        return session_new(port, 0, out);
    pthread_mutex_lock(&shared_lock);
    if (!shared_session)
        rc = session_new(port, 1, &shared_session);
    else if (shared_session->pid != getpid())
        rc = fail(-ENODEV, "the GPU was opened before fork(): a child process must open it first itself");
    *out = shared_session;
    pthread_mutex_unlock(&shared_lock);
    return rc;
}

void session_put(struct amd_session *s)
{
    if (!s || s->shared)
        return;
    if (s->page)
        amd_free(&s->page->base);
    for (unsigned i = 0; i < s->render_count; i++)
        port_close(s->port, s->render[i].fd);
    port_close(s->port, s->kfd);
    mem_free(s);
}

int session_kfd(const struct amd_session *s)
{
    return s->kfd;
}

void session_driver(const struct amd_session *s, char *text, size_t size)
{
    snprintf(text, size, "KFD 1.%u", s->minor);
}

static int find_or_open(struct amd_session *s, const struct kfd_node *n, int *drm)
{
    for (unsigned i = 0; i < s->render_count; i++)
        if (s->render[i].gpu_id == n->gpu_id) {
            *drm = s->render[i].fd;
            return 0;
        }
    if (s->render_count == RENDER_MAX)
        return fail(-ENODEV, "more than %d GPUs are open", RENDER_MAX);
    int fd = kfd_open_render(s->port, (unsigned)n->drm_render_minor);
    if (fd < 0)
        return fd;
    struct kfd_acquire_vm vm = {.drm_fd = (uint32_t)fd, .gpu_id = n->gpu_id};
    int rc = kfd_call(s->port, s->kfd, KFD_ACQUIRE_VM, &vm);
    if (rc) {
        port_close(s->port, fd);
        return rc;
    }
    s->render[s->render_count].gpu_id = n->gpu_id;
    s->render[s->render_count++].fd = fd;
    *drm = fd;
    return 0;
}

int session_render(struct amd_session *s, const struct kfd_node *n, int *drm)
{
    pthread_mutex_lock(&shared_lock);
    int rc = find_or_open(s, n, drm);
    pthread_mutex_unlock(&shared_lock);
    return rc;
}

/* The first CREATE_EVENT of a process names the page and makes an event too. */
static int make_page(struct amd_session *s, struct amd_device *d)
{
    int rc = amd_bo(d, KFD_EVENT_PAGE, 4096, AMD_HOST_MEMORY & ~KFD_MEM_PUBLIC, 1, &s->page);
    if (rc)
        return rc;
    struct kfd_create_event e = {.event_page_offset = s->page->handle, .event_type = KFD_EVENT_SIGNAL};
    if ((rc = kfd_call(s->port, s->kfd, KFD_CREATE_EVENT, &e))) {
        amd_free(&s->page->base);
        s->page = NULL;
    }
    s->page_gpu = d->gpu_id;
    return rc;
}

int session_event_page(struct amd_session *s, struct amd_device *d, uint64_t *va)
{
    int rc = 0;
    pthread_mutex_lock(&shared_lock);
    if (!s->page) {
        rc = make_page(s, d);
    } else if (s->page_gpu != d->gpu_id) {
        struct kfd_map_memory_to_gpu m = {.handle = s->page->handle,
                                          .device_ids_array_ptr = (uint64_t)(uintptr_t)&d->gpu_id,
                                          .n_devices = 1};
        rc = kfd_call(s->port, s->kfd, KFD_MAP_MEMORY_TO_GPU, &m);
    }
    *va = rc ? 0 : s->page->base.va;
    pthread_mutex_unlock(&shared_lock);
    return rc;
}

uint64_t session_event_va(const struct amd_session *s)
{
    return s->page->base.va;
}
