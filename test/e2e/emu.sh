#!/bin/sh
# Unmodified programs on the software GPU: what is installed of rocminfo and tinygrad (.ci/run installs them). The
# device files themselves are tested by test/unit/emu.c.
nxgpu=${NXGPU_O:-o/rel}/nxgpu
if nm -D "${NXGPU_O:-o/rel}/libnxgpu-emu.so" | grep -q '__[at]san_init'; then
    echo "skip - emu: a library built with a sanitizer cannot be preloaded"
    exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
say() { # name ok?
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; bad=1; fi
}
emu() { gpu=$1; shift; timeout 60 "$nxgpu" emu --gpu "$gpu" -- "$@" >"$tmp/out" 2>&1; }

# the launcher's own answers
"$nxgpu" emu >/dev/null 2>&1; say "usage" $(($? != 2))
emu gfx1100 sh -c 'exit 7'; say "exit status" $(($? != 7))
emu gfx1100 sh -c 'kill -9 $$'; say "status of a killed program" $(($? != 137))
emu gfx9999 true; say "unknown chip" $(($? != 1))
grep -q 'gfx9999' "$tmp/out"; say "unknown chip named" $?
emu gfx1100,gfx906 sh -c 'cat /sys/class/kfd/kfd/topology/nodes/2/name; ls /dev/dri; test -c /dev/kfd && stat -c %t:%T /dev/dri/renderD129'
printf 'vega20\nrenderD128\nrenderD129\ne2:81\n' | cmp -s - "$tmp/out"; say "files and nodes" $?
emu gfx1100 sh -c 'echo $NXGPU_EMU_ROOT'
test ! -e "$(cat "$tmp/out")"; say "nothing stays behind" $?

if command -v rocminfo >/dev/null; then
    for g in gfx906 gfx90a gfx1030; do
        emu $g rocminfo && grep -q "Name: *$g " "$tmp/out" && grep -q '^\*\*\* Done' "$tmp/out"
        say "rocminfo $g" $?
    done
else
    echo "skip - rocminfo: not installed"
fi

# our own runtime through the kernel's door instead of its own port
emu gfx1100 env NXGPU_DEVICE=amd:0 "$nxgpu" demo
say "nxgpu demo as a client" $?
NXGPU_DEVICE=amd:0 "$nxgpu" emu --report -- "$nxgpu" info >"$tmp/out" 2>&1
grep -q 'kfd 01 GET_VERSION' "$tmp/out"; say "report" $?

site=$PWD/o/clients/tinygrad/site
if [ -d "$site/tinygrad" ] && PYTHONPATH=$site /usr/bin/python3 -c 'import numpy, tinygrad' 2>/dev/null; then
    export PYTHONPATH="$site" CACHEDB="$PWD/o/clients/tinygrad/cache.db" DEV=KFD+AMD:LLVM
    emu gfx1100 /usr/bin/python3 test/clients/tinygrad/short.py && ! grep -v '^ok - ' "$tmp/out"
    say "tinygrad gfx1100" $?
    AMD_AQL=1 emu gfx1100 /usr/bin/python3 test/clients/tinygrad/short.py add && grep -q '^ok - add' "$tmp/out"
    say "tinygrad gfx1100, AQL" $?
else
    echo "skip - tinygrad: not in o/clients (test/clients/run tinygrad puts it there) or numpy is missing"
fi
exit $bad
