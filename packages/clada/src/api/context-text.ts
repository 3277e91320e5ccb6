import path from 'node:path'
import { pathFrom } from '../core/paths.ts'
import type { Settings } from '../core/settings.ts'
import { type Prompt, withFiles } from '../describe/prompt.ts'
import type { ActionResult, ExecutionResult } from '../core/result.ts'
import { fileOfEntry, type FileLineRange, lineRangeIn } from '../core/line-range.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { userText } from '../report/failure.ts'
import { QuotedContent } from '../report/words.ts'
import type { OutlineEntry } from '../structure/document.ts'
import { outlineView } from '../structure/outline-view.ts'
import { outlineBody } from '../actions/structure-output.ts'
import { splitLines, tokenLength, estimateTokens } from '@clada/reply/text/lines.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'

/** A `Clada`, which uses this module itself. */
interface Performer {
  perform(action: string, params: Readonly<Record<string, string>>): Promise<ExecutionResult>
}

/** Options of a context. */
export interface ContextTextOptions {
  /** `text`: the files as they are. `numbered`: with line numbers. `outline`: only the headers of their structures. */
  readonly show?: 'text' | 'numbered' | 'outline' | undefined
  /** In tokens, for the whole text. Files that do not fit are listed at the end. */
  readonly budget?: number | undefined
}

/** The files of the working set as one text. */
export interface ContextText {
  /** Each file after `=== path ===`, as files_read shows them; empty when there is none. */
  readonly text: string
  readonly shown: readonly ContextPart[]
  /** Files that did not fit. */
  readonly left: readonly ContextPart[]
  /** Files that cannot be read, with the error. */
  readonly refused: readonly { readonly path: string; readonly error: string }[]
}

/** A file and its length. */
export interface ContextPart {
  readonly path: string
  readonly tokens: number
}

/** How blocks name files, which is how the text does. */
type NamedPaths = Pick<Settings, 'root' | 'relativePaths'>

/** The working set as one text to paste. Files are read and checked now, not when they were added. */
export async function contextText(
  clada: Performer,
  { root, relativePaths }: NamedPaths,
  { show = 'text', budget = Infinity }: ContextTextOptions = {},
): Promise<ContextText | UnreadContext> {
  const listed = await performOne(clada, 'context_list', {})
  if (!listed.success) return { error: listed.error ?? '' }
  const paths = withoutParts(dataPaths(listed.data))
  const sections: ContextSection[] = []
  // A file with a line such as `=== b.ts ===` would pass for two.
  const content = new QuotedContent()
  const refused: { path: string; error: string }[] = []
  for (const path of paths) {
    const found = await sectionBody(clada, path, show)
    if ('error' in found) refused.push({ path, error: found.error })
    else {
      const name = relativePaths ? entryFrom(root, path) : path
      sections.push({ path, name, text: `=== ${name} ===\n${content.text(found.body)}` })
    }
  }
  const { text, ...parts } = fitSections(sections, budget * tokenLength)
  return { text: [text, ...content.note].join('\n\n'), ...parts, refused }
}

/** The files of the working set, whole or in part. */
export async function contextFiles(clada: Performer): Promise<string[]> {
  const listed = await performOne(clada, 'context_list', {})
  return [...new Set(dataPaths(listed.data).map(fileOfEntry))]
}

/** A prompt with the working set after it, in what it has left of the budget. */
export async function promptWithContext(
  clada: Performer,
  named: NamedPaths,
  prompt: Prompt,
  { budget, show }: ContextTextOptions,
): Promise<PromptWithContext> {
  const spent = estimateTokens(withFiles(prompt.text, ' '))
  const room = budget === undefined ? undefined : Math.max(0, budget - spent)
  const context = await contextText(clada, named, { show, budget: room })
  const text = 'error' in context ? prompt.text : withFiles(prompt.text, context.text)
  return { ...prompt, text, tokens: estimateTokens(text), context }
}

/** A prompt, and the working set that it contains if that was asked for. */
export interface PromptWithContext extends Prompt {
  readonly context?: ContextText | UnreadContext | undefined
}

/** A working set whose list cannot be read. */
export interface UnreadContext {
  readonly error: string
}

interface ContextSection {
  readonly path: string
  /** As blocks name it. */
  readonly name: string
  readonly text: string
}

/** An entry of the working set relative to a directory. The part after `@@` is not a path. */
export function entryFrom(root: string, entry: string): string {
  const end = entry.indexOf('@@')
  const file = end === -1 ? entry : entry.slice(0, end)
  return `${pathFrom(root, path.resolve(root, file))}${entry.slice(file.length)}`
}

const dataPaths = (data: unknown): string[] =>
  Array.isArray(data) ? data.map((entry: { path?: unknown }) => String(entry.path)) : []

/** Leaves out parts of files that are shown as a whole. */
const withoutParts = (paths: readonly string[]): string[] =>
  paths.filter((path) => !paths.some((file) => file !== path && file === fileOfEntry(path)))

async function sectionBody(
  clada: Performer,
  path: string,
  show: NonNullable<ContextTextOptions['show']>,
): Promise<{ body: string } | UnreadContext> {
  if (show === 'outline') return outlineText(clada, path)
  const range = lineRangeIn(path)
  if (range !== undefined) return sectionText(clada, range, show)
  const read = await performOne(clada, show === 'numbered' ? 'file_read_numbered' : 'file_read', { path })
  return read.success ? { body: textField(read, 'content') } : unreadContext(read)
}

async function sectionText(
  clada: Performer,
  { file, first, last }: FileLineRange,
  show: 'text' | 'numbered',
): Promise<{ body: string } | UnreadContext> {
  const numbered = await performOne(clada, 'file_read_numbered', { path: file, lines: `${first}-${last}` })
  if (!numbered.success) return unreadContext(numbered)
  if (show === 'numbered') return { body: textField(numbered, 'content') }
  const read = await performOne(clada, 'file_read', { path: file })
  if (!read.success) return unreadContext(read)
  const lines = splitLines(textField(read, 'content')).slice(first - 1, last)
  return { body: lines.join('\n') }
}

const unreadContext = (read: ActionResult): UnreadContext => ({
  error:
    read.code === 'file_not_found'
      ? 'it no longer exists. To remove it from the working set: clada context prune'
      : userText(read),
})

async function outlineText(clada: Performer, path: string): Promise<{ body: string } | UnreadContext> {
  const range = lineRangeIn(path)
  const read = await performOne(clada, 'file_read', { path: range?.file ?? path })
  if (!read.success) return unreadContext(read)
  const lines = range === undefined ? textField(read, 'lines') : `${range.first}-${range.last}`
  const everything = { path: lines === '' ? path : fileOfEntry(path), depth: '100', steps: 'true' }
  const listed = await performOne(clada, 'list_structures', everything)
  const size = formatCount(textField(read, 'content').split('\n').length, 'line')
  if (!listed.success) return { body: `[no outline, ${size}: ${listed.code ?? ''}]` }
  const all = isRecord(listed.data) && Array.isArray(listed.data['structures']) ? listed.data['structures'] : []
  const [first = 0, last = Infinity] = lines.split('-').map(Number)
  const body = outlineBody(outlineView(structuresWithin(all, first, last)))
  return { body: body === '' ? `[no structures, ${size}]` : body }
}

/** The outermost structures between two lines. */
function structuresWithin(structures: readonly OutlineEntry[], first: number, last: number): OutlineEntry[] {
  return structures.flatMap((structure) => {
    const [from, to] = structure.lines
    return from >= first && to <= last ? [structure] : structuresWithin(structure.children ?? [], first, last)
  })
}

async function performOne(
  clada: Performer,
  action: string,
  params: Readonly<Record<string, string>>,
): Promise<ActionResult> {
  const { results, fatalError, parseErrors } = await clada.perform(action, params)
  const [result] = results
  if (result !== undefined) return result
  return {
    seq: 1,
    blockId: 'do',
    action,
    params: {},
    success: false,
    error: fatalError ?? parseErrors[0]?.message ?? '',
  }
}

function textField({ data }: ActionResult, name: string): string {
  return isRecord(data) && typeof data[name] === 'string' ? data[name] : ''
}

/** As many sections as fit, in order, and the names of the others, or at least how many there are. */
function fitSections(sections: readonly ContextSection[], limit: number): Pick<ContextText, 'text' | 'shown' | 'left'> {
  let room = limit
  const fits = sections.map(({ text }) => {
    if (text.length + 2 > room) return false
    room -= text.length + 2
    return true
  })
  for (;;) {
    const shown = sections.filter((_, at) => fits[at])
    const left = sections.filter((_, at) => !fits[at])
    const texts = shown.map((section) => section.text)
    const notes =
      left.length === 0 ? [] : [listSections(left), `=== ${formatCount(left.length, 'file')} not shown, too long ===`]
    const ways = notes.length === 0 ? [texts] : notes.map((note) => [...texts, note])
    const text = ways.map((way) => way.join('\n\n')).find(({ length }) => length <= limit)
    const last = fits.lastIndexOf(true)
    const parts = { shown: shown.map(contextPart), left: left.map(contextPart) }
    if (text !== undefined) return { text, ...parts }
    if (last === -1) return { text: '', ...parts }
    fits[last] = false
  }
}

const contextPart = ({ path, text }: ContextSection): ContextPart => ({ path, tokens: estimateTokens(text) })

const listSections = (left: readonly ContextSection[]): string =>
  [
    '=== not shown, too long ===',
    ...left.map(({ name, text }) => `${name} (${formatCount(estimateTokens(text), 'token')})`),
  ].join('\n')
