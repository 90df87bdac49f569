#!/usr/bin/env bash
# The reference: every function has a contract and an example that runs, NumPy's
# names are NumPy's, no link leads nowhere; the gallery and the cheat sheet are
# what `make docs` makes of the examples and the tables.
set -u
. tests/check.sh
tmp=$(mktemp -d)
trap 'rm -rf "$log" "$tmp"' EXIT
command -v python3 >/dev/null || { echo '[  SKIPPED ] the reference: no python3'; finish; exit; }
export PYTHONDONTWRITEBYTECODE=1 GPUARR_DEVICE=cpu

ran() {
    python3 tools/reference.py program gpuarr.h "$B/gpuarr_plain.h" >"$tmp/examples.c" &&
        $CC $CFLAGS -O0 -Wno-unused "$tmp/examples.c" -o "$tmp/examples" "$B/libgpuarr.a" $LIBS &&
        (cd "$tmp" && ./examples >ran.txt)
}
pages() {
    python3 tools/reference.py pages gpuarr.h "$B/gpuarr_plain.h" "$tmp/ran.txt" "$tmp/docs" "$tmp/man"
}
leads() { # every link of the pages, and of the search box, to an anchor
    python3 - "$tmp/docs" <<'EOF'
import os, re, sys
os.chdir(sys.argv[1])
pages = {f: open(f).read() for f in os.listdir('.')}
anchors = {f: set(re.findall(r'id="([^"]+)"', t)) for f, t in pages.items()}
names = re.findall(r'\["(\w+)","([\w-]+)","([\w-]+)","\w*"\]', pages['index.html'])
bad = [(n, p, a) for n, p, a in names if a not in anchors[p + '.html']]
for f, t in pages.items():
    for to in re.findall(r'href="([^"]+)"', t):
        page, _, anchor = to.partition('#')
        if (page or f) not in pages or anchor and anchor not in anchors[page or f]:
            bad.append((f, to))
found = {n for n, _, _ in names}
bad += [n for n in ('ga_add', 'ga_slice', 'GA_EVAL', 'GA_AT', 'GA_TRANS', 'ga_axis', 'ga_cg') if n not in found]
sys.exit('%s' % bad if bad or len(names) < 1000 else 0)
EOF
}
numpy_has() { # what the tables of docs/ call NumPy's or SciPy's is; none is missing
    python3 - gpuarr.h "$B/gpuarr_plain.h" <<'EOF'
import re, sys
sys.path.insert(0, 'tools')
import reference
import numpy as np
there, bad = {'np': np, 'rng': np.random.default_rng(), 'x': np.ones(1)}, []
ref = reference.Reference(*sys.argv[1:])
for name, (_, what) in ref.foreign.items():
    m = re.match(r'((?:np|rng|x)(?:\.[a-z]\w*)+)', what)
    at = there[m[1].split('.')[0]] if m else None
    for part in m[1].split('.')[1:] if m else []:
        at = getattr(at, part, None)
    if m and at is None and not (part == 'unstack' or np.__version__ < '2.2'):
        bad.append(what)
for name in ref.prototypes:
    for where in (np, np.linalg, np.fft):
        if callable(getattr(where, name[3:], None)) and name not in ref.foreign:
            bad.append('%s is in %s and not in docs/from-numpy.md' % (name, where.__name__))
sys.exit('\n'.join(bad) if bad else 0)
EOF
}
# What clangd shows over a name: its macro's text, else the comment right before
# its prototype. Not of _into forms, nor of what a row of an X-macro declares.
hover_says() {
    printf '#include "%s"\n' gpuarr.h ext/gpuarr_*.h >"$tmp/all.c"
    local all=(clang -std=c11 -I. -Iext -DGPUARR_NO_CUDA "$tmp/all.c")
    "${all[@]}" -dM -E >"$tmp/macros" &&
        "${all[@]}" -fsyntax-only -fparse-all-comments -Xclang -ast-dump=json >"$tmp/ast" &&
        python3 - "$tmp" gpuarr.h ext/gpuarr_*.h <<'EOF'
import json, re, sys
macros = set(re.findall(r'(?m)^#define (ga_\w+)\(', open(sys.argv[1] + '/macros').read()))
says = {n for f in sys.argv[2:] for n in re.findall(r'(?m)^#define (ga_\w+)\([^)]*\) /\*', open(f).read())}
names = set()
for d in json.load(open(sys.argv[1] + '/ast'))['inner']:
    name = d.get('name', '')
    if d['kind'] == 'FunctionDecl' and re.match(r'ga_(?!_)', name) and d.get('storageClass') != 'static' \
            and not name.endswith('_into') and (name in macros or 'expansionLoc' not in d['loc']):
        names.add(name)
        if name not in macros and any(c['kind'] == 'FullComment' for c in d.get('inner', [])):
            says.add(name)
print(len(names), 'functions')
sys.exit(' '.join(sorted(names - says)) or (len(names) < 700 and 'too few'))
EOF
}
same() { # FILE COMMAND...
    local file=$1
    shift
    "$@" >"$tmp/made" && diff "$file" "$tmp/made" || { echo "$file: make docs"; return 1; }
}
check "docs/examples.txt runs" ran
check 'every function has a contract and an example' pages
check 'links of the reference lead somewhere' leads
check 'docs/gallery.md is up to date' same docs/gallery.md python3 tools/gallery.py
check 'docs/cheat-sheet.svg is up to date' same docs/cheat-sheet.svg \
    python3 tools/cheat_sheet.py gpuarr.h "$B/gpuarr_plain.h"
check "macros show their rows' meaning: tools/reference.py hover" \
    same gpuarr.h python3 tools/reference.py hover gpuarr.h "$B/gpuarr_plain.h"
if command -v clang >/dev/null; then
    check 'an editor shows a line for every function' hover_says
fi
if python3 -c 'import numpy' 2>/dev/null; then
    check "NumPy's names are NumPy's" numpy_has
fi
finish
