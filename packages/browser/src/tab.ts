import { ExtensionError } from './failure.ts'
import type { ToTab } from './messages.ts'

/** Says something to a tab, if it still shows the same site. */
export async function tellTab({ tab, site }: { tab: number; site: string }, message: ToTab): Promise<unknown> {
  const { url = '' } = await chrome.tabs.get(tab)
  if (!URL.canParse(url) || new URL(url).origin !== site) throw new ExtensionError('The tab shows another site now.')
  return chrome.tabs.sendMessage(tab, message, { frameId: 0 })
}

export async function findSiteOfTab(tab: number): Promise<string> {
  const { url = '' } = await chrome.tabs.get(tab)
  if (!/^https?:/.test(url)) throw new ExtensionError('This tab shows no web page.')
  return new URL(url).origin
}

/** Runs the script of the extension in a tab. */
export const inject = (tab: number): Promise<unknown> =>
  chrome.scripting.executeScript({ target: { tabId: tab }, files: ['content.js'], world: 'ISOLATED' })
