import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { needs } from '../support/needs.ts'

needs('sandbox')

const secret = 'CANARY-7c1f'

async function bash(root: string, code: string, options: CladaOptions = {}): Promise<string> {
  const clada = new Clada({ repoPath: root, git: 'off', ...options })
  const { results } = await clada.perform('exec', { lang: 'bash', code })
  return JSON.stringify(results)
}

function git(root: string, ...args: string[]): void {
  const own = ['-c', 'user.name=u', '-c', 'user.email=u@example.org', '-c', 'protocol.file.allow=always']
  const { status, stderr } = spawnSync('git', [...own, ...args], { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

function repository(files: Record<string, string>): string {
  const root = scratchDir(files)
  git(root, 'init', '-q')
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', 'first')
  return root
}

// Of a language in the home directory all is shown, and package managers keep logins beside it.
it.each([
  ['.local/share/uv/credentials/credentials.toml', 'x'],
  ['.nvm/versions/node/v20.1.0/etc/npmrc', '//r.example.org/:_authToken='],
  ['.pyenv/versions/3.12.1/pip.conf', 'index-url = https://u:p@example.org/'],
  ['miniconda3/.condarc', 'channels: [https://u:p@example.org/]'],
  ['.local/bin/.env', 'x'],
  ['.rbenv/id_rsa', 'x'],
])('code does not see the secret beside a language: %s', async (name, text) => {
  const home = scratchDir({
    [name]: `${text}${secret}\n`,
    '.local/share/uv/python/a': 'shown',
    '.local/bin/b': 'shown',
  })
  const before = os.homedir()
  process.env['HOME'] = home
  onTestFinished(() => void (process.env['HOME'] = before))
  const found = await bash(
    scratchDir(),
    `cat '${path.join(home, name)}'; cat ~/.local/share/uv/python/a ~/.local/bin/b; true`,
  )
  expect(found).not.toContain(secret)
  expect(found).toContain('shownshown')
})

it('code sees settings beside a language that hold no login', async () => {
  const home = scratchDir({ '.nvm/versions/node/v20.1.0/etc/npmrc': 'fund=false' })
  const before = os.homedir()
  process.env['HOME'] = home
  onTestFinished(() => void (process.env['HOME'] = before))
  expect(await bash(scratchDir(), 'cat ~/.nvm/versions/node/*/etc/npmrc')).toContain('fund=false')
})

const names = [
  '.env',
  'target/.env',
  '__proto__/.env',
  'constructor/id_rsa',
  'node_modules/a/.env',
  '.venv/id_rsa',
  'deep/er/node_modules/x/y/server.key',
  'id_rsa.bak',
  'id_ed25519_old',
  '.pypirc',
  '.netrc',
  '.git-credentials',
  'home/.aws/credentials',
  '.docker/config.json',
  '.kube/config',
  'credentials.json',
  'service-account-prod.json',
  'terraform.tfstate',
  'prod.tfvars',
  '.htpasswd',
  'release.keystore',
  'store.jks',
  'cert.p12',
  '.envrc',
  '.npmrc',
  '.env~',
  '.env-prod',
  '.env_prod',
  '.env.bak',
  'prod.env',
  'deploy/prod.env.local',
  'prod.env~',
  '.dev.vars',
  '.dev.vars.production',
  'server.pem.bak',
  'server.pem~',
  'server.key.old',
  '.netrc.bak',
  '.pgpass~',
  '.cargo/credentials.toml',
  '.cargo/credentials',
  '.gem/credentials',
  '.vault-token',
  '.vault_pass.txt',
  'wp-config.php',
  'site/wp-config.php.bak',
  'wp-config-local.php',
  'kubeconfig',
  'AuthKey_ABC.p8',
  'client_secret_1.apps.json',
  'config/secrets.yml',
  '.bash_history',
  '.yarnrc.yml',
  '.yarnrc',
  'bunfig.toml',
  'pip.conf',
]

describe('blocked files (need a sandbox)', () => {
  needs('sandbox')

  it('cannot be read where a directory is too deep for the system to name', async () => {
    const root = scratchDir({ 'a.txt': 'a\n', '.env': secret })
    const down = 'for i in $(seq 45); do mkdir -p %; cd -P %; cp "$F" .env; done'.replaceAll('%', 'd'.repeat(100))
    const made = spawnSync('bash', ['-c', down], { cwd: root, env: { ...process.env, F: path.join(root, '.env') } })
    expect(made.status, String(made.stderr)).toBe(0)
    try {
      const into = 'cat .env; while cd -P d* 2>/dev/null; do cat .env; done; echo end'
      const said = await bash(root, `echo b >> a.txt; (${into}) 2>/dev/null`)
      expect(said).not.toContain(secret)
      expect(said).toContain('"path":"a.txt","change":"modify"')
    } finally {
      spawnSync('rm', ['-rf', ...fs.readdirSync(root).filter((name) => name.startsWith('d'))], { cwd: root })
    }
  })

  it.each(names)('cannot be read by code: %s', async (name) => {
    const root = scratchDir({ [name]: `//registry/:_authToken=${secret}\n` })
    const said = await bash(root, `cat ${name}; cat < ${name}; cp ${name} copy; cat copy; ls -la $(dirname ${name})`)
    expect(said).not.toContain(secret)
    expect(said).toContain('Permission denied')
  })

  it.each([
    '.env.example',
    '.env.sample',
    '.env.production.example',
    '.env-example',
    'example.env',
    'wp-config-sample.php',
    'environment.ts',
    'src/env.ts',
    'hot.keys.ts',
    'app.environment.ts',
    '.npmrc',
    '.yarnrc.yml',
    'bunfig.toml',
    'id_rsa.pub',
    'node_modules/a/.npmrc',
  ])('are not those without a secret: %s', async (name) => {
    const root = scratchDir({ [name]: 'registry=https://registry.example.org/\n' })
    expect(await bash(root, `cat ${name}`)).toContain('registry.example.org')
  })

  it('are also those that a link with a blocked name leads to', async () => {
    const root = scratchDir({ 'config/prod.txt': secret, 'keys/one': secret, 'config/other.txt': 'open\n' })
    const outside = scratchDir({ secret })
    fs.symlinkSync('config/prod.txt', path.join(root, '.env'))
    fs.symlinkSync('../keys', path.join(root, 'config/.ssh'))
    fs.symlinkSync(path.join(outside, 'secret'), path.join(root, 'config/.netrc'))
    const code = 'cat .env config/prod.txt config/.ssh/one keys/one config/.netrc config/other.txt'
    for (const options of [{}, { reserved: [] }]) {
      const said = await bash(root, code, options)
      expect(said).not.toContain(secret)
      expect(said).toContain('open')
    }
  })

  it('are blocked from the moment they hold a token', async () => {
    const root = scratchDir({ '.npmrc': 'save-exact=true\n' })
    // From then on the time of the directory tells that no name came or went.
    await setTimeout(100)
    expect(await bash(root, 'cat .npmrc')).toContain('save-exact')
    fs.appendFileSync(path.join(root, '.npmrc'), `//r/:_authToken=${secret}\n`)
    expect(await bash(root, 'cat .npmrc')).not.toContain(secret)
  })

  it('cannot be had by renaming, linking or deleting around them', async () => {
    const root = scratchDir({ 'a/b/.env': secret })
    const said = await bash(
      root,
      'mv a c; cat c/b/.env; ln a/b/.env l; cat l; ln -s a/b/.env s; cat s; chmod 644 a/b/.env; cat a/b/.env; rm -f a/b/.env; cat a/b/.env; tar c . | grep -a CANARY',
    )
    expect(said).not.toContain(secret)
    expect(fs.readFileSync(path.join(root, 'a/b/.env'), 'utf8')).toBe(secret)
  })

  it('cannot be read by an ordinary user’s code either', () => {
    const root = scratchDir({ 'node_modules/a/.env': secret, 'x/id_rsa': secret })
    const { stdout, stderr } = ordinaryUser(root)(
      ['run', '--no-git'],
      '#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "bash"\ncode = "cat node_modules/a/.env x/id_rsa; id -u"\n#!END_SHAM_abc\n',
    )
    expect(stdout + stderr).toContain('Permission denied')
    expect(stdout + stderr).not.toContain(secret)
  })

  it.each([0o000, 0o100, 0o400])('cannot be had by opening a directory that was shut, with mode %o', (mode) => {
    const root = scratchDir({ 'shut/in/.env': secret, 'shut/.env': secret, 'a.txt': 'a\n' })
    const run = ordinaryUser(root)
    fs.chmodSync(path.join(root, 'shut'), mode)
    const code = 'cat shut/.env; chmod 700 shut; cat shut/.env shut/in/.env; echo b > a.txt; cat a.txt'
    const { stdout, stderr } = run(
      ['run', '--no-git'],
      `#!SHAM [@three-char-SHA-256: abc]\naction = "exec"\nlang = "bash"\ncode = "${code}"\n#!END_SHAM_abc\n`,
    )
    expect(stdout + stderr).toContain('modify a.txt')
    expect(stdout + stderr).not.toContain(secret)
    expect(fs.statSync(path.join(root, 'shut')).mode & 0o7777).toBe(mode)
  })
})

describe('the git directory that programs see (needs a sandbox)', () => {
  needs('sandbox')

  it('has no credentials, and git works', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    const config = [
      `[remote "origin"]\n\turl = https://user:${secret}@example.org/x.git?token=${secret}`,
      `[http]\n\textraHeader = Authorization: ${secret}`,
      `[credential]\n\thelper = "!echo ${secret}"`,
      `[url "https://${secret}@h/"]\n\tinsteadOf = https://h/`,
      '[include]\n\tpath = other',
    ].join('\n')
    fs.appendFileSync(path.join(root, '.git/config'), `${config}\n`)
    fill(root, {
      '.git/other': secret,
      '.git/FETCH_HEAD': `0000 branch of https://${secret}@h/x\n`,
      '.git/logs/HEAD': secret,
      '.git/config.worktree': secret,
    })
    const said = await bash(
      root,
      'grep -r CANARY .git; cat .git/config; git remote -v; git log --oneline; git status --short; touch .git/hooks/x; git config -l',
    )
    expect(said).not.toContain(secret)
    expect(said).toContain('https://example.org/x.git')
    expect(said).toContain('first')
    expect(said).toContain('Read-only file system')
  })

  it.each(['the index', 'HEAD'])('is not there where %s has a blocked file, unless the user says so', async (where) => {
    const root = repository({ 'a.txt': 'a\n', ...(where === 'HEAD' ? { '.env': secret } : {}) })
    fill(root, { '.env': secret })
    if (where === 'HEAD') git(root, 'rm', '-q', '--cached', '.env')
    else git(root, 'add', '-f', '.env')
    const code = 'git show HEAD:.env; git show :.env; git stash show -p; grep -rac x .git/objects; git status'
    const said = await bash(root, code)
    expect(said).not.toContain(secret)
    expect(said).toMatch(
      /not a git repository: \/\(hidden from programs, because this repository tracks the blocked file/,
    )
    expect(await bash(root, code, { execGit: 'full' })).toContain(secret)
    // Once it is no longer tracked, the repository is back.
    git(root, 'rm', '-q', '--cached', '--ignore-unmatch', '.env')
    git(root, 'commit', '-q', '--allow-empty', '-m', 'second')
    expect(await bash(root, 'git log --oneline')).toContain('second')
  })

  it('is not there where git cannot list what is tracked', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    fill(root, { '.env': secret })
    git(root, 'add', '-f', '.env')
    const index = path.join(root, '.git/index')
    const whole = fs.readFileSync(index)
    fs.writeFileSync(index, Buffer.concat([Buffer.from('DAMAGED!'), whole.subarray(8)]))
    const code = `git cat-file --batch --batch-all-objects; echo; git log --oneline`
    const said = await bash(root, code)
    expect(said).not.toContain(secret)
    expect(said).toContain('hidden from programs, because git could not list what this repository tracks')
    fs.writeFileSync(index, whole)
    git(root, 'rm', '-q', '--cached', '.env')
    expect(await bash(root, code)).toContain('first')
  })

  it('is as it is in a repository without a commit, and in a directory of that name', async () => {
    const root = scratchDir({ 'a.txt': 'a\n', 'inner/.git/note': 'plain\n' })
    git(root, 'init', '-q')
    expect(await bash(root, 'git status --short; ls inner/.git')).toMatch(/\?\? a\.txt/)
  })

  it('has none in repositories and submodules inside either', async () => {
    const inner = repository({ 'i.txt': 'i\n' })
    const root = repository({ 'a.txt': 'a\n' })
    git(root, 'submodule', '--quiet', 'add', inner, 'sub')
    git(root, 'commit', '-qm', 'sub')
    git(path.join(root), 'clone', '-q', inner, 'node_modules/dep')
    for (const config of ['.git/modules/sub/config', 'node_modules/dep/.git/config'])
      fs.appendFileSync(path.join(root, config), `[remote "x"]\n\turl = https://u:${secret}@h/x\n`)
    const said = await bash(
      root,
      'grep -r CANARY .; git -C sub log --oneline; git status --short; git -C node_modules/dep remote -v',
    )
    expect(said).not.toContain(secret)
    expect(said).toContain('https://h/x')
    expect(said).toContain('first')
  })

  it('is not there for a submodule that tracks a blocked file, checked out or not', async () => {
    const inner = repository({ 'i.txt': 'i\n', '.env': secret })
    const root = repository({ 'a.txt': 'a\n' })
    git(root, 'submodule', '--quiet', 'add', '--name', 'group/one', inner, 'sub')
    git(root, 'commit', '-qm', 'sub')
    const code =
      'git -C sub show HEAD:.env; git --git-dir=.git/modules/group/one show HEAD:.env; git log --oneline -- a.txt'
    expect(await bash(root, code, { execGit: 'full' })).toContain(secret)
    const said = await bash(root, code)
    expect(said).not.toContain(secret)
    expect(said).toContain('first')
    git(root, 'submodule', '--quiet', 'deinit', '-f', 'sub')
    expect(await bash(root, code)).not.toContain(secret)
  })

  it('gets no blocked file by a second name of it, when clada saves what was not committed', async () => {
    const root = repository({ 'a.txt': 'a\n', '.gitignore': '.env\n' })
    fill(root, { '.env': secret, 'other.txt': 'other\n' })
    fs.linkSync(path.join(root, '.env'), path.join(root, 'second.txt'))
    fs.linkSync(path.join(root, 'other.txt'), path.join(root, 'twin.txt'))
    const said = await bash(root, 'git log -p --all; ls .git/objects/*', { git: 'commit' })
    expect(said).not.toContain(secret)
    expect(said).toContain('b/twin.txt')
  })

  it('has no part of a password with an @ in it', async () => {
    const root = repository({ 'a.txt': 'a\n' })
    fs.appendFileSync(path.join(root, '.git/config'), `[remote "x"]\n\turl = https://u:p@${secret}@h.example/x\n`)
    const said = await bash(root, 'git remote -v')
    expect(said).not.toContain(secret)
    expect(said).toContain('https://h.example/x')
  })
})
