import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { block, blocks } from './blocks.ts'
import { leftovers } from './disk.ts'
import { gitApply } from './git-apply.ts'

const at = (root: string, name: string) => path.join(root, name)
const clada = (root: string, options: { atomic?: boolean } = {}) =>
  new Clada({ repoPath: root, gitCommit: false, ...options })

describe.skipIf(process.platform === 'win32')('a file that is too large to be compared', () => {
  const actions = ['file_delete', 'file_move', 'file_copy', 'run'] as const
  const paramsOf = (root: string) => ({
    file_delete: { path: at(root, 'huge.bin') },
    file_move: { old_path: at(root, 'huge.bin'), new_path: at(root, 'b.bin') },
    file_copy: { old_path: at(root, 'huge.bin'), new_path: at(root, 'b.bin') },
    run: { command: 'rm huge.bin' },
  })

  it.each(actions)('%s costs that action and no other, in a preview and in a group', async (action) => {
    const root = scratchDir({ 'huge.bin': '' })
    // All holes: it takes no room.
    fs.truncateSync(at(root, 'huge.bin'), 3 * 1024 ** 4)
    const document = blocks([action, paramsOf(root)[action]], ['file_write', { path: at(root, 'a.txt'), content: 'x' }])
    const { result } = await clada(root).preview(document)
    expect(result.fatalError).toBeUndefined()
    expect(result.results.map(({ success, code }) => [success, code])).toEqual([
      [false, 'file_too_large'],
      [true, undefined],
    ])
    const whole = await clada(root, { atomic: true }).execute(document)
    expect([whole.fatalError, whole.results[0]?.code]).toEqual([undefined, 'file_too_large'])
    expect(fs.readdirSync(root)).toEqual(['huge.bin'])
  })
})

describe('a preview', () => {
  it('changes nothing, and later actions see what earlier ones did', async () => {
    const root = scratchDir({ 'a.txt': 'one\n', 'b.txt': 'bee\n', 'd/c.txt': 'sea needle\n' })
    const before = filesIn(root)
    const document = blocks(
      ['file_write', { path: at(root, 'new/n.txt'), content: 'a needle\n' }],
      ['file_replace_text', { path: at(root, 'new/n.txt'), old_text: 'a needle', new_text: 'the needle' }],
      ['file_append', { path: at(root, 'new/n.txt'), content: 'more\n' }],
      ['file_read', { path: at(root, 'new/n.txt') }],
      ['file_move', { old_path: at(root, 'a.txt'), new_path: at(root, 'moved.txt') }],
      ['file_replace_text', { path: at(root, 'moved.txt'), old_text: 'one', new_text: 'one needle' }],
      ['file_read', { path: at(root, 'a.txt') }],
      ['file_copy', { old_path: at(root, 'moved.txt'), new_path: at(root, 'd/copy.txt') }],
      ['file_delete', { path: at(root, 'd/c.txt') }],
      ['ls', { path: root }],
      ['ls', { path: at(root, 'd') }],
      ['glob', { pattern: '**/*.txt', base_path: root }],
      ['grep', { pattern: 'needle', path: root }],
      ['grep', { pattern: 'needle', path: at(root, 'new/n.txt') }],
      ['dir_delete', { path: at(root, 'd') }],
      ['dir_create', { path: at(root, 'empty/dir') }],
      ['dir_delete', { path: at(root, 'empty/dir') }],
    )
    const { result } = await clada(root).preview(document)
    expect(filesIn(root)).toEqual(before)
    expect(fs.readdirSync(root).sort()).toEqual(['a.txt', 'b.txt', 'd'])

    const done = await clada(root).execute(document)
    const told = (results: typeof done.results) =>
      results.map(({ action, success, error, code, data }) => ({
        action,
        success,
        error,
        code,
        data: withoutTimes(data),
      }))
    expect(told(result.results)).toEqual(told(done.results))
    expect(result.results.map(({ success }) => success)).toEqual([
      ...Array(6).fill(true),
      false,
      ...Array(7).fill(true),
      false,
      true,
      true,
    ])
  })

  /** Sizes of directories and times are the disk's business, and clada's own corner is there only afterwards. */
  function withoutTimes(data: unknown): unknown {
    if (!Array.isArray(data)) return data
    return data
      .map((entry: unknown) => {
        if (typeof entry !== 'object' || entry === null || !('name' in entry && 'type' in entry)) return entry
        const { name, type } = entry
        return { name, type, ...('size' in entry && type === 'file' ? { size: entry.size } : {}) }
      })
      .filter((entry) => !(typeof entry === 'object' && entry !== null && 'name' in entry && entry.name === '.clada'))
  }

  it('tells what would be created, changed and deleted', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\n', 'b.txt': 'x\n', 'c.txt': 'c\n' })
    const { diffs, diff } = await clada(root).preview(
      blocks(
        ['file_replace_text', { path: at(root, 'a.txt'), old_text: 'two', new_text: '2' }],
        ['file_delete', { path: at(root, 'b.txt') }],
        ['file_write', { path: at(root, 'd/n.txt'), content: 'n' }],
        ['file_write', { path: at(root, 'c.txt'), content: 'c\n' }],
        ['file_write', { path: at(root, 'gone.txt'), content: 'x' }],
        ['file_delete', { path: at(root, 'gone.txt') }],
      ),
    )
    expect(diffs.map(({ path: name, change, binary }) => ({ name, change, binary }))).toEqual([
      { name: 'a.txt', change: 'modify', binary: false },
      { name: 'b.txt', change: 'delete', binary: false },
      { name: 'd/n.txt', change: 'create', binary: false },
    ])
    expect(diff).toBe(
      [
        'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
        'diff --git a/b.txt b/b.txt\ndeleted file mode 100644\n--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
        'diff --git a/d/n.txt b/d/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/d/n.txt\n@@ -0,0 +1 @@\n+n\n\\ No newline at end of file\n',
      ].join(''),
    )
  })

  it('keeps the executable bit in its diff', async () => {
    const root = scratchDir({ 'run.sh': 'old\n' })
    fs.chmodSync(at(root, 'run.sh'), 0o755)
    const document = block('file_move', { old_path: at(root, 'run.sh'), new_path: at(root, 'bin/run.sh') })
    const { diff } = await clada(root).preview(document)
    const copy = scratchDir({ 'run.sh': 'old\n' })
    fs.chmodSync(at(copy, 'run.sh'), 0o755)
    gitApply(copy, diff)
    expect(fs.statSync(at(copy, 'bin/run.sh')).mode & 0o777).toBe(0o755)
  })

  it('its diff holds for CRLF, byte order marks, odd names and missing final line breaks', async () => {
    const odd = process.platform === 'win32' ? "ein ü 'x'.txt" : 'ein ü "x".txt'
    const files = {
      'dos.txt': 'a\r\nb\r\n',
      'bom.txt': '\ufeffa\n',
      'open.txt': 'no end',
      [odd]: 'x\n',
      'empty.txt': '',
    }
    const document = (root: string) =>
      blocks(
        ['file_replace_text', { path: at(root, 'dos.txt'), old_text: 'b', new_text: 'B\nC' }],
        ['file_replace_text', { path: at(root, 'bom.txt'), old_text: 'a', new_text: 'b' }],
        ['file_append', { path: at(root, 'open.txt'), content: '\nreally' }],
        ['file_append', { path: at(root, odd), content: 'y' }],
        ['file_append', { path: at(root, 'empty.txt'), content: 'x' }],
        ['file_write', { path: at(root, 'also empty.txt'), content: '' }],
      )
    const [shown, done] = [scratchDir(files), scratchDir(files)]
    const { diff } = await clada(shown).preview(document(shown))
    await clada(done).execute(document(done))
    gitApply(shown, diff)
    expect(filesIn(shown)).toEqual(filesIn(done))
  })

  for (const [what, document] of [
    [
      'moving a link',
      (root: string) => block('file_move', { old_path: at(root, 'link'), new_path: at(root, 'moved') }),
    ],
    ['deleting a link', (root: string) => block('file_delete', { path: at(root, 'link') })],
    [
      'moving a link, then a search',
      (root: string) =>
        block('file_move', { old_path: at(root, 'link'), new_path: at(root, 'moved') }) +
        block('grep', { pattern: 'x', path: root }),
    ],
  ] as const) {
    it(`${what} is shown, and git apply does the same`, async () => {
      const [shown, done] = [scratchDir({ 'a.txt': 'x\n' }), scratchDir({ 'a.txt': 'x\n' })]
      for (const root of [shown, done]) fs.symlinkSync('a.txt', at(root, 'link'))
      const { result, diff } = await clada(shown).preview(document(shown))
      expect(result.fatalError).toBeUndefined()
      expect(result.success).toBe(true)
      await clada(done).execute(document(done))
      gitApply(shown, diff)
      const names = (root: string) => fs.readdirSync(root).filter((name) => name !== '.clada')
      expect(names(shown)).toEqual(names(done))
    })
  }

  it('moving a file onto itself changes nothing', async () => {
    const root = scratchDir({ 'a.txt': 'x\n' })
    const file = at(root, 'a.txt')
    const document = blocks(['file_move', { old_path: file, new_path: file }], ['file_read', { path: file }])
    const { result, diffs } = await clada(root).preview(document)
    expect(diffs).toEqual([])
    expect(result.results[1]).toMatchObject({ success: true, data: { content: 'x\n' } })
  })

  for (const [what, call] of [
    ['written', ['file_write', { content: 'x' }]],
    ['deleted', ['file_delete', {}]],
  ] as const) {
    it(`foresees that a read-only file cannot be ${what}`, async () => {
      const root = scratchDir({ 'a.txt': 'x\n' })
      fs.chmodSync(at(root, 'a.txt'), 0o444)
      const [action, params] = call
      const { result } = await clada(root).preview(block(action, { path: at(root, 'a.txt'), ...params }))
      expect(result.results[0]).toMatchObject({ success: false, code: 'permission_denied' })
    })
  }

  it('foresees that a copy onto a link is refused', async () => {
    const root = scratchDir({ 'a.txt': 'x\n' })
    fs.symlinkSync('b.txt', at(root, 'link'))
    const { result } = await clada(root).preview(
      block('file_copy', { old_path: at(root, 'a.txt'), new_path: at(root, 'link') }),
    )
    expect(result.results[0]).toMatchObject({ success: false, code: 'symlink_not_allowed' })
  })
})

describe('a document that is carried out whole', () => {
  it('lands when everything succeeds', async () => {
    const root = scratchDir({ 'a.txt': 'one\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    const { success } = await clada(root, { atomic: true }).execute(
      blocks(
        ['file_replace_text', { path: at(root, 'a.txt'), old_text: 'one', new_text: '1' }],
        ['file_append', { path: at(root, 'a.txt'), content: '2\n' }],
        ['file_move', { old_path: at(root, 'b.txt'), new_path: at(root, 'd/b.txt') }],
        ['file_delete', { path: at(root, 'c.txt') }],
        ['file_write', { path: at(root, 'n/m/o.txt'), content: 'new' }],
      ),
    )
    expect(success).toBe(true)
    expect(filesIn(root)).toEqual({ 'a.txt': '1\n2\n', 'd/b.txt': 'b\n', 'n/m/o.txt': 'new' })
    expect(leftovers(root)).toEqual([])
  })

  for (const [what, bad] of [
    [
      'an action that fails',
      (root: string) => block('file_replace_text', { path: at(root, 'a.txt'), old_text: 'nowhere', new_text: 'x' }),
    ],
    [
      'a block that cannot be read',
      (root: string) =>
        `#!SHAM [@three-char-SHA-256: bad]\naction := "file_delete"\npath = "${root}/a.txt"\n#!END_SHAM_bad\n`,
    ],
    ['an action that does not exist', (root: string) => block('file_vanish', { path: at(root, 'a.txt') })],
    ['a file that is closed', (root: string) => block('file_write', { path: at(root, '.env'), content: 'x' })],
  ] as const) {
    it(`leaves everything as it was because of ${what}`, async () => {
      const root = scratchDir({ 'a.txt': 'one\n', 'b.txt': 'b\n', 'c/d.txt': 'd\n' })
      const before = filesIn(root)
      const document =
        blocks(
          ['file_write', { path: at(root, 'a.txt'), content: 'new' }],
          ['file_move', { old_path: at(root, 'b.txt'), new_path: at(root, 'x/b.txt') }],
          ['file_delete', { path: at(root, 'c/d.txt') }],
          ['dir_delete', { path: at(root, 'c') }],
          ['dir_create', { path: at(root, 'made') }],
        ) + bad(root)
      const { success, results } = await clada(root, { atomic: true }).execute(document)
      expect(success).toBe(false)
      expect(results.slice(0, 5).map(({ code }) => code)).toEqual(Array(5).fill('skipped'))
      expect(filesIn(root)).toEqual(before)
      expect(fs.readdirSync(root).sort()).toEqual(['a.txt', 'b.txt', 'c'])
    })
  }

  it('takes back what it had done when the disk refuses at the end', async () => {
    const root = scratchDir({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'z.txt': 'z\n' })
    fs.chmodSync(at(root, 'z.txt'), 0o444)
    const before = filesIn(root)
    const { success } = await clada(root, { atomic: true }).execute(
      blocks(
        ['file_write', { path: at(root, 'a.txt'), content: 'new' }],
        ['file_move', { old_path: at(root, 'b.txt'), new_path: at(root, 'x/y/b.txt') }],
        ['file_copy', { old_path: at(root, 'c.txt'), new_path: at(root, 'copy.txt') }],
        ['dir_create', { path: at(root, 'made/deep') }],
        ['file_delete', { path: at(root, 'c.txt') }],
        ['file_delete', { path: at(root, 'z.txt') }],
      ),
    )
    expect(success).toBe(false)
    expect(filesIn(root)).toEqual(before)
    expect(
      fs
        .readdirSync(root)
        .filter((name) => name !== '.clada')
        .sort(),
    ).toEqual(['a.txt', 'b.txt', 'c.txt', 'z.txt'])
    expect(leftovers(root)).toEqual([])
  })

  for (const [what, before, calls, after] of [
    [
      'a copy that is edited then',
      { 'a.txt': 'x\n' },
      (root: string) => [
        ['file_copy', { old_path: at(root, 'a.txt'), new_path: at(root, 'b.txt') }],
        ['file_replace_text', { path: at(root, 'b.txt'), old_text: 'x', new_text: 'y' }],
      ],
      { 'a.txt': 'x\n', 'b.txt': 'y\n' },
    ],
    [
      'a file in the place of a directory that was deleted and made again',
      { 'd/a.txt': 'x\n' },
      (root: string) => [
        ['file_delete', { path: at(root, 'd/a.txt') }],
        ['dir_delete', { path: at(root, 'd') }],
        ['file_write', { path: at(root, 'd/b.txt'), content: 'y' }],
      ],
      { 'd/b.txt': 'y' },
    ],
    [
      'a directory in the place of a file',
      { a: 'x\n' },
      (root: string) => [
        ['file_delete', { path: at(root, 'a') }],
        ['file_write', { path: at(root, 'a/b.txt'), content: 'y' }],
      ],
      { 'a/b.txt': 'y' },
    ],
  ] as const) {
    it(`can hold ${what}`, async () => {
      const root = scratchDir(before)
      const document = calls(root)
        .map(([action, params]) => block(action as string, params as Record<string, string>))
        .join('')
      const { results } = await clada(root, { atomic: true }).execute(document)
      expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined))
      expect(filesIn(root)).toEqual(after)
    })
  }

  it('a file that somebody else changed since it was read stops it', async () => {
    const root = scratchDir({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    /** Does something before the last of three actions: results are reported only when all of them have landed. */
    const beforeThird = (change: () => void): { signal: AbortSignal } => {
      const { signal } = new AbortController()
      let asked = 0
      Object.defineProperty(signal, 'aborted', {
        get: () => {
          if (++asked === 3) change()
          return false
        },
      })
      return { signal }
    }
    const { success } = await clada(root, { atomic: true }).execute(
      blocks(
        ['file_replace_text', { path: at(root, 'a.txt'), old_text: 'a', new_text: 'ours' }],
        ['file_replace_text', { path: at(root, 'b.txt'), old_text: 'b', new_text: 'ours' }],
        ['grep', { pattern: 'x', path: root }],
      ),
      beforeThird(() => fs.writeFileSync(at(root, 'b.txt'), 'theirs\n')),
    )
    expect(success).toBe(false)
    expect(filesIn(root)).toEqual({ 'a.txt': 'a\n', 'b.txt': 'theirs\n' })
    // Also where it was edited twice.
    const twice = await clada(root, { atomic: true }).execute(
      blocks(
        ['file_replace_text', { path: at(root, 'a.txt'), old_text: 'a', new_text: 'b' }],
        ['file_replace_text', { path: at(root, 'a.txt'), old_text: 'b', new_text: 'c' }],
        ['grep', { pattern: 'x', path: root }],
      ),
      beforeThird(() => fs.writeFileSync(at(root, 'a.txt'), 'theirs\n')),
    )
    expect(twice.success).toBe(false)
    expect(filesIn(root)).toEqual({ 'a.txt': 'theirs\n', 'b.txt': 'theirs\n' })
  })
})

it('git is there to apply diffs', () => {
  expect(execFileSync('git', ['--version'], { encoding: 'utf8' })).toMatch(/^git version/)
})
