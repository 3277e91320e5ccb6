import fs from 'node:fs'
import path from 'node:path'

/** Lets no more than so many processes and threads live in it at a time. */
export interface PidsGroup {
  /** A process, with everything it will start. Where the system has no such groups, it is left as it is. */
  add(pid: number): Promise<void>
  /** When nobody lives in it any more. */
  close(): void
}

/**
 * A control group of Linux, for the superuser: it alone may always make one, and it alone is exempt from the limit that
 * every other user can be given. The processor is shared out by groups too, so that however many live in this one, and
 * however many sessions they make, they get no more than one share.
 */
export function pidsGroup(most: number): PidsGroup {
  const places = process.geteuid?.() === 0 ? findPlaces() : []
  // The first who joins any group in a while waits some 10 ms for the kernel. So we join ours again, which changes
  // nothing, while the one to be added is still being started.
  const ready = Promise.all(places.slice(0, 1).map(({ own }) => join(own, process.pid)))
  let dirs: string[] = []
  let isOver = false
  return {
    add: async (pid) => {
      await ready
      if (isOver) return
      dirs = places.flatMap(({ parent }) => make(parent, most) ?? [])
      await Promise.all(dirs.map((dir) => join(dir, pid)))
    },
    close: () => {
      isOver = true
      for (const dir of dirs) remove(dir)
    },
  }
}

interface Place {
  readonly own: string
  /** Where a group can be made that counts: in our own, else beside it. */
  readonly parent: string
}

/** One in the newer kind of groups, or one for each controller in the older. */
function findPlaces(): Place[] {
  try {
    return fs
      .readFileSync('/proc/self/cgroup', 'latin1')
      .split('\n')
      .flatMap((line): Place[] => {
        const [, controllers = 'none', name = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
        const older = controllers.split(',').find((one) => one === 'pids' || one === 'cpu')
        const own = path.join('/sys/fs/cgroup', older ?? '', name)
        if (older !== undefined) return [{ own, parent: own }]
        const parent = controllers === '' ? [own, path.dirname(own)].find(givesPids) : undefined
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

function make(parent: string, most: number): string | undefined {
  const dir = path.join(parent, `clada-${process.pid}-${Math.random().toString(36).slice(2)}`)
  try {
    for (const name of fs.readdirSync(parent)) if (isLeftOver(name)) remove(path.join(parent, name))
    fs.mkdirSync(dir)
    const limit = path.join(dir, 'pids.max')
    if (fs.existsSync(limit)) fs.writeFileSync(limit, String(most))
    return dir
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

function remove(dir: string): void {
  try {
    fs.rmdirSync(dir)
  } catch {
    // Not there, or somebody in it could not be ended.
  }
}
