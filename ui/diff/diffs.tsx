import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FileChange } from '../../src/core/result.ts'
import { Counts, Path } from '../parts.tsx'
import { diffMode } from '../store.ts'
import { CodeDiff } from './code-diff.tsx'

/** Files that change, one below the other. All but the first few wait until they are opened. */
export function Diffs({ changes }: { changes: readonly FileChange[] }) {
  const box = useRef<HTMLDivElement>(null)
  const [narrow, setNarrow] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setNarrow(element.clientWidth < 640))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div class="diffs" ref={box}>
      {changes.map((change, index) => (
        <Diff key={change.path} change={change} startsOpen={index < 6} mode={narrow ? 'unified' : diffMode.value} />
      ))}
    </div>
  )
}

const kinds = { create: 'new', modify: '', delete: 'deleted' } as const

function Diff({ change, startsOpen, mode }: { change: FileChange; startsOpen: boolean; mode: 'split' | 'unified' }) {
  const [open, setOpen] = useState(startsOpen)
  return (
    <details class="diff" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Path path={change.path} />
        {kinds[change.change] !== '' && <span class={`tag ${change.change}`}>{kinds[change.change]}</span>}
        <Counts of={change} />
      </summary>
      {open &&
        (change.binary ? (
          <p class="quiet pad">Not a text: its bytes differ.</p>
        ) : (
          <CodeDiff change={change} mode={mode} />
        ))}
    </details>
  )
}
