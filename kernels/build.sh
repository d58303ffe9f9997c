#!/bin/sh
# make kernels: rebuilds every committed gfx1100 code object from its OpenCL C source with clang-19: the demos here and
# the test corpus (table test/corpus/objects). By hand only: the build of nxgpu itself uses the committed objects.
#     kernels/build.sh [NAME...]      NAME: only these demos or corpus objects
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
        clang-19 -x cl -target amdgcn-amd-amdhsa -nogpulib -Xclang -mcode-object-version=none -emit-llvm -c -o "$tmp/$1.bc" -
}
constant oclc_isa_version_1100 __oclc_ISA_version 11000
constant oclc_isa_version_11-generic __oclc_ISA_version 11000
constant oclc_abi_version_600 __oclc_ABI_version 600
wanted() { # NAME, then the script's arguments
    name=$1
    shift
    [ $# -eq 0 ] || case " $* " in *" $name "*) ;; *) return 1 ;; esac
}
compile() { # SOURCE OBJECT OPTION...
    src=$1 obj=$2
    shift 2
    clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -O2 -mcode-object-version=5 \
        --rocm-device-lib-path="$tmp" -Wl,-s "$@" -o "$tmp/object" "$src"
    mkdir -p "$(dirname "$obj")"
    install -m 644 "$tmp/object" "$obj"
}
for k in vector_add matmul mandelbrot; do
    wanted $k "$@" && compile kernels/$k.cl kernels/$k.gfx1100.hsaco
done
while read -r object source options; do
    case $object in '#'* | '') continue ;; esac
    wanted "$object" "$@" || continue
    # shellcheck disable=SC2086 # options are words
    compile "test/corpus/$source" "test/corpus/obj/$object.hsaco" $options
done <test/corpus/objects
# One source for two targets in an offload bundle, plain and compressed (CCOB).
if wanted ids_bundle "$@"; then
    o=test/corpus/obj
    compile test/corpus/ids.cl "$tmp/gfx1030" -mcpu=gfx1030
    for how in bundle ccob; do
        compress=
        [ $how = ccob ] && compress=-compress
        clang-offload-bundler-19 -type=o $compress -bundle-align=4096 -input=/dev/null -input="$tmp/gfx1030" \
            -input=$o/ids.hsaco -output=$o/ids_$how.hsaco \
            -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1030,hipv4-amdgcn-amd-amdhsa--gfx1100
    done
fi
# clang-19 no longer writes code object version 3; clang-15 does, where installed.
if wanted ids_v3 "$@" && command -v clang-15 >/dev/null; then
    echo "constant const int __oclc_ISA_version = 11000;" |
        clang-15 -x cl -target amdgcn-amd-amdhsa -nogpulib -Xclang -mcode-object-version=none -emit-llvm -c \
            -o "$tmp/oclc_isa_version_1100.bc" -
    clang-15 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1100 -O2 -mcode-object-version=3 \
        --rocm-device-lib-path="$tmp" -c -o "$tmp/object" test/corpus/ids.cl
    ld.lld-19 -shared -s -o "$tmp/v3" "$tmp/object"
    install -m 644 "$tmp/v3" test/corpus/obj/ids_v3.hsaco
fi
