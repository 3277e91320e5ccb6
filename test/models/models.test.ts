import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { replay, tasksIn } from './replay.ts'

const root = path.resolve(import.meta.dirname, '../..')
const tasks = tasksIn(root)

/** Whole tasks as a model worked through them, with every report that it got: so the interface cannot drift unseen. */
describe('a model', () => {
  needs('sandbox')

  it.each(tasks)('works through $name', async (task) => {
    const { turns, tokens, file } = await replay(task, root)
    expect(turns.length).toBeGreaterThan(0)
    for (const [index, { report }] of turns.entries())
      await expect(`${report}\n`).toMatchFileSnapshot(path.join(task.folder, `${index + 1}.report.txt`))
    for (const [name, texts] of Object.entries(task.wants)) for (const text of texts) expect(file(name)).toContain(text)
    if (task.kind === 'repository') expect(tokens.reports).toBeLessThanOrEqual(2500)
  })

  it('never sees a cut that is not marked', async () => {
    for (const task of tasks) {
      const { turns } = await replay(task, root)
      // Cuts of lines have an ellipsis with its reason; cuts of outputs say what is left out.
      for (const { report } of turns)
        for (const cut of report.match(/^\[output truncated\].*$/gm) ?? []) expect(cut).toMatch(/not shown/)
    }
  })
})
