import nodePath from 'node:path'
import { decode } from '../actions/decode.ts'
import { type ActionContext, fail, type Outcome } from '../core/action.ts'
import type { RunData, RunRequest } from '../core/commands.ts'
import type { Settings } from '../core/settings.ts'
import { commandAsAction } from '../policy/commands/as-action.ts'
import { decide } from '../policy/decide.ts'

/** Runs a command by which models look around as the action that it means; undefined for every other command. */
export async function runCommandAsAction(
  { command, dir }: RunRequest,
  settings: Settings,
  context: ActionContext,
): Promise<Outcome<RunData> | undefined> {
  const meant = commandAsAction(command)
  if (meant === undefined) return undefined
  if ('reason' in meant) return fail({ kind: 'command-refused', ...meant })
  const base = nodePath.resolve(dir?.absolute ?? settings.root, meant.cd ?? '')
  const params = Object.fromEntries(
    Object.entries(meant.params).map(([name, value]) => [name, pathFromBase(name, value, base, settings.root)]),
  )
  const decoded = decode(meant.action, params, settings.registry, { root: settings.root, relativePaths: true })
  if (!decoded.ok) return undefined
  const { verdict } = decide(decoded.spec, decoded.spelled, {
    origin: 'document',
    allowedActions: settings.allowedActions,
  })
  if (verdict === 'deny') return undefined
  const outcome = await decoded.spec.run(decoded.args, { ...context, spelled: 'run', pastEnd: 'noted' })
  if (!outcome.ok)
    return outcome.data === undefined
      ? fail(outcome.problem)
      : fail(outcome.problem, { as: meant.action, result: outcome.data })
  return { ...outcome, data: { output: outputOf(outcome.data), exit_code: 0, as: meant.action, result: outcome.data } }
}

/** Paths of a command are seen from its directory. */
function pathFromBase(name: string, value: string, base: string, root: string): string {
  if ((name !== 'path' && name !== 'paths') || base === root) return value
  return value
    .split('\n')
    .map((one) => nodePath.resolve(base, one))
    .join('\n')
}

/** As a program would have printed it. */
function outputOf(data: unknown): string {
  if (typeof data === 'object' && data !== null && 'content' in data) return `${String(data.content)}\n`
  if (!Array.isArray(data)) return ''
  return data.map(({ file, line_number: line, line: text }) => `${file}:${line}:${text}\n`).join('')
}
