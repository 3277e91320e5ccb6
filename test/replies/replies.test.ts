import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { documentOf, throughStream } from '../syntax/streamed.ts'
import { cases, files, forms } from './forms.ts'

/** The whole report and what changed on the disk. */
async function told(reply: string): Promise<string> {
  const root = scratchDir(files)
  const result = await new Clada({ repoPath: root, gitCommit: false }).execute(reply.replaceAll('ROOT', root))
  const after = filesIn(root)
  const changed = Object.entries(after).filter(([path, text]) => new Map(Object.entries(files)).get(path) !== text)
  const proposed = (result.proposals ?? []).map(({ diff }) => diff).join('')
  return [
    `success: ${result.success}`,
    formatReport(result, 'text', {}).replaceAll(root, 'ROOT'),
    ...(proposed === '' ? [] : ['proposed:', proposed.trimEnd()]),
    ...changed.map(([path, text]) => `${path}:\n${text.trimEnd()}`),
  ].join('\n')
}

describe.each(Object.entries(forms))('%s', (name, form) => {
  const replies = Object.entries(cases).flatMap(([kind, make]) => {
    const reply = make(form)
    return reply === undefined ? [] : [[kind, reply] as const]
  })

  it('is reported as expected', async () => {
    const parts: string[] = []
    for (const [kind, reply] of replies)
      parts.push(`# ${kind}\n\n${reply.trimEnd()}\n\n## report\n\n${await told(reply)}`)
    await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(`./expected/${name.replace(/\W+/g, '-')}.txt`)
  })

  it.each(replies)('is accounted for: %s', (kind, reply) => {
    const { blocks, notExecuted, diagnostics } = findBlocks(new Source(reply))
    expect(blocks.length + notExecuted.length + diagnostics.length).toBeGreaterThan(kind === 'beside native' ? 1 : 0)
    const runs = blocks.filter((block) => block.diagnostics.length === 0 && block.endLine !== null)
    if (kind === 'quoted' || kind === 'cut off') expect(runs).toEqual([])
  })

  // `npm run replies -- --splits` tries every place.
  it.each(replies)('is read as a whole from two pieces: %s', (_, reply) => {
    const whole = documentOf(findBlocks(new Source(reply)))
    const breaks = [...reply.matchAll(/\n/g)].map(({ index }) => index)
    for (const at of breaks.flatMap((index, n) => [index, index + 1, Math.floor((index + (breaks[n - 1] ?? 0)) / 2)]))
      expect(documentOf(throughStream(reply, [at])), `cut at ${at}`).toEqual(whole)
  })
})
