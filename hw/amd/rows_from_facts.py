#!/usr/bin/env python3
"""Run by hand: turns tables of register and packet fields (tab-separated) into the rows of regs.def and sdma.def.
  rows_from_facts.py regs kfd-compute-regs.tsv > regs.def
  rows_from_facts.py sdma kfd-sdma-packets.tsv > sdma.def    (then edited by hand where its header says so)"""
import sys, re, collections

kind, path = sys.argv[1:]
rows = [l.rstrip('\n').split('\t') for l in open(path) if not l.startswith('#')]

def mask(gens, names, groups):
    left, out = set(gens.split(',')), []
    for g, members in groups:
        if members <= left:
            out.append(g); left -= members
    return ' | '.join(out + [names[x] for x in names if x in left])

if kind == 'regs':
    names = {'gfx9.0': 'R9_0', 'gfx90a': 'R9_0A', 'gfx942': 'R9_42', 'gfx10.3': 'R10', 'gfx11': 'R11', 'gfx12': 'R12'}
    groups = [('RALL', set(names)), ('R9', {'gfx9.0', 'gfx90a', 'gfx942'}), ('R10_UP', {'gfx10.3', 'gfx11', 'gfx12'}),
              ('R11_UP', {'gfx11', 'gfx12'})]
    regs = collections.OrderedDict()
    for k, reg, field, gens, v in rows:
        regs.setdefault(reg, ([], collections.OrderedDict()))
        if k == 'R': regs[reg][0].append((gens, v))
        else: regs[reg][1].setdefault(field.lower(), []).append((gens, v))
    for reg, (at, fields) in regs.items():
        print(f'REG({reg})')
        for gens, v in at: print(f'    AT({mask(gens, names, groups)}, {v})')
        for f, spots in fields.items():
            for i, (gens, v) in enumerate(spots):
                hi, lo = v.split(':')
                print(f'    {"ALSO" if i else "BITS"}({f}, {mask(gens, names, groups)}, {hi}, {lo})')
        print('REG_END\n')
else:
    names = {'v4': 'S4', 'v5': 'S5', 'v6': 'S6', 'v7.1': 'S7'}
    groups = [('SALL', set(names)), ('S5_UP', {'v5', 'v6', 'v7.1'}), ('S6_UP', {'v6', 'v7.1'})]
    ops = dict(COPY_LINEAR=(1,0), COPY_DIRTY_PAGE=(1,7), COPY_PHYSICAL_LINEAR=(1,8), COPY_BROADCAST_LINEAR=(1,0),
        COPY_LINEAR_SUBWIN_LARGE=(1,36), COPY_LINEAR_SUBWIN_BC=(1,20), COPY_LINEAR_SUBWIN=(1,4), COPY_LINEAR_BC=(1,16),
        COPY_TILED_SUBWIN_BC=(1,21), COPY_TILED_SUBWIN=(1,5), COPY_TILED_BC=(1,17), COPY_TILED=(1,1), COPY_L2T_BROADCAST=(1,1),
        COPY_T2T_BC=(1,22), COPY_T2T=(1,6), COPY_STRUCT=(1,3), WRITE_UNTILED=(2,0), WRITE_TILED_BC=(2,17), WRITE_TILED=(2,1),
        PTEPDE_COPY_BACKWARDS=(12,3), PTEPDE_COPY=(12,1), PTEPDE_RMW=(12,2), WRITE_INCR=(12,0), INDIRECT=(4,0), SEMAPHORE=(7,0),
        FENCE=(5,0), SRBM_WRITE=(14,0), PRE_EXE=(15,0), COND_EXE=(9,0), CONSTANT_FILL=(11,0), DATA_FILL_MULTI=(11,1),
        POLL_REGMEM=(8,0), POLL_REG_WRITE_MEM=(8,1), POLL_DBIT_WRITE_MEM=(8,2), POLL_MEM_VERIFY=(8,3), VM_INVALIDATION=(8,4),
        ATOMIC=(10,0), TIMESTAMP_SET=(13,0), TIMESTAMP_GET_GLOBAL=(13,2), TIMESTAMP_GET=(13,1), TRAP=(6,0), DUMMY_TRAP=(0,0),
        NOP=(0,0), GPUVM_INV=(16,0), GCR_REQ=(17,1))
    packets = collections.OrderedDict()
    for k, name, gens, v in rows:
        if k != 'F': continue
        p = next((p for p in sorted(ops, key=len, reverse=True) if name.startswith(p + '_')), None)
        if not p: print('no op:', name, file=sys.stderr); continue
        word = re.match(p + r'_((?:[A-Z0-9]+_)+|DW\d_)(.*)$', name)
        field = word.group(2)
        if field in ('op', 'sub_op', 'data0'): continue
        dw, b = v.split(' '); hi, lo = map(int, b.split(':'))
        m = re.match(r'(.*)_63_32$', field)
        wide = packets.setdefault(p, collections.OrderedDict())
        if m and int(dw) > 0:
            base = m.group(1)
            for cand in (base + '_31_0', base + '_31_3'):
                if cand in wide:
                    wide[base] = [(g, d, 63, 0) for g, d, h, l in wide.pop(cand)]
            continue
        wide.setdefault(field, []).append((gens, int(dw), hi, lo))
    for p, fields in packets.items():
        op, sub = ops[p]
        n = max(d + (h > 31) for s in fields.values() for _, d, h, _ in s) + 1
        print(f'RECORD({p.lower()}, SDMA_OP({op}, {sub}), {n})')
        allg = set(','.join(g for s in fields.values() for g, *_ in s).split(','))
        gm = ','.join(allg)
        if len(allg) < 4: print(f'    GENS({mask(gm, names, groups)})')
        for f, spots in sorted(fields.items(), key=lambda kv: (kv[1][0][1], kv[1][0][3])):
            f = re.sub(r'_31_\d+$', '', f)
            whole = ','.join(g for g, *_ in spots)
            fmt = 'hex' if spots[0][2] - spots[0][3] >= 31 else 'dec'
            if len(spots) == 1 and set(whole.split(',')) == allg:
                _, d, h, l = spots[0]
                print(f'    {"WIDE " if h > 31 else "FIELD"}({f}, {d}, {h}, {l}, {fmt})')
            else:   # the widest spot makes the member, others are narrower views of it or, elsewhere, members of their own
                spots.sort(key=lambda s: -(s[2] - s[3]))
                for i, (g, d, h, l) in enumerate(spots):
                    same = (d, l) == spots[0][1::2]
                    word = 'NARROW' if i and same else 'WIDE_IN' if h > 31 else 'FIELD_IN'
                    name = f if same else f'{f}_{sorted(g.split(","))[0]}'
                    print(f'    {word}({mask(g, names, groups)}, {name}, {d}, {h}, {l}, {fmt})')
        print('RECORD_END\n')
