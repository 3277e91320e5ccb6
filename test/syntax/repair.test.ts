import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { blockNames, writes } from './samples.ts'
import { CountingSource } from './counting-source.ts'

const header = (id: string): string => `#!SHAM [@three-char-SHA-256: ${id}]`
const write = (id: string, content: string): string =>
  `${header(id)}\naction = "file_write"\npath = "/p/${id}"\ncontent = <<'EOT_SHAM_${id}'\n${content}\nEOT_SHAM_${id}\n#!END_SHAM_${id}\n`
const escaped = (text: string): string => text.replace(/[\\_*#[\]<]/g, '\\$&')
const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const quoted = (text: string): string => text.replace(/^(?=.)/gm, '> ')

/** What would be carried out, by path, and what is said besides. */
function read(text: string, options = {}): { done: Record<string, string | undefined>; said: string[] } {
  const { blocks, diagnostics, warnings, notExecuted } = findBlocks(new Source(text), options)
  const sound = blocks.filter((block) => block.diagnostics.length === 0)
  return {
    done: Object.fromEntries(sound.map(({ params }) => [params['path'], params['content']])),
    said: [
      ...blocks.flatMap((block) => [...(block.warnings ?? []), ...block.diagnostics.map(({ code }) => code)]),
      ...diagnostics.map(({ code }) => code),
      ...warnings,
      ...notExecuted.map(({ line, endLine, reason }) => `lines ${line}-${endLine}: ${reason}`),
    ],
  }
}

describe('a list of the lines of a block is no block', () => {
  const lines = ['<write path="/p/a"><![CDATA[a', 'b', ']]></write>']

  test.each([
    ['numbers', (line: string, at: number) => `${at + 1}. ${line}`],
    ['numbers and parentheses', (line: string, at: number) => `${at + 1}) ${line}`],
    ['bullets', (line: string) => `- ${line}`],
    ['bullets and indentation', (line: string) => `  * ${line}`],
  ])('with %s', (_, by) => {
    const { done, said } = read(`${lines.map(by).join('\n')}\n`)
    expect(done).toEqual({})
    expect(said).toHaveLength(1)
  })

  test('but an item may hold one', () => {
    expect(read(`1. ${lines.join('\n')}\n`).done).toEqual({ '/p/a': 'a\nb\n' })
    expect(
      read(`1. <write path="/p/a"><![CDATA[a]]></write>\n2. <write path="/p/b"><![CDATA[b]]></write>\n`).done,
    ).toEqual({
      '/p/a': 'a',
      '/p/b': 'b',
    })
  })
})

describe('what is clean stays as it is', () => {
  const inputs = ['sham', 'csl', 'cml'].flatMap((name) => {
    const { cases }: { cases: { name?: string; input?: unknown }[] } = JSON.parse(
      readFileSync(new URL(`../conformance/${name}.json`, import.meta.url), 'utf8'),
    )
    return cases.flatMap((one) => (typeof one.input === 'string' ? [[`${name} ${one.name}`, one.input] as const] : []))
  })

  test('there are inputs', () => {
    expect(inputs.length).toBeGreaterThan(150)
  })

  test.each(inputs)('%s', (name, input) => {
    // A key with a zero-width character in it: an error there, damage here.
    if (name === 'sham 024-invalid-utf8-keys') return
    const source = new Source(input)
    expect(findBlocks(source)).toEqual(findBlocks(source, { strict: true }))
  })

  test('damaged markers inside content', () => {
    const about = [escaped(write('zz', 'x')), html('<---WRITE file="a"--->\nx\n<---END--->'), quoted(write('zz', 'x'))]
    const content = about.join('\n').trimEnd()
    expect(read(write('ab', content))).toEqual({ done: { '/p/ab': content }, said: [] })
  })

  test('an example beside a sound block, with a word about it', () => {
    const { done, said } = read(`Not so:\n${escaped(write('zz', 'x'))}but so:\n${write('ab', 'y')}`)
    expect(done).toEqual({ '/p/ab': 'y' })
    expect(said).toEqual(['lines 2-8: example'])
  })

  describe.each(blockNames)('a whole block after ">", in %s', (syntax) => {
    const [own, other] = [writes(syntax, '/p/own', 'x'), writes(syntax, '/p/other', 'y')]
    const marked = own.replace(/^/gm, '> ').trimEnd()

    test.each([
      ['below a sentence', `You wrote:\n\n${marked}\n\n`],
      ['above one', `${marked}\n\nThis is wrong.\n`],
      ['quoted twice', `So:\n\n${marked.replace(/^/gm, '> ')}\n`],
      ['without spaces', `So:\n\n${own.replace(/^/gm, '>')}\n`],
      ['in an item of a list', `So:\n\n- ${marked.replaceAll('\n', '\n  ')}\n`],
      ['in a fence', `So:\n\n\`\`\`\n${marked}\n\`\`\`\n`],
      ['with its answer', `${marked}\n\nNo, so:\n\n${other}`],
      ['after the answer', `${other}\ninstead of\n\n${marked}\n`],
    ])('is a quotation: %s', (_, text) => {
      const { done, said } = read(text)
      expect(Object.keys(done)).toEqual(text.includes(other) ? ['/p/other'] : [])
      // `>>>>>>>> REPLACE` may be a marker, so its block is broken and not quoted.
      if (syntax !== 'search-replace') expect(said.some((line) => line.endsWith(': quoted'))).toBe(true)
    })
  })

  test('a quotation in a text that is none', () => {
    expect(read(`You wrote\n${quoted(write('zz', 'x'))}which is wrong.\n`)).toEqual({
      done: {},
      said: ['lines 2-8: quoted'],
    })
  })
})

describe('what is damaged', () => {
  test.each([
    ['a no-break space', write('ab', 'x').replace('M [', 'M\xa0['), 'line 1: marker read despite no-break spaces'],
    ['a zero-width space', `\u200b${write('ab', 'x')}`, 'line 1: marker read despite invisible characters'],
    [
      'a curly quote',
      write('ab', 'x').replace('"/p/ab"', '\u201c/p/ab\u201d'),
      'line 3: marker read despite typographic punctuation',
    ],
    ['guillemets', write('ab', 'x').replace('<<', '\xab'), 'line 4: marker read despite typographic punctuation'],
    [
      'a fence inside',
      write('ab', 'x').replace('\nact', '\n```\nact'),
      'line 2: a code fence inside the block was skipped',
    ],
    [
      'a delimiter',
      write('ab', 'x').replace('\nEOT_', '\nEOT\u200b_'),
      'line 6: marker read despite invisible characters',
    ],
    ['the end', write('ab', 'x').replace('#!END_', '#!END\xad_'), 'line 7: marker read despite invisible characters'],
    [
      'the name of the action',
      write('ab', 'x').replace('file_w', 'file\\_w'),
      'line 2: marker read despite backslashes of markdown',
    ],
    [
      'indentation',
      write('ab', 'x').replace(/^(?=.)/gm, '  '),
      'lines 1-7: read without the indentation before every line',
    ],
    ['a quoted reply', quoted(write('ab', 'x')), 'lines 1-7: read without the ">" before every line'],
  ])('%s', (_, text, warning) => {
    expect(read(text)).toEqual({ done: { '/p/ab': 'x' }, said: [warning] })
    expect(read(text, { strict: true }).done).toEqual({})
  })

  test('hides what stands in it', () => {
    const text = `\u200b${write('ab', write('zz', 'x').trimEnd())}`
    expect(Object.keys(read(text, { strict: true }).done)).toEqual(['/p/zz'])
    expect(Object.keys(read(text).done)).toEqual(['/p/ab'])
  })

  test('between sound blocks is read where nothing can be seen of the damage', () => {
    const text = write('ab', '1') + write('cd', '2').replace('M [', 'M\xa0[') + write('ef', '3')
    expect(Object.values(read(text).done)).toEqual(['1', '2', '3'])
  })

  test('is not read when the indentation is not that of all lines', () => {
    expect(read(write('ab', 'x\ny').replace(/^(?=[^y\n])/gm, '  ')).done).toEqual({})
  })

  test.each([
    ['entities', html(write('ab', 'a < b'))],
    ['backslashes', escaped(write('ab', 'a_b'))],
    ['no-break spaces', write('ab', 'a b').replaceAll(' ', '\xa0')],
    [
      'curly quotes',
      write('ab', '"a"')
        .replace(/"([^"]*)"/g, '\u201c$1\u201d')
        .replace(/'([^']*)'/g, '\u2018$1\u2019'),
    ],
    ['two blanks at every end', write('ab', 'a').replaceAll('\n', '  \n')],
  ])('is refused when the content may be: %s', (_, text) => {
    const { done, said } = read(text)
    expect(done).toEqual({})
    expect(said).toContain('damaged')
  })

  test('tells of blocks that show nothing themselves', () => {
    const alone = `${header('ab')}\naction = "file_write"\npath = "/p/ab"\ncontent = "a &lt; b"\n#!END_SHAM_ab\n`
    // Nothing in its markers could have been escaped, so it is taken as it stands,
    expect(read(alone).done).toEqual({ '/p/ab': 'a &lt; b' })
    // unless something else in the text was.
    expect(Object.keys(read(html(write('cd', 'x')) + alone).done)).toEqual(['/p/cd'])
  })

  test('is read in the time that its length takes', () => {
    const cost = (n: number): number => {
      const text = Array.from(
        { length: n },
        (_, i) =>
          `\u200b${header(i.toString(36).padStart(4, '0'))}\nk = <<'EOT_SHAM_${i.toString(36).padStart(4, '0')}'\nx\n`,
      ).join('')
      const source = new CountingSource(text)
      findBlocks(source)
      return source.asked / n
    }
    expect(cost(4000)).toBeLessThan(cost(500) * 2)
  })
})

test('a block whose lines are items of a list does not take the next one for its content', () => {
  const listed = write('abc', 'line').replace(/^(?!path)(?=.)/gm, '1. ')
  const text = `${listed}\n${write('x9k', 'content')}\n1. ${write('abc', 'x').replace(/^content/m, '1. content')}`
  expect(read(text).done).toEqual({ '/p/x9k': 'content' })
})

test.each([
  ['a part that is not in an operation', '<---TASKS--->\n<---RUN--->\nls\n<---END--->\n<---REPLACE--->\n<---END--->\n'],
  ['an END with attributes', '<---RUN--->\nls\n<---END x="y"--->\n<---END--->\n'],
  ['TASKS without an END', '<---TASKS--->\n<---RUN--->\nls\n<---END--->\n'],
])('%s is a mistake, clean or damaged', (_, text) => {
  for (const one of [text, html(text), text.replaceAll('---', '\u2014')]) {
    const { blocks } = findBlocks(new Source(one))
    expect(blocks, one).not.toEqual([])
    expect(
      blocks.filter(({ diagnostics }) => diagnostics.length === 0),
      one,
    ).toEqual([])
  }
})

describe('a damaged block around a sound one', () => {
  const inner = ['Like this:', '```', '<---WRITE file="b"--->', 'x', '<---END--->', '```', 'and so on.'].join('\n')
  const dashes = (text: string): string => text.replaceAll('---', '\u2013-')

  test.each([
    ['dashes', dashes],
    ['entities', html],
    ['backslashes', escaped],
  ])('runs neither, for where it ends is not sure: %s', (_, damage) => {
    const { done, said } = read(`${damage('<---WRITE file="a"--->')}\n${inner}\n${damage('<---END--->')}\n`)
    expect(done).toEqual({})
    expect(said).toContain('csl-stray-end')
  })

  test('runs neither of the replacer', () => {
    const block = (path: string, content: string): string =>
      `<<<FILE>>>\n${path}\n<<<OVERWRITE>>>\n${content}\n<<<END>>>`
    const [before = '', after = ''] = html(block('a', '|')).split('|')
    const { done, said } = read(`${before}Like this:\n\`\`\`\n${block('b', 'x')}\n\`\`\`\n${after}\n`)
    expect(done).toEqual({})
    expect(said).toContain('replacer-overrun')
  })

  test('is read where only its first marker is damaged', () => {
    const sound = '<---WRITE file="a"--->\n1\n<---END--->\n'
    const { done } = read(`${sound}<\u2013-WRITE file="b"\u2013->\n2\n<---END--->\n`)
    expect(done).toEqual({ a: '1', b: '2' })
  })
})

describe('damaged markers that stay unread are listed', () => {
  const run = '<---WRITE file="a"--->\n1\n<---END--->\n'

  test('if their repair would stop sound blocks', () => {
    const { done, said } = read(`${run}<\u2014TASKS\u2014>\n<---WRITE file="b"--->\n2\n<---END--->\n`)
    expect(done).toEqual({ a: '1', b: '2' })
    expect(said).toEqual(['lines 4-4: unreadable'])
  })

  test('in a reply that is quoted as a whole', () => {
    const group = '<\u2013-TASKS\u2013->\n<\u2013-WRITE file="b"\u2013->\n2\n<\u2013-END\u2013->\n'
    const { done, said } = read(quoted(`${group}\`<---END--->\`\n${run}`))
    expect(done).toEqual({ a: '1' })
    expect(said).toEqual([
      'the whole text was read without the ">" before every line',
      'lines 1-4: example',
      'lines 5-5: unreadable',
    ])
  })

  test.each(['`<---WRITE file="a"--->`\\', '**`<---WRITE file="a"--->`**'])('alone in backticks: %s', (line) => {
    expect(read(`Edits:\n${line}\n1\n<---END--->\n`.replace(/\n1\n.*\n/, '\n')).said).toEqual(['lines 2-2: unreadable'])
  })
})
