import type { Absence, HunkVerdict, Problem } from '../core/problem.ts'
import type { Details } from '../core/result.ts'
import type { Message } from './failure.ts'

type MatchProblem = Extract<
  Problem,
  {
    kind:
      | 'text-absent'
      | 'text-ambiguous'
      | 'already-applied'
      | 'count-differs'
      | 'hunk-failed'
      | 'lines-invalid'
      | 'lines-outside'
      | 'lines-differ'
  }
>

/** A text, a hunk or lines that are not where an edit looked for them. */
export function matchMessage(problem: MatchProblem): Message {
  switch (problem.kind) {
    case 'text-absent': {
      const { param, path, after } = problem
      return {
        what: after ? `${param} not found after ${after}` : `${param} not found in file`,
        code: 'match_count_mismatch',
        details: { path, ...missingOf(param), ...nearby(problem) },
        advice: absentAdvice(param, problem),
      }
    }
    case 'already-applied': {
      const { path, line, endLine } = problem
      return {
        what: `new_text is already in the file on lines ${line}-${endLine}, and old_text only as a part of it`,
        code: 'match_count_mismatch',
        details: { path, already_applied_at_line: line },
        advice:
          'The edit was probably applied before: there is nothing to do. To add the lines again, use file_insert_lines.',
      }
    }
    case 'text-ambiguous': {
      const { param, path, count, after, places } = problem
      return {
        what: `${param} appears ${count} times${after ? ` after ${after}` : ''}, must appear exactly once`,
        code: 'match_count_mismatch',
        details: { path, found: count, places },
        advice: `Add lines around ${param} until it appears only once.`,
      }
    }
    case 'count-differs': {
      const { path, expected, found, places, params, missing } = problem
      return {
        what:
          expected === 'all'
            ? `expected at least 1 occurrence but found ${found}`
            : `expected ${expected} occurrences but found ${found}`,
        code: 'match_count_mismatch',
        details: {
          path,
          expected,
          found,
          ...(places.length > 0 ? { places } : {}),
          ...missingOf(missing),
          ...nearby(problem),
        },
        advice:
          found === 0
            ? absentAdvice(missing ?? 'old_text', problem)
            : `Set count to ${found}, or narrow ${params.join(' and ')}.`,
      }
    }
    case 'hunk-failed': {
      const { path, lines, reason, found, places, hunk, total } = problem
      return {
        what: `hunk ${hunk} of ${total} ${hunkMessage(problem)}`,
        below: lines
          .split('\n')
          .map((line) => `  ${line}`)
          .join('\n'),
        code: 'match_count_mismatch',
        details: {
          path,
          ...(reason === 'ambiguous' ? { found, places } : {}),
          hunks: problem.verdicts,
          ...nearby(problem),
        },
        advice: hunkAdvice(problem),
      }
    }
    case 'lines-invalid':
      return {
        what:
          problem.reason === 'form'
            ? `Invalid line specification '${problem.spec}'`
            : `Invalid line range '${problem.spec}' (start must be <= end)`,
        code: 'invalid_parameter',
        advice: 'Write one line as 4 or a range as 23-43, counted from 1.',
      }
    case 'lines-outside': {
      const { spec, lineCount, asked } = problem
      const sentences = {
        read: `Requested lines ${spec} but file only has ${lineCount} lines`,
        write: `Line range ${spec} is out of bounds (file has ${lineCount} lines)`,
        insert: `Line ${spec} is out of bounds (file has ${lineCount} lines)`,
      }
      return {
        what: sentences[asked],
        code: 'invalid_parameter',
        details: { found: lineCount },
        ...(asked !== 'read'
          ? { advice: 'Read the file with line numbers first: they may have moved.' }
          : // Those that exist are shown.
            Number.parseInt(spec, 10) <= lineCount
            ? {}
            : { advice: `Ask for lines from 1 to ${lineCount}.` }),
      }
    }
    case 'lines-differ': {
      const { path, lines, expected, actual } = problem
      const [which, are] = lines.includes('-') ? [`Lines ${lines}`, 'are'] : [`Line ${lines}`, 'is']
      const differ = `${are} not what was expected`
      return {
        what: `${which} of`,
        subject: path,
        rest: ` ${differ}`,
        brief: `${which} ${differ}`,
        code: 'match_count_mismatch',
        details: { path, expected, found: actual },
        advice: 'Read the file with line numbers again: they may have moved.',
      }
    }
  }
}

/** Most edits look for old_text, so it is not named. */
const missingOf = (param = 'old_text'): Pick<Details, 'missing'> => (param === 'old_text' ? {} : { missing: param })

type HunkProblem = Problem & { kind: 'hunk-failed' }

function hunkMessage({ reason, found, other }: HunkProblem): string {
  switch (reason) {
    case 'absent':
      return 'not found in file'
    case 'ambiguous':
      return `fits ${found} places, must fit exactly one`
    case 'unclear':
      return 'matches only with different indentation or characters, and it is not clear how its new lines must be written'
    case 'overlap':
      return `changes lines that hunk ${other} changes too`
    case 'no-context':
      return 'only adds lines and does not say where'
  }
}

export function nearby({ nearest, applied, tooEarly }: Absence): Details {
  return {
    ...(tooEarly === undefined ? {} : { places: tooEarly }),
    ...(nearest.length > 0 ? { nearest } : {}),
    ...(applied === undefined ? {} : { already_applied_at_line: applied }),
  }
}

function absentAdvice(param: string, { nearest, applied, tooEarly, emptyFile }: Absence): string {
  if (tooEarly !== undefined)
    return `${param} is only before old_text_beginning, which it must follow. Give another end, or a beginning further up.`
  if (emptyFile) return 'The file is empty. Write it with file_write, or look for the text in another file.'
  if (applied !== undefined)
    return `The new text is already in the file, on line ${applied}. If that was this edit, nothing is left to do.`
  if (nearest.length > 0) return `Copy ${param} from the nearest place, exactly as it is there.`
  return notAlike
}

const notAlike = 'No part of the file is similar. Read the file again; it may be the wrong file.'

function hunkAdvice({ reason, nearest, applied, hunk, verdicts }: HunkProblem): string {
  const advice = {
    absent: absentHunkAdvice({ nearest, ...(applied === undefined ? {} : { applied }) }),
    ambiguous: 'Add lines of context around it until it fits only one place.',
    unclear: 'Copy its lines from the nearest place, exactly as they are there.',
    overlap: 'Write them as one hunk.',
    'no-context': 'Add unchanged lines from the file before or after the new ones, each prefixed with one space.',
  }
  const others = verdicts.filter((one) => one.hunk !== hunk).map(verdictSentence)
  const applies = verdicts.some(({ verdict }) => verdict === 'applied')
  const why =
    others.length === 0
      ? ''
      : ', because the hunks for it are applied together or not at all (--patches good applies those that fit)'
  return [advice[reason], ...(applies ? [] : [`The file was left as it was${why}.`]), ...others].join(' ')
}

function verdictSentence({ hunk, verdict, line }: HunkVerdict): string {
  const where = line === undefined ? '' : ` on line ${line}`
  const sentences: Readonly<Record<HunkVerdict['verdict'], string>> = {
    applied: `was applied${where}: do not send it again.`,
    fits: `would apply${where}.`,
    absent: 'was not found either.',
    'already-applied': `is already in the file${where}.`,
    ambiguous: 'fits several places.',
    unclear: 'matches, but it is not clear how its new lines must be written.',
    overlap: 'overlaps another hunk.',
    'no-context': 'only adds lines and does not say where.',
  }
  return `Hunk ${hunk} ${sentences[verdict]}`
}

function absentHunkAdvice({ nearest, applied }: Absence): string {
  if (applied !== undefined) return `Its new lines are already in the file, on line ${applied}; if so, leave it out.`
  return nearest.length > 0 ? 'Copy its lines from the nearest place, exactly as they are there.' : notAlike
}
