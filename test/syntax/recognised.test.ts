import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { BlockStream } from '@clada/reply/syntax/stream-blocks.ts'
import { called } from '../support/in-process.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

/** Forms that were listed as unreadable, or dropped without a word. */

const find = (text: string) => findBlocks(new Source(text))
const html = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const decimal = (text: string): string => text.replaceAll('<', '&#60;').replaceAll('>', '&#62;')
const hexadecimal = (text: string): string => text.replaceAll('<', '&#x3c;').replaceAll('>', '&#x3E;')

describe('a group without tasks', () => {
  test.each([
    ['CSL', '<---TASKS--->\n<---END--->\n'],
    ['CSL with a version and an empty line', '<---TASKS version="0.0.1"--->\n\n<---END--->\n'],
    ['CSL, atomic', '<---TASKS atomic="true"--->\n<---END--->\n'],
    ['CML', '<tasks>\n</tasks>\n'],
    ['CML on one line', '<tasks version="0.0.1"></tasks>\n'],
    ['CML with a comment', '<tasks version="1.0">\n  <!-- nothing -->\n</tasks>\n'],
    ['CML that closes itself', '<tasks version="1.0"/>\n'],
  ])('is valid and does nothing: %s', async (_, text) => {
    expect(find(text)).toMatchObject({ blocks: [], diagnostics: [], notExecuted: [], emptyGroups: [{ line: 1 }] })
    const root = scratchDir()
    for (const command of ['run', 'check', 'diff']) {
      const { status, stdout } = await called([command, ...(command === 'run' ? ['--no-git'] : []), '--root', root], {
        input: text,
      })
      expect(status, command).toBe(0)
      if (command === 'run') expect(stdout).not.toContain('No blocks found')
    }
    expect(filesIn(root)).toEqual({})
  })

  test('does not keep what follows it from running', () => {
    expect(find('<tasks></tasks>\n<write path="a"><![CDATA[x]]></write>\n').blocks).toHaveLength(1)
    expect(find('<---TASKS--->\n<---END--->\n<---WRITE file="a"--->\nx\n<---END--->\n').blocks).toHaveLength(1)
  })

  test('with a version that is unknown is refused', () => {
    expect(find('<tasks version="9.0"></tasks>\n').emptyGroups).toBeUndefined()
  })
})

describe('markers as HTML', () => {
  const documents = {
    RUN: '<---RUN--->\nls\n<---END--->\n',
    EXEC: '<---EXEC lang="bash" timeout="3"--->\nls\n<---END--->\n',
    READ: '<---READ file="a.txt"--->\n',
    'READ with lines': '<---READ file="a.txt" lines="1-2"--->\n<---END--->\n',
    'TASKS with READ and EXEC':
      '<---TASKS--->\n<---READ file="a"--->\n<---EXEC lang="bash"--->\nls\n<---END--->\n<---RUN--->\nls\n<---END--->\n<---END--->\n',
    'CSL SEARCH': '<---SEARCH file="a.txt"--->\na\n<---TO--->\nb\n<---REPLACE--->\nc\n<---END--->\n',
    run: '<run><![CDATA[ls]]></run>\n',
    exec: '<exec lang="bash"><![CDATA[ls]]></exec>\n',
    read: '<read path="a.txt"/>\n',
    'read with lines': '<read path="a.txt" lines="1-2"/>\n',
    tasks: '<tasks version="1.0">\n<read path="a"/>\n<exec lang="bash"><![CDATA[ls]]></exec>\n</tasks>\n',
    replacer: '<<<FILE>>>\na.txt\n<<<SEARCH>>>\na\n<<<REPLACE>>>\nb\n<<<END>>>\n',
    'search-replace': 'a.txt\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n',
  }
  const damages = {
    'named entities': html,
    'decimal entities': decimal,
    'hexadecimal entities': hexadecimal,
    backslashes: (text: string) => text.replaceAll('<', '\\<').replaceAll('>', '\\>'),
    'an invisible character': (text: string) => text.replace('<', '\u200b<'),
  }
  const meaning = (text: string) => find(text).blocks.map(({ action, params }) => ({ action, params: { ...params } }))

  test.each(
    Object.entries(documents).flatMap(([name, text]) =>
      Object.entries(damages).map(([damage, by]) => [name, damage, text, by] as const),
    ),
  )('%s is read through %s', (_, __, text, by) => {
    const { blocks, diagnostics, notExecuted } = find(by(text))
    expect({ diagnostics, notExecuted }).toEqual({ diagnostics: [], notExecuted: [] })
    expect(blocks.flatMap((block) => block.diagnostics)).toEqual([])
    expect(meaning(by(text))).toEqual(meaning(text))
    expect(blocks.flatMap(({ warnings = [] }) => warnings)).not.toEqual([])
  })
})

describe('a search-replace block that a divider closes', () => {
  const edit = (old: string, fresh: string): string => `<<<<<<< SEARCH\n${old}\n=======\n${fresh}\n=======\n`
  const patches = (text: string) =>
    find(text).blocks.map(({ params, diagnostics }) => (diagnostics.length > 0 ? 'bad' : params['patch']))

  test.each([
    ['in a fence', `a.txt\n\`\`\`\n${edit('a', 'b')}\`\`\`\n`, ['@@!\n-a\n+b']],
    ['at the end of the text', `a.txt\n${edit('a', 'b')}`, ['@@!\n-a\n+b']],
    ['before another one', `a.txt\n\`\`\`\n${edit('a', 'b')}${edit('c', 'd')}\`\`\`\n`, ['@@!\n-a\n+b\n@@!\n-c\n+d']],
    [
      'before another one, with an empty line',
      `a.txt\n\`\`\`\n${edit('a', 'b')}\n${edit('c', 'd')}\`\`\`\n`,
      ['@@!\n-a\n+b\n@@!\n-c\n+d'],
    ],
    [
      'before one with a tail',
      `a.txt\n\`\`\`\n${edit('a', 'b')}<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n\`\`\`\n`,
      ['@@!\n-a\n+b\n@@!\n-c\n+d'],
    ],
    ['that deletes', `a.txt\n\`\`\`\n<<<<<<< SEARCH\na\n=======\n=======\n\`\`\`\n`, ['@@!\n-a']],
  ])('%s', (_, text, expected) => {
    expect(patches(text)).toEqual(expected)
  })

  test.each([
    ['an underlined heading that is cut off', 'a.md\n<<<<<<< SEARCH\na\n=======\nTitle\n=======\n\nMore'],
    ['text below it in the fence', 'a.md\n```\n<<<<<<< SEARCH\na\n=======\nTitle\n=======\nMore\n```\n'],
  ])('is not closed by %s', (_, text) => {
    expect(patches(text)).toEqual(['bad'])
  })
})

describe('a path in backticks', () => {
  const documents: Readonly<Record<string, (name: string) => string>> = {
    udiff: (name) =>
      `\`\`\`diff\n--- ${name.replace('src', 'a/src')}\n+++ ${name.replace('src', 'b/src')}\n@@ -1 +1 @@\n-old\n+new\n\`\`\`\n`,
    'udiff without sides': (name) => `--- ${name}\n+++ ${name}\n@@ -1 +1 @@\n-old\n+new\n\nDone.\n`,
    csl: (name) => `<---SEARCH file="${name}"--->\nold\n<---REPLACE--->\nnew\n<---END--->\n`,
    cml: (name) => `<edit path="${name}"><search><![CDATA[old]]></search><replace><![CDATA[new]]></replace></edit>\n`,
    replacer: (name) => `<<<FILE>>>\n${name}\n<<<SEARCH>>>\nold\n<<<REPLACE>>>\nnew\n<<<END>>>\n`,
    'apply-patch': (name) => `*** Begin Patch\n*** Update File: ${name}\n@@\n-old\n+new\n*** End Patch\n`,
    'search-replace': (name) => `${name}\n\`\`\`\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n\`\`\`\n`,
  }

  test.each(Object.entries(documents))('is the path without them in %s', async (_, document) => {
    const root = scratchDir({ 'src/a.ts': 'old\n' })
    const { status } = await called(['run', '--no-git', '--root', root], { input: document('`src/a.ts`') })
    expect(status).toBe(0)
    expect(filesIn(root)).toEqual({ 'src/a.ts': 'new\n' })
  })

  test('is the name of a file if there is one', async () => {
    const root = scratchDir({ '`a`': 'old\n', a: 'old\n' })
    const input = documents['csl']?.('`a`') ?? ''
    expect((await called(['run', '--no-git', '--root', root], { input })).status).toBe(0)
    expect(filesIn(root)).toEqual({ '`a`': 'new\n', a: 'old\n' })
  })

  test('stays as it is with --strict', async () => {
    const root = scratchDir({ 'src/a.ts': 'old\n' })
    const input = documents['csl']?.('`src/a.ts`') ?? ''
    expect((await called(['run', '--no-git', '--strict', '--root', root], { input })).status).toBe(1)
    expect(filesIn(root)).toEqual({ 'src/a.ts': 'old\n' })
  })
})

describe('an indented CML block', () => {
  const indented = (text: string, prefix: string): string => text.replace(/^(?=.)/gm, prefix)
  const write = '<write path="a.py"><![CDATA[def f():\n    return 1\n\nx = 1\n]]></write>\n'
  const edit =
    '<edit path="a.py">\n  <search><![CDATA[def f():\n    return 1]]></search>\n  <replace><![CDATA[def f():\n    return 2]]></replace>\n</edit>\n'
  const around = { alone: '', 'below a sentence': 'Here:\n\n', 'in a list': '1. Do this:\n\n' }
  const values = (text: string, options = {}) =>
    findBlocks(new Source(text), options).blocks.map(({ params }) => ({ ...params }))

  test.each(
    Object.entries(around).flatMap(([where, before]) =>
      ['  ', '    ', '\t'].flatMap((prefix) => [write, edit].map((block) => [where, prefix, before, block] as const)),
    ),
  )('is read without its indentation: %s, %j', (_, prefix, before, block) => {
    const text = `${before}${indented(block, prefix)}\nDone.\n`
    expect(values(text)).toEqual(values(block))
    expect(find(text).blocks[0]?.warnings?.[0]).toContain('read without the indentation before every line')
    expect(values(text, { strict: true })).not.toEqual(values(block))
    const stream = new BlockStream({})
    const early = [...text].flatMap((letter) => stream.push(letter).blocks)
    expect([...early, ...stream.end().blocks].map(({ params }) => ({ ...params }))).toEqual(values(block))
  })

  test('keeps the content that is not indented with its tags', () => {
    expect(values(`  ${write}`)).toEqual(values(write))
    const yaml = '  <write path="a.yml"><![CDATA[key:\n    - 1\n    - 2\n]]></write>\n'
    expect(values(yaml)).toEqual([{ path: 'a.yml', content: 'key:\n    - 1\n    - 2\n' }])
  })

  test('on one line has nothing to be read without', () => {
    expect(find('    <run><![CDATA[ls]]></run>\n').blocks).toMatchObject([{ action: 'run', params: { command: 'ls' } }])
  })
})

test('a Codex patch finds its lines where a lone CR ends one', async () => {
  const patch = '*** Begin Patch\n*** Update File: lines.txt\n@@\n one\n two\n-three\n+THREE\n four\n*** End Patch\n'
  const cases = [
    ['one\r\ntwo\rthree\nfour\r\n', 'one\r\ntwo\rTHREE\r\nfour\r\n'],
    ['one\rtwo\rthree\rfour\r', 'one\rtwo\rTHREE\rfour\r'],
    ['zero\none\rtwo\rthree\rfour\nfive\r\r\n', 'zero\none\rtwo\rTHREE\nfour\nfive\r\r\n'],
    ['one\r\ntwo\r\nthree\r\nfour\r\n', 'one\r\ntwo\r\nTHREE\r\nfour\r\n'],
  ] as const
  for (const [before, after] of cases) {
    const root = scratchDir({ 'lines.txt': before })
    expect((await called(['run', '--no-git', '--root', root], { input: patch })).status).toBe(0)
    expect(fs.readFileSync(path.join(root, 'lines.txt'), 'utf8')).toBe(after)
  }
})
