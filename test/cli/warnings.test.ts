import { describe, expect, it } from 'vitest'
import { clada, expectNoWarning } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

describe('warnings of Node', () => {
  it('are found by every test that starts the command line', () => {
    expect(() => expectNoWarning('(node:7) MaxListenersExceededWarning: Possible memory leak\n')).toThrow(
      'MaxListeners',
    )
    expectNoWarning('clada: (node:7) is the name of a file\n')
  })

  it('do not reach the screen when a reply edits many files that are parsed', () => {
    const names = Array.from({ length: 300 }, (_, at) => `f${at}.ts`)
    const root = scratchDir(Object.fromEntries(names.map((name) => [name, 'export const value = 1\n'])))
    const reply = names.map((name) =>
      [
        name,
        '```ts',
        '<<<<<<< SEARCH',
        'export const value = 1',
        '=======',
        'export const value = 2',
        '>>>>>>> REPLACE',
        '```',
        '',
      ].join('\n'),
    )
    const ran = clada(['--no-git'], { cwd: root, input: reply.join('\n') })
    expect(ran.stderr).toBe('')
    expect(ran.status).toBe(0)
    expect(new Set(Object.values(filesIn(root)))).toEqual(new Set(['export const value = 2\n']))
  })
})
