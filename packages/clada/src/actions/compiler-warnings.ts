import { formatCount } from '@clada/reply/core/words.ts'

/*
 * What compilers say about a warning: a head with the place, the lines of the source with a mark below them, and notes
 * that have the same form. In rustc's the place is below the head, and an empty line ends it.
 */

const place = '(?:[A-Za-z]:)?[^\\s:][^:]*:\\d+(?::\\d+)?'
const head = new RegExp(`^(?:${place}: warning: |warning(?:\\[\\w+\\])?: (?!.* generated \\d+ warnings?\\b))`)
const note = new RegExp(`^${place}: note: `)
const rustHead = /^warning/
const rustPlace = /^\s+--> (.+)$/

/** Source lines and marks of gcc, clang and rustc. */
const sourceLine = /^\s*\d* *\|(?: |$)|^\s+(?:-->|=) |^\.\.\.$/
/** The mark of javac and older versions of clang, below the line it is about. */
const markLine = /^\s*[~^][~^\s]*$/
/** The function around the next warning, and the files that include it. */
const introduction = /^\S[^:]*: (?:In|At) [a-z].*:$|^In file included from |^\s+from \S+:\d+/

/**
 * The first of several warnings whole, a few more by their heads, the others counted: they take much room, and are
 * rarely about what was changed.
 */
export function shortenWarnings(text: string): string {
  const lines = text.split('\n')
  if (lines.filter((line) => head.test(line)).length < 2) return text
  const kept: string[] = []
  let introducing: string[] = []
  let count = 0
  let lastShown = 0
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (introduction.test(line)) {
      introducing.push(line)
      continue
    }
    if (!head.test(line)) {
      kept.push(...introducing, line)
      introducing = []
      continue
    }
    const end = warningEnd(lines, at)
    count++
    if (count === 1) kept.push(...introducing, ...lines.slice(at, end))
    else if (count <= mostHeads) kept.push(shortHead(lines.slice(at, end)))
    if (count <= mostHeads) lastShown = kept.length
    introducing = []
    at = end - 1
  }
  kept.push(...introducing)
  const more = count > mostHeads ? [`... ${formatCount(count - mostHeads, 'more warning')}`] : []
  return [...kept.slice(0, lastShown), ...more, ...kept.slice(lastShown)].join('\n')
}

const mostHeads = 5

/** The line after a warning and its notes. */
function warningEnd(lines: readonly string[], start: number): number {
  const isRust = rustHead.test(lines[start] ?? '')
  let at = start + 1
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (sourceLine.test(line) || markLine.test(line) || note.test(line)) at++
    else if (markLine.test(lines[at + 1] ?? '')) at += 2
    else return isRust && line === '' ? at + 1 : at
  }
  return at
}

/** rustc's with the place, which is below the head. */
function shortHead([first = '', ...below]: readonly string[]): string {
  const at = below.flatMap((line) => rustPlace.exec(line)?.[1] ?? [])[0]
  return at === undefined || !rustHead.test(first) ? first : `${at}: ${first}`
}
