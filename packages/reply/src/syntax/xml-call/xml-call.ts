import { blockNames } from '../../core/cml-tasks.ts'
import type { Source } from '../../core/source.ts'
import { foreignSyntax, type ForeignBlock, makeUnreadable } from '../foreign/foreign.ts'
import { parseFence } from '../../regions/fences.ts'
import {
  readArgs,
  interpretToolCall,
  attachToCall,
  isTool,
  parseJson,
  callLabel,
  withoutArgument,
  WRAPPER,
} from '../foreign/tools.ts'
import { readEditsBetween, writeEdits } from '../search-replace/search-replace.ts'
import { SearchReplaceMarks } from '../search-replace/walk.ts'

/*
 * Calls of tools as tags, each tool at the start of a line:
 *
 *   call     = "<" tool ">" { "<" name ">" value "</" name ">" } "</" tool ">"                 Cline, Roo
 *            | "<invoke name=" quoted ">" { "<parameter name=" quoted ">" value "</parameter>" } "</invoke>"
 *            | "<function=" tool ">" { "<parameter=" name ">" value "</parameter>" } "</function>"
 *            | "<tool_use>" "<name>" tool "</name>" "<input>" arguments "</input>" "</tool_use>"
 *            | "<tool_call>" tool LF { "<arg_key>" name "</arg_key>" "<arg_value>" value "</arg_value>" } "</tool_call>"
 *            | "<" any { name "=" quoted } ">" { old and new text as above, or search-replace blocks } "</" any ">"
 *
 * The arguments may be one JSON text instead. In the last form the file is an attribute, or the first element inside.
 * A wrapper such as `<function_calls>` belongs to the first call in it and means nothing; calls may follow each other on
 * a line. `foreign/tools.ts` says what a tool means. The `diff` of `replace_in_file` and `apply_diff` has search-replace blocks; `apply_diff` may have several files. A value
 * that begins on a line of its own also ends there.
 */

export const xmlCall = foreignSyntax({
  name: 'xml-call',
  marks:
    /^<(?:(?:(?:write_to|replace_in|create|edit|delete|move|rename)_file|apply_diff|insert_content|search_and_replace|execute_command|str_replace_editor)>|(?:\w+:)?invoke name="(?:str_replace\w*|edit\w*|write\w*|create_file|bash)"|function=(?:str_replace\w*|edit\w*|write\w*|create_file|execute_bash)>)/i,
  written({ path, patch }, label = '') {
    const edits = patch === undefined || !DIFFS.test(label) ? undefined : writeEdits(patch, MARKERS[label])
    return edits && `<${label}>\n<path>${path}</path>\n<diff>\n${edits}\n</diff>\n</${label}>`
  },
  open(source, plain) {
    const marks = new SearchReplaceMarks(source, plain)
    let ahead: OpenCall | undefined
    const from = (line: number): OpenCall => {
      if (ahead === undefined || ahead.line < line) ahead = nextOpened(source, line)
      return ahead
    }
    return {
      seek: (line) => from(line).line,
      read: (line) => readCalls(source, marks, from(line)),
    }
  },
})

interface OpenCall {
  /** That of its wrapper, if it has one. */
  readonly line: number
  readonly indent: string
  readonly tool: string
  /** What closes it. */
  readonly closer: string
  /** Where its arguments begin. */
  readonly at: number
  /** Those that its tag has. */
  readonly attributes?: ReadonlyMap<string, string>
}

/** Elements of a native syntax. */
const OWN = new Set<string>([...blockNames, 'search'])

const attributesIn = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name = '', one, other = '']) => [
      name,
      one ?? other,
    ]),
  )

const fileAttribute = (attributes: ReadonlyMap<string, string>): string | undefined =>
  [...attributes].find(([name]) => /^(?:path|file_?path|file|file_?name)$/i.test(name))?.[1]

const nowhere: OpenCall = { line: Infinity, indent: '', tool: '', closer: '', at: 0 }

const TAG = `[ \\t]*(?:${WRAPPER}\\s*){0,3}<(?:${[
  '(tool_call)>[ \\t]*([\\w.-]+)[ \\t]*\\r?\\n\\s*(?=<arg_key>)',
  '([a-z]+(?:_[a-z]+)+|bash)>',
  // MCP SuperAssistant adds `call_id="1"`.
  '((?:\\w+:)?(?:invoke|function_call))\\s+name=["\']([\\w.-]+)["\'](?:\\s+[\\w-]+\\s*=\\s*["\'][^"\'<>\\n]*["\'])*\\s*>',
  'function=([\\w.-]+)>',
  // Any other element, with its attributes.
  '([a-zA-Z][\\w-]*)((?:\\s+[\\w-]+\\s*=\\s*(?:"[^"<>\\n]*"|\'[^\'<>\\n]*\'))*)\\s*(/?)>',
].join('|')})`
const OPENER = new RegExp(`^${TAG}`, 'gm')
/** Another call on the line where one ends. */
const ANOTHER = new RegExp(TAG, 'y')
const CALL = /invoke|function=/

/** These have an element with the name of the tool and one with its arguments. */
const NAMING = /^(?:use_mcp_tool|tool_use|invoke)$/

/** What an element that is an edit begins with: the old text, or the file and then the old text. */
const EDIT =
  /\s*(?:<(path|file|file_?path|file_?name)>[^<\n]*<\/\1>\s*)?(?:<(?:old|search|find|original)\w*>|[<-]{5,9} ?SEARCH\b)/iy

/** These have search-replace blocks for arguments. */
const DIFFS = /^(?:replace_in_file|apply_diff)$/

const MARKERS: Readonly<Record<string, readonly [string, string]>> = {
  replace_in_file: ['------- SEARCH', '+++++++ REPLACE'],
}

function nextOpened(source: Source, from: number): OpenCall {
  if (!source.text.includes('<', source.startOf(from))) return nowhere
  OPENER.lastIndex = source.startOf(from)
  for (let match = OPENER.exec(source.text); match !== null; match = OPENER.exec(source.text)) {
    const opened = openedBy(source, match)
    if (opened !== undefined) return opened
  }
  return nowhere
}

function openedBy(source: Source, match: RegExpExecArray): OpenCall | undefined {
  const [whole, toolCall, first, tag, invoke, invoked, called, element, written = '', slash] = match
  const tool = tag ?? invoked ?? called ?? first ?? element ?? ''
  const at = match.index + whole.length
  const own = source.lineAt(match.index + whole.lastIndexOf('<'))
  const common = { line: source.lineAt(match.index), indent: /^[ \t]*/.exec(source.line(own))?.[0] ?? '', tool, at }
  if ((element === undefined && (isTool(tool) || DIFFS.test(tool))) || NAMING.test(tool))
    return { ...common, closer: `</${tag ?? invoke ?? toolCall ?? element ?? 'function'}>` }
  if (OWN.has(tool)) return undefined
  const attributes = attributesIn(written)
  EDIT.lastIndex = at
  const edit = slash === '/' ? null : EDIT.exec(source.text)
  // What only writes a file is shown first: `proposal.ts`.
  if (edit !== null && (edit[1] !== undefined || fileAttribute(attributes) !== undefined))
    return { ...common, closer: `</${tool}>`, attributes }
  if (/^(?:delete|rename)$/.test(tool.replace(/^(?:lov|dyad)-/, '')) && attributes.size > 0)
    return { ...common, closer: slash === '' ? `</${tool}>` : '', attributes }
  return undefined
}

interface Calls {
  readonly found: readonly ForeignBlock[]
  readonly next: number
}

/** A call and those that follow it on the line where it ends; none where one of these cannot be read. */
function readCalls(source: Source, marks: SearchReplaceMarks, first: OpenCall): Calls {
  const found: ForeignBlock[] = []
  for (let opened = first; ;) {
    const one = readXmlCall(source, marks, opened)
    if (one.found.length === 0) return { found: [], next: first.line + 1 }
    found.push(...one.found)
    ANOTHER.lastIndex = one.end
    const match = ANOTHER.exec(source.text)
    const another = match === null ? undefined : openedBy(source, match)
    if (another !== undefined) opened = another
    else if (match === null || !CALL.test(match[0])) return { found, next: one.next }
    else return { found: [], next: first.line + 1 }
  }
}

function readXmlCall(
  source: Source,
  marks: SearchReplaceMarks,
  { line, indent, tool: opened, closer: expected, at, attributes = new Map() }: OpenCall,
): Calls & { readonly end: number } {
  const [end, closer] = callEnd(source.text, expected, at)
  if (end === -1) {
    const lines = { startLine: line, endLine: null, lastLine: source.lineCount }
    const finding = { code: 'call-open', data: { closer }, line } as const
    return { found: [makeUnreadable(lines, opened, finding)], next: source.lineCount + 1, end: source.text.length }
  }
  const last = source.lineAt(end)
  const common = { label: opened, startLine: line, endLine: last, lastLine: last }
  const after = { next: last + 1, end: end + closer.length }
  const body = source.text.slice(at, end)
  if (DIFFS.test(opened) && /<diff>/.test(body))
    return { found: diffsIn(source, marks, body, at).map((one) => ({ ...one, ...common })), ...after }
  const path = fileAttribute(attributes)
  if (path !== undefined && marks.seek(source.lineAt(at)) < last)
    return {
      found: [{ ...readEditsBetween(source, marks, { first: source.lineAt(at), last, path }), ...common }],
      ...after,
    }
  const given = new Map([...attributes, ...argumentsIn(indent === '' ? body : withoutCallIndent(body, indent))])
  const of = (...names: readonly string[]): string | undefined => given.get(names.find((name) => given.has(name)) ?? '')
  const tool = (NAMING.test(opened) ? of('tool_name', 'name') : undefined) ?? opened
  const args = tool === opened ? given : argumentsIn(of('arguments', 'input', 'parameters') ?? '')
  const asked = interpretToolCall(tool, args)
  if (asked === undefined) return { found: [], ...after }
  const label = callLabel(tool, args)
  if (typeof asked === 'string')
    return { found: [{ ...common, label, action: '', params: {}, findings: [withoutArgument(line, asked)] }], ...after }
  return { found: asked.map((one) => attachToCall({ ...common, label }, one)), ...after }
}

/** Where a call ends. Qwen's models leave `</function>` out before `</tool_call>`. */
function callEnd(text: string, closer: string, at: number): readonly [end: number, closer: string] {
  const end = text.indexOf(closer, at)
  const outer = end === -1 && closer === '</function>' ? text.indexOf('</tool_call>', at) : -1
  return outer === -1 ? [end, closer] : [outer, '</tool_call>']
}

/** Without the indentation of the call, where every line has it. */
const withoutCallIndent = (body: string, indent: string): string =>
  body
    .split('\n')
    .slice(1)
    .every((row) => row.startsWith(indent) || row.trim() === '')
    ? body.replaceAll(`\n${indent}`, '\n')
    : body

/** The file of each diff is named before it. */
function diffsIn(
  source: Source,
  marks: SearchReplaceMarks,
  body: string,
  at: number,
): Pick<ForeignBlock, 'action' | 'params' | 'findings' | 'warnings' | 'markup'>[] {
  const found: Pick<ForeignBlock, 'action' | 'params' | 'findings' | 'warnings' | 'markup'>[] = []
  let path = ''
  for (const match of body.matchAll(/<path>([^<\n]*)<\/path>|<diff>/g)) {
    const [whole, named] = match
    if (named !== undefined) path = named.trim()
    else {
      const first = at + match.index + whole.length
      const closed = body.indexOf('</diff>', match.index)
      const end = at + (closed === -1 ? body.length : closed)
      found.push(readEditsBetween(source, marks, { first: source.lineAt(first), last: source.lineAt(end), path }))
    }
  }
  return found
}

const ARGUMENT =
  /\s*<(?:((?:\w+:)?parameter)\s+name=["']([\w.-]+)["']|parameter=([\w.-]+)|([a-zA-Z][\w-]*))(?:\s+[\w-]+=["'][^"']*["'])*\s*>/y

function argumentsIn(written: string): ReadonlyMap<string, string> {
  if (/^\s*\{/.test(written)) return readArgs(parseJson(written))
  const body = written
    .replace(/<arg_key>([\w.-]+)<\/arg_key>\s*<arg_value>/g, '<parameter name="$1">')
    .replaceAll('</arg_value>', '</parameter>')
  const args = new Map<string, string>()
  ARGUMENT.lastIndex = 0
  for (let match = ARGUMENT.exec(body); match !== null; match = ARGUMENT.exec(body)) {
    const start = ARGUMENT.lastIndex
    const [, parameter = 'parameter', named, stated, tag = parameter] = match
    const closer = `</${tag}>`
    const end = closerFrom(body, closer, start)
    if (end === -1) break
    const name = named ?? stated ?? tag
    args.set(name, argumentText(body.slice(start, end), name))
    ARGUMENT.lastIndex = end + closer.length
  }
  return args
}

/** The end of a value: the first closer after which only another argument or the end of the call comes. */
function closerFrom(body: string, closer: string, start: number): number {
  for (let end = body.indexOf(closer, start); end !== -1; end = body.indexOf(closer, end + 1)) {
    AFTER.lastIndex = end + closer.length
    if (AFTER.test(body)) return end
  }
  return -1
}

const AFTER = /\s*(?:<[a-zA-Z]|$)/y

function argumentText(text: string, name: string): string {
  if (!/content|text|str|code|new|old|search|replace|diff/i.test(name)) return text.trim()
  const [, inner] = /^\s*<!\[CDATA\[([^]*)\]\]>\s*$/.exec(text) ?? []
  const value = inner ?? text
  if (!/^\r?\n/.test(value)) return value
  const rows = value
    .replace(/^\r?\n/, '')
    .replace(/\r?\n[ \t]*$/, '')
    .split(/\r?\n/)
  // Some put a fence around a whole file.
  const isFenced =
    rows.length > 1 && parseFence(rows[0] ?? '') !== undefined && parseFence(rows.at(-1) ?? '')?.info === ''
  const lines = isFenced && /content/.test(name) ? rows.slice(1, -1) : rows
  return /content|file_text/.test(name) && lines.join('') !== '' ? `${lines.join('\n')}\n` : lines.join('\n')
}
