import { counted } from '../core/counted.ts'
import type { ActionResult } from '../core/result.ts'
import { capText } from './cap.ts'
import { isStep, stepBody } from './steps.ts'
import { structureBody } from './structures.ts'
import { primaryOf } from './words.ts'

export const defaultOutputLimit = 50 * 1024

/** What an action has to show, or undefined when it has nothing. Writes never do: their line says it all. */
export function outputOf(
  result: ActionResult,
  limit: number,
  programs: 'show' | 'hide' = 'show',
): { title: string; body: string } | undefined {
  const { action, data } = result
  if (programs === 'hide' && isProgram(action)) return undefined
  const body = bodyOf(result)
  if (body === undefined || data === undefined) return undefined
  const primary =
    isRead(action) || isStep(action)
      ? ''
      : ` ${primaryOf(result)}${isProgram(action) && !result.success ? ' (failed)' : ''}`
  return { title: `[${result.blockId}] ${action}${primary}:`, body: capText(body, limit) }
}

const isRead = (action: string): boolean => /^(files?_read|read_files?)(_numbered)?$/.test(action)

/** Whether an action starts programs; their output is marked as theirs. */
export const isProgram = (action: string): boolean => action === 'exec' || action === 'run'

/** What a program wrote, and what it did to files. */
function programBody({ params, data }: ActionResult): string | undefined {
  if (!isRecord(data) || params['return_output'] === false) return undefined
  const streams = ['stdout', 'stderr'].flatMap((name) => {
    const text = String(data[name] ?? '').trimEnd()
    return text === '' ? [] : [`${name}:\n${text}`]
  })
  const output = String(data['output'] ?? '').trimEnd()
  const would = typeof data['would_run'] === 'string' ? [`would run: ${data['would_run']}`] : []
  const changed = Array.isArray(data['changed']) ? changedLines(data['changed'].filter(isRecord)) : []
  const notKept = Array.isArray(data['not_kept']) ? data['not_kept'].filter(isRecord) : []
  const parts = [...(output === '' ? [] : [output]), ...streams, ...would]
  if (changed.length > 0) parts.push(['changed files:', ...shortened(changed)].join('\n'))
  if (notKept.length > 0)
    parts.push(['not kept:', ...shortened(notKept.map(({ path, reason }) => `  ${path}: ${reason}`))].join('\n'))
  return parts.length === 0 ? undefined : parts.join('\n')
}

const mostLines = 100

const shortened = (lines: readonly string[]): string[] =>
  lines.length <= mostLines ? [...lines] : [...lines.slice(0, mostLines), `… and ${lines.length - mostLines} more`]

/** One line per file; of very many, one line per directory and kind of change. The history has all of them. */
function changedLines(changed: readonly Record<string, unknown>[]): string[] {
  const line = (entry: Record<string, unknown>): string => `  ${entry['change']} ${entry['path']}`
  if (changed.length <= mostLines) return changed.map(line)
  const groups = new Map<string, Record<string, unknown>[]>()
  for (const entry of changed) {
    const [top = '', ...below] = String(entry['path']).split('/')
    const key = below.length === 0 ? line(entry) : `  ${entry['change']} ${top}/`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return [...groups].flatMap(([key, entries]) =>
    entries.length > 10 ? [`${key}: ${entries.length.toLocaleString('en')} files`] : entries.map(line),
  )
}

function bodyOf(result: ActionResult): string | undefined {
  const { action, params, data } = result
  if (isProgram(action)) return programBody(result)
  if (isStep(action)) return isRecord(data) ? stepBody(data) : undefined
  if (action.endsWith('_structure') || action === 'list_structures')
    return isRecord(data) ? structureBody(data) : undefined
  if (isRecord(data) && typeof data['content'] === 'string' && isRead(action)) {
    const named = (path: string): string => (action.endsWith('_numbered') ? `[numbered] ${path}` : path)
    if (Array.isArray(data['paths'])) return severalFiles(data['paths'].map(String), data['content'], named, result)
    // Other lines were asked for than there are.
    if (data['content'] === '' && !result.success) return undefined
    return fileSection(named(String(data['path'])), data['content'])
  }
  if (action === 'context_prune' && isRecord(data) && Array.isArray(data['removed']))
    return data['removed'].length === 0 ? undefined : ['removed:', ...data['removed'].map(String)].join('\n')
  if (!Array.isArray(data)) return undefined
  if (data.length === 0) return emptyLists[action] ?? '[nothing found]'
  return data.map((entry) => listed(entry, params)).join('\n')
}

const emptyLists: Readonly<Record<string, string>> = {
  ls: '[empty directory]',
  context_list: '[the working set is empty]',
}

const fileSection = (name: string, content: string): string =>
  `=== START FILE: ${name} ===\n${content === '' ? '[empty file]' : content}\n=== END FILE: ${name} ===`

function severalFiles(
  paths: readonly string[],
  content: string,
  named: (path: string) => string,
  { action, details }: ActionResult,
): string {
  const failures = details?.failures ?? []
  const listed = (names: readonly string[]): string[] => names.map((path) => `- ${path}`)
  const total = paths.length + failures.length
  const head =
    failures.length === 0
      ? [`Reading ${counted(paths.length, 'file')}:`, ...listed(paths)]
      : [
          `Successfully read ${paths.length} of ${total} files (${failures.length} failed):`,
          '',
          '✅ Successfully read:',
          ...listed(paths),
          '',
          '❌ Failed to read:',
          ...failures.map(({ path, error }) => `- ${path}: ${error.replace(`${action}: `, '')}`),
        ]
  const sections = textsOf(paths, content).map((text, index) => fileSection(named(paths[index] ?? ''), text))
  return [...head, '', sections.join('\n\n')].join('\n')
}

/** The texts of several files, which stand in one, each under its path. */
function textsOf(paths: readonly string[], content: string): string[] {
  let at = 0
  return paths.map((path, index) => {
    const from = at + `=== ${path} ===\n`.length
    const next = paths[index + 1]
    const end = next === undefined ? content.length : content.indexOf(`\n\n=== ${next} ===\n`, from)
    at = end === -1 ? content.length : end + 2
    return content.slice(from, end === -1 ? content.length : end)
  })
}

/** A hit, a directory entry or a path, on one line. */
function listed(entry: unknown, params: Readonly<Record<string, unknown>>): string {
  if (!isRecord(entry)) return String(entry)
  if ('line_number' in entry) return `${entry['file']}:${entry['line_number']}: ${entry['line']}`
  if ('modified' in entry) {
    const name = `${entry['name']}${entry['type'] === 'directory' ? '/' : entry['type'] === 'symlink' ? '@' : ''}`
    return entry['type'] === 'file' ? `${name}  ${counted(Number(entry['size']), 'byte')}` : name
  }
  if (typeof entry['path'] === 'string')
    return `${entry['path']}  ${entry['size'] === undefined ? `(${entry['problem']})` : counted(Number(entry['size']), 'byte')}`
  return JSON.stringify(entry ?? params)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
