import path from 'node:path'
import { decode, type Decoded } from '../actions/decode.ts'
import { isAbsolutePath } from '../core/paths.ts'
import { registry } from '../actions/registry.ts'
import { readingOf } from '../config/settings.ts'
import type { Block, BlockGroup, Fault } from '../core/block.ts'
import { isInside } from '../core/paths.ts'
import type { ParseError } from '../core/result.ts'
import type { Settings } from '../core/settings.ts'
import { Source } from '../core/source.ts'
import { primaryOf } from '../report/words.ts'
import { isSound } from '../syntax/damage.ts'
import { readBlocks } from '../syntax/find-blocks.ts'
import type { ReadOptions } from '../syntax/reader.ts'
import type { RunOptions } from './options.ts'
import { rewriteSham } from '../syntax/sham/sham.ts'
import { syntaxNames, syntaxOf } from '../syntax/table.ts'

type Correction = Pick<ParseError, 'corrected' | 'meant'>

const none: Correction = {}

/** Blocks that cannot run, as they were meant. A correction is read and decoded before it is shown. */
export class Corrections {
  readonly #settings: Settings
  readonly #reading: ReadOptions
  /** The last line of a text that was corrected: what seems to be a block in it is part of it. */
  #covered = 0

  constructor({ settings, options }: Pick<RunOptions, 'settings' | 'options'>) {
    this.#settings = settings
    this.#reading = readingOf(options)
  }

  /** Of a block that has faults or whose action cannot be decoded. */
  ofBlock(block: Block): Correction {
    const { startLine, endLine, raw, faults, syntax } = block
    if (startLine <= this.#covered) return none
    const isWhole = faults.every(({ code }) => code === 'SKIPPED' || code === 'CSL_SKIPPED')
    const correction = this.#corrected(syntax, isWhole ? raw : this.#written(syntax, raw))
    if (correction !== none && endLine === null) this.#covered = startLine + raw.split('\n').length - 1
    return correction
  }

  /** Of a fault that costs a block which could not be made out. */
  ofFault({ raw, syntax = 'sham' }: Fault): Correction {
    return raw === undefined ? none : this.#corrected(syntax, this.#written(syntax, raw))
  }

  /** Members of a group, written together; each is a text that can be sent. */
  ofGroup(syntax: string, group: BlockGroup, texts: readonly string[]): string | undefined {
    const { targets = {} } = syntaxOf(syntax)
    return targets[syntax]?.open(this.#reading).group?.(texts, group)
  }

  #written(syntax: string, raw: string): string | undefined {
    const row = syntaxOf(syntax)
    return row.kind === 'native' ? row.corrected?.(raw.replace(/\r?\n$/, ''), this.#reading) : undefined
  }

  #corrected(name: string, text: string | undefined): Correction {
    const syntax = syntaxNames.find((one) => one === name)
    if (text === undefined || syntax === undefined) return none
    const { blocks, faults } = readBlocks(new Source(`${text}\n`), { ...this.#reading, syntaxes: [syntax] })
    if (faults.length > 0 || blocks.length === 0 || !blocks.every(isSound)) return none
    const decoded = blocks.map((block) => this.#decoded(block, false))
    const corrected = decoded.every(({ ok }) => ok) ? text : this.#withAbsolutePaths(text, blocks)
    if (corrected === undefined) return none
    return { corrected, meant: blocks.map((block) => `${block.action} ${primaryOf(block)}`.trimEnd()) }
  }

  #decoded({ syntax, action, params }: Block, relative: boolean): Decoded {
    const { root, relativePaths } = this.#settings
    return decode(action, params, registry, {
      root,
      relativePaths: relative || relativePaths || syntaxOf(syntax).paths === 'relative',
    })
  }

  /** A block that is right except for paths that are relative to the root. */
  #withAbsolutePaths(text: string, blocks: readonly Block[]): string | undefined {
    const [block, ...more] = blocks
    if (block === undefined || more.length > 0 || block.syntax !== 'sham') return undefined
    const decoded = this.#decoded(block, true)
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
    return rewriteSham(text, block.action, params)
  }

  #absolute(given: string): string | undefined {
    const { root } = this.#settings
    if (given.trim() === '' || isAbsolutePath(given)) return given
    const absolute = path.resolve(root, given.trim())
    return isInside(absolute, root) && !/^[~$]|:/.test(given.trim()) ? absolute : undefined
  }
}
