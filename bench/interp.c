// Speed of the interpreter's parts, in million wave-instructions a second (wave32, one thread): loops of one
// operation over 16 iterations' worth of copies, and the cost of starting a wave.   interp [NAME]
#include "engine/engine.h"
#include "engine/ops.h"
#include "base/err.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { CODE = 0x10000, DATA = 0x400000, BYTES = 1 << 20, COPIES = 16 };
static struct lane_insn body, loop, end;
static unsigned pattern; // addresses: bytes from lane to lane; 0 all the same, 1 scattered

static int end_fn(struct wave *w, const struct lane_insn *in)
{
    (void)w, (void)in;
    return WAVE_END;
}
static int loop_fn(struct wave *w, const struct lane_insn *in)
{
    if (!--w->s[1])
        return WAVE_GO;
    if (in->target >= 0) {
        w->ip = w->code + in->target;
        return WAVE_GO;
    }
    w->pc = CODE;
    return WAVE_LOOKUP;
}
static int translate(const struct eng_isa *isa, struct lane_prog *p, uint64_t pc, const uint8_t *bytes,
                     size_t avail, unsigned width, unsigned nvregs)
{
    (void)isa, (void)bytes, (void)avail, (void)width, (void)nvregs;
    for (unsigned i = 0; i < COPIES + 2; i++) {
        struct lane_insn in = i < COPIES ? body : i == COPIES ? loop : end;
        in.pc = (uint32_t)(pc - CODE) + i * 4;
        if (lane_prog_add(p, &in) < 0)
            return -ENOMEM;
    }
    return (COPIES + 2) * 4;
}
static const struct eng_isa isa = {"bench", 11, translate, NULL};
static unsigned iterations;
static void init_wave(void *ctx, struct wave *w, const uint32_t size[3])
{
    (void)ctx, (void)size;
    for (unsigned i = 0; i < w->width; i++) {
        unsigned o = pattern == 1 ? i * 7919 * 4 % 16384 : i * pattern;
        w->v[2 * w->width + i] = (body.addr == LA_LDS ? 0 : DATA) + o;
        float f = (float)i;
        memcpy(&w->v[8 * w->width + i], &f, 4);
    }
    w->s[1] = iterations;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct eng_launch l;
static double run(uint64_t *insns)
{
    struct eng_dispatch *d;
    struct eng_stats s;
    double best = 1e9;
    l.cache = eng_cache_new(l.mem);
    for (int i = 0; i < 100; i++) {
        double t = seconds();
        if (eng_dispatch_start(&l, &d))
            return 0;
        int r;
        while ((r = eng_dispatch_run(d, 1 << 30)) == ENG_MORE)
            ;
        if (r < 0)
            fprintf(stderr, "%s\n", fail_text());
        eng_dispatch_stats(d, &s);
        eng_dispatch_free(d);
        t = seconds() - t;
        best = t < best ? t : best;
        *insns = s.insns;
    }
    eng_cache_free(l.cache);
    return best;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name, *op;
        unsigned addr, pattern, dwords;
    } cases[] = {
        {"v_mov_b32", "v_mov_b32", 0, 0, 1},
        {"v_add_f32", "v_add_f32", 0, 0, 1},
        {"v_fma_f32", "v_fma_f32", 0, 0, 1},
        {"v_add_nc_u32", "v_add_nc_u32", 0, 0, 1},
        {"v_lshlrev_b64", "v_lshlrev_b64", 0, 0, 2},
        {"s_add_u32", "s_add_u32", 0, 0, 1},
        {"global load, contiguous", "load_b32", LA_GLOBAL, 4, 1},
        {"global load, same", "load_b32", LA_GLOBAL, 0, 1},
        {"global load, scattered", "load_b32", LA_GLOBAL, 1, 1},
        {"global load b128", "load_b128", LA_GLOBAL, 16, 4},
        {"global store, contiguous", "store_b32", LA_GLOBAL, 4, 1},
        {"global store, scattered", "store_b32", LA_GLOBAL, 1, 1},
        {"lds load, contiguous", "load_b32", LA_LDS, 4, 1},
        {"lds load, same", "load_b32", LA_LDS, 0, 1},
        {"lds load, scattered", "load_b32", LA_LDS, 1, 1},
        {"lds load 2addr, same", "load_2addr_b32", LA_LDS, 0, 2},
        {"lds load 2addr, contiguous", "load_2addr_b32", LA_LDS, 4, 2},
        {"lds store, contiguous", "store_b32", LA_LDS, 4, 1},
        {"global atomic add", "atomic_add_u32", LA_GLOBAL, 4, 1},
    };
    struct mem_map *mem = mem_map_new();
    uint8_t *host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct mem_range code = {CODE, 4096, host, MEM_READ | MEM_EXEC, 0};
    struct mem_range data = {DATA, BYTES, host, MEM_READ | MEM_WRITE, 0};
    if (!mem || mem_map_add(mem, &code) || mem_map_add(mem, &data))
        return 1;
    l = (struct eng_launch){.isa = &isa,
                            .mem = mem,
                            .pc = CODE,
                            .width = 32,
                            .nvregs = 32,
                            .groups = {1, 1, 1},
                            .group_size = {32, 1, 1},
                            .tail = {32, 1, 1},
                            .lds_bytes = 32768,
                            .mode = 0xf0,
                            .shared_base = 1ull << 48,
                            .private_base = 2ull << 48,
                            .max_groups = 8,
                            .init_wave = init_wave};
    end = (struct lane_insn){.fn = end_fn, .op = OP_s_nop, .flags = LF_BLOCK_END | LF_NO_FALL, .size = 4};
    loop = (struct lane_insn){.fn = loop_fn, .op = OP_s_nop, .flags = LF_BLOCK_END, .target = -1, .size = 4};
    uint64_t insns;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        int op = lane_op_find(cases[i].op);
        if (argc > 1 && !strstr(cases[i].name, argv[1]))
            continue;
        if (op < 0 || !lane_op_fn((unsigned)op, 32)) {
            printf("%-28s not written\n", cases[i].name);
            continue;
        }
        int scalar = cases[i].op[0] == 's' && cases[i].op[1] == '_';
        uint8_t kind = scalar ? LK_SREG : LK_VREG, n = (uint8_t)cases[i].dwords;
        body = (struct lane_insn){.fn = lane_op_fn((unsigned)op, 32),
                                  .op = (uint16_t)op,
                                  .flags = LF_SIMPLE,
                                  .addr = (uint8_t)cases[i].addr,
                                  .size = 4,
                                  .imm2 = 128};
        body.d = (struct lane_opnd){.kind = kind, .dwords = n, .reg = 12};
        for (int k = 0; k < 3 && (!body.addr || k < 2); k++)
            body.s[k] = (struct lane_opnd){.kind = kind, .dwords = n, .reg = body.addr && !k ? 2 : 8};
        pattern = cases[i].pattern;
        iterations = argc > 2 ? (unsigned)atoi(argv[2]) : 500;
        double t = run(&insns);
        printf("%-28s %7.1f M/s %6.2f ns\n", cases[i].name, (double)insns / t * 1e-6,
               t * 1e9 / (double)insns);
    }
    iterations = 1;
    body = (struct lane_insn){
        .fn = lane_op_fn(OP_v_mov_b32, 32), .op = OP_v_mov_b32, .flags = LF_SIMPLE, .size = 4};
    body.d = body.s[0] = (struct lane_opnd){.kind = LK_VREG, .dwords = 1, .reg = 12};
    l.group_size[0] = l.tail[0] = 256;
    l.groups[0] = 2048;
    l.lds_bytes = 0;
    double t = run(&insns);
    printf("%-28s %7.1f ns a wave of 18 instructions\n", "wave start", t * 1e9 / (2048 * 8));
    mem_map_free(mem);
    munmap(host, BYTES);
    return 0;
}
