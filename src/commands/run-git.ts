import path from 'node:path'
import { type Problem, Stop } from '../core/problem.ts'
import { commitOnly } from '../policy/commands/git-rules.ts'
import type { Listed } from '../policy/commands/judge-command.ts'
import type { Argument } from '../policy/commands/rule.ts'
import { openReadOnlyGit } from '../process/isolated-git-dir.ts'
import { type ProcessEnd, runProcess } from '../process/run-process.ts'
import { lookOnLayers } from './contained.ts'
import { checkedOperand, type CommandScope, listedMs, type Place } from './scope.ts'

/** A look into the project's repository; undefined when the root is not in one. */
export async function runGit(
  file: string,
  listed: Listed,
  place: Place,
  scope: CommandScope,
): Promise<ProcessEnd | { readonly problem: Problem } | undefined> {
  const { revisions, paths, texts } = await sorted(listed, place, scope)
  const isolated = openReadOnlyGit(scope.settings.root)
  if (isolated === undefined) return undefined
  try {
    // There the settings of the repository are masked already.
    if (scope.effect !== 'land') return await lookOnLayers(file, gitArgs(listed, revisions, paths, texts), place, scope)
    return await runProcess({
      file,
      args: [...isolated.args, ...gitArgs(listed, revisions, paths, texts)],
      cwd: place.safePath,
      env: isolated.env,
      timeoutMs: listedMs,
      outputBytes: Math.min(scope.commands.outputBytes, 10 * 1024 * 1024),
      family: 'group',
      signal: scope.signal,
      onOutput: scope.onOutput,
    })
  } finally {
    isolated.close()
  }
}

interface Sorted {
  readonly revisions: readonly string[]
  readonly paths: readonly string[]
  readonly texts: readonly string[]
}

function gitArgs(
  { rule, options, trailing }: Listed,
  revisions: readonly string[],
  paths: readonly string[],
  texts: readonly string[],
): string[] {
  const words = [...rule.name.split(' ').slice(1), ...options, ...revisions]
  // git stash reads everything that is no option as a stash.
  if (rule.name.startsWith('git stash')) return words
  const all = trailing.length > 0 && paths.length === 0 ? [':(top)'] : []
  return [...words, '--', ...all, ...paths, ...texts, ...trailing]
}

/** Which operands are commits and which are paths: as git does it, by what is before `--`, else by what is there. */
async function sorted({ rule, operands, call }: Listed, place: Place, scope: CommandScope): Promise<Sorted> {
  const revisions: string[] = []
  const paths: string[] = []
  const texts: string[] = []
  for (const [index, operand] of operands.entries()) {
    if (operand.as === 'text') texts.push(operand.text)
    else if (operand.as === 'revision') revisions.push(operand.text)
    else if (operand.as !== 'revision-or-content') paths.push(await checkedOperand(operand, place, scope))
    else if (await isRevision(operand, index, paths.length, call.beforeDashes, place, scope)) {
      const commit = commitOnly(operand.text)
      if (commit === undefined) throw refused(rule.name, operand.text)
      revisions.push(commit)
    } else paths.push(await checkedOperand({ ...operand, as: 'content' }, place, scope))
  }
  return { revisions, paths, texts }
}

async function isRevision(
  { text }: Argument,
  index: number,
  pathsBefore: number,
  beforeDashes: number | undefined,
  place: Place,
  { files }: CommandScope,
): Promise<boolean> {
  if (beforeDashes !== undefined) return index < beforeDashes
  if (pathsBefore > 0 || commitOnly(text) === undefined) return false
  return (await files.look({ given: text, absolute: path.resolve(place.absolute, text) }, 'list')) === undefined
}

const refused = (name: string, text: string): Stop =>
  new Stop({
    kind: 'command-refused',
    reason: `${name}: '${text}' is not a commit`,
    advice: 'Name a commit, a branch or a tag.',
  })
