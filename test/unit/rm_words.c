/* NVIDIA's kernel words: record layouts of eleven driver releases (facts file), sizes and words re-typed from
 * the same releases' headers, the way from version texts to tables, packing, printing, and what errors say.
 */
#include "kernel/device.h"
#include "kernel/rm.h"
#include "base/bits.h"
#include "base/err.h"
#include "test/facts.h"
#include "test/test.h"
#include <fcntl.h>
#include <stdlib.h>

static const struct call_struct *struct_by_sys(const char *sys)
{
    const struct call_struct *s;
    for (unsigned i = 0; (s = call_struct_at(i)); i++)
        if (!strcmp(s->sys, sys))
            return s;
    return NULL;
}

/* Sizes by branch: 535.54, 535, 550, 570, 580, 590, 595. Only structs that change, and the largest that do
 * not. */
TEST(sizes_by_branch)
{
    static const struct {
        const struct call_struct *s;
        unsigned size[RM_BRANCHES];
    } pins[] = {
        {&nv_channel_alloc_layout, {304, 360, 360, 368, 368, 368, 368}},
        {&nv_memory_allocation_layout, {120, 120, 128, 128, 128, 128, 128}},
        {&nv_vaspace_allocation_layout, {48, 48, 48, 48, 56, 56, 56}},
        {&nvos46_layout, {56, 56, 56, 56, 64, 64, 64}},
        {&nvos47_layout, {40, 40, 48, 48, 48, 48, 48}},
        {&nva06f_ctrl_gpfifo_schedule_layout, {2, 2, 2, 2, 3, 3, 3}},
        {&nv0000_ctrl_system_get_build_version_v2_layout, {776, 776, 776, 1032, 1032, 1032, 1032}},
        {&nv0080_ctrl_gpu_get_classlist_v2_layout, {644, 644, 700, 404, 804, 804, 804}},
        {&nv0000_ctrl_gpu_get_probed_ids_layout, {256, 256, 256, 256, 384, 384, 384}},
        {&nv2080_ctrl_gpu_get_info_v2_layout, {516, 516, 524, 524, 564, 564, 564}},
        {&nv2080_ctrl_fb_get_info_v2_layout, {436, 436, 444, 460, 1028, 1028, 1028}},
        {&nv2080_ctrl_gpu_get_engines_v2_layout, {252, 252, 260, 340, 340, 340, 340}},
        {&nv2080_ctrl_gpu_get_name_string_layout, {132, 132, 132, 132, 132, 132, 68}},
        {&nv2080_ctrl_gr_get_global_sm_order_layout, {6168, 6168, 6168, 6168, 9240, 9240, 9240}},
        {&nv0000_alloc_layout, {108, 108, 108, 120, 120, 120, 120}},
        {&nv00de_alloc_layout, {4, 4, 8, 8, 8, 8, 8}},
        {&nv503b_alloc_layout, {72, 72, 72, 72, 72, 88, 88}},
        {&nv_ioctl_wait_open_complete_layout, {0, 0, 8, 8, 8, 8, 8}},
        {&nv_ioctl_export_to_dma_buf_fd_layout, {2600, 2600, 2600, 2608, 2608, 2608, 2608}},
        {&uvm_map_external_allocation_layout, {1200, 1200, 9264, 9264, 9264, 9264, 9264}},
        {&uvm_alloc_semaphore_pool_layout, {1184, 1184, 9248, 9248, 9248, 9248, 9248}},
        {&uvm_free_layout, {24, 24, 24, 24, 24, 16, 16}},
        {&uvm_unregister_channel_layout, {28, 28, 28, 28, 28, 12, 12}},
        {&nvos21_layout, {32, 32, 32, 32, 32, 32, 32}},
        {&nvos54_layout, {32, 32, 32, 32, 32, 32, 32}},
        {&nvos64_layout, {48, 48, 48, 48, 48, 48, 48}},
        {&nv2080_ctrl_fb_flush_gpu_cache_layout, {4024, 4024, 4024, 4024, 4024, 4024, 4024}},
        {&nv83de_ctrl_debug_read_all_sm_error_states_layout, {4824, 4824, 4824, 4824, 4824, 4824, 4824}},
        {&uvm_register_channel_layout, {56, 56, 56, 56, 56, 56, 56}},
    };
    for (unsigned i = 0; i < ARRAY_LEN(pins); i++)
        for (unsigned b = 0; b < RM_BRANCHES; b++)
            CHECK_EQ(call_struct_size(pins[i].s, b), pins[i].size[b]);
    /* fields that move */
    static const struct {
        const struct call_struct *s;
        const char *field;
        enum rm_branch branch;
        int offset; /* -1: not there */
    } moves[] = {
        {&nvos46_layout, "dmaOffset", RM_570, 40},
        {&nvos46_layout, "dmaOffset", RM_580, 48},
        {&nvos46_layout, "status", RM_535, 48},
        {&nvos46_layout, "status", RM_595, 56},
        {&nvos47_layout, "status", RM_535, 32},
        {&nvos47_layout, "status", RM_550, 40},
        {&uvm_free_layout, "rmStatus", RM_580, 16},
        {&uvm_free_layout, "rmStatus", RM_590, 8},
        {&uvm_free_layout, "length", RM_590, -1},
        {&uvm_map_external_allocation_layout, "gpuAttributesCount", RM_535, 1176},
        {&uvm_map_external_allocation_layout, "rmStatus", RM_535, 1196},
        {&uvm_map_external_allocation_layout, "rmStatus", RM_550, 9260},
        {&uvm_set_preferred_location_layout, "rmStatus", RM_535, 32},
        {&uvm_set_preferred_location_layout, "rmStatus", RM_550, 36},
        {&nv_channel_alloc_layout, "gpFifoOffset", RM_535_54, 8},
        {&nv_channel_alloc_layout, "hUserdMemory", RM_595, 32},
        {&nv_channel_alloc_layout, "userdOffset", RM_550, 64},
        {&nv_channel_alloc_layout, "engineType", RM_580, 128},
        {&nv_channel_alloc_layout, "encryptIv", RM_535_54, -1},
        {&nv_channel_alloc_layout, "tpcConfigID", RM_550, -1},
        {&nv_channel_alloc_layout, "tpcConfigID", RM_570, 360},
        {&nv_memory_allocation_layout, "size", RM_580, 64},
        {&nv_memory_allocation_layout, "numaNode", RM_535, -1},
        {&nv_memory_allocation_layout, "numaNode", RM_550, 120},
        {&nv_vaspace_allocation_layout, "vaBase", RM_570, 40},
        {&nv_vaspace_allocation_layout, "pasid", RM_580, 48},
        {&nv_ioctl_nvos33_parameters_with_fd_layout, "fd", RM_580, 48},
        {&nvos54_layout, "status", RM_535, 28},
        {&nv_ioctl_card_info_layout, "minor_number", RM_595, 56},
        {&nv2080_ctrl_fb_flush_gpu_cache_layout, "flags", RM_580, 4016},
    };
    for (unsigned i = 0; i < ARRAY_LEN(moves); i++) {
        const struct call_field *f = call_field_named(moves[i].s, moves[i].branch, moves[i].field);
        CHECK_EQ(f ? f->offset : -1, moves[i].offset);
    }
}

/* ---- the facts file: 11 releases, every field ---- */

static const struct {
    const char *tag;
    enum rm_branch branch;
} tags[] = {{"535.54.03", RM_535_54}, {"535.183.06", RM_535}, {"535.288.01", RM_535}, {"550.54.14", RM_550},
            {"550.163.01", RM_550},   {"570.86.15", RM_570},  {"570.211.01", RM_570}, {"580.65.06", RM_580},
            {"580.142", RM_580},      {"590.48.01", RM_590},  {"595.45.04", RM_595}};

static int tag_branch(const char *name, size_t n)
{
    for (unsigned i = 0; i < ARRAY_LEN(tags); i++)
        if (strlen(tags[i].tag) == n && !strncmp(tags[i].tag, name, n))
            return (int)tags[i].branch;
    return -1;
}

/* Bytes of one element and how many; 0: an inner struct. */
static unsigned type_size(const char *type, unsigned *count)
{
    static const struct {
        const char *name;
        unsigned size;
    } types[] = {{"NvU8", 1},      {"NvBool", 1}, {"char", 1},  {"uint8_t", 1},  {"NvU16", 2},
                 {"NvS16", 2},     {"NvU32", 4},  {"NvV32", 4}, {"NvHandle", 4}, {"uint32_t", 4},
                 {"NV_STATUS", 4}, {"NvS32", 4},  {"int", 4},   {"NvU64", 8},    {"NvP64", 8},
                 {"uint64_t", 8},  {"int32_t", 4}};
    size_t n = strcspn(type, "[ ");
    *count = type[n] == '[' ? (unsigned)strtoul(type + n + 1, NULL, 10) : 1;
    for (unsigned i = 0; i < ARRAY_LEN(types); i++)
        if (strlen(types[i].name) == n && !strncmp(types[i].name, type, n))
            return types[i].size;
    return 0;
}

TEST(record_layouts_of_eleven_releases)
{
    FILE *f = facts_open("nv-structs.tsv");
    if (!f)
        SKIP("facts file nv-structs.tsv is not here");
    char line[512], *col[6];
    unsigned fields = 0, described = 0;
    const struct call_struct *last = NULL;
    while (fgets(line, sizeof line, f)) {
        int n = 0;
        line[strcspn(line, "\n")] = 0;
        for (char *p = line; n < 6 && p; n++) {
            col[n] = p;
            if ((p = strchr(p, '\t')))
                *p++ = 0;
        }
        char *dots = n > 1 ? strstr(col[1], "..") : NULL;
        if (*line == '#' || !dots)
            continue;
        int from = tag_branch(col[1], (size_t)(dots - col[1])), to = tag_branch(dots + 2, strlen(dots + 2));
        const struct call_struct *s = struct_by_sys(col[0]);
        CHECK(from >= 0 && to >= 0);
        if (!s && strcmp(col[0], "nv_pci_info_t"))
            printf("  no struct %s\n", col[0]), test_bad++;
        if (!s)
            continue;
        described += s != last;
        last = s;
        for (int b = from; b <= to; b++)
            CHECK_EQ(call_struct_size(s, (unsigned)b), strtoul(col[2], NULL, 10));
        if (n < 6 || strcmp(col[4], "0")) /* inner structs' own fields */
            continue;
        char *name = strrchr(col[5], ' ') + 1;
        unsigned count, size = type_size(col[5], &count), offset = (unsigned)strtoul(col[3], NULL, 10);
        for (int b = from; b <= to && size; b++) {
            const struct call_field *row = call_field_named(s, (unsigned)b, name);
            if (!row)
                printf("  %s.%s is missing on %s\n", s->name, name, rm_branch_name((enum rm_branch)b));
            CHECK(row);
            if (!row)
                continue;
            CHECK_EQ(row->offset, offset);
            CHECK_EQ(row->size, size);
            CHECK_EQ(row->count, count);
            fields++;
        }
    }
    fclose(f);
    CHECK_EQ(described, 111);
    CHECK(fields > 3000);
}

/* ---- consistency ---- */

TEST(rows_are_consistent)
{
    const struct rm_class *c;
    const struct rm_control *k;
    for (unsigned i = 0; (c = rm_class_at(i)); i++) {
        CHECK(rm_class_of(c->number) == c); /* no number twice */
        CHECK((c->parents == 0) == (c->kind == RM_KIND_ROOT));
        CHECK((c->need == RM_NEED_NO) == (c->params == &rm_none_layout));
        for (unsigned b = 0; b < RM_BRANCHES; b++)
            CHECK(call_struct_size(c->params, b) <= RM_PARAMS_ROOM);
    }
    for (unsigned i = 0; (k = rm_control_at(i)); i++)
        CHECK(rm_control_of(k->number) == k);
    CHECK(!rm_class_of(0x1234) && !rm_control_of(0x20809999));
    CHECK(!rm_class_in(RM_550, 0xcec0) && rm_class_in(RM_570, 0xcec0));
    CHECK(rm_class_in(RM_535_54, 0xc9c0)->kind == RM_KIND_COMPUTE);
    CHECK(rm_control_of(0xc36f0108)->params == &nvc36f_ctrl_cmd_gpfifo_get_work_submit_token_layout);
    /* on every branch a struct's fields lie inside it and do not overlap */
    const struct call_struct *s;
    for (unsigned i = 0; (s = call_struct_at(i)); i++) {
        unsigned differs = s->sizes->bytes != 0;
        for (const struct call_field *f = s->fields; f->name; f++)
            differs |= f->in;
        for (unsigned b = 0; differs && b < RM_BRANCHES; b++) {
            unsigned size = call_struct_size(s, b), seen = 0;
            uint8_t *taken = calloc(1, size + 1);
            for (const struct call_field *f = s->fields; f->name && size; f++) {
                if (f->in && !(f->in >> b & 1))
                    continue;
                CHECK(call_field_named(s, b, f->name) == f); /* one row a branch */
                unsigned bytes =
                    (f->strct && f->format == CALL_NEST ? call_struct_size(f->strct, b) : f->size) * f->count;
                CHECK(f->offset + bytes <= size);
                for (unsigned at = f->offset; at < f->offset + bytes && at < size; at++)
                    seen += taken[at]++;
            }
            CHECK_EQ(seen, 0);
            free(taken);
        }
    }
}

static uint32_t rnd(uint32_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
    return *seed;
}

/* wire -> C -> wire keeps every byte that a field owns, on every branch, also when the caller's struct is cut
 * short. */
TEST(packing_keeps_every_field)
{
    const struct call_struct *s;
    uint32_t seed = 5;
    for (unsigned i = 0; (s = call_struct_at(i)); i++) {
        if (s->size > 16384 || s->fields->name == NULL || strstr(s->sys, "NVOS32") || strstr(s->sys, "drm") ||
            !(strncmp(s->sys, "struct", 6)))
            continue;
        uint8_t *host = malloc(s->host_size + 1), *wire = malloc(16384), *back = malloc(16384),
                *again = malloc(16384);
        for (unsigned b = 0; b < RM_BRANCHES; b++) {
            unsigned size = call_struct_size(s, b);
            for (unsigned k = 0; k < size; k++)
                wire[k] = (uint8_t)rnd(&seed);
            CHECK_EQ(call_unpack(s, b, host, wire, size), size);
            CHECK_EQ(call_pack(s, b, back, host), size);
            for (const struct call_field *f = s->fields; f->name; f++)
                if ((!f->in || (f->in >> b & 1)) && f->format != CALL_NEST)
                    CHECK(!memcmp(wire + f->offset, back + f->offset, (size_t)f->size * f->count));
            call_unpack(s, b, host, back, size);
            call_pack(s, b, again, host);
            CHECK(!memcmp(back, again, size));
            unsigned cut = size ? rnd(&seed) % size : 0;
            uint8_t *shorter = malloc(cut + 1); /* its own block, so that a sanitizer sees a read beyond */
            memcpy(shorter, wire, cut);
            call_unpack(s, b, host, shorter, cut);
            free(shorter);
        }
        free(host), free(wire), free(back), free(again);
    }
    struct nvos46 m = {
        .hClient = 1, .offset = 0x1000, .dmaOffset = 0x2000, .status = 0x1f, .kindOverride = 7};
    uint8_t w[64];
    CHECK_EQ(call_pack(&nvos46_layout, RM_570, w, &m), 56);
    CHECK_EQ(load64(w + 40), 0x2000);
    CHECK_EQ(load32(w + 48), 0x1f);
    CHECK_EQ(call_pack(&nvos46_layout, RM_580, w, &m), 64);
    CHECK_EQ(load32(w + 40), 7);
    CHECK_EQ(load64(w + 48), 0x2000);
    CHECK_EQ(rm_get(RM_580, &nvos46_layout, w, "dmaOffset"), 0x2000);
    CHECK_EQ(rm_set(RM_570, &nvos46_layout, w, "kindOverride", 1), -ENOENT);
    CHECK(strstr(fail_text(), "kindOverride") && strstr(fail_text(), "570"));
    /* of the alternatives of NVOS32 only the one that function names */
    struct nvos32 v = {.function = 2, .AllocSize = {.hMemory = 5, .size = 4096}, .Free = {.hMemory = 9}};
    uint8_t heap[184];
    CHECK_EQ(call_pack(&nvos32_layout, RM_580, heap, &v), 184);
    CHECK_EQ(load32(heap + 44), 5);
    CHECK_EQ(load64(heap + 88), 4096);
    v.function = 3;
    call_pack(&nvos32_layout, RM_580, heap, &v);
    CHECK_EQ(load32(heap + 44), 9);
    CHECK_EQ(load64(heap + 88), 0);
}

/* ---- words ---- */

TEST(command_words)
{
    /* from tinygrad's opening sequence, and the numbers of the first shim with the size they lacked */
    CHECK_EQ(rm_word(RM_570, NV_ESC_NR_RM_ALLOC), 0xc020462b);
    CHECK_EQ(rm_word(RM_570, NV_ESC_NR_RM_CONTROL), 0xc020462a);
    CHECK_EQ(rm_word(RM_580, NV_ESC_NR_RM_MAP_MEMORY), 0xc038464e);
    CHECK_EQ(rm_word(RM_570, NV_ESC_NR_REGISTER_FD), 0xc00446c9);
    CHECK_EQ(rm_word(RM_570, NV_ESC_NR_CARD_INFO), 0xd20046c8); /* 64 cards */
    CHECK_EQ(rm_word(RM_570, NV_ESC_NR_CHECK_VERSION_STR), 0xc04846d2);
    CHECK_EQ(rm_word(RM_570, NV_ESC_NR_RM_MAP_MEMORY_DMA), 0xc0384657);
    CHECK_EQ(rm_word(RM_580, NV_ESC_NR_RM_MAP_MEMORY_DMA), 0xc0404657);
    CHECK_EQ(rm_word(RM_535, NV_ESC_NR_WAIT_OPEN_COMPLETE), 0);
    CHECK_EQ(NV_UVM_INITIALIZE, 0x30000001);
    CHECK_EQ(NV_UVM_MAP_EXTERNAL_ALLOCATION, 33);
    CHECK_EQ(NV_UVM_MM_INITIALIZE, 75);
    CHECK(call_lookup(0xc020462b)->args == &nvos21_layout && call_lookup(0xc030462b)->args == &nvos64_layout);
    CHECK(call_lookup(0x30000001)->args == &uvm_initialize_layout && !call_lookup(0x30000009));
    CHECK(call_lookup(34)->args == &uvm_free_layout);
    CHECK_EQ(call_bytes(call_lookup(34), 34, RM_580), 24);
    CHECK_EQ(call_bytes(call_lookup(34), 34, RM_590), 16);
    CHECK_STR(rm_status_name(0x1f), "INVALID_ARGUMENT");
    CHECK_STR(rm_status_name(0x68), "UVM_ADDRESS_IN_USE");
    CHECK_STR(rm_status_name(0x22), "INVALID_CLASS");
    CHECK_STR(rm_status_name(65542), "WARN_NOTHING_TO_DO");
    CHECK_EQ(rm_status_errno(65542), 0);
    CHECK_EQ(rm_status_errno(0x1f), -EINVAL);
    CHECK(!rm_status_name(0x7777) && rm_status_errno(0x7777) == -EINVAL);
    static const struct {
        const char *name;
        uint32_t value;
    } codes[] = {{"ILLEGAL_ACTION", 0x16},
                 {"IN_USE", 0x17},
                 {"INSUFFICIENT_PERMISSIONS", 0x1b},
                 {"INVALID_ADDRESS", 0x1e},
                 {"INVALID_CLIENT", 0x23},
                 {"INVALID_COMMAND", 0x24},
                 {"INVALID_OBJECT_HANDLE", 0x33},
                 {"INVALID_STATE", 0x40},
                 {"INVALID_OBJECT_PARENT", 0x36},
                 {"NO_MEMORY", 0x51},
                 {"NOT_SUPPORTED", 0x56},
                 {"OBJECT_NOT_FOUND", 0x57},
                 {"STATE_IN_USE", 0x63},
                 {"INSERT_DUPLICATE_NAME", 0x19}};
    for (unsigned i = 0; i < ARRAY_LEN(codes); i++)
        CHECK_STR(rm_status_name(codes[i].value), codes[i].name);
}

TEST(versions_choose_tables)
{
    static const struct {
        const char *version;
        int branch;
        const char *warning; /* part of it; NULL: none */
    } cases[] = {
        {"580.95.05", RM_580, NULL},
        {"580.142", RM_580, NULL},
        {"580.142\n", RM_580, NULL},
        {"535.54.03", RM_535_54, NULL},
        {"535.86.05", RM_535, NULL},
        {"535.183.06", RM_535, NULL},
        {"550.163.01", RM_550, NULL},
        {"590.48.01", RM_590, NULL},
        {"595.45.04", RM_595, NULL},
        {"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.133.20  Release Build", RM_570, NULL},
        {"NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 09:35:42 UTC 2024", RM_550,
         NULL},
        {"535.66.01", RM_535_54, "535.66.01"},
        {"545.23.06", RM_535, "545.23.06 is not among"},
        {"575.64.05", RM_580, "tables of 580"},
        {"535.43.08", RM_535_54, "535.43.08 is not among"},
        {"560.35.03", RM_570, "tables of 570"},
        {"525.60.13", RM_535_54, "tables of 535.54"},
        {"580.999.99", RM_580, "tables of 580 (580.65.06 to 580.142)"},
        {"610.10.01", RM_595, "driver 610.10.01 is not among the measured ones; using the tables of 595"},
        {"x86_64", -EINVAL, ""},
        {"", -EINVAL, ""},
        {"580", -EINVAL, ""},
        {"1.2.3.4.5.6.7.8", RM_535_54, "1.2.3"},
        {"99999999999999999999.1", -EINVAL, ""},
    };
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
        char warning[200] = "?";
        int b = rm_branch_of(cases[i].version, warning, sizeof warning);
        if (b != cases[i].branch)
            printf("  %s\n", cases[i].version);
        CHECK_EQ(b, cases[i].branch);
        if (b < 0)
            continue;
        if (cases[i].warning)
            CHECK(strstr(warning, cases[i].warning));
        else
            CHECK_STR(warning, "");
    }
}

/* ---- a driver that answers from a script ---- */

static uint32_t fake_status;
static uint64_t fake_seen;
static int fake_errno, fake_flags;
static char fake_path[64];
static int fake_open(void *ctx, const char *path, int flags)
{
    (void)ctx;
    snprintf(fake_path, sizeof fake_path, "%s", path);
    fake_flags = flags;
    return fake_errno ? -fake_errno : 7;
}
static int fake_ioctl(void *ctx, int fd, uint32_t request, void *arg)
{
    const struct call *c = call_lookup(request);
    (void)fd;
    if (fake_errno)
        return -fake_errno;
    if (c->args == &nv_ioctl_rm_api_version_layout) {
        const char *version = ctx;
        if (!*version)
            return -EINVAL;
        store32((uint8_t *)arg + 4, 1);
        snprintf((char *)arg + 8, 64, "%s", version);
    } else if (!rm_set(RM_580, c->args, arg, "status", fake_status) ||
               !rm_set(RM_580, c->args, arg, "rmStatus", fake_status)) {
        if (c->args == &nvos46_layout)
            store64((uint8_t *)arg + 48, 0xabc000);
        if (c->args ==
            &nvos21_layout) { /* the driver writes what it has for the class, not what the client passed */
            store32((uint8_t *)arg + 8, 0xcaf00001);
            if (load64((uint8_t *)arg + 16))
                store64((uint8_t *)(uintptr_t)load64((uint8_t *)arg + 16) + 8,
                        fake_seen = load64((void *)(uintptr_t)load64((uint8_t *)arg + 16)));
        }
        if (c->args == &nvos54_layout && load32((uint8_t *)arg + 24) >= 8 && load64((uint8_t *)arg + 16)) {
            fake_seen = load32((uint8_t *)arg + 24);
            memset((void *)(uintptr_t)load64((uint8_t *)arg + 16), 'x', 8);
        }
    }
    return 0;
}
static int fake_read_file(void *ctx, const char *path, void *buf, size_t cap)
{
    (void)ctx;
    if (strcmp(path, "/proc/driver/nvidia/version"))
        return -ENOENT;
    return snprintf(buf, cap,
                    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  575.57.08  Release Build\n");
}
static struct port fake(const char *version)
{
    return (struct port){.name = "fake",
                         .ctx = (void *)version,
                         .open = fake_open,
                         .ioctl = fake_ioctl,
                         .read_file = fake_read_file};
}

TEST(calls_and_what_their_errors_say)
{
    struct port p = fake("580.95.05");
    char version[32];
    fake_errno = 0, fake_status = 0;
    CHECK_EQ(nv_driver_version(&p, 3, version, sizeof version), 0);
    CHECK_STR(version, "580.95.05");
    struct port old = fake("");
    CHECK_EQ(nv_driver_version(&old, 3, version, sizeof version), 0);
    CHECK_STR(version, "575.57.08");

    struct nvos46 m = {.hClient = 1, .dmaOffset = 1};
    CHECK_EQ(rm_call(&p, 3, RM_580, rm_word(RM_580, NV_ESC_NR_RM_MAP_MEMORY_DMA), &m), 0);
    CHECK_EQ(m.dmaOffset, 0xabc000);
    struct nvos54 control = {.cmd = RM_CTRL_GET_WORK_SUBMIT_TOKEN, .paramsSize = 4};
    fake_status = 0x1f;
    CHECK_EQ(rm_call(&p, 3, RM_580, rm_word(RM_580, NV_ESC_NR_RM_CONTROL), &control), -EINVAL);
    CHECK_STR(fail_text(), "RM_CONTROL GET_WORK_SUBMIT_TOKEN (fake): status 0x1f INVALID_ARGUMENT");
    struct nvos21 alloc = {.hClass = 0x1234};
    fake_status = 0x22;
    CHECK_EQ(rm_call(&p, 3, RM_580, rm_word(RM_580, NV_ESC_NR_RM_ALLOC), &alloc), -EOPNOTSUPP);
    CHECK_STR(fail_text(), "RM_ALLOC class 0x1234 (fake): status 0x22 INVALID_CLASS");
    struct uvm_mm_initialize mm = {.uvmFd = 4};
    fake_status = 65542; /* nothing to do: a warning, not a failure */
    CHECK_EQ(rm_call(&p, 3, RM_580, NV_UVM_MM_INITIALIZE, &mm), 0);
    CHECK_EQ(mm.rmStatus, 65542);
    CHECK_EQ(rm_call(&p, 3, RM_580, rm_word(RM_570, NV_ESC_NR_RM_MAP_MEMORY_DMA), &m), -EINVAL);
    CHECK(strstr(fail_text(), "56 bytes, branch 580 has 64"));
    CHECK_EQ(rm_call(&p, 3, RM_580, 0xc0104b02, &m), -EINVAL);
    fake_errno = EPERM;
    CHECK_EQ(rm_call(&p, 3, RM_580, NV_UVM_FREE, &(struct uvm_free){0}), -EPERM);
    CHECK(strstr(fail_text(), "UVM_FREE (fake): Operation not permitted"));
}

TEST(objects_and_commands)
{
    struct port p = fake("580.95.05");
    uint32_t object = 0;
    fake_errno = 0, fake_status = 0;
    struct nv_channel_alloc c = {.hObjectError = 5, .gpFifoOffset = 0x1000};
    CHECK_EQ(rm_alloc(&p, 3, RM_580, 1, 2, &object, RM_CLASS_AMPERE_GPFIFO, &c), 0);
    CHECK_EQ(object, 0xcaf00001);
    CHECK_EQ(fake_seen, 5);
    CHECK_EQ(c.gpFifoOffset, 5); /* read back */
    CHECK_EQ(rm_alloc(&p, 3, RM_580, 1, 2, &object, RM_CLASS_AMPERE_GPFIFO, NULL), -EINVAL);
    CHECK(strstr(fail_text(), "nv_channel_alloc"));
    CHECK_EQ(rm_alloc(&p, 3, RM_580, 1, 2, &object, RM_CLASS_TURING_USERMODE_A, NULL), 0);
    CHECK_EQ(rm_alloc(&p, 3, RM_550, 1, 2, &object, RM_CLASS_BLACKWELL_COMPUTE_B, NULL), -EOPNOTSUPP);
    CHECK(strstr(fail_text(), "0xcec0") && strstr(fail_text(), "550"));
    /* one C struct, the size of each branch on the wire */
    struct nv0000_ctrl_system_get_build_version_v2 v;
    static const unsigned sizes[RM_BRANCHES] = {776, 776, 776, 1032, 1032, 1032, 1032};
    for (unsigned b = 0; b < RM_BRANCHES; b++) {
        memset(&v, 0, sizeof v);
        CHECK_EQ(rm_control(&p, 3, (enum rm_branch)b, 1, 1, RM_CTRL_SYSTEM_GET_BUILD_VERSION_V2, &v), 0);
        CHECK_EQ(fake_seen, sizes[b]);
        CHECK(!memcmp(&v, "xxxxxxxx", 8));
    }
    CHECK_EQ(rm_control(&p, 3, RM_580, 1, 1, 0x20809999, NULL), -EOPNOTSUPP);
    CHECK(strstr(fail_text(), "0x20809999"));
    CHECK_EQ(rm_control(&p, 3, RM_580, 1, 1, RM_CTRL_GR_GET_CAPS_V2, &v), -EOPNOTSUPP);
    fake_status = 0x56;
    CHECK_EQ(rm_control(&p, 3, RM_580, 1, 1, RM_CTRL_FB_FLUSH_GPU_CACHE, NULL), -EOPNOTSUPP);
    CHECK_STR(fail_text(), "RM_CONTROL FB_FLUSH_GPU_CACHE (fake): status 0x56 NOT_SUPPORTED");
    fake_status = 0;
}

TEST(nodes_of_the_first_shim)
{
    struct port p = fake("");
    fake_errno = 0;
    CHECK_EQ(nv_open_ctl(&p), 7);
    CHECK_STR(fake_path, "/dev/nvidiactl");
    CHECK_EQ(fake_flags, O_RDWR | O_CLOEXEC); /* the first shim's O_RDONLY could not map a doorbell */
    CHECK_EQ(nv_open_dev(&p, 3), 7);
    CHECK_STR(fake_path, "/dev/nvidia3");
    CHECK_EQ(fake_flags, O_RDWR | O_CLOEXEC);
    CHECK_EQ(nv_open_uvm(&p), 7);
    CHECK_STR(fake_path, "/dev/nvidia-uvm");
    CHECK_EQ(fake_flags, O_RDWR | O_CLOEXEC);
    CHECK_EQ(nv_open_dev(&p, 248), -EINVAL);
    fake_errno = ENOENT;
    CHECK_EQ(nv_open_uvm(&p), -ENOENT);
    CHECK(strstr(fail_text(), "/dev/nvidia-uvm") && strstr(fail_text(), "nvidia-modprobe -u"));
    CHECK_EQ(nv_open_ctl(&p), -ENOENT);
    CHECK(strstr(fail_text(), "/dev/nvidiactl") && strstr(fail_text(), "modprobe nvidia"));
    fake_errno = EACCES;
    CHECK_EQ(nv_open_dev(&p, 0), -EACCES);
    CHECK(strstr(fail_text(), "/dev/nvidia0") && strstr(fail_text(), "mode"));
    fake_errno = 0;
}

/* ---- printing ---- */

TEST(trace_knows_the_branch)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct port inner = fake("595.45.04"), *t = port_trace(&inner, f);
    struct nv_ioctl_rm_api_version v = {.cmd = '2'};
    fake_status = 0;
    CHECK_EQ(port_ioctl(t, 3, rm_word(RM_580, NV_ESC_NR_CHECK_VERSION_STR), &v), 0);
    uint8_t free_595[16] = {0}; /* exactly what 595 has: a trace of 580's 24 bytes would read beyond */
    store64(free_595, 0x10000);
    inner.ctx = (void *)"";
    CHECK_EQ(call_bytes(call_lookup(NV_UVM_FREE), NV_UVM_FREE, RM_595), 16);
    free(t);
    t = port_trace(&inner, f);
    inner.ctx = (void *)"595.45.04";
    port_ioctl(t, 3, rm_word(RM_580, NV_ESC_NR_CHECK_VERSION_STR), &v);
    fake_errno = EINVAL;
    CHECK_EQ(port_ioctl(t, 4, NV_UVM_FREE, free_595), -EINVAL);
    fake_errno = 0;
    struct nvc36f_ctrl_cmd_gpfifo_get_work_submit_token token = {.workSubmitToken = 0x20003};
    struct nvos54 c = {
        .hClient = 0xc1d00001, .hObject = 2, .cmd = 0xc36f0108, .params = (uintptr_t)&token, .paramsSize = 4};
    port_ioctl(t, 3, 0xc020462a, &c);
    c.paramsSize = 8;
    c.params = 0;
    port_ioctl(t, 3, 0xc020462a, &c);
    fclose(f);
    const char *last = strstr(text, "UVM_FREE");
    CHECK(strstr(text, "ioctl 3 CHECK_VERSION_STR cmd=50 reply=0 versionString=\"\" -> 0 reply=1 "
                       "versionString=\"595.45.04\"\n"));
    CHECK(last && !strncmp(last, "UVM_FREE base=0x10000 rmStatus=OK -> -EINVAL\n", 45));
    CHECK(strstr(text,
                 "RM_CONTROL hClient=0xc1d00001 hObject=0x2 cmd=GET_WORK_SUBMIT_TOKEN flags=0x0 params=0x"));
    CHECK(strstr(text, "{workSubmitToken=0x20003} paramsSize=4 status=OK -> 0"));
    CHECK(strstr(text, "params=0x0(8 bytes, 595 has 4) paramsSize=8"));
    if (test_bad)
        puts(text);
    free(t);
    free(text);
}

/* Any bytes in any struct on any branch, cut anywhere, with pointers that are good, bad or absent: no read beyond the bytes, output
 * bounded. */
TEST(printing_survives_any_bytes)
{
    static uint64_t good[2048];
    const struct call_struct *s;
    uint32_t seed = 9;
    size_t longest = 0;
    for (unsigned i = 0; (s = call_struct_at(i)); i++) {
        if (!s->sizes->bytes && strncmp(s->sys, "NV", 2) && strncmp(s->sys, "nv", 2) &&
            strncmp(s->sys, "UVM", 3))
            continue;
        for (unsigned b = 0; b < RM_BRANCHES; b++) {
            unsigned size = call_struct_size(s, b), n = rnd(&seed) % 2 || !size ? size : rnd(&seed) % size;
            uint8_t *data = malloc(n + 1), *before = malloc(n + 1);
            for (unsigned k = 0; k < n; k++) {
                data[k] = rnd(&seed) % 3 ? (uint8_t)rnd(&seed) : 0;
                before[k] = rnd(&seed) % 8 ? data[k] : 0;
            }
            const char *const which[] = {"cmd", "hClass"}, *const at[] = {"params", "pAllocParms"};
            for (unsigned k = 0; k < 2; k++) {
                const struct call_field *w = call_field_named(s, b, which[k]),
                                        *p = call_field_named(s, b, at[k]);
                if (w && p && w->offset + 4u <= n && p->offset + 8u <= n) {
                    store32(data + w->offset, k ? rm_class_at(rnd(&seed) % 50)->number
                                                : rm_control_at(rnd(&seed) % 70)->number);
                    store64(data + p->offset, rnd(&seed) % 4 ? (uintptr_t)good : rnd(&seed));
                    if (p->offset + 12u <= n)
                        store32(data + p->offset + 8, rnd(&seed) % 2 ? 0 : 4);
                }
            }
            char *text = NULL;
            size_t length = 0;
            FILE *f = open_memstream(&text, &length);
            call_print_in(f, b, s, data, n, NULL);
            call_print_in(f, b, s, data, n, before);
            fclose(f);
            CHECK(!strchr(text, '\n'));
            longest = length > longest ? length : longest;
            free(text), free(data), free(before);
        }
    }
    CHECK(longest > 1000 && longest < 200000);
}

int main(void)
{
    RUN(sizes_by_branch);
    RUN(record_layouts_of_eleven_releases);
    RUN(rows_are_consistent);
    RUN(packing_keeps_every_field);
    RUN(command_words);
    RUN(versions_choose_tables);
    RUN(calls_and_what_their_errors_say);
    RUN(objects_and_commands);
    RUN(nodes_of_the_first_shim);
    RUN(trace_knows_the_branch);
    RUN(printing_survives_any_bytes);
    return test_done();
}
