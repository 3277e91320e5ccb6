import { type Block, type Document, isComplete, type SkippedBlock } from '../core/block.ts'
import type { DamageKind } from '../core/diagnostic.ts'
import { rangeFinder, Source, withoutBom } from '../core/source.ts'
import { escapesInPaths, matchBullet, flagDamagedParams } from './damage.ts'
import { type SearchBudget, damageKindsOf, type MarkedBlock, type ReadThroughDamage, LineView } from './tokens.ts'
import { sortByLine } from './skipped-blocks.ts'
import { isQuotedWhole } from '../regions/quotations.ts'
import { findDamageKinds, mayShowDamage, toPlainMarker, showsDamage, damageWords } from '../text/undamage.ts'

export interface ThroughDamage extends RepairOptions {
  read(source: Source): Document
}

/** Reads a text through damage to its markers. `strict` is the reading without that. */
export function repairDocument(source: Source, strict: Document, options: ThroughDamage): Document {
  const { walks, read } = options
  const { text, regions, alone } = repairMarkers(source, strict, options)
  const repaired = text === source.text ? source : new Source(text)
  const document = repaired === source ? strict : read(repaired)
  if (repaired !== source && !keepsSoundBlocks(strict, document, regions)) {
    const left = regions.flatMap((region) => listUnrepaired(region, strict.blocks))
    return { ...strict, notExecuted: sortByLine([...strict.notExecuted, ...alone, ...left]) }
  }
  const left = rangeFinder(alone, ({ line, endLine }) => ({ first: line, last: endLine }))
  const others = document.notExecuted.filter(({ line }) => left(line) === undefined)
  const escaped = regions.some(({ kinds }) => kinds.includes('entities'))
  const reported = new Set<DamagedRegion>()
  const blocks = document.blocks.map((block) => {
    const region = findRegion(regions, block.startLine)
    if (region === undefined || region.changed.size === 0) return flagSuspectParams(repaired, block, escaped, walks)
    const warnings = reported.has(region) ? [] : describeRepairs(region)
    reported.add(region)
    const all = [...(block.warnings ?? []), ...warnings]
    const warned = all.length > 0 ? { ...block, warnings: all } : block
    return flagDamagedParams(repaired, warned, withEntities(region.kinds, block, escaped))
  })
  return { ...document, blocks, notExecuted: sortByLine([...others, ...alone]) }
}

/** True if damage elsewhere in the text cannot affect this block. */
export const isUnaffectedByDamage = (source: Source, block: Block, walks: Walks): boolean =>
  indentAround(source, block.startLine, block.endLine ?? block.startLine) === '' &&
  flagSuspectParams(source, block, true, walks) === block &&
  escapesInPaths(block).length === 0

/** Whether all that was sound is as it was, what is in a repaired block left out, and all that is new is repaired. */
function keepsSoundBlocks(before: Document, after: Document, regions: readonly DamagedRegion[]): boolean {
  const sound = new Map([...byPosition(before.blocks)].filter(([, block]) => isComplete(block)))
  for (const [place, block] of byPosition(after.blocks)) {
    const old = sound.get(place)
    sound.delete(place)
    if (
      findRegion(regions, block.startLine) === undefined &&
      (old === undefined ? isComplete(block) : !isSameBlock(old, block))
    ) {
      return false
    }
  }
  return [...sound.values()].every((block) => (findRegion(regions, block.startLine)?.changed.size ?? 0) > 0)
}

/** What a repair would have changed and did not, because a sound block would not be as it was: its markers outside those. */
function listUnrepaired({ start, end, changed, markers }: DamagedRegion, blocks: readonly Block[]): SkippedBlock[] {
  if (changed.size === 0) return []
  const sound = blocks.filter(isComplete).map(({ startLine, endLine }) => ({ first: startLine, last: endLine ?? end }))
  const isInSound = (line: number): boolean => sound.some(({ first, last }) => first <= line && line <= last)
  const holdsSound = sound.some(({ first, last }) => start <= last && first <= end)
  if (!holdsSound) return [{ ...unclosedBlockAt(start), endLine: end }]
  return markers.filter(({ line }) => changed.has(line) && !isInSound(line)).map(({ line }) => unclosedBlockAt(line))
}

/** By the line they begin on, of which several may begin on one: an id may be a number that counts those before it. */
function byPosition(blocks: readonly Block[]): Map<string, Block> {
  const places = new Map<string, Block>()
  let nth = 0
  for (const [at, block] of blocks.entries()) {
    nth = blocks[at - 1]?.startLine === block.startLine ? nth + 1 : 0
    places.set(`${block.startLine} ${nth}`, block)
  }
  return places
}

function isSameBlock(a: Block, b: Block): boolean {
  if (!isComplete(b) || a.action !== b.action || a.endLine !== b.endLine) return false
  const names = Object.keys(a.params)
  return names.length === Object.keys(b.params).length && names.every((name) => a.params[name] === b.params[name])
}

/** Every repair. A group reports all of them with its first block. */
function describeRepairs({ start, end, prefix, bullet, markers, changed }: DamagedRegion): string[] {
  const warnings: string[] = []
  if (bullet !== '') warnings.push(`line ${start}: marker read without the '${bullet.trim()}' before it`)
  if (prefix !== '') {
    const what = prefix.includes('>') ? `"${prefix.trim()}"` : 'indentation'
    warnings.push(
      `${start === end ? `line ${start}` : `lines ${start}-${end}`}: read without the ${what} before every line`,
    )
  }
  const lines = new Map<string, number[]>()
  for (const { line, markup, fence } of markers) {
    const words = damageWords(findDamageKinds(markup).filter((kind) => kind !== 'breaks'))
    if (!changed.has(line) || (words === '' && !fence)) continue
    const what = fence ? 'a code fence inside the block was skipped' : `marker read despite ${words}`
    lines.set(what, [...(lines.get(what) ?? []), line])
  }
  for (const [what, at] of lines) warnings.push(`${at.length === 1 ? 'line' : 'lines'} ${at.join(', ')}: ${what}`)
  return warnings
}

/** A block that is sound as it is, and yet its texts may be damaged. */
function flagSuspectParams(source: Source, block: Block, escaped: boolean, walks: Walks): Block {
  if (!isComplete(block)) return block
  return flagDamagedParams(source, block, withEntities(toleratedIn(source, block, walks), block, escaped))
}

/** Whatever escapes for HTML, and did so elsewhere in the text, does not change markers without an angle bracket. */
function withEntities(kinds: readonly DamageKind[], block: Block, escaped: boolean): readonly DamageKind[] {
  return escaped && !kinds.includes('entities') && !block.raw.includes('<') ? [...kinds, 'entities'] : kinds
}

/** What the markers of a block show that its reader puts up with. */
function toleratedIn(source: Source, block: Block, walks: Walks): readonly DamageKind[] {
  const walk = walks.get(block.syntax)?.walk
  if (walk === undefined || !mayShowDamage(block.raw) || !tolerated.some((kind) => showsDamage(block.raw, kind)))
    return none
  const view = new LineView(source, '', { lines: source.lineCount * 4 })
  const markers = walk(view, block.startLine)?.markers ?? none
  // A byte order mark at the start of the text is no damage: editors write one.
  return damageKindsOf(markers.map((one) => (one.line === 1 ? { ...one, markup: withoutBom(one.markup) } : one)))
}

const none: readonly never[] = []

const tolerated: readonly DamageKind[] = ['spaces', 'invisible', 'breaks', 'punctuation']

/*
 * A reply that went through a chat program may have damaged markers. They are replaced by clean ones, line for line,
 * and the text is read again; what is content stays as it is. So that nothing is done that the text before the damage
 * did not ask for:
 *
 *   - what can be executed as it is stays as it is, and what is in its content is ignored;
 *   - a block is repaired from its first marker to its last, or not at all;
 *   - damage that can be seen, such as `&lt;` or `> `, may be an example in prose. It is undone only where there is a
 *     mistake without it, or where the text has no sound block at all;
 *   - what precedes every line, `> ` or indentation, is the only damage that is undone in content too;
 *   - blocks in the items of a list are next to one another, whether they have a bullet or only its indentation.
 *
 * Whether the content of a repaired block can be trusted is another question: `flagDamagedParams` in `damage.ts`.
 */

export interface DamagedRegion extends MarkedBlock {
  /** What its markers show. */
  readonly kinds: readonly DamageKind[]
  /** What precedes every line. */
  readonly prefix: string
  /** What precedes the first line instead, where that is an item of a list. */
  readonly bullet: string
  /** Lines as they are to be. */
  readonly changed: ReadonlyMap<number, string>
}

export interface Repairs {
  /** As many lines as before. */
  readonly text: string
  readonly regions: readonly DamagedRegion[]
  /** What looks damaged and was not repaired. */
  readonly alone: readonly SkippedBlock[]
}

/** How blocks are found through damage, by the name of their syntax. */
export type Walks = ReadonlyMap<string, { readonly opener: RegExp; readonly walk: ReadThroughDamage }>

interface RepairOptions {
  readonly walks: Walks
  /** Whether sound blocks preceded this text. */
  readonly soundBefore: boolean
  /** The text with all that was left out of it. */
  readonly given?: Source
}

/** `strict` is what the text gives when it is read as it is. */
export function repairMarkers(source: Source, strict: Document, options: RepairOptions): Repairs {
  const { soundBefore } = options
  const { regions, open } = findRegions(source, strict, options)
  const regionAt = (line: number): DamagedRegion | undefined => findRegion(regions, line)
  const soundAt = strict.blocks.filter(isComplete).map((block) => regionAt(block.startLine))
  const sound = soundBefore || soundAt.includes(undefined)
  const isFlush = (block: Block): boolean =>
    regionAt(block.startLine) === undefined && !/^\s/.test(source.line(block.startLine))
  const soundOutside = soundBefore || strict.blocks.some((block) => isComplete(block) && isFlush(block))
  const mistaken = new Set([
    ...soundAt,
    ...strict.blocks.filter((block) => !isComplete(block)).map((block) => regionAt(block.startLine)),
    ...strict.diagnostics.map((diagnostic) => regionAt(diagnostic.range.line)),
  ])
  const isRepaired = (region: DamagedRegion): boolean =>
    !(region.bullet === '' ? sound : soundOutside) || mistaken.has(region) || !isVisible(region)
  const chosen = regions.filter(isRepaired)
  const isKnown = (line: number): boolean =>
    strict.diagnostics.some((diagnostic) => diagnostic.range.line === line) ||
    strict.blocks.some(({ startLine, endLine }) => startLine <= line && line <= (endLine ?? Infinity))
  const alone = [
    ...regions.filter((region) => !isRepaired(region)).map(skippedRegion),
    ...open.filter((line) => !isKnown(line)).map(unclosedBlockAt),
  ]
  return { text: textWith(source, chosen), regions: chosen, alone: sortByLine(alone) }
}

/** What begins like a block through damage and does not end. */
const unclosedBlockAt = (line: number): SkippedBlock => ({
  line,
  endLine: line,
  what: 'native block',
  reason: 'unreadable',
})

/** Regions are in order and do not overlap. */
export const findRegion = (regions: readonly DamagedRegion[], line: number): DamagedRegion | undefined =>
  rangeFinder(regions, ({ start, end }) => ({ first: start, last: end }))(line)

/** Every block that is whole once damage is undone, those that are sound without left out unless they are in one. */
function findRegions(
  source: Source,
  strict: Document,
  { walks, soundBefore, given = source }: RepairOptions,
): { regions: DamagedRegion[]; open: number[] } {
  const ends = new Map<number, number>()
  for (const block of strict.blocks) {
    if (isComplete(block)) ends.set(block.startLine, Math.max(block.endLine ?? 0, ends.get(block.startLine) ?? 0))
  }
  const budget = { lines: 16 * source.lineCount + 1000 }
  const regions: DamagedRegion[] = []
  const open: number[] = []
  let quoted: boolean | undefined
  let item: { readonly prefix: string; readonly end: number } | undefined
  for (let n = 1; n <= source.lineCount; n++) {
    const end = ends.get(n)
    // A further block of one item is sound in a syntax that takes indentation, and its content is not.
    const isOfItem = item !== undefined && end !== undefined && isInItem(source, n, item)
    const more = isOfItem ? regionFrom(source, n, [item?.prefix ?? ''], walks, budget, '') : undefined
    if (item !== undefined && more !== undefined) {
      regions.push(more)
      item = { ...item, end: more.end }
      n = more.end
      continue
    }
    const own = end === undefined ? '' : indentAround(source, n, end)
    const dedented = own === '' ? undefined : regionFrom(source, n, [own], walks, budget, '')
    if (dedented !== undefined) {
      regions.push(dedented)
      n = dedented.end
      continue
    }
    const line = end === undefined ? source.line(n) : ''
    if (mayOpen(line, walks)) {
      const prefix = /^[ \t\xa0>]*/.exec(line)?.[0] ?? ''
      // One quoted block in a text that is not is an example, or quoted from another text.
      if (prefix.includes('>')) quoted ??= !soundBefore && isQuotedWhole(given)
      const bullet = matchBullet(line)
      const before = bullet === '' ? prefix : ' '.repeat(bullet.length)
      const prefixes = before === '' || (prefix.includes('>') && !quoted) ? [''] : [before, '']
      const region = regionFrom(source, n, prefixes, walks, budget, bullet)
      if (region !== undefined) regions.push(region)
      if (region !== undefined && bullet !== '') item = { prefix: before, end: region.end }
      else if (region !== undefined) item = undefined
      else if (prefix.includes('>') ? quoted : toPlainMarker(line) !== line.trim()) open.push(n)
      n = region?.end ?? n
    }
    n = end ?? n
  }
  return { regions, open }
}

/**
 * The indentation of a sound block of several lines that all of them have. Such a block was moved to the right as a whole,
 * and so was its content.
 */
function indentAround(source: Source, first: number, last: number): string {
  const indent = first === last ? '' : (/^[ \t]+/.exec(source.line(first))?.[0] ?? '')
  if (indent === '') return ''
  for (let n = first + 1; n <= last; n++) {
    const line = source.line(n)
    if (!line.startsWith(indent) && line.trim() !== '') return ''
  }
  return indent
}

/** Whether a block goes on with the item of a list that ended above it: nothing is between, and it is as far in. */
function isInItem(source: Source, line: number, { prefix, end }: { prefix: string; end: number }): boolean {
  for (let n = end + 1; n < line; n++) if (source.line(n).trim() !== '') return false
  const text = source.line(line)
  return text.startsWith(prefix) && !/^\s/.test(text.slice(prefix.length))
}

/** Whether a line looks like the first of a block, through damage, quotation marks and indentation. */
export function mayOpen(line: string, walks: Walks): boolean {
  const plain = toPlainMarker(line)
  const bare = plain.startsWith('>') ? plain.replace(/^[\s>]+/, '') : plain.slice(matchBullet(plain).length)
  for (const { opener } of walks.values()) if (opener.test(bare)) return true
  return false
}

function regionFrom(
  source: Source,
  start: number,
  prefixes: readonly string[],
  walks: Walks,
  budget: SearchBudget,
  bullet: string,
): DamagedRegion | undefined {
  for (const prefix of prefixes) {
    const view = new LineView(source, prefix, budget, { line: start, text: bullet === '' ? prefix : bullet })
    for (const { walk } of walks.values()) {
      const walked = walk(view, start)
      // A list of the lines of a block is no item with a block in it: its numbers would be content.
      const isListed = bullet !== '' && walked !== undefined && matchBullet(source.line(walked.end)) !== ''
      if (walked !== undefined && (walked.end === start || !isListed)) {
        const changed = linesToChange(source, prefix, bullet, walked)
        return { ...walked, prefix, bullet, kinds: damageKindsOf(walked.markers), changed }
      }
    }
  }
  return undefined
}

function linesToChange(
  source: Source,
  prefix: string,
  bullet: string,
  { start, end, markers }: MarkedBlock,
): Map<number, string> {
  const changed = new Map<number, string>()
  if (bullet !== '') changed.set(start, source.line(start).slice(bullet.length))
  if (prefix !== '') {
    for (let n = bullet === '' ? start : start + 1; n <= end; n++) changed.set(n, source.line(n).slice(prefix.length))
  }
  for (const { line, clean } of markers) if (clean !== source.line(line)) changed.set(line, clean)
  return changed
}

const isVisible = ({ kinds, prefix, bullet }: DamagedRegion): boolean =>
  prefix + bullet !== '' || kinds.some((kind) => kind === 'entities' || kind === 'escapes' || kind === 'punctuation')

/** Next to valid blocks, one that is quoted, escaped or indented is shown and not meant. */
const skippedRegion = ({ start, end, prefix }: DamagedRegion): SkippedBlock => ({
  line: start,
  endLine: end,
  what: 'native block',
  reason: prefix.includes('>') ? 'quoted' : 'example',
})

function textWith(source: Source, regions: readonly DamagedRegion[]): string {
  const parts: string[] = []
  let from = 0
  for (const { changed, start, end } of regions) {
    if (changed.size === 0) continue
    for (let n = start; n <= end; n++) {
      const line = changed.get(n)
      if (line === undefined) continue
      parts.push(source.text.slice(from, source.startOf(n)), line)
      from = source.endOf(n)
    }
  }
  return parts.length === 0 ? source.text : parts.join('') + source.text.slice(from)
}
