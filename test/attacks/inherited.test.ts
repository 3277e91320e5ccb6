import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { cladaCall } from '../support/cli.ts'

describe.skipIf(process.platform !== 'linux')('what whoever starts clada left open', () => {
  needs('sandbox')

  it.each([
    ['code in the sandbox', ['do', 'exec', 'lang=bash']],
    ['code without one', ['do', 'exec', 'lang=bash', '--exec', 'unsandboxed']],
  ])('is not there for %s', (_, words) => {
    const base = scratchDir({ 'proj/a.txt': 'a\n', 'secret.txt': 'CANARY\n' })
    const dir = fs.openSync(base, 'r')
    const file = fs.openSync(path.join(base, 'secret.txt'), 'r')
    const code = 'cat /proc/self/fd/200/secret.txt; cat <&210; echo x > /proc/self/fd/200/planted; echo over'
    const stdio = Array.from({ length: 211 }, (_none, at) =>
      at === 200 ? dir : at === 210 ? file : at === 1 || at === 2 ? ('pipe' as const) : ('ignore' as const),
    )
    const { stdout, stderr } = spawnSync(...cladaCall(...words, `code=${code}`, '--no-git'), {
      cwd: path.join(base, 'proj'),
      stdio,
      encoding: 'utf8',
    })
    fs.closeSync(dir)
    fs.closeSync(file)
    expect(stdout).toContain('over')
    expect(stdout + stderr).not.toContain('CANARY')
    expect(Object.keys(filesIn(base)).filter((name) => !name.startsWith('proj/'))).toEqual(['secret.txt'])
  })
})
