import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { syntaxNames } from '@clada/reply/syntax/table.ts'
import { takeLock } from '../../packages/clada/src/store/lock.ts'
import { clada, startClada, cladaCall } from '../support/cli.ts'
import { fill, filesIn, scratchDir } from '../support/scratch.ts'

const block = (id: string, lines: readonly string[]): string =>
  [`#!SHAM [@three-char-SHA-256: ${id}]`, ...lines, `#!END_SHAM_${id}`, ''].join('\n')
const write = (file: string, content: string): string =>
  block('wr1', ['action = "file_write"', `path = ${JSON.stringify(file)}`, `content = ${JSON.stringify(content)}`])

const withoutTime = (report = ''): string => report.replace(/"(durationMs|modified)": .*/g, '')

describe('clada run', () => {
  it('carries out a file, stdin, and several files', () => {
    const cwd = scratchDir()
    fill(cwd, { 'a.md': write(`${cwd}/a.txt`, 'a'), 'b.md': write(`${cwd}/b.txt`, 'b') })
    expect(clada(['a.md'], { cwd })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`wr1 ✅ file_write ${cwd}/a.txt`),
    })
    expect(clada(['run', '-'], { cwd, input: write(`${cwd}/c.txt`, 'c') }).status).toBe(0)
    expect(clada([], { cwd, input: write(`${cwd}/d.txt`, 'd') }).status).toBe(0)
    const several = clada(['run', 'a.md', 'b.md', '--json'], { cwd })
    expect(JSON.parse(several.stdout)).toMatchObject([{ success: true }, { success: true }])
    expect(Object.keys(filesIn(cwd)).filter((name) => name.endsWith('.txt'))).toEqual([
      'a.txt',
      'b.txt',
      'c.txt',
      'd.txt',
    ])
  })

  it('ends with 0, 1, 2 as the contract says', () => {
    const cwd = scratchDir()
    expect(clada([], { cwd, input: 'nothing to do' }).status).toBe(0)
    expect(clada([], { cwd, input: block('rd1', ['action = "file_read"', `path = "${cwd}/none"`]) }).status).toBe(1)
    expect(clada([], { cwd, input: '#!SHAM [@wrong: abc]\n' }).status).toBe(1)
    expect(clada(['--no-such-flag'], { cwd })).toMatchObject({ status: 2, stdout: '' })
    expect(clada(['no-such-file.md'], { cwd })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('there is no such file'),
    })
    expect(clada(['.'], { cwd })).toMatchObject({ status: 2, stderr: expect.stringContaining('it is a directory') })
  })

  it.skipIf(!fs.existsSync('/dev/full'))('says in one line that its answer found no room', () => {
    const cwd = scratchDir()
    const full = fs.openSync('/dev/full', 'w')
    try {
      for (const args of [[], ['history'], ['undo']]) {
        const { status, stderr } = spawnSync(...cladaCall('--root', cwd, ...args), {
          input: write(`${cwd}/a.txt`, 'a'),
          stdio: ['pipe', full, 'pipe'],
          encoding: 'utf8',
        })
        expect({ status, stderr }).toEqual({
          status: 1,
          stderr: expect.stringMatching(
            /^(clada: 1 action .*\n)?clada: the report could not be written to standard output: the disk is full\n$/,
          ),
        })
      }
    } finally {
      fs.closeSync(full)
    }
    // What was done is done: written, and taken back.
    expect(filesIn(cwd)).toEqual({})
  })

  it('takes back what it did in a directory that was allowed, by undo alone', () => {
    const [cwd, other] = [scratchDir({ 'a.txt': 'a' }), scratchDir({ 'b.txt': 'b' })]
    const input = write(`${cwd}/a.txt`, 'A') + write(`${other}/b.txt`, 'B') + write(`${other}/new/c.txt`, 'C')
    expect(clada(['--allow', other], { cwd, input }).status).toBe(0)
    expect(clada(['undo'], { cwd }).status).toBe(0)
    expect([filesIn(cwd), filesIn(other)]).toEqual([{ 'a.txt': 'a' }, { 'b.txt': 'b' }])
    expect(clada(['redo'], { cwd }).status).toBe(0)
    expect(filesIn(other)).toEqual({ 'b.txt': 'B', 'new/c.txt': 'C' })
  })

  it('suggests what was meant', () => {
    const cwd = scratchDir()
    expect(clada(['--fromat', 'json'], { cwd }).stderr).toBe('clada: Unknown flag --fromat. Did you mean --format?\n')
    expect(clada(['--format', 'jsno'], { cwd }).stderr).toContain('Did you mean json?')
    expect(clada(['do', 'file_wirte'], { cwd }).stderr).toContain('Did you mean file_write?')
    expect(clada(['help', 'chekc'], { cwd }).stderr).toContain('Did you mean check?')
    expect(clada(['verison'], { cwd }).stderr).toContain('Did you mean clada version?')
    expect(clada(['context', 'ad', 'a.txt'], { cwd }).stderr).toContain('Did you mean add?')
    expect(clada(['config', 'limts'], { cwd }).stderr).toContain('Did you mean limits?')
    expect(clada(['--syntax', 'csll'], { cwd }).stderr).toContain('Did you mean csl?')
    expect(clada(['--timeout', 'soon'], { cwd }).stderr).toContain(
      "--timeout must be a number of seconds, or a time such as 5m, not 'soon'.",
    )
    expect(clada(['--timeout=-5'], { cwd }).stderr).toContain(
      "--timeout must be a positive number of seconds, or a time such as 5m, not '-5'.",
    )
    expect(clada(['--root'], { cwd }).stderr).toContain('--root needs a value')
  })

  it('takes --json and --format json for the same', () => {
    const cwd = scratchDir()
    fill(cwd, { 'a.md': 'one', 'b.md': 'two' })
    for (const args of [
      ['run'],
      ['run', 'b.md'],
      ['check'],
      ['diff'],
      ['history'],
      ['tools', 'ls'],
      ['do', 'ls', 'path=.'],
    ]) {
      const given = /^(run|check|diff)$/.test(args[0] ?? '') ? [...args, 'a.md'] : args
      const [short, long] = [['--json'], ['--format', 'json']].map((flag) => clada([...given, ...flag], { cwd }).stdout)
      expect([args, withoutTime(long)]).toEqual([args, withoutTime(short)])
      expect(JSON.parse(long ?? '')).toBeDefined()
    }
  })

  it('refuses input that is not UTF-8 before anything runs', () => {
    const cwd = scratchDir()
    fs.writeFileSync(
      path.join(cwd, 'bad.md'),
      Buffer.concat([Buffer.from(write(`${cwd}/a.txt`, 'a')), Buffer.from([0xff, 0xfe])]),
    )
    expect(clada(['bad.md'], { cwd })).toMatchObject({ status: 2, stderr: expect.stringContaining('not valid UTF-8') })
    expect(fs.existsSync(path.join(cwd, 'a.txt'))).toBe(false)
  })

  it('touches nothing outside its roots, and what --allow names', () => {
    const cwd = scratchDir()
    const other = scratchDir()
    const input = write(`${other}/a.txt`, 'a')
    expect(clada(['--json'], { cwd, input }).stdout).toContain('"code": "path_escape"')
    expect(clada(['--allow', other], { cwd, input }).status).toBe(0)
    expect(clada(['--allow-escape'], { cwd, input: write(`${other}/b.txt`, 'b') }).status).toBe(0)
    expect(clada(['--root', other], { cwd, input: write(`${other}/c.txt`, 'c') }).status).toBe(0)
    expect(Object.keys(filesIn(other))).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  it('takes neither the home directory nor / for a project by accident', () => {
    const home = scratchDir()
    expect(clada([], { cwd: home, input: 'x', env: { HOME: home } }).stderr).toContain('Refusing to use')
    expect(clada([], { cwd: '/', input: 'x' }).status).toBe(2)
    expect(clada(['--root', home], { cwd: home, input: 'x', env: { HOME: home } }).status).toBe(0)
  })

  it('runs blocks from a pipe as they come', async () => {
    const cwd = scratchDir()
    const child = startClada(['--json'], cwd)
    child.stdin.write(`prose\n${write(`${cwd}/a.txt`, 'a')}`)
    await expect.poll(() => fs.existsSync(path.join(cwd, 'a.txt')), { timeout: 60_000 }).toBe(true)
    child.stdin.end(write(`${cwd}/b.txt`, 'b'))
    let stdout = ''
    for await (const chunk of child.stdout) stdout += String(chunk)
    expect(JSON.parse(stdout)).toMatchObject({ success: true, totalBlocks: 2 })
  })

  it('stops at Ctrl-C with 130', async () => {
    const cwd = scratchDir()
    const child = startClada(['--format', 'text'], cwd)
    child.stdin.write(write(`${cwd}/a.txt`, 'a'))
    await expect.poll(() => fs.existsSync(path.join(cwd, 'a.txt')), { timeout: 60_000 }).toBe(true)
    child.kill('SIGINT')
    // Its input stays open: it must not wait for the end of it.
    const code = await new Promise((done) => child.on('close', done))
    expect(code).toBe(130)
  })

  it('skips the rest after --total-timeout', () => {
    const cwd = scratchDir()
    // From a file: on a busy machine a pipe may not have brought the first block by then.
    fill(cwd, { 'in.md': Array.from({ length: 3000 }, (_, i) => write(`${cwd}/${i}.txt`, 'x')).join('\n') })
    const { status, stdout } = clada(['in.md', '--format', 'text', '--total-timeout', '0.05'], { cwd })
    expect(status).toBe(1)
    expect(stdout).toMatch(/SKIP: file_write - .* the 0\.05 s time limit was reached/)
  })

  it('says nothing when it is told to be quiet', () => {
    const cwd = scratchDir()
    expect(clada(['--quiet'], { cwd, input: write('/etc/x', 'x') })).toEqual({ status: 1, stdout: '', stderr: '' })
  })
})

describe('clada check', () => {
  it('lists every block with its place and its problems, and looks at no file', () => {
    const cwd = scratchDir()
    const input = `${write('/no/where/a.txt', 'x')}\n${block('bad', ['action = "file_reed"'])}`
    const { status, stdout } = clada(['check'], { cwd, input })
    expect(status).toBe(1)
    expect(stdout).toContain('✓ lines 1-5  sham wr1  file_write /no/where/a.txt')
    expect(stdout).toContain('Unknown action: file_reed [unknown_action]\n    → Did you mean file_read?')
    expect(JSON.parse(clada(['check', '--json'], { cwd, input }).stdout)).toMatchObject({
      valid: false,
      blocks: [{ problems: [] }, { problems: [{ code: 'unknown_action' }] }],
    })
  })
})

describe('clada diff', () => {
  it('shows what would change and changes nothing', () => {
    const cwd = scratchDir({ 'a.txt': 'one\ntwo\n' })
    const input = block('ed1', ['action = "file_edit"', `path = "${cwd}/a.txt"`, 'old_text = "two"', 'new_text = "2"'])
    const { status, stdout, stderr } = clada(['diff'], { cwd, input })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toBe('diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n')
    expect(filesIn(cwd)).toEqual({ 'a.txt': 'one\ntwo\n' })
    expect(fs.existsSync(path.join(cwd, '.clada'))).toBe(false)
  })

  it('is what a dry run does', () => {
    const cwd = scratchDir()
    const input = write(`${cwd}/a.txt`, 'a')
    for (const args of [['--dry-run'], ['run', '--dry-run']]) {
      expect(clada(args, { cwd, input })).toMatchObject({ status: 0, stdout: expect.stringContaining('+++ b/a.txt') })
    }
    expect(filesIn(cwd)).toEqual({})
  })

  it('shows no change where --atomic would make none', () => {
    const cwd = scratchDir()
    const input = write(`${cwd}/a.txt`, 'a') + block('rd1', ['action = "file_read"', `path = "${cwd}/none"`])
    const { status, stdout, stderr } = clada(['diff', '--atomic'], { cwd, input })
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain('! nothing would change: the run is atomic and at least one action would fail\n')
    const asked = JSON.parse(clada(['diff', '--atomic', '--json'], { cwd, input }).stdout)
    expect(asked).toMatchObject({ diff: '', diffs: [], result: { success: false } })
    expect(clada(['diff', '--atomic'], { cwd, input: write(`${cwd}/a.txt`, 'a') }).stdout).toContain('+++ b/a.txt')
  })

  it('says as much about a failure as it is asked to', () => {
    const cwd = scratchDir()
    const input = block('rd1', ['action = "file_read"', `path = "${cwd}/none"`])
    expect(clada(['diff'], { cwd, input }).stderr).toContain('→ Check the path')
    expect(clada(['diff', '--error-detail', 'minimal'], { cwd, input }).stderr).not.toContain('→')
  })

  it('says that there is nothing, and does not fail', () => {
    const cwd = scratchDir({ 'a.md': 'prose' })
    expect(clada(['diff'], { cwd, input: '' })).toMatchObject({
      status: 0,
      stdout: '',
      stderr: expect.stringMatching(/^The reply is empty\./),
    })
    expect(clada(['diff', 'a.md', 'a.md'], { cwd }).stderr).toMatch(
      /^(a\.md: No edits or commands found: the reply is only prose\..*\n){2}$/,
    )
    expect(clada(['diff', '--quiet', 'a.md'], { cwd }).stderr).toBe('')
  })

  it('fails only when an action would', () => {
    const cwd = scratchDir()
    const input = block('ed1', ['action = "file_edit"', `path = "${cwd}/a.txt"`, 'old_text = "two"', 'new_text = "2"'])
    expect(clada(['diff'], { cwd, input })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`There is no file '${cwd}/a.txt'`),
    })
  })
})

describe('clada do and tools', () => {
  it('does one action with relative paths', () => {
    const cwd = scratchDir()
    expect(
      clada(['do', 'file_write', 'path=src/a.txt', '--stdin', 'content'], { cwd, input: 'from stdin\n' }).status,
    ).toBe(0)
    expect(filesIn(cwd)).toEqual({ 'src/a.txt': 'from stdin\n' })
    expect(clada(['do', 'file_read', 'path=src/a.txt'], { cwd }).stdout).toContain('from stdin')
    expect(clada(['do', 'file_read', 'src/a.txt'], { cwd })).toMatchObject({ status: 2 })
    expect(clada(['do', 'file_read', 'path=../x'], { cwd })).toMatchObject({ status: 1 })
  })

  it('prints the actions in every format', () => {
    const cwd = scratchDir()
    expect(clada(['tools'], { cwd }).stdout).toContain('file_replace_text')
    expect(clada(['tools', 'file_edit', '--format', 'yaml'], { cwd }).stdout).toMatch(/^tools:\n {2}file_edit:/m)
    expect(JSON.parse(clada(['tools', '--json'], { cwd }).stdout)).toBeInstanceOf(Array)
    expect(clada(['tools', '--format', 'md'], { cwd }).stdout).toContain('# ')
  })

  it('helps', () => {
    const cwd = scratchDir()
    for (const args of [['--help'], ['help'], ['run', '--help'], ['help', 'diff'], ['do', '-h']]) {
      expect(clada(args, { cwd })).toMatchObject({ status: 0, stdout: expect.stringContaining('clada') })
    }
    for (const args of [['--version'], ['-V'], ['-v'], ['version']]) {
      expect(clada(args, { cwd })).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(
          /^clada \d+\.\d+\.\d+\S* \((?:commit [0-9a-f]{7,40}(?:-changed)?, )?(?:Node|Bun) [\d.]+\)\n$/,
        ),
      })
    }
    expect(clada(['help', 'version'], { cwd }).stdout).toContain('clada version')
    const flagIn = (command: string, flag: string): string | undefined =>
      clada(['help', command], { cwd })
        .stdout.replace(/\n {4,}(?=\S)/g, ' ')
        .split('\n')
        .find((line) => line.startsWith(`  --${flag} `))
    expect(flagIn('run', 'format')).toMatch(/\(text, json, xml, llm, pretty, auto\)$/)
    expect(flagIn('tools', 'format')).toMatch(/ {2}format of the list \(table, yaml, json, md\)$/)
    expect(flagIn('run', 'syntax')).toContain(`  look for this syntax only (repeatable) (${syntaxNames.join(', ')})`)
    expect(flagIn('run', 'dry-run')).toMatch(/ {2}show what would change, as clada diff does$/)
    expect(flagIn('prompt', 'syntax')).toMatch(
      / {2}the syntax to teach \(sham, csl, cml, replacer, search-replace, apply-patch, udiff\)$/,
    )
  })
})

describe('a mistake that newcomers make', () => {
  it('is answered with what to do', () => {
    const cwd = scratchDir({ 'reply.md': '' })
    const error = (...args: string[]): string => clada(args, { cwd }).stderr
    expect(error('do', 'file_rename', 'path=a')).toBe('clada: Unknown action: file_rename. Did you mean file_move?\n')
    expect(error('do', 'rename', 'path=a')).toContain('Did you mean file_move?')
    const told = (file: string): string =>
      clada(['do', 'file_write', `path=${file}`, 'content=x', '--format', 'pretty'], { cwd }).stdout
    expect(told('/etc/x')).toContain("it is outside the project, and it matches the denied pattern '/etc'")
    expect(told('/tmp/x')).toContain('allow it: --allow /tmp, or allowed_roots: [/tmp] in the config.')
    expect(told('/usr/x')).toContain('or allow that directory with --allow.')
  })

  it.skipIf(process.getuid?.() === 0)('names the permission that is missing', () => {
    const cwd = scratchDir({ 'reply.md': '' })
    fs.chmodSync(path.join(cwd, 'reply.md'), 0)
    expect(clada(['reply.md'], { cwd }).stderr).toContain("Cannot read 'reply.md': permission denied; check ")
  })
})

describe('an execution that waits for another one', () => {
  it('says so, and names it', async () => {
    const cwd = scratchDir({ 'a.txt': 'a' })
    const lock = path.join(cwd, 'held.lock')
    const release = await takeLock(lock, 0)
    const args = ['do', 'file_write', 'path=a.txt', 'content=b', '--lock-file', lock, '--lock-timeout', '0.5']
    const { stderr } = clada(args, { cwd })
    release()
    expect(stderr).toContain('clada: waiting for another execution to finish: ')
    expect(stderr).toContain(`(process ${process.pid})`)
  })
})

describe('a place that cannot be used', () => {
  const file = (): string => path.join(scratchDir({ file: '' }), 'file')
  const home = (): Record<string, string> => ({ HOME: scratchDir(), XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' })

  it('is said in words when the root lies below a file, as when it is nowhere', () => {
    const cwd = scratchDir({ 'a.txt': 'a' })
    for (const args of [['history'], ['do', 'ls', 'path=.'], ['watch'], ['prompt']]) {
      const [below, nowhere] = ['a.txt/sub', 'nowhere'].map((root) => {
        const { status, stdout, stderr } = clada(['--root', root, ...args], { cwd, env: home() })
        return { args, status, told: (stdout + stderr).replaceAll(root, 'ROOT') }
      })
      expect(below?.told).toContain("The root 'ROOT' is not a directory.")
      expect(below).toEqual(nowhere)
    }
  })

  it('does no harm where it is only looked at', () => {
    const cwd = scratchDir({ 'a.txt': 'a' })
    const env = { ...home(), XDG_CONFIG_HOME: file(), XDG_STATE_HOME: file() }
    for (const args of [
      ['do', 'file_read', 'path=a.txt'],
      ['config'],
      ['approvals'],
      ['trust', 'remove'],
      ['prompt'],
    ]) {
      expect({ args, ...clada(args, { cwd, env }) }).toMatchObject({ args, status: 0 })
    }
  })

  it('is said in words where something is to be kept', () => {
    const cwd = scratchDir()
    const approve = (state: string): string =>
      clada(['approve', 'npm test'], { cwd, env: { ...home(), XDG_STATE_HOME: state } }).stderr
    const state = file()
    expect(approve(state)).toMatch(
      /^clada: clada cannot remember this: '.*\/clada\/approvals' cannot be used \(a part of the path is a file\)\. Set XDG_STATE_HOME to a directory that can be written to\.\n$/,
    )
    expect(approve(path.join(cwd, 'state'))).toBe(
      `clada: clada cannot remember this: '${cwd}/state/clada' is inside the project, where models can write. Set XDG_STATE_HOME to a directory outside.\n`,
    )
  })
})
