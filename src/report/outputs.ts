import path from 'node:path'
import { registry } from '../actions/registry.ts'
import { pathFrom } from '../core/paths.ts'
import type { ActionResult } from '../core/result.ts'
import { cutLines } from '../text/lines.ts'
import { Content, cutMark, primaryOf } from './words.ts'

export const defaultOutputLimit = 50 * 1024

export interface OutputOptions {
  /** Characters for this one. */
  readonly limit: number
  readonly programs?: 'show' | 'hide' | 'seen' | undefined
  /** The project; paths in it are shown relative to it. */
  readonly root?: string | undefined
}

export interface ShownOutput {
  readonly title: string
  readonly body: string
  readonly by: 'exec' | 'output'
  /** The part that is left out, if there is one. */
  readonly cut?: string
}

/** The output of an action with a heading, or undefined when it has none. Writes have none: their line is enough. */
export function outputOf(done: ActionResult, { limit, programs, root }: OutputOptions): ShownOutput | undefined {
  const { action } = done
  const meant = meantAction(done.data)
  const result = meant === undefined ? done : { ...done, action: meant.as, data: meant.result }
  const data = programs === 'seen' ? withoutStreams(result.data) : result.data
  const output = registry.get(result.action)?.output
  const isProgram = output?.by === 'program'
  if (output === undefined || data === undefined || (programs === 'hide' && isProgram)) return undefined
  const content = new Content()
  const shown = output.text(
    { ...result, data },
    { room: limit, content: content.text, path: (given) => shownPath(given, root) },
  )
  if (shown === undefined) return undefined
  const whole = typeof shown === 'string' ? shown : shown.text
  const safe = output.framed ? whole : content.text(whole)
  const cut = cutLines(safe, limit)
  const target =
    output.named && meant === undefined
      ? ''
      : ` ${shownPath(primaryOf(done), root)}${isProgram && !result.success ? ' (failed)' : ''}`
  const how = isProgram ? 'run less at a time to see them' : 'ask for less at a time'
  const mark = cut && cutMark(cut, how)
  const body = cut === undefined ? safe : [cut.head, mark, cut.tail].join('\n')
  const left = mark?.replace(/^\[.*?\] /, '') ?? (typeof shown === 'string' ? undefined : shown.cut)
  return {
    title: `[${result.blockId}] ${action}${target.trimEnd()}:`,
    body: [body, ...content.note].join('\n'),
    by: isProgram ? 'exec' : 'output',
    ...(left === undefined ? {} : { cut: left }),
  }
}

/** What a program wrote was shown while it ran. */
function withoutStreams(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('exit_code' in data)) return data
  const { output: _, stdout: _out, stderr: _err, ...rest }: Record<string, unknown> = { ...data }
  return rest
}

/** A command that was run as the action that does the same is shown as that one. */
function meantAction(data: unknown): { as: string; result: unknown } | undefined {
  if (typeof data !== 'object' || data === null || !('as' in data) || !('result' in data)) return undefined
  return typeof data.as === 'string' ? { as: data.as, result: data.result } : undefined
}

/** Relative to the project, or whole outside it. Names that are not absolute stay as they are. */
export function shownPath(given: string, root: string | undefined): string {
  if (root === undefined || !path.isAbsolute(given)) return given
  const [normal, base] = [path.normalize(given), path.normalize(root)]
  return normal === base ? '.' : pathFrom(base, normal)
}
