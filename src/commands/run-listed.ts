import path from 'node:path'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import { closedNames, type Listed } from '../policy/commands/judge-command.ts'
import { closing } from '../policy/commands/rule.ts'
import { bareEnvironment } from '../process/environment.ts'
import { listedProgram } from '../process/programs.ts'
import { type ProcessEnd, runProcess } from '../process/run-process.ts'
import { closedBelow } from './closed.ts'
import { lookOnLayers } from './contained.ts'
import { lookAround } from './look-around.ts'
import { anyOf } from './looking.ts'
import { openLines } from './open-lines.ts'
import { ripgrepArgs } from './ripgrep-args.ts'
import { checkedOperand } from './operands.ts'
import { runGit } from './run-git.ts'
import { type CommandScope, listedMs, type Place, placeOf } from './scope.ts'
import { platform } from '../core/platform.ts'

/** A reading command of the list, as a process of its own. */
export async function runListed(listed: Listed, cwd: PathArg, scope: CommandScope): Promise<Outcome> {
  const place = await placeOf(cwd, 'looks', scope)
  const [name = ''] = listed.rule.name.split(' ')
  const file = listedProgram(name, [scope.settings.root, ...scope.settings.allowedRoots])
  if (name === 'git') {
    if (file === undefined) return fail({ kind: 'program-missing', program: name })
    return ended(listed, await runGit(file, listed, place, scope))
  }

  const words: string[] = []
  for (const operand of listed.operands) {
    const isPath = operand.as === 'content' || operand.as === 'name'
    words.push(isPath ? await checkedOperand(operand, place, scope) : operand.text)
  }
  if (file === undefined) return lookedAround(name, listed, words, place, scope)
  const args = argsOf(listed, words, place, scope)
  const end =
    scope.effect === 'land' ? await started(file, args, place, scope) : await lookOnLayers(file, args, place, scope)
  const recursive = name === 'grep' && listed.call.has('-r')
  if (!recursive || 'problem' in end) return ended(listed, end)
  return ended(listed, { ...end, output: await openLines(end, listed.call, place, scope) })
}

/** The same without the program: the commands themselves are small, and ripgrep searches. */
async function lookedAround(
  name: string,
  listed: Listed,
  words: readonly string[],
  place: Place,
  scope: CommandScope,
): Promise<Outcome> {
  const missing = fail({ kind: 'program-missing', program: name })
  if (scope.effect !== 'land') return missing
  const { call, rule } = listed
  if (name === 'grep') {
    const { rgPath } = await import('@vscode/ripgrep')
    const end = await started(rgPath, ripgrepArgs(call, listed.options, words), place, scope)
    const open = call.has('-r') ? { ...end, output: await openLines(end, call, place, scope) } : end
    return answer(listed, open)
  }
  const hidden = anyOf(closing(closedNames(scope.settings)).join('|'), 'i')
  const done = lookAround(name, {
    options: call.options,
    words,
    safePath: place.safePath,
    absolute: place.absolute,
    isHidden: hidden,
  })
  if (done === undefined) return missing
  const data = { output: done.output, exit_code: done.exitCode }
  const isAnswer = done.exitCode === 0 || (rule.answers?.includes(done.exitCode) ?? false)
  return isAnswer ? ok(data) : fail({ kind: 'command-failed', how: { exit: done.exitCode } }, data)
}

const ended = (listed: Listed, end: ProcessEnd | { readonly problem: Problem } | undefined): Outcome =>
  end !== undefined && 'problem' in end ? fail(end.problem) : answer(listed, end)

function argsOf(
  { rule, call, options }: Listed,
  words: readonly string[],
  place: Place,
  scope: CommandScope,
): string[] {
  // find reads its start points before anything else, so they must not look like options.
  if (rule.name === 'find')
    return words.map((word, index) => (index === 0 && word.startsWith('-') ? `./${word}` : word))
  const more =
    rule.name === 'grep' && call.has('-r')
      ? ['--null', '-H']
      : rule.name === 'diff' && call.has('-r')
        ? closedBelow(words, place, scope).map((name) => `--exclude=${name}`)
        : []
  // Without an operand grep -r searches the directory it is in.
  const last = rule.name === 'grep' && call.has('-r') && !call.operands.some(({ as }) => as === 'content') ? ['.'] : []
  // A program that knows no `--` must not take a file for an option.
  if (rule.dashes === 'single') return [...options, ...words.map((word) => (word.startsWith('-') ? `./${word}` : word))]
  return [...known(rule.name, options), ...more, '--', ...words, ...last]
}

/** The ls of the BSDs knows neither colours nor what to leave out by name. */
const known = (name: string, options: readonly string[]): readonly string[] =>
  name === 'ls' && platform.name !== 'linux' ? options.filter((one) => !/^--(color|ignore)=/.test(one)) : options

function started(
  file: string,
  args: readonly string[],
  place: Place,
  { signal, onOutput, commands }: CommandScope,
): Promise<ProcessEnd> {
  return runProcess({
    file,
    args,
    name: path.basename(file),
    cwd: place.safePath,
    env: bareEnvironment,
    timeoutMs: listedMs,
    outputBytes: Math.min(commands.outputBytes, 10 * 1024 * 1024),
    family: 'group',
    signal,
    onOutput,
  })
}

export function answer({ rule }: Pick<Listed, 'rule'>, end: ProcessEnd | undefined): Outcome {
  if (end === undefined) {
    const advice = 'Only a repository whose top is the root can be looked at.'
    return fail({ kind: 'command-refused', reason: 'the root is not the top of a git repository', advice })
  }
  const { output, exitCode, signal, ended, error } = end
  if (ended === 'unstarted')
    return fail({ kind: 'program-missing', program: rule.name, ...(error === undefined ? {} : { advice: error }) })
  if (ended === 'timeout') return fail({ kind: 'command-late', ms: listedMs }, { output })
  if (ended === 'stopped') return fail({ kind: 'command-failed', how: { stopped: error ?? '' } }, { output })
  if (exitCode === null) return fail({ kind: 'command-failed', how: { signal: signal ?? 'unknown' } }, { output })
  const data = { output, exit_code: exitCode }
  const isAnswer = exitCode === 0 || (rule.answers?.includes(exitCode) ?? false)
  return isAnswer ? ok(data) : fail({ kind: 'command-failed', how: { exit: exitCode } }, data)
}
