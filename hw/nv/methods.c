#define HW_TABLES
#include "hw/nv/gpfifo.h"
#include "hw/nv/methods.h"

const struct hw_record *nv_method(enum nv_unit unit, enum nv_gen gen, uint32_t address, unsigned *element)
{
    const struct hw_record *r = unit == NV_UNIT_HOST                                ? nv_host_records
                                : unit == NV_UNIT_COMPUTE || unit == NV_UNIT_INLINE ? nv_compute_records
                                : unit == NV_UNIT_COPY                              ? nv_copy_records
                                                                                    : NULL;
    unsigned n = unit == NV_UNIT_HOST   ? nv_host_nrecords
                 : unit == NV_UNIT_COPY ? nv_copy_nrecords
                                        : nv_compute_nrecords;
    for (unsigned i = 0; r && i < n; i++) {
        uint32_t past = address - r[i].op;
        if (!hw_in_gen(r[i].gens, gen) || address < r[i].op)
            continue;
        /* the inline-to-memory class has the compute class's copy methods and its 0x100..0x11c */
        if (unit == NV_UNIT_INLINE && (address >= 0x21c || (address >= 0x130 && address < 0x180)))
            continue;
        *element = r[i].repeat ? past / r[i].stride : 0;
        if (past == 0 || (r[i].repeat && past % r[i].stride == 0 && *element < r[i].repeat))
            return &r[i];
    }
    return NULL;
}

const char *nv_unit_name(enum nv_unit unit)
{
    static const char *const names[] = {"unbound", "host", "compute", "copy", "inline"};
    return names[unit];
}
