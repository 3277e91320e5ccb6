import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { approvalLine } from '../../packages/clada/src/approvals/approval-line.ts'
import { Approvals } from '../../packages/clada/src/approvals/approvals.ts'
import { questionText } from '../../packages/clada/src/cli/ask.ts'
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Ask,
  Clada,
  type CladaOptions,
} from '../../packages/clada/src/index.ts'
import { clada } from '../support/cli.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { needs, needsLayers } from '../support/needs.ts'

needs('sandbox')

const run = (command: string, dir = ''): string =>
  `<---RUN${dir === '' ? '' : ` dir="${dir}"`}--->\n${command}\n<---END--->\n`
const write = (file: string, content: string): string => `<---WRITE file="${file}"--->\n${content}\n<---END--->\n`
const group = (...blocks: string[]): string => `<---TASKS atomic="true"--->\n${blocks.join('')}<---END--->\n`
const exec = (code: string): string =>
  `#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "bash"\ncode = <<'EOT_SHAM_abc'\n${code}\nEOT_SHAM_abc\n#!END_SHAM_abc\n`

const execute = (root: string, text: string, options: CladaOptions = {}) =>
  new Clada({
    repoPath: root,
    git: 'off',
    approve: ['sh 1.sh', 'sh 2.sh', 'sh 3.sh', 'cd d && sh -c pwd'],
    ...options,
  }).execute(text)

const undo = (root: string) => new Clada({ repoPath: root, git: 'off' }).undo()

describe('programs in an atomic group (need layers)', () => {
  needsLayers()

  it('see what the group changed before, and land with it', async () => {
    const root = scratchDir({
      'a.txt': 'a\n',
      'old.txt': 'old\n',
      'dir/c.txt': 'c\n',
      'dir/d.txt': 'd\n',
      '1.sh': `cat new/b.txt moved.txt; ls dir; test ! -e a.txt || exit 1; cat moved.txt >> new/b.txt; rm old.txt moved.txt
        ln -s dir link; mkdir -m 700 made; echo x > made/x; chmod 755 made/x`,
      '2.sh': `cat made/x; readlink link; test ! -e moved.txt || exit 1
        rm -r dir; echo file > dir; rm made/x; echo y > made/y`,
    })
    const { '1.sh': one, '2.sh': two, ...before } = filesIn(root)
    const link = path.join(root, 'link')
    const text = group(
      write('new/b.txt', 'b'),
      run('mv a.txt moved.txt'),
      run('rm dir/c.txt'),
      run('sh 1.sh'),
      run('sh 2.sh'),
      run('cat new/b.txt made/y'),
    )
    const result = await execute(root, text)
    expect(result.parseErrors).toEqual([])
    expect(result.results.map(({ error }) => error)).toEqual(result.results.map(() => undefined))
    const [, , , first, second, third] = result.results
    expect(first?.data).toMatchObject({ output: expect.stringMatching(/^b\n?a\nd\.txt\n$/) })
    expect(first?.data).toMatchObject({
      changed: [
        { path: 'link', change: 'create' },
        { path: 'made/x', change: 'create' },
        { path: 'moved.txt', change: 'delete' },
        { path: 'new/b.txt', change: 'modify' },
        { path: 'old.txt', change: 'delete' },
      ],
    })
    expect(second?.data).toMatchObject({ output: 'x\ndir\n' })
    expect(third?.data).toMatchObject({ output: expect.stringMatching(/^b\n?a\ny\n$/) })
    expect(fs.readlinkSync(link)).toBe('dir')
    expect(fs.statSync(path.join(root, 'made')).mode & 0o777).toBe(0o700)
    expect(filesIn(root)).toEqual({
      '1.sh': one,
      '2.sh': two,
      dir: 'file\n',
      'made/y': 'y\n',
      'new/b.txt': expect.stringMatching(/^b\n?a\n$/),
    })
    expect(await undo(root)).toMatchObject({ success: true, conflicts: [] })
    expect(filesIn(root)).toEqual({ ...before, '1.sh': one, '2.sh': two })
    expect(fs.lstatSync(link, { throwIfNoEntry: false })).toBeUndefined()
  })

  it.each([
    ['a group', {}, group],
    ['a document', { atomic: true }, (...blocks: string[]) => blocks.join('')],
    ['a group in an atomic document', { atomic: true }, group],
  ] as const)('leave nothing when a later part of %s fails', async (_, options, together) => {
    const before = {
      'a.txt': 'a\n',
      '1.sh': 'echo changed > a.txt; echo new > b.txt',
      '2.sh': 'grep -q new b.txt || exit 1; echo more > c.txt; exit 3',
      '3.sh': 'grep -q new b.txt || exit 1; rm b.txt',
    }
    const root = scratchDir(before)
    const failing = await execute(root, together(run('sh 1.sh'), run('sh 2.sh')), options)
    expect(failing.results).toMatchObject([
      { success: false, error: expect.stringContaining('atomic') },
      { success: false, data: { exit_code: 3 } },
    ])
    expect(filesIn(root)).toEqual(before)
    expect(await execute(root, together(run('sh 1.sh'), run('sh 3.sh')), options)).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual({ ...before, 'a.txt': 'changed\n' })
  })

  it('may be code, in an atomic document', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const text = exec('echo b > b.txt') + exec('cat a.txt b.txt; rm a.txt')
    const failing = await execute(root, text + exec('exit 3'), { atomic: true })
    expect(failing.results).toMatchObject([{ success: false }, { success: false }, { data: { exit_code: 3 } }])
    expect(filesIn(root)).toEqual({ 'a.txt': 'a\n' })
    const { results } = await execute(root, text, { atomic: true })
    expect(results).toMatchObject([{ success: true }, { success: true, data: { stdout: 'a\nb\n' } }])
    expect(filesIn(root)).toEqual({ 'b.txt': 'b\n' })
  })

  it('do not see a blocked file, whatever the group calls it or a program makes', async () => {
    const root = scratchDir({ '.env': 'SECRET\n', '1.sh': 'cat .env third.txt; ls' })
    fs.linkSync(path.join(root, '.env'), path.join(root, 'second.txt'))
    const moved = await execute(root, group(run('mv second.txt third.txt'), run('sh 1.sh')))
    expect(moved.results).toMatchObject([{ code: 'path_denied' }, { code: 'skipped' }])
    const result = await execute(root, group(write('third.txt', 'x'), run('sh 1.sh')))
    expect(JSON.stringify(result.results[1]?.data)).toContain('third.txt')
    expect(JSON.stringify([moved, result])).not.toContain('SECRET')
  })

  it('may start in a directory that the group made', async () => {
    const root = scratchDir()
    const text = group(run('mkdir d'), run('stat d'), run('sh -c pwd', `${root}/d`))
    expect(await execute(root, text)).toMatchObject({
      results: [{}, { success: true }, { data: { output: `${root}/d\n` } }],
    })
  })

  it('are widely approved for what is on the disk, and not for what the group puts in its place', async () => {
    const script = (line: string): string => JSON.stringify({ scripts: { test: line } })
    const root = scratchDir({ 'package.json': script('cat a.txt'), 'a.txt': 'old\n' })
    new Approvals(root).add(approvalLine(['npm', 'test'], ''), { network: true })
    const kept = await execute(root, group(write('a.txt', 'new'), run('npm test')))
    expect(kept.results).toMatchObject([{ success: true }, { data: { output: expect.stringContaining('new') } }])
    const text = group(write('package.json', script('echo evil > b.txt')), run('npm test'))
    const refused = await execute(root, text)
    expect(refused.results[1]).toMatchObject({ success: false, code: 'command_not_allowed' })
    expect(refused.results[1]?.error).toContain('package.json')
    expect(filesIn(root)['b.txt']).toBeUndefined()
    expect(filesIn(root)['package.json']).toBe(script('cat a.txt'))
    new Approvals(root).add(approvalLine(['npm', 'test'], ''))
    const plain = await execute(root, group(write('package.json', script('echo other')), run('npm test')))
    expect(plain.results[1]).toMatchObject({ data: { output: expect.stringContaining('other') } })
  })

  it('look at the repository as the group has it, and do not write to it', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '-qm', '1'],
    ])
      spawnSync('git', args, { cwd: root })
    const looked = await execute(root, group(run('rm a.txt'), run('git status --short')))
    expect(looked.results[1]).toMatchObject({ success: true, data: { output: ' D a.txt\n' } })
    const written = await execute(root, group(write('b.txt', 'b'), run('git add b.txt')), { approve: ['git add *'] })
    expect(written.results[1]).toMatchObject({ code: 'command_not_allowed', error: expect.stringContaining('atomic') })
    expect(filesIn(root)['b.txt']).toBeUndefined()
  })

  it('are refused before anything runs where there are no layers', async () => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const result = await execute(root, group(run('rm a.txt'), run('git status')), { exec: 'unsandboxed' })
    expect(result.parseErrors).toMatchObject([{ code: 'command_not_allowed' }])
    expect(filesIn(root)).toEqual({ 'a.txt': 'a\n' })
  })
})

describe('programs in an atomic group, for an ordinary user (need layers)', () => {
  needsLayers()

  it('see what the group changed before, and land with it or not at all', () => {
    const before = {
      'a.txt': 'a\n',
      'dir/c.txt': 'c\n',
      'dir/d.txt': 'd\n',
      '1.sh': 'test ! -e a.txt && ls dir && cat moved.txt >> new.txt && rm moved.txt && rm -r dir',
      '2.sh': 'exit 3',
    }
    const root = scratchDir(before)
    const clada = ordinaryUser(root)
    const blocks = [run('mv a.txt moved.txt'), run('rm dir/c.txt'), write('new.txt', 'new\n'), run('sh 1.sh')]
    const args = ['run', '--no-git', '--json', '--approve', 'sh 1.sh', '--approve', 'sh 2.sh']
    const failed = clada(args, group(...blocks, run('sh 2.sh')))
    expect(failed.stdout).toContain('"exit_code": 3')
    expect(filesIn(root)).toEqual(before)
    const ran = clada(args, group(...blocks))
    expect(`${ran.status} ${ran.stdout}${ran.stderr}`).toMatch(/^0 /)
    expect(filesIn(root)).toEqual({ '1.sh': before['1.sh'], '2.sh': before['2.sh'], 'new.txt': 'new\na\n' })
    expect(clada(['undo', '--no-git']).status).toBe(0)
    expect(filesIn(root)).toEqual(before)
  })
})

describe('a program that is stopped together with the run (needs layers)', () => {
  needsLayers()

  it.each([
    ['alone', {}],
    ['in an atomic document', { atomic: true }],
  ])('leaves the project as it was: %s', async (_, options) => {
    const root = scratchDir({ 'a.txt': 'a\n' })
    const stop = new AbortController()
    const clada = new Clada({ repoPath: root, git: 'off', ...options })
    const text = exec('echo changed > a.txt; echo new > b.txt; echo written; sleep 600')
    const result = await clada.execute(text, { signal: stop.signal, onOutput: () => stop.abort() })
    expect(result.success).toBe(false)
    expect(stop.signal.aborted).toBe(true)
    expect(filesIn(root)).toEqual({ 'a.txt': 'a\n' })
  })
})

describe('a preview that tries programs (needs layers)', () => {
  needsLayers()

  const preview = (root: string, text: string, options: CladaOptions = {}) =>
    new Clada({ repoPath: root, git: 'off', approve: ['sh 1.sh'], ...options }).preview(text, { programs: 'try' })

  it('shows what they change, and keeps nothing', async () => {
    const before = { 'a.txt': 'a\n', 'gone.txt': 'gone\n', '1.sh': 'cat b.txt; rm gone.txt' }
    const root = scratchDir(before)
    const { result, diff, diffs, changesBy } = await preview(
      root,
      exec('tr a b < a.txt > b.txt') + exec('cat b.txt >> a.txt'),
    )
    expect(result.results).toMatchObject([
      { success: true, warnings: [expect.stringContaining('nothing was kept')] },
      { success: true, data: { changed: [{ path: 'a.txt', change: 'modify' }] } },
    ])
    expect(diffs.map(({ path: name, change }) => [name, change])).toEqual([
      ['a.txt', 'modify'],
      ['b.txt', 'create'],
    ])
    expect(diff).toContain('+b\n')
    expect(changesBy(2)).toMatchObject([{ path: 'a.txt', before: 'a\n', after: 'a\nb\n' }])
    const approved = await preview(root, run('rm a.txt') + run('sh 1.sh'))
    expect(approved.diffs.map(({ path: name, change }) => [name, change])).toEqual([
      ['a.txt', 'delete'],
      ['gone.txt', 'delete'],
    ])
    const alone = await preview(root, run('sh 1.sh'))
    expect(alone.diffs.map(({ path: name, change }) => [name, change])).toEqual([['gone.txt', 'delete']])
    expect(alone.result.results).toMatchObject([{ success: true, data: { exit_code: 0 } }])
    expect(filesIn(root)).toEqual(before)
    expect(fs.existsSync(path.join(root, '.clada'))).toBe(false)
  })

  it('only names commands with network, those that change the repository, and all where there are no layers', async () => {
    const root = scratchDir({ '1.sh': 'echo x > x.txt' })
    const named = (text: string, options: CladaOptions) =>
      preview(root, text, options).then(({ result, diffs }) => [result.results[0]?.data, diffs])
    expect(await named(run('sh 1.sh'), { network: ['sh 1.sh'] })).toEqual([{ would_run: 'sh 1.sh' }, []])
    expect(await named(run('git add 1.sh'), { approve: ['git add 1.sh'] })).toEqual([{ would_run: 'git add 1.sh' }, []])
    expect(await named(run('sh 1.sh'), { exec: 'unsandboxed' })).toEqual([{ would_run: 'sh 1.sh' }, []])
    expect(await named(exec('true'), { exec: 'unsandboxed' })).toEqual([{ would_run: 'true', lang: 'bash' }, []])
  })

  it('is what clada diff and --dry-run show when they are told to', () => {
    const root = scratchDir({ 'a.txt': 'a\n', '1.sh': 'echo c >> a.txt' })
    const more = ['--with-programs', '--approve', 'sh 1.sh']
    for (const args of [['diff'], ['run', '--dry-run']]) {
      const shown = clada([...args, ...more], { cwd: root, input: exec('echo b >> a.txt') + run('sh 1.sh') })
      expect(shown.stdout).toContain('@@ -1 +1,3 @@\n a\n+b\n+c\n')
      expect(shown.stderr).toContain('nothing was kept')
      const named = clada([...args, '--approve', 'sh 1.sh'], {
        cwd: root,
        input: exec('echo b >> a.txt') + run('sh 1.sh'),
      })
      expect(named).toMatchObject({ status: 0, stdout: '' })
      expect(named.stderr).toMatch(/would run: echo b >> a\.txt .*\n.*would run: sh 1\.sh /)
    }
    expect(clada(['run', '--with-programs'], { cwd: root, input: '' }).status).toBe(2)
    expect(filesIn(root)).toEqual({ 'a.txt': 'a\n', '1.sh': 'echo c >> a.txt' })
  })

  it('runs no command that is not approved', async () => {
    const root = scratchDir({ '1.sh': 'echo x > x.txt' })
    const { result, diffs } = await preview(root, run('sh 1.sh'), { approve: [] })
    expect(result.results).toMatchObject([{ code: 'approval_required' }])
    expect(diffs).toEqual([])
  })
})

describe('a command that is not approved (needs layers)', () => {
  needsLayers()

  const files = { 'a.txt': 'a\n', '1.sh': 'echo said; echo b > b.txt; rm a.txt', '2.sh': 'echo c > c.txt; exit 3' }

  /** Answers in turn; whatever is asked, nothing is on the disk yet. */
  async function asked(
    root: string,
    text: string,
    answers: readonly (ApprovalAnswer | undefined)[],
    options: CladaOptions = {},
  ) {
    const left = [...answers]
    const asked: ApprovalRequest[] = []
    const ask: Ask = async (request) => {
      asked.push(request)
      expect(filesIn(root)).toEqual(files)
      return left.shift()
    }
    const { results } = await execute(root, text, { approve: [], ask, ...options })
    return { asked, result: results[0] }
  }

  it.each(['no', undefined] as const)('does not run before the answer, nor after %s', async (answer) => {
    const root = scratchDir(files)
    let output = ''
    const ask: Ask = async ({ tried }) => {
      expect(tried).toBeUndefined()
      return answer
    }
    const clada = new Clada({ repoPath: root, git: 'off', ask })
    const { results } = await clada.execute(run('sh 1.sh'), { onOutput: (_, chunk) => void (output += String(chunk)) })
    expect(results).toMatchObject([{ code: 'approval_required' }])
    expect(output).toBe('')
    expect(filesIn(root)).toEqual(files)
  })

  it('is tried when the user wants to, and keeps its changes after a yes, this once', async () => {
    const root = scratchDir(files)
    const { asked: questions, result } = await asked(root, run('sh 1.sh'), ['try', 'once'])
    const changes = [
      { path: 'a.txt', change: 'delete' },
      { path: 'b.txt', change: 'create' },
    ]
    const shown = { exitCode: 0, changed: changes, more: 0, output: 'said\n' }
    expect(questions).toMatchObject([
      { about: 'command', canTry: true, command: 'sh 1.sh' },
      { about: 'tried', canTry: false, command: 'sh 1.sh', tried: shown },
    ])
    expect(result).toMatchObject({ success: true, data: { output: 'said\n', exit_code: 0, changed: changes } })
    expect(filesIn(root)).toEqual({ '1.sh': files['1.sh'], '2.sh': files['2.sh'], 'b.txt': 'b\n' })
    expect(await undo(root)).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual(files)
    expect((await asked(root, run('sh 1.sh'), ['no'])).asked).toHaveLength(1)
  })

  it('is approved by always, for the next time', async () => {
    const root = scratchDir(files)
    expect((await asked(root, run('sh 1.sh'), ['try', 'always'])).result).toMatchObject({ success: true })
    await undo(root)
    const again = await asked(root, run('sh 1.sh'), ['no'])
    expect(again).toMatchObject({ asked: [], result: { success: true } })
  })

  it.each(['no', undefined, 'try'] as const)('leaves nothing of a try after %s', async (answer) => {
    const root = scratchDir(files)
    const { asked: questions, result } = await asked(root, run('sh 1.sh'), ['try', answer])
    expect(questions).toHaveLength(2)
    expect(result).toMatchObject({ success: false, code: 'approval_required' })
    expect(result?.data).toBeUndefined()
    expect(filesIn(root)).toEqual(files)
  })

  it('keeps what a try that failed has done, as a run that fails does', async () => {
    const root = scratchDir(files)
    const { asked: questions, result } = await asked(root, run('sh 2.sh'), ['try', 'once'])
    expect(questions[1]).toMatchObject({ about: 'tried', tried: { exitCode: 3 } })
    expect(result).toMatchObject({ success: false, code: 'exec_failed', data: { exit_code: 3 } })
    expect(filesIn(root)).toEqual({ ...files, 'c.txt': 'c\n' })
  })

  it('runs again after a try that did not end in time', async () => {
    const root = scratchDir(files)
    const limits = { actionMs: 300 }
    const { asked: questions, result } = await asked(root, run('sleep 2'), ['try', 'once'], { limits })
    expect(questions[1]).toMatchObject({ about: 'tried', tried: { exitCode: null } })
    expect(result).toMatchObject({ code: 'exec_timeout' })
  })

  it('runs again after a try if it was given the network, and keeps the result of the try if not', async () => {
    const script = JSON.stringify({ scripts: { prepare: 'grep -c : /proc/net/dev > count.txt' } })
    const count = async (...answers: ApprovalAnswer[]): Promise<number> => {
      const root = scratchDir({ 'package.json': script })
      const abouts: string[] = []
      const ask: Ask = async ({ about }) => {
        abouts.push(about)
        return answers.shift()
      }
      const { success } = await execute(root, run('npm install --no-audit --no-fund'), { approve: [], ask })
      expect([success, abouts]).toEqual([true, ['command', 'tried', 'network']])
      return Number(filesIn(root)['count.txt'])
    }
    expect(await count('try', 'once', 'no')).toBeLessThan(await count('try', 'once', 'once'))
  }, 60_000)

  it('cannot be tried where it would change the repository, or without a sandbox', async () => {
    const root = scratchDir(files)
    const offered = async (command: string, options?: CladaOptions) =>
      (await asked(root, run(command), ['try'], options)).asked.map(({ about, canTry }) => [about, canTry])
    expect(await offered('git init')).toEqual([['command', false]])
    expect(await offered('no-such-program')).toEqual([['command', false]])
    expect(await offered('sh 1.sh', { exec: 'unsandboxed' })).toEqual([['command', false]])
    expect(filesIn(root)).toEqual(files)
  })

  it('does not overwrite what somebody else changed while the question was open', async () => {
    const root = scratchDir(files)
    const ask: Ask = async ({ about }) => {
      if (about === 'command') return 'try'
      fs.writeFileSync(path.join(root, 'a.txt'), 'mine\n')
      return 'once'
    }
    const { results } = await execute(root, run('sh 1.sh'), { approve: [], ask })
    expect(results[0]?.data).toMatchObject({ not_kept: [{ path: 'a.txt' }] })
    expect(filesIn(root)).toMatchObject({ 'a.txt': 'mine\n', 'b.txt': 'b\n' })
  })

  it('does not see the variables of approved commands when it is tried', async () => {
    const root = scratchDir(files)
    vi.stubEnv('CLADA_TEST_TOKEN', 'hidden')
    const { result } = await asked(root, run('printenv'), ['try', 'once'], { commandEnv: ['CLADA_TEST_TOKEN'] })
    vi.unstubAllEnvs()
    expect(result).toMatchObject({ success: true })
    expect(JSON.stringify(result)).not.toContain('CLADA_TEST_TOKEN')
  })

  it('is shown with what it did', () => {
    const request = {
      root: '/p',
      command: 'sh 1.sh',
      program: '/bin/sh',
      canTry: false,
      unsandboxed: false,
      changed: false,
      repository: false,
    }
    const changed = [
      { path: 'a\u001b.txt', change: 'delete' },
      { path: 'b.txt', change: 'create' },
    ] as const
    const result = { exitCode: 0, changed, more: 5, output: 'first\u001b[2J\r\nlast\n' }
    const text = questionText({ ...request, about: 'tried', tried: result })
    expect(text).toContain('without network: exit 0, 7 files changed. Nothing is kept yet.')
    expect(text).toContain('    + b.txt\n    and 5 more\n  The end of its output:\n    | first\\x1b[2J\n    | last\n')
    const late = questionText({
      ...request,
      about: 'tried',
      tried: { ...result, exitCode: null, changed: [], more: 0 },
    })
    expect(late).toContain('it did not end in time. After a yes it runs again.')
    expect(text).not.toContain('\u001b')
    expect(text).toMatch(/Approve it and keep this result\? y \(once\), a \(always\) or n, then Enter: $/)
  })
})
