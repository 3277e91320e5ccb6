import type { Source } from '../../core/source.ts'
import { cslDiagnostic, type CslOperation, type CslTasks } from './grammar.ts'
import { type Attribute, type Attributes, isOperation, operations } from './marker.ts'
import { isCount, Texts } from '../reader.ts'
import type { Diagnostic, DiagnosticData, Finding } from '../../core/diagnostic.ts'

/** What a well-formed operation means: the action it becomes, or why it becomes none. */

interface OperationCall {
  readonly action: string
  readonly params: Readonly<Record<string, string>>
}

/** Of an operation with a diagnostic as much as can be recognised, for reports. */
export function readCall({ name, attributes, parts }: CslOperation): OperationCall {
  const params = new Texts()
  const file = attributes.get('file')?.value
  if (file !== undefined && needsFile(name)) params['path'] = file
  switch (name) {
    case 'WRITE': {
      if (parts.content !== undefined) params['content'] = parts.content
      if (!isTrue(attributes.get('append')?.value)) return { action: 'file_write', params }
      params['new_line'] = 'true'
      return { action: 'file_append', params }
    }
    case 'RUN': {
      const dir = attributes.get('dir')?.value
      if (parts.content !== undefined) params['command'] = parts.content
      if (dir) params['dir'] = dir
      return { action: 'run', params }
    }
    case 'READ': {
      const lines = attributes.get('lines')?.value
      if (lines === undefined) return { action: 'file_read', params }
      params['lines'] = lines
      return { action: 'file_read_numbered', params }
    }
    case 'EXEC': {
      const given = { lang: attributes.get('lang'), cwd: attributes.get('dir'), timeout: attributes.get('timeout') }
      for (const [param, attribute] of Object.entries(given)) if (attribute?.value) params[param] = attribute.value
      if (parts.content !== undefined) params['code'] = parts.content
      return { action: 'exec', params }
    }
    case 'SEARCH': {
      const range = parts.to !== undefined
      if (parts.pattern !== undefined) params[range ? 'old_text_beginning' : 'old_text'] = parts.pattern
      if (parts.to !== undefined) params['old_text_end'] = parts.to
      if (parts.replacement !== undefined) params['new_text'] = parts.replacement
      params['count'] = attributes.get('count')?.value ?? '1'
      return { action: range ? 'file_replace_text_range' : 'file_edit', params }
    }
    default:
      return { action: '', params }
  }
}

/** Commands and code are about no file. */
const needsFile = (name: string): boolean => name !== 'RUN' && name !== 'EXEC'

/** What is wrong with an operation whose syntax is right. */
export function checkOperation(source: Source, { name, line, attributes, parts }: CslOperation): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const report = (finding: Finding, attribute?: Attribute): void => {
    diagnostics.push(invalidity(source, line, finding, attribute))
  }
  const file = attributes.get('file')
  if (needsFile(name) && !file?.value) report({ code: 'csl-no-file', data: { name } }, file)
  const count = attributes.get('count')
  if (name === 'SEARCH' && count !== undefined && !isCount(count.value)) report({ code: 'csl-count' }, count)
  const append = attributes.get('append')
  if (name === 'WRITE' && append !== undefined && !isFlag(append.value))
    report({ code: 'csl-flag', data: { attribute: 'append' } }, append)
  const lang = attributes.get('lang')
  if (name === 'EXEC' && !lang?.value) report({ code: 'csl-no-lang' }, lang)
  if ((name === 'EXEC' || name === 'RUN') && parts.content === '') report({ code: 'csl-empty', data: { name } })
  if (name === 'SEARCH' && parts.pattern === '') report({ code: 'csl-empty', data: { name } })
  if (name === 'SEARCH' && parts.to === '') report({ code: 'csl-empty', data: { name: 'TO' } })
  return diagnostics
}

/** What is wrong with TASKS itself. */
export function checkTasks(source: Source, { line, attributes }: CslTasks): Diagnostic[] {
  const atomic = attributes.get('atomic')
  if (atomic === undefined || isFlag(atomic.value)) return []
  return [invalidity(source, line, { code: 'csl-flag', data: { attribute: 'atomic' } }, atomic)]
}

/** Unknown attributes do not stop an operation, but a typo such as `apend` is reported. */
export function warnOfUnknownAttributes(name: string, attributes: Attributes): string[] {
  if (!isOperation(name) || attributes.size === 0) return []
  const known: readonly string[] = operations[name].attributes
  const warnings: string[] = []
  for (const given of attributes.keys()) {
    if (known.includes(given)) continue
    warnings.push(`attribute '${given}' is unknown and was ignored; ${name} has: ${known.join(', ')}`)
  }
  return warnings
}

/** The diagnostic of an operation that is right but is in one TASKS with a wrong one. */
export const skippedDiagnostic = (
  source: Source,
  operation: CslOperation,
  because: DiagnosticData['csl-skipped'],
): Diagnostic => invalidity(source, operation.line, { code: 'csl-skipped', data: because })

function invalidity(source: Source, line: number, finding: Finding, attribute?: Attribute): Diagnostic {
  const { column, length } = attribute ?? { column: 1, length: source.line(line).trim().length }
  return cslDiagnostic(source, line, { ...finding, column, length })
}

const isFlag = (value: string): boolean => /^(?:true|false)$/i.test(value)
export const isTrue = (value: string | undefined): boolean => value?.toLowerCase() === 'true'
