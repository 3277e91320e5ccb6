import { computed, signal } from '@preact/signals'
import type { HistoryEntry } from '../../src/engine/history-run.ts'
import type { Timeline } from '../../src/ui/protocol.ts'
import { tried } from '../actions.ts'
import { get } from '../api.ts'

export const timeline = signal<Timeline | null>(null)
/** Which entry is looked at. */
export const at = signal(0)
/** On a narrow screen the detail lies over the list. */
export const shows = signal(false)

/** One line of the timeline: what clada did, or what somebody else did to its files. */
export type Entry =
  | { readonly kind: 'execution'; readonly name: string; readonly number: number; readonly entry: HistoryEntry }
  | { readonly kind: 'between'; readonly name: string; readonly number: number; readonly paths: readonly string[] }
  | { readonly kind: 'since'; readonly name: string; readonly paths: readonly string[] }

/** Newest first. */
export const entries = computed((): Entry[] => {
  const { entries: all, since } = timeline.value ?? { entries: [], since: [] }
  const told = all.toReversed().flatMap((entry): Entry[] => {
    const { number, meanwhile } = entry
    const own = { kind: 'execution' as const, name: `execution-${number}`, number, entry }
    return meanwhile === undefined
      ? [own]
      : [own, { kind: 'between', name: `between-${number}`, number, paths: meanwhile }]
  })
  return since.length === 0 ? told : [{ kind: 'since', name: 'since', paths: since.map(({ path }) => path) }, ...told]
})

export const load = (): Promise<unknown> =>
  tried(async () => {
    timeline.value = await get<Timeline>('/api/timeline')
    at.value = Math.min(at.value, Math.max(0, entries.value.length - 1))
  })

export function lookAt(index: number): void {
  at.value = index
  shows.value = true
}

export function moveEntry(by: number): void {
  at.value = Math.min(entries.value.length - 1, Math.max(0, at.value + by))
}
