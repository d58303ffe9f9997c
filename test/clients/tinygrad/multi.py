# Two GPUs: copies between them, a sharded sum.
import numpy as np
from tinygrad import Tensor, Device

def check(name, got, want):
    ok = np.allclose(got, want, rtol=1e-4)
    print("ok - " + name if ok else f"not ok - {name}: {got} expected {want}", flush=True)
x = np.arange(256, dtype=np.float32)
one, two = f"{Device.DEFAULT}:0", f"{Device.DEFAULT}:1"
check("copy to the second GPU", (Tensor(x, device=one).realize().to(two) + 1).numpy(), x + 1)
check("and back", ((Tensor(x, device=two) * 2).realize().to(one) + 1).numpy(), 2 * x + 1)
check("sharded sum", Tensor(x).shard((one, two), axis=0).sum().numpy(), x.sum())
