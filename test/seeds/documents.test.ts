import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { takeLock } from '../../packages/clada/src/store/lock.ts'
import { clada } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
// In this file, because they use names in /tmp too.
import './author/fs-ops/test/integration/integration.ts'
import './author/fs-ops/test/integration/minimal.ts'

// The seeds fix these names, so two suites on one machine take turns.
let unlock = (): void => {}
beforeAll(async () => {
  unlock = await takeLock('/tmp/clada-test-seeds.lock', 500_000, { place: 'named' })
})
afterAll(() => unlock())

interface SeedDocument {
  seed: string
  name: string
  text: string
  /** Files, relative to the project or in /tmp. */
  before?: Record<string, string>
  after?: Record<string, string>
  flags?: string[]
  /** For each result true or its code. */
  results?: (true | string)[]
  /** Fields of the last result. */
  last?: object
}

const { documents }: { documents: SeedDocument[] } = JSON.parse(
  fs.readFileSync(new URL('./documents.json', import.meta.url), 'utf8'),
)

/** What the documents name in /tmp, which every run here may touch. */
const inTmp = documents.flatMap(({ text }) =>
  [...text.matchAll(/\/tmp\/(?:\\"|[\w.-])+/g)].map(([name]) => name.replaceAll('\\"', '"')),
)
const cleanUp = (): void => inTmp.forEach((name) => fs.rmSync(name, { recursive: true, force: true }))
afterEach(cleanUp)

it.for(documents)('seed $seed: $name', (document, context) => {
  skipWithout(context, 'posix')
  const { text, before = {}, after = {}, flags = [], results, last } = document
  cleanUp()
  const root = scratchDir()
  for (const [name, content] of Object.entries(before)) {
    const file = path.resolve(root, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
  const ran = clada(['run', '-', '--root', root, '--no-git', '--allow', '/tmp', '--json', ...flags], {
    cwd: root,
    input: text,
  })
  const done: { results: { success: boolean; code?: string }[]; parseErrors: unknown[] } = JSON.parse(ran.stdout)
  if (results !== undefined) expect(done.results.map(({ success, code }) => success || code)).toEqual(results)
  if (last !== undefined) expect(done.results.at(-1)).toMatchObject(last)
  // Nothing disappears: a document without a result has an error.
  if (results?.length === 0) expect(done.parseErrors).toHaveLength(1)
  for (const [name, content] of Object.entries(after))
    expect(fs.readFileSync(path.resolve(root, name), 'utf8')).toBe(content)
})

it('are all there', () => {
  expect(documents).toHaveLength(40)
})
