import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  actions,
  checkDocument,
  Clada,
  executeFileOperation,
  parse,
  SettingsError,
  transformToAction,
  validateShamBlock,
} from '../../packages/clada/src/index.ts'
import { globMeantBy } from '../../packages/clada/src/core/settings.ts'
import { defaultDeniedPatterns } from '../../packages/clada/src/policy/secret-files.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { cladaCall } from '../support/cli.ts'

describe('calls as the earlier libraries had them', () => {
  const metadata = { blockId: 'abc', startLine: 1, endLine: 4 }

  it('executeFileOperation says how to allow another directory', async () => {
    const [root, other] = [scratchDir(), scratchDir()]
    const action = { action: 'file_write', parameters: { path: path.join(other, 'x'), content: 'x' }, metadata }
    const refused = await executeFileOperation(action, { repoPath: root, gitCommit: false })
    expect(refused).toMatchObject({ success: false, error: expect.stringContaining('{ allowedRoots: [') })
    expect(filesIn(other)).toEqual({})
    const allowed = { repoPath: root, gitCommit: false, allowedRoots: [other] }
    expect(await executeFileOperation(action, allowed)).toMatchObject({ success: true })
    expect(filesIn(other)).toEqual({ x: 'x' })
  })

  const definition = {
    parameters: {
      path: { type: 'string', required: true, format: 'absolute_path' },
      content: { type: 'string', required: true },
      count: { type: 'integer', required: false, default: 3 },
    },
  }

  it('validateShamBlock names everything that is missing', () => {
    const block = { id: 'abc', properties: { action: 'file_write' }, startLine: 1 }
    expect(validateShamBlock(block, definition)).toEqual({
      valid: false,
      errors: ['Missing required parameter: path', 'Missing required parameter: content'],
    })
  })

  it('transformToAction fills in defaults', () => {
    const block = { id: 'abc', properties: { action: 'x', path: '/a', content: 'c' }, startLine: 1 }
    expect(transformToAction(block, definition).parameters).toEqual({ path: '/a', content: 'c', count: 3 })
  })

  const cases: readonly (readonly [string, Record<string, string>, Record<string, unknown>])[] = [
    ['file_write', { path: '/a', content: 'c' }, { path: '/a', content: 'c' }],
    ['file_replace_all_text', { path: '/a', old_text: 'a', new_text: 'b', count: '2' }, { count: 2 }],
    ['exec', { code: 'x', lang: 'bash', return_output: 'false' }, { return_output: false }],
    ['files_read', { paths: '/a\n/b' }, { paths: '/a\n/b' }],
  ]
  it.each(cases)('transformToAction and validateShamBlock take %s of actions', (name, params, expected) => {
    const block = { id: 'abc', properties: { action: name, ...params }, startLine: 1 }
    const own = actions.find((action) => action.name === name)
    if (own === undefined) throw new Error(`no ${name}`)
    expect(transformToAction(block, own)).toMatchObject({ action: name, parameters: expected })
    expect(validateShamBlock(block, own)).toMatchObject({ valid: true, actionType: name })
    expect(validateShamBlock({ ...block, properties: { action: name } }, own).valid).toBe(false)
  })
})

describe('reading without running', () => {
  const text =
    'Text.\n#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "/a"\n#!END_SHAM_abc\n<---WRITE file="b"--->\nx\n<---END--->\n'

  it('parse gives the blocks of every syntax with their places', () => {
    const { blocks } = parse(text)
    expect(blocks.map(({ syntax, startLine, endLine }) => [syntax, startLine, endLine])).toEqual([
      ['sham', 2, 5],
      ['csl', 6, 8],
    ])
    expect(parse(text, { syntaxes: ['csl'] }).blocks).toHaveLength(1)
  })

  it('checkDocument says what is wrong with them', () => {
    const { valid, blocks } = checkDocument(text, { repoPath: scratchDir() })
    expect(valid).toBe(false)
    expect(blocks[0]?.problems[0]?.message).toBe('Missing required parameter: content')
  })
})

describe('denied patterns', () => {
  it.each([
    ['.*secret.*', '*secret*'],
    ['.*\\.ssh.*', '*.ssh*'],
    ['.*\\.git/config', '**/.git/config'],
    ['/etc/.*', '/etc/**'],
    ['^/proc/.*$', '/proc/**'],
    ['\\.env$', '.env'],
  ])('%s is a regular expression, and %s is meant', async (pattern, glob) => {
    expect(globMeantBy(pattern)).toBe(glob)
    const clada = new Clada({ repoPath: scratchDir(), deniedPatterns: [pattern] })
    await expect(clada.history()).rejects.toBeInstanceOf(SettingsError)
  })

  it.each([...defaultDeniedPatterns, '.*', '.env.*', '*.key', 'secrets/**', '.*rc', '!x.pub', 'a.*'])(
    '%s is a glob',
    (pattern) => expect(globMeantBy(pattern)).toBeUndefined(),
  )
})

describe('the command line', () => {
  const git = (root: string, ...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' })

  it('takes a name alone as the author, and a format for the message', () => {
    const root = scratchDir({ 'clada.yml': 'version: 1\n' })
    git(root, 'init', '-q')
    const document = '<---WRITE file="a.txt"--->\nx\n<---END--->\n'
    execFileSync(...cladaCall('--root', root, '--git-author', 'clada', '-'), { input: document })
    expect(git(root, 'log', '-1', '--format=%an %s')).toMatch(/^clada AI: /)
  })

  it('puts the summary where the format says', async () => {
    const root = scratchDir()
    git(root, 'init', '-q')
    const clada = new Clada({ repoPath: root, commitMessageFormat: 'chore: {operation_summary} [bot]' })
    await clada.perform('file_write', { path: 'a.txt', content: 'x' })
    expect(git(root, 'log', '-1', '--format=%s').trim()).toMatch(/^chore: .*a\.txt.* \[bot\]$/)
  })

  it('knows the listener by its former name', () => {
    const help = execFileSync(...cladaCall('listener', '--help'), { encoding: 'utf8' })
    expect(help).toContain('clada watch')
  })
})
