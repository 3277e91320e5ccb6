import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { digestOf } from '../../packages/clada/src/core/digest.ts'
import { ContentStore, mostPacked } from '../../packages/clada/src/store/content-store.ts'
import { scratchDir } from '../support/scratch.ts'

/** A directory for contents, and stores over it, each as another process would open it. */
function opened() {
  const dir = path.join(scratchDir(), 'objects')
  const open: ContentStore[] = []
  onTestFinished(() => open.forEach((store) => store.close()))
  const storeOf = (execution: number): ContentStore => {
    const store = new ContentStore(dir, execution)
    open.push(store)
    return store
  }
  const keep = (execution: number, ...texts: readonly string[]): void => {
    const store = storeOf(execution)
    for (const text of texts) store.put(Buffer.from(text))
    store.flush()
  }
  const found = (execution: number, text: string): string | undefined =>
    storeOf(execution).read(digestOf(text))?.toString()
  return { dir, storeOf, keep, found, packOf: (execution: number) => path.join(dir, `${execution}.pack`) }
}

const large = 'large'.repeat(mostPacked)

describe('a store of contents', () => {
  it('has small contents in one file for each execution, each once, and large ones in files of their own', () => {
    const { dir, keep, found } = opened()
    keep(1, 'one', 'one', '', large)
    keep(2, 'one', 'two', large)
    expect(fs.readdirSync(dir).sort()).toEqual(['1.pack', '2.pack', digestOf(large)])
    for (const text of ['one', '', 'two', large])
      expect([1, 2, 3].map((at) => found(at, text))).toEqual([text, text, text])
    expect(fs.statSync(path.join(dir, '1.pack')).size).toBe(2 * (64 + 1 + 8 + 1 + 1) + 'one'.length)
  })

  it('reads what it has just put, before and after it is written', () => {
    const { storeOf } = opened()
    const store = storeOf(1)
    const digests = ['a', 'b'].map((text) => store.keepUnsynced(Buffer.from(text)))
    expect(digests.map((digest) => store.read(digest)?.toString())).toEqual(['a', 'b'])
    store.keepUnsynced(Buffer.from('c'))
    store.syncNow()
    expect([store.read(digestOf('c'))?.toString(), store.has(digestOf('d')), store.sizeOf(digestOf('d'))]).toEqual([
      'c',
      false,
      0,
    ])
  })

  it('reads what earlier versions kept: one file for each content', () => {
    const { dir, keep, found } = opened()
    fs.mkdirSync(dir)
    fs.writeFileSync(path.join(dir, digestOf('old')), 'old')
    keep(2, 'new')
    expect(['old', 'new'].map((text) => found(1, text))).toEqual(['old', 'new'])
  })

  for (const [what, lost] of [
    ['in the bytes', 3],
    ['in the length', 12],
    ['in the digest', 60],
    ['before the content', 80],
  ] as const)
    it(`keeps everything before a torn end, and goes on there (torn ${what})`, () => {
      const { keep, found, packOf } = opened()
      keep(1, 'first', 'last')
      fs.truncateSync(packOf(1), fs.statSync(packOf(1)).size - lost)
      expect(['first', 'last'].map((text) => found(1, text))).toEqual([lost < 80 ? 'first' : undefined, undefined])
      keep(1, 'next', 'last')
      expect(['next', 'last'].map((text) => found(1, text))).toEqual(['next', 'last'])
    })

  it('writes a content again that a power cut has emptied', () => {
    const { dir, keep, found, packOf } = opened()
    for (const [text, file] of [
      ['text', packOf(1)],
      [large, path.join(dir, digestOf(large))],
    ] as const) {
      keep(1, text)
      fs.writeFileSync(file, Buffer.alloc(fs.statSync(file).size))
      expect(found(1, text)).toBe(undefined)
      keep(1, text)
      expect(found(1, text)).toBe(text)
    }
  })

  it('gives out no damaged content, and a whole one of another execution in its place', () => {
    const { keep, found, packOf } = opened()
    keep(1, 'text')
    keep(2, 'text')
    const bytes = fs.readFileSync(packOf(2))
    fs.writeFileSync(packOf(2), bytes.fill('x', bytes.indexOf('text'), bytes.length - 1))
    expect(found(2, 'text')).toBe('text')
    fs.rmSync(packOf(1))
    expect(found(2, 'text')).toBe(undefined)
  })

  it('reads no pipe that somebody put in the place of a kept file', () => {
    const { dir, storeOf, packOf } = opened()
    fs.mkdirSync(dir)
    execFileSync('mkfifo', [path.join(dir, digestOf('a')), packOf(1)])
    const store = storeOf(1)
    const digest = digestOf('a')
    expect([store.read(digest), store.has(digest), store.isWhole(digest)]).toEqual([undefined, false, false])
  })

  it('names no file elsewhere, whatever a damaged log has as a digest', () => {
    const { dir, keep, storeOf } = opened()
    keep(1, 'a')
    fs.writeFileSync(path.join(path.dirname(dir), 'a'), 'a')
    expect(storeOf(1).read('../a')).toBe(undefined)
  })

  it('forgets what a full disk did not take, and keeps what fits later', () => {
    const { storeOf, found } = opened()
    const store = storeOf(1)
    store.put(Buffer.from('first'))
    store.flush()
    const full = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw new Error('full')
    })
    store.put(Buffer.from('second'))
    expect(() => store.flush()).toThrow('full')
    full.mockRestore()
    store.put(Buffer.from('third'))
    store.flush()
    expect(['first', 'second', 'third'].map((text) => found(1, text))).toEqual(['first', undefined, 'third'])
  })

  it('removes the packs of executions and the large contents that nothing needs', () => {
    const { dir, keep, storeOf } = opened()
    keep(1, 'one', large)
    keep(2, 'two', `${large}!`)
    storeOf(3).keepOnly(new Set([2]), new Set([digestOf(large)]))
    expect(fs.readdirSync(dir).sort()).toEqual(['2.pack', digestOf(large)])
  })

  it('has everything that was put on the disk after a sync, and not what a power cut may take', async () => {
    const { storeOf } = opened()
    const store = storeOf(1)
    expect(store.isSynced).toBe(true)
    store.put(Buffer.from('before'))
    expect(store.isSynced).toBe(false)
    await store.sync()
    store.keepUnsynced(Buffer.from('after'))
    expect(store.isSynced).toBe(true)
    store.put(Buffer.from(large))
    expect(store.isSynced).toBe(false)
    store.syncNow()
    expect(store.isSynced).toBe(true)
  })
})
