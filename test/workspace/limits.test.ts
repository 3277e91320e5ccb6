import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { fill, filesIn, scratchDir } from '../support/scratch.ts'
import { block, blocks } from './blocks.ts'
import { canMount, leftovers, mountAt } from './disk.ts'

const mountable = canMount()

/** A project on a disk of its own that holds 256 kB. */
function smallDisk(files: Record<string, string>): string {
  const root = scratchDir()
  mountAt(root, 'size=256k')
  for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(root, name), content)
  return root
}

/** Takes all the room that is left. */
function fillUp(root: string): void {
  const fd = fs.openSync(path.join(root, 'ballast'), 'w')
  for (const size of [4096, 1]) {
    try {
      for (;;) if (fs.writeSync(fd, Buffer.alloc(size)) < size) break
    } catch {
      // Full.
    }
  }
  fs.closeSync(fd)
}

describe.skipIf(!mountable)('a full disk (needs the right to mount a small one)', () => {
  const large = 'x'.repeat(400_000)

  it('fails that action with its code, the file as it was, and goes on', async () => {
    const root = smallDisk({ 'a.txt': 'old\n', 'b.txt': 'b\n' })
    const file = path.join(root, 'a.txt')
    const document = blocks(
      ['file_write', { path: file, content: large }],
      ['file_append', { path: file, content: large }],
      ['file_write', { path: path.join(root, 'new.txt'), content: large }],
      ['file_replace_text', { path: path.join(root, 'b.txt'), old_text: 'b', new_text: 'B' }],
    )
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
    expect(results.map(({ code }) => code)).toEqual(['no_space', 'no_space', 'no_space', undefined])
    for (const { error } of results.slice(0, 3)) expect(error).toMatch(/^ENOSPC: no space left on device/)
    expect(filesIn(root)).toEqual({ 'a.txt': 'old\n', 'b.txt': 'B\n' })
    expect(leftovers(root)).toEqual([])
  })

  it('a copy that does not fit leaves nothing', async () => {
    const root = smallDisk({ 'a.txt': 'x'.repeat(150_000), 'b.txt': 'b\n' })
    const document = block('file_copy', { old_path: path.join(root, 'a.txt'), new_path: path.join(root, 'b.txt') })
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
    expect(results[0]).toMatchObject({ success: false, code: 'no_space' })
    expect(fs.readFileSync(path.join(root, 'b.txt'), 'utf8')).toBe('b\n')
    expect(leftovers(root)).toEqual([])
  })

  it('a document that is carried out whole changes nothing', async () => {
    const root = smallDisk({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    const before = filesIn(root)
    const document = blocks(
      ['file_write', { path: path.join(root, 'a.txt'), content: 'new' }],
      ['file_write', { path: path.join(root, 'd/e/f.txt'), content: 'new' }],
      ['file_move', { old_path: path.join(root, 'b.txt'), new_path: path.join(root, 'g/b.txt') }],
      ['file_delete', { path: path.join(root, 'c.txt') }],
      ['file_write', { path: path.join(root, 'large.txt'), content: large }],
    )
    const { success, results } = await new Clada({ repoPath: root, gitCommit: false, atomic: true }).execute(document)
    expect(success).toBe(false)
    expect(results.map(({ code }) => code)).toEqual(Array(5).fill('no_space'))
    expect(filesIn(root)).toEqual(before)
    expect(fs.readdirSync(root).filter((name) => name !== '.clada')).toEqual(['a.txt', 'b.txt', 'c.txt'])
    expect(leftovers(root)).toEqual([])
  })

  it('a copy in such a document that does not fit takes the steps before it back', async () => {
    const root = smallDisk({ 'a.txt': 'x'.repeat(150_000), 'b.txt': 'b\n', 'c.txt': 'c\n' })
    const before = filesIn(root)
    const document = blocks(
      ['file_move', { old_path: path.join(root, 'b.txt'), new_path: path.join(root, 'm/b.txt') }],
      ['file_delete', { path: path.join(root, 'c.txt') }],
      ['file_copy', { old_path: path.join(root, 'a.txt'), new_path: path.join(root, 'copy.txt') }],
    )
    const { success } = await new Clada({ repoPath: root, gitCommit: false, atomic: true }).execute(document)
    expect(success).toBe(false)
    expect(filesIn(root)).toEqual(before)
    expect(
      fs
        .readdirSync(root)
        .filter((name) => name !== '.clada')
        .sort(),
    ).toEqual(['a.txt', 'b.txt', 'c.txt'])
    expect(leftovers(root)).toEqual([])
  })

  it('that was full before the first write is told as such too', async () => {
    const root = smallDisk({ 'a.txt': 'old\n' })
    fillUp(root)
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
      block('file_write', { path: path.join(root, 'a.txt'), content: 'x'.repeat(10_000) }),
    )
    expect(results[0]).toMatchObject({ success: false, code: 'no_space' })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('old\n')
  })

  it('deleting makes no room: what was deleted is kept for undo', async () => {
    const root = smallDisk({ 'big.txt': 'x'.repeat(200_000) })
    fill(root, { '.git/HEAD': 'ref: refs/heads/main\n' })
    const document = blocks(
      ['file_write', { path: path.join(root, 'a.txt'), content: 'y'.repeat(100_000) }],
      ['file_delete', { path: path.join(root, 'big.txt') }],
      ['file_write', { path: path.join(root, 'a.txt'), content: 'y'.repeat(100_000) }],
    )
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
    expect(results.map(({ code }) => code)).toEqual(['no_space', undefined, 'no_space'])
  })
})

describe.skipIf(!fs.existsSync('/proc/self/fd'))('descriptors (counted where the system shows them)', () => {
  /** Only those that lead to this project: other tests run beside this one. */
  const openIn = (root: string): string[] =>
    fs.readdirSync('/proc/self/fd').flatMap((fd) => {
      const target = targetOf(fd)
      return target.startsWith(root) ? [target] : []
    })

  function targetOf(fd: string): string {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return 'closed meanwhile'
    }
  }

  const succeeding = (root: string): string => {
    const at = (name: string) => path.join(root, name)
    return blocks(
      ['file_write', { path: at('new/a.txt'), content: 'x' }],
      ['file_write', { path: at('a.txt'), content: 'fresh text' }],
      ['file_replace_text', { path: at('a.txt'), old_text: 'fresh', new_text: 'old' }],
      ['file_copy', { old_path: at('a.txt'), new_path: at('copy/a.txt') }],
      ['file_move', { old_path: at('copy/a.txt'), new_path: at('moved.txt') }],
      ['file_delete', { path: at('moved.txt') }],
      ['file_delete', { path: at('new/a.txt') }],
      ['dir_delete', { path: at('new') }],
      ['dir_delete', { path: at('copy') }],
      ['ls', { path: root }],
      ['glob', { pattern: '**', base_path: root }],
    )
  }

  const failing = (root: string): string => {
    const at = (name: string) => path.join(root, name)
    return blocks(
      ['file_replace_text', { path: at('a.txt'), old_text: 'nowhere', new_text: 'x' }],
      ['file_replace_text', { path: at('a.txt'), old_text: 'x', new_text: 'x', expect_hash: 'no' }],
      ['file_write', { path: at('a.txt'), content: 'x'.repeat(2000) }],
      ['file_append', { path: at('latin.txt'), content: 'x' }],
      ['file_write', { path: at('d'), content: 'x' }],
      ['file_write', { path: at('d/x.txt/y.txt'), content: 'x' }],
      ['file_write', { path: at('link'), content: 'x' }],
      ['file_write', { path: at('read-only.txt'), content: 'x' }],
      ['file_append', { path: at('read-only.txt'), content: 'x' }],
      ['file_read', { path: at('hard.txt') }],
      ['file_read', { path: at('gone/gone.txt') }],
      ['file_read', { path: at('pretty-large.txt') }],
      ['file_copy', { old_path: at('a.txt'), new_path: at('link') }],
      ['file_copy', { old_path: at('a.txt'), new_path: at('read-only.txt') }],
      ['file_move', { old_path: at('a.txt'), new_path: at('d') }],
      ['dir_delete', { path: at('d') }],
    )
  }

  function project(): string {
    const root = scratchDir({
      'a.txt': 'a',
      'd/x.txt': 'x',
      'read-only.txt': 'r',
      'pretty-large.txt': 'x'.repeat(2000),
    })
    fs.writeFileSync(path.join(root, 'latin.txt'), Buffer.from([0xe9]))
    fs.symlinkSync('a.txt', path.join(root, 'link'))
    fs.linkSync(path.join(scratchDir({ elsewhere: 'x' }), 'elsewhere'), path.join(root, 'hard.txt'))
    fs.chmodSync(path.join(root, 'read-only.txt'), 0o444)
    return root
  }

  for (const [what, document, rounds, success] of [
    ['fail', failing, 120, false],
    ['succeed', succeeding, 30, true],
  ] as const) {
    for (const atomic of [false, true]) {
      test(`none is left open after ${rounds} documents that ${what}, ${atomic ? 'whole' : 'action by action'}`, async () => {
        const root = project()
        const clada = new Clada({ repoPath: root, gitCommit: false, limits: { fileBytes: 1000 }, atomic })
        for (let round = 0; round < rounds; round++) {
          const { results } = await clada.execute(document(root))
          expect(results.every((result) => result.success === success)).toBe(true)
        }
        expect([...new Set(openIn(root))]).toEqual([])
        expect(leftovers(root)).toEqual([])
      })
    }
  }

  test('none is left open by previews', async () => {
    const root = project()
    const clada = new Clada({ repoPath: root, gitCommit: false })
    for (let round = 0; round < 50; round++) await clada.preview(succeeding(root) + failing(root))
    expect(openIn(root)).toEqual([])
  })

  test('a document with hundreds of directories holds few at a time', async () => {
    const root = scratchDir()
    let most = 0
    const calls = Array.from(
      { length: 300 },
      (_, at) => ['file_write', { path: path.join(root, `d${at}/a.txt`), content: 'x' }] as const,
    )
    const { success } = await new Clada({ repoPath: root, gitCommit: false }).execute(blocks(...calls), {
      onAction: ({ seq }) => {
        if (seq % 50 === 0) most = Math.max(most, openIn(root).length)
      },
    })
    expect(success).toBe(true)
    expect(most).toBeLessThan(200)
    expect(openIn(root)).toEqual([])
  })
})
