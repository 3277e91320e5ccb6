import { Clada } from '../../api/clada.ts'
import type { SquashOptions, SquashResult } from '../../timetravel/squash.ts'
import { runLine } from '../../actions/output.ts'
import { spellOut } from '../../report/words.ts'
import type { Command } from '../command.ts'
import { type FlagValues, general, readNumber, UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { confirm } from '../ask.ts'
import { canAsk, print, printJson } from '../streams.ts'
import { refusalText } from '../print-step.ts'

export const command: Command = {
  name: 'squash',
  group: 'history',
  usage: 'clada squash [--auto | --messages]',
  summary: 'squash several commits into one',
  about:
    'Squashes consecutive commits of clada into one, without touching files or staged changes. Commits that were pushed, or\nthat another branch or a tag contains, are kept unless --force; a merge ends the search. If your own commits are\nincluded, you remain the author. clada undo N puts the old commits back.',
  words: [],
  instead: 'See clada help squash.',
  flags: [
    'root',
    'auto',
    'messages',
    'hours',
    'days',
    'containing',
    'contiguous',
    'message',
    'dry-run',
    'force',
    'git-author',
    'lock-file',
    'lock-timeout',
    'json',
    ...general,
  ],
  examples: [
    ['clada squash --dry-run', 'what would become one commit?'],
    ['clada squash --messages', 'each series of commits that clada made'],
    ["clada squash --hours 8 --containing ''", 'everything from the last eight hours'],
  ],
  run: async ({ flags }) => {
    const clada = new Clada(await cladaOptions(flags))
    const options = squashOptions(flags)
    const isAsked = canAsk() && flags['dry-run'] === undefined && flags.json === undefined && flags.quiet === undefined
    if (isAsked) {
      const plan = await clada.squash({ ...options, dryRun: true })
      print(spellOut(squashLines(plan, true).join('\n')))
      if (!plan.success || plan.runs.length === 0) return plan.success ? 0 : 1
      if (!(await confirm('Squash them?'))) {
        print('Nothing was changed.')
        return 1
      }
      // What was shown is what is done: others may have committed meanwhile.
      options.only = plan.runs.flatMap(({ commits }) => commits.map(({ id }) => id))
    }
    const result = await clada.squash(options)
    if (flags.json !== undefined) printJson(result)
    else if (flags.quiet === undefined) print(spellOut(squashLines(result, flags['dry-run'] !== undefined).join('\n')))
    return result.success ? 0 : 1
  },
}

function squashOptions(flags: FlagValues): SquashOptions {
  if (flags.auto !== undefined && flags.messages !== undefined)
    throw new UsageError('--auto and --messages exclude each other.')
  const [message] = flags.message ?? []
  if (message !== undefined && message.trim() === '') throw new UsageError('--message needs a text.')
  const chosen = [flags.messages, flags.hours, flags.days, flags.containing].some((flag) => flag !== undefined)
  return {
    contiguous: flags.contiguous !== undefined || flags.auto !== undefined || !chosen,
    hours: readNumber(flags, 'hours'),
    days: readNumber(flags, 'days'),
    containing: flags.containing?.[0],
    message,
    force: flags.force !== undefined,
    dryRun: flags['dry-run'] !== undefined,
  }
}

export function squashLines(
  { success, runs, limit, execution, warnings = [], error, reason }: SquashResult,
  dryRun: boolean,
): string[] {
  if (!success) return [refusalText({ error, reason })]
  if (runs.length === 0) return [`There are no consecutive commits to squash${since(limit)}.`]
  return [
    ...runs.flatMap((run) => [
      runLine(run, dryRun),
      ...run.commits.map(({ id, subject }) => `  ${id.slice(0, 8)} ${subject}`),
    ]),
    ...warnings.map((warning) => `⚠️  ${warning}`),
    ...(execution === undefined ? [] : [`To undo it: clada undo ${execution}`]),
  ]
}

/** Explains why older AI: commits were not squashed. */
function since(limit: SquashResult['limit']): string {
  if (limit === undefined) return ''
  return ` since ${limit.commit.slice(0, 8)}, which ${limitReason(limit)}`
}

function limitReason({ why, ref = '' }: NonNullable<SquashResult['limit']>): string {
  switch (why) {
    case 'merge':
      return 'is a merge'
    case 'shallow':
      return 'is where this clone begins; git fetch --unshallow brings the rest'
    case 'pushed':
      return 'was pushed; --force includes those'
    case 'shared':
      return `${ref} contains too; --force includes those`
  }
}
