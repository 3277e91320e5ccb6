import { expect, it } from 'vitest'
import { isHeldElsewhere, patiently } from '../../packages/clada/src/state/own-files.ts'
import { explain } from '../../packages/clada/src/report/explain.ts'

const windows = { replacesOpenFiles: false }
const refused = (code: string): Error => Object.assign(new Error(code), { code })

/** Fails a number of times; returns how often it was tried and how long was waited. */
function tried(times: number, code: string, on = windows): { calls: number; waited: number; error?: unknown } {
  let calls = 0
  let waited = 0
  const act = (): void => {
    if (calls++ < times) throw refused(code)
  }
  try {
    patiently(act, on, (ms) => (waited += ms))
    return { calls, waited }
  } catch (error) {
    return { calls, waited, error }
  }
}

it.each(['EPERM', 'EBUSY', 'EACCES'])('tries again while a program holds the file open (%s)', (code) => {
  expect(tried(3, code)).toEqual({ calls: 4, waited: 10 })
})

it('gives up after 1.5 s', () => {
  expect(tried(Infinity, 'EBUSY')).toMatchObject({ waited: 1500, error: { code: 'EBUSY' } })
})

it('does not wait where a refusal is final', () => {
  expect(tried(1, 'ENOENT')).toMatchObject({ calls: 1, waited: 0, error: { code: 'ENOENT' } })
  expect(tried(1, 'EPERM', { replacesOpenFiles: true })).toMatchObject({ calls: 1, error: { code: 'EPERM' } })
})

it('names the programs that may hold the file', () => {
  expect(isHeldElsewhere('EPERM', windows)).toBe(true)
  expect(isHeldElsewhere('EPERM', { replacesOpenFiles: true })).toBe(false)
  const { code, failure } = explain({ kind: 'os', code: 'EBUSY', op: 'open', path: 'a.txt', held: true }, 'file_write')
  expect(code).toBe('permission_denied')
  expect(failure.user?.advice).toMatch(/editor, a virus scanner, a sync client/)
})
