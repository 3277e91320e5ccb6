import { batch, computed, signal } from '@preact/signals'
import type { ApprovalAnswer } from '../../clada/src/core/commands.ts'
import type { Applied, CheckedReply, Progress, RunningProject, UndoneReply } from '../../clada/src/ui/companion.ts'
import type { BlockDetail, BlockState, PlanBlock, Question } from '../../clada/src/ui/protocol.ts'
import { rememberApplied } from './applied.ts'
import { ask, type Link, findLink, pair } from './clada.ts'
import { ExtensionError } from './failure.ts'
import { type ReplyComparison, isReading, type OpenedReply } from './messages.ts'
import { sha256 } from './signed.ts'
import { changeSite } from './sites.ts'
import { tellTab } from './tab.ts'

/** What the panel shows, and the only code of the extension that applies anything. */

export const opened = signal<OpenedReply | null>(null)
export const link = signal<Link | null>(null)
/** The reply as clada reads it. Null until it has answered. */
export const looked = signal<CheckedReply | null>(null)
/** What the page shows now. */
export const comparison = signal<ReplyComparison>('same')
export const running = signal<{ readonly done: number; readonly total: number } | null>(null)
export const questions = signal<readonly Question[]>([])
export const done = signal<Applied | null>(null)
export const undone = signal<UndoneReply | null>(null)
/** Whether an undo was asked for and is not answered yet. */
export const isUndoing = signal(false)
export const notice = signal<{ readonly text: string; readonly kind: 'good' | 'bad' } | null>(null)
/** Whether what is shown has been there long enough to be meant by a click. */
export const isArmed = signal(false)

export const project = computed<RunningProject | undefined>(() =>
  link.value?.kind === 'ready' ? link.value.project : undefined,
)

const works: ReadonlySet<BlockState> = new Set(['ready', 'repaired', 'part', 'approval'])

/** Blocks that Apply would run. */
export const applicable = computed(() =>
  (looked.value?.blocks ?? []).filter(({ task, state }) => task !== undefined && works.has(state)),
)

/** Increases with every reply that is shown, so that answers about an earlier one are not used. */
let turn = 0

/** Shows a reply, and asks clada what it would do. */
export async function show(reply: OpenedReply | null): Promise<void> {
  const isSame = isSameReply(opened.value, reply)
  opened.value = reply
  comparison.value = 'same'
  if (!isSame) {
    forgetOpened()
    undone.value = null
  }
  await check()
}

const isSameReply = (one: OpenedReply | null, other: OpenedReply | null): boolean =>
  one?.text === other?.text && one?.tab === other?.tab && one?.site === other?.site

/**
 * The same reply with the files as they are now. What is shown stays until the answer is there: a click on Undo while the
 * panel was empty for a moment was lost. A notice that came meanwhile is about something newer, and stays.
 */
export async function check(): Promise<void> {
  const mine = ++turn
  const reply = opened.value
  const before = notice.value
  disarm()
  if (reply === null) return
  const renew = (): void => {
    const newer = notice.value === before ? null : notice.value
    forgetOpened()
    notice.value = newer
  }
  try {
    const found = await findLink(reply.site)
    if (mine !== turn) return
    if (found.kind !== 'ready' || found.project.id !== looked.value?.project.id) renew()
    link.value = found
    if (found.kind !== 'ready') return
    const { port, id } = found.project
    const hash = await sha256(reply.text)
    const answer = await ask(port, 'look', { text: reply.text, ...tabPlace(reply) })
    if (mine !== turn) return
    if (answer.hash !== hash || answer.project.id !== id)
      throw new ExtensionError('Another project is running on that port now. Check again.')
    batch(() => {
      renew()
      looked.value = answer
      done.value = answer.done ?? null
      if (answer.isRunning) running.value = { done: 0, total: applicable.value.length }
    })
    arm()
    if (answer.isRunning) void tryAct(() => followProgress(mine, ask(port, 'result', { hash, ...tabPlace(reply) })))
  } catch (error) {
    if (mine !== turn) return
    forgetOpened()
    showMessage(noticeOf(error), 'bad')
  }
}

function forgetOpened(): void {
  looked.value = null
  done.value = null
  running.value = null
  questions.value = []
  notice.value = null
  disarm()
}

const tabPlace = ({ tab, site }: OpenedReply): { tab: number; site: string } => ({ tab, site })

/** One block with its text and its whole diff. */
export async function readDetail({ key }: PlanBlock): Promise<BlockDetail | undefined> {
  const [reply, shown, port] = [opened.value, looked.value, project.value?.port]
  if (reply === null || shown === null || port === undefined) return undefined
  return ask(port, 'block', { hash: shown.hash, key, ...tabPlace(reply) })
}

/** Applies what is shown. A click that comes before it could be read is none. */
export async function apply(): Promise<void> {
  const [reply, shown, port] = [opened.value, looked.value, project.value?.port]
  if (!isArmed.value || reply === null || shown === null || port === undefined || reply.isIncomplete) return
  disarm()
  undone.value = null
  notice.value = null
  const mine = turn
  running.value = { done: 0, total: applicable.value.length }
  await tryAct(async () => {
    const { hash } = shown
    try {
      await followProgress(mine, ask(port, 'apply', { hash, shown: shown.shown, ...tabPlace(reply) }))
    } catch (error) {
      // Files may have changed: what would be applied now is shown instead.
      await check()
      throw error
    }
  })
}

/** Goes on asking until the run has ended. */
async function followProgress(mine: number, first: Promise<Progress>): Promise<void> {
  const [reply, shown, port] = [opened.value, looked.value, project.value?.port]
  if (reply === null || shown === null || port === undefined) return
  const { hash } = shown
  let progress = await first
  while (progress.state === 'running' && mine === turn) {
    const asked = progress.questions.filter(({ id }) => !answered.has(id))
    running.value = { done: progress.done, total: progress.total }
    if (asked.map(({ id }) => id).join() !== questions.value.map(({ id }) => id).join()) {
      questions.value = asked
      disarm()
      if (asked.length > 0) arm()
    }
    await new Promise((resolve) => setTimeout(resolve, asked.length > 0 ? 400 : 30))
    progress = await ask(port, 'result', { hash, ...tabPlace(reply) })
  }
  if (progress.state !== 'done' || mine !== turn) return
  running.value = null
  questions.value = []
  const { state: _, ...result } = progress
  done.value = result
  if (result.results.length === 0) {
    done.value = null
    throw new ExtensionError(result.remarks.join(' ') || 'Nothing was applied.')
  }
  const said = describeOutcome(result)
  await rememberApplied(hash, said)
  await tellTab(reply, { type: 'say', bar: reply.bar, text: said }).catch(() => undefined)
}

/** Questions whose answers are on their way. */
const answered = new Set<number>()

/** For the bar. */
function describeOutcome({ results }: Applied): string {
  const { applied, failed } = countStates(results)
  return [...(applied === 0 ? [] : [`${applied} applied`]), ...(failed === 0 ? [] : [`${failed} failed`])].join(', ')
}

export function countStates(results: Applied['results']): { readonly applied: number; readonly failed: number } {
  const failed = results.filter(({ success }) => !success).length
  return { applied: results.length - failed, failed }
}

export async function sendApproval({ id }: Question, said: ApprovalAnswer): Promise<void> {
  if (!isArmed.value) return
  await withReply(async (reply, { hash }, port) => {
    answered.add(id)
    questions.value = questions.value.filter((one) => one.id !== id)
    await ask(port, 'answer', { hash, id, answer: said, ...tabPlace(reply) })
  })
}

export const stopClada = (): Promise<void> =>
  withReply(async (reply, { hash }, port) => void (await ask(port, 'stop', { hash, ...tabPlace(reply) })))

export const undoApplied = (): Promise<void> =>
  withReply(async (reply, { hash }, port) => {
    notice.value = null
    isUndoing.value = true
    try {
      const result = await ask(port, 'undo', { hash, ...tabPlace(reply) })
      if (result.success) {
        await rememberApplied(hash, undefined)
        await tellTab(reply, { type: 'say', bar: reply.bar, text: 'Undone' }).catch(() => undefined)
        await check()
      }
      if (isSameReply(opened.value, reply)) undone.value = result
    } finally {
      isUndoing.value = false
    }
  })

/** Puts the report into the field for the next message; the user sends it. */
export const insertReport = (): Promise<void> =>
  withReply(async (reply) => {
    const text = done.value?.answer
    if (text === undefined) return
    const isThere = await tellTab(reply, { type: 'insert', text }).catch(() => false)
    if (isThere === true) return showMessage('The report is in the message field. Send it when you like.', 'good')
    await navigator.clipboard.writeText(text)
    showMessage('The page has no message field that could be found, so the report was copied.', 'good')
  })

export const copyResults = (): Promise<void> =>
  withReply(async (reply, { hash }, port) => {
    const known = done.value?.answer
    const text = known ?? answerOfProgress(await ask(port, 'result', { hash, ...tabPlace(reply) }))
    await navigator.clipboard.writeText(text)
    showMessage('Copied.', 'good')
  })

const answerOfProgress = (progress: Progress): string => (progress.state === 'done' ? progress.answer : '')

/** Opens the page of clada on this reply, for choices that the panel does not have. */
export const openInPage = (): Promise<void> =>
  withReply(async (reply, { hash }, port) => {
    const tabs = await chrome.tabs.query({ url: 'http://127.0.0.1/*' })
    const open = tabs.find(({ url = '' }) => url.startsWith(`http://127.0.0.1:${port}/`))
    const { address } = await ask(port, 'show', { hash, hasTab: open !== undefined, ...tabPlace(reply) })
    if (address !== undefined) await chrome.tabs.create({ url: address })
    else if (open?.id !== undefined) await chrome.tabs.update(open.id, { active: true })
  })

export async function choose(id: string): Promise<void> {
  const reply = opened.value
  if (reply === null) return
  await changeSite(reply.site, { project: id })
  await check()
}

export const pairWith = (code: string): Promise<void> =>
  tryAct(async () => {
    await pair(code)
    await check()
  })

/** Takes the text that the page shows now. */
export const readAgain = (): Promise<void> =>
  tryAct(async () => {
    const reply = opened.value
    if (reply === null) return
    const reading = await tellTab(reply, { type: 'read', bar: reply.bar })
    if (!isReading(reading)) throw new ExtensionError('The reply is not on the page any more.')
    const { text, left, isIncomplete } = reading
    await show({ ...reply, text, left, isIncomplete })
  })

/** Asks the page whether it still shows what is shown here. */
export async function compareReadings(): Promise<void> {
  const reply = opened.value
  if (reply === null || document.visibilityState !== 'visible') return
  const mine = turn
  const found = await tellTab(reply, { type: 'compare', bar: reply.bar }).catch(() => 'gone')
  if (mine === turn) comparison.value = found === 'same' || found === 'changed' ? found : 'gone'
}

const showMessage = (text: string, kind: 'good' | 'bad'): void => void (notice.value = { text, kind })

async function tryAct(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    showMessage(noticeOf(error), 'bad')
  }
}

const noticeOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const withReply = (act: (reply: OpenedReply, shown: CheckedReply, port: number) => Promise<void>): Promise<void> =>
  tryAct(async () => {
    const [reply, shown, port] = [opened.value, looked.value, project.value?.port]
    if (reply !== null && shown !== null && port !== undefined) await act(reply, shown, port)
  })

let arming: ReturnType<typeof setTimeout> | undefined

function disarm(): void {
  clearTimeout(arming)
  arming = undefined
  isArmed.value = false
}

/** Milliseconds for which what is shown must be there, without any click or key, before a click is meant for it. */
const armsAfter = 700

function arm(): void {
  disarm()
  arming = setTimeout(() => (isArmed.value = true), armsAfter)
}

/**
 * A page can make people click quickly at a place where the panel is about to appear. Such clicks never come to rest, so
 * each one begins the waiting anew.
 */
export function waitForRest(): void {
  const restart = (): void => {
    if (arming !== undefined && !isArmed.value) arm()
  }
  for (const event of ['pointerdown', 'keydown']) window.addEventListener(event, restart, true)
}
