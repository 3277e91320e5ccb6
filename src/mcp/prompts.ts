import type { CladaOptions } from '../config/settings.ts'
import { closestName } from '../text/closest-name.ts'
import { invalidParams, protocolError } from './requests.ts'
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js'

/** What teaches a model to write action blocks: the text that `clada prompt` gives. */
export async function promptList(): Promise<Prompt[]> {
  const { taughtNames } = await table()
  return [
    {
      name: 'clada',
      description: 'How to write action blocks for this project, for `execute`.',
      arguments: [{ name: 'syntax', description: `One of ${taughtNames.join(', ')}.`, required: false }],
    },
  ]
}

/** Loaded on demand: few clients ask for it. */
const table = () => import('../syntax/table.ts')

export async function promptNamed(
  name: string,
  syntax: string | undefined,
  options: CladaOptions,
  rules: readonly string[],
): Promise<GetPromptResult> {
  if (name !== 'clada') throw protocolError(invalidParams, `Unknown prompt: ${name}. There is one: clada.`)
  const { taughtNames } = await table()
  const taught = taughtNames.filter((one) => one === syntax)
  if (syntax !== undefined && taught.length === 0) {
    const close = closestName(syntax, taughtNames)
    const meant = close === undefined ? '' : ` Did you mean ${close}?`
    throw protocolError(invalidParams, `The syntax must be one of ${taughtNames.join(', ')}, not '${syntax}'.${meant}`)
  }
  const { syntaxes } = options
  if (taught.some((one) => syntaxes?.includes(one) === false))
    throw protocolError(invalidParams, `The user allows blocks of ${syntaxes?.join(', ')} only, and not of ${syntax}.`)
  const { projectPrompt } = await import('../api/project-prompt.ts')
  const { text } = projectPrompt(syntax === undefined ? options : { ...options, syntaxes: taught }, { rules })
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}
