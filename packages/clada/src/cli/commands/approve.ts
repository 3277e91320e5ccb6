import fs from 'node:fs'
import path from 'node:path'
import { type ApprovalLine, approvalLineOf } from '../../approvals/approval-line.ts'
import { approvalsFor, type Grant } from '../../approvals/approvals.ts'
import { wantsNetwork } from '../../approvals/needs-network.ts'
import { judgeCommand } from '../../policy/commands/judge-command.ts'
import { commandSettingsOf, settingsOf } from '../../config/settings.ts'
import { boundWords, grantWords } from './approvals.ts'
import type { Command } from '../command.ts'
import { type FlagValues, readNumber, UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { say } from '../streams.ts'
import { spellOutCommand } from '../../report/words.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'

export const command: Command = {
  name: 'approve',
  group: 'set-up',
  usage: 'clada approve CMD',
  summary: 'let a command run in this project from now on',
  about:
    'Approves one command line, by its exact words, for this project and this user; with --args or a star at the end, with\nany further arguments. Whatever it runs, it runs in the sandbox, without network. With --network, --reads or --env, for git,\nand where there is no sandbox, you are asked again when a manifest, lock file, build file, hook or script of the project changes.',
  flags: ['root', 'network', 'args', 'reads', 'env', 'timeout', 'help'],
  examples: [
    ['clada approve "npm test"', 'let models run the tests'],
    ['clada approve "pytest *"', 'with any arguments'],
    ['clada approve --network "npm install"', 'with the network'],
    ['clada approve --reads .env --timeout 5m "npm run e2e"', 'with a denied file, and up to five minutes'],
    ['clada approve --env DATABASE_URL "npm test"', 'with a variable of your environment'],
  ],
  run: async ({ flags, words }) => {
    if (words.length !== 1) {
      throw new UsageError('approve needs one command in quotes: clada approve "npm test"')
    }
    const options = await cladaOptions(flags)
    const settings = settingsOf(options)
    const { root } = settings
    const [given = ''] = words
    const line = givenLine(given, flags)
    const decision = judgeCommand(line.args ? line.line.replace(/ \*$/, '') : line.line, {
      deniedPatterns: [],
      root: '/',
    })
    if (decision.verdict === 'allow') {
      say(`${decision.listed.rule.name} needs no approval: it is on the list, and its paths are checked when it runs.`)
      return 0
    }
    if (decision.verdict === 'deny')
      throw new UsageError(`'${spellOutCommand(given)}' cannot be approved: ${decision.reason}.`)
    const approvals = await approvalsFor(settings, commandSettingsOf(options))
    const added = approvals.add(line, grantOf(flags, root))
    say(`Approved in ${root}: ${spellOutCommand(line.typed)}${grantWords(added.voucher, line)}${boundWords(added)}`)
    const where = approvals.isUnsandboxed ? 'without a sandbox' : 'in the sandbox'
    say(`Whatever this runs, it runs ${where}, with ${added.voucher.network ? 'the' : 'no'} network.`)
    if (!added.voucher.network && wantsNetwork(line.words))
      say('It seems to need the network: clada approve --network lets it.')
    const isFound = approvals.program(line, added.width) !== undefined
    for (const note of missingParts(line, added.voucher, { root, isFound })) say(`! ${note}`)
    return 0
  },
}

function givenLine(given: string, flags: FlagValues): ApprovalLine {
  const read = approvalLineOf(flags.args === undefined || given.endsWith(' *') ? given : `${given} *`)
  if ('reason' in read) throw new UsageError(`'${spellOutCommand(given)}' cannot be approved: ${read.reason}.`)
  return read
}

/** What was misspelt, or has yet to be made. */
function missingParts(
  { words }: ApprovalLine,
  { reads = [], env = [] }: Grant,
  { root, isFound }: { readonly root: string; readonly isFound: boolean },
): string[] {
  const notThere = reads.filter((file) => !fs.existsSync(path.join(root, file)))
  const notSet = env.filter((name) => process.env[name] === undefined)
  return [
    ...(isFound ? [] : [`${spellOutCommand(words[0] ?? '')} is not installed`]),
    ...notThere.map((file) => `${spellOutCommand(file)} does not exist`),
    ...notSet.map((name) => `${name} is not set in this environment`),
  ]
}

/** Whatever they are outside, a command gets its own (`commandEnvironment`). */
const setByClada = ['PATH', 'HOME', 'TMPDIR']

function grantOf(flags: FlagValues, root: string): Grant {
  const reads = (flags.reads ?? []).map((file) => fileBelow(root, file))
  const env = flags.env ?? []
  const wrong = env.find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  if (wrong !== undefined) throw new UsageError(`--env needs the name of a variable, not '${spellOutCommand(wrong)}'.`)
  const own = env.find((name) => setByClada.includes(name))
  if (own !== undefined) throw new UsageError(`clada sets ${own} itself, so --env cannot pass it.`)
  const seconds = readNumber(flags, 'timeout')
  return {
    network: flags.network !== undefined,
    reads: unlessEmpty(reads),
    env: unlessEmpty(env),
    timeoutMs: seconds === undefined ? undefined : seconds * 1000,
  }
}

/** The name of a file as seen from the root. */
function fileBelow(root: string, file: string): string {
  const relative = path.relative(root, path.resolve(root, file))
  if (relative === '' || relative.startsWith('..') || /^\.(?:git|clada)(?:\/|$)/i.test(relative))
    throw new UsageError(`--reads must name a file of the project that can be read, not '${spellOutCommand(file)}'.`)
  return relative
}
