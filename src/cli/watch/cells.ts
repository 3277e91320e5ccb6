/** How many columns a text takes on a terminal. Colours take none. */
export function cellsOf(text: string): number {
  let cells = 0
  for (const char of withoutColors(text)) cells += widthOf(char)
  return cells
}

/** As much of a text as fits, with a mark where it was cut. The text holds no colours. */
export function fitted(text: string, columns: number): string {
  if (cellsOf(text) <= columns) return text
  let shown = ''
  let cells = 0
  for (const char of text) {
    cells += widthOf(char)
    if (cells > columns - 1) break
    shown += char
  }
  return columns > 0 ? `${shown}…` : ''
}

// eslint-disable-next-line no-control-regex -- colours are what is taken off
const withoutColors = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, '')

function widthOf(char: string): number {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (/^[\p{M}\p{Cf}]$/u.test(char)) return 0
  return wide.test(char) ? 2 : 1
}

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]$|^\p{Emoji_Presentation}$/u
