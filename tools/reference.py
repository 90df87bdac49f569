#!/usr/bin/env python3
"""The reference, made from gpuarr.h's contracts: HTML pages and man pages.

    tools/reference.py program HEADER PLAIN        > examples.c
    tools/reference.py pages HEADER PLAIN RAN OUT [MAN]
    tools/reference.py hover HEADER PLAIN          > gpuarr.h

HEADER  gpuarr.h; its siblings in ext/ and docs/ are found beside it
PLAIN   gpuarr_plain.h: the prototypes of what macros declare
RAN     what the program of docs/examples.txt has printed
OUT     folder of the pages: one a room, index.html with a search box
MAN     folder of the man pages, section 3

A room is what stands between two >>anchors. In it a comment that begins a line
is the contract of the declarations behind it, up to the next. A row of an
operation table says in its comment what it means. NumPy's names are those of
the tables of docs/from-numpy.md and its like. `hover` puts the meaning of a row into its
macro's text in >>macros, where an editor shows it. Ends with 1 and the names where a
function has no contract, or no example and no reason in docs/examples.txt."""
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
div:target { outline: 2px solid var(--link); outline-offset: .3rem; }
pre { background: var(--soft); padding: .6rem .8rem; overflow-x: auto; border-radius: .3rem; margin: .5rem 0; }
pre.out { background: none; border-left: 3px solid var(--line); border-radius: 0; }
section { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 1.5rem; }
h3 { font: 600 16px/1.5 ui-monospace, monospace; margin: 1rem 0 0; }
h3 + p { margin: 0; }
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
function look() {
    const q = box.value.trim().toLowerCase().replace(/^.*[.]/, '');
    out.replaceChildren();
    if (!q) return;
    const hits = NAMES.filter(n => n[0].toLowerCase().includes(q) || n[3].toLowerCase().includes(q));
    const at = n => { const i = n[0].toLowerCase().replace(/^ga_/, '').indexOf(q); return i < 0 ? 99 : i; };
    hits.sort((a, b) => at(a) - at(b) || a[0].length - b[0].length);
    for (const [name, page, id] of hits.slice(0, 60)) {
        const a = document.createElement('a');
        a.href = page + '.html#' + id;
        a.textContent = name;
        out.append(a);
    }
}
box.addEventListener('input', look);
if (location.hash) { box.value = decodeURIComponent(location.hash.slice(1)); look(); }
"""


class Entry:
    """A contract and the declarations behind it."""

    def __init__(self, text, code):
        self.text, self.code, self.names, self.macros = text, code, [], []


class Room:
    def __init__(self, name, title):
        self.name, self.title, self.entries = name, title, []


class Example:
    """Functions, and statements that show them; or why there are none."""

    def __init__(self, names, code, why=''):
        self.names, self.code, self.why, self.output = names, code, why, ''


# ------------------------------------------------------------------ reading
# A line without a full stop says what the one function behind it does.
REMARK = r'/\*(?! *=) *(%s[^\n]*[^.\s]) *\*/\sGA_API'


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
    end = re.search(r'^/\* =+ >>(macros|abi|implementation|i-\w+)', source, re.M)
    public = source[:end.start()] if end else source.split('#ifdef GPUARR_IMPLEMENTATION')[0]
    titles = dict(re.findall(r'>>([\w-]+) {2,}(\S.*)', public))
    rooms, marks = [], list(re.finditer(r'^/\* =+ >>([\w-]+)', public, re.M))
    for mark, after in zip(marks, marks[1:] + [None]):
        room = Room(mark[1], titles.get(mark[1], '').strip())
        part = public[mark.start():after.start() if after else len(public)]
        pieces = re.split(r'(?m)^(?!%s)(/\*.*?\*/)' % (REMARK % '?:'), part, flags=re.S)
        for i in range(1, len(pieces), 2):
            room.entries.append(Entry(comment_text(pieces[i]), pieces[i + 1].strip('\n')))
        rooms.append(room)
    return rooms


def prototypes_of(path):
    """Name to prototype, of all functions."""
    found = {}
    for piece in re.sub(r'\s+', ' ', open(path).read()).split(';'):
        m = re.match(r' ?((?:const |unsigned |struct )*\w+ \**)(ga_\w+)(\(.*\)) ?$', piece)
        if m and 'typedef' not in m[1] and not m[2].startswith('ga__'):
            found[m[2]] = (m[1] + m[2] + m[3] + ';').replace('_Bool', 'bool')
    return found


def rows_of(code):
    """The rows of X-macro tables: name to its columns and comment."""
    rows = {}
    for m in re.finditer(r'\bX\w*\((?=\w)', code):
        depth, i, cells, quoted = 1, m.end(), [''], False
        while depth and i < len(code):
            c = code[i]
            quoted ^= c == '"'
            depth += 0 if quoted else (c == '(') - (c == ')')
            if c == ',' and depth == 1 and not quoted:
                cells.append('')
            elif depth:
                cells[-1] += c
            i += 1
        comment = re.match(r'[\s\\]*/\* (.*?) \*/', code[i:])
        rows.setdefault(cells[0].strip(), ([c.strip() for c in cells], comment[1] if comment else ''))
    return rows


def tables_of(rooms):
    """Each #define TABLE(X) ... of the header, by its name."""
    tables = {}
    for e in (e for r in rooms for e in r.entries):
        for m in re.finditer(r'#define (GA_\w+)\(X\)((?:.*\\\n)*.*)', e.code):
            tables[m[1].replace('GA__', 'GA_')] = rows_of(m[2])
    return tables


def place(rooms, prototypes):
    """Gives every function and macro to the entry that declares it; the others' names."""
    direct, by_row, by_head = {}, {}, {}
    for room in rooms:
        for e in room.entries:
            for name in re.findall(r'\b(ga_\w+)\)?\(', e.code):
                direct.setdefault(name, (room, e))
            for name in re.findall(r'(?:\b|GA__)X\w*\((\w+)', e.code):
                by_row.setdefault('ga_' + name, (room, e))
            for head in re.findall(r'\b(ga_\w+_)##', e.code):
                by_head.setdefault(head, (room, e))
            for name, args in re.findall(r'#define ((?:ga|GA)_[A-Za-z]\w*)(\([^)]*\))?', e.code):
                if name not in prototypes and args != '(X)' and name not in [m for m, _ in e.macros]:
                    e.macros.append((name, args))
    left = []
    for name in prototypes:
        at = direct.get(name) or by_row.get(name)
        base = name
        while not at and '_' in base[3:]:
            base = base.rsplit('_', 1)[0]
            at = by_row.get(base) or direct.get(base)
        for head in by_head:        # ga_random_##n: the entry of the row in its room, else of the head
            if not at and name.startswith(head):
                rows = [r for r in by_row if name.startswith(head + r[3:]) and by_row[r][0] is by_head[head][0]]
                at = by_row[max(rows, key=len)] if rows else by_head[head]
        if at:
            at[1].names.append(name)
        else:
            left.append(name)
    return left


def base_of(name, prototypes):
    """What a _into form is of: f_into of f."""
    return name[:-5] if name.endswith('_into') and name[:-5] in prototypes else name


# ------------------------------------------------------------- NumPy's names
def spans(cell):
    return [s.replace('\\|', '|') for s in re.findall(r'`([^`]+)`', cell)]


def last_name(span):
    m = re.findall(r'[A-Za-z_]\w*', span.split('(')[0])
    return m[-1] if m else ''


def right_names(cell, prototypes):
    """The functions of a table's right side, those joined by "or" together."""
    out, end = [], None
    for m in re.finditer(r'`([^`]+)`', cell):
        name = re.match(r'\(?\*?(ga_\w+)', m[1])
        name = [name[1]] if name and name[1] in prototypes else []
        if end is not None and cell[end:m.start()].strip() == 'or':
            out[-1] += name
        else:
            out.append(name)
        end = m.end()
    return out


def foreign_names(folder, prototypes):
    """Function to what other libraries call it, by the tables of docs/: by the same
    name, else, where both sides of a row have as many, by the place."""
    found, placed = {}, {}
    for page, title in (('from-numpy.md', 'NumPy'), ('from-cupy.md', 'CuPy'), ('sparse.md', 'SciPy'),
                        ('many-gpus.md', 'mpi4py, torch or Dask')):
        for line in open(os.path.join(folder, page)):
            cells = re.split(r'(?<!\\)\|', line.strip())
            if len(cells) != 4 or 'gpuarr' in cells[2] or cells[1].startswith('--'):
                continue
            left = [s for s in spans(cells[1]) if not re.match(r'\w+=', s)]
            right, prefix = right_names(cells[2], prototypes), ''
            for k, span in enumerate(left):
                head = re.match(r'((?:[a-z0-9_]+\.)+)[a-z]\w', span)
                if head:
                    prefix = head[1] if head[1] != 'x.' else ''
                full = span if head or not re.match(r'[a-z]\w*(\(|$)', span) else prefix + span
                says = title if not full.startswith(('cupy', 'jax', 'torch', 'numba')) else 'others'
                rng = prefix == 'rng.'
                own = prefix.startswith(('np.', 'scipy.', 'numba.')) or not rng and 'same' in cells[2]
                for name, any_row in (('ga_' + last_name(span), own), ('ga_random_' + last_name(span), rng)):
                    if name in prototypes and (any_row or [name] in right):
                        found.setdefault(name, (says, full))
                if len(left) == len(right):
                    for name in right[k]:
                        placed.setdefault(name, (says, full))
    for name, what in placed.items():
        found.setdefault(name, what)
    for name in prototypes:         # ga_linspace_as is linspace's
        base = re.sub(r'_(as|at|by|array|axes|rtol|full|counts|many|axis|[iuc]\d+|unversioned|async)$', '', name)
        if name not in found and base in found:
            found[name] = found[base]
    return found


# ----------------------------------------------------------------- examples
def examples_of(path, tables, prototypes, macros):
    """The examples of docs/examples.txt, the rows of tables filled in."""
    out, given, heads, code, uncalled = [], [], None, [], []
    known = lambda n: n in prototypes or n in macros

    def close():
        if heads is None:
            return
        if heads == 'given':
            given.extend(code)
            return
        words = heads.split()
        if re.match(r'GA_[A-Z_0-9]+$', words[0]):
            return fill(words, code)
        names = ['ga_' + w for w in words]
        wrong = [n for n in names if not known(n)]
        if wrong or not code:
            sys.exit('%s: no function, or no statements: %s' % (path, ' '.join(wrong or names)))
        text = '\n'.join(code)
        words = re.findall(r'\b(?:ga|GA)_\w+', text)
        for n in names:         # called, or by its macro: GA_DEVICE is ga_device_begin's
            if n not in words and not any(w.isupper() and (n.startswith(w.lower()) or n in macros.get(w, '')) for w in words):
                uncalled.append(n)
        out.append(Example(names, code))

    def fill(words, code):
        if words[0] not in tables:
            sys.exit('%s: no table %s' % (path, words[0]))
        shapes = set(re.findall(r'ga_(\w*NAME\w*)\(', '\n'.join(code)))
        for row, (cells, _) in tables[words[0]].items():
            letters = ''.join(re.findall(r'GA__([A-Z]+)', cells[1])) if len(cells) > 1 else ''
            letters = letters or (cells[1] if len(cells) > 1 else '')
            names = ['ga_' + s.replace('NAME', row) for s in sorted(shapes, key=len)]
            if len(words) > 1 and not set(words[1]) & set(letters) or not known(names[0]):
                continue
            body = [l.replace('NAME', row) for l in code]
            if len(cells) > 6:
                body = [re.sub(r'\bHI\b', cells[6], re.sub(r'\bLO\b', cells[5], l)) for l in body]
            out.append(Example(names, body, 'row'))

    for line in open(path):
        line = line.rstrip()
        m = re.match(r'(\w[\w ]*):(?: none, (.*))?$', line)
        if line.startswith('    '):
            code.append(line[4:])
        elif m:
            close()
            heads, code = m[1], []
            if m[2]:
                out.append(Example(['ga_' + w for w in heads.split()], [], m[2]))
                heads = None
        elif line and not line.startswith('#'):
            sys.exit('%s: %s' % (path, line))
    close()
    if uncalled:
        sys.exit('%s: not called in their examples: %s' % (path, ' '.join(uncalled)))
    own = {n for e in out if e.why != 'row' for n in e.names}
    taken, kept = set(), []
    for e in out:           # the first that fits, and a row's own example before a table's
        if e.why == 'row':
            if e.names[0] in own or e.names[0] in taken:
                continue
            e.why = ''
        taken.update(e.names)
        e.code = with_given(e.code, given)
        kept.append(e)
    return kept


def with_given(code, given):
    """The lines of `given:` that declare what the statements use, and these."""
    def names(line):
        return re.findall(r'\*?\b(\w+)(?:\[\])? = |\*(\w+);', line)

    need = []
    words = re.sub(r'"[^"]*"|/\*.*?\*/|->\w+|\.\w+', '', '\n'.join(code))
    for line in reversed(given):
        declared = [a or b for a, b in names(line)]
        text = words + '\n'.join(need)
        for n in declared[-1:]:
            if re.search(r'\b%s\b' % n, text) and not re.search(r'(\*|ga_\w+ |int |char )%s\b\s*([=;,]|\[)' % n, words):
                need.insert(0, line)
    return need + code


def write_program(examples, out):
    """A program that runs them all; its output is what write_pages wants."""
    print('/* Generated from docs/examples.txt by tools/reference.py. */', file=out)
    print('#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n#include "gpuarr.h"', file=out)
    for ext in ('rtc', 'plot', 'sparse', 'comm'):
        print('#include "gpuarr_%s.h"' % ext, file=out)
    for k, e in enumerate(examples):
        if e.code:
            print('static ga_status example_%d(ga_comm *c, void *arg) {\n    GA_SCOPE;\n    (void)c, (void)arg;' % k,
                  file=out)
            print('\n'.join('    ' + l for l in e.code if 'ga_comm *c;' not in l), file=out)
            print('    return ga_error();\n}', file=out)
    print('static int failed;\n'
          'static void run(int k, const char *name, int ranks, ga_status (*f)(ga_comm *, void *)) {\n'
          '    printf("\\f%d\\n", k);\n'
          '    const ga_status st = ranks ? ga_comm_local(ranks, f, NULL) : f(NULL, NULL);\n'
          '    if (st == GA_ERR_LIBRARY) puts(ga_error_message());   /* built without */\n'
          '    else if (st || ga_live_arrays()) {\n'
          '        failed = 1;\n'
          '        fprintf(stderr, "%s: %s, %d arrays left\\n", name, ga_error_message(), (int)ga_live_arrays());\n'
          '    }\n'
          '    ga_clear_error();\n'
          '}\nint main(void) {', file=out)
    for k, e in enumerate(examples):
        if e.code:
            ranks = 2 if any('ga_comm *c;' in l for l in e.code) else 0
            print('    run(%d, "%s", %d, example_%d);' % (k, e.names[0], ranks, k), file=out)
    print('    return failed;\n}', file=out)


# -------------------------------------------------------------------- pages
def linked(text, where, here):
    def link(m):
        room = where.get(m[0])
        if not room:
            return m[0]
        return '<a href="%s#%s">%s</a>' % ('' if room[0] == here else room[0] + '.html', room[1], m[0])
    text = re.sub(r'\b(?:ga|GA)_\w+', link, html.escape(text))
    def room(m):                        # an ext's room names those beside it
        name = next((n for n in (here.split('-')[0] + '-' + m[1], m[1]) if '>>' + n in where), '')
        return '<a href="%s.html">%s</a>' % (name, m[1]) if name else m[1]
    return re.sub(r'&gt;&gt;([\w-]+)', room, text)


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
            while i < len(lines) and lines[i].strip() and not lines[i].startswith('    ') \
                    and not (words and re.match(r'[A-Za-z_]\S*( \S+){0,3} {2,}\S', lines[i])):
                words.append(lines[i].strip())
                i += 1
            out.append('<p>%s</p>' % linked(' '.join(words), where, here))
    return '\n'.join(out)


def page(title, body, script=''):
    return ('<!doctype html>\n<html lang="en"><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<title>%s</title>\n<style>%s</style>\n%s\n%s</html>\n'
            % (html.escape(title), CSS, body, script and '<script>%s</script>\n' % script))


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


def types_of(code):
    """The structs, enums and handles that an entry declares."""
    found = []
    code = code.replace('GA__EXT ', '')
    plain = re.sub(r'/\*.*?\*/', lambda m: re.sub(r'[{};]', ' ', m[0]), code, flags=re.S)
    for m in re.finditer(r'(?m)^(?:typedef |enum |struct \w+ \{)', plain):
        depth, end = 0, m.start()
        while end < len(plain) and (depth or plain[end] != ';'):
            depth += (plain[end] == '{') - (plain[end] == '}')
            end += 1
        if 'ga__' not in plain[m.start():end].split('{')[0]:
            found.append(code[m.start():end + 1])
    return found


class Reference:
    def __init__(self, header, plain, ran=None):
        root = os.path.dirname(os.path.abspath(header))
        self.prototypes = prototypes_of(plain)
        self.rooms = rooms_of(header)
        for name in sorted(os.listdir(os.path.join(root, 'ext'))):
            if name.endswith('.h'):
                for r in rooms_of(os.path.join(root, 'ext', name)):
                    r.name = name[7:-2] + '-' + r.name
                    self.rooms.append(r)
        self.version = '.'.join(re.findall(r'#define GA_VERSION_[MP]\w+ (\d+)', open(header).read()))
        self.tables = tables_of(self.rooms)
        self.left = place(self.rooms, self.prototypes)
        self.place_operands(open(header).read())
        macros = {m: '' for e in self.entries() for m, _ in e.macros}
        for e in self.entries():
            macros.update(re.findall(r'#define (GA_[A-Z]\w*)(?:\([^)]*\))? +(.*)', e.code))
        self.examples = examples_of(os.path.join(root, 'docs', 'examples.txt'), self.tables, self.prototypes, macros)
        self.example = {n: e for e in self.examples for n in e.names}
        self.foreign = foreign_names(os.path.join(root, 'docs'), self.prototypes)
        self.meaning, self.same = {}, {}
        for table, rows in self.tables.items():
            for row, (cells, comment) in rows.items():
                if table.endswith('ALIASES'):
                    self.same['ga_' + row] = 'ga_' + cells[1]
                elif comment:
                    self.meaning.setdefault('ga_' + ('random_' if 'DISTRIBUTIONS' in table else '') + row, comment)
        self.remark = {}                # what stands behind a declaration, before it, in its macro
        for e in self.entries():
            self.remark.update(re.findall(r'\b(ga_\w+)\)?\([^;{}]*\)[^;\n]*; *'
                                          r'/\* (\S.*?) *\*/$', e.code, re.M))
            self.remark.update((n, t) for t, n in re.findall('(?m)^' + REMARK % '' + r'[^;{}]*?\b(ga_\w+)\)?\(', e.code))
        for name, text in re.findall(r'(?m)^#define (ga_\w+)\([^)]*\) /\* (.*?) \*/', open(header).read()):
            self.remark.setdefault(name, text)
        if ran:
            for part in open(ran).read().split('\f')[1:]:
                k, text = part.split('\n', 1)
                self.examples[int(k)].output = text.rstrip('\n')

    def entries(self):
        return [e for r in self.rooms for e in r.entries]

    def place_operands(self, source):
        """GA_AT and its like stand in >>macros: to the contract that first names them."""
        entries = self.entries()
        placed = {m for e in entries for m, _ in e.macros}
        public = source[:re.search(r'^/\* =+ >>abi', source, re.M).start()]
        for name, args in re.findall(r'(?m)^#define (GA_[A-Z]\w*)(\([^)]*\))?', public):
            at = next((e for e in entries if re.search(r'\b%s\b' % name, '\n'.join(e.text))), None)
            if name not in placed and args != '(X)' and at:
                at.macros.append((name, args))
                placed.add(name)

    def without_example(self):
        return [n for n in self.prototypes if base_of(n, self.prototypes) == n and n not in self.example
                and n not in self.same]

    def groups(self, e):
        """An entry's functions, each with its _into form behind it."""
        groups = {}
        for n in e.names:
            groups.setdefault(base_of(n, self.prototypes), []).append(n)
        return groups

    def function(self, name, forms, where, here, shown):
        """A function's part of a page."""
        out = ['<div id="%s"><h3>%s</h3>' % (name, name)]
        says = []
        if name in self.same:
            says.append('another name of ' + linked(self.same[name], where, here))
        elif name in self.meaning or name in self.remark:
            says.append(html.escape(self.meaning.get(name) or self.remark[name]))
        if name in self.foreign:
            says.append('%s: <code>%s</code>' % (self.foreign[name][0], html.escape(self.foreign[name][1])))
        if says:
            out.append('<p>%s</p>' % ' &middot; '.join(says))
        out.append('<pre>%s</pre>' % '\n'.join(html.escape(signature(self.prototypes[n])) for n in forms))
        e = self.example.get(name)
        if e and e.why:
            out.append('<p>No example here: %s.</p>' % html.escape(e.why))
        elif e and id(e) in shown:
            out.append('<p>Example: with <a href="#%s">%s</a>.</p>' % (shown[id(e)], shown[id(e)]))
        elif e:
            shown[id(e)] = name
            out.append('<pre>%s</pre>' % linked('\n'.join(e.code), where, here))
            if e.output:
                out.append('<pre class="out">%s</pre>' % html.escape(e.output))
        return '\n'.join(out + ['</div>'])

    def write_pages(self, out):
        os.makedirs(out, exist_ok=True)
        where = {'>>' + r.name: None for r in self.rooms}       # name: page, anchor
        for r in self.rooms:
            for k, e in enumerate(r.entries):
                e.id = '%s-%d' % (r.name, k)
                for name, forms in self.groups(e).items():
                    where.update({n: (r.name, name) for n in forms})
                names = [m for m, _ in e.macros]
                for t in types_of(e.code):
                    body = t[t.find('{'):] if 'enum' in t.split('{')[0] else ''
                    names += re.findall(r'\bGA_[A-Z]\w*', body) + re.findall(r'\b(ga_\w+);$', t)
                for n in names:
                    where.setdefault(n, (r.name, e.id))
        for r in self.rooms:
            body = ['<p><a href="index.html">gpuarr</a></p><h1>%s</h1><p>%s</p>' % (r.name, html.escape(r.title))]
            shown = {}
            for e in r.entries:
                body.append('<section><div id="%s">' % e.id)
                if e.text and not e.text[0].startswith('name, '):     # a table's columns
                    body.append(prose(e.text, where, r.name))
                macros = [m + (a or '') for m, a in e.macros if a or not m.startswith(('GA_API', 'GA_VERSION_'))]
                types = types_of(e.code)
                if types or macros:
                    body.append('<pre>%s</pre>' % html.escape('\n'.join(types + macros)))
                body.append('</div>')
                for m, _ in e.macros:           # ga_slice, ga_asarray: a macro alone has an example too
                    if m in self.example:
                        body.append(self.function_of_macro(m, where, r.name, shown))
                body += [self.function(n, f, where, r.name, shown) for n, f in self.groups(e).items()]
                body.append('</section>')
            write(os.path.join(out, r.name + '.html'), page('gpuarr: ' + r.name, '\n'.join(filter(None, body))))
        index = ','.join('["%s","%s","%s","%s"]' % (n, *where[n], last_name(self.foreign[n][1]) if n in self.foreign else '')
                         for n in sorted(where) if where[n] and base_of(n, self.prototypes) == n)
        functions = sorted(n for n in where if n in self.prototypes and base_of(n, self.prototypes) == n)
        body = ['<h1>gpuarr %s</h1><p>NumPy for C, on CUDA devices and on the CPU: the reference. NumPy\'s name with '
                '<code>ga_</code> before it is this library\'s; <code>_into</code> behind it writes to an array that is '
                'there. Each example ran on the CPU device; what it printed stands below it.</p>' % self.version,
                '<input type="search" aria-label="Search" placeholder="a name: cumsum, np.linalg.svd, GA_TRANS ..." autofocus>'
                '<div id="found"></div>',
                '<table>%s</table>' % ''.join('<tr><td><a href="%s.html">%s</a><td>%s'
                                              % (r.name, r.name, html.escape(r.title)) for r in self.rooms),
                '<h2>All functions</h2><nav>%s</nav>' % ''.join(
                    '<a href="%s.html#%s">%s</a>' % (*where[n], n) for n in functions)]
        write(os.path.join(out, 'index.html'),
              page('gpuarr: reference', '\n'.join(body), 'const NAMES = [%s];%s' % (index, SEARCH)))

    def function_of_macro(self, name, where, here, shown):
        self.prototypes[name] = ''
        text = self.function(name, [name], where, here, shown).replace('<pre></pre>\n', '')
        del self.prototypes[name]
        return text

    def write_man(self, out):
        os.makedirs(out, exist_ok=True)
        quote = lambda l: re.sub(r"^([.'])", r'\\&\1', l.replace('\\', '\\e').replace('-', '\\-'))
        for r in self.rooms:
            for e in r.entries:
                for name, forms in self.groups(e).items():
                    what = self.meaning.get(name) or 'another name of ' + self.same[name] if name in self.same \
                        else self.meaning.get(name) or self.remark.get(name) or r.title or r.name
                    text = ['.TH %s 3 "" "gpuarr %s" "gpuarr: %s"' % (name.upper(), self.version, r.name), '.SH NAME',
                            quote('%s - %s' % (name, what)), '.SH SYNOPSIS', '.nf', '#include <gpuarr.h>', '']
                    text += [quote(l) for n in forms for l in signature(self.prototypes[n]).split('\n')]
                    head = r.entries[0].text if name in self.meaning and e is not r.entries[0] else []
                    text += ['.fi', '.SH DESCRIPTION', '.nf'] + [quote(l) for l in head + e.text] + ['.fi']
                    if name in self.foreign:
                        text += ['.SH ' + self.foreign[name][0].upper(), quote(self.foreign[name][1])]
                    x = self.example.get(self.same.get(name, name))
                    if x and x.code:
                        text += ['.SH EXAMPLES', '.nf'] + [quote(l) for l in x.code + [''] + x.output.split('\n')] + ['.fi']
                    write(os.path.join(out, name + '.3'), '\n'.join(text) + '\n')
                    for n in forms:
                        if n != name:
                            write(os.path.join(out, n + '.3'), '.so man3/%s.3\n' % name)


def hover(ref, source):
    """The header, with each row's meaning in its macro."""
    def line(m):
        says = ref.meaning.get(m[1]) or ref.same.get(m[1])
        if not says:
            return m[0]
        body = m[3].strip()
        one = '#define %s%s /* %s */ %s' % (m[1], m[2], says, body)
        return one if len(one) <= 100 else '#define %s%s /* %s */ \\\n    %s' % (m[1], m[2], says, body)
    at = re.search(r'^/\* =+ >>macros', source, re.M).start()
    return source[:at] + re.sub(r'(?m)^#define (ga_\w+)(\([^)]*\)) (?:/\* .*? \*/ )?(?:\\\n +)?(.*[^\\\n])$', line, source[at:])


def write(path, text):
    with open(path, 'w') as f:
        f.write(text)


def main():
    args = sys.argv[1:]
    if args[:1] == ['program'] and len(args) == 3:
        write_program(Reference(*args[1:]).examples, sys.stdout)
        return
    if args[:1] == ['hover'] and len(args) == 3:
        sys.stdout.write(hover(Reference(*args[1:]), open(args[1]).read()))
        return
    if args[:1] != ['pages'] or len(args) not in (5, 6):
        sys.exit(__doc__)
    ref = Reference(*args[1:4])
    ref.write_pages(args[4])
    if len(args) == 6:
        ref.write_man(args[5])
    print('%d functions in %d rooms, %d examples, %d of NumPy\'s names'
          % (len(ref.prototypes) - len(ref.left), len(ref.rooms), sum(bool(e.code) for e in ref.examples),
             len(ref.foreign)))
    wrong = [s for names, s in ((ref.left, 'without a contract: '), (ref.without_example(), 'without an example: '))
             if names for s in [s + ' '.join(names)]]
    if wrong:
        sys.exit('\n'.join(wrong))


if __name__ == '__main__':
    main()
