import { findFrame } from './code-block.ts'
import { listChildren, findParent } from './dom.ts'
import { mayMark } from '@clada/reply/syntax/skipped-blocks.ts'

/** Where the replies of a page are, by the shape of what is in them; nothing here knows a site. */

/** Places in what changed that may be part of a block: code, and text with something like a marker. */
export function findAnchors(changed: Element): Element[] {
  const around = closestCode(changed)
  if (around !== undefined) return [around]
  const found = new Set<Element>()
  collectCode(changed, found)
  // A changed piece of a text that is not code: what surrounds it may have the marker.
  if (found.size === 0 && !isWholePage(changed)) {
    const parent = findParent(changed)
    if (parent !== null && !isWholePage(parent) && parent.textContent.length < 100_000 && mayMark(parent.textContent))
      found.add(changed)
  }
  return [...found].slice(-mostAnchors)
}

const mostAnchors = 300

function collectCode(node: Element, found: Set<Element>): void {
  if (node.tagName === 'PRE' || (node.tagName === 'CODE' && node.textContent.includes('\n')))
    return void found.add(node)
  if (node instanceof HTMLElement && (node.isContentEditable || node.tagName === 'TEXTAREA')) return
  for (const child of listChildren(node)) {
    if (child instanceof Text) {
      if (mayMark(child.data)) found.add(node)
    } else if (child instanceof Element) collectCode(child, found)
  }
}

function closestCode(element: Element): Element | undefined {
  for (let one: Element | null = element; one !== null; one = findParent(one)) if (one.tagName === 'PRE') return one
  return undefined
}

/** The reply that a piece of code or text is part of: the running text around it, else all that surrounds it alone. */
export function findReply(anchor: Element): Element {
  let reply: Element | undefined
  const start = isCode(anchor) ? findFrame(anchor, isWholePage) : linesAround(anchor)
  for (let one = isCode(anchor) ? findParent(start) : start; one !== null && !isWholePage(one); one = findParent(one)) {
    if (!isCode(one) && hasFlow(one)) {
      reply = one
      break
    }
  }
  if (reply === undefined) return aloneAround(start)
  for (let next = findAround(reply); next !== undefined; next = findAround(next)) reply = next
  return reply
}

/** What shows code by an element for each line, without saying that it is code; else the element itself. */
function linesAround(line: Element): Element {
  const around = findParent(line)
  if (around === null || isCode(line) || isWholePage(around) || around.childElementCount < 2) return line
  if (!/^(?:pre|break-spaces)/.test(getComputedStyle(around).whiteSpace)) return line
  const isLine = ({ tagName, textContent }: Element): boolean => tagName === line.tagName && !textContent.includes('\n')
  return [...around.children].every(isLine) ? around : line
}

const isCode = ({ tagName }: Element): boolean => tagName === 'PRE' || tagName === 'CODE'
const flow = /^(?:P|H[1-6]|HR|TABLE|BLOCKQUOTE|PRE)$/
const lists = /^(?:UL|OL|LI|BLOCKQUOTE|TABLE|TBODY|TR|TD|DETAILS)$/

/** Whether running text is directly in an element. */
function hasFlow(element: Element): boolean {
  for (const child of element.childNodes) {
    if (child instanceof Text ? child.data.trim() !== '' : child instanceof Element && flow.test(child.tagName))
      return true
  }
  return false
}

/** The text that a list, a quotation or a wrapper is part of. */
function findAround(element: Element): Element | undefined {
  let around = findParent(element)
  while (around !== null && lists.test(around.tagName)) around = findParent(around)
  return around !== null && !isWholePage(around) && hasFlow(around) && !isMessage(element) ? around : undefined
}

/** Whether an element says itself that it is one of several. */
const isMessage = (element: Element): boolean =>
  element.tagName === 'ARTICLE' || /^(?:article|listitem|row)$/.test(element.getAttribute('role') ?? '')

function aloneAround(anchor: Element): Element {
  let one = anchor
  const most = anchor.textContent.length + 200
  for (let next = findParent(one); next !== null && !isWholePage(next) && !isMessage(one); next = findParent(next)) {
    if (next.textContent.length > most) break
    one = next
  }
  return one
}

/** Whether an element holds more than the conversation: the whole page, or the field for the next message. */
function isWholePage(element: Element): boolean {
  const before = wide.get(element)
  if (before !== undefined) return before
  const is = /^(?:BODY|HTML|MAIN)$/.test(element.tagName) || element.querySelector(fields) !== null
  wide.set(element, is)
  return is
}

const fields = 'textarea, [contenteditable]:not([contenteditable="false"])'

/** Looking through a page for fields is worth remembering while the page stays the same. */
let wide = new WeakMap<Element, boolean>()

export function pageChanged(): void {
  wide = new WeakMap()
}
