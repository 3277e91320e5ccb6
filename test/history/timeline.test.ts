import { describe, expect, it } from 'vitest'
import type { ActionRecord, ExecutionRecord } from '../../packages/clada/src/store/record.ts'
import { doneIn, heldUndos, isUndone, lastStanding, standings } from '../../packages/clada/src/store/timeline.ts'
import { recordOf } from './world.ts'

/** `1`: a run; `-1`: an undo of it; `+1`: a redo; `-1.2`: an undo of its action 2; with `!`: interrupted. */
function timeline(text: string): ExecutionRecord[] {
  return text.split(' ').map((word, at) => {
    const [, sign, of, action, died] = /^([-+]?)(\d+)(?:\.(\d+))?(!?)$/.exec(word) ?? []
    const about = { of: Number(of), ...(action === undefined ? {} : { ofActions: [Number(action)] }) }
    return recordOf(at + 1, {
      ...(died === '!' && { ended: 'interrupted' }),
      ...(sign === '-' && { kind: 'undo', ...about }),
      ...(sign === '+' && { kind: 'redo', ...about }),
    })
  })
}

const numbers = (records: readonly ExecutionRecord[]): number[] => records.map(({ number }) => number)

describe('what is undone', () => {
  for (const [text, held, undone, last] of [
    ['1', [], [], 1],
    ['1 2', [], [], 2],
    ['1 2 -2', [3], [2], 1],
    ['1 2 -2 +2', [], [], 2],
    ['1 2 -2 -1', [3, 4], [1, 2], undefined],
    ['1 2 -2 -1 +1', [3], [2], 1],
    // A redo of one action does not redo the whole execution.
    ['1 -1.2', [2], [], 1],
    ['1 -1.2 -1 +1', [2], [], 1],
    ['1 -1 +1.2', [2], [1], undefined],
    // An interrupted undo has no effect, and can be undone until it is repeated.
    ['1 -1!', [], [], 2],
    ['1 -1! -1', [3], [1], undefined],
    ['1 -1! -1!', [], [], 3],
  ] as const)
    it(`after ${text}`, () => {
      const records = timeline(text)
      expect(numbers(heldUndos(records))).toEqual(held)
      expect(standings(records).flatMap((one) => (one.undone ? one.record.number : []))).toEqual(undone)
      expect(lastStanding(records)?.number).toBe(last)
    })

  for (const [text, number, action, undone] of [
    ['1 -1', 1, undefined, true],
    ['1 -1', 1, 2, true],
    ['1 -1.2', 1, undefined, false],
    ['1 -1.2', 1, 2, true],
    ['1 -1.2', 1, 1, false],
    ['1 -1', 2, undefined, false],
    ['1 -1 +1', 2, undefined, true],
    ['1 -1 +1', 3, undefined, false],
    ['1 -1 +1 -1', 3, undefined, true],
    ['1 -1 +1 -1!', 3, undefined, false],
    ['1 -1 +1 2 -4', 3, undefined, false],
  ] as const)
    it(`${number}${action === undefined ? '' : `.${action}`} in ${text}: ${undone}`, () => {
      const records = timeline(text)
      const record = records[number - 1]
      expect(record && isUndone(record, action, records)).toBe(undone)
    })
})

describe('a block that ran', () => {
  const action = (seq: number, block: string, rest: Partial<ActionRecord> = {}): ActionRecord => ({
    seq,
    action: 'file_append',
    target: '',
    success: true,
    block,
    ...rest,
  })
  const undo = (of: number, ofActions?: number[]): ExecutionRecord =>
    recordOf(9, { kind: 'undo', of, ...(ofActions && { ofActions }) })
  const first = recordOf(1, { actions: [action(1, 'a'), action(2, 'b', { success: false }), action(3, 'a')] })
  const second = recordOf(2, { actions: [action(1, 'c'), action(2, 'a', { already: { execution: 1, action: 3 } })] })
  const done = (execution: number, number: number) => ({ execution, action: number, time: `time ${execution}` })

  for (const [what, records, blocks, expected] of [
    ['successfully is done', [first], ['a'], [done(1, 1)]],
    ['twice is done twice, and not a third time', [first], ['a', 'a', 'a'], [done(1, 1), done(1, 3), undefined]],
    ['and failed is not done', [first], ['b'], [undefined]],
    ['before the previous run is not done', [first, second], ['b', 'c'], [undefined, done(2, 1)]],
    ['and was skipped since is done where it ran', [first, second], ['a'], [done(1, 3)]],
    ['and is undone is not done', [first, undo(1)], ['a'], [undefined]],
    ['and of which another action is undone is done', [first, undo(1, [2])], ['a'], [done(1, 1)]],
    ['and whose action is undone is not done', [first, undo(1, [1])], ['a', 'a'], [undefined, done(1, 3)]],
  ] as const)
    it(what, () => {
      const isDone = doneIn(records)
      expect(blocks.map((block) => isDone(block, block))).toEqual(expected)
    })

  it('in any execution counts where it is asked which blocks run again', () => {
    const isDone = doneIn([first, second], (block) => block === 'c')
    expect(['a', 'c', 'b'].map((block) => isDone(block, block))).toEqual([done(1, 3), undefined, undefined])
    expect(doneIn([first, recordOf(2)], () => false)('a', 'a')).toEqual(done(1, 1))
  })
})
