import type { ApprovalAnswer } from '../../clada/src/core/commands.ts'
import type { ReplyPlan, PlanBlock, Question, PageUndoRequest } from '../../clada/src/ui/protocol.ts'
import type { StepResult } from '../../clada/src/timetravel/back-forward.ts'
import type { UndoResult } from '../../clada/src/timetravel/undo.ts'
import { get, post, postText } from './api.ts'
import { showPlan } from './connection.ts'
import { copyText } from './copy.ts'
import { dropDraft, intakeDraft } from './reply/drafts.ts'
import {
  applicable,
  chosen,
  detailOpen,
  diffMode,
  filter,
  ignoresSpace,
  looked,
  marked,
  notice,
  page,
  pending,
  plan,
  shownBlocks,
  writeStored,
  announcement,
  unopened,
  view,
  wanted,
} from './store.ts'
import { stillChecking } from './labels.ts'
import { formatCount } from '@clada/reply/core/words.ts'

/** What a person can do. Buttons and keys call the same functions. */

/** Shows what went wrong instead of losing it. */
export async function showErrors<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    showNotice(error instanceof Error ? error.message : String(error), 'bad')
    return undefined
  }
}

export function showNotice(text: string, kind: 'good' | 'bad' | 'info'): void {
  notice.value = { text, kind }
  announcement.value = text
}

/** Texts that are on their way to the server. Until they are read, a key pressed for them would act on the reply before. */
let opening = 0

/** A text without blocks does not take the place of a reply before the person has said so. */
export const openDocument = (text: string, name: string, over: 'any' | 'none' = 'none'): Promise<void | undefined> =>
  showErrors(async () => {
    unopened.value = null
    const before = plan.value
    opening++
    const sent = postText<ReplyPlan | null>(`/api/document?name=${encodeURIComponent(name)}&over=${over}`, text)
    const fresh = await sent.finally(() => opening--)
    if (fresh === null) {
      unopened.value = { text, name }
      return
    }
    putPlan(fresh)
    dropDraft(intakeDraft)
    const count = fresh.blocks.length
    if (count === 0)
      showNotice('No edits or commands found in this text. Prompt has what teaches a model to write them.', 'bad')
    else if (before !== null && before.blocks.length > 0)
      showNotice('The previous reply is in the list of replies.', 'good')
    else announcement.value = `${formatCount(count, 'block')}.`
  })

function putPlan(fresh: ReplyPlan): void {
  showPlan(fresh)
  marked.value = new Set()
  filter.value = 'all'
  wanted.value = ''
  notice.value = null
  detailOpen.value = false
  view.value = 'reply'
  look({ at: 'block', key: firstWorthALook(fresh) })
}

export const reopenReply = (id: number): Promise<unknown> =>
  showErrors(async () => {
    if (plan.value?.reply !== id) putPlan(await post<ReplyPlan>('/api/reply', { id }))
  })

export const forget = (id: number): Promise<unknown> => showErrors(() => post('/api/forget', { id }))

/** The first block that needs a person, else the first. */
const firstWorthALook = ({ blocks }: ReplyPlan): number =>
  blocks.find(({ state }) => state !== 'ready' && state !== 'checking')?.key ?? 0

export const openFile = async (file: File): Promise<void> => void (await openDocument(await file.text(), file.name))

export const clear = (): Promise<unknown> =>
  showErrors(async () => {
    await post('/api/clear')
    showPlan(null)
    notice.value = null
  })

/** To where a reply is pasted; the one that is there gives way. */
export async function startAnotherReply(): Promise<void> {
  const isThere = document.getElementById('reply') !== null
  if (plan.value !== null) await clear()
  // Drawn anew it takes the focus itself; taking it again, later, could take it from another control.
  if (isThere) focusOn('reply')
}

export const refresh = (): Promise<unknown> =>
  showErrors(async () => showPlan(await post<ReplyPlan | null>('/api/refresh')))

/** The block that was looked at last. */
let lastKey = 0

export function look(at: typeof looked.value): void {
  if (at.at === 'block') lastKey = at.key
  looked.value = at
}

export function lookAtBlock(key: number): void {
  look({ at: 'block', key })
  detailOpen.value = true
}

/** Up and down in the list as it is filtered. */
export function move(by: number): void {
  const shown = shownBlocks.value
  if (shown.length === 0) return
  const key = looked.value.at === 'block' ? looked.value.key : lastKey
  const at = shown.findIndex((block) => block.key === key)
  const next = at === -1 ? 0 : Math.min(shown.length - 1, Math.max(0, at + by))
  look({ at: 'block', key: shown[next]?.key ?? 0 })
}

/** All files, or the map; once more goes back to the block. */
export function lookAtWhole(at: 'files' | 'map'): void {
  if (looked.value.at === at) return look({ at: 'block', key: lastKey })
  look({ at })
  detailOpen.value = true
}

export function currentBlock(): PlanBlock | undefined {
  const at = looked.value
  return at.at === 'block' ? plan.value?.blocks[at.key] : undefined
}

/** What lands whole or not at all is marked whole or not at all. */
export function mark(block: PlanBlock | undefined): void {
  if (block?.task === undefined || !pending.value.includes(block)) return
  const { group, task } = block
  const together = group?.atomic ? pending.value.filter((other) => other.group?.line === group.line) : [block]
  const tasks = together.flatMap((one) => one.task ?? [])
  const next = new Set(marked.value)
  const add = !next.has(task)
  for (const one of tasks) {
    if (add) next.add(one)
    else next.delete(one)
  }
  marked.value = next
}

export function markAll(): void {
  const all = pending.value.flatMap(({ task }) => task ?? [])
  marked.value = chosen.value.length === all.length ? new Set() : new Set(all)
}

/** What is shown, and nothing that the server may have got in its place. */
const applyTasks = (tasks: readonly string[] | null): Promise<unknown> =>
  showErrors(async () => {
    notice.value = null
    await post('/api/apply', { tasks, revision: plan.value?.revision })
  })

/** What is marked, else everything that is left. */
export function applyMarked(): Promise<unknown> {
  const tasks = chosen.value.flatMap(({ task }) => task ?? [])
  if (plan.value?.isChecking || opening > 0) {
    showNotice(stillChecking, 'info')
    return Promise.resolve()
  }
  if (plan.value === null) {
    showNotice('There is no reply to apply. Paste one first.', 'info')
    return Promise.resolve()
  }
  if (tasks.length === 0 && applicable.value.length === 0) {
    showNotice('Nothing is left that can be applied.', 'bad')
    return Promise.resolve()
  }
  return applyTasks(tasks.length === 0 ? null : tasks)
}

/** One block with those it depends on; then the next. */
export async function applyOne(): Promise<void> {
  const block = currentBlock()
  if (block?.task === undefined || !pending.value.includes(block)) return
  const { group } = block
  const together = group?.atomic ? pending.value.filter((other) => other.group?.line === group.line) : [block]
  await applyTasks(together.flatMap(({ task }) => task ?? []))
  const next = pending.value.find(({ key }) => key > block.key && !together.some((one) => one.key === key))
  if (next !== undefined) look({ at: 'block', key: next.key })
}

export const stopRun = (): Promise<unknown> => showErrors(() => post('/api/stop'))

export const copyReport = (): Promise<unknown> =>
  showErrors(async () => {
    const { text } = await get<{ text: string }>('/api/answer')
    await copyText(text)
    showNotice('The report is on the clipboard. Paste it to the model.', 'good')
  })

export const answerQuestion = (question: Question, said: ApprovalAnswer): Promise<unknown> =>
  showErrors(() => post('/api/answer', { id: question.id, answer: said }))

export const follow = (on: boolean): Promise<unknown> => showErrors(() => post('/api/follow', { on }))

/** One execution, one action of it, or several executions. */
export type TurnRequest = PageUndoRequest & { readonly numbers?: readonly number[] }

export const undoOrRedo = (way: 'undo' | 'redo', request: TurnRequest): Promise<UndoResult | undefined> =>
  showErrors(() => post<UndoResult>(`/api/${way}`, request))

export const stepHistory = (way: 'back' | 'forward'): Promise<StepResult | undefined> =>
  showErrors(() => post<StepResult>(`/api/${way}`))

export const toggleDiff = (): void => showDiffs(diffMode.value === 'split' ? 'unified' : 'split')

export function showDiffs(mode: typeof diffMode.value): void {
  diffMode.value = mode
  writeStored('clada-diff', mode)
}

export function toggleSpace(): void {
  ignoresSpace.value = !ignoresSpace.value
  writeStored('clada-space', ignoresSpace.value ? 'ignored' : '')
}

export const isRunning = (): boolean => page.value?.running !== null && page.value?.running !== undefined

export function focusOn(id: string): void {
  // What was asked for may still have to be drawn.
  requestAnimationFrame(() => {
    const element = document.getElementById(id)
    element?.focus()
    element?.scrollIntoView({ block: 'nearest' })
  })
}

export function focusOpenDetail(): void {
  detailOpen.value = true
  focusOn('detail')
}
