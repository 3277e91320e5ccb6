import path from 'node:path'
import { Approvals } from '../approvals/approvals.ts'
import { whatRuns } from '../approvals/what-runs.ts'
import { approvalLineOf } from '../commands/approval-line.ts'
import { settingsOf } from '../settings.ts'
import { stateOf } from './approvals.ts'
import { answerIn, askLine } from './ask.ts'
import type { Command } from './command.ts'
import { cladaOptions } from './options.ts'
import { print } from './print.ts'
import { visible } from './visible.ts'

/** What a project lists as approved counts for a user only after they have seen it. */
export const command: Command = async ({ flags }) => {
  const { root } = settingsOf(cladaOptions(flags))
  const approvals = new Approvals(root)
  const open = approvals.list().list.commands.filter((line) => stateOf(line, root, approvals).state !== 'approved')
  if (open.length === 0) {
    print('The project lists no command that you have not approved.')
    return 0
  }
  print(`${root} lists as approved:`)
  let left = 0
  for (const line of open) {
    const read = approvalLineOf(line)
    if ('reason' in read) {
      print(`  ${visible(line)}\n    cannot be approved: ${read.reason}`)
      left++
      continue
    }
    const runs = whatRuns(read.words, path.resolve(root, read.cd))
    print(`  ${visible(line)}${runs.shown === undefined ? '' : `\n    runs: ${visible(runs.shown)}`}`)
    const reply = askLine('Approve it? y, n: ')
    if (reply === undefined) {
      process.stderr.write('clada: there is no terminal to ask on; approve them one by one with clada approve "CMD".\n')
      return 1
    }
    if (answerIn(reply) === 'no') left++
    else approvals.add(line, runs)
  }
  return left > 0 ? 1 : 0
}
