import path from 'node:path'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { RunRequest } from '../core/commands.ts'
import type { PathArg } from '../core/files.ts'
import { judgeCommand } from '../policy/commands/judge-command.ts'
import { runApproved } from './run-approved.ts'
import { runListed } from './run-listed.ts'
import { runOnWorkspace } from './run-on-workspace.ts'
import { type CommandScope, rootArg } from './scope.ts'

/** A command line, without a shell: on the list, or approved, or refused. */
export async function runCommand({ command, dir }: RunRequest, scope: CommandScope): Promise<Outcome> {
  const decision = judgeCommand(command, scope.settings)
  if (decision.verdict === 'deny') {
    const { reason, advice } = decision
    return fail({ kind: 'command-refused', reason, advice })
  }
  const cwd = directoryOf(dir ?? rootArg(scope.settings.root), decision.cd)
  if (decision.verdict === 'allow' && decision.listed.rule.by === 'workspace') {
    return runOnWorkspace(decision.listed, cwd, scope)
  }
  if (decision.verdict === 'ask') return runApproved({ words: decision.words, cwd }, scope)
  if (scope.effect === 'show' || scope.effect === 'tried') {
    await scope.files.look(cwd, 'list')
    return ok({ would_run: command.trim() }, ['not run in a preview; it only looks, and changes nothing'])
  }
  return runListed(decision.listed, cwd, scope)
}

function directoryOf(dir: PathArg, cd: string | undefined): PathArg {
  return cd === undefined ? dir : { given: cd, absolute: path.resolve(dir.absolute, cd) }
}
