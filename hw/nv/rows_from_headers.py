#!/usr/bin/env python3
"""Run by hand: turns published class headers (names, method addresses, bit ranges, values) into the rows of compute.def and copy.def,
and the table of QMD fields (tab-separated: version, header, field, hi, lo) into those of qmd.def.
  rows_from_headers.py compute DIR     DIR holds clc5c0.h clc6c0.h ... clcec0.h
  rows_from_headers.py copy DIR        clc5b5.h ... clcab5.h
  rows_from_headers.py qmd nv-qmd-fields.tsv"""
import sys, re, collections

kind, path = sys.argv[1:]
gens = ['TURING', 'AMPERE_A', 'AMPERE', 'ADA', 'HOPPER', 'BLACKWELL_A', 'BLACKWELL_B']

def spans(have, names, macro):
    """{0,1,2,5} -> NVG(TURING, AMPERE) | NVG(BLACKWELL_A, BLACKWELL_A)"""
    out, i = [], 0
    idx = sorted(have)
    while i < len(idx):
        j = i
        while j + 1 < len(idx) and idx[j + 1] == idx[j] + 1: j += 1
        out.append(f'{macro}({names[idx[i]]}, {names[idx[j]]})')
        i = j + 1
    return ' | '.join(out)

def methods_of():
    classes = {'compute': 'c5c0 c6c0 c7c0 c9c0 cbc0 cdc0 cec0', 'copy': 'c5b5 c6b5 c7b5 c7b5 c8b5 c9b5 cab5'}[kind].split()
    repeats = {'load_inline_qmd_data': 96, 'set_mme_shadow_scratch': 256, 'call_mme_macro': 128, 'call_mme_data': 128,
               'set_scg_compute_scheduling_parameters': 16}
    # method -> {gen: (address, stride, {field: (hi, lo, [(value name, value)])})}
    all_ = collections.OrderedDict()
    for g, c in enumerate(classes):
        order, seen = [], {}
        for l in open(f'{path}/cl{c}.h'):
            m = re.match(r'#define\s+NV' + c.upper() + r'_(\w+)(\(\w+\))?\s+(.*)$', l)
            if not m: continue
            name, arg, val = m.group(1), m.group(2), m.group(3).split('//')[0].split('/*')[0].strip()
            addr = re.match(r'^\(?(0x[0-9a-fA-F]+)(?:\+\(?\w\)?\*(\d+))?\)?$', val)
            bits = re.match(r'^(\d+):(\d+)$', val)
            owner = next((o for o in reversed(order) if name.startswith(o + '_')), None)
            if bits and owner:
                seen[owner][2][name[len(owner) + 1:]] = (int(bits.group(1)), int(bits.group(2)), [])
            elif addr and owner and any(name.startswith(owner + '_' + f + '_') for f in seen[owner][2]):
                f = max((f for f in seen[owner][2] if name.startswith(owner + '_' + f + '_')), key=len)
                seen[owner][2][f][2].append((name[len(owner) + len(f) + 2:], int(addr.group(1), 16)))
            elif addr and int(addr.group(1), 16) < 0x4000 and int(addr.group(1), 16) >= 0x100:
                order.append(name)
                seen[name] = (int(addr.group(1), 16), int(addr.group(2) or 0), {})
        for n in order: all_.setdefault(n, {})[g] = seen[n]
    return all_, repeats

def methods():
    all_, repeats = methods_of()
    enums, enum_of, body = collections.OrderedDict(), {}, []
    wanted = re.compile(r'LAUNCH_DMA|PCAS|SEMAPHORE|INVALIDATE_SHADER_CACHES|REMAP|INVALIDATE_SKED|QMD|SPA_VERSION|RENDER_ENABLE|TRAP|NOTIFY')
    for n, where in sorted(all_.items(), key=lambda kv: (list(kv[1].values())[0][0], kv[0])):
        low, have = n.lower(), set(where)
        addr, stride, _ = list(where.values())[-1]
        assert all(w[0] == addr for w in where.values()), n
        fields = collections.OrderedDict()
        for g, (_, _, fs) in sorted(where.items()):
            for f, (hi, lo, vals) in fs.items():
                spot = fields.setdefault(f, collections.OrderedDict()).setdefault((hi, lo), (set(), collections.OrderedDict()))
                spot[0].add(g)
                for vn, v in vals: spot[1].setdefault(vn, v)
        if not fields: fields['V'] = {(31, 0): (have, {})}
        taken, rows = {}, []
        for f, spots in fields.items():
            first = None
            for i, ((hi, lo), (gs, vals)) in enumerate(sorted(spots.items(), key=lambda s: -(s[0][0] - s[0][1]))):
                first = lo if i == 0 else first
                narrow = i > 0 and lo == first                # the same member, fewer bits
                fl = f.lower() + (f'_{i + 1}' if i and not narrow else '')
                if re.match(r'\d', fl): fl = 'v' + fl
                fmt = 'hex' if hi - lo >= 15 or re.search(r'ADDR|OFFSET|MASK|CONST_[AB]|PAYLOAD', n + f) else 'dec'
                distinct = [(vn, v) for vn, v in vals.items()]
                plain = {vn for vn, _ in distinct} <= {'FALSE', 'TRUE', 'DISABLE', 'ENABLE', 'DISABLED', 'ENABLED', 'NO', 'YES', 'DIS', 'EN', 'FALSE_', 'TRUE_'}
                if distinct and not plain and wanted.search(n):
                    key = tuple(distinct)
                    if key not in enum_of:
                        en = f'{low}_{f.lower()}'
                        enum_of[key] = en
                        used, vs = set(), []
                        for vn, v in distinct:
                            if v not in used: vs.append((vn, v)); used.add(v)
                        enums[en] = vs
                    fmt = f'of({enum_of[key]})'
                span = '' if gs == have else spans(gs, gens, 'NVG') + ', '
                rows.append((f'{"NARROW" if narrow else "FIELD_IN"}({span}' if span else 'FIELD(') + f'{fl}, 0, {hi}, {lo}, {fmt})')
        gline = '' if len(have) == 7 else f'GENS({spans(have, gens, "NVG")}) '
        if stride: gline += f'REPEAT({repeats.get(low, 8)}, {stride}) '
        text = f'RECORD({low}, {addr:#x}, 1) {gline}'
        if len(rows) == 1: body.append(text + rows[0] + ' RECORD_END')
        else: body.append(text.rstrip() + '\n' + ''.join(f'    {r}\n' for r in rows) + 'RECORD_END')
    for e, vs in enums.items():
        print(f'ENUM({e}, {e.upper()})')
        for vn, v in vs: print(f'    VALUE({e.upper()}, {vn}, {v:#x})')
        print('ENUM_END')
    print('\n'.join(body))

def qmd():
    versions = ['V02_03', 'V02_04', 'V03_00_A', 'V03_00', 'V04_00', 'V04_01', 'V05_00', 'V05_01']
    counts = [('CONSTANT_BUFFER', 8), ('DEPENDENT_QMD', 2), ('RELEASE', 3), ('TPC_DISABLE', 4), ('SUB_TASK', 5)]
    fields = collections.OrderedDict()
    for l in open(path):
        if l.startswith('#'): continue
        v, header, f, hi, lo = l.rstrip('\n').split('\t')
        if v == 'V03_00' and header == 'clc6c0qmd': v = 'V03_00_A'
        m = re.match(r'(\w+)\(i\)$', f)
        n, stride = 1, 0
        if m:
            f = m.group(1)
            if v.startswith('V05') and f.startswith('DEPENDENT_QMD'): continue     # the same bits as DEPENDENT_QMD0_x, _QMD1_x
            n = next(c for p, c in counts if f.startswith(p))
            if v == 'V05_00' and f == 'TPC_DISABLE_MASK': n = 8
            hi, stride = hi.split('+(i)*'); lo = lo.split('+')[0]
        fields.setdefault(f.lower(), {})[versions.index(v)] = (int(hi), int(lo), n, int(stride))
    for f, at in fields.items():
        runs = []
        for v in sorted(at):
            if runs and runs[-1][1] == v - 1 and runs[-1][2] == at[v]: runs[-1][1] = v
            else: runs.append([v, v, at[v]])
        cells = []
        for a, b, (hi, lo, n, stride) in runs:
            cells.append(f'AT({versions[a]}, {versions[b]}, {hi}, {lo})' if n == 1 else
                         f'EACH({versions[a]}, {versions[b]}, {hi}, {lo}, {n}, {stride})')
        print(f'QMD({f}, ' + ' '.join(cells) + ')')

qmd() if kind == 'qmd' else methods()
