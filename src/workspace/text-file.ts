import { isUtf8 } from 'node:buffer'
import { type Problem, Stop } from '../core/problem.ts'

const mark = Buffer.from([0xef, 0xbb, 0xbf])

/** The text of a file and whether a byte order mark stood before it. Bytes that are not UTF-8 are never guessed at. */
export function decodeText(bytes: Buffer, given: string): { text: string; bom: boolean } {
  if (!isUtf8(bytes)) throw new Stop(notText(bytes, given))
  const bom = bytes.length >= 3 && bytes.subarray(0, 3).equals(mark)
  return { text: bytes.toString('utf8', bom ? 3 : 0), bom }
}

export function encodeText(text: string, bom: boolean): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return bom ? Buffer.concat([mark, bytes]) : bytes
}

function notText(bytes: Buffer, path: string): Problem {
  const byte = firstInvalid(bytes)
  let line = 1
  for (let lf = bytes.indexOf(10); lf !== -1 && lf < byte; lf = bytes.indexOf(10, lf + 1)) line++
  return { kind: 'not-text', path, reason: bytes.includes(0) ? 'binary' : 'utf8', byte, line }
}

/** Where the bytes stop being UTF-8. */
function firstInvalid(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    if (length > 1 && !isUtf8(bytes.subarray(at, at + length))) return at
    at += length
  }
  return at
}
