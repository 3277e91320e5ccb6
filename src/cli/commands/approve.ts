import path from 'node:path'
import { approvalLine, approvalLineOf } from '../../approvals/approval-line.ts'
import { Approvals, type Grant } from '../../approvals/approvals.ts'
import { installs, wantsNetwork } from '../../approvals/what-runs.ts'
import { judgeCommand } from '../../policy/commands/judge-command.ts'
import { settingsOf } from '../../config/settings.ts'
import { grantWords } from './approvals.ts'
import type { Command } from '../command.ts'
import { type FlagValues, numberOf, UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { print } from '../streams.ts'
import { visible } from '../../report/words.ts'

export const command: Command = {
  name: 'approve',
  usage: 'clada approve CMD',
  summary: 'let a command run in this project from now on',
  about:
    'Approves one command line, by its exact words, for this project and this user; with --args or a star at the end, with\nany further arguments. When what it runs changes (the script in package.json, the rules of a Makefile, a program of the\nproject), it is asked again; edits of the sources do not matter. The network is given by --network only.',
  flags: ['root', 'network', 'args', 'reads', 'timeout', 'help'],
  examples: [
    ['clada approve "npm test"', 'let models run the tests'],
    ['clada approve "pytest *"', 'with any arguments'],
    ['clada approve --network "npm install"', 'with the network'],
    ['clada approve --reads .env --timeout 5m "npm run e2e"', 'with a denied file, and up to five minutes'],
  ],
  run: async ({ flags, words }) => {
    if (words.length !== 1) {
      throw new UsageError('approve needs one command in quotes: clada approve "npm test"')
    }
    const { root, allowedRoots } = settingsOf(await cladaOptions(flags))
    const [given = ''] = words
    const line = lineOf(given, flags)
    const decision = judgeCommand(approvalLine(line.words, line.dir).line, { deniedPatterns: [], root: '/' })
    if (decision.verdict === 'allow') {
      print(`${visible(line.line)} is on the list and needs no approval.`)
      return 0
    }
    if (decision.verdict === 'deny') throw new UsageError(`'${visible(given)}' cannot be approved: ${decision.reason}.`)
    const approvals = new Approvals(root, allowedRoots)
    const [runs] = approvals.runs(line)
    const voucher = approvals.add(line, runs, grantOf(flags, root))
    print(`Approved in ${root}: ${visible(line.line)}${grantWords(voucher, line)}`)
    print(
      runs.shown === undefined
        ? 'The project does not define what it runs, so it stays approved whatever that is.'
        : `It runs: ${visible(runs.shown)}. When that changes, you are asked again.`,
    )
    if (installs(line)) print('It installs packages: it may write to the caches of tools in your home directory.')
    if (!voucher.network && wantsNetwork(line)) print('It seems to need the network: clada approve --network lets it.')
    return 0
  },
}

function lineOf(given: string, flags: FlagValues): ReturnType<typeof approvalLine> {
  const read = approvalLineOf(flags.args === undefined || given.endsWith(' *') ? given : `${given} *`)
  if ('reason' in read) throw new UsageError(`'${visible(given)}' cannot be approved: ${read.reason}.`)
  return read
}

function grantOf(flags: FlagValues, root: string): Grant {
  const reads = (flags.reads ?? []).map((file) => fileBelow(root, file))
  const seconds = numberOf(flags, 'timeout')
  return {
    network: flags.network !== undefined,
    ...(reads.length === 0 ? {} : { reads }),
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
  }
}

/** The name of a file as seen from the root. */
function fileBelow(root: string, file: string): string {
  const relative = path.relative(root, path.resolve(root, file))
  if (relative === '' || relative.startsWith('..') || /^\.(?:git|clada)(?:\/|$)/i.test(relative))
    throw new UsageError(`--reads must name a file of the project that can be read, not '${visible(file)}'.`)
  return relative
}
