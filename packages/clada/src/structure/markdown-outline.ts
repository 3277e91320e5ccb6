import type MarkdownIt from 'markdown-it'
import type { Source } from '@clada/reply/core/source.ts'
import { runBounded } from '../core/time-limit.ts'
import type { Span } from '@clada/reply/text/edit.ts'
import type { Kind, Language } from './language.ts'
import type { OpenStructure as Open } from './structure.ts'

/** Structures of which some are in another language. */
export interface PartsOutline {
  readonly structures: Open[]
  /** The code inside some of them, with what it is called there. */
  readonly fences: readonly EmbeddedCode[]
  readonly preambleEnd: number
}

export interface EmbeddedCode {
  readonly holder: Open
  readonly info: string
  readonly code: Span
}

/** Headings with what is below them, list items, code blocks, quotes and tables. */
export async function markdownOutline(source: Source, language: Language): Promise<PartsOutline> {
  // Loaded only here: most structures are code.
  const { default: MarkdownIt } = await import('markdown-it')
  return runBounded(() => outlineBy(new MarkdownIt({ html: true }), source, language))
}

function outlineBy(md: InstanceType<typeof MarkdownIt>, source: Source, language: Language): PartsOutline {
  const front = /^---[ \t]*\r?\n[^]*?\n---[ \t]*(?:\r?\n|$)/.exec(source.text)?.[0] ?? ''
  const text = front.replace(/[^\n]/g, '') + source.text.slice(front.length).replaceAll('\r\n', '\n')
  const tokens: ReturnType<typeof md.parse> = []
  md.block.parse(text, md, {}, tokens)

  const found: MarkdownPart[] = []
  const headings: { level: number; found: MarkdownPart }[] = []
  let quotes = 0
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'blockquote_close') quotes--
    if (token.map !== null && quotes === 0) {
      const [from, to] = token.map
      const entry = markdownPart(token, tokens[index + 1]?.content ?? '', source, from, to)
      if (entry !== undefined) {
        found.push(entry)
        const level = Number(token.tag.slice(1))
        if (entry.kind === 'section' && token.level > 0) found.pop()
        else if (entry.kind === 'section') headings.push({ level, found: entry })
      }
    }
    // What is in a quote has marks before every line; only the quote as a whole can be edited.
    if (token.type === 'blockquote_open') quotes++
  }
  closeSections(headings, source.lineCount)
  return { ...nest(found, source, language), preambleEnd: front.length }
}

interface MarkdownPart {
  readonly kind: Kind
  readonly name: string | null
  readonly header: string
  readonly otherHeaders: readonly string[]
  /** Counted from 1, both included. */
  readonly first: number
  last: number
  readonly info?: string
  /** Lines of the heading. */
  readonly head: number
}

interface MarkdownToken {
  readonly type: string
  readonly tag: string
  readonly info: string
  readonly markup: string
  readonly content: string
}

const marker = /^(?:[-*+]|\d{1,9}[.)])(?:\s+|$)/
const box = /^\[[ xX]\]\s+/

function markdownPart(
  token: MarkdownToken,
  inline: string,
  source: Source,
  from: number,
  to: number,
): MarkdownPart | undefined {
  const line = source.line(from + 1).trim()
  const lines = { first: from + 1, last: to, head: to - from }
  switch (token.type) {
    case 'heading_open': {
      const name = inline.replace(/\s+/g, ' ').trim()
      const marked = `${'#'.repeat(Number(token.tag.slice(1)))} ${name}`
      return {
        kind: 'section',
        name,
        header: marked,
        otherHeaders: [line, stripMarkdown(name), stripMarkdown(marked)],
        ...lines,
      }
    }
    case 'list_item_open': {
      const text = line.replace(marker, '')
      const bare = text.replace(box, '')
      return { kind: 'item', name: null, header: line, otherHeaders: [text, bare, stripMarkdown(bare)], ...lines }
    }
    case 'fence': {
      const info = token.info.trim()
      const code = token.content.split('\n').find((one) => one.trim() !== '') ?? ''
      const otherHeaders = [info, info.split(/[\s{,]/, 1)[0] ?? '', code.trim(), line]
      return { kind: 'code', name: null, header: `${token.markup}${info}`, otherHeaders, info, ...lines }
    }
    case 'blockquote_open': {
      const text = line.replace(/^(?:>\s?)+/, '')
      return { kind: 'quote', name: null, header: line, otherHeaders: [text, stripMarkdown(text)], ...lines }
    }
    case 'table_open': {
      const cells = line.replace(/^\||\|$/g, '').replace(/\s*\|\s*/g, ' | ')
      return { kind: 'table', name: null, header: line, otherHeaders: [cells.trim()], ...lines }
    }
    default:
      return undefined
  }
}

/** Without the marks of emphasis, code and links. */
const stripMarkdown = (text: string): string => text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*_`]+/g, '')

function closeSections(headings: readonly { level: number; found: MarkdownPart }[], lineCount: number): void {
  const open: { level: number; found: MarkdownPart }[] = []
  for (const heading of headings) {
    for (let top = open.at(-1); top !== undefined && top.level >= heading.level; top = open.at(-1)) {
      top.found.last = heading.found.first - 1
      open.pop()
    }
    open.push(heading)
  }
  for (const { found } of open) found.last = lineCount
}

function nest(found: readonly MarkdownPart[], source: Source, language: Language) {
  const roots: Open[] = []
  const open: { structure: Open; first: number; last: number }[] = []
  const fences: EmbeddedCode[] = []
  const sorted = found.toSorted((a, b) => a.first - b.first || b.last - a.last)
  for (const entry of sorted) {
    const { first } = entry
    let { last } = entry
    while (last > first && source.line(last).trim() === '') last--
    while ((open.at(-1)?.last ?? Infinity) < first) open.pop()
    const holder = open.at(-1)
    // `- - x`: an item that starts after the mark of another is a part of that line.
    if (holder?.first === first && entry.kind !== 'section') continue
    const start = source.endOf(first) - source.line(first).trimStart().length
    const parent = holder?.structure ?? null
    const bodyStart = source.startOf(first + entry.head)
    const structure: Open = {
      kind: entry.kind,
      name: entry.name,
      header: entry.header,
      otherHeaders: entry.otherHeaders.filter((text) => text !== ''),
      start,
      end: source.endOf(last),
      headerStart: start,
      language,
      parent,
      children: [],
      optional: entry.kind === 'code',
      secondary: false,
      owner: null,
      listed: false,
      isEmpty: () => (entry.kind === 'section' ? source.text.slice(bodyStart, source.endOf(last)).trim() === '' : null),
    }
    if (parent === null) roots.push(structure)
    else holder?.structure.children.push(structure)
    open.push({ structure, first, last })
    if (entry.info !== undefined && entry.info !== '') {
      const closed = /^\s*(?:`{3,}|~{3,})\s*$/.test(source.line(last)) && last > first
      const code = { start: source.startOf(first + 1), end: closed ? source.startOf(last) : source.endOf(last) }
      if (code.start < code.end) fences.push({ holder: structure, info: entry.info, code })
    }
  }
  return { structures: roots, fences }
}
