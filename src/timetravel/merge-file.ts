import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Stop } from '../core/problem.ts'
import { git } from '../git/git-program.ts'

export type Merged =
  | { readonly kind: 'merged'; readonly bytes: Buffer; readonly conflicts: number }
  /** No text, or there is no git to ask. */
  | { readonly kind: 'impossible' }

/** Joins two changes of one text. `now` and `other` both come from `base`; where they disagree both stand in the result, marked. */
export async function mergeFile(now: Buffer, base: Buffer, other: Buffer): Promise<Merged> {
  if ([now, base, other].some((bytes) => bytes.includes(0))) return { kind: 'impossible' }
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-merge-'))
  try {
    const names = ['now', 'base', 'undo'] as const
    for (const [index, bytes] of [now, base, other].entries())
      fs.writeFileSync(path.join(dir, names[index] ?? ''), bytes)
    const args = ['merge-file', '-p', '-L', 'now', '-L', 'executed', '-L', 'undone', ...names]
    // Its exit code is the number of conflicts; beyond 127 it could not work.
    const fine = Array.from({ length: 127 }, (_, index) => index + 1)
    const { status, out } = await git({ cwd: dir, env: { GIT_DIR: dir }, args, fine })
    return { kind: 'merged', bytes: out, conflicts: status }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { kind: 'impossible' }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}
