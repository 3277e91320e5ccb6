import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { startListener } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { append, block, listening, ownIn, ran, runsIn, sectionIn, traceOf, until } from './world.ts'

const again = async (dir: string, atStart?: 'new' | 'hold' | 'all'): ReturnType<typeof listening> =>
  listening(undefined, { dir, ...(atStart === undefined ? {} : { atStart }) })

describe('a listener starts', () => {
  it('and makes the file, with an explanation that runs nothing', async () => {
    const world = await listening(undefined)
    expect(fs.readFileSync(world.file, 'utf8')).toMatch(/^Paste the whole reply/)
    fs.appendFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    expect(traceOf(world.dir)).toEqual(['one'])
  })

  it('again, and says nothing of a file in which nothing is yet', async () => {
    const first = await listening(undefined)
    await first.listener.stop()
    const again = await listening(undefined, { dir: first.dir })
    await again.listener.again('failed')
    expect(again.events.map(({ kind }) => kind)).toEqual(['watching', 'nothing-new'])
    fs.appendFileSync(again.file, 'Only words.\n')
    await until(() => again.events.length === 3)
    expect(again.events.at(-1)).toEqual({ kind: 'nothing-new', origin: 'file', blocks: 0 })
  })

  it('and runs what was never run, and nothing twice', async () => {
    const world = await listening(undefined, { atStart: 'new' })
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    await world.listener.stop()
    fs.appendFileSync(world.file, append(world.dir, 'two'))
    const next = await again(world.dir)
    await ran(next, 1)
    expect(traceOf(world.dir)).toEqual(['one', 'two'])
    await next.listener.stop()
    const third = await again(world.dir, 'all')
    await ran(third, 2)
    expect(traceOf(world.dir)).toEqual(['one', 'two', 'one', 'two'])
  })

  it('and leaves alone what it finds in a file that nobody named and nobody watched', async () => {
    const dir = scratchDir()
    const world = await listening(append(dir, 'bad'), { dir, atStart: 'hold' })
    await until(() => world.events.some((event) => event.kind === 'held' && event.blocks === 1))
    fs.appendFileSync(world.file, append(dir, 'one'))
    await ran(world, 1)
    expect(traceOf(dir)).toEqual(['one'])
    await world.listener.again('failed')
    expect(traceOf(dir)).toEqual(['one', 'bad'])
  })

  it('and leaves alone what it finds in a project that replaced a watched one', async () => {
    const first = await listening(undefined, { atStart: 'hold' })
    const { dir } = first
    await first.listener.stop()
    fs.rmSync(dir, { recursive: true })
    fs.mkdirSync(dir)
    const world = await listening(append(dir, 'bad'), { dir, atStart: 'hold' })
    await world.listener.stop()
    expect(world.events).toContainEqual({ kind: 'held', blocks: 1, why: 'first-look' })
    expect(traceOf(dir)).toEqual([])
  })

  it('and runs what somebody saves into a file that it has just made itself', async () => {
    const dir = scratchDir()
    const file = path.join(dir, 'in.md')
    const options = {
      repoPath: dir,
      git: 'off',
      // Asked for when the file is made and not yet looked at.
      get reserved(): string[] {
        if (fs.existsSync(file)) fs.writeFileSync(file, append(dir, 'fast'))
        return []
      },
    } as const
    const listener = await startListener({ filePath: file, clada: options, atStart: 'hold' })
    await until(() => traceOf(dir).includes('fast'))
    await listener.stop()
    expect(traceOf(dir)).toEqual(['fast'])
  })

  it('and holds what stands below results that nobody remembers', async () => {
    const dir = scratchDir()
    const world = await listening(`=== CLADA RESULTS ===\nold ✅ x\n=== END ===\n\n${append(dir, 'old')}`, { dir })
    await until(() => world.events.some(({ kind }) => kind === 'held'))
    fs.appendFileSync(world.file, append(dir, 'one'))
    await ran(world, 1)
    expect(traceOf(dir)).toEqual(['one'])
  })

  it('only once for a file, and says who has it', async () => {
    const world = await listening('')
    await expect(startListener({ filePath: world.file, clada: { repoPath: world.dir } })).rejects.toThrow(
      new RegExp(`^listener: '${world.file.replaceAll('\\', '\\\\')}' is already watched by .*process ${process.pid}`),
    )
    await world.listener.stop()
    await (await startListener({ filePath: world.file, clada: { repoPath: world.dir } })).stop()
  })

  it('for nothing but a regular file', async () => {
    const dir = scratchDir({ 'inside.md': 'x' })
    const elsewhere = scratchDir({ 'other.md': 'x' })
    fs.symlinkSync(path.join(elsewhere, 'other.md'), path.join(dir, 'out.md'))
    fs.symlinkSync(path.join(dir, 'inside.md'), path.join(dir, 'in.md'))
    fs.symlinkSync('/nowhere/at-all', path.join(dir, 'dangling.md'))
    execFileSync('mkfifo', [path.join(dir, 'pipe')])
    fs.mkdirSync(path.join(dir, 'dir'))
    const start = (name: string): Promise<unknown> =>
      startListener({ filePath: path.join(dir, name), clada: { repoPath: dir } })
    await expect(start('out.md')).rejects.toThrow('does not lead to a file of the project')
    await expect(start('dangling.md')).rejects.toThrow('does not lead to a file of the project')
    await expect(start('pipe')).rejects.toThrow('is not a regular file')
    await expect(start('dir')).rejects.toThrow('is a directory')
    await expect(start('gone/file.md')).rejects.toThrow('does not exist')
    await expect(start('inside.md/file.md')).rejects.toThrow('does not exist')
    await expect(startListener({ filePath: 'x.md' })).rejects.toThrow('listener: filePath must be absolute')
    await expect(startListener({ filePath: '' })).rejects.toThrow('listener: filePath is required')
    await expect(startListener({ filePath: '/x', debounceMs: 14 })).rejects.toThrow('debounceMs must be at least 15')
    const world = await listening(undefined, { dir, name: 'in.md' })
    fs.writeFileSync(path.join(dir, 'inside.md'), append(dir, 'one'))
    await ran(world, 1)
    expect(fs.lstatSync(path.join(dir, 'in.md')).isSymbolicLink()).toBe(true)
  })
})

describe('a file that cannot be carried out', () => {
  it('is too large: the section says so, and what is in it stays', async () => {
    const world = await listening('', { clada: { limits: { inputBytes: 2000 } } })
    const large = append(world.dir, 'one') + 'x'.repeat(3000)
    fs.writeFileSync(world.file, large)
    await until(() => fs.readFileSync(world.file, 'utf8').includes('input_too_large: the file has'))
    expect(ownIn(world.file)).toBe(large)
    expect(traceOf(world.dir)).toEqual([])
    fs.writeFileSync(world.file, append(world.dir, 'two'))
    await ran(world, 2)
    expect(traceOf(world.dir)).toEqual(['two'])
    expect(runsIn(world)).toBe(2)
  })

  it('is not UTF-8: its bytes stay as they are', async () => {
    const world = await listening('')
    const bytes = Buffer.concat([Buffer.from(append(world.dir, 'one')), Buffer.from([0xff, 0xfe, 0x0a])])
    fs.writeFileSync(world.file, bytes)
    await until(() => sectionIn(world.file).includes('not_utf8'))
    expect(fs.readFileSync(world.file).subarray(-bytes.length)).toEqual(bytes)
    expect(traceOf(world.dir)).toEqual([])
  })

  it('became a link: it is left alone until it is a file again', async () => {
    const world = await listening('')
    const other = scratchDir({ 'other.md': append(world.dir, 'bad') })
    fs.rmSync(world.file)
    fs.symlinkSync(path.join(other, 'other.md'), world.file)
    await until(() => world.events.some((event) => event.kind === 'trouble' && event.why.includes('symbolic link')))
    fs.rmSync(world.file)
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    expect(traceOf(world.dir)).toEqual(['one'])
  })
})

describe('what cannot be written', () => {
  it('is told, and what was done is done', async () => {
    const dir = scratchDir()
    const world = await listening('', { dir })
    fs.rmSync(path.join(dir, '.clada/output.md'), { force: true })
    fs.mkdirSync(path.join(dir, '.clada/output.md/x'), { recursive: true })
    fs.writeFileSync(world.file, append(dir, 'one'))
    await ran(world, 1)
    expect(world.events).toContainEqual({ kind: 'trouble', why: expect.stringContaining('cannot be written') })
    expect(sectionIn(world.file)).toContain('one ✅')
  })
})

describe('the output', () => {
  const start = (dir: string, outputFile: string): Promise<unknown> => listening('', { dir, outputFile })

  it('does not follow a link that the project brought along', async () => {
    const victim = scratchDir({ 'keys/authorized_keys': 'key\n' })
    const dir = scratchDir({ 'a/b.txt': '' })
    fs.symlinkSync(path.join(victim, 'keys'), path.join(dir, 'docs'))
    fs.symlinkSync(path.join(victim, 'gone'), path.join(dir, 'dangling'))
    fs.symlinkSync(path.join(dir, 'a'), path.join(dir, 'inside'))
    fs.symlinkSync(path.join(victim, 'keys/authorized_keys'), path.join(dir, 'a/leaf.md'))
    for (const name of ['docs/authorized_keys', 'docs/new/out.md', 'dangling/out.md', 'inside/out.md', 'a/leaf.md'])
      await expect(start(dir, name)).rejects.toThrow(
        /^listener: the output cannot be '.*': (its path contains a symbolic link|it is not a regular file)/,
      )
    expect(filesIn(victim)).toEqual({ 'keys/authorized_keys': 'key\n' })
  })

  it('does not follow a link that is put there later', async () => {
    const victim = scratchDir({ 'out.md': '=== CLADA RESULTS ===\nof another\n' })
    const world = await listening('', { outputFile: 'notes/out.md' })
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    expect(fs.readFileSync(world.output, 'utf8')).toContain('one ✅')
    fs.renameSync(path.join(world.dir, 'notes'), path.join(world.dir, 'moved'))
    fs.symlinkSync(victim, path.join(world.dir, 'notes'))
    fs.appendFileSync(world.file, append(world.dir, 'two'))
    await ran(world, 2)
    expect(world.events).toContainEqual({
      kind: 'trouble',
      why: expect.stringContaining('its path contains a symbolic link'),
    })
    expect(fs.readFileSync(path.join(victim, 'out.md'), 'utf8')).toContain('of another')
  })

  it('replaces nothing but an output', async () => {
    const dir = scratchDir({ 'src/main.c': 'int main;\n', 'empty.md': '' })
    const openFiles = (): number => (process.platform === 'linux' ? fs.readdirSync('/proc/self/fd').length : 0)
    const before = openFiles()
    for (let nth = 0; nth < 10; nth++)
      await expect(start(dir, 'src/main.c')).rejects.toThrow('not a report of clada, so it is not replaced')
    expect(openFiles() - before).toBeLessThan(10)
    const world = await listening('', { dir, outputFile: 'empty.md' })
    fs.writeFileSync(world.file, append(dir, 'one'))
    await ran(world, 1)
    fs.writeFileSync(world.output, 'mine now\n')
    fs.appendFileSync(world.file, append(dir, 'two'))
    await ran(world, 2)
    expect(world.events).toContainEqual({ kind: 'trouble', why: expect.stringContaining('is not replaced') })
    expect(filesIn(dir)).toMatchObject({ 'src/main.c': 'int main;\n', 'empty.md': 'mine now\n' })
  })

  it('may be elsewhere, where whoever starts it says so, also behind a link', async () => {
    const elsewhere = scratchDir({ 'real/x.txt': '' })
    fs.symlinkSync(path.join(elsewhere, 'real'), path.join(elsewhere, 'link'))
    const world = await listening('', { outputFile: path.join(elsewhere, 'link/out.md') })
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    expect(fs.readFileSync(path.join(elsewhere, 'real/out.md'), 'utf8')).toContain('one ✅')
  })
})

describe('the watched file', () => {
  it('is left alone when a link has been put on the way to it', async () => {
    const dir = scratchDir({ 'notes/in.md': '' })
    const world = await listening('', { dir, name: 'notes/in.md' })
    const other = scratchDir({ 'in.md': append(dir, 'bad') })
    fs.renameSync(path.join(dir, 'notes'), path.join(dir, 'moved'))
    fs.symlinkSync(other, path.join(dir, 'notes'))
    await until(() => world.events.some((event) => event.kind === 'trouble' && event.why.includes('its path contains')))
    expect(filesIn(other)).toEqual({ 'in.md': append(dir, 'bad') })
    expect(traceOf(dir)).toEqual([])
  })

  it('is closed to documents, and in no commit', async () => {
    const dir = scratchDir({ 'a.txt': 'a' })
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: dir, encoding: 'utf8' })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'start')
    const world = await listening('', { dir, clada: { gitCommit: true } })
    const write = (id: string, action: string, extra: string[]): string =>
      block(id, [`action = "${action}"`, `path = "${world.file}"`, ...extra])
    fs.writeFileSync(
      world.file,
      write('wr1', 'file_write', ['content = "x"']) + write('rd1', 'file_read', []) + append(dir, 'one'),
    )
    await ran(world, 1)
    expect(sectionIn(world.file)).toMatch(/wr1 ❌ .*\nrd1 ❌ .*\none ✅/)
    expect(git('log', '--name-only', '--format=%s').trim().split(/\n+/)).toEqual([
      expect.stringMatching(/^AI: /),
      'trace.txt',
      'start',
      'a.txt',
    ])
  })

  it('is noted with what runs, so that nothing runs twice when clada is killed meanwhile', async () => {
    const running: number[] = []
    const look = (): void => {
      const notes = fs
        .readdirSync(`${dir}-state`, { recursive: true, encoding: 'utf8' })
        .filter((one) => one.endsWith('.json'))
      for (const name of notes) {
        const note = JSON.parse(fs.readFileSync(path.join(`${dir}-state`, name), 'utf8'))
        if ('running' in note) running.push(note.running.length)
      }
    }
    const dir = scratchDir()
    const world = await listening('', { dir, copy: async () => (look(), true) })
    fs.writeFileSync(world.file, append(dir, 'one'))
    await ran(world, 1)
    look()
    expect(running).toEqual([1, 0])
  })

  it('is not the only source: a text can be handed over, once', async () => {
    const copies: string[] = []
    const world = await listening('', { copy: async (report) => copies.push(report) > 0 })
    const text = append(world.dir, 'one')
    expect(await world.listener.submit(text)).toMatchObject({ success: true })
    expect(await world.listener.submit(text)).toBeUndefined()
    expect(await world.listener.submit(append(world.dir, 'two'))).toMatchObject({ success: true })
    expect(await world.listener.submit(text)).toMatchObject({ success: true })
    expect(traceOf(world.dir)).toEqual(['one', 'two', 'one'])
    expect(copies.at(-1)).toBe(fs.readFileSync(world.output, 'utf8'))
    fs.writeFileSync(world.file, append(world.dir, 'three'))
    await ran(world, 4)
    expect(fs.readFileSync(world.file, 'utf8')).toMatch(/^📋 Copied to clipboard\n\n=== CLADA RESULTS ===\nthree ✅/)
    fs.appendFileSync(world.file, append(world.dir, 'four'))
    await ran(world, 5)
    expect(fs.readFileSync(world.file, 'utf8').match(/📋/g)).toHaveLength(1)
  })

  it('notes above the results that a copy failed, and nothing where there is nowhere to copy to', async () => {
    let copied: boolean | undefined = false
    const world = await listening('', { copy: async () => copied })
    fs.writeFileSync(world.file, append(world.dir, 'one'))
    await ran(world, 1)
    expect(fs.readFileSync(world.file, 'utf8')).toMatch(/^❌ Clipboard copy failed\n\n=== CLADA RESULTS ===\none ✅/)
    copied = undefined
    fs.appendFileSync(world.file, append(world.dir, 'two'))
    await ran(world, 2)
    expect(fs.readFileSync(world.file, 'utf8')).toMatch(/^=== CLADA RESULTS ===\ntwo ✅/)
  })
})
