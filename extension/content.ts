import { Bar, isBar, isStep } from './bar.ts'
import { takeCopied, wholeText } from './dom-text.ts'
import { insert } from './field.ts'
import { type Found, type FromTab, isRecord } from './messages.ts'
import { codeNear, replyAround } from './replies.ts'
import { Watcher } from './watcher.ts'

/** Runs on the sites that the user has chosen: finds replies with blocks and puts a bar under each. */

declare global {
  interface Window {
    /** Only scripts of this extension see it. */
    cladaRuns?: true
  }
}

async function start(): Promise<void> {
  const isWanted = await ask({ type: 'hello' })
  if (isWanted !== true) {
    delete window.cladaRuns
    return
  }
  const bars = new Map<Element, Bar>()
  /** What was read of a reply, so that nothing is read twice. */
  const texts = new WeakMap<Element, string>()
  const watcher = new Watcher((replies) => void lookAt(replies), isBar)

  /** The newest are at the end. */
  async function lookAt(replies: readonly Element[]): Promise<void> {
    const last = replies.toSorted(byPlace).slice(-mostBars)
    await Promise.all(last.map(lookAtOne))
    for (const [reply, bar] of bars) if (!reply.isConnected || bars.size > mostBars) drop(reply, bar)
  }

  async function lookAtOne(reply: Element): Promise<void> {
    const text = wholeText(reply)
    const known = bars.get(reply)
    if (text === texts.get(reply) && (known === undefined || known.isShown)) return
    texts.set(reply, text)
    const found = text.length > longest ? undefined : await ask({ type: 'found', text })
    if (wholeText(reply) !== text) return
    if (!isFound(found)) return drop(reply, known)
    for (const [other, bar] of bars) {
      if (other !== reply && (other.contains(reply) || reply.contains(other))) drop(other, bar)
    }
    const bar = known ?? new Bar(reply, () => wholeText(reply))
    bars.set(reply, bar)
    bar.show(text, found)
  }

  function drop(reply: Element, bar: Bar | undefined): void {
    bar?.remove()
    bars.delete(reply)
  }

  chrome.runtime.onMessage.addListener((message, sender, respond) => {
    if (sender.id !== chrome.runtime.id || !isRecord(message)) return undefined
    const { type, text, hash, progress } = message
    if (type === 'insert' && typeof text === 'string') respond(insert(text))
    if (type === 'progress' && isStep(progress)) {
      for (const bar of bars.values()) if (bar.hash === hash) bar.hear(progress)
      respond(true)
    }
    return undefined
  })

  listenToCopies((target, text) => {
    const code = codeNear(target)
    const reply = code && replyAround(code)
    if (reply !== undefined && takeCopied(reply, text)) watcher.look(reply)
  })
}

/** Hands out what the user copies, and from where: a copy button may be anywhere near the code. */
function listenToCopies(onCopy: (target: Element, text: string) => void): void {
  let clicked: { readonly target: Element; readonly at: number } | undefined
  const take = (text: string): void => {
    if (clicked !== undefined && performance.now() - clicked.at < 1500) onCopy(clicked.target, text)
  }
  const click = (event: Event): void => {
    const [target] = event.composedPath()
    if (event.isTrusted && target instanceof Element) clicked = { target, at: performance.now() }
  }
  window.addEventListener('pointerdown', click, true)
  window.addEventListener('keydown', click, true)
  window.addEventListener('copy', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? ''
    take(text === '' ? (getSelection()?.toString() ?? '') : text)
  })
  document.addEventListener('clada-copied', (event) => {
    if (event instanceof CustomEvent && typeof event.detail === 'string') take(event.detail)
  })
}

const ask = (request: FromTab): Promise<unknown> => chrome.runtime.sendMessage(request).catch(() => undefined)

const isFound = (value: unknown): value is Found => isRecord(value) && typeof value['hash'] === 'string'

const byPlace = (a: Element, b: Element): number =>
  a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1

/** Bars on one page; the oldest go first. */
const mostBars = 30
/** Characters of a reply. */
const longest = 2_000_000

if (window.cladaRuns !== true && window.top === window) {
  window.cladaRuns = true
  void start()
}
