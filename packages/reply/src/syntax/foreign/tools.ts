import { withoutUndefined } from '../../core/optional.ts'
import type { Finding } from '../../core/diagnostic.ts'
import { Source } from '../../core/source.ts'
import { parsePatchArgument } from '../apply-patch/apply-patch.ts'
import { readEditsBetween } from '../search-replace/search-replace.ts'
import { SearchReplaceMarks } from '../search-replace/walk.ts'
import type { ForeignBlock } from './foreign.ts'

/** What a call of another agent's tool asks for. Only a patch has mistakes of its own. */
export type ToolMeaning = Pick<ForeignBlock, 'action' | 'params'> &
  Partial<Pick<ForeignBlock, 'findings' | 'warnings' | 'label'>> & { readonly syntax?: 'apply-patch' }

/** Arguments as texts, by the names that the call gives them. */
export type CallArgs = ReadonlyMap<string, string>

/** What agents put around their calls. It means nothing. */
export const WRAPPER = '<(?:\\w+:)?(?:function_calls?|tool_calls?)>'

/**
 * The actions that a call means: several for a list of edits, none where the tool is not known. A text says what is
 * missing. Agents spell the same names in many ways, so capitals, `_` and `-` are ignored.
 */
export function interpretToolCall(tool: string, given: CallArgs): readonly ToolMeaning[] | string | undefined {
  const args = new Map([...given].map(([name, value]) => [lettersOnly(name), value]))
  const patch = patchInArguments(args)
  if (patch !== undefined) return parsePatchArgument(patch).map((section) => ({ ...section, syntax: 'apply-patch' }))
  const verb = toolVerb(tool, args)
  if (verb === undefined) return undefined
  if (verb === 'patch') return 'patch'
  if (verb === 'move') {
    const [from, to] = [firstArgument(args, 'from source oldpath'), firstArgument(args, 'to destination newpath')]
    if (from === undefined || to === undefined) return 'path'
    return [{ action: 'file_move', params: { old_path: from, new_path: to } }]
  }
  if (verb === 'run') {
    const command = firstArgument(args, commands)
    const dir = firstArgument(args, 'cwd dir workdir workingdirectory')
    if (command === undefined) return 'command'
    const line = commandLine(command)
    return [{ action: 'run', params: withoutUndefined({ command: line, dir: dir || undefined }) }]
  }
  const path = firstArgument(args, paths)
  if (path === undefined || path === '') return 'path'
  return onFile(verb, path, args)
}

/** Whether these are the arguments of `apply_patch`, which some calls do not name. */
export const holdsPatch = (given: CallArgs): boolean =>
  patchInArguments(new Map([...given].map(([name, value]) => [lettersOnly(name), value]))) !== undefined

/** The patch of a call, also as a word of a command or in a here-document, where there is nothing else in it. */
function patchInArguments(args: CallArgs): string | undefined {
  for (const name of `input patch patchtext diff ${commands}`.split(' ')) {
    const value = args.get(name)
    if (value?.includes(BEGIN) !== true) continue
    const text = wordsOfCommand(value)?.at(-1) ?? value
    const [begin, end] = [text.indexOf(BEGIN), text.lastIndexOf(END)]
    const close = end === -1 ? text.length : end + END.length
    if (BEFORE.test(text.slice(0, begin).trim()) && /^\w*$/.test(text.slice(close).trim()))
      return text.slice(begin, close)
  }
  return undefined
}

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
/** What may call the tool in a shell; the delimiter of a here-document may follow the patch. */
const BEFORE = /^(?:apply_?patch\s*(?:<<-?\s*["']?\w+["']?)?)?$/

/** A command that is given as a list of words, as one line. */
function commandLine(command: string): string {
  const words = wordsOfCommand(command)
  if (words === undefined) return command
  const [shell = '', option = '', script, ...more] = words
  if (/^(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(option) && more.length === 0 && script !== undefined)
    return script
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}

function wordsOfCommand(text: string): string[] | undefined {
  const list = jsonList(text)
  return list?.every((word) => typeof word === 'string') === true ? list : undefined
}

/** Whether a tool of this name does something that clada can do. */
export const isTool = (name: string): boolean => verbNamed(plainToolName(name)) !== undefined

/** Whether these arguments are an edit, whatever the tool is called. */
export const isEdit = (given: CallArgs): boolean => {
  const names = [...given.keys()].map(lettersOnly)
  return [paths, olds, news].every((some) => some.split(' ').some((name) => names.includes(name)))
}

/** The name of the operation for reports. */
export const callLabel = (tool: string, args: CallArgs): string => {
  const own = args.get('command')
  return own !== undefined && editor.has(lettersOnly(own)) ? own : tool
}

/** What was asked, as a block of its call. Diagnostics of a patch are shown where the call begins. */
export const attachToCall = (
  call: Pick<ForeignBlock, 'label' | 'startLine' | 'endLine' | 'lastLine'>,
  { findings = [], ...asked }: ToolMeaning,
): ForeignBlock => ({ ...call, ...asked, findings: findings.map((finding) => ({ ...finding, line: call.startLine })) })

export const withoutArgument = (line: number, name: string): Finding => ({
  line,
  code: 'call-without',
  data: { name },
})

type Verb =
  | 'write'
  | 'replace'
  | 'insert'
  | 'insert-before'
  | 'append'
  | 'view'
  | 'run'
  | 'delete'
  | 'list'
  | 'search'
  | 'patch'
  | 'move'

function onFile(
  verb: Exclude<Verb, 'run' | 'patch' | 'move'>,
  path: string,
  args: CallArgs,
): readonly ToolMeaning[] | string {
  const content = firstArgument(args, contents)
  switch (verb) {
    case 'view':
      return [viewOf(path, args)]
    case 'list':
      return /^true$/i.test(args.get('recursive') ?? '')
        ? [{ action: 'glob', params: { pattern: '**/*', base_path: path } }]
        : [{ action: 'ls', params: { path } }]
    case 'search':
      return searchOf(path, args)
    case 'delete':
      return [{ action: 'file_delete', params: { path } }]
    case 'append':
      return content === undefined
        ? 'content'
        : [{ action: 'file_append', params: { path, content, new_line: 'true' } }]
    case 'write':
      return content === undefined ? 'content' : [{ action: 'file_write', params: { path, content } }]
    case 'insert':
    case 'insert-before':
      return insertOf(verb, path, args)
    case 'replace':
      return replaceOf(path, args)
  }
}

function insertOf(verb: 'insert' | 'insert-before', path: string, args: CallArgs): readonly ToolMeaning[] | string {
  const listed = listedIn(args)
  if (listed !== undefined) {
    // The numbers are those of the file before the call: from the last line up, none of them shifts another.
    const lines = listed.map((one) => ({ one, line: Number(firstArgument(one, lineNames)) || Infinity }))
    return ofEach(
      lines.toReversed().toSorted((a, b) => (a.line === b.line ? 0 : b.line - a.line)),
      ({ one }) => insertOf(verb, path, one),
    )
  }
  const content = firstArgument(args, `inserttext ${news} ${contents}`)
  const line = Number(firstArgument(args, lineNames) ?? Number.NaN)
  if (content === undefined) return 'text'
  if (!Number.isSafeInteger(line)) return 'line'
  // Line 0 is the end of the file for those that insert before a line.
  if (verb === 'insert-before' && line <= 0) return onFile('append', path, new Map([['content', content]]))
  const after = String(verb === 'insert' ? line : line - 1)
  return [{ action: 'file_insert_lines', params: { path, after, content: content.replace(/\r?\n$/, '') } }]
}

/** A line that leaves others out. */
const MARK = /^\s*(?:\/\/|#|--|;|%|\/\*|<!--|\{\s*\/\*)?\s*(?:\.{3}|\u2026)/m

function replaceOf(path: string, args: CallArgs): readonly ToolMeaning[] | string {
  const listed = listedIn(args)
  if (listed !== undefined) return ofEach(listed, (edit) => replaceOf(path, edit))
  const old = firstArgument(args, olds)
  // An editor that is given the new text only writes the whole file. A `code_edit` is the lines that change, with marks for
  // the others: without any mark it can only be a new file.
  const sketch = args.get('codeedit')
  const diff = args.get('diff')
  if (old === undefined && diff !== undefined && SEARCH.test(diff)) return [editsIn(diff, path)]
  if (old === undefined && sketch !== undefined && !MARK.test(sketch))
    return [{ action: 'file_create', params: { path, content: sketch } }]
  if (old === undefined) return args.has('content') || sketch !== undefined ? onFile('write', path, args) : 'old_str'
  const text = firstArgument(args, news) ?? ''
  if (old === '') return [{ action: 'file_create', params: { path, content: text } }]
  const all = /^true$/i.test(args.get('replaceall') ?? '')
  const count = args.get('expectedreplacements')
  const params = { path, old_text: old, new_text: text }
  if (all) return [{ action: 'file_replace_all_text', params }]
  if (count !== undefined && count !== '1') return [{ action: 'file_replace_all_text', params: { ...params, count } }]
  return [{ action: 'file_replace_text', params }]
}

/** Cline's `replace_in_file` as JSON: search-replace blocks in one argument. */
function editsIn(diff: string, path: string): ToolMeaning {
  const source = new Source(diff)
  const marks = new SearchReplaceMarks(source, (line) => line)
  const found = readEditsBetween(source, marks, { first: 1, last: source.lineCount, path })
  // Its lines are those of the argument, not of the reply.
  const { action, params, findings, warnings } = found
  return { action, params, findings, warnings }
}

const SEARCH = /^[<-]{5,9} ?SEARCH\b/m

function searchOf(path: string, args: CallArgs): readonly ToolMeaning[] | string {
  const pattern = firstArgument(args, 'regex pattern query')
  const include = firstArgument(args, 'filepattern include glob')
  if (pattern === undefined) return 'regex'
  const files: Readonly<Record<string, string>> = include === undefined || include === '' ? {} : { include }
  return [{ action: 'grep', params: { pattern, path, regex: 'true', ...files } }]
}

function viewOf(path: string, args: CallArgs): ToolMeaning {
  const [, first, last] = /^\[?\s*(\d+)\s*[,-]\s*(\d+)\s*\]?$/.exec(firstArgument(args, 'viewrange lines') ?? '') ?? []
  if (first === undefined || last === undefined) return { action: 'file_read', params: { path } }
  return { action: 'file_read_numbered', params: { path, lines: `${first}-${last}` } }
}

/** The members of a list of edits in one call. */
function listedIn(args: CallArgs): CallArgs[] | undefined {
  const list = jsonList(firstArgument(args, 'edits operations replacementchunks') ?? '')
  return list?.map((one) => new Map([...readArgs(one)].map(([name, text]) => [lettersOnly(name), text])))
}

function ofEach<One>(
  all: readonly One[],
  asked: (one: One) => readonly ToolMeaning[] | string,
): readonly ToolMeaning[] | string {
  const each = all.map(asked)
  return each.find((one) => typeof one === 'string') ?? each.flatMap((one) => (typeof one === 'string' ? [] : one))
}

function jsonList(text: string): unknown[] | undefined {
  const list = /^\s*\[/.test(text) ? parseJson(text) : undefined
  return Array.isArray(list) ? list : undefined
}

/** The value of a JSON text; undefined where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The members of an object as texts. */
export function readArgs(value: unknown): CallArgs {
  if (typeof value !== 'object' || value === null) return new Map()
  return new Map(
    Object.entries(value).map(([name, member]) => [name, typeof member === 'string' ? member : JSON.stringify(member)]),
  )
}

function toolVerb(tool: string, args: CallArgs): Verb | undefined {
  // An editor with several commands names the one that is meant; elsewhere `command` is a command line.
  const own = args.get('command')
  const named = own !== undefined && firstArgument(args, paths) !== undefined ? editor.get(lettersOnly(own)) : undefined
  return named ?? verbNamed(plainToolName(tool)) ?? (isEdit(args) ? 'replace' : undefined)
}

/** The name of a tool without that of its server, its product or its namespace: `mcp__files__write_file`. */
const plainToolName = (name: string): string => lettersOnly(name.replace(/^.*(?:__|[.:])|^(?:lov|dyad)-/, ''))

const lettersOnly = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '')

/** The first of several names, separated by spaces, that an argument has. */
function firstArgument(args: CallArgs, names: string): string | undefined {
  for (const name of names.split(' ')) {
    const value = args.get(name)
    if (value !== undefined) return value
  }
  return undefined
}

const paths = 'path filepath file filename targetfile relativeworkspacepath absolutepath'
const contents = 'content filetext contents text codeedit codecontent'
const olds = 'oldstr oldstring oldtext old oldcode search find original originalcode targetcontent'
const news =
  'newstr newstring newtext new newcode replace replacement replacewith with updated updatedcode replacementcontent'
const lineNames = 'insertline line linenumber startline'
const commands = 'command cmd commandline'

const editor = new Map<string, Verb>([
  ['create', 'write'],
  ['strreplace', 'replace'],
  ['insert', 'insert'],
  ['view', 'view'],
])

const named: readonly (readonly [Verb, string])[] = [
  [
    'replace',
    'strreplaceeditor strreplacebasededittool texteditor strreplace edit editfile replace multiedit searchandreplace searchreplace replaceinfile applydiff replacestringinfile replacefilecontent multireplacefilecontent modify',
  ],
  ['write', 'writetofile writefile write createfile create newfile savefile'],
  ['run', 'executecommand bash shell runcommand runterminalcmd runinterminal runshellcommand executebash'],
  ['view', 'readfile read view viewfile'],
  ['append', 'appendtofile appendfile append'],
  ['delete', 'deletefile removefile delete'],
  ['move', 'movefile renamefile rename'],
  ['patch', 'applypatch'],
  ['insert', 'insert'],
  ['insert-before', 'insertcontent'],
  ['list', 'listfiles'],
  ['search', 'searchfiles'],
]

const verbNamed = (tool: string): Verb | undefined => named.find(([, names]) => names.split(' ').includes(tool))?.[0]
