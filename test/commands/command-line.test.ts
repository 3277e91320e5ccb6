import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { fill, scratchDir } from '../support/scratch.ts'
import { skipWithout } from '../support/needs.ts'
import { cladaCall } from '../support/cli.ts'

/** A user with a state directory of their own, in a project. */
function user(files: Record<string, string> = {}): {
  root: string
  clada: (args: string[], input?: string) => { status: number | null; stdout: string; stderr: string }
} {
  const root = scratchDir(files)
  const env = { ...process.env, XDG_STATE_HOME: scratchDir(), CI: '1' }
  return {
    root,
    clada: (args, input = '') => {
      const { status, stdout, stderr } = spawnSync(...cladaCall(...args), {
        cwd: root,
        env,
        input,
        encoding: 'utf8',
      })
      return { status, stdout, stderr }
    },
  }
}

const run = (command: string): string => `<---RUN--->\n${command}\n<---END--->\n`

describe('the command line', () => {
  it('refuses, is told, and runs', (context) => {
    skipWithout(context, 'sandbox')
    const { clada } = user({ 'package.json': '{"scripts":{"test":"echo it works"}}' })
    const refused = clada(['--no-git', '--error-detail', 'full'], run('npm test'))
    expect(refused).toMatchObject({ status: 1, stdout: expect.stringContaining('clada approve "npm test".') })
    expect(clada(['approve', 'npm test'])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/npm test\nWhatever this runs, it runs .*, with no network\.\n$/),
    })
    expect(clada(['approvals'])).toMatchObject({ status: 0, stdout: 'npm test  approved, whatever it runs\n' })
    expect(clada(['--no-git'], run('npm test'))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\[task-1:exec\] it works$/m),
    })
    expect(clada(['approvals', 'remove', 'npm test'])).toMatchObject({ status: 0 })
    expect(clada(['--no-git'], run('npm test'))).toMatchObject({ status: 1 })
  })

  it('shows what a project brings, and does not take it over without a person', () => {
    const { clada } = user({ '.clada/allowed-commands.json': '{"commands":["make all","x\\u001b[2K"],"added":{}}' })
    const answer = clada(['trust'])
    expect(answer).toMatchObject({ status: 1, stdout: expect.stringContaining('make all') })
    expect(answer.stdout).not.toContain('\u001b')
    expect(clada(['approvals']).stdout).toContain('listed by the project, not approved by you')
  })

  it('takes approvals for one run', () => {
    const { root, clada } = user()
    fill(root, { '.clada/allowed-commands.json': '{"commands":["echo b"],"added":{}}' })
    expect(clada(['--no-git', '--approve', 'echo a'], run('echo a')).status).toBe(0)
    expect(clada(['--no-git'], run('echo b')).status).toBe(1)
    expect(clada(['--no-git', '--trust-approvals'], run('echo b')).status).toBe(0)
  })

  it('shows what each approval allows', () => {
    const { root, clada } = user({ Makefile: 'test:\n' })
    const flags = ['--args', '--network', '--reads', '.env', '--env', 'DATABASE_URL', '--timeout', '5m']
    const given = 'with any further arguments, with network, reads .env, sees DATABASE_URL, up to 300 s'
    const words = `${given}, until one of these files changes: Makefile`
    expect(clada(['approve', ...flags, 'make test']).stdout).toContain(`make test *, ${words}\n`)
    expect(clada(['approvals']).stdout).toBe(`make test *  approved, whatever it runs, ${words}\n`)
    expect(JSON.parse(clada(['approvals', '--json']).stdout)).toMatchObject([
      { command: 'make test *', state: 'approved', kind: 'wide', env: ['DATABASE_URL'], bound: 'Makefile' },
    ])
    fill(root, { Makefile: 'test:\n\ttrue\n' })
    expect(clada(['approvals']).stdout).toContain('files that could decide what it runs have changed')
    expect(clada(['approve', '--env', 'A=1', 'make']).status).toBe(2)
    expect(clada(['approve', 'npm install']).stdout).toContain('clada approve --network lets it')
    expect(clada(['approve', '--reads', '../x', 'make']).status).toBe(2)
    expect(clada(['--no-git', '--approve-network', 'echo a'], run('echo a')).status).toBe(0)
  })

  it('says what cannot be approved', () => {
    const { clada } = user()
    expect(clada(['approve', 'a | b'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('| is a shell operator'),
    })
    expect(clada(['approve', 'git -c a=b push'])).toMatchObject({ status: 2 })
    expect(clada(['approve', 'npx *'])).toMatchObject({ status: 2, stderr: expect.stringContaining('every program') })
    expect(clada(['approve', 'ls -l'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('needs no approval'),
    })
    expect(clada(['approve'])).toMatchObject({ status: 2 })
  })

  it('hides the output of programs when told', () => {
    const { clada } = user()
    expect(clada(['--no-git', '--output-mode', 'silent'], run('pwd')).stdout).toBe('[task-1] SUCCESS: RUN - pwd\n')
    expect(clada(['--no-git', '--output-mode', 'loud'], run('pwd')).status).toBe(2)
  })

  it('says in a diff what would be run', () => {
    const { clada } = user({ 'a.txt': 'x\n' })
    const { status, stdout, stderr } = clada(['diff', '--no-git'], run('mv a.txt b.txt') + run('git status'))
    expect(status).toBe(0)
    expect(stdout).toContain('b.txt')
    expect(stderr).toBe('[task-2] would run: git status (not run in a preview; it only looks, and changes nothing)\n')
  })

  it('switches code off', () => {
    const { clada } = user()
    const answer = clada(['do', 'exec', 'lang=bash', 'code=echo hi', '--exec', 'off', '--no-git'])
    expect(answer).toMatchObject({ status: 1, stdout: expect.stringContaining('switched off') })
  })

  it('keeps the first and the last part of a flood', (context) => {
    skipWithout(context, 'sandbox')
    const { clada } = user()
    const { stdout } = clada([
      'do',
      'exec',
      'lang=bash',
      'code=seq 1 100000',
      '--max-output',
      '1k',
      '--no-git',
      '--json',
    ])
    const [result] = (JSON.parse(stdout) as { results: { data: { stdout: string } }[] }).results
    expect(result?.data.stdout).toMatch(
      /^1\n2\n[^]*\n\[output truncated\] lines \d+-\d+ of 100000 not shown\n[^]*\n100000\n$/,
    )
    expect(result?.data.stdout.length).toBeLessThan(1100)
  })

  it('says what is there', () => {
    const { clada } = user()
    const { stdout } = clada(['doctor', '--json'])
    const findings = JSON.parse(stdout) as { name: string; ok: boolean; found: string }[]
    // What begins with a + is a part of the one before.
    expect(findings.map(({ name }) => name).filter((name) => !name.startsWith('+'))).toEqual([
      'project',
      'sandbox',
      'python3',
      'node',
      'bash',
      'ruby',
      'git',
      'repository',
      'saving',
      'clipboard',
      'approvals',
      'config',
    ])
    if (process.platform === 'linux') expect(findings[1]?.found).toMatch(/bubblewrap/)
  })
})
