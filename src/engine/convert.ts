import path from 'node:path'
import { isAbsolutePath } from '../actions/convert.ts'
import { registry } from '../actions/registry.ts'
import type { Block, BlockGroup, TargetName } from '../core/block.ts'
import { hashOf } from '../core/hash.ts'
import { Source } from '../core/source.ts'
import { type CladaOptions, readingOf, settingsOf } from '../config/settings.ts'
import { defaultDelimiters } from '../syntax/csl/csl.ts'
import { findBlocks } from '../syntax/find-blocks.ts'
import type { Rendered } from '../syntax/call.ts'
import { cmlGroup, renderCml } from '../syntax/cml/write.ts'
import { CslRenderer } from '../syntax/csl/csl.ts'
import { renderReplacer } from '../syntax/replacer/replacer.ts'
import { renderSham } from '../syntax/sham/sham.ts'

export interface ConvertedDocument {
  /** The blocks, with a blank line between. */
  readonly text: string
  /** Blocks that are not in it, and why. */
  readonly refused: readonly Note[]
  /** What is in it, but not as it was. */
  readonly warnings: readonly string[]
}

export interface Note {
  readonly line: number
  readonly message: string
}

/** The blocks of a document in another syntax. What cannot be said there exactly is left out, and told. */
export function convertDocument(text: string, to: TargetName, options: CladaOptions): ConvertedDocument {
  return new Conversion(to, options).convert(text)
}

class Conversion {
  readonly #options: CladaOptions
  readonly #root: string
  readonly #relativePaths: boolean
  readonly #to: TargetName
  readonly #csl: CslRenderer
  readonly #ids = new Set<string>()
  readonly #parts: string[] = []
  readonly #refused: Note[] = []
  readonly #warnings: string[] = []

  constructor(to: TargetName, options: CladaOptions) {
    const { root, relativePaths } = settingsOf(options)
    this.#root = root
    this.#relativePaths = relativePaths
    this.#to = to
    this.#options = options
    this.#csl = new CslRenderer(options.cslDelimiters ?? defaultDelimiters)
  }

  convert(text: string): ConvertedDocument {
    const { blocks, faults, warnings } = findBlocks(new Source(text), readingOf(this.#options))
    for (const { line, message } of faults) this.#refuse(line, message)
    this.#warnings.push(...warnings)
    for (const { id, syntax } of blocks) if (syntax === 'sham') this.#ids.add(id)
    for (let at = 0; at < blocks.length;) {
      const group = blocks[at]?.group
      let end = at + 1
      while (group !== undefined && blocks[end]?.group === group) end++
      const members = blocks.slice(at, end)
      if (group === undefined) this.#parts.push(...this.#written(members))
      else this.#group(group, members)
      at = end
    }
    const refused = this.#refused.toSorted((a, b) => a.line - b.line)
    return { text: this.#parts.join('\n\n'), refused, warnings: this.#warnings }
  }

  /** A group stands or falls together: where the target has groups, one is written whole or not at all. */
  #group(group: BlockGroup, members: readonly Block[]): void {
    const before = this.#refused.length
    const texts = this.#written(members)
    const grouped = this.#to === 'csl' || this.#to === 'cml'
    if (texts.length < members.length && (grouped || members.some(({ faults }) => faults.length > 0))) {
      const lost = new Set(this.#refused.slice(before).map(({ line }) => line))
      const first = Math.min(...lost)
      for (const { startLine, action } of members) {
        if (!lost.has(startLine)) this.#refuse(startLine, `${action}: stands in one group with line ${first}`)
      }
      return
    }
    if (texts.length === 0) return
    if (this.#to === 'csl') this.#parts.push(this.#csl.group(texts, group))
    else if (this.#to === 'cml') this.#parts.push(cmlGroup(texts, group))
    else {
      this.#parts.push(...texts)
      const lost = group.atomic ? 'all or nothing; --atomic does that for a whole document' : 'skipped after a failure'
      this.#warnings.push(`line ${group.line}: ${spelled[this.#to]} has no groups, so its blocks are no longer ${lost}`)
    }
  }

  /** Those of the blocks that can be written. */
  #written(blocks: readonly Block[]): string[] {
    return blocks.flatMap((block) => {
      const { action, startLine } = block
      const [fault] = block.faults
      if (fault !== undefined) {
        this.#refuse(startLine, `${action || block.syntax}: ${fault.message}`)
        return []
      }
      const rendered = this.#rendered(block)
      if ('refused' in rendered) {
        this.#refuse(startLine, `${action || 'no action'}: ${spelled[this.#to]} ${rendered.refused}`)
        return []
      }
      this.#warnings.push(...this.#losses(block))
      return [rendered.text]
    })
  }

  #rendered(block: Block): Rendered {
    const { explanation } = block
    const call = { action: registry.get(block.action)?.name ?? block.action, params: block.params, explanation }
    switch (this.#to) {
      case 'sham':
      case 'nesl': {
        if (block.action === '') return { refused: 'must name an action' }
        const name = { keyword: this.#to === 'sham' ? 'SHAM' : 'nesl', id: this.#idOf(block) } as const
        return { text: renderSham(block.action, this.#absolute(block), name) }
      }
      case 'csl':
        return this.#csl.call(call)
      case 'cml':
        return renderCml(call)
      case 'replacer':
        return renderReplacer(call)
    }
  }

  /** SHAM takes paths from the top; the other syntaxes take them from the root. */
  #absolute({ syntax, action, params }: Block): Readonly<Record<string, string>> {
    if (syntax === 'sham' || this.#relativePaths) return params
    const formats = registry.get(action)?.params ?? {}
    const given = Object.entries(params).map(([name, value]) => {
      const isPath = formats[name]?.format === 'absolute_path' && value !== '' && !isAbsolutePath(value)
      return [name, isPath ? path.resolve(this.#root, value) : value] as const
    })
    return Object.fromEntries(given)
  }

  /** The id of a SHAM block; for others a few digits of their hash, as many as it takes to be the only one. */
  #idOf({ syntax, id, raw, startLine }: Block): string {
    if (syntax === 'sham') return id
    const hash = hashOf(`${startLine} ${raw}`)
    let length = 3
    while (length < 8 && this.#ids.has(hash.slice(0, length))) length++
    const own = hash.slice(0, length)
    this.#ids.add(own)
    return own
  }

  #losses({ explanation, startLine, syntax, params, rootNameMayLead, sideMayLead }: Block): string[] {
    if (syntax === this.#to) return []
    const losses: string[] = []
    if (explanation !== undefined && this.#to !== 'replacer') {
      losses.push(`line ${startLine}: ${spelled[this.#to]} has no explanations; this one is left out`)
    }
    const name = path.basename(this.#root)
    if ((rootNameMayLead || this.#to === 'replacer') && params['path']?.startsWith(`${name}/`)) {
      const only = 'which the replacer leaves out where nothing of that name is in it, and the others do not'
      losses.push(`line ${startLine}: the path begins with the name of the project, ${only}`)
    }
    if (sideMayLead) {
      const only = 'which is left out there where no such directory is, and not here'
      losses.push(`line ${startLine}: the path begins like one of a diff, ${only}`)
    }
    return losses
  }

  #refuse(line: number, message: string): void {
    this.#refused.push({ line, message })
  }
}

const spelled: Record<TargetName, string> = {
  sham: 'SHAM',
  nesl: 'NESL',
  csl: 'CSL',
  cml: 'CML',
  replacer: "the replacer's syntax",
}
