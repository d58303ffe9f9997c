/* SDMA: the copy engine's packets. Long copies and fills go in slices. Meaning of the packets: Linux's
 * *_sdma_pkt_open.h and sdma_v*.c, what ROCr and tinygrad emit. */
#include "hw/amd/sdma.h"
#include "base/bits.h"
#include "base/err.h"
#include "soft/queue.h"
#include <stdlib.h>
#include <string.h>

enum { SMALL = 64, LARGEST = (1 << 20) + 4, IB_ALIGN = 32, POLL_FOREVER = 0xfff };

struct sdma {
    struct queue *q;
    enum sdma_gen gen;
    uint64_t pos, end; /* ring, in dwords counted on */
    uint64_t ib, ib_pos, ib_end;
    bool in_ib;
    uint64_t done; /* of the packet in execution: bytes (rows) that are through; retries of a poll */
    const char *name;
    uint32_t small[SMALL], *big;
};
enum { NEXT, AGAIN, MORE }; /* MORE: a slice is through */

static int fetch(struct sdma *s, uint64_t pos, uint32_t n, uint32_t *out)
{
    if (s->in_ib)
        return queue_read(s->q, "indirect buffer", s->ib + pos * 4, out, n * 4ull);
    uint64_t mask = s->q->ring_bytes / 4 - 1, at = pos & mask, first = mask + 1 - at < n ? mask + 1 - at : n;
    int err = queue_read(s->q, "ring", s->q->ring + at * 4, out, first * 4);
    return err || first == n ? err : queue_read(s->q, "ring", s->q->ring, out + first, (n - first) * 4);
}

#define UNPACK(row)                                                                                          \
    struct sdma_##row k;                                                                                     \
    sdma_##row##_unpack(dw, &k)

/* The next slice of n bytes in all, at most; copies (src 0: fills). */
static int move(struct sdma *s, uint64_t dst, uint64_t src, uint64_t n)
{
    uint64_t part = n - s->done < SLICE_BYTES ? n - s->done : SLICE_BYTES, bad;
    if (mem_copy(s->q->gpu->map, dst + s->done, src + s->done, part, &bad)) {
        bool reading = bad - (src + s->done) < part && !(bad - (dst + s->done) < part);
        const struct mem_range *r = mem_find(s->q->gpu->map, src + s->done);
        if (bad == src + s->done && !r)
            reading = true;
        return queue_fault_memory(s->q, s->name, reading ? ACCESS_READ : ACCESS_WRITE, bad);
    }
    s->done += part;
    soft_visible(s->q->gpu->soft);
    return s->done < n ? MORE : NEXT;
}

static int exec_nop(struct sdma *s, const uint32_t *dw)
{
    (void)s, (void)dw;
    return NEXT;
}

/* 22-bit counts ignore what lies above; the bits are checked as undefined before. */
static int exec_copy_linear(struct sdma *s, const uint32_t *dw)
{
    UNPACK(copy_linear);
    return move(s, k.dst_addr, k.src_addr, (uint64_t)k.count + 1);
}
static int exec_copy_broadcast(struct sdma *s, const uint32_t *dw)
{
    UNPACK(copy_broadcast);
    uint64_t before = s->done;
    int r = move(s, k.dst1_addr, k.src_addr, (uint64_t)k.count + 1);
    if (r < 0)
        return r;
    s->done = before;
    return move(s, k.dst2_addr, k.src_addr, (uint64_t)k.count + 1);
}

struct window { /* one side of a rectangle copy, in elements */
    uint64_t addr, x, y, z, pitch, slice;
};
static uint64_t row_at(const struct window *w, uint64_t y, uint64_t z, unsigned shift)
{
    return w->addr + ((w->x + (w->y + y) * w->pitch + (w->z + z) * w->slice) << shift);
}
static int rectangle(struct sdma *s, const struct window *src, const struct window *dst, uint64_t width,
                     uint64_t rows, uint64_t slices, unsigned shift)
{
    uint64_t bad, bytes = width << shift;
    for (uint64_t moved = 0; s->done < rows * slices; s->done++, moved += bytes) {
        uint64_t y = s->done % rows, z = s->done / rows, from = row_at(src, y, z, shift),
                 to = row_at(dst, y, z, shift);
        if (moved >= SLICE_BYTES)
            return MORE;
        if (mem_copy(s->q->gpu->map, to, from, bytes, &bad))
            return queue_fault_memory(s->q, s->name, bad - from < bytes ? ACCESS_READ : ACCESS_WRITE, bad);
        soft_visible(s->q->gpu->soft);
    }
    return NEXT;
}
static int exec_copy_linear_subwin(struct sdma *s, const uint32_t *dw)
{
    UNPACK(copy_linear_subwin);
    const struct window src = {
        k.src_addr, k.src_x, k.src_y, k.src_z, k.src_pitch + 1ull, k.src_slice_pitch + 1ull};
    const struct window dst = {
        k.dst_addr, k.dst_x, k.dst_y, k.dst_z, k.dst_pitch + 1ull, k.dst_slice_pitch + 1ull};
    if (k.elementsize > 4)
        return queue_fault_packet(s->q, s->name, "element size code %u: 0 to 4 expected", k.elementsize);
    return rectangle(s, &src, &dst, k.rect_x + 1ull, k.rect_y + 1ull, k.rect_z + 1ull, k.elementsize);
}
static int exec_copy_linear_subwin_large(struct sdma *s, const uint32_t *dw)
{
    UNPACK(copy_linear_subwin_large);
    const struct window src = {
        k.src_addr, k.src_x, k.src_y, k.src_z, k.src_pitch + 1ull, k.src_slice_pitch + 1ull};
    const struct window dst = {
        k.dst_addr, k.dst_x, k.dst_y, k.dst_z, k.dst_pitch + 1ull, k.dst_slice_pitch + 1ull};
    return rectangle(s, &src, &dst, k.rect_x + 1ull, k.rect_y + 1ull, k.rect_z + 1ull, 0);
}

static int exec_write(struct sdma *s, const uint32_t *dw)
{
    UNPACK(write);
    int err = 0;
    if (k.dst_addr % 4)
        return queue_fault_packet(s->q, s->name, "address 0x%llx is not dword-aligned",
                                  (unsigned long long)k.dst_addr);
    if (k.tail > 2)
        return queue_write(s->q, s->name, k.dst_addr, dw + SDMA_write_DWORDS, k.tail * 4ull);
    for (uint32_t i = 0; i < k.tail && !err; i++)
        err = queue_store(s->q, s->name, k.dst_addr + i * 4ull, 4, dw[SDMA_write_DWORDS + i]);
    return err;
}

static int exec_indirect(struct sdma *s, const uint32_t *dw)
{
    UNPACK(indirect);
    if (s->in_ib)
        return queue_fault_packet(s->q, s->name, "indirect buffers do not nest");
    if (k.ib_base % IB_ALIGN)
        return queue_fault_packet(s->q, s->name, "base 0x%llx is not 32-byte aligned",
                                  (unsigned long long)k.ib_base);
    if ((s->pos + SDMA_indirect_DWORDS) % 8)
        return queue_fault_packet(s->q, s->name, "does not end on an 8-dword boundary of the ring");
    s->ib = k.ib_base;
    s->ib_pos = 0;
    s->ib_end = k.ib_size;
    s->pos += SDMA_indirect_DWORDS;
    s->in_ib = true;
    return MORE;
}

static int exec_fence(struct sdma *s, const uint32_t *dw)
{
    UNPACK(fence);
    return queue_store(s->q, s->name, k.addr, 4, k.data);
}
static int exec_trap(struct sdma *s, const uint32_t *dw)
{
    UNPACK(trap);
    events_interrupt(s->q->gpu->soft, k.int_context, 28);
    return NEXT;
}

static int exec_poll_regmem(struct sdma *s, const uint32_t *dw)
{
    UNPACK(poll_regmem);
    uint64_t v;
    /* HDP flush, by its bit or as ROCr words it: memory is coherent, it is flushed. */
    if (k.hdp_flush || (!k.mem_poll && k.addr == 1ull << 63))
        return NEXT;
    if (!k.mem_poll)
        return queue_fault_packet(s->q, s->name, "register 0x%llx is not modelled",
                                  (unsigned long long)k.addr);
    int err = queue_load(s->q, s->name, k.addr, 4, &v);
    if (err)
        return err;
    int ok = poll_test(k.func, v & k.mask, k.value);
    if (ok < 0)
        return queue_fault_packet(s->q, s->name, "function %u does not exist", k.func);
    /* a bounded poll gives up and goes on, as the engine does */
    return ok || (k.retry_count != POLL_FOREVER && s->done++ >= k.retry_count) ? NEXT : AGAIN;
}

static int exec_cond_exe(struct sdma *s, const uint32_t *dw)
{
    UNPACK(cond_exe);
    uint64_t v, *pos = s->in_ib ? &s->ib_pos : &s->pos, end = s->in_ib ? s->ib_end : s->end;
    int err = queue_load(s->q, s->name, k.addr, 4, &v);
    if (err || v == k.reference)
        return err;
    if (k.exec_count > end - *pos - SDMA_cond_exe_DWORDS)
        return s->in_ib ? queue_fault_packet(s->q, s->name, "skips %u dwords past the end", k.exec_count)
                        : AGAIN;
    *pos += k.exec_count;
    return NEXT;
}

static int exec_atomic(struct sdma *s, const uint32_t *dw)
{
    UNPACK(atomic);
    bool swapped;
    uint64_t old;
    int err = queue_atomic(s->q, s->name, k.atomic_op, k.addr, k.src_data, k.cmp_data, &old, &swapped);
    return err ? err : k.loop && !swapped ? AGAIN : NEXT;
}

static int exec_const_fill(struct sdma *s, const uint32_t *dw)
{
    UNPACK(const_fill);
    unsigned unit = 1u << k.fillsize;
    if (k.fillsize > SDMA_FILLSIZE_DWORD || k.dst_addr % unit)
        return queue_fault_packet(s->q, s->name, "fill size code %u at 0x%llx", k.fillsize,
                                  (unsigned long long)k.dst_addr);
    uint64_t n = align_up((uint64_t)k.count + 1, unit), bad;
    uint64_t part = n - s->done < SLICE_BYTES ? n - s->done : SLICE_BYTES;
    if (mem_fill(s->q->gpu->map, k.dst_addr + s->done, k.src_data, unit, part, &bad))
        return queue_fault_memory(s->q, s->name, ACCESS_WRITE, bad);
    s->done += part;
    soft_visible(s->q->gpu->soft);
    return s->done < n ? MORE : NEXT;
}

static int exec_timestamp_get(struct sdma *s, const uint32_t *dw)
{
    UNPACK(timestamp_get);
    return queue_store(s->q, s->name, k.write_addr, 8, soft_gpu_clock());
}
static int exec_timestamp_get_global(struct sdma *s, const uint32_t *dw)
{
    UNPACK(timestamp_get_global);
    return queue_store(s->q, s->name, k.write_addr, 8, soft_gpu_clock());
}
static int exec_pre_exe(struct sdma *s, const uint32_t *dw) /* "only on device": there is one */
{
    (void)s, (void)dw;
    return NEXT;
}

/* The rows that are executed; every other one is refused by name. */
enum {
#define ENUM(name, up)
#define VALUE(up, name, v)
#define ENUM_END
#define GENS(mask)
#define MATCH(mask, value)
#define RECORD(name, op, n) ROW_##name,
#define FIELD(name, dw, hi, lo, fmt)
#define FIELD_IN(gens, name, dw, hi, lo, fmt)
#define NARROW(gens, name, dw, hi, lo, fmt)
#define WIDE(name, dw, hi, lo, fmt)
#define WIDE_IN(gens, name, dw, hi, lo, fmt)
#define TAIL(name)
#define TAIL_FIELD(name, dw, hi, lo, bias)
#define RECORD_END
#include "hw/amd/sdma.def"
    ROWS
};
static int (*const execs[ROWS])(struct sdma *, const uint32_t *) = {
    [ROW_nop] = exec_nop,
    [ROW_copy_linear] = exec_copy_linear,
    [ROW_copy_linear_dcc] = exec_copy_linear, /* the same fields; compression changes no content */
    [ROW_copy_broadcast] = exec_copy_broadcast,
    [ROW_copy_linear_subwin] = exec_copy_linear_subwin,
    [ROW_copy_linear_subwin_large] = exec_copy_linear_subwin_large,
    [ROW_write] = exec_write,
    [ROW_indirect] = exec_indirect,
    [ROW_fence] = exec_fence,
    [ROW_trap] = exec_trap,
    [ROW_dummy_trap] = exec_nop,
    [ROW_dummy_trap_v4] = exec_nop,
    [ROW_poll_regmem] = exec_poll_regmem,
    [ROW_cond_exe] = exec_cond_exe,
    [ROW_atomic] = exec_atomic,
    [ROW_const_fill] = exec_const_fill,
    [ROW_timestamp_get] = exec_timestamp_get,
    [ROW_timestamp_get_global] = exec_timestamp_get_global,
    [ROW_pre_exe] = exec_pre_exe,
    [ROW_gcr_req] = exec_nop, /* memory is coherent */
    [ROW_gcr_req_v7_1] = exec_nop,
};

/* Reads the packet at pos into one piece; *n its dwords. NULL with *r: -EFAULT, or AGAIN when it is not all
 * there yet. */
static const uint32_t *packet(struct sdma *s, uint64_t pos, uint64_t left, uint32_t *n, int *r)
{
    uint32_t *dw = s->small, need, seen = left < SMALL ? (uint32_t)left : SMALL;
    if (seen > 8)
        seen = 8; /* no length lies further in */
    *r = fetch(s, pos, seen, dw) ? -EFAULT : AGAIN;
    if (*r < 0)
        return NULL;
    *n = sdma_dwords(dw, seen, s->gen, &need);
    if (!*n && !need) {
        *r = queue_fault_packet(s->q, "fetch", "header 0x%08x (op %u, sub-op %u) is not known on SDMA %s",
                                dw[0], dw[0] & 0xff, dw[0] >> 8 & 0xff, sdma_gen_name(s->gen));
        return NULL;
    }
    if (need || *n > left) {
        if (s->in_ib || *n > s->q->ring_bytes / 4)
            *r = queue_fault_packet(s->q, "fetch", "packet 0x%08x of %u dwords does not fit the %s", dw[0],
                                    *n, s->in_ib ? "rest of the indirect buffer" : "ring");
        return NULL;
    }
    if (*n <= seen)
        return dw;
    if (*n > SMALL) {
        if (!s->big && !(s->big = malloc(LARGEST * sizeof *s->big))) {
            *r = queue_fault_packet(s->q, "fetch", "no memory for a packet of %u dwords", *n);
            return NULL;
        }
        memcpy(s->big, s->small, seen * 4);
        dw = s->big;
    }
    *r = fetch(s, pos + seen, *n - seen, dw + seen); /* the part that gave the length is kept */
    return *r ? NULL : dw;
}

static int execute(struct sdma *s)
{
    uint64_t *pos = s->in_ib ? &s->ib_pos : &s->pos, left = (s->in_ib ? s->ib_end : s->end) - *pos;
    uint32_t n, bits;
    int r;
    const uint32_t *dw = packet(s, *pos, left, &n, &r);
    if (!dw)
        return r;
    struct sdma_packet k;
    sdma_next(dw, n, s->gen, &k);
    s->name = k.rec->name;
    int bad = hw_unknown_bits(k.rec, s->gen, dw, 0, &bits);
    if (bad >= 0)
        return queue_fault_packet(s->q, s->name, "dword %d (0x%08x): bits 0x%x are not defined on SDMA %s",
                                  bad, dw[bad], bits, sdma_gen_name(s->gen));
    if (!execs[k.rec - sdma_records])
        return queue_fault_packet(s->q, s->name, "this packet is not modelled");
    r = execs[k.rec - sdma_records](s, dw);
    if (r == NEXT) {
        *pos += n;
        s->done = 0;
    }
    return r;
}

static int sdma_start(struct queue *q)
{
    struct sdma *s = calloc(1, sizeof *s);
    if (!s)
        return fail(-ENOMEM, "no memory for an SDMA queue");
    s->q = q;
    s->gen = sdma_gen_of(q->gpu->chip->gen);
    q->state = s;
    return 0;
}

static int sdma_step(struct queue *q)
{
    struct sdma *s = q->state;
    uint64_t before = s->pos;
    int did = STEP_NOTHING, r = 0;
    if (q->wptr % 4 || q->wptr - s->pos * 4 > q->ring_bytes)
        return queue_fault_packet(
            q, "ring", "write pointer %llu: a multiple of 4 at most %llu bytes past %llu expected",
            (unsigned long long)q->wptr, (unsigned long long)q->ring_bytes, (unsigned long long)s->pos * 4);
    s->end = q->wptr / 4;
    for (int i = 0; i < SLICE_PACKETS; i++) {
        if (s->in_ib && s->ib_pos == s->ib_end)
            s->in_ib = false;
        if (!s->in_ib && s->pos == s->end)
            break;
        r = execute(s);
        if (r < 0)
            return r;
        if (r == AGAIN)
            break;
        did = STEP_PROGRESS;
        if (r == MORE && s->done)
            break;
    }
    q->rptr = s->pos * 4;
    return s->pos != before && queue_publish_rptr(q) ? -EFAULT : did;
}

static void sdma_stop(struct queue *q)
{
    struct sdma *s = q->state;
    if (s)
        free(s->big);
    free(s);
    q->state = NULL;
}

const struct processor sdma_processor = {"sdma", sdma_start, sdma_step, sdma_stop, 1};
