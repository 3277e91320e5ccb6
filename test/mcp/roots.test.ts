import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { narrowToRoots } from '../../packages/clada/src/mcp/client-roots.ts'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import { settingsOf } from '../../packages/clada/src/config/settings.ts'
import { scratchDir } from '../support/scratch.ts'
import { type Connected, connected, type Setting } from './client.ts'

const uri = (dir: string): string => pathToFileURL(dir).href

describe('the roots of a client', () => {
  it('narrow what the user allows, and never widen it', () => {
    const root = scratchDir({ 'a/x': '', 'b/x': '', 'a b/x': '', 'ab/x': '' })
    const at = (name: string): string => path.join(root, name)
    fs.symlinkSync(at('a'), at('link'))
    const scope = (own: Parameters<typeof narrowToRoots>[0], ...theirs: string[]) => {
      const found = narrowToRoots(own, theirs)
      return 'options' in found ? [found.options.repoPath, ...(found.options.allowedRoots ?? [])] : found.refusal
    }
    const own = { repoPath: root }
    expect(scope(own)).toEqual([root])
    expect(scope(own, uri(root))).toEqual([root])
    expect(scope(own, uri(path.dirname(root)))).toEqual([root])
    expect(scope(own, uri(at('a')))).toEqual([at('a')])
    expect(scope(own, `${uri(at('a'))}/`)).toEqual([at('a')])
    expect(scope(own, uri(at('link')))).toEqual([at('a')])
    expect(scope(own, uri(at('a b')), 'https://example.org/', 'nonsense')).toEqual([at('a b')])
    expect(scope(own, uri(at('a')), uri(at('b')), uri(at('a')))).toEqual([at('a'), at('b')])
    expect(scope({ repoPath: at('a') }, uri(at('ab')))).toContain('nothing in common')
    expect(scope(own, 'https://example.org/')).toContain('nothing in common')
    expect(scope({ repoPath: at('a'), allowedRoots: [at('b')] }, uri(at('b')))).toEqual([at('b')])
    expect(scope({ repoPath: at('a'), allowEscape: true }, uri(at('b')))).toEqual([at('b')])
    expect(scope({ repoPath: at('a'), allowEscape: true }, uri(root))).toEqual([at('a'), root])
    expect(narrowToRoots({ repoPath: at('a'), allowEscape: true }, [uri(root)])).toMatchObject({
      options: { allowEscape: false },
    })
  })

  it('do not open what is closed by a name on their way', () => {
    const root = scratchDir({ '.git/x': '', '.clada/x': '', '.husky/x': '', '.ssh/x': '', 'a/.git/x': '', 'a/b/x': '' })
    const at = (name: string): string => path.join(root, name)
    for (const repoPath of [root, at('a/b')]) {
      const own = { repoPath, allowEscape: repoPath !== root }
      for (const closed of ['.git', '.git/hooks', '.clada', '.husky', '.ssh', 'a/.git', '.GIT']) {
        expect([closed, narrowToRoots(own, [uri(at(closed))])]).toEqual([
          closed,
          { refusal: expect.stringContaining('nothing in common') },
        ])
      }
      expect(narrowToRoots(own, [uri(at('.git')), uri(at('a/b'))])).toMatchObject({
        options: { repoPath: at('a/b'), allowedRoots: [] },
      })
    }
    const allowed = { repoPath: at('a'), allowedRoots: [root] }
    expect(narrowToRoots(allowed, [uri(at('a/.git'))])).toHaveProperty('refusal')
  })

  const patterns: [string[], { closed: string[]; open: string[] }][] = [
    [['secrets/old'], { closed: ['old/x', 'old/secrets/x', 'secrets/old/x'], open: ['new/x', 'new/old/x'] }],
    [['top/secrets/*'], { closed: ['old/x', 'new/x'], open: [] }],
    [['secrets/*', '!secrets/new'], { closed: ['old/x'], open: ['new/x'] }],
    [['secrets/new', '!/**/secrets'], { closed: ['new/x'], open: ['old/x'] }],
    [['/**/secrets/new', '!secrets/new'], { closed: ['new/x'], open: ['old/x'] }],
  ]
  it.each(patterns)('keep %j where they were', (deniedPatterns, { closed, open }) => {
    const root = scratchDir({ 'top/secrets/old/x': '' })
    const before = settingsOf({ repoPath: root, deniedPatterns })
    const scope = narrowToRoots({ repoPath: root, deniedPatterns }, [uri(path.join(root, 'top/secrets'))])
    const after = settingsOf('options' in scope ? scope.options : {})
    expect(after.root).toBe(path.join(root, 'top/secrets'))
    for (const settings of [before, after]) {
      const judge = makePathJudge(pathPolicyOf(settings))
      const verdict = (name: string): string => judge.path(name, path.join(after.root, name), 'read').verdict
      expect(closed.map((name) => [name, verdict(name)])).toEqual(closed.map((name) => [name, 'deny']))
      expect(open.map((name) => [name, verdict(name)])).toEqual(open.map((name) => [name, 'allow']))
    }
  })

  it('lead to no content that is closed', async () => {
    const root = scratchDir({
      'clada.yml': 'denied_patterns: [secrets/old]\n',
      'secrets/old/x.txt': 'needle',
      'secrets/y.txt': 'needle',
    })
    const { call } = await withRoots(root, () => [uri(path.join(root, 'secrets'))])
    expect((await call('file_read', { path: 'y.txt' })).values).toMatchObject({ data: { content: 'needle' } })
    expect((await call('file_read', { path: 'old/x.txt' })).values).toMatchObject({ code: 'path_denied' })
  })

  it('are asked for, and followed when they change', async () => {
    const root = scratchDir({ 'a/x.txt': 'a', 'b/x.txt': 'b' })
    let roots = [uri(path.join(root, 'a'))]
    const { client, call } = await withRoots(root, () => roots)
    expect((await call('file_read', { path: path.join(root, 'a/x.txt') })).isError).toBe(false)
    expect((await call('file_read', { path: 'x.txt' })).values).toMatchObject({ data: { content: 'a' } })
    const outside = await call('file_write', { path: path.join(root, 'b/x.txt'), content: 'c' })
    expect(outside.values).toMatchObject({ success: false, code: 'path_escape' })
    expect((await call('exec', { lang: 'bash', code: `echo c > ${root}/b/x.txt` })).values).toMatchObject({
      success: false,
    })
    expect(fs.readFileSync(path.join(root, 'b/x.txt'), 'utf8')).toBe('b')

    roots = [uri(path.join(root, 'b'))]
    await client.sendRootsListChanged()
    expect((await call('file_read', { path: 'x.txt' })).values).toMatchObject({ data: { content: 'b' } })
    expect((await call('file_read', { path: path.join(root, 'a/x.txt') })).values).toMatchObject({
      code: 'path_escape',
    })
  })

  it('that leave nothing make every tool say so', async () => {
    const [root, other] = [scratchDir({ 'a.txt': 'x' }), scratchDir()]
    const { client, call } = await withRoots(root, () => [uri(other)])
    for (const [tool, values] of [
      ['file_read', { path: 'a.txt' }],
      ['execute', { document: '' }],
      ['execute', { document: '', dry_run: true }],
    ] as const) {
      const { text, isError, values: told } = await call(tool, values)
      expect(isError).toBe(true)
      expect(text).toContain('nothing in common')
      expect(text).toContain(root)
      expect(told).toMatchObject({ success: false, code: 'path_escape' })
    }
    await expect(client.readResource({ uri: 'clada://history' })).rejects.toThrow('nothing in common')
  })

  it('are the project where the user names none, and the config there counts', async () => {
    const [a, b, elsewhere] = [
      scratchDir({ 'x.txt': 'a', 'clada.yml': 'denied_patterns: [hidden]\n', hidden: 'h' }),
      scratchDir({ 'x.txt': 'b' }),
      scratchDir({ 'x.txt': 'e' }),
    ]
    let roots = [uri(a), uri(b)]
    const { client, call } = await withRoots(elsewhere, () => roots, { rooted: false })
    expect((await call('file_read', { path: 'x.txt' })).values).toMatchObject({ data: { content: 'a' } })
    expect((await call('file_read', { path: `${b}/x.txt` })).values).toMatchObject({ data: { content: 'b' } })
    expect((await call('file_read', { path: 'hidden' })).values).toMatchObject({ code: 'path_denied' })
    expect((await call('file_read', { path: `${elsewhere}/x.txt` })).values).toMatchObject({ code: 'path_escape' })
    roots = [uri(b)]
    await client.sendRootsListChanged()
    expect((await call('file_read', { path: 'x.txt' })).values).toMatchObject({ data: { content: 'b' } })
    expect((await call('file_read', { path: `${a}/x.txt` })).values).toMatchObject({ code: 'path_escape' })
  })

  it('that are everything are no project', async () => {
    const home = scratchDir()
    const { call } = await withRoots(scratchDir(), () => [uri('/'), uri(home)], { rooted: false, env: { HOME: home } })
    expect(await call('file_read', { path: 'etc/hostname' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('is a directory of a project'),
    })
  })

  it('are not needed: then the project is where the server was started', async () => {
    const { call } = await connected(scratchDir({ 'x.txt': 'here' }), { rooted: false })
    expect((await call('file_read', { path: 'x.txt' })).values).toMatchObject({ data: { content: 'here' } })
  })

  it('that cannot be had close everything, until they can', async () => {
    let broken = true
    const root = scratchDir({ 'a.txt': 'x' })
    const { call } = await withRoots(root, () => {
      if (broken) throw new Error('not now')
      return [uri(root)]
    })
    const { isError, text } = await call('file_read', { path: 'a.txt' })
    expect(isError).toBe(true)
    expect(text).toContain('not now')
    broken = false
    expect((await call('file_read', { path: 'a.txt' })).isError).toBe(false)
  })
})

const withRoots = (root: string, roots: () => string[], setting: Setting = {}): Promise<Connected> =>
  connected(root, {
    ...setting,
    capabilities: { roots: { listChanged: true } },
    prepare: (client) =>
      client.setRequestHandler('roots/list', () => ({ roots: roots().map((one) => ({ uri: one })) })),
  })
