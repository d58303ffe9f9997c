/* Instruction sequences with their end state, as an independent emulator's hardware-oriented tests give them
 * (facts file gfx1100-vectors.jsonl: tinygrad, MIT): run on the engine, every register compared. Sequences
 * that touch memory which the record does not hold are counted apart. */
#include "base/bits.h"
#include "base/err.h"
#include "engine/ops.h"
#include "isa/amd/amd.h"
#include "test/test.h"
#include <stdlib.h>

struct record {
    char name[200];
    unsigned lanes, ncode;
    uint8_t code[4096];
    uint32_t vgpr[16][32], sgpr[16], scc;
    uint64_t vcc, exec;
};

static char *after(char *s, const char *key)
{
    char *p = strstr(s, key);
    return p ? p + strlen(key) : NULL;
}

static int parse(char *line, struct record *r)
{
    char *p = after(line, "\"test\":\"");
    if (!p)
        return -1;
    snprintf(r->name, sizeof r->name, "%.*s", (int)strcspn(p, "\""), p);
    r->lanes = (unsigned)strtoul(after(line, "\"lanes\":"), NULL, 10);
    p = after(line, "\"code\":\"");
    for (r->ncode = 0; p[0] != '"' && r->ncode < sizeof r->code - 8; p += 2)
        r->code[r->ncode++] = (uint8_t)strtoul((char[]){p[0], p[1], 0}, NULL, 16);
    p = after(line, "\"vgpr\":[");
    for (int v = 0; v < 16; v++) {
        p = strchr(p, '[') + 1;
        for (unsigned i = 0; i < r->lanes && i < 32; i++, p += *p == ',')
            r->vgpr[v][i] = (uint32_t)strtoul(p, &p, 10);
    }
    p = after(line, "\"sgpr\":[");
    for (int s = 0; s < 16; s++, p += *p == ',')
        r->sgpr[s] = (uint32_t)strtoul(p, &p, 10);
    r->vcc = strtoull(after(line, "\"vcc\":"), NULL, 10);
    r->scc = (uint32_t)strtoul(after(line, "\"scc\":"), NULL, 10);
    r->exec = strtoull(after(line, "\"exec\":"), NULL, 10);
    return 0;
}

/* The instruction set of the target, but for the address past the sequence, where the state is taken. */
static uint64_t end_pc;
static struct wave seen;
static uint32_t seen_v[16 * 32];

static int capture(struct wave *w, const struct lane_insn *in)
{
    (void)in;
    seen = *w;
    memcpy(seen_v, w->v, sizeof seen_v);
    return WAVE_END;
}
static int translate(const struct eng_isa *isa, struct lane_prog *p, uint64_t pc, const uint8_t *bytes,
                     size_t avail, unsigned width, unsigned nvregs)
{
    const struct eng_isa *real = amd_isa(AMD_GFX1100);
    if (pc != end_pc)
        return real->translate(real, p, pc, bytes, pc < end_pc && pc + avail > end_pc ? end_pc - pc : avail,
                               width, nvregs);
    struct lane_insn in = {.fn = capture,
                           .op = (uint16_t)lane_op_find("s_endpgm"),
                           .size = 4,
                           .target = -1,
                           .flags = LF_BLOCK_END | LF_NO_FALL,
                           .pc = (uint32_t)(pc - lane_prog_base(p))};
    (void)isa;
    return lane_prog_add(p, &in) < 0 ? -ENOMEM : 4;
}
static void text(const struct eng_isa *isa, const uint8_t *bytes, size_t avail, uint64_t pc, unsigned width,
                 char *buf, size_t n)
{
    (void)isa;
    amd_isa(AMD_GFX1100)->text(amd_isa(AMD_GFX1100), bytes, avail, pc, width, buf, n);
}
static void init_wave(void *ctx, struct wave *w, const uint32_t size[3])
{
    (void)ctx, (void)size;
    for (unsigned i = 0; i < w->width; i++)
        w->v[255 * w->width + i] = i; /* where those tests keep the lane number */
}

/* Disagreements settled with the RDNA3 ISA document: V_DIV_FIXUP_F32 gives 0xffc00000 for 0/0 and inf/inf, where
 * the emulator has the other sign. */
static const struct {
    const char *name;
    unsigned vgpr;
    uint32_t value;
} settled[] = {
    {"test_vop3.TestDivFixup.test_div_fixup_f32_inf_div_inf", 1, 0xffc00000},
    {"test_vop3.TestDivFixup.test_div_fixup_f32_zero_div_zero", 3, 0xffc00000},
};
static int settle(struct record *r)
{
    for (unsigned k = 0; k < ARRAY_LEN(settled); k++)
        if (!strcmp(r->name, settled[k].name)) {
            r->vgpr[settled[k].vgpr][0] = settled[k].value;
            return 1;
        }
    return 0;
}
/* Interpolation of pixel shaders is not in our tables. */
static int is_graphics(const struct record *r)
{
    return !strncmp(r->name, "test_vinterp.", 13);
}

static int touches_memory(const struct record *r)
{
    struct amd_inst i;
    for (unsigned at = 0; at < r->ncode;) {
        int n = amd_decode(AMD_GFX1100, false, r->code + at, r->ncode - at, &i);
        if (n <= 0)
            return 0;
        if (i.row->enc == AMD_ENC_SMEM || (i.row->enc >= AMD_ENC_BUFFER && i.row->enc <= AMD_ENC_SCRATCH))
            return 1;
        at += (unsigned)n;
    }
    return 0;
}

static int run(const struct record *r, char *why, size_t n)
{
    static const struct eng_isa isa = {"gfx1100", ISA_GFX11, translate, text};
    static uint8_t page[8192] __attribute__((aligned(4096)));
    struct mem_map *m = mem_map_new();
    struct mem_range range = {0x100000, sizeof page, page, MEM_READ | MEM_EXEC, 0};
    memset(page, 0, sizeof page);
    memcpy(page, r->code, r->ncode);
    end_pc = range.va + r->ncode;
    mem_map_add(m, &range);
    struct eng_cache *c = eng_cache_new(m);
    struct eng_launch l = {
        .isa = &isa,
        .mem = m,
        .cache = c,
        .pc = range.va,
        .width = 32,
        .nvregs = 256,
        .groups = {1, 1, 1},
        .group_size = {r->lanes, 1, 1},
        .tail = {r->lanes, 1, 1},
        .lds_bytes = 65536,
        .mode = 0x3c0, /* f32 denormals flushed, DX10_CLAMP, IEEE: inferred, all cases agree under it */
        .shared_base = AMD_SHARED_BASE,
        .private_base = AMD_PRIVATE_BASE,
        .max_groups = 1,
        .init_wave = init_wave};
    struct eng_dispatch *d = NULL;
    int rc = eng_dispatch_start(&l, &d);
    memset(&seen, 0, sizeof seen);
    if (!rc)
        rc = eng_dispatch_run(d, 1000000);
    if (rc == -EFAULT)
        eng_fault_text(eng_dispatch_fault(d), why, (unsigned)n);
    else if (rc != ENG_DONE)
        snprintf(why, n, "status %d: %s", rc, fail_text());
    eng_dispatch_free(d);
    eng_cache_free(c);
    mem_map_free(m);
    return rc == ENG_DONE ? 0 : -1;
}

static int compare(const struct record *r, char *why, size_t n)
{
    for (int v = 0; v < 16; v++)
        for (unsigned i = 0; i < r->lanes; i++)
            if (seen_v[v * 32 + i] != r->vgpr[v][i]) {
                snprintf(why, n, "v%d lane %u is 0x%08x, expected 0x%08x", v, i, seen_v[v * 32 + i],
                         r->vgpr[v][i]);
                return -1;
            }
    for (int s = 0; s < 16; s++)
        if (seen.s[s] != r->sgpr[s]) {
            snprintf(why, n, "s%d is 0x%08x, expected 0x%08x", s, seen.s[s], r->sgpr[s]);
            return -1;
        }
    if (seen.s[SREG_VCC] != (uint32_t)r->vcc || seen.scc != r->scc ||
        seen.s[SREG_EXEC] != (uint32_t)r->exec) {
        snprintf(why, n, "vcc 0x%x scc %u exec 0x%x, expected 0x%llx %u 0x%llx", seen.s[SREG_VCC], seen.scc,
                 seen.s[SREG_EXEC], (unsigned long long)r->vcc, r->scc, (unsigned long long)r->exec);
        return -1;
    }
    return 0;
}

int main(void)
{
    const char *dir = getenv("NXGPU_FACTS");
    char path[512], why[700];
    static char line[1 << 20];
    static struct record r;
    snprintf(path, sizeof path, "%s/gfx1100-vectors.jsonl", dir ? dir : "../shared/facts");
    FILE *f = fopen(path, "r");
    if (!f) {
        printf("skip - vectors: %s is not there\n", path);
        return 77;
    }
    int bad = 0, good = 0, memory = 0, by_document = 0, graphics = 0;
    while (fgets(line, sizeof line, f)) {
        if (parse(line, &r))
            continue;
        if (touches_memory(&r)) {
            memory++;
            continue;
        }
        if (is_graphics(&r)) {
            graphics++;
            continue;
        }
        by_document += settle(&r);
        why[0] = 0;
        if (run(&r, why, sizeof why) || compare(&r, why, sizeof why)) {
            printf("  %s: %s\n", r.name, why);
            bad++;
        } else
            good++;
    }
    fclose(f);
    printf("  %d need memory outside the record, %d are graphics, %d were settled by the ISA document\n",
           memory, graphics, by_document);
    printf("%s - vectors: %d sequences equal, %d differ\n", bad || good < 400 ? "not ok" : "ok", good, bad);
    return bad || good < 400;
}
