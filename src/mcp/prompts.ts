import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js'
import type { CladaOptions } from '../settings.ts'
import { closestName } from '../text/closest-name.ts'
import { invalidParams, protocolError } from './protocol-error.ts'

/** What teaches a model to write action blocks; the same text as `clada prompt` gives. */
export interface PromptSource {
  /** What it can teach. */
  readonly syntaxes: readonly string[]
  readonly text: (options: CladaOptions, syntax: string | undefined) => string
}

export const promptList = ({ syntaxes }: PromptSource): Prompt[] => [
  {
    name: 'clada',
    description: 'How to write action blocks for this project, for `execute`.',
    arguments: [{ name: 'syntax', description: `One of ${syntaxes.join(', ')}.`, required: false }],
  },
]

export function promptNamed(
  name: string,
  syntax: string | undefined,
  source: PromptSource,
  options: CladaOptions,
): GetPromptResult {
  if (name !== 'clada') throw protocolError(invalidParams, `Unknown prompt: ${name}. There is one: clada.`)
  if (syntax !== undefined && !source.syntaxes.includes(syntax)) {
    const close = closestName(syntax, source.syntaxes)
    const meant = close === undefined ? '' : ` Did you mean ${close}?`
    throw protocolError(invalidParams, `A syntax is one of ${source.syntaxes.join(', ')}; '${syntax}' is none.${meant}`)
  }
  return { messages: [{ role: 'user', content: { type: 'text', text: source.text(options, syntax) } }] }
}
