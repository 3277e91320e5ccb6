import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { commitMessage, identityOf, summaryOf } from '../../packages/clada/src/store/summary.ts'
import type { ExecutionRecord, PathRecord, State } from '../../packages/clada/src/store/record.ts'

const told = (said: string): string => summaryOf({ kind: 'run', of: undefined, paths: [], explanations: [said] })

describe('a summary', () => {
  it('is one line of at most 72 characters, and cuts none of them in two', () => {
    expect(told('x'.repeat(72))).toBe('x'.repeat(72))
    expect(told('x'.repeat(73))).toBe(`${'x'.repeat(71)}…`)
    expect(told(`${'x'.repeat(70)}😀😀😀`)).toBe(`${'x'.repeat(70)}😀…`)
    expect(told('😀'.repeat(72))).toBe('😀'.repeat(72))
    expect(told('first\nsecond')).toBe('first')
    expect(told('first\r\nsecond')).toBe('first')
    expect(told('first\rsecond')).toBe('first')
  })

  it('holds no characters that would steer a terminal', () => {
    expect(told('make it \u001b[31mred\u0007 and\ttall')).toBe('make it [31mred and tall')
  })
})

describe('a summary of paths', () => {
  const states: Record<string, State> = {
    '-': { type: 'absent' },
    d: { type: 'directory' },
    f: { type: 'file', mode: 0o644, digest: 'one' },
    g: { type: 'file', mode: 0o644, digest: 'two' },
  }
  /** `-f a 1,2`: made as a file by actions 1 and 2. */
  const pathOf = (text: string): PathRecord => {
    const [sides = '', path = '', steps = '1'] = text.split(' ')
    const [before, after] = [...sides].map((side) => states[side] ?? { type: 'other' as const })
    if (before === undefined || after === undefined) throw new Error(text)
    return { path, before, after, steps: steps.split(',').map((by) => ({ by: Number(by) })) }
  }
  for (const [paths, summary] of [
    ['', 'no change'],
    ['ff a', 'edit a'],
    ['ff a;ff b;-f c', 'edit 2 files, create c'],
    ['-d d;-f d/a', 'create d/a'],
    ['-d d', 'make directory d'],
    ['-d d;-d d/e', 'make 2 directories'],
    ['d- d;d- e;d- f', 'remove 3 directories'],
    ['f- a;-f b', 'move a to b'],
    // A program may delete one file and write another.
    ['f- a;-g b', 'delete a, create b'],
    ['f- a 1;-f b 2', 'delete a, create b'],
    ['f- a 1,2;-f b 1', 'delete a, create b'],
    ['f- a;f- b;-f c', 'delete 2 files, create c'],
    ['f- a;ff b', 'delete a, edit b'],
    ['f- a;-f b;ff c', 'move a to b, edit c'],
  ] as const)
    it(`${paths || 'without one'}: ${summary}`, () => {
      const found = paths === '' ? [] : paths.split(';').map(pathOf)
      expect(summaryOf({ kind: 'run', of: undefined, paths: found, explanations: [] })).toBe(summary)
    })
})

it('a commit has the time zone of the user', () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const [zone, offset] of [
    ['UTC', '+0000'],
    ['Asia/Kolkata', '+0530'],
    ['America/Caracas', '-0400'],
    ['Pacific/Marquesas', '-0930'],
  ] as const) {
    vi.stubEnv('TZ', zone)
    expect(identityOf(null)['GIT_AUTHOR_DATE']).toMatch(new RegExp(`^\\d+ [${offset[0]}]${offset.slice(1)}$`))
  }
})

describe('a commit message', () => {
  it('holds none of these either, but keeps its lines', () => {
    const record: ExecutionRecord = {
      version: 1,
      number: 1,
      time: '',
      kind: 'run',
      ended: 'whole',
      mode: 'commit',
      summary: 'edit a',
      actions: [{ seq: 1, action: 'file_write', target: 'a\u001b]0;title\u0007', success: true }],
      paths: [],
    }
    expect(commitMessage(record, ['Tidy\r\n\tup\u009b1m'])).toBe(
      'AI: edit a\n\nTidy\n\tup1m\n\n1. ok: file_write a]0;title\n\nClada-Execution: 1\n',
    )
  })
})
