import fs from 'node:fs'
import path from 'node:path'
import { jsonOf } from '../state/own-files.ts'
import { isAlive, ownerFrom } from '../state/owner.ts'

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
    const [first, ...dirs] = fs.readFileSync(ledger, 'utf8').split('\n')
    const owner = ownerFrom(jsonOf(first))
    if (owner !== undefined && isAlive(owner)) continue
    for (const line of dirs) sweepDir(jsonOf(line), `.clada-${run}-`)
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
