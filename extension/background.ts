import type { Looked, Progress } from '../src/ui/companion.ts'
import { ask, Failure, keptKey, pair, running, Unpaired } from './clada.ts'
import {
  type Decision,
  type Found,
  type FromOwn,
  type FromTab,
  isRecord,
  type PopupState,
  type Step,
  type ToTab,
  type Waiting,
} from './messages.ts'
import { sha256 } from './signed.ts'
import { summaryOf } from './summary.ts'

/**
 * The service worker: the only part that talks to clada. Tabs ask it by messages, which pages cannot send; the tab and the
 * site of a request are those that the browser names.
 */

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  answerTo(message, sender).then(respond, (error: unknown) => {
    const why = error instanceof Failure ? error.message : `The extension itself failed: ${String(error)}`
    respond({ step: 'failed', why } satisfies Step)
  })
  return true
})
chrome.runtime.onInstalled.addListener(() => void registerScripts())
chrome.runtime.onStartup.addListener(() => void registerScripts())
// Otherwise the scripts in pages could read the key.
void chrome.storage.local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' })

interface Place {
  readonly tab: number
  readonly site: string
}

/** What is remembered of a site. */
interface Site {
  readonly enabled: 'always' | 'once' | 'off'
  /** The project whose replies it shows. */
  readonly project?: string
  /** Whether the content of blocks was shown once, and applied. */
  readonly trusted?: boolean
}

async function answerTo(message: unknown, { id, url = '', frameId, tab }: chrome.Sender): Promise<unknown> {
  if (id !== chrome.runtime.id || !isRecord(message)) return undefined
  if (url.startsWith(chrome.runtime.getURL(''))) {
    const asked = ownRequest(message)
    return asked && answerOwn(asked)
  }
  const asked = tabRequest(message)
  const { origin, protocol } = new URL(url)
  // Nothing in a frame, whose surroundings may be anybody's.
  if (asked === undefined || frameId !== 0 || tab?.id === undefined || !/^https?:$/.test(protocol)) return undefined
  if ((await siteOf(origin)).enabled === 'off') return undefined
  return answerTab(asked, { tab: tab.id, site: origin })
}

async function answerTab(asked: FromTab, place: Place): Promise<unknown> {
  switch (asked.type) {
    case 'hello':
      return true
    case 'found':
      return found(asked.text)
    case 'preview':
      return preview(asked, place)
    case 'apply':
      return apply(asked, place)
    case 'answer': {
      const { port } = await looked(asked, place)
      return stepOf(asked.hash, await ask(port, 'result', { hash: asked.hash, ...place }))
    }
    case 'result':
      return stepOf(asked.hash, await ask((await project(place.site)).port, 'result', { hash: asked.hash, ...place }))
  }
}

async function found(text: string): Promise<Found | undefined> {
  const summary = summaryOf(text)
  if (summary === undefined) return undefined
  const hash = await sha256(text)
  const before = (await appliedBefore())[hash]
  return { hash, summary, ...(before === undefined ? {} : { before }) }
}

/** Sends a reply to clada, which shows it and applies nothing. */
async function looked(
  { text, hash }: { readonly text: string; readonly hash: string },
  place: Place,
): Promise<Looked & { port: number }> {
  if ((await sha256(text)) !== hash) throw new Failure('The reply has changed since it was shown here.')
  const chosen = await project(place.site)
  const answer = await ask(chosen.port, 'look', { text, ...place })
  if (answer.hash !== hash || answer.project.id !== chosen.id)
    throw new Failure('Another project is running on that port now. Choose the project again: click the icon.')
  return { ...answer, port: chosen.port }
}

async function preview(asked: { readonly text: string; readonly hash: string }, place: Place): Promise<Step> {
  const { port } = await looked(asked, place)
  const tabs = await chrome.tabs.query({ url: 'http://127.0.0.1/*' })
  const open = tabs.find(({ url = '' }) => url.startsWith(`http://127.0.0.1:${port}/`))
  const { address } = await ask(port, 'show', { hash: asked.hash, hasTab: open !== undefined, ...place })
  if (address !== undefined) await chrome.tabs.create({ url: address })
  else if (open?.id !== undefined) {
    await chrome.tabs.update(open.id, { active: true })
    await chrome.windows.update(open.windowId, { focused: true })
  }
  return { step: 'shown' }
}

async function apply(asked: FromTab & { readonly type: 'apply' }, place: Place): Promise<Step> {
  const { text, hash, seen } = asked
  const { trusted = false } = await siteOf(place.site)
  const answer = await looked(asked, place)
  const { done, port, project: shown, blocks, fatal } = answer
  if (done !== undefined) return { step: 'done', ...done }
  if (trusted && seen) return stepOf(hash, await ask(port, 'apply', { hash, ...place }))
  const waiting: Waiting = {
    site: place.site,
    project: shown.name,
    why: trusted ? 'not seen' : 'new site',
    blocks,
    ...(fatal === undefined ? {} : { fatal }),
  }
  await askFirst({ ...place, port, hash, text, waiting })
  return { step: 'asking' }
}

/** What waits for a yes in a window of its own, which no page can cover or touch. */
interface Asked extends Place {
  readonly port: number
  readonly hash: string
  readonly text: string
  readonly waiting: Waiting
}

/** One at a time: a second one takes the place of the first. */
async function askFirst(asked: Asked): Promise<void> {
  const id = crypto.randomUUID()
  const { asking } = await chrome.storage.session.get('asking')
  const url = chrome.runtime.getURL(`confirm.html#${id}`)
  const opened = isRecord(asking) && typeof asking['window'] === 'number' ? asking['window'] : undefined
  const isOpen = opened !== undefined && (await focused(opened))
  // A window that is open hears of it by its storage.
  const window = isOpen ? opened : (await chrome.windows.create({ url, type: 'popup', width: 760, height: 680 })).id
  await chrome.storage.session.set({ asking: { id, window, asked } })
  if (isOpen) await chrome.runtime.sendMessage({ type: 'asking', id }).catch(() => undefined)
}

const focused = (window: number): Promise<boolean> =>
  chrome.windows.update(window, { focused: true }).then(
    () => true,
    () => false,
  )

async function askedBy(id: string): Promise<Asked | undefined> {
  // The window may ask before it is written down who opened it.
  for (let tries = 0; tries < 20; tries++) {
    const { asking } = await chrome.storage.session.get('asking')
    const entry: { id?: string; asked?: Asked } = isRecord(asking) ? asking : {}
    if (entry.id === id && entry.asked !== undefined) return entry.asked
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return undefined
}

async function decide(id: string, answer: Decision): Promise<Step> {
  const asked = await askedBy(id)
  if (asked === undefined) throw new Failure('This question is no longer open.')
  await chrome.storage.session.remove('asking')
  const { port, hash, tab, site } = asked
  const tell = (progress: Step): Promise<unknown> => tellTab({ tab, site }, { type: 'progress', hash, progress })
  if (answer === 'no') {
    await tell({ step: 'declined' })
    return { step: 'declined' }
  }
  try {
    const step = await stepOf(hash, await ask(port, 'apply', { hash, tab, site }))
    await changeSite(site, { trusted: true })
    await tell(step)
    if (answer === 'insert' && step.step === 'done') await tellTab({ tab, site }, { type: 'insert', text: step.answer })
    return step
  } catch (error) {
    const why = error instanceof Failure ? error.message : String(error)
    await tell({ step: 'failed', why })
    throw error
  }
}

/** Says something to a tab, if it still shows the same site. */
async function tellTab({ tab, site }: Place, message: ToTab): Promise<unknown> {
  const { url = '' } = await chrome.tabs.get(tab)
  if (!URL.canParse(url) || new URL(url).origin !== site) throw new Failure('The tab shows another site by now.')
  return chrome.tabs.sendMessage(tab, message, { frameId: 0 })
}

async function stepOf(hash: string, progress: Progress): Promise<Step> {
  if (progress.state === 'running') {
    const { done, total, questions } = progress
    return { step: 'running', done, total, questions }
  }
  const { results, answer } = progress
  if (results.length > 0) await remember(hash, results)
  return { step: 'done', results, answer }
}

async function appliedBefore(): Promise<Record<string, Found['before']>> {
  const { applied } = await chrome.storage.local.get('applied')
  return isRecord(applied) ? JSON.parse(JSON.stringify(applied)) : {}
}

async function remember(hash: string, results: readonly { readonly success: boolean }[]): Promise<void> {
  const succeeded = results.filter(({ success }) => success).length
  const { [hash]: _, ...others } = await appliedBefore()
  const applied = Object.entries(others).slice(1 - mostRemembered)
  const own = { succeeded, failed: results.length - succeeded }
  await chrome.storage.local.set({ applied: { ...Object.fromEntries(applied), [hash]: own } })
}

const mostRemembered = 500

/** The project of a site, where it is running now. The only one that is running is chosen without a question. */
async function project(site: string): Promise<{ id: string; port: number }> {
  if ((await keptKey()) === undefined) throw new Failure('Pair this extension with clada first: click its icon.')
  const [all, { project: chosen }] = await Promise.all([running(), siteOf(site)])
  const [only] = all
  if (only === undefined) throw new Failure('clada is not running. Start clada ui in your project.')
  if (chosen === undefined && all.length === 1) {
    await changeSite(site, { project: only.id })
    return only
  }
  const one = all.find(({ id }) => id === chosen)
  if (one !== undefined) return one
  throw new Failure(
    chosen === undefined
      ? 'Several projects are running. Choose one: click the icon of the extension.'
      : 'The project of this site is not running. Start clada ui in it, or choose another: click the icon.',
  )
}

async function sites(): Promise<Record<string, Site>> {
  const kept = await chrome.storage.local.get('sites')
  return isRecord(kept['sites']) ? JSON.parse(JSON.stringify(kept['sites'])) : {}
}

const siteOf = async (origin: string): Promise<Site> => (await sites())[origin] ?? { enabled: 'off' }

async function changeSite(origin: string, change: Partial<Site>): Promise<void> {
  const all = await sites()
  await chrome.storage.local.set({ sites: { ...all, [origin]: { ...(all[origin] ?? { enabled: 'off' }), ...change } } })
}

/** As the browsers write a site for permissions: without a port. */
const patternOf = (origin: string): string => {
  const { protocol, hostname } = new URL(origin)
  return `${protocol}//${hostname}/*`
}

/** The scripts run on the sites that the user has chosen, and on no other. */
async function registerScripts(): Promise<void> {
  const before = await chrome.scripting.getRegisteredContentScripts()
  if (before.length > 0) await chrome.scripting.unregisterContentScripts({ ids: before.map(({ id }) => id) })
  const always = Object.entries(await sites()).flatMap(([origin, { enabled }]) =>
    enabled === 'always' ? [origin] : [],
  )
  const matches = [...new Set(always.map(patternOf))]
  if (matches.length === 0) return
  const common = { matches, allFrames: false, persistAcrossSessions: true } as const
  await chrome.scripting.registerContentScripts([
    { id: 'content', js: ['content.js'], runAt: 'document_idle', world: 'ISOLATED', ...common },
    { id: 'copied', js: ['copied.js'], runAt: 'document_start', world: 'MAIN', ...common },
  ])
}

async function inject(tab: number): Promise<void> {
  await chrome.scripting.executeScript({ target: { tabId: tab }, files: ['copied.js'], world: 'MAIN' })
  await chrome.scripting.executeScript({ target: { tabId: tab }, files: ['content.js'], world: 'ISOLATED' })
}

async function answerOwn(asked: FromOwn): Promise<unknown> {
  switch (asked.type) {
    case 'state':
      return popupState(asked.tab)
    case 'pair':
      return pair(asked.code)
    case 'forget': {
      await Promise.all(
        ((await running().catch(unlessUnpaired)) ?? []).slice(0, 1).map(({ port }) => ask(port, 'forget', {})),
      )
      return chrome.storage.local.remove('key')
    }
    case 'enable': {
      await changeSite(await siteIn(asked.tab), { enabled: asked.how })
      await registerScripts()
      return asked.how === 'off' ? undefined : inject(asked.tab)
    }
    case 'choose':
      return changeSite(await siteIn(asked.tab), { project: asked.project })
    case 'prompt': {
      const site = await siteIn(asked.tab)
      const { port } = await project(site)
      const { text } = await ask(port, 'prompt', { task: asked.task })
      if ((await siteOf(site)).enabled === 'off') return { text }
      await inject(asked.tab)
      return tellTab({ tab: asked.tab, site }, { type: 'insert', text })
    }
    case 'waiting':
      return (await askedBy(asked.id))?.waiting
    case 'decide':
      return decide(asked.id, asked.answer)
  }
}

async function siteIn(tab: number): Promise<string> {
  const { url = '' } = await chrome.tabs.get(tab)
  if (!/^https?:/.test(url)) throw new Failure('This tab shows no web page.')
  return new URL(url).origin
}

async function popupState(tab: number): Promise<PopupState> {
  const site = await siteIn(tab).catch(() => undefined)
  const { enabled, project: chosen }: Site = site === undefined ? { enabled: 'off' } : await siteOf(site)
  const isKept = (await keptKey()) !== undefined
  // Whoever is not known any more pairs again.
  const projects = isKept ? await running().catch(unlessUnpaired) : undefined
  return {
    paired: projects !== undefined,
    enabled,
    projects: projects ?? [],
    ...(site === undefined ? {} : { site }),
    ...(chosen === undefined ? {} : { chosen }),
  }
}

function unlessUnpaired(error: unknown): undefined {
  if (!(error instanceof Unpaired)) throw error
}

function tabRequest(message: Readonly<Record<string, unknown>>): FromTab | undefined {
  const { type, text, hash, seen } = message
  if (type === 'hello') return { type }
  if (type === 'result' && typeof hash === 'string') return { type, hash }
  if (typeof text !== 'string') return undefined
  if (type === 'found') return { type, text }
  if (typeof hash !== 'string') return undefined
  if (type === 'preview' || type === 'answer') return { type, text, hash }
  return type === 'apply' ? { type, text, hash, seen: seen === true } : undefined
}

function ownRequest(message: Readonly<Record<string, unknown>>): FromOwn | undefined {
  const { type, tab, code, how, project: chosen, task, id, answer } = message
  if (type === 'forget') return { type }
  if (type === 'pair' && typeof code === 'string') return { type, code }
  if (type === 'waiting' && typeof id === 'string') return { type, id }
  if (type === 'decide' && typeof id === 'string')
    return { type, id, answer: answer === 'yes' || answer === 'insert' ? answer : 'no' }
  if (typeof tab !== 'number') return undefined
  if (type === 'state') return { type, tab }
  if (type === 'choose' && typeof chosen === 'string') return { type, tab, project: chosen }
  if (type === 'prompt' && typeof task === 'string') return { type, tab, task }
  if (type === 'enable' && (how === 'always' || how === 'once' || how === 'off')) return { type, tab, how }
  return undefined
}
