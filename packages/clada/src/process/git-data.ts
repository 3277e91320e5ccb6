import { isReferenceName, symbolicTarget } from '../state/reference-name.ts'

/** Which repository a git command is about, and which command it is. */
export interface GitCommand {
  /** The git directory of its worktree, relative to the one that worktrees share; empty for the main worktree. */
  readonly worktree: string
  /** The word after `git`. */
  readonly verb: string
}

/** Whether a text is what git writes there. */
type TextCheck = (text: string) => boolean

/** What becomes of a name that a git command wrote in the git directory. */
export type GitDataVerdict =
  /** Put in its place, if it is a regular file and its content is what git writes there. */
  | { readonly as: 'data'; readonly check?: TextCheck }
  | { readonly as: 'object' }
  /** Of use only while git runs, or made again when it is missing. */
  | { readonly as: 'left out' }
  | {
      readonly as: 'refused'
      readonly reason: string
      /** Without it the repository would be in the middle of what the command is about, so nothing is kept at all. */
      readonly isEssential: boolean
    }

/**
 * Judges a name below the git directory that worktrees share. Everything that is not git's data is refused: config, hooks
 * and info decide what git runs, and a script that `git commit` started left a `rebase-merge` whose list of steps had an
 * `exec` line, which the user's next `git rebase --continue` ran.
 */
export function judgeWritten(name: string, command: GitCommand): GitDataVerdict {
  const own = inWorktree(name, command)
  if (transient.test(own ?? name)) return { as: 'left out' }
  if (objectName.test(name)) return { as: 'object' }
  const row =
    own === undefined
      ? undefined
      : (gitDataRow(ofWorktree, own) ?? gitDataRow(unfinishedState(own, command)?.files, own))
  const found = row ?? gitDataRow(shared, name)
  if (found !== undefined && !isBroken(name)) return { as: 'data', check: found[1] }
  return { as: 'refused', reason: leftOutReason(own ?? name), isEssential: isEssential(own, command) }
}

/** Judges the end of a name. Objects are only ever added. */
export function judgeGone(name: string, command: GitCommand): GitDataVerdict {
  const own = inWorktree(name, command)
  if (
    own !== undefined &&
    unfinished.some(({ dir, endedBy }) => isAtOrBelow(own, dir) && endedBy.includes(command.verb))
  )
    return { as: 'data' }
  if (name.startsWith('objects/')) return { as: 'refused', reason: 'objects are only added', isEssential: false }
  const verdict = judgeWritten(name, command)
  const isEnd = verdict.as === 'refused' && !['worktree', 'submodule'].includes(command.verb)
  return isEnd ? { ...verdict, isEssential: false } : verdict
}

/**
 * Whether a name below the shared git directory is that of a lock under which something may be put in place. Any archive can bring a
 * note that lists other files, behind links that only git's own data is free of.
 */
export const isLockOfData = (name: string, worktree: string): boolean =>
  name.endsWith('.lock') &&
  !name.split('/').includes('..') &&
  ['', ...unfinished.flatMap(({ verbs }) => verbs)].some(
    (verb) => judgeWritten(name.slice(0, -'.lock'.length), { worktree, verb }).as === 'data',
  )

function inWorktree(name: string, { worktree }: GitCommand): string | undefined {
  if (worktree === '') return name
  return name.startsWith(`${worktree}/`) ? name.slice(worktree.length + 1) : undefined
}

const isAtOrBelow = (name: string, dir: string): boolean => name === dir || name.startsWith(`${dir}/`)

type GitDataRow = readonly [name: RegExp, check?: TextCheck]

const gitDataRow = (rows: readonly GitDataRow[] | undefined, name: string): GitDataRow | undefined =>
  rows?.find(([names]) => names.test(name))

const id = '[0-9a-f]{40}(?:[0-9a-f]{24})?'
const whole = (text: string): TextCheck => {
  const pattern = new RegExp(`^(?:${text})\\n?$`)
  return (content) => pattern.test(content)
}
const everyLine = (text: string): TextCheck => {
  const pattern = new RegExp(`^(?:${text})?$`)
  return (content) => content.split('\n').every((line) => pattern.test(line))
}
const isIds = everyLine(id)
const isId = whole(id)
const isReference: TextCheck = (text) => isId(text) || isReferenceName(symbolicTarget(text) ?? '')
/** Line by line: a repository may have a hundred thousand packed references. */
const isPackedReferences: TextCheck = (text) =>
  text.split('\n').every((line) => packedLine.test(line) || isReferenceName(packedName.exec(line)?.[1] ?? ''))
const packedLine = new RegExp(`^(?:#.*|\\^${id})?$`)
const packedName = new RegExp(`^${id} (.*)$`)
const isEmpty = whole('')
const isNumber = whole('\\d+')
const isWord = whole('[\\w-]*')
const isBranch = whole('refs/heads/\\S+|detached HEAD')
const isStrategy = whole('(?:ort|recursive|resolve|ours|subtree|octopus)?')
const isAuthor = everyLine("GIT_AUTHOR_(?:NAME|EMAIL|DATE)='(?:[^']|'\\\\'')*'")
/** The steps of a rebase, all but `exec`. */
const isSteps = everyLine(
  '#.*|(?:pick|p|reword|r|edit|e|squash|s|fixup|f|drop|d|revert|label|l|reset|t|merge|m|update-ref|u) .*|noop|break|b',
)

/** Locks and temporary files, indexes of packs and other caches, and what rerere remembers. */
const transient =
  /(?:^|\/)tmp_|\.lock$|^gc\.(?:pid|log)$|^MERGE_RR$|^info\/refs$|^(?:TAG|NOTES)_EDITMSG$|^objects\/(?:info\/(?!alternates|http-alternates)|pack\/(?!pack-[0-9a-f]+\.(?:pack|promisor)$))/

const objectName = /^objects\/(?:[0-9a-f]{2}\/(?:[0-9a-f]{38}|[0-9a-f]{62})|pack\/pack-[0-9a-f]+\.(?:pack|promisor))$/

/** In the git directory of each worktree. */
const ofWorktree: readonly GitDataRow[] = [
  [/^HEAD$/, isReference],
  [/^(?:(?:ORIG|MERGE|CHERRY_PICK|REVERT|REBASE)_HEAD|AUTO_MERGE|MERGE_AUTOSTASH)$/, isIds],
  [/^(?:FETCH_HEAD|MERGE_MSG|MERGE_MODE|COMMIT_EDITMSG|SQUASH_MSG)$/],
  [/^(?:index|sharedindex\.[0-9a-f]+|logs\/HEAD)$/],
]

const shared: readonly GitDataRow[] = [
  [/^packed-refs$/, isPackedReferences],
  [/^shallow$/, isIds],
  [/^reftable\/(?:tables\.list|0x[0-9a-f]+-0x[0-9a-f]+-[0-9a-f]+\.ref)$/],
  // Those of clada are written by clada alone.
  [/^refs\/(?!clada(?:\/|$))/, isReference],
  [/^logs\/refs\/(?!clada(?:\/|$))/],
]

/** Whether it would be a reference, or the log of one, under a name that git does not accept. */
const isBroken = (name: string): boolean =>
  /^(?:logs\/)?refs\//.test(name) && !isReferenceName(name.replace(/^logs\//, ''))

/** What git leaves when it stops between two of several steps. */
interface Unfinished {
  readonly dir: string
  /** The commands that are about it. */
  readonly verbs: readonly string[]
  /** The commands that may remove it. */
  readonly endedBy: readonly string[]
  /** Everything that may be in it: nothing that names a program or an option of one. */
  readonly files: readonly GitDataRow[]
}

const unfinished: readonly Unfinished[] = [
  {
    dir: 'rebase-merge',
    verbs: ['rebase', 'pull'],
    endedBy: ['rebase', 'pull'],
    files: [
      [/\/(?:git-rebase-todo(?:\.backup)?|done)$/, isSteps],
      [/\/author-script$/, isAuthor],
      [/\/(?:msgnum|end)$/, isNumber],
      [/\/head-name$/, isBranch],
      [/\/(?:onto|orig-head|stopped-sha|amend|squash-onto|autostash)$/, isIds],
      [/\/strategy$/, isStrategy],
      [/\/(?:message(?:-squash|-fixup)?|patch|current-fixups|rewritten-(?:list|pending)|refs-to-delete|update-refs)$/],
      [/\/(?:interactive|quiet|verbose|(?:no-)?reschedule-failed-exec|(?:drop|keep)_redundant_commits)$/, isEmpty],
      [/\/(?:signoff|cdate_is_adate|ignore_date|allow_rerere_autoupdate)$/, isWord],
    ],
  },
  {
    dir: 'rebase-apply',
    verbs: ['am', 'rebase', 'pull'],
    endedBy: ['am', 'rebase', 'pull'],
    files: [
      [/\/author-script$/, isAuthor],
      [/\/(?:apply-opt|gpg_sign_opt)$/, isEmpty],
      [/\/(?:next|last)$/, isNumber],
      [/\/head-name$/, isBranch],
      [/\/(?:abort-safety|onto|orig-head|original-commit|autostash)$/, isIds],
      [/\/strategy$/, isStrategy],
      [/\/(?:\d+|patch|info|msg(?:-clean)?|final-commit|rewritten)$/],
      [
        /\/(?:applying|rebasing|dirtyindex|keep|messageid|quiet|quoted-cr|scissors|sign|threeway|utf8|no-verify)$/,
        isWord,
      ],
    ],
  },
  {
    dir: 'sequencer',
    verbs: ['cherry-pick', 'revert'],
    endedBy: ['cherry-pick', 'revert', 'commit', 'reset', 'merge', 'checkout', 'switch'],
    files: [
      [/\/todo$/, isSteps],
      [/\/(?:head|abort-safety)$/, isIds],
      [
        /\/opts$/,
        everyLine(
          '\\[options\\]|\\t(?:no-commit|edit|allow-empty|allow-empty-message|keep-redundant-commits|signoff|record-origin|allow-ff|allow-rerere-auto) = (?:true|false)|\\tmainline = \\d+|\\tstrategy = (?:ort|recursive|resolve|ours|subtree)',
        ),
      ],
    ],
  },
]

/** The unfinished state that a name belongs to, where the command is about it. */
const unfinishedState = (own: string, { verb }: GitCommand): Unfinished | undefined =>
  unfinished.find(({ dir, verbs }) => isAtOrBelow(own, dir) && verbs.includes(verb))

function isEssential(own: string | undefined, command: GitCommand): boolean {
  // Another worktree or submodule.
  if (own === undefined || /^(?:worktrees|modules)(?:\/|$)/.test(own)) return true
  return unfinishedState(own, command) !== undefined || (command.verb === 'bisect' && own.startsWith('BISECT_'))
}

function leftOutReason(name: string): string {
  if (/^(?:config|hooks|info|objects\/info|commondir|gitdir)(?:[./]|$)/.test(name))
    return 'it decides what git runs or where it looks'
  if (/^(?:logs\/)?refs\/clada/.test(name)) return 'only clada writes it'
  if (unfinished.some(({ dir }) => isAtOrBelow(name, dir)) || name.startsWith('BISECT_'))
    return 'git would continue from it, and it may name programs'
  return "it is not git's data"
}

/** The name that a report has: of directories that git has no use for only the topmost. */
export const reportedName = (name: string): string =>
  /^(?:refs|logs|objects|worktrees|modules|info|hooks)\//.test(name) ? name : (name.split('/', 1)[0] ?? name)
