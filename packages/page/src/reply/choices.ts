import { effect, signal } from '@preact/signals'
import type { BlockChoice, ReviewHunk, ReviewPlace } from '../../../clada/src/core/review.ts'
import type { BlockDetail, ReplyPlan, PlanBlock } from '../../../clada/src/ui/protocol.ts'
import { focusOn, isRunning, currentBlock, showNotice, showErrors } from '../actions.ts'
import { get, post, postText } from '../api.ts'
import { showPlan } from '../connection.ts'
import { jump, showHunk } from '../diff/jump-to-change.ts'
import { pending, plan, announcement } from '../store.ts'

/** The decisions about a block: which changes are taken, with which text, in which place. */

/** The block whose changes are shown, as the server knows it. */
export const detail = signal<BlockDetail | null>(null)

/** What is known of a block, until it is known for the newest plan: of the same block of the same reply. */
export function findDetail({ key }: PlanBlock): BlockDetail | undefined {
  const found = detail.value
  return found?.key === key && found.reply === plan.value?.reply ? found : undefined
}
/** The change that the keys mean. */
export const hunkAt = signal<string | null>(null)
/** The file whose new text is being edited, or the parameters of the block, or the whole reply. */
export const editing = signal<
  | { readonly what: 'file'; readonly path: string }
  | { readonly what: 'block' }
  | { readonly what: 'reply'; readonly text: string }
  | null
>(null)

/** Decisions that the server has not answered yet: the next one builds on them. */
const sent = new Map<string, BlockChoice>()

export const canDecideNow = (block: PlanBlock): boolean =>
  block.task !== undefined && pending.value.includes(block) && !isRunning() && plan.value?.isChecking === false

/** What a draft about a block is kept by. */
export const draftKeyOf = ({ task = '' }: PlanBlock, of: string): string => `${plan.value?.reply} ${task} ${of}`

/** A block, and what was decided about it so far. */
export interface Decided {
  readonly block: PlanBlock
  readonly choice: BlockChoice
}

const changeChoice = (
  { block, choice }: Decided,
  change: (choice: BlockChoice) => BlockChoice,
): Promise<true | undefined> =>
  showErrors(async () => {
    const { task } = block
    if (task === undefined || !canDecideNow(block)) return undefined
    const next = change(sent.get(task) ?? choice)
    sent.set(task, next)
    try {
      showPlan(await post<ReplyPlan>('/api/choice', { task, choice: next }))
    } finally {
      if (sent.get(task) === next) sent.delete(task)
    }
    return true
  })

/** A change is taken or left out, with all that go with it. */
export const decideHunk = (of: Decided, { id }: ReviewHunk, how: 'take' | 'leave', reason = ''): Promise<unknown> =>
  changeChoice(of, ({ leave = [], ...others }) => ({
    ...others,
    leave: [...leave.filter(({ hunk }) => hunk !== id), ...(how === 'leave' ? [{ hunk: id, reason }] : [])],
  }))

export const leaveBlock = (of: Decided, reason = ''): Promise<unknown> =>
  changeChoice(of, (choice) => ({ ...choice, leaveOut: true, reason }))

export const takeBlock = (of: Decided): Promise<unknown> =>
  changeChoice(of, (choice) => ({ ...choice, leaveOut: false, reason: '' }))

export const usePlace = (of: Decided, { line, endLine, hunk, params }: ReviewPlace): Promise<unknown> =>
  changeChoice(of, (choice) =>
    params === undefined
      ? { ...choice, place: { line, endLine, hunk } }
      : { ...choice, params: { ...choice.params, ...params } },
  )

/** Hunks of a patch, without those that fit nowhere. */
export const takeFitting = (of: Decided): Promise<unknown> =>
  changeChoice(of, (choice) => ({ ...choice, patches: 'good' }))

/** As the model wrote it. */
export const forgetChoice = (of: Decided): Promise<unknown> => changeChoice(of, () => ({}))

/** True if the server has it: until then the box stays open. */
export async function keepText(of: Decided, path: string, text: string): Promise<true | undefined> {
  const isKept = await changeChoice(of, (choice) => ({ ...choice, texts: { ...choice.texts, [path]: text } }))
  if (isKept) stopEditing()
  return isKept
}

export async function keepParams(of: Decided, params: Readonly<Record<string, string>>): Promise<true | undefined> {
  // Texts of files were made from the parameters before.
  const isKept = await changeChoice(of, (choice) => ({ ...choice, texts: {}, params: { ...choice.params, ...params } }))
  if (isKept) stopEditing()
  return isKept
}

export const keepReply = (text: string): Promise<true | undefined> =>
  showErrors(async () => {
    showPlan(await postText<ReplyPlan>('/api/edit', text))
    stopEditing()
    showNotice('The reply is as you edited it. The answer shows your changes to the model.', 'good')
    return true as const
  })

export function stopEditing(): void {
  editing.value = null
  focusOn('detail')
}

export const editReply = (): Promise<unknown> =>
  showErrors(async () => {
    const { text } = await get<{ text: string }>('/api/document')
    editing.value = { what: 'reply', text }
    focusOn('edit-text')
  })

/** The block that is shown, where something can be decided about it. */
function shownBlock(): (Decided & { readonly detail: BlockDetail }) | undefined {
  const block = currentBlock()
  const found = block && findDetail(block)
  if (block === undefined || found === undefined || !canDecideNow(block)) return undefined
  return { block, choice: found.choice, detail: found }
}

/** The new text of the first file, else the parameters. */
export function editBlock(): void {
  const found = shownBlock()
  if (found === undefined) {
    // The key was faster than what it is about.
    const block = currentBlock()
    if (block !== undefined && findDetail(block) === undefined && canDecideNow(block)) editWhenShown(block)
    return
  }
  const file = found.detail.files.find(({ binary, after }) => !binary && after !== null)
  editing.value = file === undefined ? { what: 'block' } : { what: 'file', path: file.path }
  focusOn('edit-text')
}

/** Opens the new text of a block for editing as soon as its changes are there. */
export function editWhenShown({ key }: PlanBlock): void {
  const revision = plan.value?.revision
  const stop = effect(() => {
    const isShown = detail.value?.key === key && detail.value.revision === revision
    if (isShown) queueMicrotask(() => (stop(), editBlock()))
  })
}

/** All changes of the block, in the order they are shown. */
function hunks(): ReviewHunk[] {
  const block = currentBlock()
  return (block === undefined ? [] : (findDetail(block)?.files ?? [])).flatMap((file) => file.hunks)
}

/** To the next change: of the block, where its changes can be chosen, else in what is shown. */
export function moveHunk(way: 'next' | 'before'): void {
  const all = hunks()
  if (all.length === 0) return jump(way)
  const at = all.findIndex(({ id }) => id === hunkAt.value)
  const next = at === -1 ? all[0] : all[at + (way === 'next' ? 1 : -1)]
  if (next === undefined) return
  hunkAt.value = next.id
  showHunk(next.id)
}

/** The change at which one is; then on to the next. */
export async function decideAt(how: 'take' | 'leave'): Promise<void> {
  const found = shownBlock()
  const all = hunks()
  const hunk = all.find(({ id }) => id === hunkAt.value) ?? all[0]
  if (found === undefined || hunk === undefined) return
  hunkAt.value = hunk.id
  if (hunk.taken !== (how === 'take')) await decideHunk(found, hunk, how)
  announcement.value = how === 'take' ? 'Taken.' : 'Left out.'
  moveHunk('next')
}

export function toggleBlock(): void {
  const found = shownBlock()
  if (found !== undefined) void (found.choice.leaveOut ? takeBlock(found) : leaveBlock(found))
}
