import { decode } from '../actions/decode.ts'
import { registry } from '../actions/registry.ts'
import { Source } from '@clada/reply/core/source.ts'
import type { ParseError } from '../core/result.ts'
import { syntaxError, validationError } from '../engine/tasks.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { openSham } from '@clada/reply/syntax/sham/sham.ts'
import { explainDiagnostic } from '../report/explain-diagnostic.ts'
import type { ExplainedDiagnostic } from '@clada/reply/core/block.ts'
import type { CladaAction } from './transform-to-action.ts'

/** One block as `parseSham` returns it. */
export interface ShamBlock {
  readonly id: string
  /** Every key, `action` included. No prototype, so that `constructor` is a key like any other. */
  readonly properties: Readonly<Record<string, string>>
  readonly startLine: number
  readonly endLine: number | null
}

/** An error of `parseSham`. */
export type ShamError = ExplainedDiagnostic

/** The result of `parseSham`. */
export interface ShamParseResult {
  readonly blocks: readonly ShamBlock[]
  /** In line order. */
  readonly errors: readonly ShamError[]
  /** Headers after a truncated heredoc: not executed. */
  readonly skipped: readonly { readonly id: string; readonly line: number }[]
}

/** Every SHAM and NESL block of a text. Never throws: a broken block is among `blocks`, and why is in `errors`. */
export function parseSham(text: string): ShamParseResult {
  const source = new Source(text)
  const { seek, read } = openSham(source)
  const blocks: ShamBlock[] = []
  const errors: ShamError[] = []
  const skipped: { id: string; line: number }[] = []
  for (let line = seek(1); line <= source.lineCount;) {
    const found = read(line)
    line = seek(found.next)
    for (const diagnostic of found.diagnostics) errors.push(explainDiagnostic(diagnostic, null))
    for (const one of found.skipped) skipped.push({ id: one.name.id, line: one.line })
    if (found.block === undefined) continue
    const { name, properties, startLine, endLine, diagnostics } = found.block
    blocks.push({ id: name.id, properties, startLine, endLine })
    for (const diagnostic of diagnostics) errors.push(explainDiagnostic(diagnostic, name.id))
  }
  errors.sort((a, b) => a.line - b.line)
  return { blocks, errors, skipped }
}

/** The result of `parseShamResponse`. */
export interface ParseResult {
  actions: CladaAction[]
  errors: ParseError[]
  summary: { totalBlocks: number; successCount: number; errorCount: number }
}

/** The actions in a model's reply, and the errors of invalid blocks. Nothing is run. */
export async function parseShamResponse(text: string): Promise<ParseResult> {
  const { blocks, diagnostics } = findBlocks(new Source(text), { syntaxes: ['sham'], strict: true })
  const actions: CladaAction[] = []
  const errors = diagnostics.map((diagnostic) => syntaxError(undefined, diagnostic))
  for (const block of blocks) {
    const { id: blockId, startLine } = block
    if (block.diagnostics.length > 0) {
      errors.push(...block.diagnostics.map((diagnostic) => syntaxError(block, diagnostic)))
      continue
    }
    const decoded = decode(block.action, block.params, registry, { root: process.cwd(), relativePaths: false })
    if (!decoded.ok) errors.push(validationError(block, decoded))
    else {
      const metadata = { blockId, startLine, endLine: block.endLine ?? startLine }
      actions.push({ action: block.action, parameters: decoded.params, metadata })
    }
  }
  errors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
  const summary = { totalBlocks: blocks.length, successCount: actions.length, errorCount: errors.length }
  return { actions, errors, summary }
}
