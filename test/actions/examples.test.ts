import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { allActions } from '../../packages/clada/src/actions/registry.ts'
import type { ActionSpec, Example } from '../../packages/clada/src/core/action.ts'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { repository } from '../history/world.ts'
import { skipWithout } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { expectShapes } from './shapes.ts'

const actions = allActions()

/** What a definition shows to people and models is carried out here, twice: as a call and as a block. */
for (const spec of actions) {
  describe(spec.name, () => {
    test('has examples, each with a title of its own', () => {
      expect(spec.examples.length).toBeGreaterThan(0)
      const titles = spec.examples.map(({ title }) => title)
      expect(titles).toEqual([...new Set(titles)])
    })

    for (const example of spec.examples) {
      it(example.title, async (context) => {
        if (spec.name === 'exec') skipWithout(context, 'sandbox', 'python3')
        const root = await placeFor(spec, example)
        const params = absolute(spec, example.params, root)
        const { results, parseErrors } = await new Clada({ repoPath: root }).perform(spec.name, params)
        expect(parseErrors).toEqual([])
        expectShapes(results)
        check(example, results[0], root)
      })

      it(`${example.title}, as a block`, async (context) => {
        if (spec.name === 'exec') skipWithout(context, 'sandbox', 'python3')
        const root = await placeFor(spec, example)
        const document = blockOf(spec.name, absolute(spec, example.params, root))
        if (!spec.access.includes('llm')) return refused(spec, root, document)
        const { results, parseErrors } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
        expect(parseErrors).toEqual([])
        expectShapes(results)
        check(example, results[0], root)
      })
    }
  })
}

/** Actions on the history get one: a repository, with what was executed earlier. */
async function placeFor({ effect }: ActionSpec, { before = {}, earlier = [] }: Example): Promise<string> {
  if (effect !== 'git') return scratchDir(before)
  const root = repository(before)
  for (const { action, params } of earlier)
    expect(await new Clada({ repoPath: root }).perform(action, params)).toMatchObject({ success: true })
  return root
}

/** What is for the user only does nothing in a document, and the answer says what the user would type. */
async function refused({ name, command = '' }: ActionSpec, root: string, document: string): Promise<void> {
  const before = filesIn(root)
  const { results } = await new Clada({ repoPath: root }).execute(document)
  expect(results).toMatchObject([{ action: name, success: false, code: 'action_not_allowed' }])
  expect(results[0]?.error).toBe(`Action '${name}' is for the user, not for model output; the user types: ${command}`)
  expect(filesIn(root)).toEqual(before)
}

function check(
  example: Example,
  result: { success: boolean; code?: string; error?: string; data?: unknown } | undefined,
  root: string,
) {
  expect(result?.code, result?.error).toBe(example.code)
  expect(result?.success).toBe(example.code === undefined)
  if (example.data !== undefined) expect(result?.data).toMatchObject(placed(example.data, root))
  // Files of clada's own may be given, and are not compared; nor are those of git.
  const after = Object.entries({ ...example.before, ...example.after }).filter(
    ([name, content]) => content !== null && !name.startsWith('.clada/'),
  )
  const found = Object.entries(filesIn(root)).filter(([name]) => !name.startsWith('.git/'))
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(after))
}

function absolute(spec: ActionSpec, params: Example['params'], root: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const format = spec.params[name]?.format
      if (format === 'absolute_path') return [name, path.resolve(root, value)]
      if (format !== 'multiline_absolute_paths') return [name, value]
      const lines = value.split('\n').map((line) => (line.trim() === '' ? line : path.resolve(root, line.trim())))
      return [name, lines.join('\n')]
    }),
  )
}

function placed(data: unknown, root: string): object {
  return JSON.parse(JSON.stringify(data).replaceAll('ROOT', withSlashes(root))) as object
}

function blockOf(action: string, params: Readonly<Record<string, string>>): string {
  const lines = Object.entries(params).map(([name, value]) =>
    value.includes('\n') ? `${name} = <<'EOT_SHAM_exa'\n${value}\nEOT_SHAM_exa` : `${name} = ${JSON.stringify(value)}`,
  )
  return [`#!SHAM [@three-char-SHA-256: exa]`, `action = "${action}"`, ...lines, '#!END_SHAM_exa', ''].join('\n')
}
