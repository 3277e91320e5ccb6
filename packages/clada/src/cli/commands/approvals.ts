import { type ApprovalLine, approvalLineOf } from '../../approvals/approval-line.ts'
import { type Approvals, approvalsFor, type ApprovalState } from '../../approvals/approvals.ts'
import { decidersInWords } from '../../approvals/deciders.ts'
import type { Voucher } from '../../approvals/vouchers.ts'
import { commandSettingsOf, settingsOf } from '../../config/settings.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { print, printJson, say } from '../streams.ts'
import { spellOutCommand } from '../../report/words.ts'

export const command: Command = {
  name: 'approvals',
  group: 'set-up',
  usage: 'clada approvals [remove CMD…]',
  summary: 'list what is approved in this project',
  words: ['remove'],
  flags: ['root', 'json', 'help'],
  examples: [
    ['clada approvals', 'list them'],
    ['clada approvals remove "npm test"', 'remove one'],
  ],
  run: async ({ flags, words }) => {
    const options = await cladaOptions(flags)
    const approvals = await approvalsFor(settingsOf(options), commandSettingsOf(options))
    const [verb, ...given] = words
    if (verb === 'remove' && given.length > 0) {
      const unknown = given.filter((line) => !approvals.remove(line))
      for (const line of given) if (!unknown.includes(line)) print(`No longer approved: ${spellOutCommand(line)}`)
      for (const line of unknown) say(`clada: '${spellOutCommand(line)}' is not approved here.`, 2)
      return unknown.length > 0 ? 1 : 0
    }
    if (verb !== undefined && verb !== 'list')
      throw new UsageError('approvals takes no arguments, or: approvals remove "CMD"')
    const { list, vouchers } = approvals.list()
    const commands = [...new Set([...list.commands, ...vouchers.map((one) => one.command)])]
    const entries = commands.map((line) => ({ command: line, ...approvalEntry(approvalState(line, approvals)) }))
    if (flags.json !== undefined) printJson(entries)
    else if (entries.length === 0) print('Nothing is approved in this project.')
    else for (const line of commands) say(`${spellOutCommand(line)}  ${stateWords(approvalState(line, approvals))}`)
    return 0
  },
}

export function approvalState(line: string, approvals: Approvals): ApprovalState {
  const read = approvalLineOf(line)
  return 'reason' in read ? { state: 'unknown' } : approvals.stateOf(read)
}

function approvalEntry(state: ApprovalState): Record<string, unknown> {
  if (state.state !== 'approved') return state
  const { network, reads, env, timeoutMs } = state.voucher
  const { args } = state.line
  const bound = state.deciders && decidersInWords(state.deciders)
  return { state: state.state, kind: state.width, network, args, reads, env, timeoutMs, bound }
}

function stateWords(state: ApprovalState): string {
  switch (state.state) {
    case 'approved':
      return `approved, whatever it runs${grantWords(state.voucher, state.line)}${boundWords(state)}`
    case 'unvouched':
      return 'listed by the project, not approved by you: clada trust'
    case 'changed':
      return 'files that could decide what it runs have changed: approve it again'
    case 'unknown':
      return 'no longer in the list of the project'
  }
}

/** What an approval allows beyond the command itself. */
export function grantWords({ network, reads = [], env = [], timeoutMs }: Voucher, line: ApprovalLine): string {
  const words = [
    ...(line.args ? ['with any further arguments'] : []),
    ...(network ? ['with network'] : []),
    ...(reads.length === 0 ? [] : [`reads ${reads.map(spellOutCommand).join(', ')}`]),
    ...(env.length === 0 ? [] : [`sees ${env.map(spellOutCommand).join(', ')}`]),
    ...(timeoutMs === undefined ? [] : [`up to ${timeoutMs / 1000} s`]),
  ]
  return words.map((word) => `, ${word}`).join('')
}

/** What a wide approval is bound to. */
export const boundWords = ({ deciders }: ApprovalState & { state: 'approved' }): string =>
  deciders === undefined ? '' : `, until one of these files changes: ${spellOutCommand(decidersInWords(deciders))}`
