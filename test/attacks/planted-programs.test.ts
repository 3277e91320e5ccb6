import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { candidates, ownProgram, takeNoProgramsFrom, startProgram } from '../../packages/clada/src/process/programs.ts'
import { clada } from '../support/cli.ts'
import { scratchDir } from '../support/scratch.ts'
import { block } from '../workspace/blocks.ts'
import { skipWithout } from '../support/needs.ts'

/** All that clada starts by itself, with whatever lies beside it that those start in turn. */
const names =
  'git rg perl bwrap unshare mount prlimit xdg-open open less xclip xsel wl-copy wl-paste sh env bash cat node python3 ruby'

/** A project with programs of these names, and a PATH that leads to them in every way there is. */
function planted(): { root: string; PATH: string; ran: () => string[] } {
  const root = scratchDir({ 'a.txt': 'one\n', 'node_modules/.bin/x': '' })
  const outside = scratchDir()
  const bin = path.join(root, 'node_modules/.bin')
  for (const name of names.split(' ')) {
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n/bin/echo "$0 $*" >> ${outside}/ran\nexit 1\n`, { mode: 0o755 })
    fs.symlinkSync(path.join(bin, name), path.join(outside, name))
  }
  const linked = path.join(scratchDir(), 'bin')
  fs.symlinkSync(bin, linked)
  const git = (...args: string[]): unknown => execFileSync('/usr/bin/git', args, { cwd: root })
  git('init', '-q')
  git('config', 'user.name', 'a')
  git('config', 'user.email', 'a@b')
  git('add', 'a.txt')
  git('commit', '-q', '-m', 'one')
  return {
    root,
    PATH: ['', '.', './node_modules/.bin', 'node_modules/.bin', bin, linked, outside, '/usr/bin', '/bin'].join(':'),
    ran: () => (fs.existsSync(`${outside}/ran`) ? fs.readFileSync(`${outside}/ran`, 'utf8').trim().split('\n') : []),
  }
}

describe.skipIf(process.platform === 'win32')('a program planted in the project', () => {
  it('runs in no command of clada', { timeout: 60_000 }, (context) => {
    skipWithout(context, 'sandbox', 'python3', 'ruby', 'xclip')
    const { root, PATH, ran } = planted()
    const document = [
      block('file_write', { path: 'a.txt', content: 'two\n' }),
      block('grep', { pattern: 'two', path: '.' }),
      block('run', { command: 'git status' }),
      block('exec', { lang: 'bash', code: 'echo inside' }),
    ].join('\n')
    const env = { PATH, DISPLAY: ':99', PAGER: 'less' }
    const outputs = [
      clada(['run', '--json'], { cwd: root, env, input: document }),
      ...[
        ['history'],
        ['undo'],
        ['redo'],
        ['undo', '--force'],
        ['back'],
        ['forward'],
        ['squash', '--auto'],
        ['doctor'],
        ['outline', 'a.txt'],
        ['prompt'],
      ].map((args) => clada(args, { cwd: root, env })),
    ]
    expect(ran()).toEqual([])
    // They did run, with the programs of the system.
    expect(outputs[0]?.stdout).toContain('On branch')
    expect(outputs.map(({ stdout, stderr }) => stdout + stderr).join()).not.toMatch(/not installed|ENOENT/)
  })

  it('is not what a name or a path means, whichever link leads to it', async () => {
    const { root, PATH, ran } = planted()
    takeNoProgramsFrom([fs.realpathSync(root)])
    const dirs = PATH.split(':')
    expect(ownProgram('git', dirs)).toBe(fs.realpathSync('/usr/bin/git'))
    expect(ownProgram('xdg-open', dirs.slice(0, -2))).toBeUndefined()
    for (const name of [
      'git',
      'node_modules/.bin/git',
      './git',
      path.join(root, 'node_modules/.bin/git'),
      path.join(dirs[6] ?? '', 'git'),
    ]) {
      const child = startProgram(name, ['--version'], {
        cwd: root,
        env: { PATH: dirs.slice(0, -2).join(':') },
        stdio: 'ignore',
      })
      await new Promise((done) => child.on('error', done).on('close', done))
    }
    expect(ran()).toEqual([])
  })
})

describe('the files that a name may mean', () => {
  it('are in absolute directories only', () => {
    expect(candidates('git', ['', '.', 'bin', '/usr/bin', '/opt/x'], platformOf('linux'))).toEqual([
      '/usr/bin/git',
      '/opt/x/git',
    ])
    for (const name of ['', './git', '../git', '/git'])
      expect(candidates(name, ['/usr/bin'], platformOf('linux'))).toEqual([])
  })

  it('have the extensions of programs on Windows, and none of its shell', () => {
    const dirs = ['', '.', 'bin', '\\bin', 'C:bin', 'C:\\bin', 'd:/bin', '\\\\server\\share']
    const pathext = '.COM;.EXE;.BAT;.CMD;.JS'
    expect(candidates('git', dirs, platformOf('win32'), pathext)).toEqual([
      'C:\\bin\\git.com',
      'C:\\bin\\git.exe',
      'd:\\bin\\git.com',
      'd:\\bin\\git.exe',
      '\\\\server\\share\\git.com',
      '\\\\server\\share\\git.exe',
    ])
    expect(candidates('git.EXE', ['C:\\bin'], platformOf('win32'), pathext)).toEqual(['C:\\bin\\git.EXE'])
    for (const name of ['', '.\\git', 'C:git', 'a/git'])
      expect(candidates(name, ['C:\\bin'], platformOf('win32'))).toEqual([])
  })
})
