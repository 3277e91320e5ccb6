import type { Problem } from '../core/problem.ts'
import type { Explained } from './explained.ts'
import { approveLine, offlineAdvice } from './offline.ts'

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
export function explainProgram(problem: ProgramProblem, action: string): Explained {
  switch (problem.kind) {
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
  if ('stopped' in how) return `Command stopped after it had begun: ${how.stopped}; what it had done by then stays`
  return 'signal' in how ? `Process killed by signal ${how.signal}` : 'Process stopped: it started too many others'
}
