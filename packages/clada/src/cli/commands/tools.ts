import { allActions, modelActions } from '../../actions/registry.ts'
import type { ActionSpec } from '../../core/action.ts'
import { didYouMean } from '@clada/reply/text/closest-name.ts'
import type { Command } from '../command.ts'
import { toolFormats, UsageError } from '../flags.ts'
import { useColor } from '../options.ts'
import { print } from '../streams.ts'

export const command: Command = {
  name: 'tools',
  group: 'agents',
  usage: 'clada tools [ACTION…] [--format table|yaml|json|md]',
  summary: 'list the actions that a reply can use',
  words: 'actions',
  flags: ['format', 'json', 'no-color', 'help'],
  examples: [
    ['clada tools', 'a table'],
    ['clada tools file_edit --format json', 'the JSON schema of one action'],
  ],
  run: async ({ flags, words }) => {
    const unknown = words.find((word) => !allActions().some((spec) => hasName(spec, word)))
    if (unknown !== undefined) {
      const names = allActions().flatMap((spec) => [spec.name, ...spec.aliases])
      throw new UsageError(`Unknown action: ${unknown}.${didYouMean(unknown, names)}`)
    }
    const [format = flags.json === undefined ? 'table' : 'json'] = flags.format ?? []
    const known = toolFormats.find((one) => one === format)
    if (known === undefined)
      throw new UsageError(`clada tools --format must be one of ${toolFormats.join(', ')}, not '${format}'.`)
    // JSON is for programs that offer actions to a model; people also see the actions for users.
    const all = known === 'json' ? modelActions() : allActions()
    const chosen = words.length === 0 ? all : allActions().filter((spec) => words.some((word) => hasName(spec, word)))
    const { describeActions } = await import('../../describe/describe.ts')
    print(describeActions(chosen, known, { width: process.stdout.columns ?? 100, color: useColor(flags) }))
    return 0
  },
}

const hasName = (spec: ActionSpec, word: string): boolean => spec.name === word || spec.aliases.includes(word)
