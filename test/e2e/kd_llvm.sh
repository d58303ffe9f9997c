#!/bin/sh
# Outside witness for kd.def and the COMPUTE_PGM_RSRC rows: llvm-mc assembles a kernel descriptor with one
# directive changed; our decoder must show that very field, and no unknown bits.
nxgpu=${NXGPU_O:-o/rel}/nxgpu
mc=$(command -v llvm-mc-19 || command -v llvm-mc) && oc=$(command -v llvm-objcopy-19 || command -v llvm-objcopy) || {
    echo "skip - kernel descriptors: no llvm-mc"
    exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
# Column 1, 2: directive and value; 3: the field that must show it; then the targets that have the directive.
cat >"$tmp/rows" <<'EOF'
group_segment_fixed_size 1234 group_segment_size=1234 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
private_segment_fixed_size 56 private_segment_size=56 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
kernarg_size 288 kernarg_size=288 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
user_sgpr_dispatch_ptr 1 sgpr_dispatch_ptr=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
user_sgpr_queue_ptr 1 sgpr_queue_ptr=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
user_sgpr_kernarg_segment_ptr 1 sgpr_kernarg_ptr=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
user_sgpr_dispatch_id 1 sgpr_dispatch_id=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
user_sgpr_private_segment_buffer 1 sgpr_private_segment_buffer=1 gfx900 gfx90a gfx1030
user_sgpr_flat_scratch_init 1 sgpr_flat_scratch_init=1 gfx900 gfx90a gfx1030
user_sgpr_private_segment_size 1 sgpr_private_segment_size=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
user_sgpr_kernarg_preload_length 3 preload_length=3 gfx90a gfx942
user_sgpr_kernarg_preload_offset 5 preload_offset=5 gfx90a gfx942
uses_dynamic_stack 1 dynamic_stack=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
wavefront_size32 1 wave32=1 gfx1030 gfx1100 gfx1201
system_sgpr_workgroup_id_y 1 tgid_y_en=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
system_sgpr_workgroup_id_z 1 tgid_z_en=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
system_sgpr_workgroup_info 1 tg_size_en=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
system_vgpr_workitem_id 2 tidig_comp_cnt=2 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
system_sgpr_private_segment_wavefront_offset 1 scratch_en=1 gfx900 gfx90a gfx1030
enable_private_segment 1 scratch_en=1 gfx942 gfx1100 gfx1201
user_sgpr_count 12 user_sgpr=12 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
next_free_vgpr 33 vgprs=8 gfx900
next_free_vgpr 33 vgprs=4 gfx90a gfx942 gfx1030 gfx1100 gfx1201
float_round_mode_32 3 float_mode=195 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
float_denorm_mode_32 3 float_mode=240 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
dx10_clamp 0 dx10_clamp=0 gfx900 gfx90a gfx942 gfx1030 gfx1100
ieee_mode 0 ieee_mode=0 gfx900 gfx90a gfx942 gfx1030 gfx1100
fp16_overflow 1 fp16_ovfl=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
workgroup_processor_mode 0 wgp_mode=0 gfx1030 gfx1100 gfx1201
memory_ordered 0 mem_ordered=0 gfx1030 gfx1100 gfx1201
forward_progress 1 fwd_progress=1 gfx1030 gfx1100 gfx1201
round_robin_scheduling 1 wg_rr_en=1 gfx1201
exception_fp_ieee_invalid_op 1 excp_en=1 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
exception_int_div_zero 1 excp_en=64 gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201
accum_offset 8 accum_offset=1 gfx90a gfx942
tg_split 1 tg_split=1 gfx90a gfx942
shared_vgpr_count 2 shared_vgpr_cnt=2 gfx1030
EOF
for gpu in gfx900 gfx90a gfx942 gfx1030 gfx1100 gfx1201; do
    grep -w "$gpu" "$tmp/rows" >"$tmp/mine"
    # one descriptor a row, in order, behind each other in .rodata
    awk -v gpu="$gpu" '
    BEGIN { printf ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n.rodata\n", gpu }
    {
        printf ".amdhsa_kernel k%d\n.amdhsa_next_free_sgpr 16\n", NR
        if ($1 != "next_free_vgpr") print ".amdhsa_next_free_vgpr 16"
        if ((gpu == "gfx90a" || gpu == "gfx942") && $1 != "accum_offset") print ".amdhsa_accum_offset 4"
        printf ".amdhsa_%s %s\n.end_amdhsa_kernel\n", $1, $2
    }
    END { print ".text"; for (i = 1; i <= NR; i++) printf "k%d: ", i; print "s_endpgm" }' "$tmp/mine" >"$tmp/k.s"
    "$mc" -triple=amdgcn-amd-amdhsa -mcpu="$gpu" -filetype=obj "$tmp/k.s" -o "$tmp/k.o" &&
        "$oc" -O binary --only-section=.rodata "$tmp/k.o" "$tmp/k.bin" &&
        "$nxgpu" decode --format kd --gpu "$gpu" --bin "$tmp/k.bin" >"$tmp/txt" || bad=1
    awk '/^0/ { if (NR > 1) print line; line = "" } { line = line $0 " " } END { print line }' "$tmp/txt" >"$tmp/lines"
    paste -d' ' "$tmp/mine" "$tmp/lines" >"$tmp/both"
    n=$((n + $(wc -l <"$tmp/lines")))
    [ "$(wc -l <"$tmp/lines")" -eq "$(wc -l <"$tmp/mine")" ] || bad=1
    awk -v gpu="$gpu" '{ i = index($0, "desc "); if (!i || !index(substr($0, i), " " $3 " ") || index($0, "unknown"))
        { print "  " gpu " ." $1 " " $2 ": no " $3 " in " substr($0, i); bad = 1 } }
    END { exit bad }' "$tmp/both" || bad=1
done
if [ $bad -eq 0 ]; then echo "ok - $n kernel descriptors as llvm-mc assembles them"; else echo "not ok - kernel descriptors"; fi
exit $bad
