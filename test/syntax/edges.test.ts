import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { parseMarker } from '@clada/reply/syntax/csl/marker.ts'
import { explainDiagnostic } from '../../packages/clada/src/report/explain-diagnostic.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { fenceAt, parseFence } from '@clada/reply/regions/fences.ts'
import { findHeredocs } from '@clada/reply/syntax/proposal/heredoc.ts'
import { Texts } from '@clada/reply/syntax/reader.ts'
import { hasOnlyFrame } from '@clada/reply/syntax/search-replace/search-replace.ts'

const csl = { start: '<---', end: '--->' }

describe('small parts of syntaxes', () => {
  it.each(['constructor', '__proto__', 'toString'])('texts by name have no %s of their own', (name) => {
    expect(new Texts()[name]).toBeUndefined()
  })

  it.each([
    [['EOF', 'cat > a.txt <<EOF', 'x', 'EOF'], { first: 1, end: 3, isClosed: true, rows: ['x'] }],
    [['cat > a.txt <<EOF', 'EOF'], { first: 0, end: 1, isClosed: true, rows: [] }],
    [['cat > a.txt <<EOF', 'x'], { first: 0, end: 2, isClosed: false, rows: ['x'] }],
  ])('a heredoc ends at its own delimiter (%#)', (rows, expected) => {
    expect(findHeredocs(rows)).toMatchObject([{ path: 'a.txt', ...expected }])
  })

  it.each([
    [8, true],
    [9, false],
  ])('%i empty lines between two blocks are their frame: %s', (count, expected) => {
    expect(hasOnlyFrame(new Source('\n'.repeat(20)), 1, count, undefined)).toBe(expected)
  })

  it.each([
    ['  ~~~~ ts ', { indent: '  ', marks: '~~~~', info: 'ts' }],
    ['```', { indent: '', marks: '```', info: '' }],
    ['`a`', undefined],
    ['``', undefined],
    ['``a', undefined],
    ['``` a`', undefined],
    ['`~~', undefined],
  ])('a fence has three marks or more, and no code inside its line: %j', (line, expected) => {
    expect(parseFence(line)).toEqual(expected)
    expect(fenceAt(new Source(`x\n${line}\n`), 2)).toEqual(expected)
  })

  it('a diff whose header has one more carriage return is read to its end', () => {
    const text = 'diff --git a/x.txt b/x.txt\r\r\n--- a/x.txt\r\r\n+++ b/x.txt\r\r\n@@ -1 +1 @@\r\r\n-a\r\r\n+b\r\r\n'
    const [block, ...others] = findBlocks(new Source(text)).blocks
    expect(others).toEqual([])
    expect(block).toMatchObject({ syntax: 'udiff', action: 'file_patch', startLine: 1, endLine: 6 })
  })

  it('a marker that is quoted says nothing about the line above it', () => {
    const { notExecuted } = findBlocks(new Source('Text with <b>.\n> edit 3:5\n'), { syntaxes: ['swe-agent'] })
    expect(notExecuted).toEqual([{ line: 2, endLine: 2, reason: 'quoted', what: 'swe-agent marker' }])
  })

  it.each([...'aAzZ09_'])('the name of a marker may have %s', (c) => {
    expect(parseMarker(`<---X${c}--->`, csl)).toMatchObject({ name: `X${c}` })
  })

  it.each([...'`{@[/:^'])('the name of a marker has no %s', (c) => {
    expect(parseMarker(`<---X${c}--->`, csl)).toBeUndefined()
  })
})

const fenced = (rows: string): string =>
  `<write_to_file>\n<path>a.ts</path>\n<content>\n${rows}\n</content>\n</write_to_file>`
const call = (path: string): string =>
  `<tool_call>{"name": "write_file", "arguments": {"path": "${path}", "content": "x"}}`
const edit = 'Sure:\na.ts\n<<<<<<< SEARCH\na\n\nb\n=======\nc\n>>>>>>> REPLACE\n'
const patch = { path: 'a.ts', patch: '@@!\n-a\n-\n-b\n+c' }
const written = { path: 'a.ts', content: 'x' }

describe('what a text holds', () => {
  it.each([
    ['lines of a file', '<read path="a.ts" lines="1-2"/>', [['file_read_numbered', { path: 'a.ts', lines: '1-2' }]]],
    ['a bracket in an attribute', '<write path="a<b"><![CDATA[x]]></write>', [['file_write', {}, 'cml-xml']]],
    [
      'an element that is an edit',
      '<change file="a.ts">\n<search>a</search>\n<replace>b</replace>\n</change>',
      [['file_replace_text', { path: 'a.ts', old_text: 'a', new_text: 'b' }]],
    ],
    ['a fence around a file', fenced('```\nx\n```'), [['file_write', { path: 'a.ts', content: 'x\n' }]]],
    ['a fence around an empty file', fenced('```\n```'), [['file_write', { path: 'a.ts', content: '' }]]],
    [
      'two calls on one line',
      `${call('a.ts')}</tool_call>${call('b.ts')}`,
      [
        ['file_write', written],
        ['file_write', { ...written, path: 'b.ts' }],
      ],
    ],
    ['a call that ends in its JSON', call('a.ts').slice(0, -9), [['', {}, 'call-open']]],
    [
      'a call and one that ends in its JSON',
      `${call('a.ts')}</tool_call>${call('b.ts').slice(0, -9)}`,
      [
        ['file_write', written],
        ['', {}, 'call-open'],
      ],
    ],
    [
      'a call that is no JSON',
      `${call('a.ts').replace('{"path', 'so {"path')}</tool_call>\nmore\n`,
      [['', {}, 'call-no-json']],
    ],
    ['an edit that is quoted', edit.replace(/^(?=.)/gm, '> '), [['file_patch', patch]]],
    [
      'an edit that is quoted, with spaces in an empty line',
      edit.replace(/^(?=.)/gm, '> ').replace('\n\n', '\n  \n'),
      [['file_patch', patch]],
    ],
    [
      'an edit that is quoted without spaces',
      edit.replace(/^(?=.)/gm, '>').replace('>', '> '),
      [['file_patch', patch]],
    ],
    [
      'an old text and no end of the new one',
      'In `a.ts`, change this:\n```\na\n```\nto this:\n```\nb\n',
      [['file_patch', { path: 'a.ts' }, 'file-open']],
    ],
    ['an empty element', '<file path="a.ts">\n</file>', [['file_write', { path: 'a.ts', content: '' }]]],
  ])('%s', (_, text, expected) => {
    expect(
      findBlocks(new Source(text)).blocks.map(({ action, params, diagnostics }) => [
        action,
        { ...params },
        ...diagnostics.map(({ code }) => code),
      ]),
    ).toEqual(expected)
  })

  it('a call that is cut off after another one says that only that one was read', () => {
    const { blocks } = findBlocks(new Source(`${call('a.ts')}</tool_call>${call('b.ts').slice(0, -9)}`))
    const [diagnostic] = blocks[1]?.diagnostics ?? []
    const { hint } = diagnostic === undefined ? {} : explainDiagnostic(diagnostic, null)
    expect(hint).toContain('Only the calls before it on line 1 were read')
  })

  it.each([
    ['a', undefined],
    ['a &amp; b', ['entities']],
  ])('the text of a block with entities in its markers, and so in it: %s', (text, damage) => {
    const [block] = findBlocks(
      new Source(
        `a.ts\n&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\n${text}\n=======\nc\n&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE\n`,
      ),
    ).blocks
    expect(block?.damage).toEqual(damage)
  })
})
