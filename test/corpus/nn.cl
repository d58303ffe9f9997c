// Pieces of neural networks: softmax, layer norm, GELU, attention, convolution, top-k.
#include "corpus.clh"
#define G 128
static float group_sum(local float *t, float v)
{
    t[LID] = v;
    for (uint s = G / 2; s; s >>= 1) {
        SYNC();
        if (LID < s)
            t[LID] += t[LID + s];
    }
    SYNC();
    float r = t[0];
    SYNC();
    return r;
}
static float group_max(local float *t, float v)
{
    t[LID] = v;
    for (uint s = G / 2; s; s >>= 1) {
        SYNC();
        if (LID < s)
            t[LID] = fmax(t[LID], t[LID + s]);
    }
    SYNC();
    float r = t[0];
    SYNC();
    return r;
}
// A row a group.
kernel void softmax(global const float *in, global float *out, uint w)
{
    local float t[G];
    global const float *x = in + get_group_id(0) * w;
    global float *y = out + get_group_id(0) * w;
    float m = -INFINITY, s = 0;
    for (uint i = LID; i < w; i += G)
        m = fmax(m, x[i]);
    m = group_max(t, m);
    for (uint i = LID; i < w; i += G)
        s += exp(x[i] - m);
    s = group_sum(t, s);
    for (uint i = LID; i < w; i += G)
        y[i] = exp(x[i] - m) / s;
}
kernel void layernorm(global const float *in, global const float *g, global const float *b, global float *out, uint w)
{
    local float t[G];
    global const float *x = in + get_group_id(0) * w;
    float s = 0, q = 0;
    for (uint i = LID; i < w; i += G)
        s += x[i];
    float mean = group_sum(t, s) / w;
    for (uint i = LID; i < w; i += G)
        q += (x[i] - mean) * (x[i] - mean);
    float inv = rsqrt(group_sum(t, q) / w + 1e-5f);
    for (uint i = LID; i < w; i += G)
        out[get_group_id(0) * w + i] = (x[i] - mean) * inv * g[i] + b[i];
}
kernel void gelu(global const float *in, global float *out)
{
    float x = in[GID];
    out[GID] = 0.5f * x * (1 + tanh(0.7978845608f * (x + 0.044715f * x * x * x))) + 0.001f * x * (1 + erf(x));
}
// One query a work-item, streaming over the keys (online softmax), head size 16.
kernel void attention(global const float *q, global const float *k, global const float *v, global float *o, uint n)
{
    uint i = GID;
    float acc[16], qi[16], m = -INFINITY, s = 0;
    for (uint d = 0; d < 16; d++)
        acc[d] = 0, qi[d] = q[i * 16 + d] * 0.25f;
    for (uint j = 0; j <= i && j < n; j++) {
        float dot = 0;
        for (uint d = 0; d < 16; d++)
            dot = fma(qi[d], k[j * 16 + d], dot);
        float mn = fmax(m, dot), scale = exp(m - mn), p = exp(dot - mn);
        s = s * scale + p;
        for (uint d = 0; d < 16; d++)
            acc[d] = acc[d] * scale + p * v[j * 16 + d];
        m = mn;
    }
    for (uint d = 0; d < 16; d++)
        o[i * 16 + d] = acc[d] / s;
}
kernel void conv3x3(global const float *in, constant float *w, global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float s = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int sx = x + dx, sy = y + dy;
            if (sx >= 0 && sx < width && sy >= 0 && sy < height)
                s = fma(in[sy * width + sx], w[(dy + 1) * 3 + dx + 1], s);
        }
    out[y * width + x] = s > 0 ? s : s * 0.125f;
}
// Quantise to signed bytes with one scale a row, and back.
kernel void quantise(global const float *in, global char *q, global float *scale, uint w)
{
    local float t[G];
    uint row = get_group_id(0);
    float m = 0;
    for (uint i = LID; i < w; i += G)
        m = fmax(m, fabs(in[row * w + i]));
    m = group_max(t, m);
    for (uint i = LID; i < w; i += G)
        q[row * w + i] = convert_char_sat_rte(in[row * w + i] * 64.0f);
    if (LID == 0)
        scale[row] = m;
}
// Fractals and colours: float to packed bytes.
kernel void julia(global uchar4 *out, uint w, float cx, float cy)
{
    uint px = get_global_id(0), py = get_global_id(1), n = 0;
    float x = (px - 16.0f) * 0.1f, y = (py - 12.0f) * 0.1f;
    for (; n < 200 && x * x + y * y < 4; n++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    out[py * w + px] = (uchar4)(n, n * 7, n >> 3, 255);
}
