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
  let a = 0xdeadbeef ^ bytes.length
  let b = 0x41c6ce57 ^ bytes.length
  const words = bytes.length & ~3
  for (let at = 0; at < words; at += 4) {
    const word =
      (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)
    a = Math.imul(a ^ word, 2654435761)
    b = Math.imul(b ^ word, 1597334677)
    a ^= b >>> 15
    b ^= a >>> 13
  }
  for (let at = words; at < bytes.length; at++) {
    a = Math.imul(a ^ (bytes[at] ?? 0), 2654435761)
    b = Math.imul(b ^ (bytes[at] ?? 0), 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return `${bytes.length}:${a >>> 0}:${b >>> 0}`
}
