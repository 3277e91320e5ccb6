/** Long enough that two texts never share it by chance, short enough for a model to copy. */
export const hashOf = (content: string | Uint8Array): string => sha256(content).slice(0, 16)

export function sha256(content: string | Uint8Array): string {
  // Not imported: loading it would cost every start some milliseconds, and most runs need no hash.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(content).digest('hex')
}

/**
 * Tells whether bytes are the same as before, within one run. Not safe against forgery: two numbers of
 * 32 bits, mixed a word at a time.
 */
export function fingerprintOf(bytes: Uint8Array): string {
  const [length, a, b] = mixed(bytes)
  return `${length}:${a}:${b}`
}

/** The same for a text. */
export function printOfText(text: string): string {
  if (scratch.length < 3 * text.length) scratch = Buffer.allocUnsafeSlow(3 * text.length)
  return fingerprintOf(scratch.subarray(0, scratch.write(text)))
}

let scratch = Buffer.alloc(0)

/** The same for the content of a file, which is never written into: it is asked for before and after a change, by several. */
export function printOf(content: Buffer): string {
  let print = prints.get(content)
  if (print === undefined) prints.set(content, (print = fingerprintOf(content)))
  return print
}

const prints = new WeakMap<Buffer, string>()

/** The same with hexadecimal digits, always of one length. */
export function checksumOf(bytes: Uint8Array): string {
  const [length, a, b] = mixed(bytes)
  return hex(length) + hex(a) + hex(b)
}

/** In halves: numbers of more than 31 bits are slow to write. */
const hex = (number: number): string => half(number >>> 16) + half(number & 0xffff)
const half = (number: number): string => (number + 0x10000).toString(16).slice(1)

function mixed(bytes: Uint8Array): [length: number, number, number] {
  const { length } = bytes
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  let a = 0xdeadbeef ^ length
  let b = 0x41c6ce57 ^ length
  const words = length & ~3
  for (let at = 0; at < words; at += 4) {
    const word = view.getInt32(at, true)
    a = Math.imul(a ^ word, 2654435761)
    b = Math.imul(b ^ word, 1597334677)
    a ^= b >>> 15
    b ^= a >>> 13
  }
  for (let at = words; at < length; at++) {
    a = Math.imul(a ^ view.getUint8(at), 2654435761)
    b = Math.imul(b ^ view.getUint8(at), 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return [length, a >>> 0, b >>> 0]
}
