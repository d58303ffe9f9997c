/* The rows of kfd.def and drm.def against what others wrote down: <linux/kfd_ioctl.h> and libdrm's headers as
 * installed (every command word, struct size, field offset and size, constant), and command words and record
 * layouts computed from the headers of Linux 6.1 and 7.2 (facts files).
 */
#if __has_include(<linux/kfd_ioctl.h>) && __has_include(<drm/drm.h>)
#include <linux/kfd_ioctl.h>
#define HAVE_KFD 1
#endif
#if __has_include(<drm/amdgpu_drm.h>)
#include <drm/amdgpu_drm.h>
#define HAVE_DRM 1
#elif __has_include(<libdrm/amdgpu_drm.h>)
#include <libdrm/drm.h>
#include <libdrm/amdgpu_drm.h>
#define HAVE_DRM 1
#endif
#include "kernel/kfd.h"
#include "kernel/drm.h"
#include "base/bits.h"
#include "test/facts.h"
#include "test/test.h"
#include <stddef.h>
#include <stdlib.h>

/* Our rows' names for system types; NONE stands for "no struct". */
#define MEMBER(type, member) __typeof__(((type *)0)->member)
struct NONE {
};
static unsigned compared;
#define SAME_FIELD(n, off, bytes)                                                                            \
    CHECK_EQ(offsetof(theirs, n), off);                                                                      \
    CHECK_EQ(sizeof(((theirs *)0)->n), bytes);                                                               \
    compared++;

/* A command word of a header against our row: number, magic, direction, and the size unless the header is
 * older. */
static void same_word(const char *name, uint32_t word, int may_be_smaller)
{
    const struct call *c = call_lookup(word);
    CHECK(c);
    if (!c)
        return;
    CHECK_STR(c->sys, name);
    CHECK_EQ(c->dir, call_dir(word));
    if (may_be_smaller)
        CHECK(call_size(word) <= c->args->size);
    else
        CHECK_EQ(c->args->size, call_size(word));
    compared++;
}

/* clang-format off */
TEST(kfd_header)
{
#ifdef HAVE_KFD
#define KFD_DEF_MINOR                    KFD_IOCTL_MINOR_VERSION
#define VALUE(prefix, name, value, sys)  CHECK_EQ((uint32_t)(sys), (uint32_t)(value)); compared++;
#define STRUCT(name, sys)                { typedef sys theirs;
#define FIELD(type, n, off, format)      SAME_FIELD(n, off, sizeof(row_##type))
#define ARRAY(type, n, off, num, format) SAME_FIELD(n, off, sizeof(row_##type) * (num))
#define NEST(s, n, off, when)            SAME_FIELD(n, off, sizeof(struct s))
#define NESTS(s, n, off, num)            SAME_FIELD(n, off, sizeof(struct s) * (num))
#define TAIL(s, n, off, counter)         CHECK_EQ(offsetof(theirs, n), off);
/* 88 bytes of CREATE_QUEUE became 96 with 1.17: the only struct that has grown */
#define STRUCT_END(name, size)           CHECK_EQ(sizeof(theirs), KFD_IOCTL_MINOR_VERSION < 17 && \
                                                  sizeof(theirs) == 88 && (size) == 96 ? 88 : (size)); }
#define CALL(prefix, name, nr, dir, s, sys) same_word(#sys, (uint32_t)sys, KFD_IOCTL_MINOR_VERSION < 17 && (nr) == 2);
    compared = 0;
#include "kernel/kfd.def"
    CHECK(compared > 250);
#else
    SKIP("no <linux/kfd_ioctl.h> here");
#endif
}

TEST(drm_header)
{
#ifdef HAVE_DRM
#ifndef DRM_IOCTL_AMDGPU_USERQ
#define DRM_DEF_OLD
    enum { OLD = 1 };
#else
    enum { OLD = 0 };
#endif
#define VALUE(prefix, name, value, sys)  CHECK_EQ((uint32_t)(sys), (uint32_t)(value)); compared++;
#define STRUCT(name, sys)                { typedef sys theirs;
#define FIELD(type, n, off, format)      SAME_FIELD(n, off, sizeof(row_##type))
#define ARRAY(type, n, off, num, format) SAME_FIELD(n, off, sizeof(row_##type) * (num))
#define NEST(s, n, off, when)            CHECK_EQ(offsetof(theirs, n), off); compared++;
#define STRUCT_END(name, size)           if (OLD) CHECK(sizeof(theirs) <= (size)); else CHECK_EQ(sizeof(theirs), size); }
#define CALL(prefix, name, nr, dir, s, sys) same_word(#sys, (uint32_t)sys, OLD);
    compared = 0;
#include "kernel/drm.def"
    CHECK(compared > 250);
#else
    SKIP("no <drm/amdgpu_drm.h> or <libdrm/amdgpu_drm.h> here");
#endif
}
/* clang-format on */

/* Splits a line at tabs; returns the number of columns. */
static int columns(char *line, char **col, int most)
{
    int n = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *p = line; n < most && p; n++) {
        col[n] = p;
        if ((p = strchr(p, '\t')))
            *p++ = 0;
    }
    return n;
}

TEST(command_words_of_linux_6_1_and_7_2)
{
    FILE *f = facts_open("kfd-ioctls.tsv");
    if (!f)
        SKIP("facts file kfd-ioctls.tsv is not here");
    char line[512], *col[8];
    unsigned rows = 0;
    while (fgets(line, sizeof line, f)) {
        if (*line == '#' || columns(line, col, 8) < 5)
            continue;
        const uint32_t old = strtoul(col[3], NULL, 0), new = strtoul(col[4], NULL, 0);
        int drm = !strncmp(col[0], "DRM", 3);
        same_word(col[0], new, 0);
        if (!drm && old)
            same_word(col[0], old, old == 0xc0584b02);
        rows++;
    }
    fclose(f);
    CHECK_EQ(rows, 60);
}

static const struct call_struct *struct_by_sys(const char *sys)
{
    const struct call_struct *s;
    for (unsigned i = 0; (s = call_struct_at(i)); i++) {
        const char *space = strchr(s->sys, ' ');
        if (strncmp(s->sys, "MEMBER", 6) && space && !strcmp(space + 1, sys))
            return s;
    }
    return NULL;
}

/* "__u32[4][4] cu_bitmap" -> bytes of an element, elements, name; 0 for something that is not an integer. */
static unsigned integer_type(char *text, unsigned *count, char **name)
{
    char *space = strrchr(text, ' ');
    *name = space + 1;
    *count = 1;
    for (char *b = strchr(text, '['); b && b < space; b = strchr(b + 1, '['))
        *count *= (unsigned)strtoul(b + 1, NULL, 10);
    if (strncmp(text, "__u", 3) && strncmp(text, "__s", 3))
        return 0;
    return (unsigned)strtoul(text + 3, NULL, 10) / 8;
}

TEST(record_layouts_of_linux_7_2)
{
    FILE *f = facts_open("kfd-structs.tsv");
    if (!f)
        SKIP("facts file kfd-structs.tsv is not here");
    char line[512], *col[8];
    unsigned fields = 0, described = 0;
    const struct call_struct *last = NULL;
    while (fgets(line, sizeof line, f)) {
        /* of a struct in both headers' shapes, the newer; only its own fields, not those of nested ones */
        if (*line == '#' || columns(line, col, 8) < 6 || !strstr(col[1], "7.2"))
            continue;
        const struct call_struct *s = struct_by_sys(col[0]);
        if (!s || strcmp(col[4], "0"))
            continue;
        described += s != last;
        last = s;
        CHECK_EQ(s->size, strtoul(col[2], NULL, 10));
        char *name;
        unsigned count, size = integer_type(col[5], &count, &name),
                        offset = (unsigned)strtoul(col[3], NULL, 10);
        if (name[-1] == ' ' && strchr(col[5], '('))
            continue; /* an anonymous union: its members come at depth 1 */
        const struct call_field *row = NULL;
        for (const struct call_field *r = s->fields; r->name; r++)
            if (!strcmp(r->name, name))
                row = r;
        if (!row)
            printf("  %s.%s is missing\n", s->name, name);
        CHECK(row);
        if (!row)
            continue;
        CHECK_EQ(row->offset, offset);
        if (size) {
            CHECK_EQ(row->size, size);
            CHECK_EQ(row->count, count);
        }
        fields++;
    }
    fclose(f);
    CHECK(described > 100);
    CHECK(fields > 450);
}

TEST(tables_are_consistent)
{
    const struct call *c;
    for (unsigned i = 0; (c = call_at(i)); i++) {
        /* no number twice, except RM_ALLOC's two sizes */
        CHECK(call_lookup(c->magic ? CALL_WORD(c->dir, c->magic, c->nr, c->args ? c->args->size : 0)
                                   : c->nr) == c);
        if (c->magic != 'K' && c->magic != 'd')
            continue;
        CHECK(c->magic == 'K'
                  ? kfd_call_lookup(CALL_WORD(0, 'K', c->nr, 0)) == c && !drm_call_lookup('K' << 8 | c->nr)
                  : drm_call_lookup(CALL_WORD(0, 'd', c->nr, 0)) == c && !kfd_call_lookup('d' << 8 | c->nr));
    }
    const struct call_struct *s;
    for (unsigned i = 0; (s = call_struct_at(i)); i++)
        for (const struct call_field *f = s->fields; f->name; f++) {
            const char *names[] = {f->counter && strcmp(f->counter, "NONE") ? f->counter : NULL, f->arm,
                                   f->selector};
            for (int k = 0; k < 3; k++) { /* fields that rows name must exist */
                int found = !names[k];
                for (const struct call_field *g = s->fields; g->name && !found; g++)
                    found = !strcmp(g->name, names[k]);
                if (!found)
                    printf("  %s.%s names %s\n", s->name, f->name, names[k]);
                CHECK(found);
            }
        }
    CHECK(!call_lookup(CALL_WORD(CALL_WR, 'K', 0x00, 8)));
    CHECK(!call_lookup(CALL_WORD(CALL_WR, 'K', 0x29, 8)));
    CHECK(!call_lookup(CALL_WORD(CALL_WR, 'd', 0xff, 8)));
}

TEST(number_alone_decides_and_size_bounds_the_copy)
{
    /* an 88-byte CREATE_QUEUE of KFD 1.11 is the same call as the 96-byte one */
    const struct call *c = kfd_call_lookup(0xc0584b02);
    CHECK(c && c == kfd_call_lookup(0xc0604b02) && c->nr == KFD_NR_CREATE_QUEUE);
    CHECK_EQ(KFD_CREATE_QUEUE, 0xc0604b02u);
    uint8_t theirs[96];
    struct kfd_create_queue q;
    memset(theirs, 0x5a, sizeof theirs);
    memset(&q, 0xff, sizeof q);
    call_copy_in(c, 0xc0584b02, &q, sizeof q, theirs);
    CHECK_EQ(q.ctl_stack_size, 0x5a5a5a5a);
    CHECK_EQ(q.sdma_engine_id, 0);
    q.queue_id = 7;
    q.sdma_engine_id = 9;
    call_copy_out(c, 0xc0584b02, theirs, &q, sizeof q);
    CHECK_EQ(load32(theirs + offsetof(struct kfd_create_queue, queue_id)), 7);
    CHECK_EQ(load32(theirs + 88), 0x5a5a5a5a);
    /* KFD goes by its own direction, DRM needs the bit on both sides */
    const struct call *version = kfd_call_lookup(KFD_GET_VERSION), *info = drm_call_lookup(AMDGPU_INFO);
    struct kfd_get_version v = {1, 14}, seen = {0};
    call_copy_out(version, CALL_WORD(CALL_N, 'K', 1, 8), &seen, &v, sizeof v);
    CHECK_EQ(seen.minor_version, 14);
    struct amdgpu_info i, given = {.query = 0x16};
    call_copy_in(info, CALL_WORD(CALL_R, 'd', AMDGPU_NR_INFO, 32), &i, sizeof i, &given);
    CHECK_EQ(i.query, 0);
    call_copy_in(info, AMDGPU_INFO, &i, sizeof i, &given);
    CHECK_EQ(i.query, 0x16);
}

static const char *printed(uint32_t word, const void *data, const void *before)
{
    static char text[2048];
    FILE *f = fmemopen(text, sizeof text, "w");
    call_print(f, call_lookup(word)->args, data, call_size(word), before);
    fclose(f);
    return text;
}

TEST(fields_print_by_their_rows)
{
    struct kfd_alloc_memory_of_gpu a = {
        .va_addr = 0x10000, .size = 8192, .gpu_id = 5, .flags = KFD_MEM_VRAM | KFD_MEM_WRITABLE | 1u << 10};
    CHECK_STR(printed(KFD_ALLOC_MEMORY_OF_GPU, &a, NULL),
              "va_addr=0x10000 size=8192 handle=0x0 mmap_offset=0x0 gpu_id=5 flags=VRAM|WRITABLE|0x400");
    struct kfd_alloc_memory_of_gpu after = a;
    after.handle = kfd_handle(5, 2);
    CHECK_STR(printed(KFD_ALLOC_MEMORY_OF_GPU, &after, &a), "handle=0x500000002");

    uint32_t gpus[] = {0x1234, 7};
    struct kfd_map_memory_to_gpu m = {.handle = 1, .device_ids_array_ptr = (uintptr_t)gpus, .n_devices = 2};
    CHECK_STR(printed(KFD_MAP_MEMORY_TO_GPU, &m, NULL),
              "handle=0x1 device_ids_array_ptr=[0x1234, 0x7] n_devices=2 n_success=0");

    struct kfd_event events[2] = {{.event_id = 3}, {.event_id = KFD_EVENT_NOSLOT}};
    events[0].signal_event_data.last_event_age = 2;
    events[1].memory_exception_data =
        (struct kfd_memory_exception){.failure.NotPresent = 1, .va = 0xdead000, .gpu_id = 5};
    struct kfd_wait_events w = {.events_ptr = (uintptr_t)events, .num_events = 2, .timeout = 10}, done = w;
    done.wait_result = KFD_WAIT_TIMEOUT;
    CHECK_STR(printed(KFD_WAIT_EVENTS, &done, &w),
              "events_ptr=[{signal_event_data.last_event_age=2 kfd_event_data_ext=0x0 event_id=0x3}, "
              "{memory_exception_data.failure.NotPresent=1 memory_exception_data.failure.ReadOnly=0 "
              "memory_exception_data.failure.NoExecute=0 memory_exception_data.failure.imprecise=0 "
              "memory_exception_data.va=0xdead000 memory_exception_data.gpu_id=5 "
              "memory_exception_data.ErrorType=NO_RAS kfd_event_data_ext=0x0 event_id=0x40000000}] "
              "wait_result=TIMEOUT");

    struct amdgpu_info i = {.query = AMDGPU_QUERY_READ_MMR_REG,
                            .read_mmr_reg = {.dword_offset = 0x263e, .count = 1}};
    CHECK_STR(printed(AMDGPU_INFO, &i, NULL),
              "return_pointer=0x0 return_size=0 query=READ_MMR_REG read_mmr_reg.dword_offset=0x263e "
              "read_mmr_reg.count=1 read_mmr_reg.instance=0x0 read_mmr_reg.flags=0x0");

    uint64_t room[(sizeof(struct kfd_svm) + 2 * sizeof(struct kfd_svm_attribute)) / 8];
    struct kfd_svm *svm = (struct kfd_svm *)room;
    *svm = (struct kfd_svm){.start_addr = 0x1000, .size = 4096, .nattr = 2};
    svm->attrs[0] = (struct kfd_svm_attribute){KFD_ATTR_ACCESS, 5};
    svm->attrs[1] = (struct kfd_svm_attribute){KFD_ATTR_SET_FLAGS, KFD_SVM_HOST_ACCESS | KFD_SVM_COHERENT};
    CHECK_STR(printed(CALL_WORD(CALL_WR, 'K', KFD_NR_SVM, sizeof room), svm, NULL),
              "start_addr=0x1000 size=4096 op=SET_ATTR nattr=2 attrs[0].type=ACCESS attrs[0].value=0x5 "
              "attrs[1].type=SET_FLAGS attrs[1].value=0x3");
    /* a list nobody can read is said to be so, and does not fault */
    m.device_ids_array_ptr = 16;
    CHECK_STR(printed(KFD_MAP_MEMORY_TO_GPU, &m, NULL),
              "handle=0x1 device_ids_array_ptr=[0x10(unreadable)] n_devices=2 n_success=0");
}

TEST(words_of_the_first_shim)
{
    CHECK_EQ(KFD_GET_VERSION, 0x80084b01u);
    CHECK_EQ(KFD_CREATE_EVENT, 0xc0204b08u); /* not 0x05, which is GET_CLOCK_COUNTERS */
    CHECK_EQ(KFD_GET_CLOCK_COUNTERS, 0xc0284b05u);
    CHECK_EQ(DRM_VERSION, 0xc0406400u);
    CHECK_EQ(AMDGPU_INFO, 0x40206445u);
}

TEST(mmap_offsets)
{
    CHECK_EQ(kfd_mmap_offset(KFD_MMAP_DOORBELL, 0x1234, 0), 3ull << 62 | 0x1234ull << 46);
    CHECK_EQ(kfd_mmap_offset(KFD_MMAP_EVENTS, 0xffff, 0x2000), 0xbfffc00000002000);
    CHECK_EQ(kfd_handle_gpu(kfd_handle(0x1234, 9)), 0x1234);
}

int main(void)
{
    RUN(kfd_header);
    RUN(drm_header);
    RUN(command_words_of_linux_6_1_and_7_2);
    RUN(record_layouts_of_linux_7_2);
    RUN(tables_are_consistent);
    RUN(number_alone_decides_and_size_bounds_the_copy);
    RUN(fields_print_by_their_rows);
    RUN(words_of_the_first_shim);
    RUN(mmap_offsets);
    return test_done();
}
