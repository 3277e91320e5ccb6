import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { commentMarksFor } from '@clada/reply/text/comment-marks.ts'
import { findCommonPairs } from '@clada/reply/text/line-diff.ts'
import { cutLines } from '@clada/reply/text/lines.ts'
import { editPlace } from '@clada/reply/text/places.ts'
import { findRanges } from '@clada/reply/text/edit.ts'
import { FileLines } from '@clada/reply/text/file-lines.ts'
import { applySplices } from '@clada/reply/text/fit.ts'
import { applyHunks } from '@clada/reply/text/hunks-apply.ts'
import { parseHunks, withoutPrefixes } from '@clada/reply/text/hunks.ts'
import { renderDiff } from '@clada/reply/text/shown-diff.ts'

describe('small functions at their edges', () => {
  it.each([
    ['css', undefined],
    ['a.css', '/*'],
    ['dir.css/makefile', '#'],
  ])('the comments of a file named %s', (path, open) => {
    expect(commentMarksFor(path)?.open).toBe(open)
  })

  it.each([
    ['abac', 'abacbac abac', 2],
    ['aab', 'aabaab', 2],
    ['aaa', 'aaaaa', 3],
    ['abab', 'ababab', 2],
  ])('%s begins in %s so often', (needle, content, count) => {
    const found = findRanges(content, needle, 'b', 'unique')
    expect(found).toMatchObject({ kind: 'ambiguous', which: 'beginning', count })
  })

  it('a line added at an end without a line end gets the one of the edit, or the one above', () => {
    const file = new FileLines(new Source('a\r\nb'))
    const splice = { from: 2, to: 2, added: ['c'] }
    expect(applySplices(file, [{ ...splice, lineEnds: 'edit' }])).toBe('a\r\nb\nc\n')
    expect(applySplices(file, [splice])).toBe('a\r\nb\r\nc\r\n')
  })

  it.each([
    [0, undefined],
    [1, 'y\nb\nc\n'],
    [3, 'a\nb\ny\n'],
    [4, undefined],
  ])('an edit in line %i that the user chose', (line, expected) => {
    const tolerance = { matching: 'tolerant', readings: 'allowed', damage: [] } as const
    expect(editPlace('a\nb\nc\n', { line, endLine: line }, 'x', 'y', tolerance)).toBe(expected)
  })

  it.each([
    [
      ['7 a', '8 b'],
      ['a', 'b'],
    ],
    [
      ['1 a', '2 b', '3 c'],
      ['a', 'b', 'c'],
    ],
    [['7 a', '9 b'], undefined],
    [['1 a', '2 b', '4 c'], undefined],
    [['7 a'], undefined],
  ])('the numbers before %j are removed where they count up', (lines, expected) => {
    const [found] = withoutPrefixes(lines.map((text) => ({ mark: ' ', text }) as const))
    expect(found?.old).toEqual(expected)
  })

  it('a diff for a person numbers the lines of both sides', () => {
    const [before, after] = ['a\nb\nc\nd\ne\nf\ng\nh\n', 'A\nb\nc\nd\ne\nf\ng\nh\nnew\nlast\n']
    expect(renderDiff(before, after, { context: 1, maxLines: 20, width: 40 })).toEqual([
      '@@ -1,2 +1,2 @@',
      '-a',
      '+A',
      ' b',
      '@@ -8 +8,3 @@',
      ' h',
      '+new',
      '+last',
    ])
  })

  it.each([
    ['one long line', 'x'.repeat(100), { head: 'x'.repeat(10), tail: 'x'.repeat(10) }],
    ['a line break early in the tail', `${'x'.repeat(92)}\n${'y'.repeat(7)}`, { tail: 'y'.repeat(7) }],
    [
      'a line break late in the tail',
      `${'x'.repeat(97)}\n${'y'.repeat(2)}`,
      { tail: `${'x'.repeat(7)}\n${'y'.repeat(2)}` },
    ],
    ['a character of two units', `${'x'.repeat(89)}😀${'y'.repeat(9)}`, { tail: 'y'.repeat(9) }],
  ])('the end of a cut text with %s', (_, text, expected) => {
    expect(cutLines(text, 20)).toMatchObject(expected)
  })

  it.each([1, 0, -3])('nothing of a text fits into room for %i', (room) => {
    expect(cutLines('abcd', room)).toEqual({ head: '', tail: '', first: 1, last: 1, total: 1 })
  })

  it('lines between changed ones are still the same', () => {
    expect(findCommonPairs(['x', 'a', 'y'], ['p', 'a', 'q'])).toEqual([[1, 1]])
  })

  it('a hunk inside an earlier one overlaps it, and so does the next', () => {
    const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const whole = `@@\n-a\n${lines
      .slice(1, -1)
      .map((line) => ` ${line}\n`)
      .join('')}-h`
    const parsed = parseHunks(`${whole}\n@@\n-c\n+C\n@@\n-f\n+F`)
    const hunks = 'hunks' in parsed ? parsed.hunks : []
    const { failures } = applyHunks(`${lines.join('\n')}\n`, hunks)
    expect(failures.map(({ reason, hunk, other }) => [reason, hunk.number, other])).toEqual([
      ['overlap', 2, 1],
      ['overlap', 3, 1],
    ])
  })

  it.each([
    [
      'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@\n-a\n+b',
      [
        ['-', 'a'],
        ['+', 'b'],
      ],
    ],
    [
      ' c\n--- a/x\n+++ b/x\n@@\n-a\n+b',
      [
        [' ', 'c'],
        ['-', '-- a/x'],
        ['+', '++ b/x'],
      ],
    ],
  ])('the names of a file before a hunk are none after lines of one (%#)', (patch, expected) => {
    const parsed = parseHunks(patch)
    const [hunk] = 'hunks' in parsed ? parsed.hunks : []
    expect(hunk?.lines.map(({ mark, text }) => [mark, text])).toEqual(expected)
  })
})
