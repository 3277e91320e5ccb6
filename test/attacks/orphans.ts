import { Clada } from '../../packages/clada/src/api/clada.ts'
import type { Fixture } from './fixture.ts'
import { survivors } from './oracle.ts'

/** Ways to outlive the one who started you. */
const codes = [
  'setsid sleep 61 >/dev/null 2>&1 & sleep 61',
  'setsid sleep 61 & exit 0',
  'trap "" TERM INT HUP; sleep 61 & sleep 61',
  'nohup setsid sh -c "trap \'\' TERM; sleep 61" >/dev/null 2>&1 & sleep 61',
  '(sleep 61 &) ; sleep 61',
]

/** In milliseconds; also while the sandbox itself is still coming up. */
const limits = [100, 3, 8, 14, 20, 30, 50]

/** Stops programs that leave children behind, and counts what is still there afterwards. */
export async function leaveOrphans(
  times: number,
  fixture: Fixture,
  exec: 'sandbox' | 'unsandboxed' = 'sandbox',
): Promise<number> {
  for (let time = 0; time < times; time++) {
    const actionMs = limits[time % limits.length] ?? 100
    const clada = new Clada({ repoPath: fixture.project, gitCommit: false, exec, limits: { actionMs } })
    await clada.perform('exec', { lang: 'bash', code: codes[time % codes.length] ?? '' })
  }
  return survivors(fixture).length
}
