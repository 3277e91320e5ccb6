import type { Document, PassedOver } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import { fenceAt, fenceEnd, fencesAbove, rowAt } from './foreign/foreign.ts'
import { spokenAbove } from './foreign/name.ts'
import { isFile, isPlaceholder } from './proposal/title.ts'

/** What seems to be an edit, in a reply in which nothing else was found. The model would wait for an answer. */
export function withOtherForms(source: Source, document: Document): Document {
  if (document.blocks.length + document.faults.length + document.notExecuted.length > 0) return document
  const call = otherCall(source)
  const found = call === undefined ? [...conflicts(source), ...elements(source), ...spokenCode(source)] : [call]
  return { ...document, notExecuted: found.sort((a, b) => a.line - b.line) }
}

/** How models call the tools that they were given elsewhere. */
const calls: readonly RegExp[] = [
  /<(?:\w+:)?(?:function_calls?|invoke|tool_calls?|tool_use|tool_code)\b[^<>\n]*>/,
  /<function=[\w.-]+>/,
  /<[|｜](?:tool|python_tag|function)[^<>\n]*>/,
  /^\[TOOL_CALLS\]/m,
  /^ {0,3}(?:`{3,}|~{3,})tool_(?:code|calls?)\b/m,
  /"(?:tool_calls|function_call)"\s{0,9}:/,
  /"type"\s{0,9}:\s{0,9}"(?:tool_use|function_call)"/,
  /"name"\s{0,9}:\s{0,9}"[\w.-]{1,80}"\s{0,9},\s{0,9}"(?:arguments|parameters|input)"\s{0,9}:/,
  // Edits as data, in a form of their own.
  /"(?:file|path|file_?path|filename)"\s{0,9}:\s{0,9}"[^"\n]{1,200}"\s{0,9},\s{0,9}"(?:search|find|old\w{0,20})"\s{0,9}:/i,
  /<\w{1,40}\s[^<>\n]{0,200}\b(?:path|file)\s?=\s?["'][^"'\n]{1,200}\.\w{1,9}["'][^<>\n]{0,200}>\s{0,99}<(?:search|find|old\w{0,20}|original)>/i,
]

function otherCall(source: Source): PassedOver | undefined {
  let first: RegExpExecArray | undefined
  for (const call of calls) {
    const match = call.exec(source.text)
    if (match !== null && match.index < (first?.index ?? Infinity)) first = match
  }
  if (first === undefined) return undefined
  const line = source.lineAt(first.index)
  return { line, endLine: line, what: `call of another tool (${first[0].replace(/\s+/g, ' ')})`, reason: 'unreadable' }
}

/** Conflict markers with other words: an edit where they name a file, otherwise what git has written. */
function conflicts(source: Source): PassedOver[] {
  const found: PassedOver[] = []
  let open: { line: number; name: string; divided: boolean } | undefined
  for (const { index, 0: row, 1: name } of source.text.matchAll(/^(?:<{7} ?(\S.*)|={7}|>{7}.*)$/gm)) {
    const line = source.lineAt(index)
    if (name !== undefined) open = { line, name: name.trim(), divided: false }
    else if (open !== undefined && row.startsWith('=')) open.divided = true
    else if (open?.divided) {
      const names = isFile(open.name)
      const what = `conflict markers (<<<<<<< ${open.name})`
      found.push({ line: open.line, endLine: line, what, reason: names ? 'unreadable' : 'quoted' })
      open = undefined
    }
  }
  return found
}

/** `<replace path="src/a.ts">` and the like, outside code fences. */
function elements(source: Source): PassedOver[] {
  const fences = fencesAbove(source)
  const found: PassedOver[] = []
  const ends = new Map<string, number[]>()
  for (const { index, 1: name = '' } of source.text.matchAll(/<\/([A-Za-z][\w-]*)>/g)) {
    const own = ends.get(name) ?? []
    own.push(source.lineAt(index))
    ends.set(name, own)
  }
  // The next one is the last in its list.
  for (const own of ends.values()) own.reverse()
  for (const { index, 0: tag, 1: name = '', 2: path = '' } of source.text.matchAll(ELEMENT)) {
    const line = source.lineAt(index)
    if ((fences[line - 1] ?? 0) % 2 === 1 || line <= (found.at(-1)?.endLine ?? 0)) continue
    const own = ends.get(name) ?? []
    while ((own.at(-1) ?? Infinity) < line) own.pop()
    const endLine = own.at(-1)
    if (endLine === undefined || !isFile(path) || isPlaceholder(path)) continue
    found.push({ line, endLine, what: `element of another tool (${tag})`, path, reason: 'unreadable' })
  }
  return found
}

const ELEMENT =
  /^<([A-Za-z][\w-]*)\s(?:[^<>\n]*\s)?(?:path|file|file_?path|file_?name)\s*=\s*["']([^"'<>\n]+)["'][^<>\n]*>/gim

/** Code below a sentence that speaks of a file. */
function spokenCode(source: Source): PassedOver[] {
  const found: PassedOver[] = []
  for (let line = 1; line <= source.lineCount; line++) {
    const fence = fenceAt(source, line)
    if (fence === undefined) continue
    const end = Math.min(fenceEnd(source, line, fence, false), source.lineCount)
    const named = NO_CODE.test(fence.info) ? undefined : spokenAbove(source, line)
    if (named !== undefined && !isPlaceholder(named.path) && /[:.]\W*$/.test(rowAt(source, named.line)))
      found.push({ line, endLine: end, what: 'code', path: named.path, reason: 'example' })
    line = end
  }
  return found
}

const NO_CODE =
  /^(?:$|sh\b|bash|zsh|shell|console|terminal|powershell|ps1|cmd|bat|output|log|te?xt|plaintext|tree|mermaid|diff)/i
