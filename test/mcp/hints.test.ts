import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const actions = allActions()

const context = (root: string): string => path.join(root, '.clada/context.json')

/** What a definition promises to clients, held against its own examples. */
describe.each(actions.filter(({ hints, effect }) => hints !== undefined || effect === 'read'))('$name', (spec) => {
  it.each(spec.examples)('keeps its promise when it $title', async ({ before = {}, params }) => {
    const root = scratchDir(before)
    const clada = new Clada({ repoPath: root, gitCommit: false })
    const kept = (): unknown => fs.existsSync(context(root)) && fs.readFileSync(context(root), 'utf8')
    const [start, listed] = [filesIn(root), kept()]
    await clada.call(spec.name, params)
    const once = filesIn(root)
    if (spec.effect === 'read' || spec.hints?.reads) expect([once, kept()]).toEqual([start, listed])
    if (spec.hints?.adds) {
      for (const [name, text] of Object.entries(before))
        expect(once[name]?.split('\n')).toEqual(expect.arrayContaining(text.split('\n').filter((line) => line !== '')))
    }
    if (!spec.hints?.idempotent) return
    await clada.call(spec.name, params)
    expect(filesIn(root)).toEqual(once)
  })
})
