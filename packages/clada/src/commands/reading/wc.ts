import { StringDecoder } from 'node:string_decoder'
import { forEachOperand, type ReadingRun } from './reading-run.ts'

const columns = ['-l', '-w', '-m', '-c', '-L'] as const
type WordCounts = Record<(typeof columns)[number], number>

const LF = 10

const nothing: WordCounts = { '-l': 0, '-w': 0, '-m': 0, '-c': 0, '-L': 0 }

/** wc: lines, words, characters, bytes, and the length of the longest line. */
export async function runWc(reader: ReadingRun): Promise<void> {
  const wanted = columns.filter((flag) => reader.has(flag))
  const shown = wanted.length === 0 ? (['-l', '-w', '-c'] as const) : wanted
  const rows: { given: string; counts: WordCounts }[] = []
  await forEachOperand(reader, async (operand) => {
    // As the program has it, a directory is a file without content.
    if (operand.found.type === 'directory') {
      reader.complain(operand.given, 'Is a directory')
      rows.push({ given: operand.given, counts: nothing })
    } else rows.push({ given: operand.given, counts: await countsOf(reader.chunks(operand), shown) })
  })
  const total = rows.reduce((sum, { counts }) => addCounts(sum, counts), nothing)
  if (reader.operands.length > 1) rows.push({ given: 'total', counts: total })
  const sizes = reader.operands.flatMap(({ found }) => (found?.type === 'file' ? [found.stat.size] : []))
  const least = reader.operands.some(({ found }) => found?.type === 'directory') ? 7 : 1
  const sum = sizes.reduce((all, size) => all + size, 0)
  const width = reader.operands.length === 1 && shown.length === 1 ? 1 : Math.max(least, String(sum).length)
  for (const { given, counts } of rows)
    reader.print(`${shown.map((flag) => String(counts[flag]).padStart(width)).join(' ')} ${given}\n`)
}

const addCounts = (one: WordCounts, other: WordCounts): WordCounts => ({
  '-l': one['-l'] + other['-l'],
  '-w': one['-w'] + other['-w'],
  '-m': one['-m'] + other['-m'],
  '-c': one['-c'] + other['-c'],
  '-L': Math.max(one['-L'], other['-L']),
})

async function countsOf(chunks: AsyncIterable<Buffer>, shown: readonly string[]): Promise<WordCounts> {
  const counts = { ...nothing }
  const isOfBytes = shown.every((flag) => flag === '-l' || flag === '-c')
  const decoder = new StringDecoder('utf8')
  let isInWord = false
  let width = 0
  const count = (text: string): void => {
    for (const character of text) {
      counts['-m']++
      const isSpace = /\s/.test(character)
      if (!isSpace && !isInWord) counts['-w']++
      isInWord = !isSpace
      if (character === '\n') counts['-l']++
      if (character === '\n' || character === '\r' || character === '\f') width = 0
      else if (character === '\t') width += 8 - (width % 8)
      else if (!/\p{C}/u.test(character)) width++
      counts['-L'] = Math.max(counts['-L'], width)
    }
  }
  for await (const chunk of chunks) {
    counts['-c'] += chunk.length
    if (!isOfBytes) count(decoder.write(chunk))
    else for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, at + 1)) counts['-l']++
  }
  count(decoder.end())
  return counts
}
