/* Streams recorded from other programs must decode with nothing unknown (../shared/facts/traces); any words
 * at all must decode without a fault and assemble back to themselves. */
#include "base/bits.h"
#include "base/err.h"
#include "hw/amd/aql.h"
#include "hw/amd/pm4.h"
#include "hw/amd/sdma.h"
#include "hw/amd/stream.h"
#include "test/facts.h"
#include "test/test.h"
#include <stdlib.h>

static void show(void *ctx, const struct stream_target *t, const struct stream_item *it)
{
    (void)ctx, (void)t;
    if (it->problem[0])
        printf("  dword %zu: %s\n", it->at, it->problem);
}

/* One log line: its PM4 packet into w; returns the dwords, 0 for other lines. The log prints "op OP: body"
 * and, for three opcodes, named words. */
static unsigned logged_pm4(const char *line, uint32_t *w)
{
    unsigned op, n = 0, a[6];
    int at = 0;
    unsigned long long addr;
    if (sscanf(line, "[pm4] WAIT_REG_MEM info %x %x %x ref %x", &a[0], &a[1], &a[2], &a[3]) == 4) {
        uint32_t body[] = {a[0], a[1], a[2], a[3], ~0u, 4};
        memcpy(w + 1, body, sizeof body);
        op = PM4_wait_reg_mem, n = 6;
    } else if (sscanf(line, "[pm4] RELEASE_MEM ev %x sel %x addr %llx data %x ctx %x", &a[0], &a[1], &addr,
                      &a[3], &a[4]) == 5) {
        uint32_t body[] = {a[0], a[1], (uint32_t)addr, (uint32_t)(addr >> 32), a[3], 0, a[4]};
        memcpy(w + 1, body, sizeof body);
        op = PM4_release_mem, n = 7;
    } else if (sscanf(line, "[pm4] op %x:%n", &op, &at) == 1 ||
               sscanf(line, " PM4 op %x cnt %*u:%n", &op, &at) == 1) {
        for (int k; n < 64 && at && sscanf(line + at, " %x%n", &w[n + 1], &k) == 1; n++)
            at += k;
    }
    if (n)
        w[0] = pm4_type3(op, n - 1);
    return n ? n + 1 : 0;
}

static void trace(const char *file, const char *gpu, unsigned least)
{
    struct stream_target t;
    uint32_t w[8192];
    char line[512], name[128];
    unsigned n = 0, packets = 0;
    snprintf(name, sizeof name, "traces/%s", file);
    FILE *f = facts_open(name);
    if (!f)
        SKIP("no %s", name);
    CHECK_EQ(stream_target(&t, "pm4", gpu), 0);
    while (n < 8000 && fgets(line, sizeof line, f)) {
        unsigned k = logged_pm4(line, w + n);
        n += k, packets += k > 0;
    }
    fclose(f);
    CHECK_EQ(stream_walk(&t, w, n, show, NULL), 0);
    CHECK(packets >= least);
}
TEST(trace_tinygrad_gfx1100)
{
    trace("tinygrad-gfx1100.txt", "gfx1100", 17);
}
TEST(trace_tinygrad_gfx1201)
{
    trace("tinygrad-gfx1201.txt", "gfx1201", 17);
}
TEST(trace_tinygrad_gfx942)
{
    trace("tinygrad-gfx942.txt", "gfx942", 17);
}
TEST(trace_tinygrad_aql)
{
    trace("tinygrad-aql.txt", "gfx1100", 5);
}
TEST(trace_rocr_gfx1030)
{
    trace("rocr-5.2.3-gfx1030-hsa.txt", "gfx1030", 1);
}
TEST(trace_rocr_6)
{
    trace("rocr-6.4.3-hsa.txt", "gfx1100", 1);
}

/* decode(words) assembles back to words; every dword is in exactly one item */
static void check_inverse(const struct stream_target *t, const uint32_t *w, size_t n)
{
    char *text;
    size_t size, at = 0;
    uint32_t *back = NULL;
    struct stream_item it;
    FILE *f = open_memstream(&text, &size);
    while (at < n) {
        size_t next = stream_next(t, w, n, at, &it);
        CHECK(next > at && next <= n && it.dwords == next - at);
        stream_text(f, t, &it, 0x1000);
        at = next;
    }
    fclose(f);
    long m = stream_asm(t, text, &back);
    if (m != (long)n || memcmp(back, w, 4 * n)) {
        printf("  format %u gen %u: %ld of %zu dwords come back: %s\n%.2000s", t->format, t->table_gen, m, n,
               m < 0 ? fail_text() : "", text);
        test_bad++;
    }
    free(back);
    free(text);
}

static uint32_t rnd(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*seed >> 32);
}

/* Words that look like packets often enough to get into the rows: a known header, sometimes the right length.
 */
static uint32_t likely(const struct stream_target *t, uint64_t *seed)
{
    uint32_t r = rnd(seed), v = rnd(seed);
    if (r % 8 == 0)
        return v;
    if (r % 8 < 4)
        return v & 0xff;
    if (t->format == STREAM_PM4) {
        const struct hw_record *rec = &pm4_records[v % pm4_nrecords];
        uint32_t n = rec->dwords + (rec->tail ? rnd(seed) % 5 : 0) + (rnd(seed) % 8 == 0);
        return pm4_type3(rec->op, n - 2) | (rnd(seed) % 16 == 0 ? rnd(seed) & 0xff : 0);
    }
    if (t->format == STREAM_SDMA)
        return sdma_records[v % sdma_nrecords].op | (rnd(seed) & 0xffff0000 & -(rnd(seed) & 1));
    if (t->format == STREAM_KD)
        return v;
    return aql_records[v % aql_nrecords].op | (rnd(seed) & 0xffff00 & -(rnd(seed) & 1));
}

TEST(random_words_come_back)
{
    static const char *const gpus[] = {"gfx900",  "gfx90a",  "gfx942",  "gfx1010",
                                       "gfx1030", "gfx1100", "gfx1201", "gfx1250"};
    static const char *const formats[] = {"pm4", "sdma", "aql", "kd"};
    uint32_t w[96];
    uint64_t seed = 20;
    for (unsigned round = 0; round < 200 && !test_bad; round++)
        for (unsigned g = 0; g < ARRAY_LEN(gpus); g++)
            for (unsigned f = 0; f < ARRAY_LEN(formats); f++) {
                struct stream_target t;
                size_t n = 1 + rnd(&seed) % ARRAY_LEN(w);
                CHECK_EQ(stream_target(&t, formats[f], gpus[g]), 0);
                for (size_t i = 0; i < n; i++)
                    w[i] = round % 4 ? likely(&t, &seed) : rnd(&seed);
                uint32_t *exact = malloc(4 * n); /* so that a read past the end is seen */
                memcpy(exact, w, 4 * n);
                check_inverse(&t, exact, n);
                stream_walk(&t, exact, n, NULL, NULL);
                free(exact);
            }
}

/* Damaged text is refused or assembled, never a fault. */
TEST(random_text)
{
    static const char seed_text[] =
        "00001000: set_sh_reg offset=0x20c index=0 values=[0x1 0x2]\n"
        "release_mem event_type=CS_DONE unknown[1]=0x80 data=1 # x\nraw 0x1 2\n\n";
    struct stream_target t;
    uint64_t seed = 3;
    char text[sizeof seed_text];
    CHECK_EQ(stream_target(&t, "pm4", "gfx1100"), 0);
    for (unsigned round = 0; round < 3000; round++) {
        uint32_t *dw = NULL;
        memcpy(text, seed_text, sizeof text);
        for (unsigned k = 1 + rnd(&seed) % 4; k; k--)
            text[rnd(&seed) % (sizeof text - 1)] = "=[]#:\n 0xz9_-\0\377a"[rnd(&seed) % 17];
        if (stream_asm(&t, text, &dw) >= 0)
            free(dw);
    }
}

int main(void)
{
    RUN(trace_tinygrad_gfx1100);
    RUN(trace_tinygrad_gfx1201);
    RUN(trace_tinygrad_gfx942);
    RUN(trace_tinygrad_aql);
    RUN(trace_rocr_gfx1030);
    RUN(trace_rocr_6);
    RUN(random_words_come_back);
    RUN(random_text);
    return test_done();
}
