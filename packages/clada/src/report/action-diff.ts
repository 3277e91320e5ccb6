import { type ActionResult, type FileChange } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { renderDiff } from '@clada/reply/text/shown-diff.ts'
import { primaryOf } from './words.ts'

export interface DiffLimits {
  /** Lines for everything an action did. */
  readonly lines: number
  /** Characters of a line. */
  readonly width: number
}

/** What an action really did to files, within limits. Files that its own line does not name are named. */
export function changeLines(
  result: Pick<ActionResult, 'params'>,
  changes: readonly FileChange[],
  { lines: most, width }: DiffLimits,
): string[] {
  const moved = movedFile(changes)
  if (moved !== undefined) return [moved]
  const named = primaryOf(result).replace(/@@.*$/s, '')
  const lines: string[] = []
  for (const [index, change] of changes.entries()) {
    if (lines.length > most - 2) return [...lines, `… and ${formatCount(changes.length - index, 'more file')}`]
    const isNamed = changes.length === 1 && (named === change.path || named.endsWith(`/${change.path}`))
    const head = [...(isNamed ? [] : [change.path]), ...describeState(change)].join(', ')
    if (head !== '') lines.push(head)
    if (!change.binary) lines.push(...diffBody(change, { lines: most - lines.length, width }))
  }
  return lines
}

/** A file that only got another name; a file that it displaced is a change of its own. */
function movedFile(changes: readonly FileChange[]): string | undefined {
  const gone = changes.find(({ change }) => change === 'delete')
  const came = changes.find(({ change }) => change === 'create')
  if (changes.length !== 2 || gone === undefined || came === undefined || gone.binary !== came.binary) return undefined
  return gone.before === came.after ? `${gone.path} → ${came.path}` : undefined
}

function describeState({ change, binary, before, after }: FileChange): string[] {
  const lines = (text: string | null): string[] => (binary ? ['binary'] : [formatCount(countLines(text ?? ''), 'line')])
  if (change === 'create') return ['new', ...lines(after)]
  if (change === 'delete') return ['deleted', ...lines(before)]
  return binary ? ['binary'] : []
}

/** The number of lines by which a whole file is recognised. */
const wholeLines = 8

/** What came or went whole needs no line numbers, and no word about its end. */
function diffBody({ change, before, after }: FileChange, { lines, width }: DiffLimits): string[] {
  if (lines < 1) return []
  if (change === 'modify') return renderDiff(before ?? '', after ?? '', { maxLines: lines, width })
  const all = renderDiff(before ?? '', after ?? '', { maxLines: Math.min(lines, wholeLines) + 1, width }).slice(1)
  return all.filter((line) => !line.startsWith('\\'))
}

const countLines = (text: string): number => (text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0))
