import { decode } from '../actions/decode.ts'
import { type Block, type BlockGroup, isEditMissing, type SkippedBlock } from '@clada/reply/core/block.ts'
import type { ParseError } from '../core/result.ts'
import { syntaxError, TaskNumbers, validationError } from './tasks.ts'
import { Corrections } from './corrections.ts'
import { decide } from '../policy/decide.ts'
import { notExecutedNote, notExecutedReason } from '../report/parts.ts'
import { primaryOf } from '../report/words.ts'
import { type CladaOptions, readingOptions, settingsOf } from '../config/settings.ts'
import { readReply } from '../core/read-reply.ts'
import { withLineFeeds } from '@clada/reply/core/source.ts'
import { defaultSyntax, syntaxOf } from '@clada/reply/syntax/table.ts'

/** A document that was read and not run. */
export interface CheckedDocument {
  readonly valid: boolean
  /** In order of appearance, broken ones and those that would not be executed included. */
  readonly blocks: readonly CheckedBlock[]
  readonly warnings: readonly string[]
}

/** One block of it, and what is wrong with it. */
export interface CheckedBlock {
  readonly syntax: string
  /** The id of a SHAM block, the task number of others; `-` where no block could be recognised. */
  readonly id: string
  /** The number it has in reports; missing where nothing would be executed. */
  readonly task?: string
  /** The line its group starts on, and whether that lands whole or not at all. */
  readonly group?: BlockGroup
  /** As the block spells it; empty when it names none. */
  readonly action: string
  /** What the action is about: a path, a pattern. */
  readonly target: string
  readonly startLine: number
  /** Null when it was not closed. */
  readonly endLine: number | null
  readonly problems: readonly Pick<ParseError, 'line' | 'column' | 'message' | 'code' | 'hint'>[]
  /** Why it would not be executed, although nothing is wrong with it. */
  readonly note?: string
  /** The same without what it is and where. */
  readonly why?: string
  /** A proposal: shown to the user before it is applied. */
  readonly proposed?: true | undefined
  readonly warnings?: readonly string[]
  /** The block as it was meant, or its whole group, ready to be sent again, where exactly one reading exists. */
  readonly corrected?: string
  /** The lines that `corrected` replaces. Missing for a group. */
  readonly corrects?: { readonly startLine: number; readonly endLine: number }
}

/** Every block of a document and what is wrong with it, from the text alone: the disk is not consulted. */
export function checkDocument(text: string, options: CladaOptions): CheckedDocument {
  const settings = settingsOf(options)
  const { blocks, diagnostics, warnings, notExecuted } = readReply(
    withLineFeeds(text),
    readingOptions(options),
    settings.limits.actionMs,
  )
  const numbers = new TaskNumbers()
  const corrections = new Corrections({ settings, options })
  const own = blocks.map((block): Own => {
    const number = numbers.next(block)
    const checked = entry(block, syntaxOf(block.syntax).ids === 'written' ? block.id : number, errorsOf(block))
    const { corrected } = checked.problems.length === 0 ? {} : corrections.ofBlock(block)
    const correction = corrected === undefined ? {} : { corrected, corrects: linesOfRaw(block.startLine, block.raw) }
    return { block, checked: { ...checked, task: number, ...correction } }
  })
  const broken = new Map<BlockGroup, Own>()
  for (const one of own) {
    const { group } = one.block
    if (group !== undefined && one.checked.problems.length > 0 && !broken.has(group)) broken.set(group, one)
  }
  const checked = [
    ...own.map((one) => {
      const { corrected: _, corrects, ...checked } = withNote(one.checked, groupNote(one.block, broken))
      const corrected = one.block.group === undefined ? one.checked.corrected : ofGroup(one.block.group, one)
      if (corrected === undefined) return checked
      return one.block.group === undefined && corrects !== undefined
        ? { ...checked, corrected, corrects }
        : { ...checked, corrected }
    }),
    ...notExecuted.map(entryOfSkipped),
    ...diagnostics.map((diagnostic): CheckedBlock => {
      const error = syntaxError(undefined, diagnostic)
      const { corrected } = corrections.ofDiagnostic(diagnostic)
      const place = { startLine: diagnostic.range.line, endLine: diagnostic.range.line }
      return {
        syntax: error.syntax ?? defaultSyntax,
        id: '-',
        action: '',
        target: '',
        ...place,
        problems: [shownProblem(error)],
        corrected,
        corrects: corrected === undefined ? undefined : linesOfRaw(diagnostic.range.line, diagnostic.raw ?? ''),
      }
    }),
  ].sort((a, b) => a.startLine - b.startLine)
  const valid = checked.every((block) => block.problems.length === 0) && !notExecuted.some(isEditMissing)
  return { valid, blocks: checked, warnings }

  /** A group is sent again from its first invalid member on, or whole; `execution.ts` does the same. */
  function ofGroup(group: BlockGroup, one: Own): string | undefined {
    if (broken.get(group) !== one) return undefined
    const members = own.filter(({ block }) => block.group === group)
    const { syntax } = one.block
    const isWhole = group.atomic || syntaxOf(syntax).groups?.checked === 'whole'
    const texts = members
      .slice(isWhole ? 0 : members.indexOf(one))
      .map(({ block, checked }) => (checked.problems.length === 0 ? block.raw : checked.corrected))
    const known = texts.filter((text) => text !== undefined)
    return known.length < texts.length ? undefined : corrections.ofGroup(syntax, group, known)
  }

  function errorsOf(block: Block): ParseError[] {
    if (block.diagnostics.length > 0) return block.diagnostics.map((diagnostic) => syntaxError(block, diagnostic))
    const relativePaths = settings.relativePaths || syntaxOf(block.syntax).paths === 'relative'
    const decoded = decode(block.action, block.params, settings.registry, { root: settings.root, relativePaths })
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

const linesOfRaw = (startLine: number, raw: string) => ({
  startLine,
  endLine: startLine + raw.replace(/\r?\n$/, '').split('\n').length - 1,
})

function entry(block: Block, id: string, errors: readonly ParseError[]): CheckedBlock {
  const { syntax, action, params, startLine, endLine, warnings } = block
  const problems = errors.map(shownProblem)
  const checked = { syntax, id, action, target: primaryOf({ params }), startLine, endLine, problems }
  return {
    ...checked,
    group: block.group,
    warnings,
    proposed: block.proposed,
  }
}

function entryOfSkipped(one: SkippedBlock): CheckedBlock {
  const { block, line, endLine, path = '' } = one
  const place = { syntax: '-', id: '-', action: '', target: path, startLine: line, endLine, problems: [] }
  const checked = block === undefined ? place : entry(block, '-', [])
  return {
    ...checked,
    note: notExecutedNote(one),
    why: notExecutedReason(one),
  }
}

const shownProblem = ({ line, column, message, code, hint }: ParseError): CheckedBlock['problems'][number] => ({
  line,
  column,
  message,
  code,
  hint,
})

/** Whether another member of its group keeps a block from being executed; `execution.ts` decides the same. */
function groupNote({ group, syntax, startLine }: Block, broken: ReadonlyMap<BlockGroup, Own>): string | undefined {
  const first = group && broken.get(group)
  if (first === undefined) return undefined
  const skipped = group?.atomic || syntaxOf(syntax).groups?.checked === 'whole' || first.block.startLine < startLine
  return skipped ? `task ${first.checked.id} of its group is invalid` : undefined
}

interface Own {
  readonly block: Block
  readonly checked: CheckedBlock
}

const withNote = (checked: CheckedBlock, note: string | undefined): CheckedBlock =>
  note === undefined || checked.problems.length > 0 ? checked : { ...checked, note: `not executed: ${note}`, why: note }
