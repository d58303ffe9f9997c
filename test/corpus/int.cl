// Integer operations in every type, and in vectors. Rows of results, one row an operation.
#include "corpus.clh"
// Division guards what C leaves undefined (x / 0, MIN / -1). abs_diff: rocm-device-libs 5.2.3 subtracts as if that could
// not overflow, so its operands are halved.
#define INT(T, U, BITS)                                                                                      \
    kernel void arith_##T(global const T *pa, global const T *pb, global T *out, uint n)                     \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T a = pa[i], b = pb[i], d = b == 0 || b == (T)-1 ? (T)7 : b;                                         \
        PUT((T)((U)a + (U)b));                                                                               \
        PUT((T)((U)a - (U)b));                                                                               \
        PUT((T)((ulong)a * (ulong)b));                                                                       \
        PUT(a / d);                                                                                          \
        PUT(a % d);                                                                                          \
        PUT((T)(0 - (ulong)a));                                                                              \
        PUT(a < b ? a : (T)~b);                                                                              \
        PUT(min(a, b));                                                                                      \
        PUT(max(a, b));                                                                                      \
        PUT((T)abs(a));                                                                                      \
        PUT((T)abs_diff((T)(a >> 1), (T)(b >> 1)));                                                          \
        PUT(clamp(a, (T)3, (T)100));                                                                         \
    }                                                                                                        \
    kernel void bits_##T(global const T *pa, global const T *pb, global T *out, uint n)                      \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T a = pa[i], b = pb[i];                                                                              \
        uint s = (uint)b & (BITS - 1);                                                                       \
        PUT(a & b);                                                                                          \
        PUT(a | b);                                                                                          \
        PUT(a ^ b);                                                                                          \
        PUT((T)~a);                                                                                          \
        PUT((T)((U)a << s));                                                                                 \
        PUT((T)(a >> s));                                                                                    \
        PUT((T)((U)a >> s));                                                                                 \
        PUT(rotate(a, b));                                                                                   \
        PUT(clz(a));                                                                                         \
        PUT(popcount(a));                                                                                    \
        PUT(bitselect(a, b, (T)0x5a));                                                                       \
        PUT((T)((a >> 3) & 15));                                                                             \
        PUT((T)(a ^ b | (T)(a & ~b)));                                                                       \
    }                                                                                                        \
    kernel void sat_##T(global const T *pa, global const T *pb, global T *out, uint n)                       \
    {                                                                                                        \
        uint i = GID, row = 0;                                                                               \
        T a = pa[i], b = pb[i], c = (T)(a ^ (b >> 1));                                                       \
        PUT(add_sat(a, b));                                                                                  \
        PUT(sub_sat(a, b));                                                                                  \
        PUT(hadd(a, b));                                                                                     \
        PUT(rhadd(a, b));                                                                                    \
        PUT(mul_hi(a, b));                                                                                   \
        PUT(mad_hi(a, b, c));                                                                                \
        PUT(mad_sat(a, b, c));                                                                               \
    }
INT(short, ushort, 16)
INT(long, ulong, 64)
#ifndef FEW
INT(char, uchar, 8)
INT(uchar, uchar, 8)
INT(ushort, ushort, 16)
INT(int, uint, 32)
INT(uint, uint, 32)
INT(ulong, ulong, 64)
#endif

kernel void int_special(global const int *pa, global const int *pb, global int *out, uint n)
{
    uint i = GID, row = 0;
    int a = pa[i], b = pb[i], a24 = a << 8 >> 8, b24 = b << 8 >> 8;
    PUT(mul24(a24, b24));
    PUT(mad24(a24, b24, a));
    PUT(mul24((uint)a & 0xffffff, (uint)b & 0xffffff));
    PUT(mad24((uint)a & 0xffffff, (uint)b & 0xffffff, (uint)b));
    PUT(upsample((short)a, (ushort)b));
    PUT((int)upsample((ushort)b, (ushort)a));
    PUT(upsample((char)a, (uchar)b));
    PUT((int)(upsample(a, (uint)b) >> 5));
    PUT(a ? 31 - clz(a & -a) : 32);        // count trailing zeros
    PUT((int)(((long)a * b) >> 13));
    PUT((int)(((ulong)(uint)a * (uint)b) >> 32));
    PUT((a + b) << 2);
    PUT((a << 4) + b);
    PUT((a & b) | 0x10);
    PUT(a + b + 0x1234567);
    PUT((a ^ b) + i);
    PUT(max(min(a, b), (int)i));           // med3 and friends
    PUT(max(max(a, b), 5));
    PUT(min(min(a, b), 5));
    PUT((int)((((uint)a >> 5) & 0x7f) | ((uint)b << 9)));
    PUT((a << 3 >> 20) + (b << 7 >> 27));  // signed field extracts
    PUT((int)(((ulong)(uint)a << 32 | (uint)b) >> (i & 31))); // align bits
    PUT((a & 0xff) + ((a >> 8) & 0xff) + (b & 0xff) + (b >> 24));
}

// A constant divisor turns into multiplications; a variable 64-bit one into a long expansion.
kernel void div_const(global const int *pa, global const uint *pb, global int *out, uint n)
{
    uint i = GID, row = 0;
    int a = pa[i];
    uint b = pb[i];
    PUT(a / 3);
    PUT(a % 10);
    PUT((int)(b / 7));
    PUT((int)(b % 1000000007));
    PUT(a / -641);
    PUT((int)(((long)a * 1000003) / 12345));
    PUT((int)(((ulong)b << 20) / 999));
    PUT(a / 16);
    PUT((int)(ushort)b / 11 + (uchar)a % 5);
}

#ifndef FEW
#define IVEC(T, N)                                                                                           \
    kernel void vec_##T##N(global const T *pa, global const T *pb, global T *po)                             \
    {                                                                                                        \
        uint i = GID;                                                                                        \
        T##N a = vload##N(i, pa), b = vload##N(i, pb);                                                       \
        T##N c = (a + b) ^ (a * b);                                                                          \
        c = (a > b) ? c - a : c + (b >> (T)1);                                                               \
        c = max(c, min(a, b));                                                                               \
        c.s0 = a.s1;                                                                                         \
        c.s1 = any(a == b) ? (T)1 : c.s1;                                                                    \
        vstore##N(c, i, po);                                                                                 \
    }
IVEC(char, 2)
IVEC(char, 4)
IVEC(char, 16)
IVEC(short, 2)
IVEC(short, 8)
IVEC(int, 2)
IVEC(int, 3)
IVEC(int, 4)
IVEC(int, 16)
IVEC(long, 2)
IVEC(long, 4)

kernel void shuffles(global const uchar *pa, global const uchar *pm, global uchar *po)
{
    uint i = GID;
    uchar16 a = vload16(i, pa), m = vload16(i, pm);
    uchar16 r = shuffle(a, m) + a.s76543210fedcba98 + shuffle2(a.lo, a.hi, m);
    r.even = r.odd + a.even;
    vstore16(r, i, po);
}
#endif
