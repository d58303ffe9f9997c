/* PM4: fetches packets from the ring and from indirect buffers and executes them. A packet that must wait is
 * executed again in the next slice. Dispatches run in queue order, one after the other: a program ends before
 * the next packet is looked at, so that a wait for it is always satisfied. Meaning of the packets: facts of
 * hw/amd/pm4.def's witnesses, Linux soc15d.h and nvd.h, Mesa's si_cp and radv. */
#include "soft/pm4.h"
#include "base/bits.h"
#include "base/err.h"
#include "hw/amd/pm4.h"
#include "hw/amd/regs.h"
#include "soft/launch.h"
#include <stdlib.h>
#include <string.h>

enum { RING, IB1, IB2, STREAMS, SMALL = 64, LARGEST = 0x4000 + 1 };

struct defined;
struct stream {
    uint64_t va, pos, end; /* dwords; of the ring they count on for ever */
};
struct pm4 {
    struct queue *q;
    enum amd_gen gen;
    const struct defined *undefined;
    struct stream st[STREAMS];
    unsigned depth;        /* the stream that is read: RING when no indirect buffer is */
    uint32_t sh[0x400];    /* compute registers by offset from the SH base */
    struct launch *launch; /* running */
    uint64_t atomic_old;   /* what the last ATOMIC_MEM with return gave */
    const char *name;      /* of the packet in execution */
    uint32_t small[SMALL], *big;
};

/* What is undefined on a generation, by packet row and dword, and by register: walking the rows for every packet
 * would cost more than executing it. Made once. */
enum { ROWS_MAX = 40, FIXED_MAX = 16, REG_FIRST = 0x200, REGS = 0x80 };
struct defined {
    bool made;
    uint32_t packet[ROWS_MAX][FIXED_MAX];
    const struct amd_reg *reg[REGS]; /* by SET_SH_REG offset - REG_FIRST; NULL: none there */
    uint32_t reg_bits[REGS];
};

enum { NEXT, AGAIN, JUMPED }; /* what a packet's function returns, or -EFAULT */

static const struct defined *undefined_of(enum amd_gen gen)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct defined all[AMD_GEN_COUNT];
    uint32_t ones[FIXED_MAX];
    struct defined *d = &all[gen];
    memset(ones, 0xff, sizeof ones);
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; !d->made && i < pm4_nrecords; i++)
        for (unsigned k = 0; k < pm4_records[i].dwords && k < FIXED_MAX; k++) {
            uint32_t bits;
            if (hw_unknown_bits(&pm4_records[i], gen, ones, k, &bits) == (int)k)
                d->packet[i][k] = bits;
        }
    for (unsigned i = 0; !d->made && i < REGS; i++)
        if ((d->reg[i] = amd_reg_at(gen, REG_FIRST + i)))
            d->reg_bits[i] = amd_reg_unknown(d->reg[i], gen, ~0u);
    d->made = true;
    pthread_mutex_unlock(&lock);
    return d;
}

struct pm4 *pm4_new(struct queue *q)
{
    struct pm4 *p = calloc(1, sizeof *p);
    if (p) {
        p->q = q;
        p->gen = q->gpu->chip->gen;
        p->undefined = undefined_of(p->gen);
    }
    return p;
}

void pm4_free(struct pm4 *p)
{
    if (!p)
        return;
    launch_free(p->launch);
    free(p->big);
    free(p);
}

/* ---- registers ---- */

/* Registers outside the compute block that clients write without a visible effect here: who is addressed by
 * broadcast writes, counters on or off. Offsets from the UCONFIG base (Mesa's register names). */
static const struct {
    uint16_t offset;
    const char *name;
} uconfig[] = {{0x200, "GRBM_GFX_INDEX"}, {0x440, "SPI_CONFIG_CNTL"}, {0x1808, "CP_PERFMON_CNTL"}};

/* HDP flush: a write to the first is answered in the second. Absolute numbers, as tinygrad emits them. */
enum { HDP_FLUSH_REQ = 0xe26, HDP_FLUSH_DONE = 0xe27 };

static int set_sh(struct pm4 *p, uint32_t offset, uint32_t value)
{
    uint32_t i = offset - REG_FIRST;
    if (i >= REGS || !p->undefined->reg[i])
        return queue_fault_packet(p->q, p->name, "no compute register at offset 0x%x on %s", offset,
                                  p->q->gpu->chip->name);
    uint32_t unknown = p->undefined->reg_bits[i] & value;
    if (unknown)
        return queue_fault_packet(p->q, p->name, "%s = 0x%x: bits 0x%x are not defined on %s",
                                  p->undefined->reg[i]->name, value, unknown, p->q->gpu->chip->name);
    p->sh[offset] = value;
    return 0;
}

static int set_uconfig(struct pm4 *p, uint32_t offset, uint32_t value)
{
    (void)value;
    for (unsigned i = 0; i < ARRAY_LEN(uconfig); i++)
        if (uconfig[i].offset == offset)
            return 0;
    return queue_fault_packet(p->q, p->name, "UCONFIG register 0x%x is not modelled",
                              AMD_UCONFIG_BASE + offset);
}

static int set_register(struct pm4 *p, uint64_t number, uint32_t value)
{
    if (number >= AMD_SH_BASE && number < AMD_SH_END)
        return set_sh(p, (uint32_t)number - AMD_SH_BASE, value);
    if (number >= AMD_UCONFIG_BASE && number < AMD_UCONFIG_END)
        return set_uconfig(p, (uint32_t)number - AMD_UCONFIG_BASE, value);
    if (number == HDP_FLUSH_REQ)
        return 0;
    return queue_fault_packet(p->q, p->name, "register 0x%llx is not modelled", (unsigned long long)number);
}

static int get_register(struct pm4 *p, uint64_t number, uint32_t *value)
{
    if (number == HDP_FLUSH_DONE) { /* flushed at once: memory is coherent here */
        *value = ~0u;
        return 0;
    }
    if (number >= AMD_SH_BASE && number < AMD_SH_END && amd_reg_at(p->gen, (uint32_t)number - AMD_SH_BASE)) {
        *value = p->sh[number - AMD_SH_BASE];
        return 0;
    }
    return queue_fault_packet(p->q, p->name, "register 0x%llx is not modelled", (unsigned long long)number);
}

/* ---- streams ---- */

static int fetch(struct pm4 *p, uint64_t pos, uint32_t n, uint32_t *out)
{
    const struct stream *s = &p->st[p->depth];
    if (p->depth != RING)
        return queue_read(p->q, "indirect buffer", s->va + pos * 4, out, n * 4ull);
    uint64_t mask = p->q->ring_bytes / 4 - 1, at = pos & mask, first = mask + 1 - at < n ? mask + 1 - at : n;
    int err = queue_read(p->q, "ring", p->q->ring + at * 4, out, first * 4);
    return err || first == n ? err : queue_read(p->q, "ring", p->q->ring, out + first, (n - first) * 4);
}

static int push_ib(struct pm4 *p, uint64_t va, uint32_t dwords, bool chain)
{
    if (va % 4)
        return queue_fault_packet(p->q, p->name, "indirect buffer at 0x%llx is not dword-aligned",
                                  (unsigned long long)va);
    if (chain && p->depth == RING)
        return queue_fault_packet(p->q, p->name, "a ring cannot chain");
    if (!chain && p->depth == IB2)
        return queue_fault_packet(p->q, p->name, "indirect buffers nest two deep at most");
    if (!chain)
        p->depth++;
    p->st[p->depth] = (struct stream){.va = va, .end = dwords};
    return 0;
}

int pm4_start_ib(struct pm4 *p, uint64_t va, uint32_t dwords)
{
    p->name = "indirect_buffer";
    return push_ib(p, va, dwords, false);
}

bool pm4_done(const struct pm4 *p)
{
    return !p->launch && p->depth == RING;
}

static int skip(struct pm4 *p, uint32_t dwords, uint32_t self)
{
    struct stream *s = &p->st[p->depth];
    if (p->depth != RING && dwords > s->end - s->pos - self)
        return queue_fault_packet(p->q, p->name, "skips %u dwords, %llu are left in the indirect buffer",
                                  dwords, (unsigned long long)(s->end - s->pos - self));
    s->pos += self + dwords;
    return JUMPED;
}

/* ---- the packets: one function a row of pm4.def ---- */

#define UNPACK(row)                                                                                          \
    struct pm4_##row k;                                                                                      \
    pm4_##row##_unpack(dw, &k)

static int exec_nop(struct pm4 *p, const uint32_t *dw)
{
    (void)p, (void)dw;
    return NEXT;
}

static int dispatch(struct pm4 *p, const uint32_t dims[3], uint32_t initiator)
{
    uint32_t unknown = p->undefined->reg_bits[0] & initiator; /* the first register */
    if (unknown)
        return queue_fault_packet(p->q, p->name, "initiator 0x%x: bits 0x%x are not defined", initiator,
                                  unknown);
    if (launch_registers(p->q, p->sh, dims, initiator, &p->launch))
        return queue_fault_packet(p->q, p->name, "%s", fail_text());
    return NEXT;
}
static int exec_dispatch_direct(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(dispatch_direct);
    return dispatch(p, (uint32_t[3]){k.dim_x, k.dim_y, k.dim_z}, k.initiator);
}
static int exec_dispatch_indirect(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(dispatch_indirect);
    uint32_t dims[3];
    int err = queue_read(p->q, p->name, k.addr, dims, sizeof dims);
    return err ? err : dispatch(p, dims, k.initiator);
}

static int exec_atomic_mem(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(atomic_mem);
    bool swapped;
    uint64_t old;
    int err = queue_atomic(p->q, p->name, k.atomic, k.addr, k.src, k.cmp, &old, &swapped);
    if (err)
        return err;
    if (k.atomic < 64)
        p->atomic_old = old;
    return k.command == PM4_ATOMIC_CMD_LOOP && !swapped ? AGAIN : NEXT;
}

static int exec_cond_exec(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(cond_exec);
    uint64_t v;
    int err = queue_load(p->q, p->name, k.addr, 4, &v);
    return err ? err : v ? NEXT : skip(p, k.count, PM4_cond_exec_DWORDS);
}
static int exec_pred_exec(struct pm4 *p, const uint32_t *dw) /* there is one XCC, number 0 */
{
    UNPACK(pred_exec);
    return k.xcc_mask & 1 ? NEXT : skip(p, k.count, PM4_pred_exec_DWORDS);
}

static int exec_write_data(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(write_data);
    const uint32_t *data = dw + PM4_write_data_DWORDS;
    int err = 0;
    switch (k.dst_sel) {
    case PM4_WRITE_DST_REGISTER:
        for (uint32_t i = 0; i < k.tail && !err; i++)
            err = set_register(p, k.addr + (k.one_addr ? 0 : i), data[i]);
        return err;
    case PM4_WRITE_DST_L2:
    case PM4_WRITE_DST_MEMORY:
        if (k.addr % 4)
            return queue_fault_packet(p->q, p->name, "address 0x%llx is not dword-aligned",
                                      (unsigned long long)k.addr);
        if (k.one_addr || k.tail <= 2) /* dword by dword: a waiter sees whole ones */
            for (uint32_t i = 0; i < k.tail && !err; i++)
                err = queue_store(p->q, p->name, k.addr + (k.one_addr ? 0 : i * 4ull), 4, data[i]);
        else
            err = queue_write(p->q, p->name, k.addr, data, k.tail * 4ull);
        return err;
    }
    return queue_fault_packet(p->q, p->name, "destination %u is not modelled", k.dst_sel);
}

/* Waits. engine_sel and the poll interval say how, not what. */
static int wait_reg_mem(struct pm4 *p, uint32_t function, uint32_t space, uint32_t operation, uint64_t addr,
                        uint64_t ref, uint64_t mask, unsigned bytes)
{
    uint64_t v = 0;
    uint32_t reg = 0;
    int err;
    if (operation == PM4_WAIT_OP_WRITE_WAIT_WRITE) {
        if (space != PM4_SPACE_REGISTER || bytes != 4)
            return queue_fault_packet(p->q, p->name, "write-wait-write works on 32-bit registers");
        if ((err = set_register(p, lo32(addr), (uint32_t)ref)) || (err = get_register(p, hi32(addr), &reg)))
            return err;
        v = reg;
    } else if (operation != PM4_WAIT_OP_WAIT && operation != PM4_WAIT_OP_WAIT_PREEMPTABLE) {
        return queue_fault_packet(p->q, p->name, "operation %u does not exist", operation);
    } else if (space == PM4_SPACE_MEMORY) {
        if ((err = queue_load(p->q, p->name, addr, bytes, &v)))
            return err;
    } else if (space == PM4_SPACE_REGISTER) {
        if ((err = get_register(p, addr, &reg)))
            return err;
        v = reg;
    } else {
        return queue_fault_packet(p->q, p->name, "space %u does not exist", space);
    }
    int ok = poll_test(function, v & mask, ref);
    return ok < 0 ? queue_fault_packet(p->q, p->name, "function %u does not exist", function)
           : ok   ? NEXT
                  : AGAIN;
}
static int exec_wait_reg_mem(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(wait_reg_mem);
    return wait_reg_mem(p, k.function, k.mem_space, k.operation, k.addr, k.reference, k.mask, 4);
}
static int exec_wait_reg_mem64(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(wait_reg_mem64);
    return wait_reg_mem(p, k.function, k.mem_space, k.operation, k.addr, k.reference, k.mask, 8);
}

static int exec_indirect_buffer(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(indirect_buffer);
    if (!k.valid)
        return queue_fault_packet(p->q, p->name, "the VALID bit is not set");
    if (!k.chain)
        p->st[p->depth].pos += PM4_indirect_buffer_DWORDS; /* where it goes on afterwards */
    int err = push_ib(p, k.addr, k.size, k.chain);
    return err ? err : JUMPED;
}

static int exec_copy_data(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(copy_data);
    unsigned n = k.count_64 ? 8 : 4;
    uint64_t v = 0;
    uint32_t reg = 0;
    int err = 0;
    switch (k.src_sel) {
    case PM4_COPY_SRC_REGISTER:
        err = get_register(p, k.src, &reg);
        v = reg;
        if (!err && n == 8) {
            err = get_register(p, k.src + 1, &reg);
            v |= (uint64_t)reg << 32;
        }
        break;
    case PM4_COPY_SRC_MEMORY:
    case PM4_COPY_SRC_L2:
        err = queue_load(p->q, p->name, k.src, n, &v);
        break;
    case PM4_COPY_SRC_IMMEDIATE:
        v = k.src;
        break;
    case PM4_COPY_SRC_ATOMIC_RETURN:
        v = p->atomic_old;
        break;
    case PM4_COPY_SRC_GPU_CLOCK:
    case PM4_COPY_SRC_SYSTEM_CLOCK:
        v = soft_gpu_clock();
        break;
    default:
        return queue_fault_packet(p->q, p->name, "source %u is not modelled", k.src_sel);
    }
    if (err)
        return err;
    switch (k.dst_sel) {
    case PM4_COPY_DST_REGISTER:
        err = set_register(p, k.dst, lo32(v));
        return err || n == 4 ? err : set_register(p, k.dst + 1, hi32(v));
    case PM4_COPY_DST_L2:
    case PM4_COPY_DST_MEMORY:
        return queue_store(p->q, p->name, k.dst, n, v);
    }
    return queue_fault_packet(p->q, p->name, "destination %u is not modelled", k.dst_sel);
}

/* Events that wait find everything done already; counters and traces are not modelled, so that starting them
 * is said. */
static int event(struct pm4 *p, uint32_t type)
{
    switch (type) {
    case PM4_EVENT_CACHE_FLUSH_TS:
    case PM4_EVENT_CS_PARTIAL_FLUSH:
    case PM4_EVENT_CACHE_FLUSH_AND_INV_TS:
    case PM4_EVENT_CACHE_FLUSH_AND_INV:
    case PM4_EVENT_BOTTOM_OF_PIPE_TS:
    case PM4_EVENT_CS_DONE:
        return NEXT;
    }
    return queue_fault_packet(p->q, p->name, "event %u is not modelled", type);
}
static int exec_event_write(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(event_write);
    return event(p, k.event_type);
}
static int exec_event_write_addr(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(event_write_addr);
    return queue_fault_packet(p->q, p->name, "event %u with an address is not modelled", k.event_type);
}

static int release(struct pm4 *p, uint32_t type, uint32_t int_sel, uint32_t data_sel, uint64_t addr,
                   uint64_t data, uint32_t ctxid)
{
    int err = event(p, type);
    if (err)
        return err;
    switch (data_sel) {
    case PM4_DATA_SEL_NONE:
        break;
    case PM4_DATA_SEL_LOW32:
        err = queue_store(p->q, p->name, addr, 4, lo32(data));
        break;
    case PM4_DATA_SEL_DATA64:
        err = queue_store(p->q, p->name, addr, 8, data);
        break;
    case PM4_DATA_SEL_GPU_CLOCK:
    case PM4_DATA_SEL_SYSTEM_CLOCK:
        err = queue_store(p->q, p->name, addr, 8, soft_gpu_clock());
        break;
    default:
        return queue_fault_packet(p->q, p->name, "data selection %u is not modelled", data_sel);
    }
    if (err)
        return err;
    switch (int_sel) {
    case PM4_INT_SEL_NONE:
    case PM4_INT_SEL_CONFIRM:
        return NEXT;
    case PM4_INT_SEL_IRQ_ONLY:
    case PM4_INT_SEL_IRQ_AFTER_CONFIRM:
    case PM4_INT_SEL_UNCONDITIONAL:
        events_interrupt(p->q->gpu->soft, ctxid, 32);
        return NEXT;
    }
    return queue_fault_packet(p->q, p->name, "interrupt selection %u is not modelled", int_sel);
}
static int exec_release_mem(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(release_mem);
    return release(p, k.event_type, k.int_sel, k.data_sel, k.addr, k.data, k.int_ctxid);
}
static int exec_release_mem_gfx9(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(release_mem_gfx9);
    return release(p, k.event_type, k.int_sel, k.data_sel, k.addr, k.data, k.int_ctxid);
}

static int exec_dma_data(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(dma_data);
    uint64_t n = k.byte_count, bad;
    if ((k.dst_sel != PM4_DMA_DST_ADDRESS && k.dst_sel != PM4_DMA_DST_ADDRESS_L2) ||
        k.src_sel == PM4_DMA_SRC_GDS || k.src_register || k.dst_register || k.src_no_incr || k.dst_no_incr)
        return queue_fault_packet(p->q, p->name, "source %u, destination %u: only memory is modelled",
                                  k.src_sel, k.dst_sel);
    int err = k.src_sel == PM4_DMA_SRC_DATA ? mem_fill(p->q->gpu->map, k.dst, lo32(k.src), 4, n, &bad)
                                            : mem_copy(p->q->gpu->map, k.dst, k.src, n, &bad);
    if (!err) {
        soft_visible(p->q->gpu->soft);
        return NEXT;
    }
    bool reading = k.src_sel != PM4_DMA_SRC_DATA && bad >= k.src && bad - k.src < n &&
                   !(bad >= k.dst && bad - k.dst < n);
    return queue_fault_memory(p->q, p->name, reading ? ACCESS_READ : ACCESS_WRITE, bad);
}

/* Memory is coherent: what is left of a cache operation is that changed code is looked at again. */
static int exec_acquire_mem(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(acquire_mem);
    if (k.gli_inv)
        eng_cache_invalidate(p->q->gpu->cache);
    return NEXT;
}
static int exec_acquire_mem_gfx9(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(acquire_mem_gfx9);
    if (k.sh_icache_action)
        eng_cache_invalidate(p->q->gpu->cache);
    return NEXT;
}

static int set_registers(struct pm4 *p, uint32_t offset, uint32_t n, const uint32_t *values,
                         int (*set)(struct pm4 *, uint32_t, uint32_t))
{
    int err = 0;
    for (uint32_t i = 0; i < n && !err; i++)
        err = set(p, offset + i, values[i]);
    return err;
}
static int exec_set_sh_reg(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(set_sh_reg);
    return set_registers(p, k.offset, k.tail, dw + PM4_set_sh_reg_DWORDS, set_sh);
}
static int exec_set_sh_reg_index(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(set_sh_reg_index);
    return set_registers(p, k.offset, k.tail, dw + PM4_set_sh_reg_index_DWORDS, set_sh);
}
static int exec_set_uconfig_reg(struct pm4 *p, const uint32_t *dw)
{
    UNPACK(set_uconfig_reg);
    return set_registers(p, k.offset, k.tail, dw + PM4_set_uconfig_reg_DWORDS, set_uconfig);
}

static int exec_hdp_flush(struct pm4 *p, const uint32_t *dw)
{
    (void)dw;
    return queue_fault_packet(p->q, p->name, "only the kernel's queues may use it");
}
static int exec_aql_packet(struct pm4 *p, const uint32_t *dw)
{
    (void)dw;
    return queue_fault_packet(p->q, p->name, "only the kernel's queues may use it");
}

/* Beside each row of pm4.def its function: a row without one does not compile. */
static int (*const execs[])(struct pm4 *, const uint32_t *) = {
#define ENUM(name, up)
#define VALUE(up, name, v)
#define ENUM_END
#define GENS(mask)
#define MATCH(mask, value)
#define RECORD(name, op, n) exec_##name,
#define FIELD(name, dw, hi, lo, fmt)
#define FIELD_IN(gens, name, dw, hi, lo, fmt)
#define NARROW(gens, name, dw, hi, lo, fmt)
#define WIDE(name, dw, hi, lo, fmt)
#define WIDE_IN(gens, name, dw, hi, lo, fmt)
#define TAIL(name)
#define TAIL_FIELD(name, dw, hi, lo, bias)
#define RECORD_END
#include "hw/amd/pm4.def"
};
_Static_assert(ARRAY_LEN(execs) <= ROWS_MAX, "room for every row");

/* ---- fetch and execute ---- */

/* The packet at pos of the current stream, n dwords, in one piece. NULL after a fault. */
static const uint32_t *packet(struct pm4 *p, uint64_t pos, uint32_t header, uint32_t n)
{
    uint32_t *dw = p->small;
    if (n > SMALL) {
        if (!p->big && !(p->big = malloc(LARGEST * sizeof *p->big))) {
            queue_fault_packet(p->q, "fetch", "no memory for a packet of %u dwords", n);
            return NULL;
        }
        dw = p->big;
    }
    if (fetch(p, pos, n, dw))
        return NULL;
    dw[0] = header; /* what its length was taken from, whatever the client does meanwhile */
    return dw;
}

static int bad_packet(struct pm4 *p, const struct pm4_packet *k, uint32_t header)
{
    const char *name = pm4_op_name(pm4_opcode(header));
    switch (k->status) {
    case PM4_BAD_TYPE:
        return queue_fault_packet(p->q, "fetch", "header 0x%08x is of type %u: 2 or 3 expected", header,
                                  pm4_type(header));
    case PM4_BAD_COUNT:
        return queue_fault_packet(p->q, name, "%u dwords, %s%u expected", pm4_dwords(header),
                                  k->rec->tail ? "at least " : "", k->rec->dwords);
    default:
        return queue_fault_packet(p->q, "fetch", "opcode 0x%02x (%s) is not known on %s", pm4_opcode(header),
                                  name ? name : "no name", p->q->gpu->chip->name);
    }
}

/* One packet of the current stream. NEXT, AGAIN, JUMPED or -EFAULT. */
static int execute(struct pm4 *p)
{
    struct stream *s = &p->st[p->depth];
    uint64_t left = s->end - s->pos;
    uint32_t header;
    if (fetch(p, s->pos, 1, &header))
        return -EFAULT;
    uint32_t n = pm4_dwords(header);
    if (n > left) {
        if (p->depth == RING && n <= p->q->ring_bytes / 4)
            return AGAIN; /* the rest has not been published yet */
        return queue_fault_packet(p->q, "fetch", "packet 0x%08x of %u dwords does not fit the %s", header, n,
                                  p->depth == RING ? "ring" : "rest of the indirect buffer");
    }
    const uint32_t *dw = n ? packet(p, s->pos, header, n) : &header;
    if (!dw)
        return -EFAULT;
    struct pm4_packet k;
    pm4_next(dw, n ? n : 1, p->gen, &k);
    if (k.status == PM4_FILLER) {
        s->pos += n;
        return NEXT;
    }
    if (k.status != PM4_OK)
        return bad_packet(p, &k, header);
    p->name = k.rec->name;
    const uint32_t *undefined = p->undefined->packet[k.rec - pm4_records];
    for (unsigned i = 0; i < k.rec->dwords && i < FIXED_MAX; i++)
        if (dw[i] & undefined[i])
            return queue_fault_packet(p->q, p->name, "dword %u (0x%08x): bits 0x%x are not defined", i, dw[i],
                                      dw[i] & undefined[i]);
    int r = execs[k.rec - pm4_records](p, dw);
    if (r == NEXT)
        s->pos += n;
    return r;
}

static int finish_launch(struct pm4 *p)
{
    int r = launch_run(p->launch);
    if (r == ENG_MORE)
        return STEP_PROGRESS;
    if (r < 0) {
        const struct eng_fault f = *launch_fault(p->launch);
        launch_free(p->launch);
        p->launch = NULL;
        return f.kind ? queue_fault_program(p->q, &f)
                      : queue_fault_packet(p->q, "dispatch", "%s", fail_text());
    }
    launch_free(p->launch);
    p->launch = NULL;
    return STEP_PROGRESS;
}

int pm4_run(struct pm4 *p)
{
    int did = STEP_NOTHING;
    for (int i = 0; i < SLICE_PACKETS; i++) {
        if (p->launch) {
            did = finish_launch(p);
            if (did < 0 || p->launch)
                return did;
            continue;
        }
        while (p->depth != RING && p->st[p->depth].pos == p->st[p->depth].end)
            p->depth--;
        struct stream *s = &p->st[p->depth];
        if (s->pos == s->end)
            break;
        int r = execute(p);
        if (r < 0)
            return r;
        if (r == AGAIN)
            break;
        did = STEP_PROGRESS;
    }
    return did;
}

static int pm4_start(struct queue *q)
{
    q->state = pm4_new(q);
    return q->state ? 0 : fail(-ENOMEM, "no memory for a PM4 queue");
}

static int pm4_step(struct queue *q)
{
    struct pm4 *p = q->state;
    struct stream *s = &p->st[RING];
    uint64_t before = s->pos;
    s->end = q->wptr;
    if (q->wptr - s->pos > q->ring_bytes / 4)
        return queue_fault_packet(
            q, "ring", "write pointer %llu is %llu dwords ahead of the read pointer, the ring has %llu",
            (unsigned long long)q->wptr, (unsigned long long)(q->wptr - s->pos),
            (unsigned long long)q->ring_bytes / 4);
    int r = pm4_run(p);
    q->rptr = s->pos;
    if (r >= 0 && s->pos != before && queue_publish_rptr(q))
        return -EFAULT;
    return r;
}

static void pm4_stop(struct queue *q)
{
    pm4_free(q->state);
    q->state = NULL;
}

const struct processor pm4_processor = {"pm4", pm4_start, pm4_step, pm4_stop, 4};
