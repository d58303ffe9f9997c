/* KFD's topology files: parse, print, walk. One property list, three users. */
#include "kernel/topology.h"
#include "kernel/kfd.h"
#include "base/bits.h"
#include "base/err.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 16384, LIST_MAX = 65536, PATH_MAX_HERE = 256, TRIES = 4 };

/* One line of a properties file: where its value goes. */
enum who { who_all, who_gpu, who_new };
struct prop {
    const char *name;
    uint16_t offset;
    uint8_t who;
};
#define NODE_ROW(name, who) {#name, offsetof(struct kfd_node, name), who_##who},
#define BANK_ROW(name, who) {#name, offsetof(struct kfd_bank, name), who_##who},
#define LINK_ROW(name, who) {#name, offsetof(struct kfd_link, name), who_##who},
static const struct prop node_props[] = {KFD_NODE_PROPS(NODE_ROW)};
static const struct prop bank_props[] = {KFD_BANK_PROPS(BANK_ROW)};
static const struct prop link_props[] = {KFD_LINK_PROPS(LINK_ROW)};

/* Reads an unsigned decimal at *p and steps over it; -1 when there is none or it exceeds 64 bits. */
static int decimal(const char **p, uint64_t *v)
{
    const char *s = *p;
    for (*v = 0; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(*v, 10, v) || __builtin_add_overflow(*v, (uint64_t)(*s - '0'), v))
            return -1;
    if (s == *p)
        return -1;
    *p = s;
    return 0;
}

static int parse(const char *what, const char *text, const struct prop *props, unsigned count, void *to,
                 uint64_t *seen)
{
    unsigned line = 1;
    for (const char *p = text; *p; line++) {
        size_t len = strcspn(p, " \n");
        const char *name = p;
        uint64_t v;
        if (!len || p[len] != ' ')
            return fail(-EINVAL, "%s:%u: \"%.*s\": expected NAME VALUE", what, line, (int)strcspn(p, "\n"),
                        p);
        p += len + 1;
        if (decimal(&p, &v) || (*p && *p != '\n'))
            return fail(-EINVAL, "%s:%u: %.*s: expected an unsigned decimal value", what, line, (int)len,
                        name);
        p += *p == '\n';
        for (unsigned i = 0; i < count; i++)
            if (!strncmp(props[i].name, name, len) && !props[i].name[len]) {
                memcpy((char *)to + props[i].offset, &v, sizeof v);
                if (seen)
                    *seen |= 1ull << i;
            }
    }
    return 0;
}

int kfd_parse_node(const char *what, const char *text, struct kfd_node *n)
{
    int err = parse(what, text, node_props, ARRAY_LEN(node_props), n, &n->seen);
    if (!err && !(n->seen >> KFD_PROP_num_xcc & 1))
        n->num_xcc = 1;
    return err;
}

int kfd_parse_bank(const char *what, const char *text, struct kfd_bank *b)
{
    return parse(what, text, bank_props, ARRAY_LEN(bank_props), b, NULL);
}

int kfd_parse_link(const char *what, const char *text, struct kfd_link *l)
{
    return parse(what, text, link_props, ARRAY_LEN(link_props), l, NULL);
}

static int print(const struct prop *props, unsigned count, const void *from, int is_gpu, char *buf,
                 size_t cap)
{
    size_t n = 0;
    if (cap)
        *buf = 0;
    for (unsigned i = 0; i < count; i++)
        if (is_gpu || props[i].who == who_all)
            n += (size_t)snprintf(n < cap ? buf + n : NULL, n < cap ? cap - n : 0, "%s %llu\n", props[i].name,
                                  (unsigned long long)load64((const char *)from + props[i].offset));
    return (int)n;
}

int kfd_print_node(const struct kfd_node *n, char *buf, size_t cap)
{
    return print(node_props, ARRAY_LEN(node_props), n, n->gpu_id != 0, buf, cap);
}

int kfd_print_bank(const struct kfd_bank *b, char *buf, size_t cap)
{
    return print(bank_props, ARRAY_LEN(bank_props), b, 1, buf, cap);
}

int kfd_print_link(const struct kfd_link *l, char *buf, size_t cap)
{
    return print(link_props, ARRAY_LEN(link_props), l, 1, buf, cap);
}

/* Everything one walk needs: two buffers and the path in hand. */
struct walk {
    const struct port *port;
    char path[PATH_MAX_HERE];
    char text[FILE_MAX];
    char list[LIST_MAX];
};

static int path_fail(struct walk *w, int err)
{
    return fail(err, "%s (%s): %s", w->path, w->port->name, strerror(-err));
}

/* Reads one file under the topology into w->text; its path stays in w->path for messages. */
__attribute__((format(printf, 2, 3))) static int slurp(struct walk *w, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(w->path, sizeof w->path, fmt, ap);
    va_end(ap);
    return port_read_file(w->port, w->path, w->text, sizeof w->text);
}

static int read_number(struct walk *w, const char *path, uint64_t *v)
{
    int err = slurp(w, "%s", path);
    const char *p = w->text;
    if (err < 0)
        return path_fail(w, err);
    if (decimal(&p, v) || (*p && strcmp(p, "\n")))
        return fail(-EINVAL, "%s:1: expected an unsigned decimal value", w->path);
    return 0;
}

/* Reads the properties files of one kind of child directory (banks, links), appending to an array. */
static int read_children(struct walk *w, unsigned node, const char *kind, size_t size, void **array,
                         unsigned *count, int (*parse_one)(const char *, const char *, void *))
{
    snprintf(w->path, sizeof w->path, KFD_TOPOLOGY "/nodes/%u/%s", node, kind);
    int n = port_list_dir(w->port, w->path, w->list, sizeof w->list);
    if (n == -ENOENT || n == 0)
        return 0;
    if (n < 0)
        return path_fail(w, n);
    void *grown = realloc(*array, (*count + (size_t)n) * size);
    if (!grown)
        return fail(-ENOMEM, "%s: out of memory for %d entries", w->path, n);
    *array = grown;
    const char *name = w->list;
    for (int i = 0; i < n; i++, name += strlen(name) + 1) {
        void *one = (char *)*array + *count * size;
        int err = slurp(w, KFD_TOPOLOGY "/nodes/%u/%s/%.32s/properties", node, kind, name);
        if (err == -ENOTDIR)
            continue;
        if (err < 0)
            return path_fail(w, err);
        memset(one, 0, size);
        if ((err = parse_one(w->path, w->text, one)) < 0)
            return err;
        ++*count;
    }
    return 0;
}

static int parse_bank_at(const char *what, const char *text, void *to)
{
    return kfd_parse_bank(what, text, to);
}

static int parse_link_at(const char *what, const char *text, void *to)
{
    return kfd_parse_link(what, text, to);
}

/* Returns 1 when the node was read, 0 when this process may not see it (a device cgroup answers EPERM). */
static int read_node(struct walk *w, unsigned index, struct kfd_node *n)
{
    uint64_t id;
    char path[PATH_MAX_HERE];
    memset(n, 0, sizeof *n);
    n->index = index;
    snprintf(path, sizeof path, KFD_TOPOLOGY "/nodes/%u/gpu_id", index);
    int err = read_number(w, path, &id);
    if (err)
        return err == -EPERM ? 0 : err;
    n->gpu_id = lo32(id);
    if ((err = slurp(w, KFD_TOPOLOGY "/nodes/%u/name", index)) < 0)
        return err == -EPERM ? 0 : path_fail(w, err);
    snprintf(n->name, sizeof n->name, "%.*s", (int)strcspn(w->text, "\n"), w->text);
    if ((err = slurp(w, KFD_TOPOLOGY "/nodes/%u/properties", index)) < 0)
        return err == -EPERM ? 0 : path_fail(w, err);
    if ((err = kfd_parse_node(w->path, w->text, n)) < 0)
        return err;
    if ((err = read_children(w, index, "mem_banks", sizeof *n->banks, (void **)&n->banks, &n->bank_count,
                             parse_bank_at)) ||
        (err = read_children(w, index, "io_links", sizeof *n->links, (void **)&n->links, &n->link_count,
                             parse_link_at)) ||
        (err = read_children(w, index, "p2p_links", sizeof *n->links, (void **)&n->links, &n->link_count,
                             parse_link_at)))
        return err;
    return 1;
}

static void free_node(struct kfd_node *n)
{
    free(n->banks);
    free(n->links);
}

static int read_nodes(struct walk *w, struct kfd_topology *t)
{
    unsigned indices[256];
    snprintf(w->path, sizeof w->path, KFD_TOPOLOGY "/nodes");
    int n = port_list_dir(w->port, w->path, w->list, sizeof w->list);
    if (n < 0)
        return path_fail(w, n);
    if (n > (int)ARRAY_LEN(indices))
        return fail(-ERANGE, "%s: %d nodes, at most %zu expected", w->path, n, ARRAY_LEN(indices));
    const char *name = w->list;
    for (int i = 0; i < n; i++, name += strlen(name) + 1) {
        uint64_t v;
        const char *p = name;
        if (decimal(&p, &v) || *p || v > 65535)
            return fail(-EINVAL, "%s/%.32s: expected a node number", w->path, name);
        indices[i] = lo32(v);
    }
    t->nodes = calloc((size_t)n + 1, sizeof *t->nodes);
    if (!t->nodes)
        return fail(-ENOMEM, "%s: out of memory for %d nodes", w->path, n);
    for (int i = 0; i < n; i++) {
        struct kfd_node *node = &t->nodes[t->node_count];
        int r = read_node(w, indices[i], node);
        if (r <= 0)
            free_node(node);
        if (r < 0)
            return r;
        t->node_count += (unsigned)r;
    }
    return 0;
}

int kfd_topology_read(const struct port *p, struct kfd_topology *t)
{
    memset(t, 0, sizeof *t);
    struct walk *w = malloc(sizeof *w);
    if (!w)
        return fail(-ENOMEM, "topology: out of memory");
    w->port = p;
    int err = 0;
    for (int i = 0; i < TRIES; i++) {
        uint64_t after;
        err = read_number(w, KFD_TOPOLOGY "/generation_id", &t->generation);
        if (err == -ENOENT || err == -ENOTDIR)
            err = fail(-ENODEV, "%s (%s): no KFD topology: is the amdgpu driver loaded?", w->path, p->name);
        if (err)
            break;
        err = read_nodes(w, t);
        int again = read_number(w, KFD_TOPOLOGY "/generation_id", &after);
        if (!again && after == t->generation)
            break;
        /* a GPU came or went meanwhile: what was read, even a failure, says nothing */
        kfd_topology_free(t);
        err = again ? again : fail(-EAGAIN, "%s (%s): changes all the time", w->path, p->name);
        if (again)
            break;
    }
    free(w);
    if (err)
        kfd_topology_free(t);
    return err;
}

void kfd_topology_free(struct kfd_topology *t)
{
    for (unsigned i = 0; i < t->node_count; i++)
        free_node(&t->nodes[i]);
    free(t->nodes);
    memset(t, 0, sizeof *t);
}

uint32_t kfd_gpu_id(const struct kfd_node *n, uint32_t subsystem, uint64_t vram_size, uint32_t first_xcc)
{
    uint32_t words[8] = {
        n->location_id & 0xff,     subsystem,       lo32(n->domain), lo32(n->device_id),
        lo32(n->location_id >> 8), lo32(vram_size), hi32(vram_size), first_xcc | lo32(n->num_xcc) << 16};
    uint16_t crc = 0;
    for (unsigned i = 0; i < sizeof words; i++) {
        crc ^= ((const uint8_t *)words)[i];
        for (int b = 0; b < 8; b++)
            crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
    }
    return crc;
}
