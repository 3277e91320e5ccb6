import { isComplete, type SkippedBlock } from '../core/block.ts'
import { isRecord } from '../core/is-record.ts'
import { Source } from '../core/source.ts'
import { removeDamage, stripDisguise } from '../text/undamage.ts'

/**
 * What lines hold below the traces of the programs that they came through: the frames of a terminal, the tags of a page, bullets,
 * entities, colours, other line breaks. Nothing is executed by this reading. It tells what else would vanish without a word.
 */
export function findDisguised(rows: readonly string[], read: (source: Source) => SkippedBlock[]): SkippedBlock[] {
  const { texts, lines, changed } = textsInAnswer(rows) ?? undisguise(rows)
  if (changed.size === 0) return []
  const lineOf = (line: number): number => lines[line - 1] ?? rows.length
  return read(new Source(texts.join('\n'))).flatMap(({ block, ...one }) => {
    // The first line of a patch and the last are left where its sections were read.
    if (one.path === undefined && (block === undefined || !isComplete(block))) return []
    const [line, endLine] = [lineOf(one.line), lineOf(one.endLine)]
    const isShown = SHOWN.test(rows[line - 1] ?? '')
    // A prompt inside a fence changes nothing of what the fence is.
    const isHidden = (at: number): boolean =>
      changed.has(at) && (at === line || isShown || !SHOWN.test(rows[at - 1] ?? ''))
    for (let at = line; at <= endLine; at++)
      if (isHidden(at))
        return [{ ...one, line, endLine, reason: isShown && one.reason === 'unreadable' ? 'example' : one.reason }]
    return []
  })
}

/** Behind a prompt, the mark of a comment, a plus or a number a text is shown. */
const SHOWN = /^\s*(?:\$|\/\/+|--|\+|\d+(?:\t|\s*[\u2502|:]))\s*\S/

interface Undisguised {
  readonly texts: readonly string[]
  /** The line that each comes from. */
  readonly lines: readonly number[]
  readonly changed: ReadonlySet<number>
}

function undisguise(rows: readonly string[]): Undisguised {
  const texts: string[] = []
  const lines: number[] = []
  const changed = new Set<number>()
  for (const [at, row] of rows.entries()) {
    const plain = MAY_HIDE.test(row) ? splitRow(row).map(withoutDisguise) : [row]
    if (plain.length > 1 || plain[0]?.trimEnd() !== row.trimEnd()) changed.add(at + 1)
    for (const text of plain) {
      texts.push(text)
      lines.push(at + 1)
    }
  }
  return { texts, lines, changed }
}

/** Every line with a disguise has one of these. Words and most code have none. */
const MAY_HIDE =
  /^[ \t]*(?:[-*+$\u2022\u2502\u2503\u2551|/]|\[?\d|["{[#:'`\xb4<]|assistant|ai\b|chatgpt|claude|gemini|model|bot)|[^\t -~]|[\\&]|<br/i

/** Other line breaks, and those of a page. */
const BREAK = /[\r\u0085\u2028\u2029]|<br ?\/?>/i

function splitRow(row: string): readonly string[] {
  const said = /^\s*["{[]/.test(row) && row.includes('\\n') ? textsIn(row) : undefined
  if (said !== undefined) return said
  if (row.length > LONG) return [row]
  // A text that was printed with its escapes, and one without its line breaks.
  if (/^[^"'{[]*\\n[^]*\\n/.test(row)) return row.split('\\n')
  return isEditInOneLine(row) ? row.split(BEFORE_MARKER) : row.split(BREAK)
}

const LONG = 100_000

/** Looks for one marker after the other: one pattern for all of them would try every pair. */
function isEditInOneLine(row: string): boolean {
  const head = row.search(/<{5,9} ?(?:SEARCH|ORIGINAL) /)
  const divider = head === -1 ? -1 : row.indexOf(' ======', head)
  return divider !== -1 && />{5,9} ?(?:REPLACE|UPDATED)\b/.test(row.slice(divider))
}

const BEFORE_MARKER = / (?=`{3}|<{5,9} ?(?:SEARCH|ORIGINAL) |={5,9} |>{5,9} ?(?:REPLACE|UPDATED)\b)/

/** The texts in the answer of a server, which is JSON as a whole. */
function textsInAnswer(rows: readonly string[]): Undisguised | undefined {
  const first = rows.findIndex((row) => row.trim() !== '')
  if (!/^\s*[{[]\s*$/.test(rows[first] ?? '')) return undefined
  const texts = textsIn(rows.join('\n'))
  return texts && { texts, lines: texts.map(() => first + 1), changed: new Set([first + 1]) }
}

/** The lines of the texts in JSON that have several. */
function textsIn(json: string): string[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return undefined
  }
  const texts: string[] = []
  for (const rest = [value]; rest.length > 0;) {
    const one = rest.pop()
    if (typeof one === 'string' && one.includes('\n')) for (const text of `${one}\n`.split('\n')) texts.push(text)
    else if (Array.isArray(one) || isRecord(one))
      for (const member of Object.values(one).toReversed()) rest.push(member)
  }
  return texts
}

function withoutDisguise(row: string): string {
  let text = row.replace(OF_MARKERS, stripDisguise).replace(DASHES, (dashes) => '-'.repeat(dashes.length))
  // What was copied from page to page is escaped twice.
  for (let times = 0; times < 2; times++) text = removeDamage(text, ['invisible', 'entities', 'punctuation', 'spaces'])
  text = text.replace(/\\\{/.test(text) ? ESCAPED : ESCAPED_BY_MARKDOWN, '$1')
  if (TAG.test(text)) text = text.replace(CELL, '').replace(TAGS, '')
  const framed = text.replace(FRAME, '')
  if (framed !== text) text = framed.trimEnd().replace(FRAME_END, '').trimEnd()
  text = text.replace(BEFORE, '').replace(BULLET, '').replace(AROUND, '$2')
  for (const [pattern, inCase] of CASED) text = text.replace(pattern, inCase)
  return FENCES.reduce((frame, [pattern, fence]) => frame.replace(pattern, fence), text)
}

/** Chinese has its own colon after a label, and its own comma. */
const OF_MARKERS = /[^\uff08\uff09\uff0c\uff1a\uff1b]+/g
const DASHES = /[\u2010-\u2015\u2212]{2,}/g
const ESCAPED = /\\([!-/:-@[-`{-~])/g
const ESCAPED_BY_MARKDOWN = /\\([`~<>*_#[\]+-])/g
/** Tags of what a page shows, not of what code holds. */
const NAMES = '(?:p|div|span|tr|td|th|li|b|strong|em|i|kbd|samp|font)'
const TAG = new RegExp(`^\\s*</?${NAMES}\\b[^<>]*>`, 'i')
const TAGS = new RegExp(`</?${NAMES}\\b[^<>]*>`, 'gi')
/** The number of a line in a table. */
const CELL = /^(?:\s*<[^<>]*>){1,4}\s*\d+\s*(?=<\/)/
const FRAME = /^\s*[\u2502\u2503\u2551|] ?/
const FRAME_END = /[\u2502\u2503\u2551|]$/
/** A prompt, the mark of a comment, a number, a time, who speaks. */
const BEFORE =
  /^\s*(?:(?:\$|\/\/+|--) |\+ ?|\d{1,6}(?:\t|\s*[\u2502|:] ?)|\[?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AP]M)?\]?:?\s+|(?:\*\*)?(?:assistant|ai|chatgpt|claude|gemini|model|bot)(?:\*\*)?\s?:(?:\*\*)?\s+(?=[`~<*#{]))/i
/** Only before what may begin a block. */
const BULLET = /^\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?=[`~<*#{]|[\w./-]+\.\w+\W*$)/
const AROUND = /^\s*(\*\*(?!\*)|`(?!`))([`~<>=*#-].*)\1\s*$/

/** Markers are in one case. */
const CASED: readonly (readonly [RegExp, (marker: string) => string])[] = [
  [/^<<<[a-z]+>>>\s*$/, (marker) => marker.toUpperCase()],
  [
    /^\*\*\* (?:begin patch|end patch|(?:add|update|delete) file:|move to:)/i,
    (marker) => marker.toLowerCase().replace(/\b(?:begin|end|patch|add|update|delete|file|move)\b/g, capitalized),
  ],
]
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** How other programs write the line that begins or ends code, and those who mistake the marks. */
const FENCES: readonly (readonly [RegExp, string])[] = [
  [/^\s*(?:'{3}|\xb4{3}|"{3}|``)([\w+#.-]*)\s*$/, '```$1'],
  [/^\s*\[source\b[^\]]*\]\s*$/, ''],
  [/^\s*-{4}\s*$/, '```'],
  [/^\s*\[\/?(?:code|CODE)(?:=[\w+#-]*)?\]\s*$/, '```'],
  [/^\s*\{(?:code|noformat)(?::[^{}]*)?\}\s*$/, '```'],
  [/^\s*#\+(?:begin|end|BEGIN|END)_(?:src|SRC|example|EXAMPLE)(?:\s.*)?$/, '```'],
  [/^\s*(?:<pre\b[^<>]*>(?:\s*<code\b[^<>]*>)?|<\/code>\s*<\/pre>|<\/pre>)\s*$/, '```'],
]
