import { shortDigestOf } from '../core/digest.ts'

/** A reply of an earlier version of the file: enough to find it in the next one. */
export interface ReplyMark {
  readonly lines: number
  readonly digest: string
  /** `open`: it seems to go on. `prose`: it has no blocks. Text below such a reply may belong to it. */
  readonly state: 'whole' | 'open' | 'prose'
}

/** A part of the file that was added at once, and is read by itself. Lines count from 0, blank ones at its ends left out. */
export interface FiledReply {
  readonly from: number
  readonly to: number
  readonly digest: string
  /** What was known of it; undefined when it is new, or was changed. */
  readonly before: ReplyMark | undefined
}

/**
 * The replies of a file, found by those of the version before: from its top and from its bottom, as far as they are still there.
 * What is between them is new. Editors trim lines and break them in their own way, so that is not compared. `isRest` is asked
 * about new text below a reply that seems to go on: a reply that was cut off may be completed, or left as it is.
 */
export function repliesIn(
  text: string,
  before: readonly ReplyMark[],
  isRest: (fresh: FiledReply, joined: FiledReply) => boolean,
): FiledReply[] {
  const lines = trimmedLines(text)
  const top = matchDown(lines, before)
  const left = before.slice(top.used)
  const bottom = matchUp(lines, left, top.replies.at(-1)?.to ?? 0)
  const from = top.replies.at(-1)?.to ?? 0
  const to = bottom[0]?.from ?? lines.length
  const fresh = replyAt(lines, from, to)
  if (fresh === undefined) return [...top.replies, ...bottom]
  const above = top.replies.at(-1)
  const joined =
    above !== undefined && mayGoOn(above, lines[fresh.from] ?? '') ? replyAt(lines, above.from, fresh.to) : undefined
  return joined !== undefined && isRest(fresh, joined)
    ? [...top.replies.slice(0, -1), joined, ...bottom]
    : [...top.replies, fresh, ...bottom]
}

export const trimmedLines = (text: string): string[] => text.split('\n').map((line) => line.trimEnd())

/** The text with nothing but one reply, every line where it was: reports name lines of the file. */
export function replyAlone(text: string, { from, to }: FiledReply): string {
  const lines = text.split('\n')
  return [...Array.from({ length: from }, () => ''), ...lines.slice(from, to), ''].join('\n')
}

/** Whether a code block is not closed, so that what follows is still its content. */
export function isInFence(lines: readonly string[]): boolean {
  let open: string | undefined
  for (const line of lines) {
    const [, marks = '', info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (marks === '') continue
    if (open === undefined) open = marks
    else if (marks.startsWith(open) && info.trim() === '') open = undefined
  }
  return open !== undefined
}

/** Replies from the top on. One that was deleted or changed is passed over. */
function matchDown(
  lines: readonly string[],
  before: readonly ReplyMark[],
): { readonly replies: FiledReply[]; readonly used: number } {
  const replies: FiledReply[] = []
  let used = 0
  for (const [index, mark] of before.entries()) {
    const from = pastBlank(lines, replies.at(-1)?.to ?? 0)
    const found = matchReplyAt(lines, from, from + mark.lines, mark)
    if (found === undefined) continue
    replies.push(found)
    used = index + 1
  }
  return { replies, used }
}

/** The rest from the bottom on, not above `top`. */
function matchUp(lines: readonly string[], before: readonly ReplyMark[], top: number): FiledReply[] {
  const replies: FiledReply[] = []
  for (const mark of before.toReversed()) {
    const to = beforeBlank(lines, replies[0]?.from ?? lines.length)
    const found = to - mark.lines < top ? undefined : matchReplyAt(lines, to - mark.lines, to, mark)
    if (found !== undefined) replies.unshift(found)
  }
  return replies
}

function matchReplyAt(lines: readonly string[], from: number, to: number, mark: ReplyMark): FiledReply | undefined {
  if (to > lines.length) return undefined
  const digest = linesDigest(lines, from, to)
  return digest === mark.digest ? { from, to, digest, before: mark } : undefined
}

function replyAt(lines: readonly string[], start: number, end: number): FiledReply | undefined {
  const from = pastBlank(lines, start)
  const to = beforeBlank(lines, end)
  return from >= to ? undefined : { from, to, digest: linesDigest(lines, from, to), before: undefined }
}

const linesDigest = (lines: readonly string[], from: number, to: number): string =>
  shortDigestOf(lines.slice(from, to).join('\n'))

function pastBlank(lines: readonly string[], start: number): number {
  let at = start
  while (at < lines.length && lines[at] === '') at++
  return at
}

function beforeBlank(lines: readonly string[], end: number): number {
  let at = end
  while (at > 0 && lines[at - 1] === '') at--
  return at
}

/** A fence or an edit marker needs the line above it, which names the file. */
const mayGoOn = ({ before }: FiledReply, next: string): boolean =>
  before?.state === 'open' || (before?.state === 'prose' && /^\s*(?:`{3}|~{3}|<{5,}|@@|--- |\+\+\+ )/.test(next))
