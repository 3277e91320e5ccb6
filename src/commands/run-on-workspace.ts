import path from 'node:path'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import { type Problem, Stop } from '../core/problem.ts'
import type { Listed } from '../policy/commands/judge-command.ts'
import { copyPath, FileCommand, makeDirectory, movePath, removePath, touchFile } from './file-command.ts'
import type { CommandScope } from './scope.ts'

/** `mv rm cp mkdir touch`: no process, the same checks and the same journal as any file action. */
export async function runOnWorkspace(
  { rule, call, operands }: Listed,
  cwd: PathArg,
  scope: CommandScope,
): Promise<Outcome> {
  const found = await scope.files.look(cwd, 'list')
  if (found?.type !== 'directory') return fail({ kind: 'cwd-missing', path: cwd.given })
  const command = new FileCommand(scope.files, scope.settings.root, call)
  const args = operands.map(({ text }): PathArg => ({ given: text, absolute: path.resolve(cwd.absolute, text) }))
  try {
    if (rule.name === 'mv' || rule.name === 'cp') await intoTarget(rule.name, command, args)
    else for (const arg of args) await one(rule.name, command, arg)
  } catch (error) {
    if (!(error instanceof Stop) || command.changed.length === 0) throw error
    // What was done before stays done; the answer says what.
    return fail(error.problem, { output: command.said(), exit_code: 1, changed: command.changed })
  }
  return ok({
    output: command.said(),
    exit_code: 0,
    ...(command.changed.length === 0 ? {} : { changed: command.changed }),
  })
}

function one(name: string, command: FileCommand, arg: PathArg): Promise<void> {
  if (name === 'rm') return removePath(command, arg)
  return name === 'mkdir' ? makeDirectory(command, arg) : touchFile(command, arg)
}

async function intoTarget(name: 'mv' | 'cp', command: FileCommand, args: readonly PathArg[]): Promise<void> {
  const target = args.at(-1)
  const sources = args.slice(0, -1)
  if (target === undefined) return
  const found = await command.files.look(target, 'write')
  const into = found?.type === 'directory' && !command.has('-T')
  if (!into && (sources.length > 1 || target.given.endsWith('/')))
    throw new Stop(notDirectory(target, found === undefined))
  for (const source of sources) {
    const base = path.basename(source.absolute)
    const to = into
      ? { given: `${target.given.replace(/\/+$/, '')}/${base}`, absolute: path.join(target.absolute, base) }
      : target
    await (name === 'mv' ? movePath(command, source, to) : copyPath(command, source, to))
  }
}

const notDirectory = ({ given }: PathArg, missing: boolean): Problem => ({
  kind: 'os',
  code: missing ? 'ENOENT' : 'ENOTDIR',
  op: 'open',
  path: given,
})
