import { counted } from '../core/counted.ts'
import type { ActionResult, ExecutionResult, LeftHunk, PlaceChoice } from '../core/result.ts'
import { oneLine } from './words.ts'

/** What the user left out of an action, or changed in it, each line after a mark. */
export function reviewLines({ review = {}, success }: ActionResult, mark = ''): string[] {
  const { hunks = [], edited = [], place, leftOut } = review
  if (leftOut === true) return []
  const shown = hunks.slice(0, mostHunks).flatMap(hunkLines)
  const more = hunks.length > mostHunks ? [`… and ${counted(hunks.length - mostHunks, 'more hunk')} left out`] : []
  const lines = place === undefined ? [] : [`the user chose the place: ${placeOf(place)}`]
  const done = success ? 'applied with changes by the user' : 'changed by the user'
  const changes = edited.flatMap(({ what, diff }) => [`${done} (${what}):`, ...indented(diff.split('\n'))])
  return [...lines, ...shown, ...more, ...changes].map((line) => `${mark}${line}`)
}

/** More say no more about what the user wants. */
const mostHunks = 20

function hunkLines({ path, lines, diff, reason }: LeftHunk): string[] {
  const where = lines === undefined ? path : `${path}:${lines}`
  const why = reason === undefined ? '' : ` (${oneLine(reason)})`
  return [`left out by the user: ${where}${why}`, ...indented(diff)]
}

const placeOf = ({ line, endLine }: PlaceChoice): string =>
  line === endLine ? `line ${line}` : `lines ${line}-${endLine}`

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)

/** The changes of the user to the whole reply. */
export const editedReplyLines = ({ editedReply }: ExecutionResult): string[] =>
  editedReply === undefined
    ? []
    : ['the user edited the reply before it was applied:', ...indented(editedReply.split('\n'))]
