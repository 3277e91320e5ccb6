import type { Mistake } from '../../core/mistake.ts'
import { attributeAt, type Element, type Node, outsideCdata, tagAt } from './element.ts'
import {
  CDATA,
  isTaskName,
  type Misplaced,
  type PartName,
  partNames,
  type Section,
  type TaskName,
  tasks as knownTasks,
} from './open.ts'
import { isCount, Texts } from '../reader.ts'

/** What an element asks for, as an action. With any mistake it is only for reports. */
export interface Task {
  readonly action: string
  readonly params: Readonly<Record<string, string>>
  readonly slips: readonly Misplaced[]
  readonly warnings: readonly string[]
}

/** `lenient`: the block names a version, so that what is not known may be newer than this reader, and is skipped. */
export type Unknown = 'lenient' | 'strict'

export function taskOf(text: string, name: TaskName, element: Element, unknown: Unknown): Task {
  const reading = new ElementReading(text, element, unknown)
  const action = reading[name]()
  reading.warnOfAttributes(knownTasks[name].attributes)
  const { params, slips, warnings } = reading
  return { action, params, slips, warnings }
}

/** Reads one element into parameters. What is wrong is collected, so that one turn is enough to mend it all. */
class ElementReading {
  readonly params = new Texts()
  readonly slips: Misplaced[] = []
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
    this.#required('path', 'path', 'malformed_xml')
    const { append } = this.#element.attributes
    const content = this.#content(this.#element)
    if (content === undefined) this.#wrong('malformed_xml', { kind: 'cml-no-content', name: 'write' })
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
    this.#required('path', 'path', 'missing_path_attribute')
    const { count = '1' } = this.#element.attributes
    const times = count.trim()
    if (!isCount(times)) this.#wrongAttribute('count', 'invalid_count', { kind: 'cml-count', count })
    const parts = this.#parts()
    const range = parts.has('search-start') || parts.has('search-end')
    if (range && parts.has('search')) this.#wrong('conflicting_search_modes', { kind: 'cml-two-searches' })
    else if (range) {
      this.#searched(parts, 'search-start', 'old_text_beginning', 'missing_search_start', 'empty_search_start')
      this.#searched(parts, 'search-end', 'old_text_end', 'missing_search_end', 'empty_search_end')
    } else {
      this.#searched(parts, 'search', 'old_text', 'missing_search_element', 'empty_search')
    }
    const replace = parts.get('replace')
    if (replace === undefined) this.#wrong('missing_replace_element', { kind: 'cml-no-part', part: 'replace' })
    else this.params['new_text'] = this.#content(replace) ?? ''
    this.params['count'] = times
    return range ? 'file_replace_text_range' : 'file_edit'
  }

  run(): string {
    const command = this.#content(this.#element)
    if (command === undefined) this.#wrong('malformed_xml', { kind: 'cml-no-content', name: 'run' })
    else if (command.trim() === '' && this.slips.length === 0)
      this.#wrong('invalid_parameter', { kind: 'cml-empty-command' })
    this.params['command'] = command ?? ''
    const { dir } = this.#element.attributes
    if (dir === '') this.#emptyAttribute('dir')
    else if (dir !== undefined) this.params['dir'] = slashed(dir)
    return 'run'
  }

  read(): string {
    this.#required('path', 'path', 'malformed_xml')
    this.#holdsNothing()
    const { lines } = this.#element.attributes
    if (lines === undefined) return 'file_read'
    this.params['lines'] = lines
    return 'file_read_numbered'
  }

  exec(): string {
    this.#required('lang', 'lang', 'malformed_xml')
    const code = this.#content(this.#element)
    const { dir, timeout } = this.#element.attributes
    if (code === undefined || code.trim() === '') this.#wrong('malformed_xml', { kind: 'cml-no-content', name: 'exec' })
    this.params['code'] = code ?? ''
    if (dir !== undefined) this.params['cwd'] = slashed(dir)
    if (timeout !== undefined) this.params['timeout'] = timeout
    return 'exec'
  }

  move(): string {
    const from = this.#required('from', 'old_path', 'malformed_xml')
    const to = this.#required('to', 'new_path', 'malformed_xml')
    this.#holdsNothing()
    this.#deprecated(`<move> is deprecated: write <run><![CDATA[mv ${word(from)} ${word(to)}]]></run>`)
    return 'file_move'
  }

  remove(): string {
    const path = this.#required('path', 'path', 'malformed_xml')
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

  #required(attribute: string, param: string, code: string): string {
    const { name, attributes } = this.#element
    const value = attributes[attribute]
    if (value === undefined) this.#wrong(code, { kind: 'cml-no-attribute', name, attribute })
    else if (value === '') this.#emptyAttribute(attribute)
    else this.params[param] = slashed(value)
    return value ?? ''
  }

  #searched(parts: Parts, name: PartName, param: string, missing: string, empty: string): void {
    const part = parts.get(name)
    if (part === undefined) {
      this.#wrong(missing, { kind: 'cml-no-part', part: name })
      return
    }
    const before = this.slips.length
    const content = this.#content(part) ?? ''
    if (content === '' && this.slips.length === before)
      this.slips.push({ code: empty, ...tagAt(part), mistake: { kind: 'cml-empty-part', part: name } })
    this.params[param] = content
  }

  #parts(): Parts {
    const parts: Map<PartName, Element> = new Map()
    for (const node of this.#element.nodes) {
      if (node.kind !== 'element') {
        const length = node.kind === 'text' ? 1 : CDATA.length
        this.slips.push({ code: 'malformed_xml', at: textAt(node), length, mistake: { kind: 'cml-beside-parts' } })
      } else {
        const name = partNames.find((one) => one === node.name)
        if (name === undefined) this.#unknownElement(node)
        else if (!parts.has(name)) parts.set(name, node)
        else {
          this.slips.push({ code: 'malformed_xml', ...tagAt(node), mistake: { kind: 'cml-part-twice', part: name } })
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
    const mistake = { kind: 'cml-unknown', name: element.name, within } as const
    this.slips.push({ code: 'malformed_xml', ...tagAt(element), mistake })
  }

  /** The CDATA of an element, joined; undefined when there is none. */
  #content(element: Element): string | undefined {
    let content: string | undefined
    for (const node of element.nodes) {
      if (node.kind === 'section') content = (content ?? '') + contentOf(this.#text, node.section)
      else {
        this.slips.push(outsideCdata(node.kind === 'text' ? node.at : node.start))
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
        this.slips.push({
          code: 'malformed_xml',
          at: textAt(node),
          length: 1,
          mistake: { kind: 'cml-not-empty', name },
        })
      }
    }
  }

  #deprecated(warning: string): void {
    if (this.slips.length === 0) this.warnings.push(warning)
  }

  #wrong(code: string, mistake: Mistake): void {
    this.slips.push({ code, ...tagAt(this.#element), mistake })
  }

  #wrongAttribute(name: string, code: string, mistake: Mistake): void {
    this.slips.push({ code, ...attributeAt(this.#element, name), mistake })
  }

  #emptyAttribute(attribute: string): void {
    const { name } = this.#element
    this.#wrongAttribute(attribute, 'path_validation', { kind: 'cml-empty-attribute', name, attribute })
  }
}

type Parts = ReadonlyMap<PartName, Element>

/** Where text or CDATA begins. */
const textAt = (node: Exclude<Node, Element>): number =>
  node.kind === 'text' ? node.at : node.section.from - CDATA.length

/**
 * A section as it was meant. Line breaks are LF, as in every syntax. Escaped are only whole `]]&gt;`: a text that holds
 * just that can be written in two sections, `]]` and `&gt;`.
 */
function contentOf(text: string, { from, to }: Section): string {
  const raw = text.slice(from, to)
  const lines = raw.includes('\r\n') ? raw.replaceAll('\r\n', '\n') : raw
  return lines.includes(']]&gt;') ? lines.replaceAll(']]&gt;', ']]>') : lines
}

/**
 * Paths of Windows, on whatever system. A backslash before a sign is left: Markdown escapes `a.txt` as `a\.txt`, which
 * must be seen as damage and not become `a/.txt`.
 */
const slashed = (path: string): string =>
  /\\(?![\p{L}\p{N}]|\.\.(?:[\\/]|$))/u.test(path) ? path : path.replaceAll('\\', '/')

/** A path as one word of a command line. */
const word = (path: string): string => (/^[\w./@+:-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

/** What `<tasks>` holds. A mistake here costs all of it; mistakes inside a member are that member's. */
export interface Members {
  readonly members: readonly (readonly [TaskName, Element])[]
  readonly slips: readonly Misplaced[]
  readonly warnings: readonly string[]
}

export function membersOf(tasks: Element, unknown: Unknown): Members {
  const members: [TaskName, Element][] = []
  const slips: Misplaced[] = []
  const warnings: string[] = []
  for (const [key, value] of Object.entries(tasks.attributes)) {
    if (key === 'version') continue
    if (key !== 'atomic') warnings.push(`<tasks> has no attribute ${key}; it was ignored`)
    else if (!/^(?:true|false)$/i.test(value)) {
      slips.push({ code: 'malformed_block', ...attributeAt(tasks, key), mistake: { kind: 'cml-atomic' } })
    }
  }
  for (const node of tasks.nodes) {
    if (node.kind !== 'element') {
      slips.push({ code: 'malformed_xml', at: textAt(node), length: 1, mistake: { kind: 'cml-in-tasks' } })
      continue
    }
    if (isTaskName(node.name)) members.push([node.name, node])
    else if (node.name !== 'tasks' && unknown === 'lenient') {
      warnings.push(`<tasks> cannot contain <${node.name}>; it was skipped`)
    } else {
      const mistake: Mistake =
        node.name === 'tasks' ? { kind: 'cml-nested' } : { kind: 'cml-unknown', name: node.name, within: 'tasks' }
      slips.push({ code: 'malformed_xml', ...tagAt(node), mistake })
    }
  }
  return { members, slips, warnings }
}
