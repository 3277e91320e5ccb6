import type { Finding } from '../../core/diagnostic.ts'
import { attributeSpan, type Element, type XmlNode, outsideCdataFinding, tagSpan } from './element.ts'
import { isTaskName, type TaskName, tasks as knownTasks } from '../../core/cml-tasks.ts'
import { CDATA, type CmlFinding, type PartName, partNames, type CdataSection } from './open.ts'
import { isCount, Texts } from '../reader.ts'

/** What an element asks for, as an action. With any mistake it is only for reports. */
export interface CmlTask {
  readonly action: string
  readonly params: Readonly<Record<string, string>>
  readonly findings: readonly CmlFinding[]
  readonly warnings: readonly string[]
}

/** `lenient`: the block names a version, so that what is not known may be newer than this reader, and is skipped. */
export type Unknown = 'lenient' | 'strict'

export function readTask(text: string, name: TaskName, element: Element, unknown: Unknown): CmlTask {
  const reading = new ElementReading(text, element, unknown)
  const action = reading[name]()
  reading.warnOfAttributes(knownTasks[name].attributes)
  const { params, findings, warnings } = reading
  return { action, params, findings, warnings }
}

/** Reads one element into parameters. What is wrong is collected, so that one turn is enough to mend it all. */
class ElementReading {
  readonly params = new Texts()
  readonly findings: CmlFinding[] = []
  readonly warnings: string[] = []
  readonly #text: string
  readonly #element: Element
  readonly #unknown: Unknown

  constructor(text: string, element: Element, unknown: Unknown) {
    this.#text = text
    this.#element = element
    this.#unknown = unknown
  }

  write(): string {
    this.#required('path', 'path')
    const { append } = this.#element.attributes
    const content = this.#content(this.#element)
    if (content === undefined) this.#wrong({ code: 'cml-no-content', data: { name: 'write' } })
    this.params['content'] = content ?? ''
    if (append?.toLowerCase() === 'true') {
      // A line of its own is what appending means to CML; `file_append` by itself adds nothing between.
      this.params['new_line'] = 'true'
      return 'file_append'
    }
    if (append !== undefined && append.toLowerCase() !== 'false') {
      this.warnings.push(`append="${append}" is not "true", so the file is written, not appended to`)
    }
    return 'file_write'
  }

  edit(): string {
    this.#required('path', 'path')
    const { count = '1' } = this.#element.attributes
    const times = count.trim()
    if (!isCount(times)) this.#wrongAttribute('count', { code: 'cml-count', data: { count } })
    const parts = this.#parts()
    const range = parts.has('search-start') || parts.has('search-end')
    if (range && parts.has('search')) this.#wrong({ code: 'cml-two-searches' })
    else if (range) {
      this.#searched(parts, 'search-start', 'old_text_beginning')
      this.#searched(parts, 'search-end', 'old_text_end')
    } else {
      this.#searched(parts, 'search', 'old_text')
    }
    const replace = parts.get('replace')
    if (replace === undefined) this.#wrong({ code: 'cml-no-part', data: { part: 'replace' } })
    else this.params['new_text'] = this.#content(replace) ?? ''
    this.params['count'] = times
    return range ? 'file_replace_text_range' : 'file_edit'
  }

  run(): string {
    const command = this.#content(this.#element)
    if (command === undefined) this.#wrong({ code: 'cml-no-content', data: { name: 'run' } })
    else if (command.trim() === '' && this.findings.length === 0) this.#wrong({ code: 'cml-empty-command' })
    this.params['command'] = command ?? ''
    const { dir } = this.#element.attributes
    if (dir === '') this.#emptyAttribute('dir')
    else if (dir !== undefined) this.params['dir'] = slashedPath(dir)
    return 'run'
  }

  read(): string {
    this.#required('path', 'path')
    this.#holdsNothing()
    const { lines } = this.#element.attributes
    if (lines === undefined) return 'file_read'
    this.params['lines'] = lines
    return 'file_read_numbered'
  }

  exec(): string {
    this.#required('lang', 'lang')
    const code = this.#content(this.#element)
    const { dir, timeout } = this.#element.attributes
    if (code === undefined || code.trim() === '') this.#wrong({ code: 'cml-no-content', data: { name: 'exec' } })
    this.params['code'] = code ?? ''
    if (dir !== undefined) this.params['cwd'] = slashedPath(dir)
    if (timeout !== undefined) this.params['timeout'] = timeout
    return 'exec'
  }

  move(): string {
    const from = this.#required('from', 'old_path')
    const to = this.#required('to', 'new_path')
    this.#holdsNothing()
    this.#deprecated(`<move> is deprecated: write <run><![CDATA[mv ${word(from)} ${word(to)}]]></run>`)
    return 'file_move'
  }

  remove(): string {
    const path = this.#required('path', 'path')
    this.#holdsNothing()
    this.#deprecated(`<remove> is deprecated: write <run><![CDATA[rm ${word(path)}]]></run>`)
    return 'file_delete'
  }

  warnOfAttributes(known: readonly string[]): void {
    const { name, attributes } = this.#element
    for (const key in attributes) {
      if (key === 'version' || known.includes(key)) continue
      this.warnings.push(`<${name}> has no attribute ${key}; it was ignored`)
    }
  }

  #required(attribute: string, param: string): string {
    const { name, attributes } = this.#element
    const value = attributes[attribute]
    if (value === undefined) this.#wrong({ code: 'cml-no-attribute', data: { name, attribute } })
    else if (value === '') this.#emptyAttribute(attribute)
    else this.params[param] = slashedPath(value)
    return value ?? ''
  }

  #searched(parts: ElementParts, name: PartName, param: string): void {
    const part = parts.get(name)
    if (part === undefined) {
      this.#wrong({ code: 'cml-no-part', data: { part: name } })
      return
    }
    const before = this.findings.length
    const content = this.#content(part) ?? ''
    if (content === '' && this.findings.length === before)
      this.findings.push({ ...tagSpan(part), code: 'cml-empty-part', data: { part: name } })
    this.params[param] = content
  }

  #parts(): ElementParts {
    const parts: Map<PartName, Element> = new Map()
    for (const node of this.#element.nodes) {
      if (node.kind !== 'element') {
        const length = node.kind === 'text' ? 1 : CDATA.length
        this.findings.push({ at: textAt(node), length, code: 'cml-beside-parts' })
      } else {
        const name = partNames.find((one) => one === node.name)
        if (name === undefined) this.#unknownElement(node)
        else if (!parts.has(name)) parts.set(name, node)
        else {
          this.findings.push({ ...tagSpan(node), code: 'cml-part-twice', data: { part: name } })
        }
      }
    }
    return parts
  }

  #unknownElement(element: Element): void {
    const within = this.#element.name
    if (this.#unknown === 'lenient') {
      this.warnings.push(`<${within}> cannot contain <${element.name}>; it was skipped`)
      return
    }
    this.findings.push({ code: 'cml-unknown', data: { name: element.name, within }, ...tagSpan(element) })
  }

  /** The CDATA of an element, joined; undefined when there is none. */
  #content(element: Element): string | undefined {
    let content: string | undefined
    for (const node of element.nodes) {
      if (node.kind === 'section') content = (content ?? '') + cdataText(this.#text, node.section)
      else {
        this.findings.push(outsideCdataFinding(node.kind === 'text' ? node.at : node.start))
        return content ?? ''
      }
    }
    return content
  }

  #holdsNothing(): void {
    const { name, nodes } = this.#element
    for (const node of nodes) {
      if (node.kind === 'element') this.#unknownElement(node)
      else {
        this.findings.push({
          at: textAt(node),
          length: 1,
          code: 'cml-not-empty',
          data: { name },
        })
      }
    }
  }

  #deprecated(warning: string): void {
    if (this.findings.length === 0) this.warnings.push(warning)
  }

  #wrong(finding: Finding): void {
    this.findings.push({ ...finding, ...tagSpan(this.#element) })
  }

  #wrongAttribute(name: string, finding: Finding): void {
    this.findings.push({ ...finding, ...attributeSpan(this.#element, name) })
  }

  #emptyAttribute(attribute: string): void {
    const { name } = this.#element
    this.#wrongAttribute(attribute, { code: 'cml-empty-attribute', data: { name, attribute } })
  }
}

type ElementParts = ReadonlyMap<PartName, Element>

/** Where text or CDATA begins. */
const textAt = (node: Exclude<XmlNode, Element>): number =>
  node.kind === 'text' ? node.at : node.section.from - CDATA.length

/**
 * A section as it was meant. Line breaks are LF, as in every syntax. Escaped are only whole `]]&gt;`: a text that holds
 * just that can be written in two sections, `]]` and `&gt;`.
 */
function cdataText(text: string, { from, to }: CdataSection): string {
  const raw = text.slice(from, to)
  const lines = raw.includes('\r\n') ? raw.replaceAll('\r\n', '\n') : raw
  return lines.includes(']]&gt;') ? lines.replaceAll(']]&gt;', ']]>') : lines
}

/**
 * Paths of Windows, on whatever system. A backslash before a sign is left: Markdown escapes `a.txt` as `a\.txt`, which
 * must be seen as damage and not become `a/.txt`.
 */
const slashedPath = (path: string): string =>
  /\\(?![\p{L}\p{N}]|\.\.(?:[\\/]|$))/u.test(path) ? path : path.replaceAll('\\', '/')

/** A path as one word of a command line. */
const word = (path: string): string => (/^[\w./@+:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

/** What `<tasks>` holds. A mistake here costs all of it; mistakes inside a member are that member's. */
export interface Members {
  readonly members: readonly (readonly [TaskName, Element])[]
  readonly findings: readonly CmlFinding[]
  readonly warnings: readonly string[]
}

export function readMembers(tasks: Element, unknown: Unknown): Members {
  const members: [TaskName, Element][] = []
  const findings: CmlFinding[] = []
  const warnings: string[] = []
  for (const [key, value] of Object.entries(tasks.attributes)) {
    if (key === 'version') continue
    if (key !== 'atomic') warnings.push(`<tasks> has no attribute ${key}; it was ignored`)
    else if (!/^(?:true|false)$/i.test(value)) {
      findings.push({ ...attributeSpan(tasks, key), code: 'cml-atomic' })
    }
  }
  for (const node of tasks.nodes) {
    if (node.kind !== 'element') {
      findings.push({ at: textAt(node), length: 1, code: 'cml-in-tasks' })
      continue
    }
    if (isTaskName(node.name)) members.push([node.name, node])
    else if (node.name !== 'tasks' && unknown === 'lenient') {
      warnings.push(`<tasks> cannot contain <${node.name}>; it was skipped`)
    } else {
      const finding: Finding =
        node.name === 'tasks'
          ? { code: 'cml-nested' }
          : { code: 'cml-unknown', data: { name: node.name, within: 'tasks' } }
      findings.push({ ...finding, ...tagSpan(node) })
    }
  }
  return { members, findings, warnings }
}
