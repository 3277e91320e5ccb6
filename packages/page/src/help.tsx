import { useEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { shortcuts, type Shortcut } from './shortcuts.ts'
import { helpOpen, singleKeys, writeStored } from './store.ts'

const headings = [
  ['everywhere', 'Everywhere'],
  ['reply', 'In a reply'],
  ['timeline', 'In the history'],
  ['prompt', 'In the prompt'],
] as const

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  const open = helpOpen.value
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal()
    if (!open) dialog.current?.close()
  }, [open])
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => (helpOpen.value = false)}>
      <header class="row">
        <h2 id="help-title">Keyboard shortcuts</h2>
        <Button quiet act={() => (helpOpen.value = false)}>
          Close
        </Button>
      </header>
      <div class="columns">
        {headings.map(([where, title]) => (
          <section key={where}>
            <h3>{title}</h3>
            <dl>
              {shortcuts
                .filter((one) => one.in === where)
                .map((one) => (
                  <div key={one.what} class="shortcut">
                    <dt>{shortcutKeys(one)}</dt>
                    <dd>{one.what}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={singleKeys.value}
          onChange={(event) => {
            singleKeys.value = event.currentTarget.checked
            writeStored('clada-keys', singleKeys.value ? 'on' : 'off')
          }}
        />
        Shortcuts of a single letter
      </label>
    </dialog>
  )
}

const names: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowDown: '↓',
  ArrowUp: '↑',
  Escape: 'Esc',
  PageDown: 'PgDn',
  PageUp: 'PgUp',
}

const shortcutKeys = ({ keys }: Shortcut) =>
  keys.map((key) => (
    <kbd key={key} class="key">
      {names[key] ?? key}
    </kbd>
  ))
