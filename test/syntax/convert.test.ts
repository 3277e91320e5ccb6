import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import { convertDocument } from '../../packages/clada/src/engine/convert.ts'
import type { Block } from '@clada/reply/core/block.ts'
import type { TargetName } from '@clada/reply/syntax/table.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import type { Call } from '@clada/reply/syntax/call.ts'
import { absolutePath, asReadFrom, callsOf, hostile, meant, render, tame, targets, writerOf } from './calls.ts'

const blocksIn = (text: string, strict = true): readonly Block[] => {
  const { blocks, diagnostics } = findBlocks(new Source(text), { strict })
  expect(diagnostics).toEqual([])
  return blocks
}

describe('a call, written and read', () => {
  for (const target of targets) {
    it(`is the same in ${target}, or is refused`, () => {
      fc.assert(
        fc.property(callsOf(fc.oneof(absolutePath, hostile), hostile), (call) => {
          const rendered = render(target, call)
          if ('refused' in rendered) return
          const blocks = blocksIn(rendered.text)
          expect(blocks.flatMap(({ diagnostics }) => diagnostics)).toEqual([])
          expect(blocks.map(({ action, params }) => ({ action, params: { ...params } }))).toEqual([
            asReadFrom(target, call),
          ])
          expect(blocks[0]?.endLine).toBe(rendered.text.split('\n').length)
        }),
        { numRuns: 2000 },
      )
    })
  }

  it('is never read as another one, even where damage is looked for', () => {
    fc.assert(
      fc.property(callsOf(fc.oneof(absolutePath, hostile), hostile), fc.constantFrom(...targets), (call, target) => {
        const rendered = render(target, call)
        if ('refused' in rendered) return
        const blocks = blocksIn(rendered.text, false)
        expect(blocks).toHaveLength(1)
        const sound = blocks.filter(({ diagnostics }) => diagnostics.length === 0)
        for (const { action, params } of sound) {
          expect({ action, params: { ...params } }).toEqual(asReadFrom(target, call))
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('is refused by none of them for a text that is only text', () => {
    fc.assert(
      fc.property(callsOf(absolutePath, tame), (call) => {
        const refused = targets.filter((target) => 'refused' in render(target, call))
        const once = !('count' in call.params) || call.params['count'] === '1'
        const inReplacer = /^file_(?:write|edit|replace_text)$/.test(call.action) && once
        const inCsl = !/^file_(?:move|delete)$/.test(call.action)
        expect(refused).toEqual([...(inCsl ? [] : ['csl']), ...(inReplacer ? [] : ['replacer'])])
      }),
      { numRuns: 500 },
    )
  })
})

/** A document in one syntax, with groups where it has them. */
function documentIn(target: TargetName, parts: readonly (readonly Call[])[]): string {
  const writer = writerOf(target)
  return parts
    .flatMap((calls, index) => {
      const texts = calls.flatMap((call) => {
        const rendered = render(target, call)
        return 'text' in rendered ? [rendered.text] : []
      })
      if (writer.group === undefined || calls.length < 2 || texts.length === 0) return texts
      return [writer.group(texts, { atomic: index % 2 === 0 })]
    })
    .join('\n\nprose\n\n')
}

/** What a document means, and which of its blocks stand together. */
function shapeOf(blocks: readonly Block[], grouped: boolean): unknown {
  const groups = new Map<unknown, number>()
  return blocks.map((block) => {
    const { group } = block
    if (group !== undefined && !groups.has(group)) groups.set(group, groups.size)
    return { meant: meant(block), ...(grouped && { group: groups.get(group), atomic: group?.atomic }) }
  })
}

describe('a document, there and back', () => {
  const pairs = targets.flatMap((from) => targets.filter((to) => to !== from).map((to) => [from, to] as const))
  it.each(pairs)('from %s to %s', (from, to) => {
    const parts = fc.array(fc.array(callsOf(absolutePath, tame), { minLength: 1, maxLength: 3 }), { maxLength: 4 })
    fc.assert(
      fc.property(parts, (calls) => {
        const original = documentIn(from, calls)
        const blocks = blocksIn(original, false)
        const there = convertDocument(original, to, { repoPath: '/' })
        const back = convertDocument(there.text, from, { repoPath: '/' })
        expect(back.refused).toEqual([])
        const grouped = writerOf(from).group !== undefined && writerOf(to).group !== undefined
        const lines = new Set(there.refused.map(({ line }) => line))
        const kept = blocks.filter(({ startLine }) => !lines.has(startLine))
        expect(kept.length + there.refused.length).toBe(blocks.length)
        expect(shapeOf(blocksIn(back.text, false), grouped)).toEqual(shapeOf(kept, grouped))
      }),
      { numRuns: 60 },
    )
  })

  it('says the same in the same syntax', () => {
    const parts = fc.array(fc.array(callsOf(absolutePath, tame), { minLength: 1, maxLength: 3 }), { maxLength: 4 })
    fc.assert(
      fc.property(parts, fc.constantFrom(...targets), (calls, target) => {
        const once = convertDocument(documentIn(target, calls), target, { repoPath: '/' })
        expect(once.refused).toEqual([])
        expect(convertDocument(once.text, target, { repoPath: '/' }).text).toBe(once.text)
      }),
      { numRuns: 100 },
    )
  })

  it('keeps an alias where blocks name their action', () => {
    const text = `${documentIn('sham', [[{ action: 'read_file', params: { path: '/a.txt' } }]])}\n`
    expect(convertDocument(text, 'sham', { repoPath: '/' }).text).toContain('read_file')
    expect(convertDocument(text, 'csl', { repoPath: '/' }).text).toContain('<---READ')
  })
})

describe('what a syntax cannot say', () => {
  const write = (content: string, path = 'a.txt'): Call => ({ action: 'file_write', params: { path, content } })
  const edit = (old_text: string, new_text: string, count = '1'): Call => ({
    action: 'file_edit',
    params: { path: 'a.txt', old_text, new_text, count },
  })
  const run = (command: string, dir?: string): Call => ({
    action: 'run',
    params: dir === undefined ? { command } : { command, dir },
  })
  const cases: readonly (readonly [TargetName, string, Call, string])[] = [
    ['csl', 'grep', { action: 'grep', params: { pattern: 'x', path: '.' } }, 'cannot write grep'],
    ['csl', 'a move', { action: 'file_move', params: { old_path: 'a', new_path: 'b' } }, 'cannot write file_move'],
    [
      'csl',
      'another parameter',
      { action: 'file_write', params: { path: 'a', content: '', expect_hash: 'x' } },
      'has no parameter expect_hash',
    ],
    [
      'csl',
      'a call without a text it needs',
      { action: 'file_write', params: { path: 'a' } },
      'cannot write file_write without content',
    ],
    [
      'csl',
      'an append on the same line',
      { action: 'file_append', params: { path: 'a', content: 'x' } },
      'appends on a new line only, so new_line must be "true"',
    ],
    [
      'csl',
      'all there are, be it none',
      { action: 'file_replace_all_text', params: { path: 'a', old_text: 'x', new_text: 'y' } },
      'needs the number of occurrences: give count',
    ],
    [
      'csl',
      'ends that are unique by themselves',
      {
        action: 'file_replace_text_range',
        params: { path: 'a', old_text_beginning: 'x', old_text_end: 'y', new_text: 'z' },
      },
      'needs the number of occurrences: give count',
    ],
    ['csl', 'its end marker in content', write('a\n<---END--->\nb'), 'would end the content at its line <---END--->'],
    [
      'csl',
      'a damaged end marker in content',
      write('<---END---> x'),
      'would end the content at its line <---END---> x',
    ],
    [
      'csl',
      'REPLACE in the text to find',
      edit('<---REPLACE--->', 'x'),
      'would end the content at its line <---REPLACE--->',
    ],
    [
      'csl',
      'CRLF',
      write('a\r\nb'),
      'reads every line break as LF, but this text has a CR before a line break or at its end',
    ],
    [
      'csl',
      'a CR at the end',
      write('a\r'),
      'reads every line break as LF, but this text has a CR before a line break or at its end',
    ],
    ['csl', 'half a character', write('\ud800'), 'is UTF-8, which cannot encode lone surrogates'],
    ['csl', 'a line break in a path', write('x', 'a\nb'), 'does not allow a line break in an attribute'],
    ['csl', 'an empty path', write('x', ''), 'does not allow an empty file or dir'],
    ['csl', 'an empty command', run(''), 'does not allow an empty RUN'],
    ['csl', 'an empty search', edit('', 'x'), 'does not allow an empty SEARCH or TO'],
    ['csl', 'a count that is none', edit('x', 'y', '0'), 'accepts a positive integer or all for count, not "0"'],
    ['cml', 'grep', { action: 'grep', params: { pattern: 'x', path: '.' } }, 'cannot write grep'],
    ['cml', 'an empty path', write('x', ''), 'does not allow an empty path'],
    ['cml', 'an empty dir', run('ls', ''), 'does not allow an empty dir'],
    [
      'cml',
      'a control character in a path',
      write('x', 'a\u0001'),
      'does not allow control characters in an attribute',
    ],
    ['cml', 'a command of blanks', run(' \n'), 'does not allow an empty command'],
    ['cml', 'an empty search', edit('', 'x'), 'does not allow an empty search'],
    ['cml', 'half a character', write('\udc00'), 'is UTF-8, which cannot encode lone surrogates'],
    [
      'replacer',
      'an append',
      { action: 'file_append', params: { path: 'a', content: 'x', new_line: 'true' } },
      'cannot append',
    ],
    ['replacer', 'a command', run('ls'), 'cannot write run'],
    ['replacer', 'two places', edit('x', 'y', '2'), 'can only replace text that occurs exactly once'],
    ['replacer', 'a blank text to find', edit(' \n ', 'y'), 'needs a <<<SEARCH>>> that is not only white space'],
    ['replacer', 'a blank replacement', edit('x', ' '), 'reads a <<<REPLACE>>> of only white space as empty'],
    ['replacer', 'its markers in content', write('a\n<<<FILE>>> \nb'), 'would end the content at its line <<<FILE>>> '],
    ['replacer', 'blanks around a path', write('x', ' a'), 'needs a path on one line, without white space around it'],
    [
      'replacer',
      'an explanation with markers',
      { ...write('x'), explanation: '<<<END>>>' },
      'would end the content at its line <<<END>>>',
    ],
  ]
  it.each(cases)('%s: %s', (target, _, call, refused) => {
    expect(render(target, call)).toEqual({ refused })
  })

  it('has its line and its reason, and the others are written', () => {
    const text = [
      'It may be that\n#!SHAM [@three-char-SHA-256: abc]\naction = "grep"\npattern = "x"\npath = "/p"\n#!END_SHAM_abc',
      '#!SHAM [@three-char-SHA-256: def]\naction = "write_file"\npath = "/p/a"\ncontent = "x"\n#!END_SHAM_def',
      '#!SHAM [@three-char-SHA-256: ghi]\naction = unquoted\n#!END_SHAM_ghi',
      '#!SHAM [@wrong: ghi]',
    ].join('\n')
    expect(convertDocument(text, 'csl', { repoPath: '/' })).toEqual({
      text: '<---WRITE file="/p/a"--->\nx\n<---END--->',
      refused: [
        { line: 2, message: 'grep: CSL cannot write grep' },
        { line: 12, message: 'sham: Value must be a quoted string or heredoc' },
        { line: 15, message: 'Invalid SHAM header format' },
      ],
      warnings: [],
    })
  })
})

describe('groups', () => {
  const tasks =
    '<tasks atomic="true">\n<write path="a"><![CDATA[x]]></write>\n<move from="a" to="b"/>\n</tasks>\n<run><![CDATA[ls]]></run>'

  it('are written whole or not at all where the target has them', () => {
    const { text, refused } = convertDocument(tasks, 'csl', { repoPath: '/' })
    expect(text).toBe('<---RUN--->\nls\n<---END--->')
    expect(refused).toEqual([
      { line: 2, message: 'file_write: in the same group as line 3' },
      { line: 3, message: 'file_move: CSL cannot write file_move' },
    ])
  })

  it('come apart where it has none, with a warning', () => {
    const { text, refused, warnings } = convertDocument(tasks, 'replacer', { repoPath: '/' })
    expect(text).toBe('<<<FILE>>>\na\n<<<OVERWRITE>>>\nx\n<<<END>>>')
    expect(refused.map(({ line }) => line)).toEqual([3, 5])
    expect(warnings).toEqual([
      "line 1: the replacer's syntax has no groups, so its blocks are no longer atomic; use --atomic to make the whole document atomic",
    ])
  })

  it('are not written without a member that cannot be read', () => {
    const broken =
      '<tasks>\n<write path="a"><![CDATA[x]]></write>\n<write><![CDATA[x]]></write>\n<write path="c"><![CDATA[x]]></write>\n</tasks>'
    for (const target of targets) {
      const { text, refused } = convertDocument(broken, target, { repoPath: '/' })
      expect(text).toBe('')
      expect(refused.map(({ line }) => line)).toEqual([2, 3, 4])
    }
  })
})

describe('a document in another syntax', () => {
  it('names files from the top in SHAM, which takes no others', () => {
    const text = '<---WRITE file="src/a.ts"--->\nx\n<---END--->\n<---WRITE file="/b"--->\ny\n<---END--->'
    const blocks = blocksIn(convertDocument(text, 'sham', { repoPath: '/' }).text)
    expect(blocks.map(({ params }) => params['path'])).toEqual([withSlashes(path.resolve('/src/a.ts')), '/b'])
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(2)
    const relative = blocksIn(convertDocument(text, 'nesl', { repoPath: '/', relativePaths: true }).text)
    expect(relative.map(({ params }) => params['path'])).toEqual(['src/a.ts', '/b'])
  })

  it('keeps the other name of an action where calls name it', () => {
    const text = render('sham', { action: 'read_file', params: { path: '/a' } })
    const written = 'refused' in text ? '' : text.text
    expect(convertDocument(written, 'nesl', { repoPath: '/' }).text).toContain('action = "read_file"')
    expect(convertDocument(written, 'csl', { repoPath: '/' }).text).toBe('<---READ file="/a"--->')
  })

  it('keeps the explanation where it can, and tells of it where it cannot', () => {
    const text = '<<<EXPLANATION>>>\nwhy\nso\n<<<FILE>>>\na\n<<<OVERWRITE>>>\nx\n<<<END>>>'
    expect(convertDocument(text, 'replacer', { repoPath: '/' })).toMatchObject({ text, warnings: [] })
    expect(convertDocument(text, 'cml', { repoPath: '/' })).toEqual({
      text: '<write path="a"><![CDATA[x]]></write>',
      refused: [],
      warnings: ['line 1: CML has no explanations; this one is left out'],
    })
  })

  it('tells of a path that may begin with a side of a diff', () => {
    const text = '*** Begin Patch\n*** Delete File: b/x.txt\n*** Delete File: c/x.txt\n*** End Patch'
    expect(convertDocument(text, 'nesl', { repoPath: '/', relativePaths: true }).warnings).toEqual([
      'line 2: the path starts with a/ or b/. The original syntax drops that prefix when no such directory exists; NESL keeps it',
    ])
  })

  it('writes and reads CSL with delimiters of its own', () => {
    const cslDelimiters = { start: '[[', end: ']]' }
    const text = '[[WRITE file="a"]]\n<---END--->\n[[END]]'
    expect(convertDocument(text, 'csl', { repoPath: '/', cslDelimiters }).text).toBe(text)
    expect(convertDocument(text, 'cml', { repoPath: '/', cslDelimiters }).text).toBe(
      '<write path="a"><![CDATA[<---END--->]]></write>',
    )
    expect(convertDocument(text, 'cml', { repoPath: '/' }).text).toBe('')
  })

  it('is empty when there is nothing in it', () => {
    expect(convertDocument('prose', 'csl', { repoPath: '/' })).toEqual({ text: '', refused: [], warnings: [] })
  })
})
