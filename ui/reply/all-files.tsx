import { computed } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FileChange } from '../../src/core/result.ts'
import type { TouchedFile } from '../../src/ui/protocol.ts'
import { lookAtBlock } from '../actions.ts'
import { get } from '../api.ts'
import { Diff, Nearby, Sections } from '../diff/diffs.tsx'
import { link, looked, plan, shownFiles } from '../store.ts'

/** All files that would change in one scroll. Each is fetched when it comes near what can be seen. */
export function AllFiles() {
  const files = shownFiles.value
  const at = looked.value
  const path = at.at === 'files' ? at.path : undefined
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const index = files.findIndex((file) => file.path === path)
    if (index === -1) return
    box.current?.querySelector('.diffs')?.children[index]?.scrollIntoView({ block: 'start' })
  }, [path])
  if (files.length === 0) return <p class="quiet pad">No file would change.</p>
  return (
    <div ref={box}>
      <Sections>
        {(mode) =>
          files.map((file) => (
            <Nearby key={file.path} height={heightOf(file)}>
              {() => <OneFile file={file} mode={mode} />}
            </Nearby>
          ))
        }
      </Sections>
    </div>
  )
}

/** About what its difference will take, in pixels. */
const heightOf = ({ added, removed, change }: TouchedFile): number =>
  36 + 20 * Math.min(400, change === 'modify' ? Math.max(added, removed) + 10 : added + removed)

/** The blocks that change each file. */
const blocksOf = computed(() => {
  const found = new Map<string, number[]>()
  for (const { key, files, outcome } of plan.value?.blocks ?? []) {
    if (outcome !== undefined) continue
    for (const { path } of files) found.set(path, [...(found.get(path) ?? []), key])
  }
  return found
})

function OneFile({ file, mode }: { file: TouchedFile; mode: 'split' | 'unified' }) {
  const [change, setChange] = useState<FileChange>()
  const revision = plan.value?.revision
  useEffect(() => {
    const gone = new AbortController()
    get<FileChange>(`/api/file?path=${encodeURIComponent(file.path)}`, gone.signal).then(setChange, () => undefined)
    return () => gone.abort()
  }, [file.path, revision, link.value])
  const keys = blocksOf.value.get(file.path) ?? []
  const tools = (
    <span class="by">
      {keys.slice(0, 3).map((key) => (
        <button
          key={key}
          type="button"
          class="chip"
          onClick={(event) => {
            event.preventDefault()
            lookAtBlock(key)
          }}
        >
          <span class="unseen">Go to </span>block {key + 1}
        </button>
      ))}
      {keys.length > 3 && <span class="quiet">and {keys.length - 3} more</span>}
    </span>
  )
  return <Diff section={{ file, change, tools }} mode={mode} />
}
