import fs from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Inspected } from '../../packages/clada/src/core/recorder.ts'
import { ContentStore } from '../../packages/clada/src/store/content-store.ts'
import { type PathRecord, type State, type StepRecord } from '../../packages/clada/src/store/record.ts'
import { refusalOf } from '../../packages/clada/src/report/explain.ts'
import { pathsOfAction, planPath, type RevertedPath } from '../../packages/clada/src/timetravel/undo-plan.ts'
import { scratchDir } from '../support/scratch.ts'
import { recordOf } from './world.ts'

interface Text {
  readonly text: string
  readonly mode: number
}
const file = (text: string, mode = 0o644): Text => ({ text, mode })

/** A store of contents, and the states of files in it. */
function kept() {
  const contents = new ContentStore(scratchDir(), 1)
  const state = (side: State | Text): State =>
    'text' in side ? { type: 'file', mode: side.mode, digest: contents.put(Buffer.from(side.text)) } : side
  return { state, contents }
}

const absent = { type: 'absent' } as const
const lines = (...changed: readonly string[]): string => ['a', 'b', 'c', 'd', 'e', ...changed].join('\n')
const found = (text: string, mode = 0o644): Inspected => ({ type: 'file', mode, bytes: Buffer.from(text) })

interface Case {
  readonly before: State | Text
  readonly after: State | Text
  readonly last?: State | Text
  readonly now: Inspected
  readonly how?: 'merge' | 'refuse'
  readonly later?: number
  readonly ignored?: true
}

/** The plan in short: the wanted text, the mode that is set, and the other keys. */
async function planOf({ before, after, last = after, now, how = 'refuse', ...rest }: Case) {
  const { state, contents } = kept()
  const entry: RevertedPath = { path: 'a.txt', before: state(before), after: state(after), last: state(last), ...rest }
  const {
    wanted,
    path: _,
    ...plan
  } = await planPath(entry, '/a.txt', { contents, inspect: () => now, isBlocked: () => false }, how)
  if (wanted === undefined) return plan
  const { to, like } = wanted
  const text = to.type === 'file' ? String(to.bytes) : to.type
  return { ...plan, to: text, ...(like && { mode: like.mode }) }
}

describe('the plan of an undo', () => {
  const [one, two] = [lines('x'), lines('y')]
  const cases: Record<string, readonly [Case, object]> = {
    'the file is as it was left': [{ before: file(one), after: file(two), now: found(two) }, { to: one }],
    'its mode was changed too': [
      { before: file(one, 0o755), after: file(two), now: found(two) },
      { to: one, mode: 0o755 },
    ],
    'a file that was created': [{ before: absent, after: file(two), now: found(two) }, { to: 'absent' }],
    'a file that was deleted': [
      { before: file(one), after: absent, now: absent },
      { to: one, mode: 0o644 },
    ],
    'it is as before already': [{ before: file(one), after: file(two), now: found(one) }, {}],
    'it was changed since': [
      { before: file(one), after: file(two), now: found('other') },
      { conflict: 'it was changed since' },
    ],
    'it was deleted since': [
      { before: file(one), after: file(two), now: absent },
      { conflict: 'it was deleted since' },
    ],
    'it was created since': [
      { before: file(one), after: absent, now: found('other') },
      { conflict: 'it was created since' },
    ],
    'it is a directory now': [
      { before: file(one), after: file(two), now: { type: 'directory' } },
      { conflict: 'it is a directory now' },
    ],
    'git ignores it': [
      { before: file(one), after: file(two), now: found('other'), ignored: true },
      { left: 'git ignores it, and it was changed since' },
    ],
    'only its mode was changed since, which undo would change': [
      { before: file(one, 0o755), after: file(two), now: found(two, 0o600) },
      { conflict: 'its mode was changed since' },
    ],
    'only its mode was changed since, which undo leaves alone': [
      { before: file(one), after: file(two), now: found(two, 0o600) },
      { to: one },
    ],
    'with force, its mode was changed since': [
      { before: file(one, 0o755), after: file(two), now: found(two, 0o600), how: 'merge' },
      { to: one, conflict: 'its mode was changed since and is kept' },
    ],
    'with force, it was deleted since': [
      { before: file(one, 0o755), after: file(two), now: absent, how: 'merge' },
      { to: one, conflict: 'it was deleted since and is restored' },
    ],
    'with force, another line was changed since': [
      { before: file(one), after: file(two), now: found(`new\n${two}`), how: 'merge' },
      { to: `new\n${one}` },
    ],
    'with force, a later action changed another line': [
      {
        before: file(one),
        after: file(two),
        last: file(`new\n${two}`),
        now: found(`new\n${two}`),
        how: 'merge',
        later: 2,
      },
      { to: `new\n${one}` },
    ],
    'with force, the same line was changed since': [
      { before: file('x\n'), after: file('y\n'), now: found('z\n'), how: 'merge' },
      {
        to: '<<<<<<< now\nz\n=======\nx\n>>>>>>> undone\n',
        conflict: '1 conflict marked in the file: resolve it between <<<<<<< and >>>>>>>',
      },
    ],
    'with force, it is not a text': [
      { before: file('x\0'), after: file('y'), now: found('z'), how: 'merge' },
      { conflict: 'it was changed since, cannot be merged, and is kept' },
    ],
    'a later action changed the same line': [
      { before: file('x\n'), after: file('y\n'), last: file('z\n'), now: found('z\n'), later: 2 },
      { overlapsAction: 2 },
    ],
    'a special file': [
      { before: { type: 'other' }, after: absent, now: absent },
      { lost: 'a special file was not kept' },
    ],
    'its content is damaged': [
      { before: { type: 'file', mode: 0o644, digest: 'x' }, after: absent, now: absent },
      { lost: 'its saved content is missing or damaged' },
    ],
  }
  for (const [what, [given, plan]] of Object.entries(cases))
    it(what, async () => {
      const temporary = scratchDir()
      vi.stubEnv('TMPDIR', temporary)
      onTestFinished(() => void vi.unstubAllEnvs())
      expect(await planOf(given)).toEqual(plan)
      expect(fs.readdirSync(temporary).filter((name) => name.startsWith('clada-merge'))).toEqual([])
    })
})

describe('the undo of one action', () => {
  const left = (text: string): State => ({ type: 'file', mode: 0o644, digest: text })
  /** `2:x`: action 2 left x; `2:-`: nothing; `2:d`: a directory; `2:?`: something unknown; `2:large`: more than is kept. */
  const stepOf = (text: string): StepRecord => {
    const [by, what = ''] = text.split(':')
    const type = what === '-' ? ('absent' as const) : what === 'd' ? ('directory' as const) : undefined
    if (what === 'large') return { by: Number(by), mode: 0o644, digest: what }
    const rest = type === undefined ? { mode: 0o644, digest: what } : { type }
    return { by: Number(by), ...(what === '?' ? {} : rest) }
  }
  const entryOf = (path: string, steps: string): PathRecord => ({
    path,
    before: absent,
    after: left('end'),
    steps: steps.split(' ').map(stepOf),
  })
  const only = 'Cannot undo only this action: action'
  for (const [steps, action, expected] of [
    ['1:end', 1, { before: absent, after: left('end') }],
    ['1:x 2:end', 1, { before: absent, after: left('x'), later: 2 }],
    ['1:x 2:end', 2, { before: left('x'), after: left('end') }],
    ['1:x 1:y 2:z 3:end', 1, { before: absent, after: left('y'), later: 2 }],
    ['1:x 2:y 2:z 3:end', 2, { before: left('x'), after: left('z'), later: 3 }],
    ['1:d 2:- 3:end', 2, { before: { type: 'directory' }, after: absent, later: 3 }],
    ['1:? 2:end', 2, `${only} 1 of execution 1 also changed a. Undo the whole execution: clada undo 1.`],
    ['1:? 2:end', 1, `${only} 2 of execution 1 also changed a. Undo the whole execution: clada undo 1.`],
    ['1:large 2:end', 2, `${only} 1 of execution 1 also changed a. Undo the whole execution: clada undo 1.`],
    ['1:x 2:y 1:end', 1, `${only} 2 of execution 1 also changed a. Undo the whole execution: clada undo 1.`],
    ['1:end', 2, 'Action 2 of execution 1 changed nothing.'],
  ] as const)
    it(`${action} of ${steps}`, () => {
      const record = recordOf(1, { paths: [entryOf('a', steps), entryOf('b', '9:end')] })
      const whole = typeof expected === 'string' ? expected : [{ path: 'a', last: left('end'), ...expected }]
      expect(pathsOfAction(record, action, { has: (digest) => digest !== 'large' })).toEqual(whole)
    })
})

describe('a refusal', () => {
  for (const [problem, fallback, error] of [
    [{ kind: 'git', reason: 'it is locked' }, 'Retry.', 'clada back: git_operation_failed: it is locked. Retry.'],
    [
      { kind: 'git', reason: 'it is locked', advice: 'Wait.' },
      'Retry.',
      'clada back: git_operation_failed: it is locked. Wait.',
    ],
    [
      { kind: 'git', reason: 'it is locked' },
      undefined,
      'clada back: git_operation_failed: it is locked. Fix the problem above and retry, or run with --no-git.',
    ],
  ] as const)
    it(error, () => expect(refusalOf(problem, 'clada back', fallback).error).toBe(error))
})
