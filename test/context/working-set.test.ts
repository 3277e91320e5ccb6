import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { documentOf } from '../history/world.ts'
import { scratchDir } from '../support/scratch.ts'

const listOf = (root: string): string => withSlashes(path.join(root, '.clada', 'context.json'))
const kept = (root: string): string[] =>
  JSON.parse(fs.readFileSync(listOf(root), 'utf8')).entries.map((entry: { path: string }) => entry.path)

async function inView(root: string, options: CladaOptions = {}): Promise<unknown> {
  const { results } = await new Clada({ repoPath: root, ...options }).perform('context_list', {})
  return results[0]?.data
}

async function touch(root: string, file: string, content: string): Promise<void> {
  await new Clada({ repoPath: root, git: 'off' }).perform('file_write', { path: file, content })
}

describe('the working set', () => {
  it('is kept relative to the project, so that it survives a move of it', async () => {
    const scratch = scratchDir({ 'old/src/a.txt': 'A', 'old/doc.md': '# One\n\n## and/or\n' })
    const old = path.join(scratch, 'old')
    const clada = new Clada({ repoPath: old })
    await clada.perform('context_add', { path: 'src/a.txt' })
    await clada.perform('context_add', { path: 'doc.md@@and/or' })
    expect(kept(old)).toEqual(['src/a.txt', 'doc.md@@and/or'])
    const moved = path.join(scratch, 'new')
    fs.renameSync(old, moved)
    expect(await inView(moved)).toEqual([
      { path: `${withSlashes(moved)}/src/a.txt`, size: 1, tokens: 1 },
      { path: `${withSlashes(moved)}/doc.md@@and/or`, size: 10, tokens: 3 },
    ])
  })

  it('leaves no trace when it is only looked at', async () => {
    const root = scratchDir({ 'a.txt': 'A' })
    const clada = new Clada({ repoPath: root })
    for (const action of ['context_list', 'context_prune', 'context_clear']) await clada.perform(action, {})
    await clada.perform('context_remove', { path: 'a.txt' })
    await clada.perform('context_add', { path: 'none.txt' })
    expect(fs.readdirSync(root)).toEqual(['a.txt'])
  })

  it('is no change of files: no commit, no execution in the history', async () => {
    const root = scratchDir({ 'a.txt': 'A' })
    const git = (...args: string[]): string => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' })
    git('init', '-q')
    git('add', 'a.txt')
    git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'first')
    const clada = new Clada({ repoPath: root })
    const result = await clada.execute(documentOf(root, [['context_add', { path: 'a.txt' }]]))
    expect(result).toMatchObject({ success: true })
    expect(result.gitCommit).toBeUndefined()
    expect(git('log', '--format=%s')).toBe('first\n')
    expect(git('status', '--porcelain', '-uall')).toBe('')
    expect(await clada.history()).toEqual([])
  })

  it('loses nothing when many add at once', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `${at}.txt`)
    const root = scratchDir(Object.fromEntries(names.map((name) => [name, name])))
    await Promise.all(names.map((name) => new Clada({ repoPath: root }).perform('context_add', { path: name })))
    expect(kept(root).sort()).toEqual(names.sort())
    expect(fs.readdirSync(path.join(root, '.clada')).sort()).toEqual(['.gitignore', 'context.json'])
  })

  it('shows to a preview what it would be, and stays as it is', async () => {
    const root = scratchDir({ 'a.txt': 'A' })
    const text = documentOf(root, [
      ['context_add', { path: 'a.txt' }],
      ['context_list', {}],
    ])
    const { result, diff } = await new Clada({ repoPath: root }).preview(text)
    expect(result.results[1]?.data).toEqual([{ path: `${root}/a.txt`, size: 1, tokens: 1 }])
    expect(diff).toBe('')
    expect(fs.readdirSync(root)).toEqual(['a.txt'])
  })
})

describe('whole or not at all', () => {
  const files = { 'a.txt': 'A', 'b.txt': 'B' }
  const adding = (root: string, last: string): string =>
    documentOf(root, [
      ['context_clear', {}],
      ['context_add', { path: 'a.txt' }],
      ['context_add', { path: last }],
    ])

  it('a document that fails changes nothing', async () => {
    const root = scratchDir(files)
    await new Clada({ repoPath: root }).perform('context_add', { path: 'b.txt' })
    const result = await new Clada({ repoPath: root, atomic: true }).execute(adding(root, 'none.txt'))
    expect(result.results.map(({ success }) => success)).toEqual([false, false, false])
    expect(kept(root)).toEqual(['b.txt'])
  })

  it('a document that succeeds changes all', async () => {
    const root = scratchDir({ ...files, 'c.txt': 'C' })
    await new Clada({ repoPath: root }).perform('context_add', { path: 'b.txt' })
    const result = await new Clada({ repoPath: root, atomic: true }).execute(adding(root, 'c.txt'))
    expect(result.success).toBe(true)
    expect(kept(root)).toEqual(['a.txt', 'c.txt'])
  })
})

describe('a list that cannot be read', () => {
  it.each(['context_list', 'context_prune', 'context_add', 'context_remove'])('is left alone by %s', async (action) => {
    const root = scratchDir({ 'a.txt': 'A', '.clada/context.json': '{"version":1,"entries":[{"pa' })
    const params: Record<string, string> =
      action === 'context_add' || action === 'context_remove' ? { path: 'a.txt' } : {}
    const { results } = await new Clada({ repoPath: root }).perform(action, params)
    expect(results[0]).toMatchObject({
      success: false,
      code: 'io_error',
      error: expect.stringContaining(`${action}: The working set cannot be read '${listOf(root)}': `),
      details: { advice: expect.stringContaining('context_clear') },
    })
    expect(fs.readFileSync(listOf(root), 'utf8')).toBe('{"version":1,"entries":[{"pa')
  })

  it('is put aside by context_clear, and another begins', async () => {
    const root = scratchDir({ 'a.txt': 'A', '.clada/context.json': 'mine' })
    const clada = new Clada({ repoPath: root })
    const { results } = await clada.perform('context_clear', {})
    const [name = ''] = fs.readdirSync(path.join(root, '.clada')).filter((one) => one.endsWith('.broken'))
    const aside = withSlashes(path.join(root, '.clada', name))
    expect(fs.readFileSync(aside, 'utf8')).toBe('mine')
    expect(results[0]).toMatchObject({
      data: { kept: aside },
      warnings: [`the list could not be read and was renamed to ${aside}`],
    })
    await clada.perform('context_add', { path: 'a.txt' })
    expect(kept(root)).toEqual(['a.txt'])
  })

  it('is no list when it is a link: where it leads is nobody’s business', async () => {
    const root = scratchDir({ 'a.txt': 'A', 'elsewhere.json': '{"version":1,"entries":[]}' })
    fs.mkdirSync(path.join(root, '.clada'))
    fs.symlinkSync('../elsewhere.json', listOf(root))
    expect(await inView(root)).toEqual([])
    await new Clada({ repoPath: root }).perform('context_add', { path: 'a.txt' })
    expect(fs.lstatSync(listOf(root)).isFile()).toBe(true)
    expect(fs.readFileSync(path.join(root, 'elsewhere.json'), 'utf8')).toBe('{"version":1,"entries":[]}')
  })
})

describe('context_prune and the history', () => {
  it('takes out what twenty executions did not touch, and nothing before', async () => {
    const root = scratchDir({ 'a.txt': 'A', 'b.txt': 'B', 'c.txt': 'C', 'cart.ts': 'class Cart {\n  total() {}\n}\n' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    for (const name of ['a.txt', 'b.txt', 'cart.ts@@Cart']) await clada.perform('context_add', { path: name })
    const prune = async (): Promise<unknown> => (await clada.perform('context_prune', {})).results[0]?.data
    for (let at = 0; at < 18; at++) await touch(root, 'other.txt', String(at))
    await touch(root, 'b.txt', 'new')
    // Reads count too, where they stand beside a change.
    await clada.execute(
      documentOf(root, [
        ['file_read', { path: 'cart.ts' }],
        ['file_write', { path: 'other.txt', content: 'x' }],
      ]),
    )
    await clada.perform('context_add', { path: 'c.txt' })
    expect(await prune()).toEqual({ removed: [`${root}/a.txt`] })
    expect(kept(root)).toEqual(['b.txt', 'cart.ts@@Cart', 'c.txt'])
    await touch(root, 'other.txt', 'once more')
    expect(await prune()).toEqual({ removed: [] })
  })

  it('keeps everything while there were fewer', async () => {
    const root = scratchDir({ 'a.txt': 'A' })
    const clada = new Clada({ repoPath: root, git: 'off' })
    await clada.perform('context_add', { path: 'a.txt' })
    for (let at = 0; at < 19; at++) await touch(root, 'other.txt', String(at))
    expect((await clada.perform('context_prune', {})).results[0]?.data).toEqual({ removed: [] })
  })
})
