import type { TextPair } from '../core/text-pair.ts'

/*
 * Several replacements in one text, as models write them without being taught:
 *
 *   edits   = { blank | pair }
 *   pair    = head { old line } divider { new line } tail
 *   head    = "<<<<<<< SEARCH"        5 marks or more
 *   divider = "======="               as many marks as the head
 *   tail    = ">>>>>>> REPLACE"       as many marks as the head
 *
 * Markers are whole lines. A text that has such a line itself is written with more marks around it. Programs give the
 * same as a list of objects.
 */

export type ReadPairs = { readonly pairs: readonly TextPair[] } | { readonly message: string }

export function parsePairs(text: string): ReadPairs {
  const pairs: TextPair[] = []
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '') continue
    const [, marks] = /^(<{5,}) *(?:SEARCH|ORIGINAL|OLD) *$/.exec(line) ?? []
    if (marks === undefined)
      return { message: `line ${at + 1}, '${line.slice(0, 60)}', is not <<<<<<< SEARCH, which begins each pair` }
    const size = marks.length
    const divider = lines.indexOf('='.repeat(size), at + 1)
    const tail = lines.findIndex((one, index) => index > at && isTail(one, size))
    if (tail === -1) return { message: `the pair on line ${at + 1} has no line ${'>'.repeat(size)} REPLACE` }
    if (divider === -1 || divider > tail)
      return { message: `the pair on line ${at + 1} has no line ${'='.repeat(size)} before its end` }
    if (lines.indexOf('='.repeat(size), divider + 1) > 0 && lines.indexOf('='.repeat(size), divider + 1) < tail)
      return { message: `the pair on line ${at + 1} has two lines ${'='.repeat(size)}; write more marks around it` }
    const [old, fresh] = [lines.slice(at + 1, divider), lines.slice(divider + 1, tail)]
    const pair = { old_text: old.join('\n'), new_text: fresh.join('\n') }
    pairs.push(fresh.length === 0 && old.length > 0 ? { ...pair, deletesLines: true } : pair)
    at = tail
  }
  return pairs.length === 0 ? { message: 'it has no pair: <<<<<<< SEARCH, =======, >>>>>>> REPLACE' } : { pairs }
}

const isTail = (line: string, size: number): boolean =>
  line.startsWith('>'.repeat(size)) && /^ *(?:REPLACE|UPDATED|NEW) *$/.test(line.slice(size))

/** The same pairs as a text that `parsePairs` reads back. */
export function writePairs(pairs: readonly TextPair[]): string {
  return pairs
    .map(({ old_text, new_text, deletesLines }) => {
      const runs = [...`${old_text}\n${new_text}`.matchAll(/^[<=>]{5,}/gm)].map(([run]) => run.length)
      const size = Math.max(7, ...runs.map((length) => length + 1))
      const marker = (mark: string): string => mark.repeat(size)
      const fresh = deletesLines ? '' : `${new_text}\n`
      return `${marker('<')} SEARCH\n${old_text}\n${marker('=')}\n${fresh}${marker('>')} REPLACE`
    })
    .join('\n')
}
