import { cellsOf, truncateToWidth, wrapLine } from '../../report/width.ts'
import { withColor } from '../../report/pretty.ts'
import { print } from '../streams.ts'

/** Lines that stay, and below them, on a terminal, a status line. */
export interface Screen {
  readonly columns: () => number
  /** Sentences: where they are too long for the terminal they are broken between words. */
  print(lines: readonly string[]): void
  /** Lines that must not be wrapped. */
  printRaw(lines: readonly string[]): void
  /**
   * Cut to the width of the terminal. Parts that do not fit are left out from the right. `question`: somebody has to read
   * it.
   */
  status(parts: readonly string[], kind?: 'question'): void
  /** Removes the status line until `resume`, while another program has the terminal. */
  suspend(): void
  resume(): void
  close(): void
}

/** Without a terminal: plain lines. */
export const makePlainScreen = (): Screen => ({
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
export function makeLiveScreen(out: { readonly columns?: number } & NodeJS.EventEmitter, color: boolean): Screen {
  let waiting: string[] = []
  let parts: readonly string[] = []
  let isQuestion = false
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
    const line = joinThatFit(parts, columns() - 1)
    if (waiting.length === 0 && line === shown) return
    const lines = waiting.map((one) => `${one}\n`).join('')
    waiting = []
    const ink = isQuestion ? withColor.bold : withColor.dim
    print(`${erase()}${lines}${color && line !== '' ? ink(line) : line}`, 'as it is')
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
    print: (lines) => printRaw(lines.flatMap((line) => wrapLine(line, columns()))),
    printRaw,
    status: (given, kind) => {
      parts = given
      isQuestion = kind === 'question'
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
function joinThatFit(parts: readonly string[], columns: number): string {
  const [first = '', ...rest] = parts
  let line = truncateToWidth(first, columns)
  for (const part of rest) {
    if (cellsOf(line) + 3 + cellsOf(part) > columns) break
    line += ` · ${part}`
  }
  return line
}
