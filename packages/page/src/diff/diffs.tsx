import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FileChange } from '../../../clada/src/core/result.ts'
import type { ReviewedFile } from '../../../clada/src/core/review.ts'
import type { TouchedFile } from '../../../clada/src/ui/protocol.ts'
import { Counts, Path } from '../parts.tsx'
import { diffMode } from '../store.ts'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { type Choosing, CodeDiff } from './code-diff.tsx'

/** How a file is shown: its kind, the text beside its name, and the text in place of its diff. */
export interface DiffSection {
  readonly file: TouchedFile | FileChange | ReviewedFile
  /** Missing where it has to be fetched first. */
  readonly change: FileChange | undefined
  readonly choosing?: Choosing | undefined
  readonly tools?: ComponentChildren
  /** Shown instead of the difference. */
  readonly instead?: ComponentChildren
}

/** Files that change, one below the other, each with a heading that stays in sight. */
export function Diffs({ changes }: { changes: readonly FileChange[] }) {
  return (
    <Sections>
      {(mode) =>
        changes.map((change, index) => (
          <Diff key={change.path} section={{ file: change, change }} startsOpen={index < 6} mode={mode} />
        ))
      }
    </Sections>
  )
}

type Mode = 'split' | 'unified'

/** Side by side needs room. */
export function Sections({ children }: { children: (mode: Mode) => ComponentChildren }) {
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
      {children(narrow ? 'unified' : diffMode.value)}
    </div>
  )
}

/** The word beside the name of a file. */
export const kindOf = ({
  change,
  from,
}: Pick<TouchedFile, 'change' | 'from'>): 'new' | 'deleted' | 'moved' | undefined =>
  change === 'create' ? 'new' : change === 'delete' ? 'deleted' : from === undefined ? undefined : 'moved'

interface DiffProps {
  readonly section: DiffSection
  readonly mode: Mode
  readonly startsOpen?: boolean | undefined
}

export function Diff({ section: { file, change, choosing, tools, instead }, mode, startsOpen = true }: DiffProps) {
  const [open, setOpen] = useState(startsOpen)
  const kind = kindOf(file)
  const from = 'from' in file ? file.from : undefined
  return (
    <section class={`diff ${change === undefined ? 'waiting' : ''}`} aria-label={spellOut(file.path)}>
      <div class="diff-head">
        <button type="button" class="disclose" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Path path={file.path} />
          {kind !== undefined && <span class={`tag ${file.change}`}>{kind}</span>}
          {from !== undefined && <span class="quiet from">from {spellOut(from)}</span>}
        </button>
        {tools}
        <Counts of={file} />
      </div>
      {open &&
        (instead ??
          (change?.binary ? (
            <NotText of={file} />
          ) : (
            change && <CodeDiff change={change} mode={mode} choosing={choosing} />
          )))}
    </section>
  )
}

/** In place of a diff. */
export function NotText({ of }: { of: DiffSection['file'] }) {
  const isOnlyMoved = 'hunks' in of && of.hunks.length > 0 && of.hunks.every(({ kind }) => kind === 'move')
  const what = isOnlyMoved ? ': only its path changes.' : of.change === 'modify' ? ': the bytes differ.' : '.'
  return <p class="quiet pad">Not text{what}</p>
}

/**
 * One of many sections: it exists while it is near what can be seen, and otherwise keeps its place. `load` is called
 * when it comes near.
 */
export function Nearby({ height, children }: { height: number; children: () => ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(false)
  const kept = useRef(height)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry === undefined) return
        if (!entry.isIntersecting && element.firstChild !== null) kept.current = element.offsetHeight
        setNear(entry.isIntersecting)
      },
      { root: element.closest('.scroller'), rootMargin: '1000px 0px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={box} style={near ? undefined : { height: `${kept.current}px` }}>
      {near && children()}
    </div>
  )
}
