# awk -f test/layers.awk layers FILE...: every #include "room/..." must be allowed by the `layers` file.
FNR == NR {
    if ($0 !~ /^#/ && NF) { sub(":", "", $1); rooms[$1] = 1; for (i = 2; i <= NF; i++) may[$1, $i] = 1 }
    next
}
FNR == 1 { split(FILENAME, p, "/"); room = p[1]; seen = room in rooms; if (!seen) { print FILENAME ": room " room " is not in layers"; bad = 1 } }
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, q, "\""); split(q[2], d, "/"); to = (q[2] == "nxgpu.h") ? "include" : d[1]
    if (to != room && !((room, to) in may)) { print FILENAME ":" FNR ": " room " may not include " q[2]; bad = 1 }
}
END { exit bad }
