import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { ownProgram, takeNoProgramsFrom, startProgram } from '../../packages/clada/src/process/programs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { block } from '../workspace/blocks.ts'
import data from '../policy/windows-paths.json' with { type: 'json' }

const secret = 'S3CRET-of-this-test'

const started = (root: string, options = {}) =>
  new Clada({ repoPath: root, gitCommit: false, relativePaths: true, ...options })

/** What can only be seen on Windows itself, or under Wine. The rules for paths are tested everywhere. */
describe.skipIf(process.platform !== 'win32')('on Windows', () => {
  it(`none of ${data.attacks.length} paths is read or written`, async () => {
    const outer = scratchDir()
    const root = path.join(outer, 'proj')
    fs.mkdirSync(path.join(root, '.git', 'hooks'), { recursive: true })
    for (const name of ['.env', '.git/config', '.ssh/id_rsa', 'clada.yml', 'a.txt', '../outside.txt']) {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
      fs.writeFileSync(path.join(root, name), name === 'clada.yml' ? `# ${secret}\n` : secret)
    }
    const before = filesIn(outer)
    const placed = (given: string): string => given.replace(/^(?:C:[\\/]|\/c\/)proj(?=[\\/])/i, () => root)
    const document = data.attacks.flatMap(({ path: given, for: only }) => [
      block('file_write', { path: placed(given), content: 'gone' }),
      ...(only === undefined ? [block('file_read', { path: placed(given) })] : []),
    ])
    const result = await started(root).execute(document.join('\n'))
    expect(result.results.filter(({ success }) => success)).toEqual([])
    expect(JSON.stringify(result)).not.toContain(secret)
    expect(filesIn(outer)).toEqual(before)
  })

  it('short names lead to what they stand for', async () => {
    const root = scratchDir({ '.env': secret, 'long name of a directory/a.txt': 'open' })
    const shell = path.join(process.env['SystemRoot'] ?? '', 'System32', 'cmd.exe')
    const listing = execFileSync(shell, ['/d', '/c', 'dir', '/x', '/a'], { cwd: root, encoding: 'utf8' })
    const short = (name: string): string => new RegExp(`(\\S+~\\S+) +${name}`).exec(listing)?.[1] ?? ''
    const env = short('\\.env')
    const dir = short('long name')
    if (env === '' || dir === '') return
    const { results } = await started(root).execute(
      [
        block('file_read', { path: env }),
        block('file_write', { path: env, content: '' }),
        block('file_read', { path: `${dir}\\A.TXT` }),
      ].join('\n'),
    )
    expect(results).toMatchObject([{ code: 'path_denied' }, { code: 'path_denied' }, { success: true }])
    expect(fs.readFileSync(path.join(root, '.env'), 'utf8')).toBe(secret)
  })

  it('every spelling of a file is that file, and results name it with slashes', async () => {
    const root = scratchDir({ 'src/a.ts': '0\n', 'lib/x': '', 'src/lib/x': '' })
    // The project of the list is `C:\proj`; its name is spelled as this one's is, with the same slashes and case.
    const placed = (spelling: string): string => {
      const [, slashes = '\\'] = /([\\/]+)proj/i.exec(spelling) ?? []
      const isAbove = spelling.startsWith('..')
      const names = (isAbove ? path.basename(root) : root.slice(3)).split('\\').join(slashes)
      const whole = spelling.replace(/proj/i, (name) => (name === 'PROJ' ? names.toUpperCase() : names))
      return whole.replace(/^[\\/]?c(?=:|[\\/])/i, (start) =>
        start.replace('C', root.slice(0, 1)).replace('c', root.slice(0, 1).toLowerCase()),
      )
    }
    const spellings = data.spellings.map(placed)
    const blocks = spellings.map((spelling, at) =>
      block('file_edit', { path: spelling, old_text: `${at}`, new_text: `${at + 1}` }),
    )
    const result = await started(root).execute(blocks.join('\n'))
    expect(result.results.filter(({ success }) => !success)).toEqual([])
    expect(filesIn(root)).toMatchObject({ 'src/a.ts': `${spellings.length}\n` })
    expect(JSON.stringify(result.results.map(({ params, data: found }) => [params, found]))).not.toContain('\\\\')
  })

  it('a program in the project is never started', async () => {
    const root = scratchDir()
    for (const name of ['git.exe', 'taskkill.exe', 'rg.exe']) fs.copyFileSync(process.execPath, path.join(root, name))
    takeNoProgramsFrom([fs.realpathSync.native(root)])
    expect(ownProgram('git', [root, '.', ''])).toBeUndefined()
    const child = startProgram('git', ['--version'], { cwd: root, env: { PATH: `${root};.` }, stdio: 'pipe' })
    const said = await new Promise<string>((done) => {
      let output = ''
      child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
      child.on('error', () => done(output))
      child.on('close', () => done(output))
    })
    expect(said).not.toContain(process.version)
    const { results } = await started(root).execute(block('run', { command: 'git --version' }))
    expect(JSON.stringify(results)).not.toContain(process.version)
  })

  it('exec is refused unless the user allowed it without a sandbox', async () => {
    const root = scratchDir()
    const code = block('exec', { lang: 'javascript', code: 'require("fs").writeFileSync("made.txt", "")' })
    expect(await started(root).execute(code)).toMatchObject({ success: false })
    expect(filesIn(root)).toEqual({})
    expect(await started(root, { exec: 'unsandboxed' }).execute(code)).toMatchObject({ success: true })
    expect(filesIn(root)).toEqual({ 'made.txt': '' })
  })

  it('a time limit ends everything that a program has started', async () => {
    const root = scratchDir()
    const child = "setInterval(() => {}, 1000); require('fs').writeFileSync(process.argv[1], String(process.pid))"
    const code = `const cp = require('child_process')
for (const name of ['one.pid', 'two.pid']) cp.spawn(process.execPath, ['-e', ${JSON.stringify(child)}, name])
setInterval(() => {}, 1000)`
    const { results } = await started(root, { exec: 'unsandboxed' }).execute(
      block('exec', { lang: 'javascript', code, timeout: '5' }),
    )
    expect(results).toMatchObject([{ success: false, code: 'exec_timeout' }])
    const pids = ['one.pid', 'two.pid'].map((name) => Number(fs.readFileSync(path.join(root, name), 'utf8')))
    const alive = pids.filter((pid) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    })
    expect(alive).toEqual([])
  })

  it('commands look around without Unix programs', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\n', 'src/b.ts': 'two\n', '.env': secret })
    const commands = ['ls', 'cat a.txt', 'head -1 a.txt', 'wc -l a.txt', 'grep -rn two .', "find . -name '*.ts'"]
    const { results } = await started(root).execute(
      [
        ...commands,
        'tree',
        'stat -c %s a.txt',
        'pwd',
        'diff a.txt src/b.ts',
        'xxd a.txt',
        'file a.txt',
        'tail -1 a.txt',
      ]
        .map((command) => block('run', { command }))
        .join('\n'),
    )
    expect(results.filter(({ success }) => !success)).toEqual([])
    const outputs = results.map(({ data: found }) => JSON.stringify(found))
    expect(outputs.join('\n')).not.toContain(secret)
    expect(outputs[4]).toContain('./src/b.ts:1:two')
    expect(outputs[5]).toContain('./src/b.ts\\n')
    expect(outputs[8]).toContain(root.replaceAll('\\', '/'))
  })

  it('an approved batch file gets its arguments, and nothing becomes a command', async () => {
    const root = scratchDir()
    const tools = scratchDir({ 'tool.cmd': '@echo off\r\necho got %*\r\n' })
    const before = process.env['PATH']
    process.env['PATH'] = `${tools};${before}`
    try {
      const run = async (command: string) =>
        (await started(root, { approve: ['tool *'] }).execute(block('run', { command }))).results[0]
      expect(await run('tool "a b" c')).toMatchObject({
        success: true,
        data: { output: expect.stringContaining('a b') },
      })
      const attacks = ['x&echo>made.txt', 'x|echo>made.txt', '%CD%', 'a^&echo>made.txt', 'x\\"&echo>made.txt']
      for (const attack of attacks) await run(`tool '${attack}'`)
      expect(filesIn(root)).toEqual({})
      expect(filesIn(tools)).toEqual({ 'tool.cmd': expect.any(String) })
    } finally {
      process.env['PATH'] = before
    }
    expect(fs.existsSync(path.join(os.tmpdir(), 'made.txt'))).toBe(false)
  })

  it('a hook runs in cmd where there is no sh, and no name of a file becomes a command', async () => {
    const root = scratchDir()
    const hooks = { after: [{ run: 'echo ${modifiedFiles}>seen.txt & echo %CLADA_MODIFIED_FILES%>>seen.txt' }] }
    const write = (name: string) => started(root, { hooks }).execute(block('file_write', { path: name, content: 'x' }))
    vi.stubEnv('PATH', process.env['SystemRoot'] ?? '')
    try {
      expect(await write('src/a.ts')).toMatchObject({ success: true })
      expect(fs.readFileSync(path.join(root, 'seen.txt'), 'utf8').split(/\s+/)).toEqual(['src/a.ts', 'src/a.ts', ''])
      for (const name of ['a&copy src made.txt&.ts', 'a^b.ts', '%COMSPEC%.ts', "a'b.ts"]) {
        const { hookErrors } = await write(name)
        expect(hookErrors?.after).toEqual([expect.stringContaining('install Git for Windows')])
      }
      expect(Object.keys(filesIn(root))).not.toContain('made.txt')
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('no command reads or changes what is closed, however it is spelled', async () => {
    const root = scratchDir({ 'a.txt': 'x\n', 'sub/.env': secret, '.git/config': '[core]\n' })
    const before = filesIn(root)
    const commands = String.raw`cat sub\.env
cat sub/.ENV
cat "sub/.env."
cat "sub/.env "
cat sub/.env::$DATA
cat SUB\.EnV
cat 'sub\.env'
head sub/.env:x
wc sub\.env
xxd sub\.env
diff a.txt sub\.env
grep -r S3CRET .
grep S3CRET sub\.env
git diff --no-index a.txt sub\.env
cp sub\.env b.txt
mv sub\.env b.txt
rm -r .
rm -r ..
rm -r sub\..\..
mv . x
cp a.txt .git\hooks\pre-commit
cp a.txt .GIT/config
mkdir .git\hooks
touch .clada\x
cat \\?\C:\windows\win.ini
cat C:win.ini
cat \windows\win.ini
cat //localhost/c$/windows/win.ini
ls /c/users
cat NUL
cat con
cp a.txt com1
cp a.txt sub/aux.txt
git --exec-path=. status
git -c core.pager=x log`.split('\n')
    const { results } = await started(root).execute(commands.map((command) => block('run', { command })).join('\n'))
    expect(results).toHaveLength(commands.length)
    expect(results.filter(({ success }) => success).map(({ params }) => params['command'])).toEqual([
      'grep -r S3CRET .',
    ])
    expect(JSON.stringify(results)).not.toContain(secret)
    expect(filesIn(root)).toEqual(before)
  })
})
