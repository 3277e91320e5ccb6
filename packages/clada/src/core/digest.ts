/** SHA-256, in hexadecimal digits. */
export function digestOf(content: string | Uint8Array): string {
  // Not imported: the reader of replies has no Node in a browser, and most starts need no digest.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(content).digest('hex')
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function isSameSecret(one: string, other: string): boolean {
  const { createHash, timingSafeEqual } = process.getBuiltinModule('node:crypto')
  // Of digests, so that texts of different lengths take the same time too.
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

/** The same of the content of a file, which several parts of an execution ask for: nobody may change the bytes afterwards. */
export function digestOfContent(bytes: Uint8Array): string {
  const digest = known.get(bytes) ?? digestOf(bytes)
  known.set(bytes, digest)
  return digest
}

const known = new WeakMap<Uint8Array, string>()

/** Long enough that two texts never share it by chance, short enough for a model to copy. */
export const shortDigestOf = (content: string | Uint8Array): string => digestOf(content).slice(0, 16)
