import type { Finding } from '../../core/diagnostic.ts'
import type { Source } from '../../core/source.ts'
import { foreignSyntax, type ForeignBlock, makeUnreadable } from '../foreign/foreign.ts'
import {
  type CallArgs,
  readArgs,
  interpretToolCall,
  attachToCall,
  holdsPatch,
  isEdit,
  isTool,
  parseJson,
  callLabel,
  withoutArgument,
  WRAPPER,
} from '../foreign/tools.ts'
import { findCalledPaths } from '../foreign/called-paths.ts'
import { nextPythonCall } from './python-call.ts'

/*
 * Calls of tools as JSON, at the start of a line, fenced or not:
 *
 *   call = { "name" | "tool" | "function" | "action": tool, "arguments" | "parameters" | "input" | "args": { … } | text }
 *        | { "tool" | "name" | "action": tool, "path": …, … } | { tool: { "path": …, … } }
 *        | { "command": "str_replace" | "create" | "insert" | "view", "path": …, … }
 *        | { "path": …, "old_str": …, "new_str": … }
 *        | { "command": [ "apply_patch", patch ] } | { "input" | "patch": patch }
 *   text = a list of calls, or { "tool_calls" | "tool_uses": [ … ] }; "function" may hold the call
 *
 * Some models write the name of the tool before its arguments, between tokens of their own, see `HEADS`.
 *
 * MCP SuperAssistant writes one call in several lines of JSON:
 *
 *   call = { "type": "function_call_start", "name": tool } { { "type": "parameter", "key": name, "value": value } }
 *          { "type": "function_call_end" }
 *
 * Gemini writes calls in Python, see `python-call.ts`.
 *
 * `foreign/tools.ts` says what a tool means. Other JSON is not a call. One that does not end is truncated where it
 * begins like a call.
 */

export const jsonCall = foreignSyntax({
  name: 'json-call',
  marks:
    /^\{\s*"(?:type"\s*:\s*"function_call_start"|(?:command|name|tool)"\s*:\s*(?:\[\s*)?"(?:str_replace\w*|create|insert|write_file|edit_file|Edit|Write|apply_patch)"|(?:input|patch)"\s*:\s*"\*\*\* Begin Patch)/,
  open(source) {
    let ahead: SeenCalls | undefined
    /** Brackets that nothing closes: each is tried once for the whole text. */
    const hopeless = new Set<number>()
    const next = (line: number): SeenCalls => {
      const [json, python] = [nextJsonCall(source, line, hopeless), nextPythonCall(source, line)]
      if (python === undefined || json.line <= python.line) return json
      const { tool, args, last } = python
      return { line: python.line, last, found: callBlocks({ tool, args }, python.line, last) }
    }
    return {
      seek(line) {
        if (ahead === undefined || ahead.line < line) ahead = next(line)
        return ahead.line
      },
      read(line) {
        const found = ahead?.line === line ? ahead : next(line)
        return { found: found.found, next: found.last + 1 }
      },
    }
  },
})

interface SeenCalls {
  readonly line: number
  readonly last: number
  readonly found: readonly ForeignBlock[]
}

const none: SeenCalls = { line: Infinity, last: Infinity, found: [] }

/** What may be before a call; a group is the name of the tool, where the JSON has only its arguments. */
const HEADS = [
  `${WRAPPER}(?:\\s*${WRAPPER})?`,
  '<\\|python_tag\\|>',
  '\\[TOOL_CALLS\\](?:([\\w.-]+)\\[ARGS\\])?',
  '(?:<\\|start\\|>)?(?:assistant)?(?: to=([\\w.-]+) ?)?<\\|channel\\|>commentary(?: to=([\\w.-]+))?[^{\\n]{0,60}<\\|message\\|>',
  '(?:<｜tool▁calls▁begin｜>\\s*)?<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?([\\w.-]+)(?:<｜tool▁sep｜>)?(?:\\s*```json)?',
  '(?:<\\|tool_calls_section_begin\\|>\\s*)?<\\|tool_call_begin\\|>([\\w.-]+)(?::\\d+)?\\s*<\\|tool_call_argument_begin\\|>',
  'Action:[ \\t]*([\\w.-]+)[ \\t]*\\r?\\nAction Input:',
].join('|')
/** Where a call may begin, and where another one follows it on its line. */
const OPENER = new RegExp(`^[ \\t]*(?:(?:${HEADS})\\s*)?([{[])`, 'gm')
const ANOTHER = new RegExp(`[^{\\n]*?(?:${HEADS})\\s*([{[])`, 'y')
/** How a call begins, for one that does not end. */
const HEAD =
  /^[{[][\s{[]*"(?:command|name|tool|tool_name|function|type|tool_calls|path|file_path|filePath)"\s*:\s*(?:"(?:str_replace|create|insert|view|function|tool_use|[\w.-]*(?:edit|write|replace|bash|shell|file|command)[\w.-]*)"|[[{]|"[^"\n]*"\s*,\s*"(?:old_|new_|oldS|file_text|command))/i

function nextJsonCall(source: Source, from: number, hopeless: Set<number>): SeenCalls {
  const { text } = source
  OPENER.lastIndex = source.startOf(from)
  // Most replies have none, and to compile the expression takes as long as to read a small one.
  if (!text.includes('{', OPENER.lastIndex)) return none
  for (let match = OPENER.exec(text); match !== null; match = OPENER.exec(text)) {
    const start = match.index + match[0].length - 1
    if (hopeless.has(start)) continue
    const end = jsonEnd(text, start)
    const line = source.lineAt(match.index)
    const tool = toolIn(match)
    if ('open' in end) {
      for (const opener of end.open) hopeless.add(opener)
      const broken = brokenCall(source, line, start, end, tool)
      if (broken === undefined) continue
      return { line, ...broken }
    }
    const started = startedBy(text.slice(start, end.at))
    if (started !== undefined) return { line, ...readParts(source, line, end.at, started) }
    const calls = jsonCallsIn(text.slice(start, end.at), tool)
    let at = end.at
    let broken: Omit<SeenCalls, 'line'> | undefined
    for (;;) {
      ANOTHER.lastIndex = at
      const next = ANOTHER.exec(text)
      if (next === null) break
      const begin = ANOTHER.lastIndex - 1
      const close = jsonEnd(text, begin)
      if ('open' in close) {
        broken = brokenCall(source, line, begin, close, toolIn(next), true)
        break
      }
      calls.push(...jsonCallsIn(text.slice(begin, close.at), toolIn(next)))
      at = close.at
    }
    const last = source.lineAt(at - 1)
    const found = calls.flatMap((call) => callBlocks(call, line, last))
    if (broken !== undefined) return { line, last: broken.last, found: [...found, ...broken.found] }
    if (found.length > 0) return { line, last, found }
    OPENER.lastIndex = end.at
  }
  return none
}

/** The tool of a call whose arguments are on lines of their own. */
function startedBy(text: string): string | undefined {
  if (!text.includes('function_call_start')) return undefined
  const head = readArgs(parseJson(text))
  return head.get('type') === 'function_call_start' ? head.get('name') : undefined
}

/** The arguments of such a call, up to its end. */
function readParts(source: Source, line: number, from: number, tool: string): Omit<SeenCalls, 'line'> {
  const { text } = source
  const args = new Map<string, string>()
  for (let at = from; ;) {
    SPACES.lastIndex = at
    SPACES.exec(text)
    const begin = SPACES.lastIndex
    const end = text[begin] === '{' ? jsonEnd(text, begin) : undefined
    const part = end !== undefined && 'at' in end ? readArgs(parseJson(text.slice(begin, end.at))) : undefined
    if (end === undefined || !('at' in end) || part === undefined) {
      const finding: Finding = { code: 'call-open', data: { isLater: false }, line }
      const lines = { startLine: line, endLine: null, lastLine: source.lineCount }
      return { last: source.lineCount, found: [makeUnreadable(lines, tool, finding)] }
    }
    at = end.at
    const [key, value] = [part.get('key'), part.get('value')]
    if (part.get('type') === 'parameter' && key !== undefined && value !== undefined) args.set(key, value)
    if (part.get('type') !== 'function_call_end') continue
    const last = source.lineAt(at - 1)
    return { last, found: callBlocks({ tool, args }, line, last) }
  }
}

/** A call on `line`, after others there if `isLater`, whose JSON begins at `start` and has no end; undefined for what may be no call. */
function brokenCall(
  source: Source,
  line: number,
  start: number,
  { isCut, failed }: Unclosed,
  tool: string | undefined,
  isLater = false,
): Omit<SeenCalls, 'line'> | undefined {
  if (tool === undefined && !HEAD.test(source.text.slice(start, start + 400))) return undefined
  const last = isCut ? source.lineCount : source.lineAt(failed)
  const finding: Finding = isCut
    ? { code: 'call-open', data: { isLater }, line }
    : { code: 'call-no-json', data: { line, paths: pathsBefore(source, start, last) }, line: last }
  return {
    last,
    found: [makeUnreadable({ startLine: line, endLine: isCut ? null : last, lastLine: last }, 'call', finding)],
  }
}

/** The files that a call names which is no JSON from a line on. Others may follow it on that line. */
function pathsBefore(source: Source, start: number, failed: number): string[] {
  let last = failed
  for (; ; last++) {
    const paths = findCalledPaths(source.text.slice(start, source.endOf(last)))
    const isEnd = last === source.lineCount || last - failed === MOST_ROWS
    if (paths.length > 0 || isEnd || /^(?:\s*$|\s*`{3}|[{[])/.test(source.line(last + 1))) return paths
  }
}

/** Lines below a mistake in which the file of a call may be named. */
const MOST_ROWS = 20

/** The tool that is named before its arguments; the last group is their bracket. */
const toolIn = (match: RegExpExecArray): string | undefined =>
  match.slice(1, -1).find((one: string | undefined) => one !== undefined)

/** The end of a JSON text; where it has none, every bracket that stays open, so that none is tried again. */
function jsonEnd(text: string, start: number): { at: number } | Unclosed {
  TOKEN.lastIndex = start
  const open: number[] = []
  let at = start
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    at = TOKEN.lastIndex
    const [, bracket] = token
    if (bracket === '{' || bracket === '[') open.push(at - 1)
    else if (bracket !== undefined) open.pop()
    if (open.length === 0) return { at }
    SPACES.lastIndex = at
    SPACES.exec(text)
    TOKEN.lastIndex = at = SPACES.lastIndex
  }
  // A string that does not end, or a word that has only begun.
  const isCut = text.length - at < 6 || (text[at] === '"' && !STRING.test(text.slice(at)))
  return { open, isCut, failed: at }
}

interface Unclosed {
  /** Every bracket that stays open. */
  readonly open: readonly number[]
  /** Whether the text ends in it. */
  readonly isCut: boolean
  /** Where it is no JSON any more. */
  readonly failed: number
}

const TOKEN = /([{}[\]])|[,:]|"(?:[^"\\]|\\[^])*"|-?\d[\d.eE+-]*|true|false|null/y
const SPACES = /\s*/y
const STRING = /^"(?:[^"\\]|\\[^])*"/

interface JsonCall {
  readonly tool: string
  readonly args: CallArgs
}

function jsonCallsIn(text: string, tool: string | undefined): JsonCall[] {
  // Models forget to escape line breaks in strings.
  const value = parseJson(text) ?? parseJson(withEscapes(text))
  return tool !== undefined && isTool(tool) ? [{ tool, args: readArgs(value) }] : callsOf(value)
}

/** A break after a backslash is none of these: it may continue a line of a script, and no escape says that. */
const withEscapes = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\[^])*"/g, (one) =>
    one.replace(/\\[^]|\r?\n|\t/g, (found) => (found.startsWith('\\') ? found : found === '\t' ? '\\t' : '\\n')),
  )

function callsOf(value: unknown): JsonCall[] {
  if (Array.isArray(value)) return value.flatMap(callsOf)
  const members = new Map(typeof value === 'object' && value !== null ? Object.entries(value) : [])
  const inner = ['tool_calls', 'tool_uses', 'function_call', 'functionCall', 'function']
    .map((name) => members.get(name))
    .find((one) => one !== undefined)
  if (typeof inner === 'object' && inner !== null) return callsOf(inner)
  const list = ['content', 'edits', 'changes'].map((name) => members.get(name)).find(Array.isArray)
  if (list !== undefined && !members.has('name') && !hasPath(readArgs(value))) return callsOf(list)
  const tool = TOOLS.map((name) => members.get(name)).find((one) => typeof one === 'string')
  const given = GIVEN.map((name) => members.get(name)).find((one) => one !== undefined)
  if (typeof tool === 'string' && given !== undefined) {
    return isTool(tool) ? [{ tool, args: readArgs(typeof given === 'string' ? parseArguments(given) : given) }] : []
  }
  const args = readArgs(value)
  const flat = flatCall(members, args)
  if (flat !== undefined) return [flat]
  if (holdsPatch(args)) return [{ tool: 'apply_patch', args }]
  const isCall = /^(?:str_replace|create|insert|view)$/.test(args.get('command') ?? '') || hasBoth(args)
  return isCall && typeof tool !== 'object' ? [{ tool: 'str_replace', args }] : []
}

/** What names the tool, and what holds its arguments. */
const TOOLS = ['name', 'tool', 'tool_name', 'recipient_name', 'function', 'action']
const GIVEN = ['arguments', 'parameters', 'input', 'args', 'params', 'tool_input', 'action_input']

/** A call whose arguments are beside the name of its tool, or whose tool is the only member. */
function flatCall(members: ReadonlyMap<string, unknown>, args: CallArgs): JsonCall | undefined {
  const [[only, inner] = ['']] = members
  if (members.size === 1 && typeof inner === 'object') return asEditCall({ tool: only, args: readArgs(inner) })
  const tool = [...TOOLS, 'type', 'command'].map((name) => args.get(name)).find((one) => one !== undefined)
  return tool === undefined
    ? undefined
    : asEditCall({ tool, args: new Map([...args].filter(([, one]) => one !== tool)) })
}

/** Data has members such as `"action": "delete"` too: the name of the tool must say that it edits files, and a text be there. */
function asEditCall(call: JsonCall): JsonCall | undefined {
  const asked =
    /file|str_?replace|diff/i.test(call.tool) && isTool(call.tool) ? interpretToolCall(call.tool, call.args) : undefined
  return Array.isArray(asked) && asked.every(({ params }) => TEXTS.some((name) => name in params)) ? call : undefined
}

const TEXTS = ['content', 'new_text', 'patch']

const hasPath = (args: CallArgs): boolean => ['path', 'file_path', 'filePath', 'file'].some((name) => args.has(name))

const hasBoth = (args: CallArgs): boolean =>
  ['old_str', 'old_string', 'oldString', 'old_text'].some((name) => args.has(name))
    ? hasPath(args)
    : ['search', 'find'].some((name) => args.has(name)) && args.has('replace') && isEdit(args)

/** Arguments that are given as a text: JSON again, or the only argument there is. */
const parseArguments = (text: string): unknown => parseJson(text) ?? { input: text }

/** What is no complete call is most often data or the description of a tool. */
function callBlocks({ tool, args }: JsonCall, line: number, last: number): ForeignBlock[] {
  const asked = interpretToolCall(tool, args)
  if (asked === undefined || asked === 'path' || asked === 'command') return []
  const common = { label: callLabel(tool, args), startLine: line, endLine: last, lastLine: last }
  if (typeof asked === 'string')
    return [{ ...common, action: '', params: {}, findings: [withoutArgument(line, asked)] }]
  return asked.map((one) => attachToCall(common, one))
}
