import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { skipWithout } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'
import { readCases, type Expected } from './read-cases.ts'
import { expectShapes } from './shapes.ts'
import { build, expected, look } from './world.ts'

const actions = allActions()

const here = import.meta.dirname
const files = fs.readdirSync(here).filter((name) => name.endsWith('.cases.md'))
const names = actions.map((spec) => spec.name)

test('every action has its cases, and all cases belong to an action', () => {
  expect(files.map((file) => file.replace('.cases.md', '')).sort()).toEqual([...names].sort())
})

for (const file of files) {
  const markdown = fs.readFileSync(path.join(here, file), 'utf8')
  const cases = readCases(markdown, (text) => text)

  describe(file.replace('.cases.md', ''), () => {
    test('names of cases are unique', () => {
      const listed = cases.map(({ group, name }) => `${group} / ${name}`)
      expect(listed).toEqual([...new Set(listed)])
    })

    cases.forEach(({ group, name, bug, needs }, index) => {
      const run = bug === undefined ? it : it.fails
      run(`${group} / ${name}`, (context) => {
        skipWithout(context, ...needs)
        return carryOut(markdown, index)
      })
    })
  })
}

async function carryOut(markdown: string, index: number): Promise<void> {
  const scratch = scratchDir()
  const root = path.join(scratch, 'project')
  const outside = path.join(scratch, 'outside')
  fs.mkdirSync(root)
  fs.mkdirSync(outside)
  const one = readCases(markdown, (text) =>
    text.replaceAll('/ROOT', withSlashes(root)).replaceAll('/OUTSIDE', withSlashes(outside)),
  )[index]
  if (one === undefined) throw new Error('the case is gone')
  build(root, one.before)
  const before = look(root)

  const answer = await new Clada({ repoPath: root, gitCommit: false, ...one.options }).execute(one.document)

  expect(answer.fatalError).toBeUndefined()
  expectShapes(answer.results)
  if (one.parseError === undefined) expect(answer.parseErrors).toEqual([])
  else expect(answer.parseErrors.at(-1)).toMatchObject(one.parseError)
  if (one.results !== undefined) {
    expect(answer.results).toHaveLength(one.results.length)
    one.results.forEach((result, at) => compare(answer.results[at], result))
  }
  if (one.result !== undefined) compare(answer.results.at(-1), one.result)
  if (one.result === undefined && one.results === undefined) expect(answer.results).toEqual([])
  const after = look(root)
  expect(after).toEqual(expected(before, one.after, after))
}

function compare(actual: object | undefined, wanted: Expected): void {
  const strict: Expected = { error: '(absent)', code: '(absent)', warnings: '(absent)', ...wanted }
  expect(withAbsent(actual, strict)).toMatchObject(strict)
}

/** Where a field must be missing and is, or may be anything and is there, it says so too. */
function withAbsent(actual: unknown, wanted: unknown): unknown {
  if (!isRecord(actual) || !isRecord(wanted)) return actual
  const copy: Expected = { ...actual }
  for (const [key, value] of Object.entries(wanted)) {
    const isThere = actual[key] !== undefined
    const fits = value === (isThere ? '(any)' : '(absent)')
    copy[key] = fits ? value : withAbsent(actual[key], value)
  }
  return copy
}

const isRecord = (value: unknown): value is Expected =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
