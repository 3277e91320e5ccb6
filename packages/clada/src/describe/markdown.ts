import { fenceMarksFor } from '@clada/reply/regions/fences.ts'
import { capitalize } from '@clada/reply/core/words.ts'
import type { ActionSpec, Example, Param } from '../core/action.ts'
import { shortDigestOf } from '../core/digest.ts'
import { fieldsOf, isList, type Shape, shapeText } from '../core/shape.ts'
import { firstSentence, groupsOf } from './actions.ts'
import { writeSham } from '@clada/reply/syntax/sham/sham.ts'

/** The reference page of the actions. */
export function actionMarkdown(specs: readonly ActionSpec[]): string {
  const groups = groupsOf(specs)
  const contents = groups.flatMap(({ title, specs }) => [
    `- [${title}](#${title.toLowerCase()})`,
    ...specs.map(({ name, description }) => `  - [${name}](#${name}): ${firstSentence(description)}`),
  ])
  const sections = groups.flatMap(({ title, specs }) => [`## ${title}`, '', ...specs.flatMap(actionSection)])
  return [...preface, ...contents, '', ...sections].join('\n')
}

const preface = [
  '# Actions',
  '',
  'Every action a block can name, and those that only the user calls, with `clada do`. Aliases are other names for the',
  'same action. Paths in the examples are in a project at `/project`. An action returns its result in `data`.',
  '',
]

function actionSection(spec: ActionSpec): string[] {
  const { name, description, aliases, effect, access, command, display, params, returns, examples } = spec
  const also = aliases.length === 0 ? '' : ` Aliases: ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`
  const typed = command === undefined ? '' : ` The user may also type \`${command}\`.`
  const facts = `Effect: ${effect}. Called by: ${access.join(', ')}. Output in reports: ${display}.${also}${typed}`
  return [
    `### ${name}`,
    '',
    description,
    '',
    facts,
    '',
    ...parameterTable(params),
    ...returnsOf(returns),
    '',
    ...examples.flatMap((example) => exampleSection(spec, example)),
  ]
}

function parameterTable(params: ActionSpec['params']): string[] {
  const rows = Object.entries(params).map(([name, param]) =>
    row([`\`${name}\``, paramType(param), describeDefault(param), param.description]),
  )
  if (rows.length === 0) return ['It takes no parameters.', '']
  return [row(['parameter', 'type', 'default', 'meaning']), row(['---', '---', '---', '---']), ...rows, '']
}

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function paramType({ type, format, values }: Param): string {
  if (format !== undefined) return formats[format]
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ')
  return types[type]
}

const formats: Readonly<Record<NonNullable<Param['format']>, string>> = {
  absolute_path: 'path',
  multiline_absolute_paths: 'paths, one per line',
  lines: 'line numbers',
  edits: 'SEARCH/REPLACE pairs, or a list of objects',
}

const types: Readonly<Record<Param['type'], string>> = {
  string: 'text',
  integer: 'integer',
  boolean: '`true` or `false`',
  enum: 'word',
  count: 'positive integer, or `all`',
}

function describeDefault({ required, unless, default: value }: Param): string {
  if (required) return unless === undefined ? 'required' : `required without \`${unless}\``
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``
}

function returnsOf(returns: Shape): string[] {
  if (typeof returns === 'string') return [`Returns ${quoteShape(shapeText(returns))}.`]
  if (isList(returns)) return [`Returns a list of ${quoteShape(shapeText(returns[0]))}.`]
  const fields = fieldsOf(returns)
  if (fields.length === 0) return ['Returns nothing.']
  const texts = fields.map(
    ({ name, optional, shape }) => `\`${name}${optional ? '?' : ''}\`: ${quoteShape(shapeText(shape))}`,
  )
  return [`Returns ${texts.join('; ')}.`]
}

/** Braces and bars are notation here; as code they stay what they are. */
const quoteShape = (type: string): string => type.replace(/\{.*\}/, (shape) => `\`${shape}\``)

/** An example as markdown: the files, the block a model would write or the line a user types, and the result. */
export function exampleSection({ name, params, access }: ActionSpec, example: Example): string[] {
  const id = shortDigestOf(`${name} ${example.title}`).slice(0, 3)
  const given = Object.fromEntries(
    Object.entries(example.params).map(([param, text]) => [param, inProject(text, params[param]?.format)]),
  )
  const before = Object.entries(example.before ?? {})
  return [
    `**${capitalize(example.title)}.**`,
    '',
    ...(before.length === 0 ? [] : [...listSection('Before', before.map(fileListItem)), '']),
    ...(access.includes('llm')
      ? fenceText(writeSham(name, given, { keyword: 'SHAM', id }), 'sham')
      : fenceText([...(example.earlier ?? []), { action: name, params: given }].map(typedCall).join('\n'), 'sh')),
    '',
    ...exampleResult(example),
    '',
  ]
}

/** A call as it is typed at the root of the project. */
const typedCall = ({ action, params }: { action: string; params: Readonly<Record<string, string>> }): string =>
  ['clada do', action, ...Object.entries(params).map(([param, text]) => `${param}=${yamlFence(text)}`)].join(' ')

/** As bash reads it. */
function yamlFence(text: string): string {
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

function exampleResult({ after = {}, data, code }: Example): string[] {
  const shown = data === undefined ? [] : [[`\`data\` has ${inline(asData(data))}`]]
  const items = [...Object.entries(after).map(fileListItem), ...shown]
  if (code === undefined) return items.length === 0 ? ['It succeeds.'] : listSection('Then', items)
  const failure = `It fails with \`${code}\``
  return items.length === 0 ? [`${failure} and changes nothing.`] : listSection(`${failure}, and then`, items)
}

/** Items on one line where each fits on it, else as a list. */
const listSection = (title: string, items: readonly (readonly string[])[]): string[] =>
  items.every(({ length }) => length === 1)
    ? [`${title}: ${items.join('; ')}`]
    : [`${title}:`, '', ...items.flatMap(([first = '', ...rest]) => [`- ${first}`, ...rest])]

const asData = (data: unknown): string => JSON.stringify(data).replaceAll('ROOT', project)

function fileListItem([name, text]: readonly [name: string, text: string | null]): string[] {
  if (text === null) return [`\`${name}\` is gone`]
  if (text === '') return [`\`${name}\`, empty`]
  const inner = text.replace(/\n$/, '')
  // A short text is shown exactly; a carriage return would not be seen in a fence.
  if (!inner.includes('\n') || text.length <= shortText || text.includes('\r'))
    return [`\`${name}\`: ${inline(JSON.stringify(text))}`]
  const end = inner === text ? ', without a line break at its end' : ''
  return [`\`${name}\`${end}:`, '', ...fenceText(inner, '').map((line) => (line === '' ? '' : `  ${line}`))]
}

const shortText = 60

/** Code in a line of text, between more backticks than it holds. */
function inline(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1)
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`
}

function fenceText(text: string, language: string): string[] {
  const marks = fenceMarksFor(text)
  return [marks + language, ...text.split('\n'), marks]
}

const longestRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
