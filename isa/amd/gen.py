#!/usr/bin/env python3
"""Writes the instruction tables of isa/amd (names.def layouts.def forms.def rows.def). Run by hand:

    isa/amd/gen.py amdgpu-encodings.tsv isa/amd [gfx1100 ...]

The TSV holds, for every encodable form in LLVM 19.1.7's TableGen records, its fixed bits, its fields and its
assembly template. What it does not hold is asked of llvm-mc-19, by disassembling samples of each form on each
target and in each wave size: whether the target has it, the mnemonic's suffix, implied vcc operands, and for
each operand which registers and constants it takes, how many dwords it names and how its constants read.
"""
import collections, functools, multiprocessing, random, re, subprocess, sys, tempfile

# Namespaces of each target's decoder tables, and the order in which LLVM tries them.
GFX9 = ["GFX9_DL", "GFX8", "GFX9", "AMDGPU"]
NAMESPACES = {
    "gfx906": GFX9,
    "gfx90a": GFX9 + ["GFX90A"],
    "gfx942": GFX9 + ["GFX90A", "GFX940"],
    "gfx1030": ["GFX10_B", "GFX10", "AMDGPU"],
    "gfx1100": ["GFX11", "GFX11_FAKE16", "GFX11W64", "AMDGPU"],
    "gfx1201": ["GFX12", "GFX12_FAKE16", "GFX12W64", "AMDGPU"],
}
GPUS = list(NAMESPACES)
TRIED = ["GFX9_DL", "GFX940", "GFX90A", "GFX8", "GFX9", "GFX10_B", "GFX10", "GFX11", "GFX11_FAKE16", "GFX11W64", "GFX12",
         "GFX12_FAKE16", "GFX12W64", "AMDGPU"]
OPERANDS = set("vdst sdst src0 src1 src2 src3 vdata vaddr saddr srsrc soffset sdata sbase addr data0 data1 "
               "vdstX vdstY src0X src0Y vsrc1X vsrc1Y idx".split())
SUFFIX = ["", "_e32", "_e64", "_dpp", "_e64_dpp", "_sdwa"]


class Row:
    def width(self, name):
        return max(lo + w for n, lo, w, at in self.fields if n == name)

    def names(self):
        return list(dict.fromkeys(n for n, *_ in self.fields))

    def word(self, values):
        w = self.value
        for n, lo, width, at in self.fields:
            w |= ((values.get(n, 0) >> lo) & ((1 << width) - 1)) << at
        return w


def read_rows(path):
    rows = []
    for line in open(path):
        if line[0] == "#":
            continue
        r = Row()
        r.record, r.space, bits, r.asm, mask, value, fields = line.rstrip("\n").split("\t")
        if re.match("export|ds_param_load|ds_direct_load|lds_", r.asm):  # graphics
            continue
        if r.record.endswith("_sdwa_vi"):  # GFX8's SDWA; GFX9 has its own
            continue
        r.bits, r.mask, r.value = int(bits), int(mask, 16), int(value, 16)
        r.fields = []
        for m in re.finditer(r"([A-Za-z]\w*)(?:\[(\d+):(\d+)\])?@(\d+)(?::(\d+))?", fields):
            at = int(m[5] or m[4])
            # GFX8/GFX9 SMEM is one 64-bit format whose record is padded with generator text.
            if r.bits == 127 and (at >= 54 or m[1] in ("IsGFX9SpecificEncoding", "SOffsetEn", "Offset")):
                continue
            if m[1] != "Offset":
                r.fields.append((m[1], int(m[3] or 0), int(m[4]) - at + 1, at))
        if r.bits == 127:
            r.bits = 64
        assert r.mask >> 64 == 0
        rows.append(r)
    return rows


def disassemble(gpu, w64, cases):
    """First instruction's text of each case, None where llvm-mc refuses."""
    mark = "[0xef,0xbe,0x80,0xbf]\n"
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
        for c in cases:
            f.write("[" + ",".join("0x%02x" % b for b in c) + "]\n" + mark)
        f.flush()
        cmd = ["llvm-mc-19", "-triple=amdgcn", "-mcpu=" + gpu, "--disassemble", f.name]
        if not gpu.startswith("gfx9"):
            cmd.append("-mattr=" + ("-wavefrontsize32,+wavefrontsize64" if w64 else
                                    "+wavefrontsize32,-wavefrontsize64"))
        p = subprocess.run(cmd, capture_output=True, text=True)
        bad = {(int(m[1]) - 1) // 2 for m in re.finditer(r"\.txt:(\d+):2: warning: invalid", p.stderr)}
    out, cur = [], None
    for line in p.stdout.split("\n"):
        line = line.strip()
        if line == "s_nop 0xbeef":
            out.append(None if len(out) in bad else cur)
            cur = None
        elif line and line != ".text" and cur is None:
            cur = line
    assert len(out) == len(cases), p.stderr[-400:]
    return out


LITERALS = [0x12345678, 1, 0x3C00, 0x3F80, 0x3F800000, 0x80000000]


def code(row, values, literal=0x12345678):
    return row.word(values).to_bytes(row.bits // 8, "little") + literal.to_bytes(4, "little")


def split_name(name):
    for s in sorted(SUFFIX, key=len, reverse=True):
        if s and name.endswith(s):
            return name[: -len(s)], s
    return name, ""


def template(row):
    """(names, operand text) of a row's assembly template."""
    t = re.sub(r"\{([^}|]*)\|?[^}]*\}", "", row.asm)
    m = re.match(r"([a-z0-9_]+) ?(.*)$", t)
    names, rest = [split_name(m[1])[0]], m[2].strip()
    if " :: " in rest:
        m = re.match(r"(.*) :: ([a-z0-9_]+) (.*)", rest)
        names, rest = names + [m[2]], m[1] + " :: @" + m[3]
    return names, rest.replace("immDeferred", "imm")


@functools.cache
def tokens(text):
    """Operands as printed: [(text)], modifiers cut off; ' :: name ' counts as a separator."""
    p = text.split(None, 1)
    if len(p) < 2:
        return []
    p = re.sub(r" :: \w+ ", ", ", p[1])
    p = re.sub(r"/\*.*?\*/", "/**/", p)
    p = re.sub(r"[\[(][^\])]*[\])]", lambda m: m[0].replace(", ", ";"), p)
    return [x.split(" ")[0] for x in p.split(", ")]


def plausible(row, text):
    """Is text this row's? Same name, as many operands, the template's fixed words in place (vcc may be implied)."""
    names, rest = template(row)
    other = re.search(r" :: (\w+)", text)
    if split_name(text.split()[0])[0] != names[0] or bad(text) or (other and other[1] != names[1]):
        return False
    if any(bool(re.search(r"\b%s\b" % w, rest)) != bool(re.search(r"\b%s\b" % w, text)) for w in ("tfe", "lds")):
        return False
    want = rest.replace(" :: @", ", ").split(", ") if rest else []
    want = [c.split("$")[0].strip() if c[0] != "$" else None for c in want]
    want = [c for c in want if c not in ("vcc", "vcc_lo")]
    have = [t for t in tokens(text) if t not in ("vcc", "vcc_lo")]
    if want and rest.count("$") and len(want) != len(have):
        return False
    if any(c.startswith("$vaddr") and h == "off" for c, h in zip(rest.split(", "), tokens(text))):
        return False
    return all(w is None or w.split(" ")[0] == h or "(" in h for w, h in zip(want, have))


def samples(row):
    """Field values to try until one is a valid instruction."""
    names = row.names()
    for k in range(28):
        v = {n: 0 for n in names}
        if k < 16:  # every mix of scalar and vector sources
            for n in names:
                if n.startswith("src") and row.width(n) >= 9 and n[3:4].isdigit():
                    v[n] = 256 * (k >> int(n[3]) & 1)
                if n == "soffset":
                    v[n] = 128 * (k & 1)
                if n == "offset":
                    v[n] = 4 * (k & 1)
        else:
            for n in names:
                v[n] = random.getrandbits(row.width(n)) & (0xFF if k > 22 else 7)
                if n.endswith("_modifiers"):
                    v[n] = 0
                if n.endswith("_sel") or n == "dst_unused":  # LLVM dies of values that do not exist
                    v[n] &= 3 if n.endswith("_sel") else 1
        if "sdst" in names and "$src0_sel" in row.asm:  # SDWA: bit 7 clear means vcc
            v["sdst"] = 128 + 2 * k
        if "fi" in v and row.width("fi") > 1:
            v["fi"] = 0xE9
        yield v


def codes_of(row, name):
    f = [x for x in row.fields if x[0] == name]
    have = 0
    for _, lo, w, _ in f:
        have |= ((1 << w) - 1) << lo
    want = list(range(0, 5)) + [8, 16, 32] + list(range(88, 131)) + [192, 193, 208, 209] + list(range(232, 259))
    want += [383, 384, 400, 511] + list(range(500, 511)) + [512, 513, 767, 768, 769, 896, 1020, 1023]
    if name in ("src0", "src1") and "$src0_sel" in row.asm:  # SDWA: bit 8 set means scalar
        want = [c ^ 256 for c in want if c < 512]
    return [c for c in want if not c & ~have]


# What an operand code may be: name, codes that show it.
GROUPS = [("SGPR", [0, 4]), ("VCC", [106]), ("TTMP", [108]), ("M0", []), ("NULL", []), ("EXEC", [126]), ("EXEC_HI", [127]),
          ("INT", [128, 192, 193, 208]), ("APERTURE", [235, 238]), ("FLOAT", [240, 242]), ("INV2PI", [248]),
          ("VCCZ", [251, 252]), ("SCC", [253]), ("LDS", [254]), ("LITERAL", [255]), ("VGPR", [])]


def bad(t):
    return t is None or "/*" in t


def classify(gpu, row, name, got, lits, pos):
    """Operand class (kind, dwords, type, allow set) from the texts LLVM gives for each code of a field."""
    tok = {c: None if t is None else tokens(t)[pos] for c, t in got.items()}
    good = {c: t.strip("-|").replace("abs(", "").replace("neg(", "").replace("sext(", "").rstrip(")") for c, t in tok.items() if not bad(t)}
    if not good:
        return None

    def regs(t):
        m = re.match(r"(?:s|v|a|ttmp)\[(\d+):(\d+)\]", t)
        return int(m[2]) - int(m[1]) + 1 if m else 1

    if re.match(r"\d|0x|sendmsg|gpr_idx", good[min(good)]):
        return "IMM", 0, "B32", ()
    wide = row.width(name) >= 9 and name != "idx" and not (row.width(name) == 10 and not has_low9(row, name))
    first = [good[c] for c in sorted(good)]
    if not wide and first[0][0] in "va" and not first[0].startswith("vcc"):
        low = good[min(good)]
        half = [t for t in good.values() if t.endswith((".l", ".h"))]
        limit = "VGPR_HALF" if half or (128 in tok and 128 not in good) else "VGPR"
        kind = "AGPR" if low[0] == "a" and not any(t[0] == "v" for t in good.values()) else "VGPR"
        accumulate = ("AGPR",) if any(c >= 512 for c in good) else ()
        return kind, regs(low), "T16" if half else "B32", (limit,) + accumulate
    if wide and all(re.match(r"a[\d\[]", t) for t in good.values()):
        return "AGPR", regs(good[min(good)]), "B32", ("VGPR",)
    allow = []
    for g, cs in GROUPS:
        if g in ("M0", "NULL"):
            want = [c for c in (124, 125) if good.get(c) in (("m0",) if g == "M0" else ("null", "off"))]
            if want:
                allow.append(g)
        elif g == "VGPR" and wide:
            if any(c in good for c in (256, 257)):
                allow.append("VGPR" if 400 in good or 256 + 254 in good else "VGPR_HALF")
            if any(c in good for c in (768, 769)):
                allow.append("AGPR")
        elif cs and any(c in good for c in cs):
            allow.append(g)
            if not all(c in good for c in cs) and g != "SGPR":
                print("uneven", gpu, row.record, name, g, {c: tok.get(c) for c in cs})
    if not allow:
        return None
    dw = max([regs(t) for c, t in good.items() if c < 106 or c >= 256] or [1])
    if not any(c < 106 or c >= 256 for c in good):
        dw = 2 if "vcc" in good.values() else 1
    half = any(t.endswith((".l", ".h")) for t in good.values())
    if half:
        allow = [g for g in allow if g != "VGPR_HALF"] + ["VGPR"] * ("VGPR_HALF" in allow)
    kind = "SGPR" if set(allow) <= {"SGPR", "VCC", "TTMP", "M0", "NULL", "EXEC", "EXEC_HI"} else "SRC"
    typ = "B32"
    if kind == "SRC":
        one, lit = good.get(242, ""), [None if t is None else tokens(t)[pos] for t in lits]
        full = lit[0] == "0x12345678"
        if lit[0] is None or lit[0] == "0" or "/" in lit[0]:  # no literal, or the K constant's
            typ = {"0x3c00": "I16", "0x3f80": "BF16"}.get(one, "F64" if good.get(248) == "0.15915494309189532" else "B32")
            if dw == 1 and one == "1.0" and re.search("_f16$", template(row)[0][0]):  # v_cvt_f32_f16 takes f16 too
                typ = "F16"
        elif not full:
            typ = "F16" if lit[2] == "1.0" else "BF16" if lit[3] == "1.0" else "I16"
        elif lit[1] == "0x1":
            typ = "F64"
        elif lit[5] in ("0xffffffff80000000",) or (dw == 2 and good.get(248) == "0.15915494309189532"):
            typ = "I64"
        elif lit[2] == "1.0":
            typ = "V2F16"
        elif lit[3] == "1.0":
            typ = "BF16" if lit[4] == "0" else "V2BF16"
        elif lit[4] != "1.0":
            typ = "V2I16"
        if half:
            typ = "T16"
        if typ == "B32" and one == "0x3c00":
            typ = "V2I16"
    return kind, dw, typ, tuple(allow)


def has_low9(row, name):
    return any(n == name and lo == 0 and w == 9 for n, lo, w, at in row.fields)


def encoding(row, gpu):
    name, v, top = template(row)[0][0], row.value & 0xFFFFFFFF, row.value >> 23 & 0x1FF
    for prefix, enc in (("ds_", "DS"), ("buffer_", "BUFFER"), ("tbuffer_", "BUFFER"), ("flat_", "FLAT"),
                        ("global_", "GLOBAL"), ("scratch_", "SCRATCH")):
        if name.startswith(prefix) and row.bits >= 64:
            return enc
    if name.startswith("s_"):
        if row.bits == 64 and "$imm" not in row.asm:
            return "SMEM"
        return {0x17D: "SOP1", 0x17E: "SOPC", 0x17F: "SOPP"}.get(top, "SOPK" if v >> 28 == 0xB else "SOP2")
    if not name.startswith("v_"):
        return "OTHER"
    if v >> 31 == 0:
        return {0x3F: "VOP1", 0x3E: "VOPC"}.get(v >> 25, "VOP2")
    if "::" in row.asm:
        return "VOPD"
    if v >> 26 == 0x33:
        return "OTHER" if v >> 24 == 0xCD else "VOP3P"
    if gpu.startswith("gfx9") and v >> 23 == 0x1A7:
        return "VOP3P"
    return "VOP3" if v >> 26 in (0x34, 0x35) else "OTHER"


FAMILY = {}  # (record, gpu, w64) -> finished entry


def study(gpu, w64, rows):
    """The rows LLVM decodes on this target: list of dict entries."""
    rows = [r for r in rows if r.space in NAMESPACES[gpu] and (gpu == "gfx942" or not r.record.endswith("_gfx940"))]
    rows = [r for r in rows if w64 or not r.space.endswith("W64")]
    # Where a newer generation has its own row, LLVM's predicates shut out the older one; TFE's bit became ACC.
    new = {re.sub("_gfx9[04][a0](_[av]cd)?$", "", r.record) for r in rows if re.search("_gfx9[04][a0]", r.record)}
    rows = [r for r in rows if not (r.record.endswith("_vi") and r.record[:-3] in new)]
    names = {r.record for r in rows}
    rows = [r for r in rows if not (r.record.endswith("_gfx90a") and r.record[:-3] + "940" in names)]
    rows = [r for r in rows if not (gpu in ("gfx90a", "gfx942") and "_TFE_" in r.record)]
    # 16-bit operations come as true16 (_t16_) and fake16 rows; where both exist LLVM decodes the fake16 ones.
    fake = {r.record.replace("_fake16_", "_t16_") for r in rows if "_fake16_" in r.record}
    rows = [r for r in rows if r.record not in fake]
    # Of rows that no bit tells apart, LLVM's tables hold one: the plain or fake16 form.
    rows.sort(key=lambda r: (("_t16_" in r.record) + 2 * bool(re.search("_w(32|64)_", r.record) and r.space[-3:] != "W64"
                                                            and "WMMA" not in r.record), TRIED.index(r.space)))
    cand = [(r, v) for r in rows for v in samples(r)]
    by_mask = collections.defaultdict(dict)
    for r in rows:
        by_mask[(r.bits, r.mask)].setdefault(r.value, []).append(r)
    over = {}  # rows that take encodings away from r: more fixed bits
    for r in rows:
        n = bin(r.mask).count("1")
        over[r] = [q for (b, m), d in by_mask.items() if b == r.bits and bin(m).count("1") > n
                   for q in (d.get(r.value & m, []) if m & r.mask == m else sum(d.values(), []))
                   if not (q.value ^ r.value) & q.mask & r.mask and (template(q)[0] != template(r)[0] or "SGPR" in r.record
                   or r.record[:2] != "V_")]
    base = {}
    for (r, v), t in zip(cand, disassemble(gpu, w64, [code(r, v) for r, v in cand])):
        if not t or r in base or not plausible(r, t):
            continue
        if not any(r.word(v) & q.mask == q.value for q in over[r]):
            base[r] = (v, t)
    live = {}
    for r in rows:
        if r in base:
            live.setdefault((r.bits, r.mask, r.value, dpp8(r)), r)
    rows = list(live.values())
    jobs = []
    for r in rows:
        for n in r.names():
            if n in OPERANDS:
                for c in codes_of(r, n):
                    v = {**base[r][0], n: c}
                    w = r.word(v)
                    if not any(w & q.mask == q.value for q in over[r]):
                        jobs.append((r, n, c, code(r, v)))
                if r.width(n) >= 8:
                    v = {**base[r][0], n: 255}
                    jobs += [(r, n, -1 - k, code(r, v, x)) for k, x in enumerate(LITERALS)]
        for k, v in modifier_probes(r, base[r][0]):
            jobs.append((r, "mods", k, code(r, v)))
    got = collections.defaultdict(dict)
    for (r, n, c, _), t in zip(jobs, disassemble(gpu, w64, [j[3] for j in jobs])):
        got[r, n][c] = t
    out = []
    for r in rows:
        out.append(entry(gpu, w64, r, base[r], {n: got[r, n] for n in r.names() if n in OPERANDS}, got[r, "mods"]))
    return [e for e in out if e]


def modifier_probes(r, base):
    """Samples that show how modifiers print: all clear, all set, the destination's op_sel, each one's bit 0."""
    mods = [n for n in r.names() if n.endswith("_modifiers")]
    if "simm16" in r.names():
        yield "five", {**base, "simm16": 5}
    if mods:
        yield "clear", {**base, **{n: 0 for n in mods}}
        yield "set", {**base, **{n: 15 for n in mods}}
        yield "dst", {**base, **{n: 8 * (n == "src0_modifiers") for n in mods}}
        for n in mods:
            yield n, {**base, **{m: int(m == n) for m in mods}}


def print_modifiers(form, mods):
    """Template words made exact: $srcN_sext for integers; $op_sel etc. with the number of values printed, d when
    the last is the destination's, p when 1 is the value that is left out."""
    if re.search(r"\b0x5$", mods.get("five") or ""):
        form = form.replace("$simm16", "$simm16_hex")
    for n, t in mods.items():
        if t and "sext(" in t:
            form = form.replace("$" + n, "$" + n[:4] + "_sext")
    for w in ("op_sel_hi", "op_sel", "neg_lo", "neg_hi"):
        if not re.search(r"\$%s\b" % w, form):
            continue
        seen = {k: re.search(r" %s:\[([01,]+)\]" % w, t or "") for k, t in mods.items()}
        count = max([len(m[1].split(",")) for m in seen.values() if m] or [0])
        d = "d" if w == "op_sel" and seen.get("dst") and seen["dst"][1].split(",")[-1] == "1" else ""
        p = "p" if w == "op_sel_hi" and seen.get("clear") else ""
        form = re.sub(r"\$%s\b" % w, "$%s%d%s%s" % (w, count, d, p) if count else "", form)
    return form


def dpp8(r):
    return "$dpp8" in r.asm


def entry(gpu, w64, r, base, got, mods):
    values, text = base
    names, rest = template(r)
    toks = tokens(text)
    ops, where = {}, {}
    for n, g in got.items():
        own = {c: t for c, t in g.items() if c >= 0}
        if n == "sdst" and "$src0_sel" in rest:  # SDWA: bit 7 clear means vcc
            own = {c - 128: t for c, t in own.items() if c >= 128}
        elif n in ("src0", "src1") and "$src0_sel" in rest:  # SDWA: bit 8 set means scalar
            own, g = {c ^ 256: t for c, t in own.items()}, {}
        seen = [tokens(t) for t in own.values() if t]
        if not seen:
            print("never alone", gpu, r.record, n)
            return None
        count = collections.Counter(len(t) for t in seen).most_common(1)[0][0]
        if count != len(toks):
            print("tokens", gpu, r.record, n, text)
        vary = [p for p in range(len(toks)) if len({t[p].strip("-|") for t in seen if len(t) == len(toks)}) > 1]
        if n == "vdstY":  # its low bit is the inverse of vdstX's
            vary = vary[-1:] if len(vary) == 1 else vary
        if not vary:
            continue
        pos = where[n] = vary[-1 if n == "vdstX" and len(vary) > 1 and False else 0]
        lits = [g.get(-1 - k) for k in range(len(LITERALS))]
        lits = [t if t and len(tokens(t)) > pos else None for t in lits]
        ops[n] = classify(gpu, r, n, {c: (t if t is None or len(tokens(t)) == len(toks) else None) for c, t in own.items()}, lits, pos)
    # Walk template and printed operands together to find operands LLVM prints without naming them (vcc).
    chunks, made, i = rest.replace(" :: @", ", @").split(", ") if rest else [], [], 0
    for ch in chunks:
        m = re.match(r"@?\$([A-Za-z0-9_]+)", ch)
        n = m[1].replace("_modifiers", "") if m else None
        while n in where and i < where[n]:
            if toks[i] not in ("vcc", "vcc_lo"):
                print("template", gpu, r.record, text, rest)
                return None
            made.append("vcc")
            i += 1
        made.append(ch)
        i += 1
    if len(toks) > i and not (len(toks) == 1 and not rest) and toks[i:] and toks[i] in ("vcc", "vcc_lo"):
        m = re.match(r"(@?\$[A-Za-z0-9_]+|\w+)(.*)$", made[-1])
        made[-1] = m[1]
        made += ["vcc"] * (len(toks) - i)
        made[-1] += m[2]
    form = ", ".join(made).replace(", @", " :: ")
    form = re.sub(r"\bvcc_lo\b", "vcc", form)
    form = print_modifiers(form, mods)
    for n in ops:
        if ops[n] is None:
            print("no class", gpu, r.record, n)
            return None
    want = [m.replace("_modifiers", "").replace("_sext", "") for m in re.findall(r"\$([A-Za-z0-9_]+)", form)]
    oplist = []
    for n in dict.fromkeys(want):
        if n in ops:
            oplist.append((n,) + ops[n])
        elif n == "imm":
            oplist.append(("imm", "IMM" if names[0].startswith("s_setreg") else "K", 0, "B32", ()))
    flags = []
    if "$dpp_ctrl" in form:
        flags.append("DPP16")
    if "$dpp8" in form:
        flags.append("DPP8")
    if "$src0_sel" in form:
        flags.append("SDWA")
    for w, f in (("offen", "OFFEN"), ("idxen", "IDXEN"), ("tfe", "TFE"), ("lds", "LDS")):
        if re.search(r"(^|[ ,$a-z])\b%s\b" % w, form) and "$" + w not in form:
            flags.append(f)
    if "_RTN" in r.record or "_rtn_" in names[0]:
        flags.append("RTN")
    suffix = split_name(text.split()[0])[1]
    return dict(gpu=gpu, w64=w64, names=tuple(names), suffix=suffix, enc=encoding(r, gpu), bytes=r.bits // 8,
                rank=TRIED.index(r.space), mask=r.mask, value=r.value, fields=tuple(r.fields), form=form,
                ops=tuple(oplist), flags=tuple(flags), record=r.record)


def main():
    random.seed(1)
    rows, out = read_rows(sys.argv[1]), sys.argv[2]
    gpus = sys.argv[3:] or GPUS
    merged = {}

    def add(e, gpu):
        sig = tuple(e[k] for k in "rank names suffix enc bytes mask value fields form ops flags".split())
        merged.setdefault(sig, []).append(gpu)

    jobs = [(gpu, w, rows) for gpu in gpus for w in ([1] if gpu.startswith("gfx9") else [0, 1])]
    with multiprocessing.Pool(2) as pool:
        studied = pool.starmap(study, jobs, chunksize=1)
    for gpu in gpus:
        got = [{(e["bytes"], e["mask"], e["value"], e["names"], "DPP8" in e["flags"]): e for e in s}
               for s, job in zip(studied, jobs) if job[0] == gpu]
        for k in dict.fromkeys(k for g in got for k in g):
            es = [g.get(k) for g in got]
            e = dict(es[-1] or es[0])
            if len(es) == 2 and None in es:
                e["flags"] += ("W64" if es[0] is None else "W32",)
            elif len(es) == 2 and any(x != y and (x[1] == "VGPR" or x[2:3] + y[2:3] != (1, 2)) for x, y in zip(es[0]["ops"], es[1]["ops"])):
                es[0]["flags"] += ("W32",)  # one encoding, other registers in each wave size: two rows
                e["flags"] += ("W64",)
                add(es[0], gpu)
            elif len(es) == 2:
                a, b = es
                if a["form"] != b["form"]:
                    print("form differs by wave", gpu, e["record"], a["form"], "|", b["form"])
                ops = []
                for x, y in zip(a["ops"], b["ops"]):
                    if x != y:
                        if x[1] != y[1] or x[2] != 1 or y[2] != 2:
                            print("op differs", gpu, e["record"], x, y)
                        y = (y[0], x[1], 0, "MASK", x[4])
                    ops.append(y)
                e["ops"] = tuple(ops)
            add(e, gpu)
        print(gpu, len(got), [len(g) for g in got])
    write(out, merged)


def write(out, merged):
    note = "/* %s Written by gen.py from LLVM 19.1.7's records (Apache-2.0 WITH LLVM-exception). */\n"
    layouts, forms, kinds, classes, names = {}, {}, {}, collections.defaultdict(list), set()
    for sig, gpus in merged.items():
        rank, nm, suffix, enc, size, mask, value, fields, form, ops, flags = sig
        names.update(nm)
        lay = layouts.setdefault(tuple(sorted(fields)), len(layouts))
        frm = forms.setdefault((form, tuple((o[0], kinds.setdefault(o[1:], len(kinds))) for o in ops)), len(forms))
        bits = "|".join("G" + g[3:] for g in gpus)
        classes[(enc, bits, size, rank, suffix, flags, mask, lay, frm)].append((nm, value))
    with open(out + "/names.def", "w") as f:
        f.write(note % "Mnemonics of all targets.")
        wrap(f, ["N(%s)" % n for n in sorted(names)])
    with open(out + "/layouts.def", "w") as f:
        f.write(note % "Where fields lie: P(field, lowest bit of the field, bits, position).")
        for fl, i in layouts.items():
            f.write("LAYOUT(%d, %s)\n" % (i, " ".join("P(%s, %d, %d, %d)" % p for p in fl)))
    with open(out + "/forms.def", "w") as f:
        f.write(note % "Operand kinds: K(id, kind, dwords, type, what it takes). Forms: template, O(field, kind id).")
        for k, i in kinds.items():
            f.write("K(%d, %s, %d, %s, %s)\n" % (i, k[0], k[1], k[2], "|".join("A_" + a for a in k[3]) or "0"))
        for (form, ops), i in forms.items():
            f.write('FORM(%d, "%s", %s)\n' % (i, form, " ".join("O(%s, %d)" % o for o in ops)))
    with open(out + "/rows.def", "w") as f:
        f.write(note % "C(targets, encoding, bytes, rank, suffix, flags, mask, layout, form), then its R(name, value).")
        for key in sorted(classes, key=lambda k: (k[0], k[2], k[6], k[1:])):
            enc, bits, size, rank, suffix, flags, mask, lay, frm = key
            f.write("C(%s, %s, %d, %d, S%s, %s, 0x%x, %d, %d)\n" % (bits, enc, size, rank, suffix, "|".join(flags) or "0", mask, lay, frm))
            wrap(f, ["R(%s, 0x%x)" % (n[0], v) if len(n) == 1 else "D(%s, %s, 0x%x)" % (*n, v)
                     for n, v in sorted(classes[key], key=lambda x: (x[1], x[0]))])
    print(len(merged), "rows", len(classes), "classes", len(layouts), "layouts", len(forms), "forms", len(kinds), "operand kinds", len(names), "names")


def wrap(f, items):
    line = ""
    for x in items:
        if len(line) + len(x) > 116:
            f.write(line.rstrip() + "\n")
            line = ""
        line += x + " "
    f.write(line.rstrip() + "\n")


if __name__ == "__main__":
    main()
