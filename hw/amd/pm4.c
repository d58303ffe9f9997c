#define HW_TABLES
#include "hw/amd/pm4.h"

#define ATOMIC(name, v) {#name, v},
const struct hw_value amd_atomic_names[] = {
#include "hw/amd/atomic.def"
    {0, 0}};

uint32_t pm4_next(const uint32_t *dw, uint32_t left, enum amd_gen gen, struct pm4_packet *out)
{
    uint32_t n = pm4_dwords(dw[0]), op = pm4_opcode(dw[0]);
    const struct hw_record *near = NULL, *hit = NULL;
    *out = (struct pm4_packet){.dwords = n && n < left ? n : n ? left : 1};
    if (pm4_type(dw[0]) != 3) {
        out->status = n ? PM4_FILLER : PM4_BAD_TYPE;
        return 1;
    }
    for (unsigned i = 0; i < pm4_nrecords && !hit; i++) {
        const struct hw_record *r = &pm4_records[i];
        if (r->op != op || (r->gens && !(r->gens >> gen & 1)))
            continue;
        near = r;
        if (r->tail ? n >= r->dwords : n == r->dwords)
            hit = r;
    }
    out->rec = hit ? hit : near;
    out->status = n > left ? PM4_TRUNCATED : hit ? PM4_OK : near ? PM4_BAD_COUNT : PM4_UNKNOWN_OP;
    return out->dwords;
}

/* Opcodes that have no row here, for messages only (names as in Linux's nvd.h). */
static const struct hw_value other_ops[] = {{"set_base", 0x11},
                                            {"clear_state", 0x12},
                                            {"index_buffer_size", 0x13},
                                            {"set_predication", 0x20},
                                            {"indirect_buffer_end", 0x17},
                                            {"mem_semaphore", 0x39},
                                            {"copy_dw", 0x3b},
                                            {"pfp_sync_me", 0x42},
                                            {"surface_sync", 0x43},
                                            {"me_initialize", 0x44},
                                            {"event_write_eop", 0x47},
                                            {"rewind", 0x59},
                                            {"load_sh_reg", 0x5f},
                                            {"load_config_reg", 0x60},
                                            {"load_context_reg", 0x61},
                                            {"set_config_reg", 0x68},
                                            {"set_context_reg", 0x69},
                                            {"set_queue_reg", 0x78},
                                            {"scratch_ram_write", 0x7d},
                                            {"scratch_ram_read", 0x7e},
                                            {"frame_control", 0x90},
                                            {"invalidate_tlbs", 0x98},
                                            {"set_resources", 0xa0},
                                            {"map_process", 0xa1},
                                            {"map_queues", 0xa2},
                                            {"unmap_queues", 0xa3},
                                            {"query_status", 0xa4},
                                            {"run_list", 0xa5},
                                            {0, 0}};

const char *pm4_op_name(uint32_t op)
{
    for (unsigned i = 0; i < pm4_nrecords; i++)
        if (pm4_records[i].op == op)
            return pm4_records[i].name;
    return hw_value_name(other_ops, op);
}
