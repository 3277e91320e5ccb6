import { computed, signal } from '@preact/signals'
import type { HistoryEntry } from '../../../clada/src/engine/history-run.ts'
import type { TimelineData } from '../../../clada/src/ui/protocol.ts'
import { showErrors } from '../actions.ts'
import { get } from '../api.ts'
import { makeMatcher } from '../store.ts'
import { formatCount } from '@clada/reply/core/words.ts'

export const timeline = signal<TimelineData | null>(null)
/** The entry that is looked at, by its name: its place changes with every execution. Null for the newest. */
const chosen = signal<string | null>(null)
/** On a narrow screen the detail covers the list. */
export const shows = signal(false)

/** One line of the timeline: an execution of clada, or changes of other programs to its files. */
export type TimelineEntry =
  | { readonly kind: 'execution'; readonly name: string; readonly number: number; readonly entry: HistoryEntry }
  | { readonly kind: 'between'; readonly name: string; readonly number: number; readonly paths: readonly string[] }
  | { readonly kind: 'since'; readonly name: string; readonly paths: readonly string[] }
  /** A loop, or a conversation over MCP, as a whole: above its executions. */
  | {
      readonly kind: 'whole'
      readonly name: string
      readonly id: string
      readonly title: string
      readonly notes: string
      /** Those that are not undone. */
      readonly numbers: readonly number[]
    }

/** Words that an entry must have. */
export const wanted = signal('')
/** Executions that are marked, to be undone or redone together. */
export const marked = signal<ReadonlySet<number>>(new Set())

/** Newest first. */
const all = computed((): TimelineEntry[] => {
  const { entries: known, since } = timeline.value ?? { entries: [], since: [] }
  const seen = new Set<string>()
  const listed = known.toReversed().flatMap((entry): TimelineEntry[] => {
    const { number, meanwhile, conversation, kind } = entry
    const own = { kind: 'execution' as const, name: `execution-${number}`, number, entry }
    const isNew = kind === 'run' && conversation !== undefined && !seen.has(conversation.id)
    if (isNew) seen.add(conversation.id)
    return [
      ...(isNew ? [wholeConversation(conversation)] : []),
      own,
      ...(meanwhile === undefined
        ? []
        : [{ kind: 'between' as const, name: `between-${number}`, number, paths: meanwhile }]),
    ]
  })
  return since.length === 0
    ? listed
    : [{ kind: 'since', name: 'since', paths: since.map(({ path }) => path) }, ...listed]
})

function wholeConversation({ id, kind }: NonNullable<HistoryEntry['conversation']>): TimelineEntry {
  const own = timeline.value?.entries.filter((entry) => entry.kind === 'run' && entry.conversation?.id === id) ?? []
  const loop = timeline.value?.loops[id]
  const what = {
    loop: `Loop${loop === undefined ? '' : ` ${loop.number}`}`,
    mcp: 'Conversation over MCP',
    session: 'Session of a program',
  }[kind]
  return {
    kind: 'whole',
    name: `whole-${id}`,
    id,
    title: loop === undefined ? what : `${what}: ${loop.task}`,
    notes: [formatCount(own.length, 'execution'), ...(loop?.ended === undefined ? [] : [loop.ended])].join(' · '),
    numbers: own.flatMap(({ number, undone }) => (undone ? [] : [number])),
  }
}

export const entries = computed((): TimelineEntry[] => {
  if (wanted.value === '') return all.value
  const has = makeMatcher(wanted.value)
  return all.value.filter((entry) => {
    if (entry.kind === 'whole') return has(entry.title, entry.notes)
    if (entry.kind !== 'execution') return has(...entry.paths)
    const { number, summary, paths, commit, kind, time, undone } = entry.entry
    return has(String(number), summary, commit, kind, time, undone ? 'undone' : '', ...paths)
  })
})

/** The place of the entry that is looked at. */
export const at = computed(() =>
  Math.max(
    0,
    entries.value.findIndex(({ name }) => name === chosen.value),
  ),
)

/** What can be done with an execution; only such a one can be marked. */
export function possibleTurn(entry: TimelineEntry | undefined): 'undo' | 'redo' | undefined {
  if (entry?.kind !== 'execution') return undefined
  const { kind, undone } = entry.entry
  return kind !== 'run' && kind !== 'squash' ? undefined : undone ? 'redo' : 'undo'
}

const markedFor = (way: 'undo' | 'redo') =>
  computed(() =>
    all.value.flatMap((entry) =>
      entry.kind === 'execution' && possibleTurn(entry) === way && marked.value.has(entry.number) ? [entry.number] : [],
    ),
  )

export const markedNumbers = { undo: markedFor('undo'), redo: markedFor('redo') }

export function markEntry(entry: TimelineEntry | undefined): void {
  if (entry?.kind !== 'execution' || possibleTurn(entry) === undefined) return
  const next = new Set(marked.value)
  if (!next.delete(entry.number)) next.add(entry.number)
  marked.value = next
}

export const loadTimeline = (): Promise<unknown> =>
  showErrors(async () => (timeline.value = await get<TimelineData>('/api/timeline')))

function chooseEntry(index: number): void {
  chosen.value = entries.value[index]?.name ?? null
}

export function selectEntry(index: number): void {
  chooseEntry(index)
  shows.value = true
}

export const moveEntry = (by: number): void =>
  chooseEntry(Math.min(entries.value.length - 1, Math.max(0, at.value + by)))
