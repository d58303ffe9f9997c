// Control flow: divergence, loops with several exits, switch, goto (irreducible too), calls, recursion, tables of
// functions, private arrays with computed indices, structures by value, many arguments.
#include "corpus.clh"
kernel void divergent(global const int *in, global int *out)
{
    int v = in[GID], r = 0;
    if (v & 1) {
        if (v & 2)
            r = v * 3;
        else if (v & 4)
            r = v - 7;
        else
            r = ~v;
    } else {
        for (int i = 0; i < (v & 15); i++) {
            if ((i ^ v) % 5 == 0)
                continue;
            if (r > 1000)
                break;
            r += i * v;
        }
    }
    out[GID] = r;
}
kernel void nested_loops(global const uint *in, global uint *out)
{
    uint v = in[GID], r = 0;
    for (uint i = 0; i < (v & 7) + 1; i++) {
        for (uint j = i; j < (v >> 3 & 7); j++) {
            uint k = 0;
            do {
                r = r * 31 + (i ^ j ^ k);
                if (r % 97 == 5)
                    goto next;
                if (r % 1009 == 7)
                    goto done;
            } while (++k < (v >> 6 & 3));
        }
    next:
        r += i;
    }
done:
    out[GID] = r;
}
kernel void early_return(global const int *in, global int *out)
{
    int v = in[GID];
    if (v < 0)
        return;
    out[GID] = v;
    if (v & 1)
        return;
    out[GID] = v + 1;
    for (int i = 0; i < 10; i++) {
        if ((v >> i & 1) == 0)
            return;
        out[GID] += i;
    }
}
kernel void switches(global const uint *in, global uint *out)
{
    uint v = in[GID], r;
    switch (v % 13) {
    case 0: r = v + 1; break;
    case 1: r = v * 3; break;
    case 2: r = v ^ 0xdeadbeef; // falls through
    case 3: r = v >> 3; break;
    case 4: r = rotate(v, 7u); break;
    case 5: r = popcount(v); break;
    case 6: r = v / 7; break;
    case 7: r = v % 11; break;
    case 8:
        r = 0;
        while (v)
            r += v & 15, v >>= 4;
        break;
    case 9: r = clz(v); break;
    default: r = ~v;
    }
    switch (r & 0x300) {
    case 0x100: r += 5; break;
    case 0x300: r -= 9; break;
    }
    out[GID] = r;
}
// A loop entered at two places.
kernel void irreducible(global const uint *in, global uint *out)
{
    uint v = in[GID], n = 0;
    if (v & 1)
        goto odd;
even:
    n += 3;
    v = v / 2;
    if (n > 60)
        goto end;
odd:
    n += 1;
    v = v * 3 + 1;
    if (v & 4)
        goto even;
    if (n < 50 && v & 8)
        goto odd;
end:
    out[GID] = v ^ n << 24;
}
// Uniform and divergent exits, boolean chains, a state machine.
kernel void state_machine(global const uchar *in, global int *out, uint len)
{
    global const uchar *s = in + GID * len;
    int state = 0, words = 0, digits = 0, r = 0;
    for (uint i = 0; i < len; i++) {
        uchar c = s[i];
        bool digit = c < 60, space = c > 200;
        if (state == 0)
            state = space ? 0 : digit ? 1 : 2;
        else if (state == 1) {
            digits++;
            if (!digit)
                state = space ? 0 : 3;
        } else if (state == 2 || (state == 3 && digit && !space)) {
            words++;
            state = space ? 0 : c % 4;
        } else
            state = (c >> 2) & 3;
        if (digits > 9 && words > 9)
            break;
        r = r * 5 + state;
    }
    out[GID] = r ^ words << 16 ^ digits << 8;
}
kernel void binary_search(global const int *sorted, global const int *key, global int *out, int n)
{
    int lo = 0, hi = n, k = key[GID];
    while (lo < hi) {
        int m = (lo + hi) >> 1;
        if (sorted[m] < k)
            lo = m + 1;
        else
            hi = m;
    }
    out[GID] = lo;
}

__attribute__((noinline)) static int poly(int x, int y)
{
    return x * x * 3 - y * 7 + (x ^ y);
}
__attribute__((noinline)) static float blend(float a, float b, float t)
{
    return fma(b - a, t, a) + (a > b ? 1.0f : -1.0f);
}
__attribute__((noinline)) static ulong many(int a, long b, short c, float d, double e, int4 f, global int *g, uint h,
                                            int i, int j, int k, int l, int m, int o, int p, int q, int r, int s,
                                            int t, int u, int v, int w, int x, int y, int z)
{
    return a + b * c + (long)d + (long)e + f.x - f.w + g[0] + h +
           (i ^ j) * 3 + (k ^ l) * 5 + (m ^ o) * 7 + (p ^ q) * 11 + (r ^ s) * 13 + (t ^ u) + (v ^ w) * (x ^ y) + z;
}
// Real calls: arguments in registers and on the stack.
kernel void calls(global int *data, global float *f, global ulong *wide)
{
    uint i = GID;
    int v = data[i];
    wide[i] = many(v, v, (short)v, f[i], (double)f[i], (int4)(v, 1, 2, 3), data, i, 1, v, 3, v, 5, v, 7, v, 9, v, 11, v,
                   13, v, 15, v, 17);
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[i] = poly(v, i) + poly(i, v + 1);
    f[i] = blend(f[i], 2.0f, 0.25f);
}
#ifdef GPU
__attribute__((noinline)) static uint ackermann(uint m, uint n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
__attribute__((noinline)) static uint fib(uint n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
#else
static uint ackermann(uint m, uint n) // closed forms for m <= 3
{
    return m == 0 ? n + 1 : m == 1 ? n + 2 : m == 2 ? 2 * n + 3 : (1u << (n + 3)) - 3;
}
static uint fib(uint n)
{
    uint a = 0, b = 1;
    for (; n; n--) {
        uint t = a + b;
        a = b, b = t;
    }
    return a;
}
#endif
kernel void recursion(global uint *out)
{
    uint i = GID;
    out[i] = fib(i % 11) * 1000 + ackermann(i % 3, i % 4);
}
static uint op_add(uint a, uint b) { return a + b; }
static uint op_mul(uint a, uint b) { return a * b; }
static uint op_mix(uint a, uint b) { return rotate(a, 5u) ^ b * 0x9e3779b9u; }
static uint op_loop(uint a, uint b)
{
    for (uint k = 0; k < (b & 7); k++)
        a = a * 3 + k;
    return a;
}
#ifdef GPU
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef uint (*op_fn)(uint, uint);
constant op_fn ops[4] = {op_add, op_mul, op_mix, op_loop};
#define CALL(k, a, b) ops[k](a, b)
#else
#define CALL(k, a, b) ((k) == 0 ? op_add(a, b) : (k) == 1 ? op_mul(a, b) : (k) == 2 ? op_mix(a, b) : op_loop(a, b))
#endif
kernel void indirect_calls(global const uint *in, global uint *out)
{
    uint r = in[GID], code = in[GID] >> 8;
    for (int i = 0; i < 6; i++, code >>= 2)
        r = CALL(code & 3, r, code + i);
    out[GID] = r;
}
// Scratch: arrays a compiler cannot keep in registers, of bytes to doubles.
#define PRIVATE(T)                                                                                           \
    kernel void private_##T(global const T *in, global T *out)                                               \
    {                                                                                                        \
        T a[40];                                                                                             \
        for (uint k = 0; k < 40; k++)                                                                        \
            a[k] = in[GID] + (T)k;                                                                           \
        uint at = GID % 40;                                                                                  \
        __attribute__((opencl_unroll_hint(1))) for (uint k = 0; k < 64; k++) {                               \
            uint to = (at * 17 + k) % 40;                                                                    \
            a[to] = a[at] * (T)3 + a[(to + 1) % 40];                                                         \
            at = to;                                                                                         \
        }                                                                                                    \
        T r = 0;                                                                                             \
        __attribute__((opencl_unroll_hint(1))) for (uint k = 0; k < 40; k++)                                 \
            r = r * (T)2 + a[k];                                                                             \
        out[GID] = r;                                                                                        \
    }
PRIVATE(uchar)
PRIVATE(short)
PRIVATE(uint)
PRIVATE(ulong)
kernel void private_sort(global const int *in, global int *out)
{
    int a[16];
    for (int i = 0; i < 16; i++)
        a[i] = in[GID * 16 + i];
    __attribute__((opencl_unroll_hint(1))) for (int i = 1; i < 16; i++) {
        int v = a[i], j = i;
        for (; j > 0 && a[j - 1] > v; j--)
            a[j] = a[j - 1];
        a[j] = v;
    }
    for (int i = 0; i < 16; i++)
        out[GID * 16 + i] = a[i];
}
// A generic pointer that is global, local or private by turns.
kernel void generic_pointers(global const int *in, global int *out)
{
    local int l[64];
    int p[8];
    for (int i = 0; i < 8; i++)
        p[i] = in[GID] + i;
    l[LID] = in[GID] * 5;
    SYNC();
#ifdef GPU
    const int *g = LID % 3 == 0 ? (const int *)(in + GID) : LID % 3 == 1 ? (const int *)(l + (LID ^ 1)) : (const int *)(p + (LID & 7));
    int r = *g;
    volatile uchar *b = LID % 3 == 0 ? (volatile uchar *)(out + GID) : LID % 3 == 1 ? (volatile uchar *)(l + LID) : (volatile uchar *)(p + 2);
    b[0] = r;
    b[1] = r >> 9;
    *(volatile short *)(b + 2) = (short)(r ^ 0x1234);
    r += *(volatile ushort *)b + (*(volatile char *)(b + 3) << 16) + *(volatile short *)(b + 2);
#else
    int r = LID % 3 == 0 ? in[GID] : LID % 3 == 1 ? l[LID ^ 1] : p[LID & 7];
    uchar b[4] = {r, r >> 9, (r ^ 0x1234) & 255, (r ^ 0x1234) >> 8};
    r += (b[0] | b[1] << 8) + ((char)b[3] << 16) + (short)(b[2] | b[3] << 8);
#endif
    SYNC();
    out[GID] = r;
}
typedef struct {
    int a;
    char b;
    short c;
    float d[3];
    double e;
    uchar f[5];
    long g;
} mixed;
kernel void struct_by_value(global long *out, mixed m, int4 v, char3 w)
{
    uint i = GID;
    out[i] = m.a * (long)i + m.b - m.c + (long)m.d[i % 3] + (long)m.e + m.f[i % 5] + m.g + v.y * v.z + w.z;
}
kernel void many_args(global int *out, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i,
                      double j, char2 k, short4 l, int3 m, long2 n, float4 o, uchar p, int q, global const int *r,
                      uchar s, double t)
{
    uint x = GID;
    out[x] = a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + (int)g * 7 + (int)h * 8 + (int)i * 9 + (int)j * 10 + k.y * 11 +
             l.w * 12 + m.z * 13 + (int)n.y * 14 + (int)o.w * 15 + p * 16 + q * 17 + r[x] * 18 + s * 19 + (int)t * 20;
}
// So many live values that they do not fit in the registers allowed.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
#ifdef GPU
__attribute__((amdgpu_num_vgpr(32), amdgpu_num_sgpr(40)))
#endif
void spills(global const float *in, global float *out, uint n)
{
    float v[48];
    for (uint k = 0; k < 48; k++)
        v[k] = in[GID + k * 64];
    for (uint r = 0; r < n; r++)
        for (uint k = 0; k < 48; k++)
            v[k] = fma(v[k], 0.5f, v[(k * 7 + 1) % 48]);
    for (uint k = 0; k < 48; k++)
        out[GID + k * 64] = v[k];
}
