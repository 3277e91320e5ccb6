import type { Block, BlockGroup } from '../../core/block.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { type Source, startsLine } from '../../core/source.ts'
import { correctCml, readDamagedCml } from './damage.ts'
import { attributeSpan, type Element, parseElement } from './element.ts'
import { type LocatedElement, locateElement } from './locate.ts'
import { blockNames, type TaskName, taskNames, tasks } from '../../core/cml-tasks.ts'
import { skipSpaces, CDATA, type CmlFinding, findInnerOpening, elementOpeningAt } from './open.ts'
import { readMembers, type CmlTask, readTask, type Unknown } from './task.ts'
import { makeDiagnostic, type Reader, type Reading, Texts } from '../reader.ts'
import { plainReportLesson, reportLesson, type Syntax } from '../syntax.ts'
import {
  type Call,
  type Meaning,
  interpretCall,
  refuse,
  type Refused,
  type Rendered,
  whyUnfitForUtf8,
} from '../call.ts'
import { unlessEmpty } from '../../core/optional.ts'

/*
 * CML is XML elements in a text, each at the start of a line:
 *
 *   block    = task | tasks
 *   tasks    = "<tasks" [ version ] [ atomic ] ">" { task } "</tasks>"
 *   task     = write | edit | run | read | exec | move | remove
 *   write    = "<write" path [ append ] ">" content "</write>"
 *   edit     = "<edit" path [ count ] ">" ( search | ends ) replace "</edit>"
 *   search   = "<search>" content "</search>"
 *   ends     = "<search-start>" content "</search-start>" "<search-end>" content "</search-end>"
 *   replace  = "<replace>" content "</replace>"
 *   run      = "<run" [ dir ] ">" content "</run>"
 *   read     = "<read" path [ lines ] "/>"
 *   exec     = "<exec" lang [ dir ] [ timeout ] ">" content "</exec>"
 *   move     = "<move" from to "/>"                            deprecated
 *   remove   = "<remove" path "/>"                             deprecated
 *   content  = { "<![CDATA[" any text "]]>" }                  "]]&gt;" in it is "]]>"; sections are joined
 *
 * Tags, attributes and references are XML's; white space and comments may be between elements and sections, other
 * text not. The parts of an edit come in any order. An opening tag alone does not make a block: see `opensAt`.
 *
 * The end of an element is found first, by its tags alone, so that neither the text around it nor the content in it
 * can break it. What is wrong inside costs that block alone. An element that the end of the text cuts off takes
 * everything after it along: it is unknown whether that is content. An element whose end tag is merely missing ends
 * where another block opens, if it cannot be content there. A document therefore never has a block that it would not
 * have if it went on.
 */

class CmlReader implements Reader {
  readonly #source: Source
  #tasks = 0
  #ahead = 0
  /** Elements before this offset are commented out. */
  #hidden = 0
  /** The line of a comment that does not end. */
  #endless: number | undefined

  constructor(source: Source) {
    this.#source = source
  }

  seek(line: number): number {
    if (this.#ahead >= line) return this.#ahead
    const { text } = this.#source
    const from = Math.max(this.#source.startOf(line), this.#hidden)
    for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
      if (!startsLine(text, at)) continue
      if (this.#isComment(at) || elementOpeningAt(text, at) !== undefined)
        return (this.#ahead = this.#source.lineAt(at))
    }
    return (this.#ahead = Infinity)
  }

  read(line: number): Reading {
    const { text } = this.#source
    const blocks: Block[] = []
    const emptyGroups: number[] = []
    let next = line + 1
    let at = skipSpaces(text, this.#source.startOf(line))
    if (this.#isComment(at)) return this.#comment(at, line)
    let finding: CmlFinding | undefined =
      this.#endless === undefined ? undefined : { at, length: 1, code: 'cml-in-comment', data: { line: this.#endless } }
    for (let name = elementOpeningAt(text, at); name !== undefined; name = elementOpeningAt(text, at)) {
      const located = locateElement(text, at, name)
      const own = this.#blocksOf(located, finding)
      for (const block of own) blocks.push(block)
      if (own.length === 0) emptyGroups.push(this.#source.lineAt(at))
      if (located.state === 'cut') {
        for (const block of this.#followers(located)) blocks.push(block)
        return { blocks, diagnostics: [], next: this.#source.lineCount + 1 }
      }
      next = this.#source.lineAt(located.end - 1) + 1
      at = skipSpaces(text, located.end)
      if (at >= this.#source.startOf(next)) break
      // Skipping it would leave the lines of its content to be read as blocks.
      finding = { at, length: 1, code: 'cml-mid-line' }
    }
    return { blocks, diagnostics: [], next, emptyGroups: unlessEmpty(emptyGroups) }
  }

  /** Whether what is commented out begins here. Inside a comment that does not end there are no others. */
  #isComment(at: number): boolean {
    return this.#endless === undefined && this.#source.text.startsWith('<!--', at)
  }

  /** Hides elements only: other syntaxes know no such comments, and find their blocks in them. */
  #comment(at: number, line: number): Reading {
    const close = this.#source.text.indexOf('-->', at + 4)
    if (close === -1) this.#endless = line
    else this.#hidden = close + 3
    const reach = close === -1 ? Infinity : this.#source.lineAt(close)
    return { blocks: [], diagnostics: [], next: line + 1, reach }
  }

  #blocksOf(located: LocatedElement, refusal: CmlFinding | undefined): readonly Block[] {
    const { name, start, state } = located
    const finding = located.finding ?? refusal
    if (finding !== undefined) return [this.#refused(located, [finding])]
    if (state === 'cut') {
      const cut = { at: start, length: name.length + 1, code: 'cml-cut', data: { name } } as const
      return [this.#refused(located, [cut])]
    }
    const parsed = parseElement(this.#source.text, located.parts)
    if (!parsed.ok) return [this.#refused(located, [parsed.finding])]
    const { element } = parsed
    const { version } = element.attributes
    if (version !== undefined && !knownVersion.test(version)) {
      const place = attributeSpan(element, 'version')
      return [this.#refused(located, [{ ...place, code: 'cml-version', data: { version } }])]
    }
    const unknown = version === undefined ? 'strict' : 'lenient'
    if (name === 'tasks') return this.#group(located, element, unknown)
    return [this.#block(name, element, readTask(this.#source.text, name, element, unknown), [])]
  }

  /** The members of `<tasks>`. One that is wrong stays in its place, so that those after it are skipped. */
  #group(located: LocatedElement, group: Element, unknown: Unknown): readonly Block[] {
    const { text } = this.#source
    const content = readMembers(group, unknown)
    if (content.findings.length > 0) return [this.#refused(located, content.findings)]
    const atomic = group.attributes['atomic']?.toLowerCase() === 'true'
    const own = { line: this.#source.lineAt(group.start), atomic }
    return content.members.map(([name, element], i) =>
      this.#block(name, element, readTask(text, name, element, unknown), i === 0 ? content.warnings : [], own),
    )
  }

  #block(name: TaskName, element: Element, task: CmlTask, notes: readonly string[], group?: BlockGroup): Block {
    const id = String(++this.#tasks)
    const block: { -readonly [key in keyof Block]: Block[key] } = {
      syntax: 'cml',
      id,
      action: task.action,
      params: task.params,
      startLine: this.#source.lineAt(element.start),
      endLine: this.#source.lineAt(element.end - 1),
      diagnostics: task.findings.length === 0 ? none : task.findings.map((finding) => this.#diagnostic(finding)),
      raw: this.#source.text.slice(element.start, element.end),
      label: name,
    }
    // Added, not spread: a copy of every block would cost more than reading it.
    if (group !== undefined) block.group = group
    if (notes.length + task.warnings.length > 0) block.warnings = [...notes, ...task.warnings]
    return block
  }

  #refused({ name, start, end, state }: LocatedElement, findings: readonly CmlFinding[]): Block {
    const id = String(++this.#tasks)
    return {
      syntax: 'cml',
      id,
      action: name === 'tasks' ? '' : tasks[name].action,
      params: new Texts(),
      startLine: this.#source.lineAt(start),
      endLine: state === 'closed' ? this.#source.lineAt(end - 1) : null,
      diagnostics: findings.map((finding) => this.#diagnostic(finding)),
      raw: this.#source.text.slice(start, end),
      label: name,
    }
  }

  /** Everything of ours that follows an element that was cut off, content of closed CDATA left out. */
  #followers(cut: LocatedElement): readonly Block[] {
    const { text, lineCount } = this.#source
    const line = this.#source.lineAt(cut.start)
    const blocks: Block[] = []
    const sections = cut.parts.flatMap(({ section }) => section ?? [])
    let section = 0
    for (let n = this.seek(line + 1); n <= lineCount; n = this.seek(n + 1)) {
      const start = skipSpaces(text, this.#source.startOf(n))
      const name = elementOpeningAt(text, start)
      while ((sections[section]?.to ?? Infinity) < start) section++
      if (name === undefined || (sections[section]?.from ?? Infinity) <= start) continue
      const end = this.#source.endOf(n)
      const data = { name: cut.name, line }
      const finding = { code: 'cml-follows', data, at: start, length: end - start } as const
      blocks.push(this.#refused({ ...cut, name, start, end, state: 'cut' }, [finding]))
    }
    return blocks
  }

  #diagnostic({ at, length = 0, ...finding }: CmlFinding): Diagnostic {
    const line = this.#source.lineAt(at)
    const room = this.#source.endOf(line) - at
    const column = at - this.#source.startOf(line) + 1
    return makeDiagnostic(this.#source, line, { ...finding, column, length: Math.max(0, Math.min(length, room)) })
  }
}

const none: readonly Diagnostic[] = []
const knownVersion = /^(?:0\.0\.1|1(?:\.\d+)*)$/

const rules = [
  'Blocks are XML elements, each from the start of a line. All text is CDATA, taken as it is from `<![CDATA[` to `]]>`, line breaks included, nothing escaped; only `]]>` itself is written `]]&gt;`.',
  'Attribute values are XML: `&amp;` `&lt;` `&quot;`.',
  'Tasks that depend on each other go into `<tasks>` … `</tasks>`: the first failure skips the rest; with `<tasks atomic="true">` all files change or none.',
]

/** Matches a tag that no other text has: with the attribute it needs, or with something in it. */
const tagStart = new RegExp(
  String.raw`^<(?:${[
    ...taskNames.flatMap((name) => {
      const { needs } = tasks[name]
      return needs === undefined ? [] : [String.raw`${name}\s[^>\n]*\b${needs}\s*=`]
    }),
    String.raw`(?:tasks(?:\s[^>\n]*)?|run(?:\s+dir\s*=[^>\n]*)?)>[ \t]*(?:[<\n]|.*<\/)`,
  ].join('|')})`,
  'i',
)

export const cml = {
  reminder: [
    'No blocks found. Write each task as an XML element that starts a line, its text in CDATA.',
    'An edit: <edit path="PATH"><search><![CDATA[old]]></search><replace><![CDATA[new]]></replace></edit>.',
    'A file: <write path="PATH"><![CDATA[text]]></write>. A command: <run><![CDATA[command]]></run>.',
  ],
  title: 'CML',
  report: 'xml',
  kind: 'native',
  waits: false,
  opener: new RegExp(String.raw`^<(?:${blockNames.join('|')})\b`, 'i'),
  marks: tagStart,
  closer: /<\//,
  reader: (source): Reader => new CmlReader(source),
  throughDamage: () => readDamagedCml,
  corrected: correctCml,
  paths: 'relative',
  ids: 'counted',
  coverage: 'own operations',
  groups: { checked: 'in order', numbers: 'flat' },
  targets: { cml: { title: 'CML', open: () => ({ call: writeCml, group: writeCmlGroup }) } },
  lesson: () => ({
    rules,
    answer: [
      ...reportLesson('number'),
      plainReportLesson(
        '`[task-N] Success`, `Error` or `Skipped` with the reason, `[task-N:exec]` for what was printed, and a `<result>` that sums it up',
      ),
    ],
  }),
} satisfies Syntax

function writeCml(call: Call): Rendered {
  const meaning = interpretCall(call)
  if ('refused' in meaning) return meaning
  const unfit = unfitIn(call)
  return unfit ?? writeElement(meaning)
}

const writeCmlGroup = (texts: readonly string[], { atomic }: { atomic: boolean }): string =>
  [`<tasks${atomic ? ' atomic="true"' : ''}>`, ...texts, '</tasks>'].join('\n')

function unfitIn({ params }: Call): Refused | undefined {
  for (const value of Object.values(params)) {
    const unfit = whyUnfitForUtf8(value)
    if (unfit !== undefined) return refuse(unfit)
  }
  for (const name of ['path', 'old_path', 'new_path', 'dir', 'cwd', 'lang', 'lines', 'timeout']) {
    const value = params[name]
    if (value === '') return refuse(`does not allow an empty ${name === 'dir' ? 'dir' : 'path'}`)
    if (value?.includes('\\')) return refuse('reads a backslash in a path as a slash')
    if (value !== undefined && notInXml.test(value)) return refuse('does not allow control characters in an attribute')
  }
  return undefined
}

/** Not even as references. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

function writeElement(meaning: Meaning): Rendered {
  switch (meaning.kind) {
    case 'write': {
      const append = meaning.append ? ' append="true"' : ''
      return { text: `<write path=${quotedAttribute(meaning.path)}${append}>${cdata(meaning.content)}</write>` }
    }
    case 'edit': {
      const [first, end] = meaning.old
      if (first === '' || end === '') return refuse('does not allow an empty search')
      const count = meaning.count === '1' ? '' : ` count=${quotedAttribute(meaning.count)}`
      const searched =
        end === undefined
          ? [writePart('search', first)]
          : [writePart('search-start', first), writePart('search-end', end)]
      const parts = [...searched, writePart('replace', meaning.replacement)]
      return { text: [`<edit path=${quotedAttribute(meaning.path)}${count}>`, ...parts, '</edit>'].join('\n') }
    }
    case 'run': {
      if (meaning.command.trim() === '') return refuse('does not allow an empty command')
      const dir = meaning.dir === undefined ? '' : ` dir=${quotedAttribute(meaning.dir)}`
      return { text: `<run${dir}>${cdata(meaning.command)}</run>` }
    }
    case 'read': {
      const lines = meaning.lines === undefined ? '' : ` lines=${quotedAttribute(meaning.lines)}`
      return { text: `<read path=${quotedAttribute(meaning.path)}${lines}/>` }
    }
    case 'exec': {
      if (meaning.code.trim() === '') return refuse('does not allow empty code')
      const dir = meaning.dir === undefined ? '' : ` dir=${quotedAttribute(meaning.dir)}`
      const timeout = meaning.timeout === undefined ? '' : ` timeout=${quotedAttribute(meaning.timeout)}`
      return { text: `<exec lang=${quotedAttribute(meaning.lang)}${dir}${timeout}>${cdata(meaning.code)}</exec>` }
    }
    case 'move':
      return { text: `<move from=${quotedAttribute(meaning.from)} to=${quotedAttribute(meaning.to)}/>` }
    case 'remove':
      return { text: `<remove path=${quotedAttribute(meaning.path)}/>` }
  }
}

const writePart = (name: string, text: string): string => `<${name}>${cdata(text)}</${name}>`

/**
 * Content, in as many sections as it takes: what a section would read as something else is cut in two, and one
 * section holds the first half, the next the second.
 */
function cdata(text: string): string {
  const cuts = /(?<=\]\])(?=&gt;)|(?<=\r)(?=\n)/g
  const sections = text.split(cuts).flatMap((section) => {
    const written = section.replaceAll(']]>', ESCAPED)
    const open = findInnerOpening(written, 0, written.length) !== -1
    return open ? section.split(/(?<=<!\[)(?=CDATA\[)/) : [section]
  })
  return sections.map((section) => `${CDATA}${section.replaceAll(']]>', ESCAPED)}]]>`).join('')
}

const ESCAPED = ']]&gt;'

/** White space is written as references, because a parser makes spaces of it. */
const quotedAttribute = (value: string): string =>
  `"${value.replace(/[&<>"\t\n\r]/g, (found) => references[found] ?? `&#${found.charCodeAt(0)};`)}"`

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
