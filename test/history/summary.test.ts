import { describe, expect, it } from 'vitest'
import { commitMessage, summaryOf } from '../../src/journal/summary.ts'
import type { ExecutionRecord } from '../../src/journal/record.ts'

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
      'AI: edit a\n\nTidy\n\tup1m\n\n1. ok: file_write a]0;title\n',
    )
  })
})
