import { wrapWords } from '@clada/reply/core/words.ts'
import type { ActionSpec, Param } from '../core/action.ts'
import { fieldsOf, isList, type Shape, wordParts } from '../core/shape.ts'
import { groupsOf } from './actions.ts'
import { toolsOf } from './json-schema.ts'
import { actionMarkdown } from './markdown.ts'
import { unlessEmpty, withoutUndefined } from '@clada/reply/core/optional.ts'

export type DescribeFormat = 'table' | 'yaml' | 'json' | 'md'

/** The actions as text; each format ends with a line break. `options` are for the table. */
export function describeActions(
  specs: readonly ActionSpec[],
  format: DescribeFormat,
  options: TableOptions = {},
): string {
  switch (format) {
    case 'table':
      return actionTable(specs, options)
    case 'yaml':
      return actionYaml(specs)
    case 'json':
      return `${JSON.stringify(toolsOf(specs), null, 2)}\n`
    case 'md':
      return actionMarkdown(specs)
  }
}

export interface TableOptions {
  readonly width?: number | undefined
  readonly color?: boolean | undefined
}

/** The actions for someone at a terminal. Where it is too narrow for columns, what would be beside goes below. */
export function actionTable(specs: readonly ActionSpec[], { width = 80, color = false }: TableOptions = {}): string {
  const paint = color ? ansi : plain
  const columns = {
    name: Math.max(0, ...specs.map(({ name }) => name.length)) + 2,
    effect: Math.max(0, ...specs.map(({ effect }) => effect.length)) + 2,
  }
  const left = margin + columns.name + columns.effect
  const beside = width - left >= narrowest
  const indent = ' '.repeat(beside ? left : margin * 2)
  const room = Math.min(width - indent.length, widest)

  const rows = (spec: ActionSpec): string[] => {
    const text = textLines(spec, room, paint)
    const head = ' '.repeat(margin) + paint.strong(spec.name) + ' '.repeat(columns.name - spec.name.length)
    if (!beside) return [head.trimEnd() + ' '.repeat(margin) + spec.effect, ...text.map((line) => indent + line)]
    const effect = spec.effect.padEnd(columns.effect)
    return text.map((line, index) => (index === 0 ? head + effect : indent) + line)
  }
  const groups = groupsOf(specs).map(({ title, specs }) => [paint.strong(title), '', ...specs.flatMap(rows), ''])
  return [...groups.flat(), ...wrapWords(legend.split(' '), width), ''].join('\n')
}

const margin = 2
/** Narrower text than this is harder to read than text that is below. */
const narrowest = 36
/** Wider text than this is hard to read too, however wide the terminal. */
const widest = 96

const legend = 'Parameters in [brackets] are optional; the default follows =.'

interface DescriptionPaint {
  strong(text: string): string
  call(text: string): string
  faint(text: string): string
}

const plain: DescriptionPaint = { strong: (text) => text, call: (text) => text, faint: (text) => text }

const ansi: DescriptionPaint = {
  strong: (text) => `\u001b[1m${text}\u001b[22m`,
  call: (text) => `\u001b[36m${text}\u001b[39m`,
  faint: (text) => `\u001b[2m${text}\u001b[22m`,
}

function textLines(
  { description, params, aliases, access, command }: ActionSpec,
  room: number,
  paint: DescriptionPaint,
): string[] {
  const call = Object.entries(params).map(([name, param]) => parameter(name, param))
  return [
    ...wrapWords(call, room).map(paint.call),
    ...wrapWords(description.split(' '), room),
    ...(aliases.length === 0 ? [] : wrapWords(['also', ...aliases], room).map(paint.faint)),
    ...(access.includes('llm') ? [] : wrapWords(userOnly(command), room).map(paint.faint)),
  ]
}

const userOnly = (command: string | undefined): string[] =>
  `for the user only${command === undefined ? '' : `: ${command}`}`.split(' ')

function parameter(name: string, param: Param): string {
  if (param.required) return name
  return param.default === undefined ? `[${name}]` : `[${name}=${JSON.stringify(param.default)}]`
}

/** The actions in the shape of the `tools:` section of the language's own `unified-design.yaml`. */
export function actionYaml(specs: readonly ActionSpec[]): string {
  const tools = Object.entries(definitionsOf(specs)).flatMap(([name, tool]) => ['', ...toolLines(name, tool)])
  return [...preface, `version: ${definitionsVersion}`, 'tools:', ...tools.slice(1), ''].join('\n')
}

/** The version of this shape, which readers may check. */
export const definitionsVersion = 1

const preface = [
  '# Definitions as unified-design.yaml has them. A parameter of type count is a positive integer, or the word all.',
  '# Everything an action returns besides success and error is in `data`.',
]

function toolLines(name: string, { parameters, ...tool }: ToolDefinition): string[] {
  const { returns, ...facts } = tool
  const calls = Object.entries(parameters).map(([param, definition]) => `      ${flow(param)}: ${flow(definition)}`)
  return [
    `  ${flow(name)}:`,
    ...Object.entries(facts).map(([key, fact]) => `    ${key}: ${typeof fact === 'string' ? block(fact) : flow(fact)}`),
    ...(calls.length === 0 ? ['    parameters: {}'] : ['    parameters:', ...calls]),
    `    returns: ${flow(returns)}`,
  ]
}

/** A value on one line, as it may be between braces. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${flow(key)}: ${flow(item)}`)
      .join(', ')}}`
  }
  if (typeof value !== 'string') return String(value)
  return needsNoQuotes(value) && !/[,:[\]{}]/.test(value) ? value : yamlQuoted(value)
}

/** A text on the rest of a line. */
const block = (text: string): string => (needsNoQuotes(text) ? text : yamlQuoted(text))

/**
 * Narrower than YAML: a text that begins with a letter can be no number, date or indicator, and where it has only
 * printable ASCII there is no question what a line break is.
 */
const needsNoQuotes = (text: string): boolean =>
  /^[A-Za-z_][\x20-\x7e]*$/.test(text) && !/: |:$| #| $/.test(text) && !keywords.test(text)

/** What YAML 1.1 readers, which are still common, take for something else than text. */
const keywords = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** JSON's quoting is YAML's too, except that JSON leaves these characters bare. */
const yamlQuoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** An action as the language's own `unified-design.yaml` describes it. */
export interface ToolDefinition {
  readonly type: string
  readonly executor: string
  readonly description: string
  readonly aliases?: readonly string[]
  readonly accessibility: readonly string[]
  readonly slash_command?: true
  readonly constraints?: readonly string[]
  readonly behavior?: string
  readonly output_display: string
  readonly primary_param?: string
  readonly parameters: Readonly<Record<string, ParameterDefinition>>
  readonly returns: Readonly<Record<string, ReturnedValue>>
}

/** A type, `a|b` for a choice of words, a list, or fields by name; `?` ends the name of one that may be missing. */
type ReturnedValue =
  | string
  | { readonly type: 'array'; readonly items: ReturnedValue }
  | { readonly [name: string]: ReturnedValue }

interface ParameterDefinition {
  readonly type: string
  readonly required: boolean
  readonly when?: string
  readonly format?: string
  readonly values?: readonly string[]
  readonly default?: string | number | boolean
  readonly description: string
}

export const definitionsOf = (specs: readonly ActionSpec[]): Record<string, ToolDefinition> =>
  Object.fromEntries(specs.map((spec) => [spec.name, definitionOf(spec)]))

function definitionOf(spec: ActionSpec): ToolDefinition {
  return withoutUndefined({
    // What code does is not known before it runs.
    type: spec.effect === 'exec' ? 'dynamic' : spec.effect,
    executor: executors[spec.effect],
    description: spec.description,
    aliases: unlessEmpty(spec.aliases),
    accessibility: spec.access,
    slash_command: spec.slashCommand,
    constraints: spec.constraints,
    behavior: spec.behavior,
    output_display: spec.display,
    primary_param: spec.primary,
    parameters: Object.fromEntries(Object.entries(spec.params).map(([name, param]) => [name, parameterOf(param)])),
    returns: { success: 'boolean', ...returnedData(spec.returns), 'error?': 'string' },
  })
}

/** The components of the design, by what they do. */
const executors: Readonly<Record<ActionSpec['effect'], string>> = {
  read: 'fs-ops',
  write: 'fs-ops',
  exec: 'exec',
  meta: 'context',
  git: 'git-tx',
}

const parameterOf = ({
  type,
  required,
  unless,
  when,
  format,
  values,
  default: value,
  description,
}: Param): ParameterDefinition =>
  withoutUndefined({
    type,
    required: required && unless === undefined,
    when,
    format,
    values,
    default: value,
    description,
  })

/** Every field is optional here, because a failure has none of them. */
function returnedData(returns: Shape): ToolDefinition['returns'] {
  if (isList(returns) || typeof returns === 'string') return { 'data?': returnedValue(returns) }
  return Object.fromEntries(fieldsOf(returns).map(({ name, shape }) => [`${name}?`, returnedValue(shape)]))
}

function returnedValue(shape: Shape): ReturnedValue {
  if (typeof shape === 'string') return wordParts(shape).type
  if (isList(shape)) return { type: 'array', items: returnedValue(shape[0]) }
  return Object.fromEntries(Object.entries(shape).map(([name, of]) => [name, returnedValue(of)]))
}
