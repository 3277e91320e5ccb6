import type { Outline, Fault, Structure } from './structure.ts'
import { everyStructure, linesOf } from './structure.ts'
import type { Language } from './language.ts'
import { oxcFaults } from './oxc.ts'
import { withOutline } from './outline.ts'
import type { Warning } from './problem.ts'

/** What is wrong with a text, by the strictest judge its language has. */
export async function faultsIn(path: string, outline: Outline): Promise<Fault[]> {
  const { parser } = outline.language
  if (parser.kind === 'tree-sitter' && parser.judge === 'oxc') {
    const faults = await oxcFaults(path, outline.source)
    if (faults !== undefined) return faults
  }
  return outline.faults()
}

export interface Judgement {
  readonly path: string
  readonly language: Language
  /** What was wrong before. Grammars know less than compilers, so only what is new counts. */
  readonly before: () => Promise<readonly Fault[]>
  readonly text: string
  /** Where it was changed, in the new text; a structure around it that lost its code is worth a word. */
  readonly changedAt: number
  /** The header of the structure around it, if that had code inside. */
  readonly filled: string | null
}

/** What an edit broke. */
export function judge({ path, language, before, text, changedAt, filled }: Judgement): Promise<Warning[]> {
  return withOutline(text, language, async (outline) => {
    const warnings: Warning[] = []
    const after = await faultsIn(path, outline)
    const broken = after.length === 0 ? [] : newFaults(await before(), after)
    if (broken.length > 0) warnings.push(syntaxBroken(path, broken))
    const holder = innermost(outline, changedAt)
    if (holder !== null && holder.header === filled && holder.isEmpty() === true) {
      warnings.push(structureEmpty(holder.header, linesOf(outline.source, holder)))
    }
    return warnings
  })
}

/** Faults behind those that were there already, each as often as it was. */
function newFaults(before: readonly Fault[], after: readonly Fault[]): Fault[] {
  const known = new Map<string, number>()
  for (const { key } of before) known.set(key, (known.get(key) ?? 0) + 1)
  return after.filter(({ key }) => {
    const left = known.get(key) ?? 0
    known.set(key, left - 1)
    return left <= 0
  })
}

/** The structure around an offset whose body may have lost its code. */
export function innermost(outline: Outline, offset: number): Structure | null {
  let found: Structure | null = null
  for (const structure of everyStructure(outline.structures)) {
    if (structure.start < offset && offset <= structure.end && structure.isEmpty() !== null) found = structure
  }
  return found
}

function syntaxBroken(path: string, faults: readonly Fault[]): Warning {
  const errors = faults.map(({ line, column, message }) => ({ line, column, message }))
  const [first] = errors
  const place = first === undefined ? '' : ` Line ${first.line}, column ${first.column}: ${first.message}.`
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : ''
  return { type: 'SYNTAX_BROKEN', message: `${path} has syntax errors after this.${place}${more}`, details: { errors } }
}

export const structureEmpty = (structure: string, lines: [number, number]): Warning => ({
  type: 'STRUCTURE_EMPTY',
  message: `${structure} now contains no code (lines ${lines.join('-')}).`,
  details: { structure, lines },
})
