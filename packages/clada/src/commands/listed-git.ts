import path from 'node:path'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { RunData } from '../core/commands.ts'
import type { PathArg } from '../core/files.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import { commitOnly } from '../policy/commands/git-rules.ts'
import type { Listed } from '../policy/commands/judge-command.ts'
import type { Argument } from '../policy/commands/rule.ts'
import { openReadOnlyGit } from '../process/isolated-git-dir.ts'
import { type ProcessEnd, runProcess } from '../process/run-process.ts'
import { listSecondNames } from './bounds.ts'
import { lookOnLayers } from './contained.ts'
import { checkOperand, type CommandScope, listedCommandMs, type CheckedDirectory, checkDirectory } from './scope.ts'
import { withLimitedMemory } from '../process/limited-memory.ts'
import { systemGit } from '../process/programs.ts'

/** A git command of the list, which only reads the repository. */
export async function runListedGit(listed: Listed, cwd: PathArg, scope: CommandScope): Promise<Outcome<RunData>> {
  const place = await checkDirectory(cwd, 'looks', scope)
  const file = systemGit([scope.settings.root, ...scope.settings.allowedRoots])
  if (file === undefined) return fail({ kind: 'program-missing', program: 'git' })
  const end = await runIsolated(file, listed, place, scope)
  return end !== undefined && 'problem' in end ? fail(end.problem) : gitOutcome(listed, end)
}

function gitOutcome({ rule }: Listed, end: ProcessEnd | undefined): Outcome<RunData> {
  if (end === undefined) {
    const advice = 'Only a repository whose top is the root can be looked at.'
    return fail({ kind: 'command-refused', reason: 'the root is not the top of a git repository', advice })
  }
  const { output, exitCode, signal, ended, error, stopped } = end
  if (ended === 'unstarted') return fail({ kind: 'program-missing', program: rule.name, advice: error })
  if (ended === 'timeout') return fail({ kind: 'command-late', ms: listedCommandMs }, { output })
  if (stopped !== undefined) return fail({ kind: 'command-failed', how: { stopped } }, { output })
  if (exitCode === null) return fail({ kind: 'command-failed', how: { signal: signal ?? 'unknown' } }, { output })
  const data = { output, exit_code: exitCode }
  return exitCode === 0 ? ok(data) : fail({ kind: 'command-failed', how: { exit: exitCode } }, data)
}

/** Undefined when the root is not in a repository. */
async function runIsolated(
  file: string,
  listed: Listed,
  place: CheckedDirectory,
  scope: CommandScope,
): Promise<ProcessEnd | { readonly problem: Problem } | undefined> {
  const operands = await sortOperands(listed, place, scope)
  // The history of a second name is that of the blocked file.
  const args = gitArgs(listed, operands, listed.excluded.length === 0 ? [] : listSecondNames(scope))
  const isolated = openReadOnlyGit(scope.settings.root)
  if (isolated === undefined) return undefined
  if ('reason' in isolated) return { problem: { kind: 'git', ...isolated } }
  try {
    // There the settings of the repository are masked already.
    if (scope.effect !== 'land') return await lookOnLayers(file, args, place, scope)
    return await runProcess({
      ...withLimitedMemory(file, [...isolated.args, ...args]),
      cwd: place.safePath,
      env: isolated.env,
      timeoutMs: listedCommandMs,
      outputBytes: Math.min(scope.commands.outputBytes, 10 * 1024 * 1024),
      scope: 'group',
      signal: scope.signal,
      onOutput: scope.onOutput,
    })
  } finally {
    isolated.close()
  }
}

interface GitOperands {
  readonly revisions: readonly string[]
  readonly paths: readonly string[]
  readonly texts: readonly string[]
}

function gitArgs(
  { rule, call, excluded }: Listed,
  { revisions, paths, texts }: GitOperands,
  secondNames: readonly string[],
): string[] {
  const words = [...rule.name.split(' ').slice(1), ...(rule.always ?? []), ...call.options, ...revisions]
  // git stash reads everything that is no option as a stash.
  if (rule.name.startsWith('git stash')) return words
  const all = excluded.length > 0 && paths.length === 0 ? [':(top)'] : []
  const further = secondNames.map((name) => `:(top,exclude,literal)${name}`)
  return [...words, '--', ...all, ...paths, ...texts, ...excluded, ...further]
}

/** Which operands are commits and which are paths: as git does it, by what is before `--`, else by what is there. */
async function sortOperands(
  { rule, call }: Listed,
  place: CheckedDirectory,
  scope: CommandScope,
): Promise<GitOperands> {
  const revisions: string[] = []
  const paths: string[] = []
  const texts: string[] = []
  for (const [index, operand] of call.operands.entries()) {
    if (operand.as === 'text') texts.push(operand.text)
    else if (operand.as === 'revision') revisions.push(operand.text)
    else if (operand.as !== 'revision-or-content') paths.push(await spellOperand(operand, place, scope))
    else if (await isRevision(operand, index, paths.length, call.beforeDashes, place, scope)) {
      const commit = commitOnly(operand.text)
      if (commit === undefined) throw notCommitError(rule.name, operand.text)
      revisions.push(commit)
    } else paths.push(await spellOperand({ ...operand, as: 'content' }, place, scope))
  }
  return { revisions, paths, texts }
}

async function isRevision(
  { text }: Argument,
  index: number,
  pathsBefore: number,
  beforeDashes: number | undefined,
  place: CheckedDirectory,
  { files }: CommandScope,
): Promise<boolean> {
  if (beforeDashes !== undefined) return index < beforeDashes
  if (pathsBefore > 0 || commitOnly(text) === undefined) return false
  return (await files.look({ given: text, absolute: path.resolve(place.absolute, text) }, 'list')) === undefined
}

const notCommitError = (name: string, text: string): ProblemError =>
  new ProblemError({
    kind: 'command-refused',
    reason: `${name}: '${text}' is not a commit`,
    advice: 'Name a commit, a branch or a tag.',
  })

/**
 * Spelled so that git means the same file. It would follow `link/..` to where the link leads; what was checked is the
 * cleaned path, so that is what it gets.
 */
async function spellOperand(operand: Argument, place: CheckedDirectory, scope: CommandScope): Promise<string> {
  const { given, absolute } = await checkOperand(operand, place.absolute, scope)
  if (!given.split('/').includes('..')) return given
  return path.relative(place.absolute, absolute) || '.'
}
