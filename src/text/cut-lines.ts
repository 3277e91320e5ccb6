/** What is left of a text that does not fit: lines at its beginning and at its end, whole where that is possible. */
export interface CutLines {
  readonly head: string
  readonly tail: string
  /** The first and the last line between them, from 1. */
  readonly first: number
  readonly last: number
  readonly total: number
}

/** Undefined where the text fits. */
export function cutLines(text: string, room: number): CutLines | undefined {
  if (text.length <= room) return undefined
  const half = Math.max(0, Math.floor(room / 2))
  const headEnd = cutBefore(text, half)
  const tailStart = cutAfter(text, text.length - half)
  const head = text.slice(0, headEnd)
  const tail = text.slice(tailStart)
  const total = linesIn(text)
  // A line that is cut itself counts as not shown.
  const wholeHead = text[headEnd] === '\n' ? linesIn(head) : linesIn(head) - 1
  const wholeTail = tail === '' ? 0 : text[tailStart - 1] === '\n' ? linesIn(tail) : linesIn(tail) - 1
  const first = Math.max(0, wholeHead) + 1
  return { head, tail, first, last: Math.max(first, total - wholeTail), total }
}

const linesIn = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

/** Never inside a character, and rather at a line break than inside a line. */
function cutBefore(text: string, at: number): number {
  const lf = text.lastIndexOf('\n', at)
  if (lf > at * 0.5) return lf
  return isLowSurrogate(text, at) ? at - 1 : at
}

function cutAfter(text: string, at: number): number {
  const lf = text.indexOf('\n', at)
  if (lf !== -1 && text.length - lf > (text.length - at) * 0.5) return lf + 1
  return isLowSurrogate(text, at) ? at + 1 : at
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** Gives each of several texts its share of the room: short ones all they need, the others equal parts of the rest. */
export function sharesOf(lengths: readonly number[], room: number): number[] {
  const shares = lengths.map(() => 0)
  const order = [...lengths.keys()].sort((a, b) => (lengths[a] ?? 0) - (lengths[b] ?? 0))
  let left = room
  for (const [done, index] of order.entries()) {
    const share = Math.min(lengths[index] ?? 0, Math.floor(left / (order.length - done)))
    shares[index] = share
    left -= share
  }
  return shares
}
