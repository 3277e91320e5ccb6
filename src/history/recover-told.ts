import type { ExecutionRecord, PathRecord } from '../journal/record.ts'
import type { Program } from './recover-program.ts'
import { listOf } from '../journal/summary.ts'

/** For somebody who does not know that it ever ran: what it was, what is done and what is not, and what to do now. */
export function toldOf({ number, kind, of, ofActions = [], actions, paths }: ExecutionRecord): string {
  const was = `${nameOf({ number, kind, of })} was interrupted: clada was ended in the middle of it.`
  const done = actions.filter(({ success }) => success).map(({ seq }) => seq)
  const acts =
    done.length === 0
      ? 'None of its actions is known to be done.'
      : `Its ${done.length === 1 ? `action ${done[0]} is` : `actions ${ranges(done)} are`} done; all others are not, or only in part.`
  const known = kind === 'run' ? `${was} ${acts}` : was
  if (paths.length === 0) return known
  // Without a number, undo would take back the one that died.
  const again = [`clada ${kind}`, ...(kind === 'undo' ? [of ?? ''] : []), ...ofActions.map((one) => `--action ${one}`)]
  const on = kind === 'run' ? 'run again what is missing' : again.join(' ')
  return `${known} It changed ${pathsToldOf(paths)}. To take that back: clada undo ${number}. To go on instead: ${on}.`
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

/** Everything is done; only what was to be saved of it need not be. */
export function unsavedToldOf(record: ExecutionRecord): string {
  const { number, paths } = record
  return (
    `${nameOf(record)} was interrupted at its end: clada was ended while it saved what it had done. All of it is done; ` +
    `a commit of it may be missing. It changed ${pathsToldOf(paths)}. To take that back: clada undo ${number}.`
  )
}

export function programToldOf(number: number, { action }: Program, changed: readonly PathRecord[] | undefined): string {
  const what = `action ${action} of execution ${number} was running a program at that moment.`
  if (changed === undefined)
    return `${what} What that program changed is not known, and clada undo cannot take it back: look at the files yourself.`
  const names = changed.filter(({ steps }) => steps.some(({ by }) => by === action)).map(({ path }) => path)
  const since =
    names.length === 0
      ? 'No file that git sees has changed since.'
      : `Changed since, by that program or by somebody else: ${listOf(names)}.`
  return `${what} ${since} Files that git ignores were not looked at.`
}

const nameOf = ({ number, kind, of }: Pick<ExecutionRecord, 'number' | 'kind'> & { of?: number | undefined }): string =>
  `execution ${number}${kind === 'run' ? '' : ` (${kind}${of === undefined ? '' : ` of execution ${of}`})`}`

function pathsToldOf(paths: readonly PathRecord[]): string {
  const changed = paths.filter(({ after }) => after.type !== 'directory').map(({ path }) => path)
  return listOf(changed) || 'only directories'
}
