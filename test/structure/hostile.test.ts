import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Problem, ProblemError } from '../../packages/clada/src/core/problem.ts'
import { runBounded, checkTime, isLate, withTimeLimit } from '../../packages/clada/src/core/time-limit.ts'
import { Clada } from '../../packages/clada/src/index.ts'
import { structureOperations } from '../../packages/clada/src/structure/operations.ts'
import { oxcErrors, stackFor } from '../../packages/clada/src/structure/validity.ts'
import { applyHunks } from '@clada/reply/text/hunks-apply.ts'
import { parseHunks } from '@clada/reply/text/hunks.ts'
import { applyReplacements, findOccurrences } from '@clada/reply/text/edit.ts'
import { scratchDir } from '../support/scratch.ts'
import { block } from '../workspace/blocks.ts'

const nested = (open: string, close = '', times = 20_000): string => open.repeat(times) + close.repeat(times)

/** The problem that ends a piece of work, or what came out of it. */
async function endOf(work: () => unknown): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}

const late = (ms: number): Problem => ({ kind: 'too-complex', over: 'time', ms })
const list = (name: string, text: string): Promise<unknown> =>
  structureOperations({ read: () => Promise.resolve(text), write: () => Promise.resolve() }).list_structures(name)

describe('work within a time limit', () => {
  it('is stopped wherever it is', async () => {
    const endless: Readonly<Record<string, () => unknown>> = {
      loop: () => {
        for (;;);
      },
      expression: () => /^(a+)+$/.test(`${'a'.repeat(60)}b`),
      recursion: () => {
        const again = (): unknown => {
          try {
            return again()
          } catch {
            return again()
          }
        }
        return again()
      },
    }
    for (const work of Object.values(endless))
      expect(await endOf(() => withTimeLimit(30, () => runBounded(work)))).toEqual(late(30))
  })

  it('can end by itself before that, and knows only then that it is late', async () => {
    const work = (): void => {
      expect(isLate()).toBe(false)
      while (!isLate());
      checkTime()
    }
    expect(await endOf(() => withTimeLimit(300, () => runBounded(work)))).toEqual(late(300))
    expect(isLate()).toBe(false)
  })

  it('has one limit for all of its parts, in whatever it awaits, and none of its neighbours', async () => {
    const until = (ms: number): void => {
      for (const end = performance.now() + ms; performance.now() < end;);
    }
    const parts = withTimeLimit(60, async () => {
      for (;;) {
        runBounded(() => until(25))
        await new Promise((next) => setImmediate(next))
      }
    })
    const other = withTimeLimit(10_000, async () => {
      await new Promise((next) => setImmediate(next))
      return runBounded(() => until(25))
    })
    expect(await endOf(() => parts)).toEqual(late(60))
    await other
    expect(
      await endOf(() => withTimeLimit(10_000, () => withTimeLimit(20, () => runBounded(() => until(8000))))),
    ).toEqual(late(20))
  })

  it('says what it makes, throws what it throws, and is nested too deeply at some point', async () => {
    expect(withTimeLimit(1000, () => runBounded(() => runBounded(() => 7)))).toBe(7)
    expect(() => withTimeLimit(1000, () => runBounded(() => JSON.parse('{')))).toThrow(SyntaxError)
    const down = (): number => 1 + down()
    expect(await endOf(() => runBounded(down))).toEqual({ kind: 'too-complex', over: 'depth' })
    expect(await endOf(() => runBounded(() => 'x'.repeat(2 ** 29).repeat(2)))).toEqual({
      kind: 'too-complex',
      over: 'size',
    })
  })
})

describe('hostile sources', () => {
  const texts: Readonly<Record<string, string>> = {
    'a.js': nested('['),
    'b.js': nested('if (a) {} else '),
    'c.ts': nested('`${'),
    'a.json': nested('[', ']', 60_000),
    'a.py': nested('('),
    'a.c': nested('('),
    'a.cpp': nested('('),
    'a.java': nested('class A {'),
    'a.go': nested('('),
    'a.rs': nested('('),
    'a.rb': nested('('),
    'a.css': nested('a{', '', 60_000),
    'a.kt': nested('('),
    'a.swift': nested('('),
    'a.cs': nested('('),
    'a.sh': nested('$('),
    'a.yaml': nested('[', ']', 60_000),
  }
  for (const [name, text] of Object.entries(texts)) {
    it(`in ${name} end with the time there is, and the next one is read`, async () => {
      // The grammar is loaded without a limit, as its size is not the text's.
      await list(name, '')
      expect(await endOf(() => withTimeLimit(1, () => list(name, text)))).toMatchObject({ kind: 'too-complex' })
      expect(await withTimeLimit(10_000, () => list('x.js', 'function f() {\n}\n'))).toMatchObject({
        ok: true,
        data: { structures: [{}] },
      })
    })
  }

  it('that a grammar makes one heap of are read like others', async () => {
    expect(await withTimeLimit(10_000, () => list('a.js', nested('[', '', 30_000)))).toMatchObject({ ok: true })
  })

  it('in Markdown end too', async () => {
    await list('a.md', '')
    expect(await endOf(() => withTimeLimit(5, () => list('a.md', '# x\n\n'.repeat(200_000))))).toEqual(late(5))
  })

  it('that are nested deeper than the stack is high are refused', async () => {
    const end = await endOf(() => list('a.js', nested('function f(){', '}', 8000)))
    expect(end).toEqual({ kind: 'too-complex', over: 'depth' })
  })

  it('do not end the process by the stack of the native parser', async () => {
    const text = `x = ${nested('[', ']')}`
    expect(stackFor(text)).toBe('large')
    expect(await oxcErrors('a.js', text)).toEqual([])
    expect(await oxcErrors('a.js', `${text})`)).toHaveLength(1)
    expect(stackFor(nested('[', '', 1_000_000))).toBe('none')
    expect(await oxcErrors('a.js', nested('[', '', 1_000_000))).toBeUndefined()
    expect(await endOf(() => withTimeLimit(1, () => oxcErrors('a.js', `${text};`.repeat(4))))).toEqual(late(1))
    expect(await oxcErrors('a.js', text)).toEqual([])
  })

  // Only then can the memory of the native parser be freed.
  it('let the event loop turn after each', async () => {
    let turns = 0
    for (let nth = 1; nth <= 3; nth++) {
      setImmediate(() => turns++)
      await oxcErrors('a.ts', 'export const a = 1\n')
      expect(turns).toBe(nth)
    }
  })
})

describe('hostile edits', () => {
  it('of many hunks that fit everywhere end with the time there is', async () => {
    const parsed = parseHunks('@@\n a\n-a\n+b\n a\n'.repeat(3000))
    if (!('hunks' in parsed)) throw new Error('they are hunks')
    expect(await endOf(() => withTimeLimit(20, () => applyHunks('a\n'.repeat(50_000), parsed.hunks)))).toEqual(late(20))
  })

  it('of lines that are nearly everywhere end with the time there is', async () => {
    const root = scratchDir({ 'a.txt': 'a\n'.repeat(300_000) })
    const options = { repoPath: root, gitCommit: false, matching: 'tolerant', limits: { actionMs: 30 } } as const
    const { results } = await new Clada(options).call('file_replace_text', {
      path: path.join(root, 'a.txt'),
      old_text: `${'a\n'.repeat(100_000)}b\n`,
      new_text: 'c',
    })
    expect(results[0]?.code).toBe('exec_timeout')
  })

  it('of more places than fit into the time, or into memory', async () => {
    const text = 'a'.repeat(2_000_000)
    expect(await endOf(() => withTimeLimit(0, () => findOccurrences(text, 'a')))).toEqual(late(0))
    const spans = findOccurrences(text, 'a')
    expect(await endOf(() => applyReplacements(text, spans, 'b'.repeat(10_000), { eol: '\n' }))).toEqual({
      kind: 'too-complex',
      over: 'size',
    })
  })
})

it('does what comes after an action that took too long', async () => {
  const root = scratchDir({ 'a.json': nested('[', ']', 60_000), 'b.txt': 'b\n' })
  const { results } = await new Clada({ repoPath: root, gitCommit: false, limits: { actionMs: 200 } }).execute(
    block('list_structures', { path: path.join(root, 'a.json') }) +
      block('file_write', { path: path.join(root, 'c.txt'), content: 'c\n' }),
  )
  expect(results.map(({ success, code }) => code ?? success)).toEqual(['exec_timeout', true])
  expect(fs.readFileSync(path.join(root, 'c.txt'), 'utf8')).toBe('c\n')
})
