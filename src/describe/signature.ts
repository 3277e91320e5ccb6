import type { ActionSpec, Param } from '../core/action.ts'
import { Source } from '../core/source.ts'
import { findBlocks } from '../syntax/find-blocks.ts'
import type { Delimiters } from '../syntax/csl/marker.ts'
import type { TaughtName, Teaching } from './teaching.ts'

/** How a call of an action looks in a syntax, on one line; undefined where the syntax has no words for it. */
export function callForm(
  spec: ActionSpec,
  syntax: TaughtName,
  teaching: Teaching,
  how: FormOptions,
): string | undefined {
  if (syntax === 'sham') return signatureOf(spec, how.rare)
  const text = formOf(spec, teaching)
  if (text === undefined) return undefined
  // What reads back as another action is said by that one; what is warned of is not to be taught.
  const { blocks } = findBlocks(new Source(text), { syntaxes: [syntax], cslDelimiters: how.cslDelimiters })
  const [block] = blocks
  const isOwn = blocks.length === 1 && block?.action === spec.name && block.warnings === undefined
  return isOwn ? text.split('\n').join(' ⏎ ') : undefined
}

export interface FormOptions {
  /** Whether parameters that few calls need are shown. */
  readonly rare: 'show' | 'hide'
  readonly cslDelimiters?: Delimiters | undefined
}

/** `file_read_numbered(path, lines?)`: a question mark for what may be left out, its default behind `=`. */
export function signatureOf({ name, params }: ActionSpec, rare: FormOptions['rare']): string {
  const shown = Object.entries(params).filter(([, param]) => !param.rare || (rare === 'show' && param.rare === true))
  return `${name}(${shown.map(([param, definition]) => parameterOf(param, definition)).join(', ')})`
}

function parameterOf(name: string, { required, default: value }: Param): string {
  if (required) return name
  return value === undefined ? `${name}?` : `${name}=${JSON.stringify(value)}`
}

/** A call with capitals where its texts go: what it must have, and of the rest only what the syntax insists on. */
function formOf({ name: action, params }: ActionSpec, teaching: Teaching): string | undefined {
  const written = (given: Readonly<Record<string, string>>): string | undefined => {
    const rendered = teaching.write({ action, params: given, explanation: 'WHY' }, 'abc')
    return 'text' in rendered ? rendered.text : undefined
  }
  const named = Object.entries(params).map(([name, param]) => [name, placeholder(name, param), param.required] as const)
  const given = Object.fromEntries(named.filter(([, , required]) => required))
  const optional = named.filter(([, , required]) => !required)
  return [{}, ...optional.map(([name, text]) => ({ [name]: text }))]
    .map((more) => written({ ...given, ...more }))
    .find((text) => text !== undefined)
}

function placeholder(name: string, { type }: Param): string {
  if (type === 'boolean') return 'true'
  return type === 'count' || type === 'integer' ? '1' : name.toUpperCase()
}
