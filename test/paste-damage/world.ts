import fs from 'node:fs'
import { registry } from '../../src/actions/registry.ts'
import type { Block } from '../../src/core/block.ts'
import type { ActionResult, ExecutionResult } from '../../src/core/result.ts'
import { Source } from '../../src/core/source.ts'
import { carryOut, run, type RunOptions } from '../../src/run.ts'
import { settingsOf } from '../../src/settings.ts'
import { findBlocks } from '../../src/syntax/find-blocks.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

type Files = Readonly<Record<string, string>>

export interface Done {
  readonly result: ExecutionResult
  readonly files: Files
}

const optionsFor = (root: string): RunOptions => ({
  settings: settingsOf({ repoPath: root, relativePaths: true }),
  registry,
  origin: 'document',
  effect: 'land',
})

/** Carries a document out in a project of its own. */
export async function carriedOut(text: string, before: Files, strict = false): Promise<Done> {
  const root = scratchDir(before)
  const { result } = await run(text, { ...optionsFor(root), strict })
  return emptied(root, result)
}

/** What some of the blocks of a clean document do, alone. */
export async function someOf(clean: string, names: ReadonlySet<string>, before: Files): Promise<Done> {
  const root = scratchDir(before)
  const { blocks } = findBlocks(new Source(clean), { strict: true })
  const numbered = blocks.filter((block) => names.has(nameOf(block)))
  const { result } = await carryOut(
    { blocks: numbered, faults: [], warnings: [] },
    { ...optionsFor(root), strict: true },
  )
  return emptied(root, result)
}

/** Tells blocks of a document apart, whether they were carried out or not. */
export const nameOf = ({ params, action }: Block | ActionResult): string =>
  `${action} ${String(params['path'] ?? params['old_path'])}`

export const succeeded = ({ result }: Done): Set<string> =>
  new Set(result.results.filter(({ success }) => success).map(nameOf))

/** A test that makes thousands of projects does not keep them. */
function emptied(root: string, result: ExecutionResult): Done {
  const files = filesIn(root)
  fs.rmSync(root, { recursive: true, force: true })
  return { result, files }
}
