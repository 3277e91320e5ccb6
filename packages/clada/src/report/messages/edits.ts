import { formatCount } from '@clada/reply/core/words.ts'
import type { Absence, Advice, HunkVerdict, Problem } from '../../core/problem.ts'
import type { Elision } from '@clada/reply/core/place.ts'
import type { Details } from '../../core/result.ts'
import { errorText } from '../failure.ts'
import type { ExplainPart, MessageRows } from './row.ts'

/** A text, a hunk or lines that are not where an edit looked for them. */
export const editMessages: MessageRows<
  | 'empty-text'
  | 'search-empty'
  | 'text-absent'
  | 'already-applied'
  | 'text-ambiguous'
  | 'count-differs'
  | 'hunk-failed'
  | 'lines-invalid'
  | 'lines-outside'
  | 'lines-differ'
  | 'edits-failed'
  | 'elision'
  | 'structure'
> = {
  'empty-text': {
    code: 'invalid_parameter',
    what: ({ param }) => `${param} cannot be empty`,
    advice: ({ param }) => `Give the text to look for in ${param}.`,
  },
  'search-empty': {
    code: 'match_count_mismatch',
    what: 'SEARCH is empty, and the file has text',
    details: ({ path, end }) => ({ path, found: end }),
    advice: ({ end }) =>
      `Say where the new lines go: SEARCH for lines of the file and repeat them in REPLACE. Its last lines are:\n${end}`,
  },
  'text-absent': {
    code: 'match_count_mismatch',
    what: ({ param, after }) => (after ? `${param} not found after ${after}` : `${param} not found in file`),
    details: (problem) => ({ path: problem.path, missing: missingParam(problem.param), ...absenceDetails(problem) }),
    advice: (problem) => absentAdvice(problem.param, problem),
  },
  'already-applied': {
    code: 'match_count_mismatch',
    what: ({ line, endLine }) =>
      `new_text is already in the file on lines ${line}-${endLine}, and old_text only as a part of it`,
    details: ({ path, line }) => ({ path, already_applied_at_line: line }),
    advice:
      'The edit was probably applied before: there is nothing to do. To add the lines again, use file_insert_lines.',
  },
  'text-ambiguous': {
    code: 'match_count_mismatch',
    what: ({ param, count, after }) =>
      `${param} appears ${count} times${after ? ` after ${after}` : ''}, must appear exactly once`,
    details: ({ path, count, places }) => ({ path, found: count, places }),
    advice: ({ param }) => `Add lines around ${param} until it appears only once.`,
  },
  'count-differs': {
    code: 'match_count_mismatch',
    what: ({ expected, found }) =>
      expected === 'all'
        ? `expected at least 1 occurrence but found ${found}`
        : `expected ${expected} occurrences but found ${found}`,
    details: (problem) => {
      const { path, expected, found, places, missing } = problem
      const near = absenceDetails(problem)
      return {
        path,
        expected,
        found,
        missing: missingParam(missing),
        ...near,
        places: near.places ?? (places.length > 0 ? places : undefined),
      }
    },
    advice: (problem) =>
      problem.found === 0
        ? absentAdvice(problem.missing ?? 'old_text', problem)
        : `Set count to ${problem.found}, or narrow ${problem.params.join(' and ')}.`,
  },
  'hunk-failed': {
    code: 'match_count_mismatch',
    what: (problem) => `hunk ${problem.hunk} of ${problem.total} ${hunkReason(problem)}`,
    below: ({ lines }) => lines.replaceAll(/^/gm, '  '),
    details: (problem) => {
      const isAmbiguous = problem.reason === 'ambiguous'
      return {
        path: problem.path,
        hunks: problem.verdicts,
        ...absenceDetails(problem),
        found: isAmbiguous ? problem.found : undefined,
        places: isAmbiguous ? problem.places : undefined,
      }
    },
    advice: hunkAdvice,
  },
  'lines-invalid': {
    code: 'invalid_parameter',
    what: ({ reason, spec }) =>
      reason === 'form'
        ? `Invalid line specification '${spec}'`
        : `Invalid line range '${spec}' (start must be <= end)`,
    advice: 'Write one line as 4 or a range as 23-43, counted from 1.',
  },
  'lines-outside': {
    code: 'invalid_parameter',
    what: ({ spec, lineCount, asked }) =>
      ({
        read: `Requested lines ${spec} but file only has ${lineCount} lines`,
        write: `Line range ${spec} is out of bounds (file has ${lineCount} lines)`,
        insert: `Line ${spec} is out of bounds (file has ${lineCount} lines)`,
      })[asked],
    details: ({ lineCount }) => ({ found: lineCount }),
    advice: ({ spec, lineCount, asked }) => {
      if (asked !== 'read') return 'Read the file with line numbers first: they may have moved.'
      // Those that exist are shown.
      return Number.parseInt(spec, 10) <= lineCount ? undefined : `Ask for lines from 1 to ${lineCount}.`
    },
  },
  'lines-differ': {
    code: 'match_count_mismatch',
    what: ({ lines }) => `${lineWords(lines)} of`,
    subject: ({ path }) => path,
    rest: ({ lines }) => ` ${notExpected(lines)}`,
    brief: ({ lines }) => `${lineWords(lines)} ${notExpected(lines)}`,
    details: ({ path, expected, actual }) => ({ path, expected, found: actual }),
    advice: 'Read the file with line numbers again: they may have moved.',
  },
  // The first failure has the facts of a single edit; each other one has the place that helps.
  'edits-failed': {
    code: ({ failures: [first] }, explainPart) => (first ? explainPart(first.problem).code : 'match_count_mismatch'),
    what: (problem) => `${editsFailed(problem)}:`,
    brief: editsFailed,
    below: ({ failures }, explainPart) =>
      failures.map(({ edit, problem }) => `  edit ${edit}: ${errorText(explainPart(problem).failure, '')}`).join('\n'),
    details: editsDetails,
    advice: ({ failures: [first] }, explainPart) =>
      `${(first && explainPart(first.problem).details?.advice) ?? ''} Then send all edits again.`.trim(),
  },
  elision: {
    code: 'elision',
    what: ({ param, elision: { line, at, why } }) =>
      `${param} has '${line}'${param === 'patch' ? '' : ` on its line ${at}`}${elided[why]}`,
    details: (problem) => ({
      path: problem.path,
      found: problem.replaced,
      ...absenceDetails({ ...problem, nearest: problem.nearest ?? [] }),
    }),
    advice: ({ nearest, elision: { why } }) =>
      `${nearest === undefined || why !== 'only-new' ? '' : 'The lines before and after it were not found exactly once. '}Write out the lines that were left out, or edit only the lines that change: lines in neither old nor new text stay.`,
  },
  structure: {
    code: ({ code }) => code,
    label: ({ code }) => code,
    what: ({ message }) => message,
    details: ({ details }) => details,
  },
}

const elided: Readonly<Record<Elision['why'], string>> = {
  'only-new': ', which would be written into the file as it is',
  'only-old': ', and the new text does not say whether the lines it stands for stay',
  unequal: ', and the new text does not have as many of them',
  'not-found': ', and the lines around it are not in the file exactly once',
}

/** Most edits look for old_text, so it is not named. */
const missingParam = (param = 'old_text'): string | undefined => (param === 'old_text' ? undefined : param)

function absenceDetails({ nearest, applied, tooEarly }: Absence): Details {
  return {
    places: tooEarly,
    nearest: nearest.length > 0 ? nearest : undefined,
    already_applied_at_line: applied,
  }
}

function absentAdvice(param: string, { nearest, applied, tooEarly, emptyFile }: Absence): Advice {
  if (tooEarly !== undefined)
    return `${param} is only before old_text_beginning, which it must follow. Give another end, or a beginning further up.`
  if (emptyFile)
    return {
      model: 'The file is empty. Write it with file_write, or look for the text in another file.',
      user: 'The file is empty.',
    }
  if (applied !== undefined)
    return `The new text is already in the file, on line ${applied}. If that was this edit, nothing is left to do.`
  if (nearest.length > 0)
    return { model: `Copy ${param} from the nearest place, exactly as it is there.`, user: chooseThePlace }
  return notSimilar
}

const chooseThePlace = 'Choose the place with --review, or give the model the report.'

const notSimilar = {
  model: 'No part of the file is similar. Read the file again; it may be the wrong file.',
  user: 'No part of the file is similar; it may be the wrong file. Give the model the report.',
} as const satisfies Advice

const lineWords = (lines: string): string => (lines.includes('-') ? `Lines ${lines}` : `Line ${lines}`)

const notExpected = (lines: string): string => `${lines.includes('-') ? 'are' : 'is'} not what was expected`

type HunkProblem = Problem & { kind: 'hunk-failed' }

function hunkReason({ reason, found, other }: HunkProblem): string {
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

function hunkAdvice({ reason, nearest, applied, hunk, verdicts }: HunkProblem): Advice {
  const advice: Readonly<Record<typeof reason, Advice>> = {
    absent: absentHunkAdvice({ nearest, applied }),
    ambiguous: 'Add lines of context around it until it fits only one place.',
    unclear: { model: 'Copy its lines from the nearest place, exactly as they are there.', user: chooseThePlace },
    overlap: 'Write them as one hunk.',
    'no-context': 'Add unchanged lines from the file before or after the new ones, each prefixed with one space.',
  }
  const others = verdicts.filter((one) => one.hunk !== hunk)
  const applies = verdicts.some(({ verdict }) => verdict === 'applied' || verdict === 'reviewed')
  const why = others.some(({ verdict }) => verdict === 'fits')
    ? ', because the hunks for it are applied together or not at all (--patches good applies those that fit)'
    : ''
  const left = applies ? [] : [`The file was left as it was${why}.`]
  const rest = (reader: Audience): string[] => [...left, ...verdictSentences(others, reader)]
  const own = advice[reason]
  const { model, user } = typeof own === 'string' ? { model: own, user: own } : own
  return { model: [model, ...rest('model')].join(' '), user: [user, ...rest('user')].join(' ') }
}

type Audience = 'model' | 'user'

/** One sentence for all hunks of which the same is true. */
function verdictSentences(verdicts: readonly HunkVerdict[], reader: Audience): string[] {
  const kinds = new Set(verdicts.map(({ verdict }) => verdict))
  return [...kinds].map((verdict) => {
    const alike = verdicts.filter((each) => each.verdict === verdict)
    const [one, several] = verdictWords[verdict]
    const lines = alike.flatMap(({ line }) => line ?? [])
    const where = lines.length < alike.length ? '' : ` on ${numberedNoun('line', lines)}`
    const resend = reader === 'model' ? `: do not send ${alike.length === 1 ? 'it' : 'them'} again` : ''
    const more = { applied: resend, reviewed: ': applied, except what the user left out' }
    const end = verdict === 'applied' || verdict === 'reviewed' ? more[verdict] : ''
    const hunks = alike.map(({ hunk }) => hunk)
    return `${numberedNoun('Hunk', hunks)} ${alike.length === 1 ? one : several}${where}${end}.`
  })
}

const verdictWords: Readonly<Record<HunkVerdict['verdict'], readonly [one: string, several: string]>> = {
  applied: ['was applied', 'were applied'],
  reviewed: ['fits', 'fit'],
  fits: ['would apply', 'would apply'],
  absent: ['was not found either', 'were not found either'],
  'already-applied': ['is already in the file', 'are already in the file'],
  ambiguous: ['fits several places', 'fit several places'],
  unclear: [
    'matches, but it is not clear how its new lines must be written',
    'match, but it is not clear how their new lines must be written',
  ],
  overlap: ['overlaps another hunk', 'overlap other hunks'],
  'no-context': ['only adds lines and does not say where', 'only add lines and do not say where'],
}

/** `line 7`, `lines 7, 15 and 18`. */
function numberedNoun(noun: string, numbers: readonly number[]): string {
  const last = numbers.at(-1) ?? ''
  return numbers.length === 1 ? `${noun} ${last}` : `${noun}s ${numbers.slice(0, -1).join(', ')} and ${last}`
}

function absentHunkAdvice({ nearest, applied }: Absence): Advice {
  if (applied !== undefined)
    return `Its new lines are already in the file, on line ${applied}. If that was this edit, leave it out.`
  if (nearest.length === 0) return notSimilar
  return { model: 'Copy its lines from the nearest place, exactly as they are there.', user: chooseThePlace }
}

function editsFailed({ failures, total }: Problem & { kind: 'edits-failed' }): string {
  return `${failures.length} of ${formatCount(total, 'edit')} failed, and none was applied`
}

function editsDetails({ path, failures }: Problem & { kind: 'edits-failed' }, explainPart: ExplainPart): Details {
  const [first, ...others] = failures.map(({ edit, problem }) => ({ edit, ...explainPart(problem) }))
  if (first === undefined) return { path }
  const { advice: _, ...facts } = first.details ?? {}
  return {
    ...facts,
    path,
    edits: [
      { edit: first.edit, error: first.error, code: first.code },
      ...others.map(({ edit, error, code, details }) => ({
        edit,
        error,
        code,
        nearest: details?.nearest?.[0],
        places: details?.places,
      })),
    ],
  }
}
