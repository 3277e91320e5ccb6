import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { splitWatchedFile, saidAgain } from '../../packages/clada/src/watch/results-writer.ts'
import { fatesIn, type KnownFates, knownOf, type Unit, unitsOf } from '../../packages/clada/src/watch/units.ts'
import { inspectFile } from '../../packages/clada/src/watch/watched-file.ts'
import { scratchDir } from '../support/scratch.ts'
import { block } from './world.ts'

const unitsIn = (text: string): Unit[] => unitsOf(findBlocks(new Source(text)))
const read = (id: string): string => block(id, ['action = "file_read"', `path = "/${id}"`])
const inCsl = ['a', 'b'].map((name) => `<---WRITE file="${name}"--->\nx\n<---END--->\n`).join('')
const aside = `<think>\n${read('xyz')}</think>\n${read('abc')}`

describe('the units of a text', () => {
  it.each([
    ['each block', inCsl, [1, 1]],
    ['a group', `<---TASKS--->\n${inCsl}<---END--->\n`, [2]],
    ['two groups', `<---TASKS--->\n${inCsl}<---END--->\n`.repeat(2), [2, 2]],
  ])('are %s', (_, text, counts) => {
    expect(unitsIn(text).map(({ blocks }) => blocks.length)).toEqual(counts)
  })

  it('have a block beside them that does not run', () => {
    expect(unitsIn(aside).map(({ state }) => state)).toEqual(['sound', 'aside'])
  })
})

describe('what is known of a version', () => {
  const [one] = unitsIn(read('one'))
  const known: KnownFates = new Map([[one?.key ?? '', 'done']])
  const after = (text: string) => [...knownOf(unitsIn(text), known, () => undefined).values()]
  it.each([
    ['what ran', read('one'), ['done']],
    ['nothing of what is gone', read('two'), []],
    ['what is gone, where the text is cut off', read('two').replace('#!END_SHAM_two\n', ''), ['done']],
    ['what stays aside', aside, ['aside']],
  ])('is %s', (_, text, fates) => {
    expect(after(text)).toEqual(fates)
  })

  it('is that a block without a result was not read, or failed with all others', () => {
    const units = unitsIn(read('one'))
    const keys = new Set(units.map(({ key }) => key))
    const none = { success: false, totalBlocks: 1, executedActions: 0, results: [], parseErrors: [] }
    expect(units.map(fatesIn(none, keys))).toEqual(['unread'])
    expect(units.map(fatesIn({ ...none, fatalError: 'x' }, keys))).toEqual(['failed'])
    expect(units.map(fatesIn(none, new Set()))).toEqual([undefined])
  })

  it('is said when it comes again, where it ran', () => {
    const said = (fate: Parameters<typeof saidAgain>[1]) =>
      unitsIn(read('one')).flatMap((unit) => saidAgain(unit, fate))
    for (const fate of [undefined, 'unread', 'aside'] as const) expect(said(fate)).toEqual([])
    expect(said('done')).toEqual(['one ⚠️  file_read /one - ran before, not run again'])
  })
})

describe('the parts of a watched file', () => {
  const section = '=== CLADA RESULTS ===\none\n=== END ==='
  it.each([
    ['a byte order mark', '\ufeff', '', 'text\n'],
    ['results below a byte order mark', '\ufeff', `${section}\n\n`, 'text\n'],
    ['results without an empty line', '', `${section}\n`, 'text\n'],
    ['results and nothing else', '', section, ''],
    ['results after a note', '', `📋 Copied to clipboard\n\n${section}\n\n`, 'text\n'],
    ['results without an end', '', '', '=== CLADA RESULTS ===\none\n'],
  ])('%s', (_, mark, results, own) => {
    const parts = splitWatchedFile(Buffer.from(mark + results + own))
    expect([parts.mark, parts.section, parts.own].map(String)).toEqual([mark, results, own])
  })
})

it.each([
  ['a file', 'file', { kind: 'file' }],
  ['no file', 'gone', { kind: 'absent' }],
  ['a path below a file', 'file/a/b', { kind: 'absent' }],
  ['a directory', '.', { kind: 'odd' }],
])('a watched file may be %s', (_, name, look) => {
  expect(inspectFile(path.join(scratchDir({ file: 'x' }), name), 100)).toMatchObject(look)
})
