import { fail, ok, type Outcome } from '../../core/action.ts'
import type { RunData } from '../../core/commands.ts'
import type { PathArg } from '../../core/files.ts'
import type { ReadingCommand } from '../../core/listed-commands.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Listed } from '../../policy/commands/judge-command.ts'
import type { CommandScope } from '../scope.ts'
import { runCat } from './cat.ts'
import { runDiff } from './diff.ts'
import { runFile } from './file-type.ts'
import { runFind } from './find.ts'
import { runGrep } from './grep.ts'
import { runHead, runTail } from './head-tail.ts'
import { runLs } from './ls.ts'
import { ReadingRun } from './reading-run.ts'
import { runPwd, runRealpath, runStat } from './stat.ts'
import { runTree } from './tree.ts'
import { runWc } from './wc.ts'
import { runXxd } from './xxd.ts'

const commands: Readonly<Record<ReadingCommand, (reader: ReadingRun) => Promise<void>>> = {
  cat: runCat,
  head: runHead,
  tail: runTail,
  grep: runGrep,
  find: runFind,
  ls: runLs,
  pwd: runPwd,
  tree: runTree,
  wc: runWc,
  diff: runDiff,
  file: runFile,
  stat: runStat,
  realpath: runRealpath,
  xxd: runXxd,
}

/**
 * A command that only reads: no process, and the same checks as for any action that reads, so that a file that is swapped
 * after the check changes nothing.
 */
export async function runReadingCommand(
  name: ReadingCommand,
  { rule, call }: Listed,
  cwd: PathArg,
  scope: CommandScope,
): Promise<Outcome<RunData>> {
  const found = await scope.files.look(cwd, 'list')
  if (found?.type !== 'directory') return fail({ kind: 'cwd-missing', path: cwd.given })
  const reader = await ReadingRun.open(name, call, { ...cwd, absolute: found.absolute }, scope)
  try {
    await commands[name](reader)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return fail(error.problem, { output: reader.output() })
  }
  const { exitCode, hits } = reader
  const data = { output: reader.output(), exit_code: exitCode }
  const isAnswer = exitCode === 0 || (rule.answers?.includes(exitCode) ?? false)
  return isAnswer ? { ...ok(data), hits } : fail({ kind: 'command-failed', how: { exit: exitCode } }, data)
}
