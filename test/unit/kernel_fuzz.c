/* Random requests, sizes and bytes through the call decoder and the copies, and mutated text through the
 * topology parsers: no read or write past what the request's size allows (MODE=asan sees one), bounded
 * output, no crash. The seeds are fixed, so that a failure repeats.
 */
#include "kernel/call.h"
#include "kernel/kfd.h"
#include "kernel/topology.h"
#include "base/bits.h"
#include "base/err.h"
#include "test/test.h"
#include <stdlib.h>

static uint64_t state;
static uint64_t next(void) /* xorshift64* */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1d;
}

/* Words a client could send: half the time a known call, mostly with a wrong size. */
static uint32_t random_request(void)
{
    uint32_t size = next() % 3 ? next() % 320 : next() % 0x4000,
             magic = next() % 8 ? (next() & 1 ? 'K' : 'd') : next() & 0xff;
    return CALL_WORD(next() & 3, magic, next() & 0xff, size);
}

/* Bytes of a struct: zeros, noise, small numbers, and now and then a good pointer. */
static void random_bytes(uint8_t *p, unsigned n)
{
    static uint32_t good[64];
    for (unsigned i = 0; i < n; i += 8) {
        uint64_t v = 0;
        switch (next() % 5) {
        case 0:
            v = next();
            break;
        case 1:
            v = next() % 70 | (next() % 70) << 32;
            break;
        case 2:
            v = (uintptr_t)good + next() % 8;
            break;
        case 3:
            v = next() & 0xffffffff0000000f;
            break;
        }
        memcpy(p + i, &v, n - i < 8 ? n - i : 8);
    }
}

TEST(decoder_stays_inside_the_request)
{
    size_t longest = 0;
    unsigned decoded = 0;
    for (state = 1; decoded < 3000;) {
        uint32_t request = random_request();
        unsigned size = call_size(request);
        const struct call *c = call_lookup(request);
        if (!c || !c->args)
            continue;
        uint8_t *data = malloc(size + !size), *before = malloc(size + !size);
        random_bytes(data, size);
        random_bytes(before, size);
        char *text = NULL;
        size_t len = 0;
        FILE *out = open_memstream(&text, &len);
        call_print(out, c->args, data, size, NULL);
        call_print(out, c->args, data, size, before);
        fclose(out);
        longest = len > longest ? len : longest;
        decoded++;
        free(text);
        free(data);
        free(before);
    }
    CHECK(longest < 200000); /* the largest is an SVM call with 2045 attributes */
}

TEST(copies_stay_inside_both_structs)
{
    unsigned copied = 0;
    for (state = 2; copied < 3000;) {
        uint32_t request = random_request();
        const struct call *c = call_lookup(request);
        if (!c || !c->args)
            continue;
        unsigned size = call_size(request), own_size = c->args->size;
        unsigned both = size < own_size ? size : own_size;
        unsigned way = c->magic == 'K' ? c->dir : c->dir & call_dir(request);
        uint8_t *arg = malloc(size + !size), *own = malloc(own_size + !own_size), *old = malloc(size + !size);
        random_bytes(arg, size);
        memcpy(old, arg, size);
        call_copy_in(c, request, own, own_size, arg);
        int good = !memcmp(arg, old, size);
        for (unsigned i = 0; i < own_size; i++)
            good &= own[i] == (i < both && way & CALL_W ? arg[i] : 0);
        memset(own, 0xa5, own_size);
        call_copy_out(c, request, arg, own, own_size);
        for (unsigned i = 0; i < size; i++)
            good &= arg[i] == (i < both && way & CALL_R ? 0xa5 : old[i]);
        CHECK(good);
        copied++;
        free(arg);
        free(own);
        free(old);
    }
}

TEST(parser_survives_any_text)
{
    static const char seed[] =
        "cpu_cores_count 0\nsimd_count 192\nunique_id 18446744073709551615\nnum_xcc 1\n";
    static const char alphabet[] = "0123456789 \n_az\x80";
    unsigned refused = 0;
    state = 3;
    for (int round = 0; round < 5000; round++) {
        size_t n = sizeof seed - 1;
        char *text = malloc(n + 1);
        memcpy(text, seed, n + 1);
        for (uint64_t edits = next() % 4; edits; edits--)
            text[next() % n] = alphabet[next() % (sizeof alphabet - 1)];
        if (next() % 2)
            text[next() % n] = 0;
        struct kfd_node node = {0};
        struct kfd_link link = {0};
        int err = kfd_parse_node("text", text, &node);
        CHECK(err == 0 || err == -EINVAL);
        CHECK(!err || !strncmp(fail_text(), "text:", 5));
        CHECK_EQ(kfd_parse_link("text", text, &link), err); /* the same lines are well formed for all */
        refused += err != 0;
        free(text);
    }
    CHECK(refused > 1000 && refused < 4900);
}

int main(void)
{
    RUN(decoder_stays_inside_the_request);
    RUN(copies_stay_inside_both_structs);
    RUN(parser_survives_any_text);
    return test_done();
}
