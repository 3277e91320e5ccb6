import { type ApprovalLine, approvalLineOf } from '../../approvals/approval-line.ts'
import { Approvals, type ApprovalState } from '../../approvals/approvals.ts'
import type { Voucher } from '../../approvals/vouchers.ts'
import { installs } from '../../approvals/what-runs.ts'
import { settingsOf } from '../../config/settings.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { print } from '../streams.ts'
import { visible } from '../../report/words.ts'

export const command: Command = {
  name: 'approvals',
  usage: 'clada approvals [remove CMD…]',
  summary: 'what is approved in this project',
  words: ['remove'],
  flags: ['root', 'json', 'help'],
  examples: [
    ['clada approvals', 'list them'],
    ['clada approvals remove "npm test"', 'remove one'],
  ],
  run: async ({ flags, words }) => {
    const { root, allowedRoots } = settingsOf(await cladaOptions(flags))
    const approvals = new Approvals(root, allowedRoots)
    const [verb, ...given] = words
    if (verb === 'remove' && given.length > 0) {
      const unknown = given.filter((line) => !approvals.remove(exact(line)))
      for (const line of unknown) process.stderr.write(`clada: '${visible(line)}' is not approved here.\n`)
      return unknown.length > 0 ? 1 : 0
    }
    if (verb !== undefined && verb !== 'list')
      throw new UsageError('approvals takes no arguments, or: approvals remove "CMD"')
    const { list, vouchers } = approvals.list()
    const commands = [...new Set([...list.commands, ...vouchers.map((one) => one.command)])]
    const entries = commands.map((line) => ({ command: line, ...entryOf(stateOf(line, approvals)) }))
    if (flags.json !== undefined) print(JSON.stringify(entries, null, 2))
    else if (entries.length === 0) print('Nothing is approved in this project.')
    else for (const line of commands) print(`${visible(line)}  ${stateWords(stateOf(line, approvals))}`)
    return 0
  },
}

const exact = (line: string): string => {
  const read = approvalLineOf(line)
  return 'line' in read ? read.line : line
}

export function stateOf(line: string, approvals: Approvals): ApprovalState {
  const read = approvalLineOf(line)
  return 'reason' in read ? { state: 'unknown' } : approvals.stateOf(read)
}

function entryOf(state: ApprovalState): Record<string, unknown> {
  if (state.state !== 'approved') return state
  const { network, reads, timeoutMs } = state.voucher
  const { args } = state.line
  return { state: state.state, network, args, runs: state.runs.shown, caches: installs(state.line), reads, timeoutMs }
}

function stateWords(state: ApprovalState): string {
  switch (state.state) {
    case 'approved': {
      const known = state.voucher.runs !== null
      return `approved${known ? '' : ', whatever it runs'}${grantWords(state.voucher, state.line)}`
    }
    case 'unvouched':
      return 'listed by the project, not approved by you: clada trust'
    case 'changed':
      return 'what it runs has changed: approve it again'
    case 'unknown':
      return 'no longer in the list of the project'
  }
}

/** What an approval allows beyond the command itself. */
export function grantWords({ network, reads = [], timeoutMs }: Voucher, line: ApprovalLine): string {
  const words = [
    ...(line.args ? ['with any further arguments'] : []),
    ...(network ? ['with network'] : []),
    ...(reads.length === 0 ? [] : [`reads ${reads.map(visible).join(', ')}`]),
    ...(timeoutMs === undefined ? [] : [`up to ${timeoutMs / 1000} s`]),
  ]
  return words.map((word) => `, ${word}`).join('')
}
