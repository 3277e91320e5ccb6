import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FileChange } from '../../src/core/result.ts'
import { diffMode } from '../store.ts'
import { Counts, Path } from '../parts.tsx'

/** Files that change, one below the other. All but the first few wait until they are opened. */
export function Diffs({ changes }: { changes: readonly FileChange[] }) {
  return (
    <div class="diffs">
      {changes.map((change, index) => (
        <Diff key={change.path} change={change} startsOpen={index < 6} />
      ))}
    </div>
  )
}

const kinds = { create: 'new', modify: '', delete: 'deleted' } as const

function Diff({ change, startsOpen }: { change: FileChange; startsOpen: boolean }) {
  const [open, setOpen] = useState(startsOpen)
  return (
    <details class="diff" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Path path={change.path} />
        {kinds[change.change] !== '' && <span class={`tag ${change.change}`}>{kinds[change.change]}</span>}
        <Counts of={change} />
      </summary>
      {open && (change.binary ? <p class="quiet pad">Not a text: its bytes differ.</p> : <Editors change={change} />)}
    </details>
  )
}

/** The editor is loaded with the first diff. */
function Editors({ change }: { change: FileChange }) {
  const box = useRef<HTMLDivElement>(null)
  const asked = diffMode.value
  const [narrow, setNarrow] = useState(false)
  const mode = narrow ? 'unified' : asked

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setNarrow(element.clientWidth < 720))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    let remove: (() => void) | undefined
    let gone = false
    void import('./editors.ts').then(({ showDiff }) => {
      if (!gone) remove = showDiff(element, change, mode)
    })
    return () => {
      gone = true
      remove?.()
    }
  }, [change, mode])

  return <div ref={box} class={`editors whole-${change.change}`} />
}
