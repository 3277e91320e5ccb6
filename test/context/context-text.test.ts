import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import { type ContextText, contextText, type ContextTextOptions } from '../../packages/clada/src/api/context-text.ts'
import { scratchDir } from '../support/scratch.ts'

const shop =
  'class Shop {\n  open() {\n    return 1\n  }\n\n  close() {\n    return 2\n  }\n}\n\nfunction last() {\n  return 3\n}\n'

const named = ({ root }: { root: string }) => ({ root, relativePaths: true })

/** The text, and the paths of its parts from the root. */
async function textOf({ clada, root }: { clada: Clada; root: string }, options: ContextTextOptions = {}) {
  const found = JSON.stringify(await contextText(clada, named({ root }), options)).replaceAll(`"${root}/`, '"')
  const read: Partial<ContextText & { error: string }> = JSON.parse(found)
  return read
}

async function withContext(...paths: string[]): Promise<{ clada: Clada; root: string }> {
  const root = scratchDir({
    'a.ts': shop,
    'b.txt': 'one\ntwo',
    'long.txt': 'word '.repeat(400),
    'empty.ts': '// nothing',
  })
  const clada = new Clada({ repoPath: root, gitCommit: false, relativePaths: true })
  for (const one of paths) expect(await clada.perform('context_add', { path: one })).toMatchObject({ success: true })
  return { clada, root }
}

describe('the working set as one text', () => {
  it.each([
    ['text', `=== a.ts ===\n${shop}\n\n=== b.txt ===\none\ntwo`],
    ['numbered', /^=== a\.ts ===\n *1: ?class Shop \{\n[^]*\n\n=== b\.txt ===\n1: one\n2: two$/],
    [
      'outline',
      /^=== a\.ts ===\n +1-9 +class Shop[^]*open\(\)[^]*last\(\)[^]*\n\n=== b\.txt ===\n\[no outline, 2 lines: \w+\]$/,
    ],
  ] as const)('as %s', async (show, expected) => {
    const set = await withContext('a.ts', 'b.txt', 'a.ts@@open')
    const found = await textOf(set, { show })
    const text = found.text ?? ''
    if (typeof expected === 'string') expect(text).toBe(expected)
    else expect(text).toMatch(expected)
    expect(found).toMatchObject({ shown: [{ path: 'a.ts' }, { path: 'b.txt' }], left: [], refused: [] })
  })

  it('shows the outline of a structure without its neighbours, and says where there is none', async () => {
    const set = await withContext('a.ts@@Shop', 'empty.ts')
    const found = await textOf(set, { show: 'outline' })
    const text = found.text ?? ''
    expect(text).toMatch(/=== a\.ts@@\S*Shop\S* ===\n[^]*open\(\)[^]*close\(\)/)
    expect(text).not.toContain('last()')
    expect(text).toContain('=== empty.ts ===\n[no structures, 1 line]')
  })

  it('shows only the members where a part of a file is shown', async () => {
    const set = await withContext('a.ts@@open')
    const found = await textOf(set, { show: 'outline' })
    const text = found.text ?? ''
    expect(text).toContain('open()')
    expect(text).not.toMatch(/class Shop|close\(\)|last\(\)/)
  })

  it('shows the outline of a file whose name looks like a part of another', async () => {
    const set = await withContext()
    fs.writeFileSync(path.join(set.root, 'a@@last.ts'), 'function own() {}\n')
    await set.clada.perform('context_add', { path: 'a@@last.ts' })
    expect((await textOf(set, { show: 'outline' })).text).toContain('own()')
  })

  it('lists what does not fit, as long as that fits', async () => {
    const set = await withContext('long.txt', 'b.txt')
    const whole = await textOf(set, {})
    const [long, short] = whole.shown ?? []
    expect(long).toMatchObject({ path: 'long.txt' })
    const cut = await textOf(set, { budget: 100 })
    expect(cut).toMatchObject({
      text: `=== b.txt ===\none\ntwo\n\n=== not shown, too long ===\nlong.txt (${long?.tokens} tokens)`,
      shown: [short],
      left: [long],
    })
    // The names fit to the character; then only how many there are.
    const exact = await contextText(set.clada, named(set), { budget: 100 })
    const room = ('text' in exact ? exact.text.length : 0) / 4
    expect((await textOf(set, { budget: room })).text).toBe(cut.text)
    expect((await textOf(set, { budget: room - 0.25 })).text).toBe(
      '=== b.txt ===\none\ntwo\n\n=== 1 file not shown, too long ===',
    )
    const none = await textOf(set, { budget: 1 })
    expect(none).toMatchObject({ text: '', shown: [], left: [long, short] })
  })

  it('leaves out no file only to name another that does not fit', async () => {
    const set = await withContext('long.txt', 'a.ts')
    const { shown: [long] = [] } = await textOf(set)
    const whole = await contextText(set.clada, named(set))
    // Room for the long one, and for a line after it, but not for the name of the other.
    const [section = ''] = 'text' in whole ? whole.text.split(/\n\n(?====)/) : []
    const { text = '', shown, left } = await textOf(set, { budget: (section.length + 40) / 4 })
    expect(text).toBe(`${section}\n\n=== 1 file not shown, too long ===`)
    expect(shown).toEqual([long])
    expect(left).toMatchObject([{ path: 'a.ts' }])
  })

  it.each([0, 1])('takes two files of which both fit, and one where there is a character less (%i)', async (less) => {
    const set = await withContext('b.txt', 'long.txt')
    const whole = await contextText(set.clada, named(set))
    const size = ('text' in whole ? whole.text.length : 0) + 2 - less
    expect(await textOf(set, { budget: size / 4 })).toMatchObject({ left: less === 0 ? [] : [{ path: 'long.txt' }] })
  })

  it('says which files cannot be read, and why it cannot be read itself', async () => {
    const set = await withContext('b.txt', 'a.ts')
    fs.rmSync(path.join(set.root, 'b.txt'))
    for (const show of ['text', 'outline'] as const)
      expect(await textOf(set, { show })).toMatchObject({
        shown: [{ path: 'a.ts' }],
        refused: [
          { path: 'b.txt', error: 'it no longer exists. To remove it from the working set: clada context prune' },
        ],
      })
    fs.writeFileSync(path.join(set.root, '.clada/context.json'), '{')
    expect(await textOf(set)).toEqual({ error: expect.stringContaining('context.json') })
    const gone = new Clada({ repoPath: path.join(set.root, 'gone') })
    expect(await contextText(gone, { root: '/', relativePaths: true })).toEqual({
      error: expect.stringContaining('gone'),
    })
  })
})
