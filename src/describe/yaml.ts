import type { ActionSpec } from '../core/action.ts'
import { definitionsOf, type ToolDefinition } from './definition.ts'

/** The actions in the shape of the `tools:` section of the language's own `unified-design.yaml`. */
export function actionYaml(specs: readonly ActionSpec[]): string {
  const tools = Object.entries(definitionsOf(specs)).flatMap(([name, tool]) => ['', ...toolLines(name, tool)])
  return [...preface, 'tools:', ...tools.slice(1), ''].join('\n')
}

const preface = [
  '# A parameter of type count is a whole number from 1, or the word all.',
  '# What an action returns besides success and error stands in `data`.',
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

/** A value on one line, as it may stand between braces. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${flow(key)}: ${flow(item)}`)
      .join(', ')}}`
  }
  if (typeof value !== 'string') return String(value)
  return isPlain(value) && !/[,:[\]{}]/.test(value) ? value : quoted(value)
}

/** A text on the rest of a line. */
const block = (text: string): string => (isPlain(text) ? text : quoted(text))

/**
 * Narrower than YAML: a text that begins with a letter can be no number, date or indicator, and where it has only
 * printable ASCII there is no question what a line break is.
 */
const isPlain = (text: string): boolean =>
  /^[A-Za-z_][\x20-\x7e]*$/.test(text) && !/: |:$| #| $/.test(text) && !keywords.test(text)

/** What YAML 1.1 readers, which are still common, take for something else than text. */
const keywords = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** JSON's quoting is YAML's too, except that JSON leaves these characters bare. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
