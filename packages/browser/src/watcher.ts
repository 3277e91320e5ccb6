import { findShadow } from './dom.ts'
import { findAnchors, pageChanged, findReply } from './replies.ts'

/** Hands out replies that have been quiet for a moment. What is changing costs next to nothing until then. */
export class Watcher {
  readonly #onQuiet: (replies: readonly Element[]) => unknown
  readonly #isOwn: (node: Node) => boolean
  readonly #observer = new MutationObserver((records) => this.#hear(records))
  /** What changed, and when. */
  readonly #changed = new Map<Element, number>()
  readonly #shadows = new WeakSet<ShadowRoot>()
  /** Elements of the page's own making, which may get a shadow later. */
  readonly #perhaps = new Set<Element>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #due = 0
  /** Until when a reply is not handed out again, so that reading takes a small part of the time. */
  readonly #restsUntil = new WeakMap<Element, number>()

  constructor(onQuiet: (replies: readonly Element[]) => unknown, isOwn: (node: Node) => boolean) {
    this.#onQuiet = onQuiet
    this.#isOwn = isOwn
    this.#observe(document)
    // What is there already has been quiet for as long as anybody knows.
    this.#note(document.body, performance.now() - quietFor)
  }

  #observe(root: Document | ShadowRoot): void {
    this.#observer.observe(root, { childList: true, characterData: true, subtree: true })
    this.#findShadows(root)
  }

  #findShadows(root: ParentNode): void {
    if (root instanceof Element) this.#tryShadow(root)
    for (const element of root.querySelectorAll('*')) this.#tryShadow(element)
  }

  #tryShadow(element: Element): void {
    const root = findShadow(element)
    if (root === null) {
      if (element.localName.includes('-') && this.#perhaps.size < mostPerhaps) this.#perhaps.add(element)
      return
    }
    this.#perhaps.delete(element)
    if (this.#shadows.has(root)) return
    this.#shadows.add(root)
    this.#observe(root)
    for (const child of root.children) this.#note(child, performance.now())
  }

  #hear(records: readonly MutationRecord[]): void {
    const now = performance.now()
    for (const { type, target, addedNodes, removedNodes } of records) {
      if (type === 'characterData') this.#noteNode(target, now)
      for (const node of addedNodes) {
        if (this.#isOwn(node)) continue
        this.#noteNode(node, now)
        if (node instanceof Element) this.#findShadows(node)
      }
      if (removedNodes.length > 0 && target instanceof Element && ![...removedNodes].every(this.#isOwn))
        this.#note(target, now)
    }
  }

  #noteNode(node: Node, now: number): void {
    const element = node instanceof Element ? node : node.parentElement
    if (element !== null) this.#note(element, now)
  }

  #note(element: Element, time: number): void {
    // A flood is looked at as a whole.
    if (this.#changed.size > mostChanged) {
      this.#changed.clear()
      this.#changed.set(document.body, time)
    } else this.#changed.set(element, time)
    this.#wake(time + quietFor)
  }

  #wake(at: number): void {
    if (this.#timer !== undefined && this.#due <= at) return
    clearTimeout(this.#timer)
    this.#due = at
    this.#timer = setTimeout(() => this.#look(), Math.max(0, at - performance.now()))
  }

  #look(): void {
    this.#timer = undefined
    pageChanged()
    for (const element of this.#perhaps) {
      if (element.isConnected) this.#tryShadow(element)
      else this.#perhaps.delete(element)
    }
    const now = performance.now()
    const quiet: Element[] = []
    const busy: [Element, number][] = []
    for (const [element, time] of this.#changed) {
      if (!element.isConnected) this.#changed.delete(element)
      else if (time + quietFor > now) busy.push([element, time])
      else {
        quiet.push(element)
        this.#changed.delete(element)
      }
    }
    const replies = new Set<Element>()
    for (const element of quiet) for (const anchor of findAnchors(element)) replies.add(findReply(anchor))
    for (const reply of replies) {
      const later = busy.filter(([element]) => reply.contains(element)).map(([, time]) => time)
      const rested = (this.#restsUntil.get(reply) ?? 0) - quietFor
      if (later.length === 0 && rested + quietFor <= now) continue
      replies.delete(reply)
      this.#changed.set(reply, Math.max(rested, ...later))
    }
    if (replies.size > 0) this.#handOut([...replies])
    const next = Math.min(...this.#changed.values())
    if (next !== Infinity) this.#wake(Math.max(performance.now() + leastPause, next + quietFor))
  }

  #handOut(replies: readonly Element[]): void {
    const start = performance.now()
    this.#onQuiet(replies)
    const end = performance.now()
    for (const reply of replies) this.#restsUntil.set(reply, end + restFor * (end - start))
  }
}

/**
 * Milliseconds without a change after which a reply is read. It may go on later: the bar only opens the panel, and the
 * reply is read again then.
 */
const quietFor = 120
/** Between two looks at a page that does not come to rest. */
const leastPause = 50
/** How many times as long as it took to read a reply. */
const restFor = 20
const mostChanged = 3000
const mostPerhaps = 500
