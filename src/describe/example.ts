import type { ActionSpec, Example } from '../core/action.ts'
import { hashOf } from '../core/hash.ts'
import { renderSham } from '../syntax/sham/sham.ts'

/** An example as markdown: the files, the block a model would write or the line a user types, and what comes of it. */
export function exampleSection({ name, params, access }: ActionSpec, example: Example): string[] {
  const id = hashOf(`${name} ${example.title}`).slice(0, 3)
  const given = Object.fromEntries(
    Object.entries(example.params).map(([param, text]) => [param, inProject(text, params[param]?.format)]),
  )
  const before = Object.entries(example.before ?? {})
  return [
    `**${sentence(example.title)}**`,
    '',
    ...(before.length === 0 ? [] : ['Before:', '', ...before.flatMap(([file, text]) => fileItem(file, text)), '']),
    ...(access.includes('llm')
      ? fenced(renderSham(name, given, { keyword: 'SHAM', id }), 'sham')
      : fenced([...(example.earlier ?? []), { action: name, params: given }].map(typed).join('\n'), 'sh')),
    '',
    ...outcomeOf(example),
    '',
  ]
}

/** A call as it is typed at the root of the project. */
const typed = ({ action, params }: { action: string; params: Readonly<Record<string, string>> }): string =>
  ['clada do', action, ...Object.entries(params).map(([param, text]) => `${param}=${quoted(text)}`)].join(' ')

/** As bash reads it. */
function quoted(text: string): string {
  if (/^[\w./:@-]+$/.test(text)) return text
  return /[\n'\\]/.test(text) ? `$${JSON.stringify(text).replace(/^"|"$/g, "'").replaceAll('\\"', '"')}` : `'${text}'`
}

/** Examples are relative to a scratch root; a block names files from the top. */
const project = '/project'

function inProject(text: string, format: string | undefined): string {
  const absolute = (path: string): string => (path === '.' ? project : path === '' ? '' : `${project}/${path}`)
  if (format === 'absolute_path') return absolute(text)
  return format === 'multiline_absolute_paths' ? text.split('\n').map(absolute).join('\n') : text
}

const sentence = (title: string): string => `${title.charAt(0).toUpperCase()}${title.slice(1)}.`

function outcomeOf({ after = {}, data, code }: Example): string[] {
  const files = Object.entries(after).flatMap(([file, text]) => fileItem(file, text))
  const shown = data === undefined ? [] : [`- \`data\` has ${inline(asData(data))}`]
  const items = [...files, ...shown]
  if (code === undefined) return items.length === 0 ? ['It succeeds.'] : ['Then:', '', ...items]
  const failure = `It fails with \`${code}\``
  if (items.length === 0) return [`${failure} and changes nothing.`]
  return [`${failure}, and then:`, '', ...items]
}

const asData = (data: unknown): string => JSON.stringify(data).replaceAll('ROOT', project)

function fileItem(name: string, text: string | null): string[] {
  if (text === null) return [`- \`${name}\` is gone`]
  if (text === '') return [`- \`${name}\`, empty`]
  const inner = text.replace(/\n$/, '')
  // One line is short enough to be exact about; a carriage return would not be seen in a fence.
  if (!inner.includes('\n') || text.includes('\r')) return [`- \`${name}\`: ${inline(JSON.stringify(text))}`]
  const end = inner === text ? ', without a line break at its end' : ''
  return [`- \`${name}\`${end}:`, '', ...fenced(inner, '').map((line) => (line === '' ? '' : `  ${line}`))]
}

/** Code in a line of text, between more backticks than it holds. */
function inline(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1)
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`
}

function fenced(text: string, language: string): string[] {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return [ticks + language, ...text.split('\n'), ticks]
}

const longestRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
