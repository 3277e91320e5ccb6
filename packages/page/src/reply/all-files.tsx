import { computed } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FileChange } from '../../../clada/src/core/result.ts'
import type { BlockDetail, TouchedFile } from '../../../clada/src/ui/protocol.ts'
import { lookAtBlock } from '../actions.ts'
import { get } from '../api.ts'
import { Diff, Nearby, Sections } from '../diff/diffs.tsx'
import { link, looked, plan, shownFiles } from '../store.ts'
import { BlockFile } from './block-files.tsx'

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
            <Nearby key={file.path} height={estimateHeight(file)}>
              {() => <OneFile file={file} mode={mode} />}
            </Nearby>
          ))
        }
      </Sections>
    </div>
  )
}

/** About what its difference will take, in pixels. */
const estimateHeight = ({ added, removed, change }: TouchedFile): number =>
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

type FoundChange = { readonly change: FileChange } | { readonly detail: BlockDetail }

/** A file that one block changes is shown with its changes to choose from. */
function OneFile({ file, mode }: { file: TouchedFile; mode: 'split' | 'unified' }) {
  const [found, setFound] = useState<FoundChange>()
  const revision = plan.value?.revision
  const before = file.from === undefined ? [] : (blocksOf.value.get(file.from) ?? [])
  const keys = [...new Set([...before, ...(blocksOf.value.get(file.path) ?? [])])]
  const [only, ...others] = keys
  const isOne = only !== undefined && others.length === 0
  useEffect(() => {
    const gone = new AbortController()
    const { signal } = gone
    const asked = isOne
      ? get<BlockDetail | null>(`/api/block?key=${only}&revision=${revision}`, signal).then(
          (detail) => detail && setFound({ detail }),
        )
      : get<FileChange | null>(`/api/file?path=${encodeURIComponent(file.path)}&revision=${revision}`, signal).then(
          (change) => change && setFound({ change }),
        )
    asked.catch(() => undefined)
    return () => gone.abort()
  }, [file.path, only, isOne, revision, link.value])
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
  if (found !== undefined && 'detail' in found) {
    const { detail } = found
    const block = plan.value?.blocks[detail.key]
    const own = detail.files.find(({ path }) => path === file.path)
    if (block !== undefined && own !== undefined)
      return <BlockFile of={{ block, choice: detail.choice }} file={own} mode={mode} tools={tools} />
  }
  const change = found !== undefined && 'change' in found ? found.change : undefined
  return <Diff section={{ file, change, tools }} mode={mode} />
}
