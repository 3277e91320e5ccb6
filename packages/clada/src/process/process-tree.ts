import fs from 'node:fs'
import os from 'node:os'
import { type Stream, Writable } from 'node:stream'
import { platform } from '../core/platform.ts'
import { findProgram, startPart, systemPath } from './programs.ts'
import type { ControlGroup } from './control-group.ts'
import { kill } from './kill.ts'
import { pause } from '../core/pause.ts'
import { isOnMemoryDisk, listNames } from '../state/own-files.ts'

/** Everything that a program has started, and all that those have started. */
export interface ProcessTree {
  /** How many live now, the program itself included; not counted any further than this. */
  count(most: number): number
  /**
   * The bytes on disks that these processes hold open in files without a name: no directory shows them. Counted only until
   * there are more than this.
   */
  namelessBytes(most: number): number
  /** Sees to it that the program ends, in a moment or two. */
  stop(): void
  /** Once the program itself has ended: ends the others. False when a process is still there after half a minute. */
  terminated(): Promise<boolean>
}

/** How long a program that was asked to end may take over it. */
const politeMs = 100

/** For a program that starts nothing, or nothing that leaves its process group. */
export function openGroupTree(leader: number | undefined): ProcessTree {
  if (!platform.processGroups) return openTaskTree(leader)
  let insisting: NodeJS.Timeout | undefined
  return {
    count: () => 1,
    namelessBytes: () => 0,
    stop: () => {
      killGroup(leader, 'SIGTERM')
      insisting = setTimeout(() => killGroup(leader, 'SIGKILL'), politeMs)
    },
    terminated: () => {
      clearTimeout(insisting)
      killGroup(leader, 'SIGKILL')
      return Promise.resolve(true)
    },
  }
}

/**
 * Windows has no groups. taskkill ends a program with everything below it, as long as those between are alive: what a
 * program left running when it ended by itself is not found any more.
 */
function openTaskTree(leader: number | undefined): ProcessTree {
  let ending: Promise<void> | undefined
  return {
    count: () => 1,
    namelessBytes: () => 0,
    stop: () => {
      if (leader !== undefined) ending = endTree(leader)
    },
    terminated: async () => {
      await ending
      return true
    },
  }
}

function endTree(pid: number): Promise<void> {
  const file = findProgram('taskkill', systemPath)
  return new Promise((done) => {
    const over = (): void => {
      kill(pid, 'SIGKILL')
      done()
    }
    if (file === undefined) return over()
    const child = startPart(file, ['/T', '/F', '/PID', String(pid)], { env: {}, stdio: 'ignore', windowsHide: true })
    child.once('error', over)
    child.once('exit', over)
  })
}

function killGroup(leader: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (leader !== undefined) kill(-leader, signal)
}

/**
 * Asks until there is an answer, seldom enough not to be in the way. Nothing can be done about a process that hangs
 * inside the kernel, on a network disk for instance, so at some point the answer is no.
 */
export async function until(isDone: () => boolean): Promise<boolean> {
  const end = performance.now() + 30_000
  for (let times = 0; !isDone(); times++) {
    if (performance.now() > end) return false
    await pause(times < 5 ? 0 : 5)
  }
  return true
}

/** What the system says about a process; undefined when there is none, or it is dead and only waits to be noticed. */
export function birthOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in the middle may hold anything, so the rest is counted from its end.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : fields[18]
  } catch {
    return undefined
  }
}

/** Read bit by bit: of many, only as many as are asked for. */
export function* processesIn(proc: string): Generator<number> {
  try {
    const listing = fs.opendirSync(proc)
    try {
      for (let entry = listing.readSync(); entry !== null; entry = listing.readSync())
        if (/^\d+$/.test(entry.name)) yield Number(entry.name)
    } finally {
      listing.closeSync()
    }
  } catch {
    // The one whose view this was has gone.
  }
}

export function countOf(found: Iterable<number>, most: number): number {
  let count = 0
  for (const _ of found) if (++count >= most) break
  return count
}

function countNameless(proc: string, most: number): number {
  const seen = new Set<string>()
  let bytes = 0
  for (const pid of processesIn(proc)) {
    const descriptors = `${proc}/${pid}/fd`
    for (const name of listNames(descriptors)) {
      const file = `${descriptors}/${name}`
      const stat = followedStats(file)
      if (!stat?.isFile() || stat.nlink > 0 || seen.has(`${stat.dev}:${stat.ino}`)) continue
      seen.add(`${stat.dev}:${stat.ino}`)
      if (!isOnMemoryDisk(file)) bytes += stat.blocks * 512
      if (bytes > most) return bytes
    }
  }
  return bytes
}

function followedStats(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })
  } catch {
    // Its process has ended.
    return undefined
  }
}

/**
 * A process namespace dies as one: the kernel kills all its processes together with the first, lets none be
 * born any more, and the first is gone only when all the others are. So only the first has to be known. The sandbox
 * tells its number on one pipe, and lets nothing run inside before it hears something on the other.
 */
export function openNamespaceTree(
  status: Stream | null | undefined,
  gate: Stream | null | undefined,
  group: ControlGroup,
  onReady: (first: number) => Promise<void>,
): ProcessTree & { readonly readStatus: () => string } {
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
    group.end()
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
    namelessBytes: (most) => (first === undefined ? 0 : countNameless(`/proc/${first.pid}/root/proc`, most)),
    stop: () => {
      // Killed before it has reported, the sandbox would leave a first process that waits for it for ever.
      unwanted = true
      end()
    },
    terminated: async () => {
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
