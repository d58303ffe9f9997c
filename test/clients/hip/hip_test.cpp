// A HIP program of no project's: vector add, shared-memory reduction, streams and events, asynchronous copies, atomics,
// device functions, error paths. Knows nothing of nxgpu.
#include <hip/hip_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int bad;
static void say(const char *name, bool ok)
{
    printf("%s - %s\n", ok ? "ok" : "not ok", name);
    fflush(stdout);
    bad += !ok;
}
#define MUST(call)                                                                                           \
    do {                                                                                                     \
        hipError_t e_ = (call);                                                                              \
        if (e_ != hipSuccess) {                                                                              \
            printf("not ok - %s: %s\n", #call, hipGetErrorString(e_));                                       \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
__global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (!threadIdx.x)
        atomicAdd(out, part[0]);
}
__global__ void histogram(const unsigned char *in, unsigned *bins, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1u);
}
__global__ void transpose(const float *in, float *out, int w, int h)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < w && y < h)
        tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w)
        out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void scale(float *x, float f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= f;
}
__global__ void functions(const double *in, double *out, float *outf, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = sqrt(in[i]) / (1.0 + in[i]) + exp(-in[i]);
    outf[i] = sinf((float)in[i]) * logf(1.0f + (float)in[i]);
}
__global__ void shuffles(int *out)
{
    int v = threadIdx.x;
    for (int d = warpSize / 2; d; d /= 2)
        v += __shfl_xor(v, d);
    out[threadIdx.x] = v;
}

__device__ __attribute__((noinline)) int weigh(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * (i + 1);
    return s;
}
__global__ void private_array(int *out)
{
    int a[64], t = threadIdx.x;
    for (int i = 0; i < 64; i++)
        a[i] = i * t;
    out[t] = weigh(a, 64) + weigh(a + 32, 20);
}

int main()
{
    int devices = 0;
    MUST(hipGetDeviceCount(&devices));
    hipDeviceProp_t prop;
    MUST(hipGetDeviceProperties(&prop, 0));
    say("device properties", devices > 0 && prop.multiProcessorCount > 0 && !strncmp(prop.gcnArchName, "gfx", 3));

    const int n = 100000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++)
        a[i] = i * 0.5f, b[i] = 1000 - i;
    float *da, *db, *dc;
    MUST(hipMalloc(&da, n * 4));
    MUST(hipMalloc(&db, n * 4));
    MUST(hipMalloc(&dc, n * 4));
    MUST(hipMemcpy(da, a.data(), n * 4, hipMemcpyHostToDevice));
    MUST(hipMemcpy(db, b.data(), n * 4, hipMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    MUST(hipGetLastError());
    MUST(hipMemcpy(c.data(), dc, n * 4, hipMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok &= c[i] == a[i] + b[i];
    say("vector add", ok);

    std::vector<int> v(n);
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i] = i % 77;
    int *dv = (int *)db, *dsum, got = 0;
    MUST(hipMalloc(&dsum, 4));
    MUST(hipMemset(dsum, 0, 4));
    MUST(hipMemcpy(dv, v.data(), n * 4, hipMemcpyHostToDevice));
    reduce<<<(n + 255) / 256, 256>>>(dv, dsum, n);
    MUST(hipMemcpy(&got, dsum, 4, hipMemcpyDeviceToHost));
    say("shared-memory reduction", got == sum);

    std::vector<unsigned char> bytes(n);
    unsigned want[256] = {}, bins[256];
    for (int i = 0; i < n; i++)
        want[bytes[i] = (unsigned char)(i * 7 + i / 13)]++;
    unsigned *dbins;
    MUST(hipMalloc(&dbins, sizeof bins));
    MUST(hipMemset(dbins, 0, sizeof bins));
    MUST(hipMemcpy(da, bytes.data(), n, hipMemcpyHostToDevice));
    histogram<<<8, 128>>>((unsigned char *)da, dbins, n);
    MUST(hipMemcpy(bins, dbins, sizeof bins, hipMemcpyDeviceToHost));
    say("atomics", !memcmp(bins, want, sizeof bins));

    const int w = 100, h = 50;
    MUST(hipMemcpy(da, a.data(), w * h * 4, hipMemcpyHostToDevice));
    transpose<<<dim3(7, 7), dim3(16, 16)>>>(da, dc, w, h);
    MUST(hipMemcpy(c.data(), dc, w * h * 4, hipMemcpyDeviceToHost));
    ok = true;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            ok &= c[x * h + y] == a[y * w + x];
    say("two-dimensional groups", ok);

    hipStream_t s[2];
    hipEvent_t e, start, stop;
    float *pinned, ms = -1;
    for (auto &x : s)
        MUST(hipStreamCreate(&x));
    MUST(hipEventCreate(&e));
    MUST(hipEventCreate(&start));
    MUST(hipEventCreate(&stop));
    MUST(hipHostMalloc(&pinned, n * 4));
    for (int i = 0; i < n; i++)
        pinned[i] = i;
    MUST(hipEventRecord(start, s[0]));
    MUST(hipMemcpyAsync(da, pinned, n * 4, hipMemcpyHostToDevice, s[0]));
    scale<<<(n + 63) / 64, 64, 0, s[0]>>>(da, 2, n);
    MUST(hipEventRecord(e, s[0]));
    MUST(hipStreamWaitEvent(s[1], e, 0));
    scale<<<(n + 63) / 64, 64, 0, s[1]>>>(da, 3, n);
    MUST(hipMemcpyAsync(pinned, da, n * 4, hipMemcpyDeviceToHost, s[1]));
    MUST(hipStreamSynchronize(s[1]));
    MUST(hipEventRecord(stop, s[0]));
    MUST(hipEventSynchronize(stop));
    ok = true;
    for (int i = 0; i < n; i++)
        ok &= pinned[i] == i * 6.0f;
    say("streams, events, asynchronous copies", ok);
    say("elapsed time", hipEventElapsedTime(&ms, start, stop) == hipSuccess && ms >= 0);

    const int m = 1000;
    std::vector<double> x(m), y(m);
    std::vector<float> yf(m);
    for (int i = 0; i < m; i++)
        x[i] = i * 0.01;
    double *dx, *dy;
    MUST(hipMalloc(&dx, m * 8));
    MUST(hipMalloc(&dy, m * 8));
    MUST(hipMemcpy(dx, x.data(), m * 8, hipMemcpyHostToDevice));
    functions<<<(m + 63) / 64, 64>>>(dx, dy, dc, m);
    MUST(hipMemcpy(y.data(), dy, m * 8, hipMemcpyDeviceToHost));
    MUST(hipMemcpy(yf.data(), dc, m * 4, hipMemcpyDeviceToHost));
    ok = true;
    for (int i = 0; i < m; i++)
        ok &= fabs(y[i] - (sqrt(x[i]) / (1 + x[i]) + exp(-x[i]))) < 1e-12 &&
              fabsf(yf[i] - sinf((float)x[i]) * logf(1 + (float)x[i])) < 2e-5f;
    say("device functions", ok);

    shuffles<<<1, prop.warpSize>>>(dv);
    MUST(hipMemcpy(v.data(), dv, prop.warpSize * 4, hipMemcpyDeviceToHost));
    ok = true;
    for (int i = 0; i < prop.warpSize; i++)
        ok &= v[i] == prop.warpSize * (prop.warpSize - 1) / 2;
    say("shuffles", ok);

    private_array<<<1, 64>>>(dv);
    MUST(hipMemcpy(v.data(), dv, 64 * 4, hipMemcpyDeviceToHost));
    ok = true;
    for (int t = 0; t < 64; t++) {
        int weight = 0;
        for (int i = 0; i < 64; i++)
            weight += i * t * (i + 1);
        for (int i = 0; i < 20; i++)
            weight += (i + 32) * t * (i + 1);
        ok &= v[t] == weight;
    }
    say("private arrays, called functions", ok);

    say("errors", hipMalloc((void **)&dx, (size_t)1 << 50) == hipErrorOutOfMemory && hipSetDevice(99) == hipErrorInvalidDevice &&
                      hipMemcpy(da, nullptr, 16, hipMemcpyHostToDevice) != hipSuccess);
    hipGetLastError();
    add<<<1, 2048>>>(da, db, dc, n);
    say("too large a group", hipGetLastError() != hipSuccess);
    return bad != 0;
}
