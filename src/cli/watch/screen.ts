import { print } from '../print.ts'
import { cellsOf, fitted, wrapped } from './cells.ts'

/** Lines that come and stay, and below them, where there is a terminal, one that changes. */
export interface Screen {
  /** How wide it is. */
  readonly columns: () => number
  /** Sentences: where they are too long for the terminal they are broken between words. */
  print(lines: readonly string[]): void
  /** What must be seen as it is. */
  printRaw(lines: readonly string[]): void
  /** Cut to the width of the terminal. Parts that do not fit are left out from the right. */
  status(parts: readonly string[]): void
  /** Takes the last line away, until `resume`: another program has the terminal. */
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

/** With one. Everything that comes at once is written at once, so that nothing flickers. */
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
    print0(`${erase()}${lines}${color && line !== '' ? `\u001b[2m${line}\u001b[0m` : line}`)
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
      print0(erase())
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
  let line = fitted(first, columns)
  for (const part of rest) {
    if (cellsOf(line) + 3 + cellsOf(part) > columns) break
    line += ` · ${part}`
  }
  return line
}

/** Without a line break at the end. */
function print0(text: string): void {
  print(text, 'as it is')
}
