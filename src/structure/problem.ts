import type { StructureCode } from '../core/codes.ts'
import type { StructureFacts } from '../core/problem.ts'

/** What can go wrong with a structure operation, and what is worth knowing when it went right. */

export type ErrorCode = StructureCode

export interface ErrorResponse {
  readonly error: ErrorCode
  readonly message: string
  readonly details: StructureFacts & { readonly state: 'FILE_UNCHANGED' }
}

export interface Warning {
  readonly type: 'SYNTAX_BROKEN' | 'STRUCTURE_EMPTY' | 'INDENTATION_INCONSISTENT' | 'TEXT_INEXACT'
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

export type Result<T> =
  | { readonly ok: true; readonly data: T; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly error: ErrorResponse }

export type Failed = { readonly ok: false; readonly error: ErrorResponse }

export const failed = (error: ErrorCode, message: string, details: StructureFacts = {}): Failed => ({
  ok: false,
  error: { error, message, details: { ...details, state: 'FILE_UNCHANGED' } },
})

export const tooLarge = (path: string, file_size: number, limit: number = LIMITS.fileBytes): Failed =>
  failed('FILE_TOO_LARGE', `${path} has ${file_size} bytes; structures are edited in files up to ${limit}.`, {
    file_size,
    limit,
  })

export const LIMITS = { fileBytes: 10 * 1024 * 1024, contentBytes: 1024 * 1024 } as const
