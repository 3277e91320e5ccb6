import fs from 'node:fs'
import type { ActionResult, ExecutionResult } from '../../src/core/result.ts'
import { Source } from '../../src/core/source.ts'
import { Clada } from '../../src/index.ts'
import { findBlocks } from '../../src/syntax/find-blocks.ts'
import { fill, filesIn, scratchDir } from '../support/scratch.ts'

type Files = Readonly<Record<string, string>>

export interface Done {
  readonly result: ExecutionResult
  readonly files: Files
}

/** Carries a document out in a project of its own. A test that makes thousands of projects does not keep them. */
export async function carriedOut(text: string, before: Files, reading: 'strict' | 'lenient' = 'lenient'): Promise<Done> {
  const root = scratchDir()
  fill(root, before)
  const options = { repoPath: root, gitCommit: false, relativePaths: true, strict: reading === 'strict' }
  const result = await new Clada(options).execute(text)
  const files = filesIn(root)
  fs.rmSync(root, { recursive: true, force: true })
  return { result, files }
}

/** What some of the blocks of a clean document do, alone. */
export function someOf(clean: string, names: ReadonlySet<string>, before: Files): Promise<Done> {
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
