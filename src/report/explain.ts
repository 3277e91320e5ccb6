import type { Problem } from '../core/problem.ts'
import { codes } from '../core/result.ts'
import { pathAdvice, severalAdvice } from './advice.ts'
import { explainMatch } from './explain-match.ts'
import { explainOs, osCode } from './explain-os.ts'
import { explainProgram } from './explain-program.ts'
import type { Explained } from './explained.ts'

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
    case 'text-absent':
    case 'text-ambiguous':
    case 'count-differs':
    case 'hunk-failed':
    case 'lines-invalid':
    case 'lines-outside':
    case 'lines-differ':
      return explainMatch(problem, action)
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
    case 'approval-needed':
    case 'command-failed':
    case 'command-late':
    case 'exec-refused':
    case 'program-missing':
    case 'version-missing':
    case 'cwd-missing':
      return explainProgram(problem, action)
    case 'half-landed':
      return {
        error: `${action}: the group could not be carried out, and these files could not be put back: ${problem.paths.join(', ')}`,
        code: 'io_error',
        details: { advice: 'Copies lie beside them or at the top of the project, named .clada-*.tmp.' },
      }
    case 'locked':
      return explainLocked(problem, action)
    case 'not-a-lock':
      return {
        error: `${action}: '${problem.path}' is not a lock of clada`,
        code: 'invalid_parameter',
        details: { path: problem.path, advice: 'It is left as it is. Name another file with --lock-file.' },
      }
    case 'record-unwritten':
      return {
        error: `${action}: the record could not be written: ${problem.message}`,
        code: osCode(problem.code),
        details: {},
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
      const conflicts = problem.conflicts.map(({ path }) => path)
      return {
        error: `${action}: ${problem.reason}${listed}`,
        code,
        ...(conflicts.length === 0 ? {} : { details: { conflicts } }),
      }
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

function explainLocked({ lock, holder }: Problem & { kind: 'locked' }, action: string): Explained {
  const wait = 'Wait for it to end, or give it longer with --lock-timeout.'
  const told = (what: string, advice: string): Explained => ({
    error: `${action}: locked: ${what}`,
    code: 'locked',
    details: { path: lock, advice },
  })
  if (holder === undefined)
    return told(`'${lock}' is there and does not say who holds it`, 'Try again in a few seconds.')
  const { pid, command, since, host } = holder
  const place = host === undefined ? '' : ` on ${host}`
  const what = `${command || 'another execution'} (process ${pid}${place}) holds '${lock}'${since && ` since ${since}`}`
  return told(
    what,
    host === undefined ? wait : `${wait} Nobody here can see whether it lives: if not, remove that file.`,
  )
}
