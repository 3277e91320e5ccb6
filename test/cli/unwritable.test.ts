import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { ordinaryUser } from '../support/ordinary-user.ts'
import { scratchDir } from '../support/scratch.ts'

const write = '<---WRITE file="a.txt"--->\ntwo\n<---END--->\n'

/** A project that somebody else owns, and clada as a user who may only read it. */
function foreignProject() {
  const clada = ordinaryUser(scratchDir())
  const cwd = scratchDir({ 'a.txt': 'one\n' })
  fs.chmodSync(cwd, 0o555)
  return { cwd, clada, call: (...args: string[]) => clada(args, write, { cwd }) }
}

describe('a command that the system refuses to do', () => {
  it('says what it cannot write to, and approves nothing by half', () => {
    const { cwd, clada, call } = foreignProject()
    const { status, stderr } = call('approve', 'true')
    expect(stderr).toBe(
      `clada: Permission denied: '${cwd}/.clada' (EACCES). Check who owns it, and the permissions of it and its directory.\n`,
    )
    expect(status).toBe(1)
    expect(call('approvals').stdout).not.toContain('true')
    const file = path.join(cwd, 'clada_input.md')
    expect(call('watch')).toMatchObject({
      status: 1,
      stderr: `clada: Permission denied: '${file}' (EACCES). Check who owns it, and the permissions of it and its directory.\n`,
    })
    const doctor = call('doctor')
    expect(doctor).toMatchObject({ status: 1, stdout: expect.stringMatching(/^✗ project .* cannot be written to\n/) })
    expect(doctor.stdout).not.toContain('own state')
    const stateless = clada(['doctor', '--json'], '', { cwd, env: { XDG_STATE_HOME: path.join(cwd, 'state') } })
    expect(JSON.parse(stateless.stdout)).toContainEqual(
      expect.objectContaining({
        name: 'own state',
        found: expect.stringMatching(/^.*state.clada cannot be written to,/),
      }),
    )
  })

  it('says which config it cannot read', () => {
    const cwd = scratchDir({ 'own/clada/config.yml': 'version: 1\n' })
    const file = path.join(cwd, 'own/clada/config.yml')
    const clada = ordinaryUser(cwd)
    fs.chmodSync(file, 0)
    expect(clada(['config'], '', { env: { XDG_CONFIG_HOME: path.join(cwd, 'own') } })).toMatchObject({
      status: 2,
      stderr: `clada: ${file}:1:1: This file cannot be read: permission denied.\n`,
    })
  })

  it('reports once that the repository cannot be written to', () => {
    const cwd = scratchDir()
    execFileSync('git', ['init', '-q', cwd])
    const clada = ordinaryUser(cwd)
    fs.chmodSync(path.join(cwd, '.git/objects'), 0o555)
    const reply = `#!SHAM [@three-char-SHA-256: abc]\naction = "file_write"\npath = "${cwd}/a.txt"\ncontent = "x"\n#!END_SHAM_abc\n`
    const { status, stdout } = clada([], reply)
    expect(status).toBe(1)
    const [results = ''] = stdout.split('=== END ===')
    expect(results.match(/cannot be written/g)).toHaveLength(1)
    const { stdout: found } = clada(['doctor'])
    expect(found).toMatch(/✗ saving +\S+objects cannot be written to, so nothing is executed\n/)
  })

  // Only the superuser can become somebody else.
  it.runIf(process.geteuid?.() === 0)('works for a user id without a home directory', () => {
    const dir = scratchDir({ 'a.txt': 'one\n' })
    const clada = ordinaryUser(dir, 61235)
    const nowhere = { env: { HOME: undefined, XDG_STATE_HOME: undefined } }
    expect(clada(['--no-git'], write, nowhere)).toMatchObject({ status: 0 })
    expect(fs.readFileSync(path.join(dir, 'a.txt'), 'utf8')).toBe('two')
    expect(clada(['undo'], '', nowhere)).toMatchObject({ status: 0, stderr: '' })
    expect(clada(['doctor'], '', nowhere).stdout).toContain('✓ project')
    expect(clada(['approve', 'true'], '', nowhere).stderr).toMatch(
      /^clada: .* Set XDG_STATE_HOME to a directory that can be written to\.\n$/,
    )
  })
})
