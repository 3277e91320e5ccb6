import { computed, signal } from '@preact/signals'
import type {
  BlockState,
  BlockOutcome,
  PageState,
  ReplyPlan,
  PlanBlock,
  TouchedFile,
} from '../../clada/src/ui/protocol.ts'
import { labelOf, type BlockMark, markOf } from './labels.ts'

/** What the page shows. Only `actions.ts` and `connection.ts` change what came from the server. */

export type PageView = 'reply' | 'timeline' | 'prompt'
export type Filter = 'all' | 'checking' | 'ready' | 'attention' | 'skipped' | 'left' | 'done' | 'failed'
export type Selection =
  | { readonly at: 'block'; readonly key: number }
  /** All files in one scroll, beginning with one of them. */
  | { readonly at: 'files'; readonly path?: string }
  | { readonly at: 'map' }

/** `lost`: no server answers. `locked`: one does, but it does not know this tab. */
export const link = signal<'connecting' | 'open' | 'lost' | 'locked'>('connecting')
export const page = signal<PageState | null>(null)
export const plan = signal<ReplyPlan | null>(null)
/** Results of blocks during a run, by task. */
export const live = signal<ReadonlyMap<string, BlockOutcome>>(new Map())
/** What programs write while a run goes on. */
export const output = signal<{ readonly task: string; readonly text: string } | null>(null)

export const view = signal<PageView>('reply')
export const looked = signal<Selection>({ at: 'block', key: 0 })
/** On a narrow screen the detail covers the list. */
export const detailOpen = signal(false)
/** Tasks that are marked. */
export const marked = signal<ReadonlySet<string>>(new Set())
export const filter = signal<Filter>('all')
/** Words that blocks and files must have. */
export const wanted = signal('')
/** A text without blocks that would take the place of a reply. */
export const unopened = signal<{ readonly text: string; readonly name: string } | null>(null)
export const ignoresSpace = signal(readStored('clada-space') === 'ignored')
export const diffMode = signal<'split' | 'unified'>(readStored('clada-diff') === 'unified' ? 'unified' : 'split')
export const helpOpen = signal(false)
export const singleKeys = signal(readStored('clada-keys') !== 'off')
export const notice = signal<{ readonly text: string; readonly kind: 'good' | 'bad' | 'info' } | null>(null)
/** Announced to screen readers. */
export const announcement = signal('')

export const findOutcome = ({ task, outcome }: PlanBlock): BlockOutcome | undefined =>
  outcome ?? (task === undefined ? undefined : live.value.get(task))

export const pending = computed(() =>
  (plan.value?.blocks ?? []).filter(
    (block) => block.task !== undefined && block.state !== 'broken' && findOutcome(block) === undefined,
  ),
)

/** Those that would do something. The others only tell the model why not. */
export const applicable = computed(() => pending.value.filter(({ state }) => works.has(state)))

const works: ReadonlySet<BlockState> = new Set(['ready', 'repaired', 'part', 'approval'])

/** The block that is running: they run in order. */
export const current = computed(() => {
  const running = page.value?.running
  if (running?.what !== 'document') return undefined
  const tasks = running.tasks && new Set(running.tasks)
  return pending.value.find(({ task = '' }) => tasks?.has(task) ?? true)
})

/** A run that has put a question waits for its answer. */
const isWaiting = computed(() => page.value?.questions.some(({ from }) => from === 'page') === true)

export const blockMark = (block: PlanBlock): BlockMark =>
  block.key !== current.value?.key ? markOf(block, findOutcome(block)) : isWaiting.value ? 'waiting' : 'running'

/** Whether a text has all words that are looked for. */
export function makeMatcher(looksFor: string): (...texts: readonly (string | undefined)[]) => boolean {
  const words = looksFor.toLowerCase().split(/\s+/).filter(Boolean)
  return (...texts) => {
    if (words.length === 0) return true
    const text = texts.join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  }
}

const noBlocks: readonly PlanBlock[] = []
const noFiles: readonly TouchedFile[] = []

export const shownBlocks = computed(() => {
  const blocks = plan.value?.blocks ?? noBlocks
  if (filter.value === 'all' && wanted.value === '') return blocks
  const has = makeMatcher(wanted.value)
  return blocks.filter((block) => {
    if (filter.value !== 'all' && groupOf(block) !== filter.value) return false
    const { id, action, target, syntax, why, runs, files } = block
    return has(
      id,
      action,
      target,
      syntax,
      labelOf(markOf(block, findOutcome(block))),
      why,
      runs,
      ...files.flatMap(touchedPaths),
    )
  })
})

export const shownFiles = computed(() => {
  const files = plan.value?.files ?? noFiles
  const has = makeMatcher(wanted.value)
  return wanted.value === '' ? files : files.filter((file) => has(...touchedPaths(file)))
})

const touchedPaths = ({ path, from }: TouchedFile): string[] => (from === undefined ? [path] : [path, from])

/** Which of the few groups above the list a block belongs to. */
export function groupOf(block: PlanBlock): Exclude<Filter, 'all'> {
  const standing = standingOf(block)
  if (standing === 'asks' || standing === 'unknown' || standing === 'cannot') return 'attention'
  return standing === 'ready' && block.state !== 'ready' ? 'attention' : standing
}

/** How many blocks each group has. */
export const groupSizes = computed(() => {
  const found = { all: 0, checking: 0, ready: 0, attention: 0, skipped: 0, left: 0, done: 0, failed: 0 }
  for (const block of plan.value?.blocks ?? []) {
    found.all++
    found[groupOf(block)]++
  }
  return found
})

/** What is left to do about a block, or was done. */
type BlockStanding = 'checking' | 'ready' | 'asks' | 'unknown' | 'cannot' | 'skipped' | 'left' | 'done' | 'failed'

function standingOf(block: PlanBlock): BlockStanding {
  const outcome = findOutcome(block)
  if (outcome !== undefined) return outcome.left ? 'left' : outcome.success ? 'done' : 'failed'
  return standings[block.state]
}

/** Whether applying it would only say once more why it fails. */
export const isHopeless = (block: PlanBlock): boolean => standingOf(block) === 'cannot'

const standings: Readonly<Record<BlockState, BlockStanding>> = {
  checking: 'checking',
  ready: 'ready',
  repaired: 'ready',
  part: 'ready',
  approval: 'asks',
  unknown: 'unknown',
  refused: 'cannot',
  fails: 'cannot',
  broken: 'cannot',
  skipped: 'skipped',
  left: 'left',
}

/** Every block is counted once, so that the numbers add up to all of them. */
export const tally = computed(() => {
  const found = { checking: 0, ready: 0, asks: 0, unknown: 0, cannot: 0, skipped: 0, left: 0, done: 0, failed: 0 }
  for (const block of plan.value?.blocks ?? []) found[standingOf(block)]++
  return found
})

/** Marked blocks that are still to be done. */
export const chosen = computed(() => pending.value.filter(({ task = '' }) => marked.value.has(task)))

/** A group of which only a part is marked: its first failure skips the rest, so that may not be what was meant. */
export const tornGroup = computed(() => {
  const marks = new Set(chosen.value.map(({ key }) => key))
  return chosen.value.find(
    ({ group }) =>
      group !== undefined && pending.value.some((other) => other.group?.line === group.line && !marks.has(other.key)),
  )?.group
})

/** Storage may be closed; then nothing is remembered. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

export function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Nothing is remembered.
  }
}
