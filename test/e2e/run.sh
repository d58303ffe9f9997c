#!/bin/sh
# nxgpu run and info on the software GPU: every form of argument, the results of real programs, and every wrong input with
# its message and exit status. Kernels are the committed ones (compiled by clang-19, see kernels/).
nxgpu=${NXGPU_O:-o/rel}/nxgpu
export NXGPU_DEVICE=soft:gfx1100
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
say() { # name status
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; bad=1; fi
}
# refuses NAME STATUS TEXT ARG...: nxgpu ends with STATUS and says TEXT on stderr
refuses() {
    name=$1 want=$2 text=$3
    shift 3
    timeout 60 "$nxgpu" "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
    if [ $rc -eq "$want" ] && grep -qF -- "$text" "$tmp/err"; then
        say "$name" 0
    else
        echo "  status $rc, expected $want and: $text"
        sed 's/^/  /' "$tmp/err"
        say "$name" 1
    fi
}
add=kernels/vector_add.gfx1100.hsaco
floats() { od -An -v -tf4 -w4 "$1" | tr -d ' '; }

# ---- what works ----
"$nxgpu" run --kernel vector_add --items 1000 --block 64 $add rand:f32:1000:1 rand:f32:1000:2 out:4000:"$tmp/c" u32:1000
say "vector add runs" $?
[ "$(wc -c <"$tmp/c")" -eq 4000 ]
say "the output has the size asked for" $?
"$nxgpu" run --grid 16 --block 64 $add rand:f32:1000:1 zero:4000 out:4000:"$tmp/a" u32:1000 &&
    "$nxgpu" run --grid 16 --block 64 $add rand:f32:1000:2 zero:4000 out:4000:"$tmp/b" u32:1000 &&
    "$nxgpu" run --grid 16 --block 64 $add in:"$tmp/a" in:"$tmp/b" out:4000:"$tmp/d" u32:1000 && cmp "$tmp/c" "$tmp/d"
say "in: files give what rand: gives" $?
floats "$tmp/a" | awk 'NR == 1 { first = $1 } $1 < 0 || $1 >= 1 { bad = 1 } $1 != first { differ = 1 } END { exit bad || !differ || NR != 1000 }'
say "random floats lie from 0 to 1 and differ" $?
cp "$tmp/a" "$tmp/x"
"$nxgpu" run --grid 16 --block 64 $add in:"$tmp/a" in:"$tmp/a" inout:"$tmp/x":"$tmp/y" u32:500 && cmp "$tmp/x" "$tmp/a" &&
    [ "$(floats "$tmp/y" | tail -500)" = "$(floats "$tmp/x" | tail -500)" ] &&
    [ "$(floats "$tmp/y" | head -1)" != "$(floats "$tmp/x" | head -1)" ]
say "inout: keeps what the kernel leaves" $?
"$nxgpu" run --grid 16 --block 64 $add hex:0000000000000000 zero:4 zero:4 u32:0
say "hex: and u64 stand for an address" $?
"$nxgpu" run --grid 1 --block 64 --repeat 5 --json $add zero:4K zero:4K out:4K:"$tmp/z" u32:64 >"$tmp/json"
if command -v python3 >/dev/null; then
    python3 - "$tmp/json" <<'PY'
import json, sys
j = json.load(open(sys.argv[1]))
k = j["kernel_ms"]
assert j["kernel"] == "vector_add" and j["grid"] == [1, 1, 1] and j["block"] == [64, 1, 1], j
assert j["device"] == "soft:gfx1100" and k["runs"] == 5 and 0 <= k["min"] <= k["median"] <= k["max"] < 60000, j
PY
    say "run --json" $?
    "$nxgpu" info --json | python3 -c 'import json, sys; d = json.load(sys.stdin)["devices"]; assert d[-1]["selector"] == "soft:gfx1100" and d[-1]["usable"]'
    say "info --json" $?
else
    echo "skip - run --json: no python3"
    echo "skip - info --json: no python3"
fi
"$nxgpu" run --items 100 --block 64 --repeat 3 --time $add zero:400 zero:400 zero:400 u32:100 | grep -q 'ms median of 3'
say "run --time" $?
"$nxgpu" info | grep -q '^soft:gfx1100'
say "info" $?
env -u NXGPU_DEVICE "$nxgpu" run --grid 1 --block 1 $add zero:4 zero:4 zero:4 u32:1 2>"$tmp/err"
say "no device named" $?
if [ -e /dev/kfd ]; then echo "skip - the fallback is said aloud: there is a GPU here"; else
    grep -q 'using the software GPU soft:gfx1100' "$tmp/err"
    say "the fallback is said aloud" $?
fi
group=test/corpus/obj/group.hsaco # out[i] = a[63 - l] * 3 + b[l].x - b[l].y, here with all inputs 0
"$nxgpu" run --kernel dynamic_local --grid 2 --block 64 $group zero:512 out:512:"$tmp/l" local:256 local:512 &&
    [ "$(od -An -v -td4 -w4 "$tmp/l" | awk '{ s += ($1 == NR % 64 - 64 + (NR % 64 == 0) * 64) } END { print s }')" = 128 ]
say "local: arguments have their own places" $?
refuses "local: over the limit" 1 "dynamic_local: 66560 bytes of local memory (0 static), at most 65536" run --kernel dynamic_local --grid 2 --block 64 $group zero:512 zero:512 local:64K local:1K

# ---- wrong programs ----
ok="--grid 1 --block 64"
args="zero:256 zero:256 zero:256 u32:64"
yes "this is no program" | head -20 >"$tmp/text"
head -c 1000 $add >"$tmp/cut"
: >"$tmp/empty"
{ head -c 48 $add; printf '\066'; tail -c +50 $add; } >"$tmp/gfx1030"
# shellcheck disable=SC2086
{
    refuses "not an ELF" 1 "not a code object: ELF magic 74686973" run $ok "$tmp/text" $args
    refuses "truncated ELF" 1 "do not fit the image" run $ok "$tmp/cut" $args
    refuses "empty file" 1 "shorter than its header" run $ok "$tmp/empty" $args
    refuses "no file" 1 "no/such.hsaco: No such file" run $ok no/such.hsaco $args
    refuses "a directory" 1 "Is a directory" run $ok kernels $args
    refuses "host program" 1 "ELF for machine" run $ok "$nxgpu" $args
    refuses "wrong target names both" 1 "code object is for gfx1030, the device is gfx1100" run $ok "$tmp/gfx1030" $args
    refuses "missing kernel" 1 'no kernel "mul" in the program, there is: vector_add' run --kernel mul $ok $add $args

    # ---- wrong arguments ----
    refuses "too few arguments" 1 "vector_add takes 4 arguments, 3 given" run $ok $add zero:256 zero:256 zero:256
    refuses "too many arguments" 1 "vector_add takes 4 arguments, 5 given" run $ok $add $args u32:1
    refuses "scalar of another size" 1 "argument 4 is by_value, uint of 4 bytes, given u64:64 of 8 bytes" run $ok $add zero:256 zero:256 zero:256 u64:64
    refuses "scalar of another type" 1 "argument 4 is by_value, uint of 4 bytes, given f32:64" run $ok $add zero:256 zero:256 zero:256 f32:64
    refuses "buffer for a scalar" 1 "argument 4 is by_value, uint of 4 bytes, given zero:4" run $ok $add zero:256 zero:256 zero:256 zero:4
    refuses "scalar for a buffer" 1 "argument 1 is global_buffer, float* of 8 bytes, given f32:1" run $ok $add f32:1 zero:256 zero:256 u32:64
    refuses "local memory for a buffer" 1 "given local:64" run $ok $add local:64 zero:256 zero:256 u32:64
    refuses "value out of range" 2 '"300" is not a value of type u8' run $ok $add u8:300
    refuses "negative unsigned" 2 '"-1" is not a value of type u32' run $ok $add u32:-1
    refuses "no such form" 2 '"thing" is no form of argument' run $ok $add thing:1
    refuses "no colon" 2 "expected FORM:..." run $ok $add 17
    refuses "odd hex" 2 "expected two hexadecimal digits a byte" run $ok $add hex:123
    refuses "zero size" 2 '"0" is not a size' run $ok $add zero:0
    refuses "out without a path" 2 "expected out:SIZE:PATH" run $ok $add out:100
    refuses "rand without a seed" 2 "expected rand:TYPE:COUNT:SEED" run $ok $add rand:f32:10
    refuses "missing input file" 1 "no/file: No such file" run $ok $add in:no/file
    refuses "output that cannot be written" 1 "no/dir/x: No such file" run $ok $add zero:256 zero:256 out:256:no/dir/x u32:64

    # ---- wrong geometry ----
    refuses "zero grid" 1 "grid 0x1x1: every dimension must be at least 1" run --grid 0 --block 64 $add $args
    refuses "zero block" 1 "block 0x1x1: every dimension must be at least 1" run --grid 1 --block 0 $add $args
    refuses "block over the device's limit" 1 "block 2048x1x1 has more than 1024 work-items" run --grid 1 --block 2048 $add $args
    refuses "block over the kernel's limit" 1 "the kernel was compiled for at most 256" run --grid 1 --block 512 $add $args
    refuses "block other than required" 1 "block 8x8x1, the kernel was compiled for exactly 16x16x1" run --grid 1 --block 8,8 kernels/matmul.gfx1100.hsaco zero:1K zero:1K zero:1K u32:16
    refuses "local memory over the limit" 1 "at most 65536" run --shared 70000 $ok $add $args

    # ---- wrong command lines ----
    refuses "no grid" 2 "expected one of --grid and --items, and --block" run --block 1 $add
    refuses "grid and items" 2 "expected one of --grid and --items" run --grid 1 --items 1 --block 1 $add
    refuses "not a grid" 2 "--grid 1,x: expected X, X,Y or X,Y,Z" run --grid 1,x --block 1 $add
    refuses "no file named" 2 "expected a FILE" run $ok
    refuses "unknown option" 2 "usage: nxgpu run" run --frobnicate
    refuses "no such software GPU" 77 "gfx9999" run --device soft:gfx9999 $ok $add $args
    refuses "no such real GPU" 77 "amd:99" run --device amd:99 $ok $add $args
    refuses "malformed selector" 1 "expected amd:NUMBER or soft:TARGET" run --device gpu0 $ok $add $args
    refuses "info with an argument" 2 "usage: nxgpu info" info gfx1100

    # ---- faults ----
    refuses "unmapped access" 1 "memory fault at GPU address 0xdead0000: page not mapped" run $ok $add u64:0xdead0000 zero:256 zero:256 u32:64
    refuses "store to an unmapped address" 1 "memory fault at GPU address 0xbeef0000" run $ok $add zero:256 zero:256 u64:0xbeef0000 u32:64
    grep -q vector_add "$tmp/err" || grep -q 'global_store' "$tmp/err"
    say "the fault names the instruction" $?
}

# ---- a kernel that never ends ----
start=$(date +%s%N)
refuses "infinite loop with a timeout" 1 "mandelbrot has not ended within 1.200 s" run --timeout 1.2 --items 8,8 --block 8,8 kernels/mandelbrot.gfx1100.hsaco zero:256 u32:8 u32:8 f32:0 f32:0 f32:0 u32:4294967295
took=$((($(date +%s%N) - start) / 1000000))
[ $took -ge 1200 ] && [ $took -lt 20000 ]
say "the timeout is kept" $?
grep -q 'mandelbrot is running, run 1 of 1, 1 s' "$tmp/err"
say "progress is shown after a second" $?

# ---- offload bundles ----
if command -v clang-offload-bundler-19 >/dev/null; then
    : >"$tmp/host"
    bundle() { # OUTPUT OPTION...
        out=$1
        shift
        clang-offload-bundler-19 -type=o "$@" \
            -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1030,hipv4-amdgcn-amd-amdhsa--gfx1100 \
            -input="$tmp/host" -input="$tmp/gfx1030" -input=$add -output="$out"
    }
    run_bundle() {
        "$nxgpu" run --kernel vector_add --items 1000 --block 64 "$1" rand:f32:1000:1 rand:f32:1000:2 \
            out:4000:"$tmp/e" u32:1000 && cmp "$tmp/c" "$tmp/e"
    }
    bundle "$tmp/plain" && run_bundle "$tmp/plain"
    say "offload bundle" $?
    for v in 2 3; do
        if COMPRESSED_BUNDLE_FORMAT_VERSION=$v bundle "$tmp/packed" -compress 2>"$tmp/err" &&
            [ "$(head -c 4 "$tmp/packed")" = CCOB ]; then
            run_bundle "$tmp/packed" 2>"$tmp/err"
            rc=$?
            if grep -q 'is not installed' "$tmp/err"; then
                echo "skip - compressed bundle, version $v asked for: $(cat "$tmp/err")"
            else
                say "compressed bundle, version $v asked for" $rc
            fi
        else
            echo "skip - compressed bundle, version $v asked for: the bundler does not compress"
        fi
    done
    clang-offload-bundler-19 -type=o -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx1030 \
        -input="$tmp/host" -input="$tmp/gfx1030" -output="$tmp/other"
    refuses "bundle without our target" 1 "offload bundle has nothing for gfx1100, it has: hipv4-amdgcn-amd-amdhsa--gfx1030" \
        run --grid 1 --block 64 "$tmp/other" zero:256 zero:256 zero:256 u32:64
else
    echo "skip - offload bundles: no clang-offload-bundler-19"
fi
exit $bad
