/* The software GPU's PM4 queues, packet by packet, through the driver's door: memory, waits, jumps,
 * interrupts, refusals, queue creation rules, faults. Outside witnesses: hw/amd's rows (their own witnesses),
 * the recorded stream of tinygrad in test/golden. cases.md: T03, T08, T09, T29, R1. */
#include "hw/amd/pm4.h"
#include "hw/amd/regs.h"
#include "test/soft_client.h"

static struct client c;
static struct ring q;
static struct buffer mem;
static volatile uint32_t *w; /* mem as dwords */
#define VA(i) (mem.va + (i)*4ull)

static void setup(uint32_t bytes)
{
    CHECK_EQ(client_open(&c, "gfx1100"), 0);
    CHECK_EQ(ring_open(&c, &q, KFD_QUEUE_COMPUTE, bytes), 0);
    CHECK_EQ(buffer_alloc(&c, &mem, 1 << 16, (uint32_t)GTT_FLAGS, 1), 0);
    w = mem.host;
}
static void teardown(void)
{
    CHECK_EQ(ring_close(&c, &q), 0);
    client_close(&c);
}

/* One packet built from its row. */
#define EMIT(row, ...)                                                                                       \
    do {                                                                                                     \
        uint32_t dw_[PM4_##row##_DWORDS];                                                                    \
        struct pm4_##row p_ = {__VA_ARGS__};                                                                 \
        pm4_##row##_pack(dw_, &p_);                                                                          \
        ring_put(&q, dw_, PM4_##row##_DWORDS);                                                               \
    } while (0)
#define BUILD(to, n, row, ...)                                                                               \
    do {                                                                                                     \
        struct pm4_##row p_ = {__VA_ARGS__};                                                                 \
        pm4_##row##_pack((uint32_t *)(to) + (n), &p_);                                                       \
        (n) += PM4_##row##_DWORDS;                                                                           \
    } while (0)

static void write_dword(uint64_t va, uint32_t v)
{
    EMIT(write_data, .dst_sel = PM4_WRITE_DST_MEMORY, .wr_confirm = 1, .addr = va, .tail = 1);
    ring_put(&q, &v, 1);
}

static void release32(uint64_t va, uint32_t v)
{
    EMIT(release_mem, .event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS, .event_index = 5,
         .data_sel = PM4_DATA_SEL_LOW32, .addr = va, .data = v);
}

/* Submits and expects word 0 to become `value`. */
static void done(uint32_t value)
{
    release32(VA(0), value);
    ring_submit(&q);
    CHECK_EQ(wait_value(&c, &w[0], value), 0);
    settle(&c);
    CHECK_EQ(*q.rptr, q.put);
}

TEST(memory_packets)
{
    setup(4096);
    static const uint32_t filler[] = {PM4_TYPE2, 0xffff1000, 0xc0001000, 0x12345678};
    ring_put(&q, filler, 4);
    write_dword(VA(4), 77);
    uint32_t many[5] = {1, 2, 3, 4, 5};
    EMIT(write_data, .dst_sel = PM4_WRITE_DST_L2, .addr = VA(8), .tail = 5);
    ring_put(&q, many, 5);
    EMIT(write_data, .dst_sel = PM4_WRITE_DST_MEMORY, .one_addr = 1, .addr = VA(16), .tail = 5);
    ring_put(&q, many, 5);
    EMIT(copy_data, .src_sel = PM4_COPY_SRC_MEMORY, .dst_sel = PM4_COPY_DST_MEMORY, .src = VA(8),
         .dst = VA(20), .count_64 = 1);
    EMIT(copy_data, .src_sel = PM4_COPY_SRC_IMMEDIATE, .dst_sel = PM4_COPY_DST_L2, .src = 0x1122334455667788,
         .dst = VA(22));
    EMIT(copy_data, .src_sel = PM4_COPY_SRC_GPU_CLOCK, .dst_sel = PM4_COPY_DST_MEMORY, .dst = VA(24),
         .count_64 = 1);
    EMIT(dma_data, .src_sel = PM4_DMA_SRC_ADDRESS_L2, .dst_sel = PM4_DMA_DST_ADDRESS_L2, .src = VA(8),
         .dst = VA(100), .byte_count = 19);
    EMIT(dma_data, .src_sel = PM4_DMA_SRC_DATA, .dst_sel = PM4_DMA_DST_ADDRESS, .src = 0xabcdef01,
         .dst = VA(200), .byte_count = 4096);
    EMIT(event_write, .event_type = PM4_EVENT_CS_PARTIAL_FLUSH, .event_index = 4);
    EMIT(acquire_mem, .size = ~0ull, .gli_inv = 1);
    EMIT(pred_exec, .count = 5, .xcc_mask = 2); /* not for XCC 0 */
    write_dword(VA(30), 1);
    EMIT(pred_exec, .count = 5, .xcc_mask = 1);
    write_dword(VA(31), 1);
    EMIT(cond_exec, .addr = VA(40), .count = 5);
    write_dword(VA(32), 1);
    w[41] = 9;
    EMIT(cond_exec, .addr = VA(41), .count = 5);
    write_dword(VA(33), 1);
    EMIT(release_mem, .event_type = PM4_EVENT_BOTTOM_OF_PIPE_TS, .event_index = 5,
         .data_sel = PM4_DATA_SEL_GPU_CLOCK, .addr = VA(26));
    EMIT(release_mem, .event_type = PM4_EVENT_BOTTOM_OF_PIPE_TS, .event_index = 5,
         .data_sel = PM4_DATA_SEL_DATA64, .addr = VA(28), .data = 0xffffffff00000001);
    done(1);
    CHECK_EQ(w[4], 77);
    CHECK(w[8] == 1 && w[12] == 5 && w[13] == 0);
    CHECK(w[16] == 5 && w[17] == 0);
    CHECK(w[20] == 1 && w[21] == 2);
    CHECK(w[22] == 0x55667788 && w[23] == 0);
    CHECK(*(volatile uint64_t *)&w[24] && *(volatile uint64_t *)&w[26] >= *(volatile uint64_t *)&w[24]);
    CHECK(*(volatile uint64_t *)&w[28] == 0xffffffff00000001);
    CHECK(w[103] == 4 && w[104] == 5 && w[105] == 0);
    CHECK(w[200] == 0xabcdef01 && w[200 + 1023] == 0xabcdef01 && w[200 + 1024] == 0);
    CHECK(!w[30] && w[31] && !w[32] && w[33]);
    teardown();
}

TEST(atomics)
{
    setup(4096);
    w[4] = 10;
    w[6] = 0xffffffff;
    w[7] = 0;
    w[8] = 5;
    EMIT(atomic_mem, .atomic = AMD_ATOMIC_ADD_32, .addr = VA(4), .src = 5);
    EMIT(atomic_mem, .atomic = AMD_ATOMIC_ADD_64, .addr = VA(6), .src = 1);
    EMIT(atomic_mem, .atomic = AMD_ATOMIC_SWAP_RTN_32, .addr = VA(8), .src = 6);
    EMIT(copy_data, .src_sel = PM4_COPY_SRC_ATOMIC_RETURN, .dst_sel = PM4_COPY_DST_MEMORY, .dst = VA(9));
    EMIT(atomic_mem, .atomic = AMD_ATOMIC_CMPSWAP_32, .addr = VA(8), .src = 7, .cmp = 99);
    EMIT(atomic_mem, .atomic = AMD_ATOMIC_SMIN_32, .addr = VA(10), .src = 0xfffffffe);
    EMIT(atomic_mem, .atomic = AMD_ATOMIC_UMIN_32, .addr = VA(11), .src = 0xfffffffe);
    EMIT(atomic_mem, .atomic = AMD_ATOMIC_CMPSWAP_RTN_32, .command = PM4_ATOMIC_CMD_LOOP, .addr = VA(12),
         .src = 2, .cmp = 1);
    release32(VA(0), 1);
    ring_submit(&q);
    settle(&c);
    CHECK_EQ(w[0], 0); /* the loop waits */
    w[12] = 1;
    CHECK_EQ(wait_value(&c, &w[0], 1), 0);
    CHECK(w[4] == 15 && w[6] == 0 && w[7] == 1 && w[8] == 6 && w[9] == 5);
    CHECK(w[10] == 0xfffffffe && w[11] == 0 && w[12] == 2);
    teardown();
}

TEST(waits)
{
    setup(4096);
    static const struct {
        uint32_t func, before, after, ref;
    } cases[] = {{PM4_FUNC_LT, 5, 4, 5}, {PM4_FUNC_LE, 6, 5, 5}, {PM4_FUNC_EQ, 4, 5, 5},
                 {PM4_FUNC_NE, 5, 4, 5}, {PM4_FUNC_GE, 4, 5, 5}, {PM4_FUNC_GT, 5, 0x80000000, 5}};
    for (unsigned i = 0; i < 6; i++) {
        w[4] = cases[i].before;
        EMIT(wait_reg_mem, .function = cases[i].func, .mem_space = PM4_SPACE_MEMORY, .addr = VA(4),
             .reference = cases[i].ref, .mask = ~0u);
        release32(VA(0), i + 1);
        ring_submit(&q);
        settle(&c);
        CHECK_EQ(w[0], i);
        w[4] = cases[i].after;
        CHECK_EQ(wait_value(&c, &w[0], i + 1), 0);
    }
    /* masked; 64 bits; the HDP flush by register passes at once */
    w[4] = 0xf5;
    EMIT(wait_reg_mem, .function = PM4_FUNC_EQ, .mem_space = PM4_SPACE_MEMORY, .addr = VA(4), .reference = 5,
         .mask = 0xf);
    w[6] = 1;
    w[7] = 1;
    EMIT(wait_reg_mem64, .function = PM4_FUNC_GE, .mem_space = PM4_SPACE_MEMORY, .addr = VA(6),
         .reference = 1ull << 32 | 1, .mask = ~0ull);
    EMIT(wait_reg_mem, .function = PM4_FUNC_GE, .mem_space = PM4_SPACE_REGISTER,
         .operation = PM4_WAIT_OP_WRITE_WAIT_WRITE, .addr = 0xe26 | 0xe27ull << 32, .reference = ~0u,
         .mask = ~0u);
    done(7);
    teardown();
}

TEST(indirect_buffers)
{
    setup(4096);
    uint32_t n = 1024, first, second, chained; /* dword positions in mem */
    uint32_t *m = (uint32_t *)mem.host, one = 1;
    second = n;
    BUILD(m, n, write_data, .dst_sel = 5, .addr = VA(20), .tail = 1);
    m[n++] = 3;
    uint32_t second_n = n - second;
    chained = n;
    BUILD(m, n, write_data, .dst_sel = 5, .addr = VA(21), .tail = 1);
    m[n++] = 4;
    uint32_t chained_n = n - chained;
    first = n;
    BUILD(m, n, indirect_buffer, .addr = VA(second), .size = second_n, .valid = 1);
    BUILD(m, n, write_data, .dst_sel = 5, .addr = VA(22), .tail = 1);
    m[n++] = 5;
    BUILD(m, n, indirect_buffer, .addr = VA(chained), .size = chained_n, .valid = 1, .chain = 1);
    EMIT(indirect_buffer, .addr = VA(first), .size = n - first, .valid = 1);
    EMIT(indirect_buffer, .addr = VA(first), .size = 0, .valid = 1); /* empty */
    EMIT(write_data, .dst_sel = 5, .addr = VA(23), .tail = 1);
    ring_put(&q, &one, 1);
    done(1);
    CHECK(w[20] == 3 && w[21] == 4 && w[22] == 5 && w[23] == 1);
    teardown();
}

/* Packets that wrap around the ring's end, many times over, submitted in odd pieces; T29. */
TEST(ring_wraps)
{
    setup(4096);
    uint32_t n = 0;
    for (unsigned round = 0; round < 400; round++) {
        for (unsigned k = 0; k < 1 + round % 7; k++)
            write_dword(VA(1 + n % 1000), n), n++;
        /* half a packet: nothing must happen with it */
        uint32_t dw[8];
        struct pm4_release_mem r = {.event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS,
                                    .event_index = 5,
                                    .data_sel = PM4_DATA_SEL_LOW32,
                                    .addr = VA(0),
                                    .data = round + 1};
        pm4_release_mem_pack(dw, &r);
        ring_put(&q, dw, 3);
        ring_submit(&q);
        settle(&c);
        CHECK_EQ(w[0], round);
        ring_put(&q, dw + 3, 5);
        ring_submit(&q);
        CHECK_EQ(wait_value(&c, &w[0], round + 1), 0);
        CHECK_EQ(w[1 + (n - 1) % 1000], n - 1);
    }
    CHECK(q.put > 4 * 1024);
    CHECK_STR(fault_text(&c), "");
    teardown();
}

TEST(interrupts)
{
    setup(4096);
    struct kfd_create_event e = {.event_type = KFD_EVENT_SIGNAL, .auto_reset = 1};
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &e), 0);
    uint64_t page = 0; /* the mailbox page's GPU address is its host address */
    page = (uintptr_t)c.mailbox;
    struct kfd_event data = {.event_id = e.event_id};
    struct kfd_wait_events wait = {.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 2000};
    for (int i = 0; i < 2; i++) { /* with the context id, and without (a scan of all slots) */
        EMIT(release_mem, .event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS, .event_index = 5,
             .data_sel = PM4_DATA_SEL_LOW32, .int_sel = PM4_INT_SEL_IRQ_AFTER_CONFIRM,
             .addr = page + 8 * e.event_id, .data = e.event_id, .int_ctxid = i ? 0 : e.event_id);
        ring_submit(&q);
        CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &wait), 0); /* runs the queue meanwhile */
        CHECK_EQ(wait.wait_result, KFD_WAIT_COMPLETE);
        CHECK_EQ(c.mailbox[e.event_id], ~0ull);
    }
    /* an interrupt whose slot was not written raises nothing */
    EMIT(release_mem, .event_type = PM4_EVENT_CACHE_FLUSH_AND_INV_TS, .event_index = 5,
         .int_sel = PM4_INT_SEL_IRQ_ONLY, .int_ctxid = e.event_id);
    ring_submit(&q);
    settle(&c);
    wait.timeout = 0;
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &wait), 0);
    CHECK_EQ(wait.wait_result, KFD_WAIT_TIMEOUT);
    teardown();
}

/* CREATE_QUEUE as kernels from about 6.12 on check it; T08. */
TEST(create_rules)
{
    setup(4096);
    struct ring r;
    CHECK_EQ(ring_open(&c, &r, KFD_QUEUE_COMPUTE, 8192), 0);
    const struct kfd_create_queue good = {.ring_base_address = r.ring.va,
                                          .write_pointer_address = r.pointers.va + 56,
                                          .read_pointer_address = r.pointers.va + 128,
                                          .ring_size = 8192,
                                          .gpu_id = c.gpu_id,
                                          .queue_percentage = 100,
                                          .queue_priority = 7,
                                          .eop_buffer_address = r.eop.va,
                                          .eop_buffer_size = 4096,
                                          .ctx_save_restore_address = r.ctx.va,
                                          .ctx_save_restore_size = c.cwsr.ctx_size,
                                          .ctl_stack_size = c.cwsr.ctl_stack_size};
    struct kfd_create_queue k = good;
    CHECK_EQ(call_kfd(&c, KFD_CREATE_QUEUE, &k), 0);
    struct kfd_destroy_queue d = {.queue_id = k.queue_id};
    CHECK_EQ(call_kfd(&c, KFD_DESTROY_QUEUE, &d), 0);
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_DESTROY_QUEUE, &d), EINVAL);
#define REFUSED(err, change)                                                                                 \
    do {                                                                                                     \
        k = good;                                                                                            \
        change;                                                                                              \
        CHECK_EQ((unsigned)-call_kfd(&c, KFD_CREATE_QUEUE, &k), err);                                        \
    } while (0)
    REFUSED(EINVAL, k.queue_percentage = 101);
    REFUSED(EINVAL, k.queue_priority = 16);
    REFUSED(EINVAL, k.ring_size = 8192 + 4);
    REFUSED(EINVAL, k.ring_size = 4096); /* not the whole buffer */
    REFUSED(EINVAL, k.ring_size = 16384);
    REFUSED(EINVAL, k.ring_base_address += 4096);
    REFUSED(EINVAL, k.write_pointer_address = 0x1000);
    REFUSED(EINVAL, k.read_pointer_address = r.ring.va); /* more than one page */
    REFUSED(EFAULT, k.ring_base_address = 1ull << 63);
    REFUSED(EINVAL, k.gpu_id++);
    REFUSED(EINVAL, k.eop_buffer_size = 2048);
    REFUSED(EINVAL, k.eop_buffer_address = r.ctx.va);
    REFUSED(EINVAL, k.ctl_stack_size += 4096);
    REFUSED(EINVAL, k.ctx_save_restore_size -= 4096);
    REFUSED(EINVAL, k.ctx_save_restore_address = r.ring.va);
    REFUSED(524, k.queue_type = 5);
    REFUSED(EINVAL, (k.queue_type = KFD_QUEUE_SDMA_BY_ENG_ID, k.sdma_engine_id = 2));
    REFUSED(ENOMEM, k.queue_type = KFD_QUEUE_SDMA_XGMI);
    /* a queue's buffers stay mapped */
    struct kfd_unmap_memory_from_gpu u = {
        .handle = q.ring.handle, .device_ids_array_ptr = (uintptr_t)&c.gpu_id, .n_devices = 1};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_UNMAP_MEMORY_FROM_GPU, &u), EBUSY);
    /* T10: SDMA queues are 2 engines of 8; a destroyed one comes back */
    k = good;
    k.queue_type = KFD_QUEUE_SDMA;
    unsigned made = 0, last = 0;
    while (made < 100 && !call_kfd(&c, KFD_CREATE_QUEUE, &k))
        made++, last = k.queue_id;
    CHECK_EQ(made, 16);
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_CREATE_QUEUE, &k), ENOMEM);
    d.queue_id = last;
    CHECK_EQ(call_kfd(&c, KFD_DESTROY_QUEUE, &d), 0);
    CHECK_EQ(call_kfd(&c, KFD_CREATE_QUEUE, &k), 0);
    CHECK_EQ(k.queue_id, last);
    struct kfd_runtime_enable re = {.mode_mask = 1};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_RUNTIME_ENABLE, &re), EEXIST);
    struct kfd_update_queue up = {.queue_id = 999};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_UPDATE_QUEUE, &up), EFAULT);
    client_close(&c);
}

/* UPDATE_QUEUE with percentage 0 holds a queue, with 100 lets it run. */
TEST(update)
{
    setup(4096);
    struct kfd_update_queue up = {.queue_id = q.id,
                                  .ring_base_address = q.ring.va,
                                  .ring_size = 4096,
                                  .queue_percentage = 0,
                                  .queue_priority = 7};
    CHECK_EQ(call_kfd(&c, KFD_UPDATE_QUEUE, &up), 0);
    release32(VA(0), 1);
    ring_submit(&q);
    settle(&c);
    CHECK_EQ(w[0], 0);
    up.queue_percentage = 100;
    CHECK_EQ(call_kfd(&c, KFD_UPDATE_QUEUE, &up), 0);
    CHECK_EQ(wait_value(&c, &w[0], 1), 0);
    teardown();
}

/* T03, R1: the recycled doorbell's first packet is neither lost nor executed twice. */
TEST(recycled_doorbell)
{
    setup(4096);
    struct buffer counter;
    CHECK_EQ(buffer_alloc(&c, &counter, 4096, (uint32_t)GTT_FLAGS, 1), 0);
    uint32_t *n = counter.host;
    for (unsigned i = 0; i < 300; i++) {
        CHECK_EQ(ring_close(&c, &q), 0);
        CHECK_EQ(ring_open(&c, &q, KFD_QUEUE_COMPUTE, 4096), 0);
        settle(&c);
        EMIT(atomic_mem, .atomic = AMD_ATOMIC_ADD_32, .addr = counter.va, .src = 1);
        ring_submit(&q); /* the same put, the same doorbell value every time */
        CHECK_EQ(wait_value(&c, n, i + 1), 0);
        settle(&c);
        CHECK_EQ(*n, i + 1);
    }
    teardown();
}

/* R1, T04: the doorbell page is mapped anew, elsewhere, while the queue lives. */
TEST(remapped_doorbell)
{
    setup(4096);
    for (uint32_t i = 1; i <= 20; i++) {
        size_t in_page = (size_t)((char *)q.doorbell - (char *)q.doorbell_page);
        void *again;
        CHECK_EQ(port_mmap(c.port, &again, NULL, KFD_DOORBELL_SLICE, PROT_READ | PROT_WRITE, MAP_SHARED,
                           c.kfd, 2ull << 32),
                 0);
        CHECK_EQ(port_munmap(c.port, q.doorbell_page, KFD_DOORBELL_SLICE), 0);
        q.doorbell_page = again;
        q.doorbell = (uint64_t *)((char *)again + in_page);
        release32(VA(0), i);
        ring_submit(&q);
        CHECK_EQ(wait_value(&c, &w[0], i), 0);
    }
    teardown();
}

/* Two GPUs: a buffer of one mapped on the other, written there. */
TEST(two_gpus)
{
    CHECK_EQ(client_open(&c, "gfx1100,gfx1030"), 0);
    CHECK_EQ(ring_open(&c, &q, KFD_QUEUE_COMPUTE, 4096), 0);
    uint32_t first = c.gpu_id;
    struct kfd_apertures ap[2];
    struct kfd_get_process_apertures_new n = {.kfd_process_device_apertures_ptr = (uintptr_t)ap,
                                              .num_of_nodes = 2};
    CHECK_EQ(call_kfd(&c, KFD_GET_PROCESS_APERTURES_NEW, &n), 0);
    int render = port_open(c.port, "/dev/dri/renderD129", O_RDWR), before = c.render;
    struct kfd_acquire_vm v = {.drm_fd = (uint32_t)before, .gpu_id = ap[1].gpu_id};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_ACQUIRE_VM, &v), EINVAL); /* the other GPU's file */
    v.drm_fd = (uint32_t)render;
    CHECK_EQ(call_kfd(&c, KFD_ACQUIRE_VM, &v), 0);
    c.gpu_id = ap[1].gpu_id;
    c.render = render;
    CHECK_EQ(buffer_alloc(&c, &mem, 4096, (uint32_t)VRAM_FLAGS, 1), 0);
    w = mem.host;
    uint32_t ids[2] = {c.gpu_id, first};
    struct kfd_map_memory_to_gpu m = {
        .handle = mem.handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 2};
    CHECK_EQ(call_kfd(&c, KFD_MAP_MEMORY_TO_GPU, &m), 0);
    CHECK_EQ(m.n_success, 2);
    release32(VA(0), 5);
    ring_submit(&q);
    CHECK_EQ(wait_value(&c, &w[0], 5), 0);
    struct kfd_unmap_memory_from_gpu u = {
        .handle = mem.handle, .device_ids_array_ptr = (uintptr_t)ids, .n_devices = 1};
    CHECK_EQ(call_kfd(&c, KFD_UNMAP_MEMORY_FROM_GPU, &u), 0);
    struct kfd_free_memory_of_gpu f = {.handle = mem.handle};
    CHECK_EQ((unsigned)-call_kfd(&c, KFD_FREE_MEMORY_OF_GPU, &f), EBUSY); /* still on the other */
    client_close(&c);
}

/* A fault: the queue stops, MEMORY and HW_EXCEPTION events say what and where, the text says the rest. */
static void expect_fault(const char *text, uint32_t type, uint64_t va)
{
    struct kfd_create_event e = {.event_type = KFD_EVENT_MEMORY}, h = {.event_type = KFD_EVENT_HW_EXCEPTION};
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &e), 0);
    CHECK_EQ(call_kfd(&c, KFD_CREATE_EVENT, &h), 0);
    struct kfd_event data = {.event_id = type == KFD_EVENT_MEMORY ? e.event_id : h.event_id};
    struct kfd_wait_events wait = {.events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 2000};
    release32(VA(0), 99); /* must not be reached */
    ring_submit(&q);
    CHECK_EQ(call_kfd(&c, KFD_WAIT_EVENTS, &wait), 0);
    CHECK_EQ(wait.wait_result, KFD_WAIT_COMPLETE);
    if (type == KFD_EVENT_MEMORY) {
        CHECK_EQ(data.memory_exception_data.gpu_id, c.gpu_id);
        CHECK_EQ(data.memory_exception_data.va, va & ~4095ull);
    } else {
        CHECK_EQ(data.hw_exception_data.gpu_id, c.gpu_id);
    }
    settle(&c);
    CHECK_EQ(w[0], 0);
    if (!strstr(fault_text(&c), text)) {
        printf("  fault text without \"%s\": %s\n", text, fault_text(&c));
        test_bad++;
    }
    teardown();
}

TEST(memory_faults)
{
    setup(4096);
    write_dword(0x1000, 1);
    expect_fault("write_data", KFD_EVENT_MEMORY, 0x1000);
    setup(4096);
    EMIT(copy_data, .src_sel = PM4_COPY_SRC_MEMORY, .dst_sel = PM4_COPY_DST_MEMORY, .src = mem.va + mem.size,
         .dst = VA(4));
    expect_fault("unmapped", KFD_EVENT_MEMORY, mem.va + mem.size);
    setup(4096);
    struct buffer ro;
    CHECK_EQ(buffer_alloc(&c, &ro, 4096, KFD_MEM_GTT, 1), 0);
    EMIT(dma_data, .src_sel = PM4_DMA_SRC_ADDRESS, .dst_sel = PM4_DMA_DST_ADDRESS, .src = VA(0), .dst = ro.va,
         .byte_count = 64);
    expect_fault("read-only", KFD_EVENT_MEMORY, ro.va);
    setup(4096);
    EMIT(indirect_buffer, .addr = 0x123450000, .size = 4, .valid = 1);
    expect_fault("indirect buffer", KFD_EVENT_MEMORY, 0x123450000);
}

/* Memory of the client that it takes away: a fault, not a host crash. */
TEST(user_memory_gone)
{
    setup(4096);
    void *p;
    CHECK_EQ(port_mmap(c.port, &p, NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
             0);
    struct kfd_alloc_memory_of_gpu a = {.va_addr = (uintptr_t)p,
                                        .size = 8192,
                                        .gpu_id = c.gpu_id,
                                        .mmap_offset = (uintptr_t)p,
                                        .flags = KFD_MEM_USERPTR | KFD_MEM_WRITABLE};
    CHECK_EQ(call_kfd(&c, KFD_ALLOC_MEMORY_OF_GPU, &a), 0);
    struct kfd_map_memory_to_gpu m = {
        .handle = a.handle, .device_ids_array_ptr = (uintptr_t)&c.gpu_id, .n_devices = 1};
    CHECK_EQ(call_kfd(&c, KFD_MAP_MEMORY_TO_GPU, &m), 0);
    write_dword((uintptr_t)p + 4, 5);
    release32(VA(0), 1);
    ring_submit(&q);
    CHECK_EQ(wait_value(&c, &w[0], 1), 0);
    CHECK_EQ(((uint32_t *)p)[1], 5);
    w[0] = 0;
    CHECK_EQ(port_munmap(c.port, p, 8192), 0);
    write_dword((uintptr_t)p + 4096, 5);
    expect_fault("gone", KFD_EVENT_MEMORY, (uintptr_t)p + 4096);
}

TEST(packet_faults)
{
#define FAULTY(text, ...)                                                                                    \
    do {                                                                                                     \
        const uint32_t dw_[] = {__VA_ARGS__};                                                                \
        setup(4096);                                                                                         \
        ring_put(&q, dw_, sizeof dw_ / 4);                                                                   \
        expect_fault(text, KFD_EVENT_HW_EXCEPTION, 0);                                                       \
    } while (0)
    FAULTY("type 0", 0x00001234);
    FAULTY("opcode 0xee", pm4_type3(0xee, 0), 0);
    FAULTY("opcode 0x68", pm4_type3(0x68, 0), 0); /* SET_CONFIG_REG: known by name, not for compute */
    FAULTY("dispatch_direct", pm4_type3(PM4_dispatch_direct, 2), 1, 1, 1);
    FAULTY("bits 0x80", pm4_type3(PM4_event_write, 0), 0x487);
    FAULTY("event 63", pm4_type3(PM4_event_write, 0), 0x43f);
    FAULTY("offset 0x2ff", pm4_type3(PM4_set_sh_reg, 1), 0x2ff, 1);
    FAULTY("COMPUTE_PGM_RSRC1", pm4_type3(PM4_set_sh_reg, 1), 0x212, 1u << 27);
    FAULTY("UCONFIG register 0xc123", pm4_type3(PM4_set_uconfig_reg, 1), 0x123, 1);
    FAULTY("function 7", pm4_type3(PM4_wait_reg_mem, 5), 0x17, lo32(mem.va), hi32(mem.va), 0, 0, 0);
    FAULTY("not aligned", pm4_type3(PM4_wait_reg_mem, 5), 0x13, lo32(mem.va) + 2, hi32(mem.va), 1, 1, 0);
    FAULTY("VALID", pm4_type3(PM4_indirect_buffer, 2), 0x1000, 0, 4);
    FAULTY("ring cannot chain", pm4_type3(PM4_indirect_buffer, 2), 0x1000, 0, 4 | 1 << 20 | 1 << 23);
    FAULTY("only the kernel", pm4_type3(PM4_hdp_flush, 0), 0);
    FAULTY("does not fit the ring", pm4_type3(0x10, 2000), 0);
    FAULTY("atomic operation 13", pm4_type3(PM4_atomic_mem, 7), 13, lo32(mem.va), hi32(mem.va), 0, 0, 0, 0,
           0);
    FAULTY("nothing to run", pm4_type3(PM4_set_sh_reg, 3), 0x207, 1, 1, 1, pm4_type3(PM4_dispatch_direct, 3),
           0, 1, 1, 5);
    FAULTY("more than 1024", pm4_type3(PM4_set_sh_reg, 3), 0x207, 64, 32, 1,
           pm4_type3(PM4_dispatch_direct, 3), 1, 1, 1, 5);
    FAULTY("LDS", pm4_type3(PM4_set_sh_reg, 3), 0x207, 64, 1, 1, pm4_type3(PM4_set_sh_reg, 1), 0x213,
           129u << 15, pm4_type3(PM4_dispatch_direct, 3), 1, 1, 1, 5);
    FAULTY("NUM_THREAD 0 is 0", pm4_type3(PM4_dispatch_direct, 3), 1, 1, 1, 5);
    FAULTY("does not enable", pm4_type3(PM4_dispatch_direct, 3), 1, 1, 1, 4);
    /* write pointer past the ring */
    setup(4096);
    q.put = 4096;
    expect_fault("4104 dwords ahead", KFD_EVENT_HW_EXCEPTION, 0);
}

/* After a fault the GPU is lost to the process until its queues are gone; then a new start works. */
TEST(after_a_fault)
{
    struct ring other;
    setup(4096);
    CHECK_EQ(ring_open(&c, &other, KFD_QUEUE_COMPUTE, 4096), 0);
    write_dword(0x1000, 1);
    ring_submit(&q);
    settle(&c);
    struct ring faulted = q;
    q = other;
    release32(VA(0), 1);
    ring_submit(&q);
    settle(&c);
    CHECK_EQ(w[0], 0);
    CHECK_EQ(ring_close(&c, &q), 0);
    CHECK_EQ(ring_close(&c, &faulted), 0);
    CHECK_EQ(ring_open(&c, &q, KFD_QUEUE_COMPUTE, 4096), 0);
    release32(VA(0), 1);
    ring_submit(&q);
    CHECK_EQ(wait_value(&c, &w[0], 1), 0);
    teardown();
}

/* The same with a thread that watches the doorbells. */
TEST(service_thread)
{
    setenv("NXGPU_SOFT", "thread", 1);
    setup(4096);
    for (uint32_t i = 1; i <= 200; i++) {
        release32(VA(0), i);
        ring_submit(&q);
        CHECK_EQ(wait_value(&c, &w[0], i), 0);
    }
    CHECK_STR(fault_text(&c), "");
    CHECK_EQ(ring_close(&c, &q), 0);
    client_close(&c);
    unsetenv("NXGPU_SOFT");
}

int main(void)
{
    RUN(memory_packets);
    RUN(atomics);
    RUN(waits);
    RUN(indirect_buffers);
    RUN(ring_wraps);
    RUN(interrupts);
    RUN(create_rules);
    RUN(update);
    RUN(recycled_doorbell);
    RUN(remapped_doorbell);
    RUN(two_gpus);
    RUN(memory_faults);
    RUN(user_memory_gone);
    RUN(packet_faults);
    RUN(after_a_fault);
    RUN(service_thread);
    return test_done();
}
