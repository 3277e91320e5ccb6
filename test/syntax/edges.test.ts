import { describe, expect, it } from 'vitest'
import { Source } from '../../src/core/source.ts'
import { heredocsIn } from '../../src/syntax/proposal/pair.ts'
import { Texts } from '../../src/syntax/reader.ts'
import { onlyFrame } from '../../src/syntax/search-replace/search-replace.ts'

describe('small parts of syntaxes', () => {
  it.each(['constructor', '__proto__', 'toString'])('texts by name have no %s of their own', (name) => {
    expect(new Texts()[name]).toBeUndefined()
  })

  it.each([
    [['EOF', 'cat > a.txt <<EOF', 'x', 'EOF'], { first: 1, end: 3, isClosed: true, rows: ['x'] }],
    [['cat > a.txt <<EOF', 'EOF'], { first: 0, end: 1, isClosed: true, rows: [] }],
    [['cat > a.txt <<EOF', 'x'], { first: 0, end: 2, isClosed: false, rows: ['x'] }],
  ])('a heredoc ends at its own delimiter (%#)', (rows, expected) => {
    expect(heredocsIn(rows)).toMatchObject([{ path: 'a.txt', ...expected }])
  })

  it.each([
    [8, true],
    [9, false],
  ])('%i empty lines between two blocks are their frame: %s', (count, expected) => {
    expect(onlyFrame(new Source('\n'.repeat(20)), 1, count, undefined)).toBe(expected)
  })
})
