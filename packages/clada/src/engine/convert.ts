import path from 'node:path'
import { isAbsolutePath, withSlashes } from '../core/paths.ts'
import type { Registry } from '../core/action.ts'
import { type CladaOptions, readingOptions, settingsOf } from '../config/settings.ts'
import type { Block, BlockGroup } from '@clada/reply/core/block.ts'
import { shortDigestOf } from '../core/digest.ts'
import { explainDiagnostic } from '../report/explain-diagnostic.ts'
import { notExecutedText } from '../report/parts.ts'
import type { Rendered } from '@clada/reply/syntax/call.ts'
import { readReply } from '../core/read-reply.ts'
import type { Syntax, Target, SyntaxWriter } from '@clada/reply/syntax/syntax.ts'
import { syntaxOf, type TargetName, targetOf } from '@clada/reply/syntax/table.ts'

export interface ConvertedDocument {
  /** The blocks, with a blank line between. */
  readonly text: string
  /** The blocks that were left out, and why. */
  readonly refused: readonly ConversionNote[]
  /** What changed for blocks that were converted. */
  readonly warnings: readonly string[]
}

export interface ConversionNote {
  readonly line: number
  readonly message: string
}

/** The blocks of a document in another syntax. A block that cannot be written there exactly is left out and reported. */
export function convertDocument(text: string, to: TargetName, options: CladaOptions): ConvertedDocument {
  return new Conversion(to, options).convert(text)
}

class Conversion {
  readonly #options: CladaOptions
  readonly #readingMs: number
  readonly #root: string
  readonly #registry: Registry
  readonly #relativePaths: boolean
  readonly #to: TargetName
  readonly #syntax: Syntax
  readonly #target: Target
  readonly #writer: SyntaxWriter
  readonly #ids = new Set<string>()
  readonly #parts: string[] = []
  readonly #refused: ConversionNote[] = []
  readonly #warnings: string[] = []

  constructor(to: TargetName, options: CladaOptions) {
    const { root, relativePaths, registry, limits } = settingsOf(options)
    this.#readingMs = limits.actionMs
    const { syntax, target } = targetOf(to)
    this.#root = root
    this.#registry = registry
    this.#relativePaths = relativePaths
    this.#to = to
    this.#syntax = syntax
    this.#target = target
    this.#writer = target.open(options)
    this.#options = options
  }

  convert(text: string): ConvertedDocument {
    const { blocks, diagnostics, warnings, notExecuted } = readReply(
      text,
      readingOptions(this.#options),
      this.#readingMs,
    )
    for (const one of diagnostics) this.#refuse(one.range.line, explainDiagnostic(one, null).message)
    this.#warnings.push(...warnings, ...notExecuted.map(notExecutedText))
    for (const { id, syntax } of blocks) if (syntaxOf(syntax).ids === 'written') this.#ids.add(id)
    for (let at = 0; at < blocks.length;) {
      const group = blocks[at]?.group
      let end = at + 1
      while (group !== undefined && blocks[end]?.group === group) end++
      const members = blocks.slice(at, end)
      if (group === undefined) this.#parts.push(...this.#writeBlocks(members))
      else this.#group(group, members)
      at = end
    }
    const refused = this.#refused.toSorted((a, b) => a.line - b.line)
    return { text: this.#parts.join('\n\n'), refused, warnings: this.#warnings }
  }

  /** Where the target has groups, one is written completely or not at all. */
  #group(group: BlockGroup, members: readonly Block[]): void {
    const before = this.#refused.length
    const texts = this.#writeBlocks(members)
    const isPartial = texts.length < members.length
    if (isPartial && (this.#writer.group !== undefined || members.some(({ diagnostics }) => diagnostics.length > 0))) {
      const lost = new Set(this.#refused.slice(before).map(({ line }) => line))
      const first = Math.min(...lost)
      for (const { startLine, action } of members) {
        if (!lost.has(startLine)) this.#refuse(startLine, `${action}: in the same group as line ${first}`)
      }
      return
    }
    if (texts.length === 0) return
    if (this.#writer.group !== undefined) {
      this.#parts.push(this.#writer.group(texts, group))
      return
    }
    this.#parts.push(...texts)
    const lost = group.atomic ? 'atomic; use --atomic to make the whole document atomic' : 'skipped after a failure'
    this.#warnings.push(`line ${group.line}: ${this.#target.title} has no groups, so its blocks are no longer ${lost}`)
  }

  /** The blocks that can be written. */
  #writeBlocks(blocks: readonly Block[]): string[] {
    return blocks.flatMap((block) => {
      const { action, startLine } = block
      const [diagnostic] = block.diagnostics
      if (diagnostic !== undefined) {
        this.#refuse(startLine, `${action || block.syntax}: ${explainDiagnostic(diagnostic, block.id).message}`)
        return []
      }
      const rendered = this.#render(block)
      if ('refused' in rendered) {
        this.#refuse(startLine, `${action || 'no action'}: ${this.#target.title} ${rendered.refused}`)
        return []
      }
      this.#warnings.push(...this.#losses(block))
      return [rendered.text]
    })
  }

  #render(block: Block): Rendered {
    const { action, explanation } = block
    // An alias stays where calls name their action.
    const name = this.#syntax.coverage === 'all actions' ? action : (this.#registry.get(action)?.name ?? action)
    return this.#writer.call({ action: name, params: this.#paramsOf(block), explanation }, this.#idOf(block))
  }

  #paramsOf({ syntax, action, params }: Block): Readonly<Record<string, string>> {
    if (this.#syntax.paths === 'relative' || syntaxOf(syntax).paths === 'absolute' || this.#relativePaths) return params
    const formats = this.#registry.get(action)?.params ?? {}
    const given = Object.entries(params).map(([name, value]) => {
      const isPath = formats[name]?.format === 'absolute_path' && value !== '' && !isAbsolutePath(value)
      return [name, isPath ? withSlashes(path.resolve(this.#root, value)) : value] as const
    })
    return Object.fromEntries(given)
  }

  /** The id written in the block; for others as many digits of their hash as make it unique. */
  #idOf({ syntax, id, raw, startLine }: Block): string {
    if (syntaxOf(syntax).ids === 'written') return id
    const hash = shortDigestOf(`${startLine} ${raw}`)
    let length = 3
    while (length < 8 && this.#ids.has(hash.slice(0, length))) length++
    const own = hash.slice(0, length)
    this.#ids.add(own)
    return own
  }

  #losses({ explanation, startLine, syntax, params, rootNameMayLead, sideMayLead }: Block): string[] {
    if (syntax === this.#to) return []
    const { title, explains, dropsRootName } = this.#target
    const losses: string[] = []
    if (explanation !== undefined && !explains) losses.push(`${title} has no explanations; this one is left out`)
    const name = path.basename(this.#root)
    if ((rootNameMayLead || dropsRootName) && params['path']?.startsWith(`${name}/`)) {
      const other = dropsRootName ? 'The original syntax' : title
      losses.push(
        `the path starts with the project's own name. The replacer syntax drops that prefix when no such directory exists; ${other} does not`,
      )
    }
    if (sideMayLead) {
      losses.push(
        `the path starts with a/ or b/. The original syntax drops that prefix when no such directory exists; ${title} keeps it`,
      )
    }
    return losses.map((loss) => `line ${startLine}: ${loss}`)
  }

  #refuse(line: number, message: string): void {
    this.#refused.push({ line, message })
  }
}
