import { counted } from '../core/counted.ts'
import type { ActionResult, ParseError } from '../core/result.ts'

/** What an action was about, in a word or two. */
export function primaryOf({ params }: Pick<ActionResult, 'params'>): string {
  const { path, paths, pattern, lang, old_path, source_path, command } = params
  // A name with a line break in it must not look like two lines.
  if (typeof path === 'string') return path.replace(/\r?\n/g, '\\n')
  if (typeof paths === 'string')
    return `(${counted(paths.split('\n').filter((line) => line.trim() !== '').length, 'file')})`
  for (const value of [pattern, lang, old_path, source_path, command])
    if (typeof value === 'string') return oneLine(value)
  return ''
}

/** Why an action failed, in a few words. */
export function reasonOf(result: Pick<ActionResult, 'error' | 'code' | 'data' | 'details' | 'params'>): string {
  const { error, code, data, details } = result
  const said = code === 'exec_failed' ? lastLineOf(data) : undefined
  if (said !== undefined) return oneLine(said.trim())
  if (isPartial(result)) {
    const [changed, read, failed] = [changedIn(data), pathsIn(data).length, details?.failures?.length ?? 0]
    const what =
      changed === undefined ? `Read ${read} of ${read + failed}` : `Changed ${changed.done} of ${changed.all}`
    return `${what} files (${failed} failed)`
  }
  if (error === undefined || error === '') return 'Unknown error'
  if (/File not found|no such file or directory/.test(error)) return 'File not found'
  if (/permission denied/i.test(error)) return 'Permission denied'
  // One word in front is the action's name, or what the system calls the mistake.
  const line = firstLine(error.replace(/^\S+: /, ''))
  // What the action was about stands in front of it already, and codes are for programs.
  const primary = ` '${primaryOf(result)}'`
  const short = line
    .replace(` of${primary}`, '')
    .replace(primary, '')
    .replace(/ \((?:[A-Z]+|[a-z]+_[a-z_]+)\)$/, '')
  return oneLine(short.trim())
}

/** The first line of a message. A text that it quotes is a part of that line, whatever line breaks are in it. */
export function firstLine(message: string): string {
  const [line = ''] = message.replace(quotedText, (quoted) => quoted.replaceAll('\n', '⏎')).split('\n')
  return line
}

/** A quote inside a word is an apostrophe. Bounded, because a message may be anything. */
const quotedText = /(?<!\w)(['"])[^]{0,500}?\1(?!\w)/g

/** Whether some of several files could be read or changed. */
export const isPartial = ({ data, details }: Pick<ActionResult, 'data' | 'details'>): boolean =>
  details?.failures !== undefined && (pathsIn(data).length > 0 || (changedIn(data)?.done ?? 0) > 0)

function pathsIn(data: unknown): readonly unknown[] {
  return typeof data === 'object' && data !== null && 'paths' in data && Array.isArray(data.paths) ? data.paths : []
}

/** How many of several files were changed; undefined where none was to be. */
function changedIn(data: unknown): { readonly done: number; readonly all: number } | undefined {
  if (typeof data !== 'object' || data === null || !('results' in data) || !Array.isArray(data.results))
    return undefined
  const each: readonly { replacements_made?: unknown }[] = data.results
  return { done: each.filter(({ replacements_made }) => replacements_made !== 0).length, all: each.length }
}

/** What a program said last about its failure. */
function lastLineOf(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('stderr' in data)) return undefined
  return String(data.stderr)
    .split('\n')
    .findLast((line) => line.trim() !== '')
}

/** The first line of a text, short enough for a list. */
export function oneLine(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

/** Errors of the same block together, in order of appearance. */
export function byBlock(errors: readonly ParseError[]): ParseError[][] {
  const groups = new Map<string, ParseError[]>()
  for (const error of errors) {
    const key = `${error.blockId}\0${error.blockStartLine}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [error])
    else group.push(error)
  }
  return [...groups.values()]
}
