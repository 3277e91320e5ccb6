import {
  type Advice,
  type ApprovalFacts,
  adviseAskingUser,
  type Offline,
  type Problem,
  type WithheldVariables,
} from '../../core/problem.ts'
import { shellQuoted, shellWord } from '../words.ts'
import { checkPath, type MessageRows } from './row.ts'

/** A command or a piece of code that did not run, or failed. */
export const programMessages: MessageRows<
  | 'command-refused'
  | 'approval-needed'
  | 'command-failed'
  | 'command-late'
  | 'exec-refused'
  | 'program-missing'
  | 'version-missing'
  | 'cwd-missing'
> = {
  'command-refused': {
    code: 'command_not_allowed',
    what: ({ reason }) => `Command not allowed: ${reason}`,
    advice: ({ advice }) => advice,
  },
  'approval-needed': {
    code: 'approval_required',
    what: ({ command, changed, refused }) => {
      if (refused) return 'The user refused'
      return `'${command}' ${changed ? 'was approved, but files that could decide what it runs have changed since' : 'is not approved'}`
    },
    subject: ({ command, refused }) => (refused ? command : undefined),
    toUser: ({ command, refused }) => (refused ? `You refused '${command}'` : undefined),
    details: ({ command }) => ({ command }),
    advice: approvalAdvice,
  },
  'command-failed': {
    code: ({ how }) => ('stopped' in how && how.stopped.by === 'time-limit' ? 'exec_timeout' : 'exec_failed'),
    what: ({ how }) => howItEnded(how),
    advice: failedAdvice,
  },
  'command-late': {
    code: 'exec_timeout',
    what: ({ ms }) => `Process timeout after ${ms / 1000}s`,
    tag: 'TIMEOUT',
    details: ({ ms }) => ({ limit: ms }),
    advice: lateAdvice,
  },
  'exec-refused': {
    code: 'action_not_allowed',
    what: ({ reason }) => `Not allowed: ${reason}`,
    advice: ({ advice }) => advice,
  },
  'program-missing': {
    code: 'exec_failed',
    what: ({ program }) => `${program} not found in PATH`,
    tag: 'ENOENT',
    advice: ({ program, advice }) => advice ?? adviseAskingUser(`install ${program}`),
  },
  'version-missing': {
    code: 'exec_failed',
    what: ({ lang, version, found }) => `${lang} ${version} not found${found === undefined ? '' : `, only ${found}`}`,
    tag: 'ENOENT',
    advice: 'Leave version out to use what is installed.',
  },
  'cwd-missing': {
    code: 'file_not_found',
    what: 'Working directory does not exist',
    subject: ({ path }) => path,
    tag: 'ENOENT',
    details: ({ path }) => ({ path }),
    advice: checkPath,
  },
}

function approvalAdvice(problem: Problem & { kind: 'approval-needed' }): Advice {
  if (problem.refused) return { model: 'Do without it, or ask the user why.', user: '' }
  const line = `${approveCommand(problem)}.`
  return {
    model: `${approvedWords(problem.approved)} The user can approve it with: ${line} Until then, go on without it.`,
    user: `To approve it: ${line}`,
  }
}

const approvedWords = (lines: readonly string[]): string =>
  lines.length === 0
    ? 'Nothing is approved in this project; exec runs code in the sandbox.'
    : `Approved here, to be run by these words: ${lines.slice(0, 20).join(' | ')}${lines.length > 20 ? ' | …' : ''}.`

function howItEnded(how: (Problem & { kind: 'command-failed' })['how']): string {
  if ('exit' in how) return `Command failed with exit code ${how.exit}`
  if ('stopped' in how)
    return `Command stopped after it had begun: ${how.stopped.reason}; what it had done by then stays`
  if ('wrote' in how) return 'Process stopped: it wrote too much, and nothing of that was kept'
  return 'signal' in how ? `Process killed by signal ${how.signal}` : 'Process stopped: it started too many processes'
}

function failedAdvice({ how, offline, withheld }: Problem & { kind: 'command-failed' }): string | undefined {
  if ('wrote' in how)
    return 'Code may write 4 GB and 250,000 files, an approved command 16 GB and 1,000,000, and no more than nine tenths of what is free on the disk.'
  const lines = [
    ...(offline === undefined ? [] : [offlineAdvice(offline)]),
    ...(withheld === undefined ? [] : [withheldAdvice(withheld)]),
  ]
  return lines.length === 0 ? undefined : lines.join(' ')
}

function withheldAdvice({ names, more, approval }: WithheldVariables): string {
  const listed = `${names.join(', ')}${more === 0 ? '' : ` and ${more} more`}`
  if (approval === undefined)
    return `Not passed from the environment: ${listed}. Code gets no variables of the user; an approved command can.`
  const [first = 'NAME'] = names
  const line = approveCommand({ ...approval, env: [...(approval.env ?? []), first] })
  return `Not passed from the environment: ${listed}. The user can allow one with: ${line}.`
}

/** The limit that held, and who can raise it how. */
function lateAdvice({ ms, most, approval, offline }: Problem & { kind: 'command-late' }): Advice {
  const stopped = 'Everything it started was stopped.'
  if (offline !== undefined) return `${stopped} ${offlineAdvice(offline)}`
  if (approval !== undefined) {
    const line = approveCommand({ ...approval, timeoutMs: Math.ceil((ms * 4) / 60_000) * 60_000 })
    return {
      model: `${stopped} Do less at once. The user can give it more time with: ${line}.`,
      user: `${stopped} To give it more time: ${line}.`,
    }
  }
  if (most !== undefined)
    return `${stopped} The limit was the timeout of the block, in seconds; up to ${most / 1000} are allowed.`
  return {
    model: `${stopped} The limit is the user's: do less at once, or ask them for --timeout (limits.timeout in clada.yml).`,
    user: `${stopped} Do less at once, or give it longer with --timeout.`,
  }
}

/** For a program that failed because the network was blocked: who can allow it, and how. */
export function offlineAdvice(offline: Offline): string {
  const missed = 'The network is blocked for it, and it seems to need it.'
  switch (offline.for) {
    case 'command':
      return `${missed} The user can allow it with: ${approveCommand({ ...offline.approval, network: true })}.`
    case 'code':
      return `${missed} Code never has the network; use run with a command that the user has approved with clada approve --network.`
    case 'hook':
      return `${missed} network: true in this hook allows it.`
  }
}

/** The line by which a user approves a command, in whatever directory it is typed. */
function approveCommand({ command, network, reads = [], env = [], timeoutMs = 0, root }: ApprovalFacts): string {
  const words = [
    ...(network ? ['--network'] : []),
    ...reads.map((file) => `--reads ${shellWord(file)}`),
    ...env.map((name) => `--env ${name}`),
    ...(timeoutMs === 0 ? [] : [`--timeout ${timeoutMs % 60_000 === 0 ? `${timeoutMs / 60_000}m` : timeoutMs / 1000}`]),
    shellQuoted(command),
    ...(root === undefined ? [] : [`--root ${shellQuoted(root)}`]),
  ]
  return `clada approve ${words.join(' ')}`
}
