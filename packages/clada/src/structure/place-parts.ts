import { findNewElision } from '@clada/reply/text/elision.ts'
import type { NamedText } from './document.ts'
import { isFailed, structureText } from './document.ts'
import { type Edited, insertAfterIn, insertBeforeIn, replaceIn } from './edit.ts'
import { nameless, type Kind, type Language } from './language.ts'
import { languageFor } from './languages.ts'
import { withOutline } from './outline.ts'
import {
  applyChanges,
  type StructureFailure,
  type SourceError,
  lineRangeOf,
  type Outline,
  pathOf,
  type Structure,
} from './structure.ts'

/** A file with declarations of a text that is a part of it in their places. */
export interface PlacedParts {
  readonly text: string
  /** Headers, in the order of the part. */
  readonly replaced: readonly string[]
  readonly inserted: readonly string[]
}

/** What says that a text is a part: words above it, its beginning, or only that its classes lack most of their members. */
type PartLook = 'known' | 'likely' | 'members'

/**
 * Puts the declarations of a part in the places of those that the file has by the same name; a new one goes beside its
 * neighbour in the part. Undefined where a place is not sure: a name is there twice, a neighbour is missing, or the part
 * holds more than declarations.
 */
export async function placeParts(
  { path, text }: NamedText,
  part: string,
  look: PartLook,
): Promise<PlacedParts | undefined> {
  const language = languageFor(path, text)
  if (language === undefined) return undefined
  const plainPart = part.replaceAll('\r\n', '\n')
  const read = (look === 'known' ? importsAlone(plainPart) : undefined) ?? (await readPart(plainPart, language))
  if (read === undefined || read.parts.length + read.imports.length === 0) return undefined
  // With several imports it rather is a whole file, of which other declarations were deleted.
  if (read.imports.length > 1 && look !== 'known') return undefined
  if (look === 'members' && !(read.imports.length === 0 && read.parts.every(({ members }) => members.length > 0)))
    return undefined
  if (read.parts.some((one) => findNewElision(one.text, path, text) !== undefined)) return undefined
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim()))
  if (!read.rest.every((line) => lines.has(line.trim()))) return undefined
  const imports = withImports(text, read.imports)
  if (imports === undefined) return undefined
  const placing = new PartPlacing({ path, text }, language)
  if (!(await placing.placeAll(read.parts, []))) return undefined
  return (await placing.insertImports(imports)) ? placing.done() : undefined
}

/**
 * Whether a text declares, at its top, all that a file declares there. Then it may be the whole of it, although most of its
 * lines are others. A part that leaves the imports out uses what they import.
 */
export async function coversFile({ path, text }: NamedText, content: string): Promise<boolean> {
  const language = languageFor(path, text)
  if (language === undefined) return false
  const [file, fresh] = [await topLevelOf(text, language), await topLevelOf(content, language)]
  if (file === undefined || fresh === undefined || file.names.size === 0) return false
  const declared = [...file.names].every((name) => fresh.names.has(name))
  const leftOut = fresh.imports.length > 0 ? [] : file.imports
  const words = new Set(content.match(/[\p{L}\p{N}_$]+/gu))
  const isUsed = (line: string): boolean =>
    (line.replace(/(["']).*?\1/g, '').match(/[\p{L}\p{N}_$]+/gu) ?? []).some(
      (word) => !WORDS.has(word) && words.has(word),
    )
  const keepsStatements = file.rest.length === 0 || fresh.rest.length > 0
  return declared && keepsStatements && !leftOut.some(isUsed)
}

/** The words around what a line imports. */
const WORDS = new Set([
  'import',
  'from',
  'as',
  'type',
  'use',
  'using',
  'static',
  'export',
  'default',
  'const',
  'require',
])

interface Top {
  readonly names: ReadonlySet<string>
  readonly imports: readonly string[]
  readonly rest: readonly string[]
}

/** What a text has at its top; undefined where it has errors. */
const topLevelOf = (text: string, language: Language): Promise<Top | undefined> =>
  withOutline(text, language, (outline) => {
    const declarations = outline.structures.filter(isDeclaration)
    // Grammars err inside of functions; outside, declarations may be missing.
    const ranges = declarations.map((one) => lineRangeOf(outline.source, one))
    const isInside = ({ line }: SourceError): boolean => ranges.some(([first, last]) => first < line && line < last)
    if (!outline.errors().every(isInside)) return undefined
    const preamble = { start: 0, end: Math.min(outline.preambleEnd, outline.structures[0]?.start ?? text.length) }
    return {
      names: new Set(declarations.flatMap((one) => declaredNames(one))),
      imports: telling(outline, preamble, []),
      rest: telling(outline, { start: preamble.end, end: text.length }, declarations),
    }
  })

/** The name of a declaration, and those of its members. */
function declaredNames({ name, header, kind, children }: Structure): string[] {
  const own = name ?? header
  const members = holders.has(kind) ? children.filter(isDeclaration) : []
  return [own, ...members.map((one) => `${own}\0${one.name ?? one.header}`)]
}

/** A declaration of the part. */
interface Declaration {
  /** Its kind and its name, which say what it is the new version of. */
  readonly key: string
  readonly kind: Kind
  readonly header: string
  /** At zero indent. */
  readonly text: string
  /** Without a comment or a decorator above it. */
  readonly isBare: boolean
  readonly members: readonly Declaration[]
  /** Its lines with text that are in no member and not its header. */
  readonly rest: readonly string[]
}

interface ReadPart {
  readonly parts: readonly Declaration[]
  readonly imports: readonly string[]
  readonly rest: readonly string[]
}

/** Kinds of which only some members may be shown. */
const holders: ReadonlySet<Kind> = new Set<Kind>([
  'class',
  'interface',
  'enum',
  'struct',
  'trait',
  'impl',
  'module',
  'key',
  'table',
  'section',
  'rule',
])

/** Kinds that a part is never made of: their names say too little. */
const tooSmall: ReadonlySet<Kind> = new Set<Kind>([...nameless, 'declaration', 'element'])

const declarationKey = ({ kind, name, header, owner }: Structure): string =>
  `${kind}\0${owner ?? ''}\0${name ?? header}`

const isDeclaration = ({ kind, name }: Structure): boolean => !tooSmall.has(kind) || (kind === 'rule' && name === null)

/** The declarations of a part: alone, or inside what their language needs around them. */
async function readPart(part: string, language: Language): Promise<ReadPart | undefined> {
  const { parser } = language
  const frames = (parser.kind === 'tree-sitter' ? parser.fragments : undefined) ?? [['', ''] as const]
  const content = withoutCommonIndent(part)
  for (const [before, after] of frames) {
    const found = await withOutline(`${before}${content}${after}`, language, (outline) => {
      const end = outline.source.text.length - after.length
      if (outline.errors().length > 0) return undefined
      const structures = structuresFrom(outline.structures, before.length).filter((one) => one.end <= end)
      if (!structures.some(isDeclaration)) return undefined
      const preamble = Math.max(before.length, Math.min(outline.preambleEnd, structures[0]?.start ?? end))
      return {
        parts: structures.filter(isDeclaration).map((one) => declarationOf(outline, one)),
        imports: telling(outline, { start: before.length, end: preamble }, []),
        rest: telling(outline, { start: preamble, end }, structures.filter(isDeclaration)),
      }
    })
    if (found !== undefined) return found
  }
  return undefined
}

/** A part that was copied out of something is indented as a whole. */
function withoutCommonIndent(part: string): string {
  const rows = part.split('\n')
  const indents = rows.filter((row) => row.trim() !== '').map((row) => /^[ \t]*/.exec(row)?.[0] ?? '')
  const common = indents.reduce((least, one) => (one.length < least.length ? one : least), indents[0] ?? '')
  return common !== '' && indents.every((one) => one.startsWith(common))
    ? rows.map((row) => row.slice(common.length)).join('\n')
    : part
}

const structuresFrom = (structures: readonly Structure[], from: number): Structure[] =>
  structures.flatMap((one) => (one.start >= from ? [one] : structuresFrom(one.children, from)))

function declarationOf(outline: Outline, structure: Structure): Declaration {
  const { kind, header, start, headerStart, end, children } = structure
  const members = children.filter(isDeclaration)
  const first = outline.source.endOf(outline.source.lineAt(headerStart))
  return {
    key: declarationKey(structure),
    kind,
    header,
    text: structureText(outline, structure),
    isBare: start === headerStart,
    members: holders.has(kind) ? members.map((one) => declarationOf(outline, one)) : [],
    rest: telling(outline, { start: Math.min(first, end), end }, members),
  }
}

/** The lines of a span that have words, without those of some structures and without comments. */
function telling(
  { source, comments }: Outline,
  span: { readonly start: number; readonly end: number },
  structures: readonly Structure[],
): string[] {
  const without = [...structures, ...comments].filter(({ start, end }) => start < span.end && end > span.start)
  const changes = without
    .toSorted((a, b) => a.start - b.start)
    .reduce<{ start: number; end: number; text: string }[]>((taken, { start, end }) => {
      const from = Math.max(start, span.start, taken.at(-1)?.end ?? 0)
      if (end > from) taken.push({ start: from, end: Math.min(end, span.end), text: '\n' })
      return taken
    }, [])
  const moved = changes.map((one) => ({ ...one, start: one.start - span.start, end: one.end - span.start }))
  return applyChanges(source.text.slice(span.start, span.end), moved)
    .split('\n')
    .filter((line) => /[\p{L}\p{N}_]/u.test(line))
}

/** The imports of a part that the file lacks; undefined where one of them may be a new version of one that it has. */
function withImports(text: string, imports: readonly string[]): readonly string[] | undefined {
  const lines = text.split(/\r?\n/)
  const known = new Set(lines.map((line) => line.trim()))
  const fresh = imports.filter((line) => !known.has(line.trim()))
  const isSure = fresh.every((line) => {
    const from = importSource(line)
    return from !== undefined && !lines.some((one) => importSource(one) === from)
  })
  return isSure ? fresh : undefined
}

/** A part that is nothing but imports, each on one line. */
function importsAlone(part: string): ReadPart | undefined {
  const imports = part.split('\n').filter((line) => line.trim() !== '')
  const areImports = imports.every(
    (line) => importSource(line) !== undefined && !/^\s*export\b(?!.*\bfrom\b)/.test(line),
  )
  return areImports ? { parts: [], imports, rest: [] } : undefined
}

/** What a line imports from; undefined where it is no import of one line. */
function importSource(line: string): string | undefined {
  const [, quoted] = /^\s*(?:import|export|use|require\w*|#include)\b.*["'<]([^"'<>]+)["'>][;)]*\s*$/.exec(line) ?? []
  const [, plain] = /^\s*(?:from\s+(\S+)\s+import\s+[^(\\]+|)$/.exec(line) ?? []
  const [, dotted] = /^\s*(?:import|using|use)\s+(?:static\s+)?([\w.:\\*]+)(?:\s+as\s+\w+)?;?\s*$/.exec(line) ?? []
  return quoted ?? plain ?? dotted
}

class PartPlacing {
  readonly #path: string
  readonly #language: Language
  readonly #replaced: string[] = []
  readonly #inserted: string[] = []
  #text: string

  constructor({ path, text }: NamedText, language: Language) {
    this.#path = path
    this.#text = text
    this.#language = language
  }

  done(): PlacedParts {
    return { text: this.#text, replaced: this.#replaced.toReversed(), inserted: this.#inserted.toReversed() }
  }

  /** From the last to the first, so that several new ones keep their order. `within` are the keys of what holds them. */
  async placeAll(parts: readonly Declaration[], within: readonly string[]): Promise<boolean> {
    for (let at = parts.length - 1; at >= 0; at--) if (!(await this.#place(parts, at, within))) return false
    return true
  }

  async #place(parts: readonly Declaration[], at: number, within: readonly string[]): Promise<boolean> {
    const part = parts[at]
    if (part === undefined) return false
    const found = await this.#look(part.key, within)
    if (found === 'several') return false
    if (found === undefined) return this.#insert(parts, at, within)
    const missing = found.members.filter((key) => !part.members.some((member) => member.key === key))
    if (missing.length === 0 || !holders.has(part.kind)) return this.#replace(part, found)
    // Only some of its members are shown: the others stay.
    const isSame =
      singleSpaced(found.header) === singleSpaced(part.header) &&
      part.rest.every((line) => found.lines.has(line.trim()))
    return isSame && part.members.length > 0 && this.placeAll(part.members, [...within, part.key])
  }

  async #replace(part: Declaration, { target, head, header, text }: FoundPart): Promise<boolean> {
    const [, exported = ''] = /^(export (?:default )?|pub )/.exec(header) ?? []
    const isHidden =
      exported !== '' &&
      !part.header.startsWith(exported) &&
      header.startsWith(exported + part.header.split(/[(<{:=]/)[0])
    const content = (part.isBare ? head : '') + (isHidden && part.isBare ? exported : '') + part.text
    if (singleSpaced(content) === singleSpaced(text)) return true
    this.#replaced.push(part.header)
    return this.#take(await replaceIn(this.#document(), target, content))
  }

  async #insert(parts: readonly Declaration[], at: number, within: readonly string[]): Promise<boolean> {
    const part = parts[at]
    if (part === undefined) return false
    this.#inserted.push(part.header)
    for (const before of parts.slice(0, at).toReversed()) {
      const found = await this.#look(before.key, within)
      if (found === 'several') return false
      if (found !== undefined) return this.#take(await insertAfterIn(this.#document(), found.target, part.text))
    }
    for (const after of parts.slice(at + 1)) {
      const found = await this.#look(after.key, within)
      if (typeof found === 'object') return this.#take(await insertBeforeIn(this.#document(), found.target, part.text))
    }
    return false
  }

  async insertImports(imports: readonly string[]): Promise<boolean> {
    if (imports.length === 0) return true
    const end = await withOutline(this.#text, this.#language, ({ preambleEnd }) => preambleEnd)
    const eol = this.#text.includes('\r\n') ? '\r\n' : '\n'
    // Such a first line stays the first: documentation, a directive, what a shell or PHP reads.
    if (end === 0 && /^\s*(?:["'#`]|<\?)/.test(this.#text)) return false
    this.#text =
      end === 0
        ? `${imports.map((line) => line + eol).join('')}${eol}${this.#text}`
        : `${this.#text.slice(0, end)}${imports.map((line) => eol + line).join('')}${this.#text.slice(end)}`
    this.#inserted.push(...imports.map((line) => line.trim()).toReversed())
    return true
  }

  /** The one structure with a key, directly below others. At the top it may be anywhere outside functions. */
  #look(key: string, within: readonly string[]): Promise<FoundPart | 'several' | undefined> {
    return withOutline(this.#text, this.#language, (outline) => {
      let scope: readonly Structure[] = outline.structures
      for (const holder of within) {
        const [only, ...others] = withKey(scope, holder, within[0] === holder)
        if (only === undefined || others.length > 0) return 'several'
        scope = only.children
      }
      const [only, ...others] = withKey(scope, key, within.length === 0)
      if (others.length > 0) return 'several'
      return only && foundPart(outline, only)
    })
  }

  #document(): NamedText {
    return { path: this.#path, text: this.#text }
  }

  #take(edited: Edited<unknown> | StructureFailure): boolean {
    if (isFailed(edited) || edited.warnings.some(({ type }) => type === 'SYNTAX_BROKEN')) return false
    this.#text = edited.text
    return true
  }
}

interface FoundPart {
  readonly target: string
  readonly header: string
  readonly text: string
  /** The comments and decorators above it. */
  readonly head: string
  readonly members: readonly string[]
  readonly lines: ReadonlySet<string>
}

function foundPart(outline: Outline, structure: Structure): FoundPart {
  const { source } = outline
  const text = structureText(outline, structure)
  const above = source.lineAt(structure.headerStart) - source.lineAt(structure.start)
  const rows = text.split('\n')
  const levels = pathOf(structure).map(({ header }) => header)
  return {
    target: [...levels.slice(0, -1), `${levels.at(-1)} [${lineRangeOf(source, structure)[0]}]`].join('\n'),
    header: structure.header,
    text,
    head: rows
      .slice(0, above)
      .map((row) => `${row}\n`)
      .join(''),
    members: holders.has(structure.kind) ? structure.children.filter(isDeclaration).map(declarationKey) : [],
    lines: new Set(rows.map((row) => row.trim())),
  }
}

function withKey(structures: readonly Structure[], key: string, isDeep: boolean): Structure[] {
  const having = (wanted: string): Structure[] =>
    (isDeep ? [...outsideFunctions(structures)] : structures).filter((one) => declarationKey(one) === wanted)
  const found = having(key)
  const outer = found.filter(({ parent }) => parent === null)
  if (found.length > 0) return outer.length === 1 ? outer : found
  // A method without its class looks like a function.
  const [kind = '', ...rest] = key.split('\0')
  const other = kind === 'function' ? 'method' : kind === 'method' ? 'function' : undefined
  return other === undefined ? [] : having([other, ...rest].join('\0'))
}

/** Structures that are no part of a function. */
function* outsideFunctions(structures: readonly Structure[]): Generator<Structure> {
  for (const one of structures) {
    yield one
    if (one.kind !== 'function' && one.kind !== 'method' && one.kind !== 'lambda') yield* outsideFunctions(one.children)
  }
}

const singleSpaced = (text: string): string => text.replace(/\s+/g, ' ').trim()
