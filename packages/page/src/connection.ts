import type { OutputEvent, PageState, ReplyPlan, ResultEvent } from '../../clada/src/ui/protocol.ts'
import { ApiError, get, openEvents, noAnswer, postText } from './api.ts'
import { dropReply, type HeldReply, heldReply, holdReply, lostReply } from './held-reply.ts'
import { askForKey, currentKey, shareKey } from './session-key.ts'
import { link, live, marked, notice, output, page, plan, unopened } from './store.ts'
import { stillChecking } from './labels.ts'

/** Listens to the server. When it goes away, the page says so and asks again until it is back. */
export async function connect(): Promise<never> {
  shareKey(() => link.value === 'open')
  // A tab that was opened by hand: another one may know the key.
  if (currentKey() === '') await askOtherTabs(200)
  for (;;) {
    try {
      const stream = await openEvents()
      link.value = 'open'
      if (notice.value?.text === noAnswer) notice.value = null
      for await (const { event, data } of eventsIn(stream)) hearEvent(event, data)
      link.value = 'lost'
    } catch (error) {
      link.value = error instanceof ApiError && error.status === 401 ? 'locked' : 'lost'
    }
    await askOtherTabs(900)
  }
}

/** Asks the other tabs for the key, and gives them some time. */
function askOtherTabs(milliseconds: number): Promise<void> {
  askForKey()
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function hearEvent(event: string, data: string): void {
  if (event === 'state') void applyState(JSON.parse(data))
  else if (event === 'result') {
    if (heard.length === 0) setTimeout(showHeard, 40)
    heard.push(JSON.parse(data))
  } else if (event === 'output') {
    const { task, text }: OutputEvent = JSON.parse(data)
    const before = output.value?.task === task ? output.value.text : ''
    output.value = { task, text: (before + text).slice(-20_000) }
  }
}

/** Results that are not shown yet: a thousand of them need not draw the list a thousand times. */
const heard: ResultEvent[] = []

function showHeard(): void {
  const next = new Map(live.value)
  for (const { revision, task, outcome } of heard.splice(0)) {
    if (revision === plan.value?.revision) next.set(task, outcome)
  }
  live.value = next
}

async function applyState(state: PageState): Promise<void> {
  const before = page.value
  page.value = state
  if (state.running === null && before?.running) output.value = null
  const lost = lostReply(state)
  if (lost !== undefined) return reopenLost(lost)
  const isAnother = before !== null && before.session !== state.session
  if (isAnother || state.plan !== (plan.value?.revision ?? null)) {
    const fresh = state.plan === null ? null : await get<ReplyPlan | null>('/api/plan')
    if (state.plan === null) showPlan(null)
    else if (fresh !== null && (isAnother || fresh.revision >= (plan.value?.revision ?? 0))) showPlan(fresh)
  }
  // A tab that comes later, or again, has not heard them.
  const results = state.running?.results ?? []
  if (results.length > 0)
    live.value = new Map([...live.value, ...results.map(({ task, outcome }) => [task, outcome] as const)])
  await holdReply(state, plan.value)
}

/** `clada ui` was started again: the reply is read again, by the first of the tabs that have it. */
async function reopenLost({ session, name, text }: HeldReply): Promise<void> {
  showPlan(null)
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 300))
  if (page.value?.plan !== null) return
  const fresh = await postText<ReplyPlan | null>(`/api/document?name=${encodeURIComponent(name)}&over=none`, text)
  // Not before: a request that fails must not cost the text. The new server's own may be held already.
  if (heldReply()?.session === session) dropReply()
  if (fresh === null) return
  showPlan(fresh)
  notice.value = {
    text: 'clada ui was started again. The reply was read again; decisions about it are gone.',
    kind: 'info',
  }
}

/** Shows a plan that any tab asked for. */
export function showPlan(fresh: ReplyPlan | null): void {
  const known = new Set(fresh?.blocks.flatMap(({ task, outcome }) => (task === undefined || outcome ? [] : [task])))
  if (fresh?.reply !== plan.value?.reply) unopened.value = null
  plan.value = fresh
  if (!fresh?.isChecking && notice.value?.text === stillChecking) notice.value = null
  live.value = new Map()
  marked.value = new Set([...marked.value].filter((task) => known.has(task)))
}

/** What the server says by itself, one event after another. The browser's own way could not send our key. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<{ event: string; data: string }> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(part) ?? []
      if (event !== undefined && data !== undefined) yield { event, data }
    }
  }
}
