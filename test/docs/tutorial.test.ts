import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { cladaCommand } from '../support/cli.ts'
import { skipWithout } from '../support/needs.ts'
import { fill, scratchDir } from '../support/scratch.ts'

interface Fence {
  readonly language: string
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
}

/** The fences of a page, in order: files to save, commands, and what the last command prints. */
function fencesOf(page: string): Fence[] {
  const text = fs.readFileSync(path.join(import.meta.dirname, '../../docs', page), 'utf8')
  return [...text.matchAll(/^(```|~~~)(\w+)([^\n]*)\n([^]*?)^\1$/gm)].map(
    ([, , language = '', info = '', body = '']) => ({
      language,
      attributes: Object.fromEntries(
        [...info.matchAll(/(\w+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value]),
      ),
      text: body,
    }),
  )
}

/** A text in which `…` stands for any rest of a line. */
const asPattern = (text: string): RegExp =>
  new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*'))

it('prints what the tutorial shows, step by step', (context) => {
  skipWithout(context, 'posix', 'sandbox')
  const dir = scratchDir()
  fill(dir, {
    'bin/clada': `#!/bin/sh\nexec ${cladaCommand()
      .map((word) => `'${word}'`)
      .join(' ')} "$@"\n`,
  })
  fs.chmodSync(path.join(dir, 'bin/clada'), 0o755)
  const env = {
    ...process.env,
    PATH: `${path.join(dir, 'bin')}:${process.env['PATH'] ?? ''}`,
    XDG_STATE_HOME: path.join(dir, 'state'),
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
    NO_COLOR: '1',
  }
  let cwd = dir
  let printed = ''
  let shown = 0
  for (const { language, attributes, text } of fencesOf('tutorial.md')) {
    if (attributes['file'] !== undefined) fill(cwd, { [attributes['file']]: text })
    else if (language !== 'sh') {
      expect(printed).toMatch(asPattern(text.trimEnd()))
      shown++
    } else
      for (const line of text.trimEnd().split('\n')) {
        const [, to] = /^cd (\S+)$/.exec(line) ?? []
        if (to !== undefined) {
          cwd = path.join(cwd, to)
          continue
        }
        const { stdout, stderr, status } = spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8', input: '' })
        expect({ line, status, stderr }).toEqual({
          line,
          status: Number(attributes['exit'] ?? 0),
          stderr: expect.anything(),
        })
        printed = stdout
      }
  }
  expect(shown).toBeGreaterThan(3)
  expect(fs.readFileSync(path.join(dir, 'shop/cart.js'), 'utf8')).toContain(
    'item.price * item.quantity\n  }\n  return sum\n',
  )
})
