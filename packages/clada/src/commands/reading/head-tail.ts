import type { OpenFile } from '../../core/files.ts'
import { forEachOperand, type ReadingRun } from './reading-run.ts'

/** The bytes of a file that are printed. */
type ByteRangeOf = (file: OpenFile, reader: ReadingRun) => { readonly from: number; readonly to: number }

/** head: the first lines or bytes, or all but the last of them. */
export const runHead = (reader: ReadingRun): Promise<void> =>
  printParts(reader, (file) => {
    const [bytes, lines = '10'] = [reader.valueOf('-c'), reader.valueOf('-n')]
    if (bytes?.startsWith('-')) return { from: 0, to: Math.max(0, file.size - Number(bytes.slice(1))) }
    if (bytes !== undefined) return { from: 0, to: Number(bytes) }
    const to = lines.startsWith('-')
      ? startOfLast(file, Number(lines.slice(1)), reader)
      : endOfFirst(file, Number(lines), reader)
    return { from: 0, to }
  })

/** tail: the last lines or bytes, or all from one on. */
export const runTail = (reader: ReadingRun): Promise<void> =>
  printParts(reader, (file) => {
    const [bytes, lines = '10'] = [reader.valueOf('-c'), reader.valueOf('-n')]
    const to = Infinity
    if (bytes?.startsWith('+')) return { from: Math.max(0, Number(bytes) - 1), to }
    if (bytes !== undefined) return { from: Math.max(0, file.size - Number(bytes)), to }
    const from = lines.startsWith('+')
      ? endOfFirst(file, Math.max(0, Number(lines) - 1), reader)
      : startOfLast(file, Number(lines), reader)
    return { from, to }
  })

/** Each under its name if there are several. */
async function printParts(reader: ReadingRun, partOf: ByteRangeOf): Promise<void> {
  const isTitled = reader.has('-v') || (reader.operands.length > 1 && !reader.has('-q'))
  let isFirst = true
  await forEachOperand(reader, async (operand) => {
    const file = await reader.files.open(operand)
    try {
      if (isTitled) reader.print(`${isFirst ? '' : '\n'}==> ${operand.given} <==\n`)
      isFirst = false
      const { from, to } = partOf(file, reader)
      for (const chunk of reader.chunksOf(file, from, to)) reader.print(chunk)
    } finally {
      file.close()
    }
  })
}

const LF = 10

/** Where so many lines end. */
function endOfFirst(file: OpenFile, count: number, reader: ReadingRun): number {
  let left = count
  let at = 0
  for (const chunk of reader.chunksOf(file, 0, count === 0 ? 0 : Infinity)) {
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, end + 1))
      if (--left === 0) return at + end + 1
    at += chunk.length
  }
  return at
}

/** Where the last lines begin; one without an end counts as well. */
function startOfLast(file: OpenFile, count: number, reader: ReadingRun): number {
  let left = count
  for (let to = file.size; to > 0 && count > 0;) {
    reader.checkTime()
    const from = Math.max(0, to - (1 << 16))
    const chunk = file.read(from, to - from)
    // The end of the last line does not end a line before it.
    const last = to === file.size && chunk.at(-1) === LF ? chunk.length - 1 : chunk.length
    for (let end = last === 0 ? -1 : chunk.lastIndexOf(LF, last - 1); end !== -1;) {
      if (--left === 0) return from + end + 1
      end = end === 0 ? -1 : chunk.lastIndexOf(LF, end - 1)
    }
    to = from
  }
  return count === 0 ? file.size : 0
}
