import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decode } from '../../packages/clada/src/actions/decode.ts'
import { registry } from '../../packages/clada/src/actions/registry.ts'
import { replacer } from '@clada/reply/syntax/replacer/replacer.ts'
import { told } from './csl-read.ts'
import { allExplained, readWith } from './read-alone.ts'

const folder = new URL('./replacer/', import.meta.url)
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .map((name) => name.slice(0, -4))
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const readReplacer = (text: string) => readWith(replacer.reader, text)

describe('cases', () => {
  test('there are enough of them', () => {
    expect(names.filter((name) => name.startsWith('err-')).length).toBeGreaterThanOrEqual(30)
  })

  test.each(names)('%s', (name) => {
    const text = read(`${name}.txt`)
    const reading = readReplacer(text)
    const expected: unknown = JSON.parse(read(`${name}.json`))
    expect(JSON.stringify(told(reading), null, 2)).toBe(JSON.stringify(expected, null, 2))

    const diagnostics = allExplained(reading)
    expect(diagnostics.length > 0).toBe(name.startsWith('err-'))
    const lines = text.split('\n')
    for (const { line, column, length, content, context } of diagnostics) {
      expect(content).toBe(lines[line - 1])
      expect(column + length - 1).toBeLessThanOrEqual(content.length)
      expect(context.split('\n').length).toBe(Math.min(5, lines.length))
    }
  })

  test.each(names)('%s: what may run is what the actions take', (name) => {
    for (const { action, params, diagnostics, rootNameMayLead } of readReplacer(read(`${name}.txt`)).blocks) {
      expect(rootNameMayLead).toBe(true)
      if (diagnostics.length > 0) continue
      const decoded = decode(action, params, registry, { root: '/tmp', relativePaths: true })
      expect(decoded).toMatchObject({ ok: true, warnings: [] })
    }
  })
})

describe('what a browser or an editor does to a text', () => {
  const text = read('search-and-overwrite.txt').slice('Here:\n\n'.length)
  const plain = told(readReplacer(text))

  test.each([
    ['CRLF', text.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${text}`],
    ['both', `\uFEFF${text.replaceAll('\n', '\r\n')}`],
    ['no last line break', text.trimEnd()],
    ['blanks behind every marker', text.replaceAll('>>>\n', '>>> \t\u00A0\n')],
  ])('%s', (_, damaged) => {
    expect(told(readReplacer(damaged))).toEqual(plain)
  })
})

test('raw is the block as it was written', () => {
  const text = 'a\r\n<<<FILE>>> \r\nb\r\n<<<OVERWRITE>>>\r\nc\r\n<<<END>>>\r\nd'
  expect(readReplacer(text).blocks[0]?.raw).toBe('<<<FILE>>> \r\nb\r\n<<<OVERWRITE>>>\r\nc\r\n<<<END>>>')
})
