// Integer-heavy kernels: hashes, checksums, random numbers, big numbers.
#include "corpus.clh"
constant uint K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROR(x, n) rotate(x, (uint)(32 - (n)))
// SHA-256 of one 55-byte message a work-item.
kernel void sha256(global const uchar *in, global uint *out)
{
    uint w[64], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    global const uchar *m = in + GID * 55;
    for (int i = 0; i < 14; i++)
        w[i] = (uint)m[4 * i] << 24 | (uint)m[4 * i + 1] << 16 | (uint)m[4 * i + 2] << 8 | (i < 13 ? m[4 * i + 3] : 0x80);
    w[14] = 0;
    w[15] = 55 * 8;
    for (int i = 16; i < 64; i++) {
        uint a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (ROR(a, 7) ^ ROR(a, 18) ^ a >> 3) + (ROR(b, 17) ^ ROR(b, 19) ^ b >> 10);
    }
    uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
    for (int i = 0; i < 64; i++) {
        uint t1 = k + (ROR(e, 6) ^ ROR(e, 11) ^ ROR(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
        uint t2 = (ROR(a, 2) ^ ROR(a, 13) ^ ROR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        k = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    global uint *o = out + GID * 8;
    o[0] = h[0] + a, o[1] = h[1] + b, o[2] = h[2] + c, o[3] = h[3] + d;
    o[4] = h[4] + e, o[5] = h[5] + f, o[6] = h[6] + g, o[7] = h[7] + k;
}
// CRC-32 over `len` bytes a work-item, its table built in local memory.
kernel void crc32(global const uchar *in, global uint *out, uint len)
{
    local uint table[256];
    for (uint i = LID; i < 256; i += get_local_size(0)) {
        uint c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    SYNC();
    uint c = ~0u;
    for (uint i = 0; i < len; i++)
        c = table[(c ^ in[GID * len + i]) & 255] ^ c >> 8;
    out[GID] = ~c;
}
kernel void philox(global uint4 *out, uint k0, uint k1)
{
    uint4 c = (uint4)(GID, 0, 7, 9);
    for (int r = 0; r < 10; r++) {
        uint l0 = 0xd2511f53 * c.x, h0 = mul_hi(0xd2511f53u, c.x), l1 = 0xcd9e8d57 * c.z, h1 = mul_hi(0xcd9e8d57u, c.z);
        c = (uint4)(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
        k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
    out[GID] = c;
}
kernel void xoshiro(global ulong *out, ulong seed)
{
    ulong s[4], z = seed + GID;
    for (int i = 0; i < 4; i++) { // splitmix64
        ulong x = z += 0x9e3779b97f4a7c15ul;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ul;
        x = (x ^ x >> 27) * 0x94d049bb133111ebul;
        s[i] = x ^ x >> 31;
    }
    ulong r = 0;
    for (int i = 0; i < 20; i++) {
        r = rotate(s[1] * 5, 7ul) * 9;
        ulong t = s[1] << 17;
        s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t;
        s[3] = rotate(s[3], 45ul);
    }
    out[GID] = r;
}
kernel void murmur(global const uint *in, global uint *out, uint words)
{
    uint h = GID;
    for (uint i = 0; i < words; i++) {
        uint k = in[GID * words + i] * 0xcc9e2d51u;
        k = rotate(k, 15u) * 0x1b873593u;
        h = rotate(h ^ k, 13u) * 5 + 0xe6546b64u;
    }
    h ^= h >> 16, h *= 0x85ebca6b, h ^= h >> 13, h *= 0xc2b2ae35;
    out[GID] = h ^ h >> 16;
}
// 256-bit product of two 128-bit numbers, and 64-bit modular powers: carries and long multiplies.
kernel void bignum(global const ulong2 *pa, global const ulong2 *pb, global ulong4 *out)
{
    ulong2 a = pa[GID], b = pb[GID];
    ulong4 r;
    r.s0 = a.x * b.x;
    ulong h = mul_hi(a.x, b.x), m1 = a.x * b.y, m2 = a.y * b.x, c = 0;
    h += m1, c += h < m1;
    h += m2, c += h < m2;
    r.s1 = h;
    ulong t = mul_hi(a.x, b.y), u = mul_hi(a.y, b.x), v = a.y * b.y, d = 0;
    t += u, d += t < u;
    t += v, d += t < v;
    t += c, d += t < c;
    r.s2 = t;
    r.s3 = mul_hi(a.y, b.y) + d;
    out[GID] = r;
}
kernel void modpow(global const uint *base, global uint *out, uint e, uint m)
{
    ulong b = base[GID] % m, r = 1;
    for (uint k = e; k; k >>= 1) {
        if (k & 1)
            r = r * b % m;
        b = b * b % m;
    }
    out[GID] = r;
}
kernel void collatz(global const uint *in, global uint *out)
{
    ulong v = in[GID];
    uint n = 0;
    while (v > 1 && n < 300)
        v = v & 1 ? 3 * v + 1 : v >> 1, n++;
    out[GID] = n;
}
kernel void sieve(global uint *out)
{
    uint v = GID * 2 + 1, prime = v > 1;
    for (uint d = 3; d * d <= v; d += 2)
        if (v % d == 0) {
            prime = 0;
            break;
        }
    out[GID] = prime ? v : 0;
}
kernel void levenshtein(global const uchar *a, global const uchar *b, global uint *out)
{
    uchar row[17];
    for (uint j = 0; j <= 16; j++)
        row[j] = j;
    for (uint i = 0; i < 16; i++) {
        uint diag = row[0];
        row[0] = i + 1;
        for (uint j = 0; j < 16; j++) {
            uint up = row[j + 1], cost = a[GID * 16 + i] % 3 != b[GID * 16 + j] % 3;
            row[j + 1] = min(min(up, (uint)row[j]) + 1, diag + cost);
            diag = up;
        }
    }
    out[GID] = row[16];
}
