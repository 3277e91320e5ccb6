import type { ComponentChildren } from 'preact'
import { Key } from './parts.tsx'

interface Props {
  readonly act: () => unknown
  readonly children: ComponentChildren
  readonly kind?: 'primary' | 'plain' | 'danger'
  readonly quiet?: boolean
  readonly hint?: string
  readonly keys?: string
  readonly disabled?: boolean
  readonly pressed?: boolean
}

export function Button({ act, children, kind = 'plain', quiet = false, hint, keys, disabled = false, pressed }: Props) {
  return (
    <button
      type="button"
      class={`button ${kind} ${quiet ? 'quiet' : ''}`}
      title={hint}
      disabled={disabled}
      aria-pressed={pressed}
      aria-keyshortcuts={keys}
      onClick={() => void act()}
    >
      {children}
      {keys !== undefined && <Key of={keys} />}
    </button>
  )
}
