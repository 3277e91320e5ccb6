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
 * every other user can be given.
 */
export function pidsGroup(most: number): PidsGroup {
  const place = process.geteuid?.() === 0 ? findPlace() : undefined
  // The first who joins any group in a while waits some 10 ms for the kernel. So we join ours again, which changes
  // nothing, while the one to be added is still being started.
  const ready = place === undefined ? undefined : join(place.own, process.pid)
  let dir: string | undefined
  let isOver = false
  return {
    add: async (pid) => {
      await ready
      if (place === undefined || isOver) return
      dir = make(place.parent, most)
      if (dir !== undefined) await join(dir, pid)
    },
    close: () => {
      isOver = true
      if (dir !== undefined) remove(dir)
    },
  }
}

/** Our own group, and where one can be made whose limit counts: in ours, else beside it. */
function findPlace(): { own: string; parent: string } | undefined {
  try {
    for (const line of fs.readFileSync('/proc/self/cgroup', 'latin1').split('\n')) {
      const [, controllers, name = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
      const own = path.join('/sys/fs/cgroup', controllers === '' ? '' : 'pids', name)
      if (controllers?.split(',').includes('pids')) return { own, parent: own }
      const parent = [own, path.dirname(own)].find(givesPids)
      if (controllers === '' && parent !== undefined) return { own, parent }
    }
  } catch {
    // There are none here.
  }
  return undefined
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
    fs.writeFileSync(path.join(dir, 'pids.max'), String(most))
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
