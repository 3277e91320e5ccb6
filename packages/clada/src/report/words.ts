import type { ApprovalRequest, TrialRun } from '../core/commands.ts'
import type { MissingPart } from '@clada/reply/core/proposal.ts'
import { type ActionResult, type Details, type ParseError } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { isFrame, isPromptFrame, isTaskLine, isTokenLine } from '@clada/reply/core/report-frames.ts'
import { type CutLines, cutLines } from '@clada/reply/text/lines.ts'
import { codePointName, spellOut, spellOutLine } from '@clada/reply/text/spell-out.ts'
import { isMarker } from '@clada/reply/text/undamage.ts'

export { spellOut, spellOutLine }

/** The path, pattern or command that an action is about. */
export function primaryOf({
  params,
  data,
  success,
}: Pick<ActionResult, 'params' | 'data'> & Partial<Pick<ActionResult, 'success'>>): string {
  const { pattern, path, paths, lang, old_path, source_path, command } = params
  // What a search looks for says more than where.
  if (typeof pattern === 'string') return oneLine(pattern)
  // A name with a line break in it must not look like two lines.
  if (typeof path === 'string') return path.replace(/\r?\n|\r/g, '\\n')
  if (typeof paths === 'string') {
    const given = paths.split('\n').filter((line) => line.trim() !== '').length
    return `(${formatCount((success === true ? countFilesIn(data) : undefined) ?? given, 'file')})`
  }
  for (const value of [lang, old_path, source_path, command]) if (typeof value === 'string') return oneLine(value)
  return ''
}

/** How many files a result says it changed or read: a directory or a pattern is one line and may be many. */
function countFilesIn(data: unknown): number | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  // Of files that were read.
  if ('paths' in data && Array.isArray(data.paths)) return data.paths.length
  const results = 'results' in data ? data.results : undefined
  if (!Array.isArray(results)) return undefined
  return results.filter((one: { readonly replacements_made?: unknown }) => Number(one.replacements_made) > 0).length
}

/** The first line of a text, short enough for a list. */
export function oneLine(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

/** Errors of the same block together, in order of appearance. */
export function byBlock(errors: readonly ParseError[]): ParseError[][] {
  const groups = new Map<string, ParseError[]>()
  for (const error of errors) {
    const key = `${error.blockId}\0${error.blockStartLine}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [error])
    else group.push(error)
  }
  return [...groups.values()]
}

/** What a program wrote, without the colours that it gave it. */
// eslint-disable-next-line no-control-regex -- colours are what is looked for
export const withoutColors = (text: string): string => text.replaceAll(/\u001b\[[\d;:]*m/g, '')

/** A warning may have a second line, for readers who see no diff: a person at a terminal or on a page does. */
export const warningForPerson = (warning: string): string => warning.split('\n', 1).join('')

export const wholeWarning = (warning: string): string => warning.replaceAll('\n', ' ')

/** Who changed it, for a sentence. */
export function changerOf({ execution, action, kind, of }: NonNullable<Details['changed_by']>): string {
  const turn = kind === undefined || of === undefined ? '' : ` (${kind} of execution ${of})`
  const where = execution === undefined ? '' : `execution ${execution}${turn}`
  // An undo has no actions.
  if (action === 0) return where
  return where === '' ? `action ${action}` : `action ${action} of ${where}`
}

/** The first and the last part of a text that is too long, cut at line breaks where they are near, with the range left out. */
export function capText(text: string, limit: number, how = 'ask for less at a time'): string {
  const cut = cutLines(text, Math.max(0, limit - markRoom - how.length))
  return cut === undefined || text.length <= limit ? text : `${cut.head}\n${cutMark(cut, how)}\n${cut.tail}`
}

const markRoom = 80

/** How cuts are marked everywhere. */
export const cutMark = ({ first, last, total }: Pick<CutLines, 'first' | 'last' | 'total'>, how: string): string =>
  `[output truncated] lines ${first}-${last} of ${total} not shown; ${how}`

/** What a reply proposes, as the end of a sentence that begins "The reply proposes to" and ends with a path. */
export const proposalWords = {
  create: 'create',
  overwrite: 'replace the whole of',
  part: 'change a part of',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  command: 'run',
} as const satisfies Record<NonNullable<ApprovalRequest['proposed']>, string>

/** Why a proposal is not taken for the whole of a file. */
export const missingSentence = (lacks: MissingPart): string =>
  ({
    beginning: 'it lacks the beginning of the file, which would be deleted',
    end: 'it lacks the end of the file, which would be deleted',
    most: 'it has too little of the file to be all of it, and would delete the rest',
    everything: 'it is empty, and would delete all of the file',
    characters: 'it has quotes, spaces or HTML entities that the file does not have, as copying makes them',
  })[lacks]

/** The same as a whole sentence without a stop, for a question. */
export const doubtSentence = (lacks: MissingPart): string =>
  `${lacks === 'characters' ? 'Perhaps damaged' : 'Not the whole file'}: ${missingSentence(lacks)}`

/** How a command went that the user tried. */
export function triedSentence({ exitCode, changed, more }: TrialRun): string {
  const how = 'In the sandbox, without network:'
  if (exitCode === null) return `${how} it did not end in time. After a yes it runs again.`
  const files = changed.length + more
  return `${how} exit ${exitCode}, ${files === 0 ? 'no files' : formatCount(files, 'file')} changed. Nothing is kept yet.`
}

/** The end of its output, line by line. */
export const triedOutput = ({ output }: TrialRun): string[] =>
  output.trim() === ''
    ? []
    : output
        .replace(/^\s*\n/, '')
        .trimEnd()
        .split(/\r?\n/)
        .map((line) => spellOut(line.slice(0, 300)))

/** Keeps what files, programs and documents say apart from what clada says: counts the lines it had to indent. */
export class QuotedContent {
  #indented = 0

  /** The text with one space before each line that would read as a line of a report, or as the beginning of a block. */
  readonly text = (text: string): string => {
    const lines = text.split('\n')
    return lines
      .map((line, at) => {
        if (!readsAsOurs(line, lines[at + 1])) return line
        this.#indented++
        return ` ${line}`
      })
      .join('\n')
  }

  /** One line about what was indented; none where nothing was. */
  get note(): string[] {
    if (this.#indented === 0) return []
    const lines = this.#indented === 1 ? '1 line is' : `${this.#indented} lines are`
    return [`[${lines} indented by one space here, because they would read as a report or a block]`]
  }
}

/** A message on its own line; if a name or an error in it has line breaks, none of the others reads as ours. */
export function entryText(entry: string): string {
  const [first = '', ...rest] = entry.split('\n')
  return rest.length === 0 ? first : [first, new QuotedContent().text(rest.join('\n'))].join('\n')
}

/** Lines of a report that may quote names and errors: each stays its own, and none controls the terminal. */
export const safeLines = (lines: readonly string[]): string[] => lines.map((line) => spellOut(entryText(line)))

const readsAsOurs = (line: string, next: string | undefined): boolean =>
  isFrame(line) || isTaskLine(line) || isPromptFrame(line) || isTokenLine(line) || isMarker(line, next)

/** A command as a person must see it: nothing hidden, nothing that moves the cursor, no spaces that push text away. */
export function spellOutCommand(command: string): string {
  const shown = spellOutLine(command).replace(/ {4,}/g, (spaces) => ` (${spaces.length} spaces) `)
  // The arrow is ours: it leads from a link to its file.
  const foreign = [...new Set(command.match(/(?!→)\P{ASCII}/gu) ?? [])]
  return foreign.length === 0 ? shown : `${shown}  (not ASCII: ${foreign.slice(0, 8).map(codePointName).join(' ')})`
}

/** A text as one word of a command line, which means the same in a shell. */
export const shellQuoted = (text: string): string =>
  /["$`\\!\p{C}]/u.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : `"${text}"`

/** The same, with quotes only where it needs them. */
export const shellWord = (text: string): string => (/^[\w./-]+$/.test(text) ? text : shellQuoted(text))

/** The lines of a text below another. */
export const indentLines = (text: string): string[] => text.split('\n').map((line) => `  ${line}`)
