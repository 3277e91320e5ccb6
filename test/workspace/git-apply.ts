import { execFileSync } from 'node:child_process'
import os from 'node:os'

/** Applies a diff with the real git, in a directory that is no repository, with nobody's configuration. */
export function gitApply(dir: string, diff: string): void {
  if (diff === '') return
  execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', '--whitespace=nowarn', '-'], {
    cwd: dir,
    input: diff,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      GIT_CEILING_DIRECTORIES: os.tmpdir(),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
    },
  })
}
