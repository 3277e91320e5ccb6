import { type CladaOptions, settingsOf } from '../config/settings.ts'
import { closestName } from '../text/closest-name.ts'
import { invalidParams, optionalTextIn, type Params, protocolError, textIn } from './requests.ts'
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/sdk/types.js'

interface OwnPrompt extends Prompt {
  readonly text: (given: Params, options: CladaOptions, rules: readonly string[]) => Promise<string> | string
}

/** Loaded on demand: few clients ask for it. */
const table = () => import('../syntax/table.ts')

async function prompts(): Promise<readonly OwnPrompt[]> {
  const { taughtNames } = await table()
  return [
    {
      name: 'start',
      description: 'Start a task in this project.',
      arguments: [{ name: 'task', description: 'What is to be done.', required: true }],
      text: (given, options, rules) => taskText(textIn(given, 'task'), settingsOf(options).root, rules),
    },
    {
      name: 'clada',
      description: 'How to write action blocks for this project, for `execute`.',
      arguments: [{ name: 'syntax', description: `One of ${taughtNames.join(', ')}.`, required: false }],
      text: (given, options, rules) => blocksText(optionalTextIn(given, 'syntax'), options, rules),
    },
  ]
}

export const promptList = async (): Promise<Prompt[]> =>
  (await prompts()).map(({ name, description, arguments: given }) => ({ name, description, arguments: given }))

export async function promptNamed(
  name: string,
  given: Params,
  options: CladaOptions,
  rules: readonly string[],
): Promise<GetPromptResult> {
  const all = await prompts()
  const prompt = all.find((one) => one.name === name)
  if (prompt === undefined)
    throw protocolError(invalidParams, `Unknown prompt: ${name}. There are ${all.map((one) => one.name).join(', ')}.`)
  const text = await prompt.text(given, options, rules)
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}

function taskText(task: string, root: string, rules: readonly string[]): string {
  const steps = [
    'Look at the project first (project_map, grep, list_structures), and read what you are going to change.',
    'Change files with file_edit, replace_structure or file_write; several changes at once with execute.',
    'Then run the tests with run. When a call fails, its answer says what to do next.',
    ...rules,
  ]
  return `${task}\n\nThe project is ${root}. Use the clada tools:\n${steps.map((step) => `- ${step}`).join('\n')}\n`
}

/** The text of `clada prompt`. */
async function blocksText(
  syntax: string | undefined,
  options: CladaOptions,
  rules: readonly string[],
): Promise<string> {
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
  return projectPrompt(syntax === undefined ? options : { ...options, syntaxes: taught }, { rules }).text
}
