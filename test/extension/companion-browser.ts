import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { browserPath } from '../ui/browser.ts'

/** A browser with the extension loaded, driven as a person does it: by the mouse, where the buttons are. */
export interface CompanionBrowser {
  readonly context: BrowserContext
  /** A page of the extension, which may send what the popup sends. */
  readonly own: Page
  /** Types the code into the popup. */
  pair(code: string): Promise<void>
  /** Opens a page and lets the extension run on its site. */
  open(address: string): Promise<Page>
  close(): Promise<void>
}

export async function openBrowser(extension: string): Promise<CompanionBrowser> {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-browser-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: browserPath ?? '',
    viewport: { width: 1000, height: 760 },
    args: [
      // The older headless mode has no extensions.
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
    ],
    ignoreDefaultArgs: ['--disable-extensions'],
  })
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  const home = new URL('.', worker.url()).href
  const [own = await context.newPage()] = context.pages()
  await own.goto(`${home}popup.html`)
  return {
    context,
    own,
    pair: async (code) => {
      await own.locator('#code').fill(code)
      await own.getByRole('button', { name: 'Pair' }).click()
      await own.locator('#paired').waitFor()
    },
    open: async (address) => {
      const page = await context.newPage()
      await page.goto(address)
      await enable(own, address)
      return page
    },
    close: async () => {
      await context.close()
      fs.rmSync(profile, { recursive: true, force: true })
    },
  }
}

/** What the popup does when its button is clicked, for the tab with an address. */
async function enable(own: Page, address: string): Promise<void> {
  await own.evaluate(`(async () => {
    const tab = (await chrome.tabs.query({})).findLast(({ url }) => url === ${JSON.stringify(address)})
    await chrome.runtime.sendMessage({ type: 'enable', tab: tab.id, how: 'always' })
  })()`)
}

interface DomNode {
  readonly nodeId: number
  readonly nodeName: string
  readonly nodeValue?: string
  readonly attributes?: readonly string[]
  readonly children?: readonly DomNode[]
  readonly shadowRoots?: readonly DomNode[]
}

export interface ShownBar {
  /** What it says, without its buttons. */
  readonly said: string
  readonly results: readonly string[]
  readonly buttons: readonly string[]
}

/** Every bar of a page, through the closed shadows, as only the browser's own tools see them. */
export const barsIn = (page: Page): Promise<ShownBar[]> =>
  withTools(page, async (tools) =>
    (await found(tools, '.bar')).map((bar) => ({
      said: textIn(all(bar).find(({ attributes = [] }) => attributes.includes('said'))),
      results: all(bar)
        .filter(({ nodeName }) => nodeName === 'LI')
        .map(textIn),
      buttons: all(bar)
        .filter(({ nodeName }) => nodeName === 'BUTTON')
        .map(textIn),
    })),
  )

async function withTools<T>(page: Page, work: (tools: CDPSession) => Promise<T>): Promise<T> {
  const tools = await page.context().newCDPSession(page)
  try {
    return await work(tools)
  } finally {
    await tools.detach().catch(() => undefined)
  }
}

async function found(tools: CDPSession, query: string): Promise<DomNode[]> {
  await tools.send('DOM.getDocument', { depth: 0 })
  const { searchId, resultCount } = await tools.send('DOM.performSearch', { query, includeUserAgentShadowDOM: true })
  if (resultCount === 0) return []
  const range = { searchId, fromIndex: 0, toIndex: resultCount }
  const { nodeIds } = await tools.send('DOM.getSearchResults', range)
  const nodes = nodeIds.map(async (nodeId) => {
    const { node } = await tools.send('DOM.describeNode', { nodeId, depth: -1, pierce: true })
    return { ...node, nodeId }
  })
  return Promise.all(nodes)
}

const all = (node: DomNode): DomNode[] => [
  node,
  ...[...(node.children ?? []), ...(node.shadowRoots ?? [])].flatMap((child) => all(child)),
]

const textIn = (node: DomNode | undefined): string =>
  node === undefined
    ? ''
    : all(node)
        .map(({ nodeValue = '' }) => nodeValue)
        .join('')

/** Waits for a bar that says something. */
export async function barSaying(page: Page, what: RegExp, seconds = 30): Promise<ShownBar> {
  const until = Date.now() + seconds * 1000
  for (;;) {
    const bars = await barsIn(page)
    const bar = bars.find(({ said }) => what.test(said))
    if (bar !== undefined) return bar
    if (Date.now() > until) throw new Error(`no bar says ${what}: ${JSON.stringify(bars)}`)
    await page.waitForTimeout(20)
  }
}

/** Where a button of the last bar is, in the window. */
export const placeOf = (page: Page, name: RegExp): Promise<{ x: number; y: number }> =>
  withTools(page, async (tools) => {
    const button = (await found(tools, '.bar button')).findLast((node) => name.test(textIn(node)))
    if (button === undefined) throw new Error(`no button ${name}`)
    await tools.send('DOM.scrollIntoViewIfNeeded', { nodeId: button.nodeId })
    const { model } = await tools.send('DOM.getBoxModel', { nodeId: button.nodeId })
    const [x = 0, y = 0] = model.border
    return { x: x + model.width / 2, y: y + model.height / 2 }
  })

/** Moves the pointer to a button of the bar and clicks, as slowly as a quick person. */
export async function press(page: Page, name: RegExp): Promise<void> {
  await page.bringToFront()
  const { x, y } = await placeOf(page, name)
  await page.mouse.move(x, y)
  await page.waitForTimeout(500)
  const now = await placeOf(page, name)
  await page.mouse.click(now.x, now.y)
}

/** The window that asks before the first use on a site. */
export async function confirmation(context: BrowserContext): Promise<Page> {
  const isIt = (page: Page): boolean => page.url().includes('/confirm.html')
  const page = context.pages().find(isIt) ?? (await context.waitForEvent('page', { predicate: isIt }))
  await page.locator('#blocks h2').first().waitFor()
  return page
}
