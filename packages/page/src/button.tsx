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
  /** Of a button that only has a sign. */
  readonly name?: string
}

export function Button(props: Props) {
  const { act, children, kind = 'plain', quiet = false, hint, keys, disabled = false, pressed, name } = props
  return (
    <button
      type="button"
      class={`button ${kind} ${quiet ? 'quiet' : ''}`}
      title={keys === undefined ? hint : `${hint ?? name ?? ''} (${keys})`.trim()}
      aria-label={name}
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

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  readonly choose: (value: T) => unknown
  readonly hint?: string
}

/** Two or three ways of which one is on. */
export function Segments<T extends string>({ label, value, options, choose, hint }: SegmentsProps<T>) {
  return (
    <span class="segments" role="group" aria-label={label} title={hint}>
      {options.map(([name, text]) => (
        <button key={name} type="button" aria-pressed={name === value} onClick={() => void choose(name)}>
          {text}
        </button>
      ))}
    </span>
  )
}
