import type { Block, Document } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { kindsIn, shows, wordsFor } from '../text/undamage.ts'
import { doubted } from './mend-doubt.ts'
import { walkSham } from './mend-sham.ts'
import { View, type WalkThrough } from './mend-view.ts'
import { isSound, kindsOf, mend, regionOf, type Region } from './mend.ts'

export interface ThroughDamage {
  readonly soundBefore: boolean
  read(source: Source): Document
}

const walks: readonly WalkThrough[] = [walkSham]

/** What a text gives when its markers are read through damage. `strict` is what it gives as it stands. */
export function throughDamage(source: Source, strict: Document, { soundBefore, read }: ThroughDamage): Document {
  const { text, regions, warnings } = mend(source, strict, { walks, soundBefore })
  const mended = text === source.text ? source : new Source(text)
  const document = mended === source ? strict : read(mended)
  if (!keeps(strict, document, regions)) return strict
  const entities = regions.some(({ kinds }) => kinds.includes('entities'))
  const blocks = document.blocks.map((block) => {
    const region = regionOf(regions, block.startLine)
    if (region !== undefined) return through(mended, block, region)
    return isSound(block) ? beside(source, block, entities) : block
  })
  return { blocks, faults: document.faults, warnings: [...document.warnings, ...warnings] }
}

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

/** A block that was read through damage, with a warning for each repair. */
function through(source: Source, block: Block, region: Region): Block {
  const { start, end, prefix, markers, changed, kinds } = region
  if (changed.size === 0) return doubted(source, block, kinds)
  const warnings = [...(block.warnings ?? [])]
  if (prefix !== '') {
    const what = prefix.includes('>') ? `"${prefix.trim()}"` : 'indentation'
    warnings.push(`lines ${start}-${end}: read without the ${what} in front of every line`)
  }
  for (const { line, shell, clean, fence } of markers) {
    if (line < block.startLine || line > (block.endLine ?? end)) continue
    if (fence) warnings.push(`line ${line}: a code fence inside the block was passed over`)
    else if (clean !== shell && changed.has(line) && kindsIn(shell).length > 0) {
      warnings.push(`line ${line}: marker read through ${wordsFor(kindsIn(shell))}`)
    }
  }
  return doubted(source, { ...block, warnings }, kinds)
}

/** A block that is sound as it stands, and yet its texts may be damaged. */
function beside(source: Source, block: Block, entities: boolean): Block {
  // Whatever escapes for HTML leaves a block alone that has no angle bracket in its markers.
  if (entities && !block.raw.includes('<')) return doubted(source, block, ['entities'])
  if (!shows(block.raw, 'spaces') && !shows(block.raw, 'invisible') && !shows(block.raw, 'breaks')) return block
  const view = new View(source, '', { lines: source.lineCount * 2 })
  for (const walk of walks) {
    const walked = walk(view, block.startLine)
    if (walked !== undefined) return doubted(source, block, kindsOf(walked.markers))
  }
  return block
}
