import type { Block, DamageKind, Document, SyntaxName } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { kindsIn, shows, wordsFor } from '../text/undamage.ts'
import { doubted } from './mend-doubt.ts'
import { walkCml } from './mend-cml.ts'
import { walkCsl } from './mend-csl.ts'
import { walkReplacer } from './mend-replacer.ts'
import { walkSham } from './mend-sham.ts'
import { View, type WalkThrough } from './mend-view.ts'
import { isSound, kindsOf, mend, regionOf, type Region } from './mend.ts'

export interface ThroughDamage {
  /** Those that are looked for. */
  readonly syntaxes: readonly SyntaxName[]
  readonly soundBefore: boolean
  read(source: Source): Document
}

const walkOf: Partial<Record<SyntaxName, WalkThrough>> = {
  sham: walkSham,
  csl: walkCsl,
  cml: walkCml,
  replacer: walkReplacer,
}

/** What a text gives when its markers are read through damage. `strict` is what it gives as it stands. */
export function throughDamage(source: Source, strict: Document, options: ThroughDamage): Document {
  const { syntaxes, soundBefore, read } = options
  const walks = syntaxes.flatMap((name) => walkOf[name] ?? [])
  const { text, regions, warnings } = mend(source, strict, { walks, soundBefore })
  const mended = text === source.text ? source : new Source(text)
  const document = mended === source ? strict : read(mended)
  if (!keeps(strict, document, regions)) return strict
  const escaped = regions.some(({ kinds }) => kinds.includes('entities'))
  const told = new Set<Region>()
  const blocks = document.blocks.map((block) => {
    const region = regionOf(regions, block.startLine)
    if (region === undefined || region.changed.size === 0) return beside(mended, block, escaped)
    const warnings = told.has(region) ? [] : warningsOf(region)
    told.add(region)
    const all = [...(block.warnings ?? []), ...warnings]
    const warned = all.length > 0 ? { ...block, warnings: all } : block
    return doubted(mended, warned, withEntities(region.kinds, block, escaped))
  })
  return { ...document, blocks, warnings: [...document.warnings, ...warnings] }
}

/** Whether a sound block is to be taken as it stands, whatever else its text holds. */
export const isUndoubted = (source: Source, block: Block): boolean => beside(source, block, true) === block

/** Whether all that was sound is as it was, what lies in a mended block left out, and all that is new is mended. */
function keeps(before: Document, after: Document, regions: readonly Region[]): boolean {
  const sound = new Map(before.blocks.filter(isSound).map((block) => [placeOf(block), block]))
  for (const block of after.blocks) {
    const old = sound.get(placeOf(block))
    sound.delete(placeOf(block))
    if (old === undefined ? isSound(block) && regionOf(regions, block.startLine) === undefined : !isSame(old, block)) {
      return false
    }
  }
  return [...sound.values()].every((block) => (regionOf(regions, block.startLine)?.changed.size ?? 0) > 0)
}

/** Several blocks may stand on one line. */
const placeOf = ({ startLine, id }: Block): string => `${startLine} ${id}`

function isSame(a: Block, b: Block): boolean {
  if (!isSound(b) || a.action !== b.action || a.endLine !== b.endLine) return false
  const names = Object.keys(a.params)
  return names.length === Object.keys(b.params).length && names.every((name) => a.params[name] === b.params[name])
}

/** Every repair. A group tells of all of them with its first block. */
function warningsOf({ start, end, prefix, markers, changed }: Region): string[] {
  const warnings: string[] = []
  if (prefix !== '') {
    const what = prefix.includes('>') ? `"${prefix.trim()}"` : 'indentation'
    warnings.push(
      `${start === end ? `line ${start}` : `lines ${start}-${end}`}: read without the ${what} in front of every line`,
    )
  }
  const lines = new Map<string, number[]>()
  for (const { line, shell, fence } of markers) {
    const words = wordsFor(kindsIn(shell).filter((kind) => kind !== 'breaks'))
    if (!changed.has(line) || (words === '' && !fence)) continue
    const what = fence ? 'a code fence inside the block was passed over' : `marker read through ${words}`
    lines.set(what, [...(lines.get(what) ?? []), line])
  }
  for (const [what, at] of lines) warnings.push(`${at.length === 1 ? 'line' : 'lines'} ${at.join(', ')}: ${what}`)
  return warnings
}

/** A block that is sound as it stands, and yet its texts may be damaged. */
function beside(source: Source, block: Block, escaped: boolean): Block {
  return isSound(block) ? doubted(source, block, withEntities(toleratedIn(source, block), block, escaped)) : block
}

/** Whatever escapes for HTML, and did so elsewhere in the text, leaves markers alone that have no angle bracket. */
function withEntities(kinds: readonly DamageKind[], block: Block, escaped: boolean): readonly DamageKind[] {
  return escaped && !kinds.includes('entities') && !block.raw.includes('<') ? [...kinds, 'entities'] : kinds
}

/** What the markers of a block show that its reader puts up with. */
function toleratedIn(source: Source, block: Block): readonly DamageKind[] {
  if (!tolerated.some((kind) => shows(block.raw, kind))) return []
  const view = new View(source, '', { lines: source.lineCount * 2 })
  return kindsOf(walkOf[block.syntax]?.(view, block.startLine)?.markers ?? [])
}

const tolerated: readonly DamageKind[] = ['spaces', 'invisible', 'breaks', 'punctuation']
