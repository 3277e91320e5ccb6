import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CladaOptions, Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'
import { block } from '../workspace/blocks.ts'
import { skipWithout } from '../support/needs.ts'

/** Whoever writes the user's own config decides what clada runs next, in every project and without a sandbox. */
const evil = 'hooks: {before: [{run: "touch PWNED", exec: unsandboxed}]}\n'

function live(home: string): void {
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME']) vi.stubEnv(name, '')
  const spy = vi.spyOn(os, 'homedir').mockReturnValue(home)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    spy.mockRestore()
  })
}

/** A home that is reached by `B/h/u` and is `B/real/u`. */
function linkedHome(): { base: string; home: string } {
  const base = scratchDir({ 'real/u/proj/a.txt': 'a\n' })
  fs.symlinkSync('real', path.join(base, 'h'))
  live(path.join(base, 'h/u'))
  return { base, home: path.join(base, 'real/u') }
}

/** `~/.config` lies in the project `~/dotfiles`. */
function dotfiles(): { home: string; root: string } {
  const home = scratchDir({ 'dotfiles/config/other/a.txt': 'a\n' })
  fs.symlinkSync('dotfiles/config', path.join(home, '.config'))
  live(home)
  return { home, root: path.join(home, 'dotfiles') }
}

const codeOf = async (document: string, options: CladaOptions) => {
  const { results } = await new Clada({ gitCommit: false, ...options }).execute(document)
  return results.map((result) => result.code ?? 'done')
}
const write = (file: string) => block('file_write', { path: file, content: evil })

describe("the user's own config and state", () => {
  it('cannot be written where ~/.config leads into the project', async () => {
    const { root } = dotfiles()
    const file = path.join(root, 'config/clada/config.yml')
    expect(await codeOf(write(file) + write(path.join(root, 'config/other/b.txt')), { repoPath: root })).toEqual([
      'path_denied',
      'done',
    ])
    expect(fs.existsSync(file)).toBe(false)
  })

  for (const [how, options] of [
    ['--allow ~', (home: string) => ({ repoPath: path.join(home, 'proj'), allowedRoots: [home] })],
    ['--allow-escape', (home: string) => ({ repoPath: path.join(home, 'proj'), allowEscape: true })],
    ['--root ~', (home: string) => ({ repoPath: home })],
  ] as const) {
    it(`cannot be written by another name of home, with ${how}`, async () => {
      const { base, home } = linkedHome()
      const places = ['.config/clada/config.yml', '.local/state/clada/approvals/x.json']
      for (const place of places) {
        for (const name of ['real/u', 'h/u']) {
          const [code] = await codeOf(write(path.join(base, name, place)), options(home))
          expect(['path_denied', 'path_escape']).toContain(code)
          expect(name === 'real/u' ? code : 'path_denied').toBe('path_denied')
        }
        expect(fs.existsSync(path.join(home, place))).toBe(false)
      }
    })
  }

  it('cannot be written where the file itself is a link, though it leads to nothing yet', async () => {
    const home = scratchDir({ 'dotfiles/a.txt': 'a\n', '.config/clada/keep': '' })
    fs.symlinkSync('../../dotfiles/middle.yml', path.join(home, '.config/clada/config.yml'))
    fs.symlinkSync('clada-config.yml', path.join(home, 'dotfiles/middle.yml'))
    live(home)
    const root = path.join(home, 'dotfiles')
    for (const name of ['clada-config.yml', 'middle.yml'])
      expect(await codeOf(write(path.join(root, name)), { repoPath: root })).toEqual(['path_denied'])
  })

  it('is what it says, in a home whose name reads like a pattern', async () => {
    const home = path.join(scratchDir({ 'a*[b]{c}?/proj/a.txt': 'a\n' }), 'a*[b]{c}?')
    live(home)
    const file = path.join(home, '.config/clada/config.yml')
    expect(await codeOf(write(file), { repoPath: home })).toEqual(['path_denied'])
    expect(await codeOf(write(path.join(home, 'proj/b.txt')), { repoPath: home })).toEqual(['done'])
  })

  it('cannot be replaced by a link that a repository brought along', async () => {
    const home = scratchDir({ 'proj/evil/clada/config.yml': evil })
    fs.symlinkSync('proj/evil', path.join(home, 'link'))
    live(home)
    const move = block('file_move', { old_path: path.join(home, 'link'), new_path: path.join(home, '.config') })
    expect(await codeOf(move, { repoPath: home })).toEqual(['path_denied'])
  })

  it('cannot be written by code in the sandbox, nor moved out of the way', async (context) => {
    skipWithout(context, 'sandbox')
    const { root } = dotfiles()
    const code = (text: string) => block('exec', { lang: 'bash', code: text })
    fs.mkdirSync(path.join(root, 'config/clada'))
    await codeOf(
      code('echo x > config/clada/config.yml') +
        code('mv config gone; mkdir -p config/clada; echo x > config/clada/config.yml'),
      { repoPath: root },
    )
    expect(fs.readdirSync(path.join(root, 'config')).sort()).toEqual(['clada', 'other'])
    expect(fs.readdirSync(path.join(root, 'config/clada'))).toEqual([])
    fs.rmdirSync(path.join(root, 'config/clada'))
    await codeOf(code('mkdir -p config/clada && echo x > config/clada/config.yml; echo y > fine.txt'), {
      repoPath: root,
    })
    expect(fs.existsSync(path.join(root, 'config/clada/config.yml'))).toBe(false)
    expect(fs.existsSync(path.join(root, 'fine.txt'))).toBe(true)
  })

  it('lets no code run where a link in the root leads to it', async (context) => {
    skipWithout(context, 'sandbox')
    const { home } = dotfiles()
    expect(await codeOf(block('exec', { lang: 'bash', code: 'rm .config' }), { repoPath: home })).toEqual([
      'action_not_allowed',
    ])
  })
})
