import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { scratchDir } from '../support/scratch.ts'

const cli = path.join(inject('dist'), 'cli.cjs')

describe.skipIf(process.platform === 'win32')('what V8 made of the command line', () => {
  /** Whoever writes there decides what the next start runs. */
  const started = (home: string, ...args: string[]): string => {
    const env = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: path.join(home, 'cache') }
    return execFileSync(process.execPath, [cli, ...args], { cwd: home, env, stdio: 'pipe', encoding: 'utf8' })
  }
  const kept = '.local/state/clada/code'

  it("lies in the user's state, which is closed to documents and to code, and only the user can enter it", () => {
    const home = scratchDir({})
    started(home, '--version')
    expect(fs.readdirSync(home)).toEqual(['.local'])
    expect(fs.readdirSync(path.join(home, kept))).not.toEqual([])
    expect(fs.statSync(path.join(home, kept)).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['a link', (place: string, elsewhere: string) => fs.symlinkSync(elsewhere, place)],
    [
      'open to others',
      (place: string) => {
        fs.mkdirSync(place)
        fs.chmodSync(place, 0o770)
      },
    ],
  ])('is neither read nor written where its directory is %s', (_, make) => {
    const home = scratchDir({ '.local/state/clada/x': '', 'elsewhere/x': '' })
    make(path.join(home, kept), path.join(home, 'elsewhere'))
    started(home, '--version')
    expect(fs.readdirSync(path.join(home, kept)).filter((name) => name !== 'x')).toEqual([])
  })
})
