import fs from 'node:fs'

/** A whole process group; a group that is gone already is no news. */
export function killGroup(leader: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, signal)
  } catch {
    // Nobody is left in it.
  }
}

/**
 * Kills a program that has put others into a namespace. Usually they die with it; but before it has told them to, they
 * would live on. So it is held still first, and what it has started by then is killed before it.
 */
export function killNamespace(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(leader, 'SIGSTOP')
    // The first process of a namespace takes all others along.
    for (const child of childrenOf(leader)) process.kill(child, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
  killGroup(leader, 'SIGKILL')
}

function childrenOf(parent: number): number[] {
  if (process.platform !== 'linux') return []
  return fs.readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    return Number.isInteger(pid) && parentOf(pid) === parent ? [pid] : []
  })
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0])
  } catch {
    return undefined
  }
}

/**
 * Kills what carries a mark in its environment. A child that made a session of its own has left the group and its
 * parent, but it still has the environment it was born with. Linux only: elsewhere there is no way to see it.
 */
export function killMarked(mark: string): void {
  if (process.platform !== 'linux') return
  // Again until nobody is found: a process may fork while the list is read.
  for (let round = 0; round < 20; round++) {
    const found = pidsMarked(mark)
    if (found.length === 0) return
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself meanwhile.
      }
    }
  }
}

function pidsMarked(mark: string): number[] {
  const sign = Buffer.from(`CLADA_RUN=${mark}`)
  const found: number[] = []
  for (const name of fs.readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid === process.pid) continue
    try {
      if (fs.readFileSync(`/proc/${pid}/environ`).includes(sign) && !isGone(pid)) found.push(pid)
    } catch {
      // Somebody else's, or gone.
    }
  }
  return found
}

/** Gone, or dead and only waiting for its parent to notice. */
export function isGone(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return true
  }
}
