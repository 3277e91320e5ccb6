import type { ExecutionRecord, PathRecord } from '../journal/record.ts'
import type { Program } from './recover-program.ts'
import { listOf } from '../journal/summary.ts'

/** For a user who does not know that it ran: what it was, what is complete, and what to do now. */
export function interruptedMessage({ number, kind, of, ofActions = [], actions, paths }: ExecutionRecord): string {
  const was = `${nameOf({ number, kind, of })} was interrupted: clada was stopped before it was complete.`
  const done = actions.filter(({ success }) => success).map(({ seq }) => seq)
  const acts =
    done.length === 0
      ? 'No action is known to be complete.'
      : `${done.length === 1 ? `Action ${done[0]} is` : `Actions ${ranges(done)} are`} complete; all others are missing or partial.`
  const known = kind === 'run' ? `${was} ${acts}` : was
  if (paths.length === 0) return known
  // Without a number, undo would revert the interrupted one.
  const again = [`clada ${kind}`, ...(kind === 'undo' ? [of ?? ''] : []), ...ofActions.map((one) => `--action ${one}`)]
  const on = kind === 'run' ? 'run the missing actions again' : again.join(' ')
  return `${known} It changed ${changedPaths(paths)}. To revert it: clada undo ${number}. To continue instead: ${on}.`
}

function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else found.push([number, number])
  }
  return found.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ')
}

/** All changes are complete; only the commit may be missing. */
export function unsavedMessage(record: ExecutionRecord): string {
  const { number, paths } = record
  return (
    `${nameOf(record)} was interrupted at its end: clada was stopped while it saved the result. All changes are complete; ` +
    `its commit may be missing. It changed ${changedPaths(paths)}. To revert it: clada undo ${number}.`
  )
}

export const lostMessage = (number: number): string =>
  `the record of execution ${number} is lost or damaged, as after a power failure or by a fault of the disk. What it changed is unknown, and it cannot be undone.`

export function programMessage(
  number: number,
  { action }: Program,
  changed: readonly PathRecord[] | undefined,
): string {
  const what = `action ${action} of execution ${number} was running a program at that moment.`
  if (changed === undefined)
    return `${what} The changes of that program are unknown, and clada undo cannot revert them: check the files yourself.`
  const names = changed.filter(({ steps }) => steps.some(({ by }) => by === action)).map(({ path }) => path)
  const since =
    names.length === 0
      ? 'No file that git sees has changed since.'
      : `Changed since, by that program or by another process: ${listOf(names)}.`
  return `${what} ${since} Files that git ignores were not checked.`
}

const nameOf = ({ number, kind, of }: Pick<ExecutionRecord, 'number' | 'kind'> & { of?: number | undefined }): string =>
  `execution ${number}${kind === 'run' ? '' : ` (${kind}${of === undefined ? '' : ` of execution ${of}`})`}`

function changedPaths(paths: readonly PathRecord[]): string {
  const changed = paths.filter(({ after }) => after.type !== 'directory').map(({ path }) => path)
  return listOf(changed) || 'only directories'
}
