import fs from 'node:fs'
import { kill } from './kill.ts'
import { birthOf, countOf, openGroupTree, type ProcessTree, processesIn, until } from './process-tree.ts'
import {
  findProgram,
  isProgram,
  namedProgram,
  readProgramOutput,
  type StartedChild,
  startPart,
  systemPath,
} from './programs.ts'
import { platform } from '../core/platform.ts'

/**
 * Without a namespace, a child that made a session of its own has left both its group and its parent. What it cannot
 * leave by accident is what it was born with: so the program gets a mark, and each process that has it belongs to the program.
 */
export interface ProcessMark {
  readonly text: string
  /** Where it is to be read, for each process. */
  readonly file: 'limits' | 'environ'
}

interface MarkedStart {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * The same program, bearing a mark: a limit of the system that never matters, 28 years of real-time work without a pause,
 * because it survives an emptied environment; else, where no program can set it, a variable.
 */
export function markProgram({ file, args, env }: MarkedStart): MarkedStart & { readonly mark: ProcessMark } {
  const number = String(900_000_000_000_000 + Math.floor(Math.random() * 10 ** 14))
  const prlimit = platform.proc ? findProgram('prlimit', systemPath) : undefined
  // What cannot be started is better said by the system than by a program in between.
  if (prlimit === undefined || !isProgram(file)) {
    return { file, args, env: { ...env, CLADA_RUN: number }, mark: { text: `CLADA_RUN=${number}`, file: 'environ' } }
  }
  return {
    file: prlimit,
    args: [`--rttime=${number}`, '--', file, ...args],
    env,
    mark: { text: number, file: 'limits' },
  }
}

/** Starts a program that the user named, with a handle on everything that it starts. Undefined if there is none. */
export function startMarked(
  program: string,
  args: readonly string[],
): { readonly child: StartedChild; readonly tree: ProcessTree } | undefined {
  const found = namedProgram(program)
  if (found === undefined) return undefined
  const { file, args: all, env, mark } = markProgram({ ...found, args })
  const child = startPart(file, all, { env, stdio: 'pipe', detached: platform.processGroups, windowsHide: true })
  return { child, tree: openMarkedTree(child.pid, mark) }
}

/** Linux shows the mark of every process. macOS does not; there those below the program are followed by their parents. */
export function openMarkedTree(leader: number | undefined, mark: ProcessMark): ProcessTree {
  const group = openGroupTree(leader)
  const ps = platform.proc || !platform.processGroups ? undefined : findProgram('ps', systemPath)
  if (ps !== undefined && leader !== undefined)
    return openFollowedTree(leader, () => readProgramOutput(ps, listing, 5000))
  if (!platform.proc) return group
  return {
    count: (most) => countOf(bearers(mark), most),
    namelessBytes: () => 0,
    stop: group.stop,
    terminated: async () => {
      await group.terminated()
      return until(() => {
        let found = 0
        for (const pid of bearers(mark)) {
          found++
          kill(pid, 'SIGKILL')
        }
        return found === 0
      })
    },
  }
}

const listing = ['-A', '-o', 'pid=,ppid=,lstart=']
const followMs = 250

/**
 * Everything that was seen below a program at any time, also when it has made a session of its own or lost its parent
 * since. A child that does both between two looks is missed.
 */
export function openFollowedTree(leader: number, list: () => string): ProcessTree {
  const group = openGroupTree(leader)
  const seen = new Map<number, string>()
  const look = (): Map<number, string> => {
    const rows = parseProcessRows(list())
    // A parent may be listed after its child.
    for (let before = -1; before !== seen.size;) {
      before = seen.size
      for (const { pid, parent, born } of rows) if (parent === leader || seen.has(parent)) seen.set(pid, born)
    }
    return new Map(rows.map(({ pid, born }) => [pid, born]))
  }
  const timer = setInterval(look, followMs).unref()
  const endSeen = (): number => {
    const now = look()
    const left = [...seen].filter(([pid, born]) => now.get(pid) === born)
    for (const [pid] of left) kill(pid, 'SIGKILL')
    return left.length
  }
  return {
    count: (most) => Math.min(most, seen.size + 1),
    namelessBytes: () => 0,
    stop: () => {
      look()
      group.stop()
    },
    terminated: async () => {
      clearInterval(timer)
      await group.terminated()
      return until(() => endSeen() === 0)
    },
  }
}

/** Lines of ps: a process, its parent, and when it was started, by which a number that is used again is known. */
export const parseProcessRows = (text: string): { pid: number; parent: number; born: string }[] =>
  [...text.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*\S)\s*$/gm)].map(([, pid, parent, born = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    born,
  }))

/** The youngest first: one that only starts another and ends is gone when all the others have been asked. */
function* bearers(mark: ProcessMark): Generator<number> {
  for (const pid of [...processesIn('/proc')].reverse()) {
    if (pid !== process.pid && bears(pid, mark) && birthOf(pid) !== undefined) yield pid
  }
}

function bears(pid: number, { file, text }: ProcessMark): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text)
  } catch {
    // Another user's, or gone.
    return false
  }
}
