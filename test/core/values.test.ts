import { describe, expect, it } from 'vitest'
import {
  choice,
  count,
  flag,
  integer,
  lines,
  ok,
  optional,
  path,
  paths,
  text,
} from '../../packages/clada/src/core/action.ts'
import { digestOf, shortDigestOf } from '../../packages/clada/src/core/digest.ts'
import { isNotebookPath } from '../../packages/clada/src/core/paths.ts'
import { hasCode, isOsError, messageOf } from '../../packages/clada/src/core/errors.ts'
import { platformOf } from '../../packages/clada/src/core/platform.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { ProblemError } from '../../packages/clada/src/core/problem.ts'
import { formatCount, groupDigits } from '@clada/reply/core/words.ts'
import { defaultLimits } from '../../packages/clada/src/core/settings.ts'
import {
  runBounded,
  isLate,
  timeLeft,
  tooComplex,
  waitLeft,
  withEnd,
  withTimeLimit,
} from '../../packages/clada/src/core/time-limit.ts'

it('a digest is SHA-256, and a model gets the beginning of it', () => {
  expect(digestOf('hello')).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824')
  expect(digestOf(Buffer.from('hello'))).toBe(digestOf('hello'))
  expect(shortDigestOf('hello')).toBe('2cf24dba5fb0a30e')
})

it.each([
  ['a.ipynb', true],
  ['A.IPYNB', true],
  ['.ipynb.txt', false],
  ['ipynb', false],
])('%s is a notebook: %s', (file, is) => expect(isNotebookPath(file)).toBe(is))

it('parameters are required unless they are optional', () => {
  const all = [text('x'), path('x'), paths('x'), lines('x'), integer('x'), count('x'), flag('x'), choice(['a'], 'x')]
  expect(all.map(({ required }) => required)).toEqual(all.map(() => true))
  expect(optional(flag('x')).required).toBe(false)
})

it('an outcome has warnings only if there are some', () => {
  expect(ok(1, ['careful'])).toEqual({ ok: true, data: 1, warnings: ['careful'] })
  expect(ok(1)).toEqual({ ok: true, data: 1 })
})

it('the limits are those that the documentation names', () =>
  expect(defaultLimits).toEqual({
    inputBytes: 52_428_800,
    fileBytes: 10_485_760,
    historyBytes: 1_073_741_824,
    actionMs: 30_000,
  }))

it('platforms differ in what they can do', () => {
  const { proc, replacesOpenFiles, opensWithoutFollowing, processGroups, argumentBytes } = platformOf('win32', {})
  expect([proc, replacesOpenFiles, opensWithoutFollowing, processGroups]).toEqual([false, false, false, false])
  expect(argumentBytes).toBe(20_000)
  expect(platformOf('linux')).toMatchObject({ proc: true, opensWithoutFollowing: true, argumentBytes: 500_000 })
  expect(platformOf('darwin')).toMatchObject({ proc: false, opener: ['open'] })
})

it('an error of the system has a code', () => {
  const missing = Object.assign(new Error('gone'), { code: 'ENOENT' })
  expect(
    [missing, new Error('x'), { code: 'ENOENT' }, Object.assign(new Error('x'), { code: 1 })].map(isOsError),
  ).toEqual([true, false, false, false])
  expect([hasCode(missing, 'EACCES', 'ENOENT'), hasCode(missing, 'EACCES')]).toEqual([true, false])
  expect([messageOf(missing), messageOf('text')]).toEqual(['gone', 'text'])
  expect([{}, [], null, 'x'].map(isRecord)).toEqual([true, false, false, false])
})

it('numbers in sentences', () => {
  expect([formatCount(1, 'file'), formatCount(2, 'file'), formatCount(0, 'entry', 'entries')]).toEqual([
    '1 file',
    '2 files',
    '0 entries',
  ])
  expect([groupDigits(999), groupDigits(20_000), groupDigits(1_234_567)]).toEqual(['999', '20,000', '1,234,567'])
})

describe('time limits', () => {
  it('an inner limit gives no more than is left of the outer one', () => {
    expect(withTimeLimit(100, () => withTimeLimit(1e6, timeLeft))).toEqual({ ms: 100, left: 100 })
    expect(withTimeLimit(100, () => withTimeLimit(50, timeLeft))).toEqual({ ms: 50, left: 50 })
    expect(timeLeft()).toEqual({ ms: Infinity, left: Infinity })
  })

  it('two pieces of work at the same time have a limit each, and nothing has one after them', async () => {
    const later = (ms: number): Promise<number> =>
      withTimeLimit(ms, async () => (await Promise.resolve(), timeLeft().ms))
    expect(await Promise.all([later(100), later(50)])).toEqual([100, 50])
    await expect(withTimeLimit(100, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(timeLeft().ms).toBe(Infinity)
  })

  it('no time is too little for any work', () =>
    expect(() => withTimeLimit(0, () => runBounded(() => 1))).toThrow(ProblemError))

  it('work sees that it is late, and nothing is late without a limit', () => {
    const late = withTimeLimit(1, () =>
      runBounded(() => {
        while (!isLate());
        return 'late'
      }),
    )
    expect(late).toBe('late')
    expect(isLate()).toBe(false)
  })

  it('a wait ends with the work around it', () => {
    expect(waitLeft()).toBe(Infinity)
    expect(withEnd(1e9, waitLeft)).toBeLessThanOrEqual(1e9)
    expect(withEnd(1e9, () => withEnd(1e12, waitLeft))).toBeLessThanOrEqual(1e9)
  })

  it('limits of the engine are problems, other errors are not', () => {
    const deep = new RangeError('Maximum call stack size exceeded')
    expect(tooComplex(deep)).toEqual({ kind: 'too-complex', over: 'depth' })
    expect(tooComplex(new RangeError('Invalid string length'))).toEqual({ kind: 'too-complex', over: 'size' })
    expect([new RangeError('x'), new Error('call stack')].map(tooComplex)).toEqual([undefined, undefined])
    const failing = (error: Error) => (): never =>
      runBounded(() => {
        throw error
      })
    expect(failing(deep)).toThrow(ProblemError)
    expect(failing(new TypeError('mine'))).toThrow('mine')
  })
})
