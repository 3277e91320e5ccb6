import { blankOut, type Source, textFrom } from '../core/source.ts'
import { fenceAt, type FenceRegion } from './fences.ts'
import { Regions } from './regions.ts'

/** Fences of Markdown around fences: a reply that was copied as one code block, or an example of one. */

/** A text without the fence that is around all of it. Its lines stay where they are. */
export function unwrapWhole(source: Source): Source {
  let first = 1
  while (first < source.lineCount && textFrom(source, first) === -1) first++
  const fence = Regions.of(source).fenceFrom(first)
  if (fence === undefined || !isWrapper(source, fence)) return source
  const ends = [{ first, last: first }]
  if (!fence.isClosed) return blankOut(source, ends)
  for (let line = fence.last + 1; line <= source.lineCount; line++) if (textFrom(source, line) !== -1) return source
  return blankOut(source, [...ends, { first: fence.last, last: fence.last }])
}

/** Whether a fence is one of Markdown that has others in it. */
export function isWrapper(source: Source, { first, last, isClosed, marks, info }: FenceRegion): boolean {
  if (!MARKDOWN.test(info) || (marks.length < LONG && !/^m/i.test(info))) return false
  // One that nothing closes ends above the next one.
  for (let line = first + 1; line <= (isClosed ? last : source.lineCount); line++) {
    const inner = fenceAt(source, line)
    if (inner !== undefined && (inner.marks.length < marks.length || inner.info !== '')) return true
  }
  return false
}

/** More marks than fences of code have, so that these are content. */
const LONG = 4
const MARKDOWN = /^(?:md|mdx|markdown|te?xt|plaintext)?$/i
