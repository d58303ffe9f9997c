# A short tinygrad program: copies, kernels, matrix product, reductions, a captured graph, half and double precision.
# With the argument "add" only the first of them.
import sys
import numpy as np
from tinygrad import Tensor, TinyJit, dtypes

rng = np.random.default_rng(1)
def check(name, got, want, rtol=1e-4, atol=1e-5):
    ok = got.shape == want.shape and np.allclose(got, want, rtol=rtol, atol=atol, equal_nan=True)
    print("ok - " + name if ok else f"not ok - {name}: {got.ravel()[:4]} expected {want.ravel()[:4]}", flush=True)

check("add", (Tensor([1, 2, 3]) + 1).numpy(), np.array([2, 3, 4]))
if sys.argv[1:] == ["add"]:
    sys.exit()
a, b = rng.standard_normal((64, 48), np.float32), rng.standard_normal((48, 80), np.float32)
check("matrix product", (Tensor(a) @ Tensor(b)).numpy(), a @ b, atol=1e-4)
x = rng.standard_normal(1000, np.float32)
check("exp and sum", Tensor(x).exp().sum().numpy(), np.exp(x).sum())
angles = np.concatenate([x, np.array([100, -1e4, 3e7], np.float32)])
check("sin", Tensor(angles).sin().numpy(), np.sin(angles), rtol=1e-3, atol=1e-4)
check("softmax", Tensor(x).softmax().numpy(), np.exp(x) / np.exp(x).sum(), rtol=1e-3)
check("half", (Tensor(x.astype(np.float16)) + 1).numpy(), x.astype(np.float16) + np.float16(1), rtol=1e-3)
check("double", Tensor(np.arange(20)).cast(dtypes.float64).sqrt().numpy(), np.sqrt(np.arange(20.0)))
i = rng.integers(1, 1 << 40, 100)
check("long division", (Tensor(i) // Tensor(i[::-1].copy())).numpy(), i // i[::-1])

@TinyJit
def f(t):
    return (t * 2 + 1).relu().sum().realize()
for n in range(5):
    y = rng.standard_normal(200, np.float32)
    r = f(Tensor(y)).numpy()
check("captured graph", r, np.maximum(y * 2 + 1, 0).sum())
