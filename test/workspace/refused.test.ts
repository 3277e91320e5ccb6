import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { block } from './blocks.ts'
import { canMount, leftovers, mountAt } from './disk.ts'

const mountable = canMount()

/** Every way to get at the content of a file, with what must come of it where the file is not an ordinary one. */
const reads: readonly (readonly [string, Record<string, string>])[] = [
  ['file_read', {}],
  ['file_read_numbered', {}],
  ['file_replace_text', { old_text: 'a', new_text: 'b' }],
  ['file_replace_lines', { lines: '1', new_content: 'b' }],
]
const writes: readonly (readonly [string, Record<string, string>])[] = [
  ['file_write', { content: 'pwned' }],
  ['file_append', { content: 'pwned' }],
]

describe('symbolic links', () => {
  const kinds: Record<string, (parent: string, link: string) => void> = {
    'to a file inside': (_, link) => fs.symlinkSync('real.txt', link),
    'to a file outside': (parent, link) => fs.symlinkSync(path.join(parent, 'outside/secret.txt'), link),
    'to a directory': (_, link) => fs.symlinkSync('dir', link),
    'to nothing': (parent, link) => fs.symlinkSync(path.join(parent, 'outside/new.txt'), link),
    'to itself': (_, link) => fs.symlinkSync('link', link),
  }
  for (const [kind, make] of Object.entries(kinds)) {
    const project = () => {
      const parent = scratchDir({
        'outside/secret.txt': 'canary',
        'project/real.txt': 'real',
        'project/dir/x.txt': 'x',
      })
      const root = path.join(parent, 'project')
      const link = path.join(root, 'link')
      make(parent, link)
      return { parent, root, link }
    }

    for (const [action, params] of [...reads, ...writes]) {
      it(`${kind}: refused by ${action}`, async () => {
        const { parent, root, link } = project()
        const target = fs.readlinkSync(link)
        const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
          block(action, { path: link, ...params }),
        )
        expect(results[0]).toMatchObject({ success: false, code: 'symlink_not_allowed' })
        expect(JSON.stringify(results)).not.toContain('canary')
        expect(fs.readlinkSync(link)).toBe(target)
        expect(fs.readdirSync(path.join(parent, 'outside'))).toEqual(['secret.txt'])
        expect(fs.readFileSync(path.join(parent, 'outside/secret.txt'), 'utf8')).toBe('canary')
        expect(fs.readFileSync(path.join(root, 'real.txt'), 'utf8')).toBe('real')
      })
    }

    it(`${kind}: can be deleted, and only the link goes`, async () => {
      const { parent, root, link } = project()
      const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
        block('file_delete', { path: link }),
      )
      expect(results[0]).toMatchObject({ success: true })
      expect(fs.lstatSync(link, { throwIfNoEntry: false })).toBeUndefined()
      expect(fs.readFileSync(path.join(parent, 'outside/secret.txt'), 'utf8')).toBe('canary')
      expect(fs.readdirSync(path.join(root, 'dir'))).toEqual(['x.txt'])
    })

    const leadsOut = kind === 'to a file outside' || kind === 'to nothing'
    it(`${kind}: ${leadsOut ? 'cannot' : 'can'} be moved`, async () => {
      const { root, link } = project()
      const moved = path.join(root, 'moved')
      const target = fs.readlinkSync(link)
      const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
        block('file_move', { old_path: link, new_path: moved }),
      )
      expect(results[0]).toMatchObject(leadsOut ? { success: false, code: 'symlink_not_allowed' } : { success: true })
      expect(fs.readlinkSync(leadsOut ? link : moved)).toBe(target)
    })
  }

  it('in the middle of a path: refused at every depth, for every action', async () => {
    const parent = scratchDir({ 'outside/a/b.txt': 'canary', 'project/d/x.txt': 'x' })
    const root = path.join(parent, 'project')
    fs.symlinkSync(path.join(parent, 'outside'), path.join(root, 'd/way'))
    const file = path.join(root, 'd/way/a/b.txt')
    const calls: [string, Record<string, string>][] = [
      ...[...reads, ...writes].map(([action, params]): [string, Record<string, string>] => [
        action,
        { path: file, ...params },
      ]),
      ['file_delete', { path: file }],
      ['file_move', { old_path: file, new_path: path.join(root, 'stolen.txt') }],
      ['file_move', { old_path: path.join(root, 'd/x.txt'), new_path: file }],
      ['file_copy', { old_path: file, new_path: path.join(root, 'stolen.txt') }],
      ['file_copy', { old_path: path.join(root, 'd/x.txt'), new_path: file }],
      ['dir_create', { path: path.join(root, 'd/way/new') }],
      ['dir_delete', { path: path.join(root, 'd/way/a') }],
      ['ls', { path: path.join(root, 'd/way') }],
      ['ls', { path: path.join(root, 'd/way/a') }],
      ['grep', { pattern: 'canary', path: path.join(root, 'd/way/a') }],
      ['glob', { pattern: '**', base_path: path.join(root, 'd/way/a') }],
    ]
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
      calls.map(([action, params]) => block(action, params)).join(''),
    )
    expect(results.map(({ action, code }) => [action, code])).toEqual(
      calls.map(([action]) => [action, 'symlink_not_allowed']),
    )
    expect(fs.readdirSync(path.join(parent, 'outside'), { recursive: true })).toEqual(['a', 'a/b.txt'])
    expect(fs.readdirSync(root).sort()).toEqual(['d'])
  })

  it('a project may itself lie behind a link', async () => {
    const parent = scratchDir({ 'real/a.txt': 'old' })
    fs.symlinkSync('real', path.join(parent, 'way'))
    const root = path.join(parent, 'way')
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
      block('file_write', { path: path.join(parent, 'real/a.txt'), content: 'new' }),
    )
    expect(results[0]).toMatchObject({ success: true })
    expect(fs.readFileSync(path.join(parent, 'real/a.txt'), 'utf8')).toBe('new')
  })
})

describe('what is no regular file', () => {
  const kinds: Record<string, { type: string; make: (file: string) => void | Promise<void>; skip?: boolean }> = {
    FIFO: {
      type: 'FIFO',
      make: (file) => void execFileSync('mkfifo', [file]),
      skip: process.platform === 'win32',
    },
    device: {
      type: 'device',
      make: (file) => void execFileSync('mknod', [file, 'c', '1', '5']),
      skip: process.geteuid?.() !== 0,
    },
    socket: {
      type: 'socket',
      make: async (file) => {
        const server = net.createServer()
        await new Promise<void>((done) => server.listen(file, done))
        onTestFinished(() => void server.close())
      },
      skip: process.platform === 'win32',
    },
  }
  for (const [kind, { type, make, skip }] of Object.entries(kinds)) {
    it.skipIf(skip)(`a ${kind} is refused, for reading and for writing`, async () => {
      const root = scratchDir()
      const file = path.join(root, 'odd')
      await make(file)
      const calls = [...reads, ...writes].map(([action, params]) => block(action, { path: file, ...params }))
      const copy = block('file_copy', { old_path: file, new_path: path.join(root, 'copy') })
      const many = block('files_read', { paths: file })
      const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
        [...calls, copy].join('') + many,
      )
      for (const result of results.slice(0, -1)) {
        const error = `${result.action}: '${file}' is a ${type}, not a regular file`
        expect(result).toMatchObject({ success: false, error, code: 'invalid_parameter' })
      }
      expect(results.at(-1)).toMatchObject({ success: false, code: 'invalid_parameter' })
      expect(leftovers(root)).toEqual([])
    })
  }

  it.skipIf(process.platform === 'win32')('grep does not wait for a FIFO', async () => {
    const root = scratchDir({ 'a.txt': 'x\n' })
    execFileSync('mkfifo', [path.join(root, 'pipe')])
    const document =
      block('grep', { pattern: 'x', path: root }) + block('grep', { pattern: 'x', path: path.join(root, 'pipe') })
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
    expect(results).toMatchObject([
      { success: true, data: [{ line_number: 1 }] },
      { success: false, code: 'invalid_parameter' },
    ])
  })
})

describe.skipIf(process.platform === 'win32').each([false, true])(
  'what undo could not bring back, atomic: %s',
  (atomic) => {
    const calls: readonly (readonly [action: string, params: (root: string) => Record<string, string>])[] = [
      ['file_delete', (root) => ({ path: `${root}/odd` })],
      ['file_move', (root) => ({ old_path: `${root}/a.txt`, new_path: `${root}/odd` })],
      ['file_copy', (root) => ({ old_path: `${root}/a.txt`, new_path: `${root}/odd` })],
      ['run', () => ({ command: 'rm odd' })],
      ['run', () => ({ command: 'rm -f odd' })],
      ['run', () => ({ command: 'rm -r d' })],
      ['run', () => ({ command: 'mv a.txt odd' })],
      ['run', () => ({ command: 'cp a.txt odd' })],
      ['run', () => ({ command: 'mv odd new' })],
      ['run', () => ({ command: 'mv d new' })],
    ]
    it.each(calls.map(([action, params]) => [action, params('.')['command'] ?? '', params] as const))(
      'stays, whatever is done: %s %s',
      async (action, _, params) => {
        const root = scratchDir({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' })
        const odd = ['odd', 'd/odd'].map((name) => path.join(root, name))
        for (const file of odd) execFileSync('mkfifo', [file])
        const clada = new Clada({ repoPath: root, gitCommit: false, atomic })
        const { success } = await clada.execute(block(action, params(root)))
        await clada.undo()
        expect(odd.map((file) => fs.lstatSync(file, { throwIfNoEntry: false })?.isFIFO())).toEqual([true, true])
        expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a\n')
        expect(success).toBe(false)
      },
    )
  },
)

describe('what must not be written', () => {
  it('a read-only file stays as it is, also for the superuser', async () => {
    const root = scratchDir({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const file = path.join(root, 'a.txt')
    fs.chmodSync(file, 0o444)
    const calls: [string, Record<string, string>][] = [
      ['file_write', { path: file, content: 'x' }],
      ['file_append', { path: file, content: 'x' }],
      ['file_replace_text', { path: file, old_text: 'a', new_text: 'x' }],
      ['file_delete', { path: file }],
      ['file_copy', { old_path: path.join(root, 'b.txt'), new_path: file }],
    ]
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
      calls.map(([action, params]) => block(action, params)).join(''),
    )
    expect(results.map(({ code }) => code)).toEqual(calls.map(() => 'permission_denied'))
    expect(fs.readFileSync(file, 'utf8')).toBe('a\n')
    expect(leftovers(root)).toEqual([])
  })

  it.skipIf(!mountable)('a read-only disk: every change fails with its code (needs the right to mount)', async () => {
    const root = scratchDir()
    const disk = path.join(root, 'disk')
    fs.mkdirSync(disk)
    mountAt(disk, 'size=1m')
    fs.writeFileSync(path.join(disk, 'a.txt'), 'a\n')
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const file = path.join(disk, 'a.txt')
    const document =
      block('file_write', { path: file, content: 'x' }) +
      block('file_write', { path: path.join(disk, 'new.txt'), content: 'x' }) +
      block('file_replace_text', { path: file, old_text: 'a', new_text: 'x' }) +
      block('file_delete', { path: file }) +
      block('file_move', { old_path: file, new_path: path.join(disk, 'b.txt') }) +
      block('dir_create', { path: path.join(disk, 'd') }) +
      block('file_read', { path: file })
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
    expect(results.slice(0, -1).map(({ code }) => code)).toEqual(Array(6).fill('permission_denied'))
    for (const { error } of results.slice(0, -1)) expect(error).toMatch(/^EROFS: read-only file system/)
    expect(results.at(-1)).toMatchObject({ success: true, data: { content: 'a\n' } })
  })
})
