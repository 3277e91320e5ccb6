import { diffLines } from '@clada/reply/text/line-diff.ts'
import { splitKeepingEnds } from '@clada/reply/text/lines.ts'
import type { HistoryEntry } from '../engine/history-run.ts'
import type { PageProject } from './plan.ts'

/** For each line of a text the execution that wrote it; undefined for lines that others wrote. */
export async function lineOrigins(
  { clada }: PageProject,
  file: string,
  text: string,
): Promise<readonly (HistoryEntry | undefined)[]> {
  const origins: (HistoryEntry | undefined)[] = []
  // For each line of the older text its number in `text`, as long as it is still there.
  let older = splitKeepingEnds(text)
  let numbers: readonly (number | undefined)[] = older.map((_, index) => index)
  origins.length = older.length
  const entries = (await clada.history()).filter(({ paths }) => paths.includes(file)).slice(-mostExecutions)
  for (const entry of entries.toReversed()) {
    const change = (await clada.changesOf(entry.number))?.changes.find(({ path }) => path === file)
    if (change === undefined || change.binary) break
    const [before, after] = [splitKeepingEnds(change.before ?? ''), splitKeepingEnds(change.after ?? '')]
    // What others wrote since.
    numbers = followLines(after, older, numbers, () => undefined)
    numbers = followLines(before, after, numbers, (number) => (origins[number] = entry))
    older = before
  }
  return origins
}

/** An older execution is rarely what somebody asks for, and each costs a look at the disk. */
const mostExecutions = 100

/** The numbers of the lines of an older text, by those of the newer one. Lines that only the newer one has are noted. */
function followLines(
  older: readonly string[],
  newer: readonly string[],
  numbers: readonly (number | undefined)[],
  note: (number: number) => void,
): readonly (number | undefined)[] {
  const found: (number | undefined)[] = []
  let at = 0
  for (const { kind, count } of diffLines(older, newer)) {
    for (let step = 0; step < count; step++) {
      if (kind === 'old') {
        found.push(undefined)
        continue
      }
      const number = numbers[at++]
      if (kind === 'same') found.push(number)
      else if (number !== undefined) note(number)
    }
  }
  return found
}
