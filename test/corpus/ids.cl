// Who am I: every query of OpenCL, over whole and partial work-groups, with and without a global offset.
// PoCL has no partial groups: there the launch is one item a group and the answers are computed from the global id
// and the group size given on its command line (LX, LY, LZ).
#include "corpus.clh"
#ifdef LX
#define get_local_id(d) (get_global_id(d) % (d == 0 ? LX : d == 1 ? LY : LZ))
#define get_group_id(d) (get_global_id(d) / (d == 0 ? LX : d == 1 ? LY : LZ))
#define SZ(d) (d == 0 ? LX : d == 1 ? LY : LZ)
#define get_enqueued_local_size(d) SZ(d)
#define get_num_groups(d) ((get_global_size(d) + SZ(d) - 1) / SZ(d))
#define get_local_size(d) min((ulong)SZ(d), (ulong)(get_global_size(d) - get_group_id(d) * SZ(d)))
#define get_local_linear_id() \
    ((get_local_id(2) * SZ(1) + get_local_id(1)) * SZ(0) + get_local_id(0)) // as rocm-device-libs has it
#define get_global_linear_id() \
    ((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0))
#endif
static uint where(void)
{
    return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
}
kernel void all_ids(global uint *out)
{
    global uint *o = out + where() * 22;
    for (uint d = 0; d < 3; d++) {
        *o++ = get_global_id(d);
        *o++ = get_local_id(d);
        *o++ = get_group_id(d);
        *o++ = get_global_size(d);
        *o++ = get_enqueued_local_size(d);
        *o++ = get_num_groups(d);
    }
    *o++ = get_local_size(0) | get_local_size(1) << 10 | get_local_size(2) << 20;
    *o++ = get_local_linear_id();
    *o++ = get_global_linear_id();
    *o++ = get_global_offset(0) + get_global_offset(1) + get_global_offset(2);
}
kernel void only_x(global uint *out, uint n)
{
    out[get_global_id(0)] = get_local_id(0) * 1000 + get_group_id(0);
}
kernel void only_z(global uint *out)
{
    out[where()] = get_local_id(2) * 1000 + get_group_id(2) * 10 + get_group_id(1);
}
kernel void work_dim(global uint *out)
{
    out[where()] = get_work_dim() + get_num_groups(0) * 10;
}
