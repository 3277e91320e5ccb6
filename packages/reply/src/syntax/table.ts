import { applyPatch } from './apply-patch/apply-patch.ts'
import { cml } from './cml/cml.ts'
import { csl } from './csl/csl.ts'
import { gptme } from './gptme/gptme.ts'
import { jsonCall } from './json-call/json-call.ts'
import { type OwnSyntax, ownSyntaxRow } from './own-syntax.ts'
import { proposal } from './proposal/proposal.ts'
import { replacer } from './replacer/replacer.ts'
import { searchReplace } from './search-replace/search-replace.ts'
import { sham } from './sham/sham.ts'
import type { Syntax, Target } from './syntax.ts'
import { sweAgent } from './swe-agent/swe-agent.ts'
import { udiff } from './udiff/udiff.ts'
import { xmlCall } from './xml-call/xml-call.ts'

/** Every syntax, under the name that options, the config and results use. The order decides where two open on one line. */
const syntaxes = {
  sham,
  csl,
  cml,
  replacer,
  'search-replace': searchReplace,
  'apply-patch': applyPatch,
  udiff,
  'xml-call': xmlCall,
  'json-call': jsonCall,
  gptme,
  'swe-agent': sweAgent,
  proposal,
} satisfies Record<string, Syntax>

/** The name of a syntax, as options spell it. */
export type SyntaxName = keyof typeof syntaxes

type NamesIn<Part extends string> = {
  [Name in SyntaxName]: (typeof syntaxes)[Name] extends Record<Part, infer Found> ? [Name, Found] : never
}[SyntaxName]

/** A syntax that a model can be taught. */
export type TaughtName = NamesIn<'lesson'>[0]

/** What a document can be converted to. */
export type TargetName = TargetsIn<NamesIn<'targets'>>
type TargetsIn<Found> = Found extends [unknown, infer Targets] ? keyof Targets & string : never

/** The same table with the keys as plain strings. */
const rows: ReadonlyMap<string, Syntax> = new Map<string, Syntax>(Object.entries(syntaxes))

export const syntaxNames: readonly SyntaxName[] = [...rows.keys()].filter((name): name is SyntaxName =>
  Object.hasOwn(syntaxes, name),
)

/** For calls without a document, and diagnostics of no syntax in particular. */
export const defaultSyntax: TaughtName = 'sham'

/** By its name or another one, in any case. */
export const findSyntaxName = (given: string): SyntaxName | undefined =>
  syntaxNames.find((name) => [name, ...(rows.get(name)?.aliases ?? [])].includes(given.toLowerCase()))

export const taughtNames: readonly TaughtName[] = syntaxNames.filter(
  (name): name is TaughtName => rows.get(name)?.lesson !== undefined,
)

/** A prompt can be made for these: those that a model is taught, and formats of other tools with a short prompt. */
export const promptNames: readonly SyntaxName[] = syntaxNames.filter((name) => rows.get(name)?.reminder !== undefined)

const targets: ReadonlyMap<string, { readonly syntax: Syntax; readonly target: Target }> = new Map(
  [...rows.values()].flatMap((syntax) =>
    Object.entries(syntax.targets ?? {}).map(([name, target]) => [name, { syntax, target }] as const),
  ),
)

export const targetNames: readonly TargetName[] = [...targets.keys()].filter((name): name is TargetName =>
  targets.has(name),
)

/** Blocks name their syntax, so a name means one syntax in a process. */
const own = new Map<string, { readonly definition: OwnSyntax; readonly syntax: Syntax }>()

/** Makes a syntax of the caller's known under its name. Returns why that cannot be. */
export function addSyntax(definition: OwnSyntax): string | undefined {
  const { name } = definition
  if (!/^[a-z][a-z0-9-]*$/.test(name)) return `'${name}' is no name for a syntax: small letters, digits and hyphens.`
  if (rows.has(name)) return `There is a syntax '${name}' already. Give yours another name.`
  const before = own.get(name)
  if (before === undefined) own.set(name, { definition, syntax: ownSyntaxRow(definition) })
  return before === undefined || before.definition === definition
    ? undefined
    : `Another syntax of this program is called '${name}'. Give one of them another name.`
}

/** The syntax of a block, which only this folder makes. */
export function syntaxOf(name: string): Syntax {
  const syntax = rows.get(name) ?? own.get(name)?.syntax
  if (syntax === undefined) throw new Error(`There is no syntax '${name}'`)
  return syntax
}

export function targetOf(name: TargetName): { readonly syntax: Syntax; readonly target: Target } {
  const found = targets.get(name)
  if (found === undefined) throw new Error(`No syntax writes '${name}'`)
  return found
}
