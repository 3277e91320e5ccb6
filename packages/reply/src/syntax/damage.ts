import type { Block } from '../core/block.ts'
import type { DamageKind, Diagnostic } from '../core/diagnostic.ts'
import type { Source } from '../core/source.ts'
import { makeDiagnostic } from './reader.ts'
import { toPlainMarker, showsDamage, withoutOuterSpaces } from '../text/undamage.ts'

/** The bullet or number of a list item, and what is before it. */
export const matchBullet = (line: string): string =>
  /^[ \t\xa0]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t\xa0]+(?=\S)/.exec(line)?.[0] ?? ''

/** A line that is a marker once its damage is undone: the line itself when that is only white space around it. */
export const cleanLine = (line: string): string => {
  const plain = toPlainMarker(line)
  return line.trim() === plain ? line : plain
}

/**
 * A value in quotes, damaged or not, and its quotes. Only double quotes: an apostrophe is as often part of the text.
 * The value stays as it is.
 */
export function separateQuotes(written: string): { inner: string; quotes: string } | undefined {
  const [, open = '', inner = '', close = ''] = quoted.exec(withoutOuterSpaces(written)) ?? []
  if (open === '' || (open === '\\"') !== (close === '\\"')) return undefined
  return { inner, quotes: open + close }
}

const quote = String.raw`\\?"|[\u201c-\u201f\u2033]|&quot;|&#34;|&#x22;|&[lr]dquo;`
const quoted = new RegExp(`^(${quote})(.*?)(${quote})$`, 's')
const apostrophe = String.raw`\\?'|[\u2018-\u201b\u2032]|&apos;|&#39;|&#x27;|&[lr]squo;`
const attributePattern = (plain: string): RegExp =>
  new RegExp(
    String.raw`([^\w"'&\\]*)([\w:.-]+)(\s*=\s*)(?:(${plain})|(${quote})(.*?)(${quote})|(${apostrophe})(.*?)(${apostrophe}))`,
    'suy',
  )
/** Quoted values as a syntax has them: with a backslash before a quote, or as in XML. */
const quotedValues = {
  escaped: attributePattern(String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`),
  xml: attributePattern(`"[^"]*"|'[^']*'`),
}

/**
 * The attributes of a tag, damaged or not, rewritten with their values as they are; and what of it is not value.
 * Undefined when there is anything else.
 */
export function rewriteAttributes(
  written: string,
  values: keyof typeof quotedValues,
): { clean: string; markup: string } | undefined {
  const attribute = quotedValues[values]
  let clean = ''
  let markup = ''
  let at = 0
  for (attribute.lastIndex = 0; ; at = attribute.lastIndex) {
    const found = attribute.exec(written)
    if (found === null) break
    const [, before = '', name = '', equals = '', plain, open, double, close, start, single = '', end] = found
    const value = double ?? single
    // A value whose quotes were damaged may need escapes inside other ones, and how depends on the syntax.
    if (/["'\\<>]/.test(value)) return undefined
    clean += ` ${name}=${plain ?? `"${value}"`}`
    markup += before + name + equals + (plain === undefined ? `${open ?? start ?? ''}${close ?? end ?? ''}` : '""')
  }
  return withoutOuterSpaces(written.slice(at)) === '' ? { clean, markup: markup + written.slice(at) } : undefined
}

/**
 * A block whose markers show a kind of damage. A text in it that shows the same kind was either damaged like its
 * markers or is meant to be so, and there is no way to know: it is not executed. Only for the text that an edit looks
 * for the file decides; `actions/replace-occurrences.ts` and `actions/file-patch.ts` do that.
 */
export function flagDamagedParams(source: Source, block: Block, kinds: readonly DamageKind[]): Block {
  if (block.diagnostics.length > 0) return kinds.includes('escapes') ? withoutEscapes(source, block) : block
  const doubtful = new Map<string, DamageKind[]>()
  for (const [name, text] of Object.entries(block.params)) {
    const shown = kinds.filter((kind) => mayShow(text, kind))
    if (shown.length > 0) doubtful.set(name, shown)
  }
  if (doubtful.size === 0) return block
  const names = [...doubtful.keys()]
  const damage = kinds.filter((kind) => [...doubtful.values()].some((shown) => shown.includes(kind)))
  const byTheFile = names.every((name) => editNames.has(name)) && names.some((name) => name !== 'new_text')
  if (byTheFile) return { ...block, damage }
  return { ...block, damage, diagnostics: [damagedDiagnostic(source, block, damage, names)] }
}

/**
 * A path with a backslash of Markdown (`src/my\_file.py`) comes from a program that escapes its character everywhere, and stars
 * with underscores: a text with the same was damaged with it.
 */
export function flagEscapedTexts(source: Source, blocks: readonly Block[]): readonly Block[] {
  const pairs = new Set(blocks.flatMap(escapesInPaths))
  if (pairs.size === 0) return blocks
  if (pairs.has('\\_')) pairs.add('\\*')
  return blocks.map((block) => {
    if (block.damage !== undefined || block.diagnostics.length > 0) return block
    const texts = Object.entries(block.params).flatMap(([name, text]) => (pathNames.has(name) ? [] : [text]))
    const isDamaged = texts.some((text) => [...pairs].some((pair) => text.includes(pair)))
    return isDamaged ? flagDamagedParams(source, block, ['escapes']) : block
  })
}

/** `\_` and the like. A path in which backslashes may separate directories has none. */
export function escapesInPaths({ params }: Block): readonly string[] {
  const paths = [...pathNames].flatMap((name) => params[name] ?? [])
  return paths.flatMap((path) =>
    path.includes('/') && !/\\[\w\\]/.test(path.replaceAll('\\_', '')) ? (path.match(ESCAPE) ?? []) : [],
  )
}

const ESCAPE = /\\[_*#<>~`[\](){}!|.+-]/g
const pathNames: ReadonlySet<string> = new Set(['path', 'old_path', 'new_path'])

/** A value that has escapes like the markers around it was damaged with them: a corrected block would keep the damage. */
function withoutEscapes(source: Source, block: Block): Block {
  const names = block.diagnostics.flatMap((one) => (one.code === 'sham-escape' ? one.data.key : []))
  if (names.length === 0) return block
  const others = block.diagnostics.filter(({ code }) => code !== 'sham-escape')
  return {
    ...block,
    damage: ['escapes'],
    diagnostics: [...others, damagedDiagnostic(source, block, ['escapes'], names)],
  }
}

function damagedDiagnostic(
  source: Source,
  { startLine }: Block,
  damage: readonly DamageKind[],
  params: readonly string[],
): Diagnostic {
  const { length } = source.line(startLine)
  return makeDiagnostic(source, startLine, { code: 'damaged', data: { damage, params }, column: 1, length })
}

function mayShow(text: string, kind: DamageKind): boolean {
  // In a quoted value a backslash that was doubled reads as one.
  if (kind === 'escapes') return text.includes('\\')
  // No one breaks an empty line.
  if (kind === 'breaks') return text.split('\n').some((line) => line.endsWith('  ') && line.trim() !== '')
  return showsDamage(text, kind)
}

const editNames: ReadonlySet<string> = new Set(['old_text', 'old_text_beginning', 'old_text_end', 'new_text', 'patch'])
