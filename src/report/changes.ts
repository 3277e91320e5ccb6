import { counted } from '../core/counted.ts'
import type { ActionResult, Evidence } from '../core/result.ts'

/** Where one file changed and how much, on one line, with the few lines of the difference below it. */
function changeLines(
  { path, change, to, added, removed, lines = [], binary, diff = [] }: Evidence,
  matched?: string,
): string[] {
  const name = change === 'move' ? `${path} → ${to ?? ''}` : path
  const state = change === 'create' ? ' new' : change === 'delete' ? ' deleted' : ''
  if (binary !== undefined) return [`${name}${state}, ${counted(binary, 'byte')}, binary`]
  const how = matched === undefined ? '' : `, matched by ${matched}`
  const many = lines.length > 1 ? ` in ${lines.length} places` : ''
  const count = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(' ')
  const size = count === '' ? '' : ` (${count})`
  const hidden = diff.length > 0 && diff.length < added + removed ? `, ${diff.length} of these lines:` : ''
  return [`${name}${at(lines)}${state}${size}${many}${how}${hidden}`, ...diff.map((line) => `  ${line}`)]
}

function at(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `:${lines.slice(0, mostPlaces).join(',')}${lines.length > mostPlaces ? ',…' : ''}`
}

const mostPlaces = 6

/** The same for every file of an action, each line after a mark. */
export const changedLines = (result: ActionResult, mark = ''): string[] =>
  (result.changes ?? []).flatMap((change) => changeLines(change, matchedBy(result))).map((line) => `${mark}${line}`)

/** How the edit found its place, if not exactly as written. */
function matchedBy({ data }: ActionResult): string | undefined {
  if (typeof data !== 'object' || data === null || !('matched' in data)) return undefined
  return String(data.matched)
}
