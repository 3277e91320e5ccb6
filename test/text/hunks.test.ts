import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { applyHunks } from '@clada/reply/text/hunks-apply.ts'
import { parseHunks } from '@clada/reply/text/hunks.ts'

/** Each has one of `after`, `failures` and `malformed`. */
interface Case {
  name: string
  before: string
  patch: string
  after?: string
  /** All exact when missing. */
  strategies?: string[]
  /** Not looked at when missing. */
  warnings?: string[]
  failures?: { hunk: number; reason: string; lines?: number[]; applied?: number; other?: number }[]
  /** The line of the patch that cannot be read. */
  malformed?: number
}

const cases: Case[] = JSON.parse(fs.readFileSync(new URL('./hunks.cases.json', import.meta.url), 'utf8'))

describe('hunks', () => {
  test('names are unique', () => {
    const names = cases.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })

  test.each(cases.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const parsed = parseHunks(one.patch)
    if (one.malformed !== undefined) {
      expect(parsed).toEqual({ line: one.malformed, message: expect.any(String) })
      return
    }
    if (!('hunks' in parsed)) throw new Error(parsed.message)
    const done = applyHunks(one.before, parsed.hunks)
    if (one.failures !== undefined) {
      expect(done.ok ? done : done.failures.map((failure) => told(one.before, failure))).toEqual(one.failures)
      return
    }
    expect(done).toMatchObject({ ok: true, text: one.after })
    if (!done.ok) return
    expect(done.applied.map(({ level }) => level)).toEqual(one.strategies ?? parsed.hunks.map(() => 'exact'))
    if (one.strategies === undefined) expect(done.warnings).toEqual(one.warnings ?? [])
    else expect(done.warnings).toEqual(one.warnings ?? expect.any(Array))
  })
})

type Failure = ReturnType<typeof applyHunks>['failures'][number]

function told(before: string, { hunk, reason, spans, applied, other }: Failure) {
  const lines = spans.map(({ start }) => before.slice(0, start).split('\n').length)
  return {
    hunk: hunk.number,
    reason,
    ...(lines.length > 0 && { lines }),
    ...(applied !== undefined && { applied }),
    ...(other !== undefined && { other }),
  }
}
