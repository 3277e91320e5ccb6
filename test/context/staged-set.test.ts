import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { WorkingEntry } from '../../packages/clada/src/core/action.ts'
import { openWorkingSet, StagedSet } from '../../packages/clada/src/context/working-set.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { stopOf } from '../workspace/disk.ts'

const entry = (root: string, name: string): WorkingEntry => ({ path: path.join(root, name), added: 'now' })

function setIn(root: string, effect: 'land' | 'together') {
  return openWorkingSet({ root: path.resolve(root) }, effect)
}

const written = (root: string): string | undefined => filesIn(path.join(root, '.clada'))['context.json']

describe('the working set on the disk and staged', () => {
  it('is written when it changes, and makes no directory when it does not', async () => {
    const root = scratchDir()
    const set = setIn(root, 'land')
    await set.change((entries) => entries)
    expect(fs.existsSync(path.join(root, '.clada'))).toBe(false)
    await set.change((entries) => [...entries, entry(root, 'a.txt')])
    expect(written(root)).toBe(
      '{\n  "version": 1,\n  "entries": [\n    {\n      "path": "a.txt",\n      "added": "now"\n    }\n  ]\n}\n',
    )
    expect(await set.entries()).toEqual([entry(root, 'a.txt')])
    expect(await set.clear()).toBeUndefined()
    expect(await set.entries()).toEqual([])
    expect(fs.readdirSync(path.join(root, '.clada')).filter((name) => name.endsWith('.broken'))).toEqual([])
  })

  it('is staged until it lands', async () => {
    const root = scratchDir()
    await setIn(root, 'land').change(() => [entry(root, 'a.txt')])
    const before = written(root)
    const staged = setIn(root, 'together')
    if (!(staged instanceof StagedSet)) throw new Error('it is not staged')
    expect(await staged.entries()).toEqual([entry(root, 'a.txt')])
    await staged.change((entries) => [...entries, entry(root, 'b.txt')])
    expect(await staged.entries()).toEqual([entry(root, 'a.txt'), entry(root, 'b.txt')])
    expect(written(root)).toBe(before)
    await staged.land()
    expect(await setIn(root, 'land').entries()).toEqual([entry(root, 'a.txt'), entry(root, 'b.txt')])
    await staged.clear()
    await staged.change((entries) => [...entries, entry(root, 'c.txt')])
    await staged.land()
    expect(await setIn(root, 'land').entries()).toEqual([entry(root, 'c.txt')])
  })

  it.each([
    ['{', /^(?!SyntaxError)/],
    ['[]', /^it has no list of entries$/],
    ['{"version":1}', /^it has no list of entries$/],
    ['{"version":2,"entries":[]}', /^its version is 2, not 1$/],
    ['{"version":1,"entries":[null]}', /^an entry has no path/],
    ['{"version":1,"entries":[{"path":"a"}]}', /^an entry has no path/],
    ['{"version":1,"entries":[{"added":"now"}]}', /^an entry has no path/],
    ['{"version":1,"entries":[{"path":"a\\nb","added":"now"}]}', /^an entry has no path/],
  ])('that is broken (%s) is reported, put aside by a clear, and fails no other run', async (text, reason) => {
    const root = scratchDir({ '.clada/context.json': text })
    const set = setIn(root, 'land')
    const broken = { kind: 'context-broken', reason: expect.stringMatching(reason) }
    expect(await stopOf(() => set.entries())).toMatchObject(broken)
    const staged = setIn(root, 'together')
    if (!(staged instanceof StagedSet)) throw new Error('it is not staged')
    await staged.land()
    expect(await stopOf(() => staged.change((entries) => entries))).toMatchObject(broken)
    expect(await set.clear()).toMatch(/context\.json\..*\.broken$/)
    expect(await set.entries()).toEqual([])
  })
})
