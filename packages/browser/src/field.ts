import { findShadow } from './dom.ts'

/** Puts a text into the field for the next message, by the events that typing makes. Whether it is there then. */
export function insert(text: string): boolean {
  const field = findField(document)
  if (field === undefined) return false
  field.focus()
  if (field instanceof HTMLTextAreaElement) {
    if (field.value !== '') field.setSelectionRange(field.value.length, field.value.length)
    const before = field.value
    document.execCommand('insertText', false, text)
    if (field.value === before) {
      field.setRangeText(text, before.length, before.length, 'end')
      field.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: 'insertText', data: text }))
    }
    return field.value.includes(text)
  }
  const range = document.createRange()
  range.selectNodeContents(field)
  range.collapse(false)
  const selection = getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
  const isThere = (): boolean => withoutSpace(field.textContent).includes(withoutSpace(text))
  // Editors know what to do with lines that are pasted, and not with those that are typed all at once.
  const data = new DataTransfer()
  data.setData('text/plain', text)
  const isTaken = !field.dispatchEvent(
    new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true, composed: true }),
  )
  if (!isTaken && !isThere()) document.execCommand('insertText', false, text)
  return isTaken || isThere()
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '')

/** The field that has the focus, or had it last, or else the lowest one in sight. */
function findField(root: Document | ShadowRoot): HTMLElement | undefined {
  const active = deepest(document.activeElement)
  if (isField(active)) return active
  if (last?.isConnected === true && isField(last)) return last
  return fieldsIn(root)
    .filter(isField)
    .toSorted((a, b) => b.getBoundingClientRect().bottom - a.getBoundingClientRect().bottom)[0]
}

let last: Element | undefined
document.addEventListener(
  'focusin',
  (event) => {
    const [target] = event.composedPath()
    if (target instanceof Element && isField(target)) last = target
  },
  true,
)

function deepest(element: Element | null): Element | null {
  for (let one = element; one !== null;) {
    const inner: Element | null = findShadow(one)?.activeElement ?? null
    if (inner === null) return one
    one = inner
  }
  return null
}

function fieldsIn(root: Document | ShadowRoot): Element[] {
  const found = [...root.querySelectorAll('textarea, [contenteditable]')]
  for (const element of root.querySelectorAll('*')) {
    const shadow = findShadow(element)
    if (shadow !== null) found.push(...fieldsIn(shadow))
  }
  return found
}

function isField(element: Element | null): element is HTMLElement {
  if (!(element instanceof HTMLElement)) return false
  const isText =
    element instanceof HTMLTextAreaElement ? !element.readOnly && !element.disabled : element.isContentEditable
  const { width, height } = element.getBoundingClientRect()
  return (
    isText && width > 40 && height > 10 && element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  )
}
