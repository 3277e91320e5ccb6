import { type Advice, askUser, type Offline, type Problem } from '../core/problem.ts'
import { checkPath, type Message } from './failure.ts'
import type { Code } from '@clada/reply/core/codes.ts'

type ProgramProblem = Extract<
  Problem,
  {
    kind:
      | 'command-refused'
      | 'approval-needed'
      | 'command-failed'
      | 'command-late'
      | 'exec-refused'
      | 'program-missing'
      | 'version-missing'
      | 'cwd-missing'
  }
>

/** A command or a piece of code that did not run, or failed. */
export function programMessage(problem: ProgramProblem): Message {
  switch (problem.kind) {
    case 'command-refused':
      return {
        what: `Command not allowed: ${problem.reason}`,
        code: 'command_not_allowed',
        advice: problem.advice,
      }
    case 'approval-needed':
      return approvalNeeded(problem)
    case 'command-failed':
      return {
        what: failureOf(problem.how),
        code: 'exec_failed',
        ...(problem.offline === undefined ? {} : { advice: offlineAdvice(problem.offline) }),
      }
    case 'command-late':
      return {
        what: `Process timeout after ${problem.ms / 1000}s`,
        tag: 'TIMEOUT',
        code: 'exec_timeout',
        details: { limit: problem.ms },
        advice: lateAdvice(problem),
      }
    case 'exec-refused':
      return { what: `Not allowed: ${problem.reason}`, code: 'action_not_allowed', advice: problem.advice }
    case 'program-missing':
      return {
        what: `${problem.program} not found in PATH`,
        tag: 'ENOENT',
        code: 'exec_failed',
        advice: problem.advice ?? askUser(`install ${problem.program}`),
      }
    case 'version-missing': {
      const { lang, version, found } = problem
      return {
        what: `${lang} ${version} not found${found === undefined ? '' : `, only ${found}`}`,
        tag: 'ENOENT',
        code: 'exec_failed',
        advice: 'Leave version out to use what is installed.',
      }
    }
    case 'cwd-missing':
      return {
        what: 'Working directory does not exist',
        subject: problem.path,
        tag: 'ENOENT',
        code: 'file_not_found',
        details: { path: problem.path },
        advice: checkPath,
      }
  }
}

/** The limit that held, and who can raise it how. */
function lateAdvice({ ms, most, approval, offline }: Problem & { kind: 'command-late' }): Advice {
  const stopped = 'Everything it started was stopped.'
  if (offline !== undefined) return `${stopped} ${offlineAdvice(offline)}`
  if (approval !== undefined) {
    const line = approveLine({ ...approval, timeout: `${Math.ceil((ms * 4) / 60_000)}m` })
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

function approvalNeeded(problem: Problem & { kind: 'approval-needed' }): Message {
  const { command, approved, changed, refused } = problem
  const common = { code: 'approval_required', details: { command } } as const
  if (refused)
    return {
      ...common,
      what: 'The user refused',
      subject: command,
      toUser: `You refused '${command}'`,
      advice: { model: 'Do without it, or ask the user why.', user: '' },
    }
  const line = `${approveLine(problem)}.`
  return {
    ...common,
    what: `'${command}' ${changed ? 'was approved, but files that could decide what it runs have changed since' : 'is not approved'}`,
    advice: {
      model: `${approvedWords(approved)} The user can approve it with: ${line} Until then, go on without it.`,
      user: `To approve it: ${line}`,
    },
  }
}

const approvedWords = (lines: readonly string[]): string =>
  lines.length === 0
    ? 'Nothing is approved in this project; exec runs code in the sandbox.'
    : `Approved here, to be run by these words: ${lines.slice(0, 20).join(' | ')}${lines.length > 20 ? ' | …' : ''}.`

function failureOf(how: (Problem & { kind: 'command-failed' })['how']): string {
  if ('exit' in how) return `Command failed with exit code ${how.exit}`
  if ('stopped' in how) return `Command stopped after it had begun: ${how.stopped}; what it had done by then stays`
  return 'signal' in how ? `Process killed by signal ${how.signal}` : 'Process stopped: it started too many others'
}

/** For a program that failed because the network was blocked: who can allow it, and how. */
export function offlineAdvice(offline: Offline): string {
  const missed = 'The network is blocked for it, and it seems to need it.'
  switch (offline.for) {
    case 'command':
      return `${missed} The user can allow it with: ${approveLine({ ...offline, network: true })}.`
    case 'code':
      return `${missed} Code never has the network; use run with a command that the user has approved with clada approve --network.`
    case 'hook':
      return `${missed} network: true in this hook allows it.`
  }
}

/** The line by which a user approves a command, in whatever directory it is typed. */
function approveLine(approval: {
  readonly command: string
  readonly network: boolean
  readonly timeout?: string
  readonly root?: string
}): string {
  const { command, network, timeout, root } = approval
  const where = root === undefined ? '' : ` --root ${shellQuoted(root)}`
  const flags = `${network ? ' --network' : ''}${timeout === undefined ? '' : ` --timeout ${timeout}`}`
  return `clada approve${flags} ${shellQuoted(command)}${where}`
}

/** The line can be copied into a shell and means the same there. */
const shellQuoted = (text: string): string =>
  /["$`\\!\p{C}]/u.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`

type OsProblem = Problem & { kind: 'os' }

/** An error of the operating system, in the words the language fixes. */
export function osMessage(problem: OsProblem): Message {
  const { code, path } = problem
  const brief = briefs[code]
  const advice = osAdvice(problem)
  return {
    head: code,
    ...sentenceOf(problem),
    code: osCode(code),
    details: { path, ...(problem.meant === undefined ? {} : { suggestions: [...problem.meant] }) },
    ...(brief === undefined ? {} : { brief }),
    ...(advice === undefined ? {} : { advice }),
  }
}

const briefs: Record<string, string> = { ENOENT: 'File not found', EACCES: 'Permission denied' }

const osTexts: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  EACCES: 'permission denied',
  EISDIR: 'illegal operation on a directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
}

function sentenceOf({ code, op, path, dest, message }: OsProblem): Pick<Message, 'what' | 'subject' | 'rest'> {
  const text = osTexts[code]
  // Node's own words begin with the code.
  if (text === undefined && message !== undefined) return { what: message.replace(`${code}: `, '') }
  const both = op === 'rename' && dest !== undefined && (code === 'ENOENT' || code === 'EACCES')
  return {
    what: text === undefined ? op : `${text}, ${op}`,
    subject: path,
    ...(both ? { rest: ` -> '${dest}'` } : {}),
  }
}

export function osCode(code: string): Code {
  switch (code) {
    case 'ENOENT':
      return 'file_not_found'
    case 'EEXIST':
      return 'file_exists'
    case 'EACCES':
    case 'EPERM':
    case 'EBUSY':
    case 'EROFS':
      return 'permission_denied'
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return 'no_space'
    case 'ELOOP':
      return 'symlink_not_allowed'
    case 'EISDIR':
    case 'ENOTDIR':
    case 'ENOTEMPTY':
    case 'ENAMETOOLONG':
    case 'EINVAL':
      return 'invalid_parameter'
    default:
      return 'io_error'
  }
}

const heldElsewhere: Advice = {
  model:
    'Another program has the file open, such as an editor, a virus scanner, a sync client or a program that runs. Ask the user to close it, then send the block again.',
  user: 'Another program has the file open, such as an editor, a virus scanner, a sync client or a program that runs. Close it, then try again.',
}

function osAdvice({ code, op, meant, held }: OsProblem): Advice | undefined {
  switch (code) {
    case 'ENOENT':
      return meant === undefined ? checkPath : `Did you mean ${meant.map((path) => `'${path}'`).join(' or ')}?`
    case 'EEXIST':
      return op === 'mkdir' ? 'A file has that name.' : 'Use file_write to replace it, or an edit to change it.'
    case 'EACCES':
    case 'EPERM':
    case 'EBUSY':
      return held ? heldElsewhere : code === 'EBUSY' ? undefined : askUser('change the permissions')
    case 'EISDIR':
      if (op === 'unlink') return 'Use dir_delete for an empty directory.'
      if (op === 'rename') return 'Name files, also as new_path. For a directory, use run with: mv OLD NEW'
      return 'Name a file, not a directory.'
    case 'ENOTDIR':
      if (op === 'rmdir') return 'It is a file, or a part of the path is; file_delete deletes files.'
      if (op === 'scandir') return 'It is a file, or a part of the path is; file_read reads files.'
      return 'A part of the path is a file.'
    case 'ENOTEMPTY':
      return 'Delete its contents first.'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'The disk is full; the file was left as it was.'
    default:
      return undefined
  }
}
