import path from 'node:path'
import { Approvals, type ApprovalState } from '../../approvals/approvals.ts'
import { whatRuns } from '../../approvals/what-runs.ts'
import { approvalLineOf } from '../../commands/approval-line.ts'
import { settingsOf } from '../../config/settings.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { print } from '../print.ts'
import { visible } from '../visible.ts'

export const command: Command = {
  name: 'approvals',
  usage: 'clada approvals [remove CMD…]',
  summary: 'what is approved in this project',
  words: ['remove'],
  flags: ['root', 'json', 'help'],
  examples: [
    ['clada approvals', 'list them'],
    ['clada approvals remove "npm test"', 'take one back'],
  ],
  run: async ({ flags, words }) => {
    const { root } = settingsOf(await cladaOptions(flags))
    const approvals = new Approvals(root)
    const [verb, ...given] = words
    if (verb === 'remove' && given.length > 0) {
      const unknown = given.filter((line) => !approvals.remove(exact(line)))
      for (const line of unknown) process.stderr.write(`clada: '${visible(line)}' is not approved here.\n`)
      return unknown.length > 0 ? 1 : 0
    }
    if (verb !== undefined && verb !== 'list')
      throw new UsageError('approvals takes nothing, or: approvals remove "CMD"')
    const { list, vouchers } = approvals.list()
    const commands = [...new Set([...list.commands, ...vouchers.map((one) => one.command)])]
    const entries = commands.map((line) => ({ command: line, ...stateOf(line, root, approvals) }))
    if (flags.json !== undefined) print(JSON.stringify(entries, null, 2))
    else if (entries.length === 0) print('Nothing is approved in this project.')
    else for (const entry of entries) print(`${visible(entry.command)}  ${stateWords(entry)}`)
    return 0
  },
}

const exact = (line: string): string => {
  const read = approvalLineOf(line)
  return 'line' in read ? read.line : line
}

export function stateOf(line: string, root: string, approvals: Approvals): ApprovalState {
  const read = approvalLineOf(line)
  if ('reason' in read) return { state: 'unknown' }
  return approvals.stateOf(line, whatRuns(read.words, path.resolve(root, read.cd), root))
}

function stateWords(state: ApprovalState): string {
  switch (state.state) {
    case 'approved':
      return state.network ? 'approved, with network' : 'approved'
    case 'unvouched':
      return 'listed by the project, not approved by you: clada trust'
    case 'changed':
      return 'what it runs has changed: approve it again'
    case 'unknown':
      return 'not in the list of the project any more'
  }
}
