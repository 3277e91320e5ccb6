import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { platform } from '../../packages/clada/src/core/platform.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { block, blocks } from './blocks.ts'
import { nativeCalls } from '../../packages/clada/src/workspace/native.ts'
import { diskIn, leftovers, locationIn, stopOf } from './disk.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'

const root0 = process.geteuid?.() === 0

/** Reads a file over and over until its input ends, and tells when it has seen enough, and what was wrong. */
const reader = `
const fs = require('node:fs')
let going = true, enough = false, reads = 0
const seen = new Set(), torn = []
process.stdin.on('end', () => { going = false }).resume()
const loop = () => {
  for (let i = 0; i < 50; i++) {
    const text = fs.readFileSync(process.argv[1], 'latin1')
    reads++
    seen.add(text[0])
    if (text.length !== 50000 || text !== text[0].repeat(50000)) torn.push(text.length)
  }
  if (!enough && reads > 100 && seen.size > 2) {
    enough = true
    console.log('enough')
  }
  if (going) setImmediate(loop)
  else console.log(JSON.stringify({ torn }))
}
console.log('ready')
loop()
`

test('whoever reads while 200 writes happen sees whole files only', async () => {
  const root = scratchDir({ 'a.txt': 'A'.repeat(50_000) })
  const file = path.join(root, 'a.txt')
  const child = spawn(process.execPath, ['-e', reader, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  while (!output.includes('ready')) await once(child.stdout, 'data')

  const letters = [...'BCDEFGHIJK']
  for (let round = 0; round < 20 || !output.includes('enough'); round++) {
    const calls = letters.map((letter) => ['file_write', { path: file, content: letter.repeat(50_000) }] as const)
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(blocks(...calls))
    // Windows may find the file open each time it tries.
    const refused = platform.replacesOpenFiles ? [] : ['permission_denied']
    expect(results.map(({ code }) => code).filter((code) => code !== undefined && !refused.includes(code))).toEqual([])
  }
  child.stdin.end()
  await once(child, 'close')

  const told = JSON.parse(output.trim().split('\n').at(-1) ?? '') as { torn: number[] }
  expect(told.torn).toEqual([])
  expect(leftovers(root)).toEqual([])
})

describe('what belongs to a file besides its text', () => {
  const edit = (file: string) => block('file_replace_text', { path: file, old_text: 'old', new_text: 'new' })

  for (const mode of [0o644, 0o600, 0o755, 0o777, 0o640, 0o4755]) {
    it.skipIf(process.platform === 'win32')(
      `mode ${mode.toString(8)} stays through an edit, a write and an append`,
      async () => {
        const root = scratchDir({ a: 'old\n' })
        const file = path.join(root, 'a')
        fs.chmodSync(file, mode)
        const document =
          edit(file) +
          blocks(['file_write', { path: file, content: 'x' }], ['file_append', { path: file, content: 'y' }])
        const { success } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
        expect(success).toBe(true)
        expect(fs.readFileSync(file, 'utf8')).toBe('xy')
        expect((fs.statSync(file).mode & 0o7777).toString(8)).toBe(mode.toString(8))
      },
    )
  }

  describe.skipIf(nativeCalls() === undefined)('with the package for attributes', () => {
    // Owner rw, user 1234 rw, group r, mask rw, others nothing: version 2, then tag, rights and id of each.
    const accessList = Buffer.from(
      '02000000' +
        '01000600ffffffff' +
        '02000600d2040000' +
        '04000400ffffffff' +
        '10000600ffffffff' +
        '20000000ffffffff',
      'hex',
    )
    const attributes = { 'system.posix_acl_access': accessList, 'user.origin': Buffer.from('a page') }
    const read = (file: string): Record<string, string> => {
      const fd = fs.openSync(file, 'r')
      const native = nativeCalls()
      const names = native?.listAttrsSync(fd) ?? []
      const found = names
        .filter((name) => !name.startsWith('security.'))
        .map((name) => [name, String(native?.getAttrSync(fd, name)?.toString('hex'))])
      fs.closeSync(fd)
      return Object.fromEntries(found)
    }
    /** On a real disk: one in memory may have no attributes. */
    const withAttributes = (given: Readonly<Record<string, Buffer>>): { root: string; file: string } => {
      const root = fs.mkdtempSync('/var/tmp/clada-attributes-')
      onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }))
      const file = path.join(root, 'a')
      fs.writeFileSync(file, 'old\n')
      const fd = fs.openSync(file, 'r+')
      for (const [name, value] of Object.entries(given)) nativeCalls()?.setAttrSync(fd, name, value)
      fs.closeSync(fd)
      return { root, file }
    }

    it('the access list and the attributes of the user stay', async () => {
      const { root, file } = withAttributes(attributes)
      const [before, { mode }] = [read(file), fs.statSync(file)]
      expect(Object.keys(before).sort()).toEqual(Object.keys(attributes))
      const { success } = await new Clada({ repoPath: root, gitCommit: false }).execute(edit(file))
      expect([success, fs.readFileSync(file, 'utf8')]).toEqual([true, 'new\n'])
      expect([read(file), fs.statSync(file).mode]).toEqual([before, mode])
    })

    it('undo, redo and a copy over it keep them too', async () => {
      const { root, file } = withAttributes(attributes)
      fs.writeFileSync(path.join(root, 'b'), 'of b\n')
      const [before, { mode }] = [read(file), fs.statSync(file)]
      const clada = new Clada({ repoPath: root, gitCommit: false })
      await clada.execute(edit(file))
      for (const step of [() => clada.undo(), () => clada.redo()]) {
        expect(await step()).toMatchObject({ success: true })
        expect([read(file), fs.statSync(file).mode]).toEqual([before, mode])
      }
      await clada.perform('run', { command: 'cp b a' })
      expect([fs.readFileSync(file, 'utf8'), read(file)['user.origin']]).toEqual(['of b\n', before['user.origin']])
      expect(Object.keys(read(file)).sort()).toEqual(Object.keys(attributes))
    })

    it('a file without an access list gets none from its directory', async () => {
      const { root, file } = withAttributes({})
      const fd = fs.openSync(root, 'r')
      nativeCalls()?.setAttrSync(fd, 'system.posix_acl_default', accessList)
      fs.closeSync(fd)
      const { mode } = fs.statSync(file)
      await new Clada({ repoPath: root, gitCommit: false }).execute(edit(file))
      expect([fs.readFileSync(file, 'utf8'), read(file), fs.statSync(file).mode]).toEqual(['new\n', {}, mode])
    })

    it('without the package, a file with an access list is refused, and others are written', async () => {
      const work = (root: string) => async () => {
        const disk = diskIn(root, undefined, () => undefined)
        const at = locationIn(root, 'a')
        return disk.write(at, Buffer.from('new'), disk.read(at, 100))
      }
      const [listed, plain] = [withAttributes(attributes), withAttributes({})]
      expect(await stopOf(work(listed.root))).toMatchObject({
        kind: 'os',
        code: 'ENOTSUP',
        message: 'its access list cannot be kept (fs-native-extensions is not installed)',
      })
      expect([filesIn(listed.root), leftovers(listed.root)]).toEqual([{ a: 'old\n' }, []])
      await work(plain.root)()
      expect(filesIn(plain.root)).toEqual({ a: 'new' })
    })

    it('an edit that would lose them is refused with the reason', async () => {
      const { root, file } = withAttributes(attributes)
      const native = nativeCalls()
      if (native === undefined) return
      const setAttrSync = (): void => {
        throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' })
      }
      const disk = diskIn(root, undefined, () => ({ ...native, setAttrSync }))
      const at = locationIn(root, 'a')
      const work = async () => disk.write(at, Buffer.from('new'), disk.read(at, 100))
      expect(await stopOf(work)).toMatchObject({
        kind: 'os',
        code: 'EPERM',
        path: file,
        message: 'its access list cannot be kept (permission denied)',
      })
      expect([filesIn(root), leftovers(root)]).toEqual([{ a: 'old\n' }, []])
    })
  })

  it.skipIf(!root0)('the owner stays (only the superuser can give files away)', async () => {
    const root = scratchDir({ a: 'old\n' })
    const file = path.join(root, 'a')
    fs.chownSync(file, 1234, 2345)
    fs.chmodSync(file, 0o6755)
    await new Clada({ repoPath: root, gitCommit: false }).execute(edit(file))
    const { uid, gid, mode } = fs.statSync(file)
    expect({ uid, gid, mode: (mode & 0o7777).toString(8) }).toEqual({ uid: 1234, gid: 2345, mode: '6755' })
    expect(fs.readFileSync(file, 'utf8')).toBe('new\n')
  })

  it.skipIf(!root0)(
    'a file of another user is refused where they may not write, and otherwise gets a new owner, which is reported',
    () => {
      const root = scratchDir({ 'closed.txt': 'old\n', 'open.txt': 'old\n' })
      const clada = ordinaryUser(root)
      const [closed, open] = [path.join(root, 'closed.txt'), path.join(root, 'open.txt')]
      for (const file of [closed, open]) fs.chownSync(file, 0, 0)
      fs.chmodSync(open, 0o4666)
      const refused = clada(['--no-git'], edit(closed))
      expect(refused.stdout).toContain('Permission denied')
      expect({ text: fs.readFileSync(closed, 'utf8'), uid: fs.statSync(closed).uid }).toEqual({ text: 'old\n', uid: 0 })
      const edited = clada(['--no-git'], edit(open))
      expect(edited.stdout + edited.stderr).toContain('open.txt belonged to another user and is now yours')
      expect(fs.readFileSync(open, 'utf8')).toBe('new\n')
      expect((fs.statSync(open).mode & 0o7777).toString(8)).toBe('666')
    },
  )

  it('a new file has the mode any program would give it', async () => {
    const root = scratchDir()
    await new Clada({ repoPath: root, gitCommit: false }).execute(
      block('file_write', { path: path.join(root, 'a'), content: '' }),
    )
    fs.writeFileSync(path.join(root, 'b'), '')
    expect(fs.statSync(path.join(root, 'a')).mode).toBe(fs.statSync(path.join(root, 'b')).mode)
  })

  it('an edit that changes nothing leaves the file itself alone', async () => {
    const root = scratchDir({ a: 'old\n' })
    const file = path.join(root, 'a')
    const before = fs.statSync(file)
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
      block('file_replace_text', { path: file, old_text: 'old', new_text: 'old' }),
    )
    expect(results[0]).toMatchObject({ success: true, data: { replacements: 1 } })
    expect(fs.statSync(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
    expect(fs.readdirSync(root)).toEqual(['a'])
  })
})

describe('a file with two names', () => {
  const linked = () => {
    const parent = scratchDir({ 'outside.txt': 'canary\n', 'project/b.txt': 'b\n' })
    const root = path.join(parent, 'project')
    fs.linkSync(path.join(parent, 'outside.txt'), path.join(root, 'a.txt'))
    return { parent, root, file: path.join(root, 'a.txt') }
  }

  for (const [action, params] of [
    ['file_read', {}],
    ['file_read_numbered', {}],
    ['file_replace_text', { old_text: 'canary', new_text: 'x' }],
    ['file_append', { content: 'x' }],
    ['file_insert_lines', { after: '0', content: 'x' }],
    ['file_write', { content: 'mine' }],
    ['file_delete', {}],
  ] as const) {
    it(`gives nothing of its content to ${action}`, async () => {
      const { parent, root, file } = linked()
      const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(
        block(action, { path: file, ...params }),
      )
      expect(results[0]).toMatchObject({ success: false, code: 'path_denied' })
      expect(JSON.stringify(results[0]).replaceAll('"old_text":"canary"', '')).not.toContain('canary')
      expect(filesIn(parent)).toMatchObject({ 'outside.txt': 'canary\n', 'project/a.txt': 'canary\n' })
    })
  }

  it('is an ordinary file if both names are in the project, and is not written through', async () => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    fs.linkSync(path.join(root, 'a.txt'), path.join(root, 'b.txt'))
    const document = blocks(
      ['file_read', { path: path.join(root, 'b.txt') }],
      ['file_write', { path: path.join(root, 'b.txt'), content: 'new\n' }],
    )
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
    expect(results).toMatchObject([{ data: { content: 'old\n' } }, { success: true }])
    expect(filesIn(root)).toEqual({ 'a.txt': 'old\n', 'b.txt': 'new\n' })
  })

  it('cannot be laundered by moving it first', async () => {
    const { root, file } = linked()
    const moved = path.join(root, 'moved.txt')
    const document = blocks(['file_move', { old_path: file, new_path: moved }], ['file_read', { path: moved }])
    const { results } = await new Clada({ repoPath: root, gitCommit: false }).execute(document)
    expect(results[0]).toMatchObject({ success: false, code: 'path_denied' })
    expect(JSON.stringify(results)).not.toContain('canary')
  })

  it('cannot be laundered in a preview either', async () => {
    const { root, file } = linked()
    const moved = path.join(root, 'moved.txt')
    const document = blocks(
      ['file_move', { old_path: file, new_path: moved }],
      ['file_read', { path: moved }],
      ['grep', { pattern: 'can', path: root }],
    )
    const { result } = await new Clada({ repoPath: root, gitCommit: false }).preview(document)
    expect(result.results[0]).toMatchObject({ success: false, code: 'path_denied' })
    expect(JSON.stringify(result)).not.toContain('canary')
  })
})
