import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { type Language, nameless } from './language.ts'
import { errorsOfTree, withOutline } from './outline.ts'
import {
  everyStructure,
  type SourceError,
  lineRangeOf,
  type Outline,
  type Structure,
  type Warning,
} from './structure.ts'
import type { Span } from '@clada/reply/text/edit.ts'
import { Source } from '@clada/reply/core/source.ts'
import { languageFor } from './languages.ts'
import { loadPackage, packageFile } from '../core/installation.ts'
import { ProblemError } from '../core/problem.ts'
import { timeLeft } from '../core/time-limit.ts'

/** What is wrong with a text, by the strictest judge its language has. */
export const errorsIn = async (path: string, outline: Outline): Promise<SourceError[]> =>
  (await strictErrors(path, outline.source.text, outline.language)) ?? outline.errors()

/** Undefined where the grammar is the only judge. */
async function strictErrors(path: string, text: string, { parser }: Language): Promise<SourceError[] | undefined> {
  return parser.kind === 'tree-sitter' && parser.judge === 'oxc' ? oxcErrors(path, text) : undefined
}

export interface Judgement {
  readonly path: string
  readonly language: Language
  /** What was wrong before. Grammars know less than compilers, so only what is new counts. */
  readonly before: () => Promise<readonly SourceError[]>
  readonly text: string
  /** What was put in, as parts of the text. */
  readonly put: readonly Span[]
  /** A structure that had something inside, and where it starts now; that it lost all of it is worth a word. */
  readonly filled: { readonly header: string; readonly start: number } | null
  /** Whether what was next to the edit is still there. */
  readonly keeps?: (outline: Outline) => boolean
  /** Further warnings about the edited text. */
  readonly look?: (outline: Outline) => readonly Warning[]
}

export interface JudgedText {
  readonly warnings: Warning[]
  readonly isBroken: boolean
  /** Whether the edit became one with what is next to it. */
  readonly isJoined: boolean
}

/** What an edit broke. */
export function judge({ path, language, before, text, put, filled, keeps, look }: Judgement): Promise<JudgedText> {
  return withOutline(text, language, async (outline) => {
    const warnings: Warning[] = []
    const strict = await strictErrors(path, text, language)
    const after = strict ?? outline.errors()
    const known = after.length === 0 ? [] : await before()
    const fresh = newErrors(known, after)
    // A grammar that lost its way in a file before may lose it elsewhere after an edit that is right.
    const isOwn = ({ line }: SourceError): boolean => put.some((span) => touchesLine(outline.source, span, line))
    const broken = strict === undefined && known.length > 0 ? fresh.filter(isOwn) : fresh
    if (broken.length > 0) warnings.push(syntaxBroken(path, broken))
    const holder = filled === null ? undefined : structureAt(outline, filled)
    if (holder !== undefined && holdsNothing(outline, holder)) {
      warnings.push(structureEmpty(holder.header, lineRangeOf(outline.source, holder)))
    }
    warnings.push(...(look?.(outline) ?? []))
    return { warnings, isBroken: broken.length > 0, isJoined: keeps?.(outline) === false }
  })
}

/** Errors after those that were there already, each as often as it was. */
function newErrors(before: readonly SourceError[], after: readonly SourceError[]): SourceError[] {
  const known = new Map<string, number>()
  for (const { key } of before) known.set(key, (known.get(key) ?? 0) + 1)
  return after.filter(({ key }) => {
    const left = known.get(key) ?? 0
    known.set(key, left - 1)
    return left <= 0
  })
}

function touchesLine(source: Source, span: Span, line: number): boolean {
  const [first, last] = lineRangeOf(source, span)
  return first <= line && line <= last
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

function syntaxBroken(path: string, found: readonly SourceError[]): Warning {
  const errors = found.map(({ line, column, message }) => ({ line, column, message }))
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

/** The first error of a file that had none before; undefined where it had some, has none, or its language is not known. */
export async function brokenSyntax(
  path: string,
  before: () => string,
  after: string,
): Promise<SourceError | undefined> {
  if (isStrictJson(path) && jsonErrorIn(before()) === undefined) return jsonErrorIn(after)
  const language = languageFor(path, after)
  if (language === undefined || language.parser.kind !== 'tree-sitter') return undefined
  const [error] = await errorsOfText(path, after, language)
  if (error === undefined) return undefined
  return (await errorsOfText(path, before(), language)).length === 0 ? error : undefined
}

/** Files of these names may have comments. */
const isStrictJson = (path: string): boolean =>
  /\.json$/i.test(path) &&
  !/(?:^|[\\/])(?:[tj]sconfig[^\\/]*|\.[^\\/]*|devcontainer|settings)\.json$|\.vscode[\\/]/i.test(path)

/** Messages do not always say where: then it is the end of the shortest beginning that is wrong already. */
function jsonErrorIn(text: string): SourceError | undefined {
  const error = jsonError(text)
  if (error === undefined) return undefined
  let [good, bad] = [0, text.length]
  while (error.at === undefined && good + 1 < bad) {
    const middle = (good + bad) >> 1
    const part = jsonError(text.slice(0, middle))
    if (part === undefined || (part.at ?? 0) >= middle) good = middle
    else bad = middle
  }
  const source = new Source(text)
  const offset = Math.max(0, Math.min(error.at ?? bad - 1, text.trimEnd().length - 1))
  const line = source.lineAt(offset)
  const { message } = error
  return { line, column: offset - source.startOf(line) + 1, message, key: `${message} | ${source.line(line).trim()}` }
}

/** What is wrong with a JSON text, and where as far as known; past its end where more should follow. */
function jsonError(text: string): { readonly message: string; readonly at: number | undefined } | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const position = /at position (\d+)/.exec(said)?.[1]
    const at = position === undefined ? (said.includes('end of JSON') ? text.length : undefined) : Number(position)
    return { message: said.replace(/ in JSON at position[^]*$|, (?:\.\.\.)?"[^]*" is not valid JSON$/, ''), at }
  }
}

/** A grammar is loaded only where it is the only judge. */
const errorsOfText = async (path: string, text: string, language: Language): Promise<readonly SourceError[]> =>
  (await strictErrors(path, text, language)) ?? errorsOfTree(text, language)

/**
 * What a full parser says of TypeScript and JavaScript, whose grammars see errors where there are none. Undefined where
 * its native part is not installed, or the text could be nested too deeply: then the grammar alone judges.
 */
export async function oxcErrors(path: string, text: string): Promise<SourceError[] | undefined> {
  const stack = stackFor(text)
  if (stack === 'none') return undefined
  if (stack === 'large') return errorsFrom(await parseInThread(fileName(path), text), text)
  parser ??= loadParser()
  const { parseSync } = parser
  if (parseSync === undefined) return undefined
  const parsed = parseSync(fileName(path), text)
  releaseParts(parsed)
  const errors = errorsFrom(parsed.errors, text)
  // The rest of its memory is freed between turns of the event loop only.
  await new Promise((resume) => setImmediate(resume))
  return errors
}

let parser: Partial<Parser> | undefined

/** What the package is without its wrapper, which makes objects of the tree when it is read. */
const parserModule = 'oxc-parser/src-js/bindings.js'

interface ParsedModule {
  readonly errors: readonly ParserError[]
  readonly program: string
  readonly module: unknown
}

interface Parser {
  parseSync(name: string, text: string): ParsedModule
}

/**
 * The tree, as a text, and the list of exports are in the parser's own memory, which V8 knows nothing of until they are read:
 * 1,000 files took 140 MB.
 */
function releaseParts(parsed: ParsedModule): void {
  void parsed.program
  void parsed.module
}

/**
 * While it is loaded, its allocator would ask the system for pages of 2 MB, and clearing those takes longer than to parse a
 * small file. Programs that are started later do not get the variable.
 */
function loadParser(): Partial<Parser> {
  const { MIMALLOC_ALLOW_THP: given } = process.env
  process.env['MIMALLOC_ALLOW_THP'] = given ?? '0'
  try {
    return loadPackage<Parser>(parserModule) ?? {}
  } finally {
    if (given === undefined) delete process.env['MIMALLOC_ALLOW_THP']
  }
}

interface ParserError {
  readonly severity: string
  readonly message: string
  readonly labels: readonly { readonly start: number }[]
}

function errorsFrom(all: readonly ParserError[] | undefined, text: string): SourceError[] | undefined {
  const serious = all?.filter(({ severity }) => severity === 'Error')
  if (serious === undefined || serious.length === 0) return serious && []
  const source = new Source(text)
  return serious.map(({ message, labels }) => {
    const offset = labels[0]?.start ?? 0
    const line = source.lineAt(offset)
    const around = source.line(line).trim()
    return { line, column: offset - source.startOf(line) + 1, message, key: `${message} | ${around}` }
  })
}

/**
 * The parser calls itself for whatever is inside another, and where its stack ends so does the process. So the stack is
 * chosen by what there could be at most, all of it nested: brackets and the like take some 2 KB each, operators 200 bytes.
 */
export function stackFor(text: string): 'own' | 'large' | 'none' {
  // Most texts need not be looked at character by character.
  let most = text.length * operatorBytes
  for (const mark of brackets) for (let at = -1; (at = text.indexOf(mark, at + 1)) !== -1;) most += bracketBytes
  if (most < ownStack) return 'own'
  let bytes = 0
  for (let at = 0; at < text.length; at++) bytes += stackBytes[text.charCodeAt(at)] ?? 0
  return bytes < ownStack ? 'own' : bytes < 0.9 * largeMb * mb ? 'large' : 'none'
}

const mb = 2 ** 20
const ownStack = 3.6 * mb
const largeMb = 512
const [bracketBytes, operatorBytes] = [2400, 200]
const brackets = '[({<>?`'
/** By the code of a character. With the `>` of an arrow, and the `e` of `else`. */
const stackBytes = new Uint16Array(2 ** 16)
for (const code of Buffer.from(brackets)) stackBytes[code] = bracketBytes
for (const code of Buffer.from('!~+-*/%&|^.,:=;e')) stackBytes[code] = operatorBytes

let thread: Worker | undefined
let lastAnswer: Promise<unknown> = Promise.resolve()

/** In a thread with a large stack, one file after the other. Undefined when there is no parser, or no such thread. */
function parseInThread(name: string, text: string): Promise<readonly ParserError[] | undefined> {
  const answer = lastAnswer.then(() => askThread(name, text))
  lastAnswer = answer.catch(() => undefined)
  return answer
}

async function askThread(name: string, text: string): Promise<readonly ParserError[] | undefined> {
  const { ms, left } = timeLeft()
  const worker = (thread ??= await startThread())
  if (worker === undefined) return undefined
  const late = AbortSignal.timeout(Math.min(Math.max(1, Math.ceil(left)), 2 ** 31 - 1))
  // Takes the listeners away: many files would warn of a leak.
  const over = new AbortController()
  const signal = AbortSignal.any([late, over.signal])
  try {
    const [answered, ended] = [once(worker, 'message', { signal }), once(worker, 'exit', { signal })]
    ended.catch(() => {})
    worker.ref()
    worker.postMessage({ name, text })
    const [errors]: readonly (ParserError[] | undefined)[] = await Promise.race([answered, ended.then(() => [])])
    return errors
  } catch (error) {
    thread = undefined
    void worker.terminate()
    if (late.aborted) throw new ProblemError({ kind: 'too-complex', over: 'time', ms })
    throw error
  } finally {
    over.abort()
    // It does not keep the process from ending.
    worker.unref()
  }
}

async function startThread(): Promise<Worker | undefined> {
  const file = packageFile(parserModule)
  if (file === undefined) return undefined
  const { Worker } = await import('node:worker_threads')
  const worker = new Worker(code, { eval: true, workerData: file, resourceLimits: { stackSizeMb: largeMb } })
  worker.once('exit', () => {
    if (thread === worker) thread = undefined
  })
  return worker
}

const code = `
const { parentPort, workerData } = require('node:worker_threads')
const loading = import(require('node:url').pathToFileURL(workerData)).catch(() => undefined)
parentPort.on('message', async ({ name, text }) => {
  const parser = await loading
  const parsed = parser?.parseSync(name, text)
  void parsed?.program
  void parsed?.module
  parentPort.postMessage(
    parsed?.errors.map(({ severity, message, labels }) => ({ severity, message, labels: labels.map(({ start }) => ({ start })) })),
  )
})
`

/** The extension decides what it takes the file for; without one it is JavaScript, as for node. */
const fileName = (path: string): string => (/\.[cm]?[jt]sx?$/.test(path) ? path : `${path}.js`)
