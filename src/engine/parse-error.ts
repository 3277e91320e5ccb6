import type { Decoded } from '../actions/decode.ts'
import type { Block, Fault } from '../core/block.ts'
import type { ParseError } from '../core/result.ts'
import { shamContentOf, shamContentOfFault } from '../syntax/sham/sham.ts'

export function syntaxError(block: Block | undefined, fault: Fault): ParseError {
  const truncated = fault.code === 'FOLLOWS_UNCLOSED_HEREDOC' || fault.code === 'UNCLOSED_HEREDOC'
  return {
    blockId: fault.blockId ?? 'unknown',
    ...(block?.action ? { action: block.action } : {}),
    errorType: 'syntax',
    message: fault.message,
    code: truncated && block?.endLine === null ? 'truncated' : fault.code,
    line: fault.line,
    column: fault.column,
    blockStartLine: block?.startLine ?? fault.line,
    shamContent: shamContentOfFault(block, fault),
    ...(fault.hint === undefined ? {} : { hint: fault.hint }),
    syntax: block?.syntax ?? fault.syntax ?? 'sham',
  }
}

export function validationError(block: Block, decoded: Decoded & { ok: false }): ParseError {
  const { errorType, message, code, hint } = decoded
  return {
    blockId: block.id,
    ...(block.action === '' ? {} : { action: block.action }),
    errorType,
    message,
    code,
    // A call without a document has no line.
    ...(block.startLine === 0 ? {} : { line: block.startLine, blockStartLine: block.startLine }),
    shamContent: shamContentOf(block),
    ...(hint === undefined ? {} : { hint }),
    syntax: block.syntax,
  }
}
