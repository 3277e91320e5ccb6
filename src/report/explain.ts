import type { Absence, Problem } from '../core/problem.ts'
import { type Code, codes, type Details } from '../core/result.ts'
import { absentAdvice, hunkAdvice, outsideAdvice, pathAdvice, severalAdvice } from './advice.ts'
import { explainOs } from './explain-os.ts'
import { approveLine, offlineAdvice } from './offline.ts'

export interface Explained {
  /** The first line is fixed by the language; whoever compares it may. */
  readonly error: string
  readonly code: Code
  readonly details?: Details
}

/** The only place where a problem becomes prose. `action` is the name as the block spelled it. */
export function explain(problem: Problem, action: string): Explained {
  switch (problem.kind) {
    case 'os':
      return explainOs(problem)
    case 'source-missing':
      return {
        error: `${action}: Source file not found '${problem.path}' (ENOENT)`,
        code: 'file_not_found',
        details: { path: problem.path, advice: 'Check the path with ls or glob.' },
      }
    case 'not-regular':
      return {
        error: `${action}: '${problem.path}' is a ${problem.type}, not a regular file`,
        code: 'invalid_parameter',
        details: { path: problem.path, advice: 'Name a regular file.' },
      }
    case 'not-text': {
      const { path, reason, byte, line } = problem
      return {
        error: `${action}: '${path}' is ${reason === 'binary' ? 'a binary file' : 'not valid UTF-8'} (byte ${byte}, line ${line})`,
        code: reason === 'binary' ? 'binary_file' : 'not_utf8',
        details: { path, advice: 'Only UTF-8 text can be read and edited; the file was left as it is.' },
      }
    }
    case 'too-large': {
      const { path, size, limit } = problem
      return {
        error: `${action}: '${path}' has ${size} bytes, the limit is ${limit}`,
        code: 'file_too_large',
        details: { path, size, limit, advice: 'Work on a smaller file, or let a command do it.' },
      }
    }
    case 'changed-meanwhile': {
      const { path, saved } = problem
      const apart = saved === undefined ? '' : ` What was written to it last is saved in ${saved}.`
      return {
        error: `${action}: '${path}' was changed by someone else meanwhile`,
        code: 'concurrent_modification',
        details: {
          path,
          advice: `The file was left as it is. Read it again, then repeat the action.${apart}`,
          ...(saved === undefined ? {} : { saved }),
        },
      }
    }
    case 'hash-differs':
      return {
        error: `${action}: '${problem.path}' is not the file that was read`,
        code: 'concurrent_modification',
        details: {
          path: problem.path,
          expected: problem.expected,
          found: problem.actual,
          advice: 'Read it again, then repeat the action with the new hash.',
        },
      }
    case 'path':
      return {
        error: `${action}: Path not allowed '${problem.path}': ${problem.reason} (${problem.rule})`,
        code: problem.rule,
        details: { path: problem.path, rule: problem.rule, advice: pathAdvice(problem) },
      }
    case 'denied':
      return { error: problem.reason, code: 'action_not_allowed', details: { rule: problem.rule } }
    case 'empty-text':
      return {
        error: `${action}: ${problem.param} cannot be empty`,
        code: 'invalid_parameter',
        details: { advice: `Give the text to look for in ${problem.param}.` },
      }
    case 'text-absent': {
      const { param, path, after } = problem
      return {
        error: after ? `${action}: ${param} not found after ${after}` : `${action}: ${param} not found in file`,
        code: 'match_count_mismatch',
        details: { path, ...nearby(problem), advice: absentAdvice(param, problem) },
      }
    }
    case 'text-ambiguous': {
      const { param, path, count, after, places } = problem
      return {
        error: `${action}: ${param} appears ${count} times${after ? ` after ${after}` : ''}, must appear exactly once`,
        code: 'match_count_mismatch',
        details: { path, found: count, places, advice: `Add lines around ${param} until it is there only once.` },
      }
    }
    case 'count-differs': {
      const { path, expected, found, places, params } = problem
      return {
        error:
          expected === 'all'
            ? `${action}: expected at least 1 occurrence but found ${found}`
            : `${action}: expected ${expected} occurrences but found ${found}`,
        code: 'match_count_mismatch',
        details: {
          path,
          expected,
          found,
          ...(places.length > 0 ? { places } : {}),
          ...nearby(problem),
          advice:
            found === 0
              ? absentAdvice(problem.missing ?? 'old_text', problem)
              : `Set count to ${found}, or narrow ${params.join(' and ')}.`,
        },
      }
    }
    case 'hunk-failed': {
      const { path, lines, reason, found, places } = problem
      const shown = lines
        .split('\n')
        .map((line) => `\n  ${line}`)
        .join('')
      return {
        error: `${action}: hunk ${problem.hunk} of ${problem.total} ${hunkMessage(problem)}${shown}`,
        code: 'match_count_mismatch',
        details: {
          path,
          ...(reason === 'ambiguous' ? { found, places } : {}),
          ...nearby(problem),
          advice: hunkAdvice(problem),
        },
      }
    }
    case 'lines-invalid':
      return {
        error:
          problem.reason === 'form'
            ? `${action}: Invalid line specification '${problem.spec}'`
            : `${action}: Invalid line range '${problem.spec}' (start must be <= end)`,
        code: 'invalid_parameter',
        details: { advice: 'Write one line as 4 or a range as 23-43, counted from 1.' },
      }
    case 'lines-outside': {
      const { spec, lineCount, asked } = problem
      const messages = {
        read: `${action}: Requested lines ${spec} but file only has ${lineCount} lines`,
        write: `${action}: Line range ${spec} is out of bounds (file has ${lineCount} lines)`,
        insert: `${action}: Line ${spec} is out of bounds (file has ${lineCount} lines)`,
      }
      return {
        error: messages[asked],
        code: 'invalid_parameter',
        details: { found: lineCount, advice: outsideAdvice(problem) },
      }
    }
    case 'lines-differ':
      return {
        error: `${action}: ${problem.lines.includes('-') ? `Lines ${problem.lines} of '${problem.path}' are` : `Line ${problem.lines} of '${problem.path}' is`} not what was expected`,
        code: 'match_count_mismatch',
        details: {
          path: problem.path,
          expected: problem.expected,
          found: problem.actual,
          advice: 'Read the file with line numbers again: they may have moved.',
        },
      }
    case 'no-paths':
      return {
        error: `${action}: No paths provided`,
        code: 'invalid_parameter',
        details: { advice: 'Write one path a line.' },
      }
    case 'files-failed': {
      const failures = problem.failures.map(({ path, problem }) => ({ path, ...explain(problem, action) }))
      // The action is named once, at the beginning.
      const listed = failures.map(({ path, error }) => `  ${path}: ${error.replace(`${action}: `, '')}`).join('\n')
      return {
        error: `${action}: Failed to ${problem.doing} ${failures.length} file(s):\n${listed}`,
        code: failures[0]?.code ?? 'file_not_found',
        details: {
          failures: failures.map(({ path, error, code }) => ({ path, error, code })),
          advice: severalAdvice(problem),
        },
      }
    }
    case 'bad-param':
      return {
        error: `${action}: Invalid ${problem.param}: ${problem.message}`,
        code: 'invalid_parameter',
      }
    case 'structure': {
      const { code, message, details: structure } = problem
      return { error: `${action}: ${code}: ${message}`, code, details: { structure } }
    }
    case 'search-failed':
      return {
        error: `${action}: ${problem.message}`,
        code: 'invalid_parameter',
        details: { advice: 'Correct the pattern.' },
      }
    case 'command-refused':
      return {
        error: `${action}: Command not allowed: ${problem.reason}`,
        code: 'command_not_allowed',
        details: { advice: problem.advice },
      }
    case 'approval-needed':
      return approvalNeeded(problem, action)
    case 'command-failed':
      return {
        error: `${action}: ${failureOf(problem.how)}`,
        code: 'exec_failed',
        ...(problem.offline === undefined ? {} : { details: { advice: offlineAdvice(problem.offline) } }),
      }
    case 'command-late':
      return {
        error: `${action}: Process timeout after ${problem.ms / 1000}s (TIMEOUT)`,
        code: 'exec_timeout',
        details: {
          limit: problem.ms,
          advice:
            problem.offline === undefined
              ? 'Everything it started was stopped. Do less at once, or ask the user for --timeout.'
              : `Everything it started was stopped. ${offlineAdvice(problem.offline)}`,
        },
      }
    case 'exec-refused':
      return {
        error: `${action}: Not allowed: ${problem.reason}`,
        code: 'action_not_allowed',
        details: { advice: problem.advice },
      }
    case 'program-missing':
      return {
        error: `${action}: ${problem.program} not found in PATH (ENOENT)`,
        code: 'exec_failed',
        details: { advice: problem.advice ?? `Ask the user to install ${problem.program}.` },
      }
    case 'version-missing': {
      const { lang, version, found } = problem
      return {
        error: `${action}: ${lang} ${version} not found${found === undefined ? '' : `, only ${found}`} (ENOENT)`,
        code: 'exec_failed',
        details: { advice: 'Leave version out to use what is installed.' },
      }
    }
    case 'cwd-missing':
      return {
        error: `${action}: Working directory does not exist '${problem.path}' (ENOENT)`,
        code: 'file_not_found',
        details: { path: problem.path, advice: 'Check the path with ls or glob.' },
      }
    case 'half-landed':
      return {
        error: `${action}: the group could not be carried out, and these files could not be put back: ${problem.paths.join(', ')}`,
        code: 'io_error',
        details: { advice: 'Copies lie beside them, named .clada-*.tmp.' },
      }
    case 'locked':
      return {
        error: `${action}: locked: ${problem.command || 'another execution'} (process ${problem.pid}) holds '${problem.lock}' since ${problem.since}`,
        code: 'locked',
        details: { path: problem.lock, advice: 'Wait for it to end, or give it longer with --lock-timeout.' },
      }
    case 'git':
      return {
        error: `${action}: git_operation_failed: ${problem.reason}`,
        code: 'git_operation_failed',
        details: { advice: problem.advice ?? 'Put it right, or run with --no-git.' },
      }
    case 'context-broken':
      return {
        error: `${action}: The working set cannot be read '${problem.file}': ${problem.reason}`,
        code: 'io_error',
        details: {
          path: problem.file,
          advice:
            'Nothing was changed. Ask the user to repair the file, or put it aside and begin anew with context_clear.',
        },
      }
    case 'step-refused': {
      const listed = problem.conflicts.map(({ path, reason }) => `\n  ${path}: ${reason}`).join('')
      const code = codes.find((one) => one === problem.code) ?? 'git_operation_failed'
      return { error: `${action}: ${problem.reason}${listed}`, code }
    }
    case 'stopped':
      return { error: `${action}: not executed: ${problem.reason}`, code: 'skipped' }
    case 'bug':
      return {
        error: `${action}: Unexpected executor error: ${problem.message}`,
        code: 'internal_error',
        ...(problem.stack ? { details: { stack: problem.stack } } : {}),
      }
  }
}

type HunkProblem = Problem & { kind: 'hunk-failed' }

function hunkMessage({ reason, found, other }: HunkProblem): string {
  switch (reason) {
    case 'absent':
      return 'not found in file'
    case 'ambiguous':
      return `fits ${found} places, must fit exactly one`
    case 'overlap':
      return `changes lines that hunk ${other} changes too`
    case 'no-context':
      return 'only adds lines and does not say where'
  }
}

function approvalNeeded(problem: Problem & { kind: 'approval-needed' }, action: string): Explained {
  const { command, runs, changed, refused } = problem
  const what = changed ? 'was approved, but what it runs has changed since' : 'is not approved'
  const shown = runs === undefined ? '' : ` It runs: ${runs}.`
  return {
    error: refused ? `${action}: The user refused '${command}'` : `${action}: '${command}' ${what}`,
    code: 'approval_required',
    details: {
      command,
      advice: refused
        ? 'Do without it, or ask the user why.'
        : `The user can approve it with: ${approveLine(problem)}.${shown} Until then, go on without it.`,
    },
  }
}

function failureOf(how: (Problem & { kind: 'command-failed' })['how']): string {
  if ('exit' in how) return `Command failed with exit code ${how.exit}`
  if ('stopped' in how) return 'Command stopped with the run, after it had begun; what it had done by then stays'
  return 'signal' in how ? `Process killed by signal ${how.signal}` : 'Process stopped: it started too many others'
}

function nearby({ nearest, applied, tooEarly }: Absence): Details {
  return {
    ...(tooEarly === undefined ? {} : { places: tooEarly }),
    ...(nearest.length > 0 ? { nearest } : {}),
    ...(applied === undefined ? {} : { already_applied_at_line: applied }),
  }
}
