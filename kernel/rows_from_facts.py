#!/usr/bin/env python3
"""Run by hand: turns measured record layouts (tab-separated: struct, tags, size, offset, depth, field) of NVIDIA's kernel
interface into the rows of rm_structs.def and uvm_structs.def.
  rows_from_facts.py rm  nv-structs.tsv >> rm_structs.def     (below its comment)
  rows_from_facts.py uvm nv-structs.tsv >> uvm_structs.def"""
import sys, re, collections

kind, path = sys.argv[1:]
tags = {'535.54.03': 0, '535.183.06': 1, '535.288.01': 1, '550.54.14': 2, '550.163.01': 2, '570.86.15': 3, '570.211.01': 3,
        '580.65.06': 4, '580.142': 4, '590.48.01': 5, '595.45.04': 6}
branch = ['535_54', '535', '550', '570', '580', '590', '595']
ALL = (0, 6)
types = {'NvU8': 'u8', 'NvBool': 'u8', 'uint8_t': 'u8', 'NvU16': 'u16', 'NvU32': 'u32', 'NvV32': 'u32', 'NvHandle': 'u32', 'uint32_t': 'u32',
         'NV_STATUS': 'u32', 'RsAccessLimb': 'u32', 'NvS16': 's16', 'NvS32': 's32', 'int': 's32', 'int32_t': 's32', 'NvU64': 'u64', 'NvP64': 'u64',
         'uint64_t': 'u64', 'char': 'u8', 'NvProcessorUuid': 'u8'}
bytes_of = {'u8': 1, 'u16': 2, 'u32': 4, 's16': 2, 's32': 4, 'u64': 8}
drop = {'unicode'}                                     # the second view of a name string
arms = {'AllocSize': ('nvos32_alloc_size', 2), 'Free': ('nvos32_free', 3), 'AllocOsDesc': ('nvos32_alloc_os_desc', 27)}
pairs = {'NV2080_CTRL_GPU_INFO': 'nv2080_ctrl_info', 'NV2080_CTRL_FB_INFO': 'nv2080_ctrl_info', 'NV2080_CTRL_BUS_INFO': 'nv2080_ctrl_info',
         'NV2080_CTRL_TIMER_GPU_CPU_TIME_SAMPLE': 'nv2080_ctrl_timer_sample'}      # element structs that stand in rm.def
special = {('nvos54', 'params'): 'params(control, cmd, paramsSize)', ('nvos21', 'pAllocParms'): 'params(class, hClass, NONE)',
           ('nvos64', 'pAllocParms'): 'params(class, hClass, NONE)', ('nvos54', 'cmd'): 'of(rm_control)'}

def struct_name(s):
    if s.startswith("nv_ioctl"): return s
    return re.sub(r'_(params|parameters)$', '', s.lower()).replace('uvmgpumappingattributes', 'uvm_gpu_mapping_attributes')

def fmt(s, typ, name, count):
    if (s, name) in special: return special[s, name]
    if typ == 'char' or name in ('ascii', 'versionString', 'dev_name'): return 'chars'
    if name == 'classList': return 'of(rm_class)' if count > 1 else 'hex'
    if count > 1 and types[typ] == 'u8': return 'bytes'
    if typ == 'NV_STATUS' or name in ('status', 'rmStatus', 'rm_status'): return 'of(rm_status)'
    if name in ('hClass',): return 'of(rm_class)'
    if typ in ('NvHandle', 'NvP64') or re.match(r'h[A-Z]', name): return 'hex'
    if re.search(r'(?i)flags|attr|mask|addr|offset|base|limit|start$|pointer|gpu_?ids?$|range|pc(64)?$|esr|limbs|fault(info|type)|_?iv$|nonce|kind|ptr|rights|mode$|^va(size|base)|route|token', name): return 'hex'
    return 'dec'

def span(a, b):
    return None if (a, b) == ALL else f'SPAN({branch[a]}, {branch[b]})'

def emit(name, sysname, variants):
    """variants: [(first, last, size, [(offset, type, name, count, nested)])], oldest first"""
    spots = collections.OrderedDict()                  # field -> {layout: [first, last]}
    newest_first = sorted(variants, key=lambda v: -v[1])
    for a, b, size, rows in newest_first:
        for off, typ, f, count, nested in rows:
            spots.setdefault(f, collections.OrderedDict()).setdefault((off, typ, count, nested), []).append((a, b))
    print(f'STRUCT({name}, {sysname})')
    sizes = collections.OrderedDict()
    for a, b, size, rows in newest_first: sizes.setdefault(size, []).append((a, b))
    if len(sizes) > 1 or span(min(v[0] for v in variants), max(v[1] for v in variants)):
        for size, spans in sizes.items():
            print(f'    SIZE_IN({span(min(x[0] for x in spans), max(x[1] for x in spans)) or "0"}, {size})')
    for f, where in spots.items():
        ordered = sorted(where.items(), key=lambda kv: -kv[0][2])    # the longest array makes the member
        for i, ((off, typ, count, nested), spans) in enumerate(ordered):
            s = span(min(x[0] for x in spans), max(x[1] for x in spans))
            if nested:
                when = f'arm(function, {nested[1]})' if nested[1] else 'always'
                if count > 1: row = ('NESTS', f'{nested[0]}, {f}, {off}, {count}')
                else: row = ('NEST', f'{nested[0]}, {f}, {off}, {when}')
                assert count > 1 or not s
            else:
                t, form = types[typ], fmt(name, typ, f, count)
                row = ('FIELD', f'{t}, {f}, {off}, {form}') if count == 1 else ('ARRAY', f'{t}, {f}, {off}, {count}, {form}')
            if i:
                print(f'    ALSO_{row[0]}({s}, {row[1]})')
            else:
                print(f'    {row[0]}_IN({s}, {row[1]})' if s else f'    {row[0]}({row[1]})')
    print(f'STRUCT_END({name}, {newest_first[0][2]})')

data = collections.OrderedDict()                       # struct -> {(first, last): (size, rows)}
for line in open(path):
    if line.startswith('#'): continue
    s, t, size, off, depth, field = line.rstrip('\n').split('\t')
    if size == 'absent': continue
    first, last = (tags[x] for x in t.split('..'))
    data.setdefault(s, collections.OrderedDict()).setdefault((first, last), (int(size), []))[1].append((int(off), int(depth), field))

def flatten(s, rows):
    """one level: [(offset, type, name, count, nested)]; plain inner structs are flattened, arms become nested structs"""
    out, parent, arm, armrows = [], None, None, collections.OrderedDict()
    for i, (off, depth, field) in enumerate(rows):
        typ, name = field.rsplit(' ', 1)
        typ = typ.replace('struct ', '')
        m = re.match(r'(.*)\[(\d+)\]$', typ)
        count = int(m.group(2)) if m else 1
        typ = m.group(1) if m else typ
        inner = i + 1 < len(rows) and rows[i + 1][1] > depth
        if s == 'NVOS32_PARAMETERS' and depth:
            if depth == 1: arm = name
            elif arm in arms: armrows.setdefault(arm, []).append((off - 40, typ, name, count, None))
            continue
        if typ.startswith('union') and s == 'NVOS32_PARAMETERS':
            out.append((off, 'NvU8', 'data', 144, None)); continue
        if typ == '(unnamed struct)':
            end = rows[i + 1][0]
            out.append((off, 'NvU8', name, (6144 if end < 6200 else 9216), None)); continue
        if typ in ('NV_MEMORY_DESC_PARAMS', 'UvmGpuMappingAttributes', 'NV83DE_SM_ERROR_STATE_REGISTERS', 'NV83DE_CTRL_DEBUG_READ_MMU_FAULT_INFO_ENTRY') and not (inner and count == 1):
            out.append((off, typ, name, count, (struct_name(typ), 0))); continue
        if typ in pairs:
            out.append((off, typ, name, count, (pairs[typ], 0))); continue
        if inner:
            if depth == 0: parent = name
            continue
        if name in drop: continue
        if depth and name == 'uuid': name = parent
        elif depth and parent != 'params': name = f'{parent}_{name}'
        if typ not in types: print(f'no type: {s} {field}', file=sys.stderr); continue
        out.append((off, typ, name, count, None))
    for a, r in armrows.items():
        out.append((40, a, a, 1, arms[a]))
    return out, armrows

order = sorted(data, key=lambda s: (s not in ('NV_MEMORY_DESC_PARAMS', 'UvmGpuMappingAttributes', 'NV83DE_SM_ERROR_STATE_REGISTERS',
                                            'NV83DE_CTRL_DEBUG_READ_MMU_FAULT_INFO_ENTRY')))
for s in order:
    if s.lower().startswith('uvm') != (kind == 'uvm') or s == 'nv_pci_info_t': continue
    variants, armvariants = [], collections.OrderedDict()
    for (a, b), (size, rows) in data[s].items():
        flat, armrows = flatten(s, rows)
        variants.append((a, b, size, flat))
        for arm, r in armrows.items():
            end = max(o + bytes_of[types[t]] * c for o, t, n, c, _ in r)
            armvariants.setdefault(arm, []).append((a, b, (end + 7) // 8 * 8, r))
    for arm, v in armvariants.items(): emit(arms[arm][0], f'NVOS32_PARAMETERS {arm}', v)
    emit(struct_name(s), s, variants)
