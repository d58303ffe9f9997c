// Atomics, global, local and generic, 32 and 64 bit, integer and float. The order of work-items is free: checked are
// totals, and returned values only where every order gives the same set.
#include "corpus.clh"
kernel void atomic_global_int(global const int *in, global int *cell)
{
    int v = in[GID];
    atomic_add(&cell[0], v);
    atomic_sub(&cell[1], v);
    atomic_inc(&cell[2]);
    atomic_dec(&cell[3]);
    atomic_min(&cell[4], v);
    atomic_max(&cell[5], v);
    atomic_min((global uint *)&cell[6], (uint)v);
    atomic_max((global uint *)&cell[7], (uint)v);
    atomic_and(&cell[8], v | 0x55);
    atomic_or(&cell[9], v & 0x33);
    atomic_xor(&cell[10], v);
}
kernel void atomic_global_long(global const long *in, global long *cell)
{
    long v = in[GID];
    atom_add(&cell[0], v);
    atom_sub(&cell[1], v);
    atom_inc(&cell[2]);
    atom_dec(&cell[3]);
    atom_min(&cell[4], v);
    atom_max(&cell[5], v);
    atom_min((global ulong *)&cell[6], (ulong)v);
    atom_max((global ulong *)&cell[7], (ulong)v);
    atom_and(&cell[8], v | 0x55);
    atom_or(&cell[9], v & 0x33);
    atom_xor(&cell[10], v);
}
kernel void atomic_local_int(global const int *in, global int *out)
{
    local int cell[16];
    if (LID < 16)
        cell[LID] = LID == 4 || LID == 6 ? 0x7fffffff : LID == 8 ? -1 : 0;
    SYNC();
    int v = in[GID];
    atomic_add(&cell[0], v);
    atomic_sub(&cell[1], v);
    atomic_inc(&cell[2]);
    atomic_dec(&cell[3]);
    atomic_min(&cell[4], v);
    atomic_max(&cell[5], v);
    atomic_min((local uint *)&cell[6], (uint)v);
    atomic_max((local uint *)&cell[7], (uint)v);
    atomic_and(&cell[8], v | 0x55);
    atomic_or(&cell[9], v & 0x33);
    atomic_xor(&cell[10], v);
    SYNC();
    if (LID < 16)
        out[get_group_id(0) * 16 + LID] = cell[LID];
}
kernel void atomic_local_long(global const long *in, global long *out)
{
    local long cell[16];
    if (LID < 16)
        cell[LID] = LID == 4 || LID == 6 ? LONG_MAX : LID == 8 ? -1 : 0;
    SYNC();
    long v = in[GID];
    atom_add(&cell[0], v);
    atom_sub(&cell[1], v);
    atom_inc(&cell[2]);
    atom_dec(&cell[3]);
    atom_min(&cell[4], v);
    atom_max(&cell[5], v);
    atom_min((local ulong *)&cell[6], (ulong)v);
    atom_max((local ulong *)&cell[7], (ulong)v);
    atom_and(&cell[8], v | 0x55);
    atom_or(&cell[9], v & 0x33);
    atom_xor(&cell[10], v);
    SYNC();
    if (LID < 16)
        out[get_group_id(0) * 16 + LID] = cell[LID];
}
// Every returned value is used: the set of tickets is 0..n-1 whatever the order.
kernel void atomic_tickets(global uint *cell, global uint *set)
{
    local uint c;
    if (LID == 0)
        c = 0;
    SYNC();
    set[GID] = atomic_inc(&cell[0]);
    set[get_global_size(0) + GID] = atomic_sub(&cell[1], 3u);
    uint t = atomic_add(&c, 5u);
    atomic_or(&cell[2 + t / 5 % 8], 1u << LID % 32);
    SYNC();
    if (LID == 0)
        atomic_xchg(&cell[10 + get_group_id(0)], c);
}
// Compare-and-swap loops: a float sum of small integers (exact), a saturating counter, a 64-bit max by hand.
kernel void atomic_cas(global const int *in, global uint *cell, global ulong *wide)
{
    int v = in[GID] & 255;
    uint old = cell[0], got;
    while ((got = atomic_cmpxchg(&cell[0], old, as_uint(as_float(old) + (float)v))) != old)
        old = got;
    old = cell[1];
    while (old < 100 && (got = atomic_cmpxchg(&cell[1], old, old + 1)) != old)
        old = got;
    ulong want = ((ulong)v << 32) + 7, o = wide[0], g;
    while (o < want && (g = atom_cmpxchg(&wide[0], o, want)) != o)
        o = g;
    local uint l;
    if (LID == 0)
        l = 0;
    SYNC();
    old = l;
    while ((got = atomic_cmpxchg(&l, old, old + v)) != old)
        old = got;
    SYNC();
    if (LID == 0)
        atomic_add(&cell[2], l);
}
// Float atomics: the sums are of small integers, exact in any order.
kernel void atomic_floats(global const float *in, global float *cell, global float *lcell)
{
    float v = in[GID];
    local float l[4];
    if (LID < 4)
        l[LID] = 0;
    SYNC();
#ifdef GPU
    __builtin_amdgcn_global_atomic_fadd_f32(&cell[0], v);
    float was = __builtin_amdgcn_global_atomic_fadd_f32(&cell[1], 1.0f);
    __builtin_amdgcn_ds_faddf(&l[0], v, 0, 0, false);
    __builtin_amdgcn_ds_fminf(&l[1], v, 0, 0, false);
    __builtin_amdgcn_ds_fmaxf(&l[2], v, 0, 0, false);
    float lwas = __builtin_amdgcn_ds_faddf(&l[3], 1.0f, 0, 0, false);
    __builtin_amdgcn_global_atomic_fadd_f32(&cell[2], was < 0 ? 1000.0f : lwas);
    __asm volatile("global_atomic_min_f32 %0, %1, off\n global_atomic_max_f32 %0, %1, off offset:4"
                 :: "v"(&cell[3]), "v"(v) : "memory");
#else
    for (uint j = 0; j < get_local_size(0); j++, SYNC())
        if (j == LID) {
            l[0] += v, l[1] = fmin(l[1], v), l[2] = fmax(l[2], v), l[3] += 1;
            for (uint k = 0; k < 5; k++) {
                volatile global uint *c = (volatile global uint *)&cell[k];
                uint o, w;
                do {
                    o = *c;
                    float f = as_float(o);
                    w = as_uint(k == 0 ? f + v : k == 1 ? f + 1 : k == 2 ? f + (l[3] - 1) : k == 3 ? fmin(f, v) : fmax(f, v));
                } while (atomic_cmpxchg(c, o, w) != o);
            }
        }
#endif
    SYNC();
    if (LID < 4)
        lcell[get_group_id(0) * 4 + LID] = l[LID];
}
// C11 atomics through generic pointers: flat instructions that reach global or local memory by address.
kernel void atomic_flat(global const int *in, global int *cell, global long *wide)
{
    local int l[4];
    local long w[2];
    if (LID < 4)
        l[LID] = 0;
    if (LID < 2)
        w[LID] = 0;
    SYNC();
#ifdef GPU
    int v = in[GID];
    volatile atomic_int *p = LID & 1 ? (volatile atomic_int *)&cell[0] : (volatile atomic_int *)&l[0];
    atomic_fetch_add_explicit(p, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(p + 1, v, memory_order_relaxed, memory_scope_device);
    atomic_fetch_xor_explicit(p + 2, v, memory_order_acq_rel, memory_scope_device);
    volatile atomic_long *q = LID & 2 ? (volatile atomic_long *)&wide[0] : (volatile atomic_long *)&w[0];
    atomic_fetch_add_explicit(q, (long)v << 20, memory_order_seq_cst, memory_scope_all_svm_devices);
    atomic_fetch_min_explicit(q + 1, (long)v, memory_order_relaxed, memory_scope_work_group);
    int expect = 0;
    if (atomic_compare_exchange_strong_explicit(p + 3, &expect, 77, memory_order_relaxed, memory_order_relaxed,
                                                memory_scope_device) == false && expect != 77)
        atomic_store_explicit(p + 3, -1, memory_order_relaxed, memory_scope_device);
#else
    int v = in[GID];
    if (LID & 1) {
        atomic_add(&cell[0], v);
        atomic_max(&cell[1], v);
        atomic_xor(&cell[2], v);
        atomic_xchg(&cell[3], 77);
    } else {
        atomic_add(&l[0], v);
        atomic_max(&l[1], v);
        atomic_xor(&l[2], v);
        l[3] = 77;
    }
    if (LID & 2) {
        atom_add(&wide[0], (long)v << 20);
        atom_min(&wide[1], (long)v);
    } else {
        atom_add(&w[0], (long)v << 20);
        atom_min(&w[1], (long)v);
    }
#endif
    SYNC();
    if (LID < 4)
        atomic_add(&cell[4 + LID], l[LID]);
    if (LID < 2)
        atom_add(&wide[2 + LID], w[LID]);
}
// Wrapping increment and decrement (one instruction each on the GPU).
kernel void atomic_wrap(global uint *cell)
{
    local uint l[2];
    if (LID < 2)
        l[LID] = 0;
    SYNC();
#ifdef GPU
    __builtin_amdgcn_atomic_inc32(&cell[0], 9u, __ATOMIC_RELAXED, "agent");
    __builtin_amdgcn_atomic_dec32(&cell[1], 9u, __ATOMIC_RELAXED, "agent");
    __builtin_amdgcn_atomic_inc32(&l[0], 6u, __ATOMIC_RELAXED, "workgroup");
    __builtin_amdgcn_atomic_dec32(&l[1], 6u, __ATOMIC_RELAXED, "workgroup");
#else
    for (uint j = 0; j < get_local_size(0); j++, SYNC())
        if (j == LID) {
            l[0] = l[0] >= 6 ? 0 : l[0] + 1;
            l[1] = l[1] == 0 || l[1] > 6 ? 6 : l[1] - 1;
            uint o, w;
            do
                o = cell[0], w = o >= 9 ? 0 : o + 1;
            while (atomic_cmpxchg(&cell[0], o, w) != o);
            do
                o = cell[1], w = o == 0 || o > 9 ? 9 : o - 1;
            while (atomic_cmpxchg(&cell[1], o, w) != o);
        }
#endif
    SYNC();
    if (LID < 2)
        atomic_add(&cell[2 + LID], l[LID]);
}
// One producer group and waiters: groups after the first spin until the first has written.
kernel void wait_for_group(global uint *flag, global uint *data)
{
    if (get_group_id(0) == 0) {
        data[LID] = LID * LID;
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (LID == 0)
            atomic_xchg(&flag[0], 1u);
    } else {
        if (LID == 0)
            while (atomic_add(&flag[0], 0u) == 0)
                ;
        barrier(CLK_GLOBAL_MEM_FENCE);
        data[GID] = data[LID] + get_group_id(0);
    }
}
