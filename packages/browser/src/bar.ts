import { brightness } from './colour.ts'
import { type BlockSummary, type FromTab, type PageReply } from './messages.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { findBackground } from './visibility.ts'

/** The elements that hold bars: not part of any reply. */
const hosts = new WeakSet<Node>()
export const isBar = (node: Node): boolean => hosts.has(node)

/**
 * The bar under one reply. It opens the panel and does nothing else: whatever a page does to it, nothing is applied by a
 * click in the page.
 */
export class Bar {
  readonly id = randomId()
  readonly reply: Element
  /** The text that was opened last. */
  openedText: string | undefined
  readonly #read: () => PageReply
  readonly #host = document.createElement('div')
  readonly #bar = document.createElement('button')
  readonly #said = element('span', 'said')
  #summary = ''

  /** `read` gives the reply as it is now. */
  constructor(reply: Element, read: () => PageReply) {
    this.reply = reply
    this.#read = read
    hosts.add(this.#host)
    this.#host.style.setProperty('all', 'initial', 'important')
    this.#host.style.setProperty('display', 'block', 'important')
    const root = this.#host.attachShadow({ mode: 'closed' })
    style(root)
    this.#bar.type = 'button'
    this.#bar.className = 'bar'
    this.#bar.append(element('span', 'mark', 'clada'), this.#said, element('span', 'open', 'Review'))
    this.#bar.addEventListener('click', (event) => {
      event.stopPropagation()
      if (event.isTrusted) void this.#open()
    })
    this.#said.setAttribute('role', 'status')
    root.append(this.#bar)
  }

  /** The page may have thrown it away with what it was in, or put something below it. */
  get isInPlace(): boolean {
    return this.#host.parentNode === this.reply && this.#host.nextElementSibling === null
  }

  /** Shows the blocks of a reply. */
  show({ summary, before }: BlockSummary): void {
    const said = before === undefined ? summary : `${summary} · ${before}`
    if (said !== this.#summary) this.say(said)
    this.#summary = said
    // A page may be dark while the system is light.
    this.#bar.classList.toggle('dark', brightness(findBackground(this.reply)) < 128)
    if (!this.isInPlace) this.reply.append(this.#host)
  }

  say(text: string): void {
    this.#said.textContent = text
  }

  remove(): void {
    this.#host.remove()
  }

  /** The message is sent at once: the browser opens a panel only during a click. */
  async #open(): Promise<void> {
    const reading = this.#read()
    this.openedText = reading.text
    const request: FromTab = { type: 'open', bar: this.id, ...reading }
    const answer: unknown = await chrome.runtime.sendMessage(request).catch((error: unknown) => ({
      failed: String(error).includes('context invalidated')
        ? 'The extension was updated. Reload this page.'
        : String(error),
    }))
    if (isRecord(answer) && typeof answer['failed'] === 'string') this.say(answer['failed'])
  }
}

const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')

function element(name: string, className = '', text = ''): HTMLElement {
  const made = document.createElement(name)
  made.className = className
  made.textContent = text
  return made
}

function style(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    root.adoptedStyleSheets = [sheet]
  } catch {
    root.append(element('style', '', css))
  }
}

const css = `
.dark { color-scheme: dark }
.bar { box-sizing: border-box; display: flex; align-items: center; gap: 10px; width: 100%; max-width: 720px; margin: 10px 0;
  padding: 6px 6px 6px 14px; font: 13px/1.4 system-ui, sans-serif; text-align: start; cursor: pointer; border-radius: 10px;
  color: light-dark(#1c1d20, #e8e8ea); background: light-dark(#fff, #1b1c1f); border: 1px solid light-dark(#c9c8c2, #464951) }
.bar:hover { border-color: light-dark(#2456c8, #8fb3ff) }
.bar:focus-visible { outline: 2px solid light-dark(#2456c8, #8fb3ff); outline-offset: 2px }
.mark { font-weight: 700; letter-spacing: -.01em; color: light-dark(#2456c8, #8fb3ff) }
.said { flex: 1 1 auto; min-width: 0; overflow-wrap: anywhere }
.open { flex: none; padding: 4px 12px; border-radius: 6px; font-weight: 500; color: light-dark(#fff, #0f1726);
  background: light-dark(#2456c8, #8fb3ff) }
.bar:hover .open { filter: brightness(1.08) }
`
