import type { Fault } from '../../core/block.ts'
import type { Source } from '../../core/source.ts'
import type { Attribute, Attributes } from './marker.ts'
import type { Operation, Tasks } from './walk.ts'
import { faultAt, isCount, type Mistake, Texts } from '../reader.ts'

/** What a well-formed operation means: the action it becomes, or why it becomes none. */

const attributesOf: Readonly<Record<string, readonly string[]>> = {
  WRITE: ['file', 'append'],
  RUN: ['dir'],
  READ: ['file', 'lines'],
  EXEC: ['lang', 'dir', 'timeout'],
  SEARCH: ['file', 'count'],
  TASKS: ['version', 'atomic'],
}

interface Call {
  readonly action: string
  readonly params: Readonly<Record<string, string>>
}

/** Of an operation with a fault as much as can be recognised, for reports. */
export function callOf({ name, attributes, parts }: Operation): Call {
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
export function invalid(source: Source, { id, name, line, attributes, parts }: Operation): Fault[] {
  const faults: Fault[] = []
  const report = (message: string, hint: string, attribute?: Attribute): void => {
    faults.push(faultAt(source, line, id, invalidity(source, line, message, hint, attribute)))
  }
  if (needsFile(name) && !attributes.get('file')?.value) {
    report("Missing required attribute 'file'", `Name the file: ${name} file="path"`, attributes.get('file'))
  }
  const count = attributes.get('count')
  if (name === 'SEARCH' && count !== undefined && !isCount(count.value)) {
    const hint = 'Give the number of occurrences, as in count="3", or count="all"; the default is 1.'
    report("Invalid value for 'count': must be positive integer or 'all'", hint, count)
  }
  const append = attributes.get('append')
  if (name === 'WRITE' && append !== undefined && !isFlag(append.value)) {
    report(flagMessage('append'), 'Write append="true" to add to the file, or leave it out.', append)
  }
  if (name === 'EXEC' && !attributes.get('lang')?.value) {
    report("Missing required attribute 'lang'", 'Name the language: EXEC lang="bash"', attributes.get('lang'))
  }
  if (name === 'EXEC' && parts.content === '') {
    report('Empty content not allowed for EXEC operation', 'Put the code on the lines below the marker.')
  }
  if (name === 'RUN' && parts.content === '') {
    report('Empty content not allowed for RUN operation', 'Put the command on the line below the marker.')
  }
  if (name === 'SEARCH' && parts.pattern === '') {
    report(
      'Empty search pattern not allowed',
      'Put the text to find between SEARCH and REPLACE; WRITE makes a new file.',
    )
  }
  if (name === 'SEARCH' && parts.to === '') {
    report('Empty TO pattern not allowed', 'Put the text that ends the range below TO, or leave TO out.')
  }
  return faults
}

/** What is wrong with TASKS itself. */
export function invalidTasks(source: Source, { line, attributes }: Tasks): Fault[] {
  const atomic = attributes.get('atomic')
  if (atomic === undefined || isFlag(atomic.value)) return []
  const hint = 'Write atomic="true" to apply all changes or none, or leave it out.'
  return [faultAt(source, line, null, invalidity(source, line, flagMessage('atomic'), hint, atomic))]
}

/** Unknown attributes do not stop an operation, but a typo such as `apend` is reported. */
export function unknownAttributes(name: string, attributes: Attributes): string[] {
  const known = attributesOf[name]
  if (known === undefined || attributes.size === 0) return []
  const warnings: string[] = []
  for (const given of attributes.keys()) {
    if (known.includes(given)) continue
    warnings.push(`attribute '${given}' is unknown and was ignored; ${name} has: ${known.join(', ')}`)
  }
  return warnings
}

/** The fault of an operation that is right but is in one TASKS with a wrong one. */
export function skipped(source: Source, { id, line }: Operation, because: string): Fault {
  const hint = 'The operations in a TASKS run only if all are valid: correct it and send the TASKS again.'
  const mistake = { ...invalidity(source, line, `Skipped: ${because}`, hint), code: 'CSL_SKIPPED' }
  return faultAt(source, line, id, mistake)
}

function invalidity(source: Source, line: number, message: string, hint: string, attribute?: Attribute): Mistake {
  const { column, length } = attribute ?? { column: 1, length: source.line(line).trimEnd().length }
  return { code: 'CSL_INVALID', column, length, message, hint }
}

const isFlag = (value: string): boolean => /^(?:true|false)$/i.test(value)
export const isTrue = (value: string | undefined): boolean => value?.toLowerCase() === 'true'
const flagMessage = (name: string): string => `Invalid value for '${name}': must be 'true' or 'false'`
