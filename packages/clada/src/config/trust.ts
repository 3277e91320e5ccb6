import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { keepForUser, rootName, userStateDir } from '../state/user-state.ts'

/** What a project says and the user has to agree to: its clada.yml, by the directory, and each AGENTS.md, by the file. */
export interface Trusted {
  readonly place: string
  /** The project, which must not be able to write what is kept. */
  readonly root: string
}

/**
 * Whether the user trusts a text of a project: by its place and exact content, stored where neither a repository nor a
 * model can write. A changed text is not trusted.
 */
export function isTrusted(what: Trusted, text: string): boolean {
  const file = trustFile(what)
  if (file === undefined) return false
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    return isRecord(value) && value['dir'] === what.place && value['hash'] === digestOf(text)
  } catch {
    return false
  }
}

/** Returns false where there is no place that the project cannot write to. */
export function trust(what: Trusted, text: string): boolean {
  const file = trustFile(what)
  if (file === undefined) return false
  const kept = { dir: what.place, hash: digestOf(text), time: new Date().toISOString() }
  keepForUser(file, `${JSON.stringify(kept, null, 2)}\n`)
  return true
}

export function distrust(what: Trusted): void {
  const file = trustFile(what)
  if (file !== undefined && fs.existsSync(file)) fs.rmSync(file, { force: true })
}

function trustFile({ place, root }: Trusted): string | undefined {
  const state = userStateDir(root)
  return state && path.join(state, 'trusted', `${rootName(place)}.json`)
}
