/** SHA-256, in hexadecimal digits. */
export function digestOf(content: string | Uint8Array): string {
  // Not imported: the reader of replies has no Node in a browser, and most starts need no digest.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(content).digest('hex')
}

/** Long enough that two texts never share it by chance, short enough for a model to copy. */
export const shortDigestOf = (content: string | Uint8Array): string => digestOf(content).slice(0, 16)
