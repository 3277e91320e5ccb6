import { findApplied } from './applied.ts'
import {
  type BlockSummary,
  type FromPopup,
  type FromTab,
  isReading,
  longestReply,
  type OpenedReply,
  type ToPanel,
} from './messages.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { sha256 } from './signed.ts'
import { changeSite, findSite, sites } from './sites.ts'
import { readSummary } from './summary.ts'
import { inject, findSiteOfTab } from './tab.ts'

/**
 * The service worker: reads replies, and opens the panel. It never talks to clada; only the panel and the popup do, which no
 * page can touch. Tabs ask by messages, which pages cannot send; the tab and the site of a request are those that the
 * browser names.
 */

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  const answer = answerTo(message, sender)
  if (answer === undefined) return undefined
  answer.then(respond, (error: unknown) => respond({ failed: error instanceof Error ? error.message : String(error) }))
  return true
})
chrome.runtime.onInstalled.addListener(() => void registerScripts())
chrome.runtime.onStartup.addListener(() => void registerScripts())
// Otherwise the scripts in pages could read the key.
void chrome.storage.local.setAccessLevel?.({ accessLevel: 'TRUSTED_CONTEXTS' })

function answerTo(message: unknown, { id, url = '', frameId, tab }: chrome.Sender): Promise<unknown> | undefined {
  if (id !== chrome.runtime.id || !isRecord(message)) return undefined
  if (url.startsWith(chrome.runtime.getURL(''))) {
    const asked = popupRequest(message)
    return asked && enable(asked)
  }
  const asked = tabRequest(message)
  const { origin, protocol } = new URL(url)
  // Nothing in a frame, whose surroundings may be anybody's.
  if (asked === undefined || frameId !== 0 || tab?.id === undefined || !/^https?:$/.test(protocol)) return undefined
  // At once: the browser opens a panel only during a click.
  const opening = asked.type === 'open' ? openPanel(tab.windowId) : undefined
  return answerTab(asked, { tab: tab.id, window: tab.windowId, site: origin, opening })
}

interface PanelTarget {
  readonly tab: number
  readonly window: number
  readonly site: string
  readonly opening: Promise<unknown> | undefined
}

async function answerTab(asked: FromTab, { tab, window, site, opening }: PanelTarget): Promise<unknown> {
  if ((await findSite(site)).enabled === 'off') return undefined
  switch (asked.type) {
    case 'hello':
      return true
    case 'found':
      return summarizeFound(asked.text)
    case 'open': {
      const { bar, text, left, isIncomplete } = asked
      if (text.length > longestReply) throw new Error('This reply is too long to review here. Copy it into clada ui.')
      await chrome.storage.session.set({
        [openedKey(window)]: {
          id: crypto.randomUUID(),
          tab,
          site,
          bar,
          text,
          left,
          isIncomplete,
        } satisfies OpenedReply,
      })
      await opening
      return true
    }
  }
}

/** Where the panel of a window finds the reply to show. */
const openedKey = (window: number): string => `opened-${window}`

async function summarizeFound(text: string): Promise<BlockSummary | undefined> {
  const summary = readSummary(text)
  if (summary === undefined) return undefined
  const before = await findApplied(await sha256(text))
  return { summary, before }
}

/**
 * Opens the extension's own surface beside a page. Firefox opens its sidebar only by a click on the extension itself, so
 * there, unless the sidebar is open, it is a window.
 */
async function openPanel(window: number): Promise<void> {
  if (chrome.sidePanel !== undefined) return chrome.sidePanel.open({ windowId: window })
  const asked: ToPanel = { type: 'panel', window }
  const isOpen = await chrome.runtime.sendMessage(asked).catch(() => false)
  if (isOpen === true) return
  const { left = 0, top = 0, width = 1200, height = 900 } = await chrome.windows.get(window)
  await chrome.windows.create({
    url: chrome.runtime.getURL(`panel.html?window=${window}`),
    type: 'popup',
    left: left + Math.max(0, width - panelWidth),
    top,
    width: panelWidth,
    height,
  })
}

const panelWidth = 520

async function enable({ tab, how }: FromPopup): Promise<unknown> {
  await changeSite(await findSiteOfTab(tab), { enabled: how })
  await registerScripts()
  return how === 'off' ? undefined : inject(tab)
}

/** As the browsers write a site for permissions: without a port. */
const patternOfOrigin = (origin: string): string => {
  const { protocol, hostname } = new URL(origin)
  return `${protocol}//${hostname}/*`
}

/** The script runs on the sites that the user has chosen, and on no other. */
async function registerScripts(): Promise<void> {
  const before = await chrome.scripting.getRegisteredContentScripts()
  if (before.length > 0) await chrome.scripting.unregisterContentScripts({ ids: before.map(({ id }) => id) })
  const always = Object.entries(await sites()).flatMap(([origin, site]) => (site.enabled === 'always' ? [origin] : []))
  const matches = [...new Set(always.map(patternOfOrigin))]
  if (matches.length === 0) return
  await chrome.scripting.registerContentScripts([
    {
      id: 'content',
      js: ['content.js'],
      runAt: 'document_idle',
      world: 'ISOLATED',
      matches,
      allFrames: false,
      persistAcrossSessions: true,
    },
  ])
}

function tabRequest(message: Readonly<Record<string, unknown>>): FromTab | undefined {
  const { type, text, bar } = message
  if (type === 'hello') return { type }
  if (type === 'found' && typeof text === 'string') return { type, text }
  if (type !== 'open' || typeof bar !== 'string' || !isReading(message)) return undefined
  return { type, bar, text: message.text, left: message.left, isIncomplete: message.isIncomplete }
}

function popupRequest({ type, tab, how }: Readonly<Record<string, unknown>>): FromPopup | undefined {
  if (type !== 'enable' || typeof tab !== 'number') return undefined
  return how === 'always' || how === 'once' || how === 'off' ? { type, tab, how } : undefined
}
