import { listChildren, hasLines, isCodeBlock, isControl, findParent } from './dom.ts'
import { LineBuilder } from './lines.ts'
import { isFile } from '@clada/reply/syntax/proposal/title.ts'

/** The visible text of a page; `visibility.ts` decides. */
export interface VisibleText {
  dataOf(text: Text): string
  textIn(node: Node): string
}

/** A code block as it was written. */
export interface CodeBlock {
  readonly text: string
  /** Empty if nothing says it. */
  readonly language: string
  /** A file name that the page shows above it. */
  readonly title: string
  /** Whether there are lines that the page has not drawn. */
  readonly hasGap: boolean
}

/**
 * The one code block in an element that has nothing else but a header: the language or the name of a file, and
 * controls. Chat pages wrap every code block like that, and the header is not part of the reply.
 */
export function findFramedCode(element: Element, seen: VisibleText): CodeBlock | undefined {
  const block = onlyCodeIn(element)
  if (block === undefined) return undefined
  const header = headerIn(element, block, seen)
  return header === undefined ? undefined : readCode(block, header, seen)
}

/** The largest element around code that has nothing else but its header, else the code itself. */
export function findFrame(block: Element, isTooWide: (element: Element) => boolean): Element {
  let frame = block
  for (let next = findParent(block); next !== null && !isTooWide(next); next = findParent(next)) {
    if (running.test(next.tagName) || onlyCodeIn(next) !== block || headerIn(next, block, roughly) === undefined) break
    frame = next
  }
  return frame
}

/** Good enough to find where a reply is. */
const roughly: VisibleText = {
  dataOf: (text) => ((text.parentElement?.getBoundingClientRect().width ?? 0) > 1 ? text.data : ''),
  textIn: ({ textContent }) => textContent ?? '',
}

function onlyCodeIn(element: Element): Element | undefined {
  let found: Element | undefined
  for (const one of codesIn(element)) {
    if (found !== undefined) return undefined
    found = one
  }
  return found
}

/** The outermost code blocks in an element. */
function* codesIn(element: Element): Generator<Element> {
  for (const child of listChildren(element)) {
    if (!(child instanceof Element) || isControl(child)) continue
    if ((child.tagName === 'PRE' || child.tagName === 'CODE') && isCodeBlock(child, getComputedStyle(child)))
      yield child
    else yield* codesIn(child)
  }
}

/** The text beside the code; undefined if it is more than a header. */
function headerIn(element: Element, block: Element, seen: VisibleText): string | undefined {
  const words: string[] = []
  const isHeader = (node: Node): boolean => {
    if (node === block) return true
    if (node instanceof Text) {
      const word = seen.dataOf(node).trim()
      if (word !== '') words.push(word)
      return words.length <= mostWords
    }
    if (!(node instanceof Element) || isControl(node)) return true
    return !running.test(node.tagName) && Array.from(listChildren(node)).every(isHeader)
  }
  if (!Array.from(listChildren(element)).every(isHeader)) return undefined
  const text = words.join(' ').replaceAll(captions, ' ').trim()
  return isLabel(text) ? text : undefined
}

const mostWords = 6
/** What only running text has. */
const running = /^(?:P|H[1-6]|UL|OL|LI|BLOCKQUOTE|TABLE|HR|DETAILS)$/
/** Buttons that do not say that they are some. */
const captions =
  /(?:^|\s)(?:Copy(?: code| to clipboard)?|Copied!?|Download|Run(?: code)?|Edit|Expand|Collapse|Wrap|Preview)(?=\s|$)/g

/** A language, or a file. */
const isLabel = (text: string): boolean => text === '' || isFileName(text) || (text.length <= 30 && label.test(text))

const label = /^[\p{L}\d_+#.-]+(?: [\p{L}\d_+#.()-]+){0,2}$/u

/** `Dockerfile` alone is rather the language. */
const isFileName = (text: string): boolean =>
  text.length <= 120 && /[./\\]/.test(text) && !/\s/.test(text) && isFile(text)

export function readCode(block: Element, header: string, seen: VisibleText): CodeBlock {
  const { body, own } = codeBody(block, seen)
  const said = header === '' ? own : header
  const title = isFileName(said) ? said : ''
  const { text, hasGap } = visibleTextOf(body, seen)
  return { text, hasGap, title, language: languageOfBlock(block) ?? (title === '' ? infoOf(said) : '') }
}

/** A label as it may be after a fence: one word. */
const infoOf = (said: string): string => (/^[\w+#-]+$/.test(said) ? said.toLowerCase() : '')

function languageOfBlock(block: Element): string | undefined {
  const marked = [block, ...block.querySelectorAll('code')].map(({ className }) => String(className)).join(' ')
  return /\blang(?:uage)?-([\w+#.-]+)/.exec(marked)?.[1]
}

/** The element with the code alone, and the header that is in the block beside it. */
function codeBody(block: Element, seen: VisibleText): { readonly body: Element; readonly own: string } {
  const inner = [...block.querySelectorAll('code')].filter((one) => !isColumn(seen.textIn(one)))
  const [code] = inner
  if (inner.length !== 1 || code === undefined) return { body: block, own: '' }
  return { body: code, own: headerIn(block, code, seen) ?? '' }
}

function visibleTextOf(code: Element, seen: VisibleText): { readonly text: string; readonly hasGap: boolean } {
  const isSelectable = getComputedStyle(code).userSelect !== 'none'
  const walk: CodeWalk = { seen, isSelectable, leave: new Set(), leaves: [], gaps: [] }
  const first = new LineBuilder()
  walkCode(code, first, walk)
  const hasGap = walk.gaps.length > 0
  const leave = numbersAmong(walk.leaves, first.text())
  if (leave.size === 0) return { text: first.text(), hasGap }
  const out = new LineBuilder()
  walkCode(code, out, { ...walk, leave, leaves: [] })
  return { text: out.text(), hasGap }
}

/** An element with nothing but a number in it. */
interface Leaf {
  readonly element: Element
  readonly number: number
  readonly opensLine: boolean
}

interface CodeWalk {
  readonly seen: VisibleText
  /** Whether the code can be selected, so that what cannot is not part of it. */
  readonly isSelectable: boolean
  readonly leave: ReadonlySet<Element>
  readonly leaves: Leaf[]
  /** Elements that stand for lines which are not in the page. */
  readonly gaps: Element[]
}

function walkCode(element: Element, out: LineBuilder, walk: CodeWalk): void {
  const { seen } = walk
  for (const child of listChildren(element)) {
    if (child instanceof Text) out.exact(seen.dataOf(child))
    if (!(child instanceof Element) || isControl(child) || walk.leave.has(child)) continue
    if (child.tagName === 'BR') {
      if (out.atStart) out.open()
      out.close()
      continue
    }
    const style = getComputedStyle(child)
    if (style.display === 'none') continue
    const text = seen.textIn(child)
    // Nothing of it can be seen, its line breaks included.
    if (text === '' && child.textContent !== '') continue
    if (walk.isSelectable && style.userSelect === 'none' && out.atStart && text.trim().length <= widestGutter) continue
    if (out.isEmpty && isBlockHeader(child, style, seen)) continue
    if (child.childElementCount === 0 && /^\s*\d{1,6}\s*$/.test(text))
      walk.leaves.push({ element: child, number: Number(text), opensLine: out.atStart })
    if (isColumn(text) && isBesideCode(child, seen)) continue
    if (text === '' && isGap(child, style)) walk.gaps.push(child)
    const isLine = hasLines(style) || child.tagName === 'TR'
    if (isLine) out.open()
    walkCode(child, out, walk)
    if (isLine) out.close()
  }
}

/** Characters of a number or a sign before a line. */
const widestGutter = 12

/** A row with a control and at most a label, in code that does not say which part of it is the code. */
const isBlockHeader = (element: Element, style: CSSStyleDeclaration, seen: VisibleText): boolean =>
  hasLines(style) && [...element.querySelectorAll('*')].some(isControl) && isLabel(seen.textIn(element).trim())

/** Viewers that draw only the lines in sight put an empty box in the place of the others. */
function isGap(element: Element, style: CSSStyleDeclaration): boolean {
  if (!hasLines(style) || element.childElementCount > 0) return false
  const line = parseFloat(style.lineHeight) || parseFloat(style.fontSize) * 1.2
  return element.getBoundingClientRect().height >= 3 * line
}

/** Two or more numbers that count on, one per line. */
function isColumn(text: string): boolean {
  if (!/^\s*\d{1,6}(?:\s+\d{1,6})+\s*$/.test(text)) return false
  const numbers = text.trim().split(/\s+/).map(Number)
  return numbers.every((number, at) => at === 0 || number === (numbers[at - 1] ?? 0) + 1)
}

/** Whether an element has a neighbour with as many lines as it has numbers. */
function isBesideCode(column: Element, seen: VisibleText): boolean {
  const count = column.textContent.trim().split(/\s+/).length
  return [...(column.parentElement?.children ?? [])].some((one) => {
    const text = seen.textIn(one)
    return one !== column && !isColumn(text) && text.trimEnd().split('\n').length <= count
  })
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
