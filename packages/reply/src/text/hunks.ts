/*
 * The changes of one file as text:
 *
 *   patch   = [ names ] { { header } body }      the first body may go without a header
 *   names   = what a diff has above its first "@@"; not looked at
 *   header  = "@@" [ "!" ] [ " -" old [ " +" new ] ] [ "@@" ] [ " " words ]     old, new: line [ "," count ]
 *   body    = { " " text | "-" text | "+" text | "" | note } [ "*** End of File" ]
 *   note    = "\ No newline at end of file"      about the line above it
 *
 * "@@!" is a hunk that must fit one place only, wherever those before it are.
 * A line with nothing in it is an empty line of context; at the end of a body it is the distance to what follows.
 * Nothing in a header is trusted: words without numbers name a line above the hunk, several headers in a row name
 * lines one inside the other, and what is after the numbers is the heading that diff tools put there.
 * How headers help to find the place is in `hunks-locate.ts`.
 */

export interface Hunk {
  /** From 1, as the patch counts them. */
  readonly number: number
  readonly lines: readonly HunkLine[]
  /** Where the old side begins, by the header; a count of 0 puts it after that line. */
  readonly stated?: { readonly line: number; readonly count: number | undefined }
  /** Lines above, the outermost first. */
  readonly above: readonly string[]
  readonly heading?: string
  /** Of several places none is taken, not even the first after the hunk before. */
  readonly unique: boolean
  /** Its last line is the last of the file. */
  readonly atEnd: boolean
  /** Which side has no newline after its last line. */
  readonly bare: { readonly old: boolean; readonly new: boolean }
}

export interface HunkLine {
  readonly mark: ' ' | '-' | '+'
  /** As written, a CR at its end included. */
  readonly text: string
}

export type ParsedHunks =
  | { readonly hunks: readonly Hunk[]; readonly warnings: readonly string[] }
  | { readonly line: number; readonly message: string }

export function parseHunks(patch: string): ParsedHunks {
  const rows = patch.split('\n')
  const hunks: Hunk[] = []
  let open = new OpenHunk()
  const close = (): void => {
    const hunk = open.close(hunks.length + 1)
    if (hunk !== undefined) hunks.push(hunk)
  }
  for (let at = namesEnd(rows); at < rows.length; at++) {
    const row = rows[at] ?? ''
    if (row.startsWith('@@')) {
      close()
      // A header with nothing below it is about the next hunk too.
      open = open.isEmpty ? open : new OpenHunk()
      open.head(at + 1, row)
    } else if (!open.take(row)) {
      return { line: at + 1, message: `line ${at + 1} begins with none of ' ', '-', '+', '@@': '${row.slice(0, 60)}'` }
    }
  }
  close()
  if (!open.isEmpty || open.headLine === 0) return { hunks, warnings: [] }
  const message = `nothing follows the '@@' on line ${open.headLine}`
  // Models end a diff with a header as they end a list with an ellipsis. One that names a place announced a hunk.
  return hunks.length === 0 || open.namesPlace
    ? { line: open.headLine, message }
    : { hunks, warnings: [`${message}; it was ignored`] }
}

/** The side of a hunk that a file must have, or will have. */
export function hunkSide({ lines }: Pick<Hunk, 'lines'>, side: 'old' | 'new'): HunkLine[] {
  return lines.filter(({ mark }) => mark === ' ' || mark === (side === 'old' ? '-' : '+'))
}

/** Index of the first row after the names of a diff; 0 when there are none. */
function namesEnd(rows: readonly string[]): number {
  const first = rows.findIndex((row) => row.startsWith('@@'))
  if (first < 2 || !rows[first - 2]?.startsWith('--- ') || !rows[first - 1]?.startsWith('+++ ')) return 0
  return rows.slice(0, first - 2).every((row) => !/^[-+ @]/.test(row)) ? first : 0
}

const NUMBERS = /^@@+!?\s*-(\d{1,9})(?:,(\d{1,9}))?(?:\s+\+\d+(?:,\d+)?)?\s*(?:@@+(.*))?$/s

class OpenHunk {
  headLine = 0
  #lines: { mark: HunkLine['mark']; text: string; isEmpty: boolean }[] = []
  #above: string[] = []
  #stated: Hunk['stated']
  #heading = ''
  #atEnd = false
  #unique = false
  #bare = { old: false, new: false }

  /** Whether its header says where it goes. */
  get namesPlace(): boolean {
    return this.#stated !== undefined || this.#above.length > 0
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  head(line: number, row: string): void {
    this.headLine = line
    this.#unique = row.startsWith('@@!')
    const numbers = NUMBERS.exec(row.trimEnd())
    if (numbers !== null) {
      const [, start = '', count, heading = ''] = numbers
      this.#stated = { line: Number(start), count: count === undefined ? undefined : Number(count) }
      this.#heading = heading.trim()
      return
    }
    const words = row
      .replace(/^@@+!?/, '')
      .trim()
      .replace(/\s*@@+$/, '')
    if (words !== '' && !/^(?:\.\.\.|…)$/.test(words)) this.#above.push(words)
  }

  /** False for a row that cannot be in a hunk. */
  take(row: string): boolean {
    const mark = row[0]
    if (mark === ' ' || mark === '-' || mark === '+') this.#lines.push({ mark, text: row.slice(1), isEmpty: false })
    else if (row === '' || row === '\r') this.#lines.push({ mark: ' ', text: row, isEmpty: true })
    else if (mark === '\\') this.#note()
    else if (row.trimEnd() === '*** End of File') this.#atEnd = true
    else return false
    return true
  }

  close(number: number): Hunk | undefined {
    while (this.#lines.at(-1)?.isEmpty === true) this.#lines.pop()
    if (this.isEmpty) return undefined
    return {
      number,
      lines: this.#lines.map(({ mark, text }) => ({ mark, text })),
      above: this.#above,
      unique: this.#unique,
      atEnd: this.#atEnd,
      bare: this.#bare,
      stated: this.#stated,
      heading: this.#heading !== '' ? this.#heading : undefined,
    }
  }

  #note(): void {
    const mark = this.#lines.at(-1)?.mark
    if (mark === ' ' || mark === '-') this.#bare.old = true
    if (mark === ' ' || mark === '+') this.#bare.new = true
  }
}

interface Bare {
  readonly old: readonly string[]
  readonly fresh: readonly string[]
  /** What was removed. */
  readonly words: string
}

/** An edit without what a listing, a quotation or a list puts before every line, or a fence around them. */
export function withoutPrefixes(lines: readonly HunkLine[]): Bare[] {
  const old = lines.flatMap(({ mark, text }) => (mark === '+' ? [] : [text]))
  const fresh = lines.flatMap(({ mark, text }) => (mark === '-' ? [] : [text]))
  return kinds.flatMap(({ words, strip }) => {
    const bareOld = strip(old)
    if (bareOld === undefined || bareOld.every((line) => line.trim() === '')) return []
    const bareNew = strip(fresh) ?? (fresh.some((line) => strip([line]) !== undefined) ? undefined : fresh)
    return bareNew === undefined ? [] : [{ old: bareOld, fresh: bareNew, words }]
  })
}

const kinds: readonly { words: string; strip(lines: readonly string[]): string[] | undefined }[] = [
  { words: 'line numbers', strip: withoutNumbers },
  { words: "'> ' before every line", strip: (lines) => eachWithout(lines, /^[ \t]*>[ \xa0]?/) },
  { words: 'bullets', strip: (lines) => eachWithout(lines, /^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)]) /) },
  { words: 'diff marks', strip: (lines) => eachWithout(lines, /^[-+]/) },
  { words: 'a code fence', strip: withoutFence },
]

/** Lines without their prefix, when every line with content has it. */
function eachWithout(lines: readonly string[], prefix: RegExp): string[] | undefined {
  if (!lines.some((line) => line.trim() !== '')) return undefined
  const bare: string[] = []
  for (const line of lines) {
    const found = prefix.exec(line)?.[0]
    if (found === undefined && line.trim() !== '') return undefined
    bare.push(line.slice(found?.length ?? 0))
  }
  return bare
}

/** `12: text`, `12 | text`, `12→text`, `12<tab>text`. */
function withoutNumbers(lines: readonly string[]): string[] | undefined {
  return eachWithout(lines, /^[ \t]*\d{1,7}(?:[ \t]*[:|\u2502\u2192][ \xa0]?|\t|$)/) ?? withoutCountingNumbers(lines)
}

/** `12 text`, where the numbers count up. */
function withoutCountingNumbers(lines: readonly string[]): string[] | undefined {
  const bare = eachWithout(lines, /^[ \t]*\d{1,7}(?:[ \xa0]|$)/)
  const numbers = lines.flatMap((line) => /^[ \t]*(\d+)/.exec(line)?.[1] ?? []).map(Number)
  const counts = numbers.length > 1 && numbers.every((number, at) => number - at === numbers[0])
  return counts ? bare : undefined
}

function withoutFence(lines: readonly string[]): string[] | undefined {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const mark = /^[ \t]*(```+|~~~+)[\w+.-]*[ \t]*$/.exec(lines[first] ?? '')?.[1]
  return mark !== undefined && last > first && lines[last]?.trim() === mark ? lines.slice(first + 1, last) : undefined
}
