import { useMemo } from 'preact/hooks'
import { look } from '../actions.ts'
import { kindOf } from '../diff/diffs.tsx'
import { Counts, Name } from '../parts.tsx'
import { detailOpen, looked, shownFiles } from '../store.ts'
import { VirtualList } from '../virtual-list.tsx'
import { formatCount } from '@clada/reply/core/words.ts'
import type { TouchedFile } from '../../../clada/src/ui/protocol.ts'

/** Everything that would be touched, as a tree. */
export function FileTree() {
  const files = shownFiles.value
  const rows = useMemo(() => rowsOfTree(files), [files])
  const at = looked.value
  const current = at.at === 'files' ? at.path : undefined
  if (files.length === 0) return null
  const added = files.reduce((all, one) => all + one.added, 0)
  const removed = files.reduce((all, one) => all + one.removed, 0)
  return (
    <details class="files" open>
      <summary>
        <span>{formatCount(files.length, 'file')} would change</span>
        <Counts of={{ path: '', change: 'modify', added, removed }} />
      </summary>
      <div class="tree" style={{ height: `${rows.length * rowHeight}px` }}>
        <VirtualList
          id="changed-files"
          role="list"
          label="Files that would change"
          count={rows.length}
          rowHeight={rowHeight}
          current={rows.findIndex(({ name }) => name === current)}
          row={(index) => {
            const row = rows[index]
            if (row?.file === undefined) return row && <Directory key={row.name} row={row} />
            return <Leaf key={row.name} row={row} file={row.file} isCurrent={row.name === current} />
          }}
        />
      </div>
    </details>
  )
}

const rowHeight = 26
const indent = (depth: number): string => `${12 + depth * 14}px`

const Directory = ({ row: { label, depth } }: { row: FileTreeRow }) => (
  <div role="listitem" class="dir" style={{ paddingInlineStart: indent(depth), height: `${rowHeight}px` }}>
    <Name of={label} />
  </div>
)

function Leaf({ row: { label, depth }, file, isCurrent }: { row: FileTreeRow; file: TouchedFile; isCurrent: boolean }) {
  const kind = kindOf(file)
  return (
    <div role="listitem">
      <button
        type="button"
        class={`leaf ${file.change} ${isCurrent ? 'current' : ''}`}
        aria-current={isCurrent}
        style={{ paddingInlineStart: indent(depth), height: `${rowHeight}px` }}
        onClick={() => {
          look({ at: 'files', path: file.path })
          detailOpen.value = true
        }}
      >
        <Name of={label} />
        {kind !== undefined && <span class={`tag ${file.change}`}>{kind}</span>}
        <Counts of={file} />
      </button>
    </div>
  )
}

interface FileTreeRow {
  readonly name: string
  readonly label: string
  readonly depth: number
  readonly file?: TouchedFile
}

/** Directories that hold one thing only are drawn together with it. */
function rowsOfTree(files: readonly TouchedFile[]): FileTreeRow[] {
  const rows: FileTreeRow[] = []
  let open: string[] = []
  for (const file of files) {
    const parts = file.path.split('/')
    const label = parts.pop() ?? ''
    let shared = 0
    while (shared < open.length && shared < parts.length && open[shared] === parts[shared]) shared++
    for (let depth = shared; depth < parts.length; depth++) {
      rows.push({ name: parts.slice(0, depth + 1).join('/') + '/', label: `${parts[depth]}/`, depth })
    }
    open = parts
    rows.push({ name: file.path, label, depth: parts.length, file })
  }
  return rows
}
