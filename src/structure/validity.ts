import { type Language, nameless } from './language.ts'
import { faultsOfTree, withOutline } from './outline.ts'
import { oxcFaults } from './oxc.ts'
import type { Warning } from './problem.ts'
import { type Fault, type Outline, type Structure, everyStructure, linesOf } from './structure.ts'
import { Source } from '../core/source.ts'
import { languageFor } from './languages.ts'

/** What is wrong with a text, by the strictest judge its language has. */
export const faultsIn = async (path: string, outline: Outline): Promise<Fault[]> =>
  (await strictFaults(path, outline.source, outline.language)) ?? outline.faults()

/** Undefined where the grammar is the only judge. */
async function strictFaults(path: string, source: Source, { parser }: Language): Promise<Fault[] | undefined> {
  return parser.kind === 'tree-sitter' && parser.judge === 'oxc' ? oxcFaults(path, source) : undefined
}

export interface Judgement {
  readonly path: string
  readonly language: Language
  /** What was wrong before. Grammars know less than compilers, so only what is new counts. */
  readonly before: () => Promise<readonly Fault[]>
  readonly text: string
  /** A structure that had something inside, and where it starts now; that it lost all of it is worth a word. */
  readonly filled: { readonly header: string; readonly start: number } | null
}

/** What an edit broke. */
export function judge({ path, language, before, text, filled }: Judgement): Promise<Warning[]> {
  return withOutline(text, language, async (outline) => {
    const warnings: Warning[] = []
    const after = await faultsIn(path, outline)
    const broken = after.length === 0 ? [] : newFaults(await before(), after)
    if (broken.length > 0) warnings.push(syntaxBroken(path, broken))
    const holder = filled === null ? undefined : structureAt(outline, filled)
    if (holder !== undefined && holdsNothing(outline, holder)) {
      warnings.push(structureEmpty(holder.header, linesOf(outline.source, holder)))
    }
    return warnings
  })
}

/** Faults after those that were there already, each as often as it was. */
function newFaults(before: readonly Fault[], after: readonly Fault[]): Fault[] {
  const known = new Map<string, number>()
  for (const { key } of before) known.set(key, (known.get(key) ?? 0) + 1)
  return after.filter(({ key }) => {
    const left = known.get(key) ?? 0
    known.set(key, left - 1)
    return left <= 0
  })
}

function structureAt({ structures }: Outline, { header, start }: { header: string; start: number }) {
  for (const structure of everyStructure(structures)) {
    if (structure.start === start && structure.header === header) return structure
  }
  return undefined
}

/** Whether there is nothing in a structure but what begins and ends it. */
export function holdsNothing({ source, comments }: Outline, structure: Structure): boolean {
  const known = structure.isEmpty()
  if (known !== null) return known
  // What is called by its text has that text.
  if (structure.children.length > 0 || nameless.has(structure.kind)) return false
  const { start, end, headerStart, header } = structure
  const inside = comments.filter((one) => one.start >= start && one.end <= end)
  const pieces = [headerStart, ...inside.flatMap((one) => [one.start, one.end]), end]
  let text = ''
  for (let at = 0; at < pieces.length; at += 2) text += source.text.slice(pieces[at], pieces[at + 1])
  const [own, rest] = [header, text].map((one) => one.replace(/\s+/g, ''))
  return (
    rest?.startsWith(own ?? '') === true && /^[^\p{L}\p{N}_"'`]*(?:end|<\/[\w:-]+>)?$/u.test(rest.slice(own?.length))
  )
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

/** The first fault of a file that had none before; undefined where it had some, has none, or its language is not known. */
export async function brokenSyntax(path: string, before: string, after: string): Promise<Fault | undefined> {
  const language = languageFor(path, after)
  if (language === undefined || language.parser.kind !== 'tree-sitter') return undefined
  const [fault] = await faultsOfText(path, after, language)
  if (fault === undefined) return undefined
  return (await faultsOfText(path, before, language)).length === 0 ? fault : undefined
}

/** A grammar is loaded only where it is the only judge. */
const faultsOfText = async (path: string, text: string, language: Language): Promise<readonly Fault[]> =>
  (await strictFaults(path, new Source(text), language)) ?? faultsOfTree(text, language)
