import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import type { CladaOptions } from '../../packages/clada/src/index.ts'
import type { Inspect } from '../../packages/clada/src/core/recorder.ts'
import { takeSnapshot } from '../../packages/clada/src/git/snapshot.ts'
import { interruptedMessage, describeInterruptedProgram } from '../../packages/clada/src/history/programs.ts'
import { recover, readTimeline } from '../../packages/clada/src/history/recover.ts'
import { openRecordedWorkspace } from '../../packages/clada/src/history/history.ts'
import { Log } from '../../packages/clada/src/store/log.ts'
import { makePathJudge, pathPolicyOf } from '../../packages/clada/src/policy/paths.ts'
import {
  contentsOfHistory,
  dirOf,
  numbersIn,
  type PathRecord,
  readRecord,
  type State,
} from '../../packages/clada/src/store/record.ts'
import { ownOwner } from '../../packages/clada/src/state/own-files.ts'
import { fill, scratchDir, inState, fillState } from '../support/scratch.ts'
import { settingsFor } from '../support/settings.ts'
import { workspaceIn } from '../workspace/disk.ts'
import { type Call, execute, recordOf, entriesOf, continueJournal } from './world.ts'
import { signerOf } from '../../packages/clada/src/state/project-state.ts'

const dead = { ...ownOwner(), started: '0' }
const digest = (text: string): string => digestOf(Buffer.from(text))

interface Left {
  readonly files?: Readonly<Record<string, string>>
  readonly header?: object
  /** Instead of `before`, `kept` is the text that was kept. */
  readonly lines?: readonly object[]
  readonly record?: object
  readonly more?: Readonly<Record<string, string>>
}

/** As execution 1 keeps it. */
function keepText(history: string, text: string): string {
  const contents = contentsOfHistory(history, 1)
  const kept = contents.put(Buffer.from(text))
  contents.flush()
  contents.close()
  return kept
}

/** The history of a process that died in execution 1, after these lines. */
function left({ files = {}, header = {}, lines = [], record, more = {} }: Left) {
  const root = scratchDir(files)
  const stateDir = fillState(
    root,
    Object.fromEntries(Object.entries(more).map(([name, text]) => [`history/1/${name}`, text])),
  )
  const history = path.join(stateDir, 'history')
  fs.mkdirSync(dirOf(history, 1), { recursive: true })
  const log = Log.create(path.join(dirOf(history, 1), 'journal'), signerOf(stateDir))
  log.add({ execution: 1, kind: 'run', ...dead, ...header })
  for (const line of lines) {
    const kept: unknown = Reflect.get(line, 'kept')
    if (typeof kept !== 'string') log.add(line)
    else {
      log.add({ ...line, before: { type: 'file', mode: 0o600, digest: keepText(history, kept) } })
    }
  }
  if (record !== undefined) log.addRecord(record)
  log.flush()
  log.close()
  const inspect: Inspect = (absolute) => {
    const stat = fs.lstatSync(absolute, { throwIfNoEntry: false })
    if (stat === undefined) return { type: 'absent' }
    return stat.isDirectory()
      ? { type: 'directory' }
      : { type: 'file', mode: stat.mode & 0o777, bytes: fs.readFileSync(absolute) }
  }
  const settings = { git: 'off', author: null, lockFile: null, lockMs: 0 } as const
  const recovered = () =>
    recover(history, 1, { root, stateDir, settings, isBlocked: () => false, files: workspaceIn(root) }, inspect)
  return { root, history, dir: dirOf(history, 1), recovered, timeline: () => readTimeline(history, root, inspect) }
}

describe('the record of an execution that died', () => {
  const created: PathRecord = {
    path: 'a',
    before: { type: 'absent' },
    after: { type: 'file', mode: 0o644, digest: digest('A') },
    steps: [{ by: 1 }],
  }
  for (const [what, line, files, expected] of [
    ['creates a file', { before: { type: 'absent' }, to: digest('A') }, { a: 'A' }, created],
    [
      'creates a file that git ignores',
      { before: { type: 'absent' }, to: digest('A'), ignored: true },
      { a: 'A' },
      { ...created, ignored: true },
    ],
    [
      'replaces a file',
      { kept: 'old', to: digest('A') },
      { a: 'A' },
      { ...created, before: { type: 'file', mode: 0o600, digest: digest('old') } },
    ],
    [
      'replaces a link',
      { before: { type: 'symlink', target: 'x' }, to: digest('A') },
      { a: 'A' },
      { ...created, before: { type: 'symlink', target: 'x' } },
    ],
    ['removes a file', { kept: 'old', to: 'absent' }, {}, { before: { type: 'file' }, after: { type: 'absent' } }],
    ['has not changed it yet', { before: { type: 'absent' }, to: digest('A') }, {}, undefined],
    [
      'names a content elsewhere',
      { before: { type: 'file', digest: '../../x' }, to: digest('A') },
      { a: 'A' },
      undefined,
    ],
    [
      'has no mode',
      { before: { type: 'file', digest: digest('old') }, to: digest('A') },
      { a: 'A' },
      { before: { type: 'file', mode: 0o644, digest: digest('old') } },
    ],
    ['has no digest', { before: { type: 'file', mode: 0o644, digest: 0 }, to: digest('A') }, { a: 'A' }, undefined],
    ['does not say what was there', { to: digest('A') }, { a: 'A' }, undefined],
    // Another process has written it since.
    ['creates a file that has changed since', { before: { type: 'absent' }, to: digest('A') }, { a: 'B' }, created],
  ] as const)
    it(`that ${what}`, async () => {
      const { recovered, timeline, history, dir } = left({
        files: { ...files },
        lines: [{ path: 'a', by: 1, ...line }],
      })
      if (what === 'has no mode') keepText(history, 'old')
      const paths = expected === undefined ? [] : [expected]
      const [record] = timeline()
      expect(record).toMatchObject({ kind: 'run', ended: 'interrupted', paths })
      expect(record?.paths[0]?.ignored).toBe(expected !== undefined && 'ignored' in expected ? true : undefined)
      const messages = await recovered()
      expect(messages.join()).toMatch(expected === undefined ? /^$/ : /^execution 1 was interrupted/)
      expect(fs.existsSync(dir)).toBe(expected !== undefined)
      expect(readRecord(history, 1)?.paths ?? []).toEqual(record?.paths)
    })

  it('does not take a damaged content for what was there', () => {
    const { history, timeline } = left({
      files: { a: 'A' },
      lines: [{ path: 'a', by: 1, kept: 'old text', to: digest('A') }],
    })
    const pack = path.join(path.dirname(history), 'objects/1.pack')
    fs.writeFileSync(pack, fs.readFileSync(pack, 'latin1').replace('old text', 'bad text'))
    expect(timeline()[0]?.paths).toMatchObject([{ path: 'a', before: { digest: digest('old text') } }])
    expect(contentsOfHistory(history).read(digest('old text'))).toBe(undefined)
  })

  it('is of the kind that it was', () => {
    const lines = [{ about: { of: 7, ofActions: [2] } }]
    for (const kind of ['run', 'undo', 'redo'])
      expect(left({ header: { kind }, lines }).timeline()).toMatchObject([{ kind, of: 7, ofActions: [2] }])
    expect(left({ header: { kind: 'other' } }).timeline()).toMatchObject([{ kind: 'run' }])
  })

  it('names the program that was running, and no other', async () => {
    const running = (...lines: object[]): Promise<string[]> => left({ lines }).recovered()
    const done = (seq: number): object => ({ done: seq, action: 'exec', target: '', success: true })
    expect(await running({ program: 1 }, done(1))).toEqual([])
    // What is no tree is never given to git.
    for (const tree of [7, '--output=x', ''])
      expect((await running({ program: 2, tree })).join()).toContain('The changes of that program are unknown')
    expect(await running({ program: 2 }, done(1))).toMatchObject([
      'execution 1 was interrupted: clada was stopped before it was complete. Action 1 is complete; all others are missing or partial.',
      expect.stringMatching(
        /^action 2 of execution 1 was running a program at that moment\. The changes of that program are unknown/,
      ),
    ])
  })

  it('has a program before that starts', async () => {
    const root = scratchDir({ a: 'A' })
    const settings = settingsFor(root)
    const { history, workspace, disk, close } = openRecordedWorkspace(
      settings,
      makePathJudge(pathPolicyOf(settings)),
      'disk',
      {
        settings: { git: 'off', author: null, lockFile: null, lockMs: 0 },
        kind: 'run',
      },
    )
    expect(disk).toBe(workspace)
    await workspace.begin()
    history.acting = 3
    await history.beforeProgram()
    expect(entriesOf(root)).toContainEqual({ program: 3, tree: expect.stringMatching(/^[0-9a-f]{40}$/) })
    await history.end([])
    await close()
  })

  it('has what changed since a program began, with what was there', async () => {
    const { root, history, dir, recovered } = left({ files: { a: 'A', b: 'B', c: 'C' } })
    const { tree, isolated } = await takeSnapshot({
      root,
      stateDir: path.dirname(history),
      files: workspaceIn(root),
      settings: { git: 'off', author: null, lockFile: null, lockMs: 0 },
      isBlocked: () => false,
      dir: path.join(dir, 'git'),
    })
    const log = continueJournal(root)
    log.add({ program: 2, tree })
    log.flush()
    log.close()
    isolated.close()
    fill(root, { a: 'changed', d: 'new' })
    fs.rmSync(path.join(root, 'b'))
    expect((await recovered()).join()).toContain('Changed since, by that program or by another process: a, b, d.')
    const paths = readRecord(history, 1)?.paths ?? []
    const textOf = (state: State): string | undefined =>
      state.type === 'file' ? contentsOfHistory(history).read(state.digest)?.toString() : undefined
    expect(paths.map(({ path: name, before, steps }) => [name, textOf(before), steps])).toEqual([
      ['a', 'A', [{ by: 2 }]],
      ['b', 'B', [{ by: 2 }]],
      ['d', undefined, [{ by: 2 }]],
    ])
    expect(fs.readdirSync(dir)).toEqual(['journal'])
  })

  it('leaves no lock of git', async () => {
    const commit = 'a'.repeat(40)
    const { root, recovered } = left({
      files: {
        '.git/HEAD': 'ref: refs/heads/main\n',
        '.git/objects/x': '',
        '.git/refs/heads/main': `${'b'.repeat(40)}\n`,
        '.git/refs/heads/main.lock': `${commit}\n`,
        [`.git/clada-moves-to-${commit}`]: '',
      },
    })
    await recovered()
    expect(fs.readdirSync(path.join(root, '.git/refs/heads'))).toEqual(['main'])
  })

  it('that is whole stays; where only its commit may be missing, that is reported', async () => {
    const record = recordOf(1, { paths: [created] })
    const whole = left({ record })
    expect(await whole.recovered()).toEqual([])
    expect(whole.timeline()).toEqual([record])
    const saving = left({ record, lines: [{ mode: 'commit' }], more: { 'git/x': '' } })
    expect((await saving.recovered()).join()).toMatch(/^execution 1 was interrupted at its end: .* It changed a\. /)
    expect(fs.readdirSync(saving.dir)).toEqual(['journal'])
    expect(saving.timeline()).toEqual([record])
  })

  it('that is damaged is reported as lost, and stays', async () => {
    const { dir, recovered, timeline } = left({ lines: [{ done: 1 }, { done: 2 }] })
    const file = path.join(dir, 'journal')
    fs.writeFileSync(file, fs.readFileSync(file, 'latin1').replace('{"done":1}', '{"done":3}'))
    expect(await recovered()).toMatchObject([expect.stringMatching(/^the record of execution 1 is lost or damaged/)])
    expect(timeline()).toMatchObject([{ ended: 'lost' }])
  })
})

describe('what is said about an execution that died', () => {
  const absent = { type: 'absent' } as const
  const paths = ['a', 'b'].map((name, at): PathRecord => ({
    path: name,
    before: absent,
    after: absent,
    steps: [{ by: at + 1 }],
  }))
  const done = (...numbers: number[]) => numbers.map((seq) => ({ seq, action: '', target: '', success: seq !== 9 }))
  for (const [record, text] of [
    [{}, /complete\. No action is known to be complete\.$/],
    [{ actions: done(2) }, / Action 2 is complete; /],
    [{ actions: done(1, 2, 3, 5, 7, 8, 9) }, / Actions 1-3, 5, 7-8 are complete; /],
    [
      { paths },
      / It changed a, b\. To revert it: clada undo 1\. To continue instead: run the missing actions again\.$/,
    ],
    [{ paths, kind: 'undo', of: 7 }, /^execution 1 \(undo of execution 7\) .* To continue instead: clada undo 7\.$/],
    [{ paths, kind: 'undo', of: 7, ofActions: [2, 3] }, / instead: clada undo 7 --action 2 --action 3\.$/],
    [{ paths, kind: 'redo', of: 7 }, / To continue instead: clada redo\.$/],
  ] as const)
    it(String(text), () => expect(interruptedMessage(recordOf(1, record))).toMatch(text))

  for (const [changed, text] of [
    [undefined, /The changes of that program are unknown/],
    [[], /No file that git sees has changed since\./],
    [paths, /Changed since, by that program or by another process: b\. /],
  ] as const)
    it(String(text), () => expect(describeInterruptedProgram(1, { action: 2, tree: undefined }, changed)).toMatch(text))
})

describe('a record', () => {
  const chat = { conversation: { kind: 'mcp', id: 'c1' } } as const
  const recorded = async (calls: readonly Call[], options: CladaOptions = {}) => {
    const root = scratchDir({ 'a.txt': 'a' })
    await execute(root, 'off', calls, options)
    return readRecord(inState(root, 'history'), 1)
  }

  it('has the first line of each error, and the conversation', async () => {
    const calls: Call[] = [
      ['file_write', { path: 'a.txt', content: 'A' }],
      ['file_replace_text', { path: 'a.txt', old_text: 'none', new_text: 'x' }],
    ]
    const record = await recorded(calls, chat)
    expect(record?.actions[1]?.error).toMatch(/^file_replace_text: /)
    expect(record?.conversation).toEqual(chat.conversation)
    expect(await recorded(calls)).not.toHaveProperty('conversation')
  })
})

describe('old executions', () => {
  for (const [sizes, warning, rest] of [
    [[10, 10, 10, 200], undefined, [1, 2, 3, 4, 5]],
    [[400, 400, 700], 'execution 1 was removed', [2, 3, 4]],
    [[400, 400, 400, 700], 'executions 1 to 2 were removed', [3, 4, 5]],
  ] as const)
    it(`of ${sizes.join(', ')} kB: ${warning ?? 'all stay'}`, async () => {
      const root = scratchDir()
      await execute(root, 'off', [['file_write', { path: 'a.txt', content: '0' }]])
      const history = inState(root, 'history')
      for (const [at, size] of sizes.entries()) {
        if (at > 0) fs.cpSync(dirOf(history, 1), dirOf(history, at + 1), { recursive: true })
        const digest = contentsOfHistory(history).put(Buffer.alloc(size * 1000, at + 1))
        const log = continueJournal(root, at + 1)
        const before: State = { type: 'file', mode: 0o644, digest }
        const paths = [{ path: 'a.txt', before, after: { type: 'absent' }, steps: [] }]
        log.addRecord({ ...readRecord(history, 1), number: at + 1, paths })
        log.flush()
        log.close()
      }
      const next = await execute(root, 'off', [['file_write', { path: 'a.txt', content: '1' }]], {
        limits: { historyBytes: 1_400_000 },
      })
      expect(next.warnings ?? []).toEqual(
        warning === undefined ? [] : [expect.stringContaining(`${warning} from the history`)],
      )
      expect(numbersIn(history)).toEqual(rest)
    })
})
