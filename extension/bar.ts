import { hasField, insert } from './field.ts'
import { type Found, type FromTab, isRecord, type Step } from './messages.ts'

/** The elements that hold bars: not part of any reply. */
const hosts = new WeakSet<Node>()
export const isBar = (node: Node): boolean => hosts.has(node)

/** The bar under one reply. It is in a closed shadow, so the page can remove it, and nothing else. */
export class Bar {
  readonly reply: Element
  readonly #read: () => string
  readonly #host = document.createElement('div')
  readonly #bar = element('div', 'bar')
  readonly #said = element('span', 'said')
  readonly #results = element('ul', 'results')
  readonly #apply: HTMLButtonElement
  readonly #answer: HTMLButtonElement
  readonly #sight: Sight
  #text = ''
  #found: Found = { hash: '', summary: '' }
  #done: (Step & { readonly step: 'done' }) | undefined

  /** `read` gives the text of the reply as it is now. */
  constructor(reply: Element, read: () => string) {
    this.reply = reply
    this.#read = read
    hosts.add(this.#host)
    // What the page says about its own elements must not apply; it may still do so on purpose, which is noticed.
    this.#host.style.setProperty('all', 'initial', 'important')
    this.#host.style.setProperty('display', 'block', 'important')
    const root = this.#host.attachShadow({ mode: 'closed' })
    style(root)
    this.#sight = new Sight(this.#bar)
    this.#bar.setAttribute('role', 'group')
    this.#bar.setAttribute('aria-label', 'clada')
    this.#said.setAttribute('role', 'status')
    const preview = this.#button('Preview', () => this.#ask('preview'))
    this.#apply = this.#button('Apply', () => this.#ask('apply'))
    this.#apply.className = 'main'
    this.#answer = this.#button('Copy answer', () => this.#giveAnswer())
    const line = element('div', 'line')
    line.append(mark(), this.#said, preview, this.#apply, this.#answer)
    this.#bar.append(line, this.#results)
    root.append(this.#bar)
  }

  get hash(): string {
    return this.#found.hash
  }

  /** The page may have thrown it away with what it was in. */
  get isShown(): boolean {
    return this.#host.parentNode === this.reply
  }

  /** Shows the blocks of a text. */
  show(text: string, found: Found): void {
    this.#text = text
    if (found.hash !== this.#found.hash) {
      this.#found = found
      this.#done = undefined
      this.#results.replaceChildren()
      this.#apply.disabled = found.before !== undefined
      const { succeeded = 0, failed = 0 } = found.before ?? {}
      const before = failed === 0 ? `✅ ${succeeded}` : `✅ ${succeeded} ❌ ${failed}`
      this.#say(found.before === undefined ? found.summary : `${found.summary}, applied before: ${before}`)
    }
    if (!this.isShown) this.reply.append(this.#host)
  }

  remove(): void {
    this.#sight.end()
    this.#host.remove()
  }

  /** What became of a request. */
  hear(step: Step): void {
    this.#apply.disabled = step.step === 'running' || step.step === 'done' || step.step === 'asking'
    switch (step.step) {
      case 'running':
        this.#say(
          step.questions > 0
            ? 'A command waits for your approval: Preview'
            : `Applying, ${step.done} of ${step.total} done…`,
        )
        setTimeout(() => this.#follow(this.#found.hash), step.questions > 0 ? 1000 : 50)
        return
      case 'asking':
        return this.#say('Look at the window that was opened, and answer there.')
      case 'shown':
        return this.#say(this.#found.summary)
      case 'declined':
        return this.#say(`${this.#found.summary}, not applied`)
      case 'failed':
        return this.#say(`❌ ${step.why}`)
      case 'done':
        return this.#showDone(step)
    }
  }

  /** Asks again while it is the same reply and the tab is visible. */
  #follow(hash: string): void {
    if (this.#host.isConnected && hash === this.#found.hash) void this.#send({ type: 'result', hash })
  }

  #showDone(step: Step & { readonly step: 'done' }): void {
    const { results } = step
    this.#apply.disabled = results.length > 0
    this.#done = results.length > 0 ? step : undefined
    const failed = results.filter(({ success }) => !success).length
    this.#say(
      failed === 0 ? `✅ ${results.length} applied` : `✅ ${results.length - failed} applied, ❌ ${failed} failed`,
    )
    const shown = results.length > mostResults ? results.filter(({ success }) => !success) : results
    this.#results.replaceChildren(
      ...shown.slice(0, mostResults).map(({ success, action, target, why }) => {
        const item = element('li')
        item.textContent = `${success ? '✅' : '❌'} ${action} ${target}${why === undefined ? '' : `: ${why}`}`
        return item
      }),
    )
  }

  #say(text: string): void {
    this.#said.textContent = text
    this.#answer.textContent = hasField() && seesOver ? 'Insert answer' : 'Copy answer'
  }

  #button(name: string, act: () => Promise<void>): HTMLButtonElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = name
    button.addEventListener('click', (event) => {
      // A script of the page cannot reach the button; this holds even if it could.
      if (!event.isTrusted) return
      event.stopPropagation()
      void act()
    })
    return button
  }

  /** What is asked for is the text that the bar was made for, as long as the page still shows it. */
  async #ask(type: 'preview' | 'apply'): Promise<void> {
    const seen = this.#sight.isClear()
    if (!this.#isStill()) return
    const { hash } = this.#found
    const text = this.#text
    this.#apply.disabled = true
    await this.#send(type === 'apply' ? { type, text, hash, seen } : { type, text, hash })
  }

  #isStill(): boolean {
    if (this.#read() === this.#text) return true
    this.#say('The reply has changed; nothing was done.')
    return false
  }

  async #giveAnswer(): Promise<void> {
    const isClear = this.#sight.isClear()
    // The answer may hold files: it goes to the page only by a click on what could be seen.
    if (!isClear && seesOver) return this.#say('Something is over this bar. Move it away, and click again.')
    if (this.#done === undefined) {
      if (!this.#isStill()) return
      await this.#send({ type: 'answer', text: this.#text, hash: this.#found.hash })
    }
    const answer = this.#done?.answer ?? this.#unapplied
    if (answer === undefined) return
    if (isClear && hasField() && insert(answer)) return this.#say('The answer is in the field.')
    await navigator.clipboard.writeText(answer).then(
      () => this.#say('The answer is copied.'),
      () => this.#say('❌ The browser does not allow to copy here. Preview has the answer too.'),
    )
  }

  /** The answer for a reply of which nothing was applied. */
  #unapplied: string | undefined

  async #send(request: FromTab): Promise<void> {
    const step: unknown = await chrome.runtime.sendMessage(request).catch((error: unknown) => ({
      step: 'failed',
      why: String(error).includes('context invalidated')
        ? 'The extension was updated. Reload this page.'
        : String(error),
    }))
    if (!isStep(step)) return
    if (request.type === 'answer' && step.step === 'done' && step.results.length === 0) {
      this.#unapplied = step.answer
      return
    }
    this.hear(step)
  }
}

const mostResults = 40

/** The service worker is the only sender. */
export const isStep = (value: unknown): value is Step => isRecord(value) && typeof value['step'] === 'string'

/**
 * Whether a person can see an element and means it: nothing is over it, it is not see-through, and it was under the
 * pointer for a moment before the click. Only Chromium can tell; elsewhere the answer is no.
 */
class Sight {
  readonly #element: Element
  readonly #observer: IntersectionObserver
  #clearSince = Infinity
  #enteredAt = 0
  #place = ''

  constructor(element: Element) {
    this.#element = element
    this.#observer = new IntersectionObserver(
      (entries) => {
        const isClear = entries.at(-1)?.isVisible === true
        this.#clearSince = isClear ? Math.min(this.#clearSince, performance.now()) : Infinity
      },
      { threshold: [0, 0.5, 1], trackVisibility: true, delay: 100 },
    )
    this.#observer.observe(element)
    const enter = (event: Event): void => {
      if (!event.isTrusted) return
      this.#enteredAt = performance.now()
      this.#place = this.#placeNow()
    }
    element.addEventListener('pointerenter', enter)
    // By the keyboard; a press of the pointer moves the focus as well.
    element.addEventListener('focusin', (event) => {
      if (!element.matches(':hover')) enter(event)
    })
  }

  isClear(): boolean {
    const now = performance.now()
    return (
      now - this.#clearSince >= leastSight && now - this.#enteredAt >= leastHover && this.#placeNow() === this.#place
    )
  }

  end(): void {
    this.#observer.disconnect()
  }

  #placeNow(): string {
    const { x, y, width } = this.#element.getBoundingClientRect()
    return [x, y, width].map(Math.round).join(' ')
  }
}

/** Whether this browser says what is over an element. */
const seesOver = 'isVisible' in IntersectionObserverEntry.prototype

/** Milliseconds. */
const leastSight = 400
const leastHover = 150

function element(name: string, className = ''): HTMLElement {
  const made = document.createElement(name)
  made.className = className
  return made
}

function mark(): HTMLElement {
  const made = element('b')
  made.textContent = 'clada'
  return made
}

function style(root: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    root.adoptedStyleSheets = [sheet]
  } catch {
    const made = element('style')
    made.textContent = css
    root.append(made)
  }
}

const css = `
:host { color-scheme: light dark }
.bar { font: 13px/1.4 system-ui, sans-serif; margin: 8px 0; padding: 6px 10px; border-radius: 8px; text-align: start;
  color: light-dark(#1c1d20, #e8e8ea); background: light-dark(#fff, #1b1c1f); border: 1px solid light-dark(#c9c8c2, #464951) }
.line { display: flex; flex-wrap: wrap; gap: 6px 8px; align-items: center }
.said { flex: 1 1 160px }
b { color: light-dark(#2456c8, #8fb3ff) }
button { font: inherit; padding: 3px 10px; border-radius: 6px; cursor: pointer; color: inherit;
  background: light-dark(#f1f1ee, #2a2c31); border: 1px solid light-dark(#c9c8c2, #464951) }
button.main { color: light-dark(#fff, #0f1726); background: light-dark(#2456c8, #8fb3ff); border-color: transparent }
button:disabled { opacity: .5; cursor: default }
button:focus-visible { outline: 2px solid light-dark(#2456c8, #8fb3ff); outline-offset: 2px }
ul { margin: 6px 0 0; padding: 0; list-style: none; max-height: 200px; overflow: auto; overflow-wrap: anywhere }
ul:empty { display: none }
`
