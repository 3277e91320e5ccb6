import { isInside, withSlashes } from '../../core/paths.ts'
import type { IgnoreFile } from '../../core/settings.ts'
import { reservedNames } from '../../core/reserved-names.ts'
import { belowRoot } from '../below-root.ts'
import { anchorOf, isWholePath } from '../glob.ts'
import { searchRules } from './search-rules.ts'
import { commitOnly, gitRules } from './git-rules.ts'
import { adviseInstead, type Coverage } from './instead.ts'
import { readOptions } from './read-options.ts'
import type { ParsedCommand, BlockedName, CommandRule } from './rule.ts'
import { type CommandLine, splitCommand, type Word } from './words.ts'
import { changingRules } from './changing-rules.ts'
import { listingRules, textRules } from './reading-rules.ts'

/** Every command that needs no approval. */
export const commandRules: readonly CommandRule[] = [
  ...textRules,
  ...searchRules,
  ...listingRules,
  ...changingRules,
  ...gitRules,
]

/** The decision about a command before anything is read. Pure: the line and the blocked names in, a decision out. */
export type CommandDecision =
  | { readonly verdict: 'deny'; readonly reason: string; readonly advice: string }
  /** Not on the list: it needs an approval. */
  | {
      readonly verdict: 'ask'
      readonly cd: string | undefined
      readonly words: readonly string[]
      readonly typed: string
    }
  | { readonly verdict: 'allow'; readonly cd: string | undefined; readonly listed: Listed }

export interface Listed {
  readonly rule: CommandRule
  readonly call: ParsedCommand
  /** What git is given after the operands: blocked files, left out. */
  readonly excluded: readonly string[]
}

export function judgeCommand(command: string, blocked: BlockedBy, coverage: Coverage = 'all actions'): CommandDecision {
  const decision = judgeOnce(command, blocked)
  const instead = decision.verdict === 'deny' ? adviseInstead(command, blocked.root, coverage) : undefined
  return decision.verdict === 'deny' && instead !== undefined ? { ...decision, advice: instead } : decision
}

function judgeOnce(command: string, blocked: BlockedBy): CommandDecision {
  const split = splitCommand(command)
  if (!split.ok) return { verdict: 'deny', reason: split.reason, advice: split.advice }
  const cd = split.line.cd?.text
  const found = ruleFor(split.line)
  if (found === 'unlisted') return judgeUnlisted(split.line)
  if ('reason' in found) return { verdict: 'deny', ...found }
  const { rule, words } = found
  const reading = rule.read === undefined ? readOptions(rule, words) : rule.read(words)
  if (rule.writes && (!reading.ok || rule.forbids?.(reading.call) !== undefined)) return judgeUnlisted(split.line)
  if (!reading.ok) return denyByRule(rule, reading.reason, reading.advice)
  const { call } = reading
  const wrong = rule.forbids?.(call) ?? badRevision(rule, call)
  if (wrong !== undefined) return denyByRule(rule, wrong)
  return {
    verdict: 'allow',
    cd,
    listed: { rule, call, excluded: rule.exclude?.(call, listBlockedNames(blocked)) ?? [] },
  }
}

const denyByRule = (rule: CommandRule, reason: string, advice?: string): CommandDecision => ({
  verdict: 'deny',
  reason,
  advice: advice ?? `Write it like: ${rule.examples.join(' | ')}`,
})

function judgeUnlisted({ cd, words, typed }: CommandLine): CommandDecision {
  const glob = words.find((word) => word.glob === '*' || word.glob === '?')
  if (glob !== undefined) {
    const advice = 'Quote it if the program itself understands it; otherwise name the files, which glob lists.'
    return {
      verdict: 'deny',
      reason: `${glob.glob} in '${glob.text}' is not expanded, because there is no shell`,
      advice,
    }
  }
  const texts = words.map(({ text }) => text)
  const other = otherRepository(texts)
  if (other !== undefined) {
    const reason = `${other} is about another repository, and nothing that a command does to one is kept`
    return { verdict: 'deny', reason, advice: 'Only the user can run it, in a terminal.' }
  }
  return { verdict: 'ask', cd: cd?.text, words: texts, typed }
}

/** The git command that makes or changes another repository than the project's, if it is one. */
function otherRepository([program, verb = '', ...rest]: readonly string[]): string | undefined {
  if (program !== 'git') return undefined
  const [next = ''] = rest
  if (verb === 'clone' || verb === 'submodule' || (verb === 'worktree' && next === 'add'))
    return `git ${verb}${verb === 'worktree' ? ' add' : ''}`
  const dirs = rest.filter((word, at) => !word.startsWith('-') && !initValues.has(rest[at - 1] ?? ''))
  return verb === 'init' && dirs.some((dir) => !/^\.?\/*$/.test(dir)) ? `git init ${dirs[0]}` : undefined
}

/** Options of `git init` whose value is the next word. */
const initValues: ReadonlySet<string> = new Set(
  '-b --initial-branch --template --separate-git-dir --object-format --ref-format'.split(' '),
)

function ruleFor({
  words,
}: CommandLine): { rule: CommandRule; words: readonly Word[] } | { reason: string; advice: string } | 'unlisted' {
  const [first, second, third] = words.map(({ text }) => text)
  if (first !== 'git') {
    const rule = commandRules.find(({ name }) => name === first)
    return rule === undefined ? 'unlisted' : { rule, words: words.slice(1) }
  }
  for (const [name, count] of [
    [`git ${second} ${third}`, 3],
    [`git ${second}`, 2],
  ] as const) {
    const rule = commandRules.find((one) => one.name === name)
    if (rule !== undefined) return { rule, words: words.slice(count) }
  }
  // An option before the command could name another repository, or another config.
  if (second !== undefined && /^[a-z][a-z-]*$/.test(second)) return 'unlisted'
  const listed = commandRules.filter(({ name }) => name.startsWith('git ')).map(({ name }) => name.slice(4))
  return {
    reason: second === undefined ? 'git needs a command' : `git ${second} is not a command of git`,
    advice: `Without approval git only looks: ${listed.join(', ')}. Options before the command are not allowed.`,
  }
}

function badRevision({ name }: CommandRule, { operands }: ParsedCommand): string | undefined {
  for (const { text, as } of operands) {
    if (as !== 'revision' && as !== 'revision-or-content') continue
    if (as === 'revision' && commitOnly(text) === undefined) return `${name}: '${text}' is not a commit`
    if (text.includes(':')) return `${name}: '${text}' names a file in a commit; only commits and paths are understood`
    if (/\^\{(?!commit\})/.test(text)) return `${name}: '${text}' is not a commit`
  }
  return undefined
}

/** What is blocked, and the directory that patterns of whole paths are seen from. */
export interface BlockedBy {
  readonly deniedPatterns: readonly string[]
  readonly ignoreFiles?: readonly IgnoreFile[] | undefined
  readonly root: string
}

/** Names that git must not show by itself: its own, clada's, and what the user blocked. */
export function listBlockedNames({ deniedPatterns, ignoreFiles = [], root }: BlockedBy): BlockedName[] {
  const own = reservedNames.map((pattern) => ({ pattern, allows: false }))
  const named = deniedPatterns
    .filter((pattern) => !isWholePath(pattern.replace(/^!/, '')))
    .map((pattern) => ({ pattern: pattern.replace(/^!/, '').replace(/\/+$/, ''), allows: pattern.startsWith('!') }))
  const ignored = ignoreFiles.flatMap((file) => ignoredNames(file, root))
  let whole: string[] = []
  for (const pattern of deniedPatterns) {
    if (isWholePath(pattern)) whole.push(...belowRoot(anchorOf(pattern)?.glob ?? pattern, root))
    // A project in `/dev/shm`, for one, is allowed as a whole.
    else if (pattern.startsWith('!') && isInside(root, pattern.slice(1))) whole = []
  }
  return [...own, ...named, ...ignored, ...whole.map((pattern) => ({ pattern, allows: false, from: 'root' as const }))]
}

/** Never less than the file leaves out: programs know no exceptions, and other signs. */
function ignoredNames({ dir, rules }: IgnoreFile, root: string): BlockedName[] {
  return rules
    .filter(({ isNegated }) => !isNegated)
    .flatMap(({ names }) => {
      const [first, ...rest] = names.map((name) => name.replace(/\\[^]|\[[^\]]+\]/g, '?'))
      if (first === '**' && rest.length > 0) return [{ pattern: rest.join('/'), allows: false }]
      const glob = [withSlashes(dir), first, ...rest].join('/')
      return belowRoot(glob, root).map((pattern) => ({ pattern, allows: false, from: 'root' as const }))
    })
}
