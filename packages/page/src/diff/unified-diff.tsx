import { parsePatch } from 'diff'
import { useMemo } from 'preact/hooks'
import { spellOut } from '@clada/reply/text/spell-out.ts'
import { isolateParts } from '../parts.tsx'
import { CodeDiff } from './code-diff.tsx'

/** A difference that came as text, in the colours of all others. */
export function UnifiedDiff({ path, diff }: { path: string; diff: string }) {
  const hunks = useMemo(() => textHunksIn(diff), [diff])
  // A text that is no diff is shown as it is: the question must be answered all the same.
  if (hunks === undefined) return <pre class="command">{isolateParts(spellOut(diff))}</pre>
  if (hunks.length === 0)
    return <p class="quiet pad">{diff === '' ? 'No lines change.' : 'Not text: the bytes differ.'}</p>
  return (
    <div class="diffs">
      {hunks.map(({ start, before, after }) => (
        <CodeDiff
          key={`${start.left} ${start.right}`}
          change={{ path, before, after, binary: false, change: 'modify' }}
          mode="unified"
          start={start}
        />
      ))}
    </div>
  )
}

interface TextHunk {
  /** Where it begins in both files, from 0. */
  readonly start: { readonly left: number; readonly right: number }
  readonly before: string
  readonly after: string
}

function textHunksIn(diff: string): TextHunk[] | undefined {
  return parseDiff(diff)?.map(({ oldStart, newStart, lines }) => ({
    start: { left: Math.max(0, oldStart - 1), right: Math.max(0, newStart - 1) },
    before: sideTextOf(lines, '+'),
    after: sideTextOf(lines, '-'),
  }))
}

function parseDiff(diff: string) {
  try {
    return parsePatch(diff).flatMap((file) => file.hunks)
  } catch {
    return undefined
  }
}

/** The lines of one side: all but those of the other. */
function sideTextOf(lines: readonly string[], other: '+' | '-'): string {
  const own: string[] = []
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('\\') || line.startsWith(other)) continue
    const isUnended = lines[index + 1]?.startsWith('\\') === true
    own.push(line.slice(1) + (isUnended ? '' : '\n'))
  }
  return own.join('')
}
