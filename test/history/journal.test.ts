import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { recordChanges } from '../../packages/clada/src/workspace/replacement.ts'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import type { PathChange } from '../../packages/clada/src/core/recorder.ts'
import { ContentStore } from '../../packages/clada/src/store/content-store.ts'
import { Journal } from '../../packages/clada/src/store/journal.ts'
import { lockProject, takeLock } from '../../packages/clada/src/store/lock.ts'
import { Log, readLog } from '../../packages/clada/src/store/log.ts'
import {
  contentsOfHistory,
  dirOf,
  isSameMode,
  type PathRecord,
  type State,
} from '../../packages/clada/src/store/record.ts'
import { lostBy } from '../../packages/clada/src/store/timeline.ts'
import { Signer, signerOf } from '../../packages/clada/src/state/project-state.ts'
import { fillState, scratchDir } from '../support/scratch.ts'
import { recordOf } from './world.ts'

const large = (text: string): Buffer => Buffer.from(text.repeat(100_000))

/** A journal of execution 1 with its directories, and shorthands for the changes of `root`. */
function opened() {
  const root = scratchDir()
  const stateDir = fillState(root, { 'history/.keep': '' })
  const history = path.join(stateDir, 'history')
  const journal = new Journal(history, 1, root, { version: 1 })
  const contents = contentsOfHistory(history)
  const file = (name: string): string => path.join(root, name)
  const change = (name: string, rest: Omit<PathChange, 'absolute' | 'safePath'>): PathChange => ({
    absolute: file(name),
    safePath: file(name),
    ...rest,
  })
  const bytesAt = (absolute: string) => ({ type: 'file', mode: 0o644, bytes: fs.readFileSync(absolute) }) as const
  const finish = (): PathRecord[] =>
    journal.finish((absolute) => (fs.existsSync(absolute) ? bytesAt(absolute) : { type: 'absent' }))
  const entriesOf = (name: string): object[] =>
    readLog(path.join(dirOf(history, 1), 'journal'), signerOf(stateDir)).entries.filter(
      (entry) => Reflect.get(entry, 'path') === name,
    )
  return { root, history, journal, contents, file, change, finish, entriesOf }
}

const isKept = (contents: ContentStore, state: State, bytes: Buffer | undefined): boolean =>
  bytes !== undefined && state.type === 'file' && contents.read(state.digest)?.equals(bytes) === true

const becomes = (bytes: Buffer, mode = 0o644) => ({ type: 'file', mode, bytes }) as const

describe('a journal', () => {
  it('keeps both sides of a change, whatever its size, with modes', () => {
    const { journal, contents, file, change, finish } = opened()
    const sides: Record<string, readonly [Buffer, Buffer]> = {
      'empty.txt': [Buffer.from('a'), Buffer.alloc(0)],
      'large.txt': [
        Buffer.concat([large('abc'), large('xyz')]),
        Buffer.concat([large('abc'), large('+++'), large('xyz')]),
      ],
      'small.txt': [Buffer.alloc(0), Buffer.from('b')],
    }
    for (const [name, [was, then]] of Object.entries(sides)) {
      fs.writeFileSync(file(name), was)
      recordChanges(
        journal,
        [change(name, { by: 1, was: { mode: 0o644, bytes: was }, becomes: becomes(then, 0o4755) })],
        () => {
          fs.rmSync(file(name))
          fs.writeFileSync(file(name), then)
        },
      )
    }
    const paths = finish()
    for (const { path: name, before, after } of paths) {
      const [was, then] = sides[name] ?? []
      expect([name, isKept(contents, before, was), isKept(contents, after, then)]).toEqual([name, true, true])
    }
    expect(paths.map(({ before, after }) => [before, after])).toMatchObject(
      Array.from({ length: 3 }, () => [{ mode: 0o644 }, { mode: 0o4755 }]),
    )
    journal.close()
  })

  it('announces a prepared change once, and again where the file was changed since', async () => {
    const { journal, file, change, entriesOf } = opened()
    const gone = (name: string): PathChange => change(name, { by: 1, becomes: { type: 'absent' } })
    const changes = ['a.txt', 'b.txt'].map((name) => {
      fs.writeFileSync(file(name), 'text')
      return gone(name)
    })
    await journal.prepare(changes)
    fs.writeFileSync(file('b.txt'), 'of another program')
    for (const one of changes) recordChanges(journal, [one], () => fs.rmSync(one.absolute))
    expect(['a.txt', 'b.txt'].map((name) => entriesOf(name).length)).toEqual([1, 2])
    journal.close()
  })

  it('is on the disk before a file changes, also together with a new directory', () => {
    const { journal, change } = opened()
    const events: string[] = []
    const sync = vi.spyOn(fs, 'fdatasyncSync').mockImplementation(() => void events.push('synced'))
    recordChanges(
      journal,
      [
        change('dir', { by: 1, was: 'absent', becomes: { type: 'directory' } }),
        change('a.txt', { by: 1, was: 'absent', becomes: becomes(Buffer.from('a')) }),
      ],
      () => void events.push('changed'),
    )
    sync.mockRestore()
    expect(events).toEqual(['synced', 'changed'])
    journal.close()
  })

  it('learns what an action left from the next one that reads it', () => {
    const { journal, file, change, finish } = opened()
    const step = (by: number, content: string, was: PathChange['was']): void => {
      recordChanges(
        journal,
        [change('a.txt', { by, ...(was && { was }), becomes: { type: 'file', mode: 0o644 } })],
        () => fs.writeFileSync(file('a.txt'), content),
      )
    }
    step(1, 'first', 'absent')
    step(2, 'second', { mode: 0o644, bytes: Buffer.from('first') })
    expect(finish()[0]?.steps).toMatchObject([{ by: 1, digest: digestOf(Buffer.from('first')) }, { by: 2 }])
    journal.close()
  })

  it('keeps a large file that is deleted under its digest, and does not give it out once it is damaged', () => {
    const { journal, contents, file, change, finish } = opened()
    fs.writeFileSync(file('a.bin'), large('abc'))
    recordChanges(journal, [change('a.bin', { by: 1, becomes: { type: 'absent' } })], () => fs.rmSync(file('a.bin')))
    const before = finish()[0]?.before ?? { type: 'absent' }
    expect(isKept(contents, before, large('abc'))).toBe(true)
    fs.writeFileSync(contents.fileOf(digestOf(large('abc'))), large('abd'))
    expect(isKept(contents, before, large('abc'))).toBe(false)
    expect(contents.isWhole(digestOf(large('abc')))).toBe(false)
    journal.close()
  })

  it('has those of several changes that were made', () => {
    const { journal, file, change, finish } = opened()
    const made = change('a.txt', { by: 1, was: 'absent', becomes: becomes(Buffer.from('a')) })
    const refused = change('b.txt', { by: 2, was: 'absent', becomes: becomes(Buffer.from('b')) })
    const end = journal.beginChange([made, refused])
    fs.writeFileSync(file('a.txt'), 'a')
    end(new Set([refused]))
    expect(finish()).toMatchObject([{ path: 'a.txt', steps: [{ by: 1 }] }])
    journal.close()
  })

  it('reads the disk where the state after a change could not be kept', () => {
    const { journal, file, change, finish } = opened()
    vi.spyOn(ContentStore.prototype, 'keepUnsynced').mockImplementationOnce(() => {
      throw new Error('full')
    })
    const one = change('a.txt', { by: 1, was: 'absent', becomes: becomes(Buffer.from('a')) })
    expect(() => recordChanges(journal, [one], () => fs.writeFileSync(file('a.txt'), 'a'))).toThrow('full')
    expect(finish()).toMatchObject([{ path: 'a.txt', before: { type: 'absent' }, after: { type: 'file' } }])
    vi.restoreAllMocks()
    journal.close()
  })

  it('counts its own link of a file that is still in use', () => {
    const { journal, file, change } = opened()
    fs.writeFileSync(file('a.bin'), large('abc'))
    const failing = (): void => {
      throw new Error('no')
    }
    expect(() => recordChanges(journal, [change('a.bin', { by: 1, becomes: { type: 'absent' } })], failing)).toThrow(
      'no',
    )
    const stat = fs.statSync(file('a.bin'))
    expect([stat.nlink, journal.namesOf(stat)]).toEqual([2, 1])
    journal.close()
  })
})

describe('the log of a journal', () => {
  it('goes back to where it was before entries that are not written yet', () => {
    const file = path.join(scratchDir(), 'journal')
    const signer = new Signer(Buffer.alloc(32), '/p')
    const log = Log.create(file, signer)
    log.add({ a: 1 })
    const { end } = log
    log.add({ b: 2 })
    log.backTo(end)
    log.backTo({ size: 0, mac: '' })
    log.add({ d: 4 })
    log.flush()
    log.backTo({ size: 0, mac: '' })
    log.add({ e: 5 })
    log.flush()
    log.close()
    expect(readLog(file, signer)).toMatchObject({ entries: [{ d: 4 }, { e: 5 }], damaged: false })
  })
})

it('modes of directories count where both are known', () => {
  const dir = (mode?: number) => ({ type: 'directory', ...(mode === undefined ? {} : { mode }) }) as const
  expect(isSameMode(dir(0o755), dir(0o755))).toBe(true)
  expect(isSameMode(dir(0o755), dir(0o700))).toBe(false)
  expect(isSameMode(dir(0o755), dir())).toBe(true)
  expect(isSameMode(dir(), dir(0o700))).toBe(true)
})

describe('the action that removed a text', () => {
  const texts = ['one two', 'two', 'three']
  /** Execution 1 writes the texts one after another, as actions 1 to 3. */
  function written() {
    const { root, history, journal, file, change, finish } = opened()
    let was: PathChange['was'] = { mode: 0o644, bytes: Buffer.from('zero') }
    for (const [at, text] of texts.entries()) {
      const bytes = Buffer.from(text)
      recordChanges(journal, [change('a.txt', { by: at + 1, was, becomes: becomes(bytes) })], () =>
        fs.writeFileSync(file('a.txt'), bytes),
      )
      was = { mode: 0o644, bytes }
    }
    const paths = finish()
    return { root, history, journal, paths }
  }

  for (const [text, action] of [
    ['zero', 1],
    ['one', 2],
    ['two', 3],
    ['three', undefined],
    ['four', undefined],
  ] as const)
    it(`of '${text}' is ${action ?? 'none'}`, () => {
      const { root, history, journal, paths } = written()
      const at = (records: Parameters<typeof lostBy>[0]) => lostBy(records, history, 'a.txt', text)
      expect(journal.lostBy(path.join(root, 'a.txt'), text)).toBe(action)
      const of = action === undefined ? undefined : { execution: 1, action }
      expect(at([recordOf(1, { paths })])).toEqual(of)
      expect(at([recordOf(1, { paths, kind: 'undo', of: 7 })])).toEqual(of && { ...of, kind: 'undo', of: 7 })
      // Deleted by a later execution that kept nothing: that one did not remove what was already gone.
      const gone: PathRecord = { path: 'a.txt', before: { type: 'absent' }, after: { type: 'absent' }, steps: [] }
      expect(at([recordOf(1, { paths }), recordOf(2, { paths: [gone] })])).toEqual(of)
      journal.close()
    })
})

describe('the lock of a repository', () => {
  const settings = { git: 'off', author: null, lockFile: null, lockMs: 0 } as const

  it('is for one at a time', async () => {
    const root = scratchDir()
    const leave = await lockProject(settings, root)
    await expect(lockProject(settings, root)).rejects.toMatchObject({ problem: { kind: 'locked' } })
    leave()
    ;(await lockProject(settings, root))()
  })

  it('is in the temporary directory, for each user, where the state directory cannot be used', async () => {
    const dir = scratchDir({ state: 'a file' })
    vi.stubEnv('XDG_STATE_HOME', path.join(dir, 'state'))
    vi.stubEnv('TMPDIR', dir)
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(1234)
    try {
      const leave = await lockProject(settings, dir)
      expect(fs.readdirSync(path.join(os.tmpdir(), 'clada-1234/locks'))).toHaveLength(1)
      leave()
    } finally {
      getuid.mockRestore()
      vi.unstubAllEnvs()
    }
  })

  it('lets the one go first that waits longest', async () => {
    const lock = path.join(scratchDir(), 'lock')
    const release = await takeLock(lock, 0)
    const order: number[] = []
    const waiting = [1, 2, 3].map(async (number) => {
      const done = await takeLock(lock, 100_000)
      order.push(number)
      done()
    })
    release()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
  })
})
