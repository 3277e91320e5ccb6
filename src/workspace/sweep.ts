import fs from 'node:fs'
import path from 'node:path'

/** A process, told apart from a later one that got the same number. */
interface Identity {
  readonly pid: number
  readonly started: string
}

export const ownIdentity = (): Identity => ({ pid: process.pid, started: startOf(process.pid) ?? '' })

/**
 * Removes the temporary files of runs that died. Each run keeps a ledger named after itself that begins with who
 * it is and goes on with the directories it put temporary files into.
 */
export function sweepLeftovers(ledgers: string): void {
  for (const run of fs.readdirSync(ledgers)) {
    if (!/^[0-9a-f]{12}$/.test(run)) continue
    const ledger = path.join(ledgers, run)
    // Whatever else has such a name is not ours, and may never end.
    if (!fs.lstatSync(ledger, { throwIfNoEntry: false })?.isFile()) continue
    const [identity, ...dirs] = fs.readFileSync(ledger, 'utf8').split('\n')
    if (isAlive(identity)) continue
    for (const line of dirs) sweepDir(parsed(line), `.clada-${run}-`)
    fs.rmSync(ledger, { force: true })
  }
}

/** Only names that this run made up can begin so; a link in the way of the directory removes nothing else. */
function sweepDir(dir: unknown, prefix: string): void {
  if (typeof dir !== 'string') return
  try {
    for (const name of fs.readdirSync(dir)) {
      if (name.startsWith(prefix)) fs.rmSync(path.join(dir, name), { force: true })
    }
  } catch {
    // The directory is gone, and what was in it too.
  }
}

function isAlive(identity: string | undefined): boolean {
  const owner = parsed(identity)
  if (typeof owner !== 'object' || owner === null || !('pid' in owner) || typeof owner.pid !== 'number') return false
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // A process of another user cannot be signalled, but it is there.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const started = startOf(owner.pid)
  return started === undefined || !('started' in owner) || owner.started === started
}

/** When a process began, as the kernel counts; undefined where it does not say. */
function startOf(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in parentheses may hold blanks; the 20th field behind it is the start time.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

function parsed(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? '')
  } catch {
    return undefined
  }
}
