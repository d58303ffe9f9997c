#!/usr/bin/env python3
"""Run by hand: compares the rows of rm*.def and uvm*.def with the public headers of NVIDIA's open kernel modules.
  kernel/compare_headers.py REPOSITORY TAG...      REPOSITORY: a git directory of open-gpu-kernel-modules
For each release tag: every struct's size, every field's offset and size, every status, class, command, escape and UVM number
becomes a static assertion that the compiler checks against that tag's headers (nothing is built). Each difference is one line.
Names that a release does not have are listed apart. Exit 1 when something differs."""
import collections, os, re, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
branches = ['535_54', '535', '550', '570', '580', '590', '595']
dirs = ['src/common/sdk/nvidia/inc', 'src/nvidia/arch/nvalloc/unix/include', 'kernel-open/common/inc', 'kernel-open/nvidia-uvm']
size_of = {'u8': 1, 'u16': 2, 'u32': 4, 'u64': 8, 's16': 2, 's32': 4}

def branch_of(tag):
    v = tuple(int(x) for x in re.findall(r'\d+', tag)[:3])
    if v < (535, 86): return 0
    if 535 < v[0] < 550: return 1
    return min(range(1, 7), key=lambda i: (abs(int(branches[i]) - v[0]), -i))      # as rm_branch_of

def read(name):
    text = re.sub(r'/\*.*?\*/', '', open(os.path.join(here, name)).read(), flags=re.S)
    for line in text.splitlines():
        m = re.match(r'\s*([A-Z_]+)\((.*)\)\s*$', line)
        if m: yield m.group(1), m.group(2)

def covers(span, b):
    m = re.match(r'SPAN\((\w+), (\w+)\)', span)
    return not m or branches.index(m.group(1)) <= b <= branches.index(m.group(2))

def split(args):                                       # commas outside parentheses
    return [a.strip() for a in re.split(r',(?![^(]*\))', args)]

def structs(b):
    """(name in the header, size, [(field, offset, bytes)]) of the branch"""
    ours, out = {}, []
    for row, args in [r for f in ('rm_structs.def', 'uvm_structs.def') for r in read(f)]:
        a = split(args)
        if row == 'STRUCT': cur = [a[0], a[1], None, [], []]
        elif row == 'SIZE_IN': cur[4].append(a)
        elif row == 'STRUCT_END':
            size = int(a[1]) if not cur[4] else next((int(s[1]) for s in cur[4] if covers(s[0], b)), 0)
            ours[cur[0]] = size
            if cur[1] != 'NONE': out.append((cur[1], size, cur[3]))
        else:
            span = a.pop(0) if row.endswith('_IN') or row.startswith('ALSO_') else ''
            kind = row.replace('_IN', '').replace('ALSO_', '')
            if not covers(span, b): continue
            if kind in ('FIELD', 'ARRAY'):
                cur[3].append((a[1], int(a[2]), size_of[a[0]] * (int(a[3]) if kind == 'ARRAY' else 1)))
            elif kind == 'NESTS': cur[3].append((a[1], int(a[2]), ours[a[0]] * int(a[3])))
            elif kind == 'NEST' and a[0].startswith('nvos32'): cur[3].append(('data.' + a[1], int(a[2]), 0))
            else: cur[3].append((a[1], int(a[2]), ours[a[0]]))
    return out

def spellings(field):
    """flattened names: grRouteInfo_flags is grRouteInfo.flags there; those behind `with_fd` are in params"""
    yield field
    yield 'params.' + field
    yield field + '.ascii'
    for i, c in enumerate(field):
        if c == '_' and 0 < i: yield field[:i] + '.' + field[i + 1:]
    if field == 'sharePolicy_limbs': yield 'sharePolicy.accessMask.limbs'

def numbers(b):
    for row, args in read('rm_status.def'):
        if row == 'VALUE': yield split(args)[3], int(split(args)[2], 0)
    for row, args in list(read('rm.def')) + list(read('uvm.def')):
        a = split(args)
        if row == 'CLASS' and covers(a[2], b): yield a[7], int(a[1], 0)
        elif row == 'CONTROL': yield a[3], int(a[1], 0)
        elif row == 'CALL': yield a[5], int(a[2], 0)
        elif row == 'CALL_OPAQUE': yield a[1], int(a[2], 0)

def check(repo, tag, cc):
    b, good = branch_of(tag), 0
    with tempfile.TemporaryDirectory() as tmp:
        archive = subprocess.run(['git', '-C', repo, 'archive', tag] + dirs, check=True, capture_output=True).stdout
        subprocess.run(['tar', 'x', '-C', tmp], input=archive, check=True)
        sdk = os.path.join(tmp, dirs[0])
        headers = ['nvtypes.h', 'nvstatus.h', 'nvos.h', 'alloc/alloc_channel.h'] if os.path.exists(sdk + '/alloc/alloc_channel.h') else \
                  ['nvtypes.h', 'nvstatus.h', 'nvos.h']
        headers += sorted('class/' + h for h in os.listdir(sdk + '/class') if re.match(r'cl[0-9a-f]{4}(sw)?\.h$', h))
        headers += sorted(f'ctrl/{d}{h}' for d in ('', 'ctrl0000/') for h in os.listdir(f'{sdk}/ctrl/{d}') if h.endswith('.h'))
        headers += ['nv_escape.h', 'nv-ioctl.h', 'nv-unix-nvos-params-wrappers.h', 'nv-ioctl-numbers.h', 'nv-ioctl-numa.h', 'uvm_linux_ioctl.h', 'uvm_ioctl.h']
        have = [h for h in headers if any(os.path.exists(f'{tmp}/{d}/{h}') for d in dirs)]
        asked = collections.OrderedDict()              # key -> expressions, one of which must hold; likely ones first
        for name, size, fields in structs(b):
            if ' ' in name or not size: continue
            kinds = ('struct ', '') if name.startswith('nv_ioctl') else ('', 'struct ')
            asked[name, 'size', size] = [f'sizeof({p}{name}) == {size}' for p in kinds]
            for f, off, n in fields:
                asked[name, f, f'offset {off}, {n} bytes'] = [
                    f'offsetof({p}{name}, {s}) == {off}' + (f' && sizeof((({p}{name} *)0)->{s}) == {n}' if n else '')
                    for s in spellings(f) for p in kinds]
        for name, v in numbers(b): asked[name, 'number', hex(v)] = [f'(unsigned)({name}) == {v}u']
        differs, left, headers_bad = [], asked, []
        for attempt in (slice(0, 1), slice(1, None)):  # most hold as spelt first; errors are slow
            lines = ['#include <stddef.h>', '#include <stdint.h>'] + [f'#include "{h}"' for h in have]
            at = {}
            for key, exprs in left.items():
                for e in exprs[attempt]:
                    lines.append(f'_Static_assert({e}, "differs");')
                    at.setdefault(key, []).append(len(lines))
            src = os.path.join(tmp, 'check.c')
            open(src, 'w').write('\n'.join(lines) + '\n')
            r = subprocess.run([cc, '-std=gnu11', '-fsyntax-only', '-fmax-errors=0', '-w', '-fno-diagnostics-show-caret', '-fno-diagnostics-color',
                                '-DNV_UNIX', '-DNV_LINUX', '-DNVCPU_X86_64', *[f'-I{tmp}/{d}' for d in dirs], src], capture_output=True, text=True)
            wrong = {}                                 # line -> its first message
            for m in re.finditer(r'check\.c:(\d+):\d+: (?:fatal )?error: (.*)', r.stderr): wrong.setdefault(int(m.group(1)), m.group(2))
            headers_bad += [w for n, w in wrong.items() if 'Static_assert' not in lines[n - 1]]
            headers_bad += [l for l in r.stderr.splitlines() if 'error:' in l and 'check.c:' not in l]
            again = collections.OrderedDict()
            for key, exprs in left.items():
                bad = [wrong[n] for n in at.get(key, []) if n in wrong]
                if key in at and len(bad) < len(at[key]): good += 1
                elif any('static assertion failed' in w for w in bad): differs.append(key)
                else: again[key] = exprs
            left = again
        absent = list(left)
    print(f'{tag}: branch {branches[b]}: {good} agree, {len(differs)} differ, {len(absent)} not in its headers')
    for l in headers_bad[:5]: print('  headers:', l)
    for name, what, ours in differs: print(f'  differs: {name}.{what}: ours is {ours}')
    fields = [k for k in absent if k[1] != 'number']
    for name, what, ours in fields: print(f'  no such field or struct: {name}.{what} ({ours})')
    names = [k[0] for k in absent if k[1] == 'number']
    if names: print('  no such name:', ' '.join(names))
    return bool(differs or headers_bad or not good)

if len(sys.argv) < 3: sys.exit(__doc__)
sys.exit(max([check(sys.argv[1], t, os.environ.get('CC', 'gcc')) for t in sys.argv[2:]]))
