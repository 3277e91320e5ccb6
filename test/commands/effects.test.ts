import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { isOnMemoryDisk } from '../../packages/clada/src/state/own-files.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { needs } from '../support/needs.ts'
import { cladaCall, cladaCommand } from '../support/cli.ts'

needs('sandbox')

interface Data {
  readonly stdout?: string
  readonly changed?: readonly { readonly path: string; readonly change: string }[]
  readonly not_kept?: readonly { readonly path: string; readonly reason: string }[]
}

interface Ran {
  readonly success: boolean
  readonly data: Data
  readonly warnings: readonly string[]
  readonly text: string
}

async function bash(root: string, code: string, options: CladaOptions = {}): Promise<Ran> {
  const { results } = await new Clada({ repoPath: root, git: 'off', ...options }).perform('exec', {
    lang: 'bash',
    code,
  })
  const [result] = results
  const data: Data = typeof result?.data === 'object' && result.data !== null ? result.data : {}
  return { success: result?.success ?? false, data, warnings: result?.warnings ?? [], text: JSON.stringify(results) }
}

/** Everything below a root: type, mode, content or target. Git's and clada's own directories are left out. */
function treeOf(root: string, dir = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of fs.readdirSync(path.join(root, dir))) {
    if (dir === '' && (name === '.clada' || name === '.git')) continue
    const at = path.join(dir, name)
    const stat = fs.lstatSync(path.join(root, at))
    const mode = (stat.mode & 0o7777).toString(8)
    if (stat.isDirectory()) {
      found[`${at}/`] = mode
      Object.assign(found, treeOf(root, at))
    } else if (stat.isSymbolicLink()) found[at] = `-> ${fs.readlinkSync(path.join(root, at))}`
    else
      found[at] = stat.isFile()
        ? `${mode} ${fs.readFileSync(path.join(root, at)).subarray(0, 200).toString('latin1')}`
        : 'other'
  }
  return found
}

const undo = (root: string) => new Clada({ repoPath: root, git: 'off' }).undo()

const files = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'dir/c.txt': 'c\n',
  'dir/deep/d.txt': 'd\n',
  'shut/s.txt': 's\n',
  'src/target/x.ts': 'tracked\n',
  '.venv/bin/activate': 'activate\n',
  'node_modules/p/index.js': 'p\n',
}

const examples: Readonly<Record<string, { code: string; changed: Record<string, string>; warns?: RegExp }>> = {
  'a line in a virtual environment': {
    code: 'echo evil >> .venv/bin/activate',
    changed: { '.venv/bin/activate': 'modify' },
  },
  'a planted program of a package': {
    code: 'mkdir -p node_modules/.bin; echo evil > node_modules/.bin/npm; chmod +x node_modules/.bin/npm',
    changed: { 'node_modules/.bin/npm': 'create' },
  },
  'a tracked file in a directory called target': {
    code: 'echo changed > src/target/x.ts',
    changed: { 'src/target/x.ts': 'modify' },
  },
  'files in every directory that was once skipped': {
    code: 'for d in node_modules .venv venv target __pycache__ .tox .gradle; do mkdir -p x/$d; echo 1 > x/$d/f; done',
    changed: Object.fromEntries(
      ['.gradle', '.tox', '.venv', '__pycache__', 'node_modules', 'target', 'venv'].map((d) => [`x/${d}/f`, 'create']),
    ),
  },
  'a file that nobody may read': { code: 'chmod 000 a.txt', changed: { 'a.txt': 'modify' } },
  'a directory that nobody may enter': {
    code: 'mkdir bolted; echo x > bolted/x; chmod 000 bolted; chmod 000 dir/deep',
    changed: { 'dir/deep': 'modify', 'bolted/x': 'create' },
  },
  'a setuid program': {
    code: 'cp /bin/sh shell; chmod 4755 shell; cp /bin/sh group; chmod 2755 group',
    changed: { group: 'create', shell: 'create' },
    warns: /setuid/,
  },
  'a mode': { code: 'chmod 755 a.txt; chmod 700 dir', changed: { 'a.txt': 'modify', dir: 'modify' } },
  'directories with nothing in them': {
    code: 'mkdir -p new/deeper; rmdir empty; chmod 700 shut; rm -r shut',
    changed: { empty: 'delete', 'new/deeper': 'create', 'shut/s.txt': 'delete' },
  },
  'the mode of a directory that its owner may not write to': { code: 'chmod 755 shut', changed: { shut: 'modify' } },
  'a deleted directory': { code: 'rm -r dir', changed: { 'dir/c.txt': 'delete', 'dir/deep/d.txt': 'delete' } },
  'a directory that was deleted and made again': {
    code: 'rm -r dir; mkdir -p dir/deep; echo e > dir/deep/e.txt',
    changed: { 'dir/c.txt': 'delete', 'dir/deep/d.txt': 'delete', 'dir/deep/e.txt': 'create' },
  },
  'a file that became a directory, and a directory that became a file': {
    code: 'rm a.txt; mkdir a.txt; echo x > a.txt/x; rm -r dir; echo file > dir',
    changed: {
      'a.txt': 'delete',
      'a.txt/x': 'create',
      dir: 'create',
      'dir/c.txt': 'delete',
      'dir/deep/d.txt': 'delete',
    },
  },
  'a moved directory': {
    code: 'mv dir moved',
    changed: {
      'dir/c.txt': 'delete',
      'dir/deep/d.txt': 'delete',
      'moved/c.txt': 'create',
      'moved/deep/d.txt': 'create',
    },
  },
  links: {
    code: 'ln -s /etc/passwd out; ln -s a.txt in; rm b.txt; ln -s nowhere b.txt; ln a.txt twin',
    changed: { 'b.txt': 'modify', in: 'create', out: 'create', twin: 'create' },
  },
  'a large file': {
    code: 'head -c 11000000 /dev/zero > large; truncate -s 300M sparse',
    changed: { large: 'create', sparse: 'create' },
  },
  'a change that hides its time and its size': {
    code: 'touch -r a.txt /tmp/t; echo A > a.txt; touch -r /tmp/t a.txt',
    changed: { 'a.txt': 'modify' },
  },
  'odd names': {
    code: `echo 1 > 'a:b'; echo 2 > 'back\\slash'; echo 3 > 'end. '; echo 4 > $'new\\nline'; echo 5 > '-f'`,
    changed: { '-f': 'create', 'a:b': 'create', 'back\\slash': 'create', 'end. ': 'create', 'new\nline': 'create' },
  },
}

describe('what a program changed (needs a sandbox)', () => {
  needs('sandbox')

  for (const [what, { code, changed, warns }] of Object.entries(examples)) {
    it(`is reported and taken back exactly: ${what}`, async () => {
      const root = scratchDir(files)
      fs.mkdirSync(path.join(root, 'empty'))
      fs.chmodSync(path.join(root, 'shut'), 0o500)
      const before = treeOf(root)
      const ran = await bash(root, code)
      expect(ran).toMatchObject({ success: true })
      expect(Object.fromEntries((ran.data.changed ?? []).map((one) => [one.path, one.change]))).toEqual(changed)
      expect(ran.data.not_kept).toBeUndefined()
      if (warns !== undefined) expect(ran.warnings.join('\n')).toMatch(warns)
      expect(treeOf(root)).not.toEqual(before)
      for (const [name, mode] of Object.entries(treeOf(root))) expect(`${name} ${mode}`).not.toMatch(/ [2-7]\d{3}\b/)
      expect(await undo(root)).toMatchObject({ success: true, conflicts: [] })
      expect(treeOf(root)).toEqual(before)
    })
  }

  it('is complete with thousands of files', async () => {
    const root = scratchDir({ 'a.txt': 'a\n', 'z/last.txt': 'z\n' })
    const ran = await bash(root, 'mkdir many; cd many; seq 3001 | xargs touch; cd ..; echo evil >> z/last.txt')
    expect(ran.data.changed).toHaveLength(3002)
    expect(ran.data.changed?.at(-1)).toEqual({ path: 'z/last.txt', change: 'modify' })
    expect(await undo(root)).toMatchObject({ success: true })
    expect(treeOf(root)).toEqual({ 'a.txt': '644 a\n', 'z/': '755', 'z/last.txt': '644 z\n' })
  })

  it('is dropped and reported where it may not stay', async () => {
    const root = scratchDir({ ...files, '.env': 'SECRET\n' })
    const before = treeOf(root)
    const code = [
      'mkdir -p .clada sub/.git/hooks sub/.GIT',
      'echo x > clada.yml; echo x > .clada/x; echo x > sub/.git/hooks/post-commit; echo x > sub/.GIT/config',
      'echo x > .env.local; rm .env; echo x > .npmrc; mkfifo pipe',
      `python3 -c "import os; open(b'\\xff.txt', 'w')"`,
    ].join('\n')
    const ran = await bash(root, code)
    expect((ran.data.not_kept ?? []).map((one) => one.path).toSorted()).toEqual(
      ['.clada', '.env', '.env.local', '.npmrc', '\ufffd.txt', 'clada.yml', 'pipe', 'sub/.GIT', 'sub/.git'].toSorted(),
    )
    expect(treeOf(root)).toEqual({ ...before, 'sub/': '755' })
  })

  describe.each(['by itself', 'in an atomic group'])('in the place of a link, %s', (how) => {
    const atomic = how !== 'by itself'

    it.each(['t', '.', 'nowhere', '../elsewhere', 't/a'])('to %s, is a directory with files', async (target) => {
      const root = path.join(scratchDir({ 'elsewhere/x/y': 'y\n', 'p/t/a': 'a\n', 'p/t/x': 'x\n' }), 'p')
      fs.symlinkSync(target, path.join(root, 'l'))
      const before = treeOf(root)
      const ran = await bash(root, 'rm l; mkdir -p l/x; echo new > l/a; echo new > l/x/y; echo b > t/b', { atomic })
      expect(ran.data.changed?.map((one) => one.path)).toEqual(['l', 'l/a', 'l/x/y', 't/b'])
      expect(ran.data.not_kept).toBeUndefined()
      const { l: _, ...others } = before
      const made = { 'l/': '755', 'l/a': '644 new\n', 'l/x/': '755', 'l/x/y': '644 new\n', 't/b': '644 b\n' }
      expect(treeOf(root)).toEqual({ ...others, ...made })
      expect(await undo(root)).toMatchObject({ success: true })
      expect(treeOf(root)).toEqual(before)
      expect(fs.readFileSync(path.join(root, '../elsewhere/x/y'), 'utf8')).toBe('y\n')
    })
  })

  describe.each(['by itself', 'in an atomic group'])('leaves what undo could not bring back, %s', (how) => {
    const atomic = how !== 'by itself'

    it.each([
      ['deletes it', 'rm pipe', ['pipe']],
      ['puts a file in its place', 'rm pipe; echo x > pipe', ['pipe']],
      ['moves a file over it', 'cp a.txt x; mv x pipe', ['pipe']],
      ['puts a link in its place', 'ln -sf a.txt pipe', ['pipe']],
      ['puts a directory in its place', 'rm pipe; mkdir pipe; echo x > pipe/x', ['pipe']],
      ['deletes the directory that it is in', 'rm -r d', ['d', 'd/pipe']],
    ])('%s', async (_, code, names) => {
      const root = scratchDir({ 'a.txt': 'a\n', 'd/b.txt': 'b\n' })
      for (const name of ['pipe', 'd/pipe']) spawnSync('mkfifo', [path.join(root, name)])
      const before = treeOf(root)
      const ran = await bash(root, `${code}; echo c >> a.txt`, { atomic })
      expect(ran.success, ran.text).toBe(true)
      expect([...new Set(ran.data.not_kept?.map((one) => one.path))].toSorted()).toEqual(names)
      expect(ran.text).toMatch(/which undo could not bring back/)
      expect(treeOf(root)).toMatchObject({ 'a.txt': '644 a\nc\n', pipe: 'other', 'd/pipe': 'other' })
      expect(await undo(root)).toMatchObject({ success: true })
      expect(treeOf(root)).toEqual(before)
    })
  })

  it('lands when the program fails or is late', async () => {
    const root = scratchDir(files)
    const before = treeOf(root)
    expect(await bash(root, 'echo failed > a.txt; exit 3')).toMatchObject({ success: false })
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('failed\n')
    const late = await new Clada({ repoPath: root, git: 'off' }).perform('exec', {
      lang: 'bash',
      code: 'echo late > b.txt; sleep 60',
      timeout: '1',
    })
    expect(late.results).toMatchObject([{ success: false, data: { changed: [{ path: 'b.txt' }] } }])
    expect(treeOf(root)).toEqual({ ...before, 'a.txt': '644 failed\n', 'b.txt': '644 late\n' })
  })

  it('is in nobody’s way when git ignores it and it changed since', async () => {
    const root = scratchDir({ ...files, '.gitignore': 'out/\n' })
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      ['-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '-qm', '1'],
    ])
      spawnSync('git', args, { cwd: root })
    expect((await bash(root, 'mkdir out; echo 1 > out/built; echo 2 >> a.txt', { git: 'shadow' })).success).toBe(true)
    fs.writeFileSync(path.join(root, 'out/built'), 'again\n')
    expect(await new Clada({ repoPath: root, git: 'shadow' }).undo()).toMatchObject({
      success: true,
      restored: expect.arrayContaining(['a.txt']),
      warnings: ['out/built was not restored: git ignores it, and it was changed since'],
    })
  })

  it('outside the project is reported to be gone', async () => {
    const root = scratchDir(files)
    const ran = await bash(
      root,
      'echo 1 > /tmp/one; mkdir /tmp/d; echo 2 > /tmp/d/two; echo 3 > ~/three; echo 4 > /dev/shm/four',
    )
    const home = os.homedir()
    expect(ran.warnings).toEqual([
      `written outside the project and gone now: ${['/dev/shm/four', '/tmp/d/two', '/tmp/one', `${home}/three`].toSorted().slice(0, 3).join(', ')} and 1 more`,
    ])
    expect((await bash(root, 'echo 1 > /tmp/one; rm /tmp/one; cat a.txt')).warnings).toEqual([])
    expect((await bash(root, 'mkdir -p /tmp/build/deep; touch /tmp/build/a /tmp/build/deep/b')).warnings).toEqual([
      'written outside the project and gone now: /tmp/build/ (2 files)',
    ])
  })

  // All of it lands, and an error after that would say that nothing had.
  it.each([
    ['a path too long for the system', 'for i in {1..25}; do mkdir $n; cd $n; done; touch x'],
    ['a directory that may not be entered', 'mkdir d; touch d/x; chmod 600 d'],
    ['more directories than anybody lists', 'mkdir -p {1..200}/{1..60}; touch x'],
  ])('is reported also when it leaves %s outside the project', async (_, code) => {
    const root = scratchDir(files)
    const ran = await bash(root, `echo b >> a.txt; cd /tmp; n=$(printf 'n%.0s' {1..200}); ${code}`)
    expect([ran.success, ran.data.changed]).toEqual([true, [{ path: 'a.txt', change: 'modify' }]])
  })

  it('is not kept when it is more than clada reads again in a moment', async () => {
    const root = scratchDir(files)
    const before = treeOf(root)
    const ran = await bash(root, 'echo b >> a.txt; truncate -s 1G 1 2 3 4 5; echo all')
    expect([ran.success, ran.data]).toEqual([false, { stdout: 'all\n', stderr: '' }])
    expect(ran.text).toContain('it wrote too much, and nothing of that was kept')
    expect(treeOf(root)).toEqual(before)
  })

  it.for([
    ['removed', 'rm x'],
    ['replaced', 'echo > y; mv y x'],
    ['of another process', '(sleep 60) & rm x; exec 9>&-'],
    ['not of the project any more', 'mkdir d; mv x d; rm -r d'],
  ])('is stopped when it fills the disk with files that are open and %s', async ([, code], context) => {
    // In memory its size would be limited as memory.
    const root = fs.mkdtempSync('/var/tmp/clada-')
    onTestFinished(() => fs.rmSync(root, { recursive: true }))
    const { bavail, bsize } = fs.statfsSync(root)
    if (isOnMemoryDisk(root) || bavail * bsize < 2 ** 35) return context.skip('needs 32 GB on a disk')
    fs.writeFileSync(path.join(root, 'a.txt'), 'a\n')
    const before = treeOf(root)
    const fill = `exec 9<>x; fallocate -l 3G /proc/self/fd/9 || exit; ${code};`
    const ran = await bash(root, `echo b >> a.txt; ${fill} ${fill.replaceAll('9', '8')} sleep 60`)
    expect(ran.text).toContain('it wrote too much, and nothing of that was kept')
    expect(treeOf(root)).toEqual(before)
  })

  it('is not reported where a tool locks its cache', async () => {
    const root = scratchDir(files)
    const ran = await bash(root, 'mkdir -p ~/.cargo; echo > ~/.cargo/.package-cache; echo > ~/.cargo/.global-cache')
    expect([ran.success, ran.warnings]).toEqual([true, []])
  })

  it('keeps the times that builds go by', async () => {
    const root = scratchDir(files)
    expect((await bash(root, 'touch -d 2001-02-03T04:05:06Z a.txt; echo x > n; touch -d 2002-02-03 n')).success).toBe(
      true,
    )
    expect(fs.statSync(path.join(root, 'a.txt')).mtime.toISOString()).toBe('2001-02-03T04:05:06.000Z')
    expect(fs.statSync(path.join(root, 'n')).mtime.getUTCFullYear()).toBe(2002)
  })

  it.each(['with, comma', 'with:colon', 'back\\slash', 'a space', 'quote"\'$x'])(
    'works in a root called %s',
    async (name) => {
      const root = path.join(scratchDir({ [`${name}/a.txt`]: 'a\n' }), name)
      expect(await bash(root, 'echo b >> a.txt')).toMatchObject({
        data: { changed: [{ path: 'a.txt', change: 'modify' }] },
      })
      expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('a\nb\n')
    },
  )

  it('shows nothing of clada’s in the project meanwhile', async () => {
    const root = scratchDir({ ...files, 'clada_input.md': 'reply\n' })
    const reserved = ['clada_input.md', 'other_input.md', '.clada/output.md'].map((name) => path.join(root, name))
    await bash(root, 'echo x > made')
    fill(root, { '.clada/output.md': 'reply\n', '.clada/old/.git/HEAD': '', '.clada/old/.git/config': '[core]\n' })
    const ran = await bash(root, 'ls -A; grep -r reply . ; cp -r . /tmp/copy; tar cf /tmp/t.tar .', { reserved })
    expect(ran).toMatchObject({ success: true })
    expect(ran.data.stdout).not.toMatch(/clada|input/)
  })

  it.skipIf(process.getuid?.() !== 0)('are seen on the project itself where another file system is in it', () => {
    const root = scratchDir({ 'a.txt': 'a\n', 'data/under.txt': '', 'empty/x': '' })
    const code =
      'cat data/.env; echo b >> data/b.txt; mkdir -p made/deep; chmod 700 empty; ls -la; cp -r a.txt clada_input.md empty made /tmp'
    const call = [...cladaCommand(), 'do', 'exec', 'lang=bash', `code=${code}`, '--no-git', '--json']
    const script = 'mount -t tmpfs none data && echo CANARY > data/.env && exec "$@"'
    const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', ...call], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stdout, stderr).toContain('"success": true')
    expect(stdout).not.toContain('CANARY')
    const [{ data }] = JSON.parse(stdout).results
    expect(data.changed).toEqual([
      { path: 'data/b.txt', change: 'create' },
      { path: 'empty', change: 'modify' },
      { path: 'made/deep', change: 'create' },
    ])
    // Nothing of ours is a device in there.
    expect(data.stdout.split('\n').filter((line: string) => line.startsWith('c'))).toEqual([])
    expect(fs.existsSync(path.join(root, 'clada_input.md'))).toBe(false)
  })

  it('keeps the rest where directories are too deep for the system to name, and leaves no layers', async () => {
    const root = scratchDir(files)
    // Programs of other tests have their layers where all tests keep their state.
    const state = scratchDir()
    vi.stubEnv('XDG_STATE_HOME', state)
    onTestFinished(() => void vi.unstubAllEnvs())
    const code =
      'echo b > fresh.txt; for n in $(seq 30); do mkdir -p $(printf deeper/%.0s $(seq 30)); cd -P $_; done; chmod 000 .'
    const ran = await bash(root, code)
    expect(ran).toMatchObject({ success: true })
    expect(ran.data.not_kept).toMatchObject([{ reason: 'its path is longer than 1000 characters' }])
    expect(ran.data.changed).toContainEqual({ path: 'fresh.txt', change: 'create' })
    const layers = path.join(state, 'clada/layers')
    await expect.poll(() => fs.readdirSync(layers).filter((name) => name.startsWith('run-'))).toEqual([])
  })

  it('does not undo what somebody else changed meanwhile', async () => {
    const root = scratchDir(files)
    const running = bash(root, 'echo program > a.txt; echo program > b.txt; touch started; sleep 1')
    await new Promise((done) => setTimeout(done, 600))
    fs.writeFileSync(path.join(root, 'a.txt'), 'user\n')
    const ran = await running
    expect(ran.data.not_kept).toEqual([{ path: 'a.txt', reason: 'another program changed it in the meantime' }])
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('user\n')
    expect(fs.readFileSync(path.join(root, 'b.txt'), 'utf8')).toBe('program\n')
  })
})

describe('what a program changed, for an ordinary user (needs a sandbox)', () => {
  needs('sandbox')

  it('is reported, recorded and taken back, permissions or not', () => {
    const root = scratchDir({ ...files, 'node_modules/a/.env': 'CANARY\n', 'locked/f.txt': 'f\n' })
    fs.chmodSync(path.join(root, 'locked'), 0o555)
    const clada = ordinaryUser(root)
    const before = treeOf(root)
    const code = [
      'id -u; cat node_modules/a/.env',
      'chmod 000 a.txt; mkdir bolted; echo x > bolted/x; chmod 000 bolted; rm -r dir; mkdir dir; echo new > dir/n',
      'echo evil >> .venv/bin/activate; chmod u+w locked; echo g > locked/g; chmod 555 locked; ln -s a.txt l',
    ].join('\n')
    const ran = clada(['run', '--no-git', '--json'], shamOf(code))
    expect(`${ran.stdout}${ran.stderr}`).toContain('"path": "locked/g"')
    expect(ran.stdout).not.toContain('CANARY')
    expect(ran.stdout).toContain('65534')
    const after = clada(['undo', '--no-git'])
    expect(`${after.status} ${after.stdout}${after.stderr}`).toMatch(/^0 /)
    expect(treeOf(root)).toEqual(before)
  })
})

const shamOf = (code: string): string =>
  `\`\`\`sh nesl\n#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "bash"\ncode = <<'EOT_SHAM_abc'\n${code}\nEOT_SHAM_abc\n#!END_SHAM_abc\n\`\`\`\n`

describe('layers (need a sandbox)', () => {
  needs('sandbox')

  it('of a process that died leave the project as it was, and are removed by the next', async () => {
    const root = scratchDir(files)
    const before = treeOf(root)
    const state = scratchDir()
    const env = { ...process.env, XDG_STATE_HOME: state }
    const code = 'echo x > a.txt; touch /tmp/begun; chmod 000 dir; sleep 60'
    const child = spawn(...cladaCall('run', '--no-git'), {
      cwd: root,
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const ended = once(child, 'close')
    child.stdin.end(shamOf(code))
    const layers = path.join(state, 'clada/layers')
    const written = (): boolean =>
      fs.existsSync(layers) &&
      fs.readdirSync(layers).some((name) => fs.existsSync(path.join(layers, name, 'upper/dir')))
    while (!written()) await new Promise((done) => setTimeout(done, 10))
    child.kill('SIGKILL')
    await ended
    expect(treeOf(root)).toEqual(before)
    const next = spawnSync(...cladaCall('run', '--no-git'), {
      cwd: root,
      env,
      input: shamOf('true'),
    })
    expect(next.status).toBe(0)
    expect(fs.readdirSync(layers).filter((name) => name.startsWith('run-'))).toEqual([])
    expect(treeOf(root)).toEqual(before)
  })
})
