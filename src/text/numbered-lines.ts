import { splitLines } from './lines.ts'

/** The result of `extractNumberedLines`. */
export interface NumberedLines {
  result: string
  lineCount: number
  /** Set when lines were asked for that the content does not have; `result` then holds those it has. */
  outOfRange?: { requested: string; actual: number }
}

/**
 * Lines after their numbers, right-aligned. No `lineSpec` means all lines.
 * @throws for a `lineSpec` that names no lines, unless the content is empty.
 */
export function extractNumberedLines(
  content: string,
  lineSpec: string | undefined,
  delimiter: string = ': ',
): NumberedLines {
  if (content === '') return { result: '', lineCount: 0 }

  const lines = splitLines(content)
  const lineCount = lines.length
  const range = lineSpec ? parseLineSpec(lineSpec) : { first: 1, last: lineCount }
  if ('error' in range) {
    throw new Error(
      range.error === 'form'
        ? `Invalid line specification '${lineSpec}'`
        : `Invalid line range '${lineSpec}' (start must be <= end)`,
    )
  }

  const last = Math.min(range.last, lineCount)
  const width = String(last).length
  const result = lines
    .slice(range.first - 1, last)
    .map((line, index) => `${String(range.first + index).padStart(width)}${delimiter}${line}`)
    .join('\n')
  if (range.last <= lineCount) return { result, lineCount }
  return { result, lineCount, outOfRange: { requested: lineSpec ?? '', actual: lineCount } }
}

/** `4` or `23-43`, counted from 1. Spaces around the numbers are accepted, anything else is not. */
export function parseLineSpec(spec: string): { first: number; last: number } | { error: 'form' | 'order' } {
  const [, from, to = from] = /^\s*(\d+)(?:\s*-\s*(\d+))?\s*$/.exec(spec) ?? []
  const first = Number(from)
  const last = Number(to)
  if (!(first >= 1 && last >= 1)) return { error: 'form' }
  return first > last ? { error: 'order' } : { first, last }
}
