/* The software GPU's device files: sysfs, ioctl rules, buffers, events, mappings, refusals.
 * Outside witnesses: facts/amd-kernel.md (Linux 6.1 and 7.2 sources), gpu_id and save-area sizes of a
 * captured RX 6800, <linux/kfd_ioctl.h> through kernel/. cases.md: T01, T07, T08, R2. */
#include "test/soft_client.h"
#include "kernel/drm.h"
#include <unistd.h>

static struct client c;

TEST(sysfs)
{
    CHECK_EQ(client_open_files(&c, "gfx1030,gfx1100"), 0);
    char buf[8192];
    CHECK_EQ(port_list_dir(c.port, "/sys/devices/virtual/kfd/kfd/topology/nodes", buf, sizeof buf), 3);
    CHECK(!memcmp(buf, "0\0001\0002", 6));
    CHECK_EQ(port_list_dir(c.port, "/sys/class/kfd/kfd/topology/nodes/1/", buf, sizeof buf), 7);
    CHECK_STR(buf, "caches");
    CHECK_EQ(port_list_dir(c.port, "/sys/class/drm/renderD128/device/ip_discovery/die/0", buf, sizeof buf),
             3);
    CHECK(!memcmp(buf, "11\00042\000108", 10));
    CHECK_EQ(port_list_dir(c.port, KFD_TOPOLOGY "/nodes/1/caches", buf, sizeof buf), 3);
    CHECK_EQ(port_list_dir(c.port, KFD_TOPOLOGY "/nodes/3", buf, sizeof buf), -ENOENT);
    CHECK(port_read_file(c.port, "/sys/class/drm/renderD128/device/ip_discovery/die/0/11/0/major", buf,
                         sizeof buf) == 3);
    CHECK_STR(buf, "10\n");
    /* the card that was captured reports exactly these */
    CHECK(port_read_file(c.port, KFD_TOPOLOGY "/nodes/1/gpu_id", buf, sizeof buf) > 0);
    CHECK_STR(buf, "27005\n");
    CHECK(port_read_file(c.port, KFD_TOPOLOGY "/nodes/1/properties", buf, sizeof buf) > 0);
    CHECK(strstr(buf, "\ncwsr_size 20914176\n") != NULL);
    CHECK(strstr(buf, "\nctl_stack_size 24576\n") != NULL);
    CHECK(strstr(buf, "\ndrm_render_minor 128\n") != NULL);
    CHECK_EQ((unsigned)-port_read_file(c.port, KFD_TOPOLOGY "/nodes/1/properties", buf, 16), ERANGE);
    CHECK_EQ((unsigned)-port_read_file(c.port, KFD_TOPOLOGY "/nodes/01/gpu_id", buf, sizeof buf), ENOENT);
    CHECK_EQ((unsigned)-port_read_file(c.port, KFD_TOPOLOGY "/nodes", buf, sizeof buf), EISDIR);
    CHECK_EQ((unsigned)-port_read_file(c.port, "/etc/passwd", buf, sizeof buf), ENOENT);
    CHECK_EQ(port_read_file(c.port, "/sys/module/amdgpu/initstate", buf, sizeof buf), 5);
    CHECK_STR(fault_text(&c), "");
    client_close(&c);
}

TEST(spec)
{
    struct port *p = NULL;
    CHECK_EQ((unsigned)-port_soft("gfx1101", &p), ENODEV);
    CHECK(strstr(fail_text(), "gfx1101") != NULL);
    CHECK_EQ((unsigned)-port_soft("", &p), ENODEV);
    CHECK_EQ((unsigned)-port_soft("gfx1100,", &p), ENODEV);
    static const char *const all[] = {"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"};
    for (unsigned i = 0; i < 6; i++) {
        CHECK_EQ(client_open(&c, all[i]), 0);
        client_close(&c);
    }
}

TEST(numbers)
{
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    uint64_t arg[512];
    memset(arg, 0xee, sizeof arg);
    CHECK_EQ((unsigned)-call_kfd(&c, 0x4b7f, arg), ENOTTY); /* T01, R2 */
    CHECK_EQ((unsigned)-call_kfd(&c, 0xc0104b00, arg), ENOTTY);
    for (unsigned nr = 0x27; nr < 0x100; nr++)
        CHECK_EQ((unsigned)-call_kfd(&c, CALL_WORD(3, 'K', nr, 64), arg), ENOTTY);
    for (unsigned nr = 0x0d; nr <= 0x10; nr++)
        CHECK_EQ((unsigned)-call_kfd(&c, CALL_WORD(1, 'K', nr, 8), arg), EPERM);
    for (unsigned i = 0; i < 512; i++)
        CHECK(arg[i] == 0xeeeeeeeeeeeeeeeeull);
    /* the number alone chooses the call; not a byte more than the word says is written */
    struct kfd_get_version v = {77, 77};
    CHECK_EQ(call_kfd(&c, CALL_WORD(0, 'X', KFD_NR_GET_VERSION, 4), &v), 0);
    CHECK_EQ(v.major_version, 1);
    CHECK_EQ(v.minor_version, 77);
    CHECK_EQ(call_kfd(&c, KFD_GET_VERSION, &v), 0);
    CHECK_EQ(v.minor_version, 17);
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_GET_VERSION, NULL), EFAULT);
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ACQUIRE_VM, (void *)16), EFAULT);
    CHECK_EQ((unsigned)-port_ioctl(c.port, 3, KFD_GET_VERSION, &v), EBADF);
    struct kfd_dbg_trap t = {.pid = 1};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_DBG_TRAP, &t), ESRCH);
    t.pid = (uint32_t)getpid();
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_DBG_TRAP, &t), ENODEV);
    t.op = 6;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_DBG_TRAP, &t), EINVAL);
    client_close(&c);
}

TEST(open_rules)
{
    CHECK_EQ(client_open_files(&c, "gfx1100"), 0);
    CHECK_EQ((unsigned)-port_open(c.port, "/dev/null", O_RDWR), ENOENT);
    CHECK_EQ((unsigned)-port_open(c.port, "/dev/dri/renderD129", O_RDWR), ENOENT);
    struct kfd_alloc_memory_of_gpu a = {
        .va_addr = 1 << 20, .size = 4096, .gpu_id = c.gpu_id, .flags = (uint32_t)VRAM_FLAGS};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), ENODEV); /* no VM yet */
    struct kfd_acquire_vm v = {.drm_fd = (uint32_t)c.render, .gpu_id = c.gpu_id + 1};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ACQUIRE_VM, &v), EINVAL);
    v.gpu_id = c.gpu_id;
    v.drm_fd = (uint32_t)c.kfd;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ACQUIRE_VM, &v), EINVAL);
    v.drm_fd = (uint32_t)c.render;
    CHECK_EQ(call_kfd(&c, KFD_ACQUIRE_VM, &v), 0);
    CHECK_EQ(call_kfd(&c, KFD_ACQUIRE_VM, &v), 0);
    int other = port_open(c.port, "/dev/dri/renderD128", O_RDWR);
    v.drm_fd = (uint32_t)other;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ACQUIRE_VM, &v), EBUSY);
    /* a read-only file gives no shared writable mapping */
    int ro = port_open(c.port, KFD_PATH, O_RDONLY);
    void *p;
    CHECK_EQ((unsigned)-port_mmap(c.port, &p, NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, ro, 2ull << 32),
             EACCES);
    CHECK_EQ(
        (unsigned)-port_mmap(c.port, &p, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, c.kfd, 2ull << 32),
        EINVAL);
    CHECK_EQ(port_mmap(c.port, &p, NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, c.kfd, 2ull << 32), 0);
    CHECK_EQ((unsigned)-port_mmap(c.port, &p, NULL, 8192, PROT_READ, MAP_SHARED, c.kfd, 0), EFAULT);
    CHECK_EQ((unsigned)-port_mmap(c.port, &p, NULL, 4096, PROT_READ, MAP_SHARED, c.render, 0), EINVAL);
    int local;
    CHECK_EQ((unsigned)-port_mmap(c.port, &p, &local, 4096, PROT_READ,
                                  MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0),
             EINVAL);
    CHECK_EQ(port_close(c.port, other), 0);
    CHECK_EQ((unsigned)-port_close(c.port, other), EBADF);
    client_close(&c);
}

TEST(memory)
{
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    struct buffer b, d;
    struct kfd_get_available_memory before = {.gpu_id = c.gpu_id}, after = before;
    CHECK_EQ(call_kfd(&c, KFD_AVAILABLE_MEMORY, &before), 0);
    CHECK_EQ(buffer_alloc(&c, &b, 3 << 20, (uint32_t)VRAM_FLAGS, 1), 0);
    CHECK_EQ(call_kfd(&c, KFD_AVAILABLE_MEMORY, &after), 0);
    CHECK_EQ(before.available - after.available, 4 << 20); /* in steps of 2 MiB */
    CHECK_EQ(b.va, (uintptr_t)b.host);
    memset(b.host, 1, b.size);
    /* still mapped */
    struct kfd_free_memory_of_gpu f = {.handle = b.handle};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_FREE_MEMORY_OF_GPU, &f), EBUSY);
    /* mapped twice: fine. the same addresses for another buffer: not */
    struct kfd_map_memory_to_gpu m = {
        .handle = b.handle, .device_ids_array_ptr = (uintptr_t)&c.gpu_id, .n_devices = 1};
    CHECK_EQ(call_kfd(&c, KFD_MAP_MEMORY_TO_GPU, &m), 0);
    struct kfd_alloc_memory_of_gpu a = {
        .va_addr = b.va + 4096, .size = 100, .gpu_id = c.gpu_id, .flags = (uint32_t)GTT_FLAGS};
    CHECK_EQ(call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), 0);
    CHECK_EQ(a.size, 100);
    m.handle = a.handle;
    m.n_success = 0;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_MAP_MEMORY_TO_GPU, &m), EINVAL);
    CHECK_EQ(m.n_success, 0);
    m.n_devices = 0;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_MAP_MEMORY_TO_GPU, &m), EINVAL);
    m.n_devices = 1;
    m.device_ids_array_ptr = 8;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_MAP_MEMORY_TO_GPU, &m), EFAULT);
    m.handle = a.handle + 999;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_MAP_MEMORY_TO_GPU, &m), ENOMEM);
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_UNMAP_MEMORY_FROM_GPU, &m), ENODEV);
    struct kfd_unmap_memory_from_gpu u = {
        .handle = a.handle, .device_ids_array_ptr = (uintptr_t)&c.gpu_id, .n_devices = 1};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_UNMAP_MEMORY_FROM_GPU, &u), EINVAL); /* never mapped */
    /* flags and sizes */
    a.size = 0;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), EINVAL);
    a.size = 4096;
    a.flags = KFD_MEM_WRITABLE;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), EINVAL);
    a.flags = KFD_MEM_DOORBELL;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), EINVAL);
    a.flags = (uint32_t)VRAM_FLAGS;
    a.size = 25ull << 30;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), ENOMEM);
    a.flags = KFD_MEM_USERPTR | KFD_MEM_WRITABLE;
    a.size = 4096;
    a.mmap_offset = 0;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), EINVAL);
    a.mmap_offset = 0x1000;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), EFAULT);
    /* the event page stays */
    f.handle = c.event_page;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_FREE_MEMORY_OF_GPU, &f), EPERM);
    f.handle = 12345;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_FREE_MEMORY_OF_GPU, &f), EINVAL);
    CHECK_EQ(buffer_free(&c, &b), 0);
    /* fresh memory is zero, also where freed memory was */
    CHECK_EQ(buffer_alloc(&c, &d, 3 << 20, (uint32_t)VRAM_FLAGS, 1), 0);
    CHECK_EQ(*(uint64_t *)d.host, 0);
    /* MMIO_REMAP and DOORBELL objects map through /dev/kfd */
    a = (struct kfd_alloc_memory_of_gpu){.va_addr = 0x7000000,
                                         .size = 4096,
                                         .gpu_id = c.gpu_id,
                                         .flags = KFD_MEM_MMIO_REMAP | KFD_MEM_WRITABLE};
    CHECK_EQ(call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), 0);
    void *p;
    CHECK_EQ(port_mmap(c.port, &p, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, c.kfd, a.mmap_offset), 0);
    *(uint32_t *)((char *)p + KFD_HDP_MEM_FLUSH) = 1;
    client_close(&c);
}

TEST(small_calls)
{
    CHECK_EQ(client_open(&c, "gfx1100,gfx1201"), 0);
    struct kfd_apertures ap[4];
    struct kfd_get_process_apertures_new n = {.kfd_process_device_apertures_ptr = (uintptr_t)ap};
    CHECK_EQ(call_kfd(&c, KFD_GET_PROCESS_APERTURES_NEW, &n), 0);
    CHECK_EQ(n.num_of_nodes, 2);
    n.num_of_nodes = 4;
    CHECK_EQ(call_kfd(&c, KFD_GET_PROCESS_APERTURES_NEW, &n), 0);
    CHECK_EQ(n.num_of_nodes, 2);
    CHECK_EQ(ap[0].gpu_id, c.gpu_id);
    CHECK_EQ(ap[1].lds_base, 1ull << 48);
    CHECK(ap[0].gpuvm_limit >= (1ull << 47) - 1);
    struct kfd_get_clock_counters k = {.gpu_id = c.gpu_id}, k2 = k;
    CHECK_EQ(call_kfd(&c, KFD_GET_CLOCK_COUNTERS, &k), 0);
    usleep(2000);
    CHECK_EQ(call_kfd(&c, KFD_GET_CLOCK_COUNTERS, &k2), 0);
    CHECK_EQ(k.system_clock_freq, 1000000000);
    uint64_t ns = k2.cpu_clock_counter - k.cpu_clock_counter,
             ticks = k2.gpu_clock_counter - k.gpu_clock_counter;
    CHECK(ticks * 10 > ns / 2 && ticks * 10 < ns * 2); /* 100 MHz */
    struct kfd_set_xnack_mode x = {-1};
    CHECK_EQ(call_kfd(&c, KFD_SET_XNACK_MODE, &x), 0);
    CHECK_EQ(x.xnack_enabled, 0);
    x.xnack_enabled = 1;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_SET_XNACK_MODE, &x), EPERM);
    struct kfd_runtime_enable r = {.mode_mask = 1};
    CHECK_EQ(call_kfd(&c, KFD_RUNTIME_ENABLE, &r), 0);
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_RUNTIME_ENABLE, &r), EBUSY);
    r.mode_mask = 0;
    CHECK_EQ(call_kfd(&c, KFD_RUNTIME_ENABLE, &r), 0);
    struct kfd_set_memory_policy mp = {.gpu_id = c.gpu_id, .default_policy = 2};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_SET_MEMORY_POLICY, &mp), EINVAL);
    mp.default_policy = 0;
    CHECK_EQ(call_kfd(&c, KFD_SET_MEMORY_POLICY, &mp), 0);
    struct kfd_get_tile_config tc = {.gpu_id = c.gpu_id, .num_tile_configs = 40};
    CHECK_EQ(call_kfd(&c, KFD_GET_TILE_CONFIG, &tc), 0);
    CHECK_EQ(tc.num_tile_configs, 0);
    /* DRM */
    char name[16] = "";
    struct drm_version_args v = {.name = (uintptr_t)name, .name_len = 15};
    CHECK_EQ(port_ioctl(c.port, c.render, DRM_VERSION, &v), 0);
    CHECK_STR(name, "amdgpu");
    CHECK(v.version_major == 3 && v.name_len == 6);
    struct amdgpu_info_device d;
    struct amdgpu_info in = {
        .return_pointer = (uintptr_t)&d, .return_size = 368, .query = AMDGPU_QUERY_DEV_INFO};
    memset(&d, 0xff, sizeof d);
    CHECK_EQ(port_ioctl(c.port, c.render, AMDGPU_INFO, &in), 0);
    CHECK_EQ(d.device_id, 0x744c);
    CHECK_EQ(d.cu_active_number, 96);
    unsigned cus = 0;
    for (unsigned i = 0; i < 16; i++)
        cus += (unsigned)__builtin_popcount(d.cu_bitmap[i]);
    CHECK_EQ(cus, 96);
    CHECK_EQ(((uint8_t *)&d)[368], 0xff); /* an older client's shorter struct */
    in.query = 0x7777;
    CHECK_EQ((unsigned)-port_ioctl(c.port, c.render, AMDGPU_INFO, &in), EINVAL);
    struct drm_client_args cl = {0};
    CHECK_EQ((unsigned)-port_ioctl(c.port, c.render, DRM_GET_CLIENT, &cl), EACCES);
    CHECK_EQ((unsigned)-port_ioctl(c.port, c.render, 0xc01064ff, &cl), EINVAL);
    client_close(&c);
}

TEST(events)
{
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    struct kfd_create_event e = {.event_page_offset = c.event_page, .event_type = KFD_EVENT_SIGNAL};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_CREATE_EVENT, &e), EINVAL); /* a second page */
    e.event_page_offset = 0;
    e.auto_reset = 1;
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &e), 0);
    CHECK_EQ(e.event_id, 2); /* 0 is never used, 1 is the first of client_open */
    CHECK_EQ(e.event_slot_index, 2);
    CHECK(e.event_page_offset != 0);
    struct kfd_create_event m = {.event_type = KFD_EVENT_MEMORY};
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &m), 0);
    CHECK_EQ(m.event_id, 0x40000000);
    struct kfd_event data[2] = {{.event_id = 2}, {.event_id = m.event_id}};
    struct kfd_wait_events w = {.events_ptr = (uintptr_t)data, .num_events = 2};
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_TIMEOUT);
    uint64_t t = test_now_ms();
    w.timeout = 20;
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_TIMEOUT);
    CHECK(test_now_ms() - t >= 20);
    struct kfd_set_event set = {.event_id = 2};
    CHECK_EQ(call_kfd(&c, KFD_SET_EVENT, &set), 0);
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_COMPLETE);
    w.timeout = 0;
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0); /* auto reset took it */
    CHECK_EQ(w.wait_result, KFD_WAIT_TIMEOUT);
    CHECK_EQ(call_kfd(&c, KFD_SET_EVENT, &set), 0);
    w.wait_for_all = 1;
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0); /* one of two is not all, and the wait consumed it */
    CHECK_EQ(w.wait_result, KFD_WAIT_TIMEOUT);
    /* an age that is not the current one is satisfied at once and updated */
    data[0].signal_event_data.last_event_age = 1;
    w.wait_for_all = 0;
    w.num_events = 1;
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_COMPLETE);
    CHECK_EQ(data[0].signal_event_data.last_event_age, 3);
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &w), 0);
    CHECK_EQ(w.wait_result, KFD_WAIT_TIMEOUT);
    /* refusals */
    set.event_id = m.event_id;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_SET_EVENT, &set), EINVAL);
    set.event_id = 0;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_SET_EVENT, &set), EINVAL);
    data[0].event_id = 99;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_WAIT_EVENTS, &w), EINVAL);
    CHECK_EQ(w.wait_result, KFD_WAIT_FAIL);
    w.events_ptr = 64;
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_WAIT_EVENTS, &w), EFAULT);
    struct kfd_destroy_event d = {.event_id = 2};
    CHECK_EQ(call_kfd(&c, KFD_DESTROY_EVENT, &d), 0);
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_DESTROY_EVENT, &d), EINVAL);
    /* T33: the limit is enforced, and not on unrelated calls */
    unsigned made = 0;
    e = (struct kfd_create_event){.event_type = KFD_EVENT_SIGNAL};
    while (made < 5000 && !call_kfd(&c, KFD_CREATE_EVENT, &e)) {
        e.event_page_offset = 0;
        made++;
    }
    CHECK_EQ(made, 4094);
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_CREATE_EVENT, &e), ENOSPC);
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &m), 0);
    client_close(&c);
    e.event_page_offset = 0;
    /* the oldest clients' way: no page given, mapped from /dev/kfd */
    CHECK_EQ(client_open_files(&c, "gfx1100"), 0);
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &e), 0);
    void *p;
    CHECK_EQ(port_mmap(c.port, &p, NULL, KFD_EVENT_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, c.kfd,
                       e.event_page_offset),
             0);
    CHECK_EQ(((uint64_t *)p)[1], ~0ull);
    client_close(&c);
}

/* No descriptor and no mapping outlives its port; closing /dev/kfd frees what the process had. */
TEST(closing)
{
    struct buffer b;
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    CHECK_EQ(buffer_alloc(&c, &b, 1 << 20, (uint32_t)VRAM_FLAGS, 1), 0);
    CHECK_EQ(port_close(c.port, c.render), 0);
    CHECK_EQ(port_close(c.port, c.kfd), 0);
    c.kfd = port_open(c.port, KFD_PATH, O_RDWR);
    c.render = port_open(c.port, "/dev/dri/renderD128", O_RDWR);
    struct kfd_acquire_vm v = {.drm_fd = (uint32_t)c.render, .gpu_id = c.gpu_id};
    CHECK_EQ(call_kfd(&c, KFD_ACQUIRE_VM, &v), 0);
    struct kfd_get_available_memory m = {.gpu_id = c.gpu_id};
    CHECK_EQ(call_kfd(&c, KFD_AVAILABLE_MEMORY, &m), 0);
    CHECK_EQ(m.available, 24ull << 30);
    client_close(&c);
    int before = dup(1);
    close(before);
    for (int i = 0; i < 50; i++) {
        CHECK_EQ(client_open(&c, "gfx1100"), 0);
        client_close(&c);
    }
    int after = dup(1);
    close(after);
    CHECK_EQ(before, after);
}

int main(void)
{
    RUN(sysfs);
    RUN(spec);
    RUN(numbers);
    RUN(open_rules);
    RUN(memory);
    RUN(small_calls);
    RUN(events);
    RUN(closing);
    return test_done();
}
