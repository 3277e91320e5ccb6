import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

/** How the pages read: short sentences, and pages that are as short as they promise. */
const root = path.join(import.meta.dirname, '../..')
const read = (page: string): string => fs.readFileSync(path.join(root, page), 'utf8')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'packages/vscode/README.md',
  ...fs
    .readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
]
const longestSentence = 25

interface Sentence {
  readonly text: string
  readonly words: number
}

/** The sentences of a page: of its headings, paragraphs, list items and cells, without its blocks of code. */
function sentencesOf(page: string): Sentence[] {
  return page
    .replace(/<!--[^]*?-->/g, '')
    .replace(/^( *)(`{3,}|~{3,})[^]*?^\1\2`*$/gm, '')
    .replace(/(?<=\n\n)(?: {4,}\S.*\n|\n(?= {4}))+/g, '')
    .replace(/^\s*\|.*$/gm, (row) => row.split(/(?<!\\)\|/).join('\n\n'))
    .replace(/^\s*(?:[-*]|\d+\.|#+) /gm, '\n\n')
    .split(/\n\s*\n/)
    .flatMap(sentencesOfBlock)
}

/** A span of code is one word, and so is a list of spans. A value and a colon (`off: nothing`) begin a sentence. */
function sentencesOfBlock(block: string): Sentence[] {
  const spans: string[] = []
  const text = block
    .replace(/(`+)[^`][^]*?\1/g, (span) => `§${spans.push(span) - 1}§`)
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
  return text.split(/(?<=[.!?][)"*_\]]*) (?=[\p{Lu}\p{N}§("*_[]|clada\b|[a-z_, ]+: )/u).map((sentence) => ({
    text: sentence.replace(/§(\d+)§/g, (_, index: string) => spans[Number(index)] ?? '').trim(),
    words: wordsIn(sentence.replace(/§\d+§(?:(?:,| and| or)* §\d+§)+/g, 'names')),
  }))
}

const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}§]/u.test(word)).length

/** Generated lines that list fields or values. */
const isListOfFields = ({ text }: Sentence): boolean => /^(?:Returns `|Must be )/.test(text)

describe('the pages', () => {
  it.each(pages)('%s has short sentences', (page) => {
    const long = sentencesOf(read(page)).filter((sentence) => !isListOfFields(sentence))
    expect(long.filter(({ words }) => words > longestSentence)).toEqual([])
  })

  it('are as long as they may be', () => {
    const limits: Record<string, readonly [number, number]> = {
      'README.md': [600, 800],
      'docs/edits.md': [1, 1200],
      'docs/security.md': [1, 1200],
      'docs/reliability.md': [1, 1200],
    }
    const counts = Object.keys(limits).map((page) => [page, wordsIn(read(page))] as const)
    const outside = counts.filter(([page, count]) => {
      const [least, most] = limits[page] ?? [0, 0]
      return count < least || count > most
    })
    expect(outside).toEqual([])
  })
})
