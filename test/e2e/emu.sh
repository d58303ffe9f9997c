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
exit $bad
