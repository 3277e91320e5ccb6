import type { Output } from '../core/action.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { outlineRow } from './file-output.ts'

/** The output of `list_structures`. */
export const outlineBody = (structures: readonly Outlined[]): string => outlineLines(structures, 0).join('\n')

export const outlineOutput: Output<{ readonly structures: readonly Outlined[] }> = {
  // A model sees the kind in the header.
  text: ({ data }) => data && nestedRows(data.structures, 0).join('\n'),
}

const nestedRows = (entries: readonly Outlined[], depth: number): string[] =>
  entries.flatMap(({ header, lines: [first = 0, last = first], children = [] }) => [
    outlineRow({ header, lines: [first, last], depth }),
    // The shape of a result cannot say that it holds itself.
    ...nestedRows(children as readonly Outlined[], depth + 1),
  ])

/** A structure of an outline, which has those inside it. */
interface Outlined {
  readonly header: string
  readonly kind: string
  readonly lines: readonly number[]
  readonly children?: readonly unknown[] | undefined
}

/** The output of `read_structure`. */
export const structureOutput: Output<{
  readonly matches: readonly { readonly text: string; readonly line_range_inclusive: readonly number[] }[]
}> = {
  text: ({ data }) =>
    data?.matches
      .map(({ text, line_range_inclusive: lines }) => `lines ${lines.join('-')}:\n${text.replace(/\n$/, '')}`)
      .join('\n\n'),
}

/** What helps to name the right structure. Those that a target fits, or almost does, are in the message. */
export function structureHelp(details: Readonly<Record<string, unknown>>): string[] {
  return ['parse_errors', 'occurrences'].flatMap((name) => {
    const found = details[name]
    if (!Array.isArray(found) || found.length === 0) return []
    return [`${name.replace('_', ' ')}:`, ...found.slice(0, 20).map((one) => `  ${showValue(one)}`)]
  })
}

function showValue(one: unknown): string {
  if (!isRecord(one)) return String(one)
  const { lines, line_range_inclusive, path, header, line, column, message } = one
  const range = lines ?? line_range_inclusive
  if (range !== undefined)
    return `lines ${lineSpan(range)}: ${Array.isArray(path) ? path.join(' > ') : String(path ?? header ?? '')}`
  return line === undefined ? JSON.stringify(one) : `line ${String(line)}, column ${String(column)}: ${String(message)}`
}

function outlineLines(entries: readonly Outlined[], depth: number): string[] {
  return entries.flatMap(({ header, kind, lines, children = [] }) => [
    `${lines.join('-').padStart(9)}  ${'  '.repeat(depth)}${header}  (${kind})`,
    // The shape of a result cannot say that it holds itself.
    ...outlineLines(children as readonly Outlined[], depth + 1),
  ])
}

const lineSpan = (lines: unknown): string => (Array.isArray(lines) ? lines.join('-') : String(lines))
