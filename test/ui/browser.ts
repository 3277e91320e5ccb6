import fs from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

/** The browser of this machine; undefined where there is none. */
export const browserPath = [
  process.env['CLADA_BROWSER'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((file) => file !== undefined && fs.existsSync(file))

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained about: errors of scripts, and what the content policy stopped. */
  readonly complaints: string[]
}

/** A window of its own, with its own cookies. */
export async function openTab(
  browser: Browser,
  address: string,
  options: { width?: number; height?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<Tab> {
  const { width = 1280, height = 800, colorScheme = 'light' } = options
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(address).origin })
  const complaints: string[] = []
  const page = await context.newPage()
  page.setDefaultTimeout(8_000)
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('ERR_CONNECTION_REFUSED'))
      complaints.push(`${message.text()} ${message.location().url}`)
  })
  await page.goto(address)
  // The name of the project is the first thing that a tab hears.
  await page.waitForSelector('.root:not(:empty)')
  return { page, context, complaints }
}

/** As a person pastes: the event with the text, where the focus is. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(
    `(() => {
      const data = new DataTransfer()
      data.setData('text/plain', ${JSON.stringify(text)})
      const target = document.activeElement ?? document.body
      target.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })()`,
  )
}

export const clipboardOf = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')

/** How many elements a page has that only a hostile text could have made. */
export const strangers = (page: Page): Promise<number> =>
  page.evaluate(
    `document.querySelectorAll('img, iframe, object, embed, video, audio, form, marquee, script:not([src="/main.js"]), [onerror], [onclick], [onload]').length`,
  )

/** Runs the accessibility checker over what is shown. */
export async function expectAccessible(page: Page, axe: string): Promise<void> {
  await page.evaluate(`if (!('axe' in window)) { ${axe} }`)
  const violations: unknown = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary)]))`,
  )
  expect(violations).toEqual([])
}
