import { isUtf8 } from 'node:buffer'
import type { FileDiff } from './core/result.ts'
import { unifiedDiff } from './text/unified-diff.ts'
import type { Change } from './workspace/open.ts'

/** One file's change as git would write it. */
export function diffOf({ at, before, after }: Change): FileDiff {
  const path = at.parts.join('/')
  const change = before === null ? 'create' : after === null ? 'delete' : 'modify'
  const binary = [before, after].some((state) => state !== null && !isText(state.bytes))
  if (binary) return { path, change, binary, diff: `Binary files differ: ${path}\n` }
  const modes = {
    ...(before === null ? {} : { oldMode: gitMode(before.mode) }),
    ...(after === null ? {} : { newMode: gitMode(after.mode) }),
  }
  const text = (state: { bytes: Buffer } | null): string | null =>
    state === null ? null : state.bytes.toString('utf8')
  return { path, change, binary, diff: unifiedDiff(before && path, after && path, text(before), text(after), modes) }
}

const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0)

/** Git knows two kinds of file, and links. */
function gitMode(mode: number): string {
  if ((mode & 0o170000) === 0o120000) return '120000'
  return mode & 0o111 ? '100755' : '100644'
}
