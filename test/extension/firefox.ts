import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'

/** The part of Marionette, Firefox's own driver, that a turn needs. */
class Marionette {
  readonly #socket: net.Socket
  #heard = Buffer.alloc(0)
  #last = 0
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()

  private constructor(socket: net.Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => this.#hear(chunk))
    socket.on('error', () => undefined)
  }

  static async connect(port: number): Promise<Marionette> {
    for (let tries = 0; ; tries++) {
      const socket = net.connect(port, '127.0.0.1')
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true))
        socket.once('error', () => resolve(false))
      })
      if (isOpen) return new Marionette(socket)
      if (tries > 300) throw new Error('Firefox does not answer')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  send(command: string, params: object = {}): Promise<unknown> {
    const id = ++this.#last
    const text = JSON.stringify([0, id, command, params])
    this.#socket.write(`${Buffer.byteLength(text)}:${text}`)
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  /** The value of a script in the page that is shown. `system` sees through closed shadows. */
  async run(script: string, sandbox: 'default' | 'system' = 'default'): Promise<unknown> {
    const params = { script, args: [], sandbox, scriptTimeout: 30_000 }
    return valueOf(await this.send('WebDriver:ExecuteAsyncScript', params))
  }

  close(): void {
    this.#socket.destroy()
  }

  #hear(chunk: Buffer): void {
    this.#heard = Buffer.concat([this.#heard, chunk])
    for (;;) {
      const colon = this.#heard.indexOf(':')
      if (colon === -1) return
      const length = Number(this.#heard.subarray(0, colon).toString())
      if (this.#heard.length < colon + 1 + length) return
      const message: unknown = JSON.parse(this.#heard.subarray(colon + 1, colon + 1 + length).toString())
      this.#heard = this.#heard.subarray(colon + 1 + length)
      if (!Array.isArray(message)) continue
      const [, id, error, result] = message
      const waiting = this.#waiting.get(Number(id))
      if (error) waiting?.reject(new Error(JSON.stringify(error).slice(0, 400)))
      else waiting?.resolve(result)
    }
  }
}

const valueOf = (answer: unknown): unknown => Reflect.get(Object(answer), 'value')

export interface FirefoxOptions {
  /** The origin of the chat pages. */
  readonly site: string
  readonly root: string
  readonly code: string
  readonly firefox: string
  /** The directory with the extension. */
  readonly extension: string
  readonly profile: string
}

/** Firefox with the extension, paired and enabled on the site. */
export class Firefox {
  readonly #driver: Marionette
  readonly #program: ChildProcess
  readonly #site: string
  #chat: unknown
  #own: unknown

  private constructor(driver: Marionette, program: ChildProcess, site: string) {
    this.#driver = driver
    this.#program = program
    this.#site = site
  }

  static async start({ site, code, firefox, extension, profile }: FirefoxOptions): Promise<Firefox> {
    const uuid = '0b7d9a1e-52c4-4e0a-8333-4c1ada000001'
    const id = 'companion@clada.invalid'
    const port = 20_000 + Math.floor(Math.random() * 10_000)
    const prefs = { 'extensions.webextensions.uuids': JSON.stringify({ [id]: uuid }), 'marionette.port': port }
    const lines = Object.entries(prefs).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`)
    fs.writeFileSync(path.join(profile, 'user.js'), lines.join(''))
    const args = ['--headless', '--marionette', '-remote-allow-system-access', '--no-remote', '--profile', profile]
    const program = spawn(firefox, args, { stdio: 'ignore', env: { ...process.env, HOME: profile } })
    const one = new Firefox(await Marionette.connect(port), program, site)
    const driver = one.#driver
    await driver.send('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } })
    await driver.send('Addon:Install', { path: extension, temporary: true })
    one.#own = await openOwn(driver, `moz-extension://${uuid}/popup.html`)
    await until('the form for the code', () => driver.run(`arguments[0](!document.getElementById('pairing').hidden)`))
    await driver.run(`document.getElementById('code').value = ${JSON.stringify(code)}; arguments[0](1)`)
    await one.#click('#pairing button')
    await until('the pairing', () => driver.run(`arguments[0](!document.getElementById('paired').hidden)`))
    const { handle: chat } = Object(await driver.send('WebDriver:NewWindow', { type: 'tab', focus: true }))
    one.#chat = chat
    await one.show('/empty')
    await enable(driver, one.#own, `${site}/empty`)
    return one
  }

  /** Shows one of the chat pages. */
  async show(page: string): Promise<void> {
    await this.#driver.send('WebDriver:SwitchToWindow', { handle: this.#chat })
    await this.#driver.send('WebDriver:Navigate', { url: `${this.#site}${page}` })
  }

  async inPage(script: string): Promise<unknown> {
    await this.#driver.send('WebDriver:SwitchToWindow', { handle: this.#chat })
    return this.#driver.run(
      `const { window: own } = window.wrappedJSObject; arguments[0](own.eval(${JSON.stringify(script)}))`,
      'system',
    )
  }

  /** Waits for a bar that says something, and clicks on it. */
  async pressBar(saying: RegExp): Promise<void> {
    await this.#driver.send('WebDriver:SwitchToWindow', { handle: this.#chat })
    const said = `String(${bar}?.querySelector('.said').textContent)`
    await until(`a bar saying ${saying}`, async () =>
      saying.test(String(await this.#driver.run(`arguments[0](${said})`, 'system'))),
    )
    await this.#driver.run(`${bar}.host.scrollIntoView({ block: 'center' }); arguments[0](1)`, 'system')
    const place = await this.#driver.run(
      `const { x, y, width, height } = ${bar}.querySelector('button').getBoundingClientRect()
      arguments[0]([Math.round(x + width / 2), Math.round(y + height / 2)])`,
      'system',
    )
    const [x, y] = Array.isArray(place) ? place.map(Number) : []
    const actions = [
      { type: 'pointerMove', x, y, duration: 0 },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    await this.#driver.send('WebDriver:PerformActions', { actions: [{ type: 'pointer', id: 'mouse', actions }] })
  }

  /** Goes to the extension's window. */
  async toPanel(): Promise<void> {
    await until('the panel', () => isAt(this.#driver, '/panel.html'))
  }

  /** Waits until the window says something. */
  async saying(what: RegExp): Promise<string> {
    let text = ''
    await until(
      `a panel saying ${what}`,
      async () => {
        text = String(await this.#driver.run(`arguments[0](document.body.innerText)`))
        return what.test(text)
      },
      () => text,
    )
    return text
  }

  /** Clicks on a button of the window as soon as it can be. */
  async press(name: string): Promise<void> {
    const find = `[...document.querySelectorAll('button, summary')].find((one) => new RegExp(${JSON.stringify(name)}).test(one.innerText) && !one.disabled)`
    await until(
      `a button ${name}`,
      async () => (await this.#driver.run(`arguments[0](${find} !== undefined)`)) === true,
    )
    await this.#driver.run(`${find}.dataset.pressed = 'next'; arguments[0](1)`)
    await this.#click('[data-pressed=next]')
    await this.#driver.run(
      `document.querySelector('[data-pressed=next]')?.removeAttribute('data-pressed'); arguments[0](1)`,
    )
  }

  run(script: string): Promise<unknown> {
    return this.#driver.run(script)
  }

  /** Opens the sidebar by the button of the popup, and closes the window of the extension. */
  async openSidebar(): Promise<void> {
    if (await isAt(this.#driver, '/panel.html')) await this.#driver.send('WebDriver:CloseWindow')
    await this.#driver.send('WebDriver:SwitchToWindow', { handle: this.#own })
    await this.#click('#panel')
    await until('the sidebar', async () => (await this.#inBrowser('return SidebarController.isOpen')) === true)
  }

  /** The text of the sidebar. */
  async sidebarText(): Promise<string> {
    const script = `const [done] = arguments
      const browser = document.getElementById('sidebar').contentDocument.getElementById('webext-panels-browser')
      const manager = browser.messageManager
      manager.addMessageListener('clada-test', function heard({ data }) { manager.removeMessageListener('clada-test', heard); done(data) })
      manager.loadFrameScript('data:application/javascript,sendAsyncMessage("clada-test", content.document.body.innerText)', false)`
    await this.#driver.send('Marionette:SetContext', { value: 'chrome' })
    try {
      return String(await this.#driver.run(script, 'system'))
    } finally {
      await this.#driver.send('Marionette:SetContext', { value: 'content' })
    }
  }

  /** Whether the extension has a window of its own. */
  async hasWindow(): Promise<boolean> {
    return isAt(this.#driver, '/panel.html')
  }

  async #inBrowser(script: string): Promise<unknown> {
    await this.#driver.send('Marionette:SetContext', { value: 'chrome' })
    try {
      return valueOf(await this.#driver.send('WebDriver:ExecuteScript', { script, args: [] }))
    } finally {
      await this.#driver.send('Marionette:SetContext', { value: 'content' })
    }
  }

  async #click(selector: string): Promise<void> {
    const found = valueOf(await this.#driver.send('WebDriver:FindElement', { using: 'css selector', value: selector }))
    await this.#driver.send('WebDriver:ElementClick', { id: String(Object.values(Object(found))[0]) })
  }

  async close(): Promise<void> {
    this.#driver.close()
    const ended = new Promise((resolve) => this.#program.once('exit', resolve))
    this.#program.kill('SIGKILL')
    await ended
  }
}

/** The last bar of the page, as only the browser itself sees it. */
const bar = `[...document.querySelectorAll('div')].filter((one) => one.childNodes.length === 0 && one.openOrClosedShadowRoot?.querySelector('button.bar')).at(-1)?.openOrClosedShadowRoot`

/** Opens a page of the extension, and goes there. */
async function openOwn(driver: Marionette, url: string): Promise<string | undefined> {
  const before = await handles(driver)
  await driver.send('Marionette:SetContext', { value: 'chrome' })
  await driver.send('WebDriver:ExecuteScript', {
    script: `const tab = gBrowser.addTrustedTab(${JSON.stringify(url)}); gBrowser.selectedTab = tab`,
    args: [],
  })
  await driver.send('Marionette:SetContext', { value: 'content' })
  await until('a page of the extension', async () => (await handles(driver)).length > before.length)
  const handle = (await handles(driver)).find((one) => !before.includes(one))
  await driver.send('WebDriver:SwitchToWindow', { handle })
  await until('its script', () => driver.run(`arguments[0](document.readyState === 'complete')`))
  return handle
}

/** What the popup does when its button is clicked, without the question of the browser. */
async function enable(driver: Marionette, own: unknown, url: string): Promise<void> {
  await driver.send('WebDriver:SwitchToWindow', { handle: own })
  const answer = await driver.run(
    `const [done] = arguments
    const { chrome } = window.wrappedJSObject
    const send = (value) => Cu.unwaiveXrays(chrome.runtime.sendMessage(Cu.cloneInto(value, window)))
    const tabs = () => Cu.unwaiveXrays(chrome.tabs.query(Cu.cloneInto({}, window)))
    ;(async () => {
      const tab = Cu.waiveXrays(await tabs()).find(({ url }) => url === ${JSON.stringify(url)}).id
      return JSON.stringify(Cu.waiveXrays(await send({ type: 'enable', tab, how: 'always' })) ?? null)
    })().then(done, (error) => done(JSON.stringify({ failed: String(error) })))`,
    'system',
  )
  if (String(answer).includes('"failed"')) throw new Error(String(answer))
}

async function handles(driver: Marionette): Promise<string[]> {
  const all = await driver.send('WebDriver:GetWindowHandles')
  return Array.isArray(all) ? all.map(String) : []
}

/** Goes to the window with a page, if there is one. */
async function isAt(driver: Marionette, page: string): Promise<boolean> {
  for (const handle of await handles(driver)) {
    await driver.send('WebDriver:SwitchToWindow', { handle })
    if (String(valueOf(await driver.send('WebDriver:GetCurrentURL'))).includes(page)) return true
  }
  return false
}

async function until(what: string, is: () => Promise<unknown>, seen = (): string => ''): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if ((await is().catch(() => false)) === true) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${what} did not come ${seen()}`)
}
