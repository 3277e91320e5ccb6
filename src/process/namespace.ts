import os from 'node:os'
import { type Stream, Writable } from 'node:stream'
import { birthOf, countOf, kill, type Kin, processesIn, until } from './kin.ts'
import type { ControlGroup } from './control-group.ts'

/**
 * A process namespace dies as one: the kernel kills all its processes together with the first, lets none be
 * born any more, and the first is gone only when all the others are. So only the first has to be known. The sandbox
 * tells its number on one pipe, and lets nothing run inside before it hears something on the other.
 */
export function namespaceKin(
  status: Stream | null | undefined,
  gate: Stream | null | undefined,
  group: ControlGroup,
  onReady: (first: number) => Promise<void>,
): Kin & { readonly readStatus: () => string } {
  let said = ''
  let first: { readonly pid: number; readonly birth: string | undefined } | undefined
  let unwanted = false
  const closed = new Promise((done) => (status == null ? done(undefined) : status.once('close', done)))
  const isThere = (): boolean =>
    // Numbers are given out again.
    first?.birth !== undefined && birthOf(first.pid) === first.birth
  const end = (): void => {
    if (first === undefined || !isThere()) return
    // Killed, it still waits for its turn on the processor, and among thousands that is long. They are of its group,
    // unless they left it, and a group is killed at once. Before those that left it, it goes first if we may say so.
    kill(-first.pid, 'SIGKILL')
    kill(first.pid, 'SIGKILL')
    hurry(first.pid)
  }
  const open = (): unknown => gate instanceof Writable && gate.end('x')
  gate?.on('error', () => {})
  status?.on('error', () => {})
  status?.on('data', (chunk: Buffer) => {
    if (said.length < 4096) said += chunk.toString('latin1')
    const pid = Number(/"child-pid"\s*:\s*(\d+)\b/.exec(said)?.[1] ?? 0)
    if (first !== undefined || pid === 0) return
    first = { pid, birth: birthOf(pid) }
    if (unwanted) return end()
    void Promise.allSettled([group.add(pid), onReady(pid)]).then(open)
  })
  return {
    readStatus: () => said,
    // Its own view of the system shows those inside and no others.
    count: (most) => (first === undefined ? 0 : countOf(processesIn(`/proc/${first.pid}/root/proc`), most)),
    stop: () => {
      // Killed before it has reported, the sandbox would leave a first process that waits for it for ever.
      unwanted = true
      end()
    },
    gone: async () => {
      if (first === undefined) await closed
      end()
      const isGone = await until(() => !isThere())
      group.close()
      return isGone
    },
  }
}

function hurry(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_HIGHEST)
  } catch {
    // Only the superuser may; the others have fewer to wait for.
  }
}
