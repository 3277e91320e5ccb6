import type { RunningProject } from '../../clada/src/ui/companion.ts'
import { ask, readKey, findLink, pair, listRunningProjects, Unpaired } from './clada.ts'
import { ExtensionError } from './failure.ts'
import type { FromPopup } from './messages.ts'
import { withShownErrors, byId, showText } from './own-page.ts'
import { changeSite, findSite } from './sites.ts'
import { inject, findSiteOfTab, tellTab } from './tab.ts'

/** The icon's window: pairing, the sites, the project of a site, and the prompt. */

const on = (id: string, event: string, act: () => Promise<void>): void => {
  const run = withShownErrors(act)
  byId(id, HTMLElement).addEventListener(event, (happened) => {
    happened.preventDefault()
    run()
  })
}

/** The window that the popup is about. */
let shownWindow = -1

withShownErrors(renderPopup)()

async function currentTab(): Promise<chrome.Tab & { readonly id: number }> {
  const [tab] = await chrome.tabs.query({ active: true, lastFocusedWindow: true })
  return { ...tab, windowId: tab?.windowId ?? -1, id: tab?.id ?? -1 }
}

async function renderPopup(): Promise<void> {
  const { id: tab, windowId } = await currentTab()
  shownWindow = windowId
  const site = await findSiteOfTab(tab).catch(() => undefined)
  const { enabled, project } = site === undefined ? { enabled: 'off', project: undefined } : await findSite(site)
  const projects = await listIfPaired()
  byId('pairing', HTMLElement).hidden = projects !== undefined
  byId('paired', HTMLElement).hidden = projects === undefined
  byId('site', HTMLElement).textContent = site ?? 'this page, which is not a web page'
  byId('always', HTMLButtonElement).hidden = site === undefined || enabled !== 'off'
  byId('off', HTMLButtonElement).hidden = site === undefined || enabled === 'off'
  const options = (projects ?? []).map(
    ({ id, name, port }) => new Option(`${name} (port ${port})`, id, false, id === project),
  )
  if (!options.some(({ value }) => value === project)) options.unshift(new Option('Choose…', ''))
  byId('project', HTMLSelectElement).replaceChildren(...options)
  if (projects?.length === 0) showText('clada is not running. Start clada ui in your project.')
}

/** Undefined if this extension is not paired. */
async function listIfPaired(): Promise<readonly RunningProject[] | undefined> {
  if ((await readKey()) === undefined) return undefined
  return listRunningProjects().catch((error: unknown) => {
    if (error instanceof Unpaired) return undefined
    throw error
  })
}

on('pairing', 'submit', async () => {
  const { name } = await pair(byId('code', HTMLInputElement).value)
  showText(`Paired with ${name}.`)
  await renderPopup()
})

on('always', 'click', async () => {
  // Firefox opens its sidebar only during such a click. It stays open, and the bars use it.
  const opened = chrome.sidebarAction?.open().catch(() => undefined)
  const { protocol, hostname } = new URL(byId('site', HTMLElement).textContent)
  const isAllowed = await chrome.permissions.request({ origins: [`${protocol}//${hostname}/*`] })
  const { id: tab } = await currentTab()
  const request: FromPopup = { type: 'enable', tab, how: isAllowed ? 'always' : 'once' }
  await chrome.runtime.sendMessage(request)
  await opened
  showText(isAllowed ? '' : 'Without the permission it works in this tab until it is reloaded.')
  await renderPopup()
})

// Without waiting for anything: browsers open a panel only during a click.
byId('panel', HTMLElement).addEventListener('click', () => {
  const opening = chrome.sidebarAction?.open() ?? chrome.sidePanel?.open({ windowId: shownWindow })
  withShownErrors(async () => opening)()
})

on('off', 'click', async () => {
  const request: FromPopup = { type: 'enable', tab: (await currentTab()).id, how: 'off' }
  await chrome.runtime.sendMessage(request)
  showText('Reload the page to remove the bars.')
  await renderPopup()
})

on('project', 'change', async () => {
  const project = byId('project', HTMLSelectElement).value
  if (project !== '') await changeSite(await findSiteOfTab((await currentTab()).id), { project })
  await renderPopup()
})

on('prompting', 'submit', async () => {
  const { id: tab } = await currentTab()
  const site = await findSiteOfTab(tab)
  const link = await findLink(site)
  if (link.kind !== 'ready') throw new ExtensionError('Choose a project that is running.')
  const { text } = await ask(link.project.port, 'prompt', { task: byId('task', HTMLTextAreaElement).value })
  const isEnabled = (await findSite(site)).enabled !== 'off'
  if (isEnabled) {
    await inject(tab)
    if ((await tellTab({ tab, site }, { type: 'insert', text })) === true)
      return showText('The prompt is in the field.')
  }
  await navigator.clipboard.writeText(text)
  showText('The prompt is copied: the page has no message field.')
})

on('forget', 'click', async () => {
  const [one] = (await listIfPaired()) ?? []
  if (one !== undefined) await ask(one.port, 'forget', {})
  await chrome.storage.local.remove('key')
  await renderPopup()
})
