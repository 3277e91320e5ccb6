import { withoutUndefined } from '@clada/reply/core/optional.ts'
import { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { explainDiagnostic } from '../report/explain-diagnostic.ts'
import { Source } from '@clada/reply/core/source.ts'
import type { Block } from '@clada/reply/core/block.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'

/** Success with a value, or failure with an error. Nothing throws. */
export type Result<T, E> = { ok: true; value: T } | { ok: false; error: E }

/** Why an element could not be read or carried out: one of the error types of CML, and a sentence. */
export interface CmlError {
  type: string
  message: string
  line?: number
  details?: Readonly<Record<string, unknown>>
}

/** An `<edit>` element. */
export type EditOperation = { path: string; replace: string; count: number | 'all' } & (
  | { mode: 'exact'; search: string }
  | { mode: 'range'; searchStart: string; searchEnd: string }
)

/** A `<write>` element. */
export interface WriteOperation {
  path: string
  content: string
  append: boolean
}

/** A `<run>` element. */
export interface RunOperation {
  command: string
  dir?: string
}

/** Reads one `<edit>` element. */
export function parseEdit(xml: string): Result<EditOperation, CmlError> {
  return parseOne(xml, 'edit', ({ action, params }) => {
    const { path = '', old_text, old_text_beginning, old_text_end, new_text: replace = '', count } = params
    const common = { path, replace, count: count === 'all' ? count : Number(count ?? 1) } as const
    return action === 'file_replace_text_range'
      ? { ...common, mode: 'range', searchStart: old_text_beginning ?? '', searchEnd: old_text_end ?? '' }
      : { ...common, mode: 'exact', search: old_text ?? '' }
  })
}

/** Carries out an edit. The value says how many places were changed. */
export function executeEdit(
  edit: EditOperation,
  options?: CladaOptions,
): Promise<Result<{ path: string; replacements: number }, CmlError>> {
  const common = { path: edit.path, new_text: edit.replace, count: String(edit.count) }
  const [action, params] =
    edit.mode === 'exact'
      ? ['file_edit', { ...common, old_text: edit.search }]
      : ['file_replace_text_range', { ...common, old_text_beginning: edit.searchStart, old_text_end: edit.searchEnd }]
  return execute(action, params, options, ({ replacements }) => ({
    path: edit.path,
    replacements: Number(replacements),
  }))
}

/** Reads one `<write>` element. */
export function parseWrite(xml: string): Result<WriteOperation, CmlError> {
  return parseOne(xml, 'write', ({ action, params: { path = '', content = '' } }) => ({
    path,
    content,
    append: action === 'file_append',
  }))
}

/** Carries out a write. */
export function executeWrite(
  { path, content, append }: WriteOperation,
  options?: CladaOptions,
): Promise<Result<{ path: string; bytesWritten: number }, CmlError>> {
  const [action, params] = append
    ? ['file_append', { path, content, new_line: 'true' }]
    : ['file_write', { path, content }]
  return execute(action, params, options, ({ bytesWritten }) => ({
    path,
    bytesWritten: Number(bytesWritten),
  }))
}

/** Reads one `<run>` element. */
export function parseRun(xml: string): Result<RunOperation, CmlError> {
  return parseOne(xml, 'run', ({ params: { command = '', dir } }) => withoutUndefined({ command, dir }))
}

/** Runs a command: one on the list, or one that is approved. */
export function executeRun(
  run: RunOperation,
  options?: CladaOptions,
): Promise<Result<{ output: string; exit_code: number }, CmlError>> {
  return execute('run', { ...run }, options, ({ output, exit_code }) => ({
    output: String(output),
    exit_code: Number(exit_code),
  }))
}

function parseOne<T>(xml: string, name: string, read: (block: Block) => T): Result<T, CmlError> {
  const { blocks, diagnostics } = findBlocks(new Source(xml), { syntaxes: ['cml'], strict: true })
  const [block, ...others] = blocks
  const diagnostic = diagnostics[0] ?? block?.diagnostics[0]
  if (diagnostic !== undefined) {
    const { code, message, line } = explainDiagnostic(diagnostic, null)
    return { ok: false, error: { type: code, message, line } }
  }
  if (block?.label === name && others.length === 0) return { ok: true, value: read(block) }
  return { ok: false, error: { type: 'malformed_xml', message: `Expected one <${name}> element` } }
}

async function execute<T>(
  action: string,
  params: Readonly<Record<string, string>>,
  options: CladaOptions | undefined,
  read: (data: Readonly<Record<string, unknown>>) => T,
): Promise<Result<T, CmlError>> {
  const { results, parseErrors, fatalError } = await new Clada(options).perform(action, params)
  const [result] = results
  if (result?.success === true) return { ok: true, value: read(isRecord(result.data) ? result.data : {}) }
  const message = result?.error ?? fatalError ?? parseErrors[0]?.message ?? 'Nothing was done'
  const type = result?.code ?? parseErrors[0]?.code ?? 'exec_failed'
  return {
    ok: false,
    error: withoutUndefined({ type, message, details: result?.details && { ...result.details } }),
  }
}
