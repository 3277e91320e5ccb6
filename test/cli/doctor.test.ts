import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkSwaps } from '../../packages/clada/src/cli/commands/doctor.ts'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { called } from '../support/in-process.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { needs, skipWithout } from '../support/needs.ts'
import { atTerminal, noTerminal } from '../support/terminal.ts'

const env = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
}

function repository(): { root: string; git: (...args: string[]) => string } {
  const root = scratchDir({ 'a.txt': 'a\n', 'src/b.txt': 'b\n' })
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' }).trim()
  git('init', '-q', '-b', 'trunk')
  git('add', '-A')
  git('commit', '-q', '-m', 'one')
  return { root, git }
}

type Finding = { name: string; ok: boolean; found: string; advice?: string; optional?: true }
async function findings(
  cwd: string,
  args: readonly string[] = [],
  more: Record<string, string> = {},
): Promise<Map<string, Finding>> {
  const { stdout } = await called(['doctor', '--json', ...args], {
    cwd,
    env: { XDG_CONFIG_HOME: scratchDir(), ...more },
  })
  return new Map((JSON.parse(stdout) as Finding[]).map((one) => [one.name, one]))
}

describe('clada doctor about git', async () => {
  it('names the repository, the branch and the mode', async () => {
    const { root, git } = repository()
    const found = await findings(root)
    expect(found.get('git')).toMatchObject({ ok: true, found: expect.stringMatching(/^\d+\.\d+\S* \(.*git\)$/) })
    expect(found.get('repository')).toEqual({
      name: 'repository',
      ok: true,
      found: `${root}, branch trunk, commit ${git('rev-parse', 'HEAD').slice(0, 8)}`,
    })
    expect(found.get('saving')?.found).toBe(
      'commit (the default in a repository): each execution that changes files is a commit of clada on trunk',
    )
    const part = await findings(path.join(root, 'src'))
    expect(part.get('project')).toMatchObject({
      found: `${root} (it has .git)`,
      advice: expect.stringContaining('--root .'),
    })
    expect(part.get('repository')?.found).toContain(`${root}, branch trunk`)
  })

  it('says why the mode is another', async () => {
    const { root, git } = repository()
    const saving = async (...args: string[]): Promise<Finding | undefined> => (await findings(root, args)).get('saving')
    expect((await saving('--git', 'shadow'))?.found).toMatch(/^shadow \(--git\)/)
    expect((await saving('--no-git'))?.found).toMatch(/^off \(--no-git\)/)
    expect((await saving('--git-author', 'Ada <ada@example.org>'))?.found).toContain(
      'a commit of Ada <ada@example.org>',
    )
    fill(root, { 'new.txt': 'n\n' })
    git('add', 'new.txt')
    expect((await saving())?.found).toMatch(/^shadow \(changes are staged\)/)
    git('reset', '-q')
    fill(root, { 'clada.yml': 'version: 1\ngit: shadow\n' })
    expect((await saving())?.found).toMatch(/^shadow \(clada\.yml:2\)/)
    fs.rmSync(path.join(root, 'clada.yml'))
    git('checkout', '-q', '--detach')
    expect((await saving())?.found).toContain('on the detached HEAD')
    fs.writeFileSync(path.join(root, '.git/MERGE_HEAD'), '')
    expect(await saving()).toMatchObject({ ok: false, found: 'a merge is in progress, so nothing is executed' })
  })

  it('and without a repository, or without git', async () => {
    const root = scratchDir()
    expect((await findings(root)).get('repository')?.found).toMatch(/^none; checkpoints/)
    expect((await findings(root)).get('saving')?.found).toMatch(/^shadow \(no repository\)/)
    const bare = await findings(root, [], { PATH: scratchDir() })
    expect(bare.get('git')).toMatchObject({ ok: false, optional: true, found: 'not installed' })
    expect(bare.get('saving')?.found).toMatch(/^off \(no git\)/)
    const { root: tracked } = repository()
    expect((await findings(tracked, [], { PATH: scratchDir() })).get('git')).toMatchObject({ ok: false })
    expect(fs.readdirSync(root)).toEqual([])
  })
})

describe.skipIf(process.platform !== 'linux')('clada doctor about the sandbox', async () => {
  needs('sandbox')

  it('names each of its layers, and what is there instead of one that is missing', async () => {
    const found = await findings(scratchDir())
    expect(found.get('+ seccomp')).toMatchObject({ ok: true, found: 'system calls are filtered' })
    for (const name of ['userns', 'tmpfs']) expect(found.get(`+ ${name}`)?.ok).toBeTypeOf('boolean')
    expect(found.get('+ memory')?.found).toMatch(/^(for the whole tree|for each process separately|not here)/)
    expect(found.get('+ processes')?.found).toMatch(/^(for the whole tree|for all processes of the user|not here)/)
  })
})

describe('clada doctor at a terminal', () => {
  it.skipIf(noTerminal)('names what is not approved, and asks nothing', () => {
    const [root, HOME] = [scratchDir(), scratchDir()]
    fill(root, { 'package.json': '{"scripts":{"test":"true"}}' })
    const { output } = atTerminal(['doctor', '--exec', 'off'], 'y\n', { cwd: root, env: { HOME } })
    expect(output).toContain('To let models run the tests: clada approve "npm test"')
    expect(output).not.toContain('Enter')
    expect(atTerminal(['approvals'], '', { cwd: root, env: { HOME } }).output).not.toContain('npm test')
  })
})

describe('clada doctor about languages', () => {
  it('starts each where code would run', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir()
    const { found } = (await findings(root)).get('node') ?? { found: '' }
    expect(found).toMatch(/^\d+\.\d+\.\d+ \(.*node\), starts in the sandbox$/)
    expect(fs.readdirSync(root)).toEqual([])
  })

  it('says why one does not start there', async (context) => {
    skipWithout(context, 'sandbox')
    // Only what lies in known places is there inside.
    const bin = scratchDir({ ruby: '#!/usr/bin/env bash\ncat /etc/hostname-of-nobody >&2 && echo ruby 3.2.1\n' })
    fs.chmodSync(path.join(bin, 'ruby'), 0o755)
    const ruby = (await findings(scratchDir(), [], { PATH: `${bin}:${process.env['PATH']}` })).get('ruby')
    expect(ruby).toMatchObject({ ok: false, optional: true })
    expect(ruby?.found).toContain(`${bin}/ruby does not start in the sandbox: `)
  })

  it('goes by what is set', async () => {
    const root = scratchDir()
    expect((await findings(root, ['--exec', 'off'])).get('node')?.found).toBe('not tried: exec is off')
    expect((await findings(root, ['--exec', 'unsandboxed'])).get('node')?.found).toMatch(
      /runs without a sandbox, as configured$/,
    )
    expect((await findings(root, [], { PATH: scratchDir() })).get('ruby')?.found).toMatch(/^not installed/)
  })
})

it('says where a path can be swapped between its check and its use', async () => {
  expect(checkSwaps(platformOf('linux'))).toEqual([])
  for (const name of ['darwin', 'win32'] as const)
    expect(checkSwaps(platformOf(name))).toMatchObject([{ name: 'paths', ok: false, optional: true }])
})
