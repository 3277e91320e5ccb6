import { withoutColors } from './words.ts'

/** How much room a text takes on a terminal. */

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

/**
 * A line as the lines that it takes, broken between words and indented like the first word. A word that is too long is
 * left to the terminal. Without a known width the line stays as it is.
 */
export function wrapLine(text: string, columns: number | undefined): string[] {
  if (columns === undefined || cellsOf(text) <= columns) return [text]
  const [before = ''] = /^ *(?:[!?✓✗−–→] )?/.exec(withoutColors(text)) ?? []
  const indent = ' '.repeat(before.length)
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

function widthOf(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (/^[\p{M}\p{Cf}]$/u.test(char)) return 0
  return wide.test(char) ? 2 : 1
}

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$|^\p{Emoji_Presentation}$/u
