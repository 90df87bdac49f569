#!/usr/bin/env python3
"""docs/cheat-sheet.svg, one A4 page, made of docs/cheat-sheet.txt and gpuarr.h's tables.

    tools/cheat_sheet.py HEADER PLAIN > docs/cheat-sheet.svg

Every ga_ name must exist, and every row of a table that the text names is in it.
Ends with 1 where the page is full."""
import html
import os
import re
import sys
import textwrap

import reference

WIDE, HIGH, MARGIN, COLUMNS, GAP = 595, 842, 26, 2, 12
SIZE, LEAD, TOP = 7.2, 8.55, 50
CHARS = int((WIDE - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS / (SIZE * 0.6))


def lines_of(ref, path):
    """(class, text, meaning) of each line of the page."""
    known = set(ref.prototypes) | {w for e in ref.entries() for w in re.findall(r'\b(?:ga|GA)_\w+', e.code)}
    known |= {m for e in ref.entries() for m, _ in e.macros}
    text = open(path).read()
    wrong = [n for n in re.findall(r'\b(?:ga|GA)_\w+', text) if n not in known]
    if wrong:
        sys.exit('%s: no such names: %s' % (path, ' '.join(wrong)))
    rows = lambda m: ' '.join(r.lower() if m[1] == 'GA_DTYPES' else r for r in ref.tables[m[1]])
    for line in text.split('\n'):
        if line.startswith('== '):
            yield 'h', line[3:], ''
        elif '{GA_' in line:
            head, space, rest = line.rpartition('  ')
            if head:
                yield 'c', head, ''
            for l in textwrap.wrap(re.sub(r'\{(\w+)\}', rows, rest), CHARS):
                yield 't', l, ''
        elif line and not line.startswith('# '):
            m = re.match(r'( *\S.*?)  +(\S.*)$', line)
            code, meaning = m.groups() if m else (line, '')
            if len(code) + 2 + len(meaning) <= CHARS:
                yield 'c', code, meaning
            else:
                yield 'c', code, ''
                if meaning:
                    yield 't', '    ' + meaning, ''


def main():
    ref = reference.Reference(*sys.argv[1:3])
    root = os.path.dirname(os.path.abspath(sys.argv[1]))
    parts = []
    for line in lines_of(ref, os.path.join(root, 'docs', 'cheat-sheet.txt')):
        if line[0] == 'h':
            parts.append([])
        parts[-1].append(line)
    wide = (WIDE - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS
    print('<svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" viewBox="0 0 %d %d">' % (WIDE, HIGH))
    print('<style>text{font:%gpx ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre;fill:#111}'
          '.h{font-weight:700;fill:#0a58ca}.t{fill:#555}.big{font:700 15px system-ui,sans-serif}'
          '.sub{font:8px system-ui,sans-serif;fill:#555}</style><rect width="100%%" height="100%%" fill="#fff"/>' % SIZE)
    print('<text class="big" x="%d" y="30">gpuarr</text><text class="sub" x="%d" y="30">%s</text>'
          % (MARGIN, MARGIN + 62, html.escape("NumPy for C, on CUDA devices and on the CPU. Version %s; NumPy's name with ga_ "
                                              "before it." % ref.version)))
    column, y = 0, TOP
    for part in parts:
        if y + LEAD * (len(part) + 0.6) > HIGH - MARGIN / 2:
            column, y = column + 1, TOP
        for kind, text, meaning in part:
            y += 0.6 * LEAD * (kind == 'h' and y > TOP)
            x = MARGIN + column * (wide + GAP)
            more = meaning and '<tspan class="t">  %s</tspan>' % html.escape(meaning)
            print('<text class="%s" x="%.1f" y="%.2f">%s%s</text>' % (kind, x, y, html.escape(text), more))
            y += LEAD
    print('</svg>')
    if column >= COLUMNS:
        sys.exit('cheat_sheet.py: %d columns' % (column + 1))


if __name__ == '__main__':
    main()
