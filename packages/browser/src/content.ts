import { Bar, isBar } from './bar.ts'
import { insert } from './field.ts'
import { type ReplyComparison, type BlockSummary, type FromTab, longestReply } from './messages.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { readPageReply } from './reading.ts'
import { Watcher } from './watcher.ts'

/** Runs on the sites that the user has chosen: finds replies with blocks and puts a bar under each. */

declare global {
  interface Window {
    /** Only scripts of this extension see it. */
    cladaRuns?: true
  }
}

async function startContent(): Promise<void> {
  const isWanted = await askExtension({ type: 'hello' })
  if (isWanted !== true) {
    delete window.cladaRuns
    return
  }
  const bars = new Map<Element, Bar>()
  /** What was read of a reply, so that nothing is asked twice. */
  const texts = new WeakMap<Element, string>()
  new Watcher(lookAt, isBar)

  /** The newest are at the end. */
  async function lookAt(replies: readonly Element[]): Promise<void> {
    const last = replies.toSorted(byPlace).slice(-mostBars)
    await Promise.all(last.map(lookAtOne))
    for (const [reply, bar] of bars) if (!reply.isConnected || bars.size > mostBars) drop(reply, bar)
  }

  async function lookAtOne(reply: Element): Promise<void> {
    const { text } = readPageReply(reply)
    const known = bars.get(reply)
    if (text === texts.get(reply) && (known === undefined || known.isInPlace)) return
    texts.set(reply, text)
    const found = text.length > longestReply ? tooLong(text) : await askExtension({ type: 'found', text })
    // What came meanwhile is looked at on its own.
    if (texts.get(reply) !== text) return
    if (!isFound(found)) return drop(reply, known)
    for (const [other, bar] of bars) {
      if (other !== reply && (other.contains(reply) || reply.contains(other))) drop(other, bar)
    }
    const bar = known ?? new Bar(reply, () => readPageReply(reply))
    bars.set(reply, bar)
    bar.show(found)
  }

  function drop(reply: Element, bar: Bar | undefined): void {
    bar?.remove()
    bars.delete(reply)
  }

  chrome.runtime.onMessage.addListener((message, sender, respond) => {
    if (sender.id !== chrome.runtime.id || !isRecord(message)) return undefined
    const { type, text } = message
    const bar = [...bars.values()].find(({ id }) => id === message['bar'])
    if (type === 'insert' && typeof text === 'string') respond(insert(text))
    else if (type === 'compare') respond(comparison(bar))
    else if (type === 'read') respond(rereadBar(bar))
    else if (type === 'say' && typeof text === 'string') respond(bar?.say(text))
    return undefined
  })
}

function comparison(bar: Bar | undefined): ReplyComparison {
  if (bar?.reply.isConnected !== true) return 'gone'
  return readPageReply(bar.reply).text === bar.openedText ? 'same' : 'changed'
}

function rereadBar(bar: Bar | undefined): ReturnType<typeof readPageReply> | null {
  if (bar?.reply.isConnected !== true) return null
  const reading = readPageReply(bar.reply)
  bar.openedText = reading.text
  return reading
}

const askExtension = (request: FromTab): Promise<unknown> => chrome.runtime.sendMessage(request).catch(() => undefined)

const isFound = (value: unknown): value is BlockSummary => isRecord(value) && typeof value['summary'] === 'string'

const byPlace = (a: Element, b: Element): number =>
  a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1

/** Bars on one page; the oldest go first. */
const mostBars = 30

const tooLong = (text: string): BlockSummary => ({
  summary: `Too long to review here: ${(text.length / 1e6).toFixed(1)} million characters. Copy it into clada ui.`,
})

if (window.cladaRuns !== true && window.top === window) {
  window.cladaRuns = true
  void startContent()
}
