import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { scratchDir } from '../support/scratch.ts'

const cli = path.join(inject('dist'), 'cli.cjs')

describe.skipIf(process.platform === 'win32')('what a command used, and what V8 made of it', () => {
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

  it('is one file, which the third start leaves as it is', () => {
    const home = scratchDir({})
    const dir = path.join(home, kept)
    const packs = [1, 2, 3].map(() => {
      started(home, '--version')
      const files = fs.readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      return files.map(({ parentPath, name }) => fs.readFileSync(path.join(parentPath, name)))
    })
    const [first, second, third] = packs.map(([pack]) => pack?.length ?? 0)
    expect(packs.map(({ length }) => length)).toEqual([1, 1, 1])
    // The text of the parts first, then with the code of what was called.
    expect(second).toBeGreaterThan(first ?? 0)
    expect(third).toBe(second)
    expect(packs[2]).toEqual(packs[1])
  })

  it.each([
    ['cut off', (pack: Buffer) => pack.subarray(0, 1000)],
    ['empty', () => Buffer.alloc(0)],
    ['of no code', (pack: Buffer) => pack.fill(7)],
  ])('does no harm where it is %s', (_, damaged) => {
    const home = scratchDir({})
    const dir = path.join(home, kept)
    const version = started(home, '--version')
    started(home, '--version')
    const [build = ''] = fs.readdirSync(dir)
    const file = path.join(dir, build, 'run')
    const whole = fs.readFileSync(file)
    fs.writeFileSync(file, damaged(Buffer.from(whole)))
    expect([1, 2].map(() => started(home, '--version'))).toEqual([version, version])
    // The text, after its length. How much code V8 keeps differs by some bytes from start to start.
    const textOf = (pack: Buffer): string => pack.toString('latin1', 0, 16 + Number(pack.toString('latin1', 0, 16)))
    const now = fs.readFileSync(file)
    expect(textOf(now)).toBe(textOf(whole))
    expect(now.length).toBeGreaterThan(textOf(now).length)
  })
})
