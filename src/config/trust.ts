import fs from 'node:fs'
import path from 'node:path'
import { sha256 } from '../core/hash.ts'
import { keepForUser, rootName, userStateDir } from '../state/user-state.ts'

/**
 * Which project files a user vouches for: by directory and by their exact content, in a place that neither a
 * repository nor a model can write to. A file that changes is a stranger again.
 */
export function isTrusted(dir: string, text: string): boolean {
  const file = trustFile(dir)
  if (file === undefined) return false
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    return (
      typeof value === 'object' &&
      value !== null &&
      'dir' in value &&
      value.dir === dir &&
      'hash' in value &&
      value.hash === sha256(text)
    )
  } catch {
    return false
  }
}

/** Returns false where there is no place that the project cannot write to. */
export function trust(dir: string, text: string): boolean {
  const file = trustFile(dir)
  if (file === undefined) return false
  keepForUser(file, `${JSON.stringify({ dir, hash: sha256(text), time: new Date().toISOString() }, null, 2)}\n`)
  return true
}

export function distrust(dir: string): void {
  const file = trustFile(dir)
  if (file !== undefined && fs.existsSync(file)) fs.rmSync(file, { force: true })
}

function trustFile(dir: string): string | undefined {
  const state = userStateDir(dir)
  return state && path.join(state, 'trusted', `${rootName(dir)}.json`)
}
