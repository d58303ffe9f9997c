/* An HSA program of no project's: agents, pools, signals, copies, fills, queues, barrier packets, dispatch. Built
 * against the distribution's HSA runtime; knows nothing of nxgpu. hsa_test KERNELS.co */
#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hsa_agent_t cpu, gpu[8];
static unsigned ngpus;
static hsa_amd_memory_pool_t fine, kernarg, local;
static int bad_total;

static void say(const char *name, int ok)
{
    printf("%s - %s\n", ok ? "ok" : "not ok", name);
    fflush(stdout);
    bad_total += !ok;
}
#define MUST(call)                                                                                           \
    do {                                                                                                     \
        hsa_status_t s_ = (call);                                                                            \
        if (s_ != HSA_STATUS_SUCCESS) {                                                                      \
            const char *t_ = "";                                                                             \
            hsa_status_string(s_, &t_);                                                                      \
            printf("not ok - %s: 0x%x %s\n", #call, s_, t_);                                                 \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static hsa_status_t on_agent(hsa_agent_t a, void *data)
{
    hsa_device_type_t type;
    (void)data;
    MUST(hsa_agent_get_info(a, HSA_AGENT_INFO_DEVICE, &type));
    if (type == HSA_DEVICE_TYPE_CPU)
        cpu = a;
    else if (ngpus < 8)
        gpu[ngpus++] = a;
    return HSA_STATUS_SUCCESS;
}
static hsa_status_t on_cpu_pool(hsa_amd_memory_pool_t p, void *data)
{
    uint32_t flags = 0;
    hsa_amd_segment_t seg;
    (void)data;
    hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &seg);
    if (seg != HSA_AMD_SEGMENT_GLOBAL)
        return HSA_STATUS_SUCCESS;
    hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        kernarg = p;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
        fine = p;
    return HSA_STATUS_SUCCESS;
}
static hsa_status_t on_gpu_pool(hsa_amd_memory_pool_t p, void *data)
{
    hsa_amd_segment_t seg;
    hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &seg);
    if (seg == HSA_AMD_SEGMENT_GLOBAL)
        *(hsa_amd_memory_pool_t *)data = p;
    return HSA_STATUS_SUCCESS;
}

static hsa_signal_t signal_new(int64_t v)
{
    hsa_signal_t s;
    MUST(hsa_signal_create(v, 0, NULL, &s));
    return s;
}
/* Waits for 0 for at most 30 s. */
static int done(hsa_signal_t s)
{
    return hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_LT, 1, 30000000000ull, HSA_WAIT_STATE_BLOCKED) ==
           0;
}
static void *host_mem(size_t n)
{
    void *p;
    MUST(hsa_amd_memory_pool_allocate(fine, n, 0, &p));
    MUST(hsa_amd_agents_allow_access(ngpus, gpu, NULL, p));
    return p;
}
static void *device_mem(size_t n)
{
    void *p;
    MUST(hsa_amd_memory_pool_allocate(local, n, 0, &p));
    return p;
}
static int copy(void *dst, hsa_agent_t da, const void *src, hsa_agent_t sa, size_t n)
{
    hsa_signal_t s = signal_new(1);
    if (hsa_amd_memory_async_copy(dst, da, src, sa, n, 0, NULL, s) != HSA_STATUS_SUCCESS)
        return 0;
    int ok = done(s);
    hsa_signal_destroy(s);
    return ok;
}

static void test_copies(void)
{
    enum { N = 3 << 20 };
    uint32_t *h = host_mem(N + 4096), *h2 = host_mem(N + 4096);
    uint8_t *d = device_mem(N + 4096), *d2 = device_mem(N + 4096);
    const size_t sizes[] = {4, 1, 63, 4096, 65537, N};
    int ok = 1;
    for (unsigned i = 0; i < N / 4; i++)
        h[i] = i * 2654435761u;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(h2, 0, N);
        ok &= copy(d + i, gpu[0], (uint8_t *)h + 2 * i, cpu, sizes[i]);
        ok &= copy(d2 + 3 * i, gpu[0], d + i, gpu[0], sizes[i]);
        ok &= copy(h2, cpu, d2 + 3 * i, gpu[0], sizes[i]);
        ok &= !memcmp(h2, (uint8_t *)h + 2 * i, sizes[i]) && !((uint8_t *)h2)[sizes[i]];
    }
    say("asynchronous copies", ok);
    ok = hsa_memory_copy(d, h, N) == HSA_STATUS_SUCCESS;
    memset(h2, 0, N);
    ok &= hsa_memory_copy(h2, d, N) == HSA_STATUS_SUCCESS && !memcmp(h, h2, N);
    say("synchronous copies", ok);
    ok = hsa_amd_memory_fill(d, 0xdeadbeef, 1000) == HSA_STATUS_SUCCESS && copy(h2, cpu, d, gpu[0], 4004);
    for (unsigned i = 0; i < 1000; i++)
        ok &= h2[i] == 0xdeadbeef;
    say("fill", ok && h2[1000] == h[1000]);
    hsa_amd_memory_pool_free(h);
    hsa_amd_memory_pool_free(h2);
    hsa_amd_memory_pool_free(d);
    hsa_amd_memory_pool_free(d2);
}

/* Copies that depend on signals, raised by the host. */
static void test_chains(void)
{
    uint32_t *h = host_mem(8192);
    hsa_signal_t go = signal_new(1), a = signal_new(1), b = signal_new(1);
    for (unsigned i = 0; i < 1024; i++)
        h[i] = i, h[1024 + i] = 0;
    uint8_t *d = device_mem(4096);
    MUST(hsa_amd_memory_async_copy(d, gpu[0], h, cpu, 4096, 1, &go, a));
    MUST(hsa_amd_memory_async_copy(h + 1024, cpu, d, gpu[0], 4096, 1, &a, b));
    usleep(20000);
    int ok = hsa_signal_load_relaxed(b) == 1;
    hsa_signal_store_screlease(go, 0);
    ok &= done(b) && !memcmp(h, h + 1024, 4096);
    say("copies wait for signals", ok);
}

static uint64_t put(hsa_queue_t *q, const void *packet, uint16_t header)
{
    uint64_t at = hsa_queue_add_write_index_screlease(q, 1);
    while (at - hsa_queue_load_read_index_scacquire(q) >= q->size)
        ;
    uint8_t *slot = (uint8_t *)q->base_address + (at & (q->size - 1)) * 64;
    memcpy(slot + 4, (const uint8_t *)packet + 4, 60);
    uint16_t setup = ((const uint16_t *)packet)[1];
    __atomic_store_n((uint32_t *)slot, header | (uint32_t)setup << 16, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(q->doorbell_signal, (hsa_signal_value_t)at);
    return at;
}
#define HEADER(type)                                                                                         \
    (uint16_t)((type) << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |                           \
               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |                           \
               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE)

static void test_barriers(hsa_queue_t *q)
{
    hsa_signal_t in[2] = {signal_new(1), signal_new(1)}, out = signal_new(1), either = signal_new(1);
    hsa_barrier_and_packet_t all = {.dep_signal = {in[0], in[1]}, .completion_signal = out};
    hsa_barrier_or_packet_t any = {.dep_signal = {in[0], in[1]}, .completion_signal = either};
    put(q, &any, HEADER(HSA_PACKET_TYPE_BARRIER_OR));
    put(q, &all, HEADER(HSA_PACKET_TYPE_BARRIER_AND));
    usleep(10000);
    int ok = hsa_signal_load_relaxed(either) == 1;
    hsa_signal_store_screlease(in[1], 0);
    ok &= done(either);
    usleep(10000);
    ok &= hsa_signal_load_relaxed(out) == 1;
    hsa_signal_store_screlease(in[0], 0);
    ok &= done(out);
    say("barrier-or and barrier-and", ok);
    ok = 1;
    for (int i = 0; i < 3000; i++) { /* more than the ring holds */
        hsa_barrier_and_packet_t p = {0};
        if (i % 100 == 99) {
            hsa_signal_store_screlease(out, 1);
            p.completion_signal = out;
        }
        put(q, &p, HEADER(HSA_PACKET_TYPE_BARRIER_AND));
        if (i % 100 == 99)
            ok &= done(out);
    }
    say("ring wraps", ok);
}

struct vector_args {
    const float *a, *b;
    float *c;
    uint32_t n;
    uint32_t pad;
    uint64_t hidden[32];
};

static hsa_executable_t executable;
static int load(const char *path, hsa_agent_t agent)
{
    int fd = open(path, O_RDONLY);
    hsa_code_object_reader_t r;
    if (fd < 0)
        return 0;
    MUST(hsa_code_object_reader_create_from_file(fd, &r));
    MUST(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                   &executable));
    MUST(hsa_executable_load_agent_code_object(executable, agent, r, NULL, NULL));
    MUST(hsa_executable_freeze(executable, NULL));
    return 1;
}

static void test_dispatch(hsa_queue_t *q, hsa_agent_t agent, const char *label)
{
    enum { N = 5000 };
    hsa_executable_symbol_t sym;
    uint64_t object;
    uint32_t group, priv, args_size;
    MUST(hsa_executable_get_symbol_by_name(executable, "vector_add.kd", &agent, &sym));
    MUST(hsa_executable_symbol_get_info(sym, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    MUST(hsa_executable_symbol_get_info(sym, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &group));
    MUST(hsa_executable_symbol_get_info(sym, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &priv));
    MUST(hsa_executable_symbol_get_info(sym, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
                                        &args_size));
    float *a = host_mem(N * 4), *b = host_mem(N * 4), *c = host_mem(N * 4);
    struct vector_args *args;
    MUST(hsa_amd_memory_pool_allocate(kernarg, 4096, 0, (void **)&args));
    MUST(hsa_amd_agents_allow_access(1, &agent, NULL, args));
    memset(args, 0, sizeof *args);
    *args = (struct vector_args){.a = a, .b = b, .c = c, .n = N};
    for (int i = 0; i < N; i++)
        a[i] = (float)i, b[i] = (float)(3 * i) + 0.5f, c[i] = -1;
    hsa_signal_t s = signal_new(1);
    hsa_kernel_dispatch_packet_t p = {.setup = 1,
                                      .workgroup_size_x = 64,
                                      .workgroup_size_y = 1,
                                      .workgroup_size_z = 1,
                                      .grid_size_x = 5056, /* whole groups: the kernel checks n */
                                      .grid_size_y = 1,
                                      .grid_size_z = 1,
                                      .private_segment_size = priv,
                                      .group_segment_size = group,
                                      .kernel_object = object,
                                      .kernarg_address = args,
                                      .completion_signal = s};
    put(q, &p, HEADER(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    int ok = done(s);
    for (int i = 0; i < N; i++)
        ok &= c[i] == (float)i + (float)(3 * i) + 0.5f;
    say(label, ok);
    if (!ok)
        return;
    /* two hundred dispatches in a row, one signal */
    hsa_signal_store_screlease(s, 200);
    for (int i = 0; i < 200; i++)
        put(q, &p, HEADER(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    say("two hundred dispatches", done(s));
    hsa_signal_destroy(s);
}

static volatile uint64_t queue_error;
static void on_error(hsa_status_t status, hsa_queue_t *q, void *data)
{
    (void)q, (void)data;
    queue_error = status;
}
static hsa_status_t on_event(const hsa_amd_event_t *e, void *data)
{
    (void)data;
    if (e->event_type == HSA_AMD_GPU_MEMORY_FAULT_EVENT)
        queue_error = e->memory_fault.virtual_address;
    return HSA_STATUS_SUCCESS;
}

/* A kernel that reads where nothing is mapped: the runtime's fault handler is told the page. */
static void test_fault(hsa_queue_t *q, hsa_agent_t agent)
{
    hsa_executable_symbol_t sym;
    uint64_t object;
    struct vector_args *args;
    MUST(hsa_executable_get_symbol_by_name(executable, "vector_add.kd", &agent, &sym));
    MUST(hsa_executable_symbol_get_info(sym, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    MUST(hsa_amd_memory_pool_allocate(kernarg, 4096, 0, (void **)&args));
    MUST(hsa_amd_agents_allow_access(1, &agent, NULL, args));
    memset(args, 0, sizeof *args);
    *args = (struct vector_args){
        .a = (float *)0x123456000, .b = (float *)0x123456000, .c = (float *)0x123456000, .n = 64};
    hsa_signal_t s = signal_new(1);
    hsa_kernel_dispatch_packet_t p = {.setup = 1,
                                      .workgroup_size_x = 64,
                                      .workgroup_size_y = 1,
                                      .workgroup_size_z = 1,
                                      .grid_size_x = 64,
                                      .grid_size_y = 1,
                                      .grid_size_z = 1,
                                      .kernel_object = object,
                                      .kernarg_address = args,
                                      .completion_signal = s};
    MUST(hsa_amd_register_system_event_handler(on_event, NULL));
    put(q, &p, HEADER(HSA_PACKET_TYPE_KERNEL_DISPATCH));
    for (int i = 0; i < 500 && !queue_error; i++)
        usleep(10000);
    say("memory fault reported", queue_error == 0x123456000 && hsa_signal_load_relaxed(s) == 1);
}

int main(int argc, char **argv)
{
    MUST(hsa_init());
    MUST(hsa_iterate_agents(on_agent, NULL));
    say("a GPU agent", ngpus > 0);
    if (!ngpus)
        return 1;
    MUST(hsa_amd_agent_iterate_memory_pools(cpu, on_cpu_pool, NULL));
    MUST(hsa_amd_agent_iterate_memory_pools(gpu[0], on_gpu_pool, &local));
    hsa_queue_t *q;
    MUST(hsa_queue_create(gpu[0], 1024, HSA_QUEUE_TYPE_MULTI, on_error, NULL, UINT32_MAX, UINT32_MAX, &q));
    test_barriers(q);
    test_copies();
    test_chains();
    if (argc > 1 && load(argv[1], gpu[0])) {
        test_dispatch(q, gpu[0], "dispatch");
        test_fault(q, gpu[0]);
    } else {
        printf("skip - dispatch: no code object\n");
    }
    MUST(hsa_queue_destroy(q));
    MUST(hsa_shut_down());
    say("shut down", 1);
    return bad_total != 0;
}
