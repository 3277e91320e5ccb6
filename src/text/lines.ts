/** The lines without their ends. A final line end is followed by one more line, which is empty. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/)
}

/** Offset after the line end that starts at `at`, or undefined when none does. CRLF is one line end. */
export function afterLineEnd(text: string, at: number): number | undefined {
  const code = text.charCodeAt(at)
  if (code === LF) return at + 1
  if (code !== CR) return undefined
  return text.charCodeAt(at + 1) === LF ? at + 2 : at + 1
}

/** Without the blank lines at both ends, and without the line end of what is then last. Linear, as `/\n+$/` is not. */
export function withoutOuterBlankLines(text: string): string {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first === -1 ? '' : lines.slice(first, last + 1).join('\n')
}

const LF = 10
const CR = 13
