import { defaultSyntax } from '@clada/reply/syntax/table.ts'
import { Clada } from '../../api/clada.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { spellOut } from '../../report/words.ts'
import { sessionToken } from '../../watch/token.ts'
import { type CladaOptions, settingsOf } from '../../config/settings.ts'
import type { Command } from '../command.ts'
import { tellContext } from './context.ts'
import { type FlagValues, readNumber, UsageError } from '../flags.ts'
import { giveText, readGiving, say } from '../streams.ts'
import { loadConfigured, loadConfigFiles } from '../options.ts'

/** The text to paste to a model, so that it writes blocks for this project. */
export const command: Command = {
  name: 'prompt',
  group: 'everyday',
  usage: 'clada prompt [--syntax NAME] [--files]',
  summary: 'print the instructions that teach a model to write blocks',
  about:
    'Prints the instructions for a chat model: how to write blocks, where the project is, what is allowed, what\nreports look like. Its length is printed on stderr.',
  words: [],
  instead: 'To teach another syntax: clada prompt --syntax csl',
  flags: [
    'root',
    'no-config',
    'allow',
    'session',
    'exec',
    'syntax',
    'csl-delimiters',
    'all',
    'files',
    'task',
    'rules',
    'budget',
    'skill',
    'copy',
    'osc52',
    'quiet',
    'help',
  ],
  examples: [
    ['clada prompt', 'how to write blocks for this project'],
    ['clada prompt --copy', 'and paste it at the start of a chat'],
    ['clada prompt --syntax csl', 'teach another syntax'],
    ['clada prompt --files --budget 20000', 'with the files of clada context after it'],
    ['clada prompt --all', 'every action'],
    ['clada prompt --skill > SKILL.md', 'for an agent with a shell'],
    ['clada prompt --task "Fix the login"', 'with the task and a map of the project'],
  ],
  run: async ({ flags }) => {
    const { options, config } = await loadConfigured(flags)
    const { root } = settingsOf(options)
    if (flags.skill !== undefined) {
      const [{ skillFor }, { allActions }] = await Promise.all([
        import('../../describe/skill.ts'),
        import('../../actions/registry.ts'),
      ])
      return giveText(skillFor(allActions()), readGiving(flags, config.clipboard), root)
    }
    const [task] = flags.task ?? []
    const hasRules = flags.rules?.[0] !== 'none'
    const prompt = await new Clada(options).prompt({
      context: flags.files === undefined ? undefined : {},
      task,
      map: task === undefined ? undefined : await drawTaskMap(task, options),
      token: sessionToken(root),
      agentNotes: hasRules ? undefined : 'none',
      rules: hasRules ? config.prompt.rules : undefined,
      include: flags.all === undefined ? 'everyday' : 'all',
      budget: readNumber(flags, 'budget'),
    })
    if (prompt.actions.length === 0 && prompt.dropped.length === 0)
      throw new UsageError(
        `No action that is allowed here can be written in ${options.syntaxes?.[0] ?? defaultSyntax}. See clada config allowed_actions; --syntax ${defaultSyntax} can write all of them.`,
      )
    const { text, tokens, context } = prompt
    if (context !== undefined && 'error' in context) say(`clada: ${spellOut(context.error)}`, 2)
    else if (context !== undefined && flags.quiet === undefined) tellContext(context, root)
    if (flags.quiet === undefined) {
      const budget = readNumber(flags, 'budget') ?? Infinity
      const over = tokens > budget ? `, over the budget of ${budget}; the prompt cannot be made shorter` : ''
      const dropped = prompt.dropped.length === 0 ? '' : `; left out to fit: ${prompt.dropped.join(', ')}`
      say(`clada: ${formatCount(tokens, 'token')}${over}${dropped}`, 2)
      await tellUnheard(flags)
    }
    const given = await giveText(text, readGiving(flags, config.clipboard), root)
    const isComplete = context === undefined || (!('error' in context) && context.refused.length === 0)
    return isComplete ? given : 1
  },
}

/** A map of the project for a task; undefined if it cannot be made. */
export async function drawTaskMap(task: string, options: CladaOptions): Promise<string | undefined> {
  const { results } = await new Clada(options).perform('project_map', { focus: task })
  const data = results[0]?.data
  return typeof data === 'object' && data !== null && 'map' in data ? spellOut(String(data.map)) : undefined
}

/** A flag overrides which syntax is taught, not which syntaxes are looked for in replies. */
async function tellUnheard(flags: FlagValues): Promise<void> {
  const { syntaxes } = (await loadConfigFiles(flags))?.options ?? {}
  const [taught] = flags.syntax ?? []
  if (taught === undefined || syntaxes === undefined || syntaxes.some((name) => name === taught)) return
  say(
    `clada: the config has syntaxes: [${syntaxes.join(', ')}], so blocks in ${taught} are found only with --syntax ${taught}`,
    2,
  )
}
