/** SHA-256, in hexadecimal digits. */
export function digestOf(content: string | Uint8Array): string {
  // Not imported: the reader of replies has no Node in a browser, and most starts need no digest.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(content).digest('hex')
}

/** Long enough that two texts never share it by chance, short enough for a model to copy. */
export const shortDigestOf = (content: string | Uint8Array): string => digestOf(content).slice(0, 16)

/** The digest of an open file of any size, from its beginning. */
export function digestOfOpen(fd: number): string {
  const { readSync } = process.getBuiltinModule('node:fs')
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  const chunk = Buffer.allocUnsafe(1 << 18)
  for (let at = 0; ;) {
    const got = readSync(fd, chunk, 0, chunk.length, at)
    if (got === 0) return hash.digest('hex')
    hash.update(chunk.subarray(0, got))
    at += got
  }
}
