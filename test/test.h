/* Unit tests: each CHECK that fails prints where and why; each case prints one line that test/run counts:
 * "ok - NAME", "not ok - NAME" or "skip - NAME: reason".
 *     TEST(ring_wraps) { CHECK_EQ(put, 3u); }
 *     int main(void) { RUN(ring_wraps); return test_done(); }
 */
#ifndef NX_TEST_H
#define NX_TEST_H
#include <stdio.h>
#include <string.h>

static int test_bad, test_bad_total;
static char test_skip_why[256];

#define TEST(name) static void test_##name(void)
#define RUN(name)  test_run(#name, test_##name)
#define CHECK(cond)                                                                                          \
    do {                                                                                                     \
        if (!(cond)) {                                                                                       \
            printf("  %s:%d: %s\n", __FILE__, __LINE__, #cond);                                              \
            test_bad++;                                                                                      \
        }                                                                                                    \
    } while (0)
#define CHECK_EQ(a, b)                                                                                       \
    do {                                                                                                     \
        unsigned long long a_ = (unsigned long long)(a), b_ = (unsigned long long)(b);                       \
        if (a_ != b_) {                                                                                      \
            printf("  %s:%d: %s is 0x%llx, %s is 0x%llx\n", __FILE__, __LINE__, #a, a_, #b, b_);             \
            test_bad++;                                                                                      \
        }                                                                                                    \
    } while (0)
#define CHECK_STR(a, b)                                                                                      \
    do {                                                                                                     \
        const char *a_ = (a), *b_ = (b);                                                                     \
        if (strcmp(a_, b_)) {                                                                                \
            printf("  %s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, #a, a_, b_);              \
            test_bad++;                                                                                      \
        }                                                                                                    \
    } while (0)
/* In a test: the reason, then return. Counted as skipped, never as passed. */
#define SKIP(...)                                                                                            \
    do {                                                                                                     \
        snprintf(test_skip_why, sizeof test_skip_why, __VA_ARGS__);                                          \
        return;                                                                                              \
    } while (0)

static inline void test_run(const char *name, void (*fn)(void))
{
    test_bad = 0;
    test_skip_why[0] = 0;
    fn();
    if (test_bad)
        printf("not ok - %s\n", name);
    else if (test_skip_why[0])
        printf("skip - %s: %s\n", name, test_skip_why);
    else
        printf("ok - %s\n", name);
    fflush(stdout);
    test_bad_total += test_bad;
}
static inline int test_done(void)
{
    return test_bad_total ? 1 : 0;
}
#endif
