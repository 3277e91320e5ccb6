import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Clada, type CladaOptions, type ExecutionResult } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { block } from '../workspace/blocks.ts'
import { needs, skipWithout } from '../support/needs.ts'

const write = (file: string, content: string, id = 'abc'): string =>
  `#!SHAM [@three-char-SHA-256: ${id}]\naction = "file_write"\npath = ${JSON.stringify(file)}\ncontent = ${JSON.stringify(content)}\n#!END_SHAM_${id}\n`
const read = (file: string): string =>
  `#!SHAM [@three-char-SHA-256: rdd]\naction = "file_read"\npath = ${JSON.stringify(file)}\n#!END_SHAM_rdd\n`

const gitEnvironment = {
  PATH: process.env['PATH'] ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
}

const execute = (root: string, text: string, options: CladaOptions): Promise<ExecutionResult> =>
  new Clada({ repoPath: root, relativePaths: true, ...options }).execute(text)

describe('hooks', () => {
  needs('bash')

  it('cannot be made to run what a model wrote', async () => {
    const root = scratchDir()
    const names = [
      '$(touch pwned1)',
      '; touch pwned2',
      'a`touch pwned3`',
      "a'; touch pwned4; '",
      '-rf',
      '& touch pwned5',
      '@args',
      '+q',
      'SHELL=x/y',
    ]
    const document = names.map((name, index) => write(name, 'x\n', `id${index}`)).join('')
    const run = [
      'for f in ${modifiedFiles}; do printf "%s\\n" "$f" >> seen; done',
      "echo 'single ${modifiedFiles}' >> seen",
      'echo "double ${modifiedFiles} ${errors}" >> seen',
      'printf "%s\\n" "$CLADA_MODIFIED_FILES" >> seen',
    ]
    const result = await execute(root, document, { hooks: { after: run.map((one) => ({ run: one })) } })
    expect(result).toMatchObject({ success: true })
    const files = filesIn(root)
    expect(Object.keys(files).sort()).toEqual([...names, 'seen'].sort())
    const sorted = names.toSorted().map((name) => (/^[-@+]|=/.test(name) ? `./${name}` : name))
    const joined = sorted.join(',')
    expect(files['seen']).toBe(
      [...sorted, `single ${joined}`, `double ${joined} `, ...sorted].map((line) => `${line}\n`).join(''),
    )
  })

  it('are not told of files whose names are no line, which only code can make', async () => {
    const root = scratchDir()
    const code = block('exec', { lang: 'bash', code: "touch $'a\\n--evil' b" })
    const hooks = { after: [{ run: 'printf "%s\\n" "$CLADA_MODIFIED_FILES" ${modifiedFiles} > seen' }] }
    expect(await execute(root, code, { hooks, exec: 'unsandboxed' })).toMatchObject({ success: true })
    expect(filesIn(root)['seen']).toBe('b\nb\n')
  })

  it('are undone with the execution they belong to', async () => {
    const root = scratchDir({ 'a.ts': 'old\n', 'other.ts': 'mine\n' })
    const hooks = {
      before: [{ run: 'echo made > before.txt' }],
      after: [{ run: 'for f in ${modifiedFiles}; do echo formatted >> "$f"; done; echo theirs >> other.ts' }],
    }
    const clada = new Clada({ repoPath: root, relativePaths: true, hooks })
    expect(await clada.execute(write('a.ts', 'new\n'))).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual({
      'a.ts': 'new\nformatted\n',
      'other.ts': 'mine\ntheirs\n',
      'before.txt': 'made\n',
    })
    expect(await clada.undo()).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual({ 'a.ts': 'old\n', 'other.ts': 'mine\n' })
  })

  it('are in the commit of their execution, and the tree is clean behind them', async () => {
    const root = scratchDir({ 'a.ts': 'old\n', 'other.ts': 'mine\n' })
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8', env: gitEnvironment })
    git('init', '-q')
    git('add', '-A')
    git('commit', '-qm', 'start')
    const hooks = { after: [{ run: 'for f in ${modifiedFiles}; do echo formatted >> "$f"; done; echo x >> other.ts' }] }
    const clada = new Clada({ repoPath: root, relativePaths: true, hooks })
    expect(await clada.execute(write('a.ts', 'new\n'))).toMatchObject({ success: true })
    expect(git('status', '--porcelain', '--', 'a.ts', 'other.ts')).toBe('')
    expect(git('show', 'HEAD:a.ts')).toBe('new\nformatted\n')
    expect(git('show', 'HEAD:other.ts')).toBe('mine\nx\n')
    expect(await clada.undo()).toMatchObject({ success: true })
    expect(git('show', 'HEAD:a.ts')).toBe('old\n')
    expect(git('show', 'HEAD:other.ts')).toBe('mine\n')
  })

  it('run once, and not for what only reads', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const hooks = { before: [{ run: 'echo b >> trace' }], after: [{ run: 'echo a >> trace' }] }
    await execute(root, 'no blocks at all', { hooks })
    expect((await execute(root, read('a.txt'), { hooks })).success).toBe(true)
    expect(fs.readdirSync(root)).toEqual(['a.txt'])
    await execute(root, read('a.txt') + write('b.txt', 'b', 'id1') + write('c.txt', 'c', 'id2'), { hooks })
    expect(filesIn(root)['trace']).toBe('b\na\n')
  })

  it('run once around a text that is still coming', async () => {
    const root = scratchDir()
    const hooks = { before: [{ run: 'echo b >> trace' }], after: [{ run: 'echo ${totalBlocks} >> trace' }] }
    async function* texts(): AsyncGenerator<string> {
      yield write('a.txt', 'a', 'id1')
      yield write('b.txt', 'b', 'id2')
    }
    const clada = new Clada({ repoPath: root, relativePaths: true, hooks })
    expect(await clada.executeStream(texts())).toMatchObject({ success: true, totalBlocks: 2 })
    expect(filesIn(root)['trace']).toBe('b\n2\n')
  })

  it('run neither for a preview', async () => {
    const root = scratchDir()
    const hooks = { before: [{ run: 'touch before' }], after: [{ run: 'touch after' }] }
    await new Clada({ repoPath: root, relativePaths: true, hooks }).preview(write('a.txt', 'a'))
    expect(fs.readdirSync(root)).toEqual([])
  })

  it('run around a document that lands whole, and see it landed', async () => {
    const root = scratchDir()
    const hooks = { before: [{ run: 'test ! -e a.txt' }], after: [{ run: 'cat ${modifiedFiles} > seen' }] }
    const result = await execute(root, write('a.txt', 'a'), { hooks, atomic: true })
    expect(result).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual({ 'a.txt': 'a', seen: 'a' })
  })

  it('stop everything with what they said when one before fails', async () => {
    const root = scratchDir()
    const result = await execute(root, write('a.txt', 'a'), {
      hooks: { before: [{ run: 'echo the tree is not clean; exit 3' }], after: [{ run: 'touch after' }] },
    })
    expect(result).toMatchObject({ success: false, results: [], fatalCode: 'exec_failed' })
    expect(result.fatalError).toContain('exit code 3\nthe tree is not clean')
    const long = await execute(root, write('a.txt', 'a'), {
      hooks: { before: [{ run: 'printf "%03000d" 7; exit 3' }] },
    })
    expect(long.fatalError).toContain(`exit code 3\n…${'0'.repeat(1999)}7`)
    expect(filesIn(root)).toEqual({})
  })

  it('make the run fail when one after fails, and leave what was done', async () => {
    const root = scratchDir()
    const result = await execute(root, write('a.txt', 'a'), {
      hooks: { after: [{ run: 'echo broken >&2; exit 1' }, { run: 'touch never' }] },
    })
    expect(result).toMatchObject({
      success: false,
      executedActions: 1,
      hookErrors: { after: ['echo broken >&2; exit 1: Command failed with exit code 1'] },
    })
    expect(result.fatalError).toContain('The changes were')
    expect(result.fatalError).toContain('broken')
    expect(filesIn(root)).toEqual({ 'a.txt': 'a' })
  })

  it('that may fail are told of and stop nothing, unlike in earlier tools', async () => {
    const root = scratchDir()
    const hooks = {
      before: [{ run: 'false', continueOnError: true }],
      after: [{ run: 'exit 2', continueOnError: true }, { run: 'touch then' }],
    }
    const result = await execute(root, write('a.txt', 'a'), { hooks })
    expect(result).toMatchObject({
      success: true,
      hookErrors: {
        before: ['false: Command failed with exit code 1'],
        after: ['exit 2: Command failed with exit code 2'],
      },
      warnings: ['hook false: Command failed with exit code 1', 'hook exit 2: Command failed with exit code 2'],
    })
    expect(Object.keys(filesIn(root))).toEqual(['a.txt', 'then'])
  })

  it('are stopped when they take too long, with all they started', async () => {
    const root = scratchDir()
    const result = await execute(root, write('a.txt', 'a'), {
      hooks: { before: [{ run: 'sleep 60 & sleep 60', timeout: 0.2 }] },
    })
    expect(result).toMatchObject({ success: false, fatalCode: 'exec_timeout' })
    expect(result.fatalError).toContain('Command timed out after 0.2 s')
  })

  it('start at the root or below it, and nowhere else', async () => {
    const root = scratchDir({ 'sub/x': '' })
    const below = await execute(root, write('a.txt', 'a'), { hooks: { before: [{ run: 'pwd > here', cwd: 'sub' }] } })
    expect(below.success).toBe(true)
    expect(filesIn(root)['sub/here']).toBe(`${root}/sub\n`)
    for (const cwd of ['..', '/tmp', 'sub/../..']) {
      const out = await execute(root, write('b.txt', 'b'), { hooks: { before: [{ run: 'touch out', cwd }] } })
      expect(out.fatalError).toContain('is outside the project')
    }
    fs.symlinkSync('/tmp', path.join(root, 'link'))
    const linked = await execute(root, write('b.txt', 'b'), { hooks: { before: [{ run: 'touch out', cwd: 'link' }] } })
    expect(linked).toMatchObject({ success: false, results: [] })
    const gone = { run: 'touch out', cwd: 'gone', continueOnError: true }
    const without = await execute(root, write('b.txt', 'b'), { hooks: { before: [gone] } })
    expect(without).toMatchObject({
      success: true,
      hookErrors: { before: [expect.stringContaining('gone')] },
    })
  })

  it('are checked before any of them runs', async () => {
    const root = scratchDir()
    const wrong: [unknown, string][] = [
      [{ before: [{ run: 'touch x' }], after: [{ run: 'echo ${NOPE}' }] }, 'Variable not found: NOPE'],
      [{ before: [{ run: 'echo ${success}' }] }, 'Variable not found: success'],
      [{ before: ['touch x'] }, 'Command must be an object'],
      [{ before: [{}] }, "Command must have 'run' property"],
      [{ before: [{ run: 1 }] }, 'Command run must be a string'],
      [{ before: [{ run: ' ' }] }, 'Command run string cannot be empty'],
      [{ before: [{ run: 'x', timeout: 0 }] }, 'Timeout must be positive'],
    ]
    for (const [hooks, message] of wrong) {
      const result = await execute(root, write('a.txt', 'a'), { hooks: hooks as NonNullable<CladaOptions['hooks']> })
      expect(result).toMatchObject({ success: false, results: [], fatalCode: 'invalid_parameter' })
      expect(result.fatalError).toContain(`Invalid hooks: ${message}`)
    }
    expect(filesIn(root)).toEqual({})
  })

  it('for the changed files do not run where there are none', async () => {
    const root = scratchDir()
    const result = await execute(root, write('/etc/x', 'a'), {
      hooks: { after: [{ run: 'touch ran; false ${modifiedFiles}' }] },
    })
    expect(result.fatalError).toBeUndefined()
    expect(filesIn(root)).toEqual({})
  })

  it('are contained, unless the user lets them out (needs a sandbox)', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir()
    const target = path.join(os.homedir(), `.clada-hook-test-${process.pid}`)
    const run = `echo x > '${target}'; test -e '${target}'`
    try {
      const kept = await execute(root, write('a.txt', 'a'), { hooks: { after: [{ run, continueOnError: true }] } })
      expect(kept.success).toBe(true)
      expect(fs.existsSync(target)).toBe(false)
      const free = await execute(root, write('a.txt', 'b'), { hooks: { after: [{ run, exec: 'unsandboxed' }] } })
      expect(free.success).toBe(true)
      expect(fs.existsSync(target)).toBe(true)
      vi.stubEnv('HTTPS_PROXY', 'http://proxy.example')
      vi.stubEnv('CLADA_HOOK_TEST', 'mine')
      const show = 'echo "${HTTPS_PROXY:-} ${CLADA_HOOK_TEST:-} ${USER:+user} ${PATH:+path}" $(ulimit -d) >> seen'
      const seen = async (hook: object, options: CladaOptions): Promise<string | undefined> => {
        fs.rmSync(path.join(root, 'seen'), { force: true })
        await execute(root, write('c.txt', 'c'), { ...options, hooks: { before: [{ run: show, ...hook }] } })
        return filesIn(root)['seen']
      }
      vi.stubEnv('USER', 'someone')
      const data = `${16 * 1024 ** 2}\n`
      expect(await seen({}, {})).toBe(`  user path ${data}`)
      expect(await seen({ network: true }, {})).toBe(`http://proxy.example  user path ${data}`)
      const whole = await seen({}, { exec: 'unsandboxed' })
      expect(whole).toMatch(/^http:\/\/proxy.example mine user path /)
    } finally {
      vi.unstubAllEnvs()
      fs.rmSync(target, { force: true })
    }
  })
})
