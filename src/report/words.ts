import type { ActionResult, ParseError } from '../core/result.ts'
import type { ReportOptions } from './options.ts'

/** What an action was about, in a word or two. */
export function primaryOf({ params }: Pick<ActionResult, 'params'>): string {
  const { path, paths, pattern, lang, old_path, source_path, command } = params
  if (typeof path === 'string') return path
  if (typeof paths === 'string') return `(${paths.split('\n').filter((line) => line.trim() !== '').length} files)`
  for (const value of [pattern, lang, old_path, source_path, command])
    if (typeof value === 'string') return oneLine(value)
  return ''
}

/** Why an action failed, in a few words. */
export function reasonOf(error: string | undefined): string {
  if (error === undefined || error === '') return 'Unknown error'
  if (/File not found|no such file or directory/.test(error)) return 'File not found'
  if (/permission denied/i.test(error)) return 'Permission denied'
  const colon = error.indexOf(': ')
  const [short = ''] = colon === -1 ? [] : error.slice(colon + 2).split(/['(\n]/)
  return short.trim() || oneLine(colon === -1 ? error : error.slice(colon + 2))
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

/** Where a reply was cut off is worth a line even where nobody asked for details: the model has to go on from there. */
export const showsHint = ({ hint, code }: ParseError, detail: ReportOptions['errorDetail']): boolean =>
  hint !== undefined && (detail === undefined ? code === 'truncated' : detail !== 'minimal')
