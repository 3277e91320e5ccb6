import { fail, ok, type Outcome } from '../../core/action.ts'
import type { RunData } from '../../core/commands.ts'
import type { PathArg } from '../../core/files.ts'
import type { ReadingCommand } from '../../core/listed-commands.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Listed } from '../../policy/commands/judge-command.ts'
import type { CommandScope } from '../scope.ts'
import { cat } from './cat.ts'
import { diff } from './diff.ts'
import { fileType } from './file-type.ts'
import { find } from './find.ts'
import { grep } from './grep.ts'
import { head, tail } from './head-tail.ts'
import { ls } from './ls.ts'
import { Reader } from './reader.ts'
import { pwd, realpath, stat } from './stat.ts'
import { tree } from './tree.ts'
import { wc } from './wc.ts'
import { xxd } from './xxd.ts'

const commands: Readonly<Record<ReadingCommand, (reader: Reader) => Promise<void>>> = {
  cat,
  head,
  tail,
  grep,
  find,
  ls,
  pwd,
  tree,
  wc,
  diff,
  file: fileType,
  stat,
  realpath,
  xxd,
}

/**
 * A command that only reads: no process, and the same checks as for any action that reads, so that a file that is swapped
 * after the check changes nothing.
 */
export async function runReading(
  name: ReadingCommand,
  { rule, call }: Listed,
  cwd: PathArg,
  scope: CommandScope,
): Promise<Outcome<RunData>> {
  const found = await scope.files.look(cwd, 'list')
  if (found?.type !== 'directory') return fail({ kind: 'cwd-missing', path: cwd.given })
  const reader = await Reader.open(name, call, { ...cwd, absolute: found.absolute }, scope)
  try {
    await commands[name](reader)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return fail(error.problem, { output: reader.output() })
  }
  const { exitCode } = reader
  const data = { output: reader.output(), exit_code: exitCode }
  const isAnswer = exitCode === 0 || (rule.answers?.includes(exitCode) ?? false)
  return isAnswer ? ok(data) : fail({ kind: 'command-failed', how: { exit: exitCode } }, data)
}
