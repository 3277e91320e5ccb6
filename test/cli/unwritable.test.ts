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
  return { cwd, call: (...args: string[]) => clada(args, write, { cwd }) }
}

describe('a command that the system refuses to do', () => {
  it('says what it cannot write to, and approves nothing by half', () => {
    const { cwd, call } = foreignProject()
    const { status, stderr } = call('approve', 'true')
    expect(stderr).toBe(`clada: permission denied, mkdir '${cwd}/.clada' (EACCES). Change the permissions.\n`)
    expect(status).toBe(1)
    expect(call('approvals').stdout).not.toContain('true')
    const file = path.join(cwd, 'clada_input.md')
    expect(call('watch')).toMatchObject({
      status: 1,
      stderr: `clada: permission denied, open '${file}' (EACCES). Change the permissions.\n`,
    })
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
