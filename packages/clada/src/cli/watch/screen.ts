import { print } from '../streams.ts'

/** Lines that stay, and below them, on a terminal, a status line. */
export interface Screen {
  readonly columns: () => number
  /** Sentences: where they are too long for the terminal they are broken between words. */
  print(lines: readonly string[]): void
  /** Lines that must not be wrapped. */
  printRaw(lines: readonly string[]): void
  /** Cut to the width of the terminal. Parts that do not fit are left out from the right. */
  status(parts: readonly string[]): void
  /** Removes the status line until `resume`, while another program has the terminal. */
  suspend(): void
  resume(): void
  close(): void
}

/** Without a terminal: plain lines. */
export const plainScreen = (): Screen => ({
  columns: () => 120,
  print: printLines,
  printRaw: printLines,
  status: () => {},
  suspend: () => {},
  resume: () => {},
  close: () => {},
})

function printLines(lines: readonly string[]): void {
  print(lines.map((line) => `${line}\n`).join(''))
}

/** With a terminal. Output of the same moment is written together, so that nothing flickers. */
export function liveScreen(out: { readonly columns?: number } & NodeJS.EventEmitter, color: boolean): Screen {
  let waiting: string[] = []
  let parts: readonly string[] = []
  /** The text of the last line. */
  let shown = ''
  let drawn = ''
  let suspended = false
  let scheduled: NodeJS.Immediate | undefined

  const columns = (): number => (out.columns === undefined || out.columns < 1 ? 80 : out.columns)
  const schedule = (): void => {
    scheduled ??= setImmediate(flush)
  }
  /** A line that was as wide as the terminal takes more rows when the terminal becomes narrower. */
  const erase = (): string => {
    const rows = Math.max(1, Math.ceil(cellsOf(drawn) / columns()))
    return `${rows > 1 ? `\u001b[${rows - 1}A` : ''}\r\u001b[J`
  }
  function flush(): void {
    scheduled = undefined
    if (suspended) return
    const line = joined(parts, columns() - 1)
    if (waiting.length === 0 && line === shown) return
    const lines = waiting.map((one) => `${one}\n`).join('')
    waiting = []
    print(`${erase()}${lines}${color && line !== '' ? `\u001b[2m${line}\u001b[0m` : line}`, 'as it is')
    shown = line
    drawn = line
  }
  const onResize = (): void => {
    shown = '\0'
    schedule()
  }
  out.on('resize', onResize)
  const printRaw = (lines: readonly string[]): void => {
    waiting.push(...lines)
    schedule()
  }
  return {
    columns,
    print: (lines) => printRaw(lines.flatMap((line) => wrapped(line, columns()))),
    printRaw,
    status: (given) => {
      parts = given
      schedule()
    },
    suspend: () => {
      flush()
      suspended = true
      print(erase(), 'as it is')
      drawn = ''
    },
    resume: () => {
      suspended = false
      onResize()
    },
    close: () => {
      out.off('resize', onResize)
      if (scheduled !== undefined) clearImmediate(scheduled)
      parts = []
      suspended = false
      shown = '\0'
      flush()
    },
  }
}

/** Whole parts, as many as fit; the first is cut where even that is too long. */
function joined(parts: readonly string[], columns: number): string {
  const [first = '', ...rest] = parts
  let line = truncateToWidth(first, columns)
  for (const part of rest) {
    if (cellsOf(line) + 3 + cellsOf(part) > columns) break
    line += ` · ${part}`
  }
  return line
}

/** How many columns a text takes on a terminal. Colours take none. */
export function cellsOf(text: string): number {
  let cells = 0
  for (const char of withoutColors(text)) cells += widthOf(char)
  return cells
}

/** As much of a text as fits, with a mark where it was cut. */
export function truncateToWidth(text: string, columns: number): string {
  if (cellsOf(text) <= columns) return text
  let shown = ''
  let cells = 0
  for (const part of text.split(colors)) {
    if (colors.test(part)) shown += part
    else
      for (const char of part) {
        cells += widthOf(char)
        if (cells <= columns - 1) shown += char
        else break
      }
  }
  return columns > 0 ? shown.replace(endOfText, '…$&') : ''
}

/** A line as the lines that it takes, broken between words. A word that is too long is left to the terminal. */
export function wrapped(text: string, columns: number): string[] {
  if (cellsOf(text) <= columns) return [text]
  const [indent = ''] = /^ */.exec(text) ?? []
  const lines: string[] = []
  let line = ''
  for (const [, spaces = '', word = ''] of text.matchAll(/( *)([^ ]+)/g)) {
    const begun = line.trim() !== ''
    if (begun && cellsOf(line + spaces + word) > columns) {
      lines.push(line)
      line = indent + word
    } else line += spaces + word
  }
  return [...lines, line]
}

// eslint-disable-next-line no-control-regex -- colours are what is looked for
const colors = /(\u001b\[[\d;]*m)/
// eslint-disable-next-line no-control-regex -- the mark is before the end of the colour
const endOfText = /(?:\u001b\[[\d;]*m)*$/

const withoutColors = (text: string): string => text.replaceAll(new RegExp(colors, 'g'), '')

function widthOf(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (/^[\p{M}\p{Cf}]$/u.test(char)) return 0
  return wide.test(char) ? 2 : 1
}

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$|^\p{Emoji_Presentation}$/u
