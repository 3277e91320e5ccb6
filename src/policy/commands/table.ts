import { gitRules } from './git-rules.ts'
import { readFind } from './find-words.ts'
import { type ClosedName, type CommandRule, contents, flag, flags, names, number, text } from './rule.ts'

const lines = 10_000_000
const bytes = 10 * 1024 * 1024

const glob = (pattern: ClosedName): string => pattern.pattern.slice(pattern.pattern.lastIndexOf('/') + 1)
const closing = (closed: readonly ClosedName[]): string[] => closed.filter(({ opens }) => !opens).map(glob)

const reading: readonly CommandRule[] = [
  {
    name: 'cat',
    by: 'process',
    options: [flag('-n', '--number'), ...flags('-A -b -s')],
    operands: contents(1),
    hits: ['cat a.txt', 'cat -n src/a.txt b.txt', "cat 'a b.txt'", 'cat -- -n', 'cat -bs a.txt'],
    misses: ['cat', 'cat -', 'cat -v a.txt', 'cat --show-all a.txt', 'cat src/*.txt', 'cat --num a.txt'],
  },
  {
    name: 'head',
    by: 'process',
    options: [
      { flag: '-n', also: ['--lines'], value: { type: 'number', max: lines, signs: '+-' } },
      { flag: '-c', also: ['--bytes'], value: { type: 'number', max: bytes, signs: '-' } },
      ...flags('-q -v'),
    ],
    dashNumber: '-n',
    operands: contents(1),
    hits: ['head a.txt', 'head -n 5 a.txt', 'head -5 a.txt', 'head -n5 a.txt', 'head --lines=5 a.txt', 'head -c 100 a.txt'],
    misses: ['head', 'head -c 99999999999 a.txt', 'head -z a.txt', 'head -n 5k a.txt', 'head --li=5 a.txt'],
  },
  {
    name: 'tail',
    by: 'process',
    options: [
      { flag: '-n', also: ['--lines'], value: { type: 'number', max: lines, signs: '+' } },
      { flag: '-c', also: ['--bytes'], value: { type: 'number', max: bytes, signs: '+' } },
      ...flags('-q'),
    ],
    dashNumber: '-n',
    operands: contents(1),
    hits: ['tail a.txt', 'tail -n 5 a.txt', 'tail -20 a.txt', 'tail -n +5 a.txt', 'tail -qn5 a.txt b.txt'],
    misses: ['tail -f a.txt', 'tail -F a.txt', 'tail -fn5 a.txt', 'tail -5f a.txt', 'tail --fol a.txt', 'tail --pid=1 a.txt'],
  },
  {
    name: 'grep',
    by: 'process',
    options: [
      flag('-n', '--line-number'),
      flag('-i', '--ignore-case'),
      flag('-v', '--invert-match'),
      flag('-w', '--word-regexp'),
      flag('-x', '--line-regexp'),
      flag('-c', '--count'),
      flag('-l', '--files-with-matches'),
      flag('-L', '--files-without-match'),
      flag('-o', '--only-matching'),
      flag('-E', '--extended-regexp'),
      flag('-F', '--fixed-strings'),
      flag('-r', '--recursive'),
      ...flags('-H -h -s -q'),
      text('-e', 'a pattern'),
      number('-A', lines, '--after-context'),
      number('-B', lines, '--before-context'),
      number('-C', lines, '--context'),
      number('-m', lines, '--max-count'),
      text('--include', 'a glob', /^[^/]+$/),
      text('--exclude', 'a glob', /^[^/]+$/),
      text('--exclude-dir', 'a glob', /^[^/]+\/?$/),
    ],
    dashNumber: '-C',
    operands: { min: 1, max: 200, kinds: ['text', 'content'] },
    answers: [1],
    always: ['--color=never', '--devices=skip'],
    close: (call, closed) => {
      if (!call.has('-r')) return []
      const opened = call.has('--include') ? [] : closed.filter(({ opens }) => opens)
      const names = closing(closed)
      return [
        ...names.flatMap((name) => [`--exclude=${name}`, `--exclude-dir=${name}`]),
        ...opened.map(({ pattern }) => `--include=${pattern}`),
      ]
    },
    forbids: ({ operands, has }) =>
      has('-r') || operands.some(({ as }) => as === 'content')
        ? undefined
        : 'grep needs a file, or -r: there is no standard input',
    hits: [
      ...['grep foo a.txt', 'grep -rn foo .', 'grep -rn "foo bar" src', "grep -E 'a|b' a.txt", 'grep -A3 x a.txt'],
      ...["grep -r --include='*.ts' foo", 'grep -e foo -e bar a.txt', 'grep -c "x$" a.txt', 'grep -- -x a.txt'],
    ],
    misses: [
      ...['grep foo', 'grep', 'grep -R foo .', 'grep -f pats a.txt', 'grep -P "x+" a.txt', 'grep -z x a.txt'],
      ...['grep --exclude-from=x foo a.txt', 'grep --dereference-recursive x .', 'grep -D read x a.txt', 'grep a|b c'],
      ...['grep --color=always x a.txt', 'grep --rec x .', 'grep -rnP x .'],
    ],
  },
  {
    name: 'find',
    by: 'process',
    options: [],
    operands: { min: 0, max: 500, kinds: ['name'] },
    read: readFind,
    hits: [
      ...['find', 'find .', "find src -name '*.ts'", 'find . -type f -maxdepth 2', 'find . \\( -name a -o -name b \\)'],
      ...['find . -not -path "./node_modules/*" -name "*.js"', 'find . ! -name a', 'find . -newer a.txt -size +10k'],
      ...['find . -name node_modules -prune -o -name "*.ts" -print', 'find . -empty -mtime -1'],
    ],
    misses: [
      ...['find . -exec rm {} \\;', 'find . -execdir x \\;', 'find . -ok x \\;', 'find . -okdir x \\;', 'find . -delete'],
      ...['find . -fprint out', 'find . -fprint0 out', 'find . -fprintf out x', 'find . -fls out', 'find -files0-from x'],
      ...['find -L .', 'find -H .', 'find . -follow', 'find -D exec .', 'find . -regex x', 'find . -printf "%p"'],
      ...['find . ( -name a )', 'find src/*', 'find . -samefile a', 'find . -name', 'find . -type x'],
    ],
  },
  {
    name: 'ls',
    by: 'process',
    options: [flag('-a', '--all'), flag('-A', '--almost-all'), flag('-R', '--recursive'), ...flags('-l -1 -h -t -S -r -d -F -p -q')],
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
      ...['tree -o out', 'tree -oout src', 'tree -R -L 1', 'tree -H .', 'tree -X', 'tree -l', 'tree -N', 'tree -C'],
      ...['tree --fromfile x', 'tree --fromtabfile x', 'tree --gitfile=x', 'tree --infofile=x', 'tree --info'],
    ],
  },
  {
    name: 'wc',
    by: 'process',
    options: [flag('-l', '--lines'), flag('-w', '--words'), flag('-c', '--bytes'), flag('-m', '--chars'), ...flags('-L')],
    operands: contents(1),
    hits: ['wc a.txt', 'wc -l a.txt b.txt', 'wc -lw a.txt', 'wc --lines a.txt'],
    misses: ['wc', 'wc --files0-from=x', 'wc --files0-from x', 'wc -l src/*.ts'],
  },
  {
    name: 'diff',
    by: 'process',
    options: [
      flag('-q', '--brief'),
      flag('-u', '--unified'),
      flag('-w', '--ignore-all-space'),
      flag('-b', '--ignore-space-change'),
      flag('-B', '--ignore-blank-lines'),
      flag('-i', '--ignore-case'),
      flag('-r', '--recursive'),
      flag('-N', '--new-file'),
      ...flags('-s -a --strip-trailing-cr'),
      number('-U', 100_000),
    ],
    operands: contents(2, 2),
    answers: [1],
    always: ['--no-dereference', '--color=never'],
    close: (call, closed) => (call.has('-r') ? closing(closed).map((name) => `--exclude=${name}`) : []),
    hits: ['diff a.txt b.txt', 'diff -u a.txt b.txt', 'diff -r src nested', 'diff -U3 a b', 'diff --brief a b', 'diff -uw a b'],
    misses: [
      ...['diff a.txt', 'diff a.txt -', 'diff a b c', 'diff -l a b', 'diff --from-file=a b', 'diff --to-file=a b'],
      ...['diff -X f a b', 'diff -S f a b', 'diff -D X a b', 'diff -F re a b', 'diff -I re a b', 'diff --paginate a b'],
      ...["diff --unchanged-line-format='%c' a b", 'diff --line-format=x a b'],
    ],
  },
  {
    name: 'file',
    by: 'process',
    options: flags('-b -i -h --mime-type --mime-encoding --brief --mime'),
    operands: contents(1),
    hits: ['file a.txt', 'file -b --mime-type a.txt', 'file -bi a.txt'],
    misses: [
      ...['file', 'file -f x', 'file --files-from x', 'file -m x a', 'file -M x a', 'file -C', 'file -z a', 'file -Z a'],
      ...['file -s a', 'file -S a', 'file -p a', 'file -P x a', 'file -e x a', 'file -L a'],
    ],
  },
  {
    name: 'stat',
    by: 'process',
    options: [
      { flag: '-c', also: ['--format'], value: { type: 'text', what: 'a format without backslashes', pattern: /^[^\\]*$/ } },
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
  {
    name: 'xxd',
    by: 'process',
    dashes: 'single',
    options: [number('-l', bytes, '-len'), number('-s', bytes, '-seek'), number('-c', 256, '-cols'), number('-g', 64), ...flags('-u -p -b -i')],
    operands: contents(1, 1),
    hits: ['xxd a.bin', 'xxd -l 64 a.bin', 'xxd -s 16 -l 16 a.bin', 'xxd -p a.bin'],
    misses: ['xxd', 'xxd a b', 'xxd -r a', 'xxd -revert a', 'xxd -r a b', 'xxd -rp a', 'xxd -', 'xxd -l64 a.bin'],
  },
]

const changing: readonly CommandRule[] = [
  {
    name: 'mv',
    by: 'workspace',
    options: [flag('-n', '--no-clobber'), flag('-f', '--force'), flag('-v', '--verbose'), flag('-T', '--no-target-directory')],
    operands: { min: 2, max: 200, kinds: ['written'] },
    hits: ['mv a.txt b.txt', 'mv -f a.txt src/', 'mv a b src', 'mv -vn a b', 'mv -- -a b'],
    misses: ['mv a', 'mv -t src a', 'mv --target-directory=src a', 'mv --targ=src a', 'mv -b a b', 'mv -S x a b', 'mv -Z a b', 'mv -u a b', 'mv *.txt src', 'mv --strip-trailing-slashes a b'],
  },
  {
    name: 'cp',
    by: 'workspace',
    options: [flag('-r', '-R', '--recursive'), flag('-n', '--no-clobber'), flag('-f', '--force'), flag('-v', '--verbose'), flag('-T', '--no-target-directory'), ...flags('-p -P')],
    operands: { min: 2, max: 200, kinds: ['written'] },
    hits: ['cp a.txt b.txt', 'cp -r src dst', 'cp -R src dst', 'cp -rpf a b', 'cp a b src/'],
    misses: ['cp a', 'cp -t src a', 'cp -s a b', 'cp -l a b', 'cp -L a b', 'cp -H a b', 'cp -a a b', 'cp --parents a b', 'cp --preserve=all a b', 'cp --remove-destination a b', 'cp --rem a b', 'cp -b a b', 'cp --reflink a b', 'cp -Z a b'],
  },
  {
    name: 'rm',
    by: 'workspace',
    options: [flag('-r', '-R', '--recursive'), flag('-f', '--force'), flag('-v', '--verbose')],
    operands: { min: 1, max: 200, kinds: ['written'] },
    hits: ['rm a.txt', 'rm -rf dist', 'rm -f a b', 'rm -r -v src', 'rm -R x'],
    misses: ['rm', 'rm -i a', 'rm -ri a', 'rm -I a', 'rm -d a', 'rm --no-preserve-root a', 'rm --no-pres a', 'rm -rf *', 'rm --one-file-system a'],
  },
  {
    name: 'mkdir',
    by: 'workspace',
    options: [flag('-p', '--parents'), flag('-v', '--verbose')],
    operands: { min: 1, max: 200, kinds: ['written'] },
    hits: ['mkdir a', 'mkdir -p a/b/c', 'mkdir -pv a b'],
    misses: ['mkdir', 'mkdir -m 777 a', 'mkdir -m777 a', 'mkdir -Z a', 'mkdir {a,b}'],
  },
  {
    name: 'touch',
    by: 'workspace',
    options: [...flags('-a -m'), flag('-c', '--no-create')],
    operands: { min: 1, max: 200, kinds: ['written'] },
    hits: ['touch a.txt', 'touch -c a b', 'touch -am a'],
    misses: ['touch', 'touch -r b a', 'touch -t 01010000 a', 'touch -d yesterday a', 'touch -h a', 'touch --date=now a'],
  },
]

/** Every command that needs no approval. */
export const commandRules: readonly CommandRule[] = [...reading, ...changing, ...gitRules]
