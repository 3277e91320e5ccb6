import { registry } from '../actions/registry.ts'
import type { ActionResult } from '../core/result.ts'
import { Content } from './content.ts'
import { capText, primaryOf } from './words.ts'

export const defaultOutputLimit = 50 * 1024

/** The output of an action with a heading, or undefined when it has none. Writes have none: their line is enough. */
export function outputOf(
  result: ActionResult,
  limit: number,
  programs: 'show' | 'hide' = 'show',
): { title: string; body: string; by: 'exec' | 'output' } | undefined {
  const { action, data } = result
  const output = registry.get(action)?.output
  const isProgram = output?.by === 'program'
  if (output === undefined || data === undefined || (programs === 'hide' && isProgram)) return undefined
  const content = new Content()
  const text = output.text(result, content.text)
  if (text === undefined) return undefined
  const body = capText(output.framed ? text : content.text(text), limit)
  const target = output.named ? '' : ` ${primaryOf(result)}${isProgram && !result.success ? ' (failed)' : ''}`
  return {
    title: `[${result.blockId}] ${action}${target}:`,
    body: [body, ...content.note].join('\n'),
    by: isProgram ? 'exec' : 'output',
  }
}
