import { isMissing, type NotExecuted, type NotExecutedReason } from '../core/block.ts'
import { counted } from '../core/counted.ts'
import type { ExecutionResult } from '../core/result.ts'

/** What a report says of edits and actions that did not run, and of a reply without any. */

const reasons: Readonly<Record<NotExecutedReason, string>> = {
  quoted: 'it is a quotation',
  thought: 'it is inside a thought of the model',
  listing: 'it is a listing, or a part of a file',
  example: 'it is taken as an example; if it is meant, send it as a block',
  'beside-native': 'it is in the format of another tool, next to native blocks',
  unreadable: 'it cannot be read as a block',
}

/** `lines 3-9: not executed: search-replace block, src/a.ts: it is a quotation` */
export const notExecutedText = (one: NotExecuted): string => `${placeOf(one)}: ${notExecutedNote(one)}`

export const notExecutedNote = ({ what, path, reason, sign }: Omit<NotExecuted, 'line' | 'endLine'>): string =>
  `not executed: ${what}${path === undefined ? '' : `, ${path}`}: ${sign === undefined ? reasons[reason] : oneSpace}`

const oneSpace =
  'its first line is indented by one space more than the text around it, as reports of clada show a block that a file quotes. If it is meant, remove that space'

export const placeOf = ({ line, endLine }: Pick<NotExecuted, 'line' | 'endLine'>): string =>
  line === endLine ? `line ${line}` : `lines ${line}-${endLine}`

/** How an edit that was meant can be sent, for each that is missing; nothing for the others. */
export function resendAdvice(one: NotExecuted): string | undefined {
  if (!isMissing(one)) return undefined
  return one.reason === 'beside-native'
    ? 'Send it as a block of the syntax that the other blocks have, or alone in a reply.'
    : 'Send it again as a whole block whose markers start their lines.'
}

/** More of them are only counted. */
const most = 50

/** All of them, one entry each. */
export function accountLines(
  { notExecuted = [] }: ExecutionResult,
  entry: (text: string, missing: boolean, one?: NotExecuted) => string,
): string[] {
  const lines = notExecuted.slice(0, most).map((one) => entry(notExecutedText(one), isMissing(one), one))
  const more = notExecuted.slice(most)
  if (more.length > 0) lines.push(entry(`${counted(more.length, 'more block')} not executed`, more.some(isMissing)))
  return lines
}

/** Whether a reply has nothing that was meant, as far as known. */
export const needsReminder = ({ results, parseErrors, fatalError, notExecuted = [] }: ExecutionResult): boolean =>
  results.length + parseErrors.length === 0 &&
  fatalError === undefined &&
  notExecuted.every(({ reason }) => reason === 'example')

/**
 * How to write a block, for a reply without any: five lines at most. None of them starts with a marker, so that a report
 * that is pasted back is not a document.
 */
export function reminderOf({ taught = 'sham' }: Pick<ExecutionResult, 'taught'>): string[] {
  const lines = lessons[taught] ?? sham
  const prompt = `clada prompt${taught === 'sham' ? '' : ` --syntax ${taught}`}`
  return [...lines.slice(0, -1), `${lines.at(-1)} Run \`${prompt}\` for the full instructions.`]
}

const sham = [
  'No blocks found. Write each action as a block of lines, each from the first column:',
  'first #!SHAM [@three-char-SHA-256: abc] with an id of your own, then action = "file_write" or another action,',
  'then name = "value" for each parameter, or name = <<\'EOT_SHAM_abc\' followed by lines of text and EOT_SHAM_abc,',
  'last #!END_SHAM_abc.',
]

const lessons: Readonly<Record<string, readonly string[]>> = {
  csl: [
    'No blocks found. Write each operation between markers, each marker alone on its line, from the first column.',
    'An edit: <---SEARCH file="PATH"--->, the old lines, <---REPLACE--->, the new lines, <---END--->.',
    'A file: <---WRITE file="PATH"--->, its lines, <---END--->. A command: <---RUN--->, the command, <---END--->.',
  ],
  cml: [
    'No blocks found. Write each task as an XML element that starts a line, its text in CDATA.',
    'An edit: <edit path="PATH"><search><![CDATA[old]]></search><replace><![CDATA[new]]></replace></edit>.',
    'A file: <write path="PATH"><![CDATA[text]]></write>. A command: <run><![CDATA[command]]></run>.',
  ],
  replacer: [
    'No blocks found. Write each edit between markers, each marker alone on its line, from the first column:',
    'a line <<<FILE>>>, the path, <<<SEARCH>>>, the old lines, <<<REPLACE>>>, the new lines, <<<END>>>;',
    'for a whole file <<<OVERWRITE>>> and its lines instead of SEARCH and REPLACE.',
  ],
  'search-replace': [
    'No blocks found. Write each edit as the path on a line of its own and below it, each marker alone on its line,',
    'a line <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE.',
  ],
  'apply-patch': [
    'No blocks found. Write the edits as a patch, each marker on a line of its own, from the first column:',
    'a line *** Begin Patch, then *** Update File: PATH and below @@ the lines with a space, - or + before them;',
    'a new file is *** Add File: PATH with + before each line; the last line is *** End Patch.',
  ],
  udiff: [
    'No blocks found. Write the edits as unified diffs in a code fence, each from the first column:',
    'a line --- a/PATH, a line +++ b/PATH, and below each @@ the lines with a space, - or + before them.',
  ],
}
