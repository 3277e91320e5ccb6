import { pathFrom } from '../core/paths.ts'
import type { FileChange, FileDiff } from '../core/result.ts'
import { unifiedDiff } from '@clada/reply/text/unified-diff.ts'
import type { Change } from '../workspace/open.ts'
import { isText } from './evidence.ts'

/** The change of a file as texts. */
export function changeOf({ at, before, after }: Change, root: string): FileChange {
  const path = pathFrom(root, at.absolute)
  const change = before === null ? 'create' : after === null ? 'delete' : 'modify'
  const binary = [before, after].some((state) => state !== null && !isText(state.bytes))
  const text = (state: { bytes: Buffer } | null): string | null =>
    state === null ? null : binary ? '' : state.bytes.toString('utf8')
  return { path, change, binary, before: text(before), after: text(after) }
}

/** The change of a file as a git diff. */
export function diffOf(whole: Change, root: string): FileDiff {
  const { before, after } = whole
  const { path, change, binary, ...texts } = changeOf(whole, root)
  if (binary) return { path, change, binary, diff: `Binary files differ: ${path}\n` }
  const modes = {
    oldMode: before === null ? undefined : gitMode(before.mode),
    newMode: after === null ? undefined : gitMode(after.mode),
  }
  const diff = unifiedDiff(before && path, after && path, texts.before, texts.after, modes)
  return { path, change, binary, diff }
}

/** Git has two modes of files, and links. */
function gitMode(mode: number): string {
  if ((mode & 0o170000) === 0o120000) return '120000'
  return mode & 0o111 ? '100755' : '100644'
}
