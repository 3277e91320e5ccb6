import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Source } from '@clada/reply/core/source.ts'
import { cml } from '@clada/reply/syntax/cml/cml.ts'
import { readCml, shown } from './cml-read.ts'
import { explained } from './read-alone.ts'

const folder = new URL('./cml/', import.meta.url)
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.slice(0, -4))
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')

describe('cases', () => {
  test('there are enough of them', () => {
    expect(names.filter((name) => name.startsWith('err-')).length).toBeGreaterThanOrEqual(30)
  })

  test.each(names)('%s', (name) => {
    const text = read(`${name}.txt`)
    const blocks = readCml(text)
    // As text, so that the order of parameters counts.
    expect(JSON.stringify(blocks.map(shown), null, 2)).toBe(JSON.stringify(JSON.parse(read(`${name}.json`)), null, 2))
    const diagnostics = blocks.flatMap(explained)
    expect(diagnostics.length > 0).toBe(name.startsWith('err-'))

    const lines = text.split('\n')
    for (const { line, content, context } of diagnostics) {
      expect(content).toBe(lines[line - 1]?.replace(/\r$/, ''))
      const first = Math.max(0, Math.min(line - 3, lines.length - 5))
      expect(context).toBe(lines.slice(first, first + 5).join('\n'))
    }
  })
})

describe('what surrounds a block', () => {
  test('members of one group share one object, and no other does', () => {
    const [first, second, third, alone] = readCml(
      '<tasks><remove path="a"/><remove path="b"/></tasks>\n<tasks><remove path="c"/></tasks>\n<remove path="d"/>',
    )
    expect(first?.group).toBeDefined()
    expect(second?.group).toBe(first?.group)
    expect(third?.group).not.toBe(first?.group)
    expect(alone?.group).toBeUndefined()
  })

  test('raw is the element as it is written', () => {
    const text = 'prose\n  <tasks>\n <run><![CDATA[ls]]></run> </tasks> prose\n<write path="a">x</write>\n'
    expect(readCml(text).map((block) => block.raw)).toEqual(['<run><![CDATA[ls]]></run>', '<write path="a">x</write>'])
  })

  test('a parameter that is not written is not there', () => {
    const [block] = readCml('<write path="a" __proto__="x" constructor="y"><![CDATA[x]]></write>')
    for (const name of ['__proto__', 'constructor', 'toString']) expect(name in (block?.params ?? {})).toBe(false)
    expect(block?.warnings).toHaveLength(2)
  })

  test('an element whose end tag is missing leaves what follows to the other syntaxes', () => {
    const text = '<write path="a"><![CDATA[x]]>\n\n<---RUN--->\nls\n<---END--->\n<run><![CDATA[ls]]></run>\n'
    const reader = cml.reader(new Source(text))
    expect(reader.read(1).next).toBe(2)
    expect(reader.seek(2)).toBe(6)
  })

  // Only <write>, <run> and the parts of an edit were known here: half of this code ran, up to the first `]]>`.
  test('code about <exec> that forgets to escape CDATA runs nothing', () => {
    const text = '<exec lang="bash"><![CDATA[\n<exec lang="bash"><![CDATA[ls]]></exec>\n]]></exec>\n'
    expect(readCml(text).map(({ diagnostics }) => diagnostics.map(({ code }) => code))).toEqual([['cml-inner-cdata']])
  })

  test('a comment hides elements, not the blocks of other syntaxes', () => {
    const text = '<!--\n<run><![CDATA[a]]></run>\n<---RUN--->\n-->\n<run><![CDATA[b]]></run>\n'
    const reader = cml.reader(new Source(text))
    expect(reader.read(1)).toMatchObject({ blocks: [], diagnostics: [], next: 2 })
    expect(reader.seek(2)).toBe(5)
  })

  test('a comment that stands in a block of another syntax is none', () => {
    const text = '#!SHAM\n<!--\n#!END\n<run><![CDATA[ls]]></run>\n'
    const reader = cml.reader(new Source(text))
    expect(reader.seek(1)).toBe(2)
    expect(reader.seek(4)).toBe(4)
    expect(reader.read(4).blocks.map((block) => block.diagnostics)).toEqual([[]])
  })
})

describe('documents that would take forever if the cost were not linear', () => {
  const n = 20_000
  const element = '<run><![CDATA[x]]></run>'
  const documents: Record<string, [text: string, blocks: number]> = {
    'broken tags': ['<write path="a><![CDATA[x]]></write>\n'.repeat(n), n],
    'missing end tags': ['<write path="a"><![CDATA[x]]>\n'.repeat(n), n],
    'raw and unclosed': ['<write path="a">x\n'.repeat(n), n],
    'edits without end': ['<edit path="a">\n'.repeat(n), n],
    'tasks without end': ['<tasks version="1.0">\n'.repeat(n), n],
    'words in brackets': ['<run>\n<write>\n<edit>\n'.repeat(n), 0],
    'unclosed CDATA': ['<run><![CDATA[x\n'.repeat(n), n],
    'CDATA in CDATA': [`<write path="a"><![CDATA[${element}]]></write>\n`.repeat(n), n],
    'CDATA in CDATA, unclosed': [`<write path="a"><![CDATA[${element}\n`.repeat(n), n],
    'unclosed comments': [`<!--\n${element}\n`.repeat(n), n],
    'comments in elements': ['<run><!--\n'.repeat(n), n],
    'all on one line': [element.repeat(n), n],
    'open quotes': [`<write path="a">${'<b "'.repeat(n)}</write>`, 1],
    'angle brackets': [`<write path="a">${'< '.repeat(n)}</write>`, 1],
    'deep nesting': [`<tasks version="1">${'<a>'.repeat(n)}${'</a>'.repeat(n)}</tasks>`, 1],
    'deep nesting, unclosed': [`<tasks version="1">${'<a>'.repeat(n)}`, 1],
    'raw text with CRLF': [`<write path="a">${'a & b\r\n'.repeat(n)}</write>`, 1],
    references: [`<write path="${'&amp;'.repeat(n)}"><![CDATA[x]]></write>`, 1],
    attributes: [`<write ${Array.from({ length: n }, (_, i) => `a${i}="x"`).join(' ')}/>`, 1],
  }

  test.each(Object.entries(documents))('%s', (_, [text, count]) => {
    const blocks = readCml(text)
    expect(blocks).toHaveLength(count)
    expect(blocks.filter((block) => block.diagnostics.length === 0).length).toBeLessThanOrEqual(1)
  })
})
