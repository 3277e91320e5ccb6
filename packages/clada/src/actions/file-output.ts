import type { CutText, Output, Showing, ShownResult } from '../core/action.ts'
import type { OutlineRow } from '../core/result.ts'
import type { readShape } from './common.ts'
import type { ValueOf } from '../core/shape.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { cutLines, divideRoom, splitLines } from '@clada/reply/text/lines.ts'
import { oneLined } from './one-line.ts'

/** The text of one file between two lines with its name. */
export const fileOutput = (numbered: 'plain' | 'numbered' = 'plain'): Output<ValueOf<typeof readShape>> => ({
  named: true,
  framed: true,
  text: ({ data, success, outlines }, show) => {
    if (data?.described !== undefined) return oneLined(`${show.path(data.path)}: ${data.described}`)
    // The lines that were asked for do not exist.
    if (data?.content === undefined || (data.content === '' && !success)) return undefined
    const { path, content } = data
    return fileSection({ path, content, numbered, room: show.room, outline: outlines?.[path] }, show)
  },
})

/** The texts of several files, each between two lines with its name. */
export const filesOutput = (numbered: 'plain' | 'numbered' = 'plain'): Output<ValueOf<typeof filesShape>> => ({
  named: true,
  framed: true,
  text: (result, show) => result.data && showSeveralFiles(result.data, numbered, result, show),
})

/** The texts are in one, each below its title; `lengths` are theirs, because a text may hold a line like a title. */
export const filesShape = { paths: ['string'], lengths: ['integer'], content: 'string' } as const

export const titleOf = (path: string): string => `=== ${path} ===\n`
export const betweenFiles = '\n\n'

interface ShownFile {
  readonly path: string
  readonly content: string
  readonly numbered: 'plain' | 'numbered'
  readonly room: number
  /** Of a long file that was read whole. */
  readonly outline?: readonly OutlineRow[] | undefined
}

function fileSection(file: ShownFile, show: Showing): CutText | string {
  const { path, content, numbered, outline } = file
  const room = outline === undefined ? file.room : Math.min(file.room, show.fileRoom ?? file.room)
  const name = oneLined(`${numbered === 'numbered' ? '[numbered] ' : ''}${show.path(path)}`)
  const framed = (text: string): string => {
    const body = text === '' ? '[empty file]' : text
    return show.bare ? body : `=== START FILE: ${name} ===\n${body}\n=== END FILE: ${name} ===`
  }
  const left = Math.max(200, room - 2 * name.length - 160)
  if (content.length <= left) return framed(show.content(content))
  const glance = outline === undefined ? undefined : glanceAt({ content, outline, numbered, room: left }, show)
  if (glance !== undefined) return { ...glance, text: framed(glance.text) }
  const cut = cutLines(content, left)
  if (cut === undefined) return framed(show.content(content))
  // Numbers in the text are those of the file.
  const above = numbered === 'numbered' ? Number(/^\s*(\d+)/.exec(content)?.[1] ?? 1) - 1 : 0
  const [first, last] = [cut.first + above, cut.last + above]
  const range = `lines ${first}-${last} of ${cut.total + above} not shown`
  const on = `lines="${first}-${Math.min(last, first + linesAtOnce - 1)}"`
  const how = numbered === 'numbered' ? `read on with ${on}` : `read on with file_read_numbered ${on}`
  const text = [show.content(cut.head), `[output truncated] ${range}; ${how}`, show.content(cut.tail)].join('\n')
  return { text: framed(text), cut: `${range}; ${how}` }
}

/** Lines that are proposed for the next look at a file. */
const linesAtOnce = 500

interface LongFile {
  readonly content: string
  readonly outline: readonly OutlineRow[]
  readonly numbered: 'plain' | 'numbered'
  readonly room: number
}

/** The beginning of a long file, and what the rest declares; undefined where that says little. */
export function glanceAt({ content, outline, numbered, room }: LongFile, show: Showing): CutText | undefined {
  const lines = splitLines(content)
  const total = lines.length - (afterLast.test(lines.at(-1) ?? '') ? 1 : 0)
  const above = (outline[0]?.lines[0] ?? 1) - 1
  const from = licenseEnd(lines)
  const least = from + linesThatFit(lines.slice(from), shortestBeginning)
  const shown = Math.min(Math.max(above, least), from + linesThatFit(lines.slice(from), longestBeginning))
  const rest = outline.filter(({ lines: [, last] }) => last > shown)
  const deepest = Math.max(0, ...rest.map(({ depth }) => depth))
  // As deep as there is room for.
  const rows = countDown(deepest).map((depth) => rowsUpTo(rest, depth))
  const space = room * 0.4
  const fitting = rows.find((some) => some.join('\n').length <= space) ?? rows.at(-1) ?? []
  const listed = fitting.slice(0, linesThatFit(fitting, space))
  const [one] = rest
  if (one === undefined || listed.length < fewRows) return undefined
  const range = `lines ${shown + 1}-${total} of ${total} not shown, only what they declare`
  const more =
    fitting.length > listed.length ? [`  … and ${fitting.length - listed.length} more; list_structures has them`] : []
  const how = `read on with ${numbered === 'numbered' ? '' : 'file_read_numbered '}lines="A-B,C-D"`
  const text = [
    ...(from === 0 ? [] : [`[lines 1-${from}: license]`]),
    show.content(lines.slice(from, shown).join('\n')),
    `[output truncated] ${range}; ${how}:`,
    show.content(listed.join('\n')),
    ...more,
  ]
  return { text: text.join('\n'), cut: `${range}; ${how}` }
}

/** After a final line break comes no further line. */
const afterLast = /^(?:\s*\d+: )?$/

/** How many lines the comment at the beginning of a file takes, if it is its license: that is of no use. */
function licenseEnd(lines: readonly string[]): number {
  const bare = lines.slice(0, longestLicense).map((line) => line.replace(/^ *\d+: /, '').trim())
  const isBlock = bare[0]?.startsWith('/*') ?? false
  const last = isBlock
    ? bare.findIndex((line) => line.includes('*/')) + 1
    : bare.findIndex((line) => !isComment.test(line))
  return last > 0 && isLicense.test(bare.slice(0, last).join('\n')) ? last : 0
}

const longestLicense = 100
const isComment = /^(?:\/\/|#|--|;|%)/
const isLicense = /licen[sc]e|copyright|permission is hereby granted/i

/** What stands above the first declaration: imports, and what the file says of itself. */
const longestBeginning = 800
const shortestBeginning = 400
/** Fewer declarations tell little about a long file: then more of its text says more. */
const fewRows = 3
const longestHeader = 160

const countDown = (from: number): number[] => Array.from({ length: from }, (_, at) => from - at)

const rowsUpTo = (outline: readonly OutlineRow[], deepest: number): string[] =>
  outline
    // Fields and members of few lines are not what a reader chooses lines by.
    .filter(({ depth, lines: [first, last] }) => depth <= deepest && (depth === 1 || last - first >= 2))
    .map(outlineRow)

export function outlineRow({ header, lines: [first, last], depth }: OutlineRow): string {
  const name = oneLined(header)
  const short = name.length > longestHeader ? `${name.slice(0, longestHeader)}…` : name
  return `${'  '.repeat(depth)}${first === last ? first : `${first}-${last}`} ${short}`
}

/** How many lines from the first on have so many characters together. */
function linesThatFit(lines: readonly string[], room: number): number {
  let spare = room
  const end = lines.findIndex((line) => (spare -= line.length + 1) < 0)
  return end === -1 ? lines.length : end
}

function showSeveralFiles(
  data: ValueOf<typeof filesShape>,
  numbered: 'plain' | 'numbered',
  { action, details, outlines }: ShownResult,
  show: Showing,
): string | CutText {
  const { paths } = data
  const failures = details?.failures ?? []
  const listed = (names: readonly string[]): string[] => names.map((path) => `- ${oneLined(show.path(path))}`)
  const total = paths.length + failures.length
  const head =
    failures.length === 0
      ? // The name of a single file is in the line above its text.
        paths.length === 1
        ? []
        : [`Reading ${formatCount(paths.length, 'file')}:`, ...listed(paths)]
      : [
          `Successfully read ${paths.length} of ${total} files (${failures.length} failed):`,
          '',
          '✅ Successfully read:',
          ...listed(paths),
          '',
          '❌ Failed to read:',
          ...failures.map(
            ({ path, error }) =>
              `- ${oneLined(show.path(path))}: ${oneLined(error.replace(`${action}: `, '').replaceAll(path, show.path(path)))}`,
          ),
        ]
  const texts = splitContent(data)
  const outlineAt = (index: number): readonly OutlineRow[] | undefined => outlines?.[paths[index] ?? '']
  const framed = texts.map((text, index) => {
    const whole = text.length + 2 * (paths[index]?.length ?? 0) + 200
    return outlineAt(index) === undefined ? whole : Math.min(whole, show.fileRoom ?? whole)
  })
  const shares = divideRoom(framed, show.room - head.join('\n').length)
  const sections = texts.map((text, index) =>
    fileSection(
      { path: paths[index] ?? '', content: text, numbered, room: shares[index] ?? 0, outline: outlineAt(index) },
      show,
    ),
  )
  const cuts = sections.flatMap((one, index) =>
    typeof one === 'string' ? [] : [`${show.path(paths[index] ?? '')}: ${one.cut}`],
  )
  const bodies = sections.map((one) => (typeof one === 'string' ? one : one.text))
  const text = show.bare
    ? bodies.map((body, index) => `=== ${oneLined(show.path(paths[index] ?? ''))} ===\n${body}`).join('\n\n')
    : [...head, ...(head.length === 0 ? [] : ['']), bodies.join('\n\n')].join('\n')
  return cuts.length === 0 ? text : { text, cut: cuts.join('; ') }
}

function splitContent({ paths, lengths, content }: ValueOf<typeof filesShape>): string[] {
  let at = 0
  return paths.map((path, index) => {
    const from = at + titleOf(path).length
    const end = from + (lengths[index] ?? 0)
    at = end + betweenFiles.length
    return content.slice(from, end)
  })
}
