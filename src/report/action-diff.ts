import type { ActionResult } from '../core/result.ts'
import { smallDiff } from '../text/small-diff.ts'

/** Lines of a diff that are enough to recognise a change by. */
const shownLines = 8

/**
 * What an action changed, as far as its own parameters say: the text that was replaced and the one that stands there
 * now, or the beginning of a new one. Empty for everything else.
 */
export function actionDiff({ success, params }: ActionResult, maxLines = shownLines): string[] {
  if (!success) return []
  const { old_text: before, new_text: after, content, new_content } = params
  if (typeof before === 'string' && typeof after === 'string') return smallDiff(before, after, maxLines).split('\n')
  const added = [after, content, new_content].find((text): text is string => typeof text === 'string' && text !== '')
  if (added === undefined) return []
  const lines = added.replace(/\r?\n$/, '').split('\n')
  const shown = lines.slice(0, lines.length > maxLines ? maxLines - 1 : maxLines)
  const more = lines.length - shown.length
  return [...shown.map((line) => `+${line.slice(0, 200)}`), ...(more > 0 ? [`… ${more} lines more`] : [])]
}
