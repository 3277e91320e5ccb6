import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Approvals } from '../../packages/clada/src/approvals/approvals.ts'
import { approvalLine } from '../../packages/clada/src/approvals/approval-line.ts'
import type { CladaOptions, ExecutionResult } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { lacks } from '../support/needs.ts'
import { type Call, execute, git, repository } from '../history/world.ts'

const files = { 'a.txt': 'one\n', 'package.json': '{}\n' }
const edit: Call = ['file_write', { path: 'a.txt', content: 'two\n' }]
const fresh: Call = ['file_write', { path: 'new dir/b.txt', content: 'b\n' }]

function withHooks(scripts: Readonly<Record<string, string>>, dir = '.git/hooks'): string {
  const root = repository(files)
  fs.mkdirSync(path.join(root, dir), { recursive: true })
  for (const [name, text] of Object.entries(scripts))
    fs.writeFileSync(path.join(root, dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return root
}

function approve(root: string, ...names: string[]): void {
  for (const name of names) new Approvals(root).add(approvalLine(['git', 'hook', 'run', name], ''))
}

const run = (root: string, calls: readonly Call[] = [edit], options: CladaOptions = {}): Promise<ExecutionResult> =>
  execute(root, 'commit', calls, { gitHooks: 'run', ...options })

const ofHooks = (result: ExecutionResult): string[] =>
  (result.warnings ?? []).filter((one) => one.startsWith('the hook'))

describe.skipIf(lacks('sandbox'))('git.hooks: run', () => {
  it('names a hook that fails, with its output, and makes the commit', async () => {
    const root = withHooks({ 'pre-commit': 'git diff --cached --name-only; echo bad >&2; exit 3' })
    approve(root, 'pre-commit')
    const result = await run(root, [edit, fresh])
    expect(ofHooks(result)).toEqual([
      'the hook pre-commit failed with exit code 3; the commit was made all the same:\na.txt\nnew dir/b.txt\nbad',
    ])
    expect(result.success).toBe(true)
    expect(git(root, 'log', '-1', '--format=%s')).toMatch(/^AI: /)
    expect(git(root, 'status', '--porcelain', '--', ':!.clada')).toBe('')
  })

  it('gives commit-msg the message of the commit', async () => {
    const root = withHooks({ 'commit-msg': 'head -n 1 "$1"; ! grep -q "^AI: " "$1"' })
    approve(root, 'commit-msg')
    const subject = 'AI: edit a.txt'
    expect(ofHooks(await run(root))).toEqual([
      `the hook commit-msg failed with exit code 1; the commit was made all the same:\n${subject}`,
    ])
    expect(git(root, 'log', '-1', '--format=%s')).toBe(`${subject}\n`)
  })

  it('keeps nothing that a hook writes, and says so', async () => {
    const root = withHooks({
      'pre-commit':
        'echo three > a.txt; echo x > planted.txt; git add a.txt planted.txt; echo x > .git/hooks/post-commit; git tag evil',
    })
    approve(root, 'pre-commit')
    expect(ofHooks(await run(root))).toEqual([
      'the hook pre-commit changed a.txt, planted.txt; clada does not keep that',
    ])
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('two\n')
    expect(git(root, 'show', 'HEAD:a.txt')).toBe('two\n')
    expect(git(root, 'status', '--porcelain', '--', ':!.clada')).toBe('')
    expect(git(root, 'tag')).toBe('')
    expect(fs.existsSync(path.join(root, '.git/hooks/post-commit'))).toBe(false)
  })

  it('has no network, no blocked file and none of the state', async () => {
    const root = withHooks({
      'pre-commit': 'cat .env; ls .git/clada; grep -c : /proc/net/dev; exit 1',
    })
    fs.writeFileSync(path.join(root, '.env'), 'SECRET=1\n')
    approve(root, 'pre-commit')
    const [said = ''] = ofHooks(await run(root))
    expect(said).toContain('failed with exit code 1')
    expect(said).not.toContain('SECRET')
    // The loopback device only.
    expect(said).toMatch(/^1$/m)
  })

  it('runs no hook that is not approved, or was changed since', async () => {
    const root = withHooks({ 'pre-commit': 'exit 1' })
    const allow = 'Allow it with: clada approve "git hook run pre-commit"'
    expect(ofHooks(await run(root))).toEqual([`the hook pre-commit did not run: it is not approved. ${allow}`])
    approve(root, 'pre-commit')
    fs.appendFileSync(path.join(root, '.git/hooks/pre-commit'), '# changed\n')
    expect(ofHooks(await run(root, [fresh]))).toEqual([
      `the hook pre-commit did not run: what it runs has changed since it was approved. ${allow}`,
    ])
  })

  it('finds them by core.hooksPath, as git does', async () => {
    const root = withHooks({ 'pre-commit': 'echo here; exit 1' }, 'tools/hooks')
    git(root, 'config', 'core.hooksPath', 'tools/hooks')
    approve(root, 'pre-commit')
    expect(ofHooks(await run(root))).toEqual([
      'the hook pre-commit failed with exit code 1; the commit was made all the same:\nhere',
    ])
  })

  it('finds those of the user, outside the project', async () => {
    const root = withHooks({})
    const dir = scratchDir()
    fs.writeFileSync(path.join(dir, 'pre-commit'), '#!/bin/sh\necho mine; exit 1\n', { mode: 0o755 })
    git(root, 'config', 'core.hooksPath', dir)
    approve(root, 'pre-commit')
    expect(ofHooks(await run(root))).toEqual([
      'the hook pre-commit failed with exit code 1; the commit was made all the same:\nmine',
    ])
  })

  it('runs none outside the sandbox', async () => {
    const root = withHooks({ 'pre-commit': 'touch ran; exit 1' })
    approve(root, 'pre-commit')
    expect(ofHooks(await run(root, [edit], { exec: 'unsandboxed' }))).toEqual([
      'the hook pre-commit did not run: the sandbox is off or missing here (see clada doctor)',
    ])
    expect(fs.existsSync(path.join(root, 'ran'))).toBe(false)
  })

  it('is silent about hooks that agree, that are not programs, and without the option', async () => {
    const root = withHooks({ 'pre-commit': 'exit 0', 'commit-msg': 'exit 1' })
    fs.chmodSync(path.join(root, '.git/hooks/commit-msg'), 0o644)
    approve(root, 'pre-commit')
    expect(ofHooks(await run(root))).toEqual([])
    fs.writeFileSync(path.join(root, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n')
    approve(root, 'pre-commit')
    expect(ofHooks(await run(root, [fresh], { gitHooks: 'off' }))).toEqual([])
  })
})
