import type fs from 'node:fs'
import type { Entry } from '../core/files.ts'
import { type Problem, Stop } from '../core/problem.ts'
import type { Location } from './walk.ts'
import { isUtf8 } from 'node:buffer'
import { grouped } from '../core/result.ts'

type Kinds = Pick<fs.Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>

export function typeOf(stat: Kinds): Entry['type'] {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'directory'
  return stat.isSymbolicLink() ? 'symlink' : 'other'
}

export function irregularStop(at: Location, stat: Kinds, op: string): Stop {
  if (stat.isDirectory()) return directoryStop(at, op)
  const type = stat.isFIFO() ? 'FIFO' : stat.isSocket() ? 'socket' : stat.isSymbolicLink() ? 'symbolic link' : 'device'
  return new Stop({ kind: 'not-regular', path: at.given, type, op })
}

export const directoryStop = (at: Location, op: string): Stop =>
  new Stop({ kind: 'os', code: 'EISDIR', op, path: at.given })

/**
 * A read-only file is left alone, although renaming another one over it would work:
 * the mode is what its owner said about it. The superuser is held to the same.
 */
export function refuseReadOnly(at: Location, stat: fs.Stats, op: string): void {
  if (isReadOnly(stat)) throw readOnlyStop(at, op)
}

export function isReadOnly({ uid, mode }: fs.Stats): boolean {
  return (uid === ownUser ? mode & 0o200 : mode & 0o222) === 0
}

export const readOnlyStop = (at: Location, op: string): Stop =>
  new Stop({ kind: 'os', code: 'EACCES', op, path: at.given })

const ownUser = process.geteuid?.()

const mark = Buffer.from([0xef, 0xbb, 0xbf])

/** The text of a file and whether a byte order mark was before it. Bytes that are not UTF-8 are never guessed at. */
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
  if (!bytes.includes(0)) return { kind: 'not-text', path, reason: 'utf8', byte, line }
  const { described, image } = binaryType(bytes)
  const shown = image === undefined ? {} : { image: { type: image, bytes } }
  return { kind: 'not-text', path, reason: 'binary', byte, line, described, ...shown }
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

/** A file that is not text, by its first bytes. */
export interface BinaryType {
  /** Type, dimensions where they are known, and size. */
  readonly described: string
  /** The media type, of images that clients can show. */
  readonly image?: string
}

export function binaryType(bytes: Buffer): BinaryType {
  const size = `${grouped(bytes.length)} bytes`
  const image = imageOf(bytes)
  if (image !== undefined) {
    const [format = ''] = image.split(' ')
    return { described: `${image}, ${size}`, image: `image/${format.toLowerCase()}` }
  }
  const known = types.find(([start]) => bytes.subarray(0, start.length).equals(start))
  return { described: `${known?.[1] ?? 'binary data'}, ${size}` }
}

const types: readonly (readonly [start: Buffer, name: string])[] = [
  [Buffer.from('%PDF-'), 'PDF document'],
  [Buffer.from('PK\u0003\u0004'), 'zip archive (or a document in one)'],
  [Buffer.from([0x1f, 0x8b]), 'gzip archive'],
  [Buffer.from('\u007fELF'), 'ELF program'],
  [Buffer.from('SQLite format 3\0'), 'SQLite database'],
  [Buffer.from('\0asm'), 'WebAssembly module'],
  [Buffer.from('wOF2'), 'WOFF2 font'],
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
