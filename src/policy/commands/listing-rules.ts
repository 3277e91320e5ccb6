import { type CommandRule, closing, flag, flags, names, number, text } from './rule.ts'

/** Commands that show names, places and sizes. */
export const listingRules: readonly CommandRule[] = [
  {
    name: 'ls',
    by: 'process',
    options: [
      flag('-a', '--all'),
      flag('-A', '--almost-all'),
      flag('-R', '--recursive'),
      ...flags('-l -1 -h -t -S -r -d -F -p -q'),
    ],
    operands: names(0, '.'),
    // Names may hold what drives a terminal.
    always: ['-q', '--color=never'],
    close: (call, closed) => (call.has('-R') ? closing(closed).map((name) => `--ignore=${name}`) : []),
    hits: ['ls', 'ls -la', 'ls -l src', 'ls -1 src nested', 'ls -R src', 'ls -lah .'],
    misses: ['ls -L', 'ls -H .', 'ls --hyperlink', 'ls --color', 'ls --time-style=+x', 'ls src/*', 'ls --al'],
  },
  {
    name: 'pwd',
    by: 'process',
    options: flags('-P'),
    operands: { min: 0, max: 0, kinds: [] },
    hits: ['pwd', 'pwd -P'],
    misses: ['pwd -L', 'pwd --help', 'pwd x'],
  },
  {
    name: 'tree',
    by: 'process',
    options: [
      ...flags('-a -d -F -i -f -J --noreport'),
      number('-L', 1000),
      text('-I', 'a pattern', /^[^\0]{1,500}$/),
      text('-P', 'a pattern', /^[^\0]{1,500}$/),
    ],
    operands: names(0, '.'),
    always: ['-n', '-q'],
    close: (_, closed) => ['-I', closing(closed).join('|')],
    hits: ['tree', 'tree -L 2', "tree -I 'node_modules|dist' src", 'tree -aF', 'tree -d -L 3 .'],
    misses: [
      'tree -o out',
      'tree -oout src',
      'tree -R -L 1',
      'tree -H .',
      'tree -X',
      'tree -l',
      'tree -N',
      'tree -C',
      'tree --fromfile x',
      'tree --fromtabfile x',
      'tree --gitfile=x',
      'tree --infofile=x',
      'tree --info',
    ],
  },
  {
    name: 'stat',
    by: 'process',
    options: [
      {
        flag: '-c',
        also: ['--format'],
        value: { type: 'text', what: 'a format without backslashes', pattern: /^[^\\]*$/ },
      },
      flag('-t', '--terse'),
    ],
    operands: names(1),
    hits: ['stat a.txt', 'stat -c %s a.txt', "stat --format='%s %n' a.txt", 'stat -t src'],
    misses: ['stat', "stat --printf='%s' a.txt", 'stat -L a.txt', 'stat -f .', "stat -c '%s\\n' a.txt"],
  },
  {
    name: 'realpath',
    by: 'process',
    options: flags('-e -m -s'),
    operands: names(1),
    hits: ['realpath a.txt', 'realpath -m src/x', 'realpath -es a.txt'],
    misses: ['realpath', 'realpath --relative-to=/ a', 'realpath --relative-base=/ a', 'realpath -z a'],
  },
]
