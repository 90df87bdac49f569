#!/usr/bin/env python3
"""docs/gallery.md, made of the examples: what each is for, by the comment it opens
with, its picture (docs/img) or what it prints on every machine (examples/expected).

    tools/gallery.py > docs/gallery.md"""
import os
import re

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
print('# Gallery\n\nThe examples, each a lesson of one file; `make examples` builds them in `build/`. What is printed here is what '
      'every\nmachine with a GPU prints; times come with it. This page is made by `make docs`.')
for name in sorted(os.listdir('examples')):
    m = re.match(r'(\d\d)_(\w+)(\.c|\.cu)?$', name)
    path = os.path.join('examples', name)
    if not m or m[3] == '.cu' and os.path.exists(path[:-1]):
        continue
    if os.path.isdir(path):
        title = open(os.path.join(path, 'README.md')).readline()[2:].strip()
        print('\n## [%s](../%s)\n\n%s.' % (name, path, title))
        continue
    text = re.match(r'/\* (.*?)\*/', open(path).read(), re.S)[1]
    purpose = re.match(r'\S+ - (.*?)\n\n', text, re.S)[1]
    learn = re.search(r'You learn to\n(.*?)(\n\n|$)', text, re.S)[1]
    print('\n## [%s](../%s)' % (name[:-len(m[3])], path))
    own = path[:-2] + '.cu'
    if m[3] == '.c' and os.path.exists(own):
        print('\nwith [its kernels](../%s)' % own)
    purpose = ' '.join(purpose.split())
    print('\n%s%s\n' % (purpose[0].upper(), purpose[1:]))
    for step in re.split(r'\n +(?=\d+\. )', '\n' + learn.rstrip())[1:]:
        print(' '.join(step.split()))
    picture = 'docs/img/%s.svg' % m[2]
    output = 'examples/expected/%s.txt' % name[:-len(m[3])]
    if os.path.exists(picture):
        print('\n![%s](img/%s.svg)' % (purpose.rstrip('.'), m[2]))
    else:
        lines = [re.sub('^gpu:', '', l.rstrip()) for l in open(output) if not l.startswith('cpu:')]
        if lines:
            print('\n```text\n%s\n```' % '\n'.join(lines))
