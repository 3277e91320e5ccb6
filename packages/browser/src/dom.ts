/** The tree of a page as it is drawn, through shadows and slots. */

/** The nodes that are drawn in an element: those of its shadow, if it has one, and in a slot those that fill it. */
export function listChildren(element: Element): Iterable<Node> {
  const root = findShadow(element)
  if (root !== null) return root.childNodes
  if (element instanceof HTMLSlotElement) {
    const filled = element.assignedNodes()
    if (filled.length > 0) return filled
  }
  return element.childNodes
}

/** The shadow of an element, also a closed one. */
export function findShadow(element: Element): ShadowRoot | null {
  if (element.shadowRoot !== null) return element.shadowRoot
  if (!element.localName.includes('-')) return null
  if (element.openOrClosedShadowRoot !== undefined) return element.openOrClosedShadowRoot
  return element instanceof HTMLElement ? (chrome.dom?.openOrClosedShadowRoot(element) ?? null) : null
}

/** The element around, through the border of a shadow. */
export function findParent(element: Element): Element | null {
  if (element.parentElement !== null) return element.parentElement
  const root = element.parentNode
  return root instanceof ShadowRoot ? root.host : null
}

const controls = new Set(
  'SCRIPT STYLE NOSCRIPT TEMPLATE SVG BUTTON INPUT TEXTAREA SELECT IFRAME OBJECT CANVAS VIDEO AUDIO DIALOG'.split(' '),
)

/** Whether an element is something to operate, and no text of a reply. */
export const isControl = (element: Element): boolean =>
  controls.has(element.tagName.toUpperCase()) ||
  element.getAttribute('role') === 'button' ||
  (element instanceof HTMLElement && element.isContentEditable)

export const keepsBreaks = ({ whiteSpace }: CSSStyleDeclaration): boolean =>
  /^(?:pre|break-spaces|preserve)/.test(whiteSpace)

/** Whether an element begins and ends lines. */
export const hasLines = ({ display }: CSSStyleDeclaration): boolean =>
  /^(?:block|flex|grid|list-item|table|flow-root)(?!-cell)/.test(display)

export const isCodeBlock = ({ tagName }: Element, style: CSSStyleDeclaration): boolean =>
  tagName === 'PRE' || (tagName === 'CODE' && hasLines(style) && keepsBreaks(style))
