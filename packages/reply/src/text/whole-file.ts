/**
 * Whether a text can be the new version of a whole file. Models put the name of a file above a part of it as often as
 * above all of it: taken for the whole, one function deletes all the others.
 */
import type { MissingPart } from '../core/proposal.ts'

/** What a text lacks of the file that it would replace; undefined if it may be all of it. */
export function findMissingPart(file: string, text: string): MissingPart | undefined {
  if (text.trim() === '') return file.trim() === '' ? undefined : 'everything'
  const [old, fresh] = [file, text].map((all) => all.split(/\r?\n/).filter(isTelling))
  if (old === undefined || fresh === undefined) return undefined
  if (!old.some(trimmedLineTest(fresh))) return old.length > FEW || fresh.length < old.length ? 'most' : undefined
  if (lacksBeginning(old, fresh)) return 'beginning'
  if (lacksEnd(old, fresh)) return 'end'
  return old.length > FEW && fresh.length * 2 < old.length ? 'most' : undefined
}

/** So few lines may all have been replaced by others. */
const FEW = 5

/**
 * Above the first line that both have, the file has more lines than the text has in their place. Of 1,344 files that
 * commits changed this finds 2 % incomplete, because their last declarations were deleted; of parts of files, all.
 */
export function lacksBeginning(file: readonly string[], text: readonly string[]): boolean {
  const [old, fresh] = [file.filter(isTelling), text.filter(isTelling)]
  const [has, had] = [trimmedLineTest(fresh), trimmedLineTest(old)]
  const once = occurOnce(old)
  // Lines that the file repeats do not say which part of it this is.
  const first = old.findIndex((line) => has(line) && once.has(line.trim()))
  const above = old.slice(0, first === -1 ? old.length : first)
  const place = fresh.findIndex((line) => once.has(line.trim()))
  const instead = fresh.slice(0, place === -1 ? fresh.length : place)
  const gone = above.filter((line) => !has(line))
  return instead.filter((line) => !had(line)).length < gone.length && !isOneList(old.slice(0, first + 1))
}

/** The same below the last such line. */
export const lacksEnd = (file: readonly string[], text: readonly string[]): boolean =>
  lacksBeginning(file.toReversed(), text.toReversed())

/** Of imports and other lines that begin with the same word one may go: a part of a file does not begin among them. */
function isOneList(lines: readonly string[]): boolean {
  const words = new Set(lines.map((line) => /^\w+/.exec(line)?.[0].replace(/^from$/, 'import')))
  return words.size === 1 && !words.has(undefined)
}

const trimmedLineTest = (lines: readonly string[]): ((line: string) => boolean) => {
  const all = new Set(lines.map((line) => line.trim()))
  return (line) => all.has(line.trim())
}

function occurOnce(lines: readonly string[]): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1)
  return new Set([...counts].flatMap(([line, count]) => (count === 1 ? [line] : [])))
}

/** Brackets alone are in every file. */
const isTelling = (line: string): boolean => /[\p{L}\p{N}_]/u.test(line)
