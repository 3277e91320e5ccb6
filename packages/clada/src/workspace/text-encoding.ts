import type { EncodingName } from '../core/encodings.ts'
import { ProblemError } from '../core/problem.ts'
import { codePointName } from '@clada/reply/text/spell-out.ts'

/** The encoding that the first bytes declare. UTF-8 has a byte order mark of its own, which `decodeText` knows. */
export function encodingByMark(bytes: Buffer): EncodingName | undefined {
  if (bytes.length % 2 !== 0 || bytes.length < 2) return undefined
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
}

/** The text of a file that is declared to be in another encoding than UTF-8, and whether it begins with a mark. */
export async function decodeAs(
  bytes: Buffer,
  encoding: EncodingName,
  given: string,
): Promise<{ text: string; bom: boolean }> {
  const { default: iconv } = await import('iconv-lite')
  const bom = encodingByMark(bytes) === encoding
  const content = bom ? bytes.subarray(2) : bytes
  const text = iconv.decode(content, encoding, { stripBOM: false })
  // A byte that the encoding does not have, or a second way to write a character, would come back as another one.
  if (!iconv.encode(text, encoding, { addBOM: false }).equals(content))
    throw new ProblemError({ kind: 'not-encoded', path: given, encoding })
  return { text, bom }
}

export async function encodeAs(
  { text, bom }: { readonly text: string; readonly bom: boolean },
  encoding: EncodingName,
  given: string,
): Promise<Buffer> {
  const { default: iconv } = await import('iconv-lite')
  const bytes = iconv.encode(text, encoding, { addBOM: false })
  if (iconv.decode(bytes, encoding, { stripBOM: false }) !== text) {
    const lost = [...new Set(text)].filter(
      (char) => iconv.decode(iconv.encode(char, encoding, { addBOM: false }), encoding, { stripBOM: false }) !== char,
    )
    const characters = lost.slice(0, 8).map((char) => `${char} (${codePointName(char)})`)
    throw new ProblemError({ kind: 'not-encodable', path: given, encoding, characters })
  }
  if (!bom) return bytes
  return Buffer.concat([Buffer.from(encoding === 'utf-16le' ? [0xff, 0xfe] : [0xfe, 0xff]), bytes])
}
