import type { Document, NotExecutedReason, SkippedBlock } from '../core/block.ts'
import { type LineRange, Source } from '../core/source.ts'
import { lineWithoutBom } from '../regions/fences.ts'
import { isQuotation, unquoteLine } from '../regions/quotations.ts'
import { linesBetween, Regions } from '../regions/regions.ts'
import { findDisguised } from './disguised.ts'
import { findCalledPaths } from './foreign/called-paths.ts'
import { findMentionedFiles, findFilesInSection, readFileName } from './foreign/name.ts'
import { isPlaceholder } from './placeholder.ts'
import { isFile, isSessionAbout } from './proposal/title.ts'

/**
 * What seems to be an edit in the lines that nothing else has read: without a word about it the model would wait for an
 * answer. Beside blocks, what is in a code fence is an illustration.
 */
export function addOtherForms(source: Source, document: Document, options: OtherFormsOptions): Document {
  const { blocks, diagnostics, notExecuted } = document
  const isAlone = !options.nativeBefore && blocks.length + diagnostics.length === 0
  let end = 0
  const taken = [
    ...blocks.map(({ startLine, endLine }) => ({ first: startLine, last: endLine ?? source.lineCount })),
    ...diagnostics.map(({ range }) => ({ first: range.line, last: range.line })),
    ...notExecuted.map(({ line, endLine, block }) => ({
      first: line,
      last: block === undefined ? (end = paragraphEnd(source, Math.max(endLine, end))) : endLine,
    })),
  ]
  const found = linesBetween(source, taken).flatMap((passage) =>
    findOtherForms(source, passage, { ...options, isAlone: isAlone && notExecuted.length === 0 }),
  )
  if (found.length === 0) return document
  return { ...document, notExecuted: [...notExecuted, ...found].sort((a, b) => a.line - b.line) }
}

/** Of what could not be read only the markers are known. */
function paragraphEnd(source: Source, line: number): number {
  let last = line
  while (last < source.lineCount && /[^>\s]/.test(source.line(last + 1))) last++
  return last
}

interface OtherFormsOptions {
  readonly nativeBefore: boolean
  /** What a text holds, as it is, that would run or be proposed. */
  readonly read: (source: Source) => SkippedBlock[]
}

interface PassageOptions extends Pick<OtherFormsOptions, 'read'> {
  readonly isAlone: boolean
}

/** The forms in some lines of a text. */
export function findOtherForms(
  source: Source,
  { first, last }: LineRange,
  { isAlone, read }: PassageOptions,
): SkippedBlock[] {
  const quoted = new Set<number>()
  const written: string[] = []
  const rows: string[] = []
  let isEmpty = true
  for (let line = first; line <= last; line++) {
    const row = lineWithoutBom(source, line)
    // The end of the fence around what is above.
    const isEnd: boolean = isEmpty && !isAlone && /^[ \t]*(?:`{3,}|~{3,})[ \t]*$/.test(row)
    isEmpty &&= row.trim() === '' || isEnd
    const isQuoted = isQuotation(row)
    if (isQuoted) quoted.add(rows.length + 1)
    written.push(isEnd ? '' : isQuoted ? unquoteLine(row) : row)
    rows.push(isEnd ? '' : undoMarkup(written.at(-1) ?? ''))
  }
  if (isEmpty) return []
  const text = new Source(rows.join('\n'))
  const isFenced = (line: number): boolean => Regions.of(text).fenceAround(line) !== undefined
  const all = [
    ...findKnownForms(text, isFenced),
    ...findConflicts(text),
    ...findElements(text, isFenced),
    ...findCommands(text),
    ...findCodeAboutFile(text, source, first),
    ...findUnfencedCode(text, isFenced, isAlone ? 'unreadable' : 'example'),
    ...findDisguised(written, (plain) => [
      ...read(plain),
      ...findCodeAboutFile(plain, plain, 1),
      ...findUnfencedCode(plain, (line) => Regions.of(plain).fenceAround(line) !== undefined, 'example'),
    ]),
  ].sort((a, b) => a.line - b.line)
  const found: SkippedBlock[] = []
  for (const one of all) {
    const line = one.line + first - 1
    const before = found.at(-1)
    // A call may name several files on its line.
    const isMore =
      before?.line === line && before.path !== undefined && before.what === one.what && before.path !== one.path
    if (line <= (before?.endLine ?? 0) && !isMore) continue
    const isShown = !isAlone && one.reason === 'unreadable' && isFenced(one.line)
    const reason = quoted.has(one.line) ? 'quoted' : isShown ? 'example' : one.reason
    found.push({ ...one, line, endLine: one.endLine + first - 1, reason })
  }
  return found
}

/** A row without what chat programs make of tags and of the quotes of JSON. */
const undoMarkup = (row: string): string =>
  row
    .replace(OTHER_BREAKS, ' ')
    .replace(/[“”„]|&(?:quot|#34);/g, '"')
    .replace(/&lt;|\\</g, '<')
    .replace(/&gt;|\\>/g, '>')
    .replaceAll('\\_', '_')

/** An expression takes these for ends of lines too, and would read the rest of a line from each of them. */
const OTHER_BREAKS = /[\r\u2028\u2029]/g

interface OtherForm {
  readonly what: string
  readonly pattern: RegExp
  readonly reason: NotExecutedReason
  /** Where it counts; anywhere by default. */
  readonly where?: 'fenced' | 'free'
}

const FILE = '[^"\'<>\\n]{1,200}\\.\\w{1,9}'

/** Forms that are known and not read: there is too little in them, or too many ways to write them. */
const calls: readonly string[] = [
  '<(?:\\w+:)?(?:function_calls?|invoke|tool_calls?|tool_use|tool_code|use_mcp_tool|antArtifact)\\b[^<>\\n]*>',
  '<function=[\\w.-]+>',
  '<[|｜](?:tool|python_tag|function|channel|start)[^<>\\n]*>',
  '\\[TOOL_CALLS\\]',
  // Alone it is the fence of a call that was read.
  '(?:`{3,}|~{3,})tool_(?:code|calls?)\\b(?=[^\\n]*\\n\\s*[^\\s`~])',
  'Action:[ \\t]*[\\w.-]+[ \\t]*\\nAction Input:',
  '(?:print\\()?(?:\\w+\\.)?(?:write_file|edit_file|create_file|replace|str_replace)\\(\\s*\\w{0,40}(?:path|file)\\w{0,40}\\s*=',
  'canmore\\.\\w+\\(',
  '"(?:tool_calls|function_?call)"\\s{0,9}:',
  '"type"\\s{0,9}:\\s{0,9}"(?:tool_use|function_call|code/\\w+)"',
  '"name"\\s{0,9}:\\s{0,9}"[\\w./ -]{1,80}"\\s{0,9},\\s{0,9}"(?:arguments|parameters|input|type"\\s{0,9}:\\s{0,9}"code/\\w+)"',
  '"updates"\\s{0,9}:\\s{0,9}\\[\\s{0,9}\\{\\s{0,9}"pattern"',
  // Edits as data, in a form of their own.
  `"(?:file|path|file_?path|filename)"\\s{0,9}:\\s{0,9}"${FILE}"\\s{0,9},\\s{0,9}"(?:search|find|old\\w{0,20}|original\\w{0,20}|contents?|code|diff|patch)"\\s{0,9}:`,
  `"files"\\s{0,9}:\\s{0,9}\\{\\s{0,9}"${FILE}"\\s{0,9}:\\s{0,9}"`,
  '*** Begin Patch'.replaceAll('*', '\\*').replace(/^/, '"(?:input|patch|command)"\\s{0,9}:[^\\n]{0,80}'),
  `(?:file|path)\\s?:\\s?["']?${FILE}["']?\\s{1,20}(?:find|search|old\\w{0,20}|original)\\s?:`,
  `<(?:path|file|file_?name|file_?path|source)>${FILE}</\\w+>\\s{0,99}<(?:content|code|document_content|new|old|search|find|original)\\w{0,20}>`,
  '<(?:old_?text|old_?str(?:ing)?|old_?code|original_?code)>',
  `<\\w{1,40}\\s[^<>\\n]{0,200}\\b(?:path|file)\\s?=\\s?["']${FILE}["'][^<>\\n]{0,200}>\\s{0,99}<(?:search|find|old\\w{0,20}|original\\w{0,20})>`,
]

/** What precedes a call: a bullet, or a beginning of JSON. */
const BEFORE = '[ \\t]*(?:(?:(?:[-*+]|\\d+[.)])[ \\t]*)?|[{["][^\\n]{0,400}?)'
const callPatterns = (): readonly RegExp[] =>
  (knownCalls ??= calls.map((call) => new RegExp(`^${BEFORE}(${call})`, 'gim')))
let knownCalls: readonly RegExp[] | undefined

const others: readonly OtherForm[] = [
  {
    what: 'file between lines of marks',
    pattern: new RegExp(
      `^(?:[=*<@-]{3,}[ \\t]*(?:BEGIN |START )?FILE\\b:?[ \\t]*|[=*@]{3,}[ \\t]+)[^\\s"'<>=*@]{1,200}\\.\\w{1,9}[ \\t]*(?:[=*>@-]{3,})?[ \\t]*$`,
      'm',
    ),
    reason: 'unreadable',
    where: 'free',
  },
  {
    what: 'shell command that writes a file',
    pattern:
      /^(?:[ \t]*(?:[$>] )?(?:sudo )?(?:sed (?:-\S+ ){0,5}-i|perl -\w*i|ed (?:-s )?[\w./-]+ *<<|(?:python3?|node|perl|ruby) - *<<|(?:echo|printf) [^\n]*>>?\s*[\w./-]+\.\w+[ \t]*$)|[^\n]*\b(?:Set-Content|Add-Content|Out-File)\b)/m,
    reason: 'example',
    where: 'fenced',
  },
  { what: 'diff that names no file', pattern: /^\d+(?:,\d+)?[acd]\d+(?:,\d+)?[ \t]*\n[<>] /m, reason: 'quoted' },
  { what: 'context diff', pattern: /^\*{15}[ \t]*$/m, reason: 'unreadable' },
  {
    what: 'table of changes',
    pattern:
      /^\|(?=[^\n]*\b(?:old|before|from|current|find|search|original)\b)(?=[^\n]*\b(?:new|after|to|replace\w*|updated)\b)[^\n]*\|[ \t]*\n\|[ :|-]+\|[ \t]*\n\|[^\n`]*`[\w@./-]+\.\w+`/im,
    reason: 'example',
    where: 'free',
  },
]

/** All of these at once. What calls begin with is tried once for each line. Made when it is needed. */
const anyForm = (): RegExp =>
  (knownAny ??= new RegExp(`^(?:${BEFORE}(?:${calls.join('|')})|${others.map(withoutStart).join('|')})`, 'im'))
const withoutStart = ({ pattern }: OtherForm): string => pattern.source.replace(/^\^/, '')
let knownAny: RegExp | undefined

function findKnownForms(source: Source, isFenced: (line: number) => boolean): SkippedBlock[] {
  const { text } = source
  // Most texts have none of what all of these have at least.
  if (!/[<>"|({@*=`~]|:\s/.test(text)) return []
  const found = anyForm().test(text) ? [...findCalls(source), ...findFirstOfEach(source, isFenced)] : []
  return [...found, ...findSpokenEdits(source, isFenced)]
}

/** Every call with its beginning, once for each file that it names. */
function findCalls(source: Source): SkippedBlock[] {
  const matches = callPatterns()
    .flatMap((pattern) => [...source.text.matchAll(pattern)])
    .sort((a, b) => a.index - b.index)
  const starts: RegExpExecArray[] = []
  // What begins with other words is the same call, up to the end of its paragraph.
  let seen = new Set<string>()
  for (const match of matches) {
    const word = /^\W*[\w:.-]*/.exec(match[1] ?? '')?.[0] ?? ''
    const last = starts.at(-1)
    const isSame =
      last !== undefined && !seen.has(word) && !/\n[ \t]*\n/.test(source.text.slice(last.index, match.index))
    if (!isSame) {
      starts.push(match)
      seen = new Set()
    }
    seen.add(word)
  }
  return starts.flatMap((match, at): SkippedBlock[] => {
    const own = match[1] ?? ''
    const line = source.lineAt(match.index + match[0].length - own.length)
    const what = `call of another tool (${own.trim().replace(/\s+/g, ' ').slice(0, 80)})`
    const paths = findCalledPaths(
      source.text
        .slice(match.index, starts[at + 1]?.index)
        .split(/\n[ \t]*\n/, 1)
        .join(''),
    )
    const entry = { line, endLine: line, what, reason: 'unreadable' } as const
    return paths.length === 0 ? [entry] : paths.map((path) => ({ ...entry, path }))
  })
}

/** The first of each row. */
function findFirstOfEach(source: Source, isFenced: (line: number) => boolean): SkippedBlock[] {
  return others.flatMap(({ what, pattern, reason, where }): SkippedBlock[] => {
    const match = pattern.exec(source.text)
    if (match === null) return []
    const line = source.lineAt(match.index)
    if (where !== undefined && isFenced(line) !== (where === 'fenced')) return []
    return [{ line, endLine: line, what, reason }]
  })
}

/** A sentence that says what to replace in which file. */
function findSpokenEdits(source: Source, isFenced: (line: number) => boolean): SkippedBlock[] {
  const found: SkippedBlock[] = []
  for (const { index } of source.text.matchAll(SPOKEN)) {
    const line = source.lineAt(index)
    const [path] = findMentionedFiles(lineWithoutBom(source, line))
    if (path !== undefined && !isFenced(line))
      found.push({ line, endLine: line, what: 'sentence about an edit', path, reason: 'example' })
  }
  return found
}

const SPOKEN = /\b(?:replace|change|rename)\s+(?:the \w+ )?`[^`\n]+`\s+(?:with|to|by)\s+`[^`\n]+`/gi

/** Conflict markers with other words: an edit where they name a file, otherwise what git has written. */
function findConflicts(source: Source): SkippedBlock[] {
  const found: SkippedBlock[] = []
  if (!source.text.includes('<<<<<<<')) return found
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
function findElements(source: Source, isFenced: (line: number) => boolean): SkippedBlock[] {
  const found: SkippedBlock[] = []
  if (!source.text.includes('<')) return found
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
    if (isFenced(line) || line <= (found.at(-1)?.endLine ?? 0) || !isFile(path)) continue
    const own = ends.get(name) ?? []
    while ((own.at(-1) ?? Infinity) < line) own.pop()
    const endLine = own.at(-1) ?? line
    const reason = isPlaceholder(path) ? 'example' : 'unreadable'
    found.push({ line, endLine, what: `element of another tool (${tag.trim()})`, path, reason })
  }
  return found
}

const ELEMENT =
  /^[ \t]*(?:<[a-z]+Artifact\b[^<>\n]*>[ \t]*)?<([A-Za-z][\w-]*)\s(?:[^<>\n]*\s)?(?:path|file|from|file_?path|file_?name)\s*=\s*["']([^"'<>\n]+)["'][^<>\n]*>/gim

/** Commands and installations beside the files in tags of other tools. */
function findCommands(source: Source): SkippedBlock[] {
  return [...source.text.matchAll(COMMAND)].map(({ index, 0: tag }) => {
    const line = source.lineAt(index)
    const what = `command of another tool (${tag.replace(/^>/, '').trim().replace(/\s+/g, ' ').slice(0, 80)})`
    return { line, endLine: line, what, reason: 'unreadable' }
  })
}

const COMMAND =
  /(?:^|>)[ \t]*<(?:boltAction\s[^<>\n]*\btype\s*=\s*["'](?!file)\w+["']|(?:lov|dyad)-(?:add-dependency|command|execute-sql)\b)[^<>\n]*>\s*[^<>\n]*/gim

/** Code below lines that speak of a file, which are in the whole reply, of which the passage begins on `top`. */
function findCodeAboutFile(passage: Source, source: Source, top: number): SkippedBlock[] {
  return Regions.of(passage).fences.flatMap(({ first, last, info }): SkippedBlock[] => {
    if (last - first <= 1) return []
    const above = findFilesInSection(source, first + top - 1, top)
    const paths = above?.paths ?? [findFileBelow(passage, last) ?? []].flat()
    const reason = above !== undefined && SHOWS.test(lineWithoutBom(source, above.line)) ? 'listing' : 'example'
    return paths
      .filter((path) => !isSessionAbout(path, /^\w*/.exec(info)?.[0] ?? '') && !/^mermaid/i.test(info))
      .map((path) => ({ line: first, endLine: last, what: 'code', path, reason }))
  })
}

/** "`src/a.ts` now looks like:" shows the file. */
const SHOWS =
  /\b(?:now|currently|then) (?:looks?|reads?|has|contains)\b|\blooks? like this now\b|\bwill (?:now |then )?look\b/i

/** The file that code belongs in, by the line below it: "Put this into `src/a.ts`.", "*(`src/a.ts`)*". */
function findFileBelow(source: Source, last: number): string | undefined {
  const line = [last + 1, last + 2].find((at) => at <= source.lineCount && lineWithoutBom(source, at).trim() !== '')
  const row = line === undefined ? '' : lineWithoutBom(source, line)
  if (line === undefined || !(PUT.test(row) || isCaption(source, line))) return undefined
  const [path, ...others] = new Set(findMentionedFiles(row))
  return others.length > 0 ? undefined : path
}

/** Whether a line that only names a file is about what is above it: no other fence follows. */
function isCaption(source: Source, line: number): boolean {
  const row = lineWithoutBom(source, line)
  const name = readFileName(row)
  // `create src/a.ts` is a command, and begins what follows.
  if (name === undefined || !isFile(name) || !/^\W*(?:\w+:\s*)?\S+\W*$/.test(row)) return false
  const next = [line + 1, line + 2].find((at) => at <= source.lineCount && lineWithoutBom(source, at).trim() !== '')
  return next === undefined || Regions.of(source).fenceFrom(next) === undefined
}

const PUT = /^\W*(?:put|place|paste|save|add|copy|insert|use|write|append)\b|^[\s*_]*\(/i

/** Code without a fence below a line that only names its file: indented, in HTML, or copied as a page shows it. */
function findUnfencedCode(
  source: Source,
  isFenced: (line: number) => boolean,
  reason: NotExecutedReason,
): SkippedBlock[] {
  const found: SkippedBlock[] = []
  for (let line = 1; line < source.lineCount; line++) {
    const row = source.line(line)
    if (row.length > LONG || !(NAMED.test(row) || ANNOUNCES.test(row)) || isFenced(line)) continue
    const named = readFileName(row)
    const isName = named !== undefined && isFile(named)
    const path = isName ? named : ANNOUNCES.test(row) ? findMentionedFiles(row).find(isFile) : undefined
    const endLine = path === undefined ? undefined : codeBelow(source, line)
    if (endLine === undefined || isFenced(endLine)) continue
    // A sentence may only explain the code.
    found.push({ line, endLine, what: 'code without a fence', path, reason: isName ? reason : 'example' })
    line = endLine
  }
  return found
}

/** The last line of the paragraph of code below a line. */
function codeBelow(source: Source, line: number): number | undefined {
  let at = line + 1
  let isLabelled = false
  for (; at <= source.lineCount && at <= line + 6; at++) {
    const text = source.line(at)
    if (text.trim() === '') continue
    // The head of a code block on a page: its language and its buttons.
    if (!BUTTON.test(text)) break
    isLabelled = true
  }
  const text = at <= source.lineCount ? source.line(at) : ''
  const isDeeper = /^(?: {4}|\t)\S/.test(text) && !/^\s/.test(source.line(line))
  const isIndented = isDeeper && (at > line + 1 || CODE.test(text.trimStart()))
  if (text.trim() === '' || !(isLabelled || isIndented || CODE.test(text))) return undefined
  while (at < source.lineCount && source.line(at + 1).trim() !== '') at++
  return at
}

const LONG = 200
/** What ends like a file, but for marks. */
const NAMED = /\.[a-z]\w{0,9}(?:[^\w\n]|<\/\w+>)*$/i
/** What ends like a sentence about what follows. */
const ANNOUNCES = /[:\uff1a][*_\s]*$/
const BUTTON =
  /^\s*(?:(?:copy(?: code)?|copied!?|edit|download|wrap|run|ts|tsx|typescript|jsx?|javascript|py|python|go|golang|rust|java|c|cpp|c\+\+|c#|csharp|css|scss|html|json|yaml|yml|toml|sql|ruby|php|kotlin|swift|bash|shell|markdown|md|plaintext|text|kopieren|copier|copiar|\u590d\u5236(?:\u4ee3\u7801)?|\u30b3\u30d4\u30fc(?:\u3059\u308b)?)\s*)+$/i
const CODE =
  /^\s*<pre\b|^\[code|^(?:import\s[\w{*"']|from\s\S+\simport\s|export\s(?:default|const|function|class|async|interface|type|\{|\*)|(?:const|let|var)\s[\w{[]+.*=|(?:async\s)?function\b.*\(|class\s\w.*[:{]|(?:async\s)?def\s\w.*:|package\s\w+;?$|(?:pub\s)?fn\s\w|use\s\w.*;|#include\s|#!\/|<!doctype|<html|<\?php|(?:public|private)\s.*[{;]|\{$)/i
