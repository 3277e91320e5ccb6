import type { Advice, Problem } from '../core/problem.ts'
import type { WriteNote } from '../core/files.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import { type Details, type EditFailure, type Failure } from '../core/result.ts'
import { counted } from '@clada/reply/core/words.ts'
import { resendAdvice } from './parts.ts'
import { matchMessage, nearby } from './explain-match.ts'
import { osCode, osMessage, programMessage } from './explain-program.ts'
import { checkPath, errorText, type Message, userText } from './failure.ts'
import { missingSentence } from './words.ts'

export interface Explained {
  /** The language fixes its first line, so callers may compare it. */
  readonly error: string
  readonly code: Code
  readonly details?: Details
  readonly failure: Failure
}

/** The only place where a problem becomes prose. `action` is the name as the block spelled it. */
export function explain(problem: Problem, action: string): Explained {
  const { code, details, advice, toUser, ...parts } = messageOf(problem, action)
  const [toModel, other] = typeof advice === 'object' ? [advice.model, advice.user] : [advice, undefined]
  const user = {
    ...(toUser === undefined ? {} : { sentence: toUser }),
    ...(other === undefined ? {} : { advice: other }),
  }
  const failure = { kind: problem.kind, ...parts, ...(Object.keys(user).length === 0 ? {} : { user }) }
  const all = { ...details, ...(toModel === undefined ? {} : { advice: toModel }) }
  return {
    error: errorText(failure, action),
    code,
    ...(Object.keys(all).length === 0 ? {} : { details: all }),
    failure,
  }
}

function messageOf(problem: Problem, action: string): Message {
  switch (problem.kind) {
    case 'os':
      return osMessage(problem)
    case 'source-missing':
      return {
        what: 'Source file not found',
        subject: problem.path,
        tag: 'ENOENT',
        code: 'file_not_found',
        details: { path: problem.path },
        advice: checkPath,
      }
    case 'not-regular':
      return {
        what: `'${problem.path}' is a ${problem.type}, not a regular file`,
        code: 'invalid_parameter',
        details: { path: problem.path },
        advice: 'Name a regular file.',
      }
    case 'not-cells':
      return {
        what: `'${problem.path}' is a notebook, and its new text does not begin with the header of a cell`,
        code: 'invalid_parameter',
        details: { path: problem.path },
        advice:
          'Keep the lines that begin cells, as file_read shows them: # %% [code] ID. A new cell has a header without an ID.',
      }
    case 'not-text': {
      const { path, reason, byte, line, described } = problem
      const only =
        reason === 'binary'
          ? 'Only text can be read and edited; the file was left as it is.'
          : `The file was left as it is. If it is text in another encoding, the user can declare which, in .editorconfig: [${path.slice(path.lastIndexOf('/') + 1)}] charset = latin1, or in clada.yml: encoding: {'${path.slice(path.lastIndexOf('/') + 1)}': windows-1252}`
      return {
        what: `'${path}' is ${reason === 'binary' ? 'a binary file' : 'not valid UTF-8'} (byte ${byte}, line ${line})`,
        code: reason === 'binary' ? 'binary_file' : 'not_utf8',
        details: { path },
        advice: described === undefined ? only : `It is a ${described}. ${only}`,
      }
    }
    case 'too-large': {
      const { path, size, limit } = problem
      return {
        what: `'${path}' has ${size} bytes, the limit is ${limit}`,
        code: 'file_too_large',
        details: { path, size, limit },
        advice: 'Work on a smaller file, or let a command do it.',
      }
    }
    case 'changed-meanwhile': {
      const { path, saved } = problem
      const copy = saved === undefined ? '' : ` The text that was last written to it is saved in ${saved}.`
      return {
        what: `'${path}' was changed by another program in the meantime`,
        code: 'concurrent_modification',
        details: { path, ...(saved === undefined ? {} : { saved }) },
        advice: `The file was left as it is. Read it again, then repeat the action.${copy}`,
      }
    }
    case 'hash-differs':
      return {
        what: `'${problem.path}' is not the file that was read`,
        code: 'concurrent_modification',
        details: { path: problem.path, expected: problem.expected, found: problem.actual },
        advice: 'Read it again, then repeat the action with the new hash.',
      }
    case 'path': {
      const { path, rule, reason, advice } = problem
      return {
        what: 'Path not allowed',
        subject: path,
        rest: `: ${reason}`,
        tag: rule,
        code: rule,
        details: { path, rule },
        advice: advice ?? (rule === 'invalid_parameter' ? 'No file can have that name here; choose another.' : blocked),
      }
    }
    case 'denied':
      return { head: '', what: problem.reason, code: 'action_not_allowed', details: { rule: problem.rule } }
    case 'empty-text':
      return {
        what: `${problem.param} cannot be empty`,
        code: 'invalid_parameter',
        advice: `Give the text to look for in ${problem.param}.`,
      }
    case 'not-encoded':
      return {
        what: `'${problem.path}' is declared as ${problem.encoding} and has bytes that are not, or are another way to write a character`,
        code: 'not_utf8',
        details: { path: problem.path },
        advice:
          'The file was left as it is. Correct the declaration (.editorconfig, .gitattributes or the key encoding).',
      }
    case 'not-encodable':
      return {
        what: `'${problem.path}' is in ${problem.encoding}, which has no ${problem.characters.join(', ')}`,
        code: 'not_utf8',
        details: { path: problem.path },
        advice: 'Write it with characters that the encoding has.',
      }
    case 'search-empty':
      return {
        what: 'SEARCH is empty, and the file has text',
        code: 'match_count_mismatch',
        details: { path: problem.path, found: problem.end },
        advice: `Say where the new lines go: SEARCH for lines of the file and repeat them in REPLACE. Its last lines are:\n${problem.end}`,
      }
    case 'text-absent':
    case 'already-applied':
    case 'text-ambiguous':
    case 'count-differs':
    case 'hunk-failed':
    case 'lines-invalid':
    case 'lines-outside':
    case 'lines-differ':
      return matchMessage(problem)
    case 'no-paths':
      return { what: 'No paths provided', code: 'invalid_parameter', advice: 'Write one path per line.' }
    case 'files-failed':
      return severalMessage(problem, action)
    case 'edits-failed':
      return editsMessage(problem, action)
    case 'elision': {
      const { path, param, line, replaced } = problem
      return {
        what: `${param} has '${line}', which would be written into the file as it is`,
        code: 'elision',
        details: {
          path,
          ...(replaced === undefined ? {} : { found: replaced }),
          ...nearby({ nearest: [], ...problem }),
        },
        advice: `${problem.nearest === undefined ? '' : 'The lines before and after it were not found exactly once. '}Write out the lines that were left out, or edit only the lines that change: lines in neither old nor new text stay.`,
      }
    }
    case 'review-needed': {
      const { path, refused, lacks } = problem
      const what = refused
        ? 'The user refused the proposal'
        : 'Review required: the reply proposes it, and the user has not agreed yet'
      const why = lacks && missingSentence(lacks)
      if (lacks !== undefined)
        return {
          what: lacks === 'everything' ? `The proposal is not applied: ${why}` : `${what}; ${why}`,
          code: 'review_required',
          details: { path },
          advice: 'Write the whole file, or a block that edits only the lines that change.',
        }
      return {
        what,
        code: 'review_required',
        details: { path },
        advice: {
          model: refused
            ? 'Ask the user what to change.'
            : 'The user can apply it with --proposals apply. Write changes as blocks to have them applied at once.',
          user: refused ? '' : 'Look at it with clada diff, then run it again with --proposals apply.',
        },
      }
    }
    case 'left-out': {
      const { path, reason } = problem
      const why = reason === undefined ? '' : `: ${reason}`
      return { what: `Left out by the user${why}`, code: 'skipped', details: { path } }
    }
    case 'review-outdated': {
      const { path } = problem
      return {
        what: 'The files changed after the review, so this would not be what the user agreed to:',
        subject: path,
        code: 'concurrent_modification',
        details: { path },
        advice: { model: 'Ask the user to review it again.', user: 'Review it again.' },
      }
    }
    case 'bad-param':
      return { what: `Invalid ${problem.param}: ${problem.message}`, code: 'invalid_parameter' }
    case 'structure': {
      const { code, message, details } = problem
      return { label: code, what: message, code, details }
    }
    case 'search-failed':
      return { ...firstAndRest(problem.message), code: 'invalid_parameter', advice: 'Correct the pattern.' }
    case 'command-refused':
    case 'approval-needed':
    case 'command-failed':
    case 'command-late':
    case 'exec-refused':
    case 'program-missing':
    case 'version-missing':
    case 'cwd-missing':
      return programMessage(problem)
    case 'half-landed':
      return {
        what: `the group could not be applied, and these files could not be restored: ${problem.paths.join(', ')}`,
        code: 'io_error',
        advice: 'There are copies next to them or at the top of the project, named .clada-*.tmp.',
      }
    case 'locked':
      return lockedMessage(problem)
    case 'not-a-lock':
      return {
        what: `'${problem.path}' is not a lock of clada`,
        code: 'invalid_parameter',
        details: { path: problem.path },
        advice: 'It was left as it is. Name another file with --lock-file.',
      }
    case 'record-unwritten':
      return {
        ...firstAndRest(`the record could not be written: ${problem.message}`),
        code: osCode(problem.code),
      }
    case 'git':
      return {
        label: 'git_operation_failed',
        ...firstAndRest(problem.reason),
        code: 'git_operation_failed',
        advice: problem.advice ?? 'Fix the problem above and retry, or run with --no-git.',
      }
    case 'context-broken':
      return {
        what: 'The working set cannot be read',
        subject: problem.file,
        rest: `: ${problem.reason}`,
        code: 'io_error',
        details: { path: problem.file },
        advice: {
          model: 'Nothing was changed. Ask the user to repair the file, or start a new one with context_clear.',
          user: 'Nothing was changed. Repair the file, or start a new one with clada context clear.',
        },
      }
    case 'step-refused': {
      const { conflicts, reason, code } = problem
      const listed = conflicts.map((one) => `  ${one.path}: ${one.reason}`)
      const { what, below } = firstAndRest(reason)
      const lines = [...(below === undefined ? [] : [below]), ...listed]
      return {
        ...(code === 'git_operation_failed' ? { label: code } : {}),
        what,
        ...(lines.length === 0 ? {} : { below: lines.join('\n') }),
        code,
        ...(conflicts.length === 0 ? {} : { details: { conflicts: conflicts.map(({ path }) => path) } }),
      }
    }
    case 'too-complex':
      if (problem.over === 'time')
        return {
          what: `this took longer than the limit of ${problem.ms / 1000} s`,
          code: 'exec_timeout',
          advice: 'Try a smaller part or another action, or allow more time with --timeout.',
        }
      return problem.over === 'depth'
        ? {
            what: 'the text is nested too deeply to be worked on',
            code: 'input_too_large',
            advice: 'Edit it by text or by lines.',
          }
        : {
            what: 'the result is too large to be held in memory',
            code: 'file_too_large',
            advice: 'Change less at once.',
          }
    case 'stopped':
      return {
        label: 'skipped',
        what: problem.reason,
        toUser: `skipped: ${problem.reason}`,
        code: 'skipped',
      }
    case 'proposal-waits': {
      const what = `the proposal for ${problem.path} on line ${problem.line} waits for the user, and this command comes after it`
      return {
        label: 'skipped',
        what,
        toUser: `skipped: ${what}`,
        code: 'skipped',
        advice: {
          model: 'Send this command again when the proposal is applied.',
          user: 'Apply the proposal, then run this command again.',
        },
      }
    }
    case 'edit-missing': {
      const { edit } = problem
      const what = `${edit.what}${edit.path === undefined ? '' : ` for ${edit.path}`} on line ${edit.line} was not executed`
      return {
        label: 'skipped',
        what: `the ${what}, and this command comes after it`,
        toUser: `skipped: the ${what}, and this command comes after it`,
        code: 'skipped',
        advice: `${resendAdvice(edit) ?? ''} Then send this command again.`,
      }
    }
    case 'bug':
      return {
        ...firstAndRest(`Unexpected executor error: ${problem.message}`),
        code: 'internal_error',
        ...(problem.stack ? { details: { stack: problem.stack } } : {}),
      }
  }
}

const blocked: Advice = {
  model: 'It is blocked for models; ask the user for what you need from it.',
  user: 'It is blocked for models.',
}

/** Words from elsewhere may have several lines. */
function firstAndRest(text: string): { readonly what: string; readonly below?: string } {
  const at = text.indexOf('\n')
  return at === -1 ? { what: text } : { what: text.slice(0, at), below: text.slice(at + 1) }
}

function severalMessage({ doing, failures, done }: Problem & { kind: 'files-failed' }, action: string): Message {
  const each = failures.map(({ path, problem }) => ({ path, ...explain(problem, action) }))
  const listed = each.map(({ path, failure }) => `  ${path}: ${errorText({ head: '', ...failure }, action)}`)
  const [first] = each
  return {
    what: `Failed to ${doing} ${each.length} file(s):`,
    below: listed.join('\n'),
    // Where all of them fail for the same reason, that is the news.
    ...(first !== undefined && each.every(({ code }) => code === first.code) && first.failure.brief !== undefined
      ? { brief: first.failure.brief }
      : {}),
    code: first?.code ?? 'file_not_found',
    details: { failures: each.map(({ path, error, code }) => ({ path, error, code })) },
    advice: severalAdvice(doing, done),
  }
}

/** The first failure has the facts of a single edit; of each other one the place that helps is listed with it. */
function editsMessage({ path, total, failures }: Problem & { kind: 'edits-failed' }, action: string): Message {
  const each = failures.map(({ edit, problem }) => ({ edit, ...explain(problem, action) }))
  const listed = each.map(({ edit, failure }) => `  edit ${edit}: ${errorText({ head: '', ...failure }, action)}`)
  const [first, ...others] = each
  const { advice = '', ...facts } = first?.details ?? {}
  return {
    what: `${each.length} of ${counted(total, 'edit')} failed, and none was applied:`,
    below: listed.join('\n'),
    code: first?.code ?? 'match_count_mismatch',
    details: {
      ...facts,
      path,
      edits: each.map(({ edit, error, code }) => ({ edit, error, code, ...placesFor(others, edit) })),
    },
    advice: `${advice} Then send all edits again.`.trim(),
  }
}

function placesFor(
  others: readonly (Explained & { readonly edit: number })[],
  edit: number,
): Pick<EditFailure, 'nearest' | 'places'> {
  const { nearest: [nearest] = [], places } = others.find((one) => one.edit === edit)?.details ?? {}
  return { ...(nearest === undefined ? {} : { nearest }), ...(places === undefined ? {} : { places }) }
}

/** A model that repeats the whole action would change some files twice. */
function severalAdvice(doing: 'read' | 'change', done: readonly string[]): Advice {
  if (doing === 'read')
    return done.length === 0
      ? { model: 'Check the paths with ls or glob.', user: 'Check the paths.' }
      : 'Check these paths with ls or glob; the others need not be read again.'
  if (done.length === 0) return 'None of the files was changed.'
  const names = done.length > 5 ? `${done.length} files` : done.join(', ')
  return `${names} ${done.length === 1 ? 'is' : 'are'} changed already. Repeat the action only for those that failed.`
}

function lockedMessage({ lock, holder }: Problem & { kind: 'locked' }): Message {
  const message = (what: string, advice: Advice): Message => ({
    what: `locked: ${what}`,
    code: 'locked',
    details: { path: lock },
    advice,
  })
  if (holder === undefined)
    return message(`'${lock}' exists and does not say who holds it`, 'Try again in a few seconds.')
  const { pid, command, since, host } = holder
  const place = host === undefined ? '' : ` on ${host}`
  const what = `${command || 'another execution'} (process ${pid}${place}) holds '${lock}'${since && ` since ${since}`}`
  const wait = 'Wait for it to end, or wait longer with --lock-timeout.'
  return message(
    what,
    host === undefined
      ? wait
      : `${wait} Whether it still runs cannot be seen from this machine: if it does not, remove that file.`,
  )
}

/**
 * Error line for a CLI command that refused to run: message plus advice. `fallback` replaces the advice when git
 * failed without one. `reason` is the line without the command's name and codes.
 */
export function refusalOf(
  problem: Problem,
  name: string,
  fallback?: string,
): { error: string; reason: string; code: Code } {
  const known = problem.kind === 'git' && fallback !== undefined ? { advice: fallback, ...problem } : problem
  const { error, code, details, failure } = explain(known, name)
  const advice = failure.user?.advice ?? details?.advice ?? ''
  const then = advice === '' ? '' : `. ${advice}`
  return { error: `${error}${then}`, reason: `${userText({ failure })}${then}`, code }
}

export function noteWarnings({ displaced, disowned }: WriteNote): string[] {
  const warnings: string[] = []
  if (displaced !== undefined)
    warnings.push(`another program wrote to the file while it was being replaced; its text is saved in ${displaced}`)
  if (disowned !== undefined) warnings.push(`${disowned} belonged to another user and is now yours`)
  return warnings
}
