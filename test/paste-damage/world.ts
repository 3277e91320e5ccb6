import fs from 'node:fs'
import type { ActionResult, ExecutionResult } from '../../packages/clada/src/core/result.ts'
import { Source } from '@clada/reply/core/source.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { scratchDir } from '../support/scratch.ts'

type Files = Readonly<Record<string, string>>

export interface Done {
  readonly result: ExecutionResult
  /** What became of the files, as a diff for each. */
  readonly files: Files
}

/**
 * What a document would do in a project of its own. A preview, because it takes the same way as an execution and
 * thousands of them need not reach the disk.
 */
export async function carriedOut(
  text: string,
  before: Files,
  reading: 'strict' | 'lenient' = 'lenient',
): Promise<Done> {
  const root = scratchDir(before)
  const options = { repoPath: root, gitCommit: false, relativePaths: true, strict: reading === 'strict' }
  const { result, diffs } = await new Clada(options).preview(text)
  fs.rmSync(root, { recursive: true, force: true })
  return { result, files: Object.fromEntries(diffs.map(({ path, diff }) => [path, diff])) }
}

/** What some of the blocks of a clean document do, alone; `all` is what it does as a whole. */
export async function someOf(clean: string, names: ReadonlySet<string>, before: Files, all?: Done): Promise<Done> {
  if (all !== undefined && succeeded(all).size === names.size) return all
  const lines = clean.split('\n')
  for (const block of blocksOf(clean)) {
    const { startLine, endLine } = block
    if (!names.has(nameOf(block))) lines.fill('', startLine - 1, endLine ?? lines.length)
  }
  return carriedOut(lines.join('\n'), before, 'strict')
}

export const blocksOf = (clean: string) => findBlocks(new Source(clean), { strict: true }).blocks

/** Tells blocks of a document apart, whether they were carried out or not. */
export const nameOf = ({ action, params }: Pick<ActionResult, 'action' | 'params'>): string =>
  `${action} ${String(params['path'] ?? params['old_path'])}`

export const succeeded = ({ result }: Done): Set<string> =>
  new Set(result.results.filter(({ success }) => success).map(nameOf))
