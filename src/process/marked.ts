import fs from 'node:fs'
import { birthOf, countOf, groupKin, kill, type Kin, processesIn, until } from './kin.ts'
import { findProgram, isProgram, systemPath } from './programs.ts'

/**
 * Without a namespace, a child that made a session of its own has left both its group and its parent. What it cannot
 * leave by accident is what it was born with: so the program gets a mark, and whoever bears it is one of its kin. The
 * mark is a number, borne twice: as a limit of the system that never matters (28 years of real-time work without a
 * pause), which survives an emptied environment, and in the environment, for systems without a program to set limits.
 */
export type Mark = string

export const newMark = (): Mark => String(900_000_000_000_000 + Math.floor(Math.random() * 10 ** 14))

interface Start {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** The same program, bearing the mark. */
export function bearing(mark: Mark, { file, args, env }: Start): Start {
  const marked = { ...env, CLADA_RUN: mark }
  const prlimit = process.platform === 'linux' ? findProgram('prlimit', systemPath) : undefined
  // What cannot be started is better said by the system than by a program in between.
  if (prlimit === undefined || !isProgram(file)) return { file, args, env: marked }
  return { file: prlimit, args: [`--rttime=${mark}`, '--', file, ...args], env: marked }
}

/** Linux only: elsewhere nobody can be asked for the mark, and the group has to do. */
export function markedKin(leader: number | undefined, mark: Mark): Kin {
  const group = groupKin(leader)
  if (process.platform !== 'linux') return group
  return {
    count: (most) => countOf(bearers(mark), most),
    stop: group.stop,
    gone: async () => {
      await group.gone()
      return until(() => {
        let found = 0
        // Killed as they are found: one that only starts another and ends is gone when the list is complete.
        for (const pid of bearers(mark)) {
          found++
          kill(pid, 'SIGKILL')
        }
        return found === 0
      })
    },
  }
}

function* bearers(mark: Mark): Generator<number> {
  for (const pid of processesIn('/proc')) {
    if (pid !== process.pid && bears(pid, mark) && birthOf(pid) !== undefined) yield pid
  }
}

function bears(pid: number, mark: Mark): boolean {
  try {
    if (fs.readFileSync(`/proc/${pid}/limits`, 'latin1').includes(mark)) return true
    return fs.readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`CLADA_RUN=${mark}`)
  } catch {
    // Somebody else's, or gone.
    return false
  }
}
