import {
  choice,
  defaulting,
  defineAction,
  fail,
  flag,
  integer,
  optional,
  squashModes,
  text,
  squashShape,
  when,
} from '../core/action.ts'
import { stepOutput } from './output.ts'

export const gitSquash = defineAction({
  name: 'git_squash',
  description: 'Squash consecutive commits into one. Files and staged changes stay as they are.',
  effect: 'git',
  access: ['user'],
  command: 'clada squash',
  slashCommand: true,
  primary: 'mode',
  display: 'always',
  output: stepOutput,
  params: {
    mode: defaulting(
      choice(
        squashModes,
        'auto_ai: the consecutive commits of clada up to the current one. ai_messages: each series of them. hours, days: those of that time. msg_contains: commits whose message contains msg_target.',
      ),
      'auto_ai',
    ),
    message: optional(text('Message of the new commit.')),
    hours: when('mode=hours', integer('Commits of the last N hours; required for mode hours.')),
    days: when('mode=days', integer('Commits of the last N days; required for mode days.')),
    msg_target: when(
      'mode=msg_contains',
      text('Text in the messages of commits, also of others; needed for mode msg_contains.'),
    ),
    contiguous_only: defaulting(
      flag('For hours, days and msg_contains: only the series that ends at the newest commit, or each series.'),
      true,
    ),
    force: defaulting(
      flag('Whether to squash commits that were pushed, or that another branch or a tag contains.'),
      false,
    ),
    dry_run: defaulting(flag('Only show what would be squashed.'), false),
  },
  returns: squashShape,
  examples: [
    {
      title: 'squashes the last two commits',
      before: { 'a.txt': 'one\n' },
      earlier: [
        { action: 'file_write', params: { path: 'a.txt', content: 'two\n' } },
        { action: 'file_write', params: { path: 'a.txt', content: 'three\n' } },
      ],
      params: { message: 'Count to three' },
      after: { 'a.txt': 'three\n' },
      data: {
        runs: [
          { commits: [{ subject: 'AI: edit a.txt' }, { subject: 'AI: edit a.txt' }], message: 'Count to three\n' },
        ],
      },
    },
    {
      title: 'finds nothing without consecutive commits',
      before: { 'a.txt': 'one\n' },
      params: { mode: 'ai_messages' },
      data: { runs: [] },
    },
    {
      title: 'needs the number of hours',
      before: { 'a.txt': 'one\n' },
      params: { mode: 'hours' },
      code: 'invalid_parameter',
    },
  ],
  run: async ({ mode, message, hours, days, msg_target, contiguous_only, force, dry_run }, { history }) => {
    const needed = { hours: ['hours', hours], days: ['days', days], msg_contains: ['msg_target', msg_target] } as const
    const [param, given] = mode === 'auto_ai' || mode === 'ai_messages' ? [] : needed[mode]
    if (param !== undefined && given === undefined)
      return fail({ kind: 'bad-param', param, message: `mode ${mode} needs ${param}` })
    for (const [name, age] of Object.entries({ hours, days }))
      if (age !== undefined && age < 0)
        return fail({ kind: 'bad-param', param: name, message: `${name} cannot be negative` })
    const request = { mode, contiguous: contiguous_only, hours, days, containing: msg_target, message }
    return (await history()).squash({ ...request, force, dryRun: dry_run })
  },
})
