import { describe, expect, it } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { writeSham } from '@clada/reply/syntax/sham/sham.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { type BlockName, foreignNames, nativeNames, writes, written } from './samples.ts'

const everyName: readonly BlockName[] = [...nativeNames, ...foreignNames]

/** A text with the root of the project for `ROOT`, carried out on an empty project. */
async function executed(text: string, options: CladaOptions = {}) {
  const root = scratchDir()
  const result = await new Clada({ repoPath: root, gitCommit: false, ...options }).execute(
    text.replaceAll('ROOT', root),
  )
  const files = Object.entries(filesIn(root)).map(([name, content]) => [name, content.replaceAll(root, 'ROOT')])
  return { ...result, files: Object.fromEntries(files), text: formatReport(result, 'text').replaceAll(root, 'ROOT') }
}

describe('blocks of several syntaxes', () => {
  it('are carried out in order of appearance, numbered through', async () => {
    const group =
      '<---TASKS--->\n<---WRITE file="b.txt"--->\n1\n<---END--->\n<---WRITE file="c.txt"--->\n2\n<---END--->\n<---END--->\n'
    const tasks =
      '<tasks>\n<write path="e.txt"><![CDATA[1]]></write>\n<write path="f.txt"><![CDATA[2]]></write>\n</tasks>\n'
    const texts = [
      writes('sham', 'ROOT/a.txt', 'x'),
      group,
      writes('replacer', 'd.txt', 'x'),
      tasks,
      writes('csl', 'g.txt', 'x'),
      writes('cml', 'h.txt', 'x'),
      writes('sham', 'ROOT/i.txt', 'x'),
    ]
    const { success, results, files } = await executed(`First:\n${texts.join('\nprose, `code`\n\n')}\nThat is all.`)
    expect(success).toBe(true)
    expect(results.map(({ task, syntax, blockId }) => [task, syntax, blockId])).toEqual([
      ['1', 'sham', 'a1b'],
      ['2.1', 'csl', '2.1'],
      ['2.2', 'csl', '2.2'],
      ['3', 'replacer', '3'],
      ['4', 'cml', '4'],
      ['5', 'cml', '5'],
      ['6', 'csl', '6'],
      ['7', 'cml', '7'],
      ['8', 'sham', 'a1b'],
    ])
    expect(Object.keys(files)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => `${name}.txt`))
  })

  it('have their numbers in the lines of the report, broken ones too', async () => {
    const broken = '<---TASKS--->\n<---WRITE file="a"--->\nx\n<---END--->\n<---WRITE--->\ny\n<---END--->\n<---END--->\n'
    const { text, parseErrors } = await executed(
      [writes('replacer', 'z', 'x'), broken, writes('cml', 'y', 'x'), '<write><![CDATA[x]]></write>\n'].join('\n'),
    )
    const lines = text.split('\n').filter((line) => line.startsWith('['))
    expect(lines.map((line) => line.replace(/ - .*/, ''))).toEqual([
      '[task-1] SUCCESS: file_write',
      '[task-2.1] SKIP: WRITE',
      '[task-2.2] ERROR: WRITE',
      '[task-3] SUCCESS: write',
      '[task-4] ERROR: write',
    ])
    expect(parseErrors.map(({ blockId, task }) => [blockId, task])).toEqual([
      ['2.1', '2.1'],
      ['2.2', '2.2'],
      ['4', '4'],
    ])
  })
})

describe('a block inside the content of another', () => {
  const pairs = nativeNames.flatMap((outer) => everyName.map((inner) => [outer, inner] as const))
  // A text cannot hold what would close it; SHAM has other ids and CML has escapes.
  const apart = pairs.filter(([outer, inner]) => outer !== inner || outer === 'cml')
  it.each(apart)('%s holds %s', async (outer, inner) => {
    const content = `Write:\n${writes(inner, 'ROOT/inner.txt', 'inner')}and so on`
    const path = outer === 'sham' ? 'ROOT/doc.md' : 'doc.md'
    const { success, results, files } = await executed(`${writes(outer, path, content)}\n`)
    expect({ success, actions: results.length, names: Object.keys(files) }).toEqual({
      success: true,
      actions: 1,
      names: ['doc.md'],
    })
    expect(files['doc.md']).toBe(content)
  })

  it.each(pairs)('%s holds the markers of %s, cut off', async (outer, inner) => {
    for (const line of writes(inner, 'a.txt', 'inner').trimEnd().split('\n')) {
      const edit = { action: 'file_write', params: { path: 'ROOT/doc.md', content: `${line}\nend` } }
      if (outer === inner && (outer === 'csl' || outer === 'replacer') && /END|^<<</.test(line)) continue
      const { success, files } = await executed(`${written(outer, edit)}\n`)
      expect({ success, names: Object.keys(files) }).toEqual({ success: true, names: ['doc.md'] })
    }
  })

  it('SHAM holds a SHAM block with another id, and one with its own in quotes', async () => {
    const content = writes('sham', 'ROOT/inner.txt', 'inner')
    for (const id of ['xyz', 'a1b']) {
      const outer = writeSham('file_write', { path: 'ROOT/doc.md', content }, { keyword: 'SHAM', id })
      const { files } = await executed(outer)
      expect(files).toEqual({ 'doc.md': content })
    }
  })

  it.each(nativeNames)('a complete block of another tool holds %s', async (inner) => {
    const content = writes(inner, 'ROOT/inner.txt', 'inner').trimEnd()
    for (const outer of foreignNames) {
      const { success, files } = await executed(writes(outer, 'doc.md', content))
      expect({ outer, success, names: Object.keys(files) }).toEqual({ outer, success: true, names: ['doc.md'] })
    }
  })
})

describe('formats of other tools', () => {
  it.each(foreignNames)('%s runs where nothing of our own is', async (name) => {
    const { success, files } = await executed(`Here:\n\n${writes(name, 'a.txt', 'x')}\nprose\n`)
    expect({ success, files }).toEqual({ success: true, files: { 'a.txt': 'x\n' } })
  })

  const pairs = nativeNames.flatMap((own) => foreignNames.map((other) => [own, other] as const))
  it.each(pairs)('beside %s, %s is a proposal, before it and behind it', async (own, other) => {
    const texts = [writes(other, 'before.txt', 'x'), writes(own, 'ROOT/own.txt', 'x'), writes(other, 'behind.txt', 'x')]
    const { success, files, proposals } = await executed(texts.join('\n'))
    expect({ success, names: Object.keys(files) }).toEqual({ success: false, names: ['own.txt'] })
    expect(proposals?.map(({ path, kind }) => [path, kind])).toEqual([
      ['before.txt', 'create'],
      ['behind.txt', 'create'],
    ])
    const agreed = await executed(texts.join('\n'), { proposals: 'apply' })
    expect(Object.keys(agreed.files)).toEqual(['before.txt', 'behind.txt', 'own.txt'])
  })

  const broken: Readonly<Record<(typeof nativeNames)[number], string>> = {
    sham: '#!SHAM [@three-char-SHA-256: abc]\naction = unquoted\n#!END_SHAM_abc\n',
    csl: '<---WRITE file=a--->\nx\n<---END--->\n',
    cml: '<write path="a">no cdata</write>\n',
    replacer: '<<<FILE>>>\na\n<<<END>>>\n',
  }
  it.each(pairs)('a broken %s block is one of our own too, and %s does not run', async (own, other) => {
    const { success, files, parseErrors, proposals } = await executed(`${broken[own]}\n${writes(other, 'a.txt', 'x')}`)
    expect({ success, files, errors: parseErrors.length, proposals: proposals?.length }).toEqual({
      success: false,
      files: {},
      errors: 1,
      proposals: 1,
    })
  })

  it.each(everyName)('only %s is looked for when that is asked', async (name) => {
    const texts = everyName.map((each) => writes(each, each === 'sham' ? 'ROOT/sham.txt' : `${each}.txt`, 'x'))
    const { success, files, warnings } = await executed(texts.join('\n'), { syntaxes: [name] })
    expect({ success, names: Object.keys(files), warnings }).toEqual({
      success: true,
      names: [`${name}.txt`],
      warnings: undefined,
    })
  })
})

describe('fences', () => {
  const content = 'one\n  two\n```js\nx\n```\n~~~\nthree'
  const fences = ['```', '```text', '````markdown', '~~~', '~~~~ sham']
  for (const name of everyName) {
    it(`mean nothing around ${name}`, () => {
      for (const fence of fences) {
        const marks = /^[`~]+/.exec(fence)?.[0] ?? ''
        const text = `Do this:\n\n${fence}\n${writes(name, '/p/a.txt', content)}${marks}\n\nand that.\n`
        const { blocks, diagnostics, warnings } = findBlocks(new Source(text))
        expect({ diagnostics, warnings }).toEqual({ diagnostics: [], warnings: [] })
        expect(
          blocks.map(({ syntax, params, diagnostics: own }) => [syntax, params['content']?.trimEnd(), own]),
        ).toEqual([[name, content, []]])
      }
    })

    it(`may be indented, with ${name} in them`, () => {
      for (const indent of ['  ', '    ', '\t']) {
        const lines = ['```', ...writes(name, '/p/a.txt', 'one').trimEnd().split('\n'), '```']
        const text = `1. Do this:\n\n${lines.map((line) => indent + line).join('\n')}\n\n2. and that.\n`
        const { blocks, diagnostics } = findBlocks(new Source(text))
        expect(diagnostics).toEqual([])
        expect(
          blocks.map(({ syntax, params, diagnostics: own }) => [syntax, params['content']?.trimEnd(), own]),
        ).toEqual([[name, 'one', []]])
      }
    })
  }

  it('inside content are content', () => {
    for (const name of nativeNames) {
      const inner = '```sham\n````\n~~~~\n    ```\n```'
      const [block] = findBlocks(new Source(writes(name, '/p/a.md', inner))).blocks
      expect([name, block?.params['content'], block?.diagnostics]).toEqual([name, inner, []])
    }
  })
})

describe('a fatal mistake in CSL', () => {
  const bad = '<---END--->\n'
  it.each(nativeNames.filter((name) => name !== 'csl'))('stops all of CSL and nothing of %s', async (name) => {
    const own = (file: string) => writes(name, name === 'sham' ? `ROOT/${file}` : file, 'x')
    const text = [writes('csl', 'one.txt', 'x'), own('a.txt'), bad, own('b.txt'), writes('csl', 'two.txt', 'x')]
    const { success, files, parseErrors } = await executed(text.join('\n'))
    expect(success).toBe(false)
    expect(Object.keys(files)).toEqual(['a.txt', 'b.txt'])
    expect(parseErrors.map(({ code }) => code)).toEqual(['SKIPPED', 'CSL_SYNTAX', 'SKIPPED'])
  })

  it('is an arrow in prose where there is no CSL at all', async () => {
    const { success, warnings } = await executed(`<--- look here\n${writes('cml', 'a.txt', 'x')}`)
    expect({ success, warnings }).toEqual({
      success: true,
      warnings: ['line 1: read as prose, although it starts like a CSL marker'],
    })
  })
})
