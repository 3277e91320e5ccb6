import path from 'node:path'
import { Approvals } from '../../approvals/approvals.ts'
import { whatRuns } from '../../approvals/what-runs.ts'
import { approvalLineOf } from '../../commands/approval-line.ts'
import { judgeCommand } from '../../policy/commands/judge-command.ts'
import { settingsOf } from '../../config/settings.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { print } from '../print.ts'
import { visible } from '../visible.ts'

export const command: Command = {
  name: 'approve',
  usage: 'clada approve CMD',
  summary: 'let a command run in this project from now on',
  about:
    'Approves one command line, by its exact words, for this project and this user. When what it runs changes\n(the script behind npm test), it is asked again.',
  flags: ['root', 'network', 'help'],
  examples: [
    ['clada approve "npm test"', 'let models run the tests'],
    ['clada approve --network "npm install"', 'with the network'],
  ],
  run: async ({ flags, words }) => {
    if (words.length !== 1) {
      throw new UsageError('approve needs one command in quotes: clada approve "npm test"')
    }
    const { root } = settingsOf(await cladaOptions(flags))
    const [given = ''] = words
    const read = approvalLineOf(given)
    if ('reason' in read) throw new UsageError(`'${visible(given)}' cannot be approved: ${read.reason}.`)
    const decision = judgeCommand(given, { deniedPatterns: [], root: '/' })
    if (decision.verdict === 'allow') {
      print(`${visible(read.line)} is on the list and needs no approval.`)
      return 0
    }
    if (decision.verdict === 'deny') throw new UsageError(`'${visible(given)}' cannot be approved: ${decision.reason}.`)
    const runs = whatRuns(read.words, path.resolve(root, read.cd), root)
    const network = runs.network || flags.network !== undefined
    new Approvals(root).add(read.line, { hash: runs.hash, network })
    print(`Approved in ${root}: ${visible(read.line)}${network ? ' (with network)' : ''}`)
    if (runs.shown !== undefined) print(`It runs: ${visible(runs.shown)}. When that changes, you are asked again.`)
    return 0
  },
}
