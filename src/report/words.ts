import { counted } from '../core/counted.ts'
import type { ActionResult, ParseError } from '../core/result.ts'

/** The path, pattern or command that an action is about. */
export function primaryOf({ params }: Pick<ActionResult, 'params'>): string {
  const { path, paths, pattern, lang, old_path, source_path, command } = params
  // A name with a line break in it must not look like two lines.
  if (typeof path === 'string') return path.replace(/\r?\n|\r/g, '\\n')
  if (typeof paths === 'string')
    return `(${counted(paths.split('\n').filter((line) => line.trim() !== '').length, 'file')})`
  for (const value of [pattern, lang, old_path, source_path, command])
    if (typeof value === 'string') return oneLine(value)
  return ''
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
