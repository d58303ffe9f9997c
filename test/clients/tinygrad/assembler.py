# A pytest plugin for tinygrad's instruction tests: its HIP compiler, used there only to assemble, becomes clang-19.
import subprocess, tempfile, os
import tinygrad.runtime.support.compiler_amd as amd

class Assembler:
    def __init__(self, arch, *a):
        self.arch = arch
    def compile(self, src):
        with tempfile.TemporaryDirectory() as d:
            s, o = os.path.join(d, "x.s"), os.path.join(d, "x.co")
            open(s, "w").write(src)
            subprocess.run(["clang-19", "-w", "-x", "assembler", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + self.arch, s, "-o", o],
                           check=True)
            return open(o, "rb").read()
amd.HIPCompiler = Assembler
