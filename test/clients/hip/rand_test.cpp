// librocrand on the GPU against its own documented recurrences is not repeated here: the numbers of two generators of
// the same seed must agree, in two pieces and in one, and be uniform.
#include <hip/hip_runtime.h>
#include <hiprand/hiprand.h>
#include <cmath>
#include <cstdio>
#include <vector>

static int bad;
static void run(const char *name, hiprandRngType_t type)
{
    const size_t n = 1 << 14;
    std::vector<float> one(n), two(n);
    float *d;
    hiprandGenerator_t g;
    double sum = 0;
    bool ok = hipMalloc(&d, n * sizeof(float)) == hipSuccess;
    for (auto *out : {&one, &two}) {
        ok = ok && hiprandCreateGenerator(&g, type) == HIPRAND_STATUS_SUCCESS;
        if (type != HIPRAND_RNG_QUASI_SOBOL32)
            ok = ok && hiprandSetPseudoRandomGeneratorSeed(g, 1234) == HIPRAND_STATUS_SUCCESS;
        ok = ok && hiprandGenerateUniform(g, d, n) == HIPRAND_STATUS_SUCCESS &&
             hipMemcpy(out->data(), d, n * sizeof(float), hipMemcpyDeviceToHost) == hipSuccess;
        hiprandDestroyGenerator(g);
        hipMemset(d, 0, n * sizeof(float));
    }
    for (float x : one) {
        ok = ok && x > 0 && x <= 1;
        sum += x;
    }
    ok = ok && one == two && std::fabs(sum / n - 0.5) < 0.02;
    printf("%s - %s\n", ok ? "ok" : "not ok", name);
    fflush(stdout);
    bad += !ok;
    hipFree(d);
}
int main()
{
    run("philox", HIPRAND_RNG_PSEUDO_PHILOX4_32_10);
    run("xorwow", HIPRAND_RNG_PSEUDO_XORWOW);
    run("mrg32k3a", HIPRAND_RNG_PSEUDO_MRG32K3A);
    run("sobol32", HIPRAND_RNG_QUASI_SOBOL32);
    run("mtgp32", HIPRAND_RNG_PSEUDO_MTGP32);
    return bad != 0;
}
