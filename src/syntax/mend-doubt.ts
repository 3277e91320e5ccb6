import type { Block, DamageKind, Fault } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import { shows, wordsFor } from '../text/undamage.ts'
import { faultAt } from './sham-line.ts'

/**
 * A block whose markers show a kind of damage. A text in it that shows the same kind was either damaged like its
 * markers or is meant to be so, and nobody can tell: it is not carried out. Only the text that an edit looks for can
 * be told, by the file it is in; `actions/replace-occurrences.ts` and `actions/file-patch.ts` do that.
 */
export function doubted(source: Source, block: Block, kinds: readonly DamageKind[]): Block {
  if (block.faults.length > 0) return block
  const doubtful = new Map<string, DamageKind[]>()
  for (const [name, text] of Object.entries(block.params)) {
    const shown = kinds.filter((kind) => mayShow(text, kind))
    if (shown.length > 0) doubtful.set(name, shown)
  }
  if (doubtful.size === 0) return block
  const names = [...doubtful.keys()]
  const damage = kinds.filter((kind) => [...doubtful.values()].some((shown) => shown.includes(kind)))
  const settled = names.every((name) => editNames.has(name)) && names.some((name) => name !== 'new_text')
  return settled ? { ...block, damage } : { ...block, damage, faults: [doubtAt(source, block, names, damage)] }
}

function mayShow(text: string, kind: DamageKind): boolean {
  // In a quoted value a backslash that was doubled reads as one.
  if (kind === 'escapes') return text.includes('\\')
  // Nobody breaks an empty line.
  if (kind === 'breaks') return text.split('\n').some((line) => line.endsWith('  ') && line.trim() !== '')
  return shows(text, kind)
}

const editNames: ReadonlySet<string> = new Set(['old_text', 'old_text_beginning', 'old_text_end', 'new_text', 'patch'])

function doubtAt(source: Source, block: Block, names: readonly string[], damage: readonly DamageKind[]): Fault {
  const words = wordsFor(damage)
  return faultAt(source, block.startLine, block.id, {
    code: 'malformed_block',
    column: 1,
    length: source.line(block.startLine).length,
    message: `The text was damaged on its way: the markers of this block have ${words}, and so has ${names.join(', ')}`,
    hint: 'What it said before cannot be told. Send the block again inside a code block.',
  })
}
