import { decode } from './actions/decode.ts'
import { registry } from './actions/registry.ts'
import type { Block } from './core/block.ts'
import type { ParseError } from './core/result.ts'
import { Source } from './core/source.ts'
import { syntaxError, validationError } from './parse-error.ts'
import { decide } from './policy/decide.ts'
import { primaryOf } from './report/words.ts'
import { type CladaOptions, settingsOf } from './settings.ts'
import { findBlocks } from './syntax/find-blocks.ts'

export interface CheckedDocument {
  readonly valid: boolean
  readonly blocks: readonly CheckedBlock[]
}

export interface CheckedBlock {
  readonly syntax: string
  readonly id: string
  /** As the block spells it; empty when it names none. */
  readonly action: string
  /** What the action is about: a path, a pattern. */
  readonly target: string
  readonly startLine: number
  readonly endLine: number | null
  readonly problems: readonly Pick<ParseError, 'line' | 'column' | 'message' | 'code' | 'hint'>[]
}

/** Every block of a document and what is wrong with it, from the text alone: the disk is not consulted. */
export function checkDocument(text: string, options: CladaOptions): CheckedDocument {
  const settings = settingsOf(options)
  const { blocks, faults } = findBlocks(new Source(text), { syntaxes: options.syntaxes, strict: options.strict })
  const checked = [
    ...blocks.map((block) => {
      const errors = errorsOf(block)
      return entry(block, errors)
    }),
    ...faults.map((fault): CheckedBlock => {
      const { line } = fault
      return {
        syntax: 'sham',
        id: '-',
        action: '',
        target: '',
        startLine: line,
        endLine: line,
        problems: [shown(syntaxError(undefined, fault))],
      }
    }),
  ].sort((a, b) => a.startLine - b.startLine)
  return { valid: checked.every((block) => block.problems.length === 0), blocks: checked }

  function errorsOf(block: Block): ParseError[] {
    if (block.faults.length > 0) return block.faults.map((fault) => syntaxError(block, fault))
    const relativePaths = settings.relativePaths || block.syntax !== 'sham'
    const decoded = decode(block.action, block.params, registry, { root: settings.root, relativePaths })
    if (!decoded.ok) return [validationError(block, decoded)]
    const decision = decide(decoded.spec, decoded.spelled, {
      origin: 'document',
      allowedActions: settings.allowedActions,
    })
    if (decision.verdict === 'allow') return []
    const { id: blockId, action, startLine: line } = block
    return [{ blockId, action, errorType: 'validation', message: decision.reason, code: 'action_not_allowed', line }]
  }
}

function entry(block: Block, errors: readonly ParseError[]): CheckedBlock {
  const { syntax, id, action, params, startLine, endLine } = block
  return { syntax, id, action, target: primaryOf({ params }), startLine, endLine, problems: errors.map(shown) }
}

const shown = ({ line, column, message, code, hint }: ParseError): CheckedBlock['problems'][number] => ({
  ...(line === undefined ? {} : { line }),
  ...(column === undefined ? {} : { column }),
  message,
  ...(code === undefined ? {} : { code }),
  ...(hint === undefined ? {} : { hint }),
})
