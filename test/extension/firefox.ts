import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { replyWriting, tricky } from './cases.ts'

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

/** One whole turn in Firefox: pairing, a reply, the bar, the window that asks, the answer in the field. */
export async function firefoxTurn({ site, root, code, firefox, extension, profile }: FirefoxTurn): Promise<void> {
  const uuid = '0b7d9a1e-52c4-4e0a-8333-4c1ada000001'
  const id = 'companion@clada.invalid'
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const prefs = { 'extensions.webextensions.uuids': JSON.stringify({ [id]: uuid }), 'marionette.port': port }
  const lines = Object.entries(prefs).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`)
  fs.writeFileSync(path.join(profile, 'user.js'), lines.join(''))
  const args = ['--headless', '--marionette', '-remote-allow-system-access', '--no-remote', '--profile', profile]
  const program = spawn(firefox, args, { stdio: 'ignore', env: { ...process.env, HOME: profile } })
  const driver = await Marionette.connect(port)
  try {
    await driver.send('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } })
    await driver.send('Addon:Install', { path: extension, temporary: true })
    const own = await openOwn(driver, `moz-extension://${uuid}/popup.html`)
    await own({ type: 'pair', code })
    const { handle: chat } = Object(await driver.send('WebDriver:NewWindow', { type: 'tab', focus: true }))
    await driver.send('WebDriver:SwitchToWindow', { handle: chat })
    await driver.send('WebDriver:Navigate', { url: `${site}/spans` })
    await own({ type: 'enable', how: 'always', url: `${site}/spans` })
    await driver.send('WebDriver:SwitchToWindow', { handle: chat })
    const file = path.join(root, 'firefox.txt')
    await driver.run(`window.wrappedJSObject.reply(${JSON.stringify(replyWriting(file, tricky))}); arguments[0](1)`)
    await until('a bar', () => driver.run(`arguments[0](${bar}?.textContent.includes('1 edit in 1 file'))`, 'system'))
    const place = await driver.run(
      `const { x, y, width, height } = ${bar}.querySelector('button.main').getBoundingClientRect()
      arguments[0]([Math.round(x + width / 2), Math.round(y + height / 2)])`,
      'system',
    )
    const [x, y] = Array.isArray(place) ? place.map(Number) : []
    await driver.send('WebDriver:PerformActions', {
      actions: [
        {
          type: 'pointer',
          id: 'mouse',
          actions: [
            { type: 'pointerMove', x, y, duration: 0 },
            { type: 'pause', duration: 300 },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    })
    await until('the window that asks', () => isAsking(driver))
    assert.equal(fs.existsSync(file), false)
    await until('the button', () => driver.run(`arguments[0](!document.getElementById('insert').disabled)`))
    await driver.run(`document.getElementById('insert').click(); arguments[0](1)`)
    await until('the file', () => Promise.resolve(fs.existsSync(file)))
    assert.equal(fs.readFileSync(file, 'utf8'), tricky)
    await driver.send('WebDriver:SwitchToWindow', { handle: chat })
    await until('the answer', () =>
      driver.run(`arguments[0](document.getElementById('field').value.includes('=== CLADA RESULTS ==='))`),
    )
  } finally {
    driver.close()
    const ended = new Promise((resolve) => program.once('exit', resolve))
    program.kill('SIGKILL')
    await ended
  }
}

export interface FirefoxTurn {
  /** The origin of the chat pages. */
  readonly site: string
  readonly root: string
  readonly code: string
  readonly firefox: string
  /** The directory with the extension. */
  readonly extension: string
  readonly profile: string
}

/** The bar, as only the browser itself sees it. */
const bar = `document.querySelector('.message > :last-child').openOrClosedShadowRoot`

/** Opens a page of the extension, and gives a way to send what it sends; `url` in a message names a tab. */
async function openOwn(driver: Marionette, url: string): Promise<(message: object) => Promise<void>> {
  const before = await handles(driver)
  await driver.send('Marionette:SetContext', { value: 'chrome' })
  await driver.send('WebDriver:ExecuteScript', {
    script: `const tab = gBrowser.addTrustedTab(${JSON.stringify(url)}); gBrowser.selectedTab = tab`,
    args: [],
  })
  await driver.send('Marionette:SetContext', { value: 'content' })
  await until('a page of the extension', async () => (await handles(driver)).length > before.length)
  const handle = (await handles(driver)).find((one) => !before.includes(one))
  return async (message) => {
    await driver.send('WebDriver:SwitchToWindow', { handle })
    await until('its script', () => driver.run(`arguments[0](document.readyState === 'complete')`))
    const answer = await driver.run(
      `const [done] = arguments
      const { chrome } = window.wrappedJSObject
      const send = (value) => Cu.unwaiveXrays(chrome.runtime.sendMessage(Cu.cloneInto(value, window)))
      const tabs = () => Cu.unwaiveXrays(chrome.tabs.query(Cu.cloneInto({}, window)))
      ;(async () => {
        const message = ${JSON.stringify(message)}
        if (message.url !== undefined) message.tab = Cu.waiveXrays(await tabs()).find(({ url }) => url === message.url).id
        return JSON.stringify(Cu.waiveXrays(await send(message)) ?? null)
      })().then(done, (error) => done(JSON.stringify({ step: 'failed', why: String(error) })))`,
      'system',
    )
    if (String(answer).includes('"failed"')) throw new Error(String(answer))
  }
}

async function handles(driver: Marionette): Promise<string[]> {
  const all = await driver.send('WebDriver:GetWindowHandles')
  return Array.isArray(all) ? all.map(String) : []
}

/** Goes to the window that asks, if there is one. */
async function isAsking(driver: Marionette): Promise<boolean> {
  for (const handle of await handles(driver)) {
    await driver.send('WebDriver:SwitchToWindow', { handle })
    if (String(valueOf(await driver.send('WebDriver:GetCurrentURL'))).includes('/confirm.html')) return true
  }
  return false
}

async function until(what: string, is: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if ((await is().catch(() => false)) === true) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${what} did not come`)
}
