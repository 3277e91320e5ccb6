/**
 * The text of a reply as the site's own copy button would give it: Markdown, with code exactly as it was written. Nothing
 * here knows a site. What is not code for the eye (line numbers, buttons, headers of code blocks) is known by what it is:
 * a control, text that cannot be selected, or numbers that count the lines.
 */
export function textOf(reply: Element): string {
  const out = new Lines()
  writeNode(reply, out)
  return out.text()
}

/** The text of code as the user copied it, where the page shows it differently; by the element with the code. */
const copied = new WeakMap<Element, { readonly shown: string; readonly text: string }>()

/**
 * Takes a text that the user has just copied from a reply for what it shows: one of its code blocks, or all of it. Only
 * white space may differ in code, and only punctuation in Markdown. Whether anything was taken.
 */
export function takeCopied(reply: Element, text: string): boolean {
  const whole = textOf(reply)
  if (lettersIn(text) === lettersIn(whole) && text !== whole) {
    copied.set(reply, { shown: whole, text })
    return true
  }
  const code = codesIn(reply).find((one) => squeezed(codeText(one)) === squeezed(text))
  if (code === undefined || codeText(code) === text) return false
  copied.set(code, { shown: shownCode(code), text })
  return true
}

const squeezed = (text: string): string => text.replaceAll(/[\s\u200b-\u200d\ufeff]+/g, '')
const lettersIn = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '')

/** What a copy replaces, as long as the page shows the same. */
function withCopied(element: Element, shown: string): string {
  const kept = copied.get(element)
  return kept !== undefined && kept.shown === shown ? kept.text : shown
}

export const wholeText = (reply: Element): string => withCopied(reply, textOf(reply))

/** Text in lines. A break that an element implies is written when something follows it. */
class Lines {
  #text = ''
  #owed = false

  text(): string {
    return this.#text
  }

  get atStart(): boolean {
    return this.#owed || this.#text === '' || this.#text.endsWith('\n')
  }

  /** Text that is exactly as it is written. A line break of its own is the one that was owed. */
  exact(text: string): void {
    if (text === '') return
    if (this.#owed && !text.startsWith('\n')) this.#text += '\n'
    this.#owed = false
    this.#text += text
  }

  /** Text whose white space is for the source of the page only. */
  flowing(text: string): void {
    const one = text.replaceAll(/[ \t\n\r\f]+/g, ' ')
    const bare = this.atStart || this.#text.endsWith(' ') ? one.trimStart() : one
    if (bare !== '') this.exact(bare)
  }

  /** The beginning of something that has lines of its own. */
  open(): void {
    if (this.#owed || (this.#text !== '' && !this.#text.endsWith('\n'))) this.#text += '\n'
    this.#owed = false
  }

  close(): void {
    this.#owed = true
  }

  /** An empty line before what follows. */
  gap(): void {
    if (this.#text === '') return
    this.open()
    if (!this.#text.endsWith('\n\n')) this.#text += '\n'
  }
}

const skipped = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG BUTTON INPUT TEXTAREA SELECT IFRAME OBJECT CANVAS VIDEO AUDIO DIALOG'.split(' '),
)
const spaced = new Set('P UL OL BLOCKQUOTE TABLE DETAILS FIGURE'.split(' '))

const isControl = (element: Element): boolean =>
  skipped.has(element.tagName.toUpperCase()) ||
  element.getAttribute('role') === 'button' ||
  (element instanceof HTMLElement && element.isContentEditable)

function writeNode(node: Node, out: Lines): void {
  if (node instanceof Text) {
    const parent = node.parentElement
    if (parent !== null && keepsBreaks(getComputedStyle(parent))) out.exact(node.data)
    else out.flowing(node.data)
  } else if (node instanceof Element) writeElement(node, out)
}

function writeElement(element: Element, out: Lines): void {
  if (isControl(element)) return
  const style = getComputedStyle(element)
  if (style.display === 'none' || style.visibility === 'hidden') return
  const { tagName } = element
  if (tagName === 'BR') return out.close()
  if (isCodeBlock(element, style)) return writeCode(element, out)
  if (tagName === 'HR') {
    out.gap()
    out.exact('---')
    return out.gap()
  }
  if (tagName === 'CODE') return out.flowing(`\`${element.textContent}\``)
  if (tagName === 'BLOCKQUOTE') return writeQuote(element, out)
  const isBlock = hasLines(style)
  const heading = /^H([1-6])$/.exec(tagName)?.[1]
  if (spaced.has(tagName) || heading !== undefined) out.gap()
  else if (isBlock) out.open()
  if (heading !== undefined) out.exact(`${'#'.repeat(Number(heading))} `)
  if (tagName === 'LI') out.exact(markOf(element))
  if (tagName === 'TD' || tagName === 'TH') out.flowing(' | ')
  for (const child of childrenOf(element)) writeNode(child, out)
  if (spaced.has(tagName) || heading !== undefined) out.gap()
  else if (isBlock) out.close()
}

function markOf(item: Element): string {
  const list = item.parentElement
  if (list?.tagName !== 'OL') return '- '
  const first = Number(list.getAttribute('start') ?? 1)
  return `${first + [...list.children].indexOf(item)}. `
}

function writeQuote(element: Element, out: Lines): void {
  const inner = new Lines()
  for (const child of childrenOf(element)) writeNode(child, inner)
  out.gap()
  out.exact(inner.text().trim().replaceAll(/^/gm, '> '))
  out.gap()
}

/** What is shown in an element: in its shadow, where it has one, and in a slot what fills it. */
export function childrenOf(element: Element): Iterable<Node> {
  const root = shadowOf(element)
  if (root !== null) return root.childNodes
  if (element instanceof HTMLSlotElement) {
    const filled = element.assignedNodes()
    if (filled.length > 0) return filled
  }
  return element.childNodes
}

/** The shadow of an element, also a closed one. */
export function shadowOf(element: Element): ShadowRoot | null {
  if (element.shadowRoot !== null) return element.shadowRoot
  if (!element.localName.includes('-')) return null
  if (element.openOrClosedShadowRoot !== undefined) return element.openOrClosedShadowRoot
  return element instanceof HTMLElement ? (chrome.dom?.openOrClosedShadowRoot(element) ?? null) : null
}

const keepsBreaks = ({ whiteSpace }: CSSStyleDeclaration): boolean => /^(?:pre|break-spaces|preserve)/.test(whiteSpace)
const hasLines = ({ display }: CSSStyleDeclaration): boolean =>
  /^(?:block|flex|grid|list-item|table|flow-root)(?!-cell)/.test(display)

const isCodeBlock = ({ tagName }: Element, style: CSSStyleDeclaration): boolean =>
  tagName === 'PRE' || (tagName === 'CODE' && hasLines(style) && keepsBreaks(style))

const codesIn = (reply: Element): Element[] =>
  [reply, ...reply.querySelectorAll('pre, code')].filter((one) => isCodeBlock(one, getComputedStyle(one)))

function writeCode(element: Element, out: Lines): void {
  const text = codeText(element)
  // A reply that is shown as it was written has its own fences.
  if (/^ {0,3}(?:`{3}|~{3})/m.test(text)) {
    out.open()
    out.exact(text)
    return out.close()
  }
  out.gap()
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  out.exact(`${fence}${languageOf(element)}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${fence}`)
  out.gap()
}

function languageOf(element: Element): string {
  const marked = [element, ...element.querySelectorAll('code')].map(({ className }) => String(className)).join(' ')
  return /\blang(?:uage)?-([\w+#.-]+)/.exec(marked)?.[1] ?? ''
}

const codeText = (element: Element): string => withCopied(element, shownCode(element))

/** The text of a code block, without what only numbers its lines. */
function shownCode(block: Element): string {
  const inner = [...block.querySelectorAll('code')].filter((one) => !isColumn(one.textContent))
  const code = inner.length === 1 && inner[0] !== undefined ? inner[0] : block
  const selectable = getComputedStyle(code).userSelect !== 'none'
  const leaves: Leaf[] = []
  const first = new Lines()
  walkCode(code, first, { selectable, leave: new Set(), leaves })
  const leave = numbersAmong(leaves, first.text())
  if (leave.size === 0) return first.text()
  const out = new Lines()
  walkCode(code, out, { selectable, leave, leaves: [] })
  return out.text()
}

/** An element with nothing but a number in it. */
interface Leaf {
  readonly element: Element
  readonly number: number
  readonly opensLine: boolean
}

interface Walk {
  /** Whether the code can be selected, so that what cannot is not part of it. */
  readonly selectable: boolean
  readonly leave: ReadonlySet<Element>
  readonly leaves: Leaf[]
}

function walkCode(element: Element, out: Lines, walk: Walk): void {
  for (const child of childrenOf(element)) {
    if (child instanceof Text) out.exact(child.data)
    if (!(child instanceof Element) || isControl(child) || walk.leave.has(child)) continue
    if (child.tagName === 'BR') {
      if (out.atStart) out.open()
      out.close()
      continue
    }
    const style = getComputedStyle(child)
    if (style.display === 'none' || (walk.selectable && style.userSelect === 'none')) continue
    const text = child.textContent
    if (child.childElementCount === 0 && /^\s*\d{1,6}\s*$/.test(text))
      walk.leaves.push({ element: child, number: Number(text), opensLine: out.atStart })
    if (isColumn(text) && isBesideCode(child)) continue
    const isLine = hasLines(style) || child.tagName === 'TR'
    if (isLine) out.open()
    walkCode(child, out, walk)
    if (isLine) out.close()
  }
}

/** Two or more numbers that count on, one per line. */
function isColumn(text: string): boolean {
  if (!/^\s*\d{1,6}(?:\s+\d{1,6})+\s*$/.test(text)) return false
  const numbers = text.trim().split(/\s+/).map(Number)
  return numbers.every((number, at) => at === 0 || number === (numbers[at - 1] ?? 0) + 1)
}

/** Whether an element has a neighbour with as many lines as it has numbers. */
function isBesideCode(column: Element): boolean {
  const count = column.textContent.trim().split(/\s+/).length
  return [...(column.parentElement?.children ?? [])].some(
    (one) => one !== column && !isColumn(one.textContent) && one.textContent.trimEnd().split('\n').length <= count,
  )
}

/** The elements that number the lines: of one kind, at the start of each line, counting on. */
function numbersAmong(leaves: readonly Leaf[], text: string): ReadonlySet<Element> {
  const kinds = new Map<string, Leaf[]>()
  for (const leaf of leaves) {
    const kind = `${leaf.element.tagName} ${leaf.element.className}`
    kinds.set(kind, [...(kinds.get(kind) ?? []), leaf])
  }
  const lines = text.replace(/\n$/, '').split('\n').length
  const counting = [...kinds.values()].find(
    (all) =>
      all.length >= Math.max(2, lines - 1) &&
      all.every(({ opensLine, number }, at) => opensLine && number === (all[0]?.number ?? 0) + at),
  )
  return new Set(counting?.map(({ element }) => element))
}
