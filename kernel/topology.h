/* The topology KFD shows in sysfs: property names in the kernel's order, a parser (runtime) and a printer
 * (the software GPU's sysfs). Not here: what the runtime makes of the numbers (amd/), or values of a software
 * GPU (soft/). Source: amdkfd kfd_topology.c; outside witness: captures of two real cards
 * (test/unit/kernel_topology.c).
 */
#ifndef NX_KERNEL_TOPOLOGY_H
#define NX_KERNEL_TOPOLOGY_H
#include "kernel/port.h"
#include <stdint.h>

/* P(name, who): who = all (every node), gpu (GPU nodes only), new (GPU nodes of newer kernels only). All are
 * unsigned. */
#define KFD_NODE_PROPS(P)                                                                                    \
    P(cpu_cores_count, all)                                                                                  \
    P(simd_count, all)                                                                                       \
    P(mem_banks_count, all)                                                                                  \
    P(caches_count, all)                                                                                     \
    P(io_links_count, all)                                                                                   \
    P(p2p_links_count, all)                                                                                  \
    P(cpu_core_id_base, all)                                                                                 \
    P(simd_id_base, all)                                                                                     \
    P(max_waves_per_simd, all)                                                                               \
    P(lds_size_in_kb, all)                                                                                   \
    P(gds_size_in_kb, all)                                                                                   \
    P(num_gws, all)                                                                                          \
    P(wave_front_size, all)                                                                                  \
    P(array_count, all)                                                                                      \
    P(simd_arrays_per_engine, all)                                                                           \
    P(cu_per_simd_array, all)                                                                                \
    P(simd_per_cu, all)                                                                                      \
    P(max_slots_scratch_cu, all)                                                                             \
    P(gfx_target_version, all)                                                                               \
    P(vendor_id, all)                                                                                        \
    P(device_id, all)                                                                                        \
    P(location_id, all)                                                                                      \
    P(domain, all)                                                                                           \
    P(drm_render_minor, all)                                                                                 \
    P(hive_id, all)                                                                                          \
    P(num_sdma_engines, all)                                                                                 \
    P(num_sdma_xgmi_engines, all)                                                                            \
    P(num_sdma_queues_per_engine, all)                                                                       \
    P(num_cp_queues, all)                                                                                    \
    P(cwsr_size, new)                                                                                        \
    P(ctl_stack_size, new)                                                                                   \
    P(max_engine_clk_fcompute, gpu)                                                                          \
    P(local_mem_size, gpu)                                                                                   \
    P(fw_version, gpu)                                                                                       \
    P(capability, gpu)                                                                                       \
    P(capability2, new)                                                                                      \
    P(debug_prop, gpu)                                                                                       \
    P(sdma_fw_version, gpu)                                                                                  \
    P(unique_id, gpu)                                                                                        \
    P(num_xcc, gpu)                                                                                          \
    P(max_engine_clk_ccompute, all)

#define KFD_BANK_PROPS(P)                                                                                    \
    P(heap_type, all) P(size_in_bytes, all) P(flags, all) P(width, all) P(mem_clk_max, all)

#define KFD_LINK_PROPS(P)                                                                                    \
    P(type, all)                                                                                             \
    P(version_major, all)                                                                                    \
    P(version_minor, all)                                                                                    \
    P(node_from, all)                                                                                        \
    P(node_to, all)                                                                                          \
    P(weight, all)                                                                                           \
    P(min_latency, all)                                                                                      \
    P(max_latency, all)                                                                                      \
    P(min_bandwidth, all)                                                                                    \
    P(max_bandwidth, all)                                                                                    \
    P(recommended_transfer_size, all)                                                                        \
    P(recommended_sdma_engine_id_mask, new)                                                                  \
    P(flags, all)

#define KFD_PROP_FIELD(name, who) uint64_t name;
#define KFD_PROP_INDEX(name, who) KFD_PROP_##name,
enum kfd_prop { KFD_NODE_PROPS(KFD_PROP_INDEX) KFD_PROP_COUNT };

struct kfd_bank {
    KFD_BANK_PROPS(KFD_PROP_FIELD)
};
struct kfd_link {
    KFD_LINK_PROPS(KFD_PROP_FIELD)
};
struct kfd_node {
    unsigned index;  /* directory number */
    uint32_t gpu_id; /* 0: a CPU node */
    char name[64];   /* of the chip, lower case, may be empty; not the marketing name */
    uint64_t seen;   /* bit KFD_PROP_x: the line was there; an absent value is 0, num_xcc 1 */
    KFD_NODE_PROPS(KFD_PROP_FIELD)
    unsigned bank_count, link_count;
    struct kfd_bank *banks;
    struct kfd_link *links; /* io_links, then p2p_links */
};
struct kfd_topology {
    uint64_t generation;
    unsigned node_count;
    struct kfd_node *nodes;
};

/* Heap types of a memory bank and link types: CRAT's and HSA's numbers. */
enum { KFD_HEAP_SYSTEM = 0, KFD_HEAP_FB_PUBLIC = 1, KFD_HEAP_FB_PRIVATE = 2 };
enum { KFD_LINK_PCIE = 2, KFD_LINK_XGMI = 11 };
/* io_link flags */
enum {
    KFD_LINK_ENABLED = 1,
    KFD_LINK_NON_COHERENT = 2,
    KFD_LINK_NO_ATOMICS_32 = 4,
    KFD_LINK_NO_ATOMICS_64 = 8
};
/* capability: 13:12 doorbell type, must be 2 on gfx9 and later */
static inline unsigned kfd_cap_doorbell_type(uint64_t capability)
{
    return capability >> 12 & 3;
}

/* Reads every node with its memory banks and links. The generation is read before and after; a change starts
 * again (a few times, then -EAGAIN). Errors name file and line: -ENODEV no topology there, -EINVAL a
 * malformed line, else the port's. On failure *t is empty. Unknown property names are skipped (newer
 * kernels). */
int kfd_topology_read(const struct port *p, struct kfd_topology *t);
void kfd_topology_free(struct kfd_topology *t);

/* One properties file's text into a struct: `what` names the file in errors. */
int kfd_parse_node(const char *what, const char *text, struct kfd_node *n);
int kfd_parse_bank(const char *what, const char *text, struct kfd_bank *b);
int kfd_parse_link(const char *what, const char *text, struct kfd_link *l);

/* Prints the properties file of a node (bank, link) as the kernel does; lines marked gpu only for gpu_id !=
 * 0. Returns the length as snprintf does. */
int kfd_print_node(const struct kfd_node *n, char *buf, size_t cap);
int kfd_print_bank(const struct kfd_bank *b, char *buf, size_t cap);
int kfd_print_link(const struct kfd_link *l, char *buf, size_t cap);

/* gpu_id of a card: CRC-16 (reflected 0xa001, start 0) over eight little-endian words; observed on both
 * captured cards. */
uint32_t kfd_gpu_id(const struct kfd_node *n, uint32_t subsystem, uint64_t vram_size, uint32_t first_xcc);
#endif
