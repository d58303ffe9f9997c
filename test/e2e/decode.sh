#!/bin/sh
# Golden packet streams: test/golden/*.hex decode to the committed .txt, and AMD's .txt assembles back to the
# very words. The first line of each .hex holds the arguments, the next ones its outside witness.
# `test/e2e/decode.sh --update` rewrites the .txt files (then read the diff).
nxgpu=${NXGPU_O:-o/rel}/nxgpu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
say() { # name ok?
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; bad=1; fi
}
bad=0
for hex in test/golden/pm4-*.hex test/golden/sdma-*.hex test/golden/aql-*.hex test/golden/nv-*.hex; do
    name=$(basename "$hex" .hex)
    args=$(sed -n '1s/^# decode //p' "$hex")
    # shellcheck disable=SC2086
    "$nxgpu" decode $args "$hex" >"$tmp/txt" 2>"$tmp/err"
    rc=$?
    if [ "$1" = --update ]; then cp "$tmp/txt" "test/golden/$name.txt"; fi
    diff "test/golden/$name.txt" "$tmp/txt"
    say "decode $name" $?
    case $name in *bad* | aql-rocr) want=1 ;; *) want=0 ;; esac
    say "status of $name" $((rc != want))
    case $name in nv-*) ;; *) # NVIDIA words are not assembled
    fmt=$(echo "$args" | sed 's/--base [^ ]*//')
    sed 's/#.*//' "$hex" | tr -s ' \n' '\n\n' | grep . | sed 's/^/00000000/;s/.*\(........\)$/\1/' >"$tmp/want"
    # shellcheck disable=SC2086
    "$nxgpu" asm $fmt --hex "test/golden/$name.txt" >"$tmp/got" && diff "$tmp/want" "$tmp/got"
    say "asm $name" $?
    ;; esac
    # shellcheck disable=SC2086
    if command -v python3 >/dev/null && ! "$nxgpu" decode --json $args "$hex" 2>/dev/null | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert sum(len(p["words"]) for p in d["packets"]) == d["dwords"]'; then
        say "json $name" 1
    fi
done
# text and binary input are told apart; bytes after the last dword are a problem, said
printf '\377\026\020\300' >"$tmp/bin" && printf '\000\020\377\377' >"$tmp/nop"
"$nxgpu" decode --format pm4 "$tmp/nop" | grep -q 'nop data=\[\]'
say "binary input" $?
printf 'x' >>"$tmp/nop"
"$nxgpu" decode --format pm4 --bin "$tmp/nop" >/dev/null 2>"$tmp/err"
[ $? -eq 1 ] && grep -q '1 bytes after the last whole dword' "$tmp/err"
say "trailing bytes" $?
for line in 'nop_such a=1' 'event_write event_type=512' 'event_write event_type=NOPE' 'event_write colour=1' \
    'set_sh_reg values=[0x1ffffffff]' 'set_sh_reg values=[1' 'event_write unknown[9]=1' 'raw zz'; do
    echo "$line" >"$tmp/bad"
    "$nxgpu" asm --format pm4 --hex "$tmp/bad" >/dev/null 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q 'line 1' "$tmp/err"
    say "asm refuses: $line" $?
done
exit $bad
