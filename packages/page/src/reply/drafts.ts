import { signal } from '@preact/signals'

/** Text that was typed and not used yet. It outlives Esc, another block, a reload and a crash of the tab. */
export interface TextDraft {
  /** The text that was there when the typing began. */
  readonly base: string
  readonly text: string
}

// Not `localStorage`: whatever is served at this port later could read it.
const prefix = 'clada-draft '

/** A reply that is typed, or pasted in parts. */
export const intakeDraft = 'intake'

/** Counts the changes, so that whatever shows a draft is drawn again. */
const version = signal(0)

export function readDraft(key: string): TextDraft | undefined {
  void version.value
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(prefix + key) ?? 'null')
    return isDraft(found) ? found : undefined
  } catch {
    return undefined
  }
}

/** A draft that says the same as its base is none. */
export function writeDraft(key: string, { base, text }: TextDraft): void {
  const isKnown = readDraft(key) !== undefined
  try {
    if (text === base) sessionStorage.removeItem(prefix + key)
    else sessionStorage.setItem(prefix + key, JSON.stringify({ base, text }))
  } catch {
    // Storage may be closed or full; then the draft lives as long as its box.
  }
  if (isKnown !== (text !== base)) version.value++
}

export function dropDraft(key: string): void {
  writeDraft(key, { base: '', text: '' })
}

const isDraft = (found: unknown): found is TextDraft =>
  typeof found === 'object' &&
  found !== null &&
  'base' in found &&
  typeof found.base === 'string' &&
  'text' in found &&
  typeof found.text === 'string'
