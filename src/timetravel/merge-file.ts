import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { hardenedEnv } from '../git/git-program.ts'

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
    return await new Promise((done) => {
      const options = {
        cwd: dir,
        env: { ...hardenedEnv(), GIT_DIR: dir },
        encoding: 'buffer',
        maxBuffer: 1 << 30,
      } as const
      execFile('git', args, options, (error, stdout) => {
        const status = error === null ? 0 : error.code
        // Its exit code is the number of conflicts; beyond 127 it could not work.
        if (typeof status !== 'number' || status > 127) return done({ kind: 'impossible' })
        done({ kind: 'merged', bytes: stdout, conflicts: status })
      })
    })
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}
