import { createHash } from 'node:crypto'

/** Long enough that two texts never share it by chance, short enough for a model to copy. */
export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}
