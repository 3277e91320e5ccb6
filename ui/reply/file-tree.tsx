import { look } from '../actions.ts'
import { Counts } from '../parts.tsx'
import { detailOpen, looked, plan } from '../store.ts'
import { plural, shown } from '../words.ts'
import type { TouchedFile } from '../../src/ui/protocol.ts'

/** Everything that would be touched, as a tree. */
export function FileTree() {
  const files = plan.value?.files ?? []
  if (files.length === 0) return null
  const added = files.reduce((all, one) => all + one.added, 0)
  const removed = files.reduce((all, one) => all + one.removed, 0)
  return (
    <details class="files" open>
      <summary>
        <span>{plural(files.length, 'file')} would change</span>
        <Counts of={{ path: '', change: 'modify', added, removed }} />
      </summary>
      <ul class="tree">
        {rowsOf(files)
          .slice(0, maxRows)
          .map((row) =>
            row.file === undefined ? (
              <li key={row.name} class="dir" style={{ paddingInlineStart: `${indent(row.depth)}px` }}>
                <bdi>{shown(row.label)}</bdi>
              </li>
            ) : (
              <Leaf key={row.name} file={row.file} label={row.label} depth={row.depth} />
            ),
          )}
        {files.length > maxRows && <li class="quiet">and {files.length - maxRows} more</li>}
      </ul>
    </details>
  )
}

/** Nobody reads more than that as a tree. */
const maxRows = 400
const indent = (depth: number): number => 12 + depth * 14

function Leaf({ file, label, depth }: { file: TouchedFile; label: string; depth: number }) {
  const at = looked.value
  const current = at.at === 'file' && at.path === file.path
  return (
    <li>
      <button
        type="button"
        class={`leaf ${file.change} ${current ? 'current' : ''}`}
        aria-current={current}
        style={{ paddingInlineStart: `${indent(depth)}px` }}
        onClick={() => {
          look({ at: 'file', path: file.path })
          detailOpen.value = true
        }}
      >
        <bdi>{shown(label)}</bdi>
        {file.change !== 'modify' && (
          <span class={`tag ${file.change}`}>{file.change === 'create' ? 'new' : 'deleted'}</span>
        )}
        <Counts of={file} />
      </button>
    </li>
  )
}

interface Row {
  readonly name: string
  readonly label: string
  readonly depth: number
  readonly file?: TouchedFile
}

/** Directories that hold one thing only are drawn together with it. */
function rowsOf(files: readonly TouchedFile[]): Row[] {
  const rows: Row[] = []
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
