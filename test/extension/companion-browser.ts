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

/** What every bar of a page says, through the closed shadows, as only the browser's own tools see them. */
export const barsIn = (page: Page): Promise<string[]> =>
  withTools(page, async (tools) =>
    (await found(tools, 'button.bar')).map((bar) =>
      textIn(all(bar).find(({ attributes = [] }) => attributes.includes('said'))),
    ),
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
export async function barSaying(page: Page, what: RegExp, seconds = 30): Promise<string> {
  const until = Date.now() + seconds * 1000
  for (;;) {
    const bars = await barsIn(page)
    const bar = bars.find((said) => what.test(said))
    if (bar !== undefined) return bar
    if (Date.now() > until) throw new Error(`no bar says ${what}: ${JSON.stringify(bars)}`)
    await page.waitForTimeout(20)
  }
}

/** Where the last bar of a page is, in the window. */
export const placeOfBar = (page: Page): Promise<{ x: number; y: number }> =>
  withTools(page, async (tools) => {
    const bar = (await found(tools, 'button.bar')).at(-1)
    if (bar === undefined) throw new Error('no bar')
    await tools.send('DOM.scrollIntoViewIfNeeded', { nodeId: bar.nodeId })
    const { model } = await tools.send('DOM.getBoxModel', { nodeId: bar.nodeId })
    const [x = 0, y = 0] = model.border
    return { x: x + model.width / 2, y: y + model.height / 2 }
  })

/** Clicks on the last bar of a page. */
export async function pressBar(page: Page): Promise<void> {
  await page.bringToFront()
  const { x, y } = await placeOfBar(page)
  await page.mouse.click(x, y)
}

/** The extension's panel beside the page, which Playwright has no page for. */
export class Panel {
  readonly #tools: CDPSession
  readonly #session: string
  readonly #waiting = new Map<number, (message: { result?: unknown; error?: unknown }) => void>()
  #last = 0

  private constructor(tools: CDPSession, session: string) {
    this.#tools = tools
    this.#session = session
    tools.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
      if (sessionId !== session) return
      const { id, ...answer } = JSON.parse(message)
      this.#waiting.get(id)?.(answer)
    })
  }

  /** Waits until it is open. */
  static async of(context: BrowserContext): Promise<Panel> {
    const browser = context.browser()
    if (browser === null) throw new Error('no browser')
    const tools = await browser.newBrowserCDPSession()
    for (let tries = 0; tries < 400; tries++) {
      const { targetInfos } = await tools.send('Target.getTargets')
      const target = targetInfos.find(({ type, url }) => type === 'page' && url.endsWith('/panel.html'))
      if (target !== undefined) {
        const { sessionId } = await tools.send('Target.attachToTarget', { targetId: target.targetId, flatten: false })
        const panel = new Panel(tools, sessionId)
        // So that no colour is on its way to another one when it is looked at.
        const features = [{ name: 'prefers-reduced-motion', value: 'reduce' }]
        await panel.send('Emulation.setEmulatedMedia', { features })
        return panel
      }
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error('the panel is not open')
  }

  async send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#last
    const answer = new Promise<{ result?: unknown; error?: unknown }>((resolve) => this.#waiting.set(id, resolve))
    const message = JSON.stringify({ id, method, params })
    await this.#tools.send('Target.sendMessageToTarget', { sessionId: this.#session, message })
    const { result, error } = await answer
    if (error !== undefined) throw new Error(JSON.stringify(error))
    return result
  }

  async evaluate(expression: string): Promise<unknown> {
    const params = { expression, returnByValue: true, awaitPromise: true }
    return Reflect.get(Object(Reflect.get(Object(await this.send('Runtime.evaluate', params)), 'result')), 'value')
  }

  async text(): Promise<string> {
    return String(await this.evaluate('document.body.innerText'))
  }

  /** Waits until it says something. */
  async saying(what: RegExp, seconds = 20): Promise<string> {
    const until = Date.now() + seconds * 1000
    for (;;) {
      const text = await this.text()
      if (what.test(text)) return text
      if (Date.now() > until) throw new Error(`the panel does not say ${what}: ${text}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }

  /** Waits until an expression is true in it. */
  async until(expression: string, seconds = 20): Promise<void> {
    const until = Date.now() + seconds * 1000
    while ((await this.evaluate(expression)) !== true) {
      if (Date.now() > until) throw new Error(`not so in the panel: ${expression}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }

  /** Clicks on a button as soon as it can be. */
  async press(name: string, seconds = 20): Promise<void> {
    const until = Date.now() + seconds * 1000
    const find = `(() => {
      const button = [...document.querySelectorAll('button, summary')].find((one) => new RegExp(${JSON.stringify(name)}).test(one.innerText) && !one.disabled)
      button?.scrollIntoView({ block: 'center' })
      const { x, y, width, height } = button?.getBoundingClientRect() ?? {}
      return button && [x + width / 2, y + height / 2]
    })()`
    for (;;) {
      const place = await this.evaluate(find)
      if (Array.isArray(place)) return this.click(Number(place[0]), Number(place[1]))
      if (Date.now() > until) throw new Error(`no button ${name}: ${await this.text()}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }

  async click(x: number, y: number): Promise<void> {
    await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y })
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 })
  }

  async screenshot(): Promise<Buffer> {
    const shot = await this.send('Page.captureScreenshot', { format: 'png' })
    return Buffer.from(String(Reflect.get(Object(shot), 'data')), 'base64')
  }
}
