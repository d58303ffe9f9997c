#!/bin/sh
# Outside witnesses for isa/amd: llvm-mc disassembles the same random words (each row's fixed bits, the rest random),
# llvm-objdump the same code objects; text and refusals must agree. By hand: test/e2e/isa.sh N [GPU...], N cases each.
# Left out: what LLVM prints but marks /* invalid */ and "null" on gfx9, where its code is reserved (both refused here);
# graphics-only instructions (not in the tables).
O=${NXGPU_O:-o/rel}
n=${1:-4200}
[ $# -gt 0 ] && shift
mc=$(command -v llvm-mc-19) && objdump=$(command -v llvm-objdump-19) || {
    echo "skip - instructions against LLVM: no llvm-mc-19, llvm-objdump-19"
    exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0
# Two things this decoder reads and LLVM 19 refuses, as the hardware does (test/unit/vectors.c): 16-bit operands in the
# high half of v0..v127 (LLVM: +real-true16 only) and a dual mov whose unread vsrc1 field is not 0. Where our text
# goes on with such an instruction and LLVM's stops before it, ours is cut there.
cut_explained() {
    paste "$tmp/ours" "$tmp/theirs" | awk -F'\t' '
        $1 != $2 && index($1, $2) == 1 {
            rest = substr($1, length($2) + 1); sub(/;.*/, "", rest)
            if (rest ~ /v[0-9]+\.h|v_dual_mov/) $1 = $2
        }
        { print $1 }' >"$tmp/cut" && mv "$tmp/cut" "$tmp/ours"
}
compare() { # NAME: $tmp/ours against $tmp/theirs
    if [ -s "$tmp/theirs" ] && cmp -s "$tmp/ours" "$tmp/theirs"; then
        echo "ok - $1: $(wc -l <"$tmp/ours") agree"
    else
        diff "$tmp/ours" "$tmp/theirs" | head -${SHOW:-10}
        echo "not ok - $1: $(diff "$tmp/ours" "$tmp/theirs" | grep -c '^<') differ"
        status=1
    fi
}
random_words() { # GPU WAVE MATTR
    "$O/test/unit/isa" cases "$1" "$2" "${SEED:-1}" "$n" >"$tmp/cases" || status=1
    cut -f1 "$tmp/cases" | sed 's/.*/[&]\n[0xef,0xbe,0x80,0xbf]/' >"$tmp/in" # s_nop 0xbeef ends a case
    "$mc" -triple=amdgcn -mcpu="$1" ${3:+-mattr=$3} --disassemble "$tmp/in" 2>/dev/null | awk -v gfx9="${1#gfx9}" '
        { sub(/^[ \t]+/, ""); sub(/ +$/, "") }
        $0 == "s_nop 0xbeef" { print text; text = ""; stop = 0; next }
        /\/\*|^(image_|exp |v_interp|tbuffer_|lds_direct|lds_param|ds_param|ds_direct|ds_bvh|export)/ { stop = 1 }
        { sub(/, vcc\|/, "|, vcc"); sub(/, vcc_lo\|/, "|, vcc_lo") } # |v1, vcc|: LLVM closes the bars too late
        length(gfx9) == 2 && /[ |(-]null/ { stop = 1 }
        $0 != ".text" && $0 != "" && !stop { text = text $0 "; " }' >"$tmp/theirs"
    cut -f2 "$tmp/cases" >"$tmp/ours"
    cut_explained
    compare "$1 wave$2, random words"
}
for gpu in ${*:-gfx1100 gfx1201 gfx1030 gfx906 gfx90a gfx942}; do
    case $gpu in
    gfx9*) random_words "$gpu" 64 ;;
    *)
        random_words "$gpu" 32 +wavefrontsize32,-wavefrontsize64
        random_words "$gpu" 64 -wavefrontsize32,+wavefrontsize64
        ;;
    esac
done
for f in kernels/*.hsaco test/corpus/obj/*.hsaco; do
    case $(head -c 4 "$f") in *ELF) ;; *) continue ;; esac # bundles: their entries are among the others
    "$objdump" -d -z "$f" 2>/dev/null | sed -n 's,^\t\(.*[^ ]\) *// [0-9A-F]*:.*,\1,p' >"$tmp/theirs"
    "$O/nxgpu" disasm "$f" | sed -n 's/^ *[0-9a-f]*: \([0-9a-f]\{8\} \)* *//p' >"$tmp/ours"
    compare "$f"
done
exit $status
