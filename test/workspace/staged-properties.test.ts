import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { block } from './blocks.ts'
import { gitApply } from './git-apply.ts'

/** Few names and few texts, so that actions meet. */
const names = ['a.txt', 'b.txt', 'd/c.txt', 'd/e/f.txt', 'n/x.txt'] as const
const name = fc.constantFrom(...names)
const text = fc.constantFrom('', 'x', 'x\n', 'x y\n', 'y\nx\n', 'x\r\ny\r\n', 'é\nx', '\n\n', 'x\n'.repeat(12) + 'y\n')
const word = fc.constantFrom('x', 'y', 'x\n', 'z', 'é', '')

type Call = readonly [string, Record<string, string>]

const call: fc.Arbitrary<Call> = fc.oneof(
  fc.tuple(fc.constant('file_write'), fc.record({ path: name, content: text })),
  fc.tuple(fc.constant('file_create'), fc.record({ path: name, content: text })),
  fc.tuple(fc.constant('file_append'), fc.record({ path: name, content: text })),
  fc.tuple(fc.constant('file_replace_text'), fc.record({ path: name, old_text: word, new_text: word })),
  fc.tuple(fc.constant('file_replace_all_text'), fc.record({ path: name, old_text: word, new_text: word })),
  fc.tuple(
    fc.constant('file_insert_lines'),
    fc.record({ path: name, after: fc.constantFrom('0', '1', '3'), content: text }),
  ),
  fc.tuple(fc.constant('file_delete_lines'), fc.record({ path: name, lines: fc.constantFrom('1', '2', '1-2') })),
  fc.tuple(fc.constant('file_delete'), fc.record({ path: name })),
  fc.tuple(fc.constant('file_move'), fc.record({ old_path: name, new_path: name })),
  fc.tuple(fc.constant('file_copy'), fc.record({ old_path: name, new_path: name })),
  fc.tuple(fc.constant('dir_create'), fc.record({ path: fc.constantFrom('d', 'n', 'd/e') })),
  fc.tuple(fc.constant('dir_delete'), fc.record({ path: fc.constantFrom('d', 'n', 'd/e') })),
)
const calls = fc.array(call, { minLength: 1, maxLength: 8 })
const files: fc.Arbitrary<Record<string, string>> = fc.dictionary(name, text)
const executable = fc.subarray([...names])

function project(before: Record<string, string>, modes: readonly string[]): string {
  const root = scratchDir(before)
  for (const one of modes) if (Object.hasOwn(before, one)) fs.chmodSync(path.join(root, one), 0o755)
  return root
}

function documentOf(sequence: readonly Call[], root: string): string {
  const placed = (params: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(params).map(([key, value]) => [key, key.endsWith('path') ? path.join(root, value) : value]),
    )
  return sequence.map(([action, params]) => block(action, placed(params))).join('')
}

/** Files with their bytes and whether they can be run. */
const stateOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filesIn(root)).map(([one, content]) => [
      one,
      `${fs.statSync(path.join(root, one)).mode & 0o100 ? 'x' : '-'} ${content}`,
    ]),
  )

const runs = { numRuns: 60 }

describe('random sequences of file actions', () => {
  it('a preview applied by git gives what the execution gives', async () => {
    await fc.assert(
      fc.asyncProperty(files, executable, calls, async (before, modes, sequence) => {
        const shown = project(before, modes)
        const done = project(before, modes)
        const untouched = stateOf(shown)
        const preview = await new Clada({ repoPath: shown, gitCommit: false }).preview(documentOf(sequence, shown))
        expect(stateOf(shown)).toEqual(untouched)
        const result = await new Clada({ repoPath: done, gitCommit: false }).execute(documentOf(sequence, done))
        const told = (results: typeof result.results, root: string) =>
          results.map(({ action, error, code, warnings }) => ({
            action,
            code,
            warnings,
            error: error?.replaceAll(root, '/ROOT'),
          }))
        expect(told(preview.result.results, shown)).toEqual(told(result.results, done))
        gitApply(shown, preview.diff)
        expect(stateOf(shown)).toEqual(stateOf(done))
      }),
      runs,
    )
  })

  it('carried out whole gives the same, or changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(files, executable, calls, async (before, modes, sequence) => {
        const whole = project(before, modes)
        const single = project(before, modes)
        const untouched = stateOf(whole)
        const result = await new Clada({ repoPath: single, gitCommit: false }).execute(documentOf(sequence, single))
        const { success } = await new Clada({ repoPath: whole, gitCommit: false, atomic: true }).execute(
          documentOf(sequence, whole),
        )
        expect(success).toBe(result.success)
        expect(stateOf(whole)).toEqual(success ? stateOf(single) : untouched)
      }),
      runs,
    )
  })
})
