import { resendAdvice } from '../parts.ts'
import { missingSentence } from '../words.ts'
import type { Advice, Problem } from '../../core/problem.ts'
import { osReason } from '../../core/os-words.ts'
import { osCode } from './files.ts'
import { firstLine, laterLines, type MessageRows } from './row.ts'

/** Problems of a whole execution, of its history, or of clada itself. */
export const executionMessages: MessageRows<
  | 'denied'
  | 'action-failed'
  | 'review-needed'
  | 'left-out'
  | 'review-outdated'
  | 'bad-param'
  | 'search-failed'
  | 'half-landed'
  | 'locked'
  | 'not-a-lock'
  | 'record-unwritten'
  | 'git'
  | 'context-broken'
  | 'step-refused'
  | 'too-complex'
  | 'stopped'
  | 'proposal-waits'
  | 'edit-missing'
  | 'bug'
> = {
  denied: {
    code: 'action_not_allowed',
    head: '',
    what: ({ reason }) => reason,
    details: ({ rule }) => ({ rule }),
  },
  'action-failed': {
    code: 'action_failed',
    what: ({ message }) => firstLine(message),
    below: ({ message }) => laterLines(message),
    advice: ({ advice }) => advice,
  },
  'review-needed': {
    code: 'review_required',
    what: ({ refused, lacks }) => {
      if (lacks === 'everything') return `The proposal is not applied: ${missingSentence(lacks)}`
      const what = refused ? 'The user refused the proposal' : "Not applied: the proposal needs the user's approval"
      return lacks === undefined ? what : `${what}; ${missingSentence(lacks)}`
    },
    toUser: ({ refused, lacks }) => {
      if (lacks === 'everything') return undefined
      return refused ? 'You refused the proposal' : undefined
    },
    details: ({ path }) => ({ path }),
    advice: ({ refused, lacks }) => {
      if (lacks === 'characters')
        return 'Send it in a code block, with plain quotes and spaces, or edit only the lines that change.'
      if (lacks !== undefined) return 'Write the whole file, or a block that edits only the lines that change.'
      return refused ? { model: 'Ask the user what to change.', user: '' } : applyProposal
    },
  },
  'left-out': {
    code: 'skipped',
    what: ({ reason }) => `Left out by the user${reason === undefined ? '' : `: ${reason}`}`,
    details: ({ path }) => ({ path }),
  },
  'review-outdated': {
    code: 'concurrent_modification',
    what: 'The files changed after the review, so this would not be what the user agreed to:',
    subject: ({ path }) => path,
    details: ({ path }) => ({ path }),
    advice: { model: 'Ask the user to review it again.', user: 'Review it again.' },
  },
  'bad-param': { code: 'invalid_parameter', what: ({ param, message }) => `Invalid ${param}: ${message}` },
  'search-failed': {
    code: 'invalid_parameter',
    what: ({ message }) => firstLine(message),
    below: ({ message }) => laterLines(message),
    advice: 'Correct the pattern.',
  },
  'half-landed': {
    code: 'io_error',
    what: ({ paths }) => `the group could not be applied, and these files could not be restored: ${paths.join(', ')}`,
    advice: 'There are copies next to them or at the top of the project, named .clada-*.tmp.',
  },
  locked: {
    code: 'locked',
    what: lockedSentence,
    details: ({ lock }) => ({ path: lock }),
    advice: ({ holder }) => {
      if (holder === undefined) return 'Try again in a few seconds.'
      const wait = 'Wait for it to end, or wait longer with --lock-timeout.'
      return holder.host === undefined
        ? wait
        : `${wait} Whether it still runs cannot be seen from this machine: if it does not, remove that file.`
    },
  },
  'not-a-lock': {
    code: 'invalid_parameter',
    what: ({ path }) => `'${path}' is not a lock of clada`,
    details: ({ path }) => ({ path }),
    advice: 'It was left as it is. Name another file with --lock-file.',
  },
  'record-unwritten': {
    code: ({ code }) => osCode(code),
    what: ({ code, message }) => `the record could not be written: ${osReason(code) ?? firstLine(message)}`,
  },
  git: {
    code: 'git_operation_failed',
    label: 'git_operation_failed',
    what: ({ reason }) => firstLine(reason),
    below: ({ reason }) => laterLines(reason),
    advice: ({ advice }) => advice ?? 'Fix the problem above and retry, or run with --no-git.',
  },
  'context-broken': {
    code: 'io_error',
    what: 'The working set cannot be read',
    subject: ({ file }) => file,
    rest: ({ reason }) => `: ${reason}`,
    details: ({ file }) => ({ path: file }),
    advice: {
      model: 'Nothing was changed. Ask the user to repair the file, or start a new one with context_clear.',
      user: 'Nothing was changed. Repair the file, or start a new one with clada context clear.',
    },
  },
  'step-refused': {
    code: ({ code }) => code,
    label: ({ code }) => (code === 'git_operation_failed' ? code : undefined),
    what: ({ reason }) => firstLine(reason),
    below: ({ reason, conflicts }) => {
      const listed = conflicts.map((one) => `  ${one.path}: ${one.reason}`)
      return [laterLines(reason), ...listed].filter((line) => line !== undefined).join('\n') || undefined
    },
    details: ({ conflicts }) => ({
      conflicts: conflicts.length === 0 ? undefined : conflicts.map(({ path }) => path),
    }),
  },
  'too-complex': {
    code: ({ over }) => ({ time: 'exec_timeout', depth: 'input_too_large', size: 'file_too_large' } as const)[over],
    what: (problem) => {
      if (problem.over === 'time') return `Timed out after ${problem.ms / 1000} s`
      return problem.over === 'depth'
        ? 'the text is nested too deeply to be worked on'
        : 'the result is too large to be held in memory'
    },
    advice: ({ over }) =>
      ({
        time: 'Try a smaller part or another action, or allow more time with --timeout.',
        depth: 'Edit it by text or by lines.',
        size: 'Change less at once.',
      })[over],
  },
  stopped: {
    code: 'skipped',
    label: 'skipped',
    what: ({ reason }) => reason,
    toUser: ({ reason }) => `skipped: ${reason}`,
  },
  'proposal-waits': {
    code: 'skipped',
    label: 'skipped',
    what: waitsSentence,
    toUser: (problem) => `skipped: ${waitsSentence(problem)}`,
    advice: {
      model: 'Send this command again when the proposal is applied.',
      user: 'Apply the proposal, then run this command again.',
    },
  },
  'edit-missing': {
    code: 'skipped',
    label: 'skipped',
    what: missingEditSentence,
    toUser: (problem) => `skipped: ${missingEditSentence(problem)}`,
    advice: ({ edit }) => `${resendAdvice(edit) ?? ''} Then send this command again.`,
  },
  bug: {
    code: 'internal_error',
    what: ({ message }) => `Unexpected executor error: ${firstLine(message)}`,
    below: ({ message }) => laterLines(message),
    details: ({ stack }) => ({ stack: stack || undefined }),
  },
}

const applyProposal: Advice = {
  model: 'The user can apply it with --proposals apply. Write changes as blocks to have them applied at once.',
  user: 'Look at it with clada diff, then run it again with --proposals apply.',
}

function lockedSentence({ lock, holder }: Problem & { kind: 'locked' }): string {
  if (holder === undefined) return `locked: '${lock}' exists and does not say who holds it`
  const { pid, command, since, host } = holder
  const place = host === undefined ? '' : ` on ${host}`
  return `locked: ${command || 'another execution'} (process ${pid}${place}) holds '${lock}'${since && ` since ${since}`}`
}

function waitsSentence({ path, line }: Problem & { kind: 'proposal-waits' }): string {
  return `the proposal for ${path} on line ${line} waits for the user, and this command comes after it`
}

function missingEditSentence({ edit }: Problem & { kind: 'edit-missing' }): string {
  const target = edit.path === undefined ? '' : ` for ${edit.path}`
  return `the ${edit.what}${target} on line ${edit.line} was not executed, and this command comes after it`
}
