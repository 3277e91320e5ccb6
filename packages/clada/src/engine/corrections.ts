import path from 'node:path'
import { decode, type Decoded, withoutAliases } from '../actions/decode.ts'
import { isAbsolutePath, isInside, withSlashes } from '../core/paths.ts'
import { type CladaOptions, readingOptions } from '../config/settings.ts'
import { type ActionSpec, isLacking } from '../core/action.ts'
import { type Block, type BlockGroup, isComplete } from '@clada/reply/core/block.ts'
import type { Diagnostic } from '@clada/reply/core/diagnostic.ts'
import type { ParseError } from '../core/result.ts'
import type { Settings } from '../core/settings.ts'
import { Source } from '@clada/reply/core/source.ts'
import { primaryOf } from '../report/words.ts'
import { readBlocks } from '@clada/reply/syntax/find-blocks.ts'
import type { ReadOptions } from '@clada/reply/syntax/reader.ts'
import { rewriteSham } from '@clada/reply/syntax/sham/sham.ts'
import { syntaxNames, syntaxOf } from '@clada/reply/syntax/table.ts'
import { findClosestName } from '@clada/reply/text/closest-name.ts'
import { type Hunk, parseHunks, hunkSide } from '@clada/reply/text/hunks.ts'

type CorrectedBlock = Pick<ParseError, 'corrected' | 'meant'>

const none: CorrectedBlock = {}

/** Blocks that cannot run, as they were meant. A correction is read and decoded before it is shown. */
export class Corrections {
  readonly #settings: Settings
  readonly #reading: ReadOptions
  /** The last line of a text that was corrected: what seems to be a block in it is part of it. */
  #covered = 0

  constructor({ settings, options }: { readonly settings: Settings; readonly options: CladaOptions }) {
    this.#settings = settings
    this.#reading = readingOptions(options)
  }

  /** Of a block that has diagnostics or whose action cannot be decoded. */
  ofBlock(block: Block): CorrectedBlock {
    const { startLine, endLine, raw, diagnostics, syntax } = block
    if (startLine <= this.#covered) return none
    const isWhole = diagnostics.every(({ code }) => code === 'stopped-by' || code === 'csl-skipped')
    const correction = this.#withSyntax(syntax, isWhole ? raw : this.#correctRaw(syntax, raw))
    if (correction !== none && endLine === null) this.#covered = startLine + raw.split('\n').length - 1
    return correction
  }

  /** Of a block that was read and could not be done: with other parameters, in its own syntax. */
  ofEdit(
    { block, decoded }: { readonly block: Block; readonly decoded: Decoded & { ok: true } },
    meant: Readonly<Record<string, string>>,
  ): string | undefined {
    const { syntax, raw, damage = [] } = block
    const row = syntaxOf(syntax)
    // A call without a document has no text.
    if (raw === '') return undefined
    const { path: read } = decoded.params
    // Without what was left out of it when it was read.
    const resend = typeof read === 'string' && read !== block.params['path'] ? { path: read, ...meant } : meant
    const params = { ...block.params, ...resend }
    const texts = [
      row.kind === 'foreign' ? row.written?.(params, block.label) : undefined,
      damage.length > 0 ? undefined : substituteTexts(raw, block.params, resend),
      this.#call(block, params),
    ]
    return texts.find((text) => text !== undefined && this.#isOnly(text, block, params))
  }

  #call({ syntax, action, id, explanation }: Block, params: Readonly<Record<string, string>>): string | undefined {
    const { targets = {}, coverage } = syntaxOf(syntax)
    const name = coverage === 'all actions' ? action : (this.#settings.registry.get(action)?.name ?? action)
    const rendered = targets[syntax]?.open(this.#reading).call({ action: name, params, explanation }, id)
    return rendered === undefined || 'refused' in rendered ? undefined : rendered.text
  }

  /** Whether a text is one block that says nothing else. */
  #isOnly(text: string, { syntax: name, action }: Block, params: Readonly<Record<string, string>>): boolean {
    const syntax = syntaxNames.find((one) => one === name)
    if (syntax === undefined) return false
    const { blocks, diagnostics } = readBlocks(new Source(`${text}\n`), { ...this.#reading, syntaxes: [syntax] })
    const [block, ...others] = blocks
    if (block === undefined || others.length > 0 || diagnostics.length > 0 || !isComplete(block)) return false
    const names = [...new Set([...Object.keys(params), ...Object.keys(block.params)])]
    return block.action === action && names.every((key) => sameText(key, block.params[key] ?? '', params[key] ?? ''))
  }

  /** Of a diagnostic that costs a block which could not be made out. */
  ofDiagnostic({ raw, syntax = 'sham' }: Diagnostic): CorrectedBlock {
    return raw === undefined ? none : this.#withSyntax(syntax, this.#correctRaw(syntax, raw))
  }

  /** Members of a group, written together; each is a text that can be sent. */
  ofGroup(syntax: string, group: BlockGroup, texts: readonly string[]): string | undefined {
    const { targets = {} } = syntaxOf(syntax)
    return targets[syntax]?.open(this.#reading).group?.(texts, group)
  }

  #correctRaw(syntax: string, raw: string): string | undefined {
    const row = syntaxOf(syntax)
    return row.kind === 'native' ? row.corrected?.(raw.replace(/\r?\n$/, ''), this.#reading) : undefined
  }

  #withSyntax(name: string, text: string | undefined): CorrectedBlock {
    const syntax = syntaxNames.find((one) => one === name)
    if (text === undefined || syntax === undefined) return none
    const { blocks, diagnostics } = readBlocks(new Source(`${text}\n`), { ...this.#reading, syntaxes: [syntax] })
    if (diagnostics.length > 0 || blocks.length === 0 || !blocks.every(isComplete)) return none
    const decoded = blocks.map((block) => this.#decode(block, false))
    const corrected = decoded.every(({ ok }) => ok) ? text : this.#withNamesAndPaths(text, blocks)
    if (corrected === undefined) return none
    const named = blocks.map((block) => ({ ...block, action: this.#closestAction(block.action) }))
    return { corrected, meant: named.map((block) => `${block.action} ${primaryOf(block)}`.trimEnd()) }
  }

  #decode({ syntax, action, params }: Block, relative: boolean): Decoded {
    const { root, relativePaths, registry } = this.#settings
    return decode(action, params, registry, {
      root,
      relativePaths: relative || relativePaths || syntaxOf(syntax).paths === 'relative',
    })
  }

  /** A block that is right except for a name that is misspelled, and paths that are relative to the root. */
  #withNamesAndPaths(text: string, blocks: readonly Block[]): string | undefined {
    const [block, ...more] = blocks
    if (block === undefined || more.length > 0 || block.syntax !== 'sham') return undefined
    const action = this.#closestAction(block.action)
    const spec = this.#settings.registry.get(action)
    if (spec === undefined) return undefined
    const decoded = this.#decode({ ...block, action, params: renameMisspelled(spec, block.params) }, true)
    if (!decoded.ok) return undefined
    const params: Record<string, string> = {}
    for (const [name, value] of Object.entries(decoded.params)) {
      const isPath = /absolute_path/.test(decoded.spec.params[name]?.format ?? '')
      const lines = isPath
        ? String(value)
            .split('\n')
            .map((line) => this.#absolute(line))
        : [String(value)]
      if (lines.includes(undefined)) return undefined
      params[name] = lines.join('\n')
    }
    return rewriteSham(text, action, params)
  }

  #closestAction(spelled: string): string {
    const { registry } = this.#settings
    return registry.has(spelled) ? spelled : (findClosestName(spelled, [...registry.keys()]) ?? spelled)
  }

  #absolute(given: string): string | undefined {
    const { root } = this.#settings
    if (this.#settings.relativePaths || given.trim() === '' || isAbsolutePath(given)) return given
    const absolute = path.resolve(root, given.trim())
    return isInside(absolute, root) && !/^[~$]|:/.test(given.trim()) ? withSlashes(absolute) : undefined
  }
}

/** The text of a block with other texts in the place of its own, which follow one another as in the parameters. */
function substituteTexts(
  raw: string,
  params: Readonly<Record<string, string>>,
  resend: Readonly<Record<string, string>>,
): string | undefined {
  let text = raw
  let from = 0
  for (const name of Object.keys(params)) {
    const [own = '', other] = [params[name], resend[name]]
    if (other === undefined) continue
    const form = forms.find((write) => text.includes(write(own), from))
    if (own === '' || form === undefined) return undefined
    const at = text.indexOf(form(own), from)
    text = text.slice(0, at) + form(other) + text.slice(at + form(own).length)
    from = at + form(other).length
  }
  return text
}

/** As it is, as a JSON string, as CDATA. */
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => text.replaceAll(']]>', ']]&gt;'),
]

/** Two patches are the same when they have the same lines on both sides, however their headers are written. */
function sameText(name: string, one: string, other: string): boolean {
  if (one === other || name !== 'patch') return one === other
  const [left, right] = [parseHunks(one), parseHunks(other)]
  const sides = (hunks: readonly Hunk[]): string =>
    JSON.stringify(
      hunks.map((hunk) => (['old', 'new'] as const).map((side) => hunkSide(hunk, side).map((line) => line.text))),
    )
  return 'hunks' in left && 'hunks' in right && sides(left.hunks) === sides(right.hunks)
}

/** Parameters of which one that is needed is misspelled. */
function renameMisspelled(spec: ActionSpec, given: Block['params']): Block['params'] {
  const known = withoutAliases(spec, given)
  const missing = Object.keys(spec.params).filter((name) => isLacking(name, spec.params[name], known))
  const unknown = Object.keys(known).filter((name) => !Object.hasOwn(spec.params, name))
  const params = { ...given }
  for (const name of missing) {
    const [other, ...others] = unknown.filter((one) => findClosestName(one, [name]) !== undefined)
    const text = other === undefined || others.length > 0 ? undefined : params[other]
    if (other === undefined || text === undefined) continue
    delete params[other]
    params[name] = text
  }
  return params
}
