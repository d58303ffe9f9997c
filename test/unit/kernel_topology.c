/* Topology parser and printer, and context save sizes. Outside witnesses: captures of two real cards (facts
 * files: their property files word for word, cwsr_size, ctl_stack_size, gpu_id), and the sizes tinygrad and
 * ROCr asked for on 40 compute units (CREATE_QUEUE and ALLOC lines in the facts' traces).
 */
#include "kernel/cwsr.h"
#include "kernel/kfd.h"
#include "kernel/topology.h"
#include "base/bits.h"
#include "base/err.h"
#include "test/facts.h"
#include "test/test.h"
#include <stdlib.h>

#define T KFD_TOPOLOGY
/* A made-up machine: one processor node, one GPU, and a node this process may not see. */
static const struct file {
    const char *path, *text; /* text NULL: EPERM */
} machine[] = {
    {T "/generation_id", "2\n"},
    {T "/nodes/0/gpu_id", "0\n"},
    {T "/nodes/0/name", "\n"},
    {T "/nodes/0/properties",
     "cpu_cores_count 8\nsimd_count 0\nmem_banks_count 1\nmax_engine_clk_ccompute 3400\n"},
    {T "/nodes/0/mem_banks/0/properties",
     "heap_type 0\nsize_in_bytes 17179869184\nflags 0\nwidth 64\nmem_clk_max 3200\n"},
    {T "/nodes/1/gpu_id", "4660\n"},
    {T "/nodes/1/name", "gfx1100\n"},
    {T "/nodes/1/properties", "cpu_cores_count 0\nsimd_count 192\nsimd_per_cu 2\narray_count "
                              "12\nsimd_arrays_per_engine 2\nlds_size_in_kb 64\n"
                              "gfx_target_version 110000\ndrm_render_minor 128\nunique_id "
                              "18446744073709551615\nbrand_new_property 7\n"},
    {T "/nodes/1/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 25753026560\n"},
    {T "/nodes/1/io_links/0/properties", "type 2\nnode_from 1\nnode_to 0\nweight 20\nflags 1\n"},
    {T "/nodes/1/io_links/1/properties", "type 11\nnode_from 1\nnode_to 10\n"},
    {T "/nodes/1/p2p_links/0/properties", "type 2\nnode_from 1\nnode_to 10\n"},
    {T "/nodes/10/gpu_id", NULL},
};

struct sysfs {
    struct port port;
    const char *replace, *with; /* one file with another text */
    const char *missing;        /* a file that is not there */
    int generation_step, generation;
};

static int sysfs_read(void *ctx, const char *path, void *buf, size_t cap)
{
    struct sysfs *s = ctx;
    if (s->missing && !strcmp(path, s->missing))
        return -ENOENT;
    if (s->generation_step && !strcmp(path, T "/generation_id"))
        return snprintf(buf, cap, "%d\n", s->generation += s->generation_step);
    for (unsigned i = 0; i < ARRAY_LEN(machine); i++)
        if (!strcmp(path, machine[i].path)) {
            const char *text = s->replace && !strcmp(path, s->replace) ? s->with : machine[i].text;
            if (!text)
                return -EPERM;
            if (strlen(text) >= cap)
                return -ERANGE;
            return (int)strlen(strcpy(buf, text));
        }
    return -ENOENT;
}

/* Every next path component under `path`, in the order of the table (which is sorted). */
static int sysfs_list(void *ctx, const char *path, char *buf, size_t cap)
{
    (void)ctx;
    size_t n = strlen(path), used = 0;
    int count = 0;
    char last[64] = "";
    for (unsigned i = 0; i < ARRAY_LEN(machine); i++) {
        const char *p = machine[i].path;
        if (strncmp(p, path, n) || p[n] != '/')
            continue;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p + n + 1, "/"), p + n + 1);
        if (!strcmp(name, last))
            continue;
        strcpy(last, name);
        if (used + strlen(name) + 1 > cap)
            return -ERANGE;
        strcpy(buf + used, name);
        used += strlen(name) + 1;
        count++;
    }
    return count ? count : -ENOENT;
}

static struct sysfs *sysfs(void)
{
    static struct sysfs s;
    s = (struct sysfs){.port = {.name = "fake", .ctx = &s, .read_file = sysfs_read, .list_dir = sysfs_list}};
    return &s;
}

TEST(reads_a_machine)
{
    struct kfd_topology t;
    CHECK_EQ(kfd_topology_read(&sysfs()->port, &t), 0);
    CHECK_EQ(t.generation, 2);
    CHECK_EQ(t.node_count, 2);
    if (t.node_count == 2) {
        const struct kfd_node *cpu = &t.nodes[0], *gpu = &t.nodes[1];
        CHECK_EQ(cpu->gpu_id, 0);
        CHECK_EQ(cpu->cpu_cores_count, 8);
        CHECK_STR(cpu->name, "");
        CHECK_EQ(cpu->bank_count, 1);
        CHECK_EQ(cpu->banks[0].size_in_bytes, 17179869184);
        CHECK_EQ(cpu->link_count, 0);
        CHECK_EQ(gpu->index, 1);
        CHECK_EQ(gpu->gpu_id, 4660);
        CHECK_STR(gpu->name, "gfx1100");
        CHECK_EQ(gpu->unique_id, ~0ull);
        CHECK_EQ(gpu->num_xcc, 1); /* absent: one */
        CHECK(gpu->seen >> KFD_PROP_simd_count & 1);
        CHECK(!(gpu->seen >> KFD_PROP_num_xcc & 1));
        CHECK_EQ(gpu->bank_count, 1);
        CHECK_EQ(gpu->banks[0].heap_type, KFD_HEAP_FB_PUBLIC);
        CHECK_EQ(gpu->link_count, 3);
        CHECK_EQ(gpu->links[0].weight, 20);
        CHECK_EQ(gpu->links[1].type, KFD_LINK_XGMI);
        CHECK_EQ(gpu->links[2].node_to, 10);
    }
    kfd_topology_free(&t);
    CHECK(!t.nodes);
}

TEST(bad_files_are_named_with_their_line)
{
    static const struct {
        const char *file, *text, *message;
    } bad[] = {
        {T "/nodes/1/properties", "simd_count 1\nsimd_per_cu x\n",
         ":2: simd_per_cu: expected an unsigned decimal value"},
        {T "/nodes/1/properties", "simd_count -1\n", ":1: simd_count: expected an unsigned decimal value"},
        {T "/nodes/1/properties", "simd_count 18446744073709551616\n",
         ":1: simd_count: expected an unsigned decimal value"},
        {T "/nodes/1/properties", "simd_count 1 2\n", ":1: simd_count: expected an unsigned decimal value"},
        {T "/nodes/1/properties", "simd_count\n", ":1: \"simd_count\": expected NAME VALUE"},
        {T "/nodes/1/properties", "\n", ":1: \"\": expected NAME VALUE"},
        {T "/nodes/1/io_links/1/properties", "type 2\nweight\n", ":2: \"weight\": expected NAME VALUE"},
        {T "/nodes/0/mem_banks/0/properties", "flags 0x1\n", ":1: flags: expected an unsigned decimal value"},
        {T "/nodes/1/gpu_id", "gpu\n", ":1: expected an unsigned decimal value"},
        {T "/generation_id", "", ":1: expected an unsigned decimal value"},
    };
    for (unsigned i = 0; i < ARRAY_LEN(bad); i++) {
        struct sysfs *s = sysfs();
        struct kfd_topology t;
        char expected[256];
        s->replace = bad[i].file;
        s->with = bad[i].text;
        CHECK_EQ(kfd_topology_read(&s->port, &t), -EINVAL);
        snprintf(expected, sizeof expected, "%s%s", bad[i].file, bad[i].message);
        CHECK_STR(fail_text(), expected);
        CHECK(!t.nodes && !t.node_count);
    }
    struct sysfs *s = sysfs();
    struct kfd_topology t;
    s->missing = T "/generation_id";
    CHECK_EQ(kfd_topology_read(&s->port, &t), -ENODEV);
    CHECK_STR(fail_text(), T "/generation_id (fake): no KFD topology: is the amdgpu driver loaded?");
    s->missing = T "/nodes/1/properties";
    CHECK_EQ(kfd_topology_read(&s->port, &t), -ENOENT);
    CHECK_STR(fail_text(), T "/nodes/1/properties (fake): No such file or directory");
    s = sysfs();
    s->generation_step = 1;
    CHECK_EQ(kfd_topology_read(&s->port, &t), -EAGAIN);
    CHECK_STR(fail_text(), T "/generation_id (fake): changes all the time");
}

TEST(every_failing_call_unwinds)
{
    struct port *p = port_fault(&sysfs()->port, PORT_ANY, 0, EIO);
    unsigned n = 0;
    int hit = 1;
    while (hit) { /* under MODE=asan a leak on any of these paths is an error */
        struct kfd_topology t;
        port_fault_arm(p, PORT_ANY, ++n, EIO);
        int err = kfd_topology_read(p, &t);
        hit = port_fault_hit(p);
        CHECK_EQ(err, hit ? -EIO : 0);
        CHECK(!hit || !t.nodes);
        kfd_topology_free(&t);
    }
    CHECK(n > 20);
    port_destroy(p);
}

TEST(prints_what_it_parses)
{
    struct kfd_node n = {.gpu_id = 5, .simd_count = 192, .num_xcc = 1}, back = {.gpu_id = 5};
    char text[4096], again[4096];
    int len = kfd_print_node(&n, text, sizeof text);
    CHECK(len > 0 && len < 4096); /* a sysfs file is one page */
    CHECK_EQ(strlen(text), len);
    CHECK_EQ(kfd_parse_node("text", text, &back), 0);
    CHECK_EQ(back.seen, (1ull << KFD_PROP_COUNT) - 1);
    kfd_print_node(&back, again, sizeof again);
    CHECK_STR(again, text);
    CHECK_EQ(kfd_print_node(&n, again, 10), len); /* as snprintf */
    CHECK_EQ(strlen(again), 9);
    n.gpu_id = 0; /* a processor's node ends at the common lines */
    kfd_print_node(&n, text, sizeof text);
    CHECK(!strstr(text, "fw_version") && strstr(text, "num_cp_queues 0\nmax_engine_clk_ccompute 0\n"));
}

TEST(cwsr_sizes_that_clients_ask_for)
{
    static const struct {
        unsigned target, simds_per_cu;
        uint32_t ctl, ctx;
        uint64_t buffer; /* 0: not in the trace */
    } asked[] = {
        {110000, 2, 0x4000, 0x124c000, 0x1256000}, /* tinygrad-gfx1100, rocr-6.4.3 */
        {120001, 2, 0x4000, 0x124c000, 0x1256000}, /* tinygrad-gfx1201 */
        {90402, 4, 0x4000, 0x174c000, 0x1759000},  /* tinygrad-gfx942 */
        {100300, 2, 0x4000, 0xd4c000, 0},          /* rocr-5.2.3-gfx1030 */
    };
    for (unsigned i = 0; i < ARRAY_LEN(asked); i++) {
        struct kfd_node n = {.gfx_target_version = asked[i].target,
                             .simd_count = 40 * asked[i].simds_per_cu,
                             .simd_per_cu = asked[i].simds_per_cu,
                             .array_count = 8,
                             .simd_arrays_per_engine = 2,
                             .lds_size_in_kb = 64};
        struct kfd_cwsr c;
        CHECK_EQ(kfd_cwsr_sizes(&n, &c), 0);
        CHECK_EQ(c.ctl_stack_size, asked[i].ctl);
        CHECK_EQ(c.ctx_size, asked[i].ctx);
        if (asked[i].buffer)
            CHECK_EQ(c.buffer_size, asked[i].buffer);
    }
}

TEST(cwsr_refuses_what_is_no_gpu)
{
    struct kfd_cwsr c;
    struct kfd_node n = {.gfx_target_version = 90402, .simd_count = 160, .simd_per_cu = 4};
    CHECK_EQ(kfd_cwsr_sizes(&n, &c), -EINVAL);
    CHECK_STR(fail_text(), "simd_arrays_per_engine 0: not a GPU's");
    n.simd_arrays_per_engine = 2;
    n.simd_per_cu = 0;
    CHECK_EQ(kfd_cwsr_sizes(&n, &c), -EINVAL);
    n.simd_per_cu = 4;
    n.num_xcc = 100; /* not one compute unit each */
    CHECK_EQ(kfd_cwsr_sizes(&n, &c), -EINVAL);
    n.num_xcc = 1;
    n.gfx_target_version = 80003;
    CHECK_EQ(kfd_cwsr_sizes(&n, &c), -EINVAL);
    CHECK_STR(fail_text(), "gfx_target_version 80003: no context save before gfx9");
}

/* Reads the next section of a capture ("##### ..." or "-- PATH") into text; 0 at the end. `head` is its first
 * line. */
static int next_section(FILE *f, char *head, size_t head_cap, char *text, size_t cap)
{
    char line[256];
    size_t n = 0;
    long at;
    if (!fgets(head, (int)head_cap, f))
        return 0;
    *text = 0;
    while (at = ftell(f), fgets(line, sizeof line, f)) {
        if (!strncmp(line, "#####", 5) || !strncmp(line, "-- ", 3)) {
            fseek(f, at, SEEK_SET);
            break;
        }
        if (n + strlen(line) < cap)
            n += strlen(strcpy(text + n, line));
    }
    return 1;
}

static void check_card(const char *file, uint32_t subsystem)
{
    FILE *f = facts_open(file);
    char head[256], text[8192], again[8192];
    struct kfd_node node = {0};
    struct kfd_bank bank = {0};
    struct kfd_link link = {0};
    struct kfd_cwsr c;
    unsigned sections = 0;
    while (f && next_section(f, head, sizeof head, text, sizeof text)) {
        if (!strncmp(head, "#####", 5)) {
            node.gpu_id = (uint32_t)strtoul(strstr(head, "gpu_id=") + 7, NULL, 10);
            CHECK_EQ(kfd_parse_node(head, text, &node), 0);
            kfd_print_node(&node, again, sizeof again);
        } else if (strstr(head, "mem_banks")) {
            CHECK_EQ(kfd_parse_bank(head, text, &bank), 0);
            kfd_print_bank(&bank, again, sizeof again);
        } else if (strstr(head, "io_links")) {
            CHECK_EQ(kfd_parse_link(head, text, &link), 0);
            kfd_print_link(&link, again, sizeof again);
        } else {
            continue; /* caches: not read by the runtime */
        }
        sections++;
        CHECK_STR(again, text); /* every name, in the kernel's order, and no other */
    }
    if (f)
        fclose(f);
    CHECK(sections >= 3);
    CHECK_EQ(kfd_cwsr_sizes(&node, &c), 0);
    CHECK_EQ(c.ctl_stack_size, node.ctl_stack_size);
    CHECK_EQ(c.ctx_size, node.cwsr_size);
    CHECK_EQ(kfd_cap_doorbell_type(node.capability), 2);
    CHECK_EQ(kfd_gpu_id(&node, subsystem, bank.size_in_bytes, 0), node.gpu_id);
}

TEST(real_cards)
{
    FILE *f = facts_open("real-topologies/gfx1030-rx6800.flat.txt");
    if (!f)
        SKIP("facts folder real-topologies is not here");
    fclose(f);
    check_card("real-topologies/gfx1030-rx6800.flat.txt", 0x1002 | 0x0e3a << 16);
    check_card("real-topologies/gfx1031-rx6700xt.flat.txt", 0x1002 | 0x0e36 << 16);
}

int main(void)
{
    RUN(reads_a_machine);
    RUN(bad_files_are_named_with_their_line);
    RUN(every_failing_call_unwinds);
    RUN(prints_what_it_parses);
    RUN(cwsr_sizes_that_clients_ask_for);
    RUN(cwsr_refuses_what_is_no_gpu);
    RUN(real_cards);
    return test_done();
}
