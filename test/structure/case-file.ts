import { createPatch } from 'diff'
import { structureOperations, type StructureOperations } from '../../packages/clada/src/structure/operations.ts'

/**
 * A file of cases: `# language`, then `## heading` and fences. A fence whose info is `file NAME` holds for the cases that
 * follow; one whose info is an operation is a case; the fence behind it is what must come of it:
 *
 *   read, find    the lines of every match, or the text
 *   edits         the diff of the file, warnings by their type, or the error's code
 *
 * Parameters of an operation are separated by lines of `---`; the target comes first.
 */
export interface Case {
  readonly title: string
  readonly path: string
  readonly text: string
  readonly operation: string
  readonly parameters: readonly string[]
  readonly expected: string
}

export interface Fence {
  readonly info: string
  readonly body: string
}

export function casesIn(markdown: string): Case[] {
  const cases: Case[] = []
  let file = { path: '', text: '' }
  let title = ''
  let waiting: Fence | undefined
  for (const part of partsOf(markdown)) {
    if (typeof part === 'string') title = part
    else if (part.info.startsWith('file ')) file = { path: part.info.slice(5), text: part.body }
    else if (waiting === undefined) waiting = part
    else {
      const parameters = waiting.body.split(/^---\n/m)
      cases.push({ title, ...file, operation: waiting.info, parameters, expected: part.body })
      waiting = undefined
    }
  }
  return cases
}

function* partsOf(markdown: string): Generator<string | Fence> {
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.startsWith('## ')) yield line.slice(3)
    const fence = /^(~{3,})(.*)$/.exec(line)
    if (fence === null) continue
    const [, mark = '', info = ''] = fence
    const end = lines.indexOf(mark, at + 1)
    const body = lines.slice(at + 1, end).join('\n')
    yield { info: info.trim(), body: body === '' ? '' : `${body}\n` }
    at = end
  }
}

const OTHER = 'other'

/** What the operation answers, in the form of the case files. */
export async function outcomeOf({ path, text, operation, parameters }: Case): Promise<string> {
  const crlf = operation.endsWith(' crlf')
  const before = crlf ? text.replaceAll('\n', '\r\n') : text
  const extension = path.slice(path.lastIndexOf('.'))
  const files = new Map([[path, before]])
  const operations = structureOperations({
    read: async (name) => files.get(name) ?? null,
    write: async (name, content) => void files.set(name, content),
  })
  const result = await call(operations, operation.replace(/ crlf$/, ''), path, `${OTHER}${extension}`, parameters)
  if (typeof result === 'string') return result
  if (!result.ok) return `${result.error.error}\n`
  const changed = [...files].map(([name, content]) => diffOf(name, name === path ? before : '', content))
  const warnings = result.warnings.map(({ type }) => `${type}\n`)
  return `${changed.join('')}${warnings.join('')}`
}

async function call(
  operations: StructureOperations,
  operation: string,
  path: string,
  other: string,
  [target = '', second = '', third = '']: readonly string[],
) {
  const text = (value: string): string => value.replace(/\n$/, '')
  switch (operation) {
    case 'find': {
      const found = await operations.read_structure(path, target)
      if (!found.ok) return found.error.error === 'TARGET_NOT_FOUND' ? 'nothing\n' : `${found.error.error}\n`
      return found.data.matches.map(({ line_range_inclusive }) => `${line_range_inclusive.join('-')}\n`).join('')
    }
    case 'read': {
      const found = await operations.read_structure(path, target)
      return found.ok ? found.data.matches.map((match) => match.text).join('') : `${found.error.error}\n`
    }
    case 'replace':
      return operations.replace_structure(path, target, second)
    case 'delete':
      return operations.delete_structure(path, target)
    case 'replace text':
      return operations.replace_text_in_structure(path, target, text(second), text(third))
    case 'replace all text':
      return operations.replace_all_text_in_structure(path, target, text(second), text(third))
    case 'insert before':
      return operations.insert_before_structure(path, target, second)
    case 'insert after':
      return operations.insert_after_structure(path, target, second)
    case 'move before':
      return operations.move_structure_to_before(path, target, path, second)
    case 'move after':
      return operations.move_structure_to_after(path, target, path, second)
    case 'move to start':
      return operations.move_structure_to_file_start(path, target, path)
    case 'move to end':
      return operations.move_structure_to_file_end(path, target, path)
    case 'move to other file':
      return operations.move_structure_to_file_end(path, target, other)
    default:
      throw new Error(`unknown operation ${operation}`)
  }
}

/** Two lines around each change, without the head. Line ends are shown only where they are mixed up. */
function diffOf(name: string, before: string, after: string): string {
  if (before === after) return ''
  const mixed = before.includes('\r\n') && /(?<!\r)\n/.test(after) ? 'mixed line ends\n' : ''
  const plain = (text: string): string => text.replaceAll('\r\n', '\n')
  const patch = createPatch(name, plain(before), plain(after), undefined, undefined, { context: 2 })
  const body = patch.split('\n').slice(4).join('\n')
  return `${name.startsWith(OTHER) ? `${name}\n` : ''}${mixed}${body}`
}
