import { type Call, type ClosedName, type CommandRule, flag, flags, number, type Option, text } from './rule.ts'

/** Only what looks, and only where no program of the repository's own choosing can be called on the way. */

const noPrograms = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all', '--no-color']

const summaries: readonly Option[] = flags('--stat --numstat --shortstat --name-only --name-status --no-color')

/** Formats that only rearrange what a commit says; `%x` would write any byte and `%G` would call gpg. */
const format = {
  type: 'text',
  what: 'a known format',
  pattern:
    /^(?:oneline|short|medium|full|fuller|reference|(?:t?format:)?(?:[^%\\\p{Cc}]|%(?:[HhTtPpsbBnDde%]|a[nNeEdrtiIs]|c[nNeEdrtiIs]))*)$/u,
} as const
const formats: readonly Option[] = [
  { flag: '--format', value: format },
  { flag: '--pretty', value: format, maybe: true },
  {
    flag: '--date',
    value: { type: 'one-of', values: ['iso', 'iso-strict', 'short', 'relative', 'rfc', 'local', 'unix', 'human'] },
  },
]
const literal = /^\P{Cc}{0,300}$/u

/** The content of closed files stays closed in their history too. */
export function closedPathspecs(closed: readonly ClosedName[]): string[] {
  return closed
    .filter(({ opens }) => !opens)
    .map(({ pattern, from }) => `:(top,exclude,glob,icase)${from === 'root' ? '' : '**/'}${literally(pattern)}`)
    .flatMap((spec) => [spec, `${spec}/**`])
}

/** To git, unlike to us, brackets and backslashes are signs too. */
const literally = (pattern: string): string => pattern.replace(/[[\]\\]/g, '\\$&')

const showsPatch = (call: Call): boolean => call.has('-p')

export const gitRules: readonly CommandRule[] = [
  {
    name: 'git status',
    by: 'process',
    options: [
      { flag: '--porcelain', value: { type: 'one-of', values: ['v1', 'v2', '1', '2'] }, maybe: true },
      flag('-s', '--short'),
      flag('-b', '--branch'),
      { flag: '-u', value: { type: 'one-of', values: ['no', 'normal', 'all'] }, maybe: true },
      { flag: '--untracked-files', value: { type: 'one-of', values: ['no', 'normal', 'all'] }, maybe: true },
      ...flags('-z -uno -unormal -uall'),
    ],
    operands: { min: 0, max: 200, kinds: ['name'] },
    always: ['--ignore-submodules=all'],
    hits: [
      'git status',
      'git  status',
      'git status -s',
      'git status --porcelain=v2',
      'git status -sb',
      'git status -uno',
    ],
    misses: [
      'git status --ignored',
      'git status -v',
      'git status --porc',
      'git STATUS',
      'git -c a=b status',
      'git -C x status',
      'git --git-dir=x status',
    ],
  },
  {
    name: 'git diff',
    by: 'process',
    options: [
      ...summaries,
      flag('--cached', '--staged'),
      number('-U', 100_000, '--unified'),
      flag('-w', '--ignore-all-space'),
    ],
    operands: { min: 0, max: 200, kinds: ['revision-or-content'] },
    always: noPrograms,
    close: (_, closed) => closedPathspecs(closed),
    hits: [
      'git diff',
      'git diff --stat',
      'git diff HEAD~1',
      'git diff main..feature',
      'git diff --cached src/a.txt',
      'git diff -U5 -- src',
      'git diff -U1',
      'git diff HEAD -- a.txt',
    ],
    misses: [
      'git diff --output=x',
      'git diff --output x',
      'git diff --outp=x',
      'git diff --no-index a b',
      'git diff --ext-diff',
      'git diff --textconv',
      'git diff -Oorder',
      'git diff --submodule=diff',
      'git diff --color-words=x',
      'git diff -G x',
      'git diff -S x',
      'git diff --color',
    ],
  },
  {
    name: 'git log',
    by: 'process',
    options: [
      ...summaries,
      ...formats,
      number('-n', 100_000, '--max-count'),
      flag('-p', '-u', '--patch'),
      ...flags('--oneline --graph --all --decorate --merges --no-merges --first-parent --reverse --abbrev-commit'),
      ...['--since', '--until', '--after', '--before', '--author', '--grep'].map((name) =>
        text(name, 'a text', literal),
      ),
    ],
    dashNumber: '-n',
    operands: { min: 0, max: 200, kinds: ['revision-or-content'] },
    always: [...noPrograms, '--no-show-signature'],
    close: (call, closed) => (showsPatch(call) ? closedPathspecs(closed) : []),
    forbids: (call) =>
      call.has('--all') && showsPatch(call) ? 'git log may not be given --all together with -p' : undefined,
    hits: [
      'git log',
      'git log -1',
      'git log -n 5 --oneline',
      'git log --oneline -5',
      'git log --graph --oneline --all',
      'git log --format="%h %s" -3',
      'git log --since=yesterday --author=x',
      'git log -p -1 -- src',
      'git log main..feature',
      'git log --pretty=oneline',
    ],
    misses: [
      'git log --output=x',
      'git log --ext-diff',
      'git log -p --ext-d',
      'git log --textconv',
      'git log --show-signature',
      'git log --format=%G?',
      'git log --format=%x1b',
      'git log --format=%Cred',
      'git log -L1,5:a',
      'git log --perl-regexp',
      'git log --all -p',
      'git log --exec=x',
      'git log --not',
      'git -p log',
      'git --paginate log',
      'git log HEAD:a',
      'git log --remotes',
    ],
  },
  {
    name: 'git show',
    by: 'process',
    options: [...summaries, ...formats, flag('-p', '-u', '--patch'), flag('-s', '--no-patch'), ...flags('--oneline')],
    operands: { min: 0, max: 200, kinds: ['revision-or-content'] },
    always: [...noPrograms, '--no-show-signature'],
    close: (_, closed) => closedPathspecs(closed),
    hits: [
      'git show',
      'git show HEAD',
      'git show HEAD~2 --stat',
      'git show abc1234 -- src/a.txt',
      'git show v1.0',
      'git show stash@{0}',
      'git show main^2',
    ],
    misses: [
      'git show HEAD:a.txt',
      'git show :a.txt',
      'git show HEAD:./a',
      'git show --textconv',
      'git show --output=x',
      'git show --show-signature',
      'git show :/fix',
      'git show HEAD^{tree}',
      'git show HEAD^{/re}',
    ],
  },
  {
    name: 'git blame',
    by: 'process',
    options: [
      text('-L', 'a range of lines, such as 10,20', /^\d{1,7}(?:,\+?\d{1,7})?$/),
      ...flags('-w -s -e'),
      flag('-f', '--show-name'),
      flag('-n', '--show-number'),
    ],
    operands: { min: 1, max: 2, kinds: ['revision-or-content'] },
    always: ['--no-textconv'],
    hits: ['git blame src/a.txt', 'git blame -L 10,20 src/a.txt', 'git blame -w HEAD~1 -- a.txt'],
    misses: [
      'git blame',
      'git blame --contents=x a.txt',
      'git blame -S f a.txt',
      'git blame --ignore-revs-file=f a.txt',
      'git blame --textconv a.txt',
      'git blame -L /x/,+3 a.txt',
      'git blame -C a.txt',
    ],
  },
  {
    name: 'git branch',
    by: 'process',
    writes: true,
    options: [...flags('-a -r -v -vv --show-current'), flag('--list', '-l')],
    operands: { min: 0, max: 20, kinds: ['text'] },
    always: ['--no-color'],
    forbids: ({ operands, has }) =>
      operands.length > 0 && !has('--list') ? 'git branch takes a name only with --list' : undefined,
    hits: [
      'git branch',
      'git branch -a',
      'git branch -vv',
      'git branch --show-current',
      'git branch --list "feat*"',
      'git branch -av',
    ],
    misses: [
      'git branch x',
      'git branch -d x',
      'git branch -D x',
      'git branch -df x',
      'git branch -m a b',
      'git branch -f a b',
      'git branch --edit-description',
      'git branch --edit-desc',
      'git branch -u o/x',
      'git branch --unset-upstream',
      'git branch --del --forc x',
      'git branch -- -D',
      'git branch -C a b',
    ],
  },
  {
    name: 'git stash list',
    by: 'process',
    options: [],
    operands: { min: 0, max: 0, kinds: [] },
    hits: ['git stash list'],
    misses: [
      'git stash',
      'git stash push',
      'git stash -u',
      'git stash -a',
      'git stash pop',
      'git stash drop',
      'git stash clear',
      'git stash list -p',
      'git stash apply',
      'git stash store -m x HEAD',
      'git stash branch x',
    ],
  },
  {
    name: 'git stash show',
    by: 'process',
    options: flags('--stat --name-only --numstat'),
    operands: { min: 0, max: 1, kinds: ['revision'] },
    always: ['--no-ext-diff', '--no-textconv', '--no-color', '--stat'],
    hits: ['git stash show', 'git stash show --stat stash@{0}', 'git stash show stash@{1}'],
    misses: [
      'git stash show -p',
      'git stash show -p --ext-diff',
      'git stash show --output=x',
      'git stash show HEAD:a',
      'git stash show -u',
    ],
  },
  {
    name: 'git ls-files',
    by: 'process',
    options: [
      flag('-c', '--cached'),
      flag('-m', '--modified'),
      flag('-o', '--others'),
      flag('-s', '--stage'),
      ...flags('--exclude-standard -z'),
    ],
    operands: { min: 0, max: 200, kinds: ['name'] },
    hits: ['git ls-files', 'git ls-files -m', 'git ls-files -o --exclude-standard', 'git ls-files src'],
    misses: [
      'git ls-files -X f',
      'git ls-files --exclude-from=f',
      'git ls-files --exclude-per-directory=x',
      'git ls-files --with-tree=HEAD',
      'git ls-files --recurse-submodules',
    ],
  },
]

/** One commit, or two with dots between. No `REV:path`, no search, no tree: those would show files by another name. */
export function commitOnly(revision: string): string | undefined {
  const [, negated = '', first = '', dots, second = ''] = /^(\^?)(.*?)(?:(\.{2,3})(.*))?$/.exec(revision) ?? []
  if (dots === undefined) return isRevision(first) ? `${negated}${first}^{commit}` : undefined
  const ends = [first, second].map((end) => (end === '' ? 'HEAD' : end))
  if (negated !== '' || !ends.every(isRevision)) return undefined
  return ends.map((end) => `${end}^{commit}`).join(dots)
}

const isRevision = (name: string): boolean =>
  /^(?![-.])[A-Za-z0-9._/@\u00a1-\uffff-]+(?:@\{(?:\d{1,6}|u|upstream)\}|@\{\})?(?:~\d{0,6}|\^\d{0,3}|\^\{commit\})*$/.test(
    name,
  )
