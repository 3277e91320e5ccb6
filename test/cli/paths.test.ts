import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'

/** Paths in the project are told as they are in it, others whole. */
describe('paths that people are told', () => {
  const place = () => {
    const root = scratchDir({ 'src/a.txt': 'a\n' })
    const env = { HOME: scratchDir(), XDG_CONFIG_HOME: scratchDir(), XDG_STATE_HOME: scratchDir() }
    return { root, run: (...args: string[]) => clada(args, { cwd: root, env }) }
  }

  it('of the config file', () => {
    const { root, run } = place()
    expect(run('init').stdout).toMatch(`clada.yml written in ${root}: `)
    fs.writeFileSync(path.join(root, 'clada.yml'), 'exec: unsandboxed\nlimits:\n  file_bytes: 1m\n')
    expect(run('config', 'limits').stdout).toContain('limits.file_bytes     1m  (clada.yml:3)')
    expect(run('config').stdout).toContain('! unsandboxed of clada.yml:1 is ignored')
    expect(JSON.parse(run('config', 'limits', '--json').stdout)['limits.file_bytes'].file).toBe(`${root}/clada.yml`)
    expect(run('doctor').stdout).toContain('config       clada.yml (not trusted')
    expect(run('trust').stdout).toMatch(/^clada\.yml asks for more than you allow:/)
  })

  it('of the working set', () => {
    const { root, run } = place()
    const outside = scratchDir({ 'b.txt': 'b\n' })
    expect(run('context', 'add', `${root}/src/a.txt`).stdout).toBe('src/a.txt (1 token) added\n')
    expect(run('context', 'add', `${outside}/b.txt`, '--allow', outside).stdout).toBe(
      `${outside}/b.txt (1 token) added\n`,
    )
    expect(run('context', 'list', '--allow', outside).stdout.split('\n').sort()).toEqual(
      ['', `${outside}/b.txt  2 bytes, 1 token`, '2 entries, 2 tokens', 'src/a.txt  2 bytes, 1 token'].sort(),
    )
    expect(run('context', 'print', '--allow', outside).stderr).toContain('src/a.txt  ')
    fs.rmSync(`${root}/src/a.txt`)
    expect(run('context', 'prune', '--allow', outside).stdout).toContain('removed:\nsrc/a.txt\n')
  })

  it('of a diff, which git must not take for another file', () => {
    const { root } = place()
    const outside = scratchDir({ 'a.txt': 'theirs\n' })
    fs.writeFileSync(path.join(root, 'a.txt'), 'theirs\n')
    const write = (file: string): string => `<---WRITE file="${file}"--->\nnew\n<---END--->\n`
    const input = write(`${outside}/a.txt`) + write(`${root}/src/a.txt`)
    const { stdout } = clada(['diff', '--allow', outside], { cwd: root, input })
    expect(new Set(stdout.match(/^diff .*/gm))).toEqual(
      new Set(['diff --git a/src/a.txt b/src/a.txt', `diff --git a${outside}/a.txt b${outside}/a.txt`]),
    )
    const json = JSON.parse(clada(['diff', '--allow', outside, '--json'], { cwd: root, input }).stdout)
    expect(json.diffs.map((one: { path: string }) => one.path).sort()).toEqual([`${outside}/a.txt`, 'src/a.txt'])
    const apply = (): unknown => execFileSync('git', ['apply'], { cwd: root, input: stdout, stdio: 'pipe' })
    expect(apply).toThrow()
    expect(fs.readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('theirs\n')
  })
})
