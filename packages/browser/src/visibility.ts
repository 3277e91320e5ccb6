import { listChildren, isControl, findParent } from './dom.ts'
import { type Colour, parseColour, largestDifference, paintOver } from './colour.ts'
import type { LeftOut, WhyHidden } from './messages.ts'

/**
 * Which texts of a reply can be seen on the page. A hostile page hides text from the eye that a script still reads, so
 * every text is judged by how the browser lays it out and paints it. What covers a text, and what its font draws, is not
 * known here: the panel, which shows all that was read, is what the user decides by.
 */
export class Visibility {
  /** What was left out, in order. */
  readonly left: LeftOut[] = []
  /** Texts of which not everything can be seen, with what can. */
  readonly #seen = new Map<Text, string>()
  readonly #range = document.createRange()
  /** Whether the text before was left out, so that the next one continues it. */
  #continues = false

  constructor(root: Element) {
    const around = ancestorsOf(root).reduce((outer, one) => enter(one, outer, 'around'), pageSurroundings())
    this.#walk(root, around)
  }

  /** The text of a node, without what cannot be seen. */
  readonly dataOf = (text: Text): string => this.#seen.get(text) ?? text.data

  readonly textIn = (node: Node): string => {
    if (node instanceof Text) return this.dataOf(node)
    if (!(node instanceof Element)) return ''
    return Array.from(listChildren(node), this.textIn).join('')
  }

  #walk(element: Element, parent: InheritedStyle): void {
    if (isControl(element)) return
    const here = enter(element, parent, 'inside')
    const style = getComputedStyle(element)
    for (const child of listChildren(element)) {
      if (child instanceof Element) this.#walk(child, hiddenByDetails(element, child) ? { ...here, hidden } : here)
      else if (child instanceof Text && child.data.trim() !== '') this.#judge(child, element, style, here)
    }
  }

  #judge(text: Text, parent: Element, style: CSSStyleDeclaration, around: InheritedStyle): void {
    const isInCode = parent.closest('pre, code') !== null
    const why = whyHidden(parent, style, around) ?? this.#whyTooSmall(text)
    const seen = why === undefined ? this.#within(text, around.region) : ''
    if (seen === text.data) return void (this.#continues = false)
    this.#seen.set(text, seen)
    const left = {
      why: why ?? 'cut off',
      text: why === undefined ? missingLines(text.data, seen) : text.data,
      isInCode,
    }
    const last = this.#continues ? this.left.at(-1) : undefined
    if (last?.why === left.why && last.isInCode === isInCode)
      this.left[this.left.length - 1] = { ...last, text: last.text + left.text }
    else this.left.push(left)
    this.#continues = true
  }

  #whyTooSmall(text: Text): WhyHidden | undefined {
    const boxes = this.#boxesOf(text)
    if (boxes.length === 0) return 'not displayed'
    const width = boxes.reduce((sum, box) => sum + box.width, 0)
    const height = boxes.reduce((most, box) => Math.max(most, box.height), 0)
    return height < leastHeight || width < leastWidth * text.data.replaceAll(/\s/g, '').length ? 'too small' : undefined
  }

  /** The lines of a text that can be seen where it is, or be scrolled to. */
  #within(text: Text, region: ScreenArea): string {
    const boxes = this.#boxesOf(text)
    if (boxes.every((box) => isWithinArea(box, region))) return text.data
    let at = 0
    const lines = text.data.split(/(?<=\n)/).filter((line) => {
      const boxesOfLine = line.trim() === '' ? [] : this.#boxesOf(text, at, at + line.length)
      at += line.length
      return boxesOfLine.every((box) => isWithinArea(box, region))
    })
    return lines.every((line) => line.trim() === '') ? '' : lines.join('')
  }

  #boxesOf(text: Text, from = 0, to = text.length): DOMRect[] {
    this.#range.setStart(text, from)
    this.#range.setEnd(text, to)
    return [...this.#range.getClientRects()].filter(({ width, height }) => width > 0 || height > 0)
  }
}

/** The colour that is painted behind an element; undefined where it is a picture. */
export const findBackground = (element: Element): Colour | undefined =>
  ancestorsOf(element).reduce((around, ancestor) => enter(ancestor, around, 'around'), pageSurroundings()).background

/** CSS pixels on the screen. */
const leastHeight = 4
/** For one character. Letters of proportional fonts are about 3 wide at 6 px. */
const leastWidth = 0.8
/** The least opacity of a text that counts as visible. */
const leastOpacity = 0.15
/** Of 255, in at least one of red, green and blue. */
const leastContrast = 16
const mostBlur = 1.5

/** An area in pixels of the window. */
interface ScreenArea {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** What the elements around a text do to it. */
interface InheritedStyle {
  readonly hidden: WhyHidden | undefined
  readonly opacity: number
  /** Undefined where it is a picture. */
  readonly background: Colour | undefined
  /** Where something can be seen, or be scrolled to. */
  readonly region: ScreenArea
}

const hidden: WhyHidden = 'not displayed'

function ancestorsOf(element: Element): Element[] {
  const found: Element[] = []
  for (let one = findParent(element); one !== null; one = findParent(one)) found.unshift(one)
  return found
}

function pageSurroundings(): InheritedStyle {
  const { documentElement: root, body } = document
  const isDark = /dark/.test(getComputedStyle(root).colorScheme) && matchMedia('(prefers-color-scheme: dark)').matches
  const background: Colour = isDark ? [18, 18, 18, 1] : [255, 255, 255, 1]
  const own = getComputedStyle(root)
  const { overflowX, overflowY } =
    own.overflowX === 'visible' && own.overflowY === 'visible' ? getComputedStyle(body) : own
  const { scrollX, scrollY } = window
  const { scrollWidth, scrollHeight, clientWidth } = root
  const isRight = own.direction === 'rtl'
  const region = {
    left: isRight ? clientWidth - scrollWidth - scrollX : -scrollX,
    right: isRight ? clientWidth - scrollX : scrollWidth - scrollX,
    top: -scrollY,
    bottom: scrollHeight - scrollY,
  }
  const isFixed = (overflow: string): boolean => overflow === 'hidden' || overflow === 'clip'
  return {
    hidden: undefined,
    opacity: 1,
    background,
    region: {
      left: isFixed(overflowX) ? 0 : region.left,
      right: isFixed(overflowX) ? innerWidth : region.right,
      top: isFixed(overflowY) ? 0 : region.top,
      bottom: isFixed(overflowY) ? innerHeight : region.bottom,
    },
  }
}

/** `where`: masks outside of a reply are for the edges of what scrolls, and many pages have them. */
function enter(element: Element, around: InheritedStyle, where: 'around' | 'inside'): InheritedStyle {
  const style = getComputedStyle(element)
  const isPage = element === document.documentElement || element === document.body
  const region = isPage ? around.region : regionIn(element, style, around.region)
  const background = parseColour(style.backgroundColor)
  return {
    hidden: around.hidden ?? whyHiddenInside(style, where),
    opacity: around.opacity * Number(style.opacity),
    background:
      style.backgroundImage !== 'none' || background === undefined || around.background === undefined
        ? backgroundAbove(background)
        : paintOver(background, around.background),
    region,
  }
}

/** Above a picture only an opaque colour is known. */
const backgroundAbove = (colour: Colour | undefined): Colour | undefined => (colour?.[3] === 1 ? colour : undefined)

/** Why nothing in an element can be seen. */
function whyHiddenInside(style: CSSStyleDeclaration, where: 'around' | 'inside'): WhyHidden | undefined {
  if (style.display === 'none' || style.contentVisibility === 'hidden') return 'not displayed'
  if (isFilteredOut(style.filter)) return 'transparent'
  const shape = style.clipPath
  if ((shape !== 'none' && shape !== '' && !shape.startsWith('inset(')) || hasClip(style)) return 'cut off'
  if (where === 'inside' && style.maskImage.split(',').some((image) => !/^\s*(?:none)?\s*$/.test(image)))
    return 'masked'
  const turned = style.backfaceVisibility === 'hidden' && style.transform.startsWith('matrix3d')
  return turned && new DOMMatrixReadOnly(style.transform).m33 < 0 ? 'not displayed' : undefined
}

/** `clip` is for positioned elements only. */
const hasClip = ({ clip, position }: CSSStyleDeclaration): boolean =>
  clip !== 'auto' && clip !== '' && (position === 'absolute' || position === 'fixed')

function isFilteredOut(filter: string): boolean {
  if (filter === 'none' || filter === '') return false
  const amounts = [...filter.matchAll(/(opacity|blur|brightness|contrast)\(([\d.]+)/g)]
  return (
    filter.includes('url(') ||
    amounts.some(([, kind, amount]) => (kind === 'blur' ? Number(amount) > mostBlur : Number(amount) < leastOpacity))
  )
}

/** A closed `details` shows its summary only. */
const hiddenByDetails = (element: Element, child: Element): boolean =>
  element instanceof HTMLDetailsElement && !element.open && child !== element.querySelector(':scope > summary')

function whyHidden(parent: Element, style: CSSStyleDeclaration, around: InheritedStyle): WhyHidden | undefined {
  if (around.hidden !== undefined) return around.hidden
  if (style.visibility !== 'visible') return 'not displayed'
  if (style.display !== 'contents' && !parent.checkVisibility()) return 'not displayed'
  if (
    style.getPropertyValue('-webkit-text-security') !== '' &&
    style.getPropertyValue('-webkit-text-security') !== 'none'
  )
    return 'masked'
  const colour = parseColour(style.webkitTextFillColor || style.color)
  if (around.opacity < leastOpacity) return 'transparent'
  if (colour === undefined) return undefined
  const alpha = colour[3] * around.opacity
  if (alpha < leastOpacity) return 'transparent'
  const { background } = around
  if (background === undefined) return undefined
  const painted = paintOver([colour[0], colour[1], colour[2], alpha], background)
  return largestDifference(painted, background) < leastContrast ? 'in the colour of its background' : undefined
}

/** Where the content of an element can be seen, or be scrolled to. */
function regionIn(element: Element, style: CSSStyleDeclaration, around: ScreenArea): ScreenArea {
  const { display, overflowX, overflowY, clipPath, position } = style
  // What is fixed does not scroll with the page.
  const region = position === 'fixed' ? { left: 0, top: 0, right: innerWidth, bottom: innerHeight } : around
  if (display === 'inline' || display === 'contents') return region
  const isInset = clipPath.startsWith('inset(')
  const isClipped = isInset || /paint|strict|content/.test(style.contain)
  if (overflowX === 'visible' && overflowY === 'visible' && !isClipped) return region
  const box = element.getBoundingClientRect()
  const seen = insetBy(clipPath, box)
  const across = axis([region.left, region.right], [seen.left, seen.right], {
    overflow: isInset || (isClipped && overflowX === 'visible') ? 'clip' : overflowX,
    start: box.left + element.clientLeft - element.scrollLeft,
    shown: element.clientWidth,
    whole: element.scrollWidth,
    isReversed: style.direction === 'rtl' || (/flex/.test(display) && style.flexDirection === 'row-reverse'),
  })
  const down = axis([region.top, region.bottom], [seen.top, seen.bottom], {
    overflow: isInset || (isClipped && overflowY === 'visible') ? 'clip' : overflowY,
    start: box.top + element.clientTop - element.scrollTop,
    shown: element.clientHeight,
    whole: element.scrollHeight,
    isReversed: /flex/.test(display) && style.flexDirection === 'column-reverse',
  })
  return { left: across[0], right: across[1], top: down[0], bottom: down[1] }
}

interface Axis {
  readonly overflow: string
  /** Where the content begins that is shown when nothing is scrolled. */
  readonly start: number
  readonly shown: number
  readonly whole: number
  /** Whether it scrolls towards the start. */
  readonly isReversed: boolean
}

type TextSpan = readonly [from: number, to: number]

function axis(around: TextSpan, box: TextSpan, { overflow, start, shown, whole, isReversed }: Axis): TextSpan {
  if (overflow === 'visible') return around
  const seen: TextSpan = [Math.max(around[0], box[0]), Math.min(around[1], box[1])]
  if (overflow === 'hidden' || overflow === 'clip' || seen[1] - seen[0] < leastHeight) return seen
  const from = isReversed ? start + shown - whole : start
  return [from, from + whole]
}

function insetBy(shape: string, { left, top, right, bottom }: DOMRect): ScreenArea {
  const given = /^inset\(([^)]*?)(?: round .*)?\)$/.exec(shape)?.[1]?.trim().split(/\s+/)
  if (given === undefined) return { left, top, right, bottom }
  const [above = '0', beside = above, below = above, before = beside] = given
  const length = (text: string, whole: number): number =>
    (parseFloat(text) || 0) * (text.endsWith('%') ? whole / 100 : 1)
  const [width, height] = [right - left, bottom - top]
  return {
    left: left + length(before, width),
    top: top + length(above, height),
    right: right - length(beside, width),
    bottom: bottom - length(below, height),
  }
}

/** Slanted letters reach a little beyond their box, and tight lines overlap. */
const slack = 4

const isWithinArea = (box: DOMRect, { left, top, right, bottom }: ScreenArea): boolean => {
  const middle = (box.top + box.bottom) / 2
  return box.left >= left - slack && box.right <= right + slack && middle >= top && middle <= bottom && right - left > 1
}

/** The lines of a text that another one, made of some of its lines, has not. */
function missingLines(text: string, seen: string): string {
  const kept = seen.split(/(?<=\n)/)
  return text
    .split(/(?<=\n)/)
    .filter((line) => {
      if (kept[0] !== line) return true
      kept.shift()
      return false
    })
    .join('')
}
