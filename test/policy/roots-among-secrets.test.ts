import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { settingsOf } from '../../packages/clada/src/config/settings.ts'
import { SettingsError } from '../../packages/clada/src/core/settings.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { defaultDeniedPatterns, secretDirectories } from '../../packages/clada/src/policy/secret-files.ts'
import { needs } from '../support/needs.ts'
import { scratchDir } from '../support/scratch.ts'

const secret = 'CANARY-3e90'

/** Secrets whose names begin with directories, and a root that is one of these directories. */
const places: readonly (readonly [root: string, file: string])[] = [
  ['.config', 'gh/hosts.yml'],
  ['.config', 'git/credentials'],
  ['.config', 'gcloud/access_tokens.db'],
  ['.config', 'github-copilot/apps.json'],
  ['home/.config/gh', 'hosts.yml'],
  ['.docker', 'config.json'],
  ['.kube', 'config'],
  ['.aws', 'credentials'],
  ['.aws', 'sso/cache/token'],
  ['.Cargo', 'credentials.toml'],
  ['.m2', 'settings.xml'],
  ['.local/share', 'opencode/auth.json'],
]

const makePlace = (dir: string, file: string): string => path.join(scratchDir({ [`${dir}/${file}`]: secret }), dir)

describe.each(places)('a root %s with %s', (dir, file) => {
  it('shows nothing of it', async () => {
    const root = makePlace(dir, file)
    const clada = new Clada({ repoPath: root, git: 'off' })
    const asked = [
      ['file_read', { path: file }],
      ['files_read', { paths: '**/*' }],
      ['grep', { pattern: 'CANARY', path: '.' }],
      ['file_copy', { old_path: file, new_path: 'copy' }],
      ['file_move', { old_path: file, new_path: 'moved' }],
      ['run', { command: `cat ${file}` }],
      ['run', { command: 'grep -r CANARY .' }],
    ] as const
    for (const [action, params] of asked)
      expect(JSON.stringify((await clada.perform(action, params)).results[0]?.data ?? '')).not.toContain(secret)
    expect(fs.readFileSync(path.join(root, file), 'utf8')).toBe(secret)
    expect(fs.existsSync(path.join(root, 'copy'))).toBe(false)
  })

  it('is blocked as a further root too', async () => {
    const further = makePlace(dir, file)
    const clada = new Clada({ repoPath: scratchDir(), allowedRoots: [further], git: 'off' })
    const { results } = await clada.perform('file_read', { path: path.join(further, file) })
    expect(results).toMatchObject([{ success: false, code: 'path_denied' }])
  })
})

describe('a repository in ~/.config', () => {
  needs('sandbox')

  it('keeps its secrets from programs, from git, and out of commits', async () => {
    const root = makePlace('.config', 'gh/hosts.yml')
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@example.org', ...args], {
        cwd: root,
        encoding: 'utf8',
      })
    git('init', '-q')
    const clada = new Clada({ repoPath: root })
    const cat = { lang: 'bash', code: 'cat gh/hosts.yml; cp -r gh other; cat other/*' }
    expect(JSON.stringify(await clada.perform('exec', cat))).not.toContain(secret)
    await clada.perform('file_write', { path: 'init.lua', content: 'x' })
    expect(git('ls-tree', '-r', '--name-only', 'HEAD').stdout).toBe('init.lua\n')
    git('add', 'gh')
    git('commit', '-qm', 'by the user')
    for (const command of ['git show', 'git log -p', 'git diff HEAD~1', 'git show HEAD -- gh'])
      expect(JSON.stringify(await clada.perform('run', { command }))).not.toContain(secret)
  })
})

it.each([
  ['app', 'build/out.js', { deniedPatterns: ['app/build'] }],
  ['.config', 'nvim/init.lua', {}],
  ['.docker', 'compose.yml', {}],
] as const)('a root %s leaves %s open', async (dir, file, options) => {
  const root = makePlace(dir, file)
  const { results } = await new Clada({ repoPath: root, git: 'off', ...options }).perform('file_read', { path: file })
  expect(results).toMatchObject([{ success: true, data: { content: secret } }])
})

describe.each(secretDirectories)('$name', ({ name, what }) => {
  it.each([name, `${name.toUpperCase()}/below`])('is no project: %s', (dir) => {
    const root = makePlace(dir, 'notes.md')
    const refusal = `Refusing to use '${root}': everything in '${name}' is blocked for replies (${what}). If you mean it, add '!${name}' to denied_patterns in your own config.`
    expect(() => settingsOf({ repoPath: root })).toThrow(new SettingsError(refusal))
    expect(() => settingsOf({ repoPath: scratchDir(), allowedRoots: [root] })).toThrow(new SettingsError(refusal))
  })

  it('is one where the user allows it', async () => {
    const deniedPatterns = [...defaultDeniedPatterns, `!${name}`]
    const clada = new Clada({ repoPath: makePlace(name, 'notes.md'), git: 'off', deniedPatterns })
    const { results } = await clada.perform('file_read', { path: 'notes.md' })
    expect(results).toMatchObject([{ success: true, data: { content: secret } }])
  })
})
