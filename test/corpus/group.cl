// Work-items of a group together: reductions, scans, sorting, histogram, transposition, stencil, dynamic local memory.
#include "corpus.clh"
#define G 256
#define REDUCE(T, NAME, OP)                                                                                  \
    kernel void reduce_##NAME##_##T(global const T *in, global T *out)                                       \
    {                                                                                                        \
        local T t[G];                                                                                        \
        t[LID] = in[GID];                                                                                    \
        for (uint s = G / 2; s; s >>= 1) {                                                                   \
            SYNC();                                                                                          \
            if (LID < s) {                                                                                   \
                T a = t[LID], b = t[LID + s];                                                                \
                t[LID] = OP;                                                                                 \
            }                                                                                                \
        }                                                                                                    \
        if (LID == 0)                                                                                        \
            out[get_group_id(0)] = t[0];                                                                     \
    }
REDUCE(int, add, a + b)
REDUCE(uint, max, max(a, b))
REDUCE(float, add, a + b)
REDUCE(double, add, a + b)
REDUCE(ulong, xor, a ^ b)
REDUCE(short, min, min(a, b))
REDUCE(uchar, add, a + b)

// Hillis-Steele inclusive scan.
#define SCAN(T)                                                                                              \
    kernel void scan_##T(global const T *in, global T *out)                                                  \
    {                                                                                                        \
        local T t[2][G];                                                                                     \
        uint p = 0;                                                                                          \
        t[0][LID] = in[GID];                                                                                 \
        for (uint d = 1; d < G; d *= 2, p ^= 1) {                                                            \
            SYNC();                                                                                          \
            t[p ^ 1][LID] = LID >= d ? t[p][LID] + t[p][LID - d] : t[p][LID];                                \
        }                                                                                                    \
        out[GID] = t[p][LID];                                                                                \
    }
SCAN(int)
SCAN(float)
SCAN(long)
SCAN(ushort)

kernel void bitonic_sort(global uint *data)
{
    local uint t[G];
    t[LID] = data[GID];
    for (uint k = 2; k <= G; k *= 2)
        for (uint j = k / 2; j; j /= 2) {
            SYNC();
            uint o = LID ^ j;
            if (o > LID) {
                uint a = t[LID], b = t[o];
                if ((a > b) == !(LID & k)) {
                    t[LID] = b;
                    t[o] = a;
                }
            }
        }
    SYNC();
    data[GID] = t[LID];
}
// One pass of a stable 4-bit radix sort of a group's keys.
kernel void radix_pass(global const uint *in, global uint *out, uint shift)
{
    local uint count[16][G], base[16];
    uint key = in[GID], digit = key >> shift & 15;
    for (uint d = 0; d < 16; d++)
        count[d][LID] = d == digit;
    SYNC();
    if (LID < 16) {
        uint sum = 0;
        for (uint j = 0; j < G; j++) {
            uint c = count[LID][j];
            count[LID][j] = sum;
            sum += c;
        }
        base[LID] = sum;
    }
    SYNC();
    uint before = 0;
    for (uint d = 0; d < digit; d++)
        before += base[d];
    out[get_group_id(0) * G + before + count[digit][LID]] = key;
}
kernel void histogram(global const uchar *in, global uint *bins, uint n)
{
    local uint h[256];
    h[LID] = 0;
    SYNC();
    for (uint i = GID; i < n; i += get_global_size(0))
        atomic_inc(&h[in[i]]);
    SYNC();
    atomic_add(&bins[LID], h[LID]);
}
kernel void transpose(global const float *in, global float *out, uint w, uint h)
{
    local float t[16][17];
    uint x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    if (x < w && y < h)
        t[ly][lx] = in[y * w + x];
    SYNC();
    uint ox = get_group_id(1) * 16 + lx, oy = get_group_id(0) * 16 + ly;
    if (ox < h && oy < w)
        out[oy * h + ox] = t[lx][ly];
}
kernel void stencil(global const float *in, global float *out, uint w, uint h)
{
    local float t[10][34];
    int x = get_global_id(0), y = get_global_id(1);
    uint lx = get_local_id(0), ly = get_local_id(1);
    for (uint j = ly; j < 10; j += 8)
        for (uint i = lx; i < 34; i += 32) {
            int sx = clamp((int)(get_group_id(0) * 32 + i) - 1, 0, (int)w - 1);
            int sy = clamp((int)(get_group_id(1) * 8 + j) - 1, 0, (int)h - 1);
            t[j][i] = in[sy * w + sx];
        }
    SYNC();
    if (x < w && y < h)
        out[y * w + x] = t[ly + 1][lx + 1] * 0.5f + (t[ly][lx + 1] + t[ly + 2][lx + 1]) * 0.125f +
                         (t[ly + 1][lx] + t[ly + 1][lx + 2]) * 0.125f;
}
// Two arrays of dynamic local memory whose sizes the launch says.
kernel void dynamic_local(global const int *in, global int *out, local int *a, local int2 *b)
{
    uint n = get_local_size(0);
    a[LID] = in[GID];
    b[n - 1 - LID] = (int2)(in[GID], LID);
    SYNC();
    out[GID] = a[n - 1 - LID] * 3 + b[LID].x - b[LID].y;
}
// Wide local loads and stores of vectors, with odd strides.
kernel void local_vectors(global const float4 *in, global float4 *out, global const double2 *din, global double2 *dout)
{
    local float4 f[64];
    local double2 d[64];
    local float p[64 * 3];
    local uchar c[64 * 5];
    uint l = LID;
    f[l] = in[GID];
    d[l ^ 1] = din[GID];
    vstore3(in[GID].xyz, l, p);
    vstore4(convert_uchar4_sat(in[GID]), l, c + l);
    SYNC();
    out[GID] = f[63 - l] + vload3(l ^ 3, p).zyxx + convert_float4(vload4(l ^ 2, c + (l ^ 2)));
    dout[GID] = d[l] + d[l ^ 2].yx;
}
// Waves: on PoCL every 32 work-items are one "wave", through local memory.
#ifndef GPU
#define sub_group_reduce_add(v) wave_fold(t, v, 0)
#define sub_group_reduce_max(v) wave_fold(t, v, 1)
#define sub_group_scan_inclusive_add(v) wave_fold(t, v, 2)
#define sub_group_scan_exclusive_add(v) (wave_fold(t, v, 2) - (v))
#define sub_group_broadcast(v, k) wave_fold(t, v, 16 + (k))
static int wave_fold(local int *t, int v, int what)
{
    SYNC();
    t[LID] = v;
    SYNC();
    int first = LID & ~31, r = what == 1 ? INT_MIN : 0;
    if (what >= 16)
        return t[first + what - 16];
    for (int j = first; j < first + 32; j++)
        if (what == 1)
            r = max(r, t[j]);
        else if (what == 0 || j <= LID)
            r += t[j];
    return r;
}
#endif
kernel void subgroups(global const int *in, global int *out, uint n)
{
    uint i = GID, row = 0;
    local int t[64];
    int v = in[i];
    PUT(sub_group_reduce_add(v));
    PUT(sub_group_reduce_max(v));
    PUT(sub_group_scan_inclusive_add(v));
    PUT(sub_group_scan_exclusive_add(v));
    PUT(sub_group_broadcast(v, 5));
    SYNC();
    t[LID] = 0;
}
#ifndef GPU
#define work_group_reduce_add(v) group_fold(t, v, 0)
#define work_group_scan_inclusive_max(v) group_fold(t, v, 1)
#define work_group_broadcast(v, k) group_fold(t, v, 2)
#define work_group_any(v) (group_fold(t, (v) != 0, 0) != 0)
#define work_group_all(v) (group_fold(t, (v) != 0, 0) == 128)
static int group_fold(local int *t, int v, int what)
{
    SYNC();
    t[LID] = v;
    SYNC();
    int r = what == 1 ? INT_MIN : 0;
    for (int j = 0; j < 128; j++)
        if (what == 0)
            r += t[j];
        else if (what == 1 && j <= LID)
            r = max(r, t[j]);
    return what == 2 ? t[77] : r;
}
#endif
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void workgroup_builtins(global const int *in, global int *out, uint n)
{
    uint i = GID, row = 0;
    local int t[128];
    int v = in[i];
    PUT(work_group_reduce_add(v));
    PUT(work_group_scan_inclusive_max(v));
    PUT(work_group_broadcast(v, 77));
    PUT(work_group_any(v == 12345));
    PUT(work_group_all(v != 12345));
    SYNC();
    t[LID] = 0;
}
