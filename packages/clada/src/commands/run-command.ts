import path from 'node:path'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { RunData, RunRequest } from '../core/commands.ts'
import type { PathArg } from '../core/files.ts'
import { isChangingCommand, isReadingCommand } from '../core/listed-commands.ts'
import { judgeCommand } from '../policy/commands/judge-command.ts'
import { runChangingCommand } from './changing.ts'
import { runReadingCommand } from './reading/run-reading.ts'
import { runApproved } from './run-approved.ts'
import { runListedGit } from './listed-git.ts'
import { type CommandScope, rootArg } from './scope.ts'

/** A command line, without a shell: on the list, or approved, or refused. */
export async function runCommand({ command, dir }: RunRequest, scope: CommandScope): Promise<Outcome<RunData>> {
  const decision = judgeCommand(command, scope.settings, scope.coverage)
  if (decision.verdict === 'deny') {
    const { reason, advice } = decision
    return fail({ kind: 'command-refused', reason, advice })
  }
  const cwd = directoryAfterCd(dir ?? rootArg(scope.settings.root), decision.cd)
  if (decision.verdict === 'ask') return runApproved({ words: decision.words, typed: decision.typed, cwd }, scope)
  const { listed } = decision
  const { name } = listed.rule
  if (isReadingCommand(name)) return runReadingCommand(name, listed, cwd, scope)
  if (isChangingCommand(name)) return runChangingCommand(name, listed, cwd, scope)
  if (scope.effect === 'show' || scope.effect === 'tried') {
    await scope.files.look(cwd, 'list')
    return ok({ would_run: command.trim() }, ['not run in a preview; it only looks, and changes nothing'])
  }
  return runListedGit(listed, cwd, scope)
}

function directoryAfterCd(dir: PathArg, cd: string | undefined): PathArg {
  return cd === undefined ? dir : { given: cd, absolute: path.resolve(dir.absolute, cd) }
}
