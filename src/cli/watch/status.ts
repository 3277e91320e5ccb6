import { counted } from '../../core/counted.ts'
import type { ListenerEvent } from '../../watch/events.ts'
import { prettySummary } from '../../report/pretty.ts'
import { printable } from '../../report/printable.ts'
import { primaryOf } from '../../report/words.ts'
import { unhidden } from '../visible.ts'
import { shortened, timeOf } from './lines.ts'

const hints = ['? help', 'u undo', 'x again', 'q quit']

/** The last line: the current activity, or the result of the last run and its time. */
export function makeStatus(
  file: string,
  root: string,
): { hear(event: ListenerEvent, now: Date): void; parts(): string[] } {
  const short = (text: string): string => unhidden(printable(shortened(text, root))).replaceAll('\n', ' ')
  let line = [short(`watching ${file}`)]
  return {
    hear: (event, now) => {
      if (event.kind === 'begin') line = [`running ${counted(event.blocks, 'block')}`]
      if (event.kind === 'action') {
        const { seq, action } = event.result
        line = [`running, ${seq} done`, short(`${action} ${primaryOf(event.result)}`)]
      }
      if (event.kind === 'done') {
        const took =
          event.durationMs < 1000 ? `${Math.round(event.durationMs)} ms` : `${(event.durationMs / 1000).toFixed(1)} s`
        line = [`${event.result.success ? '✓' : '✗'} ${prettySummary(event.result)}`, timeOf(now), took]
      }
    },
    parts: () => [...line, ...hints],
  }
}
