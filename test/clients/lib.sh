# Common to the scripts of test/clients: what is installed goes to o/clients; `result` prints the one-line result that
# test/clients/run collects.
set -u
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../../.." && pwd)
client=$(basename "$here")
nxgpu=$repo/${NXGPU_O:-o/rel}/nxgpu
dir=$repo/o/clients/$client
mkdir -p "$dir"
tab=$(printf '\t')
result() { # TARGET PASSED FAILED SKIPPED [NOTE]
    printf 'RESULT\t%s\t%s\t%s\t%s\t%s\t%s\n' "$client" "$1" "$2" "$3" "$4" "${5:-}"
}
skip() { # REASON: nothing of this client can run
    result all 0 0 1 "$1"
    exit 0
}
# Debian packages, installed when root may; else the client is skipped.
packages() {
    missing=
    for p; do dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'install ok' || missing="$missing $p"; done
    [ -z "$missing" ] && return 0
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || skip "not installed:$missing"
    # shellcheck disable=SC2086
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; } \
        >"$dir/apt.log" 2>&1 || skip "cannot install:$missing"
}
# Runs COMMAND on a software GPU; output to $dir/TARGET.log. Counts its "ok - ", "not ok - ", "skip - " lines and prints
# the result; a program that ends badly without saying so counts as one failure.
count() { # TARGET COMMAND...
    target=$1
    shift
    timeout "${CLIENT_TIMEOUT:-600}" "$nxgpu" emu --gpu "$target" -- "$@" >"$dir/$target.log" 2>&1
    rc=$?
    p=$(grep -c '^ok - ' "$dir/$target.log") f=$(grep -c '^not ok - ' "$dir/$target.log")
    s=$(grep -c '^skip - ' "$dir/$target.log")
    note=$(grep -m1 '^not ok - ' "$dir/$target.log" | cut -c10-90)
    if [ "$rc" -ne 0 ] && [ "$f" -eq 0 ]; then f=1 note="ended with status $rc: $(tail -1 "$dir/$target.log" | cut -c1-90)"; fi
    result "$target${label:+ $label}" "$p" "$f" "$s" "$note"
}
