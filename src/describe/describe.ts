import type { ActionSpec, Param } from '../core/action.ts'
import { groupsOf } from './actions.ts'
import { toolsOf } from './json-schema.ts'
import { actionMarkdown } from './markdown.ts'
import { actionYaml } from './yaml.ts'

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
  return [...groups.flat(), ...wrap(legend.split(' '), width), ''].join('\n')
}

const margin = 2
/** Narrower text than this is harder to read than text that is below. */
const narrowest = 36
/** Wider text than this is hard to read too, however wide the terminal. */
const widest = 96

const legend = 'Parameters in [brackets] are optional; the default follows =.'

interface Paint {
  strong(text: string): string
  call(text: string): string
  faint(text: string): string
}

const plain: Paint = { strong: (text) => text, call: (text) => text, faint: (text) => text }

const ansi: Paint = {
  strong: (text) => `\u001b[1m${text}\u001b[22m`,
  call: (text) => `\u001b[36m${text}\u001b[39m`,
  faint: (text) => `\u001b[2m${text}\u001b[22m`,
}

function textLines(
  { description, params, aliases, access, command }: ActionSpec,
  room: number,
  paint: Paint,
): string[] {
  const call = Object.entries(params).map(([name, param]) => parameter(name, param))
  return [
    ...wrap(call, room).map(paint.call),
    ...wrap(description.split(' '), room),
    ...(aliases.length === 0 ? [] : wrap(['also', ...aliases], room).map(paint.faint)),
    ...(access.includes('llm') ? [] : wrap(userOnly(command), room).map(paint.faint)),
  ]
}

const userOnly = (command: string | undefined): string[] =>
  `for the user only${command === undefined ? '' : `: ${command}`}`.split(' ')

function parameter(name: string, param: Param): string {
  if (param.required) return name
  return param.default === undefined ? `[${name}]` : `[${name}=${JSON.stringify(param.default)}]`
}

/** Takes words, not text: a parameter such as `[delimiter=": "]` has a space inside and is still one word. */
function wrap(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
