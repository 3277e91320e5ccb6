import { type CodeBlock, readCode, findFramedCode, type VisibleText } from './code-block.ts'
import { listChildren, hasLines, isCodeBlock, isControl, keepsBreaks } from './dom.ts'
import { LineBuilder } from './lines.ts'
import type { PageReply } from './messages.ts'
import { Visibility } from './visibility.ts'

/**
 * A reply as the site's own copy button would give it: Markdown, with code exactly as it was written. It comes from the
 * page as it is drawn and from nothing else, because a page can make its copy button give any text. Nothing here knows a
 * site: headers, line numbers and buttons are known by their shape.
 */
export function readPageReply(reply: Element): PageReply {
  const visibility = new Visibility(reply)
  const out = new Markdown(visibility)
  out.write(reply)
  const { left } = visibility
  const isCutOff = left.some(({ why, isInCode }) => isInCode && why === 'cut off')
  return { text: out.text(), left, isIncomplete: isCutOff || out.hasGap }
}

const spaced = new Set('P UL OL BLOCKQUOTE TABLE DETAILS FIGURE'.split(' '))

class Markdown {
  readonly #seen: VisibleText
  readonly #out = new LineBuilder()
  hasGap = false

  constructor(seen: VisibleText) {
    this.#seen = seen
  }

  text(): string {
    return this.#out.text()
  }

  write(node: Node): void {
    if (node instanceof Text) {
      const parent = node.parentElement
      const data = this.#seen.dataOf(node)
      if (parent !== null && keepsBreaks(getComputedStyle(parent))) this.#out.exact(data)
      else this.#out.flowing(data)
    } else if (node instanceof Element && !isControl(node)) this.#writeElement(node)
  }

  #writeElement(element: Element): void {
    const style = getComputedStyle(element)
    if (style.display === 'none') return
    const { tagName } = element
    if (tagName === 'BR') return this.#out.close()
    if (isCodeBlock(element, style)) return this.#writeCode(readCode(element, '', this.#seen))
    const framed = running.test(tagName) ? undefined : findFramedCode(element, this.#seen)
    if (framed !== undefined) return this.#writeCode(framed)
    if (tagName === 'HR') return this.#writeApart('---')
    if (tagName === 'CODE') return this.#out.flowing(inlineCode(this.#seen.textIn(element)))
    if (tagName === 'BLOCKQUOTE') return this.#writeQuote(element)
    const heading = /^H([1-6])$/.exec(tagName)?.[1]
    const isApart = spaced.has(tagName) || heading !== undefined
    if (isApart) this.#out.gap()
    else if (hasLines(style)) this.#out.open()
    if (heading !== undefined) this.#out.exact(`${'#'.repeat(Number(heading))} `)
    if (tagName === 'LI') this.#out.exact(listMark(element))
    if (tagName === 'TD' || tagName === 'TH') this.#out.flowing(' | ')
    for (const child of listChildren(element)) this.write(child)
    if (isApart) this.#out.gap()
    else if (hasLines(style)) this.#out.close()
  }

  #writeApart(text: string): void {
    this.#out.gap()
    this.#out.exact(text)
    this.#out.gap()
  }

  #writeQuote(element: Element): void {
    const inner = new Markdown(this.#seen)
    for (const child of listChildren(element)) inner.write(child)
    this.hasGap ||= inner.hasGap
    this.#writeApart(inner.text().trim().replaceAll(/^/gm, '> '))
  }

  #writeCode({ text, language, title, hasGap }: CodeBlock): void {
    this.hasGap ||= hasGap
    // A reply that is shown as it was written has its own fences.
    if (/^ {0,3}(?:`{3}|~{3})/m.test(text)) {
      this.#out.open()
      this.#out.exact(text)
      return this.#out.close()
    }
    const fence = '`'.repeat(Math.max(2, longestOf(text.match(/`{3,}/g))) + 1)
    const code = `${fence}${language}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${fence}`
    this.#writeApart(title === '' ? code : `${title}\n${code}`)
  }
}

/** These may hold one code block and are no frame of it. */
const running = /^(?:LI|BLOCKQUOTE|TD|TH|P|DETAILS)$/

/** With as many backticks as it takes. */
function inlineCode(text: string): string {
  const mark = '`'.repeat(1 + longestOf(text.match(/`+/g)))
  return mark === '`' ? `\`${text}\`` : `${mark} ${text} ${mark}`
}

const longestOf = (texts: readonly string[] | null): number =>
  (texts ?? []).reduce((longest, { length }) => Math.max(longest, length), 0)

function listMark(item: Element): string {
  const list = item.parentElement
  if (list?.tagName !== 'OL') return '- '
  const first = Number(list.getAttribute('start') ?? 1)
  return `${first + [...list.children].indexOf(item)}. `
}
