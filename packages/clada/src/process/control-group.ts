import { hasAccess } from '../state/own-files.ts'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { kill } from './kill.ts'

/** What all processes of a group may have together. */
export interface GroupLimits {
  /** Processes and threads. */
  readonly tasks: number
  readonly memoryBytes: number
}

export interface ControlGroup {
  /** A process, with everything it will start. Where no such group can be made, it is left as it is. */
  add(pid: number): Promise<void>
  /** Kills everything in it. Nothing can be started in it any more. */
  end(): void
  /** When no process is in it any more. */
  close(): void
}

/**
 * A control group of Linux, for users who may make one: the superuser, whom the limit on processes that every other user
 * can be given does not bind, and users whose session manager gave them a part of the tree. The processor is shared out
 * by groups too, so that however many live in this one, and however many sessions they make, they get one share.
 */
export function controlGroup(limits: GroupLimits): ControlGroup {
  const places = findGroupPaths()
  // The first who joins any group in a while waits some 10 ms for the kernel. So we join ours again, which changes
  // nothing, while the one to be added is still being started.
  const ready = Promise.all(places.slice(0, 1).map(({ own }) => join(own, process.pid)))
  let dirs: string[] = []
  let isOver = false
  return {
    add: async (pid) => {
      await ready
      if (isOver) return
      dirs = places.flatMap(({ parent }) => make(parent, limits)?.dir ?? [])
      await Promise.all(dirs.map((dir) => join(dir, pid)))
    },
    end: () => {
      for (const dir of dirs) endIn(dir)
    },
    close: () => {
      isOver = true
      for (const dir of dirs) remove(dir)
    },
  }
}

/** The limits that hold for all processes of a sandbox together on this machine: tried, not only looked for. */
export function groupLimitsHere(): ReadonlySet<keyof GroupLimits> {
  const made = findGroupPaths().flatMap(({ parent }) => make(parent, { tasks: 1000, memoryBytes: 2 ** 30 }) ?? [])
  for (const { dir } of made) remove(dir)
  return new Set(made.flatMap(({ set }) => set))
}

interface GroupPaths {
  readonly own: string
  /** Where a group can be made that counts: in our own, else beside it. */
  readonly parent: string
}

const controllers = ['pids', 'cpu', 'memory']

/** One in the newer kind of groups, or one for each controller in the older. */
function findGroupPaths(): GroupPaths[] {
  try {
    return fs
      .readFileSync('/proc/self/cgroup', 'latin1')
      .split('\n')
      .flatMap((line): GroupPaths[] => {
        const [, listed = 'none', name = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
        const older = listed.split(',').find((one) => controllers.includes(one))
        const own = path.join('/sys/fs/cgroup', older ?? '', name)
        if (older !== undefined) return hasAccess(own, 'write') ? [{ own, parent: own }] : []
        const parent =
          listed === '' ? [own, path.dirname(own)].find((dir) => givesPids(dir) && hasAccess(dir, 'write')) : undefined
        return parent === undefined ? [] : [{ own, parent }]
      })
  } catch {
    // There are none here.
    return []
  }
}

function givesPids(dir: string): boolean {
  const file = path.join(dir, 'cgroup.subtree_control')
  return fs.existsSync(file) && /\bpids\b/.test(fs.readFileSync(file, 'latin1'))
}

/** The file of each limit, in the newer and the older kind of groups. The kernel swaps what is over a limit out if it can. */
const files: Readonly<Record<string, { readonly limit: keyof GroupLimits; readonly value: (most: number) => number }>> =
  {
    'pids.max': { limit: 'tasks', value: (most) => most },
    'memory.max': { limit: 'memoryBytes', value: (most) => most },
    'memory.swap.max': { limit: 'memoryBytes', value: () => 0 },
    'memory.limit_in_bytes': { limit: 'memoryBytes', value: (most) => most },
    'memory.memsw.limit_in_bytes': { limit: 'memoryBytes', value: (most) => most },
  }

function make(parent: string, limits: GroupLimits): { dir: string; set: (keyof GroupLimits)[] } | undefined {
  const dir = path.join(parent, `clada-${process.pid}-${Math.random().toString(36).slice(2)}`)
  // Before the machine as a whole runs out, and others are stopped for it.
  const most = { ...limits, memoryBytes: Math.min(limits.memoryBytes, Math.floor(os.totalmem() * 0.9)) }
  try {
    for (const name of fs.readdirSync(parent)) if (isLeftOver(name)) remove(path.join(parent, name))
    fs.mkdirSync(dir)
    const set = Object.entries(files).flatMap(([name, { limit, value }]) => {
      const file = path.join(dir, name)
      if (!fs.existsSync(file)) return []
      fs.writeFileSync(file, String(value(most[limit])))
      return limit
    })
    return { dir, set }
  } catch {
    remove(dir)
    return undefined
  }
}

/** Its maker died before it could remove it. */
function isLeftOver(name: string): boolean {
  const [, maker] = /^clada-(\d+)-/.exec(name) ?? []
  return maker !== undefined && !fs.existsSync(`/proc/${maker}`)
}

const join = (dir: string, pid: number): Promise<void> =>
  new Promise((done) => fs.writeFile(path.join(dir, 'cgroup.procs'), String(pid), () => done()))

/**
 * A killed process dies only when it gets its turn on the processor, and among a thousand in one group's share that is
 * long: the first of a namespace may wait for minutes, while the others go on starting more. So none may be started any
 * more, each is killed by itself, and those that now only die get a larger share.
 */
function endIn(dir: string): void {
  for (const [name, value] of lastWords) {
    try {
      const file = path.join(dir, name)
      if (fs.existsSync(file)) fs.writeFileSync(file, value)
    } catch {
      // The kernel is another, or the group is gone.
    }
  }
  for (const pid of processesOfGroup(dir)) kill(pid, 'SIGKILL')
}

const lastWords = [
  ['pids.max', '0'],
  ['cgroup.kill', '1'],
  ['cpu.shares', '100000'],
  ['cpu.weight', '10000'],
] as const

/** Zero stands for those that cannot be seen from here. */
function processesOfGroup(dir: string): number[] {
  try {
    const lines = fs.readFileSync(path.join(dir, 'cgroup.procs'), 'latin1').split('\n')
    return lines.map(Number).filter((pid) => pid > 0)
  } catch {
    return []
  }
}

function remove(dir: string): void {
  try {
    fs.rmdirSync(dir)
  } catch {
    // Not there, or a process in it could not be ended.
  }
}
