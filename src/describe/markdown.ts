import type { ActionSpec, Param } from '../core/action.ts'
import { exampleSection } from './example.ts'
import { firstSentence } from './first-sentence.ts'
import { groupsOf } from './groups.ts'

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
  'same action. Paths in the examples lie in a project at `/project`. What an action returns stands in `data` of its result.',
  '',
]

function actionSection(spec: ActionSpec): string[] {
  const { name, description, aliases, effect, access, command, display, params, returns, examples } = spec
  const also = aliases.length === 0 ? [] : [`Also written ${aliases.map((alias) => `\`${alias}\``).join(', ')}.`, '']
  const typed = command === undefined ? '' : ` The user may also type \`${command}\`.`
  const facts = `Effect: ${effect}. Called by: ${access.join(', ')}. Output in reports: ${display}.${typed}`
  return [
    `### ${name}`,
    '',
    description,
    '',
    ...also,
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
    row([`\`${name}\``, typeOf(param), leftOut(param), param.description]),
  )
  if (rows.length === 0) return ['It takes no parameters.', '']
  return [row(['parameter', 'type', 'if left out', 'meaning']), row(['---', '---', '---', '---']), ...rows, '']
}

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`

function typeOf({ type, format, values }: Param): string {
  if (format !== undefined) return formats[format]
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ')
  return types[type]
}

const formats: Readonly<Record<NonNullable<Param['format']>, string>> = {
  absolute_path: 'path',
  multiline_absolute_paths: 'paths, one a line',
  lines: 'line numbers',
}

const types: Readonly<Record<Param['type'], string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: '`true` or `false`',
  enum: 'word',
  count: 'whole number from 1, or `all`',
}

function leftOut({ required, default: value }: Param): string {
  if (required) return 'an error'
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``
}

function returnsOf(returns: ActionSpec['returns']): string[] {
  const fields = Object.entries(returns)
  const [first] = fields
  if (first === undefined) return ['Returns nothing.']
  if (first[0] === '[]') return [`Returns a list of ${field(first[1])}.`]
  return ['Returns:', '', ...fields.map(([name, type]) => `- \`${name}\`: ${field(type)}`)]
}

/** Braces and bars are notation here; as code they stay what they are. */
const field = (type: string): string => type.replace(/\{.*\}/, (shape) => `\`${shape}\``)
