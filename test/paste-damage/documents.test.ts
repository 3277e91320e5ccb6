import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { filesIn } from '../support/scratch.ts'
import { blocksOf, carriedOut, nameOf, someOf, succeeded } from './world.ts'

/**
 * A folder is a document: `clean.md` is what the model wrote, `before/` the project, every other `.md` the same text
 * after some program had it. `outcomes.json.snap` says what comes of each.
 */
const here = path.join(import.meta.dirname, 'documents')
const documents = fs.readdirSync(here).map((name) => {
  const folder = path.join(here, name)
  const read = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8')
  const clean = read('clean.md')
  const before = fs.existsSync(path.join(folder, 'before')) ? filesIn(path.join(folder, 'before')) : {}
  const damaged = fs.readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'clean.md')
  return { name, folder, read, clean, before, damaged }
})

test('there are many', () => {
  expect(documents.reduce((sum, { damaged }) => sum + damaged.length, 0)).toBeGreaterThan(100)
})

describe.each(documents)('$name', ({ folder, read, clean, before, damaged }) => {
  it('is clean', async () => {
    const done = await carriedOut(clean, before, 'strict')
    expect(done.result.executedActions).toBeGreaterThan(0)
    expect(done.result).toMatchObject({ success: true, parseErrors: [] })
    expect(await carriedOut(clean, before)).toMatchObject({ files: done.files })
    expect(done.result.warnings).toBeUndefined()
  })

  it('does what it did, or less, whatever happens to it', async () => {
    const all = blocksOf(clean).map(nameOf)
    const outcomes: Record<string, unknown> = {}
    for (const file of damaged) {
      const done = await carriedOut(read(file), before)
      const good = succeeded(done)
      expect(all, file).toEqual(expect.arrayContaining([...good]))
      expect(done.files, file).toEqual((await someOf(clean, good, before)).files)
      const { results, parseErrors, warnings = [] } = done.result
      outcomes[file] = {
        done: good.size === all.length ? 'all' : [...good],
        errors: [
          ...results.flatMap(({ error }) => error ?? []),
          ...parseErrors.map(({ line, message }) => `line ${line}: ${message}`),
        ],
        warnings: [...results.flatMap((result) => result.warnings ?? []), ...warnings],
      }
    }
    const text = `${JSON.stringify(outcomes, undefined, 2)}\n`
    await expect(text).toMatchFileSnapshot(path.join(folder, 'outcomes.json.snap'))
  })

  it('repairs nothing when that is turned off', async () => {
    for (const file of damaged) {
      const { result } = await carriedOut(read(file), before, 'strict')
      const told = [...(result.warnings ?? []), ...result.results.flatMap(({ warnings = [] }) => warnings)]
      expect(
        told.filter((warning) => /marker read|read without|(?:is|are) read through|read as it was meant/.test(warning)),
        file,
      ).toEqual([])
    }
  })
})
