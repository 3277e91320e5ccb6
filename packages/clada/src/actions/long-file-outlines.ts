import type { ActionContext } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import type { OutlineRow, Outlines } from '../core/result.ts'
import { withTimeLimit } from '../core/time-limit.ts'
import type { OutlineEntry } from '../structure/document.ts'
import { attempt } from './common.ts'
import { onStructures } from './on-structures.ts'

/** A file that was read whole. */
export interface WholeFile {
  readonly path: PathArg
  readonly text: string
}

/** The outlines of those files that are long; undefined where none is, or none is asked for. */
export async function outlinesOf(files: readonly WholeFile[], context: ActionContext): Promise<Outlines | undefined> {
  const long = context.outlines ? files.filter(({ text }) => text.length > longFile) : []
  if (long.length === 0) return undefined
  const outlines: [string, readonly OutlineRow[]][] = []
  for (const file of long) outlines.push([file.path.given, await outlineRowsOf(file, context)])
  return Object.fromEntries(outlines)
}

/** Characters. About 1,500 tokens: a model that needs one function of a file should not have to read more. */
export const longFile = 6000

async function outlineRowsOf({ path, text }: WholeFile, context: ActionContext): Promise<readonly OutlineRow[]> {
  if (text.length > largestOutlined) return []
  const outcome = await withTimeLimit(mostMs, () =>
    attempt(() => onStructures(context, [path], (operations, given = '') => operations.list_structures(given))),
  )
  if (!outcome.ok) return []
  const { outlineView } = await import('../structure/outline-view.ts')
  return flatRows(outlineView(outcome.data.structures), 1)
}

const largestOutlined = 512 * 1024
/** On a busy machine the first parser takes a second to load; without an outline the whole file is in the report. */
const mostMs = 5000

const flatRows = (entries: readonly OutlineEntry[], depth: number): OutlineRow[] =>
  entries.flatMap(({ header, lines, children = [] }) => [{ header, lines, depth }, ...flatRows(children, depth + 1)])
