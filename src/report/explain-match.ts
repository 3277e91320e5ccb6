import type { Absence, Problem } from '../core/problem.ts'
import type { Details } from '../core/result.ts'
import { absentAdvice, hunkAdvice, outsideAdvice } from './advice.ts'
import type { Explained } from './explained.ts'

type MatchProblem = Extract<
  Problem,
  {
    kind:
      | 'text-absent'
      | 'text-ambiguous'
      | 'count-differs'
      | 'hunk-failed'
      | 'lines-invalid'
      | 'lines-outside'
      | 'lines-differ'
  }
>

/** A text, a hunk or lines that are not where an edit looked for them. */
export function explainMatch(problem: MatchProblem, action: string): Explained {
  switch (problem.kind) {
    case 'text-absent': {
      const { param, path, after } = problem
      return {
        error: after ? `${action}: ${param} not found after ${after}` : `${action}: ${param} not found in file`,
        code: 'match_count_mismatch',
        details: { path, ...missingOf(param), ...nearby(problem), advice: absentAdvice(param, problem) },
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
          ...missingOf(problem.missing),
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
  }
}

/** What most edits look for is old_text, and nobody has to be told. */
const missingOf = (param = 'old_text'): Pick<Details, 'missing'> => (param === 'old_text' ? {} : { missing: param })

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

function nearby({ nearest, applied, tooEarly }: Absence): Details {
  return {
    ...(tooEarly === undefined ? {} : { places: tooEarly }),
    ...(nearest.length > 0 ? { nearest } : {}),
    ...(applied === undefined ? {} : { already_applied_at_line: applied }),
  }
}
