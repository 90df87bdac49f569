#!/usr/bin/env python3
"""The reference, made from gpuarr.h's contracts: HTML pages and man pages.

    tools/reference.py HEADER PLAIN OUT [MAN]

HEADER  gpuarr.h; its siblings in ext/ are found beside it
PLAIN   gpuarr_plain.h: the prototypes of what macros declare
OUT     folder of the pages: one a room, index.html with a search box
MAN     folder of the man pages, section 3

A room is what stands between two >>anchors. In it a comment that begins a line
is the contract of the declarations behind it, up to the next. Ends with 1 and
the names where a function has no contract."""
import html
import os
import re
import sys

CSS = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --link: #0a58ca; }
@media (prefers-color-scheme: dark) { :root { --link: #7ab7ff; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
pre, code { font: 14px/1.45 ui-monospace, monospace; }
span:target { outline: 2px solid var(--link); }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: .3rem; }
section { border-top: 1px solid var(--line); padding-top: .5rem; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .1rem 1rem; }
dt { font: 14px/1.6 ui-monospace, monospace; } dd { margin: 0; }
table { border-collapse: collapse; } td { padding: .1rem .8rem .1rem 0; vertical-align: top; }
nav { columns: 14rem; } nav a { display: block; }
input { font: inherit; width: 100%; padding: .4rem; margin: .5rem 0; }
#found a { display: inline-block; margin-right: 1rem; }
@media (max-width: 36rem) { dl { display: block; } dd { margin-left: 1.5rem; } }
"""
SEARCH = """
const box = document.querySelector('input'), out = document.querySelector('#found');
box.addEventListener('input', () => {
    const q = box.value.trim().toLowerCase().replace(/^.*[.]/, '');
    out.replaceChildren();
    if (!q) return;
    const hits = NAMES.filter(n => n[0].includes(q));
    hits.sort((a, b) => a[0].replace('ga_', '').indexOf(q) - b[0].replace('ga_', '').indexOf(q)
                        || a[0].length - b[0].length);
    for (const [name, page] of hits.slice(0, 60)) {
        const a = document.createElement('a');
        a.href = page + '.html#' + name;
        a.textContent = name;
        out.append(a);
    }
});
"""


class Entry:
    """A contract and the declarations behind it."""

    def __init__(self, text, code):
        self.text, self.code, self.names = text, code, []


class Room:
    def __init__(self, name, title):
        self.name, self.title, self.entries = name, title, []


def comment_text(block):
    """A comment's words without its frame."""
    lines = block[2:-2].split('\n')
    lines[0] = re.sub(r'^ ?=+ *>>[\w-]+ *(=+)?', '', lines[0]).strip()
    out = [lines[0]] + [re.sub(r'^   ?', '', l).rstrip() for l in lines[1:]]
    while out and not out[0].strip():
        out.pop(0)
    while out and not out[-1].strip():
        out.pop()
    return out


def rooms_of(path):
    """The public rooms of a header, in their order."""
    source = open(path).read()
    end = re.search(r'^/\* =+ >>(macros|implementation|i-\w+)', source, re.M)
    public = source[:end.start()] if end else source.split('#ifdef GPUARR_IMPLEMENTATION')[0]
    titles = dict(re.findall(r'>>([\w-]+) {2,}(\S.*)', public))
    rooms, marks = [], list(re.finditer(r'^/\* =+ >>([\w-]+)', public, re.M))
    for mark, after in zip(marks, marks[1:] + [None]):
        room = Room(mark[1], titles.get(mark[1], '').strip())
        part = public[mark.start():after.start() if after else len(public)]
        pieces = re.split(r'(?m)^(/\*.*?\*/)', part, flags=re.S)
        for i in range(1, len(pieces), 2):
            room.entries.append(Entry(comment_text(pieces[i]), pieces[i + 1].strip('\n')))
        rooms.append(room)
    return rooms


def prototypes_of(path):
    """Name to prototype, of all functions."""
    found = {}
    for piece in re.sub(r'\s+', ' ', open(path).read()).split(';'):
        m = re.match(r' ?((?:const |unsigned |struct )*\w+ \**)(ga_\w+)(\(.*\))$', piece)
        if m and 'typedef' not in m[1]:
            found[m[2]] = m[1] + m[2] + m[3] + ';'
    return found


def place(rooms, prototypes):
    """Gives every function to the entry that declares it; the others' names."""
    direct, by_row, by_head = {}, {}, {}
    for room in rooms:
        for e in room.entries:
            for name in re.findall(r'\b(ga_\w+)\)?\(', e.code):
                direct.setdefault(name, (room, e))
            for name in re.findall(r'(?:\b|GA__)X\w*\((\w+)', e.code):
                by_row.setdefault('ga_' + name, (room, e))
            for head in re.findall(r'\b(ga_\w+_)##', e.code):
                by_head.setdefault(head, (room, e))
    left = []
    for name in prototypes:
        at = direct.get(name) or by_row.get(name)
        base = name
        while not at and '_' in base[3:]:
            base = base.rsplit('_', 1)[0]
            at = by_row.get(base) or direct.get(base)
        for head in by_head:        # ga_random_##n: the entry of the row, else of the head
            if not at and name.startswith(head):
                rows = [r for r in by_row if name.startswith(head + r[3:])]
                at = by_row[max(rows, key=len)] if rows else by_head[head]
        if at:
            at[1].names.append(name)
        else:
            left.append(name)
    return left


def linked(text, where, here):
    def link(m):
        room = where.get(m[0])
        if not room:
            return m[0]
        page = '' if room == here else room + '.html'
        return '<a href="%s#%s">%s</a>' % (page, m[0], m[0])
    text = re.sub(r'\bga_\w+', link, html.escape(text))
    return re.sub(r'&gt;&gt;([\w-]+)', r'<a href="\1.html">\1</a>', text)


def prose(lines, where, here):
    """Paragraphs, lists of words and their meanings, code: by their indent."""
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        if not line.strip():
            i += 1
        elif line.startswith('    '):
            block = []
            while i < len(lines) and (lines[i].startswith('    ') or not lines[i].strip()):
                block.append(lines[i][4:])
                i += 1
            out.append('<pre>%s</pre>' % linked('\n'.join(block).rstrip(), where, here))
        elif re.match(r'\S+( \S+){0,3} {2,}\S', line):
            rows = []
            while i < len(lines) and lines[i].strip():
                m = re.match(r'(\S+(?: \S+){0,3}) {2,}(\S.*)', lines[i])
                if m:
                    rows.append([m[1], m[2]])
                elif lines[i].startswith('  '):
                    rows[-1][1] += ' ' + lines[i].strip()
                else:
                    break
                i += 1
            out.append('<dl>%s</dl>' % ''.join(
                '<dt>%s</dt><dd>%s</dd>' % (linked(a, where, here), linked(b, where, here)) for a, b in rows))
        else:
            words = []
            while i < len(lines) and lines[i].strip() and not lines[i].startswith('    '):
                words.append(lines[i].strip())
                i += 1
            out.append('<p>%s</p>' % linked(' '.join(words), where, here))
    return '\n'.join(out)


def page(title, body, script=''):
    return ('<!doctype html>\n<html lang="en"><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<title>%s</title>\n<style>%s</style>\n%s\n%s</html>\n'
            % (html.escape(title), CSS, body, script and '<script>%s</script>\n' % script))


def row_table(e):
    """The operations of a table, and what each one's comment says."""
    rows = re.findall(r'\bX\w*\((\w+)[^\n]*?\)\s*/\* (.*?) \*/', e.code)
    if not rows:
        return ''
    return '<table>%s</table>' % ''.join(
        '<tr><td><code><a href="#ga_%s">ga_%s</a></code><td>%s' % (n, n, html.escape(t)) for n, t in rows)


def signature(text):
    """A prototype over several lines where it is long."""
    if len(text) < 88:
        return text
    head, rest = text.split('(', 1)
    out, line = [], head + '('
    for arg in rest.split(', '):
        piece = arg if arg.endswith(';') else arg + ', '
        if len(line) + len(piece) > 88:
            out.append(line.rstrip())
            line = '    '
        line += piece
    return '\n'.join(out + [line])


def write_pages(rooms, prototypes, out):
    os.makedirs(out, exist_ok=True)
    where = {n: r.name for r in rooms for e in r.entries for n in e.names}
    for r in rooms:
        body = ['<p><a href="index.html">gpuarr</a></p><h1>%s</h1><p>%s</p>' % (r.name, html.escape(r.title))]
        for e in r.entries:
            body.append('<section>')
            body.append(prose(e.text, where, r.name))
            body.append(row_table(e))
            if e.names:
                body.append('<pre>%s</pre>' % '\n'.join(
                    '<span id="%s">%s</span>' % (n, html.escape(signature(prototypes[n]))) for n in e.names))
            rest = '\n'.join(l for l in e.code.split('\n') if not re.match(r'#(if|else|endif|undef|pragma)', l))
            if rest.strip() and not e.names and 'define GA__' not in rest:
                body.append('<pre>%s</pre>' % html.escape(rest.strip('\n')))
            body.append('</section>')
        write(os.path.join(out, r.name + '.html'), page('gpuarr: ' + r.name, '\n'.join(filter(None, body))))
    names = ','.join('["%s","%s"]' % (n, where[n]) for n in sorted(where))
    body = ['<h1>gpuarr</h1><p>NumPy for C, on CUDA devices and on the CPU: the reference. NumPy\'s name with '
            '<code>ga_</code> before it is this library\'s.</p>',
            '<input type="search" placeholder="a name: cumsum, np.linalg.svd ..." autofocus><div id="found"></div>',
            '<table>%s</table>' % ''.join('<tr><td><a href="%s.html">%s</a><td>%s'
                                          % (r.name, r.name, html.escape(r.title)) for r in rooms),
            '<h2>All functions</h2><nav>%s</nav>' % ''.join(
                '<a href="%s.html#%s">%s</a>' % (where[n], n, n) for n in sorted(where))]
    write(os.path.join(out, 'index.html'),
          page('gpuarr: reference', '\n'.join(body),
               'const NAMES = [%s];%s' % (names, SEARCH)))


def write_man(rooms, prototypes, out, version):
    os.makedirs(out, exist_ok=True)
    quote = lambda l: re.sub(r"^([.'])", r'\\&\1', l.replace('\\', '\\e').replace('-', '\\-'))
    for r in rooms:
        for e in r.entries:
            if not e.names:
                continue
            first = e.names[0]
            text = ['.TH %s 3 "" "gpuarr %s" "gpuarr: %s"' % (first.upper(), version, r.name), '.SH NAME',
                    '%s \\- %s' % (', '.join(e.names), r.title or r.name), '.SH SYNOPSIS', '.nf', '#include <gpuarr.h>', '']
            text += [quote(l) for n in e.names for l in signature(prototypes[n]).split('\n')]
            text += ['.fi', '.SH DESCRIPTION', '.nf'] + [quote(l) for l in e.text] + ['.fi']
            write(os.path.join(out, first + '.3'), '\n'.join(text) + '\n')
            for n in e.names[1:]:
                write(os.path.join(out, n + '.3'), '.so man3/%s.3\n' % first)


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    header, plain, out = sys.argv[1:4]
    prototypes = {n: p for n, p in prototypes_of(plain).items() if not n.startswith('ga__')}
    rooms = rooms_of(header)
    ext = os.path.join(os.path.dirname(header), 'ext')
    for name in sorted(os.listdir(ext)) if os.path.isdir(ext) else []:
        if name.endswith('.h'):
            for r in rooms_of(os.path.join(ext, name)):
                r.name = name[7:-2] + '-' + r.name
                rooms.append(r)
    left = place(rooms, prototypes)
    version = '.'.join(re.findall(r'#define GA_VERSION_M\w+ (\d+)', open(header).read()))
    write_pages(rooms, prototypes, out)
    if len(sys.argv) == 5:
        write_man(rooms, prototypes, sys.argv[4], version)
    print('%d functions in %d rooms' % (len(prototypes) - len(left), len(rooms)))
    if left:
        sys.exit('without a contract: ' + ' '.join(left))


if __name__ == '__main__':
    main()
