import type { Source } from '../../core/source.ts'
import { type CallArgs, isTool } from '../foreign/tools.ts'

/*
 * Calls of tools as Gemini writes them, in Python, at the start of a line:
 *
 *   call    = [ "print(" ] "default_api." tool "(" [ { name "=" value "," } name "=" value [ "," ] ] ")" [ ")" ]
 *   value   = { string } | number | "True" | "False" | "None"
 *   string  = [ "r" ] ( quoted | triple-quoted )
 *
 * What has any other value, such as an f-string or a list, is no call that can be read: `other-forms.ts` lists it.
 */

export interface PythonCall {
  readonly line: number
  readonly last: number
  readonly tool: string
  readonly args: CallArgs
}

const OPENER = /^[ \t]*(?:print\()?default_api\.(\w+)\(/gm

export function nextPythonCall(source: Source, from: number): PythonCall | undefined {
  const { text } = source
  const start = source.startOf(from)
  if (!text.includes('default_api.', start)) return undefined
  OPENER.lastIndex = start
  for (let match = OPENER.exec(text); match !== null; match = OPENER.exec(text)) {
    const [, tool = ''] = match
    const read = isTool(tool) ? argumentsFrom(text, OPENER.lastIndex) : undefined
    if (read !== undefined)
      return { line: source.lineAt(match.index), last: source.lineAt(read.end - 1), tool, args: read.args }
  }
  return undefined
}

function argumentsFrom(text: string, start: number): { readonly args: CallArgs; readonly end: number } | undefined {
  const args = new Map<string, string>()
  for (let at = start; ;) {
    CLOSE.lastIndex = at
    if (CLOSE.test(text)) return { args, end: CLOSE.lastIndex }
    NAME.lastIndex = at
    const name = NAME.exec(text)?.[1]
    const value = name === undefined ? undefined : valueFrom(text, NAME.lastIndex)
    if (name === undefined || value === undefined) return undefined
    if (value.text !== undefined) args.set(name, value.text)
    COMMA.lastIndex = value.end
    if (COMMA.test(text)) at = COMMA.lastIndex
    else {
      CLOSE.lastIndex = value.end
      return CLOSE.test(text) ? { args, end: CLOSE.lastIndex } : undefined
    }
  }
}

const NAME = /\s*([A-Za-z_]\w*)\s*=\s*/y
const COMMA = /\s*,/y
const CLOSE = /\s*\)/y

/** A value and where it ends. `None` is as if the argument was not given. */
function valueFrom(
  text: string,
  start: number,
): { readonly text: string | undefined; readonly end: number } | undefined {
  WORD.lastIndex = start
  const word = WORD.exec(text)?.[1]
  if (word !== undefined) return { text: word === 'None' ? undefined : word.toLowerCase(), end: WORD.lastIndex }
  let all: string | undefined
  let end = start
  for (;;) {
    STRING.lastIndex = end
    const match = STRING.exec(text)
    if (match === null) break
    const [, raw = '', , long, short] = match
    all = (all ?? '') + (raw === '' ? unescapePython(long ?? short ?? '') : (long ?? short ?? ''))
    end = STRING.lastIndex
  }
  return all === undefined ? undefined : { text: all, end }
}

const WORD = /(True|False|None|-?\d+(?:\.\d+)?)(?=\s*[,)])/y
const STRING = /\s*([rR]?)("""|'''|["'])(?:(?<="""|''')((?:[^\\]|\\[^])*?)|((?:[^\\\n]|\\[^])*?))\2/y

/** Python keeps an escape that it does not know. */
const unescapePython = (text: string): string =>
  text.replace(/\\(?:\r?\n|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([^]))/g, (all, x, u, long, one) => {
    const code: unknown = x ?? u ?? long
    if (typeof code === 'string')
      return Number.parseInt(code, 16) > 0x10ffff ? all : String.fromCodePoint(Number.parseInt(code, 16))
    return typeof one === 'string' ? (ESCAPES[one] ?? all) : ''
  })

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '0': '\0',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}
