import { groupDigits } from '@clada/reply/core/words.ts'

/** What is in a file that is not text, by its first bytes. */
export interface BinaryType {
  /** Undefined if the bytes are those of no known type. */
  readonly name?: string | undefined
  readonly mime?: string | undefined
}

export function binaryType(bytes: Buffer): BinaryType {
  const image = imageOf(bytes)
  if (image !== undefined) return { name: image, mime: `image/${image.replace(/ .*/s, '').toLowerCase()}` }
  const [, name, mime] = types.find(([start]) => bytes.subarray(0, start.length).equals(start)) ?? []
  return { name, mime }
}

/** Type, dimensions if they are known, and size. */
export const describeBinary = (bytes: Buffer): string =>
  `${binaryType(bytes).name ?? 'binary data'}, ${groupDigits(bytes.length)} bytes`

const types: readonly (readonly [start: Buffer, name: string, mime: string])[] = [
  [Buffer.from('%PDF-'), 'PDF document', 'application/pdf'],
  [Buffer.from('PK\u0003\u0004'), 'zip archive (or a document in one)', 'application/zip'],
  [Buffer.from([0x1f, 0x8b]), 'gzip archive', 'application/gzip'],
  [Buffer.from('\u007fELF'), 'ELF program', 'application/x-executable'],
  [Buffer.from('SQLite format 3\0'), 'SQLite database', 'application/vnd.sqlite3'],
  [Buffer.from('\0asm'), 'WebAssembly module', 'application/wasm'],
  [Buffer.from('wOF2'), 'WOFF2 font', 'font/woff2'],
]

function imageOf(bytes: Buffer): string | undefined {
  const sized = (type: string, width: number, height: number): string => `${type} image, ${width} x ${height} pixels`
  if (bytes.length >= 24 && bytes.subarray(1, 4).toString('latin1') === 'PNG')
    return sized('PNG', bytes.readUInt32BE(16), bytes.readUInt32BE(20))
  if (bytes.length >= 10 && /^GIF8[79]a$/.test(bytes.subarray(0, 6).toString('latin1')))
    return sized('GIF', bytes.readUInt16LE(6), bytes.readUInt16LE(8))
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpegOf(bytes, sized)
  const isWebp =
    bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP'
  return isWebp ? 'WebP image' : undefined
}

/** Its size is in the first frame header, after any number of other segments. */
function jpegOf(bytes: Buffer, sized: (type: string, width: number, height: number) => string): string {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return sized('JPEG', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return 'JPEG image'
}
