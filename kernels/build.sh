#!/bin/sh
# make kernels: rebuilds every committed gfx1100 code object from its OpenCL C source with clang-19, and lists
# nothing when all is well. By hand only: the build of nxgpu itself uses the committed objects.
#     kernels/build.sh [OUTDIR]      OUTDIR: put the objects there instead of beside their sources
# Needs clang-19, lld-19, clang-offload-bundler-19 (Debian llvm-19) and rocm-device-libs. Its bitcode
# folder of 5.2.3 lacks what newer targets need, so a copy with the missing constants is made in a temporary folder.
set -e
cd "$(dirname "$0")/.."
lib=${ROCM_BITCODE:-/usr/lib/x86_64-linux-gnu/amdgcn/bitcode}
[ -f "$lib/ocml.bc" ] || { echo "no ocml.bc in $lib: install rocm-device-libs or set ROCM_BITCODE" >&2; exit 1; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ln -s "$lib"/*.bc "$tmp"
constant() { # FILE SYMBOL VALUE
    rm -f "$tmp/$1.bc"
    echo "constant const int $2 = $3;" |
        clang-19 -x cl -target amdgcn-amd-amdhsa -nogpulib -emit-llvm -c -o "$tmp/$1.bc" -
}
constant oclc_isa_version_1100 __oclc_ISA_version 11000
constant oclc_isa_version_11-generic __oclc_ISA_version 11000
constant oclc_abi_version_600 __oclc_ABI_version 600
out=$1
compile() { # SOURCE OBJECT OPTION...
    src=$1 obj=${out:+$out/}$2
    shift 2
    mkdir -p "$(dirname "$obj")"
    clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -O2 -mcode-object-version=5 \
        --rocm-device-lib-path="$tmp" -Wl,-s "$@" -o "$obj" "$src"
}
for k in vector_add matmul mandelbrot; do
    compile kernels/$k.cl kernels/$k.gfx1100.hsaco
done
