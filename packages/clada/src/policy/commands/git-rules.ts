import {
  type ParsedCommand,
  type BlockedName,
  type CommandRule,
  flagOption,
  flagOptions,
  numberOption,
  type Option,
  textOption,
} from './rule.ts'

/** Only what looks, and only where no program of the repository's own choosing can be called on the way. */

const noPrograms = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all', '--no-color']

const summaries: readonly Option[] = flagOptions('--stat --numstat --shortstat --name-only --name-status --no-color')

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

/** The content of blocked files stays blocked in their history too. */
export function blockedPathspecs(blocked: readonly BlockedName[]): string[] {
  return (
    blocked
      .filter(({ allows }) => !allows)
      // The top of a repository may be above the project.
      .map(({ pattern }) => `:(top,exclude,glob,icase)**/${literally(pattern)}`)
      .flatMap((spec) => [spec, `${spec}/**`])
  )
}

/** To git, unlike to us, brackets and backslashes are signs too. */
const literally = (pattern: string): string => pattern.replace(/[[\]\\]/g, '\\$&')

const showsPatch = (call: ParsedCommand): boolean => call.has('-p')

export const gitRules: readonly CommandRule[] = [
  {
    name: 'git status',
    examples: ['git status', 'git  status', 'git status -s'],
    options: [
      { flag: '--porcelain', value: { type: 'one-of', values: ['v1', 'v2', '1', '2'] }, maybe: true },
      flagOption('-s', '--short'),
      flagOption('-b', '--branch'),
      { flag: '-u', value: { type: 'one-of', values: ['no', 'normal', 'all'] }, maybe: true },
      { flag: '--untracked-files', value: { type: 'one-of', values: ['no', 'normal', 'all'] }, maybe: true },
      ...flagOptions('-z -uno -unormal -uall'),
    ],
    operands: { min: 0, max: 200, kinds: ['name'] },
    always: ['--ignore-submodules=all'],
  },
  {
    name: 'git diff',
    examples: ['git diff', 'git diff --stat', 'git diff HEAD~1'],
    options: [
      ...summaries,
      flagOption('--cached', '--staged'),
      numberOption('-U', 100_000, '--unified'),
      flagOption('-w', '--ignore-all-space'),
    ],
    operands: { min: 0, max: 200, kinds: ['revision-or-content'] },
    always: noPrograms,
    exclude: (_, blocked) => blockedPathspecs(blocked),
  },
  {
    name: 'git log',
    examples: ['git log', 'git log -1', 'git log -n 5 --oneline'],
    options: [
      ...summaries,
      ...formats,
      numberOption('-n', 100_000, '--max-count'),
      flagOption('-p', '-u', '--patch'),
      ...flagOptions(
        '--oneline --graph --all --decorate --merges --no-merges --first-parent --reverse --abbrev-commit',
      ),
      ...['--since', '--until', '--after', '--before', '--author', '--grep'].map((name) =>
        textOption(name, 'a text', literal),
      ),
    ],
    dashNumber: '-n',
    operands: { min: 0, max: 200, kinds: ['revision-or-content'] },
    always: [...noPrograms, '--no-show-signature'],
    exclude: (call, blocked) => (showsPatch(call) ? blockedPathspecs(blocked) : []),
    forbids: (call) =>
      call.has('--all') && showsPatch(call) ? 'git log may not be given --all together with -p' : undefined,
  },
  {
    name: 'git show',
    examples: ['git show', 'git show HEAD', 'git show HEAD~2 --stat'],
    options: [
      ...summaries,
      ...formats,
      flagOption('-p', '-u', '--patch'),
      flagOption('-s', '--no-patch'),
      ...flagOptions('--oneline'),
    ],
    operands: { min: 0, max: 200, kinds: ['revision-or-content'] },
    always: [...noPrograms, '--no-show-signature'],
    exclude: (_, blocked) => blockedPathspecs(blocked),
  },
  {
    name: 'git blame',
    examples: ['git blame src/a.txt', 'git blame -L 10,20 src/a.txt', 'git blame -w HEAD~1 -- a.txt'],
    options: [
      textOption('-L', 'a range of lines, such as 10,20', /^\d{1,7}(?:,\+?\d{1,7})?$/),
      ...flagOptions('-w -s -e'),
      flagOption('-f', '--show-name'),
      flagOption('-n', '--show-number'),
    ],
    operands: { min: 1, max: 2, kinds: ['revision-or-content'] },
    always: ['--no-textconv'],
  },
  {
    name: 'git branch',
    examples: ['git branch', 'git branch -a', 'git branch -vv'],
    writes: true,
    options: [...flagOptions('-a -r -v -vv --show-current'), flagOption('--list', '-l')],
    operands: { min: 0, max: 20, kinds: ['text'] },
    always: ['--no-color'],
    forbids: ({ operands, has }) =>
      operands.length > 0 && !has('--list') ? 'git branch takes a name only with --list' : undefined,
  },
  {
    name: 'git stash list',
    examples: ['git stash list'],
    options: [],
    operands: { min: 0, max: 0, kinds: [] },
  },
  {
    name: 'git stash show',
    examples: ['git stash show', 'git stash show --stat stash@{0}', 'git stash show stash@{1}'],
    options: flagOptions('--stat --name-only --numstat'),
    operands: { min: 0, max: 1, kinds: ['revision'] },
    always: ['--no-ext-diff', '--no-textconv', '--no-color', '--stat'],
  },
  {
    name: 'git ls-files',
    examples: ['git ls-files', 'git ls-files -m', 'git ls-files -o --exclude-standard'],
    options: [
      flagOption('-c', '--cached'),
      flagOption('-m', '--modified'),
      flagOption('-o', '--others'),
      flagOption('-s', '--stage'),
      ...flagOptions('--exclude-standard -z'),
    ],
    operands: { min: 0, max: 200, kinds: ['name'] },
  },
]

/** One commit, or two with dots between. No `REV:path`, no search, no tree: those would show files by another name. */
export function commitOnly(revision: string): string | undefined {
  const [, negated = '', first = '', dots, second = ''] = /^(\^?)(.*?)(?:(\.{2,3})(.*))?$/.exec(revision) ?? []
  if (dots === undefined) return looksLikeRevision(first) ? `${negated}${first}^{commit}` : undefined
  const ends = [first, second].map((end) => (end === '' ? 'HEAD' : end))
  if (negated !== '' || !ends.every(looksLikeRevision)) return undefined
  return ends.map((end) => `${end}^{commit}`).join(dots)
}

const looksLikeRevision = (name: string): boolean =>
  /^(?![-.])[A-Za-z0-9._/@\u00a1-\uffff-]+(?:@\{(?:\d{1,6}|u|upstream)\}|@\{\})?(?:~\d{0,6}|\^\d{0,3}|\^\{commit\})*$/.test(
    name,
  )
