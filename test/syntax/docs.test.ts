import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { syntaxNames } from '@clada/reply/syntax/table.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

interface Example {
  readonly title: string
  readonly before: Record<string, string>
  readonly after: Record<string, string>
  document: string
}

/** The examples of a page: fences of four tildes below a heading, with files before, the document, and files after. */
function examplesIn(page: string): Example[] {
  const examples: Example[] = []
  for (const section of page.split(/^## /m).slice(1)) {
    const example: Example = { title: section.split('\n', 1)[0] ?? '', before: {}, after: {}, document: '' }
    for (const [, kind, name = '', body = ''] of section.matchAll(/^~~~~ (\w+) ?(\S*)\n([^]*?)^~~~~$/gm)) {
      if (kind === 'before') example.before[name] = body
      else if (kind === 'after') example.after[name] = body
      else example.document = body
    }
    if (example.document !== '') examples.push(example)
  }
  return examples
}

const folder = path.join(import.meta.dirname, '../../docs/syntaxes')
const pages = fs.readdirSync(folder)
const examples = pages.flatMap((page) => examplesIn(fs.readFileSync(path.join(folder, page), 'utf8')))

describe('the reference of the syntaxes', () => {
  it.each(examples)('shows what happens: $title', async ({ before, document, after }) => {
    const root = scratchDir(before)
    const result = await new Clada({ repoPath: root, gitCommit: false, proposals: 'apply' }).execute(
      document.replaceAll('/project', root),
    )
    expect({ success: result.success, warnings: result.warnings ?? [] }).toEqual({ success: true, warnings: [] })
    expect(filesIn(root)).toEqual(after)
  })

  it('has an example of every syntax', () => {
    const shown = examples.flatMap(({ document }) =>
      findBlocks(new Source(document)).blocks.map(({ syntax }) => syntax),
    )
    expect([...new Set(shown)].sort()).toEqual([...syntaxNames].sort())
  })
})
