import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createInflate } from 'node:zlib'
import type { WriteBudget } from './write-limits.ts'

/** The id of what is in a loose object; empty if it cannot be read, or says more than the budget has. */
export async function idOfObject(file: string, name: string, budget: WriteBudget): Promise<string> {
  const hash = createHash(name.length > 'objects/00/'.length + 38 ? 'sha256' : 'sha1')
  try {
    const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
      for await (const chunk of chunks) {
        budget.countBytes(chunk.length)
        yield chunk
      }
    }
    await pipeline(fs.createReadStream(file), createInflate(), counted, hash)
    return hash.digest('hex')
  } catch {
    return ''
  }
}
